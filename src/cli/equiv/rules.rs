//! The rules of each side: loads them, and leaves out those that are deselected or cannot run.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashSet;

use super::args::EquivArgs;
use crate::bytecode::Program;
use crate::cli::error;
use crate::cli::exit::Failed;
use crate::cli::session::Session;
use crate::compile::{self, Compiled, Options};
use crate::equivalence::{self, SideOps};
use crate::host::Natives;
use crate::ir::IrHost;
use crate::pdl::{MissingNative, PatternId, RuleSet};
use crate::source::Diagnostics;
use crate::vm::{LinkOptions, Matcher};

/// The rules of one side.
pub(super) enum SideRules {
    Rules(Box<RuleSet>),
    /// A compiled program without some of its rules.
    Program {
        program: Arc<Program>,
        left_out: Vec<PatternId>,
    },
}

impl SideRules {
    /// The source rules, unless the side is a compiled program.
    pub(super) fn rules(&self) -> Option<&RuleSet> {
        match self {
            SideRules::Rules(rules) => Some(rules),
            SideRules::Program { .. } => None,
        }
    }

    /// The rule set from which IR is generated.
    pub(super) fn rule_set(&self) -> Cow<'_, RuleSet> {
        match self {
            SideRules::Rules(rules) => Cow::Borrowed(rules),
            SideRules::Program { program, left_out } => Cow::Owned(equivalence::raise(program, left_out)),
        }
    }

    /// The ids in the program of the rules of [`Self::rule_set`], which does not contain the rules that are left out.
    pub(super) fn ids(&self) -> Vec<PatternId> {
        match self {
            SideRules::Rules(rules) => rules.patterns.ids().collect(),
            SideRules::Program { program, left_out } => {
                program.patterns().ids().filter(|rule| !left_out.contains(rule)).collect()
            }
        }
    }

    pub(super) fn op_tables(&mut self) -> SideOps<'_> {
        match self {
            SideRules::Rules(rules) => (&mut **rules).into(),
            SideRules::Program { program, .. } => Arc::make_mut(program).into(),
        }
    }

    /// True if a rule has this name or label.
    fn has_rule(&self, name: &String) -> bool {
        let name = std::slice::from_ref(name);
        match self {
            SideRules::Rules(rules) => rules.unselected(name, &[]).is_ok(),
            SideRules::Program { program, .. } => program.unselected(name, &[]).is_ok(),
        }
    }

    /// The names and labels of the rules.
    fn names(&self) -> Vec<&str> {
        match self {
            SideRules::Rules(rules) => {
                let ids =
                    rules.patterns.iter().flat_map(|rule| std::iter::once(&rule.name).chain(&rule.labels));
                ids.map(|&id| &rules.strings[id]).collect()
            }
            SideRules::Program { program, .. } => {
                let rules = program.patterns().ids();
                rules
                    .flat_map(|rule| std::iter::once(program.pattern_name(rule)).chain(program.labels(rule)))
                    .collect()
            }
        }
    }

    /// Keeps the selected rules.
    fn select(&mut self, enable: &[String], disable: &[String]) -> Result<(), Diagnostics> {
        match self {
            SideRules::Rules(rules) => rules.select(enable, disable),
            SideRules::Program { program, left_out } => {
                *left_out = program.unselected(enable, disable)?;
                Ok(())
            }
        }
    }

    /// Leaves out the rules with these names.
    fn leave_out(&mut self, names: &[String]) {
        match self {
            SideRules::Rules(rules) => {
                let strings = &rules.strings;
                let kept = rules.patterns.iter();
                let kept = kept.filter(|rule| names.iter().all(|name| *name != strings[rule.name]));
                rules.patterns = kept.cloned().collect();
            }
            SideRules::Program { program, left_out } => {
                let rules = program.patterns().ids();
                left_out.extend(
                    rules.filter(|&rule| names.iter().any(|name| *name == program.pattern_name(rule))),
                );
            }
        }
    }

    /// Leaves out the rules that call natives that are not registered. Returns the names of these rules, and the
    /// natives.
    fn leave_out_missing(
        &mut self,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
    ) -> Result<(Vec<String>, Vec<MissingNative>), Diagnostics> {
        match self {
            SideRules::Rules(rules) => remove_missing(rules, host, natives),
            SideRules::Program { program, left_out } => {
                let options = LinkOptions { allow_missing: true, left_out: left_out.clone() };
                let matcher = Matcher::link(program.clone(), host, natives, &options)?;
                let dropped: Vec<PatternId> =
                    matcher.dropped().filter(|rule| !left_out.contains(rule)).collect();
                let names = dropped.iter().map(|&rule| program.pattern_name(rule).to_owned()).collect();
                left_out.extend(dropped);
                Ok((names, matcher.missing().to_vec()))
            }
        }
    }

    pub(super) fn link(
        &self,
        session: &Session,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
    ) -> Result<Arc<Matcher<IrHost>>, Failed> {
        let (program, left_out) = match self {
            SideRules::Rules(rules) => {
                (Arc::new(compile::program(rules).map_err(|e| session.fail(e))?), Vec::new())
            }
            SideRules::Program { program, left_out } => (program.clone(), left_out.clone()),
        };
        Matcher::link(program, host, natives, &LinkOptions { left_out, ..LinkOptions::default() })
            .map(Arc::new)
            .map_err(|error| session.fail_to_link(&error))
    }
}

/// Loads the rules of one side.
pub(super) fn load(session: &mut Session, path: &Path, args: &EquivArgs) -> Result<SideRules, Failed> {
    let options = Options { skip_rejected: args.select.skip_rejected, ..args.tablegen.options() };
    let files = [path.to_owned()];
    if compile::is_program(path) {
        let compiled = compile::compiled(&mut session.sources, &files, &options);
        let Compiled { program, left_out, .. } = session.settle(compiled)?;
        return Ok(SideRules::Program { program: Arc::new(program), left_out });
    }
    let rules = compile::rules(&mut session.sources, &files, &options);
    session.settle(rules).map(|rules| SideRules::Rules(Box::new(rules)))
}

/// Applies `--enable` and `--disable`. Each name must exist on at least one side.
pub(super) fn select(session: &Session, args: &EquivArgs, sides: &mut [SideRules]) -> Result<(), Failed> {
    let select = &args.select;
    let mut unknown = Diagnostics::default();
    for name in select.enable.iter().chain(&select.disable) {
        if !sides.iter().any(|side| side.has_rule(name)) {
            unknown.push(error::unknown_on_both(name, sides.iter().flat_map(SideRules::names)));
        }
    }
    session.report(unknown)?;
    for side in sides {
        let existing =
            |names: &[String]| names.iter().filter(|name| side.has_rule(name)).cloned().collect::<Vec<_>>();
        let (enable, disable) = (existing(&select.enable), existing(&select.disable));
        if enable.is_empty() && !select.enable.is_empty() {
            match side {
                SideRules::Rules(rules) => rules.patterns = [].into_iter().collect(),
                SideRules::Program { program, left_out } => *left_out = program.patterns().ids().collect(),
            }
        } else if let Err(errors) = side.select(&enable, &disable) {
            return Err(session.fail(errors));
        }
    }
    Ok(())
}

/// Leaves out the rules that call unregistered natives on either side, and rules with the same names on the other.
/// Returns true if there are such rules and the command line does not allow that.
pub(super) fn leave_out_missing_natives(
    session: &Session,
    args: &EquivArgs,
    natives: &Natives<IrHost>,
    host: &mut IrHost,
    sides: &mut [SideRules],
) -> Result<bool, Failed> {
    let mut dropped = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for side in &mut *sides {
        let (names, missing) = side.leave_out_missing(host, natives).map_err(|e| session.fail(e))?;
        diagnostics.extend(session.missing_natives(&missing));
        dropped.extend(names);
    }
    dropped.sort();
    dropped.dedup();
    if dropped.is_empty() {
        return Ok(false);
    }
    sides.iter_mut().for_each(|side| side.leave_out(&dropped));
    if !args.allow_missing_natives {
        let _ = session.report(diagnostics);
    }
    session.report(error::left_out_on_both(&dropped).into())?;
    Ok(!args.allow_missing_natives)
}

/// Removes the rules of a set that call natives that are not registered. Returns their names, and the natives.
///
/// # Errors
/// Fails if the rules do not compile.
fn remove_missing(
    rules: &mut RuleSet,
    host: &mut IrHost,
    natives: &Natives<IrHost>,
) -> Result<(Vec<String>, Vec<MissingNative>), Diagnostics> {
    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher = Matcher::link(Arc::new(compile::program(rules)?), host, natives, &options)?;
    let dropped: HashSet<PatternId> = matcher.dropped().collect();
    let name = |id: &PatternId| rules.strings[rules.patterns[*id].name].to_owned();
    let names = rules.patterns.ids().filter(|id| dropped.contains(id)).map(|id| name(&id)).collect();
    let missing = matcher.missing().to_vec();
    let kept = rules.patterns.iter_enumerated().filter(|(id, _)| !dropped.contains(id));
    rules.patterns = kept.map(|(_, pattern)| pattern.clone()).collect();
    Ok((names, missing))
}

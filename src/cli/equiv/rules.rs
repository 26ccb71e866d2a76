//! The rules of each side, without the rules that are deselected or cannot run.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashSet;

use super::args::EquivArgs;
use crate::bytecode::Program;
use crate::cli::error;
use crate::cli::exit::Failed;
use crate::cli::session::Session;
use crate::compile::{self, Compiled, Loaded, Options};
use crate::equivalence::{self, SideOps};
use crate::frontend::load::Unselected;
use crate::host::Natives;
use crate::ir::IrHost;
use crate::pdl::{MissingNative, PatternId, RuleSet};
use crate::source::Diagnostics;
use crate::vm::{LinkOptions, Matcher};

/// The rules of one side.
pub(super) enum SideRules {
    Rules(Box<RuleSet>),
    /// A compiled program, and the rules that are left out.
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

    /// For each rule in [`Self::rule_set`], its id in the program. The rule set lacks the rules that are left out.
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
    /// missing natives.
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

/// The rules of one side before their selection.
enum Read {
    Rules(Box<Unselected>),
    Program(Arc<Program>),
}

impl Read {
    fn new(session: &mut Session, path: &Path, options: &Options) -> Result<Self, Failed> {
        let files = [path.to_owned()];
        if !compile::is_program(path) {
            let rules = Unselected::read(&mut session.sources, &files, options);
            return Ok(Read::Rules(Box::new(rules)));
        }
        let compiled = compile::compiled(&mut session.sources, &files, &Options::default());
        let Compiled { program, .. } = session.settle(compiled)?;
        Ok(Read::Program(Arc::new(program)))
    }

    /// The names and labels of the rules.
    fn names(&self) -> Vec<&str> {
        match self {
            Read::Rules(rules) => rules.names().collect(),
            Read::Program(program) => {
                let rules = program.patterns().ids();
                rules
                    .flat_map(|rule| std::iter::once(program.pattern_name(rule)).chain(program.labels(rule)))
                    .collect()
            }
        }
    }

    /// Selects rules. Names that no rule of this side has are ignored.
    fn select(self, session: &Session, options: &Options) -> Result<SideRules, Failed> {
        let existing = |wanted: &[String], names: &[&str]| -> Vec<String> {
            wanted.iter().filter(|name| names.contains(&name.as_str())).cloned().collect()
        };
        let names = self.names();
        let (enable, disable) = (existing(&options.enable, &names), existing(&options.disable, &names));
        match self {
            Read::Rules(rules) => {
                let (rules, Loaded { diagnostics, .. }) = rules.select(&session.sources, options);
                session.report(diagnostics)?;
                Ok(SideRules::Rules(Box::new(rules)))
            }
            Read::Program(program) => {
                let left_out = if enable.is_empty() && !options.enable.is_empty() {
                    program.patterns().ids().collect()
                } else {
                    program.unselected(&enable, &disable).map_err(|errors| session.fail(errors))?
                };
                Ok(SideRules::Program { program, left_out })
            }
        }
    }
}

/// Loads the rules of both sides that `--enable`, `--disable` and `--skip-rejected` select. Each name in `--enable` and
/// `--disable` must exist on at least one side.
pub(super) fn load(session: &mut Session, args: &EquivArgs) -> Result<Vec<SideRules>, Failed> {
    let options = args.select.options(&args.tablegen);
    let mut sides = Vec::new();
    for path in std::iter::once(&args.a).chain(&args.b) {
        sides.push(Read::new(session, path, &options)?);
    }
    let mut unknown = Diagnostics::default();
    let names: Vec<&str> = sides.iter().flat_map(Read::names).collect();
    for name in options.enable.iter().chain(&options.disable) {
        if !names.contains(&name.as_str()) {
            unknown.push(error::unknown_on_both(name, names.iter().copied()));
        }
    }
    // The errors of both sides are reported.
    let selected: Vec<Result<SideRules, Failed>> =
        sides.into_iter().map(|side| side.select(session, &options)).collect();
    let selected = selected.into_iter().collect::<Result<_, _>>()?;
    session.report(unknown)?;
    Ok(selected)
}

/// Leaves out each rule that calls an unregistered native. If such a rule has a name, all rules of both sides with this
/// name are also left out. Returns true if rules are left out and the command line does not allow that.
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
    let named: Vec<String> = dropped.iter().filter(|name| !name.is_empty()).cloned().collect();
    sides.iter_mut().for_each(|side| side.leave_out(&named));
    if !args.allow_missing_natives {
        let _ = session.report(diagnostics);
    }
    session.report(error::left_out_on_both(&dropped).into())?;
    Ok(!args.allow_missing_natives)
}

/// Removes the rules of a set that call natives that are not registered. Returns the names of these rules, and the
/// missing natives.
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

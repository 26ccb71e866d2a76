//! What is compared: rule files or compiled programs, less what is not asked for or cannot run.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashSet;

use super::EquivArgs;
use crate::bytecode::Program;
use crate::cli::session::Session;
use crate::cli::{Failed, error};
use crate::compile::{self, Compiled};
use crate::equivalence;
use crate::host::Natives;
use crate::id::Id;
use crate::intern::{Interner, StrId};
use crate::ir::IrHost;
use crate::pdl::{MissingNative, OpDef, OpTable, PatternId, RuleSet};
use crate::source::Diagnostics;
use crate::vm::{LinkOptions, Matcher};

/// What a side is given as.
pub(super) enum Given {
    Rules(Box<RuleSet>),
    /// A compiled program, less some of its rules.
    Program {
        program: Arc<Program>,
        left_out: Vec<PatternId>,
    },
}

impl Given {
    /// The rules, if their form is known.
    pub(super) fn rules(&self) -> Option<&RuleSet> {
        match self {
            Given::Rules(rules) => Some(rules),
            Given::Program { .. } => None,
        }
    }

    /// The rules in the form that IR is made for.
    pub(super) fn form(&self) -> Cow<'_, RuleSet> {
        match self {
            Given::Rules(rules) => Cow::Borrowed(rules),
            Given::Program { program, left_out } => Cow::Owned(equivalence::raise(program, left_out)),
        }
    }

    /// What rules of [`Self::form`] are in what runs: rules that are left out have no form.
    pub(super) fn ids_of(&self, rules: &[PatternId]) -> Vec<PatternId> {
        match self {
            Given::Rules(_) => rules.to_vec(),
            Given::Program { program, left_out } => {
                let kept: Vec<PatternId> =
                    program.patterns().ids().filter(|rule| !left_out.contains(rule)).collect();
                rules.iter().filter_map(|rule| kept.get(rule.index()).copied()).collect()
            }
        }
    }

    pub(super) fn known_ops(&mut self) -> KnownOps<'_> {
        match self {
            Given::Rules(rules) => (&mut **rules).into(),
            Given::Program { program, .. } => Arc::make_mut(program).into(),
        }
    }

    /// Whether a name or label is one of a rule's.
    fn knows(&self, name: &String) -> bool {
        let name = std::slice::from_ref(name);
        match self {
            Given::Rules(rules) => rules.unselected(name, &[]).is_ok(),
            Given::Program { program, .. } => program.unselected(name, &[]).is_ok(),
        }
    }

    /// Keeps the rules that are asked for by names that are known.
    fn select(&mut self, enable: &[String], disable: &[String]) -> Result<(), Diagnostics> {
        match self {
            Given::Rules(rules) => rules.select(enable, disable),
            Given::Program { program, left_out } => {
                *left_out = program.unselected(enable, disable)?;
                Ok(())
            }
        }
    }

    /// Keeps the rules whose names are not among these.
    fn leave_out(&mut self, names: &[String]) {
        match self {
            Given::Rules(rules) => {
                let strings = &rules.strings;
                let kept = rules.patterns.iter();
                let kept = kept.filter(|rule| names.iter().all(|name| *name != strings[rule.name]));
                rules.patterns = kept.cloned().collect();
            }
            Given::Program { program, left_out } => {
                let rules = program.patterns().ids();
                left_out.extend(
                    rules.filter(|&rule| names.iter().any(|name| *name == program.pattern_name(rule))),
                );
            }
        }
    }

    /// Leaves out the rules that call natives nobody registered; their names, and what is missing.
    fn without_missing(
        &mut self,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
    ) -> Result<(Vec<String>, Vec<MissingNative>), Diagnostics> {
        match self {
            Given::Rules(rules) => drop_unlinked(rules, host, natives),
            Given::Program { program, left_out } => {
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
            Given::Rules(rules) => {
                (Arc::new(compile::program(rules).map_err(|e| session.fail(e))?), Vec::new())
            }
            Given::Program { program, left_out } => (program.clone(), left_out.clone()),
        };
        Matcher::link(program, host, natives, &LinkOptions { left_out, ..LinkOptions::default() })
            .map(Arc::new)
            .map_err(|e| session.fail(e.diagnostics()))
    }
}

/// What one side is.
pub(super) fn load(session: &mut Session, path: &Path, args: &EquivArgs) -> Result<Given, Failed> {
    let options = args.tablegen.options();
    let files = [path.to_owned()];
    if compile::is_program(path) {
        let compiled = compile::compiled(&mut session.sources, &files, &options);
        let Compiled { program, left_out, .. } = session.settle(compiled)?;
        return Ok(Given::Program { program: Arc::new(program), left_out });
    }
    let rules = compile::rules(&mut session.sources, &files, &options);
    session.settle(rules).map(|rules| Given::Rules(Box::new(rules)))
}

/// Applies `--enable` and `--disable`; a name has to be known on one side at least.
pub(super) fn select(session: &Session, args: &EquivArgs, given: &mut [Given]) -> Result<(), Failed> {
    let select = &args.select;
    let mut unknown = Diagnostics::default();
    for name in select.enable.iter().chain(&select.disable) {
        if !given.iter().any(|given| given.knows(name)) {
            unknown.push(error::unknown_on_both(name));
        }
    }
    session.report(unknown)?;
    for given in given {
        let known =
            |names: &[String]| names.iter().filter(|name| given.knows(name)).cloned().collect::<Vec<_>>();
        let (enable, disable) = (known(&select.enable), known(&select.disable));
        if enable.is_empty() && !select.enable.is_empty() {
            match given {
                Given::Rules(rules) => rules.patterns = [].into_iter().collect(),
                Given::Program { program, left_out } => *left_out = program.patterns().ids().collect(),
            }
        } else if let Err(errors) = given.select(&enable, &disable) {
            return Err(session.fail(errors));
        }
    }
    Ok(())
}

/// Leaves out rules whose natives are missing on one side, and rules of the same names on the other; whether
/// that was not allowed.
pub(super) fn without_natives(
    session: &Session,
    args: &EquivArgs,
    natives: &Natives<IrHost>,
    host: &mut IrHost,
    given: &mut [Given],
) -> Result<bool, Failed> {
    let mut dropped = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for given in &mut *given {
        let (names, missing) = given.without_missing(host, natives).map_err(|e| session.fail(e))?;
        missing.iter().for_each(|native| diagnostics.push(native.diagnostic()));
        dropped.extend(names);
    }
    dropped.sort();
    dropped.dedup();
    if dropped.is_empty() {
        return Ok(false);
    }
    given.iter_mut().for_each(|given| given.leave_out(&dropped));
    if !args.allow_missing_natives {
        let _ = session.report(diagnostics);
    }
    session.report(error::left_out_on_both(&dropped).into())?;
    Ok(!args.allow_missing_natives)
}

/// Drops the rules of a set that call natives nobody registered; gives what is missing.
///
/// # Errors
/// The rules do not compile.
fn drop_unlinked(
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

/// What one side knows of operations.
pub(super) struct KnownOps<'a> {
    ops: &'a mut OpTable,
    strings: &'a mut Interner,
    mentioned: HashSet<StrId>,
}

impl<'a> From<&'a mut RuleSet> for KnownOps<'a> {
    fn from(rules: &'a mut RuleSet) -> Self {
        let mentioned = rules.mentioned_ops().into_iter().collect();
        Self { ops: &mut rules.ops, strings: &mut rules.strings, mentioned }
    }
}

impl<'a> From<&'a mut Program> for KnownOps<'a> {
    fn from(program: &'a mut Program) -> Self {
        let mentioned = program.op_names.iter().copied().collect();
        Self { ops: &mut program.ops, strings: &mut program.strings, mentioned }
    }
}

/// Tells each side what the other knows of effects and constants, so that drivers treat both alike: an
/// operation is what it is, whichever file describes it.
pub(super) fn share_traits(mut a: KnownOps<'_>, mut b: KnownOps<'_>) {
    let (from_a, from_b) = (a.traits(), b.traits());
    a.adopt(from_b);
    b.adopt(from_a);
}

impl KnownOps<'_> {
    fn traits(&self) -> Vec<(String, OpDef)> {
        self.ops.iter().map(|op| (self.strings[op.name].to_owned(), op.clone())).collect()
    }

    fn adopt(&mut self, known: Vec<(String, OpDef)>) {
        for (name, def) in known {
            let name = self.strings.intern(&name);
            if self.ops.find(name).is_some() || !self.mentioned.contains(&name) {
                continue;
            }
            // What the definition says of operands and attributes stays with the side that has it: its
            // constraints are expressions of that side.
            self.ops.insert(OpDef { traits: def.traits, span: def.span, ..OpDef::new(name) });
        }
    }
}

//! One of two things that are compared: a rule set and the engine that runs it.

use std::sync::Arc;

use hashbrown::HashSet;

use crate::bytecode::Program;
use crate::host::{Entity, Natives, NoListener};
use crate::id::Id;
use crate::intern::{Interner, StrId};
use crate::ir::{IrHost, OpId};
use crate::matcher_tree;
use crate::pdl::{MissingNative, OpDef, OpTable, PatternId, RuleSet};
use crate::rewrite::{self, Report};
use crate::source::Diagnostics;
use crate::vm::{Engine, LinkOptions, Matcher};

/// Most matches that are looked at for one operation.
const MATCHES: usize = 1_000;

/// A match: the rule, and what its nodes are.
pub(super) type Found = (PatternId, Vec<Entity<IrHost>>);

/// What matches at an operation, in order.
pub(super) type FoundAt = (OpId, Vec<Found>);

/// What matches in a module: at each operation, in order.
pub(super) type Matches = Vec<FoundAt>;

/// Rules and the engine that runs them.
pub struct Side<'e> {
    engine: Box<dyn AnyEngine + 'e>,
}

impl<'e> Side<'e> {
    /// The rules of this engine.
    pub fn new<E: Engine<IrHost>>(engine: &'e E) -> Self {
        Self { engine: Box::new(Runner(engine)) }
    }

    /// The rules, compiled.
    pub fn program(&self) -> &Program {
        self.engine.program()
    }

    /// What a rule is called.
    pub fn rule_name(&self, rule: PatternId) -> &str {
        let program = self.program();
        program.patterns().get(rule).map_or("?", |_| program.pattern_name(rule))
    }

    /// Rewrites a module to the fixed point.
    pub(super) fn rewrite(&self, host: &mut IrHost, max_rewrites: u64) -> Report {
        self.engine.rewrite(host, max_rewrites)
    }

    /// Tries the rules once on each operation.
    pub(super) fn walk(&self, host: &mut IrHost) -> Report {
        self.engine.walk(host)
    }

    /// What matches in a module; then, so many times as long as something does, a rule is applied and all is
    /// looked at again. What the engine remembers is kept throughout.
    pub(super) fn matches(&self, host: &mut IrHost, rewrites: usize) -> Vec<Matches> {
        self.engine.matches(host, rewrites)
    }
}

/// An engine, whatever its cache.
trait AnyEngine: Send + Sync {
    fn program(&self) -> &Program;
    fn rewrite(&self, host: &mut IrHost, max_rewrites: u64) -> Report;
    fn walk(&self, host: &mut IrHost) -> Report;
    fn matches(&self, host: &mut IrHost, rewrites: usize) -> Vec<Matches>;
}

struct Runner<'e, E>(&'e E);

impl<E: Engine<IrHost>> AnyEngine for Runner<'_, E> {
    fn program(&self) -> &Program {
        self.0.program()
    }

    fn rewrite(&self, host: &mut IrHost, max_rewrites: u64) -> Report {
        let root = host.module.top();
        let config = rewrite::Config::default().max_rewrites(Some(max_rewrites));
        rewrite::apply_greedily(host, root, self.0, &config, &mut NoListener)
    }

    fn walk(&self, host: &mut IrHost) -> Report {
        let root = host.module.top();
        rewrite::apply_in_walk(host, root, self.0, &mut NoListener)
    }

    fn matches(&self, host: &mut IrHost, rewrites: usize) -> Vec<Matches> {
        let mut cache = self.0.cache();
        let mut all = vec![self.matches_now(host, &mut cache)];
        for _ in 0..rewrites {
            let matched = all.last().into_iter().flatten().rfind(|(_, found)| !found.is_empty());
            let Some(&(op, _)) = matched else { break };
            if self.0.apply(host, op, &mut cache, &mut NoListener).applied.is_none() {
                break;
            }
            all.push(self.matches_now(host, &mut cache));
        }
        all
    }
}

impl<E: Engine<IrHost>> Runner<'_, E> {
    fn matches_now(&self, host: &IrHost, cache: &mut E::Cache) -> Matches {
        let ops = host.module.preorder(host.module.top());
        ops.map(|op| (op, self.matches_at(host, op, cache))).collect()
    }

    fn matches_at(&self, host: &IrHost, op: OpId, cache: &mut E::Cache) -> Vec<Found> {
        let mut found = Vec::new();
        let mut matched = self.0.match_first(host, op, cache);
        while let Some(pattern) = matched {
            let nodes = self.0.program().nodes(pattern);
            let bindings = nodes.filter_map(|node| self.0.binding(host, cache, node));
            found.push((pattern, bindings.collect()));
            if found.len() == MATCHES {
                break;
            }
            matched = self.0.next_match(host, cache);
        }
        found
    }
}

/// Drops the rules of a set that call natives nobody registered; gives what is missing.
///
/// # Errors
/// The rules do not compile.
pub fn drop_unlinked(
    rules: &mut RuleSet,
    host: &mut IrHost,
    natives: &Natives<IrHost>,
) -> Result<(Vec<String>, Vec<MissingNative>), Diagnostics> {
    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher = Matcher::link(compiled(rules)?, host, natives, &options)?;
    let dropped: HashSet<PatternId> = matcher.dropped().collect();
    let name = |id: &PatternId| rules.strings[rules.patterns[*id].name].to_owned();
    let names = rules.patterns.ids().filter(|id| dropped.contains(id)).map(|id| name(&id)).collect();
    let missing = matcher.missing().to_vec();
    let kept = rules.patterns.iter_enumerated().filter(|(id, _)| !dropped.contains(id));
    rules.patterns = kept.map(|(_, pattern)| pattern.clone()).collect();
    Ok((names, missing))
}

/// The program of a rule set.
///
/// # Errors
/// The rules do not compile.
pub(super) fn compiled(rules: &RuleSet) -> Result<Arc<Program>, Diagnostics> {
    let tree = matcher_tree::build(rules, &matcher_tree::Config::default())?;
    crate::bytecode::compile(rules, &tree).map(Arc::new)
}

/// What one side knows of operations.
pub struct KnownOps<'a> {
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
pub fn share_traits(mut a: KnownOps<'_>, mut b: KnownOps<'_>) {
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

/// Adds the counts of a report, rule by rule.
pub(super) fn add_counts(total: &mut [u64], counts: &[u64]) {
    total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
}

/// Counts by rule, those that are not zero.
pub(super) fn nonzero(counts: &[u64]) -> Vec<(PatternId, u64)> {
    let counts = counts.iter().copied().enumerate().filter(|&(_, count)| count > 0);
    counts.filter_map(|(index, count)| Some((PatternId::try_from_index(index)?, count))).collect()
}

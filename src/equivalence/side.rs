//! One of two things that are compared: a rule set and the engine that runs it.

use crate::bytecode::Program;
use crate::host::{Entity, NoListener};
use crate::id::Id;
use crate::ir::{IrHost, OpId};
use crate::pdl::PatternId;
use crate::rewrite::{self, Report};
use crate::vm::Engine;

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

/// Adds the counts of a report, rule by rule.
pub(super) fn add_counts(total: &mut [u64], counts: &[u64]) {
    total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
}

/// Counts by rule, those that are not zero.
pub(super) fn nonzero(counts: &[u64]) -> Vec<(PatternId, u64)> {
    let counts = counts.iter().copied().enumerate().filter(|&(_, count)| count > 0);
    counts.filter_map(|(index, count)| Some((PatternId::try_from_index(index)?, count))).collect()
}

//! One side of a comparison: a rule set and the engine that runs it.

use crate::bytecode::Program;
use crate::host::{Entity, NoListener};
use crate::id::Id;
use crate::ir::{IrHost, OpId};
use crate::pdl::PatternId;
use crate::rewrite::{self, Report};
use crate::snippet::ExhaustedSnippets;
use crate::vm::Engine;

/// The maximum number of matches at one operation that are compared.
const MATCHES: usize = 1_000;

/// A match: the rule, and the bindings of its nodes.
pub(super) type Match = (PatternId, Vec<Entity<IrHost>>);

/// The matches at an operation, in order.
pub(super) type OpMatches = (OpId, Vec<Match>);

/// The matches at each operation of a module.
pub(super) type Matches = Vec<OpMatches>;

/// A linked program and the engine that runs it.
pub struct Side<'e> {
    engine: Box<dyn AnyEngine + 'e>,
}

impl<'e> Side<'e> {
    /// A side that an engine runs.
    pub fn new<E: Engine<IrHost>>(engine: &'e E) -> Self {
        Self { engine: Box::new(Runner(engine)) }
    }

    /// The compiled rules.
    pub fn program(&self) -> &Program {
        self.engine.program()
    }

    /// The name of a rule.
    pub fn rule_name(&self, rule: PatternId) -> &str {
        let program = self.program();
        program.patterns().get(rule).map_or("?", |_| program.pattern_name(rule))
    }

    /// The snippets that have exceeded the budget of an evaluation so far.
    pub(super) fn exhausted(&self) -> &ExhaustedSnippets {
        self.engine.exhausted()
    }

    /// Rewrites a module with the greedy driver.
    pub(super) fn rewrite(&self, host: &mut IrHost, max_rewrites: u64) -> Report {
        self.engine.rewrite(host, max_rewrites)
    }

    /// Tries the rules once on each operation.
    pub(super) fn walk(&self, host: &mut IrHost) -> Report {
        self.engine.walk(host)
    }

    /// Finds the matches in the initial module, and again after each of up to `rewrites` rewrites. All searches use one
    /// cache of the engine.
    pub(super) fn matches(&self, host: &mut IrHost, rewrites: usize) -> Vec<Matches> {
        self.engine.matches(host, rewrites)
    }
}

/// An [`Engine`] without its cache type.
trait AnyEngine: Send + Sync {
    fn program(&self) -> &Program;
    fn exhausted(&self) -> &ExhaustedSnippets;
    fn rewrite(&self, host: &mut IrHost, max_rewrites: u64) -> Report;
    fn walk(&self, host: &mut IrHost) -> Report;
    fn matches(&self, host: &mut IrHost, rewrites: usize) -> Vec<Matches>;
}

struct Runner<'e, E>(&'e E);

impl<E: Engine<IrHost>> AnyEngine for Runner<'_, E> {
    fn program(&self) -> &Program {
        self.0.program()
    }

    fn exhausted(&self) -> &ExhaustedSnippets {
        self.0.matcher().exhausted()
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

    fn matches_at(&self, host: &IrHost, op: OpId, cache: &mut E::Cache) -> Vec<Match> {
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

/// Adds counts by rule to a total.
pub(super) fn add_counts(total: &mut [u64], counts: &[u64]) {
    total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
}

/// The rules with a count other than zero.
pub(super) fn nonzero(counts: &[u64]) -> Vec<(PatternId, u64)> {
    let counts = counts.iter().copied().enumerate().filter(|&(_, count)| count > 0);
    counts.filter_map(|(index, count)| Some((PatternId::try_from_index(index)?, count))).collect()
}

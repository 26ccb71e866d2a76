//! An engine that takes the benefits of rules from a cost model.
//!
//! Specification: the engine finds the matches that the inner engine would find if the rules had the benefits of the
//! model, in the same order and with the same bindings. Rules that the model drops never match.
//!
//! The model is called once for each rule. Among rules of equal benefit, rules with a root name come before rules for
//! any operation, and then the order of the rule list decides. Method: if the model does not change the order of the
//! rules, matches are found lazily, as without a model. Otherwise the first call at an operation lists and sorts all
//! matches, and each match is found again by its number when it is requested. A native constraint must therefore give
//! the same answer in each search.
//!
//! Source: MLIR's `PatternApplicator::applyCostModel`.

use std::cmp::Reverse;

use super::forward::forward_engine;
use crate::host::{Facets, Listener, forward_listener};
use crate::id::IdVec;
use crate::pdl::PatternId;
use crate::vm::engine::{Engine, sealed::Sealed};
use crate::vm::tree::Matcher;

/// The position of a rule in the order of matches; smaller is earlier.
type Rank = (Reverse<u16>, bool, PatternId);

/// An engine with a cost model; see [`Matcher::with_cost_model`].
pub struct CostModel<E> {
    engine: E,
    /// `None` for a dropped rule.
    ranks: IdVec<PatternId, Option<Rank>>,
    /// True if the engine itself finds rules in another order, so that matches must be sorted.
    sorts: bool,
}

/// The memory of one thread for a [`CostModel`] engine.
pub struct CostModelCache<H: Facets, C> {
    cache: C,
    root: Option<H::Op>,
    /// The matches that were not returned yet, the next one last. Each has its number among all matches.
    rest: Vec<(Rank, usize)>,
}

impl<H: Facets> Matcher<H> {
    /// This matcher with the benefits that `cost` returns. `cost` is called once for each rule; `None` drops the rule.
    ///
    /// Matching takes no extra time if the order of the rules does not change. Otherwise all matches at an operation
    /// are found before the first is returned.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use drrvm::host::Natives;
    /// use drrvm::vm::{Engine, LinkOptions, Matcher};
    /// # use drrvm::ir::{Context, IrHost, Module, OpSpec};
    /// # use drrvm::{compile, pdl::RuleSet};
    /// # let mut rules = RuleSet::default();
    /// # for (name, benefit) in [("cheap", 1), ("dear", 2)] {
    /// #     let mut rule = rules.pattern(name, benefit);
    /// #     let root = rule.op("t.op").matched();
    /// #     rule.erase(root);
    /// #     rule.finish()?;
    /// # }
    /// # let program = Arc::new(compile::program(&rules)?);
    /// # let mut context = Context::new();
    /// # let module = Module::new(&mut context);
    /// # let mut host = IrHost::new(context, module);
    /// let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
    /// let program = matcher.program();
    /// let names: Vec<_> = program.patterns().ids().map(|rule| program.pattern_name(rule)).collect();
    /// assert_eq!(names, ["cheap", "dear"]);
    /// let cheap = matcher.program().patterns().ids().next();
    /// let engine = matcher.with_cost_model(|rule| Some(if Some(rule) == cheap { 10 } else { 1 }));
    /// # use drrvm::host::Bind;
    /// # let name = host.bind_op_name("t.op");
    /// # let op = host.module.create(&OpSpec::new(name));
    /// assert_eq!(engine.match_first(&host, op, &mut engine.cache()), cheap);
    /// # Ok::<(), drrvm::source::Diagnostics>(())
    /// ```
    pub fn with_cost_model(self, cost: impl FnMut(PatternId) -> Option<u16>) -> CostModel<Self> {
        CostModel::new(self, cost)
    }
}

impl<E> CostModel<E> {
    /// Wraps any engine; see [`Matcher::with_cost_model`]. The program of the engine still has the benefits of the
    /// source.
    pub fn new<H: Facets>(engine: E, mut cost: impl FnMut(PatternId) -> Option<u16>) -> Self
    where
        E: Engine<H>,
    {
        let mut ranks = IdVec::default();
        let mut kept: Vec<Rank> = Vec::new();
        for (rule, info) in engine.program().patterns.iter_enumerated() {
            let any = info.any;
            let rank = cost(rule).map(|benefit| (Reverse(benefit), any, rule));
            kept.extend(rank.map(|_| (Reverse(info.benefit), any, rule)));
            ranks.push(rank);
        }
        kept.sort_unstable();
        let sorts = !kept.is_sorted_by_key(|&(.., rule)| ranks[rule]);
        Self { engine, ranks, sorts }
    }

    /// The rules that the model dropped.
    pub fn dropped(&self) -> impl Iterator<Item = PatternId> {
        self.ranks.iter_enumerated().filter(|(_, rank)| rank.is_none()).map(|(rule, _)| rule)
    }

    /// The first match, from `found` on, of a rule that is not dropped.
    fn kept<H: Facets>(&self, host: &H, cache: &mut E::Cache, found: Option<PatternId>) -> Option<PatternId>
    where
        E: Engine<H>,
    {
        let mut rule = found?;
        while self.ranks[rule].is_none() {
            rule = self.engine.next_match(host, cache)?;
        }
        Some(rule)
    }

    /// Finds the next listed match again.
    fn find<H: Facets>(&self, host: &H, cache: &mut CostModelCache<H, E::Cache>) -> Option<PatternId>
    where
        E: Engine<H>,
    {
        let ((.., rule), number) = cache.rest.pop()?;
        let mut found = self.engine.match_first(host, cache.root?, &mut cache.cache);
        for _ in 0..number {
            found = self.engine.next_match(host, &mut cache.cache);
        }
        found.filter(|&found| found == rule)
    }
}

impl<E> Sealed for CostModel<E> {}

impl<H: Facets, E: Engine<H>> Engine<H> for CostModel<E> {
    type Cache = CostModelCache<H, E::Cache>;

    forward_engine!(
        H; |this, cache| &this.engine, &mut cache.cache;
        matcher, binding, rewrite, acknowledge_changes
    );

    fn cache(&self) -> Self::Cache {
        CostModelCache { cache: self.engine.cache(), root: None, rest: Vec::new() }
    }

    fn match_first(&self, host: &H, op: H::Op, cache: &mut Self::Cache) -> Option<PatternId> {
        let mut found = self.engine.match_first(host, op, &mut cache.cache);
        if !self.sorts {
            return self.kept(host, &mut cache.cache, found);
        }
        cache.root = Some(op);
        cache.rest.clear();
        for number in 0.. {
            let Some(rule) = found else { break };
            cache.rest.extend(self.ranks[rule].map(|rank| (rank, number)));
            found = self.engine.next_match(host, &mut cache.cache);
        }
        cache.rest.sort_unstable_by(|one, other| other.cmp(one));
        self.find(host, cache)
    }

    fn next_match(&self, host: &H, cache: &mut Self::Cache) -> Option<PatternId> {
        if self.sorts {
            return self.find(host, cache);
        }
        let found = self.engine.next_match(host, &mut cache.cache);
        self.kept(host, &mut cache.cache, found)
    }
}

impl<H: Facets, C: Listener<H>> Listener<H> for CostModelCache<H, C> {
    forward_listener!(H; |this| this.cache);
}

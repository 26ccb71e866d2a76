//! An engine whose rules have other benefits than they were written with.
//!
//! Specification: finds, in the same order and with the same bindings, what the engine would find in the rules
//! with the benefits that a cost model gives them, without those that it drops.
//!
//! An engine goes in, and a model, asked once for each rule. Among equals, rules with a root name come before
//! rules for any operation, then the rule list decides, as ever. Method: if the model keeps the order in which the
//! engine finds rules, they are found lazily, as without it. If not, all matches at an operation are listed
//! when the first is asked for, sorted, and each is found again, by its number, when its turn comes: a native
//! constraint must give the same answer again.
//!
//! Source: MLIR's `PatternApplicator::applyCostModel`.

use std::cmp::Reverse;

use super::engine::sealed::Sealed;
use super::{Engine, Matcher};
use crate::host::{Entity, Facets, IrMut, Listener, Refusal, forward_listener};
use crate::id::IdVec;
use crate::pdl::{NodeId, PatternId};

/// Where a rule comes among those that match; less is earlier.
type Rank = (Reverse<u16>, bool, PatternId);

/// An engine with a cost model; see [`Matcher::with_cost_model`].
pub struct Costed<E> {
    engine: E,
    /// `None`: the rule is dropped.
    ranks: IdVec<PatternId, Option<Rank>>,
    /// Whether the engine itself finds rules in another order.
    sorts: bool,
}

/// What one thread keeps for a [`Costed`] engine.
pub struct CostedCache<H: Facets, C> {
    cache: C,
    root: Option<H::Op>,
    /// The matches that are still to come, the next one last, each with its number among all.
    rest: Vec<(Rank, usize)>,
}

impl<H: Facets> Matcher<H> {
    /// This matcher with other benefits: `cost` is asked once for each rule, `None` drops it.
    ///
    /// Costs nothing while matching if the order of the rules stays as it was; see [`Costed`] if not.
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
    /// let names: Vec<_> = matcher.program().patterns().ids().map(|rule| matcher.program().pattern_name(rule)).collect();
    /// assert_eq!(names, ["cheap", "dear"]);
    /// let cheap = matcher.program().patterns().ids().next();
    /// let engine = matcher.with_cost_model(|rule| Some(if Some(rule) == cheap { 10 } else { 1 }));
    /// # use drrvm::host::Bind;
    /// # let name = host.bind_op_name("t.op");
    /// # let op = host.module.create(&OpSpec::new(name));
    /// assert_eq!(engine.match_first(&host, op, &mut engine.cache()), cheap);
    /// # Ok::<(), drrvm::source::Diagnostics>(())
    /// ```
    pub fn with_cost_model(self, cost: impl FnMut(PatternId) -> Option<u16>) -> Costed<Self> {
        Costed::new(self, cost)
    }
}

impl<E> Costed<E> {
    /// As [`Matcher::with_cost_model`], for any engine. Its program stays as it is: the benefits that it
    /// states are those of the source.
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

    /// From a match on, the first one of a rule that is not dropped.
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

    /// Finds the next of the listed matches again.
    fn find<H: Facets>(&self, host: &H, cache: &mut CostedCache<H, E::Cache>) -> Option<PatternId>
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

impl<E> Sealed for Costed<E> {}

impl<H: Facets, E: Engine<H>> Engine<H> for Costed<E> {
    type Cache = CostedCache<H, E::Cache>;

    fn matcher(&self) -> &Matcher<H> {
        self.engine.matcher()
    }

    fn cache(&self) -> Self::Cache {
        CostedCache { cache: self.engine.cache(), root: None, rest: Vec::new() }
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

    fn binding(&self, host: &H, cache: &mut Self::Cache, node: NodeId) -> Option<Entity<H>> {
        self.engine.binding(host, &mut cache.cache, node)
    }

    fn rewrite(
        &self,
        host: &mut H,
        cache: &mut Self::Cache,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal>
    where
        H: IrMut,
    {
        self.engine.rewrite(host, &mut cache.cache, listener)
    }

    fn acknowledge_changes(&self, host: &H, cache: &mut Self::Cache) {
        self.engine.acknowledge_changes(host, &mut cache.cache);
    }
}

impl<H: Facets, C: Listener<H>> Listener<H> for CostedCache<H, C> {
    forward_listener!(H; |this| this.cache);
}

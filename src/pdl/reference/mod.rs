//! The reference matcher: the definition of a match.
//!
//! Specification: a match of a rule at an operation assigns an entity of the IR to each node of the rule's match part,
//! so that all conditions of the nodes and all constraints hold. The entity of the anchor is the operation. Every
//! engine is tested against this matcher, which is simple and slow.
//!
//! Method: a worklist of claims "this node is that entity". A claim binds the node, or compares the entities if the
//! node is bound, and adds the claims that follow from it. At a choice (the order of two operands, the user of a value)
//! the state is copied for each alternative; the search is depth-first, in the order of the alternatives. It visits the
//! nodes below the anchor, then each [`Climb`] and the nodes below it, and then the remaining constants. After that, it
//! evaluates the constraints in order; after each constraint, it visits the nodes for the results.
//!
//! Matches are therefore ordered by the use that the first climb visits, newest use first. Matches with the same use
//! are ordered by the use that the next climb visits, and so on. A rule without climbs matches at most once, with the
//! first order of its operands that satisfies all conditions. If a rule has several `either` pairs, the search tries
//! both orders of the pair that it visits last before it swaps an earlier pair.
//!
//! A null entity (an absent optional operand or attribute) matches only nodes for which the rule states no type, no
//! constant and no source. An empty range has no defining operation; it matches the results of an operation only if the
//! operation is already bound.

mod link;
mod search;

use crate::host::{Bind, Entity, Facets, Ir, Natives};
use crate::id::IdVec;
use crate::pdl::link::{Linker, missing_natives};
use crate::pdl::match_part::NodeId;
use crate::pdl::roots::Climb;
use crate::pdl::rule_set::{PatternId, RuleSet};
use crate::snippet::Linked;
use crate::source::Diagnostics;
use link::Links;
use search::{Progress, Search, State};

/// A match of a rule, with the entities of its nodes.
pub struct Match<H: Ir> {
    /// The rule.
    pub pattern: PatternId,
    bindings: IdVec<NodeId, Entity<H>>,
}

impl<H: Ir> Match<H> {
    /// The entity of a node.
    pub fn binding(&self, node: NodeId) -> &Entity<H> {
        &self.bindings[node]
    }

    /// The entities of all nodes, in node order.
    pub fn bindings(&self) -> impl ExactSizeIterator<Item = &Entity<H>> {
        self.bindings.iter()
    }
}

/// Rules that are linked to a host.
pub struct ReferenceMatcher<'r, H: Facets> {
    rules: &'r RuleSet,
    order: Vec<PatternId>,
    climbs: IdVec<PatternId, Vec<Climb>>,
    links: Links<H>,
}

impl<'r, H: Facets + Bind> ReferenceMatcher<'r, H> {
    /// Verifies rules and links them to a host.
    ///
    /// # Errors
    /// A rule does not verify, or a native that a match part calls is not registered with a fitting signature.
    pub fn new(rules: &'r RuleSet, host: &mut H, natives: &Natives<H>) -> Result<Self, Diagnostics> {
        Self::without(rules, &[], host, natives)
    }

    /// Verifies all rules, and links all except those in `left_out`, which [`Self::matches`] does not try.
    ///
    /// # Errors
    /// The errors of [`Self::new`]. The natives of the rules in `left_out` are not needed.
    pub fn without(
        rules: &'r RuleSet,
        left_out: &[PatternId],
        host: &mut H,
        natives: &Natives<H>,
    ) -> Result<Self, Diagnostics> {
        let rules = rules.verify()?.rules();
        let mut links = Links::new(Linked::link(&rules.snippets, host, natives));
        let mut linker = Linker::new(host, natives);
        for (id, pattern) in rules.patterns.iter_enumerated() {
            if left_out.contains(&id) {
                continue;
            }
            links.rule = id;
            for (id, node) in pattern.matcher.iter_enumerated() {
                links.at = pattern.matcher.span(id);
                links.node(rules, node, &mut linker);
            }
            for call in &pattern.matcher.constraints {
                links.at = call.span;
                links.call(rules, &pattern.matcher, call, &mut linker);
            }
        }
        let missing = linker.into_missing();
        if !missing.is_empty() {
            return Err(missing_natives(&missing));
        }
        let climbs = rules.patterns.iter().map(|pattern| pattern.matcher.climbs()).collect();
        let mut order = rules.in_order();
        order.retain(|id| !left_out.contains(id));
        Ok(Self { rules, order, climbs, links })
    }

    /// Records further failures of evaluations in `other`, which links the same snippets.
    pub(crate) fn record_failures_in(&mut self, other: &Linked<H>) {
        self.links.snippets.record_failures_in(other);
    }

    /// Finds the matches at an operation lazily, in application order.
    pub fn matches<'a>(&'a self, host: &'a H, op: H::Op) -> impl Iterator<Item = Match<H>> + 'a {
        self.order.iter().flat_map(move |&pattern| self.matches_of(host, pattern, op))
    }

    /// Finds the matches of one rule at an operation lazily.
    ///
    /// The time is exponential in the number of choices.
    pub fn matches_of<'a>(
        &'a self,
        host: &'a H,
        pattern: PatternId,
        op: H::Op,
    ) -> impl Iterator<Item = Match<H>> + 'a {
        let part = &self.rules.patterns[pattern].matcher;
        let search = Search {
            host,
            rules: self.rules,
            links: &self.links,
            part,
            climbs: &self.climbs[pattern],
            results: part.results_by_op(),
        };
        let first = State {
            bound: part.iter().map(|_| None).collect(),
            claims: part.roots.iter().take(1).map(|&root| (root, Entity::Op(op))).collect(),
            climb: 0,
            constants: false,
            call: 0,
        };
        let mut open = vec![first];
        std::iter::from_fn(move || {
            while let Some(mut state) = open.pop() {
                match search.step(&mut state) {
                    Progress::Fail => {}
                    Progress::On => open.push(state),
                    Progress::Branch(states) => open.extend(states.into_iter().rev()),
                    Progress::Found => {
                        if search.climbs.is_empty() {
                            open.clear();
                        }
                        let bindings = state.bound.iter().flatten().cloned().collect();
                        return Some(Match { pattern, bindings });
                    }
                }
            }
            None
        })
    }
}

#[cfg(test)]
mod tests;

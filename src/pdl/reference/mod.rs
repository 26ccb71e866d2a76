//! The reference matcher: what it means that a rule matches.
//!
//! Specification: a match of a rule at an operation is an assignment of things in the IR to all
//! nodes of its match part, the anchor being the operation, such that everything the nodes and
//! constraints say holds. This is the definition every engine is tested against: it is written to be
//! obviously right, and slow.
//!
//! Method: a worklist of claims "this node is that thing". A claim binds the node, or compares if it
//! is bound, and makes the claims that follow from it. Where there is a choice (which order of two
//! operands, which user of a value) the state is copied for each alternative, in order, and the
//! first is followed to its end before the next. First comes everything below the anchor; then each
//! [`Climb`] and what is below it; then the constraints in order, each when its arguments are known,
//! and what follows from its results.
//!
//! So matches come in the order of the uses climbed through, newest use first, the first climb
//! counting most. A rule without climbs matches at most once: with the first order of its operands
//! that satisfies everything, the first pair in the order the operations are met counting most.
//!
//! What is null (an absent optional operand or attribute) has no type, no value and no source. An
//! empty range leads to no operation: it matches as results of one only if that is bound by then.

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

/// A rule that matches, with what its nodes are.
pub struct Match<H: Ir> {
    /// The rule.
    pub pattern: PatternId,
    bindings: IdVec<NodeId, Entity<H>>,
}

impl<H: Ir> Match<H> {
    /// What a node of the rule is.
    pub fn binding(&self, node: NodeId) -> &Entity<H> {
        &self.bindings[node]
    }

    /// What all nodes are, in node order.
    pub fn bindings(&self) -> impl ExactSizeIterator<Item = &Entity<H>> {
        self.bindings.iter()
    }
}

/// Rules bound to a host.
pub struct ReferenceMatcher<'r, H: Facets> {
    rules: &'r RuleSet,
    order: Vec<PatternId>,
    climbs: IdVec<PatternId, Vec<Climb>>,
    links: Links<'r, H>,
}

impl<'r, H: Facets + Bind> ReferenceMatcher<'r, H> {
    /// Binds verified rules to a host.
    ///
    /// # Errors
    /// Every native constraint that nobody registered, or that is registered with another signature.
    pub fn new(rules: &'r RuleSet, host: &mut H, natives: &Natives<H>) -> Result<Self, Diagnostics> {
        Self::without(rules, &[], host, natives)
    }

    /// As [`Self::new`], with some rules left out.
    ///
    /// # Errors
    /// As [`Self::new`], for the rules that are there.
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
            links.rule = &rules.strings[pattern.name];
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

    /// Every match at an operation, in the order the rules are tried; found as they are asked for.
    pub fn matches<'a>(&'a self, host: &'a H, op: H::Op) -> impl Iterator<Item = Match<H>> + 'a {
        self.order.iter().flat_map(move |&pattern| self.matches_of(host, pattern, op))
    }

    /// Every match of one rule at an operation.
    ///
    /// Exponential in the number of choices; of climbs, as many matches as there may be.
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

//! Finds the operations that come closest to matching a rule that matches nowhere.
//!
//! Specification: a pair of an operation and a rule is closer the fewer of the rule's predicates remain after the first
//! one that does not hold. The result has the closest pairs; the best operation of every rule comes before the second
//! best of any.

use std::cmp::Reverse;

use crate::bytecode::Program;
use crate::host::{Facets, Ir};
use crate::matcher_tree::Guard;
use crate::pdl::PatternId;

use super::by_root::ByRoot;
use crate::vm::tree::{Matcher, Scratch};

/// An operation at which a rule nearly matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near<H: Ir> {
    /// The operation.
    pub op: H::Op,
    /// The rule.
    pub rule: PatternId,
    /// How many of its predicates hold, one after the other.
    pub reached: usize,
    /// How many it has.
    pub predicates: usize,
}

/// What [`Matcher::nearest`] finds.
#[derive(Debug)]
pub struct Survey<H: Ir> {
    /// The closest, best first.
    pub nearest: Vec<Near<H>>,
    /// Rules that were asked for and match nowhere because no operation has the name of their root.
    pub never_started: Vec<PatternId>,
    /// Rules that were asked for and match somewhere.
    pub matching: Vec<PatternId>,
}

impl<H: Facets> Matcher<H> {
    /// The `count` operations that come closest to one of `rules` that matches at none of `ops`.
    ///
    /// Asks each rule at each operation it could start at, until it matches at one. Where a rule cannot come closer
    /// than at `count` operations before, a single predicate is asked. Rules that linking left out are not looked at.
    pub fn nearest(&self, host: &H, ops: &[H::Op], rules: &[PatternId], count: usize) -> Survey<H> {
        let rules: Vec<PatternId> =
            rules.iter().copied().filter(|&rule| !self.linked.is_dropped(rule)).collect();
        let by_root = ByRoot::new(self.program(), rules.iter().copied().zip(0usize..));
        let mut searches: Vec<Search> =
            rules.iter().map(|&rule| Search::new(self.program(), rule, count)).collect();
        let mut scratch = self.scratch();
        for (place, &op) in ops.iter().enumerate() {
            // PERF: what a call that rules share has answered holds for all rules at this operation.
            scratch.set_root(op);
            for i in by_root.at(self, host, op) {
                let search = &mut searches[i];
                if search.matches || !self.may_get_further(host, search, &mut scratch) {
                    continue;
                }
                let progress = self.progress_at_root(host, rules[i], &mut scratch);
                search.matches = progress.matches;
                search.offer(place, progress.reached);
            }
        }
        let mut survey = Survey { nearest: Vec::new(), never_started: Vec::new(), matching: Vec::new() };
        let mut pairs = Vec::new();
        for (i, (search, &rule)) in searches.into_iter().zip(&rules).enumerate() {
            if search.matches {
                survey.matching.push(rule);
                continue;
            }
            let predicates = search.asks + 1;
            let found = search.into_best();
            if found.is_empty() {
                survey.never_started.push(rule);
            }
            for (rank, (Reverse(reached), place)) in found.into_iter().take(count).enumerate() {
                pairs.push(((rank, predicates - reached, Reverse(reached), i, place), rule));
            }
        }
        pairs.sort_unstable();
        pairs.truncate(count);
        let near = |((_, left, Reverse(reached), _, place), rule)| Near {
            op: ops[place],
            rule,
            reached,
            predicates: left + reached,
        };
        survey.nearest.extend(pairs.into_iter().map(near));
        survey
    }

    /// Whether a rule may get further, at the operation that `scratch` is at, than at the worst of the best.
    fn may_get_further(&self, host: &H, search: &Search, scratch: &mut Scratch<H>) -> bool {
        match search.decisive() {
            Some(Guard::Test { question, answer, .. }) => self.test(host, scratch, question, answer),
            Some(Guard::Call { call, negated }) => {
                self.linked.constrain(host, scratch, call) == Some(!negated)
            }
            _ => true,
        }
    }
}

/// The operations that come closest to one rule, so far.
struct Search {
    /// The predicates before the rule's first choice, as far as none needs what a call gave: each can be asked alone.
    alone: Vec<Guard>,
    /// How many predicates it has besides its root's name: how far it gets where it does not match.
    asks: usize,
    count: usize,
    /// How far it got, and at which operation.
    best: Vec<(Reverse<usize>, usize)>,
    /// How far the worst of `count` operations got; what gets no further need not be kept.
    floor: Option<usize>,
    matches: bool,
}

impl Search {
    fn new(program: &Program, rule: PatternId, count: usize) -> Self {
        let asks = &program.pattern_debug(rule).asks;
        let mut alone = Vec::new();
        for asked in asks {
            match asked.step {
                Guard::Test { .. } => alone.push(asked.step),
                Guard::Call { call, .. } => {
                    alone.push(asked.step);
                    if !program.predicates.calls()[call].results.is_empty() {
                        break;
                    }
                }
                Guard::Either { .. } | Guard::EachUser { .. } => break,
            }
        }
        Self { alone, asks: asks.len(), count, best: Vec::new(), floor: None, matches: false }
    }

    /// The predicate that must hold where the rule gets further than at the worst of the best: the one that fails
    /// there.
    fn decisive(&self) -> Option<Guard> {
        self.alone.get(self.floor?.checked_sub(1)?).copied()
    }

    fn offer(&mut self, place: usize, reached: usize) {
        if self.floor.is_some_and(|floor| floor >= reached) {
            return;
        }
        self.best.push((Reverse(reached), place));
        if self.best.len() / 2 > self.count.saturating_add(32) {
            self.best.sort_unstable();
            self.best.truncate(self.count.max(1));
            self.floor = self.best.last().map(|(Reverse(reached), _)| *reached);
        }
    }

    /// How far the rule got, and at which operation, best first.
    fn into_best(mut self) -> Vec<(Reverse<usize>, usize)> {
        self.best.sort_unstable();
        self.best
    }
}

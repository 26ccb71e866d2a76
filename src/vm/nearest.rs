//! Finds the operations that come closest to matching a rule that matches nowhere.
//!
//! Specification: a pair of an operation and a rule is closer the fewer of the rule's predicates remain after the first
//! one that does not hold. The result has the closest pairs; the best operation of every rule comes before the second
//! best of any.

use std::cmp::Reverse;

use crate::host::{Facets, Ir};
use crate::id::Id;
use crate::matcher_tree::{Answer, Asked, Guard, QuestionId};
use crate::pdl::PatternId;

use super::Matcher;
use super::by_root::ByRoot;

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
    /// Matches all rules at all operations once; then asks each rule at each operation it could start at.
    /// Rules that linking left out are not looked at.
    pub fn nearest(&self, host: &H, ops: &[H::Op], rules: &[PatternId], count: usize) -> Survey<H> {
        let patterns = &self.program.patterns;
        let mut scratch = self.scratch();
        let mut matching = vec![false; patterns.len()];
        for &op in ops {
            let mut matched = self.match_first(host, op, &mut scratch);
            while let Some(rule) = matched {
                matching[rule.index()] = true;
                matched = self.next_match(host, &mut scratch);
            }
        }
        let asked = |rule: &&PatternId| !self.dropped[rule.index()];
        let (matching, missing): (Vec<PatternId>, Vec<PatternId>) =
            rules.iter().filter(asked).partition(|rule| matching[rule.index()]);

        let by_root = ByRoot::new(&self.program, missing.iter().copied().zip(0usize..));
        let mut searches: Vec<Search> =
            missing.iter().map(|&rule| Search::new(&self.program.pattern_debug(rule).asks, count)).collect();
        for (place, &op) in ops.iter().enumerate() {
            for i in by_root.at(self, host, op) {
                let search = &mut searches[i];
                if search.is_settled() {
                    continue;
                }
                // PERF: one that fails where the worst of the best did got no further, whatever holds before.
                if let Some((question, answer)) = search.decisive_test() {
                    scratch.begin(op, 0);
                    if !self.test(host, &mut scratch, question, answer) {
                        continue;
                    }
                }
                search.offer(place, self.progress(host, op, missing[i], &mut scratch).reached);
            }
        }
        let mut pairs = Vec::new();
        let mut never_started = Vec::new();
        for (i, search) in searches.into_iter().enumerate() {
            let (rule, predicates) = (missing[i], search.asks + 1);
            let found = search.into_best();
            if found.is_empty() {
                never_started.push(rule);
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
        Survey { nearest: pairs.into_iter().map(near).collect(), never_started, matching }
    }
}

/// The operations that come closest to one rule, so far.
struct Search {
    /// The tests before the rule's first choice or call, each of which can be asked alone.
    tests: Vec<(QuestionId, Answer)>,
    /// How many predicates it has besides its root's name: how far it gets where it does not match.
    asks: usize,
    count: usize,
    /// How far it got, and at which operation.
    best: Vec<(Reverse<usize>, usize)>,
    /// How far the worst of `count` operations got; what gets no further need not be kept.
    floor: Option<usize>,
}

impl Search {
    fn new(asks: &[Asked], count: usize) -> Self {
        let tests = asks.iter().map_while(|asked| match asked.step {
            Guard::Test { question, answer, .. } => Some((question, answer)),
            _ => None,
        });
        Self { tests: tests.collect(), asks: asks.len(), count, best: Vec::new(), floor: None }
    }

    /// Whether no operation can come closer than those that were found.
    fn is_settled(&self) -> bool {
        self.floor.is_some_and(|floor| floor >= self.asks)
    }

    /// The test that must hold where the rule gets further than at the worst of the best.
    fn decisive_test(&self) -> Option<(QuestionId, Answer)> {
        self.tests.get(self.floor?.checked_sub(1)?).copied()
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

//! Finds the operations that come closest to matching a rule that matches nowhere.
//!
//! Specification: the result contains pairs of an operation and a rule. The best operation of every rule comes before
//! the second best of any rule. The rank of a pair is the position of its operation among the best operations of its
//! rule. Pairs of equal rank are sorted by the number of predicates that are left: the first predicate of the rule that
//! does not hold, and those after it.

use std::cmp::Reverse;

use crate::bytecode::Program;
use crate::host::{Facets, Ir};
use crate::matcher_tree::Guard;
use crate::pdl::PatternId;

use super::by_root::ByRoot;
use crate::vm::tree::{Matcher, Scratch};

/// An operation at which a rule nearly matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearMiss<H: Ir> {
    /// The operation.
    pub op: H::Op,
    /// The rule.
    pub rule: PatternId,
    /// The number of the rule's predicates that hold before the first one that does not, including the root's name.
    pub reached: usize,
    /// The number of the rule's predicates, including the root's name.
    pub predicates: usize,
}

/// The result of [`Matcher::nearest`].
#[derive(Debug)]
pub struct Survey<H: Ir> {
    /// The closest pairs of an operation and a rule, best first.
    pub nearest: Vec<NearMiss<H>>,
    /// The given rules that match nowhere because no operation has the name of their root.
    pub never_started: Vec<PatternId>,
    /// The given rules that match somewhere.
    pub matching: Vec<PatternId>,
}

impl<H: Facets> Matcher<H> {
    /// Finds which of the `rules` match at one of `ops`. For the other rules, finds at most `count` pairs of an
    /// operation and a rule that come closest to a match.
    ///
    /// Tests each rule at the operations with a suitable name in order, until the rule matches. When enough operations
    /// are known for a rule, the predicate that fails at the worst of them is tested first, because it holds at every
    /// operation that comes closer. The other predicates are tested only if it holds. Skips rules that linking left
    /// out.
    pub fn nearest(&self, host: &H, ops: &[H::Op], rules: &[PatternId], count: usize) -> Survey<H> {
        let rules: Vec<PatternId> =
            rules.iter().copied().filter(|&rule| !self.linked.is_dropped(rule)).collect();
        let by_root = ByRoot::new(self.program(), rules.iter().copied().zip(0usize..));
        let mut searches: Vec<Search> =
            rules.iter().map(|&rule| Search::new(self.program(), rule, count)).collect();
        let mut scratch = self.cache();
        for (index, &op) in ops.iter().enumerate() {
            // Rules that share a call also share its answer at this operation.
            scratch.set_root(op);
            for i in by_root.at(self, host, op) {
                let search = &mut searches[i];
                if search.matches || !self.may_get_further(host, search, &mut scratch) {
                    continue;
                }
                let progress = self.progress_at_root(host, rules[i], &mut scratch);
                search.matches = progress.matches;
                search.offer(index, progress.reached);
            }
        }
        let mut survey = Survey { nearest: Vec::new(), never_started: Vec::new(), matching: Vec::new() };
        let mut pairs = Vec::new();
        for (i, (search, &rule)) in searches.into_iter().zip(&rules).enumerate() {
            if search.matches {
                survey.matching.push(rule);
                continue;
            }
            let predicates = search.predicates + 1;
            let found = search.into_best();
            if found.is_empty() {
                survey.never_started.push(rule);
            }
            for (rank, (Reverse(reached), index)) in found.into_iter().take(count).enumerate() {
                pairs.push(((rank, predicates - reached, Reverse(reached), i, index), rule));
            }
        }
        pairs.sort_unstable();
        pairs.truncate(count);
        let near = |((_, left, Reverse(reached), _, index), rule)| NearMiss {
            op: ops[index],
            rule,
            reached,
            predicates: left + reached,
        };
        survey.nearest.extend(pairs.into_iter().map(near));
        survey
    }

    /// True if more predicates of a rule may hold at the root of `scratch` than at the worst of its best operations.
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

/// The operations that have come closest to matching one rule so far.
struct Search {
    /// The predicates before the rule's first choice, up to and including its first call with results. Each can be
    /// tested alone.
    before_choices: Vec<Guard>,
    /// The number of the rule's predicates, without the root's name.
    predicates: usize,
    count: usize,
    /// The best operations so far, each with the number of predicates that hold there.
    best: Vec<(Reverse<usize>, usize)>,
    /// The number of predicates that hold at the worst of the best `count` operations; `None` until enough operations
    /// were found. Only better operations are kept.
    floor: Option<usize>,
    matches: bool,
}

impl Search {
    fn new(program: &Program, rule: PatternId, count: usize) -> Self {
        let steps = &program.pattern_debug(rule).steps;
        let mut before_choices = Vec::new();
        for asked in steps {
            match asked.step {
                Guard::Test { .. } => before_choices.push(asked.step),
                Guard::Call { call, .. } => {
                    before_choices.push(asked.step);
                    if !program.predicates.calls()[call].results.is_empty() {
                        break;
                    }
                }
                Guard::Either { .. } | Guard::EachUser { .. } => break,
            }
        }
        Self { before_choices, predicates: steps.len(), count, best: Vec::new(), floor: None, matches: false }
    }

    /// The predicate that fails at the worst of the best operations. It must hold at every better operation.
    fn decisive(&self) -> Option<Guard> {
        self.before_choices.get(self.floor?.checked_sub(1)?).copied()
    }

    fn offer(&mut self, op: usize, reached: usize) {
        if self.floor.is_some_and(|floor| floor >= reached) {
            return;
        }
        self.best.push((Reverse(reached), op));
        if self.best.len() / 2 > self.count.saturating_add(32) {
            self.best.sort_unstable();
            self.best.truncate(self.count.max(1));
            self.floor = self.best.last().map(|(Reverse(reached), _)| *reached);
        }
    }

    /// The best operations in order, each with the number of predicates that hold there.
    fn into_best(mut self) -> Vec<(Reverse<usize>, usize)> {
        self.best.sort_unstable();
        self.best
    }
}

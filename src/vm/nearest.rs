//! Which operations come closest to the rules that match nowhere.
//!
//! Specification: of all pairs of an operation and a rule that matches at none of the operations, those
//! with the fewest predicates left once they hold one after the other; each rule's best comes before any
//! rule's second.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::host::{Facets, Ir};
use crate::id::Id;
use crate::intern::StrId;
use crate::matcher_tree::{Asked, Guard};
use crate::pdl::PatternId;

use super::Matcher;

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
    /// Rules that were asked for and match nowhere, as no operation has the name of their root.
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

        // The rules by the program's number of their root's name.
        let numbers: HashMap<StrId, usize> =
            self.program.op_names.iter().enumerate().map(|(number, &name)| (name, number)).collect();
        let mut by_name: Vec<Vec<usize>> = vec![Vec::new(); self.program.op_names.len()];
        let mut any: Vec<usize> = Vec::new();
        for (i, &rule) in missing.iter().enumerate() {
            match self.program.pattern_debug(rule).root {
                None => any.push(i),
                Some(name) => numbers.get(&name).into_iter().for_each(|&number| by_name[number].push(i)),
            }
        }
        let asks: Vec<&[Asked]> =
            missing.iter().map(|&rule| &self.program.pattern_debug(rule).asks[..]).collect();
        // The tests of each rule before its first choice or call: each can be asked alone.
        let tests: Vec<Vec<_>> = asks
            .iter()
            .map(|asks| {
                let tests = asks.iter().map_while(|asked| match asked.step {
                    Guard::Test { question, answer, .. } => Some((question, answer)),
                    _ => None,
                });
                tests.collect()
            })
            .collect();
        let mut best: Vec<Vec<(Reverse<usize>, usize)>> = vec![Vec::new(); missing.len()];
        // How far a rule that does not match can get, and how far the worst of its best got.
        let most: Vec<usize> = asks.iter().map(|asks| asks.len()).collect();
        let mut floor: Vec<Option<usize>> = vec![None; missing.len()];
        for (place, &op) in ops.iter().enumerate() {
            let number = self.name_number(host, op) as usize;
            for &i in by_name.get(number).into_iter().flatten().chain(&any) {
                // One further on is no closer than those that got as far.
                if floor[i].is_some_and(|floor| floor >= most[i]) {
                    continue;
                }
                // PERF: one that fails where the worst of the best did got no further, whatever holds before.
                if let Some(test) = floor[i].and_then(|floor| tests[i].get(floor.checked_sub(1)?)) {
                    scratch.begin(op, 0);
                    if !self.test(host, &mut scratch, test.0, test.1) {
                        continue;
                    }
                }
                let reached = self.progress(host, op, missing[i], &mut scratch).reached;
                if floor[i].is_some_and(|floor| floor >= reached) {
                    continue;
                }
                best[i].push((Reverse(reached), place));
                if best[i].len() / 2 > count.saturating_add(32) {
                    best[i].sort_unstable();
                    best[i].truncate(count.max(1));
                    floor[i] = best[i].last().map(|(Reverse(reached), _)| *reached);
                }
            }
        }
        let mut pairs = Vec::new();
        let mut never_started = Vec::new();
        for (i, mut found) in best.into_iter().enumerate() {
            let (rule, predicates) = (missing[i], most[i] + 1);
            if found.is_empty() {
                never_started.push(rule);
            }
            found.sort_unstable();
            found.truncate(count);
            for (rank, (Reverse(reached), place)) in found.into_iter().enumerate() {
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

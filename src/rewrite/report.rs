//! The results of a driver, and the reason why it stopped if it did not finish.

use std::collections::VecDeque;

use crate::id::Id;
use crate::pdl::PatternId;
use crate::vm::Outcome;

/// The results of a driver.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The number of times that rules were tried on an operation.
    pub visited: u64,
    /// The number of rewrites by rules of the engine.
    pub rewrites: u64,
    /// The number of rewrites by each rule. The list ends after the last rule with a rewrite.
    pub applied: Vec<u64>,
    /// The number of rewrites by rules that are Rust functions; `rewrites` does not include them. Only
    /// [`canonicalize`](super::canonicalize()) has such rules.
    pub by_functions: u64,
    /// The number of rewrites that were refused and rolled back.
    pub refused: u64,
    /// The number of operations that were removed because they were dead or in an unreachable block.
    pub removed: u64,
    /// The number of times that an operation was folded.
    pub folded: u64,
    /// The number of constants that were merged into an equal constant.
    pub merged_constants: u64,
    /// The number of sweeps, including those that change nothing.
    pub sweeps: u32,
    /// The limit that stopped the driver, with the rules that still fired; `None` if the driver finished.
    pub not_converged: Option<NotConverged>,
    recent: VecDeque<PatternId>,
}

/// The limit that a driver reached, or its interruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The driver made this number of sweeps, the maximum.
    Sweeps(u32),
    /// The driver made this number of rewrites and folds, the maximum.
    Rewrites(u64),
    /// The driver was [interrupted](super::Interrupt).
    Interrupt,
}

/// The rules that still fired when a driver stopped early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotConverged {
    /// The reason why the driver stopped.
    pub limit: Limit,
    /// The rules of the last rewrites, the most frequent first, each with the number of these rewrites that applied it.
    pub firing: Vec<(PatternId, u64)>,
    /// The number of rewrites that `firing` counts: the last rewrites of the last sweep, at most 1,024.
    pub window: u64,
    /// The rules of the cycle that the last rewrites repeat, if there is one.
    pub cycle: Option<Vec<PatternId>>,
}

/// The maximum number of last rewrites that are stored, to find the rules that keep firing.
const WINDOW: usize = 1024;
/// The minimum number of repetitions of a cycle.
const CYCLE_TURNS: usize = 8;

impl Report {
    /// Counts one visit. Returns true if a rule was applied.
    pub(super) fn count(&mut self, outcome: Outcome) -> bool {
        self.visited += 1;
        self.refused += u64::from(outcome.refused);
        let Some(rule) = outcome.applied else { return false };
        self.rewrites += 1;
        if self.applied.len() <= rule.index() {
            self.applied.resize(rule.index() + 1, 0);
        }
        self.applied[rule.index()] += 1;
        if self.recent.len() == WINDOW {
            self.recent.pop_front();
        }
        self.recent.push_back(rule);
        true
    }

    /// Begins a new sweep.
    pub(super) fn begin_sweep(&mut self) {
        self.sweeps += 1;
        self.recent.clear();
    }

    /// Records the reason why the driver stops early.
    pub(super) fn stop(&mut self, limit: Limit) {
        let recent = self.recent.make_contiguous();
        let mut sorted = recent.to_vec();
        sorted.sort_unstable();
        let mut firing: Vec<(PatternId, u64)> =
            sorted.chunk_by(|a, b| a == b).map(|chunk| (chunk[0], chunk.len() as u64)).collect();
        firing.sort_unstable_by_key(|&(rule, count)| (std::cmp::Reverse(count), rule));
        let cycle = shortest_cycle(recent).map(<[PatternId]>::to_vec);
        self.not_converged = Some(NotConverged { limit, firing, window: recent.len() as u64, cycle });
    }
}

/// The shortest sequence of rules that the last rewrites repeat at least [`CYCLE_TURNS`] times, rotated so that the
/// smallest id comes first.
fn shortest_cycle(recent: &[PatternId]) -> Option<&[PatternId]> {
    let longest = recent.len() / CYCLE_TURNS;
    let period = (1..=longest).find(|&period| {
        let tail = &recent[recent.len() - period * CYCLE_TURNS..];
        tail.iter().zip(&tail[period..]).all(|(a, b)| a == b)
    })?;
    let start = recent.len() - 2 * period;
    let first = (start..start + period).min_by_key(|&i| recent[i])?;
    Some(&recent[first..first + period])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stopped_after(rules: impl IntoIterator<Item = u32>) -> NotConverged {
        let mut report = Report::default();
        report.begin_sweep();
        for rule in rules {
            report.count(Outcome { applied: Some(PatternId::from_raw(rule)), refused: 0 });
        }
        report.stop(Limit::Rewrites(0));
        report.not_converged.unwrap()
    }

    fn raw(cycle: Option<Vec<PatternId>>) -> Option<Vec<u32>> {
        cycle.map(|rules| rules.into_iter().map(PatternId::raw).collect())
    }

    #[test]
    fn finds_a_cycle_after_other_rewrites() {
        let start = [7, 7, 3, 9].into_iter();
        let stopped = stopped_after(start.chain([4, 2, 5].into_iter().cycle().take(100)));
        assert_eq!(raw(stopped.cycle), Some(vec![2, 5, 4]));
    }

    #[test]
    fn one_rule_is_a_cycle_of_one() {
        assert_eq!(raw(stopped_after([1; 3000]).cycle), Some(vec![1]));
    }

    #[test]
    fn no_cycle_without_repetition() {
        let stopped = stopped_after([1, 1, 2, 1, 1, 1, 2, 1, 2]);
        assert_eq!(stopped.cycle, None);
        assert_eq!(stopped.firing, [(PatternId::from_raw(1), 6), (PatternId::from_raw(2), 3)]);
    }

    #[test]
    fn only_the_last_rewrites_count() {
        let stopped = stopped_after([3; 5000].into_iter().chain([8; WINDOW]));
        assert_eq!(stopped.firing, [(PatternId::from_raw(8), WINDOW as u64)]);
    }
}

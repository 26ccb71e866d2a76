//! The summary lines of `opt` and `compile`.

use std::cmp::Reverse;
use std::fmt::Write;
use std::time::Duration;

use crate::bytecode::{Program, Section, section_sizes};
use crate::ir::IrHost;
use crate::pdl::PatternId;
use crate::plural::count;
use crate::report::text::rule_name;
use crate::rewrite::{ConversionReport, Report};

/// The counts of a run, over all parts of the input.
#[derive(Debug, Default)]
pub(super) struct Totals {
    visited: u64,
    applied: Vec<u64>,
    /// The rewrites of dialect conversions, which are not counted by rule.
    conversions: u64,
    /// The number of operations that an analysis finds convertible; `None` without an analysis.
    convertible: Option<usize>,
    by_functions: u64,
    refused: u64,
    folded: u64,
    removed: u64,
    merged_constants: u64,
    time: Duration,
}

impl Totals {
    pub(super) fn add(&mut self, report: &Report, time: Duration) {
        self.time += time;
        self.visited += report.visited;
        self.by_functions += report.by_functions;
        self.refused += report.refused;
        self.folded += report.folded;
        self.removed += report.removed;
        self.merged_constants += report.merged_constants;
        self.applied.resize(self.applied.len().max(report.applied.len()), 0);
        for (total, count) in self.applied.iter_mut().zip(&report.applied) {
            *total += count;
        }
    }

    pub(super) fn add_analysis(&mut self, report: &ConversionReport<IrHost>, time: Duration) {
        self.time += time;
        self.visited += report.visited;
        *self.convertible.get_or_insert_default() += report.ops.len();
    }

    pub(super) fn add_conversion(&mut self, report: &ConversionReport<IrHost>, time: Duration) {
        self.time += time;
        self.visited += report.visited;
        self.conversions += report.applied;
        self.refused += report.undone;
    }

    /// One line with the number of rules, the number of visited operations, the rewrites by rule, and the times.
    pub(super) fn line(&self, program: &Program, rules: usize, compiled: Duration) -> String {
        let mut by_rule: Vec<(PatternId, u64)> = program
            .patterns()
            .ids()
            .zip(self.applied.iter().copied())
            .filter(|&(_, count)| count > 0)
            .collect();
        by_rule.sort_unstable_by_key(|&(rule, count)| (Reverse(count), rule));
        let rewrites = self.applied.iter().sum::<u64>() + self.by_functions + self.conversions;
        let changes = match self.convertible {
            Some(ops) => format!("{} can be converted", count(ops, "operation")),
            None => count(rewrites, "rewrite"),
        };
        let (rules, visited) = (count(rules, "rule"), count(self.visited, "operation"));
        let mut line = format!("{rules}, {visited} visited, {changes}");
        for (i, (rule, count)) in by_rule.iter().enumerate() {
            let sign = if i == 0 { ": " } else { ", " };
            let _ = write!(line, "{sign}{} {count}", rule_name(program, *rule));
        }
        for (count, what) in [
            (self.by_functions, "by rules in Rust"),
            (self.folded, "folded"),
            (self.removed, "dead removed"),
            (
                self.merged_constants,
                if self.merged_constants == 1 { "constant merged" } else { "constants merged" },
            ),
            (self.refused, "rolled back"),
        ] {
            if count > 0 {
                let _ = write!(line, "; {count} {what}");
            }
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let _ = writeln!(line, "; compiled in {:.1} ms, ran in {:.1} ms", ms(compiled), ms(self.time));
        line
    }
}

/// The size of a program: the code and constants, and the sections that matching does not read
/// ([`Section::is_auxiliary`]).
pub(super) fn sizes(bytes: &[u8], rules: usize) -> String {
    let sections = section_sizes(bytes).unwrap_or_default();
    let sum = |debug: bool| -> usize {
        sections
            .iter()
            .filter(|&&(section, _)| Section::is_auxiliary(section) == debug)
            .map(|&(_, size)| size)
            .sum()
    };
    let each =
        |size: usize| size.checked_div(rules).map_or(String::new(), |each| format!(" ({each} a rule)"));
    let (code, debug) = (sum(false), sum(true));
    format!(
        "{code} bytes of code and constants{}, {debug} of names and signatures{}",
        each(code),
        each(debug)
    )
}

//! What is said of a run of a driver: the summary line, and what did not come to an end.

use std::cmp::Reverse;
use std::fmt::Write;
use std::time::Duration;

use crate::pdl::{Origin, PatternId, RuleSet};
use crate::rewrite::{Limit, NotConverged, Report};
use crate::source::{Diagnostic, Span};

/// What happened, over all parts of the input.
#[derive(Debug, Default)]
pub(super) struct Totals {
    visited: u64,
    applied: Vec<u64>,
    refused: u64,
    removed: u64,
    uniqued: u64,
    time: Duration,
}

impl Totals {
    pub(super) fn add(&mut self, report: &Report, time: Duration) {
        self.time += time;
        self.visited += report.visited;
        self.refused += report.refused;
        self.removed += report.removed;
        self.uniqued += report.uniqued;
        self.applied.resize(self.applied.len().max(report.applied.len()), 0);
        for (total, count) in self.applied.iter_mut().zip(&report.applied) {
            *total += count;
        }
    }

    /// Rules loaded, operations visited, rewrites by rule, time: one line.
    pub(super) fn line(&self, rules: &RuleSet, compiled: Duration) -> String {
        let mut by_rule: Vec<(PatternId, u64)> =
            rules.patterns.ids().zip(self.applied.iter().copied()).filter(|&(_, count)| count > 0).collect();
        by_rule.sort_by_key(|&(rule, count)| (Reverse(count), rule));
        let mut line = format!(
            "{}, {} visited, {}",
            count(rules.patterns.len() as u64, "rule"),
            count(self.visited, "operation"),
            count(self.applied.iter().sum(), "rewrite")
        );
        for (i, (rule, count)) in by_rule.iter().enumerate() {
            let sign = if i == 0 { ": " } else { ", " };
            let _ = write!(line, "{sign}{} {count}", rule_name(rules, *rule));
        }
        for (count, what) in [
            (self.removed, "dead removed"),
            (self.uniqued, "constants merged"),
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

fn count(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn rule_name(rules: &RuleSet, rule: PatternId) -> &str {
    rules.patterns.get(rule).map_or("?", |pattern| &rules.strings[pattern.name])
}

fn rule_span(rules: &RuleSet, rule: PatternId) -> Span {
    match rules.patterns.get(rule).map(|pattern| pattern.origin) {
        Some(Origin::Span(span)) => span,
        _ => Span::NONE,
    }
}

/// How many rules a message names.
const NAMED: usize = 8;

/// The rules keep firing. A warning if the user wants the result all the same.
pub(super) fn not_converged(stopped: &NotConverged, rules: &RuleSet, allowed: bool) -> Diagnostic {
    let limit = match stopped.limit {
        Limit::Sweeps(n) => count(u64::from(n), "sweep"),
        Limit::Rewrites(n) => count(n, "rewrite"),
    };
    let message = format!("the rules do not come to an end: something still changed after {limit}");
    let mut said = if allowed { Diagnostic::warning(message) } else { Diagnostic::error(message) };
    for &(rule, times) in stopped.firing.iter().take(NAMED) {
        let text = format!(
            "'{}' made {times} of the last {}",
            rule_name(rules, rule),
            count(stopped.window, "rewrite")
        );
        let span = rule_span(rules, rule);
        said = if span.is_none() { said.with_note(text) } else { said.at(span, text) };
    }
    if let Some(more) = stopped.firing.len().checked_sub(NAMED).filter(|&more| more > 0) {
        said = said.with_note(format!("and {} more", count(more as u64, "rule")));
    }
    if let Some(cycle) = &stopped.cycle {
        let names: Vec<_> = cycle.iter().chain(&cycle[..1]).map(|&rule| rule_name(rules, rule)).collect();
        said = said.with_note(format!("they fire in a cycle: {}", names.join(" -> ")));
    }
    let (option, more) = match stopped.limit {
        Limit::Sweeps(_) => ("--max-iterations", "sweeps"),
        Limit::Rewrites(_) => ("--max-rewrites", "rewrites"),
    };
    said = said.help(format!("`{option} N` allows more {more}"));
    if allowed { said } else { said.help("`--allow-nonconvergence` prints the result all the same") }
}

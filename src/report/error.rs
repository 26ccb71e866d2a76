//! Errors of reports and drivers, with one constructor for each.

use super::text::{MAX_NAMED, at_or_note, rule_name, rule_span};
use crate::bytecode::Program;
use crate::plural::count;
use crate::rewrite::{Limit, NotConverged};
use crate::source::Diagnostic;

/// The error about a tree that is too large for a picture.
pub(super) fn picture_too_large(nodes: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(format!(
        "the tree has {}, and a picture can show at most {limit}",
        count(nodes, "node")
    ))
    .help("`--format html` shows trees of any size; `--enable` selects some of the rules")
}

/// Adds the rules that still fired when a driver stopped.
pub(crate) fn with_firing_rules(
    mut diagnostic: Diagnostic,
    stopped: &NotConverged,
    program: &Program,
) -> Diagnostic {
    let window = count(stopped.window, "rewrite");
    for &(rule, times) in stopped.firing.iter().take(MAX_NAMED) {
        let text = format!("'{}' made {times} of the last {window}", rule_name(program, rule));
        diagnostic = at_or_note(diagnostic, rule_span(program, rule), text);
    }
    if let Some(more) = stopped.firing.len().checked_sub(MAX_NAMED).filter(|&more| more > 0) {
        diagnostic = diagnostic.with_note(format!("and {} more", count(more, "rule")));
    }
    if let Some(cycle) = &stopped.cycle {
        let names: Vec<_> = cycle.iter().chain(&cycle[..1]).map(|&rule| rule_name(program, rule)).collect();
        diagnostic = diagnostic.with_note(format!("they fire in a cycle: {}", names.join(" -> ")));
    }
    diagnostic
}

/// The error about a driver that stopped at a limit, with the rules that still fired.
pub fn not_converged(stopped: &NotConverged, program: &Program) -> Diagnostic {
    let limit = match stopped.limit {
        Limit::Sweeps(n) => count(u64::from(n), "sweep"),
        Limit::Rewrites(n) => count(n, "rewrite"),
        Limit::Interrupt => return Diagnostic::error("rewriting was interrupted"),
    };
    // Folds and removals also count as changes, so a driver can stop at a limit even if the last sweep applied no rule.
    let message = if stopped.firing.is_empty() {
        format!("rewriting does not converge within {limit}")
    } else {
        format!("the rules do not converge: they still apply after {limit}")
    };
    with_firing_rules(Diagnostic::error(message), stopped, program)
}

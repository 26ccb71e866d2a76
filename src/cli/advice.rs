//! What can be said of rules without IR, and is no error: one constructor each.

use super::summary::count;
use crate::intern::StrId;
use crate::matcher_tree::{Finding, FindingKind};
use crate::pdl::{Origin, PatternId, RuleSet, shown_name};
use crate::source::{Diagnostic, Span};

fn rule_name(rules: &RuleSet, rule: PatternId) -> &str {
    shown_name(&rules.strings[rules.patterns[rule].name])
}

fn rule_span(rules: &RuleSet, rule: PatternId) -> Span {
    match rules.patterns[rule].origin {
        Origin::Span(span) => span,
        Origin::Rust(_) => Span::NONE,
    }
}

/// How many rules a message names.
const NAMED: usize = 8;

/// What the matcher tree says of a rule.
pub(super) fn finding(rules: &RuleSet, finding: Finding) -> Diagnostic {
    let name = rule_name(rules, finding.pattern);
    let here = |message: String| Diagnostic::warning(message).at(rule_span(rules, finding.pattern), "");
    let other = |diagnostic: Diagnostic, other: PatternId| {
        let (span, text) = (rule_span(rules, other), format!("'{}' is here", rule_name(rules, other)));
        if span.is_none() { diagnostic } else { diagnostic.note_at(span, text) }
    };
    match finding.kind {
        FindingKind::Unreachable => {
            here(format!("rule '{name}' matches nothing: what it asks contradicts itself"))
        }
        FindingKind::Shadowed { by } => {
            let by_name = rule_name(rules, by);
            other(
                here(format!(
                    "rule '{name}' is never tried: '{by_name}' matches wherever it does, and comes first"
                )),
                by,
            )
        }
        FindingKind::Duplicate { of } => {
            let of_name = rule_name(rules, of);
            other(here(format!("rule '{name}' matches exactly where '{of_name}' does, and comes later")), of)
        }
        FindingKind::Overlaps { with } => {
            let with_name = rule_name(rules, with);
            let diagnostic = here(format!(
                "rule '{name}' may match where '{with_name}' does, of the same benefit: only the order of the rules decides"
            ));
            other(diagnostic, with).help("give the one that should win a higher benefit")
        }
    }
}

/// Rules that can undo each other.
pub(super) fn cycle(rules: &RuleSet, cycle: &[PatternId]) -> Diagnostic {
    let message = match cycle {
        [one] => format!("rule '{}' can match what it made itself", rule_name(rules, *one)),
        several => {
            let names: Vec<_> =
                several.iter().take(NAMED).map(|&rule| format!("'{}'", rule_name(rules, rule))).collect();
            let more = several.len().checked_sub(NAMED).filter(|&more| more > 0);
            let more =
                more.map_or_else(String::new, |more| format!(" and {}", count(more as u64, "other rule")));
            format!(
                "rules {}{more} can match what they make of each other: they may go on for ever",
                names.join(", ")
            )
        }
    };
    cycle.iter().take(NAMED).fold(Diagnostic::warning(message), |diagnostic, &rule| {
        let span = rule_span(rules, rule);
        if span.is_none() { diagnostic } else { diagnostic.at(span, "") }
    })
}

/// Symbols that are bound for nothing.
pub(super) fn unused_symbols(rules: &RuleSet, rule: PatternId, names: &[StrId]) -> Diagnostic {
    let symbols: Vec<_> = names.iter().map(|&name| format!("'${}'", &rules.strings[name])).collect();
    let what = if names.len() == 1 { "symbol" } else { "symbols" };
    let text = format!(
        "rule '{}' binds {what} {} and does not use {}",
        rule_name(rules, rule),
        symbols.join(", "),
        if names.len() == 1 { "it" } else { "them" }
    );
    Diagnostic::warning(text).at(rule_span(rules, rule), "").help("`$_` matches without a name")
}

/// A replacement whose type is not known to be that of what it replaces.
pub(super) fn may_change_type(rules: &RuleSet, rule: PatternId, result: usize) -> Diagnostic {
    let name = rule_name(rules, rule);
    Diagnostic::warning(format!("rule '{name}' may replace result {result} by a value of another type"))
        .at(rule_span(rules, rule), "")
        .help("a constraint that compares the types of both makes sure")
}

//! Phrases that several messages and reports share.

use std::time::Duration;

use crate::bytecode::Program;
use crate::pdl::{Origin, PatternId, RuleSet, shown_name};
use crate::source::{Diagnostic, SourceMap, Span};

/// The maximum number of rules that are named in one message.
pub(crate) const MAX_NAMED: usize = 8;

/// The names as text: `a, b`, or `a, b and 3 more` if there are more than `max` names.
pub(crate) fn name_list<S: AsRef<str>>(names: &[S], max: usize) -> String {
    let shown = names.iter().take(max).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(max).filter(|&more| more > 0) {
        Some(more) => format!("{shown} and {more} more"),
        None => shown,
    }
}

/// A duration in nanoseconds, for JSON reports.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("a run takes less than 584 years")
}

/// The name of a compiled rule.
pub(crate) fn rule_name(program: &Program, rule: PatternId) -> &str {
    program.patterns().get(rule).map_or("?", |_| shown_name(program.pattern_name(rule)))
}

/// The place of a compiled rule in its source.
pub(crate) fn rule_span(program: &Program, rule: PatternId) -> Span {
    match program.patterns().get(rule) {
        Some(_) => origin_span(program.pattern_debug(rule).origin),
        None => Span::NONE,
    }
}

/// The name of a rule that is not compiled yet.
pub(crate) fn source_rule_name(rules: &RuleSet, rule: PatternId) -> &str {
    shown_name(&rules.strings[rules.patterns[rule].name])
}

/// The place of an origin in the rule files, or [`Span::NONE`] if Rust code built the rule.
pub(crate) fn origin_span(origin: Origin) -> Span {
    match origin {
        Origin::Span(span) => span,
        Origin::Rust(_) => Span::NONE,
    }
}

/// The place of an origin as text: `rules.td:3:5`, or `?` if it is unknown.
pub(crate) fn origin_text(sources: &SourceMap, origin: Origin) -> String {
    match origin {
        Origin::Span(span) => sources.locate(span).map_or_else(|| "?".to_owned(), |at| at.to_string()),
        Origin::Rust(at) => at.to_string(),
    }
}

/// Adds a text at a place, or as a note if the place is unknown.
pub(crate) fn at_or_note(diagnostic: Diagnostic, span: Span, text: String) -> Diagnostic {
    if span.is_none() { diagnostic.with_note(text) } else { diagnostic.at(span, text) }
}

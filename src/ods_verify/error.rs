//! The errors of verification, in MLIR's words if MLIR has the same error. `traits.rs` contains the messages that only
//! one trait uses.

use crate::source::{Diagnostic, Span};
#[cfg(any(feature = "cli", feature = "fuzzing"))]
use crate::wire::Invalid;

/// The result of a check: `Err` with the message about a violation.
pub(super) type CheckResult = Result<(), String>;

/// The entities of an operation that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Operand,
    Result,
    Region,
    Successor,
}

impl Counted {
    pub(super) fn word(self) -> &'static str {
        match self {
            Counted::Operand => "operand",
            Counted::Result => "result",
            Counted::Region => "region",
            Counted::Successor => "successor",
        }
    }
}

/// Reports an error at an operation.
pub(super) fn violation(op: &str, problem: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'{op}' op {problem}")).at(span, "")
}

/// Reports definitions that cannot be decoded.
#[cfg(any(feature = "cli", feature = "fuzzing"))]
pub(super) fn damaged(invalid: Invalid) -> Diagnostic {
    Diagnostic::error(format!(
        "the constraints in the definitions of a dialect are damaged: {}",
        invalid.into_parts().1
    ))
    .help("create the pack of definitions again")
}

pub(super) fn exact_count(what: Counted, wanted: usize, found: usize) -> String {
    match (what, wanted) {
        (Counted::Successor, 1) => format!("requires 1 successor but found {found}"),
        (Counted::Successor, _) => format!("requires {wanted} successors but found {found}"),
        (_, 0) => format!("requires zero {}s", what.word()),
        (Counted::Operand, 1) => "requires a single operand".to_owned(),
        (_, 1) => format!("requires one {}", what.word()),
        _ => format!("expected {wanted} {}s, but found {found}", what.word()),
    }
}

pub(super) fn least_count(what: Counted, least: usize, found: usize) -> String {
    match what {
        Counted::Successor => format!("requires at least {least} successors but found {found}"),
        Counted::Region => format!("expected {least} or more regions"),
        Counted::Operand => format!("expected {least} or more operands, but found {found}"),
        Counted::Result => format!("expected {least} or more results"),
    }
}

pub(super) fn no_segments(attribute: &str) -> String {
    format!("requires dense i32 array attribute '{attribute}'")
}

pub(super) fn negative_segment(attribute: &str) -> String {
    format!("'{attribute}' attribute cannot have negative elements")
}

pub(super) fn segment_sum(what: &str, attribute: &str, found: usize, sum: i64) -> String {
    format!(
        "{what} count ({found}) does not match with the total size ({sum}) specified in attribute '{attribute}'"
    )
}

pub(super) fn segment_count(what: Counted, attribute: &str, wanted: usize, found: usize) -> String {
    format!(
        "'{attribute}' attribute for specifying {} segments must have {wanted} elements, but got {found}",
        what.word()
    )
}

pub(super) fn segment_size(what: Counted, start: usize, wanted: &str, found: usize) -> String {
    format!("{} group starting at #{start} requires {wanted}, but found {found}", what.word())
}

pub(super) fn value_type(what: Counted, index: usize, summary: &str, ty: &str) -> String {
    format!("{} #{index} must be {summary}, but got '{ty}'", what.word())
}

pub(super) fn no_attribute(name: &str) -> String {
    format!("requires attribute '{name}'")
}

pub(super) fn attribute(name: &str, is_property: bool, summary: &str) -> String {
    let what = if is_property { "property" } else { "attribute" };
    format!("{what} '{name}' failed to satisfy constraint: {summary}")
}

pub(super) fn predicate(summary: &str) -> String {
    format!("failed to verify that {summary}")
}

pub(super) fn region(index: usize, name: &str, summary: &str) -> String {
    if name.is_empty() {
        format!("region #{index} failed to verify constraint: {summary}")
    } else {
        format!("region #{index} ('{name}') failed to verify constraint: {summary}")
    }
}

pub(super) fn parent(names: &[&str]) -> String {
    let which = if names.len() == 1 { "" } else { "to be one of " };
    format!("expects parent op {which}'{}'", names.join(", "))
}

pub(super) fn region_end(wanted: &str, found: &str) -> String {
    format!("expects regions to end with '{wanted}', found '{found}'")
}

pub(super) fn region_blocks(index: usize) -> String {
    format!("expects region #{index} to have 0 or 1 blocks")
}

/// Sizes of a shape; a size that is `None` is dynamic.
type Shape = [Option<i64>];

pub(super) fn broadcast_result(result: &Shape, operands: &Shape) -> String {
    let text = |shape: &Shape| {
        let sizes = shape.iter().map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string()));
        sizes.collect::<Vec<_>>().join("x")
    };
    let (result, operands) = (text(result), text(operands));
    format!("result type '{result}' not broadcast compatible with broadcasted operands's shapes '{operands}'")
}

pub(super) fn inferred_types(inferred: &str, found: &str) -> String {
    format!("inferred type(s) {inferred} are incompatible with return type(s) of operation {found}")
}

pub(super) fn body(text: &str, problem: &str) -> String {
    format!("'{text}' does not follow its definition: {problem}")
}

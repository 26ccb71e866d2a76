//! The errors of definitions.

use crate::source::{Diagnostic, Span};

pub(super) fn missing_operator(op: &str, field: &str, expected: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'{field}' of operation '{op}' must be a dag that starts with '{expected}'"))
        .at(span, "")
}

pub(super) fn undefined_argument(op: &str, what: &str, index: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("{what} {index} of operation '{op}' has no constraint"))
        .at(span, "expected a record")
}

pub(super) fn unexpected_argument(op: &str, record: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'{record}' cannot be an argument of operation '{op}'"))
        .at(span, "expected a type constraint, an attribute or a property")
}

pub(super) fn unnamed_argument(op: &str, what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("{what} of operation '{op}' must be named")).at(span, "")
}

pub(super) fn derived_argument(op: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("a derived attribute cannot be an argument of operation '{op}'")).at(span, "")
}

pub(super) fn duplicate_name(op: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("operation '{op}' has two entries named '{name}'")).at(span, "the second one")
}

pub(super) fn accessor_clash(op: &str, name: &str, accessor: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "the accessor '{accessor}' of '{name}' in operation '{op}' hides a method that every operation has"
    ))
    .at(span, "")
    .help(format!("rename '{name}'"))
}

pub(super) fn variadic_result_of_variadic(op: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("a result of operation '{op}' cannot be 'VariadicOfVariadic'")).at(span, "")
}

pub(super) fn not_last_variadic(op: &str, what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("only the last {what} of operation '{op}' can be variadic")).at(span, "")
}

pub(super) fn ambiguous_sizes(op: &str, what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("operation '{op}' has more than one {what} of variable size"))
        .at(span, "")
        .help(format!(
            "add 'AttrSized{0}Segments' or 'SameVariadic{0}Size' to its traits",
            if what == "operand" { "Operand" } else { "Result" }
        ))
}

pub(super) fn needless_segments(op: &str, what: &str, span: Span) -> Diagnostic {
    let name = if what == "operand" { "AttrSizedOperandSegments" } else { "AttrSizedResultSegments" };
    Diagnostic::error(format!("operation '{op}' has the trait '{name}', but at most one variadic {what}"))
        .at(span, format!("'{name}' needs at least two variadic {what}s"))
}

pub(super) fn trait_order(op: &str, which: &str, needs: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("in operation '{op}', trait '{which}' requires '{needs}' before it"))
        .at(span, "")
}

pub(super) fn no_builders(op: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("operation '{op}' skips the default builders and has none of its own"))
        .at(span, "")
}

pub(super) fn builder_dag(span: Span) -> Diagnostic {
    Diagnostic::error("the parameters of a builder must be a dag that starts with 'ins'").at(span, "")
}

pub(super) fn builder_param(span: Span) -> Diagnostic {
    Diagnostic::error("a parameter of a builder must be a string or a 'CArg'").at(span, "")
}

pub(super) fn builder_default(span: Span) -> Diagnostic {
    Diagnostic::error("a parameter without a default follows a parameter with a default").at(span, "")
}

pub(super) fn predicate_too_large(limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("this predicate is longer than {limit} bytes when written out")).at(span, "")
}

pub(super) fn predicate_too_deep(limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("predicates are nested deeper than {limit} levels")).at(span, "")
}

pub(super) fn unknown_predicate(record: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'{record}' is not a predicate"))
        .at(span, "expected a 'CPred' or a combination: 'And', 'Or', 'Neg', 'SubstLeaves' or 'Concat'")
}

pub(super) fn enum_width(name: &str, width: i64, span: Span) -> Diagnostic {
    Diagnostic::error(format!("enum '{name}' has values of {width} bits")).at(span, "expected 1 to 64")
}

/// An error at an offset of the format of an operation, attribute or type. If the definition contains the format as one
/// literal, the error points at the character, otherwise at the whole format.
pub(super) fn format(
    definition: &str,
    problem: &str,
    text: &str,
    offset: usize,
    span: Span,
    help: Option<&str>,
) -> Diagnostic {
    let offset = offset.min(text.len());
    let line = text[..offset].matches('\n').count() + 1;
    let near: String = text[offset..].lines().next().unwrap_or("").chars().take(40).collect();
    let place = literal_place(text, offset, span).unwrap_or(span);
    let mut error =
        Diagnostic::error(format!("the assembly format of '{definition}' is wrong: {problem}")).at(place, "");
    error = match near.trim() {
        "" => error.with_note("the error is at the end of the format"),
        near => error.with_note(format!("the error is at `{near}` in line {line} of the format")),
    };
    match help {
        Some(help) => error.help(help),
        None => error,
    }
}

/// The place of an offset in a literal `[{text}]` or `"text"` with this span.
fn literal_place(text: &str, offset: usize, span: Span) -> Option<Span> {
    let length = usize::try_from(span.hi.checked_sub(span.lo)?).ok()?;
    let open = match length.checked_sub(text.len())? {
        4 => 2,
        2 if !text.contains('\\') => 1,
        _ => return None,
    };
    let lo = span.lo + u32::try_from(open + offset).ok()?;
    Some(Span { lo, hi: lo + 1 })
}

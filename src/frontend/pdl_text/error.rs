//! The errors of `pdl` text. Each error has one constructor.

use crate::host::Kind;
use crate::pdl::Pattern;
use crate::pdl::extension::pdl_type;
use crate::plural::count;
use crate::source::{Diagnostic, Span};

pub(super) fn not_a_rule(found: &str, at: Span) -> Diagnostic {
    Diagnostic::warning(format!("'{found}' is not a rule and is skipped")).at(at, "").help(
        match found.starts_with("pdl_interp.") {
            true => "give the 'pdl' rules that it was lowered from",
            false => "a rule file holds 'pdl.pattern' operations, in modules or at the top level",
        },
    )
}

pub(super) fn unknown_op(found: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("'{found}' is not an operation of the pdl dialect")).at(at, "")
}

pub(super) fn unclosed(what: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("this {what} is not closed")).at(at, "it begins here")
}

pub(super) fn not_a_pdl_type(at: Span) -> Diagnostic {
    Diagnostic::error("expected a type of the pdl dialect").at(at, "").help(
        "the types are !pdl.attribute, !pdl.operation, !pdl.type, !pdl.value, and !pdl.range of attribute, type or \
         value",
    )
}

pub(super) fn range_of_range(at: Span) -> Diagnostic {
    Diagnostic::error("the elements of a range cannot be ranges").at(at, "")
}

pub(super) fn undefined_value(name: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("use of undefined value '%{name}'")).at(at, "")
}

pub(super) fn redefined_value(name: &str, at: Span, before: Span) -> Diagnostic {
    Diagnostic::error(format!("'%{name}' is defined twice")).at(at, "").at(before, "first here")
}

pub(super) fn wrong_type(name: &str, expected: &str, found: Kind, at: Span, def: Span) -> Diagnostic {
    Diagnostic::error(format!("'%{name}' must be {expected}, not {}", pdl_type(found)))
        .at(at, "")
        .at(def, "defined here")
}

pub(super) fn wrong_count(noun: &str, expected: usize, found: usize, at: Span) -> Diagnostic {
    Diagnostic::error(format!("expected {}, found {found}", count(expected, noun))).at(at, "")
}

pub(super) fn wrong_results(op: &str, expected: &[Kind], found: &[Kind], at: Span) -> Diagnostic {
    let text = |kinds: &[Kind]| match kinds {
        [] => "nothing".to_owned(),
        kinds => kinds.iter().map(|&kind| pdl_type(kind)).collect::<Vec<_>>().join(" and "),
    };
    Diagnostic::error(format!("'{op}' returns {}, not {}", text(expected), text(found))).at(at, "")
}

pub(super) fn pattern_type(at: Span) -> Diagnostic {
    Diagnostic::error("a pattern has no operands and no results").at(at, "").help("its type is () -> ()")
}

pub(super) fn redefined_pattern(name: &str, at: Span, before: Span) -> Diagnostic {
    Diagnostic::error(format!("a module has two patterns that are named '@{name}'"))
        .at(at, "")
        .at(before, "first here")
        .help("omit the name of one pattern, or set it with 'attributes {drrvm.name = \"…\"}' instead")
}

pub(super) fn block_arguments(at: Span) -> Diagnostic {
    Diagnostic::error("the block of a pattern or rewrite must have no arguments").at(at, "")
}

pub(super) fn several_blocks(region: Span, at: Span) -> Diagnostic {
    Diagnostic::error("the region of a pattern or rewrite must have one block")
        .at(region, "")
        .at(at, "a second block")
}

pub(super) fn wrong_attribute(op: &str, name: &str, kind: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("'{op}' needs an attribute '{name}' that is {kind}")).at(at, "")
}

pub(super) fn bad_segments(at: Span) -> Diagnostic {
    Diagnostic::error("'operandSegmentSizes' must be an i32 array with the size of each group of operands, and the sizes must add up to the number of operands").at(at, "")
}

pub(super) fn regions(op: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("'{op}' must not have regions")).at(at, "")
}

pub(super) fn benefit_out_of_range(given: i64, at: Span) -> Diagnostic {
    Diagnostic::error(format!("benefit {given} is out of range: expected 0 to 32767"))
        .at(at, "")
        .help("for a benefit of up to 65534, write 'attributes {drrvm.benefit = … : i32}'")
}

pub(super) fn extended_benefit_out_of_range(given: i64, at: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "'drrvm.benefit' {given} is out of range: expected 0 to {}",
        Pattern::MAX_BENEFIT
    ))
    .at(at, "")
}

pub(super) fn no_rewrite(at: Span, end: Span) -> Diagnostic {
    Diagnostic::error("a pattern must end with 'pdl.rewrite'").at(at, "").note_at(end, "it ends with this")
}

pub(super) fn rewrite_not_last(at: Span) -> Diagnostic {
    Diagnostic::error("'pdl.rewrite' must be the last operation of its pattern").at(at, "")
}

pub(super) fn foreign_op(at: Span, op: Span) -> Diagnostic {
    Diagnostic::error("a pattern holds operations of the pdl dialect only")
        .at(at, "")
        .note_at(op, "this operation is of another dialect")
}

pub(super) fn no_operation(at: Span) -> Diagnostic {
    Diagnostic::error("a pattern must match at least one 'pdl.operation'").at(at, "")
}

pub(super) fn disconnected(at: Span, op: Span) -> Diagnostic {
    Diagnostic::error("the operations of a pattern must be connected")
        .at(at, "")
        .note_at(op, "no value connects this to the operations before it")
}

pub(super) fn unused(op: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("no operation uses this '{op}'"))
        .at(at, "")
        .help("in the match part, an operation other than 'pdl.result' and 'pdl.results' must use it")
}

pub(super) fn wrong_parent(op: &str, parent: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("'{op}' must be in a '{parent}'")).at(at, "")
}

pub(super) fn no_arguments(op: &str, what: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("'{op}' needs at least one {what}")).at(at, "")
}

pub(super) fn constraint_gives_op(at: Span) -> Diagnostic {
    Diagnostic::error("a constraint cannot return an operation").at(at, "")
}

pub(super) fn type_and_value(at: Span) -> Diagnostic {
    Diagnostic::error(
        "an attribute cannot have both a type and a value, because the value has a type of its own",
    )
    .at(at, "")
}

pub(super) fn attribute_without_value(at: Span) -> Diagnostic {
    Diagnostic::error("an attribute in a rewrite needs a value").at(at, "")
}

pub(super) fn operation_without_name(at: Span) -> Diagnostic {
    Diagnostic::error("an operation in a rewrite needs a name").at(at, "")
}

pub(super) fn attribute_counts(names: usize, values: usize, at: Span) -> Diagnostic {
    let (names, values) = (count(names, "attribute name"), count(values, "attribute value"));
    Diagnostic::error(format!(
        "an operation must have one value for each attribute name, but this one has {names} and {values}"
    ))
    .at(at, "")
}

pub(super) fn unknown_result_type(index: usize, at: Span) -> Diagnostic {
    Diagnostic::error(format!("the type of result {index} of a new operation is not known"))
        .at(at, "")
        .help("give a constant, the type of a matched value or the result of a native, or replace a matched operation with this one")
}

pub(super) fn unknown_result_types(op: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("the result types of '{op}' are not known"))
        .at(at, "")
        .help("list them, or replace a matched operation with this one")
}

pub(super) fn open_result_group(at: Span) -> Diagnostic {
    Diagnostic::error(
        "the start of this result group is not known, because a group of variable size comes before it",
    )
    .at(at, "")
    .help("list the types of the operation's results group by group")
}

pub(super) fn replaced_twice(at: Span) -> Diagnostic {
    Diagnostic::error("an operation cannot be replaced by values and by an operation at the same time")
        .at(at, "")
}

pub(super) fn range_of_neither(found: Kind, at: Span) -> Diagnostic {
    let found = pdl_type(found);
    Diagnostic::error(format!("'pdl.range' makes a range of types or of values, not {found}")).at(at, "")
}

pub(super) fn mixed_range(expected: Kind, found: Kind, at: Span) -> Diagnostic {
    let (expected, found) = (pdl_type(expected), pdl_type(found));
    Diagnostic::error(format!("a range of type {expected} cannot hold {found}")).at(at, "")
}

pub(super) fn one_value_of_all_results(at: Span) -> Diagnostic {
    Diagnostic::error(
        "'pdl.results' without an index must return a '!pdl.range<value>', because it stands for all results",
    )
    .at(at, "")
}

pub(super) fn external_with_body(at: Span) -> Diagnostic {
    Diagnostic::error("a rewrite that names a native must not have a body").at(at, "")
}

pub(super) fn rewrite_without_body(at: Span) -> Diagnostic {
    Diagnostic::error("a rewrite needs a body or the name of a native").at(at, "")
}

pub(super) fn external_arguments(at: Span) -> Diagnostic {
    Diagnostic::error("only a rewrite by a native takes arguments").at(at, "")
}

pub(super) fn malformed_benefits(at: Span) -> Diagnostic {
    Diagnostic::error("'drrvm.benefits' must be a list of benefits with the constraints that they depend on")
        .at(at, "the largest benefit of the rule")
        .help("write it as [[\"constraint\", 3 : i32], …, [1 : i32]]; the last may have no constraint")
}

pub(super) fn benefit_without_constraint(name: &str, benefit: i64, at: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "benefit {benefit} depends on constraint '{name}', which the pattern does not have"
    ))
    .at(at, "the benefit of this pattern")
    .help(format!(
        "add pdl.apply_native_constraint \"{name}\" to the pattern, once for each benefit that names it"
    ))
}

pub(super) fn malformed_extension(name: &str, what: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("'{name}' {what}")).at(at, "")
}

pub(super) fn expression_without_code(at: Span) -> Diagnostic {
    Diagnostic::error(
        "the text of an expression needs the attribute 'drrvm.code' with which it was printed: the meaning of C++ text \
         depends on definitions that this file does not contain",
    )
    .at(at, "")
}

pub(super) fn malformed_computed_constant(at: Span) -> Diagnostic {
    Diagnostic::error("a computed constant must have no parameters and one result").at(at, "")
}

pub(super) fn extension_only(at: Span) -> Diagnostic {
    Diagnostic::error("only extensions can use this value").at(at, "")
}

pub(super) fn too_deep(limit: u32, at: Span) -> Diagnostic {
    Diagnostic::error(format!("regions are nested deeper than {limit} levels")).at(at, "")
}

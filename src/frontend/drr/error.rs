//! Errors of DRR rules.

use crate::pdl::Pattern;
use crate::plural::count;
use crate::snippet::TypeError;
use crate::source::{Diagnostic, Span};

pub(super) fn source_not_an_op(rule: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("the source pattern of '{rule}' is not an operation"))
        .at(span, "expected a dag that starts with an operation")
}

pub(super) fn not_an_op(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'{name}' is not an operation")).at(span, "expected an operation here")
}

pub(super) fn head_not_a_record(span: Span) -> Diagnostic {
    Diagnostic::error("a pattern must start with an operation, a native call or a directive").at(span, "")
}

/// Adds a note to an error in the definition of an operation: the place where a rule uses the operation.
pub(super) fn in_definition(error: Diagnostic, used: Span) -> Diagnostic {
    error.note_at(used, "the operation is used here")
}

pub(super) fn argument_count(
    op: &str,
    given: usize,
    expected: usize,
    span: Span,
    definition: Span,
) -> Diagnostic {
    let given = count(given, "argument");
    Diagnostic::error(format!("'{op}' has {given} here, but {expected} in its definition"))
        .at(span, "")
        .note_at(definition, "defined here")
}

pub(super) fn directive_in_source(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'{name}' cannot be used in a source pattern")).at(span, "")
}

pub(super) fn misplaced_return_type(span: Span) -> Diagnostic {
    Diagnostic::error("'returnType' can only be a trailing argument of an operation to be built").at(span, "")
}

pub(super) fn misplaced_location(span: Span) -> Diagnostic {
    Diagnostic::error(
        "'location' can only be a trailing argument of an operation to be built or of a native call",
    )
    .at(span, "")
}

pub(super) fn duplicate_directive(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'{name}' is given more than once")).at(span, "repeated here")
}

pub(super) fn bound_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(format!("symbol '${name}' is bound more than once"))
        .at(span, "bound again here")
        .at(first, "first bound here")
        .help("only operands can share a symbol, which makes them equal")
}

pub(super) fn bound_to_value_and_range(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(format!("symbol '${name}' is bound to one value and to a range of values"))
        .at(span, "")
        .at(first, "first bound here")
}

pub(super) fn index_on_argument(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("symbol '${name}' has a trailing index, so it cannot be bound here"))
        .at(span, "only results of operations that are built can be bound with an index")
}

pub(super) fn unbound(name: &str, similar: Option<&str>, span: Span) -> Diagnostic {
    let error = Diagnostic::error(format!("symbol '${name}' is not bound")).at(span, "");
    match similar {
        Some(similar) => error.help(format!("did you mean '${similar}'?")),
        None => error,
    }
}

pub(super) fn used_before_built(name: &str, span: Span, bound: Span) -> Diagnostic {
    Diagnostic::error(format!("symbol '${name}' is used before its value is created"))
        .at(span, "used here")
        .at(bound, "created here")
}

pub(super) fn no_such_result(name: &str, index: usize, results: usize, span: Span) -> Diagnostic {
    let verb = if results == 1 { "is" } else { "are" };
    let has = count(results, "result");
    Diagnostic::error(format!("'${name}__{index}' refers to result {index}, but there {verb} only {has}"))
        .at(span, "")
}

pub(super) fn index_on_value(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'${name}' does not refer to results, so it cannot have an index")).at(span, "")
}

pub(super) fn bind_native_in_source(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("symbol '${name}' is bound to a native call in a source pattern"))
        .at(span, "bind its arguments instead")
}

/// The warning about a location in a source pattern. MLIR ignores such a location, too.
pub(super) fn location_in_source(span: Span) -> Diagnostic {
    Diagnostic::warning("a location in a source pattern has no effect")
        .at(span, "only new operations have locations that a rule can state")
}

pub(super) fn bind_directive(name: &str, directive: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("symbol '${name}' is bound to '{directive}'"))
        .at(span, "only operations and native calls can be bound")
}

pub(super) fn expected_operand(op: &str, index: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("argument {} of operation '{op}' is an operand", index + 1))
        .at(span, "expected a type constraint, a symbol or a nested pattern")
}

pub(super) fn expected_attribute(op: &str, index: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("argument {} of operation '{op}' is an attribute", index + 1))
        .at(span, "expected an attribute constraint or a symbol")
}

pub(super) fn expected_property(op: &str, index: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("argument {} of operation '{op}' is a property", index + 1))
        .at(span, "expected a property constraint or a symbol")
}

pub(super) fn constrained_range(op: &str, index: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "argument {} of operation '{op}' is variadic or optional, so it cannot be constrained further",
        index + 1
    ))
    .at(span, "")
}

pub(super) fn nested_in_range(op: &str, index: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "argument {} of operation '{op}' is variadic or optional, so no nested pattern can match it",
        index + 1
    ))
    .at(span, "")
    .help("use '(variadic …)' to match the operands of a variadic argument one by one")
}

pub(super) fn either_arity(span: Span) -> Diagnostic {
    Diagnostic::error("'either' takes two operands").at(span, "")
}

pub(super) fn either_in_result(span: Span) -> Diagnostic {
    Diagnostic::error("'either' can only be used in a source pattern").at(span, "")
}

pub(super) fn nested_either(span: Span) -> Diagnostic {
    Diagnostic::error("'either' cannot be nested").at(span, "")
}

pub(super) fn either_operand(span: Span) -> Diagnostic {
    Diagnostic::error("both operands of 'either' must be single values").at(span, "")
}

pub(super) fn variadic_operand(op: &str, index: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("argument {} of operation '{op}' is not variadic", index + 1))
        .at(span, "'variadic' cannot match it")
}

pub(super) fn variadic_item(span: Span) -> Diagnostic {
    Diagnostic::error("'variadic' takes operations, type constraints and symbols").at(span, "")
}

pub(super) fn native_needs_self(span: Span) -> Diagnostic {
    Diagnostic::error("a native call in a source pattern must mention '$_self' once")
        .at(span, "the operation that defines the operand is passed as '$_self'")
}

pub(super) fn nested_in_native(span: Span) -> Diagnostic {
    Diagnostic::error("a native call in a source pattern binds its arguments")
        .at(span, "expected a symbol or a constraint, not a nested pattern")
}

pub(super) fn return_type_on_native(span: Span) -> Diagnostic {
    Diagnostic::error("a native call cannot have a 'returnType'").at(span, "")
}

pub(super) fn constraint_dag(span: Span) -> Diagnostic {
    Diagnostic::error("a constraint must be a dag that starts with a 'Constraint'").at(span, "")
}

pub(super) fn constraint_operand(span: Span) -> Diagnostic {
    Diagnostic::error("a constraint takes symbols only").at(span, "")
}

pub(super) fn type_constraint_arity(span: Span) -> Diagnostic {
    Diagnostic::error("a type constraint takes one symbol").at(span, "")
}

pub(super) fn type_of_non_value(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'${name}' is not a value, so it has no type to constrain")).at(span, "")
}

pub(super) fn no_type(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'${name}' is neither a value nor an attribute, so it has no type"))
        .at(span, "")
}

pub(super) fn attr_constraint_in_list(span: Span) -> Diagnostic {
    Diagnostic::error("an attribute constraint cannot be used in a list of constraints")
        .at(span, "")
        .help("write it at the attribute in the source pattern: 'MyConstraint:$name'")
}

pub(super) fn too_many_arguments(count: usize, limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("a constraint takes up to {limit} symbols, but this one has {count}"))
        .at(span, "")
}

pub(super) fn invalid_return_count(count: i64, limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("a native call has 0 to {limit} results, but 'numReturns' is {count} here"))
        .at(span, "")
}

pub(super) fn ill_typed(error: &TypeError, expression: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(error.message()).at(span, "");
    let diagnostic =
        diagnostic.with_note(format!("in the expression '{expression}', which the rule needs here"));
    match error.help() {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

pub(super) fn benefit_dag(span: Span) -> Diagnostic {
    Diagnostic::error("the benefit must be '(addBenefit N)' with one integer").at(span, "")
}

pub(super) fn benefit_range(benefit: i128, span: Span) -> Diagnostic {
    Diagnostic::error(format!("the benefit of this rule is {benefit}"))
        .at(span, format!("expected 0 to {}", Pattern::MAX_BENEFIT))
}

pub(super) fn results_not_dags(span: Span) -> Diagnostic {
    Diagnostic::error("a result pattern must be a dag").at(span, "")
}

pub(super) fn partial_replacement(span: Span) -> Diagnostic {
    Diagnostic::error(
        "some results of this operation replace results of the matched operation, and others do not",
    )
    .at(span, "")
    .help("bind it with an index ('$name__N') and use its other results with 'replaceWithValue'")
}

pub(super) fn not_enough_values(root: &str, given: usize, expected: usize, span: Span) -> Diagnostic {
    let (given, expected) = (count(given, "value"), count(expected, "result"));
    Diagnostic::error(format!("the result patterns have {given}, but '{root}' has {expected} to replace"))
        .at(span, "")
}

pub(super) fn nothing_to_replace_with(span: Span) -> Diagnostic {
    Diagnostic::error("a native call without results cannot replace a result").at(span, "")
}

pub(super) fn replace_with_value_arity(span: Span) -> Diagnostic {
    Diagnostic::error("'replaceWithValue' takes one symbol").at(span, "")
}

pub(super) fn only_native_in_attribute(op: &str, index: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("argument {} of operation '{op}' is not an operand", index + 1))
        .at(span, "expected a native call, a constant or a symbol, not a nested operation")
}

pub(super) fn non_variadic(op: &str, index: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("argument {} of operation '{op}' is variadic", index + 1))
        .at(span, "expected a range of values")
        .help("wrap the values in '(variadic …)'")
}

pub(super) fn expected_value(what: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("{what} must be one value, but this is {found}")).at(span, "")
}

pub(super) fn attribute_as_value(span: Span) -> Diagnostic {
    Diagnostic::error("attribute found where a value was expected")
        .at(span, "")
        .help("to use a constant, build a constant operation with this attribute")
}

pub(super) fn value_as_attribute(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("{found} found where an attribute was expected")).at(span, "")
}

pub(super) fn not_const_buildable(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("attribute '{name}' cannot be built from a constant"))
        .at(span, "its 'constBuilderCall' is not set")
}

pub(super) fn constant_kind(found: &str, expected: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("{found} found where {expected} was expected")).at(span, "")
}

pub(super) fn raw_string(span: Span) -> Diagnostic {
    Diagnostic::error("a string cannot be an argument").at(span, "").help("use 'ConstantStrAttr<…>'")
}

pub(super) fn unusable_leaf(span: Span) -> Diagnostic {
    Diagnostic::error("this cannot be an argument of a pattern").at(span, "")
}

pub(super) fn return_type_on_root(span: Span) -> Diagnostic {
    Diagnostic::error("an operation that replaces the matched operation cannot have a 'returnType'")
        .at(span, "its result types are those of the matched operation")
}

pub(super) fn return_type_item(span: Span) -> Diagnostic {
    Diagnostic::error("'returnType' takes symbols, strings and native calls").at(span, "")
}

pub(super) fn return_type_value(span: Span) -> Diagnostic {
    Diagnostic::error("an item of 'returnType' must be one type or one range of types").at(span, "")
}

pub(super) fn location_arguments(span: Span) -> Diagnostic {
    Diagnostic::error("'location' takes symbols and up to one string").at(span, "")
}

pub(super) fn type_from_property(op: &str, span: Span, definition: Span) -> Diagnostic {
    Diagnostic::error(format!("the definition of '{op}' infers a result type from a property"))
        .at(span, "built here")
        .note_at(definition, "defined here")
        .help("types can be inferred from operands, attributes and other results")
}

pub(super) fn too_deep(limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error(format!("patterns are nested deeper than {limit} levels")).at(span, "")
}

pub(super) fn constrained_list(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("'${name}' is a 'variadic' list, which a native constraint cannot take"))
        .at(span, "")
        .help("constrain the values in the list one by one")
}

pub(super) fn ambiguous_builder(op: &str, span: Span, first: Span, second: Span) -> Diagnostic {
    Diagnostic::error(format!("two builders of '{op}' take these arguments"))
        .at(span, "built here")
        .note_at(first, "one builder")
        .note_at(second, "another builder")
        .help("add '(returnType …)'")
}

pub(super) fn builder_type(op: &str, text: &str, span: Span, builder: Span) -> Diagnostic {
    Diagnostic::error(format!("the builder of '{op}' uses '{text}' as a result type, but it is not a type"))
        .at(span, "built here")
        .note_at(builder, "the builder")
}

pub(super) fn builder_argument(op: &str, text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "the builder of '{op}' passes '{text}' as an argument, but it is not one value"
    ))
    .at(span, "built here")
}

/// Adds a place to an error in a predicate: the place where a rule uses the predicate.
pub(super) fn in_predicate(error: Diagnostic, used: Span) -> Diagnostic {
    match error.labels.first() {
        Some(label) if label.span.is_none() => error.at(used, ""),
        Some(label) if label.span != used => error.note_at(used, "used here"),
        _ => error,
    }
}

pub(super) fn constant_range(number: i128, least: i128, most: i128, span: Span) -> Diagnostic {
    Diagnostic::error(format!("the attribute cannot be {number}"))
        .at(span, format!("expected {least} to {most}"))
}

pub(super) fn constant_class(
    constant: &str,
    op: &str,
    index: usize,
    expected: &str,
    span: Span,
) -> Diagnostic {
    Diagnostic::error(format!("argument {} of operation '{op}' is of class '{expected}'", index + 1))
        .at(span, format!("this is of class '{constant}'"))
}

pub(super) fn region_count(
    op: &str,
    given: usize,
    expected: usize,
    span: Span,
    definition: Span,
) -> Diagnostic {
    Diagnostic::error(format!(
        "too many regions are taken for operation '{op}': {given}, expected at most {expected}"
    ))
    .at(span, "built here")
    .note_at(definition, "defined here")
}

pub(super) fn region_taken_twice(index: u32, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(format!("region {index} is taken twice"))
        .at(span, "")
        .note_at(first, "first taken here")
}

pub(super) fn take_region_text(span: Span) -> Diagnostic {
    Diagnostic::error("a 'takeRegion' takes '$0' and the index of a region")
        .at(span, "")
        .help("for example 'NativeCodeCall<\"takeRegion($0, 0)\">'")
}

pub(super) fn take_region_argument(span: Span) -> Diagnostic {
    Diagnostic::error("a region is taken from one operation, which is given by its symbol")
        .at(span, "")
        .help("bind the root of the source pattern, as in '(MyOp:$op $x)', and write '(TakeRegion $op)'")
}

pub(super) fn region_of_unmatched(symbol: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!(
        "a region is taken from '${symbol}', which is not an operation that the rule matches"
    ))
    .at(span, "expected the symbol of the source pattern's root")
}

pub(super) fn region_of_remaining(symbol: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("a region is taken from '${symbol}', which the rule does not erase"))
        .at(span, "expected the symbol of the source pattern's root, the only operation that a rule erases")
}

pub(super) fn no_such_region(op: &str, index: u32, count: usize, span: Span, definition: Span) -> Diagnostic {
    let regions = match count {
        0 => "no regions".to_owned(),
        1 => "only region 0".to_owned(),
        count => format!("only regions 0 to {}", count - 1),
    };
    Diagnostic::error(format!("operation '{op}' has no region {index}"))
        .at(span, format!("expected an operation with this region; '{op}' has {regions}"))
        .note_at(definition, "defined here")
}

pub(super) fn misplaced_region(span: Span) -> Diagnostic {
    Diagnostic::error("'takeRegion' must be one of the last arguments of a new operation")
        .at(span, "")
        .help("write '(NewOp $x, (TakeRegion $op))': the new operation gets the region")
}

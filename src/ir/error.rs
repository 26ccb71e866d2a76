//! The errors of the parser and the verifier.

use super::dialect::Syntax;
use crate::source::{Diagnostic, Span};

/// The result of a parser function. The diagnostic is boxed to keep results small.
pub(super) type ParseResult<T> = Result<T, Box<Diagnostic>>;

fn at(message: impl Into<String>, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(message).at(span, ""))
}

pub(super) fn expected(what: &str, span: Span) -> Box<Diagnostic> {
    at(format!("expected {what}"), span)
}

pub(super) fn too_deep(limit: u32, span: Span) -> Box<Diagnostic> {
    at(format!("nesting is deeper than the limit of {limit} levels"), span)
}

pub(super) fn unexpected_character(span: Span) -> Box<Diagnostic> {
    at("unexpected character", span)
}

pub(super) fn unterminated_string(span: Span) -> Box<Diagnostic> {
    at("expected '\"' at the end of a string literal", span)
}

pub(super) fn bad_escape(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("unknown escape in a string literal")
            .at(span, "")
            .help("escapes are \\\", \\\\, \\n, \\t and two hexadecimal digits"),
    )
}

pub(super) fn unbalanced(open: char, span: Span) -> Box<Diagnostic> {
    at(format!("unbalanced '{open}' in a dialect's type or attribute"), span)
}

pub(super) fn bad_namespace(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("invalid dialect namespace '{name}'"), span)
}

pub(super) fn no_dialect_text(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("dialect 'builtin' has no types or attributes of this form")
            .at(span, "")
            .help("builtin types and attributes are written without '!builtin.' or '#builtin.'"),
    )
}

pub(super) fn integer_too_wide(limit: u32, span: Span) -> Box<Diagnostic> {
    at(format!("integer bit width is limited to {limit} bits"), span)
}

pub(super) fn unknown_type(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("unknown type '{name}'"), span)
}

pub(super) fn bad_dimension(span: Span) -> Box<Diagnostic> {
    at("expected a dimension size that fits in 63 bits", span)
}

pub(super) fn scalable_dimension(span: Span) -> Box<Diagnostic> {
    at("expected a constant size in the brackets of a scalable dimension", span)
}

pub(super) fn vector_dimension(span: Span) -> Box<Diagnostic> {
    at("vector types must have positive constant sizes", span)
}

pub(super) fn bad_element_type(what: &str, span: Span) -> Box<Diagnostic> {
    at(format!("invalid element type of {what}"), span)
}

pub(super) fn bad_layout(reason: &str, span: Span) -> Box<Diagnostic> {
    at(format!("invalid memref layout: {reason}"), span)
}

pub(super) fn undefined_alias(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("undefined symbol alias id '{name}'"), span)
}

pub(super) fn cyclic_alias(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("the definition of alias '{name}' refers to itself"), span)
}

pub(super) fn redefined_alias(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("redefinition of alias '{name}'"), span)
}

pub(super) fn dotted_alias(span: Span) -> Box<Diagnostic> {
    at("names with a '.' are reserved for dialect-defined names", span)
}

pub(super) fn alias_kind(name: &str, wanted: &str, span: Span) -> Box<Diagnostic> {
    at(format!("alias '{name}' does not stand for {wanted}"), span)
}

pub(super) fn integer_out_of_range(span: Span) -> Box<Diagnostic> {
    at("integer constant out of range for attribute", span)
}

pub(super) fn bad_literal_type(literal: &str, ty: &str, span: Span) -> Box<Diagnostic> {
    at(format!("{literal} is not a value of type '{ty}'"), span)
}

pub(super) fn decimal_for_float(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("unexpected decimal integer literal for a floating point attribute")
            .at(span, "")
            .help("add a trailing dot to make the literal a float"),
    )
}

pub(super) fn float_bits_too_wide(span: Span) -> Box<Diagnostic> {
    at("hexadecimal float constant out of range for type", span)
}

pub(super) fn ragged_list(span: Span) -> Box<Diagnostic> {
    at("tensor literal is invalid; ranks are not consistent between elements", span)
}

pub(super) fn not_shaped(span: Span) -> Box<Diagnostic> {
    at("expected a shaped type for elements", span)
}

pub(super) fn literal_shape(literal: &str, wanted: &str, span: Span) -> Box<Diagnostic> {
    at(format!("inferred shape of elements literal ([{literal}]) does not match type ([{wanted}])"), span)
}

pub(super) fn no_elements(ty: &str, span: Span) -> Box<Diagnostic> {
    at(format!("parsed zero elements, but type ({ty}) expected at least 1"), span)
}

pub(super) fn bad_hex_data(reason: &str, span: Span) -> Box<Diagnostic> {
    at(format!("elements hex string {reason}"), span)
}

pub(super) fn static_shape(span: Span) -> Box<Diagnostic> {
    at("elements literal type must have static shape", span)
}

pub(super) fn sparse_shape(reason: &str, span: Span) -> Box<Diagnostic> {
    at(format!("invalid sparse elements: {reason}"), span)
}

pub(super) fn duplicate_key(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("duplicate key '{name}' in dictionary attribute"), span)
}

pub(super) fn affine_identifier(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("use of undeclared identifier '{name}'"), span)
}

pub(super) fn affine_redefined(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("redefinition of identifier '{name}'"), span)
}

pub(super) fn not_affine(what: &str, span: Span) -> Box<Diagnostic> {
    at(format!("non-affine expression: {what}"), span)
}

pub(super) fn affine_too_large(limit: usize, span: Span) -> Box<Diagnostic> {
    at(format!("affine expression has more than the limit of {limit} operators and operands"), span)
}

pub(super) fn redefined_value(name: &str, span: Span, before: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(format!("redefinition of SSA value '{name}'"))
            .at(span, "")
            .note_at(before, "previously defined here"),
    )
}

pub(super) fn undefined_value(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("use of undeclared SSA value name '{name}'"), span)
}

pub(super) fn used_from_isolated(op: &str, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("using value defined outside the region").at(span, "").help(format!(
        "the regions of '{op}' are isolated from above: define the value inside, or pass it as an operand"
    )))
}

pub(super) fn result_number(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("reference to invalid result number of '{name}'"), span)
}

pub(super) fn result_count(named: u64, results: u32, span: Span) -> Box<Diagnostic> {
    at(format!("operation defines {results} results but was provided {named} to bind"), span)
}

pub(super) fn no_results(span: Span) -> Box<Diagnostic> {
    at("expected result count of at least 1", span)
}

pub(super) fn value_type(name: &str, used: &str, is: &str, span: Span) -> Box<Diagnostic> {
    at(format!("use of value '{name}' expects different type than prior uses: '{used}' vs '{is}'"), span)
}

pub(super) fn operand_types(operands: usize, types: usize, span: Span) -> Box<Diagnostic> {
    at(format!("expected {operands} operand types but had {types}"), span)
}

pub(super) fn redefined_block(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("redefinition of block '{name}'"), span)
}

pub(super) fn undefined_block(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("reference to an undefined block '{name}'"), span)
}

/// An operation whose definition declares no custom form.
pub(super) fn no_form(name: &str, span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(format!("operation '{name}' has no custom form"));
    Box::new(error.at(span, "").help(format!("write it in generic form: \"{name}\"(…)")))
}

pub(super) fn custom_form(name: &str, span: Span) -> Box<Diagnostic> {
    let help = match name.split_once('.') {
        Some((dialect, _)) => format!(
            "add the `.td` files that define the dialect '{dialect}' with `--dialects`; or print the operation in \
             generic form, which is read for every operation: run the tool that knows the dialect (`mlir-opt` for \
             MLIR's own dialects) with `--mlir-print-op-generic`"
        ),
        None => {
            "print it in generic form, which is read for every operation: run the tool that wrote it with \
                 `--mlir-print-op-generic`"
                .to_owned()
        }
    };
    Box::new(Diagnostic::error(format!("custom operation '{name}' is unknown")).at(span, "").help(help))
}

/// Adds the operation to the message. If the operation has a declared format, adds the format as a note.
pub(super) fn in_custom_form(mut error: Diagnostic, op: &str, syntax: Option<&Syntax>) -> Box<Diagnostic> {
    error.message = format!("{} in the custom form of '{op}'", error.message);
    match syntax {
        Some(Syntax::Declared { text, .. }) => {
            let words: Vec<&str> = text.split_whitespace().collect();
            Box::new(error.with_note(format!("its format is: {}", words.join(" "))))
        }
        _ => Box::new(error),
    }
}

pub(super) fn custom_text(message: &str, span: Span) -> Box<Diagnostic> {
    at(message, span)
}

const GENERIC: &str =
    "print the file in generic form: run a tool that knows the dialect with `--mlir-print-op-generic`";

pub(super) fn cxx_form(op: &str, span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(format!("only C++ code reads the custom form of '{op}'"));
    let help = format!("{GENERIC}; or register a form: `context.forms_mut().add_form(\"{op}\", …)`");
    Box::new(error.at(span, "").help(help))
}

pub(super) fn cxx_directive(name: &str, op: &str, span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(format!("only C++ code reads 'custom<{name}>' in the format of '{op}'"));
    let help = format!("{GENERIC}; or register it: `context.forms_mut().add_directive(\"{name}\", …)`");
    Box::new(error.at(span, "").help(help))
}

pub(super) fn cxx_property(name: &str, op: &str, span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(format!("only C++ code reads property '{name}' in the format of '{op}'"));
    Box::new(error.at(span, "").help(GENERIC))
}

/// A region without a terminator, in an operation whose terminator has an unknown class.
pub(super) fn unknown_terminator(op: &str, class: &str, span: Span) -> Box<Diagnostic> {
    let problem = format!(
        "the region needs a terminator, and no definition of an operation has its C++ class '{class}'"
    );
    let help = format!("add the file that defines '{class}' with `--dialects`, or write the terminator");
    Box::new(operation(op, &problem, span).help(help))
}

pub(super) fn cxx_type(name: &str, op: &str, reason: &str, span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(format!("the type of '{name}' of '{op}' is unknown: {reason}"));
    Box::new(error.at(span, "").help(GENERIC))
}

/// An attribute without a type, although the type of a group of operands or results follows from the attribute's type.
pub(super) fn untyped_attribute(attr: &str, group: &str, op: &str, span: Span) -> Box<Diagnostic> {
    let error = format!(
        "attribute '{attr}' of '{op}' must have a type, because the type of '{group}' follows from this type"
    );
    at(error, span)
}

/// A type from which the type of a group cannot be computed.
pub(super) fn underivable_type(
    name: &str,
    op: &str,
    from: &str,
    reason: &str,
    span: Span,
) -> Box<Diagnostic> {
    at(format!("the type of '{name}' of '{op}' cannot be derived from '{from}': {reason}"), span)
}

pub(super) fn class_format(class: &str, problem: &str, span: Span) -> Box<Diagnostic> {
    at(format!("the text does not have the format of '{class}': {problem}"), span)
}

pub(super) fn cxx_class(class: &str, span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(format!("only C++ code reads '{class}' without its name"));
    Box::new(error.at(span, "").help(format!("write '{class}' before the text")))
}

pub(super) fn dialect(op: &str, error: Diagnostic, span: Span) -> Box<Diagnostic> {
    let message = format!("the definitions of the dialect of '{op}' have an error: {}", error.message);
    let mut own = Diagnostic::error(message).at(span, "");
    own.help = error.help;
    Box::new(own)
}

pub(super) fn too_large(what: &str, span: Span) -> Box<Diagnostic> {
    at(format!("{what} exceeds the limit of 4294967295"), span)
}

pub(super) fn empty_operation_name(span: Span) -> Box<Diagnostic> {
    at("empty operation name is invalid", span)
}

pub(super) fn nul_in_operation_name(span: Span) -> Box<Diagnostic> {
    at("null character not allowed in operation name", span)
}

pub(super) fn negative_unsigned(span: Span) -> Box<Diagnostic> {
    at("negative integer literal not valid for unsigned integer type", span)
}

pub(super) fn integer_too_large(bits: u8, span: Span) -> Box<Diagnostic> {
    at(format!("integer value too large for {bits} bits"), span)
}

/// An attribute that its property cannot hold.
pub(super) fn wrong_property(
    name: &str,
    op: &str,
    expected: &str,
    found: &str,
    span: Span,
) -> Box<Diagnostic> {
    at(format!("invalid property '{name}' of '{op}': expected {expected}, but got {found}"), span)
}

/// `<{…}>` on an operation whose definition declares no properties.
pub(super) fn no_properties(op: &str, span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(format!("operation '{op}' has no properties"))
            .at(span, "")
            .help("remove `<{…}>`, and write discardable attributes as `{…}` before the type"),
    )
}

/// `<attribute>` on an operation whose definition declares properties.
pub(super) fn invalid_properties(properties: &str, op: &str, span: Span) -> Box<Diagnostic> {
    let problem = format!("invalid properties {properties} for op {op}: expected a dictionary");
    Box::new(Diagnostic::error(problem).at(span, "").help("write the properties as `<{name = value}>`"))
}

/// A name in a list of properties, although the operation has no property with this name.
pub(super) fn no_property(name: &str, op: &str, span: Span) -> Box<Diagnostic> {
    at(format!("operation '{op}' has no property '{name}'"), span)
}

/// A property in a list of properties, although another element of the format contains the property.
pub(super) fn property_elsewhere(name: &str, op: &str, span: Span) -> Box<Diagnostic> {
    let problem =
        format!("the property '{name}' of '{op}' is written elsewhere, so the list cannot contain it");
    at(problem, span)
}

pub(super) fn repeated_property(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("the property '{name}' occurs twice"), span)
}

/// An attribute that occurs twice in a custom form, for example in the dictionary and in another element.
pub(super) fn repeated_attribute(name: &str, op: &str, span: Span) -> Box<Diagnostic> {
    at(format!("attribute '{name}' of '{op}' occurs more than once"), span)
}

pub(super) fn memory_space(span: Span) -> Box<Diagnostic> {
    at("unsupported memory space attribute", span)
}

pub(super) fn distinct_twice(before: &str, span: Span) -> Box<Diagnostic> {
    at(format!("referenced attribute does not match previous definition: {before}"), span)
}

pub(super) fn bad_blob(reason: &str, span: Span) -> Box<Diagnostic> {
    at(format!("expected a hex string blob {reason}"), span)
}

// Errors of the verifier.

pub(super) fn operation(name: &str, problem: &str, span: Span) -> Box<Diagnostic> {
    at(format!("'{name}' op {problem}"), span)
}

pub(super) fn unknown_operation(name: &str, dialect: &str, span: Span) -> Box<Diagnostic> {
    let problem =
        format!("unknown operation '{name}': the dialect '{dialect}' has no operation of this name");
    Box::new(
        at(problem, span)
            .help("if a `.td` file adds the operation to the dialect, add the file with `--dialects`"),
    )
}

pub(super) fn successors_inside(span: Span) -> Box<Diagnostic> {
    at("operation with block successors must terminate its parent block", span)
}

pub(super) fn terminator_inside(name: &str, span: Span) -> Box<Diagnostic> {
    operation(name, "must be the last operation in the parent block", span)
}

pub(super) fn one_block(name: &str, span: Span) -> Box<Diagnostic> {
    operation(name, "expects its region to have at most one block", span)
}

pub(super) fn foreign_block(span: Span) -> Box<Diagnostic> {
    at("branching to block of a different region", span)
}

pub(super) fn branch_to_entry(span: Span) -> Box<Diagnostic> {
    at("entry block of region may not have predecessors", span)
}

pub(super) fn empty_block(span: Span) -> Box<Diagnostic> {
    at("empty block: expect at least a terminator", span)
}

pub(super) fn no_terminator(name: &str, span: Span) -> Box<Diagnostic> {
    at(format!("block with no terminator: its last operation is '{name}'"), span)
}

pub(super) fn no_dominance(index: u32, span: Span, def: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(format!("operand #{index} does not dominate this use")).at(span, "");
    Box::new(if def.is_none() { error } else { error.note_at(def, "operand defined here") })
}

pub(super) fn not_isolated(span: Span, holder: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error("using value defined outside the region").at(span, "");
    Box::new(if holder.is_none() {
        error
    } else {
        error.note_at(holder, "required by region isolation constraints")
    })
}

pub(super) fn redefined_symbol(name: &str, span: Span, before: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(format!("redefinition of symbol named '{name}'")).at(span, "");
    Box::new(if before.is_none() {
        error
    } else {
        error.note_at(before, "see existing symbol definition here")
    })
}

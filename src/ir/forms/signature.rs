//! The parts that functions of several dialects share: arguments, results, attributes.

use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{Argument, FormPrinter, FormReader, FormResult};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;

/// A signature that was read.
#[derive(Default)]
pub(super) struct Signature {
    pub(super) inputs: Vec<TypeId>,
    pub(super) input_attrs: Vec<AttrId>,
    /// The named arguments.
    pub(super) arguments: Vec<Argument>,
    pub(super) results: Vec<TypeId>,
    pub(super) result_attrs: Vec<AttrId>,
    pub(super) variadic: bool,
}

/// Reads `(%a: t {…}, …) -> (t {…}, …)`.
pub(super) fn read_signature(reader: &mut dyn FormReader, may_be_variadic: bool) -> FormResult<Signature> {
    let mut signature = Signature::default();
    reader.literal("(")?;
    if !reader.optional_literal(")") {
        loop {
            if may_be_variadic && reader.optional_literal("...") {
                signature.variadic = true;
                break;
            }
            let named = reader.is_operand();
            if !signature.inputs.is_empty() && named == signature.arguments.is_empty() {
                return Err(reader.expected("all arguments with names or none"));
            }
            let name = if named { Some(reader.operand()?) } else { None };
            if named {
                reader.literal(":")?;
            }
            let ty = reader.ty()?;
            let attrs = reader.optional_dictionary()?.unwrap_or(Context::EMPTY_DICTIONARY);
            signature.inputs.push(ty);
            signature.input_attrs.push(attrs);
            if let Some(name) = name {
                let loc = reader.argument_loc(name)?;
                signature.arguments.push(Argument { name, ty, attrs, loc });
            }
            if !reader.optional_literal(",") {
                break;
            }
        }
        reader.literal(")")?;
    }
    if reader.optional_literal("->") {
        if reader.optional_literal("(") {
            if !reader.optional_literal(")") {
                loop {
                    signature.results.push(reader.ty()?);
                    let attrs = reader.optional_dictionary()?.unwrap_or(Context::EMPTY_DICTIONARY);
                    signature.result_attrs.push(attrs);
                    if !reader.optional_literal(",") {
                        break;
                    }
                }
                reader.literal(")")?;
            }
        } else {
            signature.results.push(reader.ty()?);
            signature.result_attrs.push(Context::EMPTY_DICTIONARY);
        }
    }
    Ok(signature)
}

/// Sets `arg_attrs` and `res_attrs`, unless all are empty.
pub(super) fn set_attrs(reader: &mut dyn FormReader, signature: &Signature) {
    for (name, attrs) in [("arg_attrs", &signature.input_attrs), ("res_attrs", &signature.result_attrs)] {
        if attrs.iter().any(|&attr| attr != Context::EMPTY_DICTIONARY) {
            let value = reader.intern_attr(AttrKind::Array(attrs.as_slice().into()));
            reader.set(name, value);
        }
    }
}

/// Sets `function_type`, `arg_attrs` and `res_attrs`.
pub(super) fn set_function_type(reader: &mut dyn FormReader, signature: &Signature) {
    let ty = TypeKind::Function {
        inputs: signature.inputs.as_slice().into(),
        results: signature.results.as_slice().into(),
    };
    let ty = reader.intern_type(ty);
    let ty = reader.intern_attr(AttrKind::Type(ty));
    reader.set("function_type", ty);
    set_attrs(reader, signature);
}

/// Prints the signature that the attributes and the first region of a function have.
pub(super) fn print_function_signature(printer: &mut dyn FormPrinter) -> Option<()> {
    let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
    let TypeKind::Function { inputs, results } = printer.type_kind(ty).clone() else { return None };
    let texts = |types: &[TypeId]| types.iter().map(|&ty| printer.type_text(ty)).collect::<Vec<_>>();
    let (inputs, results) = (texts(&inputs), texts(&results));
    print_signature(printer, &inputs, &results, false)
}

/// The dictionaries in an array attribute of the operation.
fn dictionaries(printer: &dyn FormPrinter, name: &str, count: usize) -> Option<Vec<AttrId>> {
    let Some(attr) = printer.get(name) else { return Some(vec![Context::EMPTY_DICTIONARY; count]) };
    match printer.attr_kind(attr) {
        AttrKind::Array(items) if items.len() == count => Some(items.to_vec()),
        _ => None,
    }
}

/// Prints `(%a: t {…}, …) -> t` for the first region of the operation, with these texts of types.
pub(super) fn print_signature(
    printer: &mut dyn FormPrinter,
    inputs: &[String],
    results: &[String],
    variadic: bool,
) -> Option<()> {
    let region = printer.regions().first().copied()?;
    let entry = printer.blocks(region).first().copied();
    let arguments = entry.map(|entry| printer.arguments(entry));
    if let Some(arguments) = &arguments
        && (arguments.len() < inputs.len()
            || !arguments
                .iter()
                .zip(inputs)
                .all(|(&argument, ty)| printer.type_text(printer.value_type(argument)) == *ty))
    {
        return None;
    }
    let attrs = dictionaries(printer, "arg_attrs", inputs.len())?;
    printer.text("(");
    for (i, ty) in inputs.iter().enumerate() {
        if i > 0 {
            printer.text(", ");
        }
        if let Some(arguments) = &arguments {
            printer.value(arguments[i]);
            printer.text(": ");
        }
        printer.text(ty);
        printer.optional_dictionary(attrs[i]);
        if let Some(entry) = entry {
            let loc = printer.argument_loc(entry, i);
            printer.location(loc);
        }
    }
    if variadic {
        printer.text(if inputs.is_empty() { "..." } else { ", ..." });
    }
    printer.text(")");
    let attrs = dictionaries(printer, "res_attrs", results.len())?;
    if attrs.iter().any(|&attr| attr != Context::EMPTY_DICTIONARY) {
        printer.text(" -> (");
        for (i, ty) in results.iter().enumerate() {
            if i > 0 {
                printer.text(", ");
            }
            printer.text(ty);
            printer.optional_dictionary(attrs[i]);
        }
        printer.text(")");
    } else {
        match results {
            [] => {}
            // A function type is printed in parentheses, so that it is not read as a list of types.
            [one] if !one.starts_with('(') => {
                printer.text(" -> ");
                printer.text(one);
            }
            all => {
                printer.text(" -> (");
                printer.text(&all.join(", "));
                printer.text(")");
            }
        }
    }
    Some(())
}

/// The text of a string attribute of the operation.
pub(super) fn string(printer: &dyn FormPrinter, name: &str) -> Option<String> {
    match printer.attr_kind(printer.get(name)?) {
        AttrKind::String { text, ty: None } => Some(printer.str(*text).to_owned()),
        _ => None,
    }
}

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
            let loc = reader.argument_loc(name)?;
            if let Some(name) = name {
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

/// Sets `arg_attrs` and `res_attrs`, each unless all of its dictionaries are empty.
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

/// Prints the signature of a function, according to its attributes and its first region.
pub(super) fn print_function_signature(printer: &mut dyn FormPrinter) -> Option<()> {
    let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
    let TypeKind::Function { inputs, results } = printer.type_kind(ty).clone() else { return None };
    let types = |types: &[TypeId]| types.iter().copied().map(SignatureType::Known).collect::<Vec<_>>();
    print_signature(printer, &types(&inputs), &types(&results), false)
}

/// The dictionaries in an array attribute of the operation.
fn dictionaries(printer: &dyn FormPrinter, name: &str, count: usize) -> Option<Vec<AttrId>> {
    let Some(attr) = printer.get(name) else { return Some(vec![Context::EMPTY_DICTIONARY; count]) };
    match printer.attr_kind(attr) {
        AttrKind::Array(items) if items.len() == count => Some(items.to_vec()),
        _ => None,
    }
}

/// A type in a printed signature.
pub(super) enum SignatureType {
    /// A type that can have an alias.
    Known(TypeId),
    /// The text of a type.
    Text(String),
}

impl SignatureType {
    fn is(&self, printer: &dyn FormPrinter, other: TypeId) -> bool {
        match self {
            Self::Known(ty) => *ty == other,
            Self::Text(text) => printer.type_text(other) == *text,
        }
    }

    fn is_function(&self, printer: &dyn FormPrinter) -> bool {
        match self {
            Self::Known(ty) => matches!(printer.type_kind(*ty), TypeKind::Function { .. }),
            Self::Text(text) => text.starts_with('('),
        }
    }

    fn print(&self, printer: &mut dyn FormPrinter) {
        match self {
            Self::Known(ty) => printer.ty(*ty),
            Self::Text(text) => printer.text(text),
        }
    }
}

/// Prints `(%a: t {…}, …) -> t` for the first region of the operation, with these types.
pub(super) fn print_signature(
    printer: &mut dyn FormPrinter,
    inputs: &[SignatureType],
    results: &[SignatureType],
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
                .all(|(&argument, ty)| ty.is(printer, printer.value_type(argument))))
    {
        return None;
    }
    let attrs = dictionaries(printer, "arg_attrs", inputs.len())?;
    printer.text("(");
    for (i, ty) in inputs.iter().enumerate() {
        if i > 0 {
            printer.text(", ");
        }
        match &arguments {
            Some(arguments) => {
                printer.value(arguments[i]);
                printer.text(": ");
                let ty = printer.value_type(arguments[i]);
                printer.ty(ty);
            }
            None => ty.print(printer),
        }
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
            ty.print(printer);
            printer.optional_dictionary(attrs[i]);
        }
        printer.text(")");
    } else {
        match results {
            [] => {}
            // A function type is printed in parentheses, so that it is not read as a list of types.
            [one] if !one.is_function(printer) => {
                printer.text(" -> ");
                one.print(printer);
            }
            all => {
                printer.text(" -> (");
                for (i, ty) in all.iter().enumerate() {
                    if i > 0 {
                        printer.text(", ");
                    }
                    ty.print(printer);
                }
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

/// The words for the visibility of a symbol.
const VISIBILITIES: [&str; 3] = ["public", "private", "nested"];

/// Reads an optional visibility.
pub(super) fn optional_visibility(reader: &mut dyn FormReader) -> Option<AttrId> {
    let word = VISIBILITIES.into_iter().find(|word| reader.optional_literal(word))?;
    Some(reader.string_attr(word))
}

/// Reads an optional visibility into the attribute `sym_visibility`.
pub(super) fn read_visibility(reader: &mut dyn FormReader) {
    if let Some(visibility) = optional_visibility(reader) {
        reader.set("sym_visibility", visibility);
    }
}

/// Prints the visibility that [`read_visibility`] reads.
pub(super) fn print_visibility(printer: &mut dyn FormPrinter) -> Option<()> {
    if printer.get("sym_visibility").is_some() {
        let visibility = string(printer, "sym_visibility")?;
        if !VISIBILITIES.contains(&&*visibility) {
            return None;
        }
        printer.text(" ");
        printer.text(&visibility);
    }
    Some(())
}

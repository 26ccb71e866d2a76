//! The parts that functions of several dialects share: arguments, results, attributes.

use smallvec::SmallVec;

use super::error::wrong_arguments;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    Argument, CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("SymbolVisibility", Visibility);
}

/// A signature that was read.
#[derive(Default)]
pub(super) struct Signature {
    pub(super) inputs: SmallVec<[TypeId; 4]>,
    pub(super) input_attrs: SmallVec<[AttrId; 4]>,
    /// The named arguments.
    pub(super) arguments: Vec<Argument>,
    pub(super) results: SmallVec<[TypeId; 4]>,
    pub(super) result_attrs: SmallVec<[AttrId; 4]>,
    pub(super) variadic: bool,
}

/// Reads `(%a: t {…}, …)`.
pub(super) fn read_arguments(reader: &mut dyn FormReader, may_be_variadic: bool) -> FormResult<Signature> {
    let mut signature = Signature::default();
    reader.literal("(")?;
    if reader.optional_literal(")") {
        return Ok(signature);
    }
    loop {
        if may_be_variadic && reader.optional_literal("...") {
            signature.variadic = true;
            break;
        }
        let named = reader.is_operand();
        if !signature.inputs.is_empty() && named == signature.arguments.is_empty() {
            return Err(reader.expected("names for all arguments or for none"));
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
    Ok(signature)
}

/// Reads `(%a: t {…}, …) -> (t {…}, …)`.
pub(super) fn read_signature(reader: &mut dyn FormReader, may_be_variadic: bool) -> FormResult<Signature> {
    let mut signature = read_arguments(reader, may_be_variadic)?;
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

/// Sets `arg_attrs` and `res_attrs`. An attribute with only empty dictionaries is not set.
pub(super) fn set_attrs(reader: &mut dyn FormReader, signature: &Signature) {
    for (name, attrs) in [("arg_attrs", &signature.input_attrs), ("res_attrs", &signature.result_attrs)] {
        if attrs.iter().any(|&attr| attr != Context::EMPTY_DICTIONARY) {
            let value = reader.intern_attr(AttrKind::Array(attrs.as_slice().into()));
            reader.set(name, value);
        }
    }
}

/// The attribute with the type of a function.
pub(super) fn function_type(reader: &mut dyn FormReader, signature: &Signature) -> AttrId {
    let ty = TypeKind::Function {
        inputs: signature.inputs.as_slice().into(),
        results: signature.results.as_slice().into(),
    };
    let ty = reader.intern_type(ty);
    reader.intern_attr(AttrKind::Type(ty))
}

/// Sets `function_type`, `arg_attrs` and `res_attrs`.
pub(super) fn set_function_type(reader: &mut dyn FormReader, signature: &Signature) {
    let ty = function_type(reader, signature);
    reader.set("function_type", ty);
    set_attrs(reader, signature);
}

/// Reads an optional `attributes {…}`, which must not contain the attributes that the form itself sets.
pub(super) fn read_attributes(reader: &mut dyn FormReader, stated: &[&str]) -> FormResult<()> {
    if !reader.optional_literal("attributes") {
        return Ok(());
    }
    let Some(attributes) = reader.optional_dictionary()? else { return Err(reader.expected("'{'")) };
    let is_stated = |(name, _): &(String, AttrId)| stated.contains(&name.as_str());
    if let Some((name, _)) = reader.entries(attributes).into_iter().find(is_stated) {
        return Err(reader.fail(&format!(
            "'{name}' is part of the signature, so the attributes of a function cannot contain it"
        )));
    }
    reader.add_attributes(attributes)
}

/// Prints the signature of a function, according to its attributes and its first region.
pub(super) fn print_function_signature(printer: &mut dyn FormPrinter) -> Option<()> {
    let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
    let TypeKind::Function { inputs, results } = printer.type_kind(ty).clone() else { return None };
    print_signature(printer, &known_types(&inputs), &known_types(&results), false)
}

/// The dictionaries in an array attribute; `count` empty dictionaries if there is no attribute. `None` if the attribute
/// is not an array of `count` dictionaries.
pub(super) fn dictionaries(
    printer: &dyn FormPrinter,
    attr: Option<AttrId>,
    count: usize,
) -> Option<Vec<AttrId>> {
    let Some(attr) = attr else { return Some(vec![Context::EMPTY_DICTIONARY; count]) };
    let AttrKind::Array(items) = printer.attr_kind(attr) else { return None };
    let is_dictionary = |&item: &AttrId| matches!(printer.attr_kind(item), AttrKind::Dictionary(_));
    (items.len() == count && items.iter().all(is_dictionary)).then(|| items.to_vec())
}

/// True if an array contains only empty dictionaries. [`set_attrs`] does not set such an attribute.
pub(super) fn has_no_entries(printer: &dyn FormPrinter, attr: AttrId) -> bool {
    let AttrKind::Array(items) = printer.attr_kind(attr) else { return false };
    items.iter().all(|&item| item == Context::EMPTY_DICTIONARY)
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

/// Types that can have aliases, as parts of a signature.
pub(super) fn known_types(types: &[TypeId]) -> Vec<SignatureType> {
    types.iter().copied().map(SignatureType::Known).collect()
}

/// Prints `(%a: t {…}, …)` for the first region of the operation. `attrs` contains the dictionaries of the arguments.
/// If the region has no blocks, the arguments have the names `%arg0`, `%arg1` and so on (`numbered` is true) or no
/// names (`numbered` is false).
pub(super) fn print_arguments(
    printer: &mut dyn FormPrinter,
    inputs: &[SignatureType],
    attrs: Option<AttrId>,
    variadic: bool,
    numbered: bool,
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
    let attrs = dictionaries(printer, attrs, inputs.len())?;
    printer.text("(");
    for (i, ty) in inputs.iter().enumerate() {
        printer.text(if i > 0 { ", " } else { "" });
        match &arguments {
            Some(arguments) => {
                printer.value(arguments[i]);
                printer.text(": ");
                let ty = printer.value_type(arguments[i]);
                printer.ty(ty);
            }
            None => {
                if numbered {
                    printer.text(&format!("%arg{i}: "));
                }
                ty.print(printer);
            }
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
    Some(())
}

/// Prints `(%a: t {…}, …) -> t` for the first region of the operation, with these types.
pub(super) fn print_signature(
    printer: &mut dyn FormPrinter,
    inputs: &[SignatureType],
    results: &[SignatureType],
    variadic: bool,
) -> Option<()> {
    let attrs = printer.get("arg_attrs");
    print_arguments(printer, inputs, attrs, variadic, false)?;
    let attrs = dictionaries(printer, printer.get("res_attrs"), results.len())?;
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

/// The text of a string attribute without a type.
pub(super) fn text_of(printer: &dyn FormPrinter, attr: AttrId) -> Option<String> {
    match printer.attr_kind(attr) {
        AttrKind::String { text, ty: None } => Some(printer.str(*text).to_owned()),
        _ => None,
    }
}

/// The text of a string attribute of the operation.
pub(super) fn string(printer: &dyn FormPrinter, name: &str) -> Option<String> {
    text_of(printer, printer.get(name)?)
}

/// The words for the visibility of a symbol.
const VISIBILITIES: [&str; 3] = ["public", "private", "nested"];

/// An optional visibility. As in MLIR, an absent visibility is printed as `public`.
#[derive(Debug)]
struct Visibility;

impl CustomDirective for Visibility {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        self.read_optional(reader, args).map(drop)
    }

    fn read_optional(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<bool> {
        let [visibility] = args else {
            return Err(wrong_arguments(reader, "SymbolVisibility", "one argument", args));
        };
        let word = optional_visibility(reader);
        if let Some(word) = word {
            reader.put_attribute(visibility, word);
        }
        Ok(word.is_some())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        match printer.attribute_of(args.first()?) {
            Some(visibility) => print_word(printer, visibility)?,
            None => printer.text("public"),
        }
        Some(())
    }
}

/// Reads an optional visibility.
fn optional_visibility(reader: &mut dyn FormReader) -> Option<AttrId> {
    let word = VISIBILITIES.into_iter().find(|word| reader.optional_literal(word))?;
    Some(reader.string_attr(word))
}

/// Prints the word that [`optional_visibility`] reads.
fn print_word(printer: &mut dyn FormPrinter, visibility: AttrId) -> Option<()> {
    let text = text_of(printer, visibility)?;
    printer.text(VISIBILITIES.into_iter().find(|word| *word == text)?);
    Some(())
}

/// Reads an optional visibility into the attribute `sym_visibility`.
pub(super) fn read_visibility(reader: &mut dyn FormReader) {
    if let Some(visibility) = optional_visibility(reader) {
        reader.set("sym_visibility", visibility);
    }
}

/// Prints the visibility that [`read_visibility`] reads.
pub(super) fn print_visibility(printer: &mut dyn FormPrinter) -> Option<()> {
    let Some(visibility) = printer.get("sym_visibility") else { return Some(()) };
    printer.text(" ");
    print_word(printer, visibility)
}

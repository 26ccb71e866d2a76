//! Functions whose results can share the storage of arguments.

use super::super::error::wrong_arguments;
use super::super::lists::{
    enclosed, entry_arguments, optional_body, print_body, string_of, symbol, typed_arguments,
};
use super::super::signature::{print_visibility, read_visibility, string};
use super::regions::print_arguments;
use super::tied::{Operands, Results, one_or_list, tied_places};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    Argument, CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("util.func", Function);
    forms.add_form("util.initializer", Initializer);
    forms.add_form("hal.executable.condition", ExecutableFunction { has_keys: false });
    forms.add_form("hal.executable.constant.block", ExecutableFunction { has_keys: true });
    forms.add_directive("ShapedFunctionSignature", SignatureDirective);
}

/// A signature that was read.
struct Signature {
    arguments: Vec<Argument>,
    results: Results,
    result_attrs: Vec<AttrId>,
}

/// Reads `(%a: t {…}, …) -> (%a, u {…})`.
fn read_signature(reader: &mut dyn FormReader) -> FormResult<Signature> {
    let arguments = typed_arguments(reader)?;
    let (mut results, mut result_attrs) = (Results::default(), Vec::new());
    if reader.optional_literal("->") {
        let names: Vec<_> = arguments.iter().map(|argument| argument.name).collect();
        let types: Vec<TypeId> = arguments.iter().map(|argument| argument.ty).collect();
        let known = Operands::new(reader, &names, &types);
        // Braces after a single result without parentheses belong to the body.
        let is_list = reader.is_literal("(");
        one_or_list(reader, |r| {
            results.read_one(r, &known, false)?;
            let attrs = if is_list { r.optional_dictionary()? } else { None };
            result_attrs.push(attrs.unwrap_or(Context::EMPTY_DICTIONARY));
            Ok(())
        })?;
    }
    Ok(Signature { arguments, results, result_attrs })
}

impl Signature {
    fn function_type(&self, reader: &mut dyn FormReader) -> AttrId {
        let inputs = self.arguments.iter().map(|argument| argument.ty).collect();
        let results = self.results.types.as_slice().into();
        let ty = reader.intern_type(TypeKind::Function { inputs, results });
        reader.intern_attr(AttrKind::Type(ty))
    }

    fn argument_attrs(&self) -> Vec<AttrId> {
        self.arguments.iter().map(|argument| argument.attrs).collect()
    }
}

/// The attributes of a function that its signature contains.
struct SignatureAttrs {
    function_type: AttrId,
    tied: Option<AttrId>,
    arguments: Option<AttrId>,
    results: Option<AttrId>,
}

/// The dictionaries in an attribute; empty ones if there is no attribute.
fn dictionaries(printer: &dyn FormPrinter, attr: Option<AttrId>, count: usize) -> Option<Vec<AttrId>> {
    let Some(attr) = attr else { return Some(vec![Context::EMPTY_DICTIONARY; count]) };
    match printer.attr_kind(attr) {
        AttrKind::Array(items) if items.len() == count => Some(items.to_vec()),
        _ => None,
    }
}

/// Prints the text that [`read_signature`] reads. The names of arguments are those of the first region, or numbers if it
/// has no blocks.
fn print_signature(printer: &mut dyn FormPrinter, attrs: &SignatureAttrs) -> Option<()> {
    let AttrKind::Type(ty) = *printer.attr_kind(attrs.function_type) else { return None };
    let TypeKind::Function { inputs, results } = printer.type_kind(ty).clone() else { return None };
    let region = *printer.regions().first()?;
    let entry = printer.blocks(region).first().copied();
    let arguments = entry.map_or_else(Vec::new, |entry| printer.arguments(entry));
    let types: Vec<TypeId> = arguments.iter().map(|&argument| printer.value_type(argument)).collect();
    if entry.is_some() && types != *inputs {
        return None;
    }
    let name = |printer: &dyn FormPrinter, number: usize| match arguments.get(number) {
        Some(&argument) => printer.value_text(argument),
        None => format!("%arg{number}"),
    };
    let argument_attrs = dictionaries(printer, attrs.arguments, inputs.len())?;
    printer.text("(");
    for (i, &input) in inputs.iter().enumerate() {
        let name = name(printer, i);
        printer.text(&format!("{}{name}: ", if i > 0 { ", " } else { "" }));
        printer.ty(input);
        printer.optional_dictionary(argument_attrs[i]);
        if let Some(entry) = entry {
            let loc = printer.argument_loc(entry, i);
            printer.location(loc);
        }
    }
    printer.text(")");
    let tied = tied_places(printer, attrs.tied, results.len())?;
    let result_attrs = dictionaries(printer, attrs.results, results.len())?;
    if results.is_empty() {
        return Some(());
    }
    // The attributes of a single result are written in parentheses, so that they are not those of the function.
    let is_single = results.len() == 1 && result_attrs[0] == Context::EMPTY_DICTIONARY;
    printer.text(if is_single { " -> " } else { " -> (" });
    for (i, &result) in results.iter().enumerate() {
        printer.text(if i > 0 { ", " } else { "" });
        let place = tied[i];
        if let Some(place) = place {
            let name = name(printer, place);
            printer.text(&name);
            if inputs.get(place)? != &result {
                printer.text(" as ");
                printer.ty(result);
            }
        } else {
            printer.ty(result);
        }
        printer.optional_dictionary(result_attrs[i]);
    }
    printer.text(if is_single { "" } else { ")" });
    Some(())
}

/// Reads an optional `attributes {…}`, which must not contain an attribute of the signature.
fn read_attributes(reader: &mut dyn FormReader) -> FormResult<()> {
    if !reader.optional_literal("attributes") {
        return Ok(());
    }
    let Some(attributes) = reader.optional_dictionary()? else { return Err(reader.expected("'{'")) };
    let is_signature = |(name, _): &(String, AttrId)| SIGNATURE.contains(&name.as_str());
    if let Some((name, _)) = reader.entries(attributes).into_iter().find(is_signature) {
        return Err(reader.fail(&format!(
            "'{name}' is part of the signature, so the attributes of a function cannot contain it"
        )));
    }
    reader.add_attributes(attributes);
    Ok(())
}

/// The attributes of a function that are not in its dictionary.
const SIGNATURE: [&str; 6] =
    ["arg_attrs", "function_type", "res_attrs", "sym_name", "sym_visibility", "tied_operands"];

/// `public @name(%a: t) -> %a attributes {…} {…}`
#[derive(Debug)]
struct Function;

impl CustomForm for Function {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        read_visibility(reader);
        symbol(reader, "sym_name")?;
        let signature = read_signature(reader)?;
        let ty = signature.function_type(reader);
        reader.set("function_type", ty);
        if let Some(tied) = signature.results.tied_attr(reader) {
            reader.set("tied_operands", tied);
        }
        for (name, attrs) in
            [("arg_attrs", signature.argument_attrs()), ("res_attrs", signature.result_attrs.clone())]
        {
            if attrs.iter().any(|&attr| attr != Context::EMPTY_DICTIONARY) {
                let attrs = reader.intern_attr(AttrKind::Array(attrs.into()));
                reader.set(name, attrs);
            }
        }
        read_attributes(reader)?;
        optional_body(reader, &signature.arguments)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        print_visibility(printer)?;
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        let attrs = SignatureAttrs {
            function_type: printer.get("function_type")?,
            tied: printer.get("tied_operands"),
            arguments: printer.get("arg_attrs"),
            results: printer.get("res_attrs"),
        };
        print_signature(printer, &attrs)?;
        printer.attr_dict(true, &SIGNATURE);
        print_body(printer)
    }
}

/// `attributes {…} {…}`
#[derive(Debug)]
struct Initializer;

impl CustomForm for Initializer {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let ty = TypeKind::Function { inputs: Box::default(), results: Box::default() };
        let ty = reader.intern_type(ty);
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.set("function_type", ty);
        read_attributes(reader)?;
        let region = reader.region(&[])?;
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
        let TypeKind::Function { inputs, results } = printer.type_kind(ty) else { return None };
        let region = *printer.regions().first()?;
        let entry = *printer.blocks(region).first()?;
        if !inputs.is_empty() || !results.is_empty() || !printer.arguments(entry).is_empty() {
            return None;
        }
        printer.attr_dict(true, &["function_type"]);
        printer.text(" ");
        printer.region(region, false, true);
        Some(())
    }
}

/// `(%device: !hal.device) -> i1 {…} attributes {…}`, or `(%device: !hal.device) -> (t, u) as ("key", "other")
/// attributes {…} {…}`
#[derive(Debug)]
struct ExecutableFunction {
    /// True if each result has a key.
    has_keys: bool,
}

impl CustomForm for ExecutableFunction {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let arguments = typed_arguments(reader)?;
        let results = if reader.optional_literal("->") { reader.result_types()? } else { Vec::new() };
        let inputs = arguments.iter().map(|argument| argument.ty).collect();
        let ty = reader.intern_type(TypeKind::Function { inputs, results: results.into() });
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.set("function_type", ty);
        if self.has_keys {
            reader.literal("as")?;
            let key = |r: &mut dyn FormReader| r.attribute(None);
            let keys = match reader.is_literal("(") {
                true => enclosed(reader, ("(", ")"), key)?,
                false => vec![key(reader)?],
            };
            if keys.iter().any(|&key| string_of(reader, key).is_none()) {
                return Err(reader.fail("a key is a string"));
            }
            let keys = reader.intern_attr(AttrKind::Array(keys.into()));
            reader.set("keys", keys);
            read_attributes(reader)?;
        }
        let region = reader.region(&arguments)?;
        reader.add_region(region);
        if self.has_keys { Ok(()) } else { read_attributes(reader) }
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        const ELIDED: [&str; 2] = ["function_type", "keys"];
        let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
        let TypeKind::Function { inputs, results } = printer.type_kind(ty).clone() else { return None };
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let types: Vec<TypeId> = arguments.iter().map(|&argument| printer.value_type(argument)).collect();
        let has_attrs = printer.get("arg_attrs").is_some() || printer.get("res_attrs").is_some();
        if types != *inputs || has_attrs {
            return None;
        }
        print_arguments(printer, region)?;
        printer.arrow_types(&results);
        if self.has_keys {
            let AttrKind::Array(keys) = printer.attr_kind(printer.get("keys")?).clone() else { return None };
            let is_string = |&key: &AttrId| matches!(printer.attr_kind(key), AttrKind::String { .. });
            if !keys.iter().all(is_string) {
                return None;
            }
            printer.text(if keys.len() == 1 { " as " } else { " as (" });
            for (i, &key) in keys.iter().enumerate() {
                printer.text(if i > 0 { ", " } else { "" });
                printer.attribute(key);
            }
            printer.text(if keys.len() == 1 { "" } else { ")" });
            printer.attr_dict(true, &ELIDED);
        }
        printer.text(" ");
        printer.region(region, false, true);
        if !self.has_keys {
            printer.attr_dict(true, &ELIDED);
        }
        Some(())
    }
}

/// `(%a: t {…}, …) -> (%a, u {…})`. The arguments are the attributes for the type, for the numbers of operands, and for
/// the attributes of arguments and results.
#[derive(Debug)]
struct SignatureDirective;

impl CustomDirective for SignatureDirective {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [type_arg, tied_arg, arguments_arg, results_arg] = args else {
            return Err(wrong_arguments(reader, "ShapedFunctionSignature", "four arguments", args));
        };
        let signature = read_signature(reader)?;
        let ty = signature.function_type(reader);
        reader.put_attribute(type_arg, ty);
        signature.results.put_tied(reader, Some(tied_arg));
        for (arg, attrs) in
            [(arguments_arg, signature.argument_attrs()), (results_arg, signature.result_attrs)]
        {
            if !attrs.is_empty() {
                let attrs = reader.intern_attr(AttrKind::Array(attrs.into()));
                reader.put_attribute(arg, attrs);
            }
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [type_arg, tied_arg, arguments_arg, results_arg] = args else { return None };
        let attrs = SignatureAttrs {
            function_type: printer.attribute_of(type_arg)?,
            tied: printer.attribute_of(tied_arg),
            arguments: printer.attribute_of(arguments_arg),
            results: printer.attribute_of(results_arg),
        };
        print_signature(printer, &attrs)
    }
}

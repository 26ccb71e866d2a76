//! The functions of IREE. The results of `util.func`, and of the directive `ShapedFunctionSignature`, can share the
//! storage of arguments.

use super::super::error::wrong_arguments;
use super::super::lists::{
    enclosed, entry_arguments, optional_body, optional_results, print_body, print_entry_arguments, string_of,
    symbol, typed_arguments,
};
use super::super::signature::{
    self, Signature, dictionaries, function_type, has_no_entries, known_types, print_function_signature,
    print_visibility, read_attributes, read_visibility, set_function_type, string,
};
use super::tied::{Operands, Results, one_or_list, tied_places};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
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

/// Reads `(%a: t {…}, …) -> (%a, u {…})`.
fn read_signature(reader: &mut dyn FormReader) -> FormResult<(Signature, Results)> {
    let mut signature = signature::read_arguments(reader, false)?;
    let mut results = Results::default();
    if reader.optional_literal("->") {
        let names: Vec<_> = signature.arguments.iter().map(|argument| argument.name).collect();
        let known = Operands::new(reader, &names, &signature.inputs);
        // Braces after a single result without parentheses belong to the body.
        let is_list = reader.is_literal("(");
        one_or_list(reader, |r| {
            results.read_one(r, &known, false)?;
            let attrs = if is_list { r.optional_dictionary()? } else { None };
            signature.result_attrs.push(attrs.unwrap_or(Context::EMPTY_DICTIONARY));
            Ok(())
        })?;
        signature.results = results.types.as_slice().into();
    }
    Ok((signature, results))
}

/// The attributes of a function that its signature contains.
struct SignatureAttrs {
    function_type: AttrId,
    tied: Option<AttrId>,
    arguments: Option<AttrId>,
    results: Option<AttrId>,
}

/// Prints the text that [`read_signature`] reads. The arguments have the names that they have in the first region, or
/// `%arg0`, `%arg1` and so on if the region has no blocks.
fn print_signature(printer: &mut dyn FormPrinter, attrs: &SignatureAttrs) -> Option<()> {
    let AttrKind::Type(ty) = *printer.attr_kind(attrs.function_type) else { return None };
    let TypeKind::Function { inputs, results } = printer.type_kind(ty).clone() else { return None };
    let region = *printer.regions().first()?;
    let arguments = entry_arguments(printer, region);
    if arguments.as_ref().is_some_and(|arguments| arguments.len() != inputs.len()) {
        return None;
    }
    signature::print_arguments(printer, &known_types(&inputs), attrs.arguments, false, true)?;
    let tied = tied_places(printer, attrs.tied, results.len())?;
    let result_attrs = dictionaries(printer, attrs.results, results.len())?;
    if results.is_empty() {
        return Some(());
    }
    // A single result with attributes is written in parentheses, because braces after a result without parentheses
    // belong to the body.
    let is_single = results.len() == 1 && result_attrs[0] == Context::EMPTY_DICTIONARY;
    printer.text(if is_single { " -> " } else { " -> (" });
    for (i, &result) in results.iter().enumerate() {
        printer.text(if i > 0 { ", " } else { "" });
        let place = tied[i];
        if let Some(place) = place {
            match &arguments {
                Some(arguments) => printer.value(*arguments.get(place)?),
                None => printer.text(&format!("%arg{place}")),
            }
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
        let (signature, results) = read_signature(reader)?;
        set_function_type(reader, &signature);
        if let Some(tied) = results.tied_attr(reader) {
            reader.set("tied_operands", tied);
        }
        read_attributes(reader, &SIGNATURE)?;
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
        if [attrs.arguments, attrs.results].into_iter().flatten().any(|attr| has_no_entries(printer, attr)) {
            return None;
        }
        print_signature(printer, &attrs)?;
        printer.attr_dict(true, &SIGNATURE);
        print_body(printer)
    }

    fn aliases_argument_attributes(&self) -> bool {
        true
    }
}

/// `attributes {…} {…}`
#[derive(Debug)]
struct Initializer;

impl CustomForm for Initializer {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        set_function_type(reader, &Signature::default());
        read_attributes(reader, &["function_type"])?;
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

/// `(%device: !hal.device) -> i1 {…} attributes {…}`, or `(%device: !hal.device {…}) -> (t {…}, u) as ("key", "other")
/// attributes {…} {…}`
#[derive(Debug)]
struct ExecutableFunction {
    /// True if each result has a key.
    has_keys: bool,
}

impl ExecutableFunction {
    /// The attributes that the text states outside the dictionary.
    fn stated(&self) -> &'static [&'static str] {
        if self.has_keys { &["function_type", "keys"] } else { &["function_type"] }
    }
}

impl CustomForm for ExecutableFunction {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let arguments = if self.has_keys {
            let signature = signature::read_signature(reader, false)?;
            set_function_type(reader, &signature);
            reader.literal("as")?;
            let key = |r: &mut dyn FormReader| r.attribute(None);
            let keys = match reader.is_literal("(") {
                true => enclosed(reader, ("(", ")"), key)?,
                false => vec![key(reader)?],
            };
            if keys.iter().any(|&key| string_of(reader, key).is_none()) {
                return Err(reader.fail("a key must be a string"));
            }
            let keys = reader.intern_attr(AttrKind::Array(keys.into()));
            reader.set("keys", keys);
            read_attributes(reader, self.stated())?;
            signature.arguments
        } else {
            let arguments = typed_arguments(reader)?;
            let results = optional_results(reader)?;
            let inputs = arguments.iter().map(|argument| argument.ty).collect();
            set_function_type(reader, &Signature { inputs, results: results.into(), ..Signature::default() });
            arguments
        };
        let region = reader.region(&arguments)?;
        reader.add_region(region);
        if self.has_keys { Ok(()) } else { read_attributes(reader, self.stated()) }
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
        let TypeKind::Function { inputs, results } = printer.type_kind(ty).clone() else { return None };
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let types: Vec<TypeId> = arguments.iter().map(|&argument| printer.value_type(argument)).collect();
        if types != *inputs {
            return None;
        }
        if self.has_keys {
            print_function_signature(printer)?;
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
            // The signature contains each of the two attributes if a dictionary of this attribute has an entry.
            let in_signature =
                |name: &&str| printer.get(name).is_some_and(|attrs| !has_no_entries(printer, attrs));
            let attrs: Vec<&str> = ["arg_attrs", "res_attrs"].into_iter().filter(in_signature).collect();
            printer.attr_dict(true, &[self.stated(), &attrs].concat());
        } else {
            print_entry_arguments(printer, region)?;
            printer.arrow_types(&results);
        }
        printer.text(" ");
        printer.region(region, false, true);
        if !self.has_keys {
            printer.attr_dict(true, self.stated());
        }
        Some(())
    }

    fn aliases_argument_attributes(&self) -> bool {
        true
    }
}

/// `(%a: t {…}, …) -> (%a, u {…})`. The directive has four arguments, which are attributes: the function type, the list
/// of the operands whose storage the results share, and the dictionaries of the function's arguments and results.
#[derive(Debug)]
struct SignatureDirective;

impl CustomDirective for SignatureDirective {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [type_arg, tied_arg, arguments_arg, results_arg] = args else {
            return Err(wrong_arguments(reader, "ShapedFunctionSignature", "four arguments", args));
        };
        let (signature, results) = read_signature(reader)?;
        let ty = function_type(reader, &signature);
        reader.put_attribute(type_arg, ty);
        results.put_tied(reader, Some(tied_arg));
        for (arg, attrs) in [(arguments_arg, signature.input_attrs), (results_arg, signature.result_attrs)] {
            if !attrs.is_empty() {
                let attrs = reader.intern_attr(AttrKind::Array(attrs.as_slice().into()));
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

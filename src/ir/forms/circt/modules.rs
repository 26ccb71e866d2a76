//! Operations of the dialect `hw` of CIRCT.

use super::super::lists::{enclosed, entry_arguments, symbol};
use super::super::signature::{print_visibility, read_visibility, string};
use super::inner_symbol::{print_inner_symbol, read_inner_symbol};
use super::types::{inside, keyword_or_string, ports, split_once, unquoted};
use super::values::{dict_and_type, print_dict_and_types, result_type};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{Argument, CustomForm, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::AttrId;
use crate::string_literal::{quote, value_name};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("hw.module", Module { has_body: true, is_generated: false });
    forms.add_form("hw.module.extern", Module { has_body: false, is_generated: false });
    forms.add_form("hw.module.generated", Module { has_body: false, is_generated: true });
    forms.add_form("hw.instance", Instance);
    forms.add_form("hw.hierpath", Path);
    forms.add_form("hw.constant", Constant);
    forms.add_form("hw.aggregate_constant", AggregateConstant);
    forms.add_form("hw.enum.constant", EnumConstant);
    forms.add_form("hw.param.value", ParameterValue);
}

/// Reads a name, with or without quotes.
fn name(reader: &mut dyn FormReader) -> FormResult<String> {
    let name = reader.optional_string().or_else(|| reader.optional_keyword());
    name.ok_or_else(|| reader.expected("a name"))
}

/// The text of an attribute of this type, without the type.
fn without_type(text: &str, ty: Option<String>) -> String {
    let suffix = ty.map(|ty| format!(" : {ty}")).unwrap_or_default();
    text.strip_suffix(&suffix).unwrap_or(text).to_owned()
}

/// An array of strings.
fn strings(reader: &mut dyn FormReader, names: &[String]) -> AttrId {
    let names = names.iter().map(|name| reader.string_attr(name)).collect();
    reader.intern_attr(AttrKind::Array(names))
}

/// The strings of an array.
fn strings_of(printer: &dyn FormPrinter, attribute: &str) -> Option<Vec<String>> {
    let AttrKind::Array(items) = printer.attr_kind(printer.get(attribute)?) else { return None };
    let string = |&item: &AttrId| match printer.attr_kind(item) {
        AttrKind::String { text, .. } => Some(printer.str(*text).to_owned()),
        _ => None,
    };
    items.iter().map(string).collect()
}

// Modules and instances.

/// Reads the optional list `<p: i8 = 1, q: i3>` into the attribute `parameters`.
fn read_parameters(reader: &mut dyn FormReader) -> FormResult<()> {
    let mut all = Vec::new();
    if reader.is_literal("<") {
        all = enclosed(reader, ("<", ">"), |r| {
            let name = quote(&name(r)?);
            r.literal(":")?;
            let ty = r.ty()?;
            let ty_text = r.type_text(ty);
            let mut text = format!("#hw.param.decl<{name}: {ty_text}");
            if r.optional_literal("=") {
                let value = r.attribute(Some(ty))?;
                let value = without_type(&r.attr_text(value), Some(ty_text.clone()));
                text.push_str(&format!(" = {value}"));
            }
            // MLIR does not print the type `none` after an attribute.
            text.push_str(&if ty_text == "none" { ">".to_owned() } else { format!("> : {ty_text}") });
            r.attr_of_text(&text)
        })?;
    }
    let all = reader.intern_attr(AttrKind::Array(all.into()));
    reader.set("parameters", all);
    Ok(())
}

/// Prints the list that [`read_parameters`] reads.
fn print_parameters(printer: &mut dyn FormPrinter) -> Option<()> {
    let AttrKind::Array(items) = printer.attr_kind(printer.get("parameters")?).clone() else { return None };
    let mut texts = Vec::new();
    for &item in &items {
        let ty = printer.type_of_attr(item).map(|ty| printer.type_text(ty));
        let text = without_type(&printer.attr_text(item), ty);
        let (name, rest) = split_once(inside(&text, "#hw.param.decl")?, ':')?;
        texts.push(format!("{}: {rest}", keyword_or_string(&unquoted(name))));
    }
    if !texts.is_empty() {
        printer.text(&format!("<{}>", texts.join(", ")));
    }
    Some(())
}

/// `private @m<p: i8 = 1>(in %a : i8, out b : i8 {…}, inout %c : i8) attributes {…} {…}`
#[derive(Debug)]
struct Module {
    has_body: bool,
    /// True if the name of a generator, `, @generator`, follows the name of the module.
    is_generated: bool,
}

/// The attributes of a module that are not in its dictionary.
const STATED: [&str; 7] = [
    "generatorKind",
    "module_type",
    "parameters",
    "per_port_attrs",
    "port_locs",
    "sym_name",
    "sym_visibility",
];

/// The ports of a module that were read.
#[derive(Default)]
struct Ports {
    /// The ports in the text of the module type.
    texts: Vec<String>,
    arguments: Vec<Argument>,
    attrs: Vec<AttrId>,
    locs: Vec<AttrId>,
}

impl Ports {
    fn read_port(&mut self, reader: &mut dyn FormReader) -> FormResult<()> {
        const DIRECTIONS: [(&str, &str); 3] = [("in", "input"), ("out", "output"), ("inout", "inout")];
        let Some((_, direction)) = DIRECTIONS.into_iter().find(|(word, _)| reader.optional_literal(word))
        else {
            return Err(reader.expected("'in', 'out' or 'inout'"));
        };
        // The location of a port is the place of its name. A name `loc` would be read as a location here.
        let place = if reader.is_literal("loc") { None } else { Some(reader.argument_loc(None)?) };
        let (argument, name) = match direction {
            "output" => (None, name(reader)?),
            _ => {
                let argument = reader.operand()?;
                let written = reader.operand_text(argument);
                if written.contains('#') {
                    return Err(reader.expected("a name of a port without '#'"));
                }
                let default = written.trim_start_matches('%');
                let default = if default.starts_with(|c: char| c.is_ascii_digit()) { "" } else { default };
                let name = reader.optional_string().or_else(|| reader.optional_keyword());
                (Some(argument), name.unwrap_or_else(|| default.to_owned()))
            }
        };
        reader.literal(":")?;
        let mut ty = reader.ty()?;
        let ty_text = reader.type_text(ty);
        self.texts.push(format!("{direction} {} : {ty_text}", keyword_or_string(&name)));
        let attrs = reader.optional_dictionary()?.unwrap_or(Context::EMPTY_DICTIONARY);
        let loc = match place {
            Some(place) if !reader.is_literal("loc") => place,
            _ => reader.argument_loc(argument)?,
        };
        if let Some(name) = argument {
            if direction == "inout" {
                ty = reader.type_of_text(&format!("!hw.inout<{ty_text}>"))?;
            }
            self.arguments.push(Argument { name, ty, attrs, loc });
        }
        self.attrs.push(attrs);
        self.locs.push(reader.intern_attr(AttrKind::Location(loc)));
        Ok(())
    }
}

impl CustomForm for Module {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        read_visibility(reader);
        symbol(reader, "sym_name")?;
        if self.is_generated {
            reader.literal(",")?;
            let generator = reader.attribute(None)?;
            reader.set("generatorKind", generator);
        }
        read_parameters(reader)?;
        let mut ports = Ports::default();
        enclosed(reader, ("(", ")"), |r| ports.read_port(r))?;
        let ty = reader.type_of_text(&format!("!hw.modty<{}>", ports.texts.join(", ")))?;
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.set("module_type", ty);
        let unknown = reader.intern_attr(AttrKind::Location(Context::UNKNOWN));
        for (name, values, default) in
            [("per_port_attrs", ports.attrs, Context::EMPTY_DICTIONARY), ("port_locs", ports.locs, unknown)]
        {
            if values.iter().any(|&value| value != default) {
                let values = reader.intern_attr(AttrKind::Array(values.into()));
                reader.set(name, values);
            }
        }
        reader.attr_dict(true)?;
        let region = match self.has_body {
            true => reader.region(&ports.arguments)?,
            false => reader.empty_region(),
        };
        if self.has_body {
            reader.ensure_terminator(region, "hw.output");
        }
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        print_visibility(printer)?;
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        if self.is_generated {
            printer.text(", ");
            printer.attribute(printer.get("generatorKind")?);
        }
        print_parameters(printer)?;
        let module_type = printer.attr_text(printer.get("module_type")?);
        let ports = ports(&module_type)?;
        let attrs = match printer.get("per_port_attrs").map(|attrs| printer.attr_kind(attrs)) {
            Some(AttrKind::Array(attrs)) if attrs.len() == ports.len() => attrs.to_vec(),
            None => vec![Context::EMPTY_DICTIONARY; ports.len()],
            Some(AttrKind::Array(attrs)) if attrs.is_empty() => vec![Context::EMPTY_DICTIONARY; ports.len()],
            Some(_) => return None,
        };
        let region = *printer.regions().first()?;
        let arguments = if self.has_body { entry_arguments(printer, region)? } else { Vec::new() };
        let mut arguments = arguments.into_iter();
        printer.text("(");
        for (i, (port, attrs)) in ports.iter().zip(attrs).enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            let name = unquoted(port.name);
            match (port.direction, self.has_body) {
                ("output", _) => printer.text(&format!("out {}", port.name)),
                (direction, has_body) => {
                    printer.text(if direction == "input" { "in " } else { "inout " });
                    let written = match has_body {
                        true => printer.value_text(arguments.next()?),
                        false => format!("%{}", value_name(&name)),
                    };
                    printer.text(&written);
                    let is_number = written.starts_with(|c: char| c.is_ascii_digit());
                    if written.trim_start_matches('%') != name || is_number {
                        printer.text(&format!(" {}", port.name));
                    }
                }
            }
            printer.text(&format!(" : {}", port.ty));
            printer.optional_dictionary(attrs);
        }
        printer.text(")");
        printer.attr_dict(true, &STATED);
        if self.has_body {
            printer.text(" ");
            printer.region(region, false, true);
        }
        Some(())
    }
}

/// `"name" sym @s @module<p: i8 = 1>(a: %a: i8) -> (b: i8) {…}`
#[derive(Debug)]
struct Instance;

impl CustomForm for Instance {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let Some(instance) = reader.optional_string() else {
            return Err(reader.expected("the name of the instance in quotes"));
        };
        let instance = reader.string_attr(&instance);
        reader.set("instanceName", instance);
        read_inner_symbol(reader)?;
        let module = reader.attribute(None)?;
        if !matches!(reader.attr_kind(module), AttrKind::SymbolRef { nested, .. } if nested.is_empty()) {
            return Err(reader.fail("the instance must name a module, '@module'"));
        }
        reader.set("moduleName", module);
        read_parameters(reader)?;
        let (mut argument_names, mut result_names) = (Vec::new(), Vec::new());
        let operands = enclosed(reader, ("(", ")"), |r| {
            argument_names.push(name(r)?);
            r.literal(":")?;
            let operand = r.operand()?;
            r.literal(":")?;
            Ok((operand, r.ty()?))
        })?;
        let (operands, types): (Vec<_>, Vec<_>) = operands.into_iter().unzip();
        reader.add_operands(&operands, &types)?;
        reader.literal("->")?;
        let results = enclosed(reader, ("(", ")"), |r| {
            result_names.push(name(r)?);
            r.literal(":")?;
            r.ty()
        })?;
        reader.add_results(&results);
        for (attribute, names) in [("argNames", argument_names), ("resultNames", result_names)] {
            let names = strings(reader, &names);
            reader.set(attribute, names);
        }
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        printer.attribute(printer.get("instanceName")?);
        print_inner_symbol(printer);
        printer.text(" ");
        printer.attribute(printer.get("moduleName")?);
        print_parameters(printer)?;
        for (open, values, names) in [
            ("(", printer.operands(), strings_of(printer, "argNames")?),
            (" -> (", printer.results(), strings_of(printer, "resultNames")?),
        ] {
            if values.len() != names.len() {
                return None;
            }
            printer.text(open);
            for (i, (&value, name)) in values.iter().zip(&names).enumerate() {
                printer.text(if i > 0 { ", " } else { "" });
                printer.text(&format!("{}: ", keyword_or_string(name)));
                if open == "(" {
                    printer.value(value);
                    printer.text(": ");
                }
                printer.ty(printer.value_type(value));
            }
            printer.text(")");
        }
        let stated = ["argNames", "inner_sym", "instanceName", "moduleName", "parameters", "resultNames"];
        printer.attr_dict(false, &stated);
        Some(())
    }
}

/// `private @path [@module::@instance, @module]`
#[derive(Debug)]
struct Path;

impl CustomForm for Path {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        read_visibility(reader);
        symbol(reader, "sym_name")?;
        let parts = enclosed(reader, ("[", "]"), |r| {
            let part = r.attribute(None)?;
            match r.attr_kind(part) {
                AttrKind::SymbolRef { nested, .. } if nested.is_empty() => Ok(part),
                AttrKind::SymbolRef { .. } => {
                    let text = r.attr_text(part);
                    r.attr_of_text(&format!("#hw.innerNameRef<{text}>"))
                }
                _ => Err(r.fail("a path consists of symbols, '@module' or '@module::@instance'")),
            }
        })?;
        let parts = reader.intern_attr(AttrKind::Array(parts.into()));
        reader.set("namepath", parts);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        print_visibility(printer)?;
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        let AttrKind::Array(parts) = printer.attr_kind(printer.get("namepath")?).clone() else { return None };
        let text = |&part: &AttrId| {
            let text = printer.attr_text(part);
            inside(&text, "#hw.innerNameRef").unwrap_or(&text).to_owned()
        };
        let texts: Vec<String> = parts.iter().map(text).collect();
        printer.text(&format!(" [{}]", texts.join(", ")));
        printer.attr_dict(false, &["namepath", "sym_name", "sym_visibility"]);
        Some(())
    }
}

// Constants.

/// `1 : i4 {…}`
#[derive(Debug)]
struct Constant;

impl CustomForm for Constant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let wanted = reader.expected("an integer with its type");
        let value = reader.attribute(None)?;
        let AttrKind::Integer { ty, .. } = *reader.attr_kind(value) else { return Err(wanted) };
        reader.set("value", value);
        reader.add_results(&[ty]);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        printer.attribute(printer.get("value")?);
        printer.attr_dict(false, &["value"]);
        Some(())
    }
}

/// `[1 : i8, 2 : i8] {…} : t`
#[derive(Debug)]
struct AggregateConstant;

impl CustomForm for AggregateConstant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let wanted = reader.expected("the elements, '[…]'");
        let elements = reader.attribute(None)?;
        if !matches!(reader.attr_kind(elements), AttrKind::Array(_)) {
            return Err(wanted);
        }
        reader.set("fields", elements);
        let ty = dict_and_type(reader)?;
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        printer.attribute(printer.get("fields")?);
        let ty = result_type(printer)?;
        print_dict_and_types(printer, &["fields"], &[ty]);
        Some(())
    }
}

/// `A : !hw.enum<A, B>`
#[derive(Debug)]
struct EnumConstant;

impl CustomForm for EnumConstant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let Some(case) = reader.optional_keyword() else { return Err(reader.expected("the name of a case")) };
        reader.literal(":")?;
        reader.attr_dict(false)?;
        let ty = reader.ty()?;
        let text = reader.type_text(ty);
        let field = reader.attr_of_text(&format!("#hw.enum.field<{case}, {text}>"))?;
        reader.set("field", field);
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let text = printer.attr_text(printer.get("field")?);
        let (case, _) = split_once(inside(&text, "#hw.enum.field")?, ',')?;
        if printer.has_attributes_but(&["field"]) {
            return None;
        }
        printer.text(&format!(" {case} : "));
        printer.ty(result_type(printer)?);
        Some(())
    }
}

/// `i8 = #hw.param.decl.ref<"p"> {…}`
#[derive(Debug)]
struct ParameterValue;

impl CustomForm for ParameterValue {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let ty = reader.ty()?;
        reader.literal("=")?;
        let value = reader.attribute(Some(ty))?;
        let value = match reader.type_of_attr(value) {
            Some(_) => value,
            None => {
                let text = format!("{} : {}", reader.attr_text(value), reader.type_text(ty));
                reader.attr_of_text(&text)?
            }
        };
        reader.set("value", value);
        reader.add_results(&[ty]);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let ty = result_type(printer)?;
        let value = printer.get("value")?;
        if printer.type_of_attr(value) != Some(ty) {
            return None;
        }
        printer.text(" ");
        printer.ty(ty);
        printer.text(" = ");
        printer.attribute_without_type(value);
        printer.attr_dict(false, &["value"]);
        Some(())
    }
}

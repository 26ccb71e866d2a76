//! Modules of the dialect `hw` of CIRCT, their instances, and paths of instances.

use super::super::lists::{enclosed, symbol};
use super::super::signature::{print_visibility, read_visibility, string};
use super::inner_symbol::{print_inner_symbol, read_inner_symbol};
use super::types::{Port, inout_of, inside, is_string_or_class, ports, split_once, unquoted};
use crate::host::Signedness;
use crate::identifier::keyword_or_string;
use crate::identifier::value_name;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{Argument, CustomForm, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;
use crate::number::{ApFloat, ApInt};
use crate::string_literal::quote;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("hw.module", Module { has_body: true, is_generated: false });
    forms.add_form("hw.module.extern", Module { has_body: false, is_generated: false });
    forms.add_form("hw.module.generated", Module { has_body: false, is_generated: true });
    forms.add_form("hw.instance", Instance);
    forms.add_form("hw.hierpath", Path);
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

/// Reads `@name`; `message` is the error for another attribute.
fn module_symbol(reader: &mut dyn FormReader, message: &str) -> FormResult<AttrId> {
    let symbol = reader.attribute(None)?;
    match reader.attr_kind(symbol) {
        AttrKind::SymbolRef { nested, .. } if nested.is_empty() => Ok(symbol),
        _ => Err(reader.fail(message)),
    }
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

/// True if `text` is known to be the text that MLIR prints for a value of this type.
fn is_value_of(printer: &dyn FormPrinter, text: &str, ty: Option<TypeId>) -> bool {
    if text.starts_with(['"', '#']) {
        return is_string_or_class(text);
    }
    match ty.map(|ty| printer.type_kind(ty)) {
        Some(TypeKind::Integer { width: 1, signedness: Signedness::Signless }) => {
            ["false", "true"].contains(&text)
        }
        Some(&TypeKind::Integer { width, signedness }) => {
            ApInt::parse(width, text).is_some_and(|value| match signedness {
                Signedness::Unsigned => value.to_unsigned_string() == text,
                _ => value.to_signed_string() == text,
            })
        }
        Some(TypeKind::Index) => text.parse::<i64>().is_ok_and(|value| value.to_string() == text),
        Some(&TypeKind::Float(format)) => {
            ApFloat::parse_decimal(format, text).is_some_and(|value| value.to_string() == text)
        }
        _ => false,
    }
}

/// Prints the list that [`read_parameters`] reads.
fn print_parameters(printer: &mut dyn FormPrinter) -> Option<()> {
    let AttrKind::Array(items) = printer.attr_kind(printer.get("parameters")?).clone() else { return None };
    let mut texts = Vec::new();
    for &item in &items {
        let ty = printer.type_of_attr(item);
        let ty_text = ty.map(|ty| printer.type_text(ty));
        let text = without_type(&printer.attr_text(item), ty_text.clone());
        let parameter = inside(&text, "#hw.param.decl")?;
        let (quoted, rest) = split_once(parameter, ':')?;
        let (stated, value) =
            split_once(rest, '=').map_or((rest, None), |(stated, value)| (stated, Some(value)));
        // MLIR does not print the type `none` after an attribute.
        let fits = stated == ty_text.as_deref().unwrap_or("none")
            && value.is_none_or(|value| is_value_of(printer, value, ty));
        let name = unquoted(quoted);
        let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
        if !fits || parameter != format!("{}: {stated}{value}", quote(&name)) {
            return None;
        }
        texts.push(format!("{}: {stated}{value}", keyword_or_string(&name)));
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
const ELIDED: [&str; 7] = [
    "generatorKind",
    "module_type",
    "parameters",
    "per_port_attrs",
    "port_locs",
    "sym_name",
    "sym_visibility",
];

/// The ports of a module, as they were read.
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
        // By default, the location of a port is the place of its name. If the name is `loc`, the location is not read
        // here, because the name would be read as the start of a location.
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

/// The attributes in an array that has one attribute for each port; an empty list if the operation has no array or an
/// empty array.
fn of_ports(printer: &dyn FormPrinter, attribute: &str, ports: usize) -> Option<Vec<AttrId>> {
    match printer.get(attribute).map(|attrs| printer.attr_kind(attrs)) {
        None => Some(Vec::new()),
        Some(AttrKind::Array(attrs)) if attrs.is_empty() || attrs.len() == ports => Some(attrs.to_vec()),
        Some(_) => None,
    }
}

impl CustomForm for Module {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        read_visibility(reader);
        symbol(reader, "sym_name")?;
        if self.is_generated {
            reader.literal(",")?;
            let generator = module_symbol(reader, "the module must name a generator, '@generator'")?;
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
        let attrs = of_ports(printer, "per_port_attrs", ports.len())?;
        let locs = of_ports(printer, "port_locs", ports.len())?;
        let region = *printer.regions().first()?;
        let entry = printer.blocks(region).first().copied().filter(|_| self.has_body);
        let arguments = entry.map_or_else(Vec::new, |entry| printer.arguments(entry));
        let is_argument = |port: &&Port<'_>| port.direction != "output";
        let count = ports.iter().filter(is_argument).count();
        if self.has_body && arguments.len() != count {
            return None;
        }
        let mut numbers = 0..count;
        printer.text("(");
        for (i, port) in ports.iter().enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            let mut loc = match locs.get(i).map(|&loc| printer.attr_kind(loc)) {
                Some(AttrKind::Location(loc)) => Some(*loc),
                Some(_) => return None,
                None => None,
            };
            if port.direction == "output" {
                printer.text(&format!("out {}", port.name));
            } else {
                printer.text(if port.direction == "input" { "in " } else { "inout " });
                let (number, name) = (numbers.next()?, unquoted(port.name));
                let written = match (entry, name.as_str()) {
                    (Some(entry), _) => {
                        let argument = arguments[number];
                        let ty = printer.type_text(printer.value_type(argument));
                        let expected = if port.direction == "input" { port.ty } else { &inout_of(port.ty) };
                        if ty != expected {
                            return None;
                        }
                        loc = loc.or(Some(printer.argument_loc(entry, number)));
                        printer.value_text(argument)
                    }
                    (None, "") => format!("%{number}"),
                    (None, name) => format!("%{}", value_name(name)),
                };
                printer.text(&written);
                if written.strip_prefix('%') != Some(&name) {
                    printer.text(&format!(" {}", port.name));
                }
            }
            printer.text(&format!(" : {}", port.ty));
            if let Some(&attrs) = attrs.get(i) {
                printer.optional_dictionary(attrs);
            }
            printer.location(loc.unwrap_or(Context::UNKNOWN));
        }
        printer.text(")");
        printer.attr_dict(true, &ELIDED);
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
        let module = module_symbol(reader, "the instance must name a module, '@module'")?;
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
        let elided = ["argNames", "inner_sym", "instanceName", "moduleName", "parameters", "resultNames"];
        printer.attr_dict(false, &elided);
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
                AttrKind::SymbolRef { nested, .. } if nested.len() == 1 => {
                    let text = r.attr_text(part);
                    r.attr_of_text(&format!("#hw.innerNameRef<{text}>"))
                }
                _ => Err(r.fail("a path must consist of symbols, '@module' or '@module::@instance'")),
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
            match printer.attr_kind(part) {
                AttrKind::SymbolRef { nested, .. } => nested.is_empty().then_some(text),
                _ => inside(&text, "#hw.innerNameRef").map(str::to_owned),
            }
        };
        let texts = parts.iter().map(text).collect::<Option<Vec<String>>>()?;
        printer.text(&format!(" [{}]", texts.join(", ")));
        printer.attr_dict(false, &["namepath", "sym_name", "sym_visibility"]);
        Some(())
    }
}

//! Operations of the LLVM dialect.

use super::signature::{print_signature, read_signature, set_attrs, string};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::AttrId;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("llvm.func", Func);
    forms.add_directive("GEPIndices", GepIndices);
}

const LINKAGES: &[&str] = &[
    "private",
    "internal",
    "available_externally",
    "linkonce",
    "weak",
    "common",
    "appending",
    "extern_weak",
    "linkonce_odr",
    "weak_odr",
    "external",
];

/// The attributes that the dictionary of the text omits.
const IMPLIED: &[&str] = &[
    "CConv",
    "arg_attrs",
    "function_type",
    "linkage",
    "res_attrs",
    "sym_name",
    "sym_visibility",
    "unnamed_addr",
    "visibility_",
];

/// `llvm.func linkage @name(%a: t, …) -> t attributes {…} {…}`
#[derive(Debug)]
struct Func;

/// The text of a type inside another type of the dialect.
fn inner(text: &str) -> &str {
    text.strip_prefix("!llvm.").unwrap_or(text)
}

/// Splits the parameters and the result of `!llvm.func<result (parameters)>`.
fn split(text: &str) -> Option<(String, Vec<String>, bool)> {
    let inside = text.strip_prefix("!llvm.func<")?.strip_suffix('>')?;
    let open = top_level(inside, '(')?;
    let result = inside[..open].trim().to_owned();
    let mut rest = inside[open + 1..].strip_suffix(')')?.trim();
    let (mut parameters, mut variadic) = (Vec::new(), false);
    while !rest.is_empty() {
        let end = top_level(rest, ',').unwrap_or(rest.len());
        match rest[..end].trim() {
            "..." => variadic = true,
            parameter => parameters.push(parameter.to_owned()),
        }
        rest = rest.get(end + 1..).unwrap_or("").trim();
    }
    Some((result, parameters, variadic))
}

/// The offset of a character outside brackets.
fn top_level(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if c == wanted && depth == 0 {
            return Some(at);
        }
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if text[..at].ends_with('-') => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The type whose text occurs inside another type of the dialect.
fn outer(text: &str) -> String {
    let builtin = ["i", "f", "bf", "vector", "index", "tensor", "memref", "!"];
    let is_builtin = builtin.iter().any(|prefix| {
        let rest = text.strip_prefix(prefix).unwrap_or("");
        match *prefix {
            "i" | "f" | "bf" => !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()),
            _ => text.starts_with(prefix),
        }
    });
    if is_builtin { text.to_owned() } else { format!("!llvm.{text}") }
}

impl CustomForm for Func {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let linkage = LINKAGES.iter().find(|word| reader.is_literal(word)).copied();
        if let Some(word) = linkage {
            reader.literal(word)?;
        }
        let linkage = reader.attr_of_text(&format!("#llvm.linkage<{}>", linkage.unwrap_or("external")))?;
        reader.set("linkage", linkage);
        let visibility = ["hidden", "protected"].iter().position(|word| reader.optional_literal(word));
        let visibility = visibility.map_or(0, |index| index + 1);
        let visibility = reader.attr_of_text(&format!("{visibility} : i64"))?;
        reader.set("visibility_", visibility);
        let unnamed = ["local_unnamed_addr", "unnamed_addr"];
        if let Some(index) = unnamed.iter().position(|word| reader.optional_literal(word)) {
            let value = reader.attr_of_text(&format!("{} : i64", index + 1))?;
            reader.set("unnamed_addr", value);
        }
        let convention = reader.optional_keyword();
        let convention = convention.unwrap_or_else(|| "ccc".to_owned());
        let convention = reader.attr_of_text(&format!("#llvm.cconv<{convention}>"))?;
        reader.set("CConv", convention);
        let Some(name) = reader.optional_symbol() else {
            return Err(reader.expected("the name of a function"));
        };
        let name = reader.string_attr(&name);
        reader.set("sym_name", name);
        let signature = read_signature(reader, true)?;
        let result = match signature.results.as_slice() {
            [] => "void".to_owned(),
            [one] => inner(&reader.type_text(*one)).to_owned(),
            _ => return Err(reader.fail("a function has at most one result")),
        };
        let mut parameters: Vec<String> =
            signature.inputs.iter().map(|&ty| inner(&reader.type_text(ty)).to_owned()).collect();
        if signature.variadic {
            parameters.push("...".to_owned());
        }
        let ty = reader.type_of_text(&format!("!llvm.func<{result} ({})>", parameters.join(", ")))?;
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.set("function_type", ty);
        set_attrs(reader, &signature);
        reader.attr_dict(true)?;
        let region = match reader.is_literal("{") {
            true => reader.region(&signature.arguments)?,
            false => reader.empty_region(),
        };
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
        let text = printer.type_text(ty);
        let (result, parameters, variadic) = split(&text)?;
        let case = |printer: &dyn FormPrinter, name: &str, class: &str| -> Option<String> {
            let text = printer.attr_text(printer.get(name)?);
            Some(text.strip_prefix(class)?.trim_matches(['<', '>']).to_owned())
        };
        let number = |printer: &dyn FormPrinter, name: &str| -> Option<usize> {
            let AttrKind::Integer { value, .. } = printer.attr_kind(printer.get(name)?) else { return None };
            usize::try_from(value.to_i64()?).ok()
        };
        let linkage = case(printer, "linkage", "#llvm.linkage").unwrap_or_else(|| "external".to_owned());
        if linkage != "external" {
            printer.text(" ");
            printer.text(&linkage);
        }
        for (name, words) in [
            ("visibility_", ["hidden", "protected"]),
            ("unnamed_addr", ["local_unnamed_addr", "unnamed_addr"]),
        ] {
            if let Some(index) = number(printer, name).and_then(|number| number.checked_sub(1)) {
                printer.text(" ");
                printer.text(words.get(index)?);
            }
        }
        let convention = case(printer, "CConv", "#llvm.cconv").unwrap_or_else(|| "ccc".to_owned());
        if convention != "ccc" {
            printer.text(" ");
            printer.text(&convention);
        }
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        let inputs: Vec<String> = parameters.iter().map(|text| outer(text)).collect();
        let results = if result == "void" { Vec::new() } else { vec![outer(&result)] };
        print_signature(printer, &inputs, &results, variadic)?;
        printer.attr_dict(true, IMPLIED);
        let region = printer.regions().first().copied()?;
        if !printer.blocks(region).is_empty() {
            printer.text(" ");
            printer.region(region, false, true);
        }
        Some(())
    }
}

/// The indices of `llvm.getelementptr`: values and constants.
#[derive(Debug)]
struct GepIndices;

/// Marks a value among the constants.
const VALUE: i32 = i32::MIN;

fn constants(printer: &dyn FormPrinter, attr: AttrId) -> Option<Vec<i32>> {
    match printer.attr_kind(attr) {
        AttrKind::DenseArray { element, data } if *element == Context::I32 => {
            data.chunks(4).map(|bytes| Some(i32::from_le_bytes(bytes.try_into().ok()?))).collect()
        }
        _ => None,
    }
}

impl CustomDirective for GepIndices {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, attribute] = args else { return Err(reader.fail("GEPIndices has two arguments")) };
        let (mut names, mut indices) = (Vec::new(), Vec::new());
        loop {
            if reader.is_operand() {
                names.push(reader.operand()?);
                indices.push(VALUE);
            } else {
                match reader.optional_integer()?.and_then(|value| i32::try_from(value).ok()) {
                    Some(value) => indices.push(value),
                    None if indices.is_empty() => break,
                    None => return Err(reader.expected("an index of 32 bits")),
                }
            }
            if !reader.optional_literal(",") {
                break;
            }
        }
        reader.put_operands(operands, &names);
        let data = indices.iter().flat_map(|value| value.to_le_bytes()).collect();
        let value = reader.intern_attr(AttrKind::DenseArray { element: Context::I32, data });
        reader.put_attribute(attribute, value);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, attribute] = args else { return None };
        let mut values = printer.group(operands).into_iter();
        for (i, index) in constants(printer, printer.attribute_of(attribute)?)?.into_iter().enumerate() {
            if i > 0 {
                printer.text(", ");
            }
            match index {
                VALUE => printer.value(values.next()?),
                index => printer.text(&index.to_string()),
            }
        }
        values.next().is_none().then_some(())
    }
}

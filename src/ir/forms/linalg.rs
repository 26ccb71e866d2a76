//! `linalg.generic`. The named operations have regions that only C++ code builds.

use super::index_list::i32_array;
use super::scf::types;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("linalg.generic", Generic);
}

/// `linalg.generic {…} ins(%a : t) outs(%b : t) attrs = {…} {…} -> t`
#[derive(Debug)]
struct Generic;

/// Reads `(%a, %b : t, u)` after a keyword, and returns the number of operands.
fn read_values(reader: &mut dyn FormReader) -> FormResult<usize> {
    reader.literal("(")?;
    let (mut names, mut types) = (Vec::new(), Vec::new());
    if reader.optional_literal(")") {
        return Ok(0);
    }
    loop {
        names.push(reader.operand()?);
        if !reader.optional_literal(",") {
            break;
        }
    }
    reader.literal(":")?;
    loop {
        types.push(reader.ty()?);
        if !reader.optional_literal(",") {
            break;
        }
    }
    reader.literal(")")?;
    reader.add_operands(&names, &types)?;
    Ok(names.len())
}

impl CustomForm for Generic {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        if !reader.is_literal("{") {
            return Err(reader.expected("'{' before the attributes"));
        }
        reader.attr_dict(false)?;
        let inputs = if reader.optional_literal("ins") { read_values(reader)? } else { 0 };
        let outputs = if reader.optional_literal("outs") { read_values(reader)? } else { 0 };
        let sizes = i32_array(reader, &[inputs, outputs]);
        reader.set("operandSegmentSizes", sizes);
        if reader.optional_literal("attrs") {
            reader.literal("=")?;
            reader.attr_dict(false)?;
        }
        // Iterator types are written as strings and stored as enums.
        iterator_types(reader)?;
        let region = reader.region(&[])?;
        reader.add_region(region);
        if reader.optional_literal("->") {
            let results = reader.result_types()?;
            reader.add_results(&results);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let sizes = printer.sizes("operandSegmentSizes")?;
        let operands = printer.operands();
        let [inputs, outputs] = *sizes.as_slice() else { return None };
        if inputs + outputs != operands.len() {
            return None;
        }
        let names = ["indexing_maps", "iterator_types", "doc", "library_call"];
        printer.text(" {");
        let mut first = true;
        for name in ["doc", "indexing_maps", "iterator_types", "library_call"] {
            let Some(value) = printer.get(name) else { continue };
            if !std::mem::take(&mut first) {
                printer.text(", ");
            }
            printer.text(name);
            printer.text(" = ");
            match name {
                "iterator_types" => {
                    let text = printer.attr_text(value);
                    let text = text.replace("#linalg.iterator_type<", "\"").replace('>', "\"");
                    printer.text(&text);
                }
                _ => printer.attribute(value),
            }
        }
        printer.text("}");
        for (word, values) in [(" ins(", &operands[..inputs]), (" outs(", &operands[inputs..])] {
            if values.is_empty() {
                continue;
            }
            printer.text(word);
            printer.values(values);
            printer.text(" : ");
            let types = types(printer, values);
            printer.types(&types);
            printer.text(")");
        }
        let mut elided = names.to_vec();
        elided.push("operandSegmentSizes");
        if printer.has_attributes_but(&elided) {
            printer.text(" attrs =");
            printer.attr_dict(false, &elided);
        }
        printer.text(" ");
        let region = *printer.regions().first()?;
        printer.region(region, true, true);
        let results = types(printer, &printer.results());
        printer.arrow_types(&results);
        Some(())
    }
}

fn iterator_types(reader: &mut dyn FormReader) -> FormResult<()> {
    use crate::ir::attributes::AttrKind;
    let Some(attr) = reader.get("iterator_types") else { return Ok(()) };
    let AttrKind::Array(items) = reader.attr_kind(attr).clone() else { return Ok(()) };
    let mut converted = Vec::new();
    for item in items {
        let text = match reader.attr_kind(item) {
            AttrKind::String { .. } => reader.attr_text(item),
            _ => return Ok(()),
        };
        converted.push(reader.attr_of_text(&format!("#linalg.iterator_type<{}>", text.trim_matches('"')))?);
    }
    let value = reader.intern_attr(AttrKind::Array(converted.into()));
    reader.set("iterator_types", value);
    Ok(())
}

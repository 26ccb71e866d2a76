//! `linalg.generic` and the parts that it shares with the named operations.

use super::index_list::i32_array;
use super::lists::{optional_results, print_typed, string_of, typed_operands, types};
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::{AttrId, TypeId, ValueId};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("linalg.generic", Generic);
}

/// `linalg.generic {…} ins(%a : t) outs(%b : t) attrs = {…} {…} -> t`
#[derive(Debug)]
struct Generic;

/// Reads `ins(%a : t) outs(%b : t)`. Returns the types, and the number of inputs.
pub(super) fn read_operands(reader: &mut dyn FormReader) -> FormResult<(Vec<TypeId>, usize)> {
    let mut all = Vec::new();
    let mut inputs = 0;
    for word in ["ins", "outs"] {
        if reader.optional_literal(word) {
            let (names, types) = typed_operands(reader)?;
            reader.add_operands(&names, &types)?;
            all.extend(types);
        }
        if word == "ins" {
            inputs = all.len();
        }
    }
    Ok((all, inputs))
}

/// Prints the text that [`read_operands`] reads.
pub(super) fn print_operands(
    printer: &mut dyn FormPrinter,
    operands: &[ValueId],
    inputs: usize,
) -> Option<()> {
    let (inputs, outputs) = operands.split_at_checked(inputs)?;
    print_typed(printer, " ins", inputs);
    print_typed(printer, " outs", outputs);
    Some(())
}

impl CustomForm for Generic {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let traits = reader.attribute(None)?;
        reader.add_attributes(traits)?;
        let (types, inputs) = read_operands(reader)?;
        let sizes = i32_array(reader, &[inputs, types.len() - inputs]);
        reader.set("operandSegmentSizes", sizes);
        if reader.optional_literal("attrs") {
            reader.literal("=")?;
            reader.attr_dict(false)?;
        }
        enums_from_strings(reader, "#linalg.iterator_type")?;
        let region = reader.region(&[])?;
        reader.add_region(region);
        let results = optional_results(reader)?;
        reader.add_results(&results);
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
                    let text = strings_from_enums(printer, value, "#linalg.iterator_type");
                    printer.text(&text);
                }
                _ => printer.attribute(value),
            }
        }
        printer.text("}");
        print_operands(printer, &operands, inputs)?;
        let mut elided = names.to_vec();
        elided.push("operandSegmentSizes");
        if printer.has_attributes_but(&elided) {
            printer.text(" attrs = ");
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

/// Replaces the strings that the text has in `iterator_types` by enums of a class.
pub(super) fn enums_from_strings(reader: &mut dyn FormReader, class: &str) -> FormResult<()> {
    let Some(attr) = reader.get("iterator_types") else { return Ok(()) };
    let AttrKind::Array(items) = reader.attr_kind(attr).clone() else { return Ok(()) };
    let mut converted = Vec::new();
    for item in items {
        match string_of(reader, item) {
            Some(text) => converted.push(reader.attr_of_text(&format!("{class}<{text}>"))?),
            None => converted.push(item),
        }
    }
    let value = reader.intern_attr(AttrKind::Array(converted.into()));
    reader.replace("iterator_types", value);
    Ok(())
}

/// The text of an array attribute, with a string in place of each enum of a class.
pub(super) fn strings_from_enums(printer: &dyn FormPrinter, attr: AttrId, class: &str) -> String {
    printer.attr_text(attr).replace(&format!("{class}<"), "\"").replace('>', "\"")
}

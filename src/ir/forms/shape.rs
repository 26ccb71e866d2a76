//! Operations of the shape and shard dialects.

use super::error::wrong_arguments;
use super::index_list::{i64_array, i64_items};
use super::lists::{dense_i64, dense_text, enclosed};
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::types::DYNAMIC;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("shape.const_shape", ConstShape);
    forms.add_form("shape.assuming", Assuming);
    forms.add_directive("DimensionList", DimensionList);
}

/// `shape.const_shape [1, 2] : t`
#[derive(Debug)]
struct ConstShape;

impl CustomForm for ConstShape {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        reader.attr_dict(false)?;
        let sizes =
            enclosed(reader, ("[", "]"), |r| r.optional_integer()?.ok_or_else(|| r.expected("a size")))?;
        let texts: Vec<String> = sizes.iter().map(i64::to_string).collect();
        let shape = reader.attr_of_text(&dense_text(&texts, &format!("{}xindex", texts.len())))?;
        reader.set("shape", shape);
        reader.literal(":")?;
        let ty = reader.ty()?;
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.attr_dict(false, &["shape"]);
        let sizes = dense_i64(printer, printer.get("shape")?, Context::INDEX, 1)?;
        let texts: Vec<String> = sizes.iter().map(i64::to_string).collect();
        printer.text(&format!(" [{}] : ", texts.join(", ")));
        printer.ty(printer.value_type(*printer.results().first()?));
        Some(())
    }
}

/// `shape.assuming %w -> (t) {…}`
#[derive(Debug)]
struct Assuming;

impl CustomForm for Assuming {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let witness = reader.operand()?;
        let ty = reader.type_of_text("!shape.witness")?;
        reader.add_operands(&[witness], &[ty])?;
        let results = super::lists::optional_results(reader)?;
        reader.add_results(&results);
        let region = reader.region(&[])?;
        reader.ensure_terminator(region, "shape.assuming_yield");
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        let operands = printer.operands();
        printer.values(&operands);
        let results = super::lists::types(printer, &printer.results());
        if !results.is_empty() {
            printer.text(" -> (");
            printer.types(&results);
            printer.text(")");
        }
        printer.text(" ");
        let region = *printer.regions().first()?;
        printer.region(region, true, !results.is_empty());
        printer.attr_dict(false, &[]);
        Some(())
    }
}

/// `3x?x5`, or `[]` for no sizes.
#[derive(Debug)]
struct DimensionList;

impl CustomDirective for DimensionList {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [sizes] = args else {
            return Err(wrong_arguments(reader, "DimensionList", "one argument", args));
        };
        let mut numbers = Vec::new();
        if reader.optional_literal("[") {
            reader.literal("]")?;
        } else {
            numbers = reader.sizes()?;
            if numbers.is_empty() {
                return Err(reader.expected("sizes with 'x' between them, or '[]'"));
            }
        }
        let numbers = i64_array(reader, &numbers);
        reader.put_attribute(sizes, numbers);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let sizes = i64_items(printer, printer.attribute_of(args.first()?)?)?;
        let text = |&size: &i64| if size == DYNAMIC { "?".to_owned() } else { size.to_string() };
        let texts: Vec<String> = sizes.iter().map(text).collect();
        printer.text(if texts.is_empty() { "[]" } else { "" });
        printer.text(&texts.join("x"));
        Some(())
    }
}

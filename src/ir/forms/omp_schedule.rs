//! The schedule of OpenMP's work-sharing loops.

use super::error::wrong_arguments;
use crate::ir::context::Context;
use crate::ir::dialect::{CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("ScheduleClause", ScheduleClause);
}

/// `dynamic = %size : i32, nonmonotonic, simd`
#[derive(Debug)]
struct ScheduleClause;

impl CustomDirective for ScheduleClause {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [kind, modifier, simd, size, _] = args else {
            return Err(wrong_arguments(reader, "ScheduleClause", "five arguments", args));
        };
        let Some(word) = reader.optional_keyword() else { return Err(reader.expected("a kind of schedule")) };
        let value = reader.attr_of_text(&format!("#omp<schedulekind {word}>"))?;
        reader.put_attribute(kind, value);
        if matches!(word.as_str(), "static" | "dynamic" | "guided") && reader.optional_literal("=") {
            let operand = reader.operand()?;
            reader.literal(":")?;
            let ty = reader.ty()?;
            reader.put_operands(size, &[operand]);
            reader.put_types(size, &[ty]);
        }
        let mut words = Vec::new();
        while reader.optional_literal(",") {
            match reader.optional_keyword() {
                Some(word) => words.push(word),
                None => return Err(reader.expected("a modifier")),
            }
        }
        if words.iter().any(|word| word == "simd") {
            reader.put_attribute(simd, Context::UNIT);
            words.retain(|word| word != "simd");
            if words.is_empty() {
                words.push("none".to_owned());
            }
        }
        match words.as_slice() {
            [] => {}
            [word] => {
                let value = reader.attr_of_text(&format!("#omp<sched_mod {word}>"))?;
                reader.put_attribute(modifier, value);
            }
            _ => return Err(reader.expected("at most one modifier and 'simd'")),
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [kind, modifier, simd, size, _] = args else { return None };
        let word = |arg: &DirectiveArg, class: &str| {
            let text = printer.attr_text(printer.attribute_of(arg)?);
            let word = text.strip_prefix(&format!("#omp<{class} "))?.strip_suffix('>')?;
            Some(word.to_owned())
        };
        let (kind, modifier) = (word(kind, "schedulekind")?, word(modifier, "sched_mod"));
        printer.text(&kind);
        if let [size] = *printer.group(size).as_slice() {
            printer.text(" = ");
            printer.value(size);
            printer.text(" : ");
            printer.ty(printer.value_type(size));
        }
        if let Some(modifier) = modifier {
            printer.text(&format!(", {modifier}"));
        }
        if printer.attribute_of(simd).is_some() {
            printer.text(", simd");
        }
        Some(())
    }
}

//! Directives of the pdl dialects.

use super::error::wrong_arguments;
use super::lists::{enclosed, typed_operands};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    for name in ["OperationOpAttributes", "CreateOperationOpAttributes"] {
        forms.add_directive(name, Attributes { name });
    }
    forms.add_directive("CreateOperationOpResults", Results);
    forms.add_directive("RangeType", RangeType);
    forms.add_directive("ResultsValueType", ResultsValueType);
}

/// ` {"name" = %value, …}`
#[derive(Debug)]
struct Attributes {
    name: &'static str,
}

impl CustomDirective for Attributes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [values, names] = args else {
            return Err(wrong_arguments(reader, self.name, "two arguments", args));
        };
        let (mut words, mut operands) = (Vec::new(), Vec::new());
        if reader.is_literal("{") {
            let entries = enclosed(reader, ("{", "}"), |r| {
                let Some(name) = r.optional_string() else {
                    return Err(r.expected("the name of an attribute in quotes"));
                };
                r.literal("=")?;
                Ok((r.string_attr(&name), r.operand()?))
            })?;
            (words, operands) = entries.into_iter().unzip();
        }
        reader.put_operands(values, &operands);
        let words = reader.intern_attr(AttrKind::Array(words.into()));
        reader.put_attribute(names, words);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [values, names] = args else { return None };
        let AttrKind::Array(words) = printer.attr_kind(printer.attribute_of(names)?).clone() else {
            return None;
        };
        let operands = printer.group(values);
        if words.len() != operands.len() {
            return None;
        }
        for (i, (&word, &operand)) in words.iter().zip(&operands).enumerate() {
            printer.text(if i == 0 { " {" } else { ", " });
            printer.attribute(word);
            printer.text(" = ");
            printer.value(operand);
        }
        printer.text(if words.is_empty() { "" } else { "}" });
        Some(())
    }
}

/// `: t`, or nothing if the range has arguments, because their types determine the type of the range.
#[derive(Debug)]
struct RangeType;

impl CustomDirective for RangeType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [arguments, result] = args else {
            return Err(wrong_arguments(reader, "RangeType", "two arguments", args));
        };
        let ty = match reader.types_of(arguments).first() {
            Some(&first) => {
                let text = reader.type_text(first);
                match text.strip_prefix("!pdl.") {
                    Some(element) if !element.starts_with("range<") => {
                        reader.type_of_text(&format!("!pdl.range<{element}>"))?
                    }
                    _ => first,
                }
            }
            None => {
                reader.literal(":")?;
                reader.ty()?
            }
        };
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [arguments, result] = args else { return None };
        if printer.types_of(arguments).is_empty() {
            printer.text(": ");
            printer.ty(*printer.types_of(result).first()?);
        }
        Some(())
    }
}

/// ` -> t` after an index. Without an index, the text is empty, and the type is `!pdl.range<value>`.
#[derive(Debug)]
struct ResultsValueType;

impl CustomDirective for ResultsValueType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [index, result] = args else {
            return Err(wrong_arguments(reader, "ResultsValueType", "two arguments", args));
        };
        let ty = if reader.attribute_of(index).is_some() {
            reader.literal("->")?;
            reader.ty()?
        } else {
            reader.type_of_text("!pdl.range<value>")?
        };
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [index, result] = args else { return None };
        if printer.attribute_of(index).is_some() {
            printer.text(" -> ");
            printer.ty(*printer.types_of(result).first()?);
        }
        Some(())
    }
}

/// ` -> <inferred>` or ` -> (%a : t)`
#[derive(Debug)]
struct Results;

impl CustomDirective for Results {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [values, types, inferred] = args else {
            return Err(wrong_arguments(reader, "CreateOperationOpResults", "three arguments", args));
        };
        if !reader.optional_literal("->") {
            reader.put_types(types, &[]);
            return Ok(());
        }
        if reader.optional_literal("<") {
            reader.literal("inferred")?;
            reader.literal(">")?;
            reader.put_attribute(inferred, Context::UNIT);
            reader.put_types(types, &[]);
            return Ok(());
        }
        let (operands, written) = typed_operands(reader)?;
        reader.put_operands(values, &operands);
        reader.put_types(types, &written);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [values, _, inferred] = args else { return None };
        if printer.attribute_of(inferred).is_some() {
            printer.text(" -> <inferred>");
            return Some(());
        }
        let operands = printer.group(values);
        super::lists::print_typed(printer, " -> ", &operands);
        Some(())
    }
}

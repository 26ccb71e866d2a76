//! Operations of the async dialect.

use super::error::wrong_arguments;
use super::index_list::i32_array;
use super::lists::{enclosed, entry_arguments, types};
use crate::ir::context::Context;
use crate::ir::dialect::{
    Argument, CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::TypeId;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("async.execute", Execute);
    forms.add_directive("AwaitResultType", AwaitResult);
}

/// The type inside `!async.value<…>`.
fn inner(reader: &mut dyn FormReader, ty: TypeId) -> FormResult<Option<TypeId>> {
    let text = reader.type_text(ty);
    match text.strip_prefix("!async.value<").and_then(|rest| rest.strip_suffix('>')) {
        Some(inner) => reader.type_of_text(inner).map(Some),
        None => Ok(None),
    }
}

/// The type of the operand of `async.await`, which determines the type of the result.
#[derive(Debug)]
struct AwaitResult;

impl CustomDirective for AwaitResult {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operand, result] = args else {
            return Err(wrong_arguments(reader, "AwaitResultType", "two arguments", args));
        };
        let ty = reader.ty()?;
        reader.put_types(operand, &[ty]);
        let inside = inner(reader, ty)?;
        reader.put_types(result, inside.as_slice());
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let types = printer.types_of(args.first()?);
        printer.types(&types);
        Some(())
    }
}

/// `async.execute [%token] (%value as %x: !async.value<t>) -> !async.value<u> attributes {…} {…}`
#[derive(Debug)]
struct Execute;

impl CustomForm for Execute {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let token = reader.type_of_text("!async.token")?;
        let tokens = match reader.is_literal("[") {
            true => enclosed(reader, ("[", "]"), |r| r.operand())?,
            false => Vec::new(),
        };
        reader.add_operands(&tokens, &vec![token; tokens.len()])?;
        let mut arguments = Vec::new();
        if reader.is_literal("(") {
            arguments = enclosed(reader, ("(", ")"), |r| {
                let value = r.operand()?;
                r.literal("as")?;
                let name = r.operand()?;
                r.literal(":")?;
                let ty = r.ty()?;
                r.add_operands(&[value], &[ty])?;
                let Some(ty) = inner(r, ty)? else {
                    return Err(r.fail("the type must be '!async.value<…>'"));
                };
                let loc = r.argument_loc(Some(name))?;
                Ok(Argument { name, ty, attrs: Context::EMPTY_DICTIONARY, loc })
            })?;
        }
        let sizes = i32_array(reader, &[tokens.len(), arguments.len()]);
        reader.set("operandSegmentSizes", sizes);
        reader.add_results(&[token]);
        let results = super::lists::optional_results(reader)?;
        reader.add_results(&results);
        reader.attr_dict(true)?;
        let region = reader.region(&arguments)?;
        reader.ensure_terminator(region, "async.yield");
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let sizes = printer.sizes("operandSegmentSizes")?;
        let operands = printer.operands();
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let (tokens, values) = operands.split_at_checked(*sizes.first()?)?;
        if !tokens.is_empty() {
            printer.text(" [");
            printer.values(tokens);
            printer.text("]");
        }
        if values.len() != arguments.len() {
            return None;
        }
        for (i, (&value, argument)) in values.iter().zip(arguments).enumerate() {
            printer.text(if i == 0 { " (" } else { ", " });
            printer.value(value);
            printer.text(" as ");
            printer.value(argument);
            printer.text(": ");
            printer.ty(printer.value_type(value));
        }
        printer.text(if values.is_empty() { "" } else { ")" });
        let results = types(printer, &printer.results());
        printer.arrow_types(results.get(1..)?);
        printer.attr_dict(true, &["operandSegmentSizes"]);
        printer.text(" ");
        printer.region(region, false, true);
        Some(())
    }
}

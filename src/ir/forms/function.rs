//! Functions of dialects whose text has the form of `func.func`.

use super::lists::print_body;
use super::lists::symbol;
use super::signature::{print_function_signature, read_signature, set_function_type, string};
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};

/// `name visibility @symbol(%a: t) -> t attributes {…} {…}`
#[derive(Debug)]
struct FunctionForm;

pub(super) fn register(forms: &mut Forms) {
    for op in [
        "transform.named_sequence",
        "emitc.func",
        "ml_program.func",
        "async.func",
        "pdl_interp.func",
        "shape.func",
    ] {
        forms.add_form(op, FunctionForm);
    }
}

impl CustomForm for FunctionForm {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        for word in ["public", "private", "nested"] {
            if reader.optional_literal(word) {
                let value = reader.string_attr(word);
                reader.set("sym_visibility", value);
            }
        }
        symbol(reader, "sym_name")?;
        let signature = read_signature(reader, false)?;
        set_function_type(reader, &signature);
        reader.attr_dict(true)?;
        let region = match reader.is_literal("{") {
            true => reader.region(&signature.arguments)?,
            false => reader.empty_region(),
        };
        if reader.op_name() == "transform.named_sequence" && !reader.is_empty(region) {
            reader.ensure_terminator(region, "transform.yield");
        }
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        if let Some(visibility) = string(printer, "sym_visibility") {
            printer.text(" ");
            printer.text(&visibility);
        }
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        print_function_signature(printer)?;
        printer.attr_dict(true, &["sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"]);
        print_body(printer)
    }
}

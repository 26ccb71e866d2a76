//! `func.func`, and the functions of other dialects whose text has the same form.

use super::lists::print_body;
use super::lists::symbol;
use super::signature::{
    print_function_signature, print_visibility, read_attributes, read_signature, read_visibility,
    set_function_type, string,
};
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};

/// `name visibility @symbol(%a: t) -> t attributes {…} {…}`
#[derive(Debug)]
struct FunctionForm {
    /// The name of the terminator that the form adds to a body without terminator.
    terminator: Option<&'static str>,
}

pub(super) fn register(forms: &mut Forms) {
    for op in [
        "func.func",
        "emitc.func",
        "ml_program.func",
        "async.func",
        "pdl_interp.func",
        "shape.func",
        "tt.func",
    ] {
        forms.add_form(op, FunctionForm { terminator: None });
    }
    forms.add_form("transform.named_sequence", FunctionForm { terminator: Some("transform.yield") });
}

impl CustomForm for FunctionForm {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        read_visibility(reader);
        symbol(reader, "sym_name")?;
        let signature = read_signature(reader, false)?;
        set_function_type(reader, &signature);
        read_attributes(reader, &["sym_name", "sym_visibility", "function_type"])?;
        let region = match reader.is_literal("{") {
            true => {
                let region = reader.region(&signature.arguments)?;
                if reader.is_empty(region) {
                    return Err(reader.fail("expected a function body of at least one block"));
                }
                region
            }
            false => reader.empty_region(),
        };
        if let Some(terminator) = self.terminator.filter(|_| !reader.is_empty(region)) {
            reader.ensure_terminator(region, terminator);
        }
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        print_visibility(printer)?;
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        print_function_signature(printer)?;
        printer.attr_dict(true, &["sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"]);
        print_body(printer)
    }
}

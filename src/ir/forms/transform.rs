//! Functions of dialects whose text is that of `func.func`.

use super::signature::{print_signature, read_signature, set_attrs, string};
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::TypeId;
use crate::ir::types::TypeKind;

/// `name visibility @symbol(%a: t) -> t attributes {…} {…}`
#[derive(Debug)]
struct FunctionForm;

pub(super) fn register(forms: &mut Forms) {
    for op in ["transform.named_sequence", "emitc.func", "ml_program.func", "async.func"] {
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
        let Some(name) = reader.optional_symbol() else {
            return Err(reader.expected("the name of a function"));
        };
        let name = reader.string_attr(&name);
        reader.set("sym_name", name);
        let signature = read_signature(reader, false)?;
        let ty = TypeKind::Function {
            inputs: signature.inputs.as_slice().into(),
            results: signature.results.as_slice().into(),
        };
        let ty = reader.intern_type(ty);
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.set("function_type", ty);
        set_attrs(reader, &signature);
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
        let AttrKind::Type(ty) = *printer.attr_kind(printer.get("function_type")?) else { return None };
        let TypeKind::Function { inputs, results } = printer.type_kind(ty).clone() else { return None };
        if let Some(visibility) = string(printer, "sym_visibility") {
            printer.text(" ");
            printer.text(&visibility);
        }
        printer.text(" ");
        printer.symbol(&string(printer, "sym_name")?);
        let texts = |types: &[TypeId]| types.iter().map(|&ty| printer.type_text(ty)).collect::<Vec<_>>();
        let (inputs, results) = (texts(&inputs), texts(&results));
        print_signature(printer, &inputs, &results, false)?;
        printer.attr_dict(true, &["sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"]);
        let region = printer.regions().first().copied()?;
        if !printer.blocks(region).is_empty() {
            printer.text(" ");
            printer.region(region, false, true);
        }
        Some(())
    }
}

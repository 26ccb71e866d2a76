//! Constants of the dialect `hw` of CIRCT.

use super::types::{inside, split_once};
use super::values::{dict_and_type, print_dict_and_types, result_type};
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("hw.constant", Constant);
    forms.add_form("hw.aggregate_constant", AggregateConstant);
    forms.add_form("hw.enum.constant", EnumConstant);
    forms.add_form("hw.param.value", ParameterValue);
}

/// `1 : i4 {…}`
#[derive(Debug)]
struct Constant;

impl CustomForm for Constant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let value = reader.attribute(None)?;
        let AttrKind::Integer { ty, .. } = *reader.attr_kind(value) else {
            return Err(reader.fail("the value must be an integer with its type"));
        };
        reader.set("value", value);
        reader.add_results(&[ty]);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let value = printer.get("value")?;
        if printer.type_of_attr(value) != result_type(printer) {
            return None;
        }
        printer.text(" ");
        printer.attribute(value);
        printer.attr_dict(false, &["value"]);
        Some(())
    }
}

/// `[1 : i8, 2 : i8] {…} : t`
#[derive(Debug)]
struct AggregateConstant;

impl CustomForm for AggregateConstant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let elements = reader.attribute(None)?;
        if !matches!(reader.attr_kind(elements), AttrKind::Array(_)) {
            return Err(reader.fail("the elements must be in a list, '[…]'"));
        }
        reader.set("fields", elements);
        let ty = dict_and_type(reader)?;
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        printer.text(" ");
        printer.attribute(printer.get("fields")?);
        let ty = result_type(printer)?;
        print_dict_and_types(printer, &["fields"], &[ty]);
        Some(())
    }
}

/// `A : !hw.enum<A, B>`
#[derive(Debug)]
struct EnumConstant;

impl CustomForm for EnumConstant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let Some(case) = reader.optional_keyword() else { return Err(reader.expected("the name of a case")) };
        reader.literal(":")?;
        reader.attr_dict(false)?;
        let ty = reader.ty()?;
        let text = reader.type_text(ty);
        let field = reader.attr_of_text(&format!("#hw.enum.field<{case}, {text}>"))?;
        reader.set("field", field);
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let text = printer.attr_text(printer.get("field")?);
        let (case, of) = split_once(inside(&text, "#hw.enum.field")?, ',')?;
        let ty = result_type(printer)?;
        if printer.has_attributes_but(&["field"]) || printer.type_text(ty) != of {
            return None;
        }
        printer.text(&format!(" {case} : "));
        printer.ty(ty);
        Some(())
    }
}

/// `i8 = #hw.param.decl.ref<"p"> {…}`
#[derive(Debug)]
struct ParameterValue;

impl CustomForm for ParameterValue {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let ty = reader.ty()?;
        reader.literal("=")?;
        let value = reader.attribute(Some(ty))?;
        let value = match reader.type_of_attr(value) {
            Some(_) => value,
            None => {
                let text = format!("{} : {}", reader.attr_text(value), reader.type_text(ty));
                reader.attr_of_text(&text)?
            }
        };
        reader.set("value", value);
        reader.add_results(&[ty]);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let ty = result_type(printer)?;
        let value = printer.get("value")?;
        if printer.type_of_attr(value) != Some(ty) {
            return None;
        }
        printer.text(" ");
        printer.ty(ty);
        printer.text(" = ");
        printer.attribute_without_type(value);
        printer.attr_dict(false, &["value"]);
        Some(())
    }
}

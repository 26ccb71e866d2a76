//! Attributes that store the name of a result, in the dialects `hw`, `seq` and `sv` of CIRCT.

use super::super::error::wrong_arguments;
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::AttrId;

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("ImplicitSSAName", ResultName);
}

/// The attribute with the name that the text gives to the first result. The name is empty if the text gives a number or
/// no name.
fn result_name(reader: &mut dyn FormReader) -> AttrId {
    let name = reader.result_name().filter(|name| !name.starts_with(|c: char| c.is_ascii_digit()));
    reader.string_attr(&name.unwrap_or_default())
}

/// True if a name attribute is the name with which the first result is printed, or if the attribute is empty and the
/// result is printed with a number.
fn is_result_name(printer: &dyn FormPrinter, attr: AttrId) -> bool {
    let AttrKind::String { text, .. } = printer.attr_kind(attr) else { return false };
    let name = printer.str(*text);
    let Some(&result) = printer.results().first() else { return false };
    let written = printer.value_text(result);
    let written = written.trim_start_matches('%');
    written == name || name.is_empty() && written.starts_with(|c: char| c.is_ascii_digit())
}

/// Reads an optional dictionary. If the dictionary has no attribute `name`, the name of the first result becomes this
/// attribute.
pub(super) fn read_dict_with_name(reader: &mut dyn FormReader) -> FormResult<()> {
    reader.attr_dict(false)?;
    if reader.get("name").is_none() {
        let name = result_name(reader);
        reader.set("name", name);
    }
    Ok(())
}

/// Prints the dictionary that [`read_dict_with_name`] reads, without the attributes `elided`, and without `name` if it
/// is the name of the first result.
pub(super) fn print_dict_with_name(printer: &mut dyn FormPrinter, elided: &[&str]) {
    let mut elided = elided.to_vec();
    if printer.get("name").is_some_and(|name| is_result_name(printer, name)) {
        elided.push("name");
    }
    printer.attr_dict(false, &elided);
}

/// `name "a"`, or nothing if the result has this name in the text. With the argument `attr-dict`, the dictionary can
/// contain the attribute `name` instead.
#[derive(Debug)]
struct ResultName;

impl CustomDirective for ResultName {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        match args {
            [DirectiveArg::AttrDict] => read_dict_with_name(reader)?,
            [argument] => {
                let name = if reader.optional_literal("name") {
                    let name = reader.optional_string();
                    let name = name.ok_or_else(|| reader.expected("the name in quotes"))?;
                    reader.string_attr(&name)
                } else {
                    result_name(reader)
                };
                reader.put_attribute(argument, name);
            }
            _ => return Err(wrong_arguments(reader, "ImplicitSSAName", "one argument", args)),
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        match args {
            [DirectiveArg::AttrDict] => print_dict_with_name(printer, &["inner_sym"]),
            [argument] => {
                let name = printer.attribute_of(argument)?;
                if !is_result_name(printer, name) {
                    // CIRCT prints two spaces before `name`; the format has already printed the first.
                    printer.text(" name ");
                    printer.attribute(name);
                }
            }
            _ => return None,
        }
        Some(())
    }
}

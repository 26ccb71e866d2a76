//! Operations and directives of the dialect `seq` of CIRCT, and names of results that are attributes.

use super::super::error::wrong_arguments;
use super::inner_symbol::{print_inner_symbol, read_inner_symbol};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::AttrId;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("seq.firreg", Register);
    forms.add_directive("ImplicitSSAName", ResultName);
    forms.add_directive("OptionalImmutableTypeMatch", SameTypeIfPresent { is_immutable: true });
    forms.add_directive("OptionalTypeMatch", SameTypeIfPresent { is_immutable: false });
}

// The name of a result as an attribute.

/// The attribute for the name of the first result in the text. A number is no name.
fn result_name(reader: &mut dyn FormReader) -> AttrId {
    let name = reader.result_name().filter(|name| !name.starts_with(|c: char| c.is_ascii_digit()));
    reader.string_attr(&name.unwrap_or_default())
}

/// True if a name attribute is the name with which the first result is printed, or if neither is a name.
fn is_result_name(printer: &dyn FormPrinter, attr: AttrId) -> bool {
    let AttrKind::String { text, .. } = printer.attr_kind(attr) else { return false };
    let name = printer.str(*text);
    let Some(&result) = printer.results().first() else { return false };
    let written = printer.value_text(result);
    let written = written.trim_start_matches('%');
    written == name || name.is_empty() && written.starts_with(|c: char| c.is_ascii_digit())
}

/// `name "a"`, or nothing if the result has this name in the text. With the argument `attr-dict`, the dictionary can
/// contain the attribute `name` instead.
#[derive(Debug)]
struct ResultName;

impl CustomDirective for ResultName {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        match args {
            [DirectiveArg::AttrDict] => {
                reader.attr_dict(false)?;
                if reader.get("name").is_none() {
                    let name = result_name(reader);
                    reader.set("name", name);
                }
            }
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
            [DirectiveArg::AttrDict] => {
                let is_elided = printer.get("name").is_some_and(|name| is_result_name(printer, name));
                let stated = ["inner_sym", "name"];
                printer.attr_dict(false, if is_elided { &stated } else { &stated[..1] });
            }
            [argument] => {
                let name = printer.attribute_of(argument)?;
                if !is_result_name(printer, name) {
                    // As in CIRCT, this is the second space.
                    printer.text(" name ");
                    printer.attribute(name);
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// No text. In `custom<OptionalTypeMatch>(ref(type($a)), ref($b), type($b))`, the optional operand `$b` has the type of
/// `$a`, or the immutable type with this type.
#[derive(Debug)]
struct SameTypeIfPresent {
    is_immutable: bool,
}

impl CustomDirective for SameTypeIfPresent {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [of, operand, optional] = args else {
            return Err(wrong_arguments(reader, "OptionalTypeMatch", "three arguments", args));
        };
        if reader.operand_count(operand) == 0 {
            return Ok(());
        }
        let mut types = reader.types_of(of);
        if self.is_immutable {
            for ty in &mut types {
                let text = reader.type_text(*ty);
                *ty = reader.type_of_text(&format!("!seq.immutable<{text}>"))?;
            }
        }
        reader.put_types(optional, &types);
        Ok(())
    }

    fn print(&self, _: &mut dyn FormPrinter, _: &[DirectiveArg]) -> Option<()> {
        Some(())
    }
}

// Registers.

/// `%next clock %clk sym @s reset async %reset, %value preset 0 {…} : i8`
#[derive(Debug)]
struct Register;

impl CustomForm for Register {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let next = reader.operand()?;
        reader.literal("clock")?;
        let clock = reader.operand()?;
        read_inner_symbol(reader)?;
        let mut reset = None;
        if reader.optional_literal("reset") {
            if reader.optional_literal("async") {
                reader.set("isAsync", Context::UNIT);
            } else if !reader.optional_literal("sync") {
                return Err(reader.expected("'async' or 'sync'"));
            }
            let signal = reader.operand()?;
            reader.literal(",")?;
            reset = Some((signal, reader.operand()?));
        }
        let preset = match reader.optional_literal("preset") {
            true => Some(reader.optional_integer()?.ok_or_else(|| reader.expected("an integer"))?),
            false => None,
        };
        reader.attr_dict(false)?;
        if reader.get("name").is_none() {
            let name = result_name(reader);
            reader.set("name", name);
        }
        reader.literal(":")?;
        let ty = reader.ty()?;
        let types = [ty, reader.type_of_text("!seq.clock")?];
        reader.add_operands(&[next, clock], &types)?;
        if let Some((signal, value)) = reset {
            reader.add_operands(&[signal, value], &[Context::I1, ty])?;
        }
        if let Some(preset) = preset {
            let text = format!("{preset} : {}", reader.type_text(ty));
            let preset = reader.attr_of_text(&text)?;
            reader.set("preset", preset);
        }
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let [next, clock, ref reset @ ..] = *operands.as_slice() else { return None };
        printer.text(" ");
        printer.value(next);
        printer.text(" clock ");
        printer.value(clock);
        print_inner_symbol(printer);
        let is_async = printer.get("isAsync").is_some();
        match (reset.len(), is_async) {
            (0, false) => {}
            (2, _) => {
                printer.text(if is_async { " reset async " } else { " reset sync " });
                printer.values(reset);
            }
            _ => return None,
        }
        let ty = printer.value_type(next);
        if let Some(preset) = printer.get("preset") {
            let AttrKind::Integer { value, ty: preset_type } = printer.attr_kind(preset) else { return None };
            if *preset_type != ty {
                return None;
            }
            let text = format!(" preset {}", value.to_signed_string());
            printer.text(&text);
        }
        let is_elided = is_result_name(printer, printer.get("name")?);
        let stated = ["inner_sym", "isAsync", "preset", "name"];
        printer.attr_dict(false, if is_elided { &stated } else { &stated[..3] });
        printer.text(" : ");
        printer.ty(ty);
        Some(())
    }
}

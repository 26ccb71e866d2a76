//! The operation `seq.firreg` and two directives of the dialect `seq` of CIRCT.

use super::super::error::wrong_arguments;
use super::inner_symbol::{print_inner_symbol, read_inner_symbol};
use super::names::{print_dict_with_name, read_dict_with_name};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("seq.firreg", Register);
    forms.add_directive("OptionalImmutableTypeMatch", SameTypeIfPresent { is_immutable: true });
    forms.add_directive("OptionalTypeMatch", SameTypeIfPresent { is_immutable: false });
}

/// A directive without text. In `custom<OptionalTypeMatch>(ref(type($a)), ref($b), type($b))`, the optional operand
/// `$b` has the type of `$a`. In `custom<OptionalImmutableTypeMatch>(…)`, `$b` has the type `!seq.immutable<T>`, where
/// `T` is the type of `$a`.
#[derive(Debug)]
struct SameTypeIfPresent {
    is_immutable: bool,
}

impl CustomDirective for SameTypeIfPresent {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [of, operand, optional] = args else {
            let name = if self.is_immutable { "OptionalImmutableTypeMatch" } else { "OptionalTypeMatch" };
            return Err(wrong_arguments(reader, name, "three arguments", args));
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

/// The type of clocks.
const CLOCK: &str = "!seq.clock";

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
        read_dict_with_name(reader)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        let types = [ty, reader.type_of_text(CLOCK)?];
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
        // The text states one type: that of the input, of the value after a reset, and of the result.
        let ty = printer.value_type(next);
        let [result] = *printer.results().as_slice() else { return None };
        let types = reset.iter().map(|&value| printer.value_type(value));
        let fits = printer.value_type(result) == ty
            && printer.type_text(printer.value_type(clock)) == CLOCK
            && types.eq([Context::I1, ty].into_iter().take(reset.len()));
        if !fits {
            return None;
        }
        printer.text(" ");
        printer.value(next);
        printer.text(" clock ");
        printer.value(clock);
        print_inner_symbol(printer);
        let is_async = match printer.get("isAsync") {
            None => false,
            Some(Context::UNIT) => true,
            Some(_) => return None,
        };
        match (reset.len(), is_async) {
            (0, false) => {}
            (2, _) => {
                printer.text(if is_async { " reset async " } else { " reset sync " });
                printer.values(reset);
            }
            _ => return None,
        }
        if let Some(preset) = printer.get("preset") {
            let AttrKind::Integer { value, ty: preset_type } = printer.attr_kind(preset) else { return None };
            if *preset_type != ty {
                return None;
            }
            // The reader accepts a preset of at most 64 bits.
            let text = format!(" preset {}", value.to_i64()?);
            printer.text(&text);
        }
        printer.get("name")?;
        print_dict_with_name(printer, &["inner_sym", "isAsync", "preset"]);
        printer.text(" : ");
        printer.ty(ty);
        Some(())
    }
}

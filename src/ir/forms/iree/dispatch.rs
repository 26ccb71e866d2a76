//! The entry points, operands and resources of dispatches and calls.

use super::super::error::wrong_arguments;
use super::super::lists::{comma_separated, enclosed};
use super::shaped::{is_resource, print_shaped_type_of, read_shaped};
use super::tied::integers;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::{AttrId, ValueId};
use crate::number::ApInt;

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("DispatchEntryPoints", EntryPoints);
    forms.add_directive("DispatchOperands", Operands);
    forms.add_directive("DispatchResources", Resources);
    forms.add_directive("CmdCallOperands", CallOperands);
}

/// `@executable::@function`, or several in braces.
#[derive(Debug)]
struct EntryPoints;

impl CustomDirective for EntryPoints {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [symbols_arg] = args else {
            return Err(wrong_arguments(reader, "DispatchEntryPoints", "one argument", args));
        };
        let symbol = |r: &mut dyn FormReader| {
            let symbol = r.attribute(None)?;
            match r.attr_kind(symbol) {
                AttrKind::SymbolRef { .. } => Ok(symbol),
                _ => Err(r.fail("an entry point must be a symbol, '@executable::@function'")),
            }
        };
        let symbols = match reader.is_literal("{") {
            true => enclosed(reader, ("{", "}"), symbol)?,
            false => vec![symbol(reader)?],
        };
        let symbols = reader.intern_attr(AttrKind::Array(symbols.into()));
        reader.put_attribute(symbols_arg, symbols);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let symbols = printer.attribute_of(args.first()?)?;
        let AttrKind::Array(symbols) = printer.attr_kind(symbols).clone() else { return None };
        let is_symbol = |&symbol: &AttrId| matches!(printer.attr_kind(symbol), AttrKind::SymbolRef { .. });
        if !symbols.iter().all(is_symbol) {
            return None;
        }
        printer.text(if symbols.len() == 1 { "" } else { "{" });
        for (i, &symbol) in symbols.iter().enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            printer.attribute(symbol);
        }
        printer.text(if symbols.len() == 1 { "" } else { "}" });
        Some(())
    }
}

/// Ranges of resources that were read.
#[derive(Default)]
struct Ranges {
    offsets: Vec<OperandName>,
    ends: Vec<OperandName>,
    lengths: Vec<OperandName>,
}

impl Ranges {
    /// Reads `[%offset to %end for %length]`, without the end if `has_ends` is false.
    fn read(&mut self, reader: &mut dyn FormReader, has_ends: bool) -> FormResult<()> {
        reader.literal("[")?;
        self.offsets.push(reader.operand()?);
        if has_ends {
            reader.literal("to")?;
            self.ends.push(reader.operand()?);
        }
        reader.literal("for")?;
        self.lengths.push(reader.operand()?);
        reader.literal("]")
    }
}

/// Prints `[%offset to %end for %length]`.
fn print_range(printer: &mut dyn FormPrinter, words: &[(&str, ValueId)]) {
    printer.text("[");
    for &(word, value) in words {
        printer.text(word);
        printer.value(value);
    }
    printer.text("]");
}

/// `(%resource[%offset to %end for %length], %value)`
#[derive(Debug)]
struct Operands;

impl CustomDirective for Operands {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands_arg, offsets_arg, ends_arg, lengths_arg] = args else {
            return Err(wrong_arguments(reader, "DispatchOperands", "four arguments", args));
        };
        let mut ranges = Ranges::default();
        let operands = enclosed(reader, ("(", ")"), |r| {
            let operand = r.operand()?;
            if r.is_literal("[") {
                ranges.read(r, true)?;
            }
            Ok(operand)
        })?;
        reader.put_operands(operands_arg, &operands);
        reader.put_operands(offsets_arg, &ranges.offsets);
        reader.put_operands(ends_arg, &ranges.ends);
        reader.put_operands(lengths_arg, &ranges.lengths);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, offsets, ends, lengths] = args else { return None };
        let (offsets, ends) = (printer.group(offsets), printer.group(ends));
        let (operands, lengths) = (printer.group(operands), printer.group(lengths));
        let mut ranges = offsets.iter().zip(&ends).zip(&lengths);
        printer.text("(");
        for (i, &operand) in operands.iter().enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            printer.value(operand);
            if is_resource(printer, operand) {
                let ((&offset, &end), &length) = ranges.next()?;
                print_range(printer, &[("", offset), (" to ", end), (" for ", length)]);
            }
        }
        printer.text(")");
        let is_complete = offsets.len() == ends.len() && ends.len() == lengths.len();
        (is_complete && ranges.next().is_none()).then_some(())
    }
}

/// The words for accesses, by the bits in the attribute.
const ACCESSES: [(&str, i64); 3] = [("ro", 1), ("wo", 2), ("rw", 3)];

/// Reads the word for an access.
fn optional_access(reader: &mut dyn FormReader) -> Option<AttrId> {
    let (_, bits) = ACCESSES.into_iter().find(|(word, _)| reader.optional_literal(word))?;
    let value = ApInt::from_i64(32, bits);
    Some(reader.intern_attr(AttrKind::Integer { value, ty: Context::I32 }))
}

/// The words for the accesses in an attribute, which has one access for each resource.
fn accesses(printer: &dyn FormPrinter, arg: &DirectiveArg, resources: usize) -> Option<Vec<&'static str>> {
    let attr = printer.attribute_of(arg)?;
    let AttrKind::Array(items) = printer.attr_kind(attr) else { return None };
    let is_i32 = |&item: &AttrId| printer.type_of_attr(item) == Some(Context::I32);
    if items.len() != resources || !items.iter().all(is_i32) {
        return None;
    }
    let word = |bits: i64| ACCESSES.into_iter().find(|access| access.1 == bits).map(|access| access.0);
    integers(printer, attr)?.into_iter().map(word).collect()
}

/// One line for each resource, `ro %resource[%offset for %length] : t{%size}`.
#[derive(Debug)]
struct Resources;

impl CustomDirective for Resources {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [resources_arg, types_arg, sizes_arg, offsets_arg, lengths_arg, accesses_arg] = args else {
            return Err(wrong_arguments(reader, "DispatchResources", "six arguments", args));
        };
        let (mut ranges, mut sizes, mut accesses) = (Ranges::default(), Vec::new(), Vec::new());
        let mut items = Vec::new();
        // A list can be empty.
        if !reader.is_literal("}") {
            items = comma_separated(reader, |r| {
                let Some(access) = optional_access(r) else { return Err(r.expected("'ro', 'wo' or 'rw'")) };
                accesses.push(access);
                let resource = r.operand()?;
                ranges.read(r, false)?;
                r.literal(":")?;
                Ok((resource, read_shaped(r, &mut sizes)?))
            })?;
        }
        let (resources, types): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        reader.put_operands(resources_arg, &resources);
        reader.put_types(types_arg, &types);
        reader.put_operands(sizes_arg, &sizes);
        reader.put_operands(offsets_arg, &ranges.offsets);
        reader.put_operands(lengths_arg, &ranges.lengths);
        let accesses = reader.intern_attr(AttrKind::Array(accesses.into()));
        reader.put_attribute(accesses_arg, accesses);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [resources, _, sizes, offsets, lengths, accesses_arg] = args else { return None };
        let (resources, sizes) = (printer.group(resources), printer.group(sizes));
        let (offsets, lengths) = (printer.group(offsets), printer.group(lengths));
        let accesses = accesses(printer, accesses_arg, resources.len())?;
        if offsets.len() != resources.len() || lengths.len() != resources.len() {
            return None;
        }
        let mut sizes = sizes.as_slice();
        for (i, &resource) in resources.iter().enumerate() {
            printer.text(if i > 0 { "," } else { "" });
            printer.newline(1);
            printer.text(accesses[i]);
            printer.text(" ");
            printer.value(resource);
            print_range(printer, &[("", offsets[i]), (" for ", lengths[i])]);
            printer.text(" : ");
            print_shaped_type_of(printer, resource, &mut sizes)?;
        }
        sizes.is_empty().then_some(())
    }
}

/// `(ro %resource[%offset for %length], %value)`
#[derive(Debug)]
struct CallOperands;

impl CustomDirective for CallOperands {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands_arg, offsets_arg, lengths_arg, accesses_arg] = args else {
            return Err(wrong_arguments(reader, "CmdCallOperands", "four arguments", args));
        };
        let (mut ranges, mut accesses) = (Ranges::default(), Vec::new());
        let operands = enclosed(reader, ("(", ")"), |r| {
            let access = optional_access(r);
            let operand = r.operand()?;
            if let Some(access) = access {
                accesses.push(access);
                ranges.read(r, false)?;
            }
            Ok(operand)
        })?;
        reader.put_operands(operands_arg, &operands);
        reader.put_operands(offsets_arg, &ranges.offsets);
        reader.put_operands(lengths_arg, &ranges.lengths);
        let accesses = reader.intern_attr(AttrKind::Array(accesses.into()));
        reader.put_attribute(accesses_arg, accesses);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, offsets, lengths, accesses_arg] = args else { return None };
        let (offsets, lengths) = (printer.group(offsets), printer.group(lengths));
        let operands = printer.group(operands);
        if offsets.len() != lengths.len() {
            return None;
        }
        let accesses = accesses(printer, accesses_arg, offsets.len())?;
        let mut ranges = accesses.iter().zip(offsets.iter().zip(&lengths));
        printer.text("(");
        for (i, &operand) in operands.iter().enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            if !is_resource(printer, operand) {
                printer.value(operand);
                continue;
            }
            let (access, (&offset, &length)) = ranges.next()?;
            printer.text(access);
            printer.text(" ");
            printer.value(operand);
            print_range(printer, &[("", offset), (" for ", length)]);
        }
        printer.text(")");
        ranges.next().is_none().then_some(())
    }
}

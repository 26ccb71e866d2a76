//! Lists of operands, types and assignments, which many forms share.

use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{Argument, FormPrinter, FormReader, FormResult, OperandName};
use crate::ir::ids::{AttrId, RegionId, TypeId, ValueId};

/// Reads one or more items with commas between them.
pub(super) fn comma_separated<T>(
    reader: &mut dyn FormReader,
    mut item: impl FnMut(&mut dyn FormReader) -> FormResult<T>,
) -> FormResult<Vec<T>> {
    let mut items = Vec::new();
    loop {
        items.push(item(reader)?);
        if !reader.optional_literal(",") {
            return Ok(items);
        }
    }
}

/// Reads a region and, after `else`, a second one. Each region gets the terminator if the text omits it. Without
/// `else`, the second region is empty.
pub(super) fn then_and_else(reader: &mut dyn FormReader, terminator: &str) -> FormResult<()> {
    let then = reader.region(&[])?;
    reader.ensure_terminator(then, terminator);
    reader.add_region(then);
    let other = if reader.optional_literal("else") {
        let other = reader.region(&[])?;
        reader.ensure_terminator(other, terminator);
        other
    } else {
        reader.empty_region()
    };
    reader.add_region(other);
    Ok(())
}

/// Reads items between brackets.
pub(super) fn enclosed<T>(
    reader: &mut dyn FormReader,
    (open, close): (&str, &str),
    item: impl FnMut(&mut dyn FormReader) -> FormResult<T>,
) -> FormResult<Vec<T>> {
    reader.literal(open)?;
    if reader.optional_literal(close) {
        return Ok(Vec::new());
    }
    let items = comma_separated(reader, item)?;
    reader.literal(close)?;
    Ok(items)
}

/// Reads `(%a, …)`.
pub(super) fn operand_list(reader: &mut dyn FormReader) -> FormResult<Vec<OperandName>> {
    enclosed(reader, ("(", ")"), |r| r.operand())
}

/// Reads `(%a = %b, …)`.
pub(super) fn assignments(reader: &mut dyn FormReader) -> FormResult<(Vec<OperandName>, Vec<OperandName>)> {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    enclosed(reader, ("(", ")"), |r| {
        names.push(r.operand()?);
        r.literal("=")?;
        values.push(r.operand()?);
        Ok(())
    })?;
    Ok((names, values))
}

/// Reads `(%a, %b : t, u)`.
pub(super) fn typed_operands(reader: &mut dyn FormReader) -> FormResult<(Vec<OperandName>, Vec<TypeId>)> {
    reader.literal("(")?;
    if reader.optional_literal(")") {
        return Ok((Vec::new(), Vec::new()));
    }
    let names = comma_separated(reader, |r| r.operand())?;
    reader.literal(":")?;
    let types = comma_separated(reader, |r| r.ty())?;
    reader.literal(")")?;
    Ok((names, types))
}

/// Reads an optional `-> types`.
pub(super) fn optional_results(reader: &mut dyn FormReader) -> FormResult<Vec<TypeId>> {
    if reader.optional_literal("->") { reader.result_types() } else { Ok(Vec::new()) }
}

/// Reads `(types) -> types`.
pub(super) fn function_type(reader: &mut dyn FormReader) -> FormResult<(Vec<TypeId>, Vec<TypeId>)> {
    let inputs = enclosed(reader, ("(", ")"), |r| r.ty())?;
    reader.literal("->")?;
    Ok((inputs, reader.result_types()?))
}

/// Reads `(%a : t, …)` as arguments of a region.
pub(super) fn typed_arguments(reader: &mut dyn FormReader) -> FormResult<Vec<Argument>> {
    enclosed(reader, ("(", ")"), |r| {
        let name = r.operand()?;
        r.literal(":")?;
        let ty = r.ty()?;
        let attrs = r.optional_dictionary()?.unwrap_or(Context::EMPTY_DICTIONARY);
        let loc = r.argument_loc(Some(name))?;
        Ok(Argument { name, ty, attrs, loc })
    })
}

/// Arguments of a region with these names and types.
pub(super) fn arguments(
    reader: &mut dyn FormReader,
    names: &[OperandName],
    types: &[TypeId],
) -> FormResult<Vec<Argument>> {
    if names.len() != types.len() {
        let (wanted, given) = (names.len(), types.len());
        return Err(reader.fail(&format!("{wanted} arguments need {wanted} types, but {given} are given")));
    }
    let mut all = Vec::new();
    for (&name, &ty) in names.iter().zip(types) {
        let loc = reader.argument_loc(Some(name))?;
        all.push(Argument { name, ty, attrs: Context::EMPTY_DICTIONARY, loc });
    }
    Ok(all)
}

/// The text of a string attribute.
pub(super) fn string_of(reader: &dyn FormReader, attr: AttrId) -> Option<String> {
    match reader.attr_kind(attr) {
        AttrKind::String { text, .. } => Some(reader.str(*text).to_owned()),
        _ => None,
    }
}

/// Reads `@name` into a string attribute of the operation.
pub(super) fn symbol(reader: &mut dyn FormReader, attribute: &str) -> FormResult<()> {
    let Some(name) = reader.optional_symbol() else { return Err(reader.expected("a symbol name")) };
    let name = reader.string_attr(&name);
    reader.set(attribute, name);
    Ok(())
}

/// The maximum number of elements that [`dense_i64`] returns. Operations with more elements are printed in generic
/// form.
pub(super) const ELEMENT_LIMIT: usize = 1 << 12;

/// The elements of a dense attribute, if it has this element type and this rank. The element type must have 64 bits.
pub(super) fn dense_i64(
    printer: &dyn FormPrinter,
    attr: AttrId,
    element: TypeId,
    rank: usize,
) -> Option<Vec<i64>> {
    let AttrKind::DenseElements { ty, data, splat } = printer.attr_kind(attr) else { return None };
    if printer.type_kind(*ty).element() != Some(element) || printer.type_kind(*ty).shape()?.len() != rank {
        return None;
    }
    let count = usize::try_from(printer.type_kind(*ty).element_count()?).ok()?;
    if count > ELEMENT_LIMIT {
        return None;
    }
    let values = data.chunks(8).map(|bytes| Some(i64::from_le_bytes(bytes.try_into().ok()?)));
    let values: Vec<i64> = values.collect::<Option<_>>()?;
    let values = if *splat { vec![*values.first()?; count] } else { values };
    (values.len() == count).then_some(values)
}

/// The text of a dense attribute with these elements or rows. `ty` is the text between the brackets of the tensor type.
pub(super) fn dense_text(items: &[String], ty: &str) -> String {
    let list = if items.is_empty() { String::new() } else { format!("[{}]", items.join(", ")) };
    format!("dense<{list}> : tensor<{ty}>")
}

/// The types of values.
pub(super) fn types(printer: &dyn FormPrinter, values: &[ValueId]) -> Vec<TypeId> {
    values.iter().map(|&value| printer.value_type(value)).collect()
}

/// The arguments of the first block of a region.
pub(super) fn entry_arguments(printer: &dyn FormPrinter, region: RegionId) -> Option<Vec<ValueId>> {
    printer.blocks(region).first().map(|&entry| printer.arguments(entry))
}

/// Prints `prefix(%a, %b : t, u)`, or nothing if there are no values.
pub(super) fn print_typed(printer: &mut dyn FormPrinter, prefix: &str, values: &[ValueId]) {
    if !values.is_empty() {
        printer.text(prefix);
        printer.text("(");
        printer.values(values);
        printer.text(" : ");
        let types = types(printer, values);
        printer.types(&types);
        printer.text(")");
    }
}

/// Prints values in parentheses after a prefix.
pub(super) fn print_values(printer: &mut dyn FormPrinter, prefix: &str, values: &[ValueId]) {
    printer.text(prefix);
    printer.text("(");
    printer.values(values);
    printer.text(")");
}

/// Prints `prefix(%a = %b, …)`, or nothing for empty lists.
pub(super) fn print_assignments(
    printer: &mut dyn FormPrinter,
    prefix: &str,
    names: &[ValueId],
    values: &[ValueId],
) -> Option<()> {
    if names.len() != values.len() {
        return None;
    }
    if names.is_empty() {
        return Some(());
    }
    printer.text(prefix);
    printer.text("(");
    for (i, (&name, &value)) in names.iter().zip(values).enumerate() {
        if i > 0 {
            printer.text(", ");
        }
        printer.value(name);
        printer.text(" = ");
        printer.value(value);
    }
    printer.text(")");
    Some(())
}

/// Prints `(%a: t, …)` for the arguments of the first block of a region, with their locations.
pub(super) fn print_entry_arguments(printer: &mut dyn FormPrinter, region: RegionId) -> Option<()> {
    let entry = *printer.blocks(region).first()?;
    printer.text("(");
    for (i, argument) in printer.arguments(entry).into_iter().enumerate() {
        printer.text(if i > 0 { ", " } else { "" });
        printer.value(argument);
        printer.text(": ");
        printer.ty(printer.value_type(argument));
        printer.location(printer.argument_loc(entry, i));
    }
    printer.text(")");
    Some(())
}

/// Prints `prefix(%a : t {…}, …)` for arguments of a region, or nothing if there are none. `attrs` contains the
/// dictionaries of the arguments, or is empty.
pub(super) fn print_typed_arguments(
    printer: &mut dyn FormPrinter,
    prefix: &str,
    arguments: &[ValueId],
    attrs: &[AttrId],
) {
    if arguments.is_empty() {
        return;
    }
    printer.text(prefix);
    printer.text("(");
    for (i, &argument) in arguments.iter().enumerate() {
        if i > 0 {
            printer.text(", ");
        }
        printer.value(argument);
        printer.text(" : ");
        printer.ty(printer.value_type(argument));
        if let Some(&attrs) = attrs.get(i) {
            printer.optional_dictionary(attrs);
        }
    }
    printer.text(")");
}

/// Prints the only region after a space, without the arguments of its first block.
pub(super) fn print_region(printer: &mut dyn FormPrinter) -> Option<()> {
    let region = *printer.regions().first()?;
    printer.text(" ");
    printer.region(region, false, true);
    Some(())
}

/// Does the same as [`print_region`], but does not print a region without blocks.
pub(super) fn print_body(printer: &mut dyn FormPrinter) -> Option<()> {
    let region = *printer.regions().first()?;
    if printer.blocks(region).is_empty() { Some(()) } else { print_region(printer) }
}

/// Adds the region that the text contains, or a region without blocks if the text does not continue with `{`.
pub(super) fn optional_body(reader: &mut dyn FormReader, arguments: &[Argument]) -> FormResult<()> {
    let region = match reader.is_literal("{") {
        true => reader.region(arguments)?,
        false => reader.empty_region(),
    };
    reader.add_region(region);
    Ok(())
}

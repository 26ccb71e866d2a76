//! Types with the sizes that the types do not contain: `tensor<?xf32>{%d}`, `!stream.resource<*>{%size}`.

use super::super::error::wrong_arguments;
use super::super::lists::{comma_separated, enclosed};
use crate::ir::dialect::{
    CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::{TypeId, ValueId};
use crate::ir::types::{DYNAMIC, TypeKind};

pub(super) fn register(forms: &mut Forms) {
    for name in ["ShapedTypeList", "SizeAwareTypeList"] {
        forms.add_directive(name, TypeList { name });
    }
    forms.add_directive("SizeAwareType", SizeAwareType);
    forms.add_directive("ShapedOperandList", OperandList);
    forms.add_directive("OperandTypeList", OperandTypes);
}

/// Dialect types whose values have a size that the type does not contain.
const SIZE_AWARE: [&str; 2] = ["!stream.resource", "!util.buffer"];

/// The number of sizes that follow a type. `text` returns the text of the type.
fn size_count(kind: &TypeKind, text: impl FnOnce() -> String) -> usize {
    match kind {
        TypeKind::Dialect(_) => {
            let text = text();
            let is_class =
                |class: &&str| text.strip_prefix(*class).is_some_and(|rest| !rest.starts_with('.'));
            usize::from(SIZE_AWARE.iter().any(is_class))
        }
        kind => kind.shape().map_or(0, |shape| shape.iter().filter(|&&size| size == DYNAMIC).count()),
    }
}

/// The number of sizes that follow a printed type.
fn printed_size_count(printer: &dyn FormPrinter, ty: TypeId) -> usize {
    size_count(printer.type_kind(ty), || printer.type_text(ty))
}

/// True if a value has a dialect's type and a size that this type does not contain.
pub(super) fn is_resource(printer: &dyn FormPrinter, value: ValueId) -> bool {
    let ty = printer.value_type(value);
    matches!(printer.type_kind(ty), TypeKind::Dialect(_)) && printed_size_count(printer, ty) > 0
}

/// Reads `{%a, %b}` after a type, if values of this type have sizes.
pub(super) fn read_sizes(
    reader: &mut dyn FormReader,
    ty: TypeId,
    sizes: &mut Vec<OperandName>,
) -> FormResult<()> {
    let count = size_count(reader.type_kind(ty), || reader.type_text(ty));
    if count == 0 {
        return Ok(());
    }
    let names = enclosed(reader, ("{", "}"), |r| r.operand())?;
    if names.len() != count {
        let given = names.len();
        let ty = reader.type_text(ty);
        let sizes = crate::plural::count(count, "size");
        return Err(reader.fail(&format!("values of type '{ty}' have {sizes}, but {given} are given")));
    }
    sizes.extend(names);
    Ok(())
}

/// Reads a type and its sizes.
pub(super) fn read_shaped(reader: &mut dyn FormReader, sizes: &mut Vec<OperandName>) -> FormResult<TypeId> {
    let ty = reader.ty()?;
    read_sizes(reader, ty, sizes)?;
    Ok(ty)
}

/// Prints the first values of `sizes` as the sizes of a type, and removes them from `sizes`.
pub(super) fn print_sizes(printer: &mut dyn FormPrinter, ty: TypeId, sizes: &mut &[ValueId]) -> Option<()> {
    let count = printed_size_count(printer, ty);
    let (own, rest) = sizes.split_at_checked(count)?;
    if count > 0 {
        printer.text("{");
        printer.values(own);
        printer.text("}");
    }
    *sizes = rest;
    Some(())
}

/// Prints a type and its sizes.
pub(super) fn print_shaped(printer: &mut dyn FormPrinter, ty: TypeId, sizes: &mut &[ValueId]) -> Option<()> {
    printer.ty(ty);
    print_sizes(printer, ty, sizes)
}

/// Prints the type of a value and its sizes.
pub(super) fn print_shaped_type_of(
    printer: &mut dyn FormPrinter,
    value: ValueId,
    sizes: &mut &[ValueId],
) -> Option<()> {
    let ty = printer.value_type(value);
    print_shaped(printer, ty, sizes)
}

/// Prints `t{%a}, u{%b}`.
pub(super) fn print_shaped_types(
    printer: &mut dyn FormPrinter,
    types: &[TypeId],
    sizes: &mut &[ValueId],
) -> Option<()> {
    for (i, &ty) in types.iter().enumerate() {
        printer.text(if i > 0 { ", " } else { "" });
        print_shaped(printer, ty, sizes)?;
    }
    Some(())
}

/// `t{%a}, u{%b}`: types of values, and their sizes. The directive can have several arguments with types before the
/// argument with sizes; all of them stand for the same types.
#[derive(Debug)]
struct TypeList {
    name: &'static str,
}

impl CustomDirective for TypeList {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let Some((sizes_arg, types_args)) = args.split_last() else {
            return Err(wrong_arguments(reader, self.name, "at least two arguments", args));
        };
        let mut sizes = Vec::new();
        let types = comma_separated(reader, |r| read_shaped(r, &mut sizes))?;
        for arg in types_args {
            reader.put_types(arg, &types);
        }
        reader.put_operands(sizes_arg, &sizes);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let (sizes_arg, types_args) = args.split_last()?;
        let (first, others) = types_args.split_first()?;
        let types = printer.types_of(first);
        if types.is_empty() || others.iter().any(|other| printer.types_of(other) != types) {
            return None;
        }
        let sizes = printer.group(sizes_arg);
        let mut sizes = sizes.as_slice();
        print_shaped_types(printer, &types, &mut sizes)?;
        sizes.is_empty().then_some(())
    }
}

/// `t{%size}`, with a size after any type.
#[derive(Debug)]
struct SizeAwareType;

impl CustomDirective for SizeAwareType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [type_arg, size_arg] = args else {
            return Err(wrong_arguments(reader, "SizeAwareType", "two arguments", args));
        };
        let ty = reader.ty()?;
        reader.literal("{")?;
        let size = reader.operand()?;
        reader.literal("}")?;
        reader.put_types(type_arg, &[ty]);
        reader.put_operands(size_arg, &[size]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [type_arg, size_arg] = args else { return None };
        let [ty] = *printer.types_of(type_arg).as_slice() else { return None };
        let [size] = *printer.group(size_arg).as_slice() else { return None };
        printer.ty(ty);
        printer.text("{");
        printer.value(size);
        printer.text("}");
        Some(())
    }
}

/// `%a : t{%d}, %b : u`
#[derive(Debug)]
struct OperandList;

impl CustomDirective for OperandList {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands_arg, types_arg, sizes_arg] = args else {
            return Err(wrong_arguments(reader, "ShapedOperandList", "three arguments", args));
        };
        let mut sizes = Vec::new();
        let items = comma_separated(reader, |r| {
            let operand = r.operand()?;
            r.literal(":")?;
            Ok((operand, read_shaped(r, &mut sizes)?))
        })?;
        let (operands, types): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        reader.put_operands(operands_arg, &operands);
        reader.put_types(types_arg, &types);
        reader.put_operands(sizes_arg, &sizes);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands_arg, _, sizes_arg] = args else { return None };
        let (operands, sizes) = (printer.group(operands_arg), printer.group(sizes_arg));
        let mut sizes = sizes.as_slice();
        if operands.is_empty() {
            return None;
        }
        for (i, &operand) in operands.iter().enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            printer.value(operand);
            printer.text(" : ");
            print_shaped_type_of(printer, operand, &mut sizes)?;
        }
        sizes.is_empty().then_some(())
    }
}

/// `(t, u)`: the types of operands.
#[derive(Debug)]
struct OperandTypes;

impl CustomDirective for OperandTypes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [types_arg] = args else {
            return Err(wrong_arguments(reader, "OperandTypeList", "one argument", args));
        };
        let types = enclosed(reader, ("(", ")"), |r| r.ty())?;
        reader.put_types(types_arg, &types);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let types = printer.types_of(args.first()?);
        printer.text("(");
        printer.types(&types);
        printer.text(")");
        Some(())
    }
}

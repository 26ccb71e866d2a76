//! The cases of switches in `cf` and `llvm`, and `arith.select`.

use super::error::wrong_arguments;
use super::lists::{comma_separated, types};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::elements::{self, ElementKind};
use crate::ir::ids::{AttrId, BlockId, TypeId, ValueId};
use crate::ir::types::TypeKind;
use crate::number::ApInt;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("arith.select", Select);
    forms.add_directive("SwitchOpCases", SwitchCases);
}

/// `arith.select %c, %a, %b : t`, with the type of the condition before `t` if the condition is not an `i1`.
#[derive(Debug)]
struct Select;

impl CustomForm for Select {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let names = comma_separated(reader, |r| r.operand())?;
        if names.len() != 3 {
            return Err(reader.fail(&format!("expected three operands, but found {}", names.len())));
        }
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let first = reader.ty()?;
        let (condition, ty) =
            if reader.optional_literal(",") { (first, reader.ty()?) } else { (Context::I1, first) };
        reader.add_operands(&names, &[condition, ty, ty])?;
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let [condition, first, second] = *types(printer, &operands).as_slice() else { return None };
        let [result] = *printer.results().as_slice() else { return None };
        let ty = printer.value_type(result);
        if [first, second] != [ty, ty] {
            return None;
        }
        printer.text(" ");
        printer.values(&operands);
        printer.attr_dict(false, &[]);
        printer.text(" : ");
        if condition != Context::I1 {
            printer.ty(condition);
            printer.text(", ");
        }
        printer.ty(ty);
        Some(())
    }
}

/// The cases of a switch, each on a separate line: `1: ^block(%a : t)`.
///
/// The arguments are the type of the flag; the default successor, its operands and their types (only in `cf`); the
/// values of the cases; the successors of the cases, their operands, and the types of the operands. In `cf`, the format
/// contains the brackets around the cases, and the values are printed as unsigned numbers. In `llvm`, the directive
/// contains the brackets.
#[derive(Debug)]
struct SwitchCases;

/// The arguments of the directive.
struct SwitchArgs<'a> {
    flag: &'a DirectiveArg,
    /// The successor, its operands, and their types.
    default: Option<[&'a DirectiveArg; 3]>,
    values: &'a DirectiveArg,
    /// The successors, their operands, and the types of the operands.
    cases: [&'a DirectiveArg; 3],
}

impl<'a> SwitchArgs<'a> {
    fn new(args: &'a [DirectiveArg]) -> Option<Self> {
        match args {
            [flag, values, a, b, c] => Some(Self { flag, default: None, values, cases: [a, b, c] }),
            [flag, d, e, f, values, a, b, c] => {
                Some(Self { flag, default: Some([d, e, f]), values, cases: [a, b, c] })
            }
            _ => None,
        }
    }
}

/// Reads `^block` or `^block(%a, %b : t, u)`.
pub(super) fn read_target(
    reader: &mut dyn FormReader,
) -> FormResult<(BlockId, Vec<OperandName>, Vec<TypeId>)> {
    let block = reader.successor()?;
    if !reader.optional_literal("(") {
        return Ok((block, Vec::new(), Vec::new()));
    }
    let names = comma_separated(reader, |r| r.operand())?;
    reader.literal(":")?;
    let types = comma_separated(reader, |r| r.ty())?;
    reader.literal(")")?;
    Ok((block, names, types))
}

/// Prints a space, and then the text that [`read_target`] reads.
pub(super) fn print_target(printer: &mut dyn FormPrinter, block: BlockId, operands: &[ValueId]) {
    printer.text(" ");
    print_successor(printer, block, operands);
}

/// Prints the text that [`read_target`] reads.
pub(super) fn print_successor(printer: &mut dyn FormPrinter, block: BlockId, operands: &[ValueId]) {
    printer.successor(block);
    if !operands.is_empty() {
        printer.text("(");
        printer.values(operands);
        printer.text(" : ");
        let types = types(printer, operands);
        printer.types(&types);
        printer.text(")");
    }
}

impl CustomDirective for SwitchCases {
    fn read(&self, reader: &mut dyn FormReader, all: &[DirectiveArg]) -> FormResult<()> {
        let Some(args) = SwitchArgs::new(all) else {
            return Err(wrong_arguments(reader, "SwitchOpCases", "5 or 8 arguments", all));
        };
        let flag = reader.types_of(args.flag).first().copied();
        let width = flag.and_then(|ty| match reader.type_kind(ty) {
            TypeKind::Integer { width, .. } => Some(*width),
            _ => None,
        });
        let Some((flag, width)) = flag.zip(width.filter(|&width| width > 0)) else {
            return Err(reader.fail("the flag of a switch must have an integer type"));
        };
        let mut first = true;
        if args.default.is_none() {
            reader.literal("[")?;
        }
        if let Some([successor, operands, types]) = args.default {
            reader.literal("default")?;
            reader.literal(":")?;
            let (block, names, of) = read_target(reader)?;
            reader.put_successors(successor, &[block]);
            reader.put_operands(operands, &names);
            reader.put_types(types, &of);
            first = false;
        }
        let (mut data, mut blocks, mut lists, mut types) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        while if first { !reader.is_literal("]") } else { reader.optional_literal(",") } {
            first = false;
            let value = reader.attribute(Some(flag))?;
            let AttrKind::Integer { value, .. } = reader.attr_kind(value) else {
                return Err(reader.expected("an integer"));
            };
            elements::push_int(&mut data, value);
            reader.literal(":")?;
            let (block, names, of) = read_target(reader)?;
            blocks.push(block);
            lists.push(names);
            types.extend(of);
        }
        if args.default.is_none() {
            reader.literal("]")?;
        }
        if let Ok(count) = i64::try_from(blocks.len())
            && count > 0
        {
            let kind = TypeKind::Vector { shape: [count].into(), scalable: [false].into(), element: flag };
            let ty = reader.intern_type(kind);
            let (data, splat) = elements::splatted(ElementKind::Int { width }, data);
            let values = reader.intern_attr(AttrKind::DenseElements { ty, data, splat });
            reader.put_attribute(args.values, values);
        }
        let [successors, operands, of] = args.cases;
        reader.put_successors(successors, &blocks);
        reader.put_operand_lists(operands, &lists);
        reader.put_types(of, &types);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let args = SwitchArgs::new(args)?;
        let flag = *printer.types_of(args.flag).first()?;
        // The custom form cannot be read for other types.
        if !matches!(printer.type_kind(flag), TypeKind::Integer { width: 1.., .. }) {
            return None;
        }
        let [successors, operands, _] = args.cases;
        let blocks = printer.successors_of(successors);
        let sizes = printer.sizes("case_operand_segments")?;
        let operands = printer.group(operands);
        if sizes.len() != blocks.len() || sizes.iter().sum::<usize>() != operands.len() {
            return None;
        }
        let values = match printer.attribute_of(args.values) {
            Some(values) => integers(printer, values, flag, blocks.len())?,
            None if blocks.is_empty() => Vec::new(),
            None => return None,
        };
        if args.default.is_none() {
            printer.text("[");
            printer.newline(0);
        }
        if let Some([successor, operands, _]) = args.default {
            printer.text("  default:");
            let block = *printer.successors_of(successor).first()?;
            let operands = printer.group(operands);
            print_target(printer, block, &operands);
        }
        let mut rest = operands.as_slice();
        for (i, ((value, &block), size)) in values.iter().zip(&blocks).zip(sizes).enumerate() {
            if i > 0 || args.default.is_some() {
                printer.text(",");
                printer.newline(0);
            }
            printer.text("  ");
            let text = match args.default {
                Some(_) => value.to_unsigned_string(),
                None => value.to_signed_string(),
            };
            printer.text(&text);
            printer.text(":");
            let these = rest.split_off(..size)?;
            print_target(printer, block, these);
        }
        // As in MLIR, no line break is printed here if there is only the default case.
        if !values.is_empty() {
            printer.newline(0);
        }
        if args.default.is_none() {
            printer.text("]");
        }
        Some(())
    }
}

/// The elements of an attribute that is a vector of `count` integers of type `ty`.
fn integers(printer: &dyn FormPrinter, attr: AttrId, ty: TypeId, count: usize) -> Option<Vec<ApInt>> {
    let AttrKind::DenseElements { ty: vector, data, splat } = printer.attr_kind(attr) else { return None };
    let kind = printer.type_kind(*vector);
    if kind.element() != Some(ty) || kind.shape() != Some(&[i64::try_from(count).ok()?]) {
        return None;
    }
    let TypeKind::Integer { width, .. } = *printer.type_kind(ty) else { return None };
    let size = ElementKind::Int { width }.size();
    let at = |i: usize| if *splat { 0 } else { i * size };
    (0..count).map(|i| Some(ApInt::from_le_bytes(width, data.get(at(i)..at(i) + size)?))).collect()
}

//! `vector.shuffle` and `vector.to_elements`, whose formats omit result types that C++ code infers.

use super::index_list::{i64_array, i64_items};
use super::lists::{comma_separated, enclosed, types};
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::TypeId;
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("vector.shuffle", Shuffle);
    forms.add_form("vector.to_elements", ToElements);
}

/// `vector.shuffle %a, %b [0, 2] : t, u`
#[derive(Debug)]
struct Shuffle;

/// The type of the result: a vector with one row for each number of the mask.
fn shuffled(kind: &TypeKind, rows: usize) -> Option<TypeKind> {
    let TypeKind::Vector { shape, scalable, element } = kind else { return None };
    let rows = i64::try_from(rows).ok()?;
    let inner = shape.get(1..).unwrap_or(&[]);
    let scalable = std::iter::once(false).chain(scalable.iter().skip(1).copied());
    let shape = std::iter::once(rows).chain(inner.iter().copied());
    Some(TypeKind::Vector { shape: shape.collect(), scalable: scalable.collect(), element: *element })
}

impl CustomForm for Shuffle {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let operands = comma_separated(reader, |r| r.operand())?;
        let mask = enclosed(reader, ("[", "]"), |r| match r.optional_integer()? {
            Some(row) => Ok(row),
            None => Err(r.expected("an integer")),
        })?;
        let attr = i64_array(reader, &mask);
        reader.set("mask", attr);
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let types = comma_separated(reader, |r| r.ty())?;
        let result = types.first().and_then(|&ty| shuffled(reader.type_kind(ty), mask.len()));
        let Some(result) = result else { return Err(reader.fail("the operands must be vectors")) };
        let result = reader.intern_type(result);
        reader.add_results(&[result]);
        reader.add_operands(&operands, &types)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let mask = i64_items(printer, printer.get("mask")?)?;
        let types_of = types(printer, &operands);
        let [result] = *types(printer, &printer.results()).as_slice() else { return None };
        let expected = shuffled(printer.type_kind(*types_of.first()?), mask.len())?;
        if *printer.type_kind(result) != expected {
            return None;
        }
        printer.text(" ");
        printer.values(&operands);
        let numbers: Vec<String> = mask.iter().map(i64::to_string).collect();
        printer.text(&format!(" [{}]", numbers.join(", ")));
        printer.attr_dict(false, &["mask"]);
        printer.text(" : ");
        printer.types(&types_of);
        Some(())
    }
}

/// `vector.to_elements %v : t`
#[derive(Debug)]
struct ToElements;

/// The types of the results: the element type, once for each element.
fn elements(kind: &TypeKind) -> Option<Vec<TypeId>> {
    const LIMIT: u64 = 1 << 20;
    let count = kind.element_count().filter(|&count| count <= LIMIT)?;
    Some(vec![kind.element()?; usize::try_from(count).ok()?])
}

impl CustomForm for ToElements {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let operand = reader.operand()?;
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        let Some(results) = elements(reader.type_kind(ty)) else {
            return Err(
                reader.fail("the operand must be a vector with a fixed size and at most 1048576 elements")
            );
        };
        reader.add_results(&results);
        reader.add_operands(&[operand], &[ty])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [operand] = *printer.operands().as_slice() else { return None };
        let ty = printer.value_type(operand);
        if elements(printer.type_kind(ty))? != types(printer, &printer.results()) {
            return None;
        }
        printer.text(" ");
        printer.value(operand);
        printer.attr_dict(false, &[]);
        printer.text(" : ");
        printer.ty(ty);
        Some(())
    }
}

//! Custom forms and directives of memref, bufferization and ml_program.

use super::error::wrong_arguments;
use super::index_list::i32_array;
use super::lists::{enclosed, operand_list, optional_results, print_values, types};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::{TypeId, ValueId};
use crate::ir::types::{DYNAMIC, TypeKind};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("memref.alloca_scope", AllocaScope);
    forms.add_form("memref.dma_start", DmaStart);
    forms.add_form("memref.generic_atomic_rmw", GenericAtomicRmw);
    forms.add_form("memref.transpose", Transpose);
    forms.add_form("memref.prefetch", Prefetch);
    forms.add_form("bufferization.alloc_tensor", AllocTensor);
    forms.add_directive("GlobalMemrefOpTypeAndInitialValue", GlobalValue);
    forms.add_directive("TypedInitialValue", TypedValue);
}

/// Reads `, read, locality<3>, data : t`, and returns the type.
pub(super) fn read_prefetch(reader: &mut dyn FormReader) -> FormResult<TypeId> {
    reader.literal(",")?;
    let writes = reader.optional_literal("write");
    if !writes {
        reader.literal("read")?;
    }
    reader.literal(",")?;
    reader.literal("locality")?;
    reader.literal("<")?;
    let hint = reader.optional_integer()?.ok_or_else(|| reader.expected("an integer"))?;
    reader.literal(">")?;
    reader.literal(",")?;
    let data = reader.optional_literal("data");
    if !data {
        reader.literal("instr")?;
    }
    for (name, text) in [
        ("isWrite", writes.to_string()),
        ("localityHint", format!("{hint} : i32")),
        ("isDataCache", data.to_string()),
    ] {
        let value = reader.attr_of_text(&text)?;
        reader.set(name, value);
    }
    reader.attr_dict(false)?;
    reader.literal(":")?;
    reader.ty()
}

/// Prints the text that [`read_prefetch`] reads.
pub(super) fn print_prefetch(printer: &mut dyn FormPrinter, base: ValueId) -> Option<()> {
    let text = |name: &str| Some(printer.attr_text(printer.get(name)?));
    let (writes, hint, data) = (text("isWrite")?, text("localityHint")?, text("isDataCache")?);
    printer.text(if writes == "true" { ", write" } else { ", read" });
    printer.text(&format!(", locality<{}>", hint.split(' ').next()?));
    printer.text(if data == "true" { ", data" } else { ", instr" });
    printer.attr_dict(false, &["isWrite", "localityHint", "isDataCache", "map"]);
    printer.text(" : ");
    printer.ty(printer.value_type(base));
    Some(())
}

/// `memref.prefetch %m[%i], read, locality<3>, data : t`
#[derive(Debug)]
struct Prefetch;

impl CustomForm for Prefetch {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let base = reader.operand()?;
        let indices = enclosed(reader, ("[", "]"), |r| r.operand())?;
        let ty = read_prefetch(reader)?;
        reader.add_operands(&[base], &[ty])?;
        reader.add_operands(&indices, &vec![Context::INDEX; indices.len()])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let (&base, indices) = operands.split_first()?;
        printer.text(" ");
        printer.value(base);
        printer.text("[");
        printer.values(indices);
        printer.text("]");
        print_prefetch(printer, base)
    }
}

/// `memref.alloca_scope -> (t) {…}`
#[derive(Debug)]
struct AllocaScope;

impl CustomForm for AllocaScope {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let results = optional_results(reader)?;
        reader.add_results(&results);
        let region = reader.region(&[])?;
        reader.ensure_terminator(region, "memref.alloca_scope.return");
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let results = types(printer, &printer.results());
        if results.is_empty() {
            printer.text("  ");
        } else {
            printer.text("  -> (");
            printer.types(&results);
            printer.text(") ");
        }
        let region = *printer.regions().first()?;
        printer.region(region, true, !results.is_empty());
        printer.attr_dict(false, &[]);
        Some(())
    }
}

/// Reads `%m[%i, …]`.
fn element(reader: &mut dyn FormReader) -> FormResult<(OperandName, Vec<OperandName>)> {
    Ok((reader.operand()?, enclosed(reader, ("[", "]"), |r| r.operand())?))
}

/// Prints `%m[%i, …]` from the start of a list of operands, and returns the rest of the list.
fn print_element<'v>(printer: &mut dyn FormPrinter, operands: &'v [ValueId]) -> Option<&'v [ValueId]> {
    let (&base, rest) = operands.split_first()?;
    let TypeKind::MemRef { shape, .. } = printer.type_kind(printer.value_type(base)) else { return None };
    let (indices, rest) = rest.split_at_checked(shape.len())?;
    printer.value(base);
    printer.text("[");
    printer.values(indices);
    printer.text("]");
    Some(rest)
}

/// `memref.dma_start %s[%i], %d[%j], %count, %tag[%k], %stride, %count_of_stride : t, u, v`
#[derive(Debug)]
struct DmaStart;

impl CustomForm for DmaStart {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let source = element(reader)?;
        reader.literal(",")?;
        let target = element(reader)?;
        reader.literal(",")?;
        let count = reader.operand()?;
        reader.literal(",")?;
        let tag = element(reader)?;
        let mut stride = Vec::new();
        while reader.optional_literal(",") {
            stride.push(reader.operand()?);
        }
        if !matches!(stride.len(), 0 | 2) {
            return Err(reader.fail("expected two operands for the stride, or none"));
        }
        let parts = [(source, Vec::new()), (target, vec![count]), (tag, stride)];
        for (number, ((base, mut indices), more)) in parts.into_iter().enumerate() {
            reader.literal(if number == 0 { ":" } else { "," })?;
            let ty = reader.ty()?;
            indices.extend(more);
            reader.add_operands(&[base], &[ty])?;
            reader.add_operands(&indices, &vec![Context::INDEX; indices.len()])?;
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        // MLIR does not read attributes in this form.
        if printer.has_attributes_but(&[]) {
            return None;
        }
        let operands = printer.operands();
        printer.text(" ");
        let rest = print_element(printer, &operands)?;
        let mut bases = vec![*operands.first()?, *rest.first()?];
        printer.text(", ");
        let rest = print_element(printer, rest)?;
        let (&count, rest) = rest.split_first()?;
        printer.text(", ");
        printer.value(count);
        bases.push(*rest.first()?);
        printer.text(", ");
        let stride = print_element(printer, rest)?;
        if !matches!(stride.len(), 0 | 2) {
            return None;
        }
        for &value in stride {
            printer.text(", ");
            printer.value(value);
        }
        printer.text(" : ");
        let types = types(printer, &bases);
        printer.types(&types);
        Some(())
    }
}

/// `memref.generic_atomic_rmw %m[%i] : t {…}`
#[derive(Debug)]
struct GenericAtomicRmw;

impl CustomForm for GenericAtomicRmw {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let (base, indices) = element(reader)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        let TypeKind::MemRef { element, .. } = *reader.type_kind(ty) else {
            return Err(reader.fail("expected a memref"));
        };
        reader.add_operands(&[base], &[ty])?;
        reader.add_operands(&indices, &vec![Context::INDEX; indices.len()])?;
        let region = reader.region(&[])?;
        reader.add_region(region);
        reader.add_results(&[element]);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        printer.text(" ");
        if !print_element(printer, &operands)?.is_empty() {
            return None;
        }
        printer.text(" : ");
        printer.ty(printer.value_type(*operands.first()?));
        printer.text(" ");
        let region = *printer.regions().first()?;
        printer.region(region, true, true);
        printer.attr_dict(false, &[]);
        Some(())
    }
}

/// `memref.transpose %m (d0, d1) -> (d1, d0) : t to u`
#[derive(Debug)]
struct Transpose;

impl CustomForm for Transpose {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let operand = reader.operand()?;
        let mut lists = Vec::new();
        for word in ["", "->"] {
            if !word.is_empty() {
                reader.literal(word)?;
            }
            let names = enclosed(reader, ("(", ")"), |r| {
                r.optional_keyword().ok_or_else(|| r.expected("the name of a dimension"))
            })?;
            lists.push(names.join(", "));
        }
        let map = reader.attr_of_text(&format!("affine_map<({}) -> ({})>", lists[0], lists[1]))?;
        reader.set("permutation", map);
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let from = reader.ty()?;
        reader.literal("to")?;
        let to = reader.ty()?;
        reader.add_results(&[to]);
        reader.add_operands(&[operand], &[from])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let ([operand], [result]) = (&*printer.operands(), &*printer.results()) else {
            return None;
        };
        let map = printer.attr_text(printer.get("permutation")?);
        let map = map.strip_prefix("affine_map<")?.strip_suffix('>')?;
        printer.text(" ");
        printer.value(*operand);
        printer.text(" ");
        printer.text(map);
        printer.attr_dict(false, &["permutation"]);
        printer.text(" : ");
        printer.ty(printer.value_type(*operand));
        printer.text(" to ");
        printer.ty(printer.value_type(*result));
        Some(())
    }
}

/// `bufferization.alloc_tensor(%sizes) copy(%t) size_hint=%h : t`
#[derive(Debug)]
struct AllocTensor;

impl CustomForm for AllocTensor {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let sizes = operand_list(reader)?;
        let copy = if reader.optional_literal("copy") { operand_list(reader)? } else { Vec::new() };
        let mut hint = Vec::new();
        if reader.optional_literal("size_hint") {
            reader.literal("=")?;
            hint.push(reader.operand()?);
        }
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        reader.add_results(&[ty]);
        reader.add_operands(&sizes, &vec![Context::INDEX; sizes.len()])?;
        reader.add_operands(&copy, &vec![ty; copy.len()])?;
        reader.add_operands(&hint, &vec![Context::INDEX; hint.len()])?;
        let segments = i32_array(reader, &[sizes.len(), copy.len(), hint.len()]);
        reader.set("operandSegmentSizes", segments);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let segments = printer.sizes("operandSegmentSizes")?;
        let operands = printer.operands();
        let [sizes, copy, hint] = *segments.as_slice() else { return None };
        if sizes + copy + hint != operands.len() {
            return None;
        }
        print_values(printer, "", &operands[..sizes]);
        if copy > 0 {
            print_values(printer, " copy", &operands[sizes..sizes + copy]);
        }
        if hint > 0 {
            printer.text(" size_hint=");
            printer.values(&operands[sizes + copy..]);
        }
        printer.attr_dict(false, &["operandSegmentSizes"]);
        printer.text(" : ");
        printer.ty(printer.value_type(*printer.results().first()?));
        Some(())
    }
}

/// The type of `memref.global` and its initial value, `memref<2xi32> = dense<0>`.
#[derive(Debug)]
struct GlobalValue;

impl CustomDirective for GlobalValue {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [ty, value] = args else {
            return Err(wrong_arguments(reader, "GlobalMemrefOpTypeAndInitialValue", "two arguments", args));
        };
        let written = reader.ty()?;
        let (shape, element) = match reader.type_kind(written) {
            TypeKind::MemRef { shape, element, .. } if !shape.contains(&DYNAMIC) => (shape.clone(), *element),
            _ => return Err(reader.fail("expected a memref with a static shape")),
        };
        let attr = reader.intern_attr(AttrKind::Type(written));
        reader.put_attribute(ty, attr);
        if reader.optional_literal("=") {
            let initial = if reader.optional_literal("uninitialized") {
                Context::UNIT
            } else {
                let tensor = reader.intern_type(TypeKind::RankedTensor { shape, element, encoding: None });
                reader.attribute(Some(tensor))?
            };
            reader.put_attribute(value, initial);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [ty, value] = args else { return None };
        let AttrKind::Type(ty) = *printer.attr_kind(printer.attribute_of(ty)?) else { return None };
        printer.ty(ty);
        match printer.attribute_of(value) {
            None => {}
            Some(Context::UNIT) => printer.text(" = uninitialized"),
            Some(value) => {
                printer.text(" = ");
                printer.attribute_without_type(value);
            }
        }
        Some(())
    }
}

/// `(value) : type`, or `: type` without a value.
#[derive(Debug)]
struct TypedValue;

impl CustomDirective for TypedValue {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [ty, value] = args else {
            return Err(wrong_arguments(reader, "TypedInitialValue", "two arguments", args));
        };
        if reader.optional_literal("(") {
            let initial = reader.attribute(None)?;
            reader.put_attribute(value, initial);
            reader.literal(")")?;
        }
        reader.literal(":")?;
        let written = reader.ty()?;
        let attr = reader.intern_attr(AttrKind::Type(written));
        reader.put_attribute(ty, attr);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [ty, value] = args else { return None };
        if let Some(value) = printer.attribute_of(value) {
            printer.text("(");
            printer.attribute(value);
            printer.text(") ");
        }
        let AttrKind::Type(ty) = *printer.attr_kind(printer.attribute_of(ty)?) else { return None };
        printer.text(": ");
        printer.ty(ty);
        Some(())
    }
}

//! Operations of the vector dialect: transfers, contractions, masks and outer products.

use super::index_list::i32_array;
use super::linalg::{enums_from_strings, strings_from_enums};
use super::lists::{comma_separated, enclosed, optional_results, types};
use crate::ir::affine::{AffineExpr, AffineMap, AffineNode};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms, OperandName};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;

/// `vector.transfer_read %base[%i], %padding, %mask {…} : t, u`
#[derive(Debug)]
struct TransferRead;

/// `vector.transfer_write %value, %base[%i], %mask {…} : t, u`
#[derive(Debug)]
struct TransferWrite;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("vector.transfer_read", TransferRead);
    forms.add_form("vector.transfer_write", TransferWrite);
    forms.add_form("vector.contract", Contract);
    forms.add_form("vector.mask", Mask);
    forms.add_form("vector.outerproduct", OuterProduct);
}

fn indices(reader: &mut dyn FormReader) -> FormResult<Vec<OperandName>> {
    enclosed(reader, ("[", "]"), |r| r.operand())
}

/// The numbers of dimensions of a shaped type and of its vector elements.
fn ranks(kind: &TypeKind, element: Option<&TypeKind>) -> Option<(usize, usize)> {
    let rank = kind.shape()?.len();
    let inner = match element {
        Some(TypeKind::Vector { shape, .. }) => shape.len(),
        _ => 0,
    };
    Some((rank, inner))
}

/// The map of a transfer whose text has no map. It selects the last dimensions.
fn minor_identity(shaped: &TypeKind, element: Option<&TypeKind>, vector: &TypeKind) -> Option<AffineMap> {
    let (rank, inner) = ranks(shaped, element)?;
    let TypeKind::Vector { shape, .. } = vector else { return None };
    let results = shape.len().checked_sub(inner)?;
    let first = rank.checked_sub(results)?;
    let dims = u32::try_from(rank).ok()?;
    let results = (first..rank).map(|dim| Some(AffineExpr::dim(u32::try_from(dim).ok()?)));
    Some(AffineMap { dims, symbols: 0, results: results.collect::<Option<Box<[_]>>>()? })
}

/// Sets `permutation_map` and `in_bounds` to their defaults if the text omits them. Returns the map.
fn complete(reader: &mut dyn FormReader, shaped: TypeId, vector: TypeId) -> FormResult<AttrId> {
    let map = match reader.get("permutation_map") {
        Some(map) => map,
        None => {
            let kind = reader.type_kind(shaped).clone();
            let element = kind.element().map(|element| reader.type_kind(element).clone());
            let vector = reader.type_kind(vector).clone();
            let Some(map) = minor_identity(&kind, element.as_ref(), &vector) else {
                return Err(reader.fail("these types have no default for the attribute 'permutation_map'"));
            };
            let map = reader.intern_attr(AttrKind::AffineMap(map));
            reader.set("permutation_map", map);
            map
        }
    };
    if reader.get("in_bounds").is_none() {
        let count = match reader.attr_kind(map) {
            AttrKind::AffineMap(map) => map.results.len(),
            _ => 0,
        };
        let no = reader.attr_of_text("false")?;
        let value = reader.intern_attr(AttrKind::Array(vec![no; count].into()));
        reader.set("in_bounds", value);
    }
    Ok(map)
}

/// The type of the mask of a transfer.
fn mask_type(reader: &mut dyn FormReader, vector: TypeId, map: AttrId) -> FormResult<TypeId> {
    let (TypeKind::Vector { shape, scalable, .. }, AttrKind::AffineMap(map)) =
        (reader.type_kind(vector).clone(), reader.attr_kind(map).clone())
    else {
        return Err(reader.fail("a mask needs a vector type and an affine map as 'permutation_map'"));
    };
    let mut dims: Vec<(u32, i64, bool)> = Vec::new();
    for (i, result) in map.results.iter().enumerate() {
        if let AffineNode::Dim(dim) = result.root() {
            let (Some(&size), Some(&scalable)) = (shape.get(i), scalable.get(i)) else {
                return Err(reader.fail("the map has more results than the vector has dimensions"));
            };
            dims.push((dim, size, scalable));
        }
    }
    dims.sort_by_key(|(dim, ..)| *dim);
    if dims.is_empty() {
        dims.push((0, 1, false));
    }
    Ok(reader.intern_type(TypeKind::Vector {
        shape: dims.iter().map(|dim| dim.1).collect(),
        scalable: dims.iter().map(|dim| dim.2).collect(),
        element: Context::I1,
    }))
}

/// The names of the attributes that the text omits; `None` if a required attribute is absent.
fn elided(printer: &dyn FormPrinter, shaped: TypeId, vector: TypeId) -> Option<Vec<&'static str>> {
    let mut names = vec!["operandSegmentSizes"];
    let kind = printer.type_kind(shaped);
    let element = kind.element().map(|element| printer.type_kind(element));
    let map = printer.get("permutation_map")?;
    let is_default = match printer.attr_kind(map) {
        AttrKind::AffineMap(map) => {
            minor_identity(kind, element, printer.type_kind(vector)).as_ref() == Some(map)
        }
        _ => false,
    };
    if is_default {
        names.push("permutation_map");
    }
    let in_bounds = printer.get("in_bounds")?;
    if !printer.attr_text(in_bounds).contains("true") {
        names.push("in_bounds");
    }
    Some(names)
}

impl CustomForm for TransferRead {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let base = reader.operand()?;
        let indices = indices(reader)?;
        reader.literal(",")?;
        let padding = reader.operand()?;
        let mask = if reader.optional_literal(",") { Some(reader.operand()?) } else { None };
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let shaped = reader.ty()?;
        reader.literal(",")?;
        let vector = reader.ty()?;
        let Some(element) = reader.type_kind(shaped).element() else {
            return Err(reader.fail("the first type must be a memref or tensor"));
        };
        let map = complete(reader, shaped, vector)?;
        reader.add_operands(&[base], &[shaped])?;
        reader.add_operands(&indices, &vec![Context::INDEX; indices.len()])?;
        reader.add_operands(&[padding], &[element])?;
        if let Some(mask) = mask {
            let ty = mask_type(reader, vector, map)?;
            reader.add_operands(&[mask], &[ty])?;
        }
        let sizes = i32_array(reader, &[1, indices.len(), 1, usize::from(mask.is_some())]);
        reader.set("operandSegmentSizes", sizes);
        reader.add_results(&[vector]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let sizes = printer.sizes("operandSegmentSizes")?;
        let [1, indices, 1, mask] = *sizes.as_slice() else { return None };
        let operands = printer.operands();
        let [result] = *printer.results().as_slice() else { return None };
        if operands.len() != 2 + indices + mask {
            return None;
        }
        let (shaped, vector) = (printer.value_type(operands[0]), printer.value_type(result));
        let elided = elided(printer, shaped, vector)?;
        printer.text(" ");
        printer.value(operands[0]);
        printer.text("[");
        printer.values(&operands[1..=indices]);
        printer.text("], ");
        printer.values(&operands[1 + indices..]);
        printer.attr_dict(false, &elided);
        printer.text(" : ");
        printer.types(&[shaped, vector]);
        Some(())
    }
}

impl CustomForm for TransferWrite {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let value = reader.operand()?;
        reader.literal(",")?;
        let base = reader.operand()?;
        let indices = indices(reader)?;
        let mask = if reader.optional_literal(",") { Some(reader.operand()?) } else { None };
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let vector = reader.ty()?;
        reader.literal(",")?;
        let shaped = reader.ty()?;
        let map = complete(reader, shaped, vector)?;
        reader.add_operands(&[value, base], &[vector, shaped])?;
        reader.add_operands(&indices, &vec![Context::INDEX; indices.len()])?;
        if let Some(mask) = mask {
            let ty = mask_type(reader, vector, map)?;
            reader.add_operands(&[mask], &[ty])?;
        }
        let sizes = i32_array(reader, &[1, 1, indices.len(), usize::from(mask.is_some())]);
        reader.set("operandSegmentSizes", sizes);
        if matches!(reader.type_kind(shaped), TypeKind::RankedTensor { .. }) {
            reader.add_results(&[shaped]);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let sizes = printer.sizes("operandSegmentSizes")?;
        let [1, 1, indices, mask] = *sizes.as_slice() else { return None };
        let operands = printer.operands();
        if operands.len() != 2 + indices + mask {
            return None;
        }
        let list = types(printer, &operands);
        let (vector, shaped) = (list[0], list[1]);
        let elided = elided(printer, shaped, vector)?;
        printer.text(" ");
        printer.value(operands[0]);
        printer.text(", ");
        printer.value(operands[1]);
        printer.text("[");
        printer.values(&operands[2..2 + indices]);
        printer.text("]");
        if mask > 0 {
            printer.text(", ");
            printer.value(*operands.last()?);
        }
        printer.attr_dict(false, &elided);
        printer.text(" : ");
        printer.types(&[vector, shaped]);
        Some(())
    }
}

/// `vector.contract {…} %a, %b, %c : t, u into v`
#[derive(Debug)]
struct Contract;

impl CustomForm for Contract {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let traits = reader.attribute(None)?;
        reader.add_attributes(traits)?;
        let operands = comma_separated(reader, |r| r.operand())?;
        reader.attr_dict(false)?;
        // The attributes can be in the dictionary before the operands or in the dictionary after them.
        enums_from_strings(reader, "#vector.iterator_type")?;
        if reader.get("kind").is_none() {
            let kind = reader.attr_of_text("#vector.kind<add>")?;
            reader.set("kind", kind);
        }
        reader.literal(":")?;
        let mut types = vec![reader.ty()?];
        reader.literal(",")?;
        types.push(reader.ty()?);
        reader.literal("into")?;
        let result = reader.ty()?;
        types.push(result);
        reader.add_operands(&operands, &types)?;
        reader.add_results(&[result]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let names = ["indexing_maps", "iterator_types", "kind"];
        for (i, name) in names.into_iter().enumerate() {
            printer.text(if i == 0 { " {" } else { ", " });
            printer.text(name);
            printer.text(" = ");
            let value = printer.get(name)?;
            match name {
                "iterator_types" => {
                    let text = strings_from_enums(printer, value, "#vector.iterator_type");
                    printer.text(&text);
                }
                _ => printer.attribute(value),
            }
        }
        printer.text("} ");
        let operands = printer.operands();
        printer.values(&operands);
        printer.attr_dict(false, &names);
        printer.text(" : ");
        let types = types(printer, &operands);
        printer.types(types.get(..2)?);
        printer.text(" into ");
        printer.ty(*types.get(2)?);
        Some(())
    }
}

/// `vector.mask %mask, %passthru { op } : t -> u`
#[derive(Debug)]
struct Mask;

impl CustomForm for Mask {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mask = reader.operand()?;
        let passthru = if reader.optional_literal(",") { Some(reader.operand()?) } else { None };
        let region = reader.region(&[])?;
        if reader.is_empty(region) {
            reader.add_block(region, &[]);
        }
        if !reader.is_terminated(region, "vector.yield") {
            let values = reader.last_results(region);
            reader.append(region, "vector.yield", &values, &[], &[], &[]);
        }
        reader.add_region(region);
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        let results = optional_results(reader)?;
        reader.add_operands(&[mask], &[ty])?;
        if let (Some(passthru), Some(&result)) = (passthru, results.first()) {
            reader.add_operands(&[passthru], &[result])?;
        }
        reader.add_results(&results);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let region = *printer.regions().first()?;
        let [block] = *printer.blocks(region).as_slice() else { return None };
        if !printer.op_at(block, 0)?.regions.is_empty() {
            return None;
        }
        printer.text(" ");
        printer.values(&operands);
        printer.text(" { ");
        printer.inline_op(block);
        printer.text(" }");
        printer.attr_dict(false, &[]);
        printer.text(" : ");
        printer.ty(printer.value_type(*operands.first()?));
        let results = types(printer, &printer.results());
        printer.arrow_types(&results);
        Some(())
    }
}

/// `vector.outerproduct %a, %b, %acc {…} : t, u`
#[derive(Debug)]
struct OuterProduct;

impl CustomForm for OuterProduct {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let operands = comma_separated(reader, |r| r.operand())?;
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let left = reader.ty()?;
        reader.literal(",")?;
        let right = reader.ty()?;
        let result = match (reader.type_kind(left).clone(), reader.type_kind(right).clone()) {
            (
                TypeKind::Vector { shape, scalable, element },
                TypeKind::Vector { shape: columns, scalable: scalable_columns, .. },
            ) => reader.intern_type(TypeKind::Vector {
                shape: [shape, columns].concat().into(),
                scalable: [scalable, scalable_columns].concat().into(),
                element,
            }),
            _ => left,
        };
        reader.add_operands(&operands, [left, right, result].get(..operands.len()).unwrap_or(&[]))?;
        reader.add_results(&[result]);
        if reader.get("kind").is_none() {
            let kind = reader.attr_of_text("#vector.kind<add>")?;
            reader.set("kind", kind);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        printer.text(" ");
        printer.values(&operands);
        if operands.len() > 2 {
            printer.attr_dict(false, &[]);
        }
        printer.text(" : ");
        let types = types(printer, &operands);
        printer.types(types.get(..2)?);
        Some(())
    }
}

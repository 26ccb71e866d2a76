//! Reads the binary forms of the types of the dialect `quant`, and converts them to the text of the types.

use std::fmt::Write;

use super::decoder::{Decoder, Step};
use super::error;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::elements::{self, ElementKind};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;
use crate::number::{ApFloat, ApInt, FloatFormat};

/// The codes of the types.
mod code {
    pub(super) const ANY: u64 = 1;
    pub(super) const ANY_EXPRESSED: u64 = 2;
    pub(super) const CALIBRATED: u64 = 3;
    pub(super) const UNIFORM: u64 = 4;
    pub(super) const UNIFORM_PER_AXIS: u64 = 5;
    pub(super) const UNIFORM_SUB_CHANNEL: u64 = 6;
}

/// The integer type that stores the values of a quantized type.
struct Storage {
    signed: bool,
    width: u32,
}

/// Reads a type.
pub(super) fn ty(from: &mut Decoder<'_, '_, '_>) -> Step<TypeId> {
    let at = from.reader.position();
    let code = from.reader.number()?;
    let mut text = String::from("quant.");
    match code {
        code::ANY | code::ANY_EXPRESSED => {
            let storage = storage(from)?;
            let expressed = if code == code::ANY { None } else { Some(expressed_type(from)?) };
            text.push_str("any<");
            storage_text(from, &storage, &mut text)?;
            if let Some(expressed) = expressed {
                let _ = write!(text, ":{}", from.context.type_text(expressed));
            }
        }
        code::CALIBRATED => {
            let expressed = expressed_type(from)?;
            let (min, max) = (double(from)?, double(from)?);
            let expressed = from.context.type_text(expressed);
            let _ = write!(text, "calibrated<{expressed}<{min}:{max}>");
        }
        code::UNIFORM => {
            let (storage, expressed) = (storage(from)?, expressed_type(from)?);
            let (scale, zero) = (double(from)?, from.reader.signed()?);
            text.push_str("uniform<");
            storage_text(from, &storage, &mut text)?;
            let _ = write!(text, ":{}, ", from.context.type_text(expressed));
            push_step(&mut text, &scale, &zero.to_string());
        }
        code::UNIFORM_PER_AXIS => {
            let (storage, expressed) = (storage(from)?, expressed_type(from)?);
            let axis = from.reader.number()?;
            text.push_str("uniform<");
            storage_text(from, &storage, &mut text)?;
            let scales = from.list("scales", double)?;
            let zeros = from.list("zero points", |from| Ok(from.reader.signed()?))?;
            if scales.len() != zeros.len() {
                return Err(error::expected("as many zero points as scales", at).into());
            }
            let _ = write!(text, ":{}:{axis}, {{", from.context.type_text(expressed));
            for (index, (scale, zero)) in scales.iter().zip(zeros).enumerate() {
                if index > 0 {
                    text.push(',');
                }
                push_step(&mut text, scale, &zero.to_string());
            }
            text.push('}');
        }
        code::UNIFORM_SUB_CHANNEL => {
            let (storage, expressed) = (storage(from)?, expressed_type(from)?);
            text.push_str("uniform<");
            storage_text(from, &storage, &mut text)?;
            let axes = from.list("axes", |from| Ok(from.reader.signed()?))?;
            let sizes = from.list("sizes of blocks", |from| Ok(from.reader.signed()?))?;
            let (scales, zeros) = (from.attr()?, from.attr()?);
            if axes.len() != sizes.len() {
                return Err(error::expected("as many sizes of blocks as axes", at).into());
            }
            let blocks: Vec<String> =
                axes.iter().zip(sizes).map(|(axis, size)| format!("{axis}:{size}")).collect();
            let _ = write!(text, ":{}:{{{}}}, ", from.context.type_text(expressed), blocks.join(", "));
            steps(from.context, scales, zeros, &mut text)
                .ok_or_else(|| error::expected("dense scales and zero points of one shape", at))?;
        }
        _ => return Err(error::unknown_code("quant", "type", code, at).into()),
    }
    text.push('>');
    // Parsing the text stores the type in the same form as a type in a text file.
    let ty = from.context.parse_type(&format!("!{text}"));
    Ok(ty.map_err(|_| error::expected("a quantized type", at))?)
}

/// Reads the expressed type, which must be a float, because the text of other types can be exponentially long.
fn expressed_type(from: &mut Decoder<'_, '_, '_>) -> Step<TypeId> {
    let at = from.reader.position();
    let ty = from.ty()?;
    match from.context.type_kind(ty) {
        TypeKind::Float(_) => Ok(ty),
        _ => Err(error::expected("a floating-point type as the expressed type", at).into()),
    }
}

fn storage(from: &mut Decoder<'_, '_, '_>) -> Step<Storage> {
    let at = from.reader.position();
    let signed = from.reader.number()? & 1 == 1;
    let ty = from.ty()?;
    match *from.context.type_kind(ty) {
        TypeKind::Integer { width: width @ 1..=32, .. } => Ok(Storage { signed, width }),
        _ => Err(error::expected("a storage type of 1 to 32 bits", at).into()),
    }
}

/// Reads the smallest and the largest stored value. Writes the storage type, and these values unless they are the
/// limits of the storage type.
fn storage_text(from: &mut Decoder<'_, '_, '_>, storage: &Storage, text: &mut String) -> Step<()> {
    let (min, max) = (from.reader.signed()?, from.reader.signed()?);
    let _ = write!(text, "{}{}", if storage.signed { 'i' } else { 'u' }, storage.width);
    let all = match storage.signed {
        true => (-1 << (storage.width - 1), (1 << (storage.width - 1)) - 1),
        false => (0, (1 << storage.width) - 1),
    };
    if (min, max) != all {
        let _ = write!(text, "<{min}:{max}>");
    }
    Ok(())
}

/// Reads a float of 64 bits as its text.
fn double(from: &mut Decoder<'_, '_, '_>) -> Step<String> {
    let bits = from.reader.signed()?.cast_unsigned();
    Ok(float_text(from.context, ApFloat::from_bits(FloatFormat::F64, bits.into())))
}

/// A float as MLIR writes it, without its type.
fn float_text(context: &mut Context, value: ApFloat) -> String {
    let ty = context.float(value.format());
    let attr = context.intern_attr(AttrKind::Float { value, ty });
    let text = context.attr_text(attr);
    text.split_once(" : ").map_or(text.as_str(), |parts| parts.0).to_owned()
}

/// Writes a scale, and its zero point unless the zero point is 0.
fn push_step(text: &mut String, scale: &str, zero: &str) {
    text.push_str(scale);
    if zero != "0" {
        let _ = write!(text, ":{zero}");
    }
}

/// Writes scales and zero points in the nested braces of their shape.
fn steps(context: &mut Context, scales: AttrId, zeros: AttrId, text: &mut String) -> Option<()> {
    /// The maximum number of scales. The size of the file does not bound their number, because a splat states any
    /// number of equal scales.
    const LIMIT: u64 = 1 << 20;
    let dense = |attr: AttrId| match context.attr_kind(attr) {
        AttrKind::DenseElements { ty, data, splat } => {
            let kind = context.type_kind(*ty);
            let element = ElementKind::of(context, kind.element()?)?;
            let size = element.size();
            let step = if *splat { 0 } else { size };
            let at = move |index: usize| data.get(index * step..index * step + size);
            Some((kind.shape()?.to_vec(), kind.element_count()?, element, at))
        }
        _ => None,
    };
    let (shape, count, scale_kind, scale) = dense(scales)?;
    let (zero_shape, _, zero_kind, zero) = dense(zeros)?;
    let (ElementKind::Float(format), ElementKind::Int { width }) = (scale_kind, zero_kind) else {
        return None;
    };
    if shape != zero_shape || shape.is_empty() || count == 0 || count > LIMIT {
        return None;
    }
    let mut values = Vec::new();
    for index in 0..usize::try_from(count).ok()? {
        let value = elements::float(format, scale(index)?);
        values.push((value, ApInt::from_le_bytes(width, zero(index)?).to_signed_string()));
    }
    let sizes: Vec<usize> = shape.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<_>>()?;
    for (index, (value, zero)) in values.into_iter().enumerate() {
        // For each dimension, a brace opens before the first element of a row and closes after the last element.
        let ends = |place: usize| {
            let rows = sizes.iter().rev().scan(1usize, |row, size| {
                *row = row.saturating_mul(*size);
                Some(*row)
            });
            rows.filter(|row| place.is_multiple_of(*row)).count()
        };
        if index > 0 {
            text.push_str(", ");
        }
        text.extend(std::iter::repeat_n('{', ends(index)));
        push_step(text, &float_text(context, value), &zero);
        text.extend(std::iter::repeat_n('}', ends(index + 1)));
    }
    Some(())
}

//! The bytes of dense elements.
//!
//! In an attribute, every element takes whole bytes, lowest byte first. MLIR's raw form, which its hexadecimal text
//! shows, is the same except for `i1`: eight elements of `i1` take one byte.

use std::borrow::Cow;

use super::context::Context;
use super::ids::TypeId;
use super::types::TypeKind;
use crate::number::{ApFloat, ApInt, FloatFormat};

/// The kind of an element, which determines its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// An integer or index.
    Int {
        /// The width in bits.
        width: u32,
    },
    /// A float.
    Float(FloatFormat),
    /// A pair of integers.
    ComplexInt {
        /// The width in bits of each integer.
        width: u32,
    },
    /// A pair of floats.
    ComplexFloat(FloatFormat),
}

impl ElementKind {
    /// The kind of elements with this type; `None` if they are not numbers.
    pub(super) fn of(context: &Context, ty: TypeId) -> Option<Self> {
        let part = |ty| match context.type_kind(ty) {
            TypeKind::Integer { width, .. } => Some(ElementKind::Int { width: *width }),
            TypeKind::Index => Some(ElementKind::Int { width: 64 }),
            TypeKind::Float(format) => Some(ElementKind::Float(*format)),
            _ => None,
        };
        match context.type_kind(ty) {
            TypeKind::Complex(element) => match part(*element)? {
                ElementKind::Int { width } => Some(ElementKind::ComplexInt { width }),
                ElementKind::Float(format) => Some(ElementKind::ComplexFloat(format)),
                ElementKind::ComplexInt { .. } | ElementKind::ComplexFloat(_) => None,
            },
            _ => part(ty),
        }
    }

    /// The kind of the parts of a pair. For a kind that is not a pair, returns that kind.
    pub(super) fn part(self) -> Self {
        match self {
            ElementKind::ComplexInt { width } => ElementKind::Int { width },
            ElementKind::ComplexFloat(format) => ElementKind::Float(format),
            other => other,
        }
    }

    /// The number of bytes of an element of a dense array; 1 for integers of width 0, so that the bytes determine the
    /// length of the array.
    pub(super) fn array_size(self) -> usize {
        self.size().max(1)
    }

    /// The number of bytes of an element; 0 for integers of width 0.
    pub(super) fn size(self) -> usize {
        match self {
            ElementKind::Int { width } => width.div_ceil(8) as usize,
            ElementKind::Float(format) => format.width().div_ceil(8) as usize,
            ElementKind::ComplexInt { .. } | ElementKind::ComplexFloat(_) => 2 * self.part().size(),
        }
    }
}

/// Decodes a float.
pub(super) fn float(format: FloatFormat, bytes: &[u8]) -> ApFloat {
    let mut all = [0; 16];
    let n = bytes.len().min(16);
    all[..n].copy_from_slice(&bytes[..n]);
    ApFloat::from_bits(format, u128::from_le_bytes(all))
}

/// True if `ty` is not a float type, or if all elements are finite.
pub(super) fn are_finite(context: &Context, ty: TypeId, data: &[u8]) -> bool {
    let Some(kind @ ElementKind::Float(format)) = ElementKind::of(context, ty) else { return true };
    data.chunks(kind.array_size()).all(|bytes| {
        let value = float(format, bytes);
        !value.is_infinite() && !value.is_nan()
    })
}

/// Appends the bytes of a float.
pub(super) fn push_float(out: &mut Vec<u8>, value: ApFloat) {
    let size = value.format().width().div_ceil(8) as usize;
    out.extend_from_slice(&value.to_bits().to_le_bytes()[..size]);
}

/// Appends the bytes of an integer.
pub(super) fn push_int(out: &mut Vec<u8>, value: &ApInt) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Finds a splat: if there are elements and all of them are equal, returns one element and true. Otherwise, returns all
/// elements and false.
///
/// As in MLIR, elements of width 0 are never a splat.
pub(super) fn splatted(kind: ElementKind, data: Vec<u8>) -> (Box<[u8]>, bool) {
    let size = kind.size();
    match data.split_at_checked(size) {
        _ if size == 0 => (data.into(), false),
        Some((first, rest)) if rest.chunks(size).all(|chunk| chunk == first) => (first.into(), true),
        _ => (data.into(), false),
    }
}

/// The raw form of elements that are not a splat.
pub(super) fn to_raw(kind: ElementKind, data: &[u8]) -> Cow<'_, [u8]> {
    if kind != (ElementKind::Int { width: 1 }) {
        return data.into();
    }
    let pack = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit & 1);
    data.chunks(8).map(pack).collect::<Vec<u8>>().into()
}

/// Decodes elements from their raw form; `None` if the size of `raw` fits neither `count` elements nor a splat.
pub(super) fn from_raw(kind: ElementKind, raw: &[u8], count: u64) -> Option<(Box<[u8]>, bool)> {
    let count = usize::try_from(count).ok()?;
    if kind == (ElementKind::Int { width: 1 }) {
        if raw.len() == 1 && matches!(raw[0], 0 | 0xFF) && count > 0 {
            return Some(([raw[0] & 1].into(), true));
        }
        if raw.len() != count.div_ceil(8) {
            return None;
        }
        let bits = (0..count).map(|i| raw[i / 8] >> (i % 8) & 1).collect();
        return Some(splatted(kind, bits));
    }
    let size = kind.size();
    if size > 0 && raw.len() == size && count > 0 {
        return Some((raw.into(), true));
    }
    (Some(raw.len()) == count.checked_mul(size)).then(|| splatted(kind, raw.to_vec()))
}

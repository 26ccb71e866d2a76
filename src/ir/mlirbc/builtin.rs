//! Reads the binary forms of the attributes, locations and types of the dialect `builtin`, and defines their codes.

use super::decoder::{Decoder, Item, Step, Stop};
use super::error;
use crate::host::Signedness;
use crate::ir::attributes::{AttrKind, LocKind};
use crate::ir::context::Context;
use crate::ir::elements::{self, ElementKind};
use crate::ir::ids::{AttrId, LocId, TypeId};
use crate::ir::types::{DYNAMIC, TypeKind};
use crate::number::{ApInt, FloatFormat, MAX_WIDTH};

/// Defines an enum of codes. The code of a variant is its index.
macro_rules! codes {
    ($(#[$doc:meta])* $name:ident: $($variant:ident,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name {
            $($variant,)*
        }

        impl $name {
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            fn from_number(number: u64) -> Option<Self> {
                Self::ALL.get(usize::try_from(number).ok()?).copied()
            }

            /// The number that stands for this code in a file.
            pub(super) fn number(self) -> u64 {
                self as u64
            }
        }
    };
}

codes! {
    /// The kinds of attributes.
    AttrCode:
    Array,
    Dictionary,
    String,
    TypedString,
    FlatSymbolRef,
    SymbolRef,
    Type,
    Unit,
    Integer,
    Float,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    FusedLocWithMetadata,
    NameLoc,
    UnknownLoc,
    DenseResource,
    DenseArray,
    DenseElements,
    DenseStrings,
    SparseElements,
    Distinct,
    FileRangeLoc,
}

codes! {
    /// The kinds of types.
    TypeCode:
    Integer,
    Index,
    Function,
    BF16,
    F16,
    F32,
    F64,
    F80,
    F128,
    Complex,
    MemRef,
    MemRefWithSpace,
    None,
    Tensor,
    TensorWithEncoding,
    Tuple,
    UnrankedMemRef,
    UnrankedMemRefWithSpace,
    UnrankedTensor,
    Vector,
    ScalableVector,
}

/// The float types that have a binary form, with their formats.
pub(super) const FLOATS: [(TypeCode, FloatFormat); 6] = [
    (TypeCode::BF16, FloatFormat::BF16),
    (TypeCode::F16, FloatFormat::F16),
    (TypeCode::F32, FloatFormat::F32),
    (TypeCode::F64, FloatFormat::F64),
    (TypeCode::F80, FloatFormat::F80),
    (TypeCode::F128, FloatFormat::F128),
];

/// The maximum number of elements of width 0 in an array. Such elements take no bytes, so the size of the file does not
/// bound their number.
const MAX_EMPTY: usize = 1 << 16;

/// Reads an attribute or location.
pub(super) fn attr(from: &mut Decoder<'_, '_, '_>) -> Step<Item> {
    let at = from.reader.position();
    let code = from.reader.number()?;
    let code =
        AttrCode::from_number(code).ok_or_else(|| error::unknown_code("builtin", "attribute", code, at))?;
    let kind = match code {
        AttrCode::Array => AttrKind::Array(from.list("elements of an array", Decoder::attr)?.into()),
        AttrCode::Dictionary => return dictionary(from),
        AttrCode::String => AttrKind::String { text: from.string()?, ty: None },
        AttrCode::TypedString => {
            let text = from.string()?;
            AttrKind::String { text, ty: Some(from.ty()?).filter(|&ty| ty != Context::NONE) }
        }
        AttrCode::FlatSymbolRef => AttrKind::SymbolRef { root: from.string_attr()?, nested: [].into() },
        AttrCode::SymbolRef => return symbol_ref(from),
        AttrCode::Type => AttrKind::Type(from.ty()?),
        AttrCode::Unit => AttrKind::Unit,
        AttrCode::Integer => {
            let ty = from.ty()?;
            let width = from.context.integer_width(ty);
            let width = width.ok_or_else(|| error::expected("an integer type or index", at))?;
            AttrKind::Integer { value: integer(from, width)?, ty }
        }
        AttrCode::Float => {
            let ty = from.ty()?;
            let TypeKind::Float(format) = *from.context.type_kind(ty) else {
                return Err(error::expected("a float type", at).into());
            };
            let bits = integer(from, format.width())?;
            AttrKind::Float { value: elements::float(format, &bits.to_le_bytes()), ty }
        }
        AttrCode::DenseResource => {
            let ty = shaped(from)?;
            AttrKind::DenseResource { ty, key: from.resource()? }
        }
        AttrCode::DenseArray => return dense_array(from),
        AttrCode::DenseElements => return dense_elements(from),
        AttrCode::DenseStrings => return dense_strings(from),
        AttrCode::SparseElements => return sparse_elements(from),
        AttrCode::Distinct => AttrKind::Distinct { referenced: from.attr()?, id: from.index() },
        AttrCode::CallSiteLoc
        | AttrCode::FileLineColLoc
        | AttrCode::FusedLoc
        | AttrCode::FusedLocWithMetadata
        | AttrCode::NameLoc
        | AttrCode::UnknownLoc
        | AttrCode::FileRangeLoc => return loc(from, code).map(Item::Loc),
    };
    Ok(Item::Attr(from.context.intern_attr(kind)))
}

fn loc(from: &mut Decoder<'_, '_, '_>, code: AttrCode) -> Step<LocId> {
    let kind = match code {
        AttrCode::CallSiteLoc => LocKind::CallSite { callee: from.loc()?, caller: from.loc()? },
        AttrCode::FileLineColLoc => LocKind::FileLineCol {
            file: from.string_attr()?,
            line: from.u32("a line number")?,
            column: from.u32("a column number")?,
        },
        AttrCode::FusedLoc => {
            let locations = from.list("fused locations", Decoder::loc)?.into();
            LocKind::Fused { locations, metadata: None }
        }
        AttrCode::FusedLocWithMetadata => {
            let locations = from.list("fused locations", Decoder::loc)?.into();
            LocKind::Fused { locations, metadata: Some(from.attr()?) }
        }
        AttrCode::NameLoc => LocKind::Name { name: from.string_attr()?, child: from.loc()? },
        AttrCode::FileRangeLoc => {
            let file = from.string_attr()?;
            let at = from.reader.position();
            let parts = from.list("parts of a range", |from| from.u32("a line or column number"))?;
            // An omitted part of the end position equals the same part of the start position. An omitted part of the
            // start position is 0.
            let (start, end) = match *parts {
                [] => ((0, 0), (0, 0)),
                [line] => ((line, 0), (line, 0)),
                [line, column] => ((line, column), (line, column)),
                [line, column, end] => ((line, column), (line, end)),
                [line, column, end_line, end] => ((line, column), (end_line, end)),
                _ => return Err(error::expected("a range of at most four numbers", at).into()),
            };
            LocKind::FileRange { file, start, end }
        }
        _ => LocKind::Unknown,
    };
    Ok(from.context.intern_loc(kind))
}

fn dictionary(from: &mut Decoder<'_, '_, '_>) -> Step<Item> {
    let at = from.reader.position();
    let entries = from.list("entries of a dictionary", |from| {
        // Both references are read even if the name is not decoded yet, so that all missing entries are found at once.
        let (name, value) = (from.string_attr(), from.attr());
        if let Err(Stop::Fault(fault)) = value {
            return Err(Stop::Fault(fault));
        }
        Ok((name?, value?))
    })?;
    let mut named = Vec::with_capacity(entries.len());
    for (name, value) in entries {
        let name = from.context.str(name).to_owned();
        named.push((from.context.attr_name(&name), value));
    }
    let count = named.len();
    let dictionary = from.context.dictionary(&mut named);
    if from.context.entries(dictionary).len() != count {
        return Err(error::expected("different names in a dictionary", at).into());
    }
    Ok(Item::Attr(dictionary))
}

fn symbol_ref(from: &mut Decoder<'_, '_, '_>) -> Step<Item> {
    let root = from.string_attr();
    if let Err(Stop::Fault(fault)) = root {
        return Err(Stop::Fault(fault));
    }
    let nested = from.list("parts of a symbol", |from| {
        let at = from.reader.position();
        let attr = from.attr()?;
        match from.context.attr_kind(attr) {
            AttrKind::SymbolRef { root, nested } if nested.is_empty() => Ok(*root),
            _ => Err(error::expected("a symbol without parts", at).into()),
        }
    })?;
    let kind = AttrKind::SymbolRef { root: root?, nested: nested.into() };
    Ok(Item::Attr(from.context.intern_attr(kind)))
}

/// Reads an integer of this width.
fn integer(from: &mut Decoder<'_, '_, '_>, width: u32) -> Step<ApInt> {
    if width <= 8 {
        return Ok(ApInt::from_u64(width, from.reader.byte()?.into()));
    }
    if width <= 64 {
        return Ok(ApInt::from_i64(width, from.reader.signed()?));
    }
    let words = from.list("words of an integer", |from| Ok(from.reader.signed()?))?;
    let bytes: Vec<u8> = words.into_iter().flat_map(i64::to_le_bytes).collect();
    Ok(ApInt::from_le_bytes(width, &bytes))
}

/// Reads a reference to a shaped type.
fn shaped(from: &mut Decoder<'_, '_, '_>) -> Step<TypeId> {
    let at = from.reader.position();
    let ty = from.ty()?;
    // A type of a dialect is accepted, because it can be shaped.
    match from.context.type_kind(ty) {
        TypeKind::Dialect(_) => Ok(ty),
        kind if kind.is_shaped() => Ok(ty),
        _ => Err(error::expected("a shaped type", at).into()),
    }
}

fn dense_array(from: &mut Decoder<'_, '_, '_>) -> Step<Item> {
    let at = from.reader.position();
    let element = from.ty()?;
    let count = from.reader.number()?;
    let size = from.reader.number()?;
    let data = from.reader.bytes(size)?;
    let kind = match ElementKind::of(from.context, element) {
        Some(kind @ (ElementKind::Int { .. } | ElementKind::Float(_))) => kind,
        _ => return Err(error::expected("an array of integers or floats", at).into()),
    };
    // Elements of width 0 take no bytes in the file, but one byte each in the attribute.
    let data: Box<[u8]> = match usize::try_from(count) {
        Ok(count) if kind.size() == 0 && data.is_empty() && count <= MAX_EMPTY => vec![0; count].into(),
        Ok(count) if kind.size() > 0 && count.checked_mul(kind.size()) == Some(data.len()) => data.into(),
        _ => {
            let reason = format!("{} bytes are not an array of {count} elements", data.len());
            return Err(error::invalid(reason, at).into());
        }
    };
    Ok(Item::Attr(from.context.intern_attr(AttrKind::DenseArray { element, data })))
}

fn dense_elements(from: &mut Decoder<'_, '_, '_>) -> Step<Item> {
    let at = from.reader.position();
    let ty = shaped(from)?;
    let size = from.reader.number()?;
    let data = from.reader.bytes(size)?;
    let own = dialect_shape(from.context, ty);
    let kind = from.context.type_kind(own.unwrap_or(ty));
    let (Some(element), Some(count)) = (kind.element(), kind.element_count()) else {
        return Err(error::invalid("dense elements have a shape that is not fixed", at).into());
    };
    let Some(kind) = ElementKind::of(from.context, element) else {
        return Err(error::expected("dense elements of integers, floats or complex numbers", at).into());
    };
    // A splat of a type without elements keeps its value.
    let is_empty_splat = count == 0 && kind.size() > 0 && data.len() == kind.size();
    let Some((data, splat)) = elements::from_raw(kind, data, if is_empty_splat { 1 } else { count }) else {
        return Err(error::invalid(format!("{} bytes are not {count} elements", data.len()), at).into());
    };
    let Some(own) = own else {
        return Ok(Item::Attr(from.context.intern_attr(AttrKind::DenseElements { ty, data, splat })));
    };
    // Elements of a dialect's shaped type are stored as text.
    let elements = from.context.intern_attr(AttrKind::DenseElements { ty: own, data, splat });
    let text = from.context.exact_attr_text(elements);
    let literal = text.split_once(" : ").map_or(text.as_str(), |parts| parts.0);
    let literal = from.context.string(literal);
    Ok(Item::Attr(from.context.intern_attr(AttrKind::DialectElements { ty, literal })))
}

/// The tensor type with the shape and the element type of a dialect's type such as `!dialect.name<4x2xi32>`.
fn dialect_shape(context: &mut Context, ty: TypeId) -> Option<TypeId> {
    let TypeKind::Dialect(_) = context.type_kind(ty) else { return None };
    let text = context.type_text(ty);
    let (_, shape) = text.split_once('<')?;
    context.parse_type(&format!("tensor<{shape}")).ok()
}

fn dense_strings(from: &mut Decoder<'_, '_, '_>) -> Step<Item> {
    let at = from.reader.position();
    let ty = shaped(from)?;
    let splat = from.reader.number()? != 0;
    let Some(count) = from.context.type_kind(ty).element_count() else {
        return Err(error::invalid("dense elements have a shape that is not fixed", at).into());
    };
    let count = from.reader.fitting(if splat { 1 } else { count }, "strings")?;
    let elements = (0..count).map(|_| from.string()).collect::<Step<Vec<_>>>()?.into();
    Ok(Item::Attr(from.context.intern_attr(AttrKind::DenseStrings { ty, elements })))
}

fn sparse_elements(from: &mut Decoder<'_, '_, '_>) -> Step<Item> {
    let at = from.reader.position();
    let ty = shaped(from)?;
    let (indices, values) = (from.attr()?, from.attr()?);
    let elements = |attr: AttrId| match from.context.attr_kind(attr) {
        AttrKind::DenseElements { ty, .. } | AttrKind::DenseStrings { ty, .. } => {
            let kind = from.context.type_kind(*ty);
            Some((kind.element()?, kind.shape()?.to_vec()))
        }
        _ => None,
    };
    let rank = from.context.type_kind(ty).shape().map(<[i64]>::len);
    let fits = match (elements(indices), elements(values), rank) {
        (Some((Context::I64, shape)), Some((element, values)), Some(rank)) => {
            let count = shape.first();
            Some(element) == from.context.type_kind(ty).element()
                && count.is_some()
                && values.first() == count
                && values.len() == 1
                && (shape.len() == 1 && rank == 1 || shape.len() == 2 && shape[1] == rank as i64)
        }
        _ => false,
    };
    if !fits {
        return Err(
            error::invalid("the indices or values of sparse elements do not fit their type", at).into()
        );
    }
    Ok(Item::Attr(from.context.intern_attr(AttrKind::SparseElements { ty, indices, values })))
}

/// Reads a type.
pub(super) fn ty(from: &mut Decoder<'_, '_, '_>) -> Step<TypeId> {
    let at = from.reader.position();
    let code = from.reader.number()?;
    let code = TypeCode::from_number(code).ok_or_else(|| error::unknown_code("builtin", "type", code, at))?;
    let kind = match code {
        TypeCode::Integer => {
            let number = from.reader.number()?;
            let signedness = match number & 3 {
                0 => Signedness::Signless,
                1 => Signedness::Signed,
                2 => Signedness::Unsigned,
                _ => return Err(error::expected("a signedness from 0 to 2", at).into()),
            };
            let width = u32::try_from(number >> 2).ok().filter(|&width| width <= MAX_WIDTH);
            let width = width.ok_or_else(|| {
                error::expected(&format!("an integer type of at most {MAX_WIDTH} bits"), at)
            })?;
            TypeKind::Integer { width, signedness }
        }
        TypeCode::Index => TypeKind::Index,
        TypeCode::None => TypeKind::None,
        TypeCode::BF16 | TypeCode::F16 | TypeCode::F32 | TypeCode::F64 | TypeCode::F80 | TypeCode::F128 => {
            let format = FLOATS.iter().find(|known| known.0 == code).map(|known| known.1);
            TypeKind::Float(format.unwrap_or(FloatFormat::F32))
        }
        TypeCode::Function => {
            let inputs = from.list("inputs of a function", Decoder::ty);
            if let Err(Stop::Fault(fault)) = inputs {
                return Err(Stop::Fault(fault));
            }
            let results = from.list("results of a function", Decoder::ty)?.into();
            TypeKind::Function { inputs: inputs?.into(), results }
        }
        TypeCode::Tuple => TypeKind::Tuple(from.list("types of a tuple", Decoder::ty)?.into()),
        TypeCode::Complex => {
            let element = from.ty()?;
            if !matches!(from.context.type_kind(element), TypeKind::Integer { .. } | TypeKind::Float(_)) {
                return Err(error::expected("a complex type of integers or floats", at).into());
            }
            TypeKind::Complex(element)
        }
        TypeCode::Tensor => {
            let shape = shape(from)?;
            TypeKind::RankedTensor { shape, element: element(from, false)?, encoding: None }
        }
        TypeCode::TensorWithEncoding => {
            let encoding = Some(from.attr()?);
            let shape = shape(from)?;
            TypeKind::RankedTensor { shape, element: element(from, false)?, encoding }
        }
        TypeCode::UnrankedTensor => TypeKind::UnrankedTensor(element(from, false)?),
        TypeCode::Vector => {
            let shape = shape(from)?;
            let scalable = shape.iter().map(|_| false).collect();
            vector(from, shape, scalable)?
        }
        TypeCode::ScalableVector => {
            let scalable = from.list("dimensions", |from| Ok(from.reader.bool()?))?.into();
            let shape = shape(from)?;
            vector(from, shape, scalable)?
        }
        TypeCode::MemRef => memref(from, None)?,
        TypeCode::MemRefWithSpace => {
            let space = from.attr()?;
            memref(from, Some(space))?
        }
        TypeCode::UnrankedMemRef => {
            TypeKind::UnrankedMemRef { element: element(from, true)?, memory_space: None }
        }
        TypeCode::UnrankedMemRefWithSpace => {
            let space = Some(from.attr()?);
            let memory_space = memory_space(from.context, space);
            TypeKind::UnrankedMemRef { element: element(from, true)?, memory_space }
        }
    };
    Ok(from.context.intern_type(kind))
}

/// Reads the sizes of dimensions.
fn shape(from: &mut Decoder<'_, '_, '_>) -> Step<Box<[i64]>> {
    let sizes = from.list("dimensions", |from| {
        let at = from.reader.position();
        let size = from.reader.signed()?;
        if size < 0 && size != DYNAMIC {
            return Err(error::expected("a size that is not negative", at).into());
        }
        Ok(size)
    })?;
    Ok(sizes.into())
}

/// Reads the element type of a tensor or memref.
fn element(from: &mut Decoder<'_, '_, '_>, may_be_memref: bool) -> Step<TypeId> {
    let at = from.reader.position();
    let element = from.ty()?;
    let fits = match from.context.type_kind(element) {
        TypeKind::Integer { .. }
        | TypeKind::Index
        | TypeKind::Float(_)
        | TypeKind::Complex(_)
        | TypeKind::Vector { .. }
        | TypeKind::Dialect(_) => true,
        TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef { .. } => may_be_memref,
        _ => false,
    };
    if fits { Ok(element) } else { Err(error::expected("a type that can be an element", at).into()) }
}

fn vector(from: &mut Decoder<'_, '_, '_>, shape: Box<[i64]>, scalable: Box<[bool]>) -> Step<TypeKind> {
    let at = from.reader.position();
    let element = from.ty()?;
    if shape.iter().any(|&size| size <= 0) || scalable.len() != shape.len() {
        return Err(error::expected("a vector type with positive sizes", at).into());
    }
    let kind = from.context.type_kind(element);
    let is_number = matches!(kind, TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_));
    if !is_number && !matches!(kind, TypeKind::Dialect(_)) {
        return Err(error::expected("a type that can be an element of a vector", at).into());
    }
    Ok(TypeKind::Vector { shape, scalable, element })
}

fn memref(from: &mut Decoder<'_, '_, '_>, space: Option<AttrId>) -> Step<TypeKind> {
    let shape = shape(from)?;
    let element = element(from, true)?;
    let at = from.reader.position();
    let layout = from.attr()?;
    let rank = shape.len();
    let layout = match from.context.attr_kind(layout) {
        AttrKind::AffineMap(map) if map.is_identity() && map.dims as usize == rank => None,
        AttrKind::AffineMap(map) if map.dims as usize != rank => {
            return Err(error::expected("a layout with the rank of its memref", at).into());
        }
        AttrKind::StridedLayout { strides, .. } if strides.len() != rank => {
            return Err(error::expected("a layout with the rank of its memref", at).into());
        }
        _ => Some(layout),
    };
    Ok(TypeKind::MemRef { shape, element, layout, memory_space: memory_space(from.context, space) })
}

/// The memory space, unless it is the default one.
fn memory_space(context: &Context, space: Option<AttrId>) -> Option<AttrId> {
    space.filter(|&space| match context.attr_kind(space) {
        AttrKind::Integer { value, .. } => !value.is_zero(),
        _ => true,
    })
}

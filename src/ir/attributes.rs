//! What an attribute and a location are.

use crate::host::AttrNameId;
use crate::intern::StrId;
use crate::number::{ApFloat, ApInt};

use super::affine::{AffineMap, IntegerSet};
use super::ids::{AttrId, LocId, TypeId};
use super::verbatim::Verbatim;

/// An attribute, with what is inside it as ids. Equal kinds have one id in a [`super::Context`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttrKind {
    /// `unit`.
    Unit,
    /// `4 : i32`, `true`.
    Integer {
        /// The value, of the type's width (64 for `index`).
        value: ApInt,
        /// An integer type or `index`.
        ty: TypeId,
    },
    /// `1.0 : f32`.
    Float {
        /// The value, of the type's format.
        value: ApFloat,
        /// A float type.
        ty: TypeId,
    },
    /// `"text"`, `"text" : !type`.
    String {
        /// The text.
        text: StrId,
        /// The type, if it has another than `none`.
        ty: Option<TypeId>,
    },
    /// `[a, b]`.
    Array(Box<[AttrId]>),
    /// `{a = 1, b}`: sorted by name, no name twice.
    Dictionary(Box<[(AttrNameId, AttrId)]>),
    /// `i32` as an attribute.
    Type(TypeId),
    /// `@root::@nested`.
    SymbolRef {
        /// The first name.
        root: StrId,
        /// The names after it.
        nested: Box<[StrId]>,
    },
    /// `dense<…>` of integers, floats or complex numbers.
    DenseElements {
        /// A shaped type without dynamic sizes.
        ty: TypeId,
        /// The elements one after the other, each in whole bytes, lowest first; of a splat, one element.
        data: Box<[u8]>,
        /// Whether one element stands for all.
        splat: bool,
    },
    /// `dense<…>` of strings.
    DenseStrings {
        /// A shaped type without dynamic sizes.
        ty: TypeId,
        /// The elements; of a splat, one.
        elements: Box<[StrId]>,
    },
    /// `dense<…>` of a dialect's own shaped type, kept as it is written.
    DialectElements {
        /// The type.
        ty: TypeId,
        /// From `dense<` to `>`.
        literal: StrId,
    },
    /// `array<i64: 1, 2>`.
    DenseArray {
        /// An integer of 1 bit or of whole bytes, or a float of whole bytes.
        element: TypeId,
        /// The elements one after the other, each in whole bytes, lowest first.
        data: Box<[u8]>,
    },
    /// `dense_resource<key>`.
    DenseResource {
        /// The shaped type.
        ty: TypeId,
        /// The key of the blob in the file's resource section.
        key: StrId,
    },
    /// `sparse<indices, values>`.
    SparseElements {
        /// The shaped type.
        ty: TypeId,
        /// Dense `i64` elements of shape n × rank, or n where the rank is 1.
        indices: AttrId,
        /// Dense elements of shape n.
        values: AttrId,
    },
    /// `affine_map<…>`.
    AffineMap(AffineMap),
    /// `affine_set<…>`.
    IntegerSet(IntegerSet),
    /// `strided<[4, 1], offset: ?>`.
    StridedLayout {
        /// Strides, [`DYNAMIC`](super::DYNAMIC) for `?`.
        strides: Box<[i64]>,
        /// Offset, [`DYNAMIC`](super::DYNAMIC) for `?`.
        offset: i64,
    },
    /// `distinct[0]<attr>`.
    Distinct {
        /// The number that tells it from others.
        id: u64,
        /// The attribute inside.
        referenced: AttrId,
    },
    /// `loc(…)` as an attribute.
    Location(LocId),
    /// A dialect's own attribute, `#arith.overflow<nsw>`.
    Dialect {
        /// Its text.
        body: Verbatim,
        /// The type stated after it.
        ty: Option<TypeId>,
    },
}

/// A location. Equal kinds have one id in a [`super::Context`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LocKind {
    /// `loc(unknown)`.
    Unknown,
    /// `loc("file":line:column)`.
    FileLineCol {
        /// File name.
        file: StrId,
        /// Line.
        line: u32,
        /// Column.
        column: u32,
    },
    /// `loc("file":line:column to line:column)`.
    FileRange {
        /// File name.
        file: StrId,
        /// First line and column.
        start: (u32, u32),
        /// Last line and column.
        end: (u32, u32),
    },
    /// `loc("name"(child))`.
    Name {
        /// Name.
        name: StrId,
        /// Location inside, perhaps unknown.
        child: LocId,
    },
    /// `loc(callsite(callee at caller))`.
    CallSite {
        /// What was called.
        callee: LocId,
        /// From where.
        caller: LocId,
    },
    /// `loc(fused<metadata>[a, b])`.
    Fused {
        /// The locations.
        locations: Box<[LocId]>,
        /// What is said about them.
        metadata: Option<AttrId>,
    },
    /// A dialect's own location, `#dialect.location<…>`.
    Dialect(AttrId),
}

//! The kinds of attributes and locations.

use crate::host::AttrNameId;
use crate::intern::StrId;
use crate::number::{ApFloat, ApInt};

use super::affine::{AffineMap, IntegerSet};
use super::ids::{AttrId, LocId, TypeId};
use super::verbatim::Verbatim;

/// Converts the number of values in a group to an element of an attribute such as `operandSegmentSizes`.
pub(super) fn segment_size(count: usize) -> i32 {
    i32::try_from(count).expect("a source file is under 4 GiB, so a list in it has fewer than 2^31 items")
}

/// An attribute, which refers to its parts by id. Equal kinds have one id in a [`super::Context`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttrKind {
    /// `unit`.
    Unit,
    /// `4 : i32`, `true`.
    Integer {
        /// The value, with the width of the type (64 for `index`).
        value: ApInt,
        /// An integer type or `index`.
        ty: TypeId,
    },
    /// `1.0 : f32`.
    Float {
        /// The value, in the format of the type.
        value: ApFloat,
        /// A float type.
        ty: TypeId,
    },
    /// `"text"`, `"text" : !type`.
    String {
        /// The text.
        text: StrId,
        /// The type, if it is not `none`.
        ty: Option<TypeId>,
    },
    /// `[a, b]`.
    Array(Box<[AttrId]>),
    /// `{a = 1, b}`: the entries, sorted by name, with distinct names.
    Dictionary(Box<[(AttrNameId, AttrId)]>),
    /// `i32` as an attribute.
    Type(TypeId),
    /// `@root::@nested`.
    SymbolRef {
        /// The first name.
        root: StrId,
        /// The names after the first name.
        nested: Box<[StrId]>,
    },
    /// `dense<…>` of integers, floats or complex numbers.
    DenseElements {
        /// A shaped type without dynamic sizes.
        ty: TypeId,
        /// The elements in order, each in whole bytes, lowest byte first. A splat has one element.
        data: Box<[u8]>,
        /// True if all elements are equal and `data` holds one of them.
        splat: bool,
    },
    /// `dense<…>` of strings.
    DenseStrings {
        /// A shaped type without dynamic sizes.
        ty: TypeId,
        /// The elements. A splat has one.
        elements: Box<[StrId]>,
    },
    /// `dense<…>` with a shaped type of a dialect. The elements are stored as text.
    DialectElements {
        /// The type.
        ty: TypeId,
        /// The text from `dense<` to `>`.
        literal: StrId,
    },
    /// `array<i64: 1, 2>`.
    DenseArray {
        /// An integer type of 1 bit or of whole bytes, or a float type of whole bytes.
        element: TypeId,
        /// The elements in order, each in whole bytes, lowest byte first.
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
        /// Dense `i64` elements of shape n × rank, or n if the rank is 1.
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
        /// The strides, [`DYNAMIC`](super::DYNAMIC) for `?`.
        strides: Box<[i64]>,
        /// The offset, [`DYNAMIC`](super::DYNAMIC) for `?`.
        offset: i64,
    },
    /// `distinct[0]<attr>`.
    Distinct {
        /// The number that distinguishes the attribute from other distinct attributes.
        id: u64,
        /// The attribute inside.
        referenced: AttrId,
    },
    /// `loc(…)` as an attribute.
    Location(LocId),
    /// An attribute of a dialect, `#arith.overflow<nsw>`.
    Dialect {
        /// The text of the attribute.
        body: Verbatim,
        /// The type after the text.
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
        /// The file name.
        file: StrId,
        /// The line.
        line: u32,
        /// The column.
        column: u32,
    },
    /// `loc("file":line:column to line:column)`.
    FileRange {
        /// The file name.
        file: StrId,
        /// The line and column of the start.
        start: (u32, u32),
        /// The line and column of the end.
        end: (u32, u32),
    },
    /// `loc("name"(child))`.
    Name {
        /// The name.
        name: StrId,
        /// The location inside, which may be unknown.
        child: LocId,
    },
    /// `loc(callsite(callee at caller))`.
    CallSite {
        /// The location of the called function.
        callee: LocId,
        /// The location of the call.
        caller: LocId,
    },
    /// `loc(fused<metadata>[a, b])`.
    Fused {
        /// The locations.
        locations: Box<[LocId]>,
        /// The metadata.
        metadata: Option<AttrId>,
    },
    /// A location of a dialect, `#dialect.location<…>`.
    Dialect(AttrId),
}

//! Access to the parts of types and attributes, and the creation of types and attributes.
//!
//! The snippet language reads and creates types and attributes only through this trait and [`Ir`], so
//! `$_self.isInteger(32)` means the same on every host. Every method has a default, and the defaults of the methods
//! that read or create a type or attribute mean "unknown". A host whose rules contain no snippets writes `impl Facets
//! for MyIr {}`.

use super::ir::{AttrNameId, Ir, Refusal};
use super::numbered::NumberedBlocks;
use super::rewriter::Journal;
use crate::number::{ApFloat, ApInt, FloatFormat};

/// The signedness of an integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signedness {
    /// `i32`.
    Signless,
    /// `si32`.
    Signed,
    /// `ui32`.
    Unsigned,
}

/// The kind of a type, with the types inside it as ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind<T> {
    /// `i32`, `si8`, `ui1`.
    Integer {
        /// The width in bits.
        width: u32,
        /// The signedness.
        signedness: Signedness,
    },
    /// `index`.
    Index,
    /// `f32`, `bf16`, ….
    Float(FloatFormat),
    /// `none`.
    None,
    /// `complex<f32>`.
    Complex(T),
    /// `vector<4x[8]xf32>`.
    Vector {
        /// The element type.
        element: T,
        /// The number of dimensions.
        rank: u32,
    },
    /// `tensor<4x?xf32>`.
    RankedTensor {
        /// The element type.
        element: T,
        /// The number of dimensions.
        rank: u32,
    },
    /// `tensor<*xf32>`.
    UnrankedTensor(T),
    /// `memref<4xf32>`.
    MemRef {
        /// The element type.
        element: T,
        /// The number of dimensions.
        rank: u32,
    },
    /// `memref<*xf32>`.
    UnrankedMemRef(T),
    /// `(i32) -> i32`. The parts are the inputs, then the results.
    Function {
        /// The number of inputs.
        inputs: u32,
        /// The number of results.
        results: u32,
    },
    /// `tuple<i32, f32>`. The parts are the elements.
    Tuple(u32),
    /// A type of a dialect: see [`Facets::type_text`].
    Dialect,
}

impl<T> TypeKind<T> {
    /// The name of the class of types: `"integer"`, `"index"`, `"float"`, `"none"`, `"complex"`, `"vector"`,
    /// `"tensor"`, `"memref"`, `"function"`, `"tuple"` or `"dialect"`.
    ///
    /// ```
    /// use drrvm::host::TypeKind;
    ///
    /// assert_eq!(TypeKind::UnrankedTensor(()).class_name(), "tensor");
    /// ```
    pub fn class_name(&self) -> &'static str {
        match self {
            TypeKind::Integer { .. } => "integer",
            TypeKind::Index => "index",
            TypeKind::Float(_) => "float",
            TypeKind::None => "none",
            TypeKind::Complex(_) => "complex",
            TypeKind::Vector { .. } => "vector",
            TypeKind::RankedTensor { .. } | TypeKind::UnrankedTensor(_) => "tensor",
            TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef(_) => "memref",
            TypeKind::Function { .. } => "function",
            TypeKind::Tuple(_) => "tuple",
            TypeKind::Dialect => "dialect",
        }
    }

    /// The number of bits of an integer or float type.
    pub fn bit_width(&self) -> Option<u32> {
        match self {
            TypeKind::Integer { width, .. } => Some(*width),
            TypeKind::Float(format) => Some(format.width()),
            _ => None,
        }
    }
}

/// The kind of an attribute. [`Facets::attr_element`] returns the elements of an attribute by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// `4 : i32`, `true`. [`Ir::attr_type`] returns the type.
    Integer,
    /// `1.0 : f32`.
    Float,
    /// `"text"`.
    String,
    /// `[a, b]`; elements by index.
    Array {
        /// The number of elements.
        len: u64,
    },
    /// `{a = 1}`; entries by index.
    Dictionary {
        /// The number of entries.
        len: u64,
    },
    /// `i32` as an attribute. [`Facets::attr_held_type`] returns the type.
    Type,
    /// `@a::@b`.
    SymbolRef,
    /// `unit`.
    Unit,
    /// `dense<…>`; a splat stores one element, which stands for all.
    DenseElements {
        /// The number of elements of its shape.
        len: u64,
        /// True if all elements are equal.
        splat: bool,
    },
    /// `array<i64: 1, 2>`.
    DenseArray {
        /// The number of elements.
        len: u64,
    },
    /// `affine_map<…>`.
    AffineMap,
    /// An attribute of a dialect, or of a class that is not listed above: see [`Facets::attr_text`].
    Other,
}

/// One element of an attribute that has elements.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementValue<A> {
    /// An element that is an attribute itself.
    Attr(A),
    /// An integer, Boolean or index.
    Int(ApInt),
    /// A float.
    Float(ApFloat),
    /// A string.
    Str(String),
}

/// The specification of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeSpec<T, A> {
    /// An integer type.
    Integer {
        /// The width in bits.
        width: u32,
        /// The signedness.
        signedness: Signedness,
    },
    /// `index`.
    Index,
    /// `none`.
    None,
    /// A float type.
    Float(FloatFormat),
    /// `complex<…>`.
    Complex(T),
    /// A vector.
    Vector {
        /// The sizes of the dimensions.
        shape: Vec<i64>,
        /// For each dimension, true if its size is multiplied by `vscale`.
        scalable: Vec<bool>,
        /// The element type.
        element: T,
    },
    /// A ranked tensor; `None` is a dynamic size.
    RankedTensor {
        /// The sizes of the dimensions.
        shape: Vec<Option<i64>>,
        /// The element type.
        element: T,
        /// The encoding.
        encoding: Option<A>,
    },
    /// `tensor<*x…>`.
    UnrankedTensor(T),
    /// A function type.
    Function {
        /// The types of the inputs.
        inputs: Vec<T>,
        /// The types of the results.
        results: Vec<T>,
    },
    /// A tuple.
    Tuple(Vec<T>),
    /// Any type by its MLIR text.
    Text(String),
}

/// The specification of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrSpec<T, A> {
    /// An integer of this type. A Boolean has type `i1`.
    Integer(ApInt, T),
    /// A float of this type.
    Float(ApFloat, T),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<A>),
    /// A dictionary; entries need not be sorted.
    Dictionary(Vec<(String, A)>),
    /// A type as an attribute.
    Type(T),
    /// `@name`.
    SymbolRef(String),
    /// `unit`.
    Unit,
    /// Integer or index elements of a shaped type. A single element is a splat.
    DenseInts(Vec<ApInt>, T),
    /// Float elements of a shaped type. A single element is a splat.
    DenseFloats(Vec<ApFloat>, T),
    /// `array<i64: …>` with this element type.
    DenseArray(Vec<ApInt>, T),
    /// Any attribute by its MLIR text.
    Text(String),
}

/// The parts of a host's types and attributes.
#[allow(unused_variables, reason = "the defaults ignore their arguments")]
pub trait Facets: Ir {
    /// The numbers that represent blocks in helper functions. A host with blocks returns
    /// [`number_blocks`](super::number_blocks). The default, `None`, means that helper functions cannot use blocks.
    fn numbered_blocks() -> Option<NumberedBlocks<Self>>
    where
        Self: Sized,
    {
        None
    }
    /// Fails if helper functions must not change existing blocks and operations now, for example because a driver of
    /// another system is running and would not be notified. Helper functions may still create, replace and erase
    /// operations, and move all blocks of a region to an empty region. The default allows all changes.
    ///
    /// # Errors
    /// The reason, and what the user can do.
    fn may_change_blocks(&self) -> Result<(), Refusal> {
        Ok(())
    }

    /// The kind of a type.
    fn type_kind(&self, ty: Self::Type) -> TypeKind<Self::Type> {
        TypeKind::Dialect
    }
    /// The size of a dimension of a shaped type; `None` if it is dynamic.
    fn type_dim(&self, ty: Self::Type, dim: u32) -> Option<i64> {
        None
    }
    /// True if a dimension of a vector is scalable.
    fn type_dim_is_scalable(&self, ty: Self::Type, dim: u32) -> bool {
        false
    }
    /// A part of a function type (inputs, then results) or of a tuple type.
    fn type_part(&self, ty: Self::Type, index: u32) -> Option<Self::Type> {
        None
    }
    /// The encoding of a tensor type, or the memory space of a memref type.
    fn type_extra(&self, ty: Self::Type) -> Option<Self::Attr> {
        None
    }
    /// The type in MLIR's text (`!llvm.ptr`).
    fn type_text(&self, ty: Self::Type) -> String {
        String::new()
    }
    /// The kind of an attribute.
    fn attr_kind(&self, attr: Self::Attr) -> AttrKind {
        AttrKind::Other
    }
    /// The value of an integer attribute.
    fn attr_int(&self, attr: Self::Attr) -> Option<ApInt> {
        None
    }
    /// The value of a float attribute.
    fn attr_float(&self, attr: Self::Attr) -> Option<ApFloat> {
        None
    }
    /// The text of a string attribute, or the root name of a symbol reference.
    fn attr_string(&self, attr: Self::Attr) -> Option<String> {
        None
    }
    /// The type that a type attribute holds.
    fn attr_held_type(&self, attr: Self::Attr) -> Option<Self::Type> {
        None
    }
    /// An element of an array, dense array or dense elements attribute, or the value of a dictionary entry.
    fn attr_element(&self, attr: Self::Attr, index: u64) -> Option<ElementValue<Self::Attr>> {
        None
    }
    /// The value of an integer or float attribute, or the common value of all elements of a dense elements attribute.
    fn attr_splat(&self, attr: Self::Attr) -> Option<ElementValue<Self::Attr>> {
        match self.attr_kind(attr) {
            AttrKind::DenseElements { splat: true, .. } => self.attr_element(attr, 0),
            AttrKind::DenseElements { .. } => None,
            _ => {
                let float = || self.attr_float(attr).map(ElementValue::Float);
                self.attr_int(attr).map(ElementValue::Int).or_else(float)
            }
        }
    }
    /// The name of a dictionary entry.
    fn attr_entry_name(&self, attr: Self::Attr, index: u64) -> Option<String> {
        None
    }
    /// The attribute in MLIR's text (`#arith.overflow<nsw>`).
    fn attr_text(&self, attr: Self::Attr) -> String {
        String::new()
    }
    /// The number of an attribute name, if the host has the name. Called while matching.
    fn find_attr_name(&self, name: &str) -> Option<AttrNameId> {
        None
    }
    /// The type with this specification, if the host has it already. Called while matching.
    fn find_type(&self, spec: &TypeSpec<Self::Type, Self::Attr>) -> Option<Self::Type> {
        None
    }
    /// The attribute with this specification, if the host has it already. Called while matching.
    fn find_attr(&self, spec: &AttrSpec<Self::Type, Self::Attr>) -> Option<Self::Attr> {
        None
    }
    /// Finds or creates the type with this specification; `None` if the host cannot represent it.
    fn make_type(&mut self, spec: &TypeSpec<Self::Type, Self::Attr>) -> Option<Self::Type> {
        None
    }
    /// Finds or creates the attribute with this specification; `None` if the host cannot represent it.
    fn make_attr(&mut self, spec: &AttrSpec<Self::Type, Self::Attr>) -> Option<Self::Attr> {
        None
    }
}

impl<H: Facets> Journal<H> {
    /// An empty journal.
    pub(crate) fn new() -> Self {
        Self::with_check(H::numbered_blocks().map(|mut blocks| blocks.table().is_used_outside()))
    }
}

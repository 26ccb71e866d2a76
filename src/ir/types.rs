//! The kinds of types.

use crate::host::Signedness;
use crate::number::FloatFormat;

use super::ids::{AttrId, TypeId};
use super::verbatim::Verbatim;

/// The number that stands for `?`: a dynamic size, stride or offset.
pub const DYNAMIC: i64 = i64::MIN;

/// A type, which refers to its parts by id. Equal kinds have one id in a [`super::Context`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
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
    Complex(TypeId),
    /// `vector<4x[8]xf32>`.
    Vector {
        /// The sizes of the dimensions.
        shape: Box<[i64]>,
        /// For each dimension, true if its size is multiplied by `vscale`.
        scalable: Box<[bool]>,
        /// The element type.
        element: TypeId,
    },
    /// `tensor<4x?xf32, #encoding>`.
    RankedTensor {
        /// The sizes of the dimensions, [`DYNAMIC`] for `?`.
        shape: Box<[i64]>,
        /// The element type.
        element: TypeId,
        /// The encoding.
        encoding: Option<AttrId>,
    },
    /// `tensor<*xf32>`.
    UnrankedTensor(TypeId),
    /// `memref<4x?xf32, strided<[?, 1]>, 3>`.
    MemRef {
        /// The sizes of the dimensions, [`DYNAMIC`] for `?`.
        shape: Box<[i64]>,
        /// The element type.
        element: TypeId,
        /// The layout, unless it is the identity.
        layout: Option<AttrId>,
        /// The memory space, unless it is the default.
        memory_space: Option<AttrId>,
    },
    /// `memref<*xf32, 3>`.
    UnrankedMemRef {
        /// The element type.
        element: TypeId,
        /// The memory space, unless it is the default.
        memory_space: Option<AttrId>,
    },
    /// `(i32, f32) -> i1`.
    Function {
        /// The types of the inputs.
        inputs: Box<[TypeId]>,
        /// The types of the results.
        results: Box<[TypeId]>,
    },
    /// `graph<(i32) -> i1>`.
    Graph {
        /// The types of the inputs.
        inputs: Box<[TypeId]>,
        /// The types of the results.
        results: Box<[TypeId]>,
    },
    /// `tuple<i32, f32>`.
    Tuple(Box<[TypeId]>),
    /// A type of a dialect, `!llvm.ptr`.
    Dialect(Verbatim),
}

impl TypeKind {
    /// True for the signless integer type of this width.
    pub fn is_signless(&self, bits: u32) -> bool {
        *self == TypeKind::Integer { width: bits, signedness: Signedness::Signless }
    }

    /// The shape of a ranked shaped type.
    pub fn shape(&self) -> Option<&[i64]> {
        match self {
            TypeKind::Vector { shape, .. }
            | TypeKind::RankedTensor { shape, .. }
            | TypeKind::MemRef { shape, .. } => Some(shape),
            _ => None,
        }
    }

    /// True for vectors, tensors and memrefs, ranked or not.
    pub fn is_shaped(&self) -> bool {
        self.element().is_some() && !matches!(self, TypeKind::Complex(_))
    }

    /// The element type of a shaped or complex type.
    pub fn element(&self) -> Option<TypeId> {
        match *self {
            TypeKind::Vector { element, .. }
            | TypeKind::RankedTensor { element, .. }
            | TypeKind::MemRef { element, .. }
            | TypeKind::UnrankedMemRef { element, .. }
            | TypeKind::UnrankedTensor(element)
            | TypeKind::Complex(element) => Some(element),
            _ => None,
        }
    }

    /// The number of elements of a type with a static shape, at most `u64::MAX`; `None` for other types.
    pub fn element_count(&self) -> Option<u64> {
        self.shape()?
            .iter()
            .try_fold(1u64, |count, &size| Some(count.saturating_mul(u64::try_from(size).ok()?)))
    }
}

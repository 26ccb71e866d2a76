//! An MLIR-shaped IR that stands on its own, and MLIR's text.
//!
//! Specification: what MLIR 22.1's generic form says, this IR holds; what this IR prints,
//! `mlir-opt --mlir-print-op-generic` prints byte for byte.
//!
//! MLIR text and builder calls go in; a [`Module`] over a [`Context`] comes out, and text again. The
//! context holds what is uniqued (types, attributes, locations, names), a module what is mutable
//! (operations, values, blocks, regions). Several modules can share a context.
//!
//! Invariants: ids are `Copy` and 32 bits; within one context, equal things have equal ids;
//! interning takes `&mut Context`, everything else reads. Deliberately absent: multi-threaded
//! interning, dialect hooks in C++ style (a dialect's types and attributes are kept verbatim).

mod affine;
pub(crate) mod as_written;
mod attributes;
mod context;
mod dominance;
mod edit;
mod elements;
mod error;
mod forms;
mod host;
mod module;
pub(crate) mod parse;
mod print;
mod slot;
mod traits;
mod types;
mod verify;
mod walk;

use crate::id::define_ids;

pub use affine::{AffineConstraint, AffineExpr, AffineMap, AffineNode, AffineOp, IntegerSet};
pub use as_written::IrText;
pub use attributes::{AttrKind, LocKind};
pub use context::{AliasTarget, Context, Verbatim, VerbatimRef};
pub use dominance::Dominance;
pub use host::IrHost;
pub use module::{BlockId, Module, OpId, OpSpec, RegionId, ResourceGroup, UseId, ValueDef, ValueId};
pub use parse::{DEPTH_LIMIT, parse_module, parse_part};
pub use print::PrintOptions;
pub(crate) use print::brief;
pub use traits::OpTraits;
pub use types::{DYNAMIC, TypeKind};
pub use verify::{verify, verify_with};

pub use crate::host::{AttrNameId, OpNameId, Signedness};

define_ids! {
    /// A type of a [`Context`].
    pub struct TypeId;
    /// An attribute of a [`Context`].
    pub struct AttrId;
    /// A location of a [`Context`].
    pub struct LocId;
}

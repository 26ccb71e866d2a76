//! An IR with the structure, the text and the byte code of MLIR's IR.
//!
//! Specification: the IR can hold every IR that MLIR 22.1 writes in generic form, and prints the same bytes as
//! `mlir-opt --mlir-print-op-generic`.
//!
//! Input: MLIR text, MLIR byte code and builder calls. Output: a [`Module`] over a [`Context`], and its text or byte
//! code. The context holds uniqued objects (types, attributes, locations, names). A module holds mutable objects
//! (operations, values, blocks, regions). Several modules can share a context.
//!
//! Invariants: ids are `Copy` and have 32 bits (in debug builds, the ids of mutable objects also hold an age, which
//! detects stale ids); within a context, equal objects have equal ids; looking up an object takes `&Context`, and
//! interning an object takes `&mut Context`. Deliberately absent: interning from several threads, and dialect hooks as
//! in C++. The types and attributes of dialects are kept as text, and definitions describe the syntax of this text.

mod affine;
mod aged_id;
mod attributes;
mod blocks;
mod context;
mod define;
mod definitions;
pub mod dialect;
mod dominance;
mod edit;
mod elements;
mod error;
mod evaluator;
mod forms;
mod host;
mod ids;
pub mod mlirbc;
mod module;
pub(crate) mod parse;
mod print;
pub(crate) mod source_text;
#[cfg(test)]
mod tests;
mod traits;
mod types;
mod upstream;
mod verbatim;
mod verify;
mod walk;

pub use affine::{AffineMap, IntegerSet};
pub use attributes::{AttrKind, LocKind};
pub use context::Context;
#[cfg(feature = "frontend")]
pub(crate) use define::PRELUDE_PACK;
pub(crate) use evaluator::Evaluator;
pub use host::IrHost;
pub use ids::{AttrId, LocId, TypeId};
pub use module::{BlockId, Module, OpId, OpSpec, RegionId, UseId, ValueDef, ValueId};
pub use parse::{DEPTH_LIMIT, parse_module};
pub(crate) use parse::{StatedLocs, parse_part, parse_with_positions};
pub use print::PrintOptions;
pub(crate) use print::brief;
pub use source_text::IrText;
pub use traits::OpTraits;
pub use types::{DYNAMIC, TypeKind};
pub(crate) use verbatim::AliasTarget;
pub use verbatim::Verbatim;
pub use verify::{verify, verify_with};

pub(crate) use crate::host::Signedness;

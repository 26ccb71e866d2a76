//! The traits that an IR (a *host*) implements to be matched and rewritten, and the natives that it registers.
//!
//! [`Ir`] reads the IR. [`Facets`] gives the snippet language access to types and attributes. [`Bind`] maps the names
//! and constants of a program to the host's ids when a program is linked. [`IrMut`] changes the IR, and [`Blocks`]
//! reads and changes its regions and blocks. This module knows no particular IR and no rules.
//!
//! The engine relies on these invariants: ids are `Copy`, and two ids are equal exactly if they name the same entity;
//! types and attributes are uniqued; no method that takes `&self` changes the result of another method. Constants are
//! passed to the host as MLIR text (`i32`, `4 : i32`), so that programs are independent of hosts. A host whose types
//! are not those of MLIR decides the meaning of the text.
//!
//! A host is a type parameter, so all calls are static. Accessors return ids instead of references, so a host can keep
//! its storage in a `RefCell`.

pub mod arg;
mod blocks;
mod broadcast;
mod changes;
mod commit;
mod entity;
mod facets;
mod hooks;
mod ir;
mod listener;
#[cfg(test)]
pub(crate) mod mock;
mod natives;
mod numbered;
mod overload;
mod rewriter;
mod structural;

pub use blocks::{Blocks, Edge, InsertionPoint, move_blocks};
pub(crate) use blocks::{add_inner_blocks, arg_place, args_of, blocks_of, blocks_within, ops_of, regions_of};
pub(crate) use broadcast::broadcast_shape;
pub(crate) use changes::{Changes, Mark};
pub(crate) use entity::{ANY_KIND, show_signature};
pub use entity::{Entity, Kind, Signature};
pub use facets::{AttrKind, AttrSpec, ElementValue, Facets, Signedness, TypeKind, TypeSpec};
pub(crate) use hooks::{CreatedFold, Hooks, InferFn};
pub use hooks::{Folded, NewOp};
pub use ir::{
    Arity, AttrNameId, Bind, Effects, Handle, Ir, IrMut, NamedAttr, OpNameId, OpProperties, OpSignature,
    OpState, Refusal, Region, WalkOrder,
};
pub(crate) use ir::{MAX_REGIONS, users_of, uses_of};
pub(crate) use listener::{Both, forward_listener, notify_erased};
pub use listener::{Listener, NoListener};
pub use natives::Natives;
pub(crate) use numbered::{BlockNumber, BlockTable, NumberedPoint, Readable};
pub use numbered::{NumberedBlocks, number_blocks};

pub use crate::id::Id;
pub use crate::number::{ApFloat, ApInt, FloatFormat};
pub(crate) use commit::{Erasures, Set, Structural, check_structure};
pub(crate) use natives::{ConstraintFn, RewriteFn};
pub(crate) use overload::{DependsOn, Overload, Overloads, show_signatures};
pub(crate) use rewriter::Journal;
pub use rewriter::Rewriter;

//! What an IR implements to be matched and rewritten, and the natives it registers.
//!
//! [`Ir`] is all that matching needs; [`Facets`] lets the snippet language look into types and
//! attributes; [`Bind`] turns a program's names and constants into the host's ids, once, when a
//! program is linked; [`IrMut`] is what rewriting needs. Nothing here knows any IR or any rule.
//!
//! Invariants the engine relies on: ids are `Copy` and compare equal exactly when they name the
//! same thing; types and attributes are uniqued (equal means same id); nothing that takes `&self`
//! changes an answer. Constants cross the boundary as MLIR text (`i32`, `4 : i32`), so a host
//! with types of its own decides what that text means to it, and a program stays independent of
//! every host.
//!
//! All calls are static: a host is a type parameter, and accessors return ids by index, never
//! references, so hosts that guard their storage with borrows fit as well.

pub mod arg;
mod facets;
mod hooks;
mod ir;
mod listener;
#[cfg(test)]
pub(crate) mod mock;
mod natives;
mod rewriter;

pub use facets::{AttrKind, AttrSpec, ElementValue, Facets, Signedness, TypeKind, TypeSpec};
pub use hooks::{Effects, Folded, NewOp};
pub(crate) use hooks::{Hooks, InferFn};
pub use ir::{
    Arity, AttrNameId, Bind, Handle, Ir, IrMut, NamedAttr, OpNameId, OpSignature, OpState, Refusal, WalkOrder,
};
pub(crate) use listener::{Both, notify_erased};
pub use listener::{Listener, NoListener};
pub(crate) use natives::{ConstraintFn, RewriteFn, show_signature};
pub use natives::{Entity, Kind, Natives, Signature};
pub(crate) use rewriter::Journal;
pub use rewriter::Rewriter;

//! Typed expressions of the snippet language: what rules compute, without C++.
//!
//! Specification: evaluating a snippet gives what the C++ text it was read from gives in MLIR 22.1.
//!
//! Snippets are data: expressions in one arena, made through a [`Builder`] that checks their types,
//! stored in a program, linked to a host's natives and names, and evaluated over its
//! [`Facets`](crate::host::Facets). What can be called is one table. Evaluation is bounded in steps
//! and depth and never panics: what is undefined in C++ (a null dereference, a bad cast, signed
//! overflow) is a [`Refusal`](crate::host::Refusal) with the reason.

mod body;
mod build;
mod builtin;
mod carry;
mod classes;
mod eval;
mod expr;
mod scan;
mod ty;
mod type_error;
mod wire;

use crate::id::define_ids;

pub use body::{Absent, Body, BodyParam, BodyPart, ParamKind};
pub use build::{Builder, EnumForm, PropertyTy, Typed};
pub use builtin::Builtin;
#[cfg(feature = "frontend")]
pub(crate) use builtin::{Arg, Gives, On, ROWS, Row};
pub(crate) use classes::Alternatives;
#[cfg(feature = "frontend")]
pub(crate) use classes::BUILTIN_INTERFACES;
pub use eval::{Linked, Misfit};
pub use expr::{
    BinaryOp, CastMode, Class, ClassKind, Enum, EnumCase, ExprId, GroupRef, Member, NativeId, NativeUse,
    ObjectClass, Param, Plan, PlanArg, PlanId, PlanResults, Snippet, SnippetResult, Snippets,
};
pub use ty::{AttrClass, ClassId, EnumId, Form, IntTy, Item, Ty, TypeClass};
pub use type_error::TypeError;

define_ids! {
    /// A snippet of a [`Snippets`] table.
    pub struct SnippetId;
}

//! Snippets as data: static types, built-in operations, expressions, and the table that holds them.

mod body;
mod builtin;
mod expr;
mod table;
mod types;

pub(super) use body::split_group;
pub(crate) use body::{Body, BodyParam, BodyPart, ParamDefault, ParamKind};
pub(crate) use builtin::Builtin;
pub(crate) use builtin::Group;
pub(crate) use expr::{BinaryOp, CastMode, ExprId, GroupRef, LocalId, Member, NativeId, ObjectClass, PlanId};
pub(crate) use expr::{DEPTH_LIMIT, Expr, ExprList, TruthBy};
pub(crate) use table::{
    Class, ClassKind, Enum, EnumCase, NativeUse, Param, Plan, PlanArg, PlanResults, Snippet, SnippetId,
    SnippetResult, Snippets,
};
pub(crate) use types::BUILTIN_INTERFACES;
pub(crate) use types::{AttrClass, ClassId, EnumId, Form, IntTy, Item, Ty, TypeClass};

//! Snippets as data: static types, built-in operations, expressions, and the table that holds them.

mod body;
mod builtin;
mod cases;
mod expr;
mod float_step;
mod table;
mod types;

pub use body::ParamKind;
pub(super) use body::split_group;
pub(crate) use body::{Body, BodyParam, BodyPart, ParamDefault};
pub(crate) use builtin::Builtin;
pub(crate) use builtin::Group;
pub(super) use cases::Cases;
#[cfg(feature = "ir")]
pub(crate) use cases::entries_of;
pub(crate) use expr::{
    BinaryOp, CastMode, ExprId, FoldTraits, FunctionId, GroupRef, LocalId, Member, NativeId, ObjectClass,
    PlanId, Update,
};
pub(crate) use expr::{DEPTH_LIMIT, Expr, ExprList, TruthBy};
pub(crate) use float_step::FloatStep;
pub use table::Snippets;
pub(crate) use table::{
    CONVERSION_TO_BOOL, Class, ClassKind, Enum, EnumCase, Function, NativeUse, Param, Plan, PlanArg,
    PlanResults, Snippet, SnippetId, SnippetResult, TupleKind, WrittenArg,
};
pub(crate) use types::BUILTIN_INTERFACES;
pub use types::Ty;
pub(crate) use types::{
    AttrClass, ClassId, EnumId, Form, IntTy, Item, SourceEnum, TextAttrClass, TupleId, TypeClass,
};

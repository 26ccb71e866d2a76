//! The snippet language: typed expressions that rules compute with, instead of C++ code.
//!
//! Specification: a snippet that was read from C++ text evaluates to the result that this text has in MLIR 22.1.
//!
//! A snippet is data: expressions in an arena, built through a [`Builder`] that checks types, stored in a program,
//! linked to the natives and names of a host ([`Linked`]), and evaluated over the host's
//! [`Facets`](crate::host::Facets). The library is the table of the built-in functions and methods. Evaluation is
//! bounded in steps and in depth and never panics. Undefined behaviour of C++ (a null dereference, a bad cast, signed
//! overflow) becomes a [`Refusal`](crate::host::Refusal) with the reason.
//!
//! Each of these modules uses only modules that precede it in this list: `data`, `library`, `text`, `build`, `wire`,
//! `copy`, `exclusion`, `relation`, `solve`, `facets`, `evaluate`.

#[cfg(feature = "frontend")]
mod build;
mod copy;
pub(crate) mod data;
mod evaluate;
#[cfg(feature = "frontend")]
mod exclusion;
mod facets;
mod library;
#[cfg(all(feature = "frontend", feature = "report"))]
mod relation;
mod solve;
mod text;
mod wire;

#[cfg(feature = "frontend")]
pub(crate) use build::{Builder, EnumForm, PropertyTy, TypeError, Typed};
#[cfg(feature = "frontend")]
pub(crate) use data::FloatStep;
pub(crate) use data::SnippetId;
pub use data::Snippets;
#[cfg(feature = "ir")]
pub(crate) use data::entries_of;
pub(crate) use data::{
    AttrClass, BUILTIN_INTERFACES, BinaryOp, Body, BodyParam, BodyPart, Builtin, CONVERSION_TO_BOOL,
    CastMode, Class, ClassId, ClassKind, EnumId, ExprId, FoldTraits, Form, FunctionId, GroupRef, IntTy, Item,
    LocalId, Member, ObjectClass, Param, ParamDefault, Plan, PlanArg, PlanId, PlanResults, SnippetResult,
    SourceEnum, TypeClass, Update, WrittenArg,
};
pub use data::{ParamKind, Ty};
pub use evaluate::Linked;
pub(crate) use evaluate::{Dependency, ExhaustedSnippets, Exhaustion, FailedRewrites, UndecidedTests};
#[cfg(feature = "frontend")]
pub(crate) use exclusion::Alternatives;
pub(crate) use facets::FacetKind;
#[cfg(feature = "prove")]
pub(crate) use library::apint_method;
#[cfg(all(feature = "frontend", feature = "fuzzing"))]
pub(crate) use library::{Arg, ROWS, Receiver, Returns, Row};
#[cfg(all(feature = "frontend", feature = "report"))]
pub(crate) use relation::Fact;
pub(crate) use solve::Solutions;
pub(crate) use text::{BodyPiece, boolean_of, integer_of};
#[cfg(feature = "ir")]
pub(crate) use wire::Standalone;

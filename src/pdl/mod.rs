//! The intermediate form every front end lowers to: per rule, what to match and what to do.
//!
//! Specification: a rule matches an operation iff the reference matcher says so.
//!
//! Rules of any origin go in through the builder; verified [`Pattern`]s come out, in rule-list
//! order, with the [`OpTable`] of the operations they speak of. Deliberately absent: how rules are
//! compiled, and anything of TableGen, ODS or C++: those are front ends' business, gone by now.

mod advice;
mod benefits;
mod branching;
mod builder;
mod error;
pub(crate) mod extension;
mod form;
mod link;
mod op_table;
mod order;
mod print;
#[cfg(any(test, feature = "frontend"))]
pub(crate) mod random;
mod reference;
mod roots;
mod select;
mod verify;
mod wire;

pub use advice::{cycles, retyping_replacements, unused_symbols};
#[cfg(feature = "frontend")]
pub(crate) use benefits::Benefit;
pub use benefits::Choice;
pub use builder::{CreateBuilder, OpBuilder, PatternBuilder};
pub(crate) use error::shown_name;
#[cfg(feature = "cli")]
pub(crate) use error::unknown_rule;
pub use form::{
    Arg, AttrEdge, Call, Callee, Constant, CreateOp, GroupSplit, LocalId, LocationSpec, MatchPart, Node,
    NodeId, OperandGroup, OperationNode, Origin, Pattern, PatternId, Presence, Replacement, ResultTypes,
    RewritePart, RuleSet, Source, Step, ValueSource,
};
pub use link::{Linker, MissingNative, NativeCall, NativeRole, missing_natives};
pub use op_table::{
    Arity, AttrDef, Check, Constraint, Count, OpDef, OpDefId, OpTable, RegionDef, Segments, Trait,
    TypeRecipe, ValueDef,
};
pub use print::{print, print_pattern};
pub use reference::{Match, ReferenceMatcher};
pub use roots::Climb;
pub(crate) use select::unwanted;
#[cfg(feature = "frontend")]
pub(crate) use verify::verify_rule;
pub use verify::{VerifiedRules, verify_pattern};

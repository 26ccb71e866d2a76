//! The rule form: the match part and the rewrite part of each rule.
//!
//! Specification: a rule matches an operation if and only if the reference matcher finds a match at the operation.
//!
//! Every front end lowers to this form. A [`RuleSet`] contains the rules in rule-list order and the definitions of
//! operations ([`OpTable`]). [`RuleSet::verify`] returns the [`VerifiedRules`], which the later stages take. This
//! module depends neither on TableGen, ODS and C++ nor on the compilation of rules.

mod advice;
mod benefits;
mod branching;
mod builder;
mod commute;
mod constants;
mod error;
pub(crate) mod extension;
mod link;
pub(crate) mod match_part;
mod op_table;
mod plain;
pub(crate) mod print;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod random;
pub(crate) mod reference;
mod references;
pub(crate) mod rewrite_part;
mod roots;
mod rule_set;
mod select;
pub mod term;
mod verify;
mod wire;

pub(crate) use advice::{retyping_replacements, unused_symbols};
#[cfg(feature = "frontend")]
pub(crate) use benefits::Benefit;
pub use builder::{CreateBuilder, OpBuilder, PatternBuilder};
pub(crate) use constants::ConstantValues;
#[cfg(feature = "ir")]
pub(crate) use constants::{ConstantUse, RefusedConstant, refused_constants};
pub(crate) use error::shown_name;
#[cfg(feature = "report")]
pub(crate) use error::unknown_rule;
pub(crate) use link::{Caller, Linker};
pub use link::{MissingNative, NativeCall, NativeRole, missing_natives, rank_missing};
pub use match_part::{Arg, Constant, GroupSplit, NodeId};
pub(crate) use match_part::{
    AttrEdge, Call, Callee, MatchPart, Node, OperandGroup, OperationNode, Presence, ValueSource,
};
pub(crate) use op_table::{Arity, AttrDef, Check, Constraint, Count, RegionDef, Segments, TypeRecipe};
pub use op_table::{OpDef, OpTable, Trait, ValueDef};
pub(crate) use plain::is_plain;
pub use print::print;
pub(crate) use reference::{Match, ReferenceMatcher};
pub(crate) use rewrite_part::{CreateOp, LocationSpec, Replacement, ResultTypes, RewritePart, Step};
pub use rewrite_part::{LocalId, Source};
pub(crate) use roots::Climb;
pub use rule_set::{Origin, Pattern, PatternId, RuleSet};
pub(crate) use select::{Selection, unwanted};
pub use verify::VerifiedRules;
#[cfg(feature = "ir")]
pub(crate) use verify::verify_rule;

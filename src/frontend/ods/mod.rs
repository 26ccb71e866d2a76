//! ODS: the dialects, operations, constraints, attributes, types and enums that `.td` records define.
//!
//! Specification: the name, C++ class, arguments, results, traits and inferred result types of an operation are those
//! that `mlir-tblgen` 22.1 generates code for.
//!
//! Input: [`Records`](crate::frontend::tablegen::Records). Output: [`Definitions`], which rules refer to, and which
//! fill the op table of the rule form. A record with errors has no definition. Its errors are kept, and are reported
//! when a rule uses the record, or all together by [`Definitions::errors`].
//!
//! Invariants: definitions are in the order of their records. This module does not depend on the modules that lower
//! rules. Names are borrowed from the records, except the full names of operations.
//!
//! Method: one pass over the records of each class. Predicates are composed as text, because combinators such as
//! `SubstLeaves` and `Concat` are defined on text. They are composed only when they are needed.
//!
//! Source: MLIR's "Operation Definition Specification", and the behaviour of `mlir-tblgen` where the specification is
//! silent.

mod default_form;
mod effects;
mod error;
mod fields;
mod format;
mod format_lexer;
mod infer;
mod inline;
mod interface;
mod lookup;
mod markdown;
mod model;
mod names;
mod old_names;
mod op_format;
mod predicate;
mod print;
mod read;
mod traits;

pub(in crate::frontend) use infer::SELF;
pub(crate) use inline::{returned_expression, without_comments};
pub use markdown::markdown;
pub(crate) use model::{
    Arg, ArgKind, AttrSpec, Attribute, Builder, BuilderParam, DefParam, Definition, Enum, Interface,
    InterfaceKind, OpId, Property, Recipe, RegionOrSuccessor, Sizes, ValueSpec,
};
pub use model::{Definitions, DialectId, Op};
pub use names::accessor_name;
pub use old_names::advise;
pub use op_format::{OpFormat, TypeOrigin, TypePlace};
pub use print::{print, print_dialect};
pub use read::read;
pub(crate) use read::{attr_spec, property_spec};
pub(crate) use traits::{TraitKind, cxx_trait, trait_kind};

//! ODS: what `.td` records say of dialects, operations, constraints, attributes, types and enums.
//!
//! Specification: an operation is understood as `mlir-tblgen` of MLIR 22.1 understands it: the same
//! name, C++ class, arguments, results, traits and inferred result types.
//!
//! [`Records`](crate::frontend::tablegen::Records) go in; [`Definitions`] come out, which the rules are read against and which fill the
//! neutral op table. A record that cannot be understood is kept with its errors: they are reported
//! when a rule uses it, or all together by [`Definitions::errors`].
//!
//! Invariants: definitions are in the order of their records; nothing here knows rewriting; names
//! are borrowed from the records.
//!
//! Method: one pass over the records of each class; predicates are composed as text, since
//! combinators such as `SubstLeaves` and `Concat` are defined on text, and only when asked for.
//!
//! Source: MLIR's "Operation Definition Specification"; where it is silent, what the tool does.

mod error;
mod fields;
mod format;
mod infer;
mod inline;
mod interface;
mod lookup;
mod markdown;
mod model;
mod names;
mod old_names;
mod predicate;
mod print;
mod read;
mod traits;

pub use inline::without_comments;
pub use markdown::markdown;
pub use model::{
    Arg, ArgKind, AttrSpec, Attribute, Builder, BuilderParam, DefId, DefParam, Definition, Definitions,
    Dialect, DialectId, Enum, EnumCase, EnumId, Interface, InterfaceKind, Method, Op, OpId, Property, Recipe,
    RegionOrSuccessor, Sizes, ValueSpec,
};
pub use names::accessor_name;
pub use old_names::advise;
pub use print::{print, print_dialect};
pub use read::{attr_spec, property_spec, read};
pub use traits::{TraitKind, trait_kind};

//! Lowers DRR rules (`Pattern` records) to the rule form.
//!
//! Specification: a rule matches and rewrites like the C++ that `mlir-tblgen -gen-rewriters` of MLIR 22.1 generates for
//! it, and rules have the same order; `docs/RULES.md` lists the few differences. An error of the generator, or of the
//! C++ compiler in the generated code, is an error here.
//!
//! Input: records and their ODS definitions. Output: [`Pattern`](crate::pdl::Pattern)s in the order of `mlir-tblgen`,
//! appended to a [`RuleSet`](crate::pdl::RuleSet) with their snippets and the operation table. One run reports all
//! errors. Rules without errors are appended even if others have errors.
//!
//! Method: `source` lowers the source pattern to a match graph and binds its symbols, and `constraint` adds the
//! constraints. `result` resolves the symbols of the result patterns to a plan, `infer` finds the kinds of native
//! results from their uses, `create` lowers the plan to rewrite steps, and `return_types` computes the result types
//! that C++ infers. `cpp` compiles C++ texts to snippets, and `fold` replaces constant snippets by MLIR text. A
//! predicate or native call outside the snippet language becomes a native with the name of its record.
//!
//! Source: MLIR's "Table-driven Declarative Rewrite Rule", and the behaviour of the generator.

mod adaptor;
mod builder;
mod builder_body;
mod classes;
mod constraint;
mod cpp;
mod create;
mod dag;
mod error;
mod expressions;
mod fold;
mod generated;
mod graph;
mod helper;
mod infer;
mod lower;
mod names;
mod order;
mod plan;
mod resolve;
mod result;
mod return_types;
mod session;
mod source;
mod steps;
mod symbols;
mod table;
mod types;
mod value;
mod words;

pub(super) use builder_body::has_simple_body;
pub(crate) use expressions::Expressions;
#[cfg(any(test, feature = "fuzzing"))]
pub use lower::lower;
pub(crate) use lower::{fill, load};

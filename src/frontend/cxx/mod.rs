//! Compiles the C++ text of rules and definitions, and functions of C++ files, to snippets.
//!
//! Specification: [`compile`] returns a snippet with the value that the C++ expression has in the code that
//! `mlir-tblgen` 22.1 generates around it.
//!
//! Input: text with spans. Output: a type-checked [`Snippet`](crate::snippet::Snippet). The text is lexed and parsed
//! into a tree of expressions and statements. `lower` then assigns types bottom-up with the builder of `snippet`.
//! `lower` handles some functions of C++ and LLVM itself. A call of any other function resolves, in this order, to a
//! helper (from `--helpers`, from a definition, or from `function/library.h`), to a definition of the [`Resolver`]
//! (generated accessors, classes, enumerations), to a built-in function, or to a native that the host registers under
//! the C++ name. If a native has the name of a built-in function, linking replaces the built-in function by the native.
//! This module does not depend on TableGen.

mod ast;
mod error;
mod function;
mod lex;
mod lower;
mod parse;
mod request;
mod resolve;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use function::{AmbiguousName, Expanded, InferringOp, build_op, expand_macros, infer_types};
pub use function::{Functions, Helpers};
pub(super) use lower::classes::int_type;
pub use lower::compile;
pub(crate) use lower::to_kind;
pub(crate) use request::{ClassInCxx, Failure};
pub use request::{Expected, Placeholder, Request};
pub use resolve::NoResolver;
pub(crate) use resolve::{AdaptorCheck, EnumFunction, InlineBody, InlineResult, Named, Resolver, Setter};
pub use text::Text;
pub(crate) use text::Variable;

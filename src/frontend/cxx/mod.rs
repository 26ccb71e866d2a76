//! The C++ text inside rules, read into snippets.
//!
//! Specification: [`compile`] gives the snippet that, evaluated, gives what the C++ expression gives
//! in the code that `mlir-tblgen` 22.1 generates around it.
//!
//! Text with spans goes in, a checked [`Snippet`](crate::snippet::Snippet) comes out. The text is
//! lexed, parsed into a tree (`parse`: expressions, lambdas, the few statements that are expressions
//! in disguise), then given types bottom-up by the builder of `snippet` (`lower`). A call resolves,
//! in this order, to what the [`Resolver`] knows (generated accessors, classes, enumerations), to a
//! built-in, to a native that the host registers under the C++ name. A native of a built-in's name
//! wins when a program is linked. Nothing here knows TableGen.

mod ast;
mod error;
mod lex;
mod lower;
mod parse;
mod resolve;
#[cfg(test)]
mod tests;
mod text;

pub use lower::compile;
pub use resolve::{EnumFunction, Inline, Named, NoResolver, Resolver};
pub use text::Text;

use crate::host::Kind;
use crate::snippet::{PropertyTy, Ty};
use crate::source::Diagnostic;

/// What a name in the text stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// `$_self`, `$0`, `$lhs`, or a plain name.
    pub name: String,
    /// Its static type.
    pub ty: Ty,
    /// Whether the snippet binds it instead of being given it.
    pub out: bool,
}

impl Placeholder {
    /// Something that the snippet is given.
    pub fn new(name: impl Into<String>, ty: Ty) -> Self {
        Self { name: name.into(), ty, out: false }
    }
    /// Something that the snippet binds.
    pub fn output(name: impl Into<String>, ty: Ty) -> Self {
        Self { name: name.into(), ty, out: true }
    }
}

/// What a snippet must give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// True or false, or success or failure: it is asked while matching.
    Predicate,
    /// One thing of any type.
    Any,
    /// One thing of this kind.
    Kind(Kind),
    /// The attribute that keeps such a property.
    Property(PropertyTy),
    /// This many things, from one native.
    Many(u32),
    /// Nothing: it is called for what it does.
    Nothing,
}

/// What the text is read against.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// What names stand for; the parameters of the snippet, in this order.
    pub params: &'a [Placeholder],
    /// What it must give.
    pub expected: Expected,
    /// What is known of operations, dialects' classes and enumerations.
    pub resolver: &'a dyn Resolver,
}

/// Why there is no snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The text is not in the expression language: it can be one native, named by its record.
    Outside(Diagnostic),
    /// The text is wrong.
    Wrong(Diagnostic),
}

impl Failure {
    /// What to tell the user.
    pub fn into_diagnostic(self) -> Diagnostic {
        match self {
            Failure::Outside(d) | Failure::Wrong(d) => d,
        }
    }
}

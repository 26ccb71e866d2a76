//! The builder of snippets, which checks types.
//!
//! Specification: the builder applies the type rules of C++ to the constructs that rules use: the usual arithmetic
//! conversions, contextual conversion to `bool`, implicit upcasts, and no implicit downcasts. An expression of unknown
//! type ([`Item::Unknown`](super::Item::Unknown)), such as the result of a native, is accepted everywhere, and
//! evaluation checks it.
//!
//! A front end calls a method for each construct that it reads. The method adds an expression to the arena and returns
//! it with its type, or a [`TypeError`].

mod builder;
mod calls;
mod convert;
mod enums;
mod error;
mod operators;
mod signed;
mod statements;

pub(crate) use builder::{Builder, Typed};
pub(crate) use enums::{EnumForm, PropertyTy};
pub(crate) use error::TypeError;

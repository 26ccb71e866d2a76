//! The evaluator of snippets over a host.
//!
//! [`Linked`] holds the results of linking, and has the entry points. An evaluation is bounded in steps and in depth
//! and never panics: a null dereference, a cast to the wrong class, an integer division by zero, signed overflow and
//! other undefined behaviour of C++ give a [`Refusal`](crate::host::Refusal). Running out of steps gives a refusal as
//! well.
//!
//! The code for arithmetic and affine maps does not depend on the type of the host, so it is compiled only once.

mod access;
mod affine;
mod algorithms;
mod arithmetic;
mod attrs;
mod blocks;
mod budget;
mod classes;
mod coerce;
mod compiled;
mod convert;
mod entity;
mod entry;
mod enums;
mod error;
mod evaluator;
mod failed;
mod inspect;
mod interfaces;
mod ir;
mod link;
mod linked;
mod number;
mod params;
mod predicate;
mod ranges;
mod run;
mod statements;
mod strings;
mod types;
mod undecided;
mod value;

pub(crate) use budget::{ExhaustedSnippets, Exhaustion};
pub(crate) use failed::FailedRewrites;
pub use linked::Linked;
pub(crate) use predicate::Dependency;
pub(crate) use undecided::UndecidedTests;

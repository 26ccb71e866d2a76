//! An automaton-compiled pattern matcher for compiler IRs.

pub mod bytecode;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "frontend")]
pub mod compile;
#[cfg(feature = "frontend")]
pub mod frontend;
#[cfg(feature = "frontend")]
#[doc(hidden)]
pub mod fuzzing;
pub mod host;
pub mod id;
pub mod intern;

#[cfg(feature = "ir")]
pub mod ir;
pub mod matcher_tree;
pub mod natives;
pub mod number;
pub mod pdl;
pub mod rewrite;
pub mod snippet;
pub mod source;
pub mod vm;

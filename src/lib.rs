//! An automaton-compiled pattern matcher for compiler IRs.

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "frontend")]
pub mod frontend;
pub mod host;
pub mod id;
pub mod intern;
pub mod number;
pub mod pdl;
pub mod rewrite;
pub mod snippet;
pub mod source;

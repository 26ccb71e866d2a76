//! An automaton-compiled pattern matcher for compiler IRs.

pub mod host;
pub mod id;
pub mod intern;
pub mod pdl;
pub mod snippet;
pub mod source;

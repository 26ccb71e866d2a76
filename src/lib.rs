//! An automaton-compiled pattern matcher for compiler IRs.

pub mod id;
pub mod source;

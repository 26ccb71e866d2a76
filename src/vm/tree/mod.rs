//! The tree engine: interpreters for the match code and the rewrite code of a program.
//!
//! `run` interprets match code and `rewrite` interprets rewrite code. Both read positions through `eval`, which
//! follows paths from the root. `scratch` is the memory that one thread reuses, and `locals` holds the results of a
//! rewrite's steps.

pub(in crate::vm) mod eval;
mod locals;
pub(in crate::vm) mod rewrite;
pub(in crate::vm) mod run;
pub(in crate::vm) mod scratch;

//! The tree engine: interpreters for the match code and the rewrite code of a program.
//!
//! `run` interprets match code and `rewrite` interprets rewrite code. Both read positions through `eval`, which
//! follows paths from the root. `scratch` is the memory that one thread reuses, and `locals` holds the results of a
//! rewrite's steps.

mod eval;
mod locals;
mod matcher;
mod rewrite;
mod run;
mod scratch;

pub use matcher::Matcher;
pub(super) use rewrite::Bound;
pub use rewrite::Preview;
pub(super) use run::Trace;
pub use scratch::Scratch;

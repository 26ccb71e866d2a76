//! Drivers: which operation is tried next, and when to stop.
//!
//! Specification: [`apply_greedily`] visits and rewrites as MLIR's `applyPatternsGreedily` does,
//! [`apply_in_walk`] as `walkAndApplyPatterns`. An [`Engine`](crate::vm::Engine) goes in;
//! the changed IR and a [`Report`] come out.
//!
//! Invariants: every loop has a bound, and when it is hit the report says which rules keep firing;
//! the order of visits depends on nothing but the IR and the rules; an operation is never tried
//! after it was erased. Deliberately absent: simplification of regions, which no rule states.

mod constants;
mod fold;
mod greedy;
mod op_facts;
#[cfg(feature = "parallel")]
mod par_walk;
mod report;
mod walk;
mod worklist;

pub use greedy::{Config, Strictness, Traversal, apply_greedily, apply_greedily_to};
#[cfg(feature = "parallel")]
pub use par_walk::par_walk;
pub use report::{Limit, NotConverged, Report};
pub use walk::apply_in_walk;

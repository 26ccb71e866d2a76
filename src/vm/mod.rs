//! Runs programs on a host: finds the rules that match, and rewrites.
//!
//! Specification: a [`Matcher`] finds the same matches, in the same order, as the reference matcher finds for the rules
//! from which the program was compiled.
//!
//! [`Matcher::link`] links a [`Program`](crate::Program) to a host: it binds names, constants and natives once. A
//! matcher is immutable and shared between threads. Each thread reuses one [`Scratch`], so that matching with the tree
//! allocates almost no memory, except in natives and in expressions that compute strings, ranges, types or attributes.
//! Matches are found one at a time, on demand. If a rewrite fails, the IR is unchanged.
//!
//! From the bottom up: `linked.rs` has the tables of a linked program, and `link/` fills them; `tree/` matches with the
//! decision tree and rewrites; `engine.rs` is the interface of all engines, and `automaton/`, `reference.rs` and
//! `layers/` implement it; `explain/` explains why a rule does not match.

mod automaton;
mod budget;
mod engine;
mod explain;
mod failed;
pub(crate) mod layers;
mod link;
mod linked;
mod reference;
#[cfg(test)]
mod tests;
mod tree;
mod undecided;

pub use automaton::{Automaton, AutomatonCache};
pub use engine::{Engine, Outcome};
pub use explain::{Explanation, NearMiss, Observed, Progress, Step, Survey};
pub use layers::{CostModel, NonRecursive, Profile, Profiler, RuleProfile};
#[cfg(feature = "cli")]
pub(crate) use layers::{Log, LoggingEngine};
pub use link::{LinkError, LinkOptions, SignatureDifference};
pub use reference::Reference;
pub use tree::{Matcher, Preview, Scratch};

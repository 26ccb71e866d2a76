//! Running programs.
//!
//! Specification: a [`Matcher`] finds what the reference matcher finds in the rules that its program
//! was compiled from, in the same order.
//!
//! [`Matcher::link`] links a [`Program`] to a host: it binds names, constants and natives once. A matcher is
//! immutable and shared between threads. Each thread has its own [`Scratch`]; once this is warm, matching allocates
//! only what natives allocate, and what [snippets](crate::snippet) compute that is not a number or an id: strings,
//! ranges, new types and attributes. Matches are found one at a time, on demand; none are collected or sorted. Applying
//! a rule changes the IR completely or not at all.
//!
//! Method: an interpreter over 32-bit words (`tree/run.rs`). Rare questions are answered by following paths from the root
//! (`tree/eval.rs`).

mod automaton;
mod engine;
mod explain;
mod layers;
mod link;
mod linked;
mod reference;
#[cfg(test)]
mod tests;
mod tree;

pub use automaton::{Automaton, AutomatonCache};
pub use engine::{Engine, Outcome};
pub use explain::{Explanation, Found, Near, Progress, Step, Survey};
pub use layers::{
    CostModel, CostModelCache, Log, LoggingEngine, NonRecursive, NonRecursiveCache, Profile, ProfileCache,
    Profiler, RuleProfile,
};
pub use link::{LinkError, LinkOptions, SignatureDifference};
pub use reference::{Reference, ReferenceCache};
pub use tree::{Matcher, Preview, Scratch};

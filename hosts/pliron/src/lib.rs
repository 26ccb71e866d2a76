//! pliron's IR as a host: rules match and rewrite its operations in place.
//!
//! Specification: what the engine does to the built-in IR it does to pliron's. Operations, values and types
//! are pliron's own ids. Its attributes and locations are objects, compared by value: the host numbers
//! those that it meets, so that equal ones have one number.
//!
//! Operations of pliron are Rust types. A rule can match any of them by name (`llvm.add`), and make those that
//! were [registered](PlironHost::register). What a rule makes is verified as pliron verifies it; what pliron
//! rejects is a refusal, and the rewrite is undone.

mod facets;
mod host;
mod numbered;
mod text;

pub use host::{AttrId, LocationId, PlironHost, UseId};

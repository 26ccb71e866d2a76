//! Natives that well-known rule files call, for any host that can look into its attributes.
//!
//! Specification: each does what the C++ helper of its name does in MLIR 22.1; what that helper
//! asserts is a refusal, or a constraint that does not hold.

mod arith;

pub use arith::arith;

use crate::host::{Facets, Natives};

/// All of them: what the command line has registered.
pub fn all<H: Facets>() -> Natives<H> {
    arith()
}

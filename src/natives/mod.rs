//! Rust versions of the helper functions that well-known rule files call, for any host that can inspect its
//! attributes.
//!
//! Specification: a native behaves like the C++ function with the same name in MLIR 22.1. If an assertion of the C++
//! function would fail, a native rewrite refuses, and a native constraint does not hold.

mod arith;

#[cfg(feature = "prove")]
pub(crate) use arith::INVERSE;
pub use arith::arith;

use crate::host::{Facets, Natives};

/// All natives of this module, which the command line registers.
///
/// ```
/// use drrvm::{Natives, ir::IrHost, natives};
/// // The natives of the crate, and one more.
/// let natives = natives::all::<IrHost>().with(Natives::new().constraint("always", |_: &IrHost| true));
/// ```
pub fn all<H: Facets>() -> Natives<H> {
    arith()
}

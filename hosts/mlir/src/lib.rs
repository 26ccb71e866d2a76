//! MLIR's own IR as a host: rules match and rewrite modules of an MLIR context through its C interface.
//!
//! Specification: what the engine does to the built-in IR it does to MLIR's. Nothing is copied: ids are
//! MLIR's own pointers, types and attributes are MLIR's uniqued ones, and what rules make, MLIR makes.
//! Where MLIR 22 is not installed this package is empty.
//!
//! Source: MLIR 22.1's C interface (`mlir-c/IR.h`, `BuiltinTypes.h`, `BuiltinAttributes.h`, `Rewrite.h`).

#[cfg(mlir)]
mod capi;
#[cfg(mlir)]
mod facets;
#[cfg(mlir)]
mod host;
#[cfg(mlir)]
mod native;

#[cfg(mlir)]
pub use host::MlirHost;
#[cfg(mlir)]
pub use native::MlirPatterns;

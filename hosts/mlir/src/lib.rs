//! MLIR's own IR as a host: rules match and rewrite the modules of an MLIR context through its C interface.
//!
//! Specification: the engine behaves on MLIR's IR as on the built-in IR. Nothing is copied: ids are MLIR's
//! pointers, types and attributes are uniqued by MLIR, and MLIR creates new operations. Without MLIR 22, this
//! package is empty.
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

//! drrvm inside MLIR: rules match and rewrite MLIR's own operations.
//!
//! Specification: the engine behaves on MLIR's IR as on the built-in IR. Nothing is copied: ids are the addresses of
//! MLIR's objects, types and attributes are uniqued by MLIR, and MLIR creates new operations. Without MLIR 22.1, this
//! package is empty.
//!
//! From the bottom up: `capi.rs` declares functions of MLIR's C interface; `layout.rs` reads operations and values;
//! `bridge.rs` calls the C++ side (`src/cpp`); `host.rs`, `facets.rs` and `blocks.rs` implement drrvm's traits;
//! `natives.rs` calls natives in C++; `profiling.rs` writes profiles; `rules.rs` has the patterns that MLIR's drivers
//! call; and `exports.rs` has the functions that C++ calls.

#[cfg(mlir)]
mod blocks;
#[cfg(mlir)]
mod bridge;
#[cfg(mlir)]
mod capi;
#[cfg(mlir)]
mod exports;
#[cfg(mlir)]
mod facets;
#[cfg(mlir)]
mod foreign;
#[cfg(mlir)]
mod host;
#[cfg(mlir)]
mod layout;
#[cfg(mlir)]
mod module;
#[cfg(mlir)]
mod names;
#[cfg(mlir)]
mod natives;
#[cfg(mlir)]
mod owned;
#[cfg(mlir)]
mod profiling;
#[cfg(mlir)]
mod rules;
#[cfg(mlir)]
mod slots;

#[cfg(mlir)]
pub use host::MlirHost;

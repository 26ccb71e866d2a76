//! Verification of operations against their ODS definitions, without C++.
//!
//! Specification: if `mlir-opt-22` rejects an operation because of its definition (counts, segments, constraints,
//! traits of MLIR), this module rejects it with the same message, unless the reason is C++ code that is not available
//! here. It rejects no operation that `mlir-opt-22` accepts.
//!
//! Input: an [`OpTable`](crate::pdl::OpTable) with its snippets, linked to an [`IrHost`](crate::ir::IrHost). Output:
//! the first violation of each operation, in MLIR's order of checks. A constraint counts as satisfied if its C++ is not
//! a snippet, or if the evaluation of the snippet fails, for example because a native is not registered. Verifiers
//! written in C++ are deliberately absent.
//!
//! Method: the names in the table are bound to the context once. The result of a predicate on a single type or
//! attribute is cached, because types and attributes are uniqued.

mod check;
mod definitions;
mod error;
#[cfg(any(feature = "cli", feature = "fuzzing"))]
mod loaded;
mod shapes;
mod texts;
mod traits;
#[cfg(feature = "frontend")]
mod wire;

pub use definitions::Definitions;
pub(crate) use definitions::op_traits;
#[cfg(any(feature = "cli", feature = "fuzzing"))]
pub(crate) use loaded::LoadedDefinitions;
#[cfg(feature = "frontend")]
pub(crate) use wire::encode;

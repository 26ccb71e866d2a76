//! Whether operations are what their definitions say: verification from ODS alone, without C++.
//!
//! Specification: an operation that `mlir-opt-22` rejects for what its definition states (counts, segments,
//! constraints, traits that MLIR knows) is rejected with the same words, and no operation that it
//! accepts is rejected.
//!
//! An [`OpTable`] with its snippets goes in, linked to an [`IrHost`]; for each operation comes out what is wrong
//! with it first, in the order in which MLIR looks. A constraint whose C++ is no snippet, or calls a
//! native that nobody registered, is taken as satisfied. Deliberately absent: verifiers written in C++.
//!
//! Method: what the table says by name is bound to the context once. Predicates over a type or an
//! attribute alone are remembered for each of these, since equal ones are one.

mod check;
mod definitions;
mod error;
mod shapes;
mod texts;
mod traits;

pub use definitions::Definitions;

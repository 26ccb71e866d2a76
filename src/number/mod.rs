//! Integers of a fixed bit width and floats of a named format.
//!
//! Specification: [`ApInt`] computes modulo 2^width. [`ApFloat`] holds a number in one of MLIR's float formats as bits.
//! It rounds to nearest, ties to even, and prints as MLIR does.
//!
//! Input: bits, machine numbers and text. Output: values and their text. Integers of up to 64 bits and all floats are
//! stored without an allocation. This module knows neither types nor attributes.
//!
//! Invariants: the bits above the width of an integer or a float format are zero, so equality and hashing use the bits
//! directly.

mod decimal;
mod float;
mod format;
mod int;

pub use float::ApFloat;
pub(crate) use float::FloatOperation;
pub use format::FloatFormat;
pub use int::ApInt;
pub(crate) use int::MAX_WIDTH;
pub(crate) use rustc_apfloat::{Round, Status};

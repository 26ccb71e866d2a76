//! Numbers as compilers mean them: integers of a fixed bit width and floats of a named format.
//!
//! Specification: [`ApInt`] is arithmetic modulo 2^width; [`ApFloat`] is the bits of one of MLIR's
//! float formats, rounded to nearest, ties to even, and printed as MLIR prints it.
//!
//! Bits, machine numbers and text go in; exact values come out. Nothing here allocates for what
//! fits in 64 bits, and nothing knows what an attribute is.
//!
//! Invariants: the bits above an integer's width and a float's format are zero, so equality and
//! hashing are those of the value's bits. Deliberately absent: other rounding modes, status flags.

mod decimal;
mod float;
mod format;
mod int;

pub use float::{ApFloat, FloatClass};
pub use format::FloatFormat;
pub use int::{ApInt, MAX_WIDTH};

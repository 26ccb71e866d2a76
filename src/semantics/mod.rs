//! The meaning of integer operations, with poison and undefined behaviour.
//!
//! Specification: the documentation of the `arith` dialect of MLIR 22.1.
//!
//! Each operation is described once, over a trait of bit vectors. The interpreter of `equivalence` computes with
//! numbers, and `prove` with symbolic terms, so the two cannot drift apart. A Boolean is a vector of one bit.

mod bits;
mod concrete;
mod described;
mod integer;

pub(crate) use bits::Bits;
pub(crate) use concrete::Concrete;
pub use described::Operations;
pub(crate) use described::{Description, Node as DescribedNode};
pub(crate) use integer::{Flags, IntOp, Lane, Signature};

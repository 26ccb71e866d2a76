//! The meaning of operations, with poison and undefined behaviour.
//!
//! Specification: the documentation of the `arith` dialect of MLIR 22.1.
//!
//! Each integer operation is described once, over a trait of bit vectors, so that all users agree: the interpreter of
//! `equivalence` and constant folding compute with numbers, and `prove` computes with symbolic terms. A Boolean is a
//! vector of one bit. [`arith`] adds the operations on floats, which are computed only with numbers.

pub(crate) mod arith;
mod bits;
mod concrete;
mod described;
mod integer;
mod scalar;

pub(crate) use bits::Bits;
pub(crate) use concrete::Concrete;
pub use described::Operations;
pub(crate) use described::{Description, Node as DescribedNode};
pub(crate) use integer::{Flags, IntOp, Lane, Signature};
pub(crate) use scalar::{Element, Scalar, Stop};

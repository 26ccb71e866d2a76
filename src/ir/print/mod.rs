//! From the IR to MLIR's text.
//!
//! Specification: with [`PrintOptions::generic`] set, what `mlir-opt-22 --mlir-print-op-generic` prints
//! for the same IR and the flags of the same names; else the same with the custom forms of the
//! operations whose custom assembly is read.
//!
//! Method: aliases are found in one pass in the order MLIR visits, values and blocks are numbered
//! region by region, then the text is written front to back into one string.

mod affine;
mod alias;
mod custom;
mod lines;
mod names;
mod operation;
mod options;
mod printer;
mod resources;
mod text;
mod value;

pub use options::PrintOptions;
pub(crate) use text::brief;

//! The printer of MLIR's text.
//!
//! Specification: with [`PrintOptions::generic`], the text equals the output of `mlir-opt-22 --mlir-print-op-generic`
//! with the flags that [`PrintOptions`] names for the other options, unless that output would be exponentially long.
//! Without this option, an operation is printed in custom form if the context knows this form and the form can express
//! the operation.
//!
//! Method: one pass in MLIR's visiting order finds the aliases. Then values and blocks are numbered region by region,
//! and the text is written from start to end into one string. If custom forms are printed and there are aliases, all of
//! this is done twice, because the first text shows which attributes are written.

mod affine;
mod alias;
mod form;
mod format;
mod groups;
mod lines;
mod names;
mod operation;
mod options;
mod printer;
mod resources;
mod suggested_names;
mod text;
mod value;

pub use options::PrintOptions;
pub(crate) use text::brief;

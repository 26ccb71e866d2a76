//! The dialect `torch` of torch-mlir.
//!
//! Specification: the same texts are read and printed as by the package `torch_mlir` 20261001. Most operations have a
//! format that the loader of definitions finds in their C++ code.

mod operations;
mod types;

use crate::ir::dialect::Forms;

pub(super) fn register(forms: &mut Forms) {
    operations::register(forms);
    types::register(forms);
}

//! The dialect `torch` of torch-mlir.
//!
//! Specification: the forms read and print the same texts as the package `torch_mlir` 20261001. Most operations have no
//! form here, because the loader of definitions finds their format in their C++ code.

mod operations;
mod types;

use crate::ir::dialect::Forms;

pub(super) fn register(forms: &mut Forms) {
    operations::register(forms);
    types::register(forms);
}

//! The dialects of HEIR.
//!
//! Specification: the forms read and print the same texts as the package `heir_py` 2026.11.1.

pub(in crate::ir) mod aliases;
mod operations;
mod polynomials;

use crate::ir::dialect::Forms;

pub(super) fn register(forms: &mut Forms) {
    operations::register(forms);
    polynomials::register(forms);
}

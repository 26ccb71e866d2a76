//! StableHLO and its relatives, the dialects `mhlo` and `chlo`.
//!
//! Specification: the forms read and print the same texts as the package `jaxlib` 0.10.

mod attributes;
mod classes;
mod integers;
mod operations;
mod types;

use crate::ir::dialect::Forms;

pub(super) fn register(forms: &mut Forms) {
    attributes::register(forms);
    classes::register(forms);
    operations::register(forms);
    types::register(forms);
}

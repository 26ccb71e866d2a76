//! The dialects `hw`, `comb`, `seq` and `sv` of CIRCT.
//!
//! Specification: the forms read and print the same texts as the package `circt` 1.62.

mod constants;
mod inner_symbol;
mod modules;
mod names;
mod registers;
pub(in crate::ir) mod types;
mod values;

use crate::ir::dialect::Forms;

pub(super) fn register(forms: &mut Forms) {
    constants::register(forms);
    modules::register(forms);
    names::register(forms);
    registers::register(forms);
    types::register(forms);
    values::register(forms);
}

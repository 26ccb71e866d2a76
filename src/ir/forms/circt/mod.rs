//! The dialects `hw`, `comb`, `seq` and `sv` of CIRCT.
//!
//! Source: the text that the package `circt` 1.62 reads and prints.

mod inner_symbol;
mod modules;
mod registers;
pub(in crate::ir) mod types;
mod values;

use crate::ir::dialect::Forms;

pub(super) fn register(forms: &mut Forms) {
    modules::register(forms);
    registers::register(forms);
    types::register(forms);
    values::register(forms);
}

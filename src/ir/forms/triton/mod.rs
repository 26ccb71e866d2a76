//! The dialects `tt`, `ttg` and `ttng` of Triton.

mod fields;
mod layouts;
mod operations;
mod types;

use crate::ir::dialect::Forms;

pub(super) fn register(forms: &mut Forms) {
    layouts::register(forms);
    operations::register(forms);
    types::register(forms);
}

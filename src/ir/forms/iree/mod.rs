//! The dialects of IREE: `util`, `flow`, `stream`, `hal` and others.
//!
//! Specification: the forms read and print the same texts as the package `iree-base-compiler` 3.13.
//!
//! A directive depends only on its arguments and on the dialect of the operation, so it fits any operation. The dialect
//! determines the implicit terminator of a region. It also determines the text of `WorkgroupCountRegion`, because the
//! dialect `hal` has another directive with this name.

mod dispatch;
mod encoded;
mod functions;
mod parameters;
mod regions;
mod shaped;
mod symbols;
mod tied;
mod values;

use crate::ir::dialect::Forms;

pub(super) fn register(forms: &mut Forms) {
    dispatch::register(forms);
    encoded::register(forms);
    functions::register(forms);
    parameters::register(forms);
    regions::register(forms);
    shaped::register(forms);
    symbols::register(forms);
    tied::register(forms);
    values::register(forms);
}

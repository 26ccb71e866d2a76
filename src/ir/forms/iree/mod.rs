//! The dialects of IREE: `util`, `flow`, `stream`, `hal` and those around them.
//!
//! Specification: the same texts are read and printed as by the package `iree-base-compiler` 3.13.
//!
//! A directive depends on its arguments only, so that it fits any operation. An exception is a name that IREE gives to
//! two directives, one in the namespace of each dialect.

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

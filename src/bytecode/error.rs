//! What cannot be encoded. One constructor a diagnostic.

use crate::source::Diagnostic;

pub(super) fn too_large(rules: usize) -> Diagnostic {
    Diagnostic::error(format!("the program for {rules} rules needs more than {} addresses", u32::MAX))
}

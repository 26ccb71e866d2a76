//! New contexts, with the forms that only C++ code describes upstream.

use super::context::Context;
use super::forms;

impl Context {
    /// A context with the operations of `builtin`, `func`, `cf` and `arith`, and with the custom forms of MLIR's dialects
    /// that no definition describes.
    pub fn new() -> Self {
        Self::with_forms(forms::upstream())
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

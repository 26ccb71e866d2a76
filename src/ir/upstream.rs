//! The creation of contexts.

use std::sync::OnceLock;

use super::context::Context;
use super::forms;

impl Context {
    /// A context with the operations of `builtin`, `func`, `cf` and `arith`, and with the registered forms of MLIR's
    /// and other projects' dialects.
    pub fn new() -> Self {
        // Cloning takes less time than decoding the definitions.
        static CORE: OnceLock<Context> = OnceLock::new();
        let core = || {
            let mut context = Self::without_dialects(forms::upstream());
            context.define_core();
            context
        };
        CORE.get_or_init(core).clone()
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

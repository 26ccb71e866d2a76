//! The options of the printer.

/// The options of the printer.
///
/// ```
/// use drrvm::ir::PrintOptions;
/// let options = PrintOptions::new().generic(true).debug_info(true);
/// assert!(options.generic && !options.local_scope);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// Prints every operation in generic form (`--mlir-print-op-generic`).
    pub generic: bool,
    /// Prints locations (`--mlir-print-debuginfo`).
    pub debug_info: bool,
    /// Prints no aliases (`--mlir-print-local-scope`).
    pub local_scope: bool,
}

impl PrintOptions {
    /// The default: custom forms, no locations, aliases.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`PrintOptions::generic`].
    #[must_use]
    pub fn generic(mut self, on: bool) -> Self {
        self.generic = on;
        self
    }

    /// Sets [`PrintOptions::debug_info`].
    #[must_use]
    pub fn debug_info(mut self, on: bool) -> Self {
        self.debug_info = on;
        self
    }

    /// Sets [`PrintOptions::local_scope`].
    #[must_use]
    pub fn local_scope(mut self, on: bool) -> Self {
        self.local_scope = on;
        self
    }
}

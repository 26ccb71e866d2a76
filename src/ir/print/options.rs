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
    /// True if every operation is printed in generic form (`--mlir-print-op-generic`).
    pub generic: bool,
    /// True if locations are printed (`--mlir-print-debuginfo`).
    pub debug_info: bool,
    /// True if locations that are printed have no aliases. Then the text with locations differs from the text without
    /// locations only in the locations themselves.
    pub local_locations: bool,
    /// True if no aliases are printed (`--mlir-print-local-scope`), unless the text would be exponentially long; see
    /// [`Module::print`](crate::ir::Module::print).
    pub local_scope: bool,
    /// The maximum number of values of an elements attribute that is printed in full
    /// (`--mlir-elide-elementsattrs-if-larger`). Elements with more values are printed as `dense_resource<__elided__>`,
    /// unless all values are equal. The text then lacks these elements.
    pub elide_elements: Option<u64>,
    /// True if all numbered values of the module get different numbers (`--mlir-print-unique-ssa-ids`), as in generic
    /// form.
    pub unique_ssa_ids: bool,
    /// True if values are named by the names in their locations, `loc("name")` (`--mlir-use-nameloc-as-prefix`).
    pub location_names: bool,
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

    /// Sets [`PrintOptions::elide_elements`].
    ///
    /// ```
    /// use drrvm::ir::{Context, PrintOptions, parse_module};
    /// use drrvm::source::SourceMap;
    /// let mut sources = SourceMap::default();
    /// let text = "\"t.a\"() {v = dense<[1, 2, 3]> : tensor<3xi8>} : () -> ()";
    /// let file = sources.add("a.mlir", text).unwrap();
    /// let mut context = Context::new();
    /// let module = parse_module(&mut context, sources.file(file)).unwrap();
    /// let short = module.print(&context, PrintOptions::new().elide_elements(Some(2)));
    /// assert!(short.contains("v = dense_resource<__elided__> : tensor<3xi8>"));
    /// ```
    #[must_use]
    pub fn elide_elements(mut self, limit: Option<u64>) -> Self {
        self.elide_elements = limit;
        self
    }

    /// Sets [`PrintOptions::unique_ssa_ids`].
    #[must_use]
    pub fn unique_ssa_ids(mut self, on: bool) -> Self {
        self.unique_ssa_ids = on;
        self
    }

    /// Sets [`PrintOptions::location_names`].
    #[must_use]
    pub fn location_names(mut self, on: bool) -> Self {
        self.location_names = on;
        self
    }

    /// Sets [`PrintOptions::local_locations`].
    ///
    /// ```
    /// use drrvm::ir::{Context, PrintOptions, parse_module};
    /// use drrvm::source::SourceMap;
    /// let mut sources = SourceMap::default();
    /// let text = "\"t.a\"() {m = affine_map<() -> (1)>} : () -> () loc(\"x\")";
    /// let file = sources.add("a.mlir", text).unwrap();
    /// let mut context = Context::new();
    /// let module = parse_module(&mut context, sources.file(file)).unwrap();
    /// let text = module.print(&context, PrintOptions::new().debug_info(true).local_locations(true));
    /// assert!(text.contains("\"t.a\"() {m = #map} : () -> () loc(\"x\")"));
    /// ```
    #[must_use]
    pub fn local_locations(mut self, on: bool) -> Self {
        self.local_locations = on;
        self
    }

    /// Sets [`PrintOptions::local_scope`].
    #[must_use]
    pub fn local_scope(mut self, on: bool) -> Self {
        self.local_scope = on;
        self
    }
}

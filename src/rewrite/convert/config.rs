//! The description of a conversion.

use std::sync::Arc;

use super::events::ConversionEvent;
use super::pattern::ConversionPattern;
use super::target::ConversionTarget;
use super::types::TypeConverter;
use crate::host::Blocks;

/// The operations that must be legal after a conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConversionMode {
    /// Operations may remain unless the target states that they are illegal.
    #[default]
    Partial,
    /// All operations must be legal.
    Full,
    /// The IR does not change; the report has the operations that can be made legal.
    Analysis,
}

/// The description of a conversion: the legal operations, the conversion of types, and rules that are Rust functions.
///
/// ```
/// use drrvm::ir::IrHost;
/// use drrvm::rewrite::{Conversion, ConversionMode, ConversionTarget};
/// let target = ConversionTarget::<IrHost>::new().legal_dialect("arith");
/// let conversion = Conversion::new(target).mode(ConversionMode::Full);
/// # let _ = conversion;
/// ```
pub struct Conversion<H: Blocks> {
    pub(super) target: ConversionTarget<H>,
    pub(super) converter: Option<TypeConverter<H>>,
    pub(super) patterns: Vec<ConversionPattern<H>>,
    pub(super) mode: ConversionMode,
    pub(super) fold: bool,
    pub(super) functions: bool,
    pub(super) keep_casts: bool,
    pub(super) rules_convert_types: bool,
    pub(super) max_rewrites: Option<u64>,
    pub(super) log: Option<Arc<LogFn<H>>>,
}

pub(super) type LogFn<H> = dyn Fn(&H, ConversionEvent<'_, H>) + Send + Sync;

impl<H: Blocks> Conversion<H> {
    /// A partial conversion that keeps all types.
    pub fn new(target: ConversionTarget<H>) -> Self {
        Self {
            target,
            converter: None,
            patterns: Vec::new(),
            mode: ConversionMode::default(),
            fold: true,
            functions: true,
            keep_casts: false,
            rules_convert_types: true,
            max_rewrites: None,
            log: None,
        }
    }

    /// Converts types. Functions, calls, returns and branches are then converted too, unless the target states the
    /// legality of the operation by its name or makes its dialect illegal.
    #[must_use]
    pub fn types(mut self, converter: TypeConverter<H>) -> Self {
        self.converter = Some(converter);
        self
    }

    /// Adds a rule that is a Rust function.
    #[must_use]
    pub fn pattern(mut self, pattern: ConversionPattern<H>) -> Self {
        self.patterns.push(pattern);
        self
    }

    /// Sets the mode.
    #[must_use]
    pub fn mode(mut self, mode: ConversionMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets whether operations are folded by their hooks before rules are tried on them.
    #[must_use]
    pub fn fold(mut self, fold: bool) -> Self {
        self.fold = fold;
        self
    }

    /// Sets whether the types of functions, calls, returns and branches are converted.
    #[must_use]
    pub fn functions(mut self, functions: bool) -> Self {
        self.functions = functions;
        self
    }

    /// If `keep` is true, casts remain as `builtin.unrealized_conversion_cast`, and no materialisation is called.
    #[must_use]
    pub fn keep_casts(mut self, keep: bool) -> Self {
        self.keep_casts = keep;
        self
    }

    /// Sets whether the rewrites of rules get converted values and types, or the original values and types.
    #[must_use]
    pub fn rules_convert_types(mut self, convert: bool) -> Self {
        self.rules_convert_types = convert;
        self
    }

    /// Calls a function for each step of the conversion.
    #[must_use]
    pub fn log(mut self, log: impl Fn(&H, ConversionEvent<'_, H>) + Send + Sync + 'static) -> Self {
        self.log = Some(Arc::new(log));
        self
    }

    /// Sets the maximum number of attempts to apply a rule; `None` for 10,000 plus 32 for each operation.
    #[must_use]
    pub fn max_rewrites(mut self, max: Option<u64>) -> Self {
        self.max_rewrites = max;
        self
    }
}

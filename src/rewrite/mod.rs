//! Drivers, which choose the operations on which rules are tried, their order, and the end of the run.
//!
//! Specification: drivers visit and rewrite in the order of MLIR's drivers. [`apply_greedily`] corresponds to MLIR's
//! `applyPatternsGreedily`, [`apply_in_walk`] to `walkAndApplyPatterns`, and [`convert()`] to dialect conversion.
//! [`Incremental`] rewrites like [`apply_greedily`], but visits only the operations whose matches can depend on a
//! change since its last run. A driver takes an [`Engine`](crate::vm::Engine), changes the IR and returns a [`Report`],
//! except that [`convert()`] takes a [`Matcher`](crate::vm::Matcher) and returns a [`ConversionReport`].
//!
//! Invariants: every loop has a bound, and if a bound is reached, the [`Report`] names the rules that kept firing. The
//! order of visits depends only on the IR, the rules and the configuration. Rules are never tried on an erased
//! operation. Only [`canonicalize()`] simplifies regions; [`apply_greedily`] only removes unreachable blocks.

mod canonicalize;
mod constants;
mod convert;
mod fold;
mod greedy;
mod incremental;
mod interrupt;
mod op_facts;
#[cfg(feature = "parallel")]
mod par_walk;
mod report;
mod segments;
#[cfg(all(test, feature = "ir"))]
mod test_module;
mod walk;
mod worklist;

#[cfg(feature = "cli")]
pub(crate) use canonicalize::built_in_rules;
pub(crate) use canonicalize::created_folds;
pub use canonicalize::{Canonicalization, RegionSimplification, canonicalize};
pub use convert::{
    ArgConversion, Conversion, ConversionError, ConversionEvent, ConversionFailure, ConversionMode,
    ConversionPattern, ConversionReport, ConversionRewriter, ConversionTarget, FailureKind, Tried,
    TypeConverter, convert,
};
pub use greedy::{Config, Strictness, Traversal, apply_greedily, apply_greedily_to};
pub use incremental::Incremental;
pub use interrupt::Interrupt;
#[cfg(feature = "parallel")]
pub use par_walk::par_walk;
pub use report::{Limit, NotConverged, Report};
pub use walk::{apply_in_walk, apply_in_walk_until};

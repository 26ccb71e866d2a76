//! Reports about rules and their runs, for people and for programs: warnings, explanations, profiles, differences
//! between texts, and an interactive page with the decision tree.
//!
//! Specification: reports show the results of the engines and of analyses of rules, with the names and text of the
//! input and of the rule files. They change nothing.

#[cfg(feature = "frontend")]
mod advice;
#[cfg(feature = "frontend")]
mod constants;
#[cfg(feature = "frontend")]
mod cycles;
mod diff;
mod error;
mod explain;
mod mapped;
mod op_selector;
mod page;
mod profile;
pub(crate) mod text;

#[cfg(feature = "frontend")]
pub(crate) use advice::Advice;
#[cfg(feature = "frontend")]
pub use advice::advise;
pub use diff::unified_diff;
pub use error::not_converged;
pub(crate) use error::with_firing_rules;
pub(crate) use explain::found;
pub use explain::{ExplainReport, Explainer};
pub use mapped::{MappedProgram, Trace};
pub use op_selector::OpSelector;
pub(crate) use page::Page;
pub use profile::{DriverTotals, ProfileReport};

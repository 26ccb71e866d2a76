//! Engines that wrap another engine and change or observe its behaviour.

mod cost_model;
mod forward;
mod logging;
mod non_recursive;
mod profile;

pub use cost_model::CostModel;
pub use logging::{Log, LoggingEngine};
pub use non_recursive::NonRecursive;
pub use profile::{Profile, Profiler, RuleProfile};

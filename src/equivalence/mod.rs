//! Random IR for rules, and the comparison of two rule sets or two engines on it.
//!
//! Specification of [`IrGenerator`]: every generated module verifies, and depends only on the rules, the natives, the
//! [`Config`] and the number of the case.
//!
//! Specification of [`compare`]: each reported difference is real, and is shown on a module that is shrunk as far as
//! the budget allows. The absence of differences proves nothing, so the report states how often each rule was applied
//! or matched.
//!
//! The generator inserts instances of the rules into modules, and near-misses, which resemble an instance but do not
//! match.
//!
//! Invariant: for a given number of cases, the reported difference depends neither on time and threads nor on the order
//! of a hash map. Deliberately absent: instances of rules that match operations of the frame (`builtin.module`,
//! `func.func`, branches).

mod attempt;
mod candidates;
mod canonical;
mod compare;
#[cfg(feature = "frontend")]
#[cfg(any(test, feature = "fuzzing"))]
mod engines;
mod form;
mod fragment;
mod frame;
mod generate;
mod instance;
mod pool;
mod raise;
pub(crate) mod random;
mod search;
mod semantics;
mod shrink;
mod side;
mod traits;
mod vocabulary;

pub use compare::{Comparison, Difference, DifferenceKind, Mode, Options, compare};
#[cfg(feature = "frontend")]
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use engines::{agree_on, engines_agree};
pub use fragment::NoInstance;
pub use generate::{Config, IrGenerator};
pub use raise::raise;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use random::Random;
pub use semantics::MeaningChange;
#[cfg(feature = "prove")]
pub(crate) use semantics::run;
pub use side::Side;
pub use traits::{SideOps, share_traits};

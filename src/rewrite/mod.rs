//! Drivers: which operation is tried next, and when to stop.
//!
//! Specification: [`apply_greedily`] visits and rewrites as MLIR's `applyPatternsGreedily` does,
//! [`apply_in_walk`] as `walkAndApplyPatterns`. Rules that apply to one operation go in, as an
//! implementation of [`Rules`]; the changed IR and a [`Report`] come out.
//!
//! Invariants: every loop has a bound, and when it is hit the report says which rules keep firing;
//! the order of visits depends on nothing but the IR and the rules; an operation is never tried
//! after it was erased. Deliberately absent: folding and the removal of unreachable blocks, which
//! need knowledge of the dialects that no rule states.

mod constants;
mod greedy;
mod op_facts;
mod report;
mod walk;
mod worklist;

pub use greedy::{Config, Traversal, apply_greedily};
pub use op_facts::{OpFact, OpFacts};
pub use report::{Limit, NotConverged, Report};
pub use walk::apply_in_walk;

use crate::host::{Ir, Listener};
use crate::pdl::PatternId;

/// What came of trying the rules on one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempt {
    /// The rule that was applied, if any was.
    pub applied: Option<PatternId>,
    /// How many rules matched but refused while rewriting, and were rolled back.
    pub refused: u32,
}

/// Rules that can be tried on an operation.
pub trait Rules<H: Ir> {
    /// Applies the first rule that matches `op` and does not refuse, and tells the listener of each
    /// change. Nothing has changed if none did.
    fn apply(&mut self, host: &mut H, op: H::Op, listener: &mut dyn Listener<H>) -> Attempt;
}

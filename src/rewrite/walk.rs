//! One pass over the operations of the input.
//!
//! Specification: tries each operation of the input once, unless it was erased before. Operations that rules create are
//! not tried.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::Report;
use crate::host::{Both, Facets, IrMut, Listener, WalkOrder};
use crate::log::span;
use crate::vm::Engine;

/// Tries an engine's rules once on each operation inside `root`, in post-order.
///
/// O(operations) matches.
pub fn apply_in_walk<H: Facets + IrMut, E: Engine<H>>(
    host: &mut H,
    root: H::Op,
    engine: &E,
    listener: &mut dyn Listener<H>,
) -> Report {
    span!("drive", driver = "walk");
    let mut ops = Vec::new();
    host.walk(root, WalkOrder::Post, &mut |op| ops.push(op));
    let mut report = Report::default();
    report.begin_sweep();
    let mut cache = engine.cache();
    let mut gone = Erased::<H>(HashSet::default());
    for op in ops {
        if op != root && !gone.0.contains(&op) {
            report.count(engine.apply(host, op, &mut cache, &mut Both(&mut *listener, &mut gone)));
        }
    }
    report
}

/// The erased operations. An id that the host reuses is a created operation, which is not tried either.
struct Erased<H: IrMut>(HashSet<H::Op, FxBuildHasher>);

impl<H: IrMut> Listener<H> for Erased<H> {
    fn erased(&mut self, _host: &H, op: H::Op) {
        self.0.insert(op);
    }
}

//! One pass over the operations of the input.
//!
//! Specification: it tries the rules on each operation of the input once, unless the operation was erased before. It does
//! not try operations that rules create.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::report::Report;
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
    let mut erased = Erased::<H>(HashSet::default());
    for op in ops {
        if op != root && !erased.0.contains(&op) {
            report.count(engine.apply(host, op, &mut cache, &mut Both(&mut *listener, &mut erased)));
        }
    }
    report
}

/// The erased operations. If the host reuses an id, it stands for a created operation, which is not tried either.
struct Erased<H: IrMut>(HashSet<H::Op, FxBuildHasher>);

impl<H: IrMut> Listener<H> for Erased<H> {
    fn erased(&mut self, _host: &H, op: H::Op) {
        self.0.insert(op);
    }
}

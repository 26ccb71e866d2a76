//! One pass: each operation that was there at the start is tried once.
//!
//! What rules make is not tried; what they erase is skipped.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::Report;
use crate::host::{Facets, IrMut, Listener, WalkOrder};
use crate::log::span;
use crate::vm::Engine;

/// Tries an engine's rules once on each operation inside `root`, an operation after what its regions hold.
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
    let mut watch = Watch { erased: HashSet::default(), listener };
    for op in ops {
        if op != root && !watch.erased.contains(&op) {
            report.count(engine.apply(host, op, &mut cache, &mut watch));
        }
    }
    report
}

/// Remembers what is erased; an id that the host uses again stands for something new, not tried either.
struct Watch<'a, H: IrMut> {
    erased: HashSet<H::Op, FxBuildHasher>,
    listener: &'a mut dyn Listener<H>,
}

impl<H: IrMut> Listener<H> for Watch<'_, H> {
    fn created(&mut self, host: &H, op: H::Op) {
        self.listener.created(host, op);
    }
    fn modified(&mut self, host: &H, op: H::Op) {
        self.listener.modified(host, op);
    }
    fn replaced(&mut self, host: &H, op: H::Op, with: &[H::Value]) {
        self.listener.replaced(host, op, with);
    }
    fn erased(&mut self, host: &H, op: H::Op) {
        self.listener.erased(host, op);
        host.walk(op, WalkOrder::Post, &mut |op| {
            self.erased.insert(op);
        });
    }
}

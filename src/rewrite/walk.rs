//! One pass: each operation that was there at the start is tried once.
//!
//! What rules make is not tried; what they erase is skipped.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::Report;
use crate::host::{Facets, IrMut, Listener, WalkOrder};
use crate::vm::Matcher;

/// Tries a matcher's rules once on each operation inside `root`, an operation after what its regions hold.
///
/// O(operations) matches.
pub fn apply_in_walk<H: Facets + IrMut>(
    host: &mut H,
    root: H::Op,
    matcher: &Matcher<H>,
    listener: &mut dyn Listener<H>,
) -> Report {
    let mut ops = Vec::new();
    host.walk(root, WalkOrder::Post, &mut |op| ops.push(op));
    let mut report = Report::default();
    report.begin_sweep();
    let mut scratch = matcher.scratch();
    let mut watch = Watch { erased: HashSet::default(), listener };
    for op in ops {
        if op != root && !watch.erased.contains(&op) {
            report.count(matcher.apply(host, op, &mut scratch, &mut watch));
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

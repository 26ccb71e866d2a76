//! One pass over the operations of the input.
//!
//! Specification: the pass tries the rules on each operation of the input once, unless the operation was erased before.
//! It does not try operations that rules create.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::interrupt::Interrupt;
use super::report::{Limit, Report};
use crate::host::{Both, Facets, IrMut, Listener, WalkOrder};
use crate::log::span;
use crate::vm::Engine;

/// Tries an engine's rules once on each operation inside `root`, in post-order.
///
/// The engine searches at most once for a match at each operation.
///
/// ```
/// # use std::sync::Arc;
/// # use drrvm::{LinkOptions, Matcher, Natives, NoListener, RuleSet, SourceMap, compile};
/// # use drrvm::ir::{Context, IrHost, parse_module};
/// # let mut rules = RuleSet::default();
/// # let mut rule = rules.pattern("erase_nop", 1);
/// # let root = rule.op("t.nop").matched();
/// # rule.erase(root);
/// # rule.finish()?;
/// # let program = Arc::new(compile::program(&rules)?);
/// # let mut sources = SourceMap::default();
/// # let file = sources.add("input.mlir", "\"t.nop\"() : () -> ()\n".repeat(2))?;
/// # let mut context = Context::new();
/// # let module = parse_module(&mut context, sources.file(file))?;
/// # let mut host = IrHost::new(context, module);
/// # let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
/// use drrvm::rewrite::apply_in_walk;
/// let top = host.module.top();
/// let report = apply_in_walk(&mut host, top, &matcher, &mut NoListener);
/// assert_eq!(report.rewrites, 2);
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn apply_in_walk<H: Facets + IrMut, E: Engine<H>>(
    host: &mut H,
    root: H::Op,
    engine: &E,
    listener: &mut dyn Listener<H>,
) -> Report {
    apply_in_walk_until(host, root, engine, &Interrupt::default(), listener)
}

/// Does the same as [`apply_in_walk`], but stops on request, with [`Limit::Interrupt`].
pub fn apply_in_walk_until<H: Facets + IrMut, E: Engine<H>>(
    host: &mut H,
    root: H::Op,
    engine: &E,
    interrupt: &Interrupt,
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
        if interrupt.is_requested() {
            report.stop(Limit::Interrupt);
            break;
        }
        if op != root && !erased.0.contains(&op) {
            report.count(engine.apply(host, op, &mut cache, &mut Both(&mut *listener, &mut erased)));
        }
    }
    report
}

/// The erased operations. An id that the host reuses denotes a created operation, which is not tried either.
struct Erased<H: IrMut>(HashSet<H::Op, FxBuildHasher>);

impl<H: IrMut> Listener<H> for Erased<H> {
    fn erased(&mut self, _host: &H, op: H::Op) {
        self.0.insert(op);
    }
}

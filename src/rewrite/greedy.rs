//! The greedy driver: rules are applied until none matches any more.
//!
//! Specification: operations are visited, and rules applied to them, in the order in which MLIR's
//! `applyPatternsGreedily` does it with folding and region simplification off.
//!
//! Method: sweeps over a worklist. A sweep fills the list with every operation, then takes one after
//! the other: dead ones are removed, on others the rules are tried. What a change may have enabled
//! is put on the list: operations made, users of replaced results, and the operations that defined
//! the operands of what was erased, each with the operations around it. A sweep that changed
//! something is followed by another.

use super::constants::Constants;
use super::op_facts::OpFacts;
use super::worklist::Worklist;
use super::{Limit, Report};
use crate::host::{Both, Facets, IrMut, Listener, WalkOrder};
use crate::vm::Engine;

/// Where a sweep starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traversal {
    /// With the last operation, so that where rules overlap those with a root further down win, and
    /// match more. What MLIR does unless told otherwise.
    #[default]
    BottomUp,
    /// With the first operation; one before what its regions hold.
    TopDown,
}

/// How the greedy driver goes about it.
///
/// ```
/// use drrvm::rewrite::{Config, Traversal};
/// let config = Config::default().traversal(Traversal::TopDown).max_sweeps(3);
/// assert_eq!(config.max_sweeps, 3);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Where a sweep starts.
    pub traversal: Traversal,
    /// Give up after this many sweeps.
    pub max_sweeps: u32,
    /// Give up after this many rewrites; `None`: 10,000, and 8 for each operation of the input.
    pub max_rewrites: Option<u64>,
    /// Whether equal constants become one, at the start of the region that they may not leave.
    pub unique_constants: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { traversal: Traversal::default(), max_sweeps: 10, max_rewrites: None, unique_constants: true }
    }
}

impl Config {
    /// Sets [`Config::traversal`].
    #[must_use]
    pub fn traversal(mut self, traversal: Traversal) -> Self {
        self.traversal = traversal;
        self
    }

    /// Sets [`Config::max_sweeps`].
    #[must_use]
    pub fn max_sweeps(mut self, max: u32) -> Self {
        self.max_sweeps = max;
        self
    }

    /// Sets [`Config::max_rewrites`].
    #[must_use]
    pub fn max_rewrites(mut self, max: Option<u64>) -> Self {
        self.max_rewrites = max;
        self
    }

    /// Sets [`Config::unique_constants`].
    #[must_use]
    pub fn unique_constants(mut self, unique: bool) -> Self {
        self.unique_constants = unique;
        self
    }
}

/// Applies an engine's rules to what is inside `root` until none matches any more or a bound of
/// `config` is hit.
///
/// What is dead is removed, as far as the program knows the operations; `root` itself stays as it is.
/// The report says whether a bound was hit, and then which rules kept firing; the IR is valid in
/// either case.
pub fn apply_greedily<H: Facets + IrMut, E: Engine<H>>(
    host: &mut H,
    root: H::Op,
    engine: &E,
    config: &Config,
    listener: &mut dyn Listener<H>,
) -> Report {
    let facts = OpFacts::link(host, engine.program());
    let mut cache = engine.cache();
    let mut report = Report::default();
    let mut queue = Queue { root, worklist: Worklist::default(), listener };
    let mut budget = config.max_rewrites;
    loop {
        if report.sweeps == config.max_sweeps {
            report.stop(Limit::Sweeps(config.max_sweeps));
            return report;
        }
        report.begin_sweep();
        let mut constants = config.unique_constants.then(|| Constants::new(host));
        let count = queue.fill(host, config.traversal, &facts, constants.as_mut(), &mut cache);
        report.uniqued += constants.map_or(0, |constants| constants.merged);
        let budget = *budget.get_or_insert(10_000 + 8 * count);
        let mut changed = false;
        while let Some(op) = queue.worklist.pop() {
            if is_dead(host, op, &facts) {
                cache.erased(host, op);
                queue.erased(host, op);
                host.erase(op);
                report.removed += 1;
                changed = true;
            } else if report.count(engine.apply(host, op, &mut cache, &mut queue)) {
                changed = true;
                if report.rewrites >= budget {
                    report.stop(Limit::Rewrites(budget));
                    return report;
                }
            }
        }
        if !changed {
            return report;
        }
    }
}

fn is_dead<H: IrMut>(host: &H, op: H::Op, facts: &OpFacts) -> bool {
    facts.get(host.op_name(op)).is_some_and(|fact| fact.removable)
        && !host.is_terminator(op)
        && (0..host.result_count(op)).all(|i| host.first_use(host.result(op, i)).is_none())
}

/// The worklist, kept up to date by what it hears.
struct Queue<'a, H: IrMut> {
    root: H::Op,
    worklist: Worklist<H::Op>,
    listener: &'a mut dyn Listener<H>,
}

impl<H: IrMut> Queue<'_, H> {
    /// Puts everything inside the root on the list, with constants made unique on the way; how many
    /// operations there are.
    fn fill(
        &mut self,
        host: &mut H,
        traversal: Traversal,
        facts: &OpFacts,
        mut constants: Option<&mut Constants<H>>,
        cache: &mut dyn Listener<H>,
    ) -> u64 {
        let order = match traversal {
            Traversal::TopDown => WalkOrder::Pre,
            Traversal::BottomUp => WalkOrder::Post,
        };
        let mut ops = Vec::new();
        host.walk(self.root, order, &mut |op| ops.push(op));
        self.worklist.clear();
        for &op in &ops {
            let merged = match &mut constants {
                Some(constants) if op != self.root => {
                    constants.merge(host, op, self.root, facts, &mut Both(cache, self))
                }
                _ => false,
            };
            if !merged {
                self.push(host, op);
            }
        }
        if traversal == Traversal::TopDown {
            self.worklist.reverse();
        }
        ops.len() as u64
    }

    /// Puts an operation on the list, and those around it: their rules may look inside.
    fn push(&mut self, host: &H, op: H::Op) {
        let mut next = Some(op);
        while let Some(op) = next.filter(|&op| op != self.root) {
            self.worklist.push(op);
            next = host.parent_op(op);
        }
    }

    /// Puts the operation that defines an operand of `op`, which is about to go, on the list if few
    /// others use that operand: it may be dead then, or have a single use, which rules ask about.
    fn push_operands(&mut self, host: &H, op: H::Op) {
        for index in 0..host.operand_count(op) {
            let operand = host.operand(op, index);
            let Some(definition) = host.defining_op(operand) else { continue };
            let uses = std::iter::successors(host.first_use(operand), |&used| host.next_use(used));
            let mut other_user = None;
            let few = uses.map(|used| host.use_owner(used)).filter(|&user| user != op).all(|user| {
                let seen = *other_user.get_or_insert(user);
                seen == user
            });
            if few {
                self.push(host, definition);
            }
        }
    }
}

impl<H: IrMut> Listener<H> for Queue<'_, H> {
    fn created(&mut self, host: &H, op: H::Op) {
        self.listener.created(host, op);
        self.push(host, op);
    }

    fn modified(&mut self, host: &H, op: H::Op) {
        self.listener.modified(host, op);
        self.push(host, op);
    }

    fn replaced(&mut self, host: &H, op: H::Op, with: &[H::Value]) {
        self.listener.replaced(host, op, with);
        for index in 0..host.result_count(op) {
            let mut next = host.first_use(host.result(op, index));
            while let Some(used) = next {
                self.push(host, host.use_owner(used));
                next = host.next_use(used);
            }
        }
    }

    fn erased(&mut self, host: &H, op: H::Op) {
        self.listener.erased(host, op);
        let mut inside = Vec::new();
        host.walk(op, WalkOrder::Post, &mut |op| inside.push(op));
        for &op in &inside {
            self.push_operands(host, op);
        }
        for op in inside {
            self.worklist.remove(op);
        }
    }
}

#[cfg(test)]
mod tests;

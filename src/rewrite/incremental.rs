//! Greedy rewriting that visits only the operations that the changes since the last run can affect.
//!
//! Specification: the driver must be notified of all changes between two runs. After a run that reaches no limit, no
//! rule applies, as after [`apply_greedily`](super::apply_greedily). If the result of the rules does not depend on the
//! order of visits, a run gives the same result as a new driver.
//!
//! Method: the engine keeps its labels from one run to the next. A notification adds to a worklist the changed
//! operations and all operations at which a rule may test one of them. A sweep visits the operations on the list. The
//! rewrites of the sweep fill the list of the next sweep. If the sweep visits an operation that is on the list of the
//! next sweep, it removes the operation from that list.
//!
//! Later runs merge new constants with those of earlier runs, so the order of constants can differ from that of a new
//! driver.
//!
//! Deliberately absent: removal of unreachable blocks in later runs. The first run removes them.

use std::cell::RefCell;

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::constants::ConstantMerger;
use super::greedy::{Config, Driver, Extension, Strictness};
use super::report::{Limit, Report};
use super::worklist::Worklist;
use crate::bytecode::Program;
use crate::host::{Both, Facets, Ir, IrMut, Kind, Listener, WalkOrder, users_of};
use crate::id::IdVec;
use crate::log::span;
use crate::matcher_tree::{Position, PositionId};
use crate::vm::Engine;

/// A greedy driver for IR on which the same rules run again and again.
///
/// The first [`run`](Self::run) visits all operations. The time of later runs is proportional to the number of
/// operations at which a rule may test a changed operation. The driver must be notified of all changes: it is a
/// [`Listener`].
///
/// - Notify it of a change of operands twice, before and after, because the definition of the old operand loses a user.
/// - Natives may read their arguments, and one operation further: the definition of an operand, or the users of a value
///   with at most 64 uses. If a native reads an operation that is further away, and this operation changes, call
///   [`modified`](Listener::modified) for each operation at which a match depends on this change.
/// - Later runs do not remove unreachable blocks. After a call of [`forget`](Self::forget), the next run removes them.
///
/// ```
/// # use std::sync::Arc;
/// # use drrvm::{LinkOptions, Matcher, Natives, NoListener, RuleSet, SourceMap, compile};
/// # use drrvm::host::{Bind, Ir, Listener};
/// # use drrvm::ir::{Context, IrHost, parse_module};
/// # let mut rules = RuleSet::default();
/// # let mut rule = rules.pattern("erase_nop", 1);
/// # let one = rule.attr_constant("1 : i32");
/// # let root = rule.op("t.nop").attr("n", one).matched();
/// # rule.erase(root);
/// # rule.finish()?;
/// # let program = Arc::new(compile::program(&rules)?);
/// # let mut sources = SourceMap::default();
/// # let text = "\"t.nop\"() {n = 1 : i32} : () -> ()\n\"t.nop\"() {n = 2 : i32} : () -> ()";
/// # let file = sources.add("input.mlir", text)?;
/// # let mut context = Context::new();
/// # let module = parse_module(&mut context, sources.file(file))?;
/// # let mut host = IrHost::new(context, module);
/// # let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
/// use drrvm::rewrite::{Config, Incremental};
/// use drrvm::vm::Automaton;
///
/// let engine = Automaton::new(matcher); // Its rules erase `t.nop` with `n = 1`.
/// let mut driver = Incremental::new(&engine, Config::default());
/// let top = host.module.top();
/// assert_eq!(driver.run(&mut host, top, &mut NoListener).rewrites, 1);
///
/// let nop = host.module.preorder(top).nth(1).expect("the operation with `n = 2`");
/// let (name, one) = (host.bind_attr_name("n"), host.context.parse_attr("1 : i32").expect("an attribute"));
/// let attributes = host.context.dictionary(&mut vec![(name, one)]);
/// host.module.set_attrs(nop, attributes);
/// driver.modified(&host, nop);
/// let report = driver.run(&mut host, top, &mut NoListener);
/// assert_eq!((report.visited, report.rewrites), (1, 1));
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub struct Incremental<'e, H: Facets + IrMut, E: Engine<H>> {
    engine: &'e E,
    config: Config,
    cache: E::Cache,
    root: Option<H::Op>,
    /// The operations to visit; `None` for all operations.
    pending: Option<RefCell<Worklist<H>>>,
    /// The memory for the worklist of a later run.
    ///
    /// PERF: a sparse list, so that a later run does not read a table with an entry for each operation of the IR.
    spare: Worklist<H>,
    /// The distinct constants, if they are merged.
    constants: Option<ConstantMerger<H>>,
    reach: Reach,
}

impl<'e, H: Facets + IrMut, E: Engine<H>> Incremental<'e, H, E> {
    /// A driver for one IR.
    pub fn new(engine: &'e E, config: Config) -> Self {
        let (cache, reach) = (engine.cache(), Reach::of(engine.program(), !engine.hooks().folds.is_empty()));
        Self {
            engine,
            config,
            cache,
            root: None,
            pending: None,
            spare: Worklist::sparse(),
            constants: None,
            reach,
        }
    }

    /// Applies the rules to the operations inside `root` until no rule applies any more or a limit is reached. The next
    /// run visits all operations if this run reached a limit, if the next run has another root, or after
    /// [`forget`](Self::forget). With [`Strictness::ExistingOps`], each run visits all operations.
    pub fn run(&mut self, host: &mut H, root: H::Op, listener: &mut dyn Listener<H>) -> Report {
        span!("drive", driver = "incremental");
        self.engine.acknowledge_changes(host, &mut self.cache);
        let pending = self.pending.take().filter(|_| self.root == Some(root));
        self.root = Some(root);
        let (report, pending) = match pending {
            None => (self.sweep(host, root, listener), RefCell::new(Worklist::sparse())),
            Some(pending) => (self.visit(host, root, &pending, listener), pending),
        };
        let is_complete = report.not_converged.is_none() && self.config.strictness != Strictness::ExistingOps;
        self.pending = is_complete.then_some(pending);
        report
    }

    /// Visits all operations.
    fn sweep(&mut self, host: &mut H, root: H::Op, listener: &mut dyn Listener<H>) -> Report {
        let Self { engine, config, cache, constants, .. } = self;
        let mut driver = Driver::new(host, root, *engine, cache, config, Worklist::default(), listener);
        let report = driver.sweep(host);
        (_, *constants) = driver.into_parts();
        if let Some(constants) = constants {
            constants.is_later = true;
        }
        report
    }

    /// Visits the operations on a worklist, and then those that the changes of the preceding sweep affect.
    fn visit(
        &mut self,
        host: &mut H,
        root: H::Op,
        pending: &RefCell<Worklist<H>>,
        listener: &mut dyn Listener<H>,
    ) -> Report {
        let Self { engine, config, cache, spare, constants, reach, .. } = self;
        let mut report = Report::default();
        let mut budget = config.max_rewrites;
        loop {
            let mut ops: Vec<H::Op> = std::iter::from_fn(|| pending.borrow_mut().pop(host)).collect();
            // `Driver::visit` begins with the last operation, which is now the operation that was added last.
            ops.reverse();
            let config = Config { max_rewrites: budget, ..config.clone() };
            let mut changes = Changes { reach: *reach, pending };
            let mut both = Both(&mut changes, listener);
            let mut driver =
                Driver::new(host, root, *engine, cache, &config, std::mem::take(spare), &mut both)
                    .extended(host, Visited(pending));
            driver.merge_with(constants.take());
            ops.retain(|&op| driver.is_inside(host, op));
            let is_done = ops.is_empty();
            if let Some(max) = config.max_sweeps.filter(|&max| !is_done && report.sweeps >= max) {
                report.stop(Limit::Sweeps(max));
            } else if !is_done {
                budget = Some(driver.visit(host, &ops, &mut report));
            }
            let (mut unvisited, merged) = driver.into_parts();
            *constants = merged;
            let is_last = is_done || report.not_converged.is_some();
            if is_last {
                unvisited.clear();
            }
            while let Some(op) = unvisited.pop(host) {
                pending.borrow_mut().push(host, op);
            }
            *spare = unvisited;
            if is_last {
                return report;
            }
        }
    }

    /// Makes the next run visit all operations, for example after changes without notifications.
    pub fn forget(&mut self) {
        self.cache = self.engine.cache();
        self.pending = None;
    }

    fn forget_constant(&mut self, op: H::Op) {
        if let Some(constants) = &mut self.constants {
            constants.forget(op);
        }
    }

    /// Adds the operations that a change affects to the list of operations to visit, if there is a list.
    fn note(&mut self, note: impl FnOnce(&mut Changes<'_, H>)) {
        if let Some(pending) = &self.pending {
            note(&mut Changes { reach: self.reach, pending });
        }
    }
}

impl<H: Facets + IrMut, E: Engine<H>> Listener<H> for Incremental<'_, H, E> {
    fn created(&mut self, host: &H, op: H::Op) {
        self.cache.created(host, op);
        self.note(|changes| changes.created(host, op));
    }

    fn modified(&mut self, host: &H, op: H::Op) {
        self.forget_constant(op);
        self.cache.modified(host, op);
        self.note(|changes| changes.modified(host, op));
    }

    fn replaced(&mut self, host: &H, op: H::Op, with: &[H::Value]) {
        self.cache.replaced(host, op, with);
        self.note(|changes| changes.replaced(host, op, with));
    }

    fn erased(&mut self, host: &H, op: H::Op) {
        self.forget_constant(op);
        self.cache.erased(host, op);
        self.note(|changes| changes.erased(host, op));
    }
}

/// The distance between an operation and the changes that can affect the match at this operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reach {
    /// An upper bound of the number of steps from the root of a rule to an operation that the rule tests or a native
    /// reads.
    steps: usize,
    /// True if rules have natives or expressions, which may read users.
    calls: bool,
    /// True if rules step to users.
    climbs: bool,
}

impl Reach {
    /// The reach of the rules, and of hooks that fold an operation by the constants that define its operands.
    fn of(program: &Program, folds: bool) -> Self {
        let is_op = |position: &_| program.positions.kind(*position) == Kind::Op;
        let ops = |rule| program.bindings(rule).iter().filter(|position| is_op(position)).count();
        let largest = program.patterns.ids().map(ops).max().unwrap_or(0);
        // A position comes after the positions on its path.
        let mut depths: IdVec<PositionId, usize> = IdVec::default();
        for (id, position) in program.positions.iter() {
            let above = program.positions.parent(id).map_or(0, |parent| depths[parent]);
            depths.push(match *position {
                Position::DefiningOp(_) => above + 1,
                Position::Either { first, second, .. } => depths[first].max(depths[second]),
                _ => above,
            });
        }
        let deepest = depths.iter().copied().max().unwrap_or(0);
        let calls = !program.predicates.calls().is_empty();
        let climbs = program.positions.iter().any(|(_, position)| matches!(position, Position::User { .. }));
        let steps = if climbs { largest.saturating_sub(1) } else { deepest } + usize::from(calls);
        Self { steps: steps.max(usize::from(folds)), calls, climbs }
    }
}

/// The maximum number of uses that a value may have if natives read its users.
const FEW_USES: usize = 64;

/// A listener that adds the operations that a change affects to a worklist.
struct Changes<'a, H: Ir> {
    reach: Reach,
    pending: &'a RefCell<Worklist<H>>,
}

impl<H: Ir> Changes<'_, H> {
    fn add(&self, host: &H, op: H::Op) {
        self.pending.borrow_mut().push(host, op);
    }

    /// Adds an operation, the operations that contain it, and all operations at which a rule may test it. Treats the
    /// uses of its operands as changed.
    fn touch(&mut self, host: &H, changed: H::Op) {
        for index in 0..host.operand_count(changed) {
            self.touch_uses(host, host.operand(changed, index));
        }
        let mut around = host.parent_op(changed);
        while let Some(op) = around {
            self.add(host, op);
            around = host.parent_op(op);
        }
        self.add(host, changed);
        self.spread(host, vec![changed], self.reach.steps);
    }

    /// Adds the operation that defines a value whose uses change, because this operation may be dead. Also adds the
    /// operations whose matches can depend on the uses.
    fn touch_uses(&mut self, host: &H, value: H::Value) {
        if let Some(definition) = host.defining_op(value) {
            self.add(host, definition);
        }
        let Reach { calls, climbs, steps } = self.reach;
        let mut users = Vec::new();
        let limit = if climbs { usize::MAX } else { FEW_USES };
        if (calls || climbs) && each_user(host, value, limit, &mut |user| users.push(user)) {
            users.iter().for_each(|&user| self.add(host, user));
            self.spread(host, users, steps.saturating_sub(1));
        }
    }

    /// Adds the operations that reach an operation of `level` in at most this many steps.
    fn spread(&mut self, host: &H, mut level: Vec<H::Op>, steps: usize) {
        let mut seen: HashSet<H::Op, FxBuildHasher> = level.iter().copied().collect();
        for _ in 0..steps {
            let mut next = Vec::new();
            let mut reach = |op| {
                if seen.insert(op) {
                    next.push(op);
                }
            };
            for &op in &level {
                users(host, op, &mut reach);
                if self.reach.climbs {
                    for operand in (0..host.operand_count(op)).map(|index| host.operand(op, index)) {
                        host.defining_op(operand).into_iter().for_each(&mut reach);
                        each_user(host, operand, usize::MAX, &mut reach);
                    }
                }
            }
            next.iter().for_each(|&op| self.add(host, op));
            level = next;
        }
    }
}

/// An extension that removes from the worklist each operation that the driver visits, because the visit comes after all
/// changes of the operation so far.
struct Visited<'a, H: Ir>(&'a RefCell<Worklist<H>>);

impl<H: IrMut> Extension<H> for Visited<'_, H> {
    fn visit(&mut self, host: &H, op: H::Op) {
        self.0.borrow_mut().remove(host, op);
    }
}

/// Calls a function with each user of a value. Stops after `limit` uses. Returns true if there are no more uses.
fn each_user<H: Ir>(host: &H, value: H::Value, limit: usize, each: &mut dyn FnMut(H::Op)) -> bool {
    let mut users = users_of(host, value);
    users.by_ref().take(limit).for_each(each);
    users.next().is_none()
}

/// Calls a function with each user of the results of an operation.
fn users<H: Ir>(host: &H, op: H::Op, each: &mut dyn FnMut(H::Op)) {
    for index in 0..host.result_count(op) {
        each_user(host, host.result(op, index), usize::MAX, each);
    }
}

impl<H: Ir> Listener<H> for Changes<'_, H> {
    fn created(&mut self, host: &H, op: H::Op) {
        self.touch(host, op);
    }

    fn modified(&mut self, host: &H, op: H::Op) {
        self.touch(host, op);
    }

    fn replaced(&mut self, host: &H, op: H::Op, with: &[H::Value]) {
        let mut changed = Vec::new();
        users(host, op, &mut |user| changed.push(user));
        changed.into_iter().for_each(|op| self.touch(host, op));
        with.iter().for_each(|&value| self.touch_uses(host, value));
    }

    fn erased(&mut self, host: &H, op: H::Op) {
        self.touch(host, op);
        // The notifications for the operations inside `op` may have added other operations inside it to the worklist.
        // All of them are erased together with `op`, so they leave the list.
        host.walk(op, WalkOrder::Post, &mut |op| self.pending.borrow_mut().remove(host, op));
    }
}

#[cfg(test)]
mod tests;

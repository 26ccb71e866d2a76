//! The greedy driver, which applies rules until no rule applies any more.
//!
//! Specification: the driver visits operations, folds them and applies rules to them in the order of MLIR's
//! `applyPatternsGreedily` with region simplification off. Natives and operation definitions determine the folding,
//! the materialisation of constants, and the effects of operations.
//!
//! Method: sweeps over a worklist. A sweep fills the list with all operations, and then takes one operation after the
//! other from it. It removes an operation that is dead; otherwise it folds the operation, or else tries the rules on
//! it. After a change, the sweep adds to the list the operations that rules may match now: created and changed
//! operations, and users of replaced results. If at most one other operation uses an operand of an erased operation,
//! the sweep also adds the definition of this operand. Each of these operations is added together with the operations
//! that contain it. A sweep that changed something is followed by another sweep.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::constants::ConstantMerger;
use super::fold::Folder;
use super::interrupt::Interrupt;
use super::op_facts::OpFacts;
use super::report::{Limit, Report};
use super::worklist::Worklist;
use crate::host::{
    Both, Effects, Facets, Hooks, IrMut, Journal, Listener, WalkOrder, notify_erased, users_of,
};
use crate::log::span;
use crate::vm::Engine;

/// The order in which a sweep visits operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traversal {
    /// From the last operation to the first. If matches overlap, the match whose root is visited first wins; usually,
    /// it covers the most operations. The order is MLIR's default.
    #[default]
    BottomUp,
    /// From the first operation to the last. An operation comes before the operations in its regions.
    TopDown,
}

/// The operations that the greedy driver may visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// All operations.
    #[default]
    AnyOp,
    /// The operations of the input, and those that rewrites create.
    ExistingAndNewOps,
    /// The operations of the input.
    ExistingOps,
}

/// Options of the greedy driver.
///
/// ```
/// use drrvm::rewrite::{Config, Traversal};
/// let config = Config::default().traversal(Traversal::TopDown).max_sweeps(3);
/// assert_eq!(config.max_sweeps, Some(3));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The order in which a sweep visits operations.
    pub traversal: Traversal,
    /// The maximum number of sweeps; `None` for no maximum.
    pub max_sweeps: Option<u32>,
    /// The maximum number of rewrites and folds together. `None` stands for 10,000 plus 8 for each operation that the
    /// run visits at first. In `apply_greedily_to`, these are the given operations. In later runs of `Incremental`,
    /// they are the operations that changes since the last run can affect. In all other runs, they are all operations
    /// of the input.
    pub max_rewrites: Option<u64>,
    /// The maximum number of rewrites in a sweep; `None` for no maximum.
    pub max_rewrites_per_sweep: Option<u64>,
    /// Replaces equal constants by one constant. This constant moves to the start of the innermost region around it
    /// whose operation is the root, isolated from above, or unknown.
    pub unique_constants: bool,
    /// Folds operations, by hooks and by the built-in folds of canonicalisation.
    pub fold: bool,
    /// The operations that may be visited.
    pub strictness: Strictness,
    /// The only region of the root whose operations are visited; `None` for all regions.
    pub region: Option<u32>,
    /// Stops the driver on request, with [`Limit::Interrupt`].
    pub interrupt: Interrupt,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            traversal: Traversal::default(),
            max_sweeps: Some(10),
            max_rewrites: None,
            max_rewrites_per_sweep: None,
            unique_constants: true,
            fold: true,
            strictness: Strictness::default(),
            region: None,
            interrupt: Interrupt::default(),
        }
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
    pub fn max_sweeps(mut self, max: impl Into<Option<u32>>) -> Self {
        self.max_sweeps = max.into();
        self
    }

    /// Sets [`Config::max_rewrites`].
    #[must_use]
    pub fn max_rewrites(mut self, max: Option<u64>) -> Self {
        self.max_rewrites = max;
        self
    }

    /// Sets [`Config::max_rewrites_per_sweep`].
    #[must_use]
    pub fn max_rewrites_per_sweep(mut self, max: Option<u64>) -> Self {
        self.max_rewrites_per_sweep = max;
        self
    }

    /// Sets [`Config::unique_constants`].
    #[must_use]
    pub fn unique_constants(mut self, unique: bool) -> Self {
        self.unique_constants = unique;
        self
    }

    /// Sets [`Config::fold`].
    #[must_use]
    pub fn fold(mut self, fold: bool) -> Self {
        self.fold = fold;
        self
    }

    /// Sets [`Config::strictness`].
    #[must_use]
    pub fn strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// Sets [`Config::region`].
    #[must_use]
    pub fn region(mut self, region: Option<u32>) -> Self {
        self.region = region;
        self
    }

    /// Sets [`Config::interrupt`].
    #[must_use]
    pub fn interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }
}

/// Applies an engine's rules to the operations inside `root` until no rule applies any more or a limit of `config` is
/// reached.
///
/// Before it applies rules, the driver removes unreachable blocks, because the values in them need not obey dominance.
/// It removes dead operations if the program or a hook describes their effects. No rule is tried on `root` itself. If a
/// limit was reached, [`Report::not_converged`] states the limit and the rules that still fired. The IR is valid in any
/// case.
///
/// ```
/// # use std::sync::Arc;
/// # use drrvm::{LinkOptions, Matcher, Natives, NoListener, RuleSet, compile};
/// # use drrvm::{host::Bind, ir::{Context, IrHost, Module, OpSpec}};
/// use drrvm::rewrite::{Config, apply_greedily};
/// # let mut rules = RuleSet::default();
/// # let mut rule = rules.pattern("erase_nop", 1);
/// # let root = rule.op("t.nop").matched();
/// # rule.erase(root);
/// # rule.finish()?;
/// # let program = Arc::new(compile::program(&rules)?);
/// # let mut context = Context::new();
/// # let module = Module::new(&mut context);
/// # let mut host = IrHost::new(context, module);
/// # let name = host.bind_op_name("t.nop");
/// # let block = host.module.body();
/// # let nop = host.module.create(&OpSpec::new(name));
/// # host.module.append(block, nop);
/// # let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
/// let top = host.module.top();
/// let report = apply_greedily(&mut host, top, &matcher, &Config::default(), &mut NoListener);
/// assert_eq!(report.rewrites, 1);
/// assert!(report.not_converged.is_none());
/// # Ok::<(), drrvm::Diagnostics>(())
/// ```
pub fn apply_greedily<H: Facets + IrMut, E: Engine<H>>(
    host: &mut H,
    root: H::Op,
    engine: &E,
    config: &Config,
    listener: &mut dyn Listener<H>,
) -> Report {
    span!("drive", driver = "greedy");
    let mut cache = engine.cache();
    Driver::new(host, root, engine, &mut cache, config, Worklist::default(), listener).sweep(host)
}

/// The work that canonicalisation or the incremental driver adds to the greedy driver. `()` adds no work.
pub(super) trait Extension<H: IrMut> {
    /// True if the extension folds operations. If it does not, the driver folds only if a fold is registered.
    const FOLDS: bool = false;
    /// Notifies the extension that the driver visits an operation.
    fn visit(&mut self, _host: &H, _op: H::Op) {}
    /// Adds facts about operations.
    fn prepare(&mut self, _host: &mut H, _facts: &mut OpFacts) {}
    /// False only if the extension certainly neither folds nor rewrites an operation.
    fn may_change(&self, _hooks: &Hooks<H>, _host: &H, _op: H::Op) -> bool {
        false
    }
    /// Folds an operation that no hook folds. Returns true if the operation changed or was replaced.
    fn fold(&mut self, _at: &mut Site<'_, '_, H>, _op: H::Op) -> bool {
        false
    }
    /// Rewrites an operation to which no rule applies. Returns true if anything changed.
    fn rewrite(&mut self, _at: &mut Site<'_, '_, H>, _op: H::Op) -> bool {
        false
    }
    /// Ends a sweep. Returns true if anything changed.
    fn end_sweep(&mut self, _at: &mut Site<'_, '_, H>, _root: H::Op) -> bool {
        false
    }
}

impl<H: IrMut> Extension<H> for () {}

/// The parts of the driver that an [`Extension`] uses.
pub(super) struct Site<'a, 'f, H: IrMut> {
    pub(super) host: &'a mut H,
    pub(super) facts: &'a OpFacts,
    pub(super) hooks: &'f Hooks<H>,
    pub(super) folder: &'a mut Folder<'f, H>,
    pub(super) listener: &'a mut dyn Listener<H>,
}

/// True if an operation has no visible effect and is no terminator, so that it is dead when its results are unused. If
/// the operations in its regions determine its effects, the time is linear in their number.
pub(super) fn is_removable<H: IrMut>(host: &H, op: H::Op, facts: &OpFacts, hooks: &Hooks<H>) -> bool {
    let effects = |op| match hooks.effects.get(&host.op_name(op)) {
        Some(effects) => effects(host, op),
        None => facts.get(host, op).unwrap_or_default().effects,
    };
    let writes = match effects(op) {
        Effects::None | Effects::Read => false,
        Effects::Nested => {
            let mut writes = false;
            host.walk(op, WalkOrder::Pre, &mut |inner| {
                writes = writes || effects(inner) == Effects::Write;
            });
            writes
        }
        Effects::Write => true,
    };
    !writes && !facts.get(host, op).is_some_and(|known| known.terminator) && !host.is_terminator(op)
}

/// Applies an engine's rules to these operations until no rule applies any more. Rewrites add further operations as far
/// as [`Config::strictness`] allows. `scope` contains all of `ops`; operations outside `scope` are not visited. There
/// is one pass over the worklist, and constants are not merged.
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
/// use drrvm::rewrite::{Config, apply_greedily_to};
/// let top = host.module.top();
/// let first = host.module.preorder(top).nth(1).expect("an operation in the module");
/// let report = apply_greedily_to(&mut host, top, &[first], &matcher, &Config::default(), &mut NoListener);
/// assert_eq!(report.rewrites, 1); // The second operation remains.
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn apply_greedily_to<H: Facets + IrMut, E: Engine<H>>(
    host: &mut H,
    scope: H::Op,
    ops: &[H::Op],
    engine: &E,
    config: &Config,
    listener: &mut dyn Listener<H>,
) -> Report {
    span!("drive", driver = "greedy", ops = ops.len());
    let mut cache = engine.cache();
    let mut report = Report::default();
    let mut driver = Driver::new(host, scope, engine, &mut cache, config, Worklist::default(), listener);
    let ops: Vec<H::Op> = ops.iter().copied().filter(|&op| driver.is_inside(host, op)).collect();
    driver.visit(host, &ops, &mut report);
    let (mut unvisited, _) = driver.into_parts();
    if report.not_converged.is_none() && unvisited.pop(host).is_some() {
        report.stop(Limit::Sweeps(1));
    }
    report
}

/// The state of one run of the driver.
pub(super) struct Driver<'a, H: Facets + IrMut, E: Engine<H>, X = ()> {
    engine: &'a E,
    config: &'a Config,
    extension: X,
    facts: OpFacts,
    folder: Folder<'a, H>,
    cache: &'a mut E::Cache,
    queue: Queue<'a, H>,
    budget: Option<u64>,
}

impl<'a, H: Facets + IrMut, E: Engine<H>> Driver<'a, H, E> {
    /// A driver for the operations inside `root`. `worklist` is empty; a caller that runs the driver repeatedly passes
    /// the same list, so that its memory is reused.
    pub(super) fn new(
        host: &mut H,
        root: H::Op,
        engine: &'a E,
        cache: &'a mut E::Cache,
        config: &'a Config,
        worklist: Worklist<H>,
        listener: &'a mut dyn Listener<H>,
    ) -> Self {
        let facts = OpFacts::link(host, engine.program());
        let allowed = HashSet::default();
        let Config { strictness, region, .. } = *config;
        Self {
            engine,
            config,
            extension: (),
            facts,
            folder: Folder::new(host, engine.hooks(), Journal::new()),
            cache,
            queue: Queue { root, region, strictness, allowed, worklist, constants: None, listener },
            budget: config.max_rewrites,
        }
    }

    /// The driver with an extension.
    pub(super) fn extended<X: Extension<H>>(self, host: &mut H, mut extension: X) -> Driver<'a, H, E, X> {
        let Self { engine, config, extension: (), mut facts, folder, cache, queue, budget } = self;
        extension.prepare(host, &mut facts);
        Driver { engine, config, extension, facts, folder, cache, queue, budget }
    }
}

impl<'a, H: Facets + IrMut, E: Engine<H>, X: Extension<H>> Driver<'a, H, E, X> {
    /// Visits all operations inside the root, until a sweep changes nothing or a limit is reached.
    pub(super) fn sweep(&mut self, host: &mut H) -> Report {
        let Config { strictness, max_sweeps, unique_constants, traversal, .. } = *self.config;
        let root = self.queue.root;
        if strictness != Strictness::AnyOp {
            self.queue.allow_all(host);
        }
        let mut report = Report::default();
        loop {
            if let Some(max) = max_sweeps.filter(|&max| report.sweeps >= max) {
                report.stop(Limit::Sweeps(max));
                return report;
            }
            report.begin_sweep();
            let mut constants = unique_constants.then(|| ConstantMerger::new(host));
            let Driver { queue, facts, cache, .. } = self;
            let count =
                queue.fill(host, traversal, facts, constants.as_mut(), *cache, &self.config.interrupt);
            report.merged_constants += constants.as_ref().map_or(0, |constants| constants.merged);
            let Some(count) = count else {
                report.stop(Limit::Interrupt);
                return report;
            };
            let removed = &mut report.removed;
            let mut changed = host.erase_unreachable_blocks(root, &mut |host, op| {
                host.walk(op, WalkOrder::Post, &mut |op| {
                    *removed += 1;
                    cache.erased(host, op);
                    queue.listener.erased(host, op);
                    queue.forget(host, op);
                });
            });
            self.budget.get_or_insert(10_000 + 8 * count);
            self.engine.acknowledge_changes(host, self.cache);
            changed |= self.work(host, &mut report);
            if report.not_converged.is_none() {
                changed |= self.extend(host, |extension, at| extension.end_sweep(at, root));
                self.engine.acknowledge_changes(host, self.cache);
            }
            if report.not_converged.is_some() || !changed {
                self.queue.constants = constants;
                return report;
            }
        }
    }

    /// Visits these operations, and those that rewrites add to the worklist. All of `ops` must be inside the root and
    /// the region that is visited. The last operation of `ops` is visited first. Returns the maximum number of rewrites
    /// and folds of the run.
    pub(super) fn visit(&mut self, host: &mut H, ops: &[H::Op], report: &mut Report) -> u64 {
        report.begin_sweep();
        let budget = *self.budget.get_or_insert(10_000 + 8 * ops.len() as u64);
        for &op in ops {
            if self.config.strictness != Strictness::AnyOp {
                self.queue.allowed.insert(op);
            }
            // As in a sweep, constants are merged before rules test their number of uses.
            if self.merge(host, op) {
                report.merged_constants += 1;
            } else {
                self.queue.worklist.push(host, op);
            }
        }
        self.work(host, report);
        budget
    }

    /// True if an operation is inside the root and the region that is visited.
    pub(super) fn is_inside(&self, host: &H, op: H::Op) -> bool {
        self.queue.is_inside(host, op)
    }

    /// Makes [`visit`](Self::visit) merge its constants with those of earlier runs.
    pub(super) fn merge_with(&mut self, constants: Option<ConstantMerger<H>>) {
        self.queue.constants = constants;
    }

    /// Ends the run. The returned worklist has the operations that were not visited because of a limit.
    pub(super) fn into_parts(self) -> (Worklist<H>, Option<ConstantMerger<H>>) {
        (self.queue.worklist, self.queue.constants)
    }

    /// Visits the operations on the worklist until it is empty or a limit is reached. Returns true if anything changed.
    fn work(&mut self, host: &mut H, report: &mut Report) -> bool {
        let mut changed = false;
        let mut rewrites = 0;
        while self.config.max_rewrites_per_sweep.is_none_or(|max| rewrites < max)
            && let Some(op) = self.queue.worklist.pop(host)
        {
            if self.config.interrupt.is_requested() {
                report.stop(Limit::Interrupt);
                return changed;
            }
            self.extension.visit(host, op);
            if self.is_dead(host, op) {
                notify_erased(host, op, &mut Both(self.cache, &mut self.queue));
                host.erase(op);
                self.engine.acknowledge_changes(host, self.cache);
                report.removed += 1;
                changed = true;
            } else if self.merge(host, op) {
                report.merged_constants += 1;
                changed = true;
            } else if let Some(budget) = self.spent(report) {
                if self.may_change(host, op) {
                    report.stop(Limit::Rewrites(budget));
                    return changed;
                }
            } else if self.fold(host, op) {
                self.engine.acknowledge_changes(host, self.cache);
                report.folded += 1;
                changed = true;
            } else if report.count(self.engine.apply(host, op, self.cache, &mut self.queue)) {
                changed = true;
                rewrites += 1;
            } else if self.extend(host, |extension, at| extension.rewrite(at, op)) {
                self.engine.acknowledge_changes(host, self.cache);
                report.by_functions += 1;
                changed = true;
                rewrites += 1;
            }
        }
        changed
    }

    /// Replaces a constant by an equal constant that was visited before. Returns true if there is such a constant.
    fn merge(&mut self, host: &mut H, op: H::Op) -> bool {
        let Some(mut constants) = self.queue.constants.take() else { return false };
        let root = self.queue.root;
        let merged = constants.merge(host, op, root, &self.facts, &mut Both(self.cache, &mut self.queue));
        self.queue.constants = Some(constants);
        self.engine.acknowledge_changes(host, self.cache);
        merged
    }

    /// Calls the extension.
    fn extend(&mut self, host: &mut H, call: impl FnOnce(&mut X, &mut Site<'_, 'a, H>) -> bool) -> bool {
        let listener = &mut Both(&mut *self.cache, &mut self.queue);
        let (facts, hooks) = (&self.facts, self.engine.hooks());
        call(&mut self.extension, &mut Site { host, facts, hooks, folder: &mut self.folder, listener })
    }

    /// The budget, if rewrites and folds have used it up.
    fn spent(&self, report: &Report) -> Option<u64> {
        self.budget.filter(|&budget| report.rewrites + report.by_functions + report.folded >= budget)
    }

    /// True if a rule matches an operation, or if a hook or the extension may change it. The hook and the folds and
    /// rules of the extension are not called, because they may change the operation.
    fn may_change(&mut self, host: &H, op: H::Op) -> bool {
        let folds = self.folds(host, op) && self.engine.hooks().folds.contains_key(&host.op_name(op));
        folds
            || self.extension.may_change(self.engine.hooks(), host, op)
            || self.engine.match_first(host, op, self.cache).is_some()
    }

    fn folds(&self, host: &H, op: H::Op) -> bool {
        self.config.fold
            && (X::FOLDS || !self.engine.hooks().folds.is_empty())
            && !self.facts.get(host, op).is_some_and(|fact| fact.constant)
    }

    fn fold(&mut self, host: &mut H, op: H::Op) -> bool {
        self.folds(host, op)
            && (self.folder.fold(host, op, &self.facts, &mut Both(self.cache, &mut self.queue))
                || self.extend(host, |extension, at| extension.fold(at, op)))
    }

    fn is_dead(&self, host: &H, op: H::Op) -> bool {
        (0..host.result_count(op)).all(|i| host.first_use(host.result(op, i)).is_none())
            && is_removable(host, op, &self.facts, self.engine.hooks())
    }
}

/// The maximum number of uses of an operand that the driver visits to find out if several operations use it.
const USE_LIMIT: usize = 64;

/// The number of operations that are put on the worklist between two checks for an interrupt.
const INTERRUPT_INTERVAL: usize = 1024;

/// The worklist of a run. As a listener it adds and removes operations after changes.
struct Queue<'a, H: IrMut> {
    root: H::Op,
    region: Option<u32>,
    strictness: Strictness,
    /// The operations that may be visited, unless the strictness allows all.
    allowed: HashSet<H::Op, FxBuildHasher>,
    worklist: Worklist<H>,
    /// The constants of earlier runs. Each new constant is merged with these when the driver visits it.
    constants: Option<ConstantMerger<H>>,
    listener: &'a mut dyn Listener<H>,
}

impl<H: IrMut> Queue<'_, H> {
    /// Merges constants inside the root and puts all remaining operations on the list. Returns the number of operations
    /// before merging; `None` if a request to stop came before the list was complete.
    fn fill(
        &mut self,
        host: &mut H,
        traversal: Traversal,
        facts: &OpFacts,
        mut constants: Option<&mut ConstantMerger<H>>,
        cache: &mut dyn Listener<H>,
        interrupt: &Interrupt,
    ) -> Option<u64> {
        let order = match traversal {
            Traversal::TopDown => WalkOrder::Pre,
            Traversal::BottomUp => WalkOrder::Post,
        };
        let mut ops = Vec::new();
        host.walk(self.root, order, &mut |op| ops.push(op));
        self.worklist.clear();
        if self.region.is_some() {
            ops.retain(|&op| self.is_inside(host, op));
        }
        for part in ops.chunks(INTERRUPT_INTERVAL) {
            if interrupt.is_requested() {
                return None;
            }
            for &op in part {
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
        }
        if traversal == Traversal::TopDown {
            self.worklist.reverse(host);
        }
        Some(ops.len() as u64)
    }

    /// Allows visits of all operations that exist now.
    fn allow_all(&mut self, host: &H) {
        let allowed = &mut self.allowed;
        host.walk(self.root, WalkOrder::Pre, &mut |op| {
            allowed.insert(op);
        });
    }

    /// True if an operation is inside the root and the region that is visited.
    fn is_inside(&self, host: &H, op: H::Op) -> bool {
        let mut inner = op;
        while let Some(parent) = host.parent_op(inner) {
            if parent == self.root {
                return self.region.is_none_or(|region| host.region_index(inner) == region);
            }
            inner = parent;
        }
        false
    }

    /// Puts an operation on the list, and the operations that contain it, because rules may test operations inside the
    /// operation at which they match. Adds only operations that may be visited.
    ///
    /// PERF: inlined in the loop that fills the list. Without this, greedy rewriting took up to 1.4% more instructions;
    /// `cargo bench --bench compare -- once greedy tree ir 20k 100`.
    #[inline]
    fn push(&mut self, host: &H, op: H::Op) {
        if !self.is_inside(host, op) {
            return;
        }
        let mut next = Some(op);
        while let Some(op) = next.filter(|&op| op != self.root) {
            if self.strictness == Strictness::AnyOp || self.allowed.contains(&op) {
                self.worklist.push(host, op);
            }
            next = host.parent_op(op);
        }
    }

    /// Removes an operation that is about to be erased.
    fn forget(&mut self, host: &H, op: H::Op) {
        self.worklist.remove(host, op);
        self.allowed.remove(&op);
        self.forget_constant(op);
    }

    fn forget_constant(&mut self, op: H::Op) {
        if let Some(constants) = &mut self.constants {
            constants.forget(op);
        }
    }

    /// For each operand of `op`, puts its definition on the list if at most one other operation uses the operand.
    /// Because `op` is about to be erased, the definition may become dead, or may keep a single user, which rules can
    /// require. Only the newest [`USE_LIMIT`] uses are visited, so that the time is linear in the number of operands.
    fn push_operands(&mut self, host: &H, op: H::Op) {
        for index in 0..host.operand_count(op) {
            let operand = host.operand(op, index);
            let Some(definition) = host.defining_op(operand) else { continue };
            let mut other_user = None;
            let users = users_of(host, operand).take(USE_LIMIT);
            let is_few = users.filter(|&user| user != op).all(|user| {
                let seen = *other_user.get_or_insert(user);
                seen == user
            });
            if is_few {
                self.push(host, definition);
            }
        }
    }
}

impl<H: IrMut> Listener<H> for Queue<'_, H> {
    fn created(&mut self, host: &H, op: H::Op) {
        self.listener.created(host, op);
        if self.strictness == Strictness::ExistingAndNewOps {
            self.allowed.insert(op);
        }
        self.push(host, op);
    }

    fn modified(&mut self, host: &H, op: H::Op) {
        self.listener.modified(host, op);
        self.forget_constant(op);
        self.push(host, op);
    }

    fn replaced(&mut self, host: &H, op: H::Op, with: &[H::Value]) {
        self.listener.replaced(host, op, with);
        for index in 0..host.result_count(op) {
            users_of(host, host.result(op, index)).for_each(|user| self.push(host, user));
        }
    }

    fn erased(&mut self, host: &H, op: H::Op) {
        self.listener.erased(host, op);
        self.push_operands(host, op);
        // The notifications for the operations inside `op` may have added other operations inside it to the worklist.
        // All of them are erased together with `op`, so they leave the list.
        host.walk(op, WalkOrder::Post, &mut |op| self.forget(host, op));
    }
}

#[cfg(test)]
mod tests;

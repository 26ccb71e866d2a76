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
use super::worklist::Worklist;
use super::{Limit, OpFacts, Report, Rules};
use crate::host::{IrMut, Listener, WalkOrder};

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

/// Applies rules to what is inside `root` until none matches any more or a bound of `config` is hit.
///
/// What is dead is removed, as far as `facts` tells; `root` itself stays as it is. The report says
/// whether a bound was hit, and then which rules kept firing; the IR is valid in either case.
pub fn apply_greedily<H: IrMut>(
    host: &mut H,
    root: H::Op,
    rules: &mut dyn Rules<H>,
    facts: &OpFacts,
    config: &Config,
    listener: &mut dyn Listener<H>,
) -> Report {
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
        let count = queue.fill(host, config.traversal, facts, constants.as_mut());
        report.uniqued += constants.map_or(0, |constants| constants.merged);
        let budget = *budget.get_or_insert(10_000 + 8 * count);
        let mut changed = false;
        while let Some(op) = queue.worklist.pop() {
            if is_dead(host, op, facts) {
                queue.erased(host, op);
                host.erase(op);
                report.removed += 1;
                changed = true;
            } else if report.count(rules.apply(host, op, &mut queue)) {
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
                Some(constants) if op != self.root => constants.merge(host, op, self.root, facts, self),
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
mod tests {
    use super::*;
    use crate::host::mock::{Mock, MockOp};
    use crate::host::{Bind, Ir, Journal, NoListener, OpState, Rewriter};
    use crate::pdl::{PatternId, Trait};
    use crate::rewrite::{Attempt, apply_in_walk};

    /// Rules that rename an operation, or replace it by its first operand; and what was tried.
    struct Renames {
        rules: Vec<(&'static str, Option<&'static str>)>,
        journal: Journal<Mock>,
        tried: Vec<String>,
    }

    impl Renames {
        fn new(rules: &[(&'static str, Option<&'static str>)]) -> Self {
            Self { rules: rules.to_vec(), journal: Journal::default(), tried: Vec::new() }
        }
    }

    impl Rules<Mock> for Renames {
        fn apply(&mut self, host: &mut Mock, op: MockOp, listener: &mut dyn Listener<Mock>) -> Attempt {
            let name = host.op_name_text(host.op_name(op));
            let found = (0u32..).zip(&self.rules).find(|(_, (from, _))| *from == name);
            self.tried.push(name);
            let Some((rule, (_, to))) = found else { return Attempt::default() };
            let operands: Vec<_> = (0..host.operand_count(op)).map(|i| host.operand(op, i)).collect();
            let types: Vec<_> =
                (0..host.result_count(op)).map(|i| host.value_type(host.result(op, i))).collect();
            let location = host.location(op);
            let new_name = to.map(|to| host.bind_op_name(to));
            let mut rewriter = Rewriter::new(host, op, &mut self.journal);
            match new_name {
                None => rewriter.replace(op, &operands[..1]).unwrap(),
                Some(name) => {
                    let (operands, result_types) = (&operands[..], &types[..]);
                    let state = OpState { name, operands, result_types, attributes: &[], location };
                    let new = rewriter.create(&state).unwrap();
                    let results: Vec<_> = (0..rewriter.host().result_count(new))
                        .map(|i| rewriter.host().result(new, i))
                        .collect();
                    rewriter.replace(op, &results).unwrap();
                }
            }
            rewriter.commit(listener);
            Attempt { applied: Some(PatternId::from_raw(rule)), refused: 0 }
        }
    }

    /// `t.use(t.c(t.b(t.a(%0))))`.
    fn chain() -> Mock {
        let mut ir = Mock::default();
        let mut value = ir.arg("i32");
        for name in ["t.a", "t.b", "t.c"] {
            value = ir.value(name, &[value], &[], "i32");
        }
        ir.op("t.use", &[value], &[], &[]);
        ir
    }

    fn names(ir: &Mock) -> Vec<String> {
        ir.block().iter().map(|&op| ir.op_name_text(ir.op_name(op))).collect()
    }

    fn greedy(ir: &mut Mock, rules: &mut Renames, facts: &OpFacts, config: &Config) -> Report {
        let root = ir.module();
        apply_greedily(ir, root, rules, facts, config, &mut NoListener)
    }

    #[test]
    fn sweeps_until_nothing_changes() {
        let mut ir = chain();
        let mut rules = Renames::new(&[("t.a", Some("t.x")), ("t.b", None), ("t.x", Some("t.y"))]);
        let report = greedy(&mut ir, &mut rules, &OpFacts::default(), &Config::default());
        assert_eq!(names(&ir), ["t.y", "t.c", "t.use"]);
        assert_eq!((report.applied, report.rewrites, report.sweeps), (vec![1, 1, 1], 3, 2));
        assert_eq!(report.not_converged, None);
    }

    #[test]
    fn order_is_that_of_the_traversal_and_users_of_new_results_come_next() {
        let mut ir = chain();
        let mut rules = Renames::new(&[("t.b", Some("t.x"))]);
        let config = Config::default().traversal(Traversal::TopDown);
        greedy(&mut ir, &mut rules, &OpFacts::default(), &config);
        // The definition of what `t.b` used, the user of its result, and the new operation, last one first.
        let first_sweep = ["t.a", "t.b", "t.a", "t.x", "t.c", "t.use"];
        assert_eq!(rules.tried[..first_sweep.len()], first_sweep);

        let mut rules = Renames::new(&[]);
        let report = greedy(&mut chain(), &mut rules, &OpFacts::default(), &Config::default());
        assert_eq!(rules.tried, ["t.use", "t.c", "t.b", "t.a"]);
        assert_eq!((report.sweeps, report.visited), (1, 4));
    }

    #[test]
    fn what_becomes_dead_goes_and_what_has_unknown_effects_stays() {
        let mut ir = chain();
        let last = ir.block()[2];
        let unused = ir.result(last, 0);
        ir.value("t.c", &[unused], &[], "i32");
        let pure: &[Trait] = &[Trait::Pure];
        let known = [("t.c", pure), ("t.b", pure), ("t.use", &[Trait::Commutative])];
        let facts = OpFacts::link(&mut ir, known);
        let report = greedy(&mut ir, &mut Renames::new(&[]), &facts, &Config::default());
        assert_eq!(names(&ir), ["t.a", "t.b", "t.c", "t.use"]);
        assert_eq!((report.removed, report.rewrites), (1, 0));

        let mut ir = chain();
        let used = ir.block()[3];
        ir.erase(used);
        let facts = OpFacts::link(&mut ir, known);
        let report = greedy(&mut ir, &mut Renames::new(&[]), &facts, &Config::default());
        assert_eq!(names(&ir), ["t.a"]);
        assert_eq!((report.removed, report.sweeps), (2, 2));
    }

    #[test]
    fn equal_constants_become_one_at_the_start() {
        let build = || {
            let mut ir = Mock::default();
            let x = ir.value("t.x", &[], &[], "i32");
            let constants: Vec<_> =
                [("1 : i32", "i32"), ("2 : i32", "i32"), ("1 : i32", "i32"), ("1 : i32", "i64")]
                    .map(|(value, ty)| ir.value("t.constant", &[], &[("value", value)], ty))
                    .to_vec();
            ir.op("t.use", &[&[x], &constants[..]].concat(), &[], &[]);
            let facts = OpFacts::link(&mut ir, [("t.constant", &[Trait::ConstantLike] as &[Trait])]);
            (ir, facts)
        };
        let (mut ir, facts) = build();
        let report = greedy(&mut ir, &mut Renames::new(&[]), &facts, &Config::default());
        // Order and locations are what `mlir-opt-22 --test-greedy-patterns=fold=false` gives for this.
        assert_eq!(
            ir.text(),
            "%4: i64 = t.constant() { value = 1 : i32 } @loc5\n\
             %2: i32 = t.constant() { value = 2 : i32 } @loc3\n\
             %1: i32 = t.constant() { value = 1 : i32 } @unknown\n\
             %0: i32 = t.x() @loc1\n\
             t.use(%0, %1, %2, %1, %4) @loc6\n"
        );
        assert_eq!((report.uniqued, report.sweeps), (1, 1));

        let (mut ir, facts) = build();
        let before = ir.text();
        let config = Config::default().unique_constants(false);
        greedy(&mut ir, &mut Renames::new(&[]), &facts, &config);
        assert_eq!(ir.text(), before);
    }

    #[test]
    fn rules_that_undo_each_other_are_stopped_and_named() {
        let mut ir = chain();
        let mut rules =
            Renames::new(&[("t.c", None), ("t.a", Some("t.x")), ("t.x", Some("t.y")), ("t.y", Some("t.x"))]);
        let report =
            greedy(&mut ir, &mut rules, &OpFacts::default(), &Config::default().max_rewrites(Some(50)));
        assert_eq!(report.rewrites, 50);
        let stopped = report.not_converged.unwrap();
        let [undo, redo] = [2, 3].map(PatternId::from_raw);
        assert_eq!(stopped.limit, Limit::Rewrites(50));
        assert_eq!(stopped.cycle, Some(vec![undo, redo]));
        assert_eq!(stopped.firing.iter().map(|f| f.1).sum::<u64>(), stopped.window);
        // Without a bound of the caller's there is one all the same.
        let report = greedy(&mut chain(), &mut rules, &OpFacts::default(), &Config::default());
        assert!(report.not_converged.is_some());
    }

    #[test]
    fn last_sweep_must_be_without_a_change() {
        let mut rules = Renames::new(&[("t.b", None)]);
        let report = greedy(&mut chain(), &mut rules, &OpFacts::default(), &Config::default().max_sweeps(1));
        let stopped = report.not_converged.unwrap();
        assert_eq!(stopped.limit, Limit::Sweeps(1));
        assert_eq!(stopped.firing, [(PatternId::from_raw(0), 1)]);
    }

    #[test]
    fn walk_tries_what_was_there_once() {
        let mut ir = chain();
        let mut rules = Renames::new(&[("t.a", Some("t.x")), ("t.x", Some("t.y")), ("t.c", None)]);
        let root = ir.module();
        let report = apply_in_walk(&mut ir, root, &mut rules, &mut NoListener);
        assert_eq!(rules.tried, ["t.a", "t.b", "t.c", "t.use"]);
        assert_eq!(names(&ir), ["t.x", "t.b", "t.use"]);
        assert_eq!((report.visited, report.rewrites, report.sweeps), (4, 2, 1));
    }
}

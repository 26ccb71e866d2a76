//! Tests of the drivers with rules on the tree engine.

use std::sync::{Arc, Mutex};

use super::*;
use crate::bytecode;
use crate::host::mock::Mock;
use crate::host::{Entity, Ir, Kind, Natives, NoListener, Signature};
use crate::matcher_tree;
use crate::pdl::{OpDef, PatternId, RuleSet, Trait};
use crate::rewrite::{apply_in_walk, apply_in_walk_until};
use crate::vm::{LinkOptions, Matcher};

/// Rules over operations with one operand and one result, and the names of the operations on which they were tried.
struct Rules {
    set: RuleSet,
    tried: Arc<Mutex<Vec<String>>>,
}

impl Rules {
    /// Rules that each rename an operation or replace it by its operand.
    fn new(renames: &[(&str, Option<&str>)]) -> Self {
        let mut set = RuleSet::default();
        for (from, to) in renames {
            let mut rule = set.pattern(from, 1);
            let x = rule.value();
            let old = rule.op(from).operand(x).matched();
            match to {
                None => rule.replace(old, [x]),
                Some(to) => {
                    let ty = rule.type_of(x);
                    let new = rule.create(to).operand(x).result_type(ty).created();
                    rule.replace_by_op(old, new);
                }
            }
            rule.finish().unwrap();
        }
        // A rule that is tried first on every operation and never matches.
        let mut rule = set.pattern("visit", 9);
        let any = rule.any_op().matched();
        rule.constraint("visit", [any]);
        rule.erase(any);
        rule.finish().unwrap();
        Self { set, tried: Arc::default() }
    }

    fn define(mut self, name: &str, traits: &[Trait]) -> Self {
        let name = self.set.strings.intern(name);
        self.set.ops.insert(OpDef { traits: traits.to_vec(), ..OpDef::new(name) });
        self
    }

    fn link(&self, ir: &mut Mock) -> Matcher<Mock> {
        let rules = self.set.verify().unwrap();
        let tree = matcher_tree::build(rules, &matcher_tree::Config::default()).unwrap();
        let program = bytecode::compile(rules, &tree).unwrap();
        let tried = Arc::clone(&self.tried);
        let signature = Signature::new([Kind::Op], []);
        let visit = move |ir: &Mock, args: &[Entity<Mock>]| {
            let Entity::Op(op) = args[0] else { unreachable!("the signature says so") };
            tried.lock().unwrap().push(ir.op_name_text(ir.op_name(op)));
            None
        };
        let natives = Natives::new().constraint_with("visit", signature, false, visit);
        Matcher::link(Arc::new(program), ir, &natives, &LinkOptions::default()).unwrap()
    }

    fn greedy(&self, ir: &mut Mock, config: &Config) -> Report {
        let matcher = self.link(ir);
        let root = ir.module();
        apply_greedily(ir, root, &matcher, config, &mut NoListener)
    }

    fn tried(&self) -> Vec<String> {
        std::mem::take(&mut self.tried.lock().unwrap())
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

#[test]
fn sweeps_until_nothing_changes() {
    let mut ir = chain();
    let rules = Rules::new(&[("t.a", Some("t.x")), ("t.b", None), ("t.x", Some("t.y"))]);
    let report = rules.greedy(&mut ir, &Config::default());
    assert_eq!(names(&ir), ["t.y", "t.c", "t.use"]);
    assert_eq!((report.applied, report.rewrites, report.sweeps), (vec![1, 1, 1], 3, 2));
    assert_eq!(report.not_converged, None);
}

#[test]
fn visits_follow_the_traversal_but_operations_near_a_rewrite_come_next() {
    let mut ir = chain();
    let rules = Rules::new(&[("t.b", Some("t.x"))]);
    rules.greedy(&mut ir, &Config::default().traversal(Traversal::TopDown));
    // The definition of the operand of `t.b` is visited again, then the new operation, then the rest of the list.
    let first_sweep = ["t.a", "t.b", "t.a", "t.x", "t.c", "t.use"];
    assert_eq!(rules.tried()[..first_sweep.len()], first_sweep);

    let rules = Rules::new(&[]);
    let report = rules.greedy(&mut chain(), &Config::default());
    assert_eq!(rules.tried(), ["t.use", "t.c", "t.b", "t.a"]);
    assert_eq!((report.sweeps, report.visited), (1, 4));
}

#[test]
fn dead_operations_are_removed_unless_their_effects_are_unknown() {
    let definitions = || {
        let rules = Rules::new(&[]).define("t.c", &[Trait::Pure]).define("t.b", &[Trait::Pure]);
        rules.define("t.use", &[Trait::Commutative])
    };
    let mut ir = chain();
    let last = ir.block()[2];
    let unused = ir.result(last, 0);
    ir.value("t.c", &[unused], &[], "i32");
    let report = definitions().greedy(&mut ir, &Config::default());
    assert_eq!(names(&ir), ["t.a", "t.b", "t.c", "t.use"]);
    assert_eq!((report.removed, report.rewrites), (1, 0));

    let mut ir = chain();
    let used = ir.block()[3];
    ir.erase(used);
    let report = definitions().greedy(&mut ir, &Config::default());
    assert_eq!(names(&ir), ["t.a"]);
    assert_eq!((report.removed, report.sweeps), (2, 2));
}

#[test]
fn equal_constants_are_merged_at_the_start() {
    let build = || {
        let mut ir = Mock::default();
        let x = ir.value("t.x", &[], &[], "i32");
        let constants = [("1 : i32", "i32"), ("2 : i32", "i32"), ("1 : i32", "i32"), ("1 : i32", "i64")]
            .map(|(value, ty)| ir.value("t.constant", &[], &[("value", value)], ty));
        ir.op("t.use", &[&[x], &constants[..]].concat(), &[], &[]);
        ir
    };
    let rules = Rules::new(&[]).define("t.constant", &[Trait::ConstantLike]);
    let mut ir = build();
    let report = rules.greedy(&mut ir, &Config::default());
    // The order and the locations are those of `mlir-opt-22 --test-greedy-patterns=fold=false`.
    assert_eq!(
        ir.text(),
        "%4: i64 = t.constant() { value = 1 : i32 } @loc5\n\
         %2: i32 = t.constant() { value = 2 : i32 } @loc3\n\
         %1: i32 = t.constant() { value = 1 : i32 } @unknown\n\
         %0: i32 = t.x() @loc1\n\
         t.use(%0, %1, %2, %1, %4) @loc6\n"
    );
    assert_eq!((report.merged_constants, report.sweeps), (1, 1));

    let mut ir = build();
    rules.greedy(&mut ir, &Config::default().unique_constants(false));
    assert_eq!(ir.text(), build().text());
}

#[test]
fn rules_that_undo_each_other_are_stopped_and_named() {
    let rules =
        Rules::new(&[("t.c", None), ("t.a", Some("t.x")), ("t.x", Some("t.y")), ("t.y", Some("t.x"))]);
    let report = rules.greedy(&mut chain(), &Config::default().max_rewrites(Some(50)));
    assert_eq!(report.rewrites, 50);
    let stopped = report.not_converged.unwrap();
    let [undo, redo] = [2, 3].map(PatternId::from_raw);
    assert_eq!(stopped.limit, Limit::Rewrites(50));
    assert_eq!(stopped.cycle, Some(vec![undo, redo]));
    assert_eq!(stopped.firing.iter().map(|f| f.1).sum::<u64>(), stopped.window);
    // There is a default limit.
    assert!(rules.greedy(&mut chain(), &Config::default()).not_converged.is_some());
}

#[test]
fn the_last_sweep_must_change_nothing() {
    let rules = Rules::new(&[("t.b", None)]);
    let stopped = rules.greedy(&mut chain(), &Config::default().max_sweeps(1)).not_converged.unwrap();
    assert_eq!(stopped.limit, Limit::Sweeps(1));
    assert_eq!(stopped.firing, [(PatternId::from_raw(0), 1)]);
}

#[test]
fn walk_tries_operations_of_the_input_once() {
    let mut ir = chain();
    let rules = Rules::new(&[("t.a", Some("t.x")), ("t.x", Some("t.y")), ("t.c", None)]);
    let matcher = rules.link(&mut ir);
    let root = ir.module();
    let report = apply_in_walk(&mut ir, root, &matcher, &mut NoListener);
    assert_eq!(rules.tried(), ["t.a", "t.b", "t.c", "t.use"]);
    assert_eq!(names(&ir), ["t.x", "t.b", "t.use"]);
    assert_eq!((report.visited, report.rewrites, report.sweeps), (4, 2, 1));
}

/// A request that stops the driver when the driver has asked this many times.
fn interrupt_after(asked: usize) -> Interrupt {
    let left = Mutex::new(asked);
    Interrupt::new(move || {
        let mut left = left.lock().unwrap();
        *left = left.saturating_sub(1);
        *left == 0
    })
}

#[test]
fn an_interrupt_ends_both_drivers() {
    let endless = [("t.a", Some("t.x")), ("t.x", Some("t.a"))];
    let config = Config::default().max_rewrites(Some(u64::MAX)).max_sweeps(None);
    let report = Rules::new(&endless).greedy(&mut chain(), &config.clone().interrupt(interrupt_after(100)));
    let stopped = report.not_converged.unwrap();
    assert_eq!(stopped.limit, Limit::Interrupt);
    assert_eq!(stopped.cycle.map(|cycle| cycle.len()), Some(2));

    // The request arrives before the first visit.
    let rules = Rules::new(&endless);
    let report = rules.greedy(&mut chain(), &config.interrupt(interrupt_after(1)));
    assert_eq!(report.not_converged.map(|stopped| stopped.limit), Some(Limit::Interrupt));
    assert_eq!(rules.tried(), [""; 0]);

    let mut ir = chain();
    let rules = Rules::new(&[("t.a", Some("t.x"))]);
    let (matcher, root) = (rules.link(&mut ir), ir.module());
    let report = apply_in_walk_until(&mut ir, root, &matcher, &interrupt_after(3), &mut NoListener);
    assert_eq!(rules.tried(), ["t.a", "t.b"]);
    assert_eq!(report.not_converged.map(|stopped| stopped.limit), Some(Limit::Interrupt));
}

/// The number of reads during a run that replaces `t.v`. All `count` operands of `t.v` are the same value, which
/// `count` other operations use as well.
fn reads_of_repeated_operand(count: usize, traversal: Traversal) -> usize {
    let mut set = RuleSet::default();
    let mut rule = set.pattern("rename", 1);
    let values = rule.values();
    let old = rule.op("t.v").operands(values).no_results().matched();
    let new = rule.create("t.w").operand(values).created();
    rule.replace_by_op(old, new);
    rule.finish().unwrap();
    let mut rule = set.pattern("erase", 1);
    let value = rule.value();
    let user = rule.op("t.user").operand(value).no_results().matched();
    rule.erase(user);
    rule.finish().unwrap();
    let rules = Rules { set, tried: Arc::default() };

    let mut ir = Mock::default();
    let value = ir.value("t.x", &[], &[], "i32");
    for _ in 0..count {
        ir.op("t.user", &[value], &[], &[]);
    }
    ir.op("t.v", &vec![value; count], &[], &[]);
    let matcher = rules.link(&mut ir);
    let root = ir.module();
    let before = ir.reads();
    let config = Config::default().traversal(traversal);
    let report = apply_greedily(&mut ir, root, &matcher, &config, &mut NoListener);
    assert_eq!(report.applied, [1, u64::try_from(count).unwrap()]);
    ir.reads() - before
}

#[test]
fn time_is_linear_in_the_operands_if_an_operand_is_repeated() {
    for traversal in [Traversal::TopDown, Traversal::BottomUp] {
        let [few, many] = [500, 2000].map(|count| reads_of_repeated_operand(count, traversal));
        assert!(many < 6 * few, "{traversal:?}: {few} reads for 500 operands, and {many} for 2000");
    }
}

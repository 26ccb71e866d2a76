//! Tests of the incremental driver: after random changes, a run gives the result of the greedy driver, and a run visits
//! only the operations that changes affect.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::bytecode;
use crate::host::arg::Value;
use crate::host::mock::Mock;
use crate::host::{AttrNameId, Bind, Natives, NoListener, notify_erased};
use crate::matcher_tree;
use crate::pdl::{OpDef, RuleSet, Trait};
use crate::rewrite::{Traversal, apply_greedily};
use crate::vm::{Automaton, LinkOptions, Matcher};

/// A host whose IR is changed by the tests.
trait Graph: Facets + IrMut + Bind + Clone {
    fn empty() -> Self;
    fn top(&self) -> Self::Op;
    /// Adds an operation with one result at the end.
    fn add(&mut self, name: &str, operands: &[Self::Value]) -> Self::Value;
    /// Adds a constant at the end.
    fn add_constant(&mut self, value: &str) -> Self::Value;
    fn set_operand(&mut self, op: Self::Op, index: u32, value: Self::Value);
    fn text(&self, attr: Self::Attr) -> String;

    fn all_ops(&self) -> Vec<Self::Op> {
        let mut ops = Vec::new();
        self.walk(self.top(), WalkOrder::Pre, &mut |op| ops.push(op));
        ops.retain(|&op| op != self.top());
        ops
    }

    /// Returns the sorted constants, and the other operations in order with their operands.
    fn shape(&mut self) -> (Vec<String>, Vec<(String, Vec<String>)>) {
        let value = self.bind_attr_name("value");
        let constant = |op| self.attr(op, value).map(|value| self.text(value));
        let (constants, ops): (Vec<_>, Vec<_>) =
            self.all_ops().into_iter().partition(|&op| constant(op).is_some());
        let definition = |op| match constant(op) {
            Some(value) => value,
            None => format!("{:?}", ops.iter().position(|&other| other == op)),
        };
        let operands = |op| {
            let operands = (0..self.operand_count(op)).map(|index| self.operand(op, index));
            operands.map(|operand| self.defining_op(operand).map_or(String::new(), definition)).collect()
        };
        let mut constants: Vec<String> = constants.into_iter().filter_map(constant).collect();
        constants.sort_unstable();
        (constants, ops.iter().map(|&op| (self.op_name_text(self.op_name(op)), operands(op))).collect())
    }
}

impl Graph for Mock {
    fn empty() -> Self {
        Self::default()
    }
    fn top(&self) -> Self::Op {
        self.module()
    }
    fn add(&mut self, name: &str, operands: &[Self::Value]) -> Self::Value {
        self.value(name, operands, &[], "i32")
    }
    fn add_constant(&mut self, value: &str) -> Self::Value {
        self.value("t.constant", &[], &[("value", value)], "i32")
    }
    fn text(&self, attr: Self::Attr) -> String {
        self.str(attr.0).to_owned()
    }
    fn set_operand(&mut self, op: Self::Op, index: u32, value: Self::Value) {
        Mock::set_operand(self, op, index, value);
    }
}

#[cfg(feature = "ir")]
impl Graph for crate::ir::IrHost {
    fn empty() -> Self {
        let mut context = crate::ir::Context::new();
        let module = crate::ir::Module::new(&mut context);
        Self::new(context, module)
    }
    fn top(&self) -> Self::Op {
        self.module.top()
    }
    fn add(&mut self, name: &str, operands: &[Self::Value]) -> Self::Value {
        self.append(name, operands, &[])
    }
    fn add_constant(&mut self, value: &str) -> Self::Value {
        let name = self.bind_attr_name("value");
        let value = self.context.parse_attr(value).expect("an attribute");
        self.append("t.constant", &[], &[(name, value)])
    }
    fn text(&self, attr: Self::Attr) -> String {
        self.context.attr_text(attr)
    }
    fn set_operand(&mut self, op: Self::Op, index: u32, value: Self::Value) {
        self.module.set_operand(op, index, value);
    }
}

#[cfg(feature = "ir")]
impl crate::ir::IrHost {
    fn append(
        &mut self,
        name: &str,
        operands: &[crate::ir::ValueId],
        attributes: &[(AttrNameId, crate::ir::AttrId)],
    ) -> crate::ir::ValueId {
        let (name, ty) = (self.bind_op_name(name), self.context.parse_type("i32").expect("a type"));
        let types = [ty];
        let mut spec = crate::ir::OpSpec::new(name).operands(operands).results(&types);
        spec.properties = self.context.dictionary(&mut attributes.to_vec());
        let op = self.module.create(&spec);
        let body = self.module.body();
        self.module.append(body, op);
        self.module.result(op, 0)
    }
}

/// The rules of a comparison.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A rule that is three operations deep, and a rule that matches its result.
    Deep,
    /// A rule with a native, which tests if a value has a single use. The value is an operand of the operation that
    /// defines an operand of the root.
    Native,
    /// Rules with a second root, `t.c`, which uses a direct or indirect operand of the first root.
    Climb,
}

/// Rules whose result does not depend on the order in which they are applied, because no rule makes another rule fail.
/// All operations of the rules have two operands.
fn rules(kind: Kind) -> RuleSet {
    let mut rules = RuleSet::default();
    let pure = rules.strings.intern("t.pure");
    rules.ops.insert(OpDef { traits: vec![Trait::Pure], ..OpDef::new(pure) });
    let constant = rules.strings.intern("t.constant");
    rules.ops.insert(OpDef { traits: vec![Trait::Pure, Trait::ConstantLike], ..OpDef::new(constant) });
    let roots: &[(&str, &[&str], &str)] = match kind {
        Kind::Deep => &[("t.a", &["t.b", "t.c"], "t.d"), ("t.e", &["t.d"], "t.f")],
        Kind::Native => &[("t.a", &["t.b"], "t.d")],
        Kind::Climb => &[("t.a", &["t.b"], "t.d"), ("t.e", &[], "t.f")],
    };
    for &(from, inner, to) in roots {
        let mut rule = rules.pattern(from, 1);
        let mut first = rule.value();
        match kind {
            Kind::Deep => {}
            Kind::Native => rule.constraint("isUsedOnce", [first]),
            Kind::Climb => {
                let other = rule.value();
                rule.op("t.c").operand(first).operand(other).matched();
            }
        }
        for name in inner.iter().rev() {
            let other = rule.value();
            let op = rule.op(name).operand(first).operand(other).matched();
            first = rule.result(op, 0);
        }
        let second = rule.value();
        let root = rule.op(from).operand(first).operand(second).matched();
        rule.root(root);
        let ty = rule.type_of(second);
        let new = rule.create(to).operand(first).operand(second).result_type(ty).created();
        rule.replace_by_op(root, new);
        rule.finish().expect("a valid rule");
    }
    rules
}

fn natives<H: Graph>() -> Natives<H> {
    Natives::new().constraint("isUsedOnce", |host: &H, value: Value<H>| {
        host.first_use(value.0).is_some_and(|first| host.next_use(first).is_none())
    })
}

fn engine<H: Graph>(host: &mut H, kind: Kind) -> Automaton<H> {
    let set = rules(kind);
    let verified = set.verify().expect("valid rules");
    let tree = matcher_tree::build(verified, &matcher_tree::Config::default()).expect("a tree");
    let program = Arc::new(bytecode::compile(verified, &tree).expect("a program"));
    Automaton::new(Matcher::link(program, host, &natives(), &LinkOptions::default()).expect("a matcher"))
}

const NAMES: [&str; 6] = ["t.a", "t.b", "t.c", "t.e", "t.pure", "t.x"];

/// A change: its kind, and three numbers that choose its operations, operand, name or constant.
type Change = (u32, usize, usize, usize);

/// Makes changes. Runs the driver after the first change, and then after every third change, and compares its result
/// with that of the greedy driver.
fn compare<H: Graph>(changes: &[Change], kind: Kind, config: &Config) {
    let mut host = H::empty();
    for name in NAMES {
        host.bind_op_name(name);
    }
    host.add("t.start", &[]);
    let engine = engine(&mut host, kind);
    let mut driver = Incremental::new(&engine, config.clone());
    let top = host.top();
    for (number, &(what, op, first, second)) in changes.iter().enumerate() {
        let ops = host.all_ops();
        // This test neither changes nor erases the first operation, so that there is always a value.
        let at = 1 + op % ops.len().saturating_sub(1).max(1);
        match what {
            0 | 1 if ops.len() > 1 && host.operand_count(ops[at]) > 0 => {
                let value = host.result(ops[first % at], 0);
                driver.modified(&host, ops[at]);
                host.set_operand(ops[at], u32::from(second % 2 == 1), value);
                driver.modified(&host, ops[at]);
            }
            2 if ops.len() > 1 && host.first_use(host.result(ops[at], 0)).is_none() => {
                driver.erased(&host, ops[at]);
                host.erase(ops[at]);
            }
            3 => {
                let new = host.add_constant(&format!("{} : i32", second % 3));
                let new = host.defining_op(new).expect("the new constant");
                driver.created(&host, new);
            }
            _ => {
                // Recent operands make deep matches likely.
                let recent = |back: usize| host.result(ops[ops.len() - 1 - back.min(ops.len() - 1)], 0);
                let operands = [recent(first % 3), recent(second % 8)];
                let new = host.add(NAMES[op % NAMES.len()], &operands);
                let new = host.defining_op(new).expect("the new operation");
                driver.created(&host, new);
            }
        }
        if number % 3 == 0 {
            let mut other = host.clone();
            apply_greedily(&mut other, top, &engine, config, &mut NoListener);
            let report = driver.run(&mut host, top, &mut NoListener);
            assert_eq!(report.not_converged, None);
            assert_eq!(host.shape(), other.shape());
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec((0..9u32, 0..1000usize, 0..1000usize, 0..1000usize), 1..80)
}

fn config() -> impl Strategy<Value = Config> {
    let config = Config::default().max_sweeps(100);
    prop::sample::select(vec![
        config.clone().traversal(Traversal::TopDown),
        config.clone().max_rewrites_per_sweep(Some(1)),
        config.clone().strictness(Strictness::ExistingOps),
        config,
    ])
}

proptest! {
    #![proptest_config(crate::test_seed::config())]

    #[test]
    fn an_incremental_run_equals_a_full_run(
        changes in changes(),
        kind in prop::sample::select(vec![Kind::Deep, Kind::Native, Kind::Climb]),
        config in config(),
    ) {
        compare::<Mock>(&changes, kind, &config);
        #[cfg(feature = "ir")]
        compare::<crate::ir::IrHost>(&changes, kind, &config);
    }
}

#[test]
fn a_run_visits_only_operations_that_changes_affect() {
    let mut host = Mock::default();
    let x = host.value("t.start", &[], &[], "i32");
    let mut value = x;
    for _ in 0..100 {
        value = host.value("t.x", &[value, x], &[], "i32");
    }
    let engine = engine(&mut host, Kind::Native);
    let mut driver = Incremental::new(&engine, Config::default());
    let top = host.module();
    assert_eq!(driver.run(&mut host, top, &mut NoListener).visited, 101);
    assert_eq!(driver.run(&mut host, top, &mut NoListener).visited, 0);
    for name in ["t.b", "t.a"] {
        value = host.value(name, &[value, x], &[], "i32");
        driver.created(&host, host.defining_op(value).expect("an operation"));
    }
    let report = driver.run(&mut host, top, &mut NoListener);
    assert_eq!(report.rewrites, 1);
    // `t.start` has more uses than natives may read, so its users are not visited.
    assert!(report.visited < 20, "{}", report.visited);
    driver.forget();
    assert_eq!(driver.run(&mut host, top, &mut NoListener).visited, 103);
}

/// The driver removes erased operations, also nested ones, from its list of operations to visit, because a new
/// operation can get the id of an erased one.
#[cfg(feature = "ir")]
#[test]
fn an_erased_region_is_forgotten() {
    use crate::ir::{Context, IrHost, parse_module};
    let mut sources = crate::source::SourceMap::default();
    let text = r#""t.outer"() ({
  %0 = "t.x"() : () -> i32
  %1 = "t.x"(%0, %0) : (i32, i32) -> i32
  "t.x"(%1, %0) : (i32, i32) -> ()
}) : () -> ()"#;
    let file = sources.add("input.mlir", text.to_owned()).expect("a short text");
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).expect("valid IR");
    let mut host = IrHost::new(context, module);
    let engine = engine(&mut host, Kind::Native);
    let mut driver = Incremental::new(&engine, Config::default());
    let top = host.module.top();
    assert_eq!(driver.run(&mut host, top, &mut NoListener).visited, 4);
    let outer = host.all_ops()[0];
    notify_erased(&host, outer, &mut driver);
    host.erase(outer);
    assert_eq!(driver.run(&mut host, top, &mut NoListener).visited, 0);
}

/// A driver that stopped at a limit visits everything again.
#[test]
fn a_run_that_stops_at_a_limit_is_followed_by_a_full_run() {
    let mut host = Mock::default();
    let x = host.value("t.start", &[], &[], "i32");
    let y = host.value("t.b", &[x, x], &[], "i32");
    let engine = engine(&mut host, Kind::Climb);
    let mut driver = Incremental::new(&engine, Config::default().max_sweeps(1));
    let top = host.module();
    assert_eq!(driver.run(&mut host, top, &mut NoListener).not_converged, None);
    // `t.a` is visited last. Its rewrite changes operations that a rule at `t.c` can test, so a second sweep follows.
    for (name, first) in [("t.a", y), ("t.c", x)] {
        let new = host.value(name, &[first, y], &[], "i32");
        driver.created(&host, host.defining_op(new).expect("an operation"));
    }
    let report = driver.run(&mut host, top, &mut NoListener);
    assert!(report.not_converged.is_some());
    assert!(driver.run(&mut host, top, &mut NoListener).visited >= 3);
}

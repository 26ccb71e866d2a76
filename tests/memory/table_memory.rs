//! The automaton's estimate of the size of its tables is close to the memory that they use, so the limit on the
//! estimate bounds the memory.

use std::fmt::Write;
use std::sync::Arc;

use crate::MEMORY;

use drrvm::compile;
use drrvm::host::Natives;
use drrvm::ir::{Context, IrHost, parse_module};
use drrvm::pdl::{PatternBuilder, RuleSet};
use drrvm::source::SourceMap;
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher};

/// Rules, and operations for which matching builds tables.
struct Workload {
    rules: RuleSet,
    ops: String,
    count: usize,
}

impl Workload {
    /// Creates `count` operations with one result each; the first seven define operands of the others.
    fn new(rules: RuleSet, count: usize, op: impl Fn(usize) -> String) -> Self {
        let mut ops = "\"builtin.module\"() ({\n".to_owned();
        for i in 0..7 {
            writeln!(ops, "%{i} = \"t.n{i}\"() {{v = {i} : i32}} : () -> i32").unwrap();
        }
        (7..count).for_each(|i| writeln!(ops, "%{i} = {}", op(i)).unwrap());
        ops.push_str("}) : () -> ()");
        Self { rules, ops, count }
    }

    /// Returns the estimated bytes, the bytes in use, and the numbers of nodes and states.
    fn run(self) -> (usize, usize, (usize, usize)) {
        let mut sources = SourceMap::default();
        let file = sources.add("input.mlir", self.ops).unwrap();
        let mut context = Context::new();
        let module = parse_module(&mut context, sources.file(file)).unwrap();
        let mut host = IrHost::new(context, module);
        let program = Arc::new(compile::program(&self.rules).unwrap());
        let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default()).unwrap();
        let automaton = Automaton::new(Arc::new(matcher)).memory(usize::MAX);
        let ops: Vec<_> = host.module.preorder(host.module.top()).collect();
        assert!(ops.len() > self.count);
        let mut cache = automaton.cache();
        // The labels are allocated before the measurement, because they are not part of the tables.
        automaton.match_first(&host, *ops.last().unwrap(), &mut cache);
        let (mut estimated, mut used) = (0, 0);
        for part in ops.chunks(ops.len() / 4 + 1) {
            let before = cache.table_bytes();
            let (found, _, held) = MEMORY.during(|| {
                part.iter().filter(|&&op| automaton.match_first(&host, op, &mut cache).is_some()).count()
            });
            assert!(found > 0);
            estimated += cache.table_bytes() - before;
            used += held;
        }
        assert!(!cache.has_given_up());
        (estimated, used, cache.table_size())
    }
}

/// Builds rules from their numbers.
fn rules(count: usize, mut make: impl FnMut(&mut PatternBuilder<'_>, usize)) -> RuleSet {
    let mut rules = RuleSet::default();
    for i in 0..count {
        let mut rule = rules.pattern(&format!("r{i}"), 1);
        make(&mut rule, i);
        rule.finish().unwrap();
    }
    rules
}

const NAMES: usize = 40;

/// A rule with a constant for each pair of names, so that the tables have many states, inner sets and rows.
fn nested() -> Workload {
    let rules = rules(1600, |rule, i| {
        let value = rule.attr_constant(&format!("{} : i32", i % 7));
        let below = rule.op(&format!("t.n{}", i % NAMES)).attr("v", value).matched();
        let (x, y) = (rule.result(below, 0), rule.value());
        let root = rule.op(&format!("t.n{}", i / NAMES)).operand(x).operand(y).matched();
        rule.erase(root);
    });
    Workload::new(rules, 20_000, |i| {
        let (a, b, name) = (i - 1 - i % 5, i - 1 - i % 7, i * 7919 % 10_007 % NAMES);
        let value = i * 104_729 % 1_009 % 7;
        format!("\"t.n{name}\"(%{a}, %{b}) {{v = {value} : i32}} : (i32, i32) -> i32")
    })
}

/// Each name occurs with many numbers of operands, and each combination has its own plan.
fn counts() -> Workload {
    let rules = rules(100, |rule, i| {
        let value = rule.attr_constant("1 : i32");
        let root = rule.op(&format!("t.n{i}")).attr("v", value).matched();
        rule.erase(root);
    });
    Workload::new(rules, 4_000, |i| {
        let (operands, types) =
            (["%0"].repeat(i / 100 + 1).join(", "), ["i32"].repeat(i / 100 + 1).join(", "));
        format!("\"t.n{}\"({operands}) {{v = {} : i32}} : ({types}) -> i32", i % 100, i % 3)
    })
}

/// More constants than a plan distinguishes: one deferred test has many results, and each leads to a state.
fn answers() -> Workload {
    let rules = rules(3_000, |rule, i| {
        let value = rule.attr_constant(&format!("{i} : i32"));
        let root = rule.op("t.n0").attr("v", value).matched();
        rule.erase(root);
    });
    Workload::new(rules, 3_500, |i| format!("\"t.n0\"() {{v = {} : i32}} : () -> i32", i - 7))
}

/// Differently written attributes of a dialect may be equal, so each attribute needs a deferred test. The tests run in
/// sequence.
fn questions() -> Workload {
    let rules = rules(60, |rule, i| {
        let value = rule.attr_constant(&format!("#t.v<{i}>"));
        let root = rule.op("t.n0").attr("v", value).matched();
        rule.erase(root);
    });
    Workload::new(rules, 200, |i| format!("\"t.n0\"() {{v = #t.v<{}>}} : () -> i32", i % 60))
}

/// Several attributes with a few values each; a plan distinguishes all combinations.
fn combinations() -> Workload {
    let rules = rules(600, |rule, i| {
        let name = ["a", "b", "c", "d"][i % 4];
        let value = rule.attr_constant(&format!("{} : i32", i / 4 % 3));
        let root = rule.op(&format!("t.n{}", i / 12)).attr(name, value).matched();
        rule.erase(root);
    });
    Workload::new(rules, 50 * 256, |i| {
        let [a, b, c, d] = [1, 4, 16, 64].map(|n| i / 50 / n % 4);
        let name = i % 50;
        format!("\"t.n{name}\"() {{a = {a} : i32, b = {b} : i32, c = {c} : i32, d = {d} : i32}} : () -> i32")
    })
}

/// Each rule tests one of four operands and an attribute, so many rules may hold at each node.
fn open_rules() -> Workload {
    let rules = rules(4 * 7 * 5, |rule, i| {
        let below = rule.op(&format!("t.n{}", i % 7)).matched();
        let value = rule.attr_constant(&format!("{} : i32", i / 28));
        let result = rule.defined_by(below);
        let operands = [0, 1, 2, 3].map(|at| if i / 7 % 4 == at { result } else { rule.value() });
        let root = operands.into_iter().fold(rule.op("t.root"), |op, operand| op.operand(operand));
        let root = root.attr("v", value).matched();
        rule.erase(root);
    });
    let all = 7_usize.pow(4);
    Workload::new(rules, 7 + all, move |i| {
        let operands = [1, 7, 49, 343].map(|n| format!("%{}", (i - 7) / n % 7)).join(", ");
        format!("\"t.root\"({operands}) {{v = 1 : i32}} : (i32, i32, i32, i32) -> i32")
    })
}

#[test]
fn estimates_of_table_sizes_are_within_a_factor_of_two() {
    // The name of each workload, the workload, and the expected numbers of nodes and states; one of the states is the
    // empty set.
    let all = [
        ("nested", nested(), None),
        // A node for each pair of a name and a number of operands; a state for each name.
        ("counts", counts(), Some((4_000, 101))),
        // A single node leads to a state for each constant.
        ("answers", answers(), Some((1, 3_001))),
        // After n tests there are n + 1 nodes: one for each test that can hold, and one for the case that none holds.
        ("questions", questions(), Some(((1..=60).sum(), 61))),
        // A node for each sequence of up to four operands out of seven; a state for each sequence of four operands, and
        // for each of the seven operations that define them.
        ("open rules", open_rules(), Some(((0..5).map(|n| 7_usize.pow(n)).sum(), 7_usize.pow(4) + 7 + 1))),
        // Seven of the names have one state fewer, because the first seven operations have other attributes.
        ("combinations", combinations(), Some((50, 50 * 255 + 1 - 7))),
    ];
    for (what, workload, expected) in all {
        let (estimated, used, size) = workload.run();
        assert!(estimated > 100_000, "the rules must build tables: {estimated}");
        // A growing vector reserves room for twice its contents.
        assert!(
            estimated < 2 * used && used < 2 * estimated,
            "{what}: {estimated} bytes estimated, {used} in use"
        );
        assert!(expected.is_none_or(|expected| expected == size), "{what}: {size:?}");
    }
}

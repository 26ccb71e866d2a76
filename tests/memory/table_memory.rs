//! What the automaton says its tables take is what they take, roughly: the cap on them is one on memory.

use std::fmt::Write;
use std::sync::Arc;

use crate::MEMORY;

use drrvm::compile;
use drrvm::host::Natives;
use drrvm::ir::{Context, IrHost, parse_module};
use drrvm::pdl::{PatternBuilder, RuleSet};
use drrvm::source::SourceMap;
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher};

/// Rules, and operations on which matching them makes tables.
struct Workload {
    rules: RuleSet,
    ops: String,
    count: usize,
}

impl Workload {
    /// `count` operations of one result each, the first seven of which are such that others can be of them.
    fn new(rules: RuleSet, count: usize, op: impl Fn(usize) -> String) -> Self {
        let mut ops = "\"builtin.module\"() ({\n".to_owned();
        for i in 0..7 {
            writeln!(ops, "%{i} = \"t.n{i}\"() {{v = {i} : i32}} : () -> i32").unwrap();
        }
        (7..count).for_each(|i| writeln!(ops, "%{i} = {}", op(i)).unwrap());
        ops.push_str("}) : () -> ()");
        Self { rules, ops, count }
    }

    /// What the tables say they take, what they take, and how many nodes and states they have.
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
        // The labels are there before what the tables take is counted; they come on top.
        automaton.match_first(&host, *ops.last().unwrap(), &mut cache);
        let (mut said, mut taken) = (0, 0);
        for part in ops.chunks(ops.len() / 4 + 1) {
            let before = cache.table_bytes();
            let (found, _, held) = MEMORY.during(|| {
                part.iter().filter(|&&op| automaton.match_first(&host, op, &mut cache).is_some()).count()
            });
            assert!(found > 0);
            said += cache.table_bytes() - before;
            taken += held;
        }
        assert!(!cache.has_given_up());
        (said, taken, cache.table_size())
    }
}

/// Each of many rules, made by its number.
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

/// For each two names and a constant a rule, so that there are many states, views and rows.
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

/// Names that come with many numbers of operands: each is a plan of its own.
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

/// More constants than a plan tells apart: one question, asked after it, with many answers and as many states.
fn answers() -> Workload {
    let rules = rules(3_000, |rule, i| {
        let value = rule.attr_constant(&format!("{i} : i32"));
        let root = rule.op("t.n0").attr("v", value).matched();
        rule.erase(root);
    });
    Workload::new(rules, 3_500, |i| format!("\"t.n0\"() {{v = {} : i32}} : () -> i32", i - 7))
}

/// Constants that may be the same though they are written differently: a question each, asked one after the other.
fn questions() -> Workload {
    let rules = rules(60, |rule, i| {
        let value = rule.attr_constant(&format!("[{i}]"));
        let root = rule.op("t.n0").attr("v", value).matched();
        rule.erase(root);
    });
    Workload::new(rules, 200, |i| format!("\"t.n0\"() {{v = [{}]}} : () -> i32", i % 60))
}

/// Several attributes of a few values each, of which a plan tells all combinations apart.
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

/// Rules that each ask about one operand of four and about an attribute: many may still hold wherever the way is.
fn open_rules() -> Workload {
    let rules = rules(4 * 7 * 5, |rule, i| {
        let below = rule.op(&format!("t.n{}", i % 7)).matched();
        let value = rule.attr_constant(&format!("{} : i32", i / 28));
        let wanted = rule.defined_by(below);
        let operands = [0, 1, 2, 3].map(|at| if i / 7 % 4 == at { wanted } else { rule.value() });
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
fn tables_take_what_they_say() {
    // Besides, how many nodes and states there are, one of the states being that nothing holds.
    let all = [
        ("nested", nested(), None),
        // A node and a state for each name and count that there is.
        ("counts", counts(), Some((4_000, 101))),
        // Those of a state for each constant are led to by one node.
        ("answers", answers(), Some((1, 3_001))),
        // As many have been asked as may be, and one of them or none has held.
        ("questions", questions(), Some(((1..=60).sum(), 61))),
        // After so many operands, each of seven; a state for all that the last node tells apart, and for what an operand is.
        ("open rules", open_rules(), Some(((0..5).map(|n| 7_usize.pow(n)).sum(), 7_usize.pow(4) + 7 + 1))),
        // Seven of the names come once less, where nothing else is at their place.
        ("combinations", combinations(), Some((50, 50 * 255 + 1 - 7))),
    ];
    for (what, workload, expected) in all {
        let (said, taken, size) = workload.run();
        assert!(said > 100_000, "the rules make tables: {said}");
        // What grows is copied to where there is room for twice as much.
        assert!(said < 2 * taken && taken < 2 * said, "{what}: {said} bytes are said, {taken} are taken");
        assert!(expected.is_none_or(|expected| expected == size), "{what}: {size:?}");
    }
}

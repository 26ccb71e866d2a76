//! What the automaton says its tables take is what they take, roughly: the cap on them is one on memory.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]
#![allow(unreachable_pub, reason = "shared with the benches")]

#[path = "../benches/workload/allocations.rs"]
mod allocations;

use std::fmt::Write;
use std::sync::Arc;

use drrvm::compile;
use drrvm::host::Natives;
use drrvm::ir::{Context, IrHost, parse_module};
use drrvm::pdl::RuleSet;
use drrvm::source::SourceMap;
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher};

#[global_allocator]
static MEMORY: allocations::Counting = allocations::Counting::new();

const NAMES: usize = 40;

/// For each two names and a constant a rule, so that there are many states, views and rows.
fn rules() -> RuleSet {
    let mut rules = RuleSet::default();
    for i in 0..1600 {
        let mut rule = rules.pattern(&format!("r{i}"), 1);
        let value = rule.attr_constant(&format!("{} : i32", i % 7));
        let below = rule.op(&format!("t.n{}", i % NAMES)).attr("v", value).matched();
        let (x, y) = (rule.result(below, 0), rule.value());
        let root = rule.op(&format!("t.n{}", i / NAMES)).operand(x).operand(y).matched();
        rule.erase(root);
        rule.finish().unwrap();
    }
    rules
}

fn host() -> IrHost {
    let mut text = "\"builtin.module\"() ({\n".to_owned();
    for i in 0..7 {
        writeln!(text, "%{i} = \"t.n{i}\"() {{v = {i} : i32}} : () -> i32").unwrap();
    }
    for i in 7..20_000 {
        let (a, b, name) = (i - 1 - i % 5, i - 1 - i % 7, i * 7919 % 10_007 % NAMES);
        let value = i * 104_729 % 1_009 % 7;
        writeln!(text, "%{i} = \"t.n{name}\"(%{a}, %{b}) {{v = {value} : i32}} : (i32, i32) -> i32").unwrap();
    }
    text.push_str("}) : () -> ()");
    let mut sources = SourceMap::default();
    let file = sources.add("input.mlir", text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    IrHost::new(context, module)
}

#[test]
fn tables_take_what_they_say() {
    let (rules, mut host) = (rules(), host());
    let program = Arc::new(compile::program(&rules).unwrap());
    let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default()).unwrap();
    let automaton = Automaton::new(Arc::new(matcher)).memory(usize::MAX);
    let ops: Vec<_> = host.module.preorder(host.module.top()).collect();
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
    assert!(said > 100_000, "the rules make tables: {said}");
    // What grows is copied to where there is room for twice as much.
    assert!(said < 2 * taken && taken < 2 * said, "{said} bytes are said, {taken} are taken");
    assert!(!cache.has_given_up());
}

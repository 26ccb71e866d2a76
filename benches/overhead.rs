//! What tracing and profiling cost where they are compiled in and switched off: at most one instruction in
//! a hundred is promised.
//!
//!     cargo bench --no-default-features --features ir --bench overhead
//!
//! builds this bench twice, with the feature `tracing` and without, and counts the instructions of both by
//! callgrind. Only the build with the feature has the profiler's instance of the interpreter and the spans'
//! code; neither is used while it is measured. A round is counted as half the difference of three rounds and
//! one, so that reading and linking drop out. Ends with status 1 if what is promised does not hold.

#![allow(clippy::print_stderr, clippy::print_stdout, reason = "a benchmark says what it does")]

use std::fmt::Write;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use drrvm::host::{Natives, NoListener};
use drrvm::ir::{Context, IrHost, OpId, parse_module};
use drrvm::pdl::RuleSet;
use drrvm::rewrite;
use drrvm::source::SourceMap;
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher};

/// The features of the two builds.
const WITHOUT: &str = "ir";
const WITH: &str = "ir,tracing";
/// What is promised, in percent.
const LIMIT: f64 = 1.0;
/// What is measured.
const WAYS: [&str; 4] = ["tree", "automaton", "walk", "greedy"];
const NAMES: u64 = 32;
const OPS: usize = 20_000;
const RULES: usize = 300;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["once", way, rounds] => {
            let rounds = rounds.parse().expect("a number of rounds");
            println!("{}", run(way, OPS, rounds));
            ExitCode::SUCCESS
        }
        [] => compare(),
        // Cargo runs benches as tests with `--test`: small.
        _ => {
            WAYS.iter().chain(&["profiled"]).for_each(|way| println!("{way}: {}", run(way, 1_000, 1)));
            ExitCode::SUCCESS
        }
    }
}

/// Counts both builds.
fn compare() -> ExitCode {
    let (Some(without), Some(with)) = (build(WITHOUT), build(WITH)) else { return ExitCode::FAILURE };
    let mut worst = f64::MIN;
    println!("| {OPS} operations, {RULES} rules | without | with | more |\n|---|---|---|---|");
    for way in WAYS {
        let counted = |program: &str| {
            let three = instructions(program, way, "3")?;
            Some(three.checked_sub(instructions(program, way, "1")?)? / 2)
        };
        let (Some(without), Some(with)) = (counted(&without), counted(&with)) else {
            eprintln!("valgrind is not here, or could not count");
            return ExitCode::FAILURE;
        };
        let more = (with as f64 / without as f64 - 1.0) * 100.0;
        println!("| {way} | {without} | {with} | {more:+.2}% |");
        worst = worst.max(more);
    }
    ExitCode::from(u8::from(worst > LIMIT))
}

/// This bench with other features: where it is.
fn build(features: &str) -> Option<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["bench", "--bench", "overhead", "--no-run", "--no-default-features", "--message-format=json"])
        .args(["--features", features])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(std::process::Stdio::inherit())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let built = said.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let own = built.filter(|said| said["target"]["name"] == "overhead");
    own.filter_map(|said| Some(said["executable"].as_str()?.to_owned())).next_back()
}

/// How many instructions some rounds take, with all that is around them.
fn instructions(program: &str, way: &str, rounds: &str) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", program, "once", way, rounds])
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = said.lines().find(|line| line.contains("Collected"))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// Numbers that are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Operations of two operands and a number, some of which rules match.
fn input(ops: usize) -> String {
    let mut random = Random(1);
    let mut text = String::from("%0 = \"t.start\"() : () -> i32\n");
    for op in 1..=ops {
        let mut operand = || op as u64 - 1 - random.below(8.min(op as u64));
        let (a, b) = (operand(), operand());
        let (name, value) = (random.below(NAMES), random.below(5));
        writeln!(text, "%{op} = \"t.op{name}\"(%{a}, %{b}) {{value = {value} : i32}} : (i32, i32) -> i32")
            .expect("to a string");
    }
    text
}

/// Each rule matches one operation over another, some with a number, and makes an operation that no rule matches.
fn rules() -> RuleSet {
    let mut random = Random(2);
    let mut rules = RuleSet::default();
    for number in 0..RULES {
        let mut rule = rules.pattern(&format!("rule{number}"), 2);
        let (x, y, ty) = (rule.value(), rule.value(), rule.type_constant("i32"));
        let (inner, outer) = (random.below(NAMES), random.below(NAMES));
        let inner = rule.op(&format!("t.op{inner}")).operand(x).operand(y).result_type(ty).matched();
        let middle = rule.result(inner, 0);
        let value = rule.attr_constant(&format!("{} : i32", random.below(5)));
        let outer = rule.op(&format!("t.op{outer}")).operand(middle).operand(y).attr("value", value);
        let outer = outer.result_type(ty).matched();
        let made = rule.create("t.made").operand(x).operand(y).result_type(ty).created();
        rule.replace_by_op(outer, made);
        rule.finish().expect("a good rule");
    }
    rules
}

fn host(ops: usize) -> (IrHost, Vec<OpId>) {
    let mut sources = SourceMap::default();
    let file = sources.add("input.mlir", input(ops)).expect("small enough");
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).expect("good input");
    let host = IrHost::new(context, module);
    let ops = host.module.preorder(host.module.top()).skip(1).collect();
    (host, ops)
}

/// How many matches, or rewrites, some rounds find.
fn run(way: &str, ops: usize, rounds: usize) -> u64 {
    let rules = rules();
    let program = Arc::new(drrvm::compile::program(&rules).expect("the rules compile"));
    // Rewriting uses an input up. As many are made for one round as for three: making them is not measured.
    let mut inputs: Vec<_> = (0..3)
        .map(|_| {
            let (mut ir, all) = host(ops);
            let linked = Matcher::link(program.clone(), &mut ir, &Natives::new(), &LinkOptions::default());
            (ir, all, Arc::new(linked.expect("there are no natives")))
        })
        .collect();
    let inputs = inputs.iter_mut().take(rounds);
    let found = match way {
        "tree" => inputs.map(|(ir, all, matcher)| sweep(&**matcher, ir, all)).sum(),
        "automaton" => {
            inputs.map(|(ir, all, matcher)| sweep(&Automaton::new(matcher.clone()), ir, all)).sum()
        }
        "walk" | "greedy" => inputs.map(|(ir, _, matcher)| rewritten(way, ir, matcher)).sum(),
        _ => inputs.map(|(ir, all, matcher)| profiled(matcher, ir, all)).sum(),
    };
    assert!(way == "profiled" || found > 0, "rules match");
    found
}

fn sweep<E: Engine<IrHost>>(engine: &E, ir: &IrHost, ops: &[OpId]) -> u64 {
    let mut cache = engine.cache();
    ops.iter().map(|&op| u64::from(black_box(engine.match_first(ir, op, &mut cache)).is_some())).sum()
}

fn rewritten(way: &str, ir: &mut IrHost, matcher: &Matcher<IrHost>) -> u64 {
    let root = ir.module.top();
    let report = match way {
        "walk" => rewrite::apply_in_walk(ir, root, matcher, &mut NoListener),
        _ => rewrite::apply_greedily(ir, root, matcher, &rewrite::Config::default(), &mut NoListener),
    };
    report.rewrites
}

/// The profiler, so that its code is there.
#[cfg(feature = "tracing")]
fn profiled(matcher: &Matcher<IrHost>, ir: &IrHost, ops: &[OpId]) -> u64 {
    sweep(&drrvm::vm::Profiler::new(matcher), ir, ops)
}

#[cfg(not(feature = "tracing"))]
fn profiled(_: &Matcher<IrHost>, _: &IrHost, _: &[OpId]) -> u64 {
    0
}

//! Measures the cost of tracing and profiling when they are compiled in and disabled. The documented limit is 1% more
//! instructions.
//!
//!     cargo bench --no-default-features --features ir --bench overhead
//!
//! builds this bench with and without the feature `tracing`, and counts the instructions of both with callgrind. Only
//! the build with the feature has the profiler's instance of the interpreter and the code for spans. During the
//! measurement the profiler does not run, and no subscriber enables the spans. The figure is half the difference
//! between three rounds and one round, so that parsing and linking cancel out. The exit status is 1 if the limit is
//! exceeded.

#![allow(clippy::print_stderr, clippy::print_stdout, reason = "benchmarks report their progress")]

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
/// The documented limit, in percent.
const LIMIT: f64 = 1.0;
/// The measured modes.
const MODES: [&str; 4] = ["tree", "automaton", "walk", "greedy"];
const NAMES: u64 = 32;
const OPS: usize = 20_000;
const RULES: usize = 300;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["once", mode, rounds] => {
            let rounds = rounds.parse().expect("a number of rounds");
            println!("{}", run(mode, OPS, rounds));
            ExitCode::SUCCESS
        }
        [] => compare(),
        // `cargo bench -- --test` only checks that the bench runs, so this run is small.
        _ => {
            MODES.iter().chain(&["profiled"]).for_each(|mode| println!("{mode}: {}", run(mode, 1_000, 1)));
            ExitCode::SUCCESS
        }
    }
}

/// Counts the instructions of both builds.
fn compare() -> ExitCode {
    let (Some(without), Some(with)) = (build(WITHOUT), build(WITH)) else { return ExitCode::FAILURE };
    let mut worst = f64::MIN;
    println!("| {OPS} operations, {RULES} rules | without | with | more |\n|---|---|---|---|");
    for mode in MODES {
        let counted = |program: &str| {
            let three = instructions(program, mode, "3")?;
            Some(three.checked_sub(instructions(program, mode, "1")?)? / 2)
        };
        let (Some(without), Some(with)) = (counted(&without), counted(&with)) else {
            eprintln!("valgrind is not installed, or failed");
            return ExitCode::FAILURE;
        };
        let more = (with as f64 / without as f64 - 1.0) * 100.0;
        println!("| {mode} | {without} | {with} | {more:+.2}% |");
        worst = worst.max(more);
    }
    ExitCode::from(u8::from(worst > LIMIT))
}

/// Builds this bench with other features; returns the path of the executable.
fn build(features: &str) -> Option<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["bench", "--bench", "overhead", "--no-run", "--no-default-features", "--message-format=json"])
        .args(["--features", features])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(std::process::Stdio::inherit())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let built = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let own = built.filter(|message| message["target"]["name"] == "overhead");
    own.filter_map(|message| Some(message["executable"].as_str()?.to_owned())).next_back()
}

/// Counts the instructions of a process that runs some rounds.
fn instructions(program: &str, mode: &str, rounds: &str) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", program, "once", mode, rounds])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find(|line| line.contains("Collected"))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// A deterministic generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Operations with two operands and an integer; rules match some of them.
fn input(ops: usize) -> String {
    let mut random = Random(1);
    let mut text = String::from("%0 = \"t.start\"() : () -> i32\n");
    for op in 1..=ops {
        let mut operand = || op as u64 - 1 - random.below(8.min(op as u64));
        let (a, b) = (operand(), operand());
        let (name, value) = (random.below(NAMES), random.below(5));
        writeln!(text, "%{op} = \"t.op{name}\"(%{a}, %{b}) {{value = {value} : i32}} : (i32, i32) -> i32")
            .expect("writing to a string succeeds");
    }
    text
}

/// Rules that match an operation with a given integer, and the operation that defines its first operand. They create an
/// operation that no rule matches.
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
        rule.finish().expect("the rule is valid");
    }
    rules
}

fn host(ops: usize) -> (IrHost, Vec<OpId>) {
    let mut sources = SourceMap::default();
    let file = sources.add("input.mlir", input(ops)).expect("the file is small");
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).expect("the input is valid");
    let host = IrHost::new(context, module);
    let ops = host.module.preorder(host.module.top()).skip(1).collect();
    (host, ops)
}

/// Runs some rounds; returns the number of matches or rewrites.
fn run(mode: &str, ops: usize, rounds: usize) -> u64 {
    let rules = rules();
    let program = Arc::new(drrvm::compile::program(&rules).expect("the rules compile"));
    // Each rewriting round consumes an input. All runs create three inputs, so that their cost cancels out.
    let mut inputs: Vec<_> = (0..3)
        .map(|_| {
            let (mut ir, all) = host(ops);
            let linked = Matcher::link(program.clone(), &mut ir, &Natives::new(), &LinkOptions::default());
            (ir, all, Arc::new(linked.expect("there are no natives")))
        })
        .collect();
    let inputs = inputs.iter_mut().take(rounds);
    let found = match mode {
        "tree" => inputs.map(|(ir, all, matcher)| sweep(&**matcher, ir, all)).sum(),
        "automaton" => {
            inputs.map(|(ir, all, matcher)| sweep(&Automaton::new(matcher.clone()), ir, all)).sum()
        }
        "walk" | "greedy" => inputs.map(|(ir, _, matcher)| rewritten(mode, ir, matcher)).sum(),
        _ => inputs.map(|(ir, all, matcher)| profiled(matcher, ir, all)).sum(),
    };
    assert!(mode == "profiled" || found > 0, "rules must match");
    found
}

fn sweep<E: Engine<IrHost>>(engine: &E, ir: &IrHost, ops: &[OpId]) -> u64 {
    let mut cache = engine.cache();
    ops.iter().map(|&op| u64::from(black_box(engine.match_first(ir, op, &mut cache)).is_some())).sum()
}

fn rewritten(mode: &str, ir: &mut IrHost, matcher: &Matcher<IrHost>) -> u64 {
    let root = ir.module.top();
    let report = match mode {
        "walk" => rewrite::apply_in_walk(ir, root, matcher, &mut NoListener),
        _ => rewrite::apply_greedily(ir, root, matcher, &rewrite::Config::default(), &mut NoListener),
    };
    report.rewrites
}

/// Uses the profiler, so that its code is compiled in.
#[cfg(feature = "tracing")]
fn profiled(matcher: &Matcher<IrHost>, ir: &IrHost, ops: &[OpId]) -> u64 {
    sweep(&drrvm::vm::Profiler::new(matcher), ir, ops)
}

#[cfg(not(feature = "tracing"))]
fn profiled(_: &Matcher<IrHost>, _: &IrHost, _: &[OpId]) -> u64 {
    0
}

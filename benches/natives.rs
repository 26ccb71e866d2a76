//! Measures the cost of a call of a native constraint.
//!
//!     cargo bench --no-default-features --features frontend --bench natives
//!
//! prints the instructions and nanoseconds of a call from a predicate of a `.td` file (`isEven($0)`), and from a
//! constraint of a rule in Rust. Callgrind counts the instructions of five rounds and of one round. A quarter of the
//! difference is the figure of one round. The figure of the same rule without the constraint is subtracted, and the
//! rest is divided by the number of operations. The native reads an integer attribute; its own instructions are
//! included.

#![allow(clippy::print_stderr, clippy::print_stdout, reason = "benchmarks report their progress")]

use std::fmt::Write;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use drrvm::compile::{self, Options};
use drrvm::host::arg::Attr;
use drrvm::host::{Facets, Natives};
use drrvm::ir::{Context, IrHost, OpId, parse_module};
use drrvm::pdl::RuleSet;
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

const OPS: usize = 20_000;
const ROUNDS: u64 = 5;

/// The measured rules, each with the same rule without the constraint. The rule without the constraint matches every
/// operation, and the measured rule matches those with an even number.
const MODES: [(&str, &str); 2] = [("td", "td without"), ("rust", "rust without")];

const DEFINITIONS: &str = r#"include "mlir/IR/PatternBase.td"
include "mlir/IR/CommonAttrConstraints.td"
def T : Dialect { let name = "t"; }
def Old : Op<T, "old"> { let arguments = (ins I32:$x, I32Attr:$n); let results = (outs I32:$r); }
def New : Op<T, "new"> { let arguments = (ins I32:$x, I32Attr:$n); let results = (outs I32:$r); }
"#;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["once", mode, rounds] => {
            println!("{}", Run::new(mode, OPS).rounds(rounds.parse().expect("a number of rounds")));
            ExitCode::SUCCESS
        }
        [] => compare(),
        // `cargo bench -- --test` only checks that the bench runs, so this run is small.
        _ => {
            for mode in MODES.iter().flat_map(|&(mode, without)| [mode, without]) {
                println!("{mode}: {}", Run::new(mode, 1_000).rounds(1));
            }
            ExitCode::SUCCESS
        }
    }
}

fn compare() -> ExitCode {
    let calls = OPS as u64;
    println!("| constraint | instructions a call | nanoseconds a call |\n|---|---|---|");
    for (mode, without) in MODES {
        let (Some(instructions), Some(others)) = (counted(mode), counted(without)) else {
            eprintln!("valgrind is not installed, or failed");
            return ExitCode::FAILURE;
        };
        let nanoseconds = (timed(mode) - timed(without)) / calls as f64;
        println!("| {mode} | {} | {nanoseconds:.1} |", instructions.saturating_sub(others) / calls);
    }
    ExitCode::SUCCESS
}

/// The instructions of one round.
fn counted(mode: &str) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let count = |rounds: u64| -> Option<u64> {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(&program)
            .args(["once", mode, &rounds.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.lines().find(|line| line.contains("Collected"))?.rsplit(' ').next()?.parse().ok()
    };
    Some(count(ROUNDS)?.checked_sub(count(1)?)? / (ROUNDS - 1))
}

/// The nanoseconds of the fastest of many rounds.
fn timed(mode: &str) -> f64 {
    let run = Run::new(mode, OPS);
    run.rounds(3);
    let round = || {
        let start = Instant::now();
        black_box(run.rounds(1));
        start.elapsed().as_nanos() as f64
    };
    (0..200).map(|_| round()).fold(f64::MAX, f64::min)
}

struct Run {
    host: IrHost,
    ops: Vec<OpId>,
    matcher: Matcher<IrHost>,
}

impl Run {
    fn new(mode: &str, ops: usize) -> Self {
        let mut text = String::from("%0 = \"t.start\"() : () -> i32\n");
        for op in 1..=ops {
            writeln!(text, "%{op} = \"t.old\"(%{}) {{n = {} : i32}} : (i32) -> i32", op - 1, op % 100)
                .expect("writing to a string succeeds");
        }
        let mut sources = SourceMap::default();
        let file = sources.add("input.mlir", text).expect("the file is small");
        let mut context = Context::new();
        let module = parse_module(&mut context, sources.file(file)).expect("the input is valid");
        let mut host = IrHost::new(context, module);
        let ops: Vec<OpId> = host.module.preorder(host.module.top()).skip(2).collect();
        let rules = rules(mode);
        let program = Arc::new(compile::program(&rules).expect("the rule compiles"));
        let natives = Natives::new().constraint("isEven", |host: &IrHost, n: Attr<IrHost>| {
            host.attr_int(n.0).is_some_and(|n| n.to_u64().is_some_and(|n| n % 2 == 0))
        });
        let matcher = Matcher::link(program, &mut host, &natives, &LinkOptions::default());
        Self { host, ops, matcher: matcher.expect("the rule links") }
    }

    /// Runs some rounds; returns the number of matches.
    fn rounds(&self, rounds: u64) -> u64 {
        let mut cache = self.matcher.cache();
        let mut found = 0;
        for _ in 0..rounds {
            for &op in &self.ops {
                found += u64::from(black_box(self.matcher.match_first(&self.host, op, &mut cache)).is_some());
            }
        }
        assert!(found > 0, "the rule must match");
        found
    }
}

fn rules(mode: &str) -> RuleSet {
    let calls = !mode.ends_with("without");
    if mode.starts_with("rust") {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        let (x, n) = (rule.value(), rule.any_attr());
        let root = rule.op("t.old").operand(x).attr("n", n).matched();
        if calls {
            rule.constraint("isEven", [n]);
        }
        rule.replace(root, [x]);
        rule.finish().expect("the rule is valid");
        return rules;
    }
    let constraint = if calls { "(Constraint<CPred<\"isEven($0)\">> $n)" } else { "" };
    let text = format!("{DEFINITIONS}def R : Pat<(Old $x, $n), (New $x, $n), [{constraint}]>;\n");
    let mut sources = SourceMap::default();
    let file = sources.add("rules.td", text).expect("the file is small");
    let (rules, loaded) = compile::load_added(&mut sources, &[file], &Options::default());
    assert!(!loaded.diagnostics.has_errors(), "the rule is valid");
    rules
}

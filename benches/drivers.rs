//! Measures dialect conversion and canonicalisation on modules of 100,000 operations, beside `mlir-opt-22` where it is
//! installed. The goal is a conversion at least 5 times as fast as MLIR's.
//!
//! `cargo bench --bench drivers` prints the shortest time of several runs. `-- conversion N`, `-- notified N` and
//! `-- canonicalize N` run one driver N times, for instruction counts. MLIR's times are those that it reports for its
//! passes. MLIR's conversion pass writes a line for each change. `notified` does the same, and `conversion` writes
//! nothing. The results are compared with those of `mlir-opt-22`: the counts of operations by name must be equal.

#![allow(missing_docs, clippy::print_stdout, reason = "the bench prints a table")]

#[path = "../examples/mlir_test_legalize.rs"]
#[allow(dead_code, reason = "only its conversion is used")]
mod mlir_test_legalize;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufWriter, Sink, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use drrvm::host::Listener;
use drrvm::ir::{Context, IrHost, OpId, PrintOptions, ValueId, parse_module};
use drrvm::rewrite::{Canonicalization, ConversionMode, canonicalize, convert};
use drrvm::{LinkOptions, Matcher, Natives, NoListener, RuleSet, SourceMap, compile};

/// The number of functions and the number of runs: `FULL` for a measurement, and `SMALL` for `--test`. Each function
/// has 100 operations, including itself.
const FULL: (usize, usize) = (1000, 15);
const SMALL: (usize, usize) = (10, 1);
const MLIR: &str = "mlir-opt-22";

/// A linear congruential generator with a fixed seed, so that every run measures the same modules.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % bound as u64).unwrap_or(0)
    }
}

/// A module with operations of the test dialect. One or two rules make each operation legal.
fn illegal(functions: usize) -> String {
    let mut numbers = Numbers(1);
    let mut text = String::from("\"builtin.module\"() ({\n");
    for function in 0..functions {
        let _ = writeln!(
            text,
            "\"func.func\"() <{{function_type = (i64, i42, f32, i16) -> (), sym_name = \"f{function}\"}}> ({{\n\
             ^bb0(%a: i64, %b: i42, %c: f32, %d: i16):"
        );
        for number in 0..98 {
            let name = ["a", "b", "c", "d", "e"][numbers.below(5)];
            let _ = writeln!(text, "  %{number} = \"test.illegal_op_{name}\"() : () -> i32");
        }
        text += "  \"test.invalid\"(%1, %a) : (i32, i64) -> ()\n}) : () -> ()\n";
    }
    text + "}) : () -> ()\n"
}

/// A module with bitwise operations on few values and constants. Most of these operations fold. The module has no sums,
/// differences or products, because MLIR has TableGen rules for them that the bench does not load.
fn foldable(functions: usize) -> String {
    let mut numbers = Numbers(1);
    let mut text = String::from("\"builtin.module\"() ({\n");
    for function in 0..functions {
        let _ = writeln!(
            text,
            "\"func.func\"() <{{function_type = (i32, i32) -> i32, sym_name = \"f{function}\"}}> ({{\n\
             ^bb0(%a: i32, %b: i32):"
        );
        let mut values = vec!["%a".to_owned(), "%b".to_owned()];
        for number in 0..98 {
            if numbers.below(5) == 0 {
                let value = numbers.below(4);
                let _ = writeln!(
                    text,
                    "  %{number} = \"arith.constant\"() <{{value = {value} : i32}}> : () -> i32"
                );
            } else {
                let name = ["andi", "ori", "xori"][numbers.below(3)];
                let first = values.len().saturating_sub(6);
                let [a, b] = [(); 2].map(|()| &values[first + numbers.below(values.len() - first)]);
                let _ = writeln!(text, "  %{number} = \"arith.{name}\"({a}, {b}) : (i32, i32) -> i32");
            }
            values.push(format!("%{number}"));
        }
        let _ = writeln!(text, "  \"func.return\"(%97) : (i32) -> ()\n}}) : () -> ()");
    }
    text + "}) : () -> ()\n"
}

fn parsed(text: &str) -> IrHost {
    let mut sources = SourceMap::default();
    let file = sources.add("input.mlir", text.to_owned()).expect("the text fits");
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).expect("the text is valid");
    IrHost::new(context, module)
}

/// A listener that writes a line for each change through a buffer, and counts the lines.
struct Lines(BufWriter<Sink>, u64);

impl Lines {
    fn line(&mut self, what: &str, host: &IrHost, op: OpId) {
        let name = host.context.op_name_text(host.module.name(op));
        for part in [what, ": ", name, "\n"] {
            let _ = self.0.write_all(part.as_bytes());
        }
        self.1 += 1;
    }
}

impl Listener<IrHost> for Lines {
    fn created(&mut self, host: &IrHost, op: OpId) {
        self.line("created", host, op);
    }
    fn modified(&mut self, host: &IrHost, op: OpId) {
        self.line("modified", host, op);
    }
    fn replaced(&mut self, host: &IrHost, op: OpId, _: &[ValueId]) {
        self.line("replaced", host, op);
    }
    fn erased(&mut self, host: &IrHost, op: OpId) {
        self.line("erased", host, op);
    }
}

fn converted(host: &mut IrHost) -> Duration {
    converted_with(host, &mut NoListener)
}

fn notified(host: &mut IrHost) -> Duration {
    let mut lines = Lines(BufWriter::new(std::io::sink()), 0);
    let time = converted_with(host, &mut lines);
    assert!(lines.1 > 0, "the conversion changes the module");
    time
}

/// Converts a module as `-test-legalize-patterns` does. Returns the time of the conversion.
fn converted_with(host: &mut IrHost, listener: &mut dyn Listener<IrHost>) -> Duration {
    let program = Arc::new(compile::program(&mlir_test_legalize::rules().expect("valid")).expect("valid"));
    let natives = mlir_test_legalize::natives();
    let matcher = Matcher::link(program, host, &natives, &LinkOptions::default()).expect("linked");
    let conversion = mlir_test_legalize::conversion(host, ConversionMode::Partial);
    let top = host.module.top();
    let started = Instant::now();
    convert(host, top, Some(&matcher), &conversion, listener).expect("the conversion succeeds");
    started.elapsed()
}

fn canonicalized(host: &mut IrHost) -> Duration {
    let program = Arc::new(compile::program(&RuleSet::default()).expect("valid"));
    let matcher = Matcher::link(program, host, &Natives::new(), &LinkOptions::default()).expect("linked");
    let top = host.module.top();
    let started = Instant::now();
    canonicalize(host, top, &matcher, &Canonicalization::default(), &mut NoListener);
    started.elapsed()
}

/// The number of operations of each name in a text in generic form.
fn counts(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        // The name is the first quoted text of a line.
        let name = line.split_once('"').and_then(|(_, quoted)| quoted.split_once("\"("));
        if let Some((name, _)) = name.filter(|(name, _)| !name.contains('"')) {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// The result of `mlir-opt-22`, and the time of its pass in seconds; `None` if it is not installed or reports no time
/// for the pass.
fn mlir(text: &str, pass: &str, timed: &str) -> Option<(String, f64)> {
    let options = [pass, "--mlir-print-op-generic", "--mlir-timing", "--mlir-timing-display=list"];
    let mut child = Command::new(MLIR)
        .args(options)
        .arg("--mlir-disable-threading")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = report.lines().find(|line| line.contains(timed))?;
    let seconds = line.split_whitespace().next()?.parse().ok()?;
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), seconds))
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let (functions, runs) = if std::env::args().any(|arg| arg == "--test") { SMALL } else { FULL };
    type Run = fn(&mut IrHost) -> Duration;
    let legalize = ("-test-legalize-patterns", "TestLegalizePatternDriver");
    let drivers: [(&str, String, Run, &str, &str); 3] = [
        ("conversion", illegal(functions), converted, legalize.0, legalize.1),
        ("notified", illegal(functions), notified, legalize.0, legalize.1),
        ("canonicalize", foldable(functions), canonicalized, "-canonicalize", "Canonicalizer"),
    ];
    for (name, text, run, pass, timed) in drivers {
        if args.first().is_some_and(|wanted| wanted != name) {
            continue;
        }
        let original = parsed(&text);
        if let Some(times) = args.get(1) {
            let times: usize = times.parse().expect("the second argument is a number");
            for _ in 0..times {
                run(&mut original.clone());
            }
            continue;
        }
        let mut host = original.clone();
        run(&mut host);
        let ours = host.module.print(&host.context, PrintOptions::new().generic(true));
        // The runs alternate, so that other work on the machine slows both.
        let (mut best, mut theirs) = (Duration::MAX, Vec::new());
        for _ in 0..runs {
            best = best.min(run(&mut original.clone()));
            theirs.extend(mlir(&text, pass, timed));
        }
        let milliseconds = best.as_secs_f64() * 1e3;
        let least = theirs.iter().map(|(_, seconds)| seconds * 1e3).min_by(f64::total_cmp);
        match theirs.first().zip(least) {
            None => println!("{name}: {milliseconds:.1} ms; {MLIR} is not installed or reports no time"),
            Some(((result, _), least)) => {
                assert_eq!(counts(&ours), counts(result), "{name}: the results differ");
                println!(
                    "{name}: {milliseconds:.1} ms, {MLIR} {least:.1} ms, factor {:.1}",
                    least / milliseconds
                );
            }
        }
    }
}

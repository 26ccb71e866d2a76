//! Measures helper functions that are read from C++ source, beside the same functions in Rust.
//!
//!     cargo bench --no-default-features --features frontend --bench helpers
//!
//! MLIR's `ArithCanonicalization.td` calls seven functions. The bench takes them from MLIR's `ArithOps.cpp` and from
//! `drrvm::natives::arith`. The bench prints instructions and nanoseconds for each call: it measures a rule with the
//! call, and subtracts the figure of the same rule without the call. Callgrind counts the instructions of a run on a
//! large module and of a run on a small module. Their difference gives the instructions of one application of the rule.
//! Without MLIR's sources the bench measures nothing.

#![allow(clippy::print_stderr, clippy::print_stdout, reason = "benchmarks report their progress")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use drrvm::compile::{self, Options};
use drrvm::host::{Natives, NoListener};
use drrvm::ir::{Context, IrHost, PrintOptions, parse_module};
use drrvm::natives;
use drrvm::pdl::RuleSet;
use drrvm::rewrite::apply_in_walk;
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

const SMALL: usize = 1_000;
const LARGE: usize = 11_000;
/// The number of timed runs. The bench reports the fastest.
const RUNS: u32 = 15;
/// The documented limit of the quotient: the instructions of a function from C++ source, divided by those of the
/// function in Rust.
const LIMIT: f64 = 3.0;

/// A measured function.
struct Helper {
    name: &'static str,
    /// The constraint of both attributes of the operations.
    attr: &'static str,
    /// The values that the attributes take in turn.
    values: &'static [&'static str],
    call: Call,
}

/// The use of a function in the measured rule.
enum Call {
    /// The function computes an attribute of the new operation.
    Rewrite(&'static str),
    /// The function decides whether the rule matches.
    Predicate(&'static str),
}

const INTEGERS: &[&str] = &["1 : i32", "-7 : i32", "12 : i32", "70000 : i32"];
const FLAGS: &[&str] =
    &["#arith.overflow<none>", "#arith.overflow<nsw>", "#arith.overflow<nuw>", "#arith.overflow<nsw, nuw>"];
const PREDICATES: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

const HELPERS: [Helper; 7] = [
    Helper {
        name: "addIntegerAttrs",
        attr: "APIntAttr",
        values: INTEGERS,
        call: Call::Rewrite("addIntegerAttrs($_builder, $0, $1, $2)\"> $r, $a, $b"),
    },
    Helper {
        name: "subIntegerAttrs",
        attr: "APIntAttr",
        values: INTEGERS,
        call: Call::Rewrite("subIntegerAttrs($_builder, $0, $1, $2)\"> $r, $a, $b"),
    },
    Helper {
        name: "mulIntegerAttrs",
        attr: "APIntAttr",
        values: INTEGERS,
        call: Call::Rewrite("mulIntegerAttrs($_builder, $0, $1, $2)\"> $r, $a, $b"),
    },
    Helper {
        name: "mergeOverflowFlags",
        attr: "Arith_IntegerOverflowAttr",
        values: FLAGS,
        call: Call::Rewrite("mergeOverflowFlags($0, $1)\"> $a, $b"),
    },
    Helper {
        name: "invertPredicate",
        attr: "Arith_CmpIPredicateAttr",
        values: PREDICATES,
        call: Call::Rewrite("invertPredicate($0)\"> $a"),
    },
    Helper {
        name: "getIntOrSplatIntValue",
        attr: "AnyAttr",
        values: INTEGERS,
        call: Call::Predicate("succeeded(getIntOrSplatIntValue($0))\">> $a"),
    },
    Helper {
        name: "getScalarOrElementWidth",
        attr: "AnyAttr",
        values: INTEGERS,
        call: Call::Predicate("getScalarOrElementWidth($0) > 0\">> $x"),
    },
];

/// The source of the function in a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Rust,
    Source,
    /// The rule does not call the function.
    Nothing,
}

impl Origin {
    const ALL: [(Origin, &'static str); 3] =
        [(Origin::Rust, "rust"), (Origin::Source, "source"), (Origin::Nothing, "nothing")];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(from, _)| *from == self).expect("all sources are listed").1
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let Some(sources) = sources() else {
        println!("skipped: MLIR's sources are not installed");
        return ExitCode::SUCCESS;
    };
    match args[..] {
        ["once", helper, from, ops] => {
            let helper = HELPERS.iter().find(|h| h.name == helper).expect("a helper");
            let (from, _) = Origin::ALL.into_iter().find(|(_, name)| *name == from).expect("a source");
            Run::new(&sources, helper, from, ops.parse().expect("a number of operations")).run();
            ExitCode::SUCCESS
        }
        [] => compare(&sources),
        // `cargo bench -- --test` only checks that the bench runs, so this run is small.
        _ => {
            for helper in &HELPERS {
                let results = [Origin::Rust, Origin::Source].map(|from| {
                    let mut run = Run::new(&sources, helper, from, 10);
                    run.run();
                    run.host.module.print(&run.host.context, PrintOptions::default())
                });
                assert_eq!(results[0], results[1], "{} differs", helper.name);
                println!("{}: equal", helper.name);
            }
            ExitCode::SUCCESS
        }
    }
}

/// The folder of MLIR's sources.
fn sources() -> Option<PathBuf> {
    let cached = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/drrvm/llvm-22"));
    let folder = std::env::var_os("DRRVM_LLVM").map(PathBuf::from).or_else(cached)?;
    folder.join("mlir/lib/Dialect/Arith/IR/ArithOps.cpp").is_file().then_some(folder)
}

fn compare(sources: &Path) -> ExitCode {
    println!("| function | instructions in Rust | from source | quotient | ns in Rust | from source |");
    println!("|---|---|---|---|---|---|");
    let mut worst: f64 = 0.0;
    for helper in &HELPERS {
        let figures = |of: &dyn Fn(Origin) -> Option<f64>| -> Option<(f64, f64)> {
            let nothing = of(Origin::Nothing)?;
            Some((of(Origin::Rust)? - nothing, of(Origin::Source)? - nothing))
        };
        let Some((rust, source)) = figures(&|from| instructions(helper, from)) else {
            eprintln!("valgrind is not installed, or failed");
            return ExitCode::FAILURE;
        };
        let (ns_rust, ns_source) =
            figures(&|from| Some(nanoseconds(sources, helper, from))).expect("time is known");
        let quotient = source / rust;
        println!(
            "| {} | {rust:.0} | {source:.0} | {quotient:.2} | {ns_rust:.0} | {ns_source:.0} |",
            helper.name
        );
        worst = worst.max(quotient);
    }
    ExitCode::from(u8::from(worst > LIMIT))
}

/// The instructions of an application of the rule.
fn instructions(helper: &Helper, from: Origin) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let count = |ops: usize| -> Option<u64> {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(&program)
            .args(["once", helper.name, from.name(), &ops.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.lines().find(|line| line.contains("Collected"))?.rsplit(' ').next()?.parse().ok()
    };
    Some(count(LARGE)?.checked_sub(count(SMALL)?)? as f64 / (LARGE - SMALL) as f64)
}

/// The nanoseconds of an application of the rule in the fastest of several runs.
fn nanoseconds(sources: &Path, helper: &Helper, from: Origin) -> f64 {
    let once = |_| {
        let mut run = Run::new(sources, helper, from, LARGE);
        let start = Instant::now();
        run.run();
        start.elapsed().as_nanos() as f64 / LARGE as f64
    };
    (0..RUNS).map(once).fold(f64::MAX, f64::min)
}

struct Run {
    host: IrHost,
    ops: usize,
    matcher: Matcher<IrHost>,
}

impl Run {
    fn new(sources: &Path, helper: &Helper, from: Origin, ops: usize) -> Self {
        let mut text = String::from("%0 = \"t.start\"() : () -> i32\n");
        let value = |at: usize| helper.values[at % helper.values.len()];
        for op in 1..=ops {
            let (a, b) = (value(op), value(op / 3));
            writeln!(text, "%{op} = \"t.old\"(%0) <{{a = {a}, b = {b}}}> : (i32) -> i32")
                .expect("writing to a string succeeds");
        }
        let mut map = SourceMap::default();
        let file = map.add("input.mlir", text).expect("the file is small");
        let mut context = Context::new();
        let module = parse_module(&mut context, map.file(file)).expect("the input is valid");
        let mut host = IrHost::new(context, module);
        let rules = rules(sources, helper, from);
        let program = Arc::new(compile::program(&rules).expect("the rule compiles"));
        let natives = if from == Origin::Rust { natives::arith() } else { Natives::new() };
        let matcher = Matcher::link(program, &mut host, &natives, &LinkOptions::default());
        Self { host, ops, matcher: matcher.expect("the rule links") }
    }

    /// Applies the rule to each operation once.
    fn run(&mut self) {
        let top = self.host.module.top();
        let report = apply_in_walk(&mut self.host, top, &self.matcher, &mut NoListener);
        assert_eq!(report.rewrites, self.ops as u64, "the rule must apply to each operation");
    }
}

fn rules(sources: &Path, helper: &Helper, from: Origin) -> RuleSet {
    let attr = helper.attr;
    let (first, constraint) = match helper.call {
        Call::Rewrite(call) if from != Origin::Nothing => {
            (format!("(NativeCodeCall<\"{call})"), String::new())
        }
        Call::Predicate(call) if from != Origin::Nothing => {
            ("$a".to_owned(), format!("(Constraint<CPred<\"{call})"))
        }
        _ => ("$a".to_owned(), String::new()),
    };
    let text = format!(
        r#"include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def T : Dialect {{ let name = "t"; let cppNamespace = "t"; }}
class T_Op<string name> : Op<T, name> {{
  let arguments = (ins AnyType:$x, {attr}:$a, {attr}:$b);
  let results = (outs AnyType:$r);
}}
def Old : T_Op<"old">;
def New : T_Op<"new">;
def R : Pat<(Old:$r $x, $a, $b), (New $x, {first}, $b), [{constraint}]>;
"#
    );
    let mut map = SourceMap::default();
    let file = map.add("rules.td", text).expect("the file is small");
    let mut options = Options::default();
    options.include_dirs.push(sources.join("mlir/include"));
    if from == Origin::Source {
        options.helpers.push(sources.join("mlir/lib/Dialect/Arith/IR/ArithOps.cpp"));
    }
    let (rules, loaded) = compile::load_added(&mut map, &[file], &options);
    for diagnostic in loaded.diagnostics.iter() {
        eprintln!("{diagnostic:?}");
    }
    assert!(!loaded.diagnostics.has_errors(), "the rule is valid");
    rules
}

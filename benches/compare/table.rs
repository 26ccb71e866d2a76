//! Runs the whole comparison: every engine in a separate process, in turns, so that other load on the machine affects
//! all of them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::llvm_sources;
use crate::mlir;
use crate::ours;
use crate::real;
use crate::report::{self, AUTO_FROM_TD, Count, Figure, SIZES};
use crate::workload;

/// The number of measurements in a process. Their minimum is the figure of a round, because other load only adds time.
fn measurements(what: &str, rules: usize) -> usize {
    match what {
        "greedy rewriting" | "rewriting in a walk" | "incremental rewriting" | "from nothing" => 3,
        "compile" if rules > 4000 => 2,
        "compile" => 8,
        // Each measurement covers a million operations.
        what if real::SETS.iter().any(|set| set.title == what) => 8,
        _ => 25,
    }
}

/// A line of the table under construction.
struct Series {
    what: &'static str,
    engine: &'static str,
    rules: usize,
    /// Runs a process with one or more [`measurements`]. Its output has the milliseconds of a compilation, or the
    /// nanoseconds per operation and the number of matches.
    run: Box<dyn Fn() -> Option<Value>>,
    /// The key of the figure in the output of a run.
    key: &'static str,
    runs: Vec<f64>,
    matches: Option<u64>,
    /// For each rule, the number of operations whose first match is a match of this rule.
    by_rule: Value,
}

fn series(
    what: &'static str,
    engine: &'static str,
    rules: usize,
    run: impl Fn() -> Option<Value> + 'static,
) -> Series {
    let key = if what == "compile" { "compile_ms" } else { "ns_per_op" };
    Series {
        what,
        engine,
        rules,
        run: Box::new(run),
        key,
        runs: Vec::new(),
        matches: None,
        by_rule: Value::Null,
    }
}

/// The arguments that give the seed of the workload to another process.
fn seed_option(seed: u64) -> [String; 2] {
    [workload::SEED_OPTION.to_owned(), seed.to_string()]
}

/// Runs a measurement of drrvm in a separate process.
fn once(seed: u64, args: &[&str]) -> Option<Value> {
    let output =
        Command::new(std::env::current_exe().ok()?).args(seed_option(seed)).args(args).output().ok()?;
    if !output.status.success() {
        eprintln!("{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).ok()
}

fn ours(
    what: &'static str,
    name: &'static str,
    mode: &'static str,
    engine: &'static str,
    host: &'static str,
    rules: usize,
) -> Series {
    let ops = match what {
        "no rule starts" => "idle",
        "incremental rewriting" => "1m",
        _ => "100k",
    };
    let (count, rounds) = (rules.to_string(), measurements(what, rules).to_string());
    let seed = seed_of(what);
    series(what, name, rules, move || once(seed, &["once", mode, engine, host, ops, &count, &rounds]))
}

fn theirs(what: &'static str, name: &'static str, mode: &'static str, set: char, rules: usize) -> Series {
    series(what, name, rules, move || {
        let rounds = if what == "compile" { 1 } else { measurements(what, rules) };
        mlir::run(mode, seed_of(what), rules, set, rounds)
    })
}

/// The seed of the workload for the table with this title.
fn seed_of(what: &str) -> u64 {
    report::OTHER_SEEDS.iter().find(|table| table.0 == what).map_or_else(workload::seed, |table| table.1)
}

/// Runs all measurements, and writes `docs/bench/matching.*` and the table of `README.md`.
pub fn run(rounds: usize) {
    let with_mlir = mlir::build();
    if !with_mlir {
        eprintln!(
            "MLIR's side is skipped: it needs MLIR 22.1 with its development files, `cmake` and `ninja`; the messages \
             above state what is missing"
        );
    }
    let mut all = Vec::new();
    all.push(ours("walk", "ours, flat tables", "walk", "-", "flat", 1));
    all.push(ours("walk", "ours, built-in IR", "walk", "-", "ir", 1));
    all.push(theirs("walk", "MLIR", "walk", 'm', 1));
    for rules in SIZES {
        all.push(ours("first match", AUTO_FROM_TD, "first", "auto", "td", rules));
        all.push(ours("first match", "tree, rules from .td, built-in IR", "first", "tree", "td", rules));
        let name = "automaton, rules from .td, built-in IR";
        all.push(ours("first match", name, "first", "automaton", "td", rules));
        all.push(ours("first match", "tree, flat tables", "first", "tree", "flat", rules));
        all.push(ours("first match", "tree, built-in IR", "first", "tree", "ir", rules));
        all.push(ours("first match", "automaton, flat tables", "first", "automaton", "flat", rules));
        all.push(ours("first match", "automaton, built-in IR", "first", "automaton", "ir", rules));
        all.push(ours("first match", "labelled before, flat tables", "first", "labelled", "flat", rules));
        all.push(theirs("first match", "MLIR PDL byte code", "pdl", 'm', rules));
        if mlir::COMPILED.contains(&rules) {
            all.push(theirs("first match", "MLIR compiled DRR", "drr", 'm', rules));
        }
        for (what, _) in report::OTHER_SEEDS {
            all.push(ours(what, AUTO_FROM_TD, "first", "auto", "td", rules));
            all.push(theirs(what, "MLIR PDL byte code", "pdl", 'm', rules));
        }
        all.push(ours("compile", "ours", "compile", "-", "-", rules));
        all.push(theirs("compile", "MLIR PDL byte code", "pdl", 'm', rules));
    }
    for rules in [100, 1000] {
        all.push(ours("all matches", "tree, flat tables", "all", "tree", "flat", rules));
        all.push(ours("all matches", "automaton, flat tables", "all", "automaton", "flat", rules));
        all.push(ours("greedy rewriting", "ours, tree", "greedy", "tree", "ir", rules));
        all.push(ours("rewriting in a walk", "ours, tree", "in-walk", "tree", "ir", rules));
        all.push(theirs("greedy rewriting", "MLIR PDL byte code", "greedy", 'r', rules));
    }
    for (name, engine) in [("first run", "first"), ("run after 0.1% of the operations changed", "again")] {
        all.push(ours("incremental rewriting", name, "incremental", engine, "ir", 1000));
    }
    all.push(ours("no rule starts", "walk", "walk", "-", "flat", 1000));
    all.push(ours("no rule starts", "tree", "first", "tree", "flat", 1000));
    all.push(ours("no rule starts", "automaton", "first", "automaton", "flat", 1000));
    all.push(ours("from nothing", "tree, flat tables", "first", "tree", "flat", 1000));
    all.push(ours("from nothing", "automaton, flat tables", "first", "cold", "flat", 1000));
    for rules in [10_000, 30_000, 100_000] {
        all.push(ours("compile", "ours", "compile", "-", "-", rules));
    }
    all.extend(series_of_real_rules());
    report::write(&measure(all, rounds), rounds);
}

/// Runs the measurements of MLIR's rules and prints their table.
pub fn run_real(rounds: usize) {
    println!("{}", report::sections(&measure(series_of_real_rules(), rounds)));
}

/// The measurements of MLIR's rules, if the sources of LLVM are available. MLIR's side needs an installed MLIR as well.
fn series_of_real_rules() -> Vec<Series> {
    let mut all = Vec::new();
    let Some(sources) = llvm_sources() else { return all };
    let with_mlir = mlir::build_real(&sources);
    for set in &real::SETS {
        let Some(ir) = real::write_ir(set, 1_000_000) else { continue };
        for (name, engine) in [
            ("tree, built-in IR", "tree"),
            ("automaton, built-in IR", "automaton"),
            ("labelled before, built-in IR", "labelled"),
        ] {
            let path = ir.to_str().expect("a path in UTF-8").to_owned();
            let rounds = measurements(set.title, set.rules).to_string();
            let run = move || once(workload::seed(), &["once-real", engine, set.name, &path, &rounds]);
            all.push(series(set.title, name, set.rules, run));
        }
        if with_mlir {
            let run = move || mlir::run_real(set.name, &ir, measurements(set.title, set.rules));
            all.push(series(set.title, "MLIR compiled DRR", set.rules, run));
        }
    }
    all
}

/// Measures every series once per round.
fn measure(mut all: Vec<Series>, rounds: usize) -> Vec<Figure> {
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        for series in &mut all {
            let Some(output) = (series.run)() else { continue };
            let figure = &output[series.key];
            series.runs.extend(figure.get("min").unwrap_or(figure).as_f64());
            let matches = output["matches"].as_u64();
            assert!(
                series.matches.is_none_or(|before| Some(before) == matches),
                "{}: the number of matches differs between rounds",
                series.engine
            );
            series.matches = matches;
            series.by_rule = output["by_rule"].clone();
        }
    }
    agree(&all);
    all.into_iter()
        .filter(|series| !series.runs.is_empty())
        .map(|series| Figure {
            what: series.what,
            engine: series.engine,
            rules: series.rules,
            runs: series.runs,
            matches: series.matches,
        })
        .collect()
}

/// Checks that all engines find equal numbers of matches when they search for the first match, rewrite greedily, or
/// match MLIR's rules. For MLIR's rules, the numbers for each rule must be equal as well. For greedy rewriting, the
/// number of matches is the number of operations that rewrites created and that remain.
fn agree(all: &[Series]) {
    let is_real = |series: &Series| real::SETS.iter().any(|set| set.title == series.what);
    let compared = |series: &&Series| {
        is_real(series) || series.what.starts_with("first match") || series.what == "greedy rewriting"
    };
    for one in all.iter().filter(compared) {
        let same = |other: &&Series| other.what == one.what && other.rules == one.rules;
        for other in all.iter().filter(same).filter(|other| other.matches.is_some() && one.matches.is_some())
        {
            assert_eq!(
                one.matches, other.matches,
                "{} and {} at {} rules",
                one.engine, other.engine, one.rules
            );
            // On the workload, these numbers can differ, because MLIR orders rules of equal benefit differently.
            assert!(
                !is_real(one) || one.by_rule == other.by_rule,
                "{}, {} and {}: {} and {}",
                one.what,
                one.engine,
                other.engine,
                one.by_rule,
                other.by_rule
            );
        }
    }
}

/// Counts instructions with callgrind and writes `docs/bench/instructions.md`.
pub fn count() {
    let mut counts = Vec::new();
    let engines = [
        ("reference", "flat"),
        ("tree", "flat"),
        ("tree", "ir"),
        ("tree", "td"),
        ("automaton", "flat"),
        ("automaton", "ir"),
        ("automaton", "td"),
    ];
    for (engine, host) in engines {
        for rules in [1, 10, 100, 1000, 4000] {
            let rounds = |rounds| instructions(engine, host, rules, rounds);
            let (Some(one), Some(three)) = (rounds(1), rounds(3)) else {
                eprintln!("skipped: Callgrind gave no number of instructions; is valgrind installed?");
                return;
            };
            let ops = if engine == "reference" { ours::SAMPLE } else { 100_000 };
            let instructions = (three - one) as f64 / 2.0 / ops as f64;
            eprintln!("{engine}, {host}, {rules} rules: {instructions:.0}");
            counts.push(Count { engine, host, rules, instructions });
        }
    }
    report::write_counts(&counts);
}

fn instructions(engine: &str, host: &str, rules: usize, rounds: usize) -> Option<u64> {
    let own = std::env::current_exe().ok()?;
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .args(seed_option(workload::seed()));
    let output = command
        .args(["once", "first", engine, host, "100k", &rules.to_string(), &rounds.to_string()])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .ok()?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = stderr.lines().find(|line| line.contains("Collected"))?;
    line.rsplit(' ').next()?.parse().ok()
}

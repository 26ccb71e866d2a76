//! Compares drrvm with MLIR's engines on the same rules and the same IR, in one run.
//!
//!     cargo bench --bench compare [-- --rounds N]      both sides in turns; writes docs/bench/matching.* and README.md
//!     cargo bench --bench compare -- count             instructions per operation; writes docs/bench/instructions.md
//!     cargo bench --bench compare -- real [--rounds N] only MLIR's rules; prints the table and changes no document
//!     cargo bench --bench compare -- once MODE ENGINE HOST OPS RULES [ROUNDS]
//!     cargo bench --bench compare -- once-real ENGINE SET IR [ROUNDS]
//!
//! `--seed N` before the other arguments selects a workload with other rules and other IR. The workload is written to
//! `target/bench`, or to `target/bench-seed-N` for another seed. CMake and Ninja build MLIR's side from `benches/mlir`.
//! Without CMake, Ninja or an installed MLIR, MLIR's side is skipped. Without `mlir-opt` or the sources of LLVM, MLIR's
//! rules are skipped. Each process of drrvm that measures matching checks its numbers of matches before it reports a
//! figure.

#![allow(clippy::print_stderr, clippy::print_stdout, reason = "benchmarks report their progress")]
#![allow(unreachable_pub, dead_code, reason = "benchmarks share modules and use different parts")]

#[path = "../../tests/it/common/llvm.rs"]
mod common;
mod mlir;
mod ours;
mod real;
mod report;
mod table;
#[path = "../workload/mod.rs"]
mod workload;

use std::path::Path;

use ours::Measurement;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
    if let [workload::SEED_OPTION, seed, ..] = args[..] {
        workload::use_seed(number(seed) as u64);
        args.drain(..2);
    }
    let rounds = |rounds: &[&str]| rounds.first().map(|rounds| number(rounds));
    match args[..] {
        ["real", ref options @ ..] => table::run_real(rounds(options.get(1..).unwrap_or(&[])).unwrap_or(5)),
        ["once-real", engine, set, ir, ref more @ ..] => {
            println!("{}", real::run(engine, real::set(set), Path::new(ir), rounds(more).unwrap_or(1)));
        }
        // `cargo bench -- --test` only checks that the bench runs, so this run is small and changes no document.
        ["--test"] => smoke(),
        _ if workload::folder().is_none() => report_missing_workload(),
        [] => table::run(5),
        ["--rounds", rounds] => table::run(number(rounds)),
        ["count"] => table::count(),
        ["once", mode, engine, host, ops, rules, ref more @ ..] => {
            let measurement = measurement(mode, engine, host, ops, number(rules), rounds(more).unwrap_or(1));
            println!("{}", ours::run(&measurement));
        }
        _ => panic!("{args:?}: unknown arguments, see the start of benches/compare/main.rs"),
    }
}

fn report_missing_workload() {
    eprintln!("skipped: the workload cannot be written to `target`");
}

fn smoke() {
    for set in &real::SETS {
        let Some(ir) = real::write_ir(set, 1) else { break };
        for engine in ["tree", "automaton"] {
            println!("{}", real::run(engine, set, &ir, 1));
        }
    }
    if workload::folder().is_none() {
        return report_missing_workload();
    }
    for (mode, engine, host) in [
        ("first", "tree", "ir"),
        ("all", "tree", "flat"),
        ("first", "automaton", "ir"),
        ("first", "auto", "td"),
        ("compile", "tree", "-"),
        ("greedy", "tree", "ir"),
        ("incremental", "again", "ir"),
    ] {
        println!("{}", ours::run(&measurement(mode, engine, host, "20k", 10, 1)));
    }
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_else(|_| panic!("'{text}' is not a number"))
}

fn measurement(mode: &str, engine: &str, host: &str, ops: &str, rules: usize, rounds: usize) -> Measurement {
    let [mode, engine, host, ops] = [mode, engine, host, ops].map(str::to_owned);
    Measurement { mode, engine, host, ops, rules, rounds }
}

//! Ours beside MLIR's own engines, on the same rules and the same IR, in one run.
//!
//!     cargo bench --bench compare                      both sides, turn by turn; writes docs/bench/
//!     cargo bench --bench compare -- count             instructions an operation, by callgrind
//!     cargo bench --bench compare -- once MODE ENGINE HOST OPS RULES [ROUNDS]
//!
//! The workload comes from the script in `$DRRVM_WORKLOAD` (`../shared/bench`) and is kept in
//! `target/bench`. MLIR's side is built with CMake from `benches/mlir`, and left out where MLIR is not
//! installed. Every process compares its matches with what is known to be true before it gives a figure.

#![allow(clippy::print_stderr, clippy::print_stdout, reason = "a benchmark says what it does")]
#![allow(unreachable_pub, dead_code, reason = "what one benchmark does not use, another does")]

mod mlir;
mod ours;
mod report;
mod table;
#[path = "../workload/mod.rs"]
mod workload;

use ours::Measurement;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if workload::folder().is_none() {
        eprintln!("skipped: no workload in target/bench, and no script to make it");
        return;
    }
    match args[..] {
        [] => table::run(5),
        ["--rounds", rounds] => table::run(number(rounds)),
        ["count"] => table::count(),
        ["once", mode, engine, host, ops, rules, ref rounds @ ..] => {
            let rounds = rounds.first().map_or(1, |rounds| number(rounds));
            println!("{}", ours::run(&measurement(mode, engine, host, ops, number(rules), rounds)));
        }
        // Cargo runs benches as tests with `--test`: small, and nothing is written.
        _ => {
            for (mode, engine, host) in [
                ("first", "tree", "ir"),
                ("all", "tree", "flat"),
                ("first", "automaton", "ir"),
                ("compile", "tree", "-"),
                ("greedy", "tree", "ir"),
            ] {
                println!("{}", ours::run(&measurement(mode, engine, host, "20k", 10, 1)));
            }
        }
    }
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_else(|_| panic!("'{text}' is no number"))
}

fn measurement(mode: &str, engine: &str, host: &str, ops: &str, rules: usize, rounds: usize) -> Measurement {
    let [mode, engine, host, ops] = [mode, engine, host, ops].map(str::to_owned);
    Measurement { mode, engine, host, ops, rules, rounds }
}

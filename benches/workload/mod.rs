//! The matching workload: rules and IR from `target/bench`, written by the project's workload script.

pub mod flat;
pub mod rules;

use std::path::{Path, PathBuf};

/// Where the workload is, if it has been made.
pub fn folder() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var_os("DRRVM_BENCH").map_or_else(|| root.join("target/bench"), PathBuf::from);
    folder.join("ir_100k.mlir").exists().then_some(folder)
}

/// The true number of matches of each rule, if it is known for this size.
pub fn expected(size: &str, rules: usize) -> Option<Vec<u64>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var_os("DRRVM_BENCH_EXPECTED")
        .map_or_else(|| root.join("../shared/bench/expected"), PathBuf::from);
    let text = std::fs::read_to_string(folder.join(format!("counts_{size}_P{rules}.txt"))).ok()?;
    text.lines().map(|line| line.split_once(' ')?.1.parse().ok()).collect()
}

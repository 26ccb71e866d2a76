//! The matching workload: rules and IR in `target/bench`.

pub mod flat;
pub mod rules;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the workload is; it is made if the script that makes it is there.
pub fn folder() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("target/bench");
    // The last file that the script writes.
    let last = folder.join("ir_1m.mlir");
    let script = root.join("../shared/bench/workload.py");
    if !last.exists() && script.exists() {
        Command::new("python3").arg(script).arg(&folder).status().ok()?;
    }
    last.exists().then_some(folder)
}

/// The true number of matches of each rule, if it is known for this size.
pub fn expected(size: &str, rules: usize) -> Option<Vec<u64>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = format!("../shared/bench/expected/counts_{size}_P{rules}.txt");
    let text = std::fs::read_to_string(root.join(file)).ok()?;
    text.lines().map(|line| line.split_once(' ')?.1.parse().ok()).collect()
}

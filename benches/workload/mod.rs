//! The matching workload: rules and IR in `target/bench`.

pub mod allocations;
pub mod flat;
pub mod rules;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of the workload, and generates the workload if its script exists.
pub fn folder() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("target/bench");
    // The last file that the script writes.
    let last = folder.join("ir_1m.mlir");
    let script = definition().join("workload.py");
    if !last.exists() && script.exists() {
        Command::new("python3").arg(script).arg(&folder).status().ok()?;
    }
    last.exists().then_some(folder)
}

/// Returns a file with `count` rules, which may be more than the script generates by default.
pub fn many_rules(count: usize) -> Option<PathBuf> {
    let (script, file) = (definition(), folder()?.join(format!("patterns_m_{count}.txt")));
    if !file.exists() {
        let program = "import sys, workload as w\n\
                       w.w_txt(w.gen_patterns(int(sys.argv[1]), 0xBEEF, False), sys.argv[2])";
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", script).env("PYTHONDONTWRITEBYTECODE", "1").args(["-c", program]);
        python.arg(count.to_string()).arg(&file).status().ok()?;
    }
    file.exists().then_some(file)
}

/// The folder with the script that generates the workload and with the true numbers of matches:
/// `$DRRVM_WORKLOAD`, or a folder next to the repository.
fn definition() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/bench");
    std::env::var_os("DRRVM_WORKLOAD").map_or_else(beside, PathBuf::from)
}

/// The true number of matches of each rule, if it is known for this size.
pub fn expected(size: &str, rules: usize) -> Option<Vec<u64>> {
    let file = format!("expected/counts_{size}_P{rules}.txt");
    let text = std::fs::read_to_string(definition().join(file)).ok()?;
    text.lines().map(|line| line.split_once(' ')?.1.parse().ok()).collect()
}

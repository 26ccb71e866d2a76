//! MLIR's side: built from `benches/mlir`, and run.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::workload;

/// Rule counts for which the DRR rules are compiled in; the compiler takes about 0.15 s a rule, once.
pub const COMPILED: [usize; 3] = [10, 100, 1000];

fn folder(rules: usize) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("target/mlir-bench-{rules}"))
}

/// Builds what is not built; whether MLIR's side is there.
pub fn build() -> bool {
    let Some(workload) = workload::folder() else { return false };
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/mlir");
    COMPILED.iter().all(|&rules| {
        let target = folder(rules);
        let done = |command: &mut Command| command.status().is_ok_and(|status| status.success());
        let configured = target.join("build.ninja").exists()
            || done(
                Command::new("cmake")
                    .args(["-G", "Ninja", "-S"])
                    .arg(&sources)
                    .arg("-B")
                    .arg(&target)
                    .args([format!("-DWORKLOAD={}", workload.display()), format!("-DRULES={rules}")]),
            );
        configured && done(Command::new("ninja").arg("-C").arg(&target).arg("--quiet"))
    })
}

/// What `mlir-bench` says of a mode, on a file of the workload, with the rules of one of its files.
pub fn run(mode: &str, ops: &str, rules: usize, set: char, rounds: usize) -> Option<Value> {
    let workload = workload::folder()?;
    let built = if mode == "drr" { rules } else { COMPILED[0] };
    let mut command = Command::new(folder(built).join("mlir-bench"));
    command.arg(mode).arg(workload.join(format!("ir_{ops}.mlir")));
    if mode != "walk" && mode != "drr" {
        command.arg(workload.join(format!("pat_{set}_{rules}.mlir")));
    }
    let output = command.args(["--rounds", &rounds.to_string()]).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

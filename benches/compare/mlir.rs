//! MLIR's side: built from `benches/mlir`, and run.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::workload;

/// Rule counts for which the DRR rules are compiled in; the compiler takes about 0.15 s a rule, once.
pub const COMPILED: [usize; 3] = [10, 100, 1000];

/// Where a binary is built.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target").join(name)
}

/// Builds a binary if it is not built; whether it is there.
fn built(name: &str, options: &[String]) -> bool {
    let (sources, target) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/mlir"), folder(name));
    let done = |command: &mut Command| command.status().is_ok_and(|status| status.success());
    let configured = target.join("build.ninja").exists()
        || done(
            Command::new("cmake")
                .args(["-G", "Ninja", "-S"])
                .arg(&sources)
                .arg("-B")
                .arg(&target)
                .args(options),
        );
    configured && done(Command::new("ninja").arg("-C").arg(&target).arg("--quiet"))
}

/// Builds what times the workload; whether MLIR's side is there.
pub fn build() -> bool {
    let Some(workload) = workload::folder() else { return false };
    COMPILED.iter().all(|rules| {
        let options = [format!("-DWORKLOAD={}", workload.display()), format!("-DRULES={rules}")];
        built(&format!("mlir-bench-{rules}"), &options)
    })
}

/// Builds what times MLIR's own rules; whether it is there.
pub fn build_real(sources: &Path) -> bool {
    built("mlir-bench-real", &[format!("-DSOURCES={}", sources.display())])
}

/// What `mlir-bench` says of a mode, on a file of the workload, with the rules of one of its files.
pub fn run(mode: &str, ops: &str, rules: usize, set: char, rounds: usize) -> Option<Value> {
    let workload = workload::folder()?;
    let built = if mode == "drr" { rules } else { COMPILED[0] };
    let mut command = Command::new(folder(&format!("mlir-bench-{built}")).join("mlir-bench"));
    command.arg(mode).arg(workload.join(format!("ir_{ops}.mlir")));
    if mode != "walk" && mode != "drr" {
        command.arg(workload.join(format!("pat_{set}_{rules}.mlir")));
    }
    said(command.args(["--rounds", &rounds.to_string()]))
}

/// What it says of rules of MLIR's own on some IR.
pub fn run_real(set: &str, ir: &Path, rounds: usize) -> Option<Value> {
    let mut command = Command::new(folder("mlir-bench-real").join("mlir-bench"));
    said(command.arg("drr").arg(ir).args([set, "--rounds", &rounds.to_string()]))
}

fn said(command: &mut Command) -> Option<Value> {
    let output = command.output().ok()?;
    if !output.status.success() {
        eprintln!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).ok()
}

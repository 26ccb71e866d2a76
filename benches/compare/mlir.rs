//! Builds MLIR's side from `benches/mlir` and runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::workload;

/// The numbers of rules for which MLIR's side is built with compiled DRR rules. The C++ compiler needs about 0.15 s for
/// each rule, once.
pub const COMPILED: [usize; 3] = [10, 100, 1000];

/// The build folder of a binary.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target").join(name)
}

/// Builds a binary if necessary; returns true if it exists.
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

/// The name of the binary with a number of compiled rules.
fn name(rules: usize) -> String {
    format!("mlir-bench-{rules}{}", workload::suffix(workload::seed()))
}

/// Builds the binaries for the workload; returns true if they exist.
pub fn build() -> bool {
    let Some(workload) = workload::folder() else { return false };
    COMPILED.iter().all(|rules| {
        let options = [format!("-DWORKLOAD={}", workload.display()), format!("-DRULES={rules}")];
        built(&name(*rules), &options)
    })
}

/// Builds the binary for MLIR's rules; returns true if it exists.
pub fn build_real(sources: &Path) -> bool {
    built("mlir-bench-real", &[format!("-DSOURCES={}", sources.display())])
}

/// Runs a mode of `mlir-bench` on the IR of the workload that has this seed. The rules are the set `set` of the same
/// workload. In the mode `drr`, the rules are instead those of this process's workload, which can have another seed.
pub fn run(mode: &str, seed: u64, rules: usize, set: char, rounds: usize) -> Option<Value> {
    let workload = workload::folder_of(seed)?;
    let built = if mode == "drr" { rules } else { COMPILED[0] };
    let mut command = Command::new(folder(&name(built)).join("mlir-bench"));
    command.arg(mode).arg(workload.join("ir_100k.mlir"));
    if mode != "walk" && mode != "drr" {
        command.arg(workload.join(format!("pat_{set}_{rules}.mlir")));
    }
    json_output(command.args(["--rounds", &rounds.to_string()]))
}

/// Runs `mlir-bench` with a set of MLIR's rules on the IR in a file.
pub fn run_real(set: &str, ir: &Path, rounds: usize) -> Option<Value> {
    let mut command = Command::new(folder("mlir-bench-real").join("mlir-bench"));
    json_output(command.arg("drr").arg(ir).args([set, "--rounds", &rounds.to_string()]))
}

fn json_output(command: &mut Command) -> Option<Value> {
    let output = command.output().ok()?;
    if !output.status.success() {
        eprintln!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).ok()
}

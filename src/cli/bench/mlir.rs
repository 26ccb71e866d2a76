//! Times MLIR's own `pdl` engine through the test pass in `mlir-opt`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ir::{IrHost, PrintOptions};
use crate::pdl::{self, RuleSet};

/// The time of `mlir-opt`, or the reason why there is none.
pub(super) enum Mlir {
    /// Nanoseconds per operation for rewriting, without the time for compiling the rules.
    Rewriting(f64),
    Skipped(String),
}

/// The options of `mlir-opt`, which run the pass and print its time.
const ARGS: [&str; 7] = [
    "--allow-unregistered-dialect",
    "--test-pdl-bytecode-pass",
    "--verify-each=false",
    "--mlir-disable-threading",
    "--mlir-timing",
    "--mlir-timing-display=list",
    "--mlir-print-op-generic",
];
const PASS: &str = "TestPDLByteCodePass";

/// The number of runs. The time of the fastest run is reported.
const RUNS: usize = 3;

/// The minimum difference in seconds between runs with and without the input. Smaller differences are not reported,
/// because MLIR prints only four decimals.
const LEAST: f64 = 0.002;

/// Measures rewriting of the module of `host` with `rules`. `ops` is the number of operations of the module.
pub(super) fn measure(program: Option<&Path>, rules: Option<&RuleSet>, host: &IrHost, ops: usize) -> Mlir {
    let Some(program) = program.map(Path::to_owned).or_else(find) else {
        return Mlir::Skipped("`mlir-opt-22` and `mlir-opt` are not on the PATH".to_owned());
    };
    let Some(rules) = rules else {
        return Mlir::Skipped("a compiled program does not contain its rules as `pdl`".to_owned());
    };
    let text = pdl::print(rules);
    if text.contains("drrvm.") || text.contains("pdl.apply_native") {
        return Mlir::Skipped("`pdl` cannot express the rules without natives".to_owned());
    }
    let Some(patterns) = text.strip_prefix("module {") else {
        return Mlir::Skipped("the rules do not print as a module".to_owned());
    };
    let ir = host.module.print(&host.context, PrintOptions::new().generic(true).local_scope(true));
    let time = |ir: &str| {
        let input = format!("module @patterns {{{patterns}\nmodule @ir {{\n{ir}}}\n");
        let mut least = f64::MAX;
        for _ in 0..RUNS {
            least = least.min(pass_time(&program, &input)?);
        }
        Ok::<f64, String>(least)
    };
    match time("").and_then(|without| Ok(time(&ir)? - without)) {
        Ok(seconds) if seconds >= LEAST => Mlir::Rewriting(seconds * 1e9 / ops as f64),
        Ok(_) => Mlir::Skipped("the input is too short to time `mlir-opt`".to_owned()),
        Err(why) => Mlir::Skipped(format!("`{}`: {why}", program.display())),
    }
}

/// The first `mlir-opt-22` on the PATH, or else the first `mlir-opt`.
fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let in_folder =
        |name: &str| std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file());
    in_folder("mlir-opt-22").or_else(|| in_folder("mlir-opt"))
}

/// The seconds that the pass takes.
fn pass_time(program: &Path, input: &str) -> Result<f64, String> {
    let failed = |e: std::io::Error| e.to_string();
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    file.write_all(input.as_bytes()).map_err(failed)?;
    let output = Command::new(program).args(ARGS).arg(file.path()).output().map_err(failed)?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(messages.lines().next().unwrap_or("it fails without a message").to_owned());
    }
    let line = messages.lines().find(|line| line.contains(PASS));
    let seconds = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    seconds.ok_or_else(|| "it prints no time of the pass".to_owned())
}

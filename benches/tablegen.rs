//! Compares drrvm's TableGen with `llvm-tblgen-22`: time and memory on three of LLVM's targets, instructions on small
//! files.
//!
//! Both read the same file and print nothing; a failing run is an error. With `--test`, only the small files are read.

#![allow(clippy::print_stdout, reason = "a benchmark prints a table")]

use std::path::{Path, PathBuf};
use std::process::Command;

const OURS: &str = env!("CARGO_BIN_EXE_drrvm");
const THEIRS: &str = "llvm-tblgen-22";
const TARGETS: [&str; 3] = ["X86", "RISCV", "AMDGPU"];
const SMALL: [&str; 3] = [
    "mlir/include/mlir/Dialect/SPIRV/IR/SPIRVOps.td",
    "mlir/include/mlir/Dialect/LLVMIR/LLVMOps.td",
    "mlir/test/lib/Dialect/Test/TestOps.td",
];

fn sources() -> Option<PathBuf> {
    let root = match std::env::var_os("DRRVM_LLVM") {
        Some(root) => PathBuf::from(root),
        None => Path::new(&std::env::var_os("HOME")?).join(".cache/drrvm/llvm-22"),
    };
    root.join("llvm/lib/Target").is_dir().then_some(root)
}

fn arguments(ours: bool, file: &Path, folders: &[PathBuf]) -> Vec<String> {
    let mut args = vec![if ours { OURS } else { THEIRS }.to_owned()];
    if ours {
        args.extend(["tablegen".to_owned(), "-q".to_owned()]);
    }
    args.push("--null-backend".to_owned());
    for folder in folders {
        args.extend(["-I".to_owned(), folder.display().to_string()]);
    }
    args.push(file.display().to_string());
    args
}

/// Runs a command under a measuring program. Returns standard error, or `None` if the measuring program is not
/// installed.
fn measure(prefix: &[&str], command: &[String]) -> Option<String> {
    let run = Command::new(prefix[0]).args(&prefix[1..]).args(command).output().ok()?;
    let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{} failed: {stderr}", command.join(" "));
    Some(stderr)
}

/// Returns the best of `rounds`: processor time in seconds and peak memory in KiB.
fn time(command: &[String], rounds: usize) -> Option<(f64, f64)> {
    let mut best: Option<(f64, f64)> = None;
    for _ in 0..rounds {
        let stderr = measure(&["/usr/bin/time", "-f", "%U %S %M"], command)?;
        let mut numbers = stderr.lines().last()?.split(' ').map(str::parse::<f64>);
        let (user, system, memory) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
        let seconds = user + system;
        best = Some(best.map_or((seconds, memory), |(s, m)| (s.min(seconds), m.min(memory))));
    }
    best
}

/// Instructions counted by cachegrind, which needs no hardware counters.
fn instructions(command: &[String]) -> Option<f64> {
    let count = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];
    let stderr = measure(&count, command)?;
    let refs = stderr.lines().find(|line| line.contains("I refs") || line.contains("I   refs"))?;
    refs.rsplit(' ').next()?.replace(',', "").parse().ok()
}

fn main() {
    let Some(root) = sources() else {
        println!("skipped: no LLVM sources");
        return;
    };
    if Command::new(THEIRS).arg("--version").output().is_err() {
        println!("skipped: {THEIRS} is not on the path");
        return;
    }
    let smoke = std::env::args().any(|arg| arg == "--test");
    for name in SMALL {
        let file = root.join(name);
        let own = file.parent().map_or_else(PathBuf::new, Path::to_owned);
        let folders = [root.join("mlir/include"), own];
        let of = |ours| instructions(&arguments(ours, &file, &folders));
        match (of(true), of(false)) {
            (Some(ours), Some(theirs)) => {
                println!("{name}: {:.0} M instructions, {THEIRS} {:.0} M", ours / 1e6, theirs / 1e6);
            }
            _ => println!("{name}: cachegrind is not available"),
        }
    }
    if smoke {
        return;
    }
    for target in TARGETS {
        let folder = root.join("llvm/lib/Target").join(target);
        let file = folder.join(format!("{target}.td"));
        let folders = [root.join("llvm/include"), folder];
        let of = |ours| time(&arguments(ours, &file, &folders), 3);
        let (Some((ours, memory)), Some((theirs, their_memory))) = (of(true), of(false)) else {
            println!("{target}: /usr/bin/time is not installed");
            continue;
        };
        println!(
            "{target}: {ours:.2} s, {:.0} MB; {THEIRS} {theirs:.2} s, {:.0} MB; {:.1} times as fast",
            memory / 1024.0,
            their_memory / 1024.0,
            theirs / ours
        );
    }
}

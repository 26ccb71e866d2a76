//! Where the reference implementation is, for the tests that ask it.

// A skipped test says why; what one test file does not use, another does.
#![allow(clippy::print_stdout, dead_code, unreachable_pub)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The sources of LLVM 22.1, or nothing and a printed reason where they are not installed.
pub fn llvm_sources() -> Option<PathBuf> {
    let root = match std::env::var_os("DRRVM_LLVM") {
        Some(root) => PathBuf::from(root),
        None => Path::new(&std::env::var_os("HOME")?).join(".cache/drrvm/llvm-22"),
    };
    if root.join("mlir/include").is_dir() {
        return Some(root);
    }
    println!("skipped: no LLVM sources at {}", root.display());
    None
}

/// A tool of LLVM by its name without the version, or nothing and a printed reason.
pub fn llvm_tool(name: &str) -> Option<String> {
    let program = format!("{name}-22");
    if Command::new(&program).arg("--version").output().is_ok() {
        return Some(program);
    }
    println!("skipped: {program} is not on the path");
    None
}

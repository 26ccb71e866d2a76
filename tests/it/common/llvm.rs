//! MLIR's tools and sources, for the tests and benches that compare with MLIR.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Returns the folder with the sources of LLVM 22.1: `DRRVM_LLVM`, or `~/.cache/drrvm/llvm-22`. If it does not exist,
/// prints that the test is skipped.
pub(crate) fn llvm_sources() -> Option<PathBuf> {
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

/// Returns all files with an extension below a folder, sorted.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.expect("the folder can be read").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns the name of an LLVM tool with its version, `name-22`. If the tool is not installed, prints that the test is
/// skipped.
pub(crate) fn llvm_tool(name: &str) -> Option<String> {
    let program = format!("{name}-22");
    if Command::new(&program).arg("--version").output().is_ok() {
        return Some(program);
    }
    println!("skipped: {program} is not on the path");
    None
}

/// Runs an installed program with some input until it exits.
pub(crate) fn pipe(program: &str, args: &[&str], input: &[u8]) -> Output {
    feed(Command::new(program).args(args), input)
}

/// Runs the command of an installed program with some input until it exits.
pub(crate) fn feed(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was found before");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    std::thread::scope(|scope| {
        // Write errors are ignored, because a program can stop at an error before it reads all of its input.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("the program ends")
    })
}

/// Returns the output of a program for an input, or its error messages if it fails.
pub(crate) fn pipe_text(program: &str, args: &[&str], input: &str) -> Result<String, String> {
    let output = pipe(program, args, input.as_bytes());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

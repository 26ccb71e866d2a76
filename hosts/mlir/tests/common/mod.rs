//! The plugin, MLIR's tools and MLIR's sources.

#![allow(dead_code, reason = "each test file uses a part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The folder with the sources of LLVM 22.1; without it, prints that the test is skipped.
pub fn sources() -> Option<PathBuf> {
    let root = match std::env::var_os("DRRVM_LLVM") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache/drrvm/llvm-22"),
    };
    if root.join("mlir/test").is_dir() {
        return Some(root);
    }
    println!("skipped: no LLVM sources at {}", root.display());
    None
}

/// The program of a tool of LLVM. `name` is the name of the tool without the version. If the tool is not installed,
/// prints that the test is skipped.
pub fn tool(name: &str) -> Option<String> {
    let program = format!("{name}-22");
    if Command::new(&program).arg("--version").output().is_ok() {
        return Some(program);
    }
    println!("skipped: {program} is not on the path");
    None
}

/// The folder of the libraries that Cargo has built.
pub fn built() -> PathBuf {
    let test = std::env::current_exe().expect("the test knows its path");
    test.parent().expect("the test is in a folder").to_owned()
}

/// The plugin.
pub fn plugin() -> PathBuf {
    built().join("libdrrvm_mlir.so")
}

/// The headers of this package.
pub fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}

/// The folder of the MLIR that the package was built for.
pub fn mlir() -> PathBuf {
    PathBuf::from(env!("DRRVM_MLIR_FOUND"))
}

/// A new folder for the files of one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be created");
    folder
}

/// Runs the C++ compiler with the flags that code of MLIR needs.
pub fn compile(sources: &[&Path], output: &Path, more: &[&str]) {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut command = Command::new(compiler);
    command.args(["-std=c++17", "-O1", "-fPIC", "-fno-rtti", "-fno-exceptions", "-DNDEBUG", "-w"]);
    command.arg("-isystem").arg(mlir().join("include")).arg("-I").arg(include());
    command.args(sources).args(more).arg("-o").arg(output);
    let done = command.output().expect("the C++ compiler runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The plugin with the natives of the tests, which is compiled once.
pub fn test_natives() -> &'static Path {
    static PLUGIN: OnceLock<PathBuf> = OnceLock::new();
    PLUGIN.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugin/test_natives.cpp");
        let output = folder("plugin").join(format!("test_natives_{}.so", std::process::id()));
        compile(&[&source], &output, &["-shared"]);
        output
    })
}

/// Runs a program with some input until it exits.
pub fn feed(command: &mut Command, input: &str) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the program was found before");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input.as_bytes())));
        child.wait_with_output().expect("the program ends")
    })
}

/// The result of a program.
#[derive(Debug)]
pub struct Ran {
    pub succeeded: bool,
    pub output: String,
    pub errors: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            succeeded: output.status.success(),
            output: text(&output.stdout),
            errors: text(&output.stderr),
        }
    }
}

/// Makes a program load the libraries that `DRRVM_MLIR_PRELOAD` names (the runtimes of sanitizers), then `library`, and
/// then all other libraries.
pub fn preload(command: &mut Command, library: Option<&Path>) {
    let runtimes = std::env::var("DRRVM_MLIR_PRELOAD").ok();
    let libraries: Vec<String> =
        runtimes.into_iter().chain(library.map(|path| path.display().to_string())).collect();
    if !libraries.is_empty() {
        command.env("LD_PRELOAD", libraries.join(":"));
    }
}

/// Runs `mlir-opt` with the plugin and more arguments.
pub fn mlir_opt(args: &[&str], input: &str) -> Option<Ran> {
    let mut command = Command::new(tool("mlir-opt")?);
    preload(&mut command, None);
    command.arg(format!("--load-pass-plugin={}", plugin().display())).args(args);
    Some(feed(&mut command, input).into())
}

/// Applies a pipeline with the pass `drrvm-rewrite` to a module.
pub fn rewrite(options: &str, input: &str) -> Option<Ran> {
    let pipeline = format!("--pass-pipeline=builtin.module(drrvm-rewrite{{{options}}})");
    mlir_opt(&["--allow-unregistered-dialect", &pipeline], input)
}

/// Checks a text with FileCheck and the checks of a file.
pub fn file_check(checks: &Path, text: &str) -> Option<Ran> {
    let mut command = Command::new(tool("FileCheck")?);
    command.arg("--allow-unused-prefixes").arg("-enable-var-scope").arg(checks);
    Some(feed(&mut command, text).into())
}

/// Writes a file of a test.
pub fn write(name: &str, file: &str, text: &str) -> String {
    let path = folder(name).join(file);
    std::fs::write(&path, text).expect("the file can be written");
    path.display().to_string()
}

//! Finds MLIR 22.1. If MLIR 22.1 is installed, compiles the C++ side, links it, and sets `cfg(mlir)`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries of the C interface that the host uses, each before its dependencies.
const PARTS: [&str; 8] = ["Arith", "ControlFlow", "Func", "MemRef", "SCF", "Tensor", "Vector", "IR"];

/// The version of MLIR that the C++ side is written for.
const VERSION: &str = "22.1.";

const SOURCES: [&str; 2] = ["src/cpp/host.cpp", "src/cpp/plugin.cpp"];

/// The folder of an installation, with `include` and `lib` in it.
fn installation() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("DRRVM_MLIR_DIR") {
        return Some(PathBuf::from(folder));
    }
    for program in ["llvm-config-22", "llvm-config"] {
        let Ok(output) = Command::new(program).args(["--version", "--prefix"]).output() else { continue };
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = stdout.lines();
        if lines.next().is_some_and(|version| version.starts_with(VERSION)) {
            return lines.next().map(PathBuf::from);
        }
    }
    Some(PathBuf::from("/usr/lib/llvm-22")).filter(|usual| usual.is_dir())
}

/// The version that an installation's headers state.
fn version(folder: &Path) -> Option<String> {
    let header = std::fs::read_to_string(folder.join("include/llvm/Config/llvm-config.h")).ok()?;
    let line = header.lines().find(|line| line.starts_with("#define LLVM_VERSION_STRING"))?;
    Some(line.split('"').nth(1)?.to_owned())
}

/// The folder of a usable installation.
///
/// # Errors
/// The reason why there is none.
fn usable() -> Result<PathBuf, String> {
    let folder = installation().ok_or("MLIR 22.1 is not installed")?;
    let shown = folder.display();
    let version = version(&folder).ok_or_else(|| format!("{shown} has no headers of LLVM"))?;
    if !version.starts_with(VERSION) {
        return Err(format!("{shown} has MLIR {version}, but {VERSION}x is needed"));
    }
    for file in ["include/mlir/IR/Operation.h", "lib/libMLIRCAPIIR.a", "lib/libMLIR.so"] {
        if !folder.join(file).exists() {
            return Err(format!("{shown} has no {file}; Debian's package is libmlir-22-dev"));
        }
    }
    Ok(folder)
}

fn main() {
    println!("cargo::rerun-if-env-changed=DRRVM_MLIR_DIR");
    println!("cargo::rerun-if-changed=src/cpp");
    println!("cargo::rerun-if-changed=include");
    println!("cargo::rustc-check-cfg=cfg(mlir)");
    let folder = match usable() {
        Ok(folder) => folder,
        Err(reason) => {
            println!(
                "cargo::warning=this package is empty, because {reason} (set DRRVM_MLIR_DIR to its folder)"
            );
            return;
        }
    };
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").pic(true).opt_level(2).debug(false).warnings(true);
    build.flag("-fno-rtti").flag("-fno-exceptions").flag("-Wno-unused-parameter");
    build.include("include").flag("-isystem").flag(folder.join("include").display().to_string());
    build.define("NDEBUG", None);
    for source in SOURCES {
        build.file(source);
    }
    println!("cargo::rerun-if-env-changed=DRRVM_MLIR_SANITIZE");
    if let Ok(sanitizers) = std::env::var("DRRVM_MLIR_SANITIZE") {
        // MLIR has no run-time type information, which `vptr` needs. The process that loads the plugin must preload the
        // runtimes of the sanitizers, because `rustc` does not link them.
        build.flag(format!("-fsanitize={sanitizers}")).flag("-fno-sanitize=vptr");
    }
    build.compile("drrvm_mlir_cpp");

    println!("cargo::rustc-cfg=mlir");
    println!("cargo::rustc-env=DRRVM_MLIR_FOUND={}", folder.display());
    let libraries = folder.join("lib");
    println!("cargo::rustc-link-search=native={}", libraries.display());
    for part in PARTS {
        println!("cargo::rustc-link-lib=static:-bundle=MLIRCAPI{part}");
    }
    // Only the tests are linked with MLIR. The plugin uses the MLIR of the process that loads it.
    let arg = |arg: String| println!("cargo::rustc-link-arg-tests={arg}");
    arg(format!("-L{}", libraries.display()));
    arg(format!("-Wl,-rpath,{}", libraries.display()));
    for library in ["MLIR", "LLVM-22", "stdc++"] {
        arg(format!("-l{library}"));
    }
}

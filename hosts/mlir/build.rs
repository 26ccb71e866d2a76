//! Finds MLIR 22: if it is installed, sets `cfg(mlir)` and links it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The used libraries of the C interface, each before its dependencies.
const PARTS: [&str; 10] =
    ["Transforms", "Arith", "ControlFlow", "Func", "MemRef", "PDL", "SCF", "Tensor", "Vector", "IR"];

fn library_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("DRRVM_MLIR_LIB") {
        return Some(PathBuf::from(folder));
    }
    for program in ["llvm-config-22", "llvm-config"] {
        let Ok(output) = Command::new(program).args(["--version", "--libdir"]).output() else { continue };
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = stdout.lines();
        if lines.next().is_some_and(|version| version.starts_with("22.")) {
            return lines.next().map(PathBuf::from);
        }
    }
    let usual = Path::new("/usr/lib/llvm-22/lib");
    usual.is_dir().then(|| usual.to_owned())
}

fn main() {
    println!("cargo::rerun-if-env-changed=DRRVM_MLIR_LIB");
    println!("cargo::rustc-check-cfg=cfg(mlir)");
    let folder = library_folder().filter(|folder| folder.join("libMLIRCAPIIR.a").is_file());
    let Some(folder) = folder else {
        println!(
            "cargo::warning=MLIR 22 is not installed: this package is empty (DRRVM_MLIR_LIB names its libraries)"
        );
        return;
    };
    println!("cargo::rustc-cfg=mlir");
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-arg=-Wl,-rpath,{}", folder.display());
    for part in PARTS {
        println!("cargo::rustc-link-lib=static:-bundle=MLIRCAPI{part}");
    }
    for library in ["MLIR", "LLVM-22", "stdc++"] {
        println!("cargo::rustc-link-lib=dylib={library}");
    }
}

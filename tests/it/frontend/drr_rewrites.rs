//! Applies MLIR's own rules to MLIR's own tests and checks the results with FileCheck.

use crate::common;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::common::{llvm_sources, llvm_tool};

const MARKER: &str = "--output-split-marker=// -----";

/// Returns the output of a tool for some input.
fn pipe(tool: &str, args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let output = common::pipe(tool, args, input);
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Rewrites generic text with `drrvm opt`. Returns generic text.
fn rewrite(name: &str, input: &[u8], rules: &Path, include_dirs: &[PathBuf], options: &[&str]) -> Vec<u8> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (from, to) = (dir.join(format!("{name}.in.mlir")), dir.join(format!("{name}.out.mlir")));
    std::fs::write(&from, input).expect("the directory for tests can be written");
    // `opt` writes no file if it fails, so an output file of an earlier run must be removed.
    let _ = std::fs::remove_file(&to);
    let mut args: Vec<OsString> = ["drrvm", "opt", "-q", "--generic"].map(OsString::from).to_vec();
    args.extend(options.iter().map(OsString::from));
    args.extend(
        [from.as_os_str(), "--rules".as_ref(), rules.as_os_str(), "-o".as_ref(), to.as_os_str()]
            .map(OsString::from),
    );
    for dir in include_dirs {
        args.extend(["-I".into(), dir.into()]);
    }
    let _ = drrvm::cli::run(args, drrvm::natives::all());
    std::fs::read(&to).unwrap_or_else(|_| panic!("{name}: the output file is missing"))
}

/// Covers all 67 cases of `pattern.mlir`, including locations. The functions that the rules call come from MLIR's
/// sources.
#[test]
fn patterns_of_the_test_dialect() {
    let (Some(llvm), Some(opt), Some(check)) =
        (llvm_sources(), llvm_tool("mlir-opt"), llvm_tool("FileCheck"))
    else {
        return;
    };
    let file = llvm.join("mlir/test/mlir-tblgen/pattern.mlir");
    let path = file.to_str().expect("a path in UTF-8");
    let generic =
        pipe(&opt, &["--mlir-print-op-generic", "-mlir-print-debuginfo", path], b"").expect("parses");
    let checked = |text: &[u8]| {
        let text = pipe(&opt, &["-mlir-print-debuginfo", "-mlir-print-local-scope"], text)?;
        pipe(&check, &["--enable-var-scope", "--allow-unused-prefixes=false", path], &text)
    };
    assert!(checked(&generic).is_err(), "without rewriting the checks must fail");
    let rules = llvm.join("mlir/test/lib/Dialect/Test/TestOps.td");
    let dirs = [llvm.join("mlir/include"), llvm.join("mlir/test/lib/Dialect/Test")];
    let source = |name| dirs[1].join(name).to_str().expect("a path in UTF-8").to_owned();
    let (patterns, ops) = (source("TestPatterns.cpp"), source("TestOpDefs.cpp"));
    let options = ["--mlir-print-debuginfo", "--helpers", &patterns, "--helpers", &ops];
    let rewritten = rewrite("pattern", &generic, &rules, &dirs, &options);
    checked(&rewritten).unwrap_or_else(|why| panic!("{why}"));
}

/// Covers all 12 cases of `gl-canonicalize.mlir`. Each case needs a rule.
#[test]
fn canonicalization_of_spirv_gl() {
    let (Some(llvm), Some(opt), Some(check)) =
        (llvm_sources(), llvm_tool("mlir-opt"), llvm_tool("FileCheck"))
    else {
        return;
    };
    let file = llvm.join("mlir/test/Dialect/SPIRV/Transforms/gl-canonicalize.mlir");
    let path = file.to_str().expect("a path in UTF-8");
    let fold = "--pass-pipeline=builtin.module(any(canonicalize{enable-patterns=nonexistent}))";
    let split = ["-split-input-file", MARKER, fold];
    let generic =
        pipe(&opt, &[&split[..], &["--mlir-print-op-generic", path]].concat(), b"").expect("parses");
    let checked = |text: &[u8]| pipe(&check, &[path], &pipe(&opt, &split, text)?);
    assert!(checked(&generic).is_err(), "without rewriting the checks must fail");
    let rules = llvm.join("mlir/lib/Dialect/SPIRV/IR/SPIRVCanonicalization.td");
    let dirs = [llvm.join("mlir/include"), llvm.join("mlir/lib/Dialect/SPIRV/IR")];
    let rewritten = rewrite("spirv_gl", &generic, &rules, &dirs, &["--split-input-file", MARKER]);
    checked(&rewritten).unwrap_or_else(|why| panic!("{why}"));
}

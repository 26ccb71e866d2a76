//! Tests of the examples: the rules rewrite each input to the output that MLIR gives.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLES: &[&str] = &["arith", "tensor", "lowering"];

fn file(example: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example).join(name)
}

fn text(example: &str, name: &str) -> String {
    std::fs::read_to_string(file(example, name)).expect("the file is part of the example")
}

/// MLIR reads the inputs, and prints the expected outputs unchanged. MLIR's greedy driver, without folding, produced
/// these outputs with the C++ that `mlir-tblgen-22` generates for the rules. The README of `arith` names the one rule
/// for which this C++ misses matches.
#[test]
fn mlir_accepts_inputs_and_prints_outputs_unchanged() {
    let Some(tool) = common::llvm_tool("mlir-opt") else { return };
    for example in EXAMPLES {
        for name in ["input.mlir", "expected.mlir"] {
            let printed = Command::new(&tool)
                .args(["-allow-unregistered-dialect", "--mlir-print-op-generic"])
                .arg(file(example, name))
                .output()
                .expect("the tool was found before");
            let message = String::from_utf8_lossy(&printed.stderr);
            assert!(printed.status.success(), "{example}/{name}: {message}");
            if name == "expected.mlir" {
                let printed = String::from_utf8_lossy(&printed.stdout);
                assert_eq!(text(example, name).trim_end(), printed.trim_end(), "{example}");
            }
        }
    }
}

/// The command's output equals the expected bytes, with the embedded headers and with MLIR's headers.
#[test]
fn rules_rewrite_inputs_to_outputs() {
    let real_headers = common::llvm_sources().map(|sources| sources.join("mlir/include"));
    for example in EXAMPLES {
        for headers in [None, real_headers.as_ref()] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_drrvm"));
            command.args(["opt", "--generic"]).arg(file(example, "input.mlir"));
            command.arg("--rules").arg(file(example, "rules.td"));
            if let Some(headers) = headers {
                command.arg("-I").arg(headers);
            }
            let done = command.output().expect("the command was built for this test");
            let message = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{example}: {message}");
            assert_eq!(String::from_utf8_lossy(&done.stdout), text(example, "expected.mlir"), "{example}");
            assert!(message.contains(" rewrites: "), "{example} has no summary: {message}");
        }
    }
}

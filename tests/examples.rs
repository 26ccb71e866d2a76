//! The examples: `mlir-opt-22` accepts their inputs and outputs.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLES: &[&str] = &["arith", "tensor", "lowering"];

fn file(example: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example).join(name)
}

fn text(example: &str, name: &str) -> String {
    std::fs::read_to_string(file(example, name)).expect("the file is part of the example")
}

/// Expected outputs are what MLIR's own greedy driver makes, with folding off, of the C++ that
/// `mlir-tblgen-22` generates for the rules, but for one operation: see the page of `arith`. They are
/// in the form that `mlir-opt-22` prints.
#[test]
fn mlir_accepts_inputs_and_prints_outputs_as_they_are() {
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

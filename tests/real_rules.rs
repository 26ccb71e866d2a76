//! MLIR's own rule files, unmodified, rewrite IR as MLIR does.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{llvm_sources, llvm_tool};

/// Folds that MLIR does by itself: all of its patterns are off.
const FOLDS: &str = "--pass-pipeline=builtin.module(canonicalize{enable-patterns=nonexistent})";

/// What a program writes for an input; the test fails with its messages if the program does.
fn run(program: &str, args: &[&str], input: &str) -> (String, String) {
    let output = common::pipe(program, args, input.as_bytes());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{program} {args:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// The rewritten input, and the rules that the summary says were applied.
fn rewrite(rules: &Path, include_dirs: &[&Path], input: &str) -> (String, BTreeSet<String>) {
    let mut args = vec!["opt", "-", "--generic", "--split-input-file", "--output-split-marker=// -----"];
    args.extend(["--rules", rules.to_str().unwrap()]);
    for dir in include_dirs {
        args.extend(["-I", dir.to_str().unwrap()]);
    }
    let (output, summary) = run(env!("CARGO_BIN_EXE_drrvm"), &args, input);
    let counts = summary.split_once("rewrites: ").map_or("", |(_, rest)| rest.split(';').next().unwrap());
    let fired = counts.split(", ").filter_map(|count| count.split_once(' ')).map(|(rule, _)| rule.to_owned());
    (output, fired.collect())
}

/// Every rule of `ArithCanonicalization.td` fires, and what comes out is what MLIR's canonicalizer,
/// which has the same rules as C++, makes of the same input: it finds nothing in ours that it would
/// not have done itself, and arrives at the same IR from ours as from the original.
#[test]
fn arith_rules_do_what_mlir_does() {
    let Some(sources) = llvm_sources() else { return };
    let (Some(opt), Some(tblgen)) = (llvm_tool("mlir-opt"), llvm_tool("mlir-tblgen")) else { return };
    let rules = sources.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td");
    let headers = sources.join("mlir/include");
    let test = std::fs::read_to_string(sources.join("mlir/test/Dialect/Arith/canonicalize.mlir")).unwrap();

    let split = "--split-input-file";
    let (folded, _) = run(&opt, &["-", split, "--mlir-print-op-generic", FOLDS], &test);
    let (ours, mut fired) = rewrite(&rules, &[&headers], &folded);
    let (from_ours, _) = run(&opt, &["-", split, "-canonicalize"], &ours);
    let (from_theirs, _) = run(&opt, &["-", split, "-canonicalize"], &test);
    assert_eq!(from_ours, from_theirs);

    // MLIR's folds leave nothing to three of the rules; here nothing is folded before.
    let (output, more) = rewrite(&rules, &[&headers], UNFOLDED);
    let (output, _) = run(&opt, &["-"], &output);
    assert_eq!(output.trim(), UNFOLDED_REWRITTEN.trim());
    fired.extend(more);

    let include = ["-I", headers.to_str().unwrap()];
    let (generated, _) =
        run(&tblgen, &["-gen-rewriters", include[0], include[1], rules.to_str().unwrap()], "");
    let structs = generated.lines().filter_map(|line| line.strip_prefix("struct "));
    let all: BTreeSet<_> = structs.map(|rest| rest.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(all.len(), 43);
    assert_eq!(fired, all);
}

const UNFOLDED: &str = r#"
"builtin.module"() ({
  "func.func"() <{function_type = (i32, i16) -> (i32, i32, f32), sym_name = "f"}> ({
  ^bb0(%a: i32, %b: i16):
    %0 = "arith.index_cast"(%a) : (i32) -> index
    %1 = "arith.index_cast"(%0) : (index) -> i32
    %2 = "arith.index_castui"(%a) : (i32) -> index
    %3 = "arith.index_castui"(%2) : (index) -> i32
    %4 = "arith.uitofp"(%b) : (i16) -> f64
    %5 = "arith.truncf"(%4) : (f64) -> f32
    "func.return"(%1, %3, %5) : (i32, i32, f32) -> ()
  }) : () -> ()
}) : () -> ()
"#;

/// As the comments in the rule file say: a cast back to the type it came from is nothing, and a
/// conversion that is truncated converts to the narrow type at once.
const UNFOLDED_REWRITTEN: &str = r"
module {
  func.func @f(%arg0: i32, %arg1: i16) -> (i32, i32, f32) {
    %0 = arith.uitofp %arg1 : i16 to f32
    return %arg0, %arg0, %0 : i32, i32, f32
  }
}
";

/// The rules of the Toy tutorial, chapter 3, do what its text describes: of two reshapes the first
/// goes, a reshape of a constant is a constant of the new shape, and one that changes nothing goes.
#[test]
fn toy_rules_do_what_the_tutorial_says() {
    let Some(sources) = llvm_sources() else { return };
    let chapter = sources.join("mlir/examples/toy/Ch3");
    let include_dirs = [&*chapter.join("include"), &*sources.join("mlir/include")];
    let (output, fired) = rewrite(&chapter.join("mlir/ToyCombine.td"), &include_dirs, TOY);
    assert_eq!(output.trim(), TOY_REWRITTEN.trim());
    let rules = ["FoldConstantReshapeOptPattern", "RedundantReshapeOptPattern", "ReshapeReshapeOptPattern"];
    assert_eq!(fired, rules.map(str::to_owned).into());
}

const TOY: &str = r#"
"builtin.module"() ({
  "toy.func"() <{function_type = (tensor<2x3xf64>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x3xf64>):
    %0 = "toy.reshape"(%x) : (tensor<2x3xf64>) -> tensor<3x2xf64>
    %1 = "toy.reshape"(%0) : (tensor<3x2xf64>) -> tensor<6xf64>
    "toy.print"(%1) : (tensor<6xf64>) -> ()
    %2 = "toy.constant"() <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>}> : () -> tensor<4xf64>
    %3 = "toy.reshape"(%2) : (tensor<4xf64>) -> tensor<2x2xf64>
    "toy.print"(%3) : (tensor<2x2xf64>) -> ()
    %4 = "toy.reshape"(%x) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "toy.print"(%4) : (tensor<2x3xf64>) -> ()
    "toy.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"#;

const TOY_REWRITTEN: &str = r#"
"builtin.module"() ({
  "toy.func"() <{function_type = (tensor<2x3xf64>) -> (), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x3xf64>):
    %0 = "toy.reshape"(%arg0) : (tensor<2x3xf64>) -> tensor<6xf64>
    "toy.print"(%0) : (tensor<6xf64>) -> ()
    %1 = "toy.constant"() <{value = dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf64>}> : () -> tensor<2x2xf64>
    "toy.print"(%1) : (tensor<2x2xf64>) -> ()
    "toy.print"(%arg0) : (tensor<2x3xf64>) -> ()
    "toy.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"#;

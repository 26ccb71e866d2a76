//! Applies MLIR's own rule files, unmodified, and compares the results with those of MLIR.

use crate::common;

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{llvm_sources, llvm_tool};

/// The option with which `mlir-opt` applies its folds and no patterns.
const FOLDS: &str = "--pass-pipeline=builtin.module(canonicalize{enable-patterns=nonexistent})";

/// Returns the output and the messages of a program for an input; panics with the messages if it fails.
fn run(program: &str, args: &[&str], input: &str) -> (String, String) {
    let output = common::pipe(program, args, input.as_bytes());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{program} {args:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// Returns the rewritten input and the names of the rules that the summary lists as applied. Also checks that both stay
/// the same if the C++ files beside the rules are read as helpers. This comparison ignores the order of lines and the
/// numbers of values, because helpers can change the order of constants: the helpers of `shape` use `arith`, so drrvm
/// knows that `arith.constant` is a constant.
fn rewrite(rules: &Path, include_dirs: &[&Path], input: &str) -> (String, BTreeSet<String>) {
    let helpers = ["--helpers", rules.parent().unwrap().to_str().unwrap()];
    let from_source = rewrite_with(rules, include_dirs, &helpers, input);
    let without = rewrite_with(rules, include_dirs, &[], input);
    assert_eq!((lines(&from_source.0), &from_source.1), (lines(&without.0), &without.1));
    without
}

/// The sorted lines of a text, without the numbers of values.
fn lines(text: &str) -> Vec<String> {
    let without_numbers = |line: &str| -> String {
        line.split('%').map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit())).collect()
    };
    let mut lines: Vec<String> = text.lines().map(without_numbers).collect();
    lines.sort();
    lines
}

fn rewrite_with(
    rules: &Path,
    include_dirs: &[&Path],
    options: &[&str],
    input: &str,
) -> (String, BTreeSet<String>) {
    let mut args = vec!["opt", "-", "--generic", "--split-input-file", "--output-split-marker=// -----"];
    args.extend(["--rules", rules.to_str().unwrap()]);
    for dir in include_dirs {
        args.extend(["-I", dir.to_str().unwrap()]);
    }
    args.extend(options);
    let (output, summary) = run(env!("CARGO_BIN_EXE_drrvm"), &args, input);
    let counts = summary.split_once("rewrites: ").or_else(|| summary.split_once("rewrite: "));
    let counts = counts.map_or("", |(_, rest)| rest.split(';').next().unwrap());
    let fired = counts.split(", ").filter_map(|count| count.split_once(' ')).map(|(rule, _)| rule.to_owned());
    (output, fired.collect())
}

const MARKER: &str = "// -----";

/// Returns the names of a file's rules as `mlir-tblgen` generates them.
fn names_of_rules(tblgen: &str, rules: &Path, include_dirs: &[&Path]) -> BTreeSet<String> {
    let mut args = vec!["-gen-rewriters", rules.to_str().unwrap()];
    for dir in include_dirs {
        args.extend(["-I", dir.to_str().unwrap()]);
    }
    let (generated, _) = run(tblgen, &args, "");
    let structs = generated.lines().filter_map(|line| line.strip_prefix("struct "));
    structs.map(|rest| rest.split(' ').next().unwrap().to_owned()).collect()
}

/// Splits a test file of MLIR into its cases. A part between two markers is one case if it contains a module or at most
/// one function; otherwise, each of its functions is a case.
fn cases(test: &str) -> Vec<String> {
    let test: Vec<&str> = test.lines().filter(|line| !line.contains("RUN:")).collect();
    let mut cases = Vec::new();
    for part in test.split(|line| line.ends_with(MARKER)) {
        let ends = |line: &str| line.starts_with('}');
        let starts = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == '"');
        let module = part.iter().any(|line| line.starts_with("module") || line.starts_with("spirv.module"));
        if module || part.iter().filter(|line| ends(line)).count() <= 1 {
            cases.extend(part.iter().any(|line| starts(line)).then(|| part.join("\n")));
            continue;
        }
        // Each function is a case together with the lines that it may refer to.
        let shared = |line: &&&str| {
            let alias =
                line.strip_prefix(['#', '!']).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
            alias || line.starts_with("func.func private") && !line.ends_with('{')
        };
        let mut text: Vec<&str> = Vec::new();
        for line in part {
            text.push(line);
            if ends(line) {
                let missing = part.iter().filter(shared).filter(|line| !text.contains(line));
                cases.push(missing.chain(&text).copied().collect::<Vec<_>>().join("\n"));
                text.clear();
            }
        }
        if let Some(last) = cases.last_mut() {
            last.push('\n');
            last.push_str(&text.join("\n"));
        }
    }
    cases
}

/// Runs MLIR's canonicalization test of a dialect, case by case, with folding before and after drrvm applies the rules.
/// A case needs the rules if it fails with folding alone and passes when MLIR also applies the same rules. All cases
/// that need the rules and all cases that pass with folding alone must pass with the output of drrvm. Returns the
/// number of cases, the number of cases that need the rules, and the rules that were applied.
fn suite(
    test: &Path,
    rules: &Path,
    include_dirs: &[&Path],
    pipeline: impl Fn(&str) -> String,
) -> Option<(usize, usize, BTreeSet<String>)> {
    let (opt, tblgen, check) = (llvm_tool("mlir-opt")?, llvm_tool("mlir-tblgen")?, llvm_tool("FileCheck")?);
    let all = names_of_rules(&tblgen, rules, include_dirs);
    let filter: Vec<String> = all.iter().map(|rule| format!("(anonymous namespace)::{rule}")).collect();
    let with = |filter: &str| format!("--pass-pipeline={}", pipeline(&format!("enable-patterns={filter}")));
    let (folds, same_rules) = (with("nonexistent"), with(&format!("{{{}}}", filter.join(","))));
    let base = ["-", "--split-input-file", "--output-split-marker=// -----", "-allow-unregistered-dialect"];
    let opt = |more: &[&str], input: &str| run(&opt, &[&base[..], more].concat(), input).0;

    let cases = cases(&std::fs::read_to_string(test).unwrap());
    let input = cases.join("\n// -----\n");
    let generic = opt(&["--mlir-print-op-generic", &folds], &input);
    let (rewritten, fired) = rewrite(rules, include_dirs, &generic);
    let outputs = [opt(&[&folds], &generic), opt(&[&folds], &rewritten), opt(&[&same_rules], &input)];
    let outputs = outputs.map(|output| output.split("\n// -----\n").map(str::to_owned).collect::<Vec<_>>());

    let file = tempfile::NamedTempFile::new().unwrap();
    let mut needed = 0;
    let mut wrong = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        std::fs::write(file.path(), case).unwrap();
        let passes = |output: &str| {
            let args = [file.path().to_str().unwrap(), "--enable-var-scope", "--allow-empty"];
            common::pipe(&check, &args, output.as_bytes()).status.success()
        };
        let [without, ours, theirs] = [0, 1, 2].map(|which| passes(&outputs[which][i]));
        needed += usize::from(theirs && !without);
        if (theirs || without) && !ours {
            wrong.push(case);
        }
    }
    assert!(wrong.is_empty(), "{} cases fail: {wrong:#?}", wrong.len());
    Some((cases.len(), needed, fired))
}

/// 73 of the 307 cases need the rules.
#[test]
fn canonicalization_of_arith() {
    let Some(sources) = llvm_sources() else { return };
    let rules = sources.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td");
    let test = sources.join("mlir/test/Dialect/Arith/canonicalize.mlir");
    let pipeline = |patterns: &str| format!("builtin.module(any(canonicalize{{{patterns}}}))");
    let done = suite(&test, &rules, &[&sources.join("mlir/include")], pipeline);
    let Some((cases, needed, _)) = done else { return };
    assert_eq!((cases, needed), (307, 73));
}

/// 7 of the 123 cases need the rules; one rule has no case in the test and is tried separately.
#[test]
fn canonicalization_of_shape() {
    let Some(sources) = llvm_sources() else { return };
    let Some(tblgen) = llvm_tool("mlir-tblgen") else { return };
    let rules = sources.join("mlir/lib/Dialect/Shape/IR/ShapeCanonicalization.td");
    let include_dirs = [&*sources.join("mlir/include")];
    let test = sources.join("mlir/test/Dialect/Shape/canonicalize.mlir");
    let pipeline = |patterns: &str| format!("builtin.module(canonicalize{{{patterns}}})");
    let done = suite(&test, &rules, &include_dirs, pipeline);
    let Some((cases, needed, mut fired)) = done else { return };
    assert_eq!((cases, needed), (123, 7));
    // The result type of the cast becomes the type of `shape.const_shape`.
    let input = r#"
"builtin.module"() ({
  "func.func"() <{function_type = () -> tensor<2xindex>, sym_name = "f"}> ({
    %0 = "shape.const_shape"() <{shape = dense<[3, 4]> : tensor<2xindex>}> : () -> tensor<?xindex>
    %1 = "tensor.cast"(%0) : (tensor<?xindex>) -> tensor<2xindex>
    "func.return"(%1) : (tensor<2xindex>) -> ()
  }) : () -> ()
}) : () -> ()
"#;
    let (output, more) = rewrite(&rules, &include_dirs, input);
    assert!(output.contains("}> : () -> tensor<2xindex>"), "{output}");
    assert!(!output.contains("tensor.cast"), "{output}");
    fired.extend(more);
    assert_eq!(fired, names_of_rules(&tblgen, &rules, &include_dirs));
}

/// 5 of the 158 cases need the rules. Every rule fires on these cases or on `gl-canonicalize.mlir`.
#[test]
fn canonicalization_of_spirv() {
    let Some(sources) = llvm_sources() else { return };
    let Some(tblgen) = llvm_tool("mlir-tblgen") else { return };
    let rules = sources.join("mlir/lib/Dialect/SPIRV/IR/SPIRVCanonicalization.td");
    let include_dirs = [&*sources.join("mlir/include"), rules.parent().unwrap()];
    let tests = sources.join("mlir/test/Dialect/SPIRV/Transforms");
    let pipeline = |patterns: &str| {
        format!("builtin.module(func.func(canonicalize{{{patterns} region-simplify=aggressive}}))")
    };
    let done = suite(&tests.join("canonicalize.mlir"), &rules, &include_dirs, pipeline);
    let Some((cases, needed, mut fired)) = done else { return };
    assert_eq!((cases, needed), (158, 5));
    let opt = llvm_tool("mlir-opt").unwrap();
    let test = std::fs::read_to_string(tests.join("gl-canonicalize.mlir")).unwrap();
    let (generic, _) = run(&opt, &["-", "--split-input-file", "--mlir-print-op-generic"], &test);
    fired.extend(rewrite(&rules, &include_dirs, &generic).1);
    assert_eq!(fired, names_of_rules(&tblgen, &rules, &include_dirs));
}

/// Checks that all rules of a conversion fire. MLIR's conversion, which has the rules as C++, must give the same result
/// for drrvm's output as for the original input.
fn conversion(rules: &str, pass: &str, input: &str) {
    let Some(sources) = llvm_sources() else { return };
    let (Some(opt), Some(tblgen)) = (llvm_tool("mlir-opt"), llvm_tool("mlir-tblgen")) else { return };
    let rules = sources.join("mlir/lib/Conversion").join(rules);
    let include_dirs = [&*sources.join("mlir/include")];
    let (generic, _) = run(&opt, &["-", "--mlir-print-op-generic"], input);
    let (rewritten, fired) = rewrite(&rules, &include_dirs, &generic);
    assert_eq!(fired, names_of_rules(&tblgen, &rules, &include_dirs));
    let convert = |text: &str| run(&opt, &["-", pass], text).0;
    assert_eq!(convert(&rewritten), convert(input));
}

#[test]
fn conversions_equal_those_of_mlir() {
    let shapes =
        "func.func @f(%a: tensor<?xindex>, %b: tensor<?xindex>) -> (!shape.witness, !shape.witness) {
  %0 = shape.cstr_broadcastable %a, %b : tensor<?xindex>, tensor<?xindex>
  %1 = shape.cstr_eq %a, %b : tensor<?xindex>, tensor<?xindex>
  return %0, %1 : !shape.witness, !shape.witness
}";
    let pass = "--pass-pipeline=builtin.module(func.func(convert-shape-constraints))";
    conversion("ShapeToStandard/ShapeToStandard.td", pass, shapes);
    let barrier = "gpu.module @m { gpu.func @f() { gpu.barrier gpu.return } }";
    conversion(
        "GPUToNVVM/GPUToNVVM.td",
        "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))",
        barrier,
    );
    conversion(
        "GPUToROCDL/GPUToROCDL.td",
        "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))",
        barrier,
    );
}

/// Every rule of `ArithCanonicalization.td` fires. MLIR's canonicalizer, which has the same rules as C++, gives the
/// same IR for the output of drrvm as for the original input.
#[test]
fn arith_rules_equal_those_of_mlir() {
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

    // Three rules match only unfolded IR.
    let (output, more) = rewrite(&rules, &[&headers], UNFOLDED);
    let (output, _) = run(&opt, &["-"], &output);
    assert_eq!(output.trim(), UNFOLDED_REWRITTEN.trim());
    fired.extend(more);

    let all = names_of_rules(&tblgen, &rules, &[&headers]);
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

/// As the comments of the rule file state, a cast back to the original type is removed, and a conversion followed by a
/// truncation converts to the narrow type directly.
const UNFOLDED_REWRITTEN: &str = r"
module {
  func.func @f(%arg0: i32, %arg1: i16) -> (i32, i32, f32) {
    %0 = arith.uitofp %arg1 : i16 to f32
    return %arg0, %arg0, %0 : i32, i32, f32
  }
}
";

/// The rules of the Toy tutorial, chapters 3 to 7, work as its text describes: of two nested reshapes one remains, a
/// reshape of a constant becomes a constant, and a reshape to the same type is removed.
#[test]
fn toy_rules_work_as_in_the_tutorial() {
    let Some(sources) = llvm_sources() else { return };
    for chapter in 3..=7 {
        let chapter = sources.join(format!("mlir/examples/toy/Ch{chapter}"));
        let include_dirs = [&*chapter.join("include"), &*sources.join("mlir/include")];
        let (output, fired) = rewrite(&chapter.join("mlir/ToyCombine.td"), &include_dirs, TOY);
        assert_eq!(output.trim(), TOY_REWRITTEN.trim(), "{}", chapter.display());
        let rules =
            ["FoldConstantReshapeOptPattern", "RedundantReshapeOptPattern", "ReshapeReshapeOptPattern"];
        assert_eq!(fired, rules.map(str::to_owned).into(), "{}", chapter.display());
    }
}

const TOY: &str = r#"
"builtin.module"() ({
  "toy.func"() <{function_type = (tensor<2x3xf64>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x3xf64>):
    %2 = "toy.constant"() <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>}> : () -> tensor<4xf64>
    %3 = "toy.reshape"(%2) : (tensor<4xf64>) -> tensor<2x2xf64>
    %0 = "toy.reshape"(%x) : (tensor<2x3xf64>) -> tensor<3x2xf64>
    %1 = "toy.reshape"(%0) : (tensor<3x2xf64>) -> tensor<6xf64>
    "toy.print"(%1) : (tensor<6xf64>) -> ()
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
    %0 = "toy.constant"() <{value = dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf64>}> : () -> tensor<2x2xf64>
    %1 = "toy.reshape"(%arg0) : (tensor<2x3xf64>) -> tensor<6xf64>
    "toy.print"(%1) : (tensor<6xf64>) -> ()
    "toy.print"(%0) : (tensor<2x2xf64>) -> ()
    "toy.print"(%arg0) : (tensor<2x3xf64>) -> ()
    "toy.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"#;

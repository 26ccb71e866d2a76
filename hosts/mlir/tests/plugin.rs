//! The plugin inside the stock `mlir-opt`.
#![cfg(mlir)]

mod common;

use std::path::Path;
use std::process::Command;

use common::{
    Ran, compile, feed, file_check, folder, mlir, mlir_opt, plugin, preload, rewrite, sources, test_natives,
    tool, write,
};
use drrvm::SourceMap;
use drrvm::compile as stages;

/// MLIR's own test of declarative rules, with the rules read at run time.
#[test]
fn mlirs_test_of_declarative_rules_passes() {
    let Some(root) = sources() else { return };
    let test = root.join("mlir/test/mlir-tblgen/pattern.mlir");
    let text = std::fs::read_to_string(&test).expect("the test exists");
    let rules = root.join("mlir/test/lib/Dialect/Test/TestOps.td");
    let include = root.join("mlir/include");
    let own = root.join("mlir/test/lib/Dialect/Test");
    let pipeline = format!(
        "--pass-pipeline=builtin.module(drrvm-rewrite{{rules={} include={},{}}})",
        rules.display(),
        include.display(),
        own.display()
    );
    let natives = format!("--load-pass-plugin={}", test_natives().display());
    let args = [&*natives, &*pipeline, "-mlir-print-debuginfo", "-mlir-print-local-scope"];
    let Some(ran) = mlir_opt(&args, &text) else { return };
    assert!(ran.succeeded, "{}", ran.errors);
    let Some(checked) = file_check(&test, &ran.output) else { return };
    assert!(checked.succeeded, "{}", checked.errors);
    let cases = text.matches("CHECK-LABEL").count();
    println!("{cases} cases pass");
    assert!(cases >= 60, "{cases}");
}

/// The canonicalisation of `arith` by the rules of its `.td` file, without the rules that MLIR contains. The file is
/// compiled to a program first, because MLIR loads the rules again for each part of a split input.
#[test]
fn canonicalisation_of_arith_needs_the_rules_and_passes_with_them() {
    let Some(root) = sources() else { return };
    let text = std::fs::read_to_string(root.join("mlir/test/Dialect/Arith/canonicalize.mlir")).unwrap();
    let rules = compiled(&root.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td"), &root);
    let cases = cases(&text);
    let folds = "--pass-pipeline=builtin.module(canonicalize{enable-patterns=nonexistent})";
    let with =
        format!("--pass-pipeline=builtin.module(drrvm-rewrite{{rules={rules} region-simplify=normal}})");
    let dialects = "--pass-pipeline=builtin.module(canonicalize)";
    let Some(folding) = passing(&cases, folds) else { return };
    let Some(ours) = passing(&cases, &with) else { return };
    let Some(all) = passing(&cases, dialects) else { return };
    let needed: Vec<usize> = (0..cases.len()).filter(|&at| all[at] && !folding[at]).collect();
    let (pass, fail): (Vec<usize>, Vec<usize>) = needed.into_iter().partition(|&at| ours[at]);
    println!("of {} cases, {} need rules; these pass: {}", cases.len(), pass.len() + fail.len(), pass.len());
    // The rules of the file suffice for 73 cases; the others need rules in C++, which are turned off.
    fail.iter().for_each(|&at| println!("needs rules in C++: {}", name(&cases[at])));
    assert!(pass.len() >= 73, "{}", pass.len());
    let broken: Vec<&str> =
        (0..cases.len()).filter(|&at| folding[at] && !ours[at]).map(|at| name(&cases[at])).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

/// The name of a case's first function.
fn name(case: &str) -> &str {
    case.split("func.func @").nth(1).and_then(|rest| rest.split('(').next()).unwrap_or("?")
}

/// Compiles rules of MLIR to a program file.
fn compiled(rules: &Path, root: &Path) -> String {
    let options = stages::Options { include_dirs: vec![root.join("mlir/include")], ..Default::default() };
    let mut files = SourceMap::default();
    let (rules, _) = stages::rules(&mut files, &[rules.to_owned()], &options).expect("MLIR's rules load");
    let program = stages::program(&rules).expect("the rules compile");
    let path = folder("compiled").join("rules.drrbc");
    std::fs::write(&path, stages::file(&program, &files).unwrap()).unwrap();
    path.display().to_string()
}

/// For each case, true if the result of a pipeline passes its checks.
fn passing(cases: &[String], pipeline: &str) -> Option<Vec<bool>> {
    let marker = "// -----";
    let args = [pipeline, "--split-input-file", "--output-split-marker=// -----"];
    let ran = mlir_opt(&args, &cases.join(&format!("{marker}\n")))?;
    assert!(ran.succeeded, "{}", ran.errors);
    let results: Vec<&str> = ran.output.split(marker).collect();
    assert_eq!(results.len(), cases.len());
    let check = |(at, (case, result)): (usize, (&String, &&str))| {
        let checks = write("arith", &format!("{at}.mlir"), case);
        Some(!case.contains("CHECK") || file_check(checks.as_ref(), result)?.succeeded)
    };
    cases.iter().zip(&results).enumerate().map(check).collect()
}

/// The functions of a test, each with its checks.
fn cases(text: &str) -> Vec<String> {
    let mut cases = Vec::new();
    for chunk in text.split("// -----") {
        let mut case = String::new();
        for line in chunk.lines().filter(|line| !line.contains("RUN:")) {
            case.push_str(line);
            case.push('\n');
            if line == "}" {
                cases.push(std::mem::take(&mut case));
            }
        }
        if case.contains("func.func") {
            cases.push(case);
        }
    }
    cases
}

const NOT_NOT: &str = r#"
pdl.pattern @not_not : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %inner = pdl.operation "t.not"(%x : !pdl.value) -> (%t : !pdl.type)
  %r = pdl.result 0 of %inner
  %outer = pdl.operation "t.not"(%r : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %outer { pdl.replace %outer with (%x : !pdl.value) }
}
"#;

const MODULE: &str = r#"
func.func @f(%a: i1) -> i1 {
  %0 = "t.not"(%a) : (i1) -> i1
  %1 = "t.not"(%0) : (i1) -> i1
  return %1 : i1
}
"#;

#[test]
fn each_driver_applies_rules_to_unregistered_operations() {
    let rules = write("drivers", "rules.mlir", NOT_NOT);
    for driver in
        ["greedy", "walk", "own-greedy", "own-walk", "own-greedy engine=automaton", "own-walk engine=auto"]
    {
        let Some(ran) = rewrite(&format!("rules={rules} driver={driver}"), MODULE) else { return };
        assert!(ran.succeeded && ran.output.contains("return %arg0"), "{driver}: {ran:?}");
    }
}

#[test]
fn an_error_in_a_rule_is_a_diagnostic_at_its_line_and_no_module_is_printed() {
    let text = r#"
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def Wrong : Pat<(Arith_AddIOp $x, $y), (Arith_NoSuchOp $x)>;
def AlsoWrong : Pat<(Arith_AddIOp $x, $y, $z), (replaceWithValue $w)>;
"#;
    let rules = write("errors", "rules.td", text);
    let Some(ran) = rewrite(&format!("rules={rules}"), MODULE) else { return };
    assert!(!ran.succeeded && ran.output.is_empty(), "{ran:?}");
    assert!(ran.errors.contains("rules.td:4:"), "{}", ran.errors);
}

#[test]
fn wrong_options_are_errors() {
    let rules = write("options", "rules.mlir", NOT_NOT);
    let cases = [
        (String::new(), "needs rules"),
        (format!("rules={rules} driver=fast"), "unknown driver 'fast'"),
        ("rules=/no/such/file.td".to_owned(), "/no/such/file.td"),
        (format!("rules={rules} enable=nothing"), "nothing"),
        (format!("rules={rules} region-simplify=much"), "unknown region-simplify 'much'"),
        (format!("rules={rules} engine=fast"), "unknown engine 'fast'"),
        (format!("rules={rules} engine=auto"), "engine=auto needs driver=own-greedy"),
        (format!("rules={rules} driver=own-greedy fold=true"), "fold=true needs driver=greedy,"),
        (format!("rules={rules} driver=walk fold=true"), "driver=walk does not fold"),
        (format!("rules={rules} driver=own-walk fold=true natives={rules}"), "driver=own-walk does not fold"),
    ];
    for (options, message) in cases {
        let Some(ran) = rewrite(&options, MODULE) else { return };
        assert!(!ran.succeeded && ran.errors.contains(message), "{options}: {ran:?}");
    }
}

const ARITH_RULE: &str = r#"
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def Native : NativeCodeCall<"createAndFail($_builder, $_loc, $0)">;
def Fails : Pat<(Arith_AddIOp $x, $y, $flags), (Native $x), [], [], (addBenefit 5)>;
"#;

const ADDITION: &str = "func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  return %0 : i32
}
";

#[test]
fn a_missing_native_is_an_error_with_its_signature() {
    let rules = write("missing", "rules.td", ARITH_RULE);
    let Some(ran) = rewrite(&format!("rules={rules}"), ADDITION) else { return };
    assert!(!ran.succeeded && ran.output.is_empty(), "{ran:?}");
    assert!(ran.errors.contains("'createAndFail' is not registered"), "{}", ran.errors);
    assert!(ran.errors.contains("calls it as (location, value) -> value"), "{}", ran.errors);
    assert!(ran.errors.contains("rules.td:5:"), "{}", ran.errors);
    let Some(ran) = rewrite(&format!("rules={rules} allow-missing-natives"), ADDITION) else { return };
    assert!(ran.succeeded && ran.errors.contains("warning"), "{ran:?}");
    assert!(ran.output.contains("arith.addi"));
}

#[test]
fn a_native_that_fails_after_creating_operations_is_rolled_back() {
    let rules = write("rollback", "rules.td", ARITH_RULE);
    let report = write("rollback", "report.txt", "");
    let natives = format!("--load-pass-plugin={}", test_natives().display());
    for driver in ["greedy", "walk", "own-greedy"] {
        let pipeline = format!(
            "--pass-pipeline=builtin.module(drrvm-rewrite{{rules={rules} driver={driver} report={report}}})"
        );
        let args = [&*natives, &*pipeline];
        let Some(ran) = mlir_opt(&args, ADDITION) else { return };
        assert!(ran.succeeded, "{driver}: {ran:?}");
        assert!(ran.output.contains("arith.addi") && !ran.output.contains("test.op_i"), "{ran:?}");
        let counts = std::fs::read_to_string(&report).unwrap();
        assert!(counts.starts_with("# 1 matches, 0 rewrites, 1 refusals\n"), "{driver}: {counts}");
    }
}

/// MLIR's greedy driver visits the operations that define the operands of an erased operation. The new operations of
/// the failed rewrite use the root, so the driver could visit the root for ever after these operations are erased.
#[test]
fn a_failed_rewrite_that_uses_its_root_is_not_tried_for_ever() {
    let text = ARITH_RULE.replace("AddIOp $x", "AddIOp:$r $x").replace("(Native $x)", "(Native $r)");
    let rules = write("root", "rules.td", &text);
    let natives = format!("--load-pass-plugin={}", test_natives().display());
    let pipeline = format!("--pass-pipeline=builtin.module(drrvm-rewrite{{rules={rules}}})");
    let Some(ran) = mlir_opt(&[&*natives, &*pipeline], ADDITION) else { return };
    assert!(ran.succeeded && ran.output.contains("arith.addi") && !ran.output.contains("op_i"), "{ran:?}");
}

/// Each rule replaces its root by a new operation that uses the root's result. The results in the graph region are
/// those of MLIR's compiled rules. In the function, where MLIR's result is invalid, the rewrite is undone.
#[test]
fn new_operations_use_results_of_their_root_only_in_graph_regions() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Math/IR/MathOps.td"
def Own : Pat<(Math_CtPopOp (Math_CtPopOp $x)), (Math_CountLeadingZerosOp $x)>;
"#;
    let rules = write("graph", "rules.td", rules);
    let uses = renaming("uses_root", "t.a", "t.b", 1).replace("\"t.b\"(%x", "\"t.b\"(%r");
    let uses = uses.replace("  pdl.rewrite %op {\n", "  %r = pdl.result 0 of %op\n  pdl.rewrite %op {\n");
    let uses = write("graph", "rules.mlir", &uses);
    let input = r#"
module {
  %0 = math.ctpop %1 : i32
  %1 = math.ctpop %0 : i32
  %2 = math.ctpop %2 : i32
  "q.use"(%0, %1, %2) : (i32, i32, i32) -> ()
  %3 = "t.a"(%2) : (i32) -> i32
  func.func @f(%a: i32) -> i32 {
    %4 = "t.a"(%a) : (i32) -> i32
    return %4 : i32
  }
}
"#;
    for driver in ["greedy", "walk", "own-greedy", "own-greedy engine=automaton", "own-walk"] {
        let include = mlir().join("include");
        let options = format!("rules={rules},{uses} include={} driver={driver}", include.display());
        let Some(ran) = rewrite(&options, input) else { return };
        assert!(ran.succeeded, "{driver}: {ran:?}");
        assert!(ran.output.contains("%2 = math.ctlz %2 : i32"), "{driver}: {}", ran.output);
        let (graph, function) = ran.output.split_once("func.func").unwrap();
        assert!(graph.contains("%3 = \"t.b\"(%3)") && !graph.contains("t.a"), "{driver}: {}", ran.output);
        assert!(function.contains("t.a") && !function.contains("t.b"), "{driver}: {}", ran.output);
    }
}

/// The rule matches its own result. MLIR's greedy driver has no default limit within an iteration, so the plugin sets
/// one.
#[test]
fn the_error_names_a_rule_that_matches_its_own_result() {
    let rules = write("endless", "rules.mlir", &renaming("again", "t.a", "t.a", 1));
    let input = "func.func @f(%a: i1) -> i1 {
  %0 = \"t.a\"(%a) : (i1) -> i1
  return %0 : i1
}";
    let Some(ran) = rewrite(&format!("rules={rules}"), input) else { return };
    let message = "rewriting does not converge within 10 iterations of at most 10032 rewrites; these keep firing: again";
    assert!(!ran.succeeded && ran.errors.contains(message), "{ran:?}");
    let options = format!("rules={rules} max-num-rewrites=3 max-iterations=1 allow-nonconvergence=true");
    let Some(ran) = rewrite(&options, input) else { return };
    assert!(ran.succeeded && ran.output.contains("t.a"), "{ran:?}");
    // As in MLIR, a run without iterations succeeds.
    for driver in ["greedy", "walk", "own-greedy", "own-walk"] {
        let rules = write("endless", "not.mlir", NOT_NOT);
        let Some(ran) = rewrite(&format!("rules={rules} driver={driver} max-iterations=0"), MODULE) else {
            return;
        };
        assert!(ran.succeeded && ran.output.matches("t.not").count() == 2, "{driver}: {ran:?}");
    }
}

/// No definition of the class is loaded, so neither the test nor its negation holds.
#[test]
fn an_undecided_test_for_a_class_is_a_warning_with_its_place() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
def Q_Dialect : Dialect { let name = "tosa"; let cppNamespace = "tosa"; }
def Q_A : Op<Q_Dialect, "const_shape"> { let arguments = (ins AnyAttr:$values); let results = (outs AnyType:$r); }
def Is : Constraint<CPred<"isa<tosa::shapeType>($0.getType())">>;
def IsNot : Constraint<CPred<"!isa<tosa::shapeType>($0.getType())">>;
def First : Pat<(Q_A:$r $x), (Q_A $x), [(Is $r)]>;
def Second : Pat<(Q_A:$r $x), (Q_A $x), [(IsNot $r)]>;
"#;
    let rules = write("undecided", "rules.td", rules);
    let input = "func.func @f() -> !tosa.shape<2> {
  %0 = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  return %0 : !tosa.shape<2>
}";
    let Some(ran) = rewrite(&format!("rules={rules}"), input) else { return };
    assert!(ran.succeeded, "{ran:?}");
    for (rule, line) in [("First", 5), ("Second", 6)] {
        let place = format!("rules.td:{line}:");
        let message = format!("warning: rule '{rule}' was not applied to some operations");
        let lines = ran.errors.lines().filter(|text| text.contains(&place) && text.contains(&message));
        assert_eq!(lines.count(), 1, "{}", ran.errors);
    }
}

/// Each rule replaces the first of two operations. The results are those of MLIR's compiled rules.
#[test]
fn predicates_read_attributes_memory_spaces_encodings_and_maps() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
include "mlir/Dialect/MemRef/IR/MemRefOps.td"
include "mlir/Dialect/Tensor/IR/TensorOps.td"
class C<string s> : Constraint<CPred<s>>;
def HasAttr : Pat<(Arith_AddIOp:$r $x, $y, $f), (Arith_MaxSIOp $x, $y),
  [(C<"$0.getDefiningOp()->hasAttr(\"foo\")"> $r)]>;
def GetAttr : Pat<(Arith_MulIOp:$r $x, $y, $f), (Arith_MinSIOp $x, $y),
  [(C<"!$0.getDefiningOp()->getAttr(\"foo\")"> $r)]>;
def Discardable : Pat<(Arith_SubIOp:$r $x, $y, $f), (Arith_XOrIOp $x, $y),
  [(C<"!$0.getDefiningOp()->getDiscardableAttrs().empty()"> $r)]>;
def Space : Pat<(LoadOp $m, $i, ConstantAttr<BoolAttr, "false">, $a),
  (LoadOp $m, $i, ConstantAttr<BoolAttr, "true">, $a),
  [(C<"cast<MemRefType>($0.getType()).getMemorySpace()"> $m)]>;
def Encoding : Pat<(Tensor_ExtractOp $t, $i), (Arith_ConstantOp ConstantAttr<F32Attr, "1.0f">),
  [(C<"cast<RankedTensorType>($0.getType()).getEncoding()"> $t)]>;
def Map : Pat<(MemRef_TransposeOp $m, $p), (MemRef_CastOp $m),
  [(C<"cast<AffineMapAttr>($0).getValue().isIdentity()"> $p)]>;
"#;
    let input = r#"
func.func @f(%x: i32, %y: i32, %m: memref<4xf32, 3>, %n: memref<4xf32>, %t: tensor<4xf32, "e">, %u: tensor<4xf32>,
             %i: index, %q: memref<4x4xf32>) {
  %0 = arith.addi %x, %y {foo} : i32
  %1 = arith.addi %x, %y : i32
  %2 = arith.muli %x, %y : i32
  %3 = arith.muli %x, %y {foo} : i32
  %4 = arith.subi %x, %y {foo} : i32
  %5 = arith.subi %x, %y overflow<nsw> : i32
  %6 = memref.load %m[%i] : memref<4xf32, 3>
  %7 = memref.load %n[%i] : memref<4xf32>
  %8 = tensor.extract %t[%i] : tensor<4xf32, "e">
  %9 = tensor.extract %u[%i] : tensor<4xf32>
  %10 = memref.transpose %q (a, b) -> (a, b) : memref<4x4xf32> to memref<4x4xf32, strided<[4, 1]>>
  %11 = memref.transpose %q (a, b) -> (b, a) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  "t.use"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32,
    memref<4x4xf32, strided<[4, 1]>>, memref<4x4xf32, strided<[1, 4]>>) -> ()
  return
}
"#;
    let rules = write("parts", "rules.td", rules);
    let Some(ran) = rewrite(&format!("rules={rules} include={}", mlir().join("include").display()), input)
    else {
        return;
    };
    assert!(ran.succeeded, "{ran:?}");
    let names = ran
        .output
        .lines()
        .filter_map(|line| line.trim().split_once(" = "))
        .filter(|(name, _)| name.starts_with('%'));
    let mut names: Vec<&str> = names.filter_map(|(_, op)| op.split(' ').next()).collect();
    names.sort_unstable();
    let expected = [
        "arith.addi",
        "arith.constant",
        "arith.maxsi",
        "arith.minsi",
        "arith.muli",
        "arith.subi",
        "arith.xori",
        "memref.cast",
        "memref.load",
        "memref.load",
        "memref.transpose",
        "tensor.extract",
    ];
    assert_eq!(names, expected, "{}", ran.output);
    assert!(ran.output.contains("nontemporal = true} : memref<4xf32, 3>"), "{}", ran.output);
}

#[test]
fn several_threads_share_rules() {
    let rules = write("threads", "rules.mlir", NOT_NOT);
    let functions: String = (0..200).map(|i| MODULE.replace("@f", &format!("@f{i}"))).collect();
    let report = write("threads", "report.txt", "");
    let options = format!("rules={rules} report={report}");
    let pipeline = format!("--pass-pipeline=builtin.module(func.func(drrvm-rewrite{{{options}}}))");
    let Some(ran) = mlir_opt(&["--allow-unregistered-dialect", &pipeline], &functions) else { return };
    assert!(ran.succeeded, "{}", ran.errors);
    assert_eq!(ran.output.matches("return %arg0").count(), 200, "all functions are rewritten");
    let counts = std::fs::read_to_string(&report).unwrap();
    assert_eq!(counts, "# 200 matches, 200 rewrites, 0 refusals\n200\tnot_not\n");
}

#[test]
fn explanations_and_reports_name_rules() {
    let rules = write("explain", "rules.mlir", NOT_NOT);
    let pipeline = format!("--pass-pipeline=builtin.module(drrvm-explain{{rules={rules} op=t.not}})");
    let Some(ran) = mlir_opt(&["--allow-unregistered-dialect", &pipeline], MODULE) else { return };
    assert!(ran.succeeded && ran.errors.contains("rule 'not_not' matches"), "{ran:?}");
    assert!(ran.errors.contains("the op that defines operand 0 of $outer is 't.not'"), "{}", ran.errors);
    let pipeline =
        format!("--pass-pipeline=builtin.module(drrvm-explain{{rules={rules} op=t.not rule=not_nut}})");
    let Some(ran) = mlir_opt(&["--allow-unregistered-dialect", &pipeline], MODULE) else { return };
    assert!(!ran.succeeded, "{ran:?}");
    assert!(ran.errors.contains("no rule has the name or label 'not_nut'"), "{}", ran.errors);
    assert!(ran.errors.contains("did you mean 'not_not'?"), "{}", ran.errors);
    let report = write("explain", "report.txt", "");
    let Some(ran) = rewrite(&format!("rules={rules} report={report}"), MODULE) else { return };
    assert!(ran.succeeded, "{}", ran.errors);
    assert_eq!(
        std::fs::read_to_string(&report).unwrap(),
        "# 1 matches, 1 rewrites, 0 refusals\n1\tnot_not\n"
    );
}

/// Integers of 8 and 128 bits and floats are passed to natives in C++ and back.
#[test]
fn natives_take_and_return_integers_and_floats() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let (rules, input) = (own.join("numbers.td"), own.join("numbers.mlir"));
    let natives = format!("--load-pass-plugin={}", test_natives().display());
    let rules = rules.display();
    let pipeline = format!("--pass-pipeline=builtin.module(drrvm-rewrite{{rules={rules} driver=walk}})");
    let Some(ran) = mlir_opt(&[&natives, &pipeline, &input.display().to_string()], "") else { return };
    assert!(ran.succeeded, "{}", ran.errors);
    let Some(checked) = file_check(&input, &ran.output) else { return };
    assert!(checked.succeeded, "{}", checked.errors);
}

/// One rule requires an attribute and types, and the other rule requires an attribute. Some operations lack the
/// attribute, and others have null types.
#[test]
fn operations_without_attributes_or_types_do_not_match() {
    let text = r#"
pdl.pattern @twice : benefit(1) {
  %x = pdl.operand
  %t = pdl.type : i1
  %one = pdl.attribute = 1 : i32
  %inner = pdl.operation "t.not"(%x : !pdl.value) {"n" = %one} -> (%t : !pdl.type)
  %r = pdl.result 0 of %inner
  %outer = pdl.operation "t.not"(%r : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %outer { pdl.replace %outer with (%x : !pdl.value) }
}
pdl.pattern @overflow : benefit(1) {
  %x = pdl.operand
  %y = pdl.operand
  %t = pdl.type
  %flags = pdl.attribute
  %op = pdl.operation "arith.addi"(%x, %y : !pdl.value, !pdl.value) {"no_such" = %flags} -> (%t : !pdl.type)
  pdl.rewrite %op { pdl.replace %op with (%x : !pdl.value) }
}
"#;
    let rules = write("absent", "rules.mlir", text);
    let input = r#"
func.func @f(%a: i1, %b: i32) -> (i1, i1, i1, i32) {
  %0 = "t.not"(%a) <{n = 1 : i32}> : (i1) -> i1
  %1 = "t.not"(%0) : (i1) -> i1
  %2 = "t.not"(%a) {n = 1 : i32} : (i1) -> i1
  %3 = "t.not"(%2) : (i1) -> i1
  %4 = "t.not"(%a) <{m = 1 : i32}> : (i1) -> i1
  %5 = "t.not"(%4) {n} : (i1) -> i1
  %6 = arith.addi %b, %b : i32
  return %1, %3, %5, %6 : i1, i1, i1, i32
}
"#;
    for driver in ["greedy", "walk", "own-greedy", "own-walk engine=automaton"] {
        let Some(ran) = rewrite(&format!("rules={rules} driver={driver}"), input) else { return };
        assert!(ran.succeeded, "{driver}: {}", ran.errors);
        assert!(ran.output.contains("return %arg0, %arg0, %3, %4"), "{driver}: {}", ran.output);
    }
    // The operations with null types exist only while the pass runs.
    let natives = format!("--load-pass-plugin={}", test_natives().display());
    let pipeline = format!("--pass-pipeline=builtin.module(test-drrvm-null-type{{rules={rules}}})");
    let Some(ran) = mlir_opt(&[&natives, "--allow-unregistered-dialect", &pipeline], "") else { return };
    // The pass erases the operations itself, which fails if a rule has erased one.
    assert!(ran.succeeded, "{ran:?}");
}

/// A library states that LLVM has another version. It is loaded before LLVM, so the plugin calls its function.
#[test]
fn another_version_of_mlir_is_refused() {
    let source = folder("version").join("version.cpp");
    std::fs::write(
        &source,
        "extern \"C\" void LLVMGetVersion(unsigned *a, unsigned *b, unsigned *c) { *a = 23; *b = 1; *c = 0; }",
    )
    .unwrap();
    let library = folder("version").join("version.so");
    compile(&[&source], &library, &["-shared"]);
    let rules = write("version", "rules.mlir", NOT_NOT);
    let Some(opt) = tool("mlir-opt") else { return };
    let mut command = Command::new(opt);
    preload(&mut command, Some(&library));
    command.arg("--allow-unregistered-dialect");
    command.arg(format!("--load-pass-plugin={}", plugin().display()));
    command.arg(format!("--pass-pipeline=builtin.module(drrvm-rewrite{{rules={rules}}})"));
    let ran: Ran = feed(&mut command, MODULE).into();
    assert!(!ran.succeeded && ran.output.is_empty(), "{ran:?}");
    assert!(
        ran.errors.contains("drrvm was built for MLIR 22.1, but this process has MLIR 23.1"),
        "{}",
        ran.errors
    );
}

#[test]
fn a_profile_has_the_counts_and_the_places_of_rules() {
    let rules = write("profile", "rules.mlir", NOT_NOT);
    let input = write("profile", "input.mlir", MODULE);
    let rewrite = |report: &str, driver: &str| {
        let options = format!("rules={rules} report={report} driver={driver}");
        let pipeline = format!("--pass-pipeline=builtin.module(drrvm-rewrite{{{options}}})");
        mlir_opt(&["--allow-unregistered-dialect", &pipeline, &input], "")
    };
    for driver in ["greedy", "walk", "own-greedy engine=automaton", "own-walk"] {
        let json = folder("profile").join("report.json").display().to_string();
        let Some(ran) = rewrite(&json, driver) else { return };
        assert!(ran.succeeded && ran.output.contains("return %arg0"), "{ran:?}");
        let report: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).expect("the report is JSON");
        assert_eq!(report["operations"], 5, "{report:#}");
        assert_eq!(report["rewrites"], 1, "{report:#}");
        let rule = &report["rules"][0];
        assert_eq!((&rule["rule"], &rule["fired"]), (&"not_not".into(), &1.into()), "{report:#}");
        assert!(rule["place"].as_str().unwrap().contains("rules.mlir:2"), "{report:#}");
    }
    let page = folder("profile").join("report.html").display().to_string();
    let Some(ran) = rewrite(&page, "greedy") else { return };
    assert!(ran.succeeded, "{ran:?}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(
        html.starts_with("<!DOCTYPE html>") && html.contains("Profile of input.mlir"),
        "{}",
        &html[..200]
    );

    let Some(ran) = rewrite("/no/such/folder/report.json", "greedy") else { return };
    assert!(!ran.succeeded && ran.errors.contains("cannot write '/no/such/folder/report.json'"), "{ran:?}");
}

#[test]
fn the_pass_fails_if_a_script_fails() {
    let rules = write("script", "rules.td", ARITH_RULE);
    let natives = write(
        "script",
        "natives.rhai",
        r#"rewrite("createAndFail", "(location, value) -> value", |ir, loc, x| x.nothing_of_the_kind);"#,
    );
    let Some(ran) = rewrite(&format!("rules={rules} natives={natives}"), ADDITION) else { return };
    assert!(!ran.succeeded && ran.errors.contains("natives.rhai:1:"), "{ran:?}");
}

#[test]
fn rules_that_do_not_converge_fail_the_pass() {
    let text = r#"
pdl.pattern @swap : benefit(1) {
  %x = pdl.operand
  %y = pdl.operand
  %t = pdl.type
  %op = pdl.operation "t.op"(%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %op {
    %new = pdl.operation "t.op"(%y, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
    pdl.replace %op with %new
  }
}
"#;
    let rules = write("cycle", "rules.mlir", text);
    let input = "func.func @f(%a: i1, %b: i1) -> i1 {
  %0 = \"t.op\"(%a, %b) : (i1, i1) -> i1
  return %0 : i1
}";
    for (driver, bound) in [("greedy", "max-num-rewrites=20"), ("own-greedy", "max-num-rewrites=20")] {
        let Some(ran) = rewrite(&format!("rules={rules} driver={driver} {bound}"), input) else { return };
        assert!(!ran.succeeded && ran.errors.contains("converge"), "{driver}: {ran:?}");
        let options = format!("rules={rules} driver={driver} {bound} allow-nonconvergence");
        let Some(ran) = rewrite(&options, input) else { return };
        assert!(ran.succeeded && ran.output.contains("t.op"), "{driver}: {ran:?}");
    }
}

#[test]
fn the_error_after_a_sweep_that_only_removes_operations_names_no_rules() {
    let text = r#"
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def SubToAdd : Pat<(Arith_SubIOp $x, $y, $flags), (Arith_AddIOp $x, $y, $flags)>;
"#;
    let rules = write("removal", "rules.td", text);
    let input = "func.func @f(%a: i32) {\n  %0 = arith.addi %a, %a : i32\n  return\n}";
    let Some(ran) = rewrite(&format!("rules={rules} driver=own-greedy max-iterations=1"), input) else {
        return;
    };
    let message = "rewriting does not converge within 1 sweep\n";
    assert!(!ran.succeeded && ran.errors.contains(message), "{ran:?}");
}

/// A rule that replaces one operation by another operation with the same operand and result type.
fn renaming(name: &str, from: &str, to: &str, benefit: u32) -> String {
    format!(
        r#"
pdl.pattern @{name} : benefit({benefit}) {{
  %x = pdl.operand
  %t = pdl.type
  %op = pdl.operation "{from}"(%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %op {{
    %new = pdl.operation "{to}"(%x : !pdl.value) -> (%t : !pdl.type)
    pdl.replace %op with %new
  }}
}}
"#
    )
}

/// The conversion first tries the rule with the higher benefit. Its result is illegal, and no rule makes the result
/// legal. So MLIR rolls the first rule back and applies the other rule.
#[test]
fn dialect_conversion_rolls_rules_back() {
    let text = [renaming("first", "t.a", "t.b", 3), renaming("second", "t.a", "t.d", 1)].concat();
    let rules = write("convert", "rules.mlir", &text);
    let input = "func.func @f(%a: i1) -> (i1, i1) {
  %0 = \"t.a\"(%a) : (i1) -> i1
  %1 = \"t.a\"(%0) : (i1) -> i1
  return %0, %1 : i1, i1
}";
    let natives = format!("--load-pass-plugin={}", test_natives().display());
    let pipeline = format!("--pass-pipeline=builtin.module(test-drrvm-convert{{rules={rules}}})");
    let args = [&*natives, &*pipeline, "--allow-unregistered-dialect"];
    let Some(ran) = mlir_opt(&args, input) else { return };
    assert!(ran.succeeded, "{}", ran.errors);
    assert_eq!(ran.output.matches("\"t.d\"(").count(), 2, "{}", ran.output);
    assert!(!ran.output.contains("t.a") && !ran.output.contains("t.b"), "{}", ran.output);

    // If a rule makes the result of the first rule legal, MLIR does not roll the first rule back.
    let text = [text, renaming("third", "t.b", "t.c", 1)].concat();
    write("convert", "rules.mlir", &text);
    let Some(ran) = mlir_opt(&args, input) else { return };
    assert!(ran.succeeded && ran.output.matches("\"t.c\"(").count() == 2, "{ran:?}");
}

const SPLIT_RULES: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
class T_Op<string name> : Op<T_Dialect, name> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$y); }
def AOp : T_Op<"a">;
def BOp : T_Op<"b">;
def DOp : T_Op<"d">;
def BrOp : Op<T_Dialect, "br", [Terminator]> { let successors = (successor AnySuccessor:$dest); }
def Split : NativeCodeCall<"split($_builder, $0[0].getDefiningOp())">;
def First : Pat<(AOp:$op $x), (Split $op), [], [], (addBenefit 3)>;
def Second : Pat<(AOp $x), (DOp $x)>;
"#;

const SPLIT: &str = r"
static Value split(PatternRewriter &rewriter, Operation *op) {
  Block *start = op->getBlock();
  Block *rest = rewriter.splitBlock(start, op->getIterator());
  rewriter.setInsertionPointToEnd(start);
  t::BrOp::create(rewriter, op->getLoc(), rest);
  rewriter.setInsertionPoint(op);
  return t::BOp::create(rewriter, op->getLoc(), op->getResult(0).getType(), op->getOperand(0));
}
";

/// MLIR's drivers would not be notified of the new block. So the rule whose helper splits a block refuses in these
/// drivers, and MLIR applies the other rule.
#[test]
fn helpers_change_blocks_only_in_drrvms_drivers() {
    let rules = write("blocks", "rules.td", SPLIT_RULES).into();
    let helpers = vec![write("blocks", "helpers.cpp", SPLIT).into()];
    let options = stages::Options { helpers, ..Default::default() };
    let mut files = SourceMap::default();
    let (rules, _) = stages::rules(&mut files, &[rules], &options).expect("the rules load");
    let program = stages::program(&rules).expect("the rules compile");
    let rules = folder("blocks").join("rules.drrbc");
    std::fs::write(&rules, stages::file(&program, &files).unwrap()).unwrap();
    let rules = rules.display();
    let input = "func.func @f(%a: i1) -> i1 {
  %0 = \"t.a\"(%a) : (i1) -> i1
  return %0 : i1
}";
    let natives = format!("--load-pass-plugin={}", test_natives().display());
    for (pass, splits) in [
        ("test-drrvm-convert{", false),
        ("drrvm-rewrite{driver=greedy ", false),
        ("drrvm-rewrite{driver=walk ", false),
        ("drrvm-rewrite{driver=own-greedy ", true),
        ("drrvm-rewrite{driver=own-walk ", true),
    ] {
        let pipeline = format!("--pass-pipeline=builtin.module({pass}rules={rules}}})");
        let args = [&*natives, &*pipeline, "--allow-unregistered-dialect", "--mlir-print-op-generic"];
        let Some(ran) = mlir_opt(&args, input) else { return };
        assert!(ran.succeeded, "{pass}: {}", ran.errors);
        let (new, other) = if splits { ("t.b", "t.d") } else { ("t.d", "t.b") };
        assert!(ran.output.contains(new) && !ran.output.contains(other), "{pass}: {}", ran.output);
        assert_eq!(ran.output.contains("^bb1:"), splits, "{pass}: {}", ran.output);
    }
}

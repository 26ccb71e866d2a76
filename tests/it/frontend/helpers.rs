//! Tests of helpers: C++ functions that rules call. The command reads them from their source files.

use crate::common::command::{Folder, Run};
use crate::common::{llvm_sources, llvm_tool, pipe_text};

const RULES: &str = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_X : Op<T_Dialect, "x"> {
  let arguments = (ins AnyType:$in, I64Attr:$n);
  let results = (outs AnyType:$out);
}
def Collatz : NativeCodeCall<"collatz($_builder, $0)">;
def IsSmall : Constraint<CPred<"isSmall($0)">>;
def Step : Pat<(T_X $in, $n), (T_X $in, (Collatz $n)), [(IsSmall $n)]>;
def Later : Pat<(T_X (T_X $in, $n), $m), (T_X $in, (NativeCodeCall<"lookUp($0, $1)"> $n, $m))>;
"#;

const SOURCE: &str = "
#include \"anything.h\"
using namespace mlir;
MACRO_WITHOUT_SEMICOLON(x)
namespace {
bool isSmall(IntegerAttr n) {
  return n.getInt() > 1 && n.getInt() < 100;
}
} // namespace
static IntegerAttr collatz(PatternRewriter &rewriter, IntegerAttr attr) {
  int64_t n = attr.getInt(), steps = 0;
  for (; n != 1; ++steps)
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return rewriter.getI64IntegerAttr(100 + steps);
}
static Attribute lookUp(Attribute a, Attribute b) {
  static int calls = 0;
  return ++calls ? a : b;
}
";

const INPUT: &str = "%0 = \"t.in\"() : () -> i32
%1 = \"t.x\"(%0) <{n = 27 : i64}> : (i32) -> i32
\"t.out\"(%1) : (i32) -> ()";

fn folder() -> Folder {
    Folder::new(&[("rules.td", RULES), ("helpers.cpp", SOURCE), ("in.mlir", INPUT)])
}

/// Runs `drrvm opt` on an input, with rules and the helpers that they call.
pub(super) fn opt(rules: &str, helpers: &str, input: &str, options: &[&str]) -> Run {
    let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", helpers), ("in.mlir", input)]);
    let args = ["opt", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"];
    folder.run(&[&args, options].concat())
}

#[test]
fn rules_call_functions_of_source_files() {
    let folder = folder();
    let args = [
        "opt",
        "--generic",
        "--disable",
        "Later",
        "in.mlir",
        "--rules",
        "rules.td",
        "--helpers",
        "helpers.cpp",
    ];
    let run = folder.run(&args);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("n = 211 : i64"), "{}", run.stdout);
    let reference = folder.run(&[&args[..], &["--engine", "reference"]].concat());
    assert_eq!((reference.status, &reference.stdout), (0, &run.stdout), "{}", reference.stderr);
    // A compiled program needs no sources, and all engines give the same result.
    let compiled =
        folder.run(&["compile", "rules.td", "--disable", "Later", "--helpers", ".", "-o", "rules.drrbc"]);
    assert_eq!(compiled.status, 0, "{}", compiled.stderr);
    for engine in ["tree", "automaton"] {
        let again =
            folder.run(&["opt", "--generic", "in.mlir", "--rules", "rules.drrbc", "--engine", engine]);
        assert_eq!((again.status, &again.stdout), (0, &run.stdout), "{engine}: {}", again.stderr);
    }
}

#[test]
fn functions_outside_the_language_stay_natives_with_a_note() {
    let folder = folder();
    let run = folder.run(&["check", "rules.td", "--helpers", "helpers.cpp", "--message-format", "llvm"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("helpers.cpp:17:3: note: the helper 'lookUp' stays a native: 'static …'"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("1 of 2 rules run; 1 needs 1 native"), "{}", run.stdout);
    assert!(!run.stdout.contains("collatz"), "{}", run.stdout);
}

/// A macro hides the body of one function, and another function is only declared.
#[test]
fn functions_without_a_body_stay_natives_with_a_note() {
    let source = "#include \"macros.h\"
// isSmall(n) is below
static bool unrelated(int64_t n) { return isSmall(n); }
static bool isSmall(IntegerAttr n) BODY(true)
IntegerAttr collatz(PatternRewriter &rewriter, IntegerAttr attr);
";
    let folder = Folder::new(&[("rules.td", RULES), ("helpers.cpp", source)]);
    let run = folder.run(&["check", "rules.td", "--helpers", "helpers.cpp", "--message-format", "llvm"]);
    for (place, name) in [("helpers.cpp:4:13", "isSmall"), ("helpers.cpp:5:13", "collatz")] {
        let note = format!("{place}: note: the helper '{name}' stays a native: it has no body here");
        assert!(run.stderr.contains(&note), "{note}\n{}", run.stderr);
    }
    assert!(!run.stderr.contains("lookUp' stays"), "{}", run.stderr);
}

#[test]
fn stubs_in_cpp_are_helpers() {
    let folder = Folder::new(&[("rules.td", &RULES.replace("$_builder, ", ""))]);
    let stubs = folder.run(&["check", "rules.td", "--stubs", "cpp", "-o", "stubs.cpp"]);
    assert_eq!(stubs.status, 0, "{}", stubs.stderr);
    let same = folder.run(&["check", "rules.td", "--stubs", "c++"]);
    assert_eq!((same.status, same.stdout), (0, folder.read("stubs.cpp")));
    let check = folder.run(&["check", "rules.td", "--helpers", "stubs.cpp"]);
    assert_eq!(check.status, 0, "{}", check.stderr);
    assert!(!check.stdout.contains("missing"), "{}\n{}", check.stdout, folder.read("stubs.cpp"));
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    let folder = folder();
    let run = folder.run(&["check", "rules.td", "--helpers", "nothing.cpp"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("nothing.cpp"), "{}", run.stderr);
    // A file that is not C++ changes nothing.
    let without = folder.run(&["check", "rules.td"]);
    std::fs::write(folder.path("noise.cpp"), "}}} \"\n{{( R\"x(").unwrap();
    let noise = folder.run(&["check", "rules.td", "--helpers", "noise.cpp"]);
    assert_eq!((noise.status, noise.stdout), (without.status, without.stdout));
}

/// MLIR's rules for `arith` give the same result with natives in Rust and with the helpers in MLIR's source.
#[test]
fn helpers_of_arith_give_the_results_of_the_natives() {
    let (Some(sources), Some(opt)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let dialect = sources.join("mlir/lib/Dialect/Arith/IR");
    let tests = std::fs::read_to_string(sources.join("mlir/test/Dialect/Arith/canonicalize.mlir")).unwrap();
    let generic = ["--split-input-file", "--mlir-print-op-generic", "-allow-unregistered-dialect"];
    let generic = pipe_text(&opt, &generic, &tests).unwrap();
    let folder = Folder::new(&[("in.mlir", &generic)]);
    let (rules, headers) = (dialect.join("ArithCanonicalization.td"), sources.join("mlir/include"));
    let (rules, headers, source) =
        (rules.to_str().unwrap(), headers.to_str().unwrap(), dialect.join("ArithOps.cpp"));
    let args = ["opt", "--generic", "--split-input-file", "in.mlir", "--rules", rules, "-I", headers];
    let natives = folder.run(&args);
    assert_eq!(natives.status, 0, "{}", natives.stderr);
    let helpers = ["--helpers", source.to_str().unwrap()];
    let from_source = folder.run(&[&args[..], &helpers].concat());
    assert_eq!(from_source.status, 0, "{}", from_source.stderr);
    assert_eq!(from_source.stdout, natives.stdout);
    assert_ne!(natives.stdout, generic);
    // With the helpers, no rule needs a native.
    let check = folder.run(&[&["check", rules, "-I", headers, "--format", "json"], &helpers[..]].concat());
    let report: serde_json::Value = serde_json::from_str(&check.stdout).unwrap();
    assert_eq!(report["natives"], serde_json::json!([]), "{}", check.stderr);
}

/// Rules can omit result types that a native for a trait determines, or that follow from the types of the operands.
#[test]
fn traits_infer_types() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def Custom : NativeOpTrait<"SameTypes"> { let cppNamespace = "::my"; }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, AnyType:$b); let results = (outs AnyType:$out); }
def T_Same : Op<T_Dialect, "same", [Custom]> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$out); }
def T_Add : Op<T_Dialect, "add", [ResultsBroadcastableShape, SameOperandsAndResultElementType]> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$out);
}
def T_End : Op<T_Dialect, "end"> { let arguments = (ins AnyType:$a, AnyType:$b); let results = (outs AnyType:$out); }
def R : Pat<(T_X $a, $b), (T_End (T_Same $a), (T_Add $a, $b))>;
"#;
    let input = "%0, %1 = \"t.in\"() : () -> (tensor<1x?xi8>, tensor<4x3xi8>)
%2 = \"t.x\"(%0, %1) : (tensor<1x?xi8>, tensor<4x3xi8>) -> i1
\"t.out\"(%2) : (i1) -> ()";
    // The script names the trait without the leading `::`.
    let script =
        "type_inference_for_trait(\"my::SameTypes\", |ir, operands, attributes| [operands[0].type]);";
    let folder = Folder::new(&[("rules.td", rules), ("in.mlir", input), ("natives.rhai", script)]);
    let without = folder.run(&["opt", "--generic", "in.mlir", "--rules", "rules.td"]);
    assert_ne!(without.status, 0);
    assert!(without.stderr.contains("t.same") && !without.stderr.contains("'t.add'"), "{}", without.stderr);
    let args = ["opt", "--generic", "in.mlir", "--rules", "rules.td", "--natives", "natives.rhai"];
    let run = folder.run(&args);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("\"t.same\"(%0#0) : (tensor<1x?xi8>) -> tensor<1x?xi8>"), "{}", run.stdout);
    assert!(
        run.stdout.contains("\"t.add\"(%0#0, %0#1) : (tensor<1x?xi8>, tensor<4x3xi8>) -> tensor<4x3xi8>"),
        "{}",
        run.stdout
    );
}

/// A helper that sets attributes in place changes nothing if the rewrite fails later.
#[test]
fn attributes_that_are_set_in_place_are_undone() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, I64Attr:$n); let results = (outs AnyType:$out); }
def Mark : NativeCodeCall<"mark($_builder, $0, $1)">;
def R : Pat<(T_X $a, $n), (Mark $a, $n)>;
"#;
    let source = "static Value mark(PatternRewriter &rewriter, Value a, IntegerAttr n) {
  Operation *op = a.getDefiningOp();
  rewriter.modifyOpInPlace(op, [&]() {
    op->setAttr(\"seen\", n);
    op->removeAttr(\"old\");
    op->removeAttr(\"property\");
  });
  for (NamedAttribute attr : op->getAttrs())
    if (attr.getName() == \"seen\" && cast<IntegerAttr>(attr.getValue()).getInt() > 9)
      llvm_unreachable(\"too large\");
  return a;
}";
    let input = |n: u32| {
        format!(
            "%0 = \"t.in\"() <{{property = 2 : i8}}> {{old = 1 : i8, other}} : () -> i32\n%1 = \"t.x\"(%0) <{{n = {n} : i64}}> : (i32) -> i32\n\"t.out\"(%1) : (i32) -> ()\n"
        )
    };
    let folder = Folder::new(&[
        ("rules.td", rules),
        ("helpers.cpp", source),
        ("small.mlir", &input(3)),
        ("large.mlir", &input(10)),
    ]);
    let run = |file: &str| {
        folder.run(&["opt", "--generic", file, "--rules", "rules.td", "--helpers", "helpers.cpp"])
    };
    let small = run("small.mlir");
    assert_eq!(small.status, 0, "{}", small.stderr);
    assert!(small.stdout.contains("\"t.in\"() {other, seen = 3 : i64}"), "{}", small.stdout);
    assert!(!small.stdout.contains("t.x"), "{}", small.stdout);
    let large = run("large.mlir");
    let unchanged = "\"t.in\"() <{property = 2 : i8}> {old = 1 : i8, other}";
    assert!(large.stdout.contains(unchanged), "{}", large.stdout);
    assert!(large.stdout.contains("\"t.x\""), "{}", large.stdout);
}

/// The methods of `Operation` and the generated setters keep inherent and discardable attributes apart, as in MLIR
/// (`Operation::setAttrs`, `Operation::getDiscardableAttrs`).
#[test]
fn inherent_and_discardable_attributes_are_kept_apart() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$out); }
def T_YOp : Op<T_Dialect, "y"> {
  let arguments = (ins AnyType:$a, I64Attr:$k, OptionalAttr<StrAttr>:$s, UnitAttr:$u, OptionalAttr<I8Attr>:$d);
  let results = (outs AnyType:$out);
}
def R : Pat<(T_XOp $a), (NativeCodeCall<"change($_builder, $0)"> $a)>;
"#;
    let start = "<{k = 1 : i64}> {old = 1 : i8}";
    // The C++ code, the attributes before and the attributes that MLIR has afterwards.
    let cases = [
        ("op->setAttrs({fresh, text});", start, "<{k = 1 : i64, s = \"z\"}> {fresh = 5 : i64}"),
        ("op->setAttrs(rewriter.getDictionaryAttr({fresh}));", start, "<{k = 1 : i64}> {fresh = 5 : i64}"),
        ("op->setDiscardableAttrs({fresh});", start, "<{k = 1 : i64}> {fresh = 5 : i64}"),
        (
            "op->setAttr(\"fresh\", rewriter.getI64IntegerAttr(llvm::size(op->getDiscardableAttrs())));",
            start,
            "<{k = 1 : i64}> {fresh = 1 : i64, old = 1 : i8}",
        ),
        (
            "op->setAttr(\"fresh\", op->getDiscardableAttrDictionary());",
            "<{k = 1 : i64}>",
            "<{k = 1 : i64}> {fresh = {}}",
        ),
        (
            "op->setAttr(\"fresh\", op->getAttrDictionary());",
            start,
            "<{k = 1 : i64}> {fresh = {k = 1 : i64, old = 1 : i8}, old = 1 : i8}",
        ),
        (
            "op->setAttr(\"s\", rewriter.getStringAttr(\"q\"));",
            start,
            "<{k = 1 : i64, s = \"q\"}> {old = 1 : i8}",
        ),
        ("op->removeDiscardableAttr(\"k\"); op->removeDiscardableAttr(\"old\");", start, "<{k = 1 : i64}>"),
        (
            "op->setInherentAttr(\"s\", rewriter.getStringAttr(\"q\"));",
            "<{k = 1 : i64}>",
            "<{k = 1 : i64, s = \"q\"}>",
        ),
        ("op.setK(9); op.setU(true); op.setD(300);", "<{k = 1 : i64}>", "<{d = 44 : i8, k = 9 : i64, u}>"),
        (
            "op.setSAttr(nullptr); op.setU(false); op.setKAttr(number);",
            "<{k = 1 : i64, s = \"q\", u}>",
            "<{k = 5 : i64}>",
        ),
        ("op.setS(\"text\"); op.setDAttr({});", "<{k = 1 : i64}>", "<{k = 1 : i64, s = \"text\"}>"),
        (
            "return t::YOp::create(rewriter, op->getLoc(), a.getType(), op->getOperands(), op->getAttrs());",
            start,
            start,
        ),
        (
            "auto y = rewriter.create<t::YOp>(op->getLoc(), TypeRange{a.getType()}, ValueRange{op.getA()}, ArrayRef<NamedAttribute>{rewriter.getNamedAttr(\"k\", number), fresh}); y->setAttr(\"s\", rewriter.getStringAttr(\"late\")); return y;",
            "<{k = 1 : i64}>",
            "<{k = 5 : i64, s = \"late\"}> {fresh = 5 : i64}",
        ),
    ];
    for (code, before, after) in cases {
        let source = format!(
            "static Value change(PatternRewriter &rewriter, Value a) {{
  auto op = cast<t::YOp>(a.getDefiningOp());
  IntegerAttr number = rewriter.getI64IntegerAttr(5);
  NamedAttribute fresh = rewriter.getNamedAttr(\"fresh\", number), text = rewriter.getNamedAttr(\"s\", rewriter.getStringAttr(\"z\"));
  {code}
  return a;
}}"
        );
        let op = |attributes: &str| format!("\"t.y\"(%0) {attributes} : (i32) -> i32\n");
        let input = format!(
            "%0 = \"t.in\"() : () -> i32\n%1 = {}%2 = \"t.x\"(%1) : (i32) -> i32\n\"t.out\"(%2) : (i32) -> ()\n",
            op(before)
        );
        let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", &source), ("in.mlir", &input)]);
        let run =
            folder.run(&["opt", "--generic", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"]);
        assert_eq!(run.status, 0, "{code}: {}", run.stderr);
        assert!(
            run.stdout.contains(&op(after)) && !run.stdout.contains("t.x"),
            "{code}: {}\n{}",
            run.stdout,
            run.stderr
        );
    }
    // In MLIR, each of these changes would give the operation two attributes of one name, or would lose the attribute.
    for code in [
        "op->setDiscardableAttr(\"k\", number);",
        "op->setDiscardableAttrs({rewriter.getNamedAttr(\"s\", number)});",
        "op->setInherentAttr(\"x\", number);",
    ] {
        let source = format!(
            "static Value change(PatternRewriter &rewriter, Value a) {{
  auto op = cast<t::YOp>(a.getDefiningOp());
  IntegerAttr number = rewriter.getI64IntegerAttr(5);
  {code}
  return a;
}}"
        );
        let input = format!(
            "%0 = \"t.in\"() : () -> i32\n%1 = \"t.y\"(%0) {start} : (i32) -> i32\n%2 = \"t.x\"(%1) : (i32) -> i32\n\"t.out\"(%2) : (i32) -> ()\n"
        );
        let folder = Folder::new(&[("rules.td", rules), ("helpers.cpp", &source), ("in.mlir", &input)]);
        let run =
            folder.run(&["opt", "--generic", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp"]);
        assert!(
            run.stdout.contains(start) && run.stdout.contains("t.x"),
            "{code}: {}\n{}",
            run.stdout,
            run.stderr
        );
    }
}

/// C++ functions of MLIR's Test dialect infer the result types of some operations. drrvm evaluates these functions, and
/// `mlir-opt` infers the types again and compares.
#[test]
fn result_types_are_inferred_by_the_cpp_functions_of_operations() {
    let (Some(sources), Some(opt)) = (llvm_sources(), llvm_tool("mlir-opt")) else { return };
    let test = sources.join("mlir/test/lib/Dialect/Test");
    let ops = [
        "OpWithInferTypeInterfaceOp $a, $b",
        "OpWithInferTypeAdaptorInterfaceOp $a, $b",
        "OpWithRefineTypeInterfaceOp $a, $b",
        "OpWithShapedTypeInferTypeInterfaceOp $a, $b",
        "OpWithShapedTypeInferTypeAdaptorInterfaceOp $a, $b",
    ];
    let mut rules = r#"
include "TestOps.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyTensor:$a, AnyTensor:$b, I64Attr:$k); let results = (outs AnyType:$r); }
def T_Use : Op<T_Dialect, "use"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
"#
    .to_owned();
    let mut input = "%a, %b, %c, %d = \"t.in\"() : () -> (tensor<4x?xf32>, tensor<4x?xf32>, tensor<*xi8>, tensor<?xf32, \"e\">)\n".to_owned();
    let mut names = Vec::new();
    for (number, op) in ops.iter().enumerate() {
        rules += &format!(
            "def Infer{number} : Pat<(T_X $a, $b, ConstantAttr<I64Attr, \"{number}\">), (T_Use ({op}))>;\n"
        );
        names.push(format!("Infer{number}"));
        for (a, b, types) in [
            ("%a", "%b", "tensor<4x?xf32>, tensor<4x?xf32>"),
            ("%c", "%c", "tensor<*xi8>, tensor<*xi8>"),
            ("%d", "%a", "tensor<?xf32, \"e\">, tensor<4x?xf32>"),
        ] {
            input += &format!(
                "%r{number}{} = \"t.x\"({a}, {b}) <{{k = {number} : i64}}> : ({types}) -> i1\n",
                &a[1..]
            );
        }
    }
    let folder = Folder::new(&[("rules.td", &rules), ("in.mlir", &input)]);
    let enabled: Vec<&str> = names.iter().flat_map(|name| ["--enable", name.as_str()]).collect();
    let (headers, test_path) = (sources.join("mlir/include"), test.to_str().unwrap());
    let mut args =
        vec!["opt", "--generic", "in.mlir", "--rules", "rules.td", "-I", headers.to_str().unwrap()];
    args.extend(["-I", test_path, "--helpers", test_path]);
    args.extend(&enabled);
    let run = folder.run(&args);
    assert_eq!(run.status, 0, "{}", run.stderr);
    // `t.x` remains if C++ infers no type: the first three operations require equal types.
    assert_eq!(run.stdout.matches("\"t.x\"").count(), 3, "{}\n{}", run.stdout, run.stderr);
    assert_eq!(run.stdout.matches("\"test.").count(), 12, "{}", run.stdout);
    let verify = ["-allow-unregistered-dialect", "--mlir-print-op-generic"];
    let verified = pipe_text(&opt, &verify, &run.stdout);
    assert!(verified.is_ok(), "{verified:?}\n{}", run.stdout);
    // `mlir-opt` rejects a wrong type.
    let wrong = run.stdout.replacen("i17", "i18", 1);
    assert_ne!(wrong, run.stdout, "{}", run.stdout);
    assert!(pipe_text(&opt, &verify, &wrong).is_err());
}

/// All operations of the Shape dialect whose result types C++ infers can be created without natives.
#[test]
fn all_result_types_of_the_shape_dialect_are_inferred() {
    let Some(sources) = llvm_sources() else { return };
    let ops = [
        ("Shape_AddOp $a, $b", "index"),
        ("Shape_DivOp $a, $b", "index"),
        ("Shape_MulOp $a, $b", "index"),
        ("Shape_MaxOp $z, $z", "!shape.size"),
        ("Shape_MinOp $z, $z", "!shape.size"),
        ("Shape_RankOp $s", "index"),
        ("Shape_NumElementsOp $s", "index"),
        ("Shape_GetExtentOp $s, $a", "index"),
        ("Shape_DimOp $s, $a", "index"),
        ("Shape_ShapeOfOp $t", "tensor<2xindex>"),
    ];
    let mut rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Shape/IR/ShapeOps.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_X : Op<T_Dialect, "x"> {
  let arguments = (ins Index:$a, Index:$b, AnyTensor:$s, AnyTensor:$t, AnyType:$z, I64Attr:$k);
  let results = (outs AnyType:$r);
}
def T_Use : Op<T_Dialect, "use"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
"#
    .to_owned();
    let types = "index, index, tensor<?xindex>, tensor<4x?xi8>, !shape.size";
    let mut input = format!("%0:5 = \"t.in\"() : () -> ({types})\n");
    for (number, (op, _)) in ops.iter().enumerate() {
        rules += &format!(
            "def Infer{number} : Pat<(T_X $a, $b, $s, $t, $z, ConstantAttr<I64Attr, \"{number}\">), (T_Use ({op}))>;\n"
        );
        input += &format!(
            "%r{number} = \"t.x\"(%0#0, %0#1, %0#2, %0#3, %0#4) <{{k = {number} : i64}}> : ({types}) -> i1\n"
        );
    }
    let folder = Folder::new(&[("rules.td", &rules), ("in.mlir", &input)]);
    let (headers, helpers) =
        (sources.join("mlir/include"), sources.join("mlir/lib/Dialect/Shape/IR/Shape.cpp"));
    let (headers, helpers) = (headers.to_str().unwrap(), helpers.to_str().unwrap());
    let args = ["opt", "--generic", "in.mlir", "--rules", "rules.td", "-I", headers, "--helpers", helpers];
    let run = folder.run(&args);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let made: Vec<&str> = run.stdout.lines().filter(|line| line.contains("\"shape.")).collect();
    assert_eq!(made.len(), ops.len(), "{}\n{}", run.stdout, run.stderr);
    for (line, (op, ty)) in made.iter().zip(ops) {
        assert!(line.trim_end().ends_with(&format!("-> {ty}")), "{op}: {line}");
    }
}

/// Predicates read an attribute as the C++ type that its definition states. The result of a helper is a value if the
/// uses of the result require a value.
#[test]
fn attribute_types_follow_from_definitions_and_result_kinds_from_uses() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/CommonAttrConstraints.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def ApAttr : Attr<CPred<"isa<IntegerAttr>($_self)">, "an integer"> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "::llvm::APSInt";
  let convertFromStorage = "$_self.getAPSInt()";
}
class T_Test<string name, Attr attr> : Op<T_Dialect, name> { let arguments = (ins AnyType:$x, attr:$n); let results = (outs AnyType:$r); }
def T_Ap : T_Test<"ap", ApAttr>;
def T_Int : T_Test<"int", I64Attr>;
def T_Made : T_Test<"made", TypeAttr>;
class Drop<dag source, string predicate> : Pat<source, (replaceWithValue $x), [(Constraint<CPred<predicate>> $n)]>;
def IsZero : Drop<(T_Ap $x, $n), "$0.isZero()">;
def IsOne : Drop<(T_Ap $x, $n), "$0.isOne()">;
def IsAllOnes : Drop<(T_Ap $x, $n), "$0.isAllOnes()">;
def Differs : Drop<(T_Int $x, $n), "$0.getInt() != 3">;
def Foreign : Drop<(T_Made $x, $n), "isa<::mlir::TF::Int32RefType>($0.getValue())">;
def Later : Pattern<(T_Int $x, ConstantAttr<I64Attr, "3">),
  [(NativeCodeCall<"source($0)">:$y $x), (T_Made $y, (NativeCodeCall<"TypeAttr::get($0.getType())"> $y))]>;
"#;
    let source = "static Value source(Value v) { return v.getDefiningOp()->getOperand(0); }";
    let input = "%a = \"t.in\"() : () -> i8
%b = \"t.cast\"(%a) : (i8) -> i16
%0 = \"t.ap\"(%a) <{n = 0 : i8}> : (i8) -> i8
%1 = \"t.ap\"(%a) <{n = 1 : i8}> : (i8) -> i8
%2 = \"t.ap\"(%a) <{n = -1 : i8}> : (i8) -> i8
%3 = \"t.ap\"(%a) <{n = 5 : i8}> : (i8) -> i8
%4 = \"t.int\"(%b) <{n = 3}> : (i16) -> i16
%5 = \"t.int\"(%b) <{n = 4}> : (i16) -> i16
\"t.out\"(%0, %1, %2, %3, %4, %5) : (i8, i8, i8, i8, i16, i16) -> ()";
    let input = input.replace("n = 3}", "n = 3 : i64}").replace("n = 4}", "n = 4 : i64}");
    let run = opt(rules, source, &input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let left: Vec<&str> = run.stdout.lines().filter(|line| line.contains("n = ")).map(str::trim).collect();
    let [ap, made] = left[..] else { panic!("{}", run.stdout) };
    assert!(ap.contains("\"t.ap\"") && ap.contains("n = 5 : i8"), "{ap}");
    assert!(made.contains("\"t.made\"(%0) <{n = i8}> : (i8) -> i16"), "{made}");
}

/// The class `triton::PointerType` has no definition, but its namespace is that of the dialect `tt`. So a type of `tt`
/// may be of this class, and a type of another dialect is not of this class.
#[test]
fn the_namespace_of_a_class_names_its_dialect() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def TT_Dialect : Dialect { let name = "tt"; let cppNamespace = "::mlir::triton"; }
def TT_F : Op<TT_Dialect, "f"> { let arguments = (ins AnyType:$in); let results = (outs AnyType:$out); }
def TT_G : Op<TT_Dialect, "g"> { let arguments = (ins AnyType:$in); let results = (outs AnyType:$out); }
def NotPointer : Pat<(TT_F $in), (TT_G $in),
  [(Constraint<CPred<"!::mlir::isa<::mlir::triton::PointerType>($0.getType())">> $in)]>;
"#;
    let input = "%0:2 = \"t.in\"() : () -> (!tt.ptr<f32>, !triton.x)
%1 = \"tt.f\"(%0#0) : (!tt.ptr<f32>) -> i32
%2 = \"tt.f\"(%0#1) : (!triton.x) -> i32
\"t.out\"(%1, %2) : (i32, i32) -> ()
";
    let run = opt(rules, "", input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("\"tt.f\"(%0#0)"), "{}", run.stdout);
    assert!(run.stdout.contains("\"tt.g\"(%0#1)"), "{}", run.stdout);
}

/// A helper calls a member function that the class of an operation defines in C++.
#[test]
fn helpers_call_the_functions_of_an_operation() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> {
  let arguments = (ins AnyType:$value, I64Attr:$by);
  let results = (outs AnyType:$r);
  let extraClassDeclaration = [{ bool isShort(int64_t limit); int64_t scaled(); }];
}
def T_YOp : Op<T_Dialect, "y"> { let arguments = (ins AnyAttr:$k); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp:$op $a, $by), (T_YOp (NativeCodeCall<"about($_builder, $0.getDefiningOp())"> $op))>;
"#;
    let source = r#"using namespace t;
static int64_t next(int64_t x) { return x + 1; }
int64_t XOp::plus(int64_t x) { return getBy() + x; }
int64_t XOp::scaled() {
  int64_t by = max(min(7, max(min(9, max(min(8, max(min(7, getBy()), 0)), 1)), 2)), min(1, 0));
  return next(next(next(next(next(next(by)))))) - 6 + plus(plus(plus(plus(plus(plus(0)))))) * 1 + by * 3;
}
bool XOp::isShort(int64_t limit) { return scaled() < limit && getValue().getType() == (*this)->getResult(0).getType(); }
static Attribute about(Builder &b, Operation *op) {
  auto x = cast<t::XOp>(op);
  return b.getI64ArrayAttr({x.scaled(), x.isShort(50), x->getNumResults()});
}"#;
    let input = "%d = \"t.in\"() : () -> i32
%0 = \"t.x\"(%d) {by = 3 : i64} : (i32) -> i32\n\"t.out\"(%0) : (i32) -> ()\n";
    let run = opt(rules, source, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("[30, 1, 1]"), "{}", run.stdout);
}

/// `matchPattern` recognises constants of `arith` although the definitions of `arith` are not included. Helpers find
/// the parents of an operation.
#[test]
fn helpers_read_constants_and_parents() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$r); }
def T_YOp : Op<T_Dialect, "y"> { let arguments = (ins AnyAttr:$k); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp $a), (T_YOp (NativeCodeCall<"about($_builder, $0)"> $a))>;
"#;
    let source = "static Attribute about(Builder &b, Value a) {
  APInt number;
  if (!matchPattern(a, m_ConstantInt(&number))) return nullptr;
  Operation *def = a.getDefiningOp();
  auto module = def->getParentOfType<ModuleOp>();
  bool same = module && module.getOperation() == def->getParentOp() && isa<ModuleOp>(def->getParentOp());
  return b.getI64ArrayAttr({number.getSExtValue(), same});
}";
    let input = "%d = arith.constant 7 : i32\n%0 = \"t.x\"(%d) : (i32) -> i32\n\"t.out\"(%0) : (i32) -> ()\n";
    let run = opt(rules, source, input, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("\"t.y\"() <{k = [7, 1]}>"), "{}", run.stdout);
}

/// If two definitions fit equally well, the message names both. If a file mentions a function but does not define it,
/// the message states the place of the mention, because a macro there may define the function.
#[test]
fn messages_name_the_places_of_ambiguous_and_hidden_definitions() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins I64Attr:$n); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp $n), (T_XOp (NativeCodeCall<"step($_builder, $0)"> $n))>;
"#;
    let two = "namespace x { Attribute step(Builder &b, IntegerAttr a) { return a; } }
namespace y { Attribute step(Builder &b, IntegerAttr a) { return nullptr; } }";
    let hidden = "#include \"define.h\"\nDEFINE(step)\n";
    let folder = Folder::new(&[("rules.td", rules), ("two.cpp", two), ("hidden.cpp", hidden)]);
    let run = folder.run(&["check", "--rules", "rules.td", "--helpers", "two.cpp"]);
    assert!(run.stderr.contains("two.cpp:1 and two.cpp:2"), "{}", run.stderr);
    let run = folder.run(&["check", "--rules", "rules.td", "--helpers", "hidden.cpp"]);
    assert!(run.stderr.contains("a macro may hide its definition"), "{}", run.stderr);
    assert!(run.stderr.contains("hidden.cpp:2:8"), "{}", run.stderr);
}

/// An accessor returns the value that the definition computes from the attribute.
#[test]
fn accessors_compute_their_values_from_storage() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/CommonAttrConstraints.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def Doubled : Attr<CPred<"isa<IntegerAttr>($_self)">, "twice its number"> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "int64_t";
  let convertFromStorage = "2 * $_self.getInt()";
}
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, Doubled:$n); let results = (outs AnyType:$r); }
def T_YOp : Op<T_Dialect, "y"> { let arguments = (ins AnyType:$a, I64Attr:$n); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp:$x $a, $n), (T_YOp $a, (NativeCodeCall<"value($_builder, $0.getDefiningOp())"> $x))>;
"#;
    let source = "static IntegerAttr value(OpBuilder &b, Operation *op) {
  auto x = cast<t::XOp>(op);
  return b.getI64IntegerAttr(x.getN() * 100 + x.getNAttr().getInt());
}";
    let input = "%0 = \"t.in\"() : () -> i32\n%1 = \"t.x\"(%0) <{n = 3 : i64}> : (i32) -> i32\n\"t.out\"(%1) : (i32) -> ()\n";
    let run = opt(rules, source, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("n = 603 : i64"), "{}\n{}", run.stdout, run.stderr);
}

/// `takeBody` and `inlineRegionBefore` move regions with their blocks, arguments and branches. A refusal undoes the
/// moves.
#[test]
fn helpers_move_regions() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_Loop : Op<T_Dialect, "loop"> {
  let arguments = (ins AnyType:$n);
  let results = (outs AnyType:$r);
  let regions = (region AnyRegion:$body, AnyRegion:$end);
}
def T_Repeat : Op<T_Dialect, "repeat"> {
  let arguments = (ins AnyType:$n);
  let results = (outs AnyType:$r);
  let regions = (region AnyRegion:$first, AnyRegion:$second);
}
def Take : NativeCodeCallVoid<"take($_builder, $0, $1.getDefiningOp())">;
def Move : Pattern<(T_Loop:$loop $n), [(T_Repeat:$new $n)], [], [(Take $new, $loop)]>;
"#;
    let source = |index: u32| {
        format!(
            "using namespace mlir;
static void take(PatternRewriter &rewriter, Value value, Operation *from) {{
  auto to = value.getDefiningOp<t::Repeat>();
  to.getFirst().takeBody(from->getRegion(1));
  rewriter.inlineRegionBefore(from->getRegion({index}), to.getSecond(), to.getSecond().end());
}}"
        )
    };
    let input = r#"
%a = "t.get"() : () -> i32
%b = "t.loop"(%a) ({
^bb0(%c: i32):
  "t.next"(%a, %c)[^bb1] : (i32, i32) -> ()
^bb1:
  "t.next"(%a, %c)[^bb1] : (i32, i32) -> ()
}, {
  "t.end"(%a) : (i32) -> ()
}) : (i32) -> i32
"t.use"(%b) : (i32) -> ()
"#;
    let moved = r#"  %1 = "t.repeat"(%0) ({
    "t.end"(%0) : (i32) -> ()
  }, {
  ^bb0(%arg0: i32):
    "t.next"(%0, %arg0)[^bb1] : (i32, i32) -> ()
  ^bb1:  // 2 preds: ^bb0, ^bb1
    "t.next"(%0, %arg0)[^bb1] : (i32, i32) -> ()
  }) : (i32) -> i32
"#;
    let (right, wrong) = (source(0), source(2));
    let files = [("rules.td", rules), ("right.cpp", &*right), ("wrong.cpp", &*wrong), ("in.mlir", input)];
    let folder = Folder::new(&files);
    let opt = |helpers: &str| {
        let run = folder.run(&["opt", "--generic", "in.mlir", "--rules", "rules.td", "--helpers", helpers]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stdout
    };
    let printed = opt("right.cpp");
    assert!(printed.contains(moved), "{printed}");
    // The loop has no region 2, so the first move is undone.
    let unchanged = folder.run(&["opt", "--generic", "in.mlir"]);
    assert_eq!((unchanged.status, opt("wrong.cpp")), (0, unchanged.stdout), "{}", unchanged.stderr);
}

/// An unqualified class name in a helper is looked up in the scopes around the helper, and then in the namespaces that
/// `using namespace` names. A class name in a rule is looked up in the same way, starting at the line that includes the
/// generated code.
#[test]
fn unqualified_class_names_are_looked_up_in_the_scopes_around_them() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def A_Dialect : Dialect { let name = "a"; let cppNamespace = "::mlir::a"; }
def X_Dialect : Dialect { let name = "x"; let cppNamespace = "::mlir::x::inner"; }
class Konst<Dialect d> : Op<d, "k"> { let arguments = (ins); let results = (outs AnyType:$r); }
def A_KOp : Konst<A_Dialect>;
def X_KOp : Konst<X_Dialect>;
def X_NoneType : TypeDef<X_Dialect, "None"> { let mnemonic = "none"; }
def X_AskOp : Op<X_Dialect, "ask"> { let arguments = (ins AnyType:$in, I64Attr:$n); let results = (outs AnyType:$r); }
def Ask : Pat<(X_AskOp $in, ConstantAttr<I64Attr, "0">),
              (X_AskOp $in, (NativeCodeCall<"ask($_builder, $0)"> $in))>;
def Again : Pat<(X_AskOp:$r $in, ConstantAttr<I64Attr, "1">), (X_AskOp $in, ConstantAttr<I64Attr, "101">),
                [(Constraint<CPred<"isa<KOp>($0.getDefiningOp())">> $in)]>;
"#;
    let body = "IntegerAttr ask(Builder &b, Value v) {
  int64_t n = 2;
  if (v.getDefiningOp<KOp>()) n += 1;
  if (v.getDefiningOp<a::KOp>()) n += 10;
  if (isa<NoneType>(v.getType())) n += 100;
  if (isa<mlir::NoneType>(v.getType())) n += 1000;
  return b.getI64IntegerAttr(n);
}
#include \"Rules.inc\"
";
    let input = "%0 = \"a.k\"() : () -> none
%1 = \"x.k\"() : () -> !x.none
%2 = \"x.ask\"(%0) <{n = 0 : i64}> : (none) -> i32
%3 = \"x.ask\"(%1) <{n = 0 : i64}> : (!x.none) -> i32
%4 = \"x.ask\"(%0) <{n = 1 : i64}> : (none) -> i32
%5 = \"x.ask\"(%1) <{n = 1 : i64}> : (!x.none) -> i32
\"t.use\"(%2, %3, %4, %5) : (i32, i32, i32, i32) -> ()
";
    let within = |open: &str, close: &str| format!("{open}\n{body}{close}");
    let scopes = [
        (within("namespace mlir { namespace x { namespace inner { namespace {", "}}}}"), [1012, 103, 1, 101]),
        (within("namespace mlir::x::inner {", "}"), [1012, 103, 1, 101]),
        (within("using namespace mlir;\nusing namespace mlir::x::inner;\n", ""), [1012, 103, 1, 101]),
        (within("namespace mlir { namespace a {", "}}"), [1113, 2, 101, 1]),
        // The helpers use an alias of a namespace.
        (
            within("namespace k = mlir::x::inner;\nusing namespace mlir::a;", "")
                .replace("<KOp>", "<k::KOp>"),
            [1112, 3, 101, 1],
        ),
    ];
    for (helpers, expected) in scopes {
        let run = opt(rules, &helpers, input, &["--generic"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let numbers: Vec<&str> = run
            .stdout
            .lines()
            .filter_map(|line| line.split_once("x.ask")?.1.split_once("n = "))
            .map(|(_, n)| n.split(' ').next().unwrap())
            .collect();
        assert_eq!(numbers, expected.map(|n| n.to_string()), "{helpers}\n{}", run.stdout);
    }
}

/// Accessors of absent attributes and operands return what the generated C++ returns: no value, the default value, or
/// null.
#[test]
fn accessors_of_absent_attributes_and_operands() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
def T_A : Op<T_Dialect, "a"> {
  let arguments = (ins AnyType:$in, Optional<AnyType>:$bias, OptionalAttr<I64Attr>:$n, OptionalAttr<StrAttr>:$s,
                       OptionalAttr<TypeAttr>:$ty, DefaultValuedAttr<I64Attr, "-1">:$d,
                       DefaultValuedOptionalAttr<StrAttr, "\"NHWC\"">:$format,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 2}">:$list);
  let results = (outs AnyType:$r);
}
def T_Ask : Op<T_Dialect, "ask"> { let arguments = (ins AnyType:$in, AnyAttr:$v); let results = (outs AnyType:$r); }
def Ask : Pat<(T_Ask $in, ConstantAttr<UnitAttr, "true">), (T_Ask $in, (NativeCodeCall<"ask($_builder, $0)"> $in))>;
def Mark : Pat<(T_Ask $in, ConstantStrAttr<StrAttr, "p">), (T_Ask $in, ConstantStrAttr<StrAttr, "absent">),
  [(Constraint<CPred<"!cast<A>($0.getDefiningOp()).getN().has_value() && cast<A>($0.getDefiningOp()).getD() == -1">> $in)]>;
"#;
    let helpers = "namespace t {
static Attribute ask(Builder &b, Value v) {
  auto op = v.getDefiningOp<A>();
  SmallVector<int64_t> all;
  all.push_back(op.getN().has_value());
  all.push_back(op.getN().value_or(9));
  if (auto n = op.getN()) all.push_back(*n + 100);
  if (std::optional<StringRef> s = op.getS()) all.push_back(s->size());
  all.push_back(op.getS().value_or(\"four\").size());
  all.push_back(op.getTy() ? 1 : 0);
  all.push_back(op.getD());
  all.push_back(op.getFormat().size());
  for (int64_t x : op.getList()) all.push_back(x);
  all.push_back((bool)op.getBias());
  if (op.getBias() != nullptr) all.push_back(op.getBias() == op.getIn());
  return b.getI64ArrayAttr(all);
}
#include \"Rules.inc\"
}
";
    let input = "%0 = \"t.in\"() : () -> i32
%1 = \"t.a\"(%0) : (i32) -> i32
%2 = \"t.a\"(%0, %0) <{n = 4 : i64, s = \"s\", ty = i32, d = 6 : i64, format = \"NC\", list = array<i64: 7>}> : (i32, i32) -> i32
%3 = \"t.ask\"(%1) <{v}> : (i32) -> i32
%4 = \"t.ask\"(%2) <{v}> : (i32) -> i32
%5 = \"t.ask\"(%1) <{v = \"p\"}> : (i32) -> i32
%6 = \"t.ask\"(%2) <{v = \"p\"}> : (i32) -> i32
\"t.use\"(%3, %4, %5, %6) : (i32, i32, i32, i32) -> ()
";
    let run = opt(rules, helpers, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let values: Vec<&str> =
        run.stdout.lines().filter_map(|line| Some(line.split_once("{v = ")?.1.split_once('}')?.0)).collect();
    // The C++ code that `mlir-tblgen` generates returns these values.
    let expected =
        ["[0, 9, 4, 0, -1, 4, 1, 2, 0]", "[1, 4, 104, 1, 1, 1, 6, 2, 7, 1, 1]", "\"absent\"", "\"p\""];
    assert_eq!(values, expected, "{}", run.stdout);
}

/// Functions with a body in the definition of an operation are called like those of C++ files.
#[test]
fn functions_in_definitions_of_operations_are_called() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::mlir::t"; }
def T_P : Op<T_Dialect, "p"> {
  let arguments = (ins I64Attr:$k);
  let results = (outs AnyType:$r);
  let extraClassDeclaration = [{
    // { a brace }
    int64_t getSum() { return getK() + half(4); }
    static int64_t half(int64_t n) { return n / 2; }
    bool isBig();
  }];
  let extraClassDefinition = [{ bool $cppClass::isBig() { return getSum() > 10; } }];
}
def Grow : Pat<(T_P:$p $k), (T_P (NativeCodeCall<"$_builder.getI64IntegerAttr(cast<P>($0.getDefiningOp()).getSum() * P::half(6))"> $p)),
               [(Constraint<CPred<"!cast<P>($0.getDefiningOp()).isBig()">> $p)]>;
"#;
    let input = "%0 = \"t.p\"() <{k = 1 : i64}> : () -> i32\n\"t.use\"(%0) : (i32) -> ()\n";
    let folder = Folder::new(&[("rules.td", rules), ("in.mlir", input)]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    // (1 + 2) * 3 = 9. The rule does not match again, because 9 + 2 is big.
    assert!(run.stdout.contains("k = 9 : i64"), "{}", run.stdout);
}

/// An `OpFoldResult` is a value or an attribute.
#[test]
fn fold_results_are_values_or_attributes() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a, AnyType:$b, I64Attr:$k); let results = (outs AnyType:$r); }
def T_YOp : Op<T_Dialect, "y"> { let arguments = (ins AnyType:$a, AnyType:$b, AnyAttr:$k); let results = (outs AnyType:$r); }
def ToIndex : NativeCodeCall<"index($_builder, $_loc, $0)">;
def R : Pat<(T_XOp $a, $b, $k), (T_YOp (ToIndex $k), (ToIndex $b), (NativeCodeCall<"about($_builder, $0, $1, $2)"> $a, $b, $k))>;
"#;
    let source = "static Attribute about(Builder &b, Value a, Value other, Attribute k) {
  SmallVector<OpFoldResult> all = {k, a, b.getIndexAttr(4), OpFoldResult(other)};
  all.push_back(getAsOpFoldResult(a));
  int64_t attributes = llvm::count_if(all, [](OpFoldResult x) { return isa<Attribute>(x); });
  OpFoldResult none;
  auto found = getConstantIntValues(ArrayRef<OpFoldResult>(all).take_front(3));
  SmallVector<OpFoldResult> values = getAsOpFoldResult(ValueRange{a, other});
  bool same = isEqualConstantIntOrValue(all[1], all[4]) && !isEqualConstantIntOrValue(all[3], all[1]) &&
              isEqualConstantIntOrValue(all[3], other) && all[0] == OpFoldResult(k);
  return b.getI64ArrayAttr({attributes, *getConstantIntValue(a), isOneInteger(all[0]), isConstantIntValue(all[2], 4),
                            getConstantIntValue(all[3]).value_or(-1), !none, found->size() + (*found)[1], same,
                            isa<Value>(values[1]), dyn_cast<Attribute>(values[0]) == cast<Attribute>(all[4]),
                            areAllConstantIntValue(values, 7), all[3].is<Value>(), bool(all[0].dyn_cast<Value>())});
}
static Value index(PatternRewriter &rewriter, Location loc, OpFoldResult x) {
  return getValueOrCreateConstantIndexOp(rewriter, loc, x);
}";
    let input = "%a = arith.constant 7 : i32\n%b = \"t.in\"() : () -> i32
%0 = \"t.x\"(%a, %b) <{k = 1 : i64}> : (i32, i32) -> i32\n\"t.out\"(%0) : (i32) -> ()\n";
    let run = opt(rules, source, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    // MLIR's functions give these numbers.
    let numbers = "k = [3, 7, 1, 1, -1, 1, 10, 1, 1, 1, 0, 1, 0]";
    assert!(run.stdout.contains(numbers), "{}", run.stdout);
    assert!(
        run.stdout.contains("\"arith.constant\"() <{value = 1 : index}> : () -> index"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains(": (index, i32) -> i32"), "{}", run.stdout);
}

#[test]
fn symbol_references_have_a_root_and_a_leaf() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins SymbolRefAttr:$s); let results = (outs AnyType:$r); }
def T_YOp : Op<T_Dialect, "y"> { let arguments = (ins AnyAttr:$k); let results = (outs AnyType:$r); }
def R : Pat<(T_XOp $s), (T_YOp (NativeCodeCall<"about($_builder, $0)"> $s))>;
"#;
    let source = "static Attribute about(Builder &b, SymbolRefAttr s) {
  SmallVector<Attribute> all{s.getLeafReference(), s.getRootReference(), b.getBoolAttr(isa<FlatSymbolRefAttr>(s))};
  for (FlatSymbolRefAttr nested : s.getNestedReferences())
    all.push_back(nested);
  if (s.getNestedReferences().empty() && s.getLeafReference().getValue() == s.getRootReference())
    all.push_back(b.getUnitAttr());
  return b.getArrayAttr(all);
}";
    let input = "%0 = \"t.x\"() <{s = @a::@b::@\"x y\"}> : () -> i32
%1 = \"t.x\"() <{s = @\"a::b\"}> : () -> i32\n\"t.out\"(%0, %1) : (i32, i32) -> ()\n";
    let run = opt(rules, source, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("k = [\"x y\", \"a\", false, @b, @\"x y\"]"), "{}", run.stdout);
    assert!(run.stdout.contains("k = [\"a::b\", \"a::b\", true, unit]"), "{}", run.stdout);
}

/// Functions with a body in the definition of a type or attribute are called like those of operations.
#[test]
fn functions_in_definitions_of_types_and_attributes_are_called() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::mlir::t"; }
def T_Box : TypeDef<T_Dialect, "Box"> {
  let mnemonic = "box";
  let parameters = (ins "int64_t":$size, "Type":$element);
  let assemblyFormat = "`<` $size `,` $element `>`";
  let extraClassDeclaration = [{
    bool isEmpty() const { return getSize() == 0; }
    int64_t bits() { return isEmpty() ? 0 : this->getSize() * getElement().getIntOrFloatBitWidth(); }
    static int64_t half(int64_t n) { return n / 2; }
  }];
}
def T_Range : AttrDef<T_Dialect, "Range"> {
  let mnemonic = "range";
  let parameters = (ins "int64_t":$lo, "int64_t":$hi);
  let assemblyFormat = "`<` $lo `,` $hi `>`";
  let extraClassDeclaration = [{ int64_t length() const; }];
  let extraClassDefinition = [{ int64_t $cppClass::length() const { return getHi() - getLo(); } }];
}
def T_X : Op<T_Dialect, "x"> { let arguments = (ins T_Box:$a, T_Range:$k); let results = (outs AnyType:$r); }
def T_Y : Op<T_Dialect, "y"> { let arguments = (ins AnyType:$a, I64Attr:$k); let results = (outs AnyType:$r); }
def Bits : NativeCodeCall<"$_builder.getI64IntegerAttr(cast<BoxType>($0.getType()).bits() * 100 + $1.length() + BoxType::half(6))">;
def R : Pat<(T_X $a, $k), (T_Y $a, (Bits $a, $k)), [(Constraint<CPred<"!cast<BoxType>($0.getType()).isEmpty()">> $a)]>;
"#;
    let input = "%0, %1 = \"t.in\"() : () -> (!t.box<3, i8>, !t.box<0, i8>)
%2 = \"t.x\"(%0) <{k = #t.range<2, 6>}> : (!t.box<3, i8>) -> i32
%3 = \"t.x\"(%1) <{k = #t.range<2, 6>}> : (!t.box<0, i8>) -> i32\n\"t.out\"(%2, %3) : (i32, i32) -> ()\n";
    let folder = Folder::new(&[("rules.td", rules), ("in.mlir", input)]);
    let run = folder.run(&["opt", "in.mlir", "--rules", "rules.td", "--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    // 3 * 8 bits * 100 + a length of 4 + half of 6.
    assert!(run.stdout.contains("\"t.y\"(%0#0) <{k = 2407 : i64}>"), "{}", run.stdout);
    assert!(run.stdout.contains("\"t.x\"(%0#1)"), "{}", run.stdout);
}

/// `StringAttr` implements the interface `TypedAttr`.
#[test]
fn a_string_attribute_is_a_typed_attribute() {
    let rules = "include \"mlir/IR/PatternBase.td\"\ninclude \"mlir/IR/CommonAttrConstraints.td\"\n\
        def T : Dialect { let name = \"t\"; }\n\
        def A : Op<T, \"a\"> { let arguments = (ins StrAttr:$s); let results = (outs AnyType:$r); }\n\
        def B : Op<T, \"b\"> { let arguments = (ins TypeAttr:$t); let results = (outs AnyType:$r); }\n\
        def Keep : NativeCodeCall<\"typeOf($0)\">;\n\
        def R : Pat<(A $s), (B (Keep $s))>;\n";
    let helpers = "static Attribute typeOf(StringAttr text) {\n  TypedAttr typed = text;\n  \
        return TypeAttr::get(typed.getType());\n}\n";
    let folder = Folder::new(&[
        ("rules.td", rules),
        ("helpers.cpp", helpers),
        ("in.mlir", "%0 = \"t.a\"() {s = \"x\"} : () -> i32\n\"t.use\"(%0) : (i32) -> ()\n"),
    ]);
    let run = folder.run(&["opt", "in.mlir", "--generic", "--rules", "rules.td", "--helpers", "helpers.cpp"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("t = none"), "{}", run.stdout);
}

/// `arith::ConstantIndexOp` and `arith::ConstantIntOp` are the classes of the constants of type `index` and of integer
/// types.
#[test]
fn constants_of_some_types_have_classes_of_their_own() {
    let rules = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_X : Op<T_Dialect, "x"> { let arguments = (ins AnyType:$a); let results = (outs AnyType:$out); }
def T_Y : Op<T_Dialect, "y"> { let arguments = (ins I64Attr:$n); let results = (outs AnyType:$out); }
def R : Pat<(T_X $a), (T_Y (NativeCodeCall<"number($_builder, $0)"> $a))>;
"#;
    let source = "static IntegerAttr number(Builder &b, Value a) {
  if (auto index = a.getDefiningOp<arith::ConstantIndexOp>())
    return b.getI64IntegerAttr(100 + index.value());
  if (auto number = dyn_cast_or_null<arith::ConstantIntOp>(a.getDefiningOp()))
    return b.getI64IntegerAttr(200 + number.value());
  bool other = isa_and_nonnull<arith::ConstantOp>(a.getDefiningOp()) &&
               !isa<arith::ConstantIndexOp>(a.getDefiningOp());
  return b.getI64IntegerAttr(other ? 1 : 2);
}";
    let input = "%0 = \"arith.constant\"() <{value = 7 : index}> : () -> index
%1 = \"arith.constant\"() <{value = -3 : i8}> : () -> i8
%2 = \"arith.constant\"() <{value = 1.0 : f32}> : () -> f32
%3 = \"t.in\"() : () -> index
%4 = \"t.x\"(%0) : (index) -> i1
%5 = \"t.x\"(%1) : (i8) -> i1
%6 = \"t.x\"(%2) : (f32) -> i1
%7 = \"t.x\"(%3) : (index) -> i1
\"t.out\"(%4, %5, %6, %7) : (i1, i1, i1, i1) -> ()";
    let run = opt(rules, source, input, &["--generic"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for n in [107, 197, 1, 2] {
        assert!(
            run.stdout.contains(&format!("\"t.y\"() <{{n = {n} : i64}}>")),
            "{n}: {}{}",
            run.stdout,
            run.stderr
        );
    }
}

/// A rewrite that fails because its C++ cannot be evaluated has a warning. `failure()` is not such a failure.
#[test]
fn a_failed_evaluation_of_a_rewrite_has_a_warning() {
    let rules = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "::t"; }
def T_XOp : Op<T_Dialect, "x"> { let arguments = (ins I64Attr:$n); let results = (outs AnyType:$r); }
def T_YOp : Op<T_Dialect, "y"> { let arguments = (ins I64Attr:$n); let results = (outs AnyType:$r); }
def Element : Pat<(T_XOp $n), (T_YOp (NativeCodeCall<"element($_builder, $0)"> $n))>;
def Refused : Pat<(T_YOp $n), (T_XOp (NativeCodeCall<"refused($_builder, $0)"> $n))>;
"#;
    let helpers = "
static IntegerAttr element(Builder &b, IntegerAttr n) {
  SmallVector<int64_t> v{1, 2};
  return b.getI64IntegerAttr(v[n.getInt()]);
}
static FailureOr<IntegerAttr> refused(Builder &b, IntegerAttr n) { return failure(); }
";
    let input = "%0 = \"t.x\"() {n = 7 : i64} : () -> i32\n%1 = \"t.y\"() {n = 7 : i64} : () -> i32";
    let run = opt(rules, helpers, input, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let warning =
        "warning: rule 'Element' matched, but its rewrite failed and was undone: index 7 is out of range";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    assert!(!run.stderr.contains("rule 'Refused'"), "{}", run.stderr);
    assert!(run.stderr.contains("2 rolled back"), "{}", run.stderr);
}

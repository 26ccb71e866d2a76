//! Helper functions of rules, read from C++ sources by the command.

use crate::common::command::Folder;
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
    // A compiled program needs no sources. All engines agree.
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

#[test]
fn stubs_in_cpp_are_helpers() {
    let folder = Folder::new(&[("rules.td", &RULES.replace("$_builder, ", ""))]);
    let stubs = folder.run(&["check", "rules.td", "--stubs", "cpp", "-o", "stubs.cpp"]);
    assert_eq!(stubs.status, 0, "{}", stubs.stderr);
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

/// MLIR's own rules for `arith`, with the helpers in Rust and from MLIR's source.
#[test]
fn the_helpers_of_arith_equal_those_in_rust() {
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
    // No native is left.
    let check = folder.run(&[&["check", rules, "-I", headers, "--format", "json"], &helpers[..]].concat());
    let report: serde_json::Value = serde_json::from_str(&check.stdout).unwrap();
    assert_eq!(report["natives"], serde_json::json!([]), "{}", check.stderr);
}

//! Helpers that exceed the budget of an evaluation cause one error for each rule. The error names the rule and the
//! helper.

use std::sync::Arc;

use crate::common::command::Folder;
use drrvm::compile;
use drrvm::host::{Natives, NoListener};
use drrvm::ir::{Context, IrHost, parse_module};
use drrvm::rewrite::{Config, apply_greedily, par_walk};
use drrvm::source::{Severity, SourceMap};
use drrvm::vm::{LinkOptions, Matcher};

const RULES: &str = r#"
include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T_Dialect : Dialect { let name = "t"; let cppNamespace = "t"; }
class T_Op<string name> : Op<T_Dialect, name> {
  let arguments = (ins AnyType:$in, I64Attr:$n);
  let results = (outs AnyType:$out);
}
def T_X : T_Op<"x">;
def T_Y : T_Op<"y">;
def T_Z : T_Op<"z">;
def Ends : Constraint<CPred<"ends($0)">>;
def Asks : Pat<(T_X $in, $n), (replaceWithValue $in), [(Ends $n)]>;
def AsksToo : Pat<(T_Y $in, $n), (replaceWithValue $in), [(Ends $n)]>;
def Makes : Pat<(T_Z $in, $n), (T_X $in, (NativeCodeCall<"count($_builder, $0)"> $n))>;
"#;

/// For odd numbers, `ends` loops forever, and `count` calls a function that recurses forever.
const SOURCE: &str = "bool ends(IntegerAttr n) {
  while (n.getInt() % 2 == 1) {
  }
  return false;
}
static int64_t down(int64_t n) {
  return n == 0 ? 0 : 1 + down(n - 2);
}
IntegerAttr count(PatternRewriter &rewriter, IntegerAttr n) {
  return rewriter.getI64IntegerAttr(down(n.getInt()));
}
";

fn module(n: i64) -> String {
    let op =
        |result: &str, op: &str| format!("{result} = \"t.{op}\"(%0) <{{n = {n} : i64}}> : (i32) -> i32\n");
    let ops = [op("%1", "x"), op("%2", "x"), op("%3", "y"), op("%4", "z")].concat();
    format!("%0 = \"t.in\"() : () -> i32\n{ops}\"t.out\"(%1, %2, %3, %4) : (i32, i32, i32, i32) -> ()\n")
}

fn folder(n: i64) -> Folder {
    Folder::new(&[("rules.td", RULES), ("helpers.cpp", SOURCE), ("in.mlir", &module(n))])
}

/// The error for each rule, as `drrvm` prints it in one line.
const ERRORS: [&str; 3] = [
    "helpers.cpp:1:6: error: rule 'Asks' failed: the helper 'ends' takes more than 4000000 steps",
    "helpers.cpp:1:6: error: rule 'AsksToo' failed: the helper 'ends' takes more than 4000000 steps",
    "helpers.cpp:9:13: error: rule 'Makes' failed: the helper 'count' takes more than 250 levels of nesting",
];

#[test]
fn endless_helpers_cause_errors() {
    let folder = folder(3);
    let compiled = folder.run(&["compile", "rules.td", "--helpers", "helpers.cpp", "-o", "rules.drrbc"]);
    assert_eq!(compiled.status, 0, "{}", compiled.stderr);
    let opt = ["opt", "--generic", "--message-format", "llvm", "in.mlir", "--rules"];
    for engine in ["tree", "automaton", "reference"] {
        let run =
            folder.run(&[&opt[..], &["rules.td", "--helpers", "helpers.cpp", "--engine", engine]].concat());
        let errors: Vec<&str> = run.stderr.lines().filter(|line| line.contains(" error: ")).collect();
        assert_eq!(errors, ERRORS, "{engine}: {}", run.stderr);
        assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{engine}");
    }
    // Compiled programs contain the places of helpers too.
    let run = folder.run(&[&opt[..], &["rules.drrbc", "--keep-going"]].concat());
    let warnings: Vec<&str> = run.stderr.lines().filter(|line| line.contains(" warning: ")).collect();
    assert_eq!(warnings, ERRORS.map(|line| line.replace(" error: ", " warning: ")), "{}", run.stderr);
    assert_eq!(run.status, 0);
    for op in ["t.x", "t.y", "t.z"] {
        assert!(run.stdout.contains(op), "{}", run.stdout);
    }
}

#[test]
fn helpers_that_end_cause_no_errors() {
    let run = folder(4).run(&["opt", "--generic", "in.mlir", "--rules", "rules.td", "--helpers", "."]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(!run.stderr.contains("failed"), "{}", run.stderr);
    assert!(run.stdout.contains("n = 2 : i64") && !run.stdout.contains("t.z"), "{}", run.stdout);
}

/// An expression that takes too many steps is not evaluated again: here, `ends` would hold for the second operation.
#[test]
fn the_budget_is_spent_once() {
    let source = SOURCE.replace("return false", "return true");
    let op = |result: &str, n: i64| format!("{result} = \"t.x\"(%0) <{{n = {n} : i64}}> : (i32) -> i32\n");
    let ops = [op("%1", 3), op("%2", 4), op("%3", 3)].concat();
    let input = format!("%0 = \"t.in\"() : () -> i32\n{ops}\"t.out\"(%1, %2, %3) : (i32, i32, i32) -> ()\n");
    let folder = Folder::new(&[("rules.td", RULES), ("helpers.cpp", &source), ("in.mlir", &input)]);
    let opt =
        ["opt", "--generic", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp", "--keep-going"];
    for engine in ["tree", "automaton", "reference"] {
        let run = folder.run(&[&opt[..], &["--engine", engine]].concat());
        assert!(run.stdout.contains("n = 4 : i64"), "{engine}: {}", run.stdout);
        assert_eq!(run.stderr.matches("rule 'Asks' failed").count(), 1, "{engine}: {}", run.stderr);
    }
}

/// The result is that of a walk with one thread: `ends` holds for each operation before the first odd number.
#[test]
fn the_order_of_threads_decides_nothing() {
    const ODD: i64 = 9_000;
    let source = SOURCE.replace("return false", "return true");
    let numbers = (0..12_000).map(|at| if at == ODD { 3 } else { 2 * at });
    let ops: String = numbers.map(|n| format!("\"t.x\"(%0) <{{n = {n} : i64}}> : (i32) -> i32\n")).collect();
    let input = format!("%0 = \"t.in\"() : () -> i32\n{ops}");
    let folder = Folder::new(&[("rules.td", RULES), ("helpers.cpp", &source), ("in.mlir", &input)]);
    let mut sources = SourceMap::default();
    let options = compile::Options { helpers: vec![folder.path("helpers.cpp")], ..Default::default() };
    let (compiled, _) = compile::compiled(&mut sources, &[folder.path("rules.td")], &options).unwrap();
    let input = sources.load(&folder.path("in.mlir")).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(input)).unwrap();
    let mut host = IrHost::new(context, module);
    let program = Arc::new(compiled.program);
    for threads in [1, 4] {
        let matcher =
            Matcher::link(program.clone(), &mut host, &Natives::new(), &LinkOptions::default()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let top = host.module.top();
        let found = pool.install(|| par_walk(&host, top, &matcher, |_, rule, _| rule));
        assert_eq!(i64::try_from(found.len()), Ok(ODD), "{threads}");
        assert_eq!(matcher.failures().iter().count(), 2, "{threads}");
    }
}

/// A matcher lists each failed rule once, even if the rule fails several times.
#[test]
fn matchers_list_the_rules_that_failed() {
    let folder = folder(3);
    let mut sources = SourceMap::default();
    let options = compile::Options { helpers: vec![folder.path("helpers.cpp")], ..Default::default() };
    let (compiled, _) = compile::compiled(&mut sources, &[folder.path("rules.td")], &options).unwrap();
    let input = sources.load(&folder.path("in.mlir")).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(input)).unwrap();
    let mut host = IrHost::new(context, module);
    let program = Arc::new(compiled.program);
    let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default()).unwrap();
    let top = host.module.top();
    assert!(matcher.failures().is_empty());
    for _ in 0..2 {
        let report = apply_greedily(&mut host, top, &matcher, &Config::default(), &mut NoListener);
        assert_eq!(report.rewrites, 0);
        let failures = matcher.failures();
        let found: Vec<String> = failures
            .iter()
            .map(|failure| {
                assert_eq!(failure.severity, Severity::Error);
                let at = sources.locate(failure.labels[0].span).unwrap();
                let name = at.file.name().rsplit('/').next().unwrap();
                format!("{name}:{}:{}: error: {}", at.line, at.column, failure.message)
            })
            .collect();
        assert_eq!(found, ERRORS);
    }
}

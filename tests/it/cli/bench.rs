//! Tests of `drrvm bench`. Times vary, so the tests compare only the counts, and check that the times are present.

use crate::common::command::Folder;

const RULES: &str = r#"include "mlir/IR/PatternBase.td"
include "mlir/IR/OpBase.td"
def T : Dialect { let name = "t"; }
def Neg : Op<T, "neg"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def Twice : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;
def Never : Pat<(Neg (Neg (Neg I64:$x))), (replaceWithValue $x)>;
"#;

const PDL: &str = r#"pdl.pattern @twice : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %a = pdl.operation "t.neg"(%x : !pdl.value) -> (%t : !pdl.type)
  %r = pdl.result 0 of %a
  %b = pdl.operation "t.neg"(%r : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %b { pdl.replace %b with (%x : !pdl.value) }
}
"#;

/// Four operations. The last two match, and rewriting removes both.
const INPUT: &str = r#"%0 = "t.start"() : () -> i32
%1 = "t.neg"(%0) : (i32) -> i32
%2 = "t.neg"(%1) : (i32) -> i32
%3 = "t.neg"(%2) : (i32) -> i32
"#;

fn folder() -> Folder {
    Folder::new(&[("rules.td", RULES), ("rules.mlir", PDL), ("in.mlir", INPUT), ("empty.mlir", "")])
}

#[test]
fn each_engine_has_a_time() {
    let folder = folder();
    let args = ["bench", "in.mlir", "--rules", "rules.td", "--seconds", "0.05"];
    let run = folder.run(&args);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let first = run.stdout.lines().next().unwrap();
    assert_eq!(
        first,
        "4 operations; rules match at 2 of them. 1 of 2 rules is the first match at an operation; 2 rewrites"
    );
    for engine in ["walk without rules", "tree", "auto, from nothing", "automaton, labels kept"] {
        let line = run.stdout.lines().find(|line| line.starts_with(engine));
        let figure = line.and_then(|line| line.split_whitespace().last()?.parse::<f64>().ok());
        assert!(figure.is_some_and(|ns| ns > 0.0 && ns < 1e7), "{engine}: {}", run.stdout);
    }
    let json = folder.run(&[&args[..], &["--format", "json", "--plot", "plot.svg"]].concat());
    let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["operations"], 4);
    assert_eq!(report["matched_operations"], 2);
    assert_eq!(report["firing_rules"], 1);
    assert!(report["figures"].as_array().unwrap().iter().any(|figure| figure["engine"] == "tree"));
    let plot = folder.read("plot.svg");
    assert!(plot.starts_with("<svg") && plot.contains("automaton, tables kept"), "{plot}");
}

#[test]
fn nothing_to_time_is_an_error() {
    let folder = folder();
    let run = folder.run(&["bench", "empty.mlir", "--rules", "rules.td"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    insta::assert_snapshot!(run.stderr, @r"
    error: the input has no operations, so there is nothing to time
     |
     = help: give an input on which the rules are meant to run
    ");
    let run = folder.run(&["bench", "in.mlir", "--rules", "rules.td", "--enable", "Never"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    insta::assert_snapshot!(run.stderr, @r"
    error: no rule matches any of the input's 4 operations, so a time would say nothing about the rules
     |
     = help: `drrvm explain` shows the predicates that fail at an operation
    ");
    let run = folder.run(&["bench", "in.mlir", "--rules", "rules.td", "--seconds", "0"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(run.stderr.contains("expected a number of seconds"), "{}", run.stderr);
    assert_eq!(folder.run(&["bench", "in.mlir"]).status, 2);
}

#[test]
fn too_little_time_gives_no_figure() {
    let run = folder().run(&["bench", "in.mlir", "--rules", "rules.td", "--seconds", "0.000000001"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("too short"), "{}", run.stdout);
    assert!(run.stderr.contains("give more time with `--seconds`"), "{}", run.stderr);
}

#[test]
fn the_report_states_why_mlir_is_not_compared() {
    let folder = folder();
    let args =
        |rules| ["bench", "in.mlir", "--seconds", "0.01", "--mlir-opt", "./no-such-tool", "--rules", rules];
    let run = folder.run(&args("rules.td"));
    assert!(
        run.stdout.contains("not compared with mlir-opt: `pdl` cannot express the rules without natives"),
        "{}",
        run.stdout
    );
    let run = folder.run(&args("rules.mlir"));
    assert!(run.stdout.contains("not compared with mlir-opt: `./no-such-tool`: "), "{}", run.stdout);
}

/// If MLIR is installed, the command also times MLIR's rewriting of the same input.
#[test]
fn mlir_is_timed_on_long_input() {
    let Some(opt) = crate::common::llvm_tool("mlir-opt") else { return };
    let folder = folder();
    let chain: String =
        (1..20_000).map(|i| format!("%{i} = \"t.neg\"(%{}) : (i32) -> i32\n", i - 1)).collect();
    std::fs::write(folder.path("long.mlir"), format!("%0 = \"t.start\"() : () -> i32\n{chain}")).unwrap();
    let args = ["bench", "long.mlir", "--rules", "rules.mlir", "--seconds", "0.01", "--mlir-opt", &opt];
    let run = folder.run(&args);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("rewriting, mlir-opt"), "{}", run.stdout);
}

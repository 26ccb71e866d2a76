//! Tests of `drrvm prove`: MLIR's own rules, and the command.

use std::path::PathBuf;
use std::time::Duration;

use drrvm::prove::{Options, Verdict, prove};
use drrvm::{SourceMap, compile};

use crate::common::command::{Folder, Run};
use crate::common::llvm_sources;

/// The integer rules of MLIR's `ArithCanonicalization.td` that are wrong. `docs/findings` has a page for each kind.
const WRONG: &[&str] = &[
    "AddIAddConstant",
    "AddISubConstantLHS",
    "AddISubConstantRHS",
    "IndexCastOfIndexCast",
    "IndexCastUIOfIndexCastUI",
    "MulIMulIConstant",
    "MulSIExtendedRHSOne",
    "SubILHSAddConstant",
    "SubILHSSubConstantLHS",
    "SubILHSSubConstantRHS",
    "SubIRHSSubConstantLHS",
    "SubIRHSSubConstantRHS",
    "TruncIShrSIToTrunciShrUI",
];

/// Verdicts by the names of the rules, sorted. No verdict is unknown for a reason other than floats.
#[derive(Default)]
struct Verdicts {
    proved: Vec<String>,
    refuted: Vec<String>,
    unknown: Vec<String>,
}

fn verdicts(file: PathBuf, options: &compile::Options, proofs: &Options) -> Verdicts {
    let rules = compile::rules(&mut SourceMap::default(), &[file], options);
    let (rules, _) = rules.unwrap_or_else(|errors| panic!("{errors}"));
    let mut verdicts = Verdicts::default();
    for rule in rules.patterns().ids() {
        let report = prove(&rules, rule, proofs);
        match report.verdict {
            Verdict::Proved => {
                assert!(!report.proved.is_empty(), "{}", report.rule);
                verdicts.proved.push(report.rule);
            }
            Verdict::Refuted(_) => verdicts.refuted.push(report.rule),
            Verdict::Unknown(reasons) => {
                let floats = reasons.iter().all(|reason| reason.contains("floats"));
                assert!(floats, "{}: {reasons:?}", report.rule);
                verdicts.unknown.push(report.rule);
            }
        }
    }
    for names in [&mut verdicts.proved, &mut verdicts.refuted, &mut verdicts.unknown] {
        names.sort();
    }
    verdicts
}

fn proofs(widths: &[u32], index_widths: &[u32]) -> Options {
    let options = Options::default().widths(widths.to_vec()).index_widths(index_widths.to_vec());
    options.timeout(Duration::from_secs(60))
}

#[test]
fn every_integer_rule_of_mlir_gets_a_verdict() {
    let Some(llvm) = llvm_sources() else { return };
    let file = llvm.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td");
    let options = compile::Options { include_dirs: vec![llvm.join("mlir/include")], ..Default::default() };
    let found = verdicts(file, &options, &proofs(&[1, 2, 4], &[8]));
    assert_eq!(found.refuted, WRONG);
    assert_eq!(found.unknown, ["DivFOfNegF", "MulFOfNegF", "TruncFSIToFPToSIToFP", "TruncFUIToFPToUIToFP"]);
    let decided = found.proved.len() + found.refuted.len();
    assert!(decided >= 38, "{decided}");
}

#[test]
fn the_example_rules_are_proved() {
    let options = compile::Options::default();
    let found = verdicts("examples/arith/rules.td".into(), &options, &proofs(&[1, 4, 8], &[]));
    assert!(found.refuted.is_empty(), "{:?}", found.refuted);
    assert_eq!(found.unknown, ["AddNeg", "MulFOne", "NegNeg"]);
}

const HEAD: &str = "include \"mlir/IR/PatternBase.td\"\ninclude \"mlir/Dialect/Arith/IR/ArithOps.td\"\n";
const RIGHT: &str = "def Right : Pat<(Arith_AddIOp $x, $y, $f), (Arith_AddIOp $y, $x, $f)>;\n";
const WRONG_RULE: &str = "def Wrong : Pat<(Arith_SubIOp $x, $y, $f), (Arith_SubIOp $y, $x, $f)>;\n";
const FLOAT: &str = "def Float : Pat<(Arith_AddFOp $x, $y, $f), (Arith_AddFOp $y, $x, $f)>;\n";

fn run(rules: &str, options: &[&str]) -> Run {
    let folder = Folder::new(&[("rules.td", &format!("{HEAD}{rules}"))]);
    let mut args = vec!["prove", "rules.td", "--no-cache", "--widths", "1,8"];
    args.extend(options);
    folder.run(&args)
}

#[test]
fn the_exit_status_tells_the_verdicts() {
    for (rules, options, status) in [
        (RIGHT, &[][..], 0),
        (WRONG_RULE, &[], 1),
        (FLOAT, &[], 0),
        (FLOAT, &["--strict"], 1),
        (RIGHT, &["--rule", "NoSuchRule"], 2),
        (RIGHT, &["--widths", "0"], 2),
        (RIGHT, &["--timeout", "-1"], 2),
        ("def Bad : Pat<(NoOp $x), (NoOp $x)>;\n", &[], 2),
    ] {
        let found = run(rules, options);
        assert_eq!(found.status, status, "{rules}{options:?}\n{}{}", found.stdout, found.stderr);
    }
    let found = Folder::new(&[]).run(&["prove", "missing.td"]);
    assert_eq!(found.status, 2, "{}", found.stderr);
}

#[test]
fn the_counterexample_shows_the_difference() {
    let found = run(WRONG_RULE, &[]);
    assert!(found.stdout.starts_with("Wrong: refuted\n"), "{}", found.stdout);
    // The module of the report is input for `opt`, which applies the rule to it.
    let module: Vec<&str> = found.stdout.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    let folder =
        Folder::new(&[("rules.td", &format!("{HEAD}{WRONG_RULE}")), ("case.mlir", &module.join("\n"))]);
    let rewritten = folder.run(&["opt", "case.mlir", "--rules", "rules.td", "--driver", "walk"]);
    assert_eq!(rewritten.status, 0, "{}", rewritten.stderr);
    assert!(rewritten.stdout.contains("arith.subi %arg1, %arg0"), "{}", rewritten.stdout);
}

#[test]
fn json_has_the_same_verdicts() {
    let found = run(&format!("{RIGHT}{WRONG_RULE}{FLOAT}"), &["--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    let verdicts: Vec<&str> =
        report["rules"].as_array().unwrap().iter().map(|rule| rule["verdict"].as_str().unwrap()).collect();
    // Rules are listed by name.
    assert_eq!(verdicts, ["unknown", "proved", "refuted"]);
    assert!(report["rules"][2]["counterexample"]["module"].as_str().unwrap().contains("arith.subi"));
    assert!(report["rules"][0]["reasons"][0].as_str().unwrap().contains("floats"));
}

#[test]
fn a_missing_solver_is_a_reason() {
    let folder = Folder::new(&[("rules.td", &format!("{HEAD}{WRONG_RULE}"))]);
    let output = folder
        .command(&["prove", "rules.td", "--no-cache", "--widths", "8", "--solver", "z3"])
        .env("PATH", "/nowhere")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("the solver 'z3' cannot be started"), "{text}");
}

#[test]
fn stored_verdicts_are_used_and_damaged_ones_are_not() {
    let folder = Folder::new(&[("rules.td", &format!("{HEAD}{RIGHT}{WRONG_RULE}"))]);
    let args = ["prove", "rules.td", "--widths", "8", "--cache", "cache"];
    let first = folder.run(&args);
    let entries: Vec<PathBuf> =
        std::fs::read_dir(folder.path("cache")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(entries.len(), 2);
    assert_eq!(folder.run(&args).stdout, first.stdout);
    // A verdict that the cache states is believed, if its key is that of the rule.
    for path in &entries {
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, text.replace("proved\":[\"i8\"", "proved\":[\"stored\"")).unwrap();
    }
    assert!(folder.run(&args).stdout.contains("proved for stored"));
    for path in &entries {
        std::fs::write(path, "{\"key\": 1}").unwrap();
    }
    assert_eq!(folder.run(&args).stdout, first.stdout);
}

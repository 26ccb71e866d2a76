//! Tests of `drrvm prove`: MLIR's own rules, and the command.

use std::path::PathBuf;
use std::time::Duration;

use drrvm::prove::{Options, Verdict, prove};
use drrvm::{SourceMap, compile};

use crate::common::command::{Folder, Run};
use crate::common::llvm_sources;

/// The integer rules of MLIR's `ArithCanonicalization.td` that are wrong. `docs/findings` has a page for each kind of
/// error.
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

/// The names of the rules with each verdict, sorted. Only rules over floats have an unknown verdict.
#[derive(Default)]
struct Verdicts {
    proved: Vec<String>,
    refuted: Vec<String>,
    unknown: Vec<String>,
}

/// Proves the rules of a file, and checks that each unknown verdict is due to floats.
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
fn every_integer_rule_of_mlir_is_proved_or_refuted() {
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
fn the_exit_status_depends_on_the_verdicts() {
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
fn a_missing_solver_is_the_reason_of_an_unknown_verdict() {
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

/// A folder with rules and a script named `bitwuzla`, which `--solver bitwuzla` runs if the folder is in `PATH`.
#[cfg(unix)]
fn with_solver(rules: &str, script: &str) -> Folder {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(&[
        ("rules.td", &format!("{HEAD}{rules}")),
        ("bitwuzla", &format!("#!/bin/sh\n{script}\n")),
    ]);
    std::fs::set_permissions(folder.path("bitwuzla"), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// If a solver fails, or its answer is wrong, the verdict is `unknown` and the report states the reason.
#[cfg(unix)]
#[test]
fn solvers_that_misbehave_give_reasons() {
    for (script, want) in [
        ("cat >/dev/null; echo 'segmentation violation'", "answered 'segmentation violation' instead of"),
        ("cat >/dev/null; exit 7", "ended without an answer: exit status: 7"),
        ("kill -9 $$", "ended without an answer"),
        ("exec sleep 600", "no answer within 0.5 s"),
        ("exec yes sat", "are not understood"),
        // This script answers that all variables are zero, which is not a counterexample.
        (
            "sed -n 's/^(declare-const \\(v[0-9]*\\) (_ BitVec \\([0-9]*\\)))$/(\\1 (_ bv0 \\2))/p' >v; echo sat; echo '('; cat v; echo ')'",
            "the solver 'bitwuzla' answered with wrong values",
        ),
    ] {
        let folder = with_solver(WRONG_RULE, script);
        let path = format!("{}:{}", folder.path("").display(), std::env::var("PATH").unwrap());
        for (strict, status) in [(&[][..], 0), (&["--strict"][..], 1)] {
            let mut args = vec!["prove", "rules.td", "--no-cache", "--widths", "8"];
            args.extend(["--solver", "bitwuzla", "--timeout", "0.5"]);
            args.extend(strict);
            let output = folder.command(&args).env("PATH", &path).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(status), "{script}: {text}");
            assert!(text.starts_with("Wrong: unknown\n") && text.contains(want), "{script}: {text}");
        }
    }
}

/// A script in place of the solver stores its arguments and its input. The input must be in SMT-LIB 2.
#[cfg(unix)]
#[test]
fn the_solver_reads_smt_lib() {
    let folder = with_solver(WRONG_RULE, "echo \"$@\" >arguments; cat >question; echo unknown");
    let path = format!("{}:{}", folder.path("").display(), std::env::var("PATH").unwrap());
    let args = ["prove", "rules.td", "--no-cache", "--widths", "8", "--solver", "bitwuzla"];
    assert_eq!(folder.command(&args).env("PATH", &path).output().unwrap().status.code(), Some(0));
    let arguments = std::fs::read_to_string(folder.path("arguments")).unwrap();
    assert_eq!(arguments.trim(), "--lang smt2");
    let question = std::fs::read_to_string(folder.path("question")).unwrap();
    assert!(question.contains("(set-logic QF_BV)") && question.contains("(check-sat)"), "{question}");
}

/// A dialect of fixed-point numbers, and the record class that describes operations.
const FIXED: &str = r#"
include "mlir/IR/OpBase.td"
def Fixed : Dialect { let name = "fixed"; }
class FixedOp<string name, dag ins> : Op<Fixed, name, [SameOperandsAndResultType]> {
  let arguments = ins;
  let results = (outs AnyInteger:$result);
}
def AddSat : FixedOp<"add_sat", (ins AnyInteger:$a, AnyInteger:$b)>;
def Clamp : FixedOp<"clamp", (ins AnyInteger:$a, AnyInteger:$low, AnyInteger:$high)>;
def Half : FixedOp<"half", (ins AnyInteger:$a)>;
class OperationMeaning<string text> { string meaning = text; }
"#;

/// Descriptions of the operations of [`FIXED`].
const MEANINGS: &str = r#"
def : OperationMeaning<"fixed.add_sat(a, b) = select(cmpi.ult(addi(a, b), a), -1, addi(a, b))">;
def : OperationMeaning<"fixed.clamp(x, low, high) = minui(maxui(x, low), high)">;
def : OperationMeaning<"fixed.half(x) = divui(x, 2)">;
"#;

#[test]
fn rules_over_a_described_dialect_are_decided() {
    let rules = r#"
def Commutes : Pat<(AddSat $a, $b), (AddSat $b, $a)>;
def ClampTwice : Pat<(Clamp (Clamp $x, $l, $h), $l, $h), (Clamp $x, $l, $h)>;
def ClampSwapped : Pat<(Clamp $x, $l, $h), (Clamp $x, $h, $l)>;
def HalfOfSum : Pat<(Half (AddSat $a, $a)), (replaceWithValue $a)>;
def ToArith : Pat<(Clamp $x, $l, $h), (Arith_MinUIOp (Arith_MaxUIOp $x, $l), $h)>;
"#;
    let found = run(&format!("{FIXED}{MEANINGS}{rules}"), &["--widths", "2,8"]);
    assert_eq!(found.status, 1, "{}{}", found.stdout, found.stderr);
    let verdict = |line: &str| line.split(" for ").next().unwrap().to_owned();
    let verdicts: Vec<String> =
        found.stdout.lines().filter(|line| !line.starts_with(' ')).map(verdict).collect();
    assert_eq!(
        verdicts,
        [
            "ClampSwapped: refuted",
            // If the lower bound is above the upper bound, clamping once and clamping twice both give the upper bound.
            "ClampTwice: proved",
            "Commutes: proved",
            "HalfOfSum: refuted",
            "ToArith: proved",
            "5 rules: 3 proved, 2 refuted, 0 unknown (solver embedded)",
        ],
        "{}",
        found.stdout
    );
}

#[test]
fn wrong_descriptions_of_operations_are_errors() {
    let rule = "def R : Pat<(Half (Half $x)), (Half $x)>;\n";
    let meaning = |text: &str| format!("def : OperationMeaning<\"{text}\">;\n");
    for (records, want) in [
        (meaning("fixed.half(x) = halve(x)"), "'halve' is not an integer operation of arith"),
        (meaning("fixed.half(x) = divui(x)"), "'divui' takes 2 arguments and has 1"),
        (meaning("fixed.half(x) = divui(x, 2"), "expected"),
        (
            meaning("arith.addi(x, y) = subi(x, y)"),
            "'arith.addi' cannot be described, because operations of arith have a fixed meaning",
        ),
        (
            ["divui", "divsi"].map(|op| meaning(&format!("fixed.half(x) = {op}(x, 2)"))).concat(),
            "the operation has another meaning already: fixed.half(x) = divui(x, 2)",
        ),
        (
            "def : OperationMeaning<\"\"> { let meaning = ?; }\n".to_owned(),
            "the record has no string 'meaning'",
        ),
    ] {
        let found = run(&format!("{FIXED}{records}{rule}"), &[]);
        assert_eq!(found.status, 2, "{records}: {}", found.stdout);
        assert!(found.stderr.contains(want) && found.stderr.contains("rules.td:"), "{}", found.stderr);
    }
    // All errors are reported in one run.
    let found = run(&format!("{FIXED}{}{}{rule}", meaning("a.b(x) = y"), meaning("a.c(x) = z")), &[]);
    assert!(found.stderr.contains("'y'") && found.stderr.contains("'z'"), "{}", found.stderr);
    // A description with the wrong number of operands is not an error, and a missing description is not an error. In
    // both cases, the verdict is unknown.
    let found = run(&format!("{FIXED}{}{rule}", meaning("fixed.half(x, y) = divui(x, y)")), &["--strict"]);
    assert_eq!(found.status, 1, "{}", found.stdout);
    assert!(
        found.stdout.contains("the number of matched operands of 'fixed.half' is 1 instead of "),
        "{}",
        found.stdout
    );
    let found = run(&format!("{FIXED}{rule}"), &["--strict"]);
    assert!(found.stdout.contains("the operation 'fixed.half' has no known meaning"), "{}", found.stdout);
}

/// Compares two rule files with `equiv`.
fn equiv(old: &str, new: &str, options: &[&str]) -> Run {
    let folder = Folder::new(&[("old.td", &format!("{HEAD}{old}")), ("new.td", &format!("{HEAD}{new}"))]);
    let mut args = vec!["equiv", "old.td", "new.td"];
    args.extend(options);
    folder.run(&args)
}

#[test]
fn rules_with_the_same_name_are_compared() {
    let twice = "def R : Pat<(Arith_AndIOp $x, $x), (replaceWithValue $x)>;\n";
    let or = "def R : Pat<(Arith_AndIOp $x, $x), (Arith_OrIOp $x, $x)>;\n";
    let wrong = "def R : Pat<(Arith_AndIOp $x, $x), (Arith_XOrIOp $x, $x)>;\n";
    let other = "def R : Pat<(Arith_OrIOp $x, $x), (replaceWithValue $x)>;\n";
    let float = "def R : Pat<(Arith_AddFOp $x, $y, $f), (Arith_AddFOp $y, $x, $f)>;\n";
    for (old, new, status, want) in [
        (twice, or, 0, "R: the same for i8"),
        (twice, wrong, 1, "R: different"),
        (twice, other, 2, "the rules match different operations"),
        (float, float, 2, "computes with floats"),
        (twice, "", 2, "R: only in old.td"),
        ("", twice, 2, "R: only in new.td"),
    ] {
        let found = equiv(old, new, &["--prove", "--widths", "8"]);
        assert_eq!(found.status, status, "{old}{new}{}{}", found.stdout, found.stderr);
        assert!(found.stdout.contains(want), "{}", found.stdout);
        assert!(!found.stdout.contains("i16"), "a width that was not requested: {}", found.stdout);
    }
    // `bit` matches operands of type `i1`. `never` matches only operands of type `i2`, which `--widths 1` excludes.
    let bit = "def R : Pat<(Arith_AddIOp $x, $x, $f), (Arith_ConstantOp (NativeCodeCall<\"$_builder.getIntegerAttr($0.getType(), 0)\"> $x)), [(Constraint<CPred<\"$0.getType().isInteger(1)\">> $x)]>;\n";
    let never = bit.replace("isInteger(1)", "isInteger(2)");
    assert_eq!(equiv(bit, bit, &["--prove", "--widths", "1"]).status, 0);
    let found = equiv(bit, &never, &["--prove", "--widths", "1"]);
    assert_eq!(found.status, 1, "{}", found.stdout);
    assert!(found.stdout.contains("new.td: the rule does not match"), "{}", found.stdout);
}

/// Erasing a root differs from replacing it, because an engine refuses to erase an operation whose result has uses.
#[test]
fn an_erased_root_differs_from_a_replaced_one() {
    let rule = |rewrite: &str| {
        format!(
            "pdl.pattern @R : benefit(1) {{\n  %t = pdl.type : i8\n  %x = pdl.operand : %t\n  \
             %op = pdl.operation \"arith.ori\"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)\n  \
             pdl.rewrite %op {{\n    {rewrite}\n  }}\n}}\n"
        )
    };
    let replaced = rule("pdl.replace %op with (%x : !pdl.value)");
    let erased = rule("pdl.erase %op");
    for (old, new, status, want) in [
        (&replaced, &replaced, 0, "R: the same"),
        (&replaced, &erased, 2, "replace or erase different operations"),
        (&erased, &replaced, 2, "replace or erase different operations"),
    ] {
        let folder = Folder::new(&[("old.mlir", old), ("new.mlir", new)]);
        let found = folder.run(&["equiv", "old.mlir", "new.mlir", "--prove", "--widths", "8"]);
        assert_eq!(found.status, status, "{}{}", found.stdout, found.stderr);
        assert!(found.stdout.contains(want), "{}", found.stdout);
    }
}

#[test]
fn rules_without_names_have_no_counterparts() {
    let rule = |operation: &str| {
        format!(
            "pdl.pattern : benefit(1) {{\n  %t = pdl.type : i8\n  %x = pdl.operand : %t\n  \
             %op = pdl.operation \"arith.{operation}\"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)\n  \
             pdl.rewrite %op {{\n    pdl.replace %op with (%x : !pdl.value)\n  }}\n}}\n"
        )
    };
    let folder =
        Folder::new(&[("old.mlir", &[rule("ori"), rule("andi")].concat()), ("new.mlir", &rule("ori"))]);
    let found = folder.run(&["equiv", "old.mlir", "new.mlir", "--prove", "--widths", "8"]);
    assert_eq!(found.status, 2, "{}{}", found.stdout, found.stderr);
    assert_eq!(found.stdout.matches("<unnamed>: only in old.mlir").count(), 2, "{}", found.stdout);
    assert_eq!(found.stdout.matches("<unnamed>: only in new.mlir").count(), 1, "{}", found.stdout);
}

#[test]
fn rules_are_selected_for_the_comparison() {
    let labelled =
        "class L<string label, dag from, dag to> : Pat<from, to> { list<string> debugLabels = [label]; }\n";
    let file = |other: &str| {
        let same = "def Same : L<\"label-Same\", (Arith_AndIOp $x, $x), (replaceWithValue $x)>;\n";
        format!("{labelled}{same}def Other : L<\"label-Other\", (Arith_AndIOp $x, $x), {other}>;\n")
    };
    let (old, new) = (file("(replaceWithValue $x)"), file("(Arith_XOrIOp $x, $x)"));
    let prove = |option: &[&str]| equiv(&old, &new, &[&["--prove", "--widths", "8"], option].concat());
    assert_eq!(prove(&[]).status, 1);
    for option in [&["--enable", "label-Same"][..], &["--disable", "label-Other"], &["--disable", "Other"]] {
        let found = prove(option);
        assert_eq!(found.status, 0, "{option:?}: {}{}", found.stdout, found.stderr);
        assert!(found.stdout.ends_with("1 rule: 1 the same, 0 different, 0 unknown\n"), "{}", found.stdout);
    }
    for option in ["--enable", "--disable"] {
        let found = prove(&[option, "Sane"]);
        assert_eq!(found.status, 2, "{}{}", found.stdout, found.stderr);
        assert!(
            found.stderr.contains("no rule has the name or label 'Sane', on either side"),
            "{}",
            found.stderr
        );
    }
    // With `--commute`, each of the nested operations matches its operands in both orders.
    let nested = (0..8).fold("$a".to_owned(), |inner, _| format!("(Arith_AndIOp {inner}, $x)"));
    let rule = format!("def R : Pat<{nested}, (replaceWithValue $a)>;\n");
    let prove = |option: &[&str]| equiv(&rule, &rule, &[&["--prove", "--widths", "8"], option].concat());
    assert_eq!(prove(&[]).status, 0);
    let found = prove(&["--commute"]);
    assert!(found.stdout.contains("the rule matches its operands in more than 64 ways"), "{}", found.stdout);
}

#[test]
fn the_options_of_proofs_reach_the_comparison() {
    let found = equiv(RIGHT, RIGHT, &["--widths", "8"]);
    assert_eq!(found.status, 2, "{}", found.stdout);
    assert!(found.stderr.contains("'--widths' is an option of proofs"), "{}", found.stderr);
    assert_eq!(equiv(RIGHT, RIGHT, &["--prove", "--widths", "0"]).status, 2);
    assert_eq!(equiv(RIGHT, RIGHT, &["--prove", "--solver", "magic"]).status, 2);
    assert_eq!(equiv(RIGHT, RIGHT, &["--prove", "--timeout", "soon"]).status, 2);
    // Descriptions are read from both files, and must agree.
    let meaning = |text: &str| {
        format!("{FIXED}def : OperationMeaning<\"{text}\">;\ndef R : Pat<(Half $x), (Half $x)>;\n")
    };
    let (divided, shifted) = (meaning("fixed.half(x) = divui(x, 2)"), meaning("fixed.half(x) = shrui(x, 1)"));
    let found = equiv(&divided, &divided, &["--prove", "--widths", "8", "--timeout", "30"]);
    assert!(found.stdout.contains("R: the same for i8"), "{}{}", found.stdout, found.stderr);
    let found = equiv(&divided, &shifted, &["--prove"]);
    assert!(found.stderr.contains("has another meaning already"), "{}", found.stderr);
}

#[test]
fn the_table_has_one_row_for_each_rule() {
    let all = "def All : Pat<(Arith_AndIOp $x, $x), (replaceWithValue $x)>;\n";
    let found = run(&format!("{all}{RIGHT}{WRONG_RULE}{FLOAT}"), &["--format", "markdown"]);
    let rows: Vec<&str> = found.stdout.lines().collect();
    assert_eq!(rows[0], "| rule | verdict | types | seconds | solver |");
    let cells = |row: &str| row.split(" | ").take(3).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(cells(rows[2]), ["| `All`", "proved", "all widths, index"]);
    assert_eq!(cells(rows[3]), ["| `Float`", "unknown", "'arith.addf' computes with floats"]);
    assert_eq!(cells(rows[4]), ["| `Right`", "proved", "i1, i8, index"]);
    assert_eq!(cells(rows[5])[..2], ["| `Wrong`", "refuted"]);
    assert_eq!(rows.len(), 6);
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
    // A stored verdict is used if its key is that of the rule.
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

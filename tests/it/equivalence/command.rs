//! Tests of `drrvm equiv`: differences are found and reduced, and equal rule sets have none.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes a rule file of a test.
fn rules(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Runs `equiv`; returns exit status, standard output and standard error.
fn equiv(files: &[&Path], options: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_drrvm"))
        .arg("equiv")
        .args(files)
        .args(options)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

const OPS: &str = r#"include "mlir/IR/PatternBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def T : Dialect { let name = "t"; }
class TOp<string name, dag args> : Op<T, name, [Pure]> { let arguments = args; let results = (outs I32:$r); }
def Neg : TOp<"neg", (ins I32:$x)>;
def Add : TOp<"add", (ins I32:$x, I32:$y)>;
def Sub : TOp<"sub", (ins I32:$x, I32:$y)>;
def Num : TOp<"num", (ins I32Attr:$v)>;
"#;

const NEG_NEG: &str = "def NegNeg : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;\n";
const SUB: &str = "def SubNeg : Pat<(Sub $x, (Neg $y)), (Add $x, $y)>;\n";

fn drr(name: &str, rules_text: &str) -> PathBuf {
    rules(name, &format!("{OPS}{rules_text}"))
}

#[test]
fn equal_rules_in_another_form_have_no_difference() {
    let a = drr("same_a.td", &format!("{NEG_NEG}{SUB}"));
    // The second file has other names and another order.
    let b = drr(
        "same_b.td",
        "def A : Pat<(Sub $p, (Neg $q)), (Add $p, $q)>;\ndef B : Pat<(Neg (Neg $z)), (replaceWithValue $z)>;\n",
    );
    let (status, out, err) = equiv(&[&a, &b], &["--cases", "300"]);
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("no difference (300 cases, seed 0)"), "{out}");
    assert!(out.contains("2 rules, 2 fired") && !out.contains("never fired"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn a_difference_is_found_and_reduced() {
    let a = drr("wrong_a.td", &format!("{NEG_NEG}{SUB}"));
    let b = drr("wrong_b.td", &format!("{NEG_NEG}def SubNeg : Pat<(Sub $x, (Neg $y)), (Add $y, $x)>;\n"));
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("equiv_saved");
    let _ = std::fs::remove_dir_all(&dir);
    let (status, out, err) = equiv(&[&a, &b], &["--cases", "1000", "--save", dir.to_str().unwrap()]);
    assert_eq!(status, 1, "{out}{err}");
    // The reduced case has five operations: the two that the rule matches, the module, the function and its
    // `func.return`.
    assert!(out.contains("operations to 5"), "{out}");
    for part in ["\"t.neg\"", "\"t.sub\"", " | ", "fired: SubNeg 1"] {
        assert!(out.contains(part), "{part} in\n{out}");
    }
    let mut saved: Vec<PathBuf> =
        std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    saved.sort();
    assert_eq!(saved.len(), 3);
    // The saved case shows the difference with `opt` too.
    let opt = |rules: &Path| {
        let input = saved.iter().find(|path| path.to_str().unwrap().contains(".input.")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_drrvm"));
        let output = command.args(["opt", "-q"]).arg(input).arg("--rules").arg(rules).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_ne!(opt(&a), opt(&b));
    // The same seed gives the same output with any number of threads.
    let again = equiv(&[&a, &b], &["--cases", "1000", "--jobs", "1"]);
    assert_eq!(again.1, out);
}

#[test]
fn a_rule_that_is_missing_on_one_side_is_a_difference() {
    let a = drr("less_a.td", &format!("{NEG_NEG}{SUB}"));
    let b = drr("less_b.td", &format!("{SUB}def Num2 : Pat<(Neg (Num $v)), (Num $v)>;\n"));
    for mode in ["rewrite", "match"] {
        let (status, out, err) = equiv(&[&a, &b], &["--mode", mode]);
        assert_eq!(status, 1, "{out}{err}");
        assert!(out.contains("NegNeg"), "{out}");
    }
}

#[test]
fn operations_that_only_one_side_names_are_generated() {
    // The sides differ in a rule that one side lacks, or in an operation of a source pattern.
    let keep = format!("{ARITH}def Keep : Pat<(Arith_XOrIOp $x, $x), (Arith_SubIOp $x, $x, None)>;\n");
    let div = |op: &str| format!("def Found : Pat<({op} $x, $y, $e), (Arith_SubIOp $x, $y, None)>;\n");
    let ext = |op: &str| format!("def Found : Pat<(Arith_ExtSIOp ({op} $x)), (Arith_ExtSIOp $x)>;\n");
    let cases = [
        ("deleted", div("Arith_DivUIOp"), String::new()),
        ("signed", div("Arith_DivUIOp"), div("Arith_DivSIOp")),
        ("extended", ext("Arith_ExtSIOp"), ext("Arith_ExtUIOp")),
    ];
    for (name, first, second) in cases {
        let first = rules(&format!("union_{name}_a.td"), &format!("{keep}{first}"));
        let second = rules(&format!("union_{name}_b.td"), &format!("{keep}{second}"));
        for files in [[&*first, &*second], [&*second, &*first]] {
            let (status, out, err) = equiv(&files, &["--cases", "100"]);
            assert_eq!((status, err.as_str()), (1, ""), "{name}: {out}");
            assert!(out.contains("fired: Found 1"), "{out}");
        }
    }
}

#[test]
fn a_comparison_is_not_decided_if_a_rule_never_fires() {
    let never = "def Never : Pat<(Neg (Num $v)), (Num $v), [(Constraint<CPred<\"$0.getInt() * $0.getInt() == 2\">> $v)]>;\n";
    let second = "def Second : Pat<(Neg (Neg $x)), (Neg $x)>;\n";
    for (name, rule, reason) in [
        ("Never", never, "no instance was found: no attribute or type that was tried satisfies "),
        ("Second", second, "instances were found, but none fired"),
    ] {
        let file = drr(&format!("unfired_{name}.td"), &format!("{NEG_NEG}{rule}"));
        let (status, out, err) = equiv(&[&file, &file], &["--cases", "100"]);
        assert_eq!(status, 2, "{out}{err}");
        assert!(out.starts_with("not decided: no difference was found, but some rules never fired"), "{out}");
        assert!(out.contains(&format!("    {name}: {reason}")), "{out}");
        assert!(err.contains(&format!("rule {name} never fired in 100 cases")), "{err}");
        let (status, out, err) = equiv(&[&file, &file], &["--cases", "100", "--allow-unfired"]);
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
        assert!(out.starts_with("no difference") && out.contains(reason), "{out}");
    }
}

#[test]
fn the_reason_states_that_a_constraint_is_negated() {
    let script = rules("negated.rhai", "constraint(\"isAny\", \"(attribute)\", |ir, a| true);");
    let file = rules(
        "negated.mlir",
        "pdl.pattern @Never : benefit(1) {
  %v = attribute
  %t = type
  %c = operation \"arith.constant\" {\"value\" = %v} -> (%t : !pdl.type)
  apply_native_constraint \"isAny\"(%v : !pdl.attribute) {isNegated = true}
  rewrite %c { erase %c }
}",
    );
    let options = ["--cases", "20", "--natives", script.to_str().unwrap()];
    let (status, out, err) = equiv(&[&file, &file], &options);
    assert_eq!(status, 2, "{out}{err}");
    assert!(out.contains("with the structure of the rule satisfies the negation of 'isAny'"), "{out}");
}

#[test]
fn constants_that_satisfy_constraints_are_solved_for() {
    let constraints = [
        "$0.getInt() * $0.getInt() == 152399025",
        "$0.getInt() * $0.getInt() + $0.getInt() == 999982506",
        "($0.getInt() ^ 4660) - 17 == 987654",
        "($0.getInt() >> 3) == 123456",
        "$0.getInt() % 1000003 == 777777",
        "100 - $0.getInt() == 54321",
        "$0.getValue().getSExtValue() / 7 == -1234567",
    ];
    let rule = |(i, constraint): (usize, &&str)| {
        format!("def R{i} : Pat<(Neg (Num $v)), (Num $v), [(Constraint<CPred<\"{constraint}\">> $v)]>;\n")
    };
    let text: String = constraints.iter().enumerate().map(rule).collect();
    let file = drr("solved.td", &text);
    let (status, out, err) = equiv(&[&file, &file], &["--cases", "50"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("7 rules, 7 fired").count(), 2, "{out}");
}

#[test]
fn natives_of_a_script_are_called() {
    let script = rules("natives.rhai", "constraint(\"isFine\", \"(value)\", |ir, x| true);");
    let native = drr(
        "script.td",
        &format!(
            "{NEG_NEG}def C : Constraint<CPred<\"isFine($0)\">>;\ndef N : Pat<(Sub $x, $y), (Add $x, $y), [(C $x)]>;\n"
        ),
    );
    let options = ["--cases", "100", "--natives", script.to_str().unwrap()];
    let (status, out, err) = equiv(&[&native, &native], &options);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("2 rules, 2 fired").count(), 2, "{out}");
}

#[test]
fn two_engines_have_no_difference() {
    let a = drr("engines.td", &format!("{NEG_NEG}{SUB}"));
    for mode in ["rewrite", "match"] {
        let (status, out, err) =
            equiv(&[&a], &["--engine", "tree,reference", "--mode", mode, "--cases", "200"]);
        assert_eq!(status, 0, "{out}{err}");
        assert!(out.contains("2 rules, 2 "), "{out}");
    }
}

const ARITH: &str = r#"include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
defvar None = ConstantEnumCase<Arith_IntegerOverflowAttr, "none">;
"#;

/// The wrong rules violate the semantics of `arith` for different reasons. The right rules preserve the semantics.
#[test]
fn semantics_mode_finds_wrong_rules_only() {
    let cases = [
        // x - y is not y - x.
        ("sub", "def R : Pat<(Arith_SubIOp $x, $y, $f), (Arith_SubIOp $y, $x, $f)>;", false),
        // Overflow flags that hold for the matched operands need not hold for other operands.
        (
            "flags",
            "def R : Pat<(Arith_SubIOp (Arith_AddIOp $x, $y, $f), $x, $g), (Arith_SubIOp (Arith_AddIOp $y, $y, $f), $y, $g), [(Constraint<CPred<\"$0 != $1\">> $x, $y)]>;",
            false,
        ),
        (
            "right",
            "def R : Pat<(Arith_SubIOp (Arith_AddIOp $x, $y, $f), $x, $g), (replaceWithValue $y)>;",
            true,
        ),
        // The rule is right because it drops the flags.
        (
            "assoc",
            "def R : Pat<(Arith_AddIOp (Arith_SubIOp $x, $y, $f), $z, $g), (Arith_SubIOp (Arith_AddIOp $x, $z, None), $y, None)>;",
            true,
        ),
        (
            "assoc_flags",
            "def R : Pat<(Arith_AddIOp (Arith_SubIOp $x, $y, $f), $z, $g), (Arith_SubIOp (Arith_AddIOp $x, $z, $g), $y, $f)>;",
            false,
        ),
    ];
    for (name, rule, right) in cases {
        let file = rules(&format!("semantics_{name}.td"), &format!("{ARITH}{rule}\n"));
        let (status, out, err) =
            equiv(&[&file], &["--mode", "semantics", "--cases", "250", "--max-rewrites", "50"]);
        let changes = out.contains("changes the meaning of function");
        assert_eq!((changes, status), (!right, i32::from(!right)), "{name}: {out}{err}");
        assert!(out.contains("fired"), "{name}: {out}{err}");
    }
}

#[test]
fn rules_with_the_same_meaning_are_the_same_in_mode_semantics() {
    let constant = |n: u32| format!("(Arith_ConstantOp ConstantAttr<I32Attr, \"{n}\">)");
    let eight = constant(8);
    let file = |name: &str, result: &str| {
        let rule = format!("def R : Pat<(Arith_MulIOp $x, {eight}, $f), {result}>;\n");
        rules(&format!("meaning_{name}.td"), &format!("{ARITH}{rule}"))
    };
    let twice = |first, second| {
        let (first, second) = (constant(first), constant(second));
        format!("(Arith_ShLIOp (Arith_ShLIOp $x, {first}, None), {second}, None)")
    };
    let once = file("once", &format!("(Arith_ShLIOp $x, {}, None)", constant(3)));
    let right = file("twice", &twice(1, 2));
    let wrong = file("wrong", &twice(2, 2));
    let semantics = ["--mode", "semantics", "--cases", "200"];
    let (status, out, err) = equiv(&[&once, &right], &semantics);
    assert_eq!(status, 0, "{out}{err}");
    let (status, out, err) = equiv(&[&once, &right], &["--cases", "200"]);
    assert_eq!(status, 1, "{out}{err}");
    let (status, out, err) = equiv(&[&once, &wrong], &semantics);
    assert_eq!(status, 1, "{out}{err}");
    assert!(out.contains("meaning_wrong.td changes the meaning of function 0"), "{out}");
    // If the results differ and cannot be interpreted, the comparison is not decided.
    let a = drr("meaning_unknown_a.td", SUB);
    let b = drr("meaning_unknown_b.td", "def SubNeg : Pat<(Sub $x, (Neg $y)), (Add $y, $x)>;\n");
    let (status, out, err) = equiv(&[&a, &b], &semantics);
    assert_eq!(status, 2, "{out}{err}");
    assert!(
        out.starts_with("not decided") && err.contains("rewritten differently and cannot be interpreted"),
        "{out}{err}"
    );
}

/// Counterexamples consist of functions with operations of the rules.
#[test]
fn counterexamples_do_not_contain_the_region_operation_of_the_generator() {
    let ends = "#OPS
def End : Op<T, \"end\", [Terminator]> { let arguments = (ins I32:$x); }
def R : Pat<(End (Neg (Neg $x))), (End $x)>;\n"
        .replace("#OPS", OPS);
    let cases = [
        (drr("region_a.td", &format!("{NEG_NEG}{SUB}")), drr("region_b.td", NEG_NEG)),
        (
            rules("region_end_a.td", &ends),
            rules("region_end_b.td", &ends.replace("(End $x)>", "(End (Neg $x))>")),
        ),
    ];
    for (a, b) in cases {
        for seed in ["0", "1", "2", "3", "4", "5", "6", "7"] {
            let (status, out, err) = equiv(&[&a, &b], &["--cases", "100", "--seed", seed, "--allow-unfired"]);
            assert_eq!(status, 1, "{out}{err}");
            assert!(!out.contains("drrvm."), "seed {seed}: {out}");
        }
    }
}

#[test]
fn problems_are_reported() {
    let a = drr("trouble_a.td", NEG_NEG);
    let other = rules(
        "trouble_other.mlir",
        "pdl.pattern @P : benefit(1) {\n  %x = pdl.operand\n  %o = pdl.operation \"u.v\"(%x : !pdl.value)\n  pdl.rewrite %o { pdl.replace %o with (%x : !pdl.value) }\n}\n",
    );
    // Rule sets without a common operation differ: each leaves the other's operations unchanged.
    let (status, out, err) = equiv(&[&a, &other], &["--cases", "100"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");

    // An empty rule set changes nothing.
    let none = rules("trouble_none.td", OPS);
    let (status, out, err) = equiv(&[&a, &none], &["--cases", "100"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("trouble_none.td fired: nothing"), "{out}");
    let (status, out, err) = equiv(&[&none, &none], &[]);
    assert_eq!((status, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("name no operation") && err.contains("trouble_none.td' contains no rules"), "{err}");

    // The interpreter does not know the operations, so the mode `semantics` cannot compare anything.
    let (status, out, err) = equiv(&[&a], &["--mode", "semantics", "--cases", "20"]);
    assert_eq!(status, 2, "{out}{err}");
    assert!(err.contains("none of 20 modules could be interpreted"), "{err}");

    let (status, _, err) = equiv(&[&a, &a], &["--jobs", "0"]);
    assert_eq!(status, 2);
    assert!(err.contains("--jobs"), "{err}");
    // The number of threads is limited by the number of cases.
    let (status, out, err) = equiv(&[&a, &a], &["--jobs", "1000000", "--cases", "40"]);
    assert_eq!(status, 0, "{out}{err}");

    // No rule fired.
    let (status, out, err) = equiv(&[&a, &a], &["--cases", "0"]);
    assert_eq!(status, 2, "{out}{err}");
    assert!(err.contains("no rule fired on either side in 0 cases"), "{err}");

    let (status, _, err) = equiv(&[&a], &[]);
    assert_eq!(status, 2);
    assert!(err.contains("there is nothing to compare with"), "{err}");

    // A rule that undoes itself does not converge.
    let endless = drr("endless.td", "def Swap : Pat<(Add $x, $y), (Add $y, $x)>;\n");
    let (status, out, err) =
        equiv(&[&endless], &["--engine", "tree,reference", "--cases", "20", "--max-rewrites", "50"]);
    assert_eq!(status, 2, "{out}{err}");
    assert!(err.contains("do not converge") && err.contains("'Swap'"), "{err}");
    assert!(err.contains("both sides visited each operation once"), "{err}");

    // A native is not registered, and only one side calls it.
    let native = drr(
        "native.td",
        &format!(
            "{NEG_NEG}def C : Constraint<CPred<\"isFine($0)\">>;\ndef N : Pat<(Sub $x, $y), (Add $x, $y), [(C $x)]>;\n"
        ),
    );
    let (status, out, err) = equiv(&[&a, &native], &["--cases", "100"]);
    assert_eq!(status, 2, "{out}{err}");
    assert!(err.contains("isFine") && err.contains("left out on both sides"), "{err}");
    assert!(out.contains("no difference"), "{out}");
    let (status, _, err) = equiv(&[&a, &native], &["--cases", "100", "--allow-missing-natives"]);
    assert_eq!(status, 0, "{err}");

    let (status, _, err) = equiv(&[&a, &native], &["--disable", "Nobody"]);
    assert_eq!(status, 2);
    assert!(err.contains("no rule has the name or label 'Nobody'"), "{err}");
}

/// Compiles a rule file; returns the path of the program.
fn compiled(rules: &Path) -> PathBuf {
    let program = rules.with_extension("drrbc");
    let mut compile = Command::new(env!("CARGO_BIN_EXE_drrvm"));
    assert!(compile.args(["compile", "-q"]).arg(rules).arg("-o").arg(&program).status().unwrap().success());
    program
}

#[test]
fn one_side_can_be_a_compiled_program() {
    let source = drr("compiled.td", &format!("{NEG_NEG}{SUB}"));
    let program = compiled(&source);
    for files in [[&*source, &*program], [&*program, &*source]] {
        let (status, out, err) = equiv(&files, &["--cases", "300"]);
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
        assert_eq!(out.matches("2 rules, 2 fired").count(), 2, "{out}");
    }
    // The second program has a different rule, which the report names.
    let other = format!("{NEG_NEG}def SubNeg : Pat<(Sub $x, (Neg $y)), (Add $y, $x)>;\n");
    let other = compiled(&drr("compiled_other.td", &other));
    let (status, out, err) = equiv(&[&source, &other], &["--cases", "1000"]);
    assert_eq!(status, 1, "{out}{err}");
    assert_eq!(out.matches("fired: SubNeg 1").count(), 2, "{out}");
    let (status, out, err) = equiv(&[&source, &other], &["--cases", "300", "--disable", "SubNeg"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("1 rule, 1 fired").count() + out.matches("2 rules, 1 fired").count(), 2, "{out}");
}

#[test]
fn both_sides_can_be_compiled_programs() {
    let right = compiled(&drr("compiled_right.td", &format!("{NEG_NEG}{SUB}")));
    let wrong = format!("{NEG_NEG}def SubNeg : Pat<(Sub $x, (Neg $y)), (Add $y, $x)>;\n");
    let wrong = compiled(&drr("compiled_wrong.td", &wrong));
    // IR is generated from rules that are reconstructed from the programs.
    let (status, out, err) = equiv(&[&right, &right], &["--cases", "300"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("2 rules, 2 fired").count(), 2, "{out}");
    let (status, out, err) = equiv(&[&right, &wrong], &["--cases", "1000"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("operations to 5"), "{out}");
    assert_eq!(out.matches("fired: SubNeg 1").count(), 2, "{out}");
    let (status, out, err) = equiv(&[&right, &wrong], &["--cases", "300", "--disable", "SubNeg"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("2 rules, 1 fired").count(), 2, "{out}");
    let (status, out, err) = equiv(&[&right], &["--engine", "tree,automaton", "--cases", "300"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
}

#[test]
fn reference_engine_rejects_a_compiled_program() {
    let source = drr("compiled_alone.td", NEG_NEG);
    let program = compiled(&source);
    let (status, out, err) = equiv(&[&source, &program], &["--engine", "reference"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("`--engine reference` needs the rules"), "{err}");
}

/// If the rules with errors are excluded, the other rules are compared.
#[test]
fn rules_with_errors_can_be_left_out() {
    let bad = format!("{NEG_NEG}def Bad : Pat<(Add $x, $y), (replaceWithValue $z)>;\n");
    let (a, b) = (drr("left_out_a.td", &bad), drr("left_out_b.td", NEG_NEG));
    let (status, _, stderr) = equiv(&[&a, &b], &[]);
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("error: ") && stderr.contains("'$z'"), "{stderr}");
    for options in [["--disable", "Bad"], ["--enable", "NegNeg"]] {
        let (status, stdout, stderr) = equiv(&[&a, &b], &options);
        assert_eq!((status, &*stderr), (0, ""), "{stdout}");
    }
    let (status, _, stderr) = equiv(&[&a, &b], &["--skip-rejected"]);
    assert_eq!(status, 0, "{stderr}");
    assert!(stderr.contains("warning: rule 'Bad' is skipped"), "{stderr}");
    let (status, _, stderr) = equiv(&[&a, &b], &["--disable", "Bat"]);
    assert_eq!(status, 2, "{stderr}");
    let (status, _, stderr) = equiv(&[&a, &b], &["--disable", "Bad,Goof"]);
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("no rule has the name or label 'Goof', on either side"), "{stderr}");
}

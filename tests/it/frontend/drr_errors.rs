//! Snapshots of the errors in rules and definitions.
//!
//! Each case is a short file, and a snapshot contains its errors. `INSTA_UPDATE=always cargo test` updates the
//! snapshots.

use crate::common;
use crate::common::rules;

use std::path::Path;
use std::process::Command;

use crate::common::{llvm_sources, llvm_tool};
use drrvm::source::{Color, render_all};
use rules::errors_of;

/// Operations that the cases use.
const OPS: &str = r#"include "mlir/IR/PatternBase.td"
include "mlir/IR/CommonAttrConstraints.td"
def T : Dialect { let name = "t"; }
class TOp<string name, list<Trait> traits = []> : Op<T, name, traits>;
def One : TOp<"one"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def Two : TOp<"two"> { let arguments = (ins AnyType:$x, AnyType:$y); let results = (outs AnyType:$r); }
def Attr1 : TOp<"attr"> { let arguments = (ins AnyType:$x, I32Attr:$a); let results = (outs AnyType:$r); }
def Prop1 : TOp<"prop"> { let arguments = (ins I64Prop:$p); let results = (outs AnyType:$r); }
def Many : TOp<"many"> { let arguments = (ins Variadic<AnyType>:$xs); let results = (outs AnyType:$r); }
def Pair : TOp<"pair"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r, AnyType:$s); }
def None_ : TOp<"none"> { let arguments = (ins AnyType:$x); }
def Native : NativeCodeCall<"helper($0)">;
def Matcher : NativeCodeCall<"success(helper($_self, &$0))">;
def Rule : Constraint<CPred<"$0 == $1">>;
"#;

/// Returns the errors of rules over [`OPS`] as text.
fn shown(rules: &str) -> String {
    let (sources, errors) = errors_of("rules.td", &format!("{OPS}{rules}\n"), Vec::new(), Vec::new());
    assert!(errors.has_errors(), "expected an error in: {rules}");
    render_all(&errors, &sources, Color::Never)
}

/// Compares the errors of each case with the snapshot of the same name.
fn check(cases: &[(&str, &str)]) {
    for (name, rules) in cases {
        insta::assert_snapshot!(*name, shown(rules), rules);
    }
}

#[test]
fn source_patterns() {
    check(&[
        ("source_is_native", "def : Pat<(Matcher $x), (replaceWithValue $x)>;"),
        ("source_is_not_an_op", "def : Pat<(I32 $x), (replaceWithValue $x)>;"),
        ("nested_is_not_an_op", "def : Pat<(One (I32Attr $x)), (replaceWithValue $x)>;"),
        ("too_few_arguments", "def : Pat<(Two $x), (replaceWithValue $x)>;"),
        ("too_many_arguments", "def : Pat<(One $x, $y), (replaceWithValue $x)>;"),
        ("attribute_at_operand", "def : Pat<(One I32Attr:$x), (replaceWithValue $x)>;"),
        ("type_at_attribute", "def : Pat<(Attr1 $x, I32:$a), (replaceWithValue $x)>;"),
        ("attribute_at_property", "def : Pat<(Prop1 I32Attr:$p), (Prop1 $p)>;"),
        ("nested_at_attribute", "def : Pat<(Attr1 $x, (One $y)), (replaceWithValue $x)>;"),
        ("nested_at_property", "def : Pat<(Prop1 (One $y)), (replaceWithValue $y)>;"),
        ("nested_at_variadic", "def : Pat<(Many (One $x)), (replaceWithValue $x)>;"),
        ("constrained_variadic", "def : Pat<(Many I32:$xs), (One $xs)>;"),
        ("attribute_bound_twice", "def : Pat<(Attr1 (Attr1 $x, $a), $a), (replaceWithValue $x)>;"),
        ("op_bound_twice", "def : Pat<(One:$x (One:$x $y)), (replaceWithValue $y)>;"),
        ("operand_and_op", "def : Pat<(One:$x $x), (replaceWithValue $x)>;"),
        ("value_and_range", "def : Pat<(Two (Many $x), $x), (replaceWithValue $x)>;"),
        ("index_on_operand", "def : Pat<(One $x__0), (replaceWithValue $x__0)>;"),
        ("index_on_source_op", "def : Pat<(One:$r__0 $x), (replaceWithValue $x)>;"),
        ("directive_in_source", "def : Pat<(One (replaceWithValue $x)), (replaceWithValue $x)>;"),
        ("location_in_source", "def : Pat<(One (location $x)), (replaceWithValue $x)>;"),
        ("native_bound", "def : Pat<(One (Matcher:$m $x)), (replaceWithValue $x)>;"),
        ("native_without_self", "def : Pat<(One (Native $x)), (replaceWithValue $x)>;"),
        ("native_nested", "def : Pat<(One (Matcher (One $x))), (replaceWithValue $x)>;"),
        ("native_with_type", "def : Pat<(One (Matcher $x, (returnType $x))), (replaceWithValue $x)>;"),
        ("number_in_native", "def : Pat<(One (Matcher 3)), (One $x)>;"),
    ]);
}

#[test]
fn either_and_variadic() {
    check(&[
        ("either_of_three", "def : Pat<(Two (either $x, $y, $z)), (replaceWithValue $x)>;"),
        ("either_nested", "def : Pat<(Two (either (either $a, $b), $y)), (replaceWithValue $y)>;"),
        ("either_of_attribute", "def : Pat<(Attr1 (either $x, $a)), (replaceWithValue $x)>;"),
        ("variadic_of_one", "def : Pat<(One (variadic $x)), (replaceWithValue $x)>;"),
        ("variadic_of_attribute", "def : Pat<(Attr1 $x, (variadic $a)), (replaceWithValue $x)>;"),
        ("variadic_of_native", "def : Pat<(Many (variadic (Matcher $x))), (replaceWithValue $x)>;"),
        ("variadic_constrained", "def : Pat<(Many (variadic:$all $x)), (One $x), [(Rule $all, $x)]>;"),
    ]);
}

#[test]
fn constraints() {
    check(&[
        ("constraint_of_number", "def : Pat<(Attr1 $x, $a), (replaceWithValue $x), [(Rule $a, 42)]>;"),
        (
            "constraint_unbound",
            "def : Pat<(Attr1 $input, $a), (replaceWithValue $input), [(Rule $a, $inputs)]>;",
        ),
        ("constraint_attr", "def : Pat<(Attr1 $x, $a), (replaceWithValue $x), [(I32Attr $a)]>;"),
        ("constraint_type_arity", "def : Pat<(Two $x, $y), (replaceWithValue $x), [(I32 $x, $y)]>;"),
        ("constraint_type_of_attribute", "def : Pat<(Attr1 $x, $a), (replaceWithValue $x), [(I32 $a)]>;"),
        ("constraint_five", "def : Pat<(One $x), (replaceWithValue $x), [(Rule $x, $x, $x, $x, $x)]>;"),
        ("constraint_native", "def : Pat<(One $x), (replaceWithValue $x), [(Native $x)]>;"),
        ("constraint_no_such_result", "def : Pat<(Pair:$p $x), (Pair $x), [(Rule $x, $p__2)]>;"),
        ("constraint_index_on_value", "def : Pat<(One $x), (replaceWithValue $x), [(Rule $x, $x__1)]>;"),
        ("constraint_ill_typed", "def : Pat<(Attr1 $x, $a), (replaceWithValue $x), [(Rule $x, $a)]>;"),
        ("constraint_missing_argument", "def : Pat<(One $x), (replaceWithValue $x), [(Rule $x)]>;"),
    ]);
}

#[test]
fn result_patterns() {
    check(&[
        ("unbound_symbol", "def : Pat<(One $x), (One $y)>;"),
        ("result_too_few_arguments", "def : Pat<(One $x), (Two $x)>;"),
        ("attribute_as_operand", "def : Pat<(Attr1 $x, $a), (One $a)>;"),
        ("constant_as_operand", "def : Pat<(One $x), (One ConstantAttr<I32Attr, \"1\">)>;"),
        ("operand_as_attribute", "def : Pat<(One $x), (Attr1 $x, $x)>;"),
        ("op_as_attribute", "def : Pat<(One $x), (Attr1 $x, (One $x))>;"),
        ("string_as_attribute", "def : Pat<(One $x), (Attr1 $x, \"text\")>;"),
        ("constant_prop_as_attribute", "def : Pat<(One $x), (Attr1 $x, ConstantProp<I64Prop, \"1\">)>;"),
        ("constant_attr_as_property", "def : Pat<(One $x), (Prop1 ConstantAttr<I32Attr, \"1\">)>;"),
        ("attribute_without_builder", "def : Pat<(One $x), (Attr1 $x, ConstantAttr<APIntAttr, \"1\">)>;"),
        ("type_as_attribute", "def : Pat<(One $x), (Attr1 $x, I32Attr)>;"),
        ("range_as_operand", "def : Pat<(Many $xs), (One $xs)>;"),
        ("two_results_as_operand", "def : Pat<(One $x), (One (Pair $x))>;"),
        ("value_as_variadic", "def : Pat<(One $x), (Many $x)>;"),
        ("op_as_variadic", "def : Pat<(One $x), (Many (One $x))>;"),
        ("replaced_by_attribute", "def : Pat<(Attr1 $x, $a), (replaceWithValue $a)>;"),
        ("replace_with_two", "def : Pat<(Two $x, $y), (replaceWithValue $x, $y)>;"),
        ("replace_bound", "def : Pat<(One $x), (replaceWithValue:$r $x)>;"),
        ("either_in_result", "def : Pat<(Two $x, $y), (Two (either $x, $y))>;"),
        ("result_bound_twice", "def : Pattern<(One $x), [(One:$r $x), (One:$r $x)]>;"),
        ("result_bound_as_source", "def : Pat<(One $x), (One:$x $x)>;"),
        ("used_before_built", "def : Pattern<(One $x), [(One $later), (One:$later $x)]>;"),
        (
            "native_too_many_results",
            "def : Pattern<(One $x), [(NativeCodeCall<\"f($0)\", 5000000000> $x), (One $x)]>;",
        ),
        (
            "native_negative_results",
            "def : Pattern<(One $x), [(NativeCodeCall<\"f($0)\", -1> $x), (One $x)]>;",
        ),
        ("not_enough_values", "def : Pat<(Pair $x), (One $x)>;"),
        ("partial_replacement", "def : Pattern<(One $x), [(Pair $x)]>;"),
        ("void_replaces", "def : Pattern<(One $x), [(One $x), (NativeCodeCallVoid<\"f($0)\"> $x)]>;"),
        ("location_is_result", "def : Pat<(One $x), (location $x)>;"),
        ("return_type_is_result", "def : Pat<(One $x), (returnType $x)>;"),
        ("constraint_is_result", "def : Pat<(One $x), (I32 $x)>;"),
        ("missing_placeholder", "def : Pat<(One $x), (NativeCodeCall<\"f($0, $1)\"> $x)>;"),
    ]);
}

#[test]
fn directives() {
    check(&[
        ("return_type_on_root", "def : Pat<(One $x), (One $x, (returnType $x))>;"),
        ("return_type_twice", "def : Pat<(One $x), (One (One $x, (returnType $x), (returnType $x)))>;"),
        ("return_type_of_op", "def : Pat<(One $x), (One (One $x, (returnType (One $x))))>;"),
        ("return_type_number", "def : Pat<(One $x), (One (One $x, (returnType 3)))>;"),
        ("return_type_on_native", "def : Pat<(One $x), (Native $x, (returnType $x))>;"),
        ("location_empty", "def : Pat<(One $x), (One $x, (location))>;"),
        ("location_two_strings", "def : Pat<(One $x), (One $x, (location \"a\", \"b\"))>;"),
        ("location_of_attribute", "def : Pat<(Attr1 $x, $a), (One $x, (location $a))>;"),
        ("location_unbound", "def : Pat<(One $x), (One $x, (location $y))>;"),
    ]);
}

#[test]
fn benefits() {
    check(&[
        ("benefit_negative", "def : Pat<(One $x), (One $x), [], [], (addBenefit -2)>;"),
        ("benefit_too_large", "def : Pat<(One $x), (One $x), [], [], (addBenefit 65534)>;"),
        ("benefit_two", "def : Pat<(One $x), (One $x), [], [], (addBenefit 1, 2)>;"),
        ("benefit_text", "def : Pat<(One $x), (One $x), [], [], (addBenefit \"1\")>;"),
    ]);
}

#[test]
fn definitions() {
    let with = |definition: &str| format!("{definition}\ndef : Pat<(Bad $x), (replaceWithValue $x)>;");
    let cases = [
        (
            "op_two_variadics",
            "def Bad : TOp<\"bad\"> { let arguments = (ins Variadic<AnyType>:$x, Optional<AnyType>:$y); }",
        ),
        ("op_same_names", "def Bad : TOp<\"bad\"> { let arguments = (ins AnyType:$x, AnyType:$x); }"),
        ("op_unnamed_attribute", "def Bad : TOp<\"bad\"> { let arguments = (ins I32Attr); }"),
        ("op_wrong_argument", "def Bad : TOp<\"bad\"> { let arguments = (ins Native:$x); }"),
        ("op_untyped_argument", "def Bad : TOp<\"bad\"> { let arguments = (ins $x); }"),
        ("op_wrong_results", "def Bad : TOp<\"bad\"> { let results = (ins AnyType:$x); }"),
        ("op_hidden_accessor", "def Bad : TOp<\"bad\"> { let arguments = (ins AnyType:$operation); }"),
        ("op_without_builders", "def Bad : TOp<\"bad\"> { let skipDefaultBuilders = 1; }"),
        (
            "op_builder_parameters",
            "def Bad : TOp<\"bad\"> { let builders = [OpBuilder<(outs \"Value\":$x)>]; }",
        ),
        ("op_trait_order", "def Bad : TOp<\"bad\", [Scalarizable]> { let arguments = (ins AnyType:$x); }"),
    ];
    for (name, definition) in cases {
        insta::assert_snapshot!(name, shown(&with(definition)), definition);
    }
}

#[test]
fn forms_of_older_manuals() {
    check(&[
        ("old_no_side_effect", "def Old : TOp<\"old\", [NoSideEffect]>;"),
        (
            "old_confined",
            "def Old : TOp<\"old\"> { let arguments = (ins Confined<I32Attr, [IntMinValue<0>]>:$a); }",
        ),
        ("old_verifier", "def Old : TOp<\"old\"> { let verifier = [{ return success(); }]; }"),
        ("old_benefit", "def : Pat<(One $x), (One $x), [], (addBenefit 10)>;"),
        ("old_builder", "def Old : TOp<\"old\"> { let builders = [OpBuilder<\"Value x\">]; }"),
    ]);
}

/// One run reports the errors of all rules. If a source pattern is invalid, unbound symbols in the rest of its rule are
/// not reported.
#[test]
fn all_errors_are_reported_in_one_run() {
    let text = shown(
        "def A : Pat<(Two $x), (One $x), [(Rule $x, $y)]>;\ndef B : Pat<(One $x), (Two $y, $z)>;\ndef C : Pat<(One $x), (One $x), [], [], (addBenefit -9)>;",
    );
    assert_eq!(text.matches("error: ").count(), 4, "{text}");
}

/// The rules that `mlir-tblgen` rejects in its own test files are rejected. `mlir-tblgen` reports the first line of the
/// rule; drrvm reports a place inside the rule.
#[test]
fn rules_that_mlir_tblgen_rejects_are_rejected() {
    let (Some(llvm), Some(tool)) = (llvm_sources(), llvm_tool("mlir-tblgen")) else { return };
    let include = llvm.join("mlir/include");
    let mut cases: Vec<(&str, Vec<String>)> =
        (1..=8).map(|n| ("rewriter-errors.td", vec![format!("ERROR{n}")])).collect();
    cases.push(("expect-symbol.td", Vec::new()));
    for (file, defines) in cases {
        let path = llvm.join("mlir/test/mlir-tblgen").join(file);
        let line = rejected_at(&tool, &path, &include, &defines);
        let text = std::fs::read_to_string(&path).expect("the file exists");
        let (sources, errors) = errors_of(file, &text, vec![include.clone()], defines.clone());
        let lines: Vec<u32> =
            errors.iter().filter_map(|error| Some(sources.locate(error.span())?.line)).collect();
        let inside = lines.iter().any(|ours| (line..line + 3).contains(ours));
        assert!(inside, "{file} {defines:?}: mlir-tblgen reports line {line}, drrvm lines {lines:?}");
    }
}

/// Returns the line of the first error that `mlir-tblgen` reports.
fn rejected_at(tool: &str, file: &Path, include: &Path, defines: &[String]) -> u32 {
    let mut command = Command::new(tool);
    command.arg("-gen-rewriters").arg(file).arg("-I").arg(include);
    for define in defines {
        command.arg(format!("-D{define}"));
    }
    let output = command.output().expect("the tool runs");
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let at = text.lines().find(|line| line.contains(": error:")).expect("an error has a place");
    at.split(':').nth(1).and_then(|line| line.parse().ok()).expect("a line number")
}

/// Each rule of a list is tried alone. If `mlir-tblgen` rejects a rule, drrvm rejects it at the line of the rule. If
/// `mlir-tblgen` accepts a rule, drrvm loads it, unless the rule has the mark `!`: drrvm rejects these rules.
/// `DRRVM_SEED` selects a quarter of the rules; `DRRVM_FULL` selects all.
#[test]
fn rules_are_accepted_and_rejected_as_by_mlir_tblgen() {
    let (Some(tool), Some(sources)) = (llvm_tool("mlir-tblgen"), llvm_sources()) else { return };
    let read = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/drr").join(name);
        std::fs::read_to_string(path).expect("the file exists")
    };
    let (head, rules) = (read("tensors.td"), read("one_line_rules.txt"));
    let include = format!("-I{}", sources.join("mlir/include").display());
    let last = head.lines().count() + 1;
    let (first, step) = match std::env::var_os("DRRVM_FULL") {
        Some(_) => (0, 1),
        None => (common::sample_start(4), 4),
    };
    let mut wrong = Vec::new();
    for rule in rules.lines().filter(|line| !line.starts_with('#')).skip(first).step_by(step) {
        let text = format!("{head}{}\n", rule.trim_start_matches('!'));
        let theirs = common::pipe_text(&tool, &["-gen-rewriters", &include, "-"], &text);
        let (sources, ours) = errors_of("rules.td", &text, Vec::new(), Vec::new());
        let line = ours.iter().find_map(|error| sources.locate(error.span())).map(|at| at.line as usize);
        let fine = match (theirs.is_ok(), rule.starts_with('!')) {
            (true, false) => !ours.has_errors(),
            (true, true) => ours.has_errors(),
            (false, refused) => ours.has_errors() && line == Some(last) && !refused,
        };
        if !fine {
            wrong.push(format!("{rule}\n  {theirs:?}\n  {ours:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

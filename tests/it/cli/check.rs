//! Tests of `drrvm check`: its warnings and errors, the cases without a warning, the selection of rules, the table of
//! natives, and stubs. Some tests are about `gen-rewriters`.

use crate::common::command::{Folder, Run};

const OPS: &str = r#"include "mlir/IR/PatternBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def T : Dialect { let name = "t"; }
class TOp<string name, dag args, list<Trait> traits = []> : Op<T, name, !listconcat([Pure], traits)> {
  let arguments = args;
  let results = (outs I32:$r);
}
def Neg : TOp<"neg", (ins I32:$x)>;
def Add : TOp<"add", (ins I32:$x, I32:$y)>;
def Sub : TOp<"sub", (ins I32:$x, I32:$y)>;
def Num : TOp<"num", (ins I32Attr:$v), [ConstantLike]>;
def Cast : Op<T, "cast", [Pure]> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
"#;

fn check(rules: &str, options: &[&str]) -> Run {
    let folder = Folder::new(&[("rules.td", &format!("{OPS}{rules}\n"))]);
    folder.run(&[&["check", "rules.td"], options].concat())
}

/// Checks rules that have no errors; returns the warnings without their places.
fn warnings(rules: &str) -> Vec<String> {
    let run = check(rules, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let lines = run.stderr.lines();
    lines.filter_map(|line| line.strip_prefix("warning: ").map(str::to_owned)).collect()
}

#[test]
fn good_rules_give_no_warnings() {
    let good = "def NegNeg : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;\n\
                def SubNeg : Pat<(Sub $x, (Neg $y)), (Add $x, $y)>;";
    assert_eq!(warnings(good), [""; 0]);
}

#[test]
fn contradictory_rules_are_reported() {
    let rules = "pdl.pattern @never : benefit(1) {
  %one = attribute = 1 : i32
  %two = attribute = 2 : i32
  %root = operation \"t.num\" {\"v\" = %one, \"v\" = %two}
  rewrite %root { erase %root }
}
";
    let folder = Folder::new(&[("rules.mlir", rules)]);
    let run = folder.run(&["check", "rules.mlir"]);
    assert_eq!(run.status, 0);
    let never = "warning: rule 'never' can never match, because its predicates contradict each other";
    assert_eq!(run.stderr.lines().next(), Some(never));
}

#[test]
fn shadowed_rules_are_reported_with_the_rule_that_shadows_them() {
    let rules = "def Any : Pat<(Neg $x), (Add $x, $x), [], [], (addBenefit 5)>;\n\
                 def Nested : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;";
    assert_eq!(
        warnings(rules),
        ["rule 'Nested' is never applied, because 'Any' matches the same operations and is tried first"]
    );
    // `Nested` matches two operations, so its benefit is higher. It is tried first, so `Any` does not shadow it.
    let rules = "def Any : Pat<(Neg $_), (Num ConstantAttr<I32Attr, \"0\">)>;\n\
                 def Nested : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;";
    assert_eq!(warnings(rules), [""; 0]);
}

/// A rule with a constraint on an attribute also matches every constant that satisfies the constraint, so it shadows
/// rules for these constants.
#[test]
fn a_rule_for_a_constant_attribute_is_shadowed_by_a_rule_for_its_class() {
    let rules = |any: &str, constant: &str| {
        warnings(&format!(
            "def Any : Pat<(Num {any}:$n), (Num ConstantAttr<I32Attr, \"0\">), [], [], (addBenefit 5)>;\n\
             def One : Pat<(Num {constant}), (Num ConstantAttr<I32Attr, \"2\">)>;"
        ))
    };
    let shadowed =
        "rule 'One' is never applied, because 'Any' matches the same operations and is tried first";
    let one = "ConstantAttr<I32Attr, \"1\">";
    for any in ["I32Attr", "ConfinedAttr<I32Attr, [IntPositive]>", "AnyAttr"] {
        assert!(rules(any, one).iter().any(|warning| warning == shadowed), "{any}");
    }
    for any in ["ConfinedAttr<I32Attr, [IntMinValue<2>]>", "StrAttr"] {
        assert!(!rules(any, one).iter().any(|warning| warning == shadowed), "{any}");
    }
}

#[test]
fn duplicate_rules_are_reported() {
    let rules = "def One : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;\n\
                 def Two : Pat<(Neg (Neg $y)), (Add $y, $y)>;";
    assert_eq!(
        warnings(rules),
        ["rule 'Two' matches exactly the operations that 'One' matches, and is tried later"]
    );
}

#[test]
fn overlapping_rules_of_equal_benefit_are_reported() {
    let rules = "def Left : Pat<(Add (Neg $x), $y), (Sub $y, $x)>;\n\
                 def Right : Pat<(Add $x, (Neg $y)), (Sub $x, $y)>;";
    let order = "rules 'Right' and 'Left' can match the same operation and have the same benefit, so their order decides";
    assert_eq!(warnings(rules), [order]);
    // No warning if the two rules require different operations at the same operand.
    let rules = "def Left : Pat<(Add (Neg $x), $y), (Sub $y, $x)>;\n\
                 def Right : Pat<(Add (Sub $x, $y), $z), (Sub $x, (Sub $y, $z))>;";
    assert_eq!(warnings(rules), [""; 0]);
    // No warning if one rule requires a constant and the other an operation that is not a constant.
    let rules = "def Left : Pat<(Add (ConstantLikeMatcher AnyAttr:$c), (Neg $y)), (Sub (Num $c), $y)>;\n\
                 def Right : Pat<(Add (Neg $x), (ConstantLikeMatcher AnyAttr:$c)), (Sub (Num $c), $x)>;";
    assert_eq!(warnings(rules), [""; 0]);
    // `ConstantLikeMatcher` can match the constant that the other rule names.
    let rules = "def Left : Pat<(Add (ConstantLikeMatcher AnyAttr:$c), $y), (Sub (Num $c), $y)>;\n\
                 def Right : Pat<(Add (Num $c), $x), (Sub (Num $c), $x), [], [], (addBenefit -1)>;";
    assert_eq!(warnings(rules), [order]);
}

#[test]
fn rules_that_undo_each_other_are_reported() {
    let rules = "def ToAdd : Pat<(Sub $x, (Neg $y)), (Add $x, $y)>;\n\
                 def ToSub : Pat<(Add $x, $y), (Sub $x, (Neg $y))>;";
    let endless =
        "rules can match each other's results, so they may never stop: 'ToAdd' -> 'ToSub' -> 'ToAdd'";
    assert_eq!(warnings(rules), [endless]);
    let rules = "def Swap : Pat<(Add $x, $y), (Add $y, $x)>;";
    assert_eq!(warnings(rules), ["rule 'Swap' can match its own result, so it may never stop"]);
    // No warning if the created operation has a different constant.
    let rules = "def Seven : Pat<(Num ConstantAttr<I32Attr, \"7\">), (Num ConstantAttr<I32Attr, \"8\">)>;";
    assert_eq!(warnings(rules), [""; 0]);
}

#[test]
fn unused_symbols_are_reported() {
    let rules = "def Zero : Pat<(Sub $x, (Add $y, $z)), (Neg $y)>;";
    assert_eq!(warnings(rules), ["rule 'Zero' binds symbols '$x', '$z' and does not use them"]);
    // A symbol in a location directive is used, even if the default location would be the same.
    for location in ["(location $b, $a)", "(location $a, $b)", "(location $b, $a, \"m\")"] {
        let rules = format!("def Both : Pat<(Neg:$a (Neg:$b $x)), (Neg $x, {location})>;");
        assert_eq!(warnings(&rules), [""; 0], "{location}");
    }
    let rules = "def Both : Pat<(Neg:$a (Neg:$b $x)), (Neg $x, (location $a, \"m\"))>;";
    assert_eq!(warnings(rules), ["rule 'Both' binds symbol '$b' and does not use it"]);
    let rules = "def Both : Pat<(Neg:$a (Neg:$b $x)), (Neg $x)>;";
    assert_eq!(warnings(rules), ["rule 'Both' binds symbol '$b' and does not use it"]);
    // A symbol that occurs twice requires equal values, so it is used.
    let rules = "def Zero : Pat<(Sub $x, $x), (Num ConstantAttr<I32Attr, \"0\">)>;";
    assert_eq!(warnings(rules), [""; 0]);
}

#[test]
fn possible_type_changes_are_reported() {
    let rules = "def CastCast : Pat<(Cast (Cast $x)), (replaceWithValue $x)>;";
    assert_eq!(warnings(rules), ["rule 'CastCast' may replace result 0 by a value of another type"]);
    // A constraint on the result suppresses the warning.
    let rules = "def CastCast : Pat<(Cast:$r (Cast $x)), (replaceWithValue $x), \
                 [(Constraint<CPred<\"$0.getType() == $1.getType()\">> $r, $x)]>;";
    assert_eq!(warnings(rules), [""; 0]);
}

const NATIVES: &str = "def Fine : Constraint<CPred<\"isFine($0)\">>;\n\
                       def Sum : NativeCodeCall<\"addIntegerAttrs($_builder, $0, $1, $2)\">;\n\
                       def N : Pat<(Add:$r (Num $a), (Num $b)), (Num (Sum $r, $a, $b)), [(Fine $a)]>;";

#[test]
fn required_natives_are_listed_with_their_state() {
    let run = check(NATIVES, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let row = |name: &str| {
        let line = run.stdout.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("isFine"), "isFine constraint (attribute) -> boolean missing N");
    assert_eq!(
        row("addIntegerAttrs"),
        "addIntegerAttrs rewrite (value, attribute, attribute) -> attribute registered N"
    );
}

/// Two rules without a name are different rules: only the first needs the native.
#[test]
fn rules_without_a_name_have_their_own_natives() {
    let needs = "pdl.pattern : benefit(1) {
  %r = operation \"t.a\"
  apply_native_constraint \"ca\"(%r : !pdl.operation)
  rewrite %r { erase %r }
}
";
    let runs = "pdl.pattern : benefit(1) {
  %r = operation \"t.b\"
  rewrite %r { erase %r }
}
";
    let both = format!("{needs}{runs}");
    let folder = Folder::new(&[("both.mlir", &both), ("needs.mlir", needs), ("runs.mlir", runs)]);
    for files in [&["both.mlir"][..], &["needs.mlir", "runs.mlir"]] {
        let run = folder.run(&[&["check"], files].concat());
        let report = &run.stdout;
        assert_eq!(report.matches("loaded, needs ca").count(), 1, "{report}");
        assert!(report.contains("1 of 2 rules run; 1 needs 1 native"), "{report}");
    }
    let run = folder.run(&["equiv", "needs.mlir", "runs.mlir", "--cases", "20"]);
    assert!(!run.stderr.contains("'runs.mlir' contains no rules"), "{}", run.stderr);
}

#[test]
fn json_has_the_same_content() {
    let run =
        check(&format!("{NATIVES}\ndef Swap : Pat<(Add $x, $y), (Add $y, $x)>;"), &["--format", "json"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let all: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let names = |list: &str| -> Vec<&str> {
        all[list].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
    };
    assert_eq!(names("rules"), ["N", "Swap"]);
    assert_eq!(names("natives"), ["isFine", "addIntegerAttrs"]);
    assert_eq!(
        (&all["natives"][0]["registered"], &all["natives"][1]["registered"]),
        (&false.into(), &true.into())
    );
    let messages = all["diagnostics"].as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap());
    let messages: Vec<&str> = messages.collect();
    let warnings = run.stderr.lines().filter_map(|line| line.strip_prefix("warning: "));
    assert_eq!(messages, warnings.collect::<Vec<_>>());
    assert!(messages.contains(&"rule 'Swap' can match its own result, so it may never stop"), "{messages:?}");
    let run = check("def Unbound : Pat<(Neg $x), (Neg $y)>;", &["--format", "json"]);
    assert_eq!(run.status, 1);
    let all: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(all["rules"][0]["status"], "rejected");
    assert_eq!(all["diagnostics"][0]["severity"], "error");
    assert_eq!(all["diagnostics"][0]["place"]["line"], 13);
}

#[test]
fn the_trait_all_types_match_excludes_a_type_change() {
    let ops = "def Mul : Op<T, \"mul\", [Pure, AllTypesMatch<[\"a\", \"b\", \"low\", \"high\"]>]> {\n\
               let arguments = (ins AnyType:$a, AnyType:$b); let results = (outs AnyType:$low, AnyType:$high); }\n";
    // The results have the type of both operands, so replacing them by either operand does not change their type.
    for kept in ["$x", "$y"] {
        let rule =
            format!("{ops}def One : Pattern<(Mul $x, $y), [(replaceWithValue {kept}), (Cast {kept})]>;");
        let warnings = warnings(&rule);
        assert!(warnings.iter().all(|line| !line.contains("another type")), "{warnings:?}");
    }
    // An operand that the trait does not name may have any type.
    let ops = ops.replace("[\"a\", \"b\", ", "[\"b\", ");
    let rule = format!("{ops}def One : Pattern<(Mul $x, $y), [(replaceWithValue $x), (Cast $x)]>;");
    let warning = "rule 'One' may replace result 0 by a value of another type";
    assert!(warnings(&rule).iter().any(|line| line == warning), "{:?}", warnings(&rule));
}

/// The rule matches an operation with many operands of one type.
#[test]
fn time_is_near_linear_in_the_width_of_an_operation() {
    let wide = |count: usize| {
        let names: Vec<String> = (0..count).map(|i| format!("%v{i}")).collect();
        let operands: String = names.iter().map(|name| format!("  {name} = operand : %t\n")).collect();
        format!(
            "pdl.pattern @wide : benefit(1) {{\n  %t = type\n{operands}  %root = operation \"t.wide\"({} : {})\n  rewrite %root {{ erase %root }}\n}}\n",
            names.join(", "),
            vec!["!pdl.value"; count].join(", ")
        )
    };
    let seconds = |count: usize| {
        let folder = Folder::new(&[("rules.mlir", &wide(count))]);
        let start = std::time::Instant::now();
        let run = folder.run(&["check", "rules.mlir"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        start.elapsed().as_secs_f64()
    };
    // The width grows tenfold, so quadratic time would grow a hundredfold. Other processes make times vary.
    let ratio = (0..3).map(|_| seconds(20_000) / seconds(2_000)).fold(f64::INFINITY, f64::min);
    assert!(ratio < 50.0, "{ratio}");
}

#[test]
fn rules_for_exclusive_types_do_not_overlap() {
    let overlaps = |definitions: &str, a: &str, b: &str| {
        let rules = format!(
            "{definitions}def One : Pat<(Cast {a}:$x), (Cast $x), [], [], (addBenefit 1)>;\n\
             def Two : Pat<(Cast {b}:$x), (Cast $x), [], [], (addBenefit 1)>;"
        );
        warnings(&rules)
            .iter()
            .any(|line| line.contains("can match the same operation") || line.contains("is never applied"))
    };
    let overlap = |a: &str, b: &str| overlaps("", a, b);
    for (a, b) in [
        ("I32", "I64"),
        ("I32", "SI32"),
        ("I32", "Index"),
        ("F32", "AnyI32"),
        ("F32", "BF16"),
        ("AnyFloat", "AnyComplex"),
        ("AnyInteger", "AnyVectorOfAnyRank"),
        ("RankedTensorOf<[AnyFloat]>", "RankedTensorOf<[AnyComplex]>"),
        ("RankedTensorOf<[AnyFloat]>", "RankedTensorOf<[I1, I8]>"),
        ("VectorOfAnyRankOf<[F32]>", "RankedTensorOf<[F32]>"),
        ("AnyTypeOf<[I1, F32, TensorOf<[I1]>]>", "AnyTypeOf<[I8, F64, TensorOf<[I8]>]>"),
        ("SignlessIntegerLike", "FloatLike"),
        ("Complex<F32>", "Complex<F64>"),
    ] {
        assert!(!overlap(a, b), "{a} and {b}");
    }
    for (a, b) in [
        ("I32", "AnyI32"),
        ("AnyInteger", "SI<7>"),
        ("AnyFloat", "F8E4M3FN"),
        ("RankedTensorOf<[AnyFloat]>", "TensorOf<[F32, I1]>"),
        ("AnyTypeOf<[I1, F32]>", "AnyTypeOf<[F32, I8]>"),
        ("AnyShaped", "AnyTensor"),
        ("SignlessIntegerLike", "AnyVectorOfAnyRank"),
        ("AnyType", "I32"),
    ] {
        assert!(overlap(a, b), "{a} and {b}");
    }
    // A dialect's type can declare both the interface of floats and the interface of shaped types.
    let floats = "include \"mlir/IR/AttrTypeBase.td\"\ninclude \"mlir/IR/BuiltinTypeInterfaces.td\"\n\
                  def Both : TypeDef<T, \"Both\", [FloatTypeInterface, ShapedTypeInterface]> {\n  \
                  let mnemonic = \"both\";\n}\n";
    assert!(!overlap("AnyFloat", "AnyShaped"));
    assert!(overlaps(floats, "AnyFloat", "AnyShaped"));
    assert!(!overlaps(floats, "AnyFloat", "AnyComplex"));
}

/// An attribute cannot equal two different constants. If it satisfies a predicate, it cannot equal a constant that the
/// predicate excludes.
#[test]
fn rules_for_different_constants_do_not_overlap() {
    let overlap = "rules 'Right' and 'Left' can match the same operation and have the same benefit, so their order decides";
    let int = |value: i64| format!("ConstantAttr<I32Attr, \"{value}\">");
    let predicate = |text: &str| format!("AttrConstraint<CPred<\"{text}\">>");
    let eight = predicate("::llvm::cast<::mlir::IntegerAttr>($_self).getInt() == 8");
    let small = predicate("::llvm::cast<::mlir::IntegerAttr>($_self).getInt() < 8");
    for (left, right, overlaps) in [
        (int(7), int(8), false),
        (int(7), eight.clone(), false),
        (eight.clone(), int(7), false),
        (small.clone(), int(8), false),
        (int(7), small.clone(), true),
    ] {
        let rules = format!(
            "def Left : Pat<(Add (Num {left}), $x), (Neg $x)>;\n\
             def Right : Pat<(Add (Num {right}), $x), (Neg $x)>;\n"
        );
        assert_eq!(warnings(&rules).iter().any(|warning| warning == overlap), overlaps, "{rules}");
    }
    let kinds = "include \"mlir/IR/EnumAttr.td\"\ndef Case1 : I32EnumAttrCase<\"A\", 1>;\ndef Case2 : I32EnumAttrCase<\"B\", 2>;\n\
                 def Kind : I32EnumAttr<\"Kind\", \"\", [Case1, Case2]>;\n\
                 def Choose : TOp<\"choose\", (ins Kind:$k, I32:$x)>;\n";
    let left = "(Choose ConstantEnumCase<Kind, \"A\">, $x)";
    for (right, overlaps) in [("A", true), ("B", false)] {
        let right = format!("(Choose ConstantEnumCase<Kind, \"{right}\">, $x)");
        let rules = format!("{kinds}def Left : Pat<{left}, (Neg $x)>;\ndef Right : Pat<{right}, (Neg $x)>;");
        assert_eq!(!warnings(&rules).is_empty(), overlaps, "{rules}");
    }
}

/// An error in a definition is reported once, without errors that only follow from it.
#[test]
fn broken_definitions_cause_no_errors_in_rules() {
    let rules = "def Broken : Op<T, \"broken\"> { let arguments = (ins AnyType:$x, StrProp2:$y, I32Attr:$z); \
         let results = (outs AnyType:$r); }\n\
         class BrokenOp<string name> : Op<T, name> { let arguments = (ins Nothing:$x); }\n\
         def Derived : BrokenOp<\"derived\">;\n\
         def A : Pat<(Broken $x, $y, $z), (Neg $x)>;\n\
         def B : Pat<(Neg $x), (Broken $x, $x, $x)>;\n\
         def C : Pat<(Neg (Derived $x)), (replaceWithValue $x)>;\n\
         def D : Pat<(Add $x), (replaceWithValue $x)>;";
    let text = check(rules, &[]).stderr;
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(
        errors,
        [
            "error: Variable not defined: 'StrProp2'",
            "error: Variable not defined: 'Nothing'",
            "error: 't.add' has 1 argument here, but 2 in its definition",
        ]
    );
}

/// Four rules. The second and the fourth have errors.
const SOME_BAD: &str = "def Good : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;\n\
    def Bad : Pat<(Neg $x), (Neg $y)>;\n\
    def AlsoGood : Pat<(Sub $x, (Neg $y)), (Add $x, $y)>;\n\
    def AlsoBad : Pat<(Sub $x), (Add $z, $x)>;";

#[test]
fn errors_of_rules_that_are_not_selected_are_not_reported() {
    let run = check(SOME_BAD, &[]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("2 of 4 rules loaded"), "{}", run.stdout);

    let run = check(SOME_BAD, &["--disable", "Bad,AlsoBad"]);
    assert_eq!((run.status, &*run.stderr), (0, ""));
    assert!(run.stdout.contains("2 of 2 rules loaded"), "{}", run.stdout);

    let run = check(SOME_BAD, &["--enable", "Good"]);
    assert_eq!((run.status, &*run.stderr), (0, ""));
    assert!(run.stdout.contains("1 of 1 rule loaded"), "{}", run.stdout);

    // The file's stem is a label of all its rules.
    let run = check(SOME_BAD, &["--enable", "rules", "--disable", "Bad"]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("2 of 3 rules loaded"), "{}", run.stdout);

    let run = check(SOME_BAD, &["--disable", "Baf,Bad,AlsoBad"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("no rule has the name or label 'Baf'"), "{}", run.stderr);
    assert!(run.stderr.contains("did you mean 'Bad'?"), "{}", run.stderr);
}

#[test]
fn rejected_rules_can_be_skipped() {
    let run = check(SOME_BAD, &["--skip-rejected"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let heads: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("warning")).collect();
    assert_eq!(heads.len(), 3, "{}", run.stderr);
    assert!(heads[0].starts_with("warning: rule 'AlsoBad' is skipped: "), "{}", heads[0]);
    assert!(heads[1].starts_with("warning: rule 'Bad' is skipped: "), "{}", heads[1]);
    assert_eq!(heads[2], "warning: 2 of 4 rules are skipped, because of errors");

    let folder = Folder::new(&[("rules.td", &format!("{OPS}{SOME_BAD}\n")), ("in.mlir", "")]);
    let status = |args: &[&str]| folder.run(args).status;
    assert_eq!(status(&["compile", "rules.td", "-o", "all.drrbc"]), 1);
    assert_eq!(status(&["compile", "rules.td", "--skip-rejected", "-o", "all.drrbc"]), 0);
    assert_eq!(status(&["opt", "in.mlir", "--rules", "all.drrbc", "--enable", "AlsoGood"]), 0);
    assert_eq!(status(&["opt", "in.mlir", "--rules", "rules.td", "--enable", "Good"]), 0);
}

#[test]
fn rejected_pdl_rules_can_be_skipped() {
    let rules = "pdl.pattern @bad : benefit(1) {
  %root = operation
  %other = operation \"t.a\"
  rewrite %root { erase %root }
}
pdl.pattern @good : benefit(1) {
  %root = operation \"t.a\"
  rewrite %root { erase %root }
}
";
    let folder = Folder::new(&[("rules.mlir", rules)]);
    assert_eq!(folder.run(&["check", "rules.mlir"]).status, 1);
    let run = folder.run(&["check", "rules.mlir", "--disable", "bad"]);
    assert_eq!((run.status, &*run.stderr), (0, ""));
    let run = folder.run(&["check", "rules.mlir", "--skip-rejected"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("warning: rule 'bad' is skipped: "), "{}", run.stderr);
    assert!(run.stderr.contains("warning: 1 of 2 rules is skipped"), "{}", run.stderr);
}

#[test]
fn an_operation_with_errors_does_not_reject_rules_that_do_not_use_it() {
    let rules = "def Bad : Op<T, \"bad\"> { let arguments = (ins I32:$x, I32:$x); let results = (outs I32:$r); }\n\
        def First : Pat<(Bad $x, $y), (Add $x, $y)>;\n\
        def Second : Pat<(Neg (Bad $x, $y)), (Add $x, $y)>;\n\
        def Third : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;";
    let disabled = check(rules, &["--disable", "First"]);
    assert_eq!(disabled.status, 1, "{}{}", disabled.stdout, disabled.stderr);
    assert_eq!(check(rules, &["--disable", "First,Second"]).status, 0);
    let all = check(rules, &[]);
    assert_eq!(all.stderr.matches("error: ").count(), 1, "{}", all.stderr);
}

/// The warning about a constant that cannot be made states the effect on the rule. A rule that can therefore never
/// match or never be applied does not count as loaded.
#[test]
fn constants_that_cannot_be_made_are_reported() {
    let run = check(
        "def Range : AttrDef<T, \"Range\"> {\n  let mnemonic = \"range\";\n  let parameters = (ins \"int64_t\":$from);\n  \
           let assemblyFormat = \"`<` $from `>`\";\n  \
           let constBuilderCall = \"::t::RangeAttr::get($_builder.getContext(), $0)\";\n}\n\
         def In : TOp<\"in\", (ins I32:$x, Range:$range)>;\n\
         def Half : TOp<\"half\", (ins I32:$x, DefaultValuedAttr<Range, \"1 / 0\">:$range)>;\n\
         def Good : Pat<(In (Neg $x), ConstantAttr<Range, \"7\">), (Neg $x)>;\n\
         def Match : Pat<(In $x, ConstantAttr<Range, \"8 / 0\">), (Neg $x)>;\n\
         def Make : Pat<(Neg (Neg $x)), (In $x, ConstantAttr<Range, \"9 / 0\">)>;\n\
         def Absent : Pat<(Half (Neg $x), $range), (In $x, $range)>;\n",
        &[],
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    let refused = |effect: &str, value: &str| {
        format!(
            "warning: rule {effect}, because the attribute '::t::RangeAttr::get($_builder.getContext(), {value})' \
             cannot be made: division by zero"
        )
    };
    let warnings: Vec<&str> = run.stderr.lines().filter(|line| line.contains("cannot be made")).collect();
    let mut expected = [
        refused("'Absent' does not match if the attribute is absent", "1 / 0"),
        refused("'Make' can never be applied", "9 / 0"),
        refused("'Match' can never match", "8 / 0"),
    ];
    expected.sort();
    let mut warnings = warnings;
    warnings.sort_unstable();
    assert_eq!(warnings, expected);
    let status = |rule: &str| {
        let line = run.stdout.lines().find(|line| line.starts_with(rule)).unwrap();
        line.split_whitespace().skip(3).take(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(["Good", "Absent"].map(status), ["loaded"; 2]);
    assert_eq!(["Match", "Make"].map(status), ["never applied:"; 2]);
    assert!(run.stdout.contains("2 of 4 rules loaded"), "{}", run.stdout);
}

/// The operation has one result, so result 1 does not exist.
#[test]
fn a_rule_for_a_missing_result_is_never_applied() {
    let folder = Folder::new(&[(
        "rules.mlir",
        "pdl.pattern @Never : benefit(1) {\n\
         \x20 %t = pdl.type\n\
         \x20 %a = pdl.operation \"t.a\" -> (%t : !pdl.type)\n\
         \x20 %r = pdl.result 1 of %a\n\
         \x20 %root = pdl.operation \"t.b\" (%r : !pdl.value)\n\
         \x20 pdl.rewrite %root { pdl.erase %root }\n\
         }\n",
    )]);
    let run = folder.run(&["check", "rules.mlir"]);
    assert_eq!(run.stderr.matches("the rule never matches").count(), 1, "{}", run.stderr);
    assert!(run.stdout.contains("never applied: it never matches"), "{}", run.stdout);
}

/// A rule that is never applied counts neither as a rule that runs nor as a rule that needs a native.
#[test]
fn rules_that_are_never_applied_do_not_count_as_running() {
    let run = check(
        "def Text : AttrDef<T, \"Text\"> {\n  let mnemonic = \"text\";\n  let parameters = (ins \"int64_t\":$from);\n  \
           let assemblyFormat = \"`<` $from `>`\";\n  \
           let constBuilderCall = \"::t::TextAttr::get($_builder.getContext(), $0)\";\n}\n\
         def In : TOp<\"in\", (ins I32:$x, Text:$text)>;\n\
         def F : NativeCodeCall<\"f($0)\">;\n\
         def Good : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;\n\
         def Never : Pat<(In $x, ConstantAttr<Text, \"8 / 0\">), (Neg $x)>;\n\
         def NeverWithNative : Pat<(In $x, ConstantAttr<Text, \"8 / 0\">), (Neg (F $x))>;\n\
         def Open : Pat<(Add $x, $y), (Neg (F $x))>;\n",
        &[],
    );
    assert!(run.stdout.contains("\n2 of 4 rules loaded, 1 of 1 native missing\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("1 of 4 rules run; 1 needs 1 native\n"), "{}", run.stdout);
}

#[test]
fn stubs_of_constraints_have_a_parameter_for_each_result() {
    let folder = Folder::new(&[(
        "rules.td",
        &format!(
            "{OPS}def Two : NativeCodeCall<\"success(two($_self, &$0, &$1))\">;\n\
             def R : Pat<(Neg (Two $x, I32Attr:$a)), (Sub $x, (Num $a))>;\n"
        ),
    )]);
    let stubs = folder.run(&["check", "rules.td", "--stubs", "cpp", "-o", "stubs.cpp"]);
    assert_eq!(stubs.status, 0, "{}", stubs.stderr);
    let text = folder.read("stubs.cpp");
    assert!(
        text.contains(
            "static bool two(Operation *arg0, Value &result0, Attribute &result1) {\n  return false;\n}"
        ),
        "{text}"
    );
}

/// Numbers, strings and lists keep their types in C++, so that the generated code can call the stub.
#[test]
fn stubs_in_cpp_keep_the_types_of_numbers_strings_and_lists() {
    let folder = Folder::new(&[(
        "rules.td",
        &format!(
            "{OPS}def Call : NativeCodeCall<\"f($_builder, {{1, 2}}, \\\"s\\\", 2.5, $0.getInt(), 3u, true)\">;\n\
             def R : Pat<(Num I32Attr:$a), (Num (Call $a))>;\n"
        ),
    )]);
    let stubs = folder.run(&["check", "rules.td", "--stubs", "cpp"]);
    let expected = "static Attribute f(PatternRewriter &rewriter, ArrayRef<int32_t> arg0, StringRef arg1, double arg2, \
                    int64_t arg3, uint32_t arg4, bool arg5) {";
    assert!(stubs.stdout.contains(expected), "{}", stubs.stdout);
}

/// A constraint cannot change the IR, so the rule is never applied and does not count as loaded.
#[test]
fn constraints_that_change_the_ir_are_reported() {
    let folder = Folder::new(&[
        (
            "rules.td",
            &format!(
                "{OPS}def Marks : Constraint<CPred<\"mark($0.getDefiningOp())\">>;\n\
                 def R : Pat<(Neg (Neg:$x $y)), (replaceWithValue $y), [(Marks $x)]>;\n"
            ),
        ),
        (
            "helpers.cpp",
            "static bool mark(Operation *op) { op->setAttr(\"seen\", UnitAttr::get(op->getContext())); return true; }",
        ),
    ]);
    let run = folder.run(&["check", "rules.td", "--helpers", "helpers.cpp"]);
    assert!(
        run.stdout.contains("never applied: the constraint") && run.stdout.contains("0 of 1 rule loaded"),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("changes the IR"), "{}", run.stderr);
}

/// Special characters in the paths of a dependency file are escaped as make requires.
#[test]
fn paths_in_a_depfile_are_escaped() {
    let name = "a b#c$d.td";
    let folder =
        Folder::new(&[(name, &format!("{OPS}def R : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;\n"))]);
    let run = folder.run(&["gen-rewriters", name, "-o", "a b.inc", "-d", "deps.d"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let text = folder.read("deps.d");
    assert!(text.starts_with("a\\ b.inc: a\\ b\\#c$$d.td"), "{text}");
}

/// C++ selects an overload by the builder, but the builder is no part of the signature of a native.
#[test]
fn generated_code_needs_the_builder_in_all_calls_of_a_helper_or_in_none() {
    let rules = |first: &str| {
        format!(
            "{OPS}def R : Pat<(Neg $x), (NativeCodeCall<\"f({first}$0)\"> $x)>;\n\
             def S : Pat<(Add $x, $y), (NativeCodeCall<\"f($0)\"> $x)>;\n"
        )
    };
    let folder = Folder::new(&[("same.td", &rules("")), ("mixed.td", &rules("$_builder, "))]);
    assert_eq!(folder.run(&["gen-rewriters", "same.td", "-o", "same.inc"]).status, 0);
    let mixed = folder.run(&["gen-rewriters", "mixed.td", "-o", "mixed.inc"]);
    assert_eq!(mixed.status, 1);
    let error =
        "error: calls of 'f' with the signature (value) -> value differ in `$_builder` or in the context";
    assert!(mixed.stderr.starts_with(error), "{}", mixed.stderr);
}

/// Calls with the same text have results of the same kind. The result of the outer call is a value, so the result of
/// the inner call is one, too.
#[test]
fn equal_native_calls_have_results_of_one_kind() {
    let rule = "def F : NativeCodeCall<\"f($0)\">;\ndef R : Pat<(Neg $x), (F (F $x))>;\n";
    let run = check(rule, &[]);
    assert!(run.stdout.contains("(value) -> value"), "{}", run.stdout);
    assert!(!run.stdout.contains("attribute"), "{}", run.stdout);
}

/// `mlir-tblgen` accepts a location in a source pattern, and generates no code for it.
#[test]
fn locations_in_source_patterns_have_no_effect() {
    let rule = "def F : NativeCodeCall<\"success(f($_self, &$0))\">;\n\
        def R : Pat<(Neg (F $x, (location $x))), (replaceWithValue $x)>;\n";
    let warnings = warnings(rule);
    assert!(warnings.contains(&"a location in a source pattern has no effect".to_owned()), "{warnings:?}");
}

//! Runs `drrvm explain`, and checks its output.

use crate::common::command::{Folder, Run};

const OPS: &str = r#"include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def Test_Dialect : Dialect { let name = "test"; let cppNamespace = "test"; }
class Test_Op<string name, dag args> : Op<Test_Dialect, name, [Pure]> {
  let arguments = args;
  let results = (outs I32:$result);
}
def ConstOp : Test_Op<"const", (ins I32Attr:$value)>;
def AddOp : Test_Op<"add", (ins I32:$lhs, I32:$rhs)>;
def MulOp : Test_Op<"mul", (ins I32:$lhs, I32:$rhs)>;
def NegOp : Test_Op<"neg", (ins I32:$x)>;
"#;

const RULES: &str = r#"include "ops.td"
def One : ConstantAttr<I32Attr, "1">;
def HasOneUse : Constraint<CPred<"$0.hasOneUse()">>;
def AreFriends : Constraint<CPred<"areFriends($0, $1)">>;

def MulOne : Pat<(MulOp $x, (ConstOp One)), (replaceWithValue $x)>;
def MulSelf : Pat<(MulOp $x, $x), (NegOp $x)>;
def MulAny : Pat<(MulOp $x, $y), (AddOp (NegOp $x), $y), [], [], (addBenefit -1)>;
def NegNeg : Pat<(NegOp (NegOp:$inner $x)), (replaceWithValue $x), [(HasOneUse $inner)]>;
def Friends : Pat<(AddOp $x, $y), (NegOp $x), [(AreFriends $x, $y)]>;
def Commuted : Pat<(AddOp (either (NegOp $x), (ConstOp $c))), (NegOp $x)>;
"#;

const INPUT: &str = r#""func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
^bb0(%x: i32):
  %two = "test.const"() <{value = 2 : i32}> : () -> i32
  %one = "test.const"() <{value = 1 : i32}> : () -> i32
  %a = "test.mul"(%x, %two) : (i32, i32) -> i32
  %b = "test.mul"(%a, %one) : (i32, i32) -> i32
  %c = "test.neg"(%b) : (i32) -> i32
  %d = "test.neg"(%c) : (i32) -> i32
  %e = "test.add"(%one, %d) : (i32, i32) -> i32
  %f = "test.add"(%c, %e) : (i32, i32) -> i32
  %g = "test.mul"(%f, %f) : (i32, i32) -> i32
  "func.return"(%g) : (i32) -> ()
}) : () -> ()
"#;

fn folder() -> Folder {
    Folder::new(&[("ops.td", OPS), ("rules.td", RULES), ("in.mlir", INPUT)])
}

fn explain(args: &[&str]) -> Run {
    folder().run(&[&["explain", "in.mlir", "--rules", "rules.td"], args].concat())
}

fn explained(args: &[&str]) -> String {
    let run = explain(args);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    run.stdout
}

#[test]
fn a_rule_that_fails_at_one_predicate_is_explained() {
    insta::assert_snapshot!("misses_by_one", explained(&["--at", "5", "--rule", "MulOne"]));
}

#[test]
fn explain_shows_the_rule_that_fires_and_those_it_outranks() {
    // `%b = mul %a, 1`: MulOne outranks MulAny. `%g = mul %f, %f`: MulSelf outranks MulAny.
    insta::assert_snapshot!("outranked", explained(&["--at", "%b", "--at", "%g"]));
}

/// Each rule except `NoOne` fails at one predicate; these predicates are of different kinds. `NoOne` is left out,
/// because its native is not registered.
const KINDS: &str = r#"pdl.pattern @Present : benefit(1) {
  %v = pdl.attribute
  %root = pdl.operation "t.present" {"v" = %v}
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @Operands : benefit(1) {
  %x = pdl.operand
  %y = pdl.operand
  %root = pdl.operation "t.operands"(%x, %y : !pdl.value, !pdl.value)
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @Results : benefit(1) {
  %t = pdl.type
  %root = pdl.operation "t.results" -> (%t, %t : !pdl.type, !pdl.type)
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @ResultType : benefit(1) {
  %t = pdl.type : i64
  %root = pdl.operation "t.result_type" -> (%t : !pdl.type)
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @ResultTypes : benefit(1) {
  %t = pdl.types : [i32, i64]
  %root = pdl.operation "t.result_types" -> (%t : !pdl.range<type>)
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @SameType : benefit(1) {
  %t = pdl.type
  %x = pdl.operand : %t
  %root = pdl.operation "t.same_type"(%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @SameAttr : benefit(1) {
  %v = pdl.attribute
  %root = pdl.operation "t.same_attr" {"v" = %v, "w" = %v}
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @AttrType : benefit(1) {
  %t = pdl.type : i8
  %v = pdl.attribute : %t
  %root = pdl.operation "t.attr_type" {"v" = %v}
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @AttrConstant : benefit(1) {
  %v = pdl.attribute = "yes"
  %root = pdl.operation "t.attr_constant" {"v" = %v}
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @Defined : benefit(1) {
  %t = pdl.type
  %inner = pdl.operation "t.inner" -> (%t : !pdl.type)
  %x = pdl.result 0 of %inner
  %root = pdl.operation "t.defined"(%x : !pdl.value)
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @WhichResult : benefit(1) {
  %t = pdl.type
  %inner = pdl.operation "t.two" -> (%t, %t : !pdl.type, !pdl.type)
  %x = pdl.result 1 of %inner
  %root = pdl.operation "t.which_result"(%x : !pdl.value)
  pdl.rewrite %root { pdl.erase %root }
}
pdl.pattern @Users : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %shared = pdl.operation "t.users"(%x : !pdl.value) -> (%t : !pdl.type)
  %y = pdl.result 0 of %shared
  %user = pdl.operation "t.user"(%y : !pdl.value)
  %other = pdl.operation "t.absent"(%y : !pdl.value)
  pdl.rewrite { pdl.erase %user
 pdl.erase %other }
}
pdl.pattern @NoOne : benefit(1) {
  %root = pdl.operation "t.native"
  pdl.apply_native_constraint "nobody"(%root : !pdl.operation)
  pdl.rewrite %root { pdl.erase %root }
}
"#;

const KINDS_INPUT: &str = r#"%a = "t.one"() : () -> i32
%b:2 = "t.two"() : () -> (i32, i32)
"t.present"() : () -> ()
"t.operands"(%a) : (i32) -> ()
%c = "t.results"() : () -> i32
%d = "t.result_type"() : () -> i32
%e:2 = "t.result_types"() : () -> (i32, i32)
%f = "t.same_type"(%a) : (i32) -> i64
"t.same_attr"() {v = 1 : i32, w = 2 : i32} : () -> ()
"t.attr_type"() {v = 1 : i32} : () -> ()
"t.attr_constant"() {v = "no"} : () -> ()
"t.defined"(%a) : (i32) -> ()
"t.which_result"(%b#0) : (i32) -> ()
%g = "t.users"(%a) : (i32) -> i32
"t.user"(%g) : (i32) -> ()
"t.native"() : () -> ()
"#;

#[test]
fn each_kind_of_predicate_shows_the_actual_value() {
    let folder = Folder::new(&[("kinds.mlir", KINDS), ("in.mlir", KINDS_INPUT)]);
    let run = folder.run(&["explain", "in.mlir", "--rules", "kinds.mlir", "--nearest", "13"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("kinds", run.stdout);
}

#[test]
fn alternatives_and_missing_natives_are_shown() {
    // `%e = add 1, neg` matches only with its operands in the second order.
    insta::assert_snapshot!("choices", explained(&["--at", "test.add"]));
}

#[test]
fn text_does_not_double_at_each_either() {
    let inside = (0..11).fold("(NegOp $x)".to_owned(), |inner, i| format!("(AddOp (either {inner}, $a{i}))"));
    let rules = format!("include \"ops.td\"\ndef Nested : Pat<(AddOp (either {inside}, $a)), (NegOp $x)>;\n");
    let folder = Folder::new(&[("ops.td", OPS), ("rules.td", &rules), ("in.mlir", INPUT)]);
    let run = folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--at", "%f", "--format", "json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let once = "operand 0 (lhs) of the root (or operand 1 (rhs) of the root)";
    let twice = format!("operand 0 (lhs) of the op that defines {once} (or operand 1 (rhs) of the same op)");
    assert!(run.stdout.contains(&format!("the op that defines {once} is 'test.add'")), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("the op that defines {twice} is 'test.add'")), "{}", run.stdout);
    assert!(run.stdout.len() < 50_000, "{}", run.stdout.len());
}

#[test]
fn survey_lists_the_nearest_operations() {
    insta::assert_snapshot!("nearest", explained(&["--nearest", "2"]));
    // With `--rule`, only the nearest operations of that rule are listed.
    let text = explained(&["--nearest", "9", "--rule", "NegNeg"]);
    let places: Vec<&str> = text.lines().filter(|line| line.starts_with("in.mlir:")).collect();
    assert_eq!(places.len(), 2, "{text}");
    assert!(places[0].starts_with("in.mlir:8:"), "{text}");
}

/// The helper sets an attribute of an operation that the rule matches.
#[test]
fn operations_that_a_helper_changes_are_shown() {
    let rules = "include \"ops.td\"\ndef Mark : NativeCodeCall<\"mark($0.getDefiningOp(), $0)\">;\n\
                 def Marks : Pat<(NegOp (NegOp:$inner $x)), (Mark $inner)>;";
    let helpers = "static Value mark(Operation *op, Value v) {\n  \
                   op->setAttr(\"seen\", UnitAttr::get(op->getContext()));\n  return v;\n}";
    let folder =
        Folder::new(&[("ops.td", OPS), ("rules.td", rules), ("in.mlir", INPUT), ("helpers.cpp", helpers)]);
    let run =
        folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--helpers", "helpers.cpp", "--at", "%d"]);
    let effects: Vec<&str> =
        run.stdout.lines().filter_map(|line| line.split_once("=>  ")).map(|l| l.1).collect();
    let [changed, replaced] = effects[..] else { panic!("{}{}", run.stdout, run.stderr) };
    assert!(changed.starts_with("changes %c = \"test.neg\"(%b)"), "{changed}");
    assert!(replaced.starts_with("replaces %d = "), "{replaced}");
}

#[test]
fn json_has_the_content_of_the_text() {
    let text = explained(&["--at", "6", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let op = &report["operations"][0];
    assert_eq!(op["place"], "in.mlir:6:8");
    assert_eq!(op["fires"], "MulOne");
    let rules = op["rules"].as_array().unwrap();
    let verdicts: Vec<_> = rules.iter().map(|r| (r["rule"].as_str(), r["verdict"].as_str())).collect();
    assert_eq!(
        verdicts,
        [
            (Some("MulOne"), Some("fires")),
            (Some("MulSelf"), Some("fails")),
            (Some("MulAny"), Some("outranked"))
        ]
    );
    assert_eq!(
        rules[0]["rewrite"],
        serde_json::json!(["replaces %b = \"test.mul\"(%a, %one) : (i32, i32) -> i32 by %a"])
    );
    assert_eq!(rules[2]["by"], "MulOne");
    let last = rules[1]["tests"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["holds"], &last["found"]), (&false.into(), &"%a : i32, %one : i32".into()));
    let survey: serde_json::Value = serde_json::from_str(&explained(&["--format", "json"])).unwrap();
    assert_eq!((&survey["rules"], &survey["matching"]), (&5.into(), &4.into()));
}

#[test]
fn the_rule_that_fires_at_each_line_is_explained() {
    // Each operation is explained alone, in the original IR.
    let folder = folder();
    for line in 1..=12 {
        let at = line.to_string();
        let run = folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--format", "json", "--at", &at]);
        let expected = match line {
            5 => Some("MulAny"),
            6 => Some("MulOne"),
            9 => Some("Commuted"),
            11 => Some("MulSelf"),
            _ => None,
        };
        if run.status == 1 {
            assert!(run.stderr.contains("has its name on line"), "{}", run.stderr);
            assert_eq!(expected, None, "line {line}: {}", run.stderr);
            continue;
        }
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let fires = report["operations"][0]["fires"].as_str().map(str::to_owned);
        assert_eq!(fires.as_deref(), expected, "line {line}");
    }
}

#[test]
fn errors_in_arguments_are_reported() {
    let mut text = String::new();
    for args in [
        &["--at", "2"][..],
        &["--at", "%x"],
        &["--at", "%nope"],
        &["--at", "test.sub"],
        &["--at", "99"],
        &["--rule", "MulTwo", "--rule", "NegNegNeg"],
    ] {
        let run = explain(args);
        assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{args:?}");
        text += &run.stderr;
    }
    insta::assert_snapshot!("errors_in_arguments", text);
    let folder = Folder::new(&[("in.mlir", "\"test.op\"() : () -> ()\n")]);
    for args in [&["explain", "in.mlir"][..], &["profile", "in.mlir"]] {
        let run = folder.run(args);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.starts_with("error: no rule file is given"), "{}", run.stderr);
    }
    for args in [&["--at", "0"][..], &["--at", "a b"], &["--at", ""], &["--at", "3", "--nearest", "1"]] {
        assert_eq!(explain(args).status, 2, "{args:?}");
    }
}

/// The results of an operation can be on other lines than its name.
#[test]
fn values_are_found_if_line_breaks_surround_their_names() {
    let input = "%x = \"t.one\"() {a = 1 : i32} : () -> i32\n%b,\n%a:2 =\n  \"t.three\"(%x) : (i32) -> (i32, i32, i32)\n\
                 %c =\n\n\"test.neg\"(%a#0) : (i32) -> i32\n\"t.use\"(%b,\n  %a#1) {k = 1 : i32} : (i32, i32) -> ()\n";
    let folder = Folder::new(&[("ops.td", OPS), ("rules.td", RULES), ("in.mlir", input)]);
    for (value, line) in [("%x", ":1:"), ("%a", ":4:"), ("%b", ":4:"), ("%a#1", ":4:"), ("%c", ":7:")] {
        let run = folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--at", value]);
        assert!(run.stdout.contains(line), "{value}: {} {}", run.stdout, run.stderr);
    }
}

/// A long condition in C++ is shortened to its first 160 bytes.
#[test]
fn long_code_is_shortened() {
    for (more, whole) in [(0, true), (1, false), (40, false)] {
        // With its parentheses, the code has 160, 161 or 200 bytes.
        let code = format!("friends($0, \"{}\")", "x".repeat(160 - "(friends($0, \"\"))".len() + more));
        let escaped = code.replace('"', "\\\"");
        let rules = format!(
            "include \"ops.td\"\ndef Long : Constraint<CPred<\"{escaped}\">>;\n\
             def Rule : Pat<(NegOp $x), (replaceWithValue $x), [(Long $x)]>;\n"
        );
        let folder = Folder::new(&[("ops.td", OPS), ("rules.td", &rules), ("in.mlir", INPUT)]);
        let run = folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--at", "%c"]);
        let code = format!("({code})");
        let shown = if whole { format!("`{code}`") } else { format!("`{}…`", &code[..160]) };
        assert!(run.stdout.contains(&shown), "{} {} {}", run.stdout, run.stderr, shown);
    }
}

/// A predicate with an unregistered native is unknown, unless its other parts decide it.
#[test]
fn predicates_with_missing_natives_are_unknown() {
    let rules = r#"include "ops.td"
def Nice : Constraint<CPred<"isNice($0)">>;
def NotNice : Constraint<CPred<"!isNice($0)">>;
def UsedOnceAndNice : Constraint<CPred<"$0.hasOneUse() && isNice($0)">>;
def R1 : Pat<(NegOp:$r $x), (NegOp $x), [(Nice $r)]>;
def R2 : Pat<(NegOp:$r $x), (NegOp $x), [(NotNice $r)]>;
def R3 : Pat<(NegOp:$r $x), (NegOp $x), [(UsedOnceAndNice $r)]>;
"#;
    let folder = Folder::new(&[("ops.td", OPS), ("rules.td", rules), ("in.mlir", INPUT)]);
    let last = |at: &str, rule: &str| {
        let args = ["explain", "in.mlir", "--rules", "rules.td", "--at", at, "--rule", rule];
        let text = folder.run(&args).stdout;
        let json = folder.run(&[&args[..], &["--format", "json"]].concat()).stdout;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let predicates = json["operations"][0]["rules"][0]["tests"].as_array().unwrap();
        let line = text.trim_end().lines().last().unwrap().trim();
        let answer = line.split_whitespace().next().unwrap().to_owned();
        (
            answer,
            line.ends_with("; unknown, because a native is not registered"),
            predicates.last().unwrap()["holds"].clone(),
        )
    };
    let unknown = ("?".to_owned(), true, serde_json::Value::Null);
    for rule in ["R1", "R2", "R3"] {
        assert_eq!(last("%d", rule), unknown, "{rule}");
    }
    // `%c` has two uses, so the first part of the predicate decides.
    assert_eq!(last("%c", "R3"), ("no".to_owned(), false, false.into()));
}

#[test]
fn operations_on_one_line_are_distinguished() {
    let input = "func.func @f(%x: i32) -> i32 { %a = \"test.neg\"(%x) : (i32) -> i32 \
                 %b = \"test.neg\"(%a) : (i32) -> i32 return %x : i32 }\n";
    let folder = Folder::new(&[("ops.td", OPS), ("rules.td", RULES), ("in.mlir", input)]);
    let run = folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--at", "%b", "--rule", "NegNeg"]);
    let first = run.stdout.lines().next().unwrap();
    assert!(first.ends_with(": %b = \"test.neg\"(%a) : (i32) -> i32"), "{}", run.stdout);
    let done = run.stdout.lines().find_map(|line| line.trim().strip_prefix("=>")).unwrap().trim();
    assert_eq!(done, "replaces %b = \"test.neg\"(%a) : (i32) -> i32 by %x");
}

/// With `-mlir-print-debuginfo`, each operation states its position in another file.
#[test]
fn stated_locations_are_shown_beside_the_names_of_the_text() {
    let input = r#"#loc = loc("lib.mlir":40:2)
#loc1 = loc("lib.mlir":42:8)
func.func @f(%x: i32 loc("lib.mlir":40:10)) -> i32 {
  %a = "test.neg"(%x) : (i32) -> i32 loc(#loc1)
  %b = "test.neg"(%a) : (i32) -> i32 loc(fused["lib.mlir":43:9, #loc1])
  "test.use"(%a) : (i32) -> () loc(unknown)
  return %b : i32 loc(#loc)
} loc(#loc)
"#;
    let folder = Folder::new(&[("ops.td", OPS), ("rules.td", RULES), ("in.mlir", input)]);
    let run = folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--at", "%b", "--rule", "NegNeg"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    // A line in `--at` is a line of the text, not of a stated location.
    let same = folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--at", "5", "--rule", "NegNeg"]);
    assert_eq!((same.status, &same.stdout), (0, &run.stdout));
    let mut lines = run.stdout.lines();
    assert_eq!(lines.next(), Some("lib.mlir:43:9: %b = \"test.neg\"(%a) : (i32) -> i32"), "{}", run.stdout);
    assert!(run.stdout.contains("found %a : i32"), "{}", run.stdout);
    assert!(!run.stdout.contains("a result of"), "{}", run.stdout);
    // An operation without a stated position is shown at its line.
    let run = folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--at", "6"]);
    assert!(run.stdout.starts_with("in.mlir:6:3: \"test.use\"(%a) : (i32) -> ()\n"), "{}", run.stdout);
}

/// `Second` matches only the operation that `First` creates. `Third` matches no operation.
#[test]
fn after_explains_the_rewritten_input() {
    let rules = r#"include "ops.td"
def First : Pat<(MulOp $x, $y), (AddOp $x, $y)>;
def Second : Pat<(AddOp $x, $y), (NegOp $x)>;
def Third : Pat<(NegOp (NegOp $x)), (replaceWithValue $x)>;
"#;
    let input = "func.func @f(%x: i32) -> i32 {\n  %a = \"test.mul\"(%x, %x) : (i32, i32) -> i32\n  \
                 return %a : i32\n}\n";
    let folder = Folder::new(&[("ops.td", OPS), ("rules.td", rules), ("in.mlir", input)]);
    let explained = |args: &[&str]| {
        let run = folder.run(&[&["explain", "in.mlir", "--rules", "rules.td"], args].concat());
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        run.stdout
    };
    let before = explained(&[]);
    assert!(before.contains("2 of 3 rules match no operation of the input"), "{before}");
    assert!(before.contains("--after explains the rewritten input"), "{before}");
    let one = explained(&["--after=1", "--at", "test.add"]);
    assert!(one.starts_with("in.mlir after 1 rewrite:3:10: "), "{one}");
    assert!(one.contains("Second (rules.td:3:5), benefit 1: matches and fires"), "{one}");
    let all = explained(&["--after"]);
    assert!(all.contains("3 of 3 rules match no operation of the rewritten input"), "{all}");
    assert!(all.contains("test.neg"), "{all}");
    assert!(!all.contains("--after"), "{all}");
}

/// `explain --after` counts lines as `opt` prints them, including the definitions of aliases before the module.
#[test]
fn lines_after_rewrites_are_those_of_the_output() {
    let rules = "include \"mlir/IR/PatternBase.td\"\ndef T : Dialect { let name = \"t\"; }\n\
        def Neg : Op<T, \"neg\"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }\n\
        def NegNeg : Pat<(Neg (Neg $x)), (replaceWithValue $x)>;\n";
    let module = "\"t.map\"() {m = affine_map<(d0) -> (d0)>} : () -> ()\n%a = \"t.a\"() : () -> i8\n\
        %0 = \"t.neg\"(%a) : (i8) -> i8\n%1 = \"t.neg\"(%0) : (i8) -> i8\n%2 = \"t.neg\"(%1) : (i8) -> i8\n\
        \"t.use\"(%2) : (i8) -> ()\n";
    let folder = Folder::new(&[("rules.td", rules), ("in.mlir", module)]);
    let printed = folder.run(&["opt", "in.mlir", "--rules", "rules.td"]).stdout;
    assert!(printed.starts_with("#map = "), "{printed}");
    let line = printed.lines().position(|line| line.contains("t.neg")).unwrap() + 1;
    let at = line.to_string();
    let run = folder.run(&["explain", "in.mlir", "--rules", "rules.td", "--after", "--at", &at]);
    assert!(
        run.stdout.contains("NegNeg (rules.td:4:5), benefit 2: does not match"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

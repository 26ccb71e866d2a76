use std::sync::Arc;

use super::*;
use crate::compile;
use crate::equivalence::{self, IrGenerator, Random};
use crate::host::{Natives, NoListener};
use crate::ir::{Context, IrHost, Module};
use crate::pdl::random;
use crate::rewrite;
use crate::source::SourceMap;
use crate::vm::{LinkOptions, Matcher};

/// The cycles of rules, by the names of their rules and the number of other rules.
fn cycles(rules: &RuleSet) -> Vec<(Vec<&str>, usize)> {
    let found = find(rules, &EvaluatedConstants::new(rules, &Natives::new())).expect("few rules");
    let name = |rule: PatternId| &rules.strings[rules.patterns[rule].name];
    let names = |cycle: Cycle| (cycle.rules.iter().map(|&rule| name(rule)).collect(), cycle.others);
    found.into_iter().map(names).collect()
}

/// The shortest cycles of TableGen rules, each as the names of its rules.
fn of_td(rules: &str) -> Vec<String> {
    let text = format!(
        r#"include "mlir/IR/PatternBase.td"
include "mlir/IR/AttrTypeBase.td"
def T : Dialect {{ let name = "t"; }}
class Unary<string name> : Op<T, name> {{
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$r);
}}
class Binary<string name> : Op<T, name> {{
  let arguments = (ins AnyType:$x, AnyType:$y, DefaultValuedAttr<I32Attr, "0">:$n);
  let results = (outs AnyType:$r);
}}
def H : Op<T, "h"> {{
  let arguments = (ins AnyType:$x, I32Attr:$m, I32Attr:$n);
  let results = (outs AnyType:$r);
}}
def A : Unary<"a">; def B : Unary<"b">; def C : Unary<"c">; def D : Unary<"d">;
def F : Binary<"f">; def G : Binary<"g">;
def Less : Constraint<CPred<"cast<IntegerAttr>($0).getInt() < cast<IntegerAttr>($1).getInt()">>;
def NotLess : Constraint<CPred<"!(cast<IntegerAttr>($0).getInt() < cast<IntegerAttr>($1).getInt())">>;
def More : Constraint<CPred<"cast<IntegerAttr>($1).getInt() < cast<IntegerAttr>($0).getInt()">>;
def SameType : Constraint<CPred<"$0.getType() == $1.getType()">>;
def OtherType : Constraint<CPred<"$0.getType() != $1.getType()">>;
{rules}
"#
    );
    let mut sources = SourceMap::default();
    let file = sources.add("rules.td", text).expect("the text is small");
    let (rules, loaded) = compile::load_added(&mut sources, &[file], &Default::default());
    assert!(!loaded.diagnostics.has_errors(), "{}", loaded.diagnostics);
    cycles(&rules).into_iter().map(|(names, _)| names.join(" ")).collect()
}

/// Adds a rule that replaces `from(x)` by `to(x)`.
fn rename(rules: &mut RuleSet, name: &str, from: &str, to: &str) {
    use crate::pdl::term::{op, var};
    rules.replacement(name, 1, &op(from, [var("x")]), &op(to, [var("x")])).expect("a valid rule");
}

#[test]
fn the_shortest_cycle_is_found_in_each_set() {
    let mut rules = RuleSet::default();
    for (name, from, to) in [
        ("ab", "t.a", "t.b"),
        ("bc", "t.b", "t.c"),
        ("ca", "t.c", "t.a"),
        ("ax", "t.a", "t.x"),
        ("cb", "t.c", "t.b"),
        ("yy", "t.y", "t.y"),
    ] {
        rename(&mut rules, name, from, to);
    }
    assert_eq!(cycles(&rules), [(vec!["bc", "cb"], 2), (vec!["yy"], 0)]);
    // The flag `recursive` states that a rule terminates. A cycle is ignored only if all of its rules have the flag.
    for rule in rules.patterns.ids().filter(|rule| rule.raw() != 1) {
        rules.patterns[rule].recursive = true;
    }
    assert_eq!(cycles(&rules), [(vec!["bc", "cb"], 2)]);
}

#[test]
fn constraints_that_exclude_each_other_break_a_cycle() {
    let there = "def There : Pat<(F $x, $y, $n), (G $x, $y, $n), [";
    let back = "def Back : Pat<(G $x, $y, $n), (F $x, $y, $n), [";
    let pair = |a: &str, b: &str| of_td(&format!("{there}{a}]>;\n{back}{b}]>;"));
    assert_eq!(pair("", ""), ["Back There"]);
    assert_eq!(pair("(SameType $x, $y)", "(SameType $x, $y)"), ["Back There"]);
    assert_eq!(pair("(SameType $x, $y)", "(OtherType $x, $y)"), [""; 0]);
    assert_eq!(pair("(SameType $x, $y)", "(OtherType $y, $x)"), [""; 0]);
    let width = |width: u32| format!("(Constraint<CPred<\"$0.getType().isInteger({width})\">> $x)");
    assert_eq!(pair(&width(32), &width(32)), ["Back There"]);
    assert_eq!(pair(&width(32), &width(64)), [""; 0]);
    let typed = |a: &str, b: &str| {
        of_td(&format!(
            "def There : Pat<(F {a}:$x, $y, $n), (G $x, $y, $n)>;\ndef Back : Pat<(G {b}:$x, $y, $n), (F $x, $y, $n)>;"
        ))
    };
    assert_eq!(typed("AnyInteger", "I32"), ["Back There"]);
    assert_eq!(typed("AnyInteger", "AnyFloat"), [""; 0]);
}

#[test]
fn disjoint_ranges_of_an_integer_break_a_cycle() {
    let pair = |a: &str, b: &str| {
        let constraint = |text: &str| format!("(Constraint<CPred<\"cast<IntegerAttr>($0){text}\">> $n)");
        of_td(&format!(
            "def There : Pat<(F $x, $y, $n), (G $x, $y, $n), [{}]>;\n\
             def Back : Pat<(G $x, $y, $n), (F $x, $y, $n), [{}]>;",
            constraint(a),
            constraint(b)
        ))
    };
    for (a, b) in [
        (".getInt() < 5", ".getInt() > 4"),
        (".getInt() <= -5", ".getInt() >= -4"),
        (".getInt() == 4", ".getInt() > 4"),
        (".getInt() > 7", ".getInt() < 2"),
        (".getValue().slt(5)", ".getValue().sgt(4)"),
        (".getValue().ule(5)", ".getValue().ugt(5)"),
        (".getValue().sge(0)", ".getValue().sle(-1)"),
    ] {
        assert_eq!(pair(a, b), [""; 0], "{a}, {b}");
        assert_eq!(pair(b, a), [""; 0], "{b}, {a}");
    }
    for (a, b) in [
        (".getInt() < 5", ".getInt() > 3"),
        (".getInt() <= 5", ".getInt() >= 5"),
        (".getInt() != 4", ".getInt() > 4"),
        (".getValue().slt(0)", ".getValue().ugt(10)"),
        (".getValue().slt(5)", ".getValue().sgt(3)"),
    ] {
        assert_eq!(pair(a, b), ["Back There"], "{a}, {b}");
    }
}

#[test]
fn a_comparison_excludes_its_negation_and_its_converse() {
    let rule = |constraint: &str| {
        format!("def Swap : Pat<(H $x, $m, $n), (H $x, $n, $m), [({constraint} $m, $n)]>;")
    };
    // The rule exchanges the attributes, so it applies only once if the constraint is a strict order.
    assert_eq!(of_td(&rule("Less")), [""; 0]);
    assert_eq!(of_td(&rule("More")), [""; 0]);
    assert_eq!(of_td(&rule("NotLess")), ["Swap"]);
}

#[test]
fn a_rule_that_moves_constants_past_variables_ends() {
    let is = |body: &str| {
        format!(
            r#"def Constant : Constraint<CPred<"matchPattern($0, m_Constant())">>;
def Variable : Constraint<CPred<"!matchPattern($0, m_Constant())">>;
def Move : Pat<(F $x, $y, $n), (F $y, $x, $n), [{body}]>;"#
        )
    };
    assert!(of_td(&is("(Constant $x), (Variable $y)")).is_empty());
    assert_eq!(of_td(&is("(Constant $x)")), ["Move"]);
}

#[test]
fn constants_break_a_cycle() {
    let count = |from: &str, to: &str| {
        of_td(&format!(
            "def Count : Pat<(F $x, $y, ConstantAttr<I32Attr, \"{from}\">), (F $x, $y, ConstantAttr<I32Attr, \"{to}\">)>;"
        ))
    };
    assert_eq!(count("7", "8"), [""; 0]);
    assert_eq!(count("7", "7"), ["Count"]);
    let positive = "def Down : Pat<(F $x, $y, ConfinedAttr<I32Attr, [IntPositive]>:$n), \
                    (F $x, $y, ConstantAttr<I32Attr, \"0\">)>;";
    assert_eq!(of_td(positive), [""; 0]);
}

#[test]
fn rules_that_reduce_a_size_break_a_cycle() {
    assert_eq!(of_td("def AA : Pat<(A (A $x)), (A $x)>;"), [""; 0]);
    // Each `t.a` moves down until there is no `t.b` below it.
    assert_eq!(of_td("def Through : Pat<(A (B $x)), (B (A $x))>;"), [""; 0]);
    assert_eq!(
        of_td("def Down : Pat<(A (B $x)), (B (A $x))>;\ndef Up : Pat<(B (A $x)), (A (B $x))>;"),
        ["Down Up"]
    );
    // The number of operations grows, but each `t.a` moves below a `t.f`.
    let distribute = "def Distribute : Pat<(A (F $x, $y, $n)), (F (A $y), (A $x), $n)>;\n";
    assert_eq!(of_td(distribute), [""; 0]);
    let gather = "def Gather : Pat<(F (A $x), (A $y), $n), (A (F $x, $y, $n))>;";
    assert_eq!(of_td(&format!("{distribute}{gather}")), ["Distribute Gather"]);
    // A snippet computes an operand, but the number of `t.c` falls.
    let made = "def Made : NativeCodeCall<\"$0.getDefiningOp()->getOperand(0)\">;\n";
    assert_eq!(
        of_td(&format!(
            "{made}def Fewer : Pat<(C (A:$a $x)), (B (Made $a))>;\n{renames}",
            renames = "def BA : Pat<(B $x), (A $x)>;"
        )),
        [""; 0]
    );
    // An unknown native may create a `t.c`.
    assert_eq!(
        of_td(
            "def Unknown : NativeCodeCall<\"unknown($0)\">;\n\
             def Same : Pat<(C (A:$a $x)), (B (Unknown $a))>;\n\
             def BC : Pat<(B $x), (C $x)>;"
        ),
        ["BC Same"]
    );
    // One of the rules removes a `t.a`, and the other rule does not create one.
    let renames = "def BC : Pat<(B $x), (C $x)>;\n";
    assert_eq!(of_td(&format!("{renames}def Drop : Pat<(A (C $x)), (B $x)>;")), [""; 0]);
    assert_eq!(of_td(&format!("{renames}def Keep : Pat<(A (C $x)), (A (B $x))>;")), ["BC Keep"]);
    assert_eq!(of_td("def Grow : Pat<(A $x), (B (A $x))>;"), ["Grow"]);
    // Both new operations weigh less than the replaced operation.
    assert_eq!(of_td("def Sink : Pat<(F (A $x), (A $y), $n), (A (F $x, $y, $n))>;"), [""; 0]);
}

/// A range of operands can be empty, so an operation without operands is not always smaller.
#[test]
fn a_rule_that_drops_a_range_can_repeat() {
    let many = "def Many : Op<T, \"many\"> { let arguments = (ins Variadic<AnyType>:$x); let results = (outs AnyType:$r); }\n";
    assert_eq!(of_td(&format!("{many}def Drop : Pat<(Many $x), (Many (variadic))>;")), ["Drop"]);
    assert_eq!(of_td(&format!("{many}def One : Pat<(Many (variadic $x)), (Many (variadic))>;")), [""; 0]);
}

/// A new range can stand for several operands that another rule matches one by one.
#[test]
fn a_range_that_a_rule_creates_can_be_two_operands() {
    let mut rules = RuleSet::default();
    let mut make = rules.pattern("make", 1);
    let x = make.value();
    let root = make.op("t.a").operand(x).matched();
    let ty = make.type_of(x);
    let parts = [(); 2].map(|()| {
        let part = make.create("t.c").result_type(ty).created();
        make.result_of(part, 0)
    });
    let range = make.range(parts);
    let new = make.create("t.x").operand(range).result_type(ty).created();
    make.replace_by_op(root, new);
    make.finish().expect("a valid rule");
    let mut take = rules.pattern("take", 1);
    let inner = take.op("t.c").matched();
    let (first, second) = (take.result(inner, 0), take.value());
    let root = take.op("t.x").operand(first).operand(second).matched();
    let ty = take.type_of(second);
    let new = take.create("t.a").operand(second).result_type(ty).created();
    take.replace_by_op(root, new);
    take.finish().expect("a valid rule");
    assert_eq!(cycles(&rules), [(vec!["make", "take"], 0)]);
}

#[test]
fn the_number_of_comparisons_is_bounded() {
    let mut rules = RuleSet::default();
    for number in 0..1500 {
        rename(&mut rules, &format!("r{number}"), "t.a", "t.a");
    }
    assert_eq!(find(&rules, &EvaluatedConstants::new(&rules, &Natives::new())), Err(TooManyPairs));
}

/// If the greedy driver repeats a sequence of rules, these rules have a cycle.
#[test]
fn rules_that_a_driver_repeats_have_a_cycle() {
    let random = Random::new(crate::test_seed::seed());
    let natives = random::natives(|_: &IrHost, ty| ty == Context::I32);
    let sets = if std::env::var_os("DRRVM_FULL").is_some() { 20_000 } else { 300 };
    let mut repeated = 0;
    for set in 0..sets {
        let mut random = random.fork(set);
        let length = 20 + random.below(120);
        let bytes: Vec<u8> = (0..length).map(|_| random.number().to_le_bytes()[0]).collect();
        let rules = random::rewriting_rules(&bytes);
        let mut context = Context::new();
        let module = Module::new(&mut context);
        let mut host = IrHost::new(context, module);
        let how = equivalence::Config::default().seed(set).instances(2).attempts(24);
        let Ok(generator) = IrGenerator::new(&[&rules], &mut host, &natives, &how) else { continue };
        let Ok(program) = compile::program(&rules) else { continue };
        let matcher = Matcher::link(Arc::new(program), &mut host, &natives, &LinkOptions::default());
        let matcher = matcher.expect("all natives are registered");
        for case in 0..3 {
            generator.generate(case, &mut host);
            let root = host.module.top();
            let config = rewrite::Config::default().max_rewrites(Some(600));
            let report = rewrite::apply_greedily(&mut host, root, &matcher, &config, &mut NoListener);
            let Some(repeats) = report.not_converged.and_then(|stopped| stopped.cycle) else { continue };
            let repeating = rules.with_patterns(repeats.iter().map(|&rule| rules.patterns[rule].clone()));
            let found = find(&repeating, &EvaluatedConstants::new(&repeating, &natives)).expect("few rules");
            assert!(
                !found.is_empty(),
                "set {set}, case {case}: {repeats:?}\n{}",
                crate::pdl::print(&repeating)
            );
            repeated += 1;
        }
    }
    assert!(repeated > 20, "too few endless runs: {repeated}");
}

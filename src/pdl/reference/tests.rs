use super::*;
use crate::host::mock::Mock;
use crate::host::{Entity, Natives};
use crate::host::{Kind, Signature, arg};
use crate::pdl::builder::PatternBuilder;
use crate::pdl::match_part::{Arg, Call, Callee, GroupSplit};
use crate::pdl::rule_set::RuleSet;

/// The number of matches of a rule at each operation of the block.
fn counts(ir: &mut Mock, build: impl FnOnce(&mut PatternBuilder<'_>)) -> Vec<usize> {
    counts_with(ir, &Natives::new(), build)
}

fn counts_with(
    ir: &mut Mock,
    natives: &Natives<Mock>,
    build: impl FnOnce(&mut PatternBuilder<'_>),
) -> Vec<usize> {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    build(&mut rule);
    rule.finish().expect("a valid rule");
    let matcher = ReferenceMatcher::new(&rules, ir, natives).expect("links");
    ir.block().iter().map(|&op| matcher.matches(ir, op).count()).collect()
}

#[test]
fn names_attributes_types_and_nesting() {
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    let zero = ir.value("t.const", &[], &[("value", "0 : i32")], "i32");
    let one = ir.value("t.const", &[], &[("value", "1 : i32")], "i32");
    ir.value("t.add", &[x, zero], &[], "i32");
    ir.value("t.add", &[x, one], &[], "i32");
    ir.value("t.add", &[zero, x], &[], "i32");
    ir.value("t.mul", &[x, zero], &[], "i32");
    let add_zero = |ty: Option<&'static str>| {
        move |rule: &mut PatternBuilder<'_>| {
            let ty = match ty {
                Some(ty) => rule.type_constant(ty),
                None => rule.any_type(),
            };
            let x = rule.value_of(ty);
            let value = rule.attr_constant("0 : i32");
            let constant = rule.op("t.const").no_operands().attr("value", value).matched();
            let zero = rule.result(constant, 0);
            rule.op("t.add").operand(x).operand(zero).matched();
        }
    };
    assert_eq!(counts(&mut ir, add_zero(None)), [0, 0, 1, 0, 0, 0]);
    assert_eq!(counts(&mut ir, add_zero(Some("i32"))), [0, 0, 1, 0, 0, 0]);
    assert_eq!(counts(&mut ir, add_zero(Some("i64"))), [0; 6]);
    let any_binary = |rule: &mut PatternBuilder<'_>| {
        let (a, b) = (rule.value(), rule.value());
        rule.any_op().operand(a).operand(b).matched();
    };
    assert_eq!(counts(&mut ir, any_binary), [0, 0, 1, 1, 1, 1]);
    let open = |rule: &mut PatternBuilder<'_>| {
        rule.any_op().matched();
    };
    assert_eq!(counts(&mut ir, open), [1; 6]);
}

#[test]
fn two_uses_of_a_node_are_an_equality() {
    let mut ir = Mock::default();
    let (x, y) = (ir.arg("i32"), ir.arg("i64"));
    ir.op("t.two", &[x, x], &[], &["i32"]);
    ir.op("t.two", &[x, y], &[], &["i32"]);
    ir.op("t.two", &[x, y], &[], &["i64"]);
    let same_value = |rule: &mut PatternBuilder<'_>| {
        let a = rule.value();
        rule.op("t.two").operand(a).operand(a).matched();
    };
    assert_eq!(counts(&mut ir, same_value), [1, 0, 0]);
    let same_type = |rule: &mut PatternBuilder<'_>| {
        let ty = rule.any_type();
        let (a, b) = (rule.value(), rule.value_of(ty));
        rule.op("t.two").operand(a).operand(b).result_type(ty).matched();
    };
    assert_eq!(counts(&mut ir, same_type), [1, 0, 1]);
}

#[test]
fn result_numbers_and_any_result() {
    let mut ir = Mock::default();
    let pair = ir.op("t.pair", &[], &[], &["i32", "i32"]);
    let (first, second) = (ir.result(pair, 0), ir.result(pair, 1));
    ir.op("t.use", &[first], &[], &[]);
    ir.op("t.use", &[second], &[], &[]);
    let numbered = |index| {
        move |rule: &mut PatternBuilder<'_>| {
            let pair = rule.op("t.pair").matched();
            let x = rule.result(pair, index);
            rule.op("t.use").operand(x).matched();
        }
    };
    assert_eq!(counts(&mut ir, numbered(0)), [0, 1, 0]);
    assert_eq!(counts(&mut ir, numbered(1)), [0, 0, 1]);
    assert_eq!(counts(&mut ir, numbered(2)), [0, 0, 0]);
    let any = |rule: &mut PatternBuilder<'_>| {
        let pair = rule.op("t.pair").matched();
        let x = rule.defined_by(pair);
        rule.op("t.use").operand(x).matched();
    };
    assert_eq!(counts(&mut ir, any), [0, 1, 1]);
}

#[test]
fn a_split_divides_operands_into_groups() {
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    for n in 0..6 {
        ir.op("t.many", &vec![x; n], &[("sizes", "array<i32: 1, 2, 1>")], &[]);
    }
    let split = |split: fn(&mut PatternBuilder<'_>) -> GroupSplit| {
        move |rule: &mut PatternBuilder<'_>| {
            let (a, b, c) = (rule.values(), rule.value(), rule.values());
            let split = split(rule);
            let many = rule.op("t.many").operands(a).operand(b).operands(c);
            many.operand_split(split).matched();
        }
    };
    assert_eq!(counts(&mut ir, split(|_| GroupSplit::Equal)), [0, 1, 0, 1, 0, 1]);
    let by_attribute =
        |rule: &mut PatternBuilder<'_>| GroupSplit::Attribute(rule.rules().strings.intern("sizes"));
    // The middle group has one value, but the attribute states two.
    assert_eq!(counts(&mut ir, split(by_attribute)), [0; 6]);
    let rest = |rule: &mut PatternBuilder<'_>| {
        let (a, b) = (rule.value(), rule.values());
        rule.op("t.many").operand(a).operands(b).operand(a).matched();
    };
    assert_eq!(counts(&mut ir, rest), [0, 0, 1, 1, 1, 1]);
    let optional = |rule: &mut PatternBuilder<'_>| {
        let (a, b) = (rule.value(), rule.value());
        rule.op("t.many").operand(a).optional_operand(b).matched();
    };
    assert_eq!(counts(&mut ir, optional), [0, 1, 1, 0, 0, 0]);
    let three = |rule: &mut PatternBuilder<'_>| {
        let (a, b, c) = (rule.values(), rule.values(), rule.values());
        let split = by_attribute(rule);
        let many = rule.op("t.many").operands(a).operands(b).operands(c);
        many.operand_split(split).matched();
    };
    assert_eq!(counts(&mut ir, three), [0, 0, 0, 0, 1, 0]);
}

#[test]
fn ranges_are_compared_whole() {
    let mut ir = Mock::default();
    let (x, y) = (ir.arg("i32"), ir.arg("i32"));
    let a = ir.op("t.inner", &[x, y], &[], &["i32", "i32"]);
    let values = [ir.result(a, 0), ir.result(a, 1)];
    ir.op("t.outer", &values, &[], &[]);
    ir.op("t.outer", &values[..1], &[], &[]);
    ir.op("t.outer", &[], &[], &[]);
    let all_results = |rule: &mut PatternBuilder<'_>| {
        let inner = rule.op("t.inner").matched();
        let results = rule.results(inner);
        rule.op("t.outer").operands(results).matched();
    };
    // The last operation has no operands, so no path leads to a `t.inner`.
    assert_eq!(counts(&mut ir, all_results), [0, 1, 0, 0]);
    let typed = |rule: &mut PatternBuilder<'_>| {
        let types = rule.types_constant(&["i32", "i32"]);
        let values = rule.values_of(types);
        rule.any_op().operands(values).matched();
    };
    assert_eq!(counts(&mut ir, typed), [1, 1, 0, 0]);
}

#[test]
fn absent_attributes() {
    let mut ir = Mock::default();
    ir.op("t.a", &[], &[("v", "1 : i32")], &[]);
    ir.op("t.a", &[], &[], &[]);
    let required = |rule: &mut PatternBuilder<'_>| {
        let v = rule.any_attr();
        rule.op("t.a").attr("v", v).matched();
    };
    assert_eq!(counts(&mut ir, required), [1, 0]);
    let optional = |rule: &mut PatternBuilder<'_>| {
        let v = rule.any_attr();
        rule.op("t.a").optional_attr("v", v).matched();
    };
    assert_eq!(counts(&mut ir, optional), [1, 1]);
    let default = |value: &'static str| {
        move |rule: &mut PatternBuilder<'_>| {
            let v = rule.attr_constant(value);
            rule.op("t.a").default_attr("v", v, "7 : i32").matched();
        }
    };
    assert_eq!(counts(&mut ir, default("1 : i32")), [1, 0]);
    assert_eq!(counts(&mut ir, default("7 : i32")), [0, 1]);
    let typed_null = |rule: &mut PatternBuilder<'_>| {
        let ty = rule.any_type();
        let v = rule.attr_of(ty);
        rule.op("t.a").optional_attr("v", v).matched();
    };
    assert_eq!(counts(&mut ir, typed_null), [1, 0]);
}

#[test]
fn either_takes_an_order_that_satisfies_the_constraint() {
    let mut ir = Mock::default();
    let (x, y) = (ir.arg("i32"), ir.arg("i64"));
    let xy = ir.op("t.add", &[x, y], &[], &[]);
    let yx = ir.op("t.add", &[y, x], &[], &[]);
    let xx = ir.op("t.add", &[x, x], &[], &[]);
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    let (a, b) = (rule.value(), rule.value());
    rule.op("t.add").operand(a).operand(b).either(0, 1).matched();
    rule.constraint("is_i64", [b]);
    rule.finish().expect("a valid rule");
    let natives = Natives::new()
        .constraint("is_i64", |ir: &Mock, value: arg::Value<Mock>| ir.str(ir.value_type(value.0).0) == "i64");
    let matcher = ReferenceMatcher::new(&rules, &mut ir, &natives).expect("links");
    for (op, found) in [(xy, Some((x, y))), (yx, Some((x, y))), (xx, None)] {
        let matches: Vec<_> = matcher.matches(&ir, op).collect();
        let bound = |m: &Match<Mock>| (m.binding(a).clone(), m.binding(b).clone());
        let expected = found.map(|(a, b)| (Entity::Value(Some(a)), Entity::Value(Some(b))));
        assert_eq!(matches.iter().map(bound).collect::<Vec<_>>(), Vec::from_iter(expected));
    }
}

#[test]
fn a_failed_choice_is_undone() {
    // The first `t.sub` matches only if the operands of `t.add` match in the second order.
    let mut ir = Mock::default();
    let (x, y) = (ir.arg("i32"), ir.arg("i32"));
    let inner = ir.value("t.add", &[x, y], &[], "i32");
    ir.op("t.sub", &[inner, x], &[], &[]);
    ir.op("t.sub", &[inner, y], &[], &[]);
    let found = counts(&mut ir, |rule| {
        let (a, b) = (rule.value(), rule.value());
        let add = rule.op("t.add").operand(a).operand(b).either(0, 1).matched();
        let sum = rule.result(add, 0);
        rule.op("t.sub").operand(sum).operand(b).matched();
    });
    assert_eq!(found, [0, 1, 1]);
}

#[test]
fn users_are_tried_newest_first() {
    let mut ir = Mock::default();
    let x = ir.value("t.base", &[], &[], "i32");
    let a = ir.op("t.a", &[x], &[], &[]);
    let b1 = ir.op("t.b", &[x], &[], &[]);
    let other = ir.arg("i32");
    ir.op("t.b", &[other], &[], &[]);
    let b2 = ir.op("t.b", &[x], &[], &[]);
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    let base = rule.op("t.base").matched();
    let value = rule.result(base, 0);
    rule.op("t.a").operand(value).matched();
    let b = rule.op("t.b").operand(value).matched();
    rule.finish().expect("a valid rule");
    let matcher = ReferenceMatcher::new(&rules, &mut ir, &Natives::new()).expect("links");
    let found: Vec<_> = matcher.matches(&ir, a).map(|m| m.binding(b).clone()).collect();
    assert_eq!(found, [Entity::Op(b2), Entity::Op(b1)]);
    assert_eq!(matcher.matches(&ir, b1).count(), 0, "the anchor is t.a");
}

#[test]
fn rules_are_tried_by_benefit_then_named_root_then_place_in_the_list() {
    let mut ir = Mock::default();
    let op = ir.op("t.a", &[], &[], &[]);
    let mut rules = RuleSet::default();
    for (name, benefit, any) in
        [("any1", 1, true), ("a1", 1, false), ("any2", 2, true), ("b1", 1, false), ("c0", 0, false)]
    {
        let mut rule = rules.pattern(name, benefit);
        let node = if any { rule.any_op() } else { rule.op("t.a") };
        node.matched();
        rule.finish().expect("a valid rule");
    }
    let matcher = ReferenceMatcher::new(&rules, &mut ir, &Natives::new()).expect("links");
    let names: Vec<&str> =
        matcher.matches(&ir, op).map(|m| &rules.strings[rules.patterns[m.pattern].name]).collect();
    assert_eq!(names, ["any2", "a1", "b1", "any1", "c0"]);
}

#[test]
fn constraints_can_be_negated_and_bind_results() {
    let mut ir = Mock::default();
    let (x, y) = (ir.arg("i32"), ir.arg("i64"));
    ir.op("t.a", &[x, x], &[], &["i32"]);
    ir.op("t.a", &[x, y], &[], &["i32"]);
    ir.op("t.a", &[y, y], &[], &["i64"]);
    let is_i32 = |ir: &Mock, value: &Entity<Mock>| match value {
        Entity::Value(Some(value)) => ir.str(ir.value_type(*value).0) == "i32",
        _ => false,
    };
    let type_of = Signature::new([Kind::Value], [Kind::Type]);
    let natives = Natives::new()
        .constraint("is_i32", move |ir: &Mock, of: Entity<Mock>| is_i32(ir, &of))
        .constraint_with("type_of", type_of, true, |ir: &Mock, args| match args {
            [Entity::Value(Some(value))] => Some(vec![Entity::Type(ir.value_type(*value))]),
            _ => None,
        });
    let two = |rule: &mut PatternBuilder<'_>| {
        let (a, b, ty) = (rule.value(), rule.value(), rule.any_type());
        rule.op("t.a").operand(a).operand(b).result_type(ty).matched();
        (a, b, ty)
    };
    let holds = |rule: &mut PatternBuilder<'_>| {
        let (_, b, _) = two(rule);
        rule.constraint("is_i32", [b]);
    };
    assert_eq!(counts_with(&mut ir, &natives, holds), [1, 0, 0]);
    let negated = |rule: &mut PatternBuilder<'_>| {
        let (_, b, _) = two(rule);
        rule.forbid("is_i32", [b]);
    };
    assert_eq!(counts_with(&mut ir, &natives, negated), [0, 1, 1]);
    let result_is_a_node = |rule: &mut PatternBuilder<'_>| {
        let (a, b, ty) = two(rule);
        let callee = Callee::Native(rule.rules().strings.intern("type_of"));
        let args = vec![Arg::Of(b)];
        let span = crate::source::Span::NONE;
        rule.call_constraint(Call { callee, args, results: vec![ty], negated: false, span });
        let _ = a;
    };
    assert_eq!(counts_with(&mut ir, &natives, result_is_a_node), [1, 0, 1]);
    let each = |rule: &mut PatternBuilder<'_>| {
        let all = rule.values();
        rule.op("t.a").operands(all).matched();
        rule.constraint("is_i32", [Arg::Each(all)]);
    };
    assert_eq!(counts_with(&mut ir, &natives, each), [1, 0, 0]);
}

#[test]
fn missing_natives_are_reported_together() {
    let mut ir = Mock::default();
    let mut rules = RuleSet::default();
    for name in ["first", "second"] {
        let mut rule = rules.pattern(name, 1);
        let op = rule.op("t.a").matched();
        rule.constraint("absent", [op]);
        rule.constraint("other", [Arg::Of(op), Arg::Int(1)]);
        rule.finish().expect("a valid rule");
    }
    let natives = Natives::new().constraint("other", |_: &Mock, _: arg::Value<Mock>| true);
    let found = ReferenceMatcher::new(&rules, &mut ir, &natives).err().expect("two natives are missing");
    let text: Vec<_> = found.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        text,
        [
            "native constraint 'absent' is not registered, but 2 rules call it as (operation)",
            "native constraint 'other' is registered as (value), but 2 rules call it as (operation, integer)"
        ]
    );
}

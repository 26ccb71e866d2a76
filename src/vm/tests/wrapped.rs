//! Tests of layers: cost models, and the layer that bounds the recursion of rules.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Found, by_reference, found_by, generate, link};
use crate::host::mock::Mock;
use crate::host::{Kind, Natives, NoListener, Refusal, Rewriter, arg};
use crate::id::Id;
use crate::matcher_tree::Config;
use crate::pdl::{PatternBuilder, PatternId, RuleSet};
use crate::rewrite::{self, apply_greedily};
use crate::vm::{Automaton, CostModel, Engine, Matcher, NonRecursive};

/// The matches of the rules that are not dropped.
fn kept(found: Found, cost: impl Fn(PatternId) -> Option<u16>) -> Found {
    found.into_iter().filter(|&(_, rule, _)| cost(rule).is_some()).collect()
}

proptest! {
    #![proptest_config(crate::test_seed::config())]
    #[test]
    fn a_cost_model_replaces_the_benefits(
        rules in proptest::collection::vec(any::<u8>(), 0..500),
        ir in proptest::collection::vec(any::<u8>(), 0..400),
        costs in proptest::collection::vec(proptest::option::weighted(0.8, 0..6u16), 64),
    ) {
        let rules = generate::rules(&rules);
        let mut ir = generate::ir(&ir);
        let natives = generate::natives();
        let cost = |rule: PatternId| costs[rule.index() % costs.len()];
        let mut changed = rules.clone();
        for rule in rules.patterns.ids() {
            changed.patterns[rule].benefit = cost(rule).unwrap_or(0);
        }
        let expected = kept(by_reference(&changed, &mut ir, &natives), cost);
        let matcher = link(&rules, &Config::new(), &mut ir, &natives);
        let engine = matcher.with_cost_model(cost);
        prop_assert_eq!(found_by(&engine, &rules, &ir), expected.clone(), "{}", ir.text());
        let dropped: Vec<_> = rules.patterns.ids().filter(|&rule| cost(rule).is_none()).collect();
        prop_assert_eq!(engine.dropped().collect::<Vec<_>>(), dropped);

        let matcher = Arc::new(link(&rules, &Config::new(), &mut ir, &natives));
        let automaton = CostModel::new(Automaton::new(matcher.clone()), cost);
        prop_assert_eq!(found_by(&automaton, &rules, &ir), expected);

        // A model that keeps the order, and a model that only drops rules.
        let tripled = |rule: PatternId| Some(rules.patterns[rule].benefit * 3 + 1);
        let unchanged = found_by(&*matcher, &rules, &ir);
        let same = CostModel::new(Automaton::new(matcher.clone()), tripled);
        prop_assert_eq!(found_by(&same, &rules, &ir), unchanged.clone());
        let dropping = |rule: PatternId| tripled(rule).filter(|_| cost(rule).is_some());
        let fewer = CostModel::new(Automaton::new(matcher), dropping);
        prop_assert_eq!(found_by(&fewer, &rules, &ir), kept(unchanged, dropping));
    }
}

#[test]
fn the_rule_to_which_the_cost_model_gives_a_higher_benefit_is_applied() {
    let mut rules = RuleSet::default();
    for (name, benefit, makes) in [("low", 1, "t.low"), ("high", 9, "t.high")] {
        let mut rule = rules.pattern(name, benefit);
        let root = rule.op("t.old").matched();
        let new = rule.create(makes).created();
        rule.replace_by_op(root, new);
        rule.finish().expect("a valid rule");
    }
    let makes = |cost: fn(PatternId) -> Option<u16>| {
        let mut ir = Mock::default();
        ir.op("t.old", &[], &[], &[]);
        let engine = link(&rules, &Config::new(), &mut ir, &Natives::new()).with_cost_model(cost);
        let root = ir.module();
        apply_greedily(&mut ir, root, &engine, &rewrite::Config::default(), &mut NoListener);
        ir.text()
    };
    assert_eq!(makes(|rule| Some(if rule.raw() == 0 { 2 } else { 1 })), "t.low() @loc1\n");
    assert_eq!(makes(|rule| Some(if rule.raw() == 0 { 1 } else { 2 })), "t.high() @loc1\n");
    assert_eq!(makes(|rule| (rule.raw() == 0).then_some(0)), "t.low() @loc1\n");
    assert_eq!(makes(|_| None), "t.old() @loc1\n");
}

fn natives() -> Natives<Mock> {
    Natives::new().rewrite("less", |rewriter: &mut Rewriter<'_, Mock>, of: arg::Attr<Mock>| {
        let number = rewriter.host().str(of.0.0).split(' ').next().and_then(|n| n.parse::<u32>().ok());
        let less = number
            .and_then(|n| n.checked_sub(1))
            .ok_or_else(|| Refusal::new("there is no smaller number"))?;
        Ok(arg::Attr::<Mock>(rewriter.host_mut().attribute(&format!("{less} : i32"))))
    })
}

/// Builds a rule that replaces an operation `from` by an operation `to` whose attribute `v` is smaller by 1. The
/// rewrite refuses 0.
fn count_down(rule: &mut PatternBuilder<'_>, from: &str, to: &str) {
    let value = rule.any_attr();
    let root = rule.op(from).attr("v", value).matched();
    let less = rule.rewrite_call("less", [value], &[Kind::Attr])[0];
    let new = rule.create(to).attr("v", less).created();
    rule.replace_by_op(root, new);
}

/// Applies rules that count down. The input is a `t.a` with the number 9. Returns the resulting operation and the
/// number of rewrites. Each entry of `steps` has the operation that a rule matches, the operation that it creates, and
/// true if the rule is marked as recursive.
fn count_down_from_9(steps: &[(&str, &str, bool)], bounded: bool) -> (String, u64) {
    let mut rules = RuleSet::default();
    for (index, &(from, to, recursive)) in steps.iter().enumerate() {
        let mut rule = rules.pattern(&format!("rule{index}"), 1);
        count_down(&mut rule, from, to);
        if recursive {
            rule.recursive();
        }
        rule.finish().expect("a valid rule");
    }
    let mut ir = Mock::default();
    ir.op("t.a", &[], &[("v", "9 : i32")], &[]);
    let engine: Matcher<Mock> = link(&rules, &Config::new(), &mut ir, &natives());
    let (root, config) = (ir.module(), rewrite::Config::default());
    let report = if bounded {
        apply_greedily(&mut ir, root, &NonRecursive::new(engine), &config, &mut NoListener)
    } else {
        apply_greedily(&mut ir, root, &engine, &config, &mut NoListener)
    };
    assert!(report.not_converged.is_none());
    (ir.text().split(" @").next().expect("an operation").to_owned(), report.rewrites)
}

#[test]
fn an_unmarked_rule_is_not_applied_to_operations_that_it_created() {
    let left = |op: &str, value: u32, rewrites: u64| (format!("t.{op}() {{ v = {value} : i32 }}"), rewrites);
    let one = |marked| [("t.a", "t.a", marked)];
    assert_eq!(count_down_from_9(&one(false), false), left("a", 0, 9));
    assert_eq!(count_down_from_9(&one(false), true), left("a", 8, 1));
    assert_eq!(count_down_from_9(&one(true), true), left("a", 0, 9));
    // Each of two rules matches the operations that the other rule creates. An unmarked rule is applied once.
    let two = |first, second| [("t.a", "t.b", first), ("t.b", "t.a", second)];
    assert_eq!(count_down_from_9(&two(false, false), false), left("b", 0, 9));
    assert_eq!(count_down_from_9(&two(false, false), true), left("a", 7, 2));
    assert_eq!(count_down_from_9(&two(true, false), true), left("b", 6, 3));
    assert_eq!(count_down_from_9(&two(true, true), true), left("b", 0, 9));
}

#[test]
fn an_unmarked_rule_is_applied_to_each_operation_of_the_input() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    count_down(&mut rule, "t.a", "t.a");
    rule.finish().expect("a valid rule");
    let mut ir = Mock::default();
    for value in ["5 : i32", "7 : i32"] {
        ir.op("t.a", &[], &[("v", value)], &[]);
    }
    let engine = NonRecursive::new(link(&rules, &Config::new(), &mut ir, &natives()));
    let mut cache = engine.cache();
    let ops = ir.block().to_vec();
    for op in ops {
        assert!(engine.apply(&mut ir, op, &mut cache, &mut NoListener).applied.is_some());
    }
    // Each operation was rewritten once. The rule created the replacements, so it is not applied to them.
    let ops = ir.block().to_vec();
    for op in ops {
        assert!(engine.apply(&mut ir, op, &mut cache, &mut NoListener).applied.is_none());
    }
}

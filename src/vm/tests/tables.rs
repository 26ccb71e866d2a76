//! Tests of the automaton's tables at their limits: many classes, many steps, equal operands.

use super::automaton::{automaton, found_with, without_bindings};
use super::*;

/// Checks that the automaton finds the matches of the reference matcher: while it makes its tables, from existing
/// labels, and from new labels with complete tables.
fn agrees(rules: &RuleSet, ir: &mut Mock, at_least: usize) {
    let natives = Natives::new();
    let expected = without_bindings(by_reference(rules, ir, &natives));
    assert!(expected.len() >= at_least, "{} matches", expected.len());
    let automaton = automaton(rules, ir, &natives);
    let mut cache = automaton.cache();
    for _ in 0..3 {
        assert_eq!(found_with(&automaton, &mut cache, ir), expected);
        assert_eq!(found_with(&automaton, &mut cache, ir), expected);
        cache.forget_labels();
    }
    assert!(!cache.has_given_up());
}

/// An operand has more classes than fit in a byte.
#[test]
fn an_operand_may_have_many_classes() {
    let (mut rules, mut ir) = (RuleSet::default(), Mock::default());
    let x = ir.arg("i32");
    for i in 0..300 {
        let mut rule = rules.pattern(&format!("r{i}"), 1);
        let below = rule.op(&format!("t.n{i}")).matched();
        let (value, other) = (rule.result(below, 0), rule.value());
        let root = rule.op("t.root").operand(value).operand(other).matched();
        rule.erase(root);
        rule.finish().expect("a valid rule");
        let below = ir.value(&format!("t.n{i}"), &[], &[], "i32");
        ir.op("t.root", &[below, x], &[], &["i32"]);
        ir.op("t.root", &[x, below], &[], &["i32"]);
    }
    agrees(&rules, &mut ir, 300);
}

#[test]
fn rules_may_test_more_operands_than_a_plan_has_steps() {
    let (mut rules, mut ir) = (RuleSet::default(), Mock::default());
    for count in [7, 8, 12] {
        let mut rule = rules.pattern(&format!("r{count}"), 1);
        let below: Vec<_> = (0..count).map(|i| rule.op(&format!("t.n{}", i % 3)).matched()).collect();
        let values: Vec<_> = below.into_iter().map(|op| rule.result(op, 0)).collect();
        let mut root = rule.op("t.root");
        for value in values {
            root = root.operand(value);
        }
        let root = root.matched();
        rule.erase(root);
        rule.finish().expect("a valid rule");
    }
    let leaves: Vec<_> = (0..3).map(|i| ir.value(&format!("t.n{i}"), &[], &[], "i32")).collect();
    for count in [6, 7, 8, 12] {
        let operands: Vec<_> = (0..count).map(|i| leaves[i % 3]).collect();
        ir.op("t.root", &operands, &[], &[]);
        for wrong in 0..count {
            let mut operands = operands.clone();
            operands[wrong] = leaves[(wrong + 1) % 3];
            ir.op("t.root", &operands, &[], &[]);
        }
    }
    agrees(&rules, &mut ir, 3);
}

#[test]
fn rules_may_test_more_attributes_than_a_plan_has_steps() {
    let (mut rules, mut ir) = (RuleSet::default(), Mock::default());
    let names: Vec<String> = (0..11).map(|i| format!("a{i}")).collect();
    let mut rule = rules.pattern("all", 2);
    let value = rule.attr_constant("1 : i32");
    let mut root = rule.op("t.root");
    for name in &names {
        root = root.attr(name, value);
    }
    let root = root.matched();
    rule.erase(root);
    rule.finish().expect("a valid rule");
    for name in &names {
        let mut rule = rules.pattern(name, 1);
        let value = rule.attr_constant("2 : i32");
        let root = rule.op("t.root").attr(name, value).matched();
        rule.erase(root);
        rule.finish().expect("a valid rule");
    }
    let all: Vec<_> = names.iter().map(|name| (name.as_str(), "1 : i32")).collect();
    ir.op("t.root", &[], &all, &[]);
    for odd in 0..all.len() {
        let mut attrs = all.clone();
        attrs[odd].1 = "2 : i32";
        ir.op("t.root", &[], &attrs, &[]);
        attrs.remove(odd);
        ir.op("t.root", &[], &attrs, &[]);
    }
    agrees(&rules, &mut ir, 1 + names.len());
}

/// Rules require that two operands are the same value. The steps of these operands are consecutive or distant. Some
/// rules also test the operations that define operands.
#[test]
fn rules_may_require_equal_operands() {
    let (mut rules, mut ir) = (RuleSet::default(), Mock::default());
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        for below in 0..8u32 {
            let mut rule = rules.pattern(&format!("r{a}{b}_{below}"), 1);
            let mut shared = None;
            let values: Vec<_> = (0..3)
                .map(|i| match (i == a || i == b, below >> i & 1) {
                    (true, 0) => *shared.get_or_insert_with(|| rule.value()),
                    (false, 0) => rule.value(),
                    _ => {
                        let op = rule.op("t.leaf").matched();
                        rule.result(op, 0)
                    }
                })
                .collect();
            let root = rule.op("t.root").operand(values[0]).operand(values[1]).operand(values[2]).matched();
            rule.erase(root);
            rule.finish().expect("a valid rule");
        }
    }
    let leaf = ir.value("t.leaf", &[], &[], "i32");
    let other = ir.value("t.leaf", &[], &[], "i64");
    let values = [leaf, other, ir.arg("i32"), ir.arg("i64")];
    for choice in 0..64 {
        let operands = [values[choice % 4], values[choice / 4 % 4], values[choice / 16]];
        ir.op("t.root", &operands, &[], &[]);
    }
    agrees(&rules, &mut ir, 100);
}

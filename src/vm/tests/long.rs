//! Tests of rules with more than 64 tests.

use super::automaton::{automaton, found_with, without_bindings};
use super::*;

/// Checks that all engines find the matches of the reference matcher, and that there are at least `least` matches.
fn engines_agree(rules: &RuleSet, mut ir: Mock, least: usize) {
    let natives = Natives::new();
    let expected = by_reference(rules, &mut ir, &natives);
    assert!(expected.len() >= least, "{}", expected.len());
    for config in [Config::new(), Config::new().sharing(false), Config::new().batch(2)] {
        assert_eq!(by_engine(rules, &config, &mut ir, &natives), expected, "{config:?}");
    }
    let automaton = automaton(rules, &mut ir, &natives);
    let found = found_with(&automaton, &mut automaton.cache(), &ir);
    assert_eq!(found, without_bindings(expected));
}

/// The number of guards of all rows.
fn guards(rules: &RuleSet) -> usize {
    let tree =
        matcher_tree::build(rules.verify().expect("the rules verify"), &Config::new()).expect("a tree");
    tree.rows().iter().map(|row| row.guards.len()).sum()
}

/// Adds a rule that matches a chain of operations. The attribute of the first operation is `constant`, and the
/// attributes of the others are `1 : i32`.
fn chain(rules: &mut RuleSet, length: usize, constant: &str) {
    let mut rule = rules.pattern(&format!("chain{length}"), u16::try_from(length).expect("a short chain"));
    let mut value = rule.value();
    let mut root = None;
    for place in 0..length {
        let attr = rule.attr_constant(if place == 0 { constant } else { "1 : i32" });
        let op = rule.op("t.c").operand(value).attr("v", attr).matched();
        value = rule.result(op, 0);
        root = Some(op);
    }
    rule.erase(root.expect("a chain"));
    rule.finish().expect("a good rule");
}

#[test]
fn chains_are_matched_without_guards() {
    let mut rules = RuleSet::default();
    for (length, constant) in [(50, "2 : i32"), (40, "1 : i32"), (40, "3 : i32"), (30, "1 : i32")] {
        chain(&mut rules, length, constant);
    }
    assert_eq!(guards(&rules), 0);
    let mut ir = Mock::default();
    let mut value = ir.arg("i32");
    for place in 0..300 {
        let attr = match place {
            100 => "2 : i32",
            170 => "3 : i32",
            230 => "4 : i32",
            _ => "1 : i32",
        };
        value = ir.value("t.c", &[value], &[("v", attr)], "i32");
    }
    engines_agree(&rules, ir, 200);
}

/// The rules test 100 attributes of the root, and the operations that define its 90 operands.
#[test]
fn wide_operations_are_matched() {
    let mut rules = RuleSet::default();
    let names: Vec<String> = (0..100).map(|i| format!("a{i}")).collect();
    for last in ["1 : i32", "2 : i32"] {
        let mut rule = rules.pattern(last, 1);
        let constants: Vec<NodeId> =
            (0..100).map(|i| rule.attr_constant(if i == 99 { last } else { "1 : i32" })).collect();
        let operands: Vec<NodeId> = (0..90)
            .map(|i| {
                let op = rule.op(if i == 89 { "t.last" } else { "t.first" }).matched();
                rule.result(op, 0)
            })
            .collect();
        let mut root = rule.op("t.wide");
        for operand in operands {
            root = root.operand(operand);
        }
        for (name, constant) in names.iter().zip(constants) {
            root = root.attr(name, constant);
        }
        let root = root.matched();
        rule.erase(root);
        rule.finish().expect("a good rule");
    }
    assert_eq!(guards(&rules), 0);
    let mut ir = Mock::default();
    let first = ir.value("t.first", &[], &[], "i32");
    let last = ir.value("t.last", &[], &[], "i32");
    // The indices of the attribute and the operand that the first rule does not match; 200 stands for none.
    for (attr, operand) in
        [(200, 200), (99, 200), (98, 200), (0, 200), (200, 0), (200, 70), (200, 89), (99, 88)]
    {
        let texts: Vec<(&str, &str)> =
            (0..100).map(|i| (names[i].as_str(), if i == attr { "2 : i32" } else { "1 : i32" })).collect();
        let values: Vec<MockValue> =
            (0..90).map(|i| if (i == 89) == (i == operand) { first } else { last }).collect();
        ir.op("t.wide", &values, &texts, &["i32"]);
    }
    engines_agree(&rules, ir, 2);
}

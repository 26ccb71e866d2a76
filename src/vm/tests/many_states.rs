//! Tests of rules whose root operations have so many combinations of attribute values that the automaton does not make
//! a state for each combination.

use super::automaton::{found_with, without_bindings};
use super::*;

/// Random rules, mostly with the same root name. For each of three attributes, a rule requires a random constant or, in
/// `wild` percent of the cases, nothing. Some rules also require a defining operation, equal operands, or a native
/// constraint.
fn wild_rules(count: usize, constants: usize, wild: usize) -> RuleSet {
    let mut rules = RuleSet::default();
    let mut state = 1u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    for i in 0..count {
        let benefit = u16::try_from(below(5)).unwrap();
        let mut rule = rules.pattern(&format!("r{i}"), benefit);
        let attrs: Vec<Option<NodeId>> = (0..3)
            .map(|_| (below(100) >= wild).then(|| rule.attr_constant(&format!("{} : i32", below(constants)))))
            .collect();
        let value = match below(10) {
            0 => {
                let producer = rule.op("t.x").matched();
                rule.result(producer, 0)
            }
            _ => rule.value(),
        };
        let other = if below(10) == 0 { value } else { rule.value() };
        if below(20) == 0 {
            rule.constraint("odd", [value]);
        }
        let mut root =
            if below(30) == 0 { rule.any_op() } else { rule.op("t.m") }.operand(value).operand(other);
        for (name, attr) in ["a", "b", "c"].into_iter().zip(attrs) {
            if let Some(attr) = attr {
                root = root.attr(name, attr);
            }
        }
        let root = root.matched();
        rule.erase(root);
        rule.finish().expect("a good rule");
    }
    rules
}

fn wild_ir(constants: usize) -> Mock {
    let mut ir = Mock::default();
    let x = ir.value("t.x", &[], &[], "i32");
    let y = ir.arg("i32");
    for i in 0..200 {
        let text = |attr: usize| format!("{} : i32", (i * 7 + i / (attr + 1) * 3) % constants);
        let texts = [text(0), text(1), text(2)];
        let attrs: Vec<(&str, &str)> = ["a", "b", "c"]
            .into_iter()
            .zip(texts.iter().map(String::as_str))
            .take(if i % 9 == 0 { 2 } else { 3 })
            .collect();
        let name = if i % 11 == 0 { "t.other" } else { "t.m" };
        ir.op(name, &[if i % 3 == 0 { x } else { y }, y], &attrs, &["i32"]);
    }
    ir
}

fn natives() -> Natives<Mock> {
    let signature = Signature { params: Some(vec![Some(Kind::Value)]), results: Vec::new() };
    Natives::new().constraint_with("odd", signature, true, |ir: &Mock, args| match args {
        [Entity::Value(Some(value))] => ir.defining_op(*value).is_some().then(Vec::new),
        _ => None,
    })
}

#[test]
fn many_combinations_of_attribute_values_make_few_states() {
    for (constants, wild) in [(40, 30), (10, 50), (100, 20)] {
        let rules = wild_rules(600, constants, wild);
        let mut ir = wild_ir(constants);
        let natives = natives();
        let expected = by_reference(&rules, &mut ir, &natives);
        assert!(expected.len() > 200);
        let matcher = link(&rules, &Config::new(), &mut ir, &natives);
        assert_eq!(found_by(&matcher, &rules, &ir), expected);
        let automaton = Automaton::new(matcher);
        let expected = without_bindings(expected);
        let mut cache = automaton.cache();
        for _ in 0..2 {
            assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
            cache.forget_labels();
        }
        assert!(!cache.has_given_up());
        // With 40 and 100 constants, each of the 200 operations has a different combination of values. Nevertheless,
        // there are few nodes and states.
        let (nodes, states) = cache.table_size();
        assert!(nodes + states < 250, "{constants} constants, {wild}% wild: {nodes} nodes, {states} states");
    }
}

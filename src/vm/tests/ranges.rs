//! What a constraint gives, of every kind: compared with what another one gives and with what is read off an
//! operation, asked one by one, and bound.

use super::*;
use crate::host::Bind;
use crate::host::mock::MockType;
use crate::pdl::{Call, Callee, GroupSplit, Node};
use crate::source::Span;

/// A constraint that gives one of these things, by its number, and one that holds for `i32` and what is one.
fn natives(things: &[Entity<Mock>]) -> Natives<Mock> {
    let mut natives = Natives::new().constraint("is_i32", |ir: &Mock, of: Entity<Mock>| {
        ir.str(match of {
            Entity::Type(ty) => ty.0,
            Entity::Value(Some(value)) => ir.value_type(value).0,
            Entity::Attr(Some(attr)) => attr.0,
            other => panic!("{other:?} is no element"),
        })
        .ends_with("i32")
    });
    for (number, thing) in things.iter().enumerate() {
        let (thing, results) = (thing.clone(), vec![thing.kind()]);
        let signature = Signature { params: Some(vec![Kind::Op]), results };
        let give = move |_: &Mock, _: &[Entity<Mock>]| Some(vec![thing.clone()]);
        natives = natives.constraint_with(&format!("give{number}"), signature, true, give);
    }
    natives
}

/// Says that a node is what the constraint of this number gives.
fn given(rule: &mut PatternBuilder<'_>, number: usize, root: NodeId, node: NodeId) {
    let callee = Callee::Native(rule.rules().strings.intern(&format!("give{number}")));
    let (args, results) = (vec![Arg::Of(root)], vec![node]);
    rule.call_constraint(Call { callee, args, results, negated: false, span: Span::NONE });
}

/// What every engine finds, which is what the reference finds: the names of the rules that match.
fn matching(rules: &RuleSet, ir: &mut Mock, natives: &Natives<Mock>) -> Vec<String> {
    let expected = by_reference(rules, ir, natives);
    for config in configs() {
        assert_eq!(by_engine(rules, &config, ir, natives), expected, "{config:?}");
    }
    let matcher = Arc::new(link(rules, &Config::new(), ir, natives));
    assert_eq!(found_by(&Automaton::new(matcher), rules, ir), expected);
    expected.iter().map(|found| rules.strings[rules.patterns[found.1].name].to_owned()).collect()
}

/// No two of these are equal.
fn things(ir: &mut Mock) -> Vec<Vec<Entity<Mock>>> {
    let (x, y) = (ir.arg("i32"), ir.arg("i64"));
    let (op, other) = (ir.op("t.other", &[], &[], &["i32"]), ir.op("t.other", &[], &[], &["i32"]));
    let [s, t]: [MockType; 2] = ["i32", "i64"].map(|ty| ir.bind_type(ty).expect("a mock takes any type"));
    let [a, b] = ["1 : i32", "1 : i64"].map(|attr| ir.bind_attr(attr).expect("a mock takes any attribute"));
    fn lists<T: Copy>(x: T, y: T) -> [Vec<T>; 6] {
        [vec![], vec![x], vec![y], vec![x, y], vec![y, x], vec![x, y, y]]
    }
    vec![
        vec![Entity::Op(op), Entity::Op(other)],
        vec![Entity::Value(Some(x)), Entity::Value(Some(y)), Entity::Value(None)],
        vec![Entity::Type(s), Entity::Type(t)],
        vec![Entity::Attr(Some(a)), Entity::Attr(Some(b)), Entity::Attr(None)],
        lists(x, y).map(Entity::Values).to_vec(),
        lists(s, t).map(Entity::Types).to_vec(),
        lists(a, b).map(Entity::Attrs).to_vec(),
        vec![Entity::Int(0), Entity::Int(1)],
        vec![Entity::Bool(false), Entity::Bool(true)],
        vec![Entity::Str("".into()), Entity::Str("x".into())],
    ]
}

#[test]
fn what_two_constraints_give_is_one_thing_if_it_is_equal() {
    let mut ir = Mock::default();
    let kinds = things(&mut ir);
    ir.op("t.root", &[], &[], &[]);
    for things in kinds {
        let natives = natives(&things);
        let kind = things[0].kind();
        let mut expected = Vec::new();
        let mut rules = RuleSet::default();
        for first in 0..things.len() {
            for second in 0..things.len() {
                let name = format!("{first} is {second}");
                let mut rule = rules.pattern(&name, 1);
                let root = rule.op("t.root").matched();
                let node = rule.node(Node::Bound { kind });
                given(&mut rule, first, root, node);
                given(&mut rule, second, root, node);
                rule.finish().expect("a good rule");
                expected.extend((first == second).then_some(name));
            }
        }
        assert_eq!(matching(&rules, &mut ir, &natives), expected, "{kind:?}");
    }
}

#[test]
fn what_is_given_is_compared_with_what_an_operation_has() {
    let mut ir = Mock::default();
    let kinds = things(&mut ir);
    let Entity::Op(made) = kinds[0][1] else { panic!("operations come first") };
    let (x, y) = match kinds[1][..] {
        [Entity::Value(Some(x)), Entity::Value(Some(y)), _] => (x, y),
        _ => panic!("values come second"),
    };
    let value = ir.result(made, 0);
    ir.op("t.one", &[value], &[("a", "1 : i64")], &["i64"]);
    ir.op("t.two", &[x, y], &[], &["i64", "i32"]);
    ir.op("t.none", &[], &[], &[]);
    /// Builds an operation of which a node is what is given.
    type Make = fn(&mut PatternBuilder<'_>) -> (NodeId, NodeId);
    // Each with the number of the one thing of its kind that it is, for the lists of `things` are
    // 0: [], 1: [x], 2: [y], 3: [x, y], 4: [y, x], 5: [x, y, y].
    let cases: [(&str, usize, usize, Make); 12] = [
        ("the operation before", 0, 1, |rule| {
            let inner = rule.op("t.other").matched();
            let value = rule.result(inner, 0);
            (rule.op("t.one").operand(value).matched(), inner)
        }),
        ("an operand", 1, 1, |rule| {
            let (first, second) = (rule.value(), rule.value());
            (rule.op("t.two").operand(first).operand(second).matched(), second)
        }),
        ("a result's type", 2, 1, |rule| {
            let ty = rule.any_type();
            (rule.op("t.one").result_type(ty).matched(), ty)
        }),
        ("an attribute", 3, 1, |rule| {
            let attr = rule.any_attr();
            (rule.op("t.one").attr("a", attr).matched(), attr)
        }),
        ("an attribute that is not there", 3, 2, |rule| {
            let attr = rule.any_attr();
            (rule.op("t.none").optional_attr("a", attr).matched(), attr)
        }),
        ("operands", 4, 3, |rule| {
            let values = rule.values();
            (rule.op("t.two").operands(values).matched(), values)
        }),
        ("no operands", 4, 0, |rule| {
            let values = rule.values();
            (rule.op("t.none").operands(values).matched(), values)
        }),
        ("operands after the first", 4, 2, |rule| {
            let (first, values) = (rule.value(), rule.values());
            (rule.op("t.two").operand(first).operands(values).matched(), values)
        }),
        ("operands' types", 5, 3, |rule| {
            let types = rule.any_types();
            let values = rule.values_of(types);
            (rule.op("t.two").operands(values).matched(), types)
        }),
        ("results' types", 5, 4, |rule| {
            let types = rule.any_types();
            (rule.op("t.two").result_type(types).matched(), types)
        }),
        ("no results' types", 5, 0, |rule| {
            let types = rule.any_types();
            (rule.op("t.none").result_type(types).matched(), types)
        }),
        ("constant types", 5, 4, |rule| {
            let types = rule.types_constant(&["i64", "i32"]);
            (rule.op("t.none").matched(), types)
        }),
    ];
    for (what, kind, is, make) in cases {
        let natives = natives(&kinds[kind]);
        let mut rules = RuleSet::default();
        for number in 0..kinds[kind].len() {
            let mut rule = rules.pattern(&number.to_string(), 1);
            let (root, node) = make(&mut rule);
            rule.root(root);
            given(&mut rule, number, root, node);
            rule.finish().expect("a good rule");
        }
        assert_eq!(matching(&rules, &mut ir, &natives), [is.to_string()], "{what}");
    }
}

#[test]
fn each_of_a_range_that_is_given_is_asked() {
    let mut ir = Mock::default();
    let kinds = things(&mut ir);
    ir.op("t.root", &[], &[], &[]);
    for things in &kinds[4..7] {
        let natives = natives(things);
        let mut rules = RuleSet::default();
        for number in 0..things.len() {
            for forbidden in [false, true] {
                let mut rule = rules.pattern(&format!("{number} {}", !forbidden), 1);
                let root = rule.op("t.root").matched();
                let node = rule.node(Node::Bound { kind: things[0].kind() });
                given(&mut rule, number, root, node);
                if forbidden {
                    rule.forbid("is_i32", [Arg::Each(node)]);
                } else {
                    rule.constraint("is_i32", [Arg::Each(node)]);
                }
                rule.finish().expect("a good rule");
            }
        }
        // Of `[]` all are; `[x]` is of 32 bits alone.
        let expected = ["0 true", "1 true", "2 false", "3 false", "4 false", "5 false"];
        assert_eq!(matching(&rules, &mut ir, &natives), expected, "{:?}", things[0].kind());
    }
}

/// A range that is a group of results is found from its first value: what the groups are the rule says, or an attribute.
#[test]
fn groups_of_results_are_found_from_above() {
    let mut ir = Mock::default();
    let types = ["i32", "i64", "i32"];
    let def = ir.op("t.def", &[], &[("seg", "array<i32: 2, 1>")], &types);
    let [r0, r1, r2] = [0, 1, 2].map(|index| ir.result(def, index));
    for operands in [&[r0, r1][..], &[r2], &[r0], &[r1, r2], &[r0, r1, r2]] {
        ir.op("t.user", operands, &[], &[]);
    }
    let mut rules = RuleSet::default();
    // Of results that are listed or not, divided by the attribute or not, this group.
    for (name, listed, by_attribute, group) in [
        ("the attribute's first", &[][..], true, 0),
        ("the attribute's second", &[], true, 1),
        ("all", &[], false, 0),
        ("after the first", &[], false, 1),
        ("the attribute's first of two", &["any", "any"], true, 0),
        ("the attribute's second of two", &["any", "any"], true, 1),
        ("after one", &["one", "any"], false, 1),
        ("before one", &["any", "one"], false, 0),
    ] {
        let mut rule = rules.pattern(name, 1);
        let seg = rule.rules().strings.intern("seg");
        let results: Vec<NodeId> = listed
            .iter()
            .map(|&result| if result == "any" { rule.any_types() } else { rule.any_type() })
            .collect();
        let mut def = results.into_iter().fold(rule.op("t.def"), |op, result| op.result_type(result));
        if by_attribute {
            def = def.result_split(GroupSplit::Attribute(seg));
        }
        let def = def.matched();
        let range = rule.result_group(def, group);
        let root = rule.op("t.user").operands(range).matched();
        rule.root(root);
        rule.finish().expect("a good rule");
    }
    let found = matching(&rules, &mut ir, &Natives::new());
    let expected = [
        "the attribute's first",
        "the attribute's first of two",
        "before one",
        "the attribute's second",
        "the attribute's second of two",
        "after the first",
        "after one",
        "all",
    ];
    assert_eq!(found, expected);
}

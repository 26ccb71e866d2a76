//! Tests of constraint results of every kind. Rules compare them with other results and with parts of operations, test
//! their elements, and bind them. The last test finds result groups of operations from the uses of the results.

use super::*;
use crate::host::Bind;
use crate::host::mock::MockType;
use crate::pdl::{Call, Callee, GroupSplit, Node};
use crate::source::Span;

/// For each entity, a constraint that returns this entity. In addition, a constraint that holds for the type `i32` and
/// for values and attributes of this type.
fn natives(entities: &[Entity<Mock>]) -> Natives<Mock> {
    let mut natives = Natives::new().constraint("is_i32", |ir: &Mock, of: Entity<Mock>| {
        ir.str(match of {
            Entity::Type(ty) => ty.0,
            Entity::Value(Some(value)) => ir.value_type(value).0,
            Entity::Attr(Some(attr)) => attr.0,
            other => panic!("{other:?} is not an element"),
        })
        .ends_with("i32")
    });
    for (number, entity) in entities.iter().enumerate() {
        let (entity, results) = (entity.clone(), vec![entity.kind()]);
        let signature = Signature::new([Kind::Op], results);
        let give = move |_: &Mock, _: &[Entity<Mock>]| Some(vec![entity.clone()]);
        natives = natives.constraint_with(&format!("give{number}"), signature, true, give);
    }
    natives
}

/// Binds a node to the result of the constraint with this number.
fn bind_result(rule: &mut PatternBuilder<'_>, number: usize, root: NodeId, node: NodeId) {
    let callee = Callee::Native(rule.rules().strings.intern(&format!("give{number}")));
    let (args, results) = (vec![Arg::Of(root)], vec![node]);
    rule.call_constraint(Call { callee, args, results, negated: false, span: Span::NONE });
}

/// Checks that all engines find the matches of the reference matcher, and returns the names of the rules that match.
fn matching(rules: &RuleSet, ir: &mut Mock, natives: &Natives<Mock>) -> Vec<String> {
    let expected = by_reference(rules, ir, natives);
    for config in configs() {
        assert_eq!(by_engine(rules, &config, ir, natives), expected, "{config:?}");
    }
    let matcher = Arc::new(link(rules, &Config::new(), ir, natives));
    assert_eq!(found_by(&Automaton::new(matcher), rules, ir), expected);
    expected.iter().map(|found| rules.strings[rules.patterns[found.1].name].to_owned()).collect()
}

/// Lists of distinct entities, one list for each kind.
fn entities(ir: &mut Mock) -> Vec<Vec<Entity<Mock>>> {
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
fn equal_results_of_two_constraints_may_bind_one_node() {
    let mut ir = Mock::default();
    let kinds = entities(&mut ir);
    ir.op("t.root", &[], &[], &[]);
    for entities in kinds {
        let natives = natives(&entities);
        let kind = entities[0].kind();
        let mut expected = Vec::new();
        let mut rules = RuleSet::default();
        for first in 0..entities.len() {
            for second in 0..entities.len() {
                let name = format!("{first} is {second}");
                let mut rule = rules.pattern(&name, 1);
                let root = rule.op("t.root").matched();
                let node = rule.node(Node::Bound { kind });
                bind_result(&mut rule, first, root, node);
                bind_result(&mut rule, second, root, node);
                rule.finish().expect("a valid rule");
                expected.extend((first == second).then_some(name));
            }
        }
        assert_eq!(matching(&rules, &mut ir, &natives), expected, "{kind:?}");
    }
}

#[test]
fn results_of_constraints_are_compared_with_parts_of_operations() {
    let mut ir = Mock::default();
    let kinds = entities(&mut ir);
    let Entity::Op(made) = kinds[0][1] else { panic!("operations come first") };
    let (x, y) = match kinds[1][..] {
        [Entity::Value(Some(x)), Entity::Value(Some(y)), _] => (x, y),
        _ => panic!("values come second"),
    };
    let value = ir.result(made, 0);
    ir.op("t.one", &[value], &[("a", "1 : i64")], &["i64"]);
    ir.op("t.two", &[x, y], &[], &["i64", "i32"]);
    ir.op("t.none", &[], &[], &[]);
    /// A function that builds an operation. Returns the operation, and the node that is also bound to the result of a
    /// constraint.
    type Make = fn(&mut PatternBuilder<'_>) -> (NodeId, NodeId);
    // Each case has the index of a kind, and the index of the entity of this kind to which the node is bound. The
    // entities of the kinds 4 and 5 are 0: [], 1: [x], 2: [y], 3: [x, y], 4: [y, x], 5: [x, y, y].
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
            bind_result(&mut rule, number, root, node);
            rule.finish().expect("a valid rule");
        }
        assert_eq!(matching(&rules, &mut ir, &natives), [is.to_string()], "{what}");
    }
}

#[test]
fn each_element_of_a_returned_range_is_tested() {
    let mut ir = Mock::default();
    let kinds = entities(&mut ir);
    ir.op("t.root", &[], &[], &[]);
    for entities in &kinds[4..7] {
        let natives = natives(entities);
        let mut rules = RuleSet::default();
        for number in 0..entities.len() {
            for forbidden in [false, true] {
                let mut rule = rules.pattern(&format!("{number} {}", !forbidden), 1);
                let root = rule.op("t.root").matched();
                let node = rule.node(Node::Bound { kind: entities[0].kind() });
                bind_result(&mut rule, number, root, node);
                if forbidden {
                    rule.forbid("is_i32", [Arg::Each(node)]);
                } else {
                    rule.constraint("is_i32", [Arg::Each(node)]);
                }
                rule.finish().expect("a valid rule");
            }
        }
        // The constraint holds for all elements only in `[]` and `[x]`.
        let expected = ["0 true", "1 true", "2 false", "3 false", "4 false", "5 false"];
        assert_eq!(matching(&rules, &mut ir, &natives), expected, "{:?}", entities[0].kind());
    }
}

/// Rules find a group of results from a use of the group's first value. The rule, or an attribute of the operation that
/// defines the results, states the groups.
#[test]
fn groups_of_results_are_found_from_their_uses() {
    let mut ir = Mock::default();
    let types = ["i32", "i64", "i32"];
    let def = ir.op("t.def", &[], &[("seg", "array<i32: 2, 1>")], &types);
    let [r0, r1, r2] = [0, 1, 2].map(|index| ir.result(def, index));
    for operands in [&[r0, r1][..], &[r2], &[r0], &[r1, r2], &[r0, r1, r2]] {
        ir.op("t.user", operands, &[], &[]);
    }
    let mut rules = RuleSet::default();
    // Each case has a name, the result groups that the rule lists, true if an attribute divides the results, and the
    // index of the group that the `t.user` takes.
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
        rule.finish().expect("a valid rule");
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

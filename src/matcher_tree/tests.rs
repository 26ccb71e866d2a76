//! Tests of the shape and size of trees. The tests of the engines check that trees find the right matches.

use super::tree::Stats;
use super::{Config, Printer, QuestionId, Tree, TreeNode, TreeNodeId, build};
use crate::pdl::RuleSet;

/// `n` rules with one root name, each with tests of two of `n` attributes. The rules can match in exponentially many
/// combinations, so a tree without fallbacks has exponential size.
fn crossed(n: usize) -> RuleSet {
    let mut rules = RuleSet::default();
    for i in 0..n {
        let mut rule = rules.pattern(&format!("p{i}"), 1);
        let value = rule.attr_constant("1 : i32");
        let name = |i: usize| format!("a{}", i % n);
        let op = rule.op("t.op").attr(&name(i), value).attr(&name(i + n / 2), value).matched();
        rule.erase(op);
        rule.finish().unwrap();
    }
    rules
}

/// `n` rules for a root and the operation that defines its first operand. Some rules also test the value of an
/// attribute, or the operation that defines the second operand.
fn nested(n: usize) -> RuleSet {
    let mut rules = RuleSet::default();
    for i in 0..n {
        let mut rule = rules.pattern(&format!("p{i}"), u16::try_from(i % 3 + 1).unwrap());
        let x = rule.value();
        let value =
            if i % 5 == 0 { rule.attr_constant(&format!("{} : i32", i % 7)) } else { rule.any_attr() };
        let inner = rule.op(&format!("t.op{}", i % 17)).operand(x).attr("value", value).matched();
        let first = rule.result(inner, 0);
        let second = if i % 3 == 0 {
            let other = rule.op(&format!("t.op{}", i % 11)).operand(x).matched();
            rule.result(other, 0)
        } else {
            rule.value()
        };
        let root = rule.op(&format!("t.op{}", i % 4)).operand(first).operand(second).matched();
        rule.erase(root);
        rule.finish().unwrap();
    }
    rules
}

fn stats(rules: &RuleSet, config: &Config) -> Stats {
    build(rules.verify().unwrap(), config).unwrap().stats()
}

#[test]
fn size_is_linear_in_the_number_of_tests() {
    for make in [crossed, nested] {
        let (small, large) = (stats(&make(300), &Config::new()), stats(&make(1200), &Config::new()));
        let ratio = |s: Stats| s.nodes as f64 / s.tests as f64;
        assert!(ratio(large) < 1.3 * ratio(small), "{small:?} {large:?}");
        assert!(ratio(large) < 8.0, "{large:?}");
    }
}

#[test]
fn size_is_linear_with_many_rules_for_any_operation() {
    let make = |n: usize, benefits: usize| {
        let mut rules = nested(n);
        for i in 0..n {
            let mut rule = rules.pattern(&format!("any{i}"), u16::try_from(i % benefits + 1).unwrap());
            let value = rule.attr_constant(&format!("{i} : i32"));
            let op = rule.any_op().attr("value", value).matched();
            rule.erase(op);
            rule.finish().unwrap();
        }
        rules
    };
    let (small, large) = (stats(&make(300, 3), &Config::new()), stats(&make(1200, 3), &Config::new()));
    assert!(large.nodes < 5 * small.nodes, "{small:?} {large:?}");
    // The rules for any operation all have different benefits. Each root name has rules with benefits above, between
    // and below these benefits.
    let stats_of_levels = |n: usize| {
        let mut rules = make(n, n);
        for i in 0..n {
            for benefit in [n + 1, n / 2, 0] {
                let mut rule = rules.pattern("named", u16::try_from(benefit).unwrap());
                let op = rule.op(&format!("t.named{i}")).matched();
                rule.erase(op);
                rule.finish().unwrap();
            }
        }
        stats(&rules, &Config::new())
    };
    let (small, large) = (stats_of_levels(300), stats_of_levels(1200));
    assert!(large.nodes < 5 * small.nodes, "{small:?} {large:?}");
}

#[test]
fn too_many_nodes_are_an_error_with_the_limit() {
    let errors =
        build(crossed(40).verify().unwrap(), &Config::new().copies(None).max_nodes(1000)).err().unwrap();
    let message = &errors.iter().next().unwrap().message;
    assert!(message.contains("40 rules") && message.contains("1000 nodes"), "{message}");
}

#[test]
fn equal_matrices_share_a_node() {
    let rules = crossed(12);
    let (on, off) = (stats(&rules, &Config::new()), stats(&rules, &Config::new().sharing(false)));
    assert!(on.nodes < off.nodes, "{on:?} {off:?}");
    assert_eq!(off.shared, 0);
}

#[test]
fn text_does_not_double_at_each_either() {
    let longest = |depth| {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("p", 1);
        let mut root = rule.op("t.leaf").matched();
        for _ in 0..depth {
            let (first, second) = (rule.result(root, 0), rule.value());
            root = rule.op("t.add").operand(first).operand(second).either(0, 1).matched();
        }
        rule.erase(root);
        rule.finish().unwrap();
        let tree = build(rules.verify().unwrap(), &Config::new()).unwrap();
        let text = Printer::new(&rules, &tree).text();
        assert!(text.contains("(either0: root.operand0 | root.operand1).op"), "{text}");
        tree.positions().iter().map(|(id, _)| Printer::new(&rules, &tree).position(id).len()).max().unwrap()
    };
    let (short, long) = (longest(6), longest(12));
    assert!(long < 3 * short, "{short} {long}");
}

#[test]
fn a_question_is_asked_once_on_a_path_without_a_try() {
    let rules = nested(40);
    let tree = build(rules.verify().unwrap(), &Config::new().copies(None)).unwrap();
    for root in tree.roots() {
        let mut todo = vec![(root, Vec::new())];
        while let Some((node, mut asked)) = todo.pop() {
            match &tree.nodes()[node] {
                TreeNode::Try { .. } => panic!("a tree with unlimited copies has no fallbacks"),
                TreeNode::Switch { question, .. } => {
                    assert!(!asked.contains(question), "{}", Printer::new(&rules, &tree).question(*question));
                    asked.push(*question);
                }
                TreeNode::Leaf { .. } | TreeNode::Fail => {}
            }
            todo.extend(tree.children(node).map(|c| (c, asked.clone())));
        }
    }
}

#[test]
fn every_switch_has_a_provenance() {
    let rules = nested(40);
    let tree = build(rules.verify().unwrap(), &Config::new()).unwrap();
    for (id, node) in tree.nodes().iter_enumerated() {
        assert_eq!(matches!(node, TreeNode::Switch { .. }), !tree.provenance(id).is_empty());
    }
}

#[test]
fn only_trees_with_limited_copies_have_fallbacks() {
    let rules = crossed(40);
    let (never, often) = (stats(&nested(40), &Config::new().copies(None)), stats(&rules, &Config::new()));
    assert_eq!((never.fallbacks, never.repeated), (0, 0));
    assert!(often.fallbacks > 0 && often.repeated <= often.fallbacks, "{often:?}");
}

#[test]
fn graphviz_has_every_node_once_and_no_dangling_edge() {
    use std::collections::BTreeSet;
    let rules = nested(40);
    let tree = build(rules.verify().unwrap(), &Config::new()).unwrap();
    let dot = Printer::new(&rules, &tree).dot();
    let (mut nodes, mut targets) = (Vec::new(), BTreeSet::new());
    for line in dot.lines().filter(|line| line.starts_with("  ") && line.ends_with("];")) {
        let head = line.trim_start().split(" [").next().unwrap();
        match head.split_once(" -> ") {
            Some((_, to)) => drop(targets.insert(to.to_owned())),
            None if head == "node" || head == "root" => {}
            None => nodes.push(head.to_owned()),
        }
    }
    let distinct: BTreeSet<String> = nodes.iter().cloned().collect();
    assert_eq!(distinct.len(), nodes.len());
    assert_eq!(distinct, targets);
    assert!(dot.starts_with("digraph matcher {") && dot.ends_with("}\n"));
}

#[test]
fn a_rule_that_is_nested_too_deeply_is_an_error_with_the_limit() {
    // Each operation is two steps from its user: the operand, and the operation that defines it.
    let chain = |operations: usize| {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("deep", 1);
        let mut value = rule.value();
        let mut last = None;
        for _ in 0..operations {
            let op = rule.op("t.op").operand(value).matched();
            value = rule.result(op, 0);
            last = Some(op);
        }
        rule.erase(last.unwrap());
        rule.finish().unwrap();
        build(rules.verify().unwrap(), &Config::new()).map(|_| ())
    };
    assert!(chain(250).is_ok());
    let errors = chain(300).unwrap_err();
    let [error] = &errors.iter().collect::<Vec<_>>()[..] else { panic!("{errors:?}") };
    assert_eq!(error.message, "rule 'deep' is nested too deeply");
    assert_eq!(error.labels[0].text, "513 steps from the root; the limit is 512");
}

/// A rule for each list of attributes and values. All rules match an operation without operands.
fn with_attributes(lists: &[&[(&str, u32)]]) -> RuleSet {
    let mut rules = RuleSet::default();
    for (i, attributes) in lists.iter().enumerate() {
        let mut rule = rules.pattern(&format!("p{i}"), 1);
        let values: Vec<_> =
            attributes.iter().map(|(name, n)| (name, rule.attr_constant(&format!("{n} : i32")))).collect();
        let op = rule.op("t.op").no_operands();
        let op = values.into_iter().fold(op, |op, (name, value)| op.attr(name, value)).matched();
        rule.erase(op);
        rule.finish().unwrap();
    }
    rules
}

/// The first question divides the rules best. Among questions that divide the rules equally well, the cheapest is
/// first.
#[test]
fn the_first_question_is_the_one_that_divides_best() {
    let first = |lists: &[&[(&str, u32)]]| {
        let rules = with_attributes(lists);
        let tree = build(rules.verify().unwrap(), &Config::new()).unwrap();
        let root = tree.roots().next().unwrap();
        let TreeNode::Switch { question, .. } = &tree.nodes()[root] else { panic!("a question is first") };
        let text = Printer::new(&rules, &tree).question(*question);
        text.rsplit([' ', '.', '"', '\''])
            .find(|word| ["a", "b", "operands"].contains(word))
            .map(str::to_owned)
    };
    let [a, b, operands] = ["a", "b", "operands"].map(|word| Some(word.to_owned()));
    // The rules require different values of `b`, the same value of `a`, and no operands.
    assert_eq!(first(&[&[("a", 0), ("b", 0)], &[("a", 0), ("b", 1)], &[("a", 0), ("b", 2)]]), b);
    assert_eq!(first(&[&[("a", 0), ("b", 0)], &[("a", 1), ("b", 0)], &[("a", 2), ("b", 0)]]), a);
    // Half of the rules have no test of `a`.
    assert_eq!(first(&[&[("a", 0), ("b", 0)], &[("b", 1)], &[("a", 1), ("b", 2)], &[("b", 3)]]), b);
    // No question divides the rules, so the cheapest, a count, is first.
    assert_eq!(first(&[&[("a", 0), ("b", 0)]]), operands);
}

/// If no row may be copied, only the rows before the first row without a test of the question are specialised.
#[test]
fn rows_without_the_test_are_copied_only_within_the_budget() {
    let tries = |lists: &[&[(&str, u32)]], copies| {
        let tree = build(with_attributes(lists).verify().unwrap(), &Config::new().copies(copies)).unwrap();
        tree.nodes().iter().filter(|node| matches!(node, TreeNode::Try { .. })).count()
    };
    let between: &[&[(&str, u32)]] = &[&[("a", 0)], &[], &[("a", 1)]];
    assert_eq!([Some(0), Some(100), None].map(|copies| tries(between, copies)), [1, 0, 0]);
    let after: &[&[(&str, u32)]] = &[&[("a", 0)], &[("a", 1)], &[("a", 2)], &[]];
    assert_eq!([Some(0), Some(100), None].map(|copies| tries(after, copies)), [1, 0, 0]);
    let all: &[&[(&str, u32)]] = &[&[("a", 0)], &[("a", 1)], &[("a", 2)]];
    assert_eq!([Some(0), Some(100), None].map(|copies| tries(all, copies)), [0, 0, 0]);
}

#[test]
fn rows_without_the_test_are_copied_if_enough_later_rows_have_it() {
    let tries = |gap: usize| {
        let mut lists: Vec<Vec<(&str, u32)>> = vec![vec![("a", 0)]];
        lists.extend(std::iter::repeat_n(Vec::new(), gap));
        lists.extend((0..60).map(|i| vec![("a", i % 2)]));
        let lists: Vec<&[(&str, u32)]> = lists.iter().map(Vec::as_slice).collect();
        let tree = build(with_attributes(&lists).verify().unwrap(), &Config::new().copies(Some(1))).unwrap();
        tree.nodes().iter().filter(|node| matches!(node, TreeNode::Try { .. })).count()
    };
    // Twelve rows are too many to copy for one row with the test, but not for all rows with the test.
    assert_eq!(tries(12), 0);
    assert!(tries(80) > 0);
}

/// If the rules for any operation are not merged into the rows of the root names, they form one node for each benefit.
/// All root names share these nodes.
#[test]
fn root_names_share_the_nodes_of_rules_for_any_operation() {
    let tries = |names: usize| {
        let mut rules = RuleSet::default();
        for (benefit, count) in [(3, 10), (1, 10)] {
            for i in 0..count {
                let mut rule = rules.pattern(&format!("any{benefit}_{i}"), benefit);
                let value = rule.attr_constant(&format!("{i} : i32"));
                let op = rule.any_op().attr("value", value).matched();
                rule.erase(op);
                rule.finish().unwrap();
            }
        }
        for i in 0..names {
            let mut rule = rules.pattern(&format!("named{i}"), 2);
            let op = rule.op(&format!("t.op{i}")).matched();
            rule.erase(op);
            rule.finish().unwrap();
        }
        stats(&rules, &Config::new().copies(Some(0))).fallbacks
    };
    // One fallback is between the two benefits; each name has one before its rule and one after it.
    assert_eq!([1, 3, 8].map(tries), [3, 7, 17]);
}

/// The question that a node begins with.
fn begins(tree: &Tree, node: TreeNodeId) -> Option<QuestionId> {
    match &tree.nodes()[node] {
        TreeNode::Switch { question, .. } => Some(*question),
        TreeNode::Try { first, .. } => begins(tree, *first),
        TreeNode::Leaf { .. } | TreeNode::Fail => None,
    }
}

/// The number of nodes on the longest path from a node.
fn longest(tree: &Tree, node: TreeNodeId) -> usize {
    1 + tree.children(node).map(|child| longest(tree, child)).max().unwrap_or(0)
}

#[test]
fn statistics_equal_counts_over_the_nodes() {
    let mut fallbacks = 0;
    for (rules, copies) in [
        (crossed(9), Some(1)),
        (nested(30), Some(0)),
        (nested(60), Some(1)),
        (with_attributes(&[&[("a", 0)], &[("b", 0), ("c", 1)], &[("a", 1), ("c", 0)], &[("a", 0)]]), Some(0)),
    ] {
        let tree = build(rules.verify().unwrap(), &Config::new().copies(copies)).unwrap();
        let stats = tree.stats();
        let of = |is: fn(&TreeNode) -> bool| tree.nodes().iter().filter(|node| is(node)).count();
        assert_eq!((stats.rows, stats.nodes), (rules.patterns.len(), tree.nodes().len()));
        assert_eq!(stats.leaves, of(|node| matches!(node, TreeNode::Leaf { .. })));
        assert_eq!(stats.switches, of(|node| matches!(node, TreeNode::Switch { .. })));
        assert_eq!(stats.fallbacks, of(|node| matches!(node, TreeNode::Try { .. })));
        fallbacks += stats.fallbacks;
        let again = |node: &&TreeNode| match node {
            TreeNode::Try { first, then } => {
                begins(&tree, *first).is_some() && begins(&tree, *first) == begins(&tree, *then)
            }
            _ => false,
        };
        assert_eq!(stats.repeated, tree.nodes().iter().filter(again).count());
        assert_eq!(stats.depth, tree.roots().map(|root| longest(&tree, root)).max().unwrap());
    }
    assert!(fallbacks > 0);
}

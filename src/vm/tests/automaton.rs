//! Tests of the automaton on an IR that changes.

use super::*;
use crate::host::Listener;
use crate::rewrite::{self, Traversal, apply_greedily, apply_in_walk};

#[test]
fn engines_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Matcher<Mock>>();
    shared::<Automaton<Mock>>();
    shared::<Reference<'static, Mock>>();
}

pub(super) fn automaton(rules: &RuleSet, ir: &mut Mock, natives: &Natives<Mock>) -> Automaton<Mock> {
    Automaton::new(Arc::new(link(rules, &Config::new(), ir, natives)))
}

/// All matches at all operations, with an existing cache.
pub(super) fn found_with<E: Engine<Mock>>(
    engine: &E,
    cache: &mut E::Cache,
    ir: &Mock,
) -> Vec<(usize, PatternId)> {
    let mut found = Vec::new();
    for (i, &op) in ir.block().iter().enumerate() {
        let mut matched = engine.match_first(ir, op, cache);
        while let Some(pattern) = matched {
            found.push((i, pattern));
            matched = engine.next_match(ir, cache);
        }
    }
    found
}

pub(super) fn without_bindings(found: Found) -> Vec<(usize, PatternId)> {
    found.into_iter().map(|(i, pattern, _)| (i, pattern)).collect()
}

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..crate::test_seed::config() })]

    /// After every rewrite, the automaton finds the matches of the reference matcher.
    #[test]
    fn labels_follow_rewrites(rules in bytes(400), ir in bytes(300), order in bytes(24), bare in any::<bool>()) {
        let rules = generate::rewriting_rules(&rules);
        let mut ir = generate::ir(&ir);
        ir.bare = bare;
        let natives = generate::natives();
        let automaton = automaton(&rules, &mut ir, &natives);
        let mut cache = automaton.cache();
        for choice in order {
            let expected = without_bindings(by_reference(&rules, &mut ir, &natives));
            prop_assert_eq!(found_with(&automaton, &mut cache, &ir), expected, "{}", ir.text());
            prop_assert!(!automaton.is_stale(&ir, &cache));
            let Some(&op) = ir.block().get(usize::from(choice) % ir.block().len().max(1)) else { break };
            automaton.apply(&mut ir, op, &mut cache, &mut NoListener);
        }
    }

    /// With each of the two drivers, greedy and walk, all engines give the same module.
    #[test]
    fn all_engines_agree_with_each_driver(rules in bytes(400), ir in bytes(300), top_down in any::<bool>()) {
        let rules = generate::rewriting_rules(&rules);
        let mut ir = generate::ir(&ir);
        let natives = generate::natives();
        let matcher = Arc::new(link(&rules, &Config::new(), &mut ir, &natives));
        let reference = Reference::link(&rules, &matcher, &mut ir, &natives).expect("it links");
        let automaton = Automaton::new(matcher.clone());
        let traversal = if top_down { Traversal::TopDown } else { Traversal::BottomUp };
        let expected = driven(&*matcher, ir.clone(), traversal);
        prop_assert_eq!(driven(&automaton, ir.clone(), traversal), expected.clone());
        prop_assert_eq!(driven(&automaton.memory(1 << 13), ir.clone(), traversal), expected.clone());
        prop_assert_eq!(driven(&reference, ir, traversal), expected);
    }

    /// An operation may depend on itself, as in a graph region.
    #[test]
    fn cycles_are_labelled(rules in bytes(500), ir in bytes(300), turns in bytes(12)) {
        let rules = generate::rules(&rules);
        let mut ir = generate::ir(&ir);
        let natives = generate::natives();
        let automaton = automaton(&rules, &mut ir, &natives);
        let mut cache = automaton.cache();
        generate::turn(&mut ir, &turns);
        let expected = without_bindings(by_reference(&rules, &mut ir, &natives));
        prop_assert_eq!(found_with(&automaton, &mut cache, &ir), expected, "{}", ir.text());
        found_with(&automaton, &mut cache, &ir);
        // The cache is not notified of this change.
        let turned = generate::turn(&mut ir, &turns);
        prop_assert_eq!(automaton.is_stale(&ir, &cache), turned);
        let expected = without_bindings(by_reference(&rules, &mut ir, &natives));
        prop_assert_eq!(found_with(&automaton, &mut cache, &ir), expected, "{}", ir.text());
    }
}

fn driven<E: Engine<Mock>>(engine: &E, ir: Mock, traversal: Traversal) -> [(String, String); 2] {
    let (mut greedy, mut walked) = (ir.clone(), ir);
    let root = greedy.module();
    let config = rewrite::Config::default().traversal(traversal).max_rewrites(Some(40)).max_sweeps(4);
    let report = apply_greedily(&mut greedy, root, engine, &config, &mut NoListener);
    let walk = apply_in_walk(&mut walked, root, engine, &mut NoListener);
    [(greedy.text(), format!("{report:?}")), (walked.text(), format!("{walk:?}"))]
}

/// One rule, which matches a chain of a `t.start` and two `t.link`. The last operation of the chain is the root.
fn two_links() -> RuleSet {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("two", 1);
    let x = rule.value();
    let first = rule.op("t.start").operand(x).matched();
    let value = rule.result(first, 0);
    let below = rule.op("t.link").operand(value).matched();
    let value = rule.result(below, 0);
    let root = rule.op("t.link").operand(value).matched();
    rule.replace(root, [x]);
    rule.finish().expect("a valid rule");
    rules
}

#[test]
fn a_changed_operand_affects_the_label_of_the_user() {
    for bare in [false, true] {
        let mut ir = Mock::default();
        let x = ir.arg("i32");
        let first = ir.value("t.other", &[x], &[], "i32");
        let start = ir.value("t.start", &[x], &[], "i32");
        let below = ir.value("t.link", &[first], &[], "i32");
        ir.value("t.link", &[below], &[], "i32");
        ir.bare = bare;
        let rules = two_links();
        let automaton = automaton(&rules, &mut ir, &Natives::new());
        let mut cache = automaton.cache();
        assert_eq!(found_with(&automaton, &mut cache, &ir), []);
        let op = ir.defining_op(below).expect("a result");
        ir.set_operand(op, 0, start);
        assert_eq!(automaton.is_stale(&ir, &cache), !bare);
        if bare {
            // On a host that does not count changes, the caller must report them.
            cache.modified(&ir, op);
        }
        let rule = PatternId::from_raw(0);
        assert_eq!(found_with(&automaton, &mut cache, &ir), [(3, rule)]);
        ir.set_operand(op, 0, first);
        cache.modified(&ir, op);
        automaton.acknowledge_changes(&ir, &mut cache);
        assert_eq!(found_with(&automaton, &mut cache, &ir), []);
    }
}

#[test]
fn a_long_chain_needs_no_stack() {
    let run = || {
        let mut ir = Mock::default();
        let mut value = ir.arg("i32");
        value = ir.value("t.start", &[value], &[], "i32");
        for _ in 0..100_000 {
            value = ir.value("t.link", &[value], &[], "i32");
        }
        let rules = two_links();
        let automaton = automaton(&rules, &mut ir, &Natives::new());
        let mut cache = automaton.cache();
        let last = ir.defining_op(value).expect("a result");
        assert_eq!(automaton.match_first(&ir, last, &mut cache), None);
        let second = ir.block()[2];
        assert!(automaton.match_first(&ir, second, &mut cache).is_some());
        assert!(cache.table_size().1 < 10, "{:?}", cache.table_size());
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(run).expect("a thread");
    thread.join().expect("it ends");
}

/// An IR and rules for `names` operation names. For each pair of names, one rule matches a root with the second name
/// and a first operand that an operation with the first name defines. The IR has a chain of `times` operations for each
/// name in `used`.
fn repeated(names: usize, used: std::ops::Range<usize>, times: usize) -> (Mock, RuleSet) {
    let mut rules = RuleSet::default();
    for n in 0..names {
        for m in 0..names {
            let mut rule = rules.pattern(&format!("r{n}_{m}"), 1);
            let (a, b) = (rule.value(), rule.value());
            let first = rule.op(&format!("t.n{n}")).operand(a).operand(b).matched();
            let value = rule.result(first, 0);
            let root = rule.op(&format!("t.n{m}")).operand(value).operand(b).matched();
            rule.replace(root, [a]);
            rule.finish().expect("a valid rule");
        }
    }
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    for n in used {
        let mut value = x;
        for _ in 0..times {
            value = ir.value(&format!("t.n{n}"), &[value, x], &[], "i32");
        }
    }
    (ir, rules)
}

#[test]
fn tables_past_the_cap_are_discarded_and_rebuilt() {
    let (mut ir, rules) = repeated(12, 0..12, 400);
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let expected = found_with(&**automaton.matcher(), &mut automaton.matcher().cache(), &ir);
    assert!(expected.len() > 4_000, "{}", expected.len());

    let mut cache = automaton.cache();
    assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
    let whole = cache.table_bytes();

    // This memory is enough for the tables of some names at a time, but not for those of all names.
    let part = whole * 3 / 4;
    let automaton = automaton.memory(part);
    let mut cache = automaton.cache();
    let mut most = 0;
    for &op in ir.block() {
        automaton.match_first(&ir, op, &mut cache);
        most = most.max(cache.table_bytes());
    }
    assert!(most <= part + 4096, "{most} of {whole}");
    assert!(!cache.has_given_up());
    assert_eq!(found_with(&automaton, &mut cache, &ir), expected);

    // This memory is not enough for any tables, so the tree takes over.
    let automaton = automaton.memory(64);
    let mut cache = automaton.cache();
    assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
    assert!(cache.has_given_up());
    assert_eq!(cache.table_size().0, 0);
}

#[test]
fn complete_tables_do_not_grow() {
    let (mut ir, rules) = repeated(6, 0..6, 50);
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let mut cache = automaton.cache();
    automaton.label(&ir, ir.block().iter().copied(), &mut cache);
    let made = (cache.table_size(), cache.table_bytes());
    let found = found_with(&automaton, &mut cache, &ir);
    cache.forget_labels();
    assert_eq!(found_with(&automaton, &mut cache, &ir), found);
    assert_eq!((cache.table_size(), cache.table_bytes()), made);
    assert!(!found.is_empty());
}

#[test]
fn the_tree_matches_until_labels_are_worth_their_cost() {
    let (mut ir, rules) = repeated(4, 0..4, 10);
    let automaton = automaton(&rules, &mut ir, &Natives::new()).automatic();
    let mut cache = automaton.cache();
    let expected = found_with(&**automaton.matcher(), &mut automaton.matcher().cache(), &ir);
    assert!(!expected.is_empty());
    let patience = usize::try_from(Automaton::<Mock>::PATIENCE).expect("a small number");
    for _ in 0..patience {
        assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
        assert_eq!(cache.table_size().0, 0, "no node is created");
    }
    for _ in 0..3 {
        assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
    }
    assert!(cache.table_size().0 > 0 && !cache.has_given_up());
}

/// A rule for a long chain of operations nearly matches everywhere. The tree follows the chain again from each
/// operation.
#[test]
fn operations_get_labels_at_once_if_deep_rules_nearly_match() {
    let mut rules = RuleSet::default();
    let chain = (0..50).fold(op("t.leaf", [var("a")]), |inner, _| op("t.neg", [inner]));
    rules.replacement("deep", 1, &op("t.neg", [chain]), &var("a")).expect("a valid rule");
    let mut ir = Mock::default();
    let mut value = ir.arg("i32");
    for _ in 0..300 {
        value = ir.value("t.neg", &[value], &[], "i32");
    }
    let automaton = automaton(&rules, &mut ir, &Natives::new()).automatic();
    let mut cache = automaton.cache();
    assert_eq!(found_with(&automaton, &mut cache, &ir), []);
    assert!(cache.table_size().0 > 0 && !cache.has_given_up(), "the tree matches all operations");
    // A driver may visit the last operations first. Only the high numbers of their slots show that the IR has many
    // operations.
    for _ in 0..10_000 {
        value = ir.value("t.neg", &[value], &[], "i32");
    }
    let mut cache = automaton.cache();
    for &op in ir.block().iter().rev().take(300) {
        assert_eq!(automaton.match_first(&ir, op, &mut cache), None);
    }
    assert!(cache.table_size().0 > 0, "most operations are matched by the tree");
}

/// The number of operands decides their division into groups, so the plan has no step for the division.
#[test]
fn the_division_of_operands_takes_no_step() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("one_and_more", 1);
    let (x, xs) = (rule.value(), rule.values());
    let root = rule.op("t.op").operand(x).operands(xs).matched();
    rule.erase(root);
    rule.finish().expect("a valid rule");
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    for count in 0..4 {
        ir.op("t.op", &vec![x; count], &[], &[]);
    }
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let mut cache = automaton.cache();
    let rule = PatternId::from_raw(0);
    assert_eq!(found_with(&automaton, &mut cache, &ir), [(1, rule), (2, rule), (3, rule)]);
    // No node; one state in which the rule matches, and the empty state.
    assert_eq!(cache.table_size(), (0, 2));
}

#[test]
fn tables_that_no_two_operations_share_are_abandoned_at_the_cap() {
    let (names, counts) = (20, 20);
    let mut rules = RuleSet::default();
    for n in 0..names {
        let mut rule = rules.pattern(&format!("r{n}"), 1);
        let value = rule.attr_constant("1 : i32");
        let root = rule.op(&format!("t.n{n}")).attr("v", value).matched();
        rule.erase(root);
        rule.finish().expect("a valid rule");
    }
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    for i in 0..names * counts {
        // Each pair of a name and an operand count occurs once.
        ir.op(&format!("t.n{}", i % names), &vec![x; i / names], &[("v", "1 : i32")], &[]);
    }
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let mut cache = automaton.cache();
    let expected = found_with(&automaton, &mut cache, &ir);
    assert_eq!((expected.len(), cache.table_size().0), (names * counts, names * counts));
    let automaton = automaton.memory(cache.table_bytes() / 2);
    let mut cache = automaton.cache();
    assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
    assert!(cache.has_given_up());
}

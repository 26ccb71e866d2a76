//! The automaton in step with an IR that changes.

use super::*;
use crate::host::Listener;
use crate::rewrite::{self, Traversal, apply_greedily, apply_in_walk};

/// An engine of each kind is shared between threads.
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

/// All matches at all operations, by a cache that has seen the IR before.
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

    /// After every single rewrite, the labels of all operations are what they would be from the start.
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

    /// Greedy and walk make of a module what they make of it with the other engines.
    #[test]
    fn drivers_do_the_same(rules in bytes(400), ir in bytes(300), top_down in any::<bool>()) {
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

    /// Where an operation may be above itself, as in a graph region.
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
        // A change that nobody told.
        found_with(&automaton, &mut cache, &ir);
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

/// One rule: `t.link` of `t.link` of a value that is no result of `t.link`.
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
    rule.finish().expect("a good rule");
    rules
}

#[test]
fn a_change_that_was_told_is_seen_two_operations_above() {
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
            // A host that does not count leaves it to who changes it.
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

/// Rules on operations of `names` names, three operations deep each, and for each name that is in
/// `used` a block of operations that is repeated.
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
            rule.finish().expect("a good rule");
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
fn tables_past_the_cap_are_forgotten_and_made_again() {
    let (mut ir, rules) = repeated(12, 0..12, 400);
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let expected = found_with(&**automaton.matcher(), &mut automaton.matcher().scratch(), &ir);
    assert!(expected.len() > 4_000, "{}", expected.len());

    let mut cache = automaton.cache();
    assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
    let whole = cache.table_bytes();

    // Less than what is needed for all: enough for a part at a time.
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

    // Too little for anything: the tree goes on.
    let automaton = automaton.memory(64);
    let mut cache = automaton.cache();
    assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
    assert!(cache.has_given_up());
    assert_eq!(cache.table_size().0, 0);
}

#[test]
fn nothing_is_made_once_the_tables_are_warm() {
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
fn the_tree_is_asked_until_labels_pay() {
    let (mut ir, rules) = repeated(4, 0..4, 10);
    let automaton = automaton(&rules, &mut ir, &Natives::new()).automatic();
    let mut cache = automaton.cache();
    let expected = found_with(&**automaton.matcher(), &mut automaton.matcher().scratch(), &ir);
    assert!(!expected.is_empty());
    let patience = usize::try_from(Automaton::<Mock>::PATIENCE).expect("a small number");
    for _ in 0..patience {
        assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
        assert_eq!(cache.table_size().0, 0, "no node is made");
    }
    for _ in 0..3 {
        assert_eq!(found_with(&automaton, &mut cache, &ir), expected);
    }
    assert!(cache.table_size().0 > 0 && !cache.has_given_up());
}

/// Counts say how a list divides, so that nothing more is asked of the operation.
#[test]
fn how_operands_divide_is_no_question() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("one_and_more", 1);
    let (x, xs) = (rule.value(), rule.values());
    let root = rule.op("t.op").operand(x).operands(xs).matched();
    rule.erase(root);
    rule.finish().expect("a good rule");
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    for count in 0..4 {
        ir.op("t.op", &vec![x; count], &[], &[]);
    }
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let mut cache = automaton.cache();
    let rule = PatternId::from_raw(0);
    assert_eq!(found_with(&automaton, &mut cache, &ir), [(1, rule), (2, rule), (3, rule)]);
    // No node, and the states in which the rule holds and in which nothing does.
    assert_eq!(cache.table_size(), (0, 2));
}

#[test]
fn tables_that_serve_each_operation_once_are_given_up_at_the_cap() {
    let (names, counts) = (20, 20);
    let mut rules = RuleSet::default();
    for n in 0..names {
        let mut rule = rules.pattern(&format!("r{n}"), 1);
        let value = rule.attr_constant("1 : i32");
        let root = rule.op(&format!("t.n{n}")).attr("v", value).matched();
        rule.erase(root);
        rule.finish().expect("a good rule");
    }
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    for i in 0..names * counts {
        // A name and a number of operands that come once each.
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

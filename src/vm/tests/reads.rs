//! Tests of counts: the reads of the IR by the engines, and the counts of a profile. The reads show that labels are not
//! computed again, and that rules share their common tests.

use super::automaton::automaton;
use super::*;
use crate::host::Listener;

/// Two sets of `count` rules. Each rule of the first set requires a different attribute value of a `t.user` that takes
/// a result of a `t.def`. Each rule of the second set requires a different operand type of a `t.typed`.
fn by_attribute_and_type(count: u32) -> RuleSet {
    let mut rules = RuleSet::default();
    for i in 0..count {
        let mut rule = rules.pattern(&format!("attr{i}"), 1);
        let value = rule.attr_constant(&format!("{i} : i32"));
        let (x, any) = (rule.value(), rule.any_type());
        // The rule requires exactly one result of `t.def`, so an operand that `t.def` defines is this result, and no
        // test has to compare the operand with the result.
        let def = rule.op("t.def").operand(x).result_type(any).matched();
        let value_of = rule.result(def, 0);
        let root = rule.op("t.user").operand(value_of).attr("v", value).matched();
        rule.erase(root);
        rule.finish().expect("a valid rule");
        let mut rule = rules.pattern(&format!("type{i}"), 1);
        let ty = rule.type_constant(&format!("i{}", i + 2));
        let y = rule.value_of(ty);
        let root = rule.op("t.typed").operand(y).matched();
        rule.erase(root);
        rule.finish().expect("a valid rule");
    }
    rules
}

/// `times` copies of the three operations that the rules test, and of an operation that no rule tests.
fn repeated(times: usize) -> Mock {
    let mut ir = Mock::default();
    let x = ir.arg("i4");
    for i in 0..times {
        let def = ir.value("t.def", &[x], &[], "i4");
        let value = format!("{} : i32", i % 3);
        ir.op("t.user", &[def], &[("v", &value)], &["i4"]);
        ir.op("t.typed", &[x], &[], &["i4"]);
        ir.op("t.unknown", &[x, x], &[], &["i4"]);
    }
    ir
}

fn found<E: Engine<Mock>>(engine: &E, cache: &mut E::Cache, ir: &Mock) -> usize {
    ir.block().iter().filter(|&&op| engine.match_first(ir, op, cache).is_some()).count()
}

#[test]
fn complete_tables_read_each_property_once_and_labels_read_nothing() {
    let (rules, times) = (by_attribute_and_type(3), 20);
    let mut ir = repeated(times);
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let mut cache = automaton.cache();
    let all = 2 * times;
    assert_eq!(found(&automaton, &mut cache, &ir), all);
    assert_eq!(ir.reads_during(|| found(&automaton, &mut cache, &ir)), (all, 0));
    cache.forget_labels();
    let (again, reads) = ir.reads_during(|| found(&automaton, &mut cache, &ir));
    // The automaton reads the name and the counts of operands and results of each operation. Of the second operation,
    // it also reads the operand, the operand's type and defining operation, and the attribute. Of the third operation,
    // it also reads the operand and the operand's type.
    assert_eq!((again, reads), (all, times * (3 + (3 + 4) + (3 + 2) + 3)));
    let ops = ir.block().to_vec();
    let (_, reads) = ir.reads_during(|| automaton.label(&ir, ops.iter().copied(), &mut cache));
    assert_eq!(reads, 0, "all operations have labels");
    // In the other order, an operation is read again after the operations that it depends on are labelled.
    cache.forget_labels();
    let backwards =
        || ops.iter().rev().filter(|&&op| automaton.match_first(&ir, op, &mut cache).is_some()).count();
    let (again, reads) = ir.reads_during(backwards);
    assert_eq!(again, all);
    assert!(reads <= 3 * times * (3 + (3 + 4) + (3 + 2) + 3), "{reads}");
}

#[test]
fn a_change_is_followed_as_far_as_labels_change() {
    let mut rules = by_attribute_and_type(3);
    let mut rule = rules.pattern("chain", 1);
    let (x, any) = (rule.value(), rule.any_type());
    let below = rule.op("t.def").operand(x).result_type(any).matched();
    let value = rule.result(below, 0);
    let root = rule.op("t.def").operand(value).matched();
    rule.erase(root);
    rule.finish().expect("a valid rule");
    let mut ir = Mock::default();
    let x = ir.arg("i4");
    let mut value = x;
    for _ in 0..100 {
        value = ir.value("t.def", &[value], &[], "i4");
    }
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let mut cache = automaton.cache();
    assert_eq!(found(&automaton, &mut cache, &ir), 99);
    let middle = ir.block()[50];
    let before = ir.operand(middle, 0);
    // `middle` no longer matches, but its user still does. The user is read again, and no operation after the user.
    ir.set_operand(middle, 0, x);
    cache.modified(&ir, middle);
    automaton.acknowledge_changes(&ir, &mut cache);
    let (now, reads) = ir.reads_during(|| found(&automaton, &mut cache, &ir));
    assert_eq!(now, 98);
    assert!(reads <= 2 * 16, "{reads}");
    ir.set_operand(middle, 0, before);
    cache.modified(&ir, middle);
    automaton.acknowledge_changes(&ir, &mut cache);
    assert_eq!(found(&automaton, &mut cache, &ir), 99);
    // A change without notification is found too, and all operations are read again.
    ir.set_operand(middle, 0, x);
    let (now, reads) = ir.reads_during(|| found(&automaton, &mut cache, &ir));
    assert_eq!(now, 98);
    assert!(reads >= 100 * 5, "{reads}");
}

/// A label decides all tests of an operation and of the operations that define its operands; no test remains.
#[test]
fn a_label_decides_tests_of_presence_and_of_values() {
    let mut rules = RuleSet::default();
    for (name, present) in [("t.present", true), ("t.equal", false)] {
        let mut rule = rules.pattern(name, 1);
        let below = rule.any_op().no_operands().matched();
        let defined = rule.defined_by(below);
        let ty = rule.type_constant("i32");
        let v = rule.any_attr();
        let w = if present { rule.attr_of(ty) } else { v };
        let root = rule.op(name).operand(defined).attr("v", v).attr("w", w).matched();
        rule.erase(root);
        rule.finish().expect("a valid rule");
    }
    let mut ir = Mock::default();
    let (x, y) = (ir.arg("i32"), ir.value("t.any", &[], &[], "i32"));
    let mut expected = 0;
    for (v, w) in [("1 : i32", "1 : i32"), ("1 : i32", "2 : i32"), ("1 : i64", "1 : i64")] {
        for operand in [x, y] {
            ir.op("t.present", &[operand], &[("v", v), ("w", w)], &[]);
            ir.op("t.equal", &[operand], &[("v", v), ("w", w)], &[]);
            ir.op("t.equal", &[operand], &[("w", w)], &[]);
            expected += usize::from(operand == y) * (usize::from(w.ends_with("i32")) + usize::from(v == w));
        }
    }
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let mut cache = automaton.cache();
    assert_eq!(found(&automaton, &mut cache, &ir), expected);
    assert_eq!(ir.reads_during(|| found(&automaton, &mut cache, &ir)), (expected, 0));
}

/// A table walk decides if an attribute and a result exist. It reads the name, both counts and, once, the attribute.
#[test]
fn complete_tables_decide_presence() {
    let mut rules = RuleSet::default();
    for i in 0..3 {
        let mut rule = rules.pattern(&format!("rule{i}"), 3 - i);
        let value = if i < 2 { rule.attr_constant(&format!("{i} : i32")) } else { rule.any_attr() };
        let root = rule.op("t.user").no_operands().attr("v", value).matched();
        rule.result(root, 0);
        rule.erase(root);
        rule.finish().expect("a valid rule");
    }
    let mut ir = Mock::default();
    let values = [Some("0 : i32"), Some("1 : i32"), Some("5 : i32"), None];
    for value in values {
        let attrs: Vec<(&str, &str)> = value.map(|value| ("v", value)).into_iter().collect();
        for results in [&[][..], &["i4"], &["i4", "i8"]] {
            ir.op("t.user", &[], &attrs, results);
        }
    }
    let automaton = automaton(&rules, &mut ir, &Natives::new());
    let mut cache = automaton.cache();
    let expected = 3 * 2;
    assert_eq!(found(&automaton, &mut cache, &ir), expected);
    cache.forget_labels();
    let (again, reads) = ir.reads_during(|| found(&automaton, &mut cache, &ir));
    // The attribute of an operation without results is not read.
    assert_eq!((again, reads), (expected, values.len() * (3 + 4 + 4)));
}

/// If the answer to one question selects the rule, the number of rules does not affect how often the tree reads the IR.
#[test]
fn the_number_of_rules_does_not_affect_the_reads_of_the_tree() {
    let reads = |count: u32| {
        let rules = by_attribute_and_type(count);
        let mut ir = repeated(1);
        let matcher = link(&rules, &Config::new(), &mut ir, &Natives::new());
        let mut scratch = matcher.cache();
        let ops = ir.block().to_vec();
        let each = |&op: &MockOp| {
            let (matched, reads) = ir.reads_during(|| matcher.match_first(&ir, op, &mut scratch));
            let (next, more) = ir.reads_during(|| matcher.next_match(&ir, &mut scratch));
            assert_eq!(next, None);
            (matched.is_some(), reads, more)
        };
        ops.iter().map(each).collect::<Vec<_>>()
    };
    let few = reads(3);
    assert_eq!(few.iter().map(|r| r.0).collect::<Vec<_>>(), [false, true, true, false]);
    for count in [4, 9, 10, 20, 100] {
        assert_eq!(reads(count), few, "{count} rules");
    }
    // At the first and the last operation, the name alone decides that no rule starts.
    assert_eq!((few[0].1, few[3].1), (1, 1));
}

/// Once enough near misses are known, the predicate that fails at these near misses is tested first at each further
/// operation. If it fails again, nothing else is tested.
#[test]
fn operations_that_come_no_closer_to_a_match_take_few_tests() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("many", 1);
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let ones = names.map(|_| rule.attr_constant("1 : i32"));
    let op = names.iter().zip(ones).fold(rule.op("t.op"), |op, (name, one)| op.attr(name, one)).matched();
    rule.erase(op);
    rule.finish().expect("a valid rule");
    let mut ir = Mock::default();
    let near: Vec<_> = names[..7].iter().map(|&name| (name, "1 : i32")).collect();
    for _ in 0..400 {
        ir.op("t.op", &[], &near, &[]);
    }
    let matcher = link(&rules, &Config::new(), &mut ir, &Natives::new());
    let rule = PatternId::from_raw(0);
    let (first, all) = (&ir.block()[..100], ir.block());
    let (_, of_first) = ir.reads_during(|| matcher.nearest(&ir, first, &[rule], 1));
    let (survey, of_all) = ir.reads_during(|| matcher.nearest(&ir, all, &[rule], 1));
    assert_eq!(survey.nearest.len(), 1);
    // All predicates are tested at the first 68 operations, until enough near misses are known. At the others, only the
    // name and the predicate that fails are tested.
    assert!(of_first > 66 * 8, "{of_first}");
    assert!(of_all - of_first <= 300 * 3, "{of_first} {of_all}");
}

/// Profiles three rules: the first matches; the second always fails, in most cases at its second attribute; the third
/// is never tried.
#[test]
fn a_profile_names_the_predicate_that_stopped_a_rule() {
    let mut rules = RuleSet::default();
    for (name, root, values) in [
        ("matches", "t.op", ["1 : i32", "2 : i32"]),
        ("fails", "t.op", ["1 : i32", "3 : i32"]),
        ("absent", "t.none", ["1 : i32", "3 : i32"]),
    ] {
        let mut rule = rules.pattern(name, 1);
        let [v, w] = values.map(|value| rule.attr_constant(value));
        let op = rule.op(root).attr("v", v).attr("w", w).matched();
        rule.erase(op);
        rule.finish().expect("a valid rule");
    }
    let mut ir = Mock::default();
    for value in ["2 : i32", "2 : i32", "4 : i32"] {
        ir.op("t.op", &[], &[("v", "1 : i32"), ("w", value)], &[]);
    }
    ir.op("t.op", &[], &[("v", "0 : i32"), ("w", "3 : i32")], &[]);
    ir.op("t.other", &[], &[], &[]);
    let matcher = link(&rules, &Config::new(), &mut ir, &Natives::new());
    let profiler = Profiler::new(&matcher);
    let mut cache = profiler.cache();
    for &op in ir.block() {
        let matched = profiler.match_first(&ir, op, &mut cache);
        assert!(matched.is_none() || profiler.next_match(&ir, &mut cache).is_none());
    }
    let first = ir.block()[0];
    profiler.match_first(&ir, first, &mut cache).expect("it matches");
    profiler.rewrite(&mut ir, &mut cache, &mut NoListener).expect("it has no uses");
    let profile = profiler.into_profile();
    let [matches, fails, absent] = [0, 1, 2].map(PatternId::from_raw);
    let counts = |rule: PatternId| {
        let rule = &profile.rules[rule];
        [rule.tried, rule.matched, rule.fired, rule.refused]
    };
    assert_eq!(profile.visits, 6);
    assert_eq!(counts(matches), [5, 3, 1, 0]);
    assert_eq!(counts(fails), [5, 0, 0, 0]);
    assert_eq!(counts(absent), [0; 4]);
    assert_eq!(profile.fired.len(), 1);
    // The stopper of a rule is the predicate that failed most often: `w` failed four times, and `v` failed once. A rule
    // that matched or was not tried has no stopper.
    let (stopper, times) = profile.stopper(fails).expect("it was stopped");
    let text = matcher.program().predicate_text(fails, Some(stopper));
    assert!(times == 4 && text.contains("'w'"), "{times}: {text}");
    assert_eq!((profile.stopper(matches), profile.stopper(absent)), (None, None));
    assert_eq!(profile.rules[fails].stopped.iter().sum::<u64>(), 5);
    // Each executed instruction is either a test or one of the instructions that `instructions_without_tests` counts.
    let (asked, all) = (profile.asked(matcher.program()), profile.steps.iter().sum::<u64>());
    assert!(asked >= 6 && asked < all, "{asked} of {all}");
    assert_eq!(asked + instructions_without_tests(matcher.program(), &profile.steps), all);
}

#[test]
fn a_profile_counts_the_rewrites_that_were_undone() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("refused", 1);
    let root = rule.op("t.op").matched();
    rule.create("t.bad").created();
    rule.erase(root);
    rule.finish().expect("a valid rule");
    let mut ir = Mock::default();
    let op = ir.op("t.op", &[], &[], &[]);
    ir.refused = Some("t.bad");
    let matcher = link(&rules, &Config::new(), &mut ir, &Natives::new());
    let profiler = Profiler::new(&matcher);
    let mut cache = profiler.cache();
    for _ in 0..3 {
        profiler.match_first(&ir, op, &mut cache).expect("it matches");
        profiler.rewrite(&mut ir, &mut cache, &mut NoListener).expect_err("the host refuses");
    }
    let profile = profiler.into_profile();
    let rule = &profile.rules[PatternId::from_raw(0)];
    assert_eq!((rule.tried, rule.matched, rule.fired, rule.refused), (3, 3, 0, 3));
    assert_eq!(rule.refusal.as_deref(), Some("the test refuses this operation"));
    assert!(profile.fired.is_empty());
}

/// The number of executed instructions that test nothing, by their mnemonics in the listing.
fn instructions_without_tests(program: &Program, steps: &[u64]) -> u64 {
    let listing = bytecode::disassemble(program, &SourceMap::default());
    let of_line = |line: &str| {
        let (at, rest) = line.trim_start().split_once("  ")?;
        let mnemonic = rest.split_whitespace().next()?;
        let asks_nothing = ["fail", "jump", "try", "accept", "accept.guarded"].contains(&mnemonic);
        asks_nothing.then_some(steps[at.parse::<usize>().ok()?])
    };
    listing.lines().filter_map(of_line).sum()
}

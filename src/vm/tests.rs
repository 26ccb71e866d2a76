//! Tests of engines, rewrites and linking. All engines find the matches of the reference matcher, and a refused rewrite
//! leaves the IR unchanged.

mod automaton;
mod damaged;
mod generate;
mod long;
mod many_states;
mod ranges;
mod reads;
mod tables;
mod wrapped;

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::bytecode::{self, Program};
use crate::host::OpSignature;
use crate::host::mock::{Mock, MockOp, MockValue};
use crate::host::{Entity, Ir, Kind, Listener, Natives, NoListener, Refusal, Rewriter, Signature};
use crate::matcher_tree::{self, Config, FindingKind};
use crate::pdl::term::{op, var};
use crate::pdl::{Arg, NodeId, PatternBuilder, PatternId, ReferenceMatcher, RuleSet, Source, Step};
use crate::pdl::{Arity, AttrDef, OpDef, ValueDef};
use crate::source::{SourceMap, render_classic};

use super::{Automaton, Engine, LinkOptions, Log, LoggingEngine, Matcher, Outcome, Profiler, Reference};

/// All matches at all operations, with the bindings of all nodes.
type Found = Vec<(usize, PatternId, Vec<Entity<Mock>>)>;

/// Compiles rules, and loads the program again from the bytes of its file.
fn program(rules: &RuleSet, config: &Config) -> Arc<Program> {
    let rules = rules.verify().expect("the rules verify");
    let tree = matcher_tree::build(rules, config).expect("the rules compile");
    let program = bytecode::compile(rules, &tree).expect("the rules fit");
    let bytes = program.to_bytes(&SourceMap::default());
    let mut sources = SourceMap::default();
    let loaded = Program::from_bytes(&bytes, &mut sources).expect("the file is valid");
    let listing = bytecode::disassemble(&program, &SourceMap::default());
    assert_eq!(bytecode::disassemble(&loaded, &sources), listing);
    assert!(loaded.to_bytes(&sources) == bytes, "the loaded program gives the same bytes");
    Arc::new(loaded)
}

fn link(rules: &RuleSet, config: &Config, ir: &mut Mock, natives: &Natives<Mock>) -> Matcher<Mock> {
    Matcher::link(program(rules, config), ir, natives, &LinkOptions::default()).expect("it links")
}

fn by_reference(rules: &RuleSet, ir: &mut Mock, natives: &Natives<Mock>) -> Found {
    let matcher = ReferenceMatcher::new(rules, ir, natives).expect("it links");
    let mut found = Vec::new();
    for (i, &op) in ir.block().iter().enumerate() {
        found.extend(matcher.matches(ir, op).map(|m| (i, m.pattern, m.bindings().cloned().collect())));
    }
    found
}

fn by_engine(rules: &RuleSet, config: &Config, ir: &mut Mock, natives: &Natives<Mock>) -> Found {
    let matcher = link(rules, config, ir, natives);
    found_by(&matcher, rules, ir)
}

fn found_by<E: Engine<Mock>>(engine: &E, rules: &RuleSet, ir: &Mock) -> Found {
    let mut cache = engine.cache();
    let mut found = Vec::new();
    for (i, &op) in ir.block().iter().enumerate() {
        let mut matched = engine.match_first(ir, op, &mut cache);
        while let Some(pattern) = matched {
            let nodes = rules.patterns[pattern].matcher.ids();
            let bindings = nodes.map(|n| engine.binding(ir, &mut cache, n).expect("a match binds all nodes"));
            found.push((i, pattern, bindings.collect()));
            matched = engine.next_match(ir, &mut cache);
        }
        assert_eq!(engine.next_match(ir, &mut cache), None, "there is no match after the last one");
    }
    found
}

fn configs() -> [Config; 4] {
    [
        Config::new(),
        Config::new().sharing(false).batch(3),
        Config::new().copies(Some(0)),
        Config::new().copies(None).max_nodes(1 << 18),
    ]
}

proptest! {
    #![proptest_config(crate::test_seed::config())]
    #[test]
    fn finds_the_matches_of_the_reference(
        rules in proptest::collection::vec(any::<u8>(), 0..500),
        ir in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let rules = generate::rules(&rules);
        let mut ir = generate::ir(&ir);
        let natives = generate::natives();
        let expected = by_reference(&rules, &mut ir, &natives);
        for config in configs() {
            let found = by_engine(&rules, &config, &mut ir, &natives);
            prop_assert_eq!(&found, &expected, "{:?}\n{}", config, ir.text());
        }
        let matcher = Arc::new(link(&rules, &Config::new(), &mut ir, &natives));
        for memory in [Automaton::<Mock>::MEMORY, 1 << 12] {
            let automaton = Automaton::new(matcher.clone()).memory(memory);
            let found = found_by(&automaton, &rules, &ir);
            prop_assert_eq!(&found, &expected, "{}\n{}", memory, ir.text());
        }
    }
}

/// The rules that match at each operation according to explanations. The explanation of every other rule must name a
/// failed predicate.
fn by_explanation(rules: &RuleSet, ir: &mut Mock, natives: &Natives<Mock>) -> Vec<(usize, PatternId)> {
    let matcher = link(rules, &Config::new(), ir, natives);
    let mut scratch = matcher.cache();
    let mut matching = Vec::new();
    for (i, &op) in ir.block().iter().enumerate() {
        let candidates = matcher.candidates(ir, op);
        for rule in rules.in_order() {
            let explanation = matcher.explain_with(ir, op, rule, &mut scratch);
            let held = explanation.steps.iter().take_while(|step| step.holds == Some(true)).count();
            let progress = matcher.progress(ir, op, rule, &mut scratch);
            assert_eq!((progress.reached, progress.matches), (held, explanation.matches));
            assert_eq!(explanation.failed().is_none(), explanation.matches);
            assert_eq!(
                explanation.steps.len(),
                if explanation.matches { explanation.predicates } else { held + 1 }
            );
            assert!(candidates.contains(&rule) || held == 0);
            for step in &explanation.steps {
                assert!(!matcher.program().predicate_text(rule, step.predicate).is_empty());
            }
            if explanation.matches {
                matching.push((i, rule));
            }
        }
        assert!(candidates.is_sorted_by_key(|c| rules.in_order().iter().position(|r| r == c)));
    }
    matching
}

proptest! {
    #![proptest_config(crate::test_seed::config())]
    #[test]
    fn explanations_agree_with_the_reference(
        rules in proptest::collection::vec(any::<u8>(), 0..500),
        ir in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let rules = generate::rules(&rules);
        let mut ir = generate::ir(&ir);
        let natives = generate::natives();
        let mut expected: Vec<_> =
            by_reference(&rules, &mut ir, &natives).into_iter().map(|(op, rule, _)| (op, rule)).collect();
        expected.dedup();
        prop_assert_eq!(by_explanation(&rules, &mut ir, &natives), expected, "{}", ir.text());
    }
}

/// Checks the findings about random rules against the matches of these rules. Returns the number of findings that
/// report a rule as never applied.
fn findings_hold(rules: &RuleSet, ir: &mut Mock) -> usize {
    let findings = matcher_tree::analyse::analyse(rules.verify().expect("the rules verify"));
    let mut never = 0;
    let found = by_reference(rules, ir, &generate::natives());
    for finding in findings {
        match finding.kind {
            FindingKind::Unreachable => assert!(found.iter().all(|f| f.1 != finding.pattern), "{finding:?}"),
            FindingKind::Shadowed { by: other } | FindingKind::Duplicate { of: other } => {
                for at in found.iter().filter(|f| f.1 == finding.pattern).map(|f| f.0) {
                    let first = found.iter().find(|f| f.0 == at);
                    assert!(first.is_some_and(|f| f.1 != finding.pattern), "{finding:?} at {at}");
                    let both = found.iter().filter(|f| f.0 == at).any(|f| f.1 == other);
                    assert!(both, "{finding:?} at {at}");
                }
            }
            FindingKind::Overlaps { .. } => continue,
        }
        never += 1;
    }
    never
}

#[test]
fn a_rule_that_is_reported_as_never_applied_is_never_the_first_match() {
    let mut runner = crate::test_seed::runner();
    let bytes = (proptest::collection::vec(any::<u8>(), 500), proptest::collection::vec(any::<u8>(), 400));
    let mut never = 0;
    for _ in 0..300 {
        let (rules, ir) = bytes.new_tree(&mut runner).expect("bytes").current();
        never += findings_hold(&generate::rules(&rules), &mut generate::ir(&ir));
    }
    // Without enough findings the test is weak.
    assert!(never > 100, "{never}");
}

proptest! {
    #![proptest_config(crate::test_seed::config())]
    #[test]
    fn the_nearest_operations_are_those_that_get_furthest(
        rules in proptest::collection::vec(any::<u8>(), 0..300),
        ir in proptest::collection::vec(any::<u8>(), 0..300),
        count in 1usize..5,
    ) {
        let rules = generate::rules(&rules);
        let mut ir = generate::ir(&ir);
        let natives = generate::natives();
        let matching: Vec<PatternId> =
            by_reference(&rules, &mut ir, &natives).into_iter().map(|found| found.1).collect();
        let matcher = link(&rules, &Config::new(), &mut ir, &natives);
        let asked: Vec<PatternId> = rules.patterns.ids().collect();
        // The search skips operations that cannot be among the closest, if there are enough operations.
        let first = &ir.block()[..ir.block().len() / 2];
        let ops = [first.repeat(80), ir.block().to_vec()].concat();
        let survey = matcher.nearest(&ir, &ops, &asked, count);
        let missing = |rule: &PatternId| !matching.contains(rule);
        prop_assert_eq!(survey.matching, asked.iter().copied().filter(|r| !missing(r)).collect::<Vec<_>>());
        let mut best = Vec::new();
        for rule in asked.into_iter().filter(missing) {
            let explanation = ir.block().iter().map(|&op| matcher.explain(&ir, op, rule));
            let left = |explanation: crate::vm::Explanation<Mock>| {
                let held = explanation.steps.iter().filter(|step| step.holds == Some(true)).count();
                (held > 0).then_some(explanation.predicates - held)
            };
            let closest = explanation.filter_map(left).min();
            prop_assert_eq!(closest.is_none(), survey.never_started.contains(&rule));
            best.extend(closest);
        }
        best.sort_unstable();
        let firsts: Vec<usize> =
            survey.nearest.iter().take(best.len()).map(|near| near.predicates - near.reached).collect();
        best.truncate(count);
        prop_assert_eq!(firsts, best);
    }
}

#[test]
fn random_rules_do_match() {
    // Without enough matches the tests above are weak.
    let mut runner = crate::test_seed::runner();
    let bytes = (proptest::collection::vec(any::<u8>(), 500), proptest::collection::vec(any::<u8>(), 400));
    let mut counts = [0usize; 3];
    for _ in 0..100 {
        let (rules, ir) = bytes.new_tree(&mut runner).expect("bytes").current();
        let rules = generate::rules(&rules);
        let mut ir = generate::ir(&ir);
        counts[0] += rules.patterns.len();
        let found = by_reference(&rules, &mut ir, &generate::natives());
        counts[1] += found.len();
        let mut matched: Vec<PatternId> = found.iter().map(|f| f.1).collect();
        matched.dedup();
        counts[2] += matched.len();
    }
    assert!(counts[0] > 500 && counts[1] > 1_000 && counts[2] > 500, "{counts:?}");
}

/// Builds one rule, and applies it to each operation once. All engines must give the same IR and the same outcomes.
/// Returns the outcomes.
fn applied(
    ir: &mut Mock,
    natives: &Natives<Mock>,
    build: impl FnOnce(&mut PatternBuilder<'_>),
) -> Vec<Outcome> {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    build(&mut rule);
    rule.finish().expect("a good rule");
    let matcher = Arc::new(link(&rules, &Config::new(), ir, natives));
    let mut other = ir.clone();
    let reference = Reference::link(&rules, &matcher, &mut other, natives).expect("it links");
    let mut third = ir.clone();
    let outcomes = each_applied(&*matcher, ir);
    assert_eq!(each_applied(&Automaton::new(matcher.clone()), &mut third), outcomes);
    assert_eq!(third.text(), ir.text());
    assert_eq!(each_applied(&reference, &mut other), outcomes);
    assert_eq!(other.text(), ir.text());
    outcomes
}

fn each_applied<E: Engine<Mock>>(engine: &E, ir: &mut Mock) -> Vec<Outcome> {
    let mut cache = engine.cache();
    let ops = ir.block().to_vec();
    ops.into_iter().map(|op| engine.apply(ir, op, &mut cache, &mut NoListener)).collect()
}

const APPLIED: Outcome = Outcome { applied: Some(PatternId::from_raw(0)), refused: 0 };
const NOTHING: Outcome = Outcome { applied: None, refused: 0 };
const REFUSED: Outcome = Outcome { applied: None, refused: 1 };

#[test]
fn a_rule_replaces_its_root_by_a_value() {
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    let zero = ir.value("t.const", &[], &[("value", "0 : i32")], "i32");
    let sum = ir.value("t.add", &[x, zero], &[], "i32");
    ir.op("t.use", &[sum, sum], &[], &[]);
    let outcomes = applied(&mut ir, &Natives::new(), |rule| {
        let value = rule.attr_constant("0 : i32");
        let zero = rule.op("t.const").attr("value", value).matched();
        let (x, zero) = (rule.value(), rule.result(zero, 0));
        let add = rule.op("t.add").operand(x).operand(zero).matched();
        rule.replace(add, [x]);
    });
    assert_eq!(outcomes, [NOTHING, APPLIED, NOTHING]);
    assert_eq!(ir.text(), "%1: i32 = t.const() { value = 0 : i32 } @loc1\nt.use(%0, %0) @loc3\n");
}

#[test]
fn a_rule_creates_operations_from_matched_entities() {
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    let inner = ir.value("t.neg", &[x], &[("v", "7 : i32")], "i64");
    let outer = ir.value("t.neg", &[inner], &[], "i32");
    ir.op("t.use", &[outer], &[], &[]);
    let outcomes = applied(&mut ir, &Natives::new(), |rule| {
        let (x, ty, attr) = (rule.value(), rule.any_type(), rule.any_attr());
        let inner = rule.op("t.neg").operand(x).attr("v", attr).result_type(ty).matched();
        let inner_value = rule.result(inner, 0);
        let root = rule.op("t.neg").operand(inner_value).matched();
        let constant = rule.make_attr("1 : i32");
        let new = rule.create("t.new").operand(x).operand(inner_value).attr("v", attr).attr("w", constant);
        let new = new.result_type(ty).created();
        rule.replace_by_op(root, new);
    });
    assert_eq!(outcomes, [NOTHING, APPLIED, NOTHING]);
    assert_eq!(
        ir.text(),
        "%1: i64 = t.neg(%0) { v = 7 : i32 } @loc1\n\
         %3: i64 = t.new(%0, %1) { v = 7 : i32, w = 1 : i32 } @fused[loc1, loc2]\n\
         t.use(%3) @loc3\n"
    );
}

/// A rule whose rewrite creates two operations, calls a native and replaces the root.
fn two_then_native(rule: &mut PatternBuilder<'_>) {
    let x = rule.value();
    let root = rule.op("t.root").operand(x).matched();
    let ty = rule.type_of(x);
    let one = rule.create("t.one").operand(x).result_type(ty).created();
    let value = rule.result_of(one, 0);
    let two = rule.create("t.two").operand(value).result_type(ty).created();
    let results = rule.rewrite_call("give", [Arg::Of(Source::from(two))], &[Kind::Value]);
    rule.replace(root, results);
}

fn giving(
    give: impl Fn(&mut Rewriter<'_, Mock>, MockOp) -> Result<Option<MockValue>, Refusal> + Send + Sync + 'static,
) -> Natives<Mock> {
    let signature = Signature::new([Kind::Op], [Kind::Value]);
    Natives::new().rewrite_with("give", signature, move |rewriter, args| match args[0] {
        Entity::Op(op) => Ok(vec![Entity::Value(give(rewriter, op)?)]),
        _ => Err(Refusal::new("no operation")),
    })
}

fn one_root() -> Mock {
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    let root = ir.value("t.root", &[x], &[], "i32");
    ir.op("t.use", &[root], &[], &[]);
    ir
}

#[test]
fn a_native_rewrite_returns_the_replacement_of_the_root() {
    let mut ir = one_root();
    let natives = giving(|rewriter, op| Ok(Some(rewriter.host().result(op, 0))));
    assert_eq!(applied(&mut ir, &natives, two_then_native), [APPLIED, NOTHING]);
    assert_eq!(ir.text(), "%2: i32 = t.one(%0) @loc1\n%3: i32 = t.two(%2) @loc1\nt.use(%3) @loc2\n");
}

#[test]
fn every_refusal_leaves_the_ir_unchanged() {
    let succeeding = || giving(|rewriter, op| Ok(Some(rewriter.host().result(op, 0))));
    let natives = [
        giving(|_, _| Err(Refusal::new("no"))),
        giving(|_, _| Ok(None)),
        giving(|rewriter, op| {
            let before = rewriter.root();
            rewriter.erase(before);
            rewriter.erase(op);
            Err(Refusal::new("too late"))
        }),
    ];
    for natives in natives {
        let mut ir = one_root();
        let before = ir.text();
        assert_eq!(applied(&mut ir, &natives, two_then_native), [REFUSED, NOTHING]);
        assert_eq!(ir.text(), before);
    }
    for refused in ["t.one", "t.two"] {
        let mut ir = one_root();
        let before = ir.text();
        ir.refused = Some(refused);
        assert_eq!(applied(&mut ir, &succeeding(), two_then_native), [REFUSED, NOTHING]);
        assert_eq!(ir.text(), before);
    }
}

/// Applies a rule with the rewrite `act` to a chain of two operations. The second operation has a use.
fn on_a_chain(act: impl Fn(&mut PatternBuilder<'_>, [NodeId; 3])) -> (Vec<Outcome>, String) {
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    let inner = ir.value("t.in", &[x], &[], "i32");
    let outer = ir.value("t.out", &[inner], &[], "i32");
    ir.op("t.use", &[outer], &[], &[]);
    let outcomes = applied(&mut ir, &Natives::new(), |rule| {
        let x = rule.value();
        let inner = rule.op("t.in").operand(x).matched();
        let value = rule.result(inner, 0);
        let outer = rule.op("t.out").operand(value).matched();
        act(rule, [x, inner, outer]);
    });
    (outcomes, ir.text())
}

#[test]
fn erasing_an_operation_that_is_still_used_is_undone() {
    let unchanged = "%1: i32 = t.in(%0) @loc1\n%2: i32 = t.out(%1) @loc2\nt.use(%2) @loc3\n".to_owned();
    let acts: [fn(&mut PatternBuilder<'_>, [NodeId; 3]); 6] = [
        |rule, [_, _, outer]| rule.erase(outer),
        |rule, [_, inner, _]| rule.erase(inner),
        |rule, [x, inner, outer]| {
            rule.replace(outer, [x]);
            rule.erase(inner);
            rule.erase(inner);
        },
        |rule, [_, _, outer]| {
            let itself = rule.result_of(outer, 0);
            rule.replace(outer, [itself]);
        },
        |rule, [_, inner, outer]| {
            let erased = rule.result_of(inner, 0);
            rule.replace(outer, [erased]);
            rule.erase(inner);
        },
        |rule, [_, _, outer]| {
            let itself = rule.result_of(outer, 0);
            let ty = rule.type_of(itself);
            let new = rule.create("t.new").operand(itself).result_type(ty).created();
            rule.replace_by_op(outer, new);
        },
    ];
    for (i, act) in acts.into_iter().enumerate() {
        assert_eq!(on_a_chain(act), (vec![NOTHING, REFUSED, NOTHING], unchanged.clone()), "{i}");
    }
}

#[test]
fn an_operation_may_be_erased_before_or_after_its_user_is_replaced() {
    let erased = (vec![NOTHING, APPLIED, NOTHING], "t.use(%0) @loc3\n".to_owned());
    let first = on_a_chain(|rule, [x, inner, outer]| {
        rule.erase(inner);
        rule.replace(outer, [x]);
    });
    let last = on_a_chain(|rule, [x, inner, outer]| {
        rule.replace(outer, [x]);
        rule.erase(inner);
    });
    assert_eq!((first, last), (erased.clone(), erased));
}

#[test]
fn operations_and_their_users_may_be_erased_in_any_order() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut ir = Mock::default();
        let x = ir.arg("i32");
        let inner = ir.value("t.in", &[x], &[], "i32");
        let outer = ir.value("t.out", &[inner, inner], &[], "i32");
        ir.op("t.use", &[outer, inner], &[], &[]);
        let outcomes = applied(&mut ir, &Natives::new(), |rule| {
            let x = rule.value();
            let inner = rule.op("t.in").operand(x).matched();
            let value = rule.result(inner, 0);
            let outer = rule.op("t.out").operand(value).operand(value).matched();
            let result = rule.result(outer, 0);
            let user = rule.op("t.use").operand(result).operand(value).matched();
            let all = [inner, outer, user];
            order.iter().for_each(|&i: &usize| rule.erase(all[i]));
        });
        assert_eq!(outcomes.last(), Some(&APPLIED), "{order:?}");
        assert_eq!(ir.text(), "", "{order:?}");
    }
}

/// A log of event names.
#[derive(Default)]
struct Events(Vec<String>);

impl Listener<Mock> for Events {
    fn created(&mut self, _: &Mock, _: MockOp) {
        self.0.push("created".to_owned());
    }
    fn replaced(&mut self, _: &Mock, _: MockOp, _: &[MockValue]) {
        self.0.push("replaced".to_owned());
    }
    fn erased(&mut self, _: &Mock, _: MockOp) {
        self.0.push("erased".to_owned());
    }
}

impl Log<Mock> for Events {
    fn visit(&mut self, _: &Mock, _: MockOp) {
        self.0.push("visit".to_owned());
    }
    fn begin(&mut self, _: &Mock, _: MockOp, rule: PatternId) {
        self.0.push(format!("begin {}", rule.raw()));
    }
    fn refused(&mut self, _: &Mock, _: &Refusal) {
        self.0.push("refused".to_owned());
    }
    fn applied(&mut self, _: &Mock) {
        self.0.push("applied".to_owned());
    }
    fn leave(&mut self, _: &Mock, applied: bool) {
        self.0.push(format!("leave {applied}"));
    }
}

#[test]
fn the_next_rule_is_tried_when_one_refuses() {
    let mut ir = one_root();
    let mut rules = RuleSet::default();
    for (name, made) in [("first", "t.bad"), ("second", "t.good")] {
        let mut rule = rules.pattern(name, 1);
        let x = rule.value();
        let root = rule.op("t.root").operand(x).matched();
        let ty = rule.type_of(x);
        let new = rule.create(made).operand(x).result_type(ty).created();
        rule.replace_by_op(root, new);
        rule.finish().expect("a good rule");
    }
    ir.refused = Some("t.bad");
    let matcher = link(&rules, &Config::new(), &mut ir, &Natives::new());
    let (op, mut scratch) = (ir.block()[0], matcher.cache());
    let log = std::sync::Mutex::new(Events::default());
    let logging = LoggingEngine::new(&matcher, &log);
    let logged = logging.apply(&mut ir.clone(), op, &mut logging.cache(), &mut NoListener);
    let outcome = matcher.apply(&mut ir, op, &mut scratch, &mut NoListener);
    assert_eq!(outcome, Outcome { applied: Some(PatternId::from_raw(1)), refused: 1 });
    assert_eq!(logged, outcome);
    let events = log.into_inner().expect("no thread panics").0;
    let expected = ["visit", "begin 0", "refused", "begin 1", "created", "replaced", "erased", "applied"];
    assert_eq!(events[..8], expected);
    assert_eq!(events[8..], ["leave true"]);
    assert_eq!(ir.text(), "%2: i32 = t.good(%0) @loc1\nt.use(%2) @loc2\n");
}

#[test]
fn each_match_of_a_rule_that_refuses_is_logged() {
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    let root = ir.value("t.root", &[x], &[], "i32");
    ir.op("t.use", &[root], &[], &[]);
    ir.op("t.use", &[root], &[], &[]);
    let mut rules = RuleSet::default();
    for (name, made) in [("for each user", "t.bad"), ("once", "t.good")] {
        let mut rule = rules.pattern(name, 1);
        let x = rule.value();
        let root = rule.op("t.root").operand(x).matched();
        if made == "t.bad" {
            let value = rule.result(root, 0);
            rule.op("t.use").operand(value).matched();
        }
        rule.root(root);
        let ty = rule.type_of(x);
        let new = rule.create(made).operand(x).result_type(ty).created();
        rule.replace_by_op(root, new);
        rule.finish().expect("a good rule");
    }
    ir.refused = Some("t.bad");
    let matcher = link(&rules, &Config::new(), &mut ir, &Natives::new());
    let log = std::sync::Mutex::new(Events::default());
    let logging = LoggingEngine::new(&matcher, &log);
    let op = ir.block()[0];
    let outcome = logging.apply(&mut ir, op, &mut logging.cache(), &mut NoListener);
    assert_eq!(outcome, Outcome { applied: Some(PatternId::from_raw(1)), refused: 2 });
    let events = log.into_inner().expect("no thread panics").0;
    let expected = ["visit", "begin 0", "refused", "begin 0", "refused", "begin 1", "created", "replaced"];
    assert_eq!(events[..8], expected);
}

#[test]
fn missing_natives_are_reported_together_or_their_rules_are_left_out() {
    let mut rules = RuleSet::default();
    for (name, constraint) in [("a", Some("nobody")), ("b", Some("no_one")), ("c", None)] {
        let mut rule = rules.pattern(name, 1);
        let root = rule.op("t.root").matched();
        if let Some(constraint) = constraint {
            rule.constraint(constraint, [root]);
        }
        rule.erase(root);
        rule.finish().expect("a good rule");
    }
    let (mut ir, program) = (one_root(), program(&rules, &Config::new()));
    let error = Matcher::link(program.clone(), &mut ir, &Natives::new(), &LinkOptions::default());
    let error = error.err().expect("two natives are missing");
    let names: Vec<&str> = error.missing().iter().map(|m| m.call.name.as_str()).collect();
    assert_eq!(names, ["nobody", "no_one"]);
    assert_eq!(error.diagnostics().len(), 2);

    let options = LinkOptions { allow_missing: true, ..LinkOptions::default() };
    let matcher = Matcher::link(program, &mut ir, &Natives::new(), &options).expect("the rules are left out");
    assert_eq!(matcher.dropped().count(), 2);
    let (op, mut scratch) = (ir.block()[0], matcher.cache());
    assert_eq!(matcher.match_first(&ir, op, &mut scratch), Some(PatternId::from_raw(2)));
    assert_eq!(matcher.next_match(&ir, &mut scratch), None);
}

#[test]
fn a_pure_constraint_runs_once_for_each_root() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for (pure, expected) in [(true, 1), (false, 3)] {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let signature = Signature::new([Kind::Op], []);
        let natives = Natives::new().constraint_with("ask", signature, pure, move |_: &Mock, _| {
            count.fetch_add(1, Ordering::Relaxed);
            None
        });
        let mut rules = RuleSet::default();
        for name in ["a", "b", "c"] {
            let mut rule = rules.pattern(name, 1);
            let root = rule.op("t.root").matched();
            rule.constraint("ask", [root]);
            rule.erase(root);
            rule.finish().expect("a good rule");
        }
        let mut ir = one_root();
        assert_eq!(by_engine(&rules, &Config::new(), &mut ir, &natives), []);
        assert_eq!(asked.load(Ordering::Relaxed), expected, "pure: {pure}");
    }
}

/// A chain of `depth` operations, and a rule that matches all of it.
fn chain(depth: usize) -> (Mock, RuleSet) {
    let mut ir = Mock::default();
    let mut value = ir.arg("i32");
    for _ in 0..depth {
        value = ir.value("t.link", &[value], &[], "i32");
    }
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("chain", 1);
    let mut node = rule.value();
    let mut op = None;
    for _ in 0..depth {
        let link = rule.op("t.link").operand(node).matched();
        node = rule.result(link, 0);
        op = Some(link);
    }
    rule.erase(op.expect("some depth"));
    rule.finish().expect("a good rule");
    (ir, rules)
}

#[test]
fn a_deep_rule_matches_and_a_deeper_one_is_an_error() {
    let (mut ir, rules) = chain(200);
    let found = by_engine(&rules, &Config::new(), &mut ir, &Natives::new());
    assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), [199]);

    let (_, rules) = chain(2_000);
    let rules = rules.verify().expect("the rules verify");
    let errors = matcher_tree::build(rules, &Config::new()).expect_err("too deep");
    assert!(errors.iter().all(|e| e.message.contains("too deep")), "{errors:?}");
}

#[test]
fn a_preview_shows_the_effects_and_undoes_them() {
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    let op = ir.op("t.old", &[x], &[], &["i32"]);
    let before = ir.text();
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    let (x, ty) = (rule.value(), rule.any_type());
    let old = rule.op("t.old").operand(x).result_type(ty).matched();
    let new = rule.create("t.new").operand(x).result_type(ty).created();
    rule.replace_by_op(old, new);
    rule.finish().expect("a good rule");
    let matcher = link(&rules, &Config::new(), &mut ir, &Natives::new());
    let mut scratch = matcher.cache();
    assert!(matcher.match_first(&ir, op, &mut scratch).is_some());
    let seen = matcher.preview(&mut ir, &mut scratch, |ir, preview| {
        let made = ir.op_name_text(ir.op_name(preview.created[0]));
        (made, preview.replaced[0].0, preview.replaced[0].1.len(), preview.erased.len())
    });
    assert_eq!(seen, Ok(("t.new".to_owned(), op, 1, 0)));
    assert_eq!(ir.text(), before);
    assert_eq!(matcher.next_match(&ir, &mut scratch), None);
}

#[test]
fn operations_that_the_host_defines_differently_are_listed() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    let [x, y] = [rule.value(), rule.value()];
    let root = rule.op("t.root").operand(x).operand(y).matched();
    rule.replace(root, [x]);
    rule.finish().expect("a good rule");
    let [name, lhs, attr] = ["t.root", "lhs", "kind"].map(|text| rules.strings.intern(text));
    let value = |arity| ValueDef::new(lhs, arity);
    rules.ops.insert(OpDef {
        operands: vec![value(Arity::One), value(Arity::Optional)],
        attributes: vec![AttrDef {
            name: attr,
            optional: true,
            default: None,
            storage: None,
            constraint: None,
        }],
        ..OpDef::new(name)
    });
    let program = program(&rules, &Config::new());
    let linked = |signature: OpSignature| {
        let mut ir = Mock::default();
        ir.signatures.push(("t.root", signature));
        let linked = Matcher::link(program.clone(), &mut ir, &Natives::new(), &LinkOptions::default());
        linked.err().map(|error| render_classic(&error.diagnostics(), &SourceMap::default()))
    };
    let same = OpSignature {
        operands: vec![Arity::One, Arity::Optional],
        results: Vec::new(),
        attributes: vec!["kind".into()],
    };
    assert_eq!(linked(same), None);
    let other = OpSignature {
        operands: vec![Arity::One, Arity::Variadic],
        results: vec![Arity::One],
        attributes: vec!["sort".into()],
    };
    insta::assert_snapshot!(linked(other).expect("it differs"), @r"
    error: the host defines 't.root' differently from the definition that the rules were compiled against
    note: operands: (one, optional) in the rules, (one, variadic) in the host
    note: results: none in the rules, (one) in the host
    note: attribute 'kind': only in the rules
    note: attribute 'sort': only in the host
    note: compile the rules against the host's definitions
    ");
}

/// A segment size attribute of the rule is replaced by the real sizes.
#[test]
fn segment_sizes_are_written_once() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("segments", 1);
    let (x, y) = (rule.value(), rule.value());
    let root = rule.op("t.op").operand(x).operand(y).matched();
    let (wrong, other) = (rule.make_attr("array<i32: 7>"), rule.make_attr("0 : i32"));
    let pair = rule.range([x, y]);
    let new = rule.create("t.new").attr("seg", wrong).attr("other", other).attr("seg", wrong);
    let new = new.operand(x).operand(pair).operand_segments("seg").created();
    rule.replace_by_op(root, new);
    rule.finish().expect("a good rule");
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    let op = ir.op("t.op", &[x, x], &[], &[]);
    let matcher = link(&rules, &Config::new(), &mut ir, &Natives::new());
    let outcome = matcher.apply(&mut ir, op, &mut matcher.cache(), &mut NoListener);
    assert_eq!(outcome.applied, Some(PatternId::from_raw(0)));
    let text = ir.text();
    assert!(text.contains("t.new(%0, %0, %0)"), "{text}");
    assert!(text.contains("{ other = 0 : i32, seg = array<i32: 1, 2> }"), "{text}");
}

#[test]
fn ranges_are_joined_from_entities_and_ranges() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("ranges", 1);
    let (x, rest) = (rule.value(), rule.values());
    let (v, w) = (rule.any_attr(), rule.any_attr());
    let root = rule.op("t.op").operand(x).operands(rest).attr("v", v).attr("w", w).matched();
    let (i8, types) = (rule.make_type("i8"), rule.types_of(rest));
    let mut range = |kind, parts: &[Source]| {
        let (to, parts) = (rule.local(kind), parts.to_vec());
        rule.step(Step::Range { parts, to });
        to
    };
    let types = range(Kind::Types, &[types.into(), i8.into(), types.into()]);
    let types = range(Kind::Types, &[i8.into(), types.into()]);
    let values = range(Kind::Values, &[rest.into(), x.into(), rest.into()]);
    let values = range(Kind::Values, &[values.into(), x.into()]);
    let one = range(Kind::Attrs, &[v.into()]);
    let attrs = range(Kind::Attrs, &[one.into(), w.into(), one.into()]);
    let to = rule.rewrite_call("last", [attrs], &[Kind::Attr]);
    let new = rule.create("t.new").operand(values).attr("last", to[0]).result_type(types).created();
    rule.rewrite_call("note", [new], &[]);
    rule.erase(root);
    rule.finish().expect("a good rule");
    let signature =
        |params: &[Kind], results: &[Kind]| Signature::new(params.iter().copied(), results.iter().copied());
    let natives = Natives::<Mock>::new()
        .rewrite_with("last", signature(&[Kind::Attrs], &[Kind::Attr]), |rewriter, args| {
            let Entity::Attrs(attrs) = &args[0] else { return Err(Refusal::new("no range")) };
            assert_eq!(attrs.len(), 3);
            let texts: Vec<_> = attrs.iter().map(|attr| rewriter.host().str(attr.0)).collect();
            assert_eq!(texts, ["1 : i32", "2 : i32", "1 : i32"]);
            Ok(vec![Entity::Attr(attrs.last().copied())])
        })
        .rewrite_with("note", signature(&[Kind::Op], &[]), |_, _| Ok(Vec::new()));
    for (rest, operands, types) in [
        (&["i32", "i64"][..], "%1, %2, %0, %1, %2, %0", "i8, i32, i64, i8, i32, i64"),
        (&[], "%0, %0", "i8, i8"),
    ] {
        let mut ir = Mock::default();
        let values: Vec<MockValue> = ["i1"].iter().chain(rest).map(|ty| ir.arg(ty)).collect();
        let op = ir.op("t.op", &values, &[("v", "1 : i32"), ("w", "2 : i32")], &[]);
        let matcher = link(&rules, &Config::new(), &mut ir, &natives);
        let outcome = matcher.apply(&mut ir, op, &mut matcher.cache(), &mut NoListener);
        assert_eq!(outcome.applied, Some(PatternId::from_raw(0)));
        let text = ir.text();
        let made: Vec<&str> = text.split(" = ").next().expect("it has results").split(", ").collect();
        let made: Vec<&str> = made.iter().filter_map(|result| result.split(": ").nth(1)).collect();
        assert_eq!(made.join(", "), types, "{text}");
        assert!(text.contains(&format!("t.new({operands}) {{ last = 1 : i32 }}")), "{text}");
    }
}

/// A rule tests the last two of 300 operands. Their indices need more than 8 bits.
#[test]
fn an_operation_may_have_many_operands() {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("many", 1);
    let (x, ty) = (rule.value(), rule.type_constant("i64"));
    let def = rule.op("t.def").operand(x).matched();
    let (of_def, typed) = (rule.defined_by(def), rule.value_of(ty));
    let operands = std::iter::repeat_n(x, 298).chain([of_def, typed]);
    let root = operands.fold(rule.op("t.root"), |op, value| op.operand(value)).matched();
    rule.erase(root);
    rule.finish().expect("a good rule");
    let mut ir = Mock::default();
    let [x, y, long] = ["i32", "i32", "i64"].map(|ty| ir.arg(ty));
    let [good, other] = [x, y].map(|of| ir.value("t.def", &[of], &[], "i32"));
    let mut expected = Vec::new();
    for (count, def, typed, matches) in [
        (298, good, long, true),
        (297, good, long, false),
        (299, good, long, false),
        (298, other, long, false),
        (298, x, long, false),
        (298, good, x, false),
    ] {
        let operands = [vec![x; count], vec![def, typed]].concat();
        ir.op("t.root", &operands, &[], &[]);
        expected.extend(matches.then_some(ir.block().len() - 1));
    }
    let reference = by_reference(&rules, &mut ir, &Natives::new());
    assert_eq!(reference.iter().map(|found| found.0).collect::<Vec<_>>(), expected);
    for config in configs() {
        assert_eq!(by_engine(&rules, &config, &mut ir, &Natives::new()), reference);
    }
    let matcher = Arc::new(link(&rules, &Config::new(), &mut ir, &Natives::new()));
    assert_eq!(found_by(&Automaton::new(matcher), &rules, &ir), reference);
}

#[test]
fn an_operation_outside_a_closed_set_is_a_warning() {
    let mut rules = RuleSet::default();
    rules.replacement("r", 1, &op("t.nge", [var("a")]), &var("a")).expect("a valid rule");
    let program = Arc::new(crate::compile::program(&rules).expect("a valid program"));
    let warnings = |closed: Option<Vec<String>>| {
        let mut ir = Mock::default();
        ir.closed = closed;
        let options = LinkOptions::default();
        let matcher = Matcher::link(program.clone(), &mut ir, &Natives::new(), &options).expect("linked");
        matcher.warnings().to_string()
    };
    assert_eq!(warnings(None), "");
    assert_eq!(warnings(Some(vec!["t.nge".to_owned()])), "");
    let text = warnings(Some(vec!["t.neg".to_owned(), "t.add".to_owned()]));
    assert!(text.contains("warning: unknown operation 't.nge'"), "{text}");
    assert!(text.contains("did you mean 't.neg'?"), "{text}");
}

/// The host reads `1 : i32` and `1 : i64` as one attribute, so both rules match. The first match of the other engines
/// must be the first match of the reference matcher.
#[test]
fn the_first_rule_wins_if_the_host_does_not_distinguish_constants() {
    for benefits in [[1, 1], [1, 2], [2, 1]] {
        let mut rules = RuleSet::default();
        for (constant, benefit) in ["1 : i32", "1 : i64"].into_iter().zip(benefits) {
            let mut rule = rules.pattern(constant, benefit);
            let value = rule.attr_constant(constant);
            let root = rule.op("t.const").no_operands().attr("value", value).matched();
            rule.erase(root);
            rule.finish().expect("a valid rule");
        }
        let mut ir = Mock::default();
        ir.untyped = true;
        let op = ir.op("t.const", &[], &[("value", "1")], &[]);
        let natives = Natives::new();
        let expected = by_reference(&rules, &mut ir, &natives);
        let matcher = link(&rules, &Config::new(), &mut ir, &natives);
        let first = matcher.match_first(&ir, op, &mut matcher.cache());
        assert_eq!(first, Some(expected[0].1), "{benefits:?}");
        let warnings = matcher.warnings().to_string();
        assert!(warnings.contains("as the same attribute"), "{warnings}");
        let automaton = Automaton::new(Arc::new(matcher));
        assert_eq!(automaton.match_first(&ir, op, &mut automaton.cache()), first, "{benefits:?}");
    }
}

/// Linking rejects large numbers of operation names in the rules, because tables are as long as the largest of these
/// numbers. Other names of the IR may have large numbers.
#[test]
fn an_operation_name_whose_number_is_too_large_is_an_error() {
    let mut rules = RuleSet::default();
    rules.replacement("r", 1, &op("t.neg", [var("a")]), &var("a")).expect("a valid rule");
    let program = Arc::new(crate::compile::program(&rules).expect("a valid program"));
    let mut ir = Mock::default();
    let x = ir.arg("i32");
    ir.op("t.neg", &[x], &[], &["i32"]);
    let linked = |ir: &mut Mock| Matcher::link(program.clone(), ir, &Natives::new(), &LinkOptions::default());
    ir.first_name = u32::MAX - 100;
    let error = linked(&mut ir).err().expect("the number is too large");
    let with_places = error.diagnostics_with_places().to_string();
    let error = error.diagnostics().to_string();
    assert_eq!(with_places, error);
    assert!(error.contains("the host's number of the operation 't.neg' is 42949671"), "{error}");
    assert!(error.contains("from 0 on"), "{error}");
    // The names in the rules have small numbers, and the IR has another name with a large number.
    ir.first_name = 0;
    let automaton = Automaton::new(linked(&mut ir).expect("it links"));
    ir.first_name = u32::MAX - 100;
    let mut cache = automaton.cache();
    for _ in 0..2 {
        assert_eq!(automaton.match_first(&ir, ir.block()[0], &mut cache), None);
    }
    assert!(cache.table_bytes() < 1 << 20);
}

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::compile;
use crate::equivalence::Random;
use crate::host::{
    Bind, Folded, Id, Ir, Kind, Listener, Natives, NoListener, OpState, Refusal, Region, Rewriter, arg,
    blocks_of,
};
use crate::ir::{Context, IrHost, OpId, PrintOptions, TypeId, ValueId, verify};
use crate::pdl::{RuleSet, Source};
use crate::rewrite::test_module::host;
use crate::vm::LinkOptions;

fn text(host: &IrHost) -> String {
    host.module.print(&host.context, PrintOptions::new().generic(true))
}

/// Links rules that are given by their roots, benefits and new operations. Each rule replaces an operation of one
/// operand by a chain of operations.
fn rules(host: &mut IrHost, rules: &[(&str, u16, &[&str])]) -> Matcher<IrHost> {
    let mut set = RuleSet::default();
    for &(from, benefit, to) in rules {
        let mut rule = set.pattern(&format!("{from} to {}", to.join(" ")), benefit);
        let x = rule.value();
        let ty = rule.any_type();
        let root = rule.op(from).operand(x).result_type(ty).matched();
        let mut value = Source::from(x);
        for name in to {
            let new = rule.create(name).operand(value).result_type(ty).created();
            value = rule.result_of(new, 0).into();
        }
        rule.replace(root, [value]);
        rule.finish().expect("the rule is right");
    }
    let program = Arc::new(compile::program(&set).expect("the rules are right"));
    Matcher::link(program, host, &Natives::new(), &LinkOptions::default()).expect("linked")
}

/// The operations of which a listener is notified.
#[derive(Default)]
struct Notified {
    created: HashSet<OpId>,
    modified: HashSet<OpId>,
    erased: HashSet<OpId>,
}

impl Listener<IrHost> for Notified {
    fn created(&mut self, _: &IrHost, op: OpId) {
        self.created.insert(op);
    }
    fn modified(&mut self, _: &IrHost, op: OpId) {
        self.modified.insert(op);
    }
    fn erased(&mut self, _: &IrHost, op: OpId) {
        self.erased.insert(op);
    }
}

/// For each operation, a text of its parts. If a part changes, the listener must be notified.
fn parts(host: &IrHost) -> HashMap<OpId, String> {
    let part = |op: OpId| {
        let operands: Vec<_> = (0..host.operand_count(op)).map(|index| host.operand(op, index)).collect();
        let successors: Vec<_> =
            (0..host.successor_count(op)).map(|index| host.successor(op, index)).collect();
        let regions = (0..host.region_count(op)).map(|index| Region { op, index });
        let blocks: Vec<_> = regions
            .map(|region| {
                blocks_of(host, region).map(|block| (block, host.module.args(block))).collect::<Vec<_>>()
            })
            .collect();
        let name = host.context.op_name_text(host.module.name(op));
        let block = host.block(op);
        format!("{name} {operands:?} {:?} {successors:?} {blocks:?} {block:?}", host.list_attrs(op))
    };
    host.module.preorder(host.module.top()).map(|op| (op, part(op))).collect()
}

/// Runs a conversion. Checks the result, and that a listener is notified of all changes.
fn run(
    host: &mut IrHost,
    matcher: Option<&Matcher<IrHost>>,
    conversion: &Conversion<IrHost>,
) -> Result<ConversionReport<IrHost>, String> {
    let before = text(host);
    let top = host.module.top();
    let (parts_before, mut notified) = (parts(host), Notified::default());
    let report = convert(host, top, matcher, conversion, &mut notified);
    match report {
        Ok(report) => {
            let parts = parts(host);
            for (op, found) in &parts {
                match parts_before.get(op).filter(|_| !notified.created.contains(op)) {
                    Some(before) => assert!(found == before || notified.modified.contains(op), "{found}"),
                    None => assert!(notified.created.contains(op), "{found}"),
                }
            }
            assert!(parts_before.keys().all(|op| parts.contains_key(op) || notified.erased.contains(op)));
            let errors = verify(&host.context, &host.module);
            assert!(!errors.has_errors(), "the result is invalid:\n{}", text(host));
            Ok(report)
        }
        Err(error) => {
            assert_eq!(text(host), before, "a failed conversion changed the IR");
            Err(error.to_string())
        }
    }
}

const CHAIN: &str = r#"%0 = "s.in"() : () -> i32 %1 = "a.x"(%0) : (i32) -> i32 "s.out"(%1) : (i32) -> ()"#;

#[test]
fn a_rule_is_not_applied_if_its_operations_cannot_be_legalised() {
    let mut host = host(CHAIN);
    // The first rule has the higher benefit, but its result cannot be legalised. The second rule needs two steps.
    let matcher = rules(
        &mut host,
        &[
            ("a.x", 9, &["a.dead"]),
            ("a.x", 1, &["a.y"]),
            ("a.y", 1, &["b.z", "b.z"]),
            ("a.dead", 1, &["a.dead"]),
        ],
    );
    let target = ConversionTarget::new().legal_dialect("b").legal_dialect("s").illegal_dialect("a");
    let conversion = Conversion::new(target).mode(ConversionMode::Full);
    let report = run(&mut host, Some(&matcher), &conversion).expect("converted");
    assert_eq!((report.applied, text(&host).matches("\"b.z\"").count()), (2, 2));
}

#[test]
fn rules_that_are_undone_with_a_fold_are_not_counted() {
    // `t.two` folds to a constant of type `i32` and one of type `i64`. The rule must convert both.
    for (is_general, expected) in [(true, (2, 2)), (false, (0, 0))] {
        let mut host = host(r#"%0:2 = "t.two"() : () -> (i32, i64) "s.out"(%0#0, %0#1) : (i32, i64) -> ()"#);
        let natives = Natives::<IrHost>::new()
            .fold("t.two", |host, _, _| {
                let texts = ["1 : i32", "2 : i64"];
                texts.into_iter().map(|text| host.bind_attr(text).map(Folded::<IrHost>::Attr)).collect()
            })
            .materialize_constant("t", |rewriter, _, ty, location| {
                let name = rewriter.host_mut().bind_op_name("t.constant");
                rewriter.create(&OpState {
                    name,
                    operands: &[],
                    result_types: &[ty],
                    attributes: &[],
                    regions: 0,
                    location,
                })
            });
        let mut set = RuleSet::default();
        let mut rule = set.pattern("constant", 1);
        let ty = if is_general { rule.any_type() } else { rule.type_constant("i32") };
        let root = rule.op("t.constant").result_type(ty).matched();
        let new = rule.create("b.constant").result_type(ty).created();
        let result = rule.result_of(new, 0);
        rule.replace(root, [result]);
        rule.finish().expect("the rule is right");
        let program = Arc::new(compile::program(&set).expect("the rules are right"));
        let matcher = Matcher::link(program, &mut host, &natives, &LinkOptions::default()).expect("linked");
        let target = ConversionTarget::new().legal_dialect("b").illegal_op("t.constant");
        let report = run(&mut host, Some(&matcher), &Conversion::new(target)).expect("converted");
        assert_eq!((report.applied, text(&host).matches("\"b.constant\"").count()), expected);
        assert_eq!(text(&host).contains("t.two"), !is_general);
    }
}

#[test]
fn fewer_steps_come_before_a_larger_benefit() {
    let mut host = host(CHAIN);
    let matcher = rules(&mut host, &[("a.x", 9, &["a.y"]), ("a.y", 1, &["b.far"]), ("a.x", 1, &["b.near"])]);
    let target = ConversionTarget::new().legal_dialect("b").illegal_dialect("a");
    let report = run(&mut host, Some(&matcher), &Conversion::new(target)).expect("converted");
    assert_eq!(report.applied, 1);
    assert!(text(&host).contains("b.near"));
    let unknown: Vec<_> =
        report.ops.iter().map(|&op| host.context.op_name_text(host.module.name(op))).collect();
    assert_eq!(unknown, ["s.in", "s.out"]);
}

#[test]
fn an_error_names_the_operation_and_each_rule() {
    let mut host = host(CHAIN);
    let matcher = rules(&mut host, &[("a.x", 1, &["a.y"]), ("a.y", 1, &["a.x"]), ("a.x", 1, &["c.q"])]);
    let target = ConversionTarget::new().legal_dialect("b").illegal_dialect("a");
    let top = host.module.top();
    let error = convert(&mut host, top, Some(&matcher), &Conversion::new(target), &mut NoListener)
        .expect_err("no rule leads to a legal operation");
    assert_eq!(error.to_string(), "failed to legalize operation 'a.x' that was explicitly marked illegal");
    let FailureKind::Illegal { tried, .. } = &error.failures[0].kind else { panic!("illegal") };
    let reason = "no rule can legalize the operations that it creates";
    let expected = ["a.x to a.y", "a.x to c.q"].map(|rule| (rule, reason));
    assert_eq!(tried.iter().map(|t| (&*t.rule, &*t.reason)).collect::<Vec<_>>(), expected);
}

#[test]
fn a_target_that_makes_everything_illegal_is_an_error() {
    let mut host = host(CHAIN);
    let matcher = rules(&mut host, &[("a.x", 1, &["a.y"])]);
    let target = ConversionTarget::new().dynamic_unknown(|_, _| false);
    let error = run(&mut host, Some(&matcher), &Conversion::new(target)).expect_err("nothing is legal");
    assert_eq!(error.matches("failed to legalize").count(), 3);
}

#[test]
fn analysis_changes_nothing() {
    let mut host = host(CHAIN);
    let before = text(&host);
    let matcher = rules(&mut host, &[("a.x", 1, &["b.y"])]);
    let target = ConversionTarget::new().legal_dialect("b").illegal_dialect("s");
    let conversion = Conversion::new(target).mode(ConversionMode::Analysis);
    let report = run(&mut host, Some(&matcher), &conversion).expect("an analysis");
    assert_eq!((report.ops.len(), text(&host)), (1, before));
}

const TYPES: &str = r#"
  "func.func"() <{function_type = (!t.int, !t.pair, !t.unit) -> (!t.pair, !t.int), sym_name = "f"}> ({
  ^bb0(%a: !t.int, %p: !t.pair, %u: !t.unit):
    %0 = "t.add"(%a, %a) : (!t.int, !t.int) -> !t.int
    %1 = "s.cond"() : () -> i1
    "cf.cond_br"(%1, %p, %0, %a)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 2>}> : (i1, !t.pair, !t.int, !t.int) -> ()
  ^bb1(%q: !t.pair):
    %2:2 = "func.call"(%a, %q, %u) <{callee = @f}> : (!t.int, !t.pair, !t.unit) -> (!t.pair, !t.int)
    "cf.br"(%2#1, %a)[^bb2] : (!t.int, !t.int) -> ()
  ^bb2(%x: !t.int, %y: !t.int):
    %3 = "t.add"(%x, %y) : (!t.int, !t.int) -> !t.int
    "func.return"(%p, %3) : (!t.pair, !t.int) -> ()
  }) : () -> ()
"#;

fn types(host: &mut IrHost) -> TypeConverter<IrHost> {
    let [int, pair, unit, i32, f32] =
        ["!t.int", "!t.pair", "!t.unit", "i32", "f32"].map(|ty| host.bind_type(ty).expect("a type"));
    TypeConverter::new().map(int, [i32]).map(pair, [i32, f32]).map(unit, [])
}

/// A materialisation that creates an operation.
fn cast(
    name: &'static str,
) -> impl Fn(&mut crate::host::Rewriter<'_, IrHost>, &[ValueId], &[TypeId]) -> Result<Vec<ValueId>, Refusal> {
    move |rewriter, values, types| {
        let name = rewriter.host_mut().bind_op_name(name);
        let state = OpState {
            name,
            operands: values,
            result_types: types,
            attributes: &[],
            regions: 0,
            location: Context::UNKNOWN,
        };
        let op = rewriter.create(&state)?;
        Ok(rewriter.host().module.results(op).collect())
    }
}

/// A rule that replaces `t.add` by `b.first` and `b.add`, which get converted operands and a converted type.
fn add_rule(host: &mut IrHost) -> Matcher<IrHost> {
    let pass = |_: &mut Rewriter<'_, IrHost>, value: arg::Value<IrHost>| Ok(value);
    add_rule_with(host, Natives::new().rewrite("pass", pass))
}

/// The rule of [`add_rule`] with these natives. The native `pass` computes the last operand of `b.add`.
fn add_rule_with(host: &mut IrHost, natives: Natives<IrHost>) -> Matcher<IrHost> {
    let mut set = RuleSet::default();
    let mut rule = set.pattern("add", 1);
    let (x, y, ty) = (rule.value(), rule.value(), rule.any_type());
    let root = rule.op("t.add").operand(x).operand(y).result_type(ty).matched();
    let first = rule.create("b.first").operand(x).result_type(ty).created();
    let first = rule.result_of(first, 0);
    let passed = rule.rewrite_call("pass", [Source::from(y)], &[Kind::Value])[0];
    let new = rule.create("b.add").operand(first).operand(passed).result_type(ty).created();
    let sum = rule.result_of(new, 0);
    rule.replace(root, [sum]);
    rule.finish().expect("the rule is right");
    let program = Arc::new(compile::program(&set).expect("the rules are right"));
    Matcher::link(program, host, &natives, &LinkOptions::default()).expect("linked")
}

#[test]
fn functions_calls_branches_and_rules_get_converted_types() {
    let mut host = host(TYPES);
    let matcher = add_rule(&mut host);
    let target = ConversionTarget::new().legal_dialect("b").legal_dialect("s").illegal_dialect("t");
    let types = types(&mut host);
    let conversion = Conversion::new(target).types(types).mode(ConversionMode::Full);
    run(&mut host, Some(&matcher), &conversion).expect("converted");
    let after = text(&host);
    assert!(!after.contains("!t.") && !after.contains("unrealized"), "{after}");
    for expected in [
        "function_type = (i32, i32, f32) -> (i32, f32, i32)",
        "operandSegmentSizes = array<i32: 1, 2, 2>",
        "\"func.call\"(%arg0, %3, %4) <{callee = @f}> : (i32, i32, f32) -> (i32, f32, i32)",
        "%8 = \"b.first\"(%6) : (i32) -> i32",
        "%9 = \"b.add\"(%8, %7) : (i32, i32) -> i32",
    ] {
        assert!(after.contains(expected), "no {expected} in\n{after}");
    }
}

#[test]
fn uses_that_remain_need_a_materialisation() {
    let input = format!(
        "{TYPES}\n\"func.func\"() <{{function_type = (!t.pair) -> (), sym_name = \"g\"}}> ({{\n^bb0(%p: !t.pair):\n  \"s.use\"(%p) : (!t.pair) -> ()\n  \"func.return\"() : () -> ()\n}}) : () -> ()"
    );
    let mut ir = host(&input);
    let matcher = add_rule(&mut ir);
    let target = ConversionTarget::new().legal_dialect("b").legal_dialect("s").illegal_dialect("t");
    let types = types(&mut ir);
    let conversion = Conversion::new(target.clone()).types(types.clone());
    let error = run(&mut ir, Some(&matcher), &conversion).expect_err("no materialisation");
    let expected = "failed to legalize unresolved materialization from ('i32', 'f32') to ('!t.pair') that \
                    remained live after conversion";
    assert_eq!(error, expected);
    let with_cast =
        Conversion::new(target.clone()).types(types.clone().source_materialization(cast("s.pack")));
    let report = run(&mut ir, Some(&matcher), &with_cast).expect("converted");
    assert_eq!(report.remaining_casts, 1);
    assert!(text(&ir).contains("= \"s.pack\"(%arg"), "{}", text(&ir));
    let mut kept = host(&input);
    let matcher = add_rule(&mut kept);
    let types = self::types(&mut kept);
    run(&mut kept, Some(&matcher), &Conversion::new(target).types(types).keep_casts(true))
        .expect("converted");
    assert_eq!(text(&kept).matches("unrealized_conversion_cast").count(), 1);
}

#[test]
fn an_unvisited_call_of_a_converted_function_is_an_error() {
    let call = r#""s.closed"() ({ %0 = "s.int"() : () -> !t.int
      %1 = "func.call"(%0) <{callee = @g}> : (!t.int) -> !t.int "s.end"() : () -> () }) : () -> ()
      "func.func"() <{function_type = (!t.int) -> !t.int, sym_name = "g"}> ({
      ^bb0(%a: !t.int): "func.return"(%a) : (!t.int) -> () }) : () -> ()"#;
    let mut host = host(call);
    let target = ConversionTarget::new().legal_dialect("s").recursively_legal("s.closed");
    let types = types(&mut host);
    let error = run(&mut host, None, &Conversion::new(target).types(types)).expect_err("a stale call");
    assert_eq!(
        error,
        "the operands and results of 'func.call' do not have the types of the converted 'func.func' that it calls"
    );
}

/// Converts random graphs of operations `a.0` to `a.5` with random rules for `a.0` to `a.7`. Four more rules are Rust
/// functions, which together refuse every third call. A conversion either makes everything legal, or leaves the same
/// bytes.
#[test]
fn random_rules_convert_all_or_nothing() {
    let seed = crate::test_seed::seed();
    let (mut converted, mut failed) = (0, 0);
    for case in 0..300 {
        let mut random = Random::new(seed).fork(case);
        let mut input = String::from("%0 = \"b.in\"() : () -> i32\n");
        for number in 1..random.below(12) + 2 {
            let (operand, name) = (random.below(number), random.below(6));
            input += &format!("%{number} = \"a.{name}\"(%{operand}) : (i32) -> i32\n");
        }
        let mut host = host(&input);
        let names: Vec<String> =
            (0..8).map(|name| format!("a.{name}")).chain(["b.x".into(), "b.y".into()]).collect();
        let mut set = Vec::new();
        for _ in 0..random.below(12) + 4 {
            let from = names[random.below(8)].clone();
            let to: Vec<&str> = (0..random.below(3)).map(|_| &*names[random.below(10)]).collect();
            if set.iter().all(|(other, _, others)| (other, others) != (&from, &to)) {
                set.push((from, u16::try_from(random.below(4)).expect("small"), to));
            }
        }
        let borrowed: Vec<(&str, u16, &[&str])> =
            set.iter().map(|(from, benefit, to)| (&**from, *benefit, &**to)).collect();
        let matcher = rules(&mut host, &borrowed);
        let calls = Arc::new(AtomicUsize::new(random.below(100)));
        let target = ConversionTarget::new().legal_dialect("b").illegal_dialect("a");
        let mut conversion = Conversion::new(target).mode(ConversionMode::Full);
        for name in 0..4 {
            let calls = calls.clone();
            let new = ["a.5", "b.x", "a.7", "b.y"][random.below(4)];
            let pattern = ConversionPattern::<IrHost>::new(
                "random",
                &format!("a.{name}"),
                move |rewriter, op, operands| {
                    let name = rewriter.host_mut().bind_op_name(new);
                    let operands = operands.concat();
                    let types = [Context::I32];
                    let location = Context::UNKNOWN;
                    let state = OpState {
                        name,
                        operands: &operands,
                        result_types: &types,
                        attributes: &[],
                        regions: 0,
                        location,
                    };
                    let made = rewriter.create(&state)?;
                    let value = rewriter.host().module.result(made, 0);
                    rewriter.replace(op, &[value])?;
                    if calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(3) {
                        return Err(Refusal::new("by chance"));
                    }
                    Ok(())
                },
            );
            conversion = conversion.pattern(pattern.benefit(u16::try_from(random.below(4)).expect("small")));
        }
        match run(&mut host, Some(&matcher), &conversion) {
            Ok(_) => {
                assert!(!text(&host).contains("\"a."), "{}", text(&host));
                converted += 1;
            }
            Err(_) => failed += 1,
        }
    }
    assert!(converted > 30 && failed > 30, "{converted} converted, {failed} failed");
}

#[test]
fn a_pattern_moves_and_converts_a_region() {
    let mut host = host(
        r#""a.region"() ({ ^bb0(%a: !t.int): "s.use"(%a) : (!t.int) -> () "s.end"() : () -> () }) : () -> ()"#,
    );
    let pattern = ConversionPattern::<IrHost>::new("move", "a.region", |rewriter, op: OpId, _| {
        let name = rewriter.host_mut().bind_op_name("b.region");
        let state = OpState {
            name,
            operands: &[],
            result_types: &[],
            attributes: &[],
            regions: 1,
            location: Context::UNKNOWN,
        };
        let new = rewriter.create_at(crate::host::InsertionPoint::Before(op), &state, &[])?;
        let (from, to) = (Region { op, index: 0 }, Region { op: new, index: 0 });
        rewriter.inline_region_before(from, to, None);
        rewriter.convert_region_types(to)?;
        rewriter.erase(op)
    });
    let target = ConversionTarget::new().legal_dialect("b").legal_dialect("s").illegal_dialect("a");
    let types = types(&mut host).source_materialization(cast("s.cast"));
    let conversion = Conversion::new(target).types(types).pattern(pattern).mode(ConversionMode::Full);
    run(&mut host, None, &conversion).expect("converted");
    let op = host.module.first_op(host.module.body()).expect("an operation");
    let block = blocks_of(&host, Region { op, index: 0 }).next().expect("a block");
    assert_eq!(host.module.args(block).len(), 1);
    assert!(text(&host).contains("\"s.cast\"(%arg0) : (i32) -> !t.int"), "{}", text(&host));
    assert_eq!(host.module.name(op).index(), host.context.op_name("b.region").index());
}

#[test]
fn listeners_are_notified_of_changed_successors_and_operands() {
    let mut host = host(
        r#""a.region"() ({
          ^bb0(%a: i32, %b: i32): "s.br"(%a)[^bb1] : (i32) -> ()
          ^bb1(%c: i32): "s.end"() : () -> ()
          ^bb2(%d: i32): "s.end"() : () -> ()
        }) : () -> ()"#,
    );
    let pattern = ConversionPattern::<IrHost>::new("change", "a.region", |rewriter, op: OpId, _| {
        let host = rewriter.host_mut();
        let name = host.bind_op_name("b.region");
        let blocks: Vec<_> = blocks_of(host, Region { op, index: 0 }).collect();
        let branch = host.module.first_op(blocks[0]).expect("a branch");
        let args = host.module.args(blocks[0]).to_vec();
        rewriter.set_successor(branch, 0, blocks[2]);
        rewriter.replace_value(args[0], &[args[1]])?;
        rewriter.erase_block(blocks[1])?;
        rewriter.modify(op, move |host, op| host.module.set_name(op, name));
        Ok(())
    });
    let target = ConversionTarget::new().legal_dialect("b").legal_dialect("s").illegal_dialect("a");
    let conversion = Conversion::new(target).pattern(pattern).mode(ConversionMode::Full);
    run(&mut host, None, &conversion).expect("converted");
}

/// Refuses one call, and no call before or after it.
#[derive(Clone)]
struct Fuse(Arc<AtomicUsize>);

impl Fuse {
    fn step(&self) -> Result<(), Refusal> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            0 => Err(Refusal::new("the fuse is blown")),
            _ => Ok(()),
        }
    }
}

/// Runs a conversion of types, functions and regions many times. In each run, another step of a rule, of a native or of
/// a materialisation refuses. The bytes stay the same.
#[test]
fn a_refusal_at_any_step_keeps_the_bytes() {
    let input = format!(
        "{TYPES}\n\"func.func\"() <{{function_type = (!t.pair) -> (), sym_name = \"g\"}}> ({{\n^bb0(%p: !t.pair):\n  \
         \"s.use\"(%p) : (!t.pair) -> ()\n  \"a.region\"() ({{ ^bb0(%a: !t.int): \"s.use\"(%a) : (!t.int) -> () \
         \"s.end\"() ({{ \"s.end\"() : () -> () }}) : () -> () }}) : () -> ()\n  \
         \"func.return\"() : () -> ()\n}}) : () -> ()"
    );
    let mut steps = 0;
    loop {
        let mut host = host(&input);
        let fuse = Fuse(Arc::new(AtomicUsize::new(steps)));
        let (of_casts, of_rule, of_native) = (fuse.clone(), fuse.clone(), fuse);
        let pass = move |_: &mut Rewriter<'_, IrHost>, value: arg::Value<IrHost>| {
            of_native.step()?;
            Ok(value)
        };
        let matcher = add_rule_with(&mut host, Natives::new().rewrite("pass", pass));
        let make = cast("s.pack");
        let types = types(&mut host).source_materialization(move |rewriter, values, types| {
            let made = make(rewriter, values, types)?;
            of_casts.step()?;
            Ok(made)
        });
        let pattern = ConversionPattern::<IrHost>::new("move", "a.region", move |rewriter, op: OpId, _| {
            of_rule.step()?;
            let name = rewriter.host_mut().bind_op_name("b.region");
            let location = Context::UNKNOWN;
            let state =
                OpState { name, operands: &[], result_types: &[], attributes: &[], regions: 1, location };
            let new = rewriter.create_at(crate::host::InsertionPoint::Before(op), &state, &[])?;
            of_rule.step()?;
            let (from, to) = (Region { op, index: 0 }, Region { op: new, index: 0 });
            rewriter.copy_region_before(from, to, None)?;
            of_rule.step()?;
            rewriter.convert_region_types(to)?;
            of_rule.step()?;
            let moved = rewriter.create_block(&[], to, None)?;
            rewriter.create_at(
                crate::host::InsertionPoint::End(moved),
                &OpState { name, regions: 0, ..state },
                &[],
            )?;
            of_rule.step()?;
            rewriter.erase_block(moved)?;
            of_rule.step()?;
            rewriter.erase(op)?;
            of_rule.step()
        });
        let target = ConversionTarget::new().legal_dialect("b").legal_dialect("s").illegal_dialect("t");
        let conversion = Conversion::new(target).types(types).pattern(pattern).mode(ConversionMode::Full);
        // `run` compares the bytes after an error.
        if run(&mut host, Some(&matcher), &conversion).is_ok() {
            break;
        }
        steps += 1;
    }
    assert!(steps > 9, "only {steps} steps can refuse");
}

#[test]
fn a_type_that_cannot_be_converted_is_an_error() {
    let mut host = host(TYPES);
    let matcher = add_rule(&mut host);
    let [int, unit, pair] = ["!t.int", "!t.unit", "!t.pair"].map(|ty| host.bind_type(ty).expect("a type"));
    let types = TypeConverter::new().map(int, [Context::I32]).map(unit, []).convert_with(move |_, ty| {
        if ty == pair { Err(Refusal::new("pairs stay together")) } else { Ok(None) }
    });
    let target = ConversionTarget::new().legal_dialect("b").legal_dialect("s").illegal_dialect("t");
    let conversion = Conversion::new(target).types(types).mode(ConversionMode::Full);
    let (before, top) = (text(&host), host.module.top());
    let error = convert(&mut host, top, Some(&matcher), &conversion, &mut NoListener).expect_err("a refusal");
    assert_eq!(text(&host), before);
    let FailureKind::Illegal { tried, .. } = &error.failures[0].kind else { panic!("illegal") };
    assert_eq!((&*error.failures[0].name, &*tried[0].reason), ("func.func", "pairs stay together"));
}

#[test]
fn types_that_are_converted_to_each_other_are_an_error() {
    let mut host = host(
        r#""func.func"() <{function_type = (!t.int) -> !t.int, sym_name = "g"}> ({
      ^bb0(%a: !t.int): "func.return"(%a) : (!t.int) -> () }) : () -> ()"#,
    );
    let [int, other] = ["!t.int", "!t.other"].map(|ty| host.bind_type(ty).expect("a type"));
    let types = TypeConverter::new().map(int, [other]).map(other, [int]);
    let conversion = Conversion::new(ConversionTarget::new()).types(types).mode(ConversionMode::Full);
    let error = run(&mut host, None, &conversion).expect_err("the types never become legal");
    assert!(error.contains("'func.func'"), "{error}");
}

#[test]
fn functions_of_an_illegal_dialect_are_illegal() {
    let mut host = host(TYPES);
    let int = host.bind_type("!t.int").expect("a type");
    let illegal = || ConversionTarget::new().illegal_dialect("func");
    for (target, is_legal) in [
        (ConversionTarget::new().legal_dialect("func"), true),
        (illegal(), false),
        (illegal().legal_op("func.func").legal_op("func.return").legal_op("func.call"), true),
    ] {
        let mut host = host.clone();
        let conversion = Conversion::new(target).types(TypeConverter::new().map(int, [int]));
        let result = run(&mut host, None, &conversion);
        assert_eq!(result.is_ok(), is_legal, "{:?}", result.err());
    }
}

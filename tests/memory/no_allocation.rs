//! Matching requests no memory after the first pass. This holds for registers, alternatives, C++ expressions, and arguments
//! of natives, including ranges.

use std::sync::Arc;

use crate::MEMORY;

use drrvm::compile;
use drrvm::host::{Entity, Kind, Natives, Signature};
use drrvm::ir::{Context, IrHost, OpId, parse_module};
use drrvm::pdl::{Arg, RuleSet};
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

/// Rules with constants, types, operands in either order, users, and natives on single entities, on whole ranges
/// and on each element of a range.
fn rules() -> RuleSet {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("constant", 5);
    let value = rule.attr_constant("3 : i32");
    let inner = rule.op("t.a").attr("v", value).matched();
    let (x, y) = (rule.result(inner, 0), rule.value());
    let root = rule.op("t.b").operand(x).operand(y).either(0, 1).matched();
    rule.erase(root);
    rule.finish().unwrap();

    let mut rule = rules.pattern("same", 4);
    let ty = rule.type_constant("i32");
    let x = rule.value_of(ty);
    let root = rule.op("t.b").operand(x).operand(x).matched();
    rule.erase(root);
    rule.finish().unwrap();

    for (name, benefit) in [("range", 3), ("each", 2)] {
        let mut rule = rules.pattern(name, benefit);
        let values = rule.values();
        let root = rule.op("t.c").operands(values).matched();
        match name {
            "range" => rule.constraint("few", [Arg::Of(values), Arg::Int(3)]),
            _ => rule.constraint("known", [Arg::Each(values)]),
        }
        rule.erase(root);
        rule.finish().unwrap();
    }

    let mut rule = rules.pattern("user", 1);
    let root = rule.op("t.a").matched();
    let x = rule.result(root, 0);
    let user = rule.op("t.b").operand(x).operand(x).matched();
    rule.erase(user);
    rule.finish().unwrap();
    rules
}

fn host() -> IrHost {
    let text = r#"
        "builtin.module"() ({
          %0 = "t.a"() {v = 3 : i32} : () -> i32
          %1 = "t.a"() {v = 4 : i32} : () -> i32
          %2 = "t.b"(%0, %1) : (i32, i32) -> i32
          %3 = "t.b"(%1, %0) : (i32, i32) -> i32
          %4 = "t.b"(%1, %1) : (i32, i32) -> i32
          %5 = "t.c"(%0, %1, %2) : (i32, i32, i32) -> i32
          %6 = "t.c"() : () -> i32
          %7 = "t.c"(%0, %1, %2, %3, %4, %5) : (i32, i32, i32, i32, i32, i32) -> i32
        }) : () -> ()
    "#;
    let mut sources = SourceMap::default();
    let file = sources.add("input.mlir", text.to_owned()).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    IrHost::new(context, module)
}

fn natives() -> Natives<IrHost> {
    let takes = |params: Vec<Kind>| Signature::new(params, []);
    Natives::new()
        .constraint_with("few", takes(vec![Kind::Values, Kind::Int]), false, |_: &IrHost, args| {
            let [Entity::Values(values), Entity::Int(most)] = args else { return None };
            (values.len() <= usize::try_from(*most).ok()?).then(Vec::new)
        })
        .constraint_with("known", takes(vec![Kind::Value]), false, |_: &IrHost, args| {
            matches!(args, [Entity::Value(Some(_))]).then(Vec::new)
        })
}

fn matches(
    matcher: &Matcher<IrHost>,
    host: &IrHost,
    ops: &[OpId],
    scratch: &mut drrvm::vm::Scratch<IrHost>,
) -> usize {
    let mut found = 0;
    for &op in ops {
        let mut matched = matcher.match_first(host, op, scratch);
        while matched.is_some() {
            found += 1;
            matched = matcher.next_match(host, scratch);
        }
    }
    found
}

/// Rules with C++ constraints on several entities, with natives and literals.
fn rules_with_snippets() -> RuleSet {
    let text = r#"
        include "mlir/IR/PatternBase.td"
        include "mlir/IR/CommonAttrConstraints.td"
        def T : Dialect { let name = "t"; }
        class TOp<string name> : Op<T, name>;
        def A : TOp<"a"> { let arguments = (ins I32Attr:$v); let results = (outs I32:$r); }
        def B : TOp<"b"> { let arguments = (ins I32:$a, I32:$b); let results = (outs I32:$r); }
        def Less : Constraint<CPred<[{
            llvm::cast<::mlir::IntegerAttr>($0).getInt() < llvm::cast<::mlir::IntegerAttr>($1).getInt()
        }]>>;
        def Different : Constraint<CPred<"$0 != $1 && $0.getType() == $1.getType()">>;
        def Known : Constraint<CPred<"known($0) && $1.getDefiningOp() && $1.getDefiningOp()->hasAttr(\"v\")">>;
        def R : Pat<(B (A:$x $v), (A $w)), (replaceWithValue $x), [(Less $v, $w)]>;
        def S : Pat<(B $x, $y), (replaceWithValue $x), [(Different $x, $y), (Known $x, $y)]>;
    "#;
    let mut sources = SourceMap::default();
    let file = sources.add("rules.td", text.to_owned()).unwrap();
    let (rules, loaded) = compile::load_added(&mut sources, &[file], &compile::Options::default());
    assert!(!loaded.diagnostics.has_errors(), "{:?}", loaded.diagnostics);
    rules
}

#[test]
fn warm_matching_requests_no_memory() {
    for (rules, least) in [(rules(), 9), (rules_with_snippets(), 3)] {
        let program = Arc::new(compile::program(&rules).unwrap());
        let mut host = host();
        let matcher = Matcher::link(program, &mut host, &natives(), &LinkOptions::default()).unwrap();
        let ops: Vec<OpId> = host.module.preorder(host.module.top()).collect();
        let mut scratch = matcher.cache();
        let (cold, requests, _) = MEMORY.during(|| matches(&matcher, &host, &ops, &mut scratch));
        assert!(requests > 0, "the allocator must count");
        assert!(cold >= least, "not every rule matches: {cold}");
        let (warm, requests, _) = MEMORY.during(|| matches(&matcher, &host, &ops, &mut scratch));
        assert_eq!((warm, requests), (cold, 0));
    }
}

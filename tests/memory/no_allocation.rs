//! Matching requests no memory once the vectors of the cache have grown. This holds for registers, alternatives, C++
//! expressions, and arguments of natives, including ranges. Rewriting requests only the memory of the IR that it
//! creates.

use std::sync::Arc;

use crate::MEMORY;

use drrvm::compile;
use drrvm::host::{Bind, Entity, Ir, IrMut, Kind, NamedAttr, Natives, NoListener, OpState, Signature};
use drrvm::ir::{Context, IrHost, OpId, parse_module};
use drrvm::pdl::{Arg, RuleSet};
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

/// Rules with constants, types, users, operands in either order, a native on a whole range, and a native on each
/// element of a range.
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

/// Rules that create operations with constants and matched attributes, from single values and from ranges.
fn rewriting_rules() -> RuleSet {
    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("swap", 1);
    let (x, y, v) = (rule.value(), rule.value(), rule.any_attr());
    let old = rule.op("t.old").operand(x).operand(y).attr("v", v).matched();
    let one = rule.make_attr("1 : i32");
    let ty = rule.type_of(x);
    let new =
        rule.create("t.new").operand(y).operand(x).attr("v", v).attr("w", one).result_type(ty).created();
    rule.replace_by_op(old, new);
    rule.finish().unwrap();

    let mut rule = rules.pattern("list", 1);
    let values = rule.values();
    let old = rule.op("t.many").operands(values).matched();
    let results = rule.results(old);
    let twice = rule.range([values, values]);
    let types = rule.types_of(results);
    let new = rule.create("t.list").operand(twice).result_type(types).created();
    let made = rule.results_of(new);
    rule.replace(old, [made]);
    rule.finish().unwrap();
    rules
}

fn host_to_rewrite() -> (IrHost, Vec<OpId>) {
    let group = |i: usize| {
        format!(
            r#"
%o{i} = "t.old"(%a, %b) {{v = 3 : i32}} : (i32, i32) -> i32
%m{i}:2 = "t.many"(%a, %o{i}, %b) : (i32, i32, i32) -> (i32, i32)
"t.use"(%m{i}#0, %m{i}#1) : (i32, i32) -> ()"#
        )
    };
    let groups: String = (0..200).map(group).collect();
    let text = format!(r#"%a = "t.x"() : () -> i32{0}%b = "t.x"() : () -> i32{groups}"#, '\n');
    let mut sources = SourceMap::default();
    let file = sources.add("input.mlir", text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    let host = IrHost::new(context, module);
    let ops = host.module.preorder(host.module.top()).collect();
    (host, ops)
}

/// Makes the changes of [`rewriting_rules`] without rules.
fn rewrite_by_hand(host: &mut IrHost, ops: &[OpId]) {
    let [old, many, new, list] = ["t.old", "t.many", "t.new", "t.list"].map(|name| host.bind_op_name(name));
    let [v, w] = ["v", "w"].map(|name| host.bind_attr_name(name));
    let one = host.bind_attr("1 : i32").unwrap();
    for &op in ops {
        let name = host.op_name(op);
        if name != old && name != many {
            continue;
        }
        let attribute = |name, value| NamedAttr { name, value, inherent: true };
        let location = host.location(op);
        let location = host.fuse_locations(&[location], None);
        let created = if name == old {
            let [x, y] = [0, 1].map(|index| host.operand(op, index));
            let attributes = [attribute(v, host.attr(op, v).unwrap()), attribute(w, one)];
            let types = [host.value_type(x)];
            let state = OpState {
                name: new,
                operands: &[y, x],
                result_types: &types,
                attributes: &attributes,
                regions: 0,
                location,
            };
            host.create(op, &state).unwrap()
        } else {
            let [a, b, c] = [0, 1, 2].map(|index| host.operand(op, index));
            let types = [0, 1].map(|index| host.value_type(host.result(op, index)));
            let operands = [a, b, c, a, b, c];
            let state = OpState {
                name: list,
                operands: &operands,
                result_types: &types,
                attributes: &[],
                regions: 0,
                location,
            };
            host.create(op, &state).unwrap()
        };
        for index in 0..host.result_count(op) {
            host.replace_all_uses(host.result(op, index), host.result(created, index));
        }
        host.erase(op);
    }
}

#[test]
fn warm_rewriting_requests_only_memory_of_the_ir() {
    let program = Arc::new(compile::program(&rewriting_rules()).unwrap());
    let (mut host, ops) = host_to_rewrite();
    let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default()).unwrap();
    let mut scratch = matcher.cache();
    let mut rewrite = |host: &mut IrHost| {
        let outcomes = ops.iter().map(|&op| matcher.apply(host, op, &mut scratch, &mut NoListener));
        outcomes.filter(|outcome| outcome.applied.is_some()).count()
    };
    assert_eq!(rewrite(&mut host.clone()), 400);
    let (mut by_rules, mut by_hand) = (host.clone(), host.clone());
    let (count, requests, _) = MEMORY.during(|| rewrite(&mut by_rules));
    let ((), needed, _) = MEMORY.during(|| rewrite_by_hand(&mut by_hand, &ops));
    let print = |host: &IrHost| host.module.print(&host.context, Default::default());
    assert!(print(&by_rules) == print(&by_hand), "the rules rewrite differently");
    assert_eq!((count, requests), (400, needed));
}

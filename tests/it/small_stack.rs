//! Runs deeply nested inputs on a stack of 256 KiB: every front end, printer, compiler stage and engine either handles
//! them or reports an error, and none overflows the stack.

use std::sync::Arc;

use drrvm::compile;
use drrvm::equivalence::{Config, IrGenerator, Options, Side, compare};
use drrvm::fuzzing;
use drrvm::host::{Bind, Entity, Ir, Natives, NoListener};
use drrvm::internal::bytecode;
use drrvm::internal::frontend::cxx::{self, Expected, NoResolver, Placeholder, Request, Text};
use drrvm::internal::frontend::{pdl_text, prelude, tablegen};
use drrvm::internal::matcher_tree::{self, Printer};
use drrvm::internal::snippet::{Linked, Snippets, Ty};
use drrvm::ir::{Context, IrHost, Module, PrintOptions, parse_module, verify};
use drrvm::pdl::{self, NodeId, PatternBuilder, RuleSet};
use drrvm::rewrite;
use drrvm::source::{Color, Diagnostics, SourceMap, Span, render_all};
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher, Reference};

const STACK: usize = 256 << 10;
/// Much deeper than any limit.
const DEEP: usize = 20_000;
/// Depths around the limits.
const DEPTHS: [usize; 9] = [20, 60, 150, 250, 390, 400, 600, 1_000, DEEP];

/// Runs a closure in a thread with a small stack. If the stack overflows, the message contains `name`.
fn on_small_stack<T: Send>(name: &str, run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK);
        thread.spawn_scoped(scope, run).unwrap().join().unwrap()
    })
}

/// Runs a fuzz target on one text for each depth: `start`, `open` repeated, `middle`, `close` repeated, and `end`.
fn bombs(name: &str, target: fn(&[u8]), bombs: &[[&str; 5]]) {
    for (i, [start, open, middle, close, end]) in bombs.iter().enumerate() {
        for depth in DEPTHS {
            let text = format!("{start}{}{middle}{}{end}", open.repeat(depth), close.repeat(depth));
            on_small_stack(&format!("{name} {i} {depth}"), || target(text.as_bytes()));
        }
    }
}

/// Returns `first` and then copies of `line`. The number of each copy replaces `{n}`, and the previous number replaces
/// `{p}`.
fn chain(first: &str, line: &str, count: usize) -> String {
    let lines = (1..=count).map(|i| line.replace("{n}", &i.to_string()).replace("{p}", &(i - 1).to_string()));
    format!("{first}\n{}", lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn tablegen_text() {
    bombs(
        "tablegen",
        fuzzing::tablegen,
        &[
            ["def A { int x = ", "!add(1, ", "1", ")", "; }"],
            ["def A { int x = ", "!if(1, ", "1", ", 2)", "; }"],
            ["defvar x = ", "[", "1", "]", ";"],
            ["def o; def A { dag d = ", "(o ", "1", ")", "; }"],
            ["", "foreach i = [1] in { ", "def A#i;", "}", ""],
            ["", "if 1 then { ", "def A;", "}", ""],
            ["", "let x = 1 in { ", "def A;", "}", ""],
            ["", "#ifndef A\n", "def B;\n", "#endif\n", ""],
            ["def A { string s = \"a\"", " # \"a\"", "", "", "; }"],
            ["def A { list<int> s = [1]", "[0...0]", "", "", "; }"],
            ["class A<int x> { int y = x; } def B { int z = ", "A<", "1", ">.y", "; }"],
            ["def A { ", "list<", "int", ">", " x; }"],
            ["", "/*", "", "*/", ""],
        ],
    );
    for depth in DEPTHS {
        let inherited =
            chain("class C0 { int x = 1; }", "class C{n} : C{p} { int x{n} = x; }", depth.min(2_000));
        on_small_stack("inherited", || fuzzing::tablegen(inherited.as_bytes()));
        let recursive =
            "class R<int n> { int v = !if(!eq(n, 0), 0, R<!sub(n, 1)>.v); } def X { int v = R<N>.v; }";
        let recursive = recursive.replace('N', &depth.to_string());
        on_small_stack("recursive", || fuzzing::tablegen(recursive.as_bytes()));
    }
}

#[test]
fn mlir_text() {
    bombs(
        "mlir",
        fuzzing::mlir,
        &[
            ["", "\"a\"() ({\n", "\"b\"() : () -> ()\n", "}) : () -> ()\n", ""],
            ["", "module {\n", "", "}\n", ""],
            ["\"a\"() {x = ", "[", "1", "]", "} : () -> ()"],
            ["\"a\"() ", "{x = ", "{y}", "}", " : () -> ()"],
            ["\"a\"() : () -> ", "tuple<", "i32", ">", ""],
            ["\"a\"() {x = ", "tensor<2x", "i32", ">", "} : () -> ()"],
            ["\"a\"() {x = ", "() -> (", "i32", ")", "} : () -> ()"],
            ["\"a\"() {x = ", "() -> ", "i32", "", "} : () -> ()"],
            ["#a = ", "affine_map<(d0) -> (", "d0", ")>", ""],
            ["#a = affine_map<(d0) -> (", "(", "d0", ")", ")>"],
            ["#a = affine_map<(d0) -> (", "-", "d0", "", ")>"],
            ["#a = affine_map<(d0) -> (d0", " + d0 * 2", "", "", ")>"],
            ["\"a\"() {x = affine_map<(d0, d1) -> (", "d0 + (d1 + (", "d0", "))", ")>} : () -> ()"],
            ["\"a\"() {x = dense<", "[", "1", "]", "> : tensor<1xi32>} : () -> ()"],
            ["\"a\"() : () -> () loc(", "fused[", "\"x\"", "]", ")"],
            ["\"a\"() : () -> () loc(", "\"n\"(", "\"x\"", ")", ")"],
            ["\"a\"() : () -> () loc(", "callsite(\"x\" at ", "\"y\"", ")", ")"],
            ["\"a\"() {x = @a", "::@a", "", "", "} : () -> ()"],
            ["\"a\"() {x = !t.", "a<", "", ">", "} : () -> ()"],
            ["func.func @f(%x: i32) { ", "%x = arith.addi %x, %x : i32\n", "return", "", "}"],
        ],
    );
    for depth in DEPTHS {
        for (first, line, last) in [
            ("#a0 = 1 : i32", "#a{n} = [#a{p}]", "\"t.a\"() {x = #aN} : () -> ()"),
            ("!a0 = i32", "!a{n} = tuple<!a{p}>", "\"t.a\"() : () -> !aN"),
            ("#l0 = loc(\"x\")", "#l{n} = loc(\"n\"(#l{p}))", "\"t.a\"() : () -> () loc(#lN)"),
            (
                "%a0 = \"t.a\"() : () -> i32",
                "%a{n} = \"t.a\"(%a{p}) : (i32) -> i32",
                "\"t.b\"(%aN) : (i32) -> ()",
            ),
        ] {
            let text = format!("{}\n{}\n", chain(first, line, depth), last.replace('N', &depth.to_string()));
            on_small_stack(&format!("chain of {line} {depth}"), || fuzzing::mlir(text.as_bytes()));
        }
    }
}

/// Short texts that would exceed any memory if their aliases were expanded.
#[test]
fn aliases_within_aliases() {
    for (first, line, last) in [
        ("#a0 = 1 : i32", "#a{n} = [#a{p}, #a{p}]", "\"t.a\"() {x = #a50} : () -> ()"),
        ("!a0 = i32", "!a{n} = tuple<!a{p}, !a{p}>", "\"t.a\"() : () -> !a50"),
        ("#l0 = loc(\"x\")", "#l{n} = loc(callsite(#l{p} at #l{p}))", "\"t.a\"() : () -> () loc(#l50)"),
    ] {
        let text = format!("{}\n{last}\n", chain(first, line, 50));
        on_small_stack(line, || {
            let mut sources = SourceMap::default();
            let file = sources.add("large.mlir", &*text).unwrap();
            let mut context = Context::new();
            let module = parse_module(&mut context, sources.file(file)).unwrap();
            assert!(module.print(&context, PrintOptions::new().debug_info(true)).len() < 10_000);
            fuzzing::mlir(text.as_bytes());
        });
    }
}

#[test]
fn pdl_text() {
    let head = "pdl.pattern @p : benefit(1) {\n";
    let rewrite = "  pdl.rewrite %root { pdl.erase %root }\n}\n";
    bombs(
        "pdl",
        fuzzing::pdl,
        &[
            [&format!("{head}  %t = pdl.type : "), "tuple<", "i32", ">", "\n}"],
            [&format!("{head}  %t = pdl.attribute = "), "[", "1", "]", "\n}"],
            [head, "module {\n", "", "}\n", "}"],
            [&format!("{head}  %o = pdl.operation \"t.a\"\n  pdl.rewrite %o "), "{", "", "}", "}"],
        ],
    );
    for depth in [60, 120, 2_000] {
        let first = format!("{head}  %o0 = pdl.operation \"t.a\" -> (%t : !pdl.type)");
        let first = first.replace("  %o0", "  %t = pdl.type\n  %o0");
        let line = "  %r{n} = pdl.result 0 of %o{p}\n  %o{n} = pdl.operation \"t.a\"(%r{n} : !pdl.value) -> (%t : !pdl.type)";
        let text = chain(&first, line, depth);
        let text = format!("{text}\n{}", rewrite.replace("%root", &format!("%o{depth}")));
        on_small_stack(&format!("pdl chain {depth}"), || {
            let mut sources = SourceMap::default();
            let file = sources.add("deep.mlir", &*text).unwrap();
            let mut rules = RuleSet::default();
            match pdl_text::parse(&sources, file, &mut rules) {
                Ok(_) => every_stage(&rules),
                Err(errors) => assert!(!render_all(&errors, &sources, Color::Never).is_empty()),
            }
        });
    }
}

/// Loads rules for an operation `A`, and runs every stage on them or renders their errors.
fn drr(name: &str, rules: &str) {
    let text = format!(
        "include \"mlir/IR/PatternBase.td\"\n\
         def T : Dialect {{ let name = \"t\"; }}\n\
         def A : Op<T, \"a\"> {{ let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }}\n{rules}"
    );
    on_small_stack(name, || {
        let mut sources = SourceMap::default();
        let main = sources.add("deep.td", text).unwrap();
        let config = tablegen::Config { embedded: prelude::FILES, ..tablegen::Config::default() };
        let read = |sources: &mut SourceMap| -> Result<RuleSet, Diagnostics> {
            let parsed = tablegen::parse(sources, main, &config)?;
            let mut rules = RuleSet::default();
            drrvm::internal::frontend::drr::lower(
                &drrvm::internal::frontend::ods::read(&parsed.records),
                sources,
                &mut rules,
            )?;
            Ok(rules)
        };
        match read(&mut sources) {
            Ok(rules) => every_stage(&rules),
            Err(errors) => assert!(!render_all(&errors, &sources, Color::Never).is_empty()),
        }
    });
}

#[test]
fn drr_rules() {
    for depth in [60, 190, 600] {
        let nested = |open: &str, middle: &str, close: &str| {
            format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
        };
        let source = nested("(A ", "$x", ")");
        drr(&format!("source {depth}"), &format!("def R : Pat<{source}, (replaceWithValue $x)>;"));
        drr(&format!("result {depth}"), &format!("def R : Pat<(A $x), {source}>;"));
        let conjunction = nested("(And<[CPred<\"true\">, ", "CPred<\"true\">", "]>)");
        drr(
            &format!("and {depth}"),
            &format!("def C : Constraint<{conjunction}>; def R : Pat<(A C:$x), (A $x)>;"),
        );
    }
}

/// Compiles a C++ text and evaluates it on a value.
fn snippet(text: &str) {
    let params = [Placeholder::new("$0", Ty::VALUE)];
    let request = Request { params: &params, expected: Expected::Predicate, resolver: &NoResolver };
    let mut snippets = Snippets::default();
    let Ok(id) = cxx::compile(&mut snippets, &Text::new(text, Span::NONE), &request) else { return };
    let mut sources = SourceMap::default();
    let file = sources.add("one.mlir", "%0 = \"t.a\"(%0) : (i32) -> i32").unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    let mut host = IrHost::new(context, module);
    let linked = Linked::link(&snippets, &mut host, &Natives::new());
    let op = host.module.first_op(host.module.body()).unwrap();
    let _ = linked.holds(&snippets, id, &host, &[Entity::Value(Some(host.operand(op, 0)))]);
}

#[test]
fn snippets() {
    for depth in [10, 20, 40, 60, 100, 150, 250, 400, 2_000] {
        for (i, [open, middle, close]) in [
            ["(", "true", ")"],
            ["!", "true", ""],
            ["true && ", "true", ""],
            ["(true && ", "true", ")"],
            ["true ? true : ", "true", ""],
            ["(1 + ", "1", ") == 1"],
            ["1 + ", "1 == 1", ""],
            ["::llvm::any_of($0.getUsers(), [](auto u) { return ", "true", "; })"],
            ["[](auto t) { return ", "true", "; }($0)"],
            ["$0.getType()", ".isIndex()", ""],
            ["getElementTypeOrSelf(", "$0.getType()", ")"],
            ["std::max<int64_t>(1, ", "1", ") == 1"],
            ["{ ", "1", "}"],
            ["auto x = 1; ", "return true;", ""],
        ]
        .into_iter()
        .enumerate()
        {
            let text = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
            on_small_stack(&format!("snippet {i} {depth}"), || snippet(&text));
        }
    }
}

/// A rule that matches a chain of operations.
fn deep_rule(rule: &mut PatternBuilder<'_>, depth: usize) {
    let x = rule.value();
    let mut value = x;
    let mut op: Option<NodeId> = None;
    for _ in 0..depth {
        let here = rule.op("t.a").operand(value).matched();
        value = rule.result(here, 0);
        op = Some(here);
    }
    if let Some(root) = op {
        rule.replace(root, [x]);
    }
}

#[test]
fn rules_built_through_the_api() {
    for depth in [100, 240, 2_000] {
        on_small_stack(&format!("built {depth}"), || {
            let mut rules = RuleSet::default();
            let mut rule = rules.pattern("deep", 1);
            deep_rule(&mut rule, depth);
            if rule.finish().is_ok() {
                every_stage(&rules);
            }
        });
    }
}

/// Runs all stages on the rules, and all engines on a chain of 600 operations.
fn every_stage(rules: &RuleSet) {
    assert!(!pdl::print(rules).is_empty());
    let verified = rules.verify().unwrap();
    let Ok(tree) = matcher_tree::build(verified, &matcher_tree::Config::default()) else { return };
    assert!(!Printer::new(rules, &tree).text().is_empty());
    let Ok(program) = compile::program(rules) else { return };
    let sources = SourceMap::default();
    assert!(!bytecode::disassemble(&program, &sources).is_empty());
    let bytes = program.to_bytes(&sources);
    let program = bytecode::Program::from_bytes(&bytes, &mut SourceMap::default()).unwrap();

    let text = chain("%a0 = \"t.a\"(%a0) : (i32) -> i32", "%a{n} = \"t.a\"(%a{p}) : (i32) -> i32", 600);
    let text = format!("\"t.graph\"() ({{\n{text}\n\"t.end\"(%a600) : (i32) -> ()\n}}) : () -> ()");
    let mut sources = SourceMap::default();
    let file = sources.add("chain.mlir", text).unwrap();
    let mut context = Context::new();
    let module =
        parse_module(&mut context, sources.file(file)).unwrap_or_else(|_| panic!("the chain parses"));
    let mut host = IrHost::new(context, module);
    let natives = Natives::new();
    let Ok(matcher) = Matcher::link(Arc::new(program), &mut host, &natives, &LinkOptions::default()) else {
        return;
    };
    let matcher = Arc::new(matcher);
    let reference = Reference::link(rules, &matcher, &mut host, &natives).unwrap();
    let automaton = Automaton::new(matcher.clone());
    run(&*matcher, &mut host.clone());
    run(&automaton, &mut host.clone());
    run(&reference, &mut host.clone());
    let last = host.module.preorder(host.module.top()).last().unwrap();
    let explained = matcher.explain(&host, last, matcher.program().patterns().ids().next().unwrap());
    assert!(!format!("{explained:?}").is_empty());

    let generator = IrGenerator::new(&[rules], &mut host, &natives, &Config::default().attempts(10)).unwrap();
    let options = Options::default().cases(1).max_rewrites(50);
    let sides = [&Side::new(&*matcher), &Side::new(&automaton)];
    assert!(compare(sides, &generator, &host, &natives, &options, &|_| {}).difference.is_none());
}

fn run<E: Engine<IrHost>>(engine: &E, host: &mut IrHost) {
    let ops: Vec<_> = host.module.preorder(host.module.top()).collect();
    let mut cache = engine.cache();
    for &op in ops.iter().rev().take(20) {
        let _ = engine.match_first(host, op, &mut cache);
    }
    let root = host.module.top();
    let config = rewrite::Config::default().max_rewrites(Some(20)).max_sweeps(2);
    rewrite::apply_greedily(host, root, engine, &config, &mut NoListener);
    assert!(!verify(&host.context, &host.module).has_errors());
    assert!(!host.module.print(&host.context, PrintOptions::new().generic(true)).is_empty());
}

/// A native can build a type from the text of another type again and again, until the host refuses the depth.
#[test]
fn types_within_types() {
    on_small_stack("types", || {
        let mut context = Context::new();
        let module = Module::new(&mut context);
        let mut host = IrHost::new(context, module);
        let mut text = "i32".to_owned();
        for _ in 0..2_000 {
            let Some(ty) = host.bind_type(&format!("tuple<{text}>")) else { break };
            text = host.context.type_text(ty);
        }
        assert!(text.len() > 100);
    });
}

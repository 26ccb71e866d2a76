//! Measures two explanations in a parsed module of 100,000 operations. The first explains every rule that starts at one
//! operation; the goal is at most 1 ms. The second finds the rules that never match. Among the pairs of such a rule and
//! an operation, it lists the three that come closest to a match; the goal is at most 50 ms.

#![allow(missing_docs, reason = "criterion's macros create public items")]

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use drrvm::compile;
use drrvm::ir::{Context, IrHost, OpId, parse_module};
use drrvm::pdl::PatternId;
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

const OPS: usize = 100_000;

/// A chain of integer operations without constants, so that rules on constants almost match.
fn input() -> String {
    let mut text = String::from("func.func @f(%x: i32, %y: i32) -> i32 {\n  %v0 = arith.addi %x, %y : i32\n");
    for i in 1..OPS {
        let op = ["addi", "muli", "subi", "xori", "andi"][i * 7 % 5];
        let operand = if i % 3 == 0 { "%x".to_owned() } else { format!("%v{}", i - 1 - i % 17 % i) };
        writeln!(text, "  %v{i} = arith.{op} {operand}, %y : i32").expect("writing to a string succeeds");
    }
    write!(text, "  return %v{} : i32\n}}\n", OPS - 1).expect("writing to a string succeeds");
    text
}

fn explain(criterion: &mut Criterion) {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/arith/rules.td");
    let mut sources = SourceMap::default();
    let (rules, _) =
        compile::rules(&mut sources, &[rules], &compile::Options::default()).expect("the rules are valid");
    let program = Arc::new(compile::program(&rules).expect("the rules are valid"));
    let file = sources.add("input.mlir", input()).expect("the file is small");
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).expect("the input is valid");
    let mut host = IrHost::new(context, module);
    let natives = drrvm::natives::all();
    let matcher =
        Matcher::link(program, &mut host, &natives, &LinkOptions::default()).expect("the rules link");

    let ops: Vec<OpId> = host.module.preorder(host.module.top()).collect();
    let all: Vec<PatternId> = matcher.program().patterns().ids().collect();
    let op = ops[OPS / 2];
    let candidates = matcher.candidates(&host, op);
    assert!(candidates.len() > 1, "several rules must have this root");
    let survey = matcher.nearest(&host, &ops, &all, 3);
    assert_eq!(survey.nearest.len(), 3, "three pairs of an operation and a rule must be listed");

    let mut group = criterion.benchmark_group("explain, 100,000 operations");
    group.sample_size(10);
    group.bench_function("one operation", |bench| {
        bench.iter(|| {
            let asked = candidates.iter().map(|&rule| matcher.explain(&host, op, rule).steps.len());
            asked.sum::<usize>()
        })
    });
    group.bench_function("nearest", |bench| {
        bench.iter(|| matcher.nearest(&host, &ops, &all, 3).nearest.len())
    });
    group.finish();
}

criterion_group!(benches, explain);
criterion_main!(benches);

//! Matches the rules of `examples/arith` on 100,000 operations with the tree and the reference matcher. Both must find
//! the same first matches.

#![allow(missing_docs, reason = "criterion's macros create public items")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use drrvm::compile;
use drrvm::internal::pdl::ReferenceMatcher;
use drrvm::ir::{Context, IrHost, parse_module};
use drrvm::pdl::PatternId;
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

const OPS: usize = 100_000;

fn example_rules(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/arith");
    let mut sources = SourceMap::default();
    let files: [PathBuf; 1] = [folder.join("rules.td")];
    let (rules, _) =
        compile::rules(&mut sources, &files, &compile::Options::default()).expect("the rules are valid");
    let program = Arc::new(compile::program(&rules).expect("the rules are valid"));

    let file = sources.load(&folder.join("input.mlir")).expect("the example exists");
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).expect("the input is valid");
    let mut host = IrHost::new(context, module);
    let natives = drrvm::natives::all();
    let matcher =
        Matcher::link(program, &mut host, &natives, &LinkOptions::default()).expect("the rules link");
    let reference = ReferenceMatcher::new(&rules, &mut host, &natives).expect("the rules link");
    let mut scratch = matcher.cache();

    // The example's operations are repeated, so that the measured time is long enough.
    let all: Vec<_> = host.module.preorder(host.module.top()).collect();
    let ops: Vec<_> = all.iter().copied().cycle().take(OPS).collect();
    let mut found = |op| matcher.match_first(&host, op, &mut scratch);
    let tried = |op| reference.matches(&host, op).next().map(|matched| matched.pattern);
    let expected: Vec<Option<PatternId>> = all.iter().map(|&op| tried(op)).collect();
    let matched: Vec<Option<PatternId>> = all.iter().map(|&op| found(op)).collect();
    assert_eq!(matched, expected, "the engines must find the same matches");
    assert!(expected.iter().flatten().count() > 20, "rules must match");

    let mut group = criterion.benchmark_group("examples/arith");
    group.throughput(Throughput::Elements(OPS as u64)).sample_size(10);
    group.bench_function("engine", |bench| bench.iter(|| ops.iter().filter_map(|&op| found(op)).count()));
    group.bench_function("rule by rule", |bench| {
        bench.iter(|| ops.iter().filter_map(|&op| tried(op)).count())
    });
    group.finish();
}

criterion_group!(benches, example_rules);
criterion_main!(benches);

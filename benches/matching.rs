//! Measures matching, compiling and rewriting of the workload with several engines, numbers of rules and sizes of IR.
//!
//! Before matching is measured, the number of matches of each rule is checked against the true number. If the true
//! numbers are not known, a sample is compared with the reference matcher. `automaton` computes all labels in each
//! iteration with existing tables; `automaton_labelled` keeps the labels.

#![allow(clippy::print_stderr, reason = "benchmarks report what they skip")]
#![allow(unreachable_pub, dead_code, reason = "benchmarks share modules and use different parts")]

#[path = "compare/ours.rs"]
mod ours;
mod workload;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drrvm::host::{Natives, NoListener};
use drrvm::internal::bytecode::{self, Program};
use drrvm::internal::pdl::ReferenceMatcher;
use drrvm::ir::IrHost;
use drrvm::rewrite;
use drrvm::source::SourceMap;
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher};

use ours::Measurement;

/// True for a test run, which is short.
fn is_test() -> bool {
    std::env::args().any(|arg| arg == "--test")
}

fn sizes() -> &'static [&'static str] {
    if is_test() { &["20k"] } else { &["20k", "100k", "1m"] }
}

fn rule_counts() -> &'static [usize] {
    if is_test() { &[1, 10] } else { &[1, 10, 100, 1000, 4000] }
}

fn has_workload() -> bool {
    let found = workload::folder().is_some();
    if !found {
        eprintln!("skipped: the workload cannot be written to `target`");
    }
    found
}

fn matching(c: &mut Criterion) {
    if !has_workload() {
        return;
    }
    for &size in sizes() {
        let (mut ir, ops) = ours::flat(size);
        for mode in ["first", "all"] {
            let mut group = c.benchmark_group(format!("{mode}_{size}"));
            group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
            group.sample_size(10).throughput(Throughput::Elements(ops.len() as u64));
            group.bench_function("bare_walk", |b| b.iter(|| black_box(ours::bare_walk(&ir, &ops))));
            for &count in rule_counts() {
                let rules = ours::rule_set('m', count);
                let (natives, options) = (Natives::new(), LinkOptions::default());
                let program = Arc::new(ours::compile(&rules));
                let matcher = Matcher::link(program, &mut ir, &natives, &options);
                let matcher = Arc::new(matcher.expect("the workload has no natives"));
                let automaton = Automaton::new(matcher.clone());
                let reference = ReferenceMatcher::new(&rules, &mut ir, &natives).expect("the rules link");
                let what = |engine: &str| Measurement {
                    mode: mode.to_owned(),
                    engine: engine.to_owned(),
                    host: "flat".to_owned(),
                    ops: size.to_owned(),
                    rules: count,
                    rounds: 1,
                };
                ours::check(&what("tree"), &ir, &ops, &rules, &*matcher, &reference);
                ours::check(&what("automaton"), &ir, &ops, &rules, &automaton, &reference);
                let mut scratch = matcher.cache();
                group.bench_function(BenchmarkId::new("tree", count), |b| {
                    b.iter(|| ours::sweep(&*matcher, &ir, &ops, mode, &mut scratch));
                });
                let mut cache = automaton.cache();
                automaton.label(&ir, ops.iter().copied(), &mut cache);
                group.bench_function(BenchmarkId::new("automaton_labelled", count), |b| {
                    b.iter(|| ours::sweep(&automaton, &ir, &ops, mode, &mut cache));
                });
                group.bench_function(BenchmarkId::new("automaton", count), |b| {
                    b.iter(|| {
                        cache.forget_labels();
                        ours::sweep(&automaton, &ir, &ops, mode, &mut cache);
                    });
                });
                if count <= 100 {
                    let sample = &ops[..ours::SAMPLE.min(ops.len())];
                    group.throughput(Throughput::Elements(sample.len() as u64));
                    group.bench_function(BenchmarkId::new("reference", count), |b| {
                        b.iter(|| {
                            for &op in sample {
                                let most = if mode == "all" { usize::MAX } else { 1 };
                                black_box(reference.matches(&ir, op).take(most).count());
                            }
                        });
                    });
                    group.throughput(Throughput::Elements(ops.len() as u64));
                }
            }
            group.finish();
        }
    }
}

/// Measures compiling and loading of programs, and prints their size per rule.
fn compiling(c: &mut Criterion) {
    if !has_workload() {
        return;
    }
    let mut group = c.benchmark_group("compile");
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1)).sample_size(10);
    for &count in rule_counts() {
        let rules = ours::rule_set('m', count);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("compile", count), |b| {
            b.iter(|| black_box(ours::compile(&rules)));
        });
        let bytes = ours::compile(&rules).to_bytes(&SourceMap::default());
        let sections = bytecode::section_sizes(&bytes).expect("the program is complete");
        let beside: usize = sections.iter().filter(|(section, _)| section.is_auxiliary()).map(|s| s.1).sum();
        let code = bytes.len() - beside;
        eprintln!(
            "P={count}: {} bytes per rule, and {} of names and signatures",
            code / count,
            beside / count
        );
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(BenchmarkId::new("load", count), |b| {
            b.iter(|| {
                black_box(Program::from_bytes(&bytes, &mut SourceMap::default()).expect("the program loads"))
            });
        });
    }
    group.finish();
}

/// Runs a driver; returns the number of rewrites and the IR.
fn rewritten<E: Engine<IrHost>>(driver: &str, engine: &E, mut host: IrHost) -> (u64, IrHost) {
    let root = host.module.top();
    let report = match driver {
        "greedy" => {
            rewrite::apply_greedily(&mut host, root, engine, &rewrite::Config::default(), &mut NoListener)
        }
        _ => rewrite::apply_in_walk(&mut host, root, engine, &mut NoListener),
    };
    (report.rewrites, host)
}

fn rewriting(c: &mut Criterion) {
    if !has_workload() {
        return;
    }
    let mut group = c.benchmark_group("rewrite");
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1)).sample_size(10);
    for &size in sizes().iter().filter(|&&size| size != "1m") {
        let (mut host, ops) = ours::built_in(&format!("ir_{size}.mlir"));
        group.throughput(Throughput::Elements(ops.len() as u64));
        for &count in rule_counts().iter().filter(|&&count| count <= 1000) {
            let rules = ours::rule_set('r', count);
            let (natives, options) = (Natives::new(), LinkOptions::default());
            let program = Arc::new(ours::compile(&rules));
            let matcher = Matcher::link(program, &mut host, &natives, &options);
            let matcher = Arc::new(matcher.expect("the workload has no natives"));
            let automaton = Automaton::new(matcher.clone());
            for driver in ["greedy", "walk"] {
                let (expected, ours) = rewritten(driver, &*matcher, host.clone());
                let (rewrites, theirs) = rewritten(driver, &automaton, host.clone());
                assert_eq!(rewrites, expected, "{driver}, P={count}: the engines disagree");
                let text = |host: &IrHost| host.module.print(&host.context, Default::default());
                assert!(text(&ours) == text(&theirs), "{driver}, P={count}: the engines disagree");
                let id = |engine| BenchmarkId::new(format!("{driver}_{engine}_{size}"), count);
                group.bench_function(id("tree"), |b| {
                    b.iter_batched(
                        || host.clone(),
                        |copy| rewritten(driver, &*matcher, copy),
                        BatchSize::PerIteration,
                    );
                });
                group.bench_function(id("automaton"), |b| {
                    b.iter_batched(
                        || host.clone(),
                        |copy| rewritten(driver, &automaton, copy),
                        BatchSize::PerIteration,
                    );
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, matching, compiling, rewriting);
criterion_main!(benches);

//! Matching the workload: the compiled engine beside trying rule by rule.
//!
//! Before anything is timed, the number of matches of each rule is compared with what is known to be
//! true, or with the reference matcher; a wrong count is an error and not a number.

#![allow(clippy::print_stderr, reason = "a benchmark says what it skips")]
#![allow(unreachable_pub, dead_code, reason = "what one benchmark does not use, another does")]

mod workload;

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drrvm::bytecode::{self, Program};
use drrvm::host::{Ir, Natives};
use drrvm::id::Id;
use drrvm::matcher_tree::{self, Config};
use drrvm::pdl::{ReferenceMatcher, RuleSet};
use drrvm::source::SourceMap;
use drrvm::vm::{Automaton, Engine, LinkOptions, Matcher};

use workload::flat::Flat;

fn compile(rules: &RuleSet) -> Program {
    let tree = matcher_tree::build(rules, &Config::new()).expect("the rules compile");
    bytecode::compile(rules, &tree).expect("the rules fit")
}

/// How many operations the reference matcher is asked about; it takes microseconds a rule.
const SAMPLE: u32 = 2_000;

fn count<E: Engine<Flat>>(engine: &E, ir: &Flat, ops: Range<u32>, rules: usize) -> Vec<u64> {
    let mut counts = vec![0; rules];
    let mut cache = engine.cache();
    for op in ops {
        let mut matched = engine.match_first(ir, op, &mut cache);
        while let Some(pattern) = matched {
            counts[pattern.index()] += 1;
            matched = engine.next_match(ir, &mut cache);
        }
    }
    counts
}

fn matching(c: &mut Criterion) {
    let Some(folder) = workload::folder() else {
        eprintln!("skipped: no workload in target/bench, and no script to make it");
        return;
    };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the workload is whole");
    let mut ir = Flat::read(&read("ir_100k.mlir"));
    let rules_text = read("patterns_m_4000.txt");
    let mut group = c.benchmark_group("first_match");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2)).sample_size(20);
    group.throughput(Throughput::Elements(u64::from(ir.ops().end)));

    group.bench_function("bare_walk", |b| {
        b.iter(|| {
            let mut sum = 0u32;
            for op in ir.ops() {
                sum = sum.wrapping_add(ir.op_name(op).raw());
                if ir.operand_count(op) > 0 {
                    let defining = ir.defining_op(ir.operand(op, 0));
                    sum = sum.wrapping_add(defining.map_or(0, |d| ir.op_name(d).raw()));
                }
            }
            black_box(sum)
        });
    });
    for size in [1, 10, 100, 1000, 4000] {
        let rules = workload::rules::read(&rules_text, size);
        let program = Arc::new(compile(&rules));
        let matcher = Matcher::link(program.clone(), &mut ir, &Natives::new(), &LinkOptions::default());
        let matcher = Arc::new(matcher.expect("the workload has no natives"));
        let automaton = Automaton::new(matcher.clone());
        let sample = 0..SAMPLE.min(ir.ops().end);
        let reference = ReferenceMatcher::new(&rules, &mut ir, &Natives::new()).expect("links");
        let (ops, expected) = match workload::expected("100k", size) {
            Some(expected) => (ir.ops(), expected),
            None => {
                let mut expected = vec![0; size];
                for op in sample.clone() {
                    reference.matches(&ir, op).for_each(|m| expected[m.pattern.index()] += 1);
                }
                (sample.clone(), expected)
            }
        };
        assert_eq!(count(&*matcher, &ir, ops.clone(), size), expected, "P={size}: wrong number of matches");
        assert_eq!(count(&automaton, &ir, ops, size), expected, "P={size}: wrong number of matches");
        eprintln!("P={size}: {} words of code, {} a rule", program.code().len(), program.code().len() / size);
        let mut scratch = matcher.scratch();
        group.throughput(Throughput::Elements(u64::from(ir.ops().end)));
        group.bench_function(BenchmarkId::new("tree", size), |b| {
            b.iter(|| {
                for op in ir.ops() {
                    black_box(matcher.match_first(&ir, op, &mut scratch));
                }
            });
        });
        let mut cache = automaton.cache();
        automaton.label(&ir, ir.ops(), &mut cache);
        group.bench_function(BenchmarkId::new("automaton", size), |b| {
            b.iter(|| {
                for op in ir.ops() {
                    black_box(automaton.match_first(&ir, op, &mut cache));
                }
            });
        });
        group.bench_function(BenchmarkId::new("automaton_labelling", size), |b| {
            b.iter(|| {
                cache.forget_labels();
                for op in ir.ops() {
                    black_box(automaton.match_first(&ir, op, &mut cache));
                }
            });
        });
        if size <= 100 {
            group.throughput(Throughput::Elements(u64::from(sample.end)));
            group.bench_function(BenchmarkId::new("reference", size), |b| {
                b.iter(|| {
                    for op in sample.clone() {
                        black_box(reference.matches(&ir, op).next());
                    }
                });
            });
        }
    }
    group.finish();
}

fn compiling(c: &mut Criterion) {
    let Some(folder) = workload::folder() else { return };
    let text = std::fs::read_to_string(folder.join("patterns_m_4000.txt")).expect("the workload is whole");
    let mut group = c.benchmark_group("compile");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2)).sample_size(10);
    for size in [100, 1000, 4000] {
        let rules = workload::rules::read(&text, size);
        group.bench_function(BenchmarkId::new("tree", size), |b| b.iter(|| black_box(compile(&rules))));
    }
    group.finish();
}

/// Loading and validating a compiled program; how large it is goes to standard error.
fn loading(c: &mut Criterion) {
    let Some(folder) = workload::folder() else { return };
    let text = std::fs::read_to_string(folder.join("patterns_m_4000.txt")).expect("the workload is whole");
    let mut group = c.benchmark_group("load");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2)).sample_size(20);
    for size in [100, 1000, 4000] {
        let program = compile(&workload::rules::read(&text, size));
        let bytes = program.to_bytes(&SourceMap::default());
        let sections = bytecode::section_sizes(&bytes).expect("it is whole");
        let beside: usize = sections.iter().filter(|(section, _)| section.is_beside()).map(|s| s.1).sum();
        let code = bytes.len() - beside;
        eprintln!("P={size}: {} bytes a rule, and {} of names and signatures", code / size, beside / size);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(BenchmarkId::new("validated", size), |b| {
            b.iter(|| {
                let loaded = Program::from_bytes(&bytes, &mut SourceMap::default());
                black_box(loaded.expect("what was written loads"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, matching, compiling, loading);
criterion_main!(benches);

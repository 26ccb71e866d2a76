//! The IR: reading, walking and printing a million operations, beside `mlir-opt-22`.

#![allow(clippy::print_stderr, reason = "a benchmark says what it skips and what the reference takes")]
#![allow(unreachable_pub, dead_code, reason = "a benchmark is no crate that others use")]

mod workload;

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use drrvm::ir::{Context, Module, PrintOptions, parse_module};
use drrvm::source::{SourceFile, SourceMap};

fn read(source: &SourceFile) -> (Context, Module) {
    let mut context = Context::new();
    let module = parse_module(&mut context, source).expect("the workload is well formed");
    (context, module)
}

/// Touches every operation's name and the definition of its first operand.
fn walk(module: &Module) -> u64 {
    let mut sum = 0u64;
    for op in module.preorder(module.top()) {
        sum = sum.wrapping_mul(31).wrapping_add(module.name(op).raw().into());
        if module.operand_count(op) > 0
            && let Some(def) = module.defining_op(module.operand(op, 0))
        {
            sum ^= u64::from(def.raw());
        }
    }
    sum
}

fn ir(c: &mut Criterion) {
    let Some(folder) = workload::folder() else {
        eprintln!("skipped: no workload in target/bench, and no script to make it");
        return;
    };
    // A run that only shows that it runs takes the small file.
    let smoke = std::env::args().any(|arg| arg == "--test");
    let (name, ops) = if smoke { ("ir_20k.mlir", 20_000) } else { ("ir_1m.mlir", 1_000_000) };
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).expect("the workload is whole");
    let bytes = u64::try_from(text.len()).expect("a file of the workload");
    let mut sources = SourceMap::default();
    let file = sources.add(name, text).expect("the workload fits");
    let source = sources.file(file);
    let (context, module) = read(source);
    assert_eq!(module.op_count(), ops + 1, "every operation and the module");
    let options = PrintOptions::new().generic(true);
    assert!(module.print(&context, options) == **source.text(), "what is read prints as it was");

    let mut group = c.benchmark_group("ir");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(5)).sample_size(10);
    let elements = u64::try_from(ops).expect("a count of operations");
    group.throughput(Throughput::Elements(elements));
    group.bench_function("parse", |b| b.iter(|| black_box(read(source))));
    group.bench_function("walk", |b| b.iter(|| black_box(walk(&module))));
    group.throughput(Throughput::Bytes(bytes));
    group.bench_function("print", |b| b.iter(|| black_box(module.print(&context, options))));
    group.finish();
    reference(&path);
}

/// What the reference takes to read, verify and print the same file.
fn reference(path: &std::path::Path) {
    let start = Instant::now();
    let status = Command::new("mlir-opt-22")
        .args(["--allow-unregistered-dialect", "--mlir-print-op-generic", "-o", "/dev/null"])
        .arg(path)
        .stdin(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => {
            eprintln!("mlir-opt-22 reads, verifies and prints it in {:?}", start.elapsed());
        }
        _ => eprintln!("skipped: mlir-opt-22 is not on the path"),
    }
}

criterion_group!(benches, ir);
criterion_main!(benches);

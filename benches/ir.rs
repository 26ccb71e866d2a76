//! Measures the IR on a million operations: parsing and printing generic text, walking operations, parsing and printing
//! custom text, and reading and writing byte code. All except walking are compared with `mlir-opt-22`.

#![allow(clippy::print_stderr, reason = "benchmarks report what they skip and the figures of the reference")]
#![allow(unreachable_pub, dead_code, reason = "no other crate uses a benchmark")]

mod workload;

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use drrvm::compile::DialectFiles;
use drrvm::ir::dialect::DialectPack;
use drrvm::ir::{Context, Module, PrintOptions, mlirbc, parse_module, verify};
use drrvm::source::{SourceFile, SourceMap};

fn read(source: &SourceFile) -> (Context, Module) {
    let mut context = Context::new();
    let module = parse_module(&mut context, source).expect("the workload is well formed");
    (context, module)
}

fn read_bytecode(code: &[u8]) -> (Context, Module) {
    let mut context = Context::new();
    let module = mlirbc::read(&mut context, "ir.mlirbc", code).expect("the byte code is well formed");
    (context, module)
}

/// Reads every operation's name and the definition of its first operand.
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
        eprintln!("skipped: the workload cannot be written to `target`");
        return;
    };
    // A test run uses the small file.
    let smoke = std::env::args().any(|arg| arg == "--test");
    let (name, ops) = if smoke { ("ir_20k.mlir", 20_000) } else { ("ir_1m.mlir", 1_000_000) };
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).expect("the workload is complete");
    let bytes = u64::try_from(text.len()).expect("a file of the workload");
    let mut sources = SourceMap::default();
    let file = sources.add(name, text).expect("the workload fits");
    let source = sources.file(file);
    // Memory is measured at the first parse, because the allocator keeps freed memory.
    let before = resident();
    let (context, module) = read(source);
    let held = before.zip(resident()).map(|(before, after)| after.saturating_sub(before));
    assert_eq!(module.op_count(), ops + 1, "every operation and the module");
    let options = PrintOptions::new().generic(true);
    assert!(module.print(&context, options) == **source.text(), "the text must round-trip");

    let mut group = c.benchmark_group("ir");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(5)).sample_size(10);
    let elements = u64::try_from(ops).expect("a count of operations");
    group.throughput(Throughput::Elements(elements));
    group.bench_function("parse", |b| b.iter(|| black_box(read(source))));
    group.bench_function("walk", |b| b.iter(|| black_box(walk(&module))));
    group.throughput(Throughput::Bytes(bytes));
    group.bench_function("print", |b| b.iter(|| black_box(module.print(&context, options))));
    group.finish();
    let mut context = context;
    let code = mlirbc::write(&mut context, &module, mlirbc::VERSION).expect("the module is valid");
    // Byte code stores the properties of operations without definitions as attributes. The texts therefore differ, and
    // the bytes are compared.
    let (mut other, back) = read_bytecode(&code);
    let again = mlirbc::write(&mut other, &back, mlirbc::VERSION).expect("the module is valid");
    assert!(again == code, "the byte code must round-trip");
    table(&path, source, &mut context, &module, held, &code);
    drop((context, module, code));
    custom(&folder, ops);
    pack();
}

/// A function with everyday operations in custom form, and the number of its operations.
const FUNCTION: (&str, usize) = (
    "func.func @f(%t: tensor<?xf32>, %m: memref<?xf32>, %a: i32, %b: i32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.000000e+00 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %p = arith.addi %a, %b overflow<nsw> : i32
  %q = arith.muli %p, %b : i32
  %c = arith.cmpi slt, %p, %q : i32
  %s = arith.select %c, %p, %q : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = tensor.extract %t[%i] : tensor<?xf32>
    %y = math.absf %x fastmath<nnan> : f32
    %z = arith.addf %acc, %y : f32
    memref.store %z, %m[%i] : memref<?xf32>
    scf.yield %z : f32
  }
  scf.if %c {
    %l = memref.load %m[%c0] : memref<?xf32>
    memref.store %l, %m[%c1] : memref<?xf32>
  }
  %w = arith.trunci %s : i32 to i8
  return %sum : f32
}
",
    // `scf.if` ends with a terminator that the text omits.
    21,
);

/// Measures custom text: drrvm on the same module in custom and in generic form, and `mlir-opt` on the custom form.
fn custom(folder: &Path, ops: usize) {
    let count = ops / FUNCTION.1;
    let text: String = (0..count).map(|i| FUNCTION.0.replacen("@f", &format!("@f{i}"), 1)).collect();
    let read = |source: &SourceFile| {
        let mut context = Context::new();
        context.set_dialects(DialectFiles::new().shared());
        let module = parse_module(&mut context, source).expect("the text is well formed");
        (context, module)
    };
    let mut sources = SourceMap::default();
    let file = sources.add("custom.mlir", text).expect("the text fits");
    let (context, module) = read(sources.file(file));
    assert_eq!(module.op_count(), count * FUNCTION.1 + 1, "every operation and the module");
    let printed = fastest(3, || module.print(&context, PrintOptions::new()));
    let custom = module.print(&context, PrintOptions::new());
    let generic = module.print(&context, PrintOptions::new().generic(true));
    let path = folder.join(format!("custom_{ops}.mlir"));
    std::fs::write(&path, &custom).expect("the workload was written there");
    let [custom, generic] = [("custom.mlir", custom), ("generic.mlir", generic)]
        .map(|(name, text)| sources.add(name, text).expect("the text fits"));
    let [custom, generic] = [custom, generic].map(|file| sources.file(file));
    let (other, back) = read(generic);
    assert!(back.print(&other, PrintOptions::new().generic(true)) == **generic.text());
    drop((context, module, other, back));
    let verified = |source: &SourceFile| {
        fastest(3, || {
            let (context, module) = read(source);
            assert!(!verify(&context, &module).has_errors(), "the workload must be valid");
            (context, module)
        })
    };
    let (from_custom, from_generic) = (verified(custom), verified(generic));
    let theirs = reference(&path, "--mlir-print-local-scope");
    let seconds = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.3} s"));
    let row = |what: &str, ours: Duration, theirs: Option<f64>| {
        let ours = ours.as_secs_f64();
        let factor = theirs.map_or("-".to_owned(), |theirs| format!("{:.1}", theirs / ours));
        eprintln!("| {what} | {} | {} | {factor} |", seconds(Some(ours)), seconds(theirs));
    };
    let (ops, bytes) = (count * FUNCTION.1, custom.text().len());
    eprintln!(
        "| {ops} operations, {:.1} MB | drrvm | mlir-opt-22 | factor |\n|---|---|---|---|",
        bytes as f64 / 1e6
    );
    row("parse custom text and verify", from_custom, theirs.as_ref().map(|theirs| theirs.parse));
    row("parse generic text and verify", from_generic, None);
    row("print custom text", printed, theirs.as_ref().map(|theirs| theirs.print));
    eprintln!(
        "custom text takes {:.2} times as long as generic text",
        from_custom.as_secs_f64() / from_generic.as_secs_f64()
    );
}

/// Measures the time to open a pack of MLIR's dialects, and to load three large dialects from it. The goal is 5 ms.
fn pack() {
    let headers = Path::new("/usr/lib/llvm-22/include");
    if !headers.is_dir() {
        eprintln!("skipped: the headers of MLIR are not installed, so no pack is measured");
        return;
    }
    let bytes = DialectFiles::new().path(headers).pack().expect("MLIR's definitions are valid");
    let load = |dialects: &[&str]| {
        let time = fastest(10, || {
            let pack = DialectPack::from_bytes(bytes.clone()).expect("the pack is valid");
            let mut context = Context::new();
            context.set_dialects(Arc::new(pack));
            for name in dialects {
                assert!(context.load_dialect(name).expect("the dialect is valid"), "{name}");
            }
            context
        });
        time.as_secs_f64() * 1e3
    };
    eprintln!(
        "a pack of {:.1} MB opens in {:.2} ms, and in {:.2} ms with the dialects linalg, vector and gpu",
        bytes.len() as f64 / 1e6,
        load(&[]),
        load(&["linalg", "vector", "gpu"])
    );
}

/// Returns the shortest time of several runs.
fn fastest<T>(runs: usize, mut run: impl FnMut() -> T) -> Duration {
    let times = (0..runs).map(|_| {
        let start = Instant::now();
        let result = run();
        let time = start.elapsed();
        drop(black_box(result));
        time
    });
    times.min().unwrap_or_default()
}

/// Returns the resident memory of the process in bytes, if the system reports it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(1024 * line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?)
}

/// Prints the best times of drrvm and of MLIR in one table. MLIR's times come from `--mlir-timing`. MLIR's parser also
/// verifies, so drrvm is measured with and without verification.
fn table(
    path: &Path,
    source: &SourceFile,
    context: &mut Context,
    module: &Module,
    held: Option<u64>,
    code: &[u8],
) {
    let ops = module.op_count() as f64;
    let bytes = source.text().len() as f64;
    let parse = fastest(3, || read(source));
    let verified = fastest(3, || {
        let (context, module) = read(source);
        assert!(!verify(&context, &module).has_errors(), "the workload must be valid");
        (context, module)
    });
    let options = PrintOptions::new().generic(true);
    let print = fastest(3, || module.print(context, options));
    let walk = fastest(5, || walk(module));
    let decode = fastest(3, || {
        let (context, module) = read_bytecode(code);
        assert!(!verify(&context, &module).has_errors(), "the workload must be valid");
        (context, module)
    });
    let encode = fastest(3, || mlirbc::write(context, module, mlirbc::VERSION));
    let theirs = reference(path, "--mlir-print-op-generic");
    let binary = path.with_extension("mlirbc");
    std::fs::write(&binary, code).expect("the workload was written there");
    let binary = reference(&binary, "--emit-bytecode");
    let seconds = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.3} s"));
    let row = |what: &str, ours: f64, theirs: Option<f64>| {
        let factor = theirs.map_or("-".to_owned(), |theirs| format!("{:.1}", theirs / ours));
        eprintln!("| {what} | {} | {} | {factor} |", seconds(Some(ours)), seconds(theirs));
    };
    eprintln!(
        "| {ops} operations, {:.1} MB | drrvm | mlir-opt-22 | factor |\n|---|---|---|---|",
        bytes / 1e6
    );
    row("parse", parse.as_secs_f64(), None);
    row("parse and verify", verified.as_secs_f64(), theirs.as_ref().map(|theirs| theirs.parse));
    row("print, generic", print.as_secs_f64(), theirs.as_ref().map(|theirs| theirs.print));
    row("read byte code and verify", decode.as_secs_f64(), binary.as_ref().map(|theirs| theirs.parse));
    row("write byte code", encode.as_secs_f64(), binary.as_ref().map(|theirs| theirs.print));
    eprintln!(
        "printed {:.2} GB/s; walked {:.2} ns per operation",
        bytes / print.as_secs_f64() / 1e9,
        walk.as_secs_f64() * 1e9 / ops
    );
    if let Some(held) = held {
        eprintln!("{:.0} bytes of resident memory per operation, without the text", held as f64 / ops);
    }
    if let Some(peak) = theirs.and_then(|theirs| theirs.peak) {
        eprintln!(
            "mlir-opt-22: {:.0} bytes of peak memory per operation, without the text",
            (peak - bytes) / ops
        );
    }
}

/// The figures of MLIR.
struct Reference {
    parse: f64,
    print: f64,
    /// The peak memory in bytes.
    peak: Option<f64>,
}

/// Runs `mlir-opt-22` three times with a flag for its output, and returns the best times.
fn reference(path: &Path, flag: &str) -> Option<Reference> {
    let mut best: Option<Reference> = None;
    for _ in 0..3 {
        // GNU time reports the peak memory of a program.
        let flags = ["--allow-unregistered-dialect", flag, "-o", "/dev/null", "--mlir-timing"];
        let mut command = Command::new("/usr/bin/time");
        command.args(["-f", "peak %M", "mlir-opt-22"]);
        if !Path::new("/usr/bin/time").exists() {
            command = Command::new("mlir-opt-22");
        }
        let output = match command.args(flags).arg("--mlir-timing-display=list").arg(path).output() {
            Ok(output) if output.status.success() => output,
            // GNU time also runs without `mlir-opt-22`, and reports that it is missing.
            Ok(output) => {
                eprintln!("skipped: mlir-opt-22 failed: {}", String::from_utf8_lossy(&output.stderr));
                return None;
            }
            Err(_) => {
                eprintln!("skipped: mlir-opt-22 is not on the path");
                return None;
            }
        };
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = |line: &str| line.split_whitespace().next()?.parse::<f64>().ok();
        let seconds = |name: &str| text.lines().find(|line| line.trim_end().ends_with(name)).and_then(first);
        let peak = text.lines().find_map(|line| line.strip_prefix("peak ")?.trim().parse::<f64>().ok());
        let run = Reference {
            parse: seconds("Parser")?,
            print: seconds("Output")?,
            peak: peak.map(|kb| kb * 1024.0),
        };
        best = Some(match best {
            Some(best) => Reference {
                parse: best.parse.min(run.parse),
                print: best.print.min(run.print),
                peak: best.peak.zip(run.peak).map(|(best, run)| best.min(run)),
            },
            None => run,
        });
    }
    best
}

criterion_group!(benches, ir);
criterion_main!(benches);

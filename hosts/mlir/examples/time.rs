//! Times rewriting a module of MLIR with drrvm, through the C interface, beside MLIR's own engine for
//! `pdl` on the same IR: `cargo run --release --example time -- IR.mlir RULES.mlir [ROUNDS]`.
//!
//! Both start from the same text, parsed anew each round and outside the time; the number of operations
//! that are left must agree, or there is no figure. A walk that asks each operation's name and first
//! operand's definition tells what the C interface itself costs.

#[cfg(not(mlir))]
fn main() {
    println!("MLIR 22 is not installed: nothing to time");
}

#[cfg(mlir)]
fn main() {
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use drrvm::compile;
    use drrvm::host::{Ir, IrMut, Natives, NoListener, WalkOrder};
    use drrvm::rewrite::{Config, apply_greedily};
    use drrvm::source::SourceMap;
    use drrvm::vm::{LinkOptions, Matcher};
    use drrvm_mlir::{MlirHost, MlirPatterns};

    let args: Vec<_> = std::env::args().skip(1).collect();
    let (Some(ir), Some(rules)) = (args.first(), args.get(1)) else {
        eprintln!("usage: time IR.mlir RULES.mlir [ROUNDS]");
        std::process::exit(2);
    };
    let rounds = args.get(2).and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let text = std::fs::read_to_string(ir).expect("the IR can be read");
    let patterns = std::fs::read_to_string(rules).expect("the rules can be read");

    let mut sources = SourceMap::default();
    let loaded = compile::rules(&mut sources, &[PathBuf::from(rules)], &compile::Options::default());
    let (set, _) = loaded.unwrap_or_else(|errors| panic!("{errors:?}"));
    let program = Arc::new(compile::program(&set).unwrap_or_else(|errors| panic!("{errors:?}")));

    let count = |host: &MlirHost| {
        let mut count = 0u64;
        host.walk(host.top(), WalkOrder::Pre, &mut |_| count += 1);
        count
    };
    let mut times: [Vec<Duration>; 3] = Default::default();
    let mut ops = 0;
    for _ in 0..rounds {
        let mut host = MlirHost::parse(&text).expect("MLIR reads the IR");
        ops = count(&host);
        let top = host.top();
        let start = Instant::now();
        let mut touched = 0u64;
        host.walk(top, WalkOrder::Pre, &mut |op| {
            let defined = host.operand_count(op) > 0 && host.defining_op(host.operand(op, 0)).is_some();
            touched += u64::from(host.op_name(op).raw() != 0) + u64::from(defined);
        });
        std::hint::black_box(touched);
        times[0].push(start.elapsed());

        let linked = Matcher::link(Arc::clone(&program), &mut host, &Natives::new(), &LinkOptions::default());
        let matcher = linked.unwrap_or_else(|error| panic!("{:?}", error.diagnostics()));
        let start = Instant::now();
        let config = Config::default().unique_constants(false);
        let report = apply_greedily(&mut host, top, &matcher, &config, &mut NoListener);
        times[1].push(start.elapsed());
        assert!(report.not_converged.is_none() && host.verify());

        let mut own = MlirHost::parse(&text).expect("MLIR reads the IR");
        let native = MlirPatterns::compile(&own, &patterns).expect("MLIR reads the rules");
        let start = Instant::now();
        assert!(native.apply(&mut own), "MLIR's driver converges");
        times[2].push(start.elapsed());
        assert_eq!(count(&host), count(&own), "the engines leave as many operations");
    }
    for (name, times) in
        ["walk through the C interface", "drrvm, greedy", "MLIR's PDL, greedy"].iter().zip(&mut times)
    {
        times.sort();
        let median = times[times.len() / 2];
        let (least, most) = (times[0], times[times.len() - 1]);
        let per_op = median.as_secs_f64() * 1e9 / ops as f64;
        println!(
            "{name}: {per_op:.0} ns an operation (median of {rounds}; {least:.2?} to {most:.2?} for {ops})"
        );
    }
}

//! Compares drrvm on MLIR's own IR objects, through MLIR's C interface, with MLIR's own engine for `pdl`, on the
//! same modules: `cargo run --release --example time -- RULES IR... [--rounds N]`.
//!
//! RULES are DRR (`.td`) or `pdl` (`.mlir`). drrvm runs all of them. Rules without native calls, which `pdl` can
//! express completely, run on both sides; MLIR gets the `pdl` text that drrvm prints. IR files are split at `//
//! -----`; modules that MLIR rejects are skipped and counted.
//!
//! Each run parses the same text before the measurement, and MLIR's driver removes dead operations. Both sides
//! must end with equal numbers of operations. The number of modules with equal text is printed, because MLIR's
//! byte code orders rules of equal benefit differently. A walk that reads each operation's name and the producer
//! of its first operand measures the cost of the C interface itself.

#[cfg(not(mlir))]
fn main() {
    println!("skipped: MLIR 22 is not installed");
}

#[cfg(mlir)]
fn main() {
    timing::main();
}

#[cfg(mlir)]
mod timing {
    use std::collections::BTreeMap;
    use std::hint::black_box;
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use drrvm::Program;
    use drrvm::compile;
    use drrvm::host::{Ir, NoListener, WalkOrder};
    use drrvm::natives;
    use drrvm::pdl::{self, RuleSet};
    use drrvm::rewrite::{Config, apply_greedily};
    use drrvm::source::SourceMap;
    use drrvm::vm::{LinkOptions, Matcher};
    use drrvm_mlir::{MlirHost, MlirPatterns};

    /// The times of a round, in the order of the table.
    type Sums = BTreeMap<(usize, &'static str), Duration>;

    /// The totals of all modules.
    #[derive(Default)]
    struct Tally {
        ops: u64,
        rewrites: u64,
        /// The number of modules that end with equal text on both sides.
        same: u64,
    }

    /// The rules for both sides.
    struct Rules {
        /// All rules, if some have native calls.
        calling: Option<Arc<Program>>,
        /// The rules without native calls, if there are any: the program, and `pdl` text for MLIR.
        plain: Option<(Arc<Program>, String)>,
    }

    pub fn main() {
        let mut args: Vec<String> = std::env::args().skip(1).collect();
        let mut rounds = 5;
        if let Some(at) = args.iter().position(|arg| arg == "--rounds") {
            let count = args.get(at + 1).and_then(|count| count.parse().ok()).filter(|&count| count > 0);
            rounds = count.unwrap_or_else(|| usage());
            args.drain(at..at + 2);
        }
        let Some((rules, files)) = args.split_first().filter(|(_, files)| !files.is_empty()) else { usage() };
        let rules = read_rules(rules);
        let modules = modules(files);

        let mut times: BTreeMap<(usize, &str), Vec<Duration>> = BTreeMap::new();
        let mut tally = Tally::default();
        for _ in 0..rounds {
            let mut sums = Sums::new();
            tally = Tally::default();
            modules.iter().for_each(|text| round(text, &rules, &mut sums, &mut tally));
            sums.into_iter().for_each(|(what, sum)| times.entry(what).or_default().push(sum));
        }
        let Tally { ops, rewrites, same } = tally;
        println!("{} modules, {ops} operations, {rewrites} rewrites", modules.len());
        if rules.plain.is_some() {
            println!(
                "{same} modules end with equal text on both sides, all with equal numbers of operations"
            );
        }
        println!();
        println!("| median of {rounds} | ns per operation | total | minimum, maximum |\n|---|---|---|---|");
        for ((_, name), mut times) in times {
            times.sort();
            let median = times[times.len() / 2];
            let per_op = median.as_secs_f64() * 1e9 / ops as f64;
            println!(
                "| {name} | {per_op:.0} | {median:.2?} | {:.2?}, {:.2?} |",
                times[0],
                times[times.len() - 1]
            );
        }
    }

    fn usage() -> ! {
        eprintln!("usage: time RULES.td|RULES.mlir IR.mlir... [--rounds N]");
        std::process::exit(2);
    }

    fn read_rules(file: &str) -> Rules {
        let load = |disable| {
            let options = compile::Options { disable, ..compile::Options::default() };
            let loaded = compile::rules(&mut SourceMap::default(), &[PathBuf::from(file)], &options);
            loaded.unwrap_or_else(|errors| panic!("{errors:?}")).0
        };
        let program =
            |rules: &RuleSet| Arc::new(compile::program(rules).unwrap_or_else(|errors| panic!("{errors:?}")));
        let all = load(Vec::new());
        let printed = pdl::print(&all);
        let calling = printed.split("pdl.pattern @").skip(1).filter(|rule| rule.contains("pdl.apply_native"));
        let name =
            |rule: &str| rule.split([' ', ':']).next().unwrap_or_default().trim_matches('"').to_owned();
        let calling: Vec<String> = calling.map(name).collect();
        let (count, calls) = (all.patterns().len(), calling.len());
        println!("{count} rules; {calls} have native calls and are only timed with drrvm");
        let plain = load(calling);
        let plain = (!plain.patterns().is_empty()).then(|| (program(&plain), pdl::print(&plain)));
        Rules { calling: (calls > 0).then(|| program(&all)), plain }
    }

    /// Reads the modules of some files and removes dead operations.
    fn modules(files: &[String]) -> Vec<String> {
        let (mut modules, mut unread) = (Vec::new(), 0);
        for file in files {
            let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
            for chunk in text.split("// -----") {
                match MlirHost::parse(chunk) {
                    Some(mut host) => {
                        clean(&mut host);
                        modules.push(host.print());
                    }
                    None => unread += 1,
                }
            }
        }
        println!("{unread} modules were rejected");
        modules
    }

    /// Removes dead operations with MLIR's driver.
    fn clean(host: &mut MlirHost) {
        let nothing = MlirPatterns::none(host);
        assert!(nothing.apply(host), "the driver must converge");
    }

    /// Measures both sides on one module.
    fn round(text: &str, rules: &Rules, sums: &mut Sums, tally: &mut Tally) {
        let mut host = parse(text);
        let top = host.top();
        tally.ops += count(&host);
        timed(sums, (0, "a walk through the C interface"), || {
            let mut touched = 0u64;
            host.walk(top, WalkOrder::Pre, &mut |op| {
                let defined = host.operand_count(op) > 0 && host.defining_op(host.operand(op, 0)).is_some();
                touched += u64::from(host.op_name(op).raw() != 0) + u64::from(defined);
            });
            black_box(touched)
        });
        let mut rewrites = 0;
        if let Some(program) = &rules.calling {
            rewrites =
                ours(&mut host, program, sums, [(1, "all rules: linking"), (2, "all rules: drrvm, greedy")]);
        }
        let Some((program, pdl)) = &rules.plain else {
            tally.rewrites += rewrites;
            return;
        };

        let mut host = parse(text);
        let plain = [(3, "plain rules: linking"), (4, "plain rules: drrvm, greedy")];
        rewrites = rewrites.max(ours(&mut host, program, sums, plain));
        let mut own = parse(text);
        let patterns = timed(sums, (5, "plain rules: MLIR compiles them"), || {
            MlirPatterns::compile(&own, pdl).expect("MLIR reads the rules")
        });
        let converged = timed(sums, (6, "plain rules: MLIR's PDL, greedy"), || patterns.apply(&mut own));
        assert!(converged, "MLIR's driver must converge");
        clean(&mut host);
        clean(&mut own);
        assert_eq!(count(&host), count(&own), "the numbers of operations differ");
        tally.same += u64::from(host.print() == own.print());
        tally.rewrites += rewrites;
    }

    fn count(host: &MlirHost) -> u64 {
        let mut count = 0;
        host.walk(host.top(), WalkOrder::Pre, &mut |_| count += 1);
        count
    }

    fn parse(text: &str) -> MlirHost {
        MlirHost::parse(text).expect("MLIR reads its own output")
    }

    /// Rewrites with drrvm; returns the number of rewrites.
    fn ours(
        host: &mut MlirHost,
        program: &Arc<Program>,
        sums: &mut Sums,
        what: [(usize, &'static str); 2],
    ) -> u64 {
        let matcher = timed(sums, what[0], || {
            Matcher::link(Arc::clone(program), host, &natives::all(), &LinkOptions::default())
                .unwrap_or_else(|error| panic!("{error}"))
        });
        let config = Config::default().unique_constants(false);
        let top = host.top();
        let report = timed(sums, what[1], || apply_greedily(host, top, &matcher, &config, &mut NoListener));
        assert!(report.not_converged.is_none() && host.verify());
        report.rewrites
    }

    fn timed<T>(sums: &mut Sums, what: (usize, &'static str), run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = run();
        *sums.entry(what).or_default() += start.elapsed();
        done
    }
}

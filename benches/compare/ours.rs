//! Makes one measurement of drrvm and returns it as JSON.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use drrvm::host::Id;
use drrvm::host::{Bind, Facets, Ir, Listener, Natives, NoListener};
use drrvm::internal::bytecode::{self, Program, Section};
use drrvm::internal::pdl::ReferenceMatcher;
use drrvm::ir::{Context, IrHost, OpSpec, parse_module};
use drrvm::pdl::RuleSet;
use drrvm::rewrite;
use drrvm::source::SourceMap;
use drrvm::vm::{Automaton, AutomatonCache, Engine, LinkOptions, Matcher};
use serde_json::{Value, json};

use crate::workload::allocations::Counting;
use crate::workload::flat::Flat;
use crate::workload::{self, definition, rules};

#[global_allocator]
static MEMORY: Counting = Counting::new();

/// The parameters of a measurement.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// `walk`, `first`, `all`, `compile`, `greedy`, `in-walk` or `incremental` (engines `first` and `again`).
    pub mode: String,
    /// `tree`, `automaton` (labels are computed in each round), `labelled` (labels and tables are kept), `cold`
    /// (neither is kept), `auto` (as `automaton`, with the automatic engine) or `reference`.
    pub engine: String,
    /// `flat` tables, the built-in `ir`, or `td` for the built-in IR and the same rules from `.td`.
    pub host: String,
    /// `20k`, `100k`, `1m`, or `idle` for the operations of flat tables at which no rule starts.
    pub ops: String,
    /// The number of rules.
    pub rules: usize,
    /// The number of rounds.
    pub rounds: usize,
}

/// The number of operations on which the reference matcher runs, as the oracle of other engines and as a measured
/// engine. The reference matcher is too slow for the whole workload.
pub const SAMPLE: usize = 2_000;

pub fn rule_set(set: char, count: usize) -> RuleSet {
    let folder = workload::folder().expect("the workload can be written");
    let text = match count {
        0..=4000 => std::fs::read_to_string(folder.join(format!("patterns_{set}_4000.txt"))),
        _ => std::fs::read_to_string(workload::many_rules(count).expect("the workload can be written")),
    };
    rules::read(&text.expect("the workload is complete"), count)
}

/// The rules to match, from `.td`.
fn rule_set_of_td(count: usize) -> RuleSet {
    let folder = workload::folder().expect("the workload can be written");
    let text = definition::drr(&definition::matched(count, workload::seed()), 0);
    let mut sources = SourceMap::default();
    let file = sources.add("rules.td", text).expect("the rules fit a file");
    let options = drrvm::compile::Options { include_dirs: vec![folder], ..Default::default() };
    let (rules, loaded) = drrvm::compile::load_added(&mut sources, &[file], &options);
    assert!(!loaded.diagnostics.has_errors(), "the workload's rules are valid");
    rules
}

pub fn compile(rules: &RuleSet) -> Program {
    drrvm::compile::program(rules).expect("the rules compile")
}

/// Reads a module of the workload; returns it with its operations in order.
pub fn built_in(name: &str) -> (IrHost, Vec<drrvm::ir::OpId>) {
    read_ir(&workload::folder().expect("the workload can be written").join(name))
}

/// Reads a module; returns it with its operations in order.
pub fn read_ir(path: &Path) -> (IrHost, Vec<drrvm::ir::OpId>) {
    let mut sources = SourceMap::default();
    let file = sources.load(path).expect("the file exists");
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).expect("the IR parses");
    let host = IrHost::new(context, module);
    let ops = host.module.preorder(host.module.top()).skip(1).collect();
    (host, ops)
}

pub fn flat(ops: &str) -> (Flat, Vec<u32>) {
    let host = match ops {
        "idle" => Flat::idle(100_000),
        _ => {
            let path =
                workload::folder().expect("the workload can be written").join(format!("ir_{ops}.mlir"));
            Flat::read(&std::fs::read_to_string(path).expect("the workload is complete"))
        }
    };
    let mut all: Vec<u32> = host.ops().collect();
    if ops == "idle" {
        all.retain(|&op| host.is_idle(op));
    }
    (host, all)
}

/// Runs one measurement.
///
/// # Panics
/// Panics on a wrong number of matches.
pub fn run(what: &Measurement) -> Value {
    match (what.mode.as_str(), what.host.as_str()) {
        ("compile", _) => compiling(what),
        ("greedy" | "in-walk", _) => rewriting(what),
        ("incremental", _) => incremental(what),
        (_, "flat") => {
            let (mut host, ops) = flat(&what.ops);
            matching(what, &mut host, &ops, &rule_set('m', what.rules), &Natives::new())
        }
        (_, host) => {
            let rules = if host == "td" { rule_set_of_td(what.rules) } else { rule_set('m', what.rules) };
            let (mut host, ops) = built_in(&format!("ir_{}.mlir", what.ops));
            matching(what, &mut host, &ops, &rules, &Natives::new())
        }
    }
}

fn compiling(what: &Measurement) -> Value {
    let rules = rule_set('m', what.rules);
    let mut times = Vec::new();
    let (mut memory, mut program) = (0, None);
    for _ in 0..what.rounds {
        let start = Instant::now();
        let (compiled, _, grown) = MEMORY.during(|| compile(&rules));
        times.push(start.elapsed().as_secs_f64() * 1e3);
        (memory, program) = (grown, Some(compiled));
    }
    let program = program.expect("at least one round");
    let bytes = program.to_bytes(&SourceMap::default());
    let mut loads: Vec<f64> = (0..what.rounds)
        .map(|_| {
            let start = Instant::now();
            let loaded = Program::from_bytes(&bytes, &mut SourceMap::default());
            let time = start.elapsed().as_secs_f64() * 1e3;
            black_box(loaded.expect("the written program loads"));
            time
        })
        .collect();
    let sections = bytecode::section_sizes(&bytes).expect("the program is complete");
    let (beside, code): (Vec<_>, Vec<_>) =
        sections.into_iter().partition(|(section, _)| section.is_auxiliary());
    let bytes_a_rule = |sections: &[(Section, usize)]| {
        sections.iter().map(|&(_, size)| size).sum::<usize>() as f64 / what.rules as f64
    };
    json!({ "engine": what.engine, "rules": what.rules, "compile_ms": spread(&mut times),
            "memory_mb": memory as f64 / 1e6, "words": program.code().len(), "file_bytes": bytes.len(),
            "bytes_a_rule": bytes_a_rule(&code), "beside_a_rule": bytes_a_rule(&beside),
            "load_ms": spread(&mut loads) })
}

fn rewriting(what: &Measurement) -> Value {
    let rules = rule_set('r', what.rules);
    let (mut host, ops) = built_in(&format!("ir_{}.mlir", what.ops));
    let natives = Natives::new();
    let matcher = Matcher::link(Arc::new(compile(&rules)), &mut host, &natives, &LinkOptions::default());
    let matcher = matcher.expect("the workload has no natives");
    let (mut times, mut rewrites, mut made) = (Vec::new(), 0, 0);
    for _ in 0..what.rounds {
        let mut copy = host.clone();
        let root = copy.module.top();
        let start = Instant::now();
        let report = match what.mode.as_str() {
            "greedy" => {
                rewrite::apply_greedily(&mut copy, root, &matcher, &Default::default(), &mut NoListener)
            }
            _ => rewrite::apply_in_walk(&mut copy, root, &matcher, &mut NoListener),
        };
        times.push(start.elapsed().as_nanos() as f64 / ops.len() as f64);
        rewrites = report.rewrites;
        let fused = |op: &drrvm::ir::OpId| copy.op_name_text(copy.op_name(*op)).starts_with("t.fused");
        made = copy.module.preorder(root).filter(fused).count();
    }
    json!({ "engine": what.engine, "ops": ops.len(), "ns_per_op": spread(&mut times), "matches": made, "rewrites": rewrites })
}

/// The number of operations per change: one of this many operations changes between two runs of the incremental driver.
const OPS_PER_CHANGE: usize = 1000;

/// Measures the first run of the incremental driver. With the engine `again`, measures a run after changes instead,
/// including the notifications of the changes.
fn incremental(what: &Measurement) -> Value {
    let rules = rule_set('r', what.rules);
    let (original, ops) = built_in(&format!("ir_{}.mlir", what.ops));
    let (mut times, mut rewrites, mut visited) = (Vec::new(), 0, 0);
    for _ in 0..what.rounds {
        let mut host = original.clone();
        let natives = Natives::new();
        let matcher = Matcher::link(Arc::new(compile(&rules)), &mut host, &natives, &LinkOptions::default());
        let automaton = Automaton::new(matcher.expect("the workload has no natives"));
        let config = rewrite::Config::default();
        let mut driver = rewrite::Incremental::new(&automaton, config.clone());
        let root = host.module.top();
        let start = Instant::now();
        let mut report = driver.run(&mut host, root, &mut NoListener);
        let mut time = start.elapsed();
        if what.engine == "again" {
            let changes = change(&mut host);
            let mut other = host.clone();
            let start = Instant::now();
            for change in changes {
                match change {
                    Change::Created(op) => driver.created(&host, op),
                    Change::Modified(op) => driver.modified(&host, op),
                }
            }
            report = driver.run(&mut host, root, &mut NoListener);
            time = start.elapsed();
            rewrite::apply_greedily(&mut other, root, &automaton, &config, &mut NoListener);
            let print = |host: &IrHost| host.module.print(&host.context, Default::default());
            assert!(print(&host) == print(&other), "a run from nothing gives another result");
            assert!(report.rewrites > 0, "the changes must make rules match");
        }
        (rewrites, visited) = (report.rewrites, report.visited);
        times.push(time.as_nanos() as f64 / ops.len() as f64);
    }
    json!({ "engine": what.engine, "ops": ops.len(), "ns_per_op": spread(&mut times), "rewrites": rewrites,
            "visited": visited })
}

/// A change that the incremental driver must be notified of.
enum Change {
    Created(drrvm::ir::OpId),
    Modified(drrvm::ir::OpId),
}

/// Changes one of every [`OPS_PER_CHANGE`] operations. Alternately sets the operation's attribute and adds a user.
fn change(host: &mut IrHost) -> Vec<Change> {
    let ops: Vec<_> = host.module.preorder(host.module.top()).skip(1).step_by(OPS_PER_CHANGE).collect();
    let (value, name) = (host.bind_attr_name("value"), host.bind_op_name("t.op1"));
    let body = host.module.body();
    let change = |(i, op)| {
        let constant = host.context.parse_attr(&format!("{} : i32", i % 2)).expect("an attribute");
        let properties = host.context.dictionary(&mut vec![(value, constant)]);
        if i % 2 == 0 {
            host.module.set_properties(op, properties);
            return Change::Modified(op);
        }
        let operand = host.module.result(op, 0);
        let (operands, types) = ([operand], [host.module.value_type(operand)]);
        let mut new = OpSpec::new(name).operands(&operands).results(&types);
        new.properties = properties;
        let new = host.module.create(&new);
        host.module.append(body, new);
        Change::Created(new)
    };
    ops.into_iter().enumerate().map(change).collect()
}

/// Measures matching with the given rules.
pub fn matching<H: Facets + Bind>(
    what: &Measurement,
    host: &mut H,
    ops: &[H::Op],
    rules: &RuleSet,
    natives: &Natives<H>,
) -> Value {
    let mut times = Vec::new();
    let mut timed = |host: &H, ops: &[H::Op], each: &mut dyn FnMut(&H, &[H::Op])| {
        for _ in 0..what.rounds {
            let start = Instant::now();
            each(host, ops);
            times.push(start.elapsed().as_nanos() as f64 / ops.len() as f64);
        }
    };
    if what.mode == "walk" {
        timed(host, ops, &mut |host, ops| {
            black_box(bare_walk(host, ops));
        });
        return json!({ "engine": what.engine, "ops": ops.len(), "ns_per_op": spread(&mut times) });
    }
    let matcher = Matcher::link(Arc::new(compile(rules)), host, natives, &LinkOptions::default());
    let matcher = Arc::new(matcher.expect("the rules link"));
    let reference = ReferenceMatcher::new(rules, host, natives).expect("the rules link");
    let (first, all) = match what.engine.as_str() {
        "automaton" | "labelled" | "cold" => {
            check(what, host, ops, rules, &Automaton::new(matcher.clone()), &reference)
        }
        "auto" => check(what, host, ops, rules, &Automaton::new(matcher.clone()).automatic(), &reference),
        _ => check(what, host, ops, rules, &*matcher, &reference),
    };
    match (what.engine.as_str(), what.mode.as_str()) {
        ("reference", _) => timed(host, &ops[..ops.len().min(SAMPLE)], &mut |host, ops| {
            for &op in ops {
                black_box(reference.matches(host, op).next());
            }
        }),
        (engine @ ("automaton" | "labelled" | "cold" | "auto"), mode) => {
            let automaton = match engine {
                "auto" => Automaton::new(matcher.clone()).automatic(),
                _ => Automaton::new(matcher.clone()),
            };
            let mut cache = automaton.cache();
            // The first sweep builds the tables; `cold` discards them before each round.
            sweep(&automaton, host, ops, mode, &mut cache);
            timed(host, ops, &mut |host, ops| {
                match what.engine.as_str() {
                    "cold" => cache = automaton.cache(),
                    "automaton" | "auto" => AutomatonCache::forget_labels(&mut cache),
                    _ => {}
                }
                sweep(&automaton, host, ops, mode, &mut cache);
            });
        }
        (_, mode) => {
            let mut cache = matcher.cache();
            timed(host, ops, &mut |host, ops| sweep(&*matcher, host, ops, mode, &mut cache));
        }
    }
    json!({ "engine": what.engine, "ops": ops.len(), "ns_per_op": spread(&mut times), "matches": first.values().sum::<u64>(),
            "all_matches": all, "by_rule": first })
}

/// Does the minimal work of any engine: reads the name of each operation, and the name of the operation that defines
/// its first operand.
pub fn bare_walk<H: Ir>(host: &H, ops: &[H::Op]) -> u32 {
    ops.iter().fold(0, |sum, &op| {
        let first = (host.operand_count(op) > 0).then(|| host.defining_op(host.operand(op, 0))).flatten();
        sum.wrapping_add(host.op_name(op).raw()).wrapping_add(first.map_or(0, |op| host.op_name(op).raw()))
    })
}

/// Matches each operation once: finds all its matches in the mode `all`, and otherwise the first match.
pub fn sweep<H: Facets, E: Engine<H>>(engine: &E, host: &H, ops: &[H::Op], mode: &str, cache: &mut E::Cache) {
    if mode == "all" {
        for &op in ops {
            let mut matched = engine.match_first(host, op, cache);
            while matched.is_some() {
                matched = black_box(engine.next_match(host, cache));
            }
        }
    } else {
        for &op in ops {
            black_box(engine.match_first(host, op, cache));
        }
    }
}

/// Checks the number of matches of each rule against the true number. If the true numbers are not known, compares with
/// the reference matcher on the first [`SAMPLE`] operations. Returns two results: a map from each rule to the number of
/// operations whose first match is a match of this rule, and the total number of matches of all rules.
pub fn check<H: Facets + Bind, E: Engine<H>>(
    what: &Measurement,
    host: &H,
    ops: &[H::Op],
    rules: &RuleSet,
    engine: &E,
    reference: &ReferenceMatcher<'_, H>,
) -> (BTreeMap<String, u64>, u64) {
    let count = |ops: &[H::Op]| {
        let (mut counts, mut first) = (vec![0u64; rules.patterns().len()], BTreeMap::new());
        let mut cache = engine.cache();
        for &op in ops {
            let mut matched = engine.match_first(host, op, &mut cache);
            if let Some(pattern) = matched {
                let name = &rules.strings()[rules.patterns()[pattern].name];
                *first.entry(name.to_owned()).or_insert(0) += 1;
            }
            while let Some(pattern) = matched {
                counts[pattern.index()] += 1;
                matched = engine.next_match(host, &mut cache);
            }
        }
        (counts, first)
    };
    let (counts, first) = count(ops);
    match workload::expected(&what.ops, what.rules) {
        Some(expected) => assert_eq!(counts, expected, "{what:?}: wrong numbers of matches"),
        None => {
            let sample = &ops[..ops.len().min(SAMPLE)];
            let mut expected = vec![0u64; rules.patterns().len()];
            for &op in sample {
                reference.matches(host, op).for_each(|found| expected[found.pattern.index()] += 1);
            }
            assert_eq!(count(sample).0, expected, "{what:?}: the reference matcher finds other matches");
        }
    }
    (first, counts.iter().sum())
}

/// Returns median, minimum and maximum.
pub fn spread(times: &mut [f64]) -> Value {
    times.sort_by(f64::total_cmp);
    let (first, last) = (times.first().copied(), times.last().copied());
    json!({ "median": times.get(times.len() / 2), "min": first, "max": last })
}

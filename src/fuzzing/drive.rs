//! Fuzz targets that run random rules on IR that is generated for these rules: engines agree, and drivers terminate.

use std::sync::Arc;

use crate::bytecode::Program;
use crate::compile;
use crate::equivalence::{self, IrGenerator, Random, engines_agree};
use crate::host::{Natives, NoListener};
use crate::ir::{self, Context, IrHost, Module, OpId, PrintOptions};
use crate::pdl::RuleSet;
use crate::pdl::random::{self, Tape};
use crate::rewrite::{self, Config, Limit, Report, Strictness, Traversal};
use crate::source::SourceMap;
use crate::vm::{Automaton, Engine, LinkOptions, Matcher};

/// Interprets bytes as random rules. All engines must find the same matches and make the same rewrites on IR that is
/// generated for the rules.
pub fn engines(bytes: &[u8]) {
    engines_agree(bytes, 0, 8);
}

/// Interprets bytes as the configuration of a driver and random rules. Many of these rules undo each other or never
/// reach a fixed point. Every driver must stop within its bounds, and must give the same result with the tree and with
/// the automaton. If the IR reads back before a run, it must read back after the run. If the greedy driver reports
/// convergence, a second run must change nothing; `drive` states the exceptions.
pub fn termination(bytes: &[u8]) {
    let (choices, rules) = bytes.split_at(bytes.len().min(8));
    let rules = random::rewriting_rules(rules);
    let natives = random::natives(|_: &IrHost, ty| ty == Context::I32);
    drive_all(&rules, &natives, choices);
}

/// Runs the walking driver and both greedy drivers with the tree and with the automaton on a module generated for these
/// rules. Does nothing if the rules do not compile or link, or if no module can be generated for them.
pub(super) fn drive_all(rules: &RuleSet, natives: &Natives<IrHost>, choices: &[u8]) {
    let tape = &mut Tape::new(choices);
    let config = config(tape);
    let seed = u64::try_from(tape.draw(256)).unwrap_or_default();
    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    let how = equivalence::Config::default().seed(seed).instances(2).attempts(24);
    let Ok(generator) = IrGenerator::new(&[rules], &mut host, natives, &how) else { return };
    let Ok(program) = compile::program(rules) else { return };
    let bytes = program.to_bytes(&SourceMap::default());
    let program = Program::from_bytes(&bytes, &mut SourceMap::default()).expect("a written program is valid");
    let Ok(matcher) = Matcher::link(Arc::new(program), &mut host, natives, &LinkOptions::default()) else {
        return;
    };
    let matcher = Arc::new(matcher);
    generator.generate(seed, &mut host);
    if tape.chance(3) {
        make_a_cycle(&mut host, seed);
    }
    let by_tree = drive(&mut host.clone(), &*matcher, &config);
    let by_automaton = drive(&mut host, &Automaton::new(matcher), &config);
    assert_eq!(by_tree, by_automaton, "two engines give different results");
}

fn config(tape: &mut Tape<'_>) -> Config {
    let mut config = Config::default()
        .traversal(if tape.chance(2) { Traversal::TopDown } else { Traversal::BottomUp })
        .strictness(match tape.draw(4) {
            0 => Strictness::ExistingOps,
            1 => Strictness::ExistingAndNewOps,
            _ => Strictness::AnyOp,
        })
        .unique_constants(tape.chance(2))
        .max_sweeps([10, 0, 1, 3][tape.draw(4)]);
    // `None` selects the default bound, which is the most important one to test.
    config = config.max_rewrites([None, Some(0), Some(1), Some(100)][tape.draw(4)]);
    if tape.chance(4) {
        config = config.max_rewrites_per_sweep(Some(7));
    }
    config
}

/// Replaces the first operand of an operation by the first result of an arbitrary operation, which can come later or be
/// the same operation. Rules must also run on IR that does not verify.
fn make_a_cycle(host: &mut IrHost, seed: u64) {
    let mut random = Random::new(seed);
    let ops: Vec<OpId> = host.module.preorder(host.module.top()).collect();
    let Some(&user) = random.pick(&ops).filter(|&&op| host.module.operand_count(op) > 0) else { return };
    let Some(&def) = random.pick(&ops).filter(|&&op| host.module.result_count(op) > 0) else { return };
    let result = host.module.result(def, 0);
    host.module.set_operand(user, 0, result);
}

/// Runs each driver on the module or on a copy of it. Returns the resulting text and the counts of each driver.
fn drive<E: Engine<IrHost>>(host: &mut IrHost, engine: &E, config: &Config) -> Vec<String> {
    let root = host.module.top();
    let valid = reads_back(&text(host));
    let ops: Vec<OpId> = host.module.preorder(root).skip(1).collect();
    let mut done = Vec::new();

    let mut copy = host.clone();
    let report = rewrite::apply_in_walk(&mut copy, root, engine, &mut NoListener);
    assert!(report.visited <= ops.len() as u64, "a walk visits no operation twice");
    done.push(outcome(&copy, &report, valid));

    let mut copy = host.clone();
    let report = rewrite::apply_greedily_to(&mut copy, root, &ops, engine, config, &mut NoListener);
    in_bounds(&report, config, ops.len());
    done.push(outcome(&copy, &report, valid));

    let report = rewrite::apply_greedily(host, root, engine, config, &mut NoListener);
    in_bounds(&report, config, ops.len() + 1);
    done.push(outcome(host, &report, valid));
    // A second run must change nothing. This is not checked with `ExistingOps`, because the second run may change
    // operations that the first run created. It is also not checked with a limit on the rewrites of a sweep.
    let all = config.strictness != Strictness::ExistingOps && config.max_rewrites_per_sweep.is_none();
    if report.not_converged.is_none() && all {
        let again = rewrite::apply_greedily(host, root, engine, config, &mut NoListener);
        assert_eq!(
            (again.rewrites, again.folded, again.removed),
            (0, 0, 0),
            "the driver reported convergence, but a rule still applies"
        );
    }
    done
}

fn in_bounds(report: &Report, config: &Config, ops: usize) {
    let budget = config.max_rewrites.unwrap_or(10_000 + 8 * ops as u64);
    assert!(report.rewrites + report.folded <= budget.max(1), "{report:?}");
    let sweeps = config.max_sweeps.expect("every configuration has a bound");
    assert!(report.sweeps <= sweeps.max(1), "{report:?}");
    match report.not_converged.as_ref().map(|stopped| stopped.limit) {
        None => {}
        Some(Limit::Interrupt) => panic!("nothing interrupts the driver"),
        Some(Limit::Rewrites(limit)) => assert_eq!(limit, budget),
        Some(Limit::Sweeps(limit)) => assert_eq!((limit, report.sweeps), (sweeps, sweeps)),
    }
}

fn outcome(host: &IrHost, report: &Report, valid: bool) -> String {
    let text = text(host);
    // Random rules replace values by values of other types, so the rewritten IR need not verify.
    assert!(!valid || reads_back(&text), "the rewritten IR does not read back:\n{text}");
    let Report { rewrites, applied, refused, removed, folded, sweeps, .. } = report;
    format!("{rewrites} {applied:?} {refused} {removed} {folded} {sweeps}\n{text}")
}

/// True if the text parses as a module.
fn reads_back(text: &str) -> bool {
    let mut sources = SourceMap::default();
    let file = sources.add("again.mlir", text).expect("the text is small");
    ir::parse_module(&mut Context::new(), sources.file(file)).is_ok()
}

fn text(host: &IrHost) -> String {
    host.module.print(&host.context, PrintOptions::new().generic(true))
}

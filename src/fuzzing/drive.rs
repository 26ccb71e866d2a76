//! Random rules on IR that is made for them: engines agree, and drivers come to an end.

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

/// Bytes as random rules: all engines do the same with IR that is made for them.
pub fn engines(bytes: &[u8]) {
    engines_agree(bytes, 0, 8);
}

/// Bytes as a driver's configuration and random rules, most of which undo each other or go on for ever: every
/// driver stops within its bounds, leaves IR that can be written and read, and finds nothing left to do where it says so.
pub fn termination(bytes: &[u8]) {
    let (choices, rules) = bytes.split_at(bytes.len().min(8));
    let rules = random::rewriting_rules(rules);
    let natives = random::natives(|_: &IrHost, ty| ty == Context::I32);
    drive_all(&rules, &natives, choices);
}

/// Runs every driver and engine on a module made for these rules. Rules that do not compile are left alone.
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
    let program = Program::from_bytes(&bytes, &mut SourceMap::default()).expect("what is written is valid");
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
    assert_eq!(by_tree, by_automaton, "both engines come to the same");
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
    // The bound that nobody set is the one to trust.
    config = config.max_rewrites([None, Some(0), Some(1), Some(100)][tape.draw(4)]);
    if tape.chance(4) {
        config = config.max_rewrites_per_sweep(Some(7));
    }
    config
}

/// Lets an operation use what only a later one gives: rules are tried on IR that does not verify as well.
fn make_a_cycle(host: &mut IrHost, seed: u64) {
    let mut random = Random::new(seed);
    let ops: Vec<OpId> = host.module.preorder(host.module.top()).collect();
    let Some(&user) = random.pick(&ops).filter(|&&op| host.module.operand_count(op) > 0) else { return };
    let Some(&def) = random.pick(&ops).filter(|&&op| host.module.result_count(op) > 0) else { return };
    let result = host.module.result(def, 0);
    host.module.set_operand(user, 0, result);
}

/// What the drivers make of a module: its text and what was done.
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
    // What was made counts as existing the second time.
    let all = config.strictness != Strictness::ExistingOps && config.max_rewrites_per_sweep.is_none();
    if report.not_converged.is_none() && all {
        let again = rewrite::apply_greedily(host, root, engine, config, &mut NoListener);
        assert_eq!((again.rewrites, again.folded, again.removed), (0, 0, 0), "nothing was left to do");
    }
    done
}

fn in_bounds(report: &Report, config: &Config, ops: usize) {
    let budget = config.max_rewrites.unwrap_or(10_000 + 8 * ops as u64);
    assert!(report.rewrites + report.folded <= budget.max(1), "{report:?}");
    assert!(report.sweeps <= config.max_sweeps.max(1), "{report:?}");
    match report.not_converged.as_ref().map(|stopped| stopped.limit) {
        None => {}
        Some(Limit::Rewrites(limit)) => assert_eq!(limit, budget),
        Some(Limit::Sweeps(limit)) => {
            assert_eq!((limit, report.sweeps), (config.max_sweeps, config.max_sweeps))
        }
    }
}

fn outcome(host: &IrHost, report: &Report, valid: bool) -> String {
    let text = text(host);
    // Random rules put values in the place of values of other types: what they make need not verify.
    assert!(!valid || reads_back(&text), "what could be read cannot be any more\n{text}");
    let Report { rewrites, applied, refused, removed, folded, sweeps, .. } = report;
    format!("{rewrites} {applied:?} {refused} {removed} {folded} {sweeps}\n{text}")
}

/// Whether a module is read: every value is defined, once, and is what its uses say.
fn reads_back(text: &str) -> bool {
    let mut sources = SourceMap::default();
    let file = sources.add("again.mlir", text).expect("the text is small");
    ir::parse_module(&mut Context::new(), sources.file(file)).is_ok()
}

fn text(host: &IrHost) -> String {
    host.module.print(&host.context, PrintOptions::new().generic(true))
}

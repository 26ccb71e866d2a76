//! Times the engines.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::host::{Ir, NoListener};
use crate::id::Id;
use crate::ir::{IrHost, OpId};
use crate::rewrite::{Config, apply_greedily};
use crate::vm::{Automaton, AutomatonCache, Engine, Matcher};

/// The minimum number of samples for a figure.
pub(super) const MIN_SAMPLES: usize = 5;

/// The minimum duration of a sample. If a pass is shorter, the sample repeats it, because the clock is not exact.
const MIN_SAMPLE: Duration = Duration::from_micros(500);

/// A time with its name.
pub(super) struct Figure {
    pub(super) name: &'static str,
    /// Nanoseconds per operation, the minimum of all samples; `None` if there were too few samples, or if they were too
    /// short for the clock.
    pub(super) nanoseconds: Option<f64>,
}

/// The reason why there is nothing to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NothingToTime {
    /// The input has no operations.
    Empty,
    /// The input has this number of operations, and no rule matches at any of them.
    NoMatch(usize),
}

/// The times of drrvm's engines and of a walk without rules, with the sizes of the input and of the rule set.
pub(super) struct Measurements {
    /// The number of operations.
    pub(super) ops: usize,
    /// The number of rules that are linked.
    pub(super) rules: usize,
    /// The number of operations at which a rule matches.
    pub(super) matched: usize,
    /// The number of rules that are the first to match at some operation.
    pub(super) firing: usize,
    /// The number of rewrites of the greedy driver.
    pub(super) rewrites: u64,
    pub(super) figures: Vec<Figure>,
}

impl Measurements {
    /// Measures the walk, the engines and rewriting, each for the time `budget`.
    pub(super) fn take(
        host: &mut IrHost,
        matcher: &Arc<Matcher<IrHost>>,
        budget: Duration,
    ) -> Result<Self, NothingToTime> {
        let ops: Vec<OpId> = host.module.preorder(host.module.top()).skip(1).collect();
        if ops.is_empty() {
            return Err(NothingToTime::Empty);
        }
        let mut scratch = matcher.cache();
        let mut firing = vec![false; matcher.program().patterns.len()];
        let mut matched = 0;
        for &op in &ops {
            if let Some(rule) = matcher.match_first(host, op, &mut scratch) {
                matched += 1;
                firing[rule.index()] = true;
            }
        }
        if matched == 0 {
            return Err(NothingToTime::NoMatch(ops.len()));
        }
        let (automaton, automatic) =
            (Automaton::new(Arc::clone(matcher)), Automaton::new(Arc::clone(matcher)).automatic());
        let mut figures = Vec::new();
        let mut add = |name, pass: &mut dyn FnMut()| {
            let nanoseconds = sample(budget, pass).map(|pass| pass.as_secs_f64() * 1e9 / ops.len() as f64);
            figures.push(Figure { name, nanoseconds });
        };
        add("walk without rules", &mut || walk(host, &ops));
        add("tree", &mut || sweep(&**matcher, host, &ops, &mut scratch));
        add("auto, from nothing", &mut || sweep(&automatic, host, &ops, &mut automatic.cache()));
        add("automaton, from nothing", &mut || sweep(&automaton, host, &ops, &mut automaton.cache()));
        let mut cache = automaton.cache();
        add("automaton, tables kept", &mut || {
            AutomatonCache::forget_labels(&mut cache);
            sweep(&automaton, host, &ops, &mut cache);
        });
        add("automaton, labels kept", &mut || sweep(&automaton, host, &ops, &mut cache));
        let (time, rewrites) = rewriting(host, &automatic, budget);
        let nanoseconds = time.map(|time| time.as_secs_f64() * 1e9 / ops.len() as f64);
        figures.push(Figure { name: REWRITING, nanoseconds });
        let rules = matcher.program().patterns.len() - matcher.dropped().count();
        Ok(Self {
            ops: ops.len(),
            rules,
            matched,
            firing: firing.into_iter().filter(|&fires| fires).count(),
            rewrites,
            figures,
        })
    }
}

/// The name of the figure that is compared with `mlir-opt`.
pub(super) const REWRITING: &str = "rewriting, auto";

/// The time of a pass, the minimum of all samples; `None` if twice the budget is too short for [`MIN_SAMPLES`].
fn sample(budget: Duration, pass: &mut dyn FnMut()) -> Option<Duration> {
    let started = Instant::now();
    let mut repeats = 1u32;
    // The first passes fill caches, and determine the number of repetitions for a sample.
    let mut time = timed(repeats, pass);
    while time < MIN_SAMPLE && repeats < 1 << 20 {
        repeats *= 2;
        time = timed(repeats, pass);
    }
    let (mut least, mut samples) = (Duration::MAX, 0);
    while samples < MIN_SAMPLES || started.elapsed() < budget {
        if samples < MIN_SAMPLES && started.elapsed() > budget * 2 {
            return None;
        }
        least = least.min(timed(repeats, pass) / repeats);
        samples += 1;
    }
    Some(least)
}

fn timed(repeats: u32, pass: &mut dyn FnMut()) -> Duration {
    let started = Instant::now();
    for _ in 0..repeats {
        pass();
    }
    started.elapsed()
}

/// Does the minimum work of every engine: reads the name of each operation and of the operation that defines its first
/// operand.
fn walk(host: &IrHost, ops: &[OpId]) {
    for &op in ops {
        let first = (host.operand_count(op) > 0).then(|| host.defining_op(host.operand(op, 0))).flatten();
        black_box((host.op_name(op), first.map(|op| host.op_name(op))));
    }
}

fn sweep<E: Engine<IrHost>>(engine: &E, host: &IrHost, ops: &[OpId], cache: &mut E::Cache) {
    for &op in ops {
        black_box(engine.match_first(host, op, cache));
    }
}

/// Runs the greedy driver on copies of the module. Returns the minimum time of a run and the number of rewrites of a
/// run. The time is `None` if there were too few samples, or if the run is too short for the clock.
fn rewriting(host: &IrHost, engine: &Automaton<IrHost>, budget: Duration) -> (Option<Duration>, u64) {
    let (started, mut least, mut samples) = (Instant::now(), Duration::MAX, 0);
    loop {
        let mut copy = host.clone();
        let root = copy.module.top();
        let pass = Instant::now();
        let report = apply_greedily(&mut copy, root, engine, &Config::default(), &mut NoListener);
        least = least.min(pass.elapsed());
        samples += 1;
        let is_over = started.elapsed() >= budget;
        if samples >= MIN_SAMPLES && is_over {
            // The clock is too coarse for passes of less than 20 µs.
            return (Some(least).filter(|&least| least >= Duration::from_micros(20)), report.rewrites);
        }
        if started.elapsed() > budget * 2 {
            return (None, report.rewrites);
        }
    }
}

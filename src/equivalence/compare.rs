//! Whether two sides do the same with random IR.
//!
//! Specification: a difference is a module with which the two sides do different things, as the mode has it;
//! of several, the one of the smallest case, shrunk. No difference means that none was met, no more: the
//! report says how often each rule had its say.
//!
//! Invariants: the result depends on the rules, the seed and the number of cases, not on threads or time
//! (but for how many cases a time limit allows).

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use hashbrown::HashSet;

use super::canonical::{self, Facts};
use super::semantics::{self, Meaning};
use super::side::{Found, FoundAt, Matches, Side, add_counts, nonzero};
use super::vocabulary::Judge;
use super::{IrGenerator, Random, shrink};
use crate::host::Natives;
use crate::id::Id;
use crate::ir::{IrHost, Module, OpId, PrintOptions};
use crate::pdl::PatternId;
use crate::rewrite::{NotConverged, Report};

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The modules that both sides arrive at.
    #[default]
    Rewrite,
    /// What matches at each operation: for one rule set, rules with their bindings; for two, the names of
    /// rules, or whether any rule matches if no two have the same name.
    Match,
    /// As [`Mode::Rewrite`], and whether the functions still mean what they meant.
    Semantics,
}

/// How much is compared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// What is compared.
    pub mode: Mode,
    /// How many modules.
    pub cases: u64,
    /// Stop then, cases left or not.
    pub until: Option<Instant>,
    /// How many threads at most.
    pub jobs: usize,
    /// Rewrites of one module after which a side counts as one that does not come to an end.
    pub max_rewrites: u64,
    /// How many modules are tried to make a counterexample smaller.
    pub shrink_budget: usize,
    /// What inputs in [`Mode::Semantics`] follow from.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::Rewrite,
            cases: 10_000,
            until: None,
            jobs: 1,
            max_rewrites: 1_000,
            shrink_budget: 4_000,
            seed: 0,
        }
    }
}

impl Options {
    /// Sets [`Options::mode`].
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets [`Options::cases`].
    #[must_use]
    pub fn cases(mut self, cases: u64) -> Self {
        self.cases = cases;
        self
    }

    /// Sets [`Options::until`].
    #[must_use]
    pub fn until(mut self, until: Option<Instant>) -> Self {
        self.until = until;
        self
    }

    /// Sets [`Options::jobs`].
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs;
        self
    }

    /// Sets [`Options::max_rewrites`].
    #[must_use]
    pub fn max_rewrites(mut self, max: u64) -> Self {
        self.max_rewrites = max;
        self
    }

    /// Sets [`Options::seed`].
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// What came of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// How many modules were tried.
    pub cases: u64,
    /// How many operations they had.
    pub ops: u64,
    /// On each side, how often each rule was applied (or matched, in [`Mode::Match`]).
    pub fired: [Vec<u64>; 2],
    /// On each side, with how many modules it did not come to an end. These were compared after each
    /// operation had been tried once.
    pub endless: [u64; 2],
    /// For each side the first module it did not come to an end with: what kept firing.
    pub endless_example: [Option<(u64, NotConverged)>; 2],
    /// Modules that could not be interpreted.
    pub uninterpreted: u64,
    /// The first difference.
    pub difference: Option<Difference>,
}

/// A module with which the sides do different things.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The case that showed it first.
    pub case: u64,
    /// What is different.
    pub what: What,
    /// The module, shrunk.
    pub input: String,
    /// What each side makes of it.
    pub outputs: [String; 2],
    /// The rules applied (or matched) on each side, with how often.
    pub fired: [Vec<(PatternId, u64)>; 2],
    /// Operations before shrinking, and after.
    pub ops: (usize, usize),
}

/// What is different.
#[derive(Clone, Debug)]
pub enum What {
    /// The modules they arrive at.
    Modules,
    /// What matches at an operation, on each side.
    Matches {
        /// The operation.
        op: String,
        /// The rules that match there, on each side.
        rules: [Vec<PatternId>; 2],
    },
    /// What a function means after one side has rewritten it.
    Meaning {
        /// Which side.
        side: usize,
        /// The inputs and results that tell.
        shown: Meaning,
    },
}

/// Modules that are taken at a time.
const BATCH: u64 = 16;
/// Modules after which a worker takes a fresh context, so that what rules make does not pile up.
const FRESH: u64 = 1_024;

/// Compares two sides on random modules. The host is the one that generator and engines were made with.
///
/// `progress` is told how many more modules are done, from any thread.
pub fn compare(
    sides: [&Side<'_>; 2],
    generator: &IrGenerator,
    host: &IrHost,
    natives: &Natives<IrHost>,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Comparison {
    let mut pristine = host.clone();
    let facts = Facts::new(&sides.map(Side::program), &mut pristine.context);
    let names = |side: &Side<'_>| -> HashSet<String> {
        side.program().patterns().ids().map(|rule| side.rule_name(rule).to_owned()).collect()
    };
    let same_rules = std::ptr::eq(sides[0].program(), sides[1].program());
    let named = !same_rules && !names(sides[0]).is_disjoint(&names(sides[1]));
    let run = Run { sides, generator, options, facts, same_rules, named };
    let (next, best) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let total = Mutex::new(Tally::new(sides));
    let work = || {
        let tally = run.worker(&pristine, &next, &best, progress);
        if let Ok(mut total) = total.lock() {
            total.add(&tally);
        }
    };
    let batches = usize::try_from(options.cases.div_ceil(BATCH)).unwrap_or(usize::MAX);
    std::thread::scope(|scope| {
        for _ in 1..options.jobs.min(batches) {
            // Where there can be no more threads, those that there are do it.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let tally = total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let difference = match best.into_inner() {
        u64::MAX => None,
        case => {
            let programs = sides.map(Side::program).into_iter();
            let tables = programs.map(|program| (program.ops(), program.strings(), program.snippets()));
            let judge = Judge::new(tables, &mut pristine, natives);
            run.difference(case, &mut pristine, &judge)
        }
    };
    Comparison {
        cases: tally.cases,
        ops: tally.ops,
        fired: tally.fired,
        endless: tally.endless,
        endless_example: tally.endless_example,
        uninterpreted: tally.uninterpreted,
        difference,
    }
}

/// What a worker has counted.
struct Tally {
    cases: u64,
    ops: u64,
    fired: [Vec<u64>; 2],
    endless: [u64; 2],
    endless_example: [Option<(u64, NotConverged)>; 2],
    uninterpreted: u64,
}

impl Tally {
    fn new(sides: [&Side<'_>; 2]) -> Self {
        Self {
            cases: 0,
            ops: 0,
            fired: sides.map(|side| vec![0; side.program().patterns().len()]),
            endless: [0; 2],
            endless_example: [None, None],
            uninterpreted: 0,
        }
    }

    fn add(&mut self, other: &Tally) {
        self.cases += other.cases;
        self.ops += other.ops;
        self.uninterpreted += other.uninterpreted;
        for side in 0..2 {
            add_counts(&mut self.fired[side], &other.fired[side]);
            self.endless[side] += other.endless[side];
            if let Some((case, stopped)) = &other.endless_example[side] {
                self.endless_at(side, *case, stopped);
            }
        }
    }

    fn endless_at(&mut self, side: usize, case: u64, stopped: &NotConverged) {
        if self.endless_example[side].as_ref().is_none_or(|(first, _)| case < *first) {
            self.endless_example[side] = Some((case, stopped.clone()));
        }
    }
}

/// What both sides did with one module.
struct Done {
    what: Option<What>,
    fired: [Vec<u64>; 2],
    outputs: [Module; 2],
    endless: [Option<NotConverged>; 2],
    uninterpreted: bool,
}

struct Run<'a> {
    sides: [&'a Side<'a>; 2],
    generator: &'a IrGenerator,
    options: &'a Options,
    facts: Facts,
    same_rules: bool,
    /// Whether two rules of the sides have the same name.
    named: bool,
}

impl Run<'_> {
    fn worker(
        &self,
        pristine: &IrHost,
        next: &AtomicU64,
        best: &AtomicU64,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Tally {
        let mut tally = Tally::new(self.sides);
        let mut host = pristine.clone();
        let mut since = 0;
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            let late = self.options.until.is_some_and(|until| Instant::now() >= until);
            if start >= self.options.cases || start > best.load(Ordering::Relaxed) || late {
                return tally;
            }
            let end = (start + BATCH).min(self.options.cases);
            for case in start..end {
                self.generator.generate(case, &mut host);
                tally.ops += host.module.op_count() as u64;
                let done = self.check(case, &mut host);
                tally.cases += 1;
                tally.uninterpreted += u64::from(done.uninterpreted);
                for side in 0..2 {
                    add_counts(&mut tally.fired[side], &done.fired[side]);
                    if let Some(stopped) = &done.endless[side] {
                        tally.endless[side] += 1;
                        tally.endless_at(side, case, stopped);
                    }
                }
                if done.what.is_some() {
                    best.fetch_min(case, Ordering::Relaxed);
                    break;
                }
            }
            progress(end - start);
            since += end - start;
            if since >= FRESH {
                since = 0;
                host = pristine.clone();
            }
        }
    }

    /// What both sides do with the host's module, which stays as it is.
    fn check(&self, case: u64, host: &mut IrHost) -> Done {
        if self.options.mode == Mode::Match {
            return self.check_matches(host);
        }
        let input = host.module.clone();
        let mut done = self.rewrite(host, |side, host| side.rewrite(host, self.options.max_rewrites));
        if done.endless.iter().any(Option::is_some) {
            // Both sides in the same way, one that comes to an end.
            host.module = input.clone();
            let endless = done.endless;
            done = Done { endless, ..self.rewrite(host, |side, host| side.walk(host)) };
        }
        host.module = input;
        if done.what.is_none() && self.options.mode == Mode::Semantics {
            let random = Random::new(self.options.seed).fork(case);
            for side in 0..2 {
                match semantics::check(host, &done.outputs[side], &random) {
                    Ok(None) => {}
                    Ok(Some(shown)) => {
                        done.what = Some(What::Meaning { side, shown });
                        break;
                    }
                    Err(semantics::Uninterpreted) => done.uninterpreted = true,
                }
            }
        }
        done
    }

    fn rewrite(&self, host: &mut IrHost, run: impl Fn(&Side<'_>, &mut IrHost) -> Report) -> Done {
        let input = host.module.clone();
        let mut texts = Vec::new();
        let mut fired = Vec::new();
        let mut outputs = Vec::new();
        let mut endless = Vec::new();
        for side in self.sides {
            host.module = input.clone();
            let mut report = run(side, host);
            report.applied.resize(side.program().patterns().len(), 0);
            fired.push(report.applied);
            endless.push(report.not_converged);
            texts.push(canonical::text(host, &self.facts));
            outputs.push(std::mem::replace(&mut host.module, input.clone()));
        }
        Done {
            what: (texts[0] != texts[1]).then_some(What::Modules),
            fired: pair(fired),
            outputs: pair(outputs),
            endless: pair(endless),
            uninterpreted: false,
        }
    }

    /// What matches on both sides. Two engines for one rule set are asked again when a rule has been applied, so
    /// that what they remember has to be right then as well.
    fn check_matches(&self, host: &mut IrHost) -> Done {
        let input = host.module.clone();
        let rewrites = if self.same_rules { 1 } else { 0 };
        let mut looked = Vec::new();
        let mut outputs = Vec::new();
        for side in self.sides {
            looked.push(side.matches(host, rewrites));
            outputs.push(std::mem::replace(&mut host.module, input.clone()));
        }
        let (looked, outputs) = (pair(looked), pair(outputs));
        let mut fired = self.sides.map(|side| vec![0; side.program().patterns().len()]);
        for (fired, looked) in fired.iter_mut().zip(&looked) {
            let found = looked.iter().take(1).flatten().flat_map(|(_, found)| found);
            found.for_each(|(rule, _)| fired[rule.index()] += 1);
        }
        let differs = |(a, b): &(&FoundAt, &FoundAt)| a.0 != b.0 || !self.same_matches(&a.1, &b.1);
        let what = looked[0].iter().zip(&looked[1]).enumerate().find_map(|(rewrites, (a, b))| {
            let (a, b) = a.iter().zip(b).find(differs)?;
            let rules = |found: &[Found]| found.iter().map(|(rule, _)| *rule).collect();
            let rules = [rules(&a.1), rules(&b.1)];
            let op = match rewrites {
                0 => op_text(host, a.0),
                _ => {
                    let module = std::mem::replace(&mut host.module, outputs[0].clone());
                    let op = op_text(host, a.0);
                    host.module = module;
                    format!("{op}, once a rule has been applied,")
                }
            };
            Some(What::Matches { op, rules })
        });
        let lengths = |looked: &[Matches]| looked.iter().map(Vec::len).collect::<Vec<_>>();
        let other_ops = || {
            let op = "the operations that a rule leaves".to_owned();
            (lengths(&looked[0]) != lengths(&looked[1]))
                .then(|| What::Matches { op, rules: [vec![], vec![]] })
        };
        let what = what.or_else(other_ops);
        Done { what, fired, outputs, endless: [None, None], uninterpreted: false }
    }

    fn same_matches(&self, a: &[Found], b: &[Found]) -> bool {
        if self.same_rules {
            return a == b;
        }
        if !self.named {
            return a.is_empty() == b.is_empty();
        }
        let names = |side: usize, found: &[Found]| -> Vec<String> {
            found.iter().map(|(rule, _)| self.sides[side].rule_name(*rule).to_owned()).collect()
        };
        names(0, a) == names(1, b)
    }

    /// The difference that a case shows, made small.
    fn difference(&self, case: u64, host: &mut IrHost, judge: &Judge) -> Option<Difference> {
        self.generator.generate(case, host);
        let before = host.module.op_count();
        let kind = self.check(case, host).what.as_ref().map(std::mem::discriminant);
        let mut shows = |host: &mut IrHost| {
            judge.accepts(host) && self.check(case, host).what.as_ref().map(std::mem::discriminant) == kind
        };
        shrink::shrink(host, self.options.shrink_budget, &mut shows);
        let done = self.check(case, host);
        let print = |module: &Module| module.print(&host.context, PrintOptions::new());
        Some(Difference {
            case,
            what: done.what?,
            input: print(&host.module),
            outputs: [print(&done.outputs[0]), print(&done.outputs[1])],
            fired: done.fired.map(|counts| nonzero(&counts)),
            ops: (before, host.module.op_count()),
        })
    }
}

/// The line of an operation.
fn op_text(host: &IrHost, op: OpId) -> String {
    let name = host.context.op_name_text(host.module.name(op));
    let place = host.module.preorder(host.module.top()).position(|other| other == op).unwrap_or(0);
    format!("'{name}', operation {place} of the module")
}

fn pair<T>(list: Vec<T>) -> [T; 2] {
    list.try_into().ok().expect("there are two sides")
}

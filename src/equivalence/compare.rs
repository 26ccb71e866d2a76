//! Compares two sides on random IR.
//!
//! Specification: a difference is a module that the two sides treat differently in the given mode. The result is the
//! difference with the smallest case number, shrunk. The absence of differences proves nothing, so the report states
//! how often each rule was applied or matched.
//!
//! Invariant: the result depends on the rules, the seed and the number of cases, and not on threads or time. There is
//! one exception: if a difference is found, the counts can depend on threads and time. A time limit or an interrupt
//! affects only the number of cases.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use hashbrown::HashSet;

use super::canonical::{self, OpTraitTable};
use super::generate::IrGenerator;
use super::random::Random;
use super::semantics::{self, MeaningChange};
use super::shrink;
use super::side::{Match, Matches, OpMatches, Side, add_counts, nonzero};
use super::vocabulary::Validator;
use crate::host::Natives;
use crate::id::Id;
use crate::ir::{IrHost, Module, OpId, PrintOptions};
use crate::pdl::PatternId;
use crate::rewrite::{Interrupt, NotConverged, Report};
use crate::snippet::ExhaustedSnippets;

/// The property that is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The modules after rewriting.
    #[default]
    Rewrite,
    /// The matches at each operation. For one rule set, the rules and their bindings are compared. For two rule sets,
    /// the names of the rules are compared, or only the existence of a match if the sets share no name.
    Match,
    /// The meaning of functions before and after rewriting. For one rule set, the modules after rewriting are
    /// compared as well.
    Semantics,
}

/// The options of a comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The property that is compared.
    pub mode: Mode,
    /// The maximum number of modules.
    pub cases: u64,
    /// The time at which the comparison stops.
    pub until: Option<Instant>,
    /// Stops the comparison on request, before the next batch of modules.
    pub interrupt: Interrupt,
    /// The maximum number of threads.
    pub jobs: usize,
    /// The maximum number of rewrites of one module. A side that needs more rewrites, or more than 10 sweeps, counts as
    /// not terminating.
    pub max_rewrites: u64,
    /// The maximum number of modules that the shrinking of a counterexample tries.
    pub shrink_budget: usize,
    /// The seed of the function inputs in [`Mode::Semantics`].
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::Rewrite,
            cases: 10_000,
            until: None,
            interrupt: Interrupt::default(),
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

    /// Sets [`Options::interrupt`].
    #[must_use]
    pub fn interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// True if the time for the comparison has passed, or if the user has interrupted the comparison.
    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until) || self.interrupt.is_requested()
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

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The number of modules that were compared.
    pub cases: u64,
    /// The number of operations in these modules.
    pub ops: u64,
    /// The number of times that each rule was applied on each side, or matched in [`Mode::Match`].
    pub fired: [Vec<u64>; 2],
    /// For each side, the number of modules for which it did not terminate. Such modules are compared after both sides
    /// have visited each operation once.
    pub endless: [u64; 2],
    /// For each side, the number of the first module for which it did not terminate, and the rules that kept firing.
    pub endless_example: [Option<(u64, NotConverged)>; 2],
    /// The number of modules that could not be interpreted, in [`Mode::Semantics`].
    pub uninterpreted: u64,
    /// The number of those uninterpreted modules that the two rule sets rewrite differently, so that the comparison is
    /// undecided.
    pub undecided: u64,
    /// The first difference.
    pub difference: Option<Difference>,
}

/// A module that the two sides treat differently.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The number of the first case with a difference.
    pub case: u64,
    /// The kind of the difference.
    pub kind: DifferenceKind,
    /// The shrunk module.
    pub input: String,
    /// The module after rewriting by each side; in [`Mode::Match`], after at most one rewrite.
    pub outputs: [String; 2],
    /// The rules that were applied on each side, or matched in [`Mode::Match`], with their counts.
    pub fired: [Vec<(PatternId, u64)>; 2],
    /// The number of operations before and after shrinking.
    pub ops: (usize, usize),
}

/// The kind of a difference.
#[derive(Clone, Debug)]
pub enum DifferenceKind {
    /// The modules after rewriting differ.
    Modules,
    /// The matches at an operation differ.
    Matches {
        /// The operation.
        op: String,
        /// The rules that match on each side.
        rules: [Vec<PatternId>; 2],
    },
    /// Rewriting on one side changes the meaning of a function.
    Meaning {
        /// The index of the side.
        side: usize,
        /// The inputs and results that show the change.
        change: MeaningChange,
    },
}

/// The number of modules that a worker takes at a time.
const BATCH: u64 = 16;
/// The number of modules after which a worker takes a fresh context, because rewriting fills the tables of the context.
const FRESH: u64 = 1_024;

/// The smallest number of a case in which a worker has found a difference.
struct FirstCase(AtomicU64);

impl Default for FirstCase {
    fn default() -> Self {
        Self(AtomicU64::new(Self::NONE))
    }
}

impl FirstCase {
    /// All cases have smaller numbers, because the number of cases fits in a `u64`.
    const NONE: u64 = u64::MAX;

    fn add(&self, case: u64) {
        self.0.fetch_min(case, Ordering::Relaxed);
    }

    fn is_before(&self, case: u64) -> bool {
        self.0.load(Ordering::Relaxed) < case
    }

    fn get(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&case| case != Self::NONE)
    }
}

/// Compares two sides on random modules. `host` is the host for which the generator was created and the engines were
/// linked.
///
/// `progress` is called from any thread after each batch of modules, with the number of modules in the batch.
///
/// ```
/// use drrvm::{LinkOptions, Matcher, Natives, RuleSet, compile};
/// use drrvm::equivalence::{Config, IrGenerator, Options, Side, compare};
/// # use drrvm::ir::{Context, IrHost, Module};
/// # let mut context = Context::new();
/// # let module = Module::new(&mut context);
/// # let mut host = IrHost::new(context, module);
/// use drrvm::pdl::term::{op, var};
///
/// // The two sets replace a double negation by different values.
/// let mut sets = [RuleSet::default(), RuleSet::default()];
/// let from = op("t.neg", [op("t.neg", [var("x")])]);
/// sets[0].replacement("neg_neg", 1, &from, &var("x"))?;
/// sets[1].replacement("neg_neg", 1, &from, &op("t.abs", [var("x")]).ty("i32"))?;
///
/// let natives = Natives::new();
/// let generator = IrGenerator::new(&[&sets[0], &sets[1]], &mut host, &natives, &Config::default())?;
/// let mut link = |rules| -> Result<_, drrvm::source::Diagnostics> {
///     let program = compile::program(rules)?.into();
///     Ok(Matcher::link(program, &mut host, &natives, &LinkOptions::default())?)
/// };
/// let (a, b) = (link(&sets[0])?, link(&sets[1])?);
/// let options = Options::default().cases(100);
/// let found = compare([&Side::new(&a), &Side::new(&b)], &generator, &host, &natives, &options, &|_| {});
/// assert!(found.difference.is_some());
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn compare(
    sides: [&Side<'_>; 2],
    generator: &IrGenerator,
    host: &IrHost,
    natives: &Natives<IrHost>,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Comparison {
    let mut pristine = host.clone();
    let facts = OpTraitTable::new(&sides.map(Side::program), &mut pristine.context);
    let names = |side: &Side<'_>| -> HashSet<String> {
        side.program().patterns().ids().map(|rule| side.rule_name(rule).to_owned()).collect()
    };
    let same_rules = std::ptr::eq(sides[0].program(), sides[1].program());
    let named = !same_rules && !names(sides[0]).is_disjoint(&names(sides[1]));
    let run = Run { sides, generator, options, facts, same_rules, named };
    let exhausted = sides.map(Side::exhausted);
    let before = exhausted.map(ExhaustedSnippets::sorted);
    let (mut tally, mut first) = run.all(options.jobs, &pristine, progress);
    // If an expression exceeds the budget, it fails at once in all later cases. With several threads, the order of the
    // cases varies, so one thread checks all cases again.
    if options.jobs > 1 && exhausted.map(ExhaustedSnippets::sorted) != before && !options.is_late() {
        exhausted.into_iter().zip(before).for_each(|(exhausted, before)| exhausted.restore(before));
        (tally, first) = run.all(1, &pristine, &|_| {});
    }
    let difference = first.get().and_then(|case| {
        let programs = sides.map(Side::program).into_iter();
        let tables = programs.map(|program| (program.ops(), program.strings(), program.snippets()));
        let validator = Validator::new(tables, &mut pristine, natives);
        run.difference(case, &mut pristine, &validator)
    });
    Comparison {
        cases: tally.cases,
        ops: tally.ops,
        fired: tally.fired,
        endless: tally.endless,
        endless_example: tally.endless_example,
        uninterpreted: tally.uninterpreted,
        undecided: tally.undecided,
        difference,
    }
}

/// The counts of one worker.
struct Tally {
    cases: u64,
    ops: u64,
    fired: [Vec<u64>; 2],
    endless: [u64; 2],
    endless_example: [Option<(u64, NotConverged)>; 2],
    uninterpreted: u64,
    undecided: u64,
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
            undecided: 0,
        }
    }

    fn add(&mut self, other: &Tally) {
        self.cases += other.cases;
        self.ops += other.ops;
        self.uninterpreted += other.uninterpreted;
        self.undecided += other.undecided;
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

/// The results of both sides for one module.
struct CaseResult {
    kind: Option<DifferenceKind>,
    fired: [Vec<u64>; 2],
    outputs: [Module; 2],
    endless: [Option<NotConverged>; 2],
    uninterpreted: bool,
    /// True if the modules differ, and their meanings could not be compared.
    undecided: bool,
}

struct Run<'a> {
    sides: [&'a Side<'a>; 2],
    generator: &'a IrGenerator,
    options: &'a Options,
    facts: OpTraitTable,
    same_rules: bool,
    /// True if a rule of one side has the name of a rule of the other side.
    named: bool,
}

impl Run<'_> {
    /// Checks all cases with at most `jobs` threads.
    fn all(&self, jobs: usize, pristine: &IrHost, progress: &(dyn Fn(u64) + Sync)) -> (Tally, FirstCase) {
        let (next, first) = (AtomicU64::new(0), FirstCase::default());
        let total = Mutex::new(Tally::new(self.sides));
        let work = || {
            let tally = self.worker(pristine, &next, &first, progress);
            if let Ok(mut total) = total.lock() {
                total.add(&tally);
            }
        };
        let batches = self.options.cases.div_ceil(BATCH);
        std::thread::scope(|scope| {
            for _ in (1..jobs).zip(1..batches) {
                // If no further thread can be started, the existing threads do all the work.
                if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        (total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner), first)
    }

    fn worker(
        &self,
        pristine: &IrHost,
        next: &AtomicU64,
        first: &FirstCase,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Tally {
        let mut tally = Tally::new(self.sides);
        let mut host = pristine.clone();
        let mut since = 0;
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= self.options.cases || first.is_before(start) || self.options.is_late() {
                return tally;
            }
            let end = (start + BATCH).min(self.options.cases);
            for case in start..end {
                self.generator.generate(case, &mut host);
                tally.ops += host.module.op_count() as u64;
                let done = self.check(case, &mut host);
                tally.cases += 1;
                tally.uninterpreted += u64::from(done.uninterpreted);
                tally.undecided += u64::from(done.undecided);
                for side in 0..2 {
                    add_counts(&mut tally.fired[side], &done.fired[side]);
                    if let Some(stopped) = &done.endless[side] {
                        tally.endless[side] += 1;
                        tally.endless_at(side, case, stopped);
                    }
                }
                if done.kind.is_some() {
                    first.add(case);
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

    /// Runs both sides on the host's module, which stays unchanged.
    fn check(&self, case: u64, host: &mut IrHost) -> CaseResult {
        if self.options.mode == Mode::Match {
            return self.check_matches(host);
        }
        let input = host.module.clone();
        let mut done = self.rewrite(host, |side, host| side.rewrite(host, self.options.max_rewrites));
        if done.endless.iter().any(Option::is_some) {
            // Visiting each operation once always terminates.
            host.module = input.clone();
            let endless = done.endless;
            done = CaseResult { endless, ..self.rewrite(host, |side, host| side.walk(host)) };
        }
        host.module = input;
        if self.options.mode == Mode::Semantics && (done.kind.is_none() || !self.same_rules) {
            // Two rule sets can preserve the meaning in different ways, so different results are no difference in this
            // mode.
            let rewritten_differently = done.kind.take().is_some();
            let random = Random::new(self.options.seed).fork(case);
            for side in 0..2 {
                match semantics::check(host, &done.outputs[side], &random) {
                    Ok(None) => {}
                    Ok(Some(change)) => {
                        done.kind = Some(DifferenceKind::Meaning { side, change });
                        break;
                    }
                    Err(semantics::Uninterpreted) => done.uninterpreted = true,
                }
            }
            done.undecided = done.uninterpreted && rewritten_differently && done.kind.is_none();
        }
        done
    }

    fn rewrite(&self, host: &mut IrHost, run: impl Fn(&Side<'_>, &mut IrHost) -> Report) -> CaseResult {
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
        CaseResult {
            kind: (texts[0] != texts[1]).then_some(DifferenceKind::Modules),
            fired: pair(fired),
            outputs: pair(outputs),
            endless: pair(endless),
            uninterpreted: false,
            undecided: false,
        }
    }

    /// Compares the matches of both sides. Two engines with the same rules are compared again after one rewrite,
    /// because their caches must still be correct then.
    fn check_matches(&self, host: &mut IrHost) -> CaseResult {
        let input = host.module.clone();
        let rewrites = if self.same_rules { 1 } else { 0 };
        let mut matches = Vec::new();
        let mut outputs = Vec::new();
        for side in self.sides {
            matches.push(side.matches(host, rewrites));
            outputs.push(std::mem::replace(&mut host.module, input.clone()));
        }
        let (matches, outputs) = (pair(matches), pair(outputs));
        let mut fired = self.sides.map(|side| vec![0; side.program().patterns().len()]);
        for (fired, matches) in fired.iter_mut().zip(&matches) {
            let found = matches.iter().take(1).flatten().flat_map(|(_, found)| found);
            found.for_each(|(rule, _)| fired[rule.index()] += 1);
        }
        let differs = |(a, b): &(&OpMatches, &OpMatches)| a.0 != b.0 || !self.same_matches(&a.1, &b.1);
        let kind = matches[0].iter().zip(&matches[1]).enumerate().find_map(|(rewrites, (a, b))| {
            let (a, b) = a.iter().zip(b).find(differs)?;
            let rules = |found: &[Match]| found.iter().map(|(rule, _)| *rule).collect();
            let rules = [rules(&a.1), rules(&b.1)];
            let op = match rewrites {
                0 => op_text(host, a.0),
                _ => {
                    let module = std::mem::replace(&mut host.module, outputs[0].clone());
                    let op = op_text(host, a.0);
                    host.module = module;
                    format!("{op}, after one rewrite,")
                }
            };
            Some(DifferenceKind::Matches { op, rules })
        });
        let lengths = |matches: &[Matches]| matches.iter().map(Vec::len).collect::<Vec<_>>();
        let other_ops = || {
            let op = "the operations of the module after one rewrite".to_owned();
            (lengths(&matches[0]) != lengths(&matches[1]))
                .then(|| DifferenceKind::Matches { op, rules: [vec![], vec![]] })
        };
        let kind = kind.or_else(other_ops);
        CaseResult { kind, fired, outputs, endless: [None, None], uninterpreted: false, undecided: false }
    }

    fn same_matches(&self, a: &[Match], b: &[Match]) -> bool {
        if self.same_rules {
            return a == b;
        }
        if !self.named {
            return a.is_empty() == b.is_empty();
        }
        let names = |side: usize, found: &[Match]| -> Vec<String> {
            found.iter().map(|(rule, _)| self.sides[side].rule_name(*rule).to_owned()).collect()
        };
        names(0, a) == names(1, b)
    }

    /// The shrunk difference of a case.
    fn difference(&self, case: u64, host: &mut IrHost, validator: &Validator) -> Option<Difference> {
        self.generator.generate(case, host);
        let before = host.module.op_count();
        let expected = self.check(case, host).kind.as_ref().map(std::mem::discriminant);
        let mut shows = |host: &mut IrHost| {
            validator.accepts(host)
                && self.check(case, host).kind.as_ref().map(std::mem::discriminant) == expected
        };
        shrink::shrink(host, self.options.shrink_budget, &mut shows);
        let done = self.check(case, host);
        let print = |module: &Module| module.print(&host.context, PrintOptions::new());
        Some(Difference {
            case,
            kind: done.kind?,
            input: print(&host.module),
            outputs: [print(&done.outputs[0]), print(&done.outputs[1])],
            fired: done.fired.map(|counts| nonzero(&counts)),
            ops: (before, host.module.op_count()),
        })
    }
}

/// A description of an operation for the report.
fn op_text(host: &IrHost, op: OpId) -> String {
    let name = host.context.op_name_text(host.module.name(op));
    let place = host.module.preorder(host.module.top()).position(|other| other == op);
    place.map_or_else(|| format!("'{name}'"), |place| format!("'{name}', operation {place} of the module"))
}

fn pair<T>(list: Vec<T>) -> [T; 2] {
    list.try_into().ok().expect("one element for each side")
}

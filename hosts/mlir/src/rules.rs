//! Rules in a running MLIR: loading, and the patterns that MLIR's drivers call.
//!
//! Specification: rules are linked to one context and shared by all threads. The rules with the same root name and the
//! same benefit form one pattern of MLIR, so MLIR's drivers order these patterns and the patterns in C++ by benefit.
//! The patterns that a driver tries at one operation share a match: the first of them finds the first rule that
//! matches, and the others continue from there.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use drrvm::compile::{self, Compiled};
use drrvm::host::{Id, Ir, NoListener, WalkOrder};
use drrvm::pdl::PatternId;
use drrvm::report::{MappedProgram, not_converged};
use drrvm::rewrite::{Config, Report, Traversal, apply_greedily, apply_in_walk};
use drrvm::script::Script;
use drrvm::source::Diagnostic;
use drrvm::vm::{Automaton, AutomatonCache, Engine, LinkOptions, Matcher, Scratch};
use drrvm::{Diagnostics, Program, SourceMap, natives};

use crate::bridge::RewriterRef;
use crate::capi::{Context, Operation};
use crate::host::MlirHost;
use crate::layout;
use crate::natives::{CxxNative, add_all};
use crate::profiling::{ProfileCache, Profiling};

/// The input of [`Rules::load`].
pub(crate) struct Source {
    pub(crate) files: Vec<PathBuf>,
    /// A compiled program, if there are no files.
    pub(crate) program: Vec<u8>,
    pub(crate) options: compile::Options,
    pub(crate) scripts: Vec<PathBuf>,
    pub(crate) allow_missing: bool,
    /// True if matching collects counts for [`Rules::write_profile`].
    pub(crate) profile: bool,
    pub(crate) natives: Vec<CxxNative>,
}

/// Rules that are linked to a context.
pub(crate) struct Rules {
    /// A number that no other `Rules` of this process has.
    number: u64,
    matcher: Arc<Matcher<MlirHost>>,
    profiling: Option<Profiling>,
    /// The host that the rules are linked to; each thread uses a clone.
    host: MlirHost,
    patterns: Vec<RootPattern>,
    roots: Vec<RootPattern>,
    /// The number of rewrites by each rule.
    applied: Vec<AtomicU64>,
    refusals: AtomicU64,
    scripts: Vec<Script<MlirHost>>,
    /// The failures that [`Rules::new_failures`] has returned.
    returned_failures: Mutex<Vec<Diagnostic>>,
    sources: SourceMap,
}

/// The number of times that rules were loaded.
static LOADED: AtomicU64 = AtomicU64::new(0);

/// A pattern of MLIR: all rules with the same root name and the same benefit or, in [`Rules::roots`], all rules with
/// the same root name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootPattern {
    /// The name of the root; `None` for any operation.
    pub(crate) root: Option<String>,
    pub(crate) benefit: u16,
}

/// The rank of a pattern in the order in which MLIR tries the patterns of one operation: higher benefits come first
/// and, among equal benefits, patterns with a root name come before patterns for any operation.
type Rank = (u16, bool);

impl RootPattern {
    fn rank(&self) -> Rank {
        (self.benefit, self.root.is_some())
    }
}

/// The result of trying a pattern.
pub(crate) enum Tried {
    NoMatch,
    Applied,
    /// All rules that matched refused. The text is the last reason.
    Refused(String),
}

/// The working memory of one thread for some rules.
struct Thread {
    rules: Weak<Rules>,
    host: MlirHost,
    scratch: Scratch<MlirHost>,
    profile_cache: Option<ProfileCache>,
    /// The automaton and its tables, once they are used.
    automaton: Option<(Automaton<MlirHost>, AutomatonCache<MlirHost>)>,
}

/// The match that the patterns of one operation share, in one thread.
#[derive(Clone, Copy)]
struct Visit {
    /// [`Rules::number`].
    rules: u64,
    op: Operation,
    /// The operation's name, because an address can be reused.
    name: usize,
    /// The rank of the last pattern that was tried.
    tried: Rank,
    /// The next rule that matches, with its rank.
    next: Option<(Rank, PatternId)>,
}

thread_local! {
    /// PERF: separate from `THREADS`, because most attempts of MLIR find no matching rule of the pattern's benefit and
    /// read only this variable. This saves 33 instructions for each of 2 million attempts (greedy run of `bench/run
    /// 1000`, callgrind).
    static VISIT: Cell<Option<Visit>> = const { Cell::new(None) };
    #[allow(clippy::vec_box, reason = "an entry is taken out and put back for each operation, so moving it must be cheap")]
    static THREADS: RefCell<Vec<Box<Thread>>> = const { RefCell::new(Vec::new()) };
    /// The last rewrites in MLIR's drivers, each with [`Rules::number`].
    static RECENT: RefCell<VecDeque<(u64, PatternId)>> = const { RefCell::new(VecDeque::new()) };
}

/// The maximum number of rewrites that [`Rules::take_recent`] counts.
const MAX_RECENT: usize = 1024;

impl Rules {
    /// Loads rules and links them to a context. Also returns the warnings; [`Rules::sources`] has the files to which
    /// they refer.
    ///
    /// # Errors
    /// All errors, with the files to which they refer.
    pub(crate) fn load(
        context: Context,
        source: Source,
    ) -> Result<(Arc<Self>, Diagnostics), (Diagnostics, SourceMap)> {
        let mut sources = SourceMap::default();
        match Self::load_with(context, source, &mut sources) {
            Ok((mut rules, warnings)) => {
                rules.sources = sources;
                Ok((Arc::new(rules), warnings))
            }
            Err(errors) => Err((errors, sources)),
        }
    }

    fn load_with(
        context: Context,
        source: Source,
        sources: &mut SourceMap,
    ) -> Result<(Self, Diagnostics), Diagnostics> {
        let mut host = MlirHost::attach(context).map_err(Diagnostic::error)?;
        let mut mapped = None;
        let (compiled, mut warnings) = if source.files.is_empty() {
            let program = Program::from_bytes(&source.program, sources)
                .map_err(|error| error.diagnostic("the embedded program"))?;
            let left_out = program.unselected(&source.options.enable, &source.options.disable)?;
            (Compiled { program, rules: None, left_out }, Diagnostics::default())
        } else {
            compile::compiled(sources, &source.files, &source.options)?
        };
        let mut program = Arc::new(compiled.program);
        if source.profile
            && let Some(rules) = compiled.rules
        {
            let with_tree = MappedProgram::compile(rules)?;
            program = Arc::clone(with_tree.program());
            mapped = Some(with_tree);
        }
        let (scripts, script_natives) = load_scripts(sources, &source.scripts)?;
        let natives = host.with_inference(natives::all(), program.mentioned_ops());
        let natives = add_all(natives, source.natives).with(script_natives);
        let options = LinkOptions { allow_missing: source.allow_missing, left_out: compiled.left_out };
        let matcher = Matcher::link(program, &mut host, &natives, &options)
            .map_err(|error| error.diagnostics_with_places())?;
        if source.allow_missing {
            matcher.missing().iter().for_each(|native| {
                let mut warning = native.diagnostic_with_places();
                warning.severity = drrvm::source::Severity::Warning;
                warnings.push(warning);
            });
        }
        let patterns = patterns(&matcher);
        let roots = roots(&patterns);
        let matcher = Arc::new(matcher);
        let profiling = source.profile.then(|| Profiling::new(&matcher, mapped));
        let applied = matcher.program().patterns().ids().map(|_| AtomicU64::new(0)).collect();
        let rules = Self {
            number: LOADED.fetch_add(1, Ordering::Relaxed),
            matcher,
            profiling,
            host,
            patterns,
            roots,
            applied,
            refusals: AtomicU64::new(0),
            returned_failures: Mutex::default(),
            scripts,
            sources: SourceMap::default(),
        };
        Ok((rules, warnings))
    }

    /// The patterns, in the order in which MLIR should try them.
    pub(crate) fn patterns(&self) -> &[RootPattern] {
        &self.patterns
    }

    /// The roots of the rules, each with the highest benefit of its rules. If a rule has no root name, the list has a
    /// single entry, for any operation.
    pub(crate) fn roots(&self) -> &[RootPattern] {
        &self.roots
    }

    /// The files that the rules come from.
    pub(crate) fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The numbers of matches that a driver tried to rewrite, of rewrites and of refused rewrites.
    pub(crate) fn counts(&self) -> [u64; 3] {
        let rewrites: u64 = self.applied.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        let refusals = self.refusals.load(Ordering::Relaxed);
        [rewrites + refusals, rewrites, refusals]
    }

    /// The rules with the numbers of their rewrites.
    pub(crate) fn counts_by_rule(&self) -> impl Iterator<Item = (&str, u64)> {
        let program = self.matcher.program();
        let counts = self.applied.iter().map(|count| count.load(Ordering::Relaxed));
        program.patterns().ids().map(|rule| program.pattern_name(rule)).zip(counts)
    }

    /// The rules that MLIR's drivers have applied in this thread since the last call of this function. Each rule comes
    /// with the number of its rewrites, the most frequent rule first. Only the last `MAX_RECENT` rewrites count.
    pub(crate) fn take_recent(&self) -> Vec<(&str, u64)> {
        let mut counts: BTreeMap<PatternId, u64> = BTreeMap::new();
        RECENT.with_borrow_mut(|recent| {
            recent.retain(|&(rules, rule)| {
                let is_own = rules == self.number;
                if is_own {
                    *counts.entry(rule).or_default() += 1;
                }
                !is_own
            });
        });
        let program = self.matcher.program();
        let named = counts.into_iter().map(|(rule, count)| (program.pattern_name(rule), count));
        let mut recent: Vec<(&str, u64)> = named.collect();
        recent.sort_by_key(|&(_, count)| Reverse(count));
        recent
    }

    /// Checks that a rule has this name or label.
    ///
    /// # Errors
    /// No rule has this name or label. The error suggests a similar name.
    pub(crate) fn find(&self, name: &str) -> Result<(), Diagnostics> {
        self.matcher.program().unselected(&[name.to_owned()], &[]).map(drop)
    }

    /// Writes the profile to a file: an HTML page if its name ends in `.html`, else JSON. `operations` is the number of
    /// operations before rewriting.
    ///
    /// # Errors
    /// No counts were collected, the rules have no decision tree for a page, or the file cannot be written.
    pub(crate) fn write_profile(&self, path: &Path, operations: u64) -> Result<(), String> {
        let profiling = self.profiling.as_ref().ok_or("the rules were loaded without a profile")?;
        profiling.write(path, operations, self.counts(), &self.sources)
    }

    /// The failures that no call has returned yet: failures of natives in scripts, and expressions or helpers that
    /// exceeded their budget.
    pub(crate) fn new_failures(&self) -> Diagnostics {
        let mut failures = Diagnostics::default();
        let mut returned = self.returned_failures.lock().unwrap_or_else(PoisonError::into_inner);
        for found in self.scripts.iter().map(Script::diagnostics).chain([self.matcher.failures()]) {
            for failure in found.iter() {
                if !returned.contains(failure) {
                    returned.push(failure.clone());
                    failures.push(failure.clone());
                }
            }
        }
        failures
    }

    /// Tries a pattern on an operation.
    pub(crate) fn apply(self: &Arc<Self>, pattern: usize, op: Operation, rewriter: RewriterRef) -> Tried {
        let rank = self.patterns[pattern].rank();
        // MLIR tries the patterns of one visit in descending order, and ends the visit after a change.
        let visit = VISIT.take().filter(|visit| {
            visit.rules == self.number
                && visit.op == op
                && visit.name == layout::op_name(op)
                && visit.tried > rank
        });
        if let Some(visit) = visit
            && visit.next.is_none_or(|(next, _)| next < rank)
        {
            VISIT.set(Some(Visit { tried: rank, ..visit }));
            return Tried::NoMatch;
        }
        let mut thread = self.take_thread();
        let Thread { host, scratch, profile_cache, .. } = &mut *thread;
        let tried = host.with_rewriter(rewriter, |host| match &self.profiling {
            None => self.try_rank(rank, op, host, visit, &*self.matcher, scratch),
            Some(Profiling { profiler, .. }) => {
                let cache = profile_cache.get_or_insert_with(|| profiler.cache());
                self.try_rank(rank, op, host, visit, profiler, cache)
            }
        });
        THREADS.with_borrow_mut(|threads| threads.push(thread));
        tried
    }

    /// Tries all rules on an operation.
    pub(crate) fn apply_all(self: &Arc<Self>, op: Operation, rewriter: RewriterRef) -> Tried {
        let mut thread = self.take_thread();
        let Thread { host, scratch, profile_cache, .. } = &mut *thread;
        VISIT.set(None);
        let tried = host.with_rewriter(rewriter, |host| match &self.profiling {
            None => self.try_all(op, host, &*self.matcher, scratch),
            Some(Profiling { profiler, .. }) => {
                let cache = profile_cache.get_or_insert_with(|| profiler.cache());
                self.try_all(op, host, profiler, cache)
            }
        });
        THREADS.with_borrow_mut(|threads| threads.push(thread));
        tried
    }

    fn try_all<E: Engine<MlirHost>>(
        &self,
        op: Operation,
        host: &mut MlirHost,
        engine: &E,
        cache: &mut E::Cache,
    ) -> Tried {
        let mut next = engine.match_first(host, op, cache);
        let mut refused = None;
        while let Some(rule) = next {
            match self.rewrite(rule, host, engine, cache) {
                Ok(()) => return Tried::Applied,
                Err(why) => refused = Some(why),
            }
            next = engine.next_match(host, cache);
        }
        refused.map_or(Tried::NoMatch, Tried::Refused)
    }

    /// Applies the rule of the current match.
    ///
    /// # Errors
    /// The reason why the rule refused.
    fn rewrite<E: Engine<MlirHost>>(
        &self,
        rule: PatternId,
        host: &mut MlirHost,
        engine: &E,
        cache: &mut E::Cache,
    ) -> Result<(), String> {
        match engine.rewrite(host, cache, &mut NoListener) {
            Ok(()) => {
                self.applied[rule.index()].fetch_add(1, Ordering::Relaxed);
                RECENT.with_borrow_mut(|recent| {
                    if recent.len() == MAX_RECENT {
                        recent.pop_front();
                    }
                    recent.push_back((self.number, rule));
                });
                Ok(())
            }
            Err(refusal) => {
                self.refusals.fetch_add(1, Ordering::Relaxed);
                let rule = self.matcher.program().pattern_name(rule);
                Err(format!("rule '{rule}' refused: {refusal}"))
            }
        }
    }

    /// Tries one rule on an operation, for projects that add the rules of a file one by one, in any order. Returns
    /// [`Tried::NoMatch`] if the rule does not match or refuses.
    pub(crate) fn apply_rule(self: &Arc<Self>, rule: usize, op: Operation, rewriter: RewriterRef) -> Tried {
        let mut thread = self.take_thread();
        let Thread { host, scratch, .. } = &mut *thread;
        VISIT.set(None);
        let tried = host.with_rewriter(rewriter, |host| {
            let mut next = self.matcher.match_first(host, op, scratch);
            while let Some(found) = next {
                if found.index() == rule {
                    match self.matcher.rewrite(host, scratch, &mut NoListener) {
                        Ok(()) => {
                            self.applied[rule].fetch_add(1, Ordering::Relaxed);
                            return Tried::Applied;
                        }
                        Err(_) => _ = self.refusals.fetch_add(1, Ordering::Relaxed),
                    }
                }
                next = self.matcher.next_match(host, scratch);
            }
            Tried::NoMatch
        });
        THREADS.with_borrow_mut(|threads| threads.push(thread));
        tried
    }

    fn try_rank<E: Engine<MlirHost>>(
        &self,
        rank: Rank,
        op: Operation,
        host: &mut MlirHost,
        visit: Option<Visit>,
        engine: &E,
        cache: &mut E::Cache,
    ) -> Tried {
        let mut next = match visit {
            Some(visit) => visit.next,
            None => engine.match_first(host, op, cache).map(|rule| self.ranked(rule)),
        };
        let mut refused = None;
        while let Some((found, rule)) = next {
            if found < rank {
                break;
            }
            if found == rank {
                match self.rewrite(rule, host, engine, cache) {
                    Ok(()) => return Tried::Applied,
                    Err(why) => refused = Some(why),
                }
            }
            // If the driver has left out a pattern of a higher rank, the matches of that pattern come first and are
            // skipped.
            next = engine.next_match(host, cache).map(|rule| self.ranked(rule));
        }
        VISIT.set(Some(Visit { rules: self.number, op, name: layout::op_name(op), tried: rank, next }));
        refused.map_or(Tried::NoMatch, Tried::Refused)
    }

    fn ranked(&self, rule: PatternId) -> (Rank, PatternId) {
        let info = &self.matcher.program().patterns()[rule];
        ((info.benefit, !info.any), rule)
    }

    /// Takes the memory for these rules out of the thread's list, or creates it.
    fn take_thread(self: &Arc<Self>) -> Box<Thread> {
        THREADS.with_borrow_mut(|threads| {
            let found =
                threads.iter().rposition(|thread| std::ptr::eq(thread.rules.as_ptr(), Arc::as_ptr(self)));
            if let Some(found) = found {
                return threads.swap_remove(found);
            }
            threads.retain(|thread| thread.rules.strong_count() > 0);
            Box::new(Thread {
                rules: Arc::downgrade(self),
                host: self.host.clone(),
                scratch: self.matcher.cache(),
                profile_cache: None,
                automaton: None,
            })
        })
    }

    /// Applies all rules inside an operation with drrvm's own driver. Fails if the rules do not converge.
    pub(crate) fn drive(&self, root: Operation, driver: &Driver, engine: EngineChoice) -> Result<(), String> {
        let automaton = || Automaton::new(Arc::clone(&self.matcher));
        let report = match (&self.profiling, engine) {
            (Some(profiling), _) => self.drive_with(root, driver, &profiling.profiler),
            (None, EngineChoice::Tree) => self.drive_with(root, driver, &*self.matcher),
            (None, EngineChoice::Automaton) => self.drive_with(root, driver, &automaton()),
            (None, EngineChoice::Auto) => self.drive_with(root, driver, &automaton().automatic()),
        };
        self.add(&report);
        let Some(stopped) = report.not_converged else { return Ok(()) };
        let program = self.matcher.program();
        let firing: Vec<&str> = stopped.firing.iter().map(|&(rule, _)| program.pattern_name(rule)).collect();
        let mut problem = not_converged(&stopped, program).message;
        if !firing.is_empty() {
            problem.push_str(&format!("; these keep firing: {}", firing.join(", ")));
        }
        Err(problem)
    }

    fn drive_with(&self, root: Operation, driver: &Driver, engine: &impl Engine<MlirHost>) -> Report {
        let mut host = self.host.clone();
        match driver {
            Driver::Walk => apply_in_walk(&mut host, root, engine, &mut NoListener),
            Driver::Greedy(config) => apply_greedily(&mut host, root, engine, config, &mut NoListener),
        }
    }

    fn add(&self, report: &Report) {
        for (total, &count) in self.applied.iter().zip(&report.applied) {
            total.fetch_add(count, Ordering::Relaxed);
        }

        self.refusals.fetch_add(report.refused, Ordering::Relaxed);
    }

    /// The number of operations at which at least one rule matches.
    pub(crate) fn count_matches(self: &Arc<Self>, ops: &[Operation], automaton: bool) -> usize {
        let mut thread = self.take_thread();
        VISIT.set(None);
        let Thread { host, scratch, automaton: in_use, .. } = &mut *thread;
        let count = if automaton {
            let (engine, cache) = in_use.get_or_insert_with(|| {
                let engine = Automaton::new(Arc::clone(&self.matcher));
                let cache = engine.cache();
                (engine, cache)
            });
            cache.forget_labels();
            count_matches(engine, cache, host, ops)
        } else {
            count_matches(&*self.matcher, scratch, host, ops)
        };
        THREADS.with_borrow_mut(|threads| threads.push(thread));
        count
    }

    /// Visits an operation and the operations inside it, and reads the name of each operation and the operation that
    /// defines its first operand. Returns the number of visits.
    pub(crate) fn walk(&self, root: Operation) -> usize {
        let (mut visits, mut read) = (0, 0);
        self.host.walk(root, WalkOrder::Pre, &mut |op| {
            visits += 1;
            read ^= layout::op_name(op);
            if self.host.operand_count(op) > 0 {
                read ^= self.host.defining_op(self.host.operand(op, 0)).map_or(0, |op| op.0);
            }
        });
        std::hint::black_box(read);
        visits
    }

    /// A line for each rule with this name or label. If the name is empty, a line for each rule that starts at the
    /// operation. The line states that the rule matches the operation, that the rule is left out, or the reason why the
    /// rule does not match. If no rule starts at the operation, the only line states this.
    pub(crate) fn explain(&self, op: Operation, name: &str) -> Vec<String> {
        let program = self.matcher.program();
        let wanted = |&rule: &PatternId| match name {
            "" => self.matcher.candidates(&self.host, op).contains(&rule),
            name => program.pattern_name(rule) == name || program.labels(rule).any(|label| label == name),
        };
        let rules: Vec<PatternId> = program.patterns().ids().filter(wanted).collect();
        let line = |rule: PatternId| {
            let why = self.matcher.explain(&self.host, op, rule);
            let name = program.pattern_name(rule);
            match why.failed() {
                None if why.left_out => format!("rule '{name}' is left out"),
                None => format!("rule '{name}' matches"),
                Some(step) => {
                    let wanted = program.predicate_text(rule, step.predicate);
                    format!("rule '{name}' does not match, because this does not hold: {wanted}")
                }
            }
        };
        if rules.is_empty() {
            return vec![format!("no rule starts at {}", self.host.op_name_text(self.host.op_name(op)))];
        }
        rules.into_iter().map(line).collect()
    }
}

/// The distance in `ops` from the operation that is matched to the operation that is prefetched meanwhile.
///
/// PERF: MLIR's operations are scattered in memory, so prefetching lowers the minimum of 50 runs of the tree from 70 to
/// 36 ns an operation at 100 rules, and from 86 to 80 at 1,000 (`bench/run`, loaded machine).
const AHEAD: usize = 8;

fn count_matches<E: Engine<MlirHost>>(
    engine: &E,
    cache: &mut E::Cache,
    host: &MlirHost,
    ops: &[Operation],
) -> usize {
    let mut count = 0;
    for (at, &op) in ops.iter().enumerate() {
        if let Some(&ahead) = ops.get(at + AHEAD) {
            layout::prefetch(ahead);
        }
        count += usize::from(engine.match_first(host, op, cache).is_some());
    }
    count
}

/// The engine of drrvm's own drivers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EngineChoice {
    Tree,
    Automaton,
    Auto,
}

/// A driver of drrvm.
pub(crate) enum Driver {
    Walk,
    Greedy(Config),
}

impl Driver {
    /// The greedy driver with these limits. If `max_iterations` is negative, the number of sweeps has no limit; if
    /// `max_rewrites` is negative, the number of rewrites in a sweep has no limit.
    pub(crate) fn greedy(
        top_down: bool,
        fold: bool,
        unique: bool,
        max_iterations: i64,
        max_rewrites: i64,
    ) -> Self {
        let traversal = if top_down { Traversal::TopDown } else { Traversal::BottomUp };
        // A limit that does not fit in 32 bits is never reached.
        let sweeps = u32::try_from(max_iterations).ok();
        let config = Config::default().traversal(traversal).fold(fold).unique_constants(unique);
        let rewrites = u64::try_from(max_rewrites).ok();
        Self::Greedy(config.max_sweeps(sweeps).max_rewrites_per_sweep(rewrites))
    }
}

/// The roots and benefits of the rules that are not left out, in descending order of benefit.
fn patterns(matcher: &Matcher<MlirHost>) -> Vec<RootPattern> {
    let program = matcher.program();
    let dropped: Vec<PatternId> = matcher.dropped().collect();
    let mut patterns: Vec<RootPattern> = Vec::new();
    for rule in program.patterns().ids().filter(|rule| !dropped.contains(rule)) {
        let root = program.pattern_debug(rule).root.map(|name| program.strings()[name].to_owned());
        patterns.push(RootPattern { root, benefit: program.patterns()[rule].benefit });
    }
    patterns.sort_by(|a, b| b.rank().cmp(&a.rank()).then_with(|| a.root.cmp(&b.root)));
    patterns.dedup();
    patterns
}

/// One pattern for each root of `patterns`, with the highest benefit. If one of `patterns` has no root name, the only
/// pattern is for any operation.
fn roots(patterns: &[RootPattern]) -> Vec<RootPattern> {
    if patterns.iter().any(|pattern| pattern.root.is_none()) {
        let highest = patterns.iter().map(|pattern| pattern.benefit).max().unwrap_or(0);
        return vec![RootPattern { root: None, benefit: highest }];
    }
    let mut roots: Vec<RootPattern> = Vec::new();
    // The highest benefit comes first.
    for pattern in patterns {
        if !roots.iter().any(|other| other.root == pattern.root) {
            roots.push(pattern.clone());
        }
    }
    roots
}

type Natives = drrvm::Natives<MlirHost>;

fn load_scripts(
    sources: &mut SourceMap,
    paths: &[PathBuf],
) -> Result<(Vec<Script<MlirHost>>, Natives), Diagnostics> {
    let mut natives = Natives::new();
    let mut scripts = Vec::new();
    let mut errors = Diagnostics::default();
    for path in paths {
        let file = sources.load(Path::new(path)).map_err(Diagnostics::from);
        match file.and_then(|file| Script::load(sources.file(file))) {
            Ok(script) => {
                natives = natives.with(script.natives());
                scripts.push(script);
            }
            Err(found) => errors.extend(found),
        }
    }
    if errors.has_errors() { Err(errors) } else { Ok((scripts, natives)) }
}

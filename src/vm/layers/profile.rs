//! An engine that counts instructions, matches and rewrites.
//!
//! Specification: the engine has the matches and effects of its [`Matcher`]. It runs the traced instance of the
//! interpreter; the untraced instance has no code for counting.
//!
//! Times are wall-clock times of matching calls and rewrites, or zero on platforms without a clock. They exclude the
//! cost of counting, except inside the traced loop.

use std::borrow::Borrow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::forward::forward_engine;
use crate::bytecode::{Address, Opcode, Program, decode};
use crate::host::{Facets, Ir, IrMut, Listener, Refusal};
use crate::id::{Id, IdVec};
use crate::pdl::PatternId;
use crate::stopwatch::Stopwatch;

use crate::vm::engine::{Engine, sealed};
use crate::vm::explain::ByRoot;
use crate::vm::tree::{Matcher, Scratch, Trace};

/// The counts of a [`Profiler`].
#[derive(Debug)]
pub struct Profile<H: Ir> {
    /// The number of times that rules were tried on an operation.
    pub visits: u64,
    /// The number of times that each instruction ran, by its address.
    pub steps: Vec<u64>,
    /// The counts of each rule.
    pub rules: IdVec<PatternId, RuleProfile>,
    /// Time spent on searches that found no match.
    pub unmatched: Duration,
    /// The applied rewrites in order, each with its rule and the location of its root.
    pub fired: Vec<(PatternId, H::Location)>,
}

/// The counts of one rule.
#[derive(Clone, Debug, Default)]
pub struct RuleProfile {
    /// The number of times that the rule was tried on an operation at which it may start.
    pub tried: u64,
    /// The number of matches of the rule. After a rule is applied at an operation, no further matches are searched for
    /// there.
    pub matched: u64,
    /// The number of times that the rule was applied.
    pub fired: u64,
    /// The number of rewrites of the rule that were refused and undone.
    pub refused: u64,
    /// For each predicate of the rule, the number of times that this predicate was the first to fail. Counting ends
    /// when the rule first matches. Predicate 0 is the root's name.
    pub stopped: Vec<u64>,
    /// Time spent on finding matches of the rule.
    pub matching: Duration,
    /// Time spent on rewriting.
    pub rewriting: Duration,
    /// The reason why rewriting failed the last time.
    pub refusal: Option<String>,
}

impl<H: Ir> Profile<H> {
    /// The number of executed instructions, without those that fail, jump, open an alternative or report a match.
    pub fn asked(&self, program: &Program) -> u64 {
        let (mut at, mut asked) = (Address::FAIL, 0);
        while let Some(instruction) = decode(&program.code, at) {
            asked += match instruction.layout.opcode {
                Opcode::Fail | Opcode::Jump | Opcode::Try | Opcode::Accept | Opcode::AcceptGuarded => 0,
                _ => self.steps[at.index()],
            };
            at = instruction.end;
        }
        asked
    }

    /// The predicate that failed most often for a rule, as an index into its predicates in source order, and the number
    /// of times. `None` if the rule matched or was never tried.
    pub fn stopper(&self, rule: PatternId) -> Option<(usize, u64)> {
        let profile = &self.rules[rule];
        let stops = profile.stopped.iter().enumerate().skip(1).filter(|_| profile.matched == 0);
        let (at, &count) = stops.max_by_key(|&(at, &count)| (count, std::cmp::Reverse(at)))?;
        (count > 0).then_some((at - 1, count))
    }

    fn count_match(&mut self, matched: Option<PatternId>, time: Duration) {
        match matched {
            Some(rule) => {
                self.rules[rule].matched += 1;
                self.rules[rule].matching += time;
            }
            None => self.unmatched += time,
        }
    }
}

/// A matcher that counts instructions, matches and rewrites. `M` is a matcher, a reference to one, or a shared pointer
/// (`Arc`).
pub struct Profiler<M, H: Facets> {
    matcher: M,
    by_root: ByRoot<PatternId>,
    profile: Mutex<Profile<H>>,
}

impl<M: Borrow<Matcher<H>>, H: Facets> Profiler<M, H> {
    /// Wraps a matcher, with counts of zero.
    pub fn new(matcher: M) -> Self {
        let program = matcher.borrow().program();
        let by_root = ByRoot::new(program, program.patterns.ids().map(|rule| (rule, rule)));
        let rule = |rule: PatternId| RuleProfile {
            stopped: vec![0; program.pattern_debug(rule).steps.len() + 1],
            ..RuleProfile::default()
        };
        let profile = Profile {
            visits: 0,
            steps: vec![0; program.code.len()],
            rules: program.patterns.ids().map(rule).collect(),
            unmatched: Duration::ZERO,
            fired: Vec::new(),
        };
        Self { matcher, by_root, profile: Mutex::new(profile) }
    }

    /// The counts up to now. Matching in other threads waits until the guard is dropped.
    pub fn profile(&self) -> MutexGuard<'_, Profile<H>> {
        self.profile.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counts.
    pub fn into_profile(self) -> Profile<H> {
        self.profile.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The memory of one thread for a [`Profiler`].
pub struct ProfileCache<H: Ir> {
    scratch: Scratch<H>,
    /// Working memory for [`Matcher::progress`].
    spare: Scratch<H>,
}

impl<H: Ir> Listener<H> for ProfileCache<H> {}

struct Steps<'a>(&'a mut [u64]);

impl Trace for Steps<'_> {
    fn step(&mut self, address: Address) {
        if let Some(count) = self.0.get_mut(address.index()) {
            *count += 1;
        }
    }
}

impl<M: Borrow<Matcher<H>>, H: Facets> sealed::Sealed for Profiler<M, H> {}

impl<M: Borrow<Matcher<H>> + Send + Sync, H: Facets> Engine<H> for Profiler<M, H> {
    type Cache = ProfileCache<H>;

    forward_engine!(H; |this, cache| this.matcher.borrow(), &mut cache.scratch; matcher, binding);

    fn cache(&self) -> ProfileCache<H> {
        let matcher = self.matcher.borrow();
        ProfileCache { scratch: matcher.cache(), spare: matcher.cache() }
    }

    fn match_first(&self, host: &H, op: H::Op, cache: &mut ProfileCache<H>) -> Option<PatternId> {
        let matcher = self.matcher.borrow();
        let mut profile = self.profile();
        profile.visits += 1;
        for rule in self.by_root.at(matcher, host, op).filter(|&rule| !matcher.linked.is_dropped(rule)) {
            let counts = &mut profile.rules[rule];
            counts.tried += 1;
            if counts.matched == 0 {
                let progress = matcher.progress(host, op, rule, &mut cache.spare);
                if let Some(stopped) = counts.stopped.get_mut(progress.reached) {
                    *stopped += 1;
                }
            }
        }
        let start = Stopwatch::start();
        let mut steps = Steps(&mut profile.steps);
        let matched = matcher.match_first_traced(host, op, &mut cache.scratch, &mut steps);
        profile.count_match(matched, start.elapsed());
        matched
    }

    fn next_match(&self, host: &H, cache: &mut ProfileCache<H>) -> Option<PatternId> {
        let mut profile = self.profile();
        let start = Stopwatch::start();
        let mut steps = Steps(&mut profile.steps);
        let matched = self.matcher.borrow().next_match_traced(host, &mut cache.scratch, &mut steps);
        profile.count_match(matched, start.elapsed());
        matched
    }

    fn rewrite(
        &self,
        host: &mut H,
        cache: &mut ProfileCache<H>,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal>
    where
        H: IrMut,
    {
        let root = cache.scratch.state.root.map(|root| host.location(root));
        let rule = cache.scratch.matched;
        let start = Stopwatch::start();
        let done = self.matcher.borrow().rewrite(host, &mut cache.scratch, listener);
        let time = start.elapsed();
        if let (Some(rule), Some(root)) = (rule, root) {
            let mut profile = self.profile();
            let counts = &mut profile.rules[rule];
            counts.rewriting += time;
            match &done {
                Ok(()) => {
                    counts.fired += 1;
                    profile.fired.push((rule, root));
                }
                Err(refusal) => {
                    counts.refused += 1;
                    counts.refusal = Some(refusal.to_string());
                }
            }
        }
        done
    }
}

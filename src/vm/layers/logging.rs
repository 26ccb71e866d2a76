//! An engine that logs what it tries.
//!
//! Specification: has the matches and effects of its matcher. At each operation it logs the rules that may start
//! there, in the order in which they are tried, up to the one that is applied: why each does not match or refuses, and
//! each change by the one that is applied.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::host::{Both, Entity, Facets, IrMut, Listener, Refusal, forward_listener};
use crate::pdl::{NodeId, PatternId};

use crate::vm::engine::{Engine, Outcome, sealed::Sealed};
use crate::vm::explain::Explanation;
use crate::vm::tree::{Matcher, Scratch};

/// Receives what a [`LoggingEngine`] tries. As a listener it receives the changes of the rule that is applied.
#[allow(unused_variables, reason = "the defaults do nothing")]
pub trait Log<H: Facets>: Listener<H> + Send {
    /// The rules are about to be tried at an operation.
    fn visit(&mut self, host: &H, op: H::Op) {}
    /// A rule is tried.
    fn begin(&mut self, host: &H, op: H::Op, rule: PatternId) {}
    /// It does not match.
    fn unmatched(&mut self, host: &H, explanation: &Explanation<H>) {}
    /// It matched, refused, and was undone.
    fn refused(&mut self, host: &H, refusal: &Refusal) {}
    /// It was applied; the changes were logged before.
    fn applied(&mut self, host: &H) {}
    /// No more rules are tried at the operation; whether one was applied.
    fn leave(&mut self, host: &H, applied: bool) {}
}

/// A matcher that logs what it tries.
pub struct LoggingEngine<'m, H: Facets, L> {
    matcher: &'m Matcher<H>,
    log: &'m Mutex<L>,
}

impl<'m, H: Facets, L: Log<H>> LoggingEngine<'m, H, L> {
    /// An engine that logs what this matcher tries.
    pub fn new(matcher: &'m Matcher<H>, log: &'m Mutex<L>) -> Self {
        Self { matcher, log }
    }

    fn log(&self) -> MutexGuard<'_, L> {
        lock(self.log)
    }
}

/// The log, also of a thread that panicked.
fn lock<L>(log: &Mutex<L>) -> MutexGuard<'_, L> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The log as a listener.
struct Changes<'a, L>(&'a Mutex<L>);

impl<H: Facets, L: Log<H>> Listener<H> for Changes<'_, L> {
    forward_listener!(H; |this| lock(this.0));
}

impl<H: Facets, L: Log<H>> Sealed for LoggingEngine<'_, H, L> {}

impl<H: Facets, L: Log<H>> Engine<H> for LoggingEngine<'_, H, L> {
    type Cache = Scratch<H>;

    fn matcher(&self) -> &Matcher<H> {
        self.matcher
    }

    fn cache(&self) -> Scratch<H> {
        self.matcher.scratch()
    }

    fn match_first(&self, host: &H, op: H::Op, cache: &mut Scratch<H>) -> Option<PatternId> {
        self.matcher.match_first(host, op, cache)
    }

    fn next_match(&self, host: &H, cache: &mut Scratch<H>) -> Option<PatternId> {
        self.matcher.next_match(host, cache)
    }

    fn binding(&self, host: &H, cache: &mut Scratch<H>, node: NodeId) -> Option<Entity<H>> {
        self.matcher.binding(host, cache, node)
    }

    fn rewrite(
        &self,
        host: &mut H,
        cache: &mut Scratch<H>,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal>
    where
        H: IrMut,
    {
        Engine::rewrite(self.matcher, host, cache, listener)
    }

    fn apply(
        &self,
        host: &mut H,
        op: H::Op,
        cache: &mut Scratch<H>,
        listener: &mut dyn Listener<H>,
    ) -> Outcome
    where
        H: IrMut,
    {
        let mut outcome = Outcome::default();
        self.log().visit(host, op);
        let mut unlogged = self.matcher.candidates(host, op).into_iter();
        let mut aside = self.matcher.scratch();
        let mut matched = self.matcher.match_first(host, op, cache);
        loop {
            // Those before it in order do not match; further matches of one rule are logged once.
            for rule in unlogged.by_ref() {
                self.log().begin(host, op, rule);
                if matched == Some(rule) {
                    break;
                }
                let explanation = self.matcher.explain_with(host, op, rule, &mut aside);
                self.log().unmatched(host, &explanation);
            }
            let Some(rule) = matched else { break };
            let both = &mut Both(&mut Changes(self.log), &mut *listener);
            match Engine::rewrite(self.matcher, host, cache, both) {
                Ok(()) => {
                    outcome.applied = Some(rule);
                    self.log().applied(host);
                    break;
                }
                Err(refusal) => {
                    outcome.refused += 1;
                    self.log().refused(host, &refusal);
                }
            }
            matched = self.matcher.next_match(host, cache);
            if matched == Some(rule) {
                self.log().begin(host, op, rule);
            }
        }
        self.log().leave(host, outcome.applied.is_some());
        outcome
    }
}

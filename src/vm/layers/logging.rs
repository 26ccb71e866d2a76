//! An engine that logs its attempts to apply rules.
//!
//! Specification: the engine has the matches and effects of its matcher. For each operation at which [`Engine::apply`]
//! tries rules, it logs the rules that may start there, in the order in which they are tried, up to the rule that is
//! applied. Other searches for matches are not logged. It logs the reason why a rule is not applied, and each change
//! that the applied rule makes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::forward::forward_engine;
use crate::host::{Both, Facets, IrMut, Listener, Refusal, forward_listener};
use crate::pdl::PatternId;

use crate::vm::engine::{Engine, Outcome, sealed::Sealed};
use crate::vm::explain::Explanation;
use crate::vm::tree::{Matcher, Scratch};

/// Receives the attempts of a [`LoggingEngine`]. As a listener it receives the changes that the applied rule makes.
#[allow(unused_variables, reason = "the defaults do nothing")]
pub trait Log<H: Facets>: Listener<H> + Send {
    /// Called before the rules are tried at an operation.
    fn visit(&mut self, host: &H, op: H::Op) {}
    /// Called when a rule is tried, and again for each further match after a refused rewrite.
    fn begin(&mut self, host: &H, op: H::Op, rule: PatternId) {}
    /// Called if the rule does not match, or if linking left the rule out.
    fn unmatched(&mut self, host: &H, explanation: &Explanation<H>) {}
    /// Called if the rule matched but a step of its rewrite was refused. Its changes were undone.
    fn refused(&mut self, host: &H, refusal: &Refusal) {}
    /// Called after the rule was applied. Its changes were logged before.
    fn applied(&mut self, host: &H) {}
    /// Called when no more rules are tried at the operation. `applied` is true if a rule was applied.
    fn leave(&mut self, host: &H, applied: bool) {}
}

/// A matcher that logs its attempts to apply rules.
pub struct LoggingEngine<'m, H: Facets, L> {
    matcher: &'m Matcher<H>,
    log: &'m Mutex<L>,
}

impl<'m, H: Facets, L: Log<H>> LoggingEngine<'m, H, L> {
    /// Wraps a matcher.
    pub fn new(matcher: &'m Matcher<H>, log: &'m Mutex<L>) -> Self {
        Self { matcher, log }
    }

    fn log(&self) -> MutexGuard<'_, L> {
        lock(self.log)
    }
}

/// The log, even if a thread panicked while it held the lock.
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

    forward_engine!(H; |this, cache| this.matcher, cache; matcher, match_first, next_match, binding, rewrite);

    fn cache(&self) -> Scratch<H> {
        self.matcher.cache()
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
        let mut spare = self.matcher.cache();
        let mut refused = None;
        let mut matched = self.matcher.match_first(host, op, cache);
        loop {
            if let Some(rule) = matched
                && refused == matched
            {
                // A rule that was refused matches again, with other bindings.
                self.log().begin(host, op, rule);
            } else {
                // The rules between the last logged rule and the rule of this match do not match, or are left out.
                for rule in unlogged.by_ref() {
                    self.log().begin(host, op, rule);
                    if matched == Some(rule) {
                        break;
                    }
                    let explanation = self.matcher.explain_with(host, op, rule, &mut spare);
                    self.log().unmatched(host, &explanation);
                }
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
            refused = Some(rule);
            matched = self.matcher.next_match(host, cache);
        }
        self.log().leave(host, outcome.applied.is_some());
        outcome
    }
}

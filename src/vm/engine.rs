//! What finds the rules that match, in one of several ways.
//!
//! Specification: all engines give the same matches, with the same bindings, in the same order, and
//! applying a rule does the same.
//!
//! An engine is immutable and shared between threads; what it learns of an IR, and where it is in a
//! match, is in the caller's [`Engine::Cache`], one for each thread. A cache belongs to one engine and
//! one IR. It listens to changes: rewrites through the engine tell it by themselves, a driver that
//! changes the IR on its own tells it too.

use crate::bytecode::Program;
use crate::host::{Entity, Facets, Hooks, IrMut, Listener, Refusal};
use crate::pdl::{NodeId, PatternId};

use super::rewrite::Outcome;
use super::{Matcher, Scratch};

pub(super) mod sealed {
    /// Only engines of this crate are engines: drivers rely on their agreement.
    pub trait Sealed {}
}

/// A way to find the rules that match: the tree ([`Matcher`]), the [automaton](super::Automaton) or the
/// [reference matcher](super::Reference).
pub trait Engine<H: Facets>: sealed::Sealed + Send + Sync {
    /// What one thread keeps from one operation to the next.
    type Cache: Listener<H>;

    /// The matcher that the engine is made of: it holds the linked program and applies the rules.
    fn matcher(&self) -> &Matcher<H>;

    /// The program whose rules are matched.
    fn program(&self) -> &Program {
        self.matcher().program()
    }

    /// Folds, effects and verifiers that natives registered.
    fn hooks(&self) -> &Hooks<H> {
        self.matcher().hooks()
    }

    /// A cache for one thread and one IR.
    fn cache(&self) -> Self::Cache;

    /// The first rule that matches at an operation.
    fn match_first(&self, host: &H, op: H::Op, cache: &mut Self::Cache) -> Option<PatternId>;

    /// The rule that matches next, in order: the same rule in another way, or a later one. The host
    /// must be as it was when the first was found.
    fn next_match(&self, host: &H, cache: &mut Self::Cache) -> Option<PatternId>;

    /// What a node of the rule that matches now is; `None` if no rule does.
    fn binding(&self, host: &H, cache: &mut Self::Cache, node: NodeId) -> Option<Entity<H>>;

    /// Does what the rule of the current match says, and tells the cache and the listener of each
    /// change. The match is used up if it succeeds.
    ///
    /// # Errors
    /// Why it refused; the IR is as it was, and [`Engine::next_match`] can go on.
    fn rewrite(
        &self,
        host: &mut H,
        cache: &mut Self::Cache,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal>
    where
        H: IrMut;

    /// Applies the first rule that matches `op` and does not refuse. Nothing has changed if none did.
    fn apply(
        &self,
        host: &mut H,
        op: H::Op,
        cache: &mut Self::Cache,
        listener: &mut dyn Listener<H>,
    ) -> Outcome
    where
        H: IrMut,
    {
        let mut outcome = Outcome::default();
        let mut matched = self.match_first(host, op, cache);
        while let Some(pattern) = matched {
            match self.rewrite(host, cache, listener) {
                Ok(()) => {
                    outcome.applied = Some(pattern);
                    break;
                }
                Err(_) => outcome.refused += 1,
            }
            matched = self.next_match(host, cache);
        }
        outcome
    }

    /// Says that the cache was told of every change that the caller has made so far.
    fn acknowledge_changes(&self, _host: &H, _cache: &mut Self::Cache) {}
}

impl<H: Facets> sealed::Sealed for Matcher<H> {}

impl<H: Facets> Engine<H> for Matcher<H> {
    type Cache = Scratch<H>;

    fn matcher(&self) -> &Matcher<H> {
        self
    }

    fn cache(&self) -> Scratch<H> {
        self.scratch()
    }

    #[inline]
    fn match_first(&self, host: &H, op: H::Op, cache: &mut Scratch<H>) -> Option<PatternId> {
        Matcher::match_first(self, host, op, cache)
    }

    #[inline]
    fn next_match(&self, host: &H, cache: &mut Scratch<H>) -> Option<PatternId> {
        Matcher::next_match(self, host, cache)
    }

    fn binding(&self, host: &H, cache: &mut Scratch<H>, node: NodeId) -> Option<Entity<H>> {
        Matcher::binding(self, host, cache, node)
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
        Matcher::rewrite(self, host, cache, listener)
    }
}

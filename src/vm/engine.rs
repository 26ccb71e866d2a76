//! The interface of all engines.
//!
//! Specification: all engines find the same matches, with the same bindings, in the same order, and applying a rule
//! has the same effect.
//!
//! An engine is immutable and shared between threads. Its knowledge about the IR and its current match are in an
//! [`Engine::Cache`], one for each thread, which belongs to one engine and one IR. A cache is a [`Listener`]: the
//! engine notifies the cache of its own rewrites, and a driver notifies the cache of all other changes.

use crate::bytecode::Program;
use crate::host::{Entity, Facets, Hooks, IrMut, Listener, Refusal};
use crate::pdl::{NodeId, PatternId};

use super::tree::{Matcher, Scratch};

/// The result of trying the rules on one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The rule that was applied, if any was.
    pub applied: Option<PatternId>,
    /// The number of rewrites that were refused and rolled back.
    pub refused: u32,
}

pub(super) mod sealed {
    /// Drivers rely on the agreement of engines, so all engines are in this crate.
    pub trait Sealed {}
}

/// An algorithm that finds the rules that match: the tree ([`Matcher`]), the [automaton](super::Automaton) or the
/// [reference matcher](super::Reference).
pub trait Engine<H: Facets>: sealed::Sealed + Send + Sync {
    /// The memory of one thread, which is kept from one operation to the next.
    type Cache: Listener<H>;

    /// The underlying matcher, which holds the linked program and applies the rules.
    fn matcher(&self) -> &Matcher<H>;

    /// The program whose rules are matched.
    fn program(&self) -> &Program {
        self.matcher().program()
    }

    /// The folds, effects and verifiers that are registered in [`Natives`](crate::host::Natives).
    fn hooks(&self) -> &Hooks<H> {
        self.matcher().hooks()
    }

    /// A cache for one thread and one IR.
    fn cache(&self) -> Self::Cache;

    /// The first rule that matches at an operation.
    fn match_first(&self, host: &H, op: H::Op, cache: &mut Self::Cache) -> Option<PatternId>;

    /// The next match, in order: of the same rule with other bindings, or of a later rule. The IR must be
    /// unchanged since the first match was found.
    fn next_match(&self, host: &H, cache: &mut Self::Cache) -> Option<PatternId>;

    /// The entity to which a node of the current match is bound; `None` if there is no match.
    fn binding(&self, host: &H, cache: &mut Self::Cache, node: NodeId) -> Option<Entity<H>>;

    /// Applies the rule of the current match, and notifies the cache and the listener of each change. After a
    /// success there is no current match.
    ///
    /// # Errors
    /// The rule refused, or there is no current match. The IR is unchanged, and [`Engine::next_match`] finds the next
    /// match.
    fn rewrite(
        &self,
        host: &mut H,
        cache: &mut Self::Cache,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal>
    where
        H: IrMut;

    /// Applies the first rule that matches `op` and does not refuse. If there is no such rule, nothing changes.
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

    /// States that the cache was notified of every change up to now. Without this call, an automaton forgets all labels
    /// if the host has [counted](crate::host::Ir::change_count) changes other than the automaton's rewrites.
    fn acknowledge_changes(&self, _host: &H, _cache: &mut Self::Cache) {}
}

impl<H: Facets> sealed::Sealed for Matcher<H> {}

impl<H: Facets> Engine<H> for Matcher<H> {
    type Cache = Scratch<H>;

    fn matcher(&self) -> &Matcher<H> {
        self
    }

    fn cache(&self) -> Scratch<H> {
        Matcher::cache(self)
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

impl<H: Facets + IrMut> Matcher<H> {
    /// Applies the first rule that matches; see [`Engine::apply`].
    pub fn apply(
        &self,
        host: &mut H,
        op: H::Op,
        scratch: &mut Scratch<H>,
        listener: &mut dyn Listener<H>,
    ) -> Outcome {
        Engine::apply(self, host, op, scratch, listener)
    }
}

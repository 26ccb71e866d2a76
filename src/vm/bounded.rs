//! An engine that does not apply a rule to what the rule itself has made.
//!
//! Specification: a rule that is not marked as recursive is not tried on an operation that it made, nor on one
//! that other rules made of such an operation. Otherwise it finds and does what the engine inside does.
//!
//! So rules that undo each other, or grow what they match, come to an end, whatever the driver: of each operation of
//! the input, a chain of rewrites has every rule once at most, besides those that are marked
//! ([`Pattern::recursive`](crate::pdl::Pattern)), whose author promises that they end by themselves.
//!
//! Method: the cache remembers of each operation that a rewrite made which rules led to it, as a list that
//! shares its tail with the list of the operation that was rewritten.
//!
//! Source: `hasBoundedRewriteRecursion` of MLIR's patterns, as its dialect conversion heeds it.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::Engine;
use super::engine::sealed::Sealed;
use crate::bytecode::Program;
use crate::host::{Both, Entity, Facets, Hooks, IrMut, Listener, Refusal};
use crate::pdl::{NodeId, PatternId};

/// An engine that bounds recursion.
pub struct Bounded<E> {
    engine: E,
}

/// What one thread keeps for a [`Bounded`] engine.
pub struct BoundedCache<H: Facets, C> {
    cache: C,
    matched: Option<(H::Op, PatternId)>,
    /// Of each operation that was made, the end of the list of rules that led to it.
    made_by: HashMap<H::Op, usize, FxBuildHasher>,
    /// Rules, each with the rest of its list.
    lists: Vec<(PatternId, Option<usize>)>,
}

impl<H: Facets, C> BoundedCache<H, C> {
    /// Whether a rule led to an operation.
    fn led(&self, rule: PatternId, op: H::Op) -> bool {
        let mut at = self.made_by.get(&op).copied();
        while let Some((led, rest)) = at.map(|at| self.lists[at]) {
            if led == rule {
                return true;
            }
            at = rest;
        }
        false
    }
}

impl<E> Bounded<E> {
    /// Bounds the recursion of an engine's rules.
    pub fn new(engine: E) -> Self {
        Self { engine }
    }

    /// From a match on, the first one of a rule that may be applied.
    fn allowed<H: Facets>(
        &self,
        host: &H,
        op: H::Op,
        cache: &mut BoundedCache<H, E::Cache>,
        mut found: Option<PatternId>,
    ) -> Option<PatternId>
    where
        E: Engine<H>,
    {
        while let Some(rule) = found
            && !self.is_recursive(rule)
            && cache.led(rule, op)
        {
            found = self.engine.next_match(host, &mut cache.cache);
        }
        cache.matched = found.map(|rule| (op, rule));
        found
    }

    fn is_recursive<H: Facets>(&self, rule: PatternId) -> bool
    where
        E: Engine<H>,
    {
        self.engine.program().patterns[rule].recursive
    }
}

impl<E> Sealed for Bounded<E> {}

impl<H: Facets, E: Engine<H>> Engine<H> for Bounded<E> {
    type Cache = BoundedCache<H, E::Cache>;

    fn program(&self) -> &Program {
        self.engine.program()
    }

    fn hooks(&self) -> &Hooks<H> {
        self.engine.hooks()
    }

    fn cache(&self) -> Self::Cache {
        let (made_by, lists) = Default::default();
        BoundedCache { cache: self.engine.cache(), matched: None, made_by, lists }
    }

    fn match_first(&self, host: &H, op: H::Op, cache: &mut Self::Cache) -> Option<PatternId> {
        let found = self.engine.match_first(host, op, &mut cache.cache);
        self.allowed(host, op, cache, found)
    }

    fn next_match(&self, host: &H, cache: &mut Self::Cache) -> Option<PatternId> {
        let (op, _) = cache.matched?;
        let found = self.engine.next_match(host, &mut cache.cache);
        self.allowed(host, op, cache, found)
    }

    fn binding(&self, host: &H, cache: &mut Self::Cache, node: NodeId) -> Option<Entity<H>> {
        self.engine.binding(host, &mut cache.cache, node)
    }

    fn rewrite(
        &self,
        host: &mut H,
        cache: &mut Self::Cache,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal>
    where
        H: IrMut,
    {
        let before = cache.matched.and_then(|(op, _)| cache.made_by.get(&op).copied());
        let mut made = Made::<H> { ops: Vec::new(), erased: Vec::new() };
        self.engine.rewrite(host, &mut cache.cache, &mut Both(&mut made, listener))?;
        let Made { ops, erased } = made;
        for op in &erased {
            cache.made_by.remove(op);
        }
        let Some((_, rule)) = cache.matched.take() else { return Ok(()) };
        let by = if self.is_recursive(rule) {
            before
        } else {
            cache.lists.push((rule, before));
            Some(cache.lists.len() - 1)
        };
        if let Some(by) = by {
            cache.made_by.extend(ops.into_iter().map(|op| (op, by)));
        }
        Ok(())
    }

    fn acknowledge_changes(&self, host: &H, cache: &mut Self::Cache) {
        self.engine.acknowledge_changes(host, &mut cache.cache);
    }
}

/// Hears what a rewrite makes and erases.
struct Made<H: Facets> {
    ops: Vec<H::Op>,
    erased: Vec<H::Op>,
}

impl<H: Facets> Listener<H> for Made<H> {
    fn created(&mut self, _host: &H, op: H::Op) {
        self.ops.push(op);
    }
    fn erased(&mut self, _host: &H, op: H::Op) {
        self.ops.retain(|&made| made != op);
        self.erased.push(op);
    }
}

impl<H: Facets, C: Listener<H>> Listener<H> for BoundedCache<H, C> {
    fn created(&mut self, host: &H, op: H::Op) {
        self.cache.created(host, op);
    }
    fn modified(&mut self, host: &H, op: H::Op) {
        self.cache.modified(host, op);
    }
    fn replaced(&mut self, host: &H, op: H::Op, with: &[H::Value]) {
        self.cache.replaced(host, op, with);
    }
    fn erased(&mut self, host: &H, op: H::Op) {
        // Its id may come to stand for another operation.
        self.made_by.remove(&op);
        self.cache.erased(host, op);
    }
}

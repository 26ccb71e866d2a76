//! An engine that does not apply a rule to operations that the same rule created.
//!
//! Specification: a rule that is not marked as [recursive](crate::pdl::Pattern) is not applied to operations that it
//! created, or to operations that other rules created from these. In all other cases, this engine has the matches and
//! effects of the inner engine.
//!
//! Therefore rules terminate with any driver if each rewrite erases the operation that it matched: a chain of rewrites
//! from one operation of the input uses each unmarked rule at most once. A rule that changes or keeps the matched
//! operation can match it again. The author of a marked rule promises that it terminates.
//!
//! Method: for each operation that a rewrite created, the cache keeps the rules that led to it, as a list that shares
//! its tail with the list of the operation that was rewritten.
//!
//! Source: `hasBoundedRewriteRecursion` of MLIR's patterns, as MLIR's dialect conversion uses it.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::forward::forward_engine;
use crate::host::{Both, Facets, IrMut, Listener, Refusal, forward_listener};
use crate::pdl::PatternId;
use crate::vm::engine::{Engine, sealed::Sealed};

/// An engine whose rules are not applied to operations that they created.
pub struct NonRecursive<E> {
    engine: E,
}

/// The memory of one thread for a [`NonRecursive`] engine.
pub struct NonRecursiveCache<H: Facets, C> {
    cache: C,
    matched: Option<(H::Op, PatternId)>,
    history: History<H>,
}

/// The rules that led to each operation.
struct History<H: Facets> {
    /// For each operation that a rewrite created, the first entry of the list of rules that led to it.
    made_by: HashMap<H::Op, usize, FxBuildHasher>,
    /// List entries: a rule and the next entry.
    lists: Vec<(PatternId, Option<usize>)>,
    /// The first entry for operations that the current rewrite creates.
    current: Option<usize>,
}

impl<H: Facets> History<H> {
    /// True if a rule led to an operation.
    fn led_to(&self, rule: PatternId, op: H::Op) -> bool {
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

impl<H: Facets> Listener<H> for History<H> {
    fn created(&mut self, _host: &H, op: H::Op) {
        self.made_by.extend(self.current.map(|by| (op, by)));
    }
    fn erased(&mut self, _host: &H, op: H::Op) {
        // The host may reuse the id, so the entry is removed.
        self.made_by.remove(&op);
    }
}

impl<H: Facets, C: Listener<H>> Listener<H> for NonRecursiveCache<H, C> {
    forward_listener!(H; |this| this.history, this.cache);
}

impl<E> NonRecursive<E> {
    /// Wraps an engine.
    pub fn new(engine: E) -> Self {
        Self { engine }
    }

    /// The first match, from `found` on, of a rule that may be applied.
    fn allowed<H: Facets>(
        &self,
        host: &H,
        op: H::Op,
        cache: &mut NonRecursiveCache<H, E::Cache>,
        mut found: Option<PatternId>,
    ) -> Option<PatternId>
    where
        E: Engine<H>,
    {
        while let Some(rule) = found
            && !self.is_recursive(rule)
            && cache.history.led_to(rule, op)
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

impl<E> Sealed for NonRecursive<E> {}

impl<H: Facets, E: Engine<H>> Engine<H> for NonRecursive<E> {
    type Cache = NonRecursiveCache<H, E::Cache>;

    forward_engine!(H; |this, cache| &this.engine, &mut cache.cache; matcher, binding, acknowledge_changes);

    fn cache(&self) -> Self::Cache {
        let history = History { made_by: HashMap::default(), lists: Vec::new(), current: None };
        NonRecursiveCache { cache: self.engine.cache(), matched: None, history }
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

    fn rewrite(
        &self,
        host: &mut H,
        cache: &mut Self::Cache,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal>
    where
        H: IrMut,
    {
        let NonRecursiveCache { cache, matched, history } = cache;
        let Some((op, rule)) = *matched else { return Err(Refusal::new("there is no current match")) };
        let before = history.made_by.get(&op).copied();
        history.current = if self.is_recursive(rule) {
            before
        } else {
            history.lists.push((rule, before));
            Some(history.lists.len() - 1)
        };
        let done = self.engine.rewrite(host, cache, &mut Both(history, listener));
        history.current = None;
        match done {
            Ok(()) => *matched = None,
            Err(_) if self.is_recursive(rule) => {}
            Err(_) => _ = history.lists.pop(),
        }
        done
    }
}

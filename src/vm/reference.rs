//! The reference matcher as an engine, for comparisons with the other engines.
//!
//! `src/pdl/reference/` matches rule by rule. Rewriting runs the program's code on the bindings of the reference
//! matcher.

use crate::host::{Bind, Entity, Facets, IrMut, Listener, Natives, Refusal};
use crate::pdl::{Match, NodeId, PatternId, ReferenceMatcher, RuleSet};
use crate::source::Diagnostics;

use super::engine::{Engine, sealed};
use super::tree::{Bound, Matcher, Scratch};

/// An engine that tries one rule after the other.
pub struct Reference<'r, H: Facets> {
    matcher: &'r Matcher<H>,
    reference: ReferenceMatcher<'r, H>,
}

impl<'r, H: Facets + Bind> Reference<'r, H> {
    /// The engine for the rules that the matcher's program was compiled from. It leaves out the rules that the
    /// matcher leaves out.
    ///
    /// # Errors
    /// A native that was registered when the matcher was linked is missing, or has another signature.
    pub fn link(
        rules: &'r RuleSet,
        matcher: &'r Matcher<H>,
        host: &mut H,
        natives: &Natives<H>,
    ) -> Result<Self, Diagnostics> {
        let dropped: Vec<PatternId> = matcher.dropped().collect();
        let mut reference = ReferenceMatcher::without(rules, &dropped, host, natives)?;
        reference.record_failures_in(&matcher.linked.snippets);
        Ok(Self { matcher, reference })
    }
}

/// The current match of one thread.
pub struct ReferenceCache<H: Facets> {
    scratch: Scratch<H>,
    op: Option<H::Op>,
    /// The number of matches at `op` that were returned.
    returned: usize,
    matched: Option<Match<H>>,
}

impl<H: Facets> Listener<H> for ReferenceCache<H> {}

impl<H: Facets> sealed::Sealed for Reference<'_, H> {}

impl<H: Facets + Bind> Engine<H> for Reference<'_, H> {
    type Cache = ReferenceCache<H>;

    fn matcher(&self) -> &Matcher<H> {
        self.matcher
    }

    fn cache(&self) -> Self::Cache {
        ReferenceCache { scratch: self.matcher.cache(), op: None, returned: 0, matched: None }
    }

    fn match_first(&self, host: &H, op: H::Op, cache: &mut Self::Cache) -> Option<PatternId> {
        cache.op = Some(op);
        cache.returned = 0;
        self.next_match(host, cache)
    }

    /// Searches from the first match again.
    fn next_match(&self, host: &H, cache: &mut Self::Cache) -> Option<PatternId> {
        cache.matched = self.reference.matches(host, cache.op?).nth(cache.returned);
        match &cache.matched {
            Some(matched) => {
                cache.returned += 1;
                Some(matched.pattern)
            }
            None => {
                cache.op = None;
                None
            }
        }
    }

    fn binding(&self, _host: &H, cache: &mut Self::Cache, node: NodeId) -> Option<Entity<H>> {
        cache.matched.as_ref().map(|matched| matched.binding(node).clone())
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
        let (Some(matched), Some(op)) = (&cache.matched, cache.op) else {
            return Err(Refusal::new("there is no current match"));
        };
        let scratch = &mut cache.scratch;
        scratch.set_root(op);
        scratch.matched = Some(matched.pattern);
        let positions = self.program().bindings(matched.pattern).iter().copied();
        let bound: Bound<H> = positions.zip(matched.bindings().cloned()).collect();
        self.matcher.linked.rewrite(host, scratch, Some(&bound), listener)?;
        (cache.matched, cache.op) = (None, None);
        Ok(())
    }
}

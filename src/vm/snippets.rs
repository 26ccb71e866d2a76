//! What the engine asks of the snippet language.

use crate::host::{Bind, Entity, Facets, IrMut, Natives, Refusal, Rewriter};
use crate::snippet::{SnippetId, Snippets};

/// Snippets bound to a host.
pub(super) struct Linked<H: Facets> {
    host: std::marker::PhantomData<fn(H)>,
}

impl<H: Facets + Bind> Linked<H> {
    pub(super) fn link(_snippets: &Snippets, _host: &mut H, _natives: &Natives<H>) -> Self {
        Self { host: std::marker::PhantomData }
    }

    pub(super) fn make(&self, _: &Snippets, _: SnippetId, _: &mut H) -> Result<Entity<H>, Refusal> {
        Err(Refusal::new("snippets cannot be evaluated"))
    }
}

impl<H: Facets> Linked<H> {
    pub(super) fn holds(
        &self,
        _: &Snippets,
        _: SnippetId,
        _: &H,
        _: &[Entity<H>],
    ) -> Result<Option<Vec<Entity<H>>>, Refusal> {
        Err(Refusal::new("snippets cannot be evaluated"))
    }
}

impl<H: Facets + IrMut> Linked<H> {
    pub(super) fn rewrite(
        &self,
        _: &Snippets,
        _: SnippetId,
        _: &mut Rewriter<'_, H>,
        _: &[Entity<H>],
    ) -> Result<Vec<Entity<H>>, Refusal> {
        Err(Refusal::new("snippets cannot be evaluated"))
    }
}

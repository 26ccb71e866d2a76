//! What evaluation may do to the host: look while matching, make while linking, rewrite.

use crate::host::{AttrSpec, Bind, Entity, Facets, IrMut, OpState, Refusal, RewriteFn, Rewriter, TypeSpec};

/// What a native rewrite gives.
pub(super) type Given<H> = Result<Vec<Entity<H>>, Refusal>;

/// A host with what may be done to it.
pub(super) trait World<H: Facets> {
    fn host(&self) -> &H;
    /// The type; `None`: the host does not have it, and none may be made.
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal>;
    /// The attribute; `None` likewise.
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal>;
    /// Calls a native rewrite; `None`: nothing may be rewritten.
    fn rewrite(&mut self, _native: &RewriteFn<H>, _args: &[Entity<H>]) -> Option<Given<H>> {
        None
    }
    /// Makes an operation.
    fn create(&mut self, _state: &OpState<'_, H>) -> Result<H::Op, Refusal> {
        Err(Refusal::new("an operation can only be made while rewriting"))
    }
}

/// While matching: nothing changes.
pub(super) struct Matching<'a, H>(pub(super) &'a H);

impl<H: Facets> World<H> for Matching<'_, H> {
    fn host(&self) -> &H {
        self.0
    }
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal> {
        Ok(self.0.find_type(spec))
    }
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal> {
        Ok(self.0.find_attr(spec))
    }
}

fn made<T>(made: Option<T>, what: &'static str) -> Result<Option<T>, Refusal> {
    made.map(Some).ok_or_else(|| Refusal::new(what))
}

const NO_TYPE: &str = "the host cannot make such a type";
const NO_ATTR: &str = "the host cannot make such an attribute";

/// While linking: types and attributes are made.
pub(super) struct Linking<'a, H>(pub(super) &'a mut H);

impl<H: Facets + Bind> World<H> for Linking<'_, H> {
    fn host(&self) -> &H {
        self.0
    }
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal> {
        made(self.0.make_type(spec), NO_TYPE)
    }
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal> {
        made(self.0.make_attr(spec), NO_ATTR)
    }
}

/// While rewriting: operations are made as well.
pub(super) struct Rewriting<'a, 'b, H: Facets + IrMut>(pub(super) &'a mut Rewriter<'b, H>);

impl<H: Facets + IrMut> World<H> for Rewriting<'_, '_, H> {
    fn host(&self) -> &H {
        self.0.host()
    }
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal> {
        made(self.0.host_mut().make_type(spec), NO_TYPE)
    }
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal> {
        made(self.0.host_mut().make_attr(spec), NO_ATTR)
    }
    fn rewrite(&mut self, native: &RewriteFn<H>, args: &[Entity<H>]) -> Option<Given<H>> {
        Some(native(self.0, args))
    }
    fn create(&mut self, state: &OpState<'_, H>) -> Result<H::Op, Refusal> {
        self.0.create(state)
    }
}

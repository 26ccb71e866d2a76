//! The access that an evaluation has to the host: it finds types and attributes while matching, also creates them
//! while linking, and also creates operations while rewriting.

use crate::host::{
    AttrSpec, Bind, CreatedFold, Entity, Facets, Folded, IrMut, OpState, Refusal, Region, RewriteFn,
    Rewriter, TypeSpec,
};

/// The results of a native rewrite.
pub(super) type Rewritten<H> = Result<Vec<Entity<H>>, Refusal>;

/// The access to a host.
pub(super) trait Access<H: Facets> {
    fn host(&self) -> &H;
    /// Finds or creates a type; `None` if the host does not have it and creation is not permitted.
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal>;
    /// Finds or creates an attribute; `None` if the host does not have it and creation is not permitted.
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal>;
    /// Calls a native rewrite; `None` if rewriting is not permitted.
    fn rewrite(&mut self, _native: &RewriteFn<H>, _args: &[Entity<H>]) -> Option<Rewritten<H>> {
        None
    }
    /// Replaces an operation by values, or erases it, once the rewrite has succeeded.
    fn replace(&mut self, _op: H::Op, _with: Option<&[H::Value]>) -> Result<(), Refusal> {
        Err(Refusal::new("an operation can be replaced only while rewriting"))
    }
    /// Sets or removes an attribute.
    fn set_attr(&mut self, _op: H::Op, _name: &str, _value: Option<H::Attr>) -> Result<(), Refusal> {
        Err(Refusal::new("an attribute can be set only while rewriting"))
    }
    /// Moves the blocks of a region to an empty region.
    fn take_region(&mut self, _from: Region<H::Op>, _to: Region<H::Op>) -> Result<(), Refusal> {
        Err(Refusal::new("a region can be taken only while rewriting"))
    }
    /// Creates an operation.
    fn create(&mut self, _state: &OpState<'_, H>) -> Result<H::Op, Refusal> {
        Err(Refusal::new("an operation can be created only while rewriting"))
    }
    /// Folds an operation that was created without uses, given the attributes of its constant operands. Returns the
    /// result of the fold.
    fn fold(
        &mut self,
        _op: H::Op,
        _by: &CreatedFold<H>,
        _constants: &[Option<H::Attr>],
    ) -> Option<Vec<Folded<H>>> {
        None
    }
    /// Creates a constant for the result of a fold.
    fn materialize(
        &mut self,
        _by: &CreatedFold<H>,
        _value: H::Attr,
        _of: H::Value,
        _op: H::Op,
    ) -> Option<H::Value> {
        None
    }
    /// The operation before which new operations are inserted.
    fn insertion_point(&self) -> Result<H::Op, Refusal> {
        Err(Refusal::new("there is an insertion point only while rewriting"))
    }
    /// Inserts new operations before `op` from now on.
    fn set_insertion_point(&mut self, _op: H::Op) -> Result<(), Refusal> {
        Err(Refusal::new("there is an insertion point only while rewriting"))
    }
    /// The operation right after an operation in its block; `None` for the last one.
    fn next_in_block(&self, _op: H::Op) -> Result<Option<H::Op>, Refusal> {
        Err(Refusal::new("the order of operations is available only while rewriting"))
    }
    /// The operation right before an operation in its block; `None` for the first one.
    fn previous_in_block(&self, _op: H::Op) -> Result<Option<H::Op>, Refusal> {
        Err(Refusal::new("the order of operations is available only while rewriting"))
    }
    /// Erases an operation that was created and has no uses.
    fn discard(&mut self, _op: H::Op) {}
}

/// Read-only access, while matching.
pub(super) struct Matching<'a, H>(pub(super) &'a H);

impl<H: Facets> Access<H> for Matching<'_, H> {
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

fn required<T>(created: Option<T>, what: &'static str) -> Result<Option<T>, Refusal> {
    created.map(Some).ok_or_else(|| Refusal::new(what))
}

const NO_TYPE: &str = "the host cannot create the type";
const NO_ATTR: &str = "the host cannot create the attribute";

/// Access that creates types and attributes, while linking.
pub(super) struct Linking<'a, H>(pub(super) &'a mut H);

impl<H: Facets + Bind> Access<H> for Linking<'_, H> {
    fn host(&self) -> &H {
        self.0
    }
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal> {
        required(self.0.make_type(spec), NO_TYPE)
    }
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal> {
        required(self.0.make_attr(spec), NO_ATTR)
    }
}

/// Access that also creates operations, while rewriting.
pub(super) struct Rewriting<'a, 'b, H: Facets + IrMut>(pub(super) &'a mut Rewriter<'b, H>);

impl<H: Facets + IrMut> Access<H> for Rewriting<'_, '_, H> {
    fn host(&self) -> &H {
        self.0.host()
    }
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal> {
        required(self.0.host_mut().make_type(spec), NO_TYPE)
    }
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal> {
        required(self.0.host_mut().make_attr(spec), NO_ATTR)
    }
    fn rewrite(&mut self, native: &RewriteFn<H>, args: &[Entity<H>]) -> Option<Rewritten<H>> {
        Some(native(self.0, args))
    }
    fn replace(&mut self, op: H::Op, with: Option<&[H::Value]>) -> Result<(), Refusal> {
        match with {
            Some(values) => self.0.replace(op, values),
            None => {
                self.0.erase(op);
                Ok(())
            }
        }
    }
    fn set_attr(&mut self, op: H::Op, name: &str, value: Option<H::Attr>) -> Result<(), Refusal> {
        let name = self.0.host_mut().bind_attr_name(name);
        self.0.set_attr(op, name, value)
    }
    fn take_region(&mut self, from: Region<H::Op>, to: Region<H::Op>) -> Result<(), Refusal> {
        self.0.take_region(from, to)
    }
    fn create(&mut self, state: &OpState<'_, H>) -> Result<H::Op, Refusal> {
        self.0.create(state)
    }
    fn fold(
        &mut self,
        op: H::Op,
        by: &CreatedFold<H>,
        constants: &[Option<H::Attr>],
    ) -> Option<Vec<Folded<H>>> {
        (by.fold)(self.0.host_mut(), op, constants)
    }
    fn materialize(
        &mut self,
        by: &CreatedFold<H>,
        value: H::Attr,
        of: H::Value,
        op: H::Op,
    ) -> Option<H::Value> {
        let (ty, location) = (self.0.host().value_type(of), self.0.host().location(op));
        let made = by.materialize.as_ref()?(self.0, value, ty, location).ok()?;
        let host = self.0.host();
        let fits = host.result_count(made) == 1 && host.value_type(host.result(made, 0)) == ty;
        fits.then(|| host.result(made, 0))
    }
    fn insertion_point(&self) -> Result<H::Op, Refusal> {
        Ok(self.0.insertion_point())
    }
    fn set_insertion_point(&mut self, op: H::Op) -> Result<(), Refusal> {
        self.0.set_insertion_point(op);
        Ok(())
    }
    fn next_in_block(&self, op: H::Op) -> Result<Option<H::Op>, Refusal> {
        self.0.host().next_in_block(op)
    }
    fn previous_in_block(&self, op: H::Op) -> Result<Option<H::Op>, Refusal> {
        self.0.host().previous_in_block(op)
    }
    fn discard(&mut self, op: H::Op) {
        self.0.discard(op);
    }
}

//! The access of an evaluation to the host. While matching, an evaluation finds types and attributes. While linking, it
//! also creates them. While rewriting, it also changes the IR.

use crate::host::{
    AttrSpec, Bind, BlockNumber, BlockTable, CreatedFold, Entity, Facets, Folded, InsertionPoint, IrMut,
    NumberedBlocks, NumberedPoint, OpState, Readable, Refusal, Region, RewriteFn, Rewriter, TypeSpec,
};

use super::value::Evaluated;

/// A change of blocks.
pub(super) type BlockChange<'f, H> =
    dyn FnMut(&mut Rewriter<'_, H>, &mut dyn BlockTable<H>) -> Evaluated<H> + 'f;

/// The results of a native rewrite.
pub(super) type Rewritten<H> = Result<Vec<Entity<H>>, Refusal>;

/// The access to a host.
pub(super) trait Access<H: Facets> {
    fn host(&self) -> &H;
    /// Finds or creates a type; `None` if the host does not have it and creation is not permitted.
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal>;
    /// Finds or creates an attribute; `None` if the host does not have it and creation is not permitted.
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal>;
    /// True while rewriting.
    fn rewrites(&self) -> bool {
        false
    }
    /// Calls a native rewrite; `None` if rewriting is not permitted.
    fn rewrite(&mut self, _native: &RewriteFn<H>, _args: &[Entity<H>]) -> Option<Rewritten<H>> {
        None
    }
    /// Replaces an operation by values, or erases it. The change takes effect when the rewrite commits.
    fn replace(&mut self, _op: H::Op, _with: Option<&[H::Value]>) -> Result<(), Refusal> {
        Err(Refusal::new("an operation can be replaced only while rewriting"))
    }
    /// Sets or removes an attribute.
    fn set_attr(&mut self, _op: H::Op, _name: &str, _value: Option<H::Attr>) -> Result<(), Refusal> {
        Err(Refusal::new("an attribute can be set only while rewriting"))
    }
    /// Moves the blocks of a region to an empty region.
    fn take_region(&mut self, _from: Region<H::Op>, _to: Region<H::Op>) -> Result<(), Refusal> {
        Err(Refusal::new("the blocks of a region can be moved only while rewriting"))
    }
    /// True if the commit of the rewrite replaces or erases the operation, or an operation that contains it.
    fn erases(&self, _op: H::Op) -> bool {
        false
    }
    /// The IR, and its blocks.
    ///
    /// # Errors
    /// The host has no blocks, or the evaluation is part of linking.
    fn blocks(&mut self) -> Result<(Readable<'_, H>, &mut dyn BlockTable<H>), Refusal> {
        Err(Refusal::new("blocks are not available while linking"))
    }
    /// Changes blocks.
    fn change_blocks(&mut self, _change: &mut BlockChange<'_, H>) -> Evaluated<H> {
        Err(Refusal::new("blocks can be changed only while rewriting"))
    }
    /// Creates an operation.
    fn create(&mut self, _state: &OpState<'_, H>, _successors: &[BlockNumber]) -> Result<H::Op, Refusal> {
        Err(Refusal::new("an operation can be created only while rewriting"))
    }
    /// The location of the root of the rewrite.
    fn root_location(&self) -> Result<H::Location, Refusal> {
        Err(Refusal::new("an operation can be created only while rewriting"))
    }
    /// Sets the location of a new operation to the unknown location.
    fn forget_location(&mut self, _op: H::Op) {}
    /// Folds a new operation, which has no uses yet. `constants` has the attribute of each operand that is a constant.
    /// Returns the results of the fold, or no results if the operation changed in place; `None` if the operation does
    /// not fold.
    fn fold(
        &mut self,
        _op: H::Op,
        _by: &CreatedFold<H>,
        _constants: &[Option<H::Attr>],
    ) -> Option<Vec<Folded<H>>> {
        None
    }
    /// Creates a constant operation for the result of a fold. `of` is the value that the constant replaces, and `op`
    /// the operation that is folded. Returns the result of the constant; `None` if no constant with exactly one result
    /// of the type of `of` can be created.
    fn materialize(
        &mut self,
        _by: &CreatedFold<H>,
        _value: H::Attr,
        _of: H::Value,
        _op: H::Op,
    ) -> Option<H::Value> {
        None
    }
    /// The insertion point of new operations.
    fn insertion_point(&mut self) -> Result<NumberedPoint<H>, Refusal> {
        Err(Refusal::new("there is an insertion point only while rewriting"))
    }
    /// Sets the insertion point of new operations.
    fn set_insertion_point(&mut self, _place: NumberedPoint<H>) -> Result<(), Refusal> {
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
pub(super) struct Matching<'a, H: Facets> {
    host: &'a H,
    /// The blocks that the evaluation has read; `None` before the first one.
    blocks: Option<NumberedBlocks<H>>,
}

impl<'a, H: Facets> Matching<'a, H> {
    pub(super) fn new(host: &'a H) -> Self {
        Self { host, blocks: None }
    }
}

impl<H: Facets> Access<H> for Matching<'_, H> {
    fn host(&self) -> &H {
        self.host
    }
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal> {
        Ok(self.host.find_type(spec))
    }
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal> {
        Ok(self.host.find_attr(spec))
    }
    fn blocks(&mut self) -> Result<(Readable<'_, H>, &mut dyn BlockTable<H>), Refusal> {
        if self.blocks.is_none() {
            self.blocks = H::numbered_blocks();
        }
        match &mut self.blocks {
            Some(blocks) => Ok((Readable::unchanging(self.host), blocks.table())),
            None => Err(Refusal::new(NO_BLOCKS)),
        }
    }
}

const NO_BLOCKS: &str = "the host has no blocks";

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

/// Access that also changes the IR, while rewriting.
pub(super) struct Rewriting<'a, 'b, H: Facets + IrMut> {
    rewriter: &'a mut Rewriter<'b, H>,
    /// The blocks that the evaluation has seen; `None` before the first one.
    blocks: Option<NumberedBlocks<H>>,
}

impl<'a, 'b, H: Facets + IrMut> Rewriting<'a, 'b, H> {
    pub(super) fn new(rewriter: &'a mut Rewriter<'b, H>) -> Self {
        Self { rewriter, blocks: None }
    }

    /// The rewriter and the blocks. Fails if the host has no blocks.
    fn parts(&mut self) -> Result<(&mut Rewriter<'b, H>, &mut dyn BlockTable<H>), Refusal> {
        if self.blocks.is_none() {
            self.rewriter.index_erasures();
            self.blocks = H::numbered_blocks();
        }
        match &mut self.blocks {
            Some(blocks) => Ok((self.rewriter, blocks.table())),
            None => Err(Refusal::new(NO_BLOCKS)),
        }
    }
}

impl<H: Facets + IrMut> Access<H> for Rewriting<'_, '_, H> {
    fn host(&self) -> &H {
        self.rewriter.host()
    }
    fn rewrites(&self) -> bool {
        true
    }
    fn find_type(&mut self, spec: &TypeSpec<H::Type, H::Attr>) -> Result<Option<H::Type>, Refusal> {
        required(self.rewriter.host_mut().make_type(spec), NO_TYPE)
    }
    fn find_attr(&mut self, spec: &AttrSpec<H::Type, H::Attr>) -> Result<Option<H::Attr>, Refusal> {
        required(self.rewriter.host_mut().make_attr(spec), NO_ATTR)
    }
    fn rewrite(&mut self, native: &RewriteFn<H>, args: &[Entity<H>]) -> Option<Rewritten<H>> {
        Some(native(self.rewriter, args))
    }
    fn replace(&mut self, op: H::Op, with: Option<&[H::Value]>) -> Result<(), Refusal> {
        match with {
            Some(values) => self.rewriter.replace(op, values)?,
            None => self.rewriter.erase(op),
        }
        self.rewriter.index_erasures();
        Ok(())
    }
    fn set_attr(&mut self, op: H::Op, name: &str, value: Option<H::Attr>) -> Result<(), Refusal> {
        let name = self.rewriter.host_mut().bind_attr_name(name);
        self.rewriter.set_attr(op, name, value)
    }
    fn take_region(&mut self, from: Region<H::Op>, to: Region<H::Op>) -> Result<(), Refusal> {
        self.rewriter.take_region(from, to)
    }
    fn erases(&self, op: H::Op) -> bool {
        self.rewriter.erases(op)
    }
    fn blocks(&mut self) -> Result<(Readable<'_, H>, &mut dyn BlockTable<H>), Refusal> {
        let (rewriter, blocks) = self.parts()?;
        Ok((Readable::of(rewriter), blocks))
    }
    fn change_blocks(&mut self, change: &mut BlockChange<'_, H>) -> Evaluated<H> {
        self.rewriter.host().may_change_blocks()?;
        let (rewriter, blocks) = self.parts()?;
        change(rewriter, blocks)
    }
    fn create(&mut self, state: &OpState<'_, H>, successors: &[BlockNumber]) -> Result<H::Op, Refusal> {
        if successors.is_empty() {
            return self.rewriter.create(state);
        }
        let (rewriter, blocks) = self.parts()?;
        blocks.create(rewriter, state, successors)
    }
    fn root_location(&self) -> Result<H::Location, Refusal> {
        Ok(self.rewriter.host().location(self.rewriter.root()))
    }
    fn forget_location(&mut self, op: H::Op) {
        self.rewriter.host_mut().forget_location(op);
    }
    fn fold(
        &mut self,
        op: H::Op,
        by: &CreatedFold<H>,
        constants: &[Option<H::Attr>],
    ) -> Option<Vec<Folded<H>>> {
        (by.fold)(self.rewriter.host_mut(), op, constants)
    }
    fn materialize(
        &mut self,
        by: &CreatedFold<H>,
        value: H::Attr,
        of: H::Value,
        op: H::Op,
    ) -> Option<H::Value> {
        let (ty, location) = (self.rewriter.host().value_type(of), self.rewriter.host().location(op));
        let before = self.rewriter.created().len();
        let made = by.materialize.as_ref()?(self.rewriter, value, ty, location).ok();
        let host = self.rewriter.host();
        let made = made.filter(|&made| host.result_count(made) == 1).map(|made| host.result(made, 0));
        let constant = made.filter(|&made| host.value_type(made) == ty);
        if constant.is_none() {
            let unused = self.rewriter.created().get(before..).unwrap_or_default().to_vec();
            unused.into_iter().rev().for_each(|op| self.rewriter.discard(op));
        }
        constant
    }
    fn insertion_point(&mut self) -> Result<NumberedPoint<H>, Refusal> {
        if let Some(op) = self.rewriter.insertion_op() {
            return Ok(InsertionPoint::Before(op));
        }
        let (rewriter, blocks) = self.parts()?;
        Ok(blocks.insertion_point(rewriter))
    }
    fn set_insertion_point(&mut self, place: NumberedPoint<H>) -> Result<(), Refusal> {
        if let InsertionPoint::Before(op) = place {
            self.rewriter.set_insertion_op(op);
            return Ok(());
        }
        let (rewriter, blocks) = self.parts()?;
        blocks.set_insertion_point(rewriter, place);
        Ok(())
    }
    fn next_in_block(&self, op: H::Op) -> Result<Option<H::Op>, Refusal> {
        self.rewriter.host().next_in_block(op)
    }
    fn previous_in_block(&self, op: H::Op) -> Result<Option<H::Op>, Refusal> {
        self.rewriter.host().previous_in_block(op)
    }
    fn discard(&mut self, op: H::Op) {
        self.rewriter.discard(op);
    }
}

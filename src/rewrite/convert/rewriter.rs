//! The interface through which a conversion pattern changes the IR.

use super::state::{ArgConversion, State};
use crate::host::{Blocks, InsertionPoint, OpState, Refusal, Region};

/// Changes the IR for a [`ConversionPattern`](super::ConversionPattern). All changes take effect at once, and are
/// undone if the pattern fails or if an operation that it creates or changes cannot be legalised.
pub struct ConversionRewriter<'a, 's, H: Blocks> {
    pub(super) state: &'s mut State<'a, H>,
    pub(super) root: H::Op,
    pub(super) legalize: &'s mut dyn FnMut(&mut State<'a, H>, H::Op) -> bool,
}

impl<H: Blocks> ConversionRewriter<'_, '_, H> {
    /// The IR.
    pub fn host(&self) -> &H {
        self.state.host
    }

    /// The mutable IR, for creating types, attributes and locations. Other changes through it are not undone.
    pub fn host_mut(&mut self) -> &mut H {
        self.state.host
    }

    /// The operation that is converted.
    pub fn root(&self) -> H::Op {
        self.root
    }

    /// The types into which a type is converted.
    ///
    /// # Errors
    /// The type cannot be converted.
    pub fn convert_type(&mut self, ty: H::Type) -> Result<Vec<H::Type>, Refusal> {
        Ok(self.state.convert_type(ty)?.to_vec())
    }

    /// Creates an operation before the root.
    ///
    /// # Errors
    /// The host cannot create it.
    pub fn create(&mut self, state: &OpState<'_, H>) -> Result<H::Op, Refusal> {
        self.create_at(InsertionPoint::Before(self.root), state, &[])
    }

    /// Creates an operation with these successors at an insertion point.
    ///
    /// # Errors
    /// The host cannot create it.
    pub fn create_at(
        &mut self,
        place: InsertionPoint<H::Op, H::Block>,
        state: &OpState<'_, H>,
        successors: &[H::Block],
    ) -> Result<H::Op, Refusal> {
        self.state.create(place, state, successors)
    }

    /// Replaces each result of an operation by one value, and erases the operation. The types can differ.
    ///
    /// # Errors
    /// The number of values is not the number of results, the operation is already erased, a value is a result of the
    /// operation itself or of an erased operation, or a cast cannot be created.
    pub fn replace(&mut self, op: H::Op, with: &[H::Value]) -> Result<(), Refusal> {
        self.state.replace_by_values(op, with)
    }

    /// Replaces each result of an operation by any number of values, and erases the operation.
    ///
    /// # Errors
    /// See [`Self::replace`].
    pub fn replace_with_multiple(&mut self, op: H::Op, with: &[Vec<H::Value>]) -> Result<(), Refusal> {
        self.state.replace(op, with)
    }

    /// Replaces a value by other values in all its uses.
    ///
    /// # Errors
    /// A cast cannot be created.
    pub fn replace_value(&mut self, from: H::Value, with: &[H::Value]) -> Result<(), Refusal> {
        self.state.replace_value(from, with, |_| None)
    }

    /// Erases an operation. Each result that still has uses is replaced by a cast without inputs, which a
    /// materialisation must replace.
    ///
    /// # Errors
    /// The operation is already erased, or a cast cannot be created.
    pub fn erase(&mut self, op: H::Op) -> Result<(), Refusal> {
        self.state.erase(op)
    }

    /// Changes operands, attributes or successors of an operation in place.
    pub fn modify(&mut self, op: H::Op, change: impl FnOnce(&mut H, H::Op)) {
        self.state.modify(op, change);
    }

    /// Replaces the arguments of a block.
    ///
    /// # Errors
    /// The number of conversions is not the number of arguments, or a new argument or a cast cannot be created.
    pub fn convert_block(
        &mut self,
        block: H::Block,
        conversions: &[ArgConversion<H>],
    ) -> Result<(), Refusal> {
        self.state.convert_block(block, conversions)
    }

    /// Converts the types of the arguments of all blocks of a region.
    ///
    /// # Errors
    /// A type cannot be converted, or a new argument or a cast cannot be created.
    pub fn convert_region_types(&mut self, region: Region<H::Op>) -> Result<(), Refusal> {
        self.state.convert_region_types(region)
    }

    /// Creates a block in a region: before another block, or at the end.
    ///
    /// # Errors
    /// The host cannot create it.
    pub fn create_block(
        &mut self,
        args: &[(H::Type, H::Location)],
        region: Region<H::Op>,
        before: Option<H::Block>,
    ) -> Result<H::Block, Refusal> {
        self.state.create_block(args, region, before)
    }

    /// Moves all blocks of a region to another region: before one of its blocks, or to its end.
    pub fn inline_region_before(&mut self, from: Region<H::Op>, to: Region<H::Op>, before: Option<H::Block>) {
        self.state.move_region(from, to, before);
    }

    /// Copies all blocks of a region to another region: before one of its blocks, or to its end.
    ///
    /// # Errors
    /// The host cannot copy the blocks, or the region uses values or blocks of other regions of its operation.
    pub fn copy_region_before(
        &mut self,
        from: Region<H::Op>,
        to: Region<H::Op>,
        before: Option<H::Block>,
    ) -> Result<(), Refusal> {
        self.state.copy_region(from, to, before)
    }

    /// Moves an operation to an insertion point.
    pub fn move_op(&mut self, op: H::Op, place: InsertionPoint<H::Op, H::Block>) {
        self.state.move_op(op, place);
    }

    /// Replaces one successor.
    pub fn set_successor(&mut self, op: H::Op, index: u32, block: H::Block) {
        self.state.set_successor(op, index, block);
    }

    /// Erases a block with its operations.
    ///
    /// # Errors
    /// An operation of the block cannot be erased.
    pub fn erase_block(&mut self, block: H::Block) -> Result<(), Refusal> {
        self.state.erase_block(block)
    }

    /// Legalises an operation now, and returns true on success. If the legality of the operation is unknown and no rule
    /// applies, legalisation fails.
    pub fn legalize(&mut self, op: H::Op) -> bool {
        (self.legalize)(self.state, op)
    }
}

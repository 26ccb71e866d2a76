//! Blocks as numbers, because helper functions are compiled for hosts with and without blocks.
//!
//! Specification: a method that changes the IR has the effect of the corresponding method of [`Rewriter`]. The lists of
//! blocks, operations, arguments and predecessors omit the entries that the rewrite erases, because MLIR has already
//! erased them when C++ code reads such a list.

use std::hash::Hash;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::blocks::{BlockArg, Blocks, InsertionPoint, arg_place, args_of, blocks_of, ops_of};
use super::commit::IsUsedOutside;
use super::ir::{Ir, OpState, Refusal, Region};
use super::rewriter::Rewriter;
use super::structural::is_used_outside;
use crate::id::{IdVec, define_ids};

define_ids! {
    /// The number of a block in one evaluation of a helper function.
    pub(crate) struct BlockNumber;
}

/// The numbers of the blocks that one evaluation of a helper function reads or creates.
///
/// A host with blocks returns the result of [`number_blocks`] from
/// [`Facets::numbered_blocks`](super::Facets::numbered_blocks).
pub struct NumberedBlocks<H: Ir>(Box<dyn BlockTable<H>>);

impl<H: Ir> NumberedBlocks<H> {
    pub(crate) fn table(&mut self) -> &mut dyn BlockTable<H> {
        &mut *self.0
    }
}

/// The IR that a table reads.
pub(crate) struct Readable<'a, H: Ir> {
    host: &'a H,
    /// The rewrite that may erase parts of the IR; `None` while matching.
    rewriter: Option<&'a Rewriter<'a, H>>,
}

impl<H: Ir> Clone for Readable<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<H: Ir> Copy for Readable<'_, H> {}

impl<'a, H: Ir> Readable<'a, H> {
    /// The IR of a host while nothing changes.
    pub(crate) fn unchanging(host: &'a H) -> Self {
        Self { host, rewriter: None }
    }
    /// The IR during a rewrite.
    pub(crate) fn of(rewriter: &'a Rewriter<'a, H>) -> Self {
        Self { host: rewriter.host(), rewriter: Some(rewriter) }
    }
    pub(crate) fn host(self) -> &'a H {
        self.host
    }
    /// The number of values that the rewrite has replaced.
    pub(crate) fn replacement_count(self) -> usize {
        self.rewriter.map_or(0, Rewriter::replacement_count)
    }
    fn erases_nothing(self) -> bool {
        self.rewriter.is_none_or(Rewriter::erases_nothing)
    }
    fn erases(self, op: H::Op) -> bool {
        self.rewriter.is_some_and(|rewriter| rewriter.erases(op))
    }
    fn erases_block<B: Hash + Eq + 'static>(self, block: &B) -> bool {
        self.rewriter.is_some_and(|rewriter| rewriter.erases_block(block))
    }
    fn erases_arg(self, arg: &H::Value) -> bool {
        self.rewriter.is_some_and(|rewriter| rewriter.erases_arg(arg))
    }
}

/// An insertion point whose block has a number.
pub(crate) type NumberedPoint<H> = InsertionPoint<<H as Ir>::Op, BlockNumber>;

/// The methods that read and change numbered blocks.
pub(crate) trait BlockTable<H: Ir> {
    /// The function that decides if an operation outside an erased operation uses a value from inside it. See
    /// [`IsUsedOutside`].
    fn is_used_outside(&self) -> IsUsedOutside<H>;

    /// The block that holds an operation.
    fn block_of(&mut self, ir: Readable<'_, H>, op: H::Op) -> Option<BlockNumber>;
    /// The block that has a value as an argument.
    fn arg_block(&mut self, ir: Readable<'_, H>, value: H::Value) -> Option<BlockNumber>;
    /// The region that holds a block.
    fn region_of(&self, ir: Readable<'_, H>, block: BlockNumber) -> Option<Region<H::Op>>;
    /// The number of regions of an operation.
    fn region_count(&self, ir: Readable<'_, H>, op: H::Op) -> u32;
    /// True if the rewrite erases a block.
    fn is_erased(&self, ir: Readable<'_, H>, block: BlockNumber) -> bool;
    /// The first block of a region, even if the rewrite erases the block.
    fn first_block(&mut self, ir: Readable<'_, H>, region: Region<H::Op>) -> Option<BlockNumber>;
    /// The block after a block in its region, even if the rewrite erases the returned block.
    fn next_block(&mut self, ir: Readable<'_, H>, block: BlockNumber) -> Option<BlockNumber>;
    /// The blocks of a region, in order, and the number of blocks that were visited.
    fn blocks(&mut self, ir: Readable<'_, H>, region: Region<H::Op>) -> (Vec<BlockNumber>, u64);
    /// The operations of a block, in order, and the number of operations that were visited.
    fn ops(&self, ir: Readable<'_, H>, block: BlockNumber) -> (Vec<H::Op>, u64);
    /// The first operation of a block, even if the rewrite erases the operation.
    fn first_op(&self, ir: Readable<'_, H>, block: BlockNumber) -> Option<H::Op>;
    /// The last operation of a block, even if the rewrite erases the operation.
    fn last_op(&self, ir: Readable<'_, H>, block: BlockNumber) -> Option<H::Op>;
    /// True if the operation ends its block.
    fn is_terminator(&self, ir: Readable<'_, H>, op: H::Op) -> bool;
    /// The arguments of a block.
    fn args(&self, ir: Readable<'_, H>, block: BlockNumber) -> Vec<H::Value>;
    /// The location of a block argument.
    fn arg_location(&self, ir: Readable<'_, H>, arg: H::Value) -> Option<H::Location>;
    /// The successors of an operation.
    fn successors(&mut self, ir: Readable<'_, H>, op: H::Op) -> Vec<BlockNumber>;
    /// The blocks that branch to a block, once for each edge, in any order, and the number of operations and edges that
    /// were visited.
    fn predecessors(&mut self, ir: Readable<'_, H>, block: BlockNumber) -> (Vec<BlockNumber>, u64);

    fn insertion_point(&mut self, rewriter: &Rewriter<'_, H>) -> NumberedPoint<H>;
    fn set_insertion_point(&self, rewriter: &mut Rewriter<'_, H>, place: NumberedPoint<H>);
    /// Creates an operation at the insertion point.
    ///
    /// # Errors
    /// See [`Rewriter::create_at`].
    fn create(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        state: &OpState<'_, H>,
        successors: &[BlockNumber],
    ) -> Result<H::Op, Refusal>;
    fn move_op(&self, rewriter: &mut Rewriter<'_, H>, op: H::Op, place: NumberedPoint<H>);
    /// Copies an operation to an insertion point.
    ///
    /// # Errors
    /// See [`Rewriter::copy`].
    fn copy_op(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        op: H::Op,
        place: NumberedPoint<H>,
    ) -> Result<H::Op, Refusal>;
    /// See [`Rewriter::create_block`].
    ///
    /// # Errors
    /// The host cannot create the block.
    fn create_block(
        &mut self,
        rewriter: &mut Rewriter<'_, H>,
        args: &[(H::Type, H::Location)],
        region: Region<H::Op>,
        before: Option<BlockNumber>,
    ) -> Result<BlockNumber, Refusal>;
    fn move_block(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        block: BlockNumber,
        region: Region<H::Op>,
        before: Option<BlockNumber>,
    );
    /// Copies all blocks of a region to another region: before one of its blocks, or to its end.
    ///
    /// # Errors
    /// See [`Rewriter::copy_region_before`].
    fn copy_region(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        from: Region<H::Op>,
        to: Region<H::Op>,
        before: Option<BlockNumber>,
    ) -> Result<(), Refusal>;
    fn erase_block(&self, rewriter: &mut Rewriter<'_, H>, block: BlockNumber);
    /// Adds an argument to a block before one of its arguments, or after the last one.
    ///
    /// # Errors
    /// The host cannot add the argument, or `before` is not an argument of a block.
    fn insert_arg(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        block: BlockNumber,
        before: Option<H::Value>,
        arg: (H::Type, H::Location),
    ) -> Result<H::Value, Refusal>;
    /// Erases a block argument. See [`Rewriter::erase_arg`].
    ///
    /// # Errors
    /// See [`Rewriter::erase_arg`], or the value is not an argument of a block.
    fn erase_arg(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        arg: H::Value,
        with: Option<H::Value>,
    ) -> Result<(), Refusal>;
    fn set_successor(&self, rewriter: &mut Rewriter<'_, H>, op: H::Op, index: u32, block: BlockNumber);
    fn set_operand(&self, rewriter: &mut Rewriter<'_, H>, op: H::Op, index: u32, value: H::Value);
    fn replace_uses(&self, rewriter: &mut Rewriter<'_, H>, from: H::Value, to: H::Value);
}

/// Returns a table that gives numbers to the blocks of a host. It is empty at first.
///
/// ```
/// use drrvm::host::{Facets, number_blocks};
/// use drrvm::ir::IrHost;
/// assert!(IrHost::numbered_blocks().is_some());
/// let _ = number_blocks::<IrHost>();
/// ```
pub fn number_blocks<H: Blocks>() -> NumberedBlocks<H> {
    NumberedBlocks(Box::new(Numbers::<H> { blocks: IdVec::default(), numbers: HashMap::default() }))
}

struct Numbers<H: Blocks> {
    blocks: IdVec<BlockNumber, H::Block>,
    numbers: HashMap<H::Block, BlockNumber, FxBuildHasher>,
}

impl<H: Blocks> Numbers<H> {
    fn number(&mut self, block: H::Block) -> BlockNumber {
        *self.numbers.entry(block).or_insert_with(|| self.blocks.push(block))
    }

    fn place(&self, place: NumberedPoint<H>) -> InsertionPoint<H::Op, H::Block> {
        match place {
            InsertionPoint::Before(op) => InsertionPoint::Before(op),
            InsertionPoint::End(block) => InsertionPoint::End(self.blocks[block]),
        }
    }
}

impl<H: Blocks> BlockTable<H> for Numbers<H> {
    fn is_used_outside(&self) -> IsUsedOutside<H> {
        is_used_outside
    }

    fn block_of(&mut self, ir: Readable<'_, H>, op: H::Op) -> Option<BlockNumber> {
        ir.host().block(op).map(|block| self.number(block))
    }
    fn arg_block(&mut self, ir: Readable<'_, H>, value: H::Value) -> Option<BlockNumber> {
        ir.host().arg_block(value).map(|block| self.number(block))
    }
    fn region_of(&self, ir: Readable<'_, H>, block: BlockNumber) -> Option<Region<H::Op>> {
        ir.host().block_region(self.blocks[block])
    }
    fn region_count(&self, ir: Readable<'_, H>, op: H::Op) -> u32 {
        ir.host().region_count(op)
    }
    fn is_erased(&self, ir: Readable<'_, H>, block: BlockNumber) -> bool {
        ir.erases_block(&self.blocks[block])
    }
    fn first_block(&mut self, ir: Readable<'_, H>, region: Region<H::Op>) -> Option<BlockNumber> {
        ir.host().first_block(region).map(|block| self.number(block))
    }
    fn next_block(&mut self, ir: Readable<'_, H>, block: BlockNumber) -> Option<BlockNumber> {
        ir.host().next_block(self.blocks[block]).map(|block| self.number(block))
    }
    fn blocks(&mut self, ir: Readable<'_, H>, region: Region<H::Op>) -> (Vec<BlockNumber>, u64) {
        let mut visited = 0;
        let all = blocks_of(ir.host(), region).inspect(|_| visited += 1);
        let blocks = all.filter(|block| !ir.erases_block(block));
        let blocks = blocks.map(|block| self.number(block)).collect();
        (blocks, visited)
    }
    fn ops(&self, ir: Readable<'_, H>, block: BlockNumber) -> (Vec<H::Op>, u64) {
        let mut visited = 0;
        let all = ops_of(ir.host(), self.blocks[block]).inspect(|_| visited += 1);
        let ops = all.filter(|&op| !ir.erases(op)).collect();
        (ops, visited)
    }
    fn first_op(&self, ir: Readable<'_, H>, block: BlockNumber) -> Option<H::Op> {
        ir.host().first_op(self.blocks[block])
    }
    fn last_op(&self, ir: Readable<'_, H>, block: BlockNumber) -> Option<H::Op> {
        ir.host().last_op(self.blocks[block])
    }
    fn is_terminator(&self, ir: Readable<'_, H>, op: H::Op) -> bool {
        ir.host().is_terminator(op)
    }
    fn args(&self, ir: Readable<'_, H>, block: BlockNumber) -> Vec<H::Value> {
        args_of(ir.host(), self.blocks[block]).filter(|arg| !ir.erases_arg(arg)).collect()
    }
    fn arg_location(&self, ir: Readable<'_, H>, arg: H::Value) -> Option<H::Location> {
        let (block, index) = arg_place(ir.host(), arg)?;
        Some(ir.host().arg_location(block, index))
    }
    fn successors(&mut self, ir: Readable<'_, H>, op: H::Op) -> Vec<BlockNumber> {
        let host = ir.host();
        (0..host.successor_count(op)).map(|index| self.number(host.successor(op, index))).collect()
    }
    fn predecessors(&mut self, ir: Readable<'_, H>, block: BlockNumber) -> (Vec<BlockNumber>, u64) {
        let (host, block) = (ir.host(), self.blocks[block]);
        let mut visited = 0;
        let found: Vec<_> = if ir.erases_nothing() {
            host.edges_to(block, usize::MAX).into_iter().map(|(op, _)| op).collect()
        } else {
            // If the rewrite erases the last operation of a block, the operation before it becomes the last one. A host
            // need not list the edges of that operation, so all operations are searched.
            let region = host.block_region(block);
            let ops = region.into_iter().flat_map(|region| blocks_of(host, region));
            let ops = ops.flat_map(|from| ops_of(host, from)).inspect(|_| visited += 1);
            let ops = ops.filter(|&op| !ir.erases(op));
            let edges = ops.flat_map(|op| (0..host.successor_count(op)).map(move |index| (op, index)));
            edges.filter(|&(op, index)| host.successor(op, index) == block).map(|(op, _)| op).collect()
        };
        visited += found.len() as u64;
        let blocks = found.into_iter().filter_map(|op| host.block(op));
        (blocks.map(|block| self.number(block)).collect(), visited)
    }

    fn insertion_point(&mut self, rewriter: &Rewriter<'_, H>) -> NumberedPoint<H> {
        match rewriter.insertion_point() {
            InsertionPoint::Before(op) => InsertionPoint::Before(op),
            InsertionPoint::End(block) => InsertionPoint::End(self.number(block)),
        }
    }
    fn set_insertion_point(&self, rewriter: &mut Rewriter<'_, H>, place: NumberedPoint<H>) {
        rewriter.set_insertion_point(self.place(place));
    }
    fn create(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        state: &OpState<'_, H>,
        successors: &[BlockNumber],
    ) -> Result<H::Op, Refusal> {
        let successors: Vec<_> = successors.iter().map(|&block| self.blocks[block]).collect();
        rewriter.create_at(rewriter.insertion_point(), state, &successors)
    }
    fn move_op(&self, rewriter: &mut Rewriter<'_, H>, op: H::Op, place: NumberedPoint<H>) {
        rewriter.move_op(op, self.place(place));
    }
    fn copy_op(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        op: H::Op,
        place: NumberedPoint<H>,
    ) -> Result<H::Op, Refusal> {
        rewriter.copy(op, self.place(place))
    }
    fn create_block(
        &mut self,
        rewriter: &mut Rewriter<'_, H>,
        args: &[BlockArg<H>],
        region: Region<H::Op>,
        before: Option<BlockNumber>,
    ) -> Result<BlockNumber, Refusal> {
        let block = rewriter.create_block(args, region, before.map(|block| self.blocks[block]))?;
        Ok(self.number(block))
    }
    fn move_block(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        block: BlockNumber,
        region: Region<H::Op>,
        before: Option<BlockNumber>,
    ) {
        rewriter.move_block(self.blocks[block], region, before.map(|block| self.blocks[block]));
    }
    fn copy_region(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        from: Region<H::Op>,
        to: Region<H::Op>,
        before: Option<BlockNumber>,
    ) -> Result<(), Refusal> {
        rewriter.copy_region_before(from, to, before.map(|block| self.blocks[block])).map(drop)
    }
    fn erase_block(&self, rewriter: &mut Rewriter<'_, H>, block: BlockNumber) {
        rewriter.erase_block(self.blocks[block]);
    }
    fn insert_arg(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        block: BlockNumber,
        before: Option<H::Value>,
        arg: BlockArg<H>,
    ) -> Result<H::Value, Refusal> {
        let block = self.blocks[block];
        let index = match before {
            Some(before) => arg_place(rewriter.host(), before).ok_or_else(not_an_argument)?.1,
            None => rewriter.host().arg_count(block),
        };
        rewriter.insert_arg(block, index, arg)
    }
    fn erase_arg(
        &self,
        rewriter: &mut Rewriter<'_, H>,
        arg: H::Value,
        with: Option<H::Value>,
    ) -> Result<(), Refusal> {
        let (block, index) = arg_place(rewriter.host(), arg).ok_or_else(not_an_argument)?;
        rewriter.erase_arg(block, index, with)
    }
    fn set_successor(&self, rewriter: &mut Rewriter<'_, H>, op: H::Op, index: u32, block: BlockNumber) {
        rewriter.set_successor(op, index, self.blocks[block]);
    }
    fn set_operand(&self, rewriter: &mut Rewriter<'_, H>, op: H::Op, index: u32, value: H::Value) {
        rewriter.set_operand(op, index, value);
    }
    fn replace_uses(&self, rewriter: &mut Rewriter<'_, H>, from: H::Value, to: H::Value) {
        rewriter.replace_uses(from, to);
    }
}

fn not_an_argument() -> Refusal {
    Refusal::new("the value is not an argument of a block")
}

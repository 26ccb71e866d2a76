//! Blocks, regions and successors.
//!
//! Specification: [`Blocks`] adds a control-flow graph to [`IrMut`]. A region is a list of blocks, identified by its
//! operation and its index in this operation. A detached block exists, but is in no region; a detached operation
//! exists, but is in no block. The methods of this trait erase only detached blocks and unused arguments. Every other
//! change has an inverse.

use super::ir::{Handle, Ir, IrMut, NamedAttr, OpState, Refusal, Region};

/// An insertion point: the position at which an operation is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InsertionPoint<O, B> {
    /// Right before this operation.
    Before(O),
    /// At the end of this block.
    End(B),
}

/// The place of a block: its region and the block after it, which is `None` for the last block.
pub(super) type BlockPlace<H> = (Region<<H as Ir>::Op>, Option<<H as Blocks>::Block>);

/// An edge to a block: the operation that branches to it, and the index of the successor.
pub type Edge<H> = (<H as Ir>::Op, u32);

/// The type and the location of a new block argument.
pub(super) type BlockArg<H> = (<H as Ir>::Type, <H as Ir>::Location);

/// An IR whose operations have regions of blocks, and successors.
///
/// A host without blocks does not implement this trait. [Dialect conversion](crate::rewrite::convert()) requires it.
///
/// ```
/// use drrvm::host::{Blocks, Region};
/// use drrvm::ir::{Context, IrHost, Module};
/// let mut context = Context::new();
/// let module = Module::new(&mut context);
/// let mut host = IrHost::new(context, module);
/// let region = Region { op: host.module.top(), index: 0 };
/// let second = host.create_block(&[(Context::I32, Context::UNKNOWN)])?;
/// host.attach_block(second, region, None);
/// assert_eq!(host.first_block(region).and_then(|first| host.next_block(first)), Some(second));
/// assert_eq!(host.arg_count(second), 1);
/// # Ok::<(), drrvm::host::Refusal>(())
/// ```
pub trait Blocks: IrMut {
    /// A block.
    type Block: Handle;

    /// The number of regions.
    fn region_count(&self, op: Self::Op) -> u32;
    /// The first block of a region.
    fn first_block(&self, region: Region<Self::Op>) -> Option<Self::Block>;
    /// The block after a block in its region.
    fn next_block(&self, block: Self::Block) -> Option<Self::Block>;
    /// The region that holds a block; `None` if the block is detached.
    fn block_region(&self, block: Self::Block) -> Option<Region<Self::Op>>;
    /// The number of arguments.
    fn arg_count(&self, block: Self::Block) -> u32;
    /// The argument with this index.
    fn arg(&self, block: Self::Block, index: u32) -> Self::Value;
    /// The location of an argument.
    fn arg_location(&self, block: Self::Block, index: u32) -> Self::Location;
    /// The block that has a value as an argument; `None` for a result.
    fn arg_block(&self, value: Self::Value) -> Option<Self::Block>;
    /// The block that holds an operation; `None` if the operation is detached or is the outermost operation.
    fn block(&self, op: Self::Op) -> Option<Self::Block>;
    /// The first operation of a block.
    fn first_op(&self, block: Self::Block) -> Option<Self::Op>;
    /// The last operation of a block.
    ///
    /// The default visits all operations of the block.
    fn last_op(&self, block: Self::Block) -> Option<Self::Op> {
        ops_of(self, block).last()
    }
    /// The operation after an operation in its block.
    fn next_op(&self, op: Self::Op) -> Option<Self::Op>;
    /// The number of successors.
    fn successor_count(&self, op: Self::Op) -> u32;
    /// The successor with this index.
    fn successor(&self, op: Self::Op, index: u32) -> Self::Block;
    /// The edges to a block from the last operations of blocks in its region, at most `max`, in any order. A host may
    /// also list edges from other operations; well-formed IR has no such edges.
    ///
    /// The default visits all blocks of the region.
    fn edges_to(&self, block: Self::Block, max: usize) -> Vec<Edge<Self>> {
        let Some(region) = self.block_region(block) else { return Vec::new() };
        let last_ops = blocks_of(self, region).filter_map(|from| self.last_op(from));
        let edges = last_ops.flat_map(|op| (0..self.successor_count(op)).map(move |index| (op, index)));
        edges.filter(|&(op, index)| self.successor(op, index) == block).take(max).collect()
    }
    /// All attributes and properties, in any order.
    fn attributes(&self, op: Self::Op) -> Vec<NamedAttr<Self::Attr>>;

    /// Creates an operation with these successors at an insertion point.
    ///
    /// # Errors
    /// See [`IrMut::create`].
    fn create_at(
        &mut self,
        place: InsertionPoint<Self::Op, Self::Block>,
        state: &OpState<'_, Self>,
        successors: &[Self::Block],
    ) -> Result<Self::Op, Refusal>;
    /// Creates a detached copy of an operation and of the contents of its regions.
    ///
    /// # Errors
    /// The host cannot copy it.
    fn copy(&mut self, op: Self::Op) -> Result<Self::Op, Refusal>;
    /// Moves a detached operation to an insertion point.
    fn attach(&mut self, op: Self::Op, place: InsertionPoint<Self::Op, Self::Block>);
    /// Removes an operation from its block, without erasing it.
    fn detach(&mut self, op: Self::Op);
    /// Replaces all operands; their number may change.
    fn set_operands(&mut self, op: Self::Op, operands: &[Self::Value]);
    /// Replaces one operand.
    fn set_operand(&mut self, op: Self::Op, index: u32, value: Self::Value);
    /// Replaces one successor.
    fn set_successor(&mut self, op: Self::Op, index: u32, block: Self::Block);
    /// Replaces all attributes and properties.
    fn set_attributes(&mut self, op: Self::Op, attributes: &[NamedAttr<Self::Attr>]);
    /// Creates a detached block.
    ///
    /// # Errors
    /// The host cannot create it.
    fn create_block(&mut self, args: &[BlockArg<Self>]) -> Result<Self::Block, Refusal>;
    /// Inserts a detached block into a region: before another block, or at the end.
    fn attach_block(&mut self, block: Self::Block, region: Region<Self::Op>, before: Option<Self::Block>);
    /// Removes a block from its region, without erasing it.
    fn detach_block(&mut self, block: Self::Block);
    /// Erases a detached block that has no operations, and whose arguments have no uses.
    fn erase_block(&mut self, block: Self::Block);
    /// Adds an argument to a block at this index.
    ///
    /// # Errors
    /// The host cannot add it.
    fn insert_arg(
        &mut self,
        block: Self::Block,
        index: u32,
        arg: BlockArg<Self>,
    ) -> Result<Self::Value, Refusal>;
    /// Erases an argument that has no uses.
    fn erase_arg(&mut self, block: Self::Block, index: u32);
}

/// Implements [`IrMut::move_blocks`] for a host with blocks.
///
/// ```
/// use drrvm::host::{Region, move_blocks};
/// use drrvm::ir::{Context, IrHost, Module};
/// let mut context = Context::new();
/// let module = Module::new(&mut context);
/// let mut host = IrHost::new(context, module);
/// let body = Region { op: host.module.top(), index: 0 };
/// // Blocks move only to an empty region.
/// assert!(move_blocks(&mut host, body, body).is_err());
/// ```
///
/// # Errors
/// `from` or `to` does not exist, or `to` is not empty.
pub fn move_blocks<H: Blocks>(host: &mut H, from: Region<H::Op>, to: Region<H::Op>) -> Result<(), Refusal> {
    for region in [from, to] {
        if region.index >= host.region_count(region.op) {
            return Err(no_such_region(host, region));
        }
    }
    if host.first_block(to).is_some() {
        return Err(Refusal::new("blocks are moved to a region that is not empty"));
    }
    for block in blocks_of(host, from).collect::<Vec<_>>() {
        host.detach_block(block);
        host.attach_block(block, to, None);
    }
    Ok(())
}

/// The refusal for a region that an operation does not have.
pub(crate) fn no_such_region<H: Ir>(host: &H, region: Region<H::Op>) -> Refusal {
    let name = host.op_name_text(host.op_name(region.op));
    Refusal::new(format!("operation '{name}' has no region {}", region.index))
}

/// The blocks of a region, in order.
pub(crate) fn blocks_of<H: Blocks + ?Sized>(
    host: &H,
    region: Region<H::Op>,
) -> impl Iterator<Item = H::Block> {
    std::iter::successors(host.first_block(region), |&block| host.next_block(block))
}

/// The operations of a block, in order.
pub(crate) fn ops_of<H: Blocks + ?Sized>(host: &H, block: H::Block) -> impl Iterator<Item = H::Op> {
    std::iter::successors(host.first_op(block), |&op| host.next_op(op))
}

/// The regions of an operation.
pub(crate) fn regions_of<H: Blocks>(host: &H, op: H::Op) -> impl Iterator<Item = Region<H::Op>> + use<H> {
    (0..host.region_count(op)).map(move |index| Region { op, index })
}

/// The arguments of a block, in order.
pub(crate) fn args_of<H: Blocks>(host: &H, block: H::Block) -> impl Iterator<Item = H::Value> {
    (0..host.arg_count(block)).map(move |index| host.arg(block, index))
}

/// The block and the index of an argument; `None` for a value that is not an argument of a block.
pub(crate) fn arg_place<H: Blocks>(host: &H, arg: H::Value) -> Option<(H::Block, u32)> {
    let block = host.arg_block(arg)?;
    let index = (0..).zip(args_of(host, block)).find(|&(_, other)| other == arg)?.0;
    Some((block, index))
}

/// The blocks of some regions, and the blocks of all regions inside them. For copies of these regions, the function
/// lists the copies of these blocks in the same order.
pub(crate) fn blocks_within<H: Blocks>(
    host: &H,
    regions: impl Iterator<Item = Region<H::Op>>,
) -> Vec<H::Block> {
    let mut blocks: Vec<_> = regions.flat_map(|region| blocks_of(host, region)).collect();
    add_inner_blocks(host, &mut blocks);
    blocks
}

/// Adds the blocks of all regions inside some blocks.
pub(crate) fn add_inner_blocks<H: Blocks>(host: &H, blocks: &mut Vec<H::Block>) {
    let mut visited = 0;
    while let Some(&block) = blocks.get(visited) {
        visited += 1;
        for op in ops_of(host, block) {
            blocks.extend(regions_of(host, op).flat_map(|region| blocks_of(host, region)));
        }
    }
}

/// The insertion point at which an operation can be attached again after it is detached; `None` if the operation is in
/// no block.
pub(crate) fn place_of<H: Blocks>(host: &H, op: H::Op) -> Option<InsertionPoint<H::Op, H::Block>> {
    let block = host.block(op)?;
    Some(host.next_op(op).map_or(InsertionPoint::End(block), InsertionPoint::Before))
}

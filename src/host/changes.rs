//! A log of changes to an IR, each of which can be undone.
//!
//! Specification: after [`Changes::undo_to`], the IR prints the same text as when the mark was taken. The ids of
//! operations, values and blocks that existed then are still valid. The order of uses can differ.
//!
//! Method: nothing is erased while the log can be undone. An operation to be erased is detached, and its operands are
//! removed. [`Changes::finish`] erases it.

use std::iter;

use super::blocks::{
    BlockArg, BlockPlace, Blocks, InsertionPoint, args_of, blocks_of, blocks_within, ops_of, place_of,
    regions_of,
};
use super::ir::{NamedAttr, OpState, Refusal, Region, WalkOrder, uses_of};

/// A function that undoes a change.
pub(crate) type Undo<H> = Box<dyn FnOnce(&mut H) + Send>;

/// The inverse of one change.
pub(super) enum Inverse<H: Blocks> {
    /// Erases a created operation.
    Erase(H::Op),
    /// Moves an operation back to its position, or detaches it if there is no position.
    Move(H::Op, Option<InsertionPoint<H::Op, H::Block>>),
    EraseBlock(H::Block),
    EraseArg(H::Block, u32),
    Operand(H::Op, u32, H::Value),
    /// Sets all operands to the last values of [`Changes::operands`]. The number is the count of these values.
    Operands(H::Op, u32),
    Successor(H::Op, u32, H::Block),
    /// In a box, so that the entries of the log are small.
    Rare(Box<RareInverse<H>>),
}

/// The inverse of a change that few rewrites make.
pub(super) enum RareInverse<H: Blocks> {
    /// Erases created blocks and their operations. The blocks can use each other's values.
    EraseFilled(Box<[H::Block]>),
    MoveBlock(H::Block, Option<BlockPlace<H>>),
    Attributes(H::Op, Box<[NamedAttr<H::Attr>]>),
    Other(Undo<H>),
}

impl<H: Blocks> From<RareInverse<H>> for Inverse<H> {
    fn from(inverse: RareInverse<H>) -> Self {
        Self::Rare(Box::new(inverse))
    }
}

/// A position in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    changes: usize,
    dead_ops: usize,
    dead_blocks: usize,
}

/// The log of changes, with the detached objects that [`Self::finish`] erases.
pub(crate) struct Changes<H: Blocks> {
    log: Vec<Inverse<H>>,
    /// The old operands of operations, which [`Inverse::Operands`] restores.
    operands: Vec<H::Value>,
    dead_ops: Vec<H::Op>,
    dead_blocks: Vec<H::Block>,
}

impl<H: Blocks> Default for Changes<H> {
    fn default() -> Self {
        Self { log: Vec::new(), operands: Vec::new(), dead_ops: Vec::new(), dead_blocks: Vec::new() }
    }
}

impl<H: Blocks> Changes<H> {
    /// Reserves memory for the replacement of a number of operations.
    pub(crate) fn reserve(&mut self, ops: usize) {
        // A replacement has at least two entries: the creation of an operation, and the detachment of the old
        // operation.
        self.log.reserve(2 * ops);
        self.dead_ops.reserve(ops);
    }

    /// The current position.
    pub(crate) fn mark(&self) -> Mark {
        Mark { changes: self.log.len(), dead_ops: self.dead_ops.len(), dead_blocks: self.dead_blocks.len() }
    }

    /// The operations that [`Self::undo_to`] would move or erase; `None` stands for operations that the log does not
    /// name.
    pub(crate) fn placed_since(&self, mark: Mark) -> impl Iterator<Item = Option<H::Op>> {
        self.log[mark.changes..].iter().filter_map(|inverse| match inverse {
            Inverse::Erase(op) | Inverse::Move(op, _) => Some(Some(*op)),
            Inverse::Rare(rare) if matches!(**rare, RareInverse::EraseFilled(_) | RareInverse::Other(_)) => {
                Some(None)
            }
            _ => None,
        })
    }

    /// Undoes the changes after a mark.
    pub(crate) fn undo_to(&mut self, host: &mut H, mark: Mark) {
        while self.log.len() > mark.changes
            && let Some(inverse) = self.log.pop()
        {
            undo(host, inverse, &mut self.operands);
        }
        self.dead_ops.truncate(mark.dead_ops);
        self.dead_blocks.truncate(mark.dead_blocks);
    }

    /// Erases the detached objects. Afterwards, the changes cannot be undone.
    pub(crate) fn finish(&mut self, host: &mut H) {
        self.log.clear();
        self.operands.clear();
        let ops = std::mem::take(&mut self.dead_ops);
        // An operation can be detached from a block inside another detached operation, so all operands are removed
        // before any operation is erased.
        ops.iter().for_each(|&op| clear_operands(host, op));
        let blocks = std::mem::take(&mut self.dead_blocks);
        ops.into_iter().for_each(|op| host.erase(op));
        erase_filled(host, &blocks);
    }

    /// Records operations that were created.
    pub(crate) fn created(&mut self, ops: &[H::Op]) {
        self.log.extend(ops.iter().map(|&op| Inverse::Erase(op)));
    }

    /// Records a change that was made without this log. `undo` undoes the change.
    pub(crate) fn other(&mut self, undo: Undo<H>) {
        self.log.push(RareInverse::Other(undo).into());
    }

    pub(crate) fn create(
        &mut self,
        host: &mut H,
        place: InsertionPoint<H::Op, H::Block>,
        state: &OpState<'_, H>,
        successors: &[H::Block],
    ) -> Result<H::Op, Refusal> {
        let op = host.create_at(place, state, successors)?;
        self.created(&[op]);
        Ok(op)
    }

    pub(crate) fn move_op(&mut self, host: &mut H, op: H::Op, place: InsertionPoint<H::Op, H::Block>) {
        if place == InsertionPoint::Before(op) {
            return;
        }
        self.detach(host, op);
        host.attach(op, place);
    }

    fn detach(&mut self, host: &mut H, op: H::Op) {
        self.log.push(Inverse::Move(op, place_of(host, op)));
        host.detach(op);
    }

    /// Detaches an operation and removes its operands and those of the operations inside it, so that it uses no value.
    /// [`Self::finish`] erases it.
    pub(crate) fn detach_for_erasure(&mut self, host: &mut H, op: H::Op) {
        self.drop_operands(host, op);
        self.detach(host, op);
        self.dead_ops.push(op);
    }

    /// Removes the operands of an operation and of the operations inside it.
    fn drop_operands(&mut self, host: &mut H, op: H::Op) {
        if host.region_count(op) == 0 {
            return self.set_operands(host, op, &[]);
        }
        let mut inside = Vec::new();
        host.walk(op, WalkOrder::Pre, &mut |op| inside.push(op));
        inside.into_iter().for_each(|op| self.set_operands(host, op, &[]));
    }

    pub(crate) fn set_operands(&mut self, host: &mut H, op: H::Op, operands: &[H::Value]) {
        if operands.is_empty() && host.operand_count(op) == 0 {
            return;
        }
        let start = self.operands.len();
        self.save_operands(host, op);
        if self.operands[start..] == *operands {
            self.operands.truncate(start);
            self.log.pop();
            return;
        }
        host.set_operands(op, operands);
    }

    fn save_operands(&mut self, host: &H, op: H::Op) {
        let count = host.operand_count(op);
        self.operands.extend((0..count).map(|index| host.operand(op, index)));
        self.log.push(Inverse::Operands(op, count));
    }

    pub(crate) fn set_operand(&mut self, host: &mut H, op: H::Op, index: u32, value: H::Value) {
        self.log.push(Inverse::Operand(op, index, host.operand(op, index)));
        host.set_operand(op, index, value);
    }

    pub(crate) fn set_successor(&mut self, host: &mut H, op: H::Op, index: u32, block: H::Block) {
        self.log.push(Inverse::Successor(op, index, host.successor(op, index)));
        host.set_successor(op, index, block);
    }

    /// Makes every use of `from` a use of `to`, except for uses by one operation.
    pub(crate) fn replace_uses(&mut self, host: &mut H, from: H::Value, to: H::Value, except: Option<H::Op>) {
        let uses: Vec<_> = uses_of(host, from)
            .map(|used| (host.use_owner(used), host.use_index(used)))
            .filter(|&(owner, _)| Some(owner) != except)
            .collect();
        for (owner, index) in uses {
            self.set_operand(host, owner, index, to);
        }
    }

    /// Records the attributes, operands and successors of an operation, because they are about to change in place.
    pub(crate) fn save(&mut self, host: &H, op: H::Op) {
        for index in 0..host.successor_count(op) {
            self.log.push(Inverse::Successor(op, index, host.successor(op, index)));
        }
        self.log.push(RareInverse::Attributes(op, host.attributes(op).into()).into());
        self.save_operands(host, op);
    }

    pub(crate) fn create_block(
        &mut self,
        host: &mut H,
        args: &[BlockArg<H>],
        region: Region<H::Op>,
        before: Option<H::Block>,
    ) -> Result<H::Block, Refusal> {
        let block = host.create_block(args)?;
        host.attach_block(block, region, before);
        self.log.push(Inverse::EraseBlock(block));
        Ok(block)
    }

    pub(crate) fn move_block(
        &mut self,
        host: &mut H,
        block: H::Block,
        region: Region<H::Op>,
        before: Option<H::Block>,
    ) {
        if before == Some(block) {
            return;
        }
        self.detach_block(host, block);
        host.attach_block(block, region, before);
    }

    fn detach_block(&mut self, host: &mut H, block: H::Block) {
        let region = host.block_region(block);
        let place = region.map(|region| (region, host.next_block(block)));
        self.log.push(RareInverse::MoveBlock(block, place).into());
        host.detach_block(block);
    }

    /// Detaches a block, and removes the operands of its operations and of the operations inside them. [`Self::finish`]
    /// erases the block.
    pub(crate) fn detach_block_for_erasure(&mut self, host: &mut H, block: H::Block) {
        for op in ops_of(host, block).collect::<Vec<_>>() {
            self.drop_operands(host, op);
        }
        self.detach_block(host, block);
        self.dead_blocks.push(block);
    }

    /// Moves all blocks of a region to another region.
    pub(crate) fn move_region(
        &mut self,
        host: &mut H,
        from: Region<H::Op>,
        to: Region<H::Op>,
        before: Option<H::Block>,
    ) {
        for block in blocks_of(host, from).collect::<Vec<_>>() {
            self.move_block(host, block, to, before);
        }
    }

    /// Copies the blocks of a region to another region, and returns the copies.
    pub(crate) fn copy_region(
        &mut self,
        host: &mut H,
        from: Region<H::Op>,
        to: Region<H::Op>,
        before: Option<H::Block>,
    ) -> Result<Vec<H::Block>, Refusal> {
        let blocks = copy_blocks(host, from, to, before)?;
        self.log.push(RareInverse::EraseFilled(blocks.as_slice().into()).into());
        Ok(blocks)
    }

    pub(crate) fn insert_arg(
        &mut self,
        host: &mut H,
        block: H::Block,
        index: u32,
        arg: BlockArg<H>,
    ) -> Result<H::Value, Refusal> {
        let value = host.insert_arg(block, index, arg)?;
        self.log.push(Inverse::EraseArg(block, index));
        Ok(value)
    }
}

/// Applies an inverse. `operands` is [`Changes::operands`].
pub(super) fn undo<H: Blocks>(host: &mut H, inverse: Inverse<H>, operands: &mut Vec<H::Value>) {
    match inverse {
        Inverse::Erase(op) => host.erase(op),
        Inverse::Move(op, place) => {
            host.detach(op);
            if let Some(place) = place {
                host.attach(op, place);
            }
        }
        Inverse::EraseBlock(block) => {
            host.detach_block(block);
            host.erase_block(block);
        }
        Inverse::EraseArg(block, index) => host.erase_arg(block, index),
        Inverse::Operand(op, index, value) => host.set_operand(op, index, value),
        Inverse::Operands(op, count) => {
            let start = operands.len().checked_sub(count as usize);
            let start = start.expect("the stack holds the operands of each inverse");
            host.set_operands(op, &operands[start..]);
            operands.truncate(start);
        }
        Inverse::Successor(op, index, block) => host.set_successor(op, index, block),
        Inverse::Rare(rare) => match *rare {
            RareInverse::EraseFilled(blocks) => erase_copies(host, &blocks),
            RareInverse::MoveBlock(block, place) => {
                host.detach_block(block);
                if let Some((region, before)) = place {
                    host.attach_block(block, region, before);
                }
            }
            RareInverse::Attributes(op, attributes) => host.set_attributes(op, &attributes),
            RareInverse::Other(undo) => undo(host),
        },
    }
}

/// If an operation has regions, removes its operands and those of the operations inside it.
fn clear_operands<H: Blocks>(host: &mut H, op: H::Op) {
    if host.region_count(op) == 0 {
        return;
    }
    let mut inside = Vec::new();
    host.walk(op, WalkOrder::Pre, &mut |op| inside.push(op));
    inside.into_iter().for_each(|op| host.set_operands(op, &[]));
}

/// Erases copied blocks and their operations.
fn erase_copies<H: Blocks>(host: &mut H, blocks: &[H::Block]) {
    blocks.iter().for_each(|&block| host.detach_block(block));
    erase_filled(host, blocks);
}

/// Erases detached blocks and their operations. The blocks can use each other's values.
fn erase_filled<H: Blocks>(host: &mut H, blocks: &[H::Block]) {
    let ops: Vec<_> = blocks.iter().flat_map(|&block| ops_of(host, block).collect::<Vec<_>>()).collect();
    for &op in &ops {
        clear_operands(host, op);
        host.set_operands(op, &[]);
    }
    ops.into_iter().for_each(|op| host.erase(op));
    blocks.iter().for_each(|&block| host.erase_block(block));
}

/// Copies the blocks of a region to another region. The host copies the whole operation, and the blocks move from this
/// copy to the other region. Returns the new blocks.
///
/// # Errors
/// The host cannot copy the operation, or the copied blocks use values or blocks of the rest of the copy.
pub(super) fn copy_blocks<H: Blocks>(
    host: &mut H,
    from: Region<H::Op>,
    to: Region<H::Op>,
    before: Option<H::Block>,
) -> Result<Vec<H::Block>, Refusal> {
    let copy = host.copy(from.op)?;
    let source = Region { op: copy, index: from.index };
    let blocks: Vec<_> = blocks_of(host, source).collect();
    for &block in &blocks {
        host.detach_block(block);
        host.attach_block(block, to, before);
    }
    clear_operands(host, copy);
    host.set_operands(copy, &[]);
    let is_shared = has_uses(host, copy) || blocks.iter().any(|&block| branches_into(host, block, copy));
    if is_shared {
        erase_copies(host, &blocks);
        host.erase(copy);
        return Err(Refusal::new("a copied region uses values or blocks of its operation"));
    }
    host.erase(copy);
    Ok(blocks)
}

/// True if a result of an operation, or a value inside it, has uses.
fn has_uses<H: Blocks>(host: &H, op: H::Op) -> bool {
    let blocks = blocks_within(host, regions_of(host, op));
    let args = blocks.iter().flat_map(|&block| args_of(host, block));
    let ops = blocks.iter().flat_map(|&block| ops_of(host, block)).chain([op]);
    let results = ops.flat_map(|op| (0..host.result_count(op)).map(move |index| host.result(op, index)));
    args.chain(results).any(|value| host.first_use(value).is_some())
}

/// True if an operation in a block branches to a block inside `op`. Well-formed IR has no branch to another region, but
/// a native can set any block as a successor.
fn branches_into<H: Blocks>(host: &H, block: H::Block, op: H::Op) -> bool {
    let mut inside = Vec::new();
    for op in ops_of(host, block) {
        host.walk(op, WalkOrder::Pre, &mut |op| inside.push(op));
    }
    let successors =
        inside.iter().flat_map(|&from| (0..host.successor_count(from)).map(move |i| host.successor(from, i)));
    let mut regions = successors.filter_map(|block| host.block_region(block));
    regions.any(|region| iter::successors(Some(region.op), |&op| host.parent_op(op)).any(|outer| outer == op))
}

//! Changes of regions and blocks by a rewrite.
//!
//! Specification: changes take effect at once, so that later steps of the rewrite read them. If the rewrite fails, the
//! changes are undone. Blocks and arguments are erased at the commit, which fails if a remaining operation uses them.

use super::blocks::{
    BlockArg, Blocks, InsertionPoint, add_inner_blocks, arg_place, args_of, blocks_of, blocks_within, ops_of,
    place_of, regions_of,
};
use super::changes::{Inverse, RareInverse, copy_blocks, undo};
use super::commit::{Erasures, Set};
use super::ir::{OpState, Refusal, Region, users_of, uses_of};
use super::rewriter::{EndOfBlock, Rewriter};

impl<H: Blocks> Rewriter<'_, H> {
    /// The insertion point of [`Self::create`]. At first, it is right before the root of the rewrite.
    ///
    /// ```
    /// use drrvm::host::{Natives, InsertionPoint, Rewriter};
    /// use drrvm::ir::{IrHost, OpId};
    /// let natives = Natives::new().canonicalize("t.x", "Move", |rewriter: &mut Rewriter<'_, IrHost>, op: OpId| {
    ///     assert_eq!(rewriter.insertion_point(), InsertionPoint::Before(op));
    ///     Ok(false)
    /// });
    /// # let _ = natives;
    /// ```
    pub fn insertion_point(&self) -> InsertionPoint<H::Op, H::Block> {
        let end = self.insertion_end().and_then(|block| block.downcast_ref().copied());
        let before = InsertionPoint::Before(self.insertion_op().unwrap_or(self.root()));
        end.map_or(before, InsertionPoint::End)
    }

    /// Sets the insertion point of [`Self::create`].
    ///
    /// ```
    /// use drrvm::host::{Blocks, Natives, InsertionPoint, Rewriter};
    /// use drrvm::ir::{IrHost, OpId};
    /// let natives = Natives::new().canonicalize("t.x", "Move", |rewriter: &mut Rewriter<'_, IrHost>, op: OpId| {
    ///     if let Some(block) = rewriter.host().block(op) {
    ///         rewriter.set_insertion_point(InsertionPoint::End(block));
    ///     }
    ///     Ok(false)
    /// });
    /// # let _ = natives;
    /// ```
    pub fn set_insertion_point(&mut self, place: InsertionPoint<H::Op, H::Block>) {
        match place {
            InsertionPoint::Before(op) => self.set_insertion_op(op),
            InsertionPoint::End(block) => self.set_insertion_end(EndOfBlock {
                block: Box::new(block),
                create: |host, block, state| match block.downcast_ref() {
                    Some(&block) => host.create_at(InsertionPoint::End(block), state, &[]),
                    None => Err(Refusal::new("the insertion point is in no block")),
                },
            }),
        }
    }

    /// Creates an operation with these successors at an insertion point.
    ///
    /// # Errors
    /// See [`IrMut::create`](super::IrMut::create).
    pub fn create_at(
        &mut self,
        place: InsertionPoint<H::Op, H::Block>,
        state: &OpState<'_, H>,
        successors: &[H::Block],
    ) -> Result<H::Op, Refusal> {
        let op = self.host_mut().create_at(place, state, successors)?;
        self.adopt(op);
        self.check_branches(op);
        Ok(op)
    }

    /// Copies an operation and the contents of its regions to an insertion point.
    ///
    /// # Errors
    /// The host cannot copy the operation. Or the operation has regions, and the rewrite erases the operation itself or
    /// something inside it: a block, an argument or an operation.
    pub fn copy(&mut self, op: H::Op, place: InsertionPoint<H::Op, H::Block>) -> Result<H::Op, Refusal> {
        self.refuse_erased(regions_of(self.host(), op))?;
        let copy = self.host_mut().copy(op)?;
        self.host_mut().attach(copy, place);
        self.adopt(copy);
        self.check_branches(copy);
        let blocks: Vec<_> =
            regions_of(self.host(), copy).flat_map(|region| blocks_of(self.host(), region)).collect();
        self.record_copies(&blocks);
        Ok(copy)
    }

    /// Records the inverse of a change that was just made.
    fn undo_with(&mut self, inverse: Inverse<H>) {
        self.undo_by(move |host| undo(host, inverse, &mut Vec::new()));
    }

    /// Moves an operation to an insertion point.
    pub fn move_op(&mut self, op: H::Op, place: InsertionPoint<H::Op, H::Block>) {
        if place == InsertionPoint::Before(op) {
            return;
        }
        let back = place_of(self.host(), op);
        let host = self.host_mut();
        host.detach(op);
        host.attach(op, place);
        self.undo_with(Inverse::Move(op, back));
        self.check_branches(op);
        self.touch(op);
    }

    /// Creates a block in a region: before another block, or at the end.
    ///
    /// # Errors
    /// The host cannot create it.
    pub fn create_block(
        &mut self,
        args: &[BlockArg<H>],
        region: Region<H::Op>,
        before: Option<H::Block>,
    ) -> Result<H::Block, Refusal> {
        let host = self.host_mut();
        let block = host.create_block(args)?;
        host.attach_block(block, region, before);
        self.undo_with(Inverse::EraseBlock(block));
        self.touch(region.op);
        Ok(block)
    }

    /// Moves a block to a region: before another block, or to the end.
    pub fn move_block(&mut self, block: H::Block, region: Region<H::Op>, before: Option<H::Block>) {
        if before == Some(block) {
            return;
        }
        if self.host().first_block(region).is_none() {
            self.record_filled(region);
        }
        // The edges are listed before the move, because afterwards the block may be in another region than the
        // operations that branch to it.
        let edges = self.host().edges_to(block, usize::MAX);
        let predecessors = edges.into_iter().map(|(op, _)| op);
        let host = self.host_mut();
        let back = host.block_region(block).map(|region| (region, host.next_block(block)));
        host.detach_block(block);
        host.attach_block(block, region, before);
        self.undo_with(RareInverse::MoveBlock(block, back).into());
        for op in ops_of(self.host(), block).chain(predecessors).collect::<Vec<_>>() {
            self.check_branches(op);
        }
        self.touch(region.op);
        if let Some((from, _)) = back {
            self.touch(from.op);
        }
    }

    /// Moves all blocks of a region to another region: before one of its blocks, or to its end. MLIR calls this method
    /// `inlineRegionBefore`.
    pub fn inline_region_before(&mut self, from: Region<H::Op>, to: Region<H::Op>, before: Option<H::Block>) {
        for block in blocks_of(self.host(), from).collect::<Vec<_>>() {
            self.move_block(block, to, before);
        }
    }

    /// Copies all blocks of a region to another region: before one of its blocks, or to its end. Returns the copies.
    ///
    /// # Errors
    /// The host cannot copy the blocks. Or the rewrite erases the operation of `from`, or a block, argument or
    /// operation in the region. Or the region uses results of its operation, or values or blocks in other regions of
    /// its operation.
    pub fn copy_region_before(
        &mut self,
        from: Region<H::Op>,
        to: Region<H::Op>,
        before: Option<H::Block>,
    ) -> Result<Vec<H::Block>, Refusal> {
        self.refuse_erased(std::iter::once(from))?;
        let is_empty = self.host().first_block(to).is_none();
        let blocks = copy_blocks(self.host_mut(), from, to, before)?;
        self.undo_with(RareInverse::EraseFilled(blocks.as_slice().into()).into());
        self.touch(to.op);
        if is_empty {
            self.record_filled(to);
        }
        self.record_copies(&blocks);
        Ok(blocks)
    }

    /// Records the operations of copied blocks, and makes the commit check their branches.
    fn record_copies(&mut self, blocks: &[H::Block]) {
        for op in blocks.iter().flat_map(|&block| ops_of(self.host(), block)).collect::<Vec<_>>() {
            self.record_copy(op);
        }
        let mut all = blocks.to_vec();
        add_inner_blocks(self.host(), &mut all);
        for op in all.iter().flat_map(|&block| ops_of(self.host(), block)).collect::<Vec<_>>() {
            self.check_branches(op);
        }
    }

    /// Adds an argument to a block at this index.
    ///
    /// # Errors
    /// The host cannot add it.
    pub fn insert_arg(&mut self, block: H::Block, index: u32, arg: BlockArg<H>) -> Result<H::Value, Refusal> {
        let value = self.host_mut().insert_arg(block, index, arg)?;
        self.undo_with(Inverse::EraseArg(block, index));
        self.touch_parent(block);
        Ok(value)
    }

    /// Records that the operation that contains a block is modified.
    fn touch_parent(&mut self, block: H::Block) {
        if let Some(region) = self.host().block_region(block) {
            self.touch(region.op);
        }
    }

    /// Fails if the rewrite erases the operation of one of these regions, or a block, argument or operation in one of
    /// these regions. A copy would still contain the erased entities.
    fn refuse_erased(&self, regions: impl Iterator<Item = Region<H::Op>>) -> Result<(), Refusal> {
        let host = self.host();
        let is_erased = |&block: &H::Block| {
            self.erases_block(&block)
                || args_of(host, block).any(|arg| self.erases_arg(&arg))
                || ops_of(host, block).any(|op| self.is_pending(op))
        };
        let region_is_erased = |region: &Region<H::Op>| self.erases(region.op);
        let regions: Vec<_> = regions.collect();
        let blocks = blocks_within(host, regions.iter().copied());
        if regions.iter().any(region_is_erased) || blocks.iter().any(is_erased) {
            return Err(Refusal::new("a region is copied after the region or a part of it was erased"));
        }
        Ok(())
    }

    /// Makes the commit check that an operation branches only to remaining blocks of its region.
    fn check_branches(&mut self, op: H::Op) {
        if self.host().successor_count(op) == 0 {
            return;
        }
        self.check_at_commit(move |erasures| {
            if erasures.erases(op) {
                return Ok(());
            }
            let host = erasures.host;
            let region = host.block(op).and_then(|block| host.block_region(block));
            let mut successors = (0..host.successor_count(op)).map(|index| host.successor(op, index));
            successors.try_for_each(|to| match host.block_region(to) == region {
                _ if erasures.erases_block(&to) => {
                    Err(Refusal::new("an operation branches to an erased block"))
                }
                true => Ok(()),
                false => Err(Refusal::new("an operation branches to a block of another region")),
            })
        });
    }

    /// Erases a block argument once the rewrite has succeeded. If `with` is a value, it replaces the argument in all
    /// its uses. The indices of the block's arguments do not change until the commit. The commit fails if an operation
    /// that remains uses the argument.
    ///
    /// # Errors
    /// `with` is `None`, but an operation that the rewrite does not erase uses the argument; or `with` is the argument
    /// itself.
    pub fn erase_arg(&mut self, block: H::Block, index: u32, with: Option<H::Value>) -> Result<(), Refusal> {
        let arg = self.host().arg(block, index);
        match with {
            None => {
                let mut owners = users_of(self.host(), arg);
                if owners.any(|owner| !self.erases(owner)) {
                    return Err(Refusal::new("a block argument is erased while it is used"));
                }
            }
            Some(with) if with == arg => {
                return Err(Refusal::new("a block argument is replaced by itself"));
            }
            Some(with) => self.replace_uses(arg, with),
        }
        self.record_erased_arg(arg);
        if self.erases_block(&block) {
            return Ok(());
        }
        self.touch_parent(block);
        self.check_at_commit(move |erasures| match erasures.uses(arg) {
            true => Err(Refusal::new("an erased block argument is used")),
            false => Ok(()),
        });
        self.at_commit(
            move |host| Some(host.block_region(block)?.op),
            move |host| {
                if let Some((block, index)) = arg_place(host, arg) {
                    host.erase_arg(block, index);
                }
            },
        );
        Ok(())
    }

    /// Replaces every use of `from` by a use of `to`. Pending replacements of results by `from` become replacements by
    /// `to`.
    ///
    /// ```
    /// use drrvm::host::{Ir, Natives, Rewriter};
    /// use drrvm::ir::{IrHost, OpId};
    /// let natives = Natives::new().canonicalize("t.copy", "Forward", |rewriter: &mut Rewriter<'_, IrHost>, op: OpId| {
    ///     let (from, to) = (rewriter.host().result(op, 0), rewriter.host().operand(op, 0));
    ///     rewriter.replace_uses(from, to);
    ///     rewriter.erase(op);
    ///     Ok(true)
    /// });
    /// # let _ = natives;
    /// ```
    pub fn replace_uses(&mut self, from: H::Value, to: H::Value) {
        let host = self.host();
        let uses: Vec<_> =
            uses_of(host, from).map(|used| (host.use_owner(used), host.use_index(used))).collect();
        uses.into_iter().for_each(|(owner, index)| self.set_operand(owner, index, to));
        self.redirect_replacements(from, to);
    }

    /// Replaces one operand.
    pub(super) fn set_operand(&mut self, op: H::Op, index: u32, value: H::Value) {
        let old = self.host().operand(op, index);
        self.host_mut().set_operand(op, index, value);
        self.undo_with(Inverse::Operand(op, index, old));
        self.touch(op);
    }

    /// Replaces one successor.
    pub fn set_successor(&mut self, op: H::Op, index: u32, block: H::Block) {
        let old = self.host().successor(op, index);
        self.host_mut().set_successor(op, index, block);
        self.undo_with(Inverse::Successor(op, index, old));
        self.check_branches(op);
        self.touch(op);
    }

    /// Erases a block and its operations, once the rewrite has succeeded. The rewrite fails if an operation that it
    /// does not erase uses a value of the block, branches to the block, or is in the block at the commit. It also fails
    /// if the block is the only block of the outermost operation's region.
    pub fn erase_block(&mut self, block: H::Block) {
        if self.erases_block(&block) {
            return;
        }
        self.record_erased_block(block);
        self.touch_parent(block);
        let remaining: Vec<_> = ops_of(self.host(), block).filter(|&op| !self.erases(op)).collect();
        remaining.into_iter().for_each(|op| self.erase(op));
        self.index_erasures();
        self.check_at_commit(move |erasures| {
            let host = erasures.host;
            if ops_of(host, block).any(|op| !erasures.erases(op)) {
                return Err(Refusal::new("an operation remains in an erased block"));
            }
            // In a conversion, an erased operation is detached before this check. Like the outermost operation, it then
            // has no parent.
            let is_outermost = |op| host.parent_op(op).is_none() && !erasures.is_pending(op);
            let outermost = host.block_region(block).filter(|region| is_outermost(region.op));
            if outermost.is_some_and(|region| blocks_of(host, region).eq([block])) {
                return Err(Refusal::new("the only block of the outermost operation is erased"));
            }
            let mut edges = host.edges_to(block, usize::MAX).into_iter();
            let mut args = args_of(host, block);
            if edges.any(|(op, _)| !erasures.erases(op)) || args.any(|arg| erasures.uses(arg)) {
                return Err(Refusal::new("a block is erased while it is used"));
            }
            Ok(())
        });
        self.at_commit(
            move |host| Some(host.block_region(block)?.op),
            move |host| {
                host.detach_block(block);
                host.erase_block(block);
            },
        );
    }
}

/// See [`IsUsedOutside`](super::commit::IsUsedOutside).
pub(super) fn is_used_outside<H: Blocks>(erasures: &Erasures<'_, H>, op: H::Op) -> bool {
    let host = erasures.host;
    if host.region_count(op) == 0 {
        return false;
    }
    let blocks = blocks_within(host, regions_of(host, op));
    let ops = || blocks.iter().flat_map(|&block| ops_of(host, block));
    let inside: Set<_> = ops().collect();
    let args = blocks.iter().flat_map(|&block| args_of(host, block));
    let remaining = ops().filter(|&op| !erasures.is_pending(op));
    let results =
        remaining.flat_map(|op| (0..host.result_count(op)).map(move |index| host.result(op, index)));
    args.chain(results).any(|value| erasures.has_user(value, |user| !inside.contains(&user)))
}

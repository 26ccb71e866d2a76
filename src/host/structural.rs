//! Changes of regions and blocks by a rewrite.
//!
//! Specification: changes take effect at once, so that later steps of the rewrite read them, and are undone if the
//! rewrite fails. Blocks and arguments are erased at the commit.

use super::blocks::{BlockArg, Blocks, Place, blocks_of, ops_of, place_of};
use super::changes::{copy_blocks, erase_copies};
use super::ir::{OpState, Refusal, Region};
use super::rewriter::Rewriter;

impl<H: Blocks> Rewriter<'_, H> {
    /// Creates an operation at a place, which branches to `successors`.
    ///
    /// # Errors
    /// See [`IrMut::create`](super::IrMut::create).
    pub fn create_at(
        &mut self,
        place: Place<H::Op, H::Block>,
        state: &OpState<'_, H>,
        successors: &[H::Block],
    ) -> Result<H::Op, Refusal> {
        let op = self.host_mut().create_at(place, state, successors)?;
        self.adopt(op);
        Ok(op)
    }

    /// Copies an operation and the contents of its regions to a place.
    ///
    /// # Errors
    /// The host cannot copy it.
    pub fn copy(&mut self, op: H::Op, place: Place<H::Op, H::Block>) -> Result<H::Op, Refusal> {
        let copy = self.host_mut().copy(op)?;
        self.host_mut().attach(copy, place);
        self.adopt(copy);
        Ok(copy)
    }

    /// Moves an operation to a place.
    pub fn move_op(&mut self, op: H::Op, place: Place<H::Op, H::Block>) {
        if place == Place::Before(op) {
            return;
        }
        let back = place_of(self.host(), op);
        let host = self.host_mut();
        host.detach(op);
        host.attach(op, place);
        self.undo_by(move |host| {
            host.detach(op);
            if let Some(back) = back {
                host.attach(op, back);
            }
        });
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
        self.undo_by(move |host| {
            host.detach_block(block);
            host.erase_block(block);
        });
        self.touch(region.op);
        Ok(block)
    }

    /// Moves a block to a region: before another block, or to the end.
    pub fn move_block(&mut self, block: H::Block, region: Region<H::Op>, before: Option<H::Block>) {
        if before == Some(block) {
            return;
        }
        let host = self.host_mut();
        let back = host.block_region(block).map(|region| (region, host.next_block(block)));
        host.detach_block(block);
        host.attach_block(block, region, before);
        self.undo_by(move |host| {
            host.detach_block(block);
            if let Some((region, before)) = back {
                host.attach_block(block, region, before);
            }
        });
        self.touch(region.op);
        if let Some((from, _)) = back {
            self.touch(from.op);
        }
    }

    /// Moves all blocks of a region to another one: before a block of it, or to the end. MLIR calls it
    /// `inlineRegionBefore`.
    pub fn inline_region_before(&mut self, from: Region<H::Op>, to: Region<H::Op>, before: Option<H::Block>) {
        for block in blocks_of(self.host(), from).collect::<Vec<_>>() {
            self.move_block(block, to, before);
        }
    }

    /// Copies all blocks of a region to another one: before a block of it, or to the end. Returns the copies.
    ///
    /// # Errors
    /// The host cannot copy them.
    pub fn copy_region_before(
        &mut self,
        from: Region<H::Op>,
        to: Region<H::Op>,
        before: Option<H::Block>,
    ) -> Result<Vec<H::Block>, Refusal> {
        let blocks = copy_blocks(self.host_mut(), from, to, before)?;
        let copies = blocks.clone();
        self.undo_by(move |host| erase_copies(host, &copies));
        self.touch(to.op);
        for &block in &blocks {
            let ops: Vec<_> = ops_of(self.host(), block).collect();
            ops.into_iter().for_each(|op| self.touch(op));
        }
        Ok(blocks)
    }

    /// Adds an argument to a block at this index.
    ///
    /// # Errors
    /// The host cannot add it.
    pub fn insert_arg(&mut self, block: H::Block, index: u32, arg: BlockArg<H>) -> Result<H::Value, Refusal> {
        let value = self.host_mut().insert_arg(block, index, arg)?;
        self.undo_by(move |host| host.erase_arg(block, index));
        Ok(value)
    }

    /// Makes every use of a block argument a use of another value, once the rewrite has succeeded, and erases the
    /// argument. A block keeps the indices of its arguments until then.
    pub fn erase_arg(&mut self, block: H::Block, index: u32, with: Option<H::Value>) -> Result<(), Refusal> {
        let arg = self.host().arg(block, index);
        if with.is_none() && self.host().first_use(arg).is_some() {
            return Err(Refusal::new("a block argument is erased while it is used"));
        }
        if with == Some(arg) {
            return Err(Refusal::new("a block argument is replaced by itself"));
        }
        self.at_commit(move |host| {
            let index = (0..host.arg_count(block)).find(|&index| host.arg(block, index) == arg);
            if let Some(with) = with {
                host.replace_all_uses(arg, with);
            }
            if let Some(index) = index.filter(|_| host.first_use(arg).is_none()) {
                host.erase_arg(block, index);
            }
        });
        Ok(())
    }

    /// Replaces one successor.
    pub fn set_successor(&mut self, op: H::Op, index: u32, block: H::Block) {
        let old = self.host().successor(op, index);
        self.host_mut().set_successor(op, index, block);
        self.undo_by(move |host| host.set_successor(op, index, old));
        self.touch(op);
    }

    /// Erases a block and its operations, once the rewrite has succeeded. Only operations that the rewrite erases use
    /// its values or branch to it.
    pub fn erase_block(&mut self, block: H::Block) {
        for op in ops_of(self.host(), block).collect::<Vec<_>>() {
            self.erase(op);
        }
        self.at_commit(move |host| {
            host.detach_block(block);
            host.erase_block(block);
        });
    }
}

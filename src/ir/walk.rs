//! Walks over operations.
//!
//! No walk recurses or allocates, because each operation has a link to its block.

use super::module::{BlockId, Module, OpId};
use crate::id::Id;

impl Module {
    /// `root` and the operations in its regions, each before the operations in its own regions.
    pub fn preorder(&self, root: OpId) -> impl Iterator<Item = OpId> {
        let mut at = Some(root);
        std::iter::from_fn(move || {
            let op = at?;
            let hot = &self.hot[op.index()];
            at = if !hot.operand_count.has_regions() && op != root {
                match self.ages.ops.linked(hot.next) {
                    Some(next) => Some(next),
                    None => self.after(op, root),
                }
            } else {
                match self.first_inside(op, 0) {
                    Some(inside) => Some(inside),
                    None => self.after(op, root),
                }
            };
            Some(op)
        })
    }

    /// `root` and the operations in its regions, each after the operations in its own regions.
    pub fn postorder(&self, root: OpId) -> impl Iterator<Item = OpId> {
        let mut at = Some(self.descend(root));
        std::iter::from_fn(move || {
            let op = at?;
            at = if op == root {
                None
            } else {
                match self.next(op) {
                    Some(next) => Some(self.descend(next)),
                    None => self.block(op).and_then(|block| {
                        let parent = self.block_parent(block)?;
                        Some(self.first_after_block(block).map_or(parent, |op| self.descend(op)))
                    }),
                }
            };
            Some(op)
        })
    }

    /// [`Module::preorder`] in reverse.
    pub fn reverse_preorder(&self, root: OpId) -> impl Iterator<Item = OpId> {
        let mut at = Some(self.descend_last(root));
        std::iter::from_fn(move || {
            let op = at?;
            at = if op == root {
                None
            } else {
                match self.prev(op) {
                    Some(prev) => Some(self.descend_last(prev)),
                    None => self.block(op).and_then(|block| {
                        let parent = self.block_parent(block)?;
                        Some(self.last_before_block(block).map_or(parent, |op| self.descend_last(op)))
                    }),
                }
            };
            Some(op)
        })
    }

    /// The first operation in the regions of `op`, starting with region `region`.
    pub(super) fn first_inside(&self, op: OpId, region: usize) -> Option<OpId> {
        self.regions(op)[region..]
            .iter()
            .find_map(|&region| self.region_blocks(region).find_map(|block| self.first_op(block)))
    }

    fn last_inside(&self, op: OpId, regions: usize) -> Option<OpId> {
        self.regions(op)[..regions].iter().rev().find_map(|&region| {
            let mut block = self.last_block(region);
            while let Some(id) = block {
                if let Some(op) = self.last_op(id) {
                    return Some(op);
                }
                block = self.prev_block(id);
            }
            None
        })
    }

    fn descend(&self, mut op: OpId) -> OpId {
        while let Some(inside) = self.first_inside(op, 0) {
            op = inside;
        }
        op
    }

    fn descend_last(&self, mut op: OpId) -> OpId {
        while let Some(inside) = self.last_inside(op, self.regions(op).len()) {
            op = inside;
        }
        op
    }

    /// The operation that contains a block, and the index of the region.
    pub(super) fn region_place(&self, block: BlockId) -> Option<(OpId, usize)> {
        let region = self.block_region(block)?;
        let op = self.region_op(region);
        Some((op, self.regions(op).iter().position(|&r| r == region)?))
    }

    /// The first operation after a block, in the same region or in a later region of the parent.
    fn first_after_block(&self, block: BlockId) -> Option<OpId> {
        let mut next = self.next_block(block);
        while let Some(id) = next {
            if let Some(op) = self.first_op(id) {
                return Some(op);
            }
            next = self.next_block(id);
        }
        let (op, index) = self.region_place(block)?;
        self.first_inside(op, index + 1)
    }

    fn last_before_block(&self, block: BlockId) -> Option<OpId> {
        let mut prev = self.prev_block(block);
        while let Some(id) = prev {
            if let Some(op) = self.last_op(id) {
                return Some(op);
            }
            prev = self.prev_block(id);
        }
        let (op, index) = self.region_place(block)?;
        self.last_inside(op, index)
    }

    /// The next operation in preorder that is not inside `op`.
    fn after(&self, mut op: OpId, root: OpId) -> Option<OpId> {
        while op != root {
            if let Some(next) = self.next(op) {
                return Some(next);
            }
            let block = self.block(op)?;
            if let Some(next) = self.first_after_block(block) {
                return Some(next);
            }
            op = self.block_parent(block)?;
        }
        None
    }
}

//! Built-ins over blocks, regions and insertion points. Outside a rewrite, those that change the IR or the insertion
//! point fail. Outside a rewrite, saving the insertion point gives null, and restoring this null has no effect.
//!
//! Specification: the built-ins have the effects of the methods of MLIR's `RewriterBase`, `Block`, `Region` and
//! `Operation`. An insertion point is represented by the operation after it, and at the end of a block by the block or
//! by null. A position in a region is represented by the block after it, and at the end of the region by null.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::error::fail;
use super::evaluator::Evaluator;
use super::value::{Args, Evaluated, Val};
use crate::host::{
    BlockNumber, Facets, InsertionPoint, MAX_REGIONS, NumberedPoint, Refusal, Region, WalkOrder,
};
use crate::snippet::data::Builtin;

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn call_blocks(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        let args = std::array::from_fn(|index| args.take(index));
        match op {
            _ if op.changes_ir() => self.change_blocks(op, &args),
            Builtin::InsertionPoint
            | Builtin::SetInsertionPoint
            | Builtin::SetInsertionPointAfter
            | Builtin::InsertionBlock => self.call_insertion(op, &args),
            _ => self.query_blocks(op, &args),
        }
    }

    fn call_insertion(&mut self, op: Builtin, [on, arg, ..]: &[Val<H>; 4]) -> Evaluated<H> {
        use Builtin as B;
        let place = match op {
            // Outside a rewrite there is no insertion point. Reading it gives null, and restoring null does nothing.
            B::InsertionPoint => {
                return Ok(match self.access.insertion_point() {
                    Ok(InsertionPoint::Before(op)) => Val::Op(op),
                    Ok(InsertionPoint::End(block)) if on.is_true() => Val::Block(block),
                    _ => Val::Null,
                });
            }
            B::InsertionBlock => {
                return Ok(Val::Block(match self.access.insertion_point()? {
                    InsertionPoint::Before(op) => self.block_of(op)?,
                    InsertionPoint::End(block) => block,
                }));
            }
            B::SetInsertionPoint => match (on, arg) {
                (Val::Null, Val::Null) if self.access.insertion_point().is_err() => return Ok(Val::Null),
                // An `InsertionGuard` can restore an insertion point at an operation or block that was erased
                // meanwhile, so setting such an insertion point is not an error. The commit fails if an operation is
                // inserted there and remains in an erased block.
                (Val::Block(block), _) => InsertionPoint::End(*block),
                (Val::Op(op), _) => InsertionPoint::Before(*op),
                (on, block) => self.place(on, block)?,
            },
            _ => match (on, self.op(on)) {
                (Val::Op(_), Err(refusal)) => return Err(refusal),
                (_, Ok(op)) => match self.beside(op, true)? {
                    Some(next) => InsertionPoint::Before(next),
                    None => InsertionPoint::End(self.block_of(op)?),
                },
                // A block argument: the insertion point is the start of its block.
                (on, Err(_)) => {
                    let value = self.value(on)?;
                    let (ir, blocks) = self.access.blocks()?;
                    let Some(block) = blocks.arg_block(ir, value) else {
                        return fail("an insertion point cannot be after a value in no block");
                    };
                    self.first_op(block)?.map_or(InsertionPoint::End(block), InsertionPoint::Before)
                }
            },
        };
        self.access.set_insertion_point(place)?;
        Ok(Val::Null)
    }

    fn query_blocks(&mut self, op: Builtin, [on, arg, ..]: &[Val<H>; 4]) -> Evaluated<H> {
        use Builtin as B;
        Ok(match op {
            B::IsBeforeInBlock => {
                let (first, mut second) = (self.op(on)?, self.op(arg)?);
                loop {
                    match self.access.previous_in_block(second)? {
                        Some(before) if before == first => break Val::Bool(true),
                        Some(before) => second = before,
                        None => break Val::Bool(false),
                    }
                    self.step(1)?;
                }
            }
            B::NextOp => {
                let op = self.op(on)?;
                self.neighbour(op, true)?
            }
            B::PreviousOp => {
                let op = self.op(on)?;
                self.neighbour(op, false)?
            }
            B::BlockOf => {
                let op = self.op(on)?;
                let (ir, blocks) = self.access.blocks()?;
                blocks.block_of(ir, op).map_or(Val::Null, Val::Block)
            }
            B::ArgBlock => {
                let value = self.value(on)?;
                let (ir, blocks) = self.access.blocks()?;
                match ir.host().defining_op(value) {
                    Some(op) => blocks.block_of(ir, op),
                    None => blocks.arg_block(ir, value),
                }
                .map_or(Val::Null, Val::Block)
            }
            B::BlockParent if on.is_null() => Val::Null,
            B::BlockParent => {
                let block = self.block(on)?;
                let (ir, blocks) = self.access.blocks()?;
                blocks.region_of(ir, block).map_or(Val::Null, Val::Region)
            }
            B::RegionOf => {
                let op = self.op(on)?;
                let index = arg.int()?;
                // A host without blocks can still move a region, and checks the index then.
                let count =
                    self.access.blocks().map_or(MAX_REGIONS, |(ir, blocks)| blocks.region_count(ir, op));
                match u32::try_from(index) {
                    Ok(index) if index < count => Val::Region(Region { op, index }),
                    _ => return fail(format!("the operation has no region {index}")),
                }
            }
            B::OpRegions => {
                let op = self.op(on)?;
                let (ir, blocks) = self.access.blocks()?;
                let count = blocks.region_count(ir, op);
                self.list_of((0..count).map(|index| Val::Region(Region { op, index })).collect())?
            }
            B::RegionParent => Val::Op(region(on)?.op),
            B::RegionBlocks => {
                let blocks = self.blocks_of(region(on)?)?;
                Val::range(blocks.into_iter().map(Val::Block).collect())
            }
            B::BlockOps => {
                let ops = self.ops_of_value(on)?;
                Val::range(ops.into_iter().map(Val::Op).collect())
            }
            B::FirstBlock => {
                let region = region(on)?;
                self.first_block(region)?.map_or(Val::Null, Val::Block)
            }
            B::NextBlock => {
                let block = self.block(on)?;
                self.next_block(block)?.map_or(Val::Null, Val::Block)
            }
            B::IsEntryBlock => {
                let block = self.block(on)?;
                let (ir, blocks) = self.access.blocks()?;
                match blocks.region_of(ir, block) {
                    Some(region) => Val::Bool(self.first_block(region)? == Some(block)),
                    None => Val::Bool(false),
                }
            }
            B::FirstOp => {
                let block = self.block(on)?;
                self.first_op(block)?.map_or(Val::Null, Val::Op)
            }
            B::LastOp => {
                let block = self.block(on)?;
                self.last_op(block)?.map_or(Val::Null, Val::Op)
            }
            B::BlockArgs => {
                let args = self.args_of_value(on)?;
                Val::range(args.into_iter().map(Val::Value).collect())
            }
            B::ArgNumber => {
                let value = self.value(on)?;
                let (ir, blocks) = self.access.blocks()?;
                let Some(block) = blocks.arg_block(ir, value) else {
                    return fail("a result of an operation has no argument number");
                };
                let index = self.args_of(block)?.iter().position(|&arg| arg == value);
                index.map_or(Val::Null, Val::count)
            }
            B::BodyOps => {
                let mut ops = self.ops_of_value(on)?;
                let (ir, blocks) = self.access.blocks()?;
                if ops.last().is_some_and(|&last| blocks.is_terminator(ir, last)) {
                    ops.pop();
                }
                Val::range(ops.into_iter().map(Val::Op).collect())
            }
            B::Successors => {
                let op = match on {
                    Val::Block(block) => match self.last_op(*block)? {
                        Some(last) => last,
                        None => return Ok(Val::range(Vec::new())),
                    },
                    on => self.op(on)?,
                };
                let (ir, blocks) = self.access.blocks()?;
                let found = blocks.successors(ir, op);
                self.list_of(found.into_iter().map(Val::Block).collect())?
            }
            B::Predecessors => {
                let block = self.block(on)?;
                Val::range(self.predecessors(block)?.into_iter().map(Val::Block).collect())
            }
            B::OnlyPredecessor => {
                let block = self.block(on)?;
                let mut found = self.predecessors(block)?;
                if arg.is_true() {
                    found.dedup();
                }
                if let [only] = found[..] { Val::Block(only) } else { Val::Null }
            }
            _ => return fail("the snippet is malformed"),
        })
    }

    fn change_blocks(&mut self, op: Builtin, [on, arg, third, fourth]: &[Val<H>; 4]) -> Evaluated<H> {
        use Builtin as B;
        Ok(match op {
            B::TakeRegion => {
                let (to, from) = match (on, arg) {
                    (Val::Region(to), Val::Region(_)) if self.may_change_blocks() => {
                        if self.first_block(*to)?.is_some() {
                            return fail("blocks are moved to a region that is not empty");
                        }
                        return self
                            .change_blocks(B::MoveRegion, &[arg.clone(), on.clone(), Val::Null, Val::Null]);
                    }
                    (Val::Region(to), Val::Region(from)) => (*to, *from),
                    _ => (self.region_at(on, arg)?, self.region_at(third, fourth)?),
                };
                // Counts the blocks that move. The host refuses a region that does not exist.
                let has_region = self
                    .access
                    .blocks()
                    .is_ok_and(|(ir, blocks)| from.index < blocks.region_count(ir, from.op));
                if has_region {
                    self.blocks_of(from)?;
                }
                self.access.take_region(from, to)?;
                Val::Null
            }
            B::MoveRegion => {
                let from = region(on)?;
                if third.is_null() && !self.may_change_blocks() {
                    self.access.take_region(from, region(arg)?)?;
                    return Ok(Val::Null);
                }
                let (to, before) = self.place_in(arg, third)?;
                self.refuse_inside(to, |_, around| around == from)?;
                let moved = self.blocks_of(from)?;
                for &block in &moved {
                    self.count_ops(block)?;
                }
                self.access.change_blocks(&mut |rewriter, blocks| {
                    moved.iter().for_each(|&block| blocks.move_block(rewriter, block, to, before));
                    Ok(Val::Null)
                })?
            }
            B::CopyRegion => {
                let (from, (to, before)) = (region(on)?, self.place_in(arg, third)?);
                self.refuse_inside(to, |_, around| around == from)?;
                self.count_inside(from.op)?;
                self.access.change_blocks(&mut |rewriter, blocks| {
                    blocks.copy_region(rewriter, from, to, before).map(|()| Val::Null)
                })?
            }
            B::CopyOp => {
                let op = self.op(on)?;
                let place = self.access.insertion_point()?;
                self.refuse_place_inside(place, |around| around == op)?;
                self.count_inside(op)?;
                self.access
                    .change_blocks(&mut |rewriter, blocks| blocks.copy_op(rewriter, op, place).map(Val::Op))?
            }
            B::CreateBlock => {
                let (to, before) = self.place_in(on, arg)?;
                // Counts the operations around the block, so that the depth has a limit.
                self.refuse_inside(to, |_, _| false)?;
                let (types, locations) = (self.items(third)?, self.items(fourth)?);
                self.step(types.len() as u64)?;
                if types.len() != locations.len() {
                    let (types, locations) = (types.len(), locations.len());
                    return fail(format!("a block has {types} argument types, but {locations} locations"));
                }
                let args = types.iter().zip(locations.iter());
                let args: Vec<_> =
                    args.map(|(ty, location)| self.arg(ty, location)).collect::<Result<_, _>>()?;
                self.access.change_blocks(&mut |rewriter, blocks| {
                    let block = blocks.create_block(rewriter, &args, to, before)?;
                    blocks.set_insertion_point(rewriter, InsertionPoint::End(block));
                    Ok(Val::Block(block))
                })?
            }
            B::MoveBlock => {
                let (block, (to, before)) = (self.block(on)?, self.place_in(arg, third)?);
                self.refuse_inside(to, |around, _| around == Some(block))?;
                self.count_ops(block)?;
                self.access.change_blocks(&mut |rewriter, blocks| {
                    blocks.move_block(rewriter, block, to, before);
                    Ok(Val::Null)
                })?
            }
            B::EraseBlock => {
                let block = self.block(on)?;
                self.count_ops(block)?;
                self.access.change_blocks(&mut |rewriter, blocks| {
                    blocks.erase_block(rewriter, block);
                    Ok(Val::Null)
                })?
            }
            B::AddArg => {
                let block = self.block(on)?;
                let before = match arg {
                    Val::Null => None,
                    index => {
                        let index = index.int()?;
                        let args = self.args_of(block)?;
                        let place = usize::try_from(index).ok().filter(|&index| index <= args.len());
                        let Some(place) = place else {
                            return fail(format!("no argument has the index {index}"));
                        };
                        args.get(place).copied()
                    }
                };
                let new = self.arg(third, fourth)?;
                self.access.change_blocks(&mut |rewriter, blocks| {
                    blocks.insert_arg(rewriter, block, before, new).map(Val::Value)
                })?
            }
            B::EraseArg => {
                let (args, index) = (self.args_of_value(on)?, arg.int()?);
                let Some(&arg) = usize::try_from(index).ok().and_then(|index| args.get(index)) else {
                    return fail(format!("no argument has the index {index}"));
                };
                self.access.change_blocks(&mut |rewriter, blocks| {
                    blocks.erase_arg(rewriter, arg, None).map(|()| Val::Null)
                })?
            }
            B::SetSuccessor => {
                let (op, to) = (self.op(on)?, self.block(arg)?);
                let (ir, blocks) = self.access.blocks()?;
                let count = blocks.successors(ir, op).len();
                self.step(count as u64)?;
                let index = self.nth(third, u32::try_from(count).unwrap_or(u32::MAX))?;
                self.access.change_blocks(&mut |rewriter, blocks| {
                    blocks.set_successor(rewriter, op, index, to);
                    Ok(Val::Null)
                })?
            }
            B::SetOperand => {
                let (op, value) = (self.op(on)?, self.value(third)?);
                let index = self.nth(arg, self.host().operand_count(op))?;
                self.access.change_blocks(&mut |rewriter, blocks| {
                    blocks.set_operand(rewriter, op, index, value);
                    Ok(Val::Null)
                })?
            }
            B::MoveOp => {
                let (op, place) = (self.op(on)?, self.place(arg, third)?);
                // An operation in no block cannot be moved.
                self.block_of(op)?;
                self.move_ops(&[op], place)?
            }
            B::SplitBlock => {
                let block = self.block(on)?;
                let mut moved = self.ops_of(block)?;
                if let Val::Op(before) = *arg {
                    match moved.iter().position(|&op| op == before) {
                        Some(at) => drop(moved.drain(..at)),
                        None => return fail("a block is split at an operation that is not in it"),
                    }
                } else {
                    moved.clear();
                }
                let (ir, blocks) = self.access.blocks()?;
                let Some(region) = blocks.region_of(ir, block) else {
                    return fail("a block that is in no region is split");
                };
                let next = self.next_block(block)?;
                let mut new = None;
                self.access.change_blocks(&mut |rewriter, blocks| {
                    new = Some(blocks.create_block(rewriter, &[], region, next)?);
                    Ok(Val::Null)
                })?;
                let Some(new) = new else { return fail("the host did not create the new block") };
                self.move_ops(&moved, InsertionPoint::End(new))?;
                Val::Block(new)
            }
            B::MergeBlock => {
                let (source, place) = (self.block(on)?, self.place(arg, third)?);
                let (args, with) = (self.args_of(source)?, self.items(fourth)?);
                if args.len() != with.len() {
                    return fail(format!(
                        "the number of values ({}) differs from the number of arguments ({}) of the block",
                        with.len(),
                        args.len()
                    ));
                }
                let with: Vec<_> = with.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?;
                for &arg in &args {
                    self.step(args.len() as u64)?;
                    self.count_uses(arg)?;
                }
                let moved = self.ops_of(source)?;
                let to = match place {
                    InsertionPoint::Before(op) => self.block_of(op)?,
                    InsertionPoint::End(block) => block,
                };
                if to == source {
                    return fail("a block is merged into itself");
                }
                self.access.change_blocks(&mut |rewriter, blocks| {
                    for (&arg, &value) in args.iter().zip(&with) {
                        blocks.erase_arg(rewriter, arg, Some(value))?;
                    }
                    Ok(Val::Null)
                })?;
                self.move_ops(&moved, place)?;
                self.access.change_blocks(&mut |rewriter, blocks| {
                    blocks.erase_block(rewriter, source);
                    Ok(Val::Null)
                })?
            }
            B::ReplaceUses => {
                let (from, to) = (self.value(on)?, self.value(arg)?);
                if from != to {
                    self.count_uses(from)?;
                    self.access.change_blocks(&mut |rewriter, blocks| {
                        blocks.replace_uses(rewriter, from, to);
                        Ok(Val::Null)
                    })?;
                }
                Val::Null
            }
            _ => return fail("the snippet is malformed"),
        })
    }

    /// True for an operation or block that the rewrite erases.
    pub(super) fn is_erased(&mut self, value: &Val<H>) -> bool {
        match value {
            Val::Op(op) => self.access.erases(*op),
            Val::Block(block) => self.access.blocks().is_ok_and(|(ir, blocks)| blocks.is_erased(ir, *block)),
            _ => false,
        }
    }

    /// The block that a value represents.
    pub(super) fn block(&mut self, value: &Val<H>) -> Result<BlockNumber, Refusal> {
        let Val::Block(block) = value else {
            return fail(format!("{} is used as a block", value.variant_name()));
        };
        let (ir, blocks) = self.access.blocks()?;
        if blocks.is_erased(ir, *block) {
            return fail("a block is used after it was erased");
        }
        Ok(*block)
    }

    fn list_of(&mut self, items: Vec<Val<H>>) -> Evaluated<H> {
        self.step(items.len() as u64)?;
        Ok(Val::range(items))
    }

    /// The nearest operation after `op` in its block, or before `op` if `is_next` is false. Operations that the rewrite
    /// erases are skipped.
    fn beside(&mut self, op: H::Op, is_next: bool) -> Result<Option<H::Op>, Refusal> {
        let mut at = op;
        loop {
            self.step(1)?;
            let beside =
                if is_next { self.access.next_in_block(at)? } else { self.access.previous_in_block(at)? };
            match beside {
                Some(erased) if self.access.erases(erased) => at = erased,
                other => return Ok(other),
            }
        }
    }

    /// The result of [`Self::beside`] as a value; null if there is no such operation. Fails if `op` is in no block.
    fn neighbour(&mut self, op: H::Op, is_next: bool) -> Evaluated<H> {
        match self.beside(op, is_next)? {
            Some(beside) => Ok(Val::Op(beside)),
            // MLIR's methods read the block of the operation, so an operation without a block is an error.
            None if self.access.host().parent_op(op).is_none() => fail("the operation is in no block"),
            None => Ok(Val::Null),
        }
    }

    /// The region of an operation that has this index.
    fn region_at(&self, op: &Val<H>, index: &Val<H>) -> Result<Region<H::Op>, Refusal> {
        let (op, index) = (self.op(op)?, index.int()?);
        match u32::try_from(index) {
            Ok(index) => Ok(Region { op, index }),
            Err(_) => fail(format!("no operation has a region {index}")),
        }
    }

    fn blocks_of(&mut self, region: Region<H::Op>) -> Result<Vec<BlockNumber>, Refusal> {
        let (ir, blocks) = self.access.blocks()?;
        let (found, visited) = blocks.blocks(ir, region);
        self.step(visited)?;
        Ok(found)
    }

    /// The blocks that branch to a block, once for each edge.
    fn predecessors(&mut self, block: BlockNumber) -> Result<Vec<BlockNumber>, Refusal> {
        let (ir, blocks) = self.access.blocks()?;
        let (found, visited) = blocks.predecessors(ir, block);
        self.step(visited)?;
        Ok(found)
    }

    fn next_block(&mut self, block: BlockNumber) -> Result<Option<BlockNumber>, Refusal> {
        let (ir, blocks) = self.access.blocks()?;
        let next = blocks.next_block(ir, block);
        self.skip_erased_blocks(next)
    }

    fn first_block(&mut self, region: Region<H::Op>) -> Result<Option<BlockNumber>, Refusal> {
        let (ir, blocks) = self.access.blocks()?;
        let first = blocks.first_block(ir, region);
        self.skip_erased_blocks(first)
    }

    /// The first block from `at` that the rewrite does not erase.
    fn skip_erased_blocks(&mut self, mut at: Option<BlockNumber>) -> Result<Option<BlockNumber>, Refusal> {
        while let Some(block) = at {
            self.step(1)?;
            let (ir, blocks) = self.access.blocks()?;
            if !blocks.is_erased(ir, block) {
                break;
            }
            at = blocks.next_block(ir, block);
        }
        Ok(at)
    }

    fn first_op(&mut self, block: BlockNumber) -> Result<Option<H::Op>, Refusal> {
        let (ir, blocks) = self.access.blocks()?;
        match blocks.first_op(ir, block) {
            Some(op) if self.access.erases(op) => self.beside(op, true),
            first => Ok(first),
        }
    }

    fn last_op(&mut self, block: BlockNumber) -> Result<Option<H::Op>, Refusal> {
        let (ir, blocks) = self.access.blocks()?;
        match blocks.last_op(ir, block) {
            Some(op) if self.access.erases(op) => self.beside(op, false),
            last => Ok(last),
        }
    }

    /// The block that holds an operation.
    fn block_of(&mut self, op: H::Op) -> Result<BlockNumber, Refusal> {
        let (ir, blocks) = self.access.blocks()?;
        blocks.block_of(ir, op).ok_or_else(|| Refusal::new("the operation is in no block"))
    }

    fn ops_of(&mut self, block: BlockNumber) -> Result<Vec<H::Op>, Refusal> {
        let (ir, blocks) = self.access.blocks()?;
        let (ops, visited) = blocks.ops(ir, block);
        self.step(visited)?;
        Ok(ops)
    }

    /// Counts a step for each use of a value and for each pending replacement of a result, because replacing the value
    /// visits all of them.
    fn count_uses(&mut self, value: H::Value) -> Result<(), Refusal> {
        self.uses(&Val::Value(value))?;
        let (ir, _) = self.access.blocks()?;
        let replacements = ir.replacement_count() as u64;
        self.step(replacements)
    }

    /// Counts a step for each operation of a block, because a change of the block visits them.
    fn count_ops(&mut self, block: BlockNumber) -> Result<(), Refusal> {
        self.ops_of(block).map(drop)
    }

    fn ops_of_value(&mut self, block: &Val<H>) -> Result<Vec<H::Op>, Refusal> {
        let block = self.block(block)?;
        self.ops_of(block)
    }

    fn args_of_value(&mut self, block: &Val<H>) -> Result<Vec<H::Value>, Refusal> {
        let block = self.block(block)?;
        self.args_of(block)
    }

    fn args_of(&mut self, block: BlockNumber) -> Result<Vec<H::Value>, Refusal> {
        let (ir, blocks) = self.access.blocks()?;
        let args = blocks.args(ir, block);
        self.step(args.len() as u64)?;
        Ok(args)
    }

    /// The type and location of a new block argument.
    fn arg(&self, ty: &Val<H>, location: &Val<H>) -> Result<(H::Type, H::Location), Refusal> {
        let Val::Location(location) = *location else {
            return fail("an argument of a block is created without a location");
        };
        Ok((self.host_type(ty)?, location))
    }

    /// The insertion point before an operation, or at the end of a block.
    fn place(&mut self, before: &Val<H>, block: &Val<H>) -> Result<NumberedPoint<H>, Refusal> {
        match (before, block) {
            (Val::Null, Val::Block(_)) => self.block(block).map(InsertionPoint::End),
            (Val::Null, _) => fail("null is used as a place in a block"),
            (before, _) => {
                let op = self.op(before)?;
                self.block_of(op).map(|_| InsertionPoint::Before(op))
            }
        }
    }

    /// The position before the block `before`, or at the end of the region `to` if `before` is null.
    fn place_in(
        &mut self,
        to: &Val<H>,
        before: &Val<H>,
    ) -> Result<(Region<H::Op>, Option<BlockNumber>), Refusal> {
        let before = if before.is_null() { None } else { Some(self.block(before)?) };
        let Some(before) = before else { return Ok((region(to)?, None)) };
        let (ir, blocks) = self.access.blocks()?;
        match blocks.region_of(ir, before) {
            Some(of) if to.is_null() || of == region(to)? => Ok((of, Some(before))),
            _ => fail("the block before which blocks are inserted is not in the given region"),
        }
    }

    /// Fails if the target region `to` is inside the region or block that is moved or copied. Calls `is_moved` first
    /// for `to` without a block, then for each block around `to`, together with the region that contains this block.
    fn refuse_inside(
        &mut self,
        to: Region<H::Op>,
        is_moved: impl Fn(Option<BlockNumber>, Region<H::Op>) -> bool,
    ) -> Result<(), Refusal> {
        let (mut around, mut inner) = (Some(to), None);
        while let Some(region) = around {
            self.step(1)?;
            if is_moved(inner, region) {
                return fail("a region or block is moved or copied into itself");
            }
            let (ir, blocks) = self.access.blocks()?;
            inner = blocks.block_of(ir, region.op);
            around = inner.and_then(|block| blocks.region_of(ir, block));
        }
        Ok(())
    }

    /// Fails if an insertion point is inside an operation that is moved or copied.
    fn refuse_place_inside(
        &mut self,
        place: NumberedPoint<H>,
        is_refused: impl Fn(H::Op) -> bool,
    ) -> Result<(), Refusal> {
        let mut outer = match place {
            InsertionPoint::Before(op) => self.host().parent_op(op),
            InsertionPoint::End(block) => {
                let (ir, blocks) = self.access.blocks()?;
                blocks.region_of(ir, block).map(|region| region.op)
            }
        };
        while let Some(op) = outer {
            self.step(1)?;
            if is_refused(op) {
                return fail("an operation is moved or copied into itself");
            }
            outer = self.host().parent_op(op);
        }
        Ok(())
    }

    /// True if the host has blocks, and helper functions may change them now.
    fn may_change_blocks(&mut self) -> bool {
        self.access.blocks().is_ok() && self.host().may_change_blocks().is_ok()
    }

    /// Counts one step for an operation, and one for each operation inside it.
    fn count_inside(&mut self, op: H::Op) -> Result<(), Refusal> {
        let mut ops = 0;
        self.host().walk(op, WalkOrder::Pre, &mut |_| ops += 1);
        self.step(ops)
    }

    /// Moves operations to an insertion point. Fails if the insertion point is inside one of the operations.
    fn move_ops(&mut self, ops: &[H::Op], place: NumberedPoint<H>) -> Evaluated<H> {
        self.step(ops.len() as u64)?;
        let moved: HashSet<H::Op, FxBuildHasher> = ops.iter().copied().collect();
        self.refuse_place_inside(place, |op| moved.contains(&op))?;
        self.access.change_blocks(&mut |rewriter, blocks| {
            ops.iter().for_each(|&op| blocks.move_op(rewriter, op, place));
            Ok(Val::Null)
        })
    }
}

fn region<H: Facets>(value: &Val<H>) -> Result<Region<H::Op>, Refusal> {
    match value {
        Val::Region(region) => Ok(*region),
        other => fail(format!("{} is used as a region", other.variant_name())),
    }
}

//! The blocks and regions of MLIR's IR.
//!
//! Specification: changes go through MLIR's C interface or through `bridge`. A driver of MLIR would not be notified of
//! most of these changes ([`may_change_blocks`](drrvm::host::Facets::may_change_blocks)). While it runs, only two
//! functions change the IR: `create_at` uses its rewriter, and `set_operands` changes only new operations that a failed
//! rewrite erases.
//!
//! Invariant of all functions: ids belong to one context, and their objects exist. Indices are below the counts; the
//! index of a new argument is at most the count.

use drrvm::host::{Blocks, InsertionPoint, NamedAttr, OpState, Refusal, Region};

use crate::bridge;
use crate::capi::{
    Attribute, Block, Location, Operation, Type, Value, mlirBlockAppendOwnedOperation,
    mlirBlockArgumentGetOwner, mlirBlockCreate, mlirBlockDestroy, mlirBlockDetach, mlirBlockEraseArgument,
    mlirBlockGetArgument, mlirBlockGetFirstOperation, mlirBlockGetNextInRegion, mlirBlockGetNumArguments,
    mlirBlockGetParentOperation, mlirBlockGetParentRegion, mlirBlockInsertArgument,
    mlirBlockInsertOwnedOperationBefore, mlirDictionaryAttrGetElement, mlirDictionaryAttrGetNumElements,
    mlirOperationClone, mlirOperationGetNextInBlock, mlirOperationGetNumRegions,
    mlirOperationGetNumSuccessors, mlirOperationGetRegion, mlirOperationGetSuccessor,
    mlirOperationRemoveFromParent, mlirOperationSetOperand, mlirOperationSetOperands,
    mlirOperationSetSuccessor, mlirRegionAppendOwnedBlock, mlirRegionEqual, mlirRegionGetFirstBlock,
    mlirRegionInsertOwnedBlockBefore, mlirValueGetLocation,
};
use crate::host::{MlirHost, length, non_null};
use crate::layout;

/// An index of MLIR's C interface.
fn index(number: u32) -> isize {
    isize::try_from(number).expect("addresses have more than 32 bits")
}

/// A number of objects, which MLIR counts with 32 bits.
fn count(number: isize) -> u32 {
    u32::try_from(number).expect("MLIR counts with 32 bits")
}

fn region(region: Region<Operation>) -> crate::capi::Region {
    // SAFETY: the operation exists and has the region.
    unsafe { mlirOperationGetRegion(region.op, index(region.index)) }
}

impl Blocks for MlirHost {
    type Block = Block;

    fn region_count(&self, op: Operation) -> u32 {
        // SAFETY: the module's invariant.
        count(unsafe { mlirOperationGetNumRegions(op) })
    }
    fn first_block(&self, of: Region<Operation>) -> Option<Block> {
        // SAFETY: the module's invariant.
        let block = unsafe { mlirRegionGetFirstBlock(region(of)) };
        non_null(block, block.0)
    }
    fn next_block(&self, block: Block) -> Option<Block> {
        // SAFETY: the module's invariant; only a block in a region has a next block.
        unsafe {
            if mlirBlockGetParentRegion(block).0 == 0 {
                return None;
            }
            let next = mlirBlockGetNextInRegion(block);
            non_null(next, next.0)
        }
    }
    fn block_region(&self, block: Block) -> Option<Region<Operation>> {
        // SAFETY: the module's invariant.
        let parent = unsafe { mlirBlockGetParentOperation(block) };
        let op = non_null(parent, parent.0)?;
        // SAFETY: the module's invariant; a block with a parent is in one of its regions.
        let own = unsafe { mlirBlockGetParentRegion(block) };
        let mut all = (0..self.region_count(op)).map(|index| Region { op, index });
        // SAFETY: the module's invariant.
        all.find(|&other| unsafe { mlirRegionEqual(region(other), own) })
    }
    fn arg_count(&self, block: Block) -> u32 {
        // SAFETY: the module's invariant.
        count(unsafe { mlirBlockGetNumArguments(block) })
    }
    fn arg(&self, block: Block, at: u32) -> Value {
        // SAFETY: the module's invariant.
        unsafe { mlirBlockGetArgument(block, index(at)) }
    }
    fn arg_location(&self, block: Block, at: u32) -> Location {
        // SAFETY: the module's invariant.
        unsafe { mlirValueGetLocation(self.arg(block, at)) }
    }
    fn arg_block(&self, value: Value) -> Option<Block> {
        if layout::defining_op(value).is_some() {
            return None;
        }
        // SAFETY: the module's invariant; the value is not a result, so it is a block argument.
        Some(unsafe { mlirBlockArgumentGetOwner(value) })
    }
    fn block(&self, op: Operation) -> Option<Block> {
        let block = layout::block(op);
        non_null(block, block.0)
    }
    fn first_op(&self, block: Block) -> Option<Operation> {
        // SAFETY: the module's invariant.
        let op = unsafe { mlirBlockGetFirstOperation(block) };
        non_null(op, op.0)
    }
    fn next_op(&self, op: Operation) -> Option<Operation> {
        self.block(op)?;
        // SAFETY: the module's invariant; the operation is in a block.
        let next = unsafe { mlirOperationGetNextInBlock(op) };
        non_null(next, next.0)
    }
    fn successor_count(&self, op: Operation) -> u32 {
        // SAFETY: the module's invariant.
        count(unsafe { mlirOperationGetNumSuccessors(op) })
    }
    fn successor(&self, op: Operation, at: u32) -> Block {
        // SAFETY: the module's invariant.
        unsafe { mlirOperationGetSuccessor(op, index(at)) }
    }
    fn attributes(&self, op: Operation) -> Vec<NamedAttr<Attribute>> {
        let mut all = Vec::new();
        for inherent in [true, false] {
            let Some(dictionary) = bridge::attributes(op, inherent) else { continue };
            // SAFETY: the module's invariant; the attribute is a dictionary.
            let elements = unsafe {
                (0..mlirDictionaryAttrGetNumElements(dictionary))
                    .map(|at| mlirDictionaryAttrGetElement(dictionary, at))
            };
            all.extend(elements.map(|named| NamedAttr {
                name: self.attr_names.id(named.name.0),
                value: named.attribute,
                inherent,
            }));
        }
        all
    }

    fn create_at(
        &mut self,
        place: InsertionPoint<Operation, Block>,
        state: &OpState<'_, Self>,
        successors: &[Block],
    ) -> Result<Operation, Refusal> {
        self.create_branching(place, state, successors)
    }
    fn copy(&mut self, op: Operation) -> Result<Operation, Refusal> {
        // SAFETY: the module's invariant.
        Ok(unsafe { mlirOperationClone(op) })
    }
    fn attach(&mut self, op: Operation, place: InsertionPoint<Operation, Block>) {
        // SAFETY: the module's invariant; the operation is detached, so nothing else owns it.
        unsafe {
            match place {
                InsertionPoint::Before(before) => {
                    mlirBlockInsertOwnedOperationBefore(layout::block(before), before, op);
                }
                InsertionPoint::End(block) => mlirBlockAppendOwnedOperation(block, op),
            }
        }
    }
    fn detach(&mut self, op: Operation) {
        // SAFETY: the module's invariant.
        unsafe { mlirOperationRemoveFromParent(op) }
    }
    fn set_operands(&mut self, op: Operation, operands: &[Value]) {
        // SAFETY: the module's invariant; the array comes with its length.
        unsafe { mlirOperationSetOperands(op, length(operands), operands.as_ptr()) }
    }
    fn set_operand(&mut self, op: Operation, at: u32, value: Value) {
        // SAFETY: the module's invariant.
        unsafe { mlirOperationSetOperand(op, index(at), value) }
    }
    fn set_successor(&mut self, op: Operation, at: u32, block: Block) {
        // SAFETY: the module's invariant.
        unsafe { mlirOperationSetSuccessor(op, index(at), block) }
    }
    fn set_attributes(&mut self, op: Operation, attributes: &[NamedAttr<Attribute>]) {
        bridge::set_attributes(op, &self.new_attributes(attributes));
    }
    fn create_block(&mut self, args: &[(Type, Location)]) -> Result<Block, Refusal> {
        let (types, locations): (Vec<_>, Vec<_>) = args.iter().copied().unzip();
        // SAFETY: the module's invariant; `types` and `locations` have an entry for each of `args`.
        Ok(unsafe { mlirBlockCreate(length(args), types.as_ptr(), locations.as_ptr()) })
    }
    fn attach_block(&mut self, block: Block, to: Region<Operation>, before: Option<Block>) {
        // SAFETY: the module's invariant; the block is detached, so nothing else owns it.
        unsafe {
            match before {
                Some(before) => mlirRegionInsertOwnedBlockBefore(region(to), before, block),
                None => mlirRegionAppendOwnedBlock(region(to), block),
            }
        }
    }
    fn detach_block(&mut self, block: Block) {
        // SAFETY: the module's invariant; only a block in a region can be detached.
        unsafe {
            if mlirBlockGetParentRegion(block).0 != 0 {
                mlirBlockDetach(block);
            }
        }
    }
    fn erase_block(&mut self, block: Block) {
        // SAFETY: the module's invariant; the block is detached, so this host owns it.
        unsafe { mlirBlockDestroy(block) }
    }
    fn insert_arg(&mut self, block: Block, at: u32, arg: (Type, Location)) -> Result<Value, Refusal> {
        // SAFETY: the module's invariant.
        Ok(unsafe { mlirBlockInsertArgument(block, index(at), arg.0, arg.1) })
    }
    fn erase_arg(&mut self, block: Block, at: u32) {
        // SAFETY: the module's invariant.
        unsafe { mlirBlockEraseArgument(block, at) }
    }
}

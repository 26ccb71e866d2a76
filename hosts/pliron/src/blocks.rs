//! The blocks and regions of pliron's IR.
//!
//! pliron has one location for a block, and none for its arguments. Therefore, the locations of new arguments are
//! dropped.

use drrvm::host::{Blocks, InsertionPoint, NamedAttr, OpState, Refusal, Region};
use pliron::basic_block::BasicBlock;
use pliron::context::Ptr;
use pliron::irbuild::cloning::{IrMapping, clone_operation};
use pliron::irbuild::listener::DummyListener;
use pliron::irbuild::rewriter::IRRewriter;
use pliron::linked_list::{ContainsLinkedList, LinkedList};
use pliron::operation::Operation;
use pliron::r#type::TypeHandle;
use pliron::value::Value;

use crate::host::{AttrId, LocationId, PlironHost, count};

impl PlironHost {
    fn region(&self, region: Region<Ptr<Operation>>) -> Ptr<pliron::region::Region> {
        region.op.deref(self.context()).get_region(region.index as usize)
    }
}

impl Blocks for PlironHost {
    type Block = Ptr<BasicBlock>;

    fn region_count(&self, op: Ptr<Operation>) -> u32 {
        count(op.deref(self.context()).num_regions())
    }
    fn first_block(&self, region: Region<Ptr<Operation>>) -> Option<Ptr<BasicBlock>> {
        self.region(region).deref(self.context()).get_head()
    }
    fn next_block(&self, block: Ptr<BasicBlock>) -> Option<Ptr<BasicBlock>> {
        block.deref(self.context()).get_next()
    }
    fn block_region(&self, block: Ptr<BasicBlock>) -> Option<Region<Ptr<Operation>>> {
        let region = block.deref(self.context()).get_parent_region()?;
        let region = region.deref(self.context());
        Some(Region { op: region.get_parent_op(), index: count(region.find_index_in_parent(self.context())) })
    }
    fn arg_count(&self, block: Ptr<BasicBlock>) -> u32 {
        count(block.deref(self.context()).get_num_arguments())
    }
    fn arg(&self, block: Ptr<BasicBlock>, index: u32) -> Value {
        block.deref(self.context()).get_argument(index as usize)
    }
    fn arg_location(&self, block: Ptr<BasicBlock>, _index: u32) -> LocationId {
        self.location_id(block.deref(self.context()).loc())
    }
    fn arg_block(&self, value: Value) -> Option<Ptr<BasicBlock>> {
        value.defining_block()
    }
    fn block(&self, op: Ptr<Operation>) -> Option<Ptr<BasicBlock>> {
        op.deref(self.context()).get_parent_block()
    }
    fn first_op(&self, block: Ptr<BasicBlock>) -> Option<Ptr<Operation>> {
        block.deref(self.context()).get_head()
    }
    fn last_op(&self, block: Ptr<BasicBlock>) -> Option<Ptr<Operation>> {
        block.deref(self.context()).get_tail()
    }
    fn next_op(&self, op: Ptr<Operation>) -> Option<Ptr<Operation>> {
        op.deref(self.context()).get_next()
    }
    fn successor_count(&self, op: Ptr<Operation>) -> u32 {
        count(op.deref(self.context()).get_num_successors())
    }
    fn successor(&self, op: Ptr<Operation>, index: u32) -> Ptr<BasicBlock> {
        op.deref(self.context()).get_successor(index as usize)
    }
    fn attributes(&self, op: Ptr<Operation>) -> Vec<NamedAttr<AttrId>> {
        let op = op.deref(self.context());
        let named = op.attributes.0.iter().map(|(key, value)| NamedAttr {
            name: self.attr_name(key.as_ref()),
            value: self.attr_id(value),
            inherent: true,
        });
        named.collect()
    }

    fn create_at(
        &mut self,
        place: InsertionPoint<Ptr<Operation>, Ptr<BasicBlock>>,
        state: &OpState<'_, Self>,
        successors: &[Ptr<BasicBlock>],
    ) -> Result<Ptr<Operation>, Refusal> {
        if let InsertionPoint::Before(before) = place
            && !before.is_linked(self.context())
        {
            return Err(Refusal::new("the operation at the insertion point is not in a block"));
        }
        let op = self.create_detached(state, successors)?;
        self.attach(op, place);
        Ok(op)
    }
    fn copy(&mut self, op: Ptr<Operation>) -> Result<Ptr<Operation>, Refusal> {
        let mut rewriter = IRRewriter::<DummyListener>::default();
        Ok(clone_operation(op, self.context_mut(), &mut rewriter, &mut IrMapping::new()))
    }
    fn attach(&mut self, op: Ptr<Operation>, place: InsertionPoint<Ptr<Operation>, Ptr<BasicBlock>>) {
        match place {
            InsertionPoint::Before(before) => op.insert_before(self.context(), before),
            InsertionPoint::End(block) => op.insert_at_back(block, self.context()),
        }
    }
    fn detach(&mut self, op: Ptr<Operation>) {
        if op.is_linked(self.context()) {
            op.unlink(self.context());
        }
    }
    fn set_operands(&mut self, op: Ptr<Operation>, operands: &[Value]) {
        let context = self.context_mut();
        while op.deref(context).get_num_operands() > 0 {
            Operation::pop_operand(op, context);
        }
        for &operand in operands {
            Operation::push_operand(op, context, operand);
        }
    }
    fn set_operand(&mut self, op: Ptr<Operation>, index: u32, value: Value) {
        Operation::replace_operand(op, self.context_mut(), index as usize, value);
    }
    fn set_successor(&mut self, op: Ptr<Operation>, index: u32, block: Ptr<BasicBlock>) {
        Operation::replace_successor(op, self.context_mut(), index as usize, block);
    }
    fn set_attributes(&mut self, op: Ptr<Operation>, attributes: &[NamedAttr<AttrId>]) {
        let named = attributes.iter().filter_map(|attr| {
            // A name that is not a valid key belongs to no attribute of pliron.
            Some((self.key(attr.name)?, self.attr_object(attr.value).clone()))
        });
        let named: Vec<_> = named.collect();
        let mut op = op.deref_mut(self.context());
        op.attributes.0.clear();
        op.attributes.0.extend(named);
    }
    fn create_block(&mut self, args: &[(TypeHandle, LocationId)]) -> Result<Ptr<BasicBlock>, Refusal> {
        let types = args.iter().map(|&(ty, _)| ty).collect();
        Ok(BasicBlock::new(self.context_mut(), None, types))
    }
    fn attach_block(
        &mut self,
        block: Ptr<BasicBlock>,
        region: Region<Ptr<Operation>>,
        before: Option<Ptr<BasicBlock>>,
    ) {
        match before {
            Some(before) => block.insert_before(self.context(), before),
            None => block.insert_at_back(self.region(region), self.context()),
        }
    }
    fn detach_block(&mut self, block: Ptr<BasicBlock>) {
        if block.is_linked(self.context()) {
            block.unlink(self.context());
        }
    }
    fn erase_block(&mut self, block: Ptr<BasicBlock>) {
        BasicBlock::erase(block, self.context_mut());
    }
    fn insert_arg(
        &mut self,
        block: Ptr<BasicBlock>,
        index: u32,
        (ty, _): (TypeHandle, LocationId),
    ) -> Result<Value, Refusal> {
        BasicBlock::insert_argument(block, self.context_mut(), index as usize, ty);
        Ok(self.arg(block, index))
    }
    fn erase_arg(&mut self, block: Ptr<BasicBlock>, index: u32) {
        BasicBlock::remove_argument(block, self.context_mut(), index as usize);
    }
}

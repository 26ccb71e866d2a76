//! Creation, movement and removal of operations, blocks and regions.

use super::aged_id::Link;
use super::context::Context;
use super::ids::{AttrId, LocId, TypeId};
use super::module::{
    AllAges, BlockData, Edge, EdgeLinks, FreeSlots, OpCold, OpExtra, OpHot, OperandCount, RegionData,
    SLOT_LIMIT, UseLinks, ValueInfo, ValueOwner,
};
use super::module::{BlockId, ExtraId, Module, OpId, OpSpec, RegionId, UseId, ValueId};
use crate::host::OpNameId;
use crate::id::Id;
use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// Converts the length of a table to the number of its next slot. Counts and indices are converted by this function as
/// well.
///
/// # Panics
/// The table is full: it has 2^31 slots.
fn new_slot(len: usize) -> u32 {
    u32::try_from(len).ok().filter(|&raw| raw < SLOT_LIMIT).expect("ids of a module have run out")
}

impl Module {
    /// An empty module: `builtin.module` with one region and one block.
    pub fn new(context: &mut Context) -> Self {
        let name = context.op_name("builtin.module");
        let mut module = Self {
            hot: Vec::new(),
            cold: Vec::new(),
            extras: Vec::new(),
            value_owners: Vec::new(),
            values: Vec::new(),
            operand_values: Vec::new(),
            uses: Vec::new(),
            blocks: Vec::new(),
            regions: Vec::new(),
            free: FreeSlots::default(),
            ages: AllAges::default(),
            changes: 0,
            top: OpId::from_raw(0),
            aliases: Vec::new(),
            has_properties_apart: false,
            resources: Vec::new(),
        };
        module.top = module.create(&OpSpec { regions: 1, ..OpSpec::new(name) });
        module.append_block(module.region(module.top, 0));
        module
    }

    /// Makes a detached operation the top operation, and erases the former top operation.
    pub(super) fn set_top(&mut self, top: OpId) {
        let old = std::mem::replace(&mut self.top, top);
        self.erase(old);
    }

    /// Creates a detached operation.
    pub fn create(&mut self, spec: &OpSpec<'_>) -> OpId {
        let regions = match spec.regions {
            0 => Vec::new(),
            count => (0..count).map(|_| self.create_region()).collect(),
        };
        self.create_around(spec, &regions)
    }

    /// Creates a region that belongs to no operation yet.
    pub(super) fn create_region(&mut self) -> RegionId {
        self.alloc_region()
    }

    /// Creates a detached operation with regions that belong to no operation yet.
    pub(super) fn create_around(&mut self, spec: &OpSpec<'_>, regions: &[RegionId]) -> OpId {
        self.changes += 1;
        let raw = self.free.ops.pop().unwrap_or_else(|| new_slot(self.hot.len()));
        let op: OpId = self.ages.ops.id(raw);
        let operand_count = new_slot(spec.operands.len());
        let result_count = new_slot(spec.result_types.len());
        let results = self.add_results(raw, spec.result_types);
        let has_extra = !regions.is_empty() || !spec.successors.is_empty();
        let extra = if has_extra { Link::to(self.alloc_extra()) } else { Link::NONE };
        let operand_count = OperandCount::new(operand_count, !regions.is_empty());
        let operands = self.add_operands(op, spec.operands);
        let hot = OpHot { name: spec.name, next: Link::NONE, operands, operand_count };
        let cold = OpCold {
            block: Link::NONE,
            prev: Link::NONE,
            loc: spec.loc,
            attrs: spec.attrs,
            properties: spec.properties,
            results,
            result_count,
            extra,
        };
        if op.index() == self.hot.len() {
            self.hot.push(hot);
            self.cold.push(cold);
        } else {
            self.hot[op.index()] = hot;
            self.cold[op.index()] = cold;
        }
        if has_extra {
            for region in regions {
                self.regions[region.index()].op = Link::to(op);
            }
            let edges = vec![None; spec.successors.len()];
            let (regions, successors) = (regions.into(), spec.successors.to_vec());
            self.extras[extra.index()] = OpExtra { regions, successors, edges };
            (0..).zip(spec.successors).for_each(|(index, _)| self.link_edge(Edge { op, index }));
        }
        op
    }

    /// Reserves memory for about this many operations.
    pub(super) fn reserve(&mut self, ops: usize) {
        self.hot.reserve(ops);
        self.cold.reserve(ops);
        self.value_owners.reserve(ops);
        self.values.reserve(ops);
        self.operand_values.reserve(ops + ops / 2);
        self.uses.reserve(ops + ops / 2);
    }

    /// Stores the operands of an operation that has no operands yet, and links their uses. Returns the slot of the
    /// first use.
    fn add_operands(&mut self, owner: OpId, operands: &[ValueId]) -> u32 {
        let count = new_slot(operands.len());
        if count == 0 {
            return 0;
        }
        let free = self.free.operands.get_mut(&count).and_then(Vec::pop);
        let start = free.unwrap_or_else(|| new_slot(self.uses.len()));
        for (used, &value) in (start..).zip(operands) {
            if free.is_none() {
                self.operand_values.push(value);
                self.uses.push(UseLinks { owner, next: Link::NONE, prev: Link::NONE });
            }
            self.link_use(UseId::from_raw(used), owner, value);
        }
        start
    }

    /// Creates the results, with these types, of the operation in slot `op`. Returns the slot of the first result.
    fn add_results(&mut self, op: u32, types: &[TypeId]) -> u32 {
        let count = new_slot(types.len());
        if count == 0 {
            return 0;
        }
        let free = self.free.values.get_mut(&count).and_then(Vec::pop);
        let start = free.unwrap_or_else(|| new_slot(self.values.len()));
        for (index, &ty) in (0..).zip(types) {
            self.put_value(start + index, ValueOwner::op(op), ValueInfo { ty, index, first_use: Link::NONE });
        }
        start
    }

    /// Creates one value, and returns its slot.
    fn add_value(&mut self, owner: ValueOwner, ty: TypeId) -> u32 {
        let free = self.free.values.get_mut(&1).and_then(Vec::pop);
        let raw = free.unwrap_or_else(|| new_slot(self.values.len()));
        self.put_value(raw, owner, ValueInfo { ty, index: 0, first_use: Link::NONE });
        raw
    }

    /// Stores a value in a free slot, or in the slot after all others.
    fn put_value(&mut self, raw: u32, owner: ValueOwner, info: ValueInfo) {
        match self.values.get_mut(raw as usize) {
            Some(slot) => {
                *slot = info;
                self.value_owners[raw as usize] = owner;
            }
            None => {
                self.values.push(info);
                self.value_owners.push(owner);
            }
        }
    }

    fn alloc_extra(&mut self) -> ExtraId {
        self.free.extras.pop().unwrap_or_else(|| {
            self.extras.push(OpExtra::default());
            ExtraId::from_raw(new_slot(self.extras.len() - 1))
        })
    }

    fn alloc_region(&mut self) -> RegionId {
        let region = RegionData { op: Link::NONE, first: Link::NONE, last: Link::NONE };
        match self.free.regions.pop() {
            Some(raw) => {
                self.regions[raw as usize] = region;
                self.ages.regions.id(raw)
            }
            None => {
                self.regions.push(region);
                self.ages.regions.id(new_slot(self.regions.len() - 1))
            }
        }
    }

    fn link_use(&mut self, used: UseId, owner: OpId, value: ValueId) {
        self.changes += 1;
        self.check_value(value);
        let first = std::mem::replace(&mut self.values[value.index()].first_use, Link::to(used));
        self.operand_values[used.index()] = value;
        self.uses[used.index()] = UseLinks { owner, next: first, prev: Link::NONE };
        if !first.is_none() {
            self.uses[first.index()].prev = Link::to(used);
        }
    }

    fn unlink_use(&mut self, used: UseId) {
        self.changes += 1;
        let UseLinks { next, prev, .. } = self.uses[used.index()];
        if prev.is_none() {
            let value = self.operand_values[used.index()];
            self.values[value.index()].first_use = next;
        } else {
            self.uses[prev.index()].next = next;
        }
        if !next.is_none() {
            self.uses[next.index()].prev = prev;
        }
    }

    /// Sets the order of the uses of a value, newest first. `uses` must contain each use of the value exactly once.
    pub(super) fn order_uses(&mut self, value: ValueId, uses: &[UseId]) {
        self.check_value(value);
        self.values[value.index()].first_use = uses.first().map_or(Link::NONE, |&used| Link::to(used));
        for (index, &used) in uses.iter().enumerate() {
            let links = &mut self.uses[used.index()];
            links.prev = index.checked_sub(1).map_or(Link::NONE, |before| Link::to(uses[before]));
            links.next = uses.get(index + 1).map_or(Link::NONE, |&after| Link::to(after));
        }
    }

    // Values.

    /// Creates a placeholder for a value that is defined later.
    pub(super) fn forward_value(&mut self, ty: TypeId) -> ValueId {
        let raw = self.add_value(ValueOwner::NONE, ty);
        self.ages.values.id(raw)
    }

    /// Removes a placeholder without uses.
    pub(super) fn erase_forward(&mut self, value: ValueId) {
        self.free_values(value.raw(), 1);
    }

    fn free_values(&mut self, start: u32, count: u32) {
        for raw in start..start + count {
            debug_assert!(self.values[raw as usize].first_use.is_none(), "an erased value has uses");
            self.value_owners[raw as usize] = ValueOwner::FREE;
            self.ages.values.retire(raw);
        }
        if count > 0 {
            self.free.values.entry(count).or_default().push(start);
        }
    }

    /// Changes the type of a value.
    pub fn set_value_type(&mut self, value: ValueId, ty: TypeId) {
        self.changes += 1;
        self.check_value(value);
        self.values[value.index()].ty = ty;
    }

    /// Replaces every use of `from` by a use of `to`, newest first, as MLIR does. Each replaced use becomes the newest
    /// use of `to`, so the order of the replaced uses is reversed. Takes time linear in the number of uses.
    pub fn replace_all_uses(&mut self, from: ValueId, to: ValueId) {
        if from == to {
            return;
        }
        while let Some(used) = self.first_use(from) {
            let owner = self.use_owner(used);
            self.unlink_use(used);
            self.link_use(used, owner, to);
        }
    }

    // Operations.

    /// Sets one operand.
    pub fn set_operand(&mut self, op: OpId, index: u32, value: ValueId) {
        debug_assert!(index < self.operand_count(op));
        let used = UseId::from_raw(self.hot[op.index()].operands + index);
        self.unlink_use(used);
        self.link_use(used, op, value);
    }

    /// Sets all operands; their number may change.
    pub fn set_operands(&mut self, op: OpId, operands: &[ValueId]) {
        self.drop_operands(op);
        let count = new_slot(operands.len());
        let start = self.add_operands(op, operands);
        let hot = &mut self.hot[op.index()];
        hot.operands = start;
        hot.operand_count = OperandCount::new(count, hot.operand_count.has_regions());
    }

    fn drop_operands(&mut self, op: OpId) {
        self.check_op(op);
        let OpHot { operands, operand_count, .. } = self.hot[op.index()];
        let count = operand_count.get();
        for used in operands..operands + count {
            self.unlink_use(UseId::from_raw(used));
        }
        if count > 0 {
            self.free.operands.entry(count).or_default().push(operands);
        }
        self.hot[op.index()].operand_count = OperandCount::new(0, operand_count.has_regions());
    }

    /// Sets the discardable attributes, a dictionary.
    pub fn set_attrs(&mut self, op: OpId, attrs: AttrId) {
        self.changes += 1;
        self.check_op(op);
        self.cold[op.index()].attrs = attrs;
    }

    /// Sets the properties.
    pub fn set_properties(&mut self, op: OpId, properties: AttrId) {
        self.changes += 1;
        self.check_op(op);
        self.cold[op.index()].properties = properties;
    }

    /// Sets the location.
    pub fn set_loc(&mut self, op: OpId, loc: LocId) {
        self.check_op(op);
        self.cold[op.index()].loc = loc;
    }

    /// Sets the name. Nothing else changes.
    pub fn set_name(&mut self, op: OpId, name: OpNameId) {
        self.changes += 1;
        self.check_op(op);
        self.hot[op.index()].name = name;
    }

    /// Sets one successor.
    pub fn set_successor(&mut self, op: OpId, index: usize, block: BlockId) {
        self.check_op(op);
        let edge = Edge { op, index: new_slot(index) };
        self.unlink_edge(edge);
        self.extra_mut(op).successors[index] = block;
        self.link_edge(edge);
    }

    fn extra_mut(&mut self, op: OpId) -> &mut OpExtra {
        let extra = self.cold[op.index()].extra.index();
        &mut self.extras[extra]
    }

    /// Adds an edge to the list of the edges to its block.
    fn link_edge(&mut self, edge: Edge) {
        let block = self.successors(edge.op)[edge.index as usize];
        self.check_block(block);
        let next = self.blocks[block.index()].first_edge.replace(edge);
        self.set_edge_links(edge, Some(EdgeLinks { next, prev: None }));
        self.update_edge(next, |links| links.prev = Some(edge));
    }

    /// Removes an edge from the list of the edges to its block.
    fn unlink_edge(&mut self, edge: Edge) {
        let Some(EdgeLinks { next, prev }) = self.edge_links(edge) else { return };
        self.set_edge_links(edge, None);
        if prev.is_none() {
            let block = self.successors(edge.op)[edge.index as usize];
            self.blocks[block.index()].first_edge = next;
        }
        self.update_edge(prev, |links| links.next = next);
        self.update_edge(next, |links| links.prev = prev);
    }

    fn set_edge_links(&mut self, edge: Edge, links: Option<EdgeLinks>) {
        self.extra_mut(edge.op).edges[edge.index as usize] = links;
    }

    fn update_edge(&mut self, edge: Option<Edge>, update: impl FnOnce(&mut EdgeLinks)) {
        if let Some(edge) = edge
            && let Some(links) = &mut self.extra_mut(edge.op).edges[edge.index as usize]
        {
            update(links);
        }
    }

    /// Inserts a detached operation at the end of a block.
    pub fn append(&mut self, block: BlockId, op: OpId) {
        debug_assert!(self.block(op).is_none(), "{op:?} is in a block");
        self.check_block(block);
        let last = std::mem::replace(&mut self.blocks[block.index()].last, Link::to(op));
        self.cold[op.index()].block = Link::to(block);
        self.cold[op.index()].prev = last;
        self.hot[op.index()].next = Link::NONE;
        if last.is_none() {
            self.blocks[block.index()].first = Link::to(op);
        } else {
            self.hot[last.index()].next = Link::to(op);
        }
    }

    /// Inserts a detached operation right before another one.
    ///
    /// # Panics
    /// `before` is in no block.
    pub fn insert_before(&mut self, before: OpId, op: OpId) {
        debug_assert!(self.block(op).is_none(), "{op:?} is in a block");
        let block = self.block(before).expect("an operation to insert before is in a block");
        let prev = std::mem::replace(&mut self.cold[before.index()].prev, Link::to(op));
        self.cold[op.index()].block = Link::to(block);
        self.cold[op.index()].prev = prev;
        self.hot[op.index()].next = Link::to(before);
        if prev.is_none() {
            self.blocks[block.index()].first = Link::to(op);
        } else {
            self.hot[prev.index()].next = Link::to(op);
        }
    }

    /// Inserts a detached operation right after another one.
    ///
    /// # Panics
    /// `after` is in no block.
    pub fn insert_after(&mut self, after: OpId, op: OpId) {
        match self.next(after) {
            Some(next) => self.insert_before(next, op),
            None => {
                let block = self.block(after).expect("an operation to insert after is in a block");
                self.append(block, op);
            }
        }
    }

    /// Removes an operation from its block, without erasing it.
    pub fn detach(&mut self, op: OpId) {
        let Some(block) = self.block(op) else { return };
        let (next, prev) = (self.hot[op.index()].next, self.cold[op.index()].prev);
        if prev.is_none() {
            self.blocks[block.index()].first = next;
        } else {
            self.hot[prev.index()].next = next;
        }
        if next.is_none() {
            self.blocks[block.index()].last = prev;
        } else {
            self.cold[next.index()].prev = prev;
        }
        self.hot[op.index()].next = Link::NONE;
        self.cold[op.index()].prev = Link::NONE;
        self.cold[op.index()].block = Link::NONE;
    }

    /// Moves an operation right before another one.
    pub fn move_before(&mut self, before: OpId, op: OpId) {
        if before != op {
            self.detach(op);
            self.insert_before(before, op);
        }
    }

    /// Erases an operation and the contents of its regions. Its results must have no uses, except by operations that
    /// are erased with it.
    pub fn erase(&mut self, op: OpId) {
        self.changes += 1;
        self.detach(op);
        if self.regions(op).is_empty() {
            self.drop_operands(op);
            return self.free_op(op);
        }
        let mut ops = vec![op];
        let mut next = 0;
        // Operands are dropped first, so that no value has uses when it is freed.
        while let Some(&op) = ops.get(next) {
            next += 1;
            self.drop_operands(op);
            for region in self.regions(op).to_vec() {
                let mut block = self.first_block(region);
                while let Some(id) = block {
                    ops.extend(self.ops(id));
                    block = self.next_block(id);
                }
            }
        }
        for op in ops {
            for region in self.regions(op).to_vec() {
                let mut block = self.first_block(region);
                while let Some(id) = block {
                    block = self.next_block(id);
                    self.free_block(id);
                }
                self.regions[region.index()].op = Link::FREE;
                self.ages.regions.retire(region.raw());
                self.free.regions.push(region.raw());
            }
            self.free_op(op);
        }
    }

    /// Frees a detached operation that has no operands and whose regions are free.
    fn free_op(&mut self, op: OpId) {
        let OpCold { results, result_count, extra, .. } = self.cold[op.index()];
        self.free_values(results, result_count);
        if let Some(extra) = extra.id() {
            for index in 0..new_slot(self.extras[extra.index()].edges.len()) {
                self.unlink_edge(Edge { op, index });
            }
            self.extras[extra.index()] = OpExtra::default();
            self.free.extras.push(extra);
        }
        self.cold[op.index()].extra = Link::FREE;
        self.ages.ops.retire(op.raw());
        self.free.ops.push(op.raw());
    }

    // Blocks and regions.

    /// True if an operation outside of these blocks uses a value that is defined in them, or branches to one of them.
    pub(super) fn are_used_outside(&self, blocks: &[BlockId]) -> bool {
        let inside: HashSet<BlockId, FxBuildHasher> = blocks.iter().copied().collect();
        let is_inside = |op: OpId| {
            let mut around = std::iter::successors(Some(op), |&op| self.parent(op));
            around.any(|op| self.block(op).is_some_and(|block| inside.contains(&block)))
        };
        let used = |value: ValueId| self.uses(value).any(|used| !is_inside(self.use_owner(used)));
        blocks.iter().any(|&block| {
            let ops = self.ops(block).flat_map(|op| self.preorder(op));
            let mut values = self.args(block).iter().copied().chain(ops.flat_map(|op| {
                let regions = self.regions(op).iter().flat_map(|&region| self.region_blocks(region));
                let args = regions.flat_map(|block| self.args(block).iter().copied());
                self.results(op).chain(args)
            }));
            values.any(used) || self.edges_to(block).any(|edge| !is_inside(edge.op))
        })
    }

    /// Erases blocks with their operations. Only operations in these blocks may use their values or branch to them.
    pub fn erase_blocks(&mut self, blocks: &[BlockId]) {
        // Operands are dropped first, because the blocks can use each other's values.
        for &block in blocks {
            for op in self.ops(block).collect::<Vec<_>>() {
                for inner in self.preorder(op).collect::<Vec<_>>() {
                    self.drop_operands(inner);
                }
            }
        }
        for &block in blocks {
            for op in self.ops(block).collect::<Vec<_>>() {
                self.erase(op);
            }
            self.detach_block(block);
            self.free_block(block);
        }
    }

    /// Removes a block from its region, without erasing it.
    pub fn detach_block(&mut self, block: BlockId) {
        self.check_block(block);
        let BlockData { region, prev, next, .. } = self.blocks[block.index()];
        if region.is_none() {
            return;
        }
        if prev.is_none() {
            self.regions[region.index()].first = next;
        } else {
            self.blocks[prev.index()].next = next;
        }
        if next.is_none() {
            self.regions[region.index()].last = prev;
        } else {
            self.blocks[next.index()].prev = prev;
        }
        let data = &mut self.blocks[block.index()];
        (data.region, data.prev, data.next) = (Link::NONE, Link::NONE, Link::NONE);
    }

    /// Inserts a block right before another one. The inserted block must be in no region.
    ///
    /// # Panics
    /// `before` is in no region.
    pub fn insert_block_before(&mut self, before: BlockId, block: BlockId) {
        debug_assert!(self.block_region(block).is_none(), "{block:?} is in a region");
        let region = self.block_region(before).expect("a block to insert before is in a region");
        let prev = std::mem::replace(&mut self.blocks[before.index()].prev, Link::to(block));
        let data = &mut self.blocks[block.index()];
        (data.region, data.prev, data.next) = (Link::to(region), prev, Link::to(before));
        if prev.is_none() {
            self.regions[region.index()].first = Link::to(block);
        } else {
            self.blocks[prev.index()].next = Link::to(block);
        }
    }

    fn free_block(&mut self, block: BlockId) {
        let args = std::mem::take(&mut self.blocks[block.index()].args);
        for arg in args {
            self.free_values(arg.raw(), 1);
        }
        while let Some(edge) = self.blocks[block.index()].first_edge {
            self.unlink_edge(edge);
        }
        self.blocks[block.index()].region = Link::FREE;
        self.ages.blocks.retire(block.raw());
        self.free.blocks.push(block.raw());
    }

    /// Creates a block that is in no region yet.
    pub fn create_block(&mut self) -> BlockId {
        let block = BlockData {
            region: Link::NONE,
            prev: Link::NONE,
            next: Link::NONE,
            first: Link::NONE,
            last: Link::NONE,
            first_edge: None,
            args: SmallVec::new(),
            arg_locs: SmallVec::new(),
        };
        match self.free.blocks.pop() {
            Some(raw) => {
                self.blocks[raw as usize] = block;
                self.ages.blocks.id(raw)
            }
            None => {
                self.blocks.push(block);
                self.ages.blocks.id(new_slot(self.blocks.len() - 1))
            }
        }
    }

    /// Inserts a block at the end of a region. The block must be in no region.
    pub fn push_block(&mut self, region: RegionId, block: BlockId) {
        debug_assert!(self.block_region(block).is_none(), "{block:?} is in a region");
        let last = std::mem::replace(&mut self.regions[region.index()].last, Link::to(block));
        self.blocks[block.index()].region = Link::to(region);
        self.blocks[block.index()].prev = last;
        if last.is_none() {
            self.regions[region.index()].first = Link::to(block);
        } else {
            self.blocks[last.index()].next = Link::to(block);
        }
    }

    /// Creates a block at the end of a region.
    pub fn append_block(&mut self, region: RegionId) -> BlockId {
        let block = self.create_block();
        self.push_block(region, block);
        block
    }

    /// Adds an argument to a block, and returns the argument.
    pub fn add_arg(&mut self, block: BlockId, ty: TypeId, loc: LocId) -> ValueId {
        self.insert_arg(block, self.args(block).len(), ty, loc)
    }

    /// Adds an argument to a block at this index, and returns the argument.
    pub fn insert_arg(&mut self, block: BlockId, index: usize, ty: TypeId, loc: LocId) -> ValueId {
        self.check_block(block);
        let raw = self.add_value(ValueOwner::block(block.raw()), ty);
        let value = self.ages.values.id(raw);
        let data = &mut self.blocks[block.index()];
        data.args.insert(index, value);
        data.arg_locs.insert(index, loc);
        self.number_args(block, index);
        value
    }

    /// Erases an argument of a block. The argument must have no uses.
    pub fn erase_arg(&mut self, block: BlockId, index: usize) {
        self.check_block(block);
        let data = &mut self.blocks[block.index()];
        let value = data.args.remove(index);
        data.arg_locs.remove(index);
        self.free_values(value.raw(), 1);
        self.number_args(block, index);
    }

    /// Updates the indices that the arguments store, from index `from` on.
    fn number_args(&mut self, block: BlockId, from: usize) {
        for (index, arg) in self.blocks[block.index()].args.iter().enumerate().skip(from) {
            self.values[arg.index()].index = new_slot(index);
        }
    }

    /// Sets the location of an argument.
    pub fn set_arg_loc(&mut self, block: BlockId, index: usize, loc: LocId) {
        self.blocks[block.index()].arg_locs[index] = loc;
    }

    /// Creates a detached copy of an operation and the contents of its regions. The copy uses the same values from
    /// outside of the operation. As in MLIR, uses of the operation's results inside its regions are not changed to uses
    /// of the copy's results.
    pub fn clone_op(&mut self, op: OpId) -> OpId {
        let mut values: HashMap<ValueId, ValueId, FxBuildHasher> = HashMap::default();
        let mut blocks: HashMap<BlockId, BlockId, FxBuildHasher> = HashMap::default();
        let mut copies = Vec::new();
        let copy = self.clone_shell(op);
        copies.push((op, copy));
        let mut next = 0;
        while let Some(&(from, to)) = copies.get(next) {
            next += 1;
            for (i, region) in self.regions(from).to_vec().into_iter().enumerate() {
                let target = self.region(to, i);
                for block in self.region_blocks(region).collect::<Vec<_>>() {
                    let new = self.append_block(target);
                    blocks.insert(block, new);
                    for (j, arg) in self.args(block).to_vec().into_iter().enumerate() {
                        let loc = self.arg_locs(block)[j];
                        values.insert(arg, self.add_arg(new, self.value_type(arg), loc));
                    }
                    for inner in self.ops(block).collect::<Vec<_>>() {
                        let copy = self.clone_shell(inner);
                        values.extend(self.results(inner).zip(self.results(copy)));
                        self.append(new, copy);
                        copies.push((inner, copy));
                    }
                }
            }
        }
        // A use can precede the definition of its value, so operands are mapped after all values are copied.
        for (from, to) in copies {
            let operands: Vec<ValueId> =
                self.operands(from).iter().map(|v| values.get(v).copied().unwrap_or(*v)).collect();
            self.set_operands(to, &operands);
            for (i, block) in self.successors(from).to_vec().into_iter().enumerate() {
                self.set_successor(to, i, blocks.get(&block).copied().unwrap_or(block));
            }
        }
        copy
    }

    /// Creates a copy of an operation without operands and with empty regions.
    fn clone_shell(&mut self, op: OpId) -> OpId {
        let types: Vec<TypeId> = self.results(op).map(|value| self.value_type(value)).collect();
        let successors = self.successors(op).to_vec();
        self.create(&OpSpec {
            name: self.name(op),
            operands: &[],
            result_types: &types,
            attrs: self.attrs(op),
            properties: self.properties(op),
            successors: &successors,
            regions: self.regions(op).len(),
            loc: self.loc(op),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module, an erased operation and its result, and the operation that reuses the slot of the erased one.
    fn reused() -> (Module, (OpId, ValueId), OpId) {
        let mut context = Context::new();
        let mut module = Module::new(&mut context);
        let name = context.op_name("t.a");
        let spec = OpSpec { regions: 1, ..OpSpec::new(name).results(&[Context::I32]) };
        let old = module.create(&spec);
        let value = module.result(old, 0);
        module.append(module.body(), old);
        module.erase(old);
        let new = module.create(&spec);
        module.append(module.body(), new);
        (module, (old, value), new)
    }

    #[test]
    fn slots_are_reused() {
        let (module, (old, value), new) = reused();
        assert_eq!((old.raw(), value.raw()), (new.raw(), module.result(new, 0).raw()));
        assert_eq!(module.op_count(), 2);
        assert_eq!(module.defining_op(module.result(new, 0)), Some(new));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "OpId(1) was erased")]
    fn a_stale_operation_is_caught() {
        let (module, (old, _), _) = reused();
        module.name(old);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "OpId(1) was erased")]
    fn a_change_of_a_stale_operation_is_caught() {
        let (mut module, (old, _), _) = reused();
        module.set_attrs(old, Context::EMPTY_DICTIONARY);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "ValueId(0) was erased")]
    fn a_stale_value_is_caught() {
        let (module, (_, value), _) = reused();
        module.value_type(value);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "ValueId(0) was erased")]
    fn a_stale_operand_is_caught() {
        let (mut module, (_, value), new) = reused();
        let name = module.name(new);
        module.create(&OpSpec::new(name).operands(&[value]));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "BlockId(1) was erased")]
    fn a_stale_block_is_caught() {
        let (mut module, _, new) = reused();
        let region = module.region(new, 0);
        let old = module.append_block(region);
        module.erase_blocks(&[old]);
        module.append_block(region);
        module.args(old);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "RegionId(1) was erased")]
    fn a_stale_region_is_caught() {
        let (mut module, _, new) = reused();
        let old = module.region(new, 0);
        let name = module.name(new);
        module.erase(new);
        module.create(&OpSpec { regions: 1, ..OpSpec::new(name) });
        module.region_op(old);
    }

    #[test]
    fn ids_are_valid_in_a_copy_of_the_module() {
        let (module, _, new) = reused();
        let copy = module.clone();
        assert_eq!(copy.name(new), module.name(new));
    }
}

//! Operations, values, blocks and regions.
//!
//! All objects are in arenas. The data for walks (name, operands, next operation) is in a separate array. The operands
//! of an operation are consecutive, and so are its results. The uses of a value form a linked list through the operand
//! slots, newest first. The edges to a block form a linked list through the successors of operations.
//!
//! Invariants: a module has one top operation, `builtin.module`; every operation is in one block, except the top
//! operation and detached operations. Slots of erased objects are reused, and debug builds detect stale ids. An
//! operation has two dictionaries of the context: its discardable attributes and its properties.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::aged_id::{Ages, Link};
use super::context::Context;
use super::ids::{AttrId, LocId, TypeId};
pub use super::ids::{BlockId, OpId, RegionId, ValueId};
use super::verbatim::AliasTarget;
use crate::host::{AttrNameId, OpNameId};
use crate::id::{Id, define_ids};
use crate::intern::StrId;

define_ids! {
    /// An operand slot of a [`Module`], which is one use of a value.
    pub struct UseId;
    /// An [`OpExtra`] of a module.
    pub(super) struct ExtraId;
}

/// The maximum number of slots in a table of a module. The top bit of a slot's number is left for a flag.
pub(super) const SLOT_LIMIT: u32 = 1 << 31;

/// The owner of a value, in 32 bits: an operation, a block, or no owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueOwner(u32);

impl ValueOwner {
    /// No owner, because the parser has not reached the definition of the value yet.
    pub(super) const NONE: Self = Self(u32::MAX);
    /// The mark of a free slot.
    pub(super) const FREE: Self = Self(u32::MAX - 1);
    const IS_BLOCK: u32 = SLOT_LIMIT;

    /// The operation in a slot.
    pub(super) fn op(slot: u32) -> Self {
        Self(slot)
    }

    /// The block in a slot.
    pub(super) fn block(slot: u32) -> Self {
        Self(slot | Self::IS_BLOCK)
    }

    /// The slot of the operation.
    fn op_slot(self) -> Option<u32> {
        (self.0 & Self::IS_BLOCK == 0).then_some(self.0)
    }

    /// The slot of the block.
    fn block_slot(self) -> Option<u32> {
        (self.0 & Self::IS_BLOCK != 0 && self.0 < Self::FREE.0).then_some(self.0 & !Self::IS_BLOCK)
    }
}

/// The number of operands of an operation, and a flag that is set if it has regions, in 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandCount(u32);

impl OperandCount {
    const HAS_REGIONS: u32 = SLOT_LIMIT;

    pub(super) fn new(count: u32, has_regions: bool) -> Self {
        Self(count | if has_regions { Self::HAS_REGIONS } else { 0 })
    }

    pub(super) fn get(self) -> u32 {
        self.0 & !Self::HAS_REGIONS
    }

    pub(super) fn has_regions(self) -> bool {
        self.0 & Self::HAS_REGIONS != 0
    }
}

/// The part of an operation that every walk reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpHot {
    pub(super) name: OpNameId,
    pub(super) next: Link<OpId>,
    /// The slot of the first operand.
    pub(super) operands: u32,
    pub(super) operand_count: OperandCount,
}

/// The other parts of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpCold {
    pub(super) block: Link<BlockId>,
    pub(super) prev: Link<OpId>,
    pub(super) loc: LocId,
    pub(super) attrs: AttrId,
    pub(super) properties: AttrId,
    /// The slot of the first result.
    pub(super) results: u32,
    pub(super) result_count: u32,
    /// The regions and successors of the operation, if it has any.
    pub(super) extra: Link<ExtraId>,
}

/// The regions and successors of an operation. Few operations have them.
#[derive(Clone, Debug, Default)]
pub(super) struct OpExtra {
    pub(super) regions: SmallVec<[RegionId; 4]>,
    pub(super) successors: Vec<BlockId>,
    /// The position of each successor in the list of the edges to its block; `None` if this block is erased.
    pub(super) edges: Vec<Option<EdgeLinks>>,
}

/// A successor of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) op: OpId,
    /// The index of the successor.
    pub(super) index: u32,
}

/// The neighbours of an edge in the list of the edges to a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeLinks {
    pub(super) next: Option<Edge>,
    pub(super) prev: Option<Edge>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ValueInfo {
    pub(super) ty: TypeId,
    pub(super) index: u32,
    pub(super) first_use: Link<UseId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct UseLinks {
    pub(super) owner: OpId,
    pub(super) next: Link<UseId>,
    pub(super) prev: Link<UseId>,
}

#[derive(Clone, Debug)]
pub(super) struct BlockData {
    pub(super) region: Link<RegionId>,
    pub(super) prev: Link<BlockId>,
    pub(super) next: Link<BlockId>,
    pub(super) first: Link<OpId>,
    pub(super) last: Link<OpId>,
    /// The newest edge to the block.
    pub(super) first_edge: Option<Edge>,
    pub(super) args: SmallVec<[ValueId; 4]>,
    pub(super) arg_locs: SmallVec<[LocId; 4]>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RegionData {
    pub(super) op: Link<OpId>,
    pub(super) first: Link<BlockId>,
    pub(super) last: Link<BlockId>,
}

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// A result of an operation.
    Result {
        /// The operation.
        op: OpId,
        /// The index among its results.
        index: u32,
    },
    /// An argument of a block.
    Argument {
        /// The block.
        block: BlockId,
        /// The index among its arguments.
        index: u32,
    },
    /// The parser has not reached the definition yet.
    Forward,
}

/// The parts of a new operation.
#[derive(Clone, Copy, Debug)]
pub struct OpSpec<'a> {
    /// Its name.
    pub name: OpNameId,
    /// Its operands.
    pub operands: &'a [ValueId],
    /// The types of its results.
    pub result_types: &'a [TypeId],
    /// Discardable attributes, a dictionary.
    pub attrs: AttrId,
    /// Properties, a dictionary: the contents of `<{…}>`.
    pub properties: AttrId,
    /// The successors.
    pub successors: &'a [BlockId],
    /// The number of regions, which are created without blocks.
    pub regions: usize,
    /// The location.
    pub loc: LocId,
}

impl<'a> OpSpec<'a> {
    /// An operation that has only a name.
    pub fn new(name: OpNameId) -> Self {
        Self {
            name,
            operands: &[],
            result_types: &[],
            attrs: Context::EMPTY_DICTIONARY,
            properties: Context::EMPTY_DICTIONARY,
            successors: &[],
            regions: 0,
            loc: Context::UNKNOWN,
        }
    }

    /// Sets the operands.
    #[must_use]
    pub fn operands(mut self, operands: &'a [ValueId]) -> Self {
        self.operands = operands;
        self
    }

    /// Sets the result types.
    #[must_use]
    pub fn results(mut self, types: &'a [TypeId]) -> Self {
        self.result_types = types;
        self
    }
}

/// A group of a file's resource section: the entries of one dialect, or of one external tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResourceGroup {
    /// True if the group is under `external_resources`.
    pub external: bool,
    /// The dialect or tool.
    pub name: Box<str>,
    /// Keys, and values as text: a string with its quotes, `true` or `false`.
    pub entries: Vec<(Box<str>, Box<str>)>,
}

/// The ages of the ids of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct AllAges {
    pub(super) ops: Ages<OpId>,
    pub(super) values: Ages<ValueId>,
    pub(super) blocks: Ages<BlockId>,
    pub(super) regions: Ages<RegionId>,
}

/// A tree of operations: `builtin.module` and the operations in its region.
///
/// Accessors require ids of live objects of this module, and indices below the number of operands, results or other
/// parts that the object has.
///
/// ```
/// use drrvm::ir::{Context, Module, OpSpec};
/// let mut context = Context::new();
/// let mut module = Module::new(&mut context);
/// let name = context.op_name("t.a");
/// let a = module.create(&OpSpec::new(name).results(&[Context::I32]));
/// module.append(module.body(), a);
/// let b = module.create(&OpSpec::new(name).operands(&[module.result(a, 0)]));
/// module.append(module.body(), b);
/// assert_eq!(module.defining_op(module.operand(b, 0)), Some(a));
/// assert_eq!(module.uses(module.result(a, 0)).count(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Module {
    pub(super) hot: Vec<OpHot>,
    pub(super) cold: Vec<OpCold>,
    pub(super) extras: Vec<OpExtra>,
    pub(super) value_owners: Vec<ValueOwner>,
    pub(super) values: Vec<ValueInfo>,
    pub(super) operand_values: Vec<ValueId>,
    pub(super) uses: Vec<UseLinks>,
    pub(super) blocks: Vec<BlockData>,
    pub(super) regions: Vec<RegionData>,
    pub(super) free: FreeSlots,
    pub(super) ages: AllAges,
    /// The number of changes that matching can observe.
    pub(super) changes: u64,
    pub(super) top: OpId,
    /// The alias names of attributes and types in the text, without their numbers.
    pub(super) aliases: Vec<(AliasTarget, StrId)>,
    /// True if the text has inherent and discardable attributes in separate lists, `<a = 1> {b = 2}`, as MLIR prints
    /// them after version 22.1.
    pub(super) has_properties_apart: bool,
    /// The resource section.
    pub(crate) resources: Vec<ResourceGroup>,
}

/// The free slots. Runs of consecutive slots of operands and of values are grouped by their length.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeSlots {
    pub(super) ops: Vec<u32>,
    pub(super) extras: Vec<ExtraId>,
    pub(super) blocks: Vec<u32>,
    pub(super) regions: Vec<u32>,
    pub(super) values: BTreeMap<u32, Vec<u32>>,
    pub(super) operands: BTreeMap<u32, Vec<u32>>,
}

impl Module {
    /// The operation that contains all others.
    pub fn top(&self) -> OpId {
        self.top
    }

    /// The block of the top operation.
    ///
    /// # Panics
    /// The block was removed.
    pub fn body(&self) -> BlockId {
        self.first_block(self.region(self.top, 0)).expect("a module has a block")
    }

    /// The number of operations, including the top one.
    pub fn op_count(&self) -> usize {
        self.hot.len() - self.free.ops.len()
    }

    /// One past the largest raw number of an operation: the size of a table indexed by operations.
    pub fn op_slots(&self) -> usize {
        self.hot.len()
    }

    /// One past the largest raw number of a value.
    pub fn value_slots(&self) -> usize {
        self.values.len()
    }

    /// One past the largest raw number of a block.
    pub fn block_slots(&self) -> usize {
        self.blocks.len()
    }

    /// A number that grows with each change to the name, operands or attributes of an operation, with each change of
    /// the type of a value, and with each creation or erasure of an operation.
    pub fn change_count(&self) -> u64 {
        self.changes
    }

    /// True if the slot of this id is in use.
    pub fn is_alive(&self, op: OpId) -> bool {
        self.cold.get(op.index()).is_some_and(|cold| !cold.extra.is_free())
    }

    /// In debug builds, panics if the operation was erased, even if its slot is reused.
    #[inline]
    pub(super) fn check_op(&self, op: OpId) {
        debug_assert!(self.is_alive(op) && self.ages.ops.is_current(op), "{op:?} was erased");
    }

    /// See [`Module::check_op`].
    #[inline]
    pub(super) fn check_value(&self, value: ValueId) {
        debug_assert!(
            self.value_owners[value.index()] != ValueOwner::FREE && self.ages.values.is_current(value),
            "{value:?} was erased"
        );
    }

    /// See [`Module::check_op`].
    pub(super) fn check_block(&self, block: BlockId) {
        debug_assert!(
            !self.blocks[block.index()].region.is_free() && self.ages.blocks.is_current(block),
            "{block:?} was erased"
        );
    }

    #[inline]
    fn hot(&self, op: OpId) -> &OpHot {
        self.check_op(op);
        &self.hot[op.index()]
    }

    #[inline]
    fn cold(&self, op: OpId) -> &OpCold {
        self.check_op(op);
        &self.cold[op.index()]
    }

    fn extra(&self, op: OpId) -> Option<&OpExtra> {
        self.extras.get(self.cold(op).extra.index())
    }

    // Operations.

    /// The name.
    #[inline]
    pub fn name(&self, op: OpId) -> OpNameId {
        self.hot(op).name
    }

    /// The number of operands.
    #[inline]
    pub fn operand_count(&self, op: OpId) -> u32 {
        self.hot(op).operand_count.get()
    }

    /// The operand with this index.
    #[inline]
    pub fn operand(&self, op: OpId, index: u32) -> ValueId {
        debug_assert!(index < self.operand_count(op));
        self.operand_values[self.hot(op).operands as usize + index as usize]
    }

    /// The operands.
    pub fn operands(&self, op: OpId) -> &[ValueId] {
        let hot = self.hot(op);
        let start = hot.operands as usize;
        &self.operand_values[start..start + hot.operand_count.get() as usize]
    }

    /// The number of results.
    #[inline]
    pub fn result_count(&self, op: OpId) -> u32 {
        self.cold(op).result_count
    }

    /// The result with this index.
    #[inline]
    pub fn result(&self, op: OpId, index: u32) -> ValueId {
        debug_assert!(index < self.result_count(op));
        self.ages.values.id(self.cold(op).results + index)
    }

    /// The results.
    pub fn results(&self, op: OpId) -> impl DoubleEndedIterator<Item = ValueId> + ExactSizeIterator + use<> {
        let cold = self.cold(op);
        self.ages.values.ids(cold.results, cold.result_count)
    }

    /// The discardable attributes, a dictionary.
    pub fn attrs(&self, op: OpId) -> AttrId {
        self.cold(op).attrs
    }

    /// The properties: a dictionary, unless the text had another attribute there.
    pub fn properties(&self, op: OpId) -> AttrId {
        self.cold(op).properties
    }

    /// The property with this name, or else the discardable attribute.
    #[inline]
    pub fn attr(&self, context: &Context, op: OpId, name: AttrNameId) -> Option<AttrId> {
        let cold = self.cold(op);
        context.entry(cold.properties, name).or_else(|| context.entry(cold.attrs, name))
    }

    /// The location.
    pub fn loc(&self, op: OpId) -> LocId {
        self.cold(op).loc
    }

    /// The regions.
    pub fn regions(&self, op: OpId) -> &[RegionId] {
        self.extra(op).map_or(&[], |extra| &extra.regions)
    }

    /// The region with this index.
    pub fn region(&self, op: OpId, index: usize) -> RegionId {
        self.regions(op)[index]
    }

    /// The successors.
    pub fn successors(&self, op: OpId) -> &[BlockId] {
        self.extra(op).map_or(&[], |extra| &extra.successors)
    }

    /// The edges to a block, newest first, including the edges from detached operations.
    pub(super) fn edges_to(&self, block: BlockId) -> impl Iterator<Item = Edge> {
        self.check_block(block);
        std::iter::successors(self.blocks[block.index()].first_edge, |&edge| self.edge_links(edge)?.next)
    }

    pub(super) fn edge_links(&self, edge: Edge) -> Option<EdgeLinks> {
        self.extra(edge.op)?.edges[edge.index as usize]
    }

    /// The block of the operation; `None` for the top operation and for detached operations.
    pub fn block(&self, op: OpId) -> Option<BlockId> {
        self.ages.blocks.linked(self.cold(op).block)
    }

    /// The operation after this one in its block.
    pub fn next(&self, op: OpId) -> Option<OpId> {
        self.ages.ops.linked(self.hot(op).next)
    }

    /// The operation before this one in its block.
    pub fn prev(&self, op: OpId) -> Option<OpId> {
        self.ages.ops.linked(self.cold(op).prev)
    }

    /// The operation that contains this one.
    pub fn parent(&self, op: OpId) -> Option<OpId> {
        self.block_parent(self.block(op)?)
    }

    // Values.

    /// The id of the value in a slot.
    pub(super) fn value_id(&self, raw: u32) -> ValueId {
        self.ages.values.id(raw)
    }

    /// The type of a value.
    #[inline]
    pub fn value_type(&self, value: ValueId) -> TypeId {
        self.check_value(value);
        self.values[value.index()].ty
    }

    /// The definition of a value.
    pub fn value_def(&self, value: ValueId) -> ValueDef {
        self.check_value(value);
        let owner = self.value_owners[value.index()];
        let index = self.values[value.index()].index;
        match (owner.op_slot(), owner.block_slot()) {
            (Some(op), _) => ValueDef::Result { op: self.ages.ops.id(op), index },
            (None, Some(block)) => ValueDef::Argument { block: self.ages.blocks.id(block), index },
            (None, None) => ValueDef::Forward,
        }
    }

    /// The operation that has a value as a result; `None` for other values.
    #[inline]
    pub fn defining_op(&self, value: ValueId) -> Option<OpId> {
        self.check_value(value);
        self.value_owners[value.index()].op_slot().map(|slot| self.ages.ops.id(slot))
    }

    /// The block of an argument, or of the operation that defines a result.
    pub fn value_block(&self, value: ValueId) -> Option<BlockId> {
        match self.value_def(value) {
            ValueDef::Result { op, .. } => self.block(op),
            ValueDef::Argument { block, .. } => Some(block),
            ValueDef::Forward => None,
        }
    }

    /// The newest use.
    #[inline]
    pub fn first_use(&self, value: ValueId) -> Option<UseId> {
        self.check_value(value);
        self.values[value.index()].first_use.id()
    }

    /// The next older use.
    #[inline]
    pub fn next_use(&self, used: UseId) -> Option<UseId> {
        self.uses[used.index()].next.id()
    }

    /// The operation that has this operand.
    #[inline]
    pub fn use_owner(&self, used: UseId) -> OpId {
        self.uses[used.index()].owner
    }

    /// The index of the operand.
    #[inline]
    pub fn use_index(&self, used: UseId) -> u32 {
        used.raw() - self.hot(self.use_owner(used)).operands
    }

    /// The uses, newest first.
    pub fn uses(&self, value: ValueId) -> impl Iterator<Item = UseId> {
        std::iter::successors(self.first_use(value), |&used| self.next_use(used))
    }

    /// True if the value has no uses.
    pub fn is_unused(&self, value: ValueId) -> bool {
        self.check_value(value);
        self.values[value.index()].first_use.is_none()
    }

    // Blocks and regions.

    fn block_data(&self, block: BlockId) -> &BlockData {
        self.check_block(block);
        &self.blocks[block.index()]
    }

    /// The arguments of a block.
    pub fn args(&self, block: BlockId) -> &[ValueId] {
        &self.block_data(block).args
    }

    /// The locations of a block's arguments.
    pub fn arg_locs(&self, block: BlockId) -> &[LocId] {
        &self.block_data(block).arg_locs
    }

    /// The first operation of a block.
    pub fn first_op(&self, block: BlockId) -> Option<OpId> {
        self.ages.ops.linked(self.block_data(block).first)
    }

    /// The last operation of a block.
    pub fn last_op(&self, block: BlockId) -> Option<OpId> {
        self.ages.ops.linked(self.block_data(block).last)
    }

    /// The operations of a block in order.
    pub fn ops(&self, block: BlockId) -> impl Iterator<Item = OpId> {
        std::iter::successors(self.first_op(block), |&op| self.next(op))
    }

    /// The block after this one in its region.
    pub fn next_block(&self, block: BlockId) -> Option<BlockId> {
        self.ages.blocks.linked(self.block_data(block).next)
    }

    /// The block before this one in its region.
    pub fn prev_block(&self, block: BlockId) -> Option<BlockId> {
        self.ages.blocks.linked(self.block_data(block).prev)
    }

    /// The region of a block; `None` if the block is in no region.
    pub fn block_region(&self, block: BlockId) -> Option<RegionId> {
        self.ages.regions.linked(self.block_data(block).region)
    }

    /// The operation that contains a block.
    pub fn block_parent(&self, block: BlockId) -> Option<OpId> {
        self.ages.ops.linked(self.region_data(self.block_region(block)?).op)
    }

    fn region_data(&self, region: RegionId) -> &RegionData {
        let data = &self.regions[region.index()];
        debug_assert!(!data.op.is_free() && self.ages.regions.is_current(region), "{region:?} was erased");
        data
    }

    /// The operation of a region.
    pub fn region_op(&self, region: RegionId) -> OpId {
        self.ages.ops.linked(self.region_data(region).op).expect("a region belongs to an operation")
    }

    /// The first block of a region.
    pub fn first_block(&self, region: RegionId) -> Option<BlockId> {
        self.ages.blocks.linked(self.region_data(region).first)
    }

    /// The last block of a region.
    pub fn last_block(&self, region: RegionId) -> Option<BlockId> {
        self.ages.blocks.linked(self.region_data(region).last)
    }

    /// The blocks of a region in order.
    pub fn region_blocks(&self, region: RegionId) -> impl Iterator<Item = BlockId> {
        std::iter::successors(self.first_block(region), |&block| self.next_block(block))
    }
}

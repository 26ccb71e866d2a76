//! Operations, values, blocks and regions: how they are kept and read.
//!
//! Everything lives in arenas with index ids. What a walk touches (name, operands, next operation) lies
//! apart from what it does not; an operation's operands, and its results, are consecutive. The uses of a
//! value are a list through the operand slots, newest first.
//!
//! Invariants: a module has one top operation, `builtin.module`; every operation but that one and
//! detached ones is in one block; slots of what is erased are used again, and debug builds catch the use
//! of an id from before that. Attributes and properties are dictionaries of the context, kept apart.

use std::collections::BTreeMap;

use super::aged_id::{Ages, NONE, define_aged_ids};
use super::context::Context;
use super::ids::{AttrId, LocId, TypeId};
use super::verbatim::AliasTarget;
use crate::host::{AttrNameId, OpNameId};
use crate::id::{Id, define_ids};
use crate::intern::StrId;

define_aged_ids! {
    /// An operation of a [`Module`].
    pub struct OpId;
    /// A value of a [`Module`]: a result or a block argument.
    pub struct ValueId;
    /// A block of a [`Module`].
    pub struct BlockId;
    /// A region of a [`Module`].
    pub struct RegionId;
}

define_ids! {
    /// An operand slot of a [`Module`], and so one use of a value.
    pub struct UseId;
}

/// In a link that every live thing has set: the slot is free.
pub(super) const FREE: u32 = u32::MAX - 1;
/// The use behind a link.
fn linked_use(raw: u32) -> Option<UseId> {
    (raw != NONE).then(|| UseId::from_raw(raw))
}

/// In a value's owner: a block, not an operation.
pub(super) const OWNER_IS_BLOCK: u32 = 1 << 31;
/// In an operation's operand count: it has regions.
pub(super) const HAS_REGIONS: u32 = 1 << 31;

/// What a walk reads of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpHot {
    pub(super) name: OpNameId,
    pub(super) next: u32,
    pub(super) operands: u32,
    /// The count, and [`HAS_REGIONS`].
    pub(super) operand_count: u32,
}

/// The rest of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpCold {
    pub(super) block: u32,
    pub(super) prev: u32,
    pub(super) loc: LocId,
    pub(super) attrs: AttrId,
    pub(super) properties: AttrId,
    pub(super) results: u32,
    pub(super) result_count: u32,
    /// Its [`OpExtra`], if it has regions or successors; [`FREE`] in a free slot.
    pub(super) extra: u32,
}

/// What few operations have.
#[derive(Clone, Debug, Default)]
pub(super) struct OpExtra {
    pub(super) regions: Vec<RegionId>,
    pub(super) successors: Vec<BlockId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ValueInfo {
    pub(super) ty: TypeId,
    pub(super) index: u32,
    pub(super) first_use: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct UseLinks {
    pub(super) owner: OpId,
    pub(super) next: u32,
    pub(super) prev: u32,
}

#[derive(Clone, Debug)]
pub(super) struct BlockData {
    pub(super) region: u32,
    pub(super) prev: u32,
    pub(super) next: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) args: Vec<ValueId>,
    pub(super) arg_locs: Vec<LocId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RegionData {
    pub(super) op: u32,
    pub(super) first: u32,
    pub(super) last: u32,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// A result of an operation.
    Result {
        /// The operation.
        op: OpId,
        /// Which of its results.
        index: u32,
    },
    /// An argument of a block.
    Argument {
        /// The block.
        block: BlockId,
        /// Which of its arguments.
        index: u32,
    },
    /// A value that is used before the parser has met its definition.
    Forward,
}

/// What an operation is made from.
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
    /// Properties, a dictionary; what `<{…}>` holds.
    pub properties: AttrId,
    /// The blocks control may go to.
    pub successors: &'a [BlockId],
    /// How many regions it has, each empty.
    pub regions: usize,
    /// Where it comes from.
    pub loc: LocId,
}

impl<'a> OpSpec<'a> {
    /// An operation with nothing but a name.
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

    /// With these operands.
    #[must_use]
    pub fn operands(mut self, operands: &'a [ValueId]) -> Self {
        self.operands = operands;
        self
    }

    /// With results of these types.
    #[must_use]
    pub fn results(mut self, types: &'a [TypeId]) -> Self {
        self.result_types = types;
        self
    }
}

/// A group of a file's resource section: the entries of one dialect, or of one external tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceGroup {
    /// Whether it stands under `external_resources`.
    pub external: bool,
    /// The dialect or tool.
    pub name: Box<str>,
    /// Keys, and values as text: a string with its quotes, `true` or `false`.
    pub entries: Vec<(Box<str>, Box<str>)>,
}

/// The ages of a module's ids.
#[derive(Clone, Debug, Default)]
pub(super) struct AllAges {
    pub(super) ops: Ages<OpId>,
    pub(super) values: Ages<ValueId>,
    pub(super) blocks: Ages<BlockId>,
    pub(super) regions: Ages<RegionId>,
}

/// A tree of operations: `builtin.module` and what its region holds.
///
/// Accessors take ids of this module that are alive; an index is below the count the module gave.
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
    pub(super) value_owners: Vec<u32>,
    pub(super) values: Vec<ValueInfo>,
    pub(super) operand_values: Vec<ValueId>,
    pub(super) uses: Vec<UseLinks>,
    pub(super) blocks: Vec<BlockData>,
    pub(super) regions: Vec<RegionData>,
    pub(super) free: FreeSlots,
    pub(super) ages: AllAges,
    /// Counts what matching can see.
    pub(super) changes: u64,
    pub(super) top: OpId,
    /// Names that attributes and types had in the text, without their numbers.
    pub(super) aliases: Vec<(AliasTarget, StrId)>,
    /// The resource section.
    pub resources: Vec<ResourceGroup>,
}

/// The slots to be used again; those of several by their number.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeSlots {
    pub(super) ops: Vec<u32>,
    pub(super) extras: Vec<u32>,
    pub(super) blocks: Vec<u32>,
    pub(super) regions: Vec<u32>,
    pub(super) values: BTreeMap<u32, Vec<u32>>,
    pub(super) operands: BTreeMap<u32, Vec<u32>>,
}

impl Module {
    /// The operation that holds all others.
    pub fn top(&self) -> OpId {
        self.top
    }

    /// The block of the top operation.
    ///
    /// # Panics
    /// When somebody has removed it.
    pub fn body(&self) -> BlockId {
        self.first_block(self.region(self.top, 0)).expect("a module has a block")
    }

    /// How many operations there are, the top one counted.
    pub fn op_count(&self) -> usize {
        self.hot.len() - self.free.ops.len()
    }

    /// One past the largest raw number of an operation: the size of a table with an entry for each.
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

    /// A number that is larger after each change to an operation's name, operands, attributes or
    /// result types, and after each operation that is made or erased.
    pub fn change_count(&self) -> u64 {
        self.changes
    }

    /// Whether this id's slot is in use.
    pub fn is_alive(&self, op: OpId) -> bool {
        self.cold.get(op.index()).is_some_and(|cold| cold.extra != FREE)
    }

    /// In debug builds, panics over an id of what was erased, whoever has its slot now.
    pub(super) fn check_op(&self, op: OpId) {
        debug_assert!(self.is_alive(op) && self.ages.ops.is_current(op), "{op:?} was erased");
    }

    /// As [`Module::check_op`].
    pub(super) fn check_value(&self, value: ValueId) {
        debug_assert!(
            self.value_owners[value.index()] != FREE && self.ages.values.is_current(value),
            "{value:?} was erased"
        );
    }

    /// As [`Module::check_op`].
    pub(super) fn check_block(&self, block: BlockId) {
        debug_assert!(
            self.blocks[block.index()].region != FREE && self.ages.blocks.is_current(block),
            "{block:?} was erased"
        );
    }

    fn hot(&self, op: OpId) -> &OpHot {
        self.check_op(op);
        &self.hot[op.index()]
    }

    fn cold(&self, op: OpId) -> &OpCold {
        self.check_op(op);
        &self.cold[op.index()]
    }

    fn extra(&self, op: OpId) -> Option<&OpExtra> {
        self.extras.get(self.cold(op).extra as usize)
    }

    // Operations.

    /// The name.
    pub fn name(&self, op: OpId) -> OpNameId {
        self.hot(op).name
    }

    /// How many operands it has.
    pub fn operand_count(&self, op: OpId) -> u32 {
        self.hot(op).operand_count & !HAS_REGIONS
    }

    /// One operand.
    pub fn operand(&self, op: OpId, index: u32) -> ValueId {
        debug_assert!(index < self.operand_count(op));
        self.operand_values[self.hot(op).operands as usize + index as usize]
    }

    /// The operands.
    pub fn operands(&self, op: OpId) -> &[ValueId] {
        let hot = self.hot(op);
        let start = hot.operands as usize;
        &self.operand_values[start..start + (hot.operand_count & !HAS_REGIONS) as usize]
    }

    /// How many results it has.
    pub fn result_count(&self, op: OpId) -> u32 {
        self.cold(op).result_count
    }

    /// One result.
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

    /// The properties, a dictionary unless the text had another attribute there.
    pub fn properties(&self, op: OpId) -> AttrId {
        self.cold(op).properties
    }

    /// The property, or else the discardable attribute, of this name.
    pub fn attr(&self, context: &Context, op: OpId, name: AttrNameId) -> Option<AttrId> {
        let cold = self.cold(op);
        context.entry(cold.properties, name).or_else(|| context.entry(cold.attrs, name))
    }

    /// The attribute with this name, as [`Self::attr`].
    pub(super) fn property(&self, context: &Context, op: OpId, name: &str) -> Option<AttrId> {
        self.attr(context, op, context.find_attr_name(name)?)
    }

    /// Where it comes from.
    pub fn loc(&self, op: OpId) -> LocId {
        self.cold(op).loc
    }

    /// The regions.
    pub fn regions(&self, op: OpId) -> &[RegionId] {
        self.extra(op).map_or(&[], |extra| &extra.regions)
    }

    /// One region.
    pub fn region(&self, op: OpId, index: usize) -> RegionId {
        self.regions(op)[index]
    }

    /// The blocks control may go to.
    pub fn successors(&self, op: OpId) -> &[BlockId] {
        self.extra(op).map_or(&[], |extra| &extra.successors)
    }

    /// The block it is in; `None` for the top operation and a detached one.
    pub fn block(&self, op: OpId) -> Option<BlockId> {
        self.ages.blocks.linked(self.cold(op).block)
    }

    /// The operation after it in its block.
    pub fn next(&self, op: OpId) -> Option<OpId> {
        self.ages.ops.linked(self.hot(op).next)
    }

    /// The operation before it in its block.
    pub fn prev(&self, op: OpId) -> Option<OpId> {
        self.ages.ops.linked(self.cold(op).prev)
    }

    /// The operation whose region holds it.
    pub fn parent(&self, op: OpId) -> Option<OpId> {
        self.block_parent(self.block(op)?)
    }

    // Values.

    /// The id of the value in a slot that is in use.
    pub(super) fn value_id(&self, raw: u32) -> ValueId {
        self.ages.values.id(raw)
    }

    /// Its type.
    pub fn value_type(&self, value: ValueId) -> TypeId {
        self.check_value(value);
        self.values[value.index()].ty
    }

    /// Where it comes from.
    pub fn value_def(&self, value: ValueId) -> ValueDef {
        self.check_value(value);
        let owner = self.value_owners[value.index()];
        let index = self.values[value.index()].index;
        if owner >= FREE {
            ValueDef::Forward
        } else if owner & OWNER_IS_BLOCK != 0 {
            ValueDef::Argument { block: self.ages.blocks.id(owner & !OWNER_IS_BLOCK), index }
        } else {
            ValueDef::Result { op: self.ages.ops.id(owner), index }
        }
    }

    /// The operation whose result it is; `None` for a block argument.
    pub fn defining_op(&self, value: ValueId) -> Option<OpId> {
        self.check_value(value);
        let owner = self.value_owners[value.index()];
        (owner & OWNER_IS_BLOCK == 0).then(|| self.ages.ops.id(owner))
    }

    /// The block that an argument belongs to or a result is made in.
    pub fn value_block(&self, value: ValueId) -> Option<BlockId> {
        match self.value_def(value) {
            ValueDef::Result { op, .. } => self.block(op),
            ValueDef::Argument { block, .. } => Some(block),
            ValueDef::Forward => None,
        }
    }

    /// The newest use.
    pub fn first_use(&self, value: ValueId) -> Option<UseId> {
        self.check_value(value);
        linked_use(self.values[value.index()].first_use)
    }

    /// The use made before this one.
    pub fn next_use(&self, used: UseId) -> Option<UseId> {
        linked_use(self.uses[used.index()].next)
    }

    /// The operation that uses.
    pub fn use_owner(&self, used: UseId) -> OpId {
        self.uses[used.index()].owner
    }

    /// Which of the owner's operands the use is.
    pub fn use_index(&self, used: UseId) -> u32 {
        used.raw() - self.hot(self.use_owner(used)).operands
    }

    /// The uses, newest first.
    pub fn uses(&self, value: ValueId) -> impl Iterator<Item = UseId> {
        std::iter::successors(self.first_use(value), |&used| self.next_use(used))
    }

    /// Whether nothing uses it.
    pub fn is_unused(&self, value: ValueId) -> bool {
        self.check_value(value);
        self.values[value.index()].first_use == NONE
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

    /// The block after it in its region.
    pub fn next_block(&self, block: BlockId) -> Option<BlockId> {
        self.ages.blocks.linked(self.block_data(block).next)
    }

    /// The block before it in its region.
    pub fn prev_block(&self, block: BlockId) -> Option<BlockId> {
        self.ages.blocks.linked(self.block_data(block).prev)
    }

    /// The region a block is in; `None` if it is in none yet.
    pub fn block_region(&self, block: BlockId) -> Option<RegionId> {
        self.ages.regions.linked(self.block_data(block).region)
    }

    /// The operation whose region holds a block.
    pub fn block_parent(&self, block: BlockId) -> Option<OpId> {
        self.block_region(block).map(|region| self.region_op(region))
    }

    fn region_data(&self, region: RegionId) -> &RegionData {
        let data = &self.regions[region.index()];
        debug_assert!(data.op != FREE && self.ages.regions.is_current(region), "{region:?} was erased");
        data
    }

    /// The operation a region belongs to.
    pub fn region_op(&self, region: RegionId) -> OpId {
        self.ages.ops.id(self.region_data(region).op)
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

//! MLIR's IR as a host.
//!
//! Specification: the engine behaves on MLIR's IR as on the built-in IR. Ids are the addresses of MLIR's objects. Most
//! queries of matching read MLIR's memory ([`layout`](crate::layout)); changes go through MLIR's C++ and C interfaces.
//! While a driver of MLIR runs, operations are created, replaced and erased by its rewriter.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use drrvm::host::{
    self, AttrNameId, Bind, Blocks, Id, InsertionPoint, Ir, IrMut, NamedAttr, Natives, OpNameId, OpState,
    Refusal, WalkOrder,
};

use crate::bridge::{self, Inherent, NewAttribute, NewOperation, RewriterRef};
use crate::capi::{
    Attribute, Block, Context, Location, NamedAttribute, OpOperand, Operation, StringRef, Type, Value,
    mlirAttributeParseGet, mlirDictionaryAttrGet, mlirDictionaryAttrGetElement,
    mlirDictionaryAttrGetNumElements, mlirIdentifierGet, mlirIdentifierStr, mlirLocationFusedGet,
    mlirLocationNameGet, mlirLocationUnknownGet, mlirOperationGetParentOperation, mlirOperationMoveBefore,
    mlirOperationSetLocation, mlirStringAttrGet, mlirTypeParseGet,
};
use crate::layout;
use crate::names::{AllNames, BoundNames};
use crate::owned::OwnedModule;
use crate::slots::RecentSlots;

/// A context of MLIR, with the numbers of the names that rules mention.
///
/// Invariants: every id of an operation, value, type, attribute or location is the address of an object of this
/// context. A clone uses the same numbers for names, so that another thread can use the clone.
#[derive(Clone)]
pub struct MlirHost {
    pub(crate) context: Context,
    /// The module that was parsed for this host; `None` if the host was made inside a running MLIR.
    pub(crate) owned: Option<Arc<OwnedModule>>,
    ops: OpNames,
    pub(crate) attr_names: AttrNames,
    offsets: Offsets,
    slots: RecentSlots,
    /// A bounded cache of the attributes that `make_attr` parsed, by their texts.
    pub(crate) parsed: HashMap<String, Attribute>,
    /// The rewriter of the driver that runs the current rewrite.
    rewriter: Option<RewriterRef>,
    /// The pending replacements of results: the operation, its result, and the new value. They take effect when the
    /// operation is erased.
    replacements: Vec<(Operation, Value, Value)>,
    /// The operations that the current rewrite has created through MLIR's driver.
    created: Vec<Operation>,
}

/// The names of operations.
#[derive(Clone, Default)]
struct OpNames {
    /// The names that rules mention.
    ///
    /// Matching looks these names up most often, and this table is smaller than the table of all names.
    mentioned: BoundNames,
    /// All names that were used, numbered in the order of their first use.
    all: Arc<AllNames>,
}

impl OpNames {
    #[inline(always)]
    fn number(&self, address: usize) -> u32 {
        self.mentioned.get(address).unwrap_or_else(|| self.all.number(address))
    }

    fn address(&self, name: OpNameId) -> Option<usize> {
        self.all.address(name.raw())
    }
}

/// The names of attributes.
#[derive(Clone, Default)]
pub(crate) struct AttrNames {
    /// The addresses of the bound names, by their numbers; 0 for a name that is not bound.
    bound: Vec<usize>,
    /// All names that were used, numbered in the order of their first use.
    all: Arc<AllNames>,
}

impl AttrNames {
    /// The address of a bound name.
    #[inline(always)]
    fn bound(&self, name: AttrNameId) -> Option<usize> {
        self.bound.get(name.index()).copied().filter(|&address| address != 0)
    }

    /// The address of MLIR's string for a name.
    pub(crate) fn address(&self, name: AttrNameId) -> usize {
        let address = self.bound(name).or_else(|| self.all.address(name.raw()));
        address.expect("a name has a number if it was used")
    }

    /// The number of the name with an address.
    pub(crate) fn id(&self, address: usize) -> AttrNameId {
        AttrNameId::from_raw(self.all.number(address))
    }

    /// Returns the number of the name with an address, and binds the name. The flag is true if the name was not bound
    /// before.
    fn bind(&mut self, address: usize) -> (AttrNameId, bool) {
        let id = self.id(address);
        if self.bound.len() <= id.index() {
            self.bound.resize(id.index() + 1, 0);
        }
        let is_new = self.bound[id.index()] == 0;
        self.bound[id.index()] = address;
        (id, is_new)
    }
}

/// The places of attributes in properties, by the numbers of the operation name and of the attribute name.
///
/// A read computes an entry in two cases: it finds a value of a declared attribute, or it finds that no operation of
/// this name stores the attribute as a property. If two threads that share a host compute an entry at the same time,
/// both compute the same entry.
#[derive(Default)]
struct Offsets {
    entries: Vec<AtomicU32>,
    /// The number of operation names in the table: one more than the highest number of a name that rules mention.
    ops: usize,
    /// The number of attribute names in the table: one more than the highest number of a bound name.
    attr_names: usize,
}

impl Offsets {
    /// The offset is not known: either no operation that was read had a value of the attribute, or the definition does
    /// not declare the attribute, although operations store it as a property.
    const UNKNOWN: u32 = 0;
    /// No operation of this name stores the attribute as a property.
    const NEVER: u32 = 1;
    /// The offset of the attribute cannot be found, so each read calls MLIR.
    const NO_OFFSET: u32 = 2;
    /// The entry for offset 0. Each greater entry stands for a greater offset.
    const FIRST: u32 = 3;

    fn new(ops: usize, attr_names: usize) -> Self {
        let entries = std::iter::repeat_with(|| AtomicU32::new(Self::UNKNOWN)).take(ops * attr_names);
        Self { entries: entries.collect(), ops, attr_names }
    }

    /// The entry of the operation name with the number `op` and of a bound attribute name. `None` if this number is not
    /// below `ops`.
    #[inline(always)]
    fn entry(&self, op: u32, name: AttrNameId) -> Option<&AtomicU32> {
        self.entries.get(op as usize * self.attr_names + name.index())
    }
}

impl Clone for Offsets {
    fn clone(&self) -> Self {
        let copy = |entry: &AtomicU32| AtomicU32::new(entry.load(Ordering::Relaxed));
        Self { entries: self.entries.iter().map(copy).collect(), ..*self }
    }
}

/// Returns the id; `None` for the null pointer.
pub(crate) fn non_null<T>(id: T, number: usize) -> Option<T> {
    (number != 0).then_some(id)
}

pub(crate) fn length<T>(items: &[T]) -> isize {
    isize::try_from(items.len()).expect("the length fits")
}

impl MlirHost {
    /// A host for a context that outlives the host.
    ///
    /// # Errors
    /// The loaded MLIR has another version or memory layout than the MLIR that this package was built for.
    pub(crate) fn attach(context: Context) -> Result<Self, String> {
        if let Some([own, loaded]) = bridge::other_version() {
            return Err(format!("drrvm was built for MLIR {own}, but this process has MLIR {loaded}"));
        }
        layout::check().map_err(|what| {
            format!("the loaded MLIR is not version 22.1: it stores the {what} in another place")
        })?;
        Ok(Self {
            context,
            owned: None,
            ops: OpNames::default(),
            attr_names: AttrNames::default(),
            offsets: Offsets::default(),
            slots: RecentSlots::default(),
            parsed: HashMap::new(),
            rewriter: None,
            replacements: Vec::new(),
            created: Vec::new(),
        })
    }

    /// Calls `run`. During the call, operations are created, replaced and erased, and the blocks of regions are moved,
    /// through `rewriter`. Helpers cannot make other changes.
    pub(crate) fn with_rewriter<T>(&mut self, rewriter: RewriterRef, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.rewriter.replace(rewriter);
        let result = run(self);
        self.rewriter = outer;
        self.replacements.clear();
        self.created.clear();
        result
    }

    /// The rewriter of the running [`with_rewriter`](Self::with_rewriter), if there is one.
    pub(crate) fn rewriter(&self) -> Option<RewriterRef> {
        self.rewriter
    }

    /// Adds MLIR's own type inference for the operations of a program.
    pub(crate) fn with_inference<'a>(
        &mut self,
        mut natives: Natives<Self>,
        ops: impl Iterator<Item = &'a str>,
    ) -> Natives<Self> {
        for text in ops {
            let name = bridge::op_name(self.context, text);
            if bridge::infers_types(name) {
                natives = natives.type_inference(text, move |host: &mut Self, new| {
                    let attributes: Vec<_> = new
                        .attributes
                        .iter()
                        .map(|&(text, value)| NewAttribute {
                            name: host.identifier(text).0,
                            value,
                            inherent: true,
                        })
                        .collect();
                    bridge::infer_types(host.context, name, new.operands, &attributes)
                        .ok_or_else(|| Refusal::new("MLIR cannot infer the result types"))
                });
            }
        }
        natives
    }

    /// The dictionary of these attributes.
    pub(crate) fn dictionary(&self, attributes: &[(&str, Attribute)]) -> Attribute {
        let named = |&(text, attribute)| NamedAttribute { name: self.identifier(text), attribute };
        let named: Vec<_> = attributes.iter().map(named).collect();
        // SAFETY: the attributes belong to the context, and the array comes with its length.
        unsafe { mlirDictionaryAttrGet(self.context, length(&named), named.as_ptr()) }
    }

    fn identifier(&self, text: &str) -> crate::capi::Identifier {
        // SAFETY: the context exists, and the string reference holds the pointer and the length of `text`.
        unsafe { mlirIdentifierGet(self.context, text.into()) }
    }

    /// The number of an attribute name.
    pub(crate) fn attr_name(&self, text: &str) -> AttrNameId {
        self.attr_names.id(self.identifier(text).0)
    }

    /// Records an operation that the current rewrite has created, if a driver of MLIR runs.
    pub(crate) fn record_created(&mut self, op: Operation) {
        if self.rewriter.is_some() {
            self.created.push(op);
        }
    }

    #[inline(always)]
    fn op_number(&self, op: Operation) -> u32 {
        self.ops.number(layout::op_name(op))
    }

    /// The inherent attribute of an operation with properties: `Some(None)` if it is absent, and `None` if the
    /// operation does not store the attribute as a property.
    #[inline]
    fn inherent(&self, op: Operation, name: AttrNameId, address: usize) -> Option<Option<Attribute>> {
        let entry = self.offsets.entry(self.op_number(op), name);
        match entry.map_or(Offsets::UNKNOWN, |entry| entry.load(Ordering::Relaxed)) {
            Offsets::NEVER => None,
            Offsets::UNKNOWN | Offsets::NO_OFFSET => Self::find_inherent(op, address, entry),
            offset => Some(layout::property(op, offset - Offsets::FIRST)),
        }
    }

    /// Reads an attribute whose name is not bound.
    #[cold]
    fn unbound_attr(&self, op: Operation, name: AttrNameId) -> Option<Attribute> {
        let address = self.attr_names.address(name);
        let inherent = layout::has_properties(op).then(|| Self::find_inherent(op, address, None)).flatten();
        inherent.unwrap_or_else(|| layout::discardable(op, address))
    }

    #[cold]
    fn find_inherent(op: Operation, address: usize, entry: Option<&AtomicU32>) -> Option<Option<Attribute>> {
        let set = |found| {
            if let Some(entry) = entry {
                entry.store(found, Ordering::Relaxed);
            }
        };
        let unknown = entry.is_some_and(|entry| entry.load(Ordering::Relaxed) == Offsets::UNKNOWN);
        match bridge::inherent(op, address) {
            Inherent::Never => {
                set(Offsets::NEVER);
                None
            }
            Inherent::NotHere => None,
            Inherent::Here(value) => Some(Some(value)),
            Inherent::Declared(None) => Some(None),
            Inherent::Declared(Some(value)) => {
                if unknown {
                    let offset = bridge::inherent_offset(op, address, value);
                    set(offset.map_or(Offsets::NO_OFFSET, |offset| offset + Offsets::FIRST));
                }
                Some(Some(value))
            }
        }
    }

    /// Creates an operation that branches to `successors`, through the rewriter of MLIR's driver if one runs.
    pub(crate) fn create_branching(
        &mut self,
        place: InsertionPoint<Operation, Block>,
        state: &OpState<'_, Self>,
        successors: &[Block],
    ) -> Result<Operation, Refusal> {
        let name = self.ops.address(state.name);
        let name = name.ok_or_else(|| Refusal::new("the name of the operation is unknown to this host"))?;
        let attributes = self.new_attributes(state.attributes);
        if state.operands.iter().any(|operand| operand.0 == 0)
            || state.result_types.iter().any(|ty| ty.0 == 0)
        {
            return Err(Refusal::new("an operand or a result type of the operation is null"));
        }
        let new = NewOperation {
            name,
            location: state.location,
            types: state.result_types.into(),
            operands: state.operands.into(),
            attributes: attributes.as_slice().into(),
            successors: successors.into(),
            regions: state.regions,
        };
        let created = bridge::create(self.context, self.rewriter, place, &new).ok_or_else(|| {
            Refusal::new(format!("MLIR does not know the operation '{}'", bridge::op_name_text(name)))
        })?;
        self.record_created(created);
        Ok(created)
    }

    pub(crate) fn new_attributes(&self, attributes: &[NamedAttr<Attribute>]) -> Vec<NewAttribute> {
        let named = |a: &NamedAttr<Attribute>| NewAttribute {
            name: self.attr_names.address(a.name),
            value: a.value,
            inherent: a.inherent,
        };
        attributes.iter().map(named).collect()
    }

    /// Removes the operands of an operation and of the operations inside it.
    fn remove_operands(&mut self, op: Operation) {
        let mut inside = Vec::new();
        self.walk(op, WalkOrder::Pre, &mut |inner| inside.push(inner));
        for inner in inside {
            self.set_operands(inner, &[]);
        }
    }

    fn blocks(&self, region: host::Region<Operation>) -> impl Iterator<Item = Block> {
        std::iter::successors(self.first_block(region), |&block| self.next_block(block))
    }

    fn operations(&self, block: Block) -> impl Iterator<Item = Operation> {
        std::iter::successors(self.first_op(block), |&op| self.next_op(op))
    }

    /// The blocks inside `root` that control flow cannot reach, except blocks that are nested in other unreachable
    /// blocks.
    fn unreachable_blocks(&self, root: Operation) -> Vec<Block> {
        let mut unreachable = Vec::new();
        let mut ops = vec![root];
        while let Some(op) = ops.pop() {
            for index in 0..self.region_count(op) {
                let region = host::Region { op, index };
                let mut reached = HashSet::new();
                let mut todo: Vec<Block> = self.first_block(region).into_iter().collect();
                while let Some(block) = todo.pop() {
                    if reached.insert(block)
                        && let Some(last) = self.last_op(block)
                    {
                        todo.extend((0..self.successor_count(last)).map(|at| self.successor(last, at)));
                    }
                }
                for block in self.blocks(region) {
                    match reached.contains(&block) {
                        true => ops.extend(self.operations(block)),
                        false => unreachable.push(block),
                    }
                }
            }
        }
        unreachable
    }
}

impl Ir for MlirHost {
    type Op = Operation;
    type Value = Value;
    type Type = Type;
    type Attr = Attribute;
    type Use = OpOperand;
    type Location = Location;

    #[inline(always)]
    fn op_name(&self, op: Operation) -> OpNameId {
        OpNameId::from_raw(self.op_number(op))
    }
    #[inline(always)]
    fn operand_count(&self, op: Operation) -> u32 {
        layout::operand_count(op)
    }
    #[inline(always)]
    fn operand(&self, op: Operation, at: u32) -> Value {
        layout::operand(op, at)
    }
    #[inline(always)]
    fn result_count(&self, op: Operation) -> u32 {
        layout::result_count(op)
    }
    #[inline(always)]
    fn result(&self, op: Operation, at: u32) -> Value {
        layout::result(op, at)
    }
    #[inline]
    fn attr(&self, op: Operation, name: AttrNameId) -> Option<Attribute> {
        let Some(address) = self.attr_names.bound(name) else { return self.unbound_attr(op, name) };
        if layout::has_properties(op)
            && let Some(inherent) = self.inherent(op, name, address)
        {
            return inherent;
        }
        layout::discardable(op, address)
    }
    #[inline(always)]
    fn defining_op(&self, value: Value) -> Option<Operation> {
        layout::defining_op(value)
    }
    #[inline(always)]
    fn value_type(&self, value: Value) -> Type {
        layout::value_type(value)
    }
    fn list_attrs(&self, op: Operation) -> Option<Vec<(String, Attribute)>> {
        let all = bridge::all_attributes(op);
        // SAFETY: the attribute is a dictionary, and the index is below its length.
        let entry = |at| unsafe {
            let entry = mlirDictionaryAttrGetElement(all, at);
            (text(mlirIdentifierStr(entry.name)), entry.attribute)
        };
        // SAFETY: the attribute is a dictionary.
        let count = unsafe { mlirDictionaryAttrGetNumElements(all) };
        Some((0..count).map(entry).collect())
    }
    fn is_inherent(&self, op: Operation, name: AttrNameId) -> bool {
        bridge::is_inherent(op, self.attr_names.address(name))
    }
    fn attr_type(&self, attr: Attribute) -> Option<Type> {
        bridge::attr_type(attr)
    }
    #[inline(always)]
    fn first_use(&self, value: Value) -> Option<OpOperand> {
        layout::first_use(value)
    }
    #[inline(always)]
    fn next_use(&self, used: OpOperand) -> Option<OpOperand> {
        layout::next_use(used)
    }
    #[inline(always)]
    fn use_owner(&self, used: OpOperand) -> Operation {
        layout::use_owner(used)
    }
    #[inline(always)]
    fn use_index(&self, used: OpOperand) -> u32 {
        layout::use_index(used)
    }
    #[inline(always)]
    fn location(&self, op: Operation) -> Location {
        layout::location(op)
    }
    fn op_name_text(&self, name: OpNameId) -> String {
        self.ops.address(name).map_or_else(String::new, bridge::op_name_text)
    }
    #[inline(always)]
    fn op_slot(&self, op: Operation) -> Option<u32> {
        self.slots.get(op.0)
    }
    #[inline(always)]
    fn result_index(&self, value: Value) -> Option<u32> {
        layout::result_index(value)
    }
    fn parent_op(&self, op: Operation) -> Option<Operation> {
        if layout::block(op).0 == 0 {
            return None;
        }
        // SAFETY: the operation is in a block.
        let parent = unsafe { mlirOperationGetParentOperation(op) };
        non_null(parent, parent.0)
    }
    fn is_isolated(&self, op: Operation) -> bool {
        bridge::is_isolated(op)
    }
    fn walk(&self, root: Operation, order: WalkOrder, visit: &mut dyn FnMut(Operation)) {
        bridge::walk(root, order == WalkOrder::Pre, visit);
    }
}

impl Bind for MlirHost {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        let address = bridge::op_name(self.context, name);
        let number = self.ops.number(address);
        if self.ops.mentioned.get(address).is_none() {
            self.ops.mentioned.insert(address, number);
            let ops = self.offsets.ops.max(number as usize + 1);
            self.offsets = Offsets::new(ops, self.attr_names.bound.len());
        }
        OpNameId::from_raw(number)
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        let (id, is_new) = self.attr_names.bind(self.identifier(name).0);
        if is_new {
            self.offsets = Offsets::new(self.offsets.ops, self.attr_names.bound.len());
        }
        id
    }
    fn bind_type(&mut self, text: &str) -> Option<Type> {
        // SAFETY: the context exists, and the string reference holds the pointer and the length of `text`.
        let ty = self.quietly(|context| unsafe { mlirTypeParseGet(context, text.into()) });
        non_null(ty, ty.0)
    }
    fn bind_attr(&mut self, text: &str) -> Option<Attribute> {
        // SAFETY: the context exists, and the string reference holds the pointer and the length of `text`.
        let attr = self.quietly(|context| unsafe { mlirAttributeParseGet(context, text.into()) });
        non_null(attr, attr.0)
    }
}

impl IrMut for MlirHost {
    fn create(&mut self, before: Operation, state: &OpState<'_, Self>) -> Result<Operation, Refusal> {
        self.create_branching(InsertionPoint::Before(before), state, &[])
    }
    fn move_blocks(
        &mut self,
        from: host::Region<Operation>,
        to: host::Region<Operation>,
    ) -> Result<(), Refusal> {
        let moved = bridge::move_blocks(self.rewriter, (from.op, from.index), (to.op, to.index));
        if moved {
            Ok(())
        } else {
            Err(Refusal::new("the region does not exist, or the other region is not empty"))
        }
    }
    fn replace_all_uses(&mut self, from: Value, to: Value) {
        match (self.rewriter, layout::defining_op(from)) {
            // MLIR's rewriter replaces all results of an operation at once, when the operation is erased.
            (Some(_), Some(op)) => self.replacements.push((op, from, to)),
            _ => bridge::replace_uses(from, to),
        }
    }
    fn erase(&mut self, op: Operation) {
        let Some(rewriter) = self.rewriter else { return bridge::erase(None, op) };
        if let Some(at) = self.created.iter().rposition(|&created| created == op) {
            self.created.swap_remove(at);
            // A failed rewrite has created `op`. MLIR's greedy driver visits the operations that define the operands
            // of an erased operation. If `op` kept a result of the root as an operand, the driver would visit the root
            // again and again.
            self.remove_operands(op);
        }
        let with: Option<Vec<Value>> = (0..layout::result_count(op))
            .map(|index| {
                let result = layout::result(op, index);
                self.replacements.iter().find(|replaced| replaced.1 == result).map(|replaced| replaced.2)
            })
            .collect();
        match with {
            Some(with) if !with.is_empty() => {
                // Another pending replacement may have a result of `op` as its new value. That replacement then gets
                // the value that replaces this result.
                for other in &mut self.replacements {
                    if other.0 != op && layout::defining_op(other.2) == Some(op) {
                        let index = layout::result_index(other.2).map_or(0, |index| index as usize);
                        other.2 = with[index];
                    }
                }
                self.replacements.retain(|replaced| replaced.0 != op);
                bridge::replace(rewriter, op, &with);
            }
            _ => bridge::erase(Some(rewriter), op),
        }
    }
    fn fuse_locations(&mut self, locations: &[Location], metadata: Option<&str>) -> Location {
        let metadata = match metadata {
            None => Attribute(0),
            // SAFETY: the context is valid, and the text comes with its length.
            Some(text) => unsafe { mlirStringAttrGet(self.context, text.into()) },
        };
        match (locations, metadata) {
            (&[one], Attribute(0)) => one,
            // SAFETY: the locations belong to the context, and the array comes with its length.
            _ => unsafe {
                mlirLocationFusedGet(self.context, length(locations), locations.as_ptr(), metadata)
            },
        }
    }
    fn name_location(&mut self, name: &str, child: Option<Location>) -> Option<Location> {
        // SAFETY: the locations belong to the context, and the name comes with its length.
        Some(unsafe {
            let child = child.unwrap_or_else(|| mlirLocationUnknownGet(self.context));
            mlirLocationNameGet(self.context, name.into(), child)
        })
    }
    fn is_in_graph_region(&self, op: Operation) -> bool {
        bridge::is_in_graph_region(op)
    }
    fn is_terminator(&self, op: Operation) -> bool {
        bridge::is_terminator(op)
    }
    fn region_index(&self, op: Operation) -> u32 {
        self.block(op).and_then(|block| self.block_region(block)).map_or(0, |region| region.index)
    }
    fn is_in_entry_block(&self, op: Operation) -> bool {
        let block = self.block(op);
        let region = block.and_then(|block| self.block_region(block));
        region.is_none_or(|region| self.first_block(region) == block)
    }
    fn entry_op(&self, parent: Operation, index: u32) -> Option<Operation> {
        if index >= self.region_count(parent) {
            return None;
        }
        self.first_op(self.first_block(host::Region { op: parent, index })?)
    }
    fn previous_in_block(&self, op: Operation) -> Result<Option<Operation>, Refusal> {
        Ok(bridge::previous(op))
    }
    fn next_in_block(&self, op: Operation) -> Result<Option<Operation>, Refusal> {
        Ok(self.next_op(op))
    }
    fn move_before(&mut self, op: Operation, before: Operation) {
        // SAFETY: both operations are in blocks.
        unsafe { mlirOperationMoveBefore(op, before) }
    }
    fn forget_location(&mut self, op: Operation) {
        // SAFETY: the operation exists.
        unsafe { mlirOperationSetLocation(op, mlirLocationUnknownGet(self.context)) }
    }
    fn erase_unreachable_blocks(
        &mut self,
        root: Operation,
        erased: &mut dyn FnMut(&Self, Operation),
    ) -> bool {
        let blocks = self.unreachable_blocks(root);
        let ops: Vec<Operation> = blocks.iter().flat_map(|&block| self.operations(block)).collect();
        for &op in &ops {
            erased(self, op);
        }
        // Unreachable blocks can use each other's values and branch to each other. So all operands are removed before
        // the first operation is erased, and all operations are erased before the first block is erased.
        for &op in &ops {
            self.remove_operands(op);
        }
        for &op in &ops {
            bridge::erase(None, op);
        }
        for &block in &blocks {
            self.detach_block(block);
            self.erase_block(block);
        }
        !blocks.is_empty()
    }
}

/// Copies a string of MLIR.
pub(crate) fn text(string: StringRef) -> String {
    if string.length == 0 {
        return String::new();
    }
    // SAFETY: MLIR returns a pointer with its length.
    let bytes: &[u8] = unsafe { std::slice::from_raw_parts(string.data.cast(), string.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

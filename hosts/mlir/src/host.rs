//! A module of MLIR that is read and changed in place.

use std::collections::HashSet;
use std::ffi::c_void;

use drrvm::host::Id;
use drrvm::host::{AttrNameId, Bind, Ir, IrMut, OpNameId, OpState, Refusal, WalkOrder};
use rustc_hash::FxHashMap;

use crate::capi::{
    Attribute, Block, Context, Identifier, Location, Module, NamedAttribute, OpOperand, Operation, Region,
    StringRef, Type, Value, mlirAttributeGetType, mlirAttributeParseGet, mlirBlockDestroy, mlirBlockDetach,
    mlirBlockGetFirstOperation, mlirBlockGetNextInRegion, mlirBlockGetParentRegion, mlirBlockGetTerminator,
    mlirBlockInsertOwnedOperationBefore, mlirContextCreate, mlirContextDestroy,
    mlirContextSetAllowUnregisteredDialects, mlirDialectHandleLoadDialect, mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__cf__, mlirGetDialectHandle__func__, mlirGetDialectHandle__memref__,
    mlirGetDialectHandle__pdl__, mlirGetDialectHandle__scf__, mlirGetDialectHandle__tensor__,
    mlirGetDialectHandle__vector__, mlirIdentifierGet, mlirIdentifierStr, mlirLocationFusedGet,
    mlirLocationUnknownGet, mlirModuleCreateParse, mlirModuleDestroy, mlirModuleGetOperation,
    mlirOpOperandGetNextUse, mlirOpOperandGetOperandNumber, mlirOpOperandGetOwner, mlirOpPrintingFlagsCreate,
    mlirOpPrintingFlagsDestroy, mlirOpPrintingFlagsPrintGenericOpForm, mlirOpResultGetOwner,
    mlirOpResultGetResultNumber, mlirOperationCreate, mlirOperationDestroy, mlirOperationGetAttributeByName,
    mlirOperationGetBlock, mlirOperationGetLocation, mlirOperationGetName, mlirOperationGetNextInBlock,
    mlirOperationGetNumOperands, mlirOperationGetNumRegions, mlirOperationGetNumResults,
    mlirOperationGetNumSuccessors, mlirOperationGetOperand, mlirOperationGetParentOperation,
    mlirOperationGetRegion, mlirOperationGetResult, mlirOperationGetSuccessor, mlirOperationMoveBefore,
    mlirOperationPrintWithFlags, mlirOperationSetLocation, mlirOperationSetOperands,
    mlirOperationStateAddAttributes, mlirOperationStateAddOperands, mlirOperationStateAddResults,
    mlirOperationStateGet, mlirOperationVerify, mlirRegionEqual, mlirRegionGetFirstBlock, mlirTypeParseGet,
    mlirValueGetFirstUse, mlirValueGetType, mlirValueIsAOpResult, mlirValueReplaceAllUsesOfWith,
};

/// A module and its context.
///
/// Invariants: every id is a pointer into this context, and the module is destroyed before the context.
pub struct MlirHost {
    pub(crate) context: Context,
    pub(crate) module: Module,
    /// The numbers of operation names that occur in the module or were bound. Other names are [`UNBOUND`].
    op_names: FxHashMap<Identifier, OpNameId>,
    op_texts: Vec<String>,
    pub(crate) attr_names: Vec<String>,
}

/// The number of all names that no rule mentions.
const UNBOUND: u32 = u32::MAX - 1;

/// Returns the id if its pointer, as a number, is not null.
fn some<T>(id: T, number: usize) -> Option<T> {
    (number != 0).then_some(id)
}

/// Converts an index for the C interface.
fn index(number: u32) -> isize {
    isize::try_from(number).expect("the index fits")
}

fn count(number: isize) -> u32 {
    u32::try_from(number).expect("MLIR counts operands and results in 32 bits")
}

fn length<T>(items: &[T]) -> isize {
    isize::try_from(items.len()).expect("the length fits")
}

unsafe extern "C" fn append(text: StringRef, to: *mut c_void) {
    // SAFETY: `printed` passes its own buffer, and MLIR a string with its length.
    let (to, piece) =
        unsafe { (&mut *to.cast::<Vec<u8>>(), std::slice::from_raw_parts(text.data.cast(), text.length)) };
    to.extend_from_slice(piece);
}

/// Returns the text that one of MLIR's printers writes.
pub(crate) fn printed(print: impl FnOnce(crate::capi::StringCallback, *mut c_void)) -> String {
    let mut text: Vec<u8> = Vec::new();
    print(append, (&raw mut text).cast());
    String::from_utf8_lossy(&text).into_owned()
}

impl MlirHost {
    /// Parses a module. Returns `None` if MLIR rejects it; MLIR writes the reason to standard error.
    pub fn parse(text: &str) -> Option<Self> {
        // SAFETY: the context is new and lives until the host is dropped.
        let (context, module) = unsafe {
            let context = mlirContextCreate();
            mlirContextSetAllowUnregisteredDialects(context, true);
            for dialect in [
                mlirGetDialectHandle__arith__,
                mlirGetDialectHandle__cf__,
                mlirGetDialectHandle__func__,
                mlirGetDialectHandle__memref__,
                mlirGetDialectHandle__pdl__,
                mlirGetDialectHandle__scf__,
                mlirGetDialectHandle__tensor__,
                mlirGetDialectHandle__vector__,
            ] {
                mlirDialectHandleLoadDialect(dialect(), context);
            }
            (context, mlirModuleCreateParse(context, text.into()))
        };
        if module.0 == 0 {
            // SAFETY: nothing else refers to the context.
            unsafe { mlirContextDestroy(context) };
            return None;
        }
        let (op_names, op_texts, attr_names) = Default::default();
        let mut host = Self { context, module, op_names, op_texts, attr_names };
        host.number_names();
        Some(host)
    }

    /// Numbers the names of existing operations, so that different names have different numbers.
    fn number_names(&mut self) {
        let mut names = Vec::new();
        // SAFETY: the operations belong to the module.
        self.walk(self.top(), WalkOrder::Pre, &mut |op| names.push(unsafe { mlirOperationGetName(op) }));
        for name in names {
            if !self.op_names.contains_key(&name) {
                // SAFETY: the name belongs to this context.
                self.bind_op_name(&text(unsafe { mlirIdentifierStr(name) }));
            }
        }
    }

    /// The operation of the module.
    pub fn top(&self) -> Operation {
        // SAFETY: the module exists.
        unsafe { mlirModuleGetOperation(self.module) }
    }

    /// Returns true if MLIR's verifier accepts the module; otherwise MLIR writes the errors to standard error.
    pub fn verify(&self) -> bool {
        // SAFETY: the module exists.
        unsafe { mlirOperationVerify(self.top()) }
    }

    /// The text of the module in generic form.
    pub fn print(&self) -> String {
        // SAFETY: the flags are created and destroyed here.
        unsafe {
            let flags = mlirOpPrintingFlagsCreate();
            mlirOpPrintingFlagsPrintGenericOpForm(flags);
            let text = printed(|callback, to| mlirOperationPrintWithFlags(self.top(), flags, callback, to));
            mlirOpPrintingFlagsDestroy(flags);
            text
        }
    }

    fn regions(op: Operation) -> impl DoubleEndedIterator<Item = Region> {
        // SAFETY: the operation exists, and the index is below the count.
        unsafe { (0..mlirOperationGetNumRegions(op)).map(move |i| mlirOperationGetRegion(op, i)) }
    }

    fn blocks(region: Region) -> impl Iterator<Item = Block> {
        // SAFETY: the region and its blocks exist.
        let first = unsafe { mlirRegionGetFirstBlock(region) };
        // SAFETY: as above.
        std::iter::successors(some(first, first.0), |&block| unsafe {
            let next = mlirBlockGetNextInRegion(block);
            some(next, next.0)
        })
    }

    fn operations(block: Block) -> impl Iterator<Item = Operation> {
        // SAFETY: the block and its operations exist.
        let first = unsafe { mlirBlockGetFirstOperation(block) };
        // SAFETY: as above.
        std::iter::successors(some(first, first.0), |&op| unsafe {
            let next = mlirOperationGetNextInBlock(op);
            some(next, next.0)
        })
    }

    pub(crate) fn inside(op: Operation) -> Vec<Operation> {
        Self::regions(op).flat_map(Self::blocks).flat_map(Self::operations).collect()
    }

    /// The blocks inside `root` that control flow cannot reach; blocks nested in these are not listed.
    fn unreachable_blocks(root: Operation) -> Vec<Block> {
        let mut unreachable = Vec::new();
        let mut ops = vec![root];
        while let Some(op) = ops.pop() {
            for region in Self::regions(op) {
                let mut reached = HashSet::new();
                let mut todo: Vec<Block> = Self::blocks(region).take(1).collect();
                while let Some(block) = todo.pop() {
                    if reached.insert(block) {
                        todo.extend(Self::operations(block).last().into_iter().flat_map(Self::successors));
                    }
                }
                for block in Self::blocks(region) {
                    match reached.contains(&block) {
                        true => ops.extend(Self::operations(block)),
                        false => unreachable.push(block),
                    }
                }
            }
        }
        unreachable
    }

    fn successors(op: Operation) -> impl Iterator<Item = Block> {
        // SAFETY: the index is below the count.
        let count = unsafe { mlirOperationGetNumSuccessors(op) };
        (0..count).map(move |at| unsafe { mlirOperationGetSuccessor(op, at) })
    }

    fn name_text(&self, name: AttrNameId) -> &str {
        &self.attr_names[name.index()]
    }
}

impl Drop for MlirHost {
    fn drop(&mut self) {
        // SAFETY: the host owns both, and destroys the module before the context.
        unsafe {
            mlirModuleDestroy(self.module);
            mlirContextDestroy(self.context);
        }
    }
}

// SAFETY: in all calls below, by the invariants of the host and the rules of `Ir`, all ids belong to this context,
// and operations and values to the module.
impl Ir for MlirHost {
    type Op = Operation;
    type Value = Value;
    type Type = Type;
    type Attr = Attribute;
    type Use = OpOperand;
    type Location = Location;

    fn op_name(&self, op: Operation) -> OpNameId {
        let name = unsafe { mlirOperationGetName(op) };
        self.op_names.get(&name).copied().unwrap_or(OpNameId::from_raw(UNBOUND))
    }
    fn operand_count(&self, op: Operation) -> u32 {
        count(unsafe { mlirOperationGetNumOperands(op) })
    }
    fn operand(&self, op: Operation, at: u32) -> Value {
        unsafe { mlirOperationGetOperand(op, index(at)) }
    }
    fn result_count(&self, op: Operation) -> u32 {
        count(unsafe { mlirOperationGetNumResults(op) })
    }
    fn result(&self, op: Operation, at: u32) -> Value {
        unsafe { mlirOperationGetResult(op, index(at)) }
    }
    fn attr(&self, op: Operation, name: AttrNameId) -> Option<Attribute> {
        let attr = unsafe { mlirOperationGetAttributeByName(op, self.name_text(name).into()) };
        some(attr, attr.0)
    }
    fn defining_op(&self, value: Value) -> Option<Operation> {
        unsafe { mlirValueIsAOpResult(value).then(|| mlirOpResultGetOwner(value)) }
    }
    fn value_type(&self, value: Value) -> Type {
        unsafe { mlirValueGetType(value) }
    }
    fn attr_type(&self, attr: Attribute) -> Option<Type> {
        // For attributes without a type, the C interface returns the type `none`.
        let ty = unsafe { mlirAttributeGetType(attr) };
        some(ty, ty.0).filter(|&ty| !unsafe { crate::capi::mlirTypeIsANone(ty) })
    }
    fn first_use(&self, value: Value) -> Option<OpOperand> {
        let used = unsafe { mlirValueGetFirstUse(value) };
        some(used, used.0)
    }
    fn next_use(&self, used: OpOperand) -> Option<OpOperand> {
        let next = unsafe { mlirOpOperandGetNextUse(used) };
        some(next, next.0)
    }
    fn use_owner(&self, used: OpOperand) -> Operation {
        unsafe { mlirOpOperandGetOwner(used) }
    }
    fn use_index(&self, used: OpOperand) -> u32 {
        unsafe { mlirOpOperandGetOperandNumber(used) }
    }
    fn location(&self, op: Operation) -> Location {
        unsafe { mlirOperationGetLocation(op) }
    }
    fn op_name_text(&self, name: OpNameId) -> String {
        self.op_texts.get(name.index()).cloned().unwrap_or_else(|| "an operation of another name".to_owned())
    }
    fn result_index(&self, value: Value) -> Option<u32> {
        unsafe { mlirValueIsAOpResult(value).then(|| count(mlirOpResultGetResultNumber(value))) }
    }
    fn parent_op(&self, op: Operation) -> Option<Operation> {
        unsafe {
            let block = mlirOperationGetBlock(op);
            some(block, block.0).map(|_| mlirOperationGetParentOperation(op)).filter(|parent| parent.0 != 0)
        }
    }
    fn walk(&self, root: Operation, order: WalkOrder, visit: &mut dyn FnMut(Operation)) {
        // The stack has operations, each with true if its nested operations were visited.
        let mut stack = vec![(root, false)];
        while let Some((op, done)) = stack.pop() {
            // SAFETY: all visited operations are in the module.
            if done || unsafe { mlirOperationGetNumRegions(op) } == 0 {
                visit(op);
                continue;
            }
            match order {
                WalkOrder::Pre => visit(op),
                WalkOrder::Post => stack.push((op, true)),
            }
            stack.extend(Self::inside(op).into_iter().rev().map(|inner| (inner, false)));
        }
    }
}

// SAFETY: as above; in all calls below, text is passed with its length.
impl Bind for MlirHost {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        let identifier = unsafe { mlirIdentifierGet(self.context, name.into()) };
        let next = OpNameId::try_from_index(self.op_texts.len()).expect("the number of names fits");
        let texts = &mut self.op_texts;
        *self.op_names.entry(identifier).or_insert_with(|| {
            texts.push(name.to_owned());
            next
        })
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        let known = self.attr_names.iter().position(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.attr_names.push(name.to_owned());
            self.attr_names.len() - 1
        });
        AttrNameId::try_from_index(at).expect("the number of names fits")
    }
    fn bind_type(&mut self, text: &str) -> Option<Type> {
        let ty = unsafe { mlirTypeParseGet(self.context, text.into()) };
        some(ty, ty.0)
    }
    fn bind_attr(&mut self, text: &str) -> Option<Attribute> {
        let attr = unsafe { mlirAttributeParseGet(self.context, text.into()) };
        some(attr, attr.0)
    }
}

// SAFETY: as above; in all calls below, arrays are passed with their lengths and outlive the call.
impl IrMut for MlirHost {
    fn create(&mut self, before: Operation, state: &OpState<'_, Self>) -> Result<Operation, Refusal> {
        let name = self.op_texts.get(state.name.index()).cloned();
        let name = name.ok_or_else(|| Refusal::new("the operation has no name"))?;
        let named = |name: &str| unsafe { mlirIdentifierGet(self.context, name.into()) };
        let attributes: Vec<_> = state
            .attributes
            .iter()
            .map(|a| NamedAttribute { name: named(self.name_text(a.name)), attribute: a.value })
            .collect();
        unsafe {
            let mut made = mlirOperationStateGet(name.as_str().into(), state.location);
            let to = &raw mut made;
            mlirOperationStateAddResults(to, length(state.result_types), state.result_types.as_ptr());
            mlirOperationStateAddOperands(to, length(state.operands), state.operands.as_ptr());
            mlirOperationStateAddAttributes(to, length(&attributes), attributes.as_ptr());
            let op = mlirOperationCreate(to);
            if op.0 == 0 {
                return Err(Refusal::new("MLIR cannot create this operation"));
            }
            mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
            Ok(op)
        }
    }
    fn replace_all_uses(&mut self, from: Value, to: Value) {
        unsafe { mlirValueReplaceAllUsesOfWith(from, to) }
    }
    fn erase(&mut self, op: Operation) {
        unsafe { mlirOperationDestroy(op) }
    }
    fn fuse_locations(&mut self, locations: &[Location], metadata: Option<&str>) -> Location {
        let metadata = match metadata {
            None => Attribute(0),
            Some(text) => self.bind_attr(&format!("{text:?}")).unwrap_or(Attribute(0)),
        };
        match (locations, metadata) {
            (&[one], Attribute(0)) => one,
            _ => unsafe {
                mlirLocationFusedGet(self.context, length(locations), locations.as_ptr(), metadata)
            },
        }
    }
    fn is_terminator(&self, op: Operation) -> bool {
        unsafe {
            let block = mlirOperationGetBlock(op);
            block.0 != 0 && (mlirBlockGetTerminator(block) == op || mlirOperationGetNumSuccessors(op) > 0)
        }
    }
    fn region_index(&self, op: Operation) -> u32 {
        let Some(parent) = self.parent_op(op) else { return 0 };
        let own = unsafe { mlirBlockGetParentRegion(mlirOperationGetBlock(op)) };
        let at = Self::regions(parent).position(|region| unsafe { mlirRegionEqual(region, own) });
        at.and_then(|at| u32::try_from(at).ok()).unwrap_or(0)
    }
    fn entry_op(&self, parent: Operation, index: u32) -> Option<Operation> {
        let region = Self::regions(parent).nth(usize::try_from(index).ok()?)?;
        Self::operations(Self::blocks(region).next()?).next()
    }
    fn previous_op(&self, op: Operation) -> Option<Operation> {
        let block = unsafe { mlirOperationGetBlock(op) };
        Self::operations(block).take_while(|&other| other != op).last()
    }
    fn move_before(&mut self, op: Operation, before: Operation) {
        unsafe { mlirOperationMoveBefore(op, before) }
    }
    fn forget_location(&mut self, op: Operation) {
        unsafe { mlirOperationSetLocation(op, mlirLocationUnknownGet(self.context)) }
    }
    fn erase_unreachable_blocks(
        &mut self,
        root: Operation,
        erased: &mut dyn FnMut(&Self, Operation),
    ) -> bool {
        let blocks = Self::unreachable_blocks(root);
        let ops: Vec<Operation> = blocks.iter().copied().flat_map(Self::operations).collect();
        for &op in &ops {
            erased(self, op);
        }
        // Unreachable blocks can use each other's values and branch to each other, so all uses are removed first.
        for &op in &ops {
            self.walk(op, WalkOrder::Pre, &mut |inner| unsafe {
                mlirOperationSetOperands(inner, 0, std::ptr::null());
            });
        }
        for &op in &ops {
            unsafe { mlirOperationDestroy(op) }
        }
        for &block in &blocks {
            unsafe {
                mlirBlockDetach(block);
                mlirBlockDestroy(block);
            }
        }
        !blocks.is_empty()
    }
}

/// Copies a string of MLIR.
pub(crate) fn text(string: StringRef) -> String {
    // SAFETY: MLIR returns a pointer with its length.
    let bytes: &[u8] = unsafe { std::slice::from_raw_parts(string.data.cast(), string.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

//! A module of pliron that is read and changed in place.

use std::any::TypeId;
use std::cell::{Ref, RefCell};
use std::collections::HashMap;

use drrvm::host::{
    AttrNameId, Bind, Blocks, InsertionPoint, Ir, IrMut, OpNameId, OpState, Refusal, Region, WalkOrder,
    move_blocks,
};
use pliron::attribute::AttrObj;
use pliron::basic_block::BasicBlock;
use pliron::builtin::attributes::{StringAttr, TypeAttr};
use pliron::builtin::op_interfaces::{IsTerminatorInterface, IsolatedFromAboveInterface};
use pliron::context::{Context, Ptr};
use pliron::identifier::Identifier;
use pliron::linked_list::{ContainsLinkedList, LinkedList};
use pliron::location::Location;
use pliron::op::{Op, OpObj, op_impls, verify_op};
use pliron::operation::{Operation, verify_operation};
use pliron::parsable::parse_from_str;
use pliron::printable::Printable;
use pliron::r#type::{TypeHandle, Typed};
use pliron::value::{Use, Value};

use crate::numbered::Numbered;
use crate::text;

/// The number of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttrId(pub(crate) u32);

/// The number of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocationId(u32);

/// A use of a value, with the index of the use in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UseId {
    value: Value,
    place: usize,
}

/// The constructor of a Rust type of operations, and the id of this type.
type Maker = (fn(Ptr<Operation>) -> OpObj, TypeId);

/// The names of operations, with a cache by Rust type.
#[derive(Debug, Default)]
struct OpNames {
    texts: Numbered<String>,
    of_types: HashMap<TypeId, OpNameId>,
}

/// An operation with all nested operations, and its context.
///
/// ```
/// use drrvm::host::{Bind, Ir};
/// use drrvm_pliron::PlironHost;
/// use pliron::context::Context;
/// let text = "builtin.module @empty { ^block(): }";
/// let mut host = PlironHost::parse(Context::new(), text).expect("the text is a module");
/// assert_eq!(host.op_name(host.top()), host.bind_op_name("builtin.module"));
/// ```
pub struct PlironHost {
    context: Context,
    top: Ptr<Operation>,
    op_names: RefCell<OpNames>,
    attr_names: RefCell<Numbered<String>>,
    makers: HashMap<OpNameId, Maker>,
    pub(crate) attrs: RefCell<Numbered<AttrObj>>,
    locations: RefCell<Numbered<Location>>,
    /// The uses of the value that was queried last.
    uses: RefCell<Option<(Value, Vec<Use<Value>>)>>,
}

pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).expect("the count fits")
}

impl PlironHost {
    /// Creates a host from a context and the operation that contains all others.
    pub fn new(context: Context, top: Ptr<Operation>) -> Self {
        Self {
            context,
            top,
            op_names: RefCell::default(),
            attr_names: RefCell::default(),
            makers: HashMap::new(),
            attrs: RefCell::default(),
            locations: RefCell::default(),
            uses: RefCell::new(None),
        }
    }

    /// Parses an operation in pliron's text.
    ///
    /// # Errors
    /// Returns pliron's error if pliron rejects the text.
    pub fn parse(mut context: Context, text: &str) -> Result<Self, String> {
        match parse_from_str(Operation::top_level_parser(), &mut context, text) {
            Ok(top) => Ok(Self::new(context, top)),
            Err(error) => Err(error.disp(&context).to_string()),
        }
    }

    /// Registers a Rust type of operations that rules can create.
    pub fn register<T: Op>(&mut self) {
        let name = self.bind_op_name(&T::get_opid_static().to_string());
        self.makers.insert(name, T::get_concrete_op_info());
    }

    /// The operation that contains all others.
    pub fn top(&self) -> Ptr<Operation> {
        self.top
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The context, mutably.
    pub fn context_mut(&mut self) -> &mut Context {
        self.uses.take();
        &mut self.context
    }

    /// Returns the context and the operation that contains all others.
    pub fn into_parts(self) -> (Context, Ptr<Operation>) {
        (self.context, self.top)
    }

    /// Verifies the operation that contains all others with pliron's verifier.
    ///
    /// # Errors
    /// Returns pliron's error if pliron rejects the operation.
    pub fn verify(&self) -> Result<(), String> {
        verify_operation(self.top, &self.context).map_err(|error| error.disp(&self.context).to_string())
    }

    /// The text of the operation that contains all others, in pliron's form.
    pub fn print(&self) -> String {
        self.top.disp(&self.context).to_string()
    }

    /// The attribute with a number.
    pub fn attr_object(&self, attr: AttrId) -> Ref<'_, AttrObj> {
        Ref::map(self.attrs.borrow(), |attrs| attrs.get(attr.0))
    }

    /// Returns the number of an attribute. A new attribute gets the next number.
    pub fn attr_id(&self, attr: &AttrObj) -> AttrId {
        AttrId(self.attrs.borrow_mut().number(attr))
    }

    /// The location with a number.
    pub fn location_object(&self, location: LocationId) -> Location {
        self.locations.borrow().get(location.0).clone()
    }

    pub(crate) fn location_id(&self, location: &Location) -> LocationId {
        LocationId(self.locations.borrow_mut().number(location))
    }

    /// The key of an attribute in pliron; `None` if the name is not a valid key.
    pub(crate) fn key(&self, name: AttrNameId) -> Option<Identifier> {
        Identifier::try_from(self.attr_names.borrow().get(name.raw()).as_str()).ok()
    }

    pub(crate) fn find_attr_name(&self, name: &str) -> Option<AttrNameId> {
        self.attr_names.borrow().find(name).map(AttrNameId::from_raw)
    }

    /// The number of an attribute name. A new name gets a new number.
    pub(crate) fn attr_name(&self, name: &str) -> AttrNameId {
        AttrNameId::from_raw(self.attr_names.borrow_mut().number(&name.to_owned()))
    }

    /// Returns the use with an index. Consecutive calls for the same value list its uses only once.
    fn used(&self, used: UseId) -> Option<Use<Value>> {
        let mut listed = self.uses.borrow_mut();
        if listed.as_ref().is_none_or(|(value, _)| *value != used.value) {
            *listed = Some((used.value, used.value.uses(&self.context)));
        }
        listed.as_ref()?.1.get(used.place).copied()
    }

    /// The operations directly inside another operation, in order.
    fn inside(&self, op: Ptr<Operation>) -> Vec<Ptr<Operation>> {
        let mut inside = Vec::new();
        for region in op.deref(&self.context).regions() {
            for block in region.deref(&self.context).iter(&self.context) {
                inside.extend(block.deref(&self.context).iter(&self.context));
            }
        }
        inside
    }

    fn implements(&self, op: Ptr<Operation>, asks: fn(&dyn Op) -> bool) -> bool {
        asks(Operation::get_op_dyn(op, &self.context).op_ref())
    }

    /// Creates an operation that is in no block. pliron verifies the operation only if it has neither regions nor
    /// successors; a new region is still empty.
    pub(crate) fn create_detached(
        &mut self,
        state: &OpState<'_, Self>,
        successors: &[Ptr<BasicBlock>],
    ) -> Result<Ptr<Operation>, Refusal> {
        self.uses.take();
        let Some(&maker) = self.makers.get(&state.name) else {
            let name = self.op_name_text(state.name);
            return Err(Refusal::new(format!("'{name}' is not registered: see PlironHost::register")));
        };
        let mut attributes = Vec::with_capacity(state.attributes.len());
        for attr in state.attributes {
            let Some(key) = self.key(attr.name) else {
                let names = self.attr_names.borrow();
                let name = names.get(attr.name.raw());
                return Err(Refusal::new(format!("'{name}' is not a valid attribute key in pliron")));
            };
            attributes.push((key, self.attr_object(attr.value).clone()));
        }
        let (types, operands) = (state.result_types.to_vec(), state.operands.to_vec());
        let regions = state.regions as usize;
        let op = Operation::new(&mut self.context, maker, types, operands, successors.to_vec(), regions);
        op.deref_mut(&self.context).attributes.0.extend(attributes);
        op.deref_mut(&self.context).set_loc(self.location_object(state.location));
        if regions > 0 || !successors.is_empty() {
            return Ok(op);
        }
        let object = Operation::get_op_dyn(op, &self.context);
        let wrong = verify_op(object.op_ref(), &self.context).err();
        if let Some(wrong) = wrong.map(|error| error.disp(&self.context).to_string()) {
            Operation::erase(op, &mut self.context);
            return Err(Refusal::new(wrong));
        }
        Ok(op)
    }
}

impl Ir for PlironHost {
    type Op = Ptr<Operation>;
    type Value = Value;
    type Type = TypeHandle;
    type Attr = AttrId;
    type Use = UseId;
    type Location = LocationId;

    fn op_name(&self, op: Ptr<Operation>) -> OpNameId {
        let object = Operation::get_op_dyn(op, &self.context);
        let ty = object.op_ref().as_any().type_id();
        let mut names = self.op_names.borrow_mut();
        if let Some(&name) = names.of_types.get(&ty) {
            return name;
        }
        let name = OpNameId::from_raw(names.texts.number(&object.op_ref().get_opid().to_string()));
        names.of_types.insert(ty, name);
        name
    }
    fn operand_count(&self, op: Ptr<Operation>) -> u32 {
        count(op.deref(&self.context).get_num_operands())
    }
    fn operand(&self, op: Ptr<Operation>, index: u32) -> Value {
        op.deref(&self.context).get_operand(index as usize)
    }
    fn result_count(&self, op: Ptr<Operation>) -> u32 {
        count(op.deref(&self.context).get_num_results())
    }
    fn result(&self, op: Ptr<Operation>, index: u32) -> Value {
        op.deref(&self.context).get_result(index as usize)
    }
    fn attr(&self, op: Ptr<Operation>, name: AttrNameId) -> Option<AttrId> {
        let key = self.key(name)?;
        let op = op.deref(&self.context);
        Some(self.attr_id(op.attributes.0.get(&key)?))
    }
    fn defining_op(&self, value: Value) -> Option<Ptr<Operation>> {
        value.defining_op()
    }
    fn value_type(&self, value: Value) -> TypeHandle {
        value.get_type(&self.context)
    }
    fn attr_type(&self, attr: AttrId) -> Option<TypeHandle> {
        let attr = self.attr_object(attr);
        // In the built-in IR, type attributes and string attributes have no type; in pliron they have a type.
        let states = !attr.is::<TypeAttr>() && !attr.is::<StringAttr>();
        states.then(|| pliron::attribute::attr_type(&**attr, &self.context)).flatten()
    }
    fn first_use(&self, value: Value) -> Option<UseId> {
        let newest = value.num_uses(&self.context).checked_sub(1)?;
        Some(UseId { value, place: newest })
    }
    fn next_use(&self, used: UseId) -> Option<UseId> {
        Some(UseId { place: used.place.checked_sub(1)?, ..used })
    }
    fn use_owner(&self, used: UseId) -> Ptr<Operation> {
        self.used(used).expect("the value has a use with this index").user_op()
    }
    fn use_index(&self, used: UseId) -> u32 {
        let used = self.used(used).expect("the value has a use with this index");
        count(used.find_index(&self.context))
    }
    fn location(&self, op: Ptr<Operation>) -> LocationId {
        self.location_id(op.deref(&self.context).loc())
    }
    fn op_name_text(&self, name: OpNameId) -> String {
        self.op_names.borrow().texts.get(name.raw()).clone()
    }
    fn result_index(&self, value: Value) -> Option<u32> {
        value.defining_op()?;
        value.try_find_index(&self.context).ok().map(count)
    }
    fn parent_op(&self, op: Ptr<Operation>) -> Option<Ptr<Operation>> {
        op.deref(&self.context).get_parent_op(&self.context)
    }
    fn walk(&self, root: Ptr<Operation>, order: WalkOrder, visit: &mut dyn FnMut(Ptr<Operation>)) {
        // The stack has operations, each with a flag that is set if its nested operations were visited.
        let mut rest = vec![(root, false)];
        while let Some((op, walked)) = rest.pop() {
            if walked {
                visit(op);
                continue;
            }
            match order {
                WalkOrder::Pre => visit(op),
                WalkOrder::Post => rest.push((op, true)),
            }
            rest.extend(self.inside(op).into_iter().rev().map(|op| (op, false)));
        }
    }
    fn is_isolated(&self, op: Ptr<Operation>) -> bool {
        self.implements(op, op_impls::<dyn IsolatedFromAboveInterface>)
    }
}

impl Bind for PlironHost {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        OpNameId::from_raw(self.op_names.get_mut().texts.number(&name.to_owned()))
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        self.attr_name(name)
    }
    fn bind_type(&mut self, text: &str) -> Option<TypeHandle> {
        text::parse_type(&mut self.context, text)
    }
    fn bind_attr(&mut self, text: &str) -> Option<AttrId> {
        let attr = text::parse_attr(&mut self.context, text)?;
        Some(self.attr_id(&attr))
    }
}

impl IrMut for PlironHost {
    fn create(
        &mut self,
        before: Ptr<Operation>,
        state: &OpState<'_, Self>,
    ) -> Result<Ptr<Operation>, Refusal> {
        self.create_at(InsertionPoint::Before(before), state, &[])
    }
    fn replace_all_uses(&mut self, from: Value, to: Value) {
        self.uses.take();
        from.replace_all_uses_with(&self.context, &to);
    }
    fn erase(&mut self, op: Ptr<Operation>) {
        self.uses.take();
        Operation::erase(op, &mut self.context);
    }
    fn fuse_locations(&mut self, locations: &[LocationId], metadata: Option<&str>) -> LocationId {
        if let ([one], None) = (locations, metadata) {
            return *one;
        }
        let metadata = metadata.map(|text| StringAttr::new(text.to_owned()).into());
        let locations = locations.iter().map(|&location| self.location_object(location)).collect();
        self.location_id(&Location::Fused { metadata, locations })
    }
    fn bind_location(&mut self, text: &str) -> Option<LocationId> {
        (text == "unknown").then(|| self.location_id(&Location::Unknown))
    }
    fn name_location(&mut self, name: &str, child: Option<LocationId>) -> Option<LocationId> {
        let child = child.map_or(Location::Unknown, |child| self.location_object(child));
        Some(self.location_id(&Location::Named { name: name.to_owned(), child_loc: Box::new(child) }))
    }
    fn move_blocks(
        &mut self,
        from: Region<Ptr<Operation>>,
        to: Region<Ptr<Operation>>,
    ) -> Result<(), Refusal> {
        move_blocks(self, from, to)
    }
    fn is_terminator(&self, op: Ptr<Operation>) -> bool {
        self.implements(op, op_impls::<dyn IsTerminatorInterface>)
    }
    fn region_index(&self, op: Ptr<Operation>) -> u32 {
        let region = op.deref(&self.context).get_parent_region(&self.context);
        region.map_or(0, |region| count(region.deref(&self.context).find_index_in_parent(&self.context)))
    }
    fn is_in_entry_block(&self, op: Ptr<Operation>) -> bool {
        let block = op.deref(&self.context).get_parent_block();
        let region = op.deref(&self.context).get_parent_region(&self.context);
        region.is_none_or(|region| region.deref(&self.context).get_entry_block() == block)
    }
    fn entry_op(&self, parent: Ptr<Operation>, index: u32) -> Option<Ptr<Operation>> {
        let region = parent.deref(&self.context).get_region(index as usize);
        let block = region.deref(&self.context).get_entry_block()?;
        block.deref(&self.context).get_head()
    }
    fn previous_in_block(&self, op: Ptr<Operation>) -> Result<Option<Ptr<Operation>>, Refusal> {
        Ok(op.deref(&self.context).get_prev())
    }
    fn next_in_block(&self, op: Ptr<Operation>) -> Result<Option<Ptr<Operation>>, Refusal> {
        Ok(op.deref(&self.context).get_next())
    }
    fn move_before(&mut self, op: Ptr<Operation>, before: Ptr<Operation>) {
        op.unlink(&self.context);
        op.insert_before(&self.context, before);
    }
    fn forget_location(&mut self, op: Ptr<Operation>) {
        op.deref_mut(&self.context).set_loc(Location::Unknown);
    }
}

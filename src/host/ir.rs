//! The traits of an IR: to read it, to bind names and constants, and to change it.

use std::fmt::Debug;
use std::hash::Hash;

use crate::id::define_ids;

define_ids! {
    /// The host's number for an operation name. Engines look up rules in an array that is indexed by these numbers, so
    /// the numbers should be small and dense. Linking fails if an operation name in the rules has a number above
    /// [`OpNameId::MAX`].
    pub struct OpNameId;
    /// The host's number for an attribute or property name.
    pub struct AttrNameId;
}

impl OpNameId {
    /// The largest number that an operation name of the rules may have.
    pub const MAX: Self = Self::from_raw((1 << 24) - 1);
}

/// The requirements of a host's ids.
pub trait Handle: Copy + Eq + Hash + Debug + Send + Sync + 'static {}
impl<T: Copy + Eq + Hash + Debug + Send + Sync + 'static> Handle for T {}

/// A region: a list of blocks, identified by its operation and its index in this operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region<O> {
    /// The operation.
    pub op: O,
    /// The index of the region among the regions of the operation.
    pub index: u32,
}

/// The order of a walk over operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WalkOrder {
    /// An operation comes before the operations in its regions.
    Pre,
    /// An operation comes after the operations in its regions.
    Post,
}

/// The side effects of an operation, from the weakest to the strongest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effects {
    /// No effects: the operation is dead when it is unused.
    None,
    /// Reads of memory: the operation is dead when it is unused, but two equal operations may have different results.
    Read,
    /// The effects of the operations in its regions: the operation is dead when it is unused and none of these
    /// operations writes.
    Nested,
    /// Writes to memory or other visible effects: the operation is never dead.
    #[default]
    Write,
}

/// Properties of operations with one name, for drivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a separate property")]
pub struct OpProperties {
    /// The side effects.
    pub effects: Effects,
    /// The operation ends its block, so it is never dead.
    pub terminator: bool,
    /// The operation is a constant. Equal constants are merged.
    pub constant: bool,
    /// The operation's regions use no value from outside, so drivers do not move constants out of them.
    pub isolated: bool,
    /// The operands may be exchanged.
    pub commutative: bool,
    /// `f(f(x)) = f(x)`, or `f(x, x) = x`.
    pub idempotent: bool,
    /// `f(f(x)) = x`.
    pub involution: bool,
}

/// An IR that can be matched.
///
/// The engine passes only indices below the counts that the host returns.
pub trait Ir: 'static {
    /// An operation.
    type Op: Handle;
    /// An SSA value: a result or a block argument.
    type Value: Handle;
    /// A uniqued type.
    type Type: Handle;
    /// A uniqued attribute.
    type Attr: Handle;
    /// One use of a value, as an entry of the value's use list.
    type Use: Handle;
    /// A source location.
    type Location: Handle;

    /// The operation's name.
    fn op_name(&self, op: Self::Op) -> OpNameId;
    /// The number of operands.
    fn operand_count(&self, op: Self::Op) -> u32;
    /// The operand with this index.
    fn operand(&self, op: Self::Op, index: u32) -> Self::Value;
    /// The number of results.
    fn result_count(&self, op: Self::Op) -> u32;
    /// The result with this index.
    fn result(&self, op: Self::Op, index: u32) -> Self::Value;
    /// The attribute or property with this name. An inherent attribute hides a discardable attribute with the same
    /// name.
    fn attr(&self, op: Self::Op, name: AttrNameId) -> Option<Self::Attr>;
    /// The names and values of all attributes, in the order of the names; `None`, the default, if the host does not
    /// list them.
    fn list_attrs(&self, _op: Self::Op) -> Option<Vec<(String, Self::Attr)>> {
        None
    }
    /// True if an attribute of this name is inherent in the operation: the operation's definition declares the
    /// attribute, or the operation stores it as a property. The default returns false.
    fn is_inherent(&self, _op: Self::Op, _name: AttrNameId) -> bool {
        false
    }
    /// The operation that defines a value; `None` for a block argument.
    fn defining_op(&self, value: Self::Value) -> Option<Self::Op>;
    /// The value's type.
    fn value_type(&self, value: Self::Value) -> Self::Type;
    /// The type of a typed attribute; `None` for other attributes.
    fn attr_type(&self, attr: Self::Attr) -> Option<Self::Type>;
    /// The newest use of a value; `None` if the value has no uses.
    fn first_use(&self, value: Self::Value) -> Option<Self::Use>;
    /// The next older use of the same value.
    fn next_use(&self, used: Self::Use) -> Option<Self::Use>;
    /// The operation that uses the value.
    fn use_owner(&self, used: Self::Use) -> Self::Op;
    /// The index of the use among the operands of the operation that uses the value.
    fn use_index(&self, used: Self::Use) -> u32;
    /// The source location of the operation.
    fn location(&self, op: Self::Op) -> Self::Location;
    /// The name with this number, for messages.
    fn op_name_text(&self, name: OpNameId) -> String;
    /// The operation whose region holds this one; `None` for the outermost operation.
    fn parent_op(&self, op: Self::Op) -> Option<Self::Op>;
    /// Visits `root` and every operation in its regions.
    fn walk(&self, root: Self::Op, order: WalkOrder, visit: &mut dyn FnMut(Self::Op));

    /// True if the operation's regions use no value from outside, as in a function. Matching with many threads divides
    /// its work at such operations.
    fn is_isolated(&self, _op: Self::Op) -> bool {
        false
    }
    /// A small number that identifies an operation among those that exist at the same time. Engines and drivers keep
    /// data about operations in arrays that are indexed by these numbers. A host without such numbers always returns
    /// `None`, and hash tables are used instead.
    fn op_slot(&self, _op: Self::Op) -> Option<u32> {
        None
    }
    /// A number that grows with each change that matching can observe: changes of operations, of their operands,
    /// attributes and types, and of the set of types and attributes that exist. A host that does not count them always
    /// returns 0. Every change to such a host must be reported to the caches of its engines, through
    /// [`Listener`](super::Listener).
    fn change_count(&self) -> u64 {
        0
    }
    /// The index of a value among the results of its defining operation; `None` for a block argument.
    fn result_index(&self, value: Self::Value) -> Option<u32> {
        let op = self.defining_op(value)?;
        (0..self.result_count(op)).find(|&i| self.result(op, i) == value)
    }
}

/// An IR that returns its ids for the names and constants of a program. Linking uses these methods.
pub trait Bind: Ir {
    /// The number of an operation name. A name that is new to the host gets a new number.
    fn bind_op_name(&mut self, name: &str) -> OpNameId;
    /// The number of an attribute name. A name that is new to the host gets a new number.
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId;
    /// The type with this MLIR text; `None` if the host cannot have such a type.
    fn bind_type(&mut self, text: &str) -> Option<Self::Type>;
    /// The attribute with this MLIR text; `None` if the host cannot have such an attribute.
    fn bind_attr(&mut self, text: &str) -> Option<Self::Attr>;

    /// The names of all operations that can exist. Linking warns about other names in rules, which are probably typos.
    /// `None`, the default, means that the set is open.
    fn op_names(&self) -> Option<Vec<String>> {
        None
    }
    /// The host's definition of operations with this name. Linking fails if the rules were compiled against a
    /// different definition. `None`, the default, means unknown.
    fn op_signature(&self, _name: &str) -> Option<OpSignature> {
        None
    }
}

/// The number of values that one operand or result of a definition stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arity {
    /// Exactly one.
    One,
    /// None or one.
    Optional,
    /// Any number.
    Variadic,
}

/// A host's definition of an operation; see [`Bind::op_signature`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpSignature {
    /// Its operand groups.
    pub operands: Vec<Arity>,
    /// Its result groups.
    pub results: Vec<Arity>,
    /// The names of its attributes and properties, in any order.
    pub attributes: Vec<String>,
}

/// The reason why a host or a native refused a step of a rewrite. The rewrite is then rolled back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub std::borrow::Cow<'static, str>);

impl Refusal {
    /// A refusal with this reason: a short clause, for messages.
    pub fn new(reason: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self(reason.into())
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// An attribute of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedAttr<A> {
    /// Its name.
    pub name: AttrNameId,
    /// Its value.
    pub value: A,
    /// True if the operation's definition declares the attribute. A host with properties then stores it as a property.
    pub inherent: bool,
}

/// The maximum number of regions of an operation that a rule creates.
pub(crate) const MAX_REGIONS: u32 = 1 << 16;

/// The parts of a new operation.
#[derive(Debug)]
pub struct OpState<'a, H: Ir + ?Sized> {
    /// Its name.
    pub name: OpNameId,
    /// Its operands in order, those of all groups in one list.
    pub operands: &'a [H::Value],
    /// The types of its results.
    pub result_types: &'a [H::Type],
    /// Its attributes, in the order of its definition.
    pub attributes: &'a [NamedAttr<H::Attr>],
    /// The number of its regions, which are empty.
    pub regions: u32,
    /// Its location.
    pub location: H::Location,
}

/// An IR that can be rewritten.
///
/// The engine creates operations while a rewrite runs, and erases them again if the rewrite fails. It replaces and
/// erases existing operations last, when nothing can fail any more.
pub trait IrMut: Bind {
    /// Reserves memory for about this many new operations. The default does nothing.
    fn reserve(&mut self, _ops: usize) {}
    /// Creates an operation right before `before`.
    ///
    /// # Errors
    /// The host cannot create it. The rewrite is then rolled back.
    fn create(&mut self, before: Self::Op, state: &OpState<'_, Self>) -> Result<Self::Op, Refusal>;
    /// Makes every use of `from` a use of `to`.
    fn replace_all_uses(&mut self, from: Self::Value, to: Self::Value);
    /// Erases an operation, whose results have no uses, and the operations in its regions.
    fn erase(&mut self, op: Self::Op);
    /// Sets an attribute of an operation, or removes it if there is no value.
    ///
    /// # Errors
    /// The host cannot change attributes, which is the default.
    fn set_attr(
        &mut self,
        _op: Self::Op,
        _name: AttrNameId,
        _value: Option<Self::Attr>,
    ) -> Result<(), Refusal> {
        Err(Refusal::new("the host does not change attributes"))
    }

    /// Returns a function that undoes the next change of an attribute by [`Self::set_attr`]. The default function sets
    /// the current value again. For a host that keeps attributes in several dictionaries, the function restores all of
    /// these dictionaries.
    fn undo_set_attr(&self, op: Self::Op, name: AttrNameId) -> Box<dyn FnOnce(&mut Self) + Send>
    where
        Self: Sized,
    {
        let before = self.attr(op, name);
        // The host accepted a change of this attribute, so it accepts the inverse.
        Box::new(move |host| drop(host.set_attr(op, name, before)))
    }

    /// Moves all blocks of a region to another region, which is empty.
    ///
    /// # Errors
    /// One of the regions does not exist, the second region is not empty, or the host cannot move blocks, which is the
    /// default.
    fn move_blocks(&mut self, _from: Region<Self::Op>, _to: Region<Self::Op>) -> Result<(), Refusal> {
        Err(Refusal::new("the host does not move regions"))
    }

    /// Fuses one or more locations, with `metadata` if given. A single location without metadata is returned
    /// unchanged.
    ///
    /// The default returns the first location.
    fn fuse_locations(&mut self, locations: &[Self::Location], _metadata: Option<&str>) -> Self::Location {
        locations[0]
    }
    /// The location with this MLIR text, for rules that name a location; `None` if the host cannot represent it.
    fn bind_location(&mut self, _text: &str) -> Option<Self::Location> {
        None
    }
    /// The location with this name, around `child` if there is one; `None` if the host cannot represent it.
    ///
    /// The default returns `child` without the name, or, if there is no `child`, calls [`Self::bind_location`] with the
    /// quoted name.
    fn name_location(&mut self, name: &str, child: Option<Self::Location>) -> Option<Self::Location> {
        child.or_else(|| self.bind_location(&format!("{name:?}")))
    }
    /// True if the operation is a terminator, which ends its block and is never dead.
    fn is_terminator(&self, _op: Self::Op) -> bool {
        false
    }
    /// The properties that the host's definition of the operation states; `None` if it has no definition.
    /// Canonicalisation calls this method for operations that the program does not define and that canonicalisation
    /// itself does not know.
    fn properties(&self, _op: Self::Op) -> Option<OpProperties> {
        None
    }
    /// True if the region that contains this operation is a graph region, in which operations may use results that are
    /// defined later. In a graph region, a new operation may use the results of the operation that it replaces; after
    /// the replacement, the new operation uses its own results. In other regions, such a rewrite is rolled back.
    fn is_in_graph_region(&self, _op: Self::Op) -> bool {
        false
    }
    /// The index of the region that contains the operation, among the regions of the operation's parent.
    fn region_index(&self, _op: Self::Op) -> u32 {
        0
    }
    /// True if the operation is in the entry block of its region. The default, for a host whose regions have at most
    /// one block, is true.
    fn is_in_entry_block(&self, _op: Self::Op) -> bool {
        true
    }
    /// The first operation of the entry block of region `index` of `parent`. `None`, the default, if the block is empty
    /// or operations have no order. Drivers then do not merge the constants of the region.
    fn entry_op(&self, _parent: Self::Op, _index: u32) -> Option<Self::Op> {
        None
    }
    /// The operation right before this one in its block; `None` for the first operation.
    ///
    /// # Errors
    /// Operations have no order, or the host does not implement the method, which is the default. Helper functions then
    /// cannot find the operation before another operation, or compare the positions of two operations.
    fn previous_in_block(&self, _op: Self::Op) -> Result<Option<Self::Op>, Refusal> {
        Err(Refusal::new("the host does not implement `previous_in_block`"))
    }
    /// The operation right after this one in its block; `None` for the last operation.
    ///
    /// # Errors
    /// Operations have no order, or the host does not implement the method, which is the default. Helper functions then
    /// cannot find the operation after another operation, or insert operations after it.
    fn next_in_block(&self, _op: Self::Op) -> Result<Option<Self::Op>, Refusal> {
        Err(Refusal::new("the host does not implement `next_in_block`"))
    }
    /// Moves an operation right before `before`, which may be in another block. Called only on a host whose
    /// [`entry_op`](Self::entry_op) returns an operation.
    fn move_before(&mut self, _op: Self::Op, _before: Self::Op) {}
    /// Sets the operation's location to the unknown location, because the operation now stands for several operations,
    /// or has moved to another block.
    fn forget_location(&mut self, _op: Self::Op) {}
    /// Calls `erased` for each operation directly in the unreachable blocks inside `root`, and then removes these
    /// blocks. Returns true if a block was removed.
    ///
    /// The default, for a host without blocks, does nothing.
    fn erase_unreachable_blocks(&mut self, root: Self::Op, erased: &mut dyn FnMut(&Self, Self::Op)) -> bool {
        let _ = (root, erased);
        false
    }
}

/// The uses of a value, the newest first.
pub(crate) fn uses_of<H: Ir + ?Sized>(host: &H, value: H::Value) -> impl Iterator<Item = H::Use> {
    std::iter::successors(host.first_use(value), |&used| host.next_use(used))
}

/// The operations that use a value, once for each use.
pub(crate) fn users_of<H: Ir + ?Sized>(host: &H, value: H::Value) -> impl Iterator<Item = H::Op> {
    uses_of(host, value).map(|used| host.use_owner(used))
}

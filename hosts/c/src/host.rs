//! An IR that is read and changed through a table of C functions.
//!
//! The host chooses its ids: pointers or numbers of one machine word. Zero means "none".
//!
//! A host that gives an invalid answer is *at fault*, and the running function of the interface fails. Until this
//! function returns, the methods of [`Host`] that read or change operations and values do not call the host: an id is
//! "none", a count is zero, and nothing changes. So an endless list of uses or an endless chain of parents cannot block
//! the library.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use drrvm::host::ApInt;
use drrvm::host::{
    AttrKind, AttrNameId, AttrSpec, Bind, Facets, Ir, IrMut, OpNameId, OpState, Refusal, Region, Signedness,
    TypeKind, TypeSpec, WalkOrder,
};

/// An operation, value, type, attribute, use or location: a pointer or number that the host chooses. Zero means
/// "none".
#[allow(non_camel_case_types, reason = "the name in C")]
pub type drrvm_id = usize;

/// An attribute of a new operation.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct drrvm_named_attr {
    /// The host's number of the name.
    pub name: u32,
    /// True if the definition of the operation declares the attribute, false if it is discardable.
    pub inherent: bool,
    /// The value.
    pub value: drrvm_id,
}

/// The parts of a new operation. The arrays are valid until the call returns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct drrvm_op_state {
    /// The host's number of the name.
    pub name: u32,
    /// The operands.
    pub operands: *const drrvm_id,
    /// The number of operands.
    pub operand_count: usize,
    /// The types of the results.
    pub result_types: *const drrvm_id,
    /// The number of results.
    pub result_count: usize,
    /// The attributes.
    pub attributes: *const drrvm_named_attr,
    /// The number of attributes.
    pub attribute_count: usize,
    /// The location.
    pub location: drrvm_id,
    /// The number of regions, which are empty. It is zero unless the host has `move_blocks`.
    pub region_count: u32,
}

/// A function that `walk` calls for each operation.
#[allow(non_camel_case_types, reason = "the name in C")]
pub type drrvm_visit = Option<unsafe extern "C" fn(closure: *mut c_void, op: drrvm_id)>;

/// The functions that read and change an IR. The first argument of each is `data`.
///
/// The functions for matching come first and are required. The functions for rewriting can be null in a host that only
/// matches. The optional functions can be null. The default of an optional function is none or 0, unless its comment
/// states another default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct drrvm_host {
    /// The first argument of each function.
    pub data: *mut c_void,

    /// The number of an operation's name, as returned by `bind_op_name`. Small numbers make small tables.
    pub op_name: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> u32>,
    /// The number of operands of an operation.
    pub operand_count: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> u32>,
    /// An operand of an operation.
    pub operand: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id, index: u32) -> drrvm_id>,
    /// The number of results of an operation.
    pub result_count: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> u32>,
    /// A result of an operation.
    pub result: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id, index: u32) -> drrvm_id>,
    /// The attribute with this name, or none.
    pub attr: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id, name: u32) -> drrvm_id>,
    /// The operation that defines a value, or none for a block argument.
    pub defining_op: Option<unsafe extern "C" fn(data: *mut c_void, value: drrvm_id) -> drrvm_id>,
    /// The type of a value.
    pub value_type: Option<unsafe extern "C" fn(data: *mut c_void, value: drrvm_id) -> drrvm_id>,
    /// The newest use of a value, or none.
    pub first_use: Option<unsafe extern "C" fn(data: *mut c_void, value: drrvm_id) -> drrvm_id>,
    /// The next older use of the same value, or none.
    pub next_use: Option<unsafe extern "C" fn(data: *mut c_void, used: drrvm_id) -> drrvm_id>,
    /// The operation that has the use as an operand.
    pub use_owner: Option<unsafe extern "C" fn(data: *mut c_void, used: drrvm_id) -> drrvm_id>,
    /// The index of the operand.
    pub use_index: Option<unsafe extern "C" fn(data: *mut c_void, used: drrvm_id) -> u32>,
    /// The number of an operation name; new names get the next number, from zero.
    pub bind_op_name:
        Option<unsafe extern "C" fn(data: *mut c_void, text: *const c_char, length: usize) -> u32>,
    /// The number of an attribute name; new names get the next number, from zero.
    pub bind_attr_name:
        Option<unsafe extern "C" fn(data: *mut c_void, text: *const c_char, length: usize) -> u32>,
    /// The type with this MLIR text, or none.
    pub bind_type:
        Option<unsafe extern "C" fn(data: *mut c_void, text: *const c_char, length: usize) -> drrvm_id>,
    /// The attribute with this MLIR text, or none.
    pub bind_attr:
        Option<unsafe extern "C" fn(data: *mut c_void, text: *const c_char, length: usize) -> drrvm_id>,

    /// For rewriting: creates an operation immediately before `before`; returns none on failure.
    pub create: Option<
        unsafe extern "C" fn(data: *mut c_void, before: drrvm_id, state: *const drrvm_op_state) -> drrvm_id,
    >,
    /// For rewriting: replaces all uses of `from` by `to`.
    pub replace_all_uses: Option<unsafe extern "C" fn(data: *mut c_void, from: drrvm_id, to: drrvm_id)>,
    /// For rewriting: removes an operation whose results have no uses.
    pub erase: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id)>,
    /// For rewriting, and for rules that ask for it: the operation that contains this one, or none for the outermost
    /// operation.
    pub parent_op: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> drrvm_id>,
    /// For rewriting: calls `visit` for `root` and all operations inside it. An operation comes before the operations
    /// inside it, or with `post_order` after them.
    pub walk: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            root: drrvm_id,
            post_order: bool,
            visit: drrvm_visit,
            closure: *mut c_void,
        ),
    >,

    /// Optional: the type of an attribute, or none.
    pub attr_type: Option<unsafe extern "C" fn(data: *mut c_void, attr: drrvm_id) -> drrvm_id>,
    /// Optional: the location of an operation. Default: none.
    pub location: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> drrvm_id>,
    /// Optional: a location that combines several locations. Default: the first location.
    pub fuse_locations:
        Option<unsafe extern "C" fn(data: *mut c_void, locations: *const drrvm_id, count: usize) -> drrvm_id>,
    /// Optional: true if an operation terminates its block. Default: false.
    pub is_terminator: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> bool>,
    /// Optional: the width of a signless integer type, or 0 for other types.
    pub integer_width: Option<unsafe extern "C" fn(data: *mut c_void, ty: drrvm_id) -> u32>,
    /// Optional: stores the value of an integer attribute of at most 64 bits in `value` and returns its width, or
    /// returns 0 for other attributes.
    pub attr_int: Option<unsafe extern "C" fn(data: *mut c_void, attr: drrvm_id, value: *mut i64) -> u32>,
    /// Optional: the integer attribute with this value and type, or none.
    pub make_int: Option<unsafe extern "C" fn(data: *mut c_void, value: i64, ty: drrvm_id) -> drrvm_id>,
    /// Optional: the signless integer type with this width, or none.
    pub make_integer_type: Option<unsafe extern "C" fn(data: *mut c_void, width: u32) -> drrvm_id>,
    /// Optional, for rules that move regions: moves all blocks of a region to an empty region of another operation. A
    /// region is identified by its operation and its index. Returns false, without a change, if one of the regions does
    /// not exist or if the second region is not empty. Default: such rules are refused.
    pub move_blocks: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            from: drrvm_id,
            from_index: u32,
            to: drrvm_id,
            to_index: u32,
        ) -> bool,
    >,
}

/// A table with all functions that are required for matching.
///
/// If the host returns "none" for a required id, this id is not passed to functions that read it.
pub(crate) struct Host {
    table: drrvm_host,
    /// The texts of the operation names that were bound.
    names: HashMap<u32, String>,
    /// The first invalid answer.
    fault: OnceLock<String>,
    /// The last answer of `parent_op`, and the length of the current chain of calls. Each call of a chain passes the
    /// answer of the preceding call.
    climb: (AtomicUsize, AtomicU32),
}

/// The limit on numbers of names. Tables are indexed by these numbers.
const MOST_NAMES: u32 = 1 << 24;
/// The name of an invalid operation. No rule mentions this name, because the names in rules have numbers below
/// [`MOST_NAMES`].
const NO_NAME: OpNameId = OpNameId::from_raw(MOST_NAMES);
/// The limit on the length of a use list.
const MOST_USES: u32 = 1 << 24;
/// The limit on the nesting of operations.
const MOST_PARENTS: u32 = 1 << 20;

/// A use and its position in the use list of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Use {
    id: drrvm_id,
    place: u32,
}

// SAFETY: the host is only called during a call of the library, on that call's thread. A caller that shares
// `data` between threads guarantees that this is allowed.
unsafe impl Send for Host {}
// SAFETY: as for the preceding block.
unsafe impl Sync for Host {}

/// Calls a function of the table with its data.
macro_rules! call {
    ($host:expr, $function:ident $(, $arg:expr)*) => {{
        let host = &$host.table;
        let function = host.$function.expect("`Host::new` checks required functions");
        // SAFETY: the caller guarantees that the functions of the table take these arguments.
        unsafe { function(host.data $(, $arg)*) }
    }};
}

/// Like `call!`, for a function that can be null.
macro_rules! call_if_set {
    ($host:expr, $function:ident $(, $arg:expr)*) => {{
        let host = &$host.table;
        // SAFETY: as in `call!`.
        host.$function.map(|function| unsafe { function(host.data $(, $arg)*) })
    }};
}

fn some(id: drrvm_id) -> Option<drrvm_id> {
    (id != 0).then_some(id)
}

/// The names of the missing functions.
macro_rules! missing {
    ($host:expr; $($function:ident),*) => {
        [$(($host.$function.is_none(), stringify!($function))),*]
            .into_iter()
            .filter_map(|(missing, name)| missing.then_some(name))
            .collect::<Vec<_>>()
    };
}

impl Host {
    /// Returns a host, or a message with the functions that are missing for matching or, if `rewrites` is true, for
    /// rewriting.
    pub(crate) fn new(table: &drrvm_host, rewrites: bool) -> Result<Self, String> {
        let mut missing = missing!(table; op_name, operand_count, operand, result_count, result, attr,
            defining_op, value_type, first_use, next_use, use_owner, use_index, bind_op_name, bind_attr_name,
            bind_type, bind_attr);
        if rewrites {
            missing.extend(missing!(table; create, replace_all_uses, erase, parent_op, walk));
        }
        match missing.is_empty() {
            true => Ok(Self {
                table: *table,
                names: HashMap::new(),
                fault: OnceLock::new(),
                climb: Default::default(),
            }),
            false => Err(format!("the host has no function for: {}", missing.join(", "))),
        }
    }

    /// The first invalid answer, if there is one.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// Returns the id if it is not "none" and the host is not at fault.
    fn valid(&self, id: drrvm_id) -> Option<drrvm_id> {
        some(id).filter(|_| self.fault.get().is_none())
    }

    /// Checks the number of a name; a number beyond the limit is a fault.
    fn number(&self, name: &str, number: u32) -> u32 {
        if number < MOST_NAMES {
            return number;
        }
        self.fault.get_or_init(|| {
            format!("the host gives '{name}' the number {number}; numbers of names must be dense, from zero")
        });
        0
    }

    /// Returns the use at a position; a list beyond the limit is a fault.
    fn use_at(&self, id: drrvm_id, place: u32) -> Option<Use> {
        let id = some(id)?;
        if place >= MOST_USES {
            self.fault.get_or_init(|| format!("a value of the host has more than {MOST_USES} uses"));
            return None;
        }
        Some(Use { id, place })
    }
}

impl Ir for Host {
    type Op = drrvm_id;
    type Value = drrvm_id;
    type Type = drrvm_id;
    type Attr = drrvm_id;
    type Use = Use;
    type Location = drrvm_id;

    fn op_name(&self, op: drrvm_id) -> OpNameId {
        self.valid(op).map_or(NO_NAME, |op| OpNameId::from_raw(call!(self, op_name, op)))
    }
    fn operand_count(&self, op: drrvm_id) -> u32 {
        self.valid(op).map_or(0, |op| call!(self, operand_count, op))
    }
    fn operand(&self, op: drrvm_id, index: u32) -> drrvm_id {
        self.valid(op).map_or(0, |op| call!(self, operand, op, index))
    }
    fn result_count(&self, op: drrvm_id) -> u32 {
        self.valid(op).map_or(0, |op| call!(self, result_count, op))
    }
    fn result(&self, op: drrvm_id, index: u32) -> drrvm_id {
        self.valid(op).map_or(0, |op| call!(self, result, op, index))
    }
    fn attr(&self, op: drrvm_id, name: AttrNameId) -> Option<drrvm_id> {
        self.valid(op).and_then(|op| some(call!(self, attr, op, name.raw())))
    }
    fn defining_op(&self, value: drrvm_id) -> Option<drrvm_id> {
        self.valid(value).and_then(|value| some(call!(self, defining_op, value)))
    }
    fn value_type(&self, value: drrvm_id) -> drrvm_id {
        self.valid(value).map_or(0, |value| call!(self, value_type, value))
    }
    fn attr_type(&self, attr: drrvm_id) -> Option<drrvm_id> {
        self.valid(attr).and_then(|attr| call_if_set!(self, attr_type, attr)).and_then(some)
    }
    fn first_use(&self, value: drrvm_id) -> Option<Use> {
        self.valid(value).and_then(|value| self.use_at(call!(self, first_use, value), 0))
    }
    fn next_use(&self, used: Use) -> Option<Use> {
        self.valid(used.id).and_then(|id| self.use_at(call!(self, next_use, id), used.place + 1))
    }
    fn use_owner(&self, used: Use) -> drrvm_id {
        self.valid(used.id).map_or(0, |id| call!(self, use_owner, id))
    }
    fn use_index(&self, used: Use) -> u32 {
        self.valid(used.id).map_or(0, |id| call!(self, use_index, id))
    }
    fn location(&self, op: drrvm_id) -> drrvm_id {
        self.valid(op).and_then(|op| call_if_set!(self, location, op)).unwrap_or(0)
    }
    fn op_name_text(&self, name: OpNameId) -> String {
        let text = self.names.get(&name.raw()).cloned();
        text.unwrap_or_else(|| format!("operation name {}", name.raw()))
    }
    fn parent_op(&self, op: drrvm_id) -> Option<drrvm_id> {
        let op = self.valid(op)?;
        let Some(parent) = call_if_set!(self, parent_op, op) else {
            self.fault
                .get_or_init(|| "the host has no function for: parent_op, and a rule calls it".to_owned());
            return None;
        };
        let (last, count) = &self.climb;
        let goes_on = last.swap(parent, Ordering::Relaxed) == op;
        let height = if goes_on { count.load(Ordering::Relaxed) + 1 } else { 0 };
        count.store(height, Ordering::Relaxed);
        if height >= MOST_PARENTS {
            self.fault
                .get_or_init(|| format!("an operation of the host has more than {MOST_PARENTS} ancestors"));
            return None;
        }
        some(parent)
    }
    fn walk(&self, root: drrvm_id, order: WalkOrder, mut visit: &mut dyn FnMut(drrvm_id)) {
        let Some(root) = self.valid(root) else { return };
        let closure = (&raw mut visit).cast::<c_void>();
        call!(self, walk, root, order == WalkOrder::Post, Some(visit_closure), closure);
    }
}

impl Bind for Host {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        let number = call!(self, bind_op_name, name.as_ptr().cast(), name.len());
        let number = self.number(name, number);
        self.names.entry(number).or_insert_with(|| name.to_owned());
        OpNameId::from_raw(number)
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        let number = call!(self, bind_attr_name, name.as_ptr().cast(), name.len());
        AttrNameId::from_raw(self.number(name, number))
    }
    fn bind_type(&mut self, text: &str) -> Option<drrvm_id> {
        some(call!(self, bind_type, text.as_ptr().cast(), text.len()))
    }
    fn bind_attr(&mut self, text: &str) -> Option<drrvm_id> {
        some(call!(self, bind_attr, text.as_ptr().cast(), text.len()))
    }
}

impl Facets for Host {
    fn type_kind(&self, ty: drrvm_id) -> TypeKind<drrvm_id> {
        match some(ty).and_then(|ty| call_if_set!(self, integer_width, ty)) {
            None | Some(0) => TypeKind::Dialect,
            Some(width) => TypeKind::Integer { width, signedness: Signedness::Signless },
        }
    }
    fn attr_kind(&self, attr: drrvm_id) -> AttrKind {
        match self.attr_int(attr) {
            Some(_) => AttrKind::Integer,
            None => AttrKind::Other,
        }
    }
    fn attr_int(&self, attr: drrvm_id) -> Option<ApInt> {
        let mut value = 0;
        let width = call_if_set!(self, attr_int, attr, &raw mut value)?;
        (1..=64).contains(&width).then(|| ApInt::from_i64(width, value))
    }
    fn make_attr(&mut self, spec: &AttrSpec<drrvm_id, drrvm_id>) -> Option<drrvm_id> {
        match spec {
            AttrSpec::Integer(value, ty) => {
                let value = value.to_i64()?;
                call_if_set!(self, make_int, value, *ty).and_then(some)
            }
            AttrSpec::Text(text) => self.bind_attr(text),
            _ => None,
        }
    }
    fn make_type(&mut self, spec: &TypeSpec<drrvm_id, drrvm_id>) -> Option<drrvm_id> {
        match spec {
            TypeSpec::Integer { width, signedness: Signedness::Signless } => {
                call_if_set!(self, make_integer_type, *width).and_then(some)
            }
            TypeSpec::Text(text) => self.bind_type(text),
            _ => None,
        }
    }
}

unsafe extern "C" fn visit_closure(closure: *mut c_void, op: drrvm_id) {
    // SAFETY: `walk` passes its own closure, which lives until the walk ends.
    let visit = unsafe { &mut *closure.cast::<&mut dyn FnMut(drrvm_id)>() };
    if op != 0 {
        visit(op);
    }
}

impl IrMut for Host {
    fn create(&mut self, before: drrvm_id, state: &OpState<'_, Self>) -> Result<drrvm_id, Refusal> {
        if state.regions > 0 && self.table.move_blocks.is_none() {
            return Err(Refusal::new(
                "the rule creates an operation with regions, but the host has no function `move_blocks`",
            ));
        }
        let attributes: Vec<_> = state
            .attributes
            .iter()
            .map(|a| drrvm_named_attr { name: a.name.raw(), inherent: a.inherent, value: a.value })
            .collect();
        let state = drrvm_op_state {
            name: state.name.raw(),
            operands: state.operands.as_ptr(),
            operand_count: state.operands.len(),
            result_types: state.result_types.as_ptr(),
            result_count: state.result_types.len(),
            attributes: attributes.as_ptr(),
            attribute_count: attributes.len(),
            location: state.location,
            region_count: state.regions,
        };
        self.valid(before)
            .and_then(|before| some(call!(self, create, before, &raw const state)))
            .ok_or_else(|| Refusal::new("the host cannot create this operation"))
    }
    fn replace_all_uses(&mut self, from: drrvm_id, to: drrvm_id) {
        if self.fault.get().is_none() {
            call!(self, replace_all_uses, from, to);
        }
    }
    fn erase(&mut self, op: drrvm_id) {
        if let Some(op) = self.valid(op) {
            call!(self, erase, op);
        }
    }
    fn move_blocks(&mut self, from: Region<drrvm_id>, to: Region<drrvm_id>) -> Result<(), Refusal> {
        let (Some(from_op), Some(to_op)) = (self.valid(from.op), self.valid(to.op)) else {
            return Err(Refusal::new("the host is at fault"));
        };
        match call_if_set!(self, move_blocks, from_op, from.index, to_op, to.index) {
            None => Err(Refusal::new("the rule moves a region, but the host has no function `move_blocks`")),
            Some(false) => Err(Refusal::new("the host cannot move the blocks of a region")),
            Some(true) => Ok(()),
        }
    }
    fn fuse_locations(&mut self, locations: &[drrvm_id], _metadata: Option<&str>) -> drrvm_id {
        call_if_set!(self, fuse_locations, locations.as_ptr(), locations.len()).unwrap_or(locations[0])
    }
    fn is_terminator(&self, op: drrvm_id) -> bool {
        self.valid(op).and_then(|op| call_if_set!(self, is_terminator, op)).unwrap_or(false)
    }
}

/// The kinds of arguments and results of natives.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "the name in C")]
pub enum drrvm_kind {
    /// An operation.
    Op = 0,
    /// A value.
    Value = 1,
    /// A type.
    Type = 2,
    /// An attribute.
    Attr = 3,
    /// An integer, stored in `number`.
    Int = 4,
    /// A Boolean, stored in `number`.
    Bool = 5,
}

/// An argument or result of a native.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct drrvm_entity {
    /// One of `drrvm_kind`.
    pub kind: c_int,
    /// An operation, value, type or attribute; zero for an absent value or attribute.
    pub id: drrvm_id,
    /// An integer or Boolean.
    pub number: i64,
}

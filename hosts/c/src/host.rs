//! An IR whose every answer is a call through a table of C functions.
//!
//! Ids are the caller's own, a pointer or a number in one machine word; zero stands for "none".
//!
//! A host that gives an answer which cannot be is at fault: it is not asked any more, every further answer is
//! "none", and the function that was called fails. So a list of uses or a chain of parents that never ends does not
//! keep the library in a loop.

use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use drrvm::host::{
    AttrKind, AttrNameId, AttrSpec, Bind, Facets, Ir, IrMut, OpNameId, OpState, Refusal, Signedness,
    TypeKind, TypeSpec, WalkOrder,
};
use drrvm::host::ApInt;

/// An operation, value, type, attribute, use or location of the host: a pointer or number of its own,
/// not zero. Zero is "none".
#[allow(non_camel_case_types, reason = "its name in C")]
pub type drrvm_id = usize;

/// One attribute of an operation to be made.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "its name in C")]
pub struct drrvm_named_attr {
    /// The host's number of its name.
    pub name: u32,
    /// Whether the operation declares it (it is no discardable attribute).
    pub inherent: bool,
    /// Its value.
    pub value: drrvm_id,
}

/// What an operation is made from. The arrays live as long as the call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "its name in C")]
pub struct drrvm_op_state {
    /// The host's number of its name.
    pub name: u32,
    /// Its operands.
    pub operands: *const drrvm_id,
    /// How many.
    pub operand_count: usize,
    /// The types of its results.
    pub result_types: *const drrvm_id,
    /// How many.
    pub result_count: usize,
    /// Its attributes.
    pub attributes: *const drrvm_named_attr,
    /// How many.
    pub attribute_count: usize,
    /// Its location.
    pub location: drrvm_id,
}

/// What `walk` calls for each operation.
#[allow(non_camel_case_types, reason = "its name in C")]
pub type drrvm_visit = Option<unsafe extern "C" fn(closure: *mut c_void, op: drrvm_id)>;

/// The functions through which an IR is read and changed. Each gets `data` first.
///
/// What an IR needs to be matched comes first and must be set; a function to rewrite with may be
/// null in a host that only matches; the others have a meaning when they are null.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "its name in C")]
pub struct drrvm_host {
    /// Handed to each function.
    pub data: *mut c_void,

    /// The number of an operation's name, as `bind_op_name` gave it. Small numbers make small tables.
    pub op_name: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> u32>,
    /// How many operands an operation has.
    pub operand_count: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> u32>,
    /// One operand.
    pub operand: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id, index: u32) -> drrvm_id>,
    /// How many results an operation has.
    pub result_count: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> u32>,
    /// One result.
    pub result: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id, index: u32) -> drrvm_id>,
    /// The attribute of this name, or none.
    pub attr: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id, name: u32) -> drrvm_id>,
    /// The operation whose result a value is, or none for a block argument.
    pub defining_op: Option<unsafe extern "C" fn(data: *mut c_void, value: drrvm_id) -> drrvm_id>,
    /// The type of a value.
    pub value_type: Option<unsafe extern "C" fn(data: *mut c_void, value: drrvm_id) -> drrvm_id>,
    /// The newest use of a value, or none.
    pub first_use: Option<unsafe extern "C" fn(data: *mut c_void, value: drrvm_id) -> drrvm_id>,
    /// The use made before this one, or none.
    pub next_use: Option<unsafe extern "C" fn(data: *mut c_void, used: drrvm_id) -> drrvm_id>,
    /// The operation that uses.
    pub use_owner: Option<unsafe extern "C" fn(data: *mut c_void, used: drrvm_id) -> drrvm_id>,
    /// Which of its operands the use is.
    pub use_index: Option<unsafe extern "C" fn(data: *mut c_void, used: drrvm_id) -> u32>,
    /// The number of an operation name; a new one for a name not seen before. Not below zero, dense.
    pub bind_op_name:
        Option<unsafe extern "C" fn(data: *mut c_void, text: *const c_char, length: usize) -> u32>,
    /// The number of an attribute name; a new one for a name not seen before.
    pub bind_attr_name:
        Option<unsafe extern "C" fn(data: *mut c_void, text: *const c_char, length: usize) -> u32>,
    /// The type that this MLIR text means, or none.
    pub bind_type:
        Option<unsafe extern "C" fn(data: *mut c_void, text: *const c_char, length: usize) -> drrvm_id>,
    /// The attribute that this MLIR text means, or none.
    pub bind_attr:
        Option<unsafe extern "C" fn(data: *mut c_void, text: *const c_char, length: usize) -> drrvm_id>,

    /// To rewrite: makes an operation right before `before`; none if it cannot.
    pub create: Option<
        unsafe extern "C" fn(data: *mut c_void, before: drrvm_id, state: *const drrvm_op_state) -> drrvm_id,
    >,
    /// To rewrite: makes every use of `from` a use of `to`.
    pub replace_all_uses: Option<unsafe extern "C" fn(data: *mut c_void, from: drrvm_id, to: drrvm_id)>,
    /// To rewrite: removes an operation whose results have no uses.
    pub erase: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id)>,
    /// To rewrite: the operation whose region holds this one, or none for the outermost.
    pub parent_op: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> drrvm_id>,
    /// To rewrite: calls `visit` for `root` and all operations inside it, an operation after what its
    /// regions hold if `post_order`.
    pub walk: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            root: drrvm_id,
            post_order: bool,
            visit: drrvm_visit,
            closure: *mut c_void,
        ),
    >,

    /// Optional: the type that an attribute states, or none.
    pub attr_type: Option<unsafe extern "C" fn(data: *mut c_void, attr: drrvm_id) -> drrvm_id>,
    /// Optional: where an operation comes from; none: nowhere.
    pub location: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> drrvm_id>,
    /// Optional: the location that stands for several; null: the first.
    pub fuse_locations:
        Option<unsafe extern "C" fn(data: *mut c_void, locations: *const drrvm_id, count: usize) -> drrvm_id>,
    /// Optional: whether an operation ends its block; null: none does.
    pub is_terminator: Option<unsafe extern "C" fn(data: *mut c_void, op: drrvm_id) -> bool>,
    /// Optional: the width of an integer type; 0 for any other type.
    pub integer_width: Option<unsafe extern "C" fn(data: *mut c_void, ty: drrvm_id) -> u32>,
    /// Optional: the value of an integer attribute through `value`, and its width; 0 for any other.
    pub attr_int: Option<unsafe extern "C" fn(data: *mut c_void, attr: drrvm_id, value: *mut i64) -> u32>,
    /// Optional: the integer attribute of this value and type, or none.
    pub make_int: Option<unsafe extern "C" fn(data: *mut c_void, value: i64, ty: drrvm_id) -> drrvm_id>,
    /// Optional: the integer type of this width, or none.
    pub make_integer_type: Option<unsafe extern "C" fn(data: *mut c_void, width: u32) -> drrvm_id>,
}

/// A table of functions that has all that matching needs.
///
/// What it answers "none" where there has to be something is not handed back to it.
pub(crate) struct Host {
    table: drrvm_host,
    /// The first answer that no host may give.
    fault: OnceLock<String>,
    /// The last answer of `parent_op`, and how many answers before it each led to the next.
    climb: (AtomicUsize, AtomicU32),
}

/// Numbers of names index tables, so a host may not give larger ones.
const MOST_NAMES: u32 = 1 << 24;
/// The number of the name of no operation.
const NO_NAME: u32 = u32::MAX;
/// How long a list of uses may be.
const MOST_USES: u32 = 1 << 24;
/// How deep operations may be inside others.
const MOST_PARENTS: u32 = 1 << 20;

/// A use, and how many came before it in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Use {
    id: drrvm_id,
    place: u32,
}

// SAFETY: the host is only called while one of the library's functions runs, on that function's own
// thread; whoever shares `data` between threads says that it may be.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

/// Calls a function of the table with its data.
macro_rules! call {
    ($host:expr, $function:ident $(, $arg:expr)*) => {{
        let host = &$host.table;
        let function = host.$function.expect("it was checked when the host was given");
        // SAFETY: whoever gave the table said that its functions take these arguments.
        unsafe { function(host.data $(, $arg)*) }
    }};
}

/// As `call!`, for a function that may be null.
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

/// The missing functions of a list.
macro_rules! missing {
    ($host:expr; $($function:ident),*) => {
        [$(($host.$function.is_none(), stringify!($function))),*]
            .into_iter()
            .filter_map(|(missing, name)| missing.then_some(name))
            .collect::<Vec<_>>()
    };
}

impl Host {
    /// A host from its table; what is missing for matching, or for rewriting as well.
    pub(crate) fn new(table: &drrvm_host, rewrites: bool) -> Result<Self, String> {
        let mut missing = missing!(table; op_name, operand_count, operand, result_count, result, attr,
            defining_op, value_type, first_use, next_use, use_owner, use_index, bind_op_name, bind_attr_name,
            bind_type, bind_attr);
        if rewrites {
            missing.extend(missing!(table; create, replace_all_uses, erase, parent_op, walk));
        }
        match missing.is_empty() {
            true => Ok(Self { table: *table, fault: OnceLock::new(), climb: Default::default() }),
            false => Err(format!("the host has no function for: {}", missing.join(", "))),
        }
    }

    /// What the host answered and may not, if it did.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// What the host may be asked about: nothing once it is at fault.
    fn asked(&self, id: drrvm_id) -> Option<drrvm_id> {
        some(id).filter(|_| self.fault.get().is_none())
    }

    /// A number of a name, if it is one.
    fn number(&self, name: &str, number: u32) -> u32 {
        if number < MOST_NAMES {
            return number;
        }
        self.fault.get_or_init(|| {
            format!("the host gives '{name}' the number {number}; names are numbered from zero on")
        });
        0
    }

    /// A use at a place of its list, if lists may be so long.
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
        OpNameId::from_raw(self.asked(op).map_or(NO_NAME, |op| call!(self, op_name, op)))
    }
    fn operand_count(&self, op: drrvm_id) -> u32 {
        self.asked(op).map_or(0, |op| call!(self, operand_count, op))
    }
    fn operand(&self, op: drrvm_id, index: u32) -> drrvm_id {
        self.asked(op).map_or(0, |op| call!(self, operand, op, index))
    }
    fn result_count(&self, op: drrvm_id) -> u32 {
        self.asked(op).map_or(0, |op| call!(self, result_count, op))
    }
    fn result(&self, op: drrvm_id, index: u32) -> drrvm_id {
        self.asked(op).map_or(0, |op| call!(self, result, op, index))
    }
    fn attr(&self, op: drrvm_id, name: AttrNameId) -> Option<drrvm_id> {
        self.asked(op).and_then(|op| some(call!(self, attr, op, name.raw())))
    }
    fn defining_op(&self, value: drrvm_id) -> Option<drrvm_id> {
        self.asked(value).and_then(|value| some(call!(self, defining_op, value)))
    }
    fn value_type(&self, value: drrvm_id) -> drrvm_id {
        self.asked(value).map_or(0, |value| call!(self, value_type, value))
    }
    fn attr_type(&self, attr: drrvm_id) -> Option<drrvm_id> {
        self.asked(attr).and_then(|attr| call_if_set!(self, attr_type, attr)).and_then(some)
    }
    fn first_use(&self, value: drrvm_id) -> Option<Use> {
        self.asked(value).and_then(|value| self.use_at(call!(self, first_use, value), 0))
    }
    fn next_use(&self, used: Use) -> Option<Use> {
        self.asked(used.id).and_then(|id| self.use_at(call!(self, next_use, id), used.place + 1))
    }
    fn use_owner(&self, used: Use) -> drrvm_id {
        self.asked(used.id).map_or(0, |id| call!(self, use_owner, id))
    }
    fn use_index(&self, used: Use) -> u32 {
        self.asked(used.id).map_or(0, |id| call!(self, use_index, id))
    }
    fn location(&self, op: drrvm_id) -> drrvm_id {
        self.asked(op).and_then(|op| call_if_set!(self, location, op)).unwrap_or(0)
    }
    fn op_name_text(&self, name: OpNameId) -> String {
        format!("operation name {}", name.raw())
    }
    fn parent_op(&self, op: drrvm_id) -> Option<drrvm_id> {
        let op = self.asked(op)?;
        let parent = call!(self, parent_op, op);
        let (last, count) = &self.climb;
        let goes_on = last.swap(parent, Ordering::Relaxed) == op;
        let height = if goes_on { count.load(Ordering::Relaxed) + 1 } else { 0 };
        count.store(height, Ordering::Relaxed);
        if height >= MOST_PARENTS {
            self.fault.get_or_init(|| {
                format!("an operation of the host is inside more than {MOST_PARENTS} others")
            });
            return None;
        }
        some(parent)
    }
    fn walk(&self, root: drrvm_id, order: WalkOrder, mut visit: &mut dyn FnMut(drrvm_id)) {
        let Some(root) = self.asked(root) else { return };
        let closure = (&raw mut visit).cast::<c_void>();
        call!(self, walk, root, order == WalkOrder::Post, Some(visit_closure), closure);
    }
}

impl Bind for Host {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        let number = call!(self, bind_op_name, name.as_ptr().cast(), name.len());
        OpNameId::from_raw(self.number(name, number))
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
    // SAFETY: `walk` below gives its own closure, which lives as long as the walk.
    let visit = unsafe { &mut *closure.cast::<&mut dyn FnMut(drrvm_id)>() };
    if op != 0 {
        visit(op);
    }
}

impl IrMut for Host {
    fn create(&mut self, before: drrvm_id, state: &OpState<'_, Self>) -> Result<drrvm_id, Refusal> {
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
        };
        self.asked(before)
            .and_then(|before| some(call!(self, create, before, &raw const state)))
            .ok_or_else(|| Refusal::new("the host cannot make this operation"))
    }
    fn replace_all_uses(&mut self, from: drrvm_id, to: drrvm_id) {
        if self.fault.get().is_none() {
            call!(self, replace_all_uses, from, to);
        }
    }
    fn erase(&mut self, op: drrvm_id) {
        if let Some(op) = self.asked(op) {
            call!(self, erase, op);
        }
    }
    fn fuse_locations(&mut self, locations: &[drrvm_id], _metadata: Option<&str>) -> drrvm_id {
        call_if_set!(self, fuse_locations, locations.as_ptr(), locations.len()).unwrap_or(locations[0])
    }
    fn is_terminator(&self, op: drrvm_id) -> bool {
        self.asked(op).and_then(|op| call_if_set!(self, is_terminator, op)).unwrap_or(false)
    }
}

/// What a native is given and gives back.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "its name in C")]
pub enum drrvm_kind {
    /// An operation.
    Op = 0,
    /// A value.
    Value = 1,
    /// A type.
    Type = 2,
    /// An attribute.
    Attr = 3,
    /// An integer, in `number`.
    Int = 4,
    /// A Boolean, in `number`.
    Bool = 5,
}

/// One argument or result of a native.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "its name in C")]
pub struct drrvm_entity {
    /// What it is, one of `drrvm_kind`.
    pub kind: c_int,
    /// An operation, value, type or attribute; none for a null one.
    pub id: drrvm_id,
    /// An integer or Boolean.
    pub number: i64,
}

//! The functions of the C++ side, `src/cpp/host.cpp`, except the check of the memory layout (`layout`).
//!
//! Invariant of all functions: ids belong to one context, and their objects exist. A rewriter exists until the function
//! that received it returns.

use std::ffi::{c_char, c_void};
use std::marker::PhantomData;

use drrvm::host::{ApFloat, ApInt, FloatFormat, InsertionPoint};

use crate::capi::{Attribute, Block, Context, Location, Operation, Type, Value};
use crate::layout;

/// The address of a rewriter of MLIR: the rewriter of a running driver, or a rewriter that a function of this module
/// creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct RewriterRef(pub(crate) std::num::NonZeroUsize);

type Visit = unsafe extern "C" fn(Operation, *mut c_void);
type Run = unsafe extern "C" fn(RewriterRef, *mut c_void);
type CreatedOp = unsafe extern "C" fn(Operation, *mut c_void);
type Push = unsafe extern "C" fn(Type, *mut c_void);

unsafe extern "C" {
    fn drrvm_cpp_versions(versions: *mut [u32; 4]);
    fn drrvm_cpp_op_name(context: Context, text: *const c_char, length: usize) -> usize;
    fn drrvm_cpp_op_name_text(name: usize, text: *mut *const c_char) -> usize;
    fn drrvm_cpp_inherent(op: Operation, name: usize, value: *mut Attribute) -> i32;
    fn drrvm_cpp_inherent_offset(op: Operation, name: usize, value: Attribute) -> i32;
    fn drrvm_cpp_attr_type(attr: Attribute) -> Type;
    fn drrvm_cpp_float_bits(attr: Attribute, bits: *mut [u64; 2]) -> bool;
    fn drrvm_cpp_integer_words(attr: Attribute, words: *mut u64, count: usize);
    fn drrvm_cpp_integer_attr(ty: Type, words: *const u64, count: usize) -> Attribute;
    fn drrvm_cpp_float_attr(ty: Type, bits: *const [u64; 2]) -> Attribute;
    fn drrvm_cpp_float_type_name(ty: Type, name: *mut *const c_char) -> usize;
    fn drrvm_cpp_place(location: Location, file: *mut *const c_char, place: *mut [u32; 2]) -> usize;
    fn drrvm_cpp_float_semantics(name: *const c_char, length: usize) -> *const c_void;
    fn drrvm_cpp_float_name(semantics: *const c_void, name: *mut *const c_char) -> usize;
    fn drrvm_cpp_walk(root: Operation, pre_order: bool, visit: Visit, user: *mut c_void);
    fn drrvm_cpp_is_terminator(op: Operation) -> bool;
    fn drrvm_cpp_is_isolated(op: Operation) -> bool;
    fn drrvm_cpp_is_in_graph_region(op: Operation) -> bool;
    fn drrvm_cpp_previous(op: Operation) -> Operation;
    fn drrvm_cpp_can_create(context: Context, name: usize) -> bool;
    fn drrvm_cpp_create(
        rewriter: Option<RewriterRef>,
        place: NewPlace,
        new: *const NewOperation<'_>,
    ) -> Operation;
    fn drrvm_cpp_attributes(op: Operation, inherent: bool) -> Attribute;
    fn drrvm_cpp_all_attributes(op: Operation) -> Attribute;
    fn drrvm_cpp_is_inherent(op: Operation, name: usize) -> bool;
    fn drrvm_cpp_set_attributes(op: Operation, attributes: Slice<'_, NewAttribute>);
    fn drrvm_cpp_move_blocks(
        rewriter: Option<RewriterRef>,
        from: Operation,
        from_index: u32,
        to: Operation,
        to_index: u32,
    ) -> bool;
    fn drrvm_cpp_replace_uses(from: Value, to: Value);
    fn drrvm_cpp_replace(rewriter: RewriterRef, op: Operation, values: *const Value, count: usize);
    fn drrvm_cpp_erase(rewriter: Option<RewriterRef>, op: Operation);
    fn drrvm_cpp_with_local_rewriter(context: Context, run: Run, user: *mut c_void);
    fn drrvm_cpp_with_recorder(
        context: Context,
        rewriter: Option<RewriterRef>,
        root: Operation,
        run: Run,
        created: CreatedOp,
        user: *mut c_void,
    );
    fn drrvm_cpp_infers_types(name: usize) -> bool;
    fn drrvm_cpp_infer_types(
        context: Context,
        name: usize,
        operands: *const Value,
        operand_count: usize,
        attributes: *const NewAttribute,
        attribute_count: usize,
        push: Push,
        user: *mut c_void,
    ) -> bool;
}

/// The version of MLIR that the package was built for, and the version in the process; `None` if both are equal or if
/// the version in the process is unknown.
pub(crate) fn other_version() -> Option<[String; 2]> {
    let mut versions = [0; 4];
    // SAFETY: the array has four elements.
    unsafe { drrvm_cpp_versions(&raw mut versions) };
    let [major, minor, other_major, other_minor] = versions;
    let differs = other_major != 0 && (major, minor) != (other_major, other_minor);
    differs.then(|| [format!("{major}.{minor}"), format!("{other_major}.{other_minor}")])
}

/// The address of an operation's name. Loads the dialect of the operation if the context knows this dialect.
pub(crate) fn op_name(context: Context, text: &str) -> usize {
    // SAFETY: the module's invariant.
    unsafe { drrvm_cpp_op_name(context, text.as_ptr().cast(), text.len()) }
}

/// The text of an operation's name.
pub(crate) fn op_name_text(name: usize) -> String {
    let mut text = std::ptr::null();
    // SAFETY: the module's invariant; MLIR returns a pointer with its length.
    let bytes = unsafe {
        let length = drrvm_cpp_op_name_text(name, &raw mut text);
        std::slice::from_raw_parts(text.cast::<u8>(), length)
    };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The place of an attribute of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inherent {
    /// The definition declares the attribute as an inherent attribute. The value is `None` if this operation does not
    /// have the attribute.
    Declared(Option<Attribute>),
    /// No operation of this name stores the attribute as a property.
    Never,
    /// This operation stores the attribute as a property. Possibly, other operations of this name do not store it.
    Here(Attribute),
    /// This operation does not store the attribute as a property. Other operations of this name may store it.
    NotHere,
}

/// Reads an attribute of an operation with properties through MLIR's interface.
#[cold]
pub(crate) fn inherent(op: Operation, name: usize) -> Inherent {
    let mut value = Attribute(0);
    // SAFETY: the module's invariant.
    let kind = unsafe { drrvm_cpp_inherent(op, name, &raw mut value) };
    match kind {
        0 => Inherent::Declared((value.0 != 0).then_some(value)),
        1 => Inherent::Never,
        2 => Inherent::Here(value),
        _ => Inherent::NotHere,
    }
}

/// The offset in the properties at which all operations with the name of `op` store an attribute; `None` if there is no
/// single offset. `value` is the value of the attribute of `op`.
#[cold]
pub(crate) fn inherent_offset(op: Operation, name: usize, value: Attribute) -> Option<u32> {
    // SAFETY: the module's invariant.
    u32::try_from(unsafe { drrvm_cpp_inherent_offset(op, name, value) }).ok()
}

/// The type of a typed attribute.
pub(crate) fn attr_type(attr: Attribute) -> Option<Type> {
    // SAFETY: the module's invariant.
    let ty = unsafe { drrvm_cpp_attr_type(attr) };
    (ty.0 != 0).then_some(ty)
}

/// The bits of a float attribute; `None` for other attributes.
pub(crate) fn float_bits(attr: Attribute) -> Option<u128> {
    let mut bits = [0; 2];
    // SAFETY: the module's invariant, and the array has two elements.
    let is_float = unsafe { drrvm_cpp_float_bits(attr, &raw mut bits) };
    let [low, high] = bits.map(u128::from);
    is_float.then_some(high << 64 | low)
}

/// The value of an integer attribute with this width.
pub(crate) fn integer(attr: Attribute, width: u32) -> ApInt {
    let mut words = vec![0; width.div_ceil(64) as usize];
    // SAFETY: the module's invariant; the array comes with its length.
    unsafe { drrvm_cpp_integer_words(attr, words.as_mut_ptr(), words.len()) };
    from_words(width, &words)
}

/// The integer with these words, the lowest first.
pub(crate) fn from_words(width: u32, words: &[u64]) -> ApInt {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    ApInt::from_le_bytes(width, &bytes)
}

/// The attribute with this value. `None` if the type is neither an integer type nor `index`.
pub(crate) fn integer_attr(value: &ApInt, ty: Type) -> Option<Attribute> {
    let words = words(value);
    // SAFETY: the module's invariant; the array comes with its length.
    let attr = unsafe { drrvm_cpp_integer_attr(ty, words.as_ptr(), words.len()) };
    (attr.0 != 0).then_some(attr)
}

/// The attribute with this value. `None` if the type is not a float type.
pub(crate) fn float_attr(value: ApFloat, ty: Type) -> Option<Attribute> {
    let bits = float_words(value);
    // SAFETY: the module's invariant; the array has two elements.
    let attr = unsafe { drrvm_cpp_float_attr(ty, &raw const bits) };
    (attr.0 != 0).then_some(attr)
}

/// The words of an integer, the lowest first; at least one.
pub(crate) fn words(value: &ApInt) -> Vec<u64> {
    let mut bytes = value.to_le_bytes();
    bytes.resize(bytes.len().next_multiple_of(8).max(8), 0);
    bytes.chunks_exact(8).map(word).collect()
}

/// The bits of a float as two words, the lowest first.
pub(crate) fn float_words(value: ApFloat) -> [u64; 2] {
    let bits = value.to_bits().to_le_bytes();
    let (low, high) = bits.split_at(8);
    [word(low), word(high)]
}

/// The number with these eight bytes, the lowest first.
fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("a word has eight bytes"))
}

/// The file, line and column of the first position in a location.
pub(crate) fn place(location: Location) -> Option<(String, u32, u32)> {
    let (mut file, mut place) = (std::ptr::null(), [0; 2]);
    // SAFETY: the module's invariant; MLIR returns a pointer with its length.
    let bytes = unsafe {
        let length = drrvm_cpp_place(location, &raw mut file, &raw mut place);
        if length == 0 {
            return None;
        }
        std::slice::from_raw_parts(file.cast::<u8>(), length)
    };
    Some((String::from_utf8_lossy(bytes).into_owned(), place[0], place[1]))
}

/// The `llvm::fltSemantics` of the float type with this name.
pub(crate) fn float_semantics(name: &str) -> *const c_void {
    // SAFETY: the pointer and the length are those of `name`.
    unsafe { drrvm_cpp_float_semantics(name.as_ptr().cast(), name.len()) }
}

/// The float format with these `llvm::fltSemantics`.
pub(crate) fn float_format(semantics: *const c_void) -> Option<FloatFormat> {
    // SAFETY: the function accepts any address.
    named_format(|name| unsafe { drrvm_cpp_float_name(semantics, name) })
}

/// The format of a float type of MLIR; `None` for other types.
pub(crate) fn format_of(ty: Type) -> Option<FloatFormat> {
    // SAFETY: the module's invariant.
    named_format(|name| unsafe { drrvm_cpp_float_type_name(ty, name) })
}

/// The float format with a name. The function `name` stores a pointer to this name and returns its length.
fn named_format(name: impl FnOnce(*mut *const c_char) -> usize) -> Option<FloatFormat> {
    let mut text = std::ptr::null();
    let length = name(&raw mut text);
    // SAFETY: the functions of this module return a pointer to a constant text with its length.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    FloatFormat::from_name(std::str::from_utf8(bytes).ok()?)
}

/// Visits an operation and the operations inside it.
pub(crate) fn walk(root: Operation, pre_order: bool, visit: &mut dyn FnMut(Operation)) {
    unsafe extern "C" fn call(op: Operation, user: *mut c_void) {
        // SAFETY: `user` is the reference below.
        let visit = unsafe { &mut *user.cast::<&mut dyn FnMut(Operation)>() };
        visit(op);
    }
    let mut visit = visit;
    // SAFETY: the module's invariant; the reference outlives the call.
    unsafe { drrvm_cpp_walk(root, pre_order, call, (&raw mut visit).cast()) }
}

pub(crate) fn is_terminator(op: Operation) -> bool {
    // SAFETY: the module's invariant.
    unsafe { drrvm_cpp_is_terminator(op) }
}

pub(crate) fn is_isolated(op: Operation) -> bool {
    // SAFETY: the module's invariant.
    unsafe { drrvm_cpp_is_isolated(op) }
}

/// True if the region that contains an operation has one block and may be a graph region.
pub(crate) fn is_in_graph_region(op: Operation) -> bool {
    // SAFETY: the module's invariant.
    unsafe { drrvm_cpp_is_in_graph_region(op) }
}

/// The preceding operation in the block; `None` for the first operation.
pub(crate) fn previous(op: Operation) -> Option<Operation> {
    // SAFETY: the module's invariant.
    let previous = unsafe { drrvm_cpp_previous(op) };
    (previous.0 != 0).then_some(previous)
}

/// `DrrvmSlice`: an array with its length.
#[repr(C)]
pub(crate) struct Slice<'a, T> {
    data: *const T,
    count: usize,
    array: PhantomData<&'a [T]>,
}

impl<'a, T> From<&'a [T]> for Slice<'a, T> {
    fn from(array: &'a [T]) -> Self {
        Self { data: array.as_ptr(), count: array.len(), array: PhantomData }
    }
}

/// `DrrvmPlace`: the block of a new operation, and the operation after it, which is null at the end of the block.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct NewPlace {
    block: Block,
    before: Operation,
}

impl From<InsertionPoint<Operation, Block>> for NewPlace {
    fn from(place: InsertionPoint<Operation, Block>) -> Self {
        match place {
            InsertionPoint::Before(before) => Self { block: layout::block(before), before },
            InsertionPoint::End(block) => Self { block, before: Operation(0) },
        }
    }
}

/// `DrrvmNewOperation`: the parts of a new operation.
#[repr(C)]
pub(crate) struct NewOperation<'a> {
    pub(crate) name: usize,
    pub(crate) location: Location,
    pub(crate) types: Slice<'a, Type>,
    pub(crate) operands: Slice<'a, Value>,
    pub(crate) attributes: Slice<'a, NewAttribute>,
    pub(crate) successors: Slice<'a, Block>,
    /// The number of empty regions.
    pub(crate) regions: u32,
}

/// `DrrvmNamedAttr`.
#[repr(C)]
pub(crate) struct NewAttribute {
    /// The address of the name.
    pub(crate) name: usize,
    pub(crate) value: Attribute,
    /// True for an inherent attribute or a property.
    pub(crate) inherent: bool,
}

/// Creates an operation. Returns `None` if the context does not allow operations of this name, or if a value does not
/// fit its property.
pub(crate) fn create(
    context: Context,
    rewriter: Option<RewriterRef>,
    place: InsertionPoint<Operation, Block>,
    new: &NewOperation<'_>,
) -> Option<Operation> {
    // SAFETY: the module's invariant; arrays come with their lengths.
    unsafe {
        if !drrvm_cpp_can_create(context, new.name) {
            return None;
        }
        let op = drrvm_cpp_create(rewriter, place.into(), new);
        (op.0 != 0).then_some(op)
    }
}

/// The dictionary of the properties if `inherent` is true, or else of the discardable attributes; `None` if the
/// properties are not a dictionary.
pub(crate) fn attributes(op: Operation, inherent: bool) -> Option<Attribute> {
    // SAFETY: the module's invariant.
    let dictionary = unsafe { drrvm_cpp_attributes(op, inherent) };
    (dictionary.0 != 0).then_some(dictionary)
}

/// The dictionary of the inherent and discardable attributes. It does not contain properties that MLIR does not store as
/// attributes.
pub(crate) fn all_attributes(op: Operation) -> Attribute {
    // SAFETY: the module's invariant.
    unsafe { drrvm_cpp_all_attributes(op) }
}

/// True if an attribute of this name is inherent in the operation.
pub(crate) fn is_inherent(op: Operation, name: usize) -> bool {
    // SAFETY: the module's invariant.
    unsafe { drrvm_cpp_is_inherent(op, name) }
}

/// Replaces all attributes and properties. A property that MLIR does not store as an attribute keeps its value if
/// `attributes` does not contain it, or if the new value does not fit.
pub(crate) fn set_attributes(op: Operation, attributes: &[NewAttribute]) {
    // SAFETY: the module's invariant; the array comes with its length.
    unsafe { drrvm_cpp_set_attributes(op, attributes.into()) }
}

/// Moves all blocks of the region `from` to the empty region `to`. An operation and an index identify a region. Returns
/// false if one of the regions does not exist, if `to` is not empty, or if both are the same region.
pub(crate) fn move_blocks(
    rewriter: Option<RewriterRef>,
    from: (Operation, u32),
    to: (Operation, u32),
) -> bool {
    // SAFETY: the module's invariant; the function checks the indices.
    unsafe { drrvm_cpp_move_blocks(rewriter, from.0, from.1, to.0, to.1) }
}

pub(crate) fn replace_uses(from: Value, to: Value) {
    // SAFETY: the module's invariant.
    unsafe { drrvm_cpp_replace_uses(from, to) }
}

/// Replaces an operation and erases it.
pub(crate) fn replace(rewriter: RewriterRef, op: Operation, values: &[Value]) {
    // SAFETY: the module's invariant.
    unsafe { drrvm_cpp_replace(rewriter, op, values.as_ptr(), values.len()) }
}

pub(crate) fn erase(rewriter: Option<RewriterRef>, op: Operation) {
    // SAFETY: the module's invariant; the operation's results have no uses.
    unsafe { drrvm_cpp_erase(rewriter, op) }
}

/// True if MLIR can infer the result types of operations with this name.
pub(crate) fn infers_types(name: usize) -> bool {
    // SAFETY: the module's invariant.
    unsafe { drrvm_cpp_infers_types(name) }
}

/// The result types that MLIR infers.
pub(crate) fn infer_types(
    context: Context,
    name: usize,
    operands: &[Value],
    attributes: &[NewAttribute],
) -> Option<Vec<Type>> {
    unsafe extern "C" fn push(ty: Type, user: *mut c_void) {
        // SAFETY: `user` is the vector below.
        unsafe { &mut *user.cast::<Vec<Type>>() }.push(ty);
    }
    let mut types: Vec<Type> = Vec::new();
    // SAFETY: the module's invariant; arrays come with their lengths, and the vector outlives the call.
    let done = unsafe {
        drrvm_cpp_infer_types(
            context,
            name,
            operands.as_ptr(),
            operands.len(),
            attributes.as_ptr(),
            attributes.len(),
            push,
            (&raw mut types).cast(),
        )
    };
    done.then_some(types)
}

/// Calls `run` with a rewriter that has no listeners.
pub(crate) fn with_local_rewriter<T>(context: Context, run: impl FnOnce(RewriterRef) -> T) -> T {
    struct State<F, T> {
        run: Option<F>,
        result: Option<T>,
    }
    unsafe extern "C" fn call<F: FnOnce(RewriterRef) -> T, T>(rewriter: RewriterRef, user: *mut c_void) {
        // SAFETY: `user` is the state below.
        let state = unsafe { &mut *user.cast::<State<F, T>>() };
        state.result = state.run.take().map(|run| run(rewriter));
    }
    fn caller<F: FnOnce(RewriterRef) -> T, T>(_: &State<F, T>) -> Run {
        call::<F, T>
    }
    let mut state = State { run: Some(run), result: None };
    let call = caller(&state);
    // SAFETY: the module's invariant; the state outlives the call.
    unsafe { drrvm_cpp_with_local_rewriter(context, call, (&raw mut state).cast()) };
    state.result.expect("C++ calls the function")
}

/// Calls `run` with a rewriter that inserts before `root`. Operations that `run` creates, and does not erase, are added
/// to `created`.
pub(crate) fn with_recorder<T>(
    context: Context,
    rewriter: Option<RewriterRef>,
    root: Operation,
    created: &mut Vec<Operation>,
    run: impl FnOnce(RewriterRef) -> T,
) -> T {
    struct State<'a, F, T> {
        run: Option<F>,
        result: Option<T>,
        created: &'a mut Vec<Operation>,
    }
    unsafe extern "C" fn call<F: FnOnce(RewriterRef) -> T, T>(rewriter: RewriterRef, user: *mut c_void) {
        // SAFETY: `user` is the state below.
        let state = unsafe { &mut *user.cast::<State<'_, F, T>>() };
        state.result = state.run.take().map(|run| run(rewriter));
    }
    unsafe extern "C" fn created_op<F, T>(op: Operation, user: *mut c_void) {
        // SAFETY: `user` is the state below. The function is called after `call`.
        unsafe { &mut *user.cast::<State<'_, F, T>>() }.created.push(op);
    }
    fn callers<F: FnOnce(RewriterRef) -> T, T>(_: &State<'_, F, T>) -> (Run, CreatedOp) {
        (call::<F, T>, created_op::<F, T>)
    }
    let mut state = State { run: Some(run), result: None, created };
    let (call, created_op) = callers(&state);
    // SAFETY: the module's invariant; the state outlives the call.
    unsafe {
        drrvm_cpp_with_recorder(context, rewriter, root, call, created_op, (&raw mut state).cast());
    }
    state.result.expect("C++ calls the function")
}

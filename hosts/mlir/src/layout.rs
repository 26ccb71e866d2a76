//! Reads operations and values of MLIR at fixed offsets.
//!
//! Specification: each function returns the same value as the accessor of MLIR's C++ interface. Matching calls these
//! functions most often, so they read memory instead of calling MLIR.
//!
//! Invariant: an id is the address of an object that exists, or null where a function says so. [`check`] compares every
//! offset with MLIR's accessors on a probe module. A host is created only if this check succeeds.

use std::ffi::{CStr, c_char};

use crate::capi::{Attribute, Block, Location, OpOperand, Operation, Type, Value};

/// Offsets in bytes, and positions of bits, in the order of `DrrvmLayout` in `include/drrvm/detail.h`.
#[repr(C)]
pub(crate) struct Layout {
    op_block: u32,
    op_location: u32,
    op_result_count: u32,
    /// The offset of a word with the number of regions in 23 bits, a flag for operands, and the size of the properties
    /// in 8 bits.
    op_flags: u32,
    op_name: u32,
    op_attributes: u32,
    operand_storage_flag: u32,
    properties_shift: u32,
    operand_storage_size: u32,
    operand_count: u32,
    operand_array: u32,
    operand_next_use: u32,
    operand_owner: u32,
    operand_value: u32,
    /// The number of results whose index is stored in the kind field of the value (inline results).
    inline_results: u32,
    inline_result_size: u32,
    late_result_size: u32,
    late_result_number: u32,
    value_first_use: u32,
    value_type: u32,
    argument_kind: u32,
    dictionary_entries: u32,
}

/// The layout of MLIR 22.1 on 64-bit machines.
const AT: Layout = Layout {
    op_block: 16,
    op_location: 24,
    op_result_count: 36,
    op_flags: 44,
    op_name: 48,
    op_attributes: 56,
    operand_storage_flag: 1 << 23,
    properties_shift: 24,
    operand_storage_size: 16,
    operand_count: 4,
    operand_array: 8,
    operand_next_use: 0,
    operand_owner: 16,
    operand_value: 24,
    inline_results: 6,
    inline_result_size: 16,
    late_result_size: 24,
    late_result_number: 16,
    value_first_use: 0,
    value_type: 8,
    argument_kind: 7,
    dictionary_entries: 8,
};

unsafe extern "C" {
    fn drrvm_cpp_wrong_layout(layout: *const Layout) -> *const c_char;
}

/// The size of the fixed part of an operation, which the operands follow.
const OP_SIZE: usize = 64;
const OPERAND_SIZE: usize = 32;
/// The bits of a value's type that hold its kind.
const KIND: usize = 7;

/// Compares the layout with the loaded MLIR.
///
/// # Errors
/// The name of the first field that MLIR stores at another offset.
pub(crate) fn check() -> Result<(), String> {
    // SAFETY: the function returns null or a string of the program.
    unsafe {
        let wrong = drrvm_cpp_wrong_layout(&AT);
        if wrong.is_null() { Ok(()) } else { Err(CStr::from_ptr(wrong).to_string_lossy().into_owned()) }
    }
}

/// Reads a field.
///
/// # Safety
/// `base + offset` is the address of an initialised `T`, which nothing writes during the call.
#[inline(always)]
unsafe fn load<T: Copy>(base: usize, offset: usize) -> T {
    // SAFETY: the caller guarantees this.
    unsafe { std::ptr::with_exposed_provenance::<T>(base + offset).read() }
}

/// A field of an operation or value that exists.
macro_rules! field {
    ($base:expr, $offset:expr) => {
        // SAFETY: the object exists, and `check` has shown that it has this field at this offset.
        unsafe { load($base, $offset as usize) }
    };
}

/// Prefetches an operation with up to two operands, and its first result.
#[inline(always)]
pub(crate) fn prefetch(op: Operation) {
    #[cfg(target_arch = "x86_64")]
    for start in [op.0.wrapping_sub(AT.inline_result_size as usize), op.0 + 48, op.0 + 112] {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, so any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(start)) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = op;
}

/// The address of the operation's name, which identifies the name in a context.
#[inline(always)]
pub(crate) fn op_name(op: Operation) -> usize {
    field!(op.0, AT.op_name)
}

#[inline(always)]
pub(crate) fn location(op: Operation) -> Location {
    Location(field!(op.0, AT.op_location))
}

/// The block of an operation; null if it is detached.
#[inline(always)]
pub(crate) fn block(op: Operation) -> Block {
    Block(field!(op.0, AT.op_block))
}

#[inline(always)]
fn flags(op: Operation) -> u32 {
    field!(op.0, AT.op_flags)
}

#[inline(always)]
fn has_operands(op: Operation) -> bool {
    flags(op) & AT.operand_storage_flag != 0
}

#[inline(always)]
pub(crate) fn operand_count(op: Operation) -> u32 {
    if has_operands(op) { field!(op.0 + OP_SIZE, AT.operand_count) } else { 0 }
}

/// The operand with an index below [`operand_count`].
#[inline(always)]
pub(crate) fn operand(op: Operation, index: u32) -> Value {
    let array: usize = field!(op.0 + OP_SIZE, AT.operand_array);
    Value(field!(array + index as usize * OPERAND_SIZE, AT.operand_value))
}

#[inline(always)]
pub(crate) fn result_count(op: Operation) -> u32 {
    field!(op.0, AT.op_result_count)
}

/// The result with an index below [`result_count`]. Results are stored before the operation, in reverse order.
#[inline(always)]
pub(crate) fn result(op: Operation, index: u32) -> Value {
    let (index, inline) = (index as usize, AT.inline_results as usize);
    let size = AT.inline_result_size as usize;
    Value(if index < inline {
        op.0 - size * (index + 1)
    } else {
        op.0 - size * inline - AT.late_result_size as usize * (index - inline + 1)
    })
}

/// The discardable attribute whose name has this address.
#[inline]
pub(crate) fn discardable(op: Operation, name: usize) -> Option<Attribute> {
    let dictionary: usize = field!(op.0, AT.op_attributes);
    let entries: usize = field!(dictionary, AT.dictionary_entries);
    let count: usize = field!(dictionary, AT.dictionary_entries + 8);
    for at in 0..count {
        let found: usize = field!(entries, at * 16);
        if found == name {
            return Some(Attribute(field!(entries, at * 16 + 8)));
        }
    }
    None
}

/// True if the operation stores properties.
#[inline(always)]
pub(crate) fn has_properties(op: Operation) -> bool {
    flags(op) >> AT.properties_shift != 0
}

/// The attribute at an offset in the properties; `None` if it is absent or if the operation has no properties.
/// Operations with the name of `op` must store an attribute at this offset.
#[inline(always)]
pub(crate) fn property(op: Operation, offset: u32) -> Option<Attribute> {
    let size = (flags(op) >> AT.properties_shift) * 8;
    if offset + 8 > size {
        return None;
    }
    let operands = if has_operands(op) { AT.operand_storage_size as usize } else { 0 };
    let attr: usize = field!(op.0 + OP_SIZE + operands, offset);
    (attr != 0).then_some(Attribute(attr))
}

#[inline(always)]
fn kind(value: Value) -> usize {
    let ty: usize = field!(value.0, AT.value_type);
    ty & KIND
}

/// The type of a value. A value can have a null type while a conversion runs.
#[inline(always)]
pub(crate) fn value_type(value: Value) -> Type {
    let ty: usize = field!(value.0, AT.value_type);
    Type(ty & !KIND)
}

/// The number of a result; `None` for a block argument.
#[inline(always)]
pub(crate) fn result_index(value: Value) -> Option<u32> {
    let kind = kind(value);
    if kind < AT.inline_results as usize {
        Some(kind as u32)
    } else if kind == AT.inline_results as usize {
        let late: u64 = field!(value.0, AT.late_result_number);
        u32::try_from(late).ok().map(|late| late + AT.inline_results)
    } else {
        None
    }
}

/// The operation that defines a value; `None` for a block argument and for null.
#[inline(always)]
pub(crate) fn defining_op(value: Value) -> Option<Operation> {
    if value.0 == 0 {
        return None;
    }
    let kind = kind(value);
    if kind < AT.inline_results as usize {
        return Some(Operation(value.0 + AT.inline_result_size as usize * (kind + 1)));
    }
    let late = result_index(value)? as usize - AT.inline_results as usize;
    let before_inline = value.0 + AT.late_result_size as usize * (late + 1);
    Some(Operation(before_inline + AT.inline_result_size as usize * AT.inline_results as usize))
}

fn some(address: usize) -> Option<OpOperand> {
    (address != 0).then_some(OpOperand(address))
}

#[inline(always)]
pub(crate) fn first_use(value: Value) -> Option<OpOperand> {
    some(field!(value.0, AT.value_first_use))
}

#[inline(always)]
pub(crate) fn next_use(used: OpOperand) -> Option<OpOperand> {
    some(field!(used.0, AT.operand_next_use))
}

#[inline(always)]
pub(crate) fn use_owner(used: OpOperand) -> Operation {
    Operation(field!(used.0, AT.operand_owner))
}

/// The index of an operand among the operands of its owner.
#[inline(always)]
pub(crate) fn use_index(used: OpOperand) -> u32 {
    let array: usize = field!(use_owner(used).0 + OP_SIZE, AT.operand_array);
    u32::try_from((used.0 - array) / OPERAND_SIZE).expect("MLIR counts operands in 32 bits")
}

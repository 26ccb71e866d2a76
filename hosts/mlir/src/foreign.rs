//! The types of `include/drrvm/detail.h`, and conversions from them.

use std::ffi::c_void;

/// `DrrvmString`. Invariant: `data` points to `length` bytes, or `length` is 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Str {
    data: *const u8,
    length: usize,
}

impl Str {
    pub(crate) fn new(text: &str) -> Self {
        Self { data: text.as_ptr(), length: text.len() }
    }

    /// A copy as text.
    ///
    /// # Safety
    /// The invariant holds.
    pub(crate) unsafe fn get(self) -> String {
        // SAFETY: the caller guarantees this.
        String::from_utf8_lossy(unsafe { slice(self.data, self.length) }).into_owned()
    }
}

/// `DrrvmStrings`. Invariant: `data` points to `count` strings, or `count` is 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Strs {
    data: *const Str,
    count: usize,
}

impl Strs {
    /// Copies of the strings.
    ///
    /// # Safety
    /// The invariants of the list and of its strings hold.
    pub(crate) unsafe fn get(self) -> Vec<String> {
        // SAFETY: the caller guarantees this.
        unsafe { slice(self.data, self.count).iter().map(|text| text.get()).collect() }
    }
}

/// The slice at a pointer. The pointer may be null if `count` is 0.
///
/// # Safety
/// `data` points to `count` initialised elements, or `count` is 0.
pub(crate) unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller guarantees this.
    unsafe { std::slice::from_raw_parts(data, count) }
}

/// `DrrvmEntity`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawEntity {
    pub(crate) kind: u32,
    pub(crate) data: *const c_void,
    pub(crate) count: usize,
}

/// `DrrvmFloat`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawFloat {
    pub(crate) semantics: *const c_void,
    pub(crate) bits: [u64; 2],
}

pub(crate) type Push = unsafe extern "C" fn(*mut c_void, *const RawEntity);
pub(crate) type Call =
    unsafe extern "C" fn(*const c_void, *mut c_void, *const RawEntity, usize, Push, *mut c_void) -> bool;

/// `DrrvmNative`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawNative {
    pub(crate) name: Str,
    pub(crate) role: u32,
    pub(crate) params: *const u32,
    pub(crate) param_count: isize,
    pub(crate) results: *const u32,
    pub(crate) result_count: usize,
    pub(crate) call: Call,
    pub(crate) function: *const c_void,
}

/// `DrrvmMessage`.
#[repr(C)]
pub struct RawMessage {
    pub(crate) severity: u32,
    pub(crate) text: Str,
    pub(crate) file: Str,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// `DrrvmReport`.
pub type Report = unsafe extern "C" fn(*mut c_void, *const RawMessage);

/// `DrrvmRuleCount`.
pub type RuleCount = unsafe extern "C" fn(*mut c_void, Str, u64);

/// `DrrvmSource`.
#[repr(C)]
pub struct RawSource {
    pub(crate) files: Strs,
    pub(crate) program: *const u8,
    pub(crate) program_size: usize,
    pub(crate) includes: Strs,
    pub(crate) defines: Strs,
    pub(crate) scripts: Strs,
    pub(crate) enable: Strs,
    pub(crate) disable: Strs,
    pub(crate) allow_missing: bool,
    pub(crate) profile: bool,
    pub(crate) natives: *const RawNative,
    pub(crate) native_count: usize,
}

/// `DrrvmPattern`.
#[repr(C)]
pub struct RawPattern {
    pub(crate) root: Str,
    pub(crate) benefit: u16,
}

/// `DrrvmCounts`.
#[repr(C)]
pub struct Counts {
    pub(crate) matches: u64,
    pub(crate) rewrites: u64,
    pub(crate) refusals: u64,
}

/// `DrrvmEngine`: the automaton.
pub const ENGINE_AUTOMATON: u32 = 1;
/// `DrrvmEngine`: the tree, until the labels of the automaton are worth their cost.
pub const ENGINE_AUTO: u32 = 2;

/// `DrrvmDriver`.
#[repr(C)]
pub struct RawDriver {
    pub(crate) engine: u32,
    pub(crate) walk: bool,
    pub(crate) top_down: bool,
    pub(crate) fold: bool,
    pub(crate) unique_constants: bool,
    pub(crate) max_iterations: i64,
    pub(crate) max_rewrites: i64,
}

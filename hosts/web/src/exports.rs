//! The functions that JavaScript calls, and a limit on memory.
//!
//! A buffer is the number of its bytes (32 bits, little-endian), followed by the bytes. JavaScript writes a request
//! into a buffer from [`buffer`] and passes the buffer to [`answer`]. Then JavaScript reads the buffer that [`answer`]
//! returns, and passes this buffer to [`release`].
//!
//! `wasm-bindgen` is not used: a request exchanges only two strings, and 20 lines of JavaScript suffice for them.
#![allow(unsafe_code, reason = "memory is shared with JavaScript")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Session;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
}

/// The length of the number at the start of a buffer.
const HEAD: usize = 4;

/// The last panic message, or an empty string.
static PANIC: std::sync::Mutex<String> = std::sync::Mutex::new(String::new());

fn into_buffer(bytes: &[u8]) -> *mut u8 {
    let length = u32::try_from(bytes.len()).expect("the address space has 32 bits");
    let mut buffer = Vec::with_capacity(HEAD + bytes.len());
    buffer.extend(length.to_le_bytes());
    buffer.extend(bytes);
    Box::into_raw(buffer.into_boxed_slice()).cast()
}

/// # Safety
/// `buffer` comes from [`into_buffer`] and is not used again.
unsafe fn from_buffer(buffer: *mut u8) -> Box<[u8]> {
    // SAFETY: `into_buffer` allocated `HEAD + length` bytes, and wrote `length` into the first `HEAD` bytes. JavaScript
    // writes only after the first `HEAD` bytes.
    unsafe {
        let length = u32::from_le_bytes(*buffer.cast::<[u8; HEAD]>()) as usize;
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(buffer, HEAD + length))
    }
}

/// Returns a buffer of zeros.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    into_buffer(&vec![0; length])
}

/// Answers the request in a buffer, and returns the buffer of the answer.
///
/// # Safety
/// `request` comes from [`buffer`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(request: *mut u8) -> *mut u8 {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = PANIC.lock() {
            *last = panic.to_string();
        }
    }));
    // SAFETY: the caller guarantees it.
    let request = unsafe { from_buffer(request) };
    let answer = SESSION.with_borrow_mut(|session| session.answer(&request[HEAD..]));
    into_buffer(answer.as_bytes())
}

/// Frees the buffer of an answer or of a panic message.
///
/// # Safety
/// `answer` comes from [`answer`] or [`panic_message`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(answer: *mut u8) {
    // SAFETY: the caller guarantees it.
    drop(unsafe { from_buffer(answer) });
}

/// Returns a buffer with the message of the panic that ended a call, or an empty buffer.
#[unsafe(no_mangle)]
pub extern "C" fn panic_message() -> *mut u8 {
    into_buffer(PANIC.lock().map(|last| last.clone()).unwrap_or_default().as_bytes())
}

/// An allocator with a limit. Allocations beyond the limit fail, which ends the call.
struct Limited;

static USED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The size of the last allocation that failed, or 0.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

impl Limited {
    fn permits(more: usize) -> bool {
        let permitted = USED.load(Ordering::Relaxed).saturating_add(more) <= LIMIT.load(Ordering::Relaxed);
        if !permitted {
            REFUSED.store(more, Ordering::Relaxed);
        }
        permitted
    }
}

// SAFETY: all memory comes from and returns to `System`.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Self::permits(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller guarantees it.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() {
            REFUSED.store(layout.size(), Ordering::Relaxed);
        } else {
            USED.fetch_add(layout.size(), Ordering::Relaxed);
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller guarantees it.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !Self::permits(size.saturating_sub(layout.size())) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller guarantees it.
        let memory = unsafe { System.realloc(memory, layout, size) };
        if memory.is_null() {
            REFUSED.store(size, Ordering::Relaxed);
        } else {
            USED.fetch_add(size, Ordering::Relaxed);
            USED.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        memory
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Limits the memory of all later calls, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn set_memory_limit(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Returns true if an allocation has failed. Removes the limit on memory, so that the panic message can be read.
#[unsafe(no_mangle)]
pub extern "C" fn is_out_of_memory() -> bool {
    LIMIT.store(usize::MAX, Ordering::Relaxed);
    REFUSED.load(Ordering::Relaxed) > 0
}

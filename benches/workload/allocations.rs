//! An allocator that counts requests and records the largest amount of memory that is held.

#![allow(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator. It counts the requests of a thread while the thread runs [`Counting::during`]. At other
/// times, it adds one load to each request.
pub struct Counting(());

#[derive(Clone, Copy)]
struct Counts {
    on: bool,
    calls: usize,
    held: isize,
    most: isize,
}

const NOTHING: Counts = Counts { on: false, calls: 0, held: 0, most: 0 };

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(NOTHING) };
}

impl Counting {
    /// Returns an allocator that counts nothing yet.
    pub const fn new() -> Self {
        Self(())
    }

    /// Runs `f`. Also returns the number of requests that this thread made during the call, and the largest number of
    /// bytes that it held in addition to those that it held before the call.
    pub fn during<T>(&self, f: impl FnOnce() -> T) -> (T, usize, usize) {
        COUNTS.set(Counts { on: true, ..NOTHING });
        let value = f();
        let counts = COUNTS.replace(NOTHING);
        (value, counts.calls, usize::try_from(counts.most).unwrap_or(0))
    }

    fn count(grow: usize, shrink: usize) {
        // A thread can call the allocator while it ends, after its counts are destroyed.
        let _ = COUNTS.try_with(|cell| {
            let mut counts = cell.get();
            if counts.on {
                counts.calls += usize::from(grow > 0);
                counts.held += grow.cast_signed().wrapping_sub(shrink.cast_signed());
                counts.most = counts.most.max(counts.held);
                cell.set(counts);
            }
        });
    }
}

// SAFETY: every call is passed unchanged to the system's allocator; counting accesses no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size(), 0);
        // SAFETY: the caller upholds the contract of the system's allocator.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        Self::count(0, layout.size());
        // SAFETY: as for the preceding block.
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count(size, layout.size());
        // SAFETY: as for the preceding block.
        unsafe { System.realloc(memory, layout, size) }
    }
}

//! An allocator that counts: how often memory is asked for, and how much is held at most.

#![allow(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counting.
pub struct Counting {
    calls: AtomicUsize,
    held: AtomicUsize,
    most: AtomicUsize,
}

impl Counting {
    /// Nothing counted yet.
    pub const fn new() -> Self {
        Self { calls: AtomicUsize::new(0), held: AtomicUsize::new(0), most: AtomicUsize::new(0) }
    }

    /// How often memory was asked for while `f` ran, and by how many bytes what was held grew at most.
    pub fn during<T>(&self, f: impl FnOnce() -> T) -> (T, usize, usize) {
        let (calls, held) = (self.calls.load(Relaxed), self.held.load(Relaxed));
        self.most.store(held, Relaxed);
        let value = f();
        let grown = self.most.load(Relaxed).saturating_sub(held);
        (value, self.calls.load(Relaxed) - calls, grown)
    }

    fn count(&self, grow: usize, shrink: usize) {
        self.calls.fetch_add(usize::from(grow > 0), Relaxed);
        let held =
            self.held.fetch_add(grow.wrapping_sub(shrink), Relaxed).wrapping_add(grow).wrapping_sub(shrink);
        self.most.fetch_max(held, Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of the caller's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size(), 0);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        self.count(0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.count(size, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

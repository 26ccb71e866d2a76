//! An allocator that counts: how often memory is asked for, and how much is held at most.

#![allow(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, which counts while it is asked to; else it costs one load more.
pub struct Counting {
    on: AtomicBool,
    calls: AtomicUsize,
    held: AtomicIsize,
    most: AtomicIsize,
}

impl Counting {
    /// Nothing counted yet.
    pub const fn new() -> Self {
        let (held, most) = (AtomicIsize::new(0), AtomicIsize::new(0));
        Self { on: AtomicBool::new(false), calls: AtomicUsize::new(0), held, most }
    }

    /// How often memory was asked for while `f` ran, and by how many bytes what was held grew at most.
    pub fn during<T>(&self, f: impl FnOnce() -> T) -> (T, usize, usize) {
        self.calls.store(0, Relaxed);
        self.held.store(0, Relaxed);
        self.most.store(0, Relaxed);
        self.on.store(true, Relaxed);
        let value = f();
        self.on.store(false, Relaxed);
        let grown = usize::try_from(self.most.load(Relaxed)).unwrap_or(0);
        (value, self.calls.load(Relaxed), grown)
    }

    fn count(&self, grow: usize, shrink: usize) {
        if !self.on.load(Relaxed) {
            return;
        }
        self.calls.fetch_add(usize::from(grow > 0), Relaxed);
        let by = grow.cast_signed().wrapping_sub(shrink.cast_signed());
        let held = self.held.fetch_add(by, Relaxed).wrapping_add(by);
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

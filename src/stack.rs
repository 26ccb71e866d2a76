//! Recursion on small stacks.
//!
//! Every recursion has a bound, but a recursion within its bound can need more stack than a thread with 256 KiB has. In
//! each recursion, at least one function runs its body in [`with_room`].

/// Runs a function with at least 128 KiB of stack, on a new piece of stack if needed. Without the `ir` feature, it
/// always runs on the current stack.
#[inline]
pub(crate) fn with_room<T>(run: impl FnOnce() -> T) -> T {
    #[cfg(feature = "ir")]
    return stacker::maybe_grow(128 << 10, 1 << 20, run);
    #[cfg(not(feature = "ir"))]
    run()
}

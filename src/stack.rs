//! Recursion where the caller's stack may be small.
//!
//! Everything that recurses is bounded by a diagnostic, but what the bounds allow may take more than a thread of
//! 256 KiB has. A function that is on every cycle of a recursion runs its body in [`with_room`].

/// Runs something where at least 128 KiB of stack are left: here, or on a new piece of stack. Without the `ir`
/// feature it always is here.
#[inline]
pub(crate) fn with_room<T>(run: impl FnOnce() -> T) -> T {
    #[cfg(feature = "ir")]
    return stacker::maybe_grow(128 << 10, 1 << 20, run);
    #[cfg(not(feature = "ir"))]
    run()
}

//! Wall-clock time, or zero on platforms without a clock.

use std::time::Duration;

/// A running measurement.
pub(crate) struct Stopwatch(
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))] std::time::Instant,
);

impl Stopwatch {
    /// Starts a measurement.
    pub(crate) fn start() -> Self {
        Self(
            #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
            std::time::Instant::now(),
        )
    }

    /// The time since the start. In a browser, where Rust has no clock, it is zero.
    pub(crate) fn elapsed(&self) -> Duration {
        #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
        return self.0.elapsed();
        #[cfg(all(target_family = "wasm", target_os = "unknown"))]
        Duration::ZERO
    }
}

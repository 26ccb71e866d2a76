//! Requests to stop a driver.

use std::sync::Arc;

/// A function that a driver calls before each visit and while it fills its worklist, and that returns true if the
/// driver must stop.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use drrvm::rewrite::{Config, Interrupt};
/// let stop = Arc::new(AtomicBool::new(false));
/// let asked = stop.clone();
/// let config = Config::default().interrupt(Interrupt::new(move || asked.load(Ordering::Relaxed)));
/// assert!(!config.interrupt.is_requested());
/// stop.store(true, Ordering::Relaxed);
/// assert!(config.interrupt.is_requested());
/// ```
#[derive(Clone, Default)]
pub struct Interrupt(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Interrupt {
    /// Creates a request to stop the driver as soon as `requested` returns true. The function is called at least once
    /// for each visited operation, so it must be fast.
    pub fn new(requested: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(requested)))
    }

    /// True if the driver must stop; always false for the default value.
    pub fn is_requested(&self) -> bool {
        self.0.as_ref().is_some_and(|requested| requested())
    }
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Interrupt(..)" } else { "Interrupt(never)" })
    }
}

//! Spans for whoever listens: what takes how long.
//!
//! With the feature `tracing`, a stage opens a span of the `tracing` crate while it runs; without it, nothing
//! is left of that. Matching and single rewrites open none.

/// Opens a span until the end of the block: a name, then fields as `tracing::info_span!` takes them.
macro_rules! span {
    ($($span:tt)+) => {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!(target: "drrvm", $($span)+).entered();
    };
}

pub(crate) use span;

//! Spans of the `tracing` crate, which measure the time of stages.
//!
//! With the feature `tracing`, a stage opens a span while it runs. Without the feature, the macro expands to nothing.
//! Matching and single rewrites open no spans.

/// Opens a span until the end of the block. The arguments are a name and fields, as for `tracing::info_span!`.
macro_rules! span {
    ($($span:tt)+) => {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!(target: "drrvm", $($span)+).entered();
    };
}

pub(crate) use span;

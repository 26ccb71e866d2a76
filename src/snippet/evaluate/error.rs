//! Failures of evaluations.

use std::borrow::Cow;

use crate::host::Refusal;

/// Fails with a reason.
pub(super) fn fail<T>(reason: impl Into<Cow<'static, str>>) -> Result<T, Refusal> {
    Err(Refusal::new(reason))
}

//! The reasons why a symbolic execution has no result.

/// The reason why an execution stops.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stop {
    /// An evaluation fails, or a requirement of the match part cannot hold, so the rule does not apply.
    Fails,
    /// The execution does not understand a part of the rule.
    Unknown(String),
}

pub(super) type Result<T> = std::result::Result<T, Stop>;

pub(super) fn unknown<T>(reason: impl Into<String>) -> Result<T> {
    Err(Stop::Unknown(reason.into()))
}

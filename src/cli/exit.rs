//! The exit status of a failed command.

use std::process::ExitCode;

/// The reason why a command stops. All messages have been printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// Any failure except wrong usage: for example, an input is invalid, or the rules do not converge.
    BadInput,
    /// An option or the combination of options is invalid.
    WrongUsage,
}

impl From<Failed> for ExitCode {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::BadInput => ExitCode::from(1),
            Failed::WrongUsage => ExitCode::from(2),
        }
    }
}

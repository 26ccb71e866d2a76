//! The steps of a conversion, for logs.

use super::report::Tried;
use crate::host::Ir;

/// A step of a conversion. The steps on an operation that a rule created come after the [`ConversionEvent::Try`] of
/// this rule, and before its [`ConversionEvent::Applied`] or [`ConversionEvent::Failed`].
#[derive(Clone, Debug)]
pub enum ConversionEvent<'e, H: Ir> {
    /// The driver visits an operation, which may be one that a rule created.
    Visit(H::Op),
    /// The operation is legal already.
    Legal,
    /// The operation was folded.
    Folded,
    /// A rule is tried.
    Try(&'e str),
    /// The rule was applied, and all operations that it created or changed are legal.
    Applied,
    /// The rule was not run, it refused, or its changes were undone. [`Tried::reason`] states why.
    Failed(&'e Tried),
    /// No rule makes the operation legal.
    NotLegalized,
}

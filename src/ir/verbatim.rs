//! The text of types and attributes whose dialect the IR does not know.

use super::ids::{AttrId, LocId, TypeId};
use crate::intern::StrId;

/// The text of a dialect's own type or attribute, without its sigil: `llvm.ptr<3>`, `dialect<"data">`.
///
/// The text contains aliases by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Verbatim {
    /// The text.
    pub text: StrId,
    /// The aliases in the text, in order.
    pub(crate) refs: Box<[VerbatimRef]>,
}

/// An alias in a [`Verbatim`] text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VerbatimRef {
    /// The offset of its sigil.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Its target.
    pub target: AliasTarget,
}

/// The target of an alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AliasTarget {
    /// `#name`
    Attr(AttrId),
    /// `!name`
    Type(TypeId),
    /// `#name` for a location
    Loc(LocId),
}

//! The text of types and attributes of dialects.

use super::ids::{AttrId, LocId, TypeId};
use crate::intern::StrId;

/// The text of a dialect's type or attribute, without its sigil: `llvm.ptr<3>`, `dialect<"data">`.
///
/// Aliases in the text are written by name. If the dialect has definitions, types and attributes in the text are
/// references as well, and their names are not in the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Verbatim {
    /// The text.
    pub text: StrId,
    /// The references in the text, in order.
    pub(crate) refs: Box<[VerbatimRef]>,
}

/// A reference in a [`Verbatim`] text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VerbatimRef {
    /// The offset of the sigil of the reference, or of the place where the target is written.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Its target.
    pub target: AliasTarget,
    /// The part of the target's text that is written.
    pub spelling: Spelling,
}

/// The part of a type's or attribute's text that is written at a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Spelling {
    /// The whole text.
    Whole,
    /// The text without the class, `#dialect.name`.
    WithoutClass,
    /// The text without the dialect, `#dialect.`.
    WithoutDialect,
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

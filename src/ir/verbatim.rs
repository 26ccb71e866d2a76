//! The text of types and attributes of dialects.

use super::ids::{AttrId, LocId, TypeId};
use crate::intern::StrId;

/// The text of a dialect's type or attribute, without its sigil: `llvm.ptr<3>`, `dialect<"data">`.
///
/// If the dialect has no definitions, the text contains the names of aliases, and each of these names is a reference.
/// If the dialect has definitions, the references stand for types, attributes and locations that the text does not
/// contain.
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
    /// The offset of the alias's sigil in the text, or the offset at which the target is written.
    pub start: u32,
    /// One past the last byte of the alias. Equals `start` if the text does not contain the target.
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
    /// The text without its class, `#dialect.name`.
    WithoutClass,
    /// The text without its dialect, `#dialect.`.
    WithoutDialect,
}

/// The target of an alias or of another reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AliasTarget {
    /// `#name`
    Attr(AttrId),
    /// `!name`
    Type(TypeId),
    /// `#name` for a location
    Loc(LocId),
}

/// True if a type or attribute belongs to a class. `class` has a sigil, `!` or `#`, and `text` has none.
pub(super) fn has_class(text: &str, class: &str) -> bool {
    after_class(text, class).is_some()
}

/// The text after the class; `None` if the type or attribute does not belong to the class. `class` has a sigil, `!` or
/// `#`, and `text` has none.
pub(super) fn after_class<'t>(text: &'t str, class: &str) -> Option<&'t str> {
    let class = &class[1..];
    let rest = match text.strip_prefix(class) {
        Some(rest) => rest,
        // The long spelling, `dialect<name rest>`.
        None => {
            let (dialect, name) = class.split_once('.')?;
            let inside = text.strip_prefix(dialect)?.strip_prefix('<')?;
            inside.strip_suffix('>').unwrap_or(inside).strip_prefix(name)?
        }
    };
    let ends_word = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'));
    ends_word.then_some(rest)
}

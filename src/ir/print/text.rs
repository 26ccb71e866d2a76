//! Single types, attributes and locations as text.

use super::printer::{AliasNames, Printer};
use crate::ir::context::Context;
use crate::ir::ids::{AttrId, LocId, TypeId};

/// The maximum number of characters of a type or attribute that a message shows.
const BRIEF: usize = 1000;

/// Shortens a text for a message.
pub(crate) fn brief(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(BRIEF) {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl Context {
    /// A type as text, without aliases. After 4 million parts, `…` replaces each further part.
    pub fn type_text(&self, ty: TypeId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer::new(self, &aliases);
        printer.ty(ty);
        printer.out
    }

    /// An attribute as text, without aliases. After 4 million parts, `…` replaces each further part.
    pub fn attr_text(&self, attr: AttrId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer::new(self, &aliases);
        printer.attr(attr);
        printer.out
    }

    /// An attribute as text, without aliases and without the type after it.
    pub(in crate::ir) fn attr_text_without_type(&self, attr: AttrId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer::new(self, &aliases);
        printer.attr_without_type(attr);
        printer.out
    }

    /// A type as text that parses to the same type. This is MLIR's text, unless MLIR's text would parse to another
    /// type.
    pub(crate) fn exact_type_text(&self, ty: TypeId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer { exact: true, ..Printer::new(self, &aliases) };
        printer.ty(ty);
        printer.out
    }

    /// An attribute as text that parses to the same attribute. This is MLIR's text, unless MLIR's text would parse to
    /// another attribute.
    pub(crate) fn exact_attr_text(&self, attr: AttrId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer { exact: true, ..Printer::new(self, &aliases) };
        printer.attr(attr);
        printer.out
    }

    /// A type as text for messages, shortened to 1,000 characters.
    pub fn brief_type(&self, ty: TypeId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer { parts: BRIEF as u64, ..Printer::new(self, &aliases) };
        printer.ty(ty);
        brief(printer.out)
    }

    /// An attribute as text for messages, shortened to 1,000 characters.
    pub fn brief_attr(&self, attr: AttrId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer { parts: BRIEF as u64, ..Printer::new(self, &aliases) };
        printer.attr(attr);
        brief(printer.out)
    }

    /// A location as text, without aliases: `loc("file":1:2)`.
    pub fn loc_text(&self, loc: LocId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer::new(self, &aliases);
        printer.loc(loc, true);
        printer.out
    }
}

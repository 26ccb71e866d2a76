//! Single types, attributes and locations as text.

use super::printer::{AliasNames, Printer};
use crate::ir::context::Context;
use crate::ir::ids::{AttrId, LocId, TypeId};

/// As many characters of a type or attribute are shown in a message.
const BRIEF: usize = 1000;

/// A text as a message shows it.
pub(crate) fn brief(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(BRIEF) {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl Context {
    /// A type as text, without aliases. What is over 4 million parts long ends in `…`.
    pub fn type_text(&self, ty: TypeId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer::new(self, &aliases);
        printer.ty(ty);
        printer.out
    }

    /// An attribute as text, without aliases. What is over 4 million parts long ends in `…`.
    pub fn attr_text(&self, attr: AttrId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer::new(self, &aliases);
        printer.attr(attr);
        printer.out
    }

    /// A type as a message shows it: as [`Self::type_text`], and what is over 1,000 characters long ends in `…`.
    pub fn brief_type(&self, ty: TypeId) -> String {
        let aliases = AliasNames::default();
        let mut printer = Printer { parts: BRIEF as u64, ..Printer::new(self, &aliases) };
        printer.ty(ty);
        brief(printer.out)
    }

    /// An attribute as a message shows it: as [`Self::attr_text`], and what is over 1,000 characters long ends
    /// in `…`.
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

//! From the IR to MLIR's text.
//!
//! Specification: with [`PrintOptions::generic`] set, what `mlir-opt-22 --mlir-print-op-generic` prints
//! for the same IR and the flags of the same names; else the same with the custom forms of the
//! operations whose custom assembly is read.
//!
//! Method: aliases are found in one pass in the order MLIR visits, values and blocks are numbered
//! region by region, then the text is written front to back into one string.

mod affine;
mod alias;
mod custom;
mod names;
mod operation;
mod value;

use super::{AliasTarget, AttrId, Context, LocId, TypeId};
use crate::intern::StrId;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// How to print.
///
/// ```
/// use drrvm::ir::PrintOptions;
/// let options = PrintOptions::new().generic(true).debug_info(true);
/// assert!(options.generic && !options.local_scope);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// Every operation in generic form (`--mlir-print-op-generic`).
    pub generic: bool,
    /// With locations (`--mlir-print-debuginfo`).
    pub debug_info: bool,
    /// Without aliases (`--mlir-print-local-scope`).
    pub local_scope: bool,
}

impl PrintOptions {
    /// The readable default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`PrintOptions::generic`].
    #[must_use]
    pub fn generic(mut self, on: bool) -> Self {
        self.generic = on;
        self
    }

    /// Sets [`PrintOptions::debug_info`].
    #[must_use]
    pub fn debug_info(mut self, on: bool) -> Self {
        self.debug_info = on;
        self
    }

    /// Sets [`PrintOptions::local_scope`].
    #[must_use]
    pub fn local_scope(mut self, on: bool) -> Self {
        self.local_scope = on;
        self
    }
}

/// The names of what is printed by an alias.
pub(super) type AliasNames = HashMap<AliasTarget, String, FxBuildHasher>;

/// Text in the making.
pub(super) struct Printer<'a> {
    pub(super) context: &'a Context,
    pub(super) out: String,
    pub(super) aliases: &'a AliasNames,
    /// The numbers that distinct attributes have in this text, in the order in which they come; without it, those
    /// they have in the context.
    pub(super) distinct: Option<HashMap<AttrId, usize, FxBuildHasher>>,
    /// The keys of the builtin resources that were written, in order.
    resources: Vec<StrId>,
    /// How many more parts may be written.
    parts: u64,
}

/// As many parts of one type, attribute or location are written; of a longer one, the rest is left out. Only what
/// aliases make exponentially long has more.
const PARTS_LIMIT: u64 = 1 << 22;

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

impl<'a> Printer<'a> {
    pub(super) fn new(context: &'a Context, aliases: &'a AliasNames) -> Self {
        Self {
            context,
            out: String::new(),
            aliases,
            distinct: None,
            resources: Vec::new(),
            parts: PARTS_LIMIT,
        }
    }

    /// Whether one more part may be written; where there are too many it says so.
    pub(super) fn spend(&mut self) -> bool {
        if self.parts == 0 {
            self.out.push('…');
            return false;
        }
        self.parts -= 1;
        true
    }

    /// For a whole module, of which the aliases bound the text.
    pub(super) fn without_limit(mut self) -> Self {
        self.parts = u64::MAX;
        self
    }

    /// Writes items with `, ` between them.
    pub(super) fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        for (i, it) in items.into_iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            item(self, it);
        }
    }

    /// Writes the alias of something, if it has one.
    pub(super) fn alias(&mut self, target: AliasTarget) -> bool {
        if self.aliases.is_empty() {
            return false;
        }
        match self.aliases.get(&target) {
            Some(name) => {
                self.out.push_str(name);
                true
            }
            None => false,
        }
    }
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

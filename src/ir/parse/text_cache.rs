//! The parsed types and attributes of known dialects, so that a text is parsed once even if the parser tries
//! several alternatives.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::intern::StrId;
use crate::ir::error::ParseResult;
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::verbatim::{AliasTarget, Verbatim};
use crate::source::Diagnostic;

/// The length of the longest text that is kept for the whole file.
///
/// In real files, short texts occur often, and long texts once.
pub(super) const LONGEST: usize = 256;

/// A text, with everything else on which its meaning depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TextKey<'a> {
    pub(super) class: StrId,
    pub(super) text: &'a [u8],
    /// True inside a location, which can refer to aliases that are defined later.
    pub(super) in_location: bool,
}

/// The results of parsing texts that begin with a class. `None` stands for a type or attribute whose stored text would
/// exceed the maximum length.
type Results<'a> = HashMap<TextKey<'a>, Option<Verbatim>, FxBuildHasher>;

/// The texts that were read.
#[derive(Default)]
pub(super) struct TextCache<'a> {
    short: Results<'a>,
    /// The long texts inside the current type or attribute.
    long: Results<'a>,
    /// The results for texts that omit their class, by the omitted class and the offset in the file. The table is
    /// cleared after the outermost type or attribute.
    pub(super) stripped: HashMap<(StrId, usize), ParseResult<(Verbatim, usize)>, FxBuildHasher>,
    /// The errors in texts that begin with a class, by class and offset in the file. The table is cleared after the
    /// outermost type or attribute.
    pub(super) wrong: HashMap<(StrId, usize), Box<Diagnostic>, FxBuildHasher>,
    /// For each opening bracket of a long text in brackets, the offset after the closing bracket.
    pub(super) ends: HashMap<usize, usize, FxBuildHasher>,
    /// The types and attributes that are the defaults of parameters.
    pub(super) defaults: Defaults,
    /// The type of each attribute whose type is a parameter; `None` if the type is unknown. A key is the attribute
    /// without its type.
    pub(super) types: HashMap<AttrId, Option<TypeId>, FxBuildHasher>,
    /// The number of types and attributes around the current position.
    level: u32,
    /// True if the outermost type or attribute is nested too deeply, so that no other way of reading it is tried.
    pub(super) is_too_deep: bool,
}

/// The types and attributes that are default values of parameters, so that each text is read once.
#[derive(Default)]
pub(super) struct Defaults {
    /// The values. A key is the text of a default, with a flag that is true for types and false for attributes. `None`
    /// stands for a text that cannot be read. While a text is read, its entry is also `None`. A nested parameter with
    /// the same default is then never equal to its default, which is right because a value cannot contain itself.
    pub(super) values: HashMap<(StrId, bool), Option<AliasTarget>, FxBuildHasher>,
    /// The number of defaults that are being read. Each of them is the default of a parameter in the text of the
    /// previous one.
    pub(super) nesting: u32,
}

impl<'a> TextCache<'a> {
    /// Enters a type or attribute.
    pub(super) fn enter(&mut self) {
        self.is_too_deep &= self.level > 0;
        self.level += 1;
    }

    /// Leaves a type or attribute.
    pub(super) fn leave(&mut self) {
        self.level -= 1;
        if self.level == 0 {
            self.stripped.clear();
            self.wrong.clear();
            self.long.clear();
        }
    }

    /// The result of reading a text, if it was read.
    pub(super) fn find(&self, key: &TextKey<'a>) -> Option<Option<Verbatim>> {
        let results = if key.text.len() > LONGEST { &self.long } else { &self.short };
        results.get(key).cloned()
    }

    /// Stores the result of reading a text.
    pub(super) fn insert(&mut self, key: TextKey<'a>, result: Option<Verbatim>) {
        let results = if key.text.len() > LONGEST { &mut self.long } else { &mut self.short };
        results.insert(key, result);
    }
}

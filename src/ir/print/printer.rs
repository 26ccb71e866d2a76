//! The state of the printer.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::intern::StrId;
use crate::ir::context::Context;
use crate::ir::ids::AttrId;
use crate::ir::verbatim::AliasTarget;

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
    pub(super) resources: Vec<StrId>,
    /// How many more parts may be written.
    pub(super) parts: u64,
}

/// As many parts of one type, attribute or location are written; of a longer one, the rest is left out. Only what
/// aliases make exponentially long has more.
const PARTS_LIMIT: u64 = 1 << 22;

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

//! The state of the printer.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use crate::intern::StrId;
use crate::ir::context::Context;
use crate::ir::ids::AttrId;
use crate::ir::verbatim::AliasTarget;

/// The aliases, by their targets.
pub(super) type AliasNames = HashMap<AliasTarget, String, FxBuildHasher>;

/// A text that is being written.
pub(super) struct Printer<'a> {
    pub(super) context: &'a Context,
    pub(super) out: String,
    pub(super) aliases: &'a AliasNames,
    /// The numbers of distinct attributes in this text, in order of appearance. If `None`, the numbers of the context
    /// are printed.
    pub(super) distinct: Option<HashMap<AttrId, usize, FxBuildHasher>>,
    /// The keys of the builtin resources in the text, in order.
    pub(super) resources: Vec<StrId>,
    /// The number of parts that may still be written.
    pub(super) parts: u64,
    /// The aliases that the text contains.
    pub(super) used: HashSet<AliasTarget, FxBuildHasher>,
    /// True if the text must parse to the same attribute or type. MLIR's text omits the shape of some sparse elements,
    /// the end of some locations and digits of some floats.
    pub(super) exact: bool,
    /// The number of values above which elements are not written.
    pub(super) elide_elements: Option<u64>,
}

/// The maximum number of parts that are written of a single type, attribute or location. Without this limit, the
/// expansion of nested aliases could be exponentially long.
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
            used: HashSet::default(),
            exact: false,
            elide_elements: None,
        }
    }

    /// Counts a part, and returns true if it may be written. Otherwise writes `…`.
    pub(super) fn spend(&mut self) -> bool {
        if self.parts == 0 {
            self.out.push('…');
            return false;
        }
        self.parts -= 1;
        true
    }

    /// Removes the limit. For a module, the choice of aliases bounds the text.
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

    /// Writes the alias of a target. If the target has no alias, returns false and writes nothing.
    pub(super) fn alias(&mut self, target: AliasTarget) -> bool {
        if self.aliases.is_empty() {
            return false;
        }
        match self.aliases.get(&target) {
            Some(name) => {
                self.out.push_str(name);
                self.used.insert(target);
                true
            }
            None => false,
        }
    }
}

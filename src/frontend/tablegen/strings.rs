//! Interned strings: equal text has equal ids.
//!
//! Texts go in, [`StrId`]s come out; nothing is ever removed. All texts lie in one buffer.

use std::hash::{BuildHasher, BuildHasherDefault};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::id::{Id, define_ids};

define_ids! {
    /// An interned string of one [`Records`](super::Records).
    pub struct StrId;
}

impl StrId {
    /// The empty string.
    pub const EMPTY: StrId = StrId(0);
    /// No string at all: an argument without a name.
    pub(super) const NONE: StrId = StrId(u32::MAX);

    /// Whether there is a string.
    pub(super) fn is_some(self) -> bool {
        self != Self::NONE
    }
}

/// The strings of one run.
#[derive(Debug)]
pub(super) struct Strings {
    text: String,
    ends: Vec<usize>,
    index: HashTable<StrId>,
}

fn hash(text: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(text)
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Self { text: String::new(), ends: Vec::new(), index: HashTable::new() };
        strings.intern("");
        strings
    }
}

impl Strings {
    /// The id of `text`.
    pub(super) fn intern(&mut self, text: &str) -> StrId {
        let Self { text: all, ends, index } = self;
        let get = |id: StrId| text_of(all, ends, id);
        let code = hash(text);
        if let Some(&id) = index.find(code, |&id| get(id) == text) {
            return id;
        }
        let id = StrId::try_from_index(ends.len()).expect("sources and record count are bounded");
        all.push_str(text);
        ends.push(all.len());
        index.insert_unique(code, id, |&id| hash(text_of(all, ends, id)));
        id
    }

    /// The id of `text`, if it was ever interned.
    pub(super) fn find(&self, text: &str) -> Option<StrId> {
        self.index.find(hash(text), |&id| self.get(id) == text).copied()
    }

    /// The text of `id`.
    pub(super) fn get(&self, id: StrId) -> &str {
        text_of(&self.text, &self.ends, id)
    }

    /// Bytes of all distinct texts.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }
}

fn text_of<'a>(all: &'a str, ends: &[usize], id: StrId) -> &'a str {
    let start = match id.index() {
        0 => 0,
        i => ends[i - 1],
    };
    &all[start..ends[id.index()]]
}

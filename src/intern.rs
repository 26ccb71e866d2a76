//! Interned strings.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::OnceLock;

use crate::id::{Id, define_ids};

define_ids! {
    /// A string of an `Interner`.
    pub struct StrId;
}

/// A set of strings in one buffer. Equal strings have equal ids.
///
/// ```
/// # use drrvm::internal::intern::Interner;
/// let mut names = Interner::default();
/// let add = names.intern("arith.addi");
/// assert_eq!(names.intern("arith.addi"), add);
/// assert_eq!(&names[add], "arith.addi");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interner {
    text: String,
    ends: Vec<u32>,
    /// The index from texts to ids, built at the first search.
    ids: OnceLock<HashTable<StrId>>,
}

impl Interner {
    /// Returns the id of a string, and adds it if it is new.
    ///
    /// # Panics
    /// More than 4 GiB of distinct text. Sources are smaller.
    pub fn intern(&mut self, string: &str) -> StrId {
        let hash = FxBuildHasher.hash_one(string);
        if let Some(&id) = self.ids().find(hash, |&id| &self[id] == string) {
            return id;
        }
        self.text.push_str(string);
        let end = u32::try_from(self.text.len()).expect("sources are bounded below 4 GiB");
        let id = StrId::try_from_index(self.ends.len()).expect("there are fewer strings than bytes");
        self.ends.push(end);
        let Self { text, ends, ids } = self;
        let ids = ids.get_mut().expect("the search built the table");
        ids.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(slice(text, ends, id)));
        id
    }

    /// An interner over concatenated strings, with the end of each. Ends ascend and are at character boundaries. If a
    /// string occurs twice, a search finds its first id.
    pub(crate) fn from_parts(text: String, ends: Vec<u32>) -> Self {
        Self { text, ends, ids: OnceLock::new() }
    }

    fn ids(&self) -> &HashTable<StrId> {
        self.ids.get_or_init(|| {
            let mut ids = HashTable::with_capacity(self.ends.len());
            for i in 0..self.ends.len() {
                let id = StrId::try_from_index(i).expect("ids of a table are 32 bits");
                let hash = FxBuildHasher.hash_one(&self[id]);
                let entry = ids.entry(
                    hash,
                    |&other| self[other] == self[id],
                    |&other: &StrId| FxBuildHasher.hash_one(&self[other]),
                );
                entry.or_insert(id);
            }
            ids
        })
    }

    /// The id of a string, if it is in the set.
    pub fn find(&self, string: &str) -> Option<StrId> {
        self.ids().find(FxBuildHasher.hash_one(string), |&id| &self[id] == string).copied()
    }

    /// The number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no strings.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The total length of all strings in bytes.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// The strings in id order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|i| &self[StrId::try_from_index(i).expect("an id was made for it")])
    }
}

fn slice<'a>(text: &'a str, ends: &[u32], id: StrId) -> &'a str {
    let i = id.index();
    let start = if i == 0 { 0 } else { ends[i - 1] as usize };
    &text[start..ends[i] as usize]
}

impl std::ops::Index<StrId> for Interner {
    type Output = str;
    fn index(&self, id: StrId) -> &str {
        slice(&self.text, &self.ends, id)
    }
}

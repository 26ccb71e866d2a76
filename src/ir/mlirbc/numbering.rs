//! The entries that the operations of a module refer to, with their numbers in the file.
//!
//! In each of the tables of operation names, attributes and types, the 128 entries with the most references get the
//! numbers that take one byte. Among these 128 entries, entries of the same dialect are next to each other; the same
//! applies to the other entries.

use std::hash::Hash;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::bytes::Writer;
use super::encode::{AttrKey, Encoded, Encoder, Encoding, Ref, Strings};
use crate::host::OpNameId;
use crate::intern::StrId;
use crate::ir::context::Context;
use crate::ir::ids::{LocId, TypeId};

/// The number of entries whose numbers take one byte.
const SHORT: usize = 1 << 7;

/// A table of entries with their numbers. Entries with many uses get small numbers.
#[derive(Debug)]
pub(super) struct Numbered<K, T> {
    /// The index of each entry in `entries`.
    indices: HashMap<K, usize, FxBuildHasher>,
    entries: Vec<Entry<T>>,
    /// The indices of the entries in the order of their numbers.
    order: Vec<usize>,
}

#[derive(Debug)]
struct Entry<T> {
    dialect: usize,
    uses: u64,
    number: u64,
    value: T,
}

impl<K, T> Default for Numbered<K, T> {
    fn default() -> Self {
        Self { indices: HashMap::default(), entries: Vec::new(), order: Vec::new() }
    }
}

/// Returns the order of entries. An entry is a pair of a dialect and a number of uses. The entries with the most uses
/// get the short numbers. The entries with short numbers are grouped by dialect, and so are the other entries.
fn numbering_order(entries: &[(usize, u64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(entries[index].1));
    let (short, long) = order.split_at_mut(SHORT.min(entries.len()));
    for half in [short, long] {
        half.sort_by_key(|&index| entries[index].0);
    }
    order
}

impl<K: Copy + Eq + Hash, T> Numbered<K, T> {
    /// Counts a use, and returns the index of the entry. Returns `None` if the entry is new, and must be added.
    fn count_use(&mut self, key: K) -> Option<usize> {
        let index = *self.indices.get(&key)?;
        self.entries[index].uses += 1;
        Some(index)
    }

    fn add(&mut self, key: K, dialect: usize, value: T) {
        self.indices.insert(key, self.entries.len());
        self.entries.push(Entry { dialect, uses: 1, number: 0, value });
    }

    /// Gives each entry its number.
    fn number_all(&mut self) {
        let Self { entries, order, .. } = self;
        let sizes: Vec<_> = entries.iter().map(|entry| (entry.dialect, entry.uses)).collect();
        *order = numbering_order(&sizes);
        for (number, &index) in (0..).zip(order.iter()) {
            entries[index].number = number;
        }
    }

    /// The number of an entry.
    pub(super) fn number(&self, key: K) -> u64 {
        self.number_at(self.indices[&key])
    }

    /// The number of the entry with this index.
    pub(super) fn number_at(&self, index: usize) -> u64 {
        self.entries[index].number
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Writes the entries in groups of one dialect each.
    pub(super) fn write_groups(&self, out: &mut Writer, mut entry: impl FnMut(&mut Writer, &T)) {
        for group in self.order.chunk_by(|&a, &b| self.entries[a].dialect == self.entries[b].dialect) {
            out.count(self.entries[group[0]].dialect);
            out.count(group.len());
            for &index in group {
                entry(out, &self.entries[index].value);
            }
        }
    }
}

/// The name of an operation without its dialect, and true if its definition is known.
#[derive(Debug)]
pub(super) struct NumberedName {
    pub(super) string: u64,
    pub(super) registered: bool,
}

/// An entry that is not in its table yet.
#[derive(Clone, Copy, Debug)]
enum NewEntry {
    Attr(AttrKey),
    Type(TypeId),
}

/// The tables of a file.
#[derive(Default)]
pub(super) struct Numbering {
    pub(super) strings: Strings,
    /// The name of each dialect, as the number of a string.
    pub(super) dialects: Vec<u64>,
    dialect_indices: HashMap<String, usize>,
    pub(super) op_names: Numbered<OpNameId, NumberedName>,
    pub(super) attrs: Numbered<AttrKey, Encoded>,
    pub(super) types: Numbered<TypeId, Encoded>,
    /// The encodings of the attributes and types.
    pub(super) encodings: Encoding,
    /// The keys of builtin resources in the order of their numbers.
    pub(super) resources: Vec<StrId>,
    resource_numbers: HashMap<StrId, u64>,
}

impl Numbering {
    /// Returns the index of a dialect. A new dialect gets the next index.
    pub(super) fn dialect(&mut self, name: &str) -> usize {
        if let Some(&index) = self.dialect_indices.get(name) {
            return index;
        }
        let index = self.dialects.len();
        self.dialects.push(self.strings.number(name));
        self.dialect_indices.insert(name.to_owned(), index);
        index
    }

    /// Adds the name of an operation.
    pub(super) fn add_op_name(&mut self, context: &Context, name: OpNameId, registered: bool) {
        if self.op_names.count_use(name).is_none() {
            let text = context.op_name_text(name);
            // An operation name without a dialect is stored as the name of a dialect.
            let (dialect, rest) = text.split_once('.').unwrap_or((text, ""));
            let (dialect, string) = (self.dialect(dialect), self.strings.number(rest));
            self.op_names.add(name, dialect, NumberedName { string, registered });
        }
    }

    /// Adds a location and everything that it refers to. Returns the index of its entry among the attributes.
    pub(super) fn add_loc(&mut self, context: &mut Context, loc: LocId) -> usize {
        let key = AttrKey::loc(context, loc);
        self.attrs.count_use(key).unwrap_or_else(|| {
            let index = self.attrs.len();
            self.add_new(context, NewEntry::Attr(key));
            index
        })
    }

    /// Adds an entry and everything that it refers to.
    pub(super) fn add(&mut self, context: &mut Context, to: Ref) {
        if let Some(entry) = self.count_use(to) {
            self.add_new(context, entry);
        }
    }

    /// Counts a use. Returns the entry if it is new, and must be added. Resources are added at once.
    fn count_use(&mut self, to: Ref) -> Option<NewEntry> {
        match to {
            Ref::Attr(key) | Ref::PresentAttr(key) => match self.attrs.count_use(key) {
                Some(_) => None,
                None => Some(NewEntry::Attr(key)),
            },
            Ref::Type(ty) => match self.types.count_use(ty) {
                Some(_) => None,
                None => Some(NewEntry::Type(ty)),
            },
            Ref::Resource(key) => {
                self.add_resource(key);
                None
            }
        }
    }

    /// Adds a new entry and everything that it refers to.
    fn add_new(&mut self, context: &mut Context, entry: NewEntry) {
        let mut open = Vec::new();
        let mut new = Some(entry);
        while let Some(entry) = new {
            let encoder = Encoder { context, strings: &mut self.strings, out: &mut self.encodings };
            let encoded = match entry {
                NewEntry::Attr(key) => encoder.attr_entry(key),
                NewEntry::Type(ty) => encoder.type_entry(ty),
            };
            open.extend(self.encodings.refs(&encoded.part).rev());
            let dialect = self.dialect(&encoded.dialect);
            match entry {
                NewEntry::Attr(key) => self.attrs.add(key, dialect, encoded),
                NewEntry::Type(ty) => self.types.add(ty, dialect, encoded),
            }
            new = std::iter::from_fn(|| open.pop()).find_map(|to| self.count_use(to));
        }
    }

    /// Adds everything that an encoding refers to.
    pub(super) fn add_all(&mut self, context: &mut Context, encoding: &Encoding) {
        for to in encoding.refs(&encoding.whole()) {
            self.add(context, to);
        }
    }

    /// Adds a builtin resource.
    pub(super) fn add_resource(&mut self, key: StrId) {
        let next = self.resources.len() as u64;
        self.resource_numbers.entry(key).or_insert_with(|| {
            self.resources.push(key);
            next
        });
    }

    /// Numbers the operation names, attributes and types.
    pub(super) fn number_all(&mut self) {
        self.op_names.number_all();
        self.attrs.number_all();
        self.types.number_all();
    }

    /// The number of an entry.
    pub(super) fn number(&self, to: Ref) -> u64 {
        match to {
            Ref::Attr(key) | Ref::PresentAttr(key) => self.attrs.number(key),
            Ref::Type(ty) => self.types.number(ty),
            Ref::Resource(key) => self.resource_numbers[&key],
        }
    }
}

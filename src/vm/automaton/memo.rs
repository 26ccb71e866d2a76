//! Cached answers of predicates, and the numbers by which table walks distinguish types and kinds of attributes.
//!
//! A kind of attributes is a set of attributes: either all of them equal one plain constant, or none of them equals
//! any; and the same predicates on their class hold for all of them. Direct-mapped caches hold the numbers of recent
//! types and attributes.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::ids::{AttrClassesId, KindId, PropertyValue, next_id};
use super::rules::Rules;
use crate::host::{AttrNameId, Entity, Facets};
use crate::id::Id;
use crate::snippet::SnippetId;
use crate::vm::linked::LinkedProgram;

/// The kinds of types and attributes, and cached answers of predicates.
pub(super) struct Memos<H: Facets> {
    last_type: (Option<H::Type>, KindId),
    types: Memo<H::Type, KindId>,
    attrs: Memo<(AttrClassesId, H::Attr), KindId>,
    type_kinds: HashMap<H::Type, KindId, FxBuildHasher>,
    attr_kinds: HashMap<AttrKind, KindId, FxBuildHasher>,
    holds_for_type: Memo<(SnippetId, H::Type), bool>,
    holds_for_attr: Memo<(SnippetId, H::Attr), bool>,
}

/// The list of predicates on the class of an attribute, its plain constant, and the answers of the predicates.
type AttrKind = (AttrClassesId, PropertyValue, SmallVec<[bool; 8]>);

impl<H: Facets> Default for Memos<H> {
    fn default() -> Self {
        Self {
            last_type: (None, KindId::UNKNOWN),
            types: Memo::default(),
            attrs: Memo::default(),
            type_kinds: HashMap::default(),
            attr_kinds: HashMap::default(),
            holds_for_type: Memo::default(),
            holds_for_attr: Memo::default(),
        }
    }
}

impl<H: Facets> Memos<H> {
    /// The number of the type of a value. If `LOOK_UP` is false, the result is [`KindId::UNKNOWN`] for a type that is
    /// not cached.
    #[inline(always)]
    pub(super) fn type_kind<const LOOK_UP: bool>(&mut self, host: &H, value: H::Value) -> KindId {
        let ty = host.value_type(value);
        // Most types equal the previous type.
        if self.last_type.0 == Some(ty) {
            return self.last_type.1;
        }
        let kind = match self.types.get(ty) {
            Some(kind) => kind,
            None if LOOK_UP => self.number_type(ty),
            None => return KindId::UNKNOWN,
        };
        self.last_type = (Some(ty), kind);
        kind
    }

    #[inline(never)]
    fn number_type(&mut self, ty: H::Type) -> KindId {
        let kind = number(&mut self.type_kinds, ty, 0);
        self.types.set(ty, kind);
        kind
    }

    /// The kind of an operation's attribute. If `LOOK_UP` is false, the result is [`KindId::UNKNOWN`] for an attribute
    /// that is not cached.
    #[inline(always)]
    pub(super) fn attr_kind<const LOOK_UP: bool>(
        &mut self,
        rules: &Rules,
        linked: &LinkedProgram<H>,
        host: &H,
        op: H::Op,
        name: AttrNameId,
        classes: AttrClassesId,
    ) -> KindId {
        let Some(attr) = host.attr(op, name) else { return KindId::ABSENT };
        match self.attrs.get((classes, attr)) {
            Some(kind) => kind,
            None if LOOK_UP => self.number_attr(rules, linked, host, attr, classes),
            None => KindId::UNKNOWN,
        }
    }

    #[inline(never)]
    fn number_attr(
        &mut self,
        rules: &Rules,
        linked: &LinkedProgram<H>,
        host: &H,
        attr: H::Attr,
        classes: AttrClassesId,
    ) -> KindId {
        let predicates = rules.attr_classes(classes).iter();
        let answers: Option<_> =
            predicates.map(|&class| self.attr_holds(linked, host, attr, class)).collect();
        // If an evaluation fails, the slow path records the operation, so that the predicates are evaluated again.
        let Some(answers) = answers else { return KindId::UNKNOWN };
        let key = (classes, attr_constant(linked, attr), answers);
        // Number 0 stands for an absent attribute.
        let kind = number(&mut self.attr_kinds, key, KindId::ABSENT.index() + 1);
        self.attrs.set((classes, attr), kind);
        kind
    }

    /// The answer of a predicate for a type; `None` if its evaluation fails. A failure is not cached.
    pub(super) fn type_holds(
        &mut self,
        linked: &LinkedProgram<H>,
        host: &H,
        ty: H::Type,
        snippet: SnippetId,
    ) -> Option<bool> {
        self.holds_for_type
            .get_or_set((snippet, ty), || linked.snippet_holds(host, snippet, Entity::Type(ty)))
    }

    /// The answer of a predicate on the class of an attribute; see [`Self::type_holds`].
    pub(super) fn attr_holds(
        &mut self,
        linked: &LinkedProgram<H>,
        host: &H,
        attr: H::Attr,
        class: SnippetId,
    ) -> Option<bool> {
        let holds = || linked.snippet_holds(host, class, Entity::Attr(Some(attr)));
        self.holds_for_attr.get_or_set((class, attr), holds)
    }
}

/// The number of a type or of a kind of attributes; unknown if all numbers below [`KindId::LIMIT`] are in use. Numbers
/// start at `first`.
fn number<K: Eq + Hash>(kinds: &mut HashMap<K, KindId, FxBuildHasher>, key: K, first: usize) -> KindId {
    let next = first + kinds.len();
    match kinds.entry(key) {
        Entry::Occupied(entry) => *entry.get(),
        Entry::Vacant(entry) if next < KindId::LIMIT => *entry.insert(next_id(next)),
        Entry::Vacant(_) => KindId::UNKNOWN,
    }
}

/// The plain constant that an attribute equals, or [`PropertyValue::OTHER`].
pub(super) fn attr_constant<H: Facets>(linked: &LinkedProgram<H>, attr: H::Attr) -> PropertyValue {
    PropertyValue::from_constant(linked.constants.attr_keys.get(&attr).copied())
}

/// A direct-mapped cache: a newer entry replaces an older entry with the same index.
struct Memo<K, V> {
    entries: [Option<(K, V)>; 64],
}

impl<K: Copy, V: Copy> Default for Memo<K, V> {
    fn default() -> Self {
        Self { entries: [None; 64] }
    }
}

impl<K: Copy + Eq + Hash, V: Copy> Memo<K, V> {
    #[inline]
    fn get(&self, key: K) -> Option<V> {
        let entry = self.entries[Self::index(key)];
        entry.filter(|&(found, _)| found == key).map(|(_, value)| value)
    }

    fn set(&mut self, key: K, value: V) {
        self.entries[Self::index(key)] = Some((key, value));
    }

    /// Returns the cached value, or computes it and caches it.
    fn get_or_set(&mut self, key: K, compute: impl FnOnce() -> Option<V>) -> Option<V> {
        let cached = self.get(key);
        if cached.is_some() {
            return cached;
        }
        let value = compute()?;
        self.set(key, value);
        Some(value)
    }

    #[inline]
    fn index(key: K) -> usize {
        // The upper bits of the hash are mixed best.
        (FxBuildHasher.hash_one(key) >> 58) as usize
    }
}

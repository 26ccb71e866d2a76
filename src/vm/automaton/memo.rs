//! Caches the plain constants of the types and attributes that operations have most often, and the answers of predicates
//! on them.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::ids::PropertyValue;
use crate::host::{AttrNameId, Entity, Facets};
use crate::snippet::SnippetId;
use crate::vm::linked::LinkedProgram;

/// The cached constants of types and attributes, and the cached answers of predicates.
pub(super) struct Memos<H: Facets> {
    last_type: (Option<H::Type>, PropertyValue),
    types: Memo<H::Type>,
    attrs: Memo<H::Attr>,
    holds_for_type: Memo<(SnippetId, H::Type)>,
    holds_for_attr: Memo<(SnippetId, H::Attr)>,
}

impl<H: Facets> Default for Memos<H> {
    fn default() -> Self {
        Self {
            last_type: (None, PropertyValue::OTHER),
            types: Memo::default(),
            attrs: Memo::default(),
            holds_for_type: Memo::default(),
            holds_for_attr: Memo::default(),
        }
    }
}

impl<H: Facets> Memos<H> {
    /// The type of a value, as a plain constant. Without `LOOK_UP`, `None` if it is not cached.
    #[inline(always)]
    pub(super) fn type_of<const LOOK_UP: bool>(
        &mut self,
        linked: &LinkedProgram<H>,
        host: &H,
        value: H::Value,
    ) -> Option<PropertyValue> {
        let ty = host.value_type(value);
        // Most types equal the previous one.
        if self.last_type.0 == Some(ty) {
            return Some(self.last_type.1);
        }
        let constant = self.types.get(ty).or_else(|| LOOK_UP.then(|| self.look_up_type(linked, ty)))?;
        self.last_type = (Some(ty), constant);
        Some(constant)
    }

    #[inline(never)]
    fn look_up_type(&mut self, linked: &LinkedProgram<H>, ty: H::Type) -> PropertyValue {
        let constant = PropertyValue::from_constant(linked.constants.type_keys.get(&ty).copied());
        self.types.set(ty, constant);
        constant
    }

    /// The answer of a predicate for the type of a value. Without `LOOK_UP`, `None` if it is not cached. A failure is
    /// not cached.
    #[inline(always)]
    pub(super) fn type_holds<const LOOK_UP: bool>(
        &mut self,
        linked: &LinkedProgram<H>,
        host: &H,
        snippet: SnippetId,
        value: H::Value,
    ) -> Option<PropertyValue> {
        let key = (snippet, host.value_type(value));
        let cached = self.holds_for_type.get(key);
        if cached.is_some() || !LOOK_UP {
            return cached;
        }
        let answer = self.holds_for_type.look_up(linked, host, key, Entity::Type(key.1));
        Some(answer.unwrap_or(PropertyValue::FAILED))
    }

    /// True if an operation has an attribute that satisfies a predicate. Without `LOOK_UP`, `None` if the answer is not
    /// cached.
    #[inline(always)]
    pub(super) fn attr_holds<const LOOK_UP: bool>(
        &mut self,
        linked: &LinkedProgram<H>,
        host: &H,
        op: H::Op,
        name: AttrNameId,
        snippet: SnippetId,
    ) -> Option<PropertyValue> {
        let Some(attr) = host.attr(op, name) else { return Some(false.into()) };
        let key = (snippet, attr);
        let cached = self.holds_for_attr.get(key);
        if cached.is_some() || !LOOK_UP {
            return cached;
        }
        // An attribute for which the predicate fails counts as absent.
        let answer = self.holds_for_attr.look_up(linked, host, key, Entity::Attr(Some(attr)));
        Some(answer.unwrap_or(false.into()))
    }

    /// An attribute, as a plain constant. Without `LOOK_UP`, `None` if it is not cached.
    #[inline(always)]
    pub(super) fn attr<const LOOK_UP: bool>(
        &mut self,
        linked: &LinkedProgram<H>,
        host: &H,
        op: H::Op,
        name: AttrNameId,
    ) -> Option<PropertyValue> {
        let Some(attr) = host.attr(op, name) else { return Some(PropertyValue::ABSENT) };
        self.attrs.get(attr).or_else(|| LOOK_UP.then(|| self.look_up_attr(linked, attr)))
    }

    #[inline(never)]
    fn look_up_attr(&mut self, linked: &LinkedProgram<H>, attr: H::Attr) -> PropertyValue {
        let constant = PropertyValue::from_constant(linked.constants.attr_keys.get(&attr).copied());
        self.attrs.set(attr, constant);
        constant
    }
}

/// A direct-mapped cache: a newer entry replaces an older one with the same index.
struct Memo<T> {
    entries: [Option<(T, PropertyValue)>; 64],
}

impl<T: Copy> Default for Memo<T> {
    fn default() -> Self {
        Self { entries: [None; 64] }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Memo<T> {
    #[inline]
    fn get(&self, key: T) -> Option<PropertyValue> {
        let entry = self.entries[Self::place(key)];
        entry.filter(|&(found, _)| found == key).map(|(_, value)| value)
    }

    fn set(&mut self, key: T, value: PropertyValue) {
        self.entries[Self::place(key)] = Some((key, value));
    }

    #[inline]
    fn place(key: T) -> usize {
        // The upper bits of the hash are mixed best.
        (FxBuildHasher.hash_one(key) >> 58) as usize
    }
}

impl<T: Copy + Eq + std::hash::Hash> Memo<(SnippetId, T)> {
    /// Evaluates a predicate on an entity, and caches the answer; `None` if the evaluation fails.
    #[inline(never)]
    fn look_up<H: Facets>(
        &mut self,
        linked: &LinkedProgram<H>,
        host: &H,
        key: (SnippetId, T),
        entity: Entity<H>,
    ) -> Option<PropertyValue> {
        let holds = linked.snippet_holds(host, key.0, entity)?.into();
        self.set(key, holds);
        Some(holds)
    }
}

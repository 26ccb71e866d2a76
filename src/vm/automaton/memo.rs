//! Caches the plain constants of the types and attributes that operations have most often.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::ids::PropertyValue;
use crate::host::{AttrNameId, Facets};
use crate::vm::linked::LinkedProgram;

/// The cached constants of types and attributes.
pub(super) struct Memos<H: Facets> {
    last_type: (Option<H::Type>, PropertyValue),
    types: Memo<H::Type>,
    attrs: Memo<H::Attr>,
}

impl<H: Facets> Default for Memos<H> {
    fn default() -> Self {
        Self { last_type: (None, PropertyValue::OTHER), types: Memo::default(), attrs: Memo::default() }
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

    /// An attribute, as a plain constant. Without `LOOK_UP`, `None` if it is not cached.
    #[inline(always)]
    pub(super) fn attr<const LOOK_UP: bool>(
        &mut self,
        linked: &LinkedProgram<H>,
        host: &H,
        op: H::Op,
        name: AttrNameId,
    ) -> Option<PropertyValue> {
        let Some(attr) = host.attr(op, name) else { return Some(PropertyValue::OTHER) };
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

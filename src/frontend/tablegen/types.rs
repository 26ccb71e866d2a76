//! TableGen's types, interned: equal types have equal ids.
//!
//! A record type is the set of classes that a value derives from, sorted by name.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::ids::{RecordId, TypeId};
use crate::id::{Id, IdVec};

/// The structure of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Type {
    /// `bit`.
    Bit,
    /// `bits<n>`.
    Bits(u32),
    /// `int`.
    Int,
    /// `string`, also written `code`.
    String,
    /// `list<t>`.
    List(TypeId),
    /// `dag`.
    Dag,
    /// A value that derives from all of these classes. The empty set is the type of a record without classes.
    Record(Box<[RecordId]>),
}

/// The types of one run.
#[derive(Debug)]
pub(super) struct Types {
    types: IdVec<TypeId, Type>,
    index: HashMap<Type, TypeId, FxBuildHasher>,
    of_classes: Vec<Option<TypeId>>,
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Self { types: IdVec::default(), index: HashMap::default(), of_classes: Vec::new() };
        for (ty, id) in [
            (Type::Bit, TypeId::BIT),
            (Type::Int, TypeId::INT),
            (Type::String, TypeId::STRING),
            (Type::Dag, TypeId::DAG),
            (Type::Record(Box::default()), TypeId::ANY_RECORD),
        ] {
            let made = types.intern(ty);
            debug_assert_eq!(made, id);
        }
        types
    }
}

impl Types {
    /// Returns the id of a type, and adds the type if it is new.
    pub(super) fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    /// Returns the type `list<element>`.
    pub(super) fn list(&mut self, element: TypeId) -> TypeId {
        self.intern(Type::List(element))
    }

    /// Returns the type `bits<width>`.
    pub(super) fn bits(&mut self, width: u32) -> TypeId {
        self.intern(Type::Bits(width))
    }

    /// Returns the type of records that derive from `class`.
    pub(super) fn class(&mut self, class: RecordId) -> TypeId {
        let at = class.index();
        if let Some(&Some(id)) = self.of_classes.get(at) {
            return id;
        }
        let id = self.intern(Type::Record(Box::new([class])));
        if self.of_classes.len() <= at {
            self.of_classes.resize(at + 1, None);
        }
        self.of_classes[at] = Some(id);
        id
    }

    /// Returns the structure of a type.
    pub(super) fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// Returns the element type if `id` is a list type.
    pub(super) fn element(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::List(element) => Some(*element),
            _ => None,
        }
    }
}

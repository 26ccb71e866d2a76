//! The locals of a rewrite, which hold the results of its steps.

use crate::host::{Entity, Ir, NamedAttr};
use crate::intern::StrId;
use crate::pdl::LocalId;

/// A range in one of the arenas of [`Locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::vm) struct ArenaRange {
    start: usize,
    len: usize,
}

impl ArenaRange {
    fn of<T>(self, arena: &[T]) -> &[T] {
        &arena[self.start..self.start + self.len]
    }
}

/// Empty vectors, which are reused for the ranges that natives receive.
pub(in crate::vm) struct Spare<H: Ir> {
    pub(in crate::vm) values: Vec<Vec<H::Value>>,
    pub(in crate::vm) types: Vec<Vec<H::Type>>,
}

impl<H: Ir> Default for Spare<H> {
    fn default() -> Self {
        Self { values: Vec::new(), types: Vec::new() }
    }
}

impl<H: Ir> Spare<H> {
    /// Takes back the memory of an argument.
    pub(in crate::vm) fn reclaim(&mut self, entity: Entity<H>) {
        match entity {
            Entity::Values(mut values) => {
                values.clear();
                self.values.push(values);
            }
            Entity::Types(mut types) => {
                types.clear();
                self.types.push(types);
            }
            _ => {}
        }
    }
}

/// The result of a step.
pub(in crate::vm) enum Local<H: Ir> {
    Op(H::Op),
    Value(Option<H::Value>),
    Values(ArenaRange),
    Type(H::Type),
    Types(ArenaRange),
    Attr(Option<H::Attr>),
    Attrs(ArenaRange),
    Location(H::Location),
    /// A number, truth value or string of the snippet language.
    Other(Entity<H>),
}

impl<H: Ir> Clone for Local<H> {
    fn clone(&self) -> Self {
        match self {
            Local::Op(op) => Local::Op(*op),
            Local::Value(value) => Local::Value(*value),
            Local::Values(span) => Local::Values(*span),
            Local::Type(ty) => Local::Type(*ty),
            Local::Types(span) => Local::Types(*span),
            Local::Attr(attr) => Local::Attr(*attr),
            Local::Attrs(span) => Local::Attrs(*span),
            Local::Location(location) => Local::Location(*location),
            Local::Other(entity) => Local::Other(entity.clone()),
        }
    }
}

/// The locals of one rewrite: a slot for each, and arenas for ranges. The memory is reused.
pub(in crate::vm) struct Locals<H: Ir> {
    slots: Vec<Option<Local<H>>>,
    values: Vec<H::Value>,
    types: Vec<H::Type>,
    attrs: Vec<H::Attr>,
}

impl<H: Ir> Default for Locals<H> {
    fn default() -> Self {
        Self { slots: Vec::new(), values: Vec::new(), types: Vec::new(), attrs: Vec::new() }
    }
}

impl<H: Ir> Locals<H> {
    /// Clears all locals and makes `count` slots.
    pub(in crate::vm) fn begin(&mut self, count: usize) {
        self.slots.clear();
        self.slots.resize_with(count, || None);
        self.values.clear();
        self.types.clear();
        self.attrs.clear();
    }

    pub(in crate::vm) fn set(&mut self, local: LocalId, value: Local<H>) {
        if let Some(slot) = self.slots.get_mut(local.raw() as usize) {
            *slot = Some(value);
        }
    }

    pub(in crate::vm) fn get(&self, local: LocalId) -> Option<&Local<H>> {
        self.slots.get(local.raw() as usize)?.as_ref()
    }

    /// Stores an entity, and returns its local. The memory of a range of values or types becomes spare.
    pub(in crate::vm) fn keep(&mut self, entity: Entity<H>, spare: &mut Spare<H>) -> Local<H> {
        match entity {
            Entity::Op(op) => Local::Op(op),
            Entity::Value(value) => Local::Value(value),
            Entity::Type(ty) => Local::Type(ty),
            Entity::Attr(attr) => Local::Attr(attr),
            Entity::Location(location) => Local::Location(location),
            Entity::Values(values) => {
                let local = self.keep_values(&values);
                spare.reclaim(Entity::Values(values));
                local
            }
            Entity::Types(types) => {
                let local = self.keep_types(&types);
                spare.reclaim(Entity::Types(types));
                local
            }
            Entity::Attrs(attrs) => Local::Attrs(push(&mut self.attrs, &attrs)),
            other => Local::Other(other),
        }
    }

    pub(in crate::vm) fn keep_values(&mut self, values: &[H::Value]) -> Local<H> {
        Local::Values(push(&mut self.values, values))
    }

    pub(in crate::vm) fn keep_types(&mut self, types: &[H::Type]) -> Local<H> {
        Local::Types(push(&mut self.types, types))
    }

    pub(in crate::vm) fn keep_attrs(&mut self, attrs: &[H::Attr]) -> Local<H> {
        Local::Attrs(push(&mut self.attrs, attrs))
    }

    pub(in crate::vm) fn values(&self, span: ArenaRange) -> &[H::Value] {
        span.of(&self.values)
    }

    pub(in crate::vm) fn types(&self, span: ArenaRange) -> &[H::Type] {
        span.of(&self.types)
    }

    pub(in crate::vm) fn attrs(&self, span: ArenaRange) -> &[H::Attr] {
        span.of(&self.attrs)
    }

    /// The local as an argument of a native or snippet. A range of values or types takes spare memory.
    pub(in crate::vm) fn entity(&self, local: &Local<H>, spare: &mut Spare<H>) -> Entity<H> {
        match local {
            Local::Op(op) => Entity::Op(*op),
            Local::Value(value) => Entity::Value(*value),
            Local::Values(span) => {
                let mut values = spare.values.pop().unwrap_or_default();
                values.extend_from_slice(self.values(*span));
                Entity::Values(values)
            }
            Local::Type(ty) => Entity::Type(*ty),
            Local::Types(span) => {
                let mut types = spare.types.pop().unwrap_or_default();
                types.extend_from_slice(self.types(*span));
                Entity::Types(types)
            }
            Local::Attr(attr) => Entity::Attr(*attr),
            Local::Attrs(span) => Entity::Attrs(self.attrs(*span).to_vec()),
            Local::Location(location) => Entity::Location(*location),
            Local::Other(entity) => entity.clone(),
        }
    }
}

/// The parts of an operation that a rewrite creates. The memory is reused.
pub(in crate::vm) struct OpParts<H: Ir> {
    pub(super) operands: Vec<H::Value>,
    /// The first value of each operand group.
    pub(super) firsts: Vec<Option<H::Value>>,
    pub(super) types: Vec<H::Type>,
    /// The program's names of the attributes.
    pub(super) names: Vec<StrId>,
    pub(super) attributes: Vec<NamedAttr<H::Attr>>,
    /// First the sizes of the operand groups, and later the sizes of the result groups.
    pub(super) sizes: Vec<usize>,
}

impl<H: Ir> Default for OpParts<H> {
    fn default() -> Self {
        let (operands, firsts, types) = Default::default();
        let (names, attributes, sizes) = Default::default();
        Self { operands, firsts, types, names, attributes, sizes }
    }
}

impl<H: Ir> OpParts<H> {
    pub(super) fn clear(&mut self) {
        self.operands.clear();
        self.firsts.clear();
        self.types.clear();
        self.names.clear();
        self.attributes.clear();
        self.sizes.clear();
    }

    pub(super) fn attr(&self, name: StrId) -> Option<H::Attr> {
        let at = self.names.iter().position(|&other| other == name)?;
        Some(self.attributes[at].value)
    }

    pub(super) fn set(&mut self, name: StrId, attribute: NamedAttr<H::Attr>) {
        self.names.push(name);
        self.attributes.push(attribute);
    }

    pub(super) fn remove(&mut self, name: StrId) {
        while let Some(at) = self.names.iter().position(|&other| other == name) {
            self.names.remove(at);
            self.attributes.remove(at);
        }
    }
}

fn push<T: Copy>(arena: &mut Vec<T>, items: &[T]) -> ArenaRange {
    let start = arena.len();
    arena.extend_from_slice(items);
    ArenaRange { start, len: items.len() }
}

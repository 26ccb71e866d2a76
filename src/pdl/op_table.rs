//! What is known of operations, whoever told it: signatures, traits, how result types follow.
//!
//! Filled from ODS or by builder calls; outlives both, so that a loaded program checks and builds
//! operations as one compiled from sources does.

use hashbrown::HashMap;

use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::snippet::SnippetId;
use crate::source::Span;

use super::Constant;

define_ids! {
    /// An operation of an [`OpTable`].
    pub struct OpDefId;
}

/// The known operations. Strings are ids of the owning rule set's interner.
#[derive(Clone, Debug, Default)]
pub struct OpTable {
    ops: IdVec<OpDefId, OpDef>,
    by_name: HashMap<StrId, OpDefId>,
}

impl OpTable {
    /// Adds an operation; one of the same name before it is replaced.
    pub fn insert(&mut self, def: OpDef) -> OpDefId {
        let name = def.name;
        if let Some(&id) = self.by_name.get(&name) {
            self.ops[id] = def;
            return id;
        }
        let id = self.ops.push(def);
        self.by_name.insert(name, id);
        id
    }

    /// The operation of this name.
    pub fn find(&self, name: StrId) -> Option<&OpDef> {
        self.by_name.get(&name).map(|&id| &self.ops[id])
    }

    /// All operations in the order they were added.
    pub fn iter(&self) -> std::slice::Iter<'_, OpDef> {
        self.ops.iter()
    }
}

/// One operation's definition.
#[derive(Clone, Debug)]
pub struct OpDef {
    /// Full name with dialect.
    pub name: StrId,
    /// Operands.
    pub operands: Vec<ValueDef>,
    /// How operands divide.
    pub operand_segments: Segments,
    /// Attributes and properties.
    pub attributes: Vec<AttrDef>,
    /// Results.
    pub results: Vec<ValueDef>,
    /// How results divide.
    pub result_segments: Segments,
    /// Number of regions; `None`: any.
    pub regions: Option<u32>,
    /// Number of successors; `None`: any.
    pub successors: Option<u32>,
    /// Traits with a meaning to drivers and verifiers.
    pub traits: Vec<Trait>,
    /// How each result's type follows from operands and attributes, if it does.
    pub result_types: Option<Vec<TypeRecipe>>,
    /// Whether a type inference in C++ exists, to be registered as a native.
    pub infers_types: bool,
    /// Where it was defined.
    pub span: Span,
}

/// How many values an operand or result stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arity {
    /// Exactly one.
    One,
    /// None or one.
    Optional,
    /// Any number.
    Variadic,
}

/// An operand or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDef {
    /// Its name; empty if it has none.
    pub name: StrId,
    /// How many values.
    pub arity: Arity,
    /// Predicate over its type.
    pub constraint: Option<SnippetId>,
}

/// How operands or results divide into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segments {
    /// At most one group has an open size.
    Rest,
    /// All groups of open size have the same size.
    Equal,
    /// An attribute states the sizes.
    Attribute(StrId),
}

/// An attribute or property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttrDef {
    /// Its name.
    pub name: StrId,
    /// Whether it may be absent.
    pub optional: bool,
    /// What it is when absent.
    pub default: Option<Constant>,
    /// Predicate over it.
    pub constraint: Option<SnippetId>,
}

/// A trait with a meaning to drivers, verifiers or builders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// No effects: dead when unused.
    Pure,
    /// Operands may be exchanged.
    Commutative,
    /// A constant: may be uniqued and hoisted.
    ConstantLike,
    /// Ends its block.
    Terminator,
    /// Its regions see no value from outside.
    IsolatedFromAbove,
    /// `f(f(x)) = f(x)`.
    Idempotent,
    /// `f(f(x)) = x`.
    Involution,
    /// One type for all operands and results.
    SameOperandsAndResultType,
    /// One type for all operands.
    SameTypeOperands,
    /// Holds symbols.
    SymbolTable,
    /// Is a symbol.
    Symbol,
}

/// How one result's type follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeRecipe {
    /// Always this type.
    Fixed(Constant),
    /// The type of operand number `0` (the first value of that group).
    Operand(u32),
    /// The type that an attribute states.
    AttrType(StrId),
    /// The type that a type attribute holds.
    HeldType(StrId),
    /// The type of another result.
    Result(u32),
    /// A snippet over the type another recipe gives.
    Transform(SnippetId, Box<TypeRecipe>),
}

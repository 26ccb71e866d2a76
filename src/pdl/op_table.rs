//! Definitions of operations: signatures, traits, and recipes for result types.
//!
//! ODS or builder calls add definitions. A program contains them, so a loaded program checks and builds operations like
//! a program that was compiled from sources.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

pub(crate) use crate::host::Arity;
use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::snippet::SnippetId;
use crate::source::Span;

use super::match_part::Constant;

define_ids! {
    /// A definition in an [`OpTable`].
    pub struct OpDefId;
}

/// The definitions of operations, by name. Strings are ids of the owning rule set's interner.
#[derive(Clone, Debug, Default)]
pub struct OpTable {
    ops: IdVec<OpDefId, OpDef>,
    by_name: HashMap<StrId, OpDefId, FxBuildHasher>,
}

impl OpTable {
    /// Adds a definition, and returns its id. The definition replaces an earlier one of the same name.
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

    /// The definition of the operation with this name.
    pub fn find(&self, name: StrId) -> Option<&OpDef> {
        self.by_name.get(&name).map(|&id| &self.ops[id])
    }

    /// All definitions, in the order in which their names were first added.
    pub fn iter(&self) -> std::slice::Iter<'_, OpDef> {
        self.ops.iter()
    }

    /// Removes the places of the definitions.
    #[cfg(feature = "frontend")]
    pub(crate) fn forget_places(&mut self) {
        self.iter_mut().for_each(|def| def.span = Span::NONE);
    }

    /// All definitions, as mutable references. Their names must not change.
    #[cfg(feature = "ir")]
    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, OpDef> {
        self.ops.iter_mut()
    }
}

/// The definition of an operation.
#[derive(Clone, Debug)]
pub struct OpDef {
    /// The full name with the dialect.
    pub name: StrId,
    /// Operands.
    pub operands: Vec<ValueDef>,
    /// The division of the operands into groups.
    pub(crate) operand_segments: Segments,
    /// Attributes and properties.
    pub(crate) attributes: Vec<AttrDef>,
    /// True if attributes are stored as properties.
    pub(crate) has_properties: bool,
    /// Results.
    pub results: Vec<ValueDef>,
    /// The division of the results into groups.
    pub(crate) result_segments: Segments,
    /// Regions; only the last may be variadic.
    pub(crate) regions: Vec<RegionDef>,
    /// The number of successors.
    pub(crate) successors: Count,
    /// Traits with a meaning for drivers, verifiers or builders.
    pub traits: Vec<Trait>,
    /// The C++ names of the traits and interfaces whose meaning only C++ states, for
    /// [natives by trait](crate::host::Natives::type_inference_for_trait).
    pub cxx_traits: Vec<StrId>,
    /// The checks of verification, in order. Verification also checks counts and segments, which are not in this list.
    pub(crate) checks: Vec<Check>,
    /// A recipe for each result's type, if the types follow from operands and attributes.
    pub(crate) result_types: Option<Vec<TypeRecipe>>,
    /// Sets of operand numbers. The operands of one set have the same type. Traits can state further sets.
    pub(crate) same_types: Vec<Vec<u32>>,
    /// True if C++ infers the result types. If a rule omits them, linking the rule requires a
    /// [type inference](crate::host::Natives::type_inference) for this operation.
    pub infers_types: bool,
    /// The place of the definition.
    pub span: Span,
}

impl OpDef {
    /// A definition that allows any regions and successors, and has no operands, attributes, results, traits or checks.
    pub fn new(name: StrId) -> Self {
        let region = RegionDef { name, variadic: true, blocks: Count::at_least(0), summary: name };
        Self {
            name,
            operands: Vec::new(),
            operand_segments: Segments::Rest,
            attributes: Vec::new(),
            has_properties: false,
            results: Vec::new(),
            result_segments: Segments::Rest,
            regions: vec![region],
            successors: Count::at_least(0),
            traits: Vec::new(),
            cxx_traits: Vec::new(),
            checks: Vec::new(),
            result_types: None,
            same_types: Vec::new(),
            infers_types: false,
            span: Span::NONE,
        }
    }

    /// Sets [`OpDef::operands`].
    #[must_use]
    pub fn operands(mut self, operands: impl IntoIterator<Item = ValueDef>) -> Self {
        self.operands = operands.into_iter().collect();
        self
    }

    /// Sets [`OpDef::results`].
    #[must_use]
    pub fn results(mut self, results: impl IntoIterator<Item = ValueDef>) -> Self {
        self.results = results.into_iter().collect();
        self
    }

    /// Sets [`OpDef::traits`].
    ///
    /// ```
    /// use drrvm::{RuleSet, pdl::{OpDef, Trait}};
    /// let mut rules = RuleSet::default();
    /// let name = rules.intern("my.add");
    /// rules.ops_mut().insert(OpDef::new(name).traits([Trait::Pure, Trait::Commutative]));
    /// ```
    #[must_use]
    pub fn traits(mut self, traits: impl IntoIterator<Item = Trait>) -> Self {
        self.traits = traits.into_iter().collect();
        self
    }

    /// Sets [`OpDef::infers_types`].
    #[must_use]
    pub fn infers_types(mut self, infers_types: bool) -> Self {
        self.infers_types = infers_types;
        self
    }

    /// The constraints that verification tests: on attributes, operands, results, and the operation. Tests of storage
    /// classes are not included.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = Constraint> {
        let values = self.operands.iter().chain(&self.results).filter_map(|value| value.constraint);
        let checks = self.checks.iter().filter_map(|check| match check {
            Check::Holds(constraint) => Some(*constraint),
            _ => None,
        });
        self.attributes.iter().filter_map(|attribute| attribute.constraint).chain(values).chain(checks)
    }
}

/// The allowed number of regions, blocks or successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Count {
    /// The least number.
    pub least: u32,
    /// The largest number; `None` if the number is unbounded.
    pub most: Option<u32>,
}

impl Count {
    /// Exactly this number.
    pub(crate) const fn exactly(number: u32) -> Self {
        Self { least: number, most: Some(number) }
    }

    /// This number or more.
    pub(crate) const fn at_least(number: u32) -> Self {
        Self { least: number, most: None }
    }

    /// True if this number is allowed.
    pub(crate) fn allows(self, number: usize) -> bool {
        let within = |most: u32| usize::try_from(most).is_ok_and(|most| number <= most);
        usize::try_from(self.least).is_ok_and(|least| number >= least) && self.most.is_none_or(within)
    }
}

/// The definition of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionDef {
    /// The name, or an empty string.
    pub name: StrId,
    /// True if the definition stands for any number of regions.
    pub variadic: bool,
    /// The allowed number of blocks.
    pub blocks: Count,
    /// The allowed number of blocks, in words.
    pub summary: StrId,
}

/// A predicate that an operand, result, attribute or operation must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    /// The predicate, over a type, an attribute or an operation.
    pub holds: SnippetId,
    /// The predicate in words.
    pub summary: StrId,
}

/// A check of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// The condition of a trait.
    Trait(Trait),
    /// The parent is one of these operations.
    Parent(Vec<StrId>),
    /// The first block of each region ends with this operation, unless the block is empty.
    RegionTerminator(StrId),
    /// Attributes, operands and results satisfy their constraints.
    Constraints,
    /// The operation satisfies this constraint.
    Holds(Constraint),
    /// Regions have an allowed number of blocks.
    Regions,
}

/// The definition of an operand or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDef {
    /// The name, or an empty string.
    pub name: StrId,
    /// The number of values.
    pub arity: Arity,
    /// The constraint on each type; `None` if every type is allowed, or if only C++ states the constraint.
    pub(crate) constraint: Option<Constraint>,
    /// The attribute with the sizes of the lists, if the values are a list of lists.
    pub(crate) segments: Option<StrId>,
}

impl ValueDef {
    /// An operand or result of any type. Its name may be an empty string.
    pub fn new(name: StrId, arity: Arity) -> Self {
        Self { name, arity, constraint: None, segments: None }
    }
}

/// The division of operands or results into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Segments {
    /// At most one group has an open size.
    Rest,
    /// All groups of open size have the same size.
    Equal,
    /// An attribute states the sizes.
    Attribute(StrId),
}

impl Segments {
    /// The attribute that states these sizes, as MLIR text.
    pub(crate) fn text(sizes: &[usize]) -> String {
        let list: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let colon = if sizes.is_empty() { "" } else { ": " };
        format!("array<i32{colon}{}>", list.join(", "))
    }
}

/// The definition of an attribute or property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttrDef {
    /// The name.
    pub name: StrId,
    /// True if the attribute can be absent.
    pub optional: bool,
    /// The value if the attribute is absent.
    pub default: Option<Constant>,
    /// The predicate of the attribute's storage class; `None` if every attribute satisfies it.
    pub storage: Option<SnippetId>,
    /// A further constraint; `None` if there is none, or if only C++ states it.
    pub constraint: Option<Constraint>,
}

/// A trait with a meaning for drivers, verifiers or builders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// Has no effects, so that an unused operation is dead.
    Pure,
    /// At most reads memory and allocates its results, so that an unused operation is dead.
    ReadsMemory,
    /// Has the effects of the operations in its regions and, besides these, at most those of `ReadsMemory`.
    NestedEffects,
    /// Operands may be exchanged.
    Commutative,
    /// Is a constant, which may be uniqued and hoisted.
    ConstantLike,
    /// Ends its block.
    Terminator,
    /// Its regions use no value from outside.
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
    /// Compatible shapes for all operands.
    SameOperandsShape,
    /// Compatible shapes for all operands and results.
    SameOperandsAndResultShape,
    /// One element type for all operands.
    SameOperandsElementType,
    /// One element type for all operands and results.
    SameOperandsAndResultElementType,
    /// One rank for all operands and results.
    SameOperandsAndResultRank,
    /// Results are Booleans, or vectors or tensors of them.
    ResultsAreBoolLike,
    /// Results are floats, or vectors or tensors of them.
    ResultsAreFloatLike,
    /// Results are signless integers or `index`, or vectors or tensors of them.
    ResultsAreSignlessIntegerLike,
    /// Operands are floats, or vectors or tensors of them.
    OperandsAreFloatLike,
    /// Operands are signless integers or `index`, or vectors or tensors of them.
    OperandsAreSignlessIntegerLike,
    /// Operands' shapes broadcast to the results' shape.
    ResultsBroadcastableShape,
    /// Operands and results are scalars, or vectors or tensors of one shape.
    Elementwise,
    /// Blocks in its regions need no terminator.
    NoTerminator,
    /// Its regions have at most one block.
    SingleBlock,
    /// Its regions have no arguments.
    NoRegionArguments,
    /// The order of operations in its regions does not matter.
    GraphRegion,
    /// C++ determines the kind of its regions.
    RegionKind,
    /// An attribute states the sizes of operand groups.
    AttrSizedOperandSegments,
    /// An attribute states the sizes of result groups.
    AttrSizedResultSegments,
    /// Result types equal those that follow from operands and attributes.
    InferredResultTypes,
    /// Is a symbol if it has a name.
    OptionalSymbol,
}

/// A recipe for a result's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeRecipe {
    /// This type.
    Fixed(Constant),
    /// The type of the first value of this operand group.
    Operand(u32),
    /// The type of an attribute, such as `i32` for `1 : i32`.
    AttrType(StrId),
    /// The type that a type attribute holds.
    HeldType(StrId),
    /// The type of another result.
    Result(u32),
    /// A snippet over the type of another recipe.
    Transform(SnippetId, Box<TypeRecipe>),
}

impl TypeRecipe {
    /// The snippets of the recipe, outermost first.
    pub(crate) fn snippets(&self) -> Vec<SnippetId> {
        let mut found = Vec::new();
        let mut recipe = self;
        while let TypeRecipe::Transform(snippet, inner) = recipe {
            found.push(*snippet);
            recipe = inner;
        }
        found
    }
}

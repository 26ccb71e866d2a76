//! What is known of operations, whoever told it: signatures, traits, how result types follow.
//!
//! Filled from ODS or by builder calls; outlives both, so that a loaded program checks and builds
//! operations as one compiled from sources does.

use hashbrown::HashMap;

pub use crate::host::Arity;
use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::snippet::SnippetId;
use crate::source::Span;

use super::match_part::Constant;

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
    /// Whether attributes are kept among the properties.
    pub has_properties: bool,
    /// Results.
    pub results: Vec<ValueDef>,
    /// How results divide.
    pub result_segments: Segments,
    /// Regions; only the last may be variadic.
    pub regions: Vec<RegionDef>,
    /// Number of successors.
    pub successors: Count,
    /// Traits with a meaning to drivers and verifiers.
    pub traits: Vec<Trait>,
    /// What verification asks beside counts and segments, in this order.
    pub checks: Vec<Check>,
    /// How each result's type follows from operands and attributes, if it does.
    pub result_types: Option<Vec<TypeRecipe>>,
    /// Sets of operands, by number, that have one type beyond what traits say.
    pub same_types: Vec<Vec<u32>>,
    /// Whether C++ infers the result types: a rule may leave them out, and linking it then needs a
    /// [type inference](crate::host::Natives::type_inference) for this operation.
    pub infers_types: bool,
    /// Where it was defined.
    pub span: Span,
}

impl OpDef {
    /// An operation of this name that may have any regions and successors, but no operands, attributes or
    /// results; nothing else is known of it.
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
            checks: Vec::new(),
            result_types: None,
            same_types: Vec::new(),
            infers_types: false,
            span: Span::NONE,
        }
    }

    /// All predicates that verification asks: of attributes, operands, results, and of the operation.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> {
        let values = self.operands.iter().chain(&self.results).filter_map(|value| value.constraint);
        let checks = self.checks.iter().filter_map(|check| match check {
            Check::Holds(constraint) => Some(*constraint),
            _ => None,
        });
        self.attributes.iter().filter_map(|attribute| attribute.constraint).chain(values).chain(checks)
    }
}

/// How many there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Count {
    /// At least so many.
    pub least: u32,
    /// At most so many; `None`: any number.
    pub most: Option<u32>,
}

impl Count {
    /// So many, no more and no less.
    pub const fn exactly(number: u32) -> Self {
        Self { least: number, most: Some(number) }
    }

    /// So many or more.
    pub const fn at_least(number: u32) -> Self {
        Self { least: number, most: None }
    }

    /// Whether there may be so many.
    pub fn allows(self, number: usize) -> bool {
        let within = |most: u32| usize::try_from(most).is_ok_and(|most| number <= most);
        usize::try_from(self.least).is_ok_and(|least| number >= least) && self.most.is_none_or(within)
    }
}

/// A region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionDef {
    /// Its name; empty if it has none.
    pub name: StrId,
    /// Whether it stands for any number of regions.
    pub variadic: bool,
    /// How many blocks it has.
    pub blocks: Count,
    /// The same in words.
    pub summary: StrId,
}

/// A predicate that something must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The predicate: over a type, an attribute or an operation, whatever is constrained.
    pub holds: SnippetId,
    /// What it asks, in words.
    pub summary: StrId,
}

/// Something that verification asks of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// What the trait means.
    Trait(Trait),
    /// The operation around it is one of these.
    Parent(Vec<StrId>),
    /// Each of its regions that has a block ends with this operation.
    RegionTerminator(StrId),
    /// Attributes, operands and results satisfy their constraints.
    Constraints,
    /// The operation satisfies this.
    Holds(Constraint),
    /// Regions have as many blocks as they may.
    Regions,
}

/// An operand or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDef {
    /// Its name; empty if it has none.
    pub name: StrId,
    /// How many values.
    pub arity: Arity,
    /// What each of its types satisfies; none if any type does, or if only C++ knows.
    pub constraint: Option<Constraint>,
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

impl Segments {
    /// The attribute that states these sizes, as MLIR writes it.
    pub(crate) fn text(sizes: &[usize]) -> String {
        let list: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let colon = if sizes.is_empty() { "" } else { ": " };
        format!("array<i32{colon}{}>", list.join(", "))
    }
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
    /// A test whether an attribute is of its class; none if any is.
    pub storage: Option<SnippetId>,
    /// What it satisfies beside; none if any of its class does, or if only C++ knows.
    pub constraint: Option<Constraint>,
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
    /// Scalars or vectors or tensors of one shape.
    Elementwise,
    /// Blocks in its regions need no terminator.
    NoTerminator,
    /// Its regions have one block at most.
    SingleBlock,
    /// Its regions have no arguments.
    NoRegionArguments,
    /// Order within its regions does not matter.
    GraphRegion,
    /// C++ says whether order within its regions matters.
    RegionKind,
    /// An attribute states the sizes of operand groups.
    AttrSizedOperandSegments,
    /// An attribute states the sizes of result groups.
    AttrSizedResultSegments,
    /// Result types are those that follow from operands and attributes.
    InferredResultTypes,
    /// Is a symbol only where it has a name.
    OptionalSymbol,
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

impl TypeRecipe {
    /// The expressions that it evaluates, the outermost first.
    pub fn snippets(&self) -> Vec<SnippetId> {
        let mut found = Vec::new();
        let mut recipe = self;
        while let TypeRecipe::Transform(snippet, inner) = recipe {
            found.push(*snippet);
            recipe = inner;
        }
        found
    }
}

//! The rewrite part of a rule: steps that run in order after a match.
//!
//! Either all steps take effect or none does. A step takes nodes of the match part and results of earlier steps.

use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::source::Span;

use super::match_part::{Arg, Callee, Constant, NodeId};

define_ids! {
    /// A result of a step of the rewrite part of a rule.
    pub struct LocalId;
}

/// The steps that a rule runs after a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct RewritePart {
    /// The steps.
    pub steps: Vec<Step>,
    /// The kind of each local.
    pub locals: IdVec<LocalId, Kind>,
    /// The nodes that the rule names in its locations. A default location, which the rule does not state, adds no node.
    /// Only `src/pdl/advice.rs` reads this.
    pub located: Vec<NodeId>,
}

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A node of the match part.
    Matched(NodeId),
    /// The result of an earlier step.
    Local(LocalId),
}

impl From<NodeId> for Source {
    fn from(node: NodeId) -> Self {
        Source::Matched(node)
    }
}

impl From<LocalId> for Source {
    fn from(local: LocalId) -> Self {
        Source::Local(local)
    }
}

impl<T: Into<Source>> From<T> for Arg<Source> {
    fn from(source: T) -> Self {
        Arg::Of(source.into())
    }
}

/// One step of a rewrite. `to` is the local that the step defines.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Creates a constant attribute.
    Attr {
        /// The constant.
        value: Constant,
        /// The attribute.
        to: LocalId,
    },
    /// Creates a constant type.
    Type {
        /// The constant.
        value: Constant,
        /// The type.
        to: LocalId,
    },
    /// Reads the type of a value, or the types of a range.
    TypeOf {
        /// The value or range.
        of: Source,
        /// The type or range of types.
        to: LocalId,
    },
    /// Reads one result of an operation.
    Result {
        /// The operation.
        op: Source,
        /// The result's number.
        index: u32,
        /// The value.
        to: LocalId,
    },
    /// Reads some or all results of an operation.
    Results {
        /// The operation.
        op: Source,
        /// The first result and the number of results; `None` for all results.
        range: Option<(u32, u32)>,
        /// The range of values.
        to: LocalId,
    },
    /// Joins single entities and ranges into one range.
    Range {
        /// Values, types or attributes, single or ranges. A null value adds nothing.
        parts: Vec<Source>,
        /// The range.
        to: LocalId,
    },
    /// Calls a native rewrite or a snippet.
    Call {
        /// The native or snippet.
        callee: Callee,
        /// The arguments.
        args: Vec<Arg<Source>>,
        /// The results.
        to: Vec<LocalId>,
        /// The place where the call was written.
        span: Span,
    },
    /// Creates a location for calls that take one.
    Location {
        /// The location's parts.
        spec: LocationSpec,
        /// The location.
        to: LocalId,
    },
    /// Creates an operation.
    Create(CreateOp),
    /// Replaces all results of an operation, and erases the operation.
    Replace {
        /// The operation.
        op: Source,
        /// The replacement for its results.
        with: Replacement,
    },
    /// Erases an operation without uses.
    Erase {
        /// The operation.
        op: Source,
    },
}

impl Step {
    /// The locals that the step defines.
    pub fn defined_locals(&self) -> &[LocalId] {
        match self {
            Step::Attr { to, .. }
            | Step::Type { to, .. }
            | Step::TypeOf { to, .. }
            | Step::Result { to, .. }
            | Step::Results { to, .. }
            | Step::Range { to, .. }
            | Step::Location { to, .. }
            | Step::Create(CreateOp { to, .. }) => std::slice::from_ref(to),
            Step::Call { to, .. } => to,
            Step::Replace { .. } | Step::Erase { .. } => &[],
        }
    }
}

/// The replacement for an operation's results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Values and ranges, joined.
    Values(Vec<Source>),
    /// The results of an operation.
    Op(Source),
}

/// An operation to create.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateOp {
    /// The operation's name.
    pub name: StrId,
    /// The operands, with one entry for each group: values, ranges, and nulls for absent optional operands.
    pub operands: Vec<Source>,
    /// The attribute that receives the size of each operand group.
    pub operand_segments: Option<StrId>,
    /// The attributes, each with its name, its value, and true if the operation declares it. An attribute whose value
    /// is null is omitted.
    pub attributes: Vec<(StrId, Source, bool)>,
    /// The types of the results.
    pub results: ResultTypes,
    /// The attribute that receives the size of each result group.
    pub result_segments: Option<StrId>,
    /// The number of regions, which are empty. A number above [`MAX_REGIONS`](crate::host::MAX_REGIONS) is refused when
    /// the rewrite runs.
    pub regions: u32,
    /// The location.
    pub location: LocationSpec,
    /// The new operation.
    pub to: LocalId,
    /// The place where the step was written.
    pub span: Span,
}

/// The origin of a new operation's result types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultTypes {
    /// Types and ranges of types, joined, with one entry for each group.
    Listed(Vec<Source>),
    /// The recipes of the operation's definition ([`OpDef::result_types`](super::OpDef::result_types)) or, without
    /// recipes, the [type inference](crate::host::Natives::type_inference) that is registered for its name.
    Inferred,
}

/// The location of a new operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocationSpec {
    /// Several locations fused into one. A single location without metadata stands for itself.
    Fused {
        /// Operations, values or locations.
        of: Vec<Source>,
        /// The string that the fused location carries.
        metadata: Option<StrId>,
    },
    /// A name, around a location or alone.
    Named {
        /// The name.
        name: StrId,
        /// The location inside.
        child: Option<Source>,
    },
}

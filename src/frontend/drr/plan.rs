//! The plan of a rewrite: result patterns with all symbols resolved.
//!
//! A plan refers by id to the nodes of the match graph, and to the plan's own creations and calls. Evaluation order is
//! the order of the lists. The arguments of a creation are an exception: nested patterns are evaluated before the other
//! arguments.

use super::names::Reference;
use super::symbols::{CallId, CreationId};
use crate::frontend::ods::OpId;
use crate::frontend::tablegen::Record;
use crate::host::Kind;
use crate::intern::StrId;
use crate::pdl::{Arity, NodeId};
use crate::source::Span;

/// A top-level result pattern.
pub(super) struct TopPattern<'a> {
    pub(super) producer: Producer<'a>,
    pub(super) role: Role,
    pub(super) span: Span,
}

/// The use of a result pattern's values.
#[derive(Clone, Copy)]
pub(super) enum Role {
    /// Other patterns refer to the values by symbols.
    Auxiliary,
    /// The values replace results of the root. The arity is that of the first replaced result group.
    Replacement(Option<Arity>),
}

/// A pattern that produces values.
pub(super) enum Producer<'a> {
    Create(Box<Creation<'a>>),
    Call(Box<NativeCall<'a>>),
    /// `replaceWithValue`.
    Symbol(Reference),
    /// `variadic`: a range of values.
    Range(Vec<Argument<'a>>),
}

/// An operation to create.
pub(super) struct Creation<'a> {
    pub(super) id: CreationId,
    pub(super) op: OpId,
    /// The index in the pattern's symbol (`$name__N`).
    pub(super) index: Option<usize>,
    /// The arguments, in the order of the definition.
    pub(super) arguments: Vec<Argument<'a>>,
    pub(super) types: TypesOf<'a>,
    pub(super) location: Location,
    /// The regions of the root that become the first regions of the new operation.
    pub(super) taken: Vec<TakenRegion>,
    pub(super) span: Span,
}

/// A region of the root that a new operation takes.
#[derive(Clone, Copy)]
pub(super) struct TakenRegion {
    pub(super) index: u32,
    pub(super) span: Span,
}

/// The source of the result types of a new operation.
pub(super) enum TypesOf<'a> {
    /// The operation has no results.
    Nothing,
    /// A `returnType` directive.
    Directive(Vec<ReturnType<'a>>),
    /// The first operand, for all results.
    FirstOperand,
    /// The first attribute, for all results.
    FirstAttribute,
    /// The replaced result groups of the root.
    Replaced(Vec<(NodeId, Kind)>),
    /// The definition: its type inference or one of its builders.
    Definition,
}

/// An item of a `returnType` directive.
pub(super) enum ReturnType<'a> {
    Call(NativeCall<'a>, Span),
    /// A C++ expression.
    Text(&'a str, Span),
    /// The type of the value or attribute that a symbol refers to.
    OfSymbol(&'a str, Reference, Span),
}

/// A call of a `NativeCodeCall` in the rewrite.
pub(super) struct NativeCall<'a> {
    pub(super) id: CallId,
    pub(super) native: Native<'a>,
    /// The number of results.
    pub(super) count: usize,
    pub(super) arguments: Vec<Argument<'a>>,
    pub(super) location: Location,
    /// The result that the index in the pattern's symbol (`$name__N`) selects.
    pub(super) selected: Option<Reference>,
    pub(super) span: Span,
}

/// The C++ expression of a `NativeCodeCall`, and the name of the native that can replace it.
pub(super) struct Native<'a> {
    pub(super) expression: &'a str,
    pub(super) name: String,
}

/// An argument of an operation, a call or a range.
pub(super) struct Argument<'a> {
    pub(super) value: ArgumentValue<'a>,
    pub(super) span: Span,
}

pub(super) enum ArgumentValue<'a> {
    Nested(Producer<'a>),
    Symbol(Reference),
    /// A native call without arguments. Its `$_self` is the entity to which a symbol refers.
    Mapped(Native<'a>, Reference),
    /// A `ConstantAttr` or an enum case.
    Constant(Record<'a>),
    /// A `ConstantProp`.
    PropertyConstant(Record<'a>),
}

/// The location of a new operation, or of a native call.
pub(super) enum Location {
    /// The fused locations of the matched operations.
    Default,
    Named(StrId),
    Fused {
        of: Vec<Located>,
        metadata: Option<StrId>,
    },
}

/// An entity with a location.
pub(super) enum Located {
    Node(NodeId),
    Creation(CreationId),
    Value(Reference, Span),
}

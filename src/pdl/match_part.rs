//! The match part of a rule: a graph of nodes whose roots are operations.
//!
//! A node stands for one entity of the matched IR. Several nodes can refer to one node, so a symbol that a rule uses
//! twice stands for one entity. Strings are ids of the rule set's interner.

use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::snippet::SnippetId;
use crate::source::Span;

define_ids! {
    /// A node of the match part of a rule.
    pub struct NodeId;
}

/// The graph of nodes that a rule matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct MatchPart {
    nodes: IdVec<NodeId, NodeEntry>,
    /// The anchor, and then the other operation nodes whose results no operation node takes. The rule matches at the
    /// operation that the anchor stands for. The other roots are found from the anchor through users
    /// ([`MatchPart::climbs`]). A DRR rule has one root, and a PDL rule can have several; [`MatchPart::find_roots`]
    /// chooses the anchor.
    pub roots: Vec<NodeId>,
    /// The constraints, in the order in which they are checked. The nodes that a constraint takes are bound before it
    /// is checked.
    pub constraints: Vec<Call>,
}

/// A node with the place and the name that the rule gives it.
#[derive(Clone, Debug)]
struct NodeEntry {
    node: Node,
    span: Span,
    name: Option<StrId>,
}

impl MatchPart {
    /// Adds a node that was written at `span`.
    pub(crate) fn push(&mut self, node: Node, span: Span) -> NodeId {
        self.nodes.push(NodeEntry { node, span, name: None })
    }

    /// Names a node of this part.
    pub(crate) fn set_name(&mut self, node: NodeId, name: StrId) {
        self.nodes[node].name = Some(name);
    }

    /// The node with this id, if the part has it.
    pub(crate) fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id).map(|entry| &entry.node)
    }

    /// The place where a node was written.
    pub(crate) fn span(&self, id: NodeId) -> Span {
        self.nodes[id].span
    }

    /// The name that the rule gives to a node.
    pub(crate) fn name(&self, id: NodeId) -> Option<StrId> {
        self.nodes[id].name
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The ids of the nodes, in order.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone + use<> {
        self.nodes.ids()
    }

    /// The nodes in the order of their ids.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Node> + ExactSizeIterator + Clone {
        self.nodes.iter().map(|entry| &entry.node)
    }

    /// The nodes in the order of their ids, as mutable references.
    #[cfg(feature = "ir")]
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.nodes.iter_mut().map(|entry| &mut entry.node)
    }

    /// The ids and nodes in order.
    pub(crate) fn iter_enumerated(
        &self,
    ) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> + ExactSizeIterator + Clone {
        self.nodes.iter_enumerated().map(|(id, entry)| (id, &entry.node))
    }

    /// For each operation node, the nodes that stand for its numbered results, its result groups or all its results.
    pub(crate) fn results_by_op(&self) -> IdVec<NodeId, Vec<NodeId>> {
        let mut results: IdVec<NodeId, Vec<NodeId>> = self.iter().map(|_| Vec::new()).collect();
        for (id, node) in self.iter_enumerated() {
            if let Some(ValueSource::Result { op, .. } | ValueSource::Results { op, .. }) = node.source() {
                results[op].push(id);
            }
        }
        results
    }

    /// The nodes that refer to a node that the part does not have.
    pub(super) fn dangling(&self) -> impl Iterator<Item = NodeId> {
        self.iter_enumerated().filter_map(|(id, node)| {
            let mut outside = false;
            node.for_each_child(|child| outside |= self.get(child).is_none());
            outside.then_some(id)
        })
    }

    /// True if an operation lists this node as a result type, or if a value or range without an origin has this node as
    /// its type or types.
    pub(super) fn lists_type(&self, ty: NodeId) -> bool {
        self.iter().any(|node| match node {
            Node::Operation(op) => op.results.iter().flatten().any(|&result| result == ty),
            Node::Value { ty: of, source: None } | Node::Values { types: of, source: None } => {
                *of == Some(ty)
            }
            _ => false,
        })
    }
}

impl std::ops::Index<NodeId> for MatchPart {
    type Output = Node;
    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id].node
    }
}

impl std::ops::IndexMut<NodeId> for MatchPart {
    fn index_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id].node
    }
}

/// An entity of the matched IR.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// An operation.
    Operation(OperationNode),
    /// One value, or null for an absent optional operand.
    Value {
        /// The value's type, a [`Node::Type`].
        ty: Option<NodeId>,
        /// The origin of the value, in addition to the operand lists that name it.
        source: Option<ValueSource>,
    },
    /// A range of values, which is compared as a whole.
    Values {
        /// The types of the values, a [`Node::Types`].
        types: Option<NodeId>,
        /// The origin of the values, in addition to the operand lists that name them.
        source: Option<ValueSource>,
    },
    /// An attribute or property, or null for an absent optional attribute.
    Attribute {
        /// The constant that the attribute must equal.
        value: Option<Constant>,
        /// The type that the attribute must state, a [`Node::Type`].
        ty: Option<NodeId>,
    },
    /// A type.
    Type {
        /// The constant that the type must equal.
        value: Option<Constant>,
    },
    /// A range of types.
    Types {
        /// The constants that the types must equal, in order.
        values: Option<Vec<Constant>>,
    },
    /// A result of a constraint call ([`Call::results`] names the node), of any kind.
    Bound {
        /// The result's kind.
        kind: Kind,
    },
}

impl Node {
    /// The kind of entity that the node stands for.
    pub fn kind(&self) -> Kind {
        match self {
            Node::Operation(_) => Kind::Op,
            Node::Value { .. } => Kind::Value,
            Node::Values { .. } => Kind::Values,
            Node::Attribute { .. } => Kind::Attr,
            Node::Type { .. } => Kind::Type,
            Node::Types { .. } => Kind::Types,
            Node::Bound { kind } => *kind,
        }
    }

    /// The origin of a value or range, if the node states it.
    pub fn source(&self) -> Option<ValueSource> {
        match self {
            Node::Value { source, .. } | Node::Values { source, .. } => *source,
            _ => None,
        }
    }

    /// The operand groups of an operation; empty for other nodes and for an operation with any operands.
    pub fn operands(&self) -> std::slice::Iter<'_, OperandGroup> {
        self.as_operation().and_then(|op| op.operands.as_deref()).unwrap_or_default().iter()
    }

    /// Visits the nodes to which this node refers, in the order in which they are matched: an operation's operands,
    /// attributes and result types; a value's type and origin; an attribute's type.
    pub fn for_each_child(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Node::Operation(op) => {
                self.operands().flat_map(OperandGroup::nodes).for_each(|&node| visit(node));
                op.attributes.iter().for_each(|edge| visit(edge.node));
                op.results.iter().flatten().for_each(|&node| visit(node));
            }
            Node::Value { ty, source } | Node::Values { types: ty, source } => {
                ty.iter().for_each(|&node| visit(node));
                source.iter().for_each(|source| visit(source.op()));
            }
            Node::Attribute { ty, .. } => ty.iter().for_each(|&node| visit(node)),
            Node::Type { .. } | Node::Types { .. } | Node::Bound { .. } => {}
        }
    }

    /// True if the node is a constant, so that it can be bound without reading the IR.
    pub fn is_constant(&self) -> bool {
        matches!(
            self,
            Node::Attribute { value: Some(_), .. }
                | Node::Type { value: Some(_) }
                | Node::Types { values: Some(_) }
        )
    }

    /// The operation, if the node is one.
    pub fn as_operation(&self) -> Option<&OperationNode> {
        if let Node::Operation(operation) = self { Some(operation) } else { None }
    }
}

/// The origin of a value node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// Result number `index` of an operation node.
    Result {
        /// The operation.
        op: NodeId,
        /// The result's number.
        index: u32,
    },
    /// Any result of an operation node. Nesting in DRR does not state the number of the result.
    DefinedBy {
        /// The operation.
        op: NodeId,
    },
    /// One result group of an operation node, or all its results.
    Results {
        /// The operation.
        op: NodeId,
        /// The index of the result group; `None` for all results.
        ///
        /// If the operation lists its result groups, the index refers to this list. A list that is a single range
        /// stands for all groups and counts as no list. Without a list, the attribute that
        /// [`OperationNode::result_split`] names has the sizes of the groups. Without such an attribute, each group
        /// before this one has one result, and this group has the rest.
        group: Option<u32>,
    },
}

impl ValueSource {
    /// The operation that defines the value.
    pub fn op(self) -> NodeId {
        match self {
            ValueSource::Result { op, .. }
            | ValueSource::DefinedBy { op }
            | ValueSource::Results { op, .. } => op,
        }
    }
}

/// An operation to match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationNode {
    /// The operation's name; `None` for any name.
    pub name: Option<StrId>,
    /// The operands; `None` for any operands.
    pub operands: Option<Vec<OperandGroup>>,
    /// The division of the operands into groups, if some groups are ranges.
    pub operand_split: GroupSplit,
    /// Pairs of operand groups (both [`OperandGroup::One`]) that match in either order. The first order that
    /// satisfies the whole rule is taken.
    pub either: Vec<(u32, u32)>,
    /// The attributes and properties.
    pub attributes: Vec<AttrEdge>,
    /// The types of the results, each a [`Node::Type`] or [`Node::Types`]; `None` for any number of results of any
    /// types.
    pub results: Option<Vec<NodeId>>,
    /// The division of the results into groups, if some groups are ranges.
    pub result_split: GroupSplit,
}

impl OperationNode {
    /// The result types, one for each result group; `None` if the groups are not listed.
    pub fn listed_results(&self, kind_of: impl Fn(NodeId) -> Kind) -> Option<&[NodeId]> {
        match self.results.as_deref() {
            Some(&[all]) if kind_of(all) == Kind::Types => None,
            listed => listed,
        }
    }
}

/// One entry of an operand list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandGroup {
    /// Exactly one operand, a [`Node::Value`].
    One(NodeId),
    /// At most one operand, a [`Node::Value`] that is null if the operand is absent.
    Optional(NodeId),
    /// Any number of operands, a [`Node::Values`].
    Range(NodeId),
    /// One operand for each element of the list, each a [`Node::Value`] (DRR's `variadic`).
    List(Vec<NodeId>),
    /// Any number of operands, without conditions or bindings.
    Any,
}

impl OperandGroup {
    /// The nodes of the group, in order.
    pub fn nodes(&self) -> &[NodeId] {
        match self {
            OperandGroup::One(node) | OperandGroup::Optional(node) | OperandGroup::Range(node) => {
                std::slice::from_ref(node)
            }
            OperandGroup::List(nodes) => nodes,
            OperandGroup::Any => &[],
        }
    }

    /// The least and the largest number of operands; `None` if the number is unbounded.
    pub fn size(&self) -> (usize, Option<usize>) {
        match self {
            OperandGroup::One(_) => (1, Some(1)),
            OperandGroup::Optional(_) => (0, Some(1)),
            OperandGroup::List(nodes) => (nodes.len(), Some(nodes.len())),
            OperandGroup::Range(_) | OperandGroup::Any => (0, None),
        }
    }
}

/// The division of a flat list of operands or results into groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GroupSplit {
    /// At most one group has an open size. It takes the elements that the other groups leave.
    #[default]
    Rest,
    /// All groups of open size have the same size.
    Equal,
    /// An attribute of this name lists the size of each group (`array<i32: …>`).
    Attribute(StrId),
}

/// An attribute or property of an operation to match.
#[derive(Clone, Debug, PartialEq)]
pub struct AttrEdge {
    /// The attribute's name.
    pub name: StrId,
    /// The [`Node::Attribute`] that the attribute is bound to.
    pub node: NodeId,
    /// The effect of the attribute's absence.
    pub presence: Presence,
    /// A predicate that tests the attribute's storage class. An attribute that fails it counts as absent.
    pub storage: Option<SnippetId>,
}

/// The effect of an attribute's absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The rule does not match.
    Required,
    /// The node is null.
    Optional,
    /// The node is this attribute.
    Default(Constant),
}

/// An attribute or type that is computed when the program is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// MLIR text.
    Text(StrId),
    /// A snippet without parameters.
    Snippet(SnippetId),
}

/// The target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// The native that is registered under this name.
    Native(StrId),
    /// A snippet.
    Snippet(SnippetId),
}

/// A call of a constraint. It succeeds or fails, and may bind nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The constraint.
    pub callee: Callee,
    /// The arguments.
    pub args: Vec<Arg<NodeId>>,
    /// The nodes for the results. A node that is already bound must equal its result. Any other node is bound to its
    /// result, which must fit the node.
    pub results: Vec<NodeId>,
    /// True if the rule requires that the constraint fails.
    pub negated: bool,
    /// The place where the call was written.
    pub span: Span,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arg<N> {
    /// The entity that a node or local is bound to.
    Of(N),
    /// Each element of a range in turn. The call succeeds if it succeeds for all elements.
    Each(N),
    /// An attribute constant.
    Attr(Constant),
    /// A type constant.
    Type(Constant),
    /// An integer.
    Int(i64),
    /// A Boolean.
    Bool(bool),
    /// A string.
    Str(StrId),
}

impl From<NodeId> for Arg<NodeId> {
    fn from(node: NodeId) -> Self {
        Arg::Of(node)
    }
}

impl<N: Copy> Arg<N> {
    /// The node or local that the argument reads, if any.
    pub fn taken(&self) -> Option<N> {
        if let Arg::Of(n) | Arg::Each(n) = self { Some(*n) } else { None }
    }

    /// The kind of the passed entity, given the kinds of nodes or locals; `None` for [`Arg::Each`] of an entity
    /// that is not a range.
    pub fn kind(&self, kind_of: impl Fn(N) -> Kind) -> Option<Kind> {
        match self {
            Arg::Of(n) => Some(kind_of(*n)),
            Arg::Each(n) => element_kind(kind_of(*n)),
            Arg::Attr(_) => Some(Kind::Attr),
            Arg::Type(_) => Some(Kind::Type),
            Arg::Int(_) => Some(Kind::Int),
            Arg::Bool(_) => Some(Kind::Bool),
            Arg::Str(_) => Some(Kind::Str),
        }
    }
}

/// The kind of a range's elements; `None` for a kind that is not a range.
pub(crate) fn element_kind(range: Kind) -> Option<Kind> {
    match range {
        Kind::Values => Some(Kind::Value),
        Kind::Types => Some(Kind::Type),
        Kind::Attrs => Some(Kind::Attr),
        _ => None,
    }
}

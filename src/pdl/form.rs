//! The data of a rule: a graph of what to match, and a list of steps to take.
//!
//! The match part is a graph of nodes. A node that is reached twice is one thing, so a symbol used
//! twice is an equality. Strings are ids of the rule set's interner.

use hashbrown::HashSet;

use super::{Choice, OpTable};
use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::intern::{Interner, StrId};
use crate::snippet::{SnippetId, Snippets};
use crate::source::Span;

define_ids! {
    /// A rule of a [`RuleSet`]; ids ascend in rule-list order.
    pub struct PatternId;
    /// A node of a [`MatchPart`].
    pub struct NodeId;
    /// Something that a [`RewritePart`] makes.
    pub struct LocalId;
}

/// A list of rules, with the strings, operation definitions and snippets that they refer to.
///
/// [`RuleSet::pattern`] adds a rule. [`RuleSet::verify`] gives the [`VerifiedRules`](super::VerifiedRules) that the
/// later stages take.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    pub(crate) strings: Interner,
    pub(crate) ops: OpTable,
    pub(crate) snippets: Snippets,
    pub(crate) patterns: IdVec<PatternId, Pattern>,
}

impl RuleSet {
    /// The strings that the rules refer to.
    pub fn strings(&self) -> &Interner {
        &self.strings
    }

    /// The definitions of operations that the rules refer to.
    pub fn ops(&self) -> &OpTable {
        &self.ops
    }

    /// The definitions of operations, to change them.
    pub fn ops_mut(&mut self) -> &mut OpTable {
        &mut self.ops
    }

    /// The expressions that the rules compute.
    pub fn snippets(&self) -> &Snippets {
        &self.snippets
    }

    /// The rules, in rule-list order.
    pub fn patterns(&self) -> &IdVec<PatternId, Pattern> {
        &self.patterns
    }

    /// The id of a string, which is added if the set does not have it.
    pub fn intern(&mut self, string: &str) -> StrId {
        self.strings.intern(string)
    }

    /// A set of these rules, which must be rules of this set or refer to nothing else.
    #[must_use]
    pub fn with_patterns(&self, patterns: impl IntoIterator<Item = Pattern>) -> Self {
        Self {
            strings: self.strings.clone(),
            ops: self.ops.clone(),
            snippets: self.snippets.clone(),
            patterns: patterns.into_iter().collect(),
        }
    }

    /// The names of the operations that rules match or make, each once, in the order they are met.
    pub fn mentioned_ops(&self) -> Vec<StrId> {
        let mut seen = HashSet::new();
        let of = |pattern: &Pattern| -> Vec<StrId> {
            let matched = pattern.matcher.iter().filter_map(|node| node.as_operation()?.name);
            let made = pattern.rewrite.steps.iter().filter_map(|step| match step {
                Step::Create(create) => Some(create.name),
                _ => None,
            });
            matched.chain(made).collect()
        };
        self.patterns.iter().flat_map(of).filter(|&name| seen.insert(name)).collect()
    }
}

/// Where something was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In a source file.
    Span(Span),
    /// In Rust code that builds rules.
    Rust(&'static std::panic::Location<'static>),
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The record's or symbol's name; shown in messages.
    pub name: StrId,
    /// What it can be enabled or disabled by, besides its name.
    pub labels: Vec<StrId>,
    /// Higher is tried first: 0 to 65,534.
    pub benefit: u16,
    /// If the rule has several benefits, which of them this one has.
    pub choice: Option<Choice>,
    /// Whether it may fire on what it produced itself.
    pub recursive: bool,
    /// Where it was written.
    pub origin: Origin,
    /// What to match.
    pub matcher: MatchPart,
    /// What to do.
    pub rewrite: RewritePart,
}

impl Pattern {
    /// The largest benefit a rule can have.
    pub const MAX_BENEFIT: u16 = 65_534;
}

/// What to match: a graph whose root is an operation.
#[derive(Clone, Debug, Default)]
pub struct MatchPart {
    nodes: IdVec<NodeId, NodeEntry>,
    /// The operation nodes that no other operation node leads to. The first is the anchor: the rule
    /// matches at the operation it stands for. The others are found from it through users
    /// ([`MatchPart::climbs`]). One for DRR, any number for PDL; a given root comes first, else the
    /// cheapest ([`MatchPart::find_roots`]).
    pub roots: Vec<NodeId>,
    /// Asked in this order once all nodes they take are bound and structure has matched.
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
    pub fn push(&mut self, node: Node, span: Span) -> NodeId {
        self.nodes.push(NodeEntry { node, span, name: None })
    }

    /// Names a node of this part.
    pub fn set_name(&mut self, node: NodeId, name: StrId) {
        self.nodes[node].name = Some(name);
    }

    /// The node with this id, if the part has it.
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id).map(|entry| &entry.node)
    }

    /// The place where a node was written.
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id].span
    }

    /// The rule's name of a node.
    pub fn name(&self, id: NodeId) -> Option<StrId> {
        self.nodes[id].name
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The ids of the nodes, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone + use<> {
        self.nodes.ids()
    }

    /// The nodes in the order of their ids.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Node> + ExactSizeIterator + Clone {
        self.nodes.iter().map(|entry| &entry.node)
    }

    /// The ids and nodes in order.
    pub fn iter_enumerated(
        &self,
    ) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> + ExactSizeIterator + Clone {
        self.nodes.iter_enumerated().map(|(id, entry)| (id, &entry.node))
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

/// Something in the matched IR.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// An operation.
    Operation(OperationNode),
    /// One value, or null if it stands for an absent optional operand.
    Value {
        /// Its type, a [`Node::Type`].
        ty: Option<NodeId>,
        /// Where it comes from, beyond the operand lists that name it.
        source: Option<ValueSource>,
    },
    /// A range of values, compared whole.
    Values {
        /// Their types, a [`Node::Types`].
        types: Option<NodeId>,
        /// The results they are, beyond the operand lists that name them.
        source: Option<ValueSource>,
    },
    /// An attribute or property, or null if it stands for an absent optional one.
    Attribute {
        /// What it must equal.
        value: Option<Constant>,
        /// The type it must state, a [`Node::Type`].
        ty: Option<NodeId>,
    },
    /// A type.
    Type {
        /// What it must equal.
        value: Option<Constant>,
    },
    /// A range of types.
    Types {
        /// What they must equal, one by one.
        values: Option<Vec<Constant>>,
    },
    /// What a constraint call gives ([`Call::results`] names the node): any kind.
    Bound {
        /// Its kind.
        kind: Kind,
    },
}

impl Node {
    /// The kind of thing it stands for.
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

    /// Which value or range it is, if it says so.
    pub fn source(&self) -> Option<ValueSource> {
        match self {
            Node::Value { source, .. } | Node::Values { source, .. } => *source,
            _ => None,
        }
    }

    /// Its operand groups; none if it is no operation or leaves its operands open.
    pub fn operands(&self) -> std::slice::Iter<'_, OperandGroup> {
        self.as_operation().and_then(|op| op.operands.as_deref()).unwrap_or_default().iter()
    }

    /// Everything that it says something about, in the order it is matched: an operation's operands,
    /// attributes and result types; a value's type and where it comes from.
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

    /// Whether it is a constant, so that it is known without looking.
    pub fn is_constant(&self) -> bool {
        matches!(
            self,
            Node::Attribute { value: Some(_), .. }
                | Node::Type { value: Some(_) }
                | Node::Types { values: Some(_) }
        )
    }

    /// The operation, if it is one.
    pub fn as_operation(&self) -> Option<&OperationNode> {
        if let Node::Operation(operation) = self { Some(operation) } else { None }
    }
}

impl ValueSource {
    /// The operation whose result it is.
    pub fn op(self) -> NodeId {
        match self {
            ValueSource::Result { op, .. }
            | ValueSource::DefinedBy { op }
            | ValueSource::Results { op, .. } => op,
        }
    }
}

/// Which value a value node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// Result number `index` of an operation node.
    Result {
        /// The operation.
        op: NodeId,
        /// Which of its results.
        index: u32,
    },
    /// Any result of an operation node: "defined by" without saying which result, as DRR nests.
    DefinedBy {
        /// The operation.
        op: NodeId,
    },
    /// Result group `index` of an operation node, or all its results.
    Results {
        /// The operation.
        op: NodeId,
        /// Which of its result groups: those that the node lists, unless it lists none or one range,
        /// which then stands for all of them. In that case groups are divided by the attribute if
        /// [`OperationNode::result_split`] names one; else the groups before this are taken as single
        /// and it is the rest.
        group: Option<u32>,
    },
}

/// An operation to match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationNode {
    /// Its name; `None`: any.
    pub name: Option<StrId>,
    /// Its operands; `None`: any.
    pub operands: Option<Vec<OperandGroup>>,
    /// How operands divide into groups when some are ranges.
    pub operand_split: GroupSplit,
    /// Pairs of operand groups (both [`OperandGroup::One`]) that match in either order; the first
    /// order that satisfies the whole rule is taken.
    pub either: Vec<(u32, u32)>,
    /// Its attributes and properties.
    pub attributes: Vec<AttrEdge>,
    /// Types of its results, [`Node::Type`] or [`Node::Types`] each; `None`: any number of any.
    pub results: Option<Vec<NodeId>>,
    /// How results divide into groups when some are ranges.
    pub result_split: GroupSplit,
}

/// One entry of an operand list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandGroup {
    /// Exactly one operand, a [`Node::Value`].
    One(NodeId),
    /// None or one operand, a [`Node::Value`] that is null in the first case.
    Optional(NodeId),
    /// Any number, a [`Node::Values`].
    Range(NodeId),
    /// As many operands as the list is long, each a [`Node::Value`] (DRR's `variadic`).
    List(Vec<NodeId>),
    /// Any number, nothing asked or bound.
    Any,
}

impl OperationNode {
    /// The result types that are one for each result group; `None`: the groups are not listed.
    pub fn listed_results(&self, kind_of: impl Fn(NodeId) -> Kind) -> Option<&[NodeId]> {
        match self.results.as_deref() {
            Some(&[all]) if kind_of(all) == Kind::Types => None,
            listed => listed,
        }
    }
}

impl OperandGroup {
    /// The nodes it names, in order.
    pub fn nodes(&self) -> &[NodeId] {
        match self {
            OperandGroup::One(node) | OperandGroup::Optional(node) | OperandGroup::Range(node) => {
                std::slice::from_ref(node)
            }
            OperandGroup::List(nodes) => nodes,
            OperandGroup::Any => &[],
        }
    }

    /// How many operands it takes at least, and at most if there is a most.
    pub fn size(&self) -> (usize, Option<usize>) {
        match self {
            OperandGroup::One(_) => (1, Some(1)),
            OperandGroup::Optional(_) => (0, Some(1)),
            OperandGroup::List(nodes) => (nodes.len(), Some(nodes.len())),
            OperandGroup::Range(_) | OperandGroup::Any => (0, None),
        }
    }
}

/// How a flat list of operands or results divides into groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GroupSplit {
    /// At most one group has a size that is not fixed; it takes what the others leave.
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
    /// Its name.
    pub name: StrId,
    /// The [`Node::Attribute`] it is.
    pub node: NodeId,
    /// What its absence means.
    pub presence: Presence,
    /// A predicate over the attribute alone; one that fails it counts as absent (wrong storage type).
    pub storage: Option<SnippetId>,
}

/// What the absence of an attribute means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// No match.
    Required,
    /// The node is null.
    Optional,
    /// The node is this attribute.
    Default(Constant),
}

/// An attribute or type known when the program is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// MLIR text.
    Text(StrId),
    /// A snippet without parameters.
    Snippet(SnippetId),
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A native the host registers, by name.
    Native(StrId),
    /// An expression.
    Snippet(SnippetId),
}

/// A call while matching: it holds or does not, and may bind nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// With what.
    pub args: Vec<Arg<NodeId>>,
    /// The nodes its results are: [`Node::Bound`], or any other node, which must then be equal.
    pub results: Vec<NodeId>,
    /// Whether it must not hold.
    pub negated: bool,
    /// Where it was written.
    pub span: Span,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arg<N> {
    /// What a node or local is.
    Of(N),
    /// Each element of a range in turn; the call holds if it holds for all.
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

impl<T: Into<Source>> From<T> for Arg<Source> {
    fn from(source: T) -> Self {
        Arg::Of(source.into())
    }
}

impl<N: Copy> Arg<N> {
    /// The node or local it takes from, if any.
    pub fn taken(&self) -> Option<N> {
        if let Arg::Of(n) | Arg::Each(n) = self { Some(*n) } else { None }
    }

    /// The kind that is passed, given the kinds of nodes or locals; `None` for each element of what
    /// is not a range.
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

/// The kind of a range's elements.
pub(crate) fn element_kind(range: Kind) -> Option<Kind> {
    match range {
        Kind::Values => Some(Kind::Value),
        Kind::Types => Some(Kind::Type),
        Kind::Attrs => Some(Kind::Attr),
        _ => None,
    }
}

/// What to do after a match: steps in order, all or nothing.
#[derive(Clone, Debug, Default)]
pub struct RewritePart {
    /// The steps.
    pub steps: Vec<Step>,
    /// Kind of each thing the steps make.
    pub locals: IdVec<LocalId, Kind>,
    /// What the rule itself names as a location, which a location by default does not: for advice only.
    pub located: Vec<NodeId>,
}

/// What a step takes: something matched or something made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A node of the match part.
    Matched(NodeId),
    /// Made by an earlier step.
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

impl Pattern {
    /// The kind of what a step takes.
    pub fn kind(&self, source: Source) -> Kind {
        match source {
            Source::Matched(node) => self.matcher[node].kind(),
            Source::Local(local) => self.rewrite.locals[local],
        }
    }
}

impl Step {
    /// What it makes.
    pub fn made(&self) -> &[LocalId] {
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

/// One step of a rewrite. `to` is what it makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An attribute constant.
    Attr {
        /// The constant.
        value: Constant,
        /// The attribute.
        to: LocalId,
    },
    /// A type constant.
    Type {
        /// The constant.
        value: Constant,
        /// The type.
        to: LocalId,
    },
    /// Type of a value, or types of a range.
    TypeOf {
        /// A value or range.
        of: Source,
        /// The type or range of types.
        to: LocalId,
    },
    /// One result of an operation.
    Result {
        /// The operation.
        op: Source,
        /// Which result.
        index: u32,
        /// The value.
        to: LocalId,
    },
    /// A result group of an operation made here or matched, or all its results.
    Results {
        /// The operation.
        op: Source,
        /// Which results: first and how many; `None`: all.
        range: Option<(u32, u32)>,
        /// The range of values.
        to: LocalId,
    },
    /// A range from single things and ranges.
    Range {
        /// Values, types or attributes, single or ranges; a null value adds nothing.
        parts: Vec<Source>,
        /// The range.
        to: LocalId,
    },
    /// A call of a native rewrite or a snippet.
    Call {
        /// What is called.
        callee: Callee,
        /// With what.
        args: Vec<Arg<Source>>,
        /// What it gives.
        to: Vec<LocalId>,
        /// Where it was written.
        span: Span,
    },
    /// A location, for calls that take one.
    Location {
        /// Which location.
        spec: LocationSpec,
        /// The location.
        to: LocalId,
    },
    /// A new operation.
    Create(CreateOp),
    /// Replaces all results of an operation and erases it.
    Replace {
        /// The operation.
        op: Source,
        /// With what.
        with: Replacement,
    },
    /// Erases an operation without uses.
    Erase {
        /// The operation.
        op: Source,
    },
}

/// What takes the place of an operation's results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Values and ranges, joined.
    Values(Vec<Source>),
    /// The results of an operation.
    Op(Source),
}

/// An operation to make.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateOp {
    /// Its name.
    pub name: StrId,
    /// Its operands: values, ranges, nulls for absent optional operands; one entry a group.
    pub operands: Vec<Source>,
    /// Attribute to write the size of each operand group to.
    pub operand_segments: Option<StrId>,
    /// Attributes: name, value (null: left out), whether the operation declares it.
    pub attributes: Vec<(StrId, Source, bool)>,
    /// Types of its results.
    pub results: ResultTypes,
    /// Attribute to write the size of each result group to.
    pub result_segments: Option<StrId>,
    /// Its location.
    pub location: LocationSpec,
    /// The operation.
    pub to: LocalId,
    /// Where it was written.
    pub span: Span,
}

/// Where the result types of a new operation come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultTypes {
    /// Types and ranges of types, joined; one entry a group.
    Listed(Vec<Source>),
    /// By the recipes of the operation's definition ([`OpDef::result_types`](super::OpDef::result_types)), or else
    /// by the [type inference](crate::host::Natives::type_inference) that is registered for its name.
    Inferred,
}

/// Location of a new operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocationSpec {
    /// Several locations fused into one; one alone without metadata stands for itself.
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
        /// What is inside.
        child: Option<Source>,
    },
}

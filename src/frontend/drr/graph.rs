//! The match graph of a rule while it is built.
//!
//! The source pattern and the constraints fill the graph. Result patterns only add nodes for results of matched
//! operations, and for the types of these results.

use hashbrown::HashMap;

use super::error;
use super::session::{RuleContext, Try, small};
use super::symbols::{Symbol, Symbols};
use super::value::TypedSource;
use crate::frontend::ods::OpId;
use crate::host::Kind;
use crate::pdl::{Arity, Call, MatchPart, Node, NodeId, ValueSource};
use crate::source::Span;

/// The match part of a rule, and the symbols that it binds.
pub(super) struct MatchGraph<'a> {
    pub(super) part: MatchPart,
    pub(super) symbols: Symbols<'a>,
    pub(super) root: NodeId,
    /// The definition of the root, unless the source pattern has no valid root.
    pub(super) root_op: Option<OpId>,
    /// The matched operations whose locations are fused to the default location of a new operation.
    pub(super) located: Vec<NodeId>,
    /// True if the source pattern has errors. Unbound symbols are not reported in this case.
    pub(super) incomplete: bool,
    /// The nodes of result groups, by operation and number of the group. The group `None` stands for all results.
    result_nodes: HashMap<(NodeId, Option<usize>), NodeId>,
}

impl<'a> MatchGraph<'a> {
    pub(super) fn new() -> Self {
        MatchGraph {
            part: MatchPart::default(),
            symbols: Symbols::default(),
            root: NodeId::from_raw(0),
            root_op: None,
            located: Vec::new(),
            incomplete: false,
            result_nodes: HashMap::new(),
        }
    }

    /// Adds a node. `span` must not be empty.
    pub(super) fn add(&mut self, node: Node, span: Span) -> NodeId {
        self.part.push(node, span)
    }

    pub(super) fn set_name(&mut self, rule: &mut RuleContext<'_, '_, 'a>, node: NodeId, name: &str) {
        self.part.set_name(node, rule.intern(name));
    }

    pub(super) fn constrain(&mut self, call: Call) {
        self.part.constraints.push(call);
    }

    /// Binds a symbol, which must be unbound.
    pub(super) fn bind(
        &mut self,
        rule: &mut RuleContext<'_, '_, 'a>,
        name: &'a str,
        symbol: Symbol,
        span: Span,
    ) -> Try<()> {
        match self.symbols.bind(name, symbol, span) {
            Ok(()) => Ok(()),
            Err(first) => Err(rule.fail(error::bound_twice(name, span, first))),
        }
    }

    /// The type node of a value node.
    pub(super) fn type_node(&mut self, value: NodeId) -> NodeId {
        if let Node::Value { ty: Some(ty), .. } = self.part[value] {
            return ty;
        }
        let span = self.part.span(value);
        let added = self.add(Node::Type { value: None }, span);
        if let Node::Value { ty, .. } = &mut self.part[value] {
            *ty = Some(added);
        }
        added
    }

    /// The node of a result group of a matched operation, and its kind. The group `None` stands for all results.
    pub(super) fn result_node(
        &mut self,
        rule: &mut RuleContext<'_, '_, 'a>,
        op: NodeId,
        def: OpId,
        group: Option<usize>,
    ) -> (NodeId, Kind) {
        let results = &rule.defs.ops[def].results;
        let fixed = group.filter(|&group| results[..=group].iter().all(|r| r.arity == Arity::One));
        let kind = if fixed.is_some() { Kind::Value } else { Kind::Values };
        if let Some(&node) = self.result_nodes.get(&(op, group)) {
            return (node, kind);
        }
        let node = match fixed {
            Some(index) => {
                Node::Value { ty: None, source: Some(ValueSource::Result { op, index: small(index) }) }
            }
            None => {
                if group.is_some() {
                    self.add_result_groups(rule, op, def);
                }
                let source = Some(ValueSource::Results { op, group: group.map(small) });
                Node::Values { types: None, source }
            }
        };
        let node = self.add(node, self.part.span(op));
        self.result_nodes.insert((op, group), node);
        (node, kind)
    }

    /// Adds the result groups of a matched operation, so that nodes can refer to one of them.
    fn add_result_groups(&mut self, rule: &mut RuleContext<'_, '_, 'a>, op: NodeId, def: OpId) {
        let Node::Operation(operation) = &self.part[op] else { return };
        if operation.results.is_some() {
            return;
        }
        let def = &rule.defs.ops[def];
        let span = self.part.span(op);
        let groups = def.results.iter().map(|result| match result.arity {
            Arity::One => self.add(Node::Type { value: None }, span),
            _ => self.add(Node::Types { values: None }, span),
        });
        let nodes: Vec<NodeId> = groups.collect();
        let split = rule.group_split(def.result_sizes, "resultSegmentSizes");
        if let Node::Operation(operation) = &mut self.part[op] {
            operation.results = Some(nodes);
            operation.result_split = split;
        }
    }
}

/// The source of an operation, with the class of the operation as its static type.
pub(super) fn whole_op(
    rule: &mut RuleContext<'_, '_, '_>,
    source: impl Into<crate::pdl::Source>,
    op: OpId,
) -> TypedSource {
    let ty = rule.session.op_ty(op);
    TypedSource { ty, ..TypedSource::new(source, Kind::Op) }
}

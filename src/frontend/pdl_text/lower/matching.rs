//! Lowers the match part: values become nodes, and constraints become calls.

use std::borrow::Cow;

use super::super::ast::{Op, OpKind, Use};
use super::lowering::{CallResult, Lowering, PendingCall};
use super::users::Extension;
use crate::host::Kind;
use crate::pdl::{
    AttrEdge, Call, Callee, GroupSplit, Node, OperandGroup, OperationNode, Presence, Segments, ValueSource,
    extension as ext,
};

/// The attributes in which MLIR's operations store their segment sizes.
const OPERAND_SIZES: &str = "operandSegmentSizes";
const RESULT_SIZES: &str = "resultSegmentSizes";

impl<'a> Lowering<'_, '_, 'a> {
    pub(super) fn match_part(&mut self) {
        let pattern = self.pattern;
        self.find_equal();
        let mut root_node = None;
        for &id in &pattern.body {
            let op = &pattern.ops[id];
            if let OpKind::Rewrite { root, .. } = op.kind {
                root_node = root.and_then(|root| self.nodes[root.value]);
            } else {
                self.match_op(op);
            }
        }
        for call in std::mem::take(&mut self.calls) {
            let PendingCall { callee, args, results, negated, span } = call;
            let node = |result| match result {
                CallResult::Bound(node) => Some(node),
                CallResult::Equal(value) => self.matched(Use { value, span }),
            };
            if let Some(results) = results.into_iter().map(node).collect() {
                self.rule.matcher.constraints.push(Call { callee, args, results, negated, span });
            }
        }
        if !self.out.has_errors() {
            self.rule.matcher.roots = self.rule.matcher.find_roots(root_node);
        }
    }

    fn match_op(&mut self, op: &Op<'a>) -> Option<()> {
        let node = match &op.kind {
            OpKind::Attribute { ty, value } => {
                if self.is_argument(op) {
                    return Some(());
                }
                let value = value.map(|value| self.attr(value));
                let ty = match *ty {
                    Some(ty) => Some(self.matched(ty)?),
                    None => None,
                };
                Node::Attribute { value, ty }
            }
            OpKind::Operand { ty } => {
                let ty = match *ty {
                    Some(ty) => Some(self.matched(ty)?),
                    None => None,
                };
                Node::Value { ty, source: None }
            }
            OpKind::Operands { types } => {
                let types = match *types {
                    Some(types) => Some(self.matched(types)?),
                    None => None,
                };
                Node::Values { types, source: None }
            }
            OpKind::Type { .. } if self.is_argument(op) => return Some(()),
            OpKind::Type { value } => Node::Type { value: value.map(|value| self.ty(value)) },
            OpKind::Types { values } => {
                let values = values.as_ref();
                Node::Types { values: values.map(|values| values.iter().map(|&ty| self.ty(ty)).collect()) }
            }
            OpKind::Result { op, index } => {
                let source = ValueSource::Result { op: self.matched(*op)?, index: *index };
                Node::Value { ty: None, source: Some(source) }
            }
            OpKind::Results { op: of, index } => {
                let source = Some(ValueSource::Results { op: self.matched(*of)?, group: *index });
                match op.results.first().map(|&result| self.pattern.values[result].kind) {
                    Some(Kind::Value) => Node::Value { ty: None, source },
                    _ => Node::Values { types: None, source },
                }
            }
            OpKind::Operation { name, operands, names, attributes, types } => {
                Node::Operation(self.operation(name.as_deref(), operands, names, attributes, types)?)
            }
            OpKind::Constraint { name, args, negated } => return self.constraint(op, name, args, *negated),
            // The verifier has rejected other operations here.
            _ => return None,
        };
        self.set_node(op, node);
        Some(())
    }

    fn operation(
        &mut self,
        name: Option<&str>,
        operands: &[Use],
        names: &[Cow<'a, str>],
        attributes: &[Use],
        types: &[Use],
    ) -> Option<OperationNode> {
        let name = name.map(|name| self.intern(name));
        let def = name.and_then(|name| self.rules.ops.find(name));
        let splits = def.map(|def| (def.operand_segments, def.result_segments));
        let mut groups = Vec::new();
        for &operand in operands {
            let node = self.matched(operand)?;
            groups.push(match self.kind(operand) {
                Kind::Values => OperandGroup::Range(node),
                _ => OperandGroup::One(node),
            });
        }
        let mut edges = Vec::new();
        for (name, &attribute) in names.iter().zip(attributes) {
            let (name, node) = (self.intern(name), self.matched(attribute)?);
            edges.push(AttrEdge { name, node, presence: Presence::Required, storage: None });
        }
        let ranges = |uses: &[Use]| {
            let is_range = |&&used: &&Use| matches!(self.kind(used), Kind::Values | Kind::Types);
            uses.iter().filter(is_range).count()
        };
        let (operand_ranges, result_ranges) = (ranges(operands), ranges(types));
        let operand_split = self.split(operand_ranges, splits.map(|splits| splits.0), OPERAND_SIZES);
        let result_split = self.split(result_ranges, splits.map(|splits| splits.1), RESULT_SIZES);
        Some(OperationNode {
            name,
            operands: Some(groups),
            operand_split,
            either: Vec::new(),
            attributes: edges,
            results: Some(self.all_matched(types)?),
            result_split,
        })
    }

    fn split(&mut self, ranges: usize, known: Option<Segments>, sizes: &str) -> GroupSplit {
        match known {
            _ if ranges < 2 => GroupSplit::Rest,
            Some(Segments::Equal) => GroupSplit::Equal,
            Some(Segments::Attribute(name)) => GroupSplit::Attribute(name),
            Some(Segments::Rest) | None => GroupSplit::Attribute(self.intern(sizes)),
        }
    }

    fn constraint(&mut self, op: &Op<'a>, name: &str, args: &[Use], negated: bool) -> Option<()> {
        let (callee, args) = match Extension::of_constraint(name) {
            Some(Extension::Expression(ext::SNIPPET)) => self.expression(op, args)?,
            Some(extension) => return self.match_extension(extension, name, op, args),
            None => (Callee::Native(self.intern(name)), args),
        };
        let args = self.args(op, args, |lowering, used| lowering.matched(used))?;
        let kinds = self.result_kinds(op);
        let mut results = Vec::new();
        for (&result, kind) in op.results.iter().zip(kinds) {
            if let Some(&other) = self.equal.get(&result) {
                results.push(CallResult::Equal(other));
                continue;
            }
            let node = self.add_node(result, Node::Bound { kind });
            self.nodes[result] = Some(node);
            results.push(CallResult::Bound(node));
        }
        self.calls.push(PendingCall { callee, args, results, negated, span: op.span });
        Some(())
    }
}

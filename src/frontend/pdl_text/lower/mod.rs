//! Patterns to rules.
//!
//! Each value of the match part becomes a node, each operation of the rewrite a step. What an
//! operation lists is what it has: one without operands has none, one without result types has no
//! results. Several ranges among operands or results divide as the op table says, else by the
//! attribute that MLIR's operations keep their sizes in.
//!
//! The result types of a new operation are, first that applies: those listed; those its definition
//! or the host infers; those of the matched operation it replaces; none.

mod arguments;
mod extension;
mod layout;
mod rewrite;

use std::borrow::Cow;

use hashbrown::HashMap;

use self::extension::{Extension, Users};
use super::ast::{self, Op, OpKind, Use, ValueId};
use super::error;
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::ir::{AttrId, Context, TypeId};
use crate::pdl::{
    AttrEdge, Benefit, Call, Callee, Constant, GroupSplit, MatchPart, Node, NodeId, OperandGroup,
    OperationNode, Origin, Pattern, Presence, RewritePart, RuleSet, Segments, Source, ValueSource,
    extension as ext, verify_rule,
};
use crate::snippet::SnippetId;
use crate::source::{Diagnostic, Diagnostics};

/// Where MLIR's operations keep the sizes of their groups.
const OPERAND_SIZES: &str = "operandSegmentSizes";
const RESULT_SIZES: &str = "resultSegmentSizes";

/// Constants as text, made once.
#[derive(Default)]
pub(super) struct Texts {
    attrs: HashMap<AttrId, StrId>,
    types: HashMap<TypeId, StrId>,
    /// Expressions, by the code they are carried as and their text.
    snippets: HashMap<(String, String), SnippetId>,
}

/// Adds a verified pattern to the rules, and gives warnings; or all errors, and nothing is added then.
pub(super) fn lower(
    pattern: &ast::Pattern<'_>,
    context: &Context,
    texts: &mut Texts,
    rules: &mut RuleSet,
) -> Result<Diagnostics, Diagnostics> {
    let name = pattern.name.as_ref().map_or("", |(name, _)| name);
    let rule = Pattern {
        name: rules.strings.intern(name),
        labels: Vec::new(),
        benefit: 0,
        choice: None,
        recursive: false,
        origin: Origin::Span(pattern.span),
        matcher: MatchPart::default(),
        rewrite: RewritePart::default(),
    };
    let nodes = pattern.values.iter().map(|_| None).collect();
    let made = pattern.values.iter().map(|_| None).collect();
    let mut replaced: HashMap<ValueId, Use> = HashMap::new();
    for op in pattern.ops.iter() {
        if let OpKind::Replace { op, by: Some(by), .. } = op.kind {
            replaced.entry(by.value).or_insert(op);
        }
    }
    let mut lowering = Lowering {
        pattern,
        context,
        texts,
        rules,
        rule,
        nodes,
        made,
        users: Users::count(pattern),
        replaced,
        equal: HashMap::new(),
        patches: Vec::new(),
        benefits: Vec::new(),
        out: Diagnostics::default(),
    };
    lowering.header();
    lowering.match_part();
    if !lowering.out.has_errors() {
        lowering.rewrite_part();
    }
    let benefits = lowering.take_benefits();
    let Lowering { out, rules, rule, .. } = lowering;
    if out.has_errors() {
        return Err(out);
    }
    let found = verify_rule(rules, &rule);
    if found.has_errors() {
        return Err(found);
    }
    rules.add_rule(rule, benefits)?;
    Ok(found)
}

struct Lowering<'r, 'p, 'a> {
    pattern: &'p ast::Pattern<'a>,
    context: &'r Context,
    texts: &'r mut Texts,
    rules: &'r mut RuleSet,
    rule: Pattern,
    nodes: IdVec<ValueId, Option<NodeId>>,
    made: IdVec<ValueId, Option<Source>>,
    users: IdVec<ValueId, Users>,
    /// What each operation replaces first.
    replaced: HashMap<ValueId, Use>,
    /// Results of constraints that are something else that is matched.
    equal: HashMap<ValueId, ValueId>,
    /// Where such a result is to be put: call, number, what.
    patches: Vec<(usize, usize, ValueId)>,
    /// The rule's several benefits, with the name of what each depends on.
    benefits: Vec<(Option<StrId>, i64)>,
    out: Diagnostics,
}

impl<'a> Lowering<'_, '_, 'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.out.push(diagnostic);
    }

    fn intern(&mut self, text: &str) -> StrId {
        self.rules.strings.intern(text)
    }

    fn attr(&mut self, attr: AttrId) -> Constant {
        let Self { context, texts, rules, .. } = self;
        let text = texts.attrs.entry(attr).or_insert_with(|| rules.strings.intern(&context.attr_text(attr)));
        Constant::Text(*text)
    }

    fn ty(&mut self, ty: TypeId) -> Constant {
        let Self { context, texts, rules, .. } = self;
        let text = texts.types.entry(ty).or_insert_with(|| rules.strings.intern(&context.type_text(ty)));
        Constant::Text(*text)
    }

    /// The operation that defines a value.
    fn def(&self, used: Use) -> &Op<'a> {
        &self.pattern.ops[self.pattern.values[used.value].def]
    }

    fn kind(&self, used: Use) -> Kind {
        self.pattern.values[used.value].kind
    }

    fn header(&mut self) {
        let pattern = self.pattern;
        let mut benefit = pattern.benefit;
        if let Some(extra) = pattern.extra {
            if let Some(name) = self.extra_text(extra, ext::NAME) {
                self.rule.name = self.intern(&name);
            }
            if let Some(value) = self.extra_int(extra, ext::BENEFIT) {
                benefit = value;
            }
            self.read_benefits(extra);
            self.rule.recursive = self.entry(extra, ext::RECURSIVE).is_some();
            for label in self.extra_texts(extra, ext::LABELS) {
                let label = self.intern(&label);
                self.rule.labels.push(label);
            }
        }
        let stated = i16::try_from(pattern.benefit).is_ok_and(|benefit| benefit >= 0);
        match u16::try_from(benefit).ok().filter(|&benefit| benefit <= Pattern::MAX_BENEFIT) {
            Some(benefit) if stated => self.rule.benefit = benefit,
            Some(_) => self.report(error::benefit_out_of_range(pattern.benefit, pattern.benefit_span)),
            None => self.report(error::benefit_out_of_range(benefit, pattern.benefit_span)),
        }
    }

    /// Takes the constraints that only benefits depend on out of the rule.
    fn take_benefits(&mut self) -> Vec<Benefit> {
        let snippet = self.intern(ext::SNIPPET);
        let at = self.pattern.benefit_span;
        let mut benefits = Vec::new();
        for (name, benefit) in std::mem::take(&mut self.benefits) {
            let Some(name) = name else {
                benefits.push(Benefit { benefit, constraint: None, span: at });
                continue;
            };
            let is_called = |call: &Call| match call.callee {
                Callee::Native(callee) => callee == name,
                Callee::Snippet(_) => name == snippet,
            };
            let constraints = &mut self.rule.matcher.constraints;
            let Some(place) = constraints.iter().position(is_called) else {
                let name = self.rules.strings[name].to_owned();
                self.report(error::benefit_without_constraint(&name, benefit, at));
                continue;
            };
            let call = constraints.remove(place);
            benefits.push(Benefit { benefit, span: call.span, constraint: Some(call) });
        }
        benefits
    }

    // The match part.

    fn match_part(&mut self) {
        let pattern = self.pattern;
        self.find_equal();
        let mut given = None;
        for &id in &pattern.body {
            let op = &pattern.ops[id];
            if let OpKind::Rewrite { root, .. } = op.kind {
                given = root.and_then(|root| self.nodes[root.value]);
            } else {
                self.match_op(op);
            }
        }
        for (call, result, value) in std::mem::take(&mut self.patches) {
            if let Some(node) = self.nodes[value] {
                self.rule.matcher.constraints[call].results[result] = node;
            }
        }
        if !self.out.has_errors() {
            self.rule.matcher.roots = self.rule.matcher.find_roots(given);
        }
    }

    fn node(&mut self, op: &Op<'a>, node: Node) {
        let Some(&result) = op.results.first() else { return };
        self.nodes[result] = Some(self.add_node(result, node));
    }

    fn add_node(&mut self, value: ValueId, node: Node) -> NodeId {
        let ast::Value { name, span, .. } = self.pattern.values[value];
        let node = self.rule.matcher.push(node, span);
        if !name.is_empty() {
            self.rule.matcher.set_name(node, self.rules.strings.intern(name));
        }
        node
    }

    /// The node of a value of the match part; only what an extension alone uses has none.
    fn matched(&mut self, used: Use) -> Option<NodeId> {
        let node = self.nodes[used.value];
        if node.is_none() {
            let message = "cannot take what only extensions use here";
            self.report(error::malformed_extension("drrvm", message, used.span));
        }
        node
    }

    fn all_matched(&mut self, uses: &[Use]) -> Option<Vec<NodeId>> {
        uses.iter().map(|&used| self.matched(used)).collect()
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
            // The rest belongs into rewrites, which the verifier has seen to.
            _ => return None,
        };
        self.node(op, node);
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
            Some(extension) => return self.match_extension(extension, op, args),
            None => (Callee::Native(self.intern(name)), args),
        };
        let args = self.args(op, args, |lowering, used| lowering.matched(used))?;
        let kinds = self.result_kinds(op);
        let call = self.rule.matcher.constraints.len();
        let mut results = Vec::new();
        for (i, (&result, kind)) in op.results.iter().zip(kinds).enumerate() {
            if let Some(&other) = self.equal.get(&result) {
                self.patches.push((call, i, other));
                results.push(NodeId::from_raw(0));
                continue;
            }
            let node = self.add_node(result, Node::Bound { kind });
            self.nodes[result] = Some(node);
            results.push(node);
        }
        self.rule.matcher.constraints.push(Call { callee, args, results, negated, span: op.span });
        Some(())
    }
}

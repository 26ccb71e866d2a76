//! Patterns to rules.
//!
//! Each value of the match part becomes a node, each operation of the rewrite a step. What an
//! operation lists is what it has: one without operands has none, one without result types has no
//! results. Several ranges among operands or results divide as the op table says, else by the
//! attribute that MLIR's operations keep their sizes in.
//!
//! The result types of a new operation are, first that applies: those listed; those its definition
//! or the host infers; those of the matched operation it replaces; none.

use std::borrow::Cow;
use std::cmp::Ordering;

use hashbrown::HashMap;

use super::ast::{self, Op, OpId, OpKind, Use, ValueId};
use super::error;
use super::extension::{Extension, Users};
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::ir::{AttrId, Context, TypeId};
use crate::pdl::{
    Arg, AttrEdge, Benefit, Call, Callee, Constant, CreateOp, GroupSplit, LocalId, LocationSpec, MatchPart,
    Node, NodeId, OperandGroup, OperationNode, Origin, Pattern, Presence, Replacement, ResultTypes,
    RewritePart, RuleSet, Segments, Source, Step, TypeRecipe, ValueSource, extension as ext, verify_rule,
};
use crate::snippet::{Builder, GroupRef, Item, Member, Param, SnippetId, SnippetResult, Ty};
use crate::source::{Diagnostic, Diagnostics, Span};

/// Where MLIR's operations keep the sizes of their groups.
const OPERAND_SIZES: &str = "operandSegmentSizes";
const RESULT_SIZES: &str = "resultSegmentSizes";

/// Constants as text, made once.
#[derive(Default)]
pub(super) struct Texts {
    attrs: HashMap<AttrId, StrId>,
    types: HashMap<TypeId, StrId>,
    /// Expressions, by the code they are carried as and their text.
    pub(super) snippets: HashMap<(String, String), SnippetId>,
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

pub(super) struct Lowering<'r, 'p, 'a> {
    pub(super) pattern: &'p ast::Pattern<'a>,
    pub(super) context: &'r Context,
    pub(super) texts: &'r mut Texts,
    pub(super) rules: &'r mut RuleSet,
    pub(super) rule: Pattern,
    nodes: IdVec<ValueId, Option<NodeId>>,
    made: IdVec<ValueId, Option<Source>>,
    pub(super) users: IdVec<ValueId, Users>,
    /// What each operation replaces first.
    replaced: HashMap<ValueId, Use>,
    /// Results of constraints that are something else that is matched.
    pub(super) equal: HashMap<ValueId, ValueId>,
    /// Where such a result is to be put: call, number, what.
    patches: Vec<(usize, usize, ValueId)>,
    /// The rule's several benefits, with the name of what each depends on.
    pub(super) benefits: Vec<(Option<StrId>, i64)>,
    out: Diagnostics,
}

impl<'a> Lowering<'_, '_, 'a> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.out.push(diagnostic);
    }

    pub(super) fn intern(&mut self, text: &str) -> StrId {
        self.rules.strings.intern(text)
    }

    pub(super) fn attr(&mut self, attr: AttrId) -> Constant {
        let Self { context, texts, rules, .. } = self;
        let text = texts.attrs.entry(attr).or_insert_with(|| rules.strings.intern(&context.attr_text(attr)));
        Constant::Text(*text)
    }

    pub(super) fn ty(&mut self, ty: TypeId) -> Constant {
        let Self { context, texts, rules, .. } = self;
        let text = texts.types.entry(ty).or_insert_with(|| rules.strings.intern(&context.type_text(ty)));
        Constant::Text(*text)
    }

    /// The operation that defines a value.
    pub(super) fn def(&self, used: Use) -> &Op<'a> {
        &self.pattern.ops[self.pattern.values[used.value].def]
    }

    pub(super) fn kind(&self, used: Use) -> Kind {
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
        match u16::try_from(benefit).ok().filter(|&benefit| benefit <= Pattern::MAX_BENEFIT) {
            Some(benefit) => self.rule.benefit = benefit,
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
        let name = (!name.is_empty()).then(|| self.rules.strings.intern(name));
        let part = &mut self.rule.matcher;
        part.spans.push(span);
        part.names.push(name);
        part.nodes.push(node)
    }

    /// The node of a value of the match part; only what an extension alone uses has none.
    pub(super) fn matched(&mut self, used: Use) -> Option<NodeId> {
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

/// The rewrite part.
impl<'a> Lowering<'_, '_, 'a> {
    fn rewrite_part(&mut self) {
        let pattern = self.pattern;
        let Some(rewrite) = pattern.body.last().map(|&id| &pattern.ops[id]) else { return };
        let OpKind::Rewrite { root, external, args, body } = &rewrite.kind else { return };
        if let Some(name) = external {
            let taken: Vec<Use> = root.iter().chain(args).copied().collect();
            let Some(args) = self.args(rewrite, &taken, |lowering, used| lowering.source(used)) else {
                return;
            };
            let callee = Callee::Native(self.intern(name));
            self.rule.rewrite.steps.push(Step::Call { callee, args, to: Vec::new(), span: rewrite.span });
        }
        for &id in body.iter().flatten() {
            self.step(id, &pattern.ops[id]);
        }
    }

    pub(super) fn local(&mut self, kind: Kind) -> LocalId {
        self.rule.rewrite.locals.push(kind)
    }

    pub(super) fn push(&mut self, step: Step) {
        self.rule.rewrite.steps.push(step);
    }

    /// What a value is when it is used in the rewrite.
    pub(super) fn source(&mut self, used: Use) -> Option<Source> {
        if let Some(source) = self.made[used.value] {
            return Some(source);
        }
        if self.def(used).parent.is_none() {
            return self.matched(used).map(Source::Matched);
        }
        let message = "cannot take what nothing has made yet";
        self.report(error::malformed_extension(self.def(used).kind.name(), message, used.span));
        None
    }

    pub(super) fn sources(&mut self, uses: &[Use]) -> Option<Vec<Source>> {
        uses.iter().map(|&used| self.source(used)).collect()
    }

    pub(super) fn set_made(&mut self, op: &Op<'a>, source: Source) {
        if let Some(&result) = op.results.first() {
            self.made[result] = Some(source);
        }
    }

    fn making(&mut self, op: &Op<'a>, kind: Kind, step: impl FnOnce(LocalId) -> Step) {
        let to = self.local(kind);
        self.push(step(to));
        self.set_made(op, to.into());
    }

    fn step(&mut self, id: OpId, op: &Op<'a>) -> Option<()> {
        match &op.kind {
            OpKind::Attribute { value: Some(_), .. } if self.is_argument(op) => {}
            OpKind::Attribute { value: Some(value), .. } => {
                let value = self.attr(*value);
                self.making(op, Kind::Attr, |to| Step::Attr { value, to });
            }
            OpKind::Type { value: Some(ty) } => {
                let value = self.ty(*ty);
                self.making(op, Kind::Type, |to| Step::Type { value, to });
            }
            OpKind::Types { values: Some(types) } => {
                let mut parts = Vec::new();
                for &ty in types {
                    let (value, to) = (self.ty(ty), self.local(Kind::Type));
                    self.push(Step::Type { value, to });
                    parts.push(to.into());
                }
                self.making(op, Kind::Types, |to| Step::Range { parts, to });
            }
            // Known when an operation that lists it has been made.
            OpKind::Type { value: None } | OpKind::Types { values: None } => {}
            OpKind::Range { parts } => {
                let kind = self.pattern.values[*op.results.first()?].kind;
                let parts = self.sources(parts)?;
                self.making(op, kind, |to| Step::Range { parts, to });
            }
            OpKind::Result { op: of, index } => {
                let (of, index) = (self.source(*of)?, *index);
                self.making(op, Kind::Value, |to| Step::Result { op: of, index, to });
            }
            OpKind::Results { op: of, index } => self.results(op, *of, *index)?,
            OpKind::NativeRewrite { name, args } => self.native_rewrite(op, name, args)?,
            OpKind::Erase { op } => {
                let op = self.source(*op)?;
                self.push(Step::Erase { op });
            }
            OpKind::Replace { op, by, values } => {
                let op = self.source(*op)?;
                let with = match by {
                    Some(by) => Replacement::Op(self.source(*by)?),
                    None => Replacement::Values(self.sources(values)?),
                };
                self.push(Step::Replace { op, with });
            }
            OpKind::Operation { .. } => self.create(id, op)?,
            // The verifier has seen to the rest.
            _ => {}
        }
        Some(())
    }

    fn native_rewrite(&mut self, op: &Op<'a>, name: &str, args: &[Use]) -> Option<()> {
        let (callee, args) = match Extension::of_rewrite(name) {
            Some(Extension::Expression(ext::SNIPPET)) => self.expression(op, args)?,
            Some(extension) => return self.rewrite_extension(extension, op, args),
            None => (Callee::Native(self.intern(name)), args),
        };
        let args = self.args(op, args, |lowering, used| lowering.source(used))?;
        let mut to = Vec::new();
        for (&result, kind) in op.results.iter().zip(self.result_kinds(op)) {
            let local = self.local(kind);
            self.made[result] = Some(local.into());
            to.push(local);
        }
        self.push(Step::Call { callee, args, to, span: op.span });
        Some(())
    }

    /// Results of an operation: all, or a group.
    fn results(&mut self, op: &Op<'a>, of: Use, group: Option<u32>) -> Option<()> {
        let of_source = self.source(of)?;
        let kind = self.pattern.values[*op.results.first()?].kind;
        let Some(group) = group else {
            self.making(op, Kind::Values, |to| Step::Results { op: of_source, range: None, to });
            return Some(());
        };
        if let Source::Matched(node) = of_source {
            let source = Some(ValueSource::Results { op: node, group: Some(group) });
            let result = *op.results.first()?;
            let node = match kind {
                Kind::Value => self.add_node(result, Node::Value { ty: None, source }),
                _ => self.add_node(result, Node::Values { types: None, source }),
            };
            self.made[result] = Some(node.into());
            return Some(());
        }
        let types = match &self.def(of).kind {
            OpKind::Operation { types, .. } => types.as_slice(),
            _ => &[],
        };
        let is_one = |ty: &Use| self.kind(*ty) == Kind::Type;
        let index = group as usize;
        let before_are_single = index <= types.len() && types[..index].iter().all(is_one);
        let alone = index == 0 && types.len() <= 1;
        if kind == Kind::Value && before_are_single && types.get(index).is_none_or(is_one) {
            self.making(op, kind, |to| Step::Result { op: of_source, index: group, to });
        } else if kind == Kind::Values && alone {
            self.making(op, kind, |to| Step::Results { op: of_source, range: None, to });
        } else if kind == Kind::Values && before_are_single && types.get(index).is_some_and(is_one) {
            self.making(op, kind, |to| Step::Results { op: of_source, range: Some((group, 1)), to });
        } else if let Some(group) = open_group(index, types, is_one)
            && (kind == Kind::Value || matches!(group, GroupRef::Rest { .. }))
        {
            // No step counts what is open; an expression does.
            let callee = Callee::Snippet(self.result_group(group, kind, op.span)?);
            let to = self.local(kind);
            self.push(Step::Call { callee, args: vec![Arg::Of(of_source)], to: vec![to], span: op.span });
            self.set_made(op, to.into());
        } else {
            self.report(error::open_result_group(op.span));
        }
        Some(())
    }

    /// An expression for a result group of an operation.
    fn result_group(&mut self, group: GroupRef, kind: Kind, span: Span) -> Option<SnippetId> {
        let snippets = &mut self.rules.snippets;
        let name = snippets.intern("$0");
        let mut builder = Builder::new(snippets, vec![Param { name, ty: Ty::OP, out: false }], span, false);
        let (group, ty) = match (kind, group) {
            (Kind::Value, GroupRef::Rest { before, .. }) => (GroupRef::One(before), Ty::VALUE),
            (Kind::Value, group) => (group, Ty::VALUE),
            (_, group) => (group, Ty::range(Item::Value)),
        };
        let op = builder.param(0).ok()?;
        let root = builder.member(op, Member::Results(group), ty).ok()?;
        let text = match group {
            GroupRef::One(index) => format!("$0->getResult({index})"),
            GroupRef::FromEnd(index) => format!("$0->getResults().drop_back({index}).back()"),
            GroupRef::Rest { before, after } => {
                format!("$0->getResults().drop_front({before}).drop_back({after})")
            }
            _ => String::new(),
        };
        Some(builder.finish(root, SnippetResult::Value(ty), &text))
    }

    fn create(&mut self, id: OpId, op: &Op<'a>) -> Option<()> {
        let OpKind::Operation { name, operands, names, attributes, types } = &op.kind else { return None };
        let name = name.as_deref()?;
        let name = self.intern(name);
        let operands = self.sources(operands)?;
        let mut create = CreateOp {
            name,
            operands,
            operand_segments: None,
            attributes: Vec::new(),
            results: ResultTypes::Listed(Vec::new()),
            result_segments: None,
            location: LocationSpec::Fused {
                of: self.rule.matcher.ops_in_post_order().into_iter().map(Source::Matched).collect(),
                metadata: None,
            },
            to: self.local(Kind::Op),
            span: op.span,
        };
        let declared = op.extra.map(|extra| self.extra_texts(extra, ext::DECLARED)).unwrap_or_default();
        for (attr, &value) in names.iter().zip(attributes) {
            if self.create_extension(&mut create, attr, value)? {
                continue;
            }
            let key = self.intern(attr);
            let known = self.rules.ops.find(name);
            let known = known.is_some_and(|def| def.attributes.iter().any(|known| known.name == key));
            let declared = known || declared.iter().any(|name| name == attr);
            let value = self.source(value)?;
            create.attributes.push((key, value, declared));
        }
        if let Some(def) = self.rules.ops.find(name) {
            let sizes = |segments: Segments| match segments {
                Segments::Attribute(name) => {
                    Some(name).filter(|name| !create.attributes.iter().any(|a| a.0 == *name))
                }
                _ => None,
            };
            let (operand_sizes, result_sizes) = (sizes(def.operand_segments), sizes(def.result_segments));
            create.operand_segments = create.operand_segments.or(operand_sizes);
            create.result_segments = create.result_segments.or(result_sizes);
        }
        create.results = self.result_types(id, op, types, &create)?;
        let to = create.to;
        self.push(Step::Create(create));
        self.set_made(op, to.into());
        self.bind_types(types, to);
        Some(())
    }

    fn result_types(
        &mut self,
        id: OpId,
        op: &Op<'a>,
        types: &[Use],
        create: &CreateOp,
    ) -> Option<ResultTypes> {
        if let [ty] = types
            && self.is_inferred(*ty)
        {
            return Some(ResultTypes::Inferred);
        }
        let is_known = |used: &&Use| self.made[used.value].is_some() || self.def(**used).parent.is_none();
        let unknown = types.iter().position(|used| !is_known(&used));
        if !types.is_empty() && unknown.is_none() {
            return Some(ResultTypes::Listed(self.sources(types)?));
        }
        if let Some(inferred) = self.inferred(create) {
            return Some(inferred);
        }
        if let Some(replaced) = self.replaced_by(id, op) {
            let of = self.source(replaced)?;
            let (values, types) = (self.local(Kind::Values), self.local(Kind::Types));
            self.push(Step::Results { op: of, range: None, to: values });
            self.push(Step::TypeOf { of: values.into(), to: types });
            return Some(ResultTypes::Listed(vec![types.into()]));
        }
        if let Some(index) = unknown {
            self.report(error::unknown_result_type(index, op.span));
            return None;
        }
        let known = self.rules.ops.find(create.name);
        if known.is_some_and(|def| def.results.iter().any(|result| result.arity == crate::pdl::Arity::One)) {
            let name = self.rules.strings[create.name].to_owned();
            self.report(error::unknown_result_types(&name, op.span));
            return None;
        }
        Some(ResultTypes::Listed(Vec::new()))
    }

    /// The result types that the operation's definition gives.
    fn inferred(&mut self, create: &CreateOp) -> Option<ResultTypes> {
        let def = self.rules.ops.find(create.name)?;
        let recipes = def.result_types.clone();
        let infers = def.infers_types;
        let by_host = infers.then_some(ResultTypes::Inferred);
        let Some(recipes) = recipes else { return by_host };
        let mut kinds = Vec::new();
        for recipe in &recipes {
            match recipe {
                TypeRecipe::Fixed(_) => kinds.push(None),
                TypeRecipe::Operand(index) => {
                    let operand = *create.operands.get(*index as usize)?;
                    if self.rule.kind(operand) != Kind::Value {
                        return by_host;
                    }
                    kinds.push(Some(operand));
                }
                _ => return by_host,
            }
        }
        let mut types = Vec::new();
        for (recipe, operand) in recipes.iter().zip(kinds) {
            let to = self.local(Kind::Type);
            match (recipe, operand) {
                (TypeRecipe::Fixed(value), _) => self.push(Step::Type { value: *value, to }),
                (_, Some(of)) => self.push(Step::TypeOf { of, to }),
                (_, None) => return None,
            }
            types.push(to.into());
        }
        Some(ResultTypes::Listed(types))
    }

    /// The operation, there before, that a new one replaces.
    fn replaced_by(&self, id: OpId, op: &Op<'a>) -> Option<Use> {
        let replaced = *self.replaced.get(op.results.first()?)?;
        let def = self.pattern.values[replaced.value].def;
        (self.pattern.ops[def].parent.is_none() || def < id).then_some(replaced)
    }

    /// Types that were open and now are those of a new operation's results.
    fn bind_types(&mut self, types: &[Use], op: LocalId) {
        for (index, &ty) in (0u32..).zip(types) {
            if self.made[ty.value].is_some() || self.def(ty).parent.is_none() || self.users[ty.value].all < 2
            {
                continue;
            }
            let single = types[..index as usize].iter().all(|&ty| self.kind(ty) == Kind::Type);
            let to = match self.kind(ty) {
                Kind::Type if single => {
                    let (value, to) = (self.local(Kind::Value), self.local(Kind::Type));
                    self.push(Step::Result { op: op.into(), index, to: value });
                    self.push(Step::TypeOf { of: value.into(), to });
                    to
                }
                Kind::Types if types.len() == 1 => {
                    let (values, to) = (self.local(Kind::Values), self.local(Kind::Types));
                    self.push(Step::Results { op: op.into(), range: None, to: values });
                    self.push(Step::TypeOf { of: values.into(), to });
                    to
                }
                _ => continue,
            };
            self.made[ty.value] = Some(to.into());
        }
    }
}

/// Where a group of a new operation's results is, counted from the ends; `None` if there are several open
/// ones. Those of an operation that lists none, or one range for all, are single before the last.
fn open_group(index: usize, types: &[Use], is_one: impl Fn(&Use) -> bool) -> Option<GroupRef> {
    let number = |count: usize| u32::try_from(count).ok();
    if types.len() <= 1 {
        return Some(GroupRef::Rest { before: number(index)?, after: 0 });
    }
    let open: Vec<usize> = (0..types.len()).filter(|&i| !is_one(&types[i])).collect();
    let &[open] = open.as_slice() else { return None };
    let after = types.len().checked_sub(index + 1)?;
    Some(match index.cmp(&open) {
        Ordering::Less => GroupRef::One(number(index)?),
        Ordering::Equal => GroupRef::Rest { before: number(index)?, after: number(after)? },
        Ordering::Greater => GroupRef::FromEnd(number(after)?),
    })
}

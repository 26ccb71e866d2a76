//! The builder of rules in Rust.
//!
//! Specification: the methods add nodes, constraints and steps in the order of the calls. [`PatternBuilder::finish`]
//! adds only a rule that verifies. The builder interns strings. For each rule, it records the line of Rust code that
//! calls [`RuleSet::pattern`].

use crate::host::Kind;
use crate::intern::Interner;
use crate::source::{Diagnostics, Span};

use super::match_part::{
    Arg, AttrEdge, Call, Callee, Constant, GroupSplit, MatchPart, Node, NodeId, OperandGroup, OperationNode,
    Presence, ValueSource,
};
use super::rewrite_part::{
    CreateOp, LocalId, LocationSpec, Replacement, ResultTypes, RewritePart, Source, Step,
};
use super::rule_set::{Origin, Pattern, PatternId, RuleSet};
use super::{benefits::Benefit, verify};

impl RuleSet {
    /// Begins a rule with this name and benefit, at the end of the rule list.
    ///
    /// ```
    /// use drrvm::pdl::RuleSet;
    /// # fn main() -> Result<(), drrvm::source::Diagnostics> {
    /// let mut rules = RuleSet::default();
    ///
    /// // arith.addi(x, constant 0) is x.
    /// let mut rule = rules.pattern("add_zero", 2);
    /// let x = rule.value();
    /// let zero = rule.attr_constant("0 : i32");
    /// let constant = rule.op("arith.constant").attr("value", zero).matched();
    /// let zero = rule.result(constant, 0);
    /// let add = rule.op("arith.addi").operand(x).operand(zero).matched();
    /// rule.replace(add, [x]);
    /// rule.finish()?;
    /// # assert_eq!(rules.patterns().len(), 1);
    /// # Ok(()) }
    /// ```
    #[track_caller]
    pub fn pattern(&mut self, name: &str, benefit: u16) -> PatternBuilder<'_> {
        let pattern = Pattern {
            name: self.strings.intern(name),
            labels: Vec::new(),
            benefit,
            choice: None,
            recursive: false,
            origin: Origin::Rust(std::panic::Location::caller()),
            matcher: MatchPart::default(),
            rewrite: RewritePart::default(),
        };
        PatternBuilder { rules: self, pattern, benefits: Vec::new(), root: None, span: Span::NONE }
    }
}

/// A builder of one rule. [`RuleSet::pattern`] begins the rule, and [`Self::finish`] adds it to the set.
///
/// First describe the match part. Each call returns the [`NodeId`] of one entity of the matched IR; two uses of an id
/// refer to the same entity. Then describe the rewrite part. Its steps run in the order of the calls.
#[derive(Debug)]
#[must_use = "`finish` adds the rule"]
pub struct PatternBuilder<'r> {
    rules: &'r mut RuleSet,
    pattern: Pattern,
    benefits: Vec<Benefit>,
    root: Option<NodeId>,
    span: Span,
}

/// Properties of the whole rule.
impl<'r> PatternBuilder<'r> {
    /// The set that the rule will belong to, for its strings, operations and snippets.
    pub fn rules(&mut self) -> &mut RuleSet {
        self.rules
    }

    /// Sets the place of the rule in a source file, and the place of the nodes and steps that the next calls add. The
    /// default is the line of Rust code that calls [`RuleSet::pattern`].
    pub fn origin(&mut self, span: Span) {
        self.pattern.origin = Origin::Span(span);
        self.span = span;
    }

    /// Sets the place of the nodes and steps that the next calls add.
    pub fn at(&mut self, span: Span) -> &mut Self {
        self.span = span;
        self
    }

    /// Adds a label, by which [`RuleSet::select`] can keep or remove the rule.
    pub fn label(&mut self, label: &str) {
        let label = self.rules.strings.intern(label);
        self.pattern.labels.push(label);
    }

    /// Marks the rule as recursive: it may match operations that it created itself. Dialect conversion and
    /// [`NonRecursive`](crate::vm::NonRecursive) do not apply an unmarked rule to such operations. `drrvm check` does
    /// not warn of cycles in which all rules have this mark.
    pub fn recursive(&mut self) {
        self.pattern.recursive = true;
    }

    /// Anchors the rule at this operation. The default anchor is the operation whose results no other operation takes.
    /// If there are several such operations, the default is the operation from which the others are found at the least
    /// cost.
    pub fn root(&mut self, op: NodeId) {
        self.root = Some(op);
    }

    /// Gives the rule this benefit if a native constraint holds for the arguments.
    ///
    /// A rule can have several benefits. A match has the highest benefit whose constraint holds. If no constraint
    /// holds, it has the benefit of [`Self::benefit_otherwise`]; without that benefit, there is no match. The benefit
    /// given to [`RuleSet::pattern`] must be the largest.
    ///
    /// ```
    /// use drrvm::pdl::RuleSet;
    /// # fn main() -> Result<(), drrvm::source::Diagnostics> {
    /// let mut rules = RuleSet::default();
    /// let mut rule = rules.pattern("shift_left", 9);
    /// let value = rule.any_attr();
    /// let constant = rule.op("t.constant").attr("value", value).matched();
    /// let (x, by) = (rule.value(), rule.result(constant, 0));
    /// let root = rule.op("t.mul").operand(x).operand(by).matched();
    /// rule.benefit_if(9, "is_power_of_two", [value]);
    /// rule.benefit_if(4, "is_sum_of_two_powers", [value]);
    /// rule.benefit_otherwise(1);
    /// rule.rewrite_call("multiply_by_shifts", [root], &[]);
    /// let first = rule.finish()?;
    /// // One instance of the rule for each benefit, from the highest benefit to the lowest.
    /// assert_eq!(rules.patterns().iter().map(|rule| rule.benefit).collect::<Vec<_>>(), [9, 4, 1]);
    /// # Ok(()) }
    /// ```
    pub fn benefit_if(
        &mut self,
        benefit: u16,
        constraint: &str,
        args: impl IntoIterator<Item = impl Into<Arg<NodeId>>>,
    ) {
        let callee = Callee::Native(self.rules.strings.intern(constraint));
        let args = args.into_iter().map(Into::into).collect();
        let span = self.span;
        let call = Call { callee, args, results: Vec::new(), negated: false, span };
        self.benefits.push(Benefit { benefit: benefit.into(), constraint: Some(call), span });
    }

    /// Gives the rule this benefit if no constraint of a higher benefit holds; see [`Self::benefit_if`].
    pub fn benefit_otherwise(&mut self, benefit: u16) {
        self.benefits.push(Benefit { benefit: benefit.into(), constraint: None, span: self.span });
    }

    /// Adds the rule to the set. A rule with several benefits is added once for each benefit, from the highest benefit
    /// to the lowest. Returns the id of the first instance.
    ///
    /// # Errors
    /// The rule does not verify ([`RuleSet::verify`]), or its benefits are invalid. In these cases, nothing is added.
    pub fn finish(mut self) -> Result<PatternId, Diagnostics> {
        let part = &mut self.pattern.matcher;
        let root_exists = self.root.is_none_or(|root| part.get(root).is_some());
        if root_exists && part.dangling().next().is_none() {
            part.roots = part.find_roots(self.root);
        } else {
            part.roots = self.root.into_iter().collect();
        }
        let found = verify::verify_rule(self.rules, &self.pattern);
        if found.has_errors() {
            return Err(found);
        }
        self.default_locations();
        self.rules.add_rule(self.pattern, self.benefits)
    }

    /// Gives new operations without a location the fused location of all matched operations.
    fn default_locations(&mut self) {
        let everything: Vec<Source> =
            self.pattern.matcher.ops_in_post_order().into_iter().map(Source::Matched).collect();
        for step in &mut self.pattern.rewrite.steps {
            if let Step::Create(CreateOp { location: LocationSpec::Fused { of, metadata: None }, .. }) = step
                && of.is_empty()
            {
                of.clone_from(&everything);
            }
        }
    }

    fn text(&mut self, text: &str) -> Constant {
        Constant::Text(self.rules.strings.intern(text))
    }
}

/// The match part.
impl PatternBuilder<'_> {
    /// Adds a node.
    pub(crate) fn node(&mut self, node: Node) -> NodeId {
        self.pattern.matcher.push(node, self.span)
    }

    /// Names a node, and returns it. Messages and printed rules show the name.
    pub fn name(&mut self, node: NodeId, name: &str) -> NodeId {
        let name = self.rules.strings.intern(name);
        if self.pattern.matcher.get(node).is_some() {
            self.pattern.matcher.set_name(node, name);
        }
        node
    }

    /// Adds a node for any value.
    pub fn value(&mut self) -> NodeId {
        self.node(Node::Value { ty: None, source: None })
    }

    /// Adds a node for a value with this type.
    pub fn value_of(&mut self, ty: NodeId) -> NodeId {
        self.node(Node::Value { ty: Some(ty), source: None })
    }

    /// Adds a node for a range of any values.
    pub fn values(&mut self) -> NodeId {
        self.node(Node::Values { types: None, source: None })
    }

    /// Adds a node for a range of values with these types.
    pub fn values_of(&mut self, types: NodeId) -> NodeId {
        self.node(Node::Values { types: Some(types), source: None })
    }

    /// Adds a node for the result with the number `index` of an operation.
    pub fn result(&mut self, op: NodeId, index: u32) -> NodeId {
        self.node(Node::Value { ty: None, source: Some(ValueSource::Result { op, index }) })
    }

    /// Adds a node for any one result of an operation.
    pub fn defined_by(&mut self, op: NodeId) -> NodeId {
        self.node(Node::Value { ty: None, source: Some(ValueSource::DefinedBy { op }) })
    }

    /// Adds a node for the range of all results of an operation.
    pub fn results(&mut self, op: NodeId) -> NodeId {
        self.node(Node::Values { types: None, source: Some(ValueSource::Results { op, group: None }) })
    }

    /// Adds a node for a result group of an operation, as a range.
    pub fn result_group(&mut self, op: NodeId, group: u32) -> NodeId {
        let source = Some(ValueSource::Results { op, group: Some(group) });
        self.node(Node::Values { types: None, source })
    }

    /// Adds a node for any type.
    pub fn any_type(&mut self) -> NodeId {
        self.node(Node::Type { value: None })
    }

    /// Adds a node for the type that this MLIR text denotes.
    pub fn type_constant(&mut self, text: &str) -> NodeId {
        let value = Some(self.text(text));
        self.node(Node::Type { value })
    }

    /// Adds a node for a range of any types.
    pub fn any_types(&mut self) -> NodeId {
        self.node(Node::Types { values: None })
    }

    /// Adds a node for a range of the types that these MLIR texts denote.
    pub fn types_constant(&mut self, texts: &[&str]) -> NodeId {
        let values = Some(texts.iter().map(|text| self.text(text)).collect());
        self.node(Node::Types { values })
    }

    /// Adds a node for any attribute.
    pub fn any_attr(&mut self) -> NodeId {
        self.node(Node::Attribute { value: None, ty: None })
    }

    /// Adds a node for an attribute of this type.
    pub fn attr_of(&mut self, ty: NodeId) -> NodeId {
        self.node(Node::Attribute { value: None, ty: Some(ty) })
    }

    /// Adds a node for the attribute that this MLIR text denotes.
    pub fn attr_constant(&mut self, text: &str) -> NodeId {
        let value = Some(self.text(text));
        self.node(Node::Attribute { value, ty: None })
    }

    /// Begins an operation with this name. [`OpBuilder::matched`] adds it.
    pub fn op(&mut self, name: &str) -> OpBuilder<'_> {
        let name = Some(self.rules.strings.intern(name));
        self.op_node(OperationNode { name, ..OperationNode::default() })
    }

    /// Begins an operation with any name. [`OpBuilder::matched`] adds it.
    pub fn any_op(&mut self) -> OpBuilder<'_> {
        self.op_node(OperationNode::default())
    }

    fn op_node(&mut self, node: OperationNode) -> OpBuilder<'_> {
        let PatternBuilder { rules, pattern, span, .. } = self;
        OpBuilder { rules, part: &mut pattern.matcher, span: *span, node }
    }

    /// Requires that a native constraint holds.
    pub fn constraint(&mut self, name: &str, args: impl IntoIterator<Item = impl Into<Arg<NodeId>>>) {
        self.call(name, args, &[], false);
    }

    /// Requires that a native constraint fails.
    pub fn forbid(&mut self, name: &str, args: impl IntoIterator<Item = impl Into<Arg<NodeId>>>) {
        self.call(name, args, &[], true);
    }

    /// Requires that a native constraint holds, and returns the nodes of its results, which have these kinds.
    pub fn constraint_with_results(
        &mut self,
        name: &str,
        args: impl IntoIterator<Item = impl Into<Arg<NodeId>>>,
        kinds: &[Kind],
    ) -> Vec<NodeId> {
        self.call(name, args, kinds, false)
    }

    fn call(
        &mut self,
        name: &str,
        args: impl IntoIterator<Item = impl Into<Arg<NodeId>>>,
        kinds: &[Kind],
        negated: bool,
    ) -> Vec<NodeId> {
        let results: Vec<NodeId> = kinds.iter().map(|&kind| self.node(Node::Bound { kind })).collect();
        let callee = Callee::Native(self.rules.strings.intern(name));
        let args = args.into_iter().map(Into::into).collect();
        let span = self.span;
        self.pattern.matcher.constraints.push(Call { callee, args, results: results.clone(), negated, span });
        results
    }

    /// Adds a constraint, which need not be valid.
    #[cfg(test)]
    pub(crate) fn call_constraint(&mut self, call: Call) {
        self.pattern.matcher.constraints.push(call);
    }
}

/// The rewrite part. A step takes nodes and results of earlier steps.
impl PatternBuilder<'_> {
    /// Adds a step.
    pub(crate) fn step(&mut self, step: Step) {
        self.pattern.rewrite.steps.push(step);
    }

    /// Adds a local, for [`Self::step`].
    pub(crate) fn local(&mut self, kind: Kind) -> LocalId {
        self.pattern.rewrite.locals.push(kind)
    }

    fn add_step(&mut self, kind: Kind, step: impl FnOnce(LocalId) -> Step) -> LocalId {
        let to = self.local(kind);
        self.step(step(to));
        to
    }

    /// Adds a step that creates an attribute from MLIR text, and returns the attribute.
    pub fn make_attr(&mut self, text: &str) -> LocalId {
        let value = self.text(text);
        self.add_step(Kind::Attr, |to| Step::Attr { value, to })
    }

    /// Adds a step that creates a type from MLIR text, and returns the type.
    pub fn make_type(&mut self, text: &str) -> LocalId {
        let value = self.text(text);
        self.add_step(Kind::Type, |to| Step::Type { value, to })
    }

    /// Adds a step that reads the type of a value, and returns the type.
    pub fn type_of(&mut self, value: impl Into<Source>) -> LocalId {
        let of = value.into();
        self.add_step(Kind::Type, |to| Step::TypeOf { of, to })
    }

    /// Adds a step that reads the types of a range of values, and returns the range of types.
    pub fn types_of(&mut self, values: impl Into<Source>) -> LocalId {
        let of = values.into();
        self.add_step(Kind::Types, |to| Step::TypeOf { of, to })
    }

    /// Adds a step that reads one result of an operation, and returns the result.
    pub fn result_of(&mut self, op: impl Into<Source>, index: u32) -> LocalId {
        let op = op.into();
        self.add_step(Kind::Value, |to| Step::Result { op, index, to })
    }

    /// Adds a step that reads all results of an operation, and returns the range of results.
    pub fn results_of(&mut self, op: impl Into<Source>) -> LocalId {
        let op = op.into();
        self.add_step(Kind::Values, |to| Step::Results { op, range: None, to })
    }

    /// Adds a step that joins values and ranges of values into one range, and returns the range.
    pub fn range(&mut self, parts: impl IntoIterator<Item = impl Into<Source>>) -> LocalId {
        let parts = parts.into_iter().map(Into::into).collect();
        self.add_step(Kind::Values, |to| Step::Range { parts, to })
    }

    /// Adds a call of a native rewrite, and returns its results, which have these kinds.
    pub fn rewrite_call(
        &mut self,
        name: &str,
        args: impl IntoIterator<Item = impl Into<Arg<Source>>>,
        kinds: &[Kind],
    ) -> Vec<LocalId> {
        let to: Vec<LocalId> = kinds.iter().map(|&kind| self.local(kind)).collect();
        let callee = Callee::Native(self.rules.strings.intern(name));
        let args = args.into_iter().map(Into::into).collect();
        let span = self.span;
        self.step(Step::Call { callee, args, to: to.clone(), span });
        to
    }

    /// Begins a new operation with this name. [`CreateBuilder::created`] adds the step.
    pub fn create(&mut self, name: &str) -> CreateBuilder<'_> {
        let name = self.rules.strings.intern(name);
        let to = self.local(Kind::Op);
        let create = CreateOp {
            name,
            operands: Vec::new(),
            operand_segments: None,
            attributes: Vec::new(),
            results: ResultTypes::Listed(Vec::new()),
            result_segments: None,
            regions: 0,
            location: LocationSpec::Fused { of: Vec::new(), metadata: None },
            to,
            span: self.span,
        };
        let PatternBuilder { rules, pattern, .. } = self;
        CreateBuilder { strings: &mut rules.strings, rewrite: &mut pattern.rewrite, create }
    }

    /// Replaces all results of an operation by these values and ranges, and erases the operation.
    pub fn replace(&mut self, op: impl Into<Source>, with: impl IntoIterator<Item = impl Into<Source>>) {
        let with = Replacement::Values(with.into_iter().map(Into::into).collect());
        self.step(Step::Replace { op: op.into(), with });
    }

    /// Replaces all results of `op` by those of the operation `by`, and erases `op`.
    pub fn replace_by_op(&mut self, op: impl Into<Source>, by: impl Into<Source>) {
        self.step(Step::Replace { op: op.into(), with: Replacement::Op(by.into()) });
    }

    /// Erases an operation without uses.
    pub fn erase(&mut self, op: impl Into<Source>) {
        self.step(Step::Erase { op: op.into() });
    }
}

/// A builder of an operation to match.
#[derive(Debug)]
#[must_use = "`matched` adds the node"]
pub struct OpBuilder<'b> {
    rules: &'b mut RuleSet,
    part: &'b mut MatchPart,
    span: Span,
    node: OperationNode,
}

impl OpBuilder<'_> {
    /// Adds an operand group.
    pub(crate) fn group(mut self, group: OperandGroup) -> Self {
        self.node.operands.get_or_insert_default().push(group);
        self
    }

    /// Adds one operand. If no operand method is called, the operation has any operands.
    pub fn operand(self, value: NodeId) -> Self {
        self.group(OperandGroup::One(value))
    }

    /// Adds an optional operand. The node is null if the operand is absent.
    pub fn optional_operand(self, value: NodeId) -> Self {
        self.group(OperandGroup::Optional(value))
    }

    /// Adds a range of operands.
    pub fn operands(self, values: NodeId) -> Self {
        self.group(OperandGroup::Range(values))
    }

    /// Requires that the operation has no operands.
    pub fn no_operands(mut self) -> Self {
        self.node.operands = Some(Vec::new());
        self
    }

    /// Sets the division of the operands into groups.
    pub fn operand_split(mut self, split: GroupSplit) -> Self {
        self.node.operand_split = split;
        self
    }

    /// Allows two operand groups to match in either order.
    pub fn either(mut self, first: u32, second: u32) -> Self {
        self.node.either.push((first, second));
        self
    }

    fn edge(mut self, name: &str, node: NodeId, presence: Presence) -> Self {
        let name = self.rules.strings.intern(name);
        self.node.attributes.push(AttrEdge { name, node, presence, storage: None });
        self
    }

    /// Adds an attribute that must be present.
    pub fn attr(self, name: &str, node: NodeId) -> Self {
        self.edge(name, node, Presence::Required)
    }

    /// Adds an optional attribute. The node is null if the attribute is absent.
    pub fn optional_attr(self, name: &str, node: NodeId) -> Self {
        self.edge(name, node, Presence::Optional)
    }

    /// Adds an attribute with a default value as MLIR text. If the attribute is absent, the node is bound to the
    /// default value.
    pub fn default_attr(self, name: &str, node: NodeId, default: &str) -> Self {
        let default = Constant::Text(self.rules.strings.intern(default));
        self.edge(name, node, Presence::Default(default))
    }

    /// Adds a result with this type, or results with these types. If no result method is called, the operation has any
    /// results.
    pub fn result_type(mut self, ty: NodeId) -> Self {
        self.node.results.get_or_insert_default().push(ty);
        self
    }

    /// Requires that the operation has no results.
    pub fn no_results(mut self) -> Self {
        self.node.results = Some(Vec::new());
        self
    }

    /// Sets the division of the results into groups.
    pub fn result_split(mut self, split: GroupSplit) -> Self {
        self.node.result_split = split;
        self
    }

    /// Adds the operation to the rule, and returns its node.
    pub fn matched(self) -> NodeId {
        self.part.push(Node::Operation(self.node), self.span)
    }
}

/// A builder of an operation to create.
#[derive(Debug)]
#[must_use = "`created` adds the step"]
pub struct CreateBuilder<'b> {
    strings: &'b mut Interner,
    rewrite: &'b mut RewritePart,
    create: CreateOp,
}

impl CreateBuilder<'_> {
    /// Adds an operand or a range of operands.
    pub fn operand(mut self, value: impl Into<Source>) -> Self {
        self.create.operands.push(value.into());
        self
    }

    /// Writes the size of each operand group to an attribute.
    pub fn operand_segments(mut self, name: &str) -> Self {
        self.create.operand_segments = Some(self.strings.intern(name));
        self
    }

    /// Adds an attribute that the operation declares.
    pub fn attr(mut self, name: &str, value: impl Into<Source>) -> Self {
        let name = self.strings.intern(name);
        self.create.attributes.push((name, value.into(), true));
        self
    }

    /// Adds an attribute that the operation does not declare.
    pub fn discardable_attr(mut self, name: &str, value: impl Into<Source>) -> Self {
        let name = self.strings.intern(name);
        self.create.attributes.push((name, value.into(), false));
        self
    }

    /// Adds a result with this type, or results with these types. Has no effect after [`Self::infer_results`].
    pub fn result_type(mut self, ty: impl Into<Source>) -> Self {
        if let ResultTypes::Listed(types) = &mut self.create.results {
            types.push(ty.into());
        }
        self
    }

    /// Lets the definition of the operation, or else a registered type inference, determine the result types.
    pub fn infer_results(mut self) -> Self {
        self.create.results = ResultTypes::Inferred;
        self
    }

    /// Writes the size of each result group to an attribute.
    pub fn result_segments(mut self, name: &str) -> Self {
        self.create.result_segments = Some(self.strings.intern(name));
        self
    }

    /// Sets the number of regions, which are empty. A native can move regions of erased operations there.
    pub fn regions(mut self, count: u32) -> Self {
        self.create.regions = count;
        self
    }

    /// Sets the location. The default is the fused location of all matched operations.
    pub fn location(mut self, location: LocationSpec) -> Self {
        self.create.location = location;
        self
    }

    /// Adds the step, and returns the new operation.
    pub fn created(self) -> LocalId {
        let to = self.create.to;
        self.rewrite.steps.push(Step::Create(self.create));
        to
    }
}

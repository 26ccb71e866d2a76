//! The verifier of rules.
//!
//! Specification: every engine can match and apply a verified rule without errors. Engines rely on these checks and do
//! not repeat them.
//!
//! In a verified rule:
//!
//! - ids are in range, and each reference is to a node of the right kind;
//! - groups and splits are unambiguous;
//! - every node is bound: by a walk from the anchor down the operands and then along the climbs, by its constant, or by
//!   a constraint. The arguments of a constraint are bound before the constraint is checked;
//! - operations form no cycle;
//! - each local is defined once, before it is used.
//!
//! Not checked here: linking checks that natives exist, and the DRR front end checks that operations are defined.

use crate::host::Kind;
use crate::id::{Id, IdVec};
use crate::source::{Diagnostic, Diagnostics, Span};

use super::error;
use super::match_part::element_kind;
use super::match_part::{
    Arg, Call, GroupSplit, MatchPart, Node, NodeId, OperandGroup, OperationNode, ValueSource,
};
use super::references::are_foreign;
use super::rewrite_part::{CreateOp, LocalId, LocationSpec, Replacement, ResultTypes, Source, Step};
use super::roots::Reached;
use super::rule_set::{Origin, Pattern, RuleSet};

/// The largest number of `either` pairs of a rule. The reference matcher tries all orders.
pub(super) const MAX_EITHER: usize = 12;

/// Rules without errors. All later stages take only these and rely on the checks of this module.
#[derive(Clone, Copy, Debug)]
pub struct VerifiedRules<'r>(&'r RuleSet);

impl<'r> VerifiedRules<'r> {
    /// The rules.
    pub fn rules(self) -> &'r RuleSet {
        self.0
    }

    /// The warnings about the rules, such as a rule that never matches. Front ends report the same warnings when they
    /// load rules.
    ///
    /// ```
    /// use drrvm::RuleSet;
    /// let mut rules = RuleSet::default();
    /// let mut rule = rules.pattern("Never", 1);
    /// let ty = rule.any_type();
    /// let source = rule.op("t.source").result_type(ty).matched();
    /// let second = rule.result(source, 1);
    /// let root = rule.op("t.use").operand(second).matched();
    /// rule.erase(root);
    /// rule.finish()?;
    /// let warnings = rules.verify()?.warnings();
    /// assert!(warnings.to_string().contains("the rule never matches"));
    /// # Ok::<(), drrvm::Diagnostics>(())
    /// ```
    pub fn warnings(self) -> Diagnostics {
        let mut all = Diagnostics::default();
        self.0.patterns.iter().for_each(|pattern| all.extend(verify_rule(self.0, pattern)));
        all
    }
}

impl std::ops::Deref for VerifiedRules<'_> {
    type Target = RuleSet;
    fn deref(&self) -> &RuleSet {
        self.0
    }
}

impl RuleSet {
    /// Verifies all rules. The time is linear in the size of the rules, except that it is cubic in the number of roots
    /// of a rule. [`VerifiedRules::warnings`] has the warnings of valid rules.
    ///
    /// # Errors
    /// Returns the errors and warnings if there is at least one error. After 1,000 errors, no further rule is verified.
    pub fn verify(&self) -> Result<VerifiedRules<'_>, Diagnostics> {
        let mut out = Diagnostics::default();
        for pattern in self.patterns.iter() {
            if out.at_limit() {
                break;
            }
            out.extend(verify_rule(self, pattern));
        }
        if out.has_errors() { Err(out) } else { Ok(VerifiedRules(self)) }
    }
}

/// Verifies one rule, which need not be in the set yet.
pub(crate) fn verify_rule(rules: &RuleSet, pattern: &Pattern) -> Diagnostics {
    let span = match pattern.origin {
        Origin::Span(span) => span,
        Origin::Rust(_) => Span::NONE,
    };
    let part = &pattern.matcher;
    // Messages of the other checks show strings of the rule, so foreign ids are rejected first.
    if are_foreign(rules, pattern) {
        return error::foreign_ids(span, pattern.origin).into();
    }
    let mut v = Verifier { rules, pattern, part, span, out: Diagnostics::default() };
    v.header();
    if v.out.has_errors() {
        return v.out;
    }
    part.iter_enumerated().for_each(|(id, node)| v.node(id, node));
    part.constraints.iter().for_each(|call| v.call(call));
    if !v.out.has_errors() {
        v.connected();
        v.acyclic();
    }
    v.rewrite();
    v.out
}

struct Verifier<'a> {
    rules: &'a RuleSet,
    pattern: &'a Pattern,
    part: &'a MatchPart,
    span: Span,
    out: Diagnostics,
}

impl Verifier<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        let diagnostic = match self.pattern.origin {
            Origin::Rust(at) => {
                let name = &self.rules.strings[self.pattern.name];
                diagnostic.with_note(format!("in rule '{name}', built at {}:{}", at.file(), at.line()))
            }
            Origin::Span(_) => diagnostic,
        };
        self.out.push(diagnostic);
    }

    fn at(&self, node: NodeId) -> Span {
        let own = self.part.get(node).map(|_| self.part.span(node));
        own.filter(|span| !span.is_none()).unwrap_or(self.span)
    }

    fn at_call(&self, span: Span) -> Span {
        if span.is_none() { self.span } else { span }
    }

    fn description(&self, node: NodeId) -> String {
        match self.part.name(node) {
            Some(name) => format!("'{}'", &self.rules.strings[name]),
            None => format!("this {}", self.part[node].kind()),
        }
    }

    fn header(&mut self) {
        let (pattern, part) = (self.pattern, self.part);
        if pattern.benefit > Pattern::MAX_BENEFIT {
            let limit = Pattern::MAX_BENEFIT;
            self.report(error::benefit_out_of_range(self.span, pattern.benefit.into(), limit));
        }
        if part.roots.is_empty() {
            self.report(error::no_root(self.span));
        }
        for (i, &root) in part.roots.iter().enumerate() {
            self.expect(self.span, root, "a root", &[Kind::Op]);
            if part.roots[..i].contains(&root) {
                self.report(error::root_twice(self.at(root)));
            }
        }
        for id in part.dangling() {
            self.report(error::no_such_node(self.at(id), "a node"));
        }
        for call in &part.constraints {
            let mut taken = call.args.iter().filter_map(Arg::taken).chain(call.results.iter().copied());
            if taken.any(|node| node.index() >= part.len()) {
                self.report(error::no_such_node(self.at_call(call.span), "a constraint"));
            }
        }
    }

    fn expect(&mut self, at: Span, node: NodeId, what: &str, kinds: &[Kind]) {
        match self.part.get(node).map(Node::kind) {
            None => self.report(error::no_such_node(at, what)),
            Some(kind) if !kinds.contains(&kind) => self.wrong_kind(at, what, kinds, kind),
            Some(_) => {}
        }
    }

    fn wrong_kind(&mut self, at: Span, what: &str, kinds: &[Kind], found: Kind) {
        let expected: Vec<String> = kinds.iter().map(|kind| kind.with_article()).collect();
        self.report(error::wrong_kind(at, what, &expected.join(" or "), found));
    }

    fn node(&mut self, id: NodeId, node: &Node) {
        let at = self.at(id);
        match node {
            Node::Operation(op) => self.operation(at, op),
            Node::Value { ty, source } => {
                ty.iter().for_each(|&ty| self.expect(at, ty, "the type of a value", &[Kind::Type]));
                if let Some(ValueSource::Results { group: None, .. }) = source {
                    self.report(error::one_value_of_all_results(at));
                }
                source.iter().for_each(|&source| self.source(at, source));
            }
            Node::Values { types, source } => {
                types.iter().for_each(|&ty| self.expect(at, ty, "the types of a range", &[Kind::Types]));
                if let Some(ValueSource::Result { .. } | ValueSource::DefinedBy { .. }) = source {
                    self.report(error::range_of_one_result(at));
                }
                source.iter().for_each(|&source| self.source(at, source));
            }
            Node::Attribute { ty, .. } => {
                ty.iter().for_each(|&ty| self.expect(at, ty, "the type of an attribute", &[Kind::Type]));
            }
            Node::Type { .. } | Node::Types { .. } | Node::Bound { .. } => {}
        }
    }

    fn source(&mut self, at: Span, source: ValueSource) {
        self.expect(at, source.op(), "the origin of a value", &[Kind::Op]);
        let Some(op) = self.part[source.op()].as_operation() else { return };
        let kind = |node: NodeId| self.part.get(node).map_or(Kind::Op, Node::kind);
        let Some(results) = op.listed_results(kind) else { return };
        let open = results.iter().any(|&node| self.part[node].kind() == Kind::Types);
        match source {
            ValueSource::Result { index, .. } if !open && index as usize >= results.len() => {
                self.report(error::no_such_result(at, index, results.len()));
            }
            ValueSource::Results { group: Some(group), .. } if group as usize >= results.len() => {
                self.report(error::no_such_result_group(at, group, results.len()));
            }
            _ => {}
        }
    }

    fn operation(&mut self, at: Span, op: &OperationNode) {
        let groups = op.operands.as_deref().unwrap_or_default();
        for group in groups {
            let kind = if let OperandGroup::Range(_) = group { Kind::Values } else { Kind::Value };
            group.nodes().iter().for_each(|&node| self.expect(at, node, "an operand", &[kind]));
        }
        let open = groups.iter().map(OperandGroup::size).filter(|&(least, most)| Some(least) != most).count();
        if op.operand_split == GroupSplit::Rest && open > 1 {
            self.report(error::ambiguous_groups(at, "operand", open));
        }
        let mut paired = vec![false; groups.len()];
        for &(a, b) in &op.either {
            for index in [a, b] {
                match groups.get(index as usize) {
                    None => self.report(error::bad_either(at, "there is no such operand")),
                    Some(OperandGroup::One(_)) if !paired[index as usize] => paired[index as usize] = true,
                    Some(OperandGroup::One(_)) => {
                        self.report(error::bad_either(at, "an operand is in two pairs"));
                    }
                    Some(_) => {
                        self.report(error::bad_either(at, "only single operands can match in either order"))
                    }
                }
            }
        }
        for edge in &op.attributes {
            self.expect(at, edge.node, "the value of an attribute", &[Kind::Attr]);
        }
        let results = op.results.as_deref().unwrap_or_default();
        for &node in results {
            self.expect(at, node, "a result type", &[Kind::Type, Kind::Types]);
        }
        let open = results.iter().filter(|&&node| self.part[node].kind() == Kind::Types).count();
        if op.result_split == GroupSplit::Rest && open > 1 {
            self.report(error::ambiguous_groups(at, "result", open));
        }
    }

    fn call(&mut self, call: &Call) {
        let at = self.at_call(call.span);
        let each: Vec<NodeId> =
            call.args.iter().filter_map(|arg| if let Arg::Each(n) = arg { Some(*n) } else { None }).collect();
        for &node in &each {
            let kind = self.part[node].kind();
            if element_kind(kind).is_none() {
                self.report(error::each_of_no_range(at, kind));
            }
        }
        if each.len() > 1 {
            self.report(error::several_each(at));
        }
        if !each.is_empty() && !call.results.is_empty() {
            self.report(error::results_of_each(at));
        }
        if call.negated && !call.results.is_empty() {
            self.report(error::results_of_negated(at));
        }
    }

    /// Checks that all nodes are bound, and that the arguments of each constraint are bound before the constraint is
    /// checked.
    fn connected(&mut self) {
        let part = self.part;
        if part.roots.len() > MatchPart::MAX_ROOTS {
            self.report(error::too_many_roots(self.span, part.roots.len(), MatchPart::MAX_ROOTS));
            return;
        }
        let mut listed = vec![false; part.len()];
        part.roots.iter().for_each(|root| listed[root.index()] = true);
        if let Some(root) = part.topmost().find(|root| !listed[root.index()]) {
            self.report(error::root_not_listed(self.at(root), self.at(part.roots[0])));
        }
        let mut reach = Reached::new(part);
        let climbs = part.climbs();
        reach.visit(part.roots[0]);
        climbs.iter().for_each(|climb| reach.visit(climb.op));
        let either: usize = part.iter().filter_map(Node::as_operation).map(|op| op.either.len()).sum();
        if either > MAX_EITHER {
            self.report(error::too_many_either(self.span, either, MAX_EITHER));
        }
        if either > 0 && !climbs.is_empty() {
            self.report(error::bad_either(self.span, "the rule has several roots"));
        }
        for (id, _) in part.iter_enumerated().filter(|(_, node)| node.is_constant()) {
            reach.visit(id);
        }
        let mut results = None;
        for call in &part.constraints {
            for node in call.args.iter().filter_map(Arg::taken) {
                if !reach.has(node) {
                    let at = self.at_call(call.span);
                    let (description, declared_at) = (self.description(node), self.at(node));
                    let is_bound_later = results.get_or_insert_with(|| bound_by_constraints(part)).has(node);
                    self.report(if is_bound_later {
                        error::unbound_argument(at, &description, declared_at)
                    } else {
                        error::never_bound_argument(at, &description, declared_at)
                    });
                    // Visiting the node prevents further reports about it.
                    reach.visit(node);
                }
            }
            call.results.iter().for_each(|&node| reach.visit(node));
        }
        let root = self.at(part.roots[0]);
        // Only the topmost nodes of unreached parts are reported.
        let mut below = vec![false; part.len()];
        for (_, node) in part.iter_enumerated().filter(|&(id, _)| !reach.has(id)) {
            node.for_each_child(|child| below[child.index()] = true);
        }
        for id in part.ids().filter(|id| !reach.has(*id) && !below[id.index()]) {
            self.report(error::disconnected(self.at(id), &self.description(id), root));
        }
    }

    fn acyclic(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let part = self.part;
        let mut marks = vec![Mark::New; part.len()];
        for start in part.ids() {
            let mut path = vec![start];
            while let Some(&node) = path.last() {
                if marks[node.index()] != Mark::New {
                    path.pop();
                    marks[node.index()] = Mark::Done;
                    continue;
                }
                marks[node.index()] = Mark::Open;
                let mut back = false;
                part[node].for_each_child(|child| match marks[child.index()] {
                    Mark::New => path.push(child),
                    Mark::Open => back = true,
                    Mark::Done => {}
                });
                if back {
                    self.report(error::cycle(self.at(node)));
                    return;
                }
            }
        }
    }

    fn rewrite(&mut self) {
        let rewrite = &self.pattern.rewrite;
        let mut defined: IdVec<LocalId, bool> = rewrite.locals.iter().map(|_| false).collect();
        for step in &rewrite.steps {
            self.step(step, &defined);
            for &local in step.defined_locals() {
                match defined.get(local) {
                    None => self.report(error::no_such_local(self.step_span(step))),
                    Some(true) => self.report(error::defined_twice(self.step_span(step))),
                    Some(false) => defined[local] = true,
                }
            }
        }
        let missing = defined.iter().filter(|&&defined| !defined).count();
        if missing > 0 {
            self.report(error::never_made(self.span, missing));
        }
    }

    fn step_span(&self, step: &Step) -> Span {
        match step {
            Step::Call { span, .. } | Step::Create(CreateOp { span, .. }) => self.at_call(*span),
            _ => self.span,
        }
    }

    /// Returns the kind of a step's operand. Reports an error and returns `None` if the operand does not exist or is
    /// not defined yet.
    fn kind_of(&mut self, at: Span, source: Source, defined: &IdVec<LocalId, bool>) -> Option<Kind> {
        match source {
            Source::Matched(node) => {
                let kind = self.part.get(node).map(Node::kind);
                if kind.is_none() {
                    self.report(error::no_such_node(at, "a rewrite step"));
                }
                kind
            }
            Source::Local(local) => match defined.get(local) {
                None => {
                    self.report(error::no_such_local(at));
                    None
                }
                Some(false) => {
                    self.report(error::used_before_made(at));
                    None
                }
                Some(true) => Some(self.pattern.rewrite.locals[local]),
            },
        }
    }

    fn expect_operand(
        &mut self,
        at: Span,
        source: Source,
        what: &str,
        kinds: &[Kind],
        defined: &IdVec<LocalId, bool>,
    ) -> Option<Kind> {
        let kind = self.kind_of(at, source, defined)?;
        if kinds.contains(&kind) {
            return Some(kind);
        }
        self.wrong_kind(at, what, kinds, kind);
        None
    }

    fn expect_result(&mut self, at: Span, local: LocalId, what: &str, kind: Kind) {
        match self.pattern.rewrite.locals.get(local) {
            Some(&found) if found != kind => self.wrong_kind(at, what, &[kind], found),
            // The caller reports an unknown local.
            _ => {}
        }
    }

    fn step(&mut self, step: &Step, defined: &IdVec<LocalId, bool>) {
        let at = self.step_span(step);
        match step {
            Step::Attr { to, .. } => self.expect_result(at, *to, "an attribute constant", Kind::Attr),
            Step::Type { to, .. } => self.expect_result(at, *to, "a type constant", Kind::Type),
            Step::TypeOf { of, to } => {
                let kinds = [Kind::Value, Kind::Values];
                if let Some(kind) =
                    self.expect_operand(at, *of, "the operand of a type step", &kinds, defined)
                {
                    let kind = if kind == Kind::Value { Kind::Type } else { Kind::Types };
                    self.expect_result(at, *to, "the result of a type step", kind);
                }
            }
            Step::Result { op, to, .. } => {
                self.expect_operand(at, *op, "the operand of a result step", &[Kind::Op], defined);
                self.expect_result(at, *to, "a result", Kind::Value);
            }
            Step::Results { op, to, .. } => {
                self.expect_operand(at, *op, "the operand of a results step", &[Kind::Op], defined);
                self.expect_result(at, *to, "results", Kind::Values);
            }
            Step::Range { parts, to } => self.range(at, parts, *to, defined),
            Step::Location { spec, to } => {
                self.location(at, spec, defined);
                self.expect_result(at, *to, "a location", Kind::Location);
            }
            Step::Call { args, .. } => {
                for arg in args {
                    let Some(source) = arg.taken() else { continue };
                    self.kind_of(at, source, defined);
                    if matches!(arg, Arg::Each(_)) {
                        self.report(error::each_in_rewrite(at));
                    }
                }
            }
            Step::Create(create) => self.create(at, create, defined),
            Step::Replace { op, with } => {
                self.expect_operand(at, *op, "the operand of a replacement", &[Kind::Op], defined);
                match with {
                    Replacement::Op(by) => {
                        self.expect_operand(at, *by, "the replacement of an operation", &[Kind::Op], defined);
                    }
                    Replacement::Values(values) => {
                        let kinds = [Kind::Value, Kind::Values];
                        for &value in values {
                            self.expect_operand(at, value, "the replacement of a result", &kinds, defined);
                        }
                    }
                }
            }
            Step::Erase { op } => {
                self.expect_operand(at, *op, "the operand of an erasure", &[Kind::Op], defined);
            }
        }
    }

    fn range(&mut self, at: Span, parts: &[Source], to: LocalId, defined: &IdVec<LocalId, bool>) {
        let Some(&range) = self.pattern.rewrite.locals.get(to) else { return };
        let Some(element) = element_kind(range) else {
            self.wrong_kind(at, "a range", &[Kind::Values, Kind::Types, Kind::Attrs], range);
            return;
        };
        for &part in parts {
            self.expect_operand(at, part, "a part of a range", &[element, range], defined);
        }
    }

    fn location(&mut self, at: Span, spec: &LocationSpec, defined: &IdVec<LocalId, bool>) {
        let of = match spec {
            LocationSpec::Fused { of, .. } => of.as_slice(),
            LocationSpec::Named { child, .. } => child.as_slice(),
        };
        for &source in of {
            let kinds = [Kind::Op, Kind::Value, Kind::Values, Kind::Location];
            self.expect_operand(at, source, "a part of a location", &kinds, defined);
        }
    }

    fn create(&mut self, at: Span, create: &CreateOp, defined: &IdVec<LocalId, bool>) {
        for &operand in &create.operands {
            self.expect_operand(at, operand, "an operand", &[Kind::Value, Kind::Values], defined);
        }
        for &(_, value, _) in &create.attributes {
            self.expect_operand(at, value, "an attribute", &[Kind::Attr], defined);
        }
        if let ResultTypes::Listed(types) = &create.results {
            for &ty in types {
                self.expect_operand(at, ty, "a result type", &[Kind::Type, Kind::Types], defined);
            }
        }
        self.location(at, &create.location, defined);
        self.expect_result(at, create.to, "a new operation", Kind::Op);
    }
}

/// The nodes that the constraints bind.
fn bound_by_constraints(part: &MatchPart) -> Reached<'_> {
    let mut bound = Reached::new(part);
    part.constraints.iter().flat_map(|call| &call.results).for_each(|&node| bound.visit(node));
    bound
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdl::builder::PatternBuilder;
    use crate::pdl::match_part::Callee;
    use crate::pdl::rule_set::PatternId;

    fn errors(build: impl FnOnce(&mut PatternBuilder<'_>)) -> Vec<String> {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("bad", 1);
        build(&mut rule);
        match rule.finish() {
            Ok(_) => Vec::new(),
            Err(found) => found.into_iter().map(|d| d.message).collect(),
        }
    }

    fn native(rule: &mut PatternBuilder<'_>, args: Vec<Arg<NodeId>>, results: Vec<NodeId>, negated: bool) {
        let callee = Callee::Native(rule.rules().strings.intern("native"));
        rule.call_constraint(Call { callee, args, results, negated, span: Span::NONE });
    }

    #[test]
    fn a_rule_needs_an_operation() {
        assert_eq!(errors(|_| {}), ["a rule must match at least one operation"]);
        let root_is_a_value = errors(|rule| {
            let x = rule.value();
            rule.root(x);
        });
        assert_eq!(root_is_a_value, ["a root must be an operation, not a value"]);
    }

    #[test]
    fn the_benefit_is_bounded() {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("eager", 65_535);
        rule.op("t.a").matched();
        let found = rule.finish().expect_err("too high");
        let text = "benefit 65535 is out of range: the largest is 65534";
        assert_eq!(found.iter().next().map(|d| d.message.as_str()), Some(text));
        let note = &found.iter().next().expect("one").notes[0].text;
        assert!(note.starts_with("in rule 'eager', built at src/pdl/verify.rs:"), "{note}");
    }

    #[test]
    fn operands_types_and_attributes_are_nodes_of_the_right_kind() {
        let found = errors(|rule| {
            let attr = rule.any_attr();
            let value = rule.value_of(attr);
            rule.op("t.a").operand(attr).operand(value).attr("x", value).result_type(value).matched();
        });
        let expected = [
            "the type of a value must be a type, not an attribute",
            "an operand must be a value, not an attribute",
            "the value of an attribute must be an attribute, not a value",
            "a result type must be a type or a range of types, not a value",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn ids_of_another_rule_are_errors() {
        let far = NodeId::from_raw(77);
        assert_eq!(
            errors(|rule| {
                rule.op("t.a").operand(far).matched();
            }),
            [
                "a rule must match at least one operation",
                "a node refers to a node that the rule does not have"
            ]
        );
        assert_eq!(
            errors(|rule| {
                rule.op("t.a").matched();
                rule.erase(far);
                rule.erase(LocalId::from_raw(3));
            }),
            [
                "a rewrite step refers to a node that the rule does not have",
                "a rewrite step refers to a local that the rule does not have"
            ]
        );
    }

    #[test]
    fn a_call_for_each_element_in_a_rewrite_is_an_error() {
        let found = errors(|rule| {
            let xs = rule.values();
            rule.op("t.a").operands(xs).matched();
            rule.rewrite_call("native", [Arg::Each(xs.into())], &[]);
        });
        assert_eq!(found, ["only a constraint can be called for each element of a range"]);
    }

    /// A rule of another set can refer to strings and snippets that this set does not have.
    #[test]
    fn rules_of_another_set_are_errors() {
        let other = |build: fn(&mut PatternBuilder<'_>)| {
            let mut rules = RuleSet::default();
            // The strings of the first rule make the ids of the second rule larger.
            for name in ["first", "second"] {
                let mut rule = rules.pattern(name, 1);
                build(&mut rule);
                rule.finish().expect("a good rule");
            }
            rules.patterns[PatternId::from_raw(1)].clone()
        };
        let patterns = [
            other(|rule| {
                rule.op("t.a").matched();
            }),
            other(|rule| {
                let value = rule.attr_constant("1 : i32");
                rule.op("t.a").attr("x", value).matched();
            }),
            other(|rule| {
                let root = rule.op("t.a").matched();
                let new = rule.create("t.b").created();
                rule.replace_by_op(root, new);
            }),
        ];
        for pattern in patterns {
            let rules = RuleSet::default().with_patterns([pattern]);
            let errors = rules.verify().expect_err("ids of another set");
            let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
            assert_eq!(messages, ["a rule refers to strings or snippets that its rule set does not have"]);
        }
    }

    #[test]
    fn several_open_groups_need_a_split() {
        let two = |split| {
            errors(move |rule| {
                let (a, b) = (rule.values(), rule.values());
                rule.op("t.a").operands(a).operands(b).operand_split(split).matched();
            })
        };
        assert_eq!(
            two(GroupSplit::Rest),
            ["2 operand groups have an open size, and nothing determines their sizes"]
        );
        assert_eq!(two(GroupSplit::Equal), [""; 0]);
    }

    #[test]
    fn either_needs_two_single_operands() {
        let found = errors(|rule| {
            let (a, b) = (rule.value(), rule.values());
            rule.op("t.a").operand(a).operands(b).either(0, 1).either(0, 2).matched();
        });
        let message = |reason| format!("operands cannot match in either order: {reason}");
        assert_eq!(
            found,
            [
                "only single operands can match in either order",
                "an operand is in two pairs",
                "there is no such operand"
            ]
            .map(message)
        );
    }

    #[test]
    fn the_arguments_of_a_call_are_bound_before_it() {
        let found = errors(|rule| {
            let op = rule.op("t.a").matched();
            let later = rule.node(Node::Bound { kind: Kind::Attr });
            native(rule, vec![Arg::Of(later)], vec![], false);
            native(rule, vec![Arg::Of(op)], vec![later], false);
        });
        assert_eq!(found, ["this attribute is used by a constraint before it is bound"]);
        let found = errors(|rule| {
            rule.op("t.a").matched();
            let alone = rule.value();
            native(rule, vec![Arg::Of(alone)], vec![], false);
        });
        assert_eq!(found, ["this value is used by a constraint, but never bound"]);
        let found = errors(|rule| {
            let xs = rule.values();
            let op = rule.op("t.a").operands(xs).matched();
            let bound = rule.node(Node::Bound { kind: Kind::Attr });
            native(rule, vec![Arg::Each(op)], vec![], false);
            native(rule, vec![Arg::Each(xs), Arg::Each(xs)], vec![bound], true);
        });
        let expected = [
            "a call for each element needs a range, not an operation",
            "a call can iterate over one range only",
            "a call for each element of a range cannot have results",
            "a negated constraint cannot have results",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn every_node_is_connected_to_the_root() {
        let found = errors(|rule| {
            let op = rule.op("t.a").matched();
            rule.root(op);
            let y = rule.value();
            rule.name(y, "y");
            rule.op("t.b").operand(y).matched();
        });
        assert_eq!(found, ["this operation is not connected to the root"]);
    }

    #[test]
    fn operations_form_no_cycle() {
        let found = errors(|rule| {
            let op = NodeId::from_raw(1);
            let x = rule.result(op, 0);
            rule.op("t.a").operand(x).matched();
            rule.root(op);
        });
        assert_eq!(found, ["an operation takes its own results as operands"]);
    }

    #[test]
    fn results_exist() {
        let found = errors(|rule| {
            let ty = rule.any_type();
            let op = rule.op("t.a").result_type(ty).matched();
            rule.result(op, 1);
            rule.result_group(op, 2);
            rule.node(Node::Value { ty: None, source: Some(ValueSource::Results { op, group: None }) });
            rule.node(Node::Values { types: None, source: Some(ValueSource::DefinedBy { op }) });
        });
        let expected = [
            "the rule never matches: no result 1, because the number of the operation's results is 1",
            "no result group 2: the number of the operation's result groups is 1",
            "all results of an operation are a range, not one value",
            "a range must be a result group or all results of an operation",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn steps_use_defined_locals() {
        let found = errors(|rule| {
            let value = rule.any_attr();
            rule.op("t.a").attr("x", value).matched();
            let early = rule.local(Kind::Op);
            rule.erase(early);
            rule.erase(value);
            let range = rule.range([value]);
            rule.local(Kind::Type);
            rule.step(Step::Results { op: early.into(), range: None, to: range });
        });
        let expected = [
            "a rewrite step uses a local that no earlier step defines",
            "the operand of an erasure must be an operation, not an attribute",
            "a part of a range must be a value or a range of values, not an attribute",
            "a rewrite step uses a local that no earlier step defines",
            "two rewrite steps define the same local",
            "no rewrite step defines 2 of the rule's locals",
        ];
        assert_eq!(found, expected);
    }
}

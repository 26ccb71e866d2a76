//! The state of lowering one pattern. The match part and the rewrite share it.

use hashbrown::HashMap;

use super::super::ast::{self, Op, Use, ValueId};
use super::super::error;
use super::users::UseCounts;
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::ir::{AttrId, Context, TypeId};
use crate::pdl::{Arg, Callee, Constant, LocalId, Node, NodeId, Pattern, RuleSet, Source, Step};
use crate::snippet::SnippetId;
use crate::source::{Diagnostic, Diagnostics, Span};

/// The interned texts of constants, and the snippets of expressions.
#[derive(Default)]
pub(in super::super) struct Texts {
    pub(super) attrs: HashMap<AttrId, StrId>,
    pub(super) types: HashMap<TypeId, StrId>,
    /// The snippets of expressions, by their serialised code and their text.
    pub(super) snippets: HashMap<(String, String), SnippetId>,
}

/// A constraint of the match part. A result that must equal another value gets the node of that value after all nodes
/// have been created.
pub(super) struct PendingCall {
    pub(super) callee: Callee,
    pub(super) args: Vec<Arg<NodeId>>,
    pub(super) results: Vec<CallResult>,
    pub(super) negated: bool,
    pub(super) span: Span,
}

/// A result of a constraint.
pub(super) enum CallResult {
    /// A node of its own.
    Bound(NodeId),
    /// The node of another value, which the result must equal.
    Equal(ValueId),
}

pub(super) struct Lowering<'r, 'p, 'a> {
    pub(super) pattern: &'p ast::Pattern<'a>,
    pub(super) context: &'r Context,
    pub(super) texts: &'r mut Texts,
    pub(super) rules: &'r mut RuleSet,
    pub(super) rule: Pattern,
    pub(super) nodes: IdVec<ValueId, Option<NodeId>>,
    pub(super) created: IdVec<ValueId, Option<Source>>,
    pub(super) use_counts: IdVec<ValueId, UseCounts>,
    /// The first operation that each new operation replaces.
    pub(super) replaced: HashMap<ValueId, Use>,
    /// For each constraint result that must equal another matched value, that other value.
    pub(super) equal: HashMap<ValueId, ValueId>,
    /// The constraints of the match part so far.
    pub(super) calls: Vec<PendingCall>,
    /// The benefits of the rule, each with the name of its constraint.
    pub(super) benefits: Vec<(Option<StrId>, i64)>,
    pub(super) out: Diagnostics,
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
        let text =
            texts.attrs.entry(attr).or_insert_with(|| rules.strings.intern(&context.exact_attr_text(attr)));
        Constant::Text(*text)
    }

    pub(super) fn ty(&mut self, ty: TypeId) -> Constant {
        let Self { context, texts, rules, .. } = self;
        let text =
            texts.types.entry(ty).or_insert_with(|| rules.strings.intern(&context.exact_type_text(ty)));
        Constant::Text(*text)
    }

    /// Returns the operation that defines a value.
    pub(super) fn def(&self, used: Use) -> &Op<'a> {
        &self.pattern.ops[self.pattern.values[used.value].def]
    }

    pub(super) fn kind(&self, used: Use) -> Kind {
        self.pattern.values[used.value].kind
    }

    pub(super) fn set_node(&mut self, op: &Op<'a>, node: Node) {
        let Some(&result) = op.results.first() else { return };
        self.nodes[result] = Some(self.add_node(result, node));
    }

    pub(super) fn add_node(&mut self, value: ValueId, node: Node) -> NodeId {
        let ast::Value { name, span, .. } = self.pattern.values[value];
        let node = self.rule.matcher.push(node, span);
        if !name.is_empty() {
            self.rule.matcher.set_name(node, self.rules.strings.intern(name));
        }
        node
    }

    /// Returns the node of a value of the match part. Reports an error for a value without a node, because only
    /// extensions can use such a value.
    pub(super) fn matched(&mut self, used: Use) -> Option<NodeId> {
        let node = self.nodes[used.value];
        if node.is_none() {
            self.report(error::extension_only(used.span));
        }
        node
    }

    pub(super) fn all_matched(&mut self, uses: &[Use]) -> Option<Vec<NodeId>> {
        uses.iter().map(|&used| self.matched(used)).collect()
    }

    pub(super) fn local(&mut self, kind: Kind) -> LocalId {
        self.rule.rewrite.locals.push(kind)
    }

    pub(super) fn push(&mut self, step: Step) {
        self.rule.rewrite.steps.push(step);
    }

    /// Returns the source of a value that the rewrite uses.
    pub(super) fn source(&mut self, used: Use) -> Option<Source> {
        if let Some(source) = self.created[used.value] {
            return Some(source);
        }
        if self.def(used).parent.is_none() {
            return self.matched(used).map(Source::Matched);
        }
        let message = "is used before it is created";
        self.report(error::malformed_extension(self.def(used).kind.name(), message, used.span));
        None
    }

    pub(super) fn sources(&mut self, uses: &[Use]) -> Option<Vec<Source>> {
        uses.iter().map(|&used| self.source(used)).collect()
    }

    pub(super) fn set_created(&mut self, op: &Op<'a>, source: Source) {
        if let Some(&result) = op.results.first() {
            self.created[result] = Some(source);
        }
    }

    pub(super) fn add_step(&mut self, op: &Op<'a>, kind: Kind, step: impl FnOnce(LocalId) -> Step) {
        let to = self.local(kind);
        self.push(step(to));
        self.set_created(op, to.into());
    }

    pub(super) fn malformed(&mut self, name: &str, what: &str, op: &Op<'a>) -> Option<()> {
        self.report(error::malformed_extension(name, what, op.span));
        None
    }
}

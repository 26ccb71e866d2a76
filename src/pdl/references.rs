//! The strings and snippets that a rule refers to.
//!
//! Specification: the ids of strings and snippets in a verified rule are in range for the tables of its rule set. The
//! ids in a rule that was built for another set can be out of range.

use super::match_part::{Arg, Callee, Constant, GroupSplit, Node, OperationNode, Presence};
use super::rewrite_part::{CreateOp, LocationSpec, Step};
use super::rule_set::{Pattern, RuleSet};
use crate::id::Id;
use crate::intern::StrId;
use crate::snippet::SnippetId;

/// The ids of the strings and snippets in a rule.
#[derive(Default)]
struct References {
    strings: Vec<StrId>,
    snippets: Vec<SnippetId>,
}

/// True if a rule refers to strings or snippets that the set does not have.
pub(super) fn are_foreign(rules: &RuleSet, pattern: &Pattern) -> bool {
    let mut all = References::default();
    all.pattern(pattern);
    all.strings.iter().any(|id| id.index() >= rules.strings.len())
        || all.snippets.iter().any(|id| id.index() >= rules.snippets.len())
}

impl References {
    fn pattern(&mut self, pattern: &Pattern) {
        self.strings.push(pattern.name);
        self.strings.extend(&pattern.labels);
        for (id, node) in pattern.matcher.iter_enumerated() {
            self.strings.extend(pattern.matcher.name(id));
            match node {
                Node::Operation(op) => self.operation(op),
                Node::Attribute { value, .. } | Node::Type { value } => {
                    value.iter().for_each(|&value| self.constant(value));
                }
                Node::Types { values } => {
                    values.iter().flatten().for_each(|&value| self.constant(value));
                }
                Node::Value { .. } | Node::Values { .. } | Node::Bound { .. } => {}
            }
        }
        for call in &pattern.matcher.constraints {
            self.callee(call.callee);
            call.args.iter().for_each(|arg| self.argument(arg));
        }
        pattern.rewrite.steps.iter().for_each(|step| self.step(step));
    }

    fn operation(&mut self, op: &OperationNode) {
        self.strings.extend(op.name);
        for split in [op.operand_split, op.result_split] {
            if let GroupSplit::Attribute(name) = split {
                self.strings.push(name);
            }
        }
        for edge in &op.attributes {
            self.strings.push(edge.name);
            self.snippets.extend(edge.storage);
            if let Presence::Default(value) = edge.presence {
                self.constant(value);
            }
        }
    }

    fn constant(&mut self, constant: Constant) {
        match constant {
            Constant::Text(text) => self.strings.push(text),
            Constant::Snippet(snippet) => self.snippets.push(snippet),
        }
    }

    fn callee(&mut self, callee: Callee) {
        match callee {
            Callee::Native(name) => self.strings.push(name),
            Callee::Snippet(snippet) => self.snippets.push(snippet),
        }
    }

    fn argument<N>(&mut self, arg: &Arg<N>) {
        match *arg {
            Arg::Attr(value) | Arg::Type(value) => self.constant(value),
            Arg::Str(text) => self.strings.push(text),
            Arg::Of(_) | Arg::Each(_) | Arg::Int(_) | Arg::Bool(_) => {}
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Attr { value, .. } | Step::Type { value, .. } => self.constant(*value),
            Step::Call { callee, args, .. } => {
                self.callee(*callee);
                args.iter().for_each(|arg| self.argument(arg));
            }
            Step::Location { spec, .. } => self.location(spec),
            Step::Create(create) => self.create(create),
            Step::TypeOf { .. }
            | Step::Result { .. }
            | Step::Results { .. }
            | Step::Range { .. }
            | Step::Replace { .. }
            | Step::Erase { .. } => {}
        }
    }

    fn create(&mut self, create: &CreateOp) {
        self.strings.push(create.name);
        self.strings.extend(create.operand_segments);
        self.strings.extend(create.result_segments);
        self.strings.extend(create.attributes.iter().map(|(name, ..)| name));
        self.location(&create.location);
    }

    fn location(&mut self, location: &LocationSpec) {
        match location {
            LocationSpec::Fused { metadata, .. } => self.strings.extend(*metadata),
            LocationSpec::Named { name, .. } => self.strings.push(*name),
        }
    }
}

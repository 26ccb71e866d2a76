//! The types and attributes that each node of a rule can be bound to.

use hashbrown::HashMap;

use super::vocabulary::{Validator, Vocabulary};
use crate::host::{Entity, Kind};
use crate::id::IdVec;
use crate::ir::{AttrId, IrHost, TypeId};
use crate::pdl::{Arg, Call, Callee, Constant, ConstantValues, NodeId, PatternId, RuleSet};
use crate::snippet::{Linked, SnippetId};

/// For each attribute or type node of a rule, the candidates that satisfy all snippets whose only argument is this
/// node. The entry is `None` for every other node, and for a node without such a snippet. Natives, negated calls and
/// calls with results are not evaluated.
pub(super) type NodeCandidates = IdVec<NodeId, Option<Allowed>>;

/// The candidates for one node.
pub(super) enum Allowed {
    /// Attributes; the flag is true if null is also allowed.
    Attrs(Vec<AttrId>, bool),
    Types(Vec<TypeId>),
}

/// The node and the snippet of a call that restricts the candidates for this node.
fn restriction(call: &Call) -> Option<(NodeId, SnippetId)> {
    match (&call.args[..], call.callee) {
        ([Arg::Of(node)], Callee::Snippet(snippet)) if call.results.is_empty() && !call.negated => {
            Some((*node, snippet))
        }
        _ => None,
    }
}

/// The candidates for the rules of one set. Constants are evaluated when they are first needed.
pub(super) struct Candidates<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) validator: &'a Validator,
    linked: Linked<IrHost>,
    attrs: HashMap<Constant, Option<AttrId>>,
    types: HashMap<Constant, Option<TypeId>>,
    stored: HashMap<SnippetId, Vec<AttrId>>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(
        rules: &'a RuleSet,
        vocabulary: &'a Vocabulary,
        validator: &'a Validator,
        linked: Linked<IrHost>,
    ) -> Self {
        let (attrs, types, stored) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { rules, vocabulary, validator, linked, attrs, types, stored }
    }

    /// The candidates for the nodes of a rule.
    pub(super) fn of_nodes(&mut self, pattern: PatternId, host: &mut IrHost) -> NodeCandidates {
        let rules = self.rules;
        let part = &rules.patterns[pattern].matcher;
        let mut candidates: NodeCandidates = part.iter().map(|_| None).collect();
        let mut calls: HashMap<NodeId, Vec<SnippetId>> = HashMap::new();
        for (node, snippet) in part.constraints.iter().filter_map(restriction) {
            calls.entry(node).or_default().push(snippet);
        }
        let pool = &self.vocabulary.pool;
        for (id, node) in part.iter_enumerated() {
            let Some(snippets) = calls.get(&id) else { continue };
            let holds = |entity: Entity<IrHost>| {
                snippets.iter().all(|&snippet| self.holds(snippet, entity.clone(), host))
            };
            match node.kind() {
                Kind::Attr => {
                    let attrs = pool.attrs.iter().copied().filter(|&attr| holds(Entity::Attr(Some(attr))));
                    candidates[id] = Some(Allowed::Attrs(attrs.collect(), holds(Entity::Attr(None))));
                }
                Kind::Type => {
                    let types = pool.types.iter().copied().filter(|&ty| holds(Entity::Type(ty)));
                    candidates[id] = Some(Allowed::Types(types.collect()));
                }
                _ => {}
            }
        }
        let ops = part.iter().filter_map(|node| node.as_operation());
        for storage in ops.flat_map(|op| &op.attributes).filter_map(|edge| edge.storage) {
            if !self.stored.contains_key(&storage) {
                let holds = |attr: &AttrId| self.holds(storage, Entity::Attr(Some(*attr)), host);
                let attrs = pool.attrs.iter().copied().filter(holds).collect();
                self.stored.insert(storage, attrs);
            }
        }
        candidates
    }

    /// The texts of the snippets that restrict the first node without candidates. Empty if every node has candidates.
    pub(super) fn unsatisfied(&self, pattern: PatternId, nodes: &NodeCandidates) -> Vec<String> {
        let none = |allowed: &Option<Allowed>| match allowed {
            Some(Allowed::Attrs(attrs, null)) => attrs.is_empty() && !null,
            Some(Allowed::Types(types)) => types.is_empty(),
            None => false,
        };
        let empty = nodes.iter_enumerated().find(|(_, allowed)| none(allowed)).map(|(id, _)| id);
        empty.map_or_else(Vec::new, |node| {
            self.constraints(pattern, |call| restriction(call).is_some_and(|(of, _)| of == node))
        })
    }

    /// The texts of those constraints of a rule for which `include` returns true, each in quotes, without repetitions.
    pub(super) fn constraints(&self, pattern: PatternId, include: impl Fn(&Call) -> bool) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for call in self.rules.patterns[pattern].matcher.constraints.iter().filter(|call| include(call)) {
            let text = match call.callee {
                Callee::Native(name) => &self.rules.strings[name],
                Callee::Snippet(snippet) => {
                    self.rules.snippets.str(self.rules.snippets.get(snippet).text).trim()
                }
            };
            let text = if call.negated { format!("the negation of '{text}'") } else { format!("'{text}'") };
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    fn holds(&self, constraint: SnippetId, of: Entity<IrHost>, host: &IrHost) -> bool {
        matches!(self.linked.holds(&self.rules.snippets, constraint, host, &[of]), Ok(Some(_)))
    }

    /// The attributes that satisfy a storage predicate.
    pub(super) fn stored(&self, storage: SnippetId) -> Option<&[AttrId]> {
        self.stored.get(&storage).map(Vec::as_slice)
    }

    /// The value of an attribute constant.
    pub(super) fn attr(&mut self, constant: Constant, host: &mut IrHost) -> Option<AttrId> {
        *self
            .attrs
            .entry(constant)
            .or_insert_with(|| ConstantValues::new(self.rules, &self.linked).attr(constant, host))
    }

    /// The value of a type constant.
    pub(super) fn ty(&mut self, constant: Constant, host: &mut IrHost) -> Option<TypeId> {
        *self
            .types
            .entry(constant)
            .or_insert_with(|| ConstantValues::new(self.rules, &self.linked).ty(constant, host))
    }
}

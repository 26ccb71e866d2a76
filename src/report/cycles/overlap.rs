//! Decides if the operations that one rule makes can be part of a match of another rule.
//!
//! Specification: the input is a *product* and an operation node of the second rule. A product is an operation or value
//! in the output of the first rule. If the answer is no, no match of the second rule has the product at the node,
//! unless natives or other rewrites have changed the product.
//!
//! Method: the product is unified with the node. For each operand, the operations that define it in both rules are
//! unified in turn. A value that the first rule matches as a variable can be defined by any operation. At the end, the
//! constraints of both rules on the unified entities are compared.

use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashMap;

use super::super::constants::EvaluatedConstants;
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::matcher_tree::AttrConstants;
use crate::pdl::{
    Arg, Callee, Constant, CreateOp, LocalId, MatchPart, Node, NodeId, OperandGroup, Pattern, PatternId,
    Replacement, ResultTypes, RuleSet, Source, Step, Trait, ValueSource, is_plain,
};
use crate::snippet::{Alternatives, Fact, SnippetId};

/// The maximum depth to which operations are compared.
const DEPTH: u32 = 64;
/// The maximum number of `either` pairs of a rule for which both orders are compared.
const EITHERS: usize = 4;

/// The rules, and the sets of types that satisfy their predicates.
pub(super) struct Knowledge<'r> {
    rules: &'r RuleSet,
    constants: &'r EvaluatedConstants<'r>,
    /// The predicates that each rule requires of its nodes.
    required: IdVec<PatternId, Vec<(NodeId, SnippetId)>>,
    /// For predicates over types and over values, the types that satisfy them.
    types: HashMap<(SnippetId, Kind), Option<Rc<Alternatives>>>,
}

impl<'r> Knowledge<'r> {
    pub(super) fn new(rules: &'r RuleSet, constants: &'r EvaluatedConstants<'r>) -> Self {
        let mut types = HashMap::new();
        let mut of = |pattern: &Pattern| -> Vec<(NodeId, SnippetId)> {
            let all = pattern.matcher.constraints.iter().filter(|call| !call.negated);
            // An impure predicate can read properties that change. The predicate of a value is usable nevertheless,
            // because only the value's type is compared, and this type does not change.
            let is_usable = |snippet, node: NodeId| {
                rules.snippets.get(snippet).pure || pattern.matcher[node].kind() == Kind::Value
            };
            let one = all.filter_map(|call| match (call.callee, &call.args[..]) {
                (Callee::Snippet(snippet), &[Arg::Of(node)]) if is_usable(snippet, node) => {
                    Some((node, snippet))
                }
                _ => None,
            });
            let one: Vec<_> = one.collect();
            for &(node, snippet) in &one {
                let kind = pattern.matcher[node].kind();
                if matches!(kind, Kind::Type | Kind::Value) {
                    let alternatives = || rules.snippets.alternatives(snippet, kind).map(Rc::new);
                    types.entry((snippet, kind)).or_insert_with(alternatives);
                }
            }
            one
        };
        let required = rules.patterns.iter().map(&mut of).collect();
        Self { rules, constants, required, types }
    }

    /// True if it is known that no entity of a kind satisfies both predicates.
    fn exclude(&self, kind: Kind, a: SnippetId, b: SnippetId) -> bool {
        let of = |snippet| self.types.get(&(snippet, kind)).cloned().flatten();
        of(a).zip(of(b)).is_some_and(|(a, b)| a.exclude(&b))
    }
}

/// The operations that a rule makes, together with those that it matched.
pub(super) struct Made<'r> {
    knowledge: &'r Knowledge<'r>,
    rule: PatternId,
    pattern: &'r Pattern,
    steps: HashMap<LocalId, &'r Step>,
    facts: Vec<Fact>,
}

/// For each node of the other rule, the entity of the first rule that it stands for.
type Bindings = BTreeMap<NodeId, Entity>;

/// An entity of the first rule.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entity {
    /// Equal names stand for equal entities.
    name: String,
    /// The node or local of the entity, unless the entity is the type of another entity.
    source: Option<Source>,
}

impl<'r> Made<'r> {
    pub(super) fn new(knowledge: &'r Knowledge<'r>, rule: PatternId) -> Self {
        let pattern = &knowledge.rules.patterns[rule];
        let of = |step: &'r Step| step.defined_locals().iter().map(move |&local| (local, step));
        let steps = pattern.rewrite.steps.iter().flat_map(of).collect();
        let mut made = Self { knowledge, rule, pattern, steps, facts: Vec::new() };
        let name = |node: NodeId| Some(made.entity(Source::Matched(node)).name);
        made.facts = facts(knowledge.rules, &pattern.matcher, name);
        made
    }

    /// The operations that the rule creates.
    pub(super) fn created_ops(&self) -> impl Iterator<Item = Source> {
        let created = self.pattern.rewrite.steps.iter();
        created.filter_map(|step| if let Step::Create(create) = step { Some(create.to.into()) } else { None })
    }

    /// The operations and values that replace matched operations, and thus become operands of their users.
    pub(super) fn replacements(&self) -> Vec<Source> {
        let replacements = self.pattern.rewrite.steps.iter().filter_map(|step| match step {
            Step::Replace { with, .. } => Some(with),
            _ => None,
        });
        let sources = replacements.flat_map(|with| match with {
            Replacement::Op(op) => std::slice::from_ref(op),
            Replacement::Values(values) => values,
        });
        sources.map(|&source| self.definition(source).unwrap_or(source)).collect()
    }

    /// The operation name of a product; `None` if it is not known.
    pub(super) fn name(&self, op: Source) -> Option<StrId> {
        match op {
            Source::Local(local) => self.created(local).map(|create| create.name),
            Source::Matched(node) => self.pattern.matcher[node].as_operation()?.name,
        }
    }

    /// True if a node of another rule can match a product.
    pub(super) fn fits(&self, product: Source, other: PatternId, node: NodeId) -> bool {
        let part = &self.knowledge.rules.patterns[other].matcher;
        let pairs: usize = part.iter().filter_map(Node::as_operation).map(|op| op.either.len()).sum();
        (0..1u32 << pairs.min(EITHERS)).any(|orders| {
            let mut overlap =
                Overlap { made: self, part, orders, visited_either: Vec::new(), bindings: Bindings::new() };
            overlap.fits(product, node, DEPTH) && overlap.constraints_agree(other)
        })
    }

    fn created(&self, local: LocalId) -> Option<&'r CreateOp> {
        match self.steps.get(&local) {
            Some(Step::Create(create)) => Some(create),
            _ => None,
        }
    }

    /// The operation that defines a value, if the rule states it; an operation defines itself.
    fn definition(&self, source: Source) -> Option<Source> {
        match source {
            Source::Local(local) => match self.steps.get(&local)? {
                Step::Create(_) => Some(source),
                Step::Result { op, .. } | Step::Results { op, .. } => Some(*op),
                Step::Range { parts, .. } => match parts[..] {
                    [part] => self.definition(part),
                    _ => None,
                },
                _ => None,
            },
            Source::Matched(node) => match &self.pattern.matcher[node] {
                Node::Operation(_) => Some(source),
                other => other.source().map(|from| Source::Matched(from.op())),
            },
        }
    }

    /// True for a value or range that the rule matches, and for a new range with such a part.
    fn is_variable(&self, source: Source) -> bool {
        match source {
            Source::Matched(node) => self.pattern.matcher[node].as_operation().is_none(),
            Source::Local(local) => match self.steps.get(&local) {
                Some(Step::Range { parts, .. }) => parts.iter().any(|&part| self.is_variable(part)),
                _ => false,
            },
        }
    }

    /// The operands of an operation, with one entry for each group; `None` for a group that the rule matches as a list
    /// of values or does not constrain.
    fn operands(&self, op: Source) -> Vec<Option<Source>> {
        match op {
            Source::Local(local) => self
                .created(local)
                .map_or_else(Vec::new, |op| op.operands.iter().copied().map(Some).collect()),
            Source::Matched(node) => self.pattern.matcher[node]
                .operands()
                .map(|group| match group {
                    OperandGroup::One(node) | OperandGroup::Optional(node) | OperandGroup::Range(node) => {
                        Some(Source::Matched(*node))
                    }
                    OperandGroup::List(_) | OperandGroup::Any => None,
                })
                .collect(),
        }
    }

    /// The attribute of an operation; `None` if the rule does not state it.
    fn attribute(&self, op: Source, name: StrId) -> Option<Source> {
        match op {
            Source::Local(local) => {
                let all = &self.created(local)?.attributes;
                all.iter().find(|(other, ..)| *other == name).map(|(_, source, _)| *source)
            }
            Source::Matched(node) => {
                let all = &self.pattern.matcher[node].as_operation()?.attributes;
                all.iter().find(|edge| edge.name == name).map(|edge| Source::Matched(edge.node))
            }
        }
    }

    fn kind(&self, source: Source) -> Kind {
        match source {
            Source::Matched(node) => self.pattern.matcher[node].kind(),
            Source::Local(local) => self.pattern.rewrite.locals[local],
        }
    }

    fn constant(&self, source: Source) -> Option<Constant> {
        match source {
            Source::Matched(node) => match &self.pattern.matcher[node] {
                Node::Attribute { value, .. } | Node::Type { value } => *value,
                _ => None,
            },
            Source::Local(local) => match self.steps.get(&local)? {
                Step::Attr { value, .. } | Step::Type { value, .. } => Some(*value),
                _ => None,
            },
        }
    }

    fn entity(&self, source: Source) -> Entity {
        match source {
            Source::Local(local) => match self.steps.get(&local) {
                Some(Step::TypeOf { of, .. }) => self.type_of(*of),
                Some(Step::Result { op: Source::Matched(op), index, .. }) => {
                    Entity { name: format!("result {index} of {}", op.raw()), source: Some(source) }
                }
                _ => Entity { name: format!("local {}", local.raw()), source: Some(source) },
            },
            Source::Matched(node) => match self.pattern.matcher[node].source() {
                Some(ValueSource::Result { op, index }) => {
                    Entity { name: format!("result {index} of {}", op.raw()), source: Some(source) }
                }
                _ => Entity { name: format!("node {}", node.raw()), source: Some(source) },
            },
        }
    }

    /// The type of a value.
    fn type_of(&self, value: Source) -> Entity {
        let of_result = |op: NodeId, index: u32| {
            let listed = self.pattern.matcher[op].as_operation()?.results.as_ref()?;
            let single = listed.iter().all(|&ty| self.pattern.matcher[ty].kind() == Kind::Type);
            listed.get(index as usize).copied().filter(|_| single)
        };
        let stated = match value {
            Source::Matched(node) => match self.pattern.matcher[node] {
                Node::Value { ty: Some(ty), .. } => Some(Source::Matched(ty)),
                Node::Value { source: Some(ValueSource::Result { op, index }), .. } => {
                    of_result(op, index).map(Source::Matched)
                }
                _ => None,
            },
            Source::Local(local) => match self.steps.get(&local) {
                Some(Step::Result { op: Source::Matched(op), index, .. }) => {
                    of_result(*op, *index).map(Source::Matched)
                }
                Some(&&Step::Result { op: Source::Local(op), index, .. }) => {
                    return self.result_type(op, index as usize);
                }
                _ => None,
            },
        };
        match stated {
            Some(ty) => self.entity(ty),
            None => Entity { name: format!("type of {}", self.entity(value).name), source: None },
        }
    }

    /// The type of a result of an operation that the rule creates.
    fn result_type(&self, op: LocalId, index: usize) -> Entity {
        let stated = self.created(op).and_then(|create| match &create.results {
            ResultTypes::Listed(types) => types.get(index).copied(),
            ResultTypes::Inferred => None,
        });
        match stated {
            Some(ty) => self.entity(ty),
            None => Entity { name: format!("type {index} of local {}", op.raw()), source: None },
        }
    }
}

/// The facts that follow from the constraints of a rule. `name` returns the name of the entity that a node stands for.
/// Constraints on nodes without a name are ignored.
fn facts(rules: &RuleSet, part: &MatchPart, name: impl Fn(NodeId) -> Option<String>) -> Vec<Fact> {
    let mut facts = Vec::new();
    for call in part.constraints.iter().filter(|call| call.results.is_empty()) {
        let Callee::Snippet(snippet) = call.callee else { continue };
        let named = call.args.iter().map(|arg| match *arg {
            Arg::Of(node) => name(node),
            Arg::Each(_) => None,
            _ => Some(format!("{arg:?}")),
        });
        if let Some(names) = named.collect::<Option<Vec<_>>>() {
            facts.extend(rules.snippets.facts(snippet, &names, !call.negated));
        }
    }
    facts
}

/// The comparison of one operation of the first rule with one node of another rule.
struct Overlap<'m, 'r> {
    made: &'m Made<'r>,
    part: &'r MatchPart,
    /// The order in which each of the first [`EITHERS`] `either` pairs is compared. A set bit stands for the second
    /// order.
    orders: u32,
    /// The operations with `either` pairs that were visited, each with its number of pairs.
    visited_either: Vec<(NodeId, usize)>,
    bindings: Bindings,
}

impl Overlap<'_, '_> {
    fn fits(&mut self, op: Source, node: NodeId, depth: u32) -> bool {
        let Some(wanted) = self.part[node].as_operation() else { return false };
        let Some(depth) = depth.checked_sub(1) else { return true };
        let Some(op) = self.made.definition(op) else { return self.made.is_variable(op) };
        let name = self.made.name(op);
        if wanted.name.is_some() && name.is_some() && name != wanted.name {
            return false;
        }
        if !self.bind(node, self.made.entity(op)) {
            return true;
        }
        for edge in &wanted.attributes {
            if let Some(given) = self.made.attribute(op, edge.name) {
                self.bind(edge.node, self.made.entity(given));
            }
        }
        if let Source::Local(local) = op
            && let Some(types) = wanted.listed_results(|node| self.part[node].kind())
            && types.iter().all(|&ty| self.part[ty].kind() == Kind::Type)
        {
            for (index, &ty) in types.iter().enumerate() {
                self.bind(ty, self.made.result_type(local, index));
            }
        }
        let operands = self.made.operands(op);
        let groups: Vec<&OperandGroup> = self.part[node].operands().collect();
        let swapped = self.swapped(node, &wanted.either);
        groups.iter().enumerate().all(|(index, group)| {
            let (OperandGroup::One(value) | OperandGroup::Optional(value)) = group else { return true };
            let place = match swapped.iter().find(|(pair, _)| pair.0 == index || pair.1 == index) {
                Some((_, None)) => return true,
                Some((pair, Some(true))) => pair.0 + pair.1 - index,
                _ => index,
            };
            let Some(given) = operands.get(place).copied().flatten() else { return true };
            !self.correspond(&operands, &groups, index.max(place)) || self.value(given, *value, depth)
        })
    }

    /// True if, up to an index, the operands of an operation of the first rule correspond to the operand groups of a
    /// node, one by one. Otherwise, a range on one side stands for several operands on the other side.
    fn correspond(&self, operands: &[Option<Source>], groups: &[&OperandGroup], index: usize) -> bool {
        let by_group = operands.len() == groups.len();
        let is_single = |given: &Option<Source>| match given {
            Some(given) => matches!(self.made.kind(*given), Kind::Value | Kind::Op),
            None => by_group,
        };
        let mut pairs = operands.iter().zip(groups).take(index + 1);
        pairs.all(|(given, group)| match group {
            OperandGroup::One(_) => is_single(given),
            _ => by_group,
        })
    }

    fn value(&mut self, given: Source, value: NodeId, depth: u32) -> bool {
        self.bind(value, self.made.entity(given));
        if let Node::Value { ty: Some(ty), .. } = self.part[value] {
            self.bind(ty, self.made.type_of(given));
        }
        match self.part[value].source() {
            None => true,
            Some(source) => self.fits(given, source.op(), depth),
        }
    }

    /// The pairs of operands that match in either order. Each pair has a flag, which is true if the second order is
    /// compared now, and `None` if neither order is compared.
    fn swapped(&mut self, node: NodeId, either: &[(u32, u32)]) -> Vec<((usize, usize), Option<bool>)> {
        if either.is_empty() {
            return Vec::new();
        }
        let before: usize = self.visited_either.iter().map(|known| known.1).sum();
        self.visited_either.push((node, either.len()));
        let order = |index: usize| (index < EITHERS).then(|| self.orders >> index & 1 == 1);
        let pairs = either.iter().enumerate();
        pairs.map(|(k, &(a, b))| ((a as usize, b as usize), order(before + k))).collect()
    }

    /// Binds a node. Returns false if it was bound before.
    fn bind(&mut self, node: NodeId, entity: Entity) -> bool {
        self.bindings.insert(node, entity).is_none()
    }

    /// True if the constraints of both rules can hold.
    fn constraints_agree(&self, other: PatternId) -> bool {
        let knowledge = self.made.knowledge;
        let disagree = |(&node, entity): (&NodeId, &Entity)| self.contradicts(other, node, entity);
        if self.bindings.iter().any(disagree) || self.wants_other_constant() {
            return false;
        }
        let name = |node| self.bindings.get(&node).map(|entity| entity.name.clone());
        let facts = facts(knowledge.rules, self.part, name);
        !facts.iter().any(|fact| self.made.facts.iter().any(|made| made.excludes(fact)))
    }

    /// True if a constraint requires a constant where the first rule has an operation that is not constant.
    fn wants_other_constant(&self) -> bool {
        let rules = self.made.knowledge.rules;
        self.part.constraints.iter().filter(|call| !call.negated).any(|call| {
            let Callee::Snippet(snippet) = call.callee else { return false };
            let argument = rules.snippets.constant_argument(snippet).and_then(|index| call.args.get(index));
            let Some(&Arg::Of(node)) = argument else { return false };
            let op = self.bindings.get(&node).and_then(|entity| self.made.definition(entity.source?));
            let name = op.and_then(|op| self.made.name(op));
            let definition = name.and_then(|name| rules.ops.find(name));
            definition.is_some_and(|definition| !definition.traits.contains(&Trait::ConstantLike))
        })
    }

    /// True if the requirements of both rules on one entity exclude each other.
    fn contradicts(&self, other: PatternId, node: NodeId, entity: &Entity) -> bool {
        let (made, knowledge) = (self.made, self.made.knowledge);
        let given = entity.source.and_then(|source| made.constant(source));
        let wanted = match &self.part[node] {
            Node::Attribute { value, .. } | Node::Type { value } => *value,
            _ => None,
        };
        let kind = self.part[node].kind();
        let differ = |a: Constant, b: Constant| match kind {
            Kind::Attr => knowledge.constants.differ(a, b),
            _ => match (a, b) {
                (Constant::Text(a), Constant::Text(b)) => {
                    let plain = |text| is_plain(Kind::Type, &knowledge.rules.strings[text]);
                    a != b && plain(a) && plain(b)
                }
                _ => false,
            },
        };
        let refuted = |predicate: SnippetId, constant: Constant| match kind {
            Kind::Attr => knowledge.constants.answer(predicate, constant) == Some(false),
            Kind::Type => knowledge.constants.is_refuted_for_type(predicate, constant),
            _ => false,
        };
        let required = |rule: PatternId, node: NodeId| {
            let all = knowledge.required[rule].iter();
            all.filter(move |known| known.0 == node).map(|known| known.1)
        };
        let of_made = || {
            let node = match entity.source {
                Some(Source::Matched(node)) => Some(node),
                _ => None,
            };
            node.into_iter().flat_map(|node| required(made.rule, node))
        };
        given.zip(wanted).is_some_and(|(given, wanted)| differ(given, wanted))
            || given.is_some_and(|given| required(other, node).any(|predicate| refuted(predicate, given)))
            || wanted.is_some_and(|wanted| of_made().any(|predicate| refuted(predicate, wanted)))
            || required(other, node)
                .any(|wanted| of_made().any(|given| knowledge.exclude(kind, given, wanted)))
    }
}

//! Finds rules that reduce a measure of the IR, such as the number of operations.
//!
//! Specification: [`Changes::without_decreasing`] removes a rule from a set only if every sequence of rewrites by rules
//! of the set applies this rule a finite number of times. The specification does not cover graph regions, in which uses
//! of values can have cycles.
//!
//! Method: a rule replaces one operation by others. Three measures are tried:
//!
//! - The number of operations of a name.
//! - The weight of an operation: the weight of its name, 0 or 1, plus the weights of its operands; an operand that
//!   occurs twice counts twice.
//! - The path order of operations with their operands (`path_order.rs`).
//!
//! For all values of the variables, each new operation is compared with the replaced operation, by weight or by path
//! order. If all new operations are smaller and no replacement value is greater, the multiset of all operations becomes
//! smaller. A sequence of such rewrites ends, because the multiset extension of a well-founded order is well-founded.
//! If one new operation is equal, all others are smaller and no replacement value is greater, the multiset does not
//! become larger. Neither conclusion holds in graph regions.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::path_order::{PathOrder, Symbol, Term};
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::pdl::{
    Callee, Node, NodeId, OperandGroup, Pattern, PatternId, Replacement, RuleSet, Source, Step,
};

/// A linear combination: the number of occurrences of each name and variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Weight {
    names: BTreeMap<StrId, u32>,
    variables: BTreeMap<NodeId, u32>,
}

/// The maximum number of operations and variables of a term.
const LARGEST: usize = 1 << 16;
/// The maximum depth of a term.
const DEPTH: u32 = 64;

impl Weight {
    fn new(term: &Term) -> Self {
        let mut weight = Self::default();
        let mut rest = vec![term];
        while let Some(term) = rest.pop() {
            match term {
                Term::Variable(node) | Term::Range(node) | Term::Op(Symbol::Any(node), _) => {
                    *weight.variables.entry(*node).or_default() += 1;
                }
                Term::Op(Symbol::Name(name), _) => *weight.names.entry(*name).or_default() += 1,
            }
            if let Term::Op(_, operands) = term {
                rest.extend(operands.iter().map(|operand| &**operand));
            }
        }
        weight
    }

    /// The minimum of the weight over all values of the variables. A variable in `single` stands for one value, which
    /// weighs at least 1 if the measure counts all operations and values. Other variables weigh at least 0.
    fn least(&self, measure: Measure, single: &BTreeSet<NodeId>) -> u64 {
        let names =
            self.names.iter().filter(|(name, _)| measure.counts(**name)).map(|(_, &count)| u64::from(count));
        let variables =
            self.variables.iter().filter(|(node, _)| measure == Measure::All && single.contains(node));
        names.chain(variables.map(|(_, &count)| u64::from(count))).sum()
    }
}

/// The operations that a rule removes and adds.
struct Change {
    /// The name of the operation that is replaced; `None` if it can have any name.
    root: Option<StrId>,
    /// The names of the operations that are created; `None` if a call may create other operations.
    names: Option<Vec<StrId>>,
    /// The terms; `None` if a native or another step without a term computes one of them, or if one is too large.
    terms: Option<Terms>,
}

/// The terms that a rule removes and adds.
struct Terms {
    /// The operation that is replaced.
    from: Rc<Term>,
    /// The operations that are created.
    created: Vec<Rc<Term>>,
    /// The values that replace the results of the replaced operation.
    values: Vec<Rc<Term>>,
    weights: Weights,
}

/// The weights of terms.
struct Weights {
    from: Weight,
    created: Vec<Weight>,
    values: Vec<Weight>,
    /// The variables that stand for exactly one value or operation.
    single: BTreeSet<NodeId>,
}

/// The change of each rule; `None` if it is unknown.
pub(super) struct Changes {
    changes: IdVec<PatternId, Option<Change>>,
}

/// A measure of a term: the number of operations and values that it counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// All operations, and all values that are not results of these operations.
    All,
    /// Only operations of this name.
    Only(StrId),
    /// All operations except those of this name.
    AllExcept(StrId),
}

impl Measure {
    fn counts(self, name: StrId) -> bool {
        match self {
            Self::All => true,
            Self::Only(counted) => name == counted,
            Self::AllExcept(other) => name != other,
        }
    }
}

/// The effect of a rule that does not increase a measure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Decreases,
    Keeps,
}

impl Changes {
    /// The changes of the rules in these sets.
    pub(super) fn new(rules: &RuleSet, sets: &[Vec<PatternId>]) -> Self {
        let members: BTreeSet<PatternId> = sets.iter().flatten().copied().collect();
        let change = |(id, pattern)| {
            if members.contains(&id) { TermBuilder::new(rules, pattern).change() } else { None }
        };
        Self { changes: rules.patterns.iter_enumerated().map(change).collect() }
    }

    /// Finds a measure that some rules of the set reduce and that no rule of the set increases. Returns the set without
    /// the rules that reduce this measure, or the whole set if there is no such measure.
    pub(super) fn without_decreasing(&self, set: &[PatternId]) -> Vec<PatternId> {
        let mut names: Vec<StrId> = set
            .iter()
            .filter_map(|&rule| self.changes[rule].as_ref())
            .filter_map(|change| Some(&change.terms.as_ref()?.weights.from))
            .flat_map(|weight| weight.names.keys().copied())
            .chain(set.iter().filter_map(|&rule| self.changes[rule].as_ref()?.root))
            .collect();
        names.sort_unstable();
        names.dedup();
        let by_measure =
            |measure| self.not_reducing(set, |change| change.terms.as_ref()?.weights.effect(measure));
        let by_each =
            |measure: fn(StrId) -> Measure| names.iter().find_map(|&name| by_measure(measure(name)));
        by_measure(Measure::All)
            .or_else(|| by_each(Measure::Only))
            .or_else(|| by_each(Measure::AllExcept))
            .or_else(|| {
                names.iter().find_map(|&name| self.not_reducing(set, |change| change.effect_on_count(name)))
            })
            .or_else(|| {
                let mut order = PathOrder::default();
                self.not_reducing(set, |change| change.terms.as_ref()?.effect(&mut order))
            })
            .unwrap_or_else(|| set.to_vec())
    }

    /// The rules of the set that keep a measure; `None` if no rule reduces it, or if a rule may increase it. `effect`
    /// returns `None` for a rule that may increase it.
    fn not_reducing(
        &self,
        set: &[PatternId],
        mut effect: impl FnMut(&Change) -> Option<Effect>,
    ) -> Option<Vec<PatternId>> {
        let mut kept = Vec::new();
        for &rule in set {
            match self.changes[rule].as_ref().and_then(&mut effect)? {
                Effect::Decreases => {}
                Effect::Keeps => kept.push(rule),
            }
        }
        (kept.len() < set.len()).then_some(kept)
    }
}

impl Change {
    /// The effect on the number of operations of a name; `None` if it may increase.
    fn effect_on_count(&self, name: StrId) -> Option<Effect> {
        let created = self.names.as_ref()?.iter().filter(|created| **created == name).count();
        match (created, self.root == Some(name)) {
            (0, true) => Some(Effect::Decreases),
            (0, false) | (1, true) => Some(Effect::Keeps),
            _ => None,
        }
    }
}

impl Terms {
    /// The effect on the multiset of all operations in the path order; `None` if it may increase.
    fn effect(&self, order: &mut PathOrder) -> Option<Effect> {
        let mut equal = 0;
        for created in &self.created {
            if order.equal(&self.from, created) {
                equal += 1;
            } else if !order.greater(&self.from, created) {
                return None;
            }
        }
        let is_at_most_from = |order: &mut PathOrder, value: &Rc<Term>| {
            order.equal(&self.from, value) || order.greater(&self.from, value)
        };
        if !self.values.iter().all(|value| is_at_most_from(order, value)) {
            return None;
        }
        match equal {
            0 => Some(Effect::Decreases),
            1 => Some(Effect::Keeps),
            _ => None,
        }
    }
}

impl Weights {
    /// The effect on a measure; `None` if it may increase.
    fn effect(&self, measure: Measure) -> Option<Effect> {
        let least = |weight: &Weight| weight.least(measure, &self.single);
        let least_from = least(&self.from);
        let is_at_most_from = |weight: &Weight| {
            let occurrences = |variable: &NodeId| self.from.variables.get(variable).copied().unwrap_or(0);
            least(weight) <= least_from
                && weight.variables.iter().all(|(node, &count)| count <= occurrences(node))
        };
        if !self.created.iter().chain(&self.values).all(is_at_most_from) {
            return None;
        }
        match self.created.iter().filter(|weight| least(weight) == least_from).count() {
            0 => Some(Effect::Decreases),
            1 => Some(Effect::Keeps),
            _ => None,
        }
    }
}

struct TermBuilder<'r> {
    rules: &'r RuleSet,
    pattern: &'r Pattern,
    /// The variables that stand for exactly one value or operation.
    single: BTreeSet<NodeId>,
}

impl<'r> TermBuilder<'r> {
    fn new(rules: &'r RuleSet, pattern: &'r Pattern) -> Self {
        let part = &pattern.matcher;
        let optional: BTreeSet<NodeId> = part
            .iter()
            .flat_map(Node::operands)
            .filter_map(|group| if let OperandGroup::Optional(node) = group { Some(*node) } else { None })
            .collect();
        let is_one = |node: &NodeId| matches!(part[*node].kind(), Kind::Op | Kind::Value);
        let single = part.ids().filter(|node| is_one(node) && !optional.contains(node)).collect();
        Self { rules, pattern, single }
    }

    /// The change of a rule; `None` if the rule has several roots, neither replaces nor erases its root, replaces
    /// another operation, or has a call without results.
    fn change(&self) -> Option<Change> {
        let &[root] = &self.pattern.matcher.roots[..] else { return None };
        let mut names = Vec::new();
        let (mut removed, mut is_known) = (false, true);
        for step in &self.pattern.rewrite.steps {
            match step {
                Step::Create(create) => names.push(create.name),
                // A call without results may change or create operations, so nothing is known about the rule.
                Step::Call { to, .. } if to.is_empty() => return None,
                Step::Call { callee, .. } => {
                    is_known &= match *callee {
                        Callee::Native(_) => false,
                        Callee::Snippet(snippet) => !self.rules.snippets.get(snippet).rewrites,
                    };
                }
                Step::Erase { op } => removed |= *op == Source::Matched(root),
                Step::Replace { op, .. } => {
                    if *op != Source::Matched(root) {
                        return None;
                    }
                    removed = true;
                }
                _ => {}
            }
        }
        let name = self.pattern.matcher[root].as_operation()?.name;
        removed.then(|| Change { root: name, names: is_known.then_some(names), terms: self.terms(root) })
    }

    fn terms(&self, root: NodeId) -> Option<Terms> {
        let from = self.matched_op(root, DEPTH)?;
        let (mut created, mut values) = (Vec::new(), Vec::new());
        for step in &self.pattern.rewrite.steps {
            match step {
                Step::Create(create) => created.push(self.single_term(Source::Local(create.to))?),
                Step::Replace { with: Replacement::Op(by), .. } => values.push(self.single_term(*by)?),
                Step::Replace { with: Replacement::Values(with), .. } => {
                    for &value in with {
                        values.extend(self.terms_of_source(value, DEPTH)?);
                    }
                }
                _ => {}
            }
        }
        let weigh = |terms: &[Rc<Term>]| terms.iter().map(|term| Weight::new(term)).collect();
        let weights = Weights {
            from: Weight::new(&from),
            created: weigh(&created),
            values: weigh(&values),
            single: self.single.clone(),
        };
        Some(Terms { from, created, values, weights })
    }

    /// The term of a matched operation; `None` if it is too deep or too large.
    fn matched_op(&self, node: NodeId, depth: u32) -> Option<Rc<Term>> {
        let depth = depth.checked_sub(1)?;
        let op = self.pattern.matcher[node].as_operation()?;
        let symbol = op.name.map_or(Symbol::Any(node), Symbol::Name);
        let operands = self.pattern.matcher[node].operands().flat_map(OperandGroup::nodes);
        let operands = operands.map(|operand| self.matched_value(*operand, depth)).collect::<Option<_>>()?;
        op_term(symbol, operands)
    }

    /// The term of a matched value or range.
    fn matched_value(&self, node: NodeId, depth: u32) -> Option<Rc<Term>> {
        match self.pattern.matcher[node].source() {
            Some(source) => self.matched_op(source.op(), depth),
            None if self.single.contains(&node) => Some(Rc::new(Term::Variable(node))),
            None => Some(Rc::new(Term::Range(node))),
        }
    }

    /// The term of an operation.
    fn single_term(&self, op: Source) -> Option<Rc<Term>> {
        self.terms_of_source(op, DEPTH)?.into_iter().next()
    }

    /// The terms of an operation, value or range; `None` if a native or another step without a term makes it, or if the
    /// terms are too deep or too large.
    fn terms_of_source(&self, source: Source, depth: u32) -> Option<Vec<Rc<Term>>> {
        let depth = depth.checked_sub(1)?;
        let local = match source {
            Source::Matched(node) if self.pattern.matcher[node].as_operation().is_some() => {
                return Some(vec![self.matched_op(node, depth)?]);
            }
            Source::Matched(node) => return Some(vec![self.matched_value(node, depth)?]),
            Source::Local(local) => local,
        };
        let step = self.pattern.rewrite.steps.iter().find(|step| step.defined_locals().contains(&local))?;
        let all = |parts: &[Source]| -> Option<Vec<Rc<Term>>> {
            let mut terms = Vec::new();
            for &part in parts {
                terms.extend(self.terms_of_source(part, depth)?);
            }
            Some(terms)
        };
        match step {
            Step::Result { op, .. } | Step::Results { op, .. } => self.terms_of_source(*op, depth),
            Step::Range { parts, .. } => all(parts),
            Step::Create(create) => Some(vec![op_term(Symbol::Name(create.name), all(&create.operands)?)?]),
            _ => None,
        }
    }
}

/// A term of an operation; `None` if it is too large.
fn op_term(symbol: Symbol, operands: Vec<Rc<Term>>) -> Option<Rc<Term>> {
    let size: usize = operands.iter().map(|operand| size(operand)).sum();
    (size < LARGEST).then(|| Rc::new(Term::Op(symbol, operands)))
}

/// The number of operations and variables of a term.
fn size(term: &Term) -> usize {
    let (mut count, mut rest) = (0, vec![term]);
    while let Some(term) = rest.pop() {
        count += 1;
        if let Term::Op(_, operands) = term {
            rest.extend(operands.iter().map(|operand| &**operand));
        }
    }
    count
}

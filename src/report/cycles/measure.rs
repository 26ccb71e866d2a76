//! Sizes of the IR that rules reduce.
//!
//! Specification: [`Changes::without_decreasing`] removes a rule from a set only if every sequence of rewrites by rules
//! of the set applies this rule a finite number of times.
//!
//! Method: each operation name has a weight. The weight of an operation is the weight of its name plus the weights of
//! its operands; an operand that occurs twice counts twice. A rule replaces one operation by others. If each of the
//! others weighs less than the replaced operation, for all weights of the variables, the multiset of the weights of all
//! operations becomes smaller, and multisets of numbers are well-founded. If at most one of the others weighs the same
//! as the replaced operation and none weighs more, the multiset does not become larger.

use std::collections::{BTreeMap, BTreeSet};

use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::pdl::{
    Node, NodeId, OperandGroup, Pattern, PatternId, Replacement, RuleSet, Source, Step, ValueSource,
};

/// A weight as a sum of weights of names, and of unknown weights, which are the variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Weight {
    names: BTreeMap<StrId, u32>,
    variables: BTreeMap<NodeId, u32>,
}

/// The largest number of summands of one kind.
const LARGEST: u32 = 1 << 16;
/// The maximum depth of operations.
const DEPTH: u32 = 64;

impl Weight {
    fn add(&mut self, other: &Self) -> Option<()> {
        for (&name, &count) in &other.names {
            add(self.names.entry(name).or_default(), count)?;
        }
        for (&variable, &count) in &other.variables {
            add(self.variables.entry(variable).or_default(), count)?;
        }
        Some(())
    }

    /// The minimum of the weight for a size. A variable counts 1 if the size counts every value and the variable is in
    /// `single`, and 0 otherwise.
    fn least(&self, size: Size, single: &BTreeSet<NodeId>) -> u64 {
        let names =
            self.names.iter().filter(|(name, _)| size.counts(**name)).map(|(_, &count)| u64::from(count));
        let variables =
            self.variables.iter().filter(|(node, _)| size == Size::Count && single.contains(node));
        names.chain(variables.map(|(_, &count)| u64::from(count))).sum()
    }
}

fn add(to: &mut u32, count: u32) -> Option<()> {
    *to = to.checked_add(count).filter(|&sum| sum <= LARGEST)?;
    Some(())
}

/// The weights that a rule removes and adds.
struct Change {
    /// The weight of the operation that is replaced.
    from: Weight,
    /// The weights of the operations that are created.
    created: Vec<Weight>,
    /// The weights of the values that replace its results.
    values: Vec<Weight>,
    /// The variables that stand for exactly one value or operation.
    single: BTreeSet<NodeId>,
}

/// The changes of rules, or `None` for an unknown change.
pub(super) struct Changes {
    changes: IdVec<PatternId, Option<Change>>,
}

/// The weights of names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    /// Every operation and every other value weighs 1.
    Count,
    /// Only operations of this name weigh something.
    Of(StrId),
    /// Only operations of this name weigh nothing.
    Without(StrId),
}

impl Size {
    fn counts(self, name: StrId) -> bool {
        match self {
            Self::Count => true,
            Self::Of(only) => name == only,
            Self::Without(other) => name != other,
        }
    }
}

/// The effect of a rule on a size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Decreases,
    Keeps,
    MayIncrease,
}

impl Changes {
    /// The changes of the rules in these sets.
    pub(super) fn new(rules: &RuleSet, sets: &[Vec<PatternId>]) -> Self {
        let members: BTreeSet<PatternId> = sets.iter().flatten().copied().collect();
        let of = |(id, pattern)| if members.contains(&id) { Weights { pattern }.change() } else { None };
        Self { changes: rules.patterns.iter_enumerated().map(of).collect() }
    }

    /// Finds a size that some rules of the set reduce and that no rule of the set increases. Returns the set without
    /// the rules that reduce this size, or the whole set if there is no such size.
    pub(super) fn without_decreasing(&self, set: &[PatternId]) -> Vec<PatternId> {
        let mut names: Vec<StrId> = set
            .iter()
            .filter_map(|&rule| self.changes[rule].as_ref())
            .flat_map(|change| change.from.names.keys().copied())
            .collect();
        names.sort_unstable();
        names.dedup();
        self.reduced(set, Size::Count)
            .or_else(|| names.iter().find_map(|&name| self.reduced(set, Size::Of(name))))
            .or_else(|| names.iter().find_map(|&name| self.reduced(set, Size::Without(name))))
            .unwrap_or_else(|| set.to_vec())
    }

    fn reduced(&self, set: &[PatternId], size: Size) -> Option<Vec<PatternId>> {
        let mut kept = Vec::new();
        for &rule in set {
            match self.changes[rule].as_ref().map_or(Effect::MayIncrease, |change| change.effect(size)) {
                Effect::Decreases => {}
                Effect::Keeps => kept.push(rule),
                Effect::MayIncrease => return None,
            }
        }
        (kept.len() < set.len()).then_some(kept)
    }
}

impl Change {
    fn effect(&self, measured: Size) -> Effect {
        let least = |weight: &Weight| weight.least(measured, &self.single);
        let size = least(&self.from);
        let bounded = |weight: &&Weight| {
            let of = |variable: &NodeId| self.from.variables.get(variable).copied().unwrap_or(0);
            least(weight) <= size && weight.variables.iter().all(|(node, &count)| count <= of(node))
        };
        if !self.created.iter().chain(&self.values).all(|weight| bounded(&weight)) {
            return Effect::MayIncrease;
        }
        match self.created.iter().filter(|weight| least(weight) == size).count() {
            0 => Effect::Decreases,
            1 => Effect::Keeps,
            _ => Effect::MayIncrease,
        }
    }
}

struct Weights<'r> {
    pattern: &'r Pattern,
}

impl Weights<'_> {
    /// The change, if the rule replaces its only root and creates no operations by natives.
    fn change(&self) -> Option<Change> {
        let &[root] = &self.pattern.matcher.roots[..] else { return None };
        let mut change = Change {
            from: self.op(root, DEPTH)?,
            created: Vec::new(),
            values: Vec::new(),
            single: self.single(),
        };
        let mut removed = false;
        for step in &self.pattern.rewrite.steps {
            match step {
                Step::Create(create) => change.created.push(self.of(Source::Local(create.to), DEPTH)?),
                // A call without results may still change or create operations.
                Step::Call { to, .. } if to.is_empty() => return None,
                Step::Erase { op } => removed |= *op == Source::Matched(root),
                Step::Replace { op, with } => {
                    if *op != Source::Matched(root) {
                        return None;
                    }
                    removed = true;
                    match with {
                        Replacement::Op(by) => change.values.push(self.of(*by, DEPTH)?),
                        Replacement::Values(values) => {
                            for &value in values {
                                change.values.push(self.of(value, DEPTH)?);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        removed.then_some(change)
    }

    fn single(&self) -> BTreeSet<NodeId> {
        let part = &self.pattern.matcher;
        let optional: BTreeSet<NodeId> = part
            .iter()
            .flat_map(Node::operands)
            .filter_map(|group| if let OperandGroup::Optional(node) = group { Some(*node) } else { None })
            .collect();
        let is_one = |node: &NodeId| matches!(part[*node].kind(), Kind::Op | Kind::Value);
        part.ids().filter(|node| is_one(node) && !optional.contains(node)).collect()
    }

    fn op(&self, node: NodeId, depth: u32) -> Option<Weight> {
        let depth = depth.checked_sub(1)?;
        let op = self.pattern.matcher[node].as_operation()?;
        let mut weight = Weight::default();
        match op.name {
            Some(name) => add(weight.names.entry(name).or_default(), 1)?,
            None => add(weight.variables.entry(node).or_default(), 1)?,
        }
        for operand in self.pattern.matcher[node].operands().flat_map(OperandGroup::nodes) {
            weight.add(&self.value(*operand, depth)?)?;
        }
        Some(weight)
    }

    fn value(&self, node: NodeId, depth: u32) -> Option<Weight> {
        if let Some(source) = self.pattern.matcher[node].source().map(ValueSource::op) {
            return self.op(source, depth);
        }
        let mut weight = Weight::default();
        weight.variables.insert(node, 1);
        Some(weight)
    }

    /// The weight of an operation, value or range; `None` if a native makes it.
    fn of(&self, source: Source, depth: u32) -> Option<Weight> {
        let depth = depth.checked_sub(1)?;
        let local = match source {
            Source::Matched(node) if self.pattern.matcher[node].as_operation().is_some() => {
                return self.op(node, depth);
            }
            Source::Matched(node) => return self.value(node, depth),
            Source::Local(local) => local,
        };
        let step = self.pattern.rewrite.steps.iter().find(|step| step.defined_locals().contains(&local))?;
        let sum = |parts: &[Source]| {
            let mut weight = Weight::default();
            for &part in parts {
                weight.add(&self.of(part, depth)?)?;
            }
            Some(weight)
        };
        match step {
            Step::Result { op, .. } | Step::Results { op, .. } => self.of(*op, depth),
            Step::Range { parts, .. } => sum(parts),
            Step::Create(create) => {
                let mut weight = sum(&create.operands)?;
                add(weight.names.entry(create.name).or_default(), 1)?;
                Some(weight)
            }
            _ => None,
        }
    }
}

//! Where a rule is anchored, and how what lies above the anchor is found.
//!
//! Specification: following operands down from the anchor, and then each climb and what lies below
//! it, reaches every operation that a connected rule names.
//!
//! A rule of several roots matches at one of them, the anchor. Another operation is found through
//! the users of a value that is known by then: a [`Climb`]. Which climbs there are and in which
//! order is decided here, for the reference matcher and the engine alike, so that both meet several
//! matches of one rule in the same order.
//!
//! Method: the cost of an anchor is how many lists of uses have to be walked from it; all roots are
//! tried, and the cheapest is taken, the first among equals.

use std::collections::BTreeSet;

use crate::id::Id;

use super::{MatchPart, Node, NodeId, OperandGroup, ValueSource};

/// An operation found as a user of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climb {
    /// A [`Node::Value`] or [`Node::Values`] that is bound; of a range the first value counts.
    pub from: NodeId,
    /// The operation that uses it.
    pub op: NodeId,
    /// In which of its operand groups.
    pub group: u32,
    /// At which place of a [`OperandGroup::List`]; else 0.
    pub place: u32,
}

impl MatchPart {
    /// The operations that no other operation takes results of, in node order; if there is a given
    /// root it comes first, else the cheapest to start from.
    ///
    /// Linear, but for several roots without a given one: quadratic in their number.
    pub fn find_roots(&self, given: Option<NodeId>) -> Vec<NodeId> {
        let mut taken = vec![false; self.nodes.len()];
        for &value in self.nodes.iter().flat_map(Node::operands).flat_map(OperandGroup::nodes) {
            if let Some(source) = self.nodes[value].source() {
                taken[source.op().index()] = true;
            }
        }
        let is_root = |&(id, node): &(NodeId, &Node)| {
            node.as_operation().is_some() && Some(id) != given && !taken[id.index()]
        };
        let mut roots: Vec<NodeId> = given.into_iter().collect();
        roots.extend(self.nodes.iter_enumerated().filter(is_root).map(|(id, _)| id));
        if given.is_none() && roots.len() > 1 {
            let cheapest =
                (0..roots.len().min(Self::MAX_CANDIDATES)).min_by_key(|&i| self.cost_from(roots[i]));
            if let Some(i) = cheapest {
                let anchor = roots.remove(i);
                roots.insert(0, anchor);
            }
        }
        roots
    }
}

impl MatchPart {
    /// Nodes that refer to a node which is not there.
    pub(super) fn dangling(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter_enumerated().filter_map(|(id, node)| {
            let mut outside = false;
            node.for_each_child(|child| outside |= child.index() >= self.nodes.len());
            outside.then_some(id)
        })
    }

    /// The operations, each after those below it; what is climbed to last. Where a new operation comes
    /// from unless its rule says otherwise.
    pub fn ops_in_post_order(&self) -> Vec<NodeId> {
        let mut state: Vec<Option<bool>> = vec![None; self.nodes.len()];
        let mut order = Vec::new();
        let starts =
            self.roots.iter().take(1).copied().chain(self.climbs().into_iter().map(|climb| climb.op));
        for start in starts {
            let mut path = vec![start];
            while let Some(&node) = path.last() {
                match state[node.index()] {
                    None => {
                        state[node.index()] = Some(false);
                        let mark = path.len();
                        self.nodes[node].for_each_child(|child| path.push(child));
                        path[mark..].reverse();
                    }
                    Some(done) => {
                        path.pop();
                        if !done && self.nodes[node].as_operation().is_some() {
                            order.push(node);
                        }
                        state[node.index()] = Some(true);
                    }
                }
            }
        }
        order
    }

    /// Whether an operation or operand lists this as its type.
    pub(super) fn lists_type(&self, ty: NodeId) -> bool {
        self.nodes.iter().any(|node| match node {
            Node::Operation(op) => op.results.iter().flatten().any(|&result| result == ty),
            Node::Value { ty: of, source: None } | Node::Values { types: of, source: None } => {
                *of == Some(ty)
            }
            _ => false,
        })
    }

    /// How operations above the anchor are found, in order: always the first unreached operation (in
    /// node order) that has a bound operand, by its first operand that is one value, else by its
    /// first range.
    ///
    /// Takes n log n steps. Operations that are connected to nothing are not in the list.
    pub fn climbs(&self) -> Vec<Climb> {
        if self.roots.len() == 1 {
            // Every other operation feeds one that feeds the root in the end.
            return Vec::new();
        }
        self.roots.first().map_or_else(Vec::new, |&anchor| self.climbs_from(anchor))
    }

    /// Candidates to start from: past this many roots the first ones are good enough.
    const MAX_CANDIDATES: usize = 64;

    fn cost_from(&self, root: NodeId) -> usize {
        self.climbs_from(root).len()
    }

    fn climbs_from(&self, anchor: NodeId) -> Vec<Climb> {
        let mut reach = Reach::new(self);
        reach.visit(anchor);
        reach.climb_all()
    }

    fn climb_to(&self, op: NodeId, reached: &[bool]) -> Option<Climb> {
        let groups = self.nodes[op].as_operation()?.operands.as_deref().unwrap_or_default();
        let mut found = None;
        for (group, operands) in (0u32..).zip(groups) {
            let is_range = matches!(operands, OperandGroup::Range(_));
            for (place, &from) in (0u32..).zip(operands.nodes()) {
                if reached[from.index()] {
                    let climb = Climb { from, op, group, place };
                    if !is_range {
                        return Some(climb);
                    }
                    found = found.or(Some(climb));
                }
            }
        }
        found
    }
}

/// What is bound once something is: everything below it.
pub(super) struct Reach<'a> {
    part: &'a MatchPart,
    reached: Vec<bool>,
    users: Vec<Vec<NodeId>>,
    results: Vec<Vec<NodeId>>,
    ready: BTreeSet<NodeId>,
}

impl<'a> Reach<'a> {
    /// Nothing bound yet. The ids of the part are in range.
    pub(super) fn new(part: &'a MatchPart) -> Self {
        let mut users = vec![Vec::new(); part.nodes.len()];
        let mut results = vec![Vec::new(); part.nodes.len()];
        for (id, node) in part.nodes.iter_enumerated() {
            for value in node.operands().flat_map(OperandGroup::nodes) {
                users[value.index()].push(id);
            }
            if let Some(ValueSource::Result { op, .. } | ValueSource::Results { op, .. }) = node.source() {
                results[op.index()].push(id);
            }
        }
        Self { part, reached: vec![false; part.nodes.len()], users, results, ready: BTreeSet::new() }
    }

    /// Whether a node is bound.
    pub(super) fn has(&self, node: NodeId) -> bool {
        self.reached[node.index()]
    }

    /// Binds a node and all below it.
    pub(super) fn visit(&mut self, node: NodeId) {
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut self.reached[node.index()], true) {
                continue;
            }
            self.ready.extend(&self.users[node.index()]);
            todo.extend(&self.results[node.index()]);
            self.part.nodes[node].for_each_child(|child| todo.push(child));
        }
    }

    /// Binds all that can be climbed to, and gives the climbs in order.
    pub(super) fn climb_all(&mut self) -> Vec<Climb> {
        let mut climbs = Vec::new();
        while let Some(op) = self.ready.pop_first() {
            if !self.has(op) {
                climbs.extend(self.part.climb_to(op, &self.reached));
                self.visit(op);
            }
        }
        climbs
    }
}

#[cfg(test)]
mod tests {
    use crate::pdl::{Climb, NodeId, RuleSet};

    /// Two users of one producer: either can be the anchor, the other is found through the value.
    #[test]
    fn the_other_root_is_climbed_to() {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("two", 1);
        let base = rule.op("t.base").matched();
        let x = rule.result(base, 0);
        let a = rule.op("t.a").operand(x).matched();
        let b = rule.op("t.b").operand(x).matched();
        rule.erase(a);
        let id = rule.finish().expect("connected");
        let part = &rules.patterns[id].matcher;
        assert_eq!(part.roots, [a, b]);
        assert_eq!(part.climbs(), [Climb { from: x, op: b, group: 0, place: 0 }]);
    }

    fn chain(given: Option<usize>) -> (Vec<NodeId>, RuleSet) {
        // b = mid(x), r1 = top(b); r2 = other(x): from r1 one climb, from r2 two.
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("chain", 1);
        let x = rule.value();
        let other = rule.op("t.other").operand(x).matched();
        let mid = rule.op("t.mid").operand(x).matched();
        let b = rule.result(mid, 0);
        let top = rule.op("t.top").operand(b).matched();
        if let Some(given) = given {
            rule.root([other, mid, top][given]);
        }
        rule.erase(top);
        rule.finish().expect("connected");
        (vec![other, mid, top], rules)
    }

    #[test]
    fn the_cheapest_root_is_the_anchor_unless_one_is_given() {
        for (given, anchor, climbed) in
            [(None, 2, vec![0]), (Some(0), 0, vec![1, 2]), (Some(1), 1, vec![0, 2]), (Some(2), 2, vec![0])]
        {
            let (ops, rules) = chain(given);
            let part = &rules.patterns.as_slice()[0].matcher;
            assert_eq!(part.roots[0], ops[anchor], "{given:?}");
            let found: Vec<NodeId> = part.climbs().iter().map(|climb| climb.op).collect();
            assert_eq!(found, climbed.iter().map(|&i| ops[i]).collect::<Vec<_>>(), "{given:?}");
        }
    }
}

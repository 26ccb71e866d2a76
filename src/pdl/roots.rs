//! Where a rule is anchored, and how what lies above the anchor is found.
//!
//! Specification: following operands down from the anchor, and then each climb and what lies below
//! it, reaches every operation that a connected rule names. No other anchor, and no other set of
//! climbs, walks fewer lists of uses.
//!
//! A rule of several roots matches at one of them, the anchor. Another operation is found through
//! the users of a value that is known by then: a [`Climb`]. Which climbs there are and in which
//! order is decided here, for the reference matcher and the engine alike, so that both meet several
//! matches of one rule in the same order; MLIR's lowering of `pdl` decides the same.
//!
//! Method: two roots are connected by what lies below both, at the cost of climbing from it to the
//! second; the cheapest way to connect all to an anchor is a branching of least length
//! ([`super::branching`]). All roots are tried as anchor, and the cheapest is taken, the first among
//! equals.

use std::collections::VecDeque;

use crate::id::Id;

use super::branching::Graph;
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
    /// Roots that a rule can have: each is tried as the anchor.
    pub(super) const MAX_ROOTS: usize = 64;

    /// The operations that no other operation takes results of, in node order; if there is a given
    /// root it comes first, else the cheapest to start from.
    ///
    /// Linear, but for several roots without a given one: cubic in their number then.
    pub fn find_roots(&self, given: Option<NodeId>) -> Vec<NodeId> {
        let mut roots: Vec<NodeId> = self.topmost().filter(|&id| Some(id) != given).collect();
        match given {
            Some(given) => roots.insert(0, given),
            None if (2..=Self::MAX_ROOTS).contains(&roots.len()) => {
                let connections = Connections::new(self, &roots);
                let cost = |&root: &usize| {
                    let reached = connections.graph.reachable(root);
                    let missing = reached.iter().filter(|&&reached| !reached).count();
                    (missing, connections.graph.branching(root).1)
                };
                if let Some(cheapest) = (0..roots.len()).min_by_key(cost) {
                    let anchor = roots.remove(cheapest);
                    roots.insert(0, anchor);
                }
            }
            None => {}
        }
        roots
    }

    /// The operations that no other takes results of.
    pub(super) fn topmost(&self) -> impl Iterator<Item = NodeId> {
        let mut taken = vec![false; self.len()];
        for &value in self.iter().flat_map(Node::operands).flat_map(OperandGroup::nodes) {
            if let Some(source) = self[value].source() {
                taken[source.op().index()] = true;
            }
        }
        let operations = self.iter_enumerated().filter(|(_, node)| node.as_operation().is_some());
        operations.map(|(id, _)| id).filter(move |id| !taken[id.index()])
    }
}

impl MatchPart {
    /// Nodes that refer to a node which is not there.
    pub(super) fn dangling(&self) -> impl Iterator<Item = NodeId> {
        self.iter_enumerated().filter_map(|(id, node)| {
            let mut outside = false;
            node.for_each_child(|child| outside |= child.index() >= self.len());
            outside.then_some(id)
        })
    }

    /// The operations, each after those below it; what is climbed to last. Where a new operation comes
    /// from unless its rule says otherwise.
    pub fn ops_in_post_order(&self) -> Vec<NodeId> {
        let mut state: Vec<Option<bool>> = vec![None; self.len()];
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
                        self[node].for_each_child(|child| path.push(child));
                        path[mark..].reverse();
                    }
                    Some(done) => {
                        path.pop();
                        if !done && self[node].as_operation().is_some() {
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
        self.iter().any(|node| match node {
            Node::Operation(op) => op.results.iter().flatten().any(|&result| result == ty),
            Node::Value { ty: of, source: None } | Node::Values { types: of, source: None } => {
                *of == Some(ty)
            }
            _ => false,
        })
    }

    /// How operations above the anchor are found, in order: root by root, those connected to the
    /// anchor itself first, each by climbing from what connects it.
    ///
    /// Cubic in the number of roots. Operations that are connected to nothing are not in the list.
    pub fn climbs(&self) -> Vec<Climb> {
        if !(2..=Self::MAX_ROOTS).contains(&self.roots.len()) {
            // Every other operation feeds one that feeds the root in the end.
            return Vec::new();
        }
        // In node order, whichever is the anchor.
        let mut roots = self.roots.clone();
        roots.sort_unstable();
        let anchor = roots.iter().position(|&root| root == self.roots[0]);
        let connections = Connections::new(self, &roots);
        connections.climbs(self, anchor.expect("it is one of them"))
    }
}

/// How one operation or value is reached from a root.
#[derive(Clone, Copy)]
struct Way {
    /// What takes it, and where; the root has none.
    above: Option<(NodeId, u32, u32)>,
    /// How many operations there are above it.
    depth: u32,
}

/// Which roots share what lies below them.
struct Connections<'a> {
    roots: &'a [NodeId],
    /// Edges between roots: to the second from what is known once the first is.
    graph: Graph,
    /// For each edge, what both have below them: `[target][source]`.
    shared: Vec<Vec<Option<NodeId>>>,
    /// What lies below each root.
    ways: Vec<Vec<Option<Way>>>,
}

impl<'a> Connections<'a> {
    fn new(part: &MatchPart, roots: &'a [NodeId]) -> Self {
        let mut connectors: Vec<Vec<usize>> = vec![Vec::new(); part.len()];
        let mut order = Vec::new();
        let mut ways = Vec::with_capacity(roots.len());
        for (i, &root) in roots.iter().enumerate() {
            ways.push(ways_from(part, root, |node| {
                if connectors[node.index()].is_empty() {
                    order.push(node);
                }
                connectors[node.index()].push(i);
            }));
        }
        let mut graph = Graph::new(roots.len());
        let mut shared = vec![vec![None; roots.len()]; roots.len()];
        let mut rank = 0;
        for node in order {
            let below = &connectors[node.index()];
            for &source in below {
                for &target in below.iter().filter(|&&target| target != source) {
                    let Some(way) = ways[target][node.index()] else { continue };
                    let edge = graph.edge(source, target);
                    let rank = match *edge {
                        Some((length, _)) if length <= way.depth => continue,
                        Some((_, rank)) => rank,
                        None => {
                            rank += 1;
                            rank
                        }
                    };
                    *edge = Some((way.depth, rank));
                    shared[target][source] = Some(node);
                }
            }
        }
        Self { roots, graph, shared, ways }
    }

    fn climbs(&self, part: &MatchPart, anchor: usize) -> Vec<Climb> {
        let (parents, _) = self.graph.branching(anchor);
        let mut reach = Reach::new(part);
        reach.visit(self.roots[anchor]);
        let mut climbs = Vec::new();
        let mut connected = VecDeque::from([anchor]);
        while let Some(source) = connected.pop_front() {
            for target in (0..parents.len()).filter(|&target| parents[target] == Some(source)) {
                connected.push_back(target);
            }
            let connector = parents[source].and_then(|parent| self.shared[source][parent]);
            let Some(mut node) = connector else { continue };
            while let Some((above, group, place)) = self.ways[source][node.index()].and_then(|way| way.above)
            {
                if part[above].as_operation().is_some() && !reach.has(above) {
                    climbs.push(Climb { from: node, op: above, group, place });
                    reach.visit(above);
                }
                node = above;
            }
        }
        climbs
    }
}

/// The way to everything below a root by operands and what they are results of, breadth first; calls
/// `found` with each in that order.
fn ways_from(part: &MatchPart, root: NodeId, mut found: impl FnMut(NodeId)) -> Vec<Option<Way>> {
    let mut ways: Vec<Option<Way>> = vec![None; part.len()];
    let mut todo = VecDeque::from([(root, Way { above: None, depth: 0 })]);
    while let Some((node, way)) = todo.pop_front() {
        if ways[node.index()].is_some() {
            continue;
        }
        ways[node.index()] = Some(way);
        found(node);
        for (group, operands) in (0u32..).zip(part[node].operands()) {
            for (place, &operand) in (0u32..).zip(operands.nodes()) {
                let above = Some((node, group, place));
                todo.push_back((operand, Way { above, depth: way.depth + 1 }));
            }
        }
        if let Some(source) = part[node].source() {
            todo.push_back((source.op(), Way { above: Some((node, 0, 0)), depth: way.depth }));
        }
    }
    ways
}

/// What is bound once something is: everything below it.
pub(super) struct Reach<'a> {
    part: &'a MatchPart,
    reached: Vec<bool>,
    results: Vec<Vec<NodeId>>,
}

impl<'a> Reach<'a> {
    /// Nothing bound yet. The ids of the part are in range.
    pub(super) fn new(part: &'a MatchPart) -> Self {
        let mut results = vec![Vec::new(); part.len()];
        for (id, node) in part.iter_enumerated() {
            if let Some(ValueSource::Result { op, .. } | ValueSource::Results { op, .. }) = node.source() {
                results[op.index()].push(id);
            }
        }
        Self { part, reached: vec![false; part.len()], results }
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
            todo.extend(&self.results[node.index()]);
            self.part[node].for_each_child(|child| todo.push(child));
        }
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

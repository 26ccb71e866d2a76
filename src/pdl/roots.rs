//! The anchor of a rule, and the order in which the operations that are not below the anchor are found.
//!
//! Specification: if the roots of a rule are connected, a walk from the anchor down the operands, and then along each
//! climb and the nodes below it, reaches every operation of the rule. The connections between the roots have the least
//! total length. If the rule does not state the anchor, no other anchor leads to a smaller total length.
//!
//! A rule with several roots matches at one of them, the anchor. Each other root is found through the users of a
//! value that is already bound: a [`Climb`]. The climbs and their order are decided here for the reference matcher
//! and all engines, so that all of them find the matches of a rule in the same order. MLIR's lowering of `pdl` chooses
//! the same climbs in the same order.
//!
//! Method: a connection leads from one root down to a node below both roots, and from there up to the other root. Its
//! cost is the length of the path up. The cheapest connection of all roots to an anchor is a branching of least total
//! length ([`super::branching`]). Every root is tried as the anchor; the first of the cheapest anchors is taken.

use std::collections::VecDeque;

use bitvec::vec::BitVec;

use crate::id::{Id, IdVec};

use super::branching::Graph;
use super::match_part::{MatchPart, Node, NodeId, OperandGroup};

/// An operation that is found as a user of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Climb {
    /// A bound [`Node::Value`] or [`Node::Values`]. For a range, the users of its first value are visited.
    pub from: NodeId,
    /// The operation that uses the value.
    pub op: NodeId,
    /// The operand group that contains the use.
    pub group: u32,
    /// The position in an [`OperandGroup::List`]; 0 for other groups.
    pub place: u32,
}

impl MatchPart {
    /// The largest number of roots of a rule. Every root is tried as the anchor.
    pub(super) const MAX_ROOTS: usize = 64;

    /// The anchor, and then the other operations whose results no other operation takes, in node order. The anchor is
    /// the given operation or, if none is given, the cheapest of these operations.
    ///
    /// The time is linear if an anchor is given or if there is only one root. Otherwise it grows with the fourth power
    /// of the number of roots. If there are more than [`Self::MAX_ROOTS`] roots, no costs are computed, and the first
    /// root is the anchor.
    pub(crate) fn find_roots(&self, given: Option<NodeId>) -> Vec<NodeId> {
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

    /// The operations whose results no other operation takes.
    pub(super) fn topmost(&self) -> impl Iterator<Item = NodeId> {
        let mut taken: BitVec = BitVec::repeat(false, self.len());
        for &value in self.iter().flat_map(Node::operands).flat_map(OperandGroup::nodes) {
            if let Some(source) = self[value].source() {
                taken.set(source.op().index(), true);
            }
        }
        let operations = self.iter_enumerated().filter(|(_, node)| node.as_operation().is_some());
        operations.map(|(id, _)| id).filter(move |id| !taken[id.index()])
    }

    /// The operations from the anchor down, in post-order, and then the further operations from each climb down. The
    /// default location of a new operation is fused from the locations of these operations.
    pub(crate) fn ops_in_post_order(&self) -> Vec<NodeId> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.len()];
        let mut order = Vec::new();
        let starts =
            self.roots.iter().take(1).copied().chain(self.climbs().into_iter().map(|climb| climb.op));
        for start in starts {
            let mut path = vec![start];
            while let Some(&node) = path.last() {
                if marks[node.index()] == Mark::New {
                    marks[node.index()] = Mark::Open;
                    let first = path.len();
                    self[node].for_each_child(|child| path.push(child));
                    path[first..].reverse();
                } else {
                    path.pop();
                    if marks[node.index()] == Mark::Open && self[node].as_operation().is_some() {
                        order.push(node);
                    }
                    marks[node.index()] = Mark::Done;
                }
            }
        }
        order
    }

    /// The climbs that find the other roots, in breadth-first order: first the roots that are connected to the anchor
    /// itself, then the roots that are connected to these, and so on.
    ///
    /// The time is cubic in the number of roots. Operations that are not connected to the anchor are not in the list.
    pub(crate) fn climbs(&self) -> Vec<Climb> {
        if !(2..=Self::MAX_ROOTS).contains(&self.roots.len()) {
            // All operations are below the only root. A rule with too many roots does not verify.
            return Vec::new();
        }
        // Sorting makes the order independent of the choice of the anchor.
        let mut roots = self.roots.clone();
        roots.sort_unstable();
        let anchor = roots.iter().position(|&root| root == self.roots[0]);
        let connections = Connections::new(self, &roots);
        connections.climbs(self, anchor.expect("the anchor is a root"))
    }
}

/// The last step of the shortest path from a root down to a node.
#[derive(Clone, Copy)]
struct PathStep {
    /// The node above, with the operand group and the index in this group that lead down; `None` for the root itself.
    above: Option<(NodeId, u32, u32)>,
    /// The number of operations on the path above the node.
    depth: u32,
}

/// The nodes that connect roots.
struct Connections<'a> {
    roots: &'a [NodeId],
    /// The edges between roots. The target of an edge is found from its source.
    graph: Graph,
    /// For each edge, the node below both roots with the shortest path up to the target: `shared[target][source]`.
    shared: Vec<Vec<Option<NodeId>>>,
    /// For each root, the paths to the nodes below it.
    paths: Vec<Vec<Option<PathStep>>>,
}

impl<'a> Connections<'a> {
    fn new(part: &MatchPart, roots: &'a [NodeId]) -> Self {
        let mut connectors: Vec<Vec<usize>> = vec![Vec::new(); part.len()];
        let mut order = Vec::new();
        let mut paths = Vec::with_capacity(roots.len());
        for (i, &root) in roots.iter().enumerate() {
            paths.push(paths_from(part, root, |node| {
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
                    let Some(step) = paths[target][node.index()] else { continue };
                    let edge = graph.edge(source, target);
                    let rank = match *edge {
                        Some((length, _)) if length <= step.depth => continue,
                        Some((_, rank)) => rank,
                        None => {
                            rank += 1;
                            rank
                        }
                    };
                    *edge = Some((step.depth, rank));
                    shared[target][source] = Some(node);
                }
            }
        }
        Self { roots, graph, shared, paths }
    }

    fn climbs(&self, part: &MatchPart, anchor: usize) -> Vec<Climb> {
        let (parents, _) = self.graph.branching(anchor);
        let mut reached = Reached::new(part);
        reached.visit(self.roots[anchor]);
        let mut climbs = Vec::new();
        let mut connected = VecDeque::from([anchor]);
        while let Some(source) = connected.pop_front() {
            for target in (0..parents.len()).filter(|&target| parents[target] == Some(source)) {
                connected.push_back(target);
            }
            let connector = parents[source].and_then(|parent| self.shared[source][parent]);
            let Some(mut node) = connector else { continue };
            while let Some((above, group, place)) =
                self.paths[source][node.index()].and_then(|step| step.above)
            {
                if part[above].as_operation().is_some() && !reached.has(above) {
                    climbs.push(Climb { from: node, op: above, group, place });
                    reached.visit(above);
                }
                node = above;
            }
        }
        climbs
    }
}

/// The shortest paths from a root to the nodes below it, by operands and their defining operations. Calls `found`
/// with each node in breadth-first order.
fn paths_from(part: &MatchPart, root: NodeId, mut found: impl FnMut(NodeId)) -> Vec<Option<PathStep>> {
    let mut paths: Vec<Option<PathStep>> = vec![None; part.len()];
    let mut worklist = VecDeque::from([(root, PathStep { above: None, depth: 0 })]);
    while let Some((node, step)) = worklist.pop_front() {
        if paths[node.index()].is_some() {
            continue;
        }
        paths[node.index()] = Some(step);
        found(node);
        for (group, operands) in (0u32..).zip(part[node].operands()) {
            for (place, &operand) in (0u32..).zip(operands.nodes()) {
                let above = Some((node, group, place));
                worklist.push_back((operand, PathStep { above, depth: step.depth + 1 }));
            }
        }
        if let Some(source) = part[node].source() {
            worklist.push_back((source.op(), PathStep { above: Some((node, 0, 0)), depth: step.depth }));
        }
    }
    paths
}

/// The nodes that are bound after some nodes have been visited.
pub(super) struct Reached<'a> {
    part: &'a MatchPart,
    reached: BitVec,
    results: IdVec<NodeId, Vec<NodeId>>,
}

impl<'a> Reached<'a> {
    /// Returns the initial state, in which no node is bound. The ids in the part must be in range.
    pub(super) fn new(part: &'a MatchPart) -> Self {
        Self { part, reached: BitVec::repeat(false, part.len()), results: part.results_by_op() }
    }

    /// True if a node is bound.
    pub(super) fn has(&self, node: NodeId) -> bool {
        self.reached[node.index()]
    }

    /// Binds a node and all nodes below it.
    pub(super) fn visit(&mut self, node: NodeId) {
        let mut worklist = vec![node];
        while let Some(node) = worklist.pop() {
            if self.reached.replace(node.index(), true) {
                continue;
            }
            worklist.extend(&self.results[node]);
            self.part[node].for_each_child(|child| worklist.push(child));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::pdl::{Climb, NodeId, RuleSet};

    /// Two operations use one value. Either can be the anchor; the other is found through the value.
    #[test]
    fn a_second_root_is_found_by_a_climb() {
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
        // b = mid(x), top(b), other(x): one climb leads from top to other; two lead from other to top.
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
    fn the_anchor_is_the_given_root_or_the_cheapest() {
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

//! The cheapest connection of nodes to a root by directed edges: an optimum branching.
//!
//! Specification: the result gives every reachable node except the root exactly one parent, so that these nodes are
//! below the root and the total length is the least. If two edges into a node are equally long, the edge of smaller
//! rank counts as shorter.
//!
//! Method: each node takes its shortest incoming edge. If these edges form a cycle, the cycle is contracted to one of
//! its nodes, and the smaller graph is solved. For each node of the cycle, the contraction subtracts the length of the
//! cycle's edge into this node from the lengths of the other edges into this node. After J. Edmonds, "Optimum
//! branchings" (1967), and Y. Chu and T. Liu (1965). The time is cubic in the number of nodes. Each contraction removes
//! a node or more, which bounds the recursion.

/// The cost of an edge: its length, and its rank among edges of that length.
pub(super) type Cost = (u32, u32);

/// A graph of directed edges. Nodes are numbered from 0.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// The costs of the edges: `edges[target][source]`.
    edges: Vec<Vec<Option<Cost>>>,
}

impl Graph {
    /// A graph without edges.
    pub(super) fn new(nodes: usize) -> Self {
        Self { edges: vec![vec![None; nodes]; nodes] }
    }

    /// The edge from `source` to `target`.
    pub(super) fn edge(&mut self, source: usize, target: usize) -> &mut Option<Cost> {
        &mut self.edges[target][source]
    }

    /// For each node, true if it can be reached from the root.
    pub(super) fn reachable(&self, root: usize) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        let mut worklist = vec![root];
        while let Some(node) = worklist.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                worklist.extend((0..self.edges.len()).filter(|&target| self.edges[target][node].is_some()));
            }
        }
        reached
    }

    /// The parent of each reachable node except the root, and the total length of the edges from the parents.
    pub(super) fn branching(&self, root: usize) -> (Vec<Option<usize>>, u32) {
        let reached = self.reachable(root);
        let parents = self.clone().solve(root, reached);
        let length = |(target, source): (usize, &Option<usize>)| {
            source.and_then(|source| self.edges[target][source]).map_or(0, |cost| cost.0)
        };
        let total = parents.iter().enumerate().map(length).sum();
        (parents, total)
    }

    /// Solves the subgraph of the `alive` nodes, which are all reachable from the root.
    fn solve(mut self, root: usize, mut alive: Vec<bool>) -> Vec<Option<usize>> {
        let nodes = self.edges.len();
        let mut parents: Vec<Option<usize>> = vec![None; nodes];
        let mut settled = vec![false; nodes];
        settled[root] = true;
        for start in 0..nodes {
            let mut trail = Vec::new();
            let mut node = start;
            while alive[node] && !settled[node] {
                settled[node] = true;
                trail.push(node);
                let sources = (0..nodes).filter(|&source| alive[source]);
                let best = sources.filter_map(|source| Some((self.edges[node][source]?, source))).min();
                let Some((_, source)) = best else { break };
                parents[node] = Some(source);
                node = source;
            }
            let Some(first) = trail.iter().position(|&on| on == node && parents[on].is_some()) else {
                continue;
            };
            // In the cycle, the parent of each node is the next node, and the parent of the last node is the first
            // node.
            let cycle = &trail[first..];
            let (entries, exits) = self.contract(cycle, &parents, &mut alive);
            let mut solved = self.solve(root, alive);
            for (target, parent) in solved.iter_mut().enumerate() {
                if *parent == Some(node) {
                    *parent = exits[target];
                }
            }
            let outside = solved[node];
            let entry = outside.and_then(|source| entries[source]);
            for &on in cycle {
                solved[on] = if Some(on) == entry { outside } else { parents[on] };
            }
            return solved;
        }
        parents
    }

    /// Contracts a cycle to its first node. Returns two nodes of the cycle for each node outside: the target of the
    /// edge from the outer node into the cycle, and the source of the edge from the cycle to the outer node.
    fn contract(
        &mut self,
        cycle: &[usize],
        parents: &[Option<usize>],
        alive: &mut [bool],
    ) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
        let nodes = self.edges.len();
        let kept = cycle[0];
        let (mut entries, mut exits) = (vec![None; nodes], vec![None; nodes]);
        for outside in (0..nodes).filter(|node| !cycle.contains(node)) {
            let entering = |&on: &usize| {
                let inner = parents[on].and_then(|parent| self.edges[on][parent])?;
                let (length, rank) = self.edges[on][outside]?;
                Some(((length.saturating_sub(inner.0), rank), on))
            };
            let entry = cycle.iter().filter_map(entering).min();
            let exit = cycle.iter().filter_map(|&on| Some((self.edges[outside][on]?, on))).min();
            self.edges[kept][outside] = entry.map(|(cost, _)| cost);
            self.edges[outside][kept] = exit.map(|(cost, _)| cost);
            entries[outside] = entry.map(|(_, on)| on);
            exits[outside] = exit.map(|(_, on)| on);
        }
        for &on in &cycle[1..] {
            alive[on] = false;
        }
        (entries, exits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least total length, found by trying every choice of parents.
    fn least(graph: &Graph, root: usize) -> Option<u32> {
        let nodes = graph.edges.len();
        let mut best = None;
        for mut choice in 0..nodes.pow(u32::try_from(nodes).expect("small")) {
            let mut parents = vec![0; nodes];
            for parent in &mut parents {
                *parent = choice % nodes;
                choice /= nodes;
            }
            let hangs = |mut node: usize| {
                for _ in 0..nodes {
                    if node == root {
                        return true;
                    }
                    node = parents[node];
                }
                false
            };
            let costs = (0..nodes).filter(|&n| n != root).map(|n| graph.edges[n][parents[n]].map(|c| c.0));
            let total: Option<u32> = costs.sum();
            if (0..nodes).all(hangs)
                && let Some(total) = total
            {
                best = Some(best.map_or(total, |best: u32| best.min(total)));
            }
        }
        best
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]
        #[test]
        fn no_choice_of_parents_is_cheaper(
            nodes in 1usize..6,
            lengths in proptest::collection::vec(proptest::option::weighted(0.7, 0u32..6), 25),
        ) {
            let mut graph = Graph::new(nodes);
            for (rank, (at, length)) in (0u32..).zip(lengths.iter().enumerate()) {
                let (source, target) = (at / 5, at % 5);
                if source < nodes && target < nodes && source != target {
                    *graph.edge(source, target) = length.map(|length| (length, rank));
                }
            }
            for root in 0..nodes {
                let (parents, total) = graph.branching(root);
                match least(&graph, root) {
                    Some(least) => prop_assert_eq!(total, least),
                    None => prop_assert!(graph.reachable(root).contains(&false)),
                }
                let reached = graph.reachable(root);
                for node in (0..nodes).filter(|&node| node != root) {
                    prop_assert_eq!(parents[node].is_some(), reached[node]);
                    let mut at = node;
                    for _ in 0..nodes {
                        at = parents[at].unwrap_or(at);
                    }
                    prop_assert_eq!(at == root, reached[node]);
                }
                prop_assert_eq!(parents[root], None);
            }
        }
    }

    #[test]
    fn the_lower_rank_decides_between_equal_edges() {
        let mut graph = Graph::new(3);
        *graph.edge(0, 1) = Some((1, 0));
        *graph.edge(0, 2) = Some((1, 4));
        *graph.edge(1, 2) = Some((1, 3));
        *graph.edge(2, 1) = Some((1, 2));
        assert_eq!(graph.branching(0), (vec![None, Some(0), Some(1)], 2));
    }
}

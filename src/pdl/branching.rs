//! The cheapest way to connect nodes to a root by directed edges.
//!
//! Specification: of all sets of edges that give every node but the root exactly one parent, so that
//! all hang below the root, one of least total length. Among edges into a node that are as long as
//! each other the one of the smaller rank counts as shorter.
//!
//! Method: each node takes its shortest incoming edge; if that makes a cycle, the cycle is contracted
//! to one of its nodes, incoming edges losing what the cycle's own edge into their target costs, and
//! the smaller graph is solved. After J. Edmonds, "Optimum branchings" (1967), and Y. Chu and T. Liu
//! (1965). Cubic in the number of nodes; it recurses once for each contraction, and so not deeper than
//! there are nodes.

/// What an edge costs: how long it is, and its rank among those as long.
pub(super) type Cost = (u32, u32);

/// Edges between nodes that are numbered from 0.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// `edges[target][source]`.
    edges: Vec<Vec<Option<Cost>>>,
}

impl Graph {
    /// No edges yet.
    pub(super) fn new(nodes: usize) -> Self {
        Self { edges: vec![vec![None; nodes]; nodes] }
    }

    /// The edge from `source` to `target`.
    pub(super) fn edge(&mut self, source: usize, target: usize) -> &mut Option<Cost> {
        &mut self.edges[target][source]
    }

    /// Whether each node can be reached from the root.
    pub(super) fn reachable(&self, root: usize) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                todo.extend((0..self.edges.len()).filter(|&target| self.edges[target][node].is_some()));
            }
        }
        reached
    }

    /// The parent of each node that can be reached from the root, itself excepted; and their length.
    pub(super) fn branching(&self, root: usize) -> (Vec<Option<usize>>, u32) {
        let reached = self.reachable(root);
        let parents = self.clone().solve(root, reached);
        let length = |(target, source): (usize, &Option<usize>)| {
            source.and_then(|source| self.edges[target][source]).map_or(0, |cost| cost.0)
        };
        let total = parents.iter().enumerate().map(length).sum();
        (parents, total)
    }

    /// The nodes that count are `alive`; each can be reached from the root.
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
            // Against the direction of the edges: each node's parent is the next, the last one's the first.
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

    /// Makes the first node of a cycle stand for all. Gives, for each node outside, where in the cycle its
    /// edge into it ends, and where the edge to it begins.
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
                let own = parents[on].and_then(|parent| self.edges[on][parent])?;
                let (length, rank) = self.edges[on][outside]?;
                // Its own is the shortest.
                Some(((length.saturating_sub(own.0), rank), on))
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

    /// The least total length, by trying every choice of parents.
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
        fn nothing_is_cheaper(
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
    fn of_equal_edges_the_lower_rank_is_taken() {
        let mut graph = Graph::new(3);
        *graph.edge(0, 1) = Some((1, 0));
        *graph.edge(0, 2) = Some((1, 4));
        *graph.edge(1, 2) = Some((1, 3));
        *graph.edge(2, 1) = Some((1, 2));
        assert_eq!(graph.branching(0), (vec![None, Some(0), Some(1)], 2));
    }
}

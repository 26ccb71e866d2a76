//! Dominance between blocks.
//!
//! Specification: block *a* dominates block *b* of the same region iff every path from the entry block to *b* goes
//! through *a*. Method: Lengauer and Tarjan, A Fast Algorithm for Finding Dominators in a Flowgraph (1979), with the
//! simple form of `eval` and `link`. The intervals of a walk over the dominator tree answer each query in constant
//! time.

use hashbrown::HashMap;

use super::context::Context;
use super::module::{BlockId, Module, OpId, RegionId};
use super::traits::OpTraits;
use crate::id::Id;

/// True if a region may be a graph region: it has at most one block, and its operation is unknown or has the trait
/// [`OpTraits::GRAPH_REGION`].
pub(super) fn may_be_graph(context: &Context, module: &Module, region: RegionId) -> bool {
    let holder = context.traits(module.name(module.region_op(region)));
    let may_be_graph = !holder.contains(OpTraits::KNOWN) || holder.contains(OpTraits::GRAPH_REGION);
    may_be_graph && module.first_block(region) == module.last_block(region)
}

/// The dominance of the blocks of regions.
#[derive(Clone, Debug)]
pub(super) struct Dominance {
    /// For each block, the times at which a walk over the dominator tree enters and leaves it; `None` if the block is
    /// unreachable.
    intervals: Vec<Option<(u32, u32)>>,
}

impl Dominance {
    /// A `Dominance` that covers no region yet.
    pub(super) fn new(module: &Module) -> Self {
        Self { intervals: vec![None; module.block_slots()] }
    }

    /// Computes the dominance in a region. Takes O(e log n) for n blocks and e branches.
    pub(super) fn add(&mut self, module: &Module, region: RegionId) {
        let Some(entry) = module.first_block(region) else { return };
        if module.next_block(entry).is_none() {
            self.intervals[entry.index()] = Some((0, 0));
            return;
        }
        let walk = DepthFirst::new(module, region, entry);
        let order = &walk.order;
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (at, parent) in immediate_dominators(&walk).into_iter().enumerate().skip(1) {
            children[parent].push(at);
        }
        let mut clock = 0;
        let mut stack = vec![(0usize, false)];
        while let Some((at, done)) = stack.pop() {
            let interval = &mut self.intervals[order[at].index()];
            if done {
                *interval = interval.map(|(entered, _)| (entered, clock));
            } else {
                *interval = Some((clock, clock));
                stack.push((at, true));
                stack.extend(children[at].iter().map(|&child| (child, false)));
            }
            clock += 1;
        }
    }

    /// True if control can reach a block from the entry of its region.
    pub(super) fn is_reachable(&self, block: BlockId) -> bool {
        self.intervals[block.index()].is_some()
    }

    /// True if `a` dominates `b`, which is in the same region. A block dominates itself, and every block dominates an
    /// unreachable block.
    pub(super) fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        match (self.intervals[a.index()], self.intervals[b.index()]) {
            _ if a == b => true,
            (_, None) => true,
            (None, Some(_)) => false,
            (Some((a_in, a_out)), Some((b_in, b_out))) => a_in <= b_in && b_out <= a_out,
        }
    }
}

/// The unreachable blocks inside an operation, except those inside another unreachable block.
pub(super) fn unreachable_blocks(module: &Module, root: OpId) -> Vec<BlockId> {
    let mut unreachable = Vec::new();
    let mut ops = vec![root];
    while let Some(op) = ops.pop() {
        for &region in module.regions(op) {
            let Some(entry) = module.first_block(region) else { continue };
            if module.next_block(entry).is_none() {
                ops.extend(module.ops(entry));
                continue;
            }
            let reachable = DepthFirst::new(module, region, entry).number;
            for block in module.region_blocks(region) {
                if reachable.contains_key(&block) {
                    ops.extend(module.ops(block));
                } else {
                    unreachable.push(block);
                }
            }
        }
    }
    unreachable
}

/// The successors of a block that are in `region`.
fn successors(module: &Module, region: RegionId, block: BlockId) -> impl Iterator<Item = BlockId> {
    let last = module.last_op(block);
    let all = last.map_or(&[][..], |op| module.successors(op));
    all.iter().copied().filter(move |&block| module.block_region(block) == Some(region))
}

/// A depth-first walk over the blocks that are reachable from the entry of a region. The number of a block is its index
/// in the order of the first visits.
struct DepthFirst {
    order: Vec<BlockId>,
    number: HashMap<BlockId, usize>,
    /// The block from which the walk came to each block; for the entry, the entry itself.
    parent: Vec<usize>,
    /// The blocks that branch to each block.
    predecessors: Vec<Vec<usize>>,
}

impl DepthFirst {
    fn new(module: &Module, region: RegionId, entry: BlockId) -> Self {
        let (order, number) = (vec![entry], HashMap::from_iter([(entry, 0)]));
        let mut walk = Self { order, number, parent: vec![0], predecessors: vec![Vec::new()] };
        let mut stack = vec![(0, successors(module, region, entry))];
        while let Some((from, rest)) = stack.last_mut() {
            let from = *from;
            let Some(block) = rest.next() else {
                stack.pop();
                continue;
            };
            let new = walk.order.len();
            let at = *walk.number.entry(block).or_insert(new);
            if at == new {
                walk.order.push(block);
                walk.parent.push(from);
                walk.predecessors.push(Vec::new());
                stack.push((at, successors(module, region, block)));
            }
            walk.predecessors[at].push(from);
        }
        walk
    }
}

/// The immediate dominator of each block; for the entry, the entry itself. Takes O(e log n) for n blocks and e
/// branches.
fn immediate_dominators(walk: &DepthFirst) -> Vec<usize> {
    let count = walk.order.len();
    let mut forest =
        Forest { semi: (0..count).collect(), label: (0..count).collect(), ancestor: vec![None; count] };
    let mut dominator = vec![0; count];
    let mut bucket: Vec<Vec<usize>> = vec![Vec::new(); count];
    for at in (1..count).rev() {
        for &from in &walk.predecessors[at] {
            let least = forest.eval(from);
            forest.semi[at] = forest.semi[at].min(forest.semi[least]);
        }
        bucket[forest.semi[at]].push(at);
        let parent = walk.parent[at];
        forest.ancestor[at] = Some(parent);
        for below in std::mem::take(&mut bucket[parent]) {
            let least = forest.eval(below);
            dominator[below] = if forest.semi[least] < forest.semi[below] { least } else { parent };
        }
    }
    for at in 1..count {
        if dominator[at] != forest.semi[at] {
            dominator[at] = dominator[dominator[at]];
        }
    }
    dominator
}

/// The part of the depth-first tree that the algorithm has linked so far, with compressed paths.
struct Forest {
    /// The semidominator of each block that was linked; the block itself for others.
    semi: Vec<usize>,
    /// A block with the least semidominator on the path from the ancestor, exclusive, to the block.
    label: Vec<usize>,
    /// The parent of each block after path compression; `None` for a root.
    ancestor: Vec<Option<usize>>,
}

impl Forest {
    /// A block with the least semidominator on the path from the root of a tree, exclusive, to a block. For a root, the
    /// root itself.
    fn eval(&mut self, block: usize) -> usize {
        let above =
            |forest: &Self, at: usize| forest.ancestor[at].filter(|&up| forest.ancestor[up].is_some());
        let path: Vec<usize> = std::iter::successors(Some(block), |&at| above(self, at)).collect();
        // The blocks are visited from the top down. When a block is visited, the path of its ancestor is already
        // compressed.
        for &at in path.iter().rev() {
            let Some(up) = above(self, at) else { continue };
            if self.semi[self.label[up]] < self.semi[self.label[at]] {
                self.label[at] = self.label[up];
            }
            self.ancestor[at] = self.ancestor[up];
        }
        self.label[block]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::context::Context;
    use crate::ir::module::OpSpec;
    use proptest::prelude::*;

    fn reaches_without(edges: &[Vec<usize>], target: usize, without: usize) -> bool {
        let mut seen = vec![false; edges.len()];
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            if at == without || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            stack.extend(&edges[at]);
        }
        seen[target]
    }

    proptest! {
        #![proptest_config(crate::test_seed::config())]
        #[test]
        fn removing_a_dominator_cuts_every_path(
            edges in (2usize..9).prop_flat_map(|n| {
                proptest::collection::vec(proptest::collection::vec(0..n, 0..3), n)
            }),
        ) {
            let mut context = Context::new();
            let mut module = Module::new(&mut context);
            let name = context.op_name("t.branch");
            let holder = module.create(&OpSpec { regions: 1, ..OpSpec::new(name) });
            module.append(module.body(), holder);
            let region = module.region(holder, 0);
            let blocks: Vec<BlockId> = edges.iter().map(|_| module.append_block(region)).collect();
            for (from, to) in edges.iter().enumerate() {
                let successors: Vec<BlockId> = to.iter().map(|&to| blocks[to]).collect();
                let op = module.create(&OpSpec { successors: &successors, ..OpSpec::new(name) });
                module.append(blocks[from], op);
            }
            let mut dominance = Dominance::new(&module);
            dominance.add(&module, region);
            for a in 0..blocks.len() {
                for b in 0..blocks.len() {
                    let reachable = reaches_without(&edges, b, usize::MAX);
                    prop_assert_eq!(dominance.is_reachable(blocks[b]), reachable);
                    let want = a == b || !reaches_without(&edges, b, a);
                    prop_assert_eq!(dominance.dominates(blocks[a], blocks[b]), want);
                }
            }
        }
    }
}

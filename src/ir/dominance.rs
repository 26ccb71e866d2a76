//! Dominance between blocks.
//!
//! Specification: block *a* dominates block *b* of the same region iff every path from the entry block to *b* goes
//! through *a*. Method: the algorithm of Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm (2001). The
//! intervals of a walk over the dominator tree answer each query in constant time.

use hashbrown::HashSet;

use super::context::Context;
use super::module::{BlockId, Module, OpId, RegionId};
use super::traits::OpTraits;
use crate::id::Id;

/// True if a region may be a graph region: it has one block, and its operation is unknown or has the trait of graph
/// regions.
pub(super) fn may_be_graph(context: &Context, module: &Module, region: RegionId) -> bool {
    let holder = context.traits(module.name(module.region_op(region)));
    let may_be_graph = !holder.contains(OpTraits::KNOWN) || holder.contains(OpTraits::GRAPH_REGION);
    may_be_graph && module.first_block(region) == module.last_block(region)
}

/// The dominance of all blocks of a module.
#[derive(Clone, Debug)]
pub(super) struct Dominance {
    /// For each block, the times at which a walk over the dominator tree enters and leaves it; `None` if the block is
    /// unreachable.
    intervals: Vec<Option<(u32, u32)>>,
}

impl Dominance {
    /// Computes the dominance in every region of a module. Takes nearly linear time in blocks and branches.
    pub(super) fn new(module: &Module) -> Self {
        let mut all = Self { intervals: vec![None; module.block_slots()] };
        for op in module.preorder(module.top()) {
            for &region in module.regions(op) {
                all.region(module, region);
            }
        }
        all
    }

    fn region(&mut self, module: &Module, region: RegionId) {
        let Some(entry) = module.first_block(region) else { return };
        if module.next_block(entry).is_none() {
            self.intervals[entry.index()] = Some((0, 0));
            return;
        }
        let order = reverse_postorder(module, region, entry);
        // Blocks are numbered in reverse postorder, so a parent in the tree has a smaller number.
        let mut number = hashbrown::HashMap::with_capacity(order.len());
        number.extend(order.iter().copied().zip(0usize..));
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (from, &block) in order.iter().enumerate() {
            for successor in successors(module, region, block) {
                predecessors[number[&successor]].push(from);
            }
        }
        let mut parent: Vec<Option<usize>> = vec![None; order.len()];
        parent[0] = Some(0);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for at in 1..order.len() {
                let processed = predecessors[at].iter().copied().filter(|&from| parent[from].is_some());
                let new = processed.reduce(|a, b| intersect(&parent, a, b));
                if new != parent[at] {
                    parent[at] = new;
                    changed = true;
                }
            }
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (at, parent) in parent.iter().enumerate().skip(1) {
            if let Some(parent) = *parent {
                children[parent].push(at);
            }
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
    /// unreachable one.
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
            let reachable: HashSet<BlockId> = reverse_postorder(module, region, entry).into_iter().collect();
            for block in module.region_blocks(region) {
                if reachable.contains(&block) {
                    ops.extend(module.ops(block));
                } else {
                    unreachable.push(block);
                }
            }
        }
    }
    unreachable
}

/// The successors of a block in its region.
fn successors(module: &Module, region: RegionId, block: BlockId) -> impl Iterator<Item = BlockId> {
    let last = module.last_op(block);
    let all = last.map_or(&[][..], |op| module.successors(op));
    all.iter().copied().filter(move |&block| module.block_region(block) == Some(region))
}

fn reverse_postorder(module: &Module, region: RegionId, entry: BlockId) -> Vec<BlockId> {
    let mut seen: HashSet<BlockId> = HashSet::from_iter([entry]);
    let mut order = Vec::new();
    let mut stack = vec![(entry, 0)];
    while let Some((block, next)) = stack.last_mut() {
        let block = *block;
        match successors(module, region, block).nth(*next) {
            Some(successor) => {
                *next += 1;
                if seen.insert(successor) {
                    stack.push((successor, 0));
                }
            }
            None => {
                order.push(block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

fn intersect(parent: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        // Both blocks are processed, so they have parents. The block with the larger number moves to its parent.
        (a, b) = (low, parent[high].expect("the block is processed"));
    }
    a
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
            let dominance = Dominance::new(&module);
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

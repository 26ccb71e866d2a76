//! Which blocks dominate which.
//!
//! Specification: block *a* dominates *b* of the same region iff every path from the entry block to *b* goes
//! through *a*. Method: Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm (2001); intervals of
//! a walk over the tree answer each question in constant time.

use hashbrown::HashSet;

use super::module::{BlockId, Module, OpId, RegionId};
use crate::id::Id;

const NONE: u32 = u32::MAX;

/// The dominance of all blocks of a module.
#[derive(Clone, Debug)]
pub struct Dominance {
    /// By block: when a walk over its region's dominator tree enters and leaves it.
    intervals: Vec<(u32, u32)>,
}

impl Dominance {
    /// The dominance of every region of a module. Time nearly linear in blocks and branches.
    pub fn new(module: &Module) -> Self {
        let mut all = Self { intervals: vec![(NONE, NONE); module.block_slots()] };
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
            self.intervals[entry.index()] = (0, 0);
            return;
        }
        let order = reverse_postorder(module, region, entry);
        // Numbers in reverse postorder; the tree's parents have smaller ones.
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
                let known = predecessors[at].iter().copied().filter(|&from| parent[from].is_some());
                let new = known.reduce(|a, b| intersect(&parent, a, b));
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
                interval.1 = clock;
            } else {
                interval.0 = clock;
                stack.push((at, true));
                stack.extend(children[at].iter().map(|&child| (child, false)));
            }
            clock += 1;
        }
    }

    /// Whether control can reach a block from its region's entry.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.intervals[block.index()].0 != NONE
    }

    /// Whether `a` dominates `b`, both of one region; a block dominates itself, and an unreachable one is dominated
    /// by every block.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        if a == b || !self.is_reachable(b) {
            return true;
        }
        let ((a_in, a_out), (b_in, b_out)) = (self.intervals[a.index()], self.intervals[b.index()]);
        a_in != NONE && a_in <= b_in && b_out <= a_out
    }
}

/// The blocks inside an operation that control cannot reach from the entry of their region, none inside
/// another of them.
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

/// The blocks of the same region that a block's last operation may go to.
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
        // Both have a parent, since they were processed; the larger number goes up.
        (a, b) = (low, parent[high].unwrap_or(0));
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
        /// As the definition says: taking the dominator away cuts every path.
        #[test]
        fn dominance_is_what_cuts_every_path(
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

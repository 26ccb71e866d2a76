//! Simplification of regions.
//!
//! Specification: MLIR's `simplifyRegions`. Unreachable blocks are removed. Operations without effects, and arguments
//! of blocks other than entry blocks, are removed if no live operation uses them, even if dead operations use each
//! other in a cycle. Optionally, blocks that are equal except for values from outside are merged into one block, and an
//! argument that always has the same value is replaced by this value.
//!
//! Method: liveness is a fixed point that starts from the operations with effects. Terminators are live, but an operand
//! of a branch is live only if the block argument to which it is passed is live.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};

use super::branch::{Branch, post_order};
use super::edit::Editor;
use super::names::Names;
use crate::host::{
    Blocks, Facets, Hooks, Ir, Region, WalkOrder, arg_place, args_of, blocks_of, ops_of, regions_of,
    users_of, uses_of,
};
use crate::rewrite::greedy::is_removable;
use crate::rewrite::op_facts::OpFacts;

/// The properties of operations, which decide if an operation is dead.
pub(super) struct Knowledge<'a, H: Ir> {
    pub(super) names: &'a Names,
    pub(super) facts: &'a OpFacts,
    pub(super) hooks: &'a Hooks<H>,
}

/// Simplifies the regions of an operation. Returns true if an operation or block was removed, or a block argument was
/// replaced by the value that it always has.
pub(super) fn simplify<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    root: H::Op,
    known: &Knowledge<'_, H>,
    merge: bool,
) -> bool {
    let listener = &mut *e.listener;
    let mut changed = e.host.erase_unreachable_blocks(root, &mut |host, op| {
        host.walk(op, WalkOrder::Post, &mut |op| listener.erased(host, op));
    });
    changed |= remove_dead(e, root, known);
    if merge {
        let regions = nested_regions(e.host, root);
        for &region in regions.iter().rev() {
            while merge_blocks(e, region, known.names) {
                changed = true;
            }
        }
        // Merging erases no region, because it ignores blocks that contain regions.
        for &region in &regions {
            for block in blocks_of(e.host, region).collect::<Vec<_>>() {
                changed |= drop_redundant_args(e, block, known.names);
            }
        }
    }
    changed
}

/// All regions inside an operation, from the outside in.
fn nested_regions<H: Blocks>(host: &H, root: H::Op) -> Vec<Region<H::Op>> {
    let mut regions = Vec::new();
    host.walk(root, WalkOrder::Pre, &mut |op| regions.extend(regions_of(host, op)));
    regions
}

/// The live operations and values.
struct Live<H: Ir> {
    ops: HashSet<H::Op>,
    values: HashSet<H::Value>,
    changed: bool,
}

impl<H: Facets + Blocks> Live<H> {
    fn mark_op(&mut self, op: H::Op) {
        self.changed |= self.ops.insert(op);
    }

    fn mark_value(&mut self, value: H::Value) {
        self.changed |= self.values.insert(value);
    }

    fn visit_region(
        &mut self,
        host: &H,
        region: Region<H::Op>,
        blocks: &PostOrders<H>,
        known: &Knowledge<'_, H>,
    ) {
        let entry = host.first_block(region);
        for &block in blocks.get(&region).into_iter().flatten() {
            for op in ops_of(host, block).collect::<Vec<_>>().into_iter().rev() {
                self.visit(host, op, blocks, known);
            }
            if Some(block) != entry {
                args_of(host, block).for_each(|arg| self.visit_value(host, arg, known));
            }
        }
    }

    fn visit(&mut self, host: &H, op: H::Op, blocks: &PostOrders<H>, known: &Knowledge<'_, H>) {
        for region in regions_of(host, op) {
            crate::stack::with_room(|| self.visit_region(host, region, blocks, known));
        }
        if host.is_terminator(op) {
            self.mark_op(op);
            if Branch::read(host, op, known.names).is_none() {
                for successor in 0..host.successor_count(op) {
                    let block = host.successor(op, successor);
                    args_of(host, block).for_each(|arg| self.mark_value(arg));
                }
            }
            return;
        }
        if self.ops.contains(&op) {
            return;
        }
        if is_removable(host, op, known.facts, known.hooks) {
            (0..host.result_count(op))
                .for_each(|index| self.visit_value(host, host.result(op, index), known));
            if (0..host.result_count(op)).any(|index| self.values.contains(&host.result(op, index))) {
                self.mark_op(op);
            }
        } else {
            self.mark_op(op);
        }
    }

    /// Marks a value if a live operation uses it, or a branch passes it to a live argument.
    fn visit_value(&mut self, host: &H, value: H::Value, known: &Knowledge<'_, H>) {
        if self.values.contains(&value) {
            return;
        }
        let mut uses = uses_of(host, value);
        let is_live = uses.any(|used| {
            let (user, index) = (host.use_owner(used), host.use_index(used));
            match argument_of(host, user, index, known.names) {
                Some(argument) => self.values.contains(&argument),
                None => self.ops.contains(&user),
            }
        });
        if is_live {
            self.mark_value(value);
        }
    }
}

/// The reachable blocks of each region, in post-order.
type PostOrders<H> = HashMap<Region<<H as Ir>::Op>, Vec<<H as Blocks>::Block>>;

/// The block argument to which a branch of `cf` passes an operand; `None` for other operations and operands.
fn argument_of<H: Facets + Blocks>(host: &H, op: H::Op, operand: u32, names: &Names) -> Option<H::Value> {
    if host.successor_count(op) == 0 {
        return None;
    }
    let branch = Branch::read(host, op, names)?;
    let mut index = (operand as usize).checked_sub(usize::from(branch.leading.is_some()))?;
    for (block, values) in &branch.targets {
        if index < values.len() {
            let index = u32::try_from(index).ok().filter(|&index| index < host.arg_count(*block))?;
            return Some(host.arg(*block, index));
        }
        index -= values.len();
    }
    None
}

/// Removes dead operations and block arguments. Returns true if an operation was removed.
fn remove_dead<H: Facets + Blocks>(e: &mut Editor<'_, H>, root: H::Op, known: &Knowledge<'_, H>) -> bool {
    let host = &*e.host;
    let all = nested_regions(host, root);
    let blocks: PostOrders<H> = all.iter().map(|&region| (region, post_order(host, region))).collect();
    let mut live = Live { ops: HashSet::new(), values: HashSet::new(), changed: true };
    while std::mem::take(&mut live.changed) {
        for region in regions_of(host, root) {
            live.visit_region(host, region, &blocks, known);
        }
    }
    let regions: Vec<_> = regions_of(host, root).collect();
    let mut dead = Dead { blocks, live, known, erased: false };
    regions.into_iter().for_each(|region| dead.remove(e, region));
    dead.erased
}

/// The removal of operations and block arguments that are not live.
struct Dead<'a, 'k, H: Blocks> {
    blocks: PostOrders<H>,
    live: Live<H>,
    known: &'a Knowledge<'k, H>,
    /// True if an operation was removed.
    erased: bool,
}

impl<H: Facets + Blocks> Dead<'_, '_, H> {
    /// Removes dead operations and arguments of a region: users before definitions.
    fn remove(&mut self, e: &mut Editor<'_, H>, region: Region<H::Op>) {
        for block in self.blocks.remove(&region).unwrap_or_default() {
            if let Some(last) = e.host.last_op(block) {
                self.drop_operands(e, last);
            }
            let mut used = Vec::new();
            for op in ops_of(e.host, block).collect::<Vec<_>>().into_iter().rev() {
                if self.live.ops.contains(&op) {
                    for region in regions_of(e.host, op).collect::<Vec<_>>() {
                        crate::stack::with_room(|| self.remove(e, region));
                    }
                    continue;
                }
                e.host.set_operands(op, &[]);
                used.extend((!self.erase_unused(e, op)).then_some(op));
            }
            // In a graph region, dead operations can use each other in a cycle. No dead operation of the block has
            // operands any more, so the remaining ones can be erased now.
            for op in used {
                self.erase_unused(e, op);
            }
        }
        let entry = e.host.first_block(region);
        for block in blocks_of(e.host, region).filter(|&block| Some(block) != entry).collect::<Vec<_>>() {
            for index in (0..e.host.arg_count(block)).rev() {
                let arg = e.host.arg(block, index);
                if !self.live.values.contains(&arg) && e.host.first_use(arg).is_none() {
                    e.host.erase_arg(block, index);
                }
            }
        }
    }

    /// Erases an operation, unless its results have uses.
    fn erase_unused(&mut self, e: &mut Editor<'_, H>, op: H::Op) -> bool {
        let unused = (0..e.host.result_count(op)).all(|i| e.host.first_use(e.host.result(op, i)).is_none());
        if unused {
            e.erase(op);
            self.erased = true;
        }
        unused
    }

    /// Removes the operands that a branch passes to dead arguments.
    fn drop_operands(&self, e: &mut Editor<'_, H>, op: H::Op) {
        let Some(mut branch) = Branch::read(e.host, op, self.known.names) else { return };
        let before = branch.operands().len();
        for (target, values) in &mut branch.targets {
            let mut index = 0;
            values.retain(|_| {
                let is_live = index >= e.host.arg_count(*target)
                    || self.live.values.contains(&e.host.arg(*target, index));
                index += 1;
                is_live
            });
        }
        if branch.operands().len() < before && branch.write_operands(e.host, op, self.known.names).is_some() {
            e.listener.modified(e.host, op);
        }
    }
}

/// Erases each block argument that gets the same value on all edges, and replaces its uses by this value. Returns true
/// if there is such an argument.
fn drop_redundant_args<H: Facets + Blocks>(e: &mut Editor<'_, H>, block: H::Block, names: &Names) -> bool {
    let edges = e.host.edges_to(block, usize::MAX);
    let branches: Option<Vec<Branch<H>>> =
        edges.iter().map(|&(op, _)| Branch::read(e.host, op, names)).collect();
    let Some(branches) = branches.filter(|branches| !branches.is_empty()) else { return false };
    let mut redundant = Vec::new();
    for index in 0..e.host.arg_count(block) {
        let arg = e.host.arg(block, index);
        let mut given = branches.iter().zip(&edges).map(|(branch, &(_, successor))| {
            branch.targets.get(successor as usize).and_then(|(_, values)| values.get(index as usize)).copied()
        });
        let first = given.next().flatten();
        if let Some(value) = first.filter(|&value| value != arg && given.all(|other| other == Some(value))) {
            redundant.push(index);
            e.replace_value(arg, value);
        }
    }
    for &index in redundant.iter().rev() {
        e.host.erase_arg(block, index);
        for &(op, successor) in &edges {
            // The branch is read again, because its operands have changed if it passed a replaced argument.
            let Some(mut branch) = Branch::read(e.host, op, names) else { continue };
            branch.targets[successor as usize].1.remove(index as usize);
            branch.write_operands(e.host, op, names);
            e.listener.modified(e.host, op);
        }
    }
    !redundant.is_empty()
}

/// The number of an operation in its block, and the index of an operand.
type OperandAt = (usize, u32);

/// Blocks that differ only in values that are defined outside of them.
struct Cluster<H: Blocks> {
    leader: H::Block,
    others: Vec<H::Block>,
    /// The operands that differ.
    differing: BTreeSet<OperandAt>,
}

/// Merges equal blocks of a region, except the entry. Returns true if any were merged.
fn merge_blocks<H: Facets + Blocks>(e: &mut Editor<'_, H>, region: Region<H::Op>, names: &Names) -> bool {
    let host = &*e.host;
    let successors = |block: H::Block| {
        let last = host.last_op(block);
        last.map_or_else(Vec::new, |op| {
            (0..host.successor_count(op)).map(|i| host.successor(op, i)).collect()
        })
    };
    let mut groups: Vec<Vec<H::Block>> = Vec::new();
    let mut group_of: HashMap<Vec<H::Block>, usize> = HashMap::new();
    for block in blocks_of(host, region).skip(1) {
        let group = *group_of.entry(successors(block)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(block);
    }
    let mut merged = false;
    for group in groups.into_iter().filter(|group| group.len() > 1) {
        let mut clusters: Vec<Cluster<H>> = Vec::new();
        for block in group {
            let has_regions = ops_of(e.host, block).any(|op| e.host.region_count(op) > 0);
            if has_regions || args_of(e.host, block).any(|arg| is_used_outside(e.host, arg, block)) {
                continue;
            }
            let found = clusters.iter_mut().find_map(|cluster| {
                let differing = differences(e.host, cluster.leader, block)?;
                cluster.differing.extend(differing);
                cluster.others.push(block);
                Some(())
            });
            if found.is_none() {
                clusters.push(Cluster { leader: block, others: Vec::new(), differing: BTreeSet::new() });
            }
        }
        for cluster in clusters.iter().filter(|cluster| !cluster.others.is_empty()) {
            merged |= merge_cluster(e, cluster, names).is_some();
        }
    }
    merged
}

fn is_used_outside<H: Blocks>(host: &H, value: H::Value, block: H::Block) -> bool {
    users_of(host, value).any(|user| host.block(user) != Some(block))
}

/// The block in which a value is defined.
fn block_of<H: Blocks>(host: &H, value: H::Value) -> Option<H::Block> {
    match host.defining_op(value) {
        Some(op) => host.block(op),
        None => host.arg_block(value),
    }
}

/// The operands in which two blocks differ; `None` if the blocks cannot be merged.
fn differences<H: Facets + Blocks>(host: &H, a: H::Block, b: H::Block) -> Option<Vec<OperandAt>> {
    let [args_a, args_b] = [a, b].map(|block| args_of(host, block).collect::<Vec<_>>());
    let types = |args: &[H::Value]| args.iter().map(|&arg| host.value_type(arg)).collect::<Vec<_>>();
    if types(&args_a) != types(&args_b) {
        return None;
    }
    let mut same: HashMap<H::Value, H::Value> = args_a.into_iter().zip(args_b).collect();
    let (mut ops_a, mut ops_b) = (ops_of(host, a), ops_of(host, b));
    let mut differing = Vec::new();
    for number in 0.. {
        let (op_a, op_b) = match (ops_a.next(), ops_b.next()) {
            (Some(a), Some(b)) => (a, b),
            (None, None) => break,
            _ => return None,
        };
        if !are_alike(host, op_a, op_b) {
            return None;
        }
        for index in 0..host.operand_count(op_a) {
            let (from_a, from_b) = (host.operand(op_a, index), host.operand(op_b, index));
            if from_a == from_b {
                continue;
            }
            let (is_inner_a, is_inner_b) =
                (block_of(host, from_a) == Some(a), block_of(host, from_b) == Some(b));
            if host.value_type(from_a) != host.value_type(from_b) || is_inner_a != is_inner_b {
                return None;
            }
            if is_inner_a {
                if same.get(&from_a) != Some(&from_b) {
                    return None;
                }
            } else if can_be_passed(host, a, from_a) && can_be_passed(host, b, from_b) {
                differing.push((number, index));
            } else {
                return None;
            }
        }
        for index in 0..host.result_count(op_a) {
            let (result_a, result_b) = (host.result(op_a, index), host.result(op_b, index));
            if is_used_outside(host, result_a, a) || is_used_outside(host, result_b, b) {
                return None;
            }
            same.insert(result_a, result_b);
        }
    }
    Some(differing)
}

/// True if operations are equal except for their operands and location.
fn are_alike<H: Facets + Blocks>(host: &H, a: H::Op, b: H::Op) -> bool {
    let attributes = |op| {
        let all = host.attributes(op).into_iter();
        all.map(|attr| (attr.name, attr.inherent, attr.value)).collect::<HashSet<_>>()
    };
    let results =
        |op| (0..host.result_count(op)).map(|i| host.value_type(host.result(op, i))).collect::<Vec<_>>();
    let successors = |op| (0..host.successor_count(op)).map(|i| host.successor(op, i)).collect::<Vec<_>>();
    host.op_name(a) == host.op_name(b)
        && host.operand_count(a) == host.operand_count(b)
        && results(a) == results(b)
        && successors(a) == successors(b)
        && attributes(a) == attributes(b)
}

/// True if a branch to a block can pass a value: no terminator that branches to the block defines the value.
fn can_be_passed<H: Blocks>(host: &H, block: H::Block, value: H::Value) -> bool {
    let Some(op) = host.defining_op(value) else { return true };
    let is_last = host.block(op).and_then(|block| host.last_op(block)) == Some(op);
    !is_last || (0..host.successor_count(op)).all(|index| host.successor(op, index) != block)
}

/// Merges the blocks of a cluster into its leader.
fn merge_cluster<H: Facets + Blocks>(
    e: &mut Editor<'_, H>,
    cluster: &Cluster<H>,
    names: &Names,
) -> Option<()> {
    let blocks: Vec<H::Block> = [cluster.leader].into_iter().chain(cluster.others.iter().copied()).collect();
    if !cluster.differing.is_empty() {
        let is_branch = |block| {
            let edges = e.host.edges_to(block, usize::MAX);
            edges.into_iter().all(|(op, _)| Branch::read(e.host, op, names).is_some())
        };
        if !blocks.iter().all(|&block| is_branch(block)) {
            return None;
        }
        let operands = |e: &Editor<'_, H>, block| {
            let ops: Vec<_> = ops_of(e.host, block).collect();
            cluster.differing.iter().map(|&(op, index)| e.host.operand(ops[op], index)).collect::<Vec<_>>()
        };
        let passed: Vec<Vec<H::Value>> = blocks.iter().map(|&block| operands(e, block)).collect();
        // An entry of `differing` shares the new argument of the first entry that has the same value in the leader, if
        // the two entries also have equal values in each other block.
        let mut first_of: HashMap<H::Value, usize> = HashMap::new();
        for (index, &value) in passed[0].iter().enumerate() {
            first_of.entry(value).or_insert(index);
        }
        let earlier: Vec<usize> = (0..passed[0].len())
            .map(|index| {
                let first = first_of[&passed[0][index]];
                if passed.iter().all(|values| values[first] == values[index]) { first } else { index }
            })
            .collect();
        let ops: Vec<_> = ops_of(e.host, cluster.leader).collect();
        let mut args: Vec<Option<H::Value>> = Vec::new();
        for (index, &(op, operand)) in cluster.differing.iter().enumerate() {
            let arg = match args.get(earlier[index]).copied().flatten() {
                Some(arg) => arg,
                None => {
                    let value = passed[0][index];
                    let location = match e.host.defining_op(value) {
                        Some(op) => e.host.location(op),
                        None => argument_location(e.host, value).unwrap_or_else(|| e.host.location(ops[op])),
                    };
                    let count = e.host.arg_count(cluster.leader);
                    e.host.insert_arg(cluster.leader, count, (e.host.value_type(value), location)).ok()?
                }
            };
            args.push(Some(arg));
            e.set_operand(ops[op], operand, arg);
        }
        for (&block, values) in blocks.iter().zip(&passed) {
            let new = values.iter().enumerate().filter(|(index, _)| earlier[*index] == *index);
            let new: Vec<H::Value> = new.map(|(_, &value)| value).collect();
            for (op, successor) in e.host.edges_to(block, usize::MAX) {
                let mut branch = Branch::read(e.host, op, names)?;
                branch.targets[successor as usize].1.extend_from_slice(&new);
                branch.write_operands(e.host, op, names)?;
                e.listener.modified(e.host, op);
            }
        }
    }
    for &block in &cluster.others {
        for (op, successor) in e.host.edges_to(block, usize::MAX) {
            e.host.set_successor(op, successor, cluster.leader);
            e.listener.modified(e.host, op);
        }
        for op in ops_of(e.host, block).collect::<Vec<_>>().into_iter().rev() {
            e.erase(op);
        }
        e.host.detach_block(block);
        e.host.erase_block(block);
    }
    Some(())
}

fn argument_location<H: Blocks>(host: &H, value: H::Value) -> Option<H::Location> {
    let (block, index) = arg_place(host, value)?;
    Some(host.arg_location(block, index))
}

//! The branches of `cf`, with the operands of each successor.

use hashbrown::HashSet;

use super::names::Names;
use crate::host::{Blocks, Edge, Facets, Ir, NamedAttr, Region};
use crate::rewrite::segments::{set_attributes, size_attr, sizes};

/// A successor, with the values of its arguments.
pub(super) type Target<H> = (<H as Blocks>::Block, Vec<<H as Ir>::Value>);

/// A branch whose operands are divided among its successors.
#[derive(Clone)]
pub(super) struct Branch<H: Blocks> {
    /// The condition of `cf.cond_br`, or the flag of `cf.switch`.
    pub(super) leading: Option<H::Value>,
    /// The successors. `cf.cond_br` branches to the first successor if the condition holds; the first successor of
    /// `cf.switch` is the default.
    pub(super) targets: Vec<Target<H>>,
}

impl<H: Facets + Blocks> Branch<H> {
    /// The parts of a branch; `None` for any other operation, and if the sizes of the operand groups are invalid.
    pub(super) fn read(host: &H, op: H::Op, names: &Names) -> Option<Self> {
        let name = host.op_name(op);
        let mut operands = (0..host.operand_count(op)).map(|index| host.operand(op, index));
        let blocks = (0..host.successor_count(op)).map(|index| host.successor(op, index));
        if name == names.br {
            let targets: Vec<Target<H>> = blocks.map(|block| (block, Vec::new())).collect();
            let [(block, _)] = targets[..] else { return None };
            return Some(Self { leading: None, targets: vec![(block, operands.collect())] });
        }
        let groups = if name == names.cond_br {
            sizes(host, op, names.attr.sizes)?
        } else if name == names.switch {
            let sizes_of_all = sizes(host, op, names.attr.sizes)?;
            let mut groups = sizes_of_all.get(..2)?.to_vec();
            groups.extend(sizes(host, op, names.attr.case_sizes)?);
            // MLIR accepts a `case_operand_segments` with more sizes than there are case successors. The surplus sizes
            // belong to no successor.
            groups.truncate(blocks.len() + 1);
            groups
        } else {
            return None;
        };
        let (1, sizes) = (*groups.first()?, groups.get(1..)?) else { return None };
        let leading = Some(operands.next()?);
        let blocks: Vec<H::Block> = blocks.collect();
        let total = sizes.iter().try_fold(1_usize, |sum, &size| sum.checked_add(size))?;
        if blocks.len() != sizes.len() || total != host.operand_count(op) as usize {
            return None;
        }
        let targets = blocks
            .into_iter()
            .zip(sizes)
            .map(|(block, &size)| (block, operands.by_ref().take(size).collect()));
        Some(Self { leading, targets: targets.collect() })
    }

    /// All operands in order.
    pub(super) fn operands(&self) -> Vec<H::Value> {
        self.leading
            .into_iter()
            .chain(self.targets.iter().flat_map(|(_, values)| values.iter().copied()))
            .collect()
    }

    /// The attributes that hold the sizes of the operand groups of an operation with this name.
    pub(super) fn attributes(
        &self,
        host: &mut H,
        name: crate::host::OpNameId,
        names: &Names,
    ) -> Option<Vec<NamedAttr<H::Attr>>> {
        let sizes: Vec<usize> = self.targets.iter().map(|(_, values)| values.len()).collect();
        let mut attributes = Vec::new();
        let mut add = |host: &mut H, name, sizes: &[usize]| {
            let value = size_attr(host, sizes).ok()?;
            attributes.push(NamedAttr { name, value, inherent: true });
            Some(())
        };
        if name == names.cond_br {
            add(host, names.attr.sizes, &[&[1], &sizes[..]].concat())?;
        } else if name == names.switch {
            let (default, cases) = sizes.split_first()?;
            add(host, names.attr.case_sizes, cases)?;
            add(host, names.attr.sizes, &[1, *default, cases.iter().sum()])?;
        }
        Some(attributes)
    }

    /// Replaces the operands of the operation that was read, and keeps its successors.
    pub(super) fn write_operands(&self, host: &mut H, op: H::Op, names: &Names) -> Option<()> {
        let attributes = self.attributes(host, host.op_name(op), names)?;
        host.set_operands(op, &self.operands());
        let attributes: Vec<_> = attributes.into_iter().map(|attr| (attr.name, attr.value)).collect();
        if !attributes.is_empty() {
            set_attributes(host, op, &attributes);
        }
        Some(())
    }
}

/// The only edge to a block; `None` if the block has no edge or several.
pub(super) fn single_edge<H: Blocks>(host: &H, block: H::Block) -> Option<Edge<H>> {
    match host.edges_to(block, 2)[..] {
        [edge] => Some(edge),
        _ => None,
    }
}

/// The blocks that are reachable from the entry of a region, each after the blocks that it reaches, except in loops.
pub(super) fn post_order<H: Blocks>(host: &H, region: Region<H::Op>) -> Vec<H::Block> {
    let Some(entry) = host.first_block(region) else { return Vec::new() };
    let successors = |block| {
        let last = host.last_op(block);
        last.map_or_else(Vec::new, |op| {
            (0..host.successor_count(op)).map(|i| host.successor(op, i)).collect()
        })
    };
    let mut seen: HashSet<H::Block> = HashSet::from_iter([entry]);
    let mut stack = vec![(entry, successors(entry).into_iter())];
    let mut order = Vec::new();
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) => {
                if seen.insert(next) {
                    stack.push((next, successors(next).into_iter()));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

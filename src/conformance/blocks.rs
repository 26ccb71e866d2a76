//! Changes of blocks and regions, performed in the same way on two hosts.

use crate::host::{
    Blocks, Changes, Facets, InsertionPoint, Journal, NoListener, Readable, Refusal, Rewriter, WalkOrder,
    blocks_of, ops_of, regions_of,
};

/// Changes operands, attributes, successors, blocks and regions inside `root`, and detaches some unused operations, in
/// a fixed way.
pub(super) fn exercise<H: Blocks>(
    host: &mut H,
    root: H::Op,
    changes: &mut Changes<H>,
) -> Result<(), Refusal> {
    let mut ops = Vec::new();
    host.walk(root, WalkOrder::Pre, &mut |op| ops.push(op));
    for &op in ops.iter().filter(|&&op| op != root) {
        let operands: Vec<_> = (0..host.operand_count(op)).rev().map(|i| host.operand(op, i)).collect();
        changes.set_operands(host, op, &operands);
        changes.save(host, op);
        host.set_attributes(op, &[]);
        for region in regions_of(host, op).collect::<Vec<_>>() {
            let Some(first) = host.first_block(region) else { continue };
            if host.arg_count(first) > 0 {
                let arg = host.arg(first, 0);
                let new = (host.value_type(arg), host.arg_location(first, 0));
                let added = changes.insert_arg(host, first, 1, new)?;
                changes.replace_uses(host, arg, added, None);
                changes.create_block(host, &[new], region, Some(first))?;
            }
            changes.move_block(host, first, region, None);
        }
        for index in 0..host.successor_count(op) {
            let region = host.block(op).and_then(|block| host.block_region(block));
            if let Some(last) = region.and_then(|region| blocks_of(host, region).last()) {
                changes.set_successor(host, op, index, last);
            }
        }
    }
    for &op in ops.iter().filter(|&&op| op != root) {
        let Some(block) = host.block(op) else { continue };
        let is_unused = (0..host.result_count(op)).all(|i| host.first_use(host.result(op, i)).is_none());
        if is_unused && ops_of(host, block).next() != Some(op) && host.next_op(op).is_some() {
            changes.detach_for_erasure(host, op);
        }
    }
    Ok(())
}

/// Moves each operation inside `root` to a new block of its own. The arguments of the new block replace those of the
/// old block, and the new block replaces each successor of the operation. The rewrite refers to blocks by numbers.
/// Blocks that become empty and have no predecessors are erased.
pub(super) fn rewrite<H: Blocks + Facets>(host: &mut H, root: H::Op) -> Result<(), Refusal> {
    let mut blocks = H::numbered_blocks().ok_or_else(|| Refusal::new("the host does not number blocks"))?;
    let blocks = blocks.table();
    let mut ops = Vec::new();
    host.walk(root, WalkOrder::Pre, &mut |op| ops.push(op));
    let mut journal = Journal::new();
    let mut rewriter = Rewriter::new(host, root, &mut journal);
    for op in ops.into_iter().filter(|&op| op != root) {
        let Some(block) = blocks.block_of(Readable::of(&rewriter), op) else { continue };
        let Some(region) = blocks.region_of(Readable::of(&rewriter), block) else { continue };
        let location = rewriter.host().location(op);
        let old = blocks.args(Readable::of(&rewriter), block);
        let args: Vec<_> = old.iter().map(|&arg| (rewriter.host().value_type(arg), location)).collect();
        let new = blocks.create_block(&mut rewriter, &args, region, Some(block))?;
        for (from, to) in old.into_iter().zip(blocks.args(Readable::of(&rewriter), new)) {
            blocks.replace_uses(&mut rewriter, from, to);
        }
        blocks.move_op(&mut rewriter, op, InsertionPoint::End(new));
        for (index, _) in (0..).zip(blocks.successors(Readable::of(&rewriter), op)) {
            blocks.set_successor(&mut rewriter, op, index, new);
        }
        if blocks.ops(Readable::of(&rewriter), block).0.is_empty()
            && blocks.predecessors(Readable::of(&rewriter), block).0.is_empty()
        {
            blocks.erase_block(&mut rewriter, block);
        }
    }
    rewriter.commit(&mut NoListener)
}

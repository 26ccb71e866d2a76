//! Changes of blocks and regions, performed in the same way on two hosts.

use crate::host::{Blocks, Changes, Refusal, WalkOrder, blocks_of, ops_of, regions_of};

/// Changes the regions and blocks inside `root` in a fixed way.
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

//! The order of operations in their blocks.
//!
//! Specification: [`Order::comes_before`] is true if and only if both operations are in the same block and the first
//! argument precedes the second.
//!
//! Method: the operations of a block are numbered. An operation that was inserted or moved after the last numbering has
//! no number. From such an operation, a search follows the block to the next operation with a number. All searches
//! since the last numbering together visit at most as many operations as it numbered, or 64 if it numbered fewer. The
//! search that reaches this limit ends, and the operations of its block are numbered again.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::{Blocks, ops_of};

/// The minimum number of operations that searches may visit between two numberings.
const MIN_STEPS: usize = 64;

/// The numbers of operations. Numbers are compared only within a block.
pub(super) struct Order<H: Blocks> {
    numbers: HashMap<H::Op, u32, FxBuildHasher>,
    /// The number of operations that searches may visit before the next numbering.
    steps: usize,
}

impl<H: Blocks> Default for Order<H> {
    fn default() -> Self {
        Self { numbers: HashMap::default(), steps: MIN_STEPS }
    }
}

impl<H: Blocks> Order<H> {
    /// Removes the number of an operation that moves or is erased.
    pub(super) fn forget(&mut self, op: H::Op) {
        if !self.numbers.is_empty() {
            self.numbers.remove(&op);
        }
    }

    /// Removes all numbers.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
    }

    /// True if both operations are in the same block and `a` comes before `b`.
    pub(super) fn comes_before(&mut self, host: &H, a: H::Op, b: H::Op) -> bool {
        let (Some(block), true) = (host.block(a), host.block(a) == host.block(b) && a != b) else {
            return false;
        };
        if let Some(found) = self.search(host, a, b) {
            return found;
        }
        self.number(host, block);
        let number = |op| self.numbers.get(&op);
        number(a) < number(b)
    }

    /// Searches from both operations. Returns true if `a` comes before `b`, and `None` if no steps are left.
    fn search(&mut self, host: &H, a: H::Op, b: H::Op) -> Option<bool> {
        let mut number_from = |from: H::Op, other: H::Op| {
            let mut op = from;
            loop {
                if let Some(&number) = self.numbers.get(&op) {
                    return Some(Found::Number(number));
                }
                self.steps = self.steps.checked_sub(1)?;
                match host.next_op(op) {
                    None => return Some(Found::Number(u32::MAX)),
                    Some(next) if next == other => return Some(Found::Other),
                    Some(next) => op = next,
                }
            }
        };
        let Found::Number(of_a) = number_from(a, b)? else { return Some(true) };
        let Found::Number(of_b) = number_from(b, a)? else { return Some(false) };
        Some(of_a < of_b)
    }

    fn number(&mut self, host: &H, block: H::Block) {
        let mut count = 0;
        for op in ops_of(host, block) {
            self.numbers.insert(op, count);
            count = count.saturating_add(1);
        }
        self.steps = MIN_STEPS.max(count as usize);
    }
}

/// The result of a search from an operation.
enum Found {
    /// The other operation.
    Other,
    /// The number of the next operation with a number, or `u32::MAX` at the end of the block.
    Number(u32),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equivalence::Random;
    use crate::ir::{IrHost, OpId};
    use crate::rewrite::test_module::host;

    /// The operations of the module, in their order.
    fn ops(host: &IrHost) -> Vec<OpId> {
        host.module.ops(host.module.body()).collect()
    }

    #[test]
    fn the_order_is_that_of_the_block() {
        let mut host = host(&"\"t.op\"() : () -> ()\n".repeat(50));
        let mut random = Random::new(crate::test_seed::seed());
        let mut order = Order::default();
        for _ in 0..2_000 {
            let all = ops(&host);
            let [a, b] = [(); 2].map(|()| random.below(all.len()));
            assert_eq!(order.comes_before(&host, all[a], all[b]), a < b);
            let before = all[random.below(all.len())];
            match random.below(3) {
                0 => {
                    let copy = host.module.clone_op(all[a]);
                    host.module.insert_before(before, copy);
                }
                1 => {
                    order.forget(all[a]);
                    host.module.move_before(before, all[a]);
                }
                _ => {
                    order.forget(all[a]);
                    host.module.erase(all[a]);
                    let copy = host.module.clone_op(all[(a + 1) % all.len()]);
                    host.module.append(host.module.body(), copy);
                }
            }
        }
    }

    #[test]
    fn searches_in_a_long_block_take_few_steps() {
        let count = 50_000;
        let host = host(&"\"t.op\"() : () -> ()\n".repeat(count));
        let all = ops(&host);
        let mut order = Order::default();
        // The first search numbers the block. No later search takes a step.
        assert!(order.comes_before(&host, all[0], all[count - 1]));
        for &op in &all[1..] {
            assert!(!order.comes_before(&host, op, all[0]) && order.comes_before(&host, all[0], op));
        }
        assert_eq!(order.steps, count);
    }
}

//! The numbers of values, blocks and operations in a file, and the order of uses.

use std::cmp::Reverse;

use crate::id::Id;
use crate::ir::module::{BlockId, Module, OpId, RegionId, UseId, ValueId};

/// The number of values that the blocks of a region define.
pub(super) fn region_values(module: &Module, region: RegionId) -> usize {
    let results = |block| module.ops(block).map(|op| module.result_count(op) as usize).sum::<usize>();
    module.region_blocks(region).map(|block| module.args(block).len() + results(block)).sum()
}

/// The numbers of all values, blocks and operations of a module.
pub(super) struct ValueNumbers {
    values: Vec<u64>,
    blocks: Vec<u64>,
    /// The number of each operation in the order of the text.
    ops: Vec<u32>,
    /// By operation: true if its regions use no value from outside.
    isolated: Vec<bool>,
    /// An operation with an operand that no region around the operation defines.
    pub(super) outside: Option<OpId>,
}

impl ValueNumbers {
    pub(super) fn new(module: &Module) -> Self {
        let mut all = Self {
            values: vec![0; module.value_slots()],
            blocks: vec![0; module.block_slots()],
            ops: op_numbers(module),
            isolated: vec![true; module.op_slots()],
            outside: None,
        };
        all.find_isolated(module);
        all.number_values(module);
        all
    }

    fn find_isolated(&mut self, module: &Module) {
        for op in module.preorder(module.top()) {
            for &value in module.operands(op) {
                let defined_in = module.value_block(value).and_then(|block| module.block_region(block));
                let mut region = module.block(op).and_then(|block| module.block_region(block));
                while region != defined_in {
                    let around = region
                        .map(|region| module.region_op(region))
                        .filter(|&around| around != module.top());
                    let Some(around) = around else {
                        self.outside = Some(op);
                        return;
                    };
                    self.isolated[around.index()] = false;
                    region = module.block(around).and_then(|block| module.block_region(block));
                }
                if defined_in.is_none() {
                    self.outside = Some(op);
                    return;
                }
            }
        }
    }

    /// Numbers the values of each region. In an isolated operation, the numbers begin at 0; otherwise they follow the
    /// numbers of the regions around the operation.
    fn number_values(&mut self, module: &Module) {
        let mut open = vec![(module.top(), 0)];
        while let Some((op, around)) = open.pop() {
            let first = if self.is_isolated(op) { 0 } else { around };
            for &region in module.regions(op) {
                let mut next = first;
                let end = first + region_values(module, region) as u64;
                for (number, block) in (0..).zip(module.region_blocks(region)) {
                    self.blocks[block.index()] = number;
                    let args = module.args(block).iter().copied();
                    let results = module.ops(block).flat_map(|op| module.results(op));
                    for value in args.chain(results) {
                        self.values[value.index()] = next;
                        next += 1;
                    }
                    let inner = module.ops(block).filter(|&op| !module.regions(op).is_empty());
                    open.extend(inner.map(|op| (op, end)));
                }
            }
        }
    }

    pub(super) fn number(&self, value: ValueId) -> u64 {
        self.values[value.index()]
    }

    pub(super) fn block(&self, block: BlockId) -> u64 {
        self.blocks[block.index()]
    }

    pub(super) fn is_isolated(&self, op: OpId) -> bool {
        self.isolated[op.index()]
    }
}

/// The number of each operation in the order of the text, by its slot.
fn op_numbers(module: &Module) -> Vec<u32> {
    let mut numbers = vec![0; module.op_slots()];
    for (number, op) in (0..).zip(module.preorder(module.top())) {
        numbers[op.index()] = number;
    }
    numbers
}

/// The position of a use in the text.
fn place(module: &Module, ops: &[u32], used: UseId) -> (u32, u32) {
    (ops[module.use_owner(used).index()], module.use_index(used))
}

/// For each use in the reference order, its index in the list of uses. The reference order has the last use in the text
/// first. Returns `None` if the list is in the reference order.
pub(super) fn written_order(module: &Module, numbers: &ValueNumbers, value: ValueId) -> Option<Vec<usize>> {
    let places = || module.uses(value).map(|used| place(module, &numbers.ops, used));
    if places().is_sorted_by_key(Reverse) {
        return None;
    }
    let places: Vec<_> = places().collect();
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_unstable_by_key(|&index| Reverse(places[index]));
    Some(order)
}

/// The order of the uses of a value in a file.
#[derive(Debug)]
pub(super) enum UseOrder {
    /// The reference order.
    Reference,
    /// For each use in the reference order, its index in the list of uses.
    Places(Vec<u64>),
    /// Pairs of an index in the reference order and the index in the list of uses. For uses without a pair, both
    /// indices are equal.
    Moves(Vec<u64>),
}

/// Sets the orders of the uses of values. Returns false if one of the orders is not a permutation.
pub(super) fn set_orders(module: &mut Module, orders: impl IntoIterator<Item = (ValueId, UseOrder)>) -> bool {
    let mut orders = orders.into_iter().peekable();
    if orders.peek().is_none() {
        return true;
    }
    let ops = op_numbers(module);
    for (value, order) in orders {
        let mut uses: Vec<UseId> = module.uses(value).collect();
        if uses.len() < 2 {
            continue;
        }
        uses.sort_unstable_by_key(|&used| Reverse(place(module, &ops, used)));
        let Some(uses) = permuted(&uses, &order) else { return false };
        module.order_uses(value, &uses);
    }
    true
}

/// Puts uses, which are given in the reference order, into the order that `order` states. Returns `None` if `order` is
/// not a permutation.
fn permuted(uses: &[UseId], order: &UseOrder) -> Option<Vec<UseId>> {
    let index = |place: u64| usize::try_from(place).ok().filter(|&place| place < uses.len());
    let places: Vec<usize> = match order {
        UseOrder::Reference => (0..uses.len()).collect(),
        UseOrder::Places(places) if places.len() == uses.len() => {
            places.iter().map(|&place| index(place)).collect::<Option<_>>()?
        }
        UseOrder::Moves(moves) if moves.len().is_multiple_of(2) => {
            let mut places: Vec<usize> = (0..uses.len()).collect();
            for pair in moves.chunks(2) {
                places[index(pair[0])?] = index(pair[1])?;
            }
            places
        }
        UseOrder::Places(_) | UseOrder::Moves(_) => return None,
    };
    let mut permuted = vec![None; uses.len()];
    for (&used, place) in uses.iter().zip(places) {
        if permuted[place].replace(used).is_some() {
            return None;
        }
    }
    permuted.into_iter().collect()
}

//! Merges equal constants.
//!
//! Specification: equal constants of a region are merged as MLIR's `OperationFolder::insertKnownConstant` merges them,
//! with two exceptions: constants of different names are not merged, and a constant whose value is unknown stays where
//! it is. Constants are equal if their names, values and result types are equal. [`OpFacts::constant_value`] defines
//! the value of a constant. A constant belongs to the innermost region around it whose operation is the root, isolated
//! from above, or unknown. The first of the equal constants that belong to a region replaces the others, and moves to
//! the start of the region.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use rustc_hash::FxBuildHasher;

use super::op_facts::OpFacts;
use crate::host::{AttrNameId, Ir, IrMut, Listener, OpNameId, notify_erased};

/// The region in which a constant is unique (parent and index), and the name, value and type of the constant.
type Key<H> = (<H as Ir>::Op, u32, OpNameId, <H as Ir>::Attr, <H as Ir>::Type);

/// The distinct constants of one sweep, or of several runs of the incremental driver.
pub(super) struct ConstantMerger<H: IrMut> {
    /// The attribute that holds the value of most constants.
    value: AttrNameId,
    first: HashMap<Key<H>, H::Op, FxBuildHasher>,
    hoisted: HashMap<H::Op, Key<H>, FxBuildHasher>,
    /// True in the runs of the incremental driver that do not visit all operations. These runs merge constants in any
    /// order.
    pub(super) is_later: bool,
    /// The number of constants that were replaced.
    pub(super) merged: u64,
}

impl<H: IrMut> ConstantMerger<H> {
    pub(super) fn new(host: &mut H) -> Self {
        let value = host.bind_attr_name("value");
        Self { value, first: HashMap::default(), hoisted: HashMap::default(), is_later: false, merged: 0 }
    }

    /// Forgets a constant that has changed or is about to be erased.
    pub(super) fn forget(&mut self, op: H::Op) {
        if let Some(key) = self.hoisted.remove(&op) {
            self.first.remove(&key);
        }
    }

    /// Replaces `op` by an equal constant that was found before, and returns true. If there is none, returns false, and
    /// hoists `op` if it is a constant that has not been hoisted yet.
    pub(super) fn merge(
        &mut self,
        host: &mut H,
        op: H::Op,
        root: H::Op,
        facts: &OpFacts,
        listener: &mut dyn Listener<H>,
    ) -> bool {
        let name = host.op_name(op);
        let is_constant = facts.get(host, op).is_some_and(|fact| fact.constant)
            && host.operand_count(op) == 0
            && host.result_count(op) == 1;
        if !is_constant || self.hoisted.contains_key(&op) {
            return false;
        }
        let Some(value) = facts.constant_value(host, op, self.value) else { return false };
        let Some((parent, region)) = scope(host, op, root, facts) else { return false };
        let result = host.result(op, 0);
        let key = (parent, region, name, value, host.value_type(result));
        match self.first.entry(key) {
            Entry::Occupied(first) => {
                let first = *first.get();
                // An operation that was created later can precede the hoisted constant, so the constant moves to the
                // start of the region again.
                if let Some(entry) =
                    host.entry_op(parent, region).filter(|&entry| self.is_later && entry != first)
                {
                    host.move_before(first, entry);
                }
                let with = host.result(first, 0);
                listener.replaced(host, op, &[with]);
                host.replace_all_uses(result, with);
                notify_erased(host, op, listener);
                host.erase(op);
                host.forget_location(first);
                self.merged += 1;
                true
            }
            Entry::Vacant(place) => {
                let Some(entry) = host.entry_op(parent, region) else { return false };
                place.insert(op);
                let previous = host.previous_in_block(op).ok().flatten();
                let in_place = entry == op || previous.is_some_and(|p| self.hoisted.contains_key(&p));
                if !in_place {
                    let is_in_region = (host.parent_op(op), host.region_index(op)) == (Some(parent), region);
                    if !is_in_region || !host.is_in_entry_block(op) {
                        host.forget_location(op);
                    }
                    host.move_before(op, entry);
                }
                self.hoisted.insert(op, key);
                false
            }
        }
    }
}

/// The region to which the constant `op` moves: the operation that has the region, and the index of the region.
fn scope<H: IrMut>(host: &H, op: H::Op, root: H::Op, facts: &OpFacts) -> Option<(H::Op, u32)> {
    let mut inner = op;
    loop {
        let parent = host.parent_op(inner)?;
        let closed = facts.get(host, parent).is_none_or(|fact| fact.isolated);
        if parent == root || closed {
            return Some((parent, host.region_index(inner)));
        }
        inner = parent;
    }
}

//! The operations to visit: last in, first out, each at most once.

use std::num::NonZeroUsize;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::Ir;

/// A stack from which any entry can be removed in constant time.
///
/// Invariant: an operation has a place exactly if `stack` contains it, and the place is its index there.
pub(super) struct Worklist<H: Ir> {
    stack: Vec<Option<H::Op>>,
    /// The place of each operation, by [`Ir::op_slot`], if the host has slots.
    dense: Vec<Option<Place>>,
    sparse: HashMap<H::Op, usize, FxBuildHasher>,
    is_sparse: bool,
}

/// An index in the stack. Stores the index plus one, so that `Option<Place>` takes no more room than `Place`.
#[derive(Clone, Copy)]
struct Place(NonZeroUsize);

impl Place {
    fn new(index: usize) -> Option<Self> {
        NonZeroUsize::new(index + 1).map(Self)
    }

    fn index(self) -> usize {
        self.0.get() - 1
    }
}

impl<H: Ir> Default for Worklist<H> {
    fn default() -> Self {
        Self { stack: Vec::new(), dense: Vec::new(), sparse: HashMap::default(), is_sparse: false }
    }
}

impl<H: Ir> Worklist<H> {
    /// A list for few operations of a large IR. Its memory is proportional to the number of operations that it
    /// contains.
    pub(super) fn sparse() -> Self {
        Self { is_sparse: true, ..Self::default() }
    }

    fn slot(&self, host: &H, op: H::Op) -> Option<u32> {
        if self.is_sparse { None } else { host.op_slot(op) }
    }

    /// Puts an operation on top, unless the list already contains it.
    pub(super) fn push(&mut self, host: &H, op: H::Op) {
        let place = self.stack.len();
        if self.place(host, op, place) {
            self.stack.push(Some(op));
        }
    }

    /// Gives an operation a place. If it already has a place, returns false and changes nothing.
    fn place(&mut self, host: &H, op: H::Op, place: usize) -> bool {
        let Some(slot) = self.slot(host, op) else {
            return self.sparse.try_insert(op, place).is_ok();
        };
        let slot = slot as usize;
        if slot >= self.dense.len() {
            self.dense.resize((slot + 1).max(self.dense.len() * 2), None);
        }
        let is_free = self.dense[slot].is_none();
        if is_free {
            self.dense[slot] = Place::new(place);
        }
        is_free
    }

    /// Removes the place of an operation, and returns it.
    fn displace(&mut self, host: &H, op: H::Op) -> Option<usize> {
        match self.slot(host, op) {
            None => self.sparse.remove(&op),
            Some(slot) => self.dense.get_mut(slot as usize)?.take().map(Place::index),
        }
    }

    /// Removes and returns the topmost operation.
    pub(super) fn pop(&mut self, host: &H) -> Option<H::Op> {
        loop {
            if let Some(op) = self.stack.pop()? {
                self.displace(host, op);
                return Some(op);
            }
        }
    }

    /// Removes an operation, if it is in the list.
    pub(super) fn remove(&mut self, host: &H, op: H::Op) {
        if let Some(place) = self.displace(host, op) {
            self.stack[place] = None;
        }
    }

    /// Removes all operations.
    pub(super) fn clear(&mut self) {
        self.stack.clear();
        self.dense.fill(None);
        self.sparse.clear();
    }

    /// Reverses the order of the operations.
    pub(super) fn reverse(&mut self, host: &H) {
        let mut stack = std::mem::take(&mut self.stack);
        self.clear();
        stack.drain(..).rev().flatten().for_each(|op| self.push(host, op));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::mock::Mock;

    #[test]
    fn entries_are_popped_once_and_last_first_unless_removed() {
        let mut ir = Mock::default();
        let ops: Vec<_> = (0..10).map(|_| ir.op("t.a", &[], &[], &[])).collect();
        for (bare, mut list) in
            [(false, Worklist::default()), (true, Worklist::default()), (false, Worklist::sparse())]
        {
            ir.bare = bare;
            for item in [1, 2, 3, 2, 4] {
                list.push(&ir, ops[item]);
            }
            list.remove(&ir, ops[3]);
            list.remove(&ir, ops[9]);
            list.reverse(&ir);
            list.push(&ir, ops[5]);
            list.push(&ir, ops[2]);
            let popped: Vec<_> = std::iter::from_fn(|| list.pop(&ir)).collect();
            assert_eq!(popped, [5, 1, 2, 4].map(|item| ops[item]));
            list.push(&ir, ops[3]);
            assert_eq!(list.pop(&ir), Some(ops[3]));
            assert_eq!(list.pop(&ir), None);
        }
    }
}

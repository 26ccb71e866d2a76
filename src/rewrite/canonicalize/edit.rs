//! Changes of the IR, each with its notification.
//!
//! Specification: a listener is notified of each change in the order of MLIR's rewriter. A rule tests everything before
//! its first change, because changes are not undone. If the host refuses a change, the operations that the rule has
//! already created have no uses, and the driver removes them.

use crate::host::{
    Blocks, Facets, InsertionPoint, Listener, NamedAttr, OpNameId, OpState, Refusal, notify_erased, users_of,
};

/// Changes the IR for a rule.
pub(super) struct Editor<'a, H: Blocks> {
    pub(super) host: &'a mut H,
    pub(super) listener: &'a mut dyn Listener<H>,
}

/// A new operation. It is inserted before another operation, and gets the location of that operation.
pub(super) struct New<'a, H: Blocks> {
    pub(super) name: OpNameId,
    pub(super) operands: &'a [H::Value],
    pub(super) types: &'a [H::Type],
    pub(super) attributes: &'a [NamedAttr<H::Attr>],
    pub(super) successors: &'a [H::Block],
}

impl<H: Facets + Blocks> Editor<'_, H> {
    /// Creates an operation before another operation.
    pub(super) fn create(&mut self, before: H::Op, new: &New<'_, H>) -> Result<H::Op, Refusal> {
        let location = self.host.location(before);
        let New { name, operands, types, attributes, successors } = *new;
        let state = OpState { name, operands, result_types: types, attributes, regions: 0, location };
        let op = self.host.create_at(InsertionPoint::Before(before), &state, successors)?;
        self.listener.created(self.host, op);
        Ok(op)
    }

    /// Replaces the results of an operation and erases it.
    pub(super) fn replace(&mut self, op: H::Op, with: &[H::Value]) {
        self.listener.replaced(self.host, op, with);
        for (index, &to) in (0u32..).zip(with) {
            let from = self.host.result(op, index);
            self.host.replace_all_uses(from, to);
        }
        self.erase(op);
    }

    /// Erases an operation, whose results have no uses.
    pub(super) fn erase(&mut self, op: H::Op) {
        notify_erased(self.host, op, self.listener);
        self.host.erase(op);
    }

    /// Replaces a value by another value in all its uses.
    pub(super) fn replace_value(&mut self, from: H::Value, to: H::Value) {
        let users: Vec<H::Op> = users_of(self.host, from).collect();
        self.host.replace_all_uses(from, to);
        for user in users {
            self.listener.modified(self.host, user);
        }
    }

    /// Replaces one operand.
    pub(super) fn set_operand(&mut self, op: H::Op, index: u32, value: H::Value) {
        self.host.set_operand(op, index, value);
        self.listener.modified(self.host, op);
    }

    /// Moves an operation to an insertion point.
    pub(super) fn move_op(&mut self, op: H::Op, place: InsertionPoint<H::Op, H::Block>) {
        self.host.detach(op);
        self.host.attach(op, place);
        self.listener.modified(self.host, op);
    }
}

//! Folding by hooks.
//!
//! Specification: operations fold as in MLIR's greedy driver. The hook for the operation gets the values of the
//! operands that are constants. The values that the hook returns replace the results; for attributes that it returns,
//! the materializer of the dialect creates constants. If a constant cannot be created, nothing changes.

use super::op_facts::OpFacts;
use crate::host::{AttrNameId, Folded, Hooks, Ir, IrMut, Journal, Listener, Refusal, Rewriter};

/// A function that creates a constant from its value, type and location.
pub(super) type Materialize<'a, H> = dyn Fn(
        &mut Rewriter<'_, H>,
        <H as Ir>::Attr,
        <H as Ir>::Type,
        <H as Ir>::Location,
    ) -> Result<<H as Ir>::Op, Refusal>
    + 'a;

/// The state of folding in one run.
pub(super) struct Folder<'a, H: IrMut> {
    hooks: &'a Hooks<H>,
    journal: Journal<H>,
    /// The attribute that holds the value of most constants.
    value: AttrNameId,
}

impl<'a, H: IrMut> Folder<'a, H> {
    pub(super) fn new(host: &mut H, hooks: &'a Hooks<H>, journal: Journal<H>) -> Self {
        Self { hooks, journal, value: host.bind_attr_name("value") }
    }

    /// Folds an operation. Returns true if the operation changed or was replaced.
    pub(super) fn fold(
        &mut self,
        host: &mut H,
        op: H::Op,
        facts: &OpFacts,
        listener: &mut dyn Listener<H>,
    ) -> bool {
        let name = host.op_name(op);
        let Some(fold) = self.hooks.folds.get(&name) else { return false };
        let operands = self.constants(host, op, facts);
        let Some(results) = fold(host, op, &operands) else { return false };
        let materialize =
            self.hooks.materializer(&host.op_name_text(name)).map(|make| &**make as &Materialize<'_, H>);
        self.replace(host, op, &results, materialize, listener)
    }

    /// The attribute of each operand that is a constant; `None` for the other operands.
    pub(super) fn constants(&self, host: &H, op: H::Op, facts: &OpFacts) -> Vec<Option<H::Attr>> {
        (0..host.operand_count(op)).map(|i| self.constant(host, host.operand(op, i), facts)).collect()
    }

    /// Replaces an operation by the results of its folding. Returns true if the operation changed or was replaced.
    pub(super) fn replace(
        &mut self,
        host: &mut H,
        op: H::Op,
        results: &[Folded<H>],
        materialize: Option<&Materialize<'_, H>>,
        listener: &mut dyn Listener<H>,
    ) -> bool {
        // An empty list means "changed in place", also for an operation without results.
        if results.is_empty() {
            listener.modified(host, op);
            return true;
        }
        if results.len() != host.result_count(op) as usize {
            return false;
        }
        let location = host.location(op);
        let mut rewriter = Rewriter::new(host, op, &mut self.journal);
        let mut values = Vec::with_capacity(results.len());
        for (index, result) in (0u32..).zip(results) {
            let ty = rewriter.host().value_type(rewriter.host().result(op, index));
            let value = match *result {
                Folded::Value(value) => Some(value),
                Folded::Attr(attr) => materialize
                    .and_then(|make| make(&mut rewriter, attr, ty, location).ok())
                    .filter(|&made| rewriter.host().result_count(made) == 1)
                    .map(|made| rewriter.host().result(made, 0)),
            };
            match value.filter(|&value| rewriter.host().value_type(value) == ty) {
                Some(value) => values.push(value),
                None => {
                    rewriter.roll_back();
                    return false;
                }
            }
        }
        if rewriter.replace(op, &values).is_err() {
            rewriter.roll_back();
            return false;
        }
        rewriter.commit(listener).is_ok()
    }

    /// The value of the constant that defines `value`; `None` if no constant defines it.
    fn constant(&self, host: &H, value: H::Value, facts: &OpFacts) -> Option<H::Attr> {
        let op = host.defining_op(value)?;
        facts.get(host, op).filter(|fact| fact.constant)?;
        facts.constant_value(host, op, self.value)
    }
}

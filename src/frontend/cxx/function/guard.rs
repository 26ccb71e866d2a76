//! Lowers insertion guards, which restore the insertion point at the end of their block and at each jump out of it.

use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind};
use crate::frontend::cxx::error::Fault;
use crate::frontend::cxx::lower::{Lower, Lowered};
use crate::snippet::{Builtin, LocalId, Ty, Typed};

/// True for the declaration of an `InsertionGuard`.
pub(super) fn is_guard(ast: &Ast, node: NodeId) -> bool {
    matches!(&ast[node].kind, NodeKind::Declare { ty, .. } if ty.path.ends_with("InsertionGuard"))
}

/// True if one of the statements is the declaration of an `InsertionGuard`.
pub(super) fn has_guard(ast: &Ast, statements: &[NodeId]) -> bool {
    statements.iter().any(|&statement| is_guard(ast, statement))
}

impl Lower<'_, '_> {
    /// True for the declaration of a guard that has an effect. While matching, guards have no effect, because there is
    /// no insertion point.
    pub(super) fn guards(&self, node: NodeId) -> bool {
        is_guard(self.ast, node) && !self.b.is_matching()
    }

    /// A new local, and the current insertion point as its value.
    pub(super) fn insertion_point(&mut self, node: NodeId) -> Result<(LocalId, Typed), Fault> {
        self.build(node, |b| {
            let with_block = b.bool(true)?;
            Ok((b.new_local(Ty::OP)?, b.algorithm(Builtin::InsertionPoint, &[with_block], Ty::OP)?))
        })
    }

    /// Restores the insertion point that a local holds.
    pub(super) fn restore(&mut self, node: NodeId, point: LocalId) -> Lowered {
        self.build(node, |b| {
            let point = b.local(point)?;
            b.algorithm(Builtin::SetInsertionPoint, &[point], Ty::NULL)
        })
    }

    /// Evaluates a value, and then restores the insertion point.
    pub(super) fn restored(&mut self, node: NodeId, value: Typed, point: LocalId) -> Lowered {
        let restore = self.restore(node, point)?;
        self.build(node, |b| {
            let result = b.new_local(value.ty)?;
            let read = b.local(result)?;
            let rest = b.then(restore, read)?;
            b.bind(result, value, rest)
        })
    }

    /// `return value`. The guards of the function restore the insertion point.
    pub(super) fn return_from(&mut self, node: NodeId, value: Option<NodeId>) -> Lowered {
        let value = self.returned(node, value)?;
        if let Some(result @ None) = self.results.last_mut() {
            *result = Some(value.ty);
        }
        let value = match self.guards.first() {
            Some(&point) => self.restored(node, value, point)?,
            None => value,
        };
        self.build(node, |b| b.return_value(value))
    }

    /// `break` or `continue`. The guards of the loop restore the insertion point.
    pub(super) fn jump(&mut self, node: NodeId) -> Lowered {
        let jump = match &self.ast[node].kind {
            NodeKind::Break => self.build(node, |b| b.break_loop())?,
            _ => self.build(node, |b| b.continue_loop())?,
        };
        match self.guards.get(self.loop_guards) {
            Some(&point) => {
                let restore = self.restore(node, point)?;
                self.build(node, |b| b.block(&[restore, jump]))
            }
            None => Ok(jump),
        }
    }
}

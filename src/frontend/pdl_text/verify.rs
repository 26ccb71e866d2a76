//! The checks of the `pdl` dialect's verifier.
//!
//! Specification: a pattern that `mlir-opt` rejects has an error at the same line. The checks that apply to all
//! rules, from any front end, run after lowering.

use super::ast::{Op, OpId, OpKind, Pattern, Use, ValueId};
use super::error;
use super::parse::range_of;
use crate::host::Kind;
use crate::id::{Id, IdVec};
use crate::source::{Diagnostic, Diagnostics};

/// The users of each value.
struct Uses {
    of_value: IdVec<ValueId, Vec<OpId>>,
}

/// Checks a pattern.
pub(super) fn verify(pattern: &Pattern<'_>) -> Diagnostics {
    let mut of_value: IdVec<ValueId, Vec<OpId>> = pattern.values.iter().map(|_| Vec::new()).collect();
    for (id, op) in pattern.ops.iter_enumerated() {
        op.kind.for_each_use(|used| of_value[used.value].push(id));
    }
    let mut v = Verifier { pattern, uses: Uses { of_value }, out: Diagnostics::default() };
    if v.rewrite_before_the_end() {
        return v.out;
    }
    for (id, op) in pattern.ops.iter_enumerated() {
        v.op(id, op);
    }
    v.pattern();
    v.out
}

struct Verifier<'p, 'a> {
    pattern: &'p Pattern<'a>,
    uses: Uses,
    out: Diagnostics,
}

impl<'a> Verifier<'_, 'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.out.push(diagnostic);
    }

    fn kind(&self, used: Use) -> Kind {
        self.pattern.values[used.value].kind
    }

    fn users(&self, op: &Op<'a>) -> impl Iterator<Item = OpId> {
        op.results.iter().flat_map(|&result| self.uses.of_value[result].iter().copied())
    }

    fn op(&mut self, id: OpId, op: &Op<'a>) {
        let at = op.span;
        let (name, rewriting) = (op.kind.name(), op.parent.is_some());
        let parent = match op.kind {
            OpKind::Constraint { .. } | OpKind::Operand { .. } | OpKind::Operands { .. } if rewriting => {
                Some("pdl.pattern")
            }
            OpKind::Rewrite { .. } if rewriting => Some("pdl.pattern"),
            OpKind::NativeRewrite { .. }
            | OpKind::Erase { .. }
            | OpKind::Replace { .. }
            | OpKind::Range { .. }
                if !rewriting =>
            {
                Some("pdl.rewrite")
            }
            _ => None,
        };
        if let Some(parent) = parent {
            self.report(error::wrong_parent(name, parent, at));
        }
        match &op.kind {
            OpKind::Constraint { args, .. } => {
                if args.is_empty() {
                    self.report(error::no_arguments(name, "argument", at));
                }
                if op.results.iter().any(|&result| self.pattern.values[result].kind == Kind::Op) {
                    self.report(error::constraint_gives_op(at));
                }
            }
            OpKind::NativeRewrite { args, .. } if args.is_empty() && op.results.is_empty() => {
                self.report(error::no_arguments(name, "argument or result", at));
            }
            OpKind::Attribute { ty, value } => match (ty, value) {
                (Some(_), Some(_)) => self.report(error::type_and_value(at)),
                (_, None) if rewriting => self.report(error::attribute_without_value(at)),
                (_, None) => self.check_is_used(id, op),
                (None, Some(_)) => {}
            },
            OpKind::Operand { .. }
            | OpKind::Operands { .. }
            | OpKind::Type { value: None }
            | OpKind::Types { values: None } => self.check_is_used(id, op),
            OpKind::Operation { name, names, attributes, .. } => {
                if rewriting && name.is_none() {
                    self.report(error::operation_without_name(at));
                }
                if names.len() != attributes.len() {
                    self.report(error::attribute_counts(names.len(), attributes.len(), at));
                }
                self.check_is_used(id, op);
            }
            OpKind::Range { parts } => {
                let Some(range) = op.results.first().map(|&result| self.pattern.values[result].kind) else {
                    return;
                };
                if !matches!(range, Kind::Types | Kind::Values) {
                    self.report(error::range_of_neither(range, at));
                    return;
                }
                for &part in parts {
                    let kind = self.kind(part);
                    if range_of(kind) != range {
                        self.report(error::mixed_range(range, kind, at));
                    }
                }
            }
            OpKind::Replace { by: Some(_), values, .. } if !values.is_empty() => {
                self.report(error::replaced_twice(at));
            }
            OpKind::Results { index: None, .. }
                if op.results.iter().any(|&result| self.pattern.values[result].kind == Kind::Value) =>
            {
                self.report(error::one_value_of_all_results(at));
            }
            OpKind::Rewrite { external, args, body, .. } => match (external, body) {
                (Some(_), Some(_)) => self.report(error::external_with_body(at)),
                (None, None) => self.report(error::rewrite_without_body(at)),
                (None, Some(_)) if !args.is_empty() => self.report(error::external_arguments(at)),
                _ => {}
            },
            _ => {}
        }
    }

    /// Checks that an operation in the match part is used by an operation other than `pdl.result` and `pdl.results`,
    /// directly or through a chain of these two.
    fn check_is_used(&mut self, id: OpId, op: &Op<'a>) {
        if op.parent.is_some() {
            return;
        }
        let mut todo = vec![id];
        let mut next = 0;
        while let Some(&op) = todo.get(next) {
            next += 1;
            for user in self.users(&self.pattern.ops[op]).collect::<Vec<_>>() {
                match self.pattern.ops[user].kind {
                    OpKind::Result { .. } | OpKind::Results { .. } => todo.push(user),
                    _ => return,
                }
            }
        }
        self.report(error::unused(op.kind.name(), op.span));
    }

    fn is_rewrite(&self, id: OpId) -> bool {
        matches!(self.pattern.ops[id].kind, OpKind::Rewrite { .. })
    }

    /// Reports each `pdl.rewrite` that is not the last operation of the pattern. Returns true if there are any.
    fn rewrite_before_the_end(&mut self) -> bool {
        let Some((_, before)) = self.pattern.body.split_last() else { return false };
        for &id in before {
            if self.is_rewrite(id) {
                self.report(error::rewrite_not_last(self.pattern.ops[id].span));
            }
        }
        self.out.has_errors()
    }

    fn pattern(&mut self) {
        let pattern = self.pattern;
        let at = pattern.span;
        match pattern.body.last() {
            Some(&last) if self.is_rewrite(last) => {}
            last => {
                let end = last.map_or(at, |&last| pattern.ops[last].span);
                self.report(error::no_rewrite(at, end));
                return;
            }
        }
        if let Some(other) = pattern.ops.iter().find(|op| matches!(op.kind, OpKind::Other)) {
            self.report(error::foreign_op(at, other.span));
            return;
        }
        let mut operations =
            pattern.body.iter().filter(|&&id| matches!(pattern.ops[id].kind, OpKind::Operation { .. }));
        if operations.next().is_none() {
            self.report(error::no_operation(at));
        }
        self.connected();
    }

    /// Checks that the operations, operands and results that the rewrite uses are connected.
    fn connected(&mut self) {
        let pattern = self.pattern;
        let rewrites = |op: &Op<'_>| op.parent.is_some() || matches!(op.kind, OpKind::Rewrite { .. });
        let mut visited = vec![false; pattern.ops.len()];
        let mut first = true;
        for &id in &pattern.body {
            let op = &pattern.ops[id];
            let part = matches!(
                op.kind,
                OpKind::Operand { .. }
                    | OpKind::Operands { .. }
                    | OpKind::Result { .. }
                    | OpKind::Results { .. }
                    | OpKind::Operation { .. }
            );
            if !part || !self.users(op).any(|user| rewrites(&pattern.ops[user])) {
                continue;
            }
            if !first {
                if !visited[id.index()] {
                    self.report(error::disconnected(pattern.span, op.span));
                    return;
                }
                continue;
            }
            first = false;
            let mut todo = vec![id];
            while let Some(id) = todo.pop() {
                let op = &pattern.ops[id];
                if rewrites(op) || std::mem::replace(&mut visited[id.index()], true) {
                    continue;
                }
                match &op.kind {
                    OpKind::Operation { operands, .. } => {
                        todo.extend(operands.iter().map(|operand| pattern.values[operand.value].def));
                    }
                    OpKind::Result { op, .. } | OpKind::Results { op, .. } => {
                        todo.push(pattern.values[op.value].def);
                    }
                    _ => {}
                }
                todo.extend(self.users(op));
            }
        }
    }
}

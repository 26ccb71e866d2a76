//! Lowers calls on blocks, and calls that move the blocks of a region.

use super::state::{Lower, Lowered, written};
use crate::frontend::cxx::ast::{NodeId, NodeKind};
use crate::frontend::cxx::error::{self, Fault};
use crate::snippet::{BinaryOp, Builtin, Form, IntTy, Item, Ty, Typed};

impl Lower<'_, '_> {
    /// `a.takeBody(b)` and `rewriter.inlineRegionBefore(b, a, a.end())`, where `a` and `b` are regions of operations;
    /// `None` for another method.
    pub(super) fn moved_region(
        &mut self,
        node: NodeId,
        object: NodeId,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let (to, from) = match (name, args) {
            ("takeBody", &[from]) => (object, from),
            ("inlineRegionBefore", &[from, to, before]) => {
                if !self.is_end_of(before, to) {
                    let (lo, hi) = (self.ast[before].lo, self.ast[before].hi);
                    return Err(error::args(name, "a region, an empty region, and its 'end()'", lo, hi));
                }
                (to, from)
            }
            _ => return Ok(None),
        };
        let mut passed = Vec::new();
        for region in [to, from] {
            passed.extend(self.region(region)?);
        }
        self.build(node, |b| b.algorithm(Builtin::TakeRegion, &passed, Ty::NULL)).map(Some)
    }

    /// `op->getBlock()`, `value.getParentBlock()`, `block->getParentOp()` and `op->isBeforeInBlock(other)`; `None` for
    /// another method.
    pub(super) fn block_method(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let block = self.block();
        let Item::Tuple(id) = block.item else { return Ok(None) };
        let e = match (name, args) {
            ("getParentOp", []) if on.ty == block => {
                let op = self.build(node, |b| b.field_at(on, 0))?;
                return self.library_method(node, op, "getParentOp", &[]).map(Some);
            }
            ("getBlock", []) if matches!(on.ty.item, Item::Op(_)) => {
                self.build(node, |b| b.tuple(id, &[on]))?
            }
            ("getParentBlock", []) if on.ty == Ty::VALUE => {
                let op = self.library_method(node, on, "getDefiningOp", &[])?;
                self.build(node, |b| b.tuple(id, &[op]))?
            }
            ("isBeforeInBlock", &[other]) if matches!(on.ty.item, Item::Op(_)) => {
                self.build(node, |b| b.algorithm(Builtin::IsBeforeInBlock, &[on, other], Ty::BOOL))?
            }
            _ => return Ok(None),
        };
        if self.b.is_matching() && name == "isBeforeInBlock" {
            return Err(self.order_while_matching(node));
        }
        Ok(Some(e))
    }

    /// `a == b` or `a != b` of blocks.
    pub(super) fn same_block(&mut self, node: NodeId, a: Typed, b: Typed, equal: bool) -> Lowered {
        let (a, b) = (self.first_in_block(node, a)?, self.first_in_block(node, b)?);
        let op = if equal { BinaryOp::Eq } else { BinaryOp::Ne };
        self.build(node, |builder| builder.binary(op, a, b))
    }

    /// The first operation of a block.
    pub(super) fn first_in_block(&mut self, node: NodeId, block: Typed) -> Lowered {
        if self.b.is_matching() {
            return Err(self.order_while_matching(node));
        }
        self.build(node, |b| {
            let op = b.field_at(block, 0)?;
            b.algorithm(Builtin::FirstInBlock, &[op], Ty::OP)
        })
    }

    /// The error for a constraint that needs the order of operations, which hosts state only while rewriting.
    fn order_while_matching(&self, node: NodeId) -> Fault {
        error::statement("the order of operations in a constraint", self.ast[node].lo, self.ast[node].hi)
    }

    /// True for `region.end()`.
    fn is_end_of(&self, node: NodeId, region: NodeId) -> bool {
        let text = |node: NodeId| &self.text[self.ast[node].lo..self.ast[node].hi];
        match &self.ast[node].kind {
            NodeKind::Call(callee, args) if args.is_empty() => match &self.ast[*callee].kind {
                NodeKind::Member { object, name, .. } => name == "end" && text(*object) == text(region),
                _ => false,
            },
            _ => false,
        }
    }

    /// The operation and the index of a region: `op.getRegion(0)`, `op.getRegion()` or a generated accessor.
    fn region(&mut self, node: NodeId) -> Result<[Typed; 2], Fault> {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let not_a_region = || error::args("a move of a region", "a region of an operation", lo, hi);
        let NodeKind::Call(callee, args) = &self.ast[node].kind else { return Err(not_a_region()) };
        let NodeKind::Member { object, name, template } = &self.ast[*callee].kind else {
            return Err(not_a_region());
        };
        let (object, name, args) = (*object, written(name, template), args.clone());
        let op = self.expression(object, None)?;
        let op = match op.ty {
            Ty { item: Item::Op(_), form: Form::One } => op,
            Ty { item: Item::Op(_), form: Form::Optional } => self.build(object, |b| b.deref(op))?,
            _ => return Err(not_a_region()),
        };
        let index = match (name.as_str(), &args[..]) {
            ("getRegion" | "getBodyRegion", []) => self.build(node, |b| b.int(0, IntTy::I64))?,
            ("getRegion", &[index]) => {
                let index = self.expression(index, None)?;
                self.build(node, |b| b.convert(index, Ty::I64))?
            }
            (name, []) => {
                let Item::Op(Some(class)) = op.ty.item else { return Err(not_a_region()) };
                let index = self.request.resolver.region(self.b.snippets(), class, name);
                let index = index.ok_or_else(not_a_region)?;
                self.build(node, |b| b.int(index.into(), IntTy::I64))?
            }
            _ => return Err(not_a_region()),
        };
        Ok([op, index])
    }
}

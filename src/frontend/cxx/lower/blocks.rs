//! Lowers calls on blocks and regions, and calls that change them.
//!
//! An iterator over a block is represented by the operation at its position, and an iterator over a region by the block
//! at its position. Null represents the end.

use super::state::{Lower, Lowered};
use crate::frontend::cxx::ast::{NodeId, NodeKind};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::function::Held;
use crate::snippet::{BinaryOp, Builtin, Form, IntTy, Item, Ty, TypeClass, Typed};

const BLOCK: Ty = Ty::one(Item::Block);
const REGION: Ty = Ty::one(Item::Region);
const BLOCKS: Ty = Ty::range(Item::Block);
const VALUES: Ty = Ty::range(Item::Value);

impl Lower<'_, '_> {
    /// Lowers `op->getBlock()->getParentOp()` like `op->getParentOp()`. The text of a rule can therefore contain this
    /// expression, although `getBlock` is lowered only in functions. Returns `None` for another call.
    pub(super) fn parent_through_block(
        &mut self,
        node: NodeId,
        object: NodeId,
        name: &str,
    ) -> Result<Option<Typed>, Fault> {
        let NodeKind::Call(callee, args) = &self.ast[object].kind else { return Ok(None) };
        let NodeKind::Member { object: inner, name: method, .. } = &self.ast[*callee].kind else {
            return Ok(None);
        };
        if name != "getParentOp" || *method != "getBlock" || !args.is_empty() {
            return Ok(None);
        }
        let op = self.expression(*inner, None)?;
        let op = if op.ty.form == Form::Optional { self.build(node, |b| b.deref(op))? } else { op };
        match op.ty.item {
            Item::Op(_) => self.library_method(node, op, "getParentOp", &[]).map(Some),
            // The object is a builder.
            _ => {
                let block = self.method_of(object, op, method, &[], &[])?;
                self.method_of(node, block, name, &[], &[]).map(Some)
            }
        }
    }

    /// Lowers `getOwner()` of a block argument: its block. Returns `None` for another call. The owner of an `OpResult` is
    /// an operation.
    pub(super) fn owner_of_argument(
        &mut self,
        node: NodeId,
        object: NodeId,
        on: Typed,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let is_argument = (name, args) == ("getOwner", &[])
            && on.ty == Ty::VALUE
            && self.class_in_cxx(object).is_some_and(|class| class == "BlockArgument");
        match is_argument {
            true => self.call_builtin(node, Builtin::ArgBlock, &[on], BLOCK).map(Some),
            false => Ok(None),
        }
    }

    /// Lowers a method of a block or region, or a method of an operation or value that returns or changes blocks or
    /// regions. Returns `None` for another method.
    pub(super) fn block_method(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        if on.ty.form != Form::One {
            return Ok(None);
        }
        let lowered = match on.ty.item {
            Item::Block => self.method_of_block(node, on, name, args)?,
            Item::Region => self.method_of_region(node, on, name, args)?,
            Item::Op(_) => self.structure_of_op(node, on, name, args)?,
            Item::Value if self.in_function => match (name, args) {
                ("getParentBlock", []) => Some(self.call_builtin(node, Builtin::ArgBlock, &[on], BLOCK)?),
                ("getParentRegion", []) => {
                    let block = self.call_builtin(node, Builtin::ArgBlock, &[on], BLOCK)?;
                    Some(self.call_builtin(node, Builtin::BlockParent, &[block], REGION)?)
                }
                ("getArgNumber", []) => Some(self.call_builtin(node, Builtin::ArgNumber, &[on], Ty::U32)?),
                _ => None,
            },
            _ => None,
        };
        if lowered.is_some() && self.b.is_matching() && !self.reads_blocks(on, name, args) {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            let what =
                format!("'{name}', which changes the IR or reads the order of operations, in a constraint");
            return Err(error::unsupported(&what, lo, hi));
        }
        Ok(lowered)
    }

    /// True if a method only reads blocks, regions and operations, and not the order of operations, which a host need not
    /// provide while matching.
    fn reads_blocks(&mut self, on: Typed, name: &str, args: &[Typed]) -> bool {
        let declared = match on.ty.item {
            Item::Op(Some(class)) => {
                self.request.resolver.region(self.b.snippets(), class, name).is_some()
                    || self.request.resolver.successor(self.b.snippets(), class, name).is_some()
            }
            _ => false,
        };
        let of_operation = matches!(on.ty.item, Item::Op(_));
        declared && args.is_empty()
            || matches!(
                name,
                "getParentBlock"
                    | "getParentRegion"
                    | "getArgNumber"
                    | "getBlock"
                    | "getParent"
                    | "getParentOp"
                    | "getRegion"
                    | "getRegions"
                    | "getNumRegions"
                    | "getBody"
                    | "getBodyRegion"
                    | "getBlocks"
                    | "getOperations"
                    | "getTerminator"
                    | "getArgument"
                    | "getArguments"
                    | "getNumArguments"
                    | "getArgumentTypes"
                    | "getSuccessor"
                    | "getSuccessors"
                    | "getNumSuccessors"
                    | "getPredecessors"
                    | "getSinglePredecessor"
                    | "getUniquePredecessor"
                    | "hasNoPredecessors"
                    | "hasOneBlock"
                    | "isEntryBlock"
                    | "without_terminator"
            )
            || !of_operation && matches!(name, "front" | "back" | "empty")
    }

    /// The iterator after or before an iterator over a block, or after an iterator over a region; `None` for other
    /// arguments.
    pub(super) fn beside(&mut self, node: NodeId, at: Typed, is_next: bool) -> Result<Option<Typed>, Fault> {
        let op = match (at.ty.item, at.ty.form, is_next) {
            (Item::Op(_), Form::One, true) => Builtin::NextOp,
            (Item::Op(_), Form::One, false) => Builtin::PreviousOp,
            (Item::Block, Form::One, true) => Builtin::NextBlock,
            _ => return Ok(None),
        };
        let ty = if at.ty == BLOCK { BLOCK } else { Ty::OP };
        self.call_builtin(node, op, &[at], ty).map(Some)
    }

    /// Builds a test that is true if an operation or block is null.
    fn is_null(&mut self, node: NodeId, on: Typed) -> Result<Typed, Fault> {
        self.build(node, |b| {
            let is_present = b.truth(on)?;
            b.not(is_present)
        })
    }

    fn method_of_block(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        Ok(Some(match (name, args) {
            ("getParent", []) => self.call_builtin(node, Builtin::BlockParent, &[on], REGION)?,
            ("getParentOp", []) => {
                let region = self.call_builtin(node, Builtin::BlockParent, &[on], REGION)?;
                self.call_builtin(node, Builtin::RegionParent, &[region], Ty::OP)?
            }
            ("getOperations", []) => self.build(node, |b| b.as_range(on))?,
            ("front", []) => {
                let first = self.call_builtin(node, Builtin::FirstOp, &[on], Ty::OP)?;
                self.build(node, |b| b.deref(first))?
            }
            ("back" | "getTerminator", []) => {
                let last = self.call_builtin(node, Builtin::LastOp, &[on], Ty::OP)?;
                self.build(node, |b| b.deref(last))?
            }
            ("empty", []) => {
                let first = self.call_builtin(node, Builtin::FirstOp, &[on], Ty::OP)?;
                self.is_null(node, first)?
            }
            ("without_terminator", []) => {
                self.call_builtin(node, Builtin::BodyOps, &[on], Ty::range(Item::Op(None)))?
            }
            ("begin", []) => self.call_builtin(node, Builtin::FirstOp, &[on], Ty::OP)?,
            ("end", []) => self.build(node, |b| b.null(Ty::NULL))?,
            ("getIterator", []) => on,
            ("getNextNode", []) => self.call_builtin(node, Builtin::NextBlock, &[on], BLOCK)?,
            ("isEntryBlock", []) => self.call_builtin(node, Builtin::IsEntryBlock, &[on], Ty::BOOL)?,
            ("getArguments" | "getArgument" | "getNumArguments" | "getArgumentTypes", _) => {
                let values = self.call_builtin(node, Builtin::BlockArgs, &[on], VALUES)?;
                self.part_of(node, values, name, args)?
            }
            ("addArgument", &[ty, loc]) => {
                let end = self.build(node, |b| b.null(Ty::NULL))?;
                self.call_builtin(node, Builtin::AddArg, &[on, end, ty, loc], Ty::VALUE)?
            }
            ("insertArgument", &[index, ty, loc]) => {
                let index = self.build(node, |b| b.convert(index, Ty::I64))?;
                self.call_builtin(node, Builtin::AddArg, &[on, index, ty, loc], Ty::VALUE)?
            }
            ("eraseArgument", &[index]) => {
                let index = self.build(node, |b| b.convert(index, Ty::I64))?;
                self.call_builtin(node, Builtin::EraseArg, &[on, index], Ty::NULL)?
            }
            ("splitBlock", &[at]) => self.call_builtin(node, Builtin::SplitBlock, &[on, at], BLOCK)?,
            ("erase", []) => self.call_builtin(node, Builtin::EraseBlock, &[on], Ty::NULL)?,
            ("moveBefore", &[before]) => {
                let region = self.build(node, |b| b.null(Ty::NULL))?;
                self.call_builtin(node, Builtin::MoveBlock, &[on, region, before], Ty::NULL)?
            }
            ("getSuccessors" | "getSuccessor" | "getNumSuccessors", _) => {
                let blocks = self.call_builtin(node, Builtin::Successors, &[on], BLOCKS)?;
                self.part_of(node, blocks, name, args)?
            }
            ("getPredecessors", []) => self.call_builtin(node, Builtin::Predecessors, &[on], BLOCKS)?,
            ("hasNoPredecessors", []) => {
                let blocks = self.call_builtin(node, Builtin::Predecessors, &[on], BLOCKS)?;
                self.library_method(node, blocks, "empty", &[])?
            }
            ("getSinglePredecessor" | "getUniquePredecessor", []) => {
                let unique = self.build(node, |b| b.bool(name == "getUniquePredecessor"))?;
                self.call_builtin(node, Builtin::OnlyPredecessor, &[on, unique], BLOCK)?
            }
            _ => return Ok(None),
        }))
    }

    fn method_of_region(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        Ok(Some(match (name, args) {
            ("getParentOp", []) => self.call_builtin(node, Builtin::RegionParent, &[on], Ty::OP)?,
            ("getParentRegion", []) => {
                let op = self.call_builtin(node, Builtin::RegionParent, &[on], Ty::OP)?;
                let block = self.call_builtin(node, Builtin::BlockOf, &[op], BLOCK)?;
                self.call_builtin(node, Builtin::BlockParent, &[block], REGION)?
            }
            ("getBlocks", []) => self.build(node, |b| b.as_range(on))?,
            ("front", []) => {
                let first = self.call_builtin(node, Builtin::FirstBlock, &[on], BLOCK)?;
                self.build(node, |b| b.deref(first))?
            }
            ("empty", []) => {
                let first = self.call_builtin(node, Builtin::FirstBlock, &[on], BLOCK)?;
                self.is_null(node, first)?
            }
            ("back", []) => {
                let blocks = self.build(node, |b| b.as_range(on))?;
                self.library_method(node, blocks, name, &[])?
            }
            ("hasOneBlock", []) => {
                let blocks = self.build(node, |b| b.as_range(on))?;
                let count = self.library_method(node, blocks, "size", &[])?;
                self.build(node, |b| {
                    let one = b.int(1, IntTy::I64)?;
                    b.binary(BinaryOp::Eq, count, one)
                })?
            }
            ("begin", []) => self.call_builtin(node, Builtin::FirstBlock, &[on], BLOCK)?,
            ("end", []) => self.build(node, |b| b.null(Ty::NULL))?,
            ("getArguments" | "getArgument" | "getNumArguments" | "getArgumentTypes", _) => {
                let blocks = self.build(node, |b| b.as_range(on))?;
                let front = self.library_method(node, blocks, "front", &[])?;
                let values = self.call_builtin(node, Builtin::BlockArgs, &[front], VALUES)?;
                self.part_of(node, values, name, args)?
            }
            ("takeBody", &[from]) => self.call_builtin(node, Builtin::TakeRegion, &[on, from], Ty::NULL)?,
            _ => return Ok(None),
        }))
    }

    /// Lowers a method of an operation that reads or changes its block, its regions or its successors. Returns `None`
    /// for another method.
    fn structure_of_op(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        if let Some(region) = self.region_of_op(node, on, name, args)? {
            return Ok(Some(region));
        }
        if !self.in_function {
            return Ok(None);
        }
        if let Some(successor) = self.successor_of_op(node, on, name, args)? {
            return Ok(Some(successor));
        }
        Ok(Some(match (name, args) {
            ("getBlock", []) => self.call_builtin(node, Builtin::BlockOf, &[on], BLOCK)?,
            ("getParentRegion", []) => {
                let block = self.call_builtin(node, Builtin::BlockOf, &[on], BLOCK)?;
                self.call_builtin(node, Builtin::BlockParent, &[block], REGION)?
            }
            ("getRegions", []) => {
                self.call_builtin(node, Builtin::OpRegions, &[on], Ty::range(Item::Region))?
            }
            ("getNumRegions", []) => {
                let regions = self.call_builtin(node, Builtin::OpRegions, &[on], Ty::range(Item::Region))?;
                let count = self.library_method(node, regions, "size", &[])?;
                self.convert_number(node, count, Ty::U32)?
            }
            ("isBeforeInBlock", &[other]) => {
                self.call_builtin(node, Builtin::IsBeforeInBlock, &[on, other], Ty::BOOL)?
            }
            ("setOperand", &[index, value]) => {
                let index = self.build(node, |b| b.convert(index, Ty::I64))?;
                let value = self.build(node, |b| b.convert(value, Ty::VALUE))?;
                self.call_builtin(node, Builtin::SetOperand, &[on, index, value], Ty::NULL)?
            }
            ("getIterator", []) => on,
            ("getNextNode", []) => self.call_builtin(node, Builtin::NextOp, &[on], Ty::OP)?,
            ("getPrevNode", []) => self.call_builtin(node, Builtin::PreviousOp, &[on], Ty::OP)?,
            ("moveBefore" | "moveAfter", _) => return self.moved_op(node, on, name == "moveAfter", args),
            _ => return Ok(None),
        }))
    }

    /// Lowers `op.getRegion(0)`, a generated accessor of a region, or `getBody()` of an operation with the trait
    /// `SingleBlock`. Returns `None` for another method.
    fn region_of_op(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let declared = match (on.ty.item, args) {
            (Item::Op(Some(class)), []) => self.request.resolver.region(self.b.snippets(), class, name),
            _ => None,
        };
        let has_one_block = matches!(on.ty.item, Item::Op(Some(class))
            if self.request.resolver.has_trait(self.b.snippets(), class, "OpTrait::SingleBlock"));
        let index = match (name, args) {
            _ if let Some(index) = declared => self.build(node, |b| b.int(index.into(), IntTy::I64))?,
            ("getRegion" | "getBodyRegion", []) => self.build(node, |b| b.int(0, IntTy::I64))?,
            ("getRegion", &[index]) => self.build(node, |b| b.convert(index, Ty::I64))?,
            ("getBody", []) if has_one_block && self.in_function => {
                self.build(node, |b| b.int(0, IntTy::I64))?
            }
            _ => return Ok(None),
        };
        let region = self.call_builtin(node, Builtin::RegionOf, &[on, index], REGION)?;
        if declared.is_none() && name == "getBody" {
            return self.method_of_region(node, region, "front", &[]);
        }
        Ok(Some(region))
    }

    /// Lowers `getSuccessor(0)`, `setSuccessor(block, 0)`, or a generated accessor of a successor. Returns `None` for
    /// another method.
    fn successor_of_op(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let setter = name.strip_prefix("set").map(|rest| format!("get{rest}"));
        let declared = match on.ty.item {
            Item::Op(Some(class)) => {
                let getter = setter.as_deref().unwrap_or(name);
                self.request.resolver.successor(self.b.snippets(), class, getter)
            }
            _ => None,
        };
        let at = |this: &mut Self, index: u32| this.build(node, |b| b.int(index.into(), IntTy::I64));
        Ok(Some(match (name, declared, args) {
            ("setSuccessor", _, &[block, index]) => {
                let index = self.build(node, |b| b.convert(index, Ty::I64))?;
                self.call_builtin(node, Builtin::SetSuccessor, &[on, block, index], Ty::NULL)?
            }
            ("getSuccessors" | "getSuccessor" | "getNumSuccessors", ..) => {
                let blocks = self.call_builtin(node, Builtin::Successors, &[on], BLOCKS)?;
                self.part_of(node, blocks, name, args)?
            }
            (_, Some((index, false)), &[block]) if setter.is_some() => {
                let index = at(self, index)?;
                self.call_builtin(node, Builtin::SetSuccessor, &[on, block, index], Ty::NULL)?
            }
            (_, Some((first, is_variadic)), []) if setter.is_none() => {
                let blocks = self.call_builtin(node, Builtin::Successors, &[on], BLOCKS)?;
                let first = at(self, first)?;
                if is_variadic {
                    self.library_method(node, blocks, "drop_front", &[first])?
                } else {
                    self.build(node, |b| b.index(blocks, first))?
                }
            }
            _ => return Ok(None),
        }))
    }

    /// A list of arguments or successors (`getArguments`), its length (`getNumArguments`), its types
    /// (`getArgumentTypes`), or one of its elements.
    fn part_of(&mut self, node: NodeId, list: Typed, name: &str, args: &[Typed]) -> Lowered {
        match args {
            [] if name.starts_with("getNum") => {
                let count = self.library_method(node, list, "size", &[])?;
                self.convert_number(node, count, Ty::U32)
            }
            [] if name.ends_with("Types") => self.library_method(node, list, "getTypes", &[]),
            [] if name.ends_with('s') => Ok(list),
            &[index] if !name.ends_with('s') => self.build(node, |b| b.index(list, index)),
            _ => {
                let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
                Err(error::args(name, "an index", lo, hi))
            }
        }
    }

    /// Moves an operation before or after another operation (`moveBefore(op)`, `moveAfter(op)`), or to an insertion
    /// point (`moveBefore(block, iterator)`); `None` for other arguments.
    fn moved_op(
        &mut self,
        node: NodeId,
        op: Typed,
        after: bool,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        Ok(Some(match *args {
            [block, at] if block.ty == BLOCK && !after => {
                self.call_builtin(node, Builtin::MoveOp, &[op, at, block], Ty::NULL)?
            }
            [other] if matches!(other.ty.item, Item::Op(_)) => {
                let mut held = Held::new();
                let op = self.hold(node, op, &mut held)?;
                let other = self.hold(node, other, &mut held)?;
                let before =
                    if after { self.call_builtin(node, Builtin::NextOp, &[other], Ty::OP)? } else { other };
                let block = self.call_builtin(node, Builtin::BlockOf, &[other], BLOCK)?;
                let moved = self.call_builtin(node, Builtin::MoveOp, &[op, before, block], Ty::NULL)?;
                self.bind_held(node, held, moved)?
            }
            _ => return Ok(None),
        }))
    }

    /// Lowers a method of a builder or rewriter on blocks and regions; `None` for another method.
    pub(super) fn block_change(
        &mut self,
        node: NodeId,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let wanted = match (name, args.len()) {
            ("inlineRegionBefore", _) => "a region, and a place in a region",
            _ if !self.in_function => return Ok(None),
            ("cloneRegionBefore", _) => "a region, and a place in a region",
            ("clone", _) => "an operation",
            ("createBlock", _) => "a region or block, types of arguments, and a location for each",
            ("eraseBlock" | "setInsertionPointToStart" | "setInsertionPointToEnd", _) => "a block",
            ("mergeBlocks", _) => "two blocks, and values",
            ("inlineBlockBefore", _) => "a block, a place in a block, and values",
            ("splitBlock", _) | ("setInsertionPoint", 2) => "a block, and a place in it",
            ("moveOpBefore" | "moveOpAfter", _) => "two operations",
            ("moveBlockBefore", _) => "a block, and a place in a region",
            ("getInsertionBlock" | "getBlock" | "getInsertionPoint" | "saveInsertionPoint", _) => {
                "no arguments"
            }
            ("replaceAllUsesWith", _) => "two values",
            _ => return Ok(None),
        };
        let values = self.items(args, None)?;
        let null = self.build(node, |b| b.null(Ty::NULL))?;
        let is_null = |e: &Typed| e.ty.item == Item::Null;
        let done = Ty::NULL;
        let wrong = |this: &Self| error::args(name, wanted, this.ast[node].lo, this.ast[node].hi);
        Ok(Some(match (name, &values[..]) {
            ("createBlock", &[to, ref rest @ ..]) => {
                let (region, before, rest) = match rest {
                    _ if to.ty == BLOCK => (null, to, rest),
                    [at, rest @ ..] if at.ty == BLOCK || is_null(at) => (to, *at, rest),
                    _ => (to, null, rest),
                };
                let (types, locations) = match rest {
                    [] => (null, null),
                    &[types, locations] => (types, locations),
                    _ => return Err(wrong(self)),
                };
                let types = self.list(node, types, Item::Type(TypeClass::Any))?;
                let locations = self.list(node, locations, Item::Location)?;
                self.call_builtin(node, Builtin::CreateBlock, &[region, before, types, locations], BLOCK)?
            }
            ("clone", &[op]) if matches!(op.ty.item, Item::Op(_)) => {
                self.call_builtin(node, Builtin::CopyOp, &[op], Ty::OP)?
            }
            ("eraseBlock", &[block]) => self.call_builtin(node, Builtin::EraseBlock, &[block], done)?,
            ("mergeBlocks", &[source, to, ref with @ ..]) if with.len() < 2 => {
                self.merge(node, source, [null, to], with)?
            }
            ("inlineBlockBefore", &[source, to, at, ref with @ ..]) if to.ty == BLOCK && with.len() < 2 => {
                self.merge(node, source, [at, to], with)?
            }
            ("inlineBlockBefore", &[source, before, ref with @ ..]) if with.len() < 2 => {
                self.merge(node, source, [before, null], with)?
            }
            ("splitBlock", &[block, at]) => {
                self.call_builtin(node, Builtin::SplitBlock, &[block, at], BLOCK)?
            }
            ("moveOpBefore" | "moveOpAfter", &[op, ref place @ ..]) => {
                match self.moved_op(node, op, name == "moveOpAfter", place)? {
                    Some(moved) => moved,
                    None => return Err(wrong(self)),
                }
            }
            ("moveBlockBefore", &[block, before]) => {
                self.call_builtin(node, Builtin::MoveBlock, &[block, null, before], done)?
            }
            ("moveBlockBefore", &[block, region, before]) => {
                self.call_builtin(node, Builtin::MoveBlock, &[block, region, before], done)?
            }
            ("inlineRegionBefore" | "cloneRegionBefore", &[from, ref place @ ..]) => {
                let (to, before) = match *place {
                    [before] if before.ty == BLOCK => (null, before),
                    [to, before] if to.ty == REGION => (to, before),
                    _ => return Err(wrong(self)),
                };
                let moves = name == "inlineRegionBefore";
                let op = if moves { Builtin::MoveRegion } else { Builtin::CopyRegion };
                self.call_builtin(node, op, &[from, to, before], done)?
            }
            ("setInsertionPointToStart", &[block]) => {
                let mut held = Held::new();
                let block = self.hold(node, block, &mut held)?;
                let first = self.call_builtin(node, Builtin::FirstOp, &[block], Ty::OP)?;
                let set = self.call_builtin(node, Builtin::SetInsertionPoint, &[first, block], done)?;
                self.bind_held(node, held, set)?
            }
            ("setInsertionPointToEnd", &[block]) => {
                self.call_builtin(node, Builtin::SetInsertionPoint, &[null, block], done)?
            }
            ("setInsertionPoint", &[block, at]) => {
                self.call_builtin(node, Builtin::SetInsertionPoint, &[at, block], done)?
            }
            ("getInsertionBlock" | "getBlock", []) => {
                self.call_builtin(node, Builtin::InsertionBlock, &[], BLOCK)?
            }
            ("getInsertionPoint" | "saveInsertionPoint", []) => {
                let with_block = self.build(node, |b| b.bool(name == "saveInsertionPoint"))?;
                self.call_builtin(node, Builtin::InsertionPoint, &[with_block], Ty::OP)?
            }
            ("replaceAllUsesWith", &[from, to]) if [from, to].iter().all(|e| e.ty == Ty::VALUE) => {
                self.call_builtin(node, Builtin::ReplaceUses, &[from, to], done)?
            }
            _ => return Err(wrong(self)),
        }))
    }

    /// Moves the operations of `source` to the insertion point before the operation `at` in the block `to`. If `at` is
    /// null, they are moved to the end of `to`. If `to` is null, they are moved to the block of `at`. Replaces the
    /// arguments of `source` by `with`.
    fn merge(&mut self, node: NodeId, source: Typed, [at, to]: [Typed; 2], with: &[Typed]) -> Lowered {
        let none = self.build(node, |b| b.null(Ty::NULL))?;
        let with = self.list(node, with.first().copied().unwrap_or(none), Item::Value)?;
        self.call_builtin(node, Builtin::MergeBlock, &[source, at, to, with], Ty::NULL)
    }

    /// Converts a value to a range: null to the empty range, and a single item to a range of one element.
    fn list(&mut self, node: NodeId, list: Typed, item: Item) -> Lowered {
        self.build(node, |b| match (list.ty.item, list.ty.form) {
            (Item::Null, _) => {
                let none = b.list(&[])?;
                Ok(Typed { ty: Ty::range(item), ..none })
            }
            (of, Form::One) if of == item => b.list(&[list]),
            _ => b.convert(list, Ty::range(item)),
        })
    }

    fn call_builtin(&mut self, node: NodeId, op: Builtin, args: &[Typed], ty: Ty) -> Lowered {
        self.build(node, |b| b.algorithm(op, args, ty))
    }
}

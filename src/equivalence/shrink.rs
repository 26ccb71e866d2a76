//! Shrinks a module that shows a difference.
//!
//! Specification: the result is well formed and still shows the difference. Either no step below gives a smaller module
//! that shows the difference, or the budget of tries is used up. If the difference disappears when the module is
//! rebuilt, the module is not shrunk.
//!
//! Method: delta debugging (Zeller and Hildebrandt). The steps remove functions and operations (a new argument of the
//! function replaces each result that is used), inline regions, make branches unconditional, join blocks, drop returned
//! values and arguments, and simplify attributes and types. A step that gives an ill-formed module is not taken.

use hashbrown::HashMap;

use super::frame::YIELD;
use crate::host::{AttrSpec, Facets, OpNameId};
use crate::id::{IdVec, define_ids};
use crate::ir::{self, AttrId, AttrKind, Context, IrHost, Module, OpId, OpSpec, TypeId, TypeKind, ValueId};
use crate::number::ApInt;

/// Replaces the host's module by the smallest module found that shows the difference. `shows` returns true if the
/// host's module is well formed and shows the difference; it may change the module. The initial module must show the
/// difference.
pub(super) fn shrink(host: &mut IrHost, budget: usize, shows: &mut dyn FnMut(&mut IrHost) -> bool) {
    let first = host.module.clone();
    let best = Sketch::read(host);
    let mut shrinker = Shrinker { host, budget, shows, best };
    let again = shrinker.best.clone();
    // The difference can disappear when a module is rebuilt from its sketch.
    if shrinker.holds(&again) {
        shrinker.run();
        let best = shrinker.best.clone();
        host.module = best.build(host);
    } else {
        host.module = first;
    }
}

define_ids! {
    /// An operation of a sketch.
    struct SketchOpId;
    /// A block of a sketch.
    struct SketchBlockId;
    /// A result or block argument of a sketch.
    struct SketchValueId;
}

/// An editable copy of a module. Entries that are not reachable from the body are unused.
#[derive(Clone, Debug, PartialEq)]
struct Sketch {
    ops: IdVec<SketchOpId, SketchOp>,
    blocks: IdVec<SketchBlockId, SketchBlock>,
    /// The type of each value.
    values: IdVec<SketchValueId, TypeId>,
    body: SketchBlockId,
}

#[derive(Clone, Debug, PartialEq)]
struct SketchOp {
    name: OpNameId,
    attrs: AttrId,
    properties: AttrId,
    operands: Vec<SketchValueId>,
    results: Vec<SketchValueId>,
    regions: Vec<Vec<SketchBlockId>>,
    successors: Vec<SketchBlockId>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct SketchBlock {
    args: Vec<SketchValueId>,
    ops: Vec<SketchOpId>,
}

struct Shrinker<'a> {
    host: &'a mut IrHost,
    budget: usize,
    shows: &'a mut dyn FnMut(&mut IrHost) -> bool,
    best: Sketch,
}

impl Shrinker<'_> {
    fn holds(&mut self, sketch: &Sketch) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        self.host.module = sketch.build(self.host);
        (self.shows)(self.host)
    }

    /// Tries a smaller sketch. If it still shows the difference, it becomes the best sketch, and the result is true.
    fn try_take(&mut self, sketch: Sketch) -> bool {
        let taken = sketch != self.best && self.holds(&sketch);
        if taken {
            self.best = sketch;
        }
        taken
    }

    fn run(&mut self) {
        loop {
            let before = self.best.clone();
            self.remove_ops();
            self.inline_regions();
            self.decide_branches();
            self.drop_operands();
            self.drop_args();
            self.simplify_attributes();
            self.simplify_types();
            if self.best == before || self.budget == 0 {
                return;
            }
        }
    }

    /// Removes operations, first in large chunks and then in smaller chunks.
    fn remove_ops(&mut self) {
        let mut size = self.best.removable(self.host).len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            loop {
                let ops = self.best.removable(self.host);
                let Some(chunk) = ops.get(at..(at + size).min(ops.len())).filter(|chunk| !chunk.is_empty())
                else {
                    break;
                };
                let mut smaller = self.best.clone();
                smaller.remove(chunk, self.host);
                if !self.try_take(smaller) {
                    at += size;
                }
            }
            size /= 2;
        }
    }

    /// Replaces operations by the contents of their regions.
    fn inline_regions(&mut self) {
        for op in self.best.removable(self.host) {
            let regions = self.best.ops[op].regions.clone();
            for region in regions {
                if let [block] = region[..]
                    && self.best.blocks[block].args.is_empty()
                    && let Some(smaller) = self.with_inlined_region(op, block)
                {
                    self.try_take(smaller);
                }
            }
        }
    }

    /// The sketch in which the operations of a block replace the operation that contains the block.
    fn with_inlined_region(&self, op: SketchOpId, block: SketchBlockId) -> Option<Sketch> {
        let has_name =
            |op: SketchOpId, name: &str| self.host.context.op_name_text(self.best.ops[op].name) == name;
        let mut smaller = self.best.clone();
        let mut inner = smaller.blocks[block].ops.clone();
        let &end = inner.last()?;
        let around = smaller.blocks.iter().find(|block| block.ops.contains(&op))?;
        let mut removed = vec![op];
        if has_name(end, YIELD) {
            inner.pop();
            // The yielded values stay in use, as operands of the outer terminator.
            let &last = around.ops.last()?;
            if has_name(last, YIELD) || has_name(last, "func.return") {
                let yielded = smaller.ops[end].operands.clone();
                smaller.ops[last].operands.extend(yielded);
            }
        } else {
            // The terminator of the region becomes the terminator of the outer block.
            removed = around.ops.iter().copied().skip_while(|&other| other != op).collect();
        }
        smaller.put_before(op, inner).then_some(())?;
        smaller.remove(&removed, self.host);
        smaller.drop_unreachable();
        Some(smaller)
    }

    /// Makes conditional branches unconditional, and joins blocks.
    fn decide_branches(&mut self) {
        let name = self.host.context.op_name("cf.br");
        for op in self.best.reached() {
            for choice in 0..self.best.ops[op].successors.len() {
                if self.best.ops[op].successors.len() < 2 {
                    break;
                }
                let mut smaller = self.best.clone();
                let target = smaller.ops[op].successors[choice];
                if !smaller.blocks[target].args.is_empty() {
                    continue;
                }
                let branch = &mut smaller.ops[op];
                (branch.name, branch.successors) = (name, vec![target]);
                branch.operands.clear();
                (branch.attrs, branch.properties) = (Context::EMPTY_DICTIONARY, Context::EMPTY_DICTIONARY);
                smaller.drop_unreachable();
                self.try_take(smaller);
            }
        }
        for op in self.best.reached() {
            let mut smaller = self.best.clone();
            if smaller.ops[op].name == name && smaller.join(op) {
                self.try_take(smaller);
            }
        }
    }

    /// Drops operands of returns and yields.
    fn drop_operands(&mut self) {
        for op in self.best.reached() {
            let name = self.host.context.op_name_text(self.best.ops[op].name).to_owned();
            if name != "func.return" && name != YIELD {
                continue;
            }
            for at in (0..self.best.ops[op].operands.len()).rev() {
                let mut smaller = self.best.clone();
                smaller.ops[op].operands.remove(at);
                self.try_take(smaller);
            }
        }
    }

    /// Drops unused arguments of functions, and replaces used arguments by earlier arguments of the same type.
    fn drop_args(&mut self) {
        for op in self.best.blocks[self.best.body].ops.clone() {
            let Some(&entry) = self.best.ops[op].regions.first().and_then(|blocks| blocks.first()) else {
                continue;
            };
            for at in (0..self.best.blocks[entry].args.len()).rev() {
                let arg = self.best.blocks[entry].args[at];
                let used =
                    self.best.reached().into_iter().any(|op| self.best.ops[op].operands.contains(&arg));
                let mut smaller = self.best.clone();
                smaller.blocks[entry].args.remove(at);
                if used {
                    let same = |&&other: &&SketchValueId| self.best.values[other] == self.best.values[arg];
                    let Some(&other) = smaller.blocks[entry].args[..at].iter().find(same) else { continue };
                    smaller.replace(arg, other);
                }
                self.try_take(smaller);
            }
        }
    }

    fn simplify_attributes(&mut self) {
        for op in self.best.reached() {
            if self.host.context.op_name_text(self.best.ops[op].name) == "func.func" {
                continue;
            }
            for property in [true, false] {
                let of = |op: &SketchOp| if property { op.properties } else { op.attrs };
                let entries = self.host.context.entries(of(&self.best.ops[op])).to_vec();
                for (name, attr) in entries {
                    let mut values = vec![None];
                    values.extend(simpler(attr, self.host).into_iter().map(Some));
                    for value in values {
                        let mut smaller = self.best.clone();
                        let new = self.host.context.with_entry(of(&smaller.ops[op]), name, value);
                        let changed = &mut smaller.ops[op];
                        *(if property { &mut changed.properties } else { &mut changed.attrs }) = new;
                        if self.try_take(smaller) {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Tries to replace each type by `i32`, in all values and integer attributes at once.
    fn simplify_types(&mut self) {
        let mut types: Vec<TypeId> = self.best.values.iter().copied().collect();
        types.sort_unstable();
        types.dedup();
        for ty in types {
            if ty == Context::I32 {
                continue;
            }
            let mut smaller = self.best.clone();
            let retype = |&old: &TypeId| if old == ty { Context::I32 } else { old };
            smaller.values = smaller.values.iter().map(retype).collect();
            for op in smaller.ops.ids() {
                let op = &mut smaller.ops[op];
                for dictionary in [&mut op.properties, &mut op.attrs] {
                    for (name, attr) in self.host.context.entries(*dictionary).to_vec() {
                        if let Some(new) = retyped(attr, ty, self.host) {
                            *dictionary = self.host.context.with_entry(*dictionary, name, Some(new));
                        }
                    }
                }
            }
            self.try_take(smaller);
        }
    }
}

/// Simpler integer attributes of the same type; none for other attributes.
fn simpler(attr: AttrId, host: &mut IrHost) -> Vec<AttrId> {
    match host.context.attr_kind(attr) {
        AttrKind::Integer { value, ty } => {
            let (width, ty, value) = (value.width(), *ty, value.clone());
            let small = [0, 1, -1, 2].map(|small| ApInt::from_i64(width, small));
            let before = small.into_iter().take_while(|small| *small != value).collect::<Vec<_>>();
            before.into_iter().filter_map(|value| host.make_attr(&AttrSpec::Integer(value, ty))).collect()
        }
        _ => Vec::new(),
    }
}

/// An integer attribute of type `from`, converted to `i32`; `None` for other attributes.
fn retyped(attr: AttrId, from: TypeId, host: &mut IrHost) -> Option<AttrId> {
    let AttrKind::Integer { value, ty } = host.context.attr_kind(attr) else { return None };
    if *ty != from {
        return None;
    }
    let value = value.sext_or_trunc(32);
    host.make_attr(&AttrSpec::Integer(value, Context::I32))
}

impl Sketch {
    fn read(host: &IrHost) -> Self {
        let module = &host.module;
        let (mut ops, mut blocks, mut values) = (IdVec::default(), IdVec::default(), IdVec::default());
        let mut value_ids: HashMap<ValueId, SketchValueId> = HashMap::new();
        let mut block_ids: HashMap<ir::BlockId, SketchBlockId> = HashMap::new();
        let mut op_ids: HashMap<OpId, SketchOpId> = HashMap::new();
        let mut sketch_value = |value: ValueId| {
            let id = values.push(module.value_type(value));
            value_ids.insert(value, id);
            id
        };
        let all: Vec<OpId> = module.preorder(module.top()).collect();
        for &op in &all {
            let results = module.results(op).map(&mut sketch_value).collect();
            let mut regions = Vec::new();
            for &region in module.regions(op) {
                let mut list = Vec::new();
                for block in module.region_blocks(region) {
                    let args = module.args(block).iter().copied().map(&mut sketch_value).collect();
                    let id = blocks.push(SketchBlock { args, ops: Vec::new() });
                    block_ids.insert(block, id);
                    list.push(id);
                }
                regions.push(list);
            }
            let id = ops.push(SketchOp {
                name: module.name(op),
                attrs: module.attrs(op),
                properties: module.properties(op),
                operands: Vec::new(),
                results,
                regions,
                successors: Vec::new(),
            });
            op_ids.insert(op, id);
            if let Some(block) = module.block(op) {
                blocks[block_ids[&block]].ops.push(id);
            }
        }
        for op in all {
            let sketched = &mut ops[op_ids[&op]];
            sketched.operands = module.operands(op).iter().map(|value| value_ids[value]).collect();
            sketched.successors = module.successors(op).iter().map(|block| block_ids[block]).collect();
        }
        Self { ops, blocks, values, body: block_ids[&module.body()] }
    }

    /// Builds the module. Function types follow from the arguments and the returned values.
    fn build(&self, host: &mut IrHost) -> Module {
        let IrHost { context, .. } = host;
        let mut module = Module::new(context);
        let mut values: HashMap<SketchValueId, ValueId> = HashMap::new();
        let mut created: Vec<(SketchOpId, OpId)> = Vec::new();
        let mut blocks: HashMap<SketchBlockId, ir::BlockId> = HashMap::new();
        blocks.insert(self.body, module.body());
        // The blocks whose operations are not created yet.
        let mut open = vec![self.body];
        while let Some(block) = open.pop() {
            for &op in &self.blocks[block].ops {
                let sketched = &self.ops[op];
                let types: Vec<TypeId> = sketched.results.iter().map(|&value| self.values[value]).collect();
                // Successors are set when all blocks exist. Until then, the body of the module stands in for them.
                let successors = vec![module.body(); sketched.successors.len()];
                let new = module.create(&OpSpec {
                    attrs: sketched.attrs,
                    properties: sketched.properties,
                    successors: &successors,
                    regions: sketched.regions.len(),
                    ..OpSpec::new(sketched.name).results(&types)
                });
                module.append(blocks[&block], new);
                values.extend(sketched.results.iter().copied().zip(module.results(new)));
                for (i, list) in sketched.regions.iter().enumerate() {
                    for &inner in list {
                        let region = module.region(new, i);
                        let id = module.append_block(region);
                        blocks.insert(inner, id);
                        for &arg in &self.blocks[inner].args {
                            values.insert(arg, module.add_arg(id, self.values[arg], Context::UNKNOWN));
                        }
                        open.push(inner);
                    }
                }
                created.push((op, new));
            }
        }
        // Operands are set after all operations exist.
        for &(op, new) in &created {
            let operands: Vec<ValueId> =
                self.ops[op].operands.iter().filter_map(|value| values.get(value).copied()).collect();
            module.set_operands(new, &operands);
            for (i, block) in self.ops[op].successors.iter().enumerate() {
                if let Some(&block) = blocks.get(block) {
                    module.set_successor(new, i, block);
                }
            }
        }
        self.type_functions(context, &mut module, &created);
        module
    }

    fn type_functions(&self, context: &mut Context, module: &mut Module, created: &[(SketchOpId, OpId)]) {
        let (function, end) = (context.op_name("func.func"), context.op_name("func.return"));
        for &(op, new) in created {
            if self.ops[op].name != function {
                continue;
            }
            let Some(entry) = module.first_block(module.region(new, 0)) else { continue };
            let inputs = module.args(entry).iter().map(|&arg| module.value_type(arg)).collect();
            let ends = module.region_blocks(module.region(new, 0)).filter_map(|block| module.last_op(block));
            let end = ends.filter(|&op| module.name(op) == end).last();
            let results = end.map_or(Box::default(), |op| {
                module.operands(op).iter().map(|&value| module.value_type(value)).collect()
            });
            let ty = context.intern_type(TypeKind::Function { inputs, results });
            let (name, ty) = (context.attr_name("function_type"), context.intern_attr(AttrKind::Type(ty)));
            let properties = context.with_entry(module.properties(new), name, Some(ty));
            module.set_properties(new, properties);
        }
    }

    /// The reachable operations. An operation comes before the operations in its regions.
    fn reached(&self) -> Vec<SketchOpId> {
        let mut found = Vec::new();
        let mut open = vec![self.body];
        while let Some(block) = open.pop() {
            for &op in &self.blocks[block].ops {
                found.push(op);
                open.extend(self.ops[op].regions.iter().flatten());
            }
        }
        found
    }

    /// The operations that can be removed: all reachable operations except terminators, in reverse order.
    fn removable(&self, host: &IrHost) -> Vec<SketchOpId> {
        let ends = |op: SketchOpId| {
            let name = host.context.op_name_text(self.ops[op].name);
            !self.ops[op].successors.is_empty() || name == "func.return" || name == YIELD
        };
        let mut ops: Vec<SketchOpId> = self.reached().into_iter().filter(|&op| !ends(op)).collect();
        ops.reverse();
        ops
    }

    /// Removes operations. The remaining users of their results use new arguments of the function instead.
    fn remove(&mut self, ops: &[SketchOpId], host: &IrHost) {
        for function in self.blocks[self.body].ops.clone() {
            if ops.contains(&function) {
                continue;
            }
            let Some(&entry) = self.ops[function].regions.first().and_then(|blocks| blocks.first()) else {
                continue;
            };
            let inside = self.inside(function);
            for &op in ops.iter().filter(|op| inside.contains(op)) {
                for value in self.ops[op].results.clone() {
                    let used = inside
                        .iter()
                        .any(|&user| !ops.contains(&user) && self.ops[user].operands.contains(&value));
                    if used && host.context.op_name_text(self.ops[function].name) == "func.func" {
                        let arg = self.values.push(self.values[value]);
                        self.blocks[entry].args.push(arg);
                        self.replace(value, arg);
                    }
                }
            }
        }
        for block in self.blocks.ids() {
            self.blocks[block].ops.retain(|op| !ops.contains(op));
        }
    }

    fn inside(&self, op: SketchOpId) -> Vec<SketchOpId> {
        let mut found = vec![op];
        let mut next = 0;
        while let Some(&op) = found.get(next) {
            next += 1;
            for &block in self.ops[op].regions.iter().flatten() {
                found.extend(&self.blocks[block].ops);
            }
        }
        found
    }

    fn replace(&mut self, from: SketchValueId, to: SketchValueId) {
        for op in self.ops.ids() {
            self.ops[op].operands.iter_mut().filter(|value| **value == from).for_each(|value| *value = to);
        }
    }

    /// Moves operations before the operation `op`. Returns false if no block contains `op`.
    fn put_before(&mut self, op: SketchOpId, inner: Vec<SketchOpId>) -> bool {
        for block in self.blocks.ids() {
            self.blocks[block].ops.retain(|op| !inner.contains(op));
        }
        for block in self.blocks.ids() {
            let block = &mut self.blocks[block];
            if let Some(at) = block.ops.iter().position(|&other| other == op) {
                block.ops.splice(at..at, inner);
                return true;
            }
        }
        false
    }

    /// Replaces a branch by the operations of its target. Returns false if another branch has the same target, or if
    /// the target is the block of the branch.
    fn join(&mut self, branch: SketchOpId) -> bool {
        let [target] = self.ops[branch].successors[..] else { return false };
        let others = self.reached().into_iter().filter(|&op| op != branch);
        let shared = others.into_iter().any(|op| self.ops[op].successors.contains(&target));
        let Some(from) = self.blocks.ids().find(|&block| self.blocks[block].ops.last() == Some(&branch))
        else {
            return false;
        };
        if shared || from == target {
            return false;
        }
        let SketchBlock { args, ops } = std::mem::take(&mut self.blocks[target]);
        for (arg, value) in args.into_iter().zip(self.ops[branch].operands.clone()) {
            self.replace(arg, value);
        }
        self.blocks[from].ops.pop();
        self.blocks[from].ops.extend(ops);
        for op in self.ops.ids() {
            self.ops[op].regions.iter_mut().for_each(|blocks| blocks.retain(|&block| block != target));
        }
        true
    }

    /// Drops the blocks that no branch targets, except entry blocks.
    fn drop_unreachable(&mut self) {
        loop {
            let targets: Vec<SketchBlockId> =
                self.reached().into_iter().flat_map(|op| self.ops[op].successors.clone()).collect();
            let mut changed = false;
            for op in self.ops.ids() {
                for blocks in &mut self.ops[op].regions {
                    let before = blocks.len();
                    let entry = blocks.first().copied();
                    blocks.retain(|block| Some(*block) == entry || targets.contains(block));
                    changed |= blocks.len() != before;
                }
            }
            if !changed {
                return;
            }
        }
    }
}

//! The canonical text of a module.
//!
//! Specification: two modules have the same canonical text if and only if they differ at most in the names of values
//! and blocks, dead code, the order of operations without effects, the number and positions of equal constants, the
//! storage of attributes (property or discardable), and locations.
//!
//! Programs and the built-in IR state which operations have no effects and which are constants. Operations with regions
//! or successors count as operations with effects. All operations with effects keep their order.
//!
//! Method: visit the operations with effects in their order; operations in regions come before the operation that holds
//! the regions. For each visited operation, first append the operations without effects that it uses, directly or
//! indirectly: each once, in operand order, to the list of its own block. Then append the visited operation to the list
//! of its block. Print the lists, and print constants at each use.

use hashbrown::{HashMap, HashSet};
use std::fmt::Write;

use crate::bytecode::Program;
use crate::host::OpNameId;
use crate::ir::{BlockId, Context, IrHost, Module, OpId, OpTraits, RegionId, ValueDef, ValueId};
use crate::pdl::Trait;
use crate::stack::with_room;

/// The traits of operations by name.
#[derive(Clone, Debug, Default)]
pub(super) struct OpTraitTable {
    pure: HashSet<OpNameId>,
    constant: HashSet<OpNameId>,
}

impl OpTraitTable {
    /// Collects the traits from the operation tables of programs.
    pub(super) fn new(programs: &[&Program], context: &mut Context) -> Self {
        let mut facts = Self::default();
        for program in programs {
            for op in program.ops().iter() {
                let name = context.op_name(&program.strings()[op.name]);
                let has = |wanted| op.traits.contains(&wanted);
                if has(Trait::Pure) && !has(Trait::Terminator) && !has(Trait::Symbol) {
                    facts.pure.insert(name);
                }
                if has(Trait::ConstantLike) {
                    facts.constant.insert(name);
                }
            }
        }
        facts
    }

    fn is_pure(&self, context: &Context, name: OpNameId) -> bool {
        self.pure.contains(&name) || context.traits(name).contains(OpTraits::PURE)
    }

    fn is_constant(&self, context: &Context, name: OpNameId) -> bool {
        self.constant.contains(&name) || context.traits(name).contains(OpTraits::CONSTANT_LIKE)
    }
}

/// Returns the canonical text of a host's module. The time is linear in the number of operations and operands and in
/// the length of the text.
pub(super) fn text(host: &IrHost, facts: &OpTraitTable) -> String {
    let IrHost { context, module } = host;
    let mut order = Order { context, module, facts, lists: HashMap::new(), placed: HashSet::new() };
    order.visit();
    let mut printer =
        CanonicalPrinter { order: &order, names: HashMap::new(), blocks: HashMap::new(), out: String::new() };
    printer.op(module.top(), 0);
    printer.out
}

/// The operations to print in each block.
struct Order<'a> {
    context: &'a Context,
    module: &'a Module,
    facts: &'a OpTraitTable,
    lists: HashMap<BlockId, Vec<OpId>>,
    /// The operations that are already in a list, or on the stack of [`Order::place`].
    placed: HashSet<OpId>,
}

impl Order<'_> {
    /// True if the operation can be moved or removed.
    fn is_movable(&self, op: OpId) -> bool {
        let name = self.module.name(op);
        self.facts.is_pure(self.context, name)
            && !self.context.traits(name).contains(OpTraits::TERMINATOR)
            && self.module.regions(op).is_empty()
            && self.module.successors(op).is_empty()
    }

    /// True if the operation is printed at each use.
    fn is_constant(&self, op: OpId) -> bool {
        self.facts.is_constant(self.context, self.module.name(op))
            && self.module.operand_count(op) == 0
            && self.module.result_count(op) == 1
            && self.module.regions(op).is_empty()
    }

    fn visit(&mut self) {
        let module = self.module;
        for op in module.postorder(module.top()) {
            if op != module.top() && !self.is_movable(op) && !self.is_constant(op) {
                self.place(op);
            }
        }
    }

    /// Appends an operation to the list of its block, after the operations that it uses.
    fn place(&mut self, op: OpId) {
        let mut stack = vec![(op, 0)];
        while let Some((op, next)) = stack.pop() {
            // Operations of a graph region can use each other; each is placed once.
            if next == 0 && !self.placed.insert(op) {
                continue;
            }
            let Some(&operand) = self.module.operands(op).get(next) else {
                if let Some(block) = self.module.block(op) {
                    self.lists.entry(block).or_default().push(op);
                }
                continue;
            };
            stack.push((op, next + 1));
            if let Some(needed) = self.module.defining_op(operand)
                && self.is_movable(needed)
                && !self.is_constant(needed)
                && !self.placed.contains(&needed)
            {
                stack.push((needed, 0));
            }
        }
    }
}

struct CanonicalPrinter<'a> {
    order: &'a Order<'a>,
    names: HashMap<ValueId, usize>,
    blocks: HashMap<BlockId, usize>,
    out: String,
}

impl CanonicalPrinter<'_> {
    fn name(&mut self, value: ValueId) -> usize {
        let next = self.names.len();
        *self.names.entry(value).or_insert(next)
    }

    fn block(&mut self, block: BlockId) -> usize {
        let next = self.blocks.len();
        *self.blocks.entry(block).or_insert(next)
    }

    fn value(&mut self, value: ValueId) {
        if let ValueDef::Result { op, .. } = self.order.module.value_def(value)
            && self.order.is_constant(op)
        {
            self.out.push('(');
            self.head(op);
            self.out.push(')');
            return;
        }
        let name = self.name(value);
        let _ = write!(self.out, "%{name}");
    }

    /// Prints the name, the attributes and the types.
    fn head(&mut self, op: OpId) {
        let Order { context, module, .. } = self.order;
        self.out.push_str(context.op_name_text(module.name(op)));
        let mut entries: Vec<(&str, String)> = [module.properties(op), module.attrs(op)]
            .into_iter()
            .flat_map(|dictionary| context.entries(dictionary))
            .map(|&(name, attr)| (context.attr_name_text(name), context.attr_text(attr)))
            .collect();
        entries.sort_unstable();
        for (name, attr) in entries {
            let _ = write!(self.out, " {name}={attr}");
        }
        self.out.push_str(" :");
        for value in module.results(op) {
            let _ = write!(self.out, " {}", context.type_text(module.value_type(value)));
        }
    }

    fn op(&mut self, op: OpId, depth: usize) {
        let module = self.order.module;
        for value in module.results(op) {
            self.value(value);
            self.out.push(' ');
        }
        self.out.push_str("= ");
        self.head(op);
        for &operand in module.operands(op) {
            self.out.push(' ');
            self.value(operand);
        }
        for &block in module.successors(op) {
            let block = self.block(block);
            let _ = write!(self.out, " ^{block}");
        }
        self.out.push('\n');
        for &region in module.regions(op) {
            self.region(region, depth + 1);
        }
    }

    fn region(&mut self, region: RegionId, depth: usize) {
        let module = self.order.module;
        for block in module.region_blocks(region) {
            let number = self.block(block);
            let _ = write!(self.out, "{depth}^{number}");
            for &arg in module.args(block) {
                let name = self.name(arg);
                let ty = self.order.context.type_text(module.value_type(arg));
                let _ = write!(self.out, " %{name}: {ty}");
            }
            self.out.push('\n');
            let order = self.order;
            for &op in order.lists.get(&block).map_or(&[][..], Vec::as_slice) {
                with_room(|| self.op(op, depth));
            }
        }
        let _ = writeln!(self.out, "{depth}end");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(body: &str) -> String {
        let mut context = Context::new();
        let mut sources = crate::source::SourceMap::default();
        let text = format!("func.func @f(%a: i32, %b: i32) -> i32 {{\n{body}\n}}\n");
        let file = sources.add("test.mlir", text).unwrap();
        let module = crate::ir::parse_module(&mut context, sources.file(file)).expect("it parses");
        let host = IrHost::new(context, module);
        super::text(&host, &OpTraitTable::default())
    }

    const BASE: &str = "%0 = arith.addi %a, %b : i32\n%1 = arith.muli %a, %b : i32\n%2 = arith.subi %0, %1 : i32\n\"t.x\"(%a) : (i32) -> ()\n\"t.y\"() : () -> ()\nreturn %2 : i32";

    #[test]
    fn irrelevant_differences_do_not_change_the_text() {
        let same = [
            "%5 = arith.addi %a, %b : i32\n%z = arith.muli %a, %b : i32\n%2 = arith.subi %5, %z : i32\n\"t.x\"(%a) : (i32) -> ()\n\"t.y\"() : () -> ()\nreturn %2 : i32",
            "\"t.x\"(%a) : (i32) -> ()\n%1 = arith.muli %a, %b : i32\n%0 = arith.addi %a, %b : i32\n\"t.y\"() : () -> ()\n%2 = arith.subi %0, %1 : i32\nreturn %2 : i32",
            "%0 = arith.addi %a, %b : i32\n%d = arith.addi %b, %b : i32\n%e = arith.muli %d, %a : i32\n%1 = arith.muli %a, %b : i32\n%2 = arith.subi %0, %1 : i32\n\"t.x\"(%a) : (i32) -> ()\n\"t.y\"() : () -> ()\nreturn %2 : i32",
        ];
        for body in same {
            assert_eq!(canonical(body), canonical(BASE), "{body}");
        }
        let constants = [
            "%c = arith.constant 1 : i32\n%0 = arith.addi %c, %c : i32\nreturn %0 : i32",
            "%c = arith.constant 1 : i32\n%d = arith.constant 1 : i32\n%0 = arith.addi %d, %c : i32\nreturn %0 : i32",
        ];
        assert_eq!(canonical(constants[0]), canonical(constants[1]));
    }

    #[test]
    fn relevant_differences_change_the_text() {
        let other = [
            // In this order: swapped operands, swapped effects, a repeated operation, another attribute, a missing
            // effect.
            BASE.replace("subi %0, %1", "subi %1, %0"),
            BASE.replace(
                "\"t.x\"(%a) : (i32) -> ()\n\"t.y\"() : () -> ()",
                "\"t.y\"() : () -> ()\n\"t.x\"(%a) : (i32) -> ()",
            ),
            BASE.replace("%2 = arith.subi %0, %1", "%3 = arith.addi %a, %b : i32\n%2 = arith.subi %0, %3"),
            BASE.replace("arith.addi %a, %b", "arith.addi %a, %b overflow<nsw>"),
            BASE.replace("\"t.y\"() : () -> ()\n", ""),
        ];
        for body in other {
            assert_ne!(canonical(&body), canonical(BASE), "{body}");
        }
    }
}

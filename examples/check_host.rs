//! Tests the host of a compiler whose set of operations is closed: a calculator with a list of instructions.
//!
//! `cargo test --example check_host --features conformance`. Section 7 of `docs/EMBEDDING.md` explains the example.

#![allow(clippy::print_stdout, reason = "the example prints its result")]

use drrvm::conformance::{Kit, Operation, Report};
use drrvm::host::{AttrNameId, Bind, Facets, Ir, IrMut, OpNameId, OpSignature, OpState, Refusal, WalkOrder};
use drrvm::ir::IrHost;

/// The operations of the calculator. The number of an operation is its index here.
const NAMES: [&str; 4] = ["calc.program", "calc.number", "calc.add", "calc.print"];
const PROGRAM: u32 = 0;
const NUMBER: u32 = 1;
const PRINT: u32 = 3;

/// The number of an operation that the calculator does not have.
const UNKNOWN: u32 = 4;

struct Instruction {
    code: u32,
    operands: Vec<u32>,
    value: Option<i64>,
}

/// Instructions are numbered. The result of an instruction has the same number; instruction 0 is the whole program.
struct Calculator {
    instructions: Vec<Instruction>,
    order: Vec<u32>,
}

impl Calculator {
    /// Converts a module that consists of the calculator's operations.
    fn of(module: &IrHost) -> Option<(Self, u32)> {
        let program = Instruction { code: PROGRAM, operands: Vec::new(), value: None };
        let mut calculator = Self { instructions: vec![program], order: Vec::new() };
        let mut converted = Vec::new();
        let top = module.module.top();
        for op in module.module.preorder(top).skip(1) {
            let name = module.op_name_text(module.op_name(op));
            let code = NAMES.iter().position(|known| *known == name)?;
            let operands = (0..module.operand_count(op)).map(|i| {
                let value = module.operand(op, i);
                converted.iter().find(|(from, _)| *from == value).map(|(_, to)| *to)
            });
            let value = module.find_attr_name("value").and_then(|key| module.attr(op, key));
            let value = match value {
                Some(attr) => Some(module.attr_int(attr)?.to_i64()?),
                None => None,
            };
            let instruction = Instruction {
                code: u32::try_from(code).ok()?,
                operands: operands.collect::<Option<_>>()?,
                value,
            };
            let end = calculator.order.len();
            let new = calculator.insert(end, instruction).ok()?;
            converted.extend((0..module.result_count(op)).map(|i| (module.result(op, i), new)));
        }
        Some((calculator, 0))
    }

    fn insert(&mut self, at: usize, instruction: Instruction) -> Result<u32, Refusal> {
        let number =
            u32::try_from(self.instructions.len()).map_err(|_| Refusal::new("the program is too long"))?;
        self.instructions.push(instruction);
        self.order.insert(at, number);
        Ok(number)
    }

    fn instruction(&self, number: u32) -> &Instruction {
        &self.instructions[number as usize]
    }

    /// The uses of a value in reverse program order, because the matcher expects the newest use first.
    fn uses(&self, value: u32) -> Vec<(u32, u32)> {
        let operands = |&user: &u32| {
            self.instruction(user)
                .operands
                .iter()
                .enumerate()
                .rev()
                .map(move |(i, v)| ((user, u32::try_from(i).expect("few operands")), v))
        };
        self.order
            .iter()
            .rev()
            .flat_map(operands)
            .filter(|(_, v)| **v == value)
            .map(|(used, _)| used)
            .collect()
    }
}

impl Ir for Calculator {
    type Op = u32;
    type Value = u32;
    type Type = ();
    type Attr = i64;
    type Use = (u32, u32);
    type Location = ();

    fn op_name(&self, op: u32) -> OpNameId {
        OpNameId::from_raw(self.instruction(op).code)
    }
    fn operand_count(&self, op: u32) -> u32 {
        u32::try_from(self.instruction(op).operands.len()).expect("few operands")
    }
    fn operand(&self, op: u32, index: u32) -> u32 {
        self.instruction(op).operands[index as usize]
    }
    fn result_count(&self, op: u32) -> u32 {
        u32::from(self.instruction(op).code != PRINT)
    }
    fn result(&self, op: u32, _index: u32) -> u32 {
        op
    }
    fn attr(&self, op: u32, name: AttrNameId) -> Option<i64> {
        self.instruction(op).value.filter(|_| name.raw() == 0)
    }
    fn defining_op(&self, value: u32) -> Option<u32> {
        Some(value)
    }
    fn value_type(&self, _value: u32) {}
    fn attr_type(&self, _attr: i64) -> Option<()> {
        Some(())
    }
    fn first_use(&self, value: u32) -> Option<(u32, u32)> {
        self.uses(value).first().copied()
    }
    fn next_use(&self, used: (u32, u32)) -> Option<(u32, u32)> {
        let all = self.uses(self.operand(used.0, used.1));
        let at = all.iter().position(|other| *other == used)?;
        all.get(at + 1).copied()
    }
    fn use_owner(&self, used: (u32, u32)) -> u32 {
        used.0
    }
    fn use_index(&self, used: (u32, u32)) -> u32 {
        used.1
    }
    fn location(&self, _op: u32) {}
    fn op_name_text(&self, name: OpNameId) -> String {
        NAMES.get(name.raw() as usize).map_or_else(|| "?".to_owned(), |name| (*name).to_owned())
    }
    fn parent_op(&self, op: u32) -> Option<u32> {
        (op != 0).then_some(0)
    }
    fn walk(&self, root: u32, order: WalkOrder, visit: &mut dyn FnMut(u32)) {
        if root != 0 {
            return visit(root);
        }
        if order == WalkOrder::Pre {
            visit(root);
        }
        self.order.iter().for_each(|&op| visit(op));
        if order == WalkOrder::Post {
            visit(root);
        }
    }
}

// The rules of the calculator contain no expressions about types and attributes.
impl Facets for Calculator {}

impl Bind for Calculator {
    fn bind_op_name(&mut self, name: &str) -> OpNameId {
        let known = (0u32..).zip(NAMES).find(|(_, known)| *known == name);
        OpNameId::from_raw(known.map_or(UNKNOWN, |(number, _)| number))
    }
    fn bind_attr_name(&mut self, name: &str) -> AttrNameId {
        AttrNameId::from_raw(u32::from(name != "value"))
    }
    fn bind_type(&mut self, text: &str) -> Option<()> {
        (text == "i64").then_some(())
    }
    fn bind_attr(&mut self, text: &str) -> Option<i64> {
        text.trim_end_matches(" : i64").parse().ok()
    }
    fn op_names(&self) -> Option<Vec<String>> {
        Some(NAMES.map(str::to_owned).to_vec())
    }
    fn op_signature(&self, _name: &str) -> Option<OpSignature> {
        None
    }
}

impl IrMut for Calculator {
    fn create(&mut self, before: u32, state: &OpState<'_, Self>) -> Result<u32, Refusal> {
        let code = state.name.raw();
        if code == PROGRAM || code >= UNKNOWN {
            return Err(Refusal::new("the calculator does not have this operation"));
        }
        let value =
            state.attributes.iter().find(|attribute| attribute.name.raw() == 0).map(|attr| attr.value);
        if value.is_none() && code == NUMBER {
            return Err(Refusal::new("`calc.number` has no attribute `value`"));
        }
        let at = self.order.iter().position(|&op| op == before);
        let at = at.ok_or_else(|| Refusal::new("the next instruction is not in the program"))?;
        self.insert(at, Instruction { code, operands: state.operands.to_vec(), value })
    }
    fn replace_all_uses(&mut self, from: u32, to: u32) {
        let operands = self.instructions.iter_mut().flat_map(|instruction| &mut instruction.operands);
        operands.filter(|operand| **operand == from).for_each(|operand| *operand = to);
    }
    fn erase(&mut self, op: u32) {
        self.order.retain(|&other| other != op);
    }
}

/// Compares the calculator with the built-in IR, on cases that are generated from the calculator's operations.
fn compare() -> Report {
    let operations = [
        Operation::new("calc.number").attribute("value", ["0 : i64", "1 : i64", "-7 : i64"]).results(["i64"]),
        Operation::new("calc.add").operands(["i64", "i64"]).results(["i64"]),
        Operation::new("calc.print").operands(["i64"]),
    ];
    Kit::new(Calculator::of).operations(&operations).report()
}

fn main() {
    println!("{}", compare());
}

#[test]
fn the_host_is_right() {
    let report = compare();
    assert!(report.passed(), "{report}");
    assert!(report.skipped.is_empty(), "{report}");
}

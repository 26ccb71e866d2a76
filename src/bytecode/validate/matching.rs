//! Validates match code. The code may jump only forward or to the first instruction, `fail`. It may use only operations
//! and operands that exist on all paths. It may run only a limited number of instructions, and open only a limited
//! number of alternatives.

use bitvec::vec::BitVec;

use super::facts::{FactId, Facts};
use super::invalid::{Valid, in_code};
use crate::bytecode::compact::Addresses;
use crate::bytecode::ids::{Address, Register};
use crate::bytecode::instruction::{
    Decoded, Flow, Instruction, Layout, Opcode, OperandKind, Phase, decode, read,
};
use crate::bytecode::program::Program;
use crate::id::Id;
use crate::matcher_tree::{Answer, GroupSize, Position, PositionId, Question, QuestionId, Side};
use crate::pdl::GroupSplit;

/// The largest number of instructions that matching at one operation may run. A choice between users counts as if the
/// value had one user.
const MAX_INSTRUCTIONS: u32 = 1 << 28;
/// The largest number of alternatives that may be open at once.
const MAX_OPEN: u32 = 1 << 16;

/// The validator of match code.
pub(super) struct MatchCode<'a> {
    program: &'a Program,
    starts: &'a Addresses,
    /// The register of each position; `None` if the position has no register.
    registers: Vec<Option<Register>>,
    /// True for each string that linking binds as an attribute name.
    attr_names: BitVec,
    facts: Facts,
    /// The facts at each address, from the jumps to it that were seen so far.
    states: Vec<Option<FactId>>,
    /// The reachable instructions in order of addresses.
    reachable: Vec<Reachable>,
    /// The targets of the reachable instructions.
    targets: Vec<Address>,
    /// The largest target so far.
    last: usize,
}

/// A reachable instruction.
struct Reachable {
    at: Address,
    /// The number of targets of this instruction and all instructions before it.
    targets: usize,
    opcode: Opcode,
    flow: Flow,
}

impl<'a> MatchCode<'a> {
    pub(super) fn new(program: &'a Program, starts: &'a Addresses) -> Self {
        let mut registers = vec![None; program.positions.len()];
        for (register, &position) in program.registers.iter_enumerated() {
            registers[position.index()] = Some(register);
        }
        let mut attr_names = BitVec::repeat(false, program.strings.len());
        for name in program.bound_attr_names() {
            attr_names.set(name.index(), true);
        }
        let code = program.code.len();
        let (facts, states) = (Facts::new(code), vec![None; code]);
        let (reachable, targets) = (Vec::new(), Vec::new());
        Self { program, starts, registers, attr_names, facts, states, reachable, targets, last: 0 }
    }

    pub(super) fn run(mut self) -> Valid {
        let code = &self.program.code[..];
        for root in self.program.match_roots() {
            self.reach(None, root, FactId::ROOT)?;
        }
        let (mut at, mut through) = (Address::FAIL, None);
        while at.index() < code.len() && (at.index() <= self.last || through.is_some()) {
            let Some(instruction) = decode(code, at) else {
                return Err(in_code(format!("there is no instruction at {at}")));
            };
            let here = self.facts.meet(self.states[at.index()], through)?;
            through = None;
            if let Some(here) = here {
                let after = self.step(at, &instruction, here)?;
                let Layout { opcode, flow, .. } = *instruction.layout;
                for to in instruction.tail_targets() {
                    self.reach(Some(at), to, after)?;
                }
                if flow == Flow::Next {
                    through = Some(after);
                }
                self.reachable.push(Reachable { at, targets: self.targets.len(), opcode, flow });
            }
            at = instruction.end;
        }
        if through.is_some() {
            return Err(in_code("the last instruction continues past the end".into()));
        }
        self.cost()
    }

    /// Records a jump to an address at which `facts` hold; `from` is `None` for the start of matching.
    fn reach(&mut self, from: Option<Address>, to: Address, facts: FactId) -> Valid {
        if !self.starts.contains(to) {
            return Err(in_code(format!("there is no instruction at {to}, which is a target")));
        }
        if from.is_some() {
            self.targets.push(to);
        }
        if to == Address::FAIL {
            return Ok(());
        }
        if let Some(from) = from.filter(|&from| from >= to) {
            return Err(in_code(format!("match code jumps back from {from} to {to}")));
        }
        let index = to.index();
        self.states[index] = self.facts.meet(self.states[index], Some(facts))?;
        self.last = self.last.max(index);
        Ok(())
    }

    /// Checks an instruction, at which the facts `here` hold. Returns the facts after it.
    fn step(&mut self, at: Address, instruction: &Decoded<'_>, here: FactId) -> Valid<FactId> {
        let layout = instruction.layout;
        let mnemonic = layout.mnemonic;
        if layout.phase != Phase::Match {
            return Err(in_code(format!("'{mnemonic}' at {at} is not an instruction of match code")));
        }
        // The minimum number of operands of the operation that the latest `Op` reads.
        let mut known = 0;
        let mut after = here;
        for ((_, kind), value) in instruction.operands() {
            match kind {
                OperandKind::Op => {
                    let operands = self.facts.operands(here, Register::from_raw(value));
                    known = operands.ok_or_else(|| {
                        in_code(format!("'{mnemonic}' at {at} reads register {value}, which is not loaded"))
                    })?;
                }
                OperandKind::Operand if value >= known => {
                    let what = format!("'{mnemonic}' at {at} reads operand {value}, which may not exist");
                    return Err(in_code(what));
                }
                OperandKind::NewOp => after = self.facts.learn(after, Register::from_raw(value), 0)?,
                OperandKind::AttrName if !self.attr_names[value as usize] => {
                    return Err(in_code(format!(
                        "'{mnemonic}' at {at} reads an attribute whose name linking does not bind"
                    )));
                }
                OperandKind::Target => self.reach(Some(at), Address::from_raw(value), here)?,
                _ => {}
            }
        }
        match instruction.instruction() {
            Instruction::OperandOp(read::OperandOp { from, operand, to, .. })
            | Instruction::OperandOpIs(read::OperandOpIs { from, operand, to, .. })
            | Instruction::OperandOpSwitch(read::OperandOpSwitch { from, operand, to, .. })
            | Instruction::OperandOpTable(read::OperandOpTable { from, operand, to, .. }) => {
                self.loads(at, from, operand, to)?;
            }
            Instruction::LoadOp(load) if self.position_of(load.to) != load.position => {
                return Err(in_code(format!(
                    "'{mnemonic}' at {at} loads the operation at a position that does not belong to its register"
                )));
            }
            Instruction::OperandCountIs(read::OperandCountIs { op, count: operands, .. })
            | Instruction::CountsAre(read::CountsAre { op, operands, .. }) => {
                after = self.facts.learn(after, op, operands)?;
            }
            Instruction::Ask(ask) => after = self.ask(ask.question, ask.answer, after)?,
            _ => {}
        }
        Ok(after)
    }

    /// The position of a register, whose number has been checked.
    fn position_of(&self, register: Register) -> PositionId {
        self.program.registers[register]
    }

    /// Checks that the register `to` belongs to the operation that defines operand `index` of `from`.
    fn loads(&self, at: Address, from: Register, index: u32, to: Register) -> Valid {
        let positions = &self.program.positions;
        let operand = Position::Operand { op: self.position_of(from), index };
        match positions[self.position_of(to)] {
            Position::DefiningOp(value) if positions[value] == operand => Ok(()),
            _ => Err(in_code(format!(
                "register {to} belongs to a different operation than the instruction at {at} loads"
            ))),
        }
    }

    /// Returns the facts that hold after an answer, which may imply a minimum number of operands.
    fn ask(&mut self, question: QuestionId, answer: Answer, facts: FactId) -> Valid<FactId> {
        let positions = &self.program.positions;
        let (op, operands) = match self.program.predicates[question] {
            Question::Count { op, side: Side::Operands } => (op, answer.0),
            Question::Fits { op, side: Side::Operands, split } if answer == Answer::YES => {
                let split = positions.split(split);
                let fixed = split.groups.iter().map(|g| if let GroupSize::Exactly(n) = g { *n } else { 0 });
                match split.rule {
                    GroupSplit::Attribute(_) => return Ok(facts),
                    GroupSplit::Rest | GroupSplit::Equal => (op, fixed.fold(0, u32::saturating_add)),
                }
            }
            _ => return Ok(facts),
        };
        match self.registers[op.index()] {
            Some(register) if self.facts.operands(facts, register).is_some() => {
                self.facts.learn(facts, register, operands)
            }
            _ => Ok(facts),
        }
    }

    /// Checks that matching runs a limited number of instructions and opens a limited number of alternatives.
    fn cost(self) -> Valid {
        // For each target, the maximum numbers of instructions and of open alternatives from it on.
        let mut costs = vec![(0u32, 0u32); self.last + 1];
        costs[0] = (1, 0);
        let mut next = (0, 0);
        let mut left = &self.targets[..];
        for (i, &Reachable { at, opcode, flow, .. }) in self.reachable.iter().enumerate().rev() {
            let before = if i == 0 { 0 } else { self.reachable[i - 1].targets };
            let (rest, targets) = left.split_at(before);
            left = rest;
            let mut worst = if flow == Flow::Next { next } else { (0, 0) };
            let mut then = (0, 0);
            for &to in targets {
                then = costs[to.index()];
                worst = (worst.0.max(then.0), worst.1.max(then.1));
            }
            let (instructions, open) = match opcode {
                Opcode::Try => (next.0.saturating_add(then.0), worst.1.max(next.1 + 1)),
                Opcode::Either => (next.0.saturating_mul(2), next.1 + 1),
                Opcode::EachUser => (next.0, next.1 + 1),
                _ => worst,
            };
            next = (instructions.saturating_add(1), open);
            if next.0 > MAX_INSTRUCTIONS {
                return Err(in_code(format!("matching may take more than {MAX_INSTRUCTIONS} instructions")));
            }
            if next.1 > MAX_OPEN {
                return Err(in_code(format!("matching may open more than {MAX_OPEN} alternatives")));
            }
            if let Some(cost) = costs.get_mut(at.index()) {
                *cost = next;
            }
        }
        Ok(())
    }
}

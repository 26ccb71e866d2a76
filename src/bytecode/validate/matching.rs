//! Whether the code that matches can be run: it goes only forward, takes only what is known to be there on all
//! paths, and comes to an end soon.

use super::{Valid, in_code};
use crate::bytecode::compact::Addresses;
use crate::bytecode::instruction::{Decoded, Flow, Layout, Opcode, OperandKind, Part, Tail, decode};
use crate::bytecode::program::Program;
use crate::id::Id;
use crate::matcher_tree::{Answer, GroupSize, Position, PositionId, Question, QuestionId, Side};
use crate::pdl::GroupSplit;

/// How many instructions matching at one operation may run, users counted as one.
const MAX_STEPS: u32 = 1 << 28;
/// How many alternatives may be open at once.
const MAX_OPEN: u32 = 1 << 16;

/// What is known at an instruction: the number of the last thing that was learnt on the way, of which
/// [`Known`] knows what was learnt before; 0 for an instruction that nothing leads to.
type State = u32;

/// That a register is loaded, and how many operands its operation has at least.
#[derive(Clone, Copy)]
struct Fact {
    register: u32,
    operands: u32,
    before: State,
}

/// All that is known anywhere.
struct Known {
    facts: Vec<Fact>,
    /// How many facts may still be looked at, so that looking takes no longer than the code is long.
    left: usize,
    kept: Vec<Fact>,
}

impl Known {
    /// At a root, whose operation is in register 0.
    const ROOT: State = 1;

    fn new(code: usize) -> Self {
        let fact = Fact { register: 0, operands: 0, before: 0 };
        Self { facts: vec![fact; 2], left: 4096 * code + (1 << 24), kept: Vec::new() }
    }

    /// How many operands the operation in a register has at least, if it is loaded.
    fn find(&mut self, mut state: State, register: u32) -> Option<u32> {
        while state != 0 {
            let fact = self.facts[state as usize];
            if fact.register == register {
                return Some(fact.operands);
            }
            state = fact.before;
            self.left = self.left.saturating_sub(1);
        }
        None
    }

    fn learn(&mut self, state: State, register: u32, operands: u32) -> Valid<State> {
        if self.find(state, register).is_some_and(|known| known >= operands) {
            return Ok(state);
        }
        self.facts.push(Fact { register, operands, before: state });
        let last = u32::try_from(self.facts.len() - 1).map_err(|_| in_code("there is too much of it".into()));
        self.followed(last?)
    }

    fn followed(&self, state: State) -> Valid<State> {
        if self.left == 0 {
            return Err(in_code("more operations are loaded on its paths than can be followed".into()));
        }
        Ok(state)
    }

    /// What is known whichever of two ways was taken; one that is not there says nothing.
    fn meet(&mut self, a: State, b: State) -> Valid<State> {
        if a == b || b == 0 {
            return Ok(a);
        }
        if a == 0 {
            return Ok(b);
        }
        // What was learnt before is known to both, if the one comes from the other.
        let (older, mut newer) = (a.min(b), a.max(b));
        while newer > older {
            newer = self.facts[newer as usize].before;
            self.left = self.left.saturating_sub(1);
        }
        if newer == older {
            return self.followed(older);
        }
        let mut kept = std::mem::take(&mut self.kept);
        let (mut state, mut all) = (a, true);
        while state != 0 {
            let fact = self.facts[state as usize];
            let known = match self.find(b, fact.register) {
                // A register is there once with each number that was learnt of it; the last is the largest.
                Some(_) if self.find(a, fact.register) != Some(fact.operands) => None,
                Some(operands) => {
                    all &= operands >= fact.operands;
                    Some(Fact { operands: operands.min(fact.operands), ..fact })
                }
                None => None,
            };
            all &= known.is_some();
            kept.extend(known);
            state = fact.before;
        }
        let mut met = if all { a } else { 0 };
        for fact in kept.drain(..).rev().filter(|_| !all) {
            met = self.learn(met, fact.register, fact.operands)?;
        }
        self.kept = kept;
        self.followed(met)
    }
}

/// The code that matches.
pub(super) struct MatchPart<'a> {
    program: &'a Program,
    starts: &'a Addresses,
    /// The register of each position that has one, else `u32::MAX`.
    registers: Vec<u32>,
    /// The attribute names that linking binds.
    attr_names: Vec<bool>,
    known: Known,
    /// What is known at each address that was gone to so far.
    states: Vec<State>,
    /// What runs, in order of addresses, and where it goes besides on.
    ran: Vec<Ran>,
    targets: Vec<u32>,
    /// The last address that was gone to.
    last: usize,
}

/// An instruction that runs.
struct Ran {
    at: u32,
    /// How many targets it and those before it have.
    targets: usize,
    opcode: Opcode,
    flow: Flow,
}

impl<'a> MatchPart<'a> {
    pub(super) fn new(program: &'a Program, starts: &'a Addresses) -> Self {
        let mut registers = vec![u32::MAX; program.positions.len()];
        for (register, &position) in (0u32..).zip(&program.registers) {
            registers[position.index()] = register;
        }
        let mut attr_names = vec![false; program.strings.len()];
        for name in program.bound_attr_names() {
            attr_names[name.index()] = true;
        }
        let code = program.code.len();
        let (known, states) = (Known::new(code), vec![0; code]);
        let (ran, targets) = (Vec::new(), Vec::new());
        Self { program, starts, registers, attr_names, known, states, ran, targets, last: 0 }
    }

    pub(super) fn run(mut self) -> Valid {
        let code = &self.program.code[..];
        for root in self.program.match_roots() {
            self.reach(None, root, Known::ROOT)?;
        }
        let (mut at, mut through) = (0, 0);
        while at < code.len() && (at <= self.last || through != 0) {
            let Some(instruction) = decode(code, at) else {
                return Err(in_code(format!("there is no instruction at {at}")));
            };
            let here = self.known.meet(self.states[at], through)?;
            through = 0;
            if here != 0 {
                let after = self.step(at, &instruction, here)?;
                let Layout { opcode, flow, .. } = *instruction.layout;
                if let Tail::NameCases | Tail::ConstantCases | Tail::Targets = instruction.layout.tail {
                    let first = usize::from(instruction.layout.tail != Tail::Targets);
                    for &to in instruction.tail.iter().skip(first).step_by(1 + first) {
                        self.reach(Some(at), to, after)?;
                    }
                }
                if flow == Flow::Next {
                    through = after;
                }
                let at = u32::try_from(at).map_err(|_| in_code("there is too much of it".into()))?;
                self.ran.push(Ran { at, targets: self.targets.len(), opcode, flow });
            }
            at = instruction.end;
        }
        if through != 0 {
            return Err(in_code("it ends in the middle".into()));
        }
        self.cost()
    }

    /// That an instruction, or something outside, may lead to an address, and with what.
    fn reach(&mut self, from: Option<usize>, to: u32, with: State) -> Valid {
        let index = to as usize;
        if !self.starts.has(index) {
            return Err(in_code(format!("there is no instruction at {to}, to which others go")));
        }
        if from.is_some() {
            self.targets.push(to);
        }
        if index == 0 {
            return Ok(());
        }
        if let Some(from) = from.filter(|&from| from >= index) {
            return Err(in_code(format!("the match part goes back from {from} to {to}")));
        }
        self.states[index] = self.known.meet(self.states[index], with)?;
        self.last = self.last.max(index);
        Ok(())
    }

    /// What is known after an instruction, which needs what is known `here`.
    fn step(&mut self, at: usize, instruction: &Decoded<'_>, here: State) -> Valid<State> {
        let layout = instruction.layout;
        let mnemonic = layout.mnemonic;
        if layout.part != Part::Match {
            return Err(in_code(format!("'{mnemonic}' at {at} is no instruction of the match part")));
        }
        let mut last = (0, 0);
        let mut path = None;
        let mut after = here;
        let count = layout.small.len();
        for i in 0..count + layout.words.len() {
            let (kind, value) = match i.checked_sub(count) {
                None => (layout.small[i].1, instruction.small[i]),
                Some(i) => (layout.words[i].1, instruction.words[i]),
            };
            match kind {
                OperandKind::Op => {
                    let operands = self.known.find(here, value).ok_or_else(|| {
                        in_code(format!("'{mnemonic}' at {at} reads register {value}, which is not loaded"))
                    })?;
                    last = (value, operands);
                }
                OperandKind::Operand if value >= last.1 => {
                    let what = format!("'{mnemonic}' at {at} takes operand {value}, which may not be there");
                    return Err(in_code(what));
                }
                OperandKind::Operand => path = Some((last.0, value)),
                OperandKind::NewOp => after = self.known.learn(after, value, 0)?,
                OperandKind::AttrName if !self.attr_names[value as usize] => {
                    return Err(in_code(format!(
                        "no position has the attribute name of '{mnemonic}' at {at}"
                    )));
                }
                OperandKind::Target => self.reach(Some(at), value, here)?,
                _ => {}
            }
        }
        let small = instruction.small;
        let words = instruction.words;
        match layout.opcode {
            Opcode::OperandOp | Opcode::OperandOpIs | Opcode::OperandOpSwitch | Opcode::OperandOpTable => {
                self.loads(at, small[2], path)?;
            }
            Opcode::LoadOp if self.position_of(small[0]).raw() != words[0] => {
                return Err(in_code(format!("'{mnemonic}' at {at} loads another register's operation")));
            }
            Opcode::OperandCountIs | Opcode::CountsAre => {
                after = self.known.learn(after, small[0], small[1])?
            }
            Opcode::Ask => after = self.ask(words[0], Answer(words[1]), after)?,
            _ => {}
        }
        Ok(after)
    }

    /// The position of a register, whose number has been checked.
    fn position_of(&self, register: u32) -> PositionId {
        self.program.registers[register as usize]
    }

    /// That a register is for the operation that defines an operand.
    fn loads(&self, at: usize, to: u32, path: Option<(u32, u32)>) -> Valid {
        let positions = &self.program.positions;
        let is = path.is_some_and(|(from, index)| match positions[self.position_of(to)] {
            Position::DefiningOp(value) => {
                positions[value] == Position::Operand { op: self.position_of(from), index }
            }
            _ => false,
        });
        if is {
            Ok(())
        } else {
            Err(in_code(format!("register {to} is for another operation than '{at}' loads")))
        }
    }

    /// What is known once a question has an answer, which may say something of the number of operands.
    fn ask(&mut self, question: u32, answer: Answer, known: State) -> Valid<State> {
        let positions = &self.program.positions;
        let (op, operands) = match self.program.predicates[QuestionId::from_raw(question)] {
            Question::Count { op, side: Side::Operands } => (op, answer.0),
            Question::Fits { op, side: Side::Operands, split } if answer == Answer::YES => {
                let split = positions.split(split);
                let fixed = split.groups.iter().map(|g| if let GroupSize::Exactly(n) = g { *n } else { 0 });
                match split.rule {
                    GroupSplit::Attribute(_) => return Ok(known),
                    GroupSplit::Rest | GroupSplit::Equal => (op, fixed.fold(0, u32::saturating_add)),
                }
            }
            _ => return Ok(known),
        };
        let register = self.registers[op.index()];
        if self.known.find(known, register).is_none() {
            return Ok(known);
        }
        self.known.learn(known, register, operands)
    }

    /// That it comes to an end soon, with few alternatives open.
    fn cost(self) -> Valid {
        // Steps and open alternatives at each address that something goes to.
        let mut costs = vec![(0u32, 0u32); self.last + 1];
        costs[0] = (1, 0);
        let mut next = (0, 0);
        let mut left = &self.targets[..];
        for (i, &Ran { at, opcode, flow, .. }) in self.ran.iter().enumerate().rev() {
            let before = if i == 0 { 0 } else { self.ran[i - 1].targets };
            let (rest, targets) = left.split_at(before);
            left = rest;
            let mut worst = if flow == Flow::Next { next } else { (0, 0) };
            let mut then = (0, 0);
            for &to in targets {
                then = costs[to as usize];
                worst = (worst.0.max(then.0), worst.1.max(then.1));
            }
            let (steps, open) = match opcode {
                Opcode::Try => (next.0.saturating_add(then.0), worst.1.max(next.1 + 1)),
                Opcode::Either => (next.0.saturating_mul(2), next.1 + 1),
                Opcode::EachUser => (next.0, next.1 + 1),
                _ => worst,
            };
            next = (steps.saturating_add(1), open);
            if next.0 > MAX_STEPS {
                return Err(in_code(format!("matching may take more than {MAX_STEPS} instructions")));
            }
            if next.1 > MAX_OPEN {
                return Err(in_code(format!("matching may open more than {MAX_OPEN} alternatives")));
            }
            if let Some(cost) = costs.get_mut(at as usize) {
                *cost = next;
            }
        }
        Ok(())
    }
}

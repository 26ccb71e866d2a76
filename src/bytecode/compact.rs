//! Code in a file: every number takes as many bytes as it needs.
//!
//! Specification: reading gives the words that were written. If a number refers to no entry of its table, reading or
//! validating the program fails.
//!
//! An instruction is stored as its opcode, its operands, the lengths of its tail and the entries of its tail, in the
//! order of `instruction.rs`. A target is stored as its distance from the instruction that contains it. The distance 0
//! stands for the instruction `fail` at address 0; all other targets are after the instruction that contains them. A
//! key of a case is stored as its distance from the previous key.

use super::ids::Address;
use super::instruction::{Layout, Opcode, OperandKind, Tail, WIDE, decode};
use super::program::Program;
use crate::id::Id;
use crate::wire::{Invalid, Reader, Wire, Writer};

fn is_key(tail: Tail, index: usize) -> bool {
    matches!(tail, Tail::NameCases | Tail::ConstantCases) && index.is_multiple_of(2)
}

/// The set of addresses at which instructions start.
///
/// PERF: a `Vec` of words, because with a `BitVec`, reading code takes 6% more CPU instructions;
/// `cargo bench --bench compare -- once compile tree - - 1000`.
pub(super) struct Addresses(Vec<u64>);

impl Addresses {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    pub(super) fn contains(&self, at: Address) -> bool {
        let at = at.index();
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    fn insert(&mut self, at: usize) {
        if at / 64 == self.0.len() {
            self.0.push(0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }
}

/// Writes the number of words, then the instructions.
pub(super) fn write(code: &[u32], out: &mut Writer<'_>) {
    out.number(code.len() as u64);
    let mut at = Address::FAIL;
    while let Some(instruction) = decode(code, at) {
        let layout = instruction.layout;
        let mut operand = |kind: OperandKind, value: u32| match (kind, value) {
            // In valid code, targets are after the instruction.
            (OperandKind::Target, 1..) => out.number(u64::from(value.saturating_sub(at.raw()))),
            _ => value.write(out),
        };
        operand(OperandKind::Number, u32::from(layout.opcode as u8));
        for ((_, kind), value) in instruction.operands() {
            operand(kind, value);
        }
        instruction.lengths.iter().for_each(|&length| operand(OperandKind::Number, length));
        let kinds = layout.tail.entries();
        let mut before = 0;
        for (i, &value) in instruction.tail.iter().enumerate() {
            if is_key(layout.tail, i) {
                operand(OperandKind::Number, value - before);
                before = value;
            } else {
                operand(kinds[i % kinds.len()], value);
            }
        }
        at = instruction.end;
    }
}

/// Reads the instructions into a program whose tables have been read. Returns the addresses at which the instructions
/// start.
pub(super) fn read(from: &mut Reader<'_>, program: &mut Program) -> Result<Addresses, Invalid> {
    let size = from.u32()? as usize;
    let limits = OperandKind::ALL.iter().map(|&kind| limit(program, kind, from.limits.strings)).collect();
    // A word takes at least one byte of the file.
    let room = size.min(from.left());
    let mut code = Code { words: Vec::with_capacity(room), limits, at: 0 };
    let mut starts = Addresses::new(room);
    while code.words.len() < size {
        code.at = u32::try_from(code.words.len()).map_err(|_| from.invalid("the code is too long"))?;
        starts.insert(code.words.len());
        code.instruction(from)?;
    }
    if code.words.len() != size {
        return Err(from.invalid("the last instruction is truncated"));
    }
    program.code = code.words;
    Ok(starts)
}

/// The number of entities that operands of a kind can refer to. Numbers, and the kinds that the validator checks, have
/// no limit.
fn limit(program: &Program, kind: OperandKind, strings: u32) -> u64 {
    let count = match kind {
        OperandKind::Op | OperandKind::NewOp => program.registers.len(),
        OperandKind::OpName => program.op_names.len(),
        OperandKind::AttrName => strings as usize,
        OperandKind::Constant => program.positions.constants().len(),
        OperandKind::Question => program.predicates.iter().len(),
        OperandKind::Position => program.positions.iter().len(),
        OperandKind::Snippet => program.snippets.len(),
        OperandKind::Call => program.predicates.calls().len(),
        OperandKind::Pattern => program.patterns.len(),
        OperandKind::Choice => program.choices as usize,
        OperandKind::Flag => 2,
        OperandKind::RewriteCall => program.rewrite_calls.len(),
        OperandKind::Location => program.locations.len(),
        OperandKind::Target
        | OperandKind::Source
        | OperandKind::Local
        | OperandKind::Number
        | OperandKind::Operand
        | OperandKind::Answer => return 1 << 32,
    };
    count as u64
}

/// Code that is being read.
struct Code {
    words: Vec<u32>,
    /// The limit of each operand kind.
    limits: Vec<u64>,
    /// The address of the current instruction.
    at: u32,
}

impl Code {
    fn instruction(&mut self, from: &mut Reader<'_>) -> Result<(), Invalid> {
        let opcode = from.byte()?;
        let Some(layout) = Opcode::from_byte(opcode).map(Opcode::layout) else {
            return Err(from.invalid(format!("unknown instruction {opcode}")));
        };
        let mut first = [opcode, 0, 0, 0];
        let mut small = [0; 3];
        let mut wide = false;
        for (i, &(_, kind)) in layout.small.iter().enumerate() {
            small[i] = self.operand(from, kind)?;
            match u8::try_from(small[i]) {
                Ok(byte) => first[i + 1] = byte,
                Err(_) => wide = true,
            }
        }
        if wide {
            self.words.push(u32::from(opcode | WIDE));
            self.words.extend_from_slice(&small[..layout.small.len()]);
        } else {
            self.words.push(u32::from_le_bytes(first));
        }
        for &(_, kind) in layout.words {
            let word = self.operand(from, kind)?;
            self.words.push(word);
        }
        if layout.tail == Tail::None { Ok(()) } else { self.tail(from, layout) }
    }

    /// Reads the tail of an instruction. Every entry takes at least one byte, so if a length is too large, reading
    /// fails at the end of the section.
    fn tail(&mut self, from: &mut Reader<'_>, layout: &Layout) -> Result<(), Invalid> {
        let start = self.words.len();
        for _ in 0..layout.tail.length_words() {
            self.words.push(from.u32()?);
        }
        let lengths = &self.words[start..];
        let length = layout.tail.words(lengths).ok_or_else(|| from.invalid("a table is too long"))?;
        let attributes = if layout.tail == Tail::Create { 3 * lengths[0] as usize } else { 0 };
        if let Tail::NameCases | Tail::ConstantCases = layout.tail {
            let key = layout.tail.entries()[0];
            let limit = self.limits[key as usize];
            let mut before = 0u32;
            for i in 0..length / 2 {
                let word = u64::from(before) + u64::from(from.u32()?);
                let Some(word) = u32::try_from(word).ok().filter(|_| word < limit) else {
                    return Err(self.outside(from, key, word));
                };
                if i > 0 && word == before {
                    return Err(from.invalid(format!("the cases at {} do not ascend", self.at)));
                }
                before = word;
                self.words.push(word);
                let to = self.operand(from, OperandKind::Target)?;
                self.words.push(to);
            }
            return Ok(());
        }
        let kinds = [OperandKind::AttrName, OperandKind::Source, OperandKind::Number];
        for i in 0..attributes {
            let word = self.operand(from, kinds[i % 3])?;
            self.words.push(word);
        }
        let kind = layout.tail.entries()[0];
        for _ in attributes..length {
            let word = self.operand(from, kind)?;
            self.words.push(word);
        }
        Ok(())
    }

    #[inline(always)]
    fn operand(&self, from: &mut Reader<'_>, kind: OperandKind) -> Result<u32, Invalid> {
        let word = from.u32()?;
        if kind == OperandKind::Target {
            // The instruction `fail` is at address 0.
            let to = if word == 0 { Some(0) } else { self.at.checked_add(word) };
            return to.ok_or_else(|| self.outside(from, kind, u64::from(word)));
        }
        if u64::from(word) >= self.limits[kind as usize] {
            return Err(self.outside(from, kind, u64::from(word)));
        }
        Ok(word)
    }

    #[cold]
    fn outside(&self, from: &Reader<'_>, kind: OperandKind, word: u64) -> Invalid {
        let (limit, at) = (self.limits[kind as usize], self.at);
        from.invalid(format!(
            "{kind:?} {word} in the instruction at {at} is out of range: it must be less than {limit}"
        ))
    }
}

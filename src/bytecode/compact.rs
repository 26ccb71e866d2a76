//! Code as bytes of a file: what takes a word in memory takes as many bytes as its number needs.
//!
//! Specification: what is read is the words that were written, and every number in it is within the
//! table that it is of.
//!
//! An instruction is its opcode, then each operand and each entry of its table, as `instruction.rs`
//! lists them. A target is its distance from the instruction: all code is behind what leads to it, but
//! for the instruction that fails, which is 0. Keys of cases are their distance from the one before.

use super::instruction::{Layout, Opcode, OperandKind, Tail, WIDE, decode, tail_len};
use super::program::Program;
use crate::wire::{Invalid, Reader, Wire, Writer};

/// What the entries of a table are, over and over.
fn entries(tail: Tail) -> &'static [OperandKind] {
    match tail {
        Tail::NameCases => &[OperandKind::OpName, OperandKind::Target],
        Tail::ConstantCases => &[OperandKind::Constant, OperandKind::Target],
        Tail::Targets => &[OperandKind::Target],
        Tail::None | Tail::Sources | Tail::Create => &[OperandKind::Source],
    }
}

fn is_key(tail: Tail, index: usize) -> bool {
    matches!(tail, Tail::NameCases | Tail::ConstantCases) && index.is_multiple_of(2)
}

/// Addresses at which instructions start.
pub(super) struct Addresses(Vec<u64>);

impl Addresses {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    fn add(&mut self, at: usize) {
        if at / 64 == self.0.len() {
            self.0.push(0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }
}

/// Writes the instructions; they are `code.len()` words.
pub(super) fn write(code: &[u32], out: &mut Writer<'_>) {
    out.number(code.len() as u64);
    let mut at = 0;
    while let Some(instruction) = decode(code, at) {
        let layout = instruction.layout;
        let mut operand = |kind: OperandKind, value: u32| match (kind, value) {
            // Targets are behind the instruction, as the validator has it.
            (OperandKind::Target, 1..) => out.number((u64::from(value)).saturating_sub(at as u64)),
            _ => value.write(out),
        };
        operand(OperandKind::Number, u32::from(layout.opcode as u8));
        for ((_, kind), value) in instruction.operands() {
            operand(kind, value);
        }
        let kinds = entries(layout.tail);
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

/// Reads the instructions into a program that has all its tables; the addresses at which they start.
pub(super) fn read(from: &mut Reader<'_>, program: &mut Program) -> Result<Addresses, Invalid> {
    let size = from.u32()? as usize;
    let limits = OperandKind::ALL.map(|kind| limit(program, kind, from.limits.strings));
    // A word takes a byte of the file at least, but for small operands, of which four are one word.
    let room = size.min(from.left());
    let mut code = Code { words: Vec::with_capacity(room), limits, at: 0 };
    let mut starts = Addresses::new(room);
    while code.words.len() < size {
        code.at = u32::try_from(code.words.len()).map_err(|_| from.invalid("there is too much of it"))?;
        starts.add(code.words.len());
        code.instruction(from)?;
    }
    if code.words.len() != size {
        return Err(from.invalid("the last instruction is cut"));
    }
    program.code = code.words;
    Ok(starts)
}

/// How many there are of what operands of a kind number; of what is looked at later, as many as may be.
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
        OperandKind::RewriteCall => program.rewrite_calls.len(),
        OperandKind::Location => program.locations.len(),
        OperandKind::Target
        | OperandKind::Source
        | OperandKind::Local
        | OperandKind::Number
        | OperandKind::Operand
        | OperandKind::Length => return 1 << 32,
    };
    count as u64
}

/// Code that is read.
struct Code {
    words: Vec<u32>,
    limits: [u64; OperandKind::ALL.len()],
    /// Where the instruction that is read starts.
    at: u32,
}

impl Code {
    fn instruction(&mut self, from: &mut Reader<'_>) -> Result<(), Invalid> {
        let opcode = from.byte()?;
        let Some(layout) = Opcode::from_byte(opcode).map(Opcode::layout) else {
            return Err(from.invalid(format!("no instruction has number {opcode}")));
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
        let start = self.words.len();
        for &(_, kind) in layout.words {
            let word = self.operand(from, kind)?;
            self.words.push(word);
        }
        if layout.tail == Tail::None { Ok(()) } else { self.tail(from, layout, start) }
    }

    /// The tail of an instruction whose words start at `start`. Every entry takes a byte at least, so a
    /// table that is too long ends where the section does.
    fn tail(&mut self, from: &mut Reader<'_>, layout: &Layout, start: usize) -> Result<(), Invalid> {
        let length = tail_len(layout, &self.words[start..]);
        let length = length.ok_or_else(|| from.invalid("a table is too long"))?;
        if let Tail::NameCases | Tail::ConstantCases = layout.tail {
            let key = entries(layout.tail)[0];
            let limit = self.limits[key as usize];
            let mut before = 0u32;
            for i in 0..length / 2 {
                let word = before.checked_add(from.u32()?).filter(|&word| u64::from(word) < limit);
                let Some(word) = word else { return Err(self.outside(from, key, u32::MAX)) };
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
        let attributes = match layout.tail {
            Tail::Create => 3 * self.words[self.words.len() - 3] as usize,
            _ => 0,
        };
        let kinds = [OperandKind::AttrName, OperandKind::Source, OperandKind::Number];
        for i in 0..attributes {
            let word = self.operand(from, kinds[i % 3])?;
            self.words.push(word);
        }
        let kind = entries(layout.tail)[0];
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
            // The instruction that fails is at 0, and no other is where it leads.
            let to = if word == 0 { Some(0) } else { self.at.checked_add(word) };
            return to.ok_or_else(|| self.outside(from, kind, word));
        }
        if u64::from(word) >= self.limits[kind as usize] {
            return Err(self.outside(from, kind, word));
        }
        Ok(word)
    }

    #[cold]
    fn outside(&self, from: &Reader<'_>, kind: OperandKind, word: u32) -> Invalid {
        let (limit, at) = (self.limits[kind as usize], self.at);
        from.invalid(format!("{kind:?} {word} of {limit} in the instruction at {at}"))
    }
}

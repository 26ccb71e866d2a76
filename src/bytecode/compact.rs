//! Code as bytes of a file: what takes a word in memory takes as many bytes as its number needs.
//!
//! Specification: what is read is the words that were written.
//!
//! An instruction is its opcode, then each operand and each entry of its table, as `instruction.rs`
//! lists them. A target is its distance from the instruction, nothing being nearer than the
//! instruction that fails; keys of cases are their distance from the one before.

use super::instruction::{Opcode, OperandKind, Tail, WIDE, decode, tail_len};
use crate::wire::{Invalid, Reader, Wire, Writer};

/// What the entries of a table are, over and over.
fn entries(tail: Tail) -> &'static [OperandKind] {
    match tail {
        Tail::NameCases => &[OperandKind::OpName, OperandKind::Target],
        Tail::ConstantCases => &[OperandKind::Constant, OperandKind::Target],
        Tail::Targets => &[OperandKind::Target],
        Tail::None | Tail::Sources | Tail::Create => &[OperandKind::Number],
    }
}

fn is_key(tail: Tail, index: usize) -> bool {
    matches!(tail, Tail::NameCases | Tail::ConstantCases) && index.is_multiple_of(2)
}

/// Writes the instructions; they are `code.len()` words.
pub(super) fn write(code: &[u32], out: &mut Writer<'_>) {
    out.number(code.len() as u64);
    let mut at = 0;
    while let Some(instruction) = decode(code, at) {
        let layout = instruction.layout;
        let here = at as u64;
        let mut operand = |kind: OperandKind, value: u32| match (kind, value) {
            (OperandKind::Target, 1..) => (i64::from(value) - here.cast_signed()).write(out),
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

/// Reads instructions.
pub(super) fn read(from: &mut Reader<'_>) -> Result<Vec<u32>, Invalid> {
    let size = from.u32()? as usize;
    let mut code: Vec<u32> = Vec::new();
    while code.len() < size {
        let at = i64::try_from(code.len()).map_err(|_| from.invalid("there is too much of it"))?;
        let operand = |from: &mut Reader<'_>, kind: OperandKind| match kind {
            OperandKind::Target => match i64::read(from)? {
                0 => Ok(0),
                distance => {
                    let to = at.checked_add(distance).and_then(|to| u32::try_from(to).ok());
                    to.ok_or_else(|| from.invalid("a target is outside"))
                }
            },
            _ => from.u32(),
        };
        let opcode = from.byte()?;
        let Some(layout) = Opcode::from_byte(opcode).map(Opcode::layout) else {
            return Err(from.invalid(format!("no instruction has number {opcode}")));
        };
        let mut small = [0; 3];
        for (slot, &(_, kind)) in small.iter_mut().zip(layout.small) {
            *slot = operand(from, kind)?;
        }
        let small = &small[..layout.small.len()];
        let mut first = [opcode, 0, 0, 0];
        let narrow = small.iter().zip(&mut first[1..]).all(|(&value, byte)| {
            u8::try_from(value).is_ok_and(|value| {
                *byte = value;
                true
            })
        });
        if narrow {
            code.push(u32::from_le_bytes(first));
        } else {
            code.push(u32::from(opcode | WIDE));
            code.extend_from_slice(small);
        }
        let start = code.len();
        for &(_, kind) in layout.words {
            let word = operand(from, kind)?;
            code.push(word);
        }
        let length = tail_len(layout, &code[start..]).ok_or_else(|| from.invalid("a table is too long"))?;
        let kinds = entries(layout.tail);
        let mut before = 0u32;
        // Every entry takes a byte at least, so a table that is too long ends where the section does.
        for i in 0..length {
            let mut word = operand(
                from,
                if is_key(layout.tail, i) { OperandKind::Number } else { kinds[i % kinds.len()] },
            )?;
            if is_key(layout.tail, i) {
                word = before.checked_add(word).ok_or_else(|| from.invalid("a key is too large"))?;
                before = word;
            }
            code.push(word);
        }
    }
    if code.len() == size { Ok(code) } else { Err(from.invalid("the last instruction is cut")) }
}

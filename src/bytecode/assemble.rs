//! The assembler: writes instructions and resolves labels.

use crate::id::IdVec;

use super::ids::{Address, Label};
use super::instruction::{AsmWord, Emit, WIDE};

/// Code that is being written.
pub(crate) struct Assembler {
    limit: usize,
    code: Vec<u32>,
    /// The address of each label; `None` until the label is placed.
    addresses: IdVec<Label, Option<Address>>,
    /// The words that refer to labels. The addresses of the labels are written when the code is finished.
    fixups: Vec<(usize, Label)>,
    /// True if a length does not fit in a word, or if the code is past the limit.
    overflow: bool,
    /// Scratch: the words of the current instruction.
    words: Vec<AsmWord>,
}

impl Assembler {
    /// Creates an assembler for at most `limit` words, and never more than [`Self::LIMIT`].
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit: limit.min(Self::LIMIT),
            code: Vec::new(),
            addresses: IdVec::default(),
            fixups: Vec::new(),
            overflow: false,
            words: Vec::new(),
        }
    }

    /// The maximum number of words: the end of the code must have a 32-bit address.
    pub(crate) const LIMIT: usize = u32::MAX as usize;

    /// Creates a label.
    pub(crate) fn label(&mut self) -> Label {
        self.addresses.push(None)
    }

    /// Places a label at the next instruction.
    pub(crate) fn place(&mut self, label: Label) {
        self.addresses[label] = Some(self.here());
    }

    /// The address of the next instruction. If it is past the limit, [`Self::finish`] fails.
    pub(crate) fn here(&mut self) -> Address {
        self.overflow |= self.code.len() > self.limit;
        Address::try_new(self.code.len()).unwrap_or(Address::FAIL)
    }

    /// Writes an instruction.
    pub(crate) fn emit<I: Emit>(&mut self, instruction: I) {
        let opcode = I::OPCODE as u8;
        let small = instruction.small();
        match small.map(u8::try_from) {
            [Ok(a), Ok(b), Ok(c)] => self.code.push(u32::from_le_bytes([opcode, a, b, c])),
            _ => {
                self.code.push(u32::from(opcode | WIDE));
                self.code.extend_from_slice(&small[..I::OPCODE.layout().small.len()]);
            }
        }
        let mut words = std::mem::take(&mut self.words);
        instruction.words(&mut words);
        for word in words.drain(..) {
            let number = match word {
                AsmWord::Number(number) => number,
                AsmWord::Length(length) => u32::try_from(length).unwrap_or_else(|_| {
                    self.overflow = true;
                    0
                }),
                AsmWord::Target(label) => {
                    self.fixups.push((self.code.len(), label));
                    0
                }
            };
            self.code.push(number);
        }
        self.words = words;
    }

    /// The number of words.
    pub(crate) fn len(&self) -> usize {
        self.code.len()
    }

    /// The finished code; `None` if it is past the limit or if a length does not fit in a word.
    pub(crate) fn finish(mut self) -> Option<Vec<u32>> {
        self.here();
        for (at, label) in self.fixups {
            self.code[at] = self.addresses[label].expect("every label that is used is placed").raw();
        }
        (!self.overflow).then_some(self.code)
    }

    /// The address of a label; `None` if it is not placed yet.
    pub(crate) fn address(&self, label: Label) -> Option<Address> {
        self.addresses.get(label).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::ids::{OpNumber, Register};
    use crate::bytecode::instruction::{Opcode, decode, emit};

    #[test]
    fn narrow_and_wide_instructions_decode_as_written() {
        for operand in [0, 255, 256, u32::MAX] {
            let mut asm = Assembler::new(Assembler::LIMIT);
            let otherwise = asm.label();
            let [from, to] = [1, 2].map(Register::from_raw);
            asm.emit(emit::OperandOpIs { from, operand, to, name: OpNumber::from_raw(7), otherwise });
            asm.place(otherwise);
            asm.emit(emit::Fail {});
            let code = asm.finish().unwrap();
            let read = decode(&code, Address::FAIL).unwrap();
            assert_eq!((read.small(), read.words[0]), (&[1, operand, 2][..], 7));
            assert_eq!(read.words[1], read.end.raw());
            assert_eq!(decode(&code, read.end).unwrap().layout.opcode, Opcode::Fail);
        }
    }

    #[test]
    fn a_table_that_ends_too_soon_is_not_an_instruction() {
        let mut asm = Assembler::new(Assembler::LIMIT);
        let end = asm.label();
        asm.place(end);
        let tail = [5, 6].map(|name| (OpNumber::from_raw(name), end)).to_vec();
        asm.emit(emit::NameSwitch { op: Register::ROOT, otherwise: end, tail });
        let code = asm.finish().unwrap();
        assert!(decode(&code, Address::FAIL).is_some());
        assert!(decode(&code[..code.len() - 1], Address::FAIL).is_none());
    }
}

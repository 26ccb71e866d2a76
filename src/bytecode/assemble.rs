//! Writing code: instructions with labels, checked and narrowed.

use crate::id::{IdVec, define_ids};

use super::instruction::{Opcode, WIDE};

define_ids! {
    /// A place in code that may not be known yet.
    pub(crate) struct Label;
}

/// Code in the making.
pub(crate) struct Assembler {
    limit: usize,
    code: Vec<u32>,
    places: IdVec<Label, Option<u32>>,
    open: Vec<(usize, Label)>,
    overflow: bool,
}

/// An operand as it is given.
#[derive(Clone, Copy)]
pub(crate) enum Word {
    Number(u32),
    To(Label),
}

impl From<u32> for Word {
    fn from(number: u32) -> Self {
        Word::Number(number)
    }
}

impl From<Label> for Word {
    fn from(label: Label) -> Self {
        Word::To(label)
    }
}

impl Assembler {
    /// No code yet, which may have at most `limit` words, and never more than [`Self::LIMIT`].
    pub(crate) fn new(limit: usize) -> Self {
        let limit = limit.min(Self::LIMIT);
        Self { limit, code: Vec::new(), places: IdVec::default(), open: Vec::new(), overflow: false }
    }

    /// How many words have addresses.
    pub(crate) const LIMIT: usize = u32::MAX as usize;

    /// A place to jump to.
    pub(crate) fn label(&mut self) -> Label {
        self.places.push(None)
    }

    /// Says that a label is here.
    pub(crate) fn place(&mut self, label: Label) {
        self.places[label] = Some(self.here());
    }

    /// The address of what is written next.
    pub(crate) fn here(&mut self) -> u32 {
        self.overflow |= self.code.len() > self.limit;
        u32::try_from(self.code.len()).unwrap_or(0)
    }

    /// Writes an instruction: its small operands, then the others with its tail.
    pub(crate) fn emit(&mut self, opcode: Opcode, small: &[u32], words: &[Word]) {
        let layout = opcode.layout();
        debug_assert_eq!(small.len(), layout.small.len(), "{}", layout.mnemonic);
        debug_assert!(words.len() >= layout.words.len(), "{}", layout.mnemonic);
        let mut first = [opcode as u8, 0, 0, 0];
        let narrow = small.iter().zip(&mut first[1..]).all(|(&operand, byte)| {
            u8::try_from(operand).is_ok_and(|narrow| {
                *byte = narrow;
                true
            })
        });
        if narrow {
            self.code.push(u32::from_le_bytes(first));
        } else {
            self.code.push(u32::from(opcode as u8 | WIDE));
            self.code.extend_from_slice(small);
        }
        for &word in words {
            match word {
                Word::Number(number) => self.code.push(number),
                Word::To(label) => {
                    self.open.push((self.code.len(), label));
                    self.code.push(0);
                }
            }
        }
    }

    /// How many words there are.
    pub(crate) fn len(&self) -> usize {
        self.code.len()
    }

    /// The finished code; `None` past the limit.
    pub(crate) fn finish(mut self) -> Option<Vec<u32>> {
        self.here();
        for (at, label) in self.open {
            self.code[at] = self.places[label].expect("every label that is used is placed");
        }
        (!self.overflow).then_some(self.code)
    }

    /// The address of a placed label.
    pub(crate) fn address(&self, label: Label) -> Option<u32> {
        self.places.get(label).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::instruction::decode;

    #[test]
    fn what_is_written_is_read_back_narrow_and_wide() {
        for operand in [0, 255, 256, u32::MAX] {
            let mut asm = Assembler::new(Assembler::LIMIT);
            let end = asm.label();
            asm.emit(Opcode::OperandOpIs, &[1, operand, 2], &[7.into(), end.into()]);
            asm.place(end);
            asm.emit(Opcode::Fail, &[], &[]);
            let code = asm.finish().unwrap();
            let read = decode(&code, 0).unwrap();
            assert_eq!((read.small, read.words[0]), ([1, operand, 2], 7));
            assert_eq!(read.words[1] as usize, read.end);
            assert_eq!(decode(&code, read.end).unwrap().layout.opcode, Opcode::Fail);
        }
    }

    #[test]
    fn a_table_that_ends_too_soon_is_no_instruction() {
        let mut asm = Assembler::new(Assembler::LIMIT);
        let end = asm.label();
        asm.place(end);
        asm.emit(
            Opcode::NameSwitch,
            &[0],
            &[end.into(), 2.into(), 5.into(), end.into(), 6.into(), end.into()],
        );
        let code = asm.finish().unwrap();
        assert!(decode(&code, 0).is_some());
        assert!(decode(&code[..code.len() - 1], 0).is_none());
    }
}

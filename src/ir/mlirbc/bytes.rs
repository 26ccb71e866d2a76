//! The primitives of the encoding: bytes, numbers of variable length, and sections.

use super::error::{self, ReadResult};
use super::version::{ALIGNED, PADDING, SectionKind};

/// The number of bytes that follow the first byte of a number of variable length if the first byte is zero. If it is
/// not zero, one byte follows for each of its low zero bits.
const LONG: usize = 8;

/// A part of a file, with a position in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    file: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    /// The whole file.
    pub(super) fn new(file: &'a [u8]) -> Self {
        Self { file, at: 0, end: file.len() }
    }

    /// The offset of the next byte in the file.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The number of bytes that remain.
    pub(super) fn remaining(&self) -> usize {
        self.end - self.at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// The bytes that remain.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.file[self.at..self.end]
    }

    /// Checks that nothing remains of `what`.
    pub(super) fn finish(&self, what: &str) -> ReadResult<()> {
        if self.is_empty() { Ok(()) } else { Err(error::trailing(what, self.remaining(), self.at)) }
    }

    /// Reads a byte.
    pub(super) fn byte(&mut self) -> ReadResult<u8> {
        let byte = *self.rest().first().ok_or_else(|| error::too_short(1, 0, self.at))?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads a Boolean.
    pub(super) fn bool(&mut self) -> ReadResult<bool> {
        Ok(self.byte()? != 0)
    }

    /// Reads this many bytes.
    pub(super) fn bytes(&mut self, count: u64) -> ReadResult<&'a [u8]> {
        let part = self.part(count)?;
        Ok(part.rest())
    }

    /// Splits off the next `count` bytes as a part.
    pub(super) fn part(&mut self, count: u64) -> ReadResult<Self> {
        let size = usize::try_from(count).ok().filter(|&count| count <= self.remaining());
        let size = size.ok_or_else(|| error::too_short(count, self.remaining(), self.at))?;
        let part = Self { file: self.file, at: self.at, end: self.at + size };
        self.at += size;
        Ok(part)
    }

    /// Reads a number.
    pub(super) fn number(&mut self) -> ReadResult<u64> {
        let first = self.byte()?;
        if first & 1 == 1 {
            return Ok(u64::from(first >> 1));
        }
        let mut all = [0; LONG];
        if first == 0 {
            all.copy_from_slice(self.bytes(LONG as u64)?);
            return Ok(u64::from_le_bytes(all));
        }
        let more = first.trailing_zeros();
        all[0] = first;
        all[1..=more as usize].copy_from_slice(self.bytes(more.into())?);
        Ok(u64::from_le_bytes(all) >> (more + 1))
    }

    /// Reads a signed number.
    pub(super) fn signed(&mut self) -> ReadResult<i64> {
        let number = self.number()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// Reads a number whose lowest bit is a flag.
    pub(super) fn flagged(&mut self) -> ReadResult<(u64, bool)> {
        let number = self.number()?;
        Ok((number >> 1, number & 1 == 1))
    }

    /// Reads the number of the items that follow. Each item takes a byte or more.
    pub(super) fn count(&mut self, what: &str) -> ReadResult<usize> {
        let count = self.number()?;
        self.fitting(count, what)
    }

    /// Checks that this many items of at least one byte fit into the rest.
    pub(super) fn fitting(&self, count: u64, what: &str) -> ReadResult<usize> {
        let fitting = usize::try_from(count).ok().filter(|&count| count <= self.remaining());
        fitting.ok_or_else(|| error::too_many(what, count, self.remaining(), self.at))
    }

    /// Reads text up to a zero byte.
    pub(super) fn zero_terminated(&mut self) -> ReadResult<&'a [u8]> {
        let end = memchr::memchr(0, self.rest()).ok_or_else(|| error::unterminated(self.at))?;
        let text = &self.rest()[..end];
        self.at += end + 1;
        Ok(text)
    }

    /// Skips padding, up to a multiple of `alignment` from the start of the file.
    pub(super) fn align(&mut self, alignment: u64) -> ReadResult<()> {
        if !alignment.is_power_of_two() {
            return Err(error::bad_alignment(alignment, self.at));
        }
        while self.at as u64 & (alignment - 1) != 0 {
            let at = self.at;
            let byte = self.byte()?;
            if byte != PADDING {
                return Err(error::bad_padding(byte, at));
            }
        }
        Ok(())
    }

    /// Reads a section.
    pub(super) fn section(&mut self) -> ReadResult<(SectionKind, Self)> {
        let at = self.at;
        let mark = self.byte()?;
        let length = self.number()?;
        let number = mark & !ALIGNED;
        let kind = SectionKind::from_number(number).ok_or_else(|| error::unknown_section(number, at))?;
        if mark & ALIGNED != 0 {
            let alignment = self.number()?;
            self.align(alignment)?;
        }
        let data = self.part(length).map_err(|_| error::long_section(kind, length, self.remaining(), at))?;
        Ok((kind, data))
    }
}

/// Bytes that are being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes a number in the fewest bytes.
    pub(super) fn number(&mut self, value: u64) {
        let bits = u64::BITS - value.leading_zeros();
        let size = bits.div_ceil(7).max(1) as usize;
        if size > LONG {
            self.byte(0);
            self.raw(&value.to_le_bytes());
        } else {
            let marked = (value << 1 | 1) << (size - 1);
            self.raw(&marked.to_le_bytes()[..size]);
        }
    }

    /// Writes the length of a list.
    pub(super) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    /// Writes a signed number.
    pub(super) fn signed(&mut self, value: i64) {
        self.number((value << 1 ^ value >> 63).cast_unsigned());
    }

    /// Writes a number with a flag in its lowest bit.
    pub(super) fn flagged(&mut self, value: u64, flag: bool) {
        self.number(value << 1 | u64::from(flag));
    }

    /// Writes the number of bytes, then the bytes.
    pub(super) fn blob(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.raw(bytes);
    }

    /// Writes text and a zero byte.
    pub(super) fn zero_terminated(&mut self, text: &[u8]) {
        self.raw(text);
        self.byte(0);
    }

    /// Writes padding up to an offset that is a multiple of `alignment`, a power of two.
    pub(super) fn align(&mut self, alignment: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment), PADDING);
    }

    /// Writes a section whose data starts at a multiple of `alignment` in the file.
    pub(super) fn section(&mut self, kind: SectionKind, data: &[u8], alignment: usize) {
        let mark = if alignment > 1 { ALIGNED } else { 0 };
        self.byte(kind as u8 | mark);
        self.count(data.len());
        if alignment > 1 {
            self.count(alignment);
            self.align(alignment);
        }
        self.raw(data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples from the documentation of the format. The low bits of the first byte state the length.
    #[test]
    fn numbers_have_their_length_in_the_low_bits() {
        let number = |bytes: &[u8]| Reader::new(bytes).number().ok();
        assert_eq!(number(&[0b0000_0001]), Some(0));
        assert_eq!(number(&[0b1111_1111]), Some(127));
        assert_eq!(number(&[0b0000_0010, 0b10]), Some(128));
        assert_eq!(number(&[0b1000_0000, 0, 0, 0, 0, 0, 0, 1]), Some(1 << 48));
        assert_eq!(number(&[0, 1, 0, 0, 0, 0, 0, 0, 0x80]), Some(1 << 63 | 1));
        assert_eq!(number(&[]), None);
        assert_eq!(number(&[0b10]), None);
        assert_eq!(number(&[0, 1, 2, 3, 4, 5, 6, 7]), None);
    }

    /// A number takes one byte for each seven bits, up to 56 bits, and is read back.
    #[test]
    fn numbers_are_written_in_the_fewest_bytes() {
        for bit in 0..64u32 {
            for value in [1 << bit, (1 << bit) - 1, u64::MAX >> bit] {
                let mut writer = Writer::default();
                writer.number(value);
                let bits = (u64::BITS - value.leading_zeros()).max(1);
                assert_eq!(
                    writer.bytes.len(),
                    if bits > 56 { 9 } else { bits.div_ceil(7) as usize },
                    "{value}"
                );
                assert_eq!(Reader::new(&writer.bytes).number().ok(), Some(value));
                let mut writer = Writer::default();
                writer.signed(value.cast_signed());
                assert_eq!(Reader::new(&writer.bytes).signed().ok(), Some(value.cast_signed()));
            }
        }
    }

    #[test]
    fn the_sign_is_the_lowest_bit() {
        let number = |byte: u8| Reader::new(&[byte << 1 | 1]).signed().ok();
        assert_eq!([0, 1, 2, 3, 4].map(number), [0, -1, 1, -2, 2].map(Some));
        let smallest = [&[0][..], &[0xFF; 8]].concat();
        assert_eq!(Reader::new(&smallest).signed().ok(), Some(i64::MIN));
    }

    #[test]
    fn padding_ends_at_a_multiple_of_the_alignment() {
        let bytes = [7, PADDING, PADDING, PADDING, 9];
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.byte().ok(), Some(7));
        assert!(reader.align(3).is_err());
        assert!(reader.align(4).is_ok());
        assert!(reader.align(4).is_ok());
        assert_eq!(reader.byte().ok(), Some(9));
        assert!(reader.align(8).is_err());
    }
}

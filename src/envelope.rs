//! The header of binary files.
//!
//! Specification: for a file that [`seal`] completed, [`Envelope::open`] returns the bytes after the header. For all
//! other bytes, it returns an error, unless the checksum fails to detect the difference.
//!
//! All numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 0–7 | the name of the format, and the bytes 13, 10 and 26, some of which change if the file is copied as text |
//! | 8–11 | the byte order mark, 0x01020304 |
//! | 12–15 | the version of the format |
//! | 16–23 | the size of the file in bytes |
//! | 24–31 | the checksum: the CRC-32 (IEEE) of all bytes except these eight |

use std::cmp::Ordering;
use std::fmt;

use crate::plural::count;

/// The size of the header in bytes.
pub(crate) const SIZE: usize = 32;
const BYTE_ORDER: u32 = 0x0102_0304;
/// The field of the header that contains the checksum.
const CHECKSUM: std::ops::Range<usize> = 24..32;

/// A format of binary files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    /// The first bytes of a file.
    pub(crate) magic: &'static [u8; 8],
    /// The version that is written and read.
    pub(crate) version: u32,
}

/// The reason why bytes are not a file of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// The first bytes are those of another format.
    OtherFormat,
    /// The file was written in the other byte order.
    ByteOrder,
    /// The file has another version of the format.
    Version { found: u32, expected: u32 },
    /// The end is missing.
    Truncated { found: usize, expected: Option<u64> },
    /// This many bytes follow the end.
    Trailing(u64),
    /// The checksum is wrong.
    Checksum,
}

impl Envelope {
    /// The header of a file, to which [`seal`] adds the size and the checksum.
    pub(crate) fn header(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SIZE);
        bytes.extend_from_slice(self.magic);
        bytes.extend_from_slice(&BYTE_ORDER.to_le_bytes());
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.resize(SIZE, 0);
        bytes
    }

    /// True if the bytes start like a file of this format.
    pub(crate) fn recognises(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(self.magic)
    }

    /// Verifies the header and the checksum, and returns the bytes after the header.
    pub(crate) fn open<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8], Damage> {
        let magic = &bytes[..bytes.len().min(self.magic.len())];
        if !self.magic.starts_with(magic) || magic.is_empty() {
            return Err(Damage::OtherFormat);
        }
        let truncated = |expected: Option<u64>| Damage::Truncated { found: bytes.len(), expected };
        let word = |at: usize| {
            let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
            word.map(u32::from_le_bytes).ok_or_else(|| truncated(None))
        };
        let long = |at: usize| Ok(u64::from(word(at)?) | u64::from(word(at + 4)?) << 32);
        match word(8)? {
            BYTE_ORDER => {}
            order if order.swap_bytes() == BYTE_ORDER => return Err(Damage::ByteOrder),
            _ => return Err(Damage::OtherFormat),
        }
        let found = word(12)?;
        if found != self.version {
            return Err(Damage::Version { found, expected: self.version });
        }
        let size = long(16)?;
        match size.cmp(&(bytes.len() as u64)) {
            Ordering::Greater => return Err(truncated(Some(size))),
            Ordering::Less => return Err(Damage::Trailing(bytes.len() as u64 - size)),
            Ordering::Equal => {}
        }
        if long(CHECKSUM.start)? != checksum(bytes) {
            return Err(Damage::Checksum);
        }
        bytes.get(SIZE..).ok_or_else(|| truncated(None))
    }
}

/// Writes the size and the checksum into the header.
pub(crate) fn seal(bytes: &mut [u8]) {
    let size = bytes.len() as u64;
    if let Some(field) = bytes.get_mut(16..24) {
        field.copy_from_slice(&size.to_le_bytes());
    }
    let sum = checksum(bytes);
    if let Some(field) = bytes.get_mut(CHECKSUM) {
        field.copy_from_slice(&sum.to_le_bytes());
    }
}

/// The CRC-32 of all bytes except the field of the checksum.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..CHECKSUM.start.min(bytes.len())]);
    sum.update(bytes.get(CHECKSUM.end..).unwrap_or_default());
    u64::from(sum.finalize())
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::OtherFormat => write!(f, "it has another format"),
            Damage::ByteOrder => write!(f, "it was written in the other byte order"),
            Damage::Version { found, expected } => {
                write!(f, "it has version {found} of the format, expected {expected}")
            }
            Damage::Truncated { found, expected: Some(expected) } => {
                write!(f, "it is truncated: it has {found} of {expected} bytes")
            }
            Damage::Truncated { found, expected: None } => {
                write!(
                    f,
                    "it is truncated: it has {}, and the header alone has {SIZE}",
                    count(*found, "byte")
                )
            }
            Damage::Trailing(extra) => write!(f, "its end is followed by {}", count(*extra, "byte")),
            Damage::Checksum => write!(f, "it is corrupt: the checksum is wrong"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums are those of Python's `zlib.crc32`.
    #[test]
    fn the_checksum_is_the_crc_of_all_other_bytes() {
        let expected = [
            (0, 0x0000_0000),
            (8, 0xe2e3_5978),
            (24, 0xa20b_2caa),
            (32, 0xa20b_2caa),
            (33, 0xdda0_1d95),
            (100, 0xdeeb_5c50),
            (320, 0xd8f1_f6ec),
        ];
        let bytes: Vec<u8> = (0..320u32).map(|i| (7 * i + 3).to_le_bytes()[0]).collect();
        for (length, sum) in expected {
            assert_eq!(checksum(&bytes[..length]), sum, "{length} bytes");
        }
    }
}

//! Packs: definitions of dialects in one file.
//!
//! Specification: a context that gets its dialects from a pack reads and prints the same text as a context that gets
//! them from the definitions that were packed. Damaged bytes are rejected.
//!
//! A pack has the header that [`envelope`](crate::envelope) describes, with the name `DRRDL`; the size of a table in 8
//! bytes; the table, which lists the dialects; and the definitions of each dialect. The definitions of a dialect are
//! decoded and checked when the dialect is looked up.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::definition::Dialect;
use super::source::DialectSource;
use crate::envelope::{self, Damage, Envelope};
use crate::source::Diagnostic;
use crate::wire::{self, Invalid, wire_structs};

const ENVELOPE: Envelope = Envelope { magic: b"DRRDL\r\n\x1a", version: DialectPack::FORMAT_VERSION };

/// Definitions of dialects as bytes. `drrvm ods --pack` writes such a file.
///
/// ```
/// use drrvm::ir::dialect::{Dialect, DialectPack, DialectSource, PackedDialect};
/// let (name, record) = ("my".to_owned(), "My_Dialect".to_owned());
/// let empty = PackedDialect { name, record, is_extension: false, dialect: Dialect::default() };
/// let bytes = DialectPack::to_bytes(&[empty]).unwrap();
/// let pack = DialectPack::from_bytes(bytes.clone()).unwrap();
/// assert_eq!(pack.names().collect::<Vec<_>>(), ["my"]);
/// assert!(pack.dialect("my").unwrap().is_some());
/// assert!(pack.dialect("other").unwrap().is_none());
/// assert!(DialectPack::from_bytes(&bytes.leak()[1..]).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct DialectPack {
    bytes: Cow<'static, [u8]>,
    entries: Vec<Entry>,
}

/// A dialect to store in a pack.
#[derive(Clone, Debug)]
pub struct PackedDialect {
    /// Its name.
    pub name: String,
    /// The name of its record in TableGen.
    pub record: String,
    /// True if the definitions only add operations to a dialect that is defined elsewhere.
    pub is_extension: bool,
    /// The definitions.
    pub dialect: Dialect,
}

/// A dialect in the table of a pack.
#[derive(Clone, Debug)]
struct Entry {
    name: String,
    record: String,
    is_extension: bool,
    bytes: Range<usize>,
}

/// An entry as it is encoded: it stores a size, not a range.
struct Row {
    name: String,
    record: String,
    is_extension: bool,
    size: usize,
}

struct Table {
    rows: Vec<Row>,
}

wire_structs! {
    Row { name, record, is_extension, size }
    Table { rows }
}

/// The reason why bytes are not a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackError {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Damaged(Damage),
    Invalid(String),
}

impl PackError {
    /// The diagnostic for the file with this name.
    pub fn diagnostic(&self, file: &str) -> Diagnostic {
        let diagnostic = Diagnostic::error(format!("cannot load '{file}': {self}"));
        match self.kind {
            Kind::Damaged(Damage::OtherFormat) => {
                diagnostic.help("`drrvm ods --pack` writes packs of definitions")
            }
            Kind::Damaged(Damage::ByteOrder | Damage::Version { .. }) => {
                diagnostic.help("pack the definitions again with this version of `drrvm`")
            }
            Kind::Damaged(_) | Kind::Invalid(_) => diagnostic,
        }
    }
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Damaged(Damage::OtherFormat) => write!(f, "it is not a pack of definitions"),
            Kind::Damaged(damage) => damage.fmt(f),
            Kind::Invalid(what) => write!(f, "it is invalid: {what}"),
        }
    }
}

impl std::error::Error for PackError {}

impl From<Damage> for PackError {
    fn from(damage: Damage) -> Self {
        Self { kind: Kind::Damaged(damage) }
    }
}

impl From<Invalid> for PackError {
    fn from(invalid: Invalid) -> Self {
        Self { kind: Kind::Invalid(invalid.into_parts().1) }
    }
}

impl DialectPack {
    /// The version of the file format that is written and read.
    pub const FORMAT_VERSION: u32 = 10;

    /// Encodes definitions as a file.
    ///
    /// # Errors
    /// The definitions cannot be decoded again, for example because an assembly format is nested too deeply.
    pub fn to_bytes(dialects: &[PackedDialect]) -> Result<Vec<u8>, PackError> {
        let mut rows = Vec::with_capacity(dialects.len());
        let mut contents = Vec::new();
        for packed in dialects {
            let bytes = wire::encode(&packed.dialect);
            wire::decode::<Dialect>(&bytes)?;
            rows.push(Row {
                name: packed.name.clone(),
                record: packed.record.clone(),
                is_extension: packed.is_extension,
                size: bytes.len(),
            });
            contents.extend_from_slice(&bytes);
        }
        let table = wire::encode(&Table { rows });
        let mut bytes = ENVELOPE.header();
        bytes.extend_from_slice(&(table.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&table);
        bytes.extend_from_slice(&contents);
        envelope::seal(&mut bytes);
        Ok(bytes)
    }

    /// Loads a pack from bytes. Static bytes are borrowed. Verifies the checksum and the table.
    ///
    /// # Errors
    /// The bytes are not a pack of this version of the format, or are corrupt.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, PackError> {
        let bytes = bytes.into();
        let entries = entries(&bytes)?;
        Ok(Self { bytes, entries })
    }

    /// True if the bytes start like a pack.
    pub fn recognises(bytes: &[u8]) -> bool {
        ENVELOPE.recognises(bytes)
    }

    /// The names of the dialects that the pack defines.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| !entry.is_extension).map(|entry| entry.name.as_str())
    }

    /// The record of a dialect that the pack defines.
    pub(crate) fn record(&self, name: &str) -> Option<&str> {
        let mut entries = self.entries.iter();
        let found = entries.find(|entry| entry.name == name && !entry.is_extension);
        found.map(|entry| entry.record.as_str())
    }

    /// The operations that the pack adds to a dialect that it does not define.
    ///
    /// # Errors
    /// The definitions are inconsistent.
    pub(crate) fn extension(&self, name: &str) -> Result<Option<Dialect>, PackError> {
        self.find(name, true)
    }

    fn find(&self, name: &str, is_extension: bool) -> Result<Option<Dialect>, PackError> {
        let mut entries = self.entries.iter();
        let found = entries.find(|entry| entry.name == name && entry.is_extension == is_extension);
        let Some(entry) = found else { return Ok(None) };
        let dialect: Dialect = wire::decode(&self.bytes[entry.bytes.clone()])?;
        let prefix = format!("{name}.");
        for part in &dialect.parts {
            let ops = part.ops.iter().map(|op| &op.name);
            let classes = part.attributes.iter().chain(&part.types).map(|class| &class.0);
            if let Some(other) = ops.chain(classes).find(|other| !other.starts_with(&prefix)) {
                let what = format!(
                    "the definitions of dialect '{name}' contain '{other}', which belongs to another dialect"
                );
                return Err(PackError { kind: Kind::Invalid(what) });
            }
        }
        Ok(Some(dialect))
    }
}

/// Reads the table of a pack.
fn entries(bytes: &[u8]) -> Result<Vec<Entry>, PackError> {
    let contents = ENVELOPE.open(bytes)?;
    let truncated = Damage::Truncated { found: bytes.len(), expected: None };
    let larger = |part: &str| PackError { kind: Kind::Invalid(format!("{part} is larger than the file")) };
    let (size, rest) = contents.split_first_chunk().ok_or(truncated)?;
    let size = usize::try_from(u64::from_le_bytes(*size)).ok();
    let parts = size.and_then(|size| rest.split_at_checked(size));
    let (table, contents) = parts.ok_or_else(|| larger("the table"))?;
    let table: Table = wire::decode(table)?;
    let mut at = bytes.len() - contents.len();
    let mut entries = Vec::with_capacity(table.rows.len());
    for row in table.rows {
        let Row { name, record, is_extension, size } = row;
        let end = at.checked_add(size).filter(|&end| end <= bytes.len());
        let end = end.ok_or_else(|| larger(&format!("dialect '{name}'")))?;
        entries.push(Entry { name, record, is_extension, bytes: at..end });
        at = end;
    }
    if at == bytes.len() { Ok(entries) } else { Err(Damage::Trailing((bytes.len() - at) as u64).into()) }
}

impl DialectSource for DialectPack {
    fn dialect(&self, name: &str) -> Result<Option<Dialect>, Diagnostic> {
        let cannot = |error: PackError| Diagnostic::error(format!("cannot load dialect '{name}': {error}"));
        self.find(name, false).map_err(cannot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_exceed_the_file_are_errors() {
        let load = |size: usize, table: &[u8]| {
            let mut bytes = ENVELOPE.header();
            bytes.extend_from_slice(&(size as u64).to_le_bytes());
            bytes.extend_from_slice(table);
            envelope::seal(&mut bytes);
            DialectPack::from_bytes(bytes).expect_err("a size is too large").to_string()
        };
        assert_eq!(load(100, &[]), "it is invalid: the table is larger than the file");
        let (name, record) = ("my".to_owned(), "My_Dialect".to_owned());
        let table = wire::encode(&Table { rows: vec![Row { name, record, is_extension: false, size: 1 }] });
        assert_eq!(load(table.len(), &table), "it is invalid: dialect 'my' is larger than the file");
    }
}

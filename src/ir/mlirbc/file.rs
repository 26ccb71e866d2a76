//! Reads the header and the sections of a file: strings, dialects, operation names, properties, and the extents of the
//! encoded attributes and types.

use std::borrow::Cow;

use super::bytes::Reader;
use super::error::{self, Origin, ReadResult};
use super::version::{self, MAGIC, SectionKind, VERSION};
use crate::string_literal;

/// The name of an operation.
#[derive(Clone, Debug)]
pub(super) struct OpName {
    /// The full name.
    pub(super) name: String,
    /// True if the writer knew the definition of the operation; always false for files before version 5, which do not
    /// state this.
    pub(super) registered: bool,
}

/// An attribute or type in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoded<'a> {
    pub(super) dialect: usize,
    /// True if it has the binary form of its dialect, false if it is text.
    pub(super) binary: bool,
    pub(super) data: Reader<'a>,
}

/// The contents of a file. The sections of operations and resources are stored as bytes.
#[derive(Debug)]
pub(super) struct File<'a> {
    bytes: &'a [u8],
    version: Option<u64>,
    producer: Cow<'a, str>,
    sections: [Option<Reader<'a>>; SectionKind::ALL.len()],
    pub(super) strings: Vec<Cow<'a, str>>,
    /// The names of the dialects to which the file refers.
    pub(super) dialects: Vec<Cow<'a, str>>,
    pub(super) op_names: Vec<OpName>,
    pub(super) attrs: Vec<Encoded<'a>>,
    pub(super) types: Vec<Encoded<'a>>,
    pub(super) properties: Vec<Reader<'a>>,
}

impl<'a> File<'a> {
    /// A file that is not read yet.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            version: None,
            producer: "".into(),
            sections: [None; SectionKind::ALL.len()],
            strings: Vec::new(),
            dialects: Vec::new(),
            op_names: Vec::new(),
            attrs: Vec::new(),
            types: Vec::new(),
            properties: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The size, version and producer of the file, for messages.
    pub(super) fn origin(&self) -> Origin<'_> {
        Origin { size: self.len(), version: self.version, producer: &self.producer }
    }

    /// The version of the file; the newest known version until the header is read.
    pub(super) fn version(&self) -> u64 {
        self.version.unwrap_or(VERSION)
    }

    /// A section, if the file has it.
    pub(super) fn section(&self, kind: SectionKind) -> Option<Reader<'a>> {
        self.sections[kind as usize]
    }

    /// A section that the file must have.
    pub(super) fn required(&self, kind: SectionKind) -> ReadResult<Reader<'a>> {
        self.section(kind).ok_or_else(|| error::missing_section(kind, self.len()))
    }

    /// Reads the header and all sections but the operations and resources.
    pub(super) fn sections(&mut self) -> ReadResult<()> {
        if !version::is_bytecode(self.bytes) {
            return Err(error::no_magic());
        }
        let mut reader = Reader::new(self.bytes);
        reader.bytes(MAGIC.len() as u64)?;
        let at = reader.position();
        let version = reader.number()?;
        if version > VERSION {
            return Err(error::unknown_version(version, at));
        }
        self.version = Some(version);
        self.producer = string_literal::from_bytes(reader.zero_terminated()?);
        while !reader.is_empty() {
            let at = reader.position();
            let (kind, data) = reader.section()?;
            if self.sections[kind as usize].replace(data).is_some() {
                return Err(error::repeated_section(kind, at));
            }
        }
        for kind in SectionKind::ALL {
            if kind.is_required(version) {
                self.required(kind)?;
            }
        }
        self.read_strings()?;
        self.read_properties()?;
        self.read_dialects()?;
        self.read_attrs_and_types()
    }

    fn read_strings(&mut self) -> ReadResult<()> {
        let mut reader = self.required(SectionKind::Strings)?;
        let mut data = reader.rest();
        let count = reader.count("strings")?;
        let mut strings = Vec::with_capacity(count);
        for _ in 0..count {
            let at = reader.position();
            let size = reader.number()?;
            // The sizes are stored from the last string to the first. Each size includes a zero byte.
            let start = usize::try_from(size)
                .ok()
                .filter(|&size| size > 0)
                .and_then(|size| data.len().checked_sub(size));
            let start = start.ok_or_else(|| error::string_size(size, data.len(), at))?;
            strings.push(string_literal::from_bytes(&data[start..data.len() - 1]));
            data = &data[..start];
        }
        let sizes = self.required(SectionKind::Strings)?.remaining() - reader.remaining();
        if data.len() != sizes {
            return Err(error::string_gap(reader.position()));
        }
        strings.reverse();
        self.strings = strings;
        Ok(())
    }

    /// Splits the section of properties into its sets. The size of each set precedes it.
    fn read_properties(&mut self) -> ReadResult<()> {
        let Some(mut reader) = self.section(SectionKind::Properties) else { return Ok(()) };
        if reader.is_empty() {
            return Ok(());
        }
        for _ in 0..reader.count("properties")? {
            let size = reader.number()?;
            self.properties.push(reader.part(size)?);
        }
        reader.finish("the section 'properties'")
    }

    fn read_dialects(&mut self) -> ReadResult<()> {
        let mut reader = self.required(SectionKind::Dialects)?;
        for _ in 0..reader.count("dialects")? {
            let name = if self.version() < version::DIALECT_VERSIONS {
                self.string(&mut reader)?.clone()
            } else {
                let at = reader.position();
                let (name, versioned) = reader.flagged()?;
                if versioned {
                    let at = reader.position();
                    // The version of the dialect is ignored, because definitions have no versions.
                    let (kind, _) = reader.section()?;
                    if kind != SectionKind::DialectVersion {
                        return Err(error::expected_section(SectionKind::DialectVersion, kind, at));
                    }
                }
                self.string_at(name, at)?.clone()
            };
            self.dialects.push(name);
        }
        if self.version() >= version::ELIDED_LOCATIONS {
            reader.count("operation names")?;
        }
        while !reader.is_empty() {
            let (dialect, count) = self.group(&mut reader)?;
            for _ in 0..reader.fitting(count, "operation names")? {
                let at = reader.position();
                let (name, registered) = match self.version() {
                    version::PROPERTIES.. => reader.flagged()?,
                    _ => (reader.number()?, false),
                };
                let (dialect, name) = (&self.dialects[dialect], self.string_at(name, at)?);
                // An operation name without a dialect is stored as the name of a dialect.
                let name = if name.is_empty() { dialect.to_string() } else { format!("{dialect}.{name}") };
                self.op_names.push(OpName { name, registered });
            }
        }
        Ok(())
    }

    /// Reads the dialect and the number of entries of a group.
    fn group(&self, reader: &mut Reader<'a>) -> ReadResult<(usize, u64)> {
        let dialect = self.dialect(reader)?;
        Ok((dialect, reader.number()?))
    }

    fn read_attrs_and_types(&mut self) -> ReadResult<()> {
        let mut data = self.required(SectionKind::AttrsAndTypes)?;
        let mut reader = self.required(SectionKind::AttrAndTypeSizes)?;
        let counts = [reader.count("attributes")?, reader.count("types")?];
        for (is_type, count) in counts.into_iter().enumerate() {
            let mut entries = Vec::with_capacity(reader.fitting(count as u64, "attributes and types")?);
            while entries.len() < count {
                let at = reader.position();
                let (dialect, size) = self.group(&mut reader)?;
                let size = reader.fitting(size, "attributes or types")?;
                if size > count - entries.len() {
                    return Err(error::group_size(at));
                }
                for _ in 0..size {
                    let at = reader.position();
                    let (size, binary) = reader.flagged()?;
                    let data = data.part(size).map_err(|_| error::extent(at))?;
                    entries.push(Encoded { dialect, binary, data });
                }
            }
            *(if is_type == 1 { &mut self.types } else { &mut self.attrs }) = entries;
        }
        reader.finish("the section 'sizes of attributes and types'")
    }

    // Entries.

    /// The string with this index. The index was read at byte `at`.
    pub(super) fn string_at(&self, index: u64, at: usize) -> ReadResult<&Cow<'a, str>> {
        entry(&self.strings, "string", index, at)
    }

    /// Reads the index of a string.
    pub(super) fn string(&self, reader: &mut Reader<'a>) -> ReadResult<&Cow<'a, str>> {
        let at = reader.position();
        self.string_at(reader.number()?, at)
    }

    /// Reads the index of a dialect.
    pub(super) fn dialect(&self, reader: &mut Reader<'a>) -> ReadResult<usize> {
        let at = reader.position();
        let index = reader.number()?;
        entry(&self.dialects, "dialect", index, at)?;
        // The index of an existing dialect fits in a `usize`.
        usize::try_from(index).map_err(|_| error::bad_index("dialect", index, self.dialects.len(), at))
    }

    /// Reads the index of an operation name.
    pub(super) fn op_name(&self, reader: &mut Reader<'a>) -> ReadResult<usize> {
        let at = reader.position();
        let index = reader.number()?;
        let found = usize::try_from(index).ok().filter(|&index| index < self.op_names.len());
        found.ok_or_else(|| error::bad_index("operation name", index, self.op_names.len(), at))
    }

    /// Reads the index of a set of properties, and returns a reader of this set.
    pub(super) fn properties(&self, reader: &mut Reader<'a>) -> ReadResult<Reader<'a>> {
        let at = reader.position();
        let index = reader.number()?;
        entry(&self.properties, "set of properties", index, at).copied()
    }
}

/// The entry of a table with this index. The index was read at byte `at`.
pub(super) fn entry<'t, T>(table: &'t [T], what: &str, index: u64, at: usize) -> ReadResult<&'t T> {
    let found = usize::try_from(index).ok().and_then(|index| table.get(index));
    found.ok_or_else(|| error::bad_index(what, index, table.len(), at))
}

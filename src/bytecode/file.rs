//! Programs as bytes: the `.drrbc` file.
//!
//! Specification: [`Program::from_bytes`] gives a program that behaves like the program that [`Program::to_bytes`]
//! wrote. For other bytes, it returns either an error that states the problem, or a program that the engine can run
//! safely.
//!
//! A file consists of the header that [`envelope`](crate::envelope) describes, with the name `DRRBC`; the size of each
//! [`Section`] in bytes, as 64-bit little-endian numbers; and the sections.
//!
//! The file needs no alignment, contains no memory addresses and does not depend on other files. The file `wire.rs` of
//! each earlier stage defines the encoding of the types of that stage.

use super::compact::{self, Addresses};
use super::debug::DebugMap;
use super::error::{self, LoadError};
use super::ids::{Address, LocationId, OpNumber, RewriteCallId, SourceWord};
use super::items::{EncodedItems, ItemRule};
use super::program::{Location, PatternCall, PatternInfo, Program, RewriteCall, TableRange};
use super::validate;
use crate::envelope::{self, Damage, Envelope};
use crate::id::IdVec;
use crate::intern::Interner;
use crate::pdl::{OpTable, PatternId};
use crate::source::SourceMap;
use crate::wire::{
    Invalid, Limits, PlaceSpans, Reader, Section, Wire, Writer, wire_enums, wire_ids, wire_structs,
};

const ENVELOPE: Envelope = Envelope { magic: b"DRRBC\r\n\x1a", version: Program::FORMAT_VERSION };
/// The size of the header and of the table of sections in bytes.
pub(crate) const HEADER: usize = envelope::SIZE + 8 * Section::ALL.len();

impl Program {
    /// The version of the file format that is written and read.
    pub const FORMAT_VERSION: u32 = 17;

    /// Encodes the program as a file. Its source positions, which belong to `sources`, become file, line and column.
    pub fn to_bytes(&self, sources: &SourceMap) -> Vec<u8> {
        let mut out = Writer::new(sources);
        write(self, &mut out);
        let sections = out.finish();
        let size = HEADER + sections.iter().map(Vec::len).sum::<usize>();
        let mut bytes = ENVELOPE.header();
        bytes.reserve(size - bytes.len());
        for section in &sections {
            bytes.extend_from_slice(&(section.len() as u64).to_le_bytes());
        }
        sections.iter().for_each(|section| bytes.extend_from_slice(section));
        envelope::seal(&mut bytes);
        bytes
    }

    /// Decodes the program in a file. The source files that the program mentions are added to `sources`, without their
    /// text, so that messages have file and line.
    ///
    /// # Errors
    /// The bytes are not a program of this version of the format, or are corrupt. Any bytes are safe: a program that is
    /// accepted cannot make the engine panic.
    pub fn from_bytes(bytes: &[u8], sources: &mut SourceMap) -> Result<Program, LoadError> {
        let mut sections = Vec::with_capacity(Section::ALL.len());
        let mut rest = &bytes[HEADER.min(bytes.len())..];
        for (_, size) in section_sizes(bytes)? {
            let (section, after) = rest.split_at(size);
            sections.push(section);
            rest = after;
        }
        let read = || {
            let places = PlaceSpans::add(sections[Section::Places as usize], sources)?;
            let debug = sections[Section::Debug as usize];
            let mut reader = Reader::new(sections, Section::Head, places);
            let (mut program, starts) = read(&mut reader)?;
            reader.finish(EAGER)?;
            program.debug = DebugMap::packed(debug, reader.limits, places);
            validate::validate(&program, &starts)?;
            Ok(program)
        };
        read().map_err(error::invalid)
    }
}

/// The sections that the reader decodes when a program is loaded, and in which no bytes may be left over. Two sections
/// are not in this list: [`PlaceSpans::add`] reads the places, and the debug section is decoded on first use.
const EAGER: &[Section] = &[
    Section::Head,
    Section::Strings,
    Section::Tables,
    Section::Snippets,
    Section::Rules,
    Section::Items,
    Section::Code,
    Section::Signatures,
];

/// Returns the size of each section of a file in bytes. Verifies the checksum, but decodes only the header and the
/// table of sections.
///
/// # Errors
/// The bytes are not a file of this version of the format, or are corrupt.
pub fn section_sizes(bytes: &[u8]) -> Result<Vec<(Section, usize)>, LoadError> {
    let contents = ENVELOPE.open(bytes).map_err(error::damaged)?;
    let no_table = || error::damaged(Damage::Truncated { found: bytes.len(), expected: None });
    let (table, contents) = contents.split_at_checked(HEADER - envelope::SIZE).ok_or_else(no_table)?;
    let mut left = contents.len();
    let mut sizes = Vec::with_capacity(Section::ALL.len());
    for (&section, size) in Section::ALL.iter().zip(table.as_chunks().0) {
        let size = usize::try_from(u64::from_le_bytes(*size)).ok().filter(|&size| size <= left);
        let Some(size) = size else {
            return Err(error::invalid(Invalid::new(section, "it is larger than the file")));
        };
        left -= size;
        sizes.push((section, size));
    }
    if left != 0 {
        let what = format!("{left} bytes of the file are in no section");
        return Err(error::invalid(Invalid::new(Section::Head, what)));
    }
    Ok(sizes)
}

wire_ids! {
    RewriteCallId = rewrite_calls, "rewrite call";
    LocationId = locations, "location";
}

wire_structs! {
    RewriteCall { callee, args, to, kinds, span }
    EncodedItems { words, rows }
}

/// The rule of a row is stored as its difference from the rule of the preceding row, because rows are mostly in the
/// order of the rules.
impl Wire for ItemRule {
    fn write(&self, out: &mut Writer<'_>) {
        out.step(i64::from(self.pattern.raw()));
        self.item.write(out);
        // The address of the first instruction, `fail`, stands for `None`, because no residual test starts there.
        self.residual.unwrap_or(Address::FAIL).write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let pattern = u32::try_from(from.step()?).ok().filter(|&pattern| pattern < from.limits.patterns);
        let pattern = pattern.ok_or_else(|| from.invalid("a row has an unknown rule"))?;
        let (item, residual) = Wire::read(from)?;
        let residual = Some(residual).filter(|&residual| residual != Address::FAIL);
        Ok(Self { pattern: PatternId::from_raw(pattern), item, residual })
    }
}

wire_enums! {
    PatternCall { 0 = Constraint(call), 1 = Rewrite(call), 2 = Snippet(snippet), 3 = Inference { name, span } }
}

/// The first number is 0 for a named location. For a fused location, it encodes the number of parts and the presence of
/// metadata.
impl Wire for Location {
    fn write(&self, out: &mut Writer<'_>) {
        match self {
            Location::Named { name, child } => {
                out.number(0);
                name.write(out);
                child.write(out);
            }
            Location::Fused { of, metadata } => {
                out.number(1 + 2 * of.len() as u64 + u64::from(metadata.is_some()));
                out.items(metadata);
                out.items(of);
            }
        }
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let Some(word) = from.u32()?.checked_sub(1) else {
            return Ok(Location::Named { name: Wire::read(from)?, child: Wire::read(from)? });
        };
        let metadata = (word & 1 == 1).then(|| Wire::read(from)).transpose()?;
        Ok(Location::Fused { metadata, of: from.items(word >> 1)? })
    }
}

impl Wire for SourceWord {
    fn write(&self, out: &mut Writer<'_>) {
        self.raw().write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        u32::read(from).map(SourceWord::from_raw)
    }
}

/// The validator checks addresses.
impl Wire for Address {
    fn write(&self, out: &mut Writer<'_>) {
        self.raw().write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        u32::read(from).map(Address::from_raw)
    }
}

/// The validator checks the operation numbers of the roots.
impl Wire for OpNumber {
    fn write(&self, out: &mut Writer<'_>) {
        self.raw().write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        u32::read(from).map(OpNumber::from_raw)
    }
}

impl Program {
    fn limits(&self) -> Limits {
        let count = |len: usize| u32::try_from(len).expect("ids of a table are 32 bits");
        Limits {
            strings: count(self.strings.len()),
            constants: count(self.positions.constants().len()),
            positions: count(self.positions.iter().len()),
            splits: count(self.positions.splits().len()),
            lists: count(self.positions.lists().len()),
            questions: count(self.predicates.iter().len()),
            calls: count(self.predicates.calls().len()),
            rewrite_calls: count(self.rewrite_calls.len()),
            locations: count(self.locations.len()),
            patterns: count(self.patterns.len()),
            ..self.snippets.limits()
        }
    }
}

/// Writes all sections.
fn write(program: &Program, out: &mut Writer<'_>) {
    program.limits().write(out);
    program.any.write(out);
    program.choices.write(out);
    out.with_strings(&program.strings, |out| {
        out.to(Section::Tables, |out| {
            program.positions.write(out);
            program.predicates.write(out);
            program.op_names.write(out);
            program.written_attr_names.write(out);
            program.registers.write(out);
            program.entries.write(out);
            out.items(program.locations.iter());
        });
        out.to(Section::Snippets, |out| program.snippets.write(out));
        out.to(Section::Rules, |out| {
            out.items(program.rewrite_calls.iter());
            let mut before = Address::FAIL;
            for (id, info) in program.patterns.iter_enumerated() {
                write_rule(program, id, before, out);
                before = info.rewrite;
            }
        });
        out.to(Section::Items, |out| program.items.write(out));
        out.to(Section::Code, |out| compact::write(&program.code, out));
        out.to(Section::Signatures, |out| program.ops.write(out));
        program.debug().needed_strings(&program.predicates).for_each(|string| out.need(string));
    });
    out.to(Section::Debug, |out| program.debug().write(out));
}

/// Reads the sections of [`EAGER`]. Returns the program and the addresses at which its instructions start.
fn read(from: &mut Reader<'_>) -> Result<(Program, Addresses), Invalid> {
    from.limits = Limits::read(from)?;
    let limits = from.limits.clone();
    let (any, choices) = Wire::read(from)?;
    let (positions, predicates, op_names, written_attr_names, registers, entries, locations) =
        from.from(Section::Tables, |from| {
            Ok((
                Wire::read(from)?,
                Wire::read(from)?,
                Wire::read(from)?,
                Wire::read(from)?,
                Wire::read(from)?,
                Wire::read(from)?,
                from.items(limits.locations)?,
            ))
        })?;
    let snippets = from.from(Section::Snippets, Wire::read)?;
    let mut program = Program {
        strings: Interner::default(),
        positions,
        predicates,
        snippets,
        ops: OpTable::default(),
        patterns: IdVec::default(),
        bindings: Vec::new(),
        locals: Vec::new(),
        calls: Vec::new(),
        rewrite_calls: IdVec::default(),
        locations,
        op_names,
        entries,
        any,
        written_attr_names,
        registers,
        choices,
        code: Vec::new(),
        debug: DebugMap::default(),
        items: EncodedItems::default(),
    };
    from.from(Section::Rules, |from| {
        program.rewrite_calls = from.items(limits.rewrite_calls)?;
        let mut before = Address::FAIL;
        for _ in 0..limits.patterns {
            before = read_rule(&mut program, before, from)?;
        }
        Ok(())
    })?;
    program.items = from.from(Section::Items, Wire::read)?;
    let starts = from.from(Section::Code, |from| compact::read(from, &mut program))?;
    program.ops = from.from(Section::Signatures, Wire::read)?;
    program.strings = from.strings(limits.strings)?;
    Ok((program, starts))
}

/// Writes a rule. The address of its rewrite is stored as the distance from the rewrite of the preceding rule.
fn write_rule(program: &Program, id: PatternId, before: Address, out: &mut Writer<'_>) {
    let info = &program.patterns[id];
    out.number(u64::from(info.benefit) << 2 | u64::from(info.any) << 1 | u64::from(info.recursive));
    (i64::from(info.rewrite.raw()) - i64::from(before.raw())).write(out);
    out.number(program.bindings(id).len() as u64);
    out.items(program.bindings(id));
    out.number(program.locals(id).len() as u64);
    out.items(program.locals(id));
    out.number(program.calls(id).len() as u64);
    out.items(program.calls(id));
}

/// Reads the output of [`write_rule`]. Returns the address of the rewrite.
fn read_rule(program: &mut Program, before: Address, from: &mut Reader<'_>) -> Result<Address, Invalid> {
    let word = from.u32()?;
    let rewrite = i64::from(before.raw()).checked_add(i64::read(from)?).and_then(|at| u32::try_from(at).ok());
    let info = PatternInfo {
        benefit: u16::try_from(word >> 2).map_err(|_| from.invalid("a benefit is too large"))?,
        recursive: word & 1 == 1,
        any: word & 2 == 2,
        rewrite: rewrite
            .map(Address::from_raw)
            .ok_or_else(|| from.invalid("a rewrite is outside the code"))?,
        bindings: read_range(&mut program.bindings, from)?,
        locals: read_range(&mut program.locals, from)?,
        calls: read_range(&mut program.calls, from)?,
    };
    program.patterns.push(info);
    Ok(info.rewrite)
}

fn read_range<T: Wire>(table: &mut Vec<T>, from: &mut Reader<'_>) -> Result<TableRange, Invalid> {
    let (start, count) = (table.len(), from.count()?);
    from.append(count, table)?;
    TableRange::new(start, count).ok_or_else(|| from.invalid("a table is too large"))
}

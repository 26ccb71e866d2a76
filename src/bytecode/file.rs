//! Programs as bytes: the `.drrbc` file.
//!
//! Specification: a program that [`Program::from_bytes`] accepts behaves as the one that
//! [`Program::to_bytes`] wrote; what no program writes is an error that says what is wrong.
//!
//! A header, then the [`Section`]s one after the other. All numbers of the header are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | `DRRBC\r\n` and 26, which text tools spoil |
//! | 8–11 | the byte order mark, 0x01020304 |
//! | 12–15 | the version of the format |
//! | 16–23 | how many bytes the file has |
//! | 24–31 | the checksum of all bytes but these eight |
//! | 32– | how many bytes each section has, eight each |
//!
//! The file needs no alignment, has no addresses of memory, and depends on nothing outside it. What a program is
//! made of is written in `wire.rs` of each stage.

use super::bottom_up::{BottomUp, BottomUpRow};
use super::compact;
use super::error::{self, LoadError};
use super::instruction::{OperandKind, decode};
use super::program::{
    Decision, Location, LocationId, PatternCall, PatternInfo, Program, RewriteCall, RewriteCallId, SourceWord,
};
use super::validate;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::source::SourceMap;
use crate::wire::{Invalid, Limits, Reader, Section, Wire, Writer, wire_enums, wire_ids, wire_structs};

const MAGIC: &[u8; 8] = b"DRRBC\r\n\x1a";
const BYTE_ORDER: u32 = 0x0102_0304;
pub(crate) const HEADER: usize = 32 + 8 * Section::ALL.len();

impl Program {
    /// The version of the file format that is written and read.
    pub const FORMAT_VERSION: u32 = 1;

    /// The program as a file. Its source positions are looked up in `sources`, and are kept as
    /// file, line and column.
    pub fn to_bytes(&self, sources: &SourceMap) -> Vec<u8> {
        let mut out = Writer::new(sources);
        self.write(&mut out);
        let sections = out.finish();
        let size = HEADER + sections.iter().map(Vec::len).sum::<usize>();
        let mut bytes = Vec::with_capacity(size);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&BYTE_ORDER.to_le_bytes());
        bytes.extend_from_slice(&Self::FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&(size as u64).to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        for section in &sections {
            bytes.extend_from_slice(&(section.len() as u64).to_le_bytes());
        }
        sections.iter().for_each(|section| bytes.extend_from_slice(section));
        seal(&mut bytes);
        bytes
    }

    /// The program in a file. The source files it speaks of are added to `sources`, without their
    /// text, so that messages name file and line.
    ///
    /// # Errors
    /// The bytes are not a program of this version of the format, or are damaged. Any bytes may be
    /// given: what is accepted cannot make the engine fail.
    pub fn from_bytes(bytes: &[u8], sources: &mut SourceMap) -> Result<Program, LoadError> {
        let mut sections = Vec::with_capacity(Section::ALL.len());
        let mut rest = &bytes[HEADER.min(bytes.len())..];
        for (_, size) in section_sizes(bytes)? {
            let (section, after) = rest.split_at(size);
            sections.push(section);
            rest = after;
        }
        let read = Reader::new(sections, sources).and_then(|mut reader| {
            let program = Program::read(&mut reader)?;
            reader.finish()?;
            Ok(program)
        });
        let program = read.map_err(error::invalid)?;
        validate::validate(&program).map_err(error::invalid)?;
        Ok(program)
    }
}

/// How many bytes each section of a file has. Only the header and the checksum are looked at.
///
/// # Errors
/// The bytes are not a file of this version of the format, or are damaged.
pub fn section_sizes(bytes: &[u8]) -> Result<Vec<(Section, usize)>, LoadError> {
    let magic = &bytes[..bytes.len().min(MAGIC.len())];
    if !MAGIC.starts_with(magic) || magic.is_empty() {
        return Err(error::not_a_program());
    }
    let truncated = |expected: Option<u64>| error::truncated(bytes.len(), expected);
    let word = |at: usize| {
        let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
        word.map(u32::from_le_bytes).ok_or_else(|| truncated(None))
    };
    let long = |at: usize| Ok(u64::from(word(at)?) | u64::from(word(at + 4)?) << 32);
    match word(8)? {
        BYTE_ORDER => {}
        order if order.swap_bytes() == BYTE_ORDER => return Err(error::byte_order()),
        _ => return Err(error::not_a_program()),
    }
    match word(12)? {
        Program::FORMAT_VERSION => {}
        version => return Err(error::version(version)),
    }
    let size = long(16)?;
    match size.cmp(&(bytes.len() as u64)) {
        std::cmp::Ordering::Greater => return Err(truncated(Some(size))),
        std::cmp::Ordering::Less => return Err(error::trailing(bytes.len() as u64 - size)),
        std::cmp::Ordering::Equal => {}
    }
    if long(24)? != checksum(bytes) {
        return Err(error::checksum());
    }
    let mut left = bytes.len().checked_sub(HEADER).ok_or_else(|| truncated(None))?;
    let mut sizes = Vec::with_capacity(Section::ALL.len());
    for (i, &section) in Section::ALL.iter().enumerate() {
        let size = usize::try_from(long(32 + 8 * i)?).ok().filter(|&size| size <= left);
        let Some(size) = size else {
            return Err(error::invalid(Invalid { section, what: "it is larger than the file".into() }));
        };
        left -= size;
        sizes.push((section, size));
    }
    if left != 0 {
        let what = format!("{left} bytes of the file are in no section");
        return Err(error::invalid(Invalid { section: Section::Head, what }));
    }
    Ok(sizes)
}

/// Writes the size and the checksum into the header.
pub(crate) fn seal(bytes: &mut [u8]) {
    let size = bytes.len() as u64;
    if let Some(field) = bytes.get_mut(16..24) {
        field.copy_from_slice(&size.to_le_bytes());
    }
    let sum = checksum(bytes);
    if let Some(field) = bytes.get_mut(24..32) {
        field.copy_from_slice(&sum.to_le_bytes());
    }
}

/// FNV-1a over eight bytes at a time: each step is a bijection, so that no change of one word is lost.
fn checksum(bytes: &[u8]) -> u64 {
    let (before, after) = bytes.split_at(24.min(bytes.len()));
    let after = after.get(8..).unwrap_or_default();
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for part in [before, after] {
        let (words, rest) = part.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        for word in words.iter().chain([&last]) {
            sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    sum ^ sum >> 32
}

wire_ids! {
    RewriteCallId = rewrite_calls, "rewrite call";
    LocationId = locations, "location";
}

wire_structs! {
    RewriteCall { callee, args, to, kinds, span }
    BottomUp { items, rows }
    BottomUpRow { pattern, item, tail }
}

wire_enums! {
    Location { 0 = Fused { of, metadata }, 1 = Named { name, child } }
    PatternCall { 0 = Constraint(call), 1 = Rewrite(call), 2 = Snippet(snippet), 3 = Inference { name, span } }
}

impl Wire for SourceWord {
    fn write(&self, out: &mut Writer<'_>) {
        self.0.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        u32::read(from).map(SourceWord::from_word)
    }
}

/// Names and labels are for messages and for choosing rules, not for matching.
impl Wire for PatternInfo {
    fn write(&self, out: &mut Writer<'_>) {
        self.benefit.write(out);
        self.recursive.write(out);
        self.bindings.write(out);
        self.locals.write(out);
        self.rewrite.write(out);
        self.calls.write(out);
        out.to(Section::Debug, |out| {
            self.name.write(out);
            self.labels.write(out);
            out.number(self.names.len() as u64);
            for name in self.names.iter() {
                name.inspect(|&name| out.need(name));
                out.number(name.map_or(0, |name| u64::from(name.raw()) + 1));
            }
            self.origin.write(out);
            self.root.write(out);
            self.asks.write(out);
        });
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let (benefit, recursive) = Wire::read(from)?;
        let (bindings, locals) = Wire::read(from)?;
        let (rewrite, calls) = Wire::read(from)?;
        from.from(Section::Debug, |from| {
            let (name, labels) = Wire::read(from)?;
            let mut names = IdVec::default();
            for _ in 0..from.count()? {
                let most = from.limits.strings.saturating_add(1);
                names.push(from.below(most, "name")?.checked_sub(1).map(StrId::from_raw));
            }
            let origin = Wire::read(from)?;
            let (root, asks) = Wire::read(from)?;
            Ok(Self {
                name,
                labels,
                benefit,
                recursive,
                origin,
                root,
                asks,
                bindings,
                names,
                locals,
                rewrite,
                calls,
            })
        })
    }
}

impl Program {
    fn limits(&self) -> Limits {
        let count = |len: usize| u32::try_from(len).expect("ids of a table are 32 bits");
        let snippets = &self.snippets;
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
            snippets: count(snippets.len()),
            snippet_strings: count(snippets.strings.len()),
            exprs: count(snippets.exprs.len()),
            natives: count(snippets.natives.len()),
            classes: count(snippets.classes.len()),
            enums: count(snippets.enums.len()),
            plans: count(snippets.plans.len()),
            // Those of a rule are checked with its rewrite.
            locals: u32::MAX,
            nodes: u32::MAX,
        }
    }
}

/// Whatever refers to source positions or names for messages has these in sections of their own.
impl Wire for Program {
    fn write(&self, out: &mut Writer<'_>) {
        self.limits().write(out);
        self.any.write(out);
        self.choices.write(out);
        out.with_strings(&self.strings, |out| {
            out.to(Section::Tables, |out| {
                self.positions.write(out);
                self.predicates.write(out);
                self.op_names.write(out);
                self.made_attr_names.write(out);
                self.registers.write(out);
                self.entries.write(out);
                out.items(self.locations.iter());
            });
            out.to(Section::Snippets, |out| self.snippets.write(out));
            out.to(Section::Rules, |out| {
                out.items(self.rewrite_calls.iter());
                out.items(self.patterns.iter());
            });
            out.to(Section::Items, |out| self.bottom_up.write(out));
            out.to(Section::Code, |out| {
                self.attr_names_in_code().for_each(|name| out.need(name));
                compact::write(&self.code, out);
            });
            out.to(Section::Signatures, |out| self.ops.write(out));
            out.to(Section::Debug, |out| {
                out.number(self.decisions.len() as u64);
                let mut before = 0;
                for decision in &self.decisions {
                    out.number(u64::from(decision.at.saturating_sub(before)));
                    decision.pattern.write(out);
                    decision.node.write(out);
                    decision.span.write(out);
                    before = decision.at;
                }
            });
        });
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        from.limits = Limits::read(from)?;
        let limits = from.limits.clone();
        let any = Wire::read(from)?;
        let choices = Wire::read(from)?;
        let (positions, predicates, op_names, made_attr_names, registers, entries, locations) =
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
        let (rewrite_calls, patterns) = from.from(Section::Rules, |from| {
            Ok((from.items(limits.rewrite_calls)?, from.items(limits.patterns)?))
        })?;
        let bottom_up = from.from(Section::Items, Wire::read)?;
        let code = from.from(Section::Code, compact::read)?;
        let ops = from.from(Section::Signatures, Wire::read)?;
        let decisions = from.from(Section::Debug, |from| {
            let mut at = 0u32;
            let mut decisions = Vec::new();
            for _ in 0..from.count()? {
                let step = from.u32()?;
                at = at.checked_add(step).ok_or_else(|| from.invalid("an address is too large"))?;
                let (pattern, node) = Wire::read(from)?;
                decisions.push(Decision { at, pattern, node, span: Wire::read(from)? });
            }
            Ok(decisions)
        })?;
        Ok(Self {
            strings: from.strings(limits.strings)?,
            positions,
            predicates,
            snippets,
            ops,
            patterns,
            rewrite_calls,
            locations,
            op_names,
            entries,
            any,
            made_attr_names,
            registers,
            choices,
            code,
            decisions,
            bottom_up,
        })
    }
}

impl Program {
    /// The attribute names that instructions have.
    pub(super) fn attr_names_in_code(&self) -> impl Iterator<Item = StrId> + '_ {
        let mut at = 0;
        let instructions = std::iter::from_fn(move || {
            let instruction = decode(&self.code, at)?;
            at = instruction.end;
            Some(instruction)
        });
        instructions.flat_map(|instruction| {
            let own = instruction.operands().filter(|((_, kind), _)| *kind == OperandKind::AttrName);
            let own: Vec<u32> = own.map(|(_, name)| name).collect();
            let made: Vec<u32> = instruction.created_attributes().iter().map(|a| a[0]).collect();
            own.into_iter().chain(made).map(StrId::from_raw).collect::<Vec<_>>()
        })
    }
}

//! The errors of byte code, with one constructor for each.

use super::version::{SectionKind, VERSION};
use crate::source::Diagnostic;

/// The result of a reading function. The fault is boxed to keep results small.
pub(super) type ReadResult<T> = Result<T, Box<Fault>>;

/// The reason why a file cannot be read, and the byte offset at which reading failed.
#[derive(Debug)]
pub(super) struct Fault {
    at: Option<usize>,
    reason: String,
    notes: Vec<String>,
    help: Option<String>,
}

/// The size, version and producer of a file, for messages.
pub(super) struct Origin<'a> {
    /// The number of bytes.
    pub(super) size: usize,
    /// The version, if it was read.
    pub(super) version: Option<u64>,
    /// The name of the program that wrote the file.
    pub(super) producer: &'a str,
}

impl Fault {
    /// The message for the user.
    pub(super) fn diagnostic(&self, name: &str, origin: &Origin<'_>) -> Diagnostic {
        let mut all = Diagnostic::error(format!("cannot read the byte code in '{name}': {}", self.reason));
        if let Some(at) = self.at {
            all = all.with_note(format!("at byte {at} of {}", origin.size));
        }
        if let Some(version) = origin.version {
            let producer = origin.producer;
            all = all.with_note(format!("the file has version {version}, and '{producer}' wrote it"));
        }
        all = self.notes.iter().fold(all, |all, note| all.with_note(note));
        self.help.iter().fold(all, |all, help| all.help(help))
    }

    fn note(mut self: Box<Self>, note: impl Into<String>) -> Box<Self> {
        self.notes.push(note.into());
        self
    }

    fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }
}

fn fault(reason: impl Into<String>, at: usize) -> Box<Fault> {
    Box::new(Fault { at: Some(at), reason: reason.into(), notes: Vec::new(), help: None })
}

// Primitives.

pub(super) fn too_short(wanted: u64, left: usize, at: usize) -> Box<Fault> {
    fault(format!("expected {wanted} more bytes, but only {left} are left"), at)
}

pub(super) fn too_many(what: &str, count: u64, left: usize, at: usize) -> Box<Fault> {
    fault(format!("the number of {what} is {count}, but only {left} bytes are left"), at)
}

pub(super) fn trailing(what: &str, left: usize, at: usize) -> Box<Fault> {
    fault(format!("{left} unexpected bytes at the end of {what}"), at)
}

pub(super) fn unterminated(at: usize) -> Box<Fault> {
    fault("expected a zero byte at the end of a text", at)
}

pub(super) fn bad_alignment(alignment: u64, at: usize) -> Box<Fault> {
    fault(format!("the alignment {alignment} is not a power of two"), at)
}

pub(super) fn bad_padding(byte: u8, at: usize) -> Box<Fault> {
    fault(format!("expected the padding byte 0xCB, found 0x{byte:02X}"), at)
}

// Sections.

pub(super) fn no_magic() -> Box<Fault> {
    fault("the file does not begin with the bytes 4D 4C EF 52", 0)
}

pub(super) fn unknown_version(version: u64, at: usize) -> Box<Fault> {
    fault(format!("version {version} of the format is newer than {VERSION}, the newest known one"), at)
        .help(format!("`mlir-opt --emit-bytecode --emit-bytecode-version={VERSION}` writes that version"))
}

pub(super) fn unknown_section(number: u8, at: usize) -> Box<Fault> {
    fault(format!("section {number} is unknown"), at)
}

pub(super) fn long_section(kind: SectionKind, length: u64, left: usize, at: usize) -> Box<Fault> {
    let name = kind.name();
    fault(format!("the section '{name}' has a length of {length}, but only {left} bytes are left"), at)
}

pub(super) fn repeated_section(kind: SectionKind, at: usize) -> Box<Fault> {
    fault(format!("the section '{}' occurs twice", kind.name()), at)
}

pub(super) fn missing_section(kind: SectionKind, at: usize) -> Box<Fault> {
    fault(format!("the section '{}' is missing", kind.name()), at)
}

pub(super) fn expected_section(kind: SectionKind, found: SectionKind, at: usize) -> Box<Fault> {
    fault(format!("expected the section '{}', found '{}'", kind.name(), found.name()), at)
}

pub(super) fn string_size(size: u64, left: usize, at: usize) -> Box<Fault> {
    fault(format!("a string of {size} bytes exceeds the {left} bytes for strings"), at)
}

pub(super) fn string_gap(at: usize) -> Box<Fault> {
    fault("the sizes of the strings do not add up to the size of their section", at)
}

pub(super) fn bad_index(what: &str, index: u64, count: usize, at: usize) -> Box<Fault> {
    let limit =
        if count == 0 { "there is none".to_owned() } else { format!("the last one is {}", count - 1) };
    fault(format!("{what} {index} does not exist; {limit}"), at)
}

// Attributes and types.

pub(super) fn extent(at: usize) -> Box<Fault> {
    fault("an attribute or type reaches past the end of its section", at)
}

pub(super) fn group_size(at: usize) -> Box<Fault> {
    fault("a group has more attributes or types than the section states", at)
}

pub(super) fn cycle(what: &str, index: u32, at: usize) -> Box<Fault> {
    fault(format!("{what} {index} contains itself"), at)
}

pub(super) fn too_deep(limit: u32, at: usize) -> Box<Fault> {
    fault(format!("nesting is deeper than the limit of {limit} levels"), at)
}

pub(super) fn not_text(what: &str, at: usize) -> Box<Fault> {
    fault(format!("the text of {what} is not UTF-8"), at)
}

pub(super) fn bad_text(what: &str, text: &str, reason: &Diagnostic, at: usize) -> Box<Fault> {
    let text = crate::ir::brief(text.to_owned());
    fault(format!("the text of {what} is invalid: {}", reason.message), at)
        .note(format!("the text is `{text}`"))
}

pub(super) fn binary_dialect(dialect: &str, what: &str, at: usize) -> Box<Fault> {
    fault(format!("{what} of the dialect '{dialect}' has a binary form that is unknown"), at)
        .note("the binary forms of the dialects 'builtin' and 'quant' are known")
        .help("write the module as text: `mlir-opt --mlir-print-op-generic --mlir-print-debuginfo`")
}

pub(super) fn unknown_code(dialect: &str, what: &str, code: u64, at: usize) -> Box<Fault> {
    fault(format!("{what} {code} of the dialect '{dialect}' is unknown"), at)
}

pub(super) fn expected(what: &str, at: usize) -> Box<Fault> {
    fault(format!("expected {what}"), at)
}

pub(super) fn invalid(reason: impl Into<String>, at: usize) -> Box<Fault> {
    fault(reason, at)
}

// Operations.

pub(super) fn value_count(wanted: usize, limit: usize, at: usize) -> Box<Fault> {
    fault(format!("value {wanted} is defined, but its region states {limit} values"), at)
}

pub(super) fn unknown_parts(bits: u8, at: usize) -> Box<Fault> {
    fault(format!("an operation has parts that are unknown in this version, with the bits 0x{bits:02X}"), at)
}

pub(super) fn undefined_value(op: &str, at: usize) -> Box<Fault> {
    fault(format!("an operand of '{op}' is never defined"), at)
}

pub(super) fn use_order(at: usize) -> Box<Fault> {
    fault("the order of the uses of a value is not a permutation", at)
}

// Writing.

pub(super) fn cannot_write_version(version: u64) -> Diagnostic {
    Diagnostic::error(format!("version {version} of the byte code is unknown"))
        .help(format!("the versions are 0 to {VERSION}"))
}

pub(super) fn large_alignment(key: &str, alignment: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(format!(
        "resource '{key}' has an alignment of {alignment} bytes, which is more than the limit of {limit}"
    ))
}

pub(super) fn unwritable_properties(op: &str) -> Diagnostic {
    let reason = "the properties do not fit the definition of the operation, or only C++ code writes them, or this version of the format has no properties";
    Diagnostic::error(format!("cannot write the properties of '{op}' as byte code: {reason}"))
        .help("write the module as text, which the tool that defines the operation can convert")
}

pub(super) fn outside_value(op: &str) -> Diagnostic {
    Diagnostic::error(format!("an operand of '{op}' is not defined in a region around it"))
        .help("only modules that `verify` accepts can be written as byte code")
}

// Properties.

pub(super) fn unknown_properties(op: &str, dialect: &str, at: usize) -> Box<Fault> {
    fault(
        format!(
            "the properties of '{op}' have a binary form that depends on its definition, which is unknown"
        ),
        at,
    )
    .note(format!("dialect '{dialect}' defines it"))
    .help(
        "name the folder of the dialect's .td files with `--dialects PATH`, or write the file with \
             `mlir-opt --emit-bytecode --emit-bytecode-version=4`, which stores properties as attributes",
    )
}

pub(super) fn definition(op: &str, reason: &Diagnostic, at: usize) -> Box<Fault> {
    fault(format!("the definition of '{op}' has errors: {}", reason.message), at)
}

pub(super) fn cxx_property(op: &str, property: &str, at: usize) -> Box<Fault> {
    fault(format!("only C++ code reads the property '{property}' of '{op}'"), at)
        .help("`mlir-opt --emit-bytecode --emit-bytecode-version=4` stores properties as attributes")
}

pub(super) fn cxx_properties(op: &str, at: usize) -> Box<Fault> {
    fault(format!("only C++ code reads the properties of '{op}'"), at)
        .help("`mlir-opt --emit-bytecode --emit-bytecode-version=4` stores properties as attributes")
}

pub(super) fn in_properties(fault: Box<Fault>, op: &str) -> Box<Fault> {
    fault
        .note(format!("in the properties of '{op}'"))
        .note("the file may have been written with another version of the definition of the operation")
}

pub(super) fn property_size(op: &str, left: usize, at: usize) -> Box<Fault> {
    in_properties(fault(format!("{left} unexpected bytes after the properties"), at), op)
}

//! Errors of lowering and loading, with one constructor each.

use std::fmt;

use super::program::Program;
use crate::source::{Diagnostic, Diagnostics};
use crate::wire::{Invalid, Section};

pub(super) fn too_much_code(rules: usize, words: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(format!(
        "the program for {rules} rules has {words} words of code; the limit is {limit}"
    ))
}

pub(super) fn too_large(rules: usize) -> Diagnostic {
    Diagnostic::error(format!("a table of the program for {rules} rules has more than {} entries", u32::MAX))
}

/// The reason why bytes are not a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    NotAProgram,
    ByteOrder,
    Version(u32),
    Truncated { found: usize, expected: Option<u64> },
    Trailing(u64),
    Checksum,
    Invalid { section: Section, what: String },
}

pub(super) fn not_a_program() -> LoadError {
    LoadError { kind: Kind::NotAProgram }
}

pub(super) fn byte_order() -> LoadError {
    LoadError { kind: Kind::ByteOrder }
}

pub(super) fn version(found: u32) -> LoadError {
    LoadError { kind: Kind::Version(found) }
}

pub(super) fn truncated(found: usize, expected: Option<u64>) -> LoadError {
    LoadError { kind: Kind::Truncated { found, expected } }
}

pub(super) fn trailing(extra: u64) -> LoadError {
    LoadError { kind: Kind::Trailing(extra) }
}

pub(super) fn checksum() -> LoadError {
    LoadError { kind: Kind::Checksum }
}

pub(super) fn invalid(invalid: Invalid) -> LoadError {
    let (section, what) = invalid.into_parts();
    LoadError { kind: Kind::Invalid { section, what } }
}

impl LoadError {
    /// The diagnostic for a program of this many rules that was just compiled.
    pub(crate) fn of_new(&self, rules: usize) -> Diagnostic {
        Diagnostic::error(format!("the program for {rules} rules would not load: {self}"))
    }

    /// The diagnostic for the file of this name.
    pub fn diagnostic(&self, file: &str) -> Diagnostic {
        let diagnostic = Diagnostic::error(format!("cannot load '{file}': {self}"));
        match self.kind {
            Kind::NotAProgram => diagnostic.help("`drrvm compile` writes compiled programs"),
            Kind::ByteOrder | Kind::Version(_) => {
                diagnostic.help("compile the rules again with this version of `drrvm`")
            }
            Kind::Truncated { .. } | Kind::Trailing(_) | Kind::Checksum | Kind::Invalid { .. } => diagnostic,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::NotAProgram => write!(f, "it is not a compiled program"),
            Kind::ByteOrder => write!(f, "it was written in the other byte order"),
            Kind::Version(found) => {
                write!(f, "it has version {found} of the format, expected {}", Program::FORMAT_VERSION)
            }
            Kind::Truncated { found, expected: Some(expected) } => {
                write!(f, "it is truncated: it has {found} of {expected} bytes")
            }
            Kind::Truncated { found, expected: None } => {
                write!(f, "it is truncated: it has {found} bytes, fewer than the header")
            }
            Kind::Trailing(extra) => write!(f, "{extra} bytes follow its end"),
            Kind::Checksum => write!(f, "it is corrupt: the checksum is wrong"),
            Kind::Invalid { section, what } => {
                write!(f, "it is invalid: in section '{}', {what}", section.name())
            }
        }
    }
}

impl std::error::Error for LoadError {}

impl From<LoadError> for Diagnostics {
    fn from(error: LoadError) -> Self {
        Diagnostic::error(error.to_string()).into()
    }
}

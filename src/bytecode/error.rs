//! Errors of lowering and loading, with one constructor each.

use std::fmt;

use crate::envelope::Damage;
use crate::plural::count;
use crate::source::{Diagnostic, Diagnostics};
use crate::wire::{Invalid, Section};

pub(super) fn too_much_code(rules: usize, words: usize, limit: usize) -> Diagnostic {
    let rules = count(rules, "rule");
    Diagnostic::error(format!("the program for {rules} has {words} words of code; the limit is {limit}"))
}

pub(super) fn too_large(rules: usize) -> Diagnostic {
    let rules = count(rules, "rule");
    Diagnostic::error(format!("a table of the program for {rules} has more than {} entries", u32::MAX))
}

/// The reason why bytes are not a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Damaged(Damage),
    Invalid { section: Section, what: String },
}

pub(super) fn damaged(damage: Damage) -> LoadError {
    LoadError { kind: Kind::Damaged(damage) }
}

pub(super) fn invalid(invalid: Invalid) -> LoadError {
    let (section, what) = invalid.into_parts();
    LoadError { kind: Kind::Invalid { section, what } }
}

impl LoadError {
    /// The diagnostic for a newly compiled program with this number of rules.
    pub(crate) fn of_new(&self, rules: usize) -> Diagnostic {
        Diagnostic::error(format!("the program for {rules} rules would not load: {self}"))
    }

    /// The diagnostic for the file of this name.
    pub fn diagnostic(&self, file: &str) -> Diagnostic {
        let diagnostic = Diagnostic::error(format!("cannot load '{file}': {self}"));
        match self.kind {
            Kind::Damaged(Damage::OtherFormat) => diagnostic.help("`drrvm compile` writes compiled programs"),
            Kind::Damaged(Damage::ByteOrder | Damage::Version { .. }) => {
                diagnostic.help("compile the rules again with this version of `drrvm`")
            }
            Kind::Damaged(_) | Kind::Invalid { .. } => diagnostic,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Damaged(Damage::OtherFormat) => write!(f, "it is not a compiled program"),
            Kind::Damaged(damage) => damage.fmt(f),
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

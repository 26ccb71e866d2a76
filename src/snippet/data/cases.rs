//! The cases of enumerations.
//!
//! Specification: [`Cases::text`], [`Cases::symbolized`] and [`Cases::of_number`] return the results of the
//! `stringify…` and `symbolize…` functions that `mlir-tblgen -gen-enum-defs` generates.

use std::sync::Arc;

use super::table::{Enum, Snippets};

/// The cases of an enumeration.
pub(in crate::snippet) struct Cases {
    /// The value and the text of each case.
    pub(in crate::snippet) entries: Vec<(u64, Arc<str>)>,
    /// The separator between bits, if values are sets of bits.
    pub(in crate::snippet) separator: Option<Arc<str>>,
    /// True if MLIR prints an entry that has several bits instead of one entry for each bit.
    groups: bool,
    /// True if a set of several entries is printed in quotes.
    quoted: bool,
}

/// Returns the indices of the entries that MLIR prints for the set of bits `value`. Returns `None` if the set has bits
/// without an entry, or if it contains no entry completely. If `groups` is true, an entry with several bits replaces
/// the entries of these bits; otherwise, both are listed.
pub(crate) fn entries_of(entries: &[u64], value: u64, groups: bool) -> Option<Vec<usize>> {
    let known = entries.iter().fold(0, |all, bits| all | bits);
    let mut left = value;
    let mut found = Vec::new();
    let is_group = |bits: u64| groups && bits.count_ones() > 1;
    for (entry, &bits) in entries.iter().enumerate().filter(|(_, bits)| is_group(**bits)) {
        if left & bits == bits {
            left &= !bits;
            found.push(entry);
        }
    }
    let others = entries.iter().enumerate().filter(|(_, bits)| **bits != 0 && !is_group(**bits));
    found.extend(others.filter(|(_, bits)| left & **bits == **bits).map(|(entry, _)| entry));
    (value & !known == 0 && !found.is_empty()).then_some(found)
}

impl Cases {
    /// The cases of an enumeration, with the texts from `snippets`.
    pub(in crate::snippet) fn of(definition: &Enum, snippets: &Snippets) -> Self {
        let text = |text| Arc::from(snippets.str(text));
        let entries = definition.cases.iter().map(|case| (case.value, text(case.text)));
        Self {
            entries: entries.collect(),
            separator: definition.bit_separator.map(text),
            groups: definition.groups,
            quoted: definition.quoted,
        }
    }

    /// The text of a value.
    pub(in crate::snippet) fn text(&self, value: u64) -> Option<String> {
        let exact = self.entries.iter().find(|(number, _)| *number == value);
        let Some(separator) = self.separator.as_deref().filter(|_| value != 0) else {
            return exact.map(|(_, text)| text.to_string());
        };
        let bits: Vec<u64> = self.entries.iter().map(|(bits, _)| *bits).collect();
        let parts: Vec<&str> =
            entries_of(&bits, value, self.groups)?.into_iter().map(|entry| &*self.entries[entry].1).collect();
        Some(parts.join(separator))
    }

    /// True if MLIR prints this text of a value without quotes.
    pub(in crate::snippet) fn is_bare(&self, text: &str) -> bool {
        let is_word = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        match self.separator.as_deref().filter(|_| !self.quoted) {
            Some(separator) => text.split(separator).all(is_word),
            None => is_word(text),
        }
    }

    /// The value that `symbolize…` returns for a text. The case with the value 0 cannot be combined with other cases.
    pub(in crate::snippet) fn symbolized(&self, text: &str) -> Option<u64> {
        let has_bits = |part: &str| self.entry(part.trim()) != Some(0);
        match &self.separator {
            Some(separator) if self.entry(text) != Some(0) => {
                self.of_text(text).filter(|_| text.split(separator.trim()).all(has_bits))
            }
            _ => self.entry(text),
        }
    }

    fn entry(&self, text: &str) -> Option<u64> {
        self.entries.iter().find(|(_, name)| **name == *text).map(|&(number, _)| number)
    }

    /// The value of a text in an attribute. Each word of the text is symbolised separately.
    pub(in crate::snippet) fn of_text(&self, text: &str) -> Option<u64> {
        match &self.separator {
            None => self.entry(text),
            Some(separator) => {
                // Spaces around the separator are optional.
                let mut parts = text.split(separator.trim()).map(|part| self.entry(part.trim()));
                parts.try_fold(0, |all, bits| Some(all | bits?))
            }
        }
    }

    /// The number, if it is a value of the enumeration.
    pub(in crate::snippet) fn of_number(&self, number: u64) -> Option<u64> {
        let is_value = match self.separator {
            Some(_) => self.entries.iter().fold(number, |left, (bits, _)| left & !bits) == 0,
            None => self.entries.iter().any(|(value, _)| *value == number),
        };
        is_value.then_some(number)
    }
}

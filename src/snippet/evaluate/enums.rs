//! Enumerations: values, what they are called, and sets of them.
//!
//! Equal to the `stringify…` and `symbolize…` functions that `mlir-tblgen -gen-enum-defs` generates.

use std::sync::Arc;

use super::value::Val;
use super::{Builtin, Evaluated, Evaluator};
use crate::host::{Facets, Refusal};
use crate::snippet::text::unquote;
use crate::snippet::{Enum, EnumId, Snippets};

/// The entries of an enumeration.
pub(super) struct Cases {
    /// Number and text of each.
    entries: Vec<(u64, Arc<str>)>,
    /// What is between the texts of several bits, if values are sets of bits.
    separator: Option<Arc<str>>,
}

impl Cases {
    /// The entries of an enumeration of the table.
    pub(super) fn of(definition: &Enum, snippets: &Snippets) -> Self {
        let text = |text| Arc::from(snippets.str(text));
        let entries = definition.cases.iter().map(|case| (case.value, text(case.text)));
        Self { entries: entries.collect(), separator: definition.bit_separator.map(text) }
    }

    /// What a value is called.
    pub(super) fn text(&self, value: u64) -> Option<String> {
        if let Some((_, text)) = self.entries.iter().find(|(number, _)| *number == value) {
            return Some(text.to_string());
        }
        let separator = self.separator.as_deref()?;
        let mut left = value;
        let mut parts = Vec::new();
        for (bit, text) in self.entries.iter().filter(|(number, _)| number.is_power_of_two()) {
            if left & bit != 0 {
                left &= !bit;
                parts.push(&**text);
            }
        }
        (left == 0 && !parts.is_empty()).then(|| parts.join(separator))
    }

    /// The value that a text stands for.
    fn of_text(&self, text: &str) -> Option<u64> {
        let of =
            |text: &str| self.entries.iter().find(|(_, name)| **name == *text).map(|&(number, _)| number);
        match &self.separator {
            None => of(text),
            Some(separator) => {
                // A separator is written with or without spaces around it.
                let parts = text.split(separator.trim());
                parts.map(|part| of(part.trim())).try_fold(0, |all, bits| Some(all | bits?))
            }
        }
    }

    /// The value that a number stands for.
    pub(super) fn of_number(&self, number: u64) -> Option<u64> {
        let known = match self.separator {
            Some(_) => self.entries.iter().fold(number, |left, (bits, _)| left & !bits) == 0,
            None => self.entries.iter().any(|(value, _)| *value == number),
        };
        known.then_some(number)
    }
}

impl<H: Facets> Evaluator<'_, H> {
    /// The entries that a snippet has as lists; what is between texts comes after them.
    pub(super) fn cases(&mut self, values: &Val<H>, texts: &Val<H>) -> Result<Cases, Refusal> {
        let (values, texts) = (self.ints(values)?, self.items(texts)?);
        let separator = texts.get(values.len()).map(|text| self.string(text)).transpose()?;
        let entries = values.into_iter().zip(texts.iter()).map(|(value, text)| {
            let value =
                u64::try_from(value).map_err(|_| Refusal::new("an enumeration has no negative value"))?;
            Ok((value, self.string(text)?))
        });
        let entries = entries.collect::<Result<_, Refusal>>()?;
        Ok(Cases { entries, separator })
    }

    /// The entries of an enumeration of the table.
    pub(super) fn entries(&self, id: EnumId) -> Option<&Cases> {
        self.linked.enums.get(id)
    }

    /// The value that a text stands for, as it is written in an attribute or type.
    pub(super) fn enum_of_text(&self, text: &str, id: EnumId) -> Result<u64, Refusal> {
        let text = if text.starts_with('"') { unquote(text) } else { text.trim().into() };
        let value = self.entries(id).and_then(|cases| cases.of_text(&text));
        value.ok_or_else(|| Refusal::new("an attribute does not hold a value of the enumeration"))
    }

    pub(super) fn enumeration(&mut self, op: Builtin, of: &Val<H>, cases: &Cases) -> Evaluated<H> {
        let found = match op {
            Builtin::EnumOfText => cases.of_text(&self.string(of)?),
            _ => {
                let Ok(number) = u64::try_from(self.int(of)?) else { return Ok(Val::Null) };
                if op == Builtin::EnumText {
                    return Ok(Val::str(cases.text(number).unwrap_or_default()));
                }
                cases.of_number(number)
            }
        };
        Ok(found.map_or(Val::Null, |value| Val::Int(i128::from(value))))
    }
}

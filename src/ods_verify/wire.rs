//! The definitions of operations as bytes.
//!
//! Specification: decoded definitions verify an operation as the encoded definitions do. The places of the definitions
//! are not encoded.

use crate::pdl::RuleSet;
use crate::snippet::Standalone;
use crate::wire::{self, Invalid, Reader, Section, Wire, Writer};

/// The operation definitions of a rule set, with their strings and snippets.
struct Operations(RuleSet);

impl Wire for Operations {
    fn write(&self, out: &mut Writer<'_>) {
        let Self(rules) = self;
        Standalone(rules.snippets.clone()).write(out);
        out.number(rules.strings.len() as u64);
        out.with_strings(&rules.strings, |out| out.to(Section::Signatures, |out| rules.ops.write(out)));
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let Standalone(snippets) = Wire::read(from)?;
        let count = from.u32()?;
        from.limits.strings = count;
        let ops = from.from(Section::Signatures, Wire::read)?;
        let strings = from.strings(count)?;
        Ok(Self(RuleSet { strings, ops, snippets, ..RuleSet::default() }))
    }
}

/// Encodes the operation definitions of a rule set.
pub(crate) fn encode(rules: &RuleSet) -> Vec<u8> {
    let mut ops = rules.ops.clone();
    ops.forget_places();
    let rules = RuleSet {
        strings: rules.strings.clone(),
        ops,
        snippets: rules.snippets.clone(),
        ..RuleSet::default()
    };
    wire::encode(&Operations(rules))
}

/// Decodes operation definitions.
///
/// # Errors
/// The bytes are not those of [`encode`].
#[cfg(any(feature = "cli", feature = "fuzzing"))]
pub(super) fn decode(bytes: &[u8]) -> Result<RuleSet, Invalid> {
    wire::decode(bytes).map(|Operations(rules)| rules)
}

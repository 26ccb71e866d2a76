//! The numbers that the code and the tables of a program use.

use std::fmt;

use crate::id::define_ids;
use crate::matcher_tree::PositionId;
use crate::pdl::LocalId;

define_ids! {
    /// The address of an instruction: the index of its first word in [`Program::code`](super::Program::code).
    pub struct Address;
    /// The number that a program uses for an operation name.
    pub(crate) struct OpNumber;
    /// A register of the match code, which holds an operation.
    pub(crate) struct Register;
    /// A call of a native or a snippet in a rewrite.
    pub struct RewriteCallId;
    /// A location that rewrites create.
    pub(crate) struct LocationId;
    /// An address that the assembler may not know yet.
    pub(crate) struct Label;
}

impl Address {
    /// The address of the instruction `fail` with which every program starts.
    pub const FAIL: Address = Address(0);

    /// The address of a word of code; `None` if the code is too long for 32-bit addresses.
    pub(crate) fn try_new(index: usize) -> Option<Self> {
        u32::try_from(index).ok().map(Self)
    }

    /// The address `words` words after this one. The caller has read the words in between, so the address fits.
    #[inline(always)]
    pub(super) const fn after(self, words: u32) -> Self {
        Address(self.0.wrapping_add(words))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl OpNumber {
    /// The number that stands for every name that a program does not contain. The numbers of a program's names are
    /// smaller.
    pub(crate) const UNKNOWN: OpNumber = OpNumber(u32::MAX);
}

impl Register {
    /// The register of the root.
    pub(crate) const ROOT: Register = Register(0);
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The requirement of a subpattern on the name of its operation, encoded in one word: the number of the name, or
/// [`Self::ANY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameWord(u32);

impl NameWord {
    /// Any name. No name of a table has this number, because [`Id::try_from_index`](crate::id::Id) never makes it.
    pub(crate) const ANY: NameWord = NameWord(u32::MAX);

    /// Encodes a name; `None` stands for any name.
    pub(crate) fn new(name: Option<OpNumber>) -> Self {
        name.map_or(Self::ANY, |name| Self(name.raw()))
    }

    /// Takes a word of a program as a name.
    pub(crate) const fn from_raw(word: u32) -> Self {
        Self(word)
    }

    /// The word.
    pub(crate) const fn raw(self) -> u32 {
        self.0
    }

    /// Decodes the word; `None` stands for any name.
    pub(crate) fn get(self) -> Option<OpNumber> {
        (self != Self::ANY).then(|| OpNumber::from_raw(self.0))
    }
}

/// The encoding of a [`SourceRef`] in one word: the lowest bit distinguishes locals from positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SourceWord(u32);

/// An entity that a rewrite uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceRef {
    /// The entity at a position of the match.
    Matched(PositionId),
    /// The result of an earlier step.
    Local(LocalId),
}

impl SourceWord {
    /// Encodes a position; `None` if its number has more than 31 bits.
    pub(crate) fn matched(position: PositionId) -> Option<Self> {
        position.raw().checked_mul(2).map(Self)
    }

    /// Encodes a local; `None` if its number has more than 31 bits.
    pub(crate) fn local(local: LocalId) -> Option<Self> {
        local.raw().checked_mul(2).map(|n| Self(n | 1))
    }

    /// Takes a word of code as a source.
    pub(crate) const fn from_raw(word: u32) -> Self {
        Self(word)
    }

    /// The word.
    pub(crate) const fn raw(self) -> u32 {
        self.0
    }

    /// Decodes the word.
    pub(crate) fn get(self) -> SourceRef {
        if self.0 & 1 == 0 {
            SourceRef::Matched(PositionId::from_raw(self.0 / 2))
        } else {
            SourceRef::Local(LocalId::from_raw(self.0 / 2))
        }
    }
}

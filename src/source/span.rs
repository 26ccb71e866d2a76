//! Ranges of source text.

/// A range of bytes in one file of a [`SourceMap`](super::SourceMap). The map finds the file by the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The position of the first byte in the address space of the map.
    pub lo: u32,
    /// The position after the last byte.
    pub hi: u32,
}

impl Span {
    /// The span of an object without source text.
    pub const NONE: Span = Span { lo: 0, hi: 0 };

    /// True if this is [`Span::NONE`].
    pub const fn is_none(self) -> bool {
        self.lo == 0
    }

    /// The smallest span that covers both spans. [`Span::NONE`] is ignored.
    pub fn to(self, other: Span) -> Span {
        match (self.is_none(), other.is_none()) {
            (true, _) => other,
            (_, true) => self,
            _ => Span { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) },
        }
    }
}

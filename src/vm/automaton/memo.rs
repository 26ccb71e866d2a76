//! Which plain constant a type or attribute is, remembered for the few that are met most.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use crate::host::Facets;

use super::NO_CONSTANT;

/// What is remembered of types and attributes.
pub(super) struct Memos<H: Facets> {
    pub(super) last_type: (Option<H::Type>, u32),
    pub(super) types: Memo<H::Type>,
    pub(super) attrs: Memo<H::Attr>,
}

impl<H: Facets> Default for Memos<H> {
    fn default() -> Self {
        Self { last_type: (None, NO_CONSTANT), types: Memo::default(), attrs: Memo::default() }
    }
}

/// Answers that never change, by what was asked about; a newer one takes the place of an older one.
pub(super) struct Memo<T> {
    known: [Option<(T, u32)>; 64],
}

impl<T: Copy> Default for Memo<T> {
    fn default() -> Self {
        Self { known: [None; 64] }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Memo<T> {
    /// The answer about a thing, if it is known.
    #[inline]
    pub(super) fn get(&self, thing: T) -> Option<u32> {
        let known = self.known[Self::place(thing)];
        known.filter(|&(known, _)| known == thing).map(|(_, answer)| answer)
    }

    /// Remembers an answer.
    pub(super) fn set(&mut self, thing: T, answer: u32) {
        self.known[Self::place(thing)] = Some((thing, answer));
    }

    #[inline]
    fn place(thing: T) -> usize {
        // PERF: the hash's upper bits are the well mixed ones.
        (FxBuildHasher.hash_one(thing) >> 58) as usize
    }
}

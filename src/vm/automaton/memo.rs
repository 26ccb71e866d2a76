//! Which plain constant a type or attribute is, remembered for the few that are met most.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

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
    /// The answer about a thing; `ask` gives it if it is not known.
    #[inline]
    pub(super) fn get(&mut self, thing: T, ask: impl FnOnce() -> u32) -> u32 {
        // PERF: the hash's upper bits are the well mixed ones.
        let slot = &mut self.known[(FxBuildHasher.hash_one(thing) >> 58) as usize];
        match slot {
            Some((known, answer)) if *known == thing => *answer,
            _ => {
                let answer = ask();
                *slot = Some((thing, answer));
                answer
            }
        }
    }
}

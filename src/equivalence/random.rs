//! Reproducible random decisions: a seed gives the same numbers on every machine and in every version.
//!
//! The numbers are those of SplitMix64, which is a fixed algorithm (Steele, Lea and Flood, "Fast splittable
//! pseudorandom number generators").

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The increment of SplitMix64's state.
const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;

/// A source of random decisions.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    numbers: SplitMix64,
}

impl Random {
    /// Returns the source for a seed.
    pub fn new(seed: u64) -> Self {
        Self::from_state(mix(seed))
    }

    fn from_state(seed: u64) -> Self {
        Self { seed, numbers: SplitMix64::seed_from_u64(seed) }
    }

    /// Derives another source from the seed of this source and `index`. Its numbers depend on the seed and the index,
    /// and not on the numbers that were drawn before.
    #[must_use]
    pub fn fork(&self, index: u64) -> Self {
        Self::from_state(mix(self.seed ^ mix(index.wrapping_add(0x6A09_E667_F3BC_C909))))
    }

    /// Draws a number.
    pub fn number(&mut self) -> u64 {
        self.numbers.next_u64()
    }

    /// Draws a number below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of the remainder is negligible for sizes that fit in memory.
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is less than `n`, or 0")]
        let number = (self.number() % (n as u64).max(1)) as usize;
        number
    }

    /// Returns true with this probability in percent.
    pub fn percent(&mut self, of: usize) -> bool {
        self.below(100) < of
    }

    /// Picks an element; `None` if there are none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }
}

/// The mixing function of SplitMix64.
fn mix(number: u64) -> u64 {
    SplitMix64::seed_from_u64(number.wrapping_sub(INCREMENT)).next_u64()
}
#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_always_gives_the_same_numbers() {
        // From the published reference code of the generator, with the state 0.
        let mut random = Random::new(0);
        assert_eq!(random.number(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.number(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn cases_differ_and_percentages_hold() {
        let random = Random::new(1);
        let first: Vec<u64> = (0..100).map(|case| random.fork(case).number()).collect();
        let mut distinct = first.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), first.len());
        let mut random = random.fork(0);
        let hits = (0..10_000).filter(|_| random.percent(30)).count();
        assert!((2_700..3_300).contains(&hits), "{hits}");
    }
}

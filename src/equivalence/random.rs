//! Random numbers that are the same everywhere: what is found once is found again from its seed.
//!
//! SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").

/// A source of random decisions.
///
/// ```
/// use drrvm::equivalence::Random;
/// let (mut a, mut b) = (Random::new(7).fork(3), Random::new(7).fork(3));
/// assert_eq!(a.below(1000), b.below(1000));
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The source of this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: mix(seed) }
    }

    /// The source of case number `index`: what it gives does not depend on any other case.
    #[must_use]
    pub fn fork(&self, index: u64) -> Self {
        Self { state: mix(self.state ^ mix(index.wrapping_add(0x6A09_E667_F3BC_C909))) }
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }

    /// A number below `n`; 0 if `n` is.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of the remainder does not matter for sizes that fit in memory.
        usize::try_from(self.number() % (n as u64).max(1)).unwrap_or(0)
    }

    /// True `of` times in a hundred.
    pub fn percent(&mut self, of: usize) -> bool {
        self.below(100) < of
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_numbers_of_a_seed_are_always_the_same() {
        // Made once with the generator's published reference code for a state of 0, mixed as above.
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

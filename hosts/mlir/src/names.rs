//! Tables from addresses of names to numbers, for lookups while matching.
//!
//! [`BoundNames`] has the names that rules mention. No two of its keys share a slot, so a lookup is a multiplication, a
//! load and a comparison. [`AllNames`] numbers names in the order of their first use.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// A perfect hash table of the names that rules mention.
#[derive(Clone)]
pub(crate) struct BoundNames {
    /// Keys with their numbers; 0 is not a key.
    slots: Vec<(usize, u32)>,
    factor: u64,
    /// The slot of a key is the product of the key and `factor`, shifted right by this number of bits.
    shift: u32,
    count: usize,
}

impl Default for BoundNames {
    fn default() -> Self {
        Self { slots: vec![(0, 0); 2], factor: 0x9e37_79b9_7f4a_7c15, shift: 63, count: 0 }
    }
}

impl BoundNames {
    #[inline(always)]
    fn slot(&self, key: usize) -> usize {
        ((key as u64).wrapping_mul(self.factor) >> self.shift) as usize
    }

    /// The number of a key.
    #[inline(always)]
    pub(crate) fn get(&self, key: usize) -> Option<u32> {
        let (found, number) = self.slots[self.slot(key)];
        (found == key).then_some(number)
    }

    /// Adds a key that is not in the table and not 0.
    pub(crate) fn insert(&mut self, key: usize, number: u32) {
        self.count += 1;
        let slot = self.slot(key);
        if self.slots[slot].0 == 0 {
            self.slots[slot] = (key, number);
            return;
        }
        let mut keys: Vec<_> = self.slots.iter().copied().filter(|entry| entry.0 != 0).collect();
        keys.push((key, number));
        // For each size of the table, several factors are tried before the size is doubled.
        'factor: for attempt in 1u64.. {
            self.factor = self.factor.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(attempt * 2) | 1;
            if attempt % 16 == 0 && self.shift > 40 {
                self.shift -= 1;
            }
            let bits = (64 - self.shift).max(usize::BITS - (2 * self.count).leading_zeros());
            self.shift = 64 - bits;
            self.slots.clear();
            self.slots.resize(1 << bits, (0, 0));
            for &(key, number) in &keys {
                let slot = self.slot(key);
                if self.slots[slot].0 != 0 {
                    continue 'factor;
                }
                self.slots[slot] = (key, number);
            }
            return;
        }
    }
}

/// The numbers of all names that were used. Threads share them. The lookup of a recently used name needs no lock.
pub(crate) struct AllNames {
    /// Recently used names. An entry has the address without its alignment bits, and the number in the low bits. A free
    /// entry is 0.
    cache: Box<[AtomicU64]>,
    all: RwLock<NumberedNames>,
}

#[derive(Default)]
struct NumberedNames {
    numbers: HashMap<usize, u32>,
    addresses: Vec<usize>,
}

/// The number of low bits that are 0 in the address of each name.
const ALIGNMENT_BITS: u32 = 3;
/// The number of bits of the cached numbers.
const NUMBER_BITS: u32 = 20;
const CACHE_BITS: u32 = 10;

impl Default for AllNames {
    fn default() -> Self {
        let cache = std::iter::repeat_with(|| AtomicU64::new(0)).take(1 << CACHE_BITS).collect();
        Self { cache, all: RwLock::default() }
    }
}

impl AllNames {
    /// Returns the number of a name. A name that was not used before gets the next number.
    #[inline]
    pub(crate) fn number(&self, address: usize) -> u32 {
        let key = (address as u64) >> ALIGNMENT_BITS;
        let slot = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - CACHE_BITS);
        let slot = &self.cache[slot as usize];
        let cached = slot.load(Ordering::Relaxed);
        if cached >> NUMBER_BITS == key {
            return (cached & ((1 << NUMBER_BITS) - 1)) as u32;
        }
        let number = self.find(address);
        if number >> NUMBER_BITS == 0 && key >> (64 - NUMBER_BITS) == 0 {
            slot.store((key << NUMBER_BITS) | u64::from(number), Ordering::Relaxed);
        }
        number
    }

    #[cold]
    fn find(&self, address: usize) -> u32 {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = all.numbers.get(&address) {
            return number;
        }
        let number = u32::try_from(all.addresses.len()).expect("the number of names fits");
        all.numbers.insert(address, number);
        all.addresses.push(address);
        number
    }

    /// The address of the name with a number.
    pub(crate) fn address(&self, number: u32) -> Option<usize> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.addresses.get(number as usize).copied()
    }
}

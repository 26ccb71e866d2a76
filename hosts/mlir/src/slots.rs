//! Computes small numbers for operations from their addresses, so that an engine can keep data about operations in
//! arrays.
//!
//! Specification: operations that exist at the same time have different numbers. Memory is divided into units of 64
//! bytes. An operation is at least 64 bytes long, so the unit that contains its address identifies it. Chunks of 64 KiB
//! are numbered in the order in which operations are found in them. Reading needs no lock.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The number of address bits inside a chunk.
const CHUNK_BITS: u32 = 16;
/// The number of low address bits that do not affect the number of an operation: 64 addresses share one number.
const UNIT_BITS: u32 = 6;
/// The number of bits of a chunk's address that select an entry of a leaf.
const LEAF_BITS: u32 = 14;
/// The number of bits of the addresses of user programs.
const ADDRESS_BITS: u32 = 47;
const ROOTS: usize = 1 << (ADDRESS_BITS - CHUNK_BITS - LEAF_BITS);

/// The number of recently used chunks in a [`RecentSlots`]. Together they cover at most 32 MiB of addresses.
const RECENT: usize = 512;

/// Small numbers for operations, with the numbers of recently used chunks for one thread.
///
/// If the chunk was used recently, a lookup is one load from a small table. Otherwise, [`Slots`] needs four loads that
/// depend on each other.
pub(crate) struct RecentSlots {
    /// The chunk in the upper half, and the number of its first 64 bytes in the lower half. Threads may share the
    /// table, because an entry is complete in itself.
    recent: Box<[AtomicU64; RECENT]>,
    all: Arc<Slots>,
}

impl Default for RecentSlots {
    fn default() -> Self {
        let recent = Box::new([const { AtomicU64::new(0) }; RECENT]);
        // A free entry names a chunk that is never looked up in it: entry 0 names chunk 1, and all others name chunk 0.
        recent[0].store(1 << 32, Ordering::Relaxed);
        Self { recent, all: Arc::default() }
    }
}

/// The clone has the same numbers.
impl Clone for RecentSlots {
    fn clone(&self) -> Self {
        Self { all: Arc::clone(&self.all), ..Self::default() }
    }
}

impl RecentSlots {
    /// The number of the operation at an address; `None` if there are too many chunks, or if the address has more than
    /// [`ADDRESS_BITS`] bits.
    #[inline(always)]
    pub(crate) fn get(&self, address: usize) -> Option<u32> {
        let chunk = address >> CHUNK_BITS;
        let entry = self.recent[chunk % RECENT].load(Ordering::Relaxed);
        if entry >> 32 == chunk as u64 { Some(entry as u32 | unit(address)) } else { self.find(address) }
    }

    #[cold]
    fn find(&self, address: usize) -> Option<u32> {
        let number = self.all.get(address)?;
        let chunk = address >> CHUNK_BITS;
        let first = u64::from(number & !(unit(usize::MAX)));
        self.recent[chunk % RECENT].store((chunk as u64) << 32 | first, Ordering::Relaxed);
        Some(number)
    }
}

/// The index, in its chunk, of the 64 bytes that contain an address.
#[inline(always)]
fn unit(address: usize) -> u32 {
    ((address & ((1 << CHUNK_BITS) - 1)) >> UNIT_BITS) as u32
}

/// The numbers of some chunks, plus one; 0 for a chunk without a number.
type Leaf = Box<[AtomicU32]>;

/// The numbers of all chunks.
pub(crate) struct Slots {
    leaves: Box<[OnceLock<Leaf>]>,
    used: AtomicU32,
}

impl Default for Slots {
    fn default() -> Self {
        let leaves = std::iter::repeat_with(OnceLock::new).take(ROOTS).collect();
        Self { leaves, used: AtomicU32::new(0) }
    }
}

impl Slots {
    /// The number of the operation at an address; `None` if there are too many chunks, or if the address has more than
    /// [`ADDRESS_BITS`] bits.
    #[inline]
    pub(crate) fn get(&self, address: usize) -> Option<u32> {
        let chunk = address >> CHUNK_BITS;
        let leaf = self
            .leaves
            .get(chunk >> LEAF_BITS)?
            .get_or_init(|| std::iter::repeat_with(|| AtomicU32::new(0)).take(1 << LEAF_BITS).collect());
        let entry = &leaf[chunk & ((1 << LEAF_BITS) - 1)];
        let mut number = entry.load(Ordering::Relaxed);
        if number == 0 {
            number = self.number(entry)?;
        }
        Some(((number - 1) << (CHUNK_BITS - UNIT_BITS)) | unit(address))
    }

    /// Numbers a chunk. If another thread numbers the chunk first, the number of this thread stays unused.
    #[cold]
    fn number(&self, entry: &AtomicU32) -> Option<u32> {
        let next = self.used.fetch_add(1, Ordering::Relaxed) + 1;
        if next >= 1 << (32 - (CHUNK_BITS - UNIT_BITS)) {
            self.used.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        match entry.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => Some(next),
            Err(other) => Some(other),
        }
    }
}

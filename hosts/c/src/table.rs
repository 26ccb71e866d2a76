//! Handles for C: numbers that are looked up, so that an invalid handle is an error and not a crash.

use std::sync::{Arc, Mutex, PoisonError};

use drrvm::Program;
use drrvm::host::Natives;
use drrvm::source::SourceMap;
use drrvm::vm::{Matcher, Scratch};

use crate::host::Host;

/// A compiled rule set.
pub(crate) struct Rules {
    pub(crate) program: Arc<Program>,
    pub(crate) sources: SourceMap,
}

/// A rule set bound to a host, with memory for one match at a time.
pub(crate) struct Bound {
    pub(crate) matcher: Matcher<Host>,
    pub(crate) scratch: Mutex<Scratch<Host>>,
}

/// The object of a handle.
#[derive(Clone)]
pub(crate) enum Entry {
    Rules(Arc<Rules>),
    Natives(Arc<Mutex<Natives<Host>>>),
    Matcher(Arc<Bound>),
}

/// The slots with their generations. A reused slot gets a new generation, so that old handles fail.
static TABLE: Mutex<Vec<(u32, Option<Entry>)>> = Mutex::new(Vec::new());

fn table() -> std::sync::MutexGuard<'static, Vec<(u32, Option<Entry>)>> {
    // A panic cannot leave the table in an inconsistent state.
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Splits a handle into index and generation.
fn split(handle: u64) -> Option<(usize, u32)> {
    let index = u32::try_from(handle & u64::from(u32::MAX)).ok()?;
    let generation = u32::try_from(handle >> 32).ok()?;
    Some((usize::try_from(index).ok()?, generation))
}

/// Returns a new handle, which is never zero, or `None` if each of the 2^32 slots is in use or has used up its
/// generations.
pub(crate) fn insert(entry: Entry) -> Option<u64> {
    let mut table = table();
    let free = table.iter().position(|(generation, entry)| entry.is_none() && *generation < u32::MAX);
    let index = free.unwrap_or_else(|| {
        table.push((0, None));
        table.len() - 1
    });
    let low = u32::try_from(index).ok()?;
    let (generation, slot) = &mut table[index];
    *generation += 1;
    *slot = Some(entry);
    Some(u64::from(*generation) << 32 | u64::from(low))
}

/// Returns the object of a handle.
pub(crate) fn get(handle: u64) -> Option<Entry> {
    let (index, generation) = split(handle)?;
    let table = table();
    let (current, entry) = table.get(index)?;
    if *current == generation { entry.clone() } else { None }
}

/// Removes a handle; returns true if it existed.
pub(crate) fn remove(handle: u64) -> bool {
    let Some((index, generation)) = split(handle) else { return false };
    let mut table = table();
    match table.get_mut(index) {
        Some((current, entry)) if *current == generation => entry.take().is_some(),
        _ => false,
    }
}

//! Operations to visit: last in, first out, each at most once.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::Handle;

/// A stack from which any entry can be removed in constant time.
///
/// Invariant: `places` has exactly the entries of `stack` that are not holes, at their index.
#[derive(Debug)]
pub(super) struct Worklist<T> {
    stack: Vec<Option<T>>,
    places: HashMap<T, usize, FxBuildHasher>,
}

impl<T> Default for Worklist<T> {
    fn default() -> Self {
        Self { stack: Vec::new(), places: HashMap::default() }
    }
}

impl<T: Handle> Worklist<T> {
    /// Puts an entry on top, unless it is somewhere in the list already.
    pub(super) fn push(&mut self, item: T) {
        let place = self.stack.len();
        self.places.entry(item).or_insert_with(|| {
            self.stack.push(Some(item));
            place
        });
    }

    /// Takes the topmost entry.
    pub(super) fn pop(&mut self) -> Option<T> {
        let item = self.stack.iter().rposition(Option::is_some).and_then(|top| {
            self.stack.truncate(top + 1);
            self.stack.pop().flatten()
        })?;
        self.places.remove(&item);
        Some(item)
    }

    /// Takes an entry out, if it is in the list.
    pub(super) fn remove(&mut self, item: T) {
        if let Some(place) = self.places.remove(&item) {
            self.stack[place] = None;
        }
    }

    /// Forgets all entries.
    pub(super) fn clear(&mut self) {
        self.stack.clear();
        self.places.clear();
    }

    /// Puts the bottom on top.
    pub(super) fn reverse(&mut self) {
        self.stack.retain(Option::is_some);
        self.stack.reverse();
        for (place, item) in self.stack.iter().enumerate() {
            if let Some(item) = item {
                self.places.insert(*item, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_once_last_first_without_the_removed() {
        let mut list = Worklist::default();
        for item in [1, 2, 3, 2, 4] {
            list.push(item);
        }
        list.remove(3);
        list.remove(9);
        list.reverse();
        list.push(5);
        list.push(2);
        let popped: Vec<i32> = std::iter::from_fn(|| list.pop()).collect();
        assert_eq!(popped, [5, 1, 2, 4]);
        list.push(3);
        assert_eq!(list.pop(), Some(3));
        assert_eq!(list.pop(), None);
    }
}

//! Typed indices and tables over them.
//!
//! An id is a `u32` with a type, so the number of an operation cannot be used as the number of a value. A table of ids
//! has half the size of a table of 64-bit pointers. Building an id from a `usize` is fallible: the owner of a table
//! reports an overflow, and no index wraps.

/// A `u32` newtype that indexes one kind of table.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug + 'static {
    /// The id of entry `index`; `None` past the largest id.
    fn try_from_index(index: usize) -> Option<Self>;
    /// The index of the entry.
    fn index(self) -> usize;
}

/// Defines id types: documented newtypes over `u32` that implement [`Id`].
macro_rules! define_ids {
    ($($(#[$doc:meta])* $vis:vis struct $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        $vis struct $name(u32);

        #[allow(dead_code, reason = "not every id is built from a raw number")]
        impl $name {
            /// The id with this raw number.
            #[inline]
            $vis const fn from_raw(raw: u32) -> Self { Self(raw) }
            /// The raw number.
            #[inline]
            $vis const fn raw(self) -> u32 { self.0 }
        }

        impl $crate::id::Id for $name {
            #[inline]
            fn try_from_index(index: usize) -> Option<Self> {
                // The largest value is free, for tables that need a niche.
                u32::try_from(index).ok().filter(|&raw| raw != u32::MAX).map(Self)
            }
            #[inline]
            fn index(self) -> usize { self.0 as usize }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}
pub(crate) use define_ids;

/// A vector indexed by one kind of id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: std::marker::PhantomData<fn(I)>,
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), id: std::marker::PhantomData }
    }
}

impl<I: Id, T> IdVec<I, T> {
    /// Appends an entry; `None`, without a change, if there are no more ids.
    pub fn try_push(&mut self, item: T) -> Option<I> {
        let id = I::try_from_index(self.items.len())?;
        self.items.push(item);
        Some(id)
    }

    /// Appends an entry to a table whose owner bounds its growth.
    ///
    /// # Panics
    /// There are no more ids, because the owner's bound is wrong.
    pub fn push(&mut self, item: T) -> I {
        self.try_push(item).expect("the table's owner bounds its growth below u32::MAX")
    }

    /// Removes all entries after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// Removes all entries after the first `len`, and returns them.
    #[cfg(feature = "frontend")]
    pub(crate) fn split_off(&mut self, len: usize) -> Vec<T> {
        self.items.split_off(len)
    }

    /// The entry with this id, if the table has it.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The entries in id order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The entries in id order, as mutable references.
    #[cfg(feature = "ir")]
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        (0..self.items.len()).map(|i| I::try_from_index(i).expect("an id was made for this entry"))
    }

    /// Ids and entries in order.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator + Clone {
        self.ids().zip(&self.items)
    }

    /// The entries as a slice, in id order.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T> std::ops::Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> std::ops::IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, id: std::marker::PhantomData }
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<X: IntoIterator<Item = T>>(items: X) -> Self {
        Self { items: items.into_iter().collect(), id: std::marker::PhantomData }
    }
}

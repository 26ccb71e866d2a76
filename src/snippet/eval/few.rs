//! Short lists without memory of their own.

use std::ops::{Deref, DerefMut};

/// How many items a list has in place.
const IN_PLACE: usize = 4;

/// A list whose length is known when it is made: in place if it is short, else on the heap.
pub(super) struct Few<T> {
    short: [T; IN_PLACE],
    long: Vec<T>,
    len: usize,
}

impl<T> Few<T> {
    /// A list of `len` items that `fill` makes.
    pub(super) fn filled(len: usize, mut fill: impl FnMut() -> T) -> Self {
        let long =
            if len > IN_PLACE { std::iter::repeat_with(&mut fill).take(len).collect() } else { Vec::new() };
        Self { short: std::array::from_fn(|_| fill()), long, len }
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        if self.len > IN_PLACE { &self.long } else { &self.short[..self.len] }
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        if self.len > IN_PLACE { &mut self.long } else { &mut self.short[..self.len] }
    }
}

#[test]
fn short_and_long_lists_are_lists() {
    for len in 0..10 {
        let mut list = Few::filled(len, || 1);
        assert_eq!(*list, vec![1; len]);
        list.iter_mut().for_each(|item| *item = 2);
        assert_eq!((list.len(), list.iter().sum::<usize>()), (len, 2 * len));
    }
}

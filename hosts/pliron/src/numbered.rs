//! Assigns numbers to objects that are compared by value.

use std::collections::HashMap;
use std::hash::Hash;

/// Objects with their numbers; equal objects have equal numbers.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    objects: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { objects: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// Returns the number of an object. A new object gets the next number.
    pub(crate) fn number(&mut self, object: &T) -> u32 {
        if let Some(&number) = self.numbers.get(object) {
            return number;
        }
        let number = u32::try_from(self.objects.len()).expect("the number of objects fits");
        self.objects.push(object.clone());
        self.numbers.insert(object.clone(), number);
        number
    }

    /// Returns the number of an object if it has one.
    pub(crate) fn find<Q: ?Sized + Eq + Hash>(&self, object: &Q) -> Option<u32>
    where
        T: std::borrow::Borrow<Q>,
    {
        self.numbers.get(object).copied()
    }

    /// Returns the object with a number.
    pub(crate) fn get(&self, number: u32) -> &T {
        &self.objects[number as usize]
    }
}

//! Numbers for objects that are compared by value.

use std::collections::HashMap;
use std::hash::Hash;

/// Objects, each with a number: equal objects have one.
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
    /// The number of an object; a new one for an object not seen yet.
    pub(crate) fn number(&mut self, object: &T) -> u32 {
        if let Some(&number) = self.numbers.get(object) {
            return number;
        }
        let number = u32::try_from(self.objects.len()).expect("fewer objects than fit into memory");
        self.objects.push(object.clone());
        self.numbers.insert(object.clone(), number);
        number
    }

    /// The number of an object, if it was seen.
    pub(crate) fn find<Q: ?Sized + Eq + Hash>(&self, object: &Q) -> Option<u32>
    where
        T: std::borrow::Borrow<Q>,
    {
        self.numbers.get(object).copied()
    }

    /// The object of a number that was given out.
    pub(crate) fn get(&self, number: u32) -> &T {
        &self.objects[number as usize]
    }
}

//! The data type of places: variables, their elements and their fields. `lvalue` lowers expressions to places.

use crate::snippet::{LocalId, Typed};

/// A variable, or a part of a variable.
#[derive(Clone, Debug)]
pub(in crate::frontend::cxx) struct Place {
    pub(in crate::frontend::cxx) root: LocalId,
    pub(in crate::frontend::cxx) steps: Vec<Step>,
}

impl Place {
    /// The field of the root variable in which the place lies; `None` if the place is the whole variable, or if its
    /// first step is not to a field.
    pub(super) fn first_field(&self) -> Option<u32> {
        match self.steps.first() {
            Some(Step::Field(field)) => Some(*field),
            _ => None,
        }
    }
}

/// A step from a value to a part of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::frontend::cxx) enum Step {
    /// The element at an index. Evaluating the index has no effects.
    At(Typed),
    /// The value of an optional, which must have one.
    Value,
    /// A field of a tuple.
    Field(u32),
    /// The value that a map has for a key. Evaluating the key has no effects.
    Key(Typed),
}

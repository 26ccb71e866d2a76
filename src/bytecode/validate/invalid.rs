//! Errors of the validator, by section.

use crate::wire::{Invalid, Section};

pub(super) type Valid<T = ()> = Result<T, Invalid>;

pub(super) fn in_code(what: String) -> Invalid {
    Invalid::new(Section::Code, what)
}

pub(super) fn in_rules(what: String) -> Invalid {
    Invalid::new(Section::Rules, what)
}

pub(super) fn in_tables(what: String) -> Invalid {
    Invalid::new(Section::Tables, what)
}

pub(super) fn too_long() -> Invalid {
    in_code("the code is too long".into())
}

//! Parses text to patterns, in the custom and the generic form.
//!
//! The parser of the built-in IR reads types and attributes. Each operation of `pdl` has its own code here. After an
//! error, parsing continues at the next pattern, module or alias.

mod custom;
mod file;
mod generic;
mod pattern;
mod reader;

pub(super) use reader::{Reader, range_of};

//! Text to patterns: the dialect's custom form and the generic form.
//!
//! Types and attributes are read by the parser of the built-in IR; operations of `pdl` are few and
//! fixed, so each has its few lines here. After an error reading goes on at the next pattern.

mod custom;
mod file;
mod generic;
mod pattern;
mod reader;

pub(super) use reader::{Reader, range_of};

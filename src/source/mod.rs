//! Source text, where things are in it, and what is said about it.
//!
//! Files go in; [`Span`]s, [`Diagnostic`]s and their rendering come out. Nothing here knows what
//! the languages mean.
//!
//! Invariants: a [`Span`] is meaningful in the one [`SourceMap`] that made its file; a file's text
//! never changes once added; rendering never fails, whatever the span.

mod classic;
mod diagnostic;
mod map;
mod places;
#[cfg(feature = "ir")]
mod render;

pub use classic::render_classic;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Note, Severity};
#[cfg(feature = "frontend")]
pub(crate) use map::read;
pub use map::{FileId, Location, SourceFile, SourceMap, Span};
pub(crate) use places::{Place, PlaceTable, pack};
#[cfg(feature = "ir")]
pub use render::{Color, render, render_all};

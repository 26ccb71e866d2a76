//! Source files, spans in them, and diagnostics about them.
//!
//! Input: files. Output: [`Span`]s, [`Diagnostic`]s and their text. This module does not depend on the languages of the
//! files.
//!
//! Invariants: a [`Span`] has a meaning only in the [`SourceMap`] that contains its file; the text of a file never
//! changes; rendering never fails for any span.

mod classic;
mod diagnostic;
mod diagnostics;
mod file;
mod map;
mod places;
#[cfg(feature = "ir")]
mod render;
mod similar;
mod span;

pub use classic::render_classic;
pub use diagnostic::{Diagnostic, Label, Note, Severity};
pub use diagnostics::Diagnostics;
pub use file::{Location, SourceFile};
#[cfg(feature = "cli")]
pub(crate) use map::name_of;
pub use map::{FileId, SourceMap};
#[cfg(feature = "frontend")]
pub(crate) use map::{read, replace_file};
pub(crate) use places::{Place, PlaceTable, pack};
#[cfg(feature = "ir")]
pub use render::{Color, render, render_all};
pub(crate) use similar::similar;
pub use span::Span;

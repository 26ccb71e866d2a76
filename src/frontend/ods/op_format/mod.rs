//! The declarative assembly format of operations.
//!
//! Specification: a format that `mlir-tblgen` 22.1 rejects is an error at its place in the text. For any other format,
//! the result contains the elements from which `mlir-tblgen` generates a parser and a printer.
//!
//! `parse` reads the elements, and `check` finds the origin of each type and rejects ambiguous formats.
//!
//! Source: MLIR's "Operation Definition Specification", section "Declarative Assembly Format"; where it is silent, the
//! behaviour of `OpFormatGen.cpp`.

mod check;
mod model;
mod parse;

pub use model::{OpFormat, TypeOrigin, TypePlace};

use super::error;
use super::model::Op;
use crate::frontend::tablegen::Record;
use crate::source::{Diagnostic, Span};

/// Reads the format of an operation.
pub(super) fn read<'a>(
    op: &Op<'a>,
    traits: &[Record<'a>],
    text: &'a str,
    span: Span,
) -> Result<OpFormat<'a>, Diagnostic> {
    let read = parse::parse(op, text).and_then(|parsed| check::check(op, traits, text, parsed));
    read.map_err(|(offset, problem, help)| {
        error::format(&op.name, &problem, text, offset, span, help.as_deref())
    })
}

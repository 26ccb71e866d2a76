//! The declarative assembly format of operations.
//!
//! Specification: a format that `mlir-tblgen` 22.1 rejects is an error at its place in the text. Any other format is
//! read to the elements from which `mlir-tblgen` generates a parser and a printer.
//!
//! `lexer` splits the text, `parse` reads the elements, and `check` finds the origin of each type and rejects ambiguous
//! formats.
//!
//! Source: MLIR's "Operation Definition Specification", section "Declarative Assembly Format"; where it is silent, the
//! behaviour of `OpFormatGen.cpp`.

mod check;
mod lexer;
mod parse;

use super::error;
use super::model::Op;
use crate::frontend::tablegen::Record;
use crate::ir::dialect::Element;
use crate::source::{Diagnostic, Span};

/// The format of an operation, with the origin of each type.
#[derive(Clone, Debug)]
pub struct OpFormat<'a> {
    /// The text in the definition.
    pub text: &'a str,
    /// The elements.
    pub elements: Vec<Element>,
    /// The origin of the type of each group of operands.
    pub operand_types: Vec<TypeOrigin<'a>>,
    /// The origin of the type of each group of results.
    pub result_types: Vec<TypeOrigin<'a>>,
    /// The names of attributes that hold the sizes of lists of lists.
    pub inferred: Vec<&'a str>,
    /// True if the format has `prop-dict`.
    pub prop_dict: bool,
}

/// The origin of the type of a group of operands or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeOrigin<'a> {
    /// The format contains the type.
    Written,
    /// C++ code that builds the only possible type.
    Fixed(&'a str),
    /// Another type, or the result of a C++ function of another type or of an attribute.
    From(TypePlace, Option<&'a str>),
    /// C++ code that infers all result types.
    Inferred,
}

/// The place of a type in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypePlace {
    /// The index of a group of operands.
    Operand(usize),
    /// The index of a group of results.
    Result(usize),
    /// The index of an attribute.
    Attribute(usize),
}

/// An error in a format: its offset in the text, the message, and the advice.
type Problem = (usize, String, Option<String>);

/// Reads the format of an operation.
pub(super) fn read<'a>(
    op: &Op<'a>,
    traits: &[Record<'a>],
    text: &'a str,
    span: Span,
) -> Result<OpFormat<'a>, Diagnostic> {
    let read = parse::parse(op, text).and_then(|parsed| check::check(op, traits, text, parsed));
    read.map_err(|(offset, problem, help)| {
        error::op_format(&op.name, &problem, text, offset, span, help.as_deref())
    })
}

//! Dialect definitions as data, which the reader and the printer of custom forms interpret.
//!
//! Specification: the reader and the printer do the same as the C++ parser and printer that `mlir-tblgen` 22.1
//! generates from the same `assemblyFormat`.
//!
//! `definition`, `format` and `type_function` are plain data, without TableGen's records and with C++ only as text.
//! `form` and `class_form` have the traits for the syntax that only C++ code describes upstream, and `registry` has the
//! table of their implementations. `source` is the interface through which a context finds the definitions of a dialect
//! when it reads the dialect's name. `pack` stores definitions in a file, in the encoding of `wire`.
//!
//! Source: MLIR's "Operation Definition Specification", section "Declarative Assembly Format".

mod class_form;
mod definition;
mod form;
mod format;
mod pack;
mod registry;
mod source;
mod type_function;
mod wire;

pub use class_form::{ClassForm, ClassText};
pub use definition::Dialect;
pub(crate) use definition::{
    AttrSyntax, AttributeDef, DialectPart, EnumSyntax, GroupSizes, OpSyntax, PropertyDef, PropertyEncoding,
    PropertySyntax, RegionOrSuccessor, Syntax, Terminator, TypeSource, TypeSyntax, ValueGroup,
};
pub use form::{
    Argument, CustomDirective, CustomForm, FormPrinter, FormReader, FormResult, OperandName, PrintedOp,
    TextMark,
};
pub use format::DirectiveArg;
pub(crate) use format::{Anchor, Element, Group, TypeOperand};
pub use pack::{DialectPack, PackError, PackedDialect};
pub use registry::Forms;
pub use source::DialectSource;
pub(crate) use type_function::{TypeEvaluator, TypeFunction};

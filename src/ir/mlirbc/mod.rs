//! MLIR byte code: MLIR's binary file format, usually in files named `.mlirbc`.
//!
//! Specification: [`read`] returns the module that `mlir-opt-22` reads from the same bytes, and `mlir-opt-22` reads
//! from the output of [`write()`] the module that was written. Every version of the format from 0 to [`VERSION`] is
//! read and written. The format is unrelated to the byte code of rules ([`Program`](crate::Program)).
//!
//! A file is a list of sections: strings, names of dialects and operations, attributes and types with their sizes,
//! native properties, resources, and the operations. An attribute or type is stored in the binary form of its dialect,
//! or as text. This folder reads the binary forms of the dialects `builtin` and `quant`, and writes the binary form of
//! `builtin`. Native properties of an operation have the order that `mlir-tblgen` gives them, so the operation's
//! definition must be known. MLIR can defer loading regions that are in sections of their own; this reader loads them
//! immediately.
//!
//! Invariants: no bytes cause a panic; only the parser of attributes and types in text form recurses, up to its depth
//! limit; time and memory are linear in the length of the file, except for sorting, for the text of a type of `quant`,
//! and for the text of a dialect's type in dense elements. The depth of a module that is read has the same limit as in
//! text ([`DEPTH_LIMIT`](super::DEPTH_LIMIT)).
//!
//! Method: `bytes` has the primitives. `file` finds the sections. `table` decodes attributes and types on demand, with
//! `decoder`, `builtin` and `quant`. `layout` and `properties` decode native properties. `resources` and `operations`
//! decode the rest. Writing has two parts: `numbering` collects everything that the module refers to, and `write`
//! encodes it.
//!
//! Source: "MLIR Bytecode Format" in MLIR's documentation.

mod builtin;
mod bytes;
mod decoder;
mod encode;
mod error;
mod file;
mod layout;
mod numbering;
mod operations;
mod properties;
mod quant;
mod resources;
mod table;
#[cfg(test)]
mod tests;
mod uses;
mod version;
mod write;

use self::error::Fault;
use self::file::File;
use self::operations::OperationReader;
use super::context::Context;
use super::module::Module;
use crate::source::Diagnostics;
pub use version::{VERSION, is_bytecode};

/// Reads a file of MLIR byte code. `name` is the name of the file in messages.
///
/// ```
/// use drrvm::ir::{Context, Module, mlirbc};
/// let mut context = Context::new();
/// let module = Module::new(&mut context);
/// let bytes = mlirbc::write(&mut context, &module, mlirbc::VERSION)?;
/// let back = mlirbc::read(&mut context, "empty.mlirbc", &bytes)?;
/// assert_eq!(back.op_count(), 1);
/// let errors = mlirbc::read(&mut context, "cut.mlirbc", &bytes[..20]).unwrap_err();
/// assert!(errors.iter().any(|error| error.message.starts_with("cannot read the byte code in 'cut.mlirbc'")));
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
///
/// # Errors
/// The bytes are damaged, or need a definition that the context does not know. A note states the byte offset.
pub fn read(context: &mut Context, name: &str, bytes: &[u8]) -> Result<Module, Diagnostics> {
    let mut file = File::new(bytes);
    let module = file.sections().and_then(|()| OperationReader::new(context, &file, name)?.module());
    module.map_err(|fault: Box<Fault>| fault.diagnostic(name, &file.origin()).into())
}

/// Writes a module as a file of MLIR byte code. The names of values and of aliases are not written, because the format
/// does not have them.
///
/// From version 5 on, properties are written in their native form if the context knows the definition of the operation,
/// and if the properties fit the definition and need no C++ code. In all other cases, they are written as attributes,
/// which a reader that knows the definition turns into properties. There is one exception from version 5 on: if the
/// definition is unknown and the dictionary of attributes would lose a property, all properties are written as one
/// attribute. A tool of MLIR that knows the definition cannot read such an operation, because it takes the attribute
/// for native properties.
///
/// ```
/// use drrvm::ir::{Context, PrintOptions, mlirbc, parse_module};
/// use drrvm::source::SourceMap;
/// let mut sources = SourceMap::default();
/// let file = sources.add("in.mlir", "%0 = arith.constant 1 : i32")?;
/// let mut context = Context::new();
/// let module = parse_module(&mut context, sources.file(file))?;
/// // A file of version 4 can be read by older releases of MLIR.
/// let bytes = mlirbc::write(&mut context, &module, 4)?;
/// let mut other = Context::new();
/// let back = mlirbc::read(&mut other, "in.mlirbc", &bytes)?;
/// assert!(back.print(&other, PrintOptions::new()).contains("%c1_i32 = arith.constant 1 : i32"));
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
///
/// # Errors
/// - The version is newer than [`VERSION`], a resource has an alignment of more than 1 MiB, or an operation uses a value
///   that no region around it defines.
/// - From version 5 on, the properties of an operation with a definition are not a dictionary. Or the definition has
///   properties that are not attributes, and the properties of the operation do not fit the definition or need C++ code.
/// - Before version 5, the properties of an operation are not a dictionary. Or a property and an attribute have the same
///   name and different values. Or a property that is not an attribute has another value than its initial value.
pub fn write(context: &mut Context, module: &Module, version: u64) -> Result<Vec<u8>, Diagnostics> {
    write::write(context, module, version)
}

//! TableGen: reads `.td` files.
//!
//! Specification: the records equal those of `llvm-tblgen` 22.1. Input: text and include directories. Output:
//! [`Records`], or all errors that were found. This module does not know MLIR.
//!
//! Invariants: every record, every field and every dag of the text keeps its place. The result does not depend on hash
//! order. Nesting, includes and the number of records have limits, and exceeding a limit is an error.
//!
//! Method: a lexer, and a recursive-descent parser that evaluates while it reads. There is no syntax tree because the
//! meaning of a name depends on the definitions before it. Values are hash-consed (`value`) and records share shapes
//! (`record`). Instantiating a class rewrites only open values.
//!
//! Source: LLVM's "TableGen Programmer's Reference", and the behaviour of `llvm-tblgen` where the reference is silent.

mod bang;
mod config;
mod error;
mod evaluator;
mod fold;
mod ids;
mod instantiate;
mod json;
mod lexer;
mod name_order;
mod operators;
mod parser;
mod posix;
mod print;
mod record;
mod records;
mod resolve;
mod statements;
mod types;
mod value;
mod values;

pub use crate::intern::StrId;
pub use config::Config;
pub use ids::{RecordId, TypeId};
pub use records::{BitsId, Dag, DagArg, DagId, ExprId, Field, FieldError, ListId, Record, Records, Value};

use crate::source::{Diagnostic, Diagnostics, FileId, SourceMap};

/// The result of reading a file without errors.
#[derive(Debug)]
pub struct Parsed {
    /// The records.
    pub records: Records,
    /// Warnings, and the output of `dump` statements.
    pub warnings: Diagnostics,
}

/// The stack size of the evaluating thread. Nesting within the limits needs a small part of it.
const STACK: usize = 256 << 20;

/// True if the first word of a text, after comments, can begin a TableGen file but not an MLIR file.
pub(crate) fn begins_like_tablegen(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let comment = match rest.get(..2) {
            Some("//") => rest.find('\n').map(|end| end + 1),
            Some("/*") => lexer::skip_comment(rest.as_bytes(), 0),
            _ => break,
        };
        rest = rest[comment.unwrap_or(rest.len())..].trim_start();
    }
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '#').next().unwrap_or_default();
    let statements = [
        "assert",
        "class",
        "def",
        "defm",
        "defset",
        "deftype",
        "defvar",
        "dump",
        "foreach",
        "if",
        "include",
        "let",
        "multiclass",
    ];
    statements.contains(&word) || matches!(word, "#ifdef" | "#ifndef" | "#define")
}

/// Reads a file and all files that it includes.
///
/// ```
/// use drrvm::{SourceMap, tablegen};
/// let mut sources = SourceMap::default();
/// let file = sources.add("a.td", "class A<int n> { int twice = !mul(n, 2); } def B : A<21>;".to_owned())?;
/// let parsed = tablegen::parse(&mut sources, file, &Default::default())?;
/// let b = parsed.records.record(parsed.records.find("B").expect("the definition"));
/// assert_eq!(b.int_field("twice").ok(), Some(42));
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
///
/// # Errors
/// All errors that were found, and all warnings.
pub fn parse(sources: &mut SourceMap, main: FileId, config: &Config) -> Result<Parsed, Diagnostics> {
    match parse_as_far(sources, main, config) {
        (Some(records), diagnostics) if !diagnostics.has_errors() => {
            Ok(Parsed { records, warnings: diagnostics })
        }
        (_, diagnostics) => Err(diagnostics),
    }
}

/// Like [`parse`], but returns the records even if there are errors. A record whose definition has an error can be
/// missing or incomplete ([`Record::is_broken`]). Returns no records if reading stopped early.
pub(crate) fn parse_as_far(
    sources: &mut SourceMap,
    main: FileId,
    config: &Config,
) -> (Option<Records>, Diagnostics) {
    // WebAssembly has no threads, so the evaluation uses the stack of the WebAssembly engine. Nesting that overflows
    // this stack ends the run.
    if cfg!(target_family = "wasm") {
        return statements::run(sources, main, config);
    }
    // The caller's stack may be too small for the deepest nesting that the limits allow, because only builds with the
    // `ir` feature extend the stack in deep recursion.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let running = thread.spawn_scoped(scope, || statements::run(sources, main, config));
        match running.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => (None, Diagnostic::error(format!("cannot start a thread: {error}")).into()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::begins_like_tablegen;

    #[test]
    fn comments_before_the_first_word_nest() {
        assert!(begins_like_tablegen("/* a /* b */ c */ // d\ndef A;"));
        assert!(!begins_like_tablegen("/* def /* b */"));
        assert!(!begins_like_tablegen("module {}"));
    }
}

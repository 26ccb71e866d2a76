//! TableGen: reads `.td` files as `llvm-tblgen` of LLVM 22.1 does, and yields the same records.
//!
//! Text and include directories go in; [`Records`] come out, or all errors that could be found.
//! Nothing here knows MLIR.
//!
//! Invariants: every record, field and dag keeps the place it was written at; the result does not
//! depend on hash order; nesting, includes and the number of records are bounded by errors.
//!
//! Method: lexer, recursive-descent parser with a depth limit, and evaluation while parsing, as
//! the language demands: what a name means depends on what has been defined so far. Values are
//! hash-consed (`value`), records share layouts (`record`), and instantiating a class rewrites
//! only the values that still mention a name.
//!
//! Source: LLVM's "TableGen Programmer's Reference"; where it is silent, what the tool does.

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
pub use name_order::compare_names;
pub use records::{BitsId, Dag, DagArg, DagId, ExprId, Field, FieldError, ListId, Record, Records, Value};

use crate::source::{Diagnostic, Diagnostics, FileId, SourceMap};

/// What came of a file without errors.
#[derive(Debug)]
pub struct Parsed {
    /// The records.
    pub records: Records,
    /// Warnings, and what `dump` statements say.
    pub warnings: Diagnostics,
}

/// Stack of the thread that evaluates: what nesting within the limits takes, many times over.
const STACK: usize = 256 << 20;

/// Whether the first word of a text, after comments, can begin a TableGen file and no MLIR.
pub fn begins_like_tablegen(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let comment = match rest.get(..2) {
            Some("//") => rest.find('\n').map(|end| end + 1),
            Some("/*") => rest.find("*/").map(|end| end + 2),
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

/// Reads a file and all that it includes.
///
/// # Errors
/// All errors that were found, and the warnings before them.
pub fn parse(sources: &mut SourceMap, main: FileId, config: &Config) -> Result<Parsed, Diagnostics> {
    match parse_as_far(sources, main, config) {
        (Some(records), diagnostics) if !diagnostics.has_errors() => {
            Ok(Parsed { records, warnings: diagnostics })
        }
        (_, diagnostics) => Err(diagnostics),
    }
}

/// As [`parse`], with the records that were understood even where others were not; none if the reading
/// came to no end.
pub fn parse_as_far(
    sources: &mut SourceMap,
    main: FileId,
    config: &Config,
) -> (Option<Records>, Diagnostics) {
    // Nesting is bounded, but the caller's stack may be smaller than what the bound takes.
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

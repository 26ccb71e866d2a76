//! Rules written in the `pdl` dialect.
//!
//! Specification: rules have the meaning that MLIR 22.1 documents for the same text. Text that `mlir-opt` rejects is an
//! error at the same line. Text that [`crate::pdl::print`] wrote is read back to equivalent rules.
//!
//! Input: text in the custom or the generic form. Output: the rules of the text that have no errors, appended to a
//! [`RuleSet`]. Several modules, nested or not, form one rule list in textual order. Operations other than modules and
//! patterns are skipped with a warning.
//!
//! Each pattern is parsed to a syntax tree (`ast`), must pass the checks of the dialect's verifier (`verify`), is
//! lowered (`lower`), and must pass the checks that apply to rules from any front end.

mod ast;
mod error;
mod lower;
mod parse;
mod verify;

use crate::frontend::loaded::{Loaded, Rejected};
use crate::ir::Context;
use crate::pdl::RuleSet;
#[cfg(any(test, feature = "fuzzing"))]
use crate::source::Diagnostics;
use crate::source::{FileId, SourceMap};

/// Reads a file and appends its rules. Returns the warnings.
///
/// # Errors
/// Returns all errors of all patterns. In this case, no rule is appended.
///
/// ```
/// use drrvm::{internal::frontend::pdl_text, pdl::RuleSet, source::SourceMap};
/// # fn main() -> Result<(), drrvm::source::Diagnostics> {
/// let mut sources = SourceMap::default();
/// let file = sources.add("rules.mlir", r#"
///     pdl.pattern @double_negation : benefit(2) {
///       %x = operand
///       %ty = type
///       %inner = operation "arith.negf"(%x : !pdl.value) -> (%ty : !pdl.type)
///       %y = result 0 of %inner
///       %root = operation "arith.negf"(%y : !pdl.value) -> (%ty : !pdl.type)
///       rewrite %root {
///         replace %root with (%x : !pdl.value)
///       }
///     }"#)?;
/// let mut rules = RuleSet::default();
/// pdl_text::parse(&sources, file, &mut rules)?;
/// assert_eq!(rules.patterns().len(), 1);
/// # Ok(()) }
/// ```
#[cfg(any(test, feature = "fuzzing"))]
pub fn parse(sources: &SourceMap, file: FileId, rules: &mut RuleSet) -> Result<Diagnostics, Diagnostics> {
    let before = rules.patterns().len();
    let loaded = load(sources, file, rules).with_errors_of_rules();
    if loaded.diagnostics.has_errors() {
        rules.patterns.truncate(before);
        return Err(loaded.diagnostics);
    }
    Ok(loaded.diagnostics)
}

/// Appends the rules that have no errors. The result holds the diagnostics of these rules and of the text as a whole.
/// It also holds the rules that have errors, each together with its diagnostics.
pub(crate) fn load(sources: &SourceMap, file: FileId, rules: &mut RuleSet) -> Loaded {
    let source = sources.file(file);
    let mut context = Context::new();
    let mut texts = lower::Texts::default();
    let mut rejected = Vec::new();
    let mut reader = parse::Reader::new(&mut context, source.text(), 0, source);
    reader.file(|reader, pattern| match lower::lower(pattern, reader.context(), &mut texts, rules) {
        Ok(warnings) => reader.out.extend(warnings),
        Err(rule) => rejected.push(Rejected { position: reader.out.len(), ..*rule }),
    });
    Loaded { diagnostics: reader.out, rejected }
}

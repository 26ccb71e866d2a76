//! The warnings about rules whose rewrites failed because the evaluation of their C++ failed.

use super::budget::uses;
use crate::bytecode::Program;
use crate::snippet::FailedRewrites;
use crate::source::{Diagnostic, Diagnostics};

/// One warning for each rule and expression.
pub(super) fn warnings(program: &Program, failed: &FailedRewrites) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    for (snippet, reason) in failed.sorted() {
        for rule in program.patterns.ids().filter(|&rule| uses(program, rule, snippet)) {
            let name = program.pattern_name(rule);
            let message = format!("rule '{name}' matched, but its rewrite failed and was undone: {reason}");
            let span = program.snippets.get(snippet).span;
            warnings.push(Diagnostic::warning(message).at(span, "this expression failed"));
        }
    }
    warnings
}

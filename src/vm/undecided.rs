//! The warnings about rules that test an object for a class without a definition.

use super::budget::uses;
use crate::bytecode::Program;
use crate::snippet::UndecidedTests;
use crate::source::{Diagnostic, Diagnostics};

/// One warning for each rule and class.
pub(super) fn warnings(program: &Program, undecided: &UndecidedTests) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    for (snippet, class) in undecided.sorted() {
        let class = program.snippets.str(class);
        for rule in program.patterns.ids().filter(|&rule| uses(program, rule, snippet)) {
            let name = program.pattern_name(rule);
            let message = format!(
                "rule '{name}' was not applied to some operations, because no definition of '{class}' is known"
            );
            warnings.push(
                Diagnostic::warning(message)
                    .at(program.snippets.get(snippet).span, format!("this expression needs '{class}'"))
                    .help("include the `.td` file that defines the class in the rule file")
                    .help(format!("or register a native constraint 'isa<{class}>'")),
            );
        }
    }
    warnings
}

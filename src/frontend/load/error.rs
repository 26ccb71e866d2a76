//! Errors of rule files as a whole.

use std::path::Path;

use crate::source::Diagnostic;

pub(super) fn not_a_rule_file(path: &Path) -> Diagnostic {
    Diagnostic::error(format!("'{}' is not a rule file", path.display()))
        .help("rules are DRR in a '.td' file, pdl patterns in a '.mlir' file, or a compiled '.drrbc' program")
}

pub(super) fn compiled_program(path: &Path) -> Diagnostic {
    Diagnostic::error(format!("'{}' is a compiled program, but rules are expected here", path.display()))
        .with_note("a compiled program contains one decision tree for all its rules instead of the rules")
        .help("give the files that it was compiled from")
}

pub(super) fn skipped(skipped: usize, loaded: usize) -> Diagnostic {
    let all = skipped + loaded;
    let noun = if all == 1 { "rule" } else { "rules" };
    let verb = if skipped == 1 { "is" } else { "are" };
    Diagnostic::warning(format!("{skipped} of {all} {noun} {verb} skipped, because of errors"))
}

pub(crate) fn not_alone(path: &Path) -> Diagnostic {
    Diagnostic::error(format!("'{}' cannot be used together with other rule files", path.display()))
        .with_note("a compiled program is one decision tree, into which no further rules can be merged")
        .help("compile all rule files into one program: `drrvm compile a.td b.mlir -o all.drrbc`")
}

/// The error that `--commute` cannot change a compiled program.
pub(crate) fn not_commuted(path: &Path) -> Diagnostic {
    Diagnostic::error(format!("`--commute` cannot change the compiled program '{}'", path.display()))
        .help("compile the rule files with `--commute`: `drrvm compile rules.td --commute -o rules.drrbc`")
}

/// The error that a folder with helpers cannot be searched.
pub(super) fn unreadable_folder(path: &Path, reason: &str) -> Diagnostic {
    Diagnostic::error(format!("the folder {} cannot be searched for helpers: {reason}", path.display()))
}

/// The warning that a folder has no C++ files.
pub(super) fn no_helper_files(path: &Path, extensions: &[&str]) -> Diagnostic {
    Diagnostic::warning(format!("the folder {} has no C++ files", path.display()))
        .help(format!("helpers are read from files with the extensions {}", extensions.join(", ")))
}

//! Errors of reports, with one constructor for each.

use super::text::count;
use crate::source::Diagnostic;

/// The tree is too large for a picture.
pub(super) fn picture_too_large(nodes: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(format!(
        "the tree has {}, and a picture can show at most {limit}",
        count(nodes as u64, "node")
    ))
    .help("`--format html` shows trees of any size; `--enable` selects some of the rules")
}

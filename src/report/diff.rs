//! The differences between two texts, line by line.

use similar::{Algorithm, ChangeTag, TextDiff};

use crate::source::Color;

/// The number of context lines around a change.
const CONTEXT: usize = 3;

/// The unified diff from `before` to `after`; empty if they are equal.
///
/// ```
/// use drrvm::{report::unified_diff, source::Color};
/// let diff = unified_diff("a.mlir", "a\nb\n", "a\nc\n", Color::Never);
/// assert!(diff.ends_with("@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
/// ```
pub fn unified_diff(name: &str, before: &str, after: &str, color: Color) -> String {
    // Patience diff aligns unique lines, and is almost linear if most lines are equal.
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(before, after);
    let paint = |code: &str, text: &str| match color {
        Color::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m\n"),
        Color::Never => format!("{text}\n"),
    };
    let mut out = String::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        if out.is_empty() {
            out += &paint("1", &format!("--- {name}"));
            out += &paint("1", &format!("+++ {name}, rewritten"));
        }
        out += &paint("36", &hunk.header().to_string());
        for change in hunk.iter_changes() {
            let line = change.value().trim_end_matches('\n');
            out += &match change.tag() {
                ChangeTag::Equal => format!(" {line}\n"),
                ChangeTag::Delete => paint("31", &format!("-{line}")),
                ChangeTag::Insert => paint("32", &format!("+{line}")),
            };
        }
    }
    out
}

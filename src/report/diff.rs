//! The differences between two texts, line by line.

use std::convert::Infallible;
use std::ops::Range;

use similar::algorithms::{Capture, Compact, Replace, patience};
use similar::{ChangeTag, DiffOp};

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
    let [before, after] = [before, after].map(|text| text.lines().collect::<Vec<&str>>());
    // Patience diff aligns unique lines, and is almost linear if most lines are equal. It is called directly because
    // `TextDiff` would add the code of every algorithm, 300 KiB, to the command.
    let mut ops = Compact::new(Replace::new(Capture::new()), &before, &after);
    let Ok::<(), Infallible>(()) = patience::diff(&mut ops, &before, 0..before.len(), &after, 0..after.len());
    let paint = |code: &str, text: &str| match color {
        Color::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m\n"),
        Color::Never => format!("{text}\n"),
    };
    let mut out = String::new();
    for hunk in ops.into_inner().into_inner().into_grouped_ops(CONTEXT) {
        if out.is_empty() {
            out += &paint("1", &format!("--- {name}"));
            out += &paint("1", &format!("+++ {name}, rewritten"));
        }
        out += &paint("36", &header(&hunk));
        for change in hunk.iter().flat_map(|op| op.iter_changes(&before, &after)) {
            let line = change.value();
            out += &match change.tag() {
                ChangeTag::Equal => format!(" {line}\n"),
                ChangeTag::Delete => paint("31", &format!("-{line}")),
                ChangeTag::Insert => paint("32", &format!("+{line}")),
            };
        }
    }
    out
}

/// The line before a hunk, with the ranges of its lines in both texts.
fn header(hunk: &[DiffOp]) -> String {
    let place = |range: fn(&DiffOp) -> Range<usize>| {
        let start = hunk.first().map_or(0, |op| range(op).start);
        let end = hunk.last().map_or(start, |op| range(op).end);
        match end - start {
            // An empty range has the number of the line before it.
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            length => format!("{},{length}", start + 1),
        }
    };
    format!("@@ -{} +{} @@", place(DiffOp::old_range), place(DiffOp::new_range))
}

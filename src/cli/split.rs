//! `--split-input-file`: several modules in one file.

use std::ops::Range;

use clap::Args;

/// Options that split the input.
#[derive(Debug, Args)]
pub(super) struct SplitArgs {
    /// Split the input at each MARKER [default: // -----] that ends a line, and process each part separately
    #[arg(long, value_name = "MARKER", num_args = 0..=1, require_equals = true, default_missing_value = "// -----")]
    split_input_file: Option<String>,
}

impl SplitArgs {
    /// True if the input is split.
    pub(super) fn is_split(&self) -> bool {
        self.split_input_file.is_some()
    }

    /// The parts of the input.
    pub(super) fn parts(&self, text: &str) -> Vec<Range<usize>> {
        match &self.split_input_file {
            Some(marker) => parts(text, marker),
            None => std::iter::once(0..text.len()).collect(),
        }
    }
}

/// The parts of a text between occurrences of `marker` at the end of a line.
///
/// Blanks may follow a marker on its line. As in `mlir-opt`, a marker does not split the text if nothing, not even a
/// blank, follows the marker in the file. Unlike in `mlir-opt`, a marker does not split the text if other text follows
/// the marker on its line.
fn parts(text: &str, marker: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    if !marker.is_empty() {
        for (at, _) in text.match_indices(marker) {
            let end = at + marker.len();
            let after = text[end..].trim_start_matches([' ', '\t', '\r']);
            if end < text.len() && (after.is_empty() || after.starts_with('\n')) {
                parts.push(start..at);
                start = end;
            }
        }
    }
    parts.push(start..text.len());
    parts
}

#[cfg(test)]
mod tests {
    use super::parts;

    fn texts(text: &'static str) -> Vec<&'static str> {
        parts(text, "// -----").into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn marker_at_the_end_of_a_line_splits() {
        assert_eq!(texts("a\n// -----\nb\n  // -----\nc\n"), ["a\n", "\nb\n  ", "\nc\n"]);
    }

    #[test]
    fn blanks_may_follow_a_marker() {
        assert_eq!(texts("a\r\n// -----\r\nb\r\n"), ["a\r\n", "\r\nb\r\n"]);
        assert_eq!(texts("a\n// ----- \t\nb\n// ----- "), ["a\n", " \t\nb\n", " "]);
    }

    #[test]
    fn a_marker_before_other_text_or_at_the_end_of_the_file_does_not_split() {
        for text in ["a\n// ----- x\nb\n", "a\n// ------\nb\n", "a\n// -----"] {
            assert_eq!(texts(text), [text]);
        }
    }
}

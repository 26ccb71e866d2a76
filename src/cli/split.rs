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
/// As in `mlir-opt`, a marker does not split the text if it is followed by other text on its line or by the end of
/// the file.
fn parts(text: &str, marker: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    if !marker.is_empty() {
        for (at, _) in text.match_indices(marker) {
            let end = at + marker.len();
            if text[end..].starts_with('\n') {
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
    fn other_markers_do_not_split() {
        for text in ["a\n// ----- x\nb\n", "a\n// ------\nb\n", "a\n// -----"] {
            assert_eq!(texts(text), [text]);
        }
    }
}

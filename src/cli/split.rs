//! `--split-input-file`: one file that holds several modules.

use std::ops::Range;

use clap::Args;

/// Whether the input is taken apart, and where.
#[derive(Debug, Args)]
pub(super) struct SplitArgs {
    /// Take the input apart after lines that end in MARKER [default: // -----], treat each part by itself
    #[arg(long, value_name = "MARKER", num_args = 0..=1, require_equals = true, default_missing_value = "// -----")]
    split_input_file: Option<String>,
}

impl SplitArgs {
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
/// As `mlir-opt` does it: a marker that something follows in its line, or that ends the file, is a
/// comment and divides nothing.
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
    fn marker_ends_its_line() {
        assert_eq!(texts("a\n// -----\nb\n  // -----\nc\n"), ["a\n", "\nb\n  ", "\nc\n"]);
    }

    #[test]
    fn near_misses_are_comments() {
        for text in ["a\n// ----- x\nb\n", "a\n// ------\nb\n", "a\n// -----"] {
            assert_eq!(texts(text), [text]);
        }
    }
}

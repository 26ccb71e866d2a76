//! Diagnostics in the form of LLVM's tools: `file:line:column: error: message`, the source line and a caret.
//!
//! Editors and FileCheck tests can parse this form.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use super::diagnostic::Diagnostic;
use super::map::SourceMap;
use super::span::Span;

/// The maximum number of characters that an excerpt shows before the start of the label.
const BEFORE: usize = 60;
/// The maximum number of characters that an excerpt shows from the start of the label on.
const AFTER: usize = 80;

/// The maximum length, in bytes, of a line that is shown whole.
const LINE_LIMIT: usize = 4096;

/// Returns the text around the start of `range`, within one line and with `…` for omitted text. Also returns the shown
/// part of `range`, as a range of the returned text.
pub(super) fn excerpt(text: &str, range: Range<usize>) -> (String, Range<usize>) {
    let line = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[range.start..].find('\n').map_or(text.len(), |end| range.start + end);
    let before =
        text[line..range.start].char_indices().rev().nth(BEFORE - 1).map_or(line, |(at, _)| line + at);
    let after = text[range.start..end].char_indices().nth(AFTER).map_or(end, |(at, _)| range.start + at);
    let (head, tail) = (if before > line { "…" } else { "" }, if after < end { "…" } else { "" });
    let start = head.len() + range.start - before;
    let shown = range.end.min(after).max(range.start) - range.start;
    (format!("{head}{}{tail}", &text[before..after]), start..start + shown)
}

/// Renders diagnostics in the form of LLVM's tools. Secondary labels, notes and help texts are rendered as notes.
///
/// ```
/// use drrvm::source::{Diagnostic, SourceMap, render_classic};
/// let mut sources = SourceMap::default();
/// let file = sources.add("rules.td", "def A : B;\n".to_owned())?;
/// let error = Diagnostic::error("class `B` is not defined").at(sources.file(file).span(8..9), "");
/// let text = render_classic([&error], &sources);
/// assert!(text.starts_with("rules.td:1:9: error: class `B` is not defined\ndef A : B;\n        ^"));
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn render_classic<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &SourceMap,
) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let word = diagnostic.severity.word();
        message(&mut out, sources, diagnostic.span(), word, &diagnostic.message);
        for label in diagnostic.labels.iter().skip(1) {
            message(&mut out, sources, label.span, "note", &label.text);
        }
        for note in &diagnostic.notes {
            message(&mut out, sources, note.span, "note", &note.text);
        }
        for help in &diagnostic.help {
            message(&mut out, sources, Span::NONE, "note", help);
        }
    }
    out
}

fn message(out: &mut String, sources: &SourceMap, span: Span, word: &str, text: &str) {
    // Writing to a string cannot fail.
    let _ = match sources.locate(span) {
        None => writeln!(out, "{word}: {text}"),
        Some(at) => {
            let line = at.file.text().lines().nth(at.line as usize - 1).unwrap_or("");
            if !at.file.has_text() {
                let _ = writeln!(out, "{at}: {word}: {text}");
                return;
            }
            let offset = line.char_indices().nth(at.column as usize - 1).map_or(line.len(), |(at, _)| at);
            let (line, offset) = if line.len() > LINE_LIMIT {
                let (cut, range) = excerpt(line, offset..offset);
                (Cow::Owned(cut), range.start)
            } else {
                (Cow::Borrowed(line), offset)
            };
            // The indentation has the tabs of the line, so that the caret is below its character.
            let before = line[..offset].chars();
            let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            writeln!(out, "{at}: {word}: {text}\n{line}\n{indent}^")
        }
    };
}

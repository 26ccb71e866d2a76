//! Diagnostics in the form of rustc: file, line, column, the source line and a caret.
//!
//! The renderer gets only the lines that contain a label, so the time that it takes for a label does not depend on the
//! size of the file. If the lines are very long, an excerpt around the start of the label is shown.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::classic::excerpt;
use super::diagnostic::{Diagnostic, Severity};
use super::map::SourceMap;
use super::span::Span;

/// The use of colours in rendered text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Plain text.
    Never,
    /// ANSI escapes.
    Always,
}

/// The maximum length, in bytes, of the lines of a label. Longer text is shown as an excerpt.
const WINDOW_LIMIT: usize = 4096;

/// Renders a diagnostic. The text ends with a newline.
///
/// ```
/// use drrvm::source::{Color, Diagnostic, SourceMap, render};
/// let error = Diagnostic::error("unknown operation `t.ad`");
/// let text = render(&error, &SourceMap::default(), Color::Never);
/// assert_eq!(text, "error: unknown operation `t.ad`\n");
/// ```
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: Color) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut main = Group::with_title(level.primary_title(diagnostic.message.as_str()));
    for (i, label) in diagnostic.labels.iter().enumerate() {
        let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        main = show(main, sources, label.span, kind, &label.text);
    }
    for note in diagnostic.notes.iter().filter(|note| note.span.is_none()) {
        main = main.element(Level::NOTE.message(note.text.as_str()));
    }
    for help in &diagnostic.help {
        main = main.element(Level::HELP.message(help.as_str()));
    }
    let mut report = vec![main];
    for note in diagnostic.notes.iter().filter(|note| !note.span.is_none()) {
        let group = Group::with_title(Level::NOTE.secondary_title(note.text.as_str()));
        report.push(show(group, sources, note.span, AnnotationKind::Primary, ""));
    }
    let renderer = match color {
        Color::Never => Renderer::plain(),
        Color::Always => Renderer::styled(),
    };
    let mut text = renderer.decor_style(DecorStyle::Ascii).render(&report);
    // The renderer prints `:::` before an excerpt, as if the excerpt came from another file.
    if text.contains(":::") {
        text = text.lines().filter(|line| plain(line).trim() != ":::").collect::<Vec<_>>().join("\n");
    }
    text.push('\n');
    text
}

/// A line without colour escapes.
fn plain(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let first = parts.next().unwrap_or("");
    parts.fold(first.to_owned(), |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// Adds the source around a span to a group, or the position of the span if there is no text to show.
fn show<'a>(
    group: Group<'a>,
    sources: &'a SourceMap,
    span: Span,
    kind: AnnotationKind,
    text: &'a str,
) -> Group<'a> {
    let Some((file, window, line, range)) = sources.window(span) else {
        let Some(at) = sources.locate(span) else { return group };
        let place = if text.is_empty() { format!("at {at}") } else { format!("at {at}: {text}") };
        return group.element(Level::NOTE.message(place));
    };
    let annotate = |range| {
        let annotation = kind.span(range);
        if text.is_empty() { annotation } else { annotation.label(text) }
    };
    if window.len() <= WINDOW_LIMIT {
        let snippet = Snippet::source(window).path(file.name()).line_start(line);
        return group.element(snippet.annotation(annotate(range)));
    }
    let column = window[..range.start].chars().count() + 1;
    let (cut, range) = excerpt(window, range);
    let snippet = Snippet::source(cut).line_start(line).annotation(annotate(range));
    group.element(Origin::path(file.name()).line(line).char_column(column)).element(snippet)
}

/// Renders diagnostics, with a blank line after each.
///
/// ```
/// use drrvm::source::{Color, Diagnostic, SourceMap, render_all};
/// let errors = ["first", "second"].map(Diagnostic::error);
/// let text = render_all(&errors, &SourceMap::default(), Color::Never);
/// assert_eq!(text, "error: first\n\nerror: second\n\n");
/// ```
pub fn render_all<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &SourceMap,
    color: Color,
) -> String {
    diagnostics.into_iter().map(|d| render(d, sources, color) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Diagnostics;
    use crate::source::classic::render_classic;

    /// The excerpt of a long line shows the label, and the header has the column in the whole line.
    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let mut sources = SourceMap::default();
        let text = format!("first\n{}wrong{}\nlast\n", "é, ".repeat(3000), " more".repeat(3000));
        let at = text.find("wrong").expect("the substring exists");
        let file = sources.add("long.mlir", text).expect("it fits");
        let span = sources.file(file).span(at..at + 5);
        let errors: Diagnostics = Diagnostic::error("unexpected word").at(span, "here").into();
        let shown = render_all(&errors, &sources, Color::Never);
        insta::assert_snapshot!(shown, @r"
        error: unexpected word
         --> long.mlir:2:9001
          |
        2 | …é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, wrong more more more more more more more more more more more more more m...
          |                                                              ^^^^^ here
        ");
        insta::assert_snapshot!(render_classic(&errors, &sources), @r"
        long.mlir:2:9001: error: unexpected word
        …é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, wrong more more more more more more more more more more more more more more more…
                                                                     ^
        ");
    }

    /// A span over many lines is shown at its start.
    #[test]
    fn a_long_span_shows_its_start() {
        let mut sources = SourceMap::default();
        let text = format!("a ({}\n)\n", "\n  line".repeat(2000));
        let end = text.len();
        let file = sources.add("long.mlir", text).expect("it fits");
        let span = sources.file(file).span(2..end - 1);
        let errors: Diagnostics = Diagnostic::error("unbalanced").at(span, "").into();
        insta::assert_snapshot!(render_all(&errors, &sources, Color::Never), @r"
        error: unbalanced
         --> long.mlir:1:3
          |
        1 | a (
          |   ^
        ");
    }
}

//! Diagnostics as text: file, line, column, the source line and a caret, as rustc prints them.
//!
//! Only the lines around a label are handed to the renderer, so that an error in the last line of
//! a file of 100 MB costs what one in a small file does.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Diagnostics, Severity, SourceMap, Span};

/// Whether to colour the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Plain text.
    Never,
    /// ANSI escapes.
    Always,
}

/// Longest stretch of source shown around one label; a longer line is shown without its text.
const WINDOW_LIMIT: usize = 4096;

/// One diagnostic as text, ending in a newline.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: Color) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut main = Group::with_title(level.primary_title(diagnostic.message.as_str()));
    for (i, label) in diagnostic.labels.iter().enumerate() {
        let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        if let Some(snippet) = snippet(sources, label.span, kind, &label.text) {
            main = main.element(snippet);
        } else if let Some(at) = sources.locate(label.span) {
            main = main.element(Level::NOTE.message(format!("at {at}: {}", label.text)));
        }
    }
    for note in diagnostic.notes.iter().filter(|note| note.span.is_none()) {
        main = main.element(Level::NOTE.message(note.text.as_str()));
    }
    for help in &diagnostic.help {
        main = main.element(Level::HELP.message(help.as_str()));
    }
    let mut report = vec![main];
    for note in diagnostic.notes.iter().filter(|note| !note.span.is_none()) {
        let mut group = Group::with_title(Level::NOTE.secondary_title(note.text.as_str()));
        if let Some(snippet) = snippet(sources, note.span, AnnotationKind::Primary, "") {
            group = group.element(snippet);
        } else if let Some(at) = sources.locate(note.span) {
            group = group.element(Level::NOTE.message(format!("at {at}")));
        }
        report.push(group);
    }
    let renderer = match color {
        Color::Never => Renderer::plain(),
        Color::Always => Renderer::styled(),
    };
    let mut text = renderer.decor_style(DecorStyle::Ascii).render(&report);
    text.push('\n');
    text
}

fn snippet<'a>(
    sources: &'a SourceMap,
    span: Span,
    kind: AnnotationKind,
    text: &'a str,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let (file, window, line, range) = sources.window(span)?;
    if window.len() > WINDOW_LIMIT {
        return None;
    }
    let annotation = kind.span(range);
    let annotation = if text.is_empty() { annotation } else { annotation.label(text) };
    Some(Snippet::source(window).path(file.name()).line_start(line).annotation(annotation))
}

/// All diagnostics of a run as text, a blank line after each.
pub fn render_all(diagnostics: &Diagnostics, sources: &SourceMap, color: Color) -> String {
    diagnostics.iter().map(|d| render(d, sources, color) + "\n").collect()
}

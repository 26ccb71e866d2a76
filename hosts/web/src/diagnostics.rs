//! Diagnostics as JSON, with places that an editor can underline.

use drrvm::source::{Color, Diagnostic, Diagnostics, Severity, SourceFile, SourceMap, Span, render};
use serde_json::{Value, json};

/// The maximum number of diagnostics in an answer.
const LIMIT: usize = 200;

/// The diagnostics of a run; at most [`LIMIT`], with a note about the others.
pub(crate) fn list(diagnostics: &Diagnostics, sources: &SourceMap) -> Vec<Value> {
    let mut list: Vec<Value> =
        diagnostics.iter().take(LIMIT).map(|diagnostic| one(diagnostic, sources)).collect();
    if let Some(more) = diagnostics.len().checked_sub(LIMIT).filter(|&more| more > 0) {
        let messages = if more == 1 { "message" } else { "messages" };
        list.push(one(&Diagnostic::note(format!("and {more} more {messages}")), sources));
    }
    list
}

fn one(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let labels = diagnostic.labels.iter().filter_map(|label| place(label.span, &label.text, sources));
    let note = |span: Span, text: &str| place(span, text, sources).unwrap_or_else(|| json!({ "text": text }));
    let notes = diagnostic.notes.iter().map(|one| note(one.span, &one.text));
    let mut shown = diagnostic.clone();
    if diagnostic.message.starts_with("could not find include file") {
        // The usual help names an option of the command, which the page does not have.
        shown.help = vec!["add a file of this name with the + beside the files".to_owned()];
    }
    json!({
        "severity": severity,
        "message": diagnostic.message,
        "labels": labels.collect::<Vec<_>>(),
        "notes": notes.collect::<Vec<_>>(),
        "help": shown.help,
        "rendered": render(&shown, sources, Color::Never),
    })
}

/// A place with a text: the file and the range. The first line is 1, and the first column is 0. Columns count UTF-16
/// code units, as JavaScript does.
fn place(span: Span, text: &str, sources: &SourceMap) -> Option<Value> {
    let file = sources.locate(span)?.file;
    let end = Span { lo: span.hi.max(span.lo), hi: span.hi.max(span.lo) };
    let (start, end) = (line_column(span, file, sources)?, line_column(end, file, sources).unwrap_or((0, 0)));
    Some(json!({ "file": file.name(), "start": start, "end": end, "text": text }))
}

fn line_column(span: Span, file: &SourceFile, sources: &SourceMap) -> Option<(u32, usize)> {
    let at = sources.locate(span)?;
    let text = file.text();
    let mut offset = (span.lo.saturating_sub(file.span(0..0).lo) as usize).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let line = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    Some((at.line, text[line..offset].encode_utf16().count()))
}

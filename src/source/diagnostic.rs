//! A message about the input: the problem, its place, the reason, and the remedy.

use super::span::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but probably does not have the meaning that the author intended.
    Warning,
    /// Additional information.
    Note,
}

/// A place with a short text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text beside the place; may be empty.
    pub text: String,
}

/// A sentence after the source lines, with an optional place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The sentence.
    pub text: String,
    /// The place to which it refers, or [`Span::NONE`].
    pub span: Span,
}

/// A message to the user.
///
/// ```
/// use drrvm::source::{Diagnostic, Span};
/// let d = Diagnostic::error("unknown operation 'arith.ad'")
///     .at(Span { lo: 4, hi: 12 }, "no such operation")
///     .help("did you mean 'arith.addi'?");
/// assert!(d.is_error());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// The places; the first label is the primary one.
    pub labels: Vec<Label>,
    /// Further information ("included from", "instantiated from").
    pub notes: Vec<Note>,
    /// Ways to solve the problem.
    pub help: Vec<String>,
}

impl Diagnostic {
    fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, message: message.into(), labels: Vec::new(), notes: Vec::new(), help: Vec::new() }
    }

    /// An error.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// A note.
    pub fn note(message: impl Into<String>) -> Self {
        Self::new(Severity::Note, message)
    }

    /// Adds a place. The first added place is the primary place.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a note with a place.
    #[must_use]
    pub fn note_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push(Note { text: text.into(), span });
        self
    }

    /// Adds a note without a place.
    #[must_use]
    pub fn with_note(self, text: impl Into<String>) -> Self {
        self.note_at(Span::NONE, text)
    }

    /// Adds a way to solve the problem.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// True if the input cannot be used because of this diagnostic.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The primary place, or [`Span::NONE`].
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::NONE, |label| label.span)
    }
}

impl Severity {
    /// The word before the message.
    pub(super) fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

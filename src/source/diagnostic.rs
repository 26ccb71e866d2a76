//! What is said about the input: an error or warning, where, why, and what to do.

use super::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but probably says something else than was meant.
    Warning,
    /// Worth knowing.
    Note,
}

/// A place with a few words about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// A sentence after the source lines, with a place of its own if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The sentence.
    pub text: String,
    /// Where it points, or [`Span::NONE`].
    pub span: Span,
}

/// One message to the user.
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
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where; the first label is the primary one.
    pub labels: Vec<Label>,
    /// More to know ("included from", "instantiated from").
    pub notes: Vec<Note>,
    /// How to fix it.
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

    /// Something worth knowing.
    pub fn note(message: impl Into<String>) -> Self {
        Self::new(Severity::Note, message)
    }

    /// Adds a place; the first one added is the primary.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a sentence with a place of its own.
    #[must_use]
    pub fn note_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push(Note { text: text.into(), span });
        self
    }

    /// Adds a sentence.
    #[must_use]
    pub fn with_note(self, text: impl Into<String>) -> Self {
        self.note_at(Span::NONE, text)
    }

    /// Adds a way to fix it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Whether the input cannot be used because of this.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The primary place, or [`Span::NONE`].
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::NONE, |label| label.span)
    }
}

/// What a stage has to say, gathered so that one run reports everything.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// Past this many errors a stage should give up: more would be noise, and unbounded memory on hostile input.
    pub const ERROR_LIMIT: usize = 1000;

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        self.list.push(diagnostic);
    }

    /// Adds all of another stage's.
    pub fn extend(&mut self, other: Diagnostics) {
        self.errors += other.errors;
        self.list.extend(other.list);
    }

    /// Whether there was an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors there were.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Whether [`Self::ERROR_LIMIT`] is reached.
    pub fn at_limit(&self) -> bool {
        self.errors >= Self::ERROR_LIMIT
    }

    /// All, in the order they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut all = Self::default();
        all.push(diagnostic);
        all
    }
}

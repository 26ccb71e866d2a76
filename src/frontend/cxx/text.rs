//! C++ text composed of pieces that record where they were written.

use crate::source::Span;

/// A piece of text with the span of its literal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    text: String,
    span: Span,
}

/// C++ text that maps each character to the place where it was written.
///
/// Predicates are composed as text, as in `mlir-tblgen`, because `Concat` and `SubstLeaves` are textual: a lambda
/// may open in one piece and close in another.
///
/// ```
/// use drrvm::internal::frontend::cxx::Text;
/// use drrvm::source::Span;
/// let mut text = Text::new("!(", Span::NONE);
/// text.push("$_self.isF32()", Span { lo: 10, hi: 24 });
/// text.push(")", Span::NONE);
/// assert_eq!(text.as_str(), "!($_self.isF32())");
/// assert_eq!(text.span(8, 13), Span { lo: 16, hi: 21 });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    text: String,
    pieces: Vec<Piece>,
    /// Variables that the text can use, in the order of their definitions.
    variables: Vec<Variable>,
}

/// A variable and the expression that defines it. The expression can use earlier variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub value: String,
}

impl Text {
    /// The content of one literal. `span` covers the literal, with or without its quotes.
    pub fn new(text: &str, span: Span) -> Self {
        let piece = Piece { text: text.to_owned(), span };
        Self { text: text.to_owned(), pieces: vec![piece], variables: Vec::new() }
    }

    /// The text with variables that it can use.
    #[must_use]
    pub fn with_variables(self, variables: Vec<Variable>) -> Self {
        Self { variables, ..self }
    }

    /// The variables that the text can use.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The text, and the expressions of its variables.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|variable| variable.value.as_str()).chain([self.text.as_str()])
    }

    /// Appends the content of a literal.
    pub fn push(&mut self, text: &str, span: Span) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.pieces.push(Piece { text: text.to_owned(), span });
        }
    }

    /// The text of all pieces.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The span of the bytes `lo..hi`. If a literal contains escapes, the span covers the whole literal.
    pub fn span(&self, lo: usize, hi: usize) -> Span {
        let mut base = 0;
        let mut span = Span::NONE;
        for piece in &self.pieces {
            let (start, end) = (lo.max(base), hi.min(base + piece.text.len()));
            if start < end || (lo == hi && start == end) {
                span = span.to(piece.part(start - base, end - base));
            }
            base += piece.text.len();
        }
        if span.is_none() { self.whole_span() } else { span }
    }

    /// The span of all pieces.
    pub fn whole_span(&self) -> Span {
        self.pieces.iter().fold(Span::NONE, |all, p| all.to(p.span))
    }
}

impl Piece {
    fn part(&self, lo: usize, hi: usize) -> Span {
        if self.span.is_none() {
            return Span::NONE;
        }
        let length = (self.span.hi - self.span.lo) as usize;
        // Quotes (`"…"`, `[{…}]`) add two or four bytes to the span. Any other difference comes from escapes or
        // pasted literals, in which offsets are unknown.
        let quote = match length.checked_sub(self.text.len()) {
            Some(0) => 0,
            Some(2) => 1,
            Some(4) => 2,
            _ => return self.span,
        };
        let at = |offset: usize| u32::try_from(quote + offset).ok().map(|o| self.span.lo + o);
        match (at(lo), at(hi)) {
            (Some(lo), Some(hi)) => Span { lo, hi },
            _ => self.span,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(lo: u32, hi: u32) -> Span {
        Span { lo, hi }
    }

    #[test]
    fn spans_survive_quotes_and_composition() {
        let mut text = Text::new("$_self.isF32()", span(10, 26));
        assert_eq!(text.span(7, 12), span(18, 23));
        text.push(" && ", Span::NONE);
        text.push("a + b", span(100, 109));
        assert_eq!(text.as_str(), "$_self.isF32() && a + b");
        assert_eq!(text.span(18, 19), span(102, 103));
        assert_eq!(text.span(7, 12), span(18, 23));
    }

    #[test]
    fn a_literal_with_escapes_is_reported_whole() {
        let text = Text::new("a\"b", span(10, 16));
        assert_eq!(text.span(0, 1), span(10, 16));
    }
}

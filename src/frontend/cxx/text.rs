//! C++ text composed of pieces that record where they were written.

use crate::source::Span;

/// A piece of text with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    text: String,
    span: Span,
    /// The position of the first byte, if the text stands in the source without escapes.
    start: Option<u32>,
}

/// C++ text that records where it was written or is used.
///
/// Predicates are composed as text, as in `mlir-tblgen`, because `Concat` and `SubstLeaves` are textual: a lambda
/// may open in one piece and close in another.
///
/// ```
/// use drrvm::internal::frontend::cxx::Text;
/// use drrvm::source::Span;
/// let mut text = Text::new("!(", Span::NONE);
/// text.push("$_self.isF32()", Span { lo: 10, hi: 16 });
/// text.push(")", Span::NONE);
/// assert_eq!(text.as_str(), "!($_self.isF32())");
/// assert_eq!(text.span(8, 13), Span { lo: 10, hi: 16 });
/// let text = Text::literal("$_self.isF32()", Span { lo: 10, hi: 26 }, "\"$_self.isF32()\"");
/// assert_eq!(text.span(7, 12), Span { lo: 18, hi: 23 });
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
    /// A text that is used at `span`.
    pub fn new(text: &str, span: Span) -> Self {
        Self::literal(text, span, "")
    }

    /// A text that is used at `span`, where the source is `source`. If `source` is a literal without escapes, parts of
    /// the text have spans of their own.
    pub fn literal(text: &str, span: Span, source: &str) -> Self {
        let start = [("\"", "\"", 1), ("[{", "}]", 2)].into_iter().find_map(|(opening, closing, width)| {
            let inside = source.strip_prefix(opening)?.strip_suffix(closing)?;
            (inside == text).then_some(span.lo + width)
        });
        let piece = Piece { text: text.to_owned(), span, start };
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

    /// Appends a text that is used at `span`.
    pub fn push(&mut self, text: &str, span: Span) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.pieces.push(Piece { text: text.to_owned(), span, start: None });
        }
    }

    /// The text of all pieces.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The span of the bytes `lo..hi`. It covers whole pieces, except in a literal without escapes.
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
        let at = |offset: usize| self.start?.checked_add(u32::try_from(offset).ok()?);
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
    fn a_literal_without_escapes_has_exact_spans() {
        assert_eq!(Text::literal("a + b", span(10, 17), "\"a + b\"").span(4, 5), span(15, 16));
        assert_eq!(Text::literal("a == \"b\"", span(10, 22), "[{a == \"b\"}]").span(5, 8), span(17, 20));
    }

    #[test]
    fn other_texts_have_the_span_of_their_place() {
        for (text, source) in [
            ("a\"b", r#""a\"b""#),
            ("a\"b\"c", r#""a\"b\"c""#),
            ("abcd", r#""ab""cd""#),
            ("$0 ~ $0", "(Use $x, )"),
            ("f()", "Short"),
            ("\"a\"", "\"a\""),
            ("", "\""),
        ] {
            let all = span(10, 10 + u32::try_from(source.len()).expect("a short text"));
            assert_eq!(Text::literal(text, all, source).span(0, 1), all, "{source}");
        }
    }

    #[test]
    fn a_span_covers_the_pieces_of_its_bytes() {
        let mut text = Text::new("$_self.isF32()", span(10, 26));
        text.push(" && ", Span::NONE);
        text.push("a + b", span(100, 109));
        assert_eq!(text.as_str(), "$_self.isF32() && a + b");
        assert_eq!(text.span(7, 12), span(10, 26));
        assert_eq!(text.span(18, 19), span(100, 109));
        assert_eq!(text.span(0, 19), span(10, 109));
    }
}

//! C++ text composed of pieces that record where they were written.

use crate::source::Span;

/// A piece of text with the span of its literal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    text: String,
    span: Span,
    /// The offset of this piece in the content of its literal.
    offset: usize,
    /// The length of the whole content of the literal.
    whole: usize,
}

/// C++ text that maps each character to the place where it was written.
///
/// Predicates are composed as text, as in `mlir-tblgen`, because `Concat` and `SubstLeaves` are textual: a lambda
/// may open in one piece and close in another.
///
/// ```
/// use drrvm::internal::frontend::cxx::Text;
/// use drrvm::source::Span;
/// let element = Text::new("getElementTypeOrSelf($_self)", Span::NONE);
/// let text = Text::new("$_self.isF32()", Span::NONE).substituted("$_self", &element);
/// assert_eq!(text.as_str(), "getElementTypeOrSelf($_self).isF32()");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    text: String,
    pieces: Vec<Piece>,
}

impl Text {
    /// The content of one literal. `span` covers the literal, with or without its quotes.
    pub fn new(text: &str, span: Span) -> Self {
        let piece = Piece { text: text.to_owned(), span, offset: 0, whole: text.len() };
        Self { text: text.to_owned(), pieces: vec![piece] }
    }

    /// Appends the content of a literal.
    pub fn push(&mut self, text: &str, span: Span) {
        self.push_piece(Piece { text: text.to_owned(), span, offset: 0, whole: text.len() });
    }

    fn push_piece(&mut self, piece: Piece) {
        if !piece.text.is_empty() {
            self.text.push_str(&piece.text);
            self.pieces.push(piece);
        }
    }

    fn append(&mut self, other: Text) {
        self.text.push_str(&other.text);
        self.pieces.extend(other.pieces);
    }

    /// The text of all pieces.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text with every occurrence of `from` replaced, including those that span two pieces.
    #[must_use]
    pub fn substituted(&self, from: &str, to: &Text) -> Text {
        let mut all = Text::default();
        if from.is_empty() {
            return self.clone();
        }
        let mut at = 0;
        for (start, found) in self.text.match_indices(from) {
            all.append_range(self, at, start);
            all.append(to.clone());
            at = start + found.len();
        }
        all.append_range(self, at, self.text.len());
        all
    }

    /// Returns the text with every use of a placeholder replaced. A use of `$10` is not one of `$1`.
    #[must_use]
    pub fn with_placeholder(&self, placeholder: &str, to: &str) -> Text {
        let to = Text::new(to, Span::NONE);
        let mut all = Text::default();
        let mut at = 0;
        for (start, found) in self.text.match_indices(placeholder) {
            let end = start + found.len();
            let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
            if !self.text[end..].starts_with(is_word) {
                all.append_range(self, at, start);
                all.append(to.clone());
                // The replacement of `$0...` is a range already.
                at = end + if self.text[end..].starts_with("...") { "...".len() } else { 0 };
            }
        }
        all.append_range(self, at, self.text.len());
        all
    }

    fn append_range(&mut self, from: &Text, lo: usize, hi: usize) {
        let mut base = 0;
        for piece in &from.pieces {
            let (start, end) = (lo.max(base), hi.min(base + piece.text.len()));
            if start < end {
                let text = piece.text[start - base..end - base].to_owned();
                self.push_piece(Piece { text, offset: piece.offset + start - base, ..*piece });
            }
            base += piece.text.len();
        }
    }

    /// The span of the bytes `lo..hi`, or of their whole literals if these contain escapes.
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
        let quote = match length.checked_sub(self.whole) {
            Some(0) => 0,
            Some(2) => 1,
            Some(4) => 2,
            _ => return self.span,
        };
        let at = |offset: usize| u32::try_from(quote + self.offset + offset).ok().map(|o| self.span.lo + o);
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
    fn spans_survive_quotes_and_substitution() {
        let quoted = Text::new("$_self.isF32()", span(10, 26));
        assert_eq!(quoted.span(7, 12), span(18, 23));
        let code = Text::new("a + b", span(100, 109));
        let all = quoted.substituted("$_self", &code);
        assert_eq!(all.as_str(), "a + b.isF32()");
        assert_eq!(all.span(0, 1), span(102, 103));
        assert_eq!(all.span(6, 11), span(18, 23));
    }

    #[test]
    fn a_literal_with_escapes_is_reported_whole() {
        let text = Text::new("a\"b", span(10, 16));
        assert_eq!(text.span(0, 1), span(10, 16));
    }
}

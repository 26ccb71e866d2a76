//! The tokens of formats.

use super::model::Problem;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// The end of the text.
    End,
    /// Text between backticks.
    Literal,
    /// `$name`
    Variable,
    /// A string in quotes.
    String,
    /// A word, which can contain `-`.
    Word,
    /// One character of punctuation.
    Punctuation(u8),
}

/// A token, with its text and its offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Token<'_> {
    pub(super) fn is(&self, punctuation: u8) -> bool {
        self.kind == TokenKind::Punctuation(punctuation)
    }
}

/// The token at or after an offset.
pub(super) fn token(text: &str, from: usize) -> Result<Token<'_>, Problem> {
    let bytes = text.as_bytes();
    let at =
        bytes[from..].iter().position(|b| !b.is_ascii_whitespace()).map_or(bytes.len(), |skip| from + skip);
    let name_end = |start: usize, dash: bool| {
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || (dash && *b == b'-');
        bytes[start..].iter().position(|b| !is_name(b)).map_or(bytes.len(), |length| start + length)
    };
    let token_to = |kind, end: usize| Ok(Token { kind, text: &text[at..end], at });
    let error = |problem: &str| Err((at, problem.to_owned(), None));
    let Some(&first) = bytes.get(at) else { return token_to(TokenKind::End, at) };
    match first {
        0 => token_to(TokenKind::End, at),
        b'`' => match text[at + 1..].find('`') {
            Some(length) => token_to(TokenKind::Literal, at + 1 + length + 1),
            None => error("the literal is not closed by '`'"),
        },
        b'$' => match bytes.get(at + 1) {
            Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {
                token_to(TokenKind::Variable, name_end(at + 1, false))
            }
            _ => error("a name is expected after '$'"),
        },
        b'"' => {
            let mut escaped = false;
            for (length, &b) in bytes[at + 1..].iter().enumerate() {
                if b == b'"' && !escaped {
                    return token_to(TokenKind::String, at + 1 + length + 1);
                }
                escaped = b == b'\\';
            }
            error("the string is not closed by '\"'")
        }
        b'^' | b',' | b':' | b'=' | b'<' | b'>' | b'?' | b'(' | b')' | b'*' | b'|' => {
            token_to(TokenKind::Punctuation(first), at + 1)
        }
        b if b.is_ascii_alphabetic() || b == b'_' => token_to(TokenKind::Word, name_end(at, true)),
        _ => error("unexpected character"),
    }
}

/// Checks the text of a literal.
pub(super) fn check_literal(text: &str) -> Result<(), String> {
    const PUNCTUATION: &str = "_:,=<>()[]{}?+-*";
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return Err("it is empty".to_owned()) };
    if text.len() == 1 {
        return match first.is_ascii_alphabetic() || PUNCTUATION.contains(first) {
            true => Ok(()),
            false => Err(format!("a single character must be a letter or one of '{PUNCTUATION}'")),
        };
    }
    if matches!(text, "->" | "...") || is_keyword(text) {
        Ok(())
    } else if !first.is_ascii_alphabetic() && first != '_' {
        Err("a keyword must start with a letter or '_'".to_owned())
    } else {
        Err("a keyword can contain only letters, digits, '_', '$' and '.'".to_owned())
    }
}

/// True if a text can be read as a keyword.
pub(super) fn is_keyword(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'))
}

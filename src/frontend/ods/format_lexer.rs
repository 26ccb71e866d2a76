//! The tokens of the declarative formats of operations, attributes and types.

/// An error in a format: its offset in the text, the message, and the advice.
pub(super) type Problem = (usize, String, Option<String>);

/// A problem without advice.
pub(super) fn wrong<T>(at: usize, problem: impl Into<String>) -> Result<T, Problem> {
    Err((at, problem.into(), None))
}

/// The tokens of a format, with one token of lookahead.
pub(super) struct Tokens<'t> {
    text: &'t str,
    /// The next token.
    pub(super) next: Token<'t>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self, Problem> {
        Ok(Self { text, next: token(text, 0)? })
    }

    /// Consumes and returns the next token.
    pub(super) fn advance(&mut self) -> Result<Token<'t>, Problem> {
        let consumed = self.next;
        self.next = token(self.text, consumed.at + consumed.text.len())?;
        Ok(consumed)
    }

    /// Consumes a character of punctuation. `place` continues the message: "after 'custom'".
    pub(super) fn expect(&mut self, punctuation: u8, place: &str) -> Result<(), Problem> {
        if !self.next.is(punctuation) {
            return wrong(self.next.at, format!("'{}' is expected {place}", char::from(punctuation)));
        }
        self.advance().map(drop)
    }

    /// Consumes the name after `custom<`.
    pub(super) fn custom_name(&mut self) -> Result<(), Problem> {
        if self.next.kind != TokenKind::Word || DIRECTIVES.contains(&self.next.text) {
            return wrong(self.next.at, "the name of the directive is expected after 'custom<'");
        }
        self.advance().map(drop)
    }
}

/// The words that are directives, and therefore no names.
const DIRECTIVES: [&str; 15] = [
    "attr-dict",
    "attr-dict-with-keyword",
    "prop-dict",
    "custom",
    "functional-type",
    "oilist",
    "operands",
    "params",
    "ref",
    "regions",
    "results",
    "struct",
    "successors",
    "type",
    "qualified",
];

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
fn token(text: &str, from: usize) -> Result<Token<'_>, Problem> {
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

/// The contents of a literal.
pub(super) enum Literal<'t> {
    /// `` `` `` or `` ` ` ``: no blank, or one, between two elements.
    Space {
        /// True for one blank.
        printed: bool,
    },
    /// `` `\n` ``
    Newline,
    /// A keyword or punctuation.
    Text(&'t str),
}

/// Reads the contents of a literal's token.
pub(super) fn literal(token: Token<'_>) -> Result<Literal<'_>, Problem> {
    let text = &token.text[1..token.text.len() - 1];
    match text {
        "" | " " => Ok(Literal::Space { printed: !text.is_empty() }),
        "\\n" => Ok(Literal::Newline),
        _ => match check_literal(text) {
            Ok(()) => Ok(Literal::Text(text)),
            Err(reason) => wrong(token.at, format!("'{text}' is not a valid literal: {reason}")),
        },
    }
}

/// Checks the text of a literal.
fn check_literal(text: &str) -> Result<(), String> {
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
fn is_keyword(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'))
}

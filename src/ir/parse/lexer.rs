//! The lexer.
//!
//! A token is a kind and a range of the text. Tokens are not buffered, so the parser can return to any offset.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Eof,
    /// No token starts here.
    Error,
    /// A string that does not end on its line.
    OpenString,
    /// A string with an unknown escape.
    BadEscape,
    /// `name`, including keywords.
    Bare,
    /// `@name`, `@"name"`
    At,
    /// `#name`
    Hash,
    /// `!name`
    Exclaim,
    /// `%name`
    Percent,
    /// `^name`
    Caret,
    /// `12`, `0xFF`
    Int,
    /// `1.5e3`
    Float,
    /// `"text"`
    Str,
    Arrow,
    Colon,
    ColonColon,
    Comma,
    Equal,
    LParen,
    RParen,
    LBrace,
    RBrace,
    LSquare,
    RSquare,
    Less,
    Greater,
    Question,
    Star,
    Plus,
    Minus,
    Ellipsis,
    VBar,
    Slash,
    /// `{-#`
    MetadataBegin,
    /// `#-}`
    MetadataEnd,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

const LETTER: u8 = 1;
const DIGIT: u8 = 2;
/// `_`, which is allowed anywhere in names.
const UNDERSCORE: u8 = 4;
/// `$` and `.`, which are allowed in names, but not at the start of keywords and symbol names.
const INNER: u8 = 8;
/// `-`, which is allowed in names after `%`, `#`, `!` and `^`.
const DASH: u8 = 16;
/// A blank or a line break.
const BLANK: u8 = 32;

const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 26 {
        table[b'a' as usize + i] = LETTER;
        table[b'A' as usize + i] = LETTER;
        i += 1;
    }
    let mut i = 0;
    while i < 10 {
        table[b'0' as usize + i] = DIGIT;
        i += 1;
    }
    table[b'_' as usize] = UNDERSCORE;
    table[b'$' as usize] = INNER;
    table[b'.' as usize] = INNER;
    table[b'-' as usize] = DASH;
    table[b' ' as usize] = BLANK;
    table[b'\t' as usize] = BLANK;
    table[b'\n' as usize] = BLANK;
    table[b'\r' as usize] = BLANK;
    table
};

fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// The byte at `at`, or 0 past the end.
pub(super) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

fn run(text: &[u8], mut at: usize, class: u8) -> usize {
    while at < text.len() && is(text[at], class) {
        at += 1;
    }
    at
}

/// The offset after blanks and comments.
pub(super) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    loop {
        at = run(text, at, BLANK);
        match byte(text, at) {
            b'/' if byte(text, at + 1) == b'/' => {
                at = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n);
            }
            // MLIR skips a NUL that is not at the end of the buffer.
            0 if at < text.len() => at += 1,
            _ => return at,
        }
    }
}

/// The offset of the next `%` or `(` at or after `at`, or of the end of the text. In most texts, these characters are
/// too close to each other for a vectorised search, so the search takes eight bytes at a time.
pub(super) fn next_stop(text: &[u8], mut at: usize) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Sets the high bit of each byte of `word` that equals `byte`; the bits above the lowest such bit can be wrong.
    let equals = |word: u64, byte: u8| {
        let zero = word ^ (LOW * u64::from(byte));
        zero.wrapping_sub(LOW) & !zero & HIGH
    };
    while let Some(&eight) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(eight);
        let found = equals(word, b'%') | equals(word, b'(');
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += eight.len();
    }
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'%' | b'(')).unwrap_or(rest.len())
}

/// The end of the name after a sigil: digits, or a name that may contain `-`.
pub(super) fn suffix(text: &[u8], at: usize) -> Option<usize> {
    let first = byte(text, at);
    if is(first, DIGIT) {
        Some(run(text, at, DIGIT))
    } else if is(first, LETTER | UNDERSCORE | INNER | DASH) {
        Some(run(text, at, LETTER | UNDERSCORE | INNER | DASH | DIGIT))
    } else {
        None
    }
}

/// The token at or after `at`.
pub(crate) fn token(text: &[u8], at: usize) -> Token {
    let start = skip_blanks(text, at);
    let one = |kind| (kind, start + 1);
    let after_sigil = |kind| suffix(text, start + 1).map_or((TokenKind::Error, start + 1), |end| (kind, end));
    let next = byte(text, start + 1);
    let (kind, end) = match byte(text, start) {
        0 => (TokenKind::Eof, start),
        b'%' => after_sigil(TokenKind::Percent),
        b'(' => one(TokenKind::LParen),
        b')' => one(TokenKind::RParen),
        b',' => one(TokenKind::Comma),
        b'"' => string(text, start),
        b':' if next == b':' => (TokenKind::ColonColon, start + 2),
        b':' => one(TokenKind::Colon),
        b'=' => one(TokenKind::Equal),
        b'-' if next == b'>' => (TokenKind::Arrow, start + 2),
        b'-' => one(TokenKind::Minus),
        b'<' => one(TokenKind::Less),
        b'>' => one(TokenKind::Greater),
        b'{' if next == b'-' && byte(text, start + 2) == b'#' => (TokenKind::MetadataBegin, start + 3),
        b'{' => one(TokenKind::LBrace),
        b'}' => one(TokenKind::RBrace),
        b'[' => one(TokenKind::LSquare),
        b']' => one(TokenKind::RSquare),
        b'#' if next == b'-' && byte(text, start + 2) == b'}' => (TokenKind::MetadataEnd, start + 3),
        b'#' => after_sigil(TokenKind::Hash),
        b'!' => after_sigil(TokenKind::Exclaim),
        b'^' => after_sigil(TokenKind::Caret),
        b'@' if next == b'"' => match string(text, start + 1) {
            (TokenKind::Str, end) => (TokenKind::At, end),
            error => error,
        },
        b'@' if is(next, LETTER | UNDERSCORE) => {
            (TokenKind::At, run(text, start + 1, LETTER | UNDERSCORE | INNER | DIGIT))
        }
        b'?' => one(TokenKind::Question),
        b'*' => one(TokenKind::Star),
        b'+' => one(TokenKind::Plus),
        b'|' => one(TokenKind::VBar),
        b'/' => one(TokenKind::Slash),
        b'.' if next == b'.' && byte(text, start + 2) == b'.' => (TokenKind::Ellipsis, start + 3),
        c if is(c, LETTER | UNDERSCORE) => {
            (TokenKind::Bare, run(text, start, LETTER | UNDERSCORE | INNER | DIGIT))
        }
        c if is(c, DIGIT) => number(text, start),
        _ => (TokenKind::Error, start + 1),
    };
    Token { kind, start, end }
}

fn number(text: &[u8], start: usize) -> (TokenKind, usize) {
    if byte(text, start) == b'0' && byte(text, start + 1) == b'x' && byte(text, start + 2).is_ascii_hexdigit()
    {
        let mut end = start + 2;
        while byte(text, end).is_ascii_hexdigit() {
            end += 1;
        }
        return (TokenKind::Int, end);
    }
    let mut end = run(text, start, DIGIT);
    if byte(text, end) != b'.' {
        return (TokenKind::Int, end);
    }
    end = run(text, end + 1, DIGIT);
    if matches!(byte(text, end), b'e' | b'E') {
        let sign = usize::from(matches!(byte(text, end + 1), b'+' | b'-'));
        if is(byte(text, end + 1 + sign), DIGIT) {
            end = run(text, end + 1 + sign, DIGIT);
        }
    }
    (TokenKind::Float, end)
}

fn string(text: &[u8], start: usize) -> (TokenKind, usize) {
    let mut at = start + 1;
    loop {
        at += memchr::memchr3(b'"', b'\\', b'\n', &text[at..]).unwrap_or(text.len() - at);
        match byte(text, at) {
            b'"' => return (TokenKind::Str, at + 1),
            b'\\' => match byte(text, at + 1) {
                b'"' | b'\\' | b'n' | b't' => at += 2,
                a if a.is_ascii_hexdigit() && byte(text, at + 2).is_ascii_hexdigit() => at += 3,
                _ => return (TokenKind::BadEscape, at + 1),
            },
            _ => return (TokenKind::OpenString, at),
        }
    }
}

//! Splits C++ text with TableGen placeholders into tokens.

use super::error::{self, Fault};
use crate::snippet::IntTy;

/// A token and its byte range in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) lo: usize,
    pub(super) hi: usize,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A name or keyword.
    Name(String),
    /// `$_self` or `$0`, and a flag that is true if `...` follows.
    Placeholder(String, bool),
    /// An integer and its type.
    Int { value: u64, ty: IntTy },
    /// A floating-point number, and a flag that is true for a `float` (`1.5f`).
    Float(f64, bool),
    /// A string, with its escapes resolved.
    Str(String),
    /// A character.
    Char(u32),
    /// An operator or bracket.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// The operators and brackets, the longest first. `>>` is two tokens, so that it can close two template lists.
const SIGNS: &[&str] = &[
    "<<=", "...", "->*", "::", "->", "&&", "||", "==", "!=", "<=", ">=", "<<", "++", "--", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", "?", ":", ".", "+", "-",
    "*", "/", "%", "&", "|", "^", "~", "!", "=", "#",
];

/// The maximum length of the delimiter of a raw string.
const RAW_DELIMITER_LIMIT: usize = 16;

/// Splits a text into tokens; the last one is [`TokenKind::End`].
pub(super) fn lex(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let lo = at;
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if text[at..].starts_with("//") {
            at = end_of_line(bytes, at);
            continue;
        }
        if text[at..].starts_with("/*") {
            at = text[at..].find("*/").map_or(text.len(), |n| at + n + 2);
            continue;
        }
        if byte == b'#' && starts_line(text, at) {
            let end = end_of_line(bytes, at);
            let directive = text[at + 1..end].trim_start();
            let name = &directive[..word_end(directive.as_bytes(), 0)];
            // Macros are expanded before.
            if matches!(name, "define" | "undef") {
                at = end;
                continue;
            }
            return Err(error::unsupported(
                &format!("a preprocessor line ('#{name}') in a function"),
                lo,
                end,
            ));
        }
        let kind = if let Some((string, end)) = raw_string(text, at)? {
            at = end;
            TokenKind::Str(string)
        } else if byte == b'_' || byte.is_ascii_alphabetic() {
            at = word_end(bytes, at);
            TokenKind::Name(text[lo..at].to_owned())
        } else if byte == b'$' {
            at = word_end(bytes, at + 1);
            if at == lo + 1 {
                return Err(error::bad_placeholder(lo, at));
            }
            let name = text[lo..at].to_owned();
            let spread = text[at..].starts_with("...");
            at += if spread { 3 } else { 0 };
            TokenKind::Placeholder(name, spread)
        } else if byte.is_ascii_digit() || byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            let (kind, end) = number(text, at)?;
            at = end;
            kind
        } else if byte == b'"' || byte == b'\'' {
            let (string, end) = quoted(text, at)?;
            at = end;
            if byte == b'"' {
                // In C++, a `StringRef` of the literal would end at the null character.
                if string.contains('\0') {
                    return Err(error::unsupported("a string with a null character", lo, at));
                }
                TokenKind::Str(string)
            } else {
                let mut chars = string.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) if c.is_ascii() => TokenKind::Char(u32::from(c)),
                    (Some(_), None) => {
                        return Err(error::unsupported("a character that is not ASCII", lo, at));
                    }
                    _ => return Err(error::bad_char(lo, at)),
                }
            }
        } else if let Some(&sign) = SIGNS.iter().find(|s| text[at..].starts_with(**s)) {
            at += sign.len();
            TokenKind::Sign(sign)
        } else {
            let width = text[at..].chars().next().map_or(1, char::len_utf8);
            return Err(error::unknown_char(lo, lo + width));
        };
        tokens.push(Token { kind, lo, hi: at });
    }
    tokens.push(Token { kind: TokenKind::End, lo: text.len(), hi: text.len() });
    Ok(tokens)
}

/// True if only white space precedes a byte in its line.
fn starts_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// The end of a line that backslashes may continue. As in compilers, white space may follow such a backslash.
pub(super) fn end_of_line(bytes: &[u8], mut at: usize) -> usize {
    while let Some(offset) = memchr::memchr(b'\n', &bytes[at.min(bytes.len())..]) {
        let end = at + offset;
        let line = bytes[at..end].trim_ascii_end();
        if line.last() != Some(&b'\\') {
            return end;
        }
        at = end + 1;
    }
    bytes.len()
}

/// The tokens of a byte range of a text. Their ranges count from the start of the whole text.
pub(super) fn tokens(text: &str, range: &std::ops::Range<usize>) -> Result<Vec<Token>, Fault> {
    tokens_at(&text[range.clone()], range.start)
}

/// The tokens of a part of a text that starts at the byte `start`.
pub(super) fn tokens_at(part: &str, start: usize) -> Result<Vec<Token>, Fault> {
    let shift = |token: Token| Token { lo: token.lo + start, hi: token.hi + start, ..token };
    match lex(part) {
        Ok(tokens) => Ok(tokens.into_iter().map(shift).collect()),
        Err(fault) => Err(fault.moved(start)),
    }
}

fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|b| *b == b'_' || b.is_ascii_alphanumeric()) {
        at += 1;
    }
    at
}

fn number(text: &str, lo: usize) -> Result<(TokenKind, usize), Fault> {
    let bytes = text.as_bytes();
    let (radix, digits) = match (bytes[lo], bytes.get(lo + 1)) {
        (b'0', Some(b'x' | b'X')) => (16, lo + 2),
        (b'0', Some(b'b' | b'B')) => (2, lo + 2),
        _ => (10, lo),
    };
    let mut end = digits;
    let mut float = false;
    while let Some(&b) = bytes.get(end) {
        match b {
            b'\'' => {}
            b'.' if radix == 10 => float = true,
            b'e' | b'E' if radix == 10 => {
                float = true;
                if matches!(bytes.get(end + 1), Some(b'+' | b'-')) {
                    end += 1;
                }
            }
            _ if char::from(b).is_digit(radix) => {}
            _ => break,
        }
        end += 1;
    }
    let plain: String = text[digits..end].chars().filter(|c| *c != '\'').collect();
    let suffix_end = word_end(bytes, end);
    let suffix = text[end..suffix_end].to_lowercase();
    let failure = || error::bad_number(lo, suffix_end);
    if float || (radix == 10 && suffix == "f") {
        if !matches!(suffix.as_str(), "" | "f" | "l") {
            return Err(failure());
        }
        let value: f64 = plain.parse().map_err(|_| failure())?;
        #[allow(clippy::cast_possible_truncation, reason = "`f` means rounding to float")]
        let value = if suffix == "f" { f64::from(value as f32) } else { value };
        return Ok((TokenKind::Float(value, suffix == "f"), suffix_end));
    }
    if !matches!(suffix.as_str(), "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu" | "z" | "uz" | "zu") {
        return Err(failure());
    }
    let octal = radix == 10 && plain.len() > 1 && plain.starts_with('0');
    let value = u64::from_str_radix(&plain, if octal { 8 } else { radix }).map_err(|_| failure())?;
    let (unsigned, long) = (suffix.contains('u'), suffix.contains(['l', 'z']));
    let fits = |ty: &IntTy| {
        let is_allowed = if ty.signed { !unsigned } else { unsigned || radix != 10 || octal };
        is_allowed && (!long || ty.bits == 64) && ty.wrap(i128::from(value)) == i128::from(value)
    };
    // The type of the literal is the first of these types that can hold the value. An unsigned type needs a suffix if
    // the literal is decimal.
    match [IntTy::I32, IntTy::U32, IntTy::I64, IntTy::U64].into_iter().find(fits) {
        Some(ty) => Ok((TokenKind::Int { value, ty }, suffix_end)),
        None => Err(error::unsupported("a decimal number of more than 63 bits without 'u'", lo, suffix_end)),
    }
}

/// The contents and the end of a raw string `R"delimiter(…)delimiter"` at `lo`; `None` if there is none.
fn raw_string(text: &str, lo: usize) -> Result<Option<(String, usize)>, Fault> {
    let Some(rest) = text[lo..].strip_prefix("R\"") else { return Ok(None) };
    let unclosed = || error::open_string(lo, text.len());
    let (delimiter, rest) = rest.split_once('(').ok_or_else(unclosed)?;
    let is_invalid = delimiter.len() > RAW_DELIMITER_LIMIT || delimiter.contains([' ', ')', '\\', '\n']);
    let close = format!("){delimiter}\"");
    let (contents, after) =
        Some(rest).filter(|_| !is_invalid).and_then(|rest| rest.split_once(&close)).ok_or_else(unclosed)?;
    Ok(Some((contents.to_owned(), text.len() - after.len())))
}

/// The contents and the end of a string or character literal at `lo`.
fn quoted(text: &str, lo: usize) -> Result<(String, usize), Fault> {
    let mut out = String::new();
    let quote = text[lo..].chars().next();
    let mut at = lo + 1;
    while let Some(c) = text[at..].chars().next() {
        if c == '\\' {
            let (escaped, end) = escape(text, at)?;
            out.extend(escaped);
            at = end;
            continue;
        }
        at += c.len_utf8();
        if Some(c) == quote {
            return Ok((out, at));
        }
        out.push(c);
    }
    Err(error::open_string(lo, text.len()))
}

/// The character that the escape sequence at `lo` denotes, and the end of the sequence. `None` for an escaped end of a
/// line, which denotes no character.
fn escape(text: &str, lo: usize) -> Result<(Option<char>, usize), Fault> {
    let failure = || error::bad_escape(lo);
    let escaped = text[lo + 1..].chars().next().ok_or_else(failure)?;
    let after = lo + 1 + escaped.len_utf8();
    // The number with at most `most` digits at `start`, and its end.
    let number = |start: usize, radix: u32, most: usize| {
        let digits = text[start..].chars().take(most).take_while(|c| c.is_digit(radix)).count();
        let end = start + digits;
        u32::from_str_radix(&text[start..end], radix).map(|value| (value, end)).map_err(|_| failure())
    };
    // A byte of a string. It must be ASCII, because strings are UTF-8.
    let byte = |(value, end): (u32, usize)| match u8::try_from(value) {
        Ok(byte) if byte.is_ascii() => Ok((Some(char::from(byte)), end)),
        Ok(_) => Err(error::unsupported("an escape sequence of a byte that is not ASCII", lo, end)),
        Err(_) => Err(failure()),
    };
    let character = |digits: usize| {
        let (value, end) = number(after, 16, digits)?;
        match char::from_u32(value).filter(|_| end == after + digits) {
            Some(c) => Ok((Some(c), end)),
            None => Err(failure()),
        }
    };
    let simple = match escaped {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'v' => '\x0b',
        '\\' | '"' | '\'' | '?' => escaped,
        '\n' => return Ok((None, after)),
        '0'..='7' => return byte(number(lo + 1, 8, 3)?),
        'x' | 'u' | 'o' if text[after..].starts_with('{') => {
            return Err(error::unsupported("an escape sequence in braces", lo, after));
        }
        'x' => return byte(number(after, 16, text.len())?),
        'u' => return character(4),
        'U' => return character(8),
        'N' => return Err(error::unsupported("a character escape with a name", lo, after)),
        _ => return Err(failure()),
    };
    Ok((Some(simple), after))
}

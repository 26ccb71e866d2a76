//! How far a type, an attribute or a smaller thing reaches in MLIR text.
//!
//! Specification: of what `mlir-opt` reads as one type or attribute, all is passed over and nothing after it.
//! Whether what is inside makes sense is not asked: whoever reads it asks.

use std::borrow::Cow;

use crate::string_literal::unescape;

/// A place in a text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// What is left, without blanks before it.
    pub(super) fn rest(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\0']);
        self.at = self.text.len() - rest.len();
        rest
    }

    fn next(&mut self) -> u8 {
        self.rest().bytes().next().unwrap_or(0)
    }

    /// Passes over `token` if it is next; a word is next only as a whole.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest();
        let whole = |rest: &str| {
            !token.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                || !rest[token.len()..].bytes().next().is_some_and(is_word)
        };
        let found = rest.starts_with(token) && whole(rest);
        if found {
            self.at += token.len();
        }
        found
    }

    /// What `pass` passes over; nothing is passed over if it fails.
    pub(super) fn slice(&mut self, pass: impl FnOnce(&mut Self) -> bool) -> Option<&'t str> {
        let before = self.at;
        self.rest();
        let start = self.at;
        if pass(self) {
            return self.text.get(start..self.at);
        }
        self.at = before;
        None
    }

    /// A name: letters, digits, `_`, `$` and `.`, the first no digit.
    pub(super) fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let end = rest.bytes().position(|b| !is_word(b)).unwrap_or(rest.len());
        if end == 0 || rest.as_bytes()[0].is_ascii_digit() {
            return None;
        }
        self.at += end;
        Some(&rest[..end])
    }

    /// `42`, `-1`, `0x1F`, `true`.
    pub(super) fn integer(&mut self) -> bool {
        self.slice(|c| {
            if c.eat("true") || c.eat("false") {
                return true;
            }
            c.eat("-");
            let rest = c.rest();
            let hex =
                rest.strip_prefix("0x").filter(|rest| rest.starts_with(|c: char| c.is_ascii_hexdigit()));
            let (before, digits) = hex.map_or((0, rest), |digits| (2, digits));
            let end =
                digits.bytes().position(|b| !(b.is_ascii_digit() || before > 0 && b.is_ascii_hexdigit()));
            let end = end.unwrap_or(digits.len());
            c.at += before + end;
            end > 0
        })
        .is_some()
    }

    /// An integer or `1.5e+00`.
    pub(super) fn number(&mut self) -> bool {
        if !self.integer() {
            return false;
        }
        let rest = &self.text[self.at..];
        let Some(fraction) = rest.strip_prefix('.') else { return true };
        let digits = |text: &str| text.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
        let mut length = 1 + digits(fraction);
        if let Some(exponent) = rest[length..].strip_prefix(['e', 'E']) {
            let sign = usize::from(exponent.starts_with(['+', '-']));
            let power = digits(&exponent[sign..]);
            length += if power > 0 { 1 + sign + power } else { 0 };
        }
        self.at += length;
        true
    }

    /// `"text"`.
    pub(super) fn string(&mut self) -> bool {
        let rest = self.rest().as_bytes();
        if rest.first() != Some(&b'"') {
            return false;
        }
        let mut at = 1;
        while at < rest.len() {
            match rest[at] {
                b'"' => {
                    self.at += at + 1;
                    return true;
                }
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        false
    }

    /// From an opening bracket to the one that closes it.
    pub(super) fn balanced(&mut self) -> bool {
        let start = self.at;
        let mut open = Vec::new();
        loop {
            let closes = match self.next() {
                b'"' => {
                    if !self.string() {
                        break;
                    }
                    continue;
                }
                b'-' if self.rest().starts_with("->") => {
                    self.at += 2;
                    continue;
                }
                b'<' => Some(b'>'),
                b'(' => Some(b')'),
                b'[' => Some(b']'),
                b'{' => Some(b'}'),
                0 => break,
                _ => None,
            };
            match (closes, self.next()) {
                (Some(close), _) => open.push(close),
                (None, byte @ (b'>' | b')' | b']' | b'}')) if open.pop() != Some(byte) => break,
                (None, b'>' | b')' | b']' | b'}') => {}
                _ if open.is_empty() => break,
                _ => {}
            }
            self.at += self.rest().chars().next().map_or(0, char::len_utf8);
            if open.is_empty() {
                return true;
            }
        }
        self.at = start;
        false
    }

    /// What follows a name without a blank between: `<…>`.
    fn parameters(&mut self) -> bool {
        !self.text[self.at..].starts_with('<') || self.balanced()
    }

    /// A type.
    pub(super) fn ty(&mut self) -> bool {
        self.slice(|c| match c.next() {
            b'(' => {
                if !(c.balanced() && c.eat("->")) {
                    return false;
                }
                if c.next() == b'(' { c.balanced() } else { c.ty_after_arrow() }
            }
            b'!' => {
                c.at += 1;
                c.word().is_some() && c.parameters()
            }
            _ => c.word().is_some() && c.parameters(),
        })
        .is_some()
    }

    /// The one result of a function type, which is no function type itself.
    fn ty_after_arrow(&mut self) -> bool {
        self.next() != b'(' && self.ty()
    }

    /// `: type`, if a type follows the colon.
    fn type_suffix(&mut self) {
        self.slice(|c| c.eat(":") && c.ty());
    }

    /// An attribute, with the type after it.
    pub(super) fn attr(&mut self) -> bool {
        self.slice(|c| {
            match c.next() {
                b'"' => {
                    if !c.string() {
                        return false;
                    }
                }
                b'[' | b'{' => return c.balanced(),
                b'@' => {
                    while c.eat("@") {
                        if !c.string() && c.word().is_none() {
                            return false;
                        }
                        if !c.eat("::") {
                            break;
                        }
                    }
                    return true;
                }
                b'#' => {
                    c.at += 1;
                    if c.word().is_none() || !c.parameters() {
                        return false;
                    }
                }
                b'-' | b'0'..=b'9' => {
                    if !c.number() {
                        return false;
                    }
                }
                b'l' if c.rest().starts_with("loc(") => {
                    c.at += "loc".len();
                    return c.balanced();
                }
                b'd' if c.rest().starts_with("distinct[") => {
                    c.at += "distinct".len();
                    return c.balanced() && c.balanced();
                }
                // A type as an attribute, `dense<…>` and its kin, `true`.
                _ => {
                    if !c.ty() {
                        return false;
                    }
                }
            }
            c.type_suffix();
            true
        })
        .is_some()
    }
}

/// What a string stands for; one without quotes, for itself.
pub(super) fn unquote(text: &str) -> Cow<'_, str> {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    unescape(inside.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::Cursor;

    #[test]
    fn a_type_or_attribute_is_passed_over_and_nothing_after_it() {
        for (text, rest) in [
            ("i32, f32", ", f32"),
            ("tensor<4x!d.t<\">\">> >", " >"),
            ("(i32, (f32) -> ()) -> (i1) x", " x"),
            ("() -> memref<?xf32, affine_map<(d0) -> (d0)>> : 3", " : 3"),
            ("!d.t [1]", " [1]"),
        ] {
            let mut cursor = Cursor::new(text);
            assert!(cursor.ty(), "{text}");
            assert_eq!(&text[cursor.at..], rest);
        }
        for (text, rest) in [
            ("42 : i64 : 0", " : 0"),
            ("-1.5e-01 : f32>", ">"),
            ("\"a\\\"b\" end", " end"),
            ("[1, [2]] , x", " , x"),
            ("@a::@\"b c\", y", ", y"),
            ("#d<x \">\" y> : i8)", ")"),
            ("dense<[1, 2]> : tensor<2xi8>, z", ", z"),
            ("distinct[0]<42 : i32> end", " end"),
            ("10 : i16]", "]"),
        ] {
            let mut cursor = Cursor::new(text);
            assert!(cursor.attr(), "{text}");
            assert_eq!(&text[cursor.at..], rest);
        }
        for text in ["", ">", "!", "(i32)", "tensor<4", "[1, 2", "\"open", "#"] {
            let mut cursor = Cursor::new(text);
            assert!(!cursor.ty() && !cursor.attr(), "{text}");
            assert_eq!(cursor.at, 0, "{text}");
        }
    }
}

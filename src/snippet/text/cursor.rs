//! A cursor over MLIR text that finds the end of a type, an attribute or a token.
//!
//! Specification: the cursor advances over exactly the text that `mlir-opt` parses as one type or attribute. It does
//! not check the contents of brackets.

use std::borrow::Cow;

use crate::string_literal::unescape;

/// A position in a text.
#[derive(Clone, Copy)]
pub(in crate::snippet) struct Cursor<'t> {
    pub(in crate::snippet) text: &'t str,
    pub(in crate::snippet) at: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

impl<'t> Cursor<'t> {
    pub(in crate::snippet) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Skips white space and returns the remaining text.
    pub(in crate::snippet) fn rest(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\0']);
        self.at = self.text.len() - rest.len();
        rest
    }

    /// Skips white space.
    pub(super) fn skip_space(&mut self) {
        self.rest();
    }

    fn next(&mut self) -> Option<u8> {
        self.rest().bytes().next()
    }

    /// Consumes `token` if it is next. A word is consumed only as a whole.
    pub(in crate::snippet) fn eat(&mut self, token: &str) -> bool {
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

    /// Returns the text that `consume` consumes. If `consume` returns false, the cursor stays where it is.
    pub(in crate::snippet) fn slice(&mut self, consume: impl FnOnce(&mut Self) -> bool) -> Option<&'t str> {
        let before = self.at;
        self.rest();
        let start = self.at;
        if consume(self) {
            return self.text.get(start..self.at);
        }
        self.at = before;
        None
    }

    /// Consumes a name: letters, digits, `_`, `$` and `.`. A name does not start with a digit.
    pub(in crate::snippet) fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let end = rest.bytes().position(|b| !is_word(b)).unwrap_or(rest.len());
        if end == 0 || rest.as_bytes()[0].is_ascii_digit() {
            return None;
        }
        self.at += end;
        Some(&rest[..end])
    }

    /// Consumes a name after `#` or `!`. Such a name can also contain `-`.
    fn name_after_sigil(&mut self) -> bool {
        let found = self.word().is_some();
        if found {
            let rest = &self.text[self.at..];
            self.at += rest.bytes().position(|b| !is_word(b) && b != b'-').unwrap_or(rest.len());
        }
        found
    }

    /// Consumes an integer or Boolean: `42`, `-1`, `0x1F`, `true`. It also consumes `-true`, which has no value.
    pub(in crate::snippet) fn integer(&mut self) -> bool {
        self.slice(|c| {
            c.eat("-");
            if c.eat("true") || c.eat("false") {
                return true;
            }
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

    /// Consumes an integer, a Boolean or a float: `1.5e+00`.
    pub(in crate::snippet) fn number(&mut self) -> bool {
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

    /// Consumes a string in quotes.
    pub(in crate::snippet) fn string(&mut self) -> bool {
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

    /// Consumes an opening bracket, the bracket that closes it, and the text between them.
    pub(in crate::snippet) fn balanced(&mut self) -> bool {
        let start = self.at;
        let mut open = Vec::new();
        loop {
            let next = self.next();
            let closes = match next {
                Some(b'"') => {
                    if !self.string() {
                        break;
                    }
                    continue;
                }
                Some(b'-') if self.rest().starts_with("->") => {
                    self.at += 2;
                    continue;
                }
                Some(b'<') => Some(b'>'),
                Some(b'(') => Some(b')'),
                Some(b'[') => Some(b']'),
                Some(b'{') => Some(b'}'),
                None => break,
                _ => None,
            };
            match (closes, next) {
                (Some(close), _) => open.push(close),
                (None, Some(b'>' | b')' | b']' | b'}')) if open.pop() != next => break,
                (None, Some(b'>' | b')' | b']' | b'}')) => {}
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

    /// Consumes the text up to one of these bytes outside brackets, or up to a bracket that closes a surrounding pair.
    /// Returns the text without the white space at its end.
    pub(in crate::snippet) fn until(&mut self, ends: &[u8]) -> &'t str {
        self.rest();
        let start = self.at;
        loop {
            match self.next() {
                None | Some(b'>' | b')' | b']' | b'}') => break,
                Some(byte) if ends.contains(&byte) => break,
                Some(b'"') => {
                    if !self.string() {
                        break;
                    }
                }
                Some(b'<' | b'(' | b'[' | b'{') => {
                    if !self.balanced() {
                        break;
                    }
                }
                Some(b'-') if self.rest().starts_with("->") => self.at += 2,
                Some(_) => self.at += self.rest().chars().next().map_or(0, char::len_utf8),
            }
        }
        let text = self.text.get(start..self.at).unwrap_or("").trim_end();
        self.at = start + text.len();
        text
    }

    /// Consumes the parameters `<…>`, if they follow without white space. Returns false if the closing bracket is
    /// missing.
    fn parameters(&mut self) -> bool {
        !self.text[self.at..].starts_with('<') || self.balanced()
    }

    /// Consumes a type.
    pub(in crate::snippet) fn ty(&mut self) -> bool {
        self.slice(|c| match c.next() {
            Some(b'(') => {
                if !(c.balanced() && c.eat("->")) {
                    return false;
                }
                if c.next() == Some(b'(') { c.balanced() } else { c.ty_after_arrow() }
            }
            Some(b'!') => {
                c.at += 1;
                c.name_after_sigil() && c.parameters()
            }
            _ => c.word().is_some() && c.parameters(),
        })
        .is_some()
    }

    /// Consumes the only result of a function type. This result cannot be a function type.
    fn ty_after_arrow(&mut self) -> bool {
        self.next() != Some(b'(') && self.ty()
    }

    /// Consumes `: type`, if a type follows the colon.
    fn type_suffix(&mut self) {
        self.slice(|c| c.eat(":") && c.ty());
    }

    /// Consumes an attribute, and the type after it if there is one.
    pub(in crate::snippet) fn attr(&mut self) -> bool {
        self.slice(|c| {
            match c.next() {
                Some(b'"') => {
                    if !c.string() {
                        return false;
                    }
                }
                Some(b'[' | b'{') => return c.balanced(),
                Some(b'@') => {
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
                Some(b'#') => {
                    c.at += 1;
                    if !c.name_after_sigil() || !c.parameters() {
                        return false;
                    }
                }
                Some(b'-' | b'0'..=b'9') => {
                    if !c.number() {
                        return false;
                    }
                }
                Some(b'l') if c.rest().starts_with("loc(") => {
                    c.at += "loc".len();
                    return c.balanced();
                }
                Some(b'd') if c.rest().starts_with("distinct[") => {
                    c.at += "distinct".len();
                    return c.balanced() && c.balanced();
                }
                // A type as an attribute, `dense<…>` and similar attributes, `true`.
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

/// The value of a string literal. The quotes may be missing.
pub(in crate::snippet) fn unquote(text: &str) -> Cow<'_, str> {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    unescape(inside.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::Cursor;

    #[test]
    fn the_cursor_consumes_one_type_or_attribute_and_nothing_after_it() {
        for (text, rest) in [
            ("i32, f32", ", f32"),
            ("tensor<4x!d.t<\">\">> >", " >"),
            ("(i32, (f32) -> ()) -> (i1) x", " x"),
            ("() -> memref<?xf32, affine_map<(d0) -> (d0)>> : 3", " : 3"),
            ("!d.t [1]", " [1]"),
            ("!t_-1, i32", ", i32"),
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
            ("#a-1_x>", ">"),
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

//! The extent and spelling of the text of a dialect's types and attributes.

use super::lexer::{self, Token, TokenKind};
use super::parser::Parser;
use super::text_cache::LONGEST;
use crate::ir::error::{self, ParseResult};

impl Parser<'_> {
    /// Requires a valid dialect name, other than `builtin`.
    pub(super) fn check_namespace(&self, name: &[u8], token: Token) -> ParseResult<()> {
        let is_start = |b: &u8| b.is_ascii_alphabetic() || *b == b'_';
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
        if !name.first().is_some_and(is_start) || !name.iter().all(is_name) {
            return Err(error::bad_namespace(&String::from_utf8_lossy(name), self.token_span(token)));
        }
        if name == b"builtin" {
            return Err(error::no_dialect_text(self.token_span(token)));
        }
        Ok(())
    }

    /// The end of the balanced text that opens at `open`. The ends of long texts inside it are stored, so that deeply
    /// nested texts are searched once.
    pub(super) fn body_end(&mut self, open: usize) -> ParseResult<usize> {
        if let Some(&end) = self.parsed_texts.ends.get(&open) {
            return Ok(end);
        }
        let mut stack: Vec<(u8, usize)> = Vec::new();
        let mut at = open;
        while at < self.text.len() {
            let c = self.text[at];
            at += 1;
            match c {
                // As in MLIR, a NUL outside a string ends the text.
                0 => break,
                b'<' | b'[' | b'(' | b'{' => stack.push((c, at - 1)),
                b'-' if lexer::byte(self.text, at) == b'>' => at += 1,
                b'>' | b']' | b')' | b'}' => {
                    let wanted = match c {
                        b'>' => b'<',
                        b']' => b'[',
                        b')' => b'(',
                        _ => b'{',
                    };
                    let (open, start) = stack.pop().unwrap_or((b'<', open));
                    if open != wanted {
                        return Err(error::unbalanced(open.into(), self.span(at - 1, at)));
                    }
                    if at - start > LONGEST {
                        self.parsed_texts.ends.insert(start, at);
                    }
                    if stack.is_empty() {
                        return Ok(at);
                    }
                }
                b'"' => {
                    let token = lexer::token(self.text, at - 1);
                    if token.kind != TokenKind::Str {
                        return Err(error::unterminated_string(self.token_span(token)));
                    }
                    at = token.end;
                }
                _ => {}
            }
        }
        let (unclosed, open) = stack.last().copied().unwrap_or((b'<', open));
        Err(error::unbalanced(unclosed.into(), self.span(open, open + 1)))
    }
}

/// True if the body of a dialect's type or attribute is printed after a dot, as in `#a.b<c>`; false if it is printed in
/// angle brackets, as in `#a<"b">`.
pub(super) fn is_pretty(body: &[u8]) -> bool {
    if !body.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_');
    let rest = &body[body.iter().take_while(|b| is_name(b)).count()..];
    if rest.is_empty() {
        return true;
    }
    if rest[0] != b'<' || rest.last() != Some(&b'>') {
        return false;
    }
    // The first bracket must close at the end. MLIR also prints `b<c><d>` after a dot, but cannot read this text.
    let mut stack = Vec::new();
    let mut at = 0;
    while at < rest.len() {
        let c = rest[at];
        at += 1;
        match c {
            b'<' | b'[' | b'(' | b'{' => stack.push(c),
            b'-' if lexer::byte(rest, at) == b'>' => at += 1,
            b'>' | b']' | b')' | b'}' => {
                stack.pop();
                if stack.is_empty() {
                    return at == rest.len();
                }
            }
            b'"' => at = lexer::token(rest, at - 1).end,
            _ => {}
        }
    }
    false
}

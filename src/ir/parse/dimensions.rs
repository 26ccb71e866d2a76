//! The dimension lists of shaped types.

use super::lexer::{self, Token};
use super::parser::Parser;
use crate::ir::error::{self, ParseResult};
use crate::ir::types::DYNAMIC;

/// A dimension list: sizes, and for each size true if it is scalable. The list is empty if the type is unranked.
pub(super) struct Dimensions {
    pub(super) shape: Vec<i64>,
    pub(super) scalable: Vec<bool>,
    pub(super) ranked: bool,
}

impl Parser<'_> {
    /// Parses `4x?x[8]x`, `*x` or nothing after `<`, and stops at the element type. Sizes in brackets are allowed if
    /// `may_scale` is true.
    pub(super) fn dimensions(&mut self, less: Token, may_scale: bool) -> ParseResult<Dimensions> {
        let mut dimensions = Dimensions { shape: Vec::new(), scalable: Vec::new(), ranked: true };
        let text = self.text;
        let mut at = lexer::skip_blanks(text, less.end);
        if lexer::byte(text, at) == b'*' {
            at = lexer::skip_blanks(text, at + 1);
            dimensions.ranked = false;
            self.cross(at)?;
            return Ok(dimensions);
        }
        loop {
            let scalable = may_scale && lexer::byte(text, at) == b'[';
            let start = if scalable { lexer::skip_blanks(text, at + 1) } else { at };
            let size = match lexer::byte(text, start) {
                b'?' if !scalable => {
                    at = start + 1;
                    DYNAMIC
                }
                b'0'..=b'9' => {
                    let digits = text[start..].iter().take_while(|b| b.is_ascii_digit()).count();
                    at = start + digits;
                    let size = std::str::from_utf8(&text[start..at]).ok().and_then(|s| s.parse().ok());
                    size.ok_or_else(|| error::bad_dimension(self.span(start, at)))?
                }
                _ if scalable => return Err(error::scalable_dimension(self.span(start, start + 1))),
                _ => break,
            };
            at = lexer::skip_blanks(text, at);
            if scalable {
                if lexer::byte(text, at) != b']' {
                    return Err(error::expected("']' after a scalable size", self.span(at, at + 1)));
                }
                at = lexer::skip_blanks(text, at + 1);
            }
            dimensions.shape.push(size);
            dimensions.scalable.push(scalable);
            self.cross(at)?;
            at = lexer::skip_blanks(text, at + 1);
        }
        self.reset(at);
        Ok(dimensions)
    }

    /// Parses a list such as `4x?x8`, which can be empty.
    pub(super) fn plain_dimensions(&mut self) -> ParseResult<Vec<i64>> {
        let mut sizes = Vec::new();
        let text = self.text;
        let mut at = self.token.start;
        loop {
            let digits = text.get(at..).unwrap_or(&[]).iter().take_while(|b| b.is_ascii_digit()).count();
            let end = if lexer::byte(text, at) == b'?' { at + 1 } else { at + digits };
            if end == at {
                break;
            }
            let size = match digits {
                0 => Some(DYNAMIC),
                _ => std::str::from_utf8(&text[at..end]).ok().and_then(|digits| digits.parse().ok()),
            };
            sizes.push(size.ok_or_else(|| error::bad_dimension(self.span(at, end)))?);
            at = end;
            let more = lexer::byte(text, at + 1);
            if lexer::byte(text, at) != b'x' || !(more.is_ascii_digit() || more == b'?') {
                break;
            }
            at += 1;
        }
        if !sizes.is_empty() {
            self.reset(at);
        }
        Ok(sizes)
    }

    /// Parses the `x` of a dimension list, and stops after it.
    fn cross(&mut self, at: usize) -> ParseResult<()> {
        if lexer::byte(self.text, at) != b'x' {
            return Err(error::expected("'x' in a dimension list", self.span(at, at + 1)));
        }
        self.reset(at + 1);
        Ok(())
    }
}

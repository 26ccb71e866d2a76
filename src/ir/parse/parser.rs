//! The state of the parser, and its access to tokens.

use std::borrow::Cow;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::lexer::{self, Token, TokenKind};
use super::ssa_names::SsaNames;
use super::text_cache::TextCache;
use crate::intern::StrId;
use crate::ir::context::Context;
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::verbatim::AliasTarget;
use crate::source::{Diagnostic, SourceFile, Span};
use crate::stack::with_room;
use crate::string_literal::unescape;

/// The maximum nesting depth of regions, types and attributes together.
pub const DEPTH_LIMIT: u32 = 400;

/// The state of an alias.
#[derive(Clone, Copy, Debug)]
pub(super) enum Alias {
    /// The value starts at this offset and has not been parsed.
    At(usize),
    /// The value, the offset of the definition, and the nesting depth of the value.
    Defined(AliasTarget, usize, u32),
    /// The value is being parsed.
    Busy,
}

/// The parser of a text.
pub(crate) struct Parser<'a> {
    pub(crate) context: &'a mut Context,
    pub(super) text: &'a [u8],
    /// The same text as a string.
    pub(super) chars: &'a str,
    /// The offset at which the part to read starts.
    pub(super) start: usize,
    pub(super) source: Option<&'a SourceFile>,
    pub(crate) token: Token,
    pub(super) depth: u32,
    /// The maximum depth in the current operation, type or alias value, including the values of aliases in it.
    pub(super) deepest: u32,
    /// The number of alias values that are being parsed. Each of them contains a reference to the next one.
    pub(super) reading: u32,
    /// Aliases by name, with sigil.
    pub(super) aliases: HashMap<&'a [u8], Alias, FxBuildHasher>,
    /// True inside a location, which can refer to aliases that are defined later.
    pub(super) in_location: bool,
    /// True if the text was searched for alias definitions.
    pub(super) scanned: bool,
    pub(super) values: SsaNames<'a>,
    /// The attribute that each `distinct[N]` refers to, by `N`.
    pub(super) distinct: HashMap<u64, AttrId, FxBuildHasher>,
    /// The parsed builtin types without aliases, by text, with the nesting depth of each.
    pub(super) known_plain_types: HashMap<&'a [u8], (TypeId, u32), FxBuildHasher>,
    /// The attributes that were parsed from a short text `<…>`, which omits the name of the class, by class and text.
    pub(super) known_stripped: HashMap<(StrId, &'a [u8]), AttrId, FxBuildHasher>,
    /// The parsed types and attributes of known dialects.
    pub(super) parsed_texts: TextCache<'a>,
    /// For each operation name, true if its dialect was looked up for an operation in generic form.
    pub(super) looked_up: Vec<bool>,
    /// The errors before the error that ends parsing.
    pub(super) more_errors: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(context: &'a mut Context, text: &'a str, source: Option<&'a SourceFile>) -> Self {
        let chars = text;
        let text = text.as_bytes();
        let token = lexer::token(text, 0);
        Self {
            context,
            text,
            chars,
            start: 0,
            source,
            token,
            depth: 0,
            deepest: 0,
            reading: 0,
            aliases: HashMap::default(),
            in_location: false,
            scanned: false,
            values: SsaNames::default(),
            distinct: HashMap::default(),
            known_plain_types: HashMap::default(),
            known_stripped: HashMap::default(),
            parsed_texts: TextCache::default(),
            looked_up: Vec::new(),
            more_errors: Vec::new(),
        }
    }

    // Tokens.

    pub(crate) fn is(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    pub(crate) fn advance(&mut self) {
        self.token = lexer::token(self.text, self.token.end);
    }

    /// True if the token after the current one has this kind.
    pub(super) fn next_is(&self, kind: TokenKind) -> bool {
        lexer::token(self.text, self.token.end).kind == kind
    }

    /// The text from a `<` to the next `>`, if it is short and has only words, numbers and separators inside the
    /// brackets.
    pub(super) fn plain_body(&self, start: usize) -> Option<&'a [u8]> {
        const LONGEST: usize = 64;
        let rest = &self.text[start..self.text.len().min(start + LONGEST)];
        let inside = rest.strip_prefix(b"<")?;
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_?*:,| -+[]".contains(byte);
        let end = inside.iter().position(|byte| !is_plain(byte))?;
        (inside[end] == b'>').then(|| &rest[..end + 2])
    }

    /// Continues at this offset.
    pub(crate) fn reset(&mut self, at: usize) {
        self.token = lexer::token(self.text, at);
    }

    pub(super) fn slice(&self, token: Token) -> &'a [u8] {
        &self.text[token.start..token.end]
    }

    pub(crate) fn str(&self, token: Token) -> &'a str {
        // Only an error token can end inside a character, and the text of an error token is not used.
        self.chars.get(token.start..token.end).unwrap_or("")
    }

    /// The text after the current token.
    pub(crate) fn rest(&self) -> &'a str {
        self.chars.get(self.token.end..).unwrap_or("")
    }

    pub(crate) fn is_keyword(&self, word: &str) -> bool {
        self.is(TokenKind::Bare) && self.slice(self.token) == word.as_bytes()
    }

    pub(crate) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.is(kind);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.is_keyword(word);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expect(&mut self, kind: TokenKind, what: &str) -> ParseResult<Token> {
        let token = self.token;
        if token.kind == kind {
            self.advance();
            Ok(token)
        } else {
            Err(self.expected(what))
        }
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        self.source.map_or(Span::NONE, |source| source.span(start..end))
    }

    pub(crate) fn token_span(&self, token: Token) -> Span {
        // Errors at the end of the text point to the end of the last token or comment.
        if token.kind == TokenKind::Eof {
            let end = self.text[..token.start].trim_ascii_end().len();
            return self.span(end, end);
        }
        self.span(token.start, token.end)
    }

    /// The error for an unexpected or invalid token. The error for an invalid token points to this token. If an
    /// unexpected token starts a line, the error points to the end of the last line before it that has tokens, because
    /// the missing token belongs there.
    pub(crate) fn expected(&self, what: &str) -> Box<Diagnostic> {
        let span = self.token_span(self.token);
        match self.token.kind {
            TokenKind::Error => error::unexpected_character(span),
            TokenKind::OpenString => error::unterminated_string(span),
            TokenKind::BadEscape => error::bad_escape(span),
            _ => error::expected(what, self.end_before(self.token.start).unwrap_or(span)),
        }
    }

    /// The end of the last line before `place` that is neither blank nor a comment; `None` if `place` does not start a
    /// line, or if the part to read has no such line.
    fn end_before(&self, place: usize) -> Option<Span> {
        let blank = |b: &u8| matches!(b, b' ' | b'\t');
        let text = &self.text[self.start..];
        let trim = |end: usize| text[..end].iter().rposition(|b| !blank(b)).map_or(0, |at| at + 1);
        let mut end = trim(place - self.start);
        if !matches!(text[..end].last(), Some(b'\n' | b'\r')) {
            return None;
        }
        while matches!(text[..end].last(), Some(b'\n' | b'\r')) {
            end -= 1;
            let line = text[..end].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
            let comment = text[line..end].windows(2).position(|pair| pair == b"//");
            end = trim(comment.map_or(end, |at| line + at));
        }
        (end > 0).then(|| self.span(self.start + end, self.start + end))
    }

    /// Calls `inner` one level deeper.
    pub(crate) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.depth >= DEPTH_LIMIT {
            self.parsed_texts.is_too_deep = true;
            return Err(error::too_deep(DEPTH_LIMIT, self.token_span(self.token)));
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let result = with_room(|| inner(self));
        self.depth -= 1;
        result
    }

    /// Parses items between commas, and consumes `close`.
    pub(crate) fn list_until(
        &mut self,
        close: TokenKind,
        what: &str,
        mut item: impl FnMut(&mut Self) -> ParseResult<()>,
    ) -> ParseResult<()> {
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(close, what).map(drop)
    }

    /// The value of a string token.
    pub(crate) fn string_value(&self, token: Token) -> Cow<'a, str> {
        let inside = &self.text[token.start + 1..token.end - 1];
        unescape(inside)
    }

    pub(super) fn intern_string(&mut self, token: Token) -> StrId {
        let value = self.string_value(token);
        self.context.string(&value)
    }

    /// The name of a `@symbol` token.
    pub(crate) fn symbol_name(&self, token: Token) -> Cow<'a, str> {
        let name = Token { start: token.start + 1, ..token };
        if self.text[name.start] == b'"' { self.string_value(name) } else { self.str(name).into() }
    }

    pub(super) fn keyword_or_string(&mut self, what: &str) -> ParseResult<(Cow<'a, str>, Span)> {
        let token = self.token;
        let name = match token.kind {
            TokenKind::Bare => self.str(token).into(),
            TokenKind::Str => self.string_value(token),
            _ => return Err(error::expected(what, self.token_span(token))),
        };
        self.advance();
        Ok((name, self.token_span(token)))
    }

    pub(super) fn u32(&mut self, what: &str) -> ParseResult<u32> {
        let value = self.magnitude(self.token).and_then(|value| u32::try_from(value).ok());
        let value = value.ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(value)
    }

    /// The value of an integer token in decimal or hexadecimal notation.
    pub(super) fn magnitude(&self, token: Token) -> Option<i128> {
        let text = self.str(token);
        match (token.kind, text.strip_prefix("0x")) {
            (TokenKind::Int, Some(digits)) => i128::from_str_radix(digits, 16).ok(),
            (TokenKind::Int, None) => text.parse().ok(),
            _ => None,
        }
    }

    pub(super) fn i64(&mut self, what: &str) -> ParseResult<i64> {
        let negative = self.eat(TokenKind::Minus);
        let value = self
            .magnitude(self.token)
            .and_then(|m| i64::try_from(if negative { -m } else { m }).ok())
            .ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(value)
    }

    /// The span from a token to the current position.
    pub(super) fn span_from(&self, start: Token) -> Span {
        self.span(start.start, self.token.start)
    }
}

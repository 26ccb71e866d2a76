//! From MLIR's text to the IR.
//!
//! Specification: what `mlir-opt-22` reads in generic form, this reads, and means the same by it; the
//! custom forms of `module`, `func`, `arith` and `cf` as well. Any other custom form is an error that
//! says how to get the generic one.
//!
//! One pass over the bytes with one token of lookahead, straight into the module: there is no tree in
//! between. An alias used before its definition is looked up ahead. Recursion is bounded by
//! [`DEPTH_LIMIT`].

mod affine;
mod attribute;
mod custom;
mod elements;
pub(crate) mod lexer;
mod location;
mod operation;
mod recover;
mod types;
mod values;

use std::borrow::Cow;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::error::{self, Parsed};
use super::{AliasTarget, AttrId, Context, LocId, TypeId};
use crate::intern::StrId;
use crate::source::{Diagnostic, SourceFile, Span};
use crate::stack::with_room;
use crate::string_literal::unescape;
use lexer::{Kind, Token};
pub use operation::{parse_module, parse_part};
use values::Values;

/// How deep regions, types and attributes may nest, all together.
pub const DEPTH_LIMIT: u32 = 400;

/// What is known of an alias.
#[derive(Clone, Copy, Debug)]
enum Alias {
    /// Its value starts here, and nobody has asked yet.
    At(usize),
    /// Its value, where the definition starts, and how deep the value nests.
    Defined(AliasTarget, usize, u32),
    /// Its value is being read.
    Busy,
}

/// How many levels a reference to an alias is counted as, which are not there when the value is written out.
fn reference_levels(is_location: bool) -> u32 {
    if is_location { 2 } else { 1 }
}

/// The state of reading one text.
pub(crate) struct Parser<'a> {
    pub(crate) context: &'a mut Context,
    text: &'a [u8],
    /// The same text.
    chars: &'a str,
    source: Option<&'a SourceFile>,
    pub(crate) token: Token,
    depth: u32,
    /// The deepest that anything of the value of an alias has been, that of other aliases in it included.
    deepest: u32,
    /// How many values of aliases are being read, each for the one before.
    reading: u32,
    /// By name with sigil.
    aliases: HashMap<&'a [u8], Alias, FxBuildHasher>,
    /// Whether the text was searched for definitions of aliases.
    scanned: bool,
    values: Values<'a>,
    /// What each number of a distinct attribute refers to.
    distinct: HashMap<u64, AttrId, FxBuildHasher>,
    /// PERF: the properties that short texts stand for; real files repeat a few all the time.
    known_properties: HashMap<&'a [u8], AttrId, FxBuildHasher>,
    /// PERF: the operation types that short texts stand for: where the list starts, inputs, results.
    known_types: HashMap<&'a [u8], (usize, usize, usize), FxBuildHasher>,
    known_type_lists: Vec<TypeId>,
    /// What is wrong besides the error that ends the reading.
    more_errors: Vec<Diagnostic>,
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
            source,
            token,
            depth: 0,
            deepest: 0,
            reading: 0,
            aliases: HashMap::default(),
            scanned: false,
            values: Values::default(),
            distinct: HashMap::default(),
            known_properties: HashMap::default(),
            known_types: HashMap::default(),
            known_type_lists: Vec::new(),
            more_errors: Vec::new(),
        }
    }

    // Tokens.

    pub(crate) fn is(&self, kind: Kind) -> bool {
        self.token.kind == kind
    }

    pub(crate) fn advance(&mut self) {
        self.token = lexer::token(self.text, self.token.end);
    }

    /// Goes on at this place.
    pub(crate) fn reset(&mut self, at: usize) {
        self.token = lexer::token(self.text, at);
    }

    fn slice(&self, token: Token) -> &'a [u8] {
        &self.text[token.start..token.end]
    }

    pub(crate) fn str(&self, token: Token) -> &'a str {
        // A token that is no character of the text's is an error before anyone asks for its text.
        self.chars.get(token.start..token.end).unwrap_or("")
    }

    pub(crate) fn is_keyword(&self, word: &str) -> bool {
        self.is(Kind::Bare) && self.slice(self.token) == word.as_bytes()
    }

    pub(crate) fn eat(&mut self, kind: Kind) -> bool {
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

    pub(crate) fn expect(&mut self, kind: Kind, what: &str) -> Parsed<Token> {
        let token = self.token;
        if token.kind == kind {
            self.advance();
            Ok(token)
        } else {
            Err(self.expected(what))
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        self.source.map_or(Span::NONE, |source| source.span(start..end))
    }

    pub(crate) fn token_span(&self, token: Token) -> Span {
        // The end of the text is shown where the last token ended.
        if token.kind == Kind::Eof {
            let end = self.text[..token.start].trim_ascii_end().len();
            return self.span(end, end);
        }
        self.span(token.start, token.end)
    }

    /// The error for a token that is not what it has to be. Where the token starts a line, something is missing
    /// at the end of the line before it, and that is the place shown.
    pub(crate) fn expected(&self, what: &str) -> Box<Diagnostic> {
        let span = self.token_span(self.token);
        match self.token.kind {
            Kind::Error => error::unexpected_character(span),
            Kind::OpenString => error::unterminated_string(span),
            Kind::BadEscape => error::bad_escape(span),
            _ => error::expected(what, self.end_before(self.token.start).unwrap_or(span)),
        }
    }

    /// The end of what stands before a place that starts a line: comments and blank lines are passed over.
    fn end_before(&self, place: usize) -> Option<Span> {
        let blank = |b: &u8| matches!(b, b' ' | b'\t');
        let trim = |end: usize| self.text[..end].iter().rposition(|b| !blank(b)).map_or(0, |at| at + 1);
        let mut end = trim(place);
        if !matches!(self.text[..end].last(), Some(b'\n' | b'\r')) {
            return None;
        }
        while matches!(self.text[..end].last(), Some(b'\n' | b'\r')) {
            end -= 1;
            let line = self.text[..end].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
            let comment = self.text[line..end].windows(2).position(|pair| pair == b"//");
            end = trim(comment.map_or(end, |at| line + at));
        }
        (end > 0).then(|| self.span(end, end))
    }

    /// Runs `inner` one level deeper.
    pub(crate) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH_LIMIT {
            return Err(error::too_deep(DEPTH_LIMIT, self.token_span(self.token)));
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let result = with_room(|| inner(self));
        self.depth -= 1;
        result
    }

    /// Items between commas until `close`, which is consumed.
    pub(crate) fn list_until(
        &mut self,
        close: Kind,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<()> {
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(close, what).map(drop)
    }

    /// What a string token stands for.
    pub(crate) fn string_value(&self, token: Token) -> Cow<'a, str> {
        let inside = &self.text[token.start + 1..token.end - 1];
        unescape(inside)
    }

    fn intern_string(&mut self, token: Token) -> StrId {
        let value = self.string_value(token);
        self.context.string(&value)
    }

    /// The name of a `@symbol` token.
    pub(crate) fn symbol_name(&self, token: Token) -> Cow<'a, str> {
        let name = Token { start: token.start + 1, ..token };
        if self.text[name.start] == b'"' { self.string_value(name) } else { self.str(name).into() }
    }

    fn keyword_or_string(&mut self, what: &str) -> Parsed<(Cow<'a, str>, Span)> {
        let token = self.token;
        let name = match token.kind {
            Kind::Bare => self.str(token).into(),
            Kind::Str => self.string_value(token),
            _ => return Err(error::expected(what, self.token_span(token))),
        };
        self.advance();
        Ok((name, self.token_span(token)))
    }

    fn u32(&mut self, what: &str) -> Parsed<u32> {
        let token = self.token;
        let value = match (token.kind, self.str(token).strip_prefix("0x")) {
            (Kind::Int, Some(digits)) => u32::from_str_radix(digits, 16).ok(),
            (Kind::Int, None) => self.str(token).parse().ok(),
            _ => None,
        };
        let value = value.ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(value)
    }

    fn i64(&mut self, what: &str) -> Parsed<i64> {
        let negative = self.eat(Kind::Minus);
        let token = self.token;
        let magnitude: Option<i128> = match token.kind {
            Kind::Int => self.str(token).parse().ok(),
            _ => None,
        };
        let value = magnitude
            .and_then(|m| i64::try_from(if negative { -m } else { m }).ok())
            .ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(value)
    }

    // Aliases.

    /// `#name = value` or `!name = type` at the top of a text.
    pub(crate) fn alias_definition(&mut self) -> Parsed<(&'a [u8], AliasTarget)> {
        let token = self.token;
        let name = self.slice(token);
        if name.contains(&b'.') {
            return Err(error::dotted_alias(self.token_span(token)));
        }
        if let Some(Alias::Defined(_, at, _)) = self.aliases.get(name)
            && *at != token.start
        {
            return Err(error::redefined_alias(self.str(token), self.token_span(token)));
        }
        self.advance();
        self.expect(Kind::Equal, "'=' in an alias definition")?;
        let (target, height) = self.alias_value(name)?;
        self.aliases.insert(name, Alias::Defined(target, token.start, height));
        Ok((name, target))
    }

    /// The value of an alias, and how deep it nests: aliases must not hide what would be too deep
    /// if it were written out.
    fn alias_value(&mut self, name: &[u8]) -> Parsed<(AliasTarget, u32)> {
        let outer = std::mem::replace(&mut self.deepest, self.depth);
        let target = if name[0] == b'!' {
            AliasTarget::Type(self.ty()?)
        } else {
            let attr = self.attr(None)?;
            match *self.context.attr_kind(attr) {
                super::AttrKind::Location(loc) => AliasTarget::Loc(loc),
                _ => AliasTarget::Attr(attr),
            }
        };
        let height = self.deepest - self.depth;
        self.deepest = self.deepest.max(outer);
        Ok((target, height))
    }

    /// What an alias stands for, wherever it is defined.
    fn find_alias(&mut self, name: &'a [u8]) -> Parsed<Option<AliasTarget>> {
        if !self.aliases.contains_key(name) && !std::mem::replace(&mut self.scanned, true) {
            self.scan_aliases();
        }
        match self.aliases.get(name).copied() {
            None => Ok(None),
            Some(Alias::Defined(target, _, height)) => {
                let levels = reference_levels(matches!(target, AliasTarget::Loc(_)));
                self.deepest = self.deepest.max(self.depth + height.saturating_sub(levels));
                if self.deepest > DEPTH_LIMIT {
                    return Err(error::too_deep(DEPTH_LIMIT, self.token_span(self.token)));
                }
                Ok(Some(target))
            }
            Some(Alias::Busy) => {
                let name = String::from_utf8_lossy(name).into_owned();
                Err(error::cyclic_alias(&name, self.token_span(self.token)))
            }
            Some(Alias::At(at)) => {
                // An alias of an alias of an alias nests no deeper, but is read further in.
                if self.reading >= DEPTH_LIMIT {
                    return Err(error::too_deep(DEPTH_LIMIT, self.token_span(self.token)));
                }
                self.aliases.insert(name, Alias::Busy);
                let (here, depth) = (self.token, self.depth);
                self.reset(at + name.len());
                self.expect(Kind::Equal, "'=' in an alias definition")?;
                self.depth = self.depth.saturating_sub(reference_levels(self.is_keyword("loc")));
                self.reading += 1;
                let value = with_room(|| self.alias_value(name));
                self.reading -= 1;
                self.depth = depth;
                let (target, height) = value?;
                self.token = here;
                self.aliases.insert(name, Alias::Defined(target, at, height));
                Ok(Some(target))
            }
        }
    }

    fn alias(&mut self, token: Token) -> Parsed<AliasTarget> {
        let name = self.slice(token);
        match self.find_alias(name)? {
            Some(target) => Ok(target),
            None => Err(error::undefined_alias(self.str(token), self.token_span(token))),
        }
    }

    /// Finds the definitions that are still to come: lines that start with an alias and `=`.
    fn scan_aliases(&mut self) {
        let text = self.text;
        let here = self.token.start;
        let starts = memchr::memchr_iter(b'\n', &text[here..]).map(|at| here + at + 1);
        for start in starts {
            if !matches!(lexer::byte(text, start), b'#' | b'!') {
                continue;
            }
            let name = lexer::token(text, start);
            if !matches!(name.kind, Kind::Hash | Kind::Exclaim)
                || lexer::token(text, name.end).kind != Kind::Equal
            {
                continue;
            }
            self.aliases.entry(&text[name.start..name.end]).or_insert(Alias::At(start));
        }
    }
}

/// Reads a whole text as one thing.
fn whole<T>(
    context: &mut Context,
    text: &str,
    read: impl FnOnce(&mut Parser<'_>) -> Parsed<T>,
) -> Result<T, Diagnostic> {
    let mut parser = Parser::new(context, text, None);
    let value = read(&mut parser).map_err(|e| *e)?;
    if parser.is(Kind::Eof) { Ok(value) } else { Err(*parser.expected("the end of the text")) }
}

impl Context {
    /// The type that a text means: `vector<4xf32>`.
    ///
    /// # Errors
    /// The text is not one type.
    pub fn parse_type(&mut self, text: &str) -> Result<TypeId, Diagnostic> {
        whole(self, text, |parser| parser.ty())
    }

    /// The attribute that a text means: `4 : i32`.
    ///
    /// # Errors
    /// The text is not one attribute.
    pub fn parse_attr(&mut self, text: &str) -> Result<AttrId, Diagnostic> {
        whole(self, text, |parser| parser.attr(None))
    }

    /// The location that a text means: `loc("file":1:2)`.
    ///
    /// # Errors
    /// The text is not one location.
    pub fn parse_loc(&mut self, text: &str) -> Result<LocId, Diagnostic> {
        whole(self, text, |parser| parser.loc())
    }
}

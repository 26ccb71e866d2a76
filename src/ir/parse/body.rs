//! The text of types and attributes whose dialect has definitions.
//!
//! Specification: texts with the same meaning are stored as one text, which is the text that MLIR's printer writes. A
//! type or attribute inside the text is a reference, so that it can have an alias.
//!
//! Parts that only C++ code reads are stored as they are written, with MLIR's usual white space. A text that does not
//! have the declared format of its class is also stored as it is written if C++ code of the class may read it. If no
//! C++ code can read the text, or if the text contains an undefined alias, the text is an error.

use super::class_text::{BodyText, Transcriber};
use super::dialect_text::is_pretty;
use super::lexer::{self, Token, TokenKind};
use super::param_class::may_belong;
use super::parser::Parser;
use super::text_cache::TextKey;
use crate::ir::attributes::AttrKind;
use crate::ir::error::{self, ParseResult};
use crate::ir::types::TypeKind;
use crate::ir::verbatim::{AliasTarget, Spelling, Verbatim, has_class};
use crate::snippet::{BodyPiece, Snippets};
use crate::source::Diagnostic;
use crate::string_literal::push_quoted;

/// The maximum nesting of defaults. The class of a default can have parameters that have defaults as well.
const DEFAULTS_LIMIT: u32 = 32;

/// The part of a text that is read as a parameter, and the class whose name this part may omit.
#[derive(Clone, Copy)]
struct Nested<'t> {
    text: &'t str,
    class: Option<&'t str>,
    /// True if the printer writes the name of this class.
    qualified: bool,
    /// The builtin C++ class to which the type or attribute must belong.
    required: Option<&'t str>,
    is_type: bool,
}

/// The reason why a text does not have the format of its class.
struct BodyError {
    error: Box<Diagnostic>,
    /// True if no C++ code of the class could read the text in another way.
    is_certain: bool,
}

impl From<Box<Diagnostic>> for BodyError {
    fn from(error: Box<Diagnostic>) -> Self {
        Self { error, is_certain: false }
    }
}

impl<'a> Parser<'a> {
    /// The type or attribute of a known dialect in the text from `token` to `end`; `None` if the dialect has no
    /// definitions, or if the text is too long. The name of the class ends at `class_end`.
    pub(super) fn known_body(
        &mut self,
        token: Token,
        class: &str,
        class_end: usize,
        end: usize,
    ) -> ParseResult<Option<Verbatim>> {
        let dialect = class[1..].split('.').next().unwrap_or("");
        if !self.context.has_definitions(dialect) {
            return Ok(None);
        }
        let key = TextKey {
            class: self.context.string(class),
            text: &self.text[token.start..end],
            in_location: self.in_location,
        };
        if let Some(known) = self.parsed_texts.find(&key) {
            return Ok(known);
        }
        let place = (key.class, token.start);
        if let Some(error) = self.parsed_texts.wrong.get(&place) {
            return Err(error.clone());
        }
        let depth = self.depth;
        self.parsed_texts.enter();
        let read = self.declared_body(class, class_end, end, true);
        self.depth = depth;
        let body = match read {
            // White space can follow.
            Ok(Some((body, found))) if lexer::token(self.text, found).start >= end => Ok(Some(body)),
            Ok(Some((_, found))) if self.is_declarative(class) => {
                let rest = lexer::token(self.text, found);
                Err(error::class_format(class, "the text continues after its end", self.token_span(rest)))
            }
            Err(found)
                if found.is_certain
                    || self.parsed_texts.is_too_deep
                    || self.is_declarative(class)
                    || self.has_undefined_alias(class_end, end) =>
            {
                Err(found.error)
            }
            _ => Ok(self.raw_body(class, class_end, end)),
        };
        self.depth = depth;
        self.reset(token.start);
        match &body {
            Ok(body) => self.parsed_texts.insert(key, body.clone()),
            Err(error) => {
                self.parsed_texts.wrong.insert(place, error.clone());
            }
        }
        self.parsed_texts.leave();
        body
    }

    fn is_open_bracket(&self) -> bool {
        matches!(self.token.kind, TokenKind::LParen | TokenKind::LSquare | TokenKind::LBrace)
    }

    /// True if a class has no registered form, and has a declared format of which no part needs C++ code.
    fn is_declarative(&self, class: &str) -> bool {
        self.context.class_form(class).is_none()
            && self.context.body_of(class).is_some_and(|(bodies, id)| bodies.is_declarative(id))
    }

    /// Reads a type or attribute that is written without its class, at the current token.
    pub(super) fn stripped_body(&mut self, class: &str) -> ParseResult<Verbatim> {
        let start = self.token.start;
        let key = (self.context.string(class), start);
        let known = match self.parsed_texts.stripped.get(&key) {
            Some(known) => known.clone(),
            None => {
                let depth = self.depth;
                self.parsed_texts.enter();
                let found = self.read_stripped(class);
                self.depth = depth;
                self.parsed_texts.stripped.insert(key, found.clone());
                self.parsed_texts.leave();
                found
            }
        };
        let (body, end) = known?;
        self.reset(end);
        Ok(body)
    }

    fn read_stripped(&mut self, class: &str) -> ParseResult<(Verbatim, usize)> {
        let (start, depth) = (self.token.start, self.depth);
        let error = match self.declared_body(class, start, self.text.len(), false) {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => error::cxx_class(class, self.token_span(self.token)),
            Err(found) => found.error,
        };
        self.depth = depth;
        self.reset(start);
        let enclosed = self.context.body_of(class).is_some_and(|(bodies, id)| bodies.is_enclosed(id));
        let opens = self.is(TokenKind::Less) || enclosed && self.is_open_bracket();
        if !opens || self.parsed_texts.is_too_deep {
            return Err(error);
        }
        // The text ends where its bracket closes.
        let end = self.body_end(start)?;
        let found = self.declared_body(class, start, end, true);
        self.depth = depth;
        self.reset(start);
        match found {
            Ok(Some((body, found))) if found == end => Ok((body, end)),
            Err(found) if self.context.body_of(class).is_some() => Err(found.error),
            _ => match self.raw_body(class, start, end) {
                Some(body) => Ok((body, end)),
                None => Err(error),
            },
        }
    }

    /// A type or attribute of a class with the text from `start` to `end` as it is written. `None` if this text is too
    /// long.
    fn raw_body(&mut self, class: &str, start: usize, end: usize) -> Option<Verbatim> {
        let mut text = BodyText { text: class[1..].to_owned(), refs: Vec::new() };
        self.raw_text(start, end, &mut text)?;
        Some(self.finish_body(in_brackets(text)))
    }

    /// Reads a type or attribute of a class that has a registered form or a declared format. The text, without the name
    /// of the class, begins at `start` and ends at `end` at the latest. Also returns the end of the text. If `guesses`
    /// is true, parts that only C++ code can read are kept unchanged. Returns `None` if only C++ code can read the
    /// text.
    fn declared_body(
        &mut self,
        class: &str,
        start: usize,
        end: usize,
        guesses: bool,
    ) -> Result<Option<(Verbatim, usize)>, BodyError> {
        if let Some(form) = self.context.class_form(class).cloned() {
            self.reset(start);
            let out = BodyText { text: class[1..].to_owned(), refs: Vec::new() };
            let mut text = Transcriber { parser: self, out };
            form.transcribe(&mut text)?;
            let out = in_brackets(text.out);
            // The search for the end reads the text again, so it is avoided if the text ends where its bracket closes.
            let is_whole = self.token.start == lexer::token(self.text, end).start;
            let end = if is_whole { end } else { self.end_of_last(start) };
            return Ok(Some((self.finish_body(out), end)));
        }
        let Some((bodies, id)) = self.context.body_of(class) else { return Ok(None) };
        let chars = self.chars.get(..end).unwrap_or("");
        // The types and attributes that were read to compare them with a default.
        let mut known: Vec<(Option<usize>, ParseResult<AliasTarget>)> = Vec::new();
        let found = bodies.body_pieces(id, chars, start, guesses, &mut |piece, default| {
            let Some(nested) = nested_of(piece, &bodies) else { return false };
            let target = self.nested(|p| p.nested_object(nested));
            let is_same = match &target {
                Ok(target) => self.default_value(default, nested.is_type) == Some(*target),
                Err(_) => false,
            };
            known.push((self.offset_of(nested.text), target));
            is_same
        });
        let found = found.map_err(|problem| {
            let span = self.token_span(lexer::token(self.text, problem.at));
            let error = error::class_format(class, &problem.message, span);
            BodyError { error, is_certain: problem.is_certain }
        });
        let Some((pieces, end)) = found? else { return Ok(None) };
        let span = self.token_span(self.token);
        let mut text = BodyText::default();
        for piece in pieces {
            let Some(nested) = nested_of(&piece, &bodies) else {
                match piece {
                    BodyPiece::Text(piece) => text.text.push_str(&piece),
                    BodyPiece::Raw(piece) => {
                        let start = self.offset_of(piece).unwrap_or(end);
                        if text.text.ends_with(',') {
                            text.push(" ");
                        }
                        let raw = self.raw_text(start, start + piece.len(), &mut text);
                        raw.ok_or_else(|| error::too_large("the length of the text", span))?;
                    }
                    BodyPiece::Object { .. } => {}
                }
                continue;
            };
            let target = match known.iter().position(|(start, _)| *start == self.offset_of(nested.text)) {
                Some(known_at) => known.swap_remove(known_at).1?,
                None => self.nested(|p| p.nested_object(nested))?,
            };
            if let Some(required) = nested.required
                && !may_belong(self.context, target, required)
            {
                let at = self.offset_of(nested.text).unwrap_or(start);
                let span = self.token_span(lexer::token(self.text, at));
                let problem = format!("a value of the class '{required}' is expected");
                return Err(error::class_format(class, &problem, span).into());
            }
            let spelling = match nested.class {
                Some(class) if !nested.qualified && self.has_class(target, class) => Spelling::WithoutClass,
                _ => Spelling::Whole,
            };
            let pushed = text.push_ref(target, spelling);
            pushed.ok_or_else(|| error::too_large("the length of the text", span))?;
        }
        // The text starts with the class. Its sigil is removed.
        text.text.remove(0);
        text.refs.iter_mut().for_each(|part| {
            part.start -= 1;
            part.end -= 1;
        });
        Ok(Some((self.finish_body(text), end)))
    }

    /// The default value of a parameter, which the definition states as this text. Returns `None` if the text cannot be
    /// read.
    fn default_value(&mut self, text: &str, is_type: bool) -> Option<AliasTarget> {
        let key = (self.context.string(text), is_type);
        if let Some(known) = self.parsed_texts.defaults.values.get(&key) {
            return *known;
        }
        self.parsed_texts.defaults.values.insert(key, None);
        if self.parsed_texts.defaults.nesting >= DEFAULTS_LIMIT {
            return None;
        }
        let mut parser = Parser::new(self.context, text, None);
        parser.parsed_texts.defaults = std::mem::take(&mut self.parsed_texts.defaults);
        parser.parsed_texts.defaults.nesting += 1;
        let value = match is_type {
            true => parser.ty().map(AliasTarget::Type),
            false => parser.attr(None).map(AliasTarget::Attr),
        };
        let value = value.ok().filter(|_| parser.is(TokenKind::Eof));
        let mut defaults = parser.parsed_texts.defaults;
        defaults.nesting -= 1;
        defaults.values.insert(key, value);
        self.parsed_texts.defaults = defaults;
        value
    }

    /// The end of the text before the current token, without comments and white space.
    fn end_of_last(&self, start: usize) -> usize {
        let mut at = start;
        loop {
            let token = lexer::token(self.text, at);
            if token.start >= self.token.start || token.end <= at {
                return at;
            }
            at = token.end;
        }
    }

    fn finish_body(&mut self, body: BodyText) -> Verbatim {
        Verbatim { text: self.context.string(&body.text), refs: body.refs.into() }
    }

    /// The offset of `part` in the text; `None` if `part` does not lie in the text.
    fn offset_of(&self, part: &str) -> Option<usize> {
        let offset = (part.as_ptr() as usize).checked_sub(self.chars.as_ptr() as usize)?;
        (offset + part.len() <= self.chars.len()).then_some(offset)
    }

    /// True if a type or attribute belongs to a class.
    fn has_class(&self, target: AliasTarget, class: &str) -> bool {
        let body = match target {
            AliasTarget::Type(ty) => match self.context.type_kind(ty) {
                TypeKind::Dialect(body) => body,
                _ => return false,
            },
            AliasTarget::Attr(attr) => match self.context.attr_kind(attr) {
                AttrKind::Dialect { body, .. } => body,
                _ => return false,
            },
            AliasTarget::Loc(_) => return false,
        };
        has_class(self.context.str(body.text), class)
    }

    fn nested_object(&mut self, nested: Nested<'_>) -> ParseResult<AliasTarget> {
        let start = self.offset_of(nested.text).ok_or_else(|| self.expected("a parameter"))?;
        let end = start + nested.text.len();
        self.reset(start);
        let sigil = if nested.is_type { TokenKind::Exclaim } else { TokenKind::Hash };
        let target = match nested.class.filter(|_| !self.is(sigil)) {
            Some(class) => {
                let body = self.stripped_body(class)?;
                match nested.is_type {
                    true => AliasTarget::Type(self.context.intern_type(TypeKind::Dialect(body))),
                    false => AliasTarget::Attr(self.dialect_attr(body, None)),
                }
            }
            None if nested.is_type => AliasTarget::Type(self.ty()?),
            None => AliasTarget::Attr(self.attr(None)?),
        };
        // The whole part must have been read.
        if self.token.start != lexer::token(self.text, end).start {
            return Err(self.expected("the end of a parameter"));
        }
        Ok(target)
    }

    /// Adds the text from `start` to `end`, with MLIR's usual white space. Types and attributes in it that have a sigil
    /// become references. Returns `None` if the text is too long.
    fn raw_text(&mut self, start: usize, end: usize, out: &mut BodyText) -> Option<()> {
        let mut at = start;
        let mut space = false;
        while at < end {
            let byte = self.text[at];
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {
                    space = true;
                    at += 1;
                    continue;
                }
                b'/' if lexer::byte(self.text, at + 1) == b'/' => {
                    at = memchr::memchr(b'\n', &self.text[at..end]).map_or(end, |length| at + length);
                    continue;
                }
                _ => {}
            }
            let after_open = out.text.ends_with(['<', '(', '[', '{']) && out.refs_end() < out.text.len();
            let before_close = matches!(byte, b',' | b'>' | b')' | b']' | b'}') && !self.is_arrow_end(at);
            if std::mem::take(&mut space) && at > start && !after_open && !before_close {
                out.text.push(' ');
            }
            match byte {
                b'"' => {
                    let token = lexer::token(self.text, at);
                    if token.kind == TokenKind::Str && token.end <= end {
                        let value = self.string_value(token).into_owned();
                        push_quoted(&mut out.text, &value);
                        at = token.end;
                        continue;
                    }
                    out.text.push('"');
                    at += 1;
                }
                b'#' | b'!' => {
                    let token = lexer::token(self.text, at);
                    match self.referenced(token, end) {
                        Some((target, after)) => {
                            out.push_ref(target, Spelling::Whole)?;
                            at = after;
                        }
                        None => {
                            out.text.push(byte.into());
                            at += 1;
                        }
                    }
                }
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    let length = self.text[at..end].iter().take_while(|b| is_word(**b)).count();
                    let word = self.chars.get(at..at + length)?;
                    if word == "distinct" && lexer::byte(self.text, at + length) == b'[' {
                        self.reset(at);
                        let depth = self.depth;
                        if let Ok(attr) = self.attr(None)
                            && self.token.start <= end
                        {
                            out.push_ref(AliasTarget::Attr(attr), Spelling::Whole)?;
                            at = self.end_of_last(at);
                            continue;
                        }
                        self.depth = depth;
                    }
                    // MLIR prints integers in decimal notation. A hexadecimal number with as many digits as a half,
                    // single or double float is kept, because it may be the bits of a float.
                    let digits = word.strip_prefix("0x").filter(|digits| !matches!(digits.len(), 4 | 8 | 16));
                    let hex = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                    match hex {
                        Some(value) => out.text.push_str(&value.to_string()),
                        None => out.text.push_str(word),
                    }
                    at += length;
                }
                b',' => {
                    out.text.push(',');
                    space = true;
                    at += 1;
                }
                _ => {
                    let length = self.chars.get(at..)?.chars().next().map_or(1, char::len_utf8);
                    out.text.push_str(self.chars.get(at..at + length)?);
                    at += length;
                }
            }
        }
        Some(())
    }

    /// True if the text from `at` to `end` contains the name of an alias that is not defined. If the text were kept, it
    /// could be printed beside another alias with this name.
    fn has_undefined_alias(&mut self, mut at: usize, end: usize) -> bool {
        let text = self.text;
        loop {
            let token = lexer::token(text, at);
            if token.end > end || token.end <= at || token.kind == TokenKind::Eof {
                return false;
            }
            let name = &text[token.start..token.end];
            let is_alias = matches!(token.kind, TokenKind::Hash | TokenKind::Exclaim)
                && !name.contains(&b'.')
                && lexer::byte(text, token.end) != b'<';
            if is_alias && !matches!(self.find_alias(name), Ok(Some(_))) {
                return true;
            }
            at = token.end;
        }
    }

    /// True if the byte is the end of `->`.
    fn is_arrow_end(&self, at: usize) -> bool {
        self.text[at] == b'>' && at > 0 && self.text[at - 1] == b'-'
    }

    /// The type, attribute or alias that starts with a token, and its end.
    fn referenced(&mut self, token: Token, limit: usize) -> Option<(AliasTarget, usize)> {
        if !matches!(token.kind, TokenKind::Hash | TokenKind::Exclaim) {
            return None;
        }
        let has_body = lexer::byte(self.text, token.end) == b'<';
        let name = &self.text[token.start..token.end];
        if !has_body && !name.contains(&b'.') {
            return Some((self.find_alias(name).ok()??, token.end));
        }
        let end = if has_body { self.body_end(token.end).ok()? } else { token.end };
        if end > limit {
            return None;
        }
        self.reset(token.start);
        let target = self.nested(|p| p.extended_target(token)).ok()?;
        Some((target, end))
    }
}

/// Changes `dialect.rest` to `dialect<rest>`, unless `rest` is a name or has the form `name<body>`.
fn in_brackets(mut out: BodyText) -> BodyText {
    let Some(dot) = out.text.find('.') else { return out };
    let inside = &out.text[dot + 1..];
    let is_reference = !out.refs.is_empty() && !inside.contains('<');
    if is_reference || !is_pretty(inside.as_bytes()) {
        out.text.replace_range(dot..=dot, "<");
        out.push(">");
    }
    out
}

/// The type or attribute in a piece of a text.
fn nested_of<'t>(piece: &BodyPiece<'t>, bodies: &'t Snippets) -> Option<Nested<'t>> {
    let BodyPiece::Object { text, is_type, class, qualified, required } = *piece else { return None };
    let name = |class| bodies.str(class);
    Some(Nested { text, class: class.map(name), qualified, required: required.map(name), is_type })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

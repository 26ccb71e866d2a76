//! The text of an attribute or type that a registered form transcribes.

use super::lexer::{self, TokenKind};
use super::parser::Parser;
use crate::ir::attributes::AttrKind;
use crate::ir::definitions::dialect_of;
use crate::ir::dialect::ClassText;
use crate::ir::error::ParseResult;
use crate::ir::ids::AttrId;
use crate::ir::types::TypeKind;
use crate::ir::verbatim::{AliasTarget, Spelling, VerbatimRef};
use crate::source::Diagnostic;
use crate::string_literal::push_quoted;

/// A text under construction, with the references in it.
#[derive(Default)]
pub(super) struct BodyText {
    pub(super) text: String,
    pub(super) refs: Vec<VerbatimRef>,
}

impl BodyText {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn push_ref(&mut self, target: AliasTarget, spelling: Spelling) -> Option<()> {
        let at = u32::try_from(self.text.len()).ok()?;
        self.refs.push(VerbatimRef { start: at, end: at, target, spelling });
        Some(())
    }

    /// The end of the last reference; the start of the text if there is no reference.
    pub(super) fn refs_end(&self) -> usize {
        self.refs.last().map_or(0, |last| last.end as usize)
    }
}

/// A parser after the name of a class, and the text that the form has written so far.
pub(super) struct Transcriber<'p, 'a> {
    pub(super) parser: &'p mut Parser<'a>,
    pub(super) out: BodyText,
}

impl Transcriber<'_, '_> {
    fn nested(&mut self, target: AliasTarget, spelling: Spelling) -> ParseResult<()> {
        let pushed = self.out.push_ref(target, spelling);
        pushed.ok_or_else(|| self.parser.expected("a shorter text"))
    }
}

impl ClassText for Transcriber<'_, '_> {
    fn literal(&mut self, text: &str) -> ParseResult<()> {
        if !self.skip(text) {
            return Err(self.parser.expected(&format!("'{text}'")));
        }
        self.write(text);
        Ok(())
    }

    fn is_literal(&self, text: &str) -> bool {
        let parser = &*self.parser;
        match parser.token.kind {
            TokenKind::Str | TokenKind::OpenString | TokenKind::Error | TokenKind::Eof => false,
            _ => parser.str(parser.token) == text,
        }
    }

    fn skip(&mut self, text: &str) -> bool {
        let found = self.is_literal(text);
        if found {
            self.parser.advance();
        }
        found
    }

    fn skip_x(&mut self) -> bool {
        let token = self.parser.token;
        let found = token.kind == TokenKind::Bare && self.parser.str(token).starts_with('x');
        if found {
            self.parser.reset(token.start + 1);
        }
        found
    }

    fn write(&mut self, text: &str) {
        self.out.push(text);
    }

    fn optional_keyword(&mut self) -> Option<String> {
        let token = self.parser.token;
        if token.kind != TokenKind::Bare {
            return None;
        }
        self.parser.advance();
        Some(self.parser.str(token).to_owned())
    }

    fn optional_string(&mut self) -> Option<String> {
        let token = self.parser.token;
        if token.kind != TokenKind::Str {
            return None;
        }
        let value = self.parser.string_value(token).into_owned();
        self.parser.advance();
        Some(value)
    }

    fn write_string(&mut self, text: &str) {
        let mut quoted = String::new();
        push_quoted(&mut quoted, text);
        self.write(&quoted);
    }

    fn optional_integer(&mut self) -> Option<i64> {
        let start = self.parser.token.start;
        let negative = self.parser.eat(TokenKind::Minus);
        let magnitude = self.parser.magnitude(self.parser.token);
        let value = magnitude.and_then(|value| i64::try_from(if negative { -value } else { value }).ok());
        match value {
            Some(_) => self.parser.advance(),
            None => self.parser.reset(start),
        }
        value
    }

    fn optional_number(&mut self) -> Option<f64> {
        let start = self.parser.token.start;
        let negative = self.parser.eat(TokenKind::Minus);
        let token = self.parser.token;
        let value: Option<f64> = match token.kind {
            TokenKind::Int | TokenKind::Float => self.parser.str(token).parse().ok(),
            _ => None,
        };
        match value {
            Some(_) => self.parser.advance(),
            None => self.parser.reset(start),
        }
        value.map(|value| if negative { -value } else { value })
    }

    fn item(&mut self) -> String {
        let mut text = String::new();
        let mut end = self.parser.token.start;
        let mut depth = 0_u32;
        loop {
            let token = self.parser.token;
            match token.kind {
                TokenKind::Eof | TokenKind::Error | TokenKind::OpenString => break,
                TokenKind::Comma if depth == 0 => break,
                TokenKind::Less | TokenKind::LParen | TokenKind::LSquare | TokenKind::LBrace => depth += 1,
                TokenKind::Greater | TokenKind::RParen | TokenKind::RSquare | TokenKind::RBrace => {
                    if depth == 0 {
                        break;
                    }
                    depth -= 1;
                }
                _ => {}
            }
            let between = self.parser.chars.get(end..token.start).unwrap_or("");
            text.push_str(if between.contains("//") { " " } else { between });
            text.push_str(self.parser.str(token));
            end = token.end;
            self.parser.advance();
        }
        text
    }

    fn is_type(&self) -> bool {
        self.parser.starts_type()
    }

    fn ty(&mut self) -> ParseResult<()> {
        let ty = self.parser.ty()?;
        self.nested(AliasTarget::Type(ty), Spelling::Whole)
    }

    fn type_of_dialect(&mut self, dialect: &str, names: &[&str]) -> ParseResult<()> {
        let token = self.parser.token;
        let word = self.parser.str(token);
        let ty = if token.kind == TokenKind::Bare && names.contains(&word) {
            let class = format!("!{dialect}.{word}");
            let next = lexer::token(self.parser.text, token.end);
            let (start, end) = match next.kind {
                TokenKind::Less => (next.start, self.parser.body_end(next.start)?),
                _ => (token.end, token.end),
            };
            let body = self.parser.nested(|p| p.known_body(token, &class, start, end))?;
            let body = body.ok_or_else(|| self.parser.expected("a type"))?;
            self.parser.reset(end);
            self.parser.context.intern_type(TypeKind::Dialect(body))
        } else {
            self.parser.ty()?
        };
        let context = &*self.parser.context;
        let spelling = match context.type_kind(ty) {
            TypeKind::Dialect(body) if dialect_of(context.str(body.text)) == dialect => {
                Spelling::WithoutDialect
            }
            _ => Spelling::Whole,
        };
        self.nested(AliasTarget::Type(ty), spelling)
    }

    fn write_type(&mut self, ty: &str) -> ParseResult<()> {
        let ty = self.parser.context.parse_type(ty).map_err(Box::new)?;
        self.nested(AliasTarget::Type(ty), Spelling::Whole)
    }

    fn read_attribute(&mut self) -> ParseResult<AttrId> {
        self.parser.attr(None)
    }

    fn write_attribute(&mut self, attr: AttrId) -> ParseResult<()> {
        self.nested(AliasTarget::Attr(attr), Spelling::Whole)
    }

    fn attr_kind(&self, attr: AttrId) -> &AttrKind {
        self.parser.context.attr_kind(attr)
    }

    fn entries(&self, attr: AttrId) -> Vec<(String, AttrId)> {
        self.parser.context.named_entries(attr)
    }

    fn attribute_without_type(&mut self) -> ParseResult<()> {
        let attr = self.parser.attr(None)?;
        let text = self.parser.context.attr_text_without_type(attr);
        self.write(&text);
        Ok(())
    }

    fn printed(&mut self, attribute: &str) -> ParseResult<String> {
        let attr = self.parser.context.parse_attr(attribute)?;
        Ok(self.parser.context.attr_text(attr))
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        self.parser.expected(what)
    }
}

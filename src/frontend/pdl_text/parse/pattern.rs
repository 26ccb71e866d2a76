//! Patterns in the custom form, and regions and operations in either form.
//!
//! The modules `pattern`, `custom` and `generic` call each other recursively, because operations have regions.

use super::super::ast::{Op, OpId, OpKind, Value};
use super::super::error;
use super::reader::{Read, Reader};
use crate::ir::parse::lexer::{Token, TokenKind as Kind};
use crate::stack::with_room;

/// The maximum nesting of regions. A rule needs two levels: the pattern and the body of its rewrite.
const DEPTH_LIMIT: u32 = 50;

impl<'a> Reader<'a> {
    pub(super) fn custom_pattern(&mut self) -> Read<()> {
        self.p.advance();
        if self.p.is(Kind::At) {
            let token = self.p.token;
            self.p.advance();
            self.pattern.name = Some((self.p.symbol_name(token), self.p.token_span(token)));
        }
        self.p.expect(Kind::Colon, "':' before the benefit of a pattern")?;
        if !self.p.eat_keyword("benefit") {
            return Err(self.p.expected("'benefit'"));
        }
        self.p.expect(Kind::LParen, "'('")?;
        (self.pattern.benefit, self.pattern.benefit_span) = self.integer("a number of 64 bits")?;
        self.p.expect(Kind::RParen, "')'")?;
        self.pattern.discardable = self.keyword_dictionary()?;
        self.pattern.body = self.region(None)?.unwrap_or_default();
        self.loc()
    }

    /// Reads `{ … }`. Returns `None` for a region without a block.
    pub(super) fn region(&mut self, parent: Option<OpId>) -> Read<Option<Vec<OpId>>> {
        let at = self.here();
        self.p.expect(Kind::LBrace, "'{' of a region")?;
        if self.depth >= DEPTH_LIMIT {
            return Err(Box::new(error::too_deep(DEPTH_LIMIT, at)));
        }
        self.depth += 1;
        let mut ops = Vec::new();
        let labelled = self.label(at)?;
        while !self.p.eat(Kind::RBrace) {
            if self.p.is(Kind::Eof) {
                return Err(Box::new(error::unclosed("region", at)));
            }
            if self.p.is(Kind::Caret) {
                return Err(Box::new(error::several_blocks(at, self.here())));
            }
            ops.push(with_room(|| self.op(parent))?);
        }
        self.depth -= 1;
        Ok((labelled || !ops.is_empty()).then_some(ops))
    }

    pub(super) fn op(&mut self, parent: Option<OpId>) -> Read<OpId> {
        let mut names: Vec<(Token, usize)> = Vec::new();
        if self.p.is(Kind::Percent) {
            loop {
                let token = self.p.expect(Kind::Percent, "a value")?;
                names.push((token, self.p.result_count()? as usize));
                if !self.p.eat(Kind::Comma) {
                    break;
                }
            }
            self.p.expect(Kind::Equal, "'=' after results")?;
        }
        let span = self.here();
        let op = Op { kind: OpKind::Other, results: Vec::new(), discardable: None, span, parent };
        let id = self.pattern.ops.push(op);
        let (kind, kinds, discardable) = match self.p.token.kind {
            Kind::Bare => self.custom(id)?,
            Kind::Str => self.generic(id)?,
            _ => return Err(self.p.expected("an operation")),
        };
        self.loc()?;
        let named: usize = names.iter().map(|&(_, count)| count).sum();
        // Results may stay unnamed.
        if named != kinds.len() && !(names.is_empty()) {
            return Err(Box::new(error::wrong_count("result", kinds.len(), named, span)));
        }
        let mut kinds = kinds.into_iter();
        for (token, count) in names {
            let name = &self.p.str(token)[1..];
            let span = self.p.token_span(token);
            for (i, kind) in kinds.by_ref().take(count).enumerate() {
                let value = self.pattern.values.push(Value { name, kind, span, def: id });
                self.pattern.ops[id].results.push(value);
                if i == 0
                    && let Some((before, _)) = self.scope.insert(name, (value, count))
                {
                    let before = self.pattern.values[before].span;
                    return Err(Box::new(error::redefined_value(name, span, before)));
                }
            }
        }
        for kind in kinds {
            let value = self.pattern.values.push(Value { name: "", kind, span, def: id });
            self.pattern.ops[id].results.push(value);
        }
        let op = &mut self.pattern.ops[id];
        op.kind = kind;
        op.discardable = discardable;
        Ok(id)
    }
}

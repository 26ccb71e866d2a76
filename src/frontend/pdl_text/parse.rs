//! Text to patterns: the dialect's custom form and the generic form.
//!
//! Types and attributes are read by the parser of the built-in IR; operations of `pdl` are few and
//! fixed, so each has its few lines here. After an error reading goes on at the next pattern.

use std::borrow::Cow;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::ast::{Op, OpId, OpKind, Pattern, Use, Value, ValueId};
use super::error;
use crate::host::Kind as Entity;
use crate::id::IdVec;
use crate::ir::parse::Parser;
use crate::ir::parse::lexer::{Kind, Token};
use crate::ir::{AttrId, AttrKind, Context, TypeKind};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};

type Read<T> = Result<T, Box<Diagnostic>>;

/// How deep regions can nest: two are enough for a rule.
const DEPTH_LIMIT: u32 = 50;

/// A module that is open, and how it closes.
enum Open {
    Custom(Span),
    Generic(Span),
}

/// What is known of each type in a list: the entity of `pdl` that it is, if it is one.
type Entities = Vec<Option<Entity>>;

/// What an operation is, the kinds of its results, and its discardable attributes.
type Parts<'a> = (OpKind<'a>, Vec<Entity>, Option<AttrId>);

pub(super) struct Reader<'a> {
    p: Parser<'a>,
    pattern: Pattern<'a>,
    /// Values by name: the first, and how many share the name.
    scope: HashMap<&'a str, (ValueId, usize), FxBuildHasher>,
    depth: u32,
    pub(super) out: Diagnostics,
}

impl<'a> Reader<'a> {
    /// Reads from `start` to the end of `text`, which begins where the file does.
    pub(super) fn new(context: &'a mut Context, text: &'a str, start: usize, file: &'a SourceFile) -> Self {
        let mut p = Parser::new(context, text, Some(file));
        p.reset(start);
        let out = Diagnostics::default();
        Self { p, pattern: empty(Span::NONE), scope: HashMap::default(), depth: 0, out }
    }

    /// What types and attributes are interned in.
    pub(super) fn context(&mut self) -> &mut Context {
        self.p.context
    }

    fn here(&self) -> Span {
        self.p.token_span(self.p.token)
    }

    /// Reads the whole text, and hands out each pattern that can be read.
    pub(super) fn file(&mut self, mut each: impl FnMut(&mut Self, &Pattern<'a>)) {
        let mut open = Vec::new();
        let mut recovered = false;
        while !self.out.at_limit() {
            let result = match self.p.token.kind {
                Kind::Eof => break,
                _ => self.top(&mut open, recovered, &mut each),
            };
            if let Err(diagnostic) = result {
                self.out.push(*diagnostic);
                recovered = true;
                self.recover();
            }
        }
        if let (Some(Open::Custom(at) | Open::Generic(at)), false) = (open.pop(), recovered) {
            self.out.push(error::unclosed("module", at));
        }
    }

    /// Skips to the next pattern.
    fn recover(&mut self) {
        self.p.advance();
        while !self.p.is(Kind::Eof) && !self.at_pattern() {
            self.p.advance();
        }
    }

    fn is_string(&self, text: &str) -> bool {
        self.p.is(Kind::Str) && self.p.str(self.p.token).trim_matches('"') == text
    }

    fn at_pattern(&self) -> bool {
        self.p.is_keyword("pdl.pattern") || self.is_string("pdl.pattern")
    }

    fn at_module(&self) -> bool {
        self.p.is_keyword("module") || self.p.is_keyword("builtin.module") || self.is_string("builtin.module")
    }

    fn top(
        &mut self,
        open: &mut Vec<Open>,
        recovered: bool,
        each: &mut impl FnMut(&mut Self, &Pattern<'a>),
    ) -> Read<()> {
        let token = self.p.token;
        if self.at_pattern() {
            self.scope.clear();
            self.depth = 0;
            self.pattern = empty(self.here());
            if token.kind == Kind::Str { self.generic_pattern() } else { self.custom_pattern() }?;
            let pattern = std::mem::replace(&mut self.pattern, empty(Span::NONE));
            each(self, &pattern);
            return Ok(());
        }
        if self.at_module() {
            let at = self.here();
            self.p.advance();
            if token.kind == Kind::Str {
                self.p.expect(Kind::LParen, "'('")?;
                self.p.expect(Kind::RParen, "')'")?;
                self.properties()?;
                self.p.expect(Kind::LParen, "'(' before the region of a module")?;
                self.p.expect(Kind::LBrace, "'{'")?;
                self.label()?;
                open.push(Open::Generic(at));
            } else {
                if self.p.is(Kind::At) {
                    self.p.advance();
                }
                if self.p.eat_keyword("attributes") {
                    self.dictionary()?;
                }
                self.p.expect(Kind::LBrace, "'{' of a module")?;
                open.push(Open::Custom(at));
            }
            return Ok(());
        }
        match token.kind {
            Kind::Hash | Kind::Exclaim => {
                let (_, target) = self.p.alias_definition()?;
                if let crate::ir::AliasTarget::Type(ty) = target {
                    self.check_alias(ty, self.p.token_span(token))?;
                } else if let crate::ir::AliasTarget::Attr(attr) = target
                    && let AttrKind::Type(ty) = *self.p.context.attr_kind(attr)
                {
                    self.check_alias(ty, self.p.token_span(token))?;
                }
                Ok(())
            }
            Kind::RBrace => {
                let module = open.pop();
                if module.is_none() && !recovered {
                    return Err(self.p.expected("a pattern or the end of the file"));
                }
                self.p.advance();
                if let Some(Open::Generic(_)) = module {
                    self.p.expect(Kind::RParen, "')' after the region of a module")?;
                    if self.p.is(Kind::LBrace) {
                        self.dictionary()?;
                    }
                    self.p.expect(Kind::Colon, "':'")?;
                    self.function_type()?;
                }
                self.loc()
            }
            Kind::MetadataBegin => {
                while !matches!(self.p.token.kind, Kind::Eof | Kind::MetadataEnd) {
                    self.p.advance();
                }
                self.p.advance();
                Ok(())
            }
            _ => {
                self.skip_foreign();
                Ok(())
            }
        }
    }

    /// Skips what is neither pattern nor module, with one warning for all in a row.
    fn skip_foreign(&mut self) {
        let first = self.p.token;
        let name = self.p.str(first).to_owned();
        self.out.push(error::not_a_rule(name.trim_matches('"'), self.p.token_span(first)));
        let mut depth = 0u32;
        loop {
            match self.p.token.kind {
                Kind::Eof => return,
                Kind::LBrace => depth += 1,
                Kind::RBrace if depth == 0 => return,
                Kind::RBrace => depth -= 1,
                _ if depth == 0 && (self.at_pattern() || self.at_module()) => return,
                _ => {}
            }
            self.p.advance();
        }
    }

    /// A type of this dialect under another name is one of its types.
    fn check_alias(&mut self, ty: crate::ir::TypeId, at: Span) -> Read<()> {
        let text = self.p.context.type_text(ty);
        let Some(inside) = text.strip_prefix("!pdl.range<") else { return Ok(()) };
        if inside.starts_with("range<") || inside.starts_with("!pdl.range<") {
            return Err(Box::new(error::range_of_range(at)));
        }
        Ok(())
    }

    // Pieces.

    fn loc(&mut self) -> Read<()> {
        if self.p.is_keyword("loc") { self.p.loc().map(drop) } else { Ok(()) }
    }

    fn dictionary(&mut self) -> Read<AttrId> {
        if !self.p.is(Kind::LBrace) {
            return Err(self.p.expected("'{'"));
        }
        self.p.attr(None)
    }

    fn optional_dictionary(&mut self) -> Read<Option<AttrId>> {
        if self.p.is(Kind::LBrace) { self.dictionary().map(Some) } else { Ok(None) }
    }

    fn keyword_dictionary(&mut self) -> Read<Option<AttrId>> {
        if self.p.eat_keyword("attributes") { self.dictionary().map(Some) } else { Ok(None) }
    }

    /// `<{…}>`
    fn properties(&mut self) -> Read<Option<AttrId>> {
        if !self.p.eat(Kind::Less) {
            return Ok(None);
        }
        let properties = self.dictionary()?;
        self.p.expect(Kind::Greater, "'>' after properties")?;
        Ok(Some(properties))
    }

    /// `^bb0:`; whether there is one.
    fn label(&mut self) -> Read<bool> {
        let found = self.p.eat(Kind::Caret);
        if found {
            self.p.expect(Kind::Colon, "':' after a block's name")?;
        }
        Ok(found)
    }

    fn string(&mut self, what: &str) -> Read<Cow<'a, str>> {
        let token = self.p.expect(Kind::Str, what)?;
        Ok(self.p.string_value(token))
    }

    fn pdl_type(&mut self) -> Read<Entity> {
        let token = self.p.expect(Kind::Exclaim, "a type of the pdl dialect")?;
        let at = self.p.token_span(token);
        Ok(match self.p.str(token) {
            "!pdl.attribute" => Entity::Attr,
            "!pdl.operation" => Entity::Op,
            "!pdl.type" => Entity::Type,
            "!pdl.value" => Entity::Value,
            "!pdl.range" => {
                self.p.expect(Kind::Less, "'<'")?;
                let token = self.p.token;
                let name = self.p.str(token).trim_start_matches('!');
                let range = match name.strip_prefix("pdl.").unwrap_or(name) {
                    "attribute" => Entity::Attrs,
                    "type" => Entity::Types,
                    "value" => Entity::Values,
                    "range" => return Err(Box::new(error::range_of_range(self.p.token_span(token)))),
                    _ => return Err(Box::new(error::not_a_pdl_type(self.p.token_span(token)))),
                };
                self.p.advance();
                self.p.expect(Kind::Greater, "'>'")?;
                range
            }
            _ => return Err(Box::new(error::not_a_pdl_type(at))),
        })
    }

    fn types(&mut self) -> Read<Vec<Entity>> {
        let mut types = vec![self.pdl_type()?];
        while self.p.eat(Kind::Comma) {
            types.push(self.pdl_type()?);
        }
        Ok(types)
    }

    /// `(types) -> types`; types of other dialects are read over.
    fn function_type(&mut self) -> Read<(Entities, Entities)> {
        let inputs = self.type_list()?;
        self.p.expect(Kind::Arrow, "'->'")?;
        let results = if self.p.is(Kind::LParen) { self.type_list()? } else { vec![self.any_type()?] };
        Ok((inputs, results))
    }

    fn type_list(&mut self) -> Read<Entities> {
        self.p.expect(Kind::LParen, "'('")?;
        let mut types = Vec::new();
        if self.p.eat(Kind::RParen) {
            return Ok(types);
        }
        loop {
            types.push(self.any_type()?);
            if !self.p.eat(Kind::Comma) {
                break;
            }
        }
        self.p.expect(Kind::RParen, "')'")?;
        Ok(types)
    }

    fn any_type(&mut self) -> Read<Option<Entity>> {
        if self.p.is(Kind::Exclaim) && self.p.str(self.p.token).starts_with("!pdl.") {
            self.pdl_type().map(Some)
        } else {
            self.p.ty().map(|_| None)
        }
    }

    /// `%name` or `%name#1`
    fn used(&mut self) -> Read<Use> {
        let token = self.p.expect(Kind::Percent, "a value")?;
        let name = &self.p.str(token)[1..];
        let mut end = token.end;
        let mut index = 0;
        if self.p.is(Kind::Hash) && self.p.token.start == token.end {
            let number = self.p.token;
            index = self.p.str(number)[1..].parse().map_err(|_| self.p.expected("a result number"))?;
            end = number.end;
            self.p.advance();
        }
        let span = self.p.token_span(Token { end, ..token });
        match self.scope.get(name) {
            Some(&(first, count)) if index < count => {
                let value = if index == 0 {
                    first
                } else {
                    // The values of one name were made one after the other.
                    let offset = u32::try_from(index).unwrap_or(u32::MAX);
                    ValueId::from_raw(first.raw().saturating_add(offset))
                };
                Ok(Use { value, span })
            }
            _ => Err(Box::new(error::undefined_value(name, span))),
        }
    }

    fn kind(&self, used: Use) -> Entity {
        self.pattern.values[used.value].kind
    }

    fn check(&self, used: Use, kinds: &[Entity], expected: &str) -> Read<Use> {
        let value = &self.pattern.values[used.value];
        if kinds.contains(&value.kind) {
            return Ok(used);
        }
        Err(Box::new(error::wrong_type(value.name, expected, value.kind, used.span, value.span)))
    }

    fn used_as(&mut self, kind: Entity) -> Read<Use> {
        let used = self.used()?;
        self.check(used, &[kind], crate::pdl::extension::pdl_type(kind))
    }

    /// `%a, %b : !pdl.value, !pdl.type`
    fn typed_uses(&mut self) -> Read<Vec<Use>> {
        let mut uses = Vec::new();
        if self.p.is(Kind::Percent) {
            uses.push(self.used()?);
            while self.p.eat(Kind::Comma) {
                uses.push(self.used()?);
            }
        }
        self.p.expect(Kind::Colon, "':' before the types")?;
        let at = self.here();
        let types = if uses.is_empty() { Vec::new() } else { self.types()? };
        self.check_types(&uses, types.iter().map(|&kind| Some(kind)), at)?;
        Ok(uses)
    }

    fn check_types(
        &self,
        uses: &[Use],
        types: impl ExactSizeIterator<Item = Option<Entity>>,
        at: Span,
    ) -> Read<()> {
        if types.len() != uses.len() {
            let expected = format!("{}", uses.len());
            return Err(Box::new(error::wrong_count("operand types", &expected, types.len(), at)));
        }
        for (&used, kind) in uses.iter().zip(types) {
            match kind {
                Some(kind) => self.check(used, &[kind], crate::pdl::extension::pdl_type(kind))?,
                None => self.check(used, &[], "of another type")?,
            };
        }
        Ok(())
    }

    /// `(%a : !pdl.value)`, if there is one.
    fn optional_args(&mut self) -> Read<Vec<Use>> {
        if !self.p.eat(Kind::LParen) {
            return Ok(Vec::new());
        }
        let uses = self.typed_uses()?;
        self.p.expect(Kind::RParen, "')'")?;
        Ok(uses)
    }

    fn u32(&mut self) -> Read<u32> {
        let token = self.p.token;
        let value = if token.kind == Kind::Int { self.p.str(token).parse().ok() } else { None };
        let value = value.ok_or_else(|| self.p.expected("a number of 32 bits"))?;
        self.p.advance();
        Ok(value)
    }

    // Patterns.

    fn custom_pattern(&mut self) -> Read<()> {
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
        let start = self.p.token;
        let negative = self.p.eat(Kind::Minus);
        let token = self.p.expect(Kind::Int, "a number")?;
        let value = self.p.str(token).parse::<i64>().unwrap_or(i64::MAX);
        self.pattern.benefit = if negative { -value } else { value };
        self.pattern.benefit_span = self.p.token_span(Token { end: token.end, ..start });
        self.p.expect(Kind::RParen, "')'")?;
        self.pattern.extra = self.keyword_dictionary()?;
        self.pattern.body = self.region(None)?.unwrap_or_default();
        self.loc()
    }

    fn generic_pattern(&mut self) -> Read<()> {
        let at = self.here();
        self.p.advance();
        self.p.expect(Kind::LParen, "'('")?;
        self.p.expect(Kind::RParen, "')'")?;
        let properties = self.properties()?;
        self.p.expect(Kind::LParen, "'(' before the region of a pattern")?;
        self.pattern.body = self.region(None)?.unwrap_or_default();
        self.p.expect(Kind::RParen, "')'")?;
        let extra = self.optional_dictionary()?;
        self.p.expect(Kind::Colon, "':'")?;
        self.function_type()?;
        let find = |reader: &Self, name: &str| {
            [properties, extra].into_iter().flatten().find_map(|dictionary| reader.entry(dictionary, name))
        };
        let benefit = find(self, "benefit").map(|attr| self.p.context.attr_kind(attr));
        let Some(AttrKind::Integer { value, .. }) = benefit else {
            return Err(Box::new(error::missing_attribute("pdl.pattern", "benefit", "an integer", at)));
        };
        self.pattern.benefit = value.to_i64().unwrap_or(i64::MAX);
        self.pattern.benefit_span = at;
        if let Some(AttrKind::String { text, .. }) =
            find(self, "sym_name").map(|attr| self.p.context.attr_kind(attr))
        {
            self.pattern.name = Some((self.p.context.str(*text).to_owned().into(), at));
        }
        self.pattern.extra = extra;
        self.loc()
    }

    /// `{ … }`; `None` for a region without a block.
    fn region(&mut self, parent: Option<OpId>) -> Read<Option<Vec<OpId>>> {
        let at = self.here();
        self.p.expect(Kind::LBrace, "'{' of a region")?;
        if self.depth >= DEPTH_LIMIT {
            return Err(Box::new(error::too_deep(DEPTH_LIMIT, at)));
        }
        self.depth += 1;
        let mut ops = Vec::new();
        let labelled = self.label()?;
        while !self.p.eat(Kind::RBrace) {
            if self.p.is(Kind::Eof) {
                return Err(Box::new(error::unclosed("region", at)));
            }
            ops.push(self.op(parent)?);
        }
        self.depth -= 1;
        Ok((labelled || !ops.is_empty()).then_some(ops))
    }

    fn op(&mut self, parent: Option<OpId>) -> Read<OpId> {
        let mut names: Vec<(Token, usize)> = Vec::new();
        if self.p.is(Kind::Percent) {
            loop {
                let token = self.p.expect(Kind::Percent, "a value")?;
                let count = if self.p.eat(Kind::Colon) { self.u32()? as usize } else { 1 };
                names.push((token, count));
                if !self.p.eat(Kind::Comma) {
                    break;
                }
            }
            self.p.expect(Kind::Equal, "'=' after results")?;
        }
        let span = self.here();
        let op = Op { kind: OpKind::Other, results: Vec::new(), extra: None, span, parent };
        let id = self.pattern.ops.push(op);
        let (kind, kinds, extra) = match self.p.token.kind {
            Kind::Bare => self.custom(id)?,
            Kind::Str => self.generic(id)?,
            _ => return Err(self.p.expected("an operation")),
        };
        self.loc()?;
        let named: usize = names.iter().map(|&(_, count)| count).sum();
        // Results need no names.
        if named != kinds.len() && !(names.is_empty()) {
            return Err(Box::new(error::wrong_count("results", &kinds.len().to_string(), named, span)));
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
        op.extra = extra;
        Ok(id)
    }

    fn custom(&mut self, id: OpId) -> Read<Parts<'a>> {
        let token = self.p.token;
        let name = self.p.str(token);
        self.p.advance();
        Ok(match name.strip_prefix("pdl.").unwrap_or(name) {
            "apply_native_constraint" => {
                let name = self.string("the name of a constraint")?;
                self.p.expect(Kind::LParen, "'('")?;
                let args = self.typed_uses()?;
                self.p.expect(Kind::RParen, "')'")?;
                let results = if self.p.eat(Kind::Colon) { self.types()? } else { Vec::new() };
                let extra = self.optional_dictionary()?;
                let negated = self.is_negated(extra);
                (OpKind::Constraint { name, args, negated }, results, extra)
            }
            "apply_native_rewrite" => {
                let name = self.string("the name of a rewrite")?;
                let args = self.optional_args()?;
                let results = if self.p.eat(Kind::Colon) { self.types()? } else { Vec::new() };
                (OpKind::NativeRewrite { name, args }, results, self.optional_dictionary()?)
            }
            "attribute" => {
                let ty = if self.p.eat(Kind::Colon) { Some(self.used_as(Entity::Type)?) } else { None };
                let value = if self.p.eat(Kind::Equal) { Some(self.p.attr(None)?) } else { None };
                (OpKind::Attribute { ty, value }, vec![Entity::Attr], self.keyword_dictionary()?)
            }
            "erase" => {
                let op = self.used_as(Entity::Op)?;
                (OpKind::Erase { op }, vec![], self.optional_dictionary()?)
            }
            "operand" => {
                let ty = if self.p.eat(Kind::Colon) { Some(self.used_as(Entity::Type)?) } else { None };
                (OpKind::Operand { ty }, vec![Entity::Value], self.optional_dictionary()?)
            }
            "operands" => {
                let types = if self.p.eat(Kind::Colon) { Some(self.used_as(Entity::Types)?) } else { None };
                (OpKind::Operands { types }, vec![Entity::Values], self.optional_dictionary()?)
            }
            "operation" => self.custom_operation()?,
            "range" => {
                let parts = if self.p.is(Kind::Percent) { self.typed_uses()? } else { Vec::new() };
                let kind = match parts.first() {
                    Some(&part) => range_of(self.kind(part)),
                    None => {
                        self.p.expect(Kind::Colon, "':' before the type of a range")?;
                        self.pdl_type()?
                    }
                };
                (OpKind::Range { parts }, vec![kind], self.optional_dictionary()?)
            }
            "replace" => {
                let op = self.used_as(Entity::Op)?;
                if !self.p.eat_keyword("with") {
                    return Err(self.p.expected("'with'"));
                }
                let values = self.optional_args()?;
                let by = if self.p.is(Kind::Percent) { Some(self.used_as(Entity::Op)?) } else { None };
                (OpKind::Replace { op, by, values }, vec![], self.optional_dictionary()?)
            }
            "result" => {
                let index = self.u32()?;
                let op = self.of_operation()?;
                (OpKind::Result { op, index }, vec![Entity::Value], self.optional_dictionary()?)
            }
            "results" => {
                let index = if self.p.is(Kind::Int) { Some(self.u32()?) } else { None };
                let op = self.of_operation()?;
                let kind = if index.is_some() {
                    self.p.expect(Kind::Arrow, "'->' before the type of a result group")?;
                    self.pdl_type()?
                } else {
                    Entity::Values
                };
                (OpKind::Results { op, index }, vec![kind], self.optional_dictionary()?)
            }
            "rewrite" => {
                let root = if self.p.is(Kind::Percent) { Some(self.used_as(Entity::Op)?) } else { None };
                let (mut external, mut args) = (None, Vec::new());
                if self.p.eat_keyword("with") {
                    external = Some(self.string("the name of a rewrite")?);
                    args = self.optional_args()?;
                }
                let body = if self.p.is(Kind::LBrace) { self.region(Some(id))? } else { None };
                (OpKind::Rewrite { root, external, args, body }, vec![], self.keyword_dictionary()?)
            }
            "type" => {
                let extra = self.optional_dictionary()?;
                let value = if self.p.eat(Kind::Colon) { Some(self.p.ty()?) } else { None };
                (OpKind::Type { value }, vec![Entity::Type], extra)
            }
            "types" => {
                let extra = self.optional_dictionary()?;
                let at = self.here();
                let values = if self.p.eat(Kind::Colon) {
                    let list = self.p.attr(None)?;
                    Some(self.type_array(list, at)?)
                } else {
                    None
                };
                (OpKind::Types { values }, vec![Entity::Types], extra)
            }
            _ => return Err(Box::new(error::unknown_op(name, self.p.token_span(token)))),
        })
    }

    fn of_operation(&mut self) -> Read<Use> {
        if !self.p.eat_keyword("of") {
            return Err(self.p.expected("'of'"));
        }
        self.used_as(Entity::Op)
    }

    fn custom_operation(&mut self) -> Read<Parts<'a>> {
        let name = if self.p.is(Kind::Str) { Some(self.string("a name")?) } else { None };
        let operands = self.optional_args()?;
        let (mut names, mut attributes) = (Vec::new(), Vec::new());
        if self.p.eat(Kind::LBrace) {
            loop {
                names.push(self.string("the name of an attribute")?);
                self.p.expect(Kind::Equal, "'='")?;
                attributes.push(self.used_as(Entity::Attr)?);
                if !self.p.eat(Kind::Comma) {
                    break;
                }
            }
            self.p.expect(Kind::RBrace, "'}' after attributes")?;
        }
        let types = if self.p.eat(Kind::Arrow) {
            self.p.expect(Kind::LParen, "'('")?;
            let types = self.typed_uses()?;
            self.p.expect(Kind::RParen, "')'")?;
            types
        } else {
            Vec::new()
        };
        let kind = self.operation(name, operands, names, attributes, types)?;
        Ok((kind, vec![Entity::Op], self.optional_dictionary()?))
    }

    fn operation(
        &self,
        name: Option<Cow<'a, str>>,
        operands: Vec<Use>,
        names: Vec<Cow<'a, str>>,
        attributes: Vec<Use>,
        types: Vec<Use>,
    ) -> Read<OpKind<'a>> {
        for &operand in &operands {
            self.check(operand, &[Entity::Value, Entity::Values], "a value or a range of values")?;
        }
        for &attribute in &attributes {
            self.check(attribute, &[Entity::Attr], "an attribute")?;
        }
        for &ty in &types {
            self.check(ty, &[Entity::Type, Entity::Types], "a type or a range of types")?;
        }
        Ok(OpKind::Operation { name, operands, names, attributes, types })
    }

    fn is_negated(&self, extra: Option<AttrId>) -> bool {
        let attr = extra.and_then(|extra| self.entry(extra, "isNegated"));
        matches!(attr.map(|attr| self.p.context.attr_kind(attr)),
            Some(AttrKind::Integer { value, .. }) if !value.is_zero())
    }

    fn type_array(&self, list: AttrId, at: Span) -> Read<Vec<crate::ir::TypeId>> {
        let wrong =
            || Box::new(error::missing_attribute("pdl.types", "constantTypes", "a list of types", at));
        let AttrKind::Array(items) = self.p.context.attr_kind(list) else { return Err(wrong()) };
        let ty = |&item| match *self.p.context.attr_kind(item) {
            AttrKind::Type(ty) => Ok(ty),
            _ => Err(wrong()),
        };
        items.iter().map(ty).collect()
    }

    fn entry(&self, dictionary: AttrId, name: &str) -> Option<AttrId> {
        let name = self.p.context.find_attr_name(name)?;
        self.p.context.entry(dictionary, name)
    }
}

/// The generic form.
impl<'a> Reader<'a> {
    fn generic(&mut self, id: OpId) -> Read<Parts<'a>> {
        let at = self.here();
        let name = self.string("an operation")?;
        self.p.expect(Kind::LParen, "'('")?;
        let mut uses = Vec::new();
        if !self.p.eat(Kind::RParen) {
            uses.push(self.used()?);
            while self.p.eat(Kind::Comma) {
                uses.push(self.used()?);
            }
            self.p.expect(Kind::RParen, "')'")?;
        }
        let properties = self.properties()?;
        let mut regions = Vec::new();
        if self.p.eat(Kind::LParen) {
            regions.push(self.region(Some(id))?);
            while self.p.eat(Kind::Comma) {
                regions.push(self.region(Some(id))?);
            }
            self.p.expect(Kind::RParen, "')'")?;
        }
        let extra = self.optional_dictionary()?;
        self.p.expect(Kind::Colon, "':' before the type of an operation")?;
        let types_at = self.here();
        let (inputs, results) = self.function_type()?;
        self.check_types(&uses, inputs.into_iter(), types_at)?;
        let Some(name) = name.strip_prefix("pdl.") else {
            return Ok((
                OpKind::Other,
                results.into_iter().map(|kind| kind.unwrap_or(Entity::Attr)).collect(),
                extra,
            ));
        };
        let Some(kinds) = results.into_iter().collect::<Option<Vec<Entity>>>() else {
            return Err(Box::new(error::not_a_pdl_type(types_at)));
        };
        if !regions.is_empty() && name != "rewrite" {
            return Err(Box::new(error::regions(name, at)));
        }
        let dictionaries = [properties, extra];
        let parts = Generic { at, name, dictionaries, uses, body: regions.pop().flatten() };
        let kind = self.generic_kind(parts, &kinds)?;
        Ok((kind, kinds, extra))
    }

    fn generic_kind(&self, mut parts: Generic<'_>, kinds: &[Entity]) -> Read<OpKind<'a>> {
        let at = parts.at;
        let full = format!("pdl.{}", parts.name);
        let expect = |wanted: &[Entity]| {
            if kinds == wanted {
                return Ok(());
            }
            Err(Box::new(error::wrong_count(
                "results of its kind",
                &wanted.len().to_string(),
                kinds.len(),
                at,
            )))
        };
        let one = |parts: &mut Generic<'_>, kind: Entity| {
            let found = parts.uses.len();
            let used = parts.uses.pop().filter(|_| found == 1);
            let used = used.ok_or_else(|| Box::new(error::wrong_count("operands", "1", found, at)))?;
            self.check(used, &[kind], crate::pdl::extension::pdl_type(kind))
        };
        let optional = |parts: &mut Generic<'_>, kind: Entity| {
            if parts.uses.is_empty() { Ok(None) } else { one(parts, kind).map(Some) }
        };
        Ok(match parts.name {
            "apply_native_constraint" => {
                let name = self.generic_string(&parts, &full, "name")?;
                let negated = parts.dictionaries.iter().any(|&dictionary| self.is_negated(dictionary));
                OpKind::Constraint { name, args: parts.uses, negated }
            }
            "apply_native_rewrite" => {
                OpKind::NativeRewrite { name: self.generic_string(&parts, &full, "name")?, args: parts.uses }
            }
            "attribute" => {
                expect(&[Entity::Attr])?;
                let value = self.generic_entry(&parts, "value");
                OpKind::Attribute { ty: optional(&mut parts, Entity::Type)?, value }
            }
            "erase" => {
                expect(&[])?;
                OpKind::Erase { op: one(&mut parts, Entity::Op)? }
            }
            "operand" => {
                expect(&[Entity::Value])?;
                OpKind::Operand { ty: optional(&mut parts, Entity::Type)? }
            }
            "operands" => {
                expect(&[Entity::Values])?;
                OpKind::Operands { types: optional(&mut parts, Entity::Types)? }
            }
            "operation" => {
                expect(&[Entity::Op])?;
                let [operands, attributes, types] = self.segments(&parts)?;
                let name = match self.generic_entry(&parts, "opName") {
                    Some(_) => Some(self.generic_string(&parts, &full, "opName")?),
                    None => None,
                };
                let names = self.attribute_names(&parts, &full)?;
                self.operation(name, operands, names, attributes, types)?
            }
            "range" => match *kinds {
                [Entity::Values | Entity::Types] => OpKind::Range { parts: parts.uses },
                _ => return Err(Box::new(error::not_a_pdl_type(at))),
            },
            "replace" => {
                expect(&[])?;
                let [op, by, values] = self.segments(&parts)?;
                let ([op], by @ ([] | [_])) = (op.as_slice(), by.as_slice()) else {
                    return Err(Box::new(error::bad_segments(at)));
                };
                let op = self.check(*op, &[Entity::Op], "an operation")?;
                let by = by.first().map(|&by| self.check(by, &[Entity::Op], "an operation")).transpose()?;
                for &value in &values {
                    self.check(value, &[Entity::Value, Entity::Values], "a value or a range of values")?;
                }
                OpKind::Replace { op, by, values }
            }
            "result" => {
                expect(&[Entity::Value])?;
                let index = self.generic_index(&parts, &full)?;
                let index = index.ok_or_else(|| {
                    Box::new(error::missing_attribute(&full, "index", "a number of 32 bits", at))
                })?;
                OpKind::Result { op: one(&mut parts, Entity::Op)?, index }
            }
            "results" => match *kinds {
                [Entity::Value | Entity::Values] => {
                    let index = self.generic_index(&parts, &full)?;
                    OpKind::Results { op: one(&mut parts, Entity::Op)?, index }
                }
                _ => return Err(Box::new(error::not_a_pdl_type(at))),
            },
            "rewrite" => {
                expect(&[])?;
                let [root, args] = self.segments(&parts)?;
                let root @ ([] | [_]) = root.as_slice() else {
                    return Err(Box::new(error::bad_segments(at)));
                };
                let root =
                    root.first().map(|&root| self.check(root, &[Entity::Op], "an operation")).transpose()?;
                let external = match self.generic_entry(&parts, "name") {
                    Some(_) => Some(self.generic_string(&parts, &full, "name")?),
                    None => None,
                };
                OpKind::Rewrite { root, external, args, body: parts.body }
            }
            "type" => {
                expect(&[Entity::Type])?;
                let value = match self.generic_entry(&parts, "constantType") {
                    None => None,
                    Some(attr) => match *self.p.context.attr_kind(attr) {
                        AttrKind::Type(ty) => Some(ty),
                        _ => {
                            return Err(Box::new(error::missing_attribute(
                                &full,
                                "constantType",
                                "a type",
                                at,
                            )));
                        }
                    },
                };
                OpKind::Type { value }
            }
            "types" => {
                expect(&[Entity::Types])?;
                let list = self.generic_entry(&parts, "constantTypes");
                OpKind::Types { values: list.map(|list| self.type_array(list, at)).transpose()? }
            }
            _ => return Err(Box::new(error::unknown_op(&full, at))),
        })
    }

    fn generic_entry(&self, parts: &Generic<'_>, name: &str) -> Option<AttrId> {
        parts.dictionaries.iter().flatten().find_map(|&dictionary| self.entry(dictionary, name))
    }

    fn text(&self, attr: AttrId) -> Option<Cow<'a, str>> {
        match self.p.context.attr_kind(attr) {
            AttrKind::String { text, .. } => Some(self.p.context.str(*text).to_owned().into()),
            _ => None,
        }
    }

    fn generic_string(&self, parts: &Generic<'_>, op: &str, name: &str) -> Read<Cow<'a, str>> {
        let text = self.generic_entry(parts, name).and_then(|attr| self.text(attr));
        text.ok_or_else(|| Box::new(error::missing_attribute(op, name, "a string", parts.at)))
    }

    fn attribute_names(&self, parts: &Generic<'_>, op: &str) -> Read<Vec<Cow<'a, str>>> {
        let names = self.generic_entry(parts, "attributeValueNames");
        let names = match names.map(|attr| self.p.context.attr_kind(attr)) {
            Some(AttrKind::Array(items)) => items.iter().map(|&item| self.text(item)).collect(),
            _ => None,
        };
        names.ok_or_else(|| {
            Box::new(error::missing_attribute(op, "attributeValueNames", "a list of strings", parts.at))
        })
    }

    fn generic_index(&self, parts: &Generic<'_>, op: &str) -> Read<Option<u32>> {
        let Some(attr) = self.generic_entry(parts, "index") else { return Ok(None) };
        let index = match self.p.context.attr_kind(attr) {
            AttrKind::Integer { value, .. } => value.to_i64().and_then(|value| u32::try_from(value).ok()),
            _ => None,
        };
        let wrong = || Box::new(error::missing_attribute(op, "index", "a number of 32 bits", parts.at));
        index.map(Some).ok_or_else(wrong)
    }

    /// The operands as the operation's groups.
    fn segments<const N: usize>(&self, parts: &Generic<'_>) -> Read<[Vec<Use>; N]> {
        let bad = || Box::new(error::bad_segments(parts.at));
        let attr = self.generic_entry(parts, "operandSegmentSizes").ok_or_else(bad)?;
        let AttrKind::DenseArray { element, data } = self.p.context.attr_kind(attr) else {
            return Err(bad());
        };
        if !matches!(self.p.context.type_kind(*element), TypeKind::Integer { width: 32, .. }) {
            return Err(bad());
        }
        let mut rest = parts.uses.as_slice();
        let mut groups = Vec::new();
        for bytes in data.chunks_exact(4) {
            let size = i32::from_le_bytes(bytes.try_into().map_err(|_| bad())?);
            let size = usize::try_from(size).map_err(|_| bad())?;
            let (group, more) = rest.split_at_checked(size).ok_or_else(bad)?;
            groups.push(group.to_vec());
            rest = more;
        }
        if !rest.is_empty() {
            return Err(bad());
        }
        groups.try_into().map_err(|_| bad())
    }
}

/// An operation in generic form, whose name is known to be `pdl`'s.
struct Generic<'n> {
    at: Span,
    /// Without `pdl.`.
    name: &'n str,
    /// Properties and attributes.
    dictionaries: [Option<AttrId>; 2],
    uses: Vec<Use>,
    body: Option<Vec<OpId>>,
}

/// The kind of a range that holds things of this kind.
pub(super) fn range_of(kind: Entity) -> Entity {
    match kind {
        Entity::Value => Entity::Values,
        Entity::Type => Entity::Types,
        Entity::Attr => Entity::Attrs,
        range => range,
    }
}

fn empty<'a>(span: Span) -> Pattern<'a> {
    Pattern {
        name: None,
        benefit: 0,
        benefit_span: span,
        extra: None,
        span,
        ops: IdVec::default(),
        body: Vec::new(),
        values: IdVec::default(),
    }
}

//! Parses types, attributes, locations and aliases.
//!
//! They are in one file because they contain each other.

use super::dialect_text::is_pretty;
use super::dimensions::Dimensions;
use super::lexer::{self, Token, TokenKind};
use super::parser::{Alias, DEPTH_LIMIT, Parser};
use crate::host::{AttrNameId, Signedness};
use crate::intern::StrId;
use crate::ir::attributes::{AttrKind, LocKind};
use crate::ir::context::Context;
use crate::ir::definitions::AttrTypeSource;
use crate::ir::elements::ElementKind;
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::{AttrId, LocId, TypeId};
use crate::ir::types::{DYNAMIC, TypeKind};
use crate::ir::verbatim::{AliasTarget, Spelling, Verbatim, VerbatimRef};
use crate::number::{FloatFormat, MAX_WIDTH};
use crate::plural::count;
use crate::snippet::{ParamDefault, ParamKind, Snippets};
use crate::source::{Diagnostic, Span};
use crate::stack::with_room;

impl<'a> Parser<'a> {
    /// Parses an attribute. If `ty` is given, it is the type of the attribute, and no type follows. The exception is
    /// the text of a dialect's attribute: a type can follow this text, and takes precedence over `ty`.
    pub(crate) fn attr(&mut self, ty: Option<TypeId>) -> ParseResult<AttrId> {
        let token = self.token;
        match token.kind {
            TokenKind::Int | TokenKind::Float => self.number(ty, false),
            TokenKind::Minus => {
                self.advance();
                if !matches!(self.token.kind, TokenKind::Int | TokenKind::Float) {
                    return Err(self.expected("a number after '-'"));
                }
                self.number(ty, true)
            }
            TokenKind::Str => {
                self.advance();
                let text = self.intern_string(token);
                let ty = match ty {
                    Some(ty) => Some(ty),
                    None if self.eat(TokenKind::Colon) => Some(self.ty()?),
                    None => None,
                };
                let ty = ty.filter(|&ty| ty != Context::NONE);
                Ok(self.context.intern_attr(AttrKind::String { text, ty }))
            }
            TokenKind::At => self.symbol_ref(),
            TokenKind::LSquare => self.nested(|p| {
                p.advance();
                let mut items = Vec::new();
                p.list_until(TokenKind::RSquare, "']' at the end of an array", |p| {
                    items.push(p.attr(None)?);
                    Ok(())
                })?;
                Ok(p.context.intern_attr(AttrKind::Array(items.into())))
            }),
            TokenKind::LBrace => self.dictionary(),
            TokenKind::Hash => self.nested(|p| p.extended_attr(ty)),
            TokenKind::Bare => self.keyword_attr(ty),
            TokenKind::Exclaim | TokenKind::LParen => {
                let ty = self.ty()?;
                Ok(self.context.intern_attr(AttrKind::Type(ty)))
            }
            _ => Err(self.expected("an attribute value")),
        }
    }

    fn keyword_attr(&mut self, ty: Option<TypeId>) -> ParseResult<AttrId> {
        let token = self.token;
        match self.slice(token) {
            b"unit" => {
                self.advance();
                Ok(Context::UNIT)
            }
            word @ (b"true" | b"false") => {
                self.advance();
                let value = word == b"true";
                if let Some(ty) = ty.filter(|&ty| ty != Context::I1) {
                    let span = self.token_span(token);
                    return Err(error::bad_literal_type(self.str(token), &self.context.brief_type(ty), span));
                }
                Ok(self.context.bool_attr(value))
            }
            b"loc" => {
                let loc = self.loc()?;
                Ok(self.context.intern_attr(AttrKind::Location(loc)))
            }
            b"dense" => self.nested(|p| p.dense(ty)),
            b"dense_resource" => {
                self.advance();
                self.expect(TokenKind::Less, "'<' after 'dense_resource'")?;
                let (key, _) = self.keyword_or_string("a resource key")?;
                let key = self.context.string(&key);
                self.expect(TokenKind::Greater, "'>' after a resource key")?;
                let at = self.token;
                let ty = self.colon_type(ty)?;
                let kind = self.context.type_kind(ty);
                if !kind.is_shaped() && !matches!(kind, TypeKind::Dialect(_)) {
                    return Err(error::not_shaped(self.token_span(at)));
                }
                Ok(self.context.intern_attr(AttrKind::DenseResource { ty, key }))
            }
            b"sparse" => self.nested(|p| p.sparse(ty)),
            b"array" => self.nested(Self::dense_array),
            b"affine_map" => {
                self.advance();
                self.expect(TokenKind::Less, "'<' after 'affine_map'")?;
                let map = self.affine_map()?;
                self.expect(TokenKind::Greater, "'>' after an affine map")?;
                Ok(self.context.intern_attr(AttrKind::AffineMap(map)))
            }
            b"affine_set" => {
                self.advance();
                self.expect(TokenKind::Less, "'<' after 'affine_set'")?;
                let set = self.integer_set()?;
                self.expect(TokenKind::Greater, "'>' after an integer set")?;
                Ok(self.context.intern_attr(AttrKind::IntegerSet(set)))
            }
            b"strided" => self.strided(),
            b"distinct" => self.nested(Self::distinct),
            _ => {
                let ty = self.ty()?;
                Ok(self.context.intern_attr(AttrKind::Type(ty)))
            }
        }
    }

    /// Parses `: type`, unless the type is given.
    pub(super) fn colon_type(&mut self, ty: Option<TypeId>) -> ParseResult<TypeId> {
        match ty {
            Some(ty) => Ok(ty),
            None => {
                self.expect(TokenKind::Colon, "':' and a type")?;
                self.ty()
            }
        }
    }

    fn symbol_ref(&mut self) -> ParseResult<AttrId> {
        let root = self.symbol()?;
        let mut nested = Vec::new();
        while self.is(TokenKind::ColonColon) {
            self.advance();
            nested.push(self.symbol()?);
        }
        Ok(self.context.intern_attr(AttrKind::SymbolRef { root, nested: nested.into() }))
    }

    fn symbol(&mut self) -> ParseResult<StrId> {
        let token = self.expect(TokenKind::At, "a symbol name")?;
        let name = self.symbol_name(token);
        Ok(self.context.string(&name))
    }

    fn extended_attr(&mut self, ty: Option<TypeId>) -> ParseResult<AttrId> {
        let token = self.token;
        match self.extended(token)? {
            Extended::Alias(AliasTarget::Attr(attr)) => Ok(attr),
            Extended::Alias(AliasTarget::Loc(loc)) => Ok(self.context.intern_attr(AttrKind::Location(loc))),
            Extended::Alias(AliasTarget::Type(_)) => {
                Err(error::alias_kind(self.str(token), "an attribute", self.token_span(token)))
            }
            Extended::Body(body) => {
                let stated = if self.eat(TokenKind::Colon) { Some(self.ty()?) } else { None };
                Ok(self.dialect_attr(body, stated.or(ty)))
            }
        }
    }

    /// The dialect attribute that has this text. `given` is the type that follows the text, or the type that the syntax
    /// around the attribute requires.
    pub(super) fn dialect_attr(&mut self, body: Verbatim, given: Option<TypeId>) -> AttrId {
        let ty = match self.context.attr_type_source(self.context.str(body.text)) {
            AttrTypeSource::Unknown => given,
            AttrTypeSource::After(default) => {
                given.or_else(|| self.context.parse_type(&default.filter(|text| text != "none")?).ok())
            }
            AttrTypeSource::Param(bodies, class, index) => {
                let untyped = self.context.intern_attr(AttrKind::Dialect { body: body.clone(), ty: None });
                match self.parsed_texts.types.get(&untyped) {
                    Some(known) => *known,
                    None => {
                        let ty = self.type_param(&bodies, class, index, untyped);
                        self.parsed_texts.types.insert(untyped, ty);
                        ty
                    }
                }
            }
            AttrTypeSource::Cxx | AttrTypeSource::Untyped => None,
        };
        let ty = ty.filter(|&ty| ty != Context::NONE);
        self.context.intern_attr(AttrKind::Dialect { body, ty })
    }

    /// The value of a type parameter of an attribute; `None` if it is unknown, for example because only C++ code can
    /// read the attribute.
    fn type_param(&mut self, bodies: &Snippets, class: StrId, index: usize, attr: AttrId) -> Option<TypeId> {
        let text = self.context.attr_text(attr);
        let param = bodies.body(class)?.params.get(index)?;
        let found = bodies.read_body(class, &text).ok()?.get(index).copied().flatten();
        let ty = match (found, param.default, param.kind) {
            (Some(text), _, ParamKind::Type(class)) => bodies.full_text(class, text),
            (Some(text), _, ParamKind::TypeOf(_)) => text.to_owned(),
            (None, Some(ParamDefault::Str(text)), _) => bodies.str(text).to_owned(),
            _ => return None,
        };
        self.context.parse_type(&ty).ok()
    }

    /// Parses `{name = value, …}`.
    pub(super) fn dictionary(&mut self) -> ParseResult<AttrId> {
        self.nested(|p| {
            let mut entries = Vec::new();
            p.dictionary_entries(&mut entries)?;
            Ok(p.context.dictionary(&mut entries))
        })
    }

    /// Parses the entries of a dictionary, including the braces.
    pub(super) fn dictionary_entries(&mut self, entries: &mut Vec<(AttrNameId, AttrId)>) -> ParseResult<()> {
        self.expect(TokenKind::LBrace, "'{'")?;
        // The names of the entries, if there are many.
        let mut names = hashbrown::HashSet::new();
        self.list_until(TokenKind::RBrace, "'}' at the end of a dictionary", |p| {
            let token = p.token;
            let name = match token.kind {
                TokenKind::Bare => {
                    let name = p.str(token);
                    p.context.attr_name(name)
                }
                TokenKind::Str => {
                    let name = p.string_value(token);
                    if name.is_empty() {
                        return Err(p.expected("a name of at least one character"));
                    }
                    p.context.attr_name(&name)
                }
                _ => return Err(p.expected("an attribute name")),
            };
            p.advance();
            let is_repeated = if entries.len() < 16 {
                entries.iter().any(|entry| entry.0 == name)
            } else {
                if names.is_empty() {
                    names.extend(entries.iter().map(|entry| entry.0));
                }
                !names.insert(name)
            };
            if is_repeated {
                return Err(p.duplicate_key(name, token));
            }
            let value = if p.eat(TokenKind::Equal) { p.attr(None)? } else { Context::UNIT };
            entries.push((name, value));
            Ok(())
        })
    }

    pub(super) fn duplicate_key(&self, name: AttrNameId, token: Token) -> Box<Diagnostic> {
        error::duplicate_key(self.context.attr_name_text(name), self.token_span(token))
    }

    // Numbers.

    fn number(&mut self, ty: Option<TypeId>, negative: bool) -> ParseResult<AttrId> {
        let token = self.token;
        self.advance();
        let ty = match ty {
            Some(ty) => ty,
            None if self.eat(TokenKind::Colon) => self.ty()?,
            None if token.kind == TokenKind::Float => Context::F64,
            None => Context::I64,
        };
        match ElementKind::of(self.context, ty) {
            Some(ElementKind::Int { width }) if token.kind == TokenKind::Int => {
                let value = self.integer_value(token, ty, width, negative)?;
                Ok(self.context.intern_attr(AttrKind::Integer { value, ty }))
            }
            Some(ElementKind::Float(format)) => {
                let value = self.float_value(token, format, negative)?;
                Ok(self.context.intern_attr(AttrKind::Float { value, ty }))
            }
            _ => {
                let span = self.token_span(token);
                Err(error::bad_literal_type(self.str(token), &self.context.brief_type(ty), span))
            }
        }
    }

    // Strided layouts and distinct attributes.

    fn strided(&mut self) -> ParseResult<AttrId> {
        self.advance();
        self.expect(TokenKind::Less, "'<' after 'strided'")?;
        self.expect(TokenKind::LSquare, "'[' before strides")?;
        let mut strides = Vec::new();
        self.list_until(TokenKind::RSquare, "']' after strides", |p| {
            strides.push(p.stride()?);
            Ok(())
        })?;
        let mut offset = 0;
        if self.eat(TokenKind::Comma) {
            if !self.eat_keyword("offset") {
                return Err(self.expected("'offset'"));
            }
            self.expect(TokenKind::Colon, "':' after 'offset'")?;
            offset = self.stride()?;
        }
        self.expect(TokenKind::Greater, "'>' after a strided layout")?;
        Ok(self.context.intern_attr(AttrKind::StridedLayout { strides: strides.into(), offset }))
    }

    fn stride(&mut self) -> ParseResult<i64> {
        if self.eat(TokenKind::Question) {
            return Ok(DYNAMIC);
        }
        // `DYNAMIC`, the smallest 64-bit number, represents `?`, so the text cannot state it.
        let token = self.token;
        let stride = self.i64("a number or '?'")?;
        if stride == DYNAMIC {
            return Err(error::expected("a number or '?'", self.token_span(token)));
        }
        Ok(stride)
    }

    fn distinct(&mut self) -> ParseResult<AttrId> {
        self.advance();
        self.expect(TokenKind::LSquare, "'[' after 'distinct'")?;
        let token = self.token;
        let id = match (token.kind, self.str(token).strip_prefix("0x")) {
            (TokenKind::Int, Some(digits)) => u64::from_str_radix(digits, 16).ok(),
            (TokenKind::Int, None) => self.str(token).parse().ok(),
            _ => None,
        };
        let id = id.ok_or_else(|| self.expected("a number that fits in 64 bits"))?;
        self.advance();
        self.expect(TokenKind::RSquare, "']' after a distinct number")?;
        self.expect(TokenKind::Less, "'<' in a distinct attribute")?;
        let referenced = if self.is(TokenKind::Greater) { Context::UNIT } else { self.attr(None)? };
        self.expect(TokenKind::Greater, "'>' at the end of a distinct attribute")?;
        let before = *self.distinct.entry(id).or_insert(referenced);
        if before != referenced {
            let text = self.context.brief_attr(before);
            return Err(error::distinct_twice(&text, self.token_span(token)));
        }
        Ok(self.context.intern_attr(AttrKind::Distinct { id, referenced }))
    }

    // Elements.

    /// Parses `dense<…> : type`.
    fn dense(&mut self, ty: Option<TypeId>) -> ParseResult<AttrId> {
        let start = self.token;
        self.advance();
        self.expect(TokenKind::Less, "'<' after 'dense'")?;
        let literal = self.literal(true)?;
        let end = self.expect(TokenKind::Greater, "'>' after elements")?.end;
        let at = self.token;
        let ty = self.colon_type(ty)?;
        if matches!(self.context.type_kind(ty), TypeKind::Dialect(_)) {
            let literal = self.tensor_literal(literal, ty, start);
            let written = || String::from_utf8_lossy(&self.text[start.start..end]).into_owned();
            let literal = literal.unwrap_or_else(written);
            let literal = self.context.string(&literal);
            return Ok(self.context.intern_attr(AttrKind::DialectElements { ty, literal }));
        }
        self.check_shaped(ty, at)?;
        self.dense_attr(literal, ty, start)
    }

    /// Parses `array<i32: 1, 2>`.
    fn dense_array(&mut self) -> ParseResult<AttrId> {
        self.advance();
        self.expect(TokenKind::Less, "'<' after 'array'")?;
        let at = self.token;
        let element = self.ty()?;
        self.dense_array_elements(element, at)
    }

    /// Parses `sparse<indices, values> : type`.
    fn sparse(&mut self, ty: Option<TypeId>) -> ParseResult<AttrId> {
        let start = self.token;
        self.advance();
        self.expect(TokenKind::Less, "'<' after 'sparse'")?;
        let literals = if self.is(TokenKind::Greater) {
            None
        } else {
            let indices = self.literal(false)?;
            self.expect(TokenKind::Comma, "',' between indices and values")?;
            Some((indices, self.literal(true)?))
        };
        self.expect(TokenKind::Greater, "'>' after sparse elements")?;
        let ty = self.colon_type(ty)?;
        self.sparse_elements(literals, ty, start)
    }

    // Types.

    /// Parses a type.
    pub(crate) fn ty(&mut self) -> ParseResult<TypeId> {
        let token = self.token;
        match token.kind {
            TokenKind::Bare => match self.slice(token) {
                b"i32" => {
                    self.advance();
                    Ok(Context::I32)
                }
                b"i1" => {
                    self.advance();
                    Ok(Context::I1)
                }
                b"i64" => {
                    self.advance();
                    Ok(Context::I64)
                }
                b"index" => {
                    self.advance();
                    Ok(Context::INDEX)
                }
                _ => self.plain_type(),
            },
            TokenKind::Exclaim => self.nested(Self::extended_type),
            TokenKind::LParen => self.nested(|p| {
                let (inputs, results) = p.function_type()?;
                Ok(p.context
                    .intern_type(TypeKind::Function { inputs: inputs.into(), results: results.into() }))
            }),
            _ => Err(self.expected("a type")),
        }
    }

    /// Parses a type that starts with a word. A type with a short text without aliases is stored, so that the same text
    /// is parsed once.
    fn plain_type(&mut self) -> ParseResult<TypeId> {
        let token = self.token;
        let at_angle = self.text.get(token.end) == Some(&b'<');
        let key = if at_angle {
            self.plain_body(token.end).map(|body| &self.text[token.start..token.end + body.len()])
        } else {
            Some(self.slice(token))
        };
        let Some(key) = key else { return self.named_type() };
        if let Some(&(known, levels)) = self.known_plain_types.get(key)
            && self.depth + levels <= DEPTH_LIMIT
        {
            self.deepest = self.deepest.max(self.depth + levels);
            self.reset(token.start + key.len());
            return Ok(known);
        }
        let deepest = std::mem::replace(&mut self.deepest, self.depth);
        let ty = self.named_type();
        let levels = self.deepest - self.depth;
        self.deepest = self.deepest.max(deepest);
        let ty = ty?;
        // If a `<` follows a type without parameters, such as `i32`, the type ends before the `<`, and the key is not
        // the text of the type.
        if self.text[..self.token.start].trim_ascii_end().len() == token.start + key.len() {
            self.known_plain_types.insert(key, (ty, levels));
        }
        Ok(ty)
    }

    /// Parses `(inputs) -> results`.
    pub(super) fn function_type(&mut self) -> ParseResult<(Vec<TypeId>, Vec<TypeId>)> {
        let mut inputs = Vec::new();
        self.expect(TokenKind::LParen, "'(' in a function type")?;
        self.list_until(TokenKind::RParen, "')' in a function type", |p| {
            inputs.push(p.ty()?);
            Ok(())
        })?;
        self.expect(TokenKind::Arrow, "'->' in a function type")?;
        Ok((inputs, self.result_types()?))
    }

    /// Parses a single type, or a list of types in parentheses.
    pub(super) fn result_types(&mut self) -> ParseResult<Vec<TypeId>> {
        let mut results = Vec::new();
        if self.eat(TokenKind::LParen) {
            self.list_until(TokenKind::RParen, "')' after result types", |p| {
                results.push(p.ty()?);
                Ok(())
            })?;
        } else {
            results.push(self.ty()?);
        }
        Ok(results)
    }

    fn named_type(&mut self) -> ParseResult<TypeId> {
        let token = self.token;
        let name = self.str(token);
        if let Some(format) = FloatFormat::from_name(name) {
            self.advance();
            return Ok(self.context.float(format));
        }
        if let Some((signedness, width)) = integer_name(name) {
            let width = width
                .filter(|&width| width <= MAX_WIDTH)
                .ok_or_else(|| error::integer_too_wide(MAX_WIDTH, self.token_span(token)))?;
            self.advance();
            return Ok(self.context.intern_type(TypeKind::Integer { width, signedness }));
        }
        if name == "none" {
            self.advance();
            return Ok(Context::NONE);
        }
        if !matches!(name, "complex" | "tensor" | "memref" | "vector" | "tuple" | "graph") {
            return Err(error::unknown_type(name, self.token_span(token)));
        }
        self.advance();
        self.nested(|p| {
            let less = p.expect(TokenKind::Less, "'<'")?;
            let kind = match name {
                "complex" => {
                    let at = p.token;
                    let element = p.ty()?;
                    if !matches!(p.context.type_kind(element), TypeKind::Integer { .. } | TypeKind::Float(_))
                    {
                        return Err(error::bad_element_type("complex", p.token_span(at)));
                    }
                    TypeKind::Complex(element)
                }
                "tuple" => {
                    let mut types = Vec::new();
                    if !p.is(TokenKind::Greater) {
                        loop {
                            types.push(p.ty()?);
                            if !p.eat(TokenKind::Comma) {
                                break;
                            }
                        }
                    }
                    TypeKind::Tuple(types.into())
                }
                "graph" => {
                    let (inputs, results) = p.function_type()?;
                    TypeKind::Graph { inputs: inputs.into(), results: results.into() }
                }
                "tensor" => p.tensor(less)?,
                "memref" => p.memref(less)?,
                _ => p.vector(less)?,
            };
            p.expect(TokenKind::Greater, "'>' at the end of a type")?;
            Ok(p.context.intern_type(kind))
        })
    }

    fn vector(&mut self, less: Token) -> ParseResult<TypeKind> {
        let start = self.token;
        let Dimensions { shape, scalable, ranked } = self.dimensions(less, true)?;
        if !ranked || shape.iter().any(|&size| size <= 0) {
            return Err(error::vector_dimension(self.token_span(start)));
        }
        let at = self.token;
        let element = self.ty()?;
        if !matches!(
            self.context.type_kind(element),
            TypeKind::Integer { .. } | TypeKind::Float(_) | TypeKind::Index | TypeKind::Dialect(_)
        ) {
            return Err(error::bad_element_type("vector", self.token_span(at)));
        }
        Ok(TypeKind::Vector { shape: shape.into(), scalable: scalable.into(), element })
    }

    /// Parses the element type of a tensor or memref.
    fn buffer_element(&mut self, what: &str, may_be_memref: bool) -> ParseResult<TypeId> {
        let at = self.token;
        let element = self.ty()?;
        let fits = match self.context.type_kind(element) {
            TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef { .. } => may_be_memref,
            TypeKind::RankedTensor { .. }
            | TypeKind::UnrankedTensor(_)
            | TypeKind::Function { .. }
            | TypeKind::Graph { .. }
            | TypeKind::Tuple(_)
            | TypeKind::None => false,
            _ => true,
        };
        if fits { Ok(element) } else { Err(error::bad_element_type(what, self.token_span(at))) }
    }

    fn tensor(&mut self, less: Token) -> ParseResult<TypeKind> {
        let Dimensions { shape, ranked, .. } = self.dimensions(less, false)?;
        let element = self.buffer_element("tensor", false)?;
        if !ranked {
            return Ok(TypeKind::UnrankedTensor(element));
        }
        let has_encoding = self.eat(TokenKind::Comma) && !self.is(TokenKind::Greater);
        let encoding = if has_encoding { Some(self.attr(None)?) } else { None };
        Ok(TypeKind::RankedTensor { shape: shape.into(), element, encoding })
    }

    fn memref(&mut self, less: Token) -> ParseResult<TypeKind> {
        let Dimensions { shape, ranked, .. } = self.dimensions(less, false)?;
        let element = self.buffer_element("memref", true)?;
        let (mut layout, mut memory_space) = (None, None);
        while self.eat(TokenKind::Comma) {
            let at = self.token;
            let attr = self.attr(None)?;
            let span = self.token_span(at);
            // An attribute of a dialect is a layout if a comma follows and no layout precedes it. The last of several
            // layouts wins.
            let is_layout = match self.context.attr_kind(attr) {
                AttrKind::AffineMap(_) | AttrKind::StridedLayout { .. } => true,
                AttrKind::Dialect { .. } => self.is(TokenKind::Comma) && layout.is_none(),
                _ => false,
            };
            if memory_space.is_some() {
                return Err(error::bad_layout("nothing may follow the memory space", span));
            }
            if !is_layout {
                let kind = self.context.attr_kind(attr);
                if !matches!(
                    kind,
                    AttrKind::Integer { .. }
                        | AttrKind::String { .. }
                        | AttrKind::Dictionary(_)
                        | AttrKind::Dialect { .. }
                ) {
                    return Err(error::memory_space(span));
                }
                memory_space = Some(attr);
                continue;
            }
            if !ranked {
                return Err(error::bad_layout("an unranked type has no layout", span));
            }
            self.check_layout(attr, shape.len(), span)?;
            layout = Some(attr);
        }
        let is_identity = |attr: &AttrId| match self.context.attr_kind(*attr) {
            AttrKind::AffineMap(map) => map.is_identity(),
            _ => false,
        };
        let is_default = |attr: &AttrId| match self.context.attr_kind(*attr) {
            AttrKind::Integer { value, .. } => value.is_zero(),
            _ => false,
        };
        let layout = layout.filter(|attr| !is_identity(attr));
        let memory_space = memory_space.filter(|attr| !is_default(attr));
        Ok(if ranked {
            TypeKind::MemRef { shape: shape.into(), element, layout, memory_space }
        } else {
            TypeKind::UnrankedMemRef { element, memory_space }
        })
    }

    fn check_layout(&self, attr: AttrId, rank: usize, span: Span) -> ParseResult<()> {
        match self.context.attr_kind(attr) {
            AttrKind::AffineMap(map) if map.dims as usize != rank => {
                let dims = count(map.dims, "dimension");
                Err(error::bad_layout(&format!("the map has {dims}, but the type has {rank}"), span))
            }
            AttrKind::StridedLayout { strides, .. } if strides.len() != rank => Err(error::bad_layout(
                &format!("there are {} strides for {rank} dimensions", strides.len()),
                span,
            )),
            _ => Ok(()),
        }
    }

    /// True if the current token can start a type.
    pub(super) fn starts_type(&self) -> bool {
        match self.token.kind {
            TokenKind::Exclaim | TokenKind::LParen => true,
            TokenKind::Bare => {
                let word = self.str(self.token);
                matches!(
                    word,
                    "index" | "none" | "complex" | "tensor" | "memref" | "vector" | "tuple" | "graph"
                ) || crate::number::FloatFormat::from_name(word).is_some()
                    || ["i", "si", "ui"].iter().any(|prefix| {
                        let digits = word.strip_prefix(prefix).unwrap_or("");
                        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
                    })
            }
            _ => false,
        }
    }

    fn extended_type(&mut self) -> ParseResult<TypeId> {
        let token = self.token;
        match self.extended(token)? {
            Extended::Alias(AliasTarget::Type(ty)) => Ok(ty),
            Extended::Alias(_) => Err(error::alias_kind(self.str(token), "a type", self.token_span(token))),
            Extended::Body(body) => Ok(self.context.intern_type(TypeKind::Dialect(body))),
        }
    }

    /// Parses a type, attribute or alias that starts with `!` or `#`. The type that can follow an attribute is not
    /// parsed.
    pub(super) fn extended_target(&mut self, token: Token) -> ParseResult<AliasTarget> {
        Ok(match (self.extended(token)?, token.kind) {
            (Extended::Alias(target), _) => target,
            (Extended::Body(body), TokenKind::Exclaim) => {
                AliasTarget::Type(self.context.intern_type(TypeKind::Dialect(body)))
            }
            (Extended::Body(body), _) => AliasTarget::Attr(self.dialect_attr(body, None)),
        })
    }

    /// Parses the alias or dialect text after a `!` or `#`.
    fn extended(&mut self, token: Token) -> ParseResult<Extended> {
        let name = &self.text[token.start + 1..token.end];
        let has_body = lexer::byte(self.text, token.end) == b'<';
        let Some(dot) = memchr::memchr(b'.', name) else {
            if has_body {
                self.check_namespace(name, token)?;
                return self.opaque_body(token);
            }
            self.advance();
            return self.alias(token).map(Extended::Alias);
        };
        self.check_namespace(&name[..dot], token)?;
        let end = if has_body { self.body_end(token.end)? } else { token.end };
        if let Some(body) = self.known_body(token, self.str(token), token.end, end)? {
            self.reset(end);
            return Ok(Extended::Body(body));
        }
        let inside = token.start + 1 + dot + 1;
        let body = if is_pretty(&self.text[inside..end]) {
            self.verbatim(token.start + 1, token.start + 1, end, "", "")?
        } else {
            // MLIR prints a body that is neither a name nor `name<…>` as `dialect<body>`.
            let dialect = format!("{}<", &self.str(token)[1..=dot]);
            self.verbatim(token.start, inside, end, &dialect, ">")?
        };
        self.reset(end);
        Ok(Extended::Body(body))
    }

    /// Parses `dialect<body>`, which is stored as `dialect.body` if both texts have the same meaning.
    fn opaque_body(&mut self, name: Token) -> ParseResult<Extended> {
        let open = name.end;
        let end = self.body_end(open)?;
        let inside = &self.text[open + 1..end - 1];
        let mnemonic = lexer::token(self.text, open + 1);
        if mnemonic.kind == TokenKind::Bare && mnemonic.end < end {
            let class = format!("{}.{}", self.str(name), self.str(mnemonic));
            if let Some(body) = self.known_body(name, &class, mnemonic.end, end - 1)? {
                self.reset(end);
                return Ok(Extended::Body(body));
            }
        }
        let body = if is_pretty(inside) {
            let dialect = format!("{}.", &self.str(name)[1..]);
            self.verbatim(name.start, open + 1, end - 1, &dialect, "")?
        } else {
            let dialect = self.str(name)[1..].to_owned();
            self.verbatim(name.start, open, end, &dialect, "")?
        };
        self.reset(end);
        Ok(Extended::Body(body))
    }

    /// The text from `start` to `end` between `prefix` and `suffix`, with its aliases. If the text is too long, the
    /// error points to the text from `from` to `end`.
    pub(super) fn verbatim(
        &mut self,
        from: usize,
        start: usize,
        end: usize,
        prefix: &str,
        suffix: &str,
    ) -> ParseResult<Verbatim> {
        let bytes = &self.text[start..end];
        let mut refs = Vec::new();
        let mut at = 0;
        let span = self.span(from, end);
        let offset = |at: usize| {
            u32::try_from(prefix.len() + at).map_err(|_| error::too_large("the length of the text", span))
        };
        while let Some(found) = memchr::memchr3(b'"', b'#', b'!', &bytes[at..]) {
            at += found;
            let token = lexer::token(bytes, at);
            match token.kind {
                TokenKind::Str => {}
                TokenKind::Hash | TokenKind::Exclaim
                    if !bytes[at..token.end].contains(&b'.') && lexer::byte(bytes, token.end) != b'<' =>
                {
                    let name = &self.text[start + at..start + token.end];
                    if let Some(target) = self.find_alias(name)? {
                        let (start, end) = (offset(at)?, offset(token.end)?);
                        refs.push(VerbatimRef { start, end, target, spelling: Spelling::Whole });
                    }
                }
                _ => {
                    at += 1;
                    continue;
                }
            }
            at = token.end;
        }
        let bytes = String::from_utf8_lossy(bytes);
        let text = if prefix.is_empty() {
            self.context.string(&bytes)
        } else {
            self.context.string(&format!("{prefix}{bytes}{suffix}"))
        };
        Ok(Verbatim { text, refs: refs.into() })
    }

    // Locations.

    /// Parses `loc(…)`.
    pub(crate) fn loc(&mut self) -> ParseResult<LocId> {
        if !self.eat_keyword("loc") {
            return Err(self.expected("a location"));
        }
        self.expect(TokenKind::LParen, "'(' in a location")?;
        let outer = std::mem::replace(&mut self.in_location, true);
        let loc = self.loc_body();
        self.in_location = outer;
        let loc = loc?;
        self.expect(TokenKind::RParen, "')' in a location")?;
        Ok(loc)
    }

    fn loc_body(&mut self) -> ParseResult<LocId> {
        self.nested(|p| {
            let token = p.token;
            match token.kind {
                TokenKind::Hash => {
                    let attr = p.attr(None)?;
                    match *p.context.attr_kind(attr) {
                        AttrKind::Location(loc) => Ok(loc),
                        AttrKind::Dialect { .. } => Ok(p.context.intern_loc(LocKind::Dialect(attr))),
                        _ => Err(error::alias_kind(p.str(token), "a location", p.token_span(token))),
                    }
                }
                TokenKind::Str => p.named_loc(),
                // If the alias of a location is expanded inside another location, the text has `loc(…)` inside
                // `loc(…)`.
                TokenKind::Bare if p.is_keyword("loc") => p.loc(),
                TokenKind::Bare if p.is_keyword("unknown") => {
                    p.advance();
                    Ok(Context::UNKNOWN)
                }
                TokenKind::Bare if p.is_keyword("callsite") => {
                    p.advance();
                    p.expect(TokenKind::LParen, "'(' after 'callsite'")?;
                    let callee = p.loc_body()?;
                    if !p.eat_keyword("at") {
                        return Err(p.expected("'at' in a call site"));
                    }
                    let caller = p.loc_body()?;
                    p.expect(TokenKind::RParen, "')' after a call site")?;
                    Ok(p.context.intern_loc(LocKind::CallSite { callee, caller }))
                }
                TokenKind::Bare if p.is_keyword("fused") => p.fused_loc(),
                _ => Err(p.expected("a location")),
            }
        })
    }

    fn fused_loc(&mut self) -> ParseResult<LocId> {
        self.advance();
        let metadata = if self.eat(TokenKind::Less) {
            let metadata = self.attr(None)?;
            self.expect(TokenKind::Greater, "'>' after the metadata of a location")?;
            Some(metadata)
        } else {
            None
        };
        self.expect(TokenKind::LSquare, "'[' in a fused location")?;
        let mut locations = Vec::new();
        self.list_until(TokenKind::RSquare, "']' after a fused location", |p| {
            locations.push(p.loc_body()?);
            Ok(())
        })?;
        Ok(self.context.fuse(&locations, metadata))
    }

    /// Parses `"file":line:column`, a range of such positions, or `"name"(child)`.
    fn named_loc(&mut self) -> ParseResult<LocId> {
        let token = self.token;
        self.advance();
        let name = self.intern_string(token);
        if !self.eat(TokenKind::Colon) {
            let child = if self.eat(TokenKind::LParen) {
                let child = self.loc_body()?;
                self.expect(TokenKind::RParen, "')' after the child of a location")?;
                child
            } else {
                Context::UNKNOWN
            };
            return Ok(self.context.intern_loc(LocKind::Name { name, child }));
        }
        let line = self.u32("a line number")?;
        // A location without a column has column 0.
        let column = if self.eat(TokenKind::Colon) { Some(self.u32("a column number")?) } else { None };
        let whole_line = column.is_none();
        let column = column.unwrap_or(0);
        if whole_line || !self.eat_keyword("to") {
            // MLIR replaces an empty file name by `-` if the location has a column.
            let is_unnamed = !whole_line && self.context.str(name).is_empty();
            let name = if is_unnamed { self.context.string("-") } else { name };
            return Ok(self.context.intern_loc(LocKind::FileLineCol { file: name, line, column }));
        }
        let end_line = if self.is(TokenKind::Int) { self.u32("a line number")? } else { line };
        self.expect(TokenKind::Colon, "':' before a column number")?;
        let end_column = self.u32("a column number")?;
        let (start, end) = ((line, column), (end_line, end_column));
        Ok(self.context.intern_loc(LocKind::FileRange { file: name, start, end }))
    }

    /// Parses an optional ` loc(…)` after an operation or argument.
    pub(super) fn trailing_loc(&mut self) -> ParseResult<Option<LocId>> {
        if self.is_keyword("loc") { self.loc().map(Some) } else { Ok(None) }
    }

    // Aliases.

    /// Parses `#name = value` or `!name = type` at the top level.
    pub(crate) fn alias_definition(&mut self) -> ParseResult<(&'a [u8], AliasTarget)> {
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
        self.expect(TokenKind::Equal, "'=' in an alias definition")?;
        let (target, height) = self.alias_value(name)?;
        self.aliases.insert(name, Alias::Defined(target, token.start, height));
        Ok((name, target))
    }

    /// Parses the value of an alias. Also returns the depth of the value, because the depth limit applies to expanded
    /// aliases.
    fn alias_value(&mut self, name: &[u8]) -> ParseResult<(AliasTarget, u32)> {
        let outer = std::mem::replace(&mut self.deepest, self.depth);
        let target = if name[0] == b'!' {
            AliasTarget::Type(self.ty()?)
        } else {
            let attr = self.attr(None)?;
            match *self.context.attr_kind(attr) {
                AttrKind::Location(loc) => AliasTarget::Loc(loc),
                _ => AliasTarget::Attr(attr),
            }
        };
        let height = self.deepest - self.depth;
        self.deepest = self.deepest.max(outer);
        Ok((target, height))
    }

    /// The target of an alias that is defined anywhere in the text.
    pub(super) fn find_alias(&mut self, name: &'a [u8]) -> ParseResult<Option<AliasTarget>> {
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
                // A chain of aliases adds no nesting depth, but parsing it recurses.
                if self.reading >= DEPTH_LIMIT {
                    return Err(error::too_deep(DEPTH_LIMIT, self.token_span(self.token)));
                }
                self.aliases.insert(name, Alias::Busy);
                let (here, depth) = (self.token, self.depth);
                self.reset(at + name.len());
                self.expect(TokenKind::Equal, "'=' in an alias definition")?;
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

    fn alias(&mut self, token: Token) -> ParseResult<AliasTarget> {
        let name = self.slice(token);
        let later =
            !self.in_location && !matches!(self.aliases.get(name), Some(Alias::Defined(..) | Alias::Busy));
        match if later { None } else { self.find_alias(name)? } {
            Some(target) => Ok(target),
            None => Err(error::undefined_alias(self.str(token), self.token_span(token))),
        }
    }

    /// Finds the alias definitions after the current token: lines that start with an alias and `=`.
    fn scan_aliases(&mut self) {
        let text = self.text;
        let here = self.token.start;
        let starts = memchr::memchr_iter(b'\n', &text[here..]).map(|at| here + at + 1);
        for start in starts {
            if !matches!(lexer::byte(text, start), b'#' | b'!') {
                continue;
            }
            let name = lexer::token(text, start);
            if !matches!(name.kind, TokenKind::Hash | TokenKind::Exclaim)
                || lexer::token(text, name.end).kind != TokenKind::Equal
            {
                continue;
            }
            self.aliases.entry(&text[name.start..name.end]).or_insert(Alias::At(start));
        }
    }
}

/// The number of nesting levels that the parser enters at a reference to an alias before it looks up the alias. The
/// depth of the alias's value includes these levels.
fn reference_levels(is_location: bool) -> u32 {
    if is_location { 2 } else { 1 }
}

/// The text after a `!` or `#`.
enum Extended {
    Alias(AliasTarget),
    Body(Verbatim),
}

/// The signedness and width in the name of an integer type; no width if it does not fit in 32 bits.
fn integer_name(name: &str) -> Option<(Signedness, Option<u32>)> {
    let (signedness, digits) = if let Some(digits) = name.strip_prefix('i') {
        (Signedness::Signless, digits)
    } else if let Some(digits) = name.strip_prefix("si") {
        (Signedness::Signed, digits)
    } else {
        (Signedness::Unsigned, name.strip_prefix("ui")?)
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| (signedness, digits.parse().ok()))
}

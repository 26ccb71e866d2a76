//! Attributes.

use super::lexer::{Kind, Token};
use super::types::Extended;
use super::{AliasTarget, Parser};
use crate::host::Signedness;
use crate::ir::elements::ElementKind;
use crate::ir::error::{self, Parsed};
use crate::ir::{AttrId, AttrKind, AttrNameId, Context, DYNAMIC, TypeId, TypeKind};
use crate::number::{ApFloat, ApInt, FloatFormat};
use crate::source::Span;

impl<'a> Parser<'a> {
    /// An attribute; `ty` is its type where the place gives it, so that none is read.
    pub(crate) fn attr(&mut self, ty: Option<TypeId>) -> Parsed<AttrId> {
        let token = self.token;
        match token.kind {
            Kind::Int | Kind::Float => self.number(ty, false),
            Kind::Minus => {
                self.advance();
                if !matches!(self.token.kind, Kind::Int | Kind::Float) {
                    return Err(self.expected("a number after '-'"));
                }
                self.number(ty, true)
            }
            Kind::Str => {
                self.advance();
                let text = self.intern_string(token);
                let ty = match ty {
                    Some(ty) => Some(ty),
                    None if self.eat(Kind::Colon) => Some(self.ty()?),
                    None => None,
                };
                let ty = ty.filter(|&ty| ty != Context::NONE);
                Ok(self.context.intern_attr(AttrKind::String { text, ty }))
            }
            Kind::At => self.symbol_ref(),
            Kind::LSquare => self.nested(|p| {
                p.advance();
                let mut items = Vec::new();
                p.list_until(Kind::RSquare, "']' at the end of an array", |p| {
                    items.push(p.attr(None)?);
                    Ok(())
                })?;
                Ok(p.context.intern_attr(AttrKind::Array(items.into())))
            }),
            Kind::LBrace => self.dictionary(),
            Kind::Hash => self.nested(|p| p.extended_attr(ty)),
            Kind::Bare => self.keyword_attr(ty),
            Kind::Exclaim | Kind::LParen => {
                let ty = self.ty()?;
                Ok(self.context.intern_attr(AttrKind::Type(ty)))
            }
            _ => Err(self.expected("an attribute value")),
        }
    }

    fn keyword_attr(&mut self, ty: Option<TypeId>) -> Parsed<AttrId> {
        let token = self.token;
        match self.slice(token) {
            b"unit" => {
                self.advance();
                Ok(Context::UNIT)
            }
            word @ (b"true" | b"false") => {
                self.advance();
                let value = word == b"true";
                if ty.is_some_and(|ty| ty != Context::I1) {
                    let span = self.token_span(token);
                    return Err(error::bad_literal_type(self.str(token), "other than i1", span));
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
                self.expect(Kind::Less, "'<' after 'dense_resource'")?;
                let (key, _) = self.keyword_or_string("a resource key")?;
                let key = self.context.string(&key);
                self.expect(Kind::Greater, "'>' after a resource key")?;
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
                self.expect(Kind::Less, "'<' after 'affine_map'")?;
                let map = self.affine_map()?;
                self.expect(Kind::Greater, "'>' after an affine map")?;
                Ok(self.context.intern_attr(AttrKind::AffineMap(map)))
            }
            b"affine_set" => {
                self.advance();
                self.expect(Kind::Less, "'<' after 'affine_set'")?;
                let set = self.integer_set()?;
                self.expect(Kind::Greater, "'>' after an integer set")?;
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

    /// `: type`, or the type that the place gives.
    pub(super) fn colon_type(&mut self, ty: Option<TypeId>) -> Parsed<TypeId> {
        match ty {
            Some(ty) => Ok(ty),
            None => {
                self.expect(Kind::Colon, "':' and a type")?;
                self.ty()
            }
        }
    }

    /// Elements have a shaped type of which every size is known.
    pub(super) fn check_shaped(&self, ty: TypeId, token: Token) -> Parsed<()> {
        match self.context.type_kind(ty).element_count() {
            Some(_) => Ok(()),
            None => Err(error::static_shape(self.token_span(token))),
        }
    }

    fn symbol_ref(&mut self) -> Parsed<AttrId> {
        let root = self.symbol()?;
        let mut nested = Vec::new();
        while self.is(Kind::ColonColon) {
            self.advance();
            nested.push(self.symbol()?);
        }
        Ok(self.context.intern_attr(AttrKind::SymbolRef { root, nested: nested.into() }))
    }

    fn symbol(&mut self) -> Parsed<crate::intern::StrId> {
        let token = self.expect(Kind::At, "a symbol name")?;
        let name = self.symbol_name(token);
        Ok(self.context.string(&name))
    }

    fn extended_attr(&mut self, ty: Option<TypeId>) -> Parsed<AttrId> {
        let token = self.token;
        match self.extended(token)? {
            Extended::Alias(AliasTarget::Attr(attr)) => Ok(attr),
            Extended::Alias(AliasTarget::Loc(loc)) => Ok(self.context.intern_attr(AttrKind::Location(loc))),
            Extended::Alias(AliasTarget::Type(_)) => {
                Err(error::alias_kind(self.str(token), "an attribute", self.token_span(token)))
            }
            Extended::Body(body) => {
                let stated = if self.eat(Kind::Colon) { Some(self.ty()?) } else { None };
                let ty = stated.or(ty).filter(|&ty| ty != Context::NONE);
                Ok(self.context.intern_attr(AttrKind::Dialect { body, ty }))
            }
        }
    }

    /// `{name = value, …}`
    pub(super) fn dictionary(&mut self) -> Parsed<AttrId> {
        self.nested(|p| {
            let mut entries = Vec::new();
            p.dictionary_entries(&mut entries)?;
            Ok(p.context.dictionary(&mut entries))
        })
    }

    /// The entries of a dictionary, braces included.
    pub(super) fn dictionary_entries(&mut self, entries: &mut Vec<(AttrNameId, AttrId)>) -> Parsed<()> {
        self.expect(Kind::LBrace, "'{'")?;
        self.list_until(Kind::RBrace, "'}' at the end of a dictionary", |p| {
            let token = p.token;
            let name = match token.kind {
                Kind::Bare => {
                    let name = p.str(token);
                    p.context.attr_name(name)
                }
                Kind::Str => {
                    let name = p.string_value(token);
                    if name.is_empty() {
                        return Err(p.expected("a name of at least one character"));
                    }
                    p.context.attr_name(&name)
                }
                _ => return Err(p.expected("an attribute name")),
            };
            p.advance();
            // A long dictionary that repeats a name is found when it is sorted; short ones at once.
            if entries.len() < 16 && entries.iter().any(|entry| entry.0 == name) {
                return Err(p.duplicate_key(name, token));
            }
            let value = if p.eat(Kind::Equal) { p.attr(None)? } else { Context::UNIT };
            entries.push((name, value));
            Ok(())
        })?;
        if entries.len() > 16 {
            let mut seen = hashbrown::HashSet::with_capacity(entries.len());
            let mut repeated = entries.iter().filter(|entry| !seen.insert(entry.0));
            if let Some(entry) = repeated.next() {
                return Err(self.duplicate_key(entry.0, self.token));
            }
        }
        Ok(())
    }

    fn duplicate_key(&self, name: AttrNameId, token: Token) -> Box<crate::source::Diagnostic> {
        error::duplicate_key(self.context.attr_name_text(name), self.token_span(token))
    }

    // Numbers.

    fn number(&mut self, ty: Option<TypeId>, negative: bool) -> Parsed<AttrId> {
        let token = self.token;
        self.advance();
        let ty = match ty {
            Some(ty) => ty,
            None if self.eat(Kind::Colon) => self.ty()?,
            None if token.kind == Kind::Float => Context::F64,
            None => Context::I64,
        };
        match ElementKind::of(self.context, ty) {
            Some(ElementKind::Int { width }) if token.kind == Kind::Int => {
                let value = self.integer_value(token, ty, width, negative)?;
                Ok(self.context.intern_attr(AttrKind::Integer { value, ty }))
            }
            Some(ElementKind::Float(format)) => {
                let value = self.float_value(token, format, negative)?;
                Ok(self.context.intern_attr(AttrKind::Float { value, ty }))
            }
            _ => {
                if let TypeKind::Integer { width: 0, signedness } = *self.context.type_kind(ty)
                    && token.kind == Kind::Int
                {
                    return self.no_bits(token, ty, signedness, negative);
                }
                let span = self.token_span(token);
                Err(error::bad_literal_type(self.str(token), &self.context.brief_type(ty), span))
            }
        }
    }

    /// An integer of no bits: it is 0.
    fn no_bits(
        &mut self,
        token: Token,
        ty: TypeId,
        signedness: Signedness,
        negative: bool,
    ) -> Parsed<AttrId> {
        let span = self.token_span(token);
        if negative && signedness == Signedness::Unsigned {
            return Err(error::negative_unsigned(span));
        }
        let digits = self.str(token).strip_prefix("0x").unwrap_or(self.str(token));
        if negative || digits.bytes().any(|digit| digit != b'0') {
            return Err(error::integer_out_of_range(span));
        }
        Ok(self.context.intern_attr(AttrKind::Integer { value: ApInt::zero(0), ty }))
    }

    /// The value of an integer token in a type of `width` bits.
    pub(super) fn integer_value(
        &self,
        token: Token,
        ty: TypeId,
        width: u32,
        negative: bool,
    ) -> Parsed<ApInt> {
        if negative
            && matches!(
                self.context.type_kind(ty),
                TypeKind::Integer { signedness: Signedness::Unsigned, .. }
            )
        {
            return Err(error::negative_unsigned(self.token_span(token)));
        }
        self.integer_bits(token, ty, width, negative)
    }

    /// As [`Parser::integer_value`]; of an unsigned type, negative numbers are those that the bits would be if it were
    /// signed.
    pub(super) fn integer_bits(&self, token: Token, ty: TypeId, width: u32, negative: bool) -> Parsed<ApInt> {
        let out_of_range = || error::integer_out_of_range(self.token_span(token));
        let value = ApInt::parse(width, self.str(token)).ok_or_else(out_of_range)?;
        if negative {
            let value = value.wrapping_neg();
            return if value.is_negative() { Ok(value) } else { Err(out_of_range()) };
        }
        let signed = matches!(
            self.context.type_kind(ty),
            TypeKind::Integer { signedness: Signedness::Signed, .. } | TypeKind::Index
        );
        if signed && value.is_negative() { Err(out_of_range()) } else { Ok(value) }
    }

    /// The value of a number token in a float format; hexadecimal digits are its bits.
    pub(super) fn float_value(&self, token: Token, format: FloatFormat, negative: bool) -> Parsed<ApFloat> {
        let span = self.token_span(token);
        let text = self.str(token);
        if token.kind == Kind::Float {
            // As MLIR does: by way of a double, whatever the format; what is too large for one is infinite.
            let value: f64 = text.parse().unwrap_or(f64::INFINITY);
            return Ok(ApFloat::from_f64(format, if negative { -value } else { value }));
        }
        let Some(hex) = text.strip_prefix("0x") else {
            return Err(error::decimal_for_float(span));
        };
        if negative {
            return Err(error::float_bits_too_wide(span));
        }
        match u128::from_str_radix(hex, 16) {
            Ok(bits) if format.width() == 128 || bits >> format.width() == 0 => {
                Ok(ApFloat::from_bits(format, bits))
            }
            _ => Err(error::float_bits_too_wide(span)),
        }
    }

    // Layouts and others.

    fn strided(&mut self) -> Parsed<AttrId> {
        self.advance();
        self.expect(Kind::Less, "'<' after 'strided'")?;
        self.expect(Kind::LSquare, "'[' before strides")?;
        let mut strides = Vec::new();
        self.list_until(Kind::RSquare, "']' after strides", |p| {
            strides.push(p.stride()?);
            Ok(())
        })?;
        let mut offset = 0;
        if self.eat(Kind::Comma) {
            if !self.eat_keyword("offset") {
                return Err(self.expected("'offset'"));
            }
            self.expect(Kind::Colon, "':' after 'offset'")?;
            offset = self.stride()?;
        }
        self.expect(Kind::Greater, "'>' after a strided layout")?;
        Ok(self.context.intern_attr(AttrKind::StridedLayout { strides: strides.into(), offset }))
    }

    fn stride(&mut self) -> Parsed<i64> {
        if self.eat(Kind::Question) {
            return Ok(DYNAMIC);
        }
        // The smallest number stands for '?' and has no spelling of its own.
        let token = self.token;
        let stride = self.i64("a number or '?'")?;
        if stride == DYNAMIC {
            return Err(error::expected("a number or '?'", self.token_span(token)));
        }
        Ok(stride)
    }

    fn distinct(&mut self) -> Parsed<AttrId> {
        self.advance();
        self.expect(Kind::LSquare, "'[' after 'distinct'")?;
        let token = self.token;
        let id = match (token.kind, self.str(token).strip_prefix("0x")) {
            (Kind::Int, Some(digits)) => u64::from_str_radix(digits, 16).ok(),
            (Kind::Int, None) => self.str(token).parse().ok(),
            _ => None,
        };
        let id = id.ok_or_else(|| self.expected("a number that fits in 64 bits"))?;
        self.advance();
        self.expect(Kind::RSquare, "']' after a distinct number")?;
        self.expect(Kind::Less, "'<' in a distinct attribute")?;
        let referenced = if self.is(Kind::Greater) { Context::UNIT } else { self.attr(None)? };
        self.expect(Kind::Greater, "'>' at the end of a distinct attribute")?;
        let before = *self.distinct.entry(id).or_insert(referenced);
        if before != referenced {
            let text = self.context.brief_attr(before);
            return Err(error::distinct_twice(&text, self.token_span(token)));
        }
        Ok(self.context.intern_attr(AttrKind::Distinct { id, referenced }))
    }

    /// A span from a token to where the parser is now.
    pub(super) fn span_from(&self, start: Token) -> Span {
        self.span(start.start, self.token.start)
    }
}

//! Dense and sparse elements.
//!
//! A literal precedes its type, so the parser first collects the tokens of the literal, and converts them when the type
//! is known.

use super::lexer::{Token, TokenKind};
use super::parser::Parser;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::elements::{self, ElementKind};
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;
use crate::number::ApInt;
use crate::plural;
use crate::snippet::{IntTy, boolean_of, integer_of};

/// A literal, whose type is not known yet.
pub(super) enum ElementsLiteral {
    /// A string: hexadecimal digits, or a single element.
    Text(Token),
    /// A single element, or a list in brackets.
    Elements {
        /// The lengths of the nested lists; `None` for a single element or for no element.
        shape: Option<Vec<u64>>,
        items: Vec<ElementLiteral>,
    },
}

/// A number, Boolean or string.
#[derive(Clone, Copy)]
pub(super) struct ElementLiteral {
    negative: bool,
    /// True for the second part of a complex number.
    second: bool,
    token: Token,
}

impl Parser<'_> {
    /// Requires a shaped type with static sizes.
    pub(super) fn check_shaped(&self, ty: TypeId, token: Token) -> ParseResult<()> {
        match self.context.type_kind(ty).element_count() {
            Some(_) => Ok(()),
            None => Err(error::static_shape(self.token_span(token))),
        }
    }

    pub(super) fn literal(&mut self, allow_hex: bool) -> ParseResult<ElementsLiteral> {
        match self.token.kind {
            TokenKind::Str if allow_hex => {
                let token = self.token;
                self.advance();
                Ok(ElementsLiteral::Text(token))
            }
            TokenKind::Greater => Ok(ElementsLiteral::Elements { shape: None, items: Vec::new() }),
            TokenKind::LSquare => {
                let mut items = Vec::new();
                let shape = self.literal_list(&mut items)?;
                Ok(ElementsLiteral::Elements { shape: Some(shape), items })
            }
            _ => {
                let mut items = Vec::new();
                self.literal_element(&mut items)?;
                Ok(ElementsLiteral::Elements { shape: None, items })
            }
        }
    }

    /// Parses a list in brackets, and returns its shape.
    fn literal_list(&mut self, items: &mut Vec<ElementLiteral>) -> ParseResult<Vec<u64>> {
        self.nested(|p| {
            let open = p.token;
            p.advance();
            let mut size = 0u64;
            let mut inner: Option<Vec<u64>> = None;
            p.list_until(TokenKind::RSquare, "']' at the end of a list", |p| {
                let shape = if p.is(TokenKind::LSquare) {
                    p.literal_list(items)?
                } else {
                    p.literal_element(items)?;
                    Vec::new()
                };
                size += 1;
                match &inner {
                    Some(known) if *known != shape => Err(error::ragged_list(p.span_from(open))),
                    Some(_) => Ok(()),
                    None => {
                        inner = Some(shape);
                        Ok(())
                    }
                }
            })?;
            let mut shape = vec![size];
            shape.extend(inner.unwrap_or_default());
            Ok(shape)
        })
    }

    fn literal_element(&mut self, items: &mut Vec<ElementLiteral>) -> ParseResult<()> {
        if self.eat(TokenKind::LParen) {
            self.literal_number(items, false)?;
            self.expect(TokenKind::Comma, "',' between the parts of a complex number")?;
            self.literal_number(items, true)?;
            return self.expect(TokenKind::RParen, "')' after a complex number").map(drop);
        }
        self.literal_number(items, false)
    }

    fn literal_number(&mut self, items: &mut Vec<ElementLiteral>, second: bool) -> ParseResult<()> {
        let negative = self.eat(TokenKind::Minus);
        let token = self.token;
        let fits = match token.kind {
            TokenKind::Int | TokenKind::Float => true,
            TokenKind::Str => !negative,
            TokenKind::Bare => !negative && matches!(self.slice(token), b"true" | b"false"),
            _ => false,
        };
        if !fits {
            return Err(self.expected("an element literal"));
        }
        self.advance();
        items.push(ElementLiteral { negative, second, token });
        Ok(())
    }

    /// The text of a literal, as MLIR prints it. Returns `None` if the dialect's type `ty` has no text like
    /// `!dialect.name<2xf32>`, or if the literal does not fit the shape and element type in this text.
    pub(super) fn tensor_literal(
        &mut self,
        literal: ElementsLiteral,
        ty: TypeId,
        start: Token,
    ) -> Option<String> {
        let text = self.context.type_text(ty);
        let (_, shape) = text.split_once('<').filter(|(_, shape)| !shape.contains(','))?;
        let tensor = self.context.parse_type(&format!("tensor<{shape}")).ok()?;
        let attr = self.dense_attr(literal, tensor, start).ok()?;
        let (text, tensor) = (self.context.attr_text(attr), self.context.type_text(tensor));
        Some(text.strip_suffix(&tensor)?.strip_suffix(" : ")?.to_owned())
    }

    pub(super) fn dense_attr(
        &mut self,
        literal: ElementsLiteral,
        ty: TypeId,
        start: Token,
    ) -> ParseResult<AttrId> {
        let kind = self.context.type_kind(ty).clone();
        let (Some(element), Some(count), Some(shape)) = (kind.element(), kind.element_count(), kind.shape())
        else {
            return Err(error::static_shape(self.token_span(start)));
        };
        let element_kind = ElementKind::of(self.context, element);
        let items = match (literal, element_kind) {
            (ElementsLiteral::Text(token), Some(kind)) => return self.hex_elements(token, ty, kind, count),
            (ElementsLiteral::Text(token), None) => {
                let text = self.intern_string(token);
                return Ok(self.context.intern_attr(AttrKind::DenseStrings { ty, elements: [text].into() }));
            }
            (ElementsLiteral::Elements { shape: listed, items }, _) => {
                let sizes = shape.iter().map(|&size| u64::try_from(size).ok());
                if let Some(listed) = listed
                    && !sizes.eq(listed.iter().map(|&size| Some(size)))
                {
                    let join = |sizes: &mut dyn Iterator<Item = String>| sizes.collect::<Vec<_>>().join(", ");
                    return Err(error::literal_shape(
                        &join(&mut listed.iter().map(u64::to_string)),
                        &join(&mut shape.iter().map(i64::to_string)),
                        self.token_span(start),
                    ));
                }
                if items.is_empty() && count > 0 {
                    let text = self.context.brief_type(ty);
                    return Err(error::no_elements(&text, self.token_span(start)));
                }
                items
            }
        };
        let Some(element_kind) = element_kind else {
            return self.string_elements(&items, ty, element);
        };
        let mut data = Vec::new();
        let complex = element_kind != element_kind.part();
        let part_type = if complex { self.context.type_kind(element).element() } else { Some(element) };
        let part_type = part_type.unwrap_or(element);
        let mut expect_second = false;
        for item in &items {
            if item.second != expect_second {
                return Err(self.element_type_error(item, element));
            }
            let is_pair_start = complex && !item.second;
            self.push_element(&mut data, item, part_type, element_kind.part())?;
            expect_second = is_pair_start;
        }
        // An element of a complex type must be a pair in parentheses.
        if expect_second {
            let item = items.last().copied().unwrap_or(ElementLiteral {
                negative: false,
                second: false,
                token: start,
            });
            return Err(self.element_type_error(&item, element));
        }
        let (data, splat) = elements::splatted(element_kind, data);
        Ok(self.context.intern_attr(AttrKind::DenseElements { ty, data, splat }))
    }

    fn element_type_error(&self, item: &ElementLiteral, element: TypeId) -> Box<crate::source::Diagnostic> {
        let text = self.context.brief_type(element);
        error::bad_literal_type(self.str(item.token), &text, self.token_span(item.token))
    }

    fn push_element(
        &self,
        data: &mut Vec<u8>,
        item: &ElementLiteral,
        ty: TypeId,
        kind: ElementKind,
    ) -> ParseResult<()> {
        match (kind, item.token.kind) {
            (ElementKind::Int { width: 1 }, TokenKind::Bare) => {
                data.push(u8::from(self.slice(item.token) == b"true"));
            }
            (ElementKind::Int { width }, TokenKind::Int) => {
                elements::push_int(data, &self.integer_value(item.token, ty, width, item.negative)?);
            }
            (ElementKind::Float(format), TokenKind::Int | TokenKind::Float) => {
                elements::push_float(data, self.float_value(item.token, format, item.negative)?);
            }
            _ => return Err(self.element_type_error(item, ty)),
        }
        Ok(())
    }

    fn string_elements(
        &mut self,
        items: &[ElementLiteral],
        ty: TypeId,
        element: TypeId,
    ) -> ParseResult<AttrId> {
        let mut strings = Vec::with_capacity(items.len());
        for item in items {
            if item.token.kind != TokenKind::Str {
                return Err(self.element_type_error(item, element));
            }
            strings.push(self.intern_string(item.token));
        }
        if strings.windows(2).all(|pair| pair[0] == pair[1]) {
            strings.truncate(1);
        }
        Ok(self.context.intern_attr(AttrKind::DenseStrings { ty, elements: strings.into() }))
    }

    fn hex_elements(
        &mut self,
        token: Token,
        ty: TypeId,
        kind: ElementKind,
        count: u64,
    ) -> ParseResult<AttrId> {
        let span = self.token_span(token);
        let text = self.string_value(token);
        let digits = text.strip_prefix("0x").unwrap_or("").as_bytes();
        let value = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let pair = |pair: &[u8]| Some(value(pair[0])? << 4 | value(*pair.get(1)?)?);
        let raw: Option<Vec<u8>> = digits.chunks(2).map(pair).collect();
        let Some(raw) = raw.filter(|_| text.starts_with("0x")) else {
            return Err(error::bad_hex_data("is not 0x and two hexadecimal digits for each byte", span));
        };
        let Some((data, splat)) = elements::from_raw(kind, &raw, count) else {
            let reason =
                format!("has {}, which is not the size of the elements", plural::count(raw.len(), "byte"));
            return Err(error::bad_hex_data(&reason, span));
        };
        Ok(self.context.intern_attr(AttrKind::DenseElements { ty, data, splat }))
    }

    /// Parses the elements of `array<i32: 1, 2>` after their type. The type starts at `at`.
    pub(super) fn dense_array_elements(&mut self, element: TypeId, at: Token) -> ParseResult<AttrId> {
        let kind = self.array_kind(element, at)?;
        let mut data = Vec::new();
        if self.eat(TokenKind::Colon) {
            self.array_items(&mut data, element, kind, false)?;
        }
        self.expect(TokenKind::Greater, "'>' after a dense array")?;
        Ok(self.context.intern_attr(AttrKind::DenseArray { element, data: data.into() }))
    }

    /// Reads `[1, 2]` as a dense array with this element type. Integers are read as MLIR reads a C++ variable of the
    /// element type.
    pub(super) fn bracketed_array(&mut self, element: TypeId) -> ParseResult<AttrId> {
        let kind = self.array_kind(element, self.token)?;
        self.expect(TokenKind::LSquare, "'[' before a list")?;
        let mut data = Vec::new();
        if !self.is(TokenKind::RSquare) {
            self.array_items(&mut data, element, kind, true)?;
        }
        self.expect(TokenKind::RSquare, "']' after a list")?;
        Ok(self.context.intern_attr(AttrKind::DenseArray { element, data: data.into() }))
    }

    /// The kind of the elements of a dense array.
    fn array_kind(&self, element: TypeId, at: Token) -> ParseResult<ElementKind> {
        let kind = ElementKind::of(self.context, element);
        let kind = kind.filter(|kind| match kind {
            ElementKind::Int { width } => {
                // The width of `index` is not fixed.
                element != Context::INDEX && (*width == 1 || width.is_multiple_of(8))
            }
            ElementKind::Float(format) => format.width().is_multiple_of(8),
            _ => false,
        });
        kind.ok_or_else(|| error::bad_element_type("a dense array", self.token_span(at)))
    }

    /// Reads the elements of a dense array. If `as_cxx` is true, integers are read as MLIR reads a C++ variable of the
    /// element type.
    fn array_items(
        &mut self,
        data: &mut Vec<u8>,
        element: TypeId,
        kind: ElementKind,
        as_cxx: bool,
    ) -> ParseResult<()> {
        let mut items = Vec::new();
        loop {
            self.literal_number(&mut items, false)?;
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        for item in &items {
            match (kind, item.token.kind) {
                (ElementKind::Int { .. }, TokenKind::Float | TokenKind::Str) if as_cxx => {
                    return Err(self.element_type_error(item, element));
                }
                (ElementKind::Int { width }, _) if as_cxx => {
                    let text = format!("{}{}", if item.negative { "-" } else { "" }, self.str(item.token));
                    let value = match u8::try_from(width) {
                        Ok(1) => boolean_of(&text).map(i128::from),
                        Ok(bits @ (8 | 16 | 32 | 64)) => integer_of(&text, IntTy::new(bits, true)),
                        // No C++ type has this width.
                        _ => return Err(self.element_type_error(item, element)),
                    };
                    let out_of_range = || error::integer_out_of_range(self.token_span(item.token));
                    let bytes = value.ok_or_else(out_of_range)?.to_le_bytes();
                    data.extend_from_slice(&bytes[..kind.array_size()]);
                }
                // Unlike in `dense<…>`, an `i1` must be `true` or `false` here.
                (ElementKind::Int { width: 1 }, TokenKind::Int) => {
                    return Err(self.element_type_error(item, element));
                }
                // An unsigned number can be written as the negative number with the same bits.
                (ElementKind::Int { width }, TokenKind::Int) => {
                    let value = self.integer_bits(item.token, element, width, item.negative)?;
                    elements::push_int(data, &value);
                    data.extend((width == 0).then_some(0));
                }
                _ => self.push_element(data, item, element, kind)?,
            }
        }
        Ok(())
    }

    /// The sparse elements that literals state. Without literals, there are no elements.
    pub(super) fn sparse_elements(
        &mut self,
        literals: Option<(ElementsLiteral, ElementsLiteral)>,
        ty: TypeId,
        start: Token,
    ) -> ParseResult<AttrId> {
        self.check_shaped(ty, start)?;
        let kind = self.context.type_kind(ty).clone();
        let (Some(shape), Some(element)) = (kind.shape(), kind.element()) else {
            return Err(error::static_shape(self.token_span(start)));
        };
        let rank = i64::try_from(shape.len()).expect("a list fits in memory");
        let span = self.token_span(start);
        let (indices, values) = literals.unwrap_or_else(|| {
            let empty = |shape| ElementsLiteral::Elements { shape: Some(shape), items: Vec::new() };
            (empty(vec![0, rank.unsigned_abs()]), empty(vec![0]))
        });
        // Without brackets, the first literal is a single index, and the second literal is the value for every index.
        let size = |&size: &u64| i64::try_from(size).expect("the elements are in memory");
        let listed = |literal: &ElementsLiteral| match literal {
            ElementsLiteral::Elements { shape: Some(listed), .. } => {
                Some(listed.iter().map(size).collect::<Vec<_>>())
            }
            _ => None,
        };
        let indices_shape = listed(&indices).unwrap_or_else(|| vec![1, rank]);
        let values_shape = listed(&values).unwrap_or_else(|| vec![indices_shape[0]]);
        let fits = match indices_shape[..] {
            [_, width] => width == rank,
            [_] => rank == 1,
            _ => false,
        };
        if values_shape.len() != 1 || !fits || values_shape[0] != indices_shape[0] {
            return Err(error::sparse_shape("indices, values and type differ in shape", span));
        }
        let shape = |context: &mut Context, shape: &[i64], element| {
            context.intern_type(TypeKind::RankedTensor { shape: shape.into(), element, encoding: None })
        };
        let indices_type = shape(self.context, &indices_shape, Context::I64);
        let values_type = shape(self.context, &values_shape, element);
        let bounds = kind.shape().unwrap_or(&[]).to_vec();
        let indices = self.dense_attr(indices, indices_type, start)?;
        let values = self.dense_attr(values, values_type, start)?;
        if let AttrKind::DenseElements { data, splat, .. } = self.context.attr_kind(indices)
            && !bounds.is_empty()
        {
            let listed = data.chunks(8).map(|bytes| ApInt::from_le_bytes(64, bytes).to_i64().unwrap_or(-1));
            // A splat is compared with every bound.
            let repeat = if *splat { bounds.len() } else { 1 };
            let all = listed.flat_map(|index| std::iter::repeat_n(index, repeat));
            for (index, &bound) in all.zip(bounds.iter().cycle()) {
                if index < 0 || index >= bound {
                    return Err(error::sparse_shape("an index is outside of the type's shape", span));
                }
            }
        }
        Ok(self.context.intern_attr(AttrKind::SparseElements { ty, indices, values }))
    }
}

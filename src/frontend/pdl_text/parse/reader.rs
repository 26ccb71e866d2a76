//! The state of the parser, and the syntax that the custom and the generic form share.

use std::borrow::Cow;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::super::ast::{OpKind, Pattern, Use, ValueId};
use super::super::error;
use crate::host::Kind as Entity;
use crate::id::{Id, IdVec};
use crate::ir::parse::Parser;
use crate::ir::parse::lexer::{Token, TokenKind as Kind};
use crate::ir::{AttrId, AttrKind, Context, Signedness, TypeId, TypeKind};
use crate::number::ApInt;
use crate::pdl::extension::pdl_type;
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};

pub(super) type Read<T> = Result<T, Box<Diagnostic>>;

/// The kinds of the types in a list; `None` for a type of another dialect.
pub(super) type Entities = Vec<Option<Entity>>;

/// An operation's contents, the kinds of its results, and its discardable attributes.
pub(super) type Parts<'a> = (OpKind<'a>, Vec<Entity>, Option<AttrId>);

pub(in super::super) struct Reader<'a> {
    pub(super) p: Parser<'a>,
    pub(super) pattern: Pattern<'a>,
    /// The first value of each name, and the number of values with that name.
    pub(super) scope: HashMap<&'a str, (ValueId, usize), FxBuildHasher>,
    pub(super) depth: u32,
    pub(in super::super) out: Diagnostics,
}

impl<'a> Reader<'a> {
    /// Creates a reader that starts at the byte `start` of `text`. Byte 0 of `text` is the first byte of the file.
    pub(in super::super) fn new(
        context: &'a mut Context,
        text: &'a str,
        start: usize,
        file: &'a SourceFile,
    ) -> Self {
        let mut p = Parser::new(context, text, Some(file));
        p.reset(start);
        let out = Diagnostics::default();
        Self { p, pattern: empty(Span::NONE), scope: HashMap::default(), depth: 0, out }
    }

    /// The context in which types and attributes are interned.
    pub(in super::super) fn context(&mut self) -> &mut Context {
        self.p.context
    }

    pub(super) fn here(&self) -> Span {
        self.p.token_span(self.p.token)
    }

    pub(super) fn loc(&mut self) -> Read<()> {
        if self.p.is_keyword("loc") { self.p.loc().map(drop) } else { Ok(()) }
    }

    pub(super) fn dictionary(&mut self) -> Read<AttrId> {
        if !self.p.is(Kind::LBrace) {
            return Err(self.p.expected("'{'"));
        }
        self.p.attr(None)
    }

    pub(super) fn optional_dictionary(&mut self) -> Read<Option<AttrId>> {
        if self.p.is(Kind::LBrace) { self.dictionary().map(Some) } else { Ok(None) }
    }

    pub(super) fn keyword_dictionary(&mut self) -> Read<Option<AttrId>> {
        if self.p.eat_keyword("attributes") { self.dictionary().map(Some) } else { Ok(None) }
    }

    /// Reads `<{…}>`.
    pub(super) fn properties(&mut self) -> Read<Option<AttrId>> {
        if !self.p.eat(Kind::Less) {
            return Ok(None);
        }
        let properties = self.dictionary()?;
        self.p.expect(Kind::Greater, "'>' after properties")?;
        Ok(Some(properties))
    }

    /// Reads the `^bb0:` of a region. Returns true if there is one.
    pub(super) fn label(&mut self, at: Span) -> Read<bool> {
        let found = self.p.eat(Kind::Caret);
        if found {
            if self.p.is(Kind::LParen) {
                return Err(Box::new(error::block_arguments(at)));
            }
            self.p.expect(Kind::Colon, "':' after a block's name")?;
        }
        Ok(found)
    }

    pub(super) fn string(&mut self, what: &str) -> Read<Cow<'a, str>> {
        let token = self.p.expect(Kind::Str, what)?;
        Ok(self.p.string_value(token))
    }

    pub(super) fn pdl_type(&mut self) -> Read<Entity> {
        let token = self.p.token;
        let at = self.p.token_span(token);
        if self.is_alias() {
            return self.any_type()?.ok_or_else(|| Box::new(error::not_a_pdl_type(at)));
        }
        self.p.expect(Kind::Exclaim, "a type of the pdl dialect")?;
        Ok(match self.p.str(token) {
            "!pdl.attribute" => Entity::Attr,
            "!pdl.operation" => Entity::Op,
            "!pdl.type" => Entity::Type,
            "!pdl.value" => Entity::Value,
            "!pdl.range" => {
                self.p.expect(Kind::Less, "'<'")?;
                let token = self.p.token;
                let name = self.p.str(token);
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

    pub(super) fn types(&mut self) -> Read<Vec<Entity>> {
        let mut types = vec![self.pdl_type()?];
        while self.p.eat(Kind::Comma) {
            types.push(self.pdl_type()?);
        }
        Ok(types)
    }

    /// Reads `(types) -> types`. A type of another dialect is `None`.
    pub(super) fn function_type(&mut self) -> Read<(Entities, Entities)> {
        let inputs = self.type_list()?;
        self.p.expect(Kind::Arrow, "'->'")?;
        let results = if self.p.is(Kind::LParen) { self.type_list()? } else { vec![self.any_type()?] };
        Ok((inputs, results))
    }

    pub(super) fn type_list(&mut self) -> Read<Entities> {
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

    pub(super) fn any_type(&mut self) -> Read<Option<Entity>> {
        if self.p.is(Kind::Exclaim) && self.p.str(self.p.token).starts_with("!pdl.") {
            return self.pdl_type().map(Some);
        }
        let is_alias = self.is_alias();
        let ty = self.p.ty()?;
        Ok(if is_alias { entity_of_type(&self.p.context.type_text(ty)) } else { None })
    }

    /// True at the name of an alias of a type.
    fn is_alias(&self) -> bool {
        self.p.is(Kind::Exclaim) && !self.p.str(self.p.token).contains('.')
    }

    /// Reads `%name` or `%name#1`.
    pub(super) fn used(&mut self) -> Read<Use> {
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
        // Values that share a name have consecutive ids.
        let value = self.scope.get(name).filter(|&&(_, count)| index < count);
        let value = value.and_then(|&(first, _)| ValueId::try_from_index(first.index() + index));
        value.map(|value| Use { value, span }).ok_or_else(|| Box::new(error::undefined_value(name, span)))
    }

    pub(super) fn kind(&self, used: Use) -> Entity {
        self.pattern.values[used.value].kind
    }

    pub(super) fn check(&self, used: Use, kinds: &[Entity], expected: &str) -> Read<Use> {
        let value = &self.pattern.values[used.value];
        if kinds.contains(&value.kind) {
            return Ok(used);
        }
        Err(Box::new(error::wrong_type(value.name, expected, value.kind, used.span, value.span)))
    }

    pub(super) fn used_as(&mut self, kind: Entity) -> Read<Use> {
        let used = self.used()?;
        self.check(used, &[kind], pdl_type(kind))
    }

    /// Reads `%a, %b : !pdl.value, !pdl.type`.
    pub(super) fn typed_uses(&mut self) -> Read<Vec<Use>> {
        let mut uses = Vec::new();
        if self.p.is(Kind::Percent) {
            uses.push(self.used()?);
            while self.p.eat(Kind::Comma) {
                uses.push(self.used()?);
            }
        }
        self.p.expect(Kind::Colon, "':' before the types")?;
        let at = self.here();
        let types = self.types()?;
        self.check_types(&uses, types.iter().map(|&kind| Some(kind)), at)?;
        Ok(uses)
    }

    pub(super) fn check_types(
        &self,
        uses: &[Use],
        types: impl ExactSizeIterator<Item = Option<Entity>>,
        at: Span,
    ) -> Read<()> {
        if types.len() != uses.len() {
            return Err(Box::new(error::wrong_count("operand type", uses.len(), types.len(), at)));
        }
        for (&used, kind) in uses.iter().zip(types) {
            match kind {
                Some(kind) => self.check(used, &[kind], pdl_type(kind))?,
                None => self.check(used, &[], "of the type that is written here")?,
            };
        }
        Ok(())
    }

    /// Reads an optional `(%a : !pdl.value)`.
    pub(super) fn optional_args(&mut self) -> Read<Vec<Use>> {
        if !self.p.eat(Kind::LParen) {
            return Ok(Vec::new());
        }
        let uses = self.typed_uses()?;
        self.p.expect(Kind::RParen, "')'")?;
        Ok(uses)
    }

    /// Reads an integer, which may be negative, in decimal or hexadecimal digits.
    pub(super) fn integer<T: TryFrom<i128>>(&mut self, what: &str) -> Read<(T, Span)> {
        let first = self.p.token;
        let negative = self.p.eat(Kind::Minus);
        let token = self.p.token;
        let text = if token.kind == Kind::Int { self.p.str(token) } else { "" };
        let value = match text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => text.parse(),
        };
        let value = value.ok().and_then(|value| T::try_from(if negative { -value } else { value }).ok());
        let value = value.ok_or_else(|| self.p.expected(what))?;
        self.p.advance();
        Ok((value, self.p.token_span(Token { end: token.end, ..first })))
    }

    pub(super) fn u32(&mut self) -> Read<u32> {
        Ok(self.integer("a number from 0 to 4294967295")?.0)
    }

    /// True if `isNegated` is set in a dictionary.
    pub(super) fn is_negated(&self, dictionary: Option<AttrId>, at: Span) -> Read<bool> {
        let Some(attr) = dictionary.and_then(|dictionary| self.entry(dictionary, "isNegated")) else {
            return Ok(false);
        };
        match self.integer_of_width(attr, 1) {
            Some(value) => Ok(!value.is_zero()),
            None => Err(Box::new(error::wrong_attribute(
                "pdl.apply_native_constraint",
                "isNegated",
                "true or false",
                at,
            ))),
        }
    }

    /// Returns the value of an attribute that is a signless integer of this width.
    pub(super) fn integer_of_width(&self, attr: AttrId, bits: u32) -> Option<&ApInt> {
        let AttrKind::Integer { value, ty } = self.p.context.attr_kind(attr) else { return None };
        let is_right = matches!(
            self.p.context.type_kind(*ty),
            TypeKind::Integer { width, signedness: Signedness::Signless } if *width == bits
        );
        is_right.then_some(value)
    }

    pub(super) fn type_array(&self, list: AttrId, at: Span) -> Read<Vec<TypeId>> {
        let failure =
            || Box::new(error::wrong_attribute("pdl.types", "constantTypes", "a list of types", at));
        let AttrKind::Array(items) = self.p.context.attr_kind(list) else { return Err(failure()) };
        let ty = |&item| match *self.p.context.attr_kind(item) {
            AttrKind::Type(ty) => Ok(ty),
            _ => Err(failure()),
        };
        items.iter().map(ty).collect()
    }

    pub(super) fn entry(&self, dictionary: AttrId, name: &str) -> Option<AttrId> {
        let name = self.p.context.find_attr_name(name)?;
        self.p.context.entry(dictionary, name)
    }
}

/// Returns the kind of a range with elements of this kind.
pub(in super::super) fn range_of(kind: Entity) -> Entity {
    match kind {
        Entity::Value => Entity::Values,
        Entity::Type => Entity::Types,
        Entity::Attr => Entity::Attrs,
        range => range,
    }
}

pub(super) fn empty<'a>(span: Span) -> Pattern<'a> {
    Pattern {
        name: None,
        benefit: 0,
        benefit_span: span,
        discardable: None,
        span,
        ops: IdVec::default(),
        body: Vec::new(),
        values: IdVec::default(),
    }
}

/// Returns the kind of entity that a type of the pdl dialect stands for, or `None` for other types.
fn entity_of_type(text: &str) -> Option<Entity> {
    let name = text.strip_prefix("!pdl.")?;
    let element = name.strip_prefix("range<").and_then(|rest| rest.strip_suffix('>')).map(str::trim);
    Some(match element.map(|element| element.strip_prefix("!pdl.").unwrap_or(element)) {
        Some("attribute") => Entity::Attrs,
        Some("type") => Entity::Types,
        Some("value") => Entity::Values,
        Some(_) => return None,
        None => match name {
            "attribute" => Entity::Attr,
            "operation" => Entity::Op,
            "type" => Entity::Type,
            "value" => Entity::Value,
            _ => return None,
        },
    })
}

//! The custom form of the dialect's operations.

use std::borrow::Cow;

use super::super::ast::{OpId, OpKind, Use};
use super::super::error;
use super::reader::{Parts, Read, Reader, range_of};
use crate::host::Kind as Entity;
use crate::ir::parse::lexer::TokenKind as Kind;

impl<'a> Reader<'a> {
    /// Reads an operation from its name on.
    pub(super) fn custom(&mut self, id: OpId) -> Read<Parts<'a>> {
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
                let at = self.here();
                let discardable = self.optional_dictionary()?;
                let negated = self.is_negated(discardable, at)?;
                (OpKind::Constraint { name, args, negated }, results, discardable)
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
                let discardable = self.optional_dictionary()?;
                let value = if self.p.eat(Kind::Colon) { Some(self.p.ty()?) } else { None };
                (OpKind::Type { value }, vec![Entity::Type], discardable)
            }
            "types" => {
                let discardable = self.optional_dictionary()?;
                let at = self.here();
                let values = if self.p.eat(Kind::Colon) {
                    let list = self.p.attr(None)?;
                    Some(self.type_array(list, at)?)
                } else {
                    None
                };
                (OpKind::Types { values }, vec![Entity::Types], discardable)
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

    pub(super) fn operation(
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
}

//! The generic form of the dialect's operations.
//!
//! Unlike the custom form, the generic form can have wrong numbers of operands and results, wrong properties and wrong
//! regions. This file rejects such operations.

use std::borrow::Cow;

use super::super::ast::{OpId, OpKind, Use};
use super::super::error;
use super::reader::{Parts, Read, Reader};
use crate::host::Kind as Entity;
use crate::ir::parse::lexer::TokenKind as Kind;
use crate::ir::{AttrId, AttrKind, TypeKind};
use crate::number::ApInt;
use crate::pdl::extension::pdl_type;
use crate::source::Span;

impl<'a> Reader<'a> {
    /// Reads a pattern from its quoted name on.
    pub(super) fn generic_pattern(&mut self) -> Read<()> {
        let at = self.here();
        self.p.advance();
        self.p.expect(Kind::LParen, "'('")?;
        self.p.expect(Kind::RParen, "')'")?;
        let properties = self.properties()?;
        self.p.expect(Kind::LParen, "'(' before the region of a pattern")?;
        self.pattern.body = self.region(None)?.unwrap_or_default();
        self.p.expect(Kind::RParen, "')'")?;
        let discardable = self.optional_dictionary()?;
        self.p.expect(Kind::Colon, "':'")?;
        let (inputs, results) = self.function_type()?;
        if !inputs.is_empty() || !results.is_empty() {
            return Err(Box::new(error::pattern_type(at)));
        }
        let find =
            |name| [properties, discardable].into_iter().flatten().find_map(|all| self.entry(all, name));
        let benefit = find("benefit").and_then(|attr| self.integer_of_width(attr, 16)?.to_i64());
        let name = find("sym_name").map(|attr| self.text(attr).ok_or(()));
        let Some(benefit) = benefit else {
            return Err(Box::new(error::wrong_attribute(
                "pdl.pattern",
                "benefit",
                "an integer of 16 bits",
                at,
            )));
        };
        let Ok(name) = name.transpose() else {
            return Err(Box::new(error::wrong_attribute("pdl.pattern", "sym_name", "a string", at)));
        };
        self.pattern.benefit = benefit;
        self.pattern.benefit_span = at;
        self.pattern.name = name.map(|name| (name, at));
        self.pattern.discardable = discardable;
        self.loc()
    }

    /// Reads an operation from its quoted name on.
    pub(super) fn generic(&mut self, id: OpId) -> Read<Parts<'a>> {
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
        let discardable = self.optional_dictionary()?;
        self.p.expect(Kind::Colon, "':' before the type of an operation")?;
        let types_at = self.here();
        let (inputs, results) = self.function_type()?;
        self.check_types(&uses, inputs.into_iter(), types_at)?;
        let Some(name) = name.strip_prefix("pdl.") else {
            return Ok((
                OpKind::Other,
                results.into_iter().map(|kind| kind.unwrap_or(Entity::Attr)).collect(),
                discardable,
            ));
        };
        let Some(kinds) = results.into_iter().collect::<Option<Vec<Entity>>>() else {
            return Err(Box::new(error::not_a_pdl_type(types_at)));
        };
        if !regions.is_empty() && name != "rewrite" {
            return Err(Box::new(error::regions(&format!("pdl.{name}"), at)));
        }
        if name == "rewrite" && regions.len() != 1 {
            return Err(Box::new(error::wrong_count("region", 1, regions.len(), at)));
        }
        let dictionaries = [properties, discardable];
        let parts = Generic { at, name, dictionaries, uses, body: regions.pop().flatten() };
        let kind = self.generic_kind(parts, &kinds)?;
        Ok((kind, kinds, discardable))
    }

    fn generic_kind(&self, mut parts: Generic<'_>, kinds: &[Entity]) -> Read<OpKind<'a>> {
        let at = parts.at;
        let full = format!("pdl.{}", parts.name);
        let expect = |wanted: &[Entity]| {
            if kinds == wanted {
                return Ok(());
            }
            Err(Box::new(error::wrong_results(&full, wanted, kinds, at)))
        };
        let one = |parts: &mut Generic<'_>, kind: Entity| {
            let found = parts.uses.len();
            let used = parts.uses.pop().filter(|_| found == 1);
            let used = used.ok_or_else(|| Box::new(error::wrong_count("operand", 1, found, at)))?;
            self.check(used, &[kind], pdl_type(kind))
        };
        let optional = |parts: &mut Generic<'_>, kind: Entity| {
            if parts.uses.is_empty() { Ok(None) } else { one(parts, kind).map(Some) }
        };
        Ok(match parts.name {
            "apply_native_constraint" => {
                let name = self.generic_string(&parts, &full, "name")?;
                let mut negated = false;
                for dictionary in parts.dictionaries {
                    negated |= self.is_negated(dictionary, at)?;
                }
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
                [_] => OpKind::Range { parts: parts.uses },
                _ => return Err(Box::new(error::wrong_results(&full, &[Entity::Values], kinds, at))),
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
                    Box::new(error::wrong_attribute(&full, "index", "a number from 0 to 4294967295", at))
                })?;
                OpKind::Result { op: one(&mut parts, Entity::Op)?, index }
            }
            "results" => match *kinds {
                [Entity::Value | Entity::Values] => {
                    let index = self.generic_index(&parts, &full)?;
                    OpKind::Results { op: one(&mut parts, Entity::Op)?, index }
                }
                _ => return Err(Box::new(error::wrong_results(&full, &[Entity::Values], kinds, at))),
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
                            return Err(Box::new(error::wrong_attribute(
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
        text.ok_or_else(|| Box::new(error::wrong_attribute(op, name, "a string", parts.at)))
    }

    fn attribute_names(&self, parts: &Generic<'_>, op: &str) -> Read<Vec<Cow<'a, str>>> {
        let names = self.generic_entry(parts, "attributeValueNames");
        let names = match names.map(|attr| self.p.context.attr_kind(attr)) {
            Some(AttrKind::Array(items)) => items.iter().map(|&item| self.text(item)).collect(),
            _ => None,
        };
        names.ok_or_else(|| {
            Box::new(error::wrong_attribute(op, "attributeValueNames", "a list of strings", parts.at))
        })
    }

    fn generic_index(&self, parts: &Generic<'_>, op: &str) -> Read<Option<u32>> {
        let Some(attr) = self.generic_entry(parts, "index") else { return Ok(None) };
        let index = self.integer_of_width(attr, 32).and_then(ApInt::to_i64);
        let index = index.and_then(|index| u32::try_from(index).ok());
        let failure =
            || Box::new(error::wrong_attribute(op, "index", "a number from 0 to 4294967295", parts.at));
        index.map(Some).ok_or_else(failure)
    }

    /// Divides the operands into the operation's groups.
    fn segments<const N: usize>(&self, parts: &Generic<'_>) -> Read<[Vec<Use>; N]> {
        let failure = || Box::new(error::bad_segments(parts.at));
        if parts.uses.is_empty() && self.generic_entry(parts, "operandSegmentSizes").is_none() {
            return Ok([const { Vec::new() }; N]);
        }
        let attr = self.generic_entry(parts, "operandSegmentSizes").ok_or_else(failure)?;
        let AttrKind::DenseArray { element, data } = self.p.context.attr_kind(attr) else {
            return Err(failure());
        };
        if !matches!(self.p.context.type_kind(*element), TypeKind::Integer { width: 32, .. }) {
            return Err(failure());
        }
        let mut rest = parts.uses.as_slice();
        let mut groups = Vec::new();
        for bytes in data.chunks_exact(4) {
            let size = i32::from_le_bytes(bytes.try_into().map_err(|_| failure())?);
            let size = usize::try_from(size).map_err(|_| failure())?;
            let (group, more) = rest.split_at_checked(size).ok_or_else(failure)?;
            groups.push(group.to_vec());
            rest = more;
        }
        if !rest.is_empty() {
            return Err(failure());
        }
        groups.try_into().map_err(|_| failure())
    }
}

/// An operation of the `pdl` dialect in generic form.
struct Generic<'n> {
    at: Span,
    /// The name without `pdl.`.
    name: &'n str,
    /// The properties and the attributes.
    dictionaries: [Option<AttrId>; 2],
    uses: Vec<Use>,
    body: Option<Vec<OpId>>,
}

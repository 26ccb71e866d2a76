//! Reads operations by their declarative formats.

use std::rc::Rc;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::form::FormParser;
use super::lexer::TokenKind;
use super::state::{GroupTypes, OperandNames};
use crate::host::{Arity, AttrNameId};
use crate::ir::attributes::{AttrKind, segment_size};
use crate::ir::context::Context;
use crate::ir::definitions::BoundSyntax;
use crate::ir::dialect::{
    AttrSyntax, CustomDirective, Element, EnumSyntax, FormReader, Group, GroupSizes, PropertyDef,
    PropertySyntax, Syntax, Terminator, TypeFunction, TypeOperand, TypeSource, TypeSyntax, ValueGroup,
};
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::{AttrId, BlockId, LocId, RegionId, TypeId};
use crate::ir::module::OpId;
use crate::ir::types::TypeKind;
use crate::number::ApInt;
use crate::snippet::{IntTy, boolean_of, integer_of};
use crate::source::Span;
use crate::stack::with_room;

impl FormParser<'_, '_> {
    /// Reads the text after the operation's name, with the declared format.
    pub(super) fn declared(&mut self, bound: &BoundSyntax) -> ParseResult<()> {
        let Syntax::Declared { elements, .. } = &bound.syntax.syntax else { return Ok(()) };
        self.elements(bound, elements, false)?;
        self.collect(bound)
    }

    /// Reads elements. If `in_group` is true, an optional attribute must be present.
    fn elements(&mut self, bound: &BoundSyntax, elements: &[Element], in_group: bool) -> ParseResult<()> {
        elements.iter().try_for_each(|element| self.element(bound, element, in_group))
    }

    fn element(&mut self, bound: &BoundSyntax, element: &Element, in_group: bool) -> ParseResult<()> {
        match element {
            Element::Literal(text) => self.literal(text),
            Element::Space { .. } | Element::Newline => Ok(()),
            Element::Operand(index) => self.operand_group(bound, *index),
            Element::Attribute { index, qualified } => {
                self.attribute_variable(bound, *index, *qualified, in_group)
            }
            Element::Property(index) => self.property(bound, *index, false).map(drop),
            Element::Region(index) => self.region_variable(bound, *index),
            Element::Successor(index) => self.successor_variable(bound, *index),
            Element::Operands => {
                let operands = self.operand_list()?;
                self.parts.all_operands = Some(operands);
                Ok(())
            }
            Element::Regions => {
                let regions = self.region_list(bound)?;
                self.parts.flat_regions.extend(regions);
                Ok(())
            }
            Element::Successors => {
                let successors = self.successor_list()?;
                self.parts.flat_successors.extend(successors);
                Ok(())
            }
            Element::AttrDict { keyword } => {
                self.property_list(bound, is_list_certain)?;
                self.attr_dict(*keyword)
            }
            Element::PropDict => self.property_list(bound, |_| true),
            Element::Type { of, qualified } => self.type_directive(bound, *of, *qualified),
            Element::FunctionalType { inputs, results } => {
                let (given, made) = self.parser.function_type()?;
                self.put_type_operand(*inputs, given.into());
                self.put_type_operand(*results, made.into());
                Ok(())
            }
            Element::Custom { name, args } => {
                let directive = self.directive(name)?;
                directive.read(self, args)
            }
            Element::Group(group) => with_room(|| self.group(bound, group)),
            Element::Oilist(clauses) => with_room(|| self.oilist(bound, clauses)),
        }
    }

    fn directive(&self, name: &str) -> ParseResult<Arc<dyn CustomDirective>> {
        let op = self.parser.context.op_name_text(self.name);
        match self.parser.context.forms().directive(op, name) {
            Some(directive) => Ok(directive.clone()),
            None => Err(error::cxx_directive(name, op, self.parser.token_span(self.token))),
        }
    }

    // Operands.

    fn operand_list(&mut self) -> ParseResult<OperandNames> {
        let mut operands = OperandNames::new();
        if !self.is_operand() {
            return Ok(operands);
        }
        loop {
            operands.push(self.operand()?);
            if !self.parser.eat(TokenKind::Comma) {
                return Ok(operands);
            }
        }
    }

    fn operand_group(&mut self, bound: &BoundSyntax, index: usize) -> ParseResult<()> {
        let group = &bound.syntax.operands[index];
        let operands = match group.arity {
            Arity::One => return self.single_operand(index),
            Arity::Optional if self.is_operand() => return self.single_operand(index),
            Arity::Optional => OperandNames::new(),
            Arity::Variadic if group.segments.is_some() => {
                let mut all = OperandNames::new();
                let mut sizes = Vec::new();
                while self.parser.is(TokenKind::LParen) {
                    self.parser.advance();
                    let list = self.operand_list()?;
                    self.literal(")")?;
                    let size = i32::try_from(list.len()).map_err(|_| {
                        error::too_large("the number of operands", self.parser.token_span(self.token))
                    })?;
                    sizes.push(size);
                    all.extend(list);
                    if !self.parser.eat(TokenKind::Comma) {
                        break;
                    }
                }
                self.parts.nested[index] = sizes;
                all
            }
            Arity::Variadic => self.operand_list()?,
        };
        self.parts.operands[index] = operands;
        Ok(())
    }

    fn single_operand(&mut self, index: usize) -> ParseResult<()> {
        let operand = self.operand()?;
        let group = &mut self.parts.operands[index];
        group.clear();
        group.push(operand);
        Ok(())
    }

    // Types.

    fn type_list(&mut self) -> ParseResult<GroupTypes> {
        let mut types = GroupTypes::new();
        if !self.is_type() {
            return Ok(types);
        }
        loop {
            types.push(self.parser.ty()?);
            if !self.parser.eat(TokenKind::Comma) {
                return Ok(types);
            }
        }
    }

    fn type_directive(&mut self, bound: &BoundSyntax, of: TypeOperand, qualified: bool) -> ParseResult<()> {
        let group = match of {
            TypeOperand::Operand(index) => bound.syntax.operands.get(index),
            TypeOperand::Result(index) => bound.syntax.results.get(index),
            TypeOperand::Operands | TypeOperand::Results => None,
        };
        let types = match group {
            None => self.type_list()?,
            Some(group) => match (group.arity, &group.ty) {
                (Arity::One, TypeSyntax::Stripped(class)) if !qualified => {
                    smallvec![self.stripped_type(class)?]
                }
                (Arity::One, _) => smallvec![self.parser.ty()?],
                (Arity::Optional, _) => {
                    if self.is_type() {
                        smallvec![self.parser.ty()?]
                    } else {
                        GroupTypes::new()
                    }
                }
                (Arity::Variadic, _) if group.segments.is_some() => {
                    let mut types = GroupTypes::new();
                    while self.parser.eat(TokenKind::LParen) {
                        types.extend(self.type_list()?);
                        self.literal(")")?;
                        if !self.parser.eat(TokenKind::Comma) {
                            break;
                        }
                    }
                    types
                }
                (Arity::Variadic, _) => self.type_list()?,
            },
        };
        self.put_type_operand(of, types);
        Ok(())
    }

    fn put_type_operand(&mut self, of: TypeOperand, types: GroupTypes) {
        match of {
            TypeOperand::Operand(index) => self.parts.operand_types[index] = Some(types),
            TypeOperand::Result(index) => self.parts.result_types[index] = Some(types),
            TypeOperand::Operands => self.parts.all_operand_types = Some(types),
            TypeOperand::Results => self.parts.all_result_types = Some(types),
        }
    }

    // Attributes and properties.

    fn attribute_variable(
        &mut self,
        bound: &BoundSyntax,
        index: usize,
        qualified: bool,
        in_group: bool,
    ) -> ParseResult<()> {
        let optional = bound.syntax.attributes[index].optional && !in_group;
        self.read_attribute(bound, index, qualified, optional).map(drop)
    }

    /// Reads an attribute. Returns false if it is optional and absent.
    fn read_attribute(
        &mut self,
        bound: &BoundSyntax,
        index: usize,
        qualified: bool,
        optional: bool,
    ) -> ParseResult<bool> {
        let attribute = &bound.syntax.attributes[index];
        let value = match &attribute.syntax {
            AttrSyntax::Enum(cases) => match self.enum_value(cases, &attribute.name, optional)? {
                Some(value) => value,
                None => return Ok(false),
            },
            AttrSyntax::SymbolName => match self.optional_symbol() {
                Some(name) => self.string_attr(&name),
                None if optional => return Ok(false),
                None => return Err(self.expected("a symbol name")),
            },
            AttrSyntax::Stripped(class) if !qualified => {
                if optional {
                    match self.optional_stripped(class)? {
                        Some(value) => value,
                        None => return Ok(false),
                    }
                } else {
                    self.stripped(class)?
                }
            }
            AttrSyntax::Array(element) if !qualified => {
                if optional && !self.parser.is(TokenKind::LSquare) && !self.parser.is(TokenKind::Hash) {
                    return Ok(false);
                }
                self.array(element, bound.attribute_types[index])?
            }
            AttrSyntax::Builtin(class) | AttrSyntax::TypeOmitted { class, .. }
                if optional && !self.starts_class(class) =>
            {
                return Ok(false);
            }
            _ if optional && !self.is_attribute() => return Ok(false),
            AttrSyntax::TypeOmitted { ty, .. } => {
                let ty = self.stated_type(ty, bound.attribute_types[index])?;
                self.parser.attr(Some(ty))?
            }
            _ => self.parser.attr(None)?,
        };
        self.set_declared(bound.attribute_names[index], value);
        Ok(true)
    }

    /// The type that the definition states as a text. `known` is this type if it is a builtin type.
    fn stated_type(&mut self, text: &str, known: Option<TypeId>) -> ParseResult<TypeId> {
        known.map_or_else(|| self.type_of_text(text), Ok)
    }

    /// True if the text can start with an attribute of a builtin class.
    fn starts_class(&self, class: &str) -> bool {
        match class {
            "ArrayAttr" => self.parser.is(TokenKind::LSquare),
            "StringAttr" => self.parser.is(TokenKind::Str),
            "SymbolRefAttr" | "FlatSymbolRefAttr" => self.parser.is(TokenKind::At),
            _ => self.is_attribute(),
        }
    }

    /// Reads `[1, 2]` as `array<…>`.
    fn array(&mut self, element: &str, known: Option<TypeId>) -> ParseResult<AttrId> {
        if self.parser.is(TokenKind::Hash) {
            return self.parser.attr(None);
        }
        let element = self.stated_type(element, known)?;
        let at = self.parser.token;
        if at.kind != TokenKind::LSquare {
            return Err(self.expected("'[' before a list"));
        }
        self.parser.bracketed_array(element)
    }

    /// Reads the values of an enum as words or as a string.
    fn enum_value(&mut self, cases: &EnumSyntax, name: &str, optional: bool) -> ParseResult<Option<AttrId>> {
        let token = self.parser.token;
        let value = match token.kind {
            TokenKind::Bare => {
                let word = self.parser.str(token);
                let Some(value) = cases.case(word) else {
                    if optional {
                        return Ok(None);
                    }
                    let words: Vec<&str> = cases.cases.iter().map(|(_, text)| text.as_str()).collect();
                    return Err(self.expected(&format!("one of {} for '{name}'", words.join(", "))));
                };
                self.parser.advance();
                let mut value = value;
                while cases.is_bit_set && !cases.quoted && self.optional_literal(cases.separator.trim()) {
                    let token = self.parser.token;
                    let Some(more) = cases.case(self.parser.str(token)) else {
                        return Err(self.expected(&format!("a value of '{name}'")));
                    };
                    self.parser.advance();
                    value |= more;
                }
                value
            }
            TokenKind::Str => {
                let text = self.parser.string_value(token).into_owned();
                self.parser.advance();
                match cases.value(&text) {
                    Some(value) => value,
                    None => {
                        let span = self.parser.token_span(token);
                        return Err(error::custom_text(
                            &format!("\"{text}\" is not a value of '{name}'"),
                            span,
                        ));
                    }
                }
            }
            _ if optional => return Ok(None),
            _ => {
                let words: Vec<&str> = cases.cases.iter().map(|(_, text)| text.as_str()).collect();
                return Err(self.expected(&format!("one of {} for '{name}'", words.join(", "))));
            }
        };
        Ok(Some(self.enum_attr(cases, value)))
    }

    fn enum_attr(&mut self, cases: &EnumSyntax, value: i64) -> AttrId {
        let ty = self.parser.context.signless(cases.width);
        self.parser.context.intern_attr(AttrKind::Integer { value: ApInt::from_i64(cases.width, value), ty })
    }

    /// Reads an integer or Boolean, and returns its text and its span.
    fn integer_text(&mut self) -> Option<(String, Span)> {
        let parser = &mut *self.parser;
        let sign = if parser.eat(TokenKind::Minus) { "-" } else { "" };
        let token = parser.token;
        let is_word = sign.is_empty() && parser.is(TokenKind::Bare);
        let is_boolean = is_word && matches!(parser.str(token), "true" | "false");
        if !is_boolean && !parser.is(TokenKind::Int) {
            return None;
        }
        let text = format!("{sign}{}", parser.str(token));
        parser.advance();
        Some((text, parser.token_span(token)))
    }

    /// Reads a property. Returns false if the property is absent. It may be absent if `optional` is true and the
    /// property has a default.
    fn property(&mut self, bound: &BoundSyntax, index: usize, optional: bool) -> ParseResult<bool> {
        let property = &bound.syntax.properties[index];
        let value = self.property_value(property, &property.syntax, optional && property.has_default)?;
        if let Some(value) = value {
            self.set_declared(bound.property_names[index], value);
        }
        Ok(value.is_some())
    }

    /// Reads a value of a property or an element of its list; `None` if the value is absent.
    fn property_value(
        &mut self,
        property: &PropertyDef,
        syntax: &PropertySyntax,
        may_be_absent: bool,
    ) -> ParseResult<Option<AttrId>> {
        Ok(Some(match syntax {
            PropertySyntax::Unit => match () {
                () if self.parser.eat_keyword("unit") => Context::UNIT,
                () if self.parser.eat_keyword("unit_absent") => self.parser.context.bool_attr(false),
                () if may_be_absent => return Ok(None),
                () => return Err(self.expected("'unit' or 'unit_absent'")),
            },
            PropertySyntax::Bool => match self.integer_text() {
                Some((text, span)) => {
                    let value = boolean_of(&text).ok_or_else(|| error::integer_too_large(1, span))?;
                    self.parser.context.bool_attr(value)
                }
                None if may_be_absent => return Ok(None),
                None => return Err(self.expected("'true' or 'false'")),
            },
            &PropertySyntax::Integer(ty) => match self.integer_text() {
                Some((text, span)) => {
                    let too_large = || error::integer_too_large(ty.bits, span);
                    let value = IntTy::I64.wrap(integer_of(&text, ty).ok_or_else(too_large)?);
                    let value = i64::try_from(value).map_err(|_| too_large())?;
                    let (value, ty) = (
                        ApInt::from_i64(ty.bits.into(), value),
                        self.parser.context.signless(ty.bits.into()),
                    );
                    self.parser.context.intern_attr(AttrKind::Integer { value, ty })
                }
                None if may_be_absent => return Ok(None),
                None => return Err(self.expected("an integer")),
            },
            PropertySyntax::Str => match self.optional_string() {
                Some(text) => self.string_attr(&text),
                None if may_be_absent => return Ok(None),
                None => return Err(self.expected("a string")),
            },
            PropertySyntax::Enum(cases) => return self.enum_value(cases, &property.name, may_be_absent),
            PropertySyntax::NamedEnum(word, cases) => {
                if !self.parser.eat_keyword(word) {
                    return match may_be_absent {
                        true => Ok(None),
                        false => Err(self.expected(&format!("'{word}'"))),
                    };
                }
                self.literal("<")?;
                let value = self.enum_value(cases, &property.name, false)?;
                self.literal(">")?;
                return Ok(value);
            }
            PropertySyntax::List(element) => {
                let Some(items) = self.property_elements(property, element, may_be_absent)? else {
                    return Ok(None);
                };
                self.parser.context.intern_attr(AttrKind::Array(items.into()))
            }
            &PropertySyntax::IntegerList(ty) => {
                let element = PropertySyntax::Integer(ty);
                let Some(items) = self.property_elements(property, &element, may_be_absent)? else {
                    return Ok(None);
                };
                let kind = self.dense_array(ty.bits.into(), &items);
                self.parser.context.intern_attr(kind)
            }
            PropertySyntax::Optional { of, marked } => {
                let value = if self.parser.eat_keyword("none") {
                    None
                } else if !marked {
                    let value = self.property_value(property, of, may_be_absent)?;
                    if value.is_none() {
                        return Ok(None);
                    }
                    value
                } else if self.parser.eat_keyword("some") {
                    self.literal("<")?;
                    let value = self.property_value(property, of, false)?;
                    self.literal(">")?;
                    value
                } else if may_be_absent {
                    return Ok(None);
                } else {
                    return Err(self.expected("'none' or 'some'"));
                };
                let items: Vec<AttrId> = value.into_iter().collect();
                self.parser.context.intern_attr(AttrKind::Array(items.into()))
            }
            PropertySyntax::Cxx => {
                let op = self.op_name();
                let span = self.parser.token_span(self.token);
                return Err(error::cxx_property(&property.name, &op, span));
            }
        }))
    }

    /// Reads the elements of a list in brackets; `None` if the list is absent.
    fn property_elements(
        &mut self,
        property: &PropertyDef,
        element: &PropertySyntax,
        may_be_absent: bool,
    ) -> ParseResult<Option<Vec<AttrId>>> {
        let mut items = Vec::new();
        if !self.optional_literal("[") {
            return if may_be_absent { Ok(None) } else { Err(self.expected("'[' before a list")) };
        }
        while !self.optional_literal("]") {
            if !items.is_empty() {
                self.literal(",")?;
            }
            items.extend(with_room(|| self.property_value(property, element, false))?);
        }
        Ok(Some(items))
    }

    /// A dense array of integers with this width.
    fn dense_array(&mut self, width: u32, items: &[AttrId]) -> AttrKind {
        let mut data = Vec::new();
        for &item in items {
            if let AttrKind::Integer { value, .. } = self.parser.context.attr_kind(item) {
                data.extend(value.sext_or_trunc(width).to_le_bytes());
            }
        }
        AttrKind::DenseArray { element: self.parser.context.signless(width), data: data.into() }
    }

    /// Reads an optional `<name = value, …>` or `<{…}>`. MLIR prints inherent attributes in this way at `prop-dict`
    /// and, after version 22.1, at `attr-dict`. If `is_certain` returns false, a `<` can also start other text here, so
    /// it starts a list only if the name of a property follows.
    fn property_list(
        &mut self,
        bound: &BoundSyntax,
        is_certain: impl FnOnce(&BoundSyntax) -> bool,
    ) -> ParseResult<()> {
        let start = self.parser.token.start;
        if !self.parser.eat(TokenKind::Less) {
            return Ok(());
        }
        if !is_certain(bound) {
            // If the file contains other lists of properties, `<>` is an empty list, because the version of MLIR that
            // printed the file reads every `<` here as the start of a list.
            let is_empty = self.state.module.has_properties_apart && self.parser.is(TokenKind::Greater);
            if !is_empty && self.listed(bound).is_err() {
                self.parser.reset(start);
                return Ok(());
            }
        }
        let is_dictionary = self.parser.is(TokenKind::LBrace);
        let prop_dict = matches!(bound.syntax.syntax, Syntax::Declared { prop_dict: true, .. });
        if !(is_dictionary && prop_dict) {
            self.state.module.has_properties_apart = true;
        }
        if is_dictionary {
            let span = self.parser.token_span(self.parser.token);
            let mut entries = Vec::new();
            self.parser.dictionary_entries(&mut entries)?;
            self.literal(">")?;
            for &(name, _) in &entries {
                self.listed_element(bound, name, span)?;
                self.start_listed(name, span)?;
            }
            entries.into_iter().for_each(|(name, value)| self.set_declared(name, value));
            return Ok(());
        }
        if self.parser.eat(TokenKind::Greater) {
            return Ok(());
        }
        loop {
            let span = self.parser.token_span(self.parser.token);
            let (name, element) = self.listed(bound)?;
            self.start_listed(name, span)?;
            self.parser.advance();
            self.listed_value(bound, name, element.as_ref())?;
            if self.parser.eat(TokenKind::Greater) {
                return Ok(());
            }
            if !self.parser.eat(TokenKind::Comma) {
                return Err(self.expected("',' or '>'"));
            }
        }
    }

    /// The property that the current token names in a list of properties, with its element.
    fn listed(&self, bound: &BoundSyntax) -> ParseResult<(AttrNameId, Option<Element>)> {
        let token = self.parser.token;
        if token.kind != TokenKind::Bare {
            return Err(self.expected("the name of a property"));
        }
        let (text, span) = (self.parser.str(token), self.parser.token_span(token));
        let name = self.parser.context.find_attr_name(text);
        let name = name.ok_or_else(|| error::no_property(text, &self.op_name(), span))?;
        Ok((name, self.listed_element(bound, name, span)?))
    }

    /// The element that reads a property in a list of properties, `<a = 1>` or `<{a = 1}>`.
    fn listed_element(
        &self,
        bound: &BoundSyntax,
        name: AttrNameId,
        span: Span,
    ) -> ParseResult<Option<Element>> {
        if let Some((_, element)) = bound.listed().find(|(known, _)| *known == name) {
            return Ok(element);
        }
        let (text, op) = (self.parser.context.attr_name_text(name), self.op_name());
        Err(match self.parser.context.inherent(self.name).contains(&name) {
            true => error::property_elsewhere(text, &op, span),
            false => error::no_property(text, &op, span),
        })
    }

    /// Records a property of a list, and refuses it if the text already contains it.
    fn start_listed(&mut self, name: AttrNameId, span: Span) -> ParseResult<()> {
        if self.parts.listed.contains(&name) || self.value_of(name).is_some() {
            return Err(error::repeated_property(self.parser.context.attr_name_text(name), span));
        }
        self.parts.listed.push(name);
        Ok(())
    }

    /// Reads `= value` after the name of a property. The value has the same text as outside of the list. A unit
    /// attribute needs no value.
    fn listed_value(
        &mut self,
        bound: &BoundSyntax,
        name: AttrNameId,
        element: Option<&Element>,
    ) -> ParseResult<()> {
        let Some(element) = element else {
            self.literal("=")?;
            let value = self.parser.attr(None)?;
            self.set_declared(name, value);
            return Ok(());
        };
        let is_unit = self.is_unit(bound, element);
        if is_unit && !self.parser.is(TokenKind::Equal) {
            self.set_unit(bound, element);
            return Ok(());
        }
        self.literal("=")?;
        match *element {
            Element::Attribute { .. } if is_unit => {
                self.literal("unit")?;
                self.set_unit(bound, element);
            }
            Element::Attribute { index, qualified } => {
                self.read_attribute(bound, index, qualified, false)?;
            }
            Element::Property(index) => {
                self.property(bound, index, false)?;
            }
            _ => {}
        }
        Ok(())
    }

    // Regions and successors.

    fn complete_region(&mut self, bound: &BoundSyntax, region: RegionId) -> ParseResult<()> {
        match &bound.syntax.terminator {
            Some(Terminator::Op(op)) => self.ensure_terminator(region, op),
            Some(Terminator::Class(class)) if !self.is_terminated(region, "") => {
                let span = self.parser.token_span(self.token);
                return Err(error::unknown_terminator(&self.op_name(), class, span));
            }
            None if bound.syntax.single_block && self.is_empty(region) => {
                self.add_block(region, &[]);
            }
            _ => {}
        }
        Ok(())
    }

    fn region_list(&mut self, bound: &BoundSyntax) -> ParseResult<Vec<RegionId>> {
        let mut regions = Vec::new();
        while self.parser.is(TokenKind::LBrace) {
            let region = self.region(&[])?;
            self.complete_region(bound, region)?;
            regions.push(region);
            if !self.parser.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(regions)
    }

    fn region_variable(&mut self, bound: &BoundSyntax, index: usize) -> ParseResult<()> {
        let variadic = bound.syntax.regions[index].variadic;
        let regions = match variadic {
            true => self.region_list(bound)?,
            false => {
                let region = self.region(&[])?;
                self.complete_region(bound, region)?;
                vec![region]
            }
        };
        self.parts.regions[index] = regions;
        Ok(())
    }

    fn successor_list(&mut self) -> ParseResult<Vec<BlockId>> {
        let mut successors = Vec::new();
        if self.is_successor() {
            successors.push(self.successor()?);
            while self.parser.eat(TokenKind::Comma) {
                successors.push(self.successor()?);
            }
        }
        Ok(successors)
    }

    fn successor_variable(&mut self, bound: &BoundSyntax, index: usize) -> ParseResult<()> {
        let variadic = bound.syntax.successors[index].variadic;
        let successors = if variadic { self.successor_list()? } else { vec![self.successor()?] };
        self.parts.successors[index] = successors;
        Ok(())
    }

    // Groups.

    /// True if the anchor is not written, because it is a unit attribute or unit property after the first element.
    fn is_elided(&self, bound: &BoundSyntax, group: &Group, first: Option<&Element>) -> bool {
        let Some(anchor) = group.anchor() else { return false };
        self.is_unit(bound, anchor) && first != Some(anchor)
    }

    fn is_unit(&self, bound: &BoundSyntax, element: &Element) -> bool {
        let syntax = &bound.syntax;
        match element {
            Element::Attribute { index, .. } => syntax.attributes[*index].syntax == AttrSyntax::Unit,
            Element::Property(index) => syntax.properties[*index].syntax == PropertySyntax::Unit,
            _ => false,
        }
    }

    fn set_unit(&mut self, bound: &BoundSyntax, element: &Element) {
        match element {
            Element::Attribute { index, .. } => {
                self.set_declared(bound.attribute_names[*index], Context::UNIT);
            }
            Element::Property(index) => {
                self.set_declared(bound.property_names[*index], Context::UNIT);
            }
            _ => {}
        }
    }

    fn group(&mut self, bound: &BoundSyntax, group: &Group) -> ParseResult<()> {
        let start = group.present.iter().position(|element| !element.is_blank()).unwrap_or(0);
        let Some(first) = group.present.get(start) else { return Ok(()) };
        let present = match first {
            Element::Literal(text) => self.optional_literal(text),
            Element::Operand(index) => {
                self.operand_group(bound, *index)?;
                !self.parts.operands[*index].is_empty()
            }
            Element::Attribute { index, qualified } => {
                self.read_attribute(bound, *index, *qualified, true)?
            }
            Element::Property(index) => self.property(bound, *index, true)?,
            Element::Region(index) => {
                if self.parser.is(TokenKind::LBrace) {
                    self.region_variable(bound, *index)?;
                    !self.parts.regions[*index].iter().all(|&region| self.is_empty(region))
                } else {
                    let variadic = bound.syntax.regions[*index].variadic;
                    if !variadic {
                        let region = self.empty_region();
                        self.parts.regions[*index] = vec![region];
                    }
                    false
                }
            }
            Element::Successor(index) => {
                let found = self.is_successor();
                if found {
                    self.successor_variable(bound, *index)?;
                }
                found
            }
            Element::Custom { name, args } => {
                let directive = self.directive(name)?;
                directive.read_optional(self, args)?
            }
            _ => false,
        };
        let (elements, skip) = if present { (&group.present, start + 1) } else { (&group.absent, 0) };
        let first = match present {
            true => Some(first),
            false => group.absent.iter().find(|element| !element.is_blank()),
        };
        let elided = self.is_elided(bound, group, first);
        let anchor = group.anchor();
        if elided
            && present != group.is_inverted()
            && let Some(anchor) = anchor
        {
            self.set_unit(bound, anchor);
        }
        for element in elements.iter().skip(skip) {
            if elided && Some(element) == anchor {
                continue;
            }
            self.element(bound, element, true)?;
        }
        Ok(())
    }

    fn oilist(&mut self, bound: &BoundSyntax, clauses: &[(String, Vec<Element>)]) -> ParseResult<()> {
        let mut seen = vec![false; clauses.len()];
        'clauses: loop {
            for (index, (word, elements)) in clauses.iter().enumerate() {
                if !self.is_literal(word) {
                    continue;
                }
                if std::mem::replace(&mut seen[index], true) {
                    let span = self.parser.token_span(self.parser.token);
                    return Err(error::custom_text(
                        &format!("the clause '{word}' can occur only once"),
                        span,
                    ));
                }
                self.parser.advance();
                match elements.as_slice() {
                    [only] if self.is_unit(bound, only) => self.set_unit(bound, only),
                    elements => self.elements(bound, elements, false)?,
                }
                continue 'clauses;
            }
            return Ok(());
        }
    }

    // The parts of the operation.

    /// Joins the groups into the operands, results, regions and successors of the operation.
    fn collect(&mut self, bound: &BoundSyntax) -> ParseResult<()> {
        let syntax = &bound.syntax;
        let span = self.parser.token_span(self.token);
        // Regions and successors of the operation.
        if self.parts.flat_regions.is_empty() && !syntax.regions.is_empty() {
            let groups = std::mem::take(&mut self.parts.regions);
            for (regions, part) in groups.into_iter().zip(&syntax.regions) {
                // If an optional group is absent from the text, its region exists, but is empty.
                if regions.is_empty() && !part.variadic {
                    let region = self.empty_region();
                    self.parts.flat_regions.push(region);
                }
                self.parts.flat_regions.extend(regions);
            }
        }
        self.parts.flat_successors.extend(self.parts.successors.iter().flatten());
        // Results.
        if let Some(types) = self.parts.all_result_types.take() {
            self.parts.flat_results.extend_from_slice(&types);
        } else {
            let mut sizes = SmallVec::<[i32; 8]>::new();
            for (index, group) in syntax.results.iter().enumerate() {
                let types = match self.parts.result_types[index].clone() {
                    Some(types) => types,
                    None => {
                        let fixed = bound.result_types[index];
                        let types = self.types_from(bound, &group.source, fixed, &group.name)?;
                        let types = types.unwrap_or_default();
                        if types.is_empty() && group.arity == Arity::One {
                            let reason = "the value that determines it is absent, so C++ code infers it";
                            return Err(error::cxx_type(&group.name, &self.op_name(), reason, span));
                        }
                        types
                    }
                };
                sizes.push(segment_size(types.len()));
                self.parts.flat_results.extend_from_slice(&types);
            }
            if syntax.result_sizes == GroupSizes::Attribute {
                let sizes = self.i32_array(&sizes);
                self.set_declared(bound.segments[1], sizes);
            }
        }
        // Operands.
        let all_types = self.parts.all_operand_types.take();
        if let Some(operands) = self.parts.all_operands.take() {
            let types = match all_types {
                Some(types) => types,
                None => {
                    let mut types = GroupTypes::new();
                    for (index, group) in syntax.operands.iter().enumerate() {
                        let known = match self.parts.operand_types[index].clone() {
                            Some(types) => types,
                            None => {
                                let fixed = bound.operand_types[index];
                                self.types_from(bound, &group.source, fixed, &group.name)?.unwrap_or_default()
                            }
                        };
                        types.extend(known);
                    }
                    // One type stands for all operands of a group of variable size.
                    if types.len() == 1 && syntax.operands.len() == 1 && operands.len() != 1 {
                        let from_elsewhere = !matches!(syntax.operands[0].source, TypeSource::Written);
                        if from_elsewhere {
                            types.resize(operands.len(), types[0]);
                        }
                    }
                    types
                }
            };
            return self.add_operands(&operands, &types);
        }
        let mut sizes = SmallVec::<[i32; 8]>::new();
        let mut flat = OperandNames::new();
        for (index, group) in syntax.operands.iter().enumerate() {
            let operands = std::mem::take(&mut self.parts.operands[index]);
            sizes.push(segment_size(operands.len()));
            if let Some(name) = &group.segments {
                let nested = std::mem::take(&mut self.parts.nested[index]);
                let nested = self.i32_array(&nested);
                self.set_inherent(name, nested);
            }
            if all_types.is_some() {
                flat.extend(operands);
                continue;
            }
            let types = match self.parts.operand_types[index].take() {
                Some(types) => types,
                None if operands.is_empty() => GroupTypes::new(),
                None => {
                    let fixed = bound.operand_types[index];
                    let mut types =
                        self.types_from(bound, &group.source, fixed, &group.name)?.unwrap_or_default();
                    if types.len() == 1 {
                        types.resize(operands.len(), types[0]);
                    }
                    types
                }
            };
            if types.len() != operands.len() {
                return Err(error::operand_types(operands.len(), types.len(), span));
            }
            self.add_operands(&operands, &types)?;
            // The types of other groups can be computed from these types.
            self.parts.operand_types[index] = Some(types);
        }
        if let Some(types) = all_types {
            self.add_operands(&flat, &types)?;
        }
        if syntax.operand_sizes == GroupSizes::Attribute {
            let sizes = self.i32_array(&sizes);
            self.set_declared(bound.segments[0], sizes);
        }
        Ok(())
    }

    /// The types of a group whose types the format does not contain. `fixed` is the type of the group if this type is a
    /// fixed builtin type.
    fn types_from(
        &mut self,
        bound: &BoundSyntax,
        source: &TypeSource,
        fixed: Option<TypeId>,
        name: &str,
    ) -> ParseResult<Option<GroupTypes>> {
        let (types, function) = match source {
            TypeSource::Written => return Ok(None),
            TypeSource::Fixed(text) => return Ok(Some(smallvec![self.stated_type(text, fixed)?])),
            TypeSource::Operand(index, function) => {
                let types = match &self.parts.all_operand_types {
                    Some(all) => Some(all.clone()),
                    None => self.parts.operand_types[*index].clone(),
                };
                (types, function)
            }
            TypeSource::Result(index, function) => {
                let types = match &self.parts.all_result_types {
                    Some(all) => Some(all.clone()),
                    None => self.parts.result_types[*index].clone(),
                };
                (types, function)
            }
            TypeSource::Attribute(index, function) => {
                let value = self.value_of(bound.attribute_names[*index]);
                let ty = value.and_then(|value| self.parser.context.contributed_type(value));
                if value.is_some() && ty.is_none() {
                    let attr = self.parser.context.attr_name_text(bound.attribute_names[*index]).to_owned();
                    let op = self.op_name();
                    return Err(error::untyped_attribute(
                        &attr,
                        name,
                        &op,
                        self.parser.token_span(self.token),
                    ));
                }
                (ty.map(|ty| smallvec![ty]), function)
            }
            TypeSource::Operands(function) => {
                let types = match &self.parts.all_operand_types {
                    Some(all) => all.to_vec(),
                    None => self.parts.operand_types.iter().flatten().flatten().copied().collect(),
                };
                let tuple = self.parser.context.intern_type(TypeKind::Tuple(types.into()));
                return self.apply(bound, function, tuple, name).map(Some);
            }
            TypeSource::Cxx(what) => {
                let op = self.op_name();
                return Err(error::cxx_type(name, &op, what, self.parser.token_span(self.token)));
            }
        };
        let Some(types) = types else { return Ok(None) };
        let Some(function) = function else { return Ok(Some(types)) };
        let Some(&first) = types.first() else { return Ok(Some(GroupTypes::new())) };
        if *function == TypeFunction::I1 {
            return Ok(Some(smallvec![Context::I1; types.len()]));
        }
        self.apply(bound, function, first, name).map(Some)
    }

    fn apply(
        &mut self,
        bound: &BoundSyntax,
        function: &TypeFunction,
        ty: TypeId,
        name: &str,
    ) -> ParseResult<GroupTypes> {
        // The context keeps the definition, so no other function has this address.
        let key = (std::ptr::from_ref(function) as usize, ty);
        if let Some(known) = self.state.inferred.get(&key) {
            return Ok(known.clone());
        }
        let text = self.parser.context.type_text(ty);
        let types = match bound.evaluator.apply(function, &text) {
            Ok(types) => {
                types.iter().map(|text| self.type_of_text(text)).collect::<ParseResult<GroupTypes>>()?
            }
            Err(reason) => {
                let op = self.op_name();
                let span = self.parser.token_span(self.token);
                // These functions get the types of all operands as a tuple type.
                let is_of_operands = matches!(function, TypeFunction::PtrSum | TypeFunction::BitVectorConcat);
                let types = text.strip_prefix("tuple<").and_then(|rest| rest.strip_suffix('>'));
                let from = types.filter(|_| is_of_operands).unwrap_or(&text);
                return Err(error::underivable_type(name, &op, from, &reason, span));
            }
        };
        self.state.inferred.insert(key, types.clone());
        Ok(types)
    }

    /// Reads the text after the operation's name, with the registered form or the declared format.
    pub(super) fn operation(mut self, loc: LocId) -> ParseResult<OpId> {
        let custom = Rc::clone(&self.custom);
        match (&custom.form, &custom.bound) {
            (Some(form), _) => self.by_form(&**form)?,
            (None, Some(bound)) if matches!(bound.syntax.syntax, Syntax::Declared { .. }) => {
                self.declared(bound)?
            }
            (None, bound) => {
                let text = self.parser.context.op_name_text(self.name);
                let span = self.parser.token_span(self.token);
                return Err(match bound.as_ref().map(|bound| &bound.syntax.syntax) {
                    Some(Syntax::Cxx) => error::cxx_form(text, span),
                    Some(Syntax::Generic) => error::no_form(text, span),
                    _ => error::custom_form(text, span),
                });
            }
        }
        self.state.last_op.end = self.parser.token.start;
        let loc = self.parser.stated_loc(self.state, loc)?;
        self.finish(loc)
    }
}

/// True if only a list of properties can start with `<` at `attr-dict`, because the text of the elements after
/// `attr-dict` cannot start with `<`.
fn is_list_certain(bound: &BoundSyntax) -> bool {
    let Syntax::Declared { elements, .. } = &bound.syntax.syntax else { return false };
    let place = elements.iter().position(|element| matches!(element, Element::AttrDict { .. }));
    place.is_some_and(|place| !can_start_list(bound, &elements[place + 1..]).unwrap_or(false))
}

/// True if the text of these elements can start with `<`. `None` if this text can be empty, but cannot start with `<`.
fn can_start_list(bound: &BoundSyntax, elements: &[Element]) -> Option<bool> {
    let syntax = &bound.syntax;
    let unless = |is_optional: bool| (!is_optional).then_some(false);
    elements.iter().find_map(|element| match element {
        Element::Literal(text) => Some(text.starts_with('<')),
        Element::Custom { .. } => Some(true),
        Element::Type { of, qualified } => match of {
            TypeOperand::Operand(index) => type_starts_list(&syntax.operands[*index], *qualified),
            TypeOperand::Result(index) => type_starts_list(&syntax.results[*index], *qualified),
            TypeOperand::Operands | TypeOperand::Results => None,
        },
        Element::Attribute { index, qualified } => {
            let attribute = &syntax.attributes[*index];
            match &attribute.syntax {
                AttrSyntax::Stripped(_) if !qualified => Some(true),
                _ => unless(attribute.optional),
            }
        }
        Element::Property(index) => unless(syntax.properties[*index].default.is_some()),
        Element::Operand(index) => unless(syntax.operands[*index].arity != Arity::One),
        Element::Region(index) => unless(syntax.regions[*index].variadic),
        Element::Successor(index) => unless(syntax.successors[*index].variadic),
        Element::FunctionalType { .. } => Some(false),
        Element::Oilist(clauses) => clauses.iter().any(|(word, _)| word == "<").then_some(true),
        Element::Group(group) => with_room(|| {
            match (can_start_list(bound, &group.present), can_start_list(bound, &group.absent)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }
        }),
        Element::Operands
        | Element::Regions
        | Element::Successors
        | Element::AttrDict { .. }
        | Element::PropDict
        | Element::Space { .. }
        | Element::Newline => None,
    })
}

/// [`can_start_list`] for the type of a group.
fn type_starts_list(group: &ValueGroup, qualified: bool) -> Option<bool> {
    match (group.arity, &group.ty) {
        (Arity::One, TypeSyntax::Stripped(_)) => Some(!qualified),
        (Arity::One, TypeSyntax::Full) => Some(false),
        (Arity::Optional | Arity::Variadic, _) => None,
    }
}

//! The reader for custom forms and directives.

use std::rc::Rc;

use hashbrown::HashSet;
use smallvec::SmallVec;

use super::lexer::{Token, TokenKind};
use super::parser::{DEPTH_LIMIT, Parser};
use super::state::{CustomName, FileState, GroupTypes, Parts};
use crate::host::{AttrNameId, OpNameId};
use crate::intern::StrId;
use crate::ir::attributes::{AttrKind, segment_size};
use crate::ir::context::Context;
use crate::ir::definitions::dialect_of;
use crate::ir::dialect::{
    Argument, CustomForm, DirectiveArg, FormReader, OpSyntax, OperandName, TextMark, TypeOperand,
};
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::{AttrId, BlockId, LocId, RegionId, TypeId, ValueId};
use crate::ir::module::{OpId, OpSpec};
use crate::ir::types::TypeKind;
use crate::source::Diagnostic;

/// The number of nesting levels by which each part of the custom form, except a region, is deeper in generic form: one
/// for a dictionary and one for a type.
pub(super) const FORM_LEVELS: u32 = 2;

/// The parser at an operation in custom form.
pub(super) struct FormParser<'p, 'a> {
    pub(super) parser: &'p mut Parser<'a>,
    pub(super) state: &'p mut FileState<'a>,
    /// The name of the operation in the text.
    pub(super) token: Token,
    pub(super) name: OpNameId,
    pub(super) custom: Rc<CustomName>,
    pub(super) parts: Box<Parts>,
    /// The name of the first result in the text.
    result_name: Option<Token>,
    /// An attribute that the form set although the operation already had it.
    repeated: Option<AttrNameId>,
}

impl<'p, 'a> FormParser<'p, 'a> {
    pub(super) fn new(
        parser: &'p mut Parser<'a>,
        state: &'p mut FileState<'a>,
        token: Token,
        custom: Rc<CustomName>,
    ) -> Self {
        let mut parts = state.spare.pop().unwrap_or_default();
        if let Some(bound) = &custom.bound {
            parts.set_groups(&bound.syntax);
        }
        let result_name = state.results.get(state.first_result).map(|(token, _)| *token);
        Self { parser, state, token, name: custom.name, custom, parts, result_name, repeated: None }
    }

    pub(super) fn syntax(&self) -> Option<&OpSyntax> {
        self.custom.bound.as_ref().map(|bound| &bound.syntax)
    }

    /// True if declared attributes of the operation are properties.
    fn uses_properties(&self) -> bool {
        self.syntax().is_none_or(|syntax| syntax.uses_properties)
    }

    /// Sets a declared attribute.
    pub(super) fn set_inherent(&mut self, name: &str, value: AttrId) {
        let name = self.parser.context.attr_name(name);
        self.set_declared(name, value);
    }

    pub(super) fn set_declared(&mut self, name: AttrNameId, value: AttrId) {
        let list = if self.uses_properties() { &mut self.parts.properties } else { &mut self.parts.attrs };
        list.retain(|entry| entry.0 != name);
        list.push((name, value));
    }

    /// The value of an attribute that was read or set.
    pub(super) fn value_of(&self, name: AttrNameId) -> Option<AttrId> {
        let mut all = self.parts.properties.iter().chain(&self.parts.attrs);
        all.find(|entry| entry.0 == name).map(|entry| entry.1)
    }

    pub(super) fn i32_array(&mut self, values: &[i32]) -> AttrId {
        let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.parser.context.intern_attr(AttrKind::DenseArray { element: Context::I32, data })
    }

    /// Adds the entries of a parsed dictionary. As in MLIR, they replace attributes that a declared format has set, but
    /// must not repeat attributes that a registered form or a list of properties has set.
    pub(super) fn add_entries(&mut self, entries: Vec<(AttrNameId, AttrId)>) -> ParseResult<()> {
        // As in MLIR, a dictionary in a declared format does not set properties that are not attributes, but it can
        // contain discardable attributes with the names of such properties.
        let is_declared = self.custom.form.is_none();
        let (context, op) = (&*self.parser.context, self.name);
        let is_property = |name| is_declared && context.is_property(op, name);
        let names = entries.iter().map(|entry| entry.0).filter(|&name| !is_property(name));
        if let Some(name) = names.clone().find(|name| self.parts.listed.contains(name)) {
            return Err(self.repeated(name));
        }
        // A comparison of each pair of entries would be slow for long dictionaries.
        let names: HashSet<AttrNameId> = names.collect();
        let is_new = |known: &(AttrNameId, AttrId)| !names.contains(&known.0);
        let parts = &mut *self.parts;
        if self.custom.form.is_some()
            && let Some(&(name, _)) = parts.properties.iter().chain(&parts.attrs).find(|known| !is_new(known))
        {
            return Err(self.repeated(name));
        }
        parts.properties.retain(is_new);
        parts.attrs.retain(is_new);
        let uses_properties = self.uses_properties();
        let inherent = self.parser.context.inherent(self.name);
        for entry in entries {
            let name = entry.0;
            match uses_properties && !is_property(name) && inherent.contains(&name) {
                true => self.parts.properties.push(entry),
                false => self.parts.attrs.push(entry),
            }
        }
        Ok(())
    }

    /// The error for an attribute that a custom form sets twice.
    pub(super) fn repeated(&self, name: AttrNameId) -> Box<Diagnostic> {
        let name = self.parser.context.attr_name_text(name);
        error::repeated_attribute(name, &self.op_name(), self.parser.token_span(self.token))
    }

    /// Reads the text after the operation's name, with a registered form.
    pub(super) fn by_form(&mut self, form: &dyn CustomForm) -> ParseResult<()> {
        form.read(self)?;
        self.repeated.map_or(Ok(()), |name| Err(self.repeated(name)))
    }

    /// True if the text can start with an attribute here.
    pub(super) fn is_attribute(&self) -> bool {
        let parser = &*self.parser;
        match parser.token.kind {
            TokenKind::Int
            | TokenKind::Float
            | TokenKind::Minus
            | TokenKind::Str
            | TokenKind::At
            | TokenKind::LSquare
            | TokenKind::LBrace
            | TokenKind::Hash => true,
            TokenKind::Bare => {
                let words = [
                    "affine_map",
                    "affine_set",
                    "array",
                    "dense",
                    "dense_resource",
                    "distinct",
                    "false",
                    "true",
                    "unit",
                    "loc",
                    "sparse",
                    "strided",
                ];
                words.contains(&parser.str(parser.token)) || self.is_type()
            }
            _ => self.is_type(),
        }
    }

    /// Reads an attribute that is written without its class, if the text starts with such an attribute.
    pub(super) fn optional_stripped(&mut self, class: &str) -> ParseResult<Option<AttrId>> {
        if self.parser.is(TokenKind::Hash) {
            return self.parser.attr(None).map(Some);
        }
        let text = self.parser.chars;
        let starts = match self.parser.context.body_of(class) {
            Some((bodies, id)) => bodies.body_starts_at(id, text, self.parser.token.start),
            None => self.parser.is(TokenKind::Less),
        };
        if starts { self.stripped(class).map(Some) } else { Ok(None) }
    }

    /// Parses a text that is not part of the file. An error is reported at the current token.
    fn attr_from(&mut self, text: &str) -> ParseResult<AttrId> {
        let span = self.parser.token_span(self.parser.token);
        self.parser.context.parse_attr(text).map_err(|mut error| {
            error.labels.clear();
            Box::new(error.at(span, ""))
        })
    }

    fn type_from(&mut self, text: &str) -> ParseResult<TypeId> {
        if let Some(&known) = self.state.type_texts.get(text) {
            return Ok(known);
        }
        let span = self.parser.token_span(self.parser.token);
        let ty = self.parser.context.parse_type(text).map_err(|mut error| {
            error.labels.clear();
            Box::new(error.at(span, ""))
        })?;
        self.state.type_texts.insert(text.to_owned(), ty);
        Ok(ty)
    }

    /// Reads a type that is written without its class, or any type in full.
    pub(super) fn stripped_type(&mut self, class: &str) -> ParseResult<TypeId> {
        if self.parser.is(TokenKind::Exclaim) || self.is_builtin_type() {
            return self.parser.ty();
        }
        let body = self.parser.nested(|parser| parser.stripped_body(class))?;
        Ok(self.parser.context.intern_type(TypeKind::Dialect(body)))
    }

    fn is_builtin_type(&self) -> bool {
        self.parser.is(TokenKind::Bare) && self.is_type() || self.parser.is(TokenKind::LParen)
    }

    /// Creates the operation from its parts.
    pub(super) fn finish(mut self, loc: LocId) -> ParseResult<OpId> {
        for index in 0..self.parts.flat_operands.len() {
            let (name, ty) = self.parts.flat_operands[index];
            let used = self.parts.uses[name.0 as usize];
            let value = self.parser.resolve(&mut self.state.module, used, ty)?;
            self.parts.values.push(value);
        }
        if let Some(bound) = &self.custom.bound {
            let parts = &mut self.parts;
            let entries = if bound.syntax.uses_properties { &mut parts.properties } else { &mut parts.attrs };
            for &(name, value) in &bound.filled {
                if !entries.iter().any(|entry| entry.0 == name) {
                    entries.push((name, value));
                }
            }
        }
        let Self { parser, state, token, name, mut parts, .. } = self;
        state.last_op.uses.clear();
        state.last_op.uses.extend(parts.flat_operands.iter().map(|(name, _)| parts.uses[name.0 as usize]));
        state.last_op.reads_names = parts.reads_names.get();
        let properties = parser.context.dictionary(&mut parts.properties);
        let spec = OpSpec {
            name,
            operands: &parts.values,
            result_types: &parts.flat_results,
            attrs: parser.context.dictionary(&mut parts.attrs),
            properties: parser.stored_properties(name, properties, token)?,
            successors: &parts.flat_successors,
            regions: 0,
            loc,
        };
        let op = state.module.create_around(&spec, &parts.flat_regions);
        parts.clear();
        state.spare.push(parts);
        Ok(op)
    }

    fn group_of(&mut self, arg: &DirectiveArg) -> Option<&mut Option<GroupTypes>> {
        match arg.target() {
            DirectiveArg::Type(TypeOperand::Operand(index)) | DirectiveArg::Operand(index) => {
                self.parts.operand_types.get_mut(*index)
            }
            DirectiveArg::Type(TypeOperand::Result(index)) => self.parts.result_types.get_mut(*index),
            _ => None,
        }
    }

    fn attribute_name(&self, arg: &DirectiveArg) -> Option<String> {
        let syntax = self.syntax()?;
        match arg.target() {
            DirectiveArg::Attribute(index) => Some(syntax.attributes.get(*index)?.name.clone()),
            DirectiveArg::Property(index) => Some(syntax.properties.get(*index)?.name.clone()),
            _ => None,
        }
    }

    fn is_end_of_block(&self, region: RegionId, op: &str) -> bool {
        let module = &self.state.module;
        let Some(block) = module.last_block(region) else { return false };
        let Some(last) = module.last_op(block) else { return false };
        let name = module.name(last);
        self.parser.context.op_name_text(name) == op
            || self.parser.context.traits(name).contains(crate::ir::traits::OpTraits::TERMINATOR)
    }
}

impl FormReader for FormParser<'_, '_> {
    fn literal(&mut self, text: &str) -> ParseResult<()> {
        if self.optional_literal(text) { Ok(()) } else { Err(self.expected(&format!("'{text}'"))) }
    }

    fn optional_literal(&mut self, text: &str) -> bool {
        let found = self.is_literal(text);
        if found {
            // MLIR's lexer has no token `::`, so the literal `:` also matches the first half of this lexer's `::`.
            self.parser.reset(self.parser.token.start + text.len());
        }
        found
    }

    fn is_literal(&self, text: &str) -> bool {
        // No other kind of token has the text of a keyword or punctuation.
        self.parser.slice(self.parser.token) == text.as_bytes()
            || text == ":" && self.parser.is(TokenKind::ColonColon)
    }

    fn mark(&self) -> TextMark {
        TextMark(self.parser.token.start)
    }

    fn return_to(&mut self, mark: TextMark) {
        self.parser.reset(mark.0);
    }

    fn optional_keyword(&mut self) -> Option<String> {
        if !self.parser.is(TokenKind::Bare) {
            return None;
        }
        let word = self.parser.str(self.parser.token).to_owned();
        self.parser.advance();
        Some(word)
    }

    fn optional_integer(&mut self) -> ParseResult<Option<i64>> {
        if self.parser.is(TokenKind::Int) || self.parser.is(TokenKind::Minus) {
            return self.parser.i64("an integer").map(Some);
        }
        Ok(None)
    }

    fn optional_string(&mut self) -> Option<String> {
        if !self.parser.is(TokenKind::Str) {
            return None;
        }
        let text = self.parser.string_value(self.parser.token).into_owned();
        self.parser.advance();
        Some(text)
    }

    fn optional_symbol(&mut self) -> Option<String> {
        if !self.parser.is(TokenKind::At) {
            return None;
        }
        let name = self.parser.symbol_name(self.parser.token).into_owned();
        self.parser.advance();
        Some(name)
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let error = self.parser.expected(what);
        let op = self.parser.context.op_name_text(self.name);
        error::in_custom_form(*error, op, self.syntax().map(|syntax| &syntax.syntax))
    }

    fn fail(&self, message: &str) -> Box<Diagnostic> {
        error::custom_text(message, self.parser.token_span(self.token))
    }

    fn op_name(&self) -> String {
        self.parser.context.op_name_text(self.name).to_owned()
    }

    fn result_name(&self) -> Option<String> {
        self.parts.reads_names.set(true);
        let token = self.result_name?;
        Some(self.parser.str(token).trim_start_matches('%').to_owned())
    }

    fn operand(&mut self) -> ParseResult<OperandName> {
        if !self.is_operand() {
            return Err(self.expected("an operand"));
        }
        let used = self.parser.value_use()?;
        let index = u32::try_from(self.parts.uses.len())
            .map_err(|_| error::too_large("the number of operands", self.parser.token_span(self.token)))?;
        self.parts.uses.push(used);
        Ok(OperandName(index))
    }

    fn operand_text(&self, name: OperandName) -> String {
        self.parts.reads_names.set(true);
        let used = self.parts.uses[name.0 as usize];
        let name = self.parser.str(used.token);
        if used.index == 0 { name.to_owned() } else { format!("{name}#{}", used.index) }
    }

    fn sizes(&mut self) -> ParseResult<Vec<i64>> {
        self.parser.plain_dimensions()
    }

    fn is_operand(&self) -> bool {
        self.parser.is(TokenKind::Percent)
    }

    fn ty(&mut self) -> ParseResult<TypeId> {
        self.parser.ty()
    }

    fn is_type(&self) -> bool {
        self.parser.starts_type()
    }

    fn result_types(&mut self) -> ParseResult<Vec<TypeId>> {
        self.parser.result_types()
    }

    fn attribute(&mut self, ty: Option<TypeId>) -> ParseResult<AttrId> {
        self.parser.attr(ty)
    }

    fn stripped(&mut self, class: &str) -> ParseResult<AttrId> {
        if self.parser.is(TokenKind::Hash) {
            return self.parser.attr(None);
        }
        let key = self
            .parser
            .plain_body(self.parser.token.start)
            .map(|text| (self.parser.context.string(class), text));
        if let Some(key) = key
            && let Some(&known) = self.parser.known_stripped.get(&key)
            && self.parser.depth < DEPTH_LIMIT
        {
            let start = self.parser.token.start;
            self.parser.deepest = self.parser.deepest.max(self.parser.depth + 1);
            self.parser.reset(start + key.1.len());
            return Ok(known);
        }
        let start = self.parser.token.start;
        let body = self.parser.nested(|parser| parser.stripped_body(class))?;
        let attr = self.parser.dialect_attr(body, None);
        if let Some(key) = key
            && self.parser.text[..self.parser.token.start].trim_ascii_end().len() == start + key.1.len()
        {
            self.parser.known_stripped.insert(key, attr);
        }
        Ok(attr)
    }

    fn attr_dict(&mut self, keyword: bool) -> ParseResult<()> {
        if keyword && !self.parser.eat_keyword("attributes") {
            return Ok(());
        }
        if !keyword && !self.parser.is(TokenKind::LBrace) {
            return Ok(());
        }
        let mut entries = Vec::new();
        self.parser.dictionary_entries(&mut entries)?;
        self.add_entries(entries)
    }

    fn add_attributes(&mut self, dictionary: AttrId) -> ParseResult<()> {
        let entries = self.parser.context.entries(dictionary).to_vec();
        self.add_entries(entries)
    }

    fn optional_dictionary(&mut self) -> ParseResult<Option<AttrId>> {
        if self.parser.is(TokenKind::LBrace) { self.parser.dictionary().map(Some) } else { Ok(None) }
    }

    fn argument_loc(&mut self, name: Option<OperandName>) -> ParseResult<LocId> {
        let token = name.map_or(self.parser.token, |name| self.parts.uses[name.0 as usize].token);
        let place = self.parser.place(self.state, token.start);
        self.parser.stated_loc(self.state, place)
    }

    fn region(&mut self, arguments: &[Argument]) -> ParseResult<RegionId> {
        if !self.parser.is(TokenKind::LBrace) {
            return Err(self.expected("'{' to begin a region"));
        }
        let arguments: SmallVec<[(Token, TypeId, LocId); 4]> = arguments
            .iter()
            .map(|argument| (self.parts.uses[argument.name.0 as usize].token, argument.ty, argument.loc))
            .collect();
        // A region has the same depth as in generic form.
        let depth = self.parser.depth;
        self.parser.depth = depth.saturating_sub(FORM_LEVELS);
        let dialect = default_dialect(self.parser.context, self.name);
        let region = self.parser.region(self.state, self.name, dialect, &arguments);
        self.parser.depth = depth;
        region
    }

    fn labelled_region(&mut self, arguments: &[Argument]) -> ParseResult<RegionId> {
        let labelled = self.parser.is(TokenKind::LBrace) && self.parser.next_is(TokenKind::Caret);
        self.region(if labelled { &[] } else { arguments })
    }

    fn empty_region(&mut self) -> RegionId {
        self.state.module.create_region()
    }

    fn ensure_terminator(&mut self, region: RegionId, op: &str) {
        if self.state.module.first_block(region).is_none() {
            self.state.module.append_block(region);
        }
        if !self.is_end_of_block(region, op) {
            self.append(region, op, &[], &[], &[], &[]);
        }
    }

    fn is_terminated(&self, region: RegionId, op: &str) -> bool {
        self.is_end_of_block(region, op)
    }

    fn last_results(&self, region: RegionId) -> Vec<ValueId> {
        let module = &self.state.module;
        let last = module.last_block(region).and_then(|block| module.last_op(block));
        last.map_or_else(Vec::new, |op| module.results(op).collect())
    }

    fn value_type(&self, value: ValueId) -> TypeId {
        self.state.module.value_type(value)
    }

    fn is_empty(&self, region: RegionId) -> bool {
        self.state.module.first_block(region).is_none()
    }

    fn add_block(&mut self, region: RegionId, types: &[TypeId]) -> Vec<ValueId> {
        let block = self.state.module.append_block(region);
        let loc = self.parser.place(self.state, self.token.start);
        types.iter().map(|&ty| self.state.module.add_arg(block, ty, loc)).collect()
    }

    fn resolve(&mut self, operand: OperandName, ty: TypeId) -> ParseResult<ValueId> {
        let used = self.parts.uses[operand.0 as usize];
        self.parser.resolve(&mut self.state.module, used, ty)
    }

    fn append(
        &mut self,
        region: RegionId,
        op: &str,
        operands: &[ValueId],
        properties: &[(&str, AttrId)],
        results: &[TypeId],
        regions: &[RegionId],
    ) -> Vec<ValueId> {
        let Some(block) = self.state.module.last_block(region) else { return Vec::new() };
        let loc = self.parser.place(self.state, self.token.start);
        // If the definitions are missing or have errors, no defaults are added.
        let _ = self.parser.context.load_dialect(dialect_of(op));
        let name = self.parser.context.op_name(op);
        let properties = self.dictionary_of(properties);
        let properties = self.parser.with_default(name, properties);
        let spec = OpSpec {
            name,
            operands,
            result_types: results,
            attrs: Context::EMPTY_DICTIONARY,
            properties,
            successors: &[],
            regions: 0,
            loc,
        };
        let op = self.state.module.create_around(&spec, regions);
        self.state.module.append(block, op);
        self.state.module.results(op).collect()
    }

    fn successor(&mut self) -> ParseResult<BlockId> {
        if !self.is_successor() {
            return Err(self.expected("a block name"));
        }
        self.parser.successor(self.state)
    }

    fn is_successor(&self) -> bool {
        self.parser.is(TokenKind::Caret)
    }

    fn add_operands(&mut self, operands: &[OperandName], types: &[TypeId]) -> ParseResult<()> {
        if operands.len() != types.len() {
            let span = self.parser.token_span(self.token);
            return Err(error::operand_types(operands.len(), types.len(), span));
        }
        self.parts.flat_operands.extend(operands.iter().copied().zip(types.iter().copied()));
        Ok(())
    }

    fn add_results(&mut self, types: &[TypeId]) {
        self.parts.flat_results.extend_from_slice(types);
    }

    fn add_region(&mut self, region: RegionId) {
        self.parts.flat_regions.push(region);
    }

    fn add_successor(&mut self, block: BlockId) {
        self.parts.flat_successors.push(block);
    }

    fn set(&mut self, name: &str, value: AttrId) {
        let name = self.parser.context.attr_name(name);
        if self.value_of(name).is_some() {
            self.repeated = Some(name);
        }
        self.set_declared(name, value);
    }

    fn replace(&mut self, name: &str, value: AttrId) {
        self.set_inherent(name, value);
    }

    fn get(&self, name: &str) -> Option<AttrId> {
        self.value_of(self.parser.context.find_attr_name(name)?)
    }

    fn set_discardable(&mut self, name: &str, value: AttrId) {
        let name = self.parser.context.attr_name(name);
        if self.value_of(name).is_some() {
            self.repeated = Some(name);
        }
        self.parts.attrs.push((name, value));
    }

    fn put_operands(&mut self, arg: &DirectiveArg, operands: &[OperandName]) {
        if let DirectiveArg::Operand(index) = arg.target()
            && let Some(group) = self.parts.operands.get_mut(*index)
        {
            *group = operands.into();
        }
    }

    fn put_operand_lists(&mut self, arg: &DirectiveArg, lists: &[Vec<OperandName>]) {
        self.put_operands(arg, &lists.concat());
        if let DirectiveArg::Operand(index) = arg.target()
            && let Some(sizes) = self.parts.nested.get_mut(*index)
        {
            *sizes = lists.iter().map(|list| segment_size(list.len())).collect();
        }
    }

    fn put_types(&mut self, arg: &DirectiveArg, types: &[TypeId]) {
        if let Some(group) = self.group_of(arg) {
            *group = Some(types.into());
        }
    }

    fn put_attribute(&mut self, arg: &DirectiveArg, value: AttrId) {
        if let Some(name) = self.attribute_name(arg) {
            self.set_inherent(&name, value);
        }
    }

    fn put_regions(&mut self, arg: &DirectiveArg, regions: &[RegionId]) {
        if let DirectiveArg::Region(index) = arg.target()
            && let Some(group) = self.parts.regions.get_mut(*index)
        {
            *group = regions.to_vec();
        }
    }

    fn put_successors(&mut self, arg: &DirectiveArg, successors: &[BlockId]) {
        if let DirectiveArg::Successor(index) = arg.target()
            && let Some(group) = self.parts.successors.get_mut(*index)
        {
            *group = successors.to_vec();
        }
    }

    fn operand_count(&self, arg: &DirectiveArg) -> usize {
        self.operands_of(arg).len()
    }

    fn operands_of(&self, arg: &DirectiveArg) -> Vec<OperandName> {
        match arg.target() {
            DirectiveArg::Operand(index) => {
                self.parts.operands.get(*index).map_or_else(Vec::new, |o| o.to_vec())
            }
            _ => Vec::new(),
        }
    }

    fn types_of(&self, arg: &DirectiveArg) -> Vec<TypeId> {
        let types = match arg.target() {
            DirectiveArg::Type(TypeOperand::Operand(index)) | DirectiveArg::Operand(index) => {
                self.parts.operand_types.get(*index)
            }
            DirectiveArg::Type(TypeOperand::Result(index)) => self.parts.result_types.get(*index),
            _ => None,
        };
        types.and_then(Option::as_ref).map_or_else(Vec::new, |types| types.to_vec())
    }

    fn attribute_of(&self, arg: &DirectiveArg) -> Option<AttrId> {
        self.get(&self.attribute_name(arg)?)
    }

    fn type_kind(&self, ty: TypeId) -> &TypeKind {
        self.parser.context.type_kind(ty)
    }

    fn attr_kind(&self, attr: AttrId) -> &AttrKind {
        self.parser.context.attr_kind(attr)
    }

    fn intern_type(&mut self, kind: TypeKind) -> TypeId {
        self.parser.context.intern_type(kind)
    }

    fn intern_attr(&mut self, kind: AttrKind) -> AttrId {
        self.parser.context.intern_attr(kind)
    }

    fn type_of_text(&mut self, text: &str) -> ParseResult<TypeId> {
        self.type_from(text)
    }

    fn attr_of_text(&mut self, text: &str) -> ParseResult<AttrId> {
        self.attr_from(text)
    }

    fn str(&self, id: StrId) -> &str {
        self.parser.context.str(id)
    }

    fn string_attr(&mut self, text: &str) -> AttrId {
        self.parser.context.string_attr(text)
    }

    fn dictionary_of(&mut self, entries: &[(&str, AttrId)]) -> AttrId {
        let mut entries: Vec<_> =
            entries.iter().map(|&(name, value)| (self.parser.context.attr_name(name), value)).collect();
        self.parser.context.dictionary(&mut entries)
    }

    fn entries(&self, attr: AttrId) -> Vec<(String, AttrId)> {
        self.parser.context.named_entries(attr)
    }

    fn type_of_attr(&self, attr: AttrId) -> Option<TypeId> {
        self.parser.context.attr_type(attr)
    }

    fn type_text(&self, ty: TypeId) -> String {
        self.parser.context.type_text(ty)
    }

    fn attr_text(&self, attr: AttrId) -> String {
        self.parser.context.attr_text(attr)
    }
}

/// The default dialect in the regions of an operation in custom form; an empty name if there is none.
fn default_dialect(context: &mut Context, op: OpNameId) -> StrId {
    match context.syntax(op).cloned() {
        Some(bound) => context.string(bound.syntax.default_dialect.as_deref().unwrap_or("")),
        None => context.string(""),
    }
}

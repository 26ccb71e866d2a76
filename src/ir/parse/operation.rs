//! Parses files, operations in generic form, blocks and regions.

use std::rc::Rc;

use super::form::{FORM_LEVELS, FormParser};
use super::lexer::{self, Token, TokenKind};
use super::op_cache::CachedOperand;
use super::parser::{DEPTH_LIMIT, Parser};
use super::ssa_names::OperandUse;
use super::state::{BlockNames, CustomName, FileState};
use crate::host::{AttrNameId, OpNameId};
use crate::id::Id;
use crate::intern::StrId;
use crate::ir::attributes::{AttrKind, LocKind};
use crate::ir::context::Context;
use crate::ir::definitions::dialect_of;
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::{AttrId, LocId, TypeId};
use crate::ir::module::{BlockId, OpId, OpSpec, RegionId};
use crate::ir::verbatim::AliasTarget;
use crate::stack::with_room;

impl<'a> Parser<'a> {
    /// Parses a file, or the part of it that begins at the offset `start`.
    pub(super) fn file(&mut self, state: &mut FileState<'a>, file: StrId, start: usize) -> ParseResult<()> {
        let body = state.module.body();
        loop {
            match self.token.kind {
                TokenKind::Eof => break,
                TokenKind::Hash | TokenKind::Exclaim => {
                    let (name, target) = self.alias_definition()?;
                    self.keep_alias(state, name, target);
                }
                TokenKind::MetadataBegin => self.resources(state)?,
                _ => self.ops(state, body, |kind| {
                    matches!(
                        kind,
                        TokenKind::Eof | TokenKind::Hash | TokenKind::Exclaim | TokenKind::MetadataBegin
                    )
                })?,
            }
        }
        let blocks = state.blocks.pop().unwrap_or_default();
        if !self.more_errors.is_empty() {
            return Ok(());
        }
        self.check_forwards(0)?;
        self.check_blocks(&blocks)?;
        // If the only operation is a module, it becomes the top operation. Otherwise, a new module contains the
        // operations.
        let top = state.module.first_op(body);
        match top {
            Some(op)
                if state.module.next(op).is_none()
                    && state.module.name(op) == state.module.name(state.module.top()) =>
            {
                state.module.detach(op);
                state.module.set_top(op);
            }
            // The printed text has one more level, the region of the new module.
            _ if self.deepest + 1 > DEPTH_LIMIT => {
                return Err(error::too_deep(DEPTH_LIMIT, self.token_span(self.token)));
            }
            _ => {
                let source = self.source.filter(|_| start > 0);
                let (line, column) = source.map_or((0, 0), |source| source.line_column(start));
                let loc = self.context.intern_loc(LocKind::FileLineCol { file, line, column });
                let top = state.module.top();
                state.module.set_loc(top, loc);
            }
        }
        Ok(())
    }

    /// Stores the name of an alias, without its number.
    fn keep_alias(&mut self, state: &mut FileState<'a>, name: &[u8], target: AliasTarget) {
        let name = String::from_utf8_lossy(&name[1..]);
        let stem = self.context.string(name.trim_end_matches(|c: char| c.is_ascii_digit()));
        state.module.aliases.push((target, stem));
    }

    // Operations.

    /// Parses an operation, and appends it to a block.
    fn op(&mut self, state: &mut FileState<'a>, block: BlockId) -> ParseResult<()> {
        let base = state.results.len();
        state.first_result = base;
        // The name of the operation is not read as a token yet, because it is not needed if the cache has the line.
        let start = if self.is(TokenKind::Percent) { self.result_names(state)? } else { self.token.start };
        // An operation has the same depth in generic and in custom form, with or without locations.
        let levels = self.depth + FORM_LEVELS;
        if levels > DEPTH_LIMIT {
            self.reset(start);
            return Err(error::too_deep(DEPTH_LIMIT, self.token_span(self.token)));
        }
        let op = match self.cached_op(state, start, levels)? {
            Some(op) => op,
            None => {
                // The current token is the `=` after the names of results, or the name of the operation.
                if self.token.start < start {
                    self.reset(start);
                }
                self.new_op(state, levels)?
            }
        };
        state.module.append(block, op);
        if base < state.results.len() {
            self.bind_results(state, base, op, start)?;
        }
        Ok(())
    }

    /// Parses an operation without its result names. The current token is its name, and `levels` its depth.
    fn new_op(&mut self, state: &mut FileState<'a>, levels: u32) -> ParseResult<OpId> {
        let token = self.token;
        let outer = std::mem::replace(&mut self.deepest, levels);
        let op = match token.kind {
            TokenKind::Str => self.generic_op(state),
            TokenKind::Bare => {
                self.depth = levels;
                let op = with_room(|| self.custom_op(state));
                self.depth = levels - FORM_LEVELS;
                op
            }
            _ => Err(self.expected("an operation name in quotes")),
        };
        let height = self.deepest - levels;
        self.deepest = self.deepest.max(outer);
        let op = op?;
        state.op_cache.keep(&state.module, op, &state.last_op, token.start, height);
        Ok(op)
    }

    /// Reads an operation from the cache, if its line equals an earlier line except for the names of values. Its name
    /// starts at `start`, and `levels` is its depth. Returns `None`, and reads nothing, if there is no such line.
    fn cached_op(
        &mut self,
        state: &mut FileState<'a>,
        start: usize,
        levels: u32,
    ) -> ParseResult<Option<OpId>> {
        let dialect = state.default_dialects.last().copied();
        let found = state.op_cache.find(self.text, start, dialect);
        // A text that is too deep is parsed, because parsing reports the error.
        let Some((known, next)) = found.filter(|(known, _)| levels + known.height <= DEPTH_LIMIT) else {
            return Ok(None);
        };
        self.deepest = self.deepest.max(levels + known.height);
        let place = self.place(state, start);
        self.token = next;
        let loc = self.stated_loc(state, place)?;
        let base = state.operands.len();
        let FileState { module, operands, op_cache, .. } = state;
        for (CachedOperand { index, ty, .. }, token) in op_cache.operands(known) {
            let used = OperandUse { slot: self.slot(token), index, token };
            operands.push(self.resolve(module, used, ty)?);
        }
        let spec = OpSpec {
            name: known.name,
            operands: &operands[base..],
            result_types: op_cache.results(known),
            attrs: known.attrs,
            properties: known.properties,
            successors: &[],
            regions: 0,
            loc,
        };
        let op = module.create(&spec);
        operands.truncate(base);
        Ok(Some(op))
    }

    /// Reads the names of results, and returns the offset of the name of the operation. The current token is then `=`.
    fn result_names(&mut self, state: &mut FileState<'a>) -> ParseResult<usize> {
        loop {
            let token = self.expect(TokenKind::Percent, "an SSA result name")?;
            state.results.push((token, self.result_count()?));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.is(TokenKind::Equal) {
            return Err(self.expected("'=' after SSA names"));
        }
        Ok(lexer::skip_blanks(self.text, self.token.end))
    }

    /// Parses the number of results to which the preceding name refers: `:N`, or nothing for one result.
    pub(crate) fn result_count(&mut self) -> ParseResult<u32> {
        if !self.eat(TokenKind::Colon) {
            return Ok(1);
        }
        let at = self.token;
        match self.u32("a result count")? {
            0 => Err(error::no_results(self.token_span(at))),
            count => Ok(count),
        }
    }

    /// Defines the result names in `state.results` from the index `base` on. The name of the operation starts at
    /// `start`.
    fn bind_results(
        &mut self,
        state: &mut FileState<'a>,
        base: usize,
        op: OpId,
        start: usize,
    ) -> ParseResult<()> {
        let module = &mut state.module;
        let results = module.result_count(op);
        let named: u64 = state.results[base..].iter().map(|&(_, count)| u64::from(count)).sum();
        if named != u64::from(results) {
            let name = lexer::token(self.text, start);
            return Err(error::result_count(named, results, self.token_span(name)));
        }
        let mut first = 0;
        for i in base..state.results.len() {
            let (token, count) = state.results[i];
            let value = module.result(op, first);
            self.define(module, token, value, count)?;
            first += count;
        }
        state.results.truncate(base);
        Ok(())
    }

    fn generic_op(&mut self, state: &mut FileState<'a>) -> ParseResult<OpId> {
        let token = self.token;
        if token.end - token.start == 2 {
            return Err(error::empty_operation_name(self.token_span(token)));
        }
        let name = {
            let inside = Token { start: token.start + 1, end: token.end - 1, ..token };
            match self.str(inside) {
                name if memchr::memchr(b'\\', name.as_bytes()).is_none() => self.context.op_name(name),
                _ => {
                    let name = self.string_value(token);
                    if name.contains('\0') {
                        return Err(error::nul_in_operation_name(self.token_span(token)));
                    }
                    self.context.op_name(&name)
                }
            }
        };
        self.look_up(name);
        let mut loc = self.place(state, token.start);
        self.advance();
        let (uses, successors) = (state.uses.len(), state.successors.len());
        self.expect(TokenKind::LParen, "'(' before operands")?;
        if !self.eat(TokenKind::RParen) {
            loop {
                let used = self.value_use()?;
                state.uses.push(used);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RParen, "')' after operands")?;
        }
        if self.eat(TokenKind::LSquare) {
            loop {
                let block = self.successor(state)?;
                state.successors.push(block);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RSquare, "']' after successors")?;
        }
        let apart = self.is(TokenKind::Less);
        let mut properties = Context::EMPTY_DICTIONARY;
        if apart {
            properties = self.properties()?;
            properties = self.defined_properties(name, properties, token)?;
        }
        let mut regions = Vec::new();
        if self.eat(TokenKind::LParen) {
            loop {
                // As in MLIR, the generic form of an operation does not change the default dialect.
                let dialect = state.default_dialects.last().copied();
                let dialect = dialect.unwrap_or_else(|| self.context.string(""));
                regions.push(self.region(state, name, dialect, &[])?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RParen, "')' after regions")?;
        }
        let mut attrs =
            if self.is(TokenKind::LBrace) { self.dictionary()? } else { Context::EMPTY_DICTIONARY };
        (properties, attrs) = self.dictionaries(name, apart.then_some(properties), attrs);
        properties = self.stored_properties(name, properties, token)?;
        self.expect(TokenKind::Colon, "':' and the operation's type")?;
        let types = state.types.len();
        let results = self.op_type(state, uses, types, token)?;
        let operands = state.operands.len();
        for i in uses..state.uses.len() {
            let value = self.resolve(&mut state.module, state.uses[i], state.types[types + i - uses])?;
            state.operands.push(value);
        }
        state.last_op.uses.clear();
        state.last_op.uses.extend_from_slice(&state.uses[uses..]);
        state.last_op.reads_names = false;
        state.last_op.end = self.token.start;
        loc = self.stated_loc(state, loc)?;
        let spec = OpSpec {
            name,
            operands: &state.operands[operands..],
            result_types: &state.types[results..],
            attrs,
            properties,
            successors: &state.successors[successors..],
            regions: 0,
            loc,
        };
        let op = state.module.create_around(&spec, &regions);
        state.uses.truncate(uses);
        state.operands.truncate(operands);
        state.types.truncate(types);
        state.successors.truncate(successors);
        Ok(op)
    }

    /// Looks up the dialect of an operation in generic form, once.
    fn look_up(&mut self, name: OpNameId) {
        if self.looked_up.get(name.index()).copied().unwrap_or(false) {
            return;
        }
        self.context.load_dialect_of_generic(name);
        if self.looked_up.len() <= name.index() {
            self.looked_up.resize(name.index() + 1, false);
        }
        self.looked_up[name.index()] = true;
    }

    /// Removes the properties that the definition of an operation does not declare, because MLIR ignores them. Stated
    /// properties are an error if the definition declares no properties, or if they are not a dictionary. `token` is
    /// the name of the operation.
    pub(super) fn defined_properties(
        &mut self,
        op: OpNameId,
        properties: AttrId,
        token: Token,
    ) -> ParseResult<AttrId> {
        if self.context.syntax(op).is_none() {
            return Ok(properties);
        }
        let defined = self.context.inherent(op);
        if defined.is_empty() {
            return Err(error::no_properties(self.context.op_name_text(op), self.token_span(token)));
        }
        if !matches!(self.context.attr_kind(properties), AttrKind::Dictionary(_)) {
            let (op, properties) = (self.context.op_name_text(op), self.context.attr_text(properties));
            return Err(error::invalid_properties(&properties, op, self.token_span(token)));
        }
        let mut entries = self.context.entries(properties).to_vec();
        let stated = entries.len();
        entries.retain(|(name, _)| defined.contains(name));
        Ok(if entries.len() < stated { self.context.dictionary(&mut entries) } else { properties })
    }

    /// The properties and the discardable attributes of an operation with these dictionaries in its generic form.
    pub(super) fn dictionaries(
        &mut self,
        name: OpNameId,
        properties: Option<AttrId>,
        attrs: AttrId,
    ) -> (AttrId, AttrId) {
        if self.context.inherent(name).is_empty() {
            let has_attributes = self.context.syntax(name).is_some_and(|bound| !bound.syntax.uses_properties);
            let attrs = if has_attributes { self.with_default(name, attrs) } else { attrs };
            return match properties {
                None => (Context::EMPTY_DICTIONARY, attrs),
                Some(Context::EMPTY_DICTIONARY) => (Context::EMPTY_PROPERTIES, attrs),
                Some(properties) => (properties, attrs),
            };
        }
        let (properties, attrs) = match properties {
            Some(properties) if attrs == Context::EMPTY_DICTIONARY => (properties, attrs),
            Some(properties) => {
                // Attributes of the definition belong to the properties, wherever they are written.
                let (more, rest) = self.context.split_inherent(name, attrs);
                let mut entries = self.context.entries(properties).to_vec();
                for &(name, value) in self.context.entries(more) {
                    if entries.iter().all(|&(known, _)| known != name) {
                        entries.push((name, value));
                    }
                }
                let is_dictionary = matches!(self.context.attr_kind(properties), AttrKind::Dictionary(_));
                match is_dictionary && more != Context::EMPTY_DICTIONARY {
                    true => (self.context.dictionary(&mut entries), rest),
                    false => (properties, attrs),
                }
            }
            None if attrs == Context::EMPTY_DICTIONARY => (attrs, attrs),
            None => self.context.split_inherent(name, attrs),
        };
        (self.with_default(name, properties), attrs)
    }

    /// Adds the missing attributes that have a default value to the dictionary of properties, or to the dictionary of
    /// attributes if the operation has no properties.
    pub(super) fn with_default(&mut self, name: OpNameId, dictionary: AttrId) -> AttrId {
        let Some(bound) = self.context.syntax(name) else { return dictionary };
        let filled = &bound.filled;
        let is_dictionary = matches!(self.context.attr_kind(dictionary), AttrKind::Dictionary(_));
        let missing = |&&(name, _): &&(AttrNameId, AttrId)| self.context.entry(dictionary, name).is_none();
        if !is_dictionary || !filled.iter().any(|entry| missing(&entry)) {
            return dictionary;
        }
        let mut entries = self.context.entries(dictionary).to_vec();
        entries.extend(filled.iter().filter(missing));
        self.context.dictionary(&mut entries)
    }

    /// Parses `<{…}>` or `<attribute>`.
    fn properties(&mut self) -> ParseResult<AttrId> {
        self.advance();
        let properties = self.attr(None)?;
        self.expect(TokenKind::Greater, "'>' after properties")?;
        Ok(properties)
    }

    /// Parses the type of an operation, and appends its inputs and results to the types of the state. Returns the index
    /// of the first result.
    fn op_type(
        &mut self,
        state: &mut FileState<'a>,
        uses: usize,
        types: usize,
        name: Token,
    ) -> ParseResult<usize> {
        let start = self.token;
        let results = self.read_op_type(state)?;
        let (wanted, given) = (state.uses.len() - uses, results - types);
        if wanted != given {
            let at = if given == 0 { name } else { start };
            return Err(error::operand_types(wanted, given, self.token_span(at)));
        }
        Ok(results)
    }

    fn read_op_type(&mut self, state: &mut FileState<'a>) -> ParseResult<usize> {
        self.expect(TokenKind::LParen, "a function type")?;
        if !self.eat(TokenKind::RParen) {
            self.state_types(state)?;
            self.expect(TokenKind::RParen, "')' in a function type")?;
        }
        self.expect(TokenKind::Arrow, "'->' in a function type")?;
        let results = state.types.len();
        if !self.eat(TokenKind::LParen) {
            let ty = self.ty()?;
            state.types.push(ty);
        } else if !self.eat(TokenKind::RParen) {
            self.state_types(state)?;
            self.expect(TokenKind::RParen, "')' after result types")?;
        }
        Ok(results)
    }

    fn state_types(&mut self, state: &mut FileState<'a>) -> ParseResult<()> {
        loop {
            let ty = self.ty()?;
            state.types.push(ty);
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    /// Parses an operation in custom form.
    fn custom_op(&mut self, state: &mut FileState<'a>) -> ParseResult<OpId> {
        let token = self.token;
        let found = self.custom_name(state, token)?;
        let loc = self.place(state, token.start);
        self.advance();
        FormParser::new(self, state, token, found).operation(loc)
    }

    /// The operation that a name in custom form denotes. Looks up its dialect.
    fn custom_name(&mut self, state: &mut FileState<'a>, token: Token) -> ParseResult<Rc<CustomName>> {
        let default = state.default_dialects.last().copied();
        let key = default.map(|default| (default, self.slice(token)));
        if let Some(known) = key.and_then(|key| state.custom_names.get(&key)) {
            return Ok(Rc::clone(known));
        }
        let written = self.str(token);
        let full;
        let mut name = written;
        let default = default.map_or("", |default| self.context.str(default));
        if !written.contains('.') && !default.is_empty() {
            full = format!("{default}.{written}");
            name = &full;
        }
        // `module` is written without its dialect everywhere.
        if written == "module" {
            name = "builtin.module";
        }
        // Registered forms need the definition as well, because it states which attributes are properties.
        if !self.is_defined(name) {
            let loaded = self.context.load_dialect(dialect_of(name));
            loaded.map_err(|error| error::dialect(name, error, self.token_span(token)))?;
            if !self.has_custom_form(name) {
                return Err(error::custom_form(written, self.token_span(token)));
            }
        }
        let name = self.context.op_name(name);
        let form = self.context.form_of(name).cloned();
        let found = Rc::new(CustomName { name, form, bound: self.context.syntax(name).cloned() });
        if let Some(key) = key {
            state.custom_names.insert(key, Rc::clone(&found));
        }
        Ok(found)
    }

    /// True if the custom form of an operation is known. Does not load definitions.
    pub(super) fn has_custom_form(&self, name: &str) -> bool {
        self.context.forms().form(name).is_some() || self.is_defined(name)
    }

    /// True if the definition of an operation is loaded.
    fn is_defined(&self, name: &str) -> bool {
        self.context.find_op_name(name).is_some_and(|id| self.context.syntax(id).is_some())
    }

    // Regions and blocks.

    /// Parses a region of an operation with this name, with a default dialect. The entry block gets these arguments.
    pub(super) fn region(
        &mut self,
        state: &mut FileState<'a>,
        name: OpNameId,
        dialect: StrId,
        arguments: &[(Token, TypeId, LocId)],
    ) -> ParseResult<RegionId> {
        self.nested(|p| {
            p.expect(TokenKind::LBrace, "'{' to begin a region")?;
            let region = state.module.create_region();
            let traits = p.context.traits(name);
            let mark = p.values.enter(name, traits);
            let errors = p.more_errors.len();
            state.blocks.push(BlockNames::default());
            state.default_dialects.push(dialect);
            p.region_body(state, region, arguments)?;
            state.default_dialects.pop();
            let blocks = state.blocks.pop().unwrap_or_default();
            p.expect(TokenKind::RBrace, "'}' at the end of a region")?;
            let whole = p.more_errors.len() == errors;
            if whole {
                p.check_blocks(&blocks)?;
            }
            p.leave(mark, whole)?;
            Ok(region)
        })
    }

    fn region_body(
        &mut self,
        state: &mut FileState<'a>,
        region: RegionId,
        arguments: &[(Token, TypeId, LocId)],
    ) -> ParseResult<()> {
        let is_empty = self.is(TokenKind::RBrace) && arguments.is_empty();
        if !is_empty && (!self.is(TokenKind::Caret) || !arguments.is_empty()) {
            let block = state.module.append_block(region);
            for &(token, ty, loc) in arguments {
                let value = state.module.add_arg(block, ty, loc);
                self.define(&mut state.module, token, value, 1)?;
            }
            self.block_body(state, block)?;
        }
        while self.is(TokenKind::Caret) {
            let block = self.block_label(state, region)?;
            self.block_body(state, block)?;
        }
        Ok(())
    }

    fn block_body(&mut self, state: &mut FileState<'a>, block: BlockId) -> ParseResult<()> {
        self.ops(state, block, |kind| matches!(kind, TokenKind::RBrace | TokenKind::Caret | TokenKind::Eof))
    }

    /// Parses operations up to a token that ends them, and skips operations with an error.
    fn ops(
        &mut self,
        state: &mut FileState<'a>,
        block: BlockId,
        ends: impl Fn(TokenKind) -> bool,
    ) -> ParseResult<()> {
        let checkpoint = self.checkpoint(state);
        while !ends(self.token.kind) {
            let before = (self.token.start, self.values.defined());
            if let Err(error) = self.op(state, block) {
                self.skip_after(state, &checkpoint, before, error)?;
            }
        }
        Ok(())
    }

    /// Parses `^name(%arg: type, …):`.
    fn block_label(&mut self, state: &mut FileState<'a>, region: RegionId) -> ParseResult<BlockId> {
        let token = self.token;
        self.advance();
        let name = self.slice(token);
        let module = &mut state.module;
        let blocks = state.blocks.last_mut().expect("a region has its table of blocks");
        let block = match blocks.get_mut(name) {
            Some((_, None)) => {
                return Err(error::redefined_block(self.str(token), self.token_span(token)));
            }
            Some((block, used)) => {
                *used = None;
                *block
            }
            None => {
                let block = module.create_block();
                blocks.insert(name, (block, None));
                block
            }
        };
        state.module.push_block(region, block);
        if self.eat(TokenKind::LParen) {
            self.list_until(TokenKind::RParen, "')' after block arguments", |p| {
                let token = p.expect(TokenKind::Percent, "a block argument")?;
                p.expect(TokenKind::Colon, "':' and the type of a block argument")?;
                let ty = p.ty()?;
                let place = p.place(state, token.start);
                let loc = p.stated_loc(state, place)?;
                let value = state.module.add_arg(block, ty, loc);
                p.define(&mut state.module, token, value, 1)
            })?;
        }
        self.expect(TokenKind::Colon, "':' after a block name")?;
        Ok(block)
    }

    fn check_blocks(&mut self, blocks: &BlockNames<'a>) -> ParseResult<()> {
        let mut open: Vec<Token> = blocks.values().filter_map(|(_, used)| *used).collect();
        open.sort_unstable_by_key(|token| token.start);
        let Some((&first, rest)) = open.split_first() else { return Ok(()) };
        for &token in rest {
            let more = error::undefined_block(self.str(token), self.token_span(token));
            self.more_errors.push(*more);
        }
        Err(error::undefined_block(self.str(first), self.token_span(first)))
    }
}

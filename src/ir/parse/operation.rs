//! Operations in generic form, blocks, regions, and what stands around them in a file.

use std::ops::Range;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::DEPTH_LIMIT;
use super::Parser;
use super::lexer::{Kind, Token};
use super::values::Use;
use crate::intern::StrId;
use crate::ir::error::{self, Parsed};
use crate::ir::forms;
use crate::ir::module::{OpSpec, ResourceGroup};
use crate::ir::{
    AliasTarget, AttrId, AttrKind, BlockId, Context, LocId, LocKind, Module, OpId, OpNameId, OpTraits,
    RegionId, TypeId, ValueId,
};
use crate::source::{Diagnostics, SourceFile};
use crate::stack::with_room;

/// The blocks of a region by name, with the token of the first use of those not defined yet.
type Blocks<'a> = HashMap<&'a [u8], (BlockId, Option<Token>), FxBuildHasher>;

/// What is being read, and lists that are reused from operation to operation.
pub(super) struct State<'a> {
    pub(super) module: Module,
    pub(super) blocks: Vec<Blocks<'a>>,
    pub(super) uses: Vec<Use>,
    pub(super) operands: Vec<ValueId>,
    pub(super) types: Vec<TypeId>,
    pub(super) results: Vec<(Token, u32)>,
    pub(super) successors: Vec<BlockId>,
    /// The dialect that names without one belong to.
    pub(super) default_dialects: Vec<&'static str>,
    /// The location of the first byte, if positions are locations.
    source: Option<LocId>,
}

/// What an operation takes in a file that is long because it has many; room is made for as many. Room that is
/// not used costs no memory.
const BYTES_PER_OP: usize = 64;

/// How many levels the generic form of an operation has around what stands in the custom form, regions apart: a
/// dictionary and a type.
const OP_LEVELS: u32 = 2;

/// Reads a file.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text; reading stops at the first error of
/// syntax.
pub fn parse_module(context: &mut Context, source: &SourceFile) -> Result<Module, Diagnostics> {
    parse_part(context, source, 0..source.text().len())
}

/// Reads a part of a file as a file of its own; positions stay those of the whole file. Costs no more
/// than the part, once the context knows the file.
///
/// # Errors
/// As [`parse_module`].
///
/// # Panics
/// The range is not one of characters of the text.
pub fn parse_part(
    context: &mut Context,
    source: &SourceFile,
    part: Range<usize>,
) -> Result<Module, Diagnostics> {
    let module = Module::new(context);
    let file = context.string(source.name());
    let base = context.add_source(file, source);
    let ops = part.len() / BYTES_PER_OP;
    let mut module = module;
    module.reserve(ops);
    let mut parser = Parser::new(context, &source.text()[..part.end], Some(source));
    parser.reserve_values(ops);
    parser.reset(part.start);
    let mut state = State {
        module,
        blocks: vec![Blocks::default()],
        uses: Vec::new(),
        operands: Vec::new(),
        types: Vec::new(),
        results: Vec::new(),
        successors: Vec::new(),
        default_dialects: vec!["builtin"],
        source: base,
    };
    let last = parser.file(&mut state, file, part.start).err();
    let mut errors = std::mem::take(&mut parser.more_errors);
    errors.extend(last.map(|error| *error));
    if errors.is_empty() {
        return Ok(state.module);
    }
    errors.sort_by_key(|error| error.labels.first().map(|label| label.span.lo));
    let mut all = Diagnostics::default();
    errors.into_iter().for_each(|error| all.push(error));
    Err(all)
}

impl<'a> Parser<'a> {
    /// `start` is where the first token was looked for.
    fn file(&mut self, state: &mut State<'a>, file: StrId, start: usize) -> Parsed<()> {
        let body = state.module.body();
        loop {
            match self.token.kind {
                Kind::Eof => break,
                Kind::Hash | Kind::Exclaim => {
                    let (name, target) = self.alias_definition()?;
                    self.keep_alias(state, name, target);
                }
                Kind::MetadataBegin => self.resources(state)?,
                _ => self.ops(state, body, |kind| {
                    matches!(kind, Kind::Eof | Kind::Hash | Kind::Exclaim | Kind::MetadataBegin)
                })?,
            }
        }
        let blocks = state.blocks.pop().unwrap_or_default();
        if !self.more_errors.is_empty() {
            return Ok(());
        }
        self.check_forwards(0)?;
        self.check_blocks(&blocks)?;
        // One module alone is the module; anything else is put into one.
        let top = state.module.first_op(body);
        match top {
            Some(op)
                if state.module.next(op).is_none()
                    && state.module.name(op) == state.module.name(state.module.top()) =>
            {
                state.module.detach(op);
                state.module.set_top(op);
            }
            // The region of the module around it is a level more when that is written.
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

    /// Remembers the name of an alias, without its number.
    fn keep_alias(&mut self, state: &mut State<'a>, name: &[u8], target: AliasTarget) {
        let name = String::from_utf8_lossy(&name[1..]);
        let stem = self.context.string(name.trim_end_matches(|c: char| c.is_ascii_digit()));
        state.module.aliases.push((target, stem));
    }

    // Operations.

    /// An operation, put at the end of a block.
    pub(super) fn op(&mut self, state: &mut State<'a>, block: BlockId) -> Parsed<()> {
        let base = state.results.len();
        if self.is(Kind::Percent) {
            self.result_names(state)?;
        }
        let token = self.token;
        // What is read in one form is to be read in the other, with locations too.
        let levels = self.depth + OP_LEVELS;
        if levels > DEPTH_LIMIT {
            return Err(error::too_deep(DEPTH_LIMIT, self.token_span(token)));
        }
        self.deepest = self.deepest.max(levels);
        let op = match token.kind {
            Kind::Str => self.generic_op(state)?,
            Kind::Bare => {
                self.depth = levels;
                let op = with_room(|| self.custom_op(state));
                self.depth = levels - OP_LEVELS;
                op?
            }
            _ => return Err(self.expected("an operation name in quotes")),
        };
        state.module.append(block, op);
        if base < state.results.len() {
            self.bind_results(state, base, op, token)?;
        }
        Ok(())
    }

    fn result_names(&mut self, state: &mut State<'a>) -> Parsed<()> {
        loop {
            let token = self.expect(Kind::Percent, "an SSA result name")?;
            let mut count = 1;
            if self.eat(Kind::Colon) {
                let at = self.token;
                count = self.u32("a result count")?;
                if count == 0 {
                    return Err(error::no_results(self.token_span(at)));
                }
            }
            state.results.push((token, count));
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Equal, "'=' after SSA names").map(drop)
    }

    fn bind_results(&mut self, state: &mut State<'a>, base: usize, op: OpId, token: Token) -> Parsed<()> {
        let module = &mut state.module;
        let results = module.result_count(op);
        let named: u64 = state.results[base..].iter().map(|&(_, count)| u64::from(count)).sum();
        if named != u64::from(results) {
            let named = usize::try_from(named).unwrap_or(usize::MAX);
            return Err(error::result_count(named, results as usize, self.token_span(token)));
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

    /// Where something at this token comes from, unless a location follows.
    pub(super) fn place(&mut self, state: &State<'a>, token: Token) -> LocId {
        if let Some(base) = state.source {
            let offset = u32::try_from(token.start).expect("a source of positions is short enough");
            return LocId::from_raw(base.raw() + offset);
        }
        let Some(source) = self.source else { return Context::UNKNOWN };
        // Only where positions cannot be locations.
        let (line, column) = source.line_column(token.start);
        let file = self.context.string(source.name());
        self.context.intern_loc(LocKind::FileLineCol { file, line, column })
    }

    fn generic_op(&mut self, state: &mut State<'a>) -> Parsed<OpId> {
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
                    self.context.op_name(&name)
                }
            }
        };
        let mut loc = self.place(state, token);
        self.advance();
        let (uses, successors) = (state.uses.len(), state.successors.len());
        self.expect(Kind::LParen, "'(' before operands")?;
        if !self.eat(Kind::RParen) {
            loop {
                let used = self.value_use()?;
                state.uses.push(used);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::RParen, "')' after operands")?;
        }
        if self.eat(Kind::LSquare) {
            loop {
                let block = self.successor(state)?;
                state.successors.push(block);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::RSquare, "']' after successors")?;
        }
        let apart = self.is(Kind::Less);
        let mut properties = if apart { self.properties()? } else { Context::EMPTY_DICTIONARY };
        let mut regions = Vec::new();
        if self.eat(Kind::LParen) {
            loop {
                regions.push(self.region(state, name, &[])?);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::RParen, "')' after regions")?;
        }
        let mut attrs = if self.is(Kind::LBrace) { self.dictionary()? } else { Context::EMPTY_DICTIONARY };
        if !self.context.inherent(name).is_empty() {
            if !apart && attrs != Context::EMPTY_DICTIONARY {
                (properties, attrs) = self.context.split_inherent(name, attrs);
            }
            properties = self.with_default(name, properties);
        } else if apart && properties == Context::EMPTY_DICTIONARY {
            properties = Context::EMPTY_PROPERTIES;
        }
        self.expect(Kind::Colon, "':' and the operation's type")?;
        let types = state.types.len();
        let results = self.op_type(state, uses, types, token)?;
        let operands = state.operands.len();
        for i in uses..state.uses.len() {
            let value = self.resolve(&mut state.module, state.uses[i], state.types[types + i - uses])?;
            state.operands.push(value);
        }
        if let Some(stated) = self.trailing_loc()? {
            loc = stated;
        }
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
        let op = state.module.create_around(&spec, regions);
        state.uses.truncate(uses);
        state.operands.truncate(operands);
        state.types.truncate(types);
        state.successors.truncate(successors);
        Ok(op)
    }

    /// The properties with what the operation has if nobody says otherwise.
    fn with_default(&mut self, name: OpNameId, properties: AttrId) -> AttrId {
        let Some((property, text)) = forms::default_property(self.context.op_name_text(name)) else {
            return properties;
        };
        let property = self.context.attr_name(property);
        let is_dictionary = matches!(self.context.attr_kind(properties), AttrKind::Dictionary(_));
        if !is_dictionary || self.context.entry(properties, property).is_some() {
            return properties;
        }
        let value = self.dialect_attr(text);
        let mut entries = self.context.entries(properties).to_vec();
        entries.push((property, value));
        self.context.dictionary(&mut entries)
    }

    /// `<{…}>`
    fn properties(&mut self) -> Parsed<AttrId> {
        const LONGEST: usize = 128;
        let start = self.token.start;
        // What is read of a text depends on nothing but the text: if it ended at the first `}>` once, it always does.
        let near = &self.text[start..self.text.len().min(start + LONGEST)];
        let end = memchr::memchr_iter(b'}', near)
            .find(|&at| near.get(at + 1) == Some(&b'>'))
            .map(|at| start + at + 2);
        let key = end.map(|end| &self.text[start..end]);
        if let Some(key) = key
            && let Some(&known) = self.known_properties.get(key)
        {
            self.reset(start + key.len());
            return Ok(known);
        }
        self.advance();
        let properties = self.attr(None)?;
        let close = self.expect(Kind::Greater, "'>' after properties")?;
        if let Some(key) = key
            && Some(close.end) == end
        {
            self.known_properties.insert(key, properties);
        }
        Ok(properties)
    }

    /// The operation's type, its inputs and then its results appended to the state's types; gives where the results
    /// start.
    fn op_type(&mut self, state: &mut State<'a>, uses: usize, types: usize, name: Token) -> Parsed<usize> {
        const LONGEST: usize = 96;
        let start = self.token;
        // As for properties: a short text up to the end of the line means the same whenever it comes again.
        let near = &self.text[start.start..self.text.len().min(start.start + LONGEST)];
        let line = memchr::memchr(b'\n', near).map(|end| &near[..end]);
        let loc = |line: &[u8]| memchr::memchr_iter(b'(', line).find(|&at| line[..at].ends_with(b" loc"));
        let key = line.map(|line| loc(line).map_or(line, |open| &line[..open - 4]));
        let known = key.and_then(|key| self.known_types.get(key));
        let results = match (known, key) {
            (Some(&(first, inputs, results)), Some(key)) => {
                state.types.extend_from_slice(&self.known_type_lists[first..first + inputs + results]);
                self.reset(start.start + key.len());
                types + inputs
            }
            _ => {
                let results = self.read_op_type(state)?;
                let end = start.start + key.map_or(0, <[u8]>::len);
                if let Some(key) = key
                    && self.text[..self.token.start].trim_ascii_end().len() == end
                {
                    let first = self.known_type_lists.len();
                    self.known_type_lists.extend_from_slice(&state.types[types..]);
                    self.known_types.insert(key, (first, results - types, state.types.len() - results));
                }
                results
            }
        };
        let (wanted, given) = (state.uses.len() - uses, results - types);
        if wanted != given {
            let at = if given == 0 { name } else { start };
            return Err(error::operand_types(wanted, given, self.token_span(at)));
        }
        Ok(results)
    }

    fn read_op_type(&mut self, state: &mut State<'a>) -> Parsed<usize> {
        self.expect(Kind::LParen, "a function type")?;
        if !self.eat(Kind::RParen) {
            self.state_types(state)?;
            self.expect(Kind::RParen, "')' in a function type")?;
        }
        self.expect(Kind::Arrow, "'->' in a function type")?;
        let results = state.types.len();
        if !self.eat(Kind::LParen) {
            let ty = self.ty()?;
            state.types.push(ty);
        } else if !self.eat(Kind::RParen) {
            self.state_types(state)?;
            self.expect(Kind::RParen, "')' after result types")?;
        }
        Ok(results)
    }

    fn state_types(&mut self, state: &mut State<'a>) -> Parsed<()> {
        loop {
            let ty = self.ty()?;
            state.types.push(ty);
            if !self.eat(Kind::Comma) {
                return Ok(());
            }
        }
    }

    // Regions and blocks.

    /// A region of an operation in its custom form: as deep as in the generic one.
    pub(super) fn custom_region(
        &mut self,
        state: &mut State<'a>,
        name: OpNameId,
        arguments: &[(Token, TypeId, LocId)],
    ) -> Parsed<RegionId> {
        let depth = self.depth;
        self.depth = depth.saturating_sub(OP_LEVELS);
        let region = self.region(state, name, arguments);
        self.depth = depth;
        region
    }

    /// A region of an operation of this name, whose entry block starts with these arguments.
    pub(super) fn region(
        &mut self,
        state: &mut State<'a>,
        name: OpNameId,
        arguments: &[(Token, TypeId, LocId)],
    ) -> Parsed<RegionId> {
        self.nested(|p| {
            p.expect(Kind::LBrace, "'{' to begin a region")?;
            let region = state.module.create_region();
            let traits = p.context.traits(name);
            let mark = p.enter(traits);
            let errors = p.more_errors.len();
            state.blocks.push(Blocks::default());
            state.default_dialects.push(default_dialect(p.context.op_name_text(name)));
            p.region_body(state, region, arguments, traits)?;
            state.default_dialects.pop();
            let blocks = state.blocks.pop().unwrap_or_default();
            p.expect(Kind::RBrace, "'}' at the end of a region")?;
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
        state: &mut State<'a>,
        region: RegionId,
        arguments: &[(Token, TypeId, LocId)],
        _traits: OpTraits,
    ) -> Parsed<()> {
        let is_empty = self.is(Kind::RBrace) && arguments.is_empty();
        if !is_empty && (!self.is(Kind::Caret) || !arguments.is_empty()) {
            let block = state.module.append_block(region);
            for &(token, ty, loc) in arguments {
                let value = state.module.add_arg(block, ty, loc);
                self.define(&mut state.module, token, value, 1)?;
            }
            self.block_body(state, block)?;
        }
        while self.is(Kind::Caret) {
            let block = self.block_label(state, region)?;
            self.block_body(state, block)?;
        }
        Ok(())
    }

    fn block_body(&mut self, state: &mut State<'a>, block: BlockId) -> Parsed<()> {
        self.ops(state, block, |kind| matches!(kind, Kind::RBrace | Kind::Caret | Kind::Eof))
    }

    /// Operations up to a token that ends them; those that cannot be read are skipped.
    fn ops(&mut self, state: &mut State<'a>, block: BlockId, ends: impl Fn(Kind) -> bool) -> Parsed<()> {
        let level = self.level(state);
        while !ends(self.token.kind) {
            let before = (self.token.start, self.defined());
            if let Err(error) = self.op(state, block) {
                self.go_on(state, &level, before, error)?;
            }
        }
        Ok(())
    }

    /// `^name(%arg: type, …):`
    fn block_label(&mut self, state: &mut State<'a>, region: RegionId) -> Parsed<BlockId> {
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
        if self.eat(Kind::LParen) {
            self.list_until(Kind::RParen, "')' after block arguments", |p| {
                let token = p.expect(Kind::Percent, "a block argument")?;
                p.expect(Kind::Colon, "':' and the type of a block argument")?;
                let ty = p.ty()?;
                let place = p.place(state, token);
                let loc = p.trailing_loc()?.unwrap_or(place);
                let value = state.module.add_arg(block, ty, loc);
                p.define(&mut state.module, token, value, 1)
            })?;
        }
        self.expect(Kind::Colon, "':' after a block name")?;
        Ok(block)
    }

    /// `^name` as a successor.
    pub(super) fn successor(&mut self, state: &mut State<'a>) -> Parsed<BlockId> {
        let token = self.expect(Kind::Caret, "a block name")?;
        let name = self.slice(token);
        let blocks = state.blocks.last_mut().expect("a region has its table of blocks");
        if let Some((block, _)) = blocks.get(name) {
            return Ok(*block);
        }
        let block = state.module.create_block();
        blocks.insert(name, (block, Some(token)));
        Ok(block)
    }

    fn check_blocks(&mut self, blocks: &Blocks<'a>) -> Parsed<()> {
        let mut open: Vec<Token> = blocks.values().filter_map(|(_, used)| *used).collect();
        open.sort_by_key(|token| token.start);
        let Some((&first, rest)) = open.split_first() else { return Ok(()) };
        for &token in rest {
            let more = error::undefined_block(self.str(token), self.token_span(token));
            self.more_errors.push(*more);
        }
        Err(error::undefined_block(self.str(first), self.token_span(first)))
    }

    // Resources.

    /// `{-# dialect_resources: {…}, external_resources: {…} #-}`
    fn resources(&mut self, state: &mut State<'a>) -> Parsed<()> {
        self.advance();
        self.list_until(Kind::MetadataEnd, "'#-}' at the end of the resources", |p| {
            let (section, span) = p.keyword_or_string("a resource section")?;
            let external = match &*section {
                "dialect_resources" => false,
                "external_resources" => true,
                _ => return Err(error::expected("'dialect_resources' or 'external_resources'", span)),
            };
            p.expect(Kind::Colon, "':' after a resource section")?;
            p.expect(Kind::LBrace, "'{' in a resource section")?;
            p.list_until(Kind::RBrace, "'}' after a resource section", |p| {
                let (name, _) = p.keyword_or_string("the name of a resource group")?;
                let mut entries = Vec::new();
                let mut places: HashMap<Box<str>, usize> = HashMap::new();
                p.expect(Kind::Colon, "':' after the name of a resource group")?;
                p.expect(Kind::LBrace, "'{' in a resource group")?;
                p.list_until(Kind::RBrace, "'}' after a resource group", |p| {
                    let (key, _) = p.keyword_or_string("a resource key")?;
                    p.expect(Kind::Colon, "':' after a resource key")?;
                    let value = p.token;
                    if value.kind != Kind::Str && !p.is_keyword("true") && !p.is_keyword("false") {
                        return Err(p.expected("a string or Boolean as the value of a resource"));
                    }
                    p.advance();
                    if !external && name == "builtin" {
                        p.check_blob(value)?;
                    }
                    let (key, value) =
                        (Box::<str>::from(&*key), String::from_utf8_lossy(p.slice(value)).into());
                    if let Some(&known) = places.get(&key) {
                        // Said again, it is the last that counts.
                        let known: &mut (Box<str>, Box<str>) = &mut entries[known];
                        known.1 = value;
                    } else {
                        places.insert(key.clone(), entries.len());
                        entries.push((key, value));
                    }
                    Ok(())
                })?;
                state.module.resources.push(ResourceGroup { external, name: name.into(), entries });
                Ok(())
            })
        })
    }
}

impl Parser<'_> {
    /// A blob is hexadecimal digits, of which the first four bytes are its alignment, a power of two.
    fn check_blob(&self, token: Token) -> Parsed<()> {
        let span = self.token_span(token);
        let digits = self.slice(token).strip_prefix(b"\"0x").and_then(|rest| rest.strip_suffix(b"\""));
        let digits = digits
            .filter(|digits| digits.len().is_multiple_of(2) && digits.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits else {
            return Err(error::bad_blob("of an even number of digits after 0x", span));
        };
        let alignment = digits.get(..8).and_then(|start| std::str::from_utf8(start).ok());
        match alignment.and_then(|digits| u32::from_str_radix(digits, 16).ok()).map(u32::swap_bytes) {
            Some(alignment) if alignment.is_power_of_two() => Ok(()),
            _ => Err(error::bad_blob("whose first four bytes are its alignment", span)),
        }
    }
}

/// The dialect of names without one in the regions of an operation.
fn default_dialect(op: &str) -> &'static str {
    match op {
        "builtin.module" => "builtin",
        "func.func" => "func",
        _ => "",
    }
}

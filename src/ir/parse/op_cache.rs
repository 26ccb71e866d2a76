//! The operations that were read, so that a line that occurs again with other names of values is parsed once.
//!
//! In real files, most operations take one line, and few lines differ in more than the names of values. The meaning of
//! such a line depends on its text without the names, on the default dialect, and on the next token, which tells the
//! parser that the operation ends. The table maps these to the parts of the operation. A line that occurs again is then
//! neither parsed by a format, nor are its attributes and types looked up.
//!
//! Operations with regions or successors are not kept, nor those whose form reads the names of operands.
//!
//! PERF: parsing takes 3,480 instead of 5,200 instructions an operation for custom text, and 3,730 instead of 4,340 for
//! generic text (callgrind, `drrvm opt` on the text of `benches/ir.rs`, the difference between 1,500 and 500 functions).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::lexer::{self, Token, TokenKind};
use super::parser::{DEPTH_LIMIT, Parser};
use super::ssa_names::OperandUse;
use super::state::FileState;
use crate::host::OpNameId;
use crate::intern::StrId;
use crate::ir::error::ParseResult;
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::module::{OpId, OpSpec};

/// The length of the longest line that is kept.
const LONGEST: usize = 256;

/// The maximum number of lines that are kept.
const MOST: usize = 1 << 14;

/// The start of a location after an operation.
const LOCATION: &[u8] = b" loc";

/// The parts of an operation without its operands.
#[derive(Clone, Copy)]
struct KnownOp {
    name: OpNameId,
    /// The first operand in [`OpCache::operands`], and the number of operands.
    operands: (usize, usize),
    /// The first result type in [`OpCache::results`], and the number of results.
    results: (usize, usize),
    attrs: AttrId,
    properties: AttrId,
    /// The nesting depth of its attributes and types.
    height: u32,
}

/// An operand of a known operation.
#[derive(Clone, Copy)]
struct KnownOperand {
    /// The index of its name among the names in the line.
    name: usize,
    /// The number after `#`.
    index: u32,
    ty: TypeId,
}

/// The operations that were read, by the text of their lines.
#[derive(Default)]
pub(super) struct OpCache {
    known: HashMap<Box<[u8]>, KnownOp, FxBuildHasher>,
    operands: Vec<KnownOperand>,
    results: Vec<TypeId>,
    line: Line,
}

/// The line of the current operation.
#[derive(Default)]
struct Line {
    /// The offset of the name of the operation; `None` if the line cannot be kept.
    start: Option<usize>,
    /// The text without the names of values, and everything else on which its meaning depends.
    key: Vec<u8>,
    /// The names of values.
    names: Vec<Token>,
    /// The token after the operation, or the `loc` of its location.
    next: Option<Token>,
}

impl Line {
    /// Reads the line with an operation whose name starts at `start`.
    fn read(&mut self, text: &[u8], start: usize, default_dialect: Option<StrId>) -> Option<Token> {
        self.start = None;
        self.key.clear();
        self.names.clear();
        let near = &text[start..text.len().min(start + LONGEST)];
        // The key contains the text before `done`.
        let (mut at, mut done) = (0, 0);
        let end = loop {
            at = lexer::next_stop(near, at)?;
            match near[at] {
                b'%' => {
                    self.key.extend_from_slice(&near[done..=at]);
                    let end = lexer::suffix(text, start + at + 1)?;
                    self.names.push(Token { kind: TokenKind::Percent, start: start + at, end });
                    at = end - start;
                    done = at;
                }
                // The location does not determine the operation.
                b'(' if near[done..at].ends_with(LOCATION) => break at - LOCATION.len(),
                b'(' => at += 1,
                _ => break at,
            }
        };
        self.key.extend_from_slice(&near[done..end]);
        self.key.push(b'\n');
        let next = lexer::token(text, start + end);
        // A name of a value is accepted or not, whatever it is.
        if next.kind != TokenKind::Percent {
            self.key.extend_from_slice(&text[next.start..next.end]);
        }
        self.key.push(next.kind as u8);
        let dialect = default_dialect.map_or(0, |dialect| dialect.raw() + 1);
        self.key.extend_from_slice(&dialect.to_le_bytes());
        self.start = Some(start);
        self.next = Some(next);
        self.next
    }
}

impl<'a> Parser<'a> {
    /// Reads an operation whose line is known except for the names of values. `token` is its name, and `levels` its
    /// depth. Returns `None`, and reads nothing, if the line is not known.
    pub(super) fn known_op(
        &mut self,
        state: &mut FileState<'a>,
        token: Token,
        levels: u32,
    ) -> ParseResult<Option<OpId>> {
        let dialect = state.default_dialects.last().copied();
        let Some(next) = state.known_ops.line.read(self.text, token.start, dialect) else { return Ok(None) };
        let Some(&known) = state.known_ops.known.get(&*state.known_ops.line.key) else { return Ok(None) };
        // Without the table, the same text gives an error.
        if levels + known.height > DEPTH_LIMIT {
            return Ok(None);
        }
        self.deepest = self.deepest.max(levels + known.height);
        let place = self.place(state, token);
        self.token = next;
        let loc = self.stated_loc(state, place)?;
        let base = state.operands.len();
        for operand in known.operands.0..known.operands.0 + known.operands.1 {
            let KnownOperand { name, index, ty } = state.known_ops.operands[operand];
            let token = state.known_ops.line.names[name];
            let used = OperandUse { slot: self.slot(token), index, token };
            let value = self.resolve(&mut state.module, used, ty)?;
            state.operands.push(value);
        }
        let spec = OpSpec {
            name: known.name,
            operands: &state.operands[base..],
            result_types: &state.known_ops.results[known.results.0..known.results.0 + known.results.1],
            attrs: known.attrs,
            properties: known.properties,
            successors: &[],
            regions: 0,
            loc,
        };
        let op = state.module.create(&spec);
        state.operands.truncate(base);
        Ok(Some(op))
    }

    /// Keeps an operation that was just read, if its line alone determines it. `token` is its name, and `height` the
    /// nesting depth of its attributes and types.
    pub(super) fn keep_op(&mut self, state: &mut FileState<'a>, op: OpId, token: Token, height: u32) {
        let FileState { module, known_ops: OpCache { known, operands, results, line }, last_op, .. } = state;
        if line.start != Some(token.start)
            || line.next.is_none_or(|next| next.start != last_op.end)
            || last_op.reads_names
            || known.len() >= MOST
            || !module.regions(op).is_empty()
            || !module.successors(op).is_empty()
        {
            return;
        }
        let name_of = |used: &OperandUse| line.names.iter().position(|name| name.start == used.token.start);
        let Some(names) = last_op.uses.iter().map(name_of).collect::<Option<Vec<usize>>>() else { return };
        // A name that is no operand has another meaning.
        if (0..line.names.len()).any(|name| !names.contains(&name)) {
            return;
        }
        let first = (operands.len(), results.len());
        let types = module.operands(op).iter().map(|&value| module.value_type(value));
        operands.extend(names.iter().zip(&last_op.uses).zip(types).map(|((&name, used), ty)| KnownOperand {
            name,
            index: used.index,
            ty,
        }));
        results.extend(module.results(op).map(|value| module.value_type(value)));
        let entry = KnownOp {
            name: module.name(op),
            operands: (first.0, operands.len() - first.0),
            results: (first.1, results.len() - first.1),
            attrs: module.attrs(op),
            properties: module.properties(op),
            height,
        };
        known.insert(line.key.as_slice().into(), entry);
    }
}

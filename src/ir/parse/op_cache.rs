//! The operations that were read. A line that occurs again with other names of values is not parsed again.
//!
//! In real files, most operations take one line, and many lines differ only in the names of values. The meaning of such
//! a line depends on its text without the names, on the default dialect, and on the next token, which shows that the
//! operation ends. These three form the key of a table that stores the parts of operations. For a line in the table,
//! attributes and types are neither parsed nor looked up.
//!
//! Operations with regions or successors are not kept. Operations whose form reads the names of operands or results are
//! not kept either.
//!
//! PERF: parsing takes 3,480 instead of 5,200 instructions per operation for custom text, and 3,730 instead of 4,340
//! for generic text (callgrind, `drrvm opt` on the text of `benches/ir.rs`, the difference between 1,500 and 500
//! functions).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::lexer::{self, Token, TokenKind};
use super::ssa_names::OperandUse;
use crate::host::OpNameId;
use crate::intern::StrId;
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::module::{Module, OpId};

/// The end of a line must be found within this number of bytes after the start of the operation's name.
const MAX_LINE_LENGTH: usize = 256;

/// The maximum number of lines that are kept.
const MAX_LINES: usize = 1 << 14;

/// The start of a location after an operation.
const LOCATION: &[u8] = b" loc";

/// Facts about the last operation that was parsed. Operations from the table do not change them.
#[derive(Default)]
pub(super) struct LastOp {
    /// For each operand, its use in the text.
    pub(super) uses: Vec<OperandUse>,
    /// The offset of the first token after the operation, which can be the `loc` of its location.
    pub(super) end: usize,
    /// True if the form read the names of operands or results, so that the names determine the operation.
    pub(super) reads_names: bool,
}

/// The parts of an operation in the cache, except for its operands and result types, which [`OpCache`] stores.
#[derive(Clone, Copy)]
pub(super) struct CachedOp {
    pub(super) name: OpNameId,
    /// The first operand in [`OpCache::operands`], and the number of operands.
    operands: (usize, usize),
    /// The first result type in [`OpCache::results`], and the number of results.
    results: (usize, usize),
    pub(super) attrs: AttrId,
    pub(super) properties: AttrId,
    /// The nesting depth of its attributes and types.
    pub(super) height: u32,
}

/// An operand of an operation in the cache.
#[derive(Clone, Copy)]
pub(super) struct CachedOperand {
    /// The index of its name among the names in the line.
    name: usize,
    /// The number after `#`.
    pub(super) index: u32,
    pub(super) ty: TypeId,
}

/// The operations that were read, by the text of their lines.
#[derive(Default)]
pub(super) struct OpCache {
    known: HashMap<Box<[u8]>, CachedOp, FxBuildHasher>,
    operands: Vec<CachedOperand>,
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
    /// Computes the key of the line with an operation whose name starts at `start`. Returns the token after the
    /// operation, or the `loc` of its location. Returns `None` if the line cannot be kept.
    fn read(&mut self, text: &[u8], start: usize, default_dialect: Option<StrId>) -> Option<Token> {
        self.start = None;
        self.key.clear();
        self.names.clear();
        let near = &text[start..text.len().min(start + MAX_LINE_LENGTH)];
        let line = &near[..memchr::memchr(b'\n', near)?];
        // Most of these lines open a region.
        if line.ends_with(b"{") {
            return None;
        }
        // The key contains the text before `done`, without the names.
        let (mut at, mut done) = (0, 0);
        let end = loop {
            at = lexer::next_stop(line, at);
            match line.get(at) {
                Some(b'%') => {
                    self.key.extend_from_slice(&line[done..=at]);
                    let end = lexer::suffix(text, start + at + 1)?;
                    self.names.push(Token { kind: TokenKind::Percent, start: start + at, end });
                    at = end - start;
                    done = at;
                }
                // The key does not contain the location, because the location does not determine the operation.
                Some(_) if line[done..at].ends_with(LOCATION) => break at - LOCATION.len(),
                Some(_) => at += 1,
                None => break line.len(),
            }
        };
        self.key.extend_from_slice(&line[done..end]);
        self.key.push(b'\n');
        let next = lexer::token(text, start + end);
        // If the next token is the name of a value, only its kind belongs to the key.
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

impl OpCache {
    /// Reads the line of an operation whose name starts at `start`. If the line is known, returns the parts of the
    /// operation, and the token after it or the `loc` of its location.
    pub(super) fn find(
        &mut self,
        text: &[u8],
        start: usize,
        default_dialect: Option<StrId>,
    ) -> Option<(CachedOp, Token)> {
        let next = self.line.read(text, start, default_dialect)?;
        Some((*self.known.get(&*self.line.key)?, next))
    }

    /// The operands of the operation that was found, each with its name in the line.
    pub(super) fn operands(&self, op: CachedOp) -> impl ExactSizeIterator<Item = (CachedOperand, Token)> {
        let (first, count) = op.operands;
        self.operands[first..first + count].iter().map(|operand| (*operand, self.line.names[operand.name]))
    }

    /// The result types of an operation.
    pub(super) fn results(&self, op: CachedOp) -> &[TypeId] {
        let (first, count) = op.results;
        &self.results[first..first + count]
    }

    /// Keeps an operation that was just read, if its line alone determines it. Its name starts at `start`, and `height`
    /// is the nesting depth of its attributes and types.
    pub(super) fn keep(&mut self, module: &Module, op: OpId, last: &LastOp, start: usize, height: u32) {
        let Self { known, operands, results, line } = self;
        if line.start != Some(start)
            || line.next.is_none_or(|next| next.start != last.end)
            || last.reads_names
            || known.len() >= MAX_LINES
            || !module.regions(op).is_empty()
            || !module.successors(op).is_empty()
        {
            return;
        }
        let name_of = |used: &OperandUse| line.names.iter().position(|name| name.start == used.token.start);
        let Some(names) = last.uses.iter().map(name_of).collect::<Option<Vec<usize>>>() else { return };
        // A name that is not an operand can be part of an attribute or string. The key does not contain the name, so
        // such a line is not kept.
        if (0..line.names.len()).any(|name| !names.contains(&name)) {
            return;
        }
        let first = (operands.len(), results.len());
        let types = module.operands(op).iter().map(|&value| module.value_type(value));
        let uses = names.iter().zip(&last.uses).zip(types);
        operands.extend(uses.map(|((&name, used), ty)| CachedOperand { name, index: used.index, ty }));
        results.extend(module.results(op).map(|value| module.value_type(value)));
        let entry = CachedOp {
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

//! Going on after an error, so that one run reports more than one.
//!
//! An operation that cannot be read is skipped: to the line after it on which another can begin, or to the
//! end of the region it is in. What it would have defined is not missed: a region with an error in it
//! is not searched for names that nobody defined.

use super::lexer::{self, TokenKind};
use super::parser::Parser;
use super::ssa_names::ScopeMark;
use super::state::FileState;
use crate::ir::error::ParseResult;
use crate::source::Diagnostic;

/// How many errors a run reports.
const ERROR_LIMIT: usize = 20;

/// What is as it was when the reader goes on after an operation.
pub(super) struct Checkpoint {
    uses: usize,
    operands: usize,
    types: usize,
    results: usize,
    successors: usize,
    blocks: usize,
    dialects: usize,
    depth: u32,
    mark: ScopeMark,
}

impl<'a> Parser<'a> {
    /// Where the reader stands between the operations of a block.
    pub(super) fn level(&self, state: &FileState<'a>) -> Checkpoint {
        Checkpoint {
            uses: state.uses.len(),
            operands: state.operands.len(),
            types: state.types.len(),
            results: state.results.len(),
            successors: state.successors.len(),
            blocks: state.blocks.len(),
            dialects: state.default_dialects.len(),
            depth: self.depth,
            mark: self.values.mark(),
        }
    }

    /// After an error in the operation that starts at `start`, when `defined` definitions were visible: skips it.
    ///
    /// # Errors
    /// It is one error too many.
    pub(super) fn go_on(
        &mut self,
        state: &mut FileState<'a>,
        level: &Checkpoint,
        (start, defined): (usize, usize),
        error: Box<Diagnostic>,
    ) -> ParseResult<()> {
        if self.more_errors.len() + 1 >= ERROR_LIMIT {
            return Err(error);
        }
        self.more_errors.push(*error);
        state.uses.truncate(level.uses);
        state.operands.truncate(level.operands);
        state.types.truncate(level.types);
        state.results.truncate(level.results);
        state.successors.truncate(level.successors);
        state.blocks.truncate(level.blocks);
        state.default_dialects.truncate(level.dialects);
        self.depth = level.depth;
        self.values.restore(level.mark, defined);
        self.skip_operation(start);
        Ok(())
    }

    fn skip_operation(&mut self, start: usize) {
        let reached = self.token.start.max(start + 1);
        let mut open = Vec::new();
        let mut token = lexer::token(self.text, start);
        loop {
            match token.kind {
                TokenKind::Eof => break,
                TokenKind::LBrace | TokenKind::LParen | TokenKind::LSquare => open.push(token.kind),
                TokenKind::RParen | TokenKind::RSquare
                    if open.last().is_some_and(|&kind| kind != TokenKind::LBrace) =>
                {
                    open.pop();
                }
                // A parenthesis that nobody closed ends with the braces around it.
                TokenKind::RBrace => match open.iter().rposition(|&kind| kind == TokenKind::LBrace) {
                    Some(at) => open.truncate(at),
                    None if token.start > start => break,
                    None => {}
                },
                _ => {}
            }
            let next = lexer::token(self.text, token.end);
            let between = &self.text[token.end..next.start.max(token.end)];
            let on_new_line = memchr::memchr(b'\n', between).is_some();
            token = next;
            if on_new_line && token.start >= reached && self.may_begin(token, &open) {
                break;
            }
        }
        self.token = token;
    }

    /// Whether an operation, or what ends one, may begin a line with this token.
    fn may_begin(&self, token: lexer::Token, open: &[TokenKind]) -> bool {
        match token.kind {
            TokenKind::Percent if open.contains(&TokenKind::LBrace) => false,
            // Within a parenthesis that nobody closed only what defines a name, or names an operation, is
            // no operand.
            TokenKind::Percent => {
                open.is_empty() || lexer::token(self.text, token.end).kind == TokenKind::Equal
            }
            TokenKind::Str if !open.is_empty() => {
                !open.contains(&TokenKind::LBrace)
                    && lexer::token(self.text, token.end).kind == TokenKind::LParen
            }
            TokenKind::Str
            | TokenKind::Bare
            | TokenKind::RBrace
            | TokenKind::Caret
            | TokenKind::Hash
            | TokenKind::Exclaim => open.is_empty(),
            _ => false,
        }
    }
}

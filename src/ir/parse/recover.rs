//! Recovery after an error, so that one run reports several errors.
//!
//! An operation with an error is skipped, up to the next line on which an operation can begin, or to the end of its
//! region. Undefined names are not reported in a region with an error, because the skipped operations may define them.

use super::lexer::{self, TokenKind};
use super::parser::Parser;
use super::ssa_names::ScopeMark;
use super::state::FileState;
use crate::ir::error::ParseResult;
use crate::source::Diagnostic;

/// The number of errors after which parsing stops.
const ERROR_LIMIT: usize = 20;

/// The state of the parser between two operations, which is restored after an error.
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
    /// The state between two operations of a block.
    pub(super) fn checkpoint(&self, state: &FileState<'a>) -> Checkpoint {
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

    /// Skips an operation with an error. The operation starts at `start`, where `defined` definitions were visible.
    ///
    /// # Errors
    /// The limit of errors is reached.
    pub(super) fn skip_after(
        &mut self,
        state: &mut FileState<'a>,
        checkpoint: &Checkpoint,
        (start, defined): (usize, usize),
        error: Box<Diagnostic>,
    ) -> ParseResult<()> {
        if self.more_errors.len() + 1 >= ERROR_LIMIT {
            return Err(error);
        }
        self.more_errors.push(*error);
        state.uses.truncate(checkpoint.uses);
        state.operands.truncate(checkpoint.operands);
        state.types.truncate(checkpoint.types);
        state.results.truncate(checkpoint.results);
        state.successors.truncate(checkpoint.successors);
        state.blocks.truncate(checkpoint.blocks);
        state.default_dialects.truncate(checkpoint.dialects);
        self.depth = checkpoint.depth;
        self.values.restore(checkpoint.mark, defined);
        self.skip_operation(state, start);
        Ok(())
    }

    fn skip_operation(&mut self, state: &FileState<'a>, start: usize) {
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
                // A closing brace also ends unclosed parentheses.
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
            if on_new_line && token.start >= reached && self.can_start(state, token, &open) {
                break;
            }
        }
        self.token = token;
    }

    /// True if a line that starts with this token can start an operation, a block or the definition of an alias, or can
    /// end the region.
    fn can_start(&self, state: &FileState<'a>, token: lexer::Token, open: &[TokenKind]) -> bool {
        match token.kind {
            TokenKind::Percent if open.contains(&TokenKind::LBrace) => false,
            // Names without a `=` after them are operands.
            TokenKind::Percent => self.starts_results(token),
            TokenKind::Bare => open.is_empty() && self.names_operation(state, token),
            TokenKind::Str if !open.is_empty() => {
                !open.contains(&TokenKind::LBrace)
                    && lexer::token(self.text, token.end).kind == TokenKind::LParen
            }
            TokenKind::Str | TokenKind::RBrace | TokenKind::Caret | TokenKind::Hash | TokenKind::Exclaim => {
                open.is_empty()
            }
            _ => false,
        }
    }

    /// True if this token starts the results of an operation, as in `%a, %b:2 = …`.
    fn starts_results(&self, name: lexer::Token) -> bool {
        let mut token = lexer::token(self.text, name.end);
        loop {
            match token.kind {
                TokenKind::Equal => return true,
                TokenKind::Percent | TokenKind::Comma | TokenKind::Colon | TokenKind::Int => {}
                _ => return false,
            }
            token = lexer::token(self.text, token.end);
        }
    }

    /// True if a word can be the name of an operation: the word contains a dialect, or a dialect that can be omitted
    /// here has an operation with this name. Other words are part of an unknown custom form, such as `ins(…)`.
    fn names_operation(&self, state: &FileState<'a>, token: lexer::Token) -> bool {
        let word = String::from_utf8_lossy(self.slice(token));
        let is_known = |dialect: &str| self.has_custom_form(&format!("{dialect}.{word}"));
        word.contains('.')
            || ["builtin", "func"]
                .into_iter()
                .chain(state.default_dialects.iter().map(|&dialect| self.context.str(dialect)))
                .any(is_known)
    }
}

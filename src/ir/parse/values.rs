//! Uses and definitions of SSA values.

use super::lexer::{Token, TokenKind};
use super::parser::Parser;
use super::ssa_names::{Definition, ForwardUse, NameEntry, OperandUse, ScopeMark};
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::TypeId;
use crate::ir::module::{Module, ValueId};
use crate::source::Diagnostic;

impl Parser<'_> {
    pub(super) fn slot(&mut self, token: Token) -> u32 {
        self.values.slot(&self.text[token.start + 1..token.end], self.text.len())
    }

    /// Parses `%name` or `%name#1`.
    pub(super) fn value_use(&mut self) -> ParseResult<OperandUse> {
        let token = self.expect(TokenKind::Percent, "an SSA operand")?;
        let slot = self.slot(token);
        let mut index = 0;
        if self.is(TokenKind::Hash) && self.token.start == token.end {
            let number = &self.str(self.token)[1..];
            index = number.parse().map_err(|_| self.expected("a result number"))?;
            self.advance();
        }
        Ok(OperandUse { slot, index, token })
    }

    /// The value that a use with this type refers to.
    pub(super) fn resolve(
        &mut self,
        module: &mut Module,
        used: OperandUse,
        ty: TypeId,
    ) -> ParseResult<ValueId> {
        let scope = self.values.scope;
        let entry = *self.values.entry(used.slot);
        let value = if entry.is_defined() {
            if entry.scope != scope {
                return Err(self.not_isolated(used.token));
            }
            if used.index >= entry.count {
                return Err(error::result_number(self.str(used.token), self.token_span(used.token)));
            }
            module.value_id(entry.first + used.index)
        } else {
            let key = (scope, used.slot, used.index);
            match self.values.forwards.get(&key) {
                Some(forward) => forward.value,
                None => {
                    let value = module.forward_value(ty);
                    self.values.forwards.insert(key, ForwardUse { value, token: used.token });
                    value
                }
            }
        };
        let found = module.value_type(value);
        if found != ty {
            return Err(self.type_mismatch(used.token, ty, found));
        }
        Ok(value)
    }

    /// The error for a use of a value that is defined outside of the current isolated scope.
    fn not_isolated(&self, token: Token) -> Box<Diagnostic> {
        let holder = self.values.isolated.map_or("", |op| self.context.op_name_text(op));
        error::used_from_isolated(holder, self.token_span(token))
    }

    fn type_mismatch(&self, token: Token, used: TypeId, found: TypeId) -> Box<Diagnostic> {
        let (used, found) = (self.context.brief_type(used), self.context.brief_type(found));
        error::value_type(self.str(token), &used, &found, self.token_span(token))
    }

    /// Defines a name for `count` consecutive values, starting with `first`.
    pub(super) fn define(
        &mut self,
        module: &mut Module,
        token: Token,
        first: ValueId,
        count: u32,
    ) -> ParseResult<()> {
        let slot = self.slot(token);
        let values = &mut self.values;
        let (scope, floor) = (values.scope, values.floor);
        let at = u32::try_from(values.log.len())
            .map_err(|_| error::too_large("the number of values", self.token_span(token)))?;
        let entry = self.values.entry(slot);
        let old = *entry;
        if old.is_defined() && old.scope == scope && old.at as usize >= floor {
            let before = self.values.log[old.at as usize].start as usize;
            let before = self.span(before, before + (token.end - token.start));
            return Err(error::redefined_value(self.str(token), self.token_span(token), before));
        }
        *entry = NameEntry { first: first.raw(), count, scope, at };
        let start = u32::try_from(token.start).expect("a source map bounds the length of a file");
        self.values.log.push(Definition { slot, hidden: old, start });
        if self.values.forwards.is_empty() {
            return Ok(());
        }
        for index in 0..count {
            if let Some(forward) = self.values.forwards.remove(&(scope, slot, index)) {
                let value = module.value_id(first.raw() + index);
                let (used, found) = (module.value_type(forward.value), module.value_type(value));
                if used != found {
                    return Err(self.type_mismatch(token, found, used));
                }
                module.replace_all_uses(forward.value, value);
                module.erase_forward(forward.value);
            }
        }
        Ok(())
    }

    /// Leaves a region: forgets its names. If the region is isolated from above and all of it was read, reports its
    /// undefined names. `mark` is the result of [`SsaNames::enter`](super::ssa_names::SsaNames::enter).
    pub(super) fn leave(&mut self, mark: ScopeMark, whole: bool) -> ParseResult<()> {
        let scope = self.values.scope;
        self.values.restore(mark, mark.log);
        if whole && scope != mark.scope { self.check_forwards(scope) } else { Ok(()) }
    }

    /// Reports the values of an isolated scope that are used, but not defined.
    pub(super) fn check_forwards(&mut self, scope: u32) -> ParseResult<()> {
        if self.values.forwards.is_empty() {
            return Ok(());
        }
        let open = self.values.forwards.iter().filter(|(key, _)| key.0 == scope);
        let mut open: Vec<Token> = open.map(|(_, forward)| forward.token).collect();
        open.sort_unstable_by_key(|token| token.start);
        let Some((&first, rest)) = open.split_first() else { return Ok(()) };
        for &token in rest {
            let more = error::undefined_value(self.str(token), self.token_span(token));
            self.more_errors.push(*more);
        }
        Err(error::undefined_value(self.str(first), self.token_span(first)))
    }
}

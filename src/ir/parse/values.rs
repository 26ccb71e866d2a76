//! The names of values.
//!
//! A name is a slot: numbers are slots themselves, so that `%123` costs an index and no hashing; other
//! names are hashed once. What a region defines is undone when it ends. Operations that are isolated
//! from above start an empty table; within operations that nobody described a name may be defined
//! again, since they may be isolated too.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::Parser;
use super::lexer::{Kind, Token};
use crate::ir::error::{self, Parsed};
use crate::ir::{Module, OpTraits, TypeId, ValueId};

/// In a slot: a hashed name, not a number.
const HASHED: u32 = 1 << 31;
const NONE: u32 = u32::MAX;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The first of its values, or [`NONE`].
    first: u32,
    count: u32,
    /// The isolated scope it is visible in.
    scope: u32,
    /// How many definitions were visible before it.
    at: u32,
}

const UNDEFINED: Entry = Entry { first: NONE, count: 0, scope: NONE, at: 0 };

/// A use as written: a name and which of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    slot: u32,
    index: u32,
    token: Token,
}

/// A value used before its definition.
#[derive(Clone, Copy, Debug)]
struct Forward {
    value: ValueId,
    token: Token,
}

/// What a region restores at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    log: usize,
    scope: u32,
    floor: u32,
}

/// The table of names.
#[derive(Default)]
pub(super) struct Values<'a> {
    numbered: Vec<Entry>,
    named: Vec<Entry>,
    slots: HashMap<&'a [u8], u32, FxBuildHasher>,
    /// What each definition hid, and where it is.
    log: Vec<(u32, Entry, u32)>,
    forwards: HashMap<(u32, u32, u32), Forward, FxBuildHasher>,
    scope: u32,
    scopes: u32,
    /// Definitions before this one may be hidden.
    floor: u32,
}

impl Values<'_> {
    fn entry(&mut self, slot: u32) -> &mut Entry {
        if slot & HASHED != 0 {
            return &mut self.named[(slot & !HASHED) as usize];
        }
        let slot = slot as usize;
        if slot >= self.numbered.len() {
            self.numbered.resize((slot + 1).max(self.numbered.len() * 2), UNDEFINED);
        }
        &mut self.numbered[slot]
    }
}

impl<'a> Parser<'a> {
    /// Makes room for about this many values.
    pub(super) fn reserve_values(&mut self, values: usize) {
        self.values.log.reserve(values);
        self.values.numbered.reserve(values);
    }

    /// The slot of a name without its sigil.
    fn slot(&mut self, name: &'a [u8]) -> u32 {
        // A number larger than there can be values in the text is a name like others.
        let limit = (self.text.len() / 4).min(HASHED as usize);
        if name.len() < 10 && (name[0] != b'0' || name.len() == 1) {
            let number = name
                .iter()
                .try_fold(0usize, |n, b| b.is_ascii_digit().then(|| n * 10 + usize::from(b - b'0')));
            if let Some(slot) = number.filter(|&n| n < limit).and_then(|n| u32::try_from(n).ok()) {
                return slot;
            }
        }
        let values = &mut self.values;
        *values.slots.entry(name).or_insert_with(|| {
            let slot = u32::try_from(values.named.len()).unwrap_or(0) | HASHED;
            values.named.push(UNDEFINED);
            slot
        })
    }

    /// `%name` or `%name#1`
    pub(super) fn value_use(&mut self) -> Parsed<Use> {
        let token = self.expect(Kind::Percent, "an SSA operand")?;
        let slot = self.slot(&self.text[token.start + 1..token.end]);
        let mut index = 0;
        if self.is(Kind::Hash) && self.token.start == token.end {
            let number = &self.str(self.token)[1..];
            index = number.parse().map_err(|_| self.expected("a result number"))?;
            self.advance();
        }
        Ok(Use { slot, index, token })
    }

    /// The value of a use that has this type.
    pub(super) fn resolve(&mut self, module: &mut Module, used: Use, ty: TypeId) -> Parsed<ValueId> {
        let scope = self.values.scope;
        let entry = *self.values.entry(used.slot);
        let value = if entry.first != NONE && entry.scope == scope {
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
                    self.values.forwards.insert(key, Forward { value, token: used.token });
                    value
                }
            }
        };
        let is = module.value_type(value);
        if is != ty {
            return Err(self.type_mismatch(used.token, ty, is));
        }
        Ok(value)
    }

    fn type_mismatch(&self, token: Token, used: TypeId, is: TypeId) -> Box<crate::source::Diagnostic> {
        let (used, is) = (self.context.brief_type(used), self.context.brief_type(is));
        error::value_type(self.str(token), &used, &is, self.token_span(token))
    }

    /// Makes a name stand for `count` values from `first` on.
    pub(super) fn define(
        &mut self,
        module: &mut Module,
        token: Token,
        first: ValueId,
        count: u32,
    ) -> Parsed<()> {
        let slot = self.slot(&self.text[token.start + 1..token.end]);
        let values = &mut self.values;
        let (scope, floor) = (values.scope, values.floor);
        let at = u32::try_from(values.log.len())
            .map_err(|_| error::too_large("the number of values", self.token_span(token)))?;
        let entry = self.values.entry(slot);
        let old = *entry;
        if old.first != NONE && old.scope == scope && old.at >= floor {
            let before = self.values.log[old.at as usize].2 as usize;
            let before = self.span(before, before + (token.end - token.start));
            return Err(error::redefined_value(self.str(token), self.token_span(token), before));
        }
        *entry = Entry { first: first.raw(), count, scope, at };
        let start = u32::try_from(token.start).unwrap_or(u32::MAX);
        self.values.log.push((slot, old, start));
        if self.values.forwards.is_empty() {
            return Ok(());
        }
        for index in 0..count {
            if let Some(forward) = self.values.forwards.remove(&(scope, slot, index)) {
                let value = module.value_id(first.raw() + index);
                let (used, is) = (module.value_type(forward.value), module.value_type(value));
                if used != is {
                    return Err(self.type_mismatch(token, is, used));
                }
                module.replace_all_uses(forward.value, value);
                module.erase_forward(forward.value);
            }
        }
        Ok(())
    }

    /// What is visible now.
    pub(super) fn mark(&self) -> Mark {
        Mark { log: self.values.log.len(), scope: self.values.scope, floor: self.values.floor }
    }

    /// How many definitions are visible now.
    pub(super) fn defined(&self) -> usize {
        self.values.log.len()
    }

    /// Back to the scope of a mark, with the first `defined` definitions.
    pub(super) fn restore(&mut self, mark: Mark, defined: usize) {
        self.forget(Mark { log: defined, ..mark });
        self.values.scope = mark.scope;
        self.values.floor = mark.floor;
    }

    /// Before the regions of an operation with these traits.
    pub(super) fn enter(&mut self, traits: OpTraits) -> Mark {
        let mark = self.mark();
        let values = &mut self.values;
        if traits.has(OpTraits::ISOLATED_FROM_ABOVE) {
            values.scopes += 1;
            values.scope = values.scopes;
        } else if !traits.has(OpTraits::KNOWN) {
            values.floor = u32::try_from(values.log.len()).unwrap_or(u32::MAX);
        }
        mark
    }

    /// After a region: its names are gone; if all of it was read, every name is defined. The marks are those of
    /// [`Parser::enter`].
    pub(super) fn leave(&mut self, mark: Mark, whole: bool) -> Parsed<()> {
        let scope = self.values.scope;
        self.restore(mark, mark.log);
        if whole && scope != mark.scope { self.check_forwards(scope) } else { Ok(()) }
    }

    /// Undoes what was defined since a mark.
    pub(super) fn forget(&mut self, mark: Mark) {
        while self.values.log.len() > mark.log {
            if let Some((slot, old, _)) = self.values.log.pop() {
                *self.values.entry(slot) = old;
            }
        }
    }

    /// At the end of an isolated scope every value is defined. All that are not are said.
    pub(super) fn check_forwards(&mut self, scope: u32) -> Parsed<()> {
        if self.values.forwards.is_empty() {
            return Ok(());
        }
        let open = self.values.forwards.iter().filter(|(key, _)| key.0 == scope);
        let mut open: Vec<Token> = open.map(|(_, forward)| forward.token).collect();
        open.sort_by_key(|token| token.start);
        let Some((&first, rest)) = open.split_first() else { return Ok(()) };
        for &token in rest {
            let more = error::undefined_value(self.str(token), self.token_span(token));
            self.more_errors.push(*more);
        }
        Err(error::undefined_value(self.str(first), self.token_span(first)))
    }
}

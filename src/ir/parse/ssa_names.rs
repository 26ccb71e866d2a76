//! The table of SSA names.
//!
//! Each name has a slot. The slot of a number is the number, so `%123` needs no hashing; other names are hashed. The
//! definitions in a region are undone at its end. An operation that is isolated from above starts an empty scope, which
//! can define names from outside again; C++ parsers request this with `enableNameShadowing`. A name can also be defined
//! again in the regions of an unknown operation, because the operation may be isolated.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::lexer::Token;
use crate::host::OpNameId;
use crate::ir::module::ValueId;
use crate::ir::traits::OpTraits;

/// The maximum length of a name that is its own key.
const SHORT: usize = size_of::<u128>();

/// The flag of slots of hashed names.
const HASHED: u32 = 1 << 31;

/// The values that a name refers to.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameEntry {
    /// The raw number of the first value's [`ValueId`] in the module, not a slot of this table.
    pub(super) first: u32,
    /// The number of values; 0 for an undefined name.
    pub(super) count: u32,
    /// The isolated scope in which the name is visible.
    pub(super) scope: u32,
    /// The number of definitions before this one.
    pub(super) at: u32,
}

const UNDEFINED: NameEntry = NameEntry { first: 0, count: 0, scope: 0, at: 0 };

impl NameEntry {
    pub(super) fn is_defined(&self) -> bool {
        self.count > 0
    }
}

/// A definition, which can be undone.
pub(super) struct Definition {
    pub(super) slot: u32,
    /// The definition that it hides.
    pub(super) hidden: NameEntry,
    /// The offset of the name in the text.
    pub(super) start: u32,
}

/// A use: a name, and the index of one of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandUse {
    pub(super) slot: u32,
    pub(super) index: u32,
    pub(super) token: Token,
}

/// A value that is used before its definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForwardUse {
    pub(super) value: ValueId,
    pub(super) token: Token,
}

/// The state that is restored at the end of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScopeMark {
    pub(super) log: usize,
    pub(super) scope: u32,
    isolated: Option<OpNameId>,
    pub(super) floor: usize,
}

/// The SSA names that are visible, and their values.
#[derive(Default)]
pub(super) struct SsaNames<'a> {
    numbered: Vec<NameEntry>,
    named: Vec<NameEntry>,
    /// The slots of names of at most [`SHORT`] bytes. The key of a name is its bytes, followed by zeros, which no name
    /// contains.
    ///
    /// PERF: a lookup takes 85 instead of 117 instructions (callgrind of `drrvm opt` on lines of `arith.select`).
    short: HashMap<u128, u32, FxBuildHasher>,
    /// The slots of other names.
    long: HashMap<&'a [u8], u32, FxBuildHasher>,
    /// The visible definitions in order.
    pub(super) log: Vec<Definition>,
    /// The values that are used before their definition, by scope, slot and index.
    pub(super) forwards: HashMap<(u32, u32, u32), ForwardUse, FxBuildHasher>,
    pub(super) scope: u32,
    scopes: u32,
    /// The operation that starts the current scope; `None` for the scope of the file.
    pub(super) isolated: Option<OpNameId>,
    /// The number of definitions before the regions of the innermost unknown operation. Their names can be defined
    /// again in these regions.
    pub(super) floor: usize,
}

impl<'a> SsaNames<'a> {
    pub(super) fn entry(&mut self, slot: u32) -> &mut NameEntry {
        if slot & HASHED != 0 {
            return &mut self.named[(slot & !HASHED) as usize];
        }
        let slot = slot as usize;
        if slot >= self.numbered.len() {
            self.numbered.resize((slot + 1).max(self.numbered.len() * 2), UNDEFINED);
        }
        &mut self.numbered[slot]
    }

    /// Reserves memory for about this many values.
    pub(super) fn reserve(&mut self, values: usize) {
        self.log.reserve(values);
        self.numbered.reserve(values);
    }

    /// The slot of a name without its sigil. `text_len` is the length of the text, which limits the number of values.
    pub(super) fn slot(&mut self, name: &'a [u8], text_len: usize) -> u32 {
        // A number that exceeds the possible number of values is hashed like other names.
        let limit = (text_len / 4).min(HASHED as usize);
        // A name that starts with a digit consists of digits.
        if name[0].is_ascii_digit() && name.len() < 10 && (name[0] != b'0' || name.len() == 1) {
            let number = name.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
            if (number as usize) < limit {
                return number;
            }
        }
        let named = &mut self.named;
        let new = || {
            let slot = u32::try_from(named.len()).expect("a text has fewer names than bytes");
            named.push(UNDEFINED);
            slot | HASHED
        };
        if name.len() > SHORT {
            return *self.long.entry(name).or_insert_with(new);
        }
        let mut key = [0; SHORT];
        key[..name.len()].copy_from_slice(name);
        *self.short.entry(u128::from_le_bytes(key)).or_insert_with(new)
    }

    /// The mark of the current scope and of the definitions that are visible now.
    pub(super) fn mark(&self) -> ScopeMark {
        ScopeMark { log: self.log.len(), scope: self.scope, isolated: self.isolated, floor: self.floor }
    }

    /// The number of definitions that are visible now.
    pub(super) fn defined(&self) -> usize {
        self.log.len()
    }

    /// Returns to the scope of a mark, with the first `defined` definitions.
    pub(super) fn restore(&mut self, mark: ScopeMark, defined: usize) {
        while self.log.len() > defined {
            if let Some(Definition { slot, hidden, .. }) = self.log.pop() {
                *self.entry(slot) = hidden;
            }
        }
        self.scope = mark.scope;
        self.isolated = mark.isolated;
        self.floor = mark.floor;
    }

    /// Enters a region of an operation with these traits, and returns the mark for leaving the region.
    pub(super) fn enter(&mut self, op: OpNameId, traits: OpTraits) -> ScopeMark {
        let mark = self.mark();
        if traits.contains(OpTraits::ISOLATED_FROM_ABOVE) {
            self.scopes += 1;
            self.scope = self.scopes;
            self.isolated = Some(op);
        } else if !traits.contains(OpTraits::KNOWN) {
            self.floor = self.log.len();
        }
        mark
    }
}

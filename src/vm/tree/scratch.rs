//! The working memory of one thread, which is reused from one operation to the next.

use std::hash::{BuildHasher, Hash, Hasher};

use bumpalo::Bump;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::Address;
use crate::host::{Entity, Facets, Ir, Journal, Listener};
use crate::matcher_tree::{CallId, PositionId};
use crate::pdl::{PatternId, Segments as SegmentSizes};

use super::locals::{Locals, OpParts, Spare};
use crate::vm::linked::MAX_KEY;

/// An open alternative.
pub(in crate::vm) enum Frame<H: Ir> {
    /// Continues at this address.
    Alternative(Address),
    /// Continues after a choice of users, with the next user.
    User {
        /// The address of the choice.
        at: Address,
        /// The current use.
        used: H::Use,
    },
    /// Continues after an `either`, with its second order.
    Either {
        /// The address of the choice.
        at: Address,
        /// True if the first order matched, so that the second order is not tried.
        settled: bool,
    },
}

/// The answer and the results of a constraint call.
pub(in crate::vm) struct CallState<H: Ir> {
    /// The epoch of the root for which the call was evaluated.
    pub(in crate::vm) epoch: u64,
    /// True if the constraint holds; `None` if it could not be evaluated.
    pub(in crate::vm) holds: Option<bool>,
    /// The results, if the constraint holds.
    pub(in crate::vm) results: Vec<Entity<H>>,
}

/// The state for the current root, except the registers.
pub(in crate::vm) struct State<H: Ir> {
    pub(in crate::vm) root: Option<H::Op>,
    /// The current user of each choice, with the epoch of the root for which the user was found.
    pub(in crate::vm) users: Vec<Option<(u64, H::Op)>>,
    /// True for each `either` in its second order.
    pub(in crate::vm) swapped: Vec<bool>,
    pub(in crate::vm) calls: Vec<CallState<H>>,
    /// The number of roots so far. A new root invalidates the results of calls without writing to them.
    pub(in crate::vm) epoch: u64,
}

impl<H: Ir> State<H> {
    /// Starts with another root.
    #[inline]
    pub(in crate::vm) fn look_at(&mut self, root: H::Op) {
        self.root = Some(root);
        self.epoch += 1;
    }
}

/// An attribute that was read from a root.
pub(in crate::vm) struct RootAttr<A> {
    /// The epoch of the root.
    pub(in crate::vm) epoch: u64,
    pub(in crate::vm) position: PositionId,
    /// The attribute, or its default; `None` if it is absent.
    pub(in crate::vm) attr: Option<A>,
}

/// Cached answers about types and attributes, and the last attribute of a root. The answers stay valid, because types
/// and attributes do not change.
pub(in crate::vm) struct Memo<H: Ir> {
    /// The attribute that was last read from a root at a position with a storage predicate. Most rules read such an
    /// attribute several times: to test its presence, to test its constraint, and as an argument.
    pub(in crate::vm) attr: Option<RootAttr<H::Attr>>,
    /// Answers of pure snippets over one type.
    pub(in crate::vm) types: Answers<H::Type>,
    /// Answers of pure snippets over one attribute.
    pub(in crate::vm) attrs: Answers<H::Attr>,
    /// Answers of constraints over types and attributes.
    pub(in crate::vm) calls: CallAnswers<H>,
    pub(in crate::vm) segments: Segments<H::Attr>,
}

impl<H: Ir> Default for Memo<H> {
    fn default() -> Self {
        Self {
            attr: None,
            types: Answers::default(),
            attrs: Answers::default(),
            calls: CallAnswers::default(),
            segments: Segments::default(),
        }
    }
}

/// A type or attribute of a [`CallKey`]; `None` after the last one.
pub(in crate::vm) enum KeyEntity<H: Ir> {
    Type(H::Type),
    Attr(H::Attr),
    None,
}

impl<H: Ir> Clone for KeyEntity<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Ir> Copy for KeyEntity<H> {}

impl<H: Ir> PartialEq for KeyEntity<H> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Type(a), Self::Type(b)) => a == b,
            (Self::Attr(a), Self::Attr(b)) => a == b,
            (Self::None, Self::None) => true,
            _ => false,
        }
    }
}

/// The types and attributes that determine the answer of a constraint call.
pub(in crate::vm) type CallKey<H> = [KeyEntity<H>; MAX_KEY];

/// Recent answers of constraint calls, by the call and the types and attributes that determine the answer.
///
/// PERF: with MLIR's `arith` rules, the tree executes 234 instead of 323 instructions an operation for a first match,
/// and 634 instead of 948 for a visit of greedy rewriting (callgrind, `hosts/mlir/bench/run arith`).
pub(in crate::vm) struct CallAnswers<H: Ir> {
    /// The answers. The index of an answer is the upper bits of the hash of its call and key. The vector is empty
    /// before the first answer.
    recent: Vec<Option<(CallId, CallKey<H>, bool)>>,
}

impl<H: Ir> Default for CallAnswers<H> {
    fn default() -> Self {
        Self { recent: Vec::new() }
    }
}

impl<H: Ir> CallAnswers<H> {
    /// The binary logarithm of the number of answers that are kept.
    const BITS: u32 = 8;

    fn slot(call: CallId, key: &CallKey<H>) -> usize {
        let mut hasher = FxBuildHasher.build_hasher();
        call.raw().hash(&mut hasher);
        for entity in key {
            match entity {
                KeyEntity::Type(ty) => ty.hash(&mut hasher),
                KeyEntity::Attr(attr) => attr.hash(&mut hasher),
                KeyEntity::None => break,
            }
        }
        (hasher.finish() >> (u64::BITS - Self::BITS)) as usize
    }

    /// The answer of a call; `None` if it is not kept.
    pub(in crate::vm) fn get(&self, call: CallId, key: &CallKey<H>) -> Option<bool> {
        match self.recent.get(Self::slot(call, key))? {
            Some((known, entities, holds)) if *known == call && entities == key => Some(*holds),
            _ => None,
        }
    }

    /// Keeps an answer, and forgets an older one with the same upper bits of the hash.
    pub(in crate::vm) fn set(&mut self, call: CallId, key: CallKey<H>, holds: bool) {
        if self.recent.is_empty() {
            self.recent.resize(1 << Self::BITS, None);
        }
        self.recent[Self::slot(call, &key)] = Some((call, key, holds));
    }
}

/// The attributes of segment sizes, by the sizes.
pub(in crate::vm) struct Segments<A> {
    by_sizes: HashMap<Box<[usize]>, A, FxBuildHasher>,
}

impl<A> Default for Segments<A> {
    fn default() -> Self {
        Self { by_sizes: HashMap::default() }
    }
}

impl<A: Copy> Segments<A> {
    /// The number of entries at which the cache is cleared.
    const MAX: usize = 1024;

    /// The attribute of these sizes. If it is not cached, `make` creates it from MLIR text.
    pub(in crate::vm) fn get(&mut self, sizes: &[usize], make: impl FnOnce(&str) -> Option<A>) -> Option<A> {
        if let Some(&attr) = self.by_sizes.get(sizes) {
            return Some(attr);
        }
        let attr = make(&SegmentSizes::text(sizes))?;
        if self.by_sizes.len() == Self::MAX {
            self.by_sizes.clear();
        }
        self.by_sizes.insert(sizes.into(), attr);
        Some(attr)
    }
}

/// Cached answers about types or attributes. Each type or attribute has a row of bits, with two bits for each question,
/// so that all its answers take one lookup.
pub(in crate::vm) struct Answers<T> {
    rows: HashMap<T, u32, FxBuildHasher>,
    /// The rows of recent objects, by the upper bits of their hashes.
    recent: [Option<(T, u32)>; RECENT],
    bits: Vec<u64>,
}

/// The number of objects whose rows are found without a hash table. It is a power of two.
const RECENT: usize = 64;

impl<T: Copy> Default for Answers<T> {
    fn default() -> Self {
        Self { rows: HashMap::default(), recent: [None; RECENT], bits: Vec::new() }
    }
}

/// The two bits of a cached answer; zero is an unknown answer. A failure is not cached, because the host may lack an
/// entity that it creates later.
const NO: u64 = 2;
const YES: u64 = 3;

impl<T: Copy + std::hash::Hash + Eq> Answers<T> {
    /// The maximum number of words, which take 32 MiB. A row that would exceed this number clears the cache.
    const MAX_WORDS: usize = 1 << 22;

    /// The answer to question `index` of `count` about an object. If it is not cached, `ask` computes it.
    pub(in crate::vm) fn get(
        &mut self,
        object: T,
        index: usize,
        count: usize,
        ask: impl FnOnce() -> Option<bool>,
    ) -> Option<bool> {
        let row = self.row(object, count.div_ceil(32));
        let (word, shift) = (row as usize + index / 32, index % 32 * 2);
        match self.bits[word] >> shift & 3 {
            YES => Some(true),
            NO => Some(false),
            _ => {
                let answer = ask()?;
                self.bits[word] |= if answer { YES } else { NO } << shift;
                Some(answer)
            }
        }
    }

    /// The start of an object's row, which has `width` words.
    #[inline]
    fn row(&mut self, object: T, width: usize) -> u32 {
        // The index of `recent` is the upper bits of the hash, because these are mixed best.
        let recent = (FxBuildHasher.hash_one(object) >> 58) as usize;
        match self.recent[recent] {
            Some((known, row)) if known == object => row,
            _ => self.find_row(object, width, recent),
        }
    }

    fn find_row(&mut self, object: T, width: usize, recent: usize) -> u32 {
        if self.bits.len() + width > Self::MAX_WORDS {
            self.rows.clear();
            self.recent = [None; RECENT];
            self.bits.clear();
        }
        let bits = &mut self.bits;
        let row = *self.rows.entry(object).or_insert_with(|| {
            let row = u32::try_from(bits.len()).expect("the cap on bits is far below 4 Gi");
            bits.resize(bits.len() + width, 0);
            row
        });
        self.recent[recent] = Some((object, row));
        row
    }
}

/// The working memory of one thread for one [`Matcher`](crate::vm::Matcher).
///
/// Contains the registers, the open alternatives, the current match and cached answers. The cost of starting with
/// another operation does not depend on the size of the program.
pub struct Scratch<H: Ir> {
    pub(in crate::vm) ops: Vec<H::Op>,
    pub(in crate::vm) op_registers: usize,
    pub(in crate::vm) stack: Vec<Frame<H>>,
    pub(in crate::vm) at: Address,
    pub(in crate::vm) matched: Option<PatternId>,
    pub(in crate::vm) state: State<H>,
    pub(in crate::vm) memo: Memo<H>,
    pub(in crate::vm) args: Vec<Entity<H>>,
    pub(in crate::vm) spare: Spare<H>,
    pub(in crate::vm) journal: Journal<H>,
    pub(in crate::vm) locals: Locals<H>,
    /// `None` while an operation is created, and before the first one.
    pub(in crate::vm) parts: Option<Box<OpParts<H>>>,
    /// The arena of the temporary lists of a rewrite, reset for each rewrite.
    pub(in crate::vm) bump: Bump,
}

impl<H: Facets> Scratch<H> {
    pub(in crate::vm) fn new(op_registers: usize, choices: usize, calls: usize) -> Self {
        let call = || CallState { epoch: 0, holds: None, results: Vec::new() };
        Self {
            ops: Vec::new(),
            op_registers,
            stack: Vec::new(),
            at: Address::FAIL,
            matched: None,
            state: State {
                root: None,
                users: vec![None; choices],
                swapped: vec![false; choices],
                calls: std::iter::repeat_with(call).take(calls).collect(),
                epoch: 0,
            },
            memo: Memo::default(),
            args: Vec::new(),
            spare: Spare::default(),
            journal: Journal::new(),
            locals: Locals::default(),
            parts: None,
            bump: Bump::new(),
        }
    }
}

impl<H: Ir> Scratch<H> {
    /// The rule of the current match, if there is one.
    pub fn matched(&self) -> Option<PatternId> {
        self.matched
    }

    /// Starts with another root, at an address.
    #[inline]
    pub(in crate::vm) fn begin(&mut self, root: H::Op, at: Address) {
        if self.ops.is_empty() {
            self.ops.resize(self.op_registers, root);
        }
        self.ops[0] = root;
        self.stack.clear();
        self.at = at;
        self.state.look_at(root);
    }

    /// Starts with another root, without code to run.
    pub(in crate::vm) fn set_root(&mut self, root: H::Op) {
        self.begin(root, Address::FAIL);
    }

    /// Drops the current match. There is no next match.
    #[inline]
    pub(in crate::vm) fn end(&mut self) {
        self.go_to(Address::FAIL);
        self.matched = None;
    }

    /// Continues at another address, with the same root.
    pub(in crate::vm) fn go_to(&mut self, at: Address) {
        self.stack.clear();
        self.at = at;
    }

    /// Clears all that is cached about types and attributes. Necessary after the host has renumbered them.
    pub fn forget(&mut self) {
        self.memo = Memo::default();
    }
}

/// The tree caches nothing about operations, so it ignores changes.
impl<H: Ir> Listener<H> for Scratch<H> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::mock::{Mock, MockAttr, MockType};
    use crate::intern::StrId;

    #[test]
    fn answers_are_cached_and_failures_are_not() {
        for count in [1, 31, 32, 33, 70] {
            let mut answers = Answers::default();
            let answer = |object: usize, index: usize| (7 * object + index).is_multiple_of(3);
            for again in [false, true] {
                for object in 0..5 {
                    for index in 0..count {
                        let ask = || {
                            assert!(!again, "{object} {index} is cached");
                            Some(answer(object, index))
                        };
                        assert_eq!(answers.get(object, index, count, ask), Some(answer(object, index)));
                    }
                }
            }
            assert_eq!(answers.get(9, 0, count, || None), None);
            assert_eq!(answers.get(9, 0, count, || Some(true)), Some(true));
        }
    }

    #[test]
    fn the_cache_of_answers_is_cleared_at_its_limit() {
        // Two objects fill the cache.
        let count = 32 * (Answers::<u8>::MAX_WORDS / 2);
        let mut answers = Answers::default();
        let mut asked = 0;
        let mut get = |object: u8, answers: &mut Answers<u8>| {
            answers.get(object, count - 1, count, || {
                asked += 1;
                Some(object == 1)
            })
        };
        for object in [0, 1, 0, 1, 0] {
            assert_eq!(get(object, &mut answers), Some(object == 1));
            assert!(answers.bits.len() <= Answers::<u8>::MAX_WORDS);
        }
        assert_eq!(get(2, &mut answers), Some(false));
        assert!(answers.bits.len() <= Answers::<u8>::MAX_WORDS);
        assert!(asked >= 3, "{asked}");
    }

    #[test]
    fn answers_of_calls_are_kept_by_types_and_attributes() {
        use KeyEntity::{Attr, None as Nothing, Type};
        let [i1, i2] = [0, 1].map(|text| MockType(StrId::from_raw(text)));
        let [one, two] = [0, 1].map(|text| MockAttr(StrId::from_raw(text)));
        let keys: [CallKey<Mock>; 5] = [
            [Type(i1), Nothing, Nothing, Nothing],
            [Type(i1), Type(i2), Nothing, Nothing],
            [Type(i2), Type(i1), Nothing, Nothing],
            [Type(i1), Attr(one), Nothing, Nothing],
            [Type(i1), Attr(two), Attr(one), Attr(one)],
        ];
        let mut answers = CallAnswers::<Mock>::default();
        let [first, second] = [0, 1].map(CallId::from_raw);
        for (number, key) in keys.iter().enumerate() {
            assert_eq!(answers.get(first, key), None);
            answers.set(first, *key, number % 2 == 0);
            assert_eq!(answers.get(first, key), Some(number % 2 == 0));
            assert_eq!(answers.get(second, key), None);
        }
        answers.set(first, keys[0], false);
        assert_eq!(answers.get(first, &keys[0]), Some(false));
    }

    #[test]
    fn segment_sizes_are_created_once_until_the_cache_is_full() {
        let mut segments = Segments::default();
        let made = std::cell::RefCell::new(Vec::new());
        let get = |segments: &mut Segments<usize>, n: usize| {
            segments.get(&[n, 1], |text| {
                assert_eq!(text, format!("array<i32: {n}, 1>"));
                made.borrow_mut().push(n);
                Some(n)
            })
        };
        for _ in 0..2 {
            for n in 0..Segments::<usize>::MAX {
                assert_eq!(get(&mut segments, n), Some(n));
            }
        }
        assert_eq!(made.borrow().len(), Segments::<usize>::MAX);
        assert_eq!(get(&mut segments, usize::MAX), Some(usize::MAX));
        assert_eq!(get(&mut segments, 0), Some(0));
        assert_eq!(made.borrow().len(), Segments::<usize>::MAX + 2, "the cache was cleared");
        assert_eq!(segments.get(&[5, 5], |_| None), None);
        assert_eq!(segments.get(&[5, 5], |_| Some(3)), Some(3));
    }
}

//! What one thread needs to match: reused from one operation to the next, allocated once.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::Address;
use crate::host::{Entity, Ir, Journal, Listener};
use crate::pdl::{PatternId, Segments as SegmentSizes};

use super::locals::{Locals, OpParts};

/// An alternative that is still open.
pub(in crate::vm) enum Frame<H: Ir> {
    /// Goes on at this address.
    Alternative(Address),
    /// Goes on after the choice of users at this address, with the next one.
    User {
        /// The address of the choice.
        at: Address,
        /// The use it is at.
        used: H::Use,
    },
    /// Goes on after the `either` at this address, in its second order.
    Either {
        /// The address of the choice.
        at: Address,
        /// Whether a match has settled on the first order.
        settled: bool,
    },
}

/// What came of a constraint call.
pub(in crate::vm) struct CallState<H: Ir> {
    /// For which root it was asked.
    pub(in crate::vm) epoch: u64,
    /// Whether it held; `None`: it could not be asked.
    pub(in crate::vm) holds: Option<bool>,
    /// Its results, if it held.
    pub(in crate::vm) results: Vec<Entity<H>>,
}

/// Memory of ranges that were passed to natives, to be used again; each is empty.
pub(in crate::vm) struct Spare<H: Ir> {
    pub(in crate::vm) values: Vec<Vec<H::Value>>,
    pub(in crate::vm) types: Vec<Vec<H::Type>>,
}

impl<H: Ir> Default for Spare<H> {
    fn default() -> Self {
        Self { values: Vec::new(), types: Vec::new() }
    }
}

impl<H: Ir> Spare<H> {
    /// Takes back what was passed.
    pub(in crate::vm) fn reclaim(&mut self, entity: Entity<H>) {
        match entity {
            Entity::Values(mut values) => {
                values.clear();
                self.values.push(values);
            }
            Entity::Types(mut types) => {
                types.clear();
                self.types.push(types);
            }
            _ => {}
        }
    }
}

/// What depends on the root, besides registers.
pub(in crate::vm) struct State<H: Ir> {
    pub(in crate::vm) root: Option<H::Op>,
    /// The users that choices are at, and for which root.
    pub(in crate::vm) users: Vec<Option<(u64, H::Op)>>,
    /// Which `either`s are in their second order.
    pub(in crate::vm) swapped: Vec<bool>,
    pub(in crate::vm) calls: Vec<CallState<H>>,
    /// Counts roots, so that starting on a new one forgets the calls without touching them.
    pub(in crate::vm) epoch: u64,
}

/// What is remembered of types and attributes, which do not change.
pub(in crate::vm) struct Memo<H: Ir> {
    /// Answers of pure snippets over one type.
    pub(in crate::vm) types: Answers<H::Type>,
    /// Answers of pure snippets over one attribute.
    pub(in crate::vm) attrs: Answers<H::Attr>,
    pub(in crate::vm) segments: Segments<H::Attr>,
}

impl<H: Ir> Default for Memo<H> {
    fn default() -> Self {
        Self { types: Answers::default(), attrs: Answers::default(), segments: Segments::default() }
    }
}

/// Attributes of segment sizes, by the sizes.
pub(in crate::vm) struct Segments<A> {
    known: HashMap<Box<[usize]>, A, FxBuildHasher>,
}

impl<A> Default for Segments<A> {
    fn default() -> Self {
        Self { known: HashMap::default() }
    }
}

impl<A: Copy> Segments<A> {
    /// How many are kept before all are forgotten.
    const MAX: usize = 1024;

    /// The attribute of these sizes; `make` gives it from MLIR's text the first time.
    pub(in crate::vm) fn get(&mut self, sizes: &[usize], make: impl FnOnce(&str) -> Option<A>) -> Option<A> {
        if let Some(&attr) = self.known.get(sizes) {
            return Some(attr);
        }
        let attr = make(&SegmentSizes::text(sizes))?;
        if self.known.len() == Self::MAX {
            self.known.clear();
        }
        self.known.insert(sizes.into(), attr);
        Some(attr)
    }
}

/// The answers about one kind of object, two bits each: a row of bits for each object, found by one look-up.
pub(in crate::vm) struct Answers<T> {
    rows: HashMap<T, u32, FxBuildHasher>,
    bits: Vec<u64>,
}

impl<T> Default for Answers<T> {
    fn default() -> Self {
        Self { rows: HashMap::default(), bits: Vec::new() }
    }
}

/// What is remembered of a question, besides nothing. A failure is not: it may come from what the
/// host does not have yet.
const NO: u64 = 2;
const YES: u64 = 3;

impl<T: std::hash::Hash + Eq> Answers<T> {
    /// How many words of bits are kept before all is forgotten: 32 MiB.
    const MAX_WORDS: usize = 1 << 22;

    /// The answer to question `index` of `count` about an object; `ask` gives it the first time.
    pub(in crate::vm) fn get(
        &mut self,
        object: T,
        index: usize,
        count: usize,
        ask: impl FnOnce() -> Option<bool>,
    ) -> Option<bool> {
        let width = count.div_ceil(32);
        if self.bits.len() + width > Self::MAX_WORDS {
            self.rows.clear();
            self.bits.clear();
        }
        let bits = &mut self.bits;
        let row = *self.rows.entry(object).or_insert_with(|| {
            let row = u32::try_from(bits.len()).expect("the cap on bits is far below 4 Gi");
            bits.resize(bits.len() + width, 0);
            row
        });
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
}

/// The working memory of one thread for one [`Matcher`](crate::vm::Matcher).
///
/// Holds the registers, the open alternatives, the current match, and what pure constraints have
/// answered. Starting on another operation costs nothing in proportion to the program.
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
    pub(in crate::vm) parts: OpParts<H>,
}

impl<H: Ir> Scratch<H> {
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
            journal: Journal::default(),
            locals: Locals::default(),
            parts: OpParts::default(),
        }
    }

    /// The rule that matches now, if one does.
    pub fn matched(&self) -> Option<PatternId> {
        self.matched
    }

    /// Starts on another root, at an address.
    #[inline]
    pub(in crate::vm) fn begin(&mut self, root: H::Op, at: Address) {
        if self.ops.is_empty() {
            self.ops.resize(self.op_registers, root);
        }
        self.ops[0] = root;
        self.stack.clear();
        self.at = at;
        self.state.root = Some(root);
        self.state.epoch += 1;
    }

    /// Starts with another root, without code to run.
    pub(in crate::vm) fn set_root(&mut self, root: H::Op) {
        self.begin(root, Address::FAIL);
    }

    /// Is at no match, and there is no next one.
    #[inline]
    pub(in crate::vm) fn end(&mut self) {
        self.go_to(Address::FAIL);
        self.matched = None;
    }

    /// Goes on at another address, with the same root.
    pub(in crate::vm) fn go_to(&mut self, at: Address) {
        self.stack.clear();
        self.at = at;
    }

    /// Forgets what constraints have answered: for after the host's types or attributes were
    /// renumbered.
    pub fn forget(&mut self) {
        self.memo = Memo::default();
    }
}

/// The tree keeps nothing about the IR, so changes do not matter to it.
impl<H: Ir> Listener<H> for Scratch<H> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_asked_for_once_and_a_failure_again() {
        for count in [1, 31, 32, 33, 70] {
            let mut answers = Answers::default();
            let answer = |object: usize, index: usize| (7 * object + index).is_multiple_of(3);
            for again in [false, true] {
                for object in 0..5 {
                    for index in 0..count {
                        let ask = || {
                            assert!(!again, "{object} {index} is known");
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
    fn answers_past_the_cap_are_forgotten_all_at_once() {
        // Two objects fill what may be kept.
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
    fn segment_sizes_are_made_once_until_there_are_too_many() {
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
        assert_eq!(made.borrow().len(), Segments::<usize>::MAX + 2, "all were forgotten");
        assert_eq!(segments.get(&[5, 5], |_| None), None);
        assert_eq!(segments.get(&[5, 5], |_| Some(3)), Some(3));
    }
}

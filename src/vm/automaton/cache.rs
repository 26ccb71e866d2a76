//! The memory of one thread for one IR: tables, labels, and the current match.

use super::ids::StateId;
use super::labels::Labels;
use super::memo::Memos;
use super::tables::{RowRange, Tables};
use crate::host::{Facets, Listener, forward_listener};
use crate::vm::tree::Scratch;

/// The host's [count of changes](crate::host::Ir::change_count) when the labels were last correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChangeCount(u64);

impl ChangeCount {
    /// The count of a new cache, which has no labels yet.
    pub(super) const NEVER: Self = Self(u64::MAX);

    #[inline]
    pub(super) fn of<H: Facets>(host: &H) -> Self {
        Self(host.change_count())
    }
}

/// The memory of one thread for one IR: tables, labels, and the current match.
pub struct AutomatonCache<H: Facets> {
    pub(super) scratch: Scratch<H>,
    pub(super) tables: Tables,
    pub(super) labels: Labels<H>,
    pub(super) memos: Box<Memos<H>>,
    /// Operations that are being labelled. Each operation defines an operand of the previous operation.
    pub(super) stack: Vec<H::Op>,
    /// The last matched operation and its state, if only its first match was requested.
    pub(super) root: Option<(H::Op, StateId)>,
    /// The rules of the current state that were not tried yet.
    pub(super) rows: RowRange,
    /// True if match code (a residual test or the tree) can be continued to find the next match.
    pub(super) in_code: bool,
    pub(super) seen: ChangeCount,
    /// The number of labels found since the tables were last empty.
    pub(super) found: u64,
    /// The number of times that the tables were discarded while one label was computed.
    pub(super) discards: u32,
    /// True while the tree matches, because operations have not been matched often enough for labels to save time.
    pub(super) waiting: bool,
    /// The number of calls of the tree while waiting.
    matches: u64,
    /// The number of these calls, where a call that ran many instructions counts as several.
    waited: u64,
    /// The number of instructions that these calls ran.
    steps: u64,
    /// One more than the largest slot of a matched operation.
    slots: u64,
}

/// The number of instructions that count as one match for [`Automaton::PATIENCE`](super::Automaton).
const USUAL_STEPS: u64 = 4;

/// If a match of the tree runs more instructions than this, labelling an operation is faster.
const LABEL_STEPS: u64 = 20;

/// The number of matches after which the average number of instructions of a match is reliable.
const SAMPLE: u64 = 256;

impl<H: Facets> AutomatonCache<H> {
    pub(super) fn new(scratch: Scratch<H>, tables: Tables, waiting: bool) -> Self {
        Self {
            scratch,
            tables,
            labels: Labels::new(!waiting),
            memos: Box::default(),
            stack: Vec::new(),
            root: None,
            rows: RowRange::default(),
            in_code: false,
            seen: ChangeCount::NEVER,
            found: 0,
            discards: 0,
            waiting,
            matches: 0,
            waited: 0,
            steps: 0,
            slots: 0,
        }
    }

    /// The approximate size of the tables, in bytes.
    pub fn table_bytes(&self) -> usize {
        self.tables.bytes()
    }

    /// The number of nodes, including deferred nodes, and the number of states in the tables, without the reserved
    /// states.
    pub fn table_size(&self) -> (usize, usize) {
        self.tables.counts()
    }

    /// True if the automaton gave up, so that the tree matches from now on. It gives up if its tables become too large
    /// after too few labels, if they become too large twice for one label, or if the evaluation of tests fails at too
    /// many operations.
    pub fn has_given_up(&self) -> bool {
        !self.labels.enabled && !self.waiting
    }

    /// Forgets the labels and the current match, but keeps the tables. Call this before matching in another IR. If the
    /// host does not count changes, also call this after changes that the cache was not notified of.
    pub fn forget_labels(&mut self) {
        self.end_match();
        if self.labels.enabled {
            self.labels.clear();
        }
    }

    /// Counts a call of the tree that ran `steps` instructions, and enables labels when they save time: when there are
    /// more than `patience` calls per slot, or when the average call takes longer than computing a label. A call that
    /// runs many instructions counts as several, because a label saves all these instructions.
    pub(super) fn wait(&mut self, slot: Option<u32>, patience: u32, steps: u64) {
        let Some(slot) = slot else { return };
        self.matches += 1;
        self.waited += (steps / USUAL_STEPS).max(1);
        self.steps += steps;
        self.slots = self.slots.max(u64::from(slot) + 1);
        // The patience has 32 bits and the slots are at most 2^32, so the product fits into 64 bits.
        let is_often = self.waited > self.slots * u64::from(patience);
        let is_long = self.matches >= SAMPLE && self.steps > self.matches * LABEL_STEPS;
        if is_often || is_long {
            self.waiting = false;
            self.labels.enabled = true;
        }
    }

    pub(super) fn give_up(&mut self) {
        self.waiting = false;
        self.labels.disable();
    }

    /// Writes the match that `root` stands for to the scratch and `rows`.
    #[inline]
    pub(super) fn begin(&mut self) {
        if let Some((op, state)) = self.root.take() {
            self.scratch.set_root(op);
            self.scratch.matched = self.tables.verdict(state).first.rule();
            self.rows = self.tables.rows_of(state);
            self.rows.take_first();
            self.in_code = false;
        }
    }

    pub(super) fn end_match(&mut self) {
        self.root = None;
        self.rows = RowRange::default();
        self.in_code = false;
        self.scratch.matched = None;
    }
}

impl<H: Facets> Listener<H> for AutomatonCache<H> {
    forward_listener!(H; |this| this.labels);
}

//! The state of each operation, and which are to be found anew.

use std::collections::VecDeque;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::{Ir, Listener};

/// What is known of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Unknown,
    /// It is being found: the operation is above itself.
    Open,
    State(u32),
}

/// Labels as they are stored: these two, and states from [`STATES`] on.
pub(super) const UNKNOWN: u32 = 0;
const OPEN: u32 = 1;
pub(super) const STATES: u32 = 2;
/// The label of what has no operation: the first state, in which nothing holds.
pub(super) const NOTHING: u32 = STATES;

/// The labels of one IR.
pub(super) struct Labels<H: Ir> {
    /// By [`Ir::op_slot`], if the host has slots.
    dense: Vec<u32>,
    sparse: HashMap<H::Op, u32, FxBuildHasher>,
    /// Operations whose label may be wrong, the oldest first.
    pub(super) dirty: VecDeque<H::Op>,
    /// Operations at which a question failed, so that it may have another answer after a change.
    pub(super) uncertain: Vec<H::Op>,
    /// Whether a change was told since the labels were right.
    pub(super) changed: bool,
    /// Whether labels are wanted at all.
    pub(super) on: bool,
}

impl<H: Ir> Labels<H> {
    pub(super) fn new(on: bool) -> Self {
        Self {
            dense: Vec::new(),
            sparse: HashMap::default(),
            dirty: VecDeque::new(),
            uncertain: Vec::new(),
            changed: false,
            on,
        }
    }

    /// The label as it is stored.
    #[inline]
    pub(super) fn stored(&self, host: &H, op: H::Op) -> u32 {
        let stored = match host.op_slot(op) {
            Some(slot) => self.dense.get(slot as usize).copied(),
            None => self.sparse.get(&op).copied(),
        };
        stored.unwrap_or(UNKNOWN)
    }

    #[inline]
    pub(super) fn get(&self, host: &H, op: H::Op) -> Label {
        match self.stored(host, op) {
            UNKNOWN => Label::Unknown,
            OPEN => Label::Open,
            state => Label::State(state - STATES),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, host: &H, op: H::Op, label: Label) {
        let stored = match label {
            Label::Unknown => UNKNOWN,
            Label::Open => OPEN,
            Label::State(state) => state + STATES,
        };
        match host.op_slot(op) {
            Some(slot) => {
                let slot = slot as usize;
                if slot >= self.dense.len() {
                    // PERF: room for what comes next, so that labelling in order rarely grows it.
                    self.dense.resize((slot + 1).max(self.dense.len() * 2).max(64), UNKNOWN);
                }
                self.dense[slot] = stored;
            }
            None => {
                self.sparse.insert(op, stored);
            }
        }
    }

    /// Forgets all labels.
    pub(super) fn clear(&mut self) {
        self.dense.fill(UNKNOWN);
        self.sparse.clear();
        self.dirty.clear();
        self.uncertain.clear();
        self.changed = false;
    }

    /// Forgets all labels for good.
    pub(super) fn turn_off(&mut self) {
        *self = Self::new(false);
    }

    /// Puts the users of an operation's results on the list of what may be wrong.
    pub(super) fn touch_users(&mut self, host: &H, op: H::Op) {
        for index in 0..host.result_count(op) {
            let mut next = host.first_use(host.result(op, index));
            while let Some(used) = next {
                self.dirty.push_back(host.use_owner(used));
                next = host.next_use(used);
            }
        }
    }
}

impl<H: Ir> Listener<H> for Labels<H> {
    fn created(&mut self, host: &H, op: H::Op) {
        if self.on {
            // Its slot may have been that of an operation whose end nobody told.
            self.set(host, op, Label::Unknown);
            self.changed = true;
        }
    }
    fn modified(&mut self, _host: &H, op: H::Op) {
        if self.on {
            self.dirty.push_back(op);
            self.changed = true;
        }
    }
    fn replaced(&mut self, host: &H, op: H::Op, _with: &[H::Value]) {
        if self.on {
            self.touch_users(host, op);
            self.changed = true;
        }
    }
    fn erased(&mut self, host: &H, op: H::Op) {
        if self.on {
            self.set(host, op, Label::Unknown);
            self.changed = true;
        }
    }
}

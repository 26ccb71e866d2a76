//! The label of each operation of one IR, and the operations to label again.

use std::collections::VecDeque;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::ids::{InnerSetId, StateId};
use crate::host::{Ir, Listener};

/// The label of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Unknown,
    /// The operation is being labelled. An operation that reads this label depends on itself.
    InProgress,
    Found(StateLabel),
}

/// A state with its inner set.
///
/// The users of an operation need only its inner set, so it is stored beside the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateLabel {
    pub(super) state: StateId,
    pub(super) inner: InnerSetId,
}

impl StateLabel {
    const UNKNOWN: Self = Self { state: StateId::UNKNOWN, inner: InnerSetId::UNKNOWN };
    const IN_PROGRESS: Self = Self { state: StateId::IN_PROGRESS, inner: InnerSetId::UNKNOWN };
}

/// The labels of one IR.
pub(super) struct Labels<H: Ir> {
    /// The labels by [`Ir::op_slot`], if the host has slots.
    dense: Vec<StateLabel>,
    sparse: HashMap<H::Op, StateLabel, FxBuildHasher>,
    /// Operations whose label may be wrong, in the order in which they were marked.
    pub(super) dirty: VecDeque<H::Op>,
    /// Operations with a test whose evaluation failed. The evaluation may succeed after a change.
    pub(super) failed: Vec<H::Op>,
    /// True if the listener was notified of a change since the labels were last correct.
    pub(super) changed: bool,
    /// False if operations are not labelled: the tree matches instead.
    pub(super) enabled: bool,
}

/// Read access to labels, during which no label changes.
pub(super) struct LabelReader<'l, H: Ir> {
    dense: &'l [StateLabel],
    sparse: &'l HashMap<H::Op, StateLabel, FxBuildHasher>,
}

impl<H: Ir> LabelReader<'_, H> {
    #[inline]
    fn get(&self, host: &H, op: H::Op) -> StateLabel {
        let label = match host.op_slot(op) {
            Some(slot) => self.dense.get(slot as usize).copied(),
            None => self.sparse.get(&op).copied(),
        };
        label.unwrap_or(StateLabel::UNKNOWN)
    }

    /// The inner subpatterns that hold at an operation; [`InnerSetId::UNKNOWN`] if the operation has no state.
    #[inline]
    pub(super) fn inner(&self, host: &H, op: H::Op) -> InnerSetId {
        self.get(host, op).inner
    }
}

impl<H: Ir> Labels<H> {
    pub(super) fn new(enabled: bool) -> Self {
        Self {
            dense: Vec::new(),
            sparse: HashMap::default(),
            dirty: VecDeque::new(),
            failed: Vec::new(),
            changed: false,
            enabled,
        }
    }

    #[inline]
    pub(super) fn reader(&self) -> LabelReader<'_, H> {
        LabelReader { dense: &self.dense, sparse: &self.sparse }
    }

    /// An operation's state, or the reserved value for the reason why it has none.
    #[inline]
    pub(super) fn state(&self, host: &H, op: H::Op) -> StateId {
        self.reader().get(host, op).state
    }

    #[inline]
    pub(super) fn get(&self, host: &H, op: H::Op) -> Label {
        match self.reader().get(host, op) {
            StateLabel { state: StateId::UNKNOWN, .. } => Label::Unknown,
            StateLabel { state: StateId::IN_PROGRESS, .. } => Label::InProgress,
            found => Label::Found(found),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, host: &H, op: H::Op, label: Label) {
        let stored = match label {
            Label::Unknown => StateLabel::UNKNOWN,
            Label::InProgress => StateLabel::IN_PROGRESS,
            Label::Found(found) => found,
        };
        match host.op_slot(op) {
            Some(slot) => match self.dense.get_mut(slot as usize) {
                Some(label) => *label = stored,
                // A slot beyond the table has no label.
                None if stored == StateLabel::UNKNOWN => {}
                None => self.grow(slot as usize, stored),
            },
            None => {
                self.sparse.insert(op, stored);
            }
        }
    }

    /// Grows the table to hold `slot`, and stores its label. The table grows by at least an eighth, so labelling
    /// operations in order rarely calls this.
    ///
    /// PERF: doubling the length would write a million labels for the first new operation in an IR of a million.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, slot: usize, stored: StateLabel) {
        self.dense
            .resize((slot + 1).max(self.dense.len() + self.dense.len() / 8).max(64), StateLabel::UNKNOWN);
        self.dense[slot] = stored;
    }

    /// Forgets all labels.
    pub(super) fn clear(&mut self) {
        self.dense.fill(StateLabel::UNKNOWN);
        self.sparse.clear();
        self.dirty.clear();
        self.failed.clear();
        self.changed = false;
    }

    /// Forgets all labels and stops labelling.
    pub(super) fn disable(&mut self) {
        *self = Self::new(false);
    }

    /// Marks the users of an operation's results as dirty.
    pub(super) fn mark_users_dirty(&mut self, host: &H, op: H::Op) {
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
        if self.enabled {
            // The slot may still have the label of an operation whose erasure was not reported.
            self.set(host, op, Label::Unknown);
            self.changed = true;
        }
    }
    fn modified(&mut self, _host: &H, op: H::Op) {
        if self.enabled {
            self.dirty.push_back(op);
            self.changed = true;
        }
    }
    fn replaced(&mut self, host: &H, op: H::Op, _with: &[H::Value]) {
        if self.enabled {
            self.mark_users_dirty(host, op);
            self.changed = true;
        }
    }
    fn erased(&mut self, host: &H, op: H::Op) {
        if self.enabled {
            self.set(host, op, Label::Unknown);
            self.changed = true;
        }
    }
}

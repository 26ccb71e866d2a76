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
    Known(Known),
}

/// An operation's state, and what its users see of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) state: u32,
    pub(super) view: u32,
}

/// A label as it is stored.
///
/// PERF: users need no more than the view, so it is kept beside the state.
#[derive(Clone, Copy, Default)]
struct Stored {
    /// A state, [`UNKNOWN`] or [`OPEN`].
    state: u32,
    /// [`UNSEEN`] if there is no state.
    view: u32,
}

/// In the place of a state: it is not known.
pub(super) const UNKNOWN: u32 = 0;
/// In the place of a state: it is being found.
pub(super) const OPEN: u32 = 1;
/// How many numbers are no states.
pub(super) const NO_STATES: usize = 2;
/// In the place of a view: it is not known.
pub(super) const UNSEEN: u32 = 0;
/// What is seen of a value that no operation defines: that nothing holds.
pub(super) const NOTHING: u32 = 1;

/// The labels of one IR.
pub(super) struct Labels<H: Ir> {
    /// By [`Ir::op_slot`], if the host has slots.
    dense: Vec<Stored>,
    sparse: HashMap<H::Op, Stored, FxBuildHasher>,
    /// Operations whose label may be wrong, the oldest first.
    pub(super) dirty: VecDeque<H::Op>,
    /// Operations at which a question failed, so that it may have another answer after a change.
    pub(super) uncertain: Vec<H::Op>,
    /// Whether a change was told since the labels were right.
    pub(super) changed: bool,
    /// Whether labels are wanted at all.
    pub(super) on: bool,
}

/// The labels while none is changed.
pub(super) struct Seen<'l, H: Ir> {
    dense: &'l [Stored],
    sparse: &'l HashMap<H::Op, Stored, FxBuildHasher>,
}

impl<H: Ir> Seen<'_, H> {
    #[inline]
    fn stored(&self, host: &H, op: H::Op) -> Stored {
        let stored = match host.op_slot(op) {
            Some(slot) => self.dense.get(slot as usize).copied(),
            None => self.sparse.get(&op).copied(),
        };
        stored.unwrap_or_default()
    }

    /// What its users see of an operation; [`UNSEEN`] if it has no state.
    #[inline]
    pub(super) fn view(&self, host: &H, op: H::Op) -> u32 {
        self.stored(host, op).view
    }
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

    /// The labels as they are.
    #[inline]
    pub(super) fn seen(&self) -> Seen<'_, H> {
        Seen { dense: &self.dense, sparse: &self.sparse }
    }

    #[inline]
    fn stored(&self, host: &H, op: H::Op) -> Stored {
        self.seen().stored(host, op)
    }

    /// An operation's state; [`UNKNOWN`] or [`OPEN`] if it has none.
    #[inline]
    pub(super) fn state(&self, host: &H, op: H::Op) -> u32 {
        self.stored(host, op).state
    }

    #[inline]
    pub(super) fn get(&self, host: &H, op: H::Op) -> Label {
        match self.stored(host, op) {
            Stored { state: UNKNOWN, .. } => Label::Unknown,
            Stored { state: OPEN, .. } => Label::Open,
            Stored { state, view } => Label::Known(Known { state, view }),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, host: &H, op: H::Op, label: Label) {
        let stored = match label {
            Label::Unknown => Stored { state: UNKNOWN, view: UNSEEN },
            Label::Open => Stored { state: OPEN, view: UNSEEN },
            Label::Known(Known { state, view }) => Stored { state, view },
        };
        match host.op_slot(op) {
            Some(slot) => match self.dense.get_mut(slot as usize) {
                Some(known) => *known = stored,
                None => self.push(slot as usize, stored),
            },
            None => {
                self.sparse.insert(op, stored);
            }
        }
    }

    /// PERF: makes room for what comes next too, so that labelling in order rarely does this.
    #[cold]
    #[inline(never)]
    fn push(&mut self, slot: usize, stored: Stored) {
        self.dense.resize((slot + 1).max(self.dense.len() * 2).max(64), Stored::default());
        self.dense[slot] = stored;
    }

    /// Forgets all labels.
    pub(super) fn clear(&mut self) {
        self.dense.fill(Stored::default());
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

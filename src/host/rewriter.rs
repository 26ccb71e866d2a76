//! All-or-nothing changes: what is made is journalled, what was there is touched at commit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::ir::{Ir, IrMut, OpState, Refusal};
use super::listener::{Listener, notify_erased};

/// A change to what was there before, held back until nothing can fail any more.
#[derive(Debug)]
enum Pending<H: Ir> {
    Replace(H::Op, std::ops::Range<usize>),
    Erase(H::Op),
}

impl<H: Ir> Pending<H> {
    /// The operation that goes.
    fn op(&self) -> H::Op {
        match self {
            Pending::Replace(op, _) | Pending::Erase(op) => *op,
        }
    }

    fn is_erasure(&self) -> bool {
        matches!(self, Pending::Erase(_))
    }
}

/// A change of an operation in place.
type InPlaceChange<H> = Box<dyn FnOnce(&mut H, <H as Ir>::Op) + Send>;

/// The journal of one rewrite. Reused from one to the next, so that a warm one allocates nothing but what
/// [`Rewriter::modify`] boxes.
pub(crate) struct Journal<H: Ir> {
    created: Vec<H::Op>,
    pending: Vec<Pending<H>>,
    /// The values that replace, by the ranges of [`Pending::Replace`].
    values: Vec<H::Value>,
    modified: Vec<(H::Op, InPlaceChange<H>)>,
    erasure: ErasureOrder<H>,
}

/// In which order operations are erased; see [`Rewriter::check`].
struct ErasureOrder<H: Ir> {
    /// What goes, by its number in [`Journal::pending`].
    numbers: HashMap<H::Op, usize, FxBuildHasher>,
    /// For each, how many must go before it: the operations that use it, as often as they do, and those
    /// inside it.
    before: Vec<usize>,
    /// Those that may go now: replaced ones first, then by number.
    ready: BinaryHeap<Reverse<(bool, usize)>>,
    order: Vec<H::Op>,
}

impl<H: Ir> Default for Journal<H> {
    fn default() -> Self {
        let erasure = ErasureOrder {
            numbers: HashMap::default(),
            before: Vec::new(),
            ready: BinaryHeap::new(),
            order: Vec::new(),
        };
        Self { created: Vec::new(), pending: Vec::new(), values: Vec::new(), modified: Vec::new(), erasure }
    }
}

/// What a rewrite, native ones included, changes the IR through.
///
/// [`Self::create`] makes an operation at once. [`Self::modify`], [`Self::replace`] and [`Self::erase`] take
/// effect when the whole rewrite has succeeded, in this order. If it fails, the operations that it made are
/// erased and the IR is as it was before.
pub struct Rewriter<'a, H: Ir> {
    host: &'a mut H,
    root: H::Op,
    journal: &'a mut Journal<H>,
}

impl<'a, H: Ir> Rewriter<'a, H> {
    pub(crate) fn new(host: &'a mut H, root: H::Op, journal: &'a mut Journal<H>) -> Self {
        journal.created.clear();
        journal.pending.clear();
        journal.values.clear();
        journal.modified.clear();
        Self { host, root, journal }
    }

    /// The IR, to read.
    pub fn host(&self) -> &H {
        self.host
    }

    /// The IR, to make types, attributes and locations with.
    ///
    /// Operations are changed through [`Self::create`], [`Self::modify`], [`Self::replace`] and
    /// [`Self::erase`] alone: a change made here is not undone when the rewrite fails, no listener hears of
    /// it, and an engine that remembers the IR may find matches that are none.
    pub fn host_mut(&mut self) -> &mut H {
        self.host
    }

    /// The matched root: operations are made right before it.
    pub fn root(&self) -> H::Op {
        self.root
    }

    /// The operations made so far.
    pub fn created(&self) -> &[H::Op] {
        &self.journal.created
    }

    /// Replaces all results of an operation and erases it, once the rewrite has succeeded.
    ///
    /// # Errors
    /// The counts differ.
    pub fn replace(&mut self, op: H::Op, with: &[H::Value]) -> Result<(), Refusal> {
        if self.host.result_count(op) as usize != with.len() {
            return Err(Refusal::new(format!(
                "{} values replace an operation of {} results",
                with.len(),
                self.host.result_count(op)
            )));
        }
        let start = self.journal.values.len();
        self.journal.values.extend_from_slice(with);
        self.journal.pending.push(Pending::Replace(op, start..self.journal.values.len()));
        Ok(())
    }

    /// Erases an operation, once the rewrite has succeeded.
    pub fn erase(&mut self, op: H::Op) {
        self.journal.pending.push(Pending::Erase(op));
    }

    /// Changes operands or attributes of an operation in place, once the rewrite has succeeded: `change` is
    /// called then, and after it [`Listener::modified`]. It must not make the operation use a result of one
    /// that this rewrite erases.
    pub fn modify(&mut self, op: H::Op, change: impl FnOnce(&mut H, H::Op) + Send + 'static) {
        self.journal.modified.push((op, Box::new(change)));
    }
}

impl<H: IrMut> Rewriter<'_, H> {
    /// Makes an operation before the root.
    ///
    /// # Errors
    /// As [`IrMut::create`].
    pub fn create(&mut self, state: &OpState<'_, H>) -> Result<H::Op, Refusal> {
        let op = self.host.create(self.root, state)?;
        self.journal.created.push(op);
        Ok(op)
    }

    /// Undoes everything.
    pub(crate) fn roll_back(self) {
        while let Some(op) = self.journal.created.pop() {
            self.host.erase(op);
        }
    }

    /// Does what was held back, and notifies the listener of every change.
    ///
    /// # Errors
    /// As [`Self::check`]; then everything is undone.
    pub(crate) fn commit(mut self, listener: &mut dyn Listener<H>) -> Result<(), Refusal> {
        if let Err(refusal) = self.check() {
            self.roll_back();
            return Err(refusal);
        }
        let Self { host, journal, .. } = self;
        for &op in &journal.created {
            listener.created(host, op);
        }
        for (op, change) in journal.modified.drain(..) {
            change(host, op);
            listener.modified(host, op);
        }
        for pending in &journal.pending {
            let Pending::Replace(op, range) = pending else { continue };
            let with = &journal.values[range.clone()];
            listener.replaced(host, *op, with);
            for (i, &to) in (0u32..).zip(with) {
                host.replace_all_uses(host.result(*op, i), to);
            }
        }
        for &op in &journal.erasure.order {
            notify_erased(host, op, listener);
            host.erase(op);
        }
        Ok(())
    }

    /// The operations that are to be changed in place.
    pub(crate) fn modifications(&self) -> impl Iterator<Item = H::Op> {
        self.journal.modified.iter().map(|(op, _)| *op)
    }

    /// The operations whose results are to be replaced, and by what.
    pub(crate) fn replacements(&self) -> impl Iterator<Item = (H::Op, &[H::Value])> {
        self.journal.pending.iter().filter_map(|pending| match pending {
            Pending::Replace(op, range) => Some((*op, &self.journal.values[range.clone()])),
            Pending::Erase(_) => None,
        })
    }

    /// The operations that are to be erased without being replaced.
    pub(crate) fn erasures(&self) -> impl Iterator<Item = H::Op> {
        self.journal.pending.iter().filter(|pending| pending.is_erasure()).map(Pending::op)
    }

    /// Checks that nothing that stays uses what goes, and finds the order in which to erase: replaced operations
    /// first, whose results nothing uses once they are replaced, then the others as the rule names them; but
    /// what uses an operation, or is inside it, goes before it.
    ///
    /// O(n log n) in the operations that go, their uses and the depth of their nesting.
    ///
    /// # Errors
    /// Something would use a result of an operation that is gone.
    pub(crate) fn check(&mut self) -> Result<(), Refusal> {
        let Self { host, journal, .. } = self;
        let host = &**host;
        let Journal { created, pending, values, modified, erasure } = &mut **journal;
        let ErasureOrder { numbers, before, ready, order } = erasure;
        numbers.clear();
        before.clear();
        ready.clear();
        order.clear();
        for (number, pending) in pending.iter().enumerate() {
            if numbers.insert(pending.op(), number).is_some() {
                return Err(Refusal::new("an operation is replaced or erased twice"));
            }
        }
        if modified.iter().any(|(op, _)| numbers.contains_key(op)) {
            return Err(Refusal::new("an operation is changed and replaced or erased"));
        }
        before.resize(pending.len(), 0);
        for (number, this) in pending.iter().enumerate() {
            let op = this.op();
            match this {
                Pending::Replace(_, range) => {
                    // One that is replaced later hands on the uses that it gets here.
                    let goes = |op| match numbers.get(&op) {
                        Some(&other) => other <= number || pending[other].is_erasure(),
                        None => false,
                    };
                    let with = &values[range.clone()];
                    if with.iter().any(|&value| host.defining_op(value).is_some_and(goes)) {
                        return Err(Refusal::new(
                            "an operation is replaced by a result of an operation that is erased or replaced",
                        ));
                    }
                    if !created.is_empty() && users(host, op).any(|user| created.contains(&user)) {
                        return Err(Refusal::new("what replaces an operation uses its results"));
                    }
                }
                Pending::Erase(_) => {
                    for user in users(host, op) {
                        if user == op || !numbers.contains_key(&user) {
                            return Err(Refusal::new("an operation is erased while its results are used"));
                        }
                        before[number] += 1;
                    }
                }
            }
            if pending.len() > 1 {
                around(host, op).filter_map(|op| numbers.get(&op)).for_each(|&outer| before[outer] += 1);
            }
        }
        let key = |number: usize| Reverse((pending[number].is_erasure(), number));
        ready.extend((0..pending.len()).filter(|&number| before[number] == 0).map(key));
        while let Some(Reverse((_, number))) = ready.pop() {
            let op = pending[number].op();
            order.push(op);
            if pending.len() == 1 {
                break;
            }
            let operands = (0..host.operand_count(op)).map(|index| host.operand(op, index));
            let used = operands.filter_map(|operand| numbers.get(&host.defining_op(operand)?).copied());
            let used = used.filter(|&used| pending[used].is_erasure());
            for number in used.chain(around(host, op).filter_map(|op| numbers.get(&op).copied())) {
                // NOTE: a host whose uses and operands disagree may come here more often than was counted.
                let Some(left) = before[number].checked_sub(1) else { continue };
                before[number] = left;
                if left == 0 {
                    ready.push(key(number));
                }
            }
        }
        if order.len() < pending.len() {
            return Err(Refusal::new("operations that use each other are erased"));
        }
        Ok(())
    }
}

/// The operations around an operation, inside out.
fn around<H: Ir>(host: &H, op: H::Op) -> impl Iterator<Item = H::Op> {
    std::iter::successors(host.parent_op(op), |&inner| host.parent_op(inner))
}

/// The operations that use a result of an operation, each as often as it does.
fn users<H: Ir>(host: &H, op: H::Op) -> impl Iterator<Item = H::Op> {
    (0..host.result_count(op)).flat_map(move |i| {
        let first = host.first_use(host.result(op, i));
        std::iter::successors(first, |&used| host.next_use(used)).map(|used| host.use_owner(used))
    })
}

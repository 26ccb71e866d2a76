//! All-or-nothing changes: what is made is journalled, what was there is touched at commit.

use super::listener::tell_erased;
use super::{Ir, IrMut, Listener, OpState, Refusal};

/// A change to what was there before, held back until nothing can fail any more.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// The journal of rewrites, reused from one to the next so that a warm one allocates nothing.
#[derive(Debug)]
pub(crate) struct Journal<H: Ir> {
    created: Vec<H::Op>,
    pending: Vec<Pending<H>>,
    values: Vec<H::Value>,
}

impl<H: Ir> Default for Journal<H> {
    fn default() -> Self {
        Self { created: Vec::new(), pending: Vec::new(), values: Vec::new() }
    }
}

/// What a rewrite, native ones included, changes the IR through.
///
/// Operations are made at once, before the matched root. Replacements and erasures wait until the
/// whole rewrite has succeeded. When it fails, what was made is erased again and nothing else has
/// happened.
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
        Self { host, root, journal }
    }

    /// The IR, to read.
    pub fn host(&self) -> &H {
        self.host
    }

    /// The IR, to make types, attributes and locations with. Operations go through [`Self::create`].
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

    /// Does what was held back, and tells the listener all of it.
    ///
    /// # Errors
    /// The rule would leave a use of what it takes away; then everything is undone.
    pub(crate) fn commit(self, listener: &mut dyn Listener<H>) -> Result<(), Refusal> {
        if let Err(refusal) = self.check() {
            self.roll_back();
            return Err(refusal);
        }
        let order = self.order_of_erasure().unwrap_or_default();
        let Self { host, journal, .. } = self;
        for &op in &journal.created {
            listener.created(host, op);
        }
        for pending in &journal.pending {
            let Pending::Replace(op, range) = pending else { continue };
            let with = &journal.values[range.clone()];
            listener.replaced(host, *op, with);
            for (i, &to) in (0u32..).zip(with) {
                host.replace_all_uses(host.result(*op, i), to);
            }
        }
        for op in order {
            tell_erased(host, op, listener);
            host.erase(op);
        }
        Ok(())
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
        let erased = |pending: &&Pending<H>| matches!(pending, Pending::Erase(_));
        self.journal.pending.iter().filter(erased).map(Pending::op)
    }

    /// Whether nothing that goes is used by what stays.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let Self { host, journal, .. } = self;
        for (i, pending) in journal.pending.iter().enumerate() {
            let op = pending.op();
            let (before, after) = (&journal.pending[..i], &journal.pending[i + 1..]);
            if before.iter().any(|earlier| earlier.op() == op) {
                return Err(Refusal::new("an operation is replaced or erased twice"));
            }
            match pending {
                Pending::Replace(_, range) => {
                    let replaced_later =
                        |op| after.iter().any(|p| matches!(p, Pending::Replace(later, _) if *later == op));
                    let goes = |op| journal.pending.iter().any(|p| p.op() == op) && !replaced_later(op);
                    let with = &journal.values[range.clone()];
                    if with.iter().any(|&value| host.defining_op(value).is_some_and(goes)) {
                        return Err(Refusal::new("an operation is replaced by a result of one that goes"));
                    }
                    if self.users(op).any(|user| journal.created.contains(&user)) {
                        return Err(Refusal::new("what replaces an operation uses its results"));
                    }
                }
                Pending::Erase(_) => {
                    let goes = |user| user != op && journal.pending.iter().any(|p| p.op() == user);
                    if !self.users(op).all(goes) {
                        return Err(Refusal::new("an operation is erased while its results are used"));
                    }
                }
            }
        }
        match self.order_of_erasure() {
            Some(_) => Ok(()),
            None => Err(Refusal::new("operations that use each other are erased")),
        }
    }

    /// Replaced ones, whose results nothing uses any more then; then those that are erased, users first, in
    /// whatever order the rule names them. `None`: they use each other.
    fn order_of_erasure(&self) -> Option<Vec<H::Op>> {
        let pending = &self.journal.pending;
        let mut order: Vec<H::Op> =
            pending.iter().filter(|p| matches!(p, Pending::Replace(..))).map(Pending::op).collect();
        let mut left: Vec<H::Op> = self.erasures().collect();
        while !left.is_empty() {
            let next = left.iter().position(|&op| self.users(op).all(|user| order.contains(&user)))?;
            order.push(left.remove(next));
        }
        Some(order)
    }

    /// The operations that use a result of an operation.
    fn users(&self, op: H::Op) -> impl Iterator<Item = H::Op> {
        let host = &*self.host;
        (0..host.result_count(op)).flat_map(move |i| {
            let first = host.first_use(host.result(op, i));
            std::iter::successors(first, |&used| host.next_use(used)).map(|used| host.use_owner(used))
        })
    }
}

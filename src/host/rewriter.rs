//! All-or-nothing changes: what is made is journalled, what was there is touched at commit.

use super::{Ir, IrMut, Listener, OpState, Refusal};

/// A change to what was there before, held back until nothing can fail any more.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pending<H: Ir> {
    Replace(H::Op, std::ops::Range<usize>),
    Erase(H::Op),
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
    pub(crate) fn commit(self, listener: &mut dyn Listener<H>) {
        let Self { host, journal, .. } = self;
        for &op in &journal.created {
            listener.created(host, op);
        }
        for pending in &journal.pending {
            let op = match pending {
                Pending::Replace(op, range) => {
                    let with = &journal.values[range.clone()];
                    listener.replaced(host, *op, with);
                    for (i, &to) in (0u32..).zip(with) {
                        let from = host.result(*op, i);
                        if from != to {
                            host.replace_all_uses(from, to);
                        }
                    }
                    *op
                }
                Pending::Erase(op) => *op,
            };
            listener.erased(host, op);
            host.erase(op);
        }
    }
}

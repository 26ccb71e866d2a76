//! Transactional changes. New operations, and changes of attributes, operands, successors and blocks, take effect at
//! once and are recorded in a journal. Replacements, erasures and changes by [`Rewriter::modify`] take effect at the
//! commit.

use std::any::Any;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hash;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::commit::{
    AtCommit, Erasures, IsUsedOutside, Pending, Set, Structural, ancestors, check_structure, is_erased,
    refuse_remaining, replacements,
};
use super::ir::{AttrNameId, Ir, IrMut, OpState, Refusal, Region, WalkOrder, users_of};
use super::listener::{Listener, notify_erased};

/// A change of an operation in place.
pub(crate) type InPlaceChange<H> = Box<dyn FnOnce(&mut H, <H as Ir>::Op) + Send>;

/// The journal of a rewrite. Successive rewrites use the same journal, so that only [`Rewriter::modify`],
/// [`Rewriter::set_attr`] and changes of operands, successors and blocks allocate.
pub(crate) struct Journal<H: Ir> {
    pub(crate) created: Vec<H::Op>,
    pending: Vec<Pending<H>>,
    /// The replacement values, which the ranges of [`Pending::Replace`] select.
    values: Vec<H::Value>,
    pub(crate) modified: Vec<(H::Op, InPlaceChange<H>)>,
    /// The attributes that [`Rewriter::set_attr`] has changed, with the values before each change.
    old_attrs: Vec<(H::Op, AttrNameId, Option<H::Attr>)>,
    pub(crate) structural: Structural<H>,
    /// The function that tests if an operation outside an erased operation uses a value inside it; `None` for a host
    /// without blocks.
    pub(crate) is_used_outside: Option<IsUsedOutside<H>>,
    /// The block arguments that earlier rewrites of a conversion have erased, but which still exist.
    pub(crate) hidden_args: Set<H::Value>,
    erasure: ErasureOrder<H>,
}

/// The insertion point of new operations.
pub(super) enum Insertion<H: Ir> {
    Before(H::Op),
    /// The end of a block.
    End(EndOfBlock<H>),
}

/// The end of a block of a host that has blocks.
pub(super) struct EndOfBlock<H: Ir> {
    pub(super) block: Box<dyn Any + Send + Sync>,
    pub(super) create: CreateAtEnd<H>,
}

/// A function that creates an operation at the end of a block.
type CreateAtEnd<H> = fn(&mut H, &dyn Any, &OpState<'_, H>) -> Result<<H as Ir>::Op, Refusal>;

/// The working memory for computing the order of erasures; see [`Rewriter::check`].
struct ErasureOrder<H: Ir> {
    /// The indices of the replaced and erased operations in [`Journal::pending`]; empty if there is at most one.
    numbers: HashMap<H::Op, usize, FxBuildHasher>,
    /// For each pending operation, the number of pending operations inside it. If the operation is erased without a
    /// replacement, the number also counts the uses of its results. All that the number counts must be erased before
    /// the pending operation.
    before: Vec<usize>,
    /// The operations that can be erased next, as an index and a flag that is false for a replaced operation. Replaced
    /// operations come first, then smaller indices.
    ready: BinaryHeap<Reverse<(bool, usize)>>,
    /// For each use of a result of an operation that is erased without a replacement, the index of the operation with
    /// which the use is erased, and the index of the operation whose result is used. The first is the innermost pending
    /// operation that is the user or contains it. Sorted.
    uses: Vec<(usize, usize)>,
    order: Vec<H::Op>,
}

/// The indices of replaced and erased operations in [`Journal::pending`].
struct PendingIndices<'j, H: Ir> {
    pending: &'j [Pending<H>],
    /// The index of each operation; empty if there is at most one.
    several: &'j HashMap<H::Op, usize, FxBuildHasher>,
}

impl<H: Ir> PendingIndices<'_, H> {
    /// The index of an operation, if it is replaced or erased.
    ///
    /// PERF: most rewrites replace one operation. This special case, the early return of [`Rewriter::check`] for one
    /// operation, and the early return of `IrHost::dictionary` together reduce a walk over 100,000 operations from
    /// 160.1 to 156.1 million instructions (`cargo bench --bench compare -- once in-walk tree ir 100k 1000 3` under
    /// callgrind).
    fn get(&self, op: H::Op) -> Option<usize> {
        match self.pending {
            [only] => (only.op() == op).then_some(0),
            _ => self.several.get(&op).copied(),
        }
    }

    fn has(&self, op: H::Op) -> bool {
        self.get(op).is_some()
    }
}

impl<H: Ir> Journal<H> {
    /// An empty journal with this value of [`Self::is_used_outside`].
    pub(super) fn with_check(is_used_outside: Option<IsUsedOutside<H>>) -> Self {
        let erasure = ErasureOrder {
            numbers: HashMap::default(),
            before: Vec::new(),
            ready: BinaryHeap::new(),
            uses: Vec::new(),
            order: Vec::new(),
        };
        Self {
            created: Vec::new(),
            pending: Vec::new(),
            values: Vec::new(),
            modified: Vec::new(),
            old_attrs: Vec::new(),
            structural: Structural::default(),
            is_used_outside,
            hidden_args: Set::default(),
            erasure,
        }
    }

    /// Marks the changes of regions and blocks as in use, and returns them.
    fn structural(&mut self) -> &mut Structural<H> {
        self.structural.in_use = true;
        &mut self.structural
    }

    /// The operations that the last rewrite replaces, each with one value for each result.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = (H::Op, &[H::Value])> {
        replacements(&self.pending, &self.values)
    }

    /// The operations that the last rewrite erases without a replacement.
    pub(crate) fn erased(&self) -> impl Iterator<Item = H::Op> {
        self.pending.iter().filter(|pending| pending.is_erasure()).map(Pending::op)
    }
}

/// The interface through which a rewrite changes the IR.
///
/// [`Self::create`] creates an operation at once. [`Self::set_attr`] and changes of operands, successors and blocks
/// also take effect at once. [`Self::modify`], [`Self::replace`] and [`Self::erase`] take effect when the whole rewrite
/// has succeeded, in this order. If the rewrite fails, the new operations are erased, all changes are undone, and the
/// IR is unchanged.
pub struct Rewriter<'a, H: Ir> {
    host: &'a mut H,
    root: H::Op,
    insertion: Insertion<H>,
    journal: &'a mut Journal<H>,
}

impl<'a, H: Ir> Rewriter<'a, H> {
    pub(crate) fn new(host: &'a mut H, root: H::Op, journal: &'a mut Journal<H>) -> Self {
        journal.created.clear();
        journal.pending.clear();
        journal.values.clear();
        journal.modified.clear();
        journal.old_attrs.clear();
        journal.structural.clear();
        Self { host, root, insertion: Insertion::Before(root), journal }
    }

    /// The IR.
    pub fn host(&self) -> &H {
        self.host
    }

    /// The mutable IR, for creating types, attributes and locations.
    ///
    /// Change operations and blocks only through the methods of the rewriter. Other changes are not undone if the
    /// rewrite fails, and listeners are not notified of them, so that an engine with a cache can find wrong matches.
    pub fn host_mut(&mut self) -> &mut H {
        self.host
    }

    /// The matched root. New operations are inserted right before it unless a native or helper function changes the
    /// insertion point.
    pub fn root(&self) -> H::Op {
        self.root
    }

    /// The operation before which new operations are inserted; `None` if they are inserted at the end of a block. This
    /// operation is the root unless a native or helper function changed the insertion point.
    pub(crate) fn insertion_op(&self) -> Option<H::Op> {
        match self.insertion {
            Insertion::Before(op) => Some(op),
            Insertion::End(_) => None,
        }
    }

    /// Inserts new operations before `op` from now on.
    pub(crate) fn set_insertion_op(&mut self, op: H::Op) {
        self.insertion = Insertion::Before(op);
    }

    /// The block at whose end new operations are inserted; `None` if they are inserted before an operation.
    pub(super) fn insertion_end(&self) -> Option<&(dyn Any + Send + Sync)> {
        match &self.insertion {
            Insertion::Before(_) => None,
            Insertion::End(end) => Some(&*end.block),
        }
    }

    /// Inserts new operations at the end of a block from now on.
    pub(super) fn set_insertion_end(&mut self, end: EndOfBlock<H>) {
        self.insertion = Insertion::End(end);
    }

    /// The operations that the rewrite has created.
    pub fn created(&self) -> &[H::Op] {
        &self.journal.created
    }

    /// Records an operation that was not created by [`Self::create`], so that it is erased if the rewrite fails. Record
    /// the operations that define its operands first.
    pub fn adopt(&mut self, op: H::Op) {
        self.journal.created.push(op);
    }

    /// Replaces all results of an operation, and erases the operation, once the rewrite has succeeded.
    ///
    /// # Errors
    /// The number of values is not the number of results.
    pub fn replace(&mut self, op: H::Op, with: &[H::Value]) -> Result<(), Refusal> {
        if self.host.result_count(op) as usize != with.len() {
            return Err(Refusal::new(format!(
                "the number of values ({}) differs from the number of results ({}) of the operation that they replace",
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

    /// Changes operands or attributes of an operation in place, once the rewrite has succeeded: calls `change`, and
    /// then [`Listener::modified`]. After the change, the operation must not use results of operations that the rewrite
    /// erases.
    pub fn modify(&mut self, op: H::Op, change: impl FnOnce(&mut H, H::Op) + Send + 'static) {
        self.journal.modified.push((op, Box::new(change)));
    }

    /// True if the rewrite replaces or erases an operation, or an operation that contains it.
    pub(crate) fn erases(&self, op: H::Op) -> bool {
        let mut outer = std::iter::once(op).chain(ancestors(&*self.host, op));
        !self.erases_nothing() && outer.any(|op| self.is_pending(op))
    }

    /// True if the rewrite replaces or erases the operation itself.
    pub(super) fn is_pending(&self, op: H::Op) -> bool {
        let Journal { pending, structural, .. } = &*self.journal;
        let (known, rest) = (&structural.indexed, &pending[structural.indexed.len()..]);
        known.contains(&op) || rest.iter().any(|pending| pending.op() == op)
    }

    /// True if the rewrite neither replaces nor erases an operation.
    pub(crate) fn erases_nothing(&self) -> bool {
        self.journal.pending.is_empty()
    }

    /// Adds the operations that were replaced or erased so far to a set, so that [`Self::erases`] does not search a
    /// list.
    pub(crate) fn index_erasures(&mut self) {
        let Journal { pending, structural, .. } = &mut *self.journal;
        structural.in_use = true;
        for pending in &pending[structural.indexed.len()..] {
            // An operation that is replaced or erased twice makes the commit fail.
            if !structural.indexed.insert(pending.op()) {
                break;
            }
        }
    }

    /// Records the function that undoes a change that was just made.
    pub(super) fn undo_by(&mut self, undo: impl FnOnce(&mut H) + Send + 'static) {
        let created = self.journal.created.len();
        self.journal.structural().undo.push((created, Box::new(undo)));
    }

    /// Records a region that was empty and now has blocks.
    pub(super) fn record_filled(&mut self, region: Region<H::Op>) {
        self.journal.structural().filled.push(region);
    }

    /// Records a copy of an operation, so that listeners are notified of the creation of the copy and of the operations
    /// inside it.
    pub(super) fn record_copy(&mut self, op: H::Op) {
        self.journal.structural().copied.push(op);
    }

    /// Records an operation, so that listeners are notified that it was modified.
    pub(super) fn touch(&mut self, op: H::Op) {
        self.journal.structural().touched.push(op);
    }

    /// Delays a change of a block until the rewrite has succeeded. `parent` returns the operation that contains the
    /// block. If the rewrite erases this operation, the change is omitted.
    pub(super) fn at_commit(
        &mut self,
        parent: impl Fn(&H) -> Option<H::Op> + Send + 'static,
        change: impl FnOnce(&mut H) + Send + 'static,
    ) {
        let change = AtCommit { parent: Box::new(parent), change: Box::new(change) };
        self.journal.structural().at_commit.push(change);
    }

    /// Records a condition that the commit checks.
    pub(super) fn check_at_commit(
        &mut self,
        check: impl Fn(&Erasures<'_, H>) -> Result<(), Refusal> + Send + 'static,
    ) {
        self.journal.structural().checks.push(Box::new(check));
    }

    /// The number of values that replace results.
    pub(crate) fn replacement_count(&self) -> usize {
        self.journal.values.len()
    }

    /// Changes pending replacements of results by `from` to replacements by `to`.
    pub(super) fn redirect_replacements(&mut self, from: H::Value, to: H::Value) {
        self.journal.values.iter_mut().filter(|value| **value == from).for_each(|value| *value = to);
    }

    /// True if the rewrite erases a block.
    pub(super) fn erases_block<B: Hash + Eq + 'static>(&self, block: &B) -> bool {
        is_erased(self.journal.structural.erased_blocks.as_deref(), block)
    }

    /// Records that the rewrite erases a block.
    pub(super) fn record_erased_block<B: Hash + Eq + Send + 'static>(&mut self, block: B) {
        let set = &mut self.journal.structural().erased_blocks;
        let set = set.get_or_insert_with(|| Box::new(Set::<B>::default()));
        if let Some(set) = set.downcast_mut::<Set<B>>() {
            set.insert(block);
        }
    }

    /// True if the rewrite erases a block argument.
    pub(super) fn erases_arg(&self, arg: &H::Value) -> bool {
        let Journal { structural, hidden_args, .. } = &*self.journal;
        structural.erased_args.contains(arg) || hidden_args.contains(arg)
    }

    /// Records that the rewrite erases a block argument.
    pub(super) fn record_erased_arg(&mut self, arg: H::Value) {
        self.journal.structural().erased_args.insert(arg);
    }

    /// Checks that operations that lose a region are replaced or erased.
    ///
    /// # Errors
    /// An operation that loses a region remains.
    pub(crate) fn check_taken(&self) -> Result<(), Refusal> {
        let Journal { pending, structural, .. } = &*self.journal;
        refuse_remaining(self.host, &structural.taken, |op| pending.iter().any(|pending| pending.op() == op))
    }
}

impl<H: IrMut> Rewriter<'_, H> {
    /// Creates an operation at the insertion point, which is right before the root unless a native or helper function
    /// changed it.
    ///
    /// # Errors
    /// See [`IrMut::create`].
    pub fn create(&mut self, state: &OpState<'_, H>) -> Result<H::Op, Refusal> {
        let op = match &self.insertion {
            Insertion::Before(before) => self.host.create(*before, state)?,
            Insertion::End(EndOfBlock { block, create }) => create(self.host, &**block, state)?,
        };
        self.journal.created.push(op);
        Ok(op)
    }

    /// Erases at once an operation that the rewrite has created and that has no uses.
    pub(crate) fn discard(&mut self, op: H::Op) {
        let Journal { created, structural, .. } = &mut *self.journal;
        let Some(at) = created.iter().rposition(|&other| other == op) else { return };
        created.remove(at);
        structural.undo.iter_mut().rev().take_while(|(before, _)| *before > at).for_each(|undo| undo.0 -= 1);
        self.host.erase(op);
    }

    /// Sets an attribute of an operation, or removes it if there is no value. The change is visible at once, and is
    /// undone if the rewrite fails.
    ///
    /// # Errors
    /// See [`IrMut::set_attr`].
    pub fn set_attr(&mut self, op: H::Op, name: AttrNameId, value: Option<H::Attr>) -> Result<(), Refusal> {
        let old = self.host.attr(op, name);
        let undo = self.host.undo_set_attr(op, name);
        self.host.set_attr(op, name, value)?;
        self.journal.old_attrs.push((op, name, old));
        self.undo_by(undo);
        self.touch(op);
        Ok(())
    }

    /// True if this rewrite has changed an attribute by [`Self::set_attr`].
    pub(crate) fn has_set_attrs(&self) -> bool {
        !self.journal.old_attrs.is_empty()
    }

    /// The value of an attribute before this rewrite changed it by [`Self::set_attr`]; `None` if it is unchanged.
    pub(crate) fn attr_before(&self, op: H::Op, name: AttrNameId) -> Option<Option<H::Attr>> {
        self.journal.old_attrs.iter().find(|old| (old.0, old.1) == (op, name)).map(|old| old.2)
    }

    /// Moves all blocks of a region to an empty region of another operation. The move is visible at once, and is undone
    /// if the rewrite fails. The rewrite must replace or erase the operation that loses its region.
    ///
    /// ```
    /// # #[cfg(feature = "ir")] {
    /// use drrvm::host::{Ir, Natives, OpState, Region, Rewriter};
    /// use drrvm::ir::{IrHost, OpId};
    /// // Replaces a loop without results by another operation with the same body.
    /// let natives = Natives::new().canonicalize("t.loop", "Rename", |rewriter: &mut Rewriter<'_, IrHost>, op: OpId| {
    ///     let name = rewriter.host_mut().context.op_name("t.repeat");
    ///     let location = rewriter.host().location(op);
    ///     let new = rewriter.create(&OpState {
    ///         name, operands: &[], result_types: &[], attributes: &[], regions: 1, location,
    ///     })?;
    ///     rewriter.take_region(Region { op, index: 0 }, Region { op: new, index: 0 })?;
    ///     rewriter.erase(op);
    ///     Ok(true)
    /// });
    /// # let _ = natives;
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`IrMut::move_blocks`]. A move of a region into its own operation is an error too.
    pub fn take_region(&mut self, from: Region<H::Op>, to: Region<H::Op>) -> Result<(), Refusal> {
        if ancestors(self.host, to.op).chain([to.op]).any(|op| op == from.op) {
            return Err(Refusal::new("a region is moved into its own operation"));
        }
        self.host.move_blocks(from, to)?;
        // The host accepted this move, so it accepts the inverse.
        self.undo_by(move |host| drop(host.move_blocks(to, from)));
        self.touch(to.op);
        self.journal.structural().taken.push((from.op, to));
        Ok(())
    }

    /// Erases the new operations, and undoes the changes that took effect at once.
    pub(crate) fn roll_back(self) {
        let Journal { created, structural, .. } = self.journal;
        while let Some((before, undo)) = structural.undo.pop() {
            created.drain(before..).rev().for_each(|op| self.host.erase(op));
            undo(self.host);
        }
        while let Some(op) = created.pop() {
            self.host.erase(op);
        }
    }

    /// Applies the pending changes, and notifies the listener.
    ///
    /// # Errors
    /// See [`Self::check`]. The rewrite is rolled back.
    pub(crate) fn commit(mut self, listener: &mut dyn Listener<H>) -> Result<(), Refusal> {
        if let Err(refusal) = self.check() {
            self.roll_back();
            return Err(refusal);
        }
        let Self { host, journal, .. } = self;
        if journal.structural.in_use {
            let Journal { structural, erasure, pending, .. } = journal;
            let numbers = PendingIndices { pending, several: &erasure.numbers };
            let is_pending = |op| numbers.has(op);
            let erasures = Erasures::new(host, &is_pending, None);
            structural
                .at_commit
                .retain(|change| !(change.parent)(host).is_some_and(|op| erasures.erases(op)));
        }
        for &op in &journal.created {
            listener.created(host, op);
        }
        if journal.structural.in_use {
            for &op in &journal.structural.copied {
                host.walk(op, WalkOrder::Pre, &mut |op| listener.created(host, op));
            }
        }
        for (op, change) in journal.modified.drain(..) {
            change(host, op);
            listener.modified(host, op);
        }
        if journal.structural.in_use {
            for op in journal.structural.touched.drain(..) {
                listener.modified(host, op);
            }
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
        if journal.structural.in_use {
            for AtCommit { change, .. } in journal.structural.at_commit.drain(..) {
                change(host);
            }
        }
        Ok(())
    }

    /// The operations that the rewrite changes in place, except those that it creates, replaces or erases.
    pub(crate) fn modifications(&self) -> Vec<H::Op> {
        let Journal { created, structural, modified, .. } = &*self.journal;
        let mut excluded: Set<H::Op> = created.iter().chain(&structural.copied).copied().collect();
        let changed = structural.touched.iter().copied().chain(modified.iter().map(|(op, _)| *op));
        changed.filter(|&op| !self.erases(op) && excluded.insert(op)).collect()
    }

    /// The operations that will be replaced, with the replacement values.
    pub(crate) fn replacements(&self) -> impl Iterator<Item = (H::Op, &[H::Value])> {
        replacements(&self.journal.pending, &self.journal.values)
    }

    /// The operations that will be erased without a replacement.
    pub(crate) fn erasures(&self) -> impl Iterator<Item = H::Op> {
        self.journal.pending.iter().filter(|pending| pending.is_erasure()).map(Pending::op)
    }

    /// Checks that no remaining operation uses an erased operation, and computes the order of erasures. An operation
    /// comes after the operations inside it, and an operation without a replacement also comes after its users. Apart
    /// from that, replaced operations come before the others, and the operations of each of these two groups are in the
    /// order in which the rewrite recorded them.
    ///
    /// Takes O(n log n) time, where n counts the created and erased operations, their operands and uses, and the
    /// operations around all of these.
    ///
    /// # Errors
    /// An operation would use a result of an erased operation, a new operation uses a result that is replaced, the
    /// outermost operation is replaced or erased, an operation that loses a region remains, or other changes of the
    /// rewrite contradict each other.
    pub(crate) fn check(&mut self) -> Result<(), Refusal> {
        let Self { host, root, journal, .. } = self;
        let host = &**host;
        let Journal { created, pending, values, modified, structural, is_used_outside, erasure, .. } =
            &mut **journal;
        let ErasureOrder { numbers: several, before, ready, uses, order } = erasure;
        several.clear();
        before.clear();
        ready.clear();
        uses.clear();
        order.clear();
        if pending.len() > 1 {
            for (number, pending) in pending.iter().enumerate() {
                if several.insert(pending.op(), number).is_some() {
                    return Err(Refusal::new("an operation is replaced or erased twice"));
                }
            }
        }
        let is_outermost = |op| op != *root && host.parent_op(op).is_none();
        if pending.iter().any(|pending| is_outermost(pending.op())) && host.parent_op(*root).is_some() {
            return Err(Refusal::new("the outermost operation is replaced or erased"));
        }
        let numbers = PendingIndices { pending, several };
        let is_pending = |op| numbers.has(op);
        if structural.in_use {
            refuse_remaining(host, &structural.taken, is_pending)?;
        }
        let blocks = structural.erased_blocks.as_deref();
        let erasures = Erasures::new(host, &is_pending, blocks).with_pending(pending, values);
        let erased = pending.iter().map(Pending::op);
        check_structure(&structural.checks, *is_used_outside, erased, &erasures)?;
        if modified.iter().any(|&(op, _)| numbers.has(op)) {
            return Err(Refusal::new("an operation that is changed in place is also replaced or erased"));
        }
        before.resize(pending.len(), 0);
        // A new operation must not use a result that the rewrite replaces, because the use would become a use of the
        // replacement. Graph regions allow it, as in MLIR.
        let is_replaced = |op| numbers.get(op).is_some_and(|number| !pending[number].is_erasure());
        let uses_replaced = |&op: &H::Op| {
            let operands = (0..host.operand_count(op)).map(|index| host.operand(op, index));
            let mut definitions = operands.filter_map(|operand| host.defining_op(operand));
            definitions.any(|defined| is_replaced(defined) && !host.is_in_graph_region(defined))
        };
        if !values.is_empty() && created.iter().any(uses_replaced) {
            return Err(Refusal::new("a new operation uses a result that the rewrite replaces"));
        }
        for (number, this) in pending.iter().enumerate() {
            let op = this.op();
            match this {
                Pending::Replace(_, range) => {
                    // An operation that is replaced later passes the uses that it receives here to its own replacement.
                    let erased = |op| match numbers.get(op) {
                        Some(other) => other <= number || pending[other].is_erasure(),
                        None => false,
                    };
                    let with = &values[range.clone()];
                    if with.iter().any(|&value| host.defining_op(value).is_some_and(erased)) {
                        return Err(Refusal::new(
                            "an operation is replaced by a result of an operation that is erased or replaced",
                        ));
                    }
                }
                Pending::Erase(_) => {
                    for user in users(host, op) {
                        let mut around = std::iter::once(user).chain(ancestors(host, user));
                        match around.find_map(|op| numbers.get(op)) {
                            Some(innermost) if innermost != number => uses.push((innermost, number)),
                            _ => {
                                return Err(Refusal::new(
                                    "an operation is erased while its results are used",
                                ));
                            }
                        }
                        before[number] += 1;
                    }
                }
            }
            if pending.len() > 1 {
                ancestors(host, op).filter_map(|op| numbers.get(op)).for_each(|outer| before[outer] += 1);
            }
        }
        if let [only] = &pending[..] {
            order.push(only.op());
            return Ok(());
        }
        uses.sort_unstable();
        let key = |number: usize| Reverse((pending[number].is_erasure(), number));
        ready.extend((0..pending.len()).filter(|&number| before[number] == 0).map(key));
        while let Some(Reverse((_, number))) = ready.pop() {
            let op = pending[number].op();
            order.push(op);
            let first = uses.partition_point(|&(innermost, _)| innermost < number);
            let erased_uses = uses[first..].iter().take_while(|&&(innermost, _)| innermost == number);
            let used = erased_uses.map(|&(_, used)| used);
            for later in used.chain(ancestors(host, op).filter_map(|op| numbers.get(op))) {
                before[later] -= 1;
                if before[later] == 0 {
                    ready.push(key(later));
                }
            }
        }
        if order.len() < pending.len() {
            return Err(Refusal::new("operations that use each other are erased"));
        }
        Ok(())
    }
}

/// The operations that use a result of an operation, once for each use.
fn users<H: Ir>(host: &H, op: H::Op) -> impl Iterator<Item = H::Op> {
    (0..host.result_count(op)).flat_map(move |index| users_of(host, host.result(op, index)))
}

//! The changes of regions and blocks that a rewrite has made, and what its commit checks and does about them.

use std::any::Any;
use std::iter;

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::changes::Undo;
use super::ir::{Ir, Refusal, Region};

/// A set of ids.
pub(super) type Set<T> = HashSet<T, FxBuildHasher>;

/// The changes of regions and blocks, which few rewrites make.
pub(super) struct Structural<H: Ir> {
    /// The functions that undo them, each with the number of operations that were created before the change.
    pub(super) undo: Vec<(usize, Undo<H>)>,
    /// The operations that they change or move.
    pub(super) touched: Vec<H::Op>,
    /// The regions that moved, each from an operation that must be erased.
    pub(super) taken: Vec<(H::Op, Region<H::Op>)>,
    /// The changes that wait for the commit.
    pub(super) at_commit: Vec<AtCommit<H>>,
    /// The conditions that the commit checks, so that no remaining operation uses an erased value or block.
    pub(super) checks: Vec<Check<H>>,
    /// Set if remaining operations can use what is inside erased ones.
    pub(super) is_used_outside: Option<IsUsedOutside<H>>,
    /// The set of the blocks that the rewrite erases.
    pub(super) erased_blocks: Option<Box<dyn Any + Send>>,
    /// The block arguments that the rewrite erases.
    pub(super) erased_args: Set<H::Value>,
    /// The first operations among those that are replaced or erased, as a set.
    pub(super) pending: Set<H::Op>,
}

impl<H: Ir> Default for Structural<H> {
    fn default() -> Self {
        Self {
            undo: Vec::new(),
            touched: Vec::new(),
            taken: Vec::new(),
            at_commit: Vec::new(),
            checks: Vec::new(),
            is_used_outside: None,
            erased_blocks: None,
            erased_args: Set::default(),
            pending: Set::default(),
        }
    }
}

impl<H: Ir> Structural<H> {
    pub(super) fn clear(&mut self) {
        self.undo.clear();
        self.touched.clear();
        self.taken.clear();
        self.at_commit.clear();
        self.checks.clear();
        self.is_used_outside = None;
        self.erased_blocks = None;
        self.erased_args.clear();
        self.pending.clear();
    }
}

/// Finds the operation that contains a block.
pub(super) type ParentOf<H> = Box<dyn Fn(&H) -> Option<<H as Ir>::Op> + Send>;

/// A change of a block that waits for the commit.
pub(super) struct AtCommit<H: Ir> {
    /// The operation that contains the block. If the rewrite erases it, the change is not made.
    pub(super) parent: ParentOf<H>,
    pub(super) change: Undo<H>,
}

/// A condition on what a rewrite erases.
pub(crate) type Check<H> = Box<dyn Fn(&Erasures<'_, H>) -> Result<(), Refusal> + Send>;

/// True if a remaining operation uses an argument of a block inside an erased operation, or a result of an operation
/// inside it that is not replaced or erased itself.
pub(crate) type IsUsedOutside<H> = fn(&Erasures<'_, H>, <H as Ir>::Op) -> bool;

/// What a rewrite erases.
pub(crate) struct Erasures<'a, H: Ir> {
    pub(crate) host: &'a H,
    /// True for operations that are replaced or erased.
    pub(crate) is_pending: &'a dyn Fn(H::Op) -> bool,
    /// The values that replace the results of operations.
    pub(crate) replacements: &'a [H::Value],
    pub(crate) blocks: Option<&'a (dyn Any + Send)>,
}

impl<H: Ir> Erasures<'_, H> {
    /// True if the rewrite erases an operation, or one that contains it.
    pub(super) fn erases(&self, op: H::Op) -> bool {
        iter::once(op).chain(ancestors(self.host, op)).any(self.is_pending)
    }

    /// True if the rewrite erases a block.
    pub(super) fn erases_block<B: std::hash::Hash + Eq + 'static>(&self, block: &B) -> bool {
        is_erased(self.blocks, block)
    }

    /// True if an operation that remains uses a value now, or will when operations are replaced.
    pub(super) fn uses(&self, value: H::Value) -> bool {
        let host = self.host;
        let mut uses = iter::successors(host.first_use(value), |&used| host.next_use(used));
        uses.any(|used| !self.erases(host.use_owner(used))) || self.replacements.contains(&value)
    }
}

/// True if a block is in a set of erased blocks.
pub(super) fn is_erased<B: std::hash::Hash + Eq + 'static>(
    set: Option<&(dyn Any + Send)>,
    block: &B,
) -> bool {
    set.and_then(|set| set.downcast_ref::<Set<B>>()).is_some_and(|set| set.contains(block))
}

/// The operations that contain an operation, innermost first.
pub(super) fn ancestors<H: Ir>(host: &H, op: H::Op) -> impl Iterator<Item = H::Op> {
    iter::successors(host.parent_op(op), |&inner| host.parent_op(inner))
}

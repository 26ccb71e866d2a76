//! The changes of attributes, operands, regions and blocks by a rewrite, and the checks and changes that wait for its
//! commit.

use std::any::Any;
use std::cell::OnceCell;
use std::hash::Hash;
use std::iter;
use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::changes::Undo;
use super::ir::{Ir, Refusal, Region, users_of};

/// A set of ids.
pub(crate) type Set<T> = HashSet<T, FxBuildHasher>;

/// The changes of attributes, operands, regions and blocks, which few rewrites make.
pub(crate) struct Structural<H: Ir> {
    /// True if the fields below may have entries. If not, a rewrite skips all work on these fields.
    pub(crate) in_use: bool,
    /// The functions that undo the changes, each with the number of operations that were created before the change.
    pub(crate) undo: Vec<(usize, Undo<H>)>,
    /// The operations that have been changed or moved. Listeners are notified of them at the commit.
    pub(crate) touched: Vec<H::Op>,
    /// The regions that received the blocks of a region of another operation, each with the other operation. The
    /// rewrite must replace or erase the other operation.
    pub(super) taken: Vec<(H::Op, Region<H::Op>)>,
    /// The regions that were empty and now have blocks, except those in [`Self::taken`].
    pub(super) filled: Vec<Region<H::Op>>,
    /// The copied operations that are not in `Journal::created`. The operations inside them are copies too, and are not
    /// listed.
    pub(crate) copied: Vec<H::Op>,
    /// The changes that wait for the commit.
    pub(super) at_commit: Vec<AtCommit<H>>,
    /// The conditions that the commit checks, so that no remaining operation uses an erased value or block, or branches
    /// to a block of another region.
    pub(crate) checks: Vec<Check<H>>,
    /// The blocks that the rewrite erases, as a [`Set`] of the host's blocks.
    pub(crate) erased_blocks: Option<Box<dyn Any + Send>>,
    /// The block arguments that the rewrite erases.
    pub(crate) erased_args: Set<H::Value>,
    /// The operations of the first n entries of `Journal::pending`, where n is the size of this set; the later entries
    /// are searched one by one.
    pub(super) indexed: Set<H::Op>,
}

impl<H: Ir> Default for Structural<H> {
    fn default() -> Self {
        Self {
            in_use: false,
            undo: Vec::new(),
            touched: Vec::new(),
            taken: Vec::new(),
            filled: Vec::new(),
            copied: Vec::new(),
            at_commit: Vec::new(),
            checks: Vec::new(),
            erased_blocks: None,
            erased_args: Set::default(),
            indexed: Set::default(),
        }
    }
}

impl<H: Ir> Structural<H> {
    /// The regions that were empty and now have blocks, including those in [`Self::taken`].
    pub(crate) fn all_filled(&self) -> impl Iterator<Item = Region<H::Op>> {
        self.taken.iter().map(|&(_, to)| to).chain(self.filled.iter().copied())
    }

    pub(super) fn clear(&mut self) {
        if !std::mem::take(&mut self.in_use) {
            return;
        }
        self.undo.clear();
        self.touched.clear();
        self.taken.clear();
        self.filled.clear();
        self.copied.clear();
        self.at_commit.clear();
        self.checks.clear();
        self.erased_blocks = None;
        self.erased_args.clear();
        self.indexed.clear();
    }
}

/// A function that returns the operation that contains a block.
pub(super) type ParentOf<H> = Box<dyn Fn(&H) -> Option<<H as Ir>::Op> + Send>;

/// A change of a block that waits for the commit.
pub(super) struct AtCommit<H: Ir> {
    /// Returns the operation that contains the block. If the rewrite erases this operation, the change is not made.
    pub(super) parent: ParentOf<H>,
    pub(super) change: Undo<H>,
}

/// A replacement or erasure of an existing operation, which takes effect at commit.
#[derive(Debug)]
pub(super) enum Pending<H: Ir> {
    /// The operation, and the range of its replacement values.
    Replace(H::Op, Range<usize>),
    Erase(H::Op),
}

impl<H: Ir> Pending<H> {
    /// The operation that is replaced or erased.
    pub(super) fn op(&self) -> H::Op {
        match self {
            Pending::Replace(op, _) | Pending::Erase(op) => *op,
        }
    }

    pub(super) fn is_erasure(&self) -> bool {
        matches!(self, Pending::Erase(_))
    }
}

/// The replaced operations among pending changes, each with the values that replace its results.
pub(super) fn replacements<'j, H: Ir>(
    pending: &'j [Pending<H>],
    values: &'j [H::Value],
) -> impl Iterator<Item = (H::Op, &'j [H::Value])> + use<'j, H> {
    pending.iter().filter_map(|pending| match pending {
        Pending::Replace(op, range) => Some((*op, &values[range.clone()])),
        Pending::Erase(_) => None,
    })
}

/// A condition on the operations and blocks that a rewrite erases.
pub(crate) type Check<H> = Box<dyn Fn(&Erasures<'_, H>) -> Result<(), Refusal> + Send>;

/// A test of an erased operation: true if an operation outside of it uses a value from inside it. The results of an
/// inner operation do not count if the rewrite replaces or erases the inner operation itself.
pub(crate) type IsUsedOutside<H> = fn(&Erasures<'_, H>, <H as Ir>::Op) -> bool;

/// The operations and blocks that a rewrite erases.
pub(crate) struct Erasures<'a, H: Ir> {
    pub(super) host: &'a H,
    /// True for operations that are replaced or erased.
    is_pending: &'a dyn Fn(H::Op) -> bool,
    blocks: Option<&'a (dyn Any + Send)>,
    /// The replacements and erasures that the commit will make.
    pending: &'a [Pending<H>],
    /// The values that replace results, in the ranges that `pending` states.
    values: &'a [H::Value],
    /// For each value in `values`, the results that it replaces; computed at the first access.
    replaced: OnceCell<HashMap<H::Value, Vec<H::Value>, FxBuildHasher>>,
}

impl<'a, H: Ir> Erasures<'a, H> {
    /// The erasures of a rewrite, without replacements that the commit will make.
    pub(crate) fn new(
        host: &'a H,
        is_pending: &'a dyn Fn(H::Op) -> bool,
        blocks: Option<&'a (dyn Any + Send)>,
    ) -> Self {
        Self { host, is_pending, blocks, pending: &[], values: &[], replaced: OnceCell::new() }
    }

    /// Adds the replacements and erasures that the commit will make, and the values that replace results.
    pub(super) fn with_pending(self, pending: &'a [Pending<H>], values: &'a [H::Value]) -> Self {
        Self { pending, values, ..self }
    }

    /// True if the rewrite replaces or erases the operation itself.
    pub(super) fn is_pending(&self, op: H::Op) -> bool {
        (self.is_pending)(op)
    }

    /// True if the rewrite replaces or erases an operation, or an operation that contains it.
    pub(super) fn erases(&self, op: H::Op) -> bool {
        iter::once(op).chain(ancestors(self.host, op)).any(self.is_pending)
    }

    /// True if the rewrite erases a block.
    pub(super) fn erases_block<B: Hash + Eq + 'static>(&self, block: &B) -> bool {
        is_erased(self.blocks, block)
    }

    /// True if an operation that remains uses a value now, or will use it after the replacements.
    pub(super) fn uses(&self, value: H::Value) -> bool {
        self.has_user(value, |user| !self.erases(user))
    }

    /// True if an operation for which `is_counted` is true uses a value now, or will use it after the replacements.
    pub(super) fn has_user(&self, value: H::Value, is_counted: impl Fn(H::Op) -> bool) -> bool {
        let has_user = |value| users_of(self.host, value).any(&is_counted);
        if has_user(value) {
            return true;
        }
        let (mut seen, mut rest) = (Set::default(), vec![value]);
        while let Some(to) = rest.pop() {
            for &from in self.replaced().get(&to).into_iter().flatten() {
                // `from` can itself replace another value, so it is visited too.
                if seen.insert(from) {
                    if has_user(from) {
                        return true;
                    }
                    rest.push(from);
                }
            }
        }
        false
    }

    fn replaced(&self) -> &HashMap<H::Value, Vec<H::Value>, FxBuildHasher> {
        self.replaced.get_or_init(|| {
            let mut replaced = HashMap::<_, Vec<_>, _>::default();
            for (op, with) in replacements(self.pending, self.values) {
                for (index, &to) in (0..).zip(with) {
                    replaced.entry(to).or_default().push(self.host.result(op, index));
                }
            }
            replaced
        })
    }
}

/// Checks the conditions on the operations and blocks that a rewrite erases.
///
/// # Errors
/// A condition does not hold, or a remaining operation uses a value inside an erased operation.
pub(crate) fn check_structure<H: Ir>(
    checks: &[Check<H>],
    is_used_outside: Option<IsUsedOutside<H>>,
    mut erased: impl Iterator<Item = H::Op>,
    erasures: &Erasures<'_, H>,
) -> Result<(), Refusal> {
    checks.iter().try_for_each(|check| check(erasures))?;
    match is_used_outside {
        Some(is_used) if erased.any(|op| is_used(erasures, op)) => {
            Err(Refusal::new("an operation is erased while a value inside it is used"))
        }
        _ => Ok(()),
    }
}

/// Refuses a rewrite in which an operation loses a region and remains. `is_erased` is true for operations that are
/// replaced or erased.
pub(super) fn refuse_remaining<H: Ir>(
    host: &H,
    taken: &[(H::Op, Region<H::Op>)],
    is_erased: impl Fn(H::Op) -> bool,
) -> Result<(), Refusal> {
    let Some(&(op, _)) = taken.iter().find(|(op, _)| !is_erased(*op)) else { return Ok(()) };
    let name = host.op_name_text(host.op_name(op));
    Err(Refusal::new(format!(
        "a region is taken from '{name}', but this operation is neither replaced nor erased"
    )))
}

/// True if a block is in a set of erased blocks.
pub(super) fn is_erased<B: Hash + Eq + 'static>(set: Option<&(dyn Any + Send)>, block: &B) -> bool {
    set.and_then(|set| set.downcast_ref::<Set<B>>()).is_some_and(|set| set.contains(block))
}

/// The operations that contain an operation, innermost first.
pub(super) fn ancestors<H: Ir>(host: &H, op: H::Op) -> impl Iterator<Item = H::Op> {
    iter::successors(host.parent_op(op), |&inner| host.parent_op(inner))
}

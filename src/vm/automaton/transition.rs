//! The way of an operation through the tables, as it is read for each operation.
//!
//! In: an operation, what is known of those below it, the tables. Out: where its way ends, if the tables say.
//!
//! PERF: a step by an operand is two loads, the class of what is seen below it and the entry of the row, and
//! nothing that depends on the operation is a branch before the end, but how many steps there are: a branch
//! that nobody can foretell costs as much as 70 instructions. What is not known yet is 0 everywhere, and 0
//! leads to 0.

use std::hint::select_unpredictable;

use crate::host::{AttrNameId, Facets};
use crate::id::Id;

use super::comb::Slot;
use super::labels::{Labels, NOTHING};
use super::memo::Memos;
use super::{Automaton, NO_CONSTANT};

/// The steps of all operations of one name with so many operands and results.
///
/// PERF: in one piece, and what most operations need of it in two lines of a cache. In boxes of their own the
/// steps cost 7 ns an operation more, at 1,000 rules.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Where the way begins.
    pub(super) first: u32,
    /// How many operands there are, or [`ANY`] or [`NEVER`].
    pub(super) operands: u32,
    pub(super) results: u32,
    /// The plan for the same name that was met before this one; 0 if none was.
    pub(super) other: u32,
    pub(super) operand_steps: u32,
    pub(super) attr_steps: u32,
    pub(super) own_steps: u32,
    /// Whether anything is read off the operation itself, be it on the way.
    pub(super) has_own: bool,
    pub(super) by_attrs: [AttrStep; MAX_STEPS + 1],
    pub(super) by_operands: [OperandStep; MAX_STEPS + 1],
    pub(super) by_own: [OwnStep; MAX_STEPS + 1],
}

/// A step by what is seen of the operation that defines an operand; what there is to know of the operand
/// itself is read on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OperandStep {
    pub(super) operand: Operand,
    pub(super) classes: Classes,
}

/// Which operand a step is by, and what is known of it adds to the number of the tuple.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operand {
    pub(super) index: u32,
    pub(super) types: Numbers,
    /// What it adds if the operand is that of the step before.
    pub(super) same: Numbers,
}

/// An attribute that is read off the operation itself, and what it adds to the number of the tuple.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttrStep {
    pub(super) name: AttrNameId,
    pub(super) adds: Numbers,
}

/// Something else that is read off the operation itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnStep {
    pub(super) what: Own,
    pub(super) adds: Numbers,
}

/// What is read off an operation itself, besides its attributes and what is read on the way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Own {
    /// Whether two operands are the same value.
    Same(u32, u32),
    OperandType(u32),
    ResultType(u32),
}

/// The class of each view.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Classes {
    pub(super) at: u32,
    pub(super) views: u32,
    /// 1 if each takes two bytes.
    pub(super) is_wide: u32,
}

/// A number for each answer, 0 for all that are not among them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    pub(super) at: u32,
    pub(super) len: u32,
}

impl Numbers {
    /// Whether nobody wants to know.
    fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// How many steps of a kind a plan may have: what else is read off an operation is asked late; where more
/// operands are asked about, no plan is found, but the way is gone as if it were not made yet.
///
/// PERF: a mask, so that no step is looked for beyond the end of a plan.
pub(super) const MAX_STEPS: usize = 7;

/// How many tuples of answers a plan may tell apart; what would make them more is asked late.
pub(super) const MAX_TUPLES: usize = 1 << 8;

/// In the place of a number of operands: whatever there are, as no rule has anything to say of the name.
pub(super) const ANY: u32 = u32::MAX;
/// In the place of a number of operands: no operation has so many.
pub(super) const NEVER: u32 = u32::MAX - 1;

/// How many plans of a name are compared with before the hash table is asked.
const NEAR: usize = 4;

impl Plan {
    /// The plan that fits nothing.
    pub(super) fn none() -> Self {
        let adds = Numbers::default();
        Self {
            first: 0,
            operands: NEVER,
            results: 0,
            other: 0,
            operand_steps: 0,
            attr_steps: 0,
            own_steps: 0,
            has_own: false,
            by_attrs: [AttrStep { name: AttrNameId::from_raw(0), adds }; MAX_STEPS + 1],
            by_operands: [OperandStep::default(); MAX_STEPS + 1],
            by_own: [OwnStep { what: Own::ResultType(0), adds }; MAX_STEPS + 1],
        }
    }
}

/// What is read of the tables.
///
/// Of the tables holds (`tables.rs` makes them so and lets nobody else change them):
/// 1. The way of a plan leads from `first` over a row for each step by an operand, whose columns are classes,
///    then over a row whose columns are tuples if it has something of its own; or to 0, which is no row.
/// 2. `slots` has a slot for the sum of each row that a way leads to, or 0, and each column.
/// 3. Where classes are, `numbers` has a class for each of their views, wide or not; and for numbers one byte
///    for each of their answers. The byte at 0 is 0.
/// 4. What the steps of a plan add is together below the number of its tuples, at most [`MAX_TUPLES`].
///
/// PERF: a value of its own, so that where things are is known to stay as it is while an operation is labelled.
#[derive(Clone, Copy)]
pub(super) struct Ways<'t> {
    pub(super) starts: &'t [u32],
    pub(super) plans: &'t [Plan],
    pub(super) slots: &'t [Slot],
    pub(super) numbers: &'t [u8],
}

impl<'t> Ways<'t> {
    /// The plan for a name of the host and counts, if it is among those that were met last.
    #[inline(always)]
    fn plan(self, name: usize, operands: u32, results: u32) -> Option<&'t Plan> {
        let mut number = self.starts.get(name).copied()?;
        // PERF: mostly it is the first.
        for _ in 0..NEAR {
            let plan = &self.plans[number as usize];
            if plan.operands == operands && plan.results == results || plan.operands == ANY {
                return Some(plan);
            }
            number = plan.other;
        }
        None
    }

    /// The class of a view; 0 if it is not known.
    #[inline(always)]
    pub(super) fn class(self, classes: Classes, view: u32) -> u32 {
        if view >= classes.views {
            return 0;
        }
        if classes.is_wide == 0 {
            return self.byte(classes.at + view);
        }
        let at = classes.at + 2 * view;
        self.byte(at) | self.byte(at + 1) << 8
    }

    /// The number of an answer; 0 if there is none.
    #[inline(always)]
    fn number(self, numbers: Numbers, answer: u32) -> u32 {
        // PERF: whether anybody wants the answer is no branch.
        self.byte(select_unpredictable(answer < numbers.len, numbers.at.wrapping_add(answer), 0))
    }

    /// What is added to the number of the tuple by an operand's type, and whether it is the one before.
    #[inline(always)]
    pub(super) fn of_operand(self, operand: Operand, ty: u32, is_same: bool) -> u32 {
        self.number(operand.types, ty) + self.number(operand.same, u32::from(is_same))
    }

    /// Where a row leads by a class or a tuple; 0 if it is not known.
    ///
    /// PERF: that here and in [`Self::byte`] nothing is checked takes labelling from 25.0 to 21.8 ns an
    /// operation at 100 rules, from 26.8 to 24.8 at 1,000.
    #[inline(always)]
    fn next(self, row: u32, column: u32) -> u32 {
        let at = (row + column) as usize;
        debug_assert!(at < self.slots.len());
        // SAFETY: by 1 and 2 of what holds of the tables, for tuples also by 4.
        #[expect(unsafe_code, reason = "see above")]
        let slot = unsafe { *self.slots.get_unchecked(at) };
        select_unpredictable(slot.row == row, slot.to, 0)
    }

    #[inline(always)]
    fn byte(self, at: u32) -> u32 {
        debug_assert!((at as usize) < self.numbers.len());
        // SAFETY: by 3 of what holds of the tables, the classes of views and the numbers of answers are in it.
        #[expect(unsafe_code, reason = "see above")]
        let byte = unsafe { *self.numbers.get_unchecked(at as usize) };
        byte.into()
    }
}

impl<H: Facets> Automaton<H> {
    /// Where an operation's way ends, by the tables as they are; 0 if they do not say. Unless it may `ASK`,
    /// also where a type or an attribute is not remembered.
    ///
    /// PERF: without questions it calls nothing, so that all it needs is in registers.
    #[inline(always)]
    pub(super) fn known<const ASK: bool>(
        &self,
        host: &H,
        op: H::Op,
        ways: Ways<'_>,
        labels: &Labels<H>,
        memos: &mut Memos<H>,
    ) -> u32 {
        let seen = labels.seen();
        let name = host.op_name(op).index();
        let Some(plan) = ways.plan(name, host.operand_count(op), host.result_count(op)) else { return 0 };
        let (mut at, mut tuple, mut before) = (plan.first, 0, None);
        for &OperandStep { operand, classes } in &plan.by_operands[..plan.operand_steps as usize & MAX_STEPS]
        {
            let value = host.operand(op, operand.index);
            let view = host.defining_op(value).map_or(NOTHING, |below| seen.view(host, below));
            at = ways.next(at, ways.class(classes, view));
            // PERF: whether anybody wants the type is no branch, unless it is not remembered.
            let ty = self.ty::<ASK>(host, value, memos);
            let Some(ty) = ty.or_else(|| operand.types.is_empty().then_some(NO_CONSTANT)) else { return 0 };
            tuple += ways.of_operand(operand, ty, before == Some(value));
            before = Some(value);
        }
        if plan.has_own {
            let Some(own) = self.own::<ASK>(host, op, plan, ways, memos) else { return 0 };
            at = ways.next(at, tuple + own);
        }
        at
    }

    /// What is added to the number of the tuple by what is read off an operation, besides what is read on the
    /// way. `None` if that is not remembered.
    #[inline(always)]
    pub(super) fn own<const ASK: bool>(
        &self,
        host: &H,
        op: H::Op,
        plan: &Plan,
        ways: Ways<'_>,
        memos: &mut Memos<H>,
    ) -> Option<u32> {
        let mut tuple = 0;
        for &AttrStep { name, adds } in &plan.by_attrs[..plan.attr_steps as usize & MAX_STEPS] {
            tuple += ways.number(adds, self.attr::<ASK>(host, op, name, memos)?);
        }
        for &OwnStep { what, adds } in &plan.by_own[..plan.own_steps as usize & MAX_STEPS] {
            let answer = match what {
                Own::Same(a, b) => u32::from(host.operand(op, a) == host.operand(op, b)),
                Own::OperandType(index) => self.ty::<ASK>(host, host.operand(op, index), memos)?,
                Own::ResultType(index) => self.ty::<ASK>(host, host.result(op, index), memos)?,
            };
            tuple += ways.number(adds, answer);
        }
        Some(tuple)
    }

    /// Which plain constant the type of a value is. Unless it may `ASK`, `None` if that is not remembered.
    #[inline(always)]
    pub(super) fn ty<const ASK: bool>(&self, host: &H, value: H::Value, memos: &mut Memos<H>) -> Option<u32> {
        let ty = host.value_type(value);
        // PERF: mostly it is the one that was met last.
        if memos.last_type.0 == Some(ty) {
            return Some(memos.last_type.1);
        }
        let answer = memos.types.get(ty).or_else(|| ASK.then(|| self.other_type(ty, memos)))?;
        memos.last_type = (Some(ty), answer);
        Some(answer)
    }

    pub(super) fn type_of(&self, host: &H, value: H::Value, memos: &mut Memos<H>) -> u32 {
        self.ty::<true>(host, value, memos).unwrap_or(NO_CONSTANT)
    }

    #[inline(never)]
    fn other_type(&self, ty: H::Type, memos: &mut Memos<H>) -> u32 {
        let answer = self.matcher.linked.constants.type_keys.get(&ty).map_or(NO_CONSTANT, |c| c.raw());
        memos.types.set(ty, answer);
        answer
    }

    /// Which plain constant an attribute is. Unless it may `ASK`, `None` if that is not remembered.
    #[inline(always)]
    pub(super) fn attr<const ASK: bool>(
        &self,
        host: &H,
        op: H::Op,
        name: AttrNameId,
        memos: &mut Memos<H>,
    ) -> Option<u32> {
        let Some(attr) = host.attr(op, name) else { return Some(NO_CONSTANT) };
        memos.attrs.get(attr).or_else(|| ASK.then(|| self.other_attr(attr, memos)))
    }

    #[inline(never)]
    fn other_attr(&self, attr: H::Attr, memos: &mut Memos<H>) -> u32 {
        let answer = self.matcher.linked.constants.attr_keys.get(&attr).map_or(NO_CONSTANT, |c| c.raw());
        memos.attrs.set(attr, answer);
        answer
    }
}

//! The table walk of one operation: from its plan, through one transition for each step, to its state.
//!
//! In: an operation, the labels of the operations that define its operands, the tables. Out: the target of the last
//! transition, or [`Target::UNKNOWN`] if the tables do not contain one of the transitions yet.
//!
//! PERF: a transition by an operand is two loads, the class of the operand's inner set and the entry of the row. The
//! only branch that depends on the operation is the number of steps: a mispredicted branch costs as much as 70
//! instructions. Unknown inputs have number 0 everywhere, and lead to unknown targets, so they need no branch.

use std::hint::select_unpredictable;

use super::comb::Slot;
use super::ids::{ClassId, InnerSetId, OperandCount, PlanId, PropertyValue, RowBase, Target};
use super::labels::Labels;
use super::memo::Memos;
use crate::host::{AttrNameId, Facets};
use crate::id::Id;
use crate::snippet::SnippetId;
use crate::vm::linked::LinkedProgram;

/// The steps of all operations with one name and equal numbers of operands and results.
///
/// PERF: a single record, of which most operations read two cache lines. With boxed steps, an operation took 7 ns
/// longer at 1,000 rules.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The row of the first step, or the last target if there are no steps.
    pub(super) first: Target,
    pub(super) operands: OperandCount,
    pub(super) results: u32,
    /// The plan that was made before this one for the same name; [`PlanId::NONE`] for the first.
    pub(super) next: PlanId,
    pub(super) operand_steps: u32,
    pub(super) attr_steps: u32,
    pub(super) value_steps: u32,
    /// True if the last step is a transition by the tuple of the operation's properties.
    pub(super) has_tuple: bool,
    pub(super) by_attrs: [AttrStep; MAX_STEPS + 1],
    pub(super) by_operands: [OperandStep; MAX_STEPS + 1],
    pub(super) by_values: [ValueStep; MAX_STEPS + 1],
}

/// A transition by the inner set of the operation that defines an operand. It also reads the operand's
/// properties that the tuple contains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OperandStep {
    pub(super) operand: Operand,
    pub(super) classes: ClassMap,
}

/// The operand of a step, and the digits of the tuple that depend on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operand {
    pub(super) index: u32,
    /// The digit of the operand's type.
    pub(super) types: DigitMap,
    /// The digit of the operand's equality with the operand of the previous step.
    pub(super) same: DigitMap,
}

/// An attribute, and its digit in the tuple.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttrStep {
    pub(super) name: AttrNameId,
    pub(super) digit: DigitMap,
}

/// A property that no operand step and no attribute step reads, and its digit in the tuple.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueStep {
    pub(super) property: ValueProperty,
    pub(super) digit: DigitMap,
}

/// A property of an operation's values, or the answer of a predicate.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueProperty {
    /// True if two operands are the same value.
    SameOperands(u32, u32),
    OperandType(u32),
    ResultType(u32),
    /// True if the attribute is present and satisfies the predicate.
    AttrHolds(AttrNameId, SnippetId),
    /// The answers of predicates on these types.
    OperandTypeHolds(u32, SnippetId),
    ResultTypeHolds(u32, SnippetId),
}

/// A table from inner sets to classes, in the bytes of the tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClassMap {
    pub(super) start: u32,
    pub(super) len: u32,
    /// 1 if each class takes two bytes, else 0.
    pub(super) is_wide: u32,
}

/// A table from a property's values to the numbers that they add to the tuple's number, in the bytes of the tables.
/// Values that are not in the table add 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DigitMap {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl DigitMap {
    /// True if the tuple does not contain the property.
    fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The maximum number of steps of each kind in a plan. Further properties are tested after the table walk. Operations
/// that need more operand steps always take the slow path.
///
/// Also the mask of indices into the arrays of a plan, which then need no bounds checks.
pub(super) const MAX_STEPS: usize = 7;

/// The maximum number of tuples that a plan distinguishes. Further properties are tested after the table walk.
pub(super) const MAX_TUPLES: usize = 1 << 8;

/// The number of plans of one name that are compared before the hash table is read.
const NEAR_PLANS: usize = 4;

impl Plan {
    /// The plan of [`PlanId::NONE`].
    pub(super) fn none() -> Self {
        let digit = DigitMap::default();
        Self {
            first: Target::UNKNOWN,
            operands: OperandCount::NEVER,
            results: 0,
            next: PlanId::NONE,
            operand_steps: 0,
            attr_steps: 0,
            value_steps: 0,
            has_tuple: false,
            by_attrs: [AttrStep { name: AttrNameId::from_raw(0), digit }; MAX_STEPS + 1],
            by_operands: [OperandStep::default(); MAX_STEPS + 1],
            by_values: [ValueStep { property: ValueProperty::ResultType(0), digit }; MAX_STEPS + 1],
        }
    }
}

/// The parts of the tables that a table walk reads.
///
/// Invariants, which `tables.rs` establishes:
/// 1. The targets of a plan form a path: from `first` over one row for each operand step, whose columns are classes,
///    then over one row whose columns are tuples if the plan has a tuple. Any of these targets may be unknown; an
///    unknown target is read as the row [`RowBase::NONE`].
/// 2. `slots` contains the slot of each column for each row that is a target, and for [`RowBase::NONE`].
/// 3. `bytes` contains the class of each inner set of a class map, wide or not, and one byte for each value of a digit
///    map. Byte 0 is 0.
/// 4. The sum of a plan's digits is below its number of tuples, which is at most [`MAX_TUPLES`].
///
/// A separate value, so that the compiler knows that the slices do not change during the walk.
#[derive(Clone, Copy)]
pub(super) struct WalkTables<'t> {
    /// The newest plan of each operation name, by the host's number.
    pub(super) newest: &'t [PlanId],
    pub(super) plans: &'t [Plan],
    pub(super) slots: &'t [Slot],
    pub(super) bytes: &'t [u8],
}

impl<'t> WalkTables<'t> {
    /// The plan for a name and the numbers of operands and results, if it is one of the newest plans of that name.
    #[inline(always)]
    fn plan(self, name: usize, operands: u32, results: u32) -> Option<&'t Plan> {
        let operands = OperandCount::exactly(operands);
        let mut id = self.newest.get(name).copied()?;
        // Usually the first plan fits.
        for _ in 0..NEAR_PLANS {
            let plan = &self.plans[id.index()];
            if plan.operands == operands && plan.results == results || plan.operands == OperandCount::ANY {
                return Some(plan);
            }
            id = plan.next;
        }
        None
    }

    /// The class of an inner set.
    #[inline(always)]
    pub(super) fn class(self, classes: ClassMap, inner: InnerSetId) -> ClassId {
        let index = inner.raw();
        if index >= classes.len {
            return ClassId::UNKNOWN;
        }
        if classes.is_wide == 0 {
            return ClassId::from_raw(self.byte(classes.start + index));
        }
        let at = classes.start + 2 * index;
        ClassId::from_raw(self.byte(at) | self.byte(at + 1) << 8)
    }

    /// The digit of a property's value.
    #[inline(always)]
    fn digit(self, digits: DigitMap, value: PropertyValue) -> u32 {
        let value = value.raw();
        // Branch-free, because it is unpredictable whether a plan distinguishes the value.
        self.byte(select_unpredictable(value < digits.len, digits.start.wrapping_add(value), 0))
    }

    /// The sum of the digits that depend on an operand.
    #[inline(always)]
    pub(super) fn operand_digits(self, operand: Operand, ty: PropertyValue, is_same: bool) -> u32 {
        self.digit(operand.types, ty) + self.digit(operand.same, is_same.into())
    }

    /// The target of a row for a class or a tuple.
    ///
    /// PERF: without the bounds checks here and in [`Self::byte`], labelling an operation takes 21.8 ns instead of
    /// 25.0 at 100 rules, and 24.8 instead of 26.8 at 1,000.
    #[inline(always)]
    fn next(self, row: RowBase, column: u32) -> Target {
        let at = row.slot(column).index();
        debug_assert!(at < self.slots.len());
        // SAFETY: invariants 1 and 2, and for tuples also 4.
        #[expect(unsafe_code, reason = "see above")]
        let slot = unsafe { *self.slots.get_unchecked(at) };
        select_unpredictable(slot.row == row, slot.target, Target::UNKNOWN)
    }

    #[inline(always)]
    fn byte(self, at: u32) -> u32 {
        debug_assert!((at as usize) < self.bytes.len());
        // SAFETY: by invariant 3 the classes and digits are inside `bytes`.
        #[expect(unsafe_code, reason = "see above")]
        let byte = unsafe { *self.bytes.get_unchecked(at as usize) };
        byte.into()
    }

    /// Walks an operation through the tables. The target is unknown if a transition is not in the tables, if a predicate
    /// on a type fails, or, without `LOOK_UP`, if the constant or the answer for a type or an attribute is not cached.
    ///
    /// Without `LOOK_UP` it makes no calls, so all its values stay in registers.
    #[inline(always)]
    pub(super) fn walk<const LOOK_UP: bool, H: Facets>(
        self,
        linked: &LinkedProgram<H>,
        host: &H,
        op: H::Op,
        labels: &Labels<H>,
        memos: &mut Memos<H>,
    ) -> Target {
        let labels = labels.reader();
        let name = host.op_name(op).index();
        let Some(plan) = self.plan(name, host.operand_count(op), host.result_count(op)) else {
            return Target::UNKNOWN;
        };
        let (mut at, mut tuple, mut before) = (plan.first, 0, None);
        for &OperandStep { operand, classes } in &plan.by_operands[..plan.operand_steps as usize & MAX_STEPS]
        {
            let value = host.operand(op, operand.index);
            let defining = host.defining_op(value);
            let inner = defining.map_or(InnerSetId::EMPTY, |op| labels.inner(host, op));
            at = self.next(at.row(), self.class(classes, inner).raw());
            // The type is read even if no rule tests it, so that the code branches only on an uncached type.
            let ty = memos.type_of::<LOOK_UP>(linked, host, value);
            let Some(ty) = ty.or_else(|| operand.types.is_empty().then_some(PropertyValue::OTHER)) else {
                return Target::UNKNOWN;
            };
            tuple += self.operand_digits(operand, ty, before == Some(value));
            before = Some(value);
        }
        if plan.has_tuple {
            let mut failed = false;
            let digits = self.other_digits::<LOOK_UP, H>(linked, host, op, plan, memos, &mut failed);
            let Some(digits) = digits.filter(|_| !failed) else { return Target::UNKNOWN };
            at = self.next(at.row(), tuple + digits);
        }
        at
    }

    /// The sum of the digits that no operand step reads. Without `LOOK_UP`, `None` if the constant or the answer for a
    /// type or an attribute is not cached. Sets `failed` if a predicate on a type fails.
    #[inline(always)]
    pub(super) fn other_digits<const LOOK_UP: bool, H: Facets>(
        self,
        linked: &LinkedProgram<H>,
        host: &H,
        op: H::Op,
        plan: &Plan,
        memos: &mut Memos<H>,
        failed: &mut bool,
    ) -> Option<u32> {
        let mut sum = 0;
        for &AttrStep { name, digit } in &plan.by_attrs[..plan.attr_steps as usize & MAX_STEPS] {
            sum += self.digit(digit, memos.attr::<LOOK_UP>(linked, host, op, name)?);
        }
        for &ValueStep { property, digit } in &plan.by_values[..plan.value_steps as usize & MAX_STEPS] {
            let value = match property {
                ValueProperty::SameOperands(a, b) => (host.operand(op, a) == host.operand(op, b)).into(),
                ValueProperty::OperandType(index) => {
                    memos.type_of::<LOOK_UP>(linked, host, host.operand(op, index))?
                }
                ValueProperty::ResultType(index) => {
                    memos.type_of::<LOOK_UP>(linked, host, host.result(op, index))?
                }
                ValueProperty::AttrHolds(name, snippet) => {
                    memos.attr_holds::<LOOK_UP>(linked, host, op, name, snippet)?
                }
                ValueProperty::OperandTypeHolds(index, snippet) => {
                    memos.type_holds::<LOOK_UP>(linked, host, snippet, host.operand(op, index))?
                }
                ValueProperty::ResultTypeHolds(index, snippet) => {
                    memos.type_holds::<LOOK_UP>(linked, host, snippet, host.result(op, index))?
                }
            };
            *failed |= value == PropertyValue::FAILED;
            sum += self.digit(digit, value);
        }
        Some(sum)
    }
}

//! The table walk of one operation: from its plan, through one transition for each operand step and one for the tuple,
//! to its state or a deferred node.
//!
//! In: an operation, the labels of the operations that define its operands, the tables. Out: the target of the last
//! transition, or [`Target::UNKNOWN`] if the tables or caches lack an entry that the walk needs.
//!
//! PERF: a transition by an operand is two loads, the class of the operand's inner set and the entry of the row. The
//! plan determines the steps, and no branch depends on the result of a transition, because a mispredicted branch costs
//! as much as 70 instructions. Instead, unknown inputs lead to an unknown target: an unknown inner set, class or target
//! has number 0, and an unknown kind leads to [`MISSING`].

use std::hint::select_unpredictable;

use super::comb::Slot;
use super::ids::{AttrClassesId, ClassId, InnerSetId, KindId, OperandCount, PlanId, RowBase, Target};
use super::labels::Labels;
use super::memo::Memos;
use super::rules::Rules;
use crate::host::{AttrNameId, Facets};
use crate::id::Id;
use crate::matcher_tree::Side;
use crate::vm::linked::LinkedProgram;

/// The steps of all operations with one name and equal numbers of operands and results.
///
/// PERF: the plan is a single record, and most operations read only two of its cache lines. With boxed steps, the walk
/// of an operation took 7 ns longer at 1,000 rules.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The row of the first step, or the last target if there are no steps.
    pub(super) first: Target,
    pub(super) operands: OperandCount,
    pub(super) results: u32,
    /// The plan that was made before this one for the same name; [`PlanId::NONE`] for the first plan.
    pub(super) next: PlanId,
    pub(super) operand_steps: u8,
    pub(super) attr_steps: u8,
    pub(super) type_steps: u8,
    pub(super) same_steps: u8,
    /// True if the last step is a transition by the tuple of the operation's properties.
    pub(super) has_tuple: bool,
    pub(super) by_attrs: [AttrStep; MAX_STEPS + 1],
    pub(super) by_operands: [OperandStep; MAX_STEPS + 1],
    pub(super) by_types: [TypeStep; MAX_STEPS + 1],
    pub(super) by_same: [SameStep; MAX_STEPS + 1],
}

/// A transition by the inner set of the operation that defines an operand. It also reads the operand's
/// properties that the tuple contains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OperandStep {
    pub(super) operand: Operand,
    pub(super) classes: ClassMap,
}

/// The operand of a step, and the parts of the tuple that depend on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operand {
    pub(super) index: u32,
    /// The part of the tuple for the operand's type.
    pub(super) types: KindMap,
    /// The part of the tuple for the comparison with the operand of the previous step: first the number for different
    /// operands, then the number for equal operands.
    pub(super) same: [u8; 2],
}

/// An attribute, and its part of the tuple.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttrStep {
    pub(super) name: AttrNameId,
    /// The predicates that, together with the value of the attribute, decide its kind.
    pub(super) classes: AttrClassesId,
    pub(super) kinds: KindMap,
}

/// The type of a value that no operand step reads, and its part of the tuple.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeStep {
    pub(super) side: Side,
    pub(super) index: u32,
    pub(super) types: KindMap,
}

/// The comparison of two operands that no operand step compares, and its part of the tuple: first the number for
/// different operands, then the number for equal operands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SameStep {
    pub(super) operands: [u32; 2],
    pub(super) added: [u8; 2],
}

/// A table from inner sets to classes, as a range of [`WalkTables::bytes`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClassMap {
    pub(super) start: u32,
    pub(super) len: u32,
    /// 1 if each class takes two bytes, else 0.
    pub(super) is_wide: u32,
}

/// A table from kinds of types or attributes to the numbers that they add to the tuple's number, as a range of
/// [`WalkTables::bytes`]. The byte after the table is [`MISSING`].
///
/// The default is for a step whose type the tuple does not contain: each kind adds 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KindMap {
    pub(super) start: u32,
    pub(super) len: u32,
}

/// The mark of a kind whose number for the tuple is not known yet.
pub(super) const MISSING: u8 = u8::MAX;

/// The maximum number of steps in each array of a plan. Further properties are tested after the table walk. Operations
/// that need more operand steps always take the slow path.
///
/// Also a mask for the numbers of steps in a plan, so that slicing its arrays needs no bounds checks.
pub(super) const MAX_STEPS: usize = 7;

/// The maximum number of tuples that a plan distinguishes. Further properties are tested after the table walk.
pub(super) const MAX_TUPLES: usize = 1 << 8;

/// The maximum number of plans that a table walk compares, the newest plan of the name first. Operations with older
/// plans take the slow path, which finds the plan in a hash table.
const NEAR_PLANS: usize = 4;

/// The attribute, the type or the pair of operands that a part of a tuple is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Attr(AttrNameId),
    TypeOf(Side, u32),
    SameOperands(u32, u32),
}

impl Plan {
    /// The table for the kinds of an attribute or a type that the tuple contains.
    pub(super) fn kinds_mut(&mut self, source: Source) -> Option<&mut KindMap> {
        match source {
            Source::Attr(name) => {
                let steps = &mut self.by_attrs[..usize::from(self.attr_steps)];
                steps.iter_mut().find(|step| step.name == name).map(|step| &mut step.kinds)
            }
            Source::TypeOf(side, index) => {
                let operands = &mut self.by_operands[..usize::from(self.operand_steps)];
                let types = &mut self.by_types[..usize::from(self.type_steps)];
                let operand = operands
                    .iter_mut()
                    .find(|step| side == Side::Operands && step.operand.index == index)
                    .map(|step| &mut step.operand.types);
                let other = types.iter_mut().find(|step| (step.side, step.index) == (side, index));
                operand.or(other.map(|step| &mut step.types))
            }
            Source::SameOperands(..) => None,
        }
    }

    pub(super) fn add_operand(&mut self, step: OperandStep) {
        self.by_operands[usize::from(self.operand_steps)] = step;
        self.operand_steps += 1;
    }

    pub(super) fn add_attr(&mut self, step: AttrStep) {
        self.by_attrs[usize::from(self.attr_steps)] = step;
        self.attr_steps += 1;
    }

    /// Adds a type to the tuple. If there is an operand step for the same operand, this step reads the type.
    pub(super) fn add_type(&mut self, side: Side, index: u32, types: KindMap) {
        match self.kinds_mut(Source::TypeOf(side, index)) {
            Some(of_operand) => *of_operand = types,
            None => {
                self.by_types[usize::from(self.type_steps)] = TypeStep { side, index, types };
                self.type_steps += 1;
            }
        }
    }

    /// Adds the equality of two operands to the tuple. If two successive operand steps read these operands, the second
    /// step compares them. Otherwise a [`SameStep`] compares them.
    pub(super) fn add_same(&mut self, operands: [u32; 2], added: [u8; 2]) {
        let steps = &mut self.by_operands[..usize::from(self.operand_steps)];
        let indices = |pair: &[OperandStep]| [pair[0].operand.index, pair[1].operand.index];
        match steps.windows(2).position(|pair| indices(pair) == operands) {
            Some(first) => steps[first + 1].operand.same = added,
            None => {
                self.by_same[usize::from(self.same_steps)] = SameStep { operands, added };
                self.same_steps += 1;
            }
        }
    }

    /// The plan of [`PlanId::NONE`].
    pub(super) fn none() -> Self {
        let (name, classes) = (AttrNameId::from_raw(0), AttrClassesId::from_raw(0));
        let kinds = KindMap::default();
        Self {
            first: Target::UNKNOWN,
            operands: OperandCount::NEVER,
            results: 0,
            next: PlanId::NONE,
            operand_steps: 0,
            attr_steps: 0,
            type_steps: 0,
            same_steps: 0,
            has_tuple: false,
            by_attrs: [AttrStep { name, classes, kinds }; MAX_STEPS + 1],
            by_operands: [OperandStep::default(); MAX_STEPS + 1],
            by_types: [TypeStep { side: Side::Results, index: 0, types: kinds }; MAX_STEPS + 1],
            by_same: [SameStep::default(); MAX_STEPS + 1],
        }
    }
}

/// The parts of the tables that a table walk reads.
///
/// Invariants, which `tables.rs` establishes:
/// 1. The targets of a plan form a path: from `first` over one row for each operand step, whose columns are classes,
///    then, if the plan has a tuple, over one row whose columns are tuples. Any of these targets may be unknown; an
///    unknown target is read as the row [`RowBase::NONE`].
/// 2. `slots` contains the slot of each column for each row that is a target, and for [`RowBase::NONE`].
/// 3. `bytes` contains the class of each inner set of each class map, wide or not. It contains one byte for each kind
///    of each kind map, and one more byte after each kind map. Byte 0 is 0.
/// 4. The sum of the parts of a tuple, if none of them is missing, is below the plan's number of tuples, which is at
///    most [`MAX_TUPLES`].
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
            return ClassId::from_raw(self.byte(classes.start + index).into());
        }
        let at = classes.start + 2 * index;
        ClassId::from_raw(u16::from_le_bytes([self.byte(at), self.byte(at + 1)]).into())
    }

    /// The number that a kind adds to the tuple's number.
    #[inline(always)]
    fn added(self, kinds: KindMap, kind: KindId) -> u8 {
        // Branch-free, because it is unpredictable whether the tuple contains the property.
        self.byte(kinds.start + kind.raw().min(kinds.len))
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
    fn byte(self, at: u32) -> u8 {
        debug_assert!((at as usize) < self.bytes.len());
        // SAFETY: by invariant 3 the classes and the parts of tuples are inside `bytes`.
        #[expect(unsafe_code, reason = "see above")]
        let byte = unsafe { *self.bytes.get_unchecked(at as usize) };
        byte
    }

    /// Walks an operation through the tables. The target is unknown if the plan is not one of the newest of its name,
    /// if the operation that defines the operand of a step has no label, if a transition or a part of the tuple is not
    /// in the tables, if the tuple has the number 255, or if `LOOK_UP` is false and the kind of a type or an attribute
    /// is not cached.
    ///
    /// If `LOOK_UP` is false, the compiled walk calls no functions except methods of the host. If these are inlined
    /// too, all values of the walk stay in registers.
    #[inline(always)]
    pub(super) fn walk<const LOOK_UP: bool, H: Facets>(
        self,
        rules: &Rules,
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
        for &OperandStep { operand, classes } in
            &plan.by_operands[..usize::from(plan.operand_steps) & MAX_STEPS]
        {
            let value = host.operand(op, operand.index);
            let defining = host.defining_op(value);
            let inner = defining.map_or(InnerSetId::EMPTY, |op| labels.inner(host, op));
            at = self.next(at.row(), self.class(classes, inner).raw());
            // The type is read even if no rule tests it, which saves a branch.
            tuple += u32::from(self.added(operand.types, memos.type_kind::<LOOK_UP>(host, value)));
            tuple += u32::from(operand.same[usize::from(before == Some(value))]);
            before = Some(value);
        }
        if !plan.has_tuple {
            return at;
        }
        for &AttrStep { name, classes, kinds } in &plan.by_attrs[..usize::from(plan.attr_steps) & MAX_STEPS] {
            let kind = memos.attr_kind::<LOOK_UP>(rules, linked, host, op, name, classes);
            tuple += u32::from(self.added(kinds, kind));
        }
        for &TypeStep { side, index, types } in &plan.by_types[..usize::from(plan.type_steps) & MAX_STEPS] {
            let value = match side {
                Side::Operands => host.operand(op, index),
                Side::Results => host.result(op, index),
            };
            tuple += u32::from(self.added(types, memos.type_kind::<LOOK_UP>(host, value)));
        }
        for &SameStep { operands: [a, b], added } in &plan.by_same[..usize::from(plan.same_steps) & MAX_STEPS]
        {
            tuple += u32::from(added[usize::from(host.operand(op, a) == host.operand(op, b))]);
        }
        // With a missing part, the sum is at least `MISSING`. The last of 256 tuples has this number, too, so
        // operations with this tuple always take the slow path.
        if tuple < MISSING.into() { self.next(at.row(), tuple) } else { Target::UNKNOWN }
    }
}

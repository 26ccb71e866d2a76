//! Numbers of the automaton's parts. If a number has reserved values, its type names them.

use crate::id::{Id, define_ids};
use crate::matcher_tree::{Answer, ConstantId, SubpatternId};
use crate::pdl::PatternId;

define_ids! {
    /// A property that subpatterns test. Cheaper properties have smaller ids.
    pub(super) struct PropertyId;
    /// A rule with its root subpattern. The ids ascend in application order. If operations of some names have too many
    /// states, row 0 stands for all rules of these names.
    pub(super) struct RuleRowId;
    /// A plan: the steps of operations with one name and equal numbers of operands and results.
    pub(super) struct PlanId;
    /// The subpatterns that steps distinguish at an operand.
    pub(super) struct ProjectionId;
    /// A class of inner sets that one projection does not distinguish.
    pub(super) struct ClassId;
    /// The inner subpatterns that hold at an operation: those that some subpattern requires at an operand.
    pub(super) struct InnerSetId;
    /// A state, or the reason why an operation has none.
    pub(super) struct StateId;
    /// A row of the comb, in order of creation.
    pub(super) struct RowId;
    /// The slot of a row's column 0. A row that moves gets another base.
    pub(super) struct RowBase;
    /// A slot of the comb: the sum of a row's base and a column.
    pub(super) struct SlotId;
    /// A deferred node: a test that runs after the table walk.
    pub(super) struct DeferredId;
    /// A list of predicates on the class of an attribute.
    pub(super) struct AttrClassesId;
    /// A type, or a kind of attributes (see `memo.rs`), in the order of first occurrence.
    pub(super) struct KindId;
}

impl AttrClassesId {
    /// No predicates.
    pub(super) const NONE: Self = Self(0);
}

impl KindId {
    /// Among kinds of attributes, the number of an absent attribute. Among types, the number of the first type.
    pub(super) const ABSENT: Self = Self(0);
    /// The type or attribute has no number, or its number is not cached.
    pub(super) const UNKNOWN: Self = Self(u32::MAX);
    /// The numbers of types and of kinds of attributes are below this limit. A kind map has a byte for each number.
    pub(super) const LIMIT: usize = 1 << 16;
}

impl PlanId {
    /// A plan that fits no operation.
    pub(super) const NONE: Self = Self(0);
}

impl ClassId {
    /// The class of an inner set that the projection has not classified yet. Every row leads from it to
    /// [`Target::UNKNOWN`].
    pub(super) const UNKNOWN: Self = Self(0);
}

impl InnerSetId {
    /// The operation has no state.
    pub(super) const UNKNOWN: Self = Self(0);
    /// No inner subpattern holds; also for a value that no operation defines.
    pub(super) const EMPTY: Self = Self(1);
}

impl StateId {
    /// The operation has no label.
    pub(super) const UNKNOWN: Self = Self(0);
    /// The operation is being labelled. A user that reads this state depends on itself.
    pub(super) const IN_PROGRESS: Self = Self(1);
    /// The number of reserved values.
    pub(super) const RESERVED: usize = 2;

    /// True for a state, false for a reserved value.
    #[inline]
    pub(super) fn is_known(self) -> bool {
        self.0 > Self::IN_PROGRESS.0
    }
}

impl RowBase {
    /// A row without entries, reached from an unknown target.
    pub(super) const NONE: Self = Self(0);

    /// The slot of a column of this row.
    #[inline]
    pub(super) fn slot(self, column: u32) -> SlotId {
        SlotId(self.0 + column)
    }
}

/// The target of a transition. The last step of a plan leads to a state or a deferred node, and each earlier step to a
/// row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Target(u32);

/// The target of a plan's last transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    State(StateId),
    Deferred(DeferredId),
}

impl Target {
    /// The transition has not been computed yet.
    pub(super) const UNKNOWN: Self = Self(0);
    /// Set in targets that are deferred nodes.
    const DEFERRED: u32 = 1 << 31;

    /// Rows and states must stay below this number, so that they differ from deferred nodes.
    pub(super) const MAX: usize = 1 << 30;

    pub(super) fn from_row(row: RowBase) -> Self {
        Self(row.0)
    }

    pub(super) fn from_state(state: StateId) -> Self {
        Self(state.0)
    }

    pub(super) fn from_deferred(node: DeferredId) -> Self {
        Self(node.0 | Self::DEFERRED)
    }

    #[cfg(test)]
    pub(super) fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    /// The row of a target that is a row or unknown.
    #[inline]
    pub(super) fn row(self) -> RowBase {
        RowBase(self.0)
    }

    /// The state of a plan's last target; `None` for a deferred node and an unknown target.
    #[inline]
    pub(super) fn state(self) -> Option<StateId> {
        (1..Self::DEFERRED).contains(&self.0).then_some(StateId(self.0))
    }

    /// The state or deferred node of a plan's last target, which must be known.
    #[inline]
    pub(super) fn end(self) -> End {
        if self.0 & Self::DEFERRED == 0 {
            End::State(StateId(self.0))
        } else {
            End::Deferred(DeferredId(self.0 - Self::DEFERRED))
        }
    }

    #[cfg(test)]
    pub(super) fn raw(self) -> u32 {
        self.0
    }
}

/// The value of a property of one operation: an attribute, a type, or the answer to a question. In a requirement on an
/// operand's defining operation, it is the required subpattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(super) struct PropertyValue(u32);

impl PropertyValue {
    /// No attribute.
    pub(super) const ABSENT: Self = Self(0);
    /// In a requirement: any attribute.
    pub(super) const PRESENT: Self = Self(u32::MAX - 2);
    /// An attribute or type that equals no plain constant of the rules.
    pub(super) const OTHER: Self = Self(u32::MAX);
    /// The evaluation of a predicate failed, for example because the host lacks a type or attribute. A later evaluation
    /// may succeed.
    pub(super) const FAILED: Self = Self(u32::MAX - 1);

    /// The value of a plain constant. `None` stands for an attribute or type that equals no plain constant.
    pub(super) fn from_constant(constant: Option<ConstantId>) -> Self {
        constant.map_or(Self::OTHER, |constant| Self(constant.raw() + 1))
    }

    /// The value that stands for an answer: the answer's number, which is 1 for yes and 0 for no.
    pub(super) fn from_answer(answer: Answer) -> Self {
        Self(answer.0)
    }

    /// True if an operation whose property has this value fulfils a requirement.
    pub(super) fn fulfils(self, required: Self) -> bool {
        self == required || required == Self::PRESENT && self != Self::ABSENT
    }

    pub(super) fn from_subpattern(subpattern: SubpatternId) -> Self {
        Self(subpattern.raw())
    }

    /// The required subpattern of a requirement on a defining operation.
    pub(super) fn subpattern(self) -> SubpatternId {
        SubpatternId::from_raw(self.0)
    }
}

impl From<bool> for PropertyValue {
    #[inline]
    fn from(value: bool) -> Self {
        Self(value.into())
    }
}

/// The first rule of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct FirstRule(u32);

impl FirstRule {
    /// No rule matches.
    pub(super) const NONE: Self = Self(u32::MAX);
    /// Code must find the first rule. The tree finds it if the operation has no state, or if operations of its name
    /// have too many states; otherwise residual tests find it.
    pub(super) const BY_CODE: Self = Self(u32::MAX - 1);

    pub(super) fn from_rule(rule: PatternId) -> Self {
        Self(rule.raw())
    }

    /// The rule; `None` if no rule matches. Must not be called if code has to decide.
    #[inline]
    pub(super) fn rule(self) -> Option<PatternId> {
        (self != Self::NONE).then_some(PatternId::from_raw(self.0))
    }
}

/// The operand count of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct OperandCount(u32);

impl OperandCount {
    /// Any count, and any number of results: no rule tests operations of this name.
    pub(super) const ANY: Self = Self(u32::MAX);
    /// No operation has this count.
    pub(super) const NEVER: Self = Self(u32::MAX - 1);

    #[inline]
    pub(super) fn exactly(count: u32) -> Self {
        Self(count)
    }
}

/// The id of the next entry of a table. The memory cap of a cache bounds all tables far below the range of an id.
#[inline]
pub(super) fn next_id<I: Id>(len: usize) -> I {
    I::try_from_index(len).expect("the cap on memory is far below 4 Gi entries")
}

/// An offset in a table, as 32 bits; see [`next_id`].
#[inline]
pub(super) fn offset(len: usize) -> u32 {
    u32::try_from(len).expect("the cap on memory is far below 4 Gi entries")
}

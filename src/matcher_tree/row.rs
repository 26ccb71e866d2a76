//! Rows: the rules in the form that the tree is built from.
//!
//! Specification: a rule matches at an operation exactly if the operation has the row's root name (if the row has one),
//! the questions of all tests have the required answers, and the guards succeed. The rule's nodes are then at the row's
//! positions.

use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::pdl::{NodeId, PatternId};
use crate::source::Span;

use super::position::{CallId, PositionId};
use super::predicate::{Answer, QuestionId};

define_ids! {
    /// A row; ids ascend in application order.
    pub struct RowId;
}

/// A question and the answer that a rule requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The question.
    pub question: QuestionId,
    /// The answer.
    pub answer: Answer,
    /// The rule's node that the test belongs to.
    pub node: NodeId,
    /// The tests of its batch that must hold before the question can be asked, as a set of bits.
    pub after: u64,
}

/// A step that runs for one rule alone, after its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// A question that depends on a choice or a call, or that tests if the host has a constant.
    Test {
        /// The question.
        question: QuestionId,
        /// The required answer.
        answer: Answer,
        /// The rule's node that the test belongs to.
        node: NodeId,
    },
    /// Each use of a value as the operand at `place`, newest use first.
    EachUser {
        /// The number of the [`Position::User`](super::Position::User) that is bound.
        choice: u32,
        /// The value, or a range that stands for its first value.
        value: PositionId,
        /// The operand of the user, or a range of operands that stands for the first operand of the range.
        place: PositionId,
    },
    /// Both orders of an `either`. The second order is tried only if the first order leads to no match.
    Either {
        /// The number of the choice.
        choice: u32,
    },
    /// A call of a constraint.
    Call {
        /// The call.
        call: CallId,
        /// True if the constraint must not hold.
        negated: bool,
    },
}

/// A test or guard with the place where it was written. `explain` shows the steps of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowStep {
    /// The guard, or the test as a guard.
    pub step: Guard,
    /// True for a guard; false for a test of the tree.
    pub is_guard: bool,
    /// The place where the step was written.
    pub span: Span,
}

/// A rule in the form that the tree is built from.
#[derive(Clone, Debug)]
pub struct Row {
    /// The rule.
    pub pattern: PatternId,
    /// The name of the root; `None` for any name.
    pub root: Option<StrId>,
    /// The tests, which are divided into batches.
    pub tests: Vec<Test>,
    /// The guards.
    pub guards: Vec<Guard>,
    /// The tests and guards together, in the order of the source.
    pub steps: Vec<RowStep>,
    /// The position of each node.
    pub bindings: IdVec<NodeId, PositionId>,
}

impl Row {
    /// The maximum number of tests in a batch. The questions of a batch are asked only after all tests of the earlier
    /// batches hold.
    pub const BATCH: usize = 64;
}

//! One decision DAG for all rules.
//!
//! Specification: the tree finds what the reference matcher finds, in the same order.
//!
//! Verified rules go in, in [application order](crate::pdl::RuleSet::in_order); out comes a
//! [`Tree`]: a table from the root's name to a node, and below it nodes that ask one question each.
//! A rule becomes a [`Row`] of tests first (`lower.rs`); `build.rs` merges the rows. Positions and
//! questions are hash-consed, so one that many rules share is asked once for all of them.
//!
//! Invariants: a leaf is reached exactly when all tests of its row hold; of several rows the one
//! that comes first in order is reached first, and [`Tree`] leaves name where to go on; no question
//! is asked twice on a path, except across the edge of a [`TreeNode::Try`]; the number of nodes is
//! linear in the number of tests. Deliberately absent: how questions are encoded or answered.
//!
//! Method: decision trees after Maranget (*Compiling pattern matching to good decision trees*, 2008),
//! with rows in priority order, sharing by the remaining work, and a backtracking node where
//! specialising would copy too many rows.

mod analyse;
mod bottom_up;
mod build;
mod error;
mod lower;
mod position;
mod predicate;
mod print;
mod wire;

pub use analyse::{AttrConstants, Finding, FindingKind, analyse, analyse_with};
pub use bottom_up::{BottomUp, BottomUpRow, Item, ItemId, bottom_up};
pub use build::{Ask, Config, RowId, Stats, Tree, TreeNode, TreeNodeId, build};
pub use lower::{Asked, Guard, Row, Test};
pub use position::{
    CallId, ConstantId, ConstantListId, GroupSize, Position, PositionId, Positions, Side, Split, SplitId,
};
pub use predicate::{Answer, ConstraintCall, Predicates, Question, QuestionId};
pub use print::Printer;

pub(crate) use build::bits;
#[cfg(feature = "ir")]
pub(crate) use lower::question_positions;
pub(crate) use predicate::{cost, is_boolean, is_plain};

#[cfg(test)]
mod tests;

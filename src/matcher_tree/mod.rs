//! One decision DAG for all rules.
//!
//! Specification: the tree finds the same matches as the reference matcher, in the same order.
//!
//! [`build`] takes verified rules and returns a [`Tree`]: a table from root names to start nodes, and the nodes, each
//! of which asks at most one question. `lower.rs` translates each rule to a [`Row`] of tests; `build.rs` merges the
//! rows in [application order](crate::pdl::RuleSet::in_order). Positions and questions are interned, so a question that
//! many rules share can be asked once for all of them.
//!
//! Invariants: if matching continues after each leaf, it reaches the leaf of a row exactly if all tests of the row
//! hold. Leaves are reached in the application order of their rows; each leaf names the node to continue with. If the
//! tests of each rule fit into one batch ([`Row::BATCH`] tests by default), no path asks a question twice. However,
//! matching repeats a question if both parts of a [`TreeNode::Try`] ask it. [`Config`] limits the number of copied
//! rows, so that the number of nodes does not grow exponentially. The encoding and the answering of questions belong to
//! later stages.
//!
//! Method: decision trees after Maranget (*Compiling pattern matching to good decision trees*, 2008), with rows in
//! priority order, one node for equal matrices (lists of rows with their open tests), and a backtracking node where
//! specialising would copy too many rows.

#[cfg(any(test, all(feature = "frontend", feature = "report")))]
pub(crate) mod analyse;
mod build;
mod error;
mod forest;
mod lower;
mod position;
pub(crate) mod predicate;
#[cfg(any(test, feature = "report", feature = "fuzzing"))]
mod print;
mod row;
mod tree;
mod wire;

#[cfg(all(feature = "frontend", feature = "report"))]
pub(crate) use analyse::{AttrConstants, Finding, FindingKind, analyse_with};
pub use build::{Config, build};
pub(crate) use forest::{PatternForest, SubpatternId, decompose};
pub(crate) use position::{
    CallId, ConstantId, ConstantListId, GroupSize, Position, PositionId, Positions, Side, SplitId,
};
pub(crate) use predicate::{Answer, ConstraintCall, Predicates, Question, QuestionId};
#[cfg(any(test, feature = "report", feature = "fuzzing"))]
pub use print::Printer;
pub(crate) use row::{Guard, Row, RowStep, Test};
pub(crate) use tree::{Tree, TreeNode, TreeNodeId};

pub(crate) use build::bits;

#[cfg(test)]
mod tests;

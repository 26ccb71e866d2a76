//! The decision DAG: its nodes, and the tables that they refer to.

use std::ops::Range;

use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::pdl::{NodeId, PatternId};

use super::position::Positions;
use super::predicate::{Answer, Predicates, QuestionId};
use super::row::{Row, RowId};

define_ids! {
    /// A node of a [`Tree`].
    pub struct TreeNodeId;
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeNode {
    /// No row remains.
    Fail,
    /// All tests of a row hold.
    Leaf {
        /// The row.
        row: RowId,
        /// The node to continue with if the guards fail or the caller requests the next match.
        next: TreeNodeId,
    },
    /// A question.
    Switch {
        /// The question.
        question: QuestionId,
        /// The answers that some row requires, in the order of the rows, with the node for each.
        cases: Vec<(Answer, TreeNodeId)>,
        /// The node for all other answers.
        otherwise: TreeNodeId,
    },
    /// Two nodes that are tried one after the other. The rows of the second node come later in application order.
    Try {
        /// The node for the first rows.
        first: TreeNodeId,
        /// The node for the other rows.
        then: TreeNodeId,
    },
}

/// A rule that requires an answer to the question of a tree node, and the rule's node that the test of this question
/// belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The rule.
    pub pattern: PatternId,
    /// The rule's node.
    pub node: NodeId,
}

/// Counts over a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The number of rows.
    pub rows: usize,
    /// The number of tests of all rows.
    pub tests: usize,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of leaves.
    pub leaves: usize,
    /// The number of switches.
    pub switches: usize,
    /// The number of [`TreeNode::Try`] nodes. They avoid copies of rows beyond the budget.
    pub fallbacks: usize,
    /// The number of [`TreeNode::Try`] nodes whose parts both begin with the same question.
    pub repeated: usize,
    /// The number of times that an existing node was used again.
    pub shared: usize,
    /// The number of nodes on the longest path.
    pub depth: usize,
}

/// The decision DAG for all rules of a set.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) positions: Positions,
    pub(super) predicates: Predicates,
    pub(super) rows: IdVec<RowId, Row>,
    pub(super) nodes: IdVec<TreeNodeId, TreeNode>,
    pub(super) entries: Vec<(StrId, TreeNodeId)>,
    pub(super) any: TreeNodeId,
    pub(super) provenance: Vec<Provenance>,
    pub(super) provenance_of: IdVec<TreeNodeId, Range<usize>>,
    pub(super) shared: usize,
}

impl Tree {
    /// The positions that the questions read.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// The questions and constraint calls.
    pub fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    /// The rules as rows, in application order.
    pub fn rows(&self) -> &IdVec<RowId, Row> {
        &self.rows
    }

    /// The nodes.
    pub fn nodes(&self) -> &IdVec<TreeNodeId, TreeNode> {
        &self.nodes
    }

    /// The start node for each root name, in the order of the first rule of each name.
    pub fn entries(&self) -> &[(StrId, TreeNodeId)] {
        &self.entries
    }

    /// The start node for all other names.
    pub fn any(&self) -> TreeNodeId {
        self.any
    }

    /// The rules that require an answer to a node's question.
    pub fn provenance(&self, node: TreeNodeId) -> &[Provenance] {
        &self.provenance[self.provenance_of[node].clone()]
    }

    /// Counts over the tree.
    pub fn stats(&self) -> Stats {
        let mut stats = Stats {
            rows: self.rows.len(),
            tests: self.rows.iter().map(|r| r.tests.len()).sum(),
            nodes: self.nodes.len(),
            shared: self.shared,
            depth: self.depth(),
            ..Stats::default()
        };
        for node in self.nodes.iter() {
            match node {
                TreeNode::Fail => {}
                TreeNode::Leaf { .. } => stats.leaves += 1,
                TreeNode::Switch { .. } => stats.switches += 1,
                TreeNode::Try { first, then } => {
                    stats.fallbacks += 1;
                    let first = self.first_question(*first);
                    stats.repeated += usize::from(first.is_some() && first == self.first_question(*then));
                }
            }
        }
        stats
    }

    /// The question that a node begins with.
    fn first_question(&self, mut node: TreeNodeId) -> Option<QuestionId> {
        loop {
            match &self.nodes[node] {
                TreeNode::Switch { question, .. } => return Some(*question),
                TreeNode::Try { first, .. } => node = *first,
                TreeNode::Leaf { .. } | TreeNode::Fail => return None,
            }
        }
    }

    fn depth(&self) -> usize {
        let mut depths = IdVec::<TreeNodeId, usize>::from_iter(self.nodes.iter().map(|_| 0));
        let mut stack: Vec<(TreeNodeId, bool)> = self.roots().map(|n| (n, false)).collect();
        while let Some((node, children_done)) = stack.pop() {
            if depths[node] > 0 {
                continue;
            }
            if children_done {
                depths[node] = 1 + self.children(node).map(|c| depths[c]).max().unwrap_or(0);
            } else {
                stack.push((node, true));
                stack.extend(self.children(node).map(|c| (c, false)));
            }
        }
        self.roots().map(|n| depths[n]).max().unwrap_or(0)
    }

    /// All start nodes.
    pub fn roots(&self) -> impl Iterator<Item = TreeNodeId> {
        self.entries.iter().map(|e| e.1).chain([self.any])
    }

    /// The successors of a node.
    pub fn children(&self, node: TreeNodeId) -> impl Iterator<Item = TreeNodeId> {
        let (cases, rest) = match &self.nodes[node] {
            TreeNode::Fail => (&[][..], [None, None]),
            TreeNode::Leaf { next, .. } => (&[][..], [Some(*next), None]),
            TreeNode::Switch { cases, otherwise, .. } => (&cases[..], [Some(*otherwise), None]),
            TreeNode::Try { first, then } => (&[][..], [Some(*first), Some(*then)]),
        };
        cases.iter().map(|c| c.1).chain(rest.into_iter().flatten())
    }
}

//! Rows into a decision DAG.
//!
//! A matrix is a list of rows in order, each with the set of tests that are still open. A node is
//! made for a matrix: without rows it fails; if its first row has nothing open it is a leaf, and
//! goes on with the matrix less that row; else one open question of the first row is asked (priority
//! first), the one that divides the rows best. Rows that do not ask it go to every branch. Where that
//! copies more than the budget allows, a prefix of the rows is specialised and the rest tried after.
//!
//! Equal matrices are one node. Work is kept on a list, so depth costs no stack, and what is scanned
//! to decide is proportional to what is then consumed, so building is close to linear.

use std::hash::BuildHasher;

use hashbrown::{HashMap, HashSet, HashTable};
use rustc_hash::FxBuildHasher;

use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::pdl::{NodeId, PatternId, RuleSet, VerifiedRules};
use crate::source::Diagnostics;

use super::error;
use super::lower::{Row, lower};
use super::position::{Positions, Side};
use super::predicate::{Answer, Predicates, Question, QuestionId, cost, is_boolean};

define_ids! {
    /// A row of a [`Tree`]; ids ascend in application order.
    pub struct RowId;
    /// A node of a [`Tree`].
    pub struct TreeNodeId;
}

/// How to build.
#[derive(Clone, Debug)]
pub struct Config {
    sharing: bool,
    copies: Option<u32>,
    max_nodes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { sharing: true, copies: Some(16), max_nodes: 1 << 24 }
    }
}

impl Config {
    /// Everything on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether equal remaining work is one node.
    #[must_use]
    pub fn sharing(mut self, on: bool) -> Self {
        self.sharing = on;
        self
    }

    /// How many copies of rows specialising may make, for each row there is; `None`: any number, which
    /// is exponential for some rules.
    #[must_use]
    pub fn copies(mut self, copies: Option<u32>) -> Self {
        self.copies = copies;
        self
    }

    /// How many nodes a tree may have.
    #[must_use]
    pub fn max_nodes(mut self, nodes: usize) -> Self {
        self.max_nodes = nodes;
        self
    }
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeNode {
    /// No rule of this part matches.
    Fail,
    /// All tests of a row hold.
    Leaf {
        /// The row.
        row: RowId,
        /// Where to go on if its guards fail or the driver wants the next match.
        next: TreeNodeId,
    },
    /// A question, and where its answers lead.
    Switch {
        /// The question.
        question: QuestionId,
        /// The answers that some row wants, in order of the rows.
        cases: Vec<(Answer, TreeNodeId)>,
        /// Every other answer.
        otherwise: TreeNodeId,
    },
    /// Some rows first, then others that come after them in order.
    Try {
        /// The first.
        first: TreeNodeId,
        /// The others.
        then: TreeNodeId,
    },
}

/// Which rule's node asks a node's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The rule.
    pub pattern: PatternId,
    /// Its node.
    pub node: NodeId,
}

/// Counts over a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rows.
    pub rows: usize,
    /// Tests of all rows.
    pub tests: usize,
    /// Nodes.
    pub nodes: usize,
    /// Leaves among them.
    pub leaves: usize,
    /// Switches among them.
    pub switches: usize,
    /// "Try these, else those" among them, where to specialise was too much.
    pub fallbacks: usize,
    /// How many of those that are tried next begin with the question that was asked first.
    pub repeated: usize,
    /// How often a node was used again.
    pub shared: usize,
    /// Nodes on the longest path.
    pub depth: usize,
}

/// The decision DAG for all rules of a set.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) positions: Positions,
    pub(super) predicates: Predicates,
    pub(super) rows: IdVec<RowId, Row>,
    pub(super) nodes: IdVec<TreeNodeId, TreeNode>,
    entries: Vec<(StrId, TreeNodeId)>,
    any: TreeNodeId,
    asks: Vec<Ask>,
    asked_at: IdVec<TreeNodeId, (u32, u32)>,
    shared: usize,
}

impl Tree {
    /// The positions that are looked at.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// The questions that are asked.
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

    /// Where to start for each root name that a rule has, in order of the first such rule.
    pub fn entries(&self) -> &[(StrId, TreeNodeId)] {
        &self.entries
    }

    /// Where to start for every other name.
    pub fn any(&self) -> TreeNodeId {
        self.any
    }

    /// Who asks a node's question.
    pub fn asks(&self, node: TreeNodeId) -> &[Ask] {
        let (start, end) = self.asked_at[node];
        &self.asks[start as usize..end as usize]
    }

    /// Counts. Linear in the number of nodes.
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
                    let first = self.asked_first(*first);
                    stats.repeated += usize::from(first.is_some() && first == self.asked_first(*then));
                }
            }
        }
        stats
    }

    /// The question that a node begins with.
    fn asked_first(&self, mut node: TreeNodeId) -> Option<QuestionId> {
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
        let mut todo: Vec<(TreeNodeId, bool)> = self.roots().map(|n| (n, false)).collect();
        while let Some((node, left)) = todo.pop() {
            if depths[node] > 0 {
                continue;
            }
            if left {
                depths[node] = 1 + self.children(node).map(|c| depths[c]).max().unwrap_or(0);
            } else {
                todo.push((node, true));
                todo.extend(self.children(node).map(|c| (c, false)));
            }
        }
        self.roots().map(|n| depths[n]).max().unwrap_or(0)
    }

    /// Where matching starts: the entries' nodes, and the one for any name.
    pub fn roots(&self) -> impl Iterator<Item = TreeNodeId> {
        self.entries.iter().map(|e| e.1).chain([self.any])
    }

    /// The nodes that a node leads to.
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

/// The tree of a verified rule set.
///
/// # Errors
/// Every rule that the engine cannot compile, and the limit on nodes.
pub fn build(rules: VerifiedRules<'_>, config: &Config) -> Result<Tree, Diagnostics> {
    let mut positions = Positions::default();
    let mut predicates = Predicates::default();
    let mut rows = IdVec::default();
    let mut errors = Diagnostics::default();
    for pattern in rules.in_order() {
        match lower(rules.rules(), pattern, &mut positions, &mut predicates) {
            Ok(row) => {
                rows.push(row);
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.has_errors() {
        return Err(errors);
    }
    let mut builder = Builder {
        positions: &positions,
        predicates: &predicates,
        rows: &rows,
        config,
        nodes: IdVec::default(),
        matrices: Matrices::default(),
        views: IdVec::default(),
        asks: Vec::new(),
        asked_at: IdVec::default(),
        known: HashTable::new(),
        todo: Vec::new(),
        shared: 0,
        work: Work::default(),
    };
    builder.add(TreeNode::Fail, None);
    let (entries, any) = builder.roots(rules.rules());
    if !builder.expand_all() {
        errors.push(error::too_many_nodes(config.max_nodes, rows.len(), builder.todo.len()));
        return Err(errors);
    }
    let Builder { nodes, asks, asked_at, shared, .. } = builder;
    Ok(Tree { positions, predicates, rows, nodes, entries, any, asks, asked_at, shared })
}

/// A row of a matrix: which, and which of its tests are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Open {
    row: RowId,
    tests: u64,
}

/// Rows in order: a range of [`Matrices`].
#[derive(Clone, Copy)]
struct View {
    start: usize,
    end: usize,
}

impl View {
    /// The rows from one on.
    fn from(self, row: usize) -> Self {
        Self { start: self.start + row, end: self.end }
    }
}

/// The rows of all nodes, one matrix after the other, and for each row the hash of it and those after
/// it in its matrix.
#[derive(Default)]
struct Matrices {
    rows: Vec<Open>,
    hashes: Vec<u64>,
}

impl Matrices {
    fn rows(&self, view: View) -> &[Open] {
        &self.rows[view.start..view.end]
    }

    fn hash(&self, view: View) -> u64 {
        self.hashes[view.start]
    }

    /// Makes a matrix of the rows that were pushed since there were `start`.
    fn close(&mut self, start: usize) -> View {
        self.hashes.resize(self.rows.len(), 0);
        let mut hash = 0;
        for (row, slot) in self.rows[start..].iter().zip(&mut self.hashes[start..]).rev() {
            hash = FxBuildHasher.hash_one((row, hash));
            *slot = hash;
        }
        View { start, end: self.rows.len() }
    }

    /// Takes the newest matrix away again.
    fn discard(&mut self, newest: View) {
        self.rows.truncate(newest.start);
        self.hashes.truncate(newest.start);
    }
}

/// A row as it is in a branch before the answer is taken into account.
struct Sorted {
    open: Open,
    /// Tests of the same family: the answer may decide them.
    related: u64,
}

/// What is used again from node to node, so that a node costs no allocation.
#[derive(Default)]
struct Work {
    sorted: Vec<Sorted>,
    /// Answers that rows want, each with its row's place among the sorted.
    askers: Vec<(Answer, usize)>,
    /// The places of the rows that do not ask.
    wild: Vec<usize>,
    /// Wanted answers of candidates, by the candidate's place.
    wanted: Vec<(usize, Answer)>,
    answers: HashSet<Answer, FxBuildHasher>,
}

/// A question that could be asked next, and how it divides the rows that were looked at.
struct Candidate {
    question: QuestionId,
    askers: usize,
    /// How many different answers they want.
    answers: usize,
}

struct Builder<'a> {
    positions: &'a Positions,
    predicates: &'a Predicates,
    rows: &'a IdVec<RowId, Row>,
    config: &'a Config,
    nodes: IdVec<TreeNodeId, TreeNode>,
    matrices: Matrices,
    views: IdVec<TreeNodeId, Option<View>>,
    asks: Vec<Ask>,
    asked_at: IdVec<TreeNodeId, (u32, u32)>,
    known: HashTable<TreeNodeId>,
    todo: Vec<(TreeNodeId, u64)>,
    shared: usize,
    work: Work,
}

const FAIL: TreeNodeId = TreeNodeId::from_raw(0);

impl<'a> Builder<'a> {
    /// How many rows are looked at to choose a question.
    const WINDOW: usize = 512;
    /// How many times the share of the budget that its askers have one question may use.
    const SPREAD: u64 = 8;

    fn add(&mut self, node: TreeNode, view: Option<View>) -> TreeNodeId {
        self.views.push(view);
        self.asked_at.push((0, 0));
        self.nodes.push(node)
    }

    /// The node for a matrix, which may copy `credit` rows below. One that was made for this is
    /// `fresh`, and is taken away again where an equal one has a node.
    fn node(&mut self, view: View, fresh: bool, credit: u64) -> TreeNodeId {
        if view.start == view.end {
            return FAIL;
        }
        let hash = self.matrices.hash(view);
        if self.config.sharing {
            let (matrices, views) = (&self.matrices, &self.views);
            let rows = matrices.rows(view);
            let same = |&id: &TreeNodeId| views[id].is_some_and(|v| matrices.rows(v) == rows);
            if let Some(&id) = self.known.find(hash, same) {
                self.shared += 1;
                if fresh {
                    self.matrices.discard(view);
                }
                return id;
            }
        }
        let id = self.add(TreeNode::Fail, Some(view));
        if self.config.sharing {
            let (matrices, views) = (&self.matrices, &self.views);
            self.known.insert_unique(hash, id, |&id| views[id].map_or(0, |v| matrices.hash(v)));
        }
        self.todo.push((id, credit));
        id
    }

    fn of(&mut self, rows: &[Open]) -> TreeNodeId {
        let start = self.matrices.rows.len();
        self.matrices.rows.extend_from_slice(rows);
        let (view, credit) = (self.matrices.close(start), self.credit(rows.len()));
        self.node(view, true, credit)
    }

    fn credit(&self, rows: usize) -> u64 {
        self.config.copies.map_or(u64::MAX, |n| u64::from(n) * rows as u64)
    }

    /// The nodes for each root name and for any.
    fn roots(&mut self, rules: &RuleSet) -> (Vec<(StrId, TreeNodeId)>, TreeNodeId) {
        let mut names: Vec<StrId> = Vec::new();
        let mut named: HashMap<StrId, Vec<RowId>, FxBuildHasher> = HashMap::default();
        let mut any: Vec<RowId> = Vec::new();
        for (id, row) in self.rows.iter_enumerated() {
            match row.root {
                Some(name) => named
                    .entry(name)
                    .or_insert_with(|| {
                        names.push(name);
                        Vec::new()
                    })
                    .push(id),
                None => any.push(id),
            }
        }
        let open = |id: RowId| {
            let n = self.rows[id].tests.len();
            Open { row: id, tests: if n == 64 { u64::MAX } else { (1 << n) - 1 } }
        };
        let copies = any.len() as u64 * names.len() as u64;
        let merge = copies <= self.credit(self.rows.len());
        // Without the budget to merge, rules for any name are one shared chain of a node a benefit,
        // entered after each run of named rules.
        let mut levels: Vec<(u16, Vec<Open>)> = Vec::new();
        for &id in &any {
            let benefit = rules.patterns[self.rows[id].pattern].benefit;
            match levels.last_mut() {
                Some((b, rows)) if *b == benefit => rows.push(open(id)),
                _ => levels.push((benefit, vec![open(id)])),
            }
        }
        let merged_any: Vec<Open> = any.iter().map(|&id| open(id)).collect();
        let named_rows: Vec<(StrId, Vec<Open>)> =
            names.iter().map(|name| (*name, named[name].iter().map(|&id| open(id)).collect())).collect();
        if merge {
            let entries = named_rows
                .into_iter()
                .map(|(name, mut rows)| {
                    rows.extend(&merged_any);
                    rows.sort_by_key(|r| r.row);
                    (name, self.of(&rows))
                })
                .collect();
            return (entries, self.of(&merged_any));
        }
        let level_nodes: Vec<TreeNodeId> = levels.iter().map(|l| self.of(&l.1)).collect();
        let mut chains = vec![FAIL; levels.len() + 1];
        for i in (0..levels.len()).rev() {
            chains[i] = self.try_then(level_nodes[i], chains[i + 1]);
        }
        let mut entries = Vec::with_capacity(names.len());
        for (name, rows) in named_rows {
            // From the last rule to the first: what comes after is known.
            let (mut level, mut node) = (levels.len(), None);
            for run in rows.chunk_by(|a, b| !between(&any, a.row, b.row)).rev() {
                let after = run.last().map_or(0, |r| any.partition_point(|a| *a < r.row));
                let first_after = any.get(after).copied();
                let at = first_after.map_or(levels.len(), |id| {
                    levels.partition_point(|(_, rows)| rows.last().is_some_and(|r| r.row < id))
                });
                let rest = match node {
                    None => chains[at],
                    Some(rest) => (at..level).rev().fold(rest, |rest, l| self.try_then(level_nodes[l], rest)),
                };
                level = at;
                let first = self.of(run);
                node = Some(self.try_then(first, rest));
            }
            let node = node.unwrap_or(FAIL);
            let node = (0..level).rev().fold(node, |rest, l| self.try_then(level_nodes[l], rest));
            entries.push((name, node));
        }
        (entries, chains[0])
    }

    fn try_then(&mut self, first: TreeNodeId, then: TreeNodeId) -> TreeNodeId {
        if then == FAIL { first } else { self.add(TreeNode::Try { first, then }, None) }
    }

    /// Whether the nodes stayed within the limit.
    fn expand_all(&mut self) -> bool {
        while let Some((id, credit)) = self.todo.pop() {
            if self.nodes.len() > self.config.max_nodes {
                return false;
            }
            let Some(view) = self.views[id] else { continue };
            self.nodes[id] = self.expand(id, view, credit);
        }
        true
    }

    fn expand(&mut self, id: TreeNodeId, view: View, credit: u64) -> TreeNode {
        let mut work = std::mem::take(&mut self.work);
        let first = self.matrices.rows[view.start];
        let node = if first.tests == 0 {
            TreeNode::Leaf { row: first.row, next: self.node(view.from(1), false, credit) }
        } else {
            let question = self.choose(view, &mut work);
            let (len, rows) = (self.prefix(view, question, credit, &mut work), view.end - view.start);
            if len == rows {
                self.specialise(id, view, question, credit, &mut work)
            } else {
                let start = self.matrices.rows.len();
                self.matrices.rows.extend_from_within(view.start..view.start + len);
                let prefix = self.matrices.close(start);
                let first = self.node(prefix, true, share(credit, len, rows));
                let then = self.node(view.from(len), false, share(credit, rows - len, rows));
                TreeNode::Try { first, then }
            }
        };
        self.work = work;
        node
    }

    fn open_tests(&self, open: Open) -> impl Iterator<Item = (u64, QuestionId, Answer)> + use<'a> {
        let tests = &self.rows[open.row].tests;
        bits(open.tests).map(|i| (1 << i, tests[i].question, tests[i].answer))
    }

    /// The open question of the first row that divides the rows best.
    fn choose(&self, view: View, work: &mut Work) -> QuestionId {
        let rows = self.matrices.rows(view);
        let window = &rows[..rows.len().min(Self::WINDOW)];
        let first = rows[0];
        let tests = &self.rows[first.row].tests;
        let mut candidates: Vec<Candidate> = bits(first.tests)
            .filter(|&i| tests[i].after & first.tests == 0)
            .map(|i| Candidate { question: tests[i].question, askers: 0, answers: 0 })
            .collect();
        if candidates.len() > 1 {
            work.wanted.clear();
            for &row in window {
                for (_, question, answer) in self.open_tests(row) {
                    if let Some(at) = candidates.iter().position(|c| c.question == question) {
                        candidates[at].askers += 1;
                        work.wanted.push((at, answer));
                    }
                }
            }
            work.wanted.sort_unstable();
            work.wanted.dedup();
            for &(at, _) in &work.wanted {
                candidates[at].answers += 1;
            }
        }
        // PERF: the result count right after the operand count is one instruction with it.
        let closes_counts = |c: &&Candidate| match self.predicates[c.question] {
            Question::Count { op, side: Side::Results } if c.askers == window.len() && c.answers == 1 => {
                !bits(first.tests).any(|i| {
                    self.predicates[tests[i].question] == Question::Count { op, side: Side::Operands }
                })
            }
            _ => false,
        };
        if let Some(candidate) = candidates.iter().find(closes_counts) {
            return candidate.question;
        }
        let best = candidates.iter().min_by_key(|c| {
            // Rows that are left on average, all answers being equally likely, and the cost of asking.
            let wild = window.len().saturating_sub(c.askers);
            let left = (c.askers * 64).div_ceil(c.answers + 1) + wild * 64;
            left + cost(self.positions, &self.predicates[c.question]) as usize * 8
        });
        best.map_or(tests[first.tests.trailing_zeros() as usize].question, |c| c.question)
    }

    /// How many rows can be specialised within the budget.
    fn prefix(&self, view: View, question: QuestionId, credit: u64, work: &mut Work) -> usize {
        let rows = self.matrices.rows(view);
        let Some(copies) = self.config.copies else { return rows.len() };
        let spread = u64::from(copies).saturating_mul(Self::SPREAD);
        let (mut best, mut askers, mut wild) = (1, 0u64, 0u64);
        work.answers.clear();
        for (i, &row) in rows.iter().enumerate() {
            match self.open_tests(row).find(|t| t.1 == question) {
                Some((_, _, answer)) => {
                    askers += 1;
                    work.answers.insert(answer);
                }
                None => wild += 1,
            }
            let growth = wild * work.answers.len() as u64;
            if growth <= credit.min(spread * askers) {
                best = i + 1;
            } else if i > 4 * best + 64 {
                break;
            }
        }
        best
    }

    fn specialise(
        &mut self,
        id: TreeNodeId,
        view: View,
        question: QuestionId,
        credit: u64,
        work: &mut Work,
    ) -> TreeNode {
        let asks_start = self.asks.len();
        work.askers.clear();
        work.wild.clear();
        work.sorted.clear();
        for (i, &open) in self.matrices.rows(view).iter().enumerate() {
            let mut entry = Sorted { open, related: 0 };
            let mut wanted = None;
            for (bit, asked, answer) in self.open_tests(open) {
                if asked == question && wanted.is_none() {
                    wanted = Some(answer);
                    entry.open.tests &= !bit;
                    let row = &self.rows[open.row];
                    let node = row.tests[bit.trailing_zeros() as usize].node;
                    self.asks.push(Ask { pattern: row.pattern, node });
                } else if self.predicates.are_related(asked, question) {
                    entry.related |= bit;
                }
            }
            match wanted {
                Some(answer) => work.askers.push((answer, i)),
                None => work.wild.push(i),
            }
            work.sorted.push(entry);
        }
        self.asked_at[id] = (narrow(asks_start), narrow(self.asks.len()));
        work.askers.sort_unstable();
        // The askers of each answer; answers in the order of their first rows.
        let mut groups: Vec<&[(Answer, usize)]> = work.askers.chunk_by(|a, b| a.0 == b.0).collect();
        groups.sort_unstable_by_key(|group| group[0].1);
        let answers = groups.len();
        let closed = is_boolean(&self.predicates[question]) && answers == 2;
        let total = work.askers.len() + work.wild.len() * (answers + 1);
        let rows = work.sorted.len();
        let left = if credit == u64::MAX { credit } else { credit.saturating_sub((total - rows) as u64) };

        let mut cases = Vec::with_capacity(answers);
        for group in groups {
            let answer = group[0].0;
            let credit = share(left, group.len() + work.wild.len(), total);
            let view = self.branch(work, group, (question, answer, true));
            cases.push((answer, self.node(view, true, credit)));
        }
        let mut otherwise = FAIL;
        if !closed {
            // Of several answers that were not given, each one is known not to be it; related tests are
            // decided only where a single other answer is left.
            let known = if answers == 1 { work.askers[0].0 } else { Answer(u32::MAX) };
            let view = self.branch(work, &[], (question, known, false));
            otherwise = self.node(view, true, share(left, work.wild.len(), total));
        }
        TreeNode::Switch { question, cases, otherwise }
    }

    /// The matrix of a branch: its askers and the rows that do not ask, in order, less those that what
    /// is known then rules out.
    fn branch(&mut self, work: &Work, askers: &[(Answer, usize)], known: (QuestionId, Answer, bool)) -> View {
        let start = self.matrices.rows.len();
        let (mut askers, mut wild) =
            (askers.iter().map(|a| a.1).peekable(), work.wild.iter().copied().peekable());
        loop {
            let asks = match (askers.peek(), wild.peek()) {
                (Some(a), Some(w)) => a < w,
                (asker, _) => asker.is_some(),
            };
            let Some(i) = (if asks { askers.next() } else { wild.next() }) else { break };
            let Sorted { mut open, related } = work.sorted[i];
            let mut alive = true;
            for t in bits(related) {
                let test = &self.rows[open.row].tests[t];
                match self.predicates.follows(self.positions, known, (test.question, test.answer)) {
                    Some(true) => open.tests &= !(1 << t),
                    Some(false) => alive = false,
                    None => {}
                }
            }
            if alive {
                self.matrices.rows.push(open);
            }
        }
        self.matrices.close(start)
    }
}

/// Whether one of some ascending rows comes between two others.
fn between(rows: &[RowId], a: RowId, b: RowId) -> bool {
    rows.get(rows.partition_point(|id| *id < a)).is_some_and(|id| *id < b)
}

/// The part of a credit that goes with `part` of `whole` rows.
fn share(credit: u64, part: usize, whole: usize) -> u64 {
    if credit == u64::MAX || whole == 0 {
        return credit;
    }
    let share = u128::from(credit) * part as u128 / whole as u128;
    u64::try_from(share).unwrap_or(u64::MAX)
}

fn narrow(len: usize) -> u32 {
    u32::try_from(len).expect("asks are fewer than the copies of rows, which the limit on nodes bounds")
}

/// The bits of a set, lowest first.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let i = set.trailing_zeros() as usize;
        (i < 64).then(|| {
            set &= set - 1;
            i
        })
    })
}

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
use std::rc::Rc;

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;

use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::pdl::{NodeId, PatternId, RuleSet};
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
    /// "Try these, else those" among them.
    pub tries: usize,
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
                TreeNode::Try { .. } => stats.tries += 1,
            }
        }
        stats
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
pub fn build(rules: &RuleSet, config: &Config) -> Result<Tree, Diagnostics> {
    let mut positions = Positions::default();
    let mut predicates = Predicates::default();
    let mut rows = IdVec::default();
    let mut errors = Diagnostics::default();
    for pattern in rules.in_order() {
        match lower(rules, pattern, &mut positions, &mut predicates) {
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
        views: IdVec::default(),
        asks: Vec::new(),
        asked_at: IdVec::default(),
        known: HashTable::new(),
        todo: Vec::new(),
        shared: 0,
    };
    builder.add(TreeNode::Fail, None);
    let (entries, any) = builder.roots(rules);
    if !builder.expand_all() {
        errors.push(error::too_many_nodes(config.max_nodes));
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

/// Rows in order, and for each the hash of it and those after it.
struct Matrix {
    rows: Vec<Open>,
    hashes: Vec<u64>,
}

impl Matrix {
    fn new(rows: Vec<Open>) -> Rc<Self> {
        let mut hashes = vec![0; rows.len()];
        let mut hash = 0;
        for (row, slot) in rows.iter().zip(&mut hashes).rev() {
            hash = FxBuildHasher.hash_one((row, hash));
            *slot = hash;
        }
        Rc::new(Self { rows, hashes })
    }
}

/// The rows of a matrix from one on.
#[derive(Clone)]
struct View {
    matrix: Rc<Matrix>,
    start: usize,
}

impl View {
    fn rows(&self) -> &[Open] {
        &self.matrix.rows[self.start..]
    }

    fn hash(&self) -> u64 {
        self.matrix.hashes[self.start]
    }

    fn from(&self, start: usize) -> Self {
        Self { matrix: self.matrix.clone(), start: self.start + start }
    }
}

/// A question that could be asked next, and how it divides the rows that were looked at.
struct Candidate {
    question: QuestionId,
    askers: usize,
    answers: Vec<Answer>,
}

struct Builder<'a> {
    positions: &'a Positions,
    predicates: &'a Predicates,
    rows: &'a IdVec<RowId, Row>,
    config: &'a Config,
    nodes: IdVec<TreeNodeId, TreeNode>,
    views: IdVec<TreeNodeId, Option<View>>,
    asks: Vec<Ask>,
    asked_at: IdVec<TreeNodeId, (u32, u32)>,
    known: HashTable<TreeNodeId>,
    todo: Vec<(TreeNodeId, u64)>,
    shared: usize,
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

    /// The node for a matrix, which may copy `credit` rows below.
    fn node(&mut self, view: View, credit: u64) -> TreeNodeId {
        if view.rows().is_empty() {
            return FAIL;
        }
        let hash = view.hash();
        if self.config.sharing {
            let same = |&id: &TreeNodeId| self.views[id].as_ref().is_some_and(|v| v.rows() == view.rows());
            if let Some(&id) = self.known.find(hash, same) {
                self.shared += 1;
                return id;
            }
        }
        let id = self.add(TreeNode::Fail, Some(view));
        if self.config.sharing {
            let views = &self.views;
            self.known.insert_unique(hash, id, |&id| views[id].as_ref().map_or(0, View::hash));
        }
        self.todo.push((id, credit));
        id
    }

    fn of(&mut self, rows: Vec<Open>) -> TreeNodeId {
        if rows.is_empty() {
            return FAIL;
        }
        let credit = self.credit(rows.len());
        self.node(View { matrix: Matrix::new(rows), start: 0 }, credit)
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
                    (name, self.of(rows))
                })
                .collect();
            return (entries, self.of(merged_any));
        }
        let level_nodes: Vec<TreeNodeId> = levels.iter().map(|l| self.of(l.1.clone())).collect();
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
                let first = self.of(run.to_vec());
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
            let Some(view) = self.views[id].clone() else { continue };
            self.nodes[id] = self.expand(id, &view, credit);
        }
        true
    }

    fn expand(&mut self, id: TreeNodeId, view: &View, credit: u64) -> TreeNode {
        let rows = view.rows();
        if rows[0].tests == 0 {
            return TreeNode::Leaf { row: rows[0].row, next: self.node(view.from(1), credit) };
        }
        let question = self.choose(rows);
        let len = self.prefix(rows, question, credit);
        if len == rows.len() {
            return self.specialise(id, rows, question, credit);
        }
        let share = |part: usize| share(credit, part, rows.len());
        let first = self.node(View { matrix: Matrix::new(rows[..len].to_vec()), start: 0 }, share(len));
        let then = self.node(view.from(len), share(rows.len() - len));
        TreeNode::Try { first, then }
    }

    fn open_tests(&self, open: Open) -> impl Iterator<Item = (u64, QuestionId, Answer)> + use<'a> {
        let tests = &self.rows[open.row].tests;
        bits(open.tests).map(|i| (1 << i, tests[i].question, tests[i].answer))
    }

    /// The open question of the first row that divides the rows best.
    fn choose(&self, rows: &[Open]) -> QuestionId {
        let window = &rows[..rows.len().min(Self::WINDOW)];
        let first = rows[0];
        let tests = &self.rows[first.row].tests;
        let mut candidates: Vec<Candidate> = bits(first.tests)
            .filter(|&i| tests[i].after & first.tests == 0)
            .map(|i| Candidate { question: tests[i].question, askers: 0, answers: Vec::new() })
            .collect();
        if candidates.len() > 1 {
            for &row in window {
                for (_, question, answer) in self.open_tests(row) {
                    if let Some(c) = candidates.iter_mut().find(|c| c.question == question) {
                        c.askers += 1;
                        c.answers.push(answer);
                    }
                }
            }
        }
        for candidate in &mut candidates {
            candidate.answers.sort_unstable();
            candidate.answers.dedup();
        }
        // PERF: the result count right after the operand count is one instruction with it.
        let closes_counts = |c: &&Candidate| match self.predicates[c.question] {
            Question::Count { op, side: Side::Results }
                if c.askers == window.len() && c.answers.len() == 1 =>
            {
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
            let left = (c.askers * 64).div_ceil(c.answers.len() + 1) + wild * 64;
            left + cost(self.positions, &self.predicates[c.question]) as usize * 8
        });
        best.map_or(tests[first.tests.trailing_zeros() as usize].question, |c| c.question)
    }

    /// How many rows can be specialised within the budget.
    fn prefix(&self, rows: &[Open], question: QuestionId, credit: u64) -> usize {
        let Some(copies) = self.config.copies else { return rows.len() };
        let spread = u64::from(copies).saturating_mul(Self::SPREAD);
        let (mut best, mut askers, mut wild) = (1, 0u64, 0u64);
        let mut answers: Vec<Answer> = Vec::new();
        for (i, &row) in rows.iter().enumerate() {
            match self.open_tests(row).find(|t| t.1 == question) {
                Some((_, _, answer)) => {
                    askers += 1;
                    if let Err(at) = answers.binary_search(&answer) {
                        answers.insert(at, answer);
                    }
                }
                None => wild += 1,
            }
            let growth = wild * answers.len() as u64;
            if growth <= credit.min(spread * askers) {
                best = i + 1;
            } else if i > 4 * best + 64 {
                break;
            }
        }
        best
    }

    fn specialise(&mut self, id: TreeNodeId, rows: &[Open], question: QuestionId, credit: u64) -> TreeNode {
        /// A row as it is in a branch before the answer is taken into account.
        struct Sorted {
            open: Open,
            /// Tests of the same family: the answer may decide them.
            related: u64,
            answer: Option<Answer>,
        }
        let asks_start = self.asks.len();
        let mut answers: Vec<Answer> = Vec::new();
        let mut buckets: HashMap<Answer, Vec<usize>, FxBuildHasher> = HashMap::default();
        let mut wild: Vec<usize> = Vec::new();
        let mut sorted: Vec<Sorted> = Vec::with_capacity(rows.len());
        for (i, &open) in rows.iter().enumerate() {
            let mut entry = Sorted { open, related: 0, answer: None };
            for (bit, asked, answer) in self.open_tests(open) {
                if asked == question && entry.answer.is_none() {
                    entry.answer = Some(answer);
                    entry.open.tests &= !bit;
                    let row = &self.rows[open.row];
                    let node = row.tests[bit.trailing_zeros() as usize].node;
                    self.asks.push(Ask { pattern: row.pattern, node });
                } else if self.predicates.are_related(asked, question) {
                    entry.related |= bit;
                }
            }
            match entry.answer {
                Some(answer) => buckets
                    .entry(answer)
                    .or_insert_with(|| {
                        answers.push(answer);
                        Vec::new()
                    })
                    .push(i),
                None => wild.push(i),
            }
            sorted.push(entry);
        }
        self.asked_at[id] = (narrow(asks_start), narrow(self.asks.len()));
        let closed = is_boolean(&self.predicates[question]) && answers.len() == 2;
        let mut total = wild.len();
        for &answer in &answers {
            total += buckets[&answer].len() + wild.len();
        }
        let left = credit.saturating_sub((total - rows.len().min(total)) as u64);
        let left = if credit == u64::MAX { credit } else { left };

        // The rows of a branch: its askers and the wild ones, in order, less those the answer rules out.
        let branch = |asking: &[usize], known: (Answer, bool)| -> Vec<Open> {
            let mut out = Vec::with_capacity(asking.len() + wild.len());
            let (mut a, mut w) = (asking.iter().peekable(), wild.iter().peekable());
            loop {
                let i = match (a.peek(), w.peek()) {
                    (Some(&&x), Some(&&y)) => *if x < y { a.next() } else { w.next() }.unwrap_or(&x),
                    (Some(_), None) => *a.next().unwrap_or(&0),
                    (None, Some(_)) => *w.next().unwrap_or(&0),
                    (None, None) => break,
                };
                let mut open = sorted[i].open;
                let mut alive = true;
                for t in bits(sorted[i].related) {
                    let test = &self.rows[open.row].tests[t];
                    let known = (question, known.0, known.1);
                    match self.predicates.follows(self.positions, known, (test.question, test.answer)) {
                        Some(true) => open.tests &= !(1 << t),
                        Some(false) => alive = false,
                        None => {}
                    }
                }
                if alive {
                    out.push(open);
                }
            }
            out
        };
        let mut branches: Vec<(Option<Answer>, Vec<Open>)> =
            answers.iter().map(|&answer| (Some(answer), branch(&buckets[&answer], (answer, true)))).collect();
        if !closed {
            // Of several answers that were not given, each one is known not to be it; related tests are
            // decided only where a single other answer is left.
            let known = if answers.len() == 1 { (answers[0], false) } else { (Answer(u32::MAX), false) };
            branches.push((None, branch(&[], known)));
        }
        let out: usize = branches.iter().map(|b| b.1.len()).sum();
        let mut cases = Vec::with_capacity(answers.len());
        let mut otherwise = FAIL;
        for (answer, rows) in branches {
            let credit = share(left, rows.len(), out);
            let child = if rows.is_empty() {
                FAIL
            } else {
                self.node(View { matrix: Matrix::new(rows), start: 0 }, credit)
            };
            match answer {
                Some(answer) => cases.push((answer, child)),
                None => otherwise = child,
            }
        }
        TreeNode::Switch { question, cases, otherwise }
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

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let i = set.trailing_zeros() as usize;
        (i < 64).then(|| {
            set &= set - 1;
            i
        })
    })
}

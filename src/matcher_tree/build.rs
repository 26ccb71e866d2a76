//! Builds the decision DAG from rows.
//!
//! A matrix is a list of rows in application order, each with the set of its open tests. The tests of a rule with more
//! than 64 tests are divided into batches, which are tested one after the other, so that the set of a batch's open
//! tests fits into a 64-bit number. Each node is built for one matrix. The node of a matrix without rows fails. If the
//! first row has no open test, the node is a leaf, which continues with the matrix without that row. Otherwise the node
//! asks one of the open questions of the first row. Rows that do not require an answer to this question go to every
//! branch that does not contradict them. If the copies of these rows exceed the budget, only a prefix of the rows is
//! specialised, and the other rows are tried afterwards.
//!
//! Equal matrices share one node. A worklist bounds the stack. The time of building is close to linear, because the
//! choice of a question scans at most a constant number of rows, and the search for a prefix scans a number of rows
//! that is linear in the length of the prefix.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{HashMap, HashSet, HashTable};
use rustc_hash::FxBuildHasher;

use crate::id::IdVec;
use crate::intern::StrId;
use crate::pdl::{RuleSet, VerifiedRules};
use crate::source::Diagnostics;

use super::error;
use super::lower::lower;
use super::position::{Positions, Side};
use super::predicate::{Answer, Predicates, Question, QuestionId};
use super::row::{Row, RowId, Test};
use super::tree::{Provenance, Tree, TreeNode, TreeNodeId};

/// The configuration of [`build`].
#[derive(Clone, Debug)]
pub struct Config {
    sharing: bool,
    copies: Option<u32>,
    max_nodes: usize,
    batch: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { sharing: true, copies: Some(16), max_nodes: 1 << 24, batch: Row::BATCH }
    }
}

/// Settings for tests, which compare the trees of different configurations. All configurations give trees that find the
/// same matches.
#[cfg(any(test, feature = "fuzzing"))]
impl Config {
    /// The default configuration.
    pub fn new() -> Self {
        Self::default()
    }

    /// Enables or disables the sharing of one node by equal matrices.
    #[must_use]
    pub fn sharing(mut self, on: bool) -> Self {
        self.sharing = on;
        self
    }

    /// Sets the number of copies that specialising may make for each row, on average. `None` stands for no limit, which
    /// leads to trees of exponential size for some rules.
    #[must_use]
    pub fn copies(mut self, copies: Option<u32>) -> Self {
        self.copies = copies;
        self
    }

    /// Sets the largest number of nodes.
    #[must_use]
    pub fn max_nodes(mut self, nodes: usize) -> Self {
        self.max_nodes = nodes;
        self
    }

    /// Sets the number of tests of a row in a batch, from 1 to [`Row::BATCH`].
    #[must_use]
    pub fn batch(mut self, tests: usize) -> Self {
        self.batch = tests.clamp(1, Row::BATCH);
        self
    }
}

/// Builds the tree of a rule set.
///
/// # Errors
/// Rules that cannot become rows, or a tree with more nodes than the limit.
pub fn build(rules: VerifiedRules<'_>, config: &Config) -> Result<Tree, Diagnostics> {
    let mut positions = Positions::default();
    let mut predicates = Predicates::default();
    let mut rows = IdVec::default();
    let mut errors = Diagnostics::default();
    for pattern in rules.in_order() {
        match lower(rules.rules(), pattern, config.batch, &mut positions, &mut predicates) {
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
        matrix_of_node: IdVec::default(),
        provenance: Vec::new(),
        provenance_of: IdVec::default(),
        node_of_matrix: HashTable::new(),
        worklist: Vec::new(),
        shared: 0,
        buffers: Buffers::default(),
    };
    builder.add(TreeNode::Fail, None);
    let (entries, any) = builder.roots(rules.rules());
    if !builder.expand_all() {
        errors.push(error::too_many_nodes(config.max_nodes, rows.len(), builder.worklist.len()));
        return Err(errors);
    }
    let Builder { nodes, provenance, provenance_of, shared, .. } = builder;
    Ok(Tree { positions, predicates, rows, nodes, entries, any, provenance, provenance_of, shared })
}

/// A row of a matrix, with the set of the open tests of one batch as bits. All tests of earlier batches hold, and all
/// tests of later batches are open. If the batch has no open test, there are no later batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OpenRow {
    row: RowId,
    batch: u32,
    tests: u64,
}

/// A matrix: a range of the rows of [`Matrices`].
#[derive(Clone, Copy)]
struct Matrix {
    start: usize,
    end: usize,
}

impl Matrix {
    /// The matrix without the rows before `row`.
    fn from(self, row: usize) -> Self {
        Self { start: self.start + row, end: self.end }
    }
}

/// The matrices of all nodes, one after the other. The hash of a row also covers the rows after it in its matrix, so
/// that a suffix of a matrix is itself a matrix.
#[derive(Default)]
struct Matrices {
    rows: Vec<OpenRow>,
    hashes: Vec<u64>,
}

impl Matrices {
    fn rows(&self, matrix: Matrix) -> &[OpenRow] {
        &self.rows[matrix.start..matrix.end]
    }

    fn hash(&self, matrix: Matrix) -> u64 {
        self.hashes[matrix.start]
    }

    /// Creates a matrix of the rows from index `start` on.
    fn close(&mut self, start: usize) -> Matrix {
        self.hashes.resize(self.rows.len(), 0);
        let mut hash = 0;
        for (row, slot) in self.rows[start..].iter().zip(&mut self.hashes[start..]).rev() {
            hash = FxBuildHasher.hash_one((row.row, row.tests, hash));
            *slot = hash;
        }
        Matrix { start, end: self.rows.len() }
    }

    /// Removes the newest matrix.
    fn discard(&mut self, newest: Matrix) {
        self.rows.truncate(newest.start);
        self.hashes.truncate(newest.start);
    }
}

/// A row of a switch, before it is distributed to the branches.
struct BranchRow {
    open: OpenRow,
    /// The open tests that the answer to the switch may decide, because their questions are related.
    related: u64,
}

/// Buffers that are reused for each node, to save allocations.
#[derive(Default)]
struct Buffers {
    rows: Vec<BranchRow>,
    /// The answers that rows require, each with the index of its row in `rows`.
    askers: Vec<(Answer, usize)>,
    /// The indices of the rows that require no answer.
    wild: Vec<usize>,
    /// The required answers, each with the index of its candidate.
    required: Vec<(usize, Answer)>,
    answers: HashSet<Answer, FxBuildHasher>,
}

/// A question that can be asked next, with counts over the first [`Builder::WINDOW`] rows of the matrix.
struct Candidate {
    question: QuestionId,
    /// The number of rows that require an answer.
    askers: usize,
    /// The number of different answers that rows require.
    answers: usize,
}

struct Builder<'a> {
    positions: &'a Positions,
    predicates: &'a Predicates,
    rows: &'a IdVec<RowId, Row>,
    config: &'a Config,
    nodes: IdVec<TreeNodeId, TreeNode>,
    matrices: Matrices,
    matrix_of_node: IdVec<TreeNodeId, Option<Matrix>>,
    provenance: Vec<Provenance>,
    provenance_of: IdVec<TreeNodeId, Range<usize>>,
    node_of_matrix: HashTable<TreeNodeId>,
    worklist: Vec<(TreeNodeId, Budget)>,
    shared: usize,
    buffers: Buffers,
}

/// The number of copies of rows that may still be made; `None` for no limit.
#[derive(Clone, Copy)]
struct Budget(Option<u64>);

impl Budget {
    fn allows(self, copies: u64) -> bool {
        self.0.is_none_or(|budget| copies <= budget)
    }

    fn less(self, copies: u64) -> Self {
        Self(self.0.map(|budget| budget.saturating_sub(copies)))
    }

    /// The part of the budget for `part` of `whole` rows, in proportion. `part` is at most `whole`.
    fn share(self, part: usize, whole: usize) -> Self {
        let share = |budget: u64| {
            budget / whole as u64 * part as u64 + budget % whole as u64 * part as u64 / whole as u64
        };
        Self(self.0.map(|budget| if whole == 0 { budget } else { share(budget) }))
    }
}

/// The nodes of blocks. A level consists of the rules of one benefit that have no root name, and a block is a list of
/// levels: block `(size, index)` contains `1 << size` levels, from level `index << size` on.
struct Blocks {
    /// The node of each level, which is also the node of the block that contains only this level.
    levels: Vec<TreeNodeId>,
    /// The nodes of larger blocks, which are created when they are needed.
    larger: HashMap<(u32, usize), TreeNodeId, FxBuildHasher>,
}

/// The node for a matrix without rows.
const FAIL: TreeNodeId = TreeNodeId::from_raw(0);

impl<'a> Builder<'a> {
    /// The maximum number of rows that are scanned to choose a question.
    const WINDOW: usize = 512;
    /// The maximum number of copies of other rows for each row that requires an answer to the question, as a multiple
    /// of the configured `copies`.
    const SPREAD: u64 = 8;

    fn add(&mut self, node: TreeNode, matrix: Option<Matrix>) -> TreeNodeId {
        self.matrix_of_node.push(matrix);
        self.provenance_of.push(0..0);
        self.nodes.push(node)
    }

    /// Returns the node for a matrix, and adds it if it does not exist. Below the node, `budget` rows may be copied. A
    /// `fresh` matrix is the newest one; it is removed if an equal matrix has a node.
    fn node(&mut self, matrix: Matrix, fresh: bool, budget: Budget) -> TreeNodeId {
        if matrix.start == matrix.end {
            return FAIL;
        }
        let hash = self.matrices.hash(matrix);
        if self.config.sharing {
            let (matrices, matrix_of_node) = (&self.matrices, &self.matrix_of_node);
            let rows = matrices.rows(matrix);
            let same = |&id: &TreeNodeId| matrix_of_node[id].is_some_and(|v| matrices.rows(v) == rows);
            if let Some(&id) = self.node_of_matrix.find(hash, same) {
                self.shared += 1;
                if fresh {
                    self.matrices.discard(matrix);
                }
                return id;
            }
        }
        let id = self.add(TreeNode::Fail, Some(matrix));
        if self.config.sharing {
            let (matrices, matrix_of_node) = (&self.matrices, &self.matrix_of_node);
            self.node_of_matrix
                .insert_unique(hash, id, |&id| matrix_of_node[id].map_or(0, |v| matrices.hash(v)));
        }
        self.worklist.push((id, budget));
        id
    }

    /// Adds a matrix of these rows, and returns its node.
    fn node_of(&mut self, rows: &[OpenRow]) -> TreeNodeId {
        let start = self.matrices.rows.len();
        self.matrices.rows.extend_from_slice(rows);
        let (matrix, budget) = (self.matrices.close(start), self.budget(rows.len()));
        self.node(matrix, true, budget)
    }

    fn budget(&self, rows: usize) -> Budget {
        Budget(self.config.copies.map(|copies| u64::from(copies) * rows as u64))
    }

    /// Builds the start node of each root name, and the start node of all other names.
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
        let open = |id: RowId| self.open_batch(id, 0);
        let merge = self.budget(self.rows.len()).allows(any.len() as u64 * names.len() as u64);
        // If the budget does not allow merging the rules for any operation into the rows of every root name, the rules
        // for any operation form levels, one for each benefit, and each level has one node. The rows of a root name are
        // divided into runs at the rules for any operation that lie between them in application order. The runs and the
        // levels are tried in application order. The levels before a run are tried in blocks, and the levels after the
        // last run in a chain. All root names share the blocks and the chain.
        let mut levels: Vec<(u16, Vec<OpenRow>)> = Vec::new();
        for &id in &any {
            let benefit = rules.patterns[self.rows[id].pattern].benefit;
            match levels.last_mut() {
                Some((b, rows)) if *b == benefit => rows.push(open(id)),
                _ => levels.push((benefit, vec![open(id)])),
            }
        }
        let merged_any: Vec<OpenRow> = any.iter().map(|&id| open(id)).collect();
        let named_rows: Vec<(StrId, Vec<OpenRow>)> =
            names.iter().map(|name| (*name, named[name].iter().map(|&id| open(id)).collect())).collect();
        if merge {
            let entries = named_rows
                .into_iter()
                .map(|(name, mut rows)| {
                    rows.extend(&merged_any);
                    rows.sort_by_key(|r| r.row);
                    (name, self.node_of(&rows))
                })
                .collect();
            return (entries, self.node_of(&merged_any));
        }
        let level_nodes: Vec<TreeNodeId> = levels.iter().map(|l| self.node_of(&l.1)).collect();
        let mut chains = vec![FAIL; levels.len() + 1];
        for i in (0..levels.len()).rev() {
            chains[i] = self.try_then(level_nodes[i], chains[i + 1]);
        }
        let mut blocks = Blocks { levels: level_nodes, larger: HashMap::default() };
        let mut entries = Vec::with_capacity(names.len());
        for (name, rows) in named_rows {
            // Runs are built from the last to the first, so that the node after a run exists when the run is built.
            let (mut level, mut node) = (levels.len(), None);
            for run in rows.chunk_by(|a, b| !between(&any, a.row, b.row)).rev() {
                let after = run.last().map_or(0, |r| any.partition_point(|a| *a < r.row));
                let first_after = any.get(after).copied();
                let at = first_after.map_or(levels.len(), |id| {
                    levels.partition_point(|(_, rows)| rows.last().is_some_and(|r| r.row < id))
                });
                let rest = match node {
                    None => chains[at],
                    Some(rest) => self.try_levels(&mut blocks, at..level, rest),
                };
                level = at;
                let first = self.node_of(run);
                node = Some(self.try_then(first, rest));
            }
            let node = node.unwrap_or(FAIL);
            entries.push((name, self.try_levels(&mut blocks, 0..level, node)));
        }
        (entries, chains[0])
    }

    /// Returns a node that tries a range of levels and then another node. Divides the range into blocks of levels, so
    /// that the number of new nodes is logarithmic in the length of the range.
    fn try_levels(&mut self, blocks: &mut Blocks, range: Range<usize>, mut then: TreeNodeId) -> TreeNodeId {
        let Range { start, mut end } = range;
        while start < end {
            let size = end.trailing_zeros().min((end - start).ilog2());
            let block = self.block(blocks, size, (end >> size) - 1);
            then = self.try_then(block, then);
            end -= 1 << size;
        }
        then
    }

    /// The node of a block; see [`Blocks`].
    fn block(&mut self, blocks: &mut Blocks, size: u32, index: usize) -> TreeNodeId {
        if size == 0 {
            return blocks.levels[index];
        }
        if let Some(&node) = blocks.larger.get(&(size, index)) {
            return node;
        }
        let [first, then] = [0, 1].map(|half| self.block(blocks, size - 1, 2 * index + half));
        let node = self.try_then(first, then);
        blocks.larger.insert((size, index), node);
        node
    }

    fn try_then(&mut self, first: TreeNodeId, then: TreeNodeId) -> TreeNodeId {
        if then == FAIL { first } else { self.add(TreeNode::Try { first, then }, None) }
    }

    /// Builds the nodes of all matrices. Returns false if there are more nodes than the limit.
    fn expand_all(&mut self) -> bool {
        while let Some((id, budget)) = self.worklist.pop() {
            if self.nodes.len() > self.config.max_nodes {
                return false;
            }
            let Some(matrix) = self.matrix_of_node[id] else { continue };
            self.nodes[id] = self.expand(id, matrix, budget);
        }
        true
    }

    fn expand(&mut self, id: TreeNodeId, matrix: Matrix, budget: Budget) -> TreeNode {
        let mut buffers = std::mem::take(&mut self.buffers);
        let first = self.matrices.rows[matrix.start];
        let node = if first.tests == 0 {
            TreeNode::Leaf { row: first.row, next: self.node(matrix.from(1), false, budget) }
        } else {
            let question = self.choose(matrix, &mut buffers);
            let (len, rows) =
                (self.prefix(matrix, question, budget, &mut buffers), matrix.end - matrix.start);
            if len == rows {
                self.specialise(id, matrix, question, budget, &mut buffers)
            } else {
                let start = self.matrices.rows.len();
                self.matrices.rows.extend_from_within(matrix.start..matrix.start + len);
                let prefix = self.matrices.close(start);
                let first = self.node(prefix, true, budget.share(len, rows));
                let then = self.node(matrix.from(len), false, budget.share(rows - len, rows));
                TreeNode::Try { first, then }
            }
        };
        self.buffers = buffers;
        node
    }

    /// A row whose open tests are all tests of a batch and of all later batches.
    fn open_batch(&self, row: RowId, batch: u32) -> OpenRow {
        let tests = self.batch(row, batch).len();
        OpenRow { row, batch, tests: if tests == 64 { u64::MAX } else { (1 << tests) - 1 } }
    }

    /// The tests of a batch.
    fn batch(&self, row: RowId, batch: u32) -> &'a [Test] {
        let tests = &self.rows[row].tests;
        if tests.len() <= self.config.batch && batch == 0 {
            return tests;
        }
        let start = (batch as usize * self.config.batch).min(tests.len());
        &tests[start..tests.len().min(start + self.config.batch)]
    }

    /// Returns the row with its next batch if the current batch has no open test.
    fn next_batch(&self, open: OpenRow) -> OpenRow {
        if open.tests != 0 { open } else { self.open_batch(open.row, open.batch + 1) }
    }

    fn open_tests(&self, open: OpenRow) -> impl Iterator<Item = (u64, QuestionId, Answer)> + use<'a> {
        let tests = self.batch(open.row, open.batch);
        bits(open.tests).map(|i| (1 << i, tests[i].question, tests[i].answer))
    }

    /// Chooses one of the open questions of the first row. Prefers questions after which few rows remain, and questions
    /// that are cheap to ask.
    fn choose(&self, matrix: Matrix, buffers: &mut Buffers) -> QuestionId {
        let rows = self.matrices.rows(matrix);
        let window = &rows[..rows.len().min(Self::WINDOW)];
        let first = rows[0];
        let tests = self.batch(first.row, first.batch);
        let mut candidates: Vec<Candidate> = bits(first.tests)
            .filter(|&i| tests[i].after & first.tests == 0)
            .map(|i| Candidate { question: tests[i].question, askers: 0, answers: 0 })
            .collect();
        if candidates.len() > 1 {
            buffers.required.clear();
            for &row in window {
                for (_, question, answer) in self.open_tests(row) {
                    if let Some(at) = candidates.iter().position(|c| c.question == question) {
                        candidates[at].askers += 1;
                        buffers.required.push((at, answer));
                    }
                }
            }
            buffers.required.sort_unstable();
            buffers.required.dedup();
            for &(at, _) in &buffers.required {
                candidates[at].answers += 1;
            }
        }
        // The byte code fuses a test of the operand count with a test of the result count right after it. So a result
        // count that all rows require is asked as soon as the operand count is decided.
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
            // The average number of remaining rows if all outcomes are equally likely, plus the cost of asking. A
            // question that usually holds counts as a question with one outcome.
            let wild = window.len().saturating_sub(c.askers);
            let question = self.predicates[c.question];
            let outcomes = if question.usually_holds(self.positions) { 1 } else { c.answers + 1 };
            let left = (c.askers * 64).div_ceil(outcomes) + wild * 64;
            left + question.cost(self.positions) as usize * 8
        });
        best.map_or(tests[first.tests.trailing_zeros() as usize].question, |c| c.question)
    }

    /// The number of leading rows that can be specialised within the budget.
    fn prefix(&self, matrix: Matrix, question: QuestionId, budget: Budget, buffers: &mut Buffers) -> usize {
        let rows = self.matrices.rows(matrix);
        let Some(copies) = self.config.copies else { return rows.len() };
        let spread = u64::from(copies).saturating_mul(Self::SPREAD);
        let (mut best, mut askers, mut wild) = (1, 0u64, 0u64);
        buffers.answers.clear();
        for (i, &row) in rows.iter().enumerate() {
            match self.open_tests(row).find(|t| t.1 == question) {
                Some((_, _, answer)) => {
                    askers += 1;
                    buffers.answers.insert(answer);
                }
                None => wild += 1,
            }
            let growth = wild * buffers.answers.len() as u64;
            if budget.allows(growth) && growth <= spread * askers {
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
        matrix: Matrix,
        question: QuestionId,
        budget: Budget,
        buffers: &mut Buffers,
    ) -> TreeNode {
        let first = self.provenance.len();
        buffers.askers.clear();
        buffers.wild.clear();
        buffers.rows.clear();
        for (i, &open) in self.matrices.rows(matrix).iter().enumerate() {
            let mut entry = BranchRow { open, related: 0 };
            let mut required = None;
            for (bit, asked, answer) in self.open_tests(open) {
                if asked == question && required.is_none() {
                    required = Some(answer);
                    entry.open.tests &= !bit;
                    let node = self.batch(open.row, open.batch)[bit.trailing_zeros() as usize].node;
                    self.provenance.push(Provenance { pattern: self.rows[open.row].pattern, node });
                } else if self.predicates.are_related(asked, question) {
                    entry.related |= bit;
                }
            }
            match required {
                Some(answer) => buffers.askers.push((answer, i)),
                None => buffers.wild.push(i),
            }
            buffers.rows.push(entry);
        }
        self.provenance_of[id] = first..self.provenance.len();
        buffers.askers.sort_unstable();
        // The rows of each answer, with the answers in the order of their first rows.
        let mut groups: Vec<&[(Answer, usize)]> = buffers.askers.chunk_by(|a, b| a.0 == b.0).collect();
        groups.sort_unstable_by_key(|group| group[0].1);
        let answers = groups.len();
        let closed = self.predicates[question].is_boolean() && answers == 2;
        let total = buffers.askers.len() + buffers.wild.len() * (answers + 1);
        let rows = buffers.rows.len();
        let left = budget.less((total - rows) as u64);

        let mut cases = Vec::with_capacity(answers);
        for group in groups {
            let answer = group[0].0;
            let budget = left.share(group.len() + buffers.wild.len(), total);
            let matrix = self.branch(buffers, group, Some((question, answer, true)));
            cases.push((answer, self.node(matrix, true, budget)));
        }
        let mut otherwise = FAIL;
        if !closed {
            // This branch excludes every required answer. `follows` takes one excluded answer, so related tests are
            // decided only if rows require a single answer.
            let excluded = (answers == 1).then(|| (question, buffers.askers[0].0, false));
            let matrix = self.branch(buffers, &[], excluded);
            otherwise = self.node(matrix, true, left.share(buffers.wild.len(), total));
        }
        TreeNode::Switch { question, cases, otherwise }
    }

    /// The matrix of a branch: the rows that require its answer and the rows that require none, in order. `known` is a
    /// question, an answer, and a flag: true if the question is known to have this answer, false if the question is
    /// known to have another answer. Rows that contradict `known` are left out.
    fn branch(
        &mut self,
        buffers: &Buffers,
        askers: &[(Answer, usize)],
        known: Option<(QuestionId, Answer, bool)>,
    ) -> Matrix {
        let start = self.matrices.rows.len();
        let (mut askers, mut wild) =
            (askers.iter().map(|a| a.1).peekable(), buffers.wild.iter().copied().peekable());
        loop {
            let asker_first = match (askers.peek(), wild.peek()) {
                (Some(a), Some(w)) => a < w,
                (asker, _) => asker.is_some(),
            };
            let Some(i) = (if asker_first { askers.next() } else { wild.next() }) else { break };
            let BranchRow { mut open, related } = buffers.rows[i];
            let mut alive = true;
            let decided = known.map(|known| (known, bits(related)));
            for (known, t) in decided.into_iter().flat_map(|(known, tests)| tests.map(move |t| (known, t))) {
                let test = self.batch(open.row, open.batch)[t];
                match self.predicates.follows(self.positions, known, (test.question, test.answer)) {
                    Some(true) => open.tests &= !(1 << t),
                    Some(false) => alive = false,
                    None => {}
                }
            }
            if alive {
                let open = self.next_batch(open);
                self.matrices.rows.push(open);
            }
        }
        self.matrices.close(start)
    }
}

/// True if one of `rows`, which ascend, is between `a` and `b`.
fn between(rows: &[RowId], a: RowId, b: RowId) -> bool {
    rows.get(rows.partition_point(|id| *id < a)).is_some_and(|id| *id < b)
}

/// The indices of the bits that are set, lowest first.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let i = set.trailing_zeros() as usize;
        (i < 64).then(|| {
            set &= set - 1;
            i
        })
    })
}

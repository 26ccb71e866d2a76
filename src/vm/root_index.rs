//! Indexes over the rules of roots that no question divides: many rules test different properties, so a tree tries them
//! one after the other, and tables have an entry for each combination of values.
//!
//! Specification: the rows of an index whose tests hold, in order, are those that the tree finds.
//!
//! Rows that test the same properties form a group. A group finds its rows by the values of these properties, in one
//! lookup. A candidate that the lookups leave is tested alone: its further questions, its operands and its residual code.
//! The literature on packet classification calls this a tuple space search: Srinivasan, Suri and Varghese, *Packet
//! Classification Using Tuple Space Search* (1999).

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{HashMap, HashSet, HashTable};
use rustc_hash::FxBuildHasher;

use crate::bytecode::{Address, Flow, OpNumber, Opcode, OperandKind, Program, decode};
use crate::id::Id;
use crate::matcher_tree::{Answer, Question, QuestionId};
use crate::pdl::PatternId;

/// The indexes of a linked program.
pub(super) struct RootIndexes {
    roots: HashMap<OpNumber, RootIndex, FxBuildHasher>,
    /// All subpatterns of the program. A subpattern refers only to subpatterns before it.
    subpatterns: Vec<Subpattern>,
}

/// The rows of one root.
pub(super) struct RootIndex {
    /// The start of the tree for this root.
    pub(super) code: Address,
    /// The tests that all rows have. If one fails, no row matches.
    pub(super) common: Vec<(QuestionId, Answer)>,
    /// The questions by whose answers rows are looked up.
    pub(super) keys: Vec<QuestionId>,
    /// In order of their first rows.
    pub(super) groups: Vec<Group>,
    /// The rows of all groups. The rows of one entry of a group are adjacent, and in order.
    pub(super) rows: Vec<IndexedRow>,
}

/// The rows that require answers to the same key questions.
pub(super) struct Group {
    /// The smallest number of a row.
    pub(super) first: RowNumber,
    /// The questions, as indices of [`RootIndex::keys`].
    keys: Box<[usize]>,
    /// By the answers.
    entries: HashTable<Entry>,
    /// The answers of all entries.
    answers: Vec<Answer>,
}

/// The rows of a group that require the same answers.
struct Entry {
    hash: u64,
    /// The position of the answers in [`Group::answers`].
    answers: usize,
    /// The rows, as a range of [`RootIndex::rows`].
    rows: Range<usize>,
}

/// The answer to a key question with its hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyAnswer {
    answer: Answer,
    hash: u64,
}

impl KeyAnswer {
    /// The answer to the question with this number among the keys.
    pub(super) fn new(key: usize, answer: Answer) -> Self {
        Self { answer, hash: FxBuildHasher.hash_one((key, answer)) }
    }
}

impl Group {
    /// The rows that require these answers, of which a question without one has none that a row requires.
    pub(super) fn rows(&self, answers: &[Option<KeyAnswer>]) -> Option<Range<usize>> {
        let mut hash = 0u64;
        for &key in &self.keys {
            // PERF: a sum, so that each answer is hashed once for all groups.
            hash = hash.wrapping_add(answers[key]?.hash);
        }
        let required = |entry: &Entry| &self.answers[entry.answers..entry.answers + self.keys.len()];
        let is_same = |entry: &Entry| {
            let mut pairs = self.keys.iter().zip(required(entry));
            pairs.all(|(&key, required)| answers[key].is_some_and(|answer| answer.answer == *required))
        };
        self.entries.find(hash, is_same).map(|entry| entry.rows.clone())
    }

    fn insert(&mut self, answers: &[Answer], rows: Range<usize>) {
        let hashes = self.keys.iter().zip(answers).map(|(&key, &answer)| KeyAnswer::new(key, answer).hash);
        let hash = hashes.fold(0u64, u64::wrapping_add);
        let entry = Entry { hash, answers: self.answers.len(), rows };
        self.answers.extend_from_slice(answers);
        self.entries.insert_unique(hash, entry, |entry| entry.hash);
    }
}

/// The position of a rule in application order.
pub(super) type RowNumber = usize;

/// A row of an index.
pub(super) struct IndexedRow {
    pub(super) number: RowNumber,
    pub(super) pattern: PatternId,
    /// The questions of the root that are no keys.
    pub(super) tests: Box<[(QuestionId, Answer)]>,
    /// The operands of the root, each with the subpattern of the operation that defines it.
    pub(super) operands: Box<[(u32, usize)]>,
    /// The code for the tests that no subpattern contains.
    pub(super) residual: Option<Address>,
}

/// The requirements on one operation.
pub(super) struct Subpattern {
    pub(super) name: Option<OpNumber>,
    pub(super) tests: Box<[(QuestionId, Answer)]>,
    pub(super) operands: Box<[(u32, usize)]>,
}

/// The rows of a group by their answers, while an index is made.
type RowsByAnswers = HashMap<Box<[Answer]>, Vec<RowNumber>, FxBuildHasher>;

/// The conditions under which a root gets an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexLimits {
    /// The smallest number of rows.
    min_rows: usize,
    /// The tree must run more than this number of instructions, at the most, for each lookup of the index.
    steps_per_lookup: u64,
}

impl Default for IndexLimits {
    fn default() -> Self {
        Self { min_rows: 256, steps_per_lookup: 32 }
    }
}

#[cfg(test)]
impl IndexLimits {
    /// Every root gets an index.
    pub(super) const NONE: Self = Self { min_rows: 0, steps_per_lookup: 0 };
}

/// The largest number of groups of an index.
const MAX_GROUPS: usize = 64;
/// The largest number of key questions of an index.
const MAX_KEYS: usize = 24;

impl RootIndexes {
    /// The indexes of the roots for which they pay; `None` if there is none.
    pub(super) fn new(
        program: &Program,
        is_dropped: impl Fn(PatternId) -> bool,
        limits: IndexLimits,
    ) -> Option<Self> {
        if program.items.rows.len() < limits.min_rows {
            return None;
        }
        let item = |item: crate::bytecode::ItemRef<'_>| Subpattern {
            name: item.name,
            tests: item.tests().collect(),
            operands: item.operands().map(|(operand, item)| (operand, item as usize)).collect(),
        };
        let subpatterns: Vec<Subpattern> = program.items.items().map(item).collect();
        let mut named: HashMap<OpNumber, Vec<RowNumber>, FxBuildHasher> = HashMap::default();
        let mut any = Vec::new();
        for (number, row) in program.items.rows.iter().enumerate().filter(|(_, row)| !is_dropped(row.pattern))
        {
            match subpatterns.get(row.item as usize)?.name {
                Some(name) => named.entry(name).or_default().push(number),
                None => any.push(number),
            }
        }
        let mut longest = None;
        let mut roots = HashMap::default();
        for &(name, code) in &program.entries {
            let Some(rows) = named.get(&name).filter(|rows| rows.len() + any.len() >= limits.min_rows) else {
                continue;
            };
            let mut rows: Vec<RowNumber> = rows.iter().chain(&any).copied().collect();
            rows.sort_unstable();
            let index = RootIndex::new(program, &subpatterns, code, &rows);
            let longest = longest.get_or_insert_with(|| longest_runs(&program.code));
            let lookups = (index.keys.len() + index.groups.len()) as u64;
            if longest.get(code.index()).is_some_and(|&steps| steps > limits.steps_per_lookup * lookups) {
                roots.insert(name, index);
            }
        }
        (!roots.is_empty()).then_some(Self { roots, subpatterns })
    }

    /// The index of a root with this name.
    pub(super) fn of(&self, name: OpNumber) -> Option<&RootIndex> {
        self.roots.get(&name)
    }

    /// The names of the roots that have an index.
    pub(super) fn names(&self) -> impl Iterator<Item = OpNumber> {
        self.roots.keys().copied()
    }

    pub(super) fn subpattern(&self, index: usize) -> &Subpattern {
        &self.subpatterns[index]
    }
}

impl RootIndex {
    fn new(program: &Program, subpatterns: &[Subpattern], code: Address, rows: &[RowNumber]) -> Self {
        let item = |number: RowNumber| &subpatterns[program.items.rows[number].item as usize];
        let (common, keys) = key_questions(program, rows.iter().map(|&number| item(number)));
        let mut found: HashMap<Box<[usize]>, RowsByAnswers, FxBuildHasher> = HashMap::default();
        for &number in rows {
            let tests = &item(number).tests;
            let asked = keys.iter().enumerate().filter_map(|(key, question)| {
                tests.iter().find(|test| test.0 == *question).map(|test| (key, test.1))
            });
            let (keys, answers): (Vec<usize>, Vec<Answer>) = asked.unzip();
            found.entry(keys.into()).or_default().entry(answers.into()).or_default().push(number);
        }
        let mut index = Self { code, common, keys, groups: Vec::new(), rows: Vec::with_capacity(rows.len()) };
        for (keys, entries) in found {
            let first = entries.values().map(|numbers| numbers[0]).min().expect("a group has rows");
            let mut group = Group { first, keys, entries: HashTable::new(), answers: Vec::new() };
            for (answers, numbers) in entries {
                let start = index.rows.len();
                index.rows.extend(numbers.iter().map(|&number| {
                    let row = &program.items.rows[number];
                    let Subpattern { tests, operands, .. } = item(number);
                    // A rule that requires two answers to one question keeps the test for the second.
                    let is_first = |test: &(QuestionId, Answer)| {
                        tests.iter().find(|first| first.0 == test.0) == Some(test)
                    };
                    let is_key = |test: &(QuestionId, Answer)| {
                        index.common.contains(test) || index.keys.contains(&test.0) && is_first(test)
                    };
                    IndexedRow {
                        number,
                        pattern: row.pattern,
                        tests: tests.iter().copied().filter(|test| !is_key(test)).collect(),
                        operands: operands.clone(),
                        residual: row.residual,
                    }
                }));
                group.insert(&answers, start..index.rows.len());
            }
            index.groups.push(group);
        }
        index.groups.sort_unstable_by_key(|group| group.first);
        index
    }
}

/// The tests that all rows have, and the questions that most other tests ask, without those that make more groups than
/// the limit.
fn key_questions<'s>(
    program: &Program,
    rows: impl Iterator<Item = &'s Subpattern> + Clone,
) -> (Vec<(QuestionId, Answer)>, Vec<QuestionId>) {
    let first = rows.clone().next().map_or(&[][..], |row| &row.tests);
    let is_common = |test: &(QuestionId, Answer)| rows.clone().all(|row| row.tests.contains(test));
    let common: Vec<(QuestionId, Answer)> = first.iter().copied().filter(is_common).collect();
    let mut askers: HashMap<QuestionId, usize, FxBuildHasher> = HashMap::default();
    for test in rows.clone().flat_map(|row| row.tests.iter()).filter(|test| !common.contains(test)) {
        *askers.entry(test.0).or_default() += 1;
    }
    let has_one_value = |question| {
        let question = program.predicates[question];
        // NOTE: a name has no number that a question about another operation could be looked up by.
        question.is_boolean() || matches!(question, Question::Constant(_) | Question::Count { .. })
    };
    let mut questions: Vec<QuestionId> =
        askers.keys().copied().filter(|&question| has_one_value(question)).collect();
    questions.sort_unstable_by_key(|&question| {
        (program.predicates[question].is_boolean(), std::cmp::Reverse(askers[&question]), question)
    });
    let mut keys = Vec::new();
    for question in questions.into_iter().take(MAX_KEYS) {
        keys.push(question);
        let signatures = rows.clone().map(|row| {
            let asks = |key: &QuestionId| row.tests.iter().any(|test| test.0 == *key);
            keys.iter().enumerate().fold(0u32, |bits, (bit, key)| bits | u32::from(asks(key)) << bit)
        });
        if signatures.collect::<HashSet<u32, FxBuildHasher>>().len() > MAX_GROUPS {
            keys.pop();
        }
    }
    (common, keys)
}

/// The largest number of match instructions that can run from each address until matching fails.
fn longest_runs(code: &[u32]) -> Vec<u64> {
    let mut longest = vec![0u64; code.len()];
    let mut starts = Vec::new();
    let mut at = Address::FAIL;
    while let Some(instruction) = decode(code, at) {
        starts.push(at);
        at = instruction.end;
    }
    // Match code jumps forward only.
    for &at in starts.iter().rev() {
        let Some(instruction) = decode(code, at) else { continue };
        let run = |to: Address| longest.get(to.index()).copied().unwrap_or(0);
        let operands = instruction.operands().filter(|((_, kind), _)| *kind == OperandKind::Target);
        let targets = operands.map(|(_, to)| Address::from_raw(to)).chain(instruction.tail_targets());
        let target = targets.map(run).max().unwrap_or(0);
        let next = if instruction.layout.flow == Flow::Next { run(instruction.end) } else { 0 };
        let after = match instruction.layout.opcode {
            Opcode::Try => target.saturating_add(next),
            _ => target.max(next),
        };
        longest[at.index()] = after.saturating_add(1);
    }
    longest
}

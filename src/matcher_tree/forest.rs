//! Decomposes rows into subpatterns, one for each operation, for matching from the operands up.
//!
//! Specification: the tests of a row hold at an operation exactly if the row's root subpattern and its residual tests
//! hold there. A subpattern holds at an operation exactly if the operation has the name that the subpattern requires,
//! the tests of the subpattern hold with the operation in the place of the root, and the subpatterns of the operands
//! hold at the operations that define these operands.
//!
//! Equal subpatterns have one id, whichever rows they come from. The id of a subpattern is larger than the ids of the
//! subpatterns of its operands. A test is residual if no subpattern can contain it: for example, if the test reads
//! several operations, if the test reads an operation that defines a value of a range, or if the subpattern already has
//! [`Subpattern::MAX_PARTS`] tests and operands.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::intern::StrId;

use super::position::{Position, PositionId, Positions};
use super::predicate::{Answer, Predicates, Question, QuestionId};
use super::row::{Row, RowId, Test};

define_ids! {
    /// A subpattern of a [`PatternForest`].
    pub(crate) struct SubpatternId;
}

/// The requirements of a row on one operation and on the operations that define its operands, at most
/// [`Self::MAX_PARTS`] together. Further tests of the row are residual.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Subpattern {
    /// The operation's name; `None` for any name.
    pub name: Option<StrId>,
    /// The tests of the operation. The root of their positions is the operation.
    pub tests: Vec<(QuestionId, Answer)>,
    /// The subpatterns of the operations that define operands, in ascending order of the operands.
    pub operands: Vec<(u32, SubpatternId)>,
}

impl Subpattern {
    /// The largest number of tests and operands together. The automaton represents each of them by a bit of a 64-bit
    /// word.
    pub(crate) const MAX_PARTS: usize = 64;
}

/// A row in terms of subpatterns.
#[derive(Clone, Debug)]
pub(crate) struct ForestRow {
    /// The subpattern of the root.
    pub root: SubpatternId,
    /// The tests that no subpattern contains.
    pub residual: Vec<Test>,
}

/// All rows of a tree in terms of subpatterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatternForest {
    /// The subpatterns, each once.
    pub subpatterns: IdVec<SubpatternId, Subpattern>,
    /// The rows in application order.
    pub rows: IdVec<RowId, ForestRow>,
}

/// Decomposes rows. Questions about operations below the root become questions about the root, which are added to the
/// tables.
pub(crate) fn decompose(
    rows: &IdVec<RowId, Row>,
    positions: &mut Positions,
    predicates: &mut Predicates,
) -> PatternForest {
    let mut forest = PatternForest::default();
    let mut ids = HashMap::default();
    for row in rows.iter() {
        let row = decompose_row(row, positions, predicates, &mut forest.subpatterns, &mut ids);
        forest.rows.push(row);
    }
    forest
}

/// An operation that is reached from the root through operands.
struct Reached {
    op: PositionId,
    /// The user's index in the list of reached operations, and the index of the operand; `None` for the root.
    user: Option<(usize, u32)>,
    subpattern: Subpattern,
    /// The number of tests of the subpattern plus the number of operands whose defining operations are reached.
    parts: usize,
}

impl Reached {
    fn new(op: PositionId, user: Option<(usize, u32)>, name: Option<StrId>) -> Self {
        Self { op, user, subpattern: Subpattern { name, ..Subpattern::default() }, parts: 0 }
    }

    fn has_room(&self) -> bool {
        self.parts < Subpattern::MAX_PARTS
    }
}

fn decompose_row(
    row: &Row,
    positions: &mut Positions,
    predicates: &mut Predicates,
    subpatterns: &mut IdVec<SubpatternId, Subpattern>,
    ids: &mut HashMap<Subpattern, SubpatternId, FxBuildHasher>,
) -> ForestRow {
    let mut reached = vec![Reached::new(positions.root(), None, row.root)];
    let mut residual = Vec::new();
    for test in &row.tests {
        let question = predicates[test.question];
        let contained = match question {
            Question::Name(op) => {
                let name = StrId::from_raw(test.answer.0);
                reach(&mut reached, op, positions)
                    .is_some_and(|at| *at.subpattern.name.get_or_insert(name) == name)
            }
            Question::Present(op) if positions.kind(op) == Kind::Op && test.answer == Answer::YES => {
                reach(&mut reached, op, positions).is_some()
            }
            _ => operation_of(question, positions)
                .and_then(|op| reached.iter_mut().find(|at| at.op == op))
                .and_then(|at| Some((rebase_question(question, at.op, positions)?, at)))
                .filter(|(_, at)| at.has_room())
                .map(|(question, at)| {
                    at.parts += 1;
                    at.subpattern.tests.push((predicates.intern(question), test.answer));
                })
                .is_some(),
        };
        if !contained {
            residual.push(*test);
        }
    }
    // Each operation comes after its user in `reached`.
    loop {
        let Reached { user, mut subpattern, .. } = reached.pop().expect("the root is the last");
        subpattern.tests.sort_unstable_by_key(|&(question, answer)| (question, answer));
        subpattern.tests.dedup();
        subpattern.operands.sort_unstable();
        let id = *ids.entry(subpattern).or_insert_with_key(|new| subpatterns.push(new.clone()));
        match user {
            Some((user, operand)) => reached[user].subpattern.operands.push((operand, id)),
            None => return ForestRow { root: id, residual },
        }
    }
}

/// Finds an operation, or adds it if it defines an operand of an operation that is reached.
fn reach<'a>(
    reached: &'a mut Vec<Reached>,
    op: PositionId,
    positions: &Positions,
) -> Option<&'a mut Reached> {
    let at = match reached.iter().position(|at| at.op == op) {
        Some(at) => at,
        None => {
            let Position::DefiningOp(value) = positions[op] else { return None };
            let Position::Operand { op: user, index } = positions[value] else { return None };
            let user = reached.iter().position(|at| at.op == user && at.has_room())?;
            reached[user].parts += 1;
            reached.push(Reached::new(op, Some((user, index)), None));
            reached.len() - 1
        }
    };
    reached.get_mut(at)
}

/// The operation whose properties a question reads; `None` if it reads no operation or several.
fn operation_of(question: Question, positions: &Positions) -> Option<PositionId> {
    let mut ops = question.positions().map(|mut position| {
        while positions.kind(position) != Kind::Op {
            position = positions.parent(position)?;
        }
        Some(position)
    });
    let first = ops.next()??;
    ops.all(|other| other == Some(first)).then_some(first)
}

/// Rewrites a question about `base` as a question about the root.
fn rebase_question(question: Question, base: PositionId, positions: &mut Positions) -> Option<Question> {
    let mut at = |position| rebase(position, base, positions);
    Some(match question {
        Question::Name(p) => Question::Name(at(p)?),
        Question::Present(p) => Question::Present(at(p)?),
        Question::Count { op, side } => Question::Count { op: at(op)?, side },
        Question::Fits { op, side, split } => Question::Fits { op: at(op)?, side, split },
        Question::Constant(p) => Question::Constant(at(p)?),
        Question::Is(p, constant) => Question::Is(at(p)?, constant),
        Question::Are(p, list) => Question::Are(at(p)?, list),
        Question::Same(a, b) => {
            let (a, b) = (at(a)?, at(b)?);
            Question::Same(a.min(b), a.max(b))
        }
        Question::Holds(snippet, p) => Question::Holds(snippet, at(p)?),
    })
}

/// Rewrites a path from `base` as a path from the root.
fn rebase(position: PositionId, base: PositionId, positions: &mut Positions) -> Option<PositionId> {
    let mut path = Vec::new();
    let mut next = position;
    while next != base {
        path.push(positions[next]);
        next = positions.parent(next)?;
    }
    let mut at = positions.root();
    while let Some(step) = path.pop() {
        at = positions.intern(match step {
            Position::DefiningOp(_) => Position::DefiningOp(at),
            Position::Operand { index, .. } => Position::Operand { op: at, index },
            Position::Result { index, .. } => Position::Result { op: at, index },
            Position::Slice { side, split, group, .. } => Position::Slice { op: at, side, split, group },
            Position::Element { index, .. } => Position::Element { range: at, index },
            Position::Attribute { name, storage, default, .. } => {
                Position::Attribute { op: at, name, storage, default }
            }
            Position::TypeOf(_) => Position::TypeOf(at),
            Position::AttrType(_) => Position::AttrType(at),
            Position::Root
            | Position::User { .. }
            | Position::Either { .. }
            | Position::CallResult { .. }
            | Position::Constant(_)
            | Position::Constants(_) => return None,
        })?;
    }
    Some(at)
}

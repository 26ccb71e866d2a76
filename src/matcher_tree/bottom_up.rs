//! Rows as trees of operations, to be found from the operands up.
//!
//! Specification: a row's tests hold at an operation iff its item holds there and so do its residual
//! tests; an item holds at an operation iff the name is right, its tests hold with the operation in
//! the place of the root, and the items of its operands hold at the operations that define these.
//!
//! Equal items have one id, whichever rows they come from, and items come after those of their
//! operands. What an item cannot say is residual: what compares operations with each other, and what
//! is found through a range of values.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::intern::StrId;

use super::build::RowId;
use super::lower::{Row, Test, question_positions};
use super::position::{Position, PositionId, Positions};
use super::predicate::{Answer, Predicates, Question, QuestionId};

define_ids! {
    /// An item of a [`BottomUp`].
    pub struct ItemId;
}

/// What a row asks of one operation, and of those that define its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// The operation's name; `None`: any.
    pub name: Option<StrId>,
    /// What is asked of the operation, as if it were the root.
    pub tests: Vec<(QuestionId, Answer)>,
    /// What holds at the operation that defines an operand; ascending.
    pub operands: Vec<(u32, ItemId)>,
}

/// A row, taken apart.
#[derive(Clone, Debug)]
pub struct BottomUpRow {
    /// What its root must be.
    pub item: ItemId,
    /// The tests that the item does not say.
    pub residual: Vec<Test>,
}

/// All rows of a tree, taken apart.
#[derive(Clone, Debug, Default)]
pub struct BottomUp {
    /// The items, each once.
    pub items: IdVec<ItemId, Item>,
    /// The rows in their order.
    pub rows: IdVec<RowId, BottomUpRow>,
}

/// Takes rows apart. Questions about operations below the root become questions about the root, which
/// are added to the tables.
pub fn bottom_up(
    rows: &IdVec<RowId, Row>,
    positions: &mut Positions,
    predicates: &mut Predicates,
) -> BottomUp {
    let mut result = BottomUp::default();
    let mut ids = HashMap::default();
    for row in rows.iter() {
        let taken = take_apart(row, positions, predicates, &mut result.items, &mut ids);
        result.rows.push(taken);
    }
    result
}

/// An operation on the way from a root down through operands.
struct Place {
    op: PositionId,
    /// The place that uses it, and as which operand.
    user: Option<(usize, u32)>,
    item: Item,
}

fn take_apart(
    row: &Row,
    positions: &mut Positions,
    predicates: &mut Predicates,
    items: &mut IdVec<ItemId, Item>,
    ids: &mut HashMap<Item, ItemId, FxBuildHasher>,
) -> BottomUpRow {
    let item = |name| Item { name, tests: Vec::new(), operands: Vec::new() };
    let mut places = Vec::new();
    let root = positions.intern(Position::Root);
    places.extend(root.map(|op| Place { op, user: None, item: item(row.root) }));
    let mut residual = Vec::new();
    for test in &row.tests {
        let asked = predicates[test.question];
        let placed = match asked {
            Question::Name(op) => {
                let name = StrId::from_raw(test.answer.0);
                reach(&mut places, op, positions).is_some_and(|place| {
                    let unnamed = place.item.name.is_none() && place.user.is_some();
                    place.item.name.get_or_insert(name);
                    unnamed || place.item.name == Some(name)
                })
            }
            Question::Present(op) if positions.kind(op) == Kind::Op && test.answer == Answer::YES => {
                reach(&mut places, op, positions).is_some()
            }
            _ => home(asked, positions)
                .and_then(|op| places.iter_mut().find(|p| p.op == op))
                .and_then(|place| Some((rebase_question(asked, place.op, positions)?, place)))
                .map(|(question, place)| {
                    place.item.tests.push((predicates.intern(question), test.answer));
                })
                .is_some(),
        };
        if !placed {
            residual.push(*test);
        }
    }
    // A place comes after the one that uses it.
    let mut last = ItemId::from_raw(0);
    while let Some(Place { user, mut item, .. }) = places.pop() {
        item.tests.sort_unstable_by_key(|&(question, answer)| (question, answer));
        item.tests.dedup();
        item.operands.sort_unstable();
        last = *ids.entry(item).or_insert_with_key(|item| items.push(item.clone()));
        if let Some((user, operand)) = user {
            places[user].item.operands.push((operand, last));
        }
    }
    BottomUpRow { item: last, residual }
}

/// The place of an operation; a new one if it defines an operand of one that has a place.
fn reach<'a>(places: &'a mut Vec<Place>, op: PositionId, positions: &Positions) -> Option<&'a mut Place> {
    let at = match places.iter().position(|p| p.op == op) {
        Some(at) => at,
        None => {
            let Position::DefiningOp(value) = positions[op] else { return None };
            let Position::Operand { op: user, index } = positions[value] else { return None };
            let user = places.iter().position(|p| p.op == user)?;
            let item = Item { name: None, tests: Vec::new(), operands: Vec::new() };
            places.push(Place { op, user: Some((user, index)), item });
            places.len() - 1
        }
    };
    places.get_mut(at)
}

/// The one operation that a question is about, together with what it has of its own.
fn home(question: Question, positions: &Positions) -> Option<PositionId> {
    let mut homes = question_positions(&question).into_iter().flatten().map(|mut position| {
        while positions.kind(position) != Kind::Op {
            position = positions.parent(position)?;
        }
        Some(position)
    });
    let first = homes.next()??;
    homes.all(|other| other == Some(first)).then_some(first)
}

/// A question about `home` as one about the root.
fn rebase_question(question: Question, home: PositionId, positions: &mut Positions) -> Option<Question> {
    let mut at = |position| rebase(position, home, positions);
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

fn rebase(position: PositionId, home: PositionId, positions: &mut Positions) -> Option<PositionId> {
    let mut path = Vec::new();
    let mut next = position;
    while next != home {
        path.push(positions[next]);
        next = positions.parent(next)?;
    }
    let mut at = positions.intern(Position::Root)?;
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

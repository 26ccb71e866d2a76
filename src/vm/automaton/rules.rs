//! What the automaton is made of: a program's items, as requirements on one operation.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::{Address, Program};
use crate::host::AttrNameId;
use crate::id::Id;
use crate::matcher_tree::{Position, PositionId, Positions, Question, QuestionId, Side, SplitId};
use crate::pdl::{GroupSplit, PatternId};

/// What is asked of an operation to get from one node to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ask {
    /// How many operands and results it has. Always first.
    Counts,
    /// What holds at the operation that defines an operand.
    Operand(u32),
    /// Which plain constant an attribute is that needs no more than a look.
    Attr(AttrNameId),
    /// Which plain constant the type of an operand or result is.
    TypeOf(Side, u32),
    /// Whether two operands are the same value.
    SameOperands(u32, u32),
    /// Which plain constant an attribute or type is.
    Constant(PositionId),
    /// Whether something is so.
    Holds(QuestionId),
}

/// What an item says of the counts.
#[derive(Clone, Copy, Debug)]
enum CountTest {
    Is(Side, u32),
    Fits(Side, SplitId, bool),
}

/// One thing that an item requires: an answer to a question, or an item at an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Index of the [`Ask`].
    pub(super) ask: u32,
    pub(super) wanted: u32,
}

#[derive(Debug, Default)]
pub(super) struct Item {
    counts: Vec<CountTest>,
    /// At most 64.
    pub(super) parts: Vec<Part>,
    /// The rows that it is the root of, ascending.
    pub(super) rows: Vec<u32>,
    /// Whether it is wanted at an operand of another one.
    pub(super) wanted: bool,
}

/// A rule as the automaton gives it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) pattern: PatternId,
    pub(super) tail: Option<Address>,
}

#[derive(Debug)]
pub(super) struct Rules {
    /// In the order in which they are asked.
    pub(super) asks: Vec<Ask>,
    pub(super) items: Vec<Item>,
    pub(super) rows: Vec<Row>,
    /// The items that may hold at an operation, ascending, by the program's number of its name.
    starts: Vec<Vec<u32>>,
    /// Those that may hold at every operation.
    any: Vec<u32>,
}

impl Rules {
    /// `dropped` says of a rule whether it is left out.
    pub(super) fn new(
        program: &Program,
        attr_name: impl Fn(PositionId) -> Option<AttrNameId>,
        dropped: impl Fn(PatternId) -> bool,
    ) -> Self {
        let encoded = &program.items;
        let asks = asks(program, attr_name);
        let mut operands: HashMap<u32, u32, FxBuildHasher> = HashMap::default();
        let mut questions: HashMap<QuestionId, u32, FxBuildHasher> = HashMap::default();
        for (number, &(ask, question)) in (0u32..).zip(&asks) {
            if let Ask::Operand(operand) = ask {
                operands.insert(operand, number);
            }
            questions.extend(question.map(|question| (question, number)));
        }
        let mut items: Vec<Item> = Vec::new();
        let mut starts = vec![Vec::new(); program.op_names.len()];
        let mut any = Vec::new();
        for (number, item) in (0u32..).zip(encoded.items()) {
            let mut counts = Vec::new();
            let mut parts = Vec::new();
            for (question, answer) in item.tests() {
                match program.predicates[question] {
                    Question::Count { side, .. } => counts.push(CountTest::Is(side, answer.0)),
                    Question::Fits { side, split, .. } if by_count(&program.positions, split) => {
                        counts.push(CountTest::Fits(side, split, answer.0 == 1));
                    }
                    _ => parts.push(Part { ask: questions[&question], wanted: answer.0 }),
                }
            }
            for (operand, wanted) in item.operands() {
                parts.push(Part { ask: operands[&operand], wanted });
                items[wanted as usize].wanted = true;
            }
            items.push(Item { counts, parts, rows: Vec::new(), wanted: false });
            match item.name {
                Some(name) => starts[name.index()].push(number),
                None => any.push(number),
            }
        }
        let mut rows = Vec::with_capacity(encoded.rows.len());
        for (number, row) in (0u32..).zip(&encoded.rows) {
            if !dropped(row.pattern) {
                items[row.item as usize].rows.push(number);
            }
            rows.push(Row { pattern: row.pattern, tail: row.residual });
        }
        Self { asks: asks.into_iter().map(|a| a.0).collect(), items, rows, starts, any }
    }

    /// How many names there are that items have; this number stands for all others.
    pub(super) fn names(&self) -> usize {
        self.starts.len()
    }

    /// Whether no item holds at operations of this name.
    pub(super) fn is_idle(&self, name: usize) -> bool {
        self.any.is_empty() && self.starts.get(name).is_none_or(Vec::is_empty)
    }

    /// The items that may hold at an operation of this name and these counts, ascending.
    pub(super) fn start(&self, positions: &Positions, name: usize, operands: u32, results: u32) -> Vec<u32> {
        let named = self.starts.get(name).map_or(&[][..], Vec::as_slice);
        let all = named.iter().chain(&self.any).copied();
        let mut fitting: Vec<u32> =
            all.filter(|&item| self.counts_fit(item, positions, operands, results)).collect();
        fitting.sort_unstable();
        fitting
    }

    /// Whether what an item says of the counts is so.
    fn counts_fit(&self, item: u32, positions: &Positions, operands: u32, results: u32) -> bool {
        let count = |side| if side == Side::Operands { operands } else { results };
        self.items[item as usize].counts.iter().all(|test| match *test {
            CountTest::Is(side, wanted) => count(side) == wanted,
            CountTest::Fits(side, split, wanted) => {
                let split = positions.split(split);
                let fits = match &split.groups[..] {
                    [] => count(side) == 0,
                    _ => split.fits(count(side)) == Some(true),
                };
                fits == wanted
            }
        })
    }
}

/// Whether counts alone say that a list divides so.
fn by_count(positions: &Positions, split: SplitId) -> bool {
    let split = positions.split(split);
    split.groups.is_empty() || !matches!(split.rule, GroupSplit::Attribute(_))
}

/// Everything that items ask, each once, cheapest first; and the question it is, if it is one.
fn asks(
    program: &Program,
    attr_name: impl Fn(PositionId) -> Option<AttrNameId>,
) -> Vec<(Ask, Option<QuestionId>)> {
    let mut operands = Vec::new();
    let mut questions = Vec::new();
    for item in program.items.items() {
        operands.extend(item.operands().map(|o| o.0));
        questions.extend(item.tests().map(|t| t.0));
    }
    operands.sort_unstable();
    operands.dedup();
    questions.sort_unstable_by_key(|&q| (program.predicates[q].cost(&program.positions), q));
    questions.dedup();
    let asked = questions.into_iter().filter_map(|id| match program.predicates[id] {
        Question::Count { .. } => None,
        Question::Fits { split, .. } if by_count(&program.positions, split) => None,
        Question::Constant(position) => {
            let ask = match program.positions[position] {
                Position::Attribute { storage: None, default: None, .. } => {
                    attr_name(position).map(Ask::Attr)
                }
                Position::TypeOf(value) => {
                    of_root(program, value).map(|(side, index)| Ask::TypeOf(side, index))
                }
                _ => None,
            };
            Some((ask.unwrap_or(Ask::Constant(position)), Some(id)))
        }
        Question::Same(a, b) => match (of_root(program, a), of_root(program, b)) {
            (Some((Side::Operands, a)), Some((Side::Operands, b))) => {
                Some((Ask::SameOperands(a, b), Some(id)))
            }
            _ => Some((Ask::Holds(id), Some(id))),
        },
        _ => Some((Ask::Holds(id), Some(id))),
    });
    let operands = operands.into_iter().map(|operand| (Ask::Operand(operand), None));
    std::iter::once((Ask::Counts, None)).chain(operands).chain(asked).collect()
}

/// The operand or result of the root that is at a position.
fn of_root(program: &Program, position: PositionId) -> Option<(Side, u32)> {
    let (op, side, index) = match program.positions[position] {
        Position::Operand { op, index } => (op, Side::Operands, index),
        Position::Result { op, index } => (op, Side::Results, index),
        _ => return None,
    };
    (program.positions[op] == Position::Root).then_some((side, index))
}

//! The subpatterns of a program, as requirements on properties of one operation.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::ids::{AttrClassesId, PropertyId, PropertyValue, RuleRowId, next_id};
use crate::bytecode::{Address, OpNumber, Program};
use crate::host::AttrNameId;
use crate::id::{Id, IdVec};
use crate::matcher_tree::{
    Answer, ConstantId, Position, PositionId, Positions, Question, QuestionId, Side, SplitId, SubpatternId,
};
use crate::pdl::{GroupSplit, PatternId};
use crate::snippet::SnippetId;

/// A property of an operation that subpatterns test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Property {
    /// The subpatterns that hold at the operation that defines an operand.
    DefiningOp(u32),
    /// The plain constant that an attribute equals. Reading it is cheap.
    Attr(AttrNameId),
    /// True if an attribute is present and satisfies a predicate on its class.
    AttrHolds(AttrNameId, SnippetId),
    /// The plain constant that the type of an operand or result equals.
    TypeOf(Side, u32),
    /// The answer of a predicate on the type of an operand or result.
    TypeHolds(Side, u32, SnippetId),
    /// True if two operands are the same value.
    SameOperands(u32, u32),
    /// The plain constant that the attribute or type at a position equals.
    Constant(PositionId),
    /// The answer to a yes-or-no question.
    Holds(QuestionId),
}

/// A test of the numbers of operands and results.
#[derive(Clone, Copy, Debug)]
enum CountTest {
    Is(Side, u32),
    /// More values than this number, or at most this number if the flag is false.
    Exceeds(Side, u32, bool),
    Fits(Side, SplitId, bool),
}

/// A property and the value that a subpattern requires of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requirement {
    pub(super) property: PropertyId,
    pub(super) value: PropertyValue,
}

/// The requirements of one subpattern.
#[derive(Debug, Default)]
pub(super) struct SubpatternRules {
    counts: Vec<CountTest>,
    /// At most 64.
    pub(super) requirements: Vec<Requirement>,
    /// The rows that have this root subpattern, ascending.
    pub(super) rows: Vec<RuleRowId>,
    /// True if another subpattern requires this subpattern at an operand.
    pub(super) is_inner: bool,
}

/// A rule, with the tests that its root subpattern does not express.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleRow {
    pub(super) pattern: PatternId,
    pub(super) residual: Residual,
}

/// The tests and guards of a rule that its root subpattern does not express.
#[derive(Clone, Copy, Debug)]
pub(super) enum Residual {
    /// No tests remain.
    Nothing,
    /// The code at this address.
    Code(Address),
    /// The tree, because the row stands for all rules that start at the operation.
    Tree,
}

/// The rules of a program in the form from which tables are computed.
#[derive(Debug)]
pub(super) struct Rules {
    /// The cheapest first.
    pub(super) properties: IdVec<PropertyId, Property>,
    pub(super) subpatterns: IdVec<SubpatternId, SubpatternRules>,
    pub(super) rows: IdVec<RuleRowId, RuleRow>,
    attr_classes: AttrClasses,
    /// For each operation name of the program, the subpatterns for operations of this name, ascending.
    by_name: Vec<Vec<SubpatternId>>,
    /// The subpatterns that may hold at operations of any name, ascending.
    any: Vec<SubpatternId>,
}

impl Rules {
    /// The rules of a program, except those for which `dropped` is true.
    pub(super) fn new(
        program: &Program,
        attr_name: impl Fn(PositionId) -> Option<AttrNameId>,
        dropped: impl Fn(PatternId) -> bool,
    ) -> Self {
        let encoded = &program.items;
        let Properties { all: properties, operands, questions } = properties(program, attr_name);
        let mut subpatterns: IdVec<SubpatternId, SubpatternRules> = IdVec::default();
        let mut by_name = vec![Vec::new(); program.op_names.len()];
        let mut any = Vec::new();
        for subpattern in encoded.items() {
            let mut counts = Vec::new();
            let mut requirements = Vec::new();
            for (question, answer) in subpattern.tests() {
                match program.predicates[question] {
                    Question::Count { side, .. } => counts.push(CountTest::Is(side, answer.0)),
                    Question::Fits { side, split, .. } if splits_by_count(&program.positions, split) => {
                        counts.push(CountTest::Fits(side, split, answer == Answer::YES));
                    }
                    Question::Present(value) if let Some((side, index)) = of_root(program, value) => {
                        counts.push(CountTest::Exceeds(side, index, answer == Answer::YES));
                    }
                    asked => {
                        let property = questions[&question];
                        let value = required(properties[property], asked, answer);
                        requirements.push(Requirement { property, value });
                    }
                }
            }
            for (operand, required) in subpattern.operands() {
                let required = SubpatternId::from_raw(required);
                let value = PropertyValue::from_subpattern(required);
                requirements.push(Requirement { property: operands[&operand], value });
                subpatterns[required].is_inner = true;
            }
            let id = subpatterns.push(SubpatternRules { counts, requirements, ..SubpatternRules::default() });
            match subpattern.name {
                Some(name) => by_name[name.index()].push(id),
                None => any.push(id),
            }
        }
        let mut rows = IdVec::default();
        // For names with too many states, the tree finds all rules. One row, before all other rows, stands for the
        // rules of these names.
        let by_tree_names: Vec<usize> =
            (0..by_name.len()).filter(|&name| has_many_states(&subpatterns, &by_name[name])).collect();
        if !by_tree_names.is_empty() {
            let row = rows.push(RuleRow { pattern: PatternId::from_raw(0), residual: Residual::Tree });
            let by_tree = subpatterns.push(SubpatternRules { rows: vec![row], ..SubpatternRules::default() });
            for name in by_tree_names {
                by_name[name].retain(|&id| subpatterns[id].is_inner);
                by_name[name].push(by_tree);
            }
        }
        for row in &encoded.rows {
            let id: RuleRowId = next_id(rows.len());
            if !dropped(row.pattern) {
                subpatterns[SubpatternId::from_raw(row.item)].rows.push(id);
            }
            let residual = row.residual.map_or(Residual::Nothing, Residual::Code);
            rows.push(RuleRow { pattern: row.pattern, residual });
        }
        let attr_classes = AttrClasses::new(&properties);
        Self { properties, subpatterns, rows, attr_classes, by_name, any }
    }

    /// The list of the predicates on the class of an attribute.
    pub(super) fn classes_of(&self, attr: AttrNameId) -> AttrClassesId {
        self.attr_classes.of_attr.get(&attr).copied().unwrap_or(AttrClassesId::NONE)
    }

    /// The predicates of a list.
    pub(super) fn attr_classes(&self, classes: AttrClassesId) -> &[SnippetId] {
        &self.attr_classes.lists[classes]
    }

    /// The index of an operation name. All names that the program does not contain have the last index.
    pub(super) fn name_index(&self, name: OpNumber) -> usize {
        name.index().min(self.by_name.len())
    }

    /// The number of different indices that [`Self::name_index`] returns.
    pub(super) fn name_count(&self) -> usize {
        self.by_name.len() + 1
    }

    /// True if no subpattern can hold at operations of this name.
    pub(super) fn is_idle(&self, name: usize) -> bool {
        self.any.is_empty() && self.by_name.get(name).is_none_or(Vec::is_empty)
    }

    /// The subpatterns that may hold at an operation with this name and these numbers of operands and results,
    /// ascending.
    pub(super) fn start(
        &self,
        positions: &Positions,
        name: usize,
        operands: u32,
        results: u32,
    ) -> Vec<SubpatternId> {
        let named = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let all = named.iter().chain(&self.any).copied();
        let mut fitting: Vec<SubpatternId> =
            all.filter(|&subpattern| self.counts_fit(subpattern, positions, operands, results)).collect();
        fitting.sort_unstable();
        fitting
    }

    /// True if the counts pass all count tests of a subpattern.
    fn counts_fit(
        &self,
        subpattern: SubpatternId,
        positions: &Positions,
        operands: u32,
        results: u32,
    ) -> bool {
        let count = |side| if side == Side::Operands { operands } else { results };
        self.subpatterns[subpattern].counts.iter().all(|test| match *test {
            CountTest::Is(side, required) => count(side) == required,
            CountTest::Exceeds(side, number, required) => (count(side) > number) == required,
            CountTest::Fits(side, split, required) => {
                let split = positions.split(split);
                let fits = match &split.groups[..] {
                    [] => count(side) == 0,
                    _ => split.fits(count(side)) == Some(true),
                };
                fits == required
            }
        })
    }
}

/// The predicates on the class of each attribute. Attributes with equal lists share one list.
#[derive(Debug)]
struct AttrClasses {
    lists: IdVec<AttrClassesId, Vec<SnippetId>>,
    of_attr: HashMap<AttrNameId, AttrClassesId, FxBuildHasher>,
}

impl AttrClasses {
    fn new(properties: &IdVec<PropertyId, Property>) -> Self {
        let classes = properties.iter().filter_map(|property| match *property {
            Property::AttrHolds(name, class) => Some((name, class)),
            _ => None,
        });
        let mut classes: Vec<(AttrNameId, SnippetId)> = classes.collect();
        classes.sort_unstable();
        let mut lists = IdVec::from(vec![Vec::new()]);
        let mut ids: HashMap<Vec<SnippetId>, AttrClassesId, FxBuildHasher> = HashMap::default();
        let of_attr = classes.chunk_by(|a, b| a.0 == b.0).map(|classes| {
            let list: Vec<SnippetId> = classes.iter().map(|class| class.1).collect();
            (classes[0].0, *ids.entry(list).or_insert_with_key(|list| lists.push(list.clone())))
        });
        Self { of_attr: of_attr.collect(), lists }
    }
}

/// The smallest number of root subpatterns of one name that may lead to too many states.
const MIN_SUBPATTERNS: usize = 256;
/// If there are more than this many combinations of values per subpattern, most states occur only once.
const COMBINATIONS: usize = 16;

/// True if the requirements distinguish so many combinations of values at operations of one name that most combinations
/// are likely to occur once. Each operation would then need a new state, and computing a state takes as long as trying
/// all rules. Inner subpatterns do not count, because operations need labels for them in any case.
fn has_many_states(subpatterns: &IdVec<SubpatternId, SubpatternRules>, named: &[SubpatternId]) -> bool {
    let roots = named.iter().filter(|&&id| !subpatterns[id].is_inner);
    if roots.clone().count() < MIN_SUBPATTERNS {
        return false;
    }
    let mut required: Vec<(PropertyId, PropertyValue)> = roots
        .flat_map(|&id| &subpatterns[id].requirements)
        .map(|requirement| (requirement.property, requirement.value))
        .collect();
    required.sort_unstable();
    required.dedup();
    let values = required.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len);
    // A subpattern requires at most two values of one property, so one property alone stays below the limit.
    let combinations = values.fold(1usize, |all, values| all.saturating_mul(values + 1));
    combinations > COMBINATIONS * named.len()
}

/// True if the number of values alone decides whether the values can be divided into the groups.
fn splits_by_count(positions: &Positions, split: SplitId) -> bool {
    let split = positions.split(split);
    split.groups.is_empty() || !matches!(split.rule, GroupSplit::Attribute(_))
}

/// The value that an answer to a question requires of a property.
fn required(property: Property, question: Question, answer: Answer) -> PropertyValue {
    match (question, property) {
        (Question::Constant(_), _) => PropertyValue::from_constant(Some(ConstantId::from_raw(answer.0))),
        (Question::Present(_), Property::Attr(_)) if answer == Answer::YES => PropertyValue::PRESENT,
        (Question::Present(_), Property::Attr(_)) => PropertyValue::ABSENT,
        _ => PropertyValue::from_answer(answer),
    }
}

/// The properties that subpatterns test.
#[derive(Default)]
struct Properties {
    /// The cheapest first.
    all: IdVec<PropertyId, Property>,
    /// The [`Property::DefiningOp`] of each operand.
    operands: HashMap<u32, PropertyId, FxBuildHasher>,
    /// The property that each question is about. Several questions may be about one attribute.
    questions: HashMap<QuestionId, PropertyId, FxBuildHasher>,
}

/// Finds all properties that subpatterns test. Numbers of operands and results are not properties.
fn properties(program: &Program, attr_name: impl Fn(PositionId) -> Option<AttrNameId>) -> Properties {
    let mut operands = Vec::new();
    let mut questions = Vec::new();
    for subpattern in program.items.items() {
        operands.extend(subpattern.operands().map(|o| o.0));
        questions.extend(subpattern.tests().map(|t| t.0));
    }
    operands.sort_unstable();
    operands.dedup();
    questions.sort_unstable_by_key(|&q| (program.predicates[q].cost(&program.positions), q));
    questions.dedup();
    let attr = |position| match program.positions[position] {
        Position::Attribute { storage: None, default: None, .. } => attr_name(position).map(Property::Attr),
        _ => None,
    };
    let attr_of_class = |position| match program.positions[position] {
        Position::Attribute { storage: Some(class), default: None, .. } => {
            attr_name(position).map(|name| Property::AttrHolds(name, class))
        }
        _ => None,
    };
    let mut found = Properties::default();
    for operand in operands {
        let id = found.all.push(Property::DefiningOp(operand));
        found.operands.insert(operand, id);
    }
    let mut attrs: HashMap<AttrNameId, PropertyId, FxBuildHasher> = HashMap::default();
    for question in questions {
        let property = match program.predicates[question] {
            Question::Count { .. } => continue,
            Question::Fits { split, .. } if splits_by_count(&program.positions, split) => continue,
            Question::Present(value) if of_root(program, value).is_some() => continue,
            Question::Present(position) => {
                attr(position).or_else(|| attr_of_class(position)).unwrap_or(Property::Holds(question))
            }
            Question::Constant(position) => match type_of_root(program, position) {
                Some((side, index)) => Property::TypeOf(side, index),
                None => attr(position).unwrap_or(Property::Constant(position)),
            },
            Question::Holds(snippet, position) => match type_of_root(program, position) {
                Some((side, index)) => Property::TypeHolds(side, index, snippet),
                None => Property::Holds(question),
            },
            Question::Same(a, b) => match (of_root(program, a), of_root(program, b)) {
                (Some((Side::Operands, a)), Some((Side::Operands, b))) => Property::SameOperands(a, b),
                _ => Property::Holds(question),
            },
            _ => Property::Holds(question),
        };
        let id = match property {
            Property::Attr(name) => *attrs.entry(name).or_insert_with(|| found.all.push(property)),
            _ => found.all.push(property),
        };
        found.questions.insert(question, id);
    }
    found
}

/// The operand or result of the root whose type is at a position; `None` for other positions.
fn type_of_root(program: &Program, position: PositionId) -> Option<(Side, u32)> {
    let Position::TypeOf(value) = program.positions[position] else { return None };
    of_root(program, value)
}

/// The operand or result of the root that is at a position; `None` for other positions.
fn of_root(program: &Program, position: PositionId) -> Option<(Side, u32)> {
    let (op, side, index) = match program.positions[position] {
        Position::Operand { op, index } => (op, Side::Operands, index),
        Position::Result { op, index } => (op, Side::Results, index),
        _ => return None,
    };
    (program.positions[op] == Position::Root).then_some((side, index))
}

//! Predicates: questions about positions, and calls of constraints.
//!
//! Specification: [`Predicates::intern`] gives equal questions equal ids, so one answer serves all rules.
//!
//! [`Predicates::follows`] alone decides if an answer implies the answer to another question. A host may read constants
//! with different texts as equal. Only constants of [plain form](crate::pdl::is_plain) are taken to differ if their
//! texts differ, so only they become cases of one [`Question::Constant`].

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::pdl::{Arg, Callee};
use crate::snippet::SnippetId;
use crate::source::Span;

use super::position::{CallId, ConstantId, ConstantListId, Position, PositionId, Positions, Side, SplitId};

define_ids! {
    /// A question of a [`Predicates`] table.
    pub struct QuestionId;
}

/// A question about one or two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// The name of an operation. If there is no operation, no test of the name holds.
    Name(PositionId),
    /// True if the entity is not null.
    Present(PositionId),
    /// The number of operands or results of an operation.
    Count {
        /// The operation.
        op: PositionId,
        /// Operands or results.
        side: Side,
    },
    /// True if the operands or results can be divided into groups.
    Fits {
        /// The operation.
        op: PositionId,
        /// Operands or results.
        side: Side,
        /// The division.
        split: SplitId,
    },
    /// The plain constant that an attribute or type equals.
    Constant(PositionId),
    /// True if an attribute or type equals this constant.
    Is(PositionId, ConstantId),
    /// True if a range of types equals this list, type by type.
    Are(PositionId, ConstantListId),
    /// True if two entities are the same.
    Same(PositionId, PositionId),
    /// True if a pure snippet over one type or attribute holds. If its evaluation fails, tests for both answers fail.
    Holds(SnippetId, PositionId),
}

impl Question {
    /// The positions that the question reads.
    pub(crate) fn positions(&self) -> impl Iterator<Item = PositionId> + use<> {
        let (first, second) = match *self {
            Question::Name(p)
            | Question::Present(p)
            | Question::Constant(p)
            | Question::Is(p, _)
            | Question::Are(p, _)
            | Question::Holds(_, p) => (p, None),
            Question::Count { op, .. } | Question::Fits { op, .. } => (op, None),
            Question::Same(a, b) => (a, Some(b)),
        };
        std::iter::once(first).chain(second)
    }

    /// True if yes and no are the only answers to the question.
    pub(crate) fn is_boolean(&self) -> bool {
        match self {
            Question::Present(_)
            | Question::Fits { .. }
            | Question::Is(..)
            | Question::Are(..)
            | Question::Same(..) => true,
            Question::Name(_) | Question::Count { .. } | Question::Constant(_) | Question::Holds(..) => false,
        }
    }

    /// True if the answer is nearly always yes, because operations have the attributes and results of their
    /// definitions.
    pub(crate) fn usually_holds(&self, positions: &Positions) -> bool {
        match *self {
            Question::Present(p) => {
                matches!(positions[p], Position::Attribute { .. } | Position::Result { .. })
            }
            _ => false,
        }
    }

    /// The cost of asking, roughly in loads.
    pub(crate) fn cost(&self, positions: &Positions) -> u32 {
        match *self {
            Question::Count { .. } => 1,
            Question::Name(_) | Question::Present(_) | Question::Fits { .. } => 2,
            Question::Same(..) => 3,
            Question::Constant(p) | Question::Is(p, _) => match positions[p] {
                Position::Attribute { .. } => 3,
                _ => 2,
            },
            Question::Are(..) => 5,
            Question::Holds(..) => 6,
        }
    }
}

/// The answer to a question: the number of a [`StrId`](crate::intern::StrId) or [`ConstantId`], a count, or 1 and 0 for
/// yes and no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Answer(pub u32);

impl Answer {
    /// Yes.
    pub const YES: Answer = Answer(1);
    /// No.
    pub const NO: Answer = Answer(0);
}

/// A distinct call of a constraint. Each rule states whether the constraint must hold or must not hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConstraintCall {
    /// The constraint.
    pub callee: Callee,
    /// The arguments.
    pub args: Vec<Arg<PositionId>>,
    /// The kinds of its results.
    pub results: Vec<Kind>,
    /// True if an argument depends on a choice, so that the answer can differ between the alternatives at one root.
    pub chosen: bool,
}

impl ConstraintCall {
    /// The positions of the arguments.
    pub(super) fn positions(&self) -> impl Iterator<Item = PositionId> {
        self.args.iter().filter_map(|arg| match *arg {
            Arg::Of(position) | Arg::Each(position) => Some(position),
            _ => None,
        })
    }
}

/// The questions and constraint calls of the rules, each once.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    questions: IdVec<QuestionId, Question>,
    /// The family of each question. [`Predicates::follows`] relates only questions of one family.
    families: IdVec<QuestionId, Family>,
    ids: HashMap<Question, QuestionId, FxBuildHasher>,
    calls: IdVec<CallId, ConstraintCall>,
    spans: IdVec<CallId, Span>,
    call_ids: HashMap<ConstraintCall, CallId, FxBuildHasher>,
}

impl Predicates {
    /// Interns a question, and returns its id.
    pub fn intern(&mut self, question: Question) -> QuestionId {
        if let Some(&id) = self.ids.get(&question) {
            return id;
        }
        let id = self.questions.push(question);
        self.families.push(family_of(id, question));
        self.ids.insert(question, id);
        id
    }

    /// Interns a call, and returns its id. The table keeps the place of the first equal call.
    pub fn intern_call(&mut self, call: ConstraintCall, span: Span) -> CallId {
        if let Some(&id) = self.call_ids.get(&call) {
            return id;
        }
        let id = self.calls.push(call.clone());
        self.spans.push(span);
        self.call_ids.insert(call, id);
        id
    }

    /// Creates the tables of a loaded program. Interning does not find their entries.
    pub(super) fn from_tables(
        questions: IdVec<QuestionId, Question>,
        calls: IdVec<CallId, ConstraintCall>,
        spans: IdVec<CallId, Span>,
    ) -> Self {
        let families = questions.iter_enumerated().map(|(id, &question)| family_of(id, question)).collect();
        Self { questions, families, calls, spans, ..Self::default() }
    }

    /// The calls.
    pub fn calls(&self) -> &IdVec<CallId, ConstraintCall> {
        &self.calls
    }

    /// The place where a call was written first.
    pub fn call_span(&self, id: CallId) -> Span {
        self.spans[id]
    }

    /// The questions in id order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (QuestionId, &Question)> {
        self.questions.iter_enumerated()
    }

    /// True if an answer to one question can decide the other.
    pub(super) fn are_related(&self, a: QuestionId, b: QuestionId) -> bool {
        self.families[a] == self.families[b]
    }

    /// The family of a question.
    pub(super) fn family(&self, question: QuestionId) -> Family {
        self.families[question]
    }

    /// True if the `wanted` question has the `wanted` answer, false if it has another answer, and `None` if `known`
    /// does not decide that. `known` states that a question has this answer (`true`), or that the question has another
    /// answer (`false`).
    pub(super) fn follows(
        &self,
        positions: &Positions,
        known: (QuestionId, Answer, bool),
        wanted: (QuestionId, Answer),
    ) -> Option<bool> {
        let (asked, mut answer, mut given) = known;
        if !given && self.questions[asked].is_boolean() {
            (answer, given) = (if answer == Answer::YES { Answer::NO } else { Answer::YES }, true);
        }
        if asked == wanted.0 {
            return match (given, answer == wanted.1) {
                (true, same) => Some(same),
                (false, true) => Some(false),
                (false, false) => None,
            };
        }
        let yes = match self.questions[asked].is_boolean() {
            true => Some(answer == Answer::YES),
            false => given.then_some(true),
        };
        match (self.questions[asked], yes, self.questions[wanted.0]) {
            (
                Question::Name(_) | Question::Constant(_) | Question::Is(..),
                Some(true),
                Question::Present(_),
            ) => Some(wanted.1 == Answer::YES),
            (Question::Present(_), Some(false), Question::Name(_) | Question::Constant(_)) => Some(false),
            (Question::Present(_), Some(false), Question::Is(..)) => Some(wanted.1 == Answer::NO),
            (Question::Count { .. }, Some(true), Question::Fits { split, .. }) => {
                let fits = positions.split(split).fits(answer.0)?;
                Some(fits == (wanted.1 == Answer::YES))
            }
            (Question::Fits { split, .. }, Some(fits), Question::Count { .. }) => {
                let would = positions.split(split).fits(wanted.1.0)?;
                (would != fits).then_some(false)
            }
            _ => None,
        }
    }
}

impl std::ops::Index<QuestionId> for Predicates {
    type Output = Question;
    #[inline]
    fn index(&self, id: QuestionId) -> &Question {
        &self.questions[id]
    }
}

/// A set of related questions: an answer to one can decide others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    /// Questions about the name, the presence or the constant at a position.
    Entity(PositionId),
    /// Questions about the number of operands.
    Operands(PositionId),
    /// Questions about the number of results.
    Results(PositionId),
    /// A question that is related to no other question.
    Alone(QuestionId),
}

fn family_of(id: QuestionId, question: Question) -> Family {
    match question {
        Question::Name(p) | Question::Present(p) | Question::Constant(p) | Question::Is(p, _) => {
            Family::Entity(p)
        }
        Question::Count { op, side } | Question::Fits { op, side, .. } => match side {
            Side::Operands => Family::Operands(op),
            Side::Results => Family::Results(op),
        },
        Question::Are(..) | Question::Same(..) | Question::Holds(..) => Family::Alone(id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher_tree::position::{GroupSize, Split};
    use crate::pdl::GroupSplit;

    /// Questions about the operation that defines an operand of the root, and about an attribute of this operation.
    struct Fixture {
        positions: Positions,
        predicates: Predicates,
        op: PositionId,
        attr: PositionId,
    }

    impl Fixture {
        fn new() -> Self {
            let mut positions = Positions::default();
            let mut intern = |position| positions.intern(position).unwrap();
            let root = intern(Position::Root);
            let operand = intern(Position::Operand { op: root, index: 0 });
            let op = intern(Position::DefiningOp(operand));
            let name = crate::intern::StrId::from_raw(0);
            let attr = intern(Position::Attribute { op, name, storage: None, default: None });
            Self { positions, predicates: Predicates::default(), op, attr }
        }

        fn follows(&mut self, known: (Question, u32, bool), wanted: (Question, u32)) -> Option<bool> {
            let (asked, other) = (self.predicates.intern(known.0), self.predicates.intern(wanted.0));
            let known = (asked, Answer(known.1), known.2);
            self.predicates.follows(&self.positions, known, (other, Answer(wanted.1)))
        }
    }

    #[test]
    fn an_answer_decides_its_own_question() {
        let mut asked = Fixture::new();
        let (name, present) = (Question::Name(asked.op), Question::Present(asked.op));
        // After one name is excluded, another name is open.
        assert_eq!(asked.follows((name, 3, true), (name, 3)), Some(true));
        assert_eq!(asked.follows((name, 3, true), (name, 4)), Some(false));
        assert_eq!(asked.follows((name, 3, false), (name, 3)), Some(false));
        assert_eq!(asked.follows((name, 3, false), (name, 4)), None);
        // Excluding one of yes and no leaves the other.
        for answer in [0, 1] {
            assert_eq!(asked.follows((present, answer, true), (present, answer)), Some(true));
            assert_eq!(asked.follows((present, answer, true), (present, 1 - answer)), Some(false));
            assert_eq!(asked.follows((present, answer, false), (present, answer)), Some(false));
            assert_eq!(asked.follows((present, answer, false), (present, 1 - answer)), Some(true));
        }
    }

    #[test]
    fn equality_with_a_constant_implies_presence() {
        let mut asked = Fixture::new();
        let (op, attr, constant) = (asked.op, asked.attr, ConstantId::from_raw(0));
        let is = Question::Is(attr, constant);
        let presence = Question::Present(attr);
        for equality in [(Question::Constant(attr), 7), (is, 1)] {
            assert_eq!(asked.follows((equality.0, equality.1, true), (presence, 1)), Some(true));
            assert_eq!(asked.follows((equality.0, equality.1, true), (presence, 0)), Some(false));
            // An entity that differs from the constant can be present or absent.
            assert_eq!(asked.follows((equality.0, equality.1, false), (presence, 1)), None);
        }
        assert_eq!(asked.follows((is, 0, true), (presence, 1)), None);
        assert_eq!(asked.follows((Question::Name(op), 2, true), (Question::Present(op), 1)), Some(true));
        // An absent entity equals no constant.
        for known in [(presence, 0, true), (presence, 1, false)] {
            assert_eq!(asked.follows(known, (Question::Constant(attr), 7)), Some(false));
            assert_eq!(asked.follows(known, (is, 1)), Some(false));
            assert_eq!(asked.follows(known, (is, 0)), Some(true));
        }
        assert_eq!(asked.follows((Question::Present(op), 0, true), (Question::Name(op), 2)), Some(false));
        // A present entity can equal any constant.
        for wanted in [(Question::Constant(attr), 7), (is, 1), (is, 0)] {
            assert_eq!(asked.follows((presence, 1, true), wanted), None);
        }
        assert_eq!(asked.follows((is, 1, true), (Question::Constant(attr), 7)), None);
    }

    #[test]
    fn a_count_decides_the_division_of_a_list() {
        let mut asked = Fixture::new();
        let op = asked.op;
        let split =
            |rule| Split { groups: vec![GroupSize::Exactly(2), GroupSize::Any], rule, partial: false };
        let by_count = asked.positions.intern_split(&split(GroupSplit::Rest));
        let name = crate::intern::StrId::from_raw(1);
        let by_attribute = asked.positions.intern_split(&split(GroupSplit::Attribute(name)));
        for side in [Side::Operands, Side::Results] {
            let count = Question::Count { op, side };
            let fits = Question::Fits { op, side, split: by_count };
            for (n, good) in [(1, false), (2, true), (5, true)] {
                assert_eq!(asked.follows((count, n, true), (fits, 1)), Some(good), "{n}");
                assert_eq!(asked.follows((count, n, true), (fits, 0)), Some(!good), "{n}");
                assert_eq!(asked.follows((count, n, false), (fits, 1)), None, "{n}");
                let (fitting, other) = (u32::from(good), u32::from(!good));
                assert_eq!(asked.follows((fits, fitting, true), (count, n)), None, "{n}");
                assert_eq!(asked.follows((fits, other, true), (count, n)), Some(false), "{n}");
                assert_eq!(asked.follows((fits, fitting, false), (count, n)), Some(false), "{n}");
            }
            let fits = Question::Fits { op, side, split: by_attribute };
            assert_eq!(asked.follows((count, 1, true), (fits, 1)), None);
            assert_eq!(asked.follows((fits, 1, true), (count, 1)), None);
        }
    }

    #[test]
    fn questions_about_one_entity_are_related() {
        let Fixture { mut predicates, op, attr, .. } = Fixture::new();
        let mut related = |a, b| {
            let (a, b) = (predicates.intern(a), predicates.intern(b));
            predicates.are_related(a, b)
        };
        let [operands, results] = [Side::Operands, Side::Results].map(|side| Question::Count { op, side });
        let fits = Question::Fits { op, side: Side::Operands, split: SplitId::from_raw(0) };
        assert!(related(Question::Name(op), Question::Present(op)));
        assert!(related(Question::Constant(attr), Question::Is(attr, ConstantId::from_raw(0))));
        assert!(related(operands, fits) && !related(results, fits) && !related(operands, results));
        assert!(!related(Question::Present(op), Question::Present(attr)));
        assert!(!related(Question::Present(op), operands));
        assert!(!related(Question::Same(op, op), Question::Present(op)));
    }

    #[test]
    fn the_positions_of_a_call_are_its_arguments() {
        let Fixture { op, attr, .. } = Fixture::new();
        let callee = Callee::Native(crate::intern::StrId::from_raw(0));
        let args = vec![Arg::Of(op), Arg::Int(1), Arg::Each(attr)];
        let call = ConstraintCall { callee, args, results: vec![], chosen: false };
        assert_eq!(call.positions().collect::<Vec<_>>(), [op, attr]);
    }
}

//! Predicates: a question asked at a position, and the answer a rule wants.
//!
//! Specification: equal questions have equal ids, so that an answer given once is known for all.
//!
//! What one answer says of another question is decided by [`Predicates::follows`] alone. Constants
//! that are written differently may still be the same to a host; only those of [`is_plain`] form
//! are known to differ, and only they become cases of one [`Question::Constant`].

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

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// The name of an operation; null if there is no operation.
    Name(PositionId),
    /// Whether there is something.
    Present(PositionId),
    /// How many operands or results an operation has.
    Count {
        /// The operation.
        op: PositionId,
        /// Operands or results.
        side: Side,
    },
    /// Whether operands or results divide so.
    Fits {
        /// The operation.
        op: PositionId,
        /// Operands or results.
        side: Side,
        /// The groups.
        split: SplitId,
    },
    /// Which of the plain constants an attribute or type is.
    Constant(PositionId),
    /// Whether an attribute or type is this constant.
    Is(PositionId, ConstantId),
    /// Whether types are these, one by one.
    Are(PositionId, ConstantListId),
    /// Whether two things are the same one.
    Same(PositionId, PositionId),
    /// Whether a pure snippet over one type or attribute holds; null if it fails.
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

    /// True if the question has no answer but yes and no.
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

/// What is answered: a [`StrId`](crate::intern::StrId) or [`ConstantId`] by its number, a count, or
/// 1 and 0 for yes and no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Answer(pub u32);

impl Answer {
    /// Yes.
    pub const YES: Answer = Answer(1);
    /// No.
    pub const NO: Answer = Answer(0);
}

/// A distinct call of a constraint: what is called with what. Whether it must hold is the rule's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConstraintCall {
    /// What is called.
    pub callee: Callee,
    /// With what.
    pub args: Vec<Arg<PositionId>>,
    /// The kinds of its results.
    pub results: Vec<Kind>,
    /// Whether an argument depends on a choice, so that the answer is not one for the root.
    pub chosen: bool,
}

impl ConstraintCall {
    /// The positions that it is called with.
    pub(super) fn positions(&self) -> impl Iterator<Item = PositionId> {
        self.args.iter().filter_map(|arg| match *arg {
            Arg::Of(position) | Arg::Each(position) => Some(position),
            _ => None,
        })
    }
}

/// Every question and call of the rules, each once.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    questions: IdVec<QuestionId, Question>,
    /// What [`Predicates::follows`] can relate has equal families.
    families: IdVec<QuestionId, Family>,
    ids: HashMap<Question, QuestionId, FxBuildHasher>,
    calls: IdVec<CallId, ConstraintCall>,
    spans: IdVec<CallId, Span>,
    call_ids: HashMap<ConstraintCall, CallId, FxBuildHasher>,
}

impl Predicates {
    /// The id of a question.
    pub fn intern(&mut self, question: Question) -> QuestionId {
        if let Some(&id) = self.ids.get(&question) {
            return id;
        }
        let id = self.questions.push(question);
        self.families.push(family(id, question));
        self.ids.insert(question, id);
        id
    }

    /// The id of a call; `span` is kept for the first.
    pub fn intern_call(&mut self, call: ConstraintCall, span: Span) -> CallId {
        if let Some(&id) = self.call_ids.get(&call) {
            return id;
        }
        let id = self.calls.push(call.clone());
        self.spans.push(span);
        self.call_ids.insert(call, id);
        id
    }

    /// Questions and calls that were read. They are not looked for.
    pub(super) fn from_tables(
        questions: IdVec<QuestionId, Question>,
        calls: IdVec<CallId, ConstraintCall>,
        spans: IdVec<CallId, Span>,
    ) -> Self {
        let families = questions.iter_enumerated().map(|(id, &question)| family(id, question)).collect();
        Self { questions, families, calls, spans, ..Self::default() }
    }

    /// The calls.
    pub fn calls(&self) -> &IdVec<CallId, ConstraintCall> {
        &self.calls
    }

    /// Where a call was written first.
    pub fn call_span(&self, id: CallId) -> Span {
        self.spans[id]
    }

    /// The questions in id order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (QuestionId, &Question)> {
        self.questions.iter_enumerated()
    }

    /// Whether an answer to one question may say something of the other.
    pub(super) fn are_related(&self, a: QuestionId, b: QuestionId) -> bool {
        self.families[a] == self.families[b]
    }

    /// The questions of which an answer to this one may say something.
    pub(super) fn family(&self, question: QuestionId) -> Family {
        self.families[question]
    }

    /// What `known` (an answer that was given, or with `false` one that was not) says of a wanted
    /// answer to a related question.
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
    fn index(&self, id: QuestionId) -> &Question {
        &self.questions[id]
    }
}

/// Questions that are related: an answer to one may say something of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    /// What is at a position.
    Thing(PositionId),
    /// How many operands an operation has.
    Operands(PositionId),
    /// How many results.
    Results(PositionId),
    /// A question that nothing but its own answers speak of.
    Alone(QuestionId),
}

fn family(id: QuestionId, question: Question) -> Family {
    match question {
        Question::Name(p) | Question::Present(p) | Question::Constant(p) | Question::Is(p, _) => {
            Family::Thing(p)
        }
        Question::Count { op, side } | Question::Fits { op, side, .. } => match side {
            Side::Operands => Family::Operands(op),
            Side::Results => Family::Results(op),
        },
        Question::Are(..) | Question::Same(..) | Question::Holds(..) => Family::Alone(id),
    }
}

/// Whether text is written in the one way MLIR prints a small integer attribute, an identifier-like
/// string or a scalar type: two different texts of these forms are two different things.
pub(crate) fn is_plain(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Attr => match text.split_once(" : ") {
            Some((value, ty)) => {
                let Some(width) = ty.strip_prefix('i').filter(|w| is_number(w)) else {
                    return ty == "index" && is_small(value, 63);
                };
                // A Boolean is also written as a word, and a number with the top bit as a negative one.
                width.parse().is_ok_and(|w: u32| w > 1 && is_small(value, w - 1))
            }
            None => text
                .strip_prefix('"')
                .and_then(|t| t.strip_suffix('"'))
                .is_some_and(|t| t.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')),
        },
        Kind::Type => {
            let width = text.trim_start_matches("si").trim_start_matches("ui").trim_start_matches('i');
            matches!(text, "index" | "none" | "f16" | "bf16" | "f32" | "f64")
                || (is_number(width) && ["i", "si", "ui"].iter().any(|p| text.strip_prefix(p) == Some(width)))
        }
        _ => false,
    }
}

/// Whether text is a decimal number written in the shortest way.
fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 9
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}

fn is_small(value: &str, bits: u32) -> bool {
    is_number(value) && value.parse::<u64>().is_ok_and(|v| bits >= 64 || v < 1 << bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher_tree::position::{GroupSize, Split};
    use crate::pdl::GroupSplit;

    /// What is known of the operation that defines an operand of the root, and of what it has.
    struct Asked {
        positions: Positions,
        predicates: Predicates,
        op: PositionId,
        attr: PositionId,
    }

    impl Asked {
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
    fn an_answer_says_what_it_says_of_its_own_question() {
        let mut asked = Asked::new();
        let (name, present) = (Question::Name(asked.op), Question::Present(asked.op));
        // Of several names, another one is still open where one was not given.
        assert_eq!(asked.follows((name, 3, true), (name, 3)), Some(true));
        assert_eq!(asked.follows((name, 3, true), (name, 4)), Some(false));
        assert_eq!(asked.follows((name, 3, false), (name, 3)), Some(false));
        assert_eq!(asked.follows((name, 3, false), (name, 4)), None);
        // Of yes and no, what was not given leaves the other.
        for answer in [0, 1] {
            assert_eq!(asked.follows((present, answer, true), (present, answer)), Some(true));
            assert_eq!(asked.follows((present, answer, true), (present, 1 - answer)), Some(false));
            assert_eq!(asked.follows((present, answer, false), (present, answer)), Some(false));
            assert_eq!(asked.follows((present, answer, false), (present, 1 - answer)), Some(true));
        }
    }

    #[test]
    fn what_is_something_is_there() {
        let mut asked = Asked::new();
        let (op, attr, constant) = (asked.op, asked.attr, ConstantId::from_raw(0));
        let is = Question::Is(attr, constant);
        let (there, absent) = (Question::Present(attr), Question::Present(attr));
        for something in [(Question::Constant(attr), 7), (is, 1)] {
            assert_eq!(asked.follows((something.0, something.1, true), (there, 1)), Some(true));
            assert_eq!(asked.follows((something.0, something.1, true), (absent, 0)), Some(false));
            // What is not this may be something else, or nothing.
            assert_eq!(asked.follows((something.0, something.1, false), (there, 1)), None);
        }
        assert_eq!(asked.follows((is, 0, true), (there, 1)), None);
        assert_eq!(asked.follows((Question::Name(op), 2, true), (Question::Present(op), 1)), Some(true));
        // What is not there is nothing.
        for known in [(there, 0, true), (there, 1, false)] {
            assert_eq!(asked.follows(known, (Question::Constant(attr), 7)), Some(false));
            assert_eq!(asked.follows(known, (is, 1)), Some(false));
            assert_eq!(asked.follows(known, (is, 0)), Some(true));
        }
        assert_eq!(asked.follows((Question::Present(op), 0, true), (Question::Name(op), 2)), Some(false));
        // What is there may be anything.
        for wanted in [(Question::Constant(attr), 7), (is, 1), (is, 0)] {
            assert_eq!(asked.follows((there, 1, true), wanted), None);
        }
        assert_eq!(asked.follows((is, 1, true), (Question::Constant(attr), 7)), None);
    }

    #[test]
    fn a_count_says_how_a_list_divides() {
        let mut asked = Asked::new();
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
    fn questions_are_related_that_are_about_one_thing() {
        let Asked { mut predicates, op, attr, .. } = Asked::new();
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
    fn a_call_is_with_the_positions_among_its_arguments() {
        let Asked { op, attr, .. } = Asked::new();
        let callee = Callee::Native(crate::intern::StrId::from_raw(0));
        let args = vec![Arg::Of(op), Arg::Int(1), Arg::Each(attr)];
        let call = ConstraintCall { callee, args, results: vec![], chosen: false };
        assert_eq!(call.positions().collect::<Vec<_>>(), [op, attr]);
    }

    /// At each limit, the last text of the plain form and the first that is none.
    #[test]
    fn what_is_plain_is_what_has_one_way_to_be_written() {
        let plain = [
            (Kind::Attr, "0 : i32"),
            (Kind::Attr, "7 : i4"),
            (Kind::Attr, "1 : i2"),
            (Kind::Attr, "99999 : i33"),
            (Kind::Attr, "999999999 : i64"),
            (Kind::Attr, "12 : index"),
            (Kind::Attr, "\"a.B_9\""),
            (Kind::Attr, "\"\""),
            (Kind::Type, "i1"),
            (Kind::Type, "si8"),
            (Kind::Type, "ui16"),
            (Kind::Type, "index"),
            (Kind::Type, "none"),
            (Kind::Type, "bf16"),
            (Kind::Type, "f64"),
        ];
        let other = [
            // The top bit is a sign.
            (Kind::Attr, "8 : i4"),
            (Kind::Attr, "2 : i2"),
            // A Boolean is a word as well.
            (Kind::Attr, "1 : i1"),
            (Kind::Attr, "0 : i0"),
            (Kind::Attr, "-1 : i32"),
            (Kind::Attr, "01 : i32"),
            (Kind::Attr, "0x1 : i32"),
            (Kind::Attr, "1 : i032"),
            (Kind::Attr, "1 : i"),
            (Kind::Attr, "1 : f32"),
            (Kind::Attr, "1 : si32"),
            (Kind::Attr, " : i32"),
            (Kind::Attr, "x : index"),
            (Kind::Attr, "x"),
            (Kind::Attr, "\"a b\""),
            (Kind::Attr, "\"\\41\""),
            (Kind::Attr, "\""),
            (Kind::Attr, "unit"),
            (Kind::Attr, "[1]"),
            (Kind::Type, "i"),
            (Kind::Type, "i01"),
            (Kind::Type, "si"),
            (Kind::Type, "uii8"),
            (Kind::Type, "8"),
            (Kind::Type, "f80x"),
            (Kind::Type, "vector<2xi8>"),
            (Kind::Value, "i32"),
            (Kind::Attr, "index"),
            (Kind::Type, "1 : i32"),
        ];
        for (kind, text) in plain {
            assert!(is_plain(kind, text), "{text}");
        }
        for (kind, text) in other {
            assert!(!is_plain(kind, text), "{text}");
        }
        assert!(is_number("123456789") && !is_number("1234567890") && is_number("0") && !is_number("00"));
        assert!(is_small("1", 1) && !is_small("2", 1) && is_small("2", 64) && is_small("999999999", 63));
        assert!(is_small("3", 2) && !is_small("4", 2) && !is_small("", 2));
    }

    /// A plain constant is what MLIR's text says it is: parsed and printed it is the same.
    #[test]
    #[cfg(feature = "ir")]
    fn plain_constants_are_printed_as_they_are_written() {
        let mut context = crate::ir::Context::new();
        for value in ["0", "1", "2", "3", "7", "8", "127", "128", "-1", "00", "true"] {
            for ty in ["i0", "i1", "i2", "i3", "i4", "i8", "i32", "i64", "index", "si8", "ui8", "f32"] {
                let text = format!("{value} : {ty}");
                if is_plain(Kind::Attr, &text) {
                    let attr = context.parse_attr(&text).unwrap();
                    assert_eq!(context.attr_text(attr), text);
                }
            }
        }
    }
}

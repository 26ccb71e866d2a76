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
        if !given && is_boolean(&self.questions[asked]) {
            (answer, given) = (if answer == Answer::YES { Answer::NO } else { Answer::YES }, true);
        }
        if asked == wanted.0 {
            return match (given, answer == wanted.1) {
                (true, same) => Some(same),
                (false, true) => Some(false),
                (false, false) => None,
            };
        }
        let yes = match is_boolean(&self.questions[asked]) {
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

/// Whether a question has no answer but yes and no.
pub(crate) fn is_boolean(question: &Question) -> bool {
    match question {
        Question::Present(_)
        | Question::Fits { .. }
        | Question::Is(..)
        | Question::Are(..)
        | Question::Same(..) => true,
        Question::Name(_) | Question::Count { .. } | Question::Constant(_) | Question::Holds(..) => false,
    }
}

/// What it costs to ask, roughly in loads.
pub(crate) fn cost(positions: &Positions, question: &Question) -> u32 {
    match *question {
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

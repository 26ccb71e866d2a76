//! The predicates of a rule as sentences, which explain why a rule does not match.
//!
//! A position is usually printed as the rule's symbol for it. If it has no symbol, its path from the root or from a
//! position with a symbol is printed.

use std::fmt::Write;

use crate::host::Kind;
use crate::intern::StrId;
use crate::matcher_tree::{
    Answer, ConstantId, GroupSize, Guard, Position, PositionId, Question, QuestionId, RowStep, Side,
};
use crate::pdl::{Arg, Arity, Callee, Constant, Origin, PatternId};
use crate::snippet::SnippetId;
use crate::stack::with_room;

use super::debug::PatternDebug;
use super::program::Program;

impl Program {
    /// Returns a predicate of a rule as a sentence. `ask` is the index of the predicate in source order; `None` stands
    /// for the predicate that tests the name of the root.
    ///
    /// # Panics
    /// The rule has no such predicate.
    pub fn predicate_text(&self, rule: PatternId, ask: Option<usize>) -> String {
        let info = self.pattern_debug(rule);
        let words = Words { program: self, rule, info };
        match (ask, info.root) {
            (Some(ask), _) => words.step(&info.steps[ask].step),
            (None, Some(name)) => format!("{} is '{}'", words.place(Place::Root), &self.strings[name]),
            (None, None) => format!("{} is any operation", words.place(Place::Root)),
        }
    }

    /// The place of a predicate in the source; if it is unknown, the place of the rule.
    ///
    /// # Panics
    /// The rule has no such predicate.
    pub fn predicate_origin(&self, rule: PatternId, ask: Option<usize>) -> Origin {
        let info = self.pattern_debug(rule);
        match ask.map(|ask| info.steps[ask].span) {
            Some(span) if !span.is_none() => Origin::Span(span),
            _ => info.origin,
        }
    }
}

/// A position, or the root, which may be absent from the table of positions.
#[derive(Clone, Copy)]
enum Place {
    Root,
    At(PositionId),
}

struct Words<'a> {
    program: &'a Program,
    rule: PatternId,
    info: &'a PatternDebug,
}

impl Words<'_> {
    fn step(&self, step: &Guard) -> String {
        match *step {
            Guard::Test { question, answer, .. } => self.question(question, answer),
            Guard::EachUser { choice, value, place } => {
                let user = self.user(choice);
                format!("{user} uses {} as {}", self.at(value), self.at(place))
            }
            Guard::Either { .. } => "the operands of an 'either' match in one of the two orders".to_owned(),
            Guard::Call { call, negated } => {
                let call = &self.program.predicates.calls()[call];
                let arg = |arg: &Arg<PositionId>| match *arg {
                    Arg::Of(at) => self.at(at),
                    Arg::Each(at) => format!("each of {}", self.at(at)),
                    Arg::Attr(c) | Arg::Type(c) => self.constant(c),
                    Arg::Int(i) => i.to_string(),
                    Arg::Bool(b) => b.to_string(),
                    Arg::Str(s) => format!("{:?}", &self.program.strings[s]),
                };
                let args = call.args.iter().map(arg).collect::<Vec<_>>().join(", ");
                let holds = if negated { "does not hold" } else { "holds" };
                match call.callee {
                    Callee::Native(name) => {
                        format!("native '{}' {holds} for ({args})", &self.program.strings[name])
                    }
                    Callee::Snippet(snippet) => format!("{} {holds} for ({args})", self.code(snippet)),
                }
            }
        }
    }

    fn question(&self, question: QuestionId, answer: Answer) -> String {
        let yes = answer == Answer::YES;
        let not = if yes { "" } else { "not " };
        match self.program.predicates[question] {
            Question::Name(at) => {
                let name = &self.program.strings[StrId::from_raw(answer.0)];
                format!("{} is '{name}'", self.path(Place::At(at)))
            }
            Question::Present(at) => match self.program.positions[at] {
                Position::AttrType(of) => {
                    format!("{} {} a type", self.at(of), if yes { "states" } else { "does not state" })
                }
                Position::Result { op, index } => {
                    format!("{} {} a result {index}", self.at(op), if yes { "has" } else { "does not have" })
                }
                _ => format!("{} is {not}there", self.path(Place::At(at))),
            },
            Question::Count { op, side } => {
                let (n, what) = (answer.0, sided(side));
                let what = if n == 1 { what.trim_end_matches('s') } else { what };
                format!("{} has {n} {what}", self.at(op))
            }
            Question::Fits { op, side, split } => {
                let groups = self.program.positions.split(split).groups.iter().map(|group| match group {
                    GroupSize::Exactly(n) => n.to_string(),
                    GroupSize::Optional => "0 or 1".to_owned(),
                    GroupSize::Any => "any".to_owned(),
                });
                let groups = groups.collect::<Vec<_>>().join(", ");
                let divide = if yes { "divide" } else { "do not divide" };
                format!("the {} of {} {divide} into groups of ({groups})", sided(side), self.at(op))
            }
            Question::Constant(at) => {
                format!("{} is {}", self.at(at), self.constant_id(ConstantId::from_raw(answer.0)))
            }
            Question::Is(at, constant) => {
                format!("{} is {not}{}", self.at(at), self.constant_id(constant))
            }
            Question::Are(at, list) => {
                let list = self.program.positions.list(list).iter().map(|&c| self.constant_id(c));
                format!("{} are {not}({})", self.at(at), list.collect::<Vec<_>>().join(", "))
            }
            Question::Same(a, b) => {
                let same = if yes { "the same" } else { "different" };
                format!("{} and {} are {same}", self.at(a), self.path(Place::At(b)))
            }
            Question::Holds(snippet, at) => {
                let holds = if yes { "holds" } else { "does not hold" };
                format!("{} {holds} for {}", self.code(snippet), self.at(at))
            }
        }
    }

    /// The text of a snippet on one line, in backticks.
    fn code(&self, snippet: SnippetId) -> String {
        self.program.snippets.code_line(snippet)
    }

    fn constant_id(&self, id: ConstantId) -> String {
        self.constant(self.program.positions.constants()[id].1)
    }

    fn constant(&self, constant: Constant) -> String {
        match constant {
            Constant::Text(text) => self.program.strings[text].to_owned(),
            Constant::Snippet(snippet) => self.code(snippet),
        }
    }

    fn at(&self, at: PositionId) -> String {
        self.place(Place::At(at))
    }

    /// The rule's symbol for a place, or else its path.
    fn place(&self, place: Place) -> String {
        let at = match place {
            Place::At(at) => Some(at),
            Place::Root => self.program.positions.iter().find(|p| *p.1 == Position::Root).map(|p| p.0),
        };
        match at.and_then(|at| self.symbol(at)) {
            Some(name) => format!("${name}"),
            None => with_room(|| self.path(place)),
        }
    }

    /// The rule's symbol for a position.
    fn symbol(&self, at: PositionId) -> Option<&str> {
        let bound = self.program.nodes(self.rule).zip(self.program.bindings(self.rule));
        let mut named = bound.filter(|&(_, &bound)| bound == at);
        named.find_map(|(node, _)| self.program.node_name(self.rule, node))
    }

    fn user(&self, choice: u32) -> String {
        let position = Position::User { choice };
        match self.program.positions.iter().find(|p| *p.1 == position) {
            Some((at, _)) => self.place(Place::At(at)),
            None => "another operation".to_owned(),
        }
    }

    /// The path of a place from the nearest position before it that has a symbol, or else from the root.
    ///
    /// The two operands of an `either` belong to one operation. If the path of this operation contains another
    /// `either`, only the first operand has the path, so that the text does not double at each `either`.
    fn path(&self, place: Place) -> String {
        let Place::At(at) = place else { return "the root".to_owned() };
        match self.program.positions[at] {
            Position::Root => "the root".to_owned(),
            Position::User { .. } => "another operation".to_owned(),
            Position::DefiningOp(of) => format!("the op that defines {}", self.path_of_value(of)),
            Position::Operand { op, index } => {
                format!("operand {index}{} of {}", self.operand_name(op, index), self.at(op))
            }
            Position::Result { op, index } => format!("result {index} of {}", self.at(op)),
            Position::Either { first, second, .. } => {
                let other = if self.contains_either(first) {
                    self.last_step(second)
                } else {
                    self.path(Place::At(second))
                };
                format!("{} (or {other})", self.path(Place::At(first)))
            }
            Position::Slice { op, side, split, group } => {
                if self.program.positions.split(split).groups.len() == 1 {
                    format!("the {} of {}", sided(side), self.at(op))
                } else {
                    format!("{} group {group} of {}", sided(side).trim_end_matches('s'), self.at(op))
                }
            }
            Position::Element { range, index } => format!("value {index} of {}", self.at(range)),
            Position::Attribute { op, name, .. } => {
                format!("attribute '{}' of {}", &self.program.strings[name], self.at(op))
            }
            Position::TypeOf(of) => match self.program.positions.kind(at) {
                Kind::Types => format!("the types of {}", self.at(of)),
                _ => format!("the type of {}", self.at(of)),
            },
            Position::AttrType(of) => format!("the type of {}", self.at(of)),
            Position::CallResult { call, index, .. } => {
                let mut text = format!("result {index}");
                let callee = self.program.predicates.calls()[call].callee;
                let of = match callee {
                    Callee::Native(name) => format!(" of native '{}'", &self.program.strings[name]),
                    Callee::Snippet(snippet) => format!(" of {}", self.code(snippet)),
                };
                write!(text, "{of}").expect("writing to a string does not fail");
                text
            }
            Position::Constant(constant) => self.constant_id(constant),
            Position::Constants(_) => "the type constants".to_owned(),
        }
    }

    /// True if the text of a path contains the operands of an `either`.
    fn contains_either(&self, at: PositionId) -> bool {
        let positions = &self.program.positions;
        let parent = |&at: &PositionId| positions.parent(at).filter(|&parent| self.symbol(parent).is_none());
        let mut path = std::iter::successors(Some(at), parent);
        path.any(|at| matches!(positions[at], Position::Either { .. }))
    }

    /// An operand of an `either`, without the path of its operation.
    fn last_step(&self, at: PositionId) -> String {
        match self.program.positions[at] {
            Position::Operand { op, index } => {
                format!("operand {index}{} of the same op", self.operand_name(op, index))
            }
            _ => "another operand of the same op".to_owned(),
        }
    }

    /// Returns the path of an operand or of an `either`, even if it has a symbol, because several operands can have the
    /// same symbol. For any other value, returns the symbol, or else the path.
    fn path_of_value(&self, at: PositionId) -> String {
        match self.program.positions[at] {
            Position::Operand { .. } | Position::Either { .. } => self.path(Place::At(at)),
            _ => self.at(at),
        }
    }

    /// Returns the name of an operand in parentheses, such as ` (lhs)`, or an empty text if the name is unknown.
    fn operand_name(&self, op: PositionId, index: u32) -> String {
        let required_name = |row: &RowStep| match row.step {
            Guard::Test { question, answer, .. } => match self.program.predicates[question] {
                Question::Name(at) if at == op => Some(StrId::from_raw(answer.0)),
                _ => None,
            },
            _ => None,
        };
        let name = match self.program.positions[op] {
            Position::Root => self.info.root,
            _ => self.info.steps.iter().find_map(required_name),
        };
        let operands = name.and_then(|name| self.program.ops.find(name)).map(|def| &def.operands[..]);
        let up_to = operands.and_then(|operands| operands.get(..=index as usize)).unwrap_or_default();
        match up_to.last() {
            Some(operand) if up_to.iter().all(|o| o.arity == Arity::One) => {
                let name = &self.program.strings[operand.name];
                if name.is_empty() { String::new() } else { format!(" ({name})") }
            }
            _ => String::new(),
        }
    }
}

fn sided(side: Side) -> &'static str {
    match side {
        Side::Operands => "operands",
        Side::Results => "results",
    }
}

//! Why a rule matches at an operation, or does not.
//!
//! Specification: an explanation says that a rule matches iff the engine finds it among the matches at the
//! operation; else it names a predicate of the rule that does not hold.
//!
//! A rule's predicates are asked in the order of its source, as the program keeps them for each rule; the
//! merged code is not run. Where a rule has choices (users, `either`) they are tried as the engine tries
//! them, and the explanation shows the way that got furthest.

mod by_root;
mod nearest;

use crate::bytecode::PatternDebug;
use crate::host::{Entity, Facets, Ir, OpNameId};
use crate::matcher_tree::{Answer, Guard, Position, PositionId, Question, QuestionId, RowStep};
use crate::pdl::{Arg, Callee, PatternId};

use super::tree::{Matcher, Scratch};

pub(super) use by_root::ByRoot;
pub use nearest::{Near, Survey};

/// Why a rule matches at an operation, or does not: what [`Matcher::explain`] gives.
#[derive(Debug)]
pub struct Explanation<H: Ir> {
    /// The rule.
    pub rule: PatternId,
    /// Whether all its predicates hold.
    pub matches: bool,
    /// Whether linking left the rule out, for want of natives: then it is not found even if it matches.
    pub left_out: bool,
    /// What was asked, up to the first predicate that does not hold; of several ways to match, the one that
    /// got furthest.
    pub asked: Vec<Step<H>>,
    /// How many predicates the rule has, the root's name included.
    pub predicates: usize,
    /// How many ways were tried: users of values, orders of operands.
    pub ways: u64,
}

impl<H: Ir> Explanation<H> {
    /// The predicate that does not hold, or of which that cannot be told; `None` if the rule matches.
    pub fn failed(&self) -> Option<&Step<H>> {
        self.asked.last().filter(|step| step.holds != Some(true))
    }
}

/// One predicate, asked.
#[derive(Debug)]
pub struct Step<H: Ir> {
    /// Which predicate of the rule: an index into its [`asks`](PatternDebug::asks); `None`: the name of its root.
    pub ask: Option<usize>,
    /// What the IR has there.
    pub found: Found<H>,
    /// Whether it holds; `None`: that depends on a native that is not registered.
    pub holds: Option<bool>,
}

/// What the IR has where a predicate looks.
pub enum Found<H: Ir> {
    /// Nothing.
    Nothing,
    /// An operation of this name.
    Name(OpNameId),
    /// So many operands, results or users.
    Count(u32),
    /// One thing after the other: what is compared, or what a constraint is called with; `None` for what
    /// is not there.
    Things(Vec<Option<Entity<H>>>),
    /// A value that no operation defines, or of a range the first one.
    NoOp(Entity<H>),
    /// Operands in the order they are written (`false`) or the other one.
    Swapped(bool),
}

impl<H: Ir> std::fmt::Debug for Found<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Found::Nothing => f.write_str("Nothing"),
            Found::Name(name) => name.fmt(f),
            Found::Count(count) => write!(f, "Count({count})"),
            Found::Things(things) => things.fmt(f),
            Found::NoOp(value) => write!(f, "NoOp({value:?})"),
            Found::Swapped(swapped) => write!(f, "Swapped({swapped})"),
        }
    }
}

/// How far a rule gets at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many predicates hold one after the other, the root's name first.
    pub reached: usize,
    /// Whether all do.
    pub matches: bool,
}

/// A choice that is open: the step that made it, and the use it is at (`None`: an `either`).
struct Choice<H: Ir> {
    step: usize,
    used: Option<H::Use>,
}

impl<H: Facets> Matcher<H> {
    /// Why a rule matches at an operation, or does not.
    ///
    /// Asks as many predicates as the rule has, times the choices it has to try.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use drrvm::host::Natives;
    /// use drrvm::ir::{Context, IrHost, parse_module};
    /// use drrvm::vm::{LinkOptions, Matcher};
    /// use drrvm::{compile, pdl::{Origin, PatternId, RuleSet}, source::SourceMap};
    ///
    /// let mut rules = RuleSet::default();
    /// let mut rule = rules.pattern("DoubleNot", 2);
    /// let x = rule.value();
    /// let inner = rule.op("t.not").operand(x).matched();
    /// let middle = rule.result(inner, 0);
    /// let outer = rule.op("t.not").operand(middle).matched();
    /// rule.replace(outer, [x]);
    /// rule.finish().unwrap();
    ///
    /// let mut sources = SourceMap::default();
    /// let text = "%a = \"t.one\"() : () -> i1 \n %b = \"t.not\"(%a) : (i1) -> i1";
    /// let file = sources.add("in.mlir", text).unwrap();
    /// let mut context = Context::new();
    /// let module = parse_module(&mut context, sources.file(file)).unwrap();
    /// let op = module.last_op(module.body()).unwrap();
    /// let mut host = IrHost::new(context, module);
    /// let program = Arc::new(compile::program(&rules).unwrap());
    /// let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default()).unwrap();
    ///
    /// let why = matcher.explain(&host, op, PatternId::from_raw(0));
    /// let failed = why.failed().unwrap();
    /// let program = matcher.program();
    /// let predicate = program.predicate_text(why.rule, failed.ask);
    /// assert_eq!(predicate, "the op that defines operand 0 of the root is 't.not'");
    /// assert!(matches!(program.predicate_origin(why.rule, failed.ask), Origin::Rust(_)));
    /// ```
    pub fn explain(&self, host: &H, op: H::Op, rule: PatternId) -> Explanation<H> {
        self.explain_with(host, op, rule, &mut self.scratch())
    }

    /// As [`Self::explain`], with working memory that is there already; the match it holds is lost.
    pub fn explain_with(
        &self,
        host: &H,
        op: H::Op,
        rule: PatternId,
        scratch: &mut Scratch<H>,
    ) -> Explanation<H> {
        let info = self.linked.program.pattern_debug(rule);
        let root = Step {
            ask: None,
            found: Found::Name(host.op_name(op)),
            holds: Some(self.may_start(host, op, info)),
        };
        let left_out = self.linked.is_dropped(rule);
        let mut explanation = Explanation {
            rule,
            matches: false,
            left_out,
            predicates: info.asks.len() + 1,
            asked: Vec::new(),
            ways: 1,
        };
        if root.holds == Some(false) {
            explanation.asked.push(root);
            return explanation;
        }
        let mut path: Vec<(Found<H>, Option<bool>)> = Vec::new();
        let mut best: Option<Vec<(Found<H>, Option<bool>)>> = None;
        scratch.set_root(op);
        explanation.matches = self.walk(host, info, scratch, |matcher, scratch, step, holds| {
            path.truncate(step);
            let known =
                holds || !left_out || !matcher.asks_what_is_missing(host, scratch, info.asks[step].step);
            path.push((matcher.found(host, scratch, info.asks[step].step), known.then_some(holds)));
            if !holds {
                explanation.ways += u64::from(best.is_some());
                if best.as_ref().is_none_or(|best| best.len() < path.len()) {
                    best = Some(path.clone());
                }
            }
        });
        let asked = if explanation.matches { path } else { best.unwrap_or(path) };
        explanation.asked.push(root);
        let steps = asked.into_iter().enumerate();
        explanation.asked.extend(steps.map(|(i, (found, holds))| Step { ask: Some(i), found, holds }));
        explanation
    }

    /// How far a rule gets at an operation: as [`Self::explain_with`], and nothing is kept.
    pub fn progress(&self, host: &H, op: H::Op, rule: PatternId, scratch: &mut Scratch<H>) -> Progress {
        if !self.may_start(host, op, self.linked.program.pattern_debug(rule)) {
            return Progress { reached: 0, matches: false };
        }
        scratch.set_root(op);
        self.progress_at_root(host, rule, scratch)
    }

    /// As [`Self::progress`], for a rule that may start at the operation that `scratch` has begun with.
    pub(super) fn progress_at_root(&self, host: &H, rule: PatternId, scratch: &mut Scratch<H>) -> Progress {
        let mut reached = 1;
        let info = self.linked.program.pattern_debug(rule);
        let matches = self.walk(host, info, scratch, |_, _, step, holds| {
            reached = reached.max(step + 1 + usize::from(holds));
        });
        Progress { reached, matches }
    }

    /// The rules whose root may be this operation, in the order they are tried.
    pub fn candidates(&self, host: &H, op: H::Op) -> Vec<PatternId> {
        let patterns = &self.linked.program.patterns;
        let mut rules: Vec<PatternId> = patterns
            .ids()
            .filter(|&rule| self.may_start(host, op, self.linked.program.pattern_debug(rule)))
            .collect();
        rules.sort_by_key(|&rule| {
            (
                std::cmp::Reverse(patterns[rule].benefit),
                self.linked.program.pattern_debug(rule).root.is_none(),
            )
        });
        rules
    }

    fn may_start(&self, host: &H, op: H::Op, info: &PatternDebug) -> bool {
        info.root.is_none_or(|name| {
            self.linked.program.op_names.get(self.linked.op_number(host, op)) == Some(&name)
        })
    }

    /// Asks a rule's predicates at the operation that `scratch` has begun with, and calls `tell` with each answer;
    /// whether all hold.
    fn walk(
        &self,
        host: &H,
        info: &PatternDebug,
        scratch: &mut Scratch<H>,
        mut tell: impl FnMut(&Self, &mut Scratch<H>, usize, bool),
    ) -> bool {
        scratch.matched = None;
        let mut choices: Vec<Choice<H>> = Vec::new();
        let mut at = 0;
        while let Some(&RowStep { step, late, .. }) = info.asks.get(at) {
            let holds = match step {
                Guard::Test { question, answer, .. } => self.test(host, scratch, question, answer),
                Guard::Either { choice } => {
                    scratch.state.swapped[choice as usize] = false;
                    choices.push(Choice { step: at, used: None });
                    true
                }
                Guard::EachUser { choice, value, place } => {
                    let first = self.linked.first_use(host, scratch, value);
                    let used = self.linked.user_at(host, scratch, choice, place, first);
                    choices.extend(used.map(|used| Choice { step: at, used: Some(used) }));
                    used.is_some()
                }
                Guard::Call { call, negated } => self.linked.constrain(host, scratch, call) == Some(!negated),
            };
            tell(self, scratch, at, holds);
            if holds {
                at += 1;
                continue;
            }
            if !late {
                return false;
            }
            match self.next_way(host, info, scratch, &mut choices) {
                Some(step) => {
                    tell(self, scratch, step, true);
                    at = step + 1;
                }
                None => return false,
            }
        }
        true
    }

    /// Goes to the next way of the newest choice that has one; the step of that choice.
    fn next_way(
        &self,
        host: &H,
        info: &PatternDebug,
        scratch: &mut Scratch<H>,
        choices: &mut Vec<Choice<H>>,
    ) -> Option<usize> {
        while let Some(open) = choices.pop() {
            match (info.asks[open.step].step, open.used) {
                (Guard::EachUser { choice, place, .. }, Some(used)) => {
                    let used = self.linked.user_at(host, scratch, choice, place, host.next_use(used));
                    if used.is_some() {
                        choices.push(Choice { step: open.step, used });
                        return Some(open.step);
                    }
                }
                (Guard::Either { choice }, _) => {
                    scratch.state.swapped[choice as usize] = true;
                    return Some(open.step);
                }
                _ => {}
            }
        }
        None
    }

    /// Whether a question of a rule has this answer.
    pub(super) fn test(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        question: QuestionId,
        answer: Answer,
    ) -> bool {
        match self.linked.program.predicates[question] {
            Question::Name(at) => {
                let name = self.linked.eval(host, scratch).op(at).map(|op| self.linked.op_number(host, op));
                let name = name.and_then(|number| self.linked.program.op_names.get(number));
                name.is_some_and(|name| name.raw() == answer.0)
            }
            _ => self.linked.eval(host, scratch).ask(question, answer),
        }
    }

    /// Whether a predicate that has just been asked has no answer for want of a native.
    fn asks_what_is_missing(&self, host: &H, scratch: &mut Scratch<H>, step: Guard) -> bool {
        let Guard::Call { call: id, .. } = step else { return false };
        let program = &self.linked.program;
        let is_missing = |name: &str| self.missing().iter().any(|missing| missing.call.name == name);
        let calls_missing = match program.predicates.calls()[id].callee {
            Callee::Native(name) => is_missing(&program.strings[name]),
            Callee::Snippet(snippet) => {
                let natives = program.snippets.natives_of(snippet).into_iter();
                natives
                    .map(|native| program.snippets.str(program.snippets.natives[native].name))
                    .any(is_missing)
            }
        };
        calls_missing && self.linked.constrain(host, scratch, id).is_none()
    }

    /// What is where a predicate looks.
    fn found(&self, host: &H, scratch: &mut Scratch<H>, step: Guard) -> Found<H> {
        match step {
            Guard::Either { choice } => Found::Swapped(scratch.state.swapped[choice as usize]),
            Guard::EachUser { choice, .. } => match scratch.state.users[choice as usize] {
                Some((_, user)) => Found::Things(vec![Some(Entity::Op(user))]),
                None => Found::Nothing,
            },
            Guard::Call { call, .. } => {
                let args = self.linked.program.predicates.calls()[call].args.iter();
                let things = args.filter_map(|arg| match arg {
                    Arg::Of(at) | Arg::Each(at) => Some(self.thing(host, scratch, *at)),
                    _ => None,
                });
                Found::Things(things.collect())
            }
            Guard::Test { question, .. } => match self.linked.program.predicates[question] {
                Question::Name(at) => match self.linked.eval(host, scratch).op(at) {
                    Some(op) => Found::Name(host.op_name(op)),
                    None => self.undefined(host, scratch, at),
                },
                Question::Count { op, side } | Question::Fits { op, side, .. } => {
                    let mut eval = self.linked.eval(host, scratch);
                    eval.op(op).map_or(Found::Nothing, |op| Found::Count(eval.count(op, side)))
                }
                Question::Same(a, b) => {
                    Found::Things(vec![self.thing(host, scratch, a), self.thing(host, scratch, b)])
                }
                Question::Present(at)
                | Question::Constant(at)
                | Question::Is(at, _)
                | Question::Are(at, _)
                | Question::Holds(_, at) => match self.thing(host, scratch, at) {
                    Some(thing) => Found::Things(vec![Some(thing)]),
                    None => self.undefined(host, scratch, at),
                },
            },
        }
    }

    /// What is where an operation is missing.
    fn undefined(&self, host: &H, scratch: &mut Scratch<H>, at: PositionId) -> Found<H> {
        let Position::DefiningOp(of) = self.linked.program.positions[at] else { return Found::Nothing };
        self.thing(host, scratch, of).map_or(Found::Nothing, Found::NoOp)
    }

    fn thing(&self, host: &H, scratch: &mut Scratch<H>, at: PositionId) -> Option<Entity<H>> {
        let thing = self.linked.eval(host, scratch).entity(at);
        thing.filter(|thing| !matches!(thing, Entity::Value(None) | Entity::Attr(None)))
    }
}

impl<H: Ir> Clone for Found<H> {
    fn clone(&self) -> Self {
        match self {
            Found::Nothing => Found::Nothing,
            Found::Name(name) => Found::Name(*name),
            Found::Count(count) => Found::Count(*count),
            Found::Things(things) => Found::Things(things.clone()),
            Found::NoOp(value) => Found::NoOp(value.clone()),
            Found::Swapped(swapped) => Found::Swapped(*swapped),
        }
    }
}

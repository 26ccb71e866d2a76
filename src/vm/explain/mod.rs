//! Explains why a rule matches at an operation or does not.
//!
//! Specification: for a rule that linking did not leave out, [`Explanation::matches`] is true if and only if the engine
//! finds the rule among the matches at the operation. If a rule does not match, the explanation names a predicate that
//! does not hold or cannot be tested.
//!
//! Method: the predicates of one rule are tested in the order of the source, as the program stores them for each rule.
//! The match code that all rules share does not run. If a rule has choices (users, `either`), the alternatives are
//! tried in the engine's order. The explanation reports the alternative in which the most predicates hold.

mod by_root;
mod nearest;
#[cfg(feature = "report")]
mod visited;

use crate::bytecode::PatternDebug;
use crate::host::{Entity, Facets, Ir, OpNameId};
use crate::matcher_tree::{Answer, Guard, Position, PositionId, Question, QuestionId, RowStep};
use crate::pdl::{Arg, Callee, PatternId};

use super::tree::{Matcher, Scratch};

pub(super) use by_root::ByRoot;
pub use nearest::{NearMiss, Survey};

/// The reason why a rule matches at an operation or does not; the result of [`Matcher::explain`].
#[derive(Debug)]
pub struct Explanation<H: Ir> {
    /// The rule.
    pub rule: PatternId,
    /// True if all predicates of the rule hold.
    pub matches: bool,
    /// True if linking left the rule out, for example because natives are missing. Engines then do not find the rule
    /// even if it matches.
    pub left_out: bool,
    /// The predicates that were tested, up to and including the first one that does not hold. If several alternatives
    /// were tried, these are the predicates of the alternative in which the most predicates hold.
    pub steps: Vec<Step<H>>,
    /// The number of the rule's predicates, including the root's name.
    pub predicates: usize,
    /// The number of alternatives that were tried; 1 if the rule has no choices. An alternative selects one user or one
    /// order of operands for each choice.
    pub alternatives: u64,
}

impl<H: Ir> Explanation<H> {
    /// The predicate that does not hold or cannot be tested; `None` if the rule matches.
    pub fn failed(&self) -> Option<&Step<H>> {
        self.steps.last().filter(|step| step.holds != Some(true))
    }
}

/// The test of one predicate.
#[derive(Debug)]
pub struct Step<H: Ir> {
    /// The predicate, as an index into the rule's predicates in source order; `None` for the root's name.
    pub predicate: Option<usize>,
    /// The part of the IR that the predicate tests.
    pub observed: Observed<H>,
    /// True if the predicate holds; `None` if that depends on a native that is not registered.
    pub holds: Option<bool>,
}

/// The part of the IR that a predicate tests.
pub enum Observed<H: Ir> {
    /// The tested part does not exist.
    Nothing,
    /// An operation of this name.
    Name(OpNameId),
    /// A number of operands or results.
    Count(u32),
    /// The tested or compared entities, the user that was tried, or the entities among the arguments of a constraint;
    /// `None` for an entity that does not exist.
    Entities(Vec<Option<Entity<H>>>),
    /// A value that no operation defines, or a range whose first value no operation defines.
    Undefined(Entity<H>),
    /// Operands in the order of the source (`false`) or the other order (`true`).
    Swapped(bool),
}

impl<H: Ir> std::fmt::Debug for Observed<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Observed::Nothing => f.write_str("Nothing"),
            Observed::Name(name) => name.fmt(f),
            Observed::Count(count) => write!(f, "Count({count})"),
            Observed::Entities(entities) => entities.fmt(f),
            Observed::Undefined(value) => write!(f, "Undefined({value:?})"),
            Observed::Swapped(swapped) => write!(f, "Swapped({swapped})"),
        }
    }
}

/// The number of predicates of a rule that hold at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of predicates that hold before the first one that does not, including the root's name. If the rule
    /// has choices, the maximum over all alternatives.
    pub reached: usize,
    /// True if all predicates hold.
    pub matches: bool,
}

/// A choice that may have untried alternatives: its predicate, and its current use (`None` for an `either`).
struct Choice<H: Ir> {
    step: usize,
    used: Option<H::Use>,
}

impl<H: Facets> Matcher<H> {
    /// Explains why a rule matches at an operation or does not.
    ///
    /// For each alternative, tests each predicate of the rule at most once. If linking left the rule out, a failed
    /// constraint that needs a missing native is called twice.
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
    /// let predicate = program.predicate_text(why.rule, failed.predicate);
    /// assert_eq!(predicate, "the op that defines operand 0 of the root is 't.not'");
    /// assert!(matches!(program.predicate_origin(why.rule, failed.predicate), Origin::Rust(_)));
    /// ```
    pub fn explain(&self, host: &H, op: H::Op, rule: PatternId) -> Explanation<H> {
        self.explain_with(host, op, rule, &mut self.cache())
    }

    /// Explains like [`Self::explain`], but reuses working memory. The current match in `scratch` is lost.
    pub fn explain_with(
        &self,
        host: &H,
        op: H::Op,
        rule: PatternId,
        scratch: &mut Scratch<H>,
    ) -> Explanation<H> {
        let info = self.linked.program.pattern_debug(rule);
        let root = Step {
            predicate: None,
            observed: Observed::Name(host.op_name(op)),
            holds: Some(self.may_start(host, op, info)),
        };
        let left_out = self.linked.is_dropped(rule);
        let mut explanation = Explanation {
            rule,
            matches: false,
            left_out,
            predicates: info.steps.len() + 1,
            steps: Vec::new(),
            alternatives: 1,
        };
        if root.holds == Some(false) {
            explanation.steps.push(root);
            return explanation;
        }
        let mut path: Vec<(Observed<H>, Option<bool>)> = Vec::new();
        let mut best: Option<Vec<(Observed<H>, Option<bool>)>> = None;
        scratch.set_root(op);
        explanation.matches = self.walk(host, info, scratch, |matcher, scratch, step, holds| {
            path.truncate(step);
            let predicate = info.steps[step].step;
            let decided = holds || !left_out || !matcher.lacks_native(host, scratch, predicate);
            path.push((matcher.observed(host, scratch, predicate), decided.then_some(holds)));
            if !holds {
                explanation.alternatives += u64::from(best.is_some());
                if best.as_ref().is_none_or(|best| best.len() < path.len()) {
                    best = Some(path.clone());
                }
            }
        });
        // The alternative that matches comes after the failed alternatives.
        explanation.alternatives += u64::from(explanation.matches && best.is_some());
        let path = if explanation.matches { path } else { best.unwrap_or(path) };
        explanation.steps.push(root);
        let steps = path.into_iter().enumerate();
        let step = |(i, (observed, holds))| Step { predicate: Some(i), observed, holds };
        explanation.steps.extend(steps.map(step));
        explanation
    }

    /// Counts the predicates of a rule that hold at an operation, without recording the steps.
    pub fn progress(&self, host: &H, op: H::Op, rule: PatternId, scratch: &mut Scratch<H>) -> Progress {
        if !self.may_start(host, op, self.linked.program.pattern_debug(rule)) {
            return Progress { reached: 0, matches: false };
        }
        scratch.set_root(op);
        self.progress_at_root(host, rule, scratch)
    }

    /// Finds the progress of a rule that may start at the root of `scratch`.
    pub(super) fn progress_at_root(&self, host: &H, rule: PatternId, scratch: &mut Scratch<H>) -> Progress {
        let mut reached = 1;
        let info = self.linked.program.pattern_debug(rule);
        let matches = self.walk(host, info, scratch, |_, _, step, holds| {
            reached = reached.max(step + 1 + usize::from(holds));
        });
        Progress { reached, matches }
    }

    /// The rules whose root may be this operation, in the order in which they are tried.
    pub fn candidates(&self, host: &H, op: H::Op) -> Vec<PatternId> {
        let patterns = &self.linked.program.patterns;
        let mut rules: Vec<PatternId> = patterns
            .ids()
            .filter(|&rule| self.may_start(host, op, self.linked.program.pattern_debug(rule)))
            .collect();
        rules.sort_unstable_by_key(|&rule| self.linked.program.precedence(rule));
        rules
    }

    fn may_start(&self, host: &H, op: H::Op, info: &PatternDebug) -> bool {
        info.root.is_none_or(|name| {
            self.linked.program.op_names.get(self.linked.op_number(host, op)) == Some(&name)
        })
    }

    /// Tests a rule's predicates at the root of `scratch`, and calls `report` with each answer. Returns true if all
    /// predicates hold.
    fn walk(
        &self,
        host: &H,
        info: &PatternDebug,
        scratch: &mut Scratch<H>,
        mut report: impl FnMut(&Self, &mut Scratch<H>, usize, bool),
    ) -> bool {
        scratch.matched = None;
        let mut choices: Vec<Choice<H>> = Vec::new();
        let mut at = 0;
        while let Some(&RowStep { step, is_guard, .. }) = info.steps.get(at) {
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
            report(self, scratch, at, holds);
            if holds {
                at += 1;
                continue;
            }
            if !is_guard {
                return false;
            }
            match self.next_alternative(host, info, scratch, &mut choices) {
                Some(step) => {
                    report(self, scratch, step, true);
                    at = step + 1;
                }
                None => return false,
            }
        }
        true
    }

    /// Goes to the next alternative of the newest choice that has one. Returns the predicate of that choice.
    fn next_alternative(
        &self,
        host: &H,
        info: &PatternDebug,
        scratch: &mut Scratch<H>,
        choices: &mut Vec<Choice<H>>,
    ) -> Option<usize> {
        while let Some(open) = choices.pop() {
            match (info.steps[open.step].step, open.used) {
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

    /// True if a question has this answer.
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

    /// True if a predicate that was just tested has no answer because a native is missing.
    fn lacks_native(&self, host: &H, scratch: &mut Scratch<H>, step: Guard) -> bool {
        let Guard::Call { call: id, .. } = step else { return false };
        let program = &self.linked.program;
        let is_missing = |name: &str| self.missing().iter().any(|missing| missing.call.name == name);
        let calls_missing = match program.predicates.calls()[id].callee {
            Callee::Native(name) => is_missing(&program.strings[name]),
            Callee::Snippet(snippet) if self.linked.snippets.is_replaced(snippet) => false,
            Callee::Snippet(snippet) => {
                let natives = program.snippets.natives_of(snippet).into_iter();
                natives
                    .map(|native| program.snippets.str(program.snippets.natives[native].name))
                    .any(is_missing)
            }
        };
        calls_missing && self.linked.constrain(host, scratch, id).is_none()
    }

    /// The part of the IR that a predicate tests.
    fn observed(&self, host: &H, scratch: &mut Scratch<H>, step: Guard) -> Observed<H> {
        match step {
            Guard::Either { choice } => Observed::Swapped(scratch.state.swapped[choice as usize]),
            Guard::EachUser { choice, .. } => match scratch.state.users[choice as usize] {
                Some((_, user)) => Observed::Entities(vec![Some(Entity::Op(user))]),
                None => Observed::Nothing,
            },
            Guard::Call { call, .. } => {
                let args = self.linked.program.predicates.calls()[call].args.iter();
                let entities = args.filter_map(|arg| match arg {
                    Arg::Of(at) | Arg::Each(at) => Some(self.entity(host, scratch, *at)),
                    _ => None,
                });
                Observed::Entities(entities.collect())
            }
            Guard::Test { question, .. } => match self.linked.program.predicates[question] {
                Question::Name(at) => match self.linked.eval(host, scratch).op(at) {
                    Some(op) => Observed::Name(host.op_name(op)),
                    None => self.undefined(host, scratch, at),
                },
                Question::Count { op, side } | Question::Fits { op, side, .. } => {
                    let mut eval = self.linked.eval(host, scratch);
                    eval.op(op).map_or(Observed::Nothing, |op| Observed::Count(eval.count(op, side)))
                }
                Question::Same(a, b) => {
                    Observed::Entities(vec![self.entity(host, scratch, a), self.entity(host, scratch, b)])
                }
                Question::Present(at)
                | Question::Constant(at)
                | Question::Is(at, _)
                | Question::Are(at, _)
                | Question::Holds(_, at) => match self.entity(host, scratch, at) {
                    Some(entity) => Observed::Entities(vec![Some(entity)]),
                    None => self.undefined(host, scratch, at),
                },
            },
        }
    }

    /// The observation at a position without an entity: if it is the position of a value's defining operation, the
    /// value, which no operation defines; otherwise nothing.
    fn undefined(&self, host: &H, scratch: &mut Scratch<H>, at: PositionId) -> Observed<H> {
        let Position::DefiningOp(of) = self.linked.program.positions[at] else { return Observed::Nothing };
        self.entity(host, scratch, of).map_or(Observed::Nothing, Observed::Undefined)
    }

    fn entity(&self, host: &H, scratch: &mut Scratch<H>, at: PositionId) -> Option<Entity<H>> {
        let entity = self.linked.eval(host, scratch).entity(at);
        entity.filter(|entity| !matches!(entity, Entity::Value(None) | Entity::Attr(None)))
    }
}

impl<H: Ir> Clone for Observed<H> {
    fn clone(&self) -> Self {
        match self {
            Observed::Nothing => Observed::Nothing,
            Observed::Name(name) => Observed::Name(*name),
            Observed::Count(count) => Observed::Count(*count),
            Observed::Entities(entities) => Observed::Entities(entities.clone()),
            Observed::Undefined(value) => Observed::Undefined(value.clone()),
            Observed::Swapped(swapped) => Observed::Swapped(*swapped),
        }
    }
}

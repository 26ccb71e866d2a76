//! Proofs and refutations of rules over integers.
//!
//! Specification: a rule is [proved](Verdict::Proved) if, for all attributes and operands of the listed types, the
//! rewritten IR is a refinement of the matched IR: poison and undefined behaviour may become anything, and every other
//! result stays the same. A rule is [refuted](Verdict::Refuted) only by a counterexample that the compiled matcher and
//! the interpreter of [`equivalence`](crate::equivalence) confirm. Everything else is [unknown](Verdict::Unknown), with
//! reasons.
//!
//! Method: for each assignment of types that the rule allows, the match part, the constraints and the rewrite part are
//! executed symbolically; the operations have the meanings of `semantics`. A solver then decides if there are values
//! for which the rewritten IR is not a refinement.
//!
//! Assumptions: a constant operation whose name a rule does not state is `arith.constant`. A constraint that is a
//! native without a known meaning is a pure function. Values are scalars: operations on vectors and tensors compute
//! element by element, so the result for an element carries over if the constants of the rule are splats.
//!
//! Deliberately absent: floats, regions, memory. Operations of dialects other than `arith` need a description
//! ([`Operations`]).

mod blast;
mod compare;
mod counterexample;
mod execute;
mod generic;
mod natives;
mod shape;
mod simplify;
mod smt;
mod snippet;
mod solver;
mod state;
mod stop;
mod term;
#[cfg(all(test, feature = "frontend"))]
mod tests;
mod value;

use std::time::{Duration, Instant};

pub use crate::semantics::Operations;
pub use compare::{Difference, Sameness, compare};
pub use counterexample::{After, Counterexample};
pub use solver::Solver;

use crate::ir::{Context, IrHost, Module};
use crate::pdl::{Pattern, PatternId, RuleSet};
use crate::semantics::Bits;
use crate::snippet::Linked;
use execute::{Query, Setting};
use shape::Shape;
use term::Terms;
use value::Ty;

/// The widths that are tried by default.
pub(crate) const WIDTHS: [u32; 5] = [1, 8, 16, 32, 64];

/// The options of [`prove`].
///
/// ```
/// use drrvm::prove::{Options, Solver};
/// let options = Options::default().widths(vec![8, 32]).solver(Solver::Z3);
/// assert_eq!(options.widths, [8, 32]);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The widths of integers.
    pub widths: Vec<u32>,
    /// The widths of `index`.
    pub index_widths: Vec<u32>,
    /// The time limit for one query to the solver.
    pub timeout: Duration,
    /// The solver.
    pub solver: Solver,
    /// The meanings of operations of dialects other than `arith`.
    pub operations: Operations,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            widths: WIDTHS.to_vec(),
            index_widths: vec![32, 64],
            timeout: Duration::from_secs(10),
            solver: Solver::default(),
            operations: Operations::default(),
        }
    }
}

impl Options {
    /// Sets [`Options::widths`].
    #[must_use]
    pub fn widths(mut self, widths: Vec<u32>) -> Self {
        self.widths = widths;
        self
    }

    /// Sets [`Options::index_widths`].
    #[must_use]
    pub fn index_widths(mut self, widths: Vec<u32>) -> Self {
        self.index_widths = widths;
        self
    }

    /// Sets [`Options::timeout`].
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets [`Options::operations`].
    #[must_use]
    pub fn operations(mut self, operations: Operations) -> Self {
        self.operations = operations;
        self
    }

    /// Sets [`Options::solver`].
    #[must_use]
    pub fn solver(mut self, solver: Solver) -> Self {
        self.solver = solver;
        self
    }
}

/// The result of [`prove`] for one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The rule is right for all types of [`Report::proved`].
    Proved,
    /// The rule is wrong.
    Refuted(Box<Counterexample>),
    /// The rule is neither proved nor refuted, for these reasons.
    Unknown(Vec<String>),
}

impl Verdict {
    /// The word for reports.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Refuted(_) => "refuted",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// The report about one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The name of the rule.
    pub rule: String,
    /// The result.
    pub verdict: Verdict,
    /// The types for which the rule is right. A refuted rule is not tried with further types.
    pub proved: Vec<String>,
    /// True if the rule is proved for integers of all widths, not only of the widths in [`Report::proved`]. `index` is
    /// not included.
    pub all_widths: bool,
    /// The time that the proof took.
    pub time: Duration,
}

/// Tries to prove one rule.
///
/// ```
/// use drrvm::RuleSet;
/// use drrvm::pdl::term::{op, var};
/// use drrvm::prove::{Options, Verdict, prove};
/// # fn main() -> Result<(), drrvm::Diagnostics> {
/// let mut rules = RuleSet::default();
/// let sum = |a, b| op("arith.addi", [var(a), var(b)]);
/// let commutes = rules.replacement("commutes", 1, &sum("a", "b"), &sum("b", "a"))?;
/// let wrong = rules.replacement("wrong", 1, &sum("a", "b"), &sum("a", "a"))?;
/// let options = Options::default().widths(vec![8]);
/// assert_eq!(prove(&rules, commutes, &options).verdict, Verdict::Proved);
/// assert!(matches!(prove(&rules, wrong, &options).verdict, Verdict::Refuted(_)));
/// # Ok(()) }
/// ```
pub fn prove(rules: &RuleSet, rule: PatternId, options: &Options) -> Report {
    let start = Instant::now();
    let pattern = &rules.patterns()[rule];
    let mut attempt = Attempt::new(rules, rule, options);
    let found = attempt.run().or_else(|| {
        // Many rules that are wrong for wide integers are also wrong for narrow integers.
        let narrow = options.clone().widths(vec![1, 4]).index_widths(Vec::new());
        let mut narrow = Attempt { options: &narrow, ..Attempt::new(rules, rule, options) };
        if attempt.slow.is_empty() { None } else { narrow.run() }
    });
    let undecided = std::mem::take(&mut attempt.undecided);
    attempt.proved.retain(|types| !undecided.contains(types));
    let verdict = match found {
        Some(counterexample) => Verdict::Refuted(Box::new(counterexample)),
        None if !attempt.reasons.is_empty() => Verdict::Unknown(attempt.reasons),
        None if attempt.proved.is_empty() => {
            let widths: Vec<String> = options.widths.iter().map(ToString::to_string).collect();
            let noun = if widths.len() == 1 { "width" } else { "widths" };
            let list = widths.join(", ");
            Verdict::Unknown(vec![format!(
                "the rule matches no integers of the {noun} {list} and no 'index'; `--widths` sets other widths"
            )])
        }
        None => Verdict::Proved,
    };
    let all_widths = verdict == Verdict::Proved && holds_for_all_widths(rules, rule, options);
    let name = rules.strings()[pattern.name].to_owned();
    Report { rule: name, verdict, proved: attempt.proved, all_widths, time: start.elapsed() }
}

/// True if a rule is proved for integers of all widths. The smallest widths are tried one by one, and one proof covers
/// all others.
fn holds_for_all_widths(rules: &RuleSet, rule: PatternId, options: &Options) -> bool {
    if !generic::is_right(rules, &rules.patterns()[rule], &options.operations) {
        return false;
    }
    let least = options.clone().widths((1..Terms::LEAST_GENERIC).collect()).index_widths(Vec::new());
    let mut attempt = Attempt::new(rules, rule, &least);
    attempt.run().is_none() && attempt.reasons.is_empty()
}

struct Attempt<'a> {
    rules: &'a RuleSet,
    rule: PatternId,
    options: &'a Options,
    proved: Vec<String>,
    reasons: Vec<String>,
    /// The types for which the rule is not decided.
    undecided: Vec<String>,
    /// The assignments of types that the solver did not decide, each as the number of its shape and the widths of its
    /// types.
    slow: Vec<(usize, Vec<u32>)>,
}

/// The width of a type; 0 if the type is neither an integer nor `index`.
fn bits(ty: Ty, index_width: u32) -> u32 {
    match ty {
        Ty::Int(width) => width,
        Ty::Index => index_width,
        Ty::Other(_) => 0,
    }
}

impl<'a> Attempt<'a> {
    fn new(rules: &'a RuleSet, rule: PatternId, options: &'a Options) -> Self {
        Self {
            rules,
            rule,
            options,
            proved: Vec::new(),
            reasons: Vec::new(),
            undecided: Vec::new(),
            slow: Vec::new(),
        }
    }

    fn pattern(&self) -> &'a Pattern {
        &self.rules.patterns()[self.rule]
    }

    /// Records that the rule is not decided for these types.
    fn unknown_for(&mut self, types: &str, reason: impl std::fmt::Display) {
        self.undecided.push(types.to_owned());
        self.unknown(format!("{types}: {reason}"));
    }

    fn unknown(&mut self, reason: String) {
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// Tries all assignments of types in turn. Returns the first counterexample.
    fn run(&mut self) -> Option<Counterexample> {
        let shapes = match shape::shapes(self.rules, self.pattern(), &self.options.operations) {
            Ok(shapes) => shapes,
            Err(reason) => {
                self.unknown(reason);
                return None;
            }
        };
        let mut context = Context::new();
        let module = Module::new(&mut context);
        let mut host = IrHost::new(context, module);
        let natives = crate::natives::all();
        let linked = Linked::link(self.rules.snippets(), &mut host, &natives);
        let mut tasks: Vec<(u64, usize, Vec<Ty>, u32)> = Vec::new();
        let mut shapes: Vec<Shape> = shapes;
        for (number, shape) in shapes.iter_mut().enumerate() {
            shape.bind_results(&self.pattern().matcher);
            let Some(assignments) = shape.assignments(&self.options.widths) else {
                self.unknown(format!(
                    "the rule has more than {} assignments of types",
                    shape::MAX_ASSIGNMENTS
                ));
                continue;
            };
            for types in assignments {
                let index_widths = &self.options.index_widths[..];
                let widths = if types.contains(&Ty::Index) { index_widths } else { &[64] };
                for &index_width in widths {
                    let total = types.iter().map(|&ty| u64::from(bits(ty, index_width))).sum();
                    tasks.push((total, number, types.clone(), index_width));
                }
            }
        }
        tasks.sort_by_key(|(total, number, ..)| (*total, *number));
        let operations = &self.options.operations;
        let mut setting =
            Setting { rules: self.rules, linked: &linked, host: &mut host, index_width: 64, operations };
        for (_, number, types, index_width) in tasks {
            setting.index_width = index_width;
            let widths: Vec<u32> = types.iter().map(|&ty| bits(ty, index_width)).collect();
            let text = types_text(self.rules, self.pattern(), &shapes[number], &types, index_width);
            let slower = |slow: &(usize, Vec<u32>)| {
                slow.0 == number && slow.1.iter().zip(&widths).all(|(slow, width)| slow <= width)
            };
            let query = match execute::execute(&mut setting, self.pattern(), &shapes[number], &types) {
                Ok(Some(query)) => query,
                Ok(None) => continue,
                Err(reason) => {
                    self.unknown(reason);
                    continue;
                }
            };
            if query.state.terms.truth(query.goal).is_none() && self.slow.iter().any(slower) {
                self.unknown_for(&text, "not tried, because smaller types were not decided");
                continue;
            }
            if let Some(found) = self.decide(query, number, widths, &text, index_width) {
                return Some(found);
            }
        }
        None
    }

    fn decide(
        &mut self,
        mut query: Query<'_>,
        number: usize,
        widths: Vec<u32>,
        text: &str,
        index_width: u32,
    ) -> Option<Counterexample> {
        let (solver, time) = (self.options.solver, self.options.timeout);
        let values = match solver.decide(&query.state.terms, query.goal, time) {
            solver::Verdict::Never => {
                // A rule that never matches with these types is not proved for them.
                match solver.decide(&query.state.terms, query.matches, time) {
                    solver::Verdict::Never => {}
                    solver::Verdict::Set(_) => {
                        // Rules that match operands in either order have several shapes with the same types.
                        if !self.proved.iter().any(|proved| proved == text) {
                            self.proved.push(text.to_owned());
                        }
                    }
                    solver::Verdict::Unknown(reason) => {
                        self.unknown_for(text, format!("it is not known if the rule matches: {reason}"));
                    }
                }
                return None;
            }
            solver::Verdict::Set(values) => values,
            solver::Verdict::Unknown(reason) => {
                self.slow.push((number, widths));
                self.unknown_for(text, reason);
                return None;
            }
        };
        if !query.state.uninterpreted.is_empty() {
            let names = query.state.uninterpreted.join("', '");
            let reason =
                format!("the rule is wrong for some results of natives without a known meaning: '{names}'");
            self.unknown_for(text, reason);
            return None;
        }
        // A counterexample without poison is easier to understand.
        let mut plain = query.goal;
        for &leaf in &query.leaves {
            let poison = query.state.values[leaf].lane.poison;
            let defined = query.state.terms.not(&poison);
            plain = query.state.terms.and(&plain, &defined);
        }
        let values = match solver.decide(&query.state.terms, plain, time) {
            solver::Verdict::Set(values) => values,
            _ => values,
        };
        let case = counterexample::case(&query, &values, 0);
        match counterexample::replay(self.rules, self.rule, &case, index_width, &self.options.operations) {
            Ok(replayed) => Some(Counterexample {
                types: text.to_owned(),
                attributes: case.attributes,
                operands: case
                    .inputs
                    .iter()
                    .map(|(name, value)| (name.clone(), counterexample::text(value)))
                    .collect(),
                before: replayed.before,
                after: replayed.after,
                module: replayed.module,
            }),
            Err(reason) => {
                let expected = query.invalid.map(|why| format!(" ({why})")).unwrap_or_default();
                self.unknown_for(text, format!("a counterexample{expected} was not confirmed: {reason}"));
                None
            }
        }
    }
}

/// The types of the operands and results: one type if all are equal.
fn types_text(rules: &RuleSet, pattern: &Pattern, shape: &Shape, types: &[Ty], index_width: u32) -> String {
    let mut text = match types.split_first() {
        Some((first, rest)) if rest.iter().all(|ty| ty == first) => first.text(),
        _ => {
            let leaf = |(slot, node): &(usize, _)| {
                format!("{}: {}", shape::node_name(rules, pattern, *node, "%"), types[*slot].text())
            };
            let leaves: Vec<String> = shape.leaves.iter().map(leaf).collect();
            let results = |op: &shape::ShapeOp| {
                op.results.iter().map(|&slot| types[slot].text()).collect::<Vec<_>>().join(", ")
            };
            let last = shape.ops.last().map(results).unwrap_or_default();
            let inner: Vec<String> =
                shape.ops[..shape.ops.len().saturating_sub(1)].iter().map(results).collect();
            let inner = if inner.is_empty() { String::new() } else { format!(" -> {}", inner.join(", ")) };
            format!("{}{inner} -> {last}", leaves.join(", "))
        }
    };
    if types.contains(&Ty::Index) {
        text += &format!(" (index of {index_width} bits)");
    }
    text
}

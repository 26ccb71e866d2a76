//! Comparisons of rules.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drrvm::equivalence::{
    self, Config, DifferenceKind, IrGenerator, Mode, NoInstance, Options, Side, raise, share_traits,
};
use drrvm::host::Natives;
use drrvm::ir::{Context, IrHost, Module as Ir};
use drrvm::pdl::PatternId;
use drrvm::{LinkOptions, Matcher, Program, RuleSet};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{Failure, Kind, counted};
use crate::rules::Rules;
use crate::rules_data::RulesData;
use crate::run::Run;

/// One side of a comparison.
struct SideRules {
    data: Arc<RulesData>,
    /// The rules from which modules are generated.
    rules: RuleSet,
    program: Arc<Program>,
}

impl SideRules {
    fn new(data: &Arc<RulesData>) -> Self {
        let left_out: Vec<PatternId> = data.dropped();
        let rules = data.rules.clone().filter(|_| left_out.is_empty());
        let rules = rules.unwrap_or_else(|| raise(&data.program, &left_out));
        Self { data: data.clone(), rules, program: data.program.clone() }
    }

    fn fail(&self, errors: drrvm::Diagnostics) -> Failure {
        Failure::new(Kind::Rule, errors, &self.data.sources)
    }

    /// The rules that take part, with their numbers in the generator and in the program.
    fn numbered(&self) -> impl Iterator<Item = (PatternId, PatternId)> {
        let dropped = self.data.dropped();
        let kept = self.program.patterns().ids().filter(move |rule| !dropped.contains(rule));
        (0..).map(PatternId::from_raw).zip(kept)
    }

    fn link(&self, host: &mut IrHost, natives: &Natives<IrHost>) -> Result<Matcher<IrHost>, Failure> {
        let options = LinkOptions { left_out: self.data.dropped(), ..self.data.options.clone() };
        Matcher::link(self.program.clone(), host, natives, &options)
            .map_err(|error| Failure::new(Kind::MissingNative, error, &self.data.sources))
    }

    /// The names and counts of the rules that fired.
    fn by_name(&self, fired: &[(PatternId, u64)]) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        for &(rule, times) in fired {
            *all.entry(self.data.rule_name(rule)).or_default() += times;
        }
        all
    }
}

/// Searches for a module on which two rule sets give different results.
///
/// Compares `a` and `b` on random modules, which contain instances of their rules. `mode`: `"rewrite"` compares the
/// rewritten modules, `"match"` the matches at each operation, and `"semantics"` the results of functions with `arith`
/// operations. In the mode `"semantics"`, `b` can be missing; then the modules are compared before and after rewriting
/// with `a`.
///
/// Stops after `cases` modules, or after `seconds`. `jobs` is the number of threads, by default the number of
/// processors. If a rule set has Python functions, `jobs` is ignored, and there is one thread.
#[pyfunction]
#[pyo3(signature = (
    a, b = None, *, mode = "rewrite", cases = None, seconds = None, seed = 0, max_rewrites = 1000, jobs = None,
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn equiv(
    py: Python<'_>,
    a: &Bound<'_, Rules>,
    b: Option<&Bound<'_, Rules>>,
    mode: &str,
    cases: Option<u64>,
    seconds: Option<f64>,
    seed: u64,
    max_rewrites: u64,
    jobs: Option<NonZeroUsize>,
) -> PyResult<Comparison> {
    let mode = match mode {
        "rewrite" => Mode::Rewrite,
        "match" => Mode::Match,
        "semantics" => Mode::Semantics,
        _ => {
            let message = format!("the mode is 'rewrite', 'match' or 'semantics', not {mode:?}");
            return Err(PyValueError::new_err(message));
        }
    };
    if b.is_none() && mode != Mode::Semantics {
        return Err(PyValueError::new_err("only mode='semantics' compares one rule set; pass two"));
    }
    let seconds = seconds.map(Duration::try_from_secs_f64).transpose();
    let seconds =
        seconds.map_err(|_| PyValueError::new_err("seconds must be a number that is not negative"))?;
    let mut sides = vec![SideRules::new(&a.get().0)];
    sides.extend(b.map(|b| SideRules::new(&b.get().0)));
    let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = match sides.iter().any(|side| side.data.calls_python) {
        true => 1,
        false => jobs.unwrap_or_else(processors).get(),
    };
    let options = Options::default()
        .mode(mode)
        .cases(cases.unwrap_or(if seconds.is_some() { u64::MAX } else { 10_000 }))
        .jobs(jobs)
        .max_rewrites(max_rewrites)
        .seed(seed);
    Run::drive(py, move |run| {
        let until = seconds.and_then(|seconds| Instant::now().checked_add(seconds));
        let options = options.until(until).interrupt(run.rare_interrupt());
        compare(sides, &options)
    })?
    .map_err(PyErr::from)
}

fn compare(mut sides: Vec<SideRules>, options: &Options) -> Result<Comparison, Failure> {
    if let [a, b] = &mut sides[..] {
        share_traits((&mut a.rules).into(), (&mut b.rules).into());
        share_traits(Arc::make_mut(&mut a.program).into(), Arc::make_mut(&mut b.program).into());
    }
    let mut context = Context::new();
    let module = Ir::new(&mut context);
    let mut host = IrHost::new(context, module);
    let natives = sides.iter().fold(Natives::new(), |all, side| all.with(side.data.natives.clone()));
    let sets: Vec<&RuleSet> = sides.iter().map(|side| &side.rules).collect();
    let config = Config::default().seed(options.seed);
    let generator = IrGenerator::new(&sets, &mut host, &natives, &config).map_err(|e| sides[0].fail(e))?;
    let matchers =
        sides.iter().map(|side| side.link(&mut host, &natives)).collect::<Result<Vec<_>, Failure>>()?;
    let last = sides.len() - 1;
    let compared = match generator.is_empty() {
        true => None,
        false => {
            let (first, second) = (Side::new(&matchers[0]), Side::new(&matchers[last]));
            Some(equivalence::compare([&first, &second], &generator, &host, &natives, options, &|_| ()))
        }
    };
    let Some(compared) = compared else { return Ok(Comparison::nothing(options)) };

    let verb = if options.mode == Mode::Match { "matched" } else { "fired" };
    let unfired = [0, 1].map(|side| {
        // If the rules are compared with themselves, the second side usually repeats the first.
        if side > last && compared.fired[0] == compared.fired[1] {
            return BTreeMap::new();
        }
        let at = side.min(last);
        let reasons: Vec<(PatternId, &NoInstance)> = generator.without_instances(at).collect();
        let fired = &compared.fired[side];
        let idle = sides[at].numbered().filter(|(_, rule)| {
            sides[at].program.patterns().ids().zip(fired).any(|(id, &count)| id == *rule && count == 0)
        });
        idle.map(|(number, rule)| {
            let reason = reasons.iter().find(|(id, _)| *id == number);
            let reason = reason.map_or_else(
                || format!("instances were found, but none {verb}; another rule may be applied first"),
                |(_, reason)| format!("no instance was found: {reason}"),
            );
            (sides[at].data.rule_name(rule), reason)
        })
        .collect::<BTreeMap<String, String>>()
    });
    let difference = compared.difference.as_ref().map(|found| Difference::new(found, &sides));
    let undecided = compared.undecided > 0
        || compared.endless.iter().any(|&times| times > 0)
        || unfired.iter().any(|unfired| !unfired.is_empty())
        || options.mode == Mode::Semantics && compared.uninterpreted == compared.cases;
    let [unfired_a, unfired_b] = unfired;
    let [endless_a, endless_b] = compared.endless;
    Ok(Comparison {
        verdict: match (&difference, undecided) {
            (Some(_), _) => "different",
            (None, true) => "undecided",
            (None, false) => "same",
        },
        cases: compared.cases,
        seed: options.seed,
        difference,
        unfired: (unfired_a, unfired_b),
        not_converged: (endless_a, endless_b),
        uninterpreted: compared.uninterpreted,
    })
}

/// The result of `equiv`. It is true if the verdict is `"same"`.
#[pyclass(frozen, get_all, module = "drrvm")]
pub(crate) struct Comparison {
    /// The verdict: `"same"`, `"different"`, or `"undecided"` if not everything could be compared.
    verdict: &'static str,
    /// The number of modules that were compared.
    cases: u64,
    /// The seed of the modules.
    seed: u64,
    /// The first difference, on a module that is shrunk; `None` if there is none.
    difference: Option<Difference>,
    /// The rules of each side that never fired, or never matched if `mode` is `"match"`, with the reason.
    unfired: (BTreeMap<String, String>, BTreeMap<String, String>),
    /// For each side, the number of modules for which its rules did not converge.
    not_converged: (u64, u64),
    /// The number of modules that `mode="semantics"` could not interpret.
    uninterpreted: u64,
}

impl Comparison {
    /// The result if the rules name no operation.
    fn nothing(options: &Options) -> Self {
        Self {
            verdict: "undecided",
            cases: 0,
            seed: options.seed,
            difference: None,
            unfired: Default::default(),
            not_converged: (0, 0),
            uninterpreted: 0,
        }
    }
}

#[pymethods]
impl Comparison {
    fn __bool__(&self) -> bool {
        self.verdict == "same"
    }

    fn __str__(&self) -> String {
        let modules = counted(self.cases, "module");
        let mut lines = vec![match &self.difference {
            Some(found) => {
                return format!(
                    "a difference in case {} of seed {}:\n\n{}",
                    found.case,
                    self.seed,
                    found.__str__()
                );
            }
            None if self.verdict == "same" => {
                format!("no difference in {modules}, seed {}", self.seed)
            }
            None => format!("not decided: no difference in {modules}, seed {}", self.seed),
        }];
        for (title, unfired) in [("first", &self.unfired.0), ("second", &self.unfired.1)] {
            for (rule, reason) in unfired {
                lines.push(format!("rule '{rule}' of the {title} side was not compared: {reason}"));
            }
        }
        for (title, times) in [("first", self.not_converged.0), ("second", self.not_converged.1)] {
            if times > 0 {
                lines.push(format!("the {title} side does not converge for {}", counted(times, "module")));
            }
        }
        if self.uninterpreted > 0 {
            lines.push(format!("{} could not be interpreted", counted(self.uninterpreted, "module")));
        }
        lines.join("\n")
    }

    fn __repr__(&self) -> String {
        format!("<drrvm.Comparison: {}>", self.verdict)
    }
}

/// A module on which two sides differ.
#[pyclass(frozen, get_all, module = "drrvm")]
#[derive(Clone)]
pub(crate) struct Difference {
    /// The number of the case.
    case: u64,
    /// The kind of the difference: `"modules"`, `"matches"` or `"meaning"`.
    kind: &'static str,
    /// The shrunk module, before rewriting.
    input: String,
    /// For each side, the rewritten module; if `mode` is `"match"`, the module after at most one rewrite.
    outputs: (String, String),
    /// For each side, the number of times that each rule was applied, or matched if `mode` is `"match"`.
    fired: (BTreeMap<String, u64>, BTreeMap<String, u64>),
    /// The difference in words.
    detail: String,
}

impl Difference {
    fn new(found: &equivalence::Difference, sides: &[SideRules]) -> Self {
        let rules_of = |at: usize| &sides[at.min(sides.len() - 1)];
        let list = |texts: &[String]| texts.join(", ");
        let (kind, detail) = match &found.kind {
            DifferenceKind::Modules => ("modules", "the rewritten modules differ".to_owned()),
            DifferenceKind::Matches { op, rules } => {
                let names = |at: usize| -> String {
                    let names: Vec<String> =
                        rules[at].iter().map(|&rule| rules_of(at).data.rule_name(rule)).collect();
                    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
                };
                (
                    "matches",
                    format!("at {op}, the first side matches {}, and the second {}", names(0), names(1)),
                )
            }
            DifferenceKind::Meaning { side, change } => {
                let side = if *side == 0 { "first" } else { "second" };
                let after = change.after.as_deref().map_or("undefined behaviour".to_owned(), list);
                let detail = format!(
                    "the {side} side changes the meaning of function {}: for the inputs {} it returned {}, and now {after}",
                    change.function,
                    list(&change.inputs),
                    list(&change.before),
                );
                ("meaning", detail)
            }
        };
        let [first, second] = &found.outputs;
        Self {
            case: found.case,
            kind,
            input: found.input.clone(),
            outputs: (first.clone(), second.clone()),
            fired: (rules_of(0).by_name(&found.fired[0]), rules_of(1).by_name(&found.fired[1])),
            detail,
        }
    }
}

#[pymethods]
impl Difference {
    fn __str__(&self) -> String {
        let (first, second) = &self.outputs;
        format!("{}\n{}\n\nfirst side:\n{first}\nsecond side:\n{second}", self.input, self.detail)
    }

    fn __repr__(&self) -> String {
        format!("<drrvm.Difference: {}>", self.detail)
    }
}

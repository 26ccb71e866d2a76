//! Rewrites modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use drrvm::ir::{self, IrHost};
use drrvm::ods_verify::Definitions;
use drrvm::rewrite::{self, Config, Interrupt, Limit, Report, Traversal};
use drrvm::source::Diagnostics;
use drrvm::vm::{Automaton, Engine, Matcher, Reference};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{Failure, Kind, counted};
use crate::module::PyModule;
use crate::rules_data::RulesData;
use crate::run::Run;
use crate::state::{Changes, Module, State};

/// The engines that find matches.
#[derive(Clone, Copy)]
pub(crate) enum EngineChoice {
    Auto,
    Tree,
    Automaton,
    Reference,
}

impl EngineChoice {
    pub(crate) fn parse(text: &str) -> PyResult<Self> {
        match text {
            "auto" => Ok(Self::Auto),
            "tree" => Ok(Self::Tree),
            "automaton" => Ok(Self::Automaton),
            "reference" => Ok(Self::Reference),
            _ => Err(PyValueError::new_err(format!(
                "the engine is 'auto', 'tree', 'automaton' or 'reference', not {text:?}"
            ))),
        }
    }
}

/// The driver that chooses the operations on which rules are tried.
#[derive(Clone)]
pub(crate) enum Driver {
    Greedy(Config),
    Walk,
}

impl Driver {
    pub(crate) fn parse(
        kind: &str,
        traversal: &str,
        max_iterations: u32,
        max_rewrites: Option<u64>,
        fold: bool,
        merge_constants: bool,
    ) -> PyResult<Self> {
        let traversal = match traversal {
            "bottom-up" => Traversal::BottomUp,
            "top-down" => Traversal::TopDown,
            _ => {
                let message = format!("the traversal is 'bottom-up' or 'top-down', not {traversal:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        match kind {
            "greedy" => Ok(Self::Greedy(
                Config::default()
                    .traversal(traversal)
                    .max_sweeps(max_iterations)
                    .max_rewrites(max_rewrites)
                    .fold(fold)
                    .unique_constants(merge_constants),
            )),
            "walk" => Ok(Self::Walk),
            _ => Err(PyValueError::new_err(format!("the driver is 'greedy' or 'walk', not {kind:?}"))),
        }
    }

    pub(crate) fn drive<E: Engine<IrHost>>(
        &self,
        host: &mut IrHost,
        engine: &E,
        interrupt: Interrupt,
        changes: &mut Changes,
    ) -> Report {
        let top = host.module.top();
        match self {
            Driver::Greedy(config) => {
                let config = config.clone().interrupt(interrupt);
                rewrite::apply_greedily(host, top, engine, &config, changes)
            }
            Driver::Walk => rewrite::apply_in_walk_until(host, top, engine, &interrupt, changes),
        }
    }
}

/// Rewrites a copy of the module's state, and makes it the next state.
pub(crate) fn apply(
    py: Python<'_>,
    rules: &Arc<RulesData>,
    module: Arc<Module>,
    driver: &Driver,
    engine: EngineChoice,
    verify: bool,
) -> PyResult<RunResult> {
    if matches!(engine, EngineChoice::Reference) && rules.rules.is_none() {
        return Err(PyValueError::new_err("the engine 'reference' needs rules from their sources"));
    }
    let before = module.state();
    let large = before.is_large();
    let (theirs, state) = (rules.clone(), before.clone());
    let (mut next, matcher) = Run::drive_apart(py, large, move |_| {
        let mut next = State::clone(&state);
        let matcher = linked(&theirs, &mut next)?;
        if verify && next.verified != Some(theirs.number) {
            verify_module(&theirs, &mut next, None)?;
        }
        Ok::<_, Failure>((next, matcher))
    })??;
    let (theirs, driver) = (rules.clone(), driver.clone());
    let (mut next, report) = Run::drive_apart(py, large && !rules.calls_python, move |run| {
        let mut changes = next.changes();
        let report = rewrite(&theirs, &matcher, &driver, engine, &mut next.host, run, &mut changes)?;
        // After a failure the state is dropped. Advancing it would take time in proportion to the number of rewrites.
        if !run.has_failed() {
            next.advance(changes);
        }
        Ok::<_, Failure>((next, report))
    })??;
    if report.rewrites + report.folded > 0 {
        next.verified = None;
        if verify {
            let theirs = rules.clone();
            next = Run::drive_apart(py, large, move |_| {
                let note = "this is after rewriting; the module that was given is unchanged";
                verify_module(&theirs, &mut next, Some(note))?;
                Ok::<_, Failure>(next)
            })??;
        }
    }
    if !module.commit(&before, Arc::new(next)) {
        return Err(Kind::Conflict.with_message(py, "another thread changed the module meanwhile"));
    }
    Ok(RunResult::new(rules, PyModule(module), &report))
}

/// Returns the matcher of the rules for the context of a state. Links the rules if the state has no link to them.
pub(crate) fn linked(rules: &RulesData, state: &mut State) -> Result<Arc<Matcher<IrHost>>, Failure> {
    if let Some(matcher) = state.link(rules.number) {
        return Ok(matcher);
    }
    let matcher = rules.link_to(&mut state.host)?;
    state.add_link(rules.number, matcher.clone());
    Ok(matcher)
}

fn rewrite(
    rules: &RulesData,
    matcher: &Arc<Matcher<IrHost>>,
    driver: &Driver,
    engine: EngineChoice,
    host: &mut IrHost,
    run: &Arc<Run>,
    changes: &mut Changes,
) -> Result<Report, Failure> {
    let interrupt = run.interrupt();
    Ok(match (engine, &rules.rules) {
        (EngineChoice::Tree, _) => driver.drive(host, &**matcher, interrupt, changes),
        (EngineChoice::Automaton, _) => {
            driver.drive(host, &Automaton::new(matcher.clone()), interrupt, changes)
        }
        (EngineChoice::Reference, Some(set)) => {
            let reference = Reference::link(set, matcher, host, &rules.natives)
                .map_err(|errors| Failure::new(Kind::Rule, errors, &rules.sources))?;
            driver.drive(host, &reference, interrupt, changes)
        }
        (EngineChoice::Auto | EngineChoice::Reference, _) => {
            driver.drive(host, &Automaton::new(matcher.clone()).automatic(), interrupt, changes)
        }
    })
}

/// Verifies a module, and checks its operations against their definitions in the rules. `note` is added to each error.
fn verify_module(rules: &RulesData, state: &mut State, note: Option<&str>) -> Result<(), Failure> {
    let program = &rules.program;
    let definitions = Definitions::link(
        program.ops(),
        program.strings(),
        program.snippets(),
        &mut state.host,
        &rules.natives,
    );
    let host = &state.host;
    let found = ir::verify_with(&host.context, &host.module, |op, errors| {
        if let Some(wrong) = definitions.check(host, op) {
            errors.push(wrong);
        }
    });
    if !found.has_errors() {
        state.verified = Some(rules.number);
        return Ok(());
    }
    if let Some(mut state) = state.with_text() {
        verify_module(rules, &mut state, note)?;
    }
    let mut errors = Diagnostics::default();
    for error in found {
        errors.push(match note {
            Some(note) => error.with_note(note),
            None => error,
        });
    }
    Err(Failure::new(Kind::Verify, errors, &state.sources))
}

/// The result of `Rules.apply`.
#[pyclass(name = "Result", frozen, get_all, module = "drrvm")]
pub(crate) struct RunResult {
    /// The rewritten module.
    module: PyModule,
    /// The number of rewrites by each rule, without the rules that were not applied.
    rewrites: BTreeMap<String, u64>,
    /// The reason why the driver stopped early; `None` if it finished.
    not_converged: Option<NotConverged>,
    /// The number of times that rules were tried on an operation.
    visited: u64,
    /// The number of matches that were rolled back, for example because a native refused or no type could be inferred.
    refused: u64,
    /// The number of operations that were removed because they were dead or in an unreachable block.
    removed: u64,
    /// The number of times that an operation was folded.
    folded: u64,
    /// The number of constants that were merged into an equal constant.
    merged: u64,
    /// The number of sweeps of the greedy driver; 1 for the driver `"walk"`.
    iterations: u32,
}

impl RunResult {
    fn new(rules: &RulesData, module: PyModule, report: &Report) -> Self {
        let mut rewrites = BTreeMap::new();
        for (rule, &times) in rules.program.patterns().ids().zip(&report.applied) {
            if times > 0 {
                *rewrites.entry(rules.rule_name(rule)).or_default() += times;
            }
        }
        Self {
            module,
            rewrites,
            not_converged: report.not_converged.as_ref().map(|stopped| NotConverged::new(rules, stopped)),
            visited: report.visited,
            refused: report.refused,
            removed: report.removed,
            folded: report.folded,
            merged: report.merged_constants,
            iterations: report.sweeps,
        }
    }
}

#[pymethods]
impl RunResult {
    /// True if the driver finished, and did not reach a limit.
    #[getter]
    fn converged(&self) -> bool {
        self.not_converged.is_none()
    }

    /// True if anything changed.
    #[getter]
    fn changed(&self) -> bool {
        !self.rewrites.is_empty() || self.removed + self.folded + self.merged > 0
    }

    fn __repr__(&self) -> String {
        let total: u64 = self.rewrites.values().sum();
        let stopped = self
            .not_converged
            .as_ref()
            .map_or_else(String::new, |stopped| format!(", {}", stopped.__str__()));
        let (rewrites, rules) = (counted(total, "rewrite"), counted(self.rewrites.len() as u64, "rule"));
        format!("<drrvm.Result with {rewrites} by {rules}{stopped}>")
    }
}

/// The rules that still fired when a limit was reached.
#[pyclass(frozen, get_all, module = "drrvm")]
#[derive(Clone)]
pub(crate) struct NotConverged {
    /// The limit that was reached: `"max_iterations"` or `"max_rewrites"`.
    limit: &'static str,
    /// The value of the limit.
    value: u64,
    /// The rules of the last rewrites, the most frequent first, with the number of their rewrites.
    rules: Vec<(String, u64)>,
    /// The rules of the cycle that the last rewrites repeat, if there is one.
    cycle: Option<Vec<String>>,
}

impl NotConverged {
    fn new(rules: &RulesData, stopped: &rewrite::NotConverged) -> Self {
        let (limit, value) = match stopped.limit {
            Limit::Sweeps(count) => ("max_iterations", u64::from(count)),
            Limit::Rewrites(count) => ("max_rewrites", count),
            // An interrupted run ends with an exception.
            Limit::Interrupt => ("interrupt", 0),
        };
        Self {
            limit,
            value,
            rules: stopped.firing.iter().map(|&(rule, count)| (rules.rule_name(rule), count)).collect(),
            cycle: stopped
                .cycle
                .as_ref()
                .map(|cycle| cycle.iter().map(|&rule| rules.rule_name(rule)).collect()),
        }
    }
}

#[pymethods]
impl NotConverged {
    fn __str__(&self) -> String {
        let names: Vec<&str> = self.rules.iter().take(5).map(|rule| rule.0.as_str()).collect();
        // Folds and removals also count as changes.
        let change = match &names[..] {
            [] => "the module still changed".to_owned(),
            _ => format!("{} still fired", names.join(", ")),
        };
        let text = format!("stopped at {}={}, while {change}", self.limit, self.value);
        match &self.cycle {
            Some(cycle) => format!("{text}, in the cycle {}", cycle.join(" -> ")),
            None => text,
        }
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.__str__())
    }
}

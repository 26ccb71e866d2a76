//! Reports about rules: warnings, explanations and profiles.
//!
//! Reports quote operations from the text of a module. So a report parses the text again, in one source map with the
//! rules. A module that was rewritten is printed first.

use std::path::PathBuf;
use std::sync::Arc;

use drrvm::ir::{self, IrHost, OpId, PrintOptions};
use drrvm::report::{DriverTotals, Explainer, MappedProgram, ProfileReport, advise};
use drrvm::source::{Color, FileId};
use drrvm::vm::{Matcher, Profiler};
use drrvm::{Program, SourceMap};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::apply::Driver;
use crate::errors::{Diagnostic, Failure, Kind, Shown, os_error};
use crate::operation::Operation;
use crate::rules_data::RulesData;
use crate::run::Run;
use crate::state::{Changes, Module, State};
use crate::view::View;

/// The rules, or the exception about rules that were loaded from a program.
fn source_rules(rules: &RulesData) -> PyResult<&drrvm::RuleSet> {
    let message = "a compiled program does not contain its rules: compile them from their sources";
    rules.rules.as_ref().ok_or_else(|| PyValueError::new_err(message))
}

/// Warnings about rules that compile, but are probably wrong.
pub(crate) fn check(py: Python<'_>, rules: &Arc<RulesData>) -> PyResult<Vec<Diagnostic>> {
    let set = source_rules(rules)?.clone();
    let rules = rules.clone();
    Run::drive_apart(py, !rules.calls_python, move |_| {
        Shown::new(&advise(&set, &rules.natives, &rules.sources), &rules.sources).list
    })
}

/// The texts of the rules and of modules that were parsed again, and the module that was parsed last.
struct Input {
    sources: SourceMap,
    host: IrHost,
}

impl Input {
    fn new(rules: &RulesData) -> Self {
        let mut context = rules.context();
        let module = ir::Module::new(&mut context);
        Self { sources: rules.sources.clone(), host: IrHost::new(context, module) }
    }

    /// Parses the text of a state's module, and gives the module to the host.
    fn read(&mut self, state: &State) -> Result<FileId, Failure> {
        let IrHost { context, module } = &state.host;
        let text = match state.original() {
            Some(file) => file.text().clone(),
            None => module.print(context, PrintOptions::new()).into(),
        };
        let mut name = state.name().to_owned();
        let taken = |name: &str| self.sources.files().any(|file| file.name() == name);
        if taken(&name) {
            let names = (2..).map(|number| format!("{} ({number})", state.name()));
            name = names.into_iter().find(|name| !taken(name)).unwrap_or(name);
        }
        let file = self.sources.add(name, text);
        let file = file.map_err(|error| Failure::new(Kind::Parse, error, &self.sources))?;
        self.host.module = ir::parse_module(&mut self.host.context, self.sources.file(file))
            .map_err(|errors| Failure::new(Kind::Parse, errors, &self.sources))?;
        Ok(file)
    }
}

/// The operations to explain.
pub(crate) enum Subject {
    Operation(Operation),
    /// The pairs of a rule and an operation that come closest to a match, at most this many. Only rules that match no
    /// operation are considered.
    Nearest(Arc<Module>, usize),
}

/// Explains why rules match or do not match.
pub(crate) fn explain(
    py: Python<'_>,
    rules: &Arc<RulesData>,
    subject: &Subject,
    names: &[String],
) -> PyResult<Explanation> {
    let module = match subject {
        Subject::Nearest(module, _) => module,
        Subject::Operation(op) => match &op.0.view {
            View::Module(module) => module,
            View::Lent(_) => {
                return Err(PyValueError::new_err("an operation that a native receives cannot be explained"));
            }
        },
    };
    let state = module.state();
    // The text lists the operations in the order of the module, so an operation has the same number in the text.
    let number = match subject {
        Subject::Nearest(..) => None,
        Subject::Operation(op) => Some(op.0.read(py, |host| Ok(number_of(host, op.0.id)))?),
    };
    let count = match subject {
        Subject::Nearest(_, count) => Some(*count),
        Subject::Operation(_) => None,
    };
    let large = state.is_large();
    let theirs = rules.clone();
    let input = Run::drive_apart(py, large, move |_| {
        let mut input = Input::new(&theirs);
        input.read(&state)?;
        Ok::<_, Failure>(input)
    })??;
    let (rules, names) = (rules.clone(), names.to_vec());
    let report = Run::drive_apart(py, large && !rules.calls_python, move |_| {
        let Input { sources, mut host } = input;
        let matcher = rules.link_leniently(&mut host)?;
        let explainer = Explainer::new(&sources, &matcher, &names)
            .map_err(|errors| Failure::new(Kind::Rule, errors, &sources))?;
        let report = match (count, number.flatten()) {
            (Some(count), _) => explainer.nearest(&mut host, count),
            (None, number) => {
                let top = host.module.top();
                let ops: Vec<OpId> =
                    number.and_then(|number| host.module.preorder(top).nth(number)).into_iter().collect();
                explainer.at(&mut host, &ops)
            }
        };
        Ok::<_, Failure>(Explanation { text: report.text(Color::Never), json: report.json() })
    })?;
    Ok(report?)
}

/// The number of an operation in the order of the text.
fn number_of(host: &IrHost, op: OpId) -> Option<usize> {
    host.module.preorder(host.module.top()).position(|other| other == op)
}

/// The reasons why rules match or do not match. `str()` returns a text for people.
#[pyclass(frozen, module = "drrvm")]
pub(crate) struct Explanation {
    text: String,
    json: String,
}

#[pymethods]
impl Explanation {
    /// The explanation as lists and dictionaries, as `drrvm explain --format json` prints it.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (&self.json,))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> &str {
        &self.text
    }
}

/// Rewrites copies of modules, and counts the tests, matches and rewrites.
pub(crate) fn profile(
    py: Python<'_>,
    rules: &Arc<RulesData>,
    modules: &[Arc<Module>],
    driver: &Driver,
) -> PyResult<Profile> {
    let states: Vec<Arc<State>> = modules.iter().map(|module| module.state()).collect();
    let large = states.iter().any(|state| state.is_large());
    let theirs = rules.clone();
    let (mut input, modules) = Run::drive_apart(py, large, move |_| {
        let mut input = Input::new(&theirs);
        let mut modules = Vec::new();
        for state in &states {
            let file = input.read(state)?;
            let empty = ir::Module::new(&mut input.host.context);
            modules.push((file, std::mem::replace(&mut input.host.module, empty)));
        }
        Ok::<_, Failure>((input, modules))
    })??;
    let (rules, driver) = (rules.clone(), driver.clone());
    let profile = Run::drive_apart(py, large && !rules.calls_python, move |run| {
        let mapped = rules.rules.clone().map(MappedProgram::compile).transpose();
        let mapped = mapped.map_err(|errors| Failure::new(Kind::Rule, errors, &rules.sources))?;
        let program: Arc<Program> =
            mapped.as_ref().map_or_else(|| rules.program.clone(), |mapped| mapped.program().clone());
        let matcher = Matcher::link(program.clone(), &mut input.host, &rules.natives, &rules.options)
            .map_err(|error| Failure::new(Kind::MissingNative, error, &rules.sources))?;
        let profiler = Profiler::new(&matcher);
        let mut totals = DriverTotals::default();
        let mut files = Vec::new();
        for (file, module) in modules {
            files.push(file);
            input.host.module = module;
            let operations = input.host.module.op_count() as u64;
            let report = driver.drive(&mut input.host, &profiler, run.interrupt(), &mut Changes::default());
            totals.add(operations, &report);
        }
        let profile = profiler.into_profile();
        let mut report = ProfileReport::new(
            &input.sources,
            |loc| input.host.context.loc_span(loc),
            &program,
            &profile,
            totals,
        );
        if let Some(mapped) = &mapped {
            report = report.with_tree(mapped);
        }
        Ok::<_, Failure>(Profile {
            text: report.text(TOP),
            json: report.json(TOP),
            html: report.html(&files),
        })
    })?;
    Ok(profile?)
}

/// The maximum number of tree nodes in a profile, or of instructions for a compiled program. The table of `str()` has
/// at most this number of rules as well.
const TOP: usize = 20;

/// The cost and the effect of rules on modules. `str()` returns a table. A notebook displays an interactive page or,
/// for rules from a compiled program, the table.
#[pyclass(frozen, module = "drrvm")]
pub(crate) struct Profile {
    text: String,
    json: String,
    html: Option<String>,
}

#[pymethods]
impl Profile {
    /// The counts as lists and dictionaries, as `drrvm profile --format json` prints them.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (&self.json,))
    }

    /// A self-contained page with the decision tree, the rules, and the modules with the rules that fired.
    ///
    /// Raises `ValueError` for rules that were loaded from a compiled program, which has no tree.
    fn html(&self) -> PyResult<&str> {
        let message =
            "a compiled program does not contain the decision tree: compile the rules from their sources";
        self.html.as_deref().ok_or_else(|| PyValueError::new_err(message))
    }

    /// Writes the page to a file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        std::fs::write(&path, self.html()?).map_err(|error| os_error(&error, &path))
    }

    /// The page in a frame, so that its styles do not affect the notebook; without a page, the table.
    fn _repr_html_(&self) -> String {
        match &self.html {
            Some(page) => format!(
                "<iframe srcdoc=\"{}\" style=\"box-sizing: border-box; width: 100%; height: 640px; \
                 border: 1px solid #8886; border-radius: 6px\"></iframe>",
                escaped(page)
            ),
            // Without this style, some notebooks break lines and use a proportional font.
            None => format!(
                "<pre style=\"font-family: monospace; line-height: normal; white-space: pre; overflow-x: auto\">{}</pre>",
                escaped(&self.text)
            ),
        }
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> &str {
        &self.text
    }
}

/// Escapes a text for an attribute or element of HTML. Attributes must be in double quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

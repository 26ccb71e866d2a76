//! Rules, as Python sees them: compiling, storing and running them.

use std::path::PathBuf;
use std::sync::Arc;

use drrvm::compile::{self, Options};
use drrvm::source::FileId;
use drrvm::{Diagnostics, LinkOptions, Program, SourceMap};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::apply::{self, Driver, EngineChoice, RunResult};
use crate::errors::{Diagnostic, Failure, Kind, counted, os_error, warn};
use crate::matches;
use crate::module::PyModule;
use crate::operation::Operation;
use crate::reports::{self, Explanation, Profile, Subject};
use crate::rules_data::{Functions, RulesData, Unlinked};
use crate::run::{LARGE, compute};
use crate::state::{Module, Text};

/// The arguments of `compile`.
struct Input {
    files: Vec<PathBuf>,
    /// Texts with the name that messages show.
    texts: Vec<(&'static str, String)>,
    options: Options,
    functions: Functions,
    allow_missing: bool,
}

impl Input {
    fn compile(self) -> Result<RulesData, Failure> {
        let mut sources = SourceMap::default();
        let fail = |errors: Diagnostics, sources: &SourceMap| Failure::new(Kind::Rule, errors, sources);
        let link_options = |left_out| LinkOptions { allow_missing: self.allow_missing, left_out };
        if self.texts.is_empty() {
            let (compiled, warnings) = compile::compiled(&mut sources, &self.files, &self.options)
                .map_err(|errors| fail(errors, &sources))?;
            let options = link_options(compiled.left_out);
            let unlinked = Unlinked { sources, rules: compiled.rules, program: compiled.program, warnings };
            return RulesData::link(unlinked, self.functions, options);
        }
        let mut errors = Diagnostics::default();
        let mut files: Vec<FileId> = Vec::new();
        for path in &self.files {
            match sources.load(path) {
                Ok(file) => files.push(file),
                Err(error) => errors.push(error),
            }
        }
        for (name, text) in self.texts {
            match sources.add(name, text) {
                Ok(file) => files.push(file),
                Err(error) => errors.push(error),
            }
        }
        let (rules, loaded) = compile::load_added(&mut sources, &files, &self.options);
        errors.extend(loaded.diagnostics);
        if errors.has_errors() {
            return Err(fail(errors, &sources));
        }
        let program = compile::program(&rules).map_err(|errors| fail(errors, &sources))?;
        let unlinked = Unlinked { sources, rules: Some(rules), program, warnings: errors };
        RulesData::link(unlinked, self.functions, link_options(Vec::new()))
    }
}

/// Compiles rules.
///
/// `files`: a path or a list of paths. The files are TableGen files (`.td`) and `pdl` files (`.mlir`), or a single
/// compiled program (`.drrbc`). `td` and `pdl` are texts in these languages. All rules together are one rule set; the
/// order of the files breaks ties between rules of equal benefit.
///
/// `include`: folders that are searched for included files before the embedded headers of MLIR. `define`: macros of
/// TableGen's preprocessor. `natives`: functions by the name that the rules call. `type_inference`: functions by the
/// name of an operation; they get the operands and the attributes of a new operation, and return its result types.
/// `enable` and `disable` select rules by name or label. `skip_rejected` skips rules that have errors, with a warning
/// for each. `allow_missing_natives` leaves out rules that call missing natives.
///
/// Raises `RuleError` with all errors of the rules, or `MissingNativeError` for missing natives. Warnings have the
/// category `RuleWarning`.
#[pyfunction]
#[pyo3(name = "compile", signature = (
    files = None, *, td = None, pdl = None, include = None, define = Vec::new(), natives = None,
    type_inference = None, enable = Vec::new(), disable = Vec::new(), skip_rejected = false, allow_missing_natives = false,
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn compile_rules(
    py: Python<'_>,
    files: Option<&Bound<'_, PyAny>>,
    td: Option<String>,
    pdl: Option<String>,
    include: Option<&Bound<'_, PyAny>>,
    define: Vec<String>,
    natives: Option<&Bound<'_, PyAny>>,
    type_inference: Option<&Bound<'_, PyAny>>,
    enable: Vec<String>,
    disable: Vec<String>,
    skip_rejected: bool,
    allow_missing_natives: bool,
) -> PyResult<Rules> {
    let files = paths(files)?;
    if files.is_empty() && td.is_none() && pdl.is_none() {
        return Err(PyValueError::new_err("no rules are given: name files, or pass `td` or `pdl`"));
    }
    let texts = [("<td>.td", td), ("<pdl>.mlir", pdl)];
    let include_dirs = paths(include)?;
    let options =
        Options { include_dirs, defines: define, enable, disable, skip_rejected, ..Options::default() };
    let input = Input {
        files,
        texts: texts.into_iter().filter_map(|(name, text)| Some((name, text?))).collect(),
        options,
        functions: Functions::new(natives, type_inference)?,
        allow_missing: allow_missing_natives,
    };
    let data = compute(py, true, move || input.compile())??;
    warn(py, &data.warnings)?;
    Ok(Rules(Arc::new(data)))
}

/// Reads a path or a list of paths.
fn paths(object: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<PathBuf>> {
    let Some(object) = object else { return Ok(Vec::new()) };
    match object.extract::<PathBuf>() {
        Ok(path) => Ok(vec![path]),
        Err(_) => object.try_iter()?.map(|path| path?.extract()).collect(),
    }
}

/// Compiled rules. They are immutable, and threads can share them.
#[pyclass(frozen, module = "drrvm")]
pub(crate) struct Rules(pub(crate) Arc<RulesData>);

/// The module of an argument that is a module or a text.
pub(crate) fn module_of(
    py: Python<'_>,
    rules: &Arc<RulesData>,
    module: &Bound<'_, PyAny>,
    verify: bool,
) -> PyResult<Arc<Module>> {
    if let Ok(module) = module.cast::<PyModule>() {
        return Ok(module.get().0.clone());
    }
    let text = Text::extract(module)?;
    let rules = rules.clone();
    let large = text.len() > LARGE;
    Ok(compute(py, large, move || rules.parse(text, "<string>", verify))??)
}

#[pymethods]
impl Rules {
    /// Loads a compiled program from a path or from bytes.
    #[staticmethod]
    #[pyo3(signature = (
        program, *, natives = None, type_inference = None, enable = Vec::new(), disable = Vec::new(),
        allow_missing_natives = false,
    ))]
    fn load(
        py: Python<'_>,
        program: &Bound<'_, PyAny>,
        natives: Option<&Bound<'_, PyAny>>,
        type_inference: Option<&Bound<'_, PyAny>>,
        enable: Vec<String>,
        disable: Vec<String>,
        allow_missing_natives: bool,
    ) -> PyResult<Self> {
        let (name, bytes) = match program.cast::<PyBytes>() {
            Ok(bytes) => ("<bytes>".to_owned(), bytes.as_bytes().to_vec()),
            Err(_) => {
                let path: PathBuf = program.extract()?;
                let bytes = std::fs::read(&path).map_err(|error| os_error(&error, &path))?;
                (path.display().to_string(), bytes)
            }
        };
        let functions = Functions::new(natives, type_inference)?;
        let data = py.detach(move || {
            let mut sources = SourceMap::default();
            let program = Program::from_bytes(&bytes, &mut sources)
                .map_err(|error| Failure::new(Kind::Rule, error.diagnostic(&name), &sources))?;
            let left_out = program
                .unselected(&enable, &disable)
                .map_err(|errors| Failure::new(Kind::Rule, errors, &sources))?;
            let options = LinkOptions { allow_missing: allow_missing_natives, left_out };
            let unlinked = Unlinked { sources, rules: None, program, warnings: Diagnostics::default() };
            RulesData::link(unlinked, functions, options)
        })?;
        Ok(Self(Arc::new(data)))
    }

    /// Writes the compiled program to a file, without natives.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let bytes = self.program_bytes(py)?;
        std::fs::write(&path, bytes).map_err(|error| os_error(&error, &path))
    }

    /// The compiled program, without natives, as `load` accepts it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.program_bytes(py)?))
    }

    /// The names of the rules.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.program.patterns().ids().map(|rule| self.0.rule_name(rule)).collect()
    }

    /// The rules that are left out, because they are deselected or call missing natives.
    #[getter]
    fn left_out(&self) -> Vec<String> {
        self.0.dropped().into_iter().map(|rule| self.0.rule_name(rule)).collect()
    }

    /// The warnings of compilation.
    #[getter]
    fn warnings(&self) -> Vec<Diagnostic> {
        self.0.warnings.list.clone()
    }

    /// Rewrites a module.
    ///
    /// `module` is a `Module`, which is rewritten in place, or a text. If anything raises an exception, a `Module` is
    /// unchanged.
    ///
    /// `driver`: `"greedy"` applies rules until nothing changes, `"walk"` visits each operation once. The next keywords
    /// are options of the greedy driver. `max_iterations` is the maximum number of sweeps. `max_rewrites` is the
    /// maximum number of rewrites and folds together, by default 10,000 plus 8 for each operation. `traversal`:
    /// `"bottom-up"` or `"top-down"`. `fold` and `merge_constants` can be turned off.
    ///
    /// `engine`: `"auto"`, `"tree"`, `"automaton"` or `"reference"`. All engines find the same matches. `verify`: if
    /// true, the module is verified before and after rewriting, and its operations are checked against their
    /// definitions in the rules.
    #[pyo3(signature = (
        module, *, driver = "greedy", max_iterations = 10, max_rewrites = None, traversal = "bottom-up", fold = true,
        merge_constants = true, engine = "auto", verify = true,
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn apply(
        &self,
        py: Python<'_>,
        module: &Bound<'_, PyAny>,
        driver: &str,
        max_iterations: u32,
        max_rewrites: Option<u64>,
        traversal: &str,
        fold: bool,
        merge_constants: bool,
        engine: &str,
        verify: bool,
    ) -> PyResult<RunResult> {
        let driver = Driver::parse(driver, traversal, max_iterations, max_rewrites, fold, merge_constants)?;
        let engine = EngineChoice::parse(engine)?;
        let module = module_of(py, &self.0, module, false)?;
        apply::apply(py, &self.0, module, &driver, engine, verify)
    }

    /// Finds the operations of a module at which a rule matches, without changing the module.
    ///
    /// Returns the first match at each operation, or all matches with `all=True`.
    #[pyo3(signature = (module, *, all = false))]
    fn matches<'py>(
        &self,
        py: Python<'py>,
        module: &Bound<'_, PyAny>,
        all: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let module = module_of(py, &self.0, module, true)?;
        matches::matches(py, &self.0, module, all)
    }

    /// Explains why rules match or do not match.
    ///
    /// `subject` is an operation, a module, or the text of a module. For an operation, explains all rules whose root
    /// can match it. For a module, considers the rules that match no operation, and explains the `count` pairs of a
    /// rule and an operation that come closest to a match. `rule` selects the rules that are explained: a name or
    /// label, or a list of names and labels.
    #[pyo3(signature = (subject, rule = None, *, count = 10))]
    fn explain(
        &self,
        py: Python<'_>,
        subject: &Bound<'_, PyAny>,
        rule: Option<&Bound<'_, PyAny>>,
        count: usize,
    ) -> PyResult<Explanation> {
        let names: Vec<String> = match rule.map(|rule| (rule.extract(), rule)) {
            None => Vec::new(),
            Some((Ok(name), _)) => vec![name],
            Some((Err(_), names)) => names.extract()?,
        };
        let subject = match subject.cast::<Operation>() {
            Ok(op) => Subject::Operation(op.get().clone()),
            Err(_) => Subject::Nearest(module_of(py, &self.0, subject, true)?, count),
        };
        reports::explain(py, &self.0, &subject, &names)
    }

    /// Returns warnings about rules that compile, but are probably wrong: rules that can never match, are never
    /// applied, may rewrite without end, bind symbols that they do not use, or may change types.
    fn check(&self, py: Python<'_>) -> PyResult<Vec<Diagnostic>> {
        reports::check(py, &self.0)
    }

    /// Rewrites copies of modules or texts, and reports the cost and the effect of each rule. The keywords are those of
    /// `apply`.
    #[pyo3(signature = (
        *modules, driver = "greedy", max_iterations = 10, max_rewrites = None, traversal = "bottom-up", fold = true,
        merge_constants = true,
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn profile(
        &self,
        py: Python<'_>,
        modules: &Bound<'_, PyTuple>,
        driver: &str,
        max_iterations: u32,
        max_rewrites: Option<u64>,
        traversal: &str,
        fold: bool,
        merge_constants: bool,
    ) -> PyResult<Profile> {
        let driver = Driver::parse(driver, traversal, max_iterations, max_rewrites, fold, merge_constants)?;
        let modules = modules.iter().map(|module| module_of(py, &self.0, &module, true));
        reports::profile(py, &self.0, &modules.collect::<PyResult<Vec<_>>>()?, &driver)
    }

    /// The number of rules.
    fn __len__(&self) -> usize {
        self.0.program.patterns().len()
    }

    fn __repr__(&self) -> String {
        format!("<drrvm.Rules with {}>", counted(self.__len__() as u64, "rule"))
    }
}

impl Rules {
    fn program_bytes(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let data = self.0.clone();
        let bytes = py.detach(move || {
            compile::file(&data.program, &data.sources)
                .map_err(|errors| Failure::new(Kind::Rule, errors, &data.sources))
        });
        Ok(bytes?)
    }
}

//! Errors as Python exceptions, which `_errors.py` defines, and numbers in messages.

use std::path::Path;

use drrvm::source::{Color, Severity, render, render_all};
use drrvm::{Diagnostics, SourceMap};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// A number with a noun in the singular or plural.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The exceptions of `_errors.py` that Rust code uses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Rule,
    MissingNative,
    Parse,
    Verify,
    Stale,
    Conflict,
    Refusal,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Rule => "RuleError",
            Kind::MissingNative => "MissingNativeError",
            Kind::Parse => "ParseError",
            Kind::Verify => "VerifyError",
            Kind::Stale => "StaleError",
            Kind::Conflict => "ConflictError",
            Kind::Refusal => "Refusal",
        }
    }

    pub(crate) fn class(self, py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
        Ok(py.import("drrvm._errors")?.getattr(self.name())?.cast_into()?)
    }

    /// The exception with this message and without diagnostics.
    pub(crate) fn with_message(self, py: Python<'_>, message: &str) -> PyErr {
        match self.class(py).and_then(|class| class.call1((message,))) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

/// One error, warning or note.
#[pyclass(frozen, get_all, module = "drrvm")]
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    /// The severity: `"error"`, `"warning"` or `"note"`.
    severity: &'static str,
    /// The message, without its place.
    message: String,
    /// The name of the file; `None` if the place is unknown.
    file: Option<String>,
    /// The line, from 1.
    line: Option<u32>,
    /// The column, from 1.
    column: Option<u32>,
    /// Notes, without their places.
    notes: Vec<String>,
    /// Advice.
    help: Vec<String>,
    /// The diagnostic with its source line and a caret.
    rendered: String,
}

#[pymethods]
impl Diagnostic {
    fn __str__(&self) -> &str {
        &self.rendered
    }

    fn __repr__(&self) -> String {
        let place = match (&self.file, self.line, self.column) {
            (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
            _ => String::new(),
        };
        format!("<{place}{}: {}>", self.severity, self.message)
    }
}

/// Rendered diagnostics. They contain no Python objects, so they can be created without the interpreter lock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) list: Vec<Diagnostic>,
}

impl Shown {
    pub(crate) fn new(diagnostics: &Diagnostics, sources: &SourceMap) -> Self {
        let list = diagnostics.iter().map(|diagnostic| {
            let at = sources.locate(diagnostic.span());
            Diagnostic {
                severity: match diagnostic.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                    Severity::Note => "note",
                },
                message: diagnostic.message.clone(),
                file: at.as_ref().map(|at| at.file.name().to_owned()),
                line: at.as_ref().map(|at| at.line),
                column: at.as_ref().map(|at| at.column),
                notes: diagnostic.notes.iter().map(|note| note.text.clone()).collect(),
                help: diagnostic.help.iter().map(|help| in_python(help.clone())).collect(),
                rendered: in_python(render(diagnostic, sources, Color::Never)),
            }
        });
        Self { text: in_python(render_all(diagnostics, sources, Color::Never)), list: list.collect() }
    }
}

/// Parts of help texts that name options of the command, each with the text that the package shows instead.
const HELP: [(&str, &str); 2] = [
    ("pass the directory that contains the file with -I", "pass the folder that holds it as `include`"),
    ("`drrvm dump --stage pdl` shows the rules with their names", "`Rules.names` lists the rules"),
];

fn in_python(text: String) -> String {
    HELP.iter().fold(text, |text, (command, python)| text.replace(command, python))
}

/// A failure of a stage. It contains no Python objects, so it can be created without the interpreter lock.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    shown: Shown,
}

impl Failure {
    pub(crate) fn new(kind: Kind, diagnostics: impl Into<Diagnostics>, sources: &SourceMap) -> Self {
        Self { kind, shown: Shown::new(&diagnostics.into(), sources) }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        Python::attach(|py| {
            let Failure { kind, shown } = failure;
            let made = kind.class(py).and_then(|class| class.call1((shown.text.trim_end(), shown.list)));
            made.map_or_else(|error| error, PyErr::from_value)
        })
    }
}

/// The exception about a file that cannot be read or written.
pub(crate) fn os_error(error: &std::io::Error, path: &Path) -> PyErr {
    let path = path.display().to_string();
    match error.raw_os_error() {
        // Python chooses the class by the number.
        Some(number) => PyOSError::new_err((number, error.to_string(), path)),
        None => PyOSError::new_err(format!("{path}: {error}")),
    }
}

/// Issues each warning through Python's `warnings`.
pub(crate) fn warn(py: Python<'_>, warnings: &Shown) -> PyResult<()> {
    if warnings.list.is_empty() {
        return Ok(());
    }
    let category = py.import("drrvm._errors")?.getattr("RuleWarning")?;
    for warning in &warnings.list {
        let text = format!("\n{}", warning.rendered.trim_end());
        py.import("warnings")?.call_method1("warn", (text, &category, 2))?;
    }
    Ok(())
}

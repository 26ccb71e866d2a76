//! Modules, as Python sees them.

use std::path::PathBuf;
use std::sync::Arc;

use drrvm::ir::{Context, PrintOptions};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::errors::{counted, os_error};
use crate::operation::{Operation, Order, Walk};
use crate::run::{LARGE, compute};
use crate::state::{Module, State, Text, parse};
use crate::view::{OpRef, View};

/// A module of MLIR.
///
/// `Module.parse(text)` reads a module, and `str(module)` prints it.
#[pyclass(name = "Module", frozen, module = "drrvm")]
#[derive(Clone)]
pub(crate) struct PyModule(pub(crate) Arc<Module>);

#[pymethods]
impl PyModule {
    /// Reads a module from text: the generic form of any operation, the custom forms of `builtin`, `func`, `arith` and
    /// `cf`, and the custom forms that drrvm implements in Rust, such as `scf.for`. `name` is the name of the file in
    /// messages. `verify=False` accepts invalid modules.
    #[staticmethod]
    #[pyo3(signature = (text, *, name = "<string>", verify = true))]
    fn parse(py: Python<'_>, text: &Bound<'_, PyAny>, name: &str, verify: bool) -> PyResult<Self> {
        let (text, name) = (Text::extract(text)?, name.to_owned());
        let large = text.len() > LARGE;
        let state = compute(py, large, move || parse(text, &name, Context::new(), Vec::new(), verify))??;
        Ok(Self(Module::new(state)))
    }

    /// Reads a module from a file.
    #[staticmethod]
    #[pyo3(signature = (path, *, verify = true))]
    fn load(py: Python<'_>, path: PathBuf, verify: bool) -> PyResult<Self> {
        let (bytes, path) = compute(py, true, move || (std::fs::read(&path), path))?;
        let text = Text::File(bytes.map_err(|error| os_error(&error, &path))?);
        let (name, large) = (path.display().to_string(), text.len() > LARGE);
        let state = compute(py, large, move || parse(text, &name, Context::new(), Vec::new(), verify))??;
        Ok(Self(Module::new(state)))
    }

    /// The text. `generic`: every operation in generic form; `debug_info`: with locations; `local_scope`: without
    /// aliases.
    #[pyo3(signature = (*, generic = false, debug_info = false, local_scope = false))]
    fn text(&self, py: Python<'_>, generic: bool, debug_info: bool, local_scope: bool) -> PyResult<String> {
        let options = PrintOptions::new().generic(generic).debug_info(debug_info).local_scope(local_scope);
        let state = self.0.state();
        let large = state.is_large();
        compute(py, large, move || state.host.module.print(&state.host.context, options))
    }

    /// The operation that contains all others.
    #[getter]
    fn top(&self) -> Operation {
        let state = self.0.state();
        let view = View::Module(self.0.clone());
        Operation(OpRef { view, id: state.host.module.top(), version: state.version() })
    }

    /// Iterates over all operations, including the top one. In the order `"pre"` an operation comes before the
    /// operations inside it, in the order `"post"` after them.
    #[pyo3(signature = (order = "pre"))]
    fn walk(&self, py: Python<'_>, order: &str) -> PyResult<Walk> {
        Walk::new(py, &self.top().0, Order::parse(order)?)
    }

    /// Raises `VerifyError` if the module is invalid. Only operations of `builtin`, `func`, `arith` and `cf` are
    /// verified by their definition.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let state = self.0.state();
        let large = state.is_large();
        let result = compute(py, large, move || state.verify())?;
        Ok(result?)
    }

    /// A copy. Later changes of this module do not change the copy.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let state = self.0.state();
        let large = state.is_large();
        Ok(Self(Module::new(compute(py, large, move || State::clone(&state))?)))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    /// A module is pickled as its text.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let py = slf.py();
        let text = slf.get().text(py, true, true, false)?;
        Ok((PyType::new::<PyModule>(py).getattr("parse")?, (text,)))
    }

    /// The number of operations, including the top one.
    fn __len__(&self) -> usize {
        self.0.state().host.module.op_count()
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, false, false, false)
    }

    fn __repr__(&self) -> String {
        format!("<drrvm.Module with {}>", counted(self.__len__() as u64, "operation"))
    }
}

//! Exchange of modules with xDSL.
//!
//! Specification: [`read::read`] returns the module that drrvm's parser reads from the generic text that xDSL prints.
//! [`write::update`] changes an xDSL module so that xDSL prints the generic text of the rewritten module.
//!
//! Both functions work on the objects of xDSL, because the printer and parser of xDSL would take most of the time of a
//! rewrite. Only types, attributes and locations are exchanged as text. [`write::update`] does not touch operations
//! that no rule changed. The functions that write get a `maker`: a Python object whose methods find the classes of
//! operations, and create types, attributes and locations of xDSL.

mod literals;
mod originals;
mod read;
mod write;

use std::sync::Arc;

use drrvm::source::SourceMap;
use pyo3::prelude::*;

use crate::module::PyModule;
use crate::rules::Rules;
use crate::state::{Module, State};
use originals::Originals;

/// A module that was read from xDSL, with the objects that it was read from.
#[pyclass(frozen, module = "drrvm._drrvm")]
pub(crate) struct Mirror {
    /// The state of the module when it was read.
    initial_state: Arc<State>,
    /// The objects of xDSL that the state was read from.
    originals: Originals,
    /// The module, which rules can rewrite.
    #[pyo3(get)]
    module: PyModule,
}

#[pymethods]
impl Mirror {
    /// Reads an operation `builtin.module` of xDSL. If `rules` is given, the module has the context to which these
    /// rules are linked.
    #[new]
    #[pyo3(signature = (top, rules = None))]
    fn new(top: &Bound<'_, PyAny>, rules: Option<&Rules>) -> PyResult<Self> {
        let (context, links) = rules.map(|rules| rules.0.linked_context()).unwrap_or_default();
        let (host, originals) = read::read(top, context)?;
        let slots = host.module.op_slots();
        let state = State::new(host, Arc::new(SourceMap::default()), links).with_names(slots);
        let module = PyModule(Module::new(state));
        Ok(Self { initial_state: module.0.state(), originals, module })
    }

    /// Changes the module of xDSL so that it equals `module`. `maker` creates the new types, attributes and locations.
    fn write(&self, py: Python<'_>, maker: &Bound<'_, PyAny>) -> PyResult<()> {
        write::update(py, &self.initial_state, &self.originals, &self.module.0.state(), maker)
    }
}

/// Creates an operation `builtin.module` of xDSL that equals a module. `maker` creates the types, attributes and
/// locations.
#[pyfunction]
pub(crate) fn xdsl_module<'py>(
    py: Python<'py>,
    module: &PyModule,
    maker: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    write::create(py, &module.0.state(), maker)
}

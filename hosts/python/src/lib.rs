//! drrvm as a Python package.
//!
//! The package calls only the public interface of the library. `python/drrvm/` adds the parts that are simpler in
//! Python: the exceptions, the signatures of natives, the bridge to JAX, and a part of the bridge to xDSL.

mod apply;
mod equiv;
mod errors;
mod literal;
mod matches;
mod module;
mod natives;
mod numbers;
mod operation;
mod reports;
mod rules;
mod rules_data;
mod run;
mod state;
mod view;
mod xdsl;

/// The part of drrvm that is written in Rust; import `drrvm` instead.
#[pyo3::pymodule]
mod _drrvm {
    #[pymodule_export]
    use crate::apply::{NotConverged, RunResult};
    #[pymodule_export]
    use crate::equiv::{Comparison, Difference, equiv};
    #[pymodule_export]
    use crate::errors::Diagnostic;
    #[pymodule_export]
    use crate::literal::{PyAttribute, PyLocation, PyType};
    #[pymodule_export]
    use crate::matches::Match;
    #[pymodule_export]
    use crate::module::PyModule;
    #[pymodule_export]
    use crate::natives::PyRewriter;
    #[pymodule_export]
    use crate::numbers::{PyApFloat, PyApInt};
    #[pymodule_export]
    use crate::operation::{Attributes, Operation, Value, Walk};
    #[pymodule_export]
    use crate::reports::{Explanation, Profile};
    #[pymodule_export]
    use crate::rules::{Rules, compile_rules};
    #[pymodule_export]
    use crate::xdsl::{Mirror, xdsl_module};
}

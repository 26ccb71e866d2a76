//! Matches without rewriting.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use drrvm::host::{Entity, Ir, WalkOrder};
use drrvm::ir::{IrHost, OpId};
use drrvm::pdl::PatternId;
use drrvm::vm::Engine;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::apply::linked;
use crate::errors::Failure;
use crate::natives::to_python;
use crate::operation::Operation;
use crate::rules_data::RulesData;
use crate::run::Run;
use crate::state::{Module, State};
use crate::view::{StateReader, View};

/// A match of a rule.
#[pyclass(frozen, get_all, module = "drrvm")]
pub(crate) struct Match {
    /// The name of the rule.
    rule: String,
    /// The operation at which the rule matches.
    operation: Operation,
    /// The matched parts of the IR by the symbols of the rule, without the dollar sign: `"x"` for `$x`.
    bindings: BTreeMap<String, Py<PyAny>>,
}

#[pymethods]
impl Match {
    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<{} at {}>", self.rule, self.operation.__repr__(py))
    }
}

/// A match as the engine found it.
struct Found {
    op: OpId,
    rule: PatternId,
    bindings: Vec<(String, Entity<IrHost>)>,
}

/// The matches of rules in a module, in the order of the operations.
pub(crate) fn matches<'py>(
    py: Python<'py>,
    rules: &Arc<RulesData>,
    module: Arc<Module>,
    all: bool,
) -> PyResult<Bound<'py, PyList>> {
    let before = module.state();
    let large = before.is_large();
    let (theirs, theirs_module) = (rules.clone(), module.clone());
    // Linking adds names to the context, so it needs a copy of the state.
    let state = Run::drive_apart(py, large, move |run| {
        if before.link(theirs.number).is_some() {
            return Ok(before);
        }
        let mut next = State::clone(&before);
        linked(&theirs, &mut next)?;
        let next = Arc::new(next);
        // If another thread has stored a newer state, the link is lost, and a later call links the rules again.
        if !run.has_failed() {
            let _ = theirs_module.commit(&before, next.clone());
        }
        Ok::<_, Failure>(next)
    })??;
    let (theirs, searched) = (rules.clone(), state.clone());
    let found = Run::drive_apart(py, large && !rules.calls_python, move |run| {
        let matcher = searched.link(theirs.number);
        matcher.map_or_else(Vec::new, |matcher| find(&theirs, &*matcher, &searched.host, run, all))
    })?;
    let view = View::Module(module);
    let reader = StateReader::module(&state, &view);
    let show = |found: Found| {
        let mut bindings = BTreeMap::new();
        for (name, entity) in &found.bindings {
            bindings.insert(name.clone(), to_python(py, &reader, entity)?.unbind());
        }
        let (rule, operation) = (rules.rule_name(found.rule), Operation(reader.op(found.op)));
        Ok::<_, PyErr>(Match { rule, operation, bindings })
    };
    let matches = PyList::empty(py);
    let mut found = found.into_iter().enumerate();
    while let Some((number, next)) = found.next() {
        if number.is_multiple_of(BATCH)
            && let Err(error) = py.check_signals()
        {
            free_apart(matches.unbind(), found);
            return Err(error);
        }
        matches.append(show(next)?)?;
    }
    Ok(matches)
}

/// The number of matches between two checks for signals.
const BATCH: usize = 1000;

/// Frees matches in another thread, and takes the interpreter lock only for short times.
fn free_apart(matches: Py<PyList>, found: impl Send + 'static) {
    // If no thread can be started, the current thread frees them.
    let _ = thread::Builder::new().spawn(move || {
        drop(found);
        let shorten = |py: Python<'_>| {
            let matches = matches.bind(py);
            let length = matches.len();
            matches.del_slice(length.saturating_sub(BATCH), length).is_ok() && !matches.is_empty()
        };
        while Python::try_attach(shorten) == Some(true) {}
    });
}

fn find<E: Engine<IrHost>>(rules: &RulesData, engine: &E, host: &IrHost, run: &Run, all: bool) -> Vec<Found> {
    let mut ops = Vec::new();
    let top = host.module.top();
    host.walk(top, WalkOrder::Pre, &mut |op| ops.push(op));
    let mut cache = engine.cache();
    let mut found = Vec::new();
    for op in ops.into_iter().filter(|&op| op != top) {
        let mut matched = engine.match_first(host, op, &mut cache);
        while let Some(rule) = matched {
            if run.must_stop() {
                return found;
            }
            let mut bindings = Vec::new();
            for node in rules.program.nodes(rule) {
                if let Some(name) = rules.program.node_name(rule, node)
                    && let Some(entity) = engine.binding(host, &mut cache, node)
                {
                    bindings.push((name.to_owned(), entity));
                }
            }
            found.push(Found { op, rule, bindings });
            matched = if all { engine.next_match(host, &mut cache) } else { None };
        }
        if run.must_stop() {
            return found;
        }
    }
    found
}

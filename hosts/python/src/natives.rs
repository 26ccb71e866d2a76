//! Natives: Python functions that rules call.
//!
//! A native runs with the interpreter lock, on the thread that matches and rewrites. The operations, values and
//! attributes that it receives belong to the IR that is matched or rewritten, and cannot be read after the call. If the
//! native raises `Refusal`, its rule is not applied. Any other exception stops the run.

use std::sync::Arc;

use drrvm::host::{
    AttrSpec, Bind, Entity, Facets, Ir, NamedAttr, Natives, NewOp, OpState, Refusal, Signature, TypeSpec,
};
use drrvm::ir::{AttrId, IrHost, TypeId};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::Kind;
use crate::literal::{PyAttribute, PyLocation, PyType};
use crate::numbers::{PyApFloat, PyApInt};
use crate::operation::{Operation, Value};
use crate::run::Run;
use crate::view::{Lent, StateReader, View};

type EntityKind = drrvm::host::Kind;

/// All kinds of arguments and results. `_natives.py` and printed signatures use the same names for the kinds.
const KINDS: [EntityKind; 13] = [
    EntityKind::Op,
    EntityKind::Value,
    EntityKind::Values,
    EntityKind::Type,
    EntityKind::Types,
    EntityKind::Attr,
    EntityKind::Attrs,
    EntityKind::Int,
    EntityKind::Bool,
    EntityKind::Str,
    EntityKind::ApInt,
    EntityKind::ApFloat,
    EntityKind::Location,
];

fn kind(name: &str) -> PyResult<EntityKind> {
    let found = KINDS.into_iter().find(|kind| kind.to_string() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("'{name}' is not a kind of arguments")))
}

fn signature(params: Option<Vec<Option<EntityKind>>>, results: &[EntityKind]) -> Signature {
    Signature { params, results: results.iter().copied().map(Some).collect() }
}

/// A registered Python function.
struct Native {
    name: String,
    function: Py<PyAny>,
    /// True if the first argument is a [`PyRewriter`].
    takes_rewriter: bool,
    results: Vec<EntityKind>,
}

/// The built-in natives, and the natives in a mapping from names to functions.
pub(crate) fn natives(functions: Option<&Bound<'_, PyAny>>) -> PyResult<Natives<IrHost>> {
    let mut natives = drrvm::natives::all();
    let Some(functions) = functions else { return Ok(natives) };
    let read_signature = functions.py().import("drrvm._natives")?.getattr("signature")?;
    let functions = functions.py().get_type::<PyDict>().call1((functions,))?.cast_into::<PyDict>()?;
    for (name, function) in functions {
        let name: String = name.extract()?;
        type Parts = (bool, Option<Vec<Option<String>>>, Vec<String>, bool);
        let parts: Parts = read_signature.call1((&name, &function))?.extract()?;
        let (takes_rewriter, params, results, is_predicate) = parts;
        let kinds = |names: Vec<Option<String>>| -> PyResult<Vec<Option<EntityKind>>> {
            names.into_iter().map(|name| name.map(|name| kind(&name)).transpose()).collect()
        };
        let params = params.map(kinds).transpose()?;
        let results: Vec<EntityKind> = results.iter().map(|name| kind(name)).collect::<PyResult<_>>()?;
        let native = |results: &[EntityKind]| Native {
            name: name.clone(),
            function: function.clone().unbind(),
            takes_rewriter,
            results: results.to_vec(),
        };
        // Rules can call a function without a rewriter while matching or while rewriting, so it is registered for both.
        if !takes_rewriter {
            let native = native(&results);
            let signature = signature(params.clone(), &results);
            natives =
                natives.constraint_with(&name, signature, true, move |host, args| native.holds(host, args));
        }
        let results = if is_predicate { vec![EntityKind::Bool] } else { results };
        let native = native(&results);
        let signature = signature(params, &results);
        natives =
            natives.rewrite_with(&name, signature, move |rewriter, args| native.rewrite(rewriter, args));
    }
    Ok(natives)
}

/// Adds functions that infer the result types of new operations. `functions` maps names of operations to functions.
pub(crate) fn with_type_inference(
    natives: Natives<IrHost>,
    functions: Option<&Bound<'_, PyAny>>,
) -> PyResult<Natives<IrHost>> {
    let Some(functions) = functions else { return Ok(natives) };
    let mut natives = natives;
    for (name, function) in functions.py().get_type::<PyDict>().call1((functions,))?.cast_into::<PyDict>()? {
        let name: String = name.extract()?;
        if !function.is_callable() {
            return Err(PyTypeError::new_err(format!("the type inference of '{name}' is not callable")));
        }
        let native = Native {
            name: name.clone(),
            function: function.unbind(),
            takes_rewriter: false,
            results: vec![EntityKind::Types],
        };
        natives = natives.type_inference(&name, move |host, new| native.infer(host, new));
    }
    Ok(natives)
}

impl Native {
    /// Calls a type inference with the operands and the attributes of a new operation.
    fn infer(&self, host: &mut IrHost, new: &NewOp<'_, IrHost>) -> Result<Vec<TypeId>, Refusal> {
        let run = Run::current();
        if run.as_ref().is_some_and(|run| run.has_failed()) {
            return Err(Refusal::new("an earlier native has failed"));
        }
        let called = Python::attach(|py| {
            let (view, result) = Lent::ir(host, |lent| {
                let view = View::Lent(lent.clone());
                let reader = StateReader::lent(host, &view);
                let operands = to_python(py, &reader, &Entity::Values(new.operands.to_vec()))?;
                let attributes = PyDict::new(py);
                for &(name, attr) in new.attributes {
                    attributes.set_item(name, to_python(py, &reader, &Entity::Attr(Some(attr)))?)?;
                }
                let result = self.call(py, None, vec![operands, attributes.into_any()])?;
                Ok::<_, PyErr>((view.clone(), result))
            })?;
            self.results(py, &result, &mut Target { view: &view, ir: Access::Make(host) })
        });
        match called {
            Ok(mut results) => match results.pop() {
                Some(Entity::Types(types)) => Ok(types),
                _ => Err(Refusal::new("a type inference returns no types")),
            },
            Err(error) => Err(self.refuse(run.as_deref(), error)),
        }
    }

    /// Calls a constraint; `None` if it does not hold.
    fn holds(&self, host: &IrHost, args: &[Entity<IrHost>]) -> Option<Vec<Entity<IrHost>>> {
        let run = Run::current();
        if run.as_ref().is_some_and(|run| run.has_failed()) {
            return None;
        }
        let called = Python::attach(|py| {
            Lent::ir(host, |lent| {
                let view = View::Lent(lent.clone());
                let args = arguments(py, &StateReader::lent(host, &view), args)?;
                let result = self.call(py, None, args)?;
                match (&self.results[..], result.is_none()) {
                    ([], _) => Ok(result.is_truthy()?.then(Vec::new)),
                    (_, true) => Ok(None),
                    (_, false) => self
                        .results(py, &result, &mut Target { view: &view, ir: Access::Find(host) })
                        .map(Some),
                }
            })
        });
        match called {
            Ok(results) => results,
            Err(error) => {
                self.stop(run.as_deref(), error);
                None
            }
        }
    }

    /// Calls a rewrite.
    fn rewrite(
        &self,
        rewriter: &mut drrvm::host::Rewriter<'_, IrHost>,
        args: &[Entity<IrHost>],
    ) -> Result<Vec<Entity<IrHost>>, Refusal> {
        let run = Run::current();
        if run.as_ref().is_some_and(|run| run.has_failed()) {
            return Err(Refusal::new("an earlier native has failed"));
        }
        let called = Python::attach(|py| {
            Lent::rewriter(rewriter, |lent| {
                let view = View::Lent(lent.clone());
                let args = lent.rewrite(py, |rewriter| {
                    arguments(py, &StateReader::lent(rewriter.host(), &view), args)
                })?;
                let proxy = self.takes_rewriter.then(|| PyRewriter(lent.clone()));
                let result = self.call(py, proxy, args)?;
                lent.rewrite(py, |rewriter| {
                    let ir = Access::Make(rewriter.host_mut());
                    self.results(py, &result, &mut Target { view: &view, ir })
                })
            })
        });
        called.map_err(|error| self.refuse(run.as_deref(), error))
    }

    /// Returns the refusal that an exception causes. Stops the run unless the native refuses.
    fn refuse(&self, run: Option<&Run>, error: PyErr) -> Refusal {
        let reason = format!("'{}' raises {error}", self.name);
        self.stop(run, error);
        Refusal::new(reason)
    }

    fn call<'py>(
        &self,
        py: Python<'py>,
        rewriter: Option<PyRewriter>,
        args: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rewriter = rewriter.map(|rewriter| rewriter.into_bound_py_any(py)).transpose()?;
        let args: Vec<_> = rewriter.into_iter().chain(args).collect();
        let args = PyTuple::new(py, args)?;
        self.function.bind(py).call1(args)
    }

    /// The results that a call returned.
    fn results(
        &self,
        py: Python<'_>,
        result: &Bound<'_, PyAny>,
        target: &mut Target<'_>,
    ) -> PyResult<Vec<Entity<IrHost>>> {
        match &self.results[..] {
            [] => Ok(Vec::new()),
            [one] => Ok(vec![self.result(py, result, *one, target)?]),
            several => {
                let expected = format!("{} results", several.len());
                let parts = result.try_iter().map_err(|_| self.wrong(&type_name(result), &expected))?;
                let parts: Vec<Bound<'_, PyAny>> = parts.collect::<PyResult<_>>()?;
                if parts.len() != several.len() {
                    return Err(self.wrong(&format!("a sequence of length {}", parts.len()), &expected));
                }
                parts.iter().zip(several).map(|(part, kind)| self.result(py, part, *kind, target)).collect()
            }
        }
    }

    fn result(
        &self,
        py: Python<'_>,
        result: &Bound<'_, PyAny>,
        kind: EntityKind,
        target: &mut Target<'_>,
    ) -> PyResult<Entity<IrHost>> {
        let entity = target.entity(py, result, kind)?;
        entity.ok_or_else(|| self.wrong(&type_name(result), &kind.to_string()))
    }

    /// The exception about a result that does not fit the annotations.
    fn wrong(&self, found: &str, expected: &str) -> PyErr {
        PyTypeError::new_err(format!("native '{}' returns {found}; expected {expected}", self.name))
    }

    /// Stops the run because of an exception, unless the native refuses.
    fn stop(&self, run: Option<&Run>, error: PyErr) {
        Python::attach(|py| {
            if Kind::Refusal.class(py).is_ok_and(|class| error.is_instance(py, &class)) {
                return;
            }
            match run {
                Some(run) => run.fail(error),
                None => error.write_unraisable(py, Some(self.function.bind(py))),
            }
        });
    }
}

/// The name of an object's type.
fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| String::new(), |name| name.to_string())
}

fn arguments<'py>(
    py: Python<'py>,
    reader: &StateReader<'_>,
    args: &[Entity<IrHost>],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    args.iter().map(|arg| to_python(py, reader, arg)).collect()
}

/// The Python object of an entity. Null is `None`.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    reader: &StateReader<'_>,
    entity: &Entity<IrHost>,
) -> PyResult<Bound<'py, PyAny>> {
    let attr = |id: AttrId| PyAttribute::of(reader.view(), id);
    let ty = |id: TypeId| PyType::of(reader.view(), reader, id);
    match entity {
        Entity::Op(op) => Operation(reader.op(*op)).into_bound_py_any(py),
        Entity::Value(value) => value.and_then(|value| reader.value(value)).map(Value).into_bound_py_any(py),
        Entity::Values(values) => {
            let values = values.iter().filter_map(|&value| reader.value(value)).map(Value);
            values.collect::<Vec<_>>().into_bound_py_any(py)
        }
        Entity::Type(id) => ty(*id).into_bound_py_any(py),
        Entity::Types(ids) => ids.iter().map(|&id| ty(id)).collect::<Vec<_>>().into_bound_py_any(py),
        Entity::Attr(id) => id.map(attr).into_bound_py_any(py),
        Entity::Attrs(ids) => ids.iter().map(|&id| attr(id)).collect::<Vec<_>>().into_bound_py_any(py),
        Entity::Int(value) => value.into_bound_py_any(py),
        Entity::Bool(value) => value.into_bound_py_any(py),
        Entity::Str(text) => text.into_bound_py_any(py),
        Entity::ApInt(value) => PyApInt(value.clone()).into_bound_py_any(py),
        Entity::ApFloat(value) => PyApFloat(*value).into_bound_py_any(py),
        Entity::Location(id) => PyLocation::of(&reader.context, *id).into_bound_py_any(py),
    }
}

/// The IR to which the results of a native belong.
struct Target<'a> {
    view: &'a View,
    ir: Access<'a>,
}

enum Access<'a> {
    /// While matching, types and attributes are only looked up.
    Find(&'a IrHost),
    Make(&'a mut IrHost),
}

impl Target<'_> {
    /// The entity of a Python object; `None` if the object is not of this kind.
    fn entity(
        &mut self,
        py: Python<'_>,
        object: &Bound<'_, PyAny>,
        kind: EntityKind,
    ) -> PyResult<Option<Entity<IrHost>>> {
        let list = || -> PyResult<Vec<Bound<'_, PyAny>>> { object.try_iter()?.collect() };
        Ok(match kind {
            EntityKind::Op => match object.cast::<Operation>() {
                Ok(op) => Some(Entity::Op(op.get().0.id_in(py, self.view)?)),
                Err(_) => None,
            },
            EntityKind::Value if object.is_none() => Some(Entity::Value(None)),
            EntityKind::Attr if object.is_none() => Some(Entity::Attr(None)),
            EntityKind::Value => match object.cast::<Value>() {
                Ok(value) => Some(Entity::Value(Some(value.get().0.id_in(py, self.view)?))),
                Err(_) => None,
            },
            EntityKind::Values => {
                let values = list()?;
                let ids = values.iter().map(|value| value.cast::<Value>()?.get().0.id_in(py, self.view));
                Some(Entity::Values(ids.collect::<PyResult<_>>()?))
            }
            EntityKind::Type => self.ty(object)?.map(Entity::Type),
            EntityKind::Types => {
                let ids: Option<Vec<TypeId>> =
                    list()?.iter().map(|ty| self.ty(ty)).collect::<PyResult<_>>()?;
                ids.map(Entity::Types)
            }
            EntityKind::Attr => self.attr(py, object)?.map(|attr| Entity::Attr(Some(attr))),
            EntityKind::Attrs => {
                let ids: Option<Vec<AttrId>> =
                    list()?.iter().map(|attr| self.attr(py, attr)).collect::<PyResult<_>>()?;
                ids.map(Entity::Attrs)
            }
            EntityKind::Int => Some(Entity::Int(object.extract()?)),
            EntityKind::Bool => Some(Entity::Bool(object.is_truthy()?)),
            EntityKind::Str => Some(Entity::Str(object.extract::<String>()?.into())),
            EntityKind::ApInt => {
                object.cast::<PyApInt>().ok().map(|value| Entity::ApInt(value.get().0.clone()))
            }
            EntityKind::ApFloat => {
                object.cast::<PyApFloat>().ok().map(|value| Entity::ApFloat(value.get().0))
            }
            EntityKind::Location => match (object.cast::<PyLocation>(), &mut self.ir) {
                (Ok(location), Access::Make(host)) => {
                    Some(Entity::Location(location.get().id_in(&mut host.context)?))
                }
                (Ok(_), Access::Find(_)) => {
                    return Err(PyTypeError::new_err("a constraint cannot return a location"));
                }
                (Err(_), _) => None,
            },
        })
    }

    fn ty(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Option<TypeId>> {
        let Ok(ty) = object.cast::<PyType>() else { return Ok(None) };
        let ty = ty.get();
        match &mut self.ir {
            Access::Make(host) => ty.id_in(self.view, &mut host.context).map(Some),
            Access::Find(host) => match ty.known_in(self.view) {
                Some(id) => Ok(Some(id)),
                None => {
                    let found = host.find_type(&TypeSpec::Text(ty.text().to_owned()));
                    found.map(Some).ok_or_else(|| not_in_ir(ty.text()))
                }
            },
        }
    }

    fn attr(&mut self, py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Option<AttrId>> {
        let Ok(attr) = object.cast::<PyAttribute>() else { return Ok(None) };
        let attr = attr.get();
        match (attr.known_in(self.view), &mut self.ir) {
            (Some(id), _) => Ok(Some(id)),
            (None, Access::Make(host)) => attr.parsed(py, &mut host.context).map(Some),
            (None, Access::Find(host)) => {
                let text = attr.text(py)?;
                let found = host.find_attr(&AttrSpec::Text(text.to_owned()));
                found.map(Some).ok_or_else(|| not_in_ir(text))
            }
        }
    }
}

fn not_in_ir(text: &str) -> PyErr {
    let text: String = text.chars().take(200).collect();
    PyValueError::new_err(format!(
        "a constraint can return only what the module contains, and the module lacks {text}"
    ))
}

/// Creates, replaces and erases operations for a native. Replacements and erasures take effect when the rule that calls
/// the native is applied. A native receives a rewriter if its first parameter has this type.
#[pyclass(name = "Rewriter", frozen, module = "drrvm")]
pub(crate) struct PyRewriter(Arc<Lent>);

impl PyRewriter {
    fn view(&self) -> View {
        View::Lent(self.0.clone())
    }
}

#[pymethods]
impl PyRewriter {
    /// The operation at which the rule matched. New operations are inserted before it.
    #[getter]
    fn root(&self, py: Python<'_>) -> PyResult<Operation> {
        let view = self.view();
        self.0.rewrite(py, |rewriter| {
            Ok(Operation(StateReader::lent(rewriter.host(), &view).op(rewriter.root())))
        })
    }

    /// Creates an operation before the root, with the location of the root.
    #[pyo3(signature = (name, operands = Vec::new(), attributes = None, types = Vec::new()))]
    fn create(
        &self,
        py: Python<'_>,
        name: &str,
        operands: Vec<Bound<'_, Value>>,
        attributes: Option<&Bound<'_, PyDict>>,
        types: Vec<Bound<'_, PyType>>,
    ) -> PyResult<Operation> {
        let view = self.view();
        let operands: Vec<_> =
            operands.iter().map(|operand| operand.get().0.id_in(py, &view)).collect::<PyResult<_>>()?;
        let mut entries: Vec<(String, Bound<'_, PyAttribute>)> = Vec::new();
        for (name, attr) in attributes.into_iter().flatten() {
            entries.push((name.extract()?, attr.cast_into()?));
        }
        // Texts are read first, because the rewriter is in use below.
        for (_, attr) in &entries {
            if attr.get().known_in(&view).is_none() {
                attr.get().text(py)?;
            }
        }
        self.0.rewrite(py, |rewriter| {
            let location = rewriter.host().location(rewriter.root());
            let host = rewriter.host_mut();
            let name = host.bind_op_name(name);
            let mut all = Vec::with_capacity(entries.len());
            for (attr_name, attr) in &entries {
                let attr_name = host.bind_attr_name(attr_name);
                let attr = attr.get();
                let value = match attr.known_in(&view) {
                    Some(id) => id,
                    None => attr.parsed(py, &mut host.context)?,
                };
                let inherent = host.context.inherent(name).contains(&attr_name);
                all.push(NamedAttr { name: attr_name, value, inherent });
            }
            let mut result_types = Vec::with_capacity(types.len());
            for ty in &types {
                result_types.push(ty.get().id_in(&view, &mut host.context)?);
            }
            let state = OpState {
                name,
                operands: &operands,
                result_types: &result_types,
                attributes: &all,
                regions: 0,
                location,
            };
            let op = rewriter.create(&state).map_err(|refusal| PyValueError::new_err(refusal.to_string()))?;
            Ok(Operation(StateReader::lent(rewriter.host(), &view).op(op)))
        })
    }

    /// Replaces the results of an operation and erases it when the rule is applied.
    fn replace(&self, py: Python<'_>, op: &Operation, values: Vec<Bound<'_, Value>>) -> PyResult<()> {
        let view = self.view();
        let op = op.0.id_in(py, &view)?;
        let values: Vec<_> =
            values.iter().map(|value| value.get().0.id_in(py, &view)).collect::<PyResult<_>>()?;
        self.0.rewrite(py, |rewriter| {
            rewriter.replace(op, &values).map_err(|refusal| PyValueError::new_err(refusal.to_string()))
        })
    }

    /// Erases an operation when the rule is applied.
    fn erase(&self, py: Python<'_>, op: &Operation) -> PyResult<()> {
        let op = op.0.id_in(py, &self.view())?;
        self.0.rewrite(py, |rewriter| {
            rewriter.erase(op);
            Ok(())
        })
    }
}

/// The exception about an object of another IR.
fn foreign(py: Python<'_>) -> PyErr {
    Kind::Stale.with_message(py, "the object belongs to another call or module")
}

impl crate::view::OpRef {
    /// The operation in the IR of a call.
    fn id_in(&self, py: Python<'_>, view: &View) -> PyResult<drrvm::ir::OpId> {
        if self.view.is(view) { Ok(self.id) } else { Err(foreign(py)) }
    }
}

impl crate::view::ValueRef {
    /// The value in the IR of a call.
    fn id_in(&self, py: Python<'_>, view: &View) -> PyResult<drrvm::ir::ValueId> {
        if self.view.is(view) { Ok(self.id) } else { Err(foreign(py)) }
    }
}

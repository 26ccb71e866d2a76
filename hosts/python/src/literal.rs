//! Types, attributes and locations: immutable objects that are equal if their texts are equal.
//!
//! An object is created from text or from a Python value, or it belongs to a module or to a call of a native. The text
//! of an attribute can be large, so it is printed when it is first needed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use drrvm::host::{ElementValue, Facets, Signedness, TypeKind};
use drrvm::ir::{AttrId, AttrKind, Context, DYNAMIC, IrHost, LocId, LocKind, Module, TypeId};
use drrvm::source::{Diagnostic, SourceMap};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::{Failure, Kind};
use crate::numbers::to_python;
use crate::view::View;

/// The maximum nesting depth of a Python value that becomes an attribute, and of an attribute that becomes a value.
const DEPTH_LIMIT: u32 = 200;

/// An empty module, whose context reads and prints literals.
fn scratch() -> IrHost {
    let mut context = Context::new();
    let module = Module::new(&mut context);
    IrHost::new(context, module)
}

/// The exception about an invalid text.
pub(crate) fn parse_error(what: &str, text: &str, error: Diagnostic) -> PyErr {
    let shown: String = text.chars().take(200).collect();
    let error = error.with_note(format!("this is not {what}: {shown}"));
    Failure::new(Kind::Parse, error, &SourceMap::default()).into()
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A type. Types are equal if their texts are equal.
#[pyclass(name = "Type", frozen, module = "drrvm")]
pub(crate) struct PyType {
    text: String,
    origin: Option<(View, TypeId)>,
}

impl PyType {
    pub(crate) fn of(view: &View, host: &IrHost, id: TypeId) -> Self {
        Self { text: host.context.type_text(id), origin: Some((view.clone(), id)) }
    }

    fn detached(host: &IrHost, id: TypeId) -> Self {
        Self { text: host.context.type_text(id), origin: None }
    }

    /// The id in the IR of a view, if the type comes from there.
    pub(crate) fn known_in(&self, view: &View) -> Option<TypeId> {
        self.origin.as_ref().filter(|(origin, _)| origin.is(view)).map(|&(_, id)| id)
    }

    /// The id in the IR of a view.
    pub(crate) fn id_in(&self, view: &View, context: &mut Context) -> PyResult<TypeId> {
        self.known_in(view).map_or_else(|| self.parsed(context), Ok)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn parsed(&self, context: &mut Context) -> PyResult<TypeId> {
        context.parse_type(&self.text).map_err(|error| parse_error("a type", &self.text, error))
    }

    fn inspect<R>(&self, inspect: impl FnOnce(&IrHost, TypeId) -> R) -> PyResult<R> {
        let mut host = scratch();
        let id = self.parsed(&mut host.context)?;
        Ok(inspect(&host, id))
    }
}

#[pymethods]
impl PyType {
    /// Reads a type: `Type("tensor<4xf32>")`.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let mut host = scratch();
        let id = host.context.parse_type(text).map_err(|error| parse_error("a type", text, error))?;
        Ok(Self::detached(&host, id))
    }

    /// The kind: `"integer"`, `"index"`, `"float"`, `"none"`, `"complex"`, `"vector"`, `"tensor"`, `"memref"`,
    /// `"function"`, `"tuple"` or `"dialect"`.
    #[getter]
    fn kind(&self) -> PyResult<&'static str> {
        self.inspect(|host, id| host.type_kind(id).class_name())
    }

    /// The number of bits of an integer or float; otherwise `None`.
    #[getter]
    fn width(&self) -> PyResult<Option<u32>> {
        self.inspect(|host, id| host.type_kind(id).bit_width())
    }

    /// The sizes of a vector, tensor or memref, with `None` for an unknown size; `None` for types without a rank.
    #[getter]
    fn shape(&self) -> PyResult<Option<Vec<Option<i64>>>> {
        self.inspect(|host, id| {
            let sizes = host.context.type_kind(id).shape()?.iter();
            Some(sizes.map(|&size| (size != DYNAMIC).then_some(size)).collect())
        })
    }

    /// The element type of a vector, tensor, memref or complex type; otherwise `None`.
    #[getter]
    fn element_type(&self) -> PyResult<Option<PyType>> {
        self.inspect(|host, id| {
            let element = match host.type_kind(id) {
                TypeKind::Complex(element) => Some(element),
                _ => host.context.type_kind(id).element(),
            };
            element.map(|element| Self::detached(host, element))
        })
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("Type({:?})", self.text)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyType>().is_ok_and(|other| other.get().text == self.text)
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.text)
    }
}

/// An attribute. Attributes are equal if their texts are equal.
#[pyclass(name = "Attribute", frozen, module = "drrvm")]
pub(crate) struct PyAttribute {
    text: OnceLock<String>,
    origin: Option<(View, AttrId)>,
}

impl PyAttribute {
    pub(crate) fn of(view: &View, id: AttrId) -> Self {
        Self { text: OnceLock::new(), origin: Some((view.clone(), id)) }
    }

    fn detached(host: &IrHost, id: AttrId) -> Self {
        Self { text: OnceLock::from(host.context.attr_text(id)), origin: None }
    }

    /// The id in the IR of a view, if the attribute comes from there.
    pub(crate) fn known_in(&self, view: &View) -> Option<AttrId> {
        self.origin.as_ref().filter(|(origin, _)| origin.is(view)).map(|&(_, id)| id)
    }

    pub(crate) fn parsed(&self, py: Python<'_>, context: &mut Context) -> PyResult<AttrId> {
        let text = self.text(py)?;
        context.parse_attr(text).map_err(|error| parse_error("an attribute", text, error))
    }

    pub(crate) fn text(&self, py: Python<'_>) -> PyResult<&str> {
        if let Some(text) = self.text.get() {
            return Ok(text);
        }
        let Some((view, id)) = &self.origin else { return Ok("") };
        let text = view.read_literals(py, |host| Ok(host.context.attr_text(*id)))?;
        Ok(self.text.get_or_init(|| text))
    }

    fn inspect<'py, R>(
        &self,
        py: Python<'py>,
        inspect: impl FnOnce(&IrHost, AttrId) -> PyResult<R>,
    ) -> PyResult<R> {
        if let Some((view, id)) = &self.origin {
            return view.read_literals(py, |host| inspect(host, *id));
        }
        let mut host = scratch();
        let id = self.parsed(py, &mut host.context)?;
        inspect(&host, id)
    }
}

#[pymethods]
impl PyAttribute {
    /// Reads an attribute: `Attribute("4 : i32")`.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let mut host = scratch();
        let id = host.context.parse_attr(text).map_err(|error| parse_error("an attribute", text, error))?;
        Ok(Self::detached(&host, id))
    }

    /// The attribute of a Python value: a `bool`, an `int` or `float` of the given `type` (by default `i64` and `f64`),
    /// a `str`, a `Type`, an `Attribute`, `None` for `unit`, or a list, tuple or dictionary of these.
    #[staticmethod]
    #[pyo3(name = "of", signature = (value, r#type = None))]
    fn of_value(value: &Bound<'_, PyAny>, r#type: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut host = scratch();
        let ty = match r#type {
            None => None,
            Some(given) => Some(match given.cast::<PyType>() {
                Ok(ty) => ty.get().parsed(&mut host.context)?,
                Err(_) => PyType::new(given.extract()?)?.parsed(&mut host.context)?,
            }),
        };
        let id = attr_of(&mut host.context, value, ty, 0)?;
        Ok(Self::detached(&host, id))
    }

    /// The value in Python: a `bool` for an integer of one bit, an `int`, `float`, `str`, `Type`, list or dictionary,
    /// and `None` for `unit`. Dense elements are a list, or the one element if they are a splat. A dense array is
    /// always a list. A reference to a symbol is its text.
    ///
    /// Raises `TypeError` for an attribute without such a value.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.inspect(py, |host, id| value_of(py, host, id, 0))
    }

    /// The type of the attribute, such as `i32` for `1 : i32`; `None` if the attribute has no type.
    #[getter]
    fn r#type(&self, py: Python<'_>) -> PyResult<Option<PyType>> {
        self.inspect(py, |host, id| Ok(host.context.attr_type(id).map(|ty| PyType::detached(host, ty))))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py).map(str::to_owned)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.text(py)?;
        let short: String = text.chars().take(200).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        Ok(format!("Attribute({short:?}{more})"))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<PyAttribute>() else { return Ok(false) };
        let other = other.get();
        match (&self.origin, &other.origin) {
            (Some((view, id)), Some((other_view, other_id))) if view.is(other_view) => Ok(id == other_id),
            _ => Ok(self.text(py)? == other.text(py)?),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        self.text(py).map(hash_of)
    }
}

/// The attribute of a Python value.
fn attr_of(
    context: &mut Context,
    value: &Bound<'_, PyAny>,
    ty: Option<TypeId>,
    depth: u32,
) -> PyResult<AttrId> {
    if depth > DEPTH_LIMIT {
        return Err(PyValueError::new_err(format!(
            "the value is nested more than {DEPTH_LIMIT} levels deep"
        )));
    }
    let py = value.py();
    if value.is_none() {
        return Ok(Context::UNIT);
    }
    if let Ok(attr) = value.cast::<PyAttribute>() {
        return attr.get().parsed(py, context);
    }
    if let Ok(ty) = value.cast::<PyType>() {
        let ty = ty.get().parsed(context)?;
        return Ok(context.intern_attr(AttrKind::Type(ty)));
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(context.bool_attr(value.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        let ty = context.type_text(ty.unwrap_or(Context::I64));
        let text = format!("{value} : {ty}");
        return context.parse_attr(&text).map_err(|error| parse_error("an integer", &text, error));
    }
    if let Ok(value) = value.cast::<PyFloat>() {
        let ty = ty.unwrap_or(Context::F64);
        if !matches!(context.type_kind(ty), drrvm::ir::TypeKind::Float(_)) {
            return Err(PyTypeError::new_err(format!("{} is not a float type", context.type_text(ty))));
        }
        return Ok(context.float_attr(value.value(), ty));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(context.string_attr(text.to_str()?));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items: Vec<AttrId> =
            value.try_iter()?.map(|item| attr_of(context, &item?, ty, depth + 1)).collect::<PyResult<_>>()?;
        return Ok(context.intern_attr(AttrKind::Array(items.into())));
    }
    if let Ok(entries) = value.cast::<PyDict>() {
        let mut all = Vec::new();
        for (name, value) in entries {
            let name = context.attr_name(name.extract()?);
            all.push((name, attr_of(context, &value, ty, depth + 1)?));
        }
        return Ok(context.dictionary(&mut all));
    }
    Err(PyTypeError::new_err(format!("{} cannot be an attribute", value.get_type().name()?)))
}

/// The Python value of an attribute.
fn value_of<'py>(py: Python<'py>, host: &IrHost, id: AttrId, depth: u32) -> PyResult<Bound<'py, PyAny>> {
    if depth > DEPTH_LIMIT {
        return Err(PyValueError::new_err(format!(
            "the attribute is nested more than {DEPTH_LIMIT} levels deep"
        )));
    }
    let context = &host.context;
    let element = |index: usize| match host.attr_element(id, index as u64) {
        Some(ElementValue::Attr(attr)) => value_of(py, host, attr, depth + 1),
        Some(ElementValue::Int(value)) => {
            let ty = context.attr_type(id).and_then(|ty| context.type_kind(ty).element());
            integer(py, context, &value, ty)
        }
        Some(ElementValue::Float(value)) => value.to_f64().into_bound_py_any(py),
        Some(ElementValue::Str(text)) => text.into_bound_py_any(py),
        None => Err(PyTypeError::new_err("the elements of the attribute have no value in Python")),
    };
    let all = |len: u64| -> PyResult<Bound<'py, PyAny>> {
        let elements = (0..usize::try_from(len)?).map(element).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, elements)?.into_any())
    };
    match context.attr_kind(id) {
        AttrKind::Unit => Ok(py.None().into_bound(py)),
        AttrKind::Integer { value, ty } => integer(py, context, value, Some(*ty)),
        AttrKind::Float { value, .. } => value.to_f64().into_bound_py_any(py),
        AttrKind::String { text, .. } => context.str(*text).into_bound_py_any(py),
        AttrKind::SymbolRef { .. } => context.attr_text(id).into_bound_py_any(py),
        AttrKind::Type(ty) => PyType::detached(host, *ty).into_bound_py_any(py),
        AttrKind::Array(items) => all(items.len() as u64),
        AttrKind::Dictionary(entries) => {
            let dictionary = PyDict::new(py);
            for &(name, value) in entries.iter() {
                dictionary.set_item(context.attr_name_text(name), value_of(py, host, value, depth + 1)?)?;
            }
            Ok(dictionary.into_any())
        }
        _ => match host.attr_kind(id) {
            drrvm::host::AttrKind::DenseElements { splat: true, .. } => element(0),
            drrvm::host::AttrKind::DenseElements { len, .. } | drrvm::host::AttrKind::DenseArray { len } => {
                all(len)
            }
            _ => Err(PyTypeError::new_err(format!("{} has no value in Python", context.brief_attr(id)))),
        },
    }
}

fn integer<'py>(
    py: Python<'py>,
    context: &Context,
    value: &drrvm::host::ApInt,
    ty: Option<TypeId>,
) -> PyResult<Bound<'py, PyAny>> {
    if value.width() == 1 {
        return value.is_one().into_bound_py_any(py);
    }
    let unsigned = ty.is_some_and(|ty| {
        matches!(context.type_kind(ty), drrvm::ir::TypeKind::Integer { signedness: Signedness::Unsigned, .. })
    });
    to_python(py, value, !unsigned)
}

/// A location. Locations are equal if their texts are equal.
#[pyclass(name = "Location", frozen, module = "drrvm")]
pub(crate) struct PyLocation {
    text: String,
    place: Option<(String, u32, u32)>,
}

impl PyLocation {
    pub(crate) fn of(context: &Context, id: LocId) -> Self {
        Self { text: context.loc_text(id), place: place(context, id) }
    }

    /// The location in a context.
    pub(crate) fn id_in(&self, context: &mut Context) -> PyResult<LocId> {
        context.parse_loc(&self.text).map_err(|error| parse_error("a location", &self.text, error))
    }
}

/// The file, line and column of a location. A named location has those of its child, a call site has those of its
/// callee, and a fused location has those of its first part.
fn place(context: &Context, id: LocId) -> Option<(String, u32, u32)> {
    let mut id = id;
    loop {
        id = match context.loc_kind(id) {
            LocKind::FileLineCol { file, line, column } => {
                return Some((context.str(file).to_owned(), line, column));
            }
            LocKind::FileRange { file, start, .. } => {
                return Some((context.str(file).to_owned(), start.0, start.1));
            }
            LocKind::Name { child, .. } => child,
            LocKind::CallSite { callee, .. } => callee,
            LocKind::Fused { locations, .. } => *locations.first()?,
            _ => return None,
        };
    }
}

#[pymethods]
impl PyLocation {
    /// Reads a location: `Location('loc("model.py":12:4)')`.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let mut context = Context::new();
        let id = context.parse_loc(text).map_err(|error| parse_error("a location", text, error))?;
        Ok(Self::of(&context, id))
    }

    /// The file; `None` if the location has none.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.place.as_ref().map(|place| place.0.as_str())
    }

    /// The line, from 1; `None` if the location has none.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.place.as_ref().map(|place| place.1)
    }

    /// The column, from 1; `None` if the location has none.
    #[getter]
    fn column(&self) -> Option<u32> {
        self.place.as_ref().map(|place| place.2)
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("Location({:?})", self.text)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyLocation>().is_ok_and(|other| other.get().text == self.text)
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.text)
    }
}

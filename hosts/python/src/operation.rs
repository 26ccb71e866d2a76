//! Operations, values and attribute dictionaries.

use drrvm::host::{Ir, WalkOrder};
use drrvm::ir::{AttrId, IrHost, OpId, ValueDef};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;

use crate::literal::{PyAttribute, PyLocation, PyType};
use crate::view::{OpRef, ValueRef, View};

/// The order of a walk.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    Pre,
    Post,
}

impl Order {
    pub(crate) fn parse(text: &str) -> PyResult<Self> {
        match text {
            "pre" => Ok(Self::Pre),
            "post" => Ok(Self::Post),
            _ => Err(PyValueError::new_err(format!("the order is 'pre' or 'post', not {text:?}"))),
        }
    }
}

/// An operation of a module.
///
/// Reading an operation that rules have erased raises `StaleError`.
#[pyclass(frozen, module = "drrvm")]
#[derive(Clone)]
pub(crate) struct Operation(pub(crate) OpRef);

#[pymethods]
impl Operation {
    /// The name: `"arith.addi"`.
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        self.0.read(py, |host| Ok(host.op_name_text(host.op_name(self.0.id))))
    }

    /// The operands.
    #[getter]
    fn operands(&self, py: Python<'_>) -> PyResult<Vec<Value>> {
        self.0.read(py, |host| {
            let operands = host.module.operands(self.0.id).iter();
            Ok(operands.filter_map(|&operand| host.value(operand)).map(Value).collect())
        })
    }

    /// The results.
    #[getter]
    fn results(&self, py: Python<'_>) -> PyResult<Vec<Value>> {
        self.0.read(py, |host| {
            let results = host.module.results(self.0.id);
            Ok(results.filter_map(|result| host.value(result)).map(Value).collect())
        })
    }

    /// The inherent and discardable attributes by name: a read-only mapping.
    #[getter]
    fn attributes(&self, py: Python<'_>) -> PyResult<Attributes> {
        self.0.read(py, |host| {
            let module = &host.module;
            let dictionaries = [module.properties(self.0.id), module.attrs(self.0.id)];
            let entries = dictionaries.iter().flat_map(|&entries| host.context.entries(entries));
            let entries =
                entries.map(|&(name, value)| (host.context.attr_name_text(name).to_owned(), value)).collect();
            Ok(Attributes { view: self.0.view.clone(), entries })
        })
    }

    /// The location.
    #[getter]
    fn location(&self, py: Python<'_>) -> PyResult<PyLocation> {
        self.0.read(py, |host| Ok(PyLocation::of(&host.context, host.location(self.0.id))))
    }

    /// The operation that contains this one; `None` for the top operation.
    #[getter]
    fn parent(&self, py: Python<'_>) -> PyResult<Option<Operation>> {
        self.0.read(py, |host| Ok(host.module.parent(self.0.id).map(|op| Operation(host.op(op)))))
    }

    /// The blocks of each region, with the operations of each block.
    #[getter]
    fn regions(&self, py: Python<'_>) -> PyResult<Vec<Vec<Vec<Operation>>>> {
        self.0.read(py, |host| {
            let module = &host.module;
            let block = |block| module.ops(block).map(|op| Operation(host.op(op))).collect();
            let regions = module.regions(self.0.id).iter();
            Ok(regions.map(|&region| module.region_blocks(region).map(block).collect()).collect())
        })
    }

    /// Iterates over this operation and the operations inside it.
    #[pyo3(signature = (order = "pre"))]
    fn walk(&self, py: Python<'_>, order: &str) -> PyResult<Walk> {
        Walk::new(py, &self.0, Order::parse(order)?)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.0.read(py, |host| Ok(text(host, self.0.id)))
    }

    pub(crate) fn __repr__(&self, py: Python<'_>) -> String {
        self.__str__(py).map_or_else(|_| "<an erased operation>".to_owned(), |text| format!("<{text}>"))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Operation>().is_ok_and(|other| self.0.is(&other.get().0))
    }

    fn __hash__(&self) -> u32 {
        self.0.id.raw()
    }
}

/// The name, operand types, attributes and result types of an operation.
fn text(host: &IrHost, op: OpId) -> String {
    let (module, context) = (&host.module, &host.context);
    let operands: Vec<String> =
        module.operands(op).iter().map(|&value| context.brief_type(module.value_type(value))).collect();
    let results: Vec<String> =
        module.results(op).map(|value| context.brief_type(module.value_type(value))).collect();
    let entries = [module.properties(op), module.attrs(op)];
    let attributes: Vec<String> = entries
        .iter()
        .flat_map(|&entries| context.entries(entries))
        .map(|&(name, value)| format!("{} = {}", context.attr_name_text(name), context.brief_attr(value)))
        .collect();
    let attributes =
        if attributes.is_empty() { String::new() } else { format!(" {{{}}}", attributes.join(", ")) };
    let name = context.op_name_text(module.name(op));
    format!("{name}{attributes} : ({}) -> ({})", operands.join(", "), results.join(", "))
}

/// A value: the result of an operation, or an argument of a block.
#[pyclass(frozen, module = "drrvm")]
#[derive(Clone)]
pub(crate) struct Value(pub(crate) ValueRef);

#[pymethods]
impl Value {
    /// The type.
    #[getter]
    fn r#type(&self, py: Python<'_>) -> PyResult<PyType> {
        self.0.read(py, |host| Ok(PyType::of(host.view(), host, host.value_type(self.0.id))))
    }

    /// The operation that defines this value; `None` for an argument of a block.
    #[getter]
    fn defining_op(&self, py: Python<'_>) -> PyResult<Option<Operation>> {
        self.0.read(py, |host| Ok(host.defining_op(self.0.id).map(|op| Operation(host.op(op)))))
    }

    /// The index among the results of the operation, or among the arguments of the block.
    #[getter]
    fn index(&self, py: Python<'_>) -> PyResult<u32> {
        self.0.read(py, |host| {
            Ok(match host.module.value_def(self.0.id) {
                ValueDef::Result { index, .. } | ValueDef::Argument { index, .. } => index,
                ValueDef::Forward => 0,
            })
        })
    }

    /// The uses: each operation that uses the value, with the index of the operand.
    #[getter]
    fn uses(&self, py: Python<'_>) -> PyResult<Vec<(Operation, u32)>> {
        self.0.read(py, |host| {
            let module = &host.module;
            let uses = module.uses(self.0.id);
            Ok(uses
                .map(|used| (Operation(host.op(module.use_owner(used))), module.use_index(used)))
                .collect())
        })
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let shown = self.0.read(py, |host| {
            let ty = host.context.brief_type(host.value_type(self.0.id));
            Ok(match host.module.value_def(self.0.id) {
                ValueDef::Result { op, index } => {
                    format!("<result {index} of {} : {ty}>", host.op_name_text(host.op_name(op)))
                }
                ValueDef::Argument { index, .. } => format!("<block argument {index} : {ty}>"),
                ValueDef::Forward => format!("<value : {ty}>"),
            })
        });
        shown.unwrap_or_else(|_| "<a value that was erased>".to_owned())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Value>().is_ok_and(|other| self.0.is(&other.get().0))
    }

    fn __hash__(&self) -> u32 {
        self.0.id.raw()
    }
}

/// The attributes of an operation at the time when they were read: a read-only mapping from names to attributes.
#[pyclass(frozen, mapping, module = "drrvm")]
pub(crate) struct Attributes {
    view: View,
    entries: Vec<(String, AttrId)>,
}

impl Attributes {
    fn find(&self, name: &str) -> Option<PyAttribute> {
        let entry = self.entries.iter().find(|entry| entry.0 == name)?;
        Some(PyAttribute::of(&self.view, entry.1))
    }
}

#[pymethods]
impl Attributes {
    fn __len__(&self) -> usize {
        self.entries.len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.0 == name)
    }

    fn __getitem__(&self, name: &str) -> PyResult<PyAttribute> {
        self.find(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.keys().into_pyobject(py)?.try_iter()?.into_any())
    }

    /// The attribute of this name, or `default`.
    #[pyo3(signature = (name, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.find(name) {
            Some(found) => Ok(Some(Bound::new(py, found)?.into_any())),
            None => Ok(default),
        }
    }

    /// The names.
    fn keys(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.0.clone()).collect()
    }

    /// The attributes.
    fn values(&self) -> Vec<PyAttribute> {
        self.entries.iter().map(|entry| PyAttribute::of(&self.view, entry.1)).collect()
    }

    /// The names and attributes.
    fn items(&self) -> Vec<(String, PyAttribute)> {
        self.keys().into_iter().zip(self.values()).collect()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let entries = self.view.read_literals(py, |host| {
            let entry = |(name, id): &(String, AttrId)| format!("{name} = {}", host.context.brief_attr(*id));
            Ok(self.entries.iter().map(entry).collect::<Vec<_>>())
        })?;
        Ok(format!("{{{}}}", entries.join(", ")))
    }
}

/// An iterator over operations.
#[pyclass(module = "drrvm")]
pub(crate) struct Walk {
    view: View,
    version: u64,
    ops: std::vec::IntoIter<OpId>,
}

impl Walk {
    pub(crate) fn new(py: Python<'_>, root: &OpRef, order: Order) -> PyResult<Self> {
        let mut ops = Vec::new();
        let order = match order {
            Order::Pre => WalkOrder::Pre,
            Order::Post => WalkOrder::Post,
        };
        let version = root.read(py, |host| {
            host.walk(root.id, order, &mut |op| ops.push(op));
            Ok(host.version)
        })?;
        Ok(Self { view: root.view.clone(), version, ops: ops.into_iter() })
    }
}

#[pymethods]
impl Walk {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> Option<Operation> {
        let id = self.ops.next()?;
        Some(Operation(OpRef { view: self.view.clone(), id, version: self.version }))
    }

    fn __length_hint__(&self) -> usize {
        self.ops.len()
    }
}

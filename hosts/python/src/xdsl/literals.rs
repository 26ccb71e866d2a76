//! Types, attributes and locations of xDSL.
//!
//! They are exchanged as text. Most of them occur often, so their ids and objects are cached.

use std::collections::HashMap;

use drrvm::host::OpNameId;
use drrvm::ir::{AttrId, Context, LocId, TypeId};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use rustc_hash::FxBuildHasher;

use crate::literal::parse_error;

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// An object of xDSL for each id.
pub(super) type Known = Map<u32, Py<PyAny>>;

/// A cache of ids of one kind.
struct Cache<'py> {
    /// The ids by the addresses of objects, which `objects` keeps alive.
    addresses: Map<usize, u32>,
    objects: Vec<Bound<'py, PyAny>>,
    /// The ids by the values of objects.
    values: Bound<'py, PyDict>,
    known: Known,
}

impl<'py> Cache<'py> {
    fn new(py: Python<'py>) -> Self {
        Self {
            addresses: Map::default(),
            objects: Vec::new(),
            values: PyDict::new(py),
            known: Known::default(),
        }
    }

    /// The id of an object; `read` returns the id of a text.
    fn id(&mut self, object: &Bound<'py, PyAny>, read: impl FnOnce(&str) -> PyResult<u32>) -> PyResult<u32> {
        let address = object.as_ptr() as usize;
        if let Some(&id) = self.addresses.get(&address) {
            return Ok(id);
        }
        let equal = match self.values.get_item(object) {
            // The object has no hash.
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => None,
            equal => equal?,
        };
        let id = match equal {
            Some(id) => id.extract()?,
            None => {
                let text = object.str()?;
                let text = text.to_str()?;
                let id = read(text)?;
                // In Python, zeros of different signs are equal, so they must not be keys. A text without the digit 0
                // contains no zero.
                if !text.contains('0') {
                    let _ = self.values.set_item(object, id);
                }
                id
            }
        };
        self.remember(object, id);
        Ok(id)
    }

    fn remember(&mut self, object: &Bound<'py, PyAny>, id: u32) {
        self.addresses.insert(object.as_ptr() as usize, id);
        self.objects.push(object.clone());
        self.known.entry(id).or_insert_with(|| object.clone().unbind());
    }
}

/// The types, attributes and locations that were read.
pub(super) struct Literals<'py> {
    types: Cache<'py>,
    attrs: Cache<'py>,
    locations: Cache<'py>,
    /// The classes whose objects are looked up by value, so that most of these objects are read without text.
    integer_type: Bound<'py, PyType>,
    integer_attr: Bound<'py, PyType>,
    string_attr: Bound<'py, PyType>,
    /// Types by width and the address of the signedness, which is a member of an enumeration.
    integer_types: Map<(u64, usize), u32>,
    /// Attributes by value and type.
    integer_attrs: Map<(i64, TypeId), u32>,
}

impl<'py> Literals<'py> {
    pub(super) fn new(py: Python<'py>) -> PyResult<Self> {
        let builtin = py.import("xdsl.dialects.builtin")?;
        let class = |name| Ok::<_, PyErr>(builtin.getattr(name)?.cast_into()?);
        Ok(Self {
            types: Cache::new(py),
            attrs: Cache::new(py),
            locations: Cache::new(py),
            integer_type: class("IntegerType")?,
            integer_attr: class("IntegerAttr")?,
            string_attr: class("StringAttr")?,
            integer_types: Map::default(),
            integer_attrs: Map::default(),
        })
    }

    /// The objects by id, for types, attributes and locations.
    pub(super) fn into_known(self) -> (Known, Known, Known) {
        (self.types.known, self.attrs.known, self.locations.known)
    }

    /// The id of a type.
    pub(super) fn ty(&mut self, context: &mut Context, ty: &Bound<'py, PyAny>) -> PyResult<TypeId> {
        let read = |text: &str| {
            context.parse_type(text).map(TypeId::raw).map_err(|error| parse_error("a type", text, error))
        };
        if !ty.get_type().is(&self.integer_type) {
            return self.types.id(ty, read).map(TypeId::from_raw);
        }
        let py = ty.py();
        let data = |name| ty.getattr(name)?.getattr(intern!(py, "data"));
        let width = data(intern!(py, "width"))?.extract()?;
        let signedness = data(intern!(py, "signedness"))?;
        let key = (width, signedness.as_ptr() as usize);
        if let Some(&id) = self.integer_types.get(&key) {
            return Ok(TypeId::from_raw(id));
        }
        let id = self.types.id(ty, read)?;
        self.integer_types.insert(key, id);
        Ok(TypeId::from_raw(id))
    }

    /// The id of an attribute.
    pub(super) fn attr(&mut self, context: &mut Context, attr: &Bound<'py, PyAny>) -> PyResult<AttrId> {
        let (py, class) = (attr.py(), attr.get_type());
        if class.is(&self.string_attr) {
            let data = attr.getattr(intern!(py, "data"))?;
            let id = context.string_attr(data.cast::<PyString>()?.to_str()?);
            self.attrs.known.entry(id.raw()).or_insert_with(|| attr.clone().unbind());
            return Ok(id);
        }
        let mut key = None;
        if class.is(&self.integer_attr) {
            let value = attr.getattr(intern!(py, "value"))?.getattr(intern!(py, "data"))?;
            if let Ok(value) = value.extract() {
                let ty = self.ty(context, &attr.getattr(intern!(py, "type"))?)?;
                if let Some(&id) = self.integer_attrs.get(&(value, ty)) {
                    return Ok(AttrId::from_raw(id));
                }
                key = Some((value, ty));
            }
        }
        let read = |text: &str| {
            context
                .parse_attr(text)
                .map(AttrId::raw)
                .map_err(|error| parse_error("an attribute", text, error))
        };
        let id = self.attrs.id(attr, read)?;
        if let Some(key) = key {
            self.integer_attrs.insert(key, id);
        }
        Ok(AttrId::from_raw(id))
    }

    /// The id of a location.
    pub(super) fn location(&mut self, context: &mut Context, loc: &Bound<'py, PyAny>) -> PyResult<LocId> {
        let read = |text: &str| {
            context.parse_loc(text).map(LocId::raw).map_err(|error| parse_error("a location", text, error))
        };
        self.locations.id(loc, read).map(LocId::from_raw)
    }
}

/// A factory of objects of xDSL.
pub(super) struct Maker<'a, 'py> {
    context: &'a Context,
    /// The Python object whose methods read texts and find classes.
    maker: &'a Bound<'py, PyAny>,
    /// The objects that were read.
    known: [Option<&'a Known>; 3],
    made: [Map<u32, Bound<'py, PyAny>>; 3],
    classes: Map<u32, Class<'py>>,
}

/// A class of operations.
#[derive(Clone)]
pub(super) struct Class<'py> {
    pub(super) class: Bound<'py, PyAny>,
    /// The names of the properties that the class defines: a container.
    pub(super) properties: Bound<'py, PyAny>,
}

/// The kinds of literals. [`Maker`] stores its objects by kind.
#[derive(Clone, Copy)]
enum Literal {
    Type,
    Attr,
    Location,
}

impl<'a, 'py> Maker<'a, 'py> {
    /// Creates a factory. `known` has the types, attributes and locations that were read.
    pub(super) fn new(
        context: &'a Context,
        maker: &'a Bound<'py, PyAny>,
        known: [Option<&'a Known>; 3],
    ) -> Self {
        Self { context, maker, known, made: Default::default(), classes: Map::default() }
    }

    fn make(
        &mut self,
        kind: Literal,
        id: u32,
        method: &Bound<'py, PyString>,
        text: impl FnOnce(&Context) -> String,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(object) = self.known[kind as usize].and_then(|known| known.get(&id)) {
            return Ok(object.bind(self.maker.py()).clone());
        }
        if let Some(object) = self.made[kind as usize].get(&id) {
            return Ok(object.clone());
        }
        let object = self.maker.call_method1(method, (text(self.context),))?;
        self.made[kind as usize].insert(id, object.clone());
        Ok(object)
    }

    pub(super) fn ty(&mut self, ty: TypeId) -> PyResult<Bound<'py, PyAny>> {
        let method = intern!(self.maker.py(), "type");
        self.make(Literal::Type, ty.raw(), method, |context| context.type_text(ty))
    }

    pub(super) fn attr(&mut self, attr: AttrId) -> PyResult<Bound<'py, PyAny>> {
        let method = intern!(self.maker.py(), "attribute");
        self.make(Literal::Attr, attr.raw(), method, |context| context.attr_text(attr))
    }

    pub(super) fn location(&mut self, loc: LocId) -> PyResult<Bound<'py, PyAny>> {
        let method = intern!(self.maker.py(), "location");
        self.make(Literal::Location, loc.raw(), method, |context| context.loc_text(loc))
    }

    /// The class of the operations with a name.
    pub(super) fn class(&mut self, name: OpNameId) -> PyResult<Class<'py>> {
        if let Some(class) = self.classes.get(&name.raw()) {
            return Ok(class.clone());
        }
        let found = self
            .maker
            .call_method1(intern!(self.maker.py(), "operation"), (self.context.op_name_text(name),));
        let (class, properties) = found?.extract()?;
        let class = Class { class, properties };
        self.classes.insert(name.raw(), class.clone());
        Ok(class)
    }
}

//! What expressions evaluate to.

use std::sync::Arc;

use crate::host::{AttrSpec, Ir, TypeSpec};
use crate::number::{ApFloat, ApInt};
use crate::snippet::{Builtin, ExprId};

/// A type of the host, or one that the host does not have: nothing in the IR is of it.
pub(super) enum TypeRef<H: Ir> {
    Host(H::Type),
    Fresh(Arc<TypeSpec<TypeRef<H>, AttrRef<H>>>),
}

/// An attribute of the host, or one that the host does not have.
pub(super) enum AttrRef<H: Ir> {
    Host(H::Attr),
    Fresh(Arc<AttrSpec<TypeRef<H>, AttrRef<H>>>),
}

impl<H: Ir> Clone for TypeRef<H> {
    fn clone(&self) -> Self {
        match self {
            Self::Host(t) => Self::Host(*t),
            Self::Fresh(spec) => Self::Fresh(spec.clone()),
        }
    }
}
impl<H: Ir> Clone for AttrRef<H> {
    fn clone(&self) -> Self {
        match self {
            Self::Host(a) => Self::Host(*a),
            Self::Fresh(spec) => Self::Fresh(spec.clone()),
        }
    }
}
impl<H: Ir> PartialEq for TypeRef<H> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Host(a), Self::Host(b)) => a == b,
            (Self::Fresh(a), Self::Fresh(b)) => a == b,
            _ => false,
        }
    }
}
impl<H: Ir> PartialEq for AttrRef<H> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Host(a), Self::Host(b)) => a == b,
            (Self::Fresh(a), Self::Fresh(b)) => a == b,
            _ => false,
        }
    }
}

impl<H: Ir> TypeRef<H> {
    pub(super) fn host(&self) -> Option<H::Type> {
        match self {
            Self::Host(t) => Some(*t),
            Self::Fresh(_) => None,
        }
    }
}
impl<H: Ir> AttrRef<H> {
    pub(super) fn host(&self) -> Option<H::Attr> {
        match self {
            Self::Host(a) => Some(*a),
            Self::Fresh(_) => None,
        }
    }
}

/// A specification over the host's own ids, if everything in it is the host's.
pub(super) fn host_type<H: Ir>(
    spec: &TypeSpec<TypeRef<H>, AttrRef<H>>,
) -> Option<TypeSpec<H::Type, H::Attr>> {
    let types = |list: &[TypeRef<H>]| list.iter().map(TypeRef::host).collect::<Option<Vec<_>>>();
    Some(match spec {
        TypeSpec::Integer { width, signedness } => {
            TypeSpec::Integer { width: *width, signedness: *signedness }
        }
        TypeSpec::Index => TypeSpec::Index,
        TypeSpec::None => TypeSpec::None,
        TypeSpec::Float(format) => TypeSpec::Float(*format),
        TypeSpec::Complex(t) => TypeSpec::Complex(t.host()?),
        TypeSpec::Vector { shape, scalable, element } => {
            TypeSpec::Vector { shape: shape.clone(), scalable: scalable.clone(), element: element.host()? }
        }
        TypeSpec::RankedTensor { shape, element, encoding } => TypeSpec::RankedTensor {
            shape: shape.clone(),
            element: element.host()?,
            encoding: match encoding {
                Some(attr) => Some(attr.host()?),
                None => None,
            },
        },
        TypeSpec::UnrankedTensor(t) => TypeSpec::UnrankedTensor(t.host()?),
        TypeSpec::Function { inputs, results } => {
            TypeSpec::Function { inputs: types(inputs)?, results: types(results)? }
        }
        TypeSpec::Tuple(parts) => TypeSpec::Tuple(types(parts)?),
        TypeSpec::Text(text) => TypeSpec::Text(text.clone()),
    })
}

/// As [`host_type`].
pub(super) fn host_attr<H: Ir>(
    spec: &AttrSpec<TypeRef<H>, AttrRef<H>>,
) -> Option<AttrSpec<H::Type, H::Attr>> {
    Some(match spec {
        AttrSpec::Integer(value, t) => AttrSpec::Integer(value.clone(), t.host()?),
        AttrSpec::Float(value, t) => AttrSpec::Float(*value, t.host()?),
        AttrSpec::String(text) => AttrSpec::String(text.clone()),
        AttrSpec::Array(items) => AttrSpec::Array(items.iter().map(AttrRef::host).collect::<Option<_>>()?),
        AttrSpec::Dictionary(entries) => AttrSpec::Dictionary(
            entries.iter().map(|(n, a)| Some((n.clone(), a.host()?))).collect::<Option<_>>()?,
        ),
        AttrSpec::Type(t) => AttrSpec::Type(t.host()?),
        AttrSpec::SymbolRef(name) => AttrSpec::SymbolRef(name.clone()),
        AttrSpec::Unit => AttrSpec::Unit,
        AttrSpec::DenseInts(values, t) => AttrSpec::DenseInts(values.clone(), t.host()?),
        AttrSpec::DenseFloats(values, t) => AttrSpec::DenseFloats(values.clone(), t.host()?),
        AttrSpec::DenseArray(values, t) => AttrSpec::DenseArray(values.clone(), t.host()?),
        AttrSpec::Text(text) => AttrSpec::Text(text.clone()),
    })
}

/// A value of the snippet language.
pub(super) enum Val<H: Ir> {
    Null,
    Bool(bool),
    Int(i128),
    Double(f64),
    Str(Arc<str>),
    ApInt(ApInt),
    ApFloat(ApFloat),
    Type(TypeRef<H>),
    Attr(AttrRef<H>),
    Value(H::Value),
    Op(H::Op),
    Use(H::Use),
    Location(H::Location),
    Range(Arc<[Val<H>]>),
    Iterator(Arc<[Val<H>]>, i64),
    /// A matcher, and the parameter it binds.
    Matcher(Builtin, Option<u32>),
    Lambda {
        first: u32,
        params: u32,
        body: ExprId,
    },
}

impl<H: Ir> Clone for Val<H> {
    fn clone(&self) -> Self {
        match self {
            Val::Null => Val::Null,
            Val::Bool(x) => Val::Bool(*x),
            Val::Int(x) => Val::Int(*x),
            Val::Double(x) => Val::Double(*x),
            Val::Str(x) => Val::Str(x.clone()),
            Val::ApInt(x) => Val::ApInt(x.clone()),
            Val::ApFloat(x) => Val::ApFloat(*x),
            Val::Type(x) => Val::Type(x.clone()),
            Val::Attr(x) => Val::Attr(x.clone()),
            Val::Value(x) => Val::Value(*x),
            Val::Op(x) => Val::Op(*x),
            Val::Use(x) => Val::Use(*x),
            Val::Location(x) => Val::Location(*x),
            Val::Range(x) => Val::Range(x.clone()),
            Val::Iterator(x, at) => Val::Iterator(x.clone(), *at),
            Val::Matcher(kind, output) => Val::Matcher(*kind, *output),
            Val::Lambda { first, params, body } => {
                Val::Lambda { first: *first, params: *params, body: *body }
            }
        }
    }
}

impl<H: Ir> Val<H> {
    pub(super) fn str(text: impl AsRef<str>) -> Self {
        Val::Str(Arc::from(text.as_ref()))
    }
    pub(super) fn range(items: Vec<Val<H>>) -> Self {
        Val::Range(items.into())
    }
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Val::Null)
    }
    /// What it is, for a reason why something failed.
    pub(super) fn what(&self) -> &'static str {
        match self {
            Val::Null => "null",
            Val::Bool(_) => "a Boolean",
            Val::Int(_) => "an integer",
            Val::Double(_) => "a double",
            Val::Str(_) => "a string",
            Val::ApInt(_) => "an APInt",
            Val::ApFloat(_) => "an APFloat",
            Val::Type(_) => "a type",
            Val::Attr(_) => "an attribute",
            Val::Value(_) => "a value",
            Val::Op(_) => "an operation",
            Val::Use(_) => "a use",
            Val::Location(_) => "a location",
            Val::Range(_) => "a range",
            Val::Iterator(..) => "an iterator",
            Val::Matcher(..) => "a matcher",
            Val::Lambda { .. } => "a lambda",
        }
    }
}

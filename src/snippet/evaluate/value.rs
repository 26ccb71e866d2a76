//! Values of the snippet language.

use std::sync::Arc;

use smallvec::SmallVec;

use super::error::{fail, index_out_of_range};
use super::number::Number;
use crate::host::{AttrSpec, BlockNumber, Facets, Ir, Refusal, Region, TypeSpec};
use crate::number::{ApFloat, ApInt};
use crate::snippet::data::{Builtin, ExprId, LocalId};

/// A list that allocates only if it has more than four elements.
pub(super) type SmallList<T> = SmallVec<[T; 4]>;

/// The result of an evaluation.
pub(super) type Evaluated<H> = Result<Val<H>, Refusal>;

/// A type of the host, or a fresh one: a type that the host does not have, so no value of the IR has it.
pub(super) enum TypeRef<H: Ir> {
    Host(H::Type),
    Fresh(Arc<TypeSpec<TypeRef<H>, AttrRef<H>>>),
}

/// An attribute of the host, or a fresh one: an attribute that the host does not have.
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

/// Converts a specification to the host's ids, unless it contains a fresh type or attribute.
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

/// Converts a specification to the host's ids, unless it contains a fresh type or attribute.
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
    Block(BlockNumber),
    Region(Region<H::Op>),
    Range(Arc<Vec<Val<H>>>),
    /// The fields of a tuple.
    Tuple(Arc<Vec<Val<H>>>),
    Iterator(Arc<Vec<Val<H>>>, usize),
    /// A matcher, and the output parameter that it binds.
    Matcher(Builtin, Option<u32>),
    Lambda {
        first: LocalId,
        params: u32,
        body: ExprId,
        /// The first local of the call that created the lambda.
        frame: usize,
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
            Val::Block(x) => Val::Block(*x),
            Val::Region(x) => Val::Region(*x),
            Val::Range(x) => Val::Range(x.clone()),
            Val::Tuple(x) => Val::Tuple(x.clone()),
            Val::Iterator(x, at) => Val::Iterator(x.clone(), *at),
            Val::Matcher(kind, output) => Val::Matcher(*kind, *output),
            Val::Lambda { first, params, body, frame } => {
                Val::Lambda { first: *first, params: *params, body: *body, frame: *frame }
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
    /// The name of the variant, for messages.
    pub(super) fn variant_name(&self) -> &'static str {
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
            Val::Block(_) => "a block",
            Val::Region(_) => "a region",
            Val::Range(_) => "a range",
            Val::Tuple(_) => "a tuple",
            Val::Iterator(..) => "an iterator",
            Val::Matcher(..) => "a matcher",
            Val::Lambda { .. } => "a lambda",
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Val::Null => false,
            Val::Bool(b) => *b,
            Val::Int(i) => *i != 0,
            Val::Double(d) => *d != 0.0,
            _ => true,
        }
    }

    /// A number of elements.
    pub(super) fn count(count: usize) -> Self {
        Val::Int(count as i128)
    }

    /// The value as a number, if it is one.
    pub(super) fn number(&self) -> Option<Number> {
        Some(match self {
            Val::Bool(x) => Number::Bool(*x),
            Val::Int(x) => Number::Int(*x),
            Val::Double(x) => Number::Double(*x),
            Val::ApInt(x) => Number::ApInt(x.clone()),
            Val::ApFloat(x) => Number::ApFloat(*x),
            _ => return None,
        })
    }

    pub(super) fn int(&self) -> Result<i128, Refusal> {
        match self {
            Val::Int(i) => Ok(*i),
            Val::Bool(b) => Ok(i128::from(*b)),
            other => fail(format!("{} is used as an integer", other.variant_name())),
        }
    }

    pub(super) fn double(&self) -> Result<f64, Refusal> {
        match self.number() {
            Some(number) => number.double(),
            None => fail(format!("{} is used as a float", self.variant_name())),
        }
    }

    pub(super) fn as_type(&self) -> Result<TypeRef<H>, Refusal> {
        match self {
            Val::Type(t) => Ok(t.clone()),
            other => fail(format!("{} is used as a type", other.variant_name())),
        }
    }

    pub(super) fn as_attr(&self) -> Result<AttrRef<H>, Refusal> {
        match self {
            Val::Attr(a) => Ok(a.clone()),
            other => fail(format!("{} is used as an attribute", other.variant_name())),
        }
    }

    /// The name and the attribute of an entry of a dictionary.
    pub(super) fn as_entry(&self) -> Result<(&Val<H>, &AttrRef<H>), Refusal> {
        match self {
            Val::Tuple(fields) => match &fields[..] {
                [name, Val::Attr(value), ..] => Ok((name, value)),
                [_, ..] => fail("an entry of a dictionary has no attribute"),
                [] => fail("an entry of a dictionary has no name"),
            },
            _ => fail("an entry of a dictionary has no name"),
        }
    }
}

impl<H: Ir> From<Number> for Val<H> {
    fn from(number: Number) -> Self {
        match number {
            Number::Bool(x) => Val::Bool(x),
            Number::Int(x) => Val::Int(x),
            Number::Double(x) => Val::Double(x),
            Number::ApInt(x) => Val::ApInt(x),
            Number::ApFloat(x) => Val::ApFloat(x),
        }
    }
}

/// The arguments of a built-in, at most four.
pub(super) struct Args<H: Facets> {
    items: [Val<H>; 4],
    len: usize,
}

impl<H: Facets> Args<H> {
    pub(super) fn new() -> Self {
        Self { items: [const { Val::Null }; 4], len: 0 }
    }

    pub(super) fn push(&mut self, value: Val<H>) -> Result<(), Refusal> {
        match self.items.get_mut(self.len) {
            Some(slot) => {
                *slot = value;
                self.len += 1;
                Ok(())
            }
            None => fail("a built-in has too many arguments"),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The first argument.
    pub(super) fn receiver(&self) -> &Val<H> {
        &self.items[0]
    }

    /// Moves an argument out. A missing argument is null.
    pub(super) fn take(&mut self, index: usize) -> Val<H> {
        match self.items.get_mut(index) {
            Some(slot) => std::mem::replace(slot, Val::Null),
            None => Val::Null,
        }
    }
}

/// The element at an index.
pub(super) fn element<H: Facets>(items: &[Val<H>], at: i128) -> Evaluated<H> {
    match usize::try_from(at).ok().and_then(|at| items.get(at)) {
        Some(value) => Ok(value.clone()),
        None => index_out_of_range(at, items.len()),
    }
}

//! The values that rules and natives exchange, and the signatures of natives.

use std::sync::Arc;

use super::ir::Ir;
use crate::number::{ApFloat, ApInt};

/// The kind of an argument or result of a native.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An operation.
    Op,
    /// A value; null where an optional operand is absent.
    Value,
    /// A range of values.
    Values,
    /// A type.
    Type,
    /// A range of types.
    Types,
    /// An attribute or property; null where an optional attribute is absent.
    Attr,
    /// A range of attributes.
    Attrs,
    /// An integer of the snippet language.
    Int,
    /// A Boolean of the snippet language.
    Bool,
    /// A string of the snippet language.
    Str,
    /// An integer of a fixed width.
    ApInt,
    /// A float of a named format.
    ApFloat,
    /// A location.
    Location,
}

impl Kind {
    /// The kind with its article, for messages: "an operation".
    pub(crate) fn with_article(self) -> String {
        let article = if matches!(self, Kind::Op | Kind::Attr | Kind::Int) { "an" } else { "a" };
        format!("{article} {self}")
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Op => "operation",
            Kind::Value => "value",
            Kind::Values => "range of values",
            Kind::Type => "type",
            Kind::Types => "range of types",
            Kind::Attr => "attribute",
            Kind::Attrs => "range of attributes",
            Kind::Int => "integer",
            Kind::Bool => "boolean",
            Kind::Str => "string",
            Kind::ApInt => "fixed-width integer",
            Kind::ApFloat => "float",
            Kind::Location => "location",
        })
    }
}

/// An argument or result of a native.
pub enum Entity<H: Ir> {
    /// An operation.
    Op(H::Op),
    /// A value, or null.
    Value(Option<H::Value>),
    /// A range of values.
    Values(Vec<H::Value>),
    /// A type.
    Type(H::Type),
    /// A range of types.
    Types(Vec<H::Type>),
    /// An attribute, or null.
    Attr(Option<H::Attr>),
    /// A range of attributes.
    Attrs(Vec<H::Attr>),
    /// An integer.
    Int(i64),
    /// A Boolean.
    Bool(bool),
    /// A string.
    Str(Arc<str>),
    /// An integer of a fixed width.
    ApInt(ApInt),
    /// A float of a named format.
    ApFloat(ApFloat),
    /// A location.
    Location(H::Location),
}

impl<H: Ir> Entity<H> {
    /// The kind of the entity.
    pub fn kind(&self) -> Kind {
        match self {
            Entity::Op(_) => Kind::Op,
            Entity::Value(_) => Kind::Value,
            Entity::Values(_) => Kind::Values,
            Entity::Type(_) => Kind::Type,
            Entity::Types(_) => Kind::Types,
            Entity::Attr(_) => Kind::Attr,
            Entity::Attrs(_) => Kind::Attrs,
            Entity::Int(_) => Kind::Int,
            Entity::Bool(_) => Kind::Bool,
            Entity::Str(_) => Kind::Str,
            Entity::ApInt(_) => Kind::ApInt,
            Entity::ApFloat(_) => Kind::ApFloat,
            Entity::Location(_) => Kind::Location,
        }
    }
}

impl<H: Ir> Clone for Entity<H> {
    fn clone(&self) -> Self {
        match self {
            Entity::Op(x) => Entity::Op(*x),
            Entity::Value(x) => Entity::Value(*x),
            Entity::Values(x) => Entity::Values(x.clone()),
            Entity::Type(x) => Entity::Type(*x),
            Entity::Types(x) => Entity::Types(x.clone()),
            Entity::Attr(x) => Entity::Attr(*x),
            Entity::Attrs(x) => Entity::Attrs(x.clone()),
            Entity::Int(x) => Entity::Int(*x),
            Entity::Bool(x) => Entity::Bool(*x),
            Entity::Str(x) => Entity::Str(x.clone()),
            Entity::ApInt(x) => Entity::ApInt(x.clone()),
            Entity::ApFloat(x) => Entity::ApFloat(*x),
            Entity::Location(x) => Entity::Location(*x),
        }
    }
}

/// Entities are equal if they have the same kind and value. Ranges are equal if their elements are equal.
impl<H: Ir> PartialEq for Entity<H> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Entity::Op(a), Entity::Op(b)) => a == b,
            (Entity::Value(a), Entity::Value(b)) => a == b,
            (Entity::Values(a), Entity::Values(b)) => a == b,
            (Entity::Type(a), Entity::Type(b)) => a == b,
            (Entity::Types(a), Entity::Types(b)) => a == b,
            (Entity::Attr(a), Entity::Attr(b)) => a == b,
            (Entity::Attrs(a), Entity::Attrs(b)) => a == b,
            (Entity::Int(a), Entity::Int(b)) => a == b,
            (Entity::Bool(a), Entity::Bool(b)) => a == b,
            (Entity::Str(a), Entity::Str(b)) => a == b,
            (Entity::ApInt(a), Entity::ApInt(b)) => a == b,
            (Entity::ApFloat(a), Entity::ApFloat(b)) => a == b,
            (Entity::Location(a), Entity::Location(b)) => a == b,
            _ => false,
        }
    }
}

impl<H: Ir> std::fmt::Debug for Entity<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Entity::Op(x) => x.fmt(f),
            Entity::Value(x) => x.fmt(f),
            Entity::Values(x) => x.fmt(f),
            Entity::Type(x) => x.fmt(f),
            Entity::Types(x) => x.fmt(f),
            Entity::Attr(x) => x.fmt(f),
            Entity::Attrs(x) => x.fmt(f),
            Entity::Int(x) => x.fmt(f),
            Entity::Bool(x) => x.fmt(f),
            Entity::Str(x) => x.fmt(f),
            Entity::ApInt(x) => x.fmt(f),
            Entity::ApFloat(x) => x.fmt(f),
            Entity::Location(x) => x.fmt(f),
        }
    }
}

/// The signature of a native. Linking compares it with every call of the native in the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The kinds of its arguments; `None` for any number of arguments of any kind. An entry that is `None` accepts an
    /// argument of any kind.
    pub params: Option<Vec<Option<Kind>>>,
    /// The kinds of its results. An entry is `None` if the result can have any kind; the kind of the result is then
    /// checked after each call.
    pub results: Vec<Option<Kind>>,
}

impl Signature {
    /// A signature with arguments and results of these kinds.
    ///
    /// ```
    /// use drrvm::host::{Kind, Signature};
    /// let signature = Signature::new([Kind::Value, Kind::Attr], [Kind::Type]);
    /// assert_eq!(signature.to_string(), "(value, attribute) -> type");
    /// ```
    pub fn new(params: impl IntoIterator<Item = Kind>, results: impl IntoIterator<Item = Kind>) -> Self {
        let params = params.into_iter().map(Some).collect();
        Self { params: Some(params), results: results.into_iter().map(Some).collect() }
    }
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&show_signature(self.params.as_deref(), &self.results))
    }
}

/// The word for any kind in the text of a signature.
pub(crate) const ANY_KIND: &str = "anything";

/// A signature as text: `(value, attribute) -> type`. A signature that takes any arguments is shown as `(...)`, and a
/// parameter or result of any kind as [`ANY_KIND`].
pub(crate) fn show_signature(params: Option<&[Option<Kind>]>, results: &[Option<Kind>]) -> String {
    let kind = |kind: &Option<Kind>| kind.map_or_else(|| ANY_KIND.to_owned(), |kind| kind.to_string());
    let list = |kinds: &[Option<Kind>]| kinds.iter().map(kind).collect::<Vec<_>>().join(", ");
    let params = params.map_or_else(|| "(...)".to_owned(), |params| format!("({})", list(params)));
    match results {
        [] => params,
        [one] => format!("{params} -> {}", kind(one)),
        several => format!("{params} -> ({})", list(several)),
    }
}

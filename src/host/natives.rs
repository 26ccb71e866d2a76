//! Constraints and rewrites that the host implements, by name.

use std::sync::Arc;

use hashbrown::HashMap;

use super::{Ir, Refusal, Rewriter};
use crate::number::{ApFloat, ApInt};

/// What kind of thing a native takes or gives.
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
    /// An attribute or property; null where an optional one is absent.
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

/// One thing passed to or from a native.
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
    /// What it is.
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

/// Equal things of one kind; ranges are equal when their elements are.
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

/// What a native takes and gives, checked against each rule that calls it when a program is linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The kinds of its arguments; `None`: any number of any kind.
    pub params: Option<Vec<Kind>>,
    /// The kinds of its results.
    pub results: Vec<Kind>,
}

pub(crate) type ConstraintFn<H> = dyn Fn(&H, &[Entity<H>]) -> Option<Vec<Entity<H>>> + Send + Sync;
pub(crate) type RewriteFn<H> =
    dyn Fn(&mut Rewriter<'_, H>, &[Entity<H>]) -> Result<Vec<Entity<H>>, Refusal> + Send + Sync;

/// A registered constraint: asked while matching, changes nothing.
pub(crate) struct Constraint<H: Ir> {
    pub(crate) signature: Signature,
    pub(crate) pure: bool,
    pub(crate) run: Arc<ConstraintFn<H>>,
}

/// A registered rewrite: called while rewriting.
pub(crate) struct Rewrite<H: Ir> {
    pub(crate) signature: Signature,
    pub(crate) run: Arc<RewriteFn<H>>,
}

/// The natives a host registers before it links a program.
///
/// A constraint answers `None` for "does not hold", or its results (usually none). A rewrite makes
/// operations through the [`Rewriter`] it is given, so that they are undone if the rule fails later.
pub struct Natives<H: Ir> {
    constraints: HashMap<String, Constraint<H>>,
    rewrites: HashMap<String, Rewrite<H>>,
}

impl<H: Ir> Default for Natives<H> {
    fn default() -> Self {
        Self { constraints: HashMap::new(), rewrites: HashMap::new() }
    }
}

impl<H: Ir> Natives<H> {
    /// No natives.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a pure constraint: its answer depends on its arguments and the unchanged IR alone.
    #[must_use]
    pub fn constraint(
        mut self,
        name: &str,
        params: &[Kind],
        holds: impl Fn(&H, &[Entity<H>]) -> bool + Send + Sync + 'static,
    ) -> Self {
        let signature = Signature { params: Some(params.to_vec()), results: Vec::new() };
        let run = Arc::new(move |host: &H, args: &[Entity<H>]| holds(host, args).then(Vec::new));
        self.constraints.insert(name.to_owned(), Constraint { signature, pure: true, run });
        self
    }

    /// Registers a constraint that gives results when it holds, or one that is not pure.
    #[must_use]
    pub fn constraint_with(
        mut self,
        name: &str,
        signature: Signature,
        pure: bool,
        run: impl Fn(&H, &[Entity<H>]) -> Option<Vec<Entity<H>>> + Send + Sync + 'static,
    ) -> Self {
        self.constraints.insert(name.to_owned(), Constraint { signature, pure, run: Arc::new(run) });
        self
    }

    /// Registers a rewrite.
    #[must_use]
    pub fn rewrite(
        mut self,
        name: &str,
        signature: Signature,
        run: impl Fn(&mut Rewriter<'_, H>, &[Entity<H>]) -> Result<Vec<Entity<H>>, Refusal>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.rewrites.insert(name.to_owned(), Rewrite { signature, run: Arc::new(run) });
        self
    }

    /// Adds another set; its natives win over those of the same name.
    #[must_use]
    pub fn with(mut self, other: Natives<H>) -> Self {
        self.constraints.extend(other.constraints);
        self.rewrites.extend(other.rewrites);
        self
    }

    pub(crate) fn find_constraint(&self, name: &str) -> Option<&Constraint<H>> {
        self.constraints.get(name)
    }

    pub(crate) fn find_rewrite(&self, name: &str) -> Option<&Rewrite<H>> {
        self.rewrites.get(name)
    }
}

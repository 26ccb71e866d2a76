//! Constraints and rewrites that the host implements, by name.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::arg::{TypedConstraint, TypedRewrite};
use super::hooks::{EffectsFn, FoldFn, InferFn, MaterializeFn, VerifyFn};
use super::{Bind, Effects, Folded, Hooks, Ir, NewOp, OpNameId, Refusal, Rewriter};
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

impl Kind {
    /// What a thing of this kind is called in messages: "an operation".
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

/// The signature of a native. Linking compares it with every call in the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The kinds of its arguments; `None`: any number of any kind.
    pub params: Option<Vec<Kind>>,
    /// The kinds of its results.
    pub results: Vec<Kind>,
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = |kinds: &[Kind]| kinds.iter().copied().map(Some).collect::<Vec<_>>();
        f.write_str(&show_signature(self.params.as_deref().map(known).as_deref(), &known(&self.results)))
    }
}

/// `(value, attribute) -> type`; any parameters where there are none, anything where there is no kind.
pub(crate) fn show_signature(params: Option<&[Option<Kind>]>, results: &[Option<Kind>]) -> String {
    let kind = |kind: &Option<Kind>| kind.map_or_else(|| "anything".to_owned(), |kind| kind.to_string());
    let list = |kinds: &[Option<Kind>]| kinds.iter().map(kind).collect::<Vec<_>>().join(", ");
    let params = params.map_or_else(|| "(...)".to_owned(), |params| format!("({})", list(params)));
    match results {
        [] => params,
        [one] => format!("{params} -> {}", kind(one)),
        several => format!("{params} -> ({})", list(several)),
    }
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

impl<H: Ir> Clone for Constraint<H> {
    fn clone(&self) -> Self {
        Self { signature: self.signature.clone(), pure: self.pure, run: Arc::clone(&self.run) }
    }
}

impl<H: Ir> Clone for Rewrite<H> {
    fn clone(&self) -> Self {
        Self { signature: self.signature.clone(), run: Arc::clone(&self.run) }
    }
}

/// A registered rewrite: called while rewriting.
pub(crate) struct Rewrite<H: Ir> {
    pub(crate) signature: Signature,
    pub(crate) run: Arc<RewriteFn<H>>,
}

/// The natives a host registers before it links a program.
///
/// A native takes and gives what its closure does; that is checked against each rule that calls it when a
/// program is linked. A constraint is asked while matching and changes nothing. A rewrite makes operations
/// through the [`Rewriter`] it is given, so that they are undone if the rule fails later. A native wins
/// over a built-in of the snippet language of its name, and a constraint over the predicate of a
/// definition's constraint of its record name.
///
/// ```
/// use drrvm::host::arg::{Attr, Value};
/// use drrvm::host::{Entity, Facets, Ir, Natives, Refusal, Rewriter};
///
/// fn natives<H: Facets>() -> Natives<H> {
///     Natives::new()
///         .constraint("isSmall", |ir: &H, attr: Attr<H>| {
///             ir.attr_int(attr.0).and_then(|value| value.to_u64()).is_some_and(|value| value < 16)
///         })
///         .rewrite("chooseOne", |_: &mut Rewriter<'_, H>, a: Value<H>, b: Value<H>, first: bool| {
///             Ok(if first { a } else { b })
///         })
/// }
/// # #[cfg(feature = "ir")]
/// # let _ = natives::<drrvm::ir::IrHost>();
/// ```
pub struct Natives<H: Ir> {
    constraints: HashMap<String, Constraint<H>>,
    rewrites: HashMap<String, Rewrite<H>>,
    inferences: HashMap<String, Arc<InferFn<H>>>,
    folds: HashMap<String, Arc<FoldFn<H>>>,
    materializers: HashMap<String, Arc<MaterializeFn<H>>>,
    effects: HashMap<String, Arc<EffectsFn<H>>>,
    verifiers: HashMap<String, Arc<VerifyFn<H>>>,
}

impl<H: Ir> Clone for Natives<H> {
    fn clone(&self) -> Self {
        Self {
            constraints: self.constraints.clone(),
            rewrites: self.rewrites.clone(),
            inferences: self.inferences.clone(),
            folds: self.folds.clone(),
            materializers: self.materializers.clone(),
            effects: self.effects.clone(),
            verifiers: self.verifiers.clone(),
        }
    }
}

impl<H: Ir> Default for Natives<H> {
    fn default() -> Self {
        Self {
            constraints: HashMap::new(),
            rewrites: HashMap::new(),
            inferences: HashMap::new(),
            folds: HashMap::new(),
            materializers: HashMap::new(),
            effects: HashMap::new(),
            verifiers: HashMap::new(),
        }
    }
}

impl<H: Ir> Natives<H> {
    /// No natives.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a pure constraint: its answer must depend only on its arguments and the IR. The closure takes the
    /// IR and the arguments, and returns a `bool`, or an `Option` of its results, `None` if it does not hold.
    #[must_use]
    pub fn constraint<Args, F: TypedConstraint<H, Args>>(self, name: &str, holds: F) -> Self {
        self.constraint_with(name, F::signature(), true, move |host, args| holds.ask(host, args))
    }

    /// Registers a constraint whose signature is known only at run time, or one that is not pure.
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

    /// Registers a rewrite. The closure takes the rewriter and the arguments, and returns nothing, one thing, or a
    /// tuple of several. If it returns an error, the whole rewrite is undone.
    #[must_use]
    pub fn rewrite<Args, F: TypedRewrite<H, Args>>(self, name: &str, run: F) -> Self {
        self.rewrite_with(name, F::signature(), move |rewriter, args| run.apply(rewriter, args))
    }

    /// Registers a rewrite whose signature is known only at run time.
    #[must_use]
    pub fn rewrite_with(
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

    /// Registers the type inference for new operations of this name, for result types that do not follow from the
    /// definition.
    #[must_use]
    pub fn type_inference(
        mut self,
        op: &str,
        infer: impl Fn(&mut H, &NewOp<'_, H>) -> Result<Vec<H::Type>, Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.inferences.insert(op.to_owned(), Arc::new(infer));
        self
    }

    /// Registers how operations of this name fold. The closure gets, for each operand, the constant that it
    /// is, if it is one. It returns one entry for each result; `None` if the operation does not fold; or an
    /// empty list if it changed the operation in place. For drivers that fold.
    #[must_use]
    pub fn fold(
        mut self,
        op: &str,
        fold: impl Fn(&mut H, H::Op, &[Option<H::Attr>]) -> Option<Vec<Folded<H>>> + Send + Sync + 'static,
    ) -> Self {
        self.folds.insert(op.to_owned(), Arc::new(fold));
        self
    }

    /// Registers how to create a constant operation of this dialect, from its value and type.
    #[must_use]
    pub fn materialize_constant(
        mut self,
        dialect: &str,
        make: impl Fn(&mut Rewriter<'_, H>, H::Attr, H::Type, H::Location) -> Result<H::Op, Refusal>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.materializers.insert(dialect.to_owned(), Arc::new(make));
        self
    }

    /// Registers the effects of operations of this name. They take precedence over the traits of the definition.
    #[must_use]
    pub fn effects(
        mut self,
        op: &str,
        effects: impl Fn(&H, H::Op) -> Effects + Send + Sync + 'static,
    ) -> Self {
        self.effects.insert(op.to_owned(), Arc::new(effects));
        self
    }

    /// Registers a verifier for operations of this name, in addition to their definition.
    #[must_use]
    pub fn verify(
        mut self,
        op: &str,
        verify: impl Fn(&H, H::Op) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.verifiers.insert(op.to_owned(), Arc::new(verify));
        self
    }

    /// Adds another set. Its natives replace those of the same name.
    #[must_use]
    pub fn with(mut self, other: Natives<H>) -> Self {
        self.constraints.extend(other.constraints);
        self.rewrites.extend(other.rewrites);
        self.inferences.extend(other.inferences);
        self.folds.extend(other.folds);
        self.materializers.extend(other.materializers);
        self.effects.extend(other.effects);
        self.verifiers.extend(other.verifiers);
        self
    }

    pub(crate) fn find_constraint(&self, name: &str) -> Option<&Constraint<H>> {
        let class = || name.strip_prefix("isa<");
        // C++ names a class with and without the namespaces of LLVM.
        let spelt = |namespace: &&str| self.constraints.get(&format!("isa<{namespace}{}", class()?));
        let known = self.constraints.get(name);
        known.or_else(|| ["mlir::", "::mlir::", "::", "llvm::", "::llvm::"].iter().find_map(spelt))
    }

    pub(crate) fn find_rewrite(&self, name: &str) -> Option<&Rewrite<H>> {
        self.rewrites.get(name)
    }

    pub(crate) fn find_inference(&self, op: &str) -> Option<&Arc<InferFn<H>>> {
        self.inferences.get(op)
    }
}

impl<H: Bind> Natives<H> {
    /// Folds, effects and verifiers, by the host's names.
    pub fn hooks(&self, host: &mut H) -> Hooks<H> {
        fn bound<H: Bind, F: ?Sized>(
            host: &mut H,
            by_name: &HashMap<String, Arc<F>>,
        ) -> HashMap<OpNameId, Arc<F>, FxBuildHasher> {
            // NOTE: sorted, because the order of binding determines the host's numbers.
            let mut names: Vec<_> = by_name.iter().collect();
            names.sort_unstable_by_key(|(name, _)| *name);
            names.into_iter().map(|(name, run)| (host.bind_op_name(name), run.clone())).collect()
        }
        Hooks {
            folds: bound(host, &self.folds),
            effects: bound(host, &self.effects),
            verifiers: bound(host, &self.verifiers),
            materializers: self.materializers.clone(),
        }
    }
}

//! The registry of natives, folds, effects and other functions that an embedder supplies.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::arg::{TypedConstraint, TypedRewrite};
use super::entity::{Entity, Signature};
use super::hooks::{
    CreatedFold, EffectsFn, FoldFn, Folded, Hooks, InferFn, MaterializeFn, NamedCanonicalization, NewOp,
    VerifyFn,
};
use super::ir::{Bind, Effects, Ir, OpNameId, Refusal};
use super::overload::{DependsOn, Overload, Overloads};
use super::rewriter::Rewriter;

pub(crate) type ConstraintFn<H> = dyn Fn(&H, &[Entity<H>]) -> Option<Vec<Entity<H>>> + Send + Sync;
pub(crate) type RewriteFn<H> =
    dyn Fn(&mut Rewriter<'_, H>, &[Entity<H>]) -> Result<Vec<Entity<H>>, Refusal> + Send + Sync;

/// The natives that an embedder registers before it links a program.
///
/// The signature of a native is that of its closure, unless the native is registered with an explicit signature.
/// Linking compares the signature with each call in the rules. A constraint is called while matching, and changes
/// nothing. A rewrite creates operations through its [`Rewriter`], so that they are undone if the rule fails later. A
/// native takes precedence over a built-in function of the same name in the snippet language. If the record that
/// defines a constraint has the name of a native constraint, the native replaces the predicate of the record.
///
/// A name can have several signatures, like an overloaded function of C++. Each call gets the signature that fits its
/// arguments best: a parameter of the same kind fits better than [`Entity`], which takes any kind. A native replaces an
/// earlier one with the same name and the same parameters.
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
    constraints: HashMap<String, Overloads<ConstraintFn<H>>>,
    rewrites: HashMap<String, Overloads<RewriteFn<H>>>,
    inferences: HashMap<String, Arc<InferFn<H>>>,
    folds: HashMap<String, Arc<FoldFn<H>>>,
    materializers: HashMap<String, Arc<MaterializeFn<H>>>,
    /// The folds that apply only to operations that rewrites create with `createOrFold`.
    created_folds: HashMap<String, CreatedFold<H>>,
    effects: HashMap<String, Arc<EffectsFn<H>>>,
    verifiers: HashMap<String, Arc<VerifyFn<H>>>,
    /// The functions for all operations with a trait, by the trait.
    of_traits: OfTraits<H>,
    canonicalizations: HashMap<String, Vec<NamedCanonicalization<H>>>,
}

/// The functions that are registered for all operations with a trait.
struct OfTraits<H: Ir> {
    inferences: HashMap<String, Arc<InferFn<H>>>,
    folds: HashMap<String, Arc<FoldFn<H>>>,
    effects: HashMap<String, Arc<EffectsFn<H>>>,
    verifiers: HashMap<String, Arc<VerifyFn<H>>>,
}

impl<H: Ir> Clone for OfTraits<H> {
    fn clone(&self) -> Self {
        Self {
            inferences: self.inferences.clone(),
            folds: self.folds.clone(),
            effects: self.effects.clone(),
            verifiers: self.verifiers.clone(),
        }
    }
}

impl<H: Ir> Default for OfTraits<H> {
    fn default() -> Self {
        Self {
            inferences: HashMap::new(),
            folds: HashMap::new(),
            effects: HashMap::new(),
            verifiers: HashMap::new(),
        }
    }
}

/// The name of a trait without the parts that C++ code may omit: `::` and `mlir::` at the start, and `::Trait` after
/// the name of an interface.
fn trait_name(name: &str) -> &str {
    let name = name.trim_start_matches("::");
    let name = name.strip_prefix("mlir::").unwrap_or(name);
    name.strip_suffix("::Trait").unwrap_or(name)
}

impl<H: Ir> Clone for Natives<H> {
    fn clone(&self) -> Self {
        Self {
            constraints: self.constraints.clone(),
            rewrites: self.rewrites.clone(),
            inferences: self.inferences.clone(),
            folds: self.folds.clone(),
            materializers: self.materializers.clone(),
            created_folds: self.created_folds.clone(),
            effects: self.effects.clone(),
            verifiers: self.verifiers.clone(),
            of_traits: self.of_traits.clone(),
            canonicalizations: self.canonicalizations.clone(),
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
            created_folds: HashMap::new(),
            effects: HashMap::new(),
            verifiers: HashMap::new(),
            of_traits: OfTraits::default(),
            canonicalizations: HashMap::new(),
        }
    }
}

impl<H: Ir> Natives<H> {
    /// An empty set of natives.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a pure constraint: its answer must depend only on its arguments and the IR. The closure takes the IR
    /// and the arguments, and returns a `bool`, or an `Option` of its results, which is `None` if the constraint does
    /// not hold.
    #[must_use]
    pub fn constraint<Args, F: TypedConstraint<H, Args>>(self, name: &str, holds: F) -> Self {
        self.constraint_with(name, F::signature(), true, move |host, args| holds.call(host, args))
    }

    /// Registers a constraint whose signature is known only at run time, or a constraint that is not pure.
    #[must_use]
    pub fn constraint_with(
        self,
        name: &str,
        signature: Signature,
        pure: bool,
        run: impl Fn(&H, &[Entity<H>]) -> Option<Vec<Entity<H>>> + Send + Sync + 'static,
    ) -> Self {
        let depends_on = if pure { DependsOn::Ir } else { DependsOn::Anything };
        self.add_constraint(name, Overload { signature, depends_on, run: Arc::new(run) })
    }

    /// Registers a constraint whose answer depends only on its arguments and, for an argument that is a value, only on
    /// the type of the value. Engines cache its answers.
    #[must_use]
    pub(crate) fn constraint_of_arguments<Args, F: TypedConstraint<H, Args>>(
        self,
        name: &str,
        holds: F,
    ) -> Self {
        let run = move |host: &H, args: &[Entity<H>]| holds.call(host, args);
        let (signature, depends_on) = (F::signature(), DependsOn::Arguments);
        self.add_constraint(name, Overload { signature, depends_on, run: Arc::new(run) })
    }

    fn add_constraint(mut self, name: &str, constraint: Overload<ConstraintFn<H>>) -> Self {
        self.constraints.entry(name.to_owned()).or_default().add(constraint);
        self
    }

    /// Registers a rewrite. The closure takes the rewriter and the arguments, and returns no result, one result, or a
    /// tuple of results. If it returns an error, the whole rewrite is undone.
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
        let overloads = self.rewrites.entry(name.to_owned()).or_default();
        overloads.add(Overload { signature, depends_on: DependsOn::Anything, run: Arc::new(run) });
        self
    }

    /// Registers the type inference for new operations of this name. `infer` computes result types that do not follow
    /// from the definition.
    #[must_use]
    pub fn type_inference(
        mut self,
        op: &str,
        infer: impl Fn(&mut H, &NewOp<'_, H>) -> Result<Vec<H::Type>, Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.inferences.insert(op.to_owned(), Arc::new(infer));
        self
    }

    /// Registers the folding of operations of this name, for drivers that fold. The closure gets the value of each
    /// operand that is a constant, and `None` for the others. It returns one entry for each result, `None` if the
    /// operation does not fold, or an empty list if the closure changed the operation in place.
    #[must_use]
    pub fn fold(
        mut self,
        op: &str,
        fold: impl Fn(&mut H, H::Op, &[Option<H::Attr>]) -> Option<Vec<Folded<H>>> + Send + Sync + 'static,
    ) -> Self {
        self.folds.insert(op.to_owned(), Arc::new(fold));
        self
    }

    /// Registers the function that creates constant operations of this dialect from a value and a type.
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

    /// Registers a verifier for operations of this name, in addition to the checks of their definition.
    #[must_use]
    pub fn verify(
        mut self,
        op: &str,
        verify: impl Fn(&H, H::Op) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.verifiers.insert(op.to_owned(), Arc::new(verify));
        self
    }

    /// Registers the type inference for new operations whose definition has this trait or interface, by its C++ name:
    /// `mlir::hlo::OpTrait::CompatibleOperandsAndResultType`. Functions for the name of an operation take precedence.
    #[must_use]
    pub fn type_inference_for_trait(
        mut self,
        of: &str,
        infer: impl Fn(&mut H, &NewOp<'_, H>) -> Result<Vec<H::Type>, Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.of_traits.inferences.insert(trait_name(of).to_owned(), Arc::new(infer));
        self
    }

    /// Registers the folding of operations whose definition has this trait or interface; see [`Self::fold`].
    #[must_use]
    pub fn fold_for_trait(
        mut self,
        of: &str,
        fold: impl Fn(&mut H, H::Op, &[Option<H::Attr>]) -> Option<Vec<Folded<H>>> + Send + Sync + 'static,
    ) -> Self {
        self.of_traits.folds.insert(trait_name(of).to_owned(), Arc::new(fold));
        self
    }

    /// Registers the effects of operations whose definition has this trait or interface; see [`Self::effects`].
    #[must_use]
    pub fn effects_for_trait(
        mut self,
        of: &str,
        effects: impl Fn(&H, H::Op) -> Effects + Send + Sync + 'static,
    ) -> Self {
        self.of_traits.effects.insert(trait_name(of).to_owned(), Arc::new(effects));
        self
    }

    /// Registers a verifier for operations whose definition has this trait or interface; see [`Self::verify`].
    #[must_use]
    pub fn verify_for_trait(
        mut self,
        of: &str,
        verify: impl Fn(&H, H::Op) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.of_traits.verifiers.insert(trait_name(of).to_owned(), Arc::new(verify));
        self
    }

    /// Copies these natives, and registers the functions for each trait also for the operations with that trait.
    /// `definitions` are names of operations, each with the C++ names of its traits. A function for the name of the
    /// operation takes precedence, and then the function for the earliest trait.
    pub(crate) fn for_definitions<'a>(
        &self,
        definitions: impl Iterator<Item = (&'a str, Vec<&'a str>)>,
    ) -> Self {
        fn adopt<F: ?Sized>(
            by_name: &mut HashMap<String, Arc<F>>,
            of_traits: &HashMap<String, Arc<F>>,
            op: &str,
            traits: &[&str],
        ) {
            let found = traits.iter().find_map(|name| of_traits.get(trait_name(name)));
            if let Some(found) = found.filter(|_| !by_name.contains_key(op)) {
                by_name.insert(op.to_owned(), found.clone());
            }
        }
        let mut all = self.clone();
        let of_traits = &self.of_traits;
        for (op, traits) in definitions {
            adopt(&mut all.inferences, &of_traits.inferences, op, &traits);
            adopt(&mut all.folds, &of_traits.folds, op, &traits);
            adopt(&mut all.effects, &of_traits.effects, op, &traits);
            adopt(&mut all.verifiers, &of_traits.verifiers, op, &traits);
        }
        all
    }

    /// Registers a canonicalisation of operations of this name, as `hasCanonicalizeMethod` does in MLIR, for
    /// [`canonicalize`](crate::rewrite::canonicalize()). The closure returns true if it rewrote the operation. If it
    /// returns false or an error, nothing changes.
    ///
    /// ```
    /// # #[cfg(feature = "ir")] {
    /// use drrvm::host::{Ir, Natives, Rewriter};
    /// use drrvm::ir::{IrHost, OpId};
    /// let natives = Natives::new().canonicalize(
    ///     "t.copy",
    ///     "RemoveCopy",
    ///     |rewriter: &mut Rewriter<'_, IrHost>, op: OpId| {
    ///         let from = rewriter.host().operand(op, 0);
    ///         rewriter.replace(op, &[from])?;
    ///         Ok(true)
    ///     },
    /// );
    /// # let _ = natives;
    /// # }
    /// ```
    #[must_use]
    pub fn canonicalize(
        mut self,
        op: &str,
        name: &str,
        apply: impl Fn(&mut Rewriter<'_, H>, H::Op) -> Result<bool, Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.canonicalizations.entry(op.to_owned()).or_default().push((name.to_owned(), Arc::new(apply)));
        self
    }

    /// The names of the functions that [`canonicalize`](Self::canonicalize) registered.
    #[cfg(feature = "cli")]
    pub(crate) fn canonicalization_names(&self) -> impl Iterator<Item = &str> {
        self.canonicalizations.values().flatten().map(|(name, _)| &**name)
    }

    /// Adds the natives of `other`. Its constraints and rewrites replace those with the same name and parameters. Its
    /// canonicalisations are added to those of the same operation. Its other functions replace those that are
    /// registered for the same name or trait.
    #[must_use]
    pub fn with(mut self, other: Natives<H>) -> Self {
        for (name, overloads) in other.constraints {
            self.constraints.entry(name).or_default().extend(overloads);
        }
        for (name, overloads) in other.rewrites {
            self.rewrites.entry(name).or_default().extend(overloads);
        }
        self.inferences.extend(other.inferences);
        self.folds.extend(other.folds);
        self.materializers.extend(other.materializers);
        self.created_folds.extend(other.created_folds);
        self.effects.extend(other.effects);
        self.verifiers.extend(other.verifiers);
        self.of_traits.inferences.extend(other.of_traits.inferences);
        self.of_traits.folds.extend(other.of_traits.folds);
        self.of_traits.effects.extend(other.of_traits.effects);
        self.of_traits.verifiers.extend(other.of_traits.verifiers);
        for (op, more) in other.canonicalizations {
            self.canonicalizations.entry(op).or_default().extend(more);
        }
        self
    }

    pub(crate) fn find_constraint(&self, name: &str) -> Option<&Overloads<ConstraintFn<H>>> {
        let class = || name.strip_prefix("isa<");
        // C++ code names a class with or without the namespaces of LLVM.
        let qualified = |namespace: &&str| self.constraints.get(&format!("isa<{namespace}{}", class()?));
        let exact = self.constraints.get(name);
        exact.or_else(|| ["mlir::", "::mlir::", "::", "llvm::", "::llvm::"].iter().find_map(qualified))
    }

    pub(crate) fn find_rewrite(&self, name: &str) -> Option<&Overloads<RewriteFn<H>>> {
        self.rewrites.get(name)
    }

    pub(crate) fn constraint_names(&self) -> impl Iterator<Item = &str> {
        self.constraints.keys().map(String::as_str)
    }

    pub(crate) fn rewrite_names(&self) -> impl Iterator<Item = &str> {
        self.rewrites.keys().map(String::as_str)
    }

    pub(crate) fn inference_names(&self) -> impl Iterator<Item = &str> {
        self.inferences.keys().map(String::as_str)
    }

    /// The fold that is registered for an operation name, with the function that creates the constants of its dialect;
    /// otherwise the fold that [`Self::fold_created`] registered.
    pub(crate) fn find_fold(&self, op: &str) -> Option<CreatedFold<H>> {
        let dialect = op.split_once('.').map_or(op, |(dialect, _)| dialect);
        let registered = self.folds.get(op).map(|fold| CreatedFold {
            fold: fold.clone(),
            materialize: self.materializers.get(dialect).cloned(),
        });
        registered.or_else(|| self.created_folds.get(op).cloned())
    }

    /// Registers the folding of operations of this name that rewrites create with `createOrFold`. Drivers ignore it.
    #[must_use]
    pub(crate) fn fold_created(mut self, op: &str, fold: CreatedFold<H>) -> Self {
        self.created_folds.insert(op.to_owned(), fold);
        self
    }

    pub(crate) fn find_inference(&self, op: &str) -> Option<&Arc<InferFn<H>>> {
        self.inferences.get(op)
    }
}

impl<H: Bind> Natives<H> {
    /// The folds, effects, verifiers and canonicalisations, by the operation names of a host, and the functions that
    /// create constants.
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
        let mut ops: Vec<_> = self.canonicalizations.iter().collect();
        ops.sort_unstable_by_key(|(name, _)| *name);
        let canonicalizations =
            ops.into_iter().map(|(name, all)| (host.bind_op_name(name), all.clone())).collect();
        Hooks {
            canonicalizations,
            folds: bound(host, &self.folds),
            effects: bound(host, &self.effects),
            verifiers: bound(host, &self.verifiers),
            materializers: self.materializers.clone(),
        }
    }
}

//! The functions that are registered for operation names (folds, effects, verifiers and canonicalisations) and for
//! dialects (materializers of constants).

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::ir::{Effects, Ir, OpNameId, Refusal};
use super::rewriter::Rewriter;

/// An operation that is about to be created, without its result types.
#[derive(Debug)]
pub struct NewOp<'a, H: Ir> {
    /// Its operands in order, those of all groups in one list.
    pub operands: &'a [H::Value],
    /// Its attributes by name, in the order of its definition.
    pub attributes: &'a [(&'a str, H::Attr)],
}

impl<H: Ir> NewOp<'_, H> {
    /// The attribute with this name.
    pub fn attr(&self, name: &str) -> Option<H::Attr> {
        self.attributes.iter().find(|entry| entry.0 == name).map(|(_, attr)| *attr)
    }
}

/// The replacement of one result of an operation that folds.
pub enum Folded<H: Ir> {
    /// An existing value.
    Value(H::Value),
    /// The value of a constant, which is created to replace the result.
    Attr(H::Attr),
}

impl<H: Ir> Clone for Folded<H> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<H: Ir> Copy for Folded<H> {}

pub(crate) type InferFn<H> =
    dyn Fn(&mut H, &NewOp<'_, H>) -> Result<Vec<<H as Ir>::Type>, Refusal> + Send + Sync;
pub(crate) type FoldFn<H> =
    dyn Fn(&mut H, <H as Ir>::Op, &[Option<<H as Ir>::Attr>]) -> Option<Vec<Folded<H>>> + Send + Sync;
pub(crate) type MaterializeFn<H> = dyn Fn(
        &mut Rewriter<'_, H>,
        <H as Ir>::Attr,
        <H as Ir>::Type,
        <H as Ir>::Location,
    ) -> Result<<H as Ir>::Op, Refusal>
    + Send
    + Sync;
/// The fold of operations that a rewrite creates with `createOrFold`.
pub(crate) struct CreatedFold<H: Ir> {
    pub(crate) fold: Arc<FoldFn<H>>,
    /// The function that creates the constants that the fold returns.
    pub(crate) materialize: Option<Arc<MaterializeFn<H>>>,
}

impl<H: Ir> Clone for CreatedFold<H> {
    fn clone(&self) -> Self {
        Self { fold: self.fold.clone(), materialize: self.materialize.clone() }
    }
}

pub(crate) type EffectsFn<H> = dyn Fn(&H, <H as Ir>::Op) -> Effects + Send + Sync;
pub(crate) type CanonicalizeFn<H> =
    dyn Fn(&mut Rewriter<'_, H>, <H as Ir>::Op) -> Result<bool, Refusal> + Send + Sync;
pub(crate) type VerifyFn<H> = dyn Fn(&H, <H as Ir>::Op) -> Result<(), Refusal> + Send + Sync;

/// A canonicalisation with its name.
pub(crate) type NamedCanonicalization<H> = (String, Arc<CanonicalizeFn<H>>);

/// The folds, effects, verifiers, canonicalisations and materializers of [`Natives`](super::Natives), bound to the
/// operation names of a host. Drivers use them.
pub struct Hooks<H: Ir> {
    pub(crate) folds: HashMap<OpNameId, Arc<FoldFn<H>>, FxBuildHasher>,
    pub(crate) effects: HashMap<OpNameId, Arc<EffectsFn<H>>, FxBuildHasher>,
    pub(crate) verifiers: HashMap<OpNameId, Arc<VerifyFn<H>>, FxBuildHasher>,
    /// The canonicalisations of each operation, with their names.
    pub(crate) canonicalizations: HashMap<OpNameId, Vec<NamedCanonicalization<H>>, FxBuildHasher>,
    /// The functions that create constants, by the name of the dialect.
    pub(crate) materializers: HashMap<String, Arc<MaterializeFn<H>>>,
}

impl<H: Ir> Hooks<H> {
    /// Verifies an operation with the function that is registered for its name.
    ///
    /// # Errors
    /// The operation is invalid.
    pub fn verify(&self, host: &H, op: H::Op) -> Result<(), Refusal> {
        match self.verifiers.get(&host.op_name(op)) {
            Some(verify) => verify(host, op),
            None => Ok(()),
        }
    }

    /// The function that creates constants for the dialect in an operation name.
    pub(crate) fn materializer(&self, op_name: &str) -> Option<&Arc<MaterializeFn<H>>> {
        self.materializers.get(op_name.split_once('.').map_or(op_name, |(dialect, _)| dialect))
    }
}

//! What only a host knows of its operations: how they fold, what effects they have, what they must be.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::{Ir, OpNameId, Refusal, Rewriter};

/// An operation that is about to be made, without its result types.
#[derive(Debug)]
pub struct NewOp<'a, H: Ir> {
    /// Its operands, all segments joined.
    pub operands: &'a [H::Value],
    /// Its attributes by name, in the order of its definition.
    pub attributes: &'a [(&'a str, H::Attr)],
}

impl<H: Ir> NewOp<'_, H> {
    /// The attribute of this name.
    pub fn attr(&self, name: &str) -> Option<H::Attr> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, attr)| *attr)
    }
}

/// What a result of an operation folds to.
pub enum Folded<H: Ir> {
    /// A value that exists.
    Value(H::Value),
    /// A constant, to be materialised.
    Attr(H::Attr),
}

impl<H: Ir> Clone for Folded<H> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<H: Ir> Copy for Folded<H> {}

/// What an operation does besides giving results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// Nothing: it is dead when nothing uses it.
    None,
    /// It reads memory: dead when nothing uses it, but not the same twice.
    Read,
    /// It writes memory, or does something else that is seen elsewhere: never dead.
    Write,
}

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
pub(crate) type EffectsFn<H> = dyn Fn(&H, <H as Ir>::Op) -> Effects + Send + Sync;
pub(crate) type VerifyFn<H> = dyn Fn(&H, <H as Ir>::Op) -> Result<(), Refusal> + Send + Sync;

/// What [`Natives`](super::Natives) register for operations, bound to a host's names: folds, effects and
/// verifiers. For drivers.
pub struct Hooks<H: Ir> {
    pub(crate) folds: HashMap<OpNameId, Arc<FoldFn<H>>, FxBuildHasher>,
    pub(crate) effects: HashMap<OpNameId, Arc<EffectsFn<H>>, FxBuildHasher>,
    pub(crate) verifiers: HashMap<OpNameId, Arc<VerifyFn<H>>, FxBuildHasher>,
    /// By the dialect's name.
    pub(crate) materializers: HashMap<String, Arc<MaterializeFn<H>>>,
}

impl<H: Ir> Hooks<H> {
    /// What is wrong with an operation.
    ///
    /// # Errors
    /// What the function says that is registered for its name.
    pub fn verify(&self, host: &H, op: H::Op) -> Result<(), Refusal> {
        match self.verifiers.get(&host.op_name(op)) {
            Some(verify) => verify(host, op),
            None => Ok(()),
        }
    }

    /// What makes constants of the dialect of an operation name.
    pub(crate) fn materializer(&self, op_name: &str) -> Option<&Arc<MaterializeFn<H>>> {
        self.materializers.get(op_name.split_once('.').map_or(op_name, |(dialect, _)| dialect))
    }
}

//! What a driver has to know of operations, by name.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::{Bind, OpNameId};
use crate::pdl::Trait;

/// What is known of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpFact {
    /// It has no effects, so it is dead when unused.
    pub removable: bool,
    /// It is a constant: equal ones are one.
    pub constant: bool,
    /// Its regions see no value from outside, so constants stay inside.
    pub isolated: bool,
}

/// Facts by the host's operation names.
#[derive(Clone, Debug, Default)]
pub struct OpFacts {
    facts: HashMap<OpNameId, OpFact, FxBuildHasher>,
}

impl OpFacts {
    /// The facts that traits state, bound to a host's names.
    pub fn link<'a, H: Bind>(host: &mut H, ops: impl IntoIterator<Item = (&'a str, &'a [Trait])>) -> Self {
        let facts = ops.into_iter().map(|(name, traits)| {
            let has = |wanted| traits.contains(&wanted);
            let fact = OpFact {
                removable: has(Trait::Pure) && !has(Trait::Terminator) && !has(Trait::Symbol),
                constant: has(Trait::ConstantLike),
                isolated: has(Trait::IsolatedFromAbove),
            };
            (host.bind_op_name(name), fact)
        });
        Self { facts: facts.collect() }
    }

    /// What is known of the operations of this name; `None` for one that nobody described. Such an
    /// operation is kept, and nothing is moved into or out of it.
    pub fn get(&self, name: OpNameId) -> Option<OpFact> {
        self.facts.get(&name).copied()
    }
}

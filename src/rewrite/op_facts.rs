//! What a driver has to know of operations, by name.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::Program;
use crate::host::{Bind, OpNameId};
use crate::pdl::Trait;

/// What is known of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OpFact {
    /// It has no effects, so it is dead when unused.
    pub(super) removable: bool,
    /// It is a constant: equal ones are one.
    pub(super) constant: bool,
    /// Its regions see no value from outside, so constants stay inside.
    pub(super) isolated: bool,
}

/// Facts by the host's operation names.
#[derive(Clone, Debug, Default)]
pub(super) struct OpFacts {
    facts: HashMap<OpNameId, OpFact, FxBuildHasher>,
}

impl OpFacts {
    /// What a program knows of operations, bound to a host's names.
    pub(super) fn link<H: Bind>(host: &mut H, program: &Program) -> Self {
        let facts = program.ops().iter().map(|op| {
            let has = |wanted| op.traits.contains(&wanted);
            let fact = OpFact {
                removable: has(Trait::Pure) && !has(Trait::Terminator) && !has(Trait::Symbol),
                constant: has(Trait::ConstantLike),
                isolated: has(Trait::IsolatedFromAbove),
            };
            (host.bind_op_name(&program.strings()[op.name]), fact)
        });
        Self { facts: facts.collect() }
    }

    /// What is known of the operations of this name; `None` for one that nobody described. Such an
    /// operation is kept, and nothing is moved into or out of it.
    pub(super) fn get(&self, name: OpNameId) -> Option<OpFact> {
        self.facts.get(&name).copied()
    }
}

//! Properties of operations that drivers need, by name.

use crate::bytecode::Program;
use crate::host::{Bind, Effects, IrMut, OpNameId, OpProperties};
use crate::id::Id;
use crate::pdl::Trait;

/// Facts by the host's number of the operation name.
#[derive(Clone, Debug, Default)]
pub(super) struct OpFacts {
    facts: Vec<Option<OpProperties>>,
    /// True if [`OpFacts::get`] asks the host for the properties of operations without facts.
    pub(super) asks_host: bool,
}

impl OpFacts {
    /// The facts that follow from a program's operation definitions.
    pub(super) fn link<H: Bind>(host: &mut H, program: &Program) -> Self {
        let mut facts = Vec::new();
        for op in program.ops().iter() {
            let has = |wanted| op.traits.contains(&wanted);
            let fact = OpProperties {
                effects: match () {
                    () if has(Trait::Symbol) => Effects::Write,
                    () if has(Trait::Pure) => Effects::None,
                    () if has(Trait::ReadsMemory) => Effects::Read,
                    () if has(Trait::NestedEffects) => Effects::Nested,
                    () => Effects::Write,
                },
                terminator: has(Trait::Terminator),
                constant: has(Trait::ConstantLike),
                isolated: has(Trait::IsolatedFromAbove),
                commutative: has(Trait::Commutative),
                idempotent: has(Trait::Idempotent),
                involution: has(Trait::Involution),
            };
            let name = host.bind_op_name(&program.strings()[op.name]).index();
            if name >= facts.len() {
                facts.resize(name + 1, None);
            }
            facts[name] = Some(fact);
        }
        Self { facts, asks_host: false }
    }

    /// Adds the facts that hold for operations with this name in addition to those of its definition.
    pub(super) fn add(&mut self, name: OpNameId, fact: OpProperties) {
        if name.index() >= self.facts.len() {
            self.facts.resize(name.index() + 1, None);
        }
        let known = self.facts[name.index()].get_or_insert_default();
        known.effects = known.effects.min(fact.effects);
        known.terminator |= fact.terminator;
        known.constant |= fact.constant;
        known.isolated |= fact.isolated;
        known.commutative |= fact.commutative;
        known.idempotent |= fact.idempotent;
        known.involution |= fact.involution;
    }

    /// The properties of an operation; `None` if unknown. No constant moves into or out of an unknown operation.
    pub(super) fn get<H: IrMut>(&self, host: &H, op: H::Op) -> Option<OpProperties> {
        match self.facts.get(host.op_name(op).index()) {
            Some(&Some(known)) => Some(known),
            _ if self.asks_host => host.properties(op),
            _ => None,
        }
    }
}

//! Properties of operations that drivers need, by name.

use crate::bytecode::Program;
use crate::host::{Bind, Effects, IrMut, OpNameId};
use crate::id::Id;
use crate::pdl::Trait;

/// Properties of operations with one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(super) struct OpFact {
    pub(super) effects: Effects,
    /// The operation ends its block, so it is never dead.
    pub(super) terminator: bool,
    /// The operation is a constant. Equal constants are merged.
    pub(super) constant: bool,
    /// The operation's regions use no value from outside, so constants stay inside.
    pub(super) isolated: bool,
    /// The operands may be exchanged.
    pub(super) commutative: bool,
    /// `f(f(x)) = f(x)`, or `f(x, x) = x`.
    pub(super) idempotent: bool,
    /// `f(f(x)) = x`.
    pub(super) involution: bool,
}

/// Facts by the host's number of the operation name.
#[derive(Clone, Debug, Default)]
pub(super) struct OpFacts {
    facts: Vec<Option<OpFact>>,
    /// True if the host's definitions count for operations without facts.
    pub(super) asks_host: bool,
}

impl OpFacts {
    /// The facts that follow from a program's operation definitions.
    pub(super) fn link<H: Bind>(host: &mut H, program: &Program) -> Self {
        let mut facts = Vec::new();
        for op in program.ops().iter() {
            let has = |wanted| op.traits.contains(&wanted);
            let fact = OpFact {
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
    pub(super) fn add(&mut self, name: OpNameId, fact: OpFact) {
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

    /// The effects that the definition of an operation states.
    pub(super) fn effects<H: IrMut>(&self, host: &H, op: H::Op) -> Effects {
        match self.get(host.op_name(op)) {
            Some(fact) => fact.effects,
            None if self.asks_host => host.effects(op),
            None => Effects::Write,
        }
    }

    /// True if an operation ends its block.
    pub(super) fn is_terminator<H: IrMut>(&self, host: &H, op: H::Op) -> bool {
        self.get(host.op_name(op)).is_some_and(|fact| fact.terminator) || host.is_terminator(op)
    }

    /// The properties of operations with this name; `None` if unknown. An unknown operation is never removed, and
    /// nothing moves into or out of it.
    pub(super) fn get(&self, name: OpNameId) -> Option<OpFact> {
        self.facts.get(name.index()).copied().flatten()
    }
}

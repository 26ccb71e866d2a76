//! Properties of operations that drivers need, by name.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::Program;
use crate::host::{AttrNameId, Bind, Effects, IrMut, OpNameId, OpProperties};
use crate::id::Id;
use crate::pdl::Trait;

/// Facts by the host's number of the operation name.
#[derive(Clone, Debug, Default)]
pub(super) struct OpFacts {
    facts: Vec<Option<OpProperties>>,
    /// The attributes that hold the values of constants, by the names of the operations. Constants of other names have
    /// the attribute `value`.
    constant_values: HashMap<OpNameId, AttrNameId, FxBuildHasher>,
    /// True if [`OpFacts::get`] asks the host for the properties of operations without facts.
    pub(super) asks_host: bool,
}

impl OpFacts {
    /// The facts that follow from a program's operation definitions.
    pub(super) fn link<H: Bind>(host: &mut H, program: &Program) -> Self {
        let mut facts = Vec::new();
        let mut constant_values = HashMap::default();
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
            let name = host.bind_op_name(&program.strings()[op.name]);
            if fact.constant
                && let [only] = op.attributes.as_slice()
            {
                constant_values.insert(name, host.bind_attr_name(&program.strings()[only.name]));
            }
            let name = name.index();
            if name >= facts.len() {
                facts.resize(name + 1, None);
            }
            facts[name] = Some(fact);
        }
        Self { facts, constant_values, asks_host: false }
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

    /// States the attribute that holds the value of constants with this name, unless the definition of these constants
    /// states it.
    pub(super) fn add_constant_value(&mut self, name: OpNameId, value: AttrNameId) {
        self.constant_values.entry(name).or_insert(value);
    }

    /// The value of a constant: the only attribute in its definition. If there is no such attribute, the attribute that
    /// [`Self::add_constant_value`] stated, or else the attribute `value`, whose name is `usual`.
    pub(super) fn constant_value<H: IrMut>(&self, host: &H, op: H::Op, usual: AttrNameId) -> Option<H::Attr> {
        let name = self.constant_values.get(&host.op_name(op)).copied().unwrap_or(usual);
        host.attr(op, name)
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

//! Plans: small pieces of IR that the generator inserts into modules.

use super::instance::Instance;
use super::vocabulary::Vocabulary;
use crate::ir::{BlockId, Context, Module, OpId, TypeId, ValueId};

/// Operations over inputs, in an order in which they can stand in a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Plan {
    pub(super) inputs: Vec<TypeId>,
    pub(super) ops: Vec<PlannedOp>,
    /// The index of the operation at which the rule is meant to match.
    pub(super) root: usize,
}

/// One operation of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PlannedOp {
    pub(super) instance: Instance,
    pub(super) operands: Vec<PlannedValue>,
}

/// An operand of a planned operation. The indices refer to the lists of the [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PlannedValue {
    Input(usize),
    Result { op: usize, index: usize },
}

/// The plans for one rule.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans {
    /// Plans at whose root the rule matches.
    pub(super) instances: Vec<Plan>,
    /// Plans that resemble an instance, and at whose root the rule does not match.
    pub(super) near_misses: Vec<Plan>,
}

impl Plan {
    /// Creates the operations at the end of a block.
    pub(super) fn append(
        &self,
        vocabulary: &Vocabulary,
        inputs: &[ValueId],
        module: &mut Module,
        context: &mut Context,
        block: BlockId,
    ) -> Vec<OpId> {
        let mut created: Vec<OpId> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            let value = |value: &PlannedValue| match *value {
                PlannedValue::Input(index) => inputs[index],
                PlannedValue::Result { op, index } => {
                    module.results(created[op]).nth(index).expect("a plan refers to existing results")
                }
            };
            let operands: Vec<ValueId> = op.operands.iter().map(value).collect();
            created.push(vocabulary.append(&op.instance, &operands, module, context, block));
        }
        created
    }
}

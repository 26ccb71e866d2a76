//! Fragments: small pieces of IR that the generator inserts into modules.

use std::fmt;

use super::instance::Instance;
use super::vocabulary::Vocabulary;
use crate::ir::{BlockId, Context, Module, OpId, TypeId, ValueId};
use crate::plural::count;

/// Operations in an order that is valid in a block, and the types of the values that they use from outside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fragment {
    pub(super) inputs: Vec<TypeId>,
    pub(super) ops: Vec<FragmentOp>,
    /// The index of the operation at which the rule is meant to match.
    pub(super) root: usize,
}

/// One operation of a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FragmentOp {
    pub(super) instance: Instance,
    pub(super) operands: Vec<FragmentValue>,
}

/// An operand in a fragment: an element of [`Fragment::inputs`] by its index, or a result of an operation. `op` is the
/// index of the operation in [`Fragment::ops`], and `index` is the number of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FragmentValue {
    Input(usize),
    Result { op: usize, index: usize },
}

/// The fragments for one rule.
#[derive(Clone, Debug, Default)]
pub(super) struct Fragments {
    /// Fragments at whose root the rule matches.
    pub(super) instances: Vec<Fragment>,
    /// Fragments that resemble an instance, and at whose root the rule does not match.
    pub(super) near_misses: Vec<Fragment>,
    /// The reason why there are no instances.
    pub(super) no_instance: Option<NoInstance>,
}

/// The reason why the generator has no instance of a rule. The text of each constraint is in quotes; a negated
/// constraint reads `the negation of '…'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoInstance {
    /// The rule matches an operation of this name, which random modules do not contain.
    Operation(String),
    /// No attribute and no type that was tried satisfies all these constraints on one operand, result or attribute.
    Candidate(Vec<String>),
    /// This number of attempts found no valid operations with the structure of the rule.
    Structure(usize),
    /// This number of pieces of IR had the structure of the rule, but none satisfied these constraints.
    Constraints(usize, Vec<String>),
}

/// The maximum number of constraints that a message quotes.
const QUOTED: usize = 3;

impl fmt::Display for NoInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |constraints: &[String]| {
            let mut all: Vec<String> = constraints.iter().take(QUOTED).cloned().collect();
            let others = constraints.len().saturating_sub(QUOTED);
            all.extend((others > 0).then(|| count(others, "other")));
            all.join(", ")
        };
        match self {
            NoInstance::Operation(name) => write!(f, "random modules do not contain '{name}'"),
            NoInstance::Candidate(constraints) => {
                write!(f, "no attribute or type that was tried satisfies {}", quoted(constraints))
            }
            NoInstance::Structure(attempts) => {
                write!(f, "{attempts} attempts found no valid operations with the structure of the rule")
            }
            NoInstance::Constraints(tried, constraints) if constraints.is_empty() => {
                write!(f, "the rule matches none of {tried} fragments with the structure of the rule")
            }
            NoInstance::Constraints(tried, constraints) => {
                let constraints = quoted(constraints);
                write!(f, "none of {tried} fragments with the structure of the rule satisfies {constraints}")
            }
        }
    }
}

impl Fragment {
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
            let value = |value: &FragmentValue| match *value {
                FragmentValue::Input(index) => inputs[index],
                FragmentValue::Result { op, index } => {
                    module.results(created[op]).nth(index).expect("a fragment refers to existing results")
                }
            };
            let operands: Vec<ValueId> = op.operands.iter().map(value).collect();
            created.push(vocabulary.append(&op.instance, &operands, module, context, block));
        }
        created
    }
}

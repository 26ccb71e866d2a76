//! The compact form of predicates, which `compiled.rs` builds and evaluates.
//!
//! Invariant: operands come before the steps that use them, and the root is the last step.

use std::sync::Arc;

use crate::host::{ConstraintFn, DependsOn, Facets, Kind, Overload};
use crate::id::{IdVec, define_ids};
use crate::snippet::data::{BinaryOp, Builtin};

define_ids! {
    /// A step of a [`CompiledPredicate`].
    pub(super) struct StepId;
}

/// A part of a predicate.
pub(super) enum Step<H: Facets> {
    Null,
    Bool(bool),
    Int(i128),
    Str(Arc<str>),
    /// The input with this number.
    Input(usize),
    And(StepId, StepId),
    Or(StepId, StepId),
    Not(StepId),
    /// True if the operand is not null.
    Present(StepId),
    /// The contextual conversion to `bool`.
    IsTrue(StepId),
    /// True if the operand is neither null nor `false`. A result that holds 0 is a success.
    Succeeded(StepId),
    /// The operand, which must not be null.
    Deref(StepId),
    /// A binary operator on operands without static types.
    Binary(BinaryOp, StepId, StepId),
    /// A method of `APInt` with up to two arguments. For another receiver, the evaluator decides.
    Method(Builtin, StepId, [Option<StepId>; 2]),
    TypeOf(StepId),
    DefiningOp(StepId),
    OpResult(StepId, u32),
    UseEmpty(StepId),
    HasOneUse(StepId),
    /// True if the operand is a constant. Binds the attribute of the constant to the output if `bind` is true.
    IsConstant {
        of: StepId,
        bind: bool,
    },
    /// False if the operand is not a constant. If it is a constant, the evaluator decides.
    IsSpecialConstant(StepId),
    Native(NativeStep<H>),
    /// An expression that only the evaluator knows.
    Unknown,
}

/// A call of a native constraint.
pub(super) struct NativeStep<H: Facets> {
    pub(super) native: Overload<ConstraintFn<H>>,
    /// The arguments, with the kinds of the parameters.
    pub(super) args: Box<[(StepId, Option<Kind>)]>,
}

/// A predicate in its compact form.
pub(super) struct CompiledPredicate<H: Facets> {
    pub(super) steps: IdVec<StepId, Step<H>>,
    pub(super) root: StepId,
    /// For each input, true if the evaluator converts an attribute argument to the scalar or the elements that it
    /// holds. The evaluator decides about such an argument, because the conversion can fail even if the predicate does
    /// not use the input.
    pub(super) converted: Box<[bool]>,
    /// True if the predicate has an output.
    pub(super) binds: bool,
}

/// A type or an attribute on which the answer of a predicate depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependency {
    /// The input with this number, which is a type or an attribute.
    Input(usize),
    /// The type of the input with this number if the input is a value; else the input.
    TypeOf(usize),
}

impl<H: Facets> CompiledPredicate<H> {
    /// The types and attributes that determine the answer; `None` if the answer also depends on other things.
    pub(super) fn dependencies(&self) -> Option<Vec<Dependency>> {
        if self.binds {
            return None;
        }
        let mut typed: Vec<StepId> = Vec::new();
        for step in self.steps.iter() {
            match step {
                Step::TypeOf(of) => typed.push(*of),
                Step::Native(call) => match call.native.depends_on {
                    DependsOn::Arguments => typed.extend(call.args.iter().map(|&(arg, _)| arg)),
                    DependsOn::Ir | DependsOn::Anything => return None,
                },
                Step::DefiningOp(_)
                | Step::OpResult(..)
                | Step::UseEmpty(_)
                | Step::HasOneUse(_)
                | Step::IsConstant { .. }
                | Step::IsSpecialConstant(_)
                | Step::Unknown => return None,
                Step::Null
                | Step::Bool(_)
                | Step::Int(_)
                | Step::Str(_)
                | Step::Input(_)
                | Step::And(..)
                | Step::Or(..)
                | Step::Not(_)
                | Step::Present(_)
                | Step::IsTrue(_)
                | Step::Succeeded(_)
                | Step::Deref(_)
                | Step::Binary(..)
                | Step::Method(..) => {}
            }
        }
        let mut dependencies = Vec::new();
        for (id, step) in self.steps.iter_enumerated() {
            // Each step has one user.
            let Step::Input(input) = *step else { continue };
            let dependency =
                if typed.contains(&id) { Dependency::TypeOf(input) } else { Dependency::Input(input) };
            if !dependencies.contains(&dependency) {
                dependencies.push(dependency);
            }
        }
        Some(dependencies)
    }
}

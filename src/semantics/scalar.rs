//! The values that the interpreter computes with.

use crate::number::{ApFloat, ApInt, FloatFormat};

/// The type of one element. `index` has 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Int(u32),
    Float(FloatFormat),
}

/// One element of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Int(ApInt),
    Float(ApFloat),
    Poison,
}

/// The reason why an execution has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The behaviour is undefined.
    Undefined,
    /// The interpreter does not support an operation, attribute or type.
    Uninterpreted,
}

impl Scalar {
    /// True if replacing `before` by this scalar is a refinement.
    pub(crate) fn refines(&self, before: &Scalar) -> bool {
        match (before, self) {
            (Scalar::Poison, _) => true,
            (Scalar::Int(a), Scalar::Int(b)) => a == b,
            (Scalar::Float(a), Scalar::Float(b)) => a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits(),
            _ => false,
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Scalar::Int(value) if value.width() == 1 => {
                if value.is_zero() { "false" } else { "true" }.to_owned()
            }
            Scalar::Int(value) => value.to_signed_string(),
            Scalar::Float(value) => format!("{:?}", value.to_f64()),
            Scalar::Poison => "poison".to_owned(),
        }
    }
}

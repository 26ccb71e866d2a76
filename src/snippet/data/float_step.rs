//! The numbers of the operations of `drrvmFloatResult`, `drrvmFloatStatus` and `drrvmFloatScaled`.
//!
//! An argument of these functions is the sum of [`FloatStep::number`] and a rounding mode, as LLVM numbers the modes.

/// An operation on floats that C++ text selects by a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatStep {
    Add,
    Subtract,
    Multiply,
    Divide,
    MultiplyAdd,
    Mod,
    Remainder,
    NextUp,
    NextDown,
    RoundToIntegral,
    Scale,
}

/// The number of rounding modes that an argument has room for.
const MODES: i128 = 8;

/// The operations, in the order of their numbers.
const STEPS: [FloatStep; 11] = {
    use FloatStep as S;
    [
        S::Add,
        S::Subtract,
        S::Multiply,
        S::Divide,
        S::MultiplyAdd,
        S::Mod,
        S::Remainder,
        S::NextUp,
        S::NextDown,
        S::RoundToIntegral,
        S::Scale,
    ]
};

impl FloatStep {
    /// The operation and the rounding mode in an argument; `None` for an unknown operation.
    pub(crate) fn of_argument(argument: i128) -> Option<(Self, i128)> {
        let step = usize::try_from(argument / MODES).ok().and_then(|number| STEPS.get(number))?;
        Some((*step, argument % MODES))
    }

    /// The operation with a name in C++ text (`drrvmAdd`); `None` for another name.
    #[cfg(feature = "frontend")]
    pub(crate) fn named(name: &str) -> Option<Self> {
        let short = name.strip_prefix("drrvm")?;
        STEPS.into_iter().find(|step| format!("{step:?}") == short)
    }

    /// The number of the operation in an argument with the rounding mode 0.
    #[cfg(feature = "frontend")]
    pub(crate) fn number(self) -> i128 {
        MODES * self as i128
    }
}

#[cfg(all(test, feature = "frontend"))]
mod tests {
    use super::*;

    #[test]
    fn each_argument_denotes_the_operation_of_its_number() {
        for step in STEPS {
            assert_eq!(FloatStep::of_argument(step.number() + 3), Some((step, 3)));
            assert_eq!(FloatStep::named(&format!("drrvm{step:?}")), Some(step));
        }
        assert_eq!(FloatStep::of_argument(FloatStep::Scale.number() + MODES), None);
        assert_eq!(FloatStep::of_argument(-9), None);
        assert_eq!(FloatStep::named("Add"), None);
    }
}

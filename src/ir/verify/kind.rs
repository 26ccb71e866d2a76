//! The operations for which the verifier has special checks.

/// The kind of an operation of `builtin`, `func`, `cf` or `arith`. The kind determines the checks of the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpKind {
    Module,
    ConversionCast,
    Func,
    Return,
    Call,
    CallIndirect,
    FunctionConstant,
    Assert,
    Switch,
    Branch,
    CondBranch,
    Constant,
    CompareInts,
    CompareFloats,
    Select,
    ExtendedAdd,
    ExtendedMultiply,
    /// Two operands and a result of one type.
    Binary(NumberClass),
    /// An operand and a result of one type.
    Unary(NumberClass),
    Cast(CastRule),
    /// A cast of a float with a scale.
    ScaledCast(WidthRelation),
}

/// A class of number types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberClass {
    /// A signless integer or `index`.
    Int,
    /// A signless integer.
    FixedInt,
    Index,
    Float,
    /// A signless integer or a float. Only this class includes memrefs.
    Bits,
}

impl NumberClass {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Int => "signless-integer-like",
            Self::FixedInt => "signless-fixed-width-integer-like",
            Self::Index => "index-like",
            Self::Float => "floating-point-like",
            Self::Bits => "signless-integer-or-float-like or memref of signless-integer or float",
        }
    }
}

/// The relation between the widths of the operand and the result of a cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WidthRelation {
    Any,
    Grow,
    Shrink,
    Same,
}

/// The types that a cast accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CastRule {
    /// An operand and a result of these classes.
    Classes { operand: NumberClass, result: NumberClass, widths: WidthRelation },
    /// From `index` to an integer or back, or between memrefs.
    Index,
}

/// The number of predicates of `arith.cmpi`.
pub(super) const INT_PREDICATES: usize = 10;

/// The number of predicates of `arith.cmpf`.
pub(super) const FLOAT_PREDICATES: usize = 16;

impl OpKind {
    /// The kind of the operation with this name, if it has checks.
    pub(super) fn of(name: &str) -> Option<Self> {
        use NumberClass::{Bits, FixedInt, Float, Int};
        let cast = |operand, result, widths| Self::Cast(CastRule::Classes { operand, result, widths });
        let Some(name) = name.strip_prefix("arith.") else {
            return Some(match name {
                "builtin.module" => Self::Module,
                "builtin.unrealized_conversion_cast" => Self::ConversionCast,
                "func.func" => Self::Func,
                "func.return" => Self::Return,
                "func.call" => Self::Call,
                "func.call_indirect" => Self::CallIndirect,
                "func.constant" => Self::FunctionConstant,
                "cf.assert" => Self::Assert,
                "cf.switch" => Self::Switch,
                "cf.br" => Self::Branch,
                "cf.cond_br" => Self::CondBranch,
                _ => return None,
            });
        };
        Some(match name {
            "constant" => Self::Constant,
            "cmpi" => Self::CompareInts,
            "cmpf" => Self::CompareFloats,
            "select" => Self::Select,
            "addui_extended" => Self::ExtendedAdd,
            "mulsi_extended" | "mului_extended" => Self::ExtendedMultiply,
            "addi" | "subi" | "muli" | "shli" | "divsi" | "divui" | "shrsi" | "shrui" | "ceildivsi"
            | "ceildivui" | "floordivsi" | "remsi" | "remui" | "andi" | "ori" | "xori" | "maxsi"
            | "maxui" | "minsi" | "minui" => Self::Binary(Int),
            "addf" | "subf" | "mulf" | "divf" | "remf" | "maximumf" | "maxnumf" | "minimumf" | "minnumf" => {
                Self::Binary(Float)
            }
            "negf" => Self::Unary(Float),
            "extsi" | "extui" => cast(FixedInt, FixedInt, WidthRelation::Grow),
            "trunci" => cast(FixedInt, FixedInt, WidthRelation::Shrink),
            "extf" => cast(Float, Float, WidthRelation::Grow),
            "truncf" => cast(Float, Float, WidthRelation::Shrink),
            "scaling_extf" => Self::ScaledCast(WidthRelation::Grow),
            "scaling_truncf" => Self::ScaledCast(WidthRelation::Shrink),
            "sitofp" | "uitofp" => cast(FixedInt, Float, WidthRelation::Any),
            "fptosi" | "fptoui" => cast(Float, FixedInt, WidthRelation::Any),
            "index_cast" | "index_castui" => Self::Cast(CastRule::Index),
            "bitcast" => cast(Bits, Bits, WidthRelation::Same),
            _ => return None,
        })
    }

    /// True for an operation of `arith`.
    pub(super) fn is_arith(self) -> bool {
        matches!(
            self,
            Self::Constant
                | Self::CompareInts
                | Self::CompareFloats
                | Self::Select
                | Self::ExtendedAdd
                | Self::ExtendedMultiply
                | Self::Binary(_)
                | Self::Unary(_)
                | Self::Cast(_)
                | Self::ScaledCast(_)
        )
    }
}

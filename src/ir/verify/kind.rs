//! The operations for which the verifier has special checks.

/// The kind of an operation of `builtin`, `func`, `cf` or `arith`, which determines its checks.
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
    Binary,
    /// An operand and a result of one type.
    Unary,
    Cast,
}

/// The number of predicates of `arith.cmpi`.
pub(super) const INT_PREDICATES: usize = 10;

/// The number of predicates of `arith.cmpf`.
pub(super) const FLOAT_PREDICATES: usize = 16;

impl OpKind {
    /// The kind of the operation with this name, if it has checks.
    pub(super) fn of(name: &str) -> Option<Self> {
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
            | "maxui" | "minsi" | "minui" | "addf" | "subf" | "mulf" | "divf" | "remf" | "maximumf"
            | "maxnumf" | "minimumf" | "minnumf" => Self::Binary,
            "negf" => Self::Unary,
            "extf" | "truncf" | "trunci" | "extsi" | "extui" | "sitofp" | "uitofp" | "fptosi" | "fptoui"
            | "index_cast" | "index_castui" | "bitcast" => Self::Cast,
            _ => return None,
        })
    }
}

//! The operations whose custom forms are built in.

/// The custom form of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoreForm {
    /// `module @name attributes {…} {…}`
    Module,
    /// `func.func public @name(…) -> … attributes {…} {…}`
    Func,
    /// `return %a, %b : t, u`
    Return,
    /// `call @f(%a) : (t) -> u`
    Call,
    /// `call_indirect %f(%a) : (t) -> u`
    CallIndirect,
    /// `constant @f : (t) -> u`
    FunctionConstant,
    /// `cf.assert %c, "text"`
    Assert,
    /// `cf.switch %a : t, [default: ^bb, 1: ^bb(%a : t)]`
    Switch,
    /// `cf.br ^bb(%a : t)`
    Branch,
    /// `cf.cond_br %c, ^bb(%a : t), ^bb`
    CondBranch,
    /// `arith.constant 1 : t`
    Constant,
    /// `arith.cmpi eq, %a, %b : t`
    CompareInts,
    /// `arith.cmpf oeq, %a, %b fastmath<…> : t`
    CompareFloats,
    /// `arith.select %c, %a, %b : t`
    Select,
    /// `arith.addui_extended %a, %b : t, u`
    ExtendedAdd,
    /// `arith.mulsi_extended %a, %b : t`
    ExtendedMultiply,
    /// `name %a, %b flags : t`
    Binary(FlagSyntax),
    /// `name %a flags : t`
    Unary(FlagSyntax),
    /// `builtin.unrealized_conversion_cast %a, %b : t, u to v, w`
    ConversionCast,
    /// `name %a flags : t to u`
    Cast(FlagSyntax),
}

/// The flags between operands and attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagSyntax {
    /// Nothing.
    None,
    /// `overflow<…>`, with the default `none`.
    Overflow,
    /// `exact`
    Exact,
    /// `fastmath<…>`, with the default `none`.
    FastMath,
    /// `fastmath<…>`, optional.
    OptionalFastMath,
    /// A rounding mode and `fastmath<…>`, both optional.
    Rounding,
}

/// The custom form of an operation, if it is built in.
pub(super) fn of(name: &str) -> Option<CoreForm> {
    let Some(name) = name.strip_prefix("arith.") else {
        return Some(match name {
            "builtin.module" => CoreForm::Module,
            "builtin.unrealized_conversion_cast" => CoreForm::ConversionCast,
            "func.func" => CoreForm::Func,
            "func.return" => CoreForm::Return,
            "func.call" => CoreForm::Call,
            "func.call_indirect" => CoreForm::CallIndirect,
            "func.constant" => CoreForm::FunctionConstant,
            "cf.assert" => CoreForm::Assert,
            "cf.switch" => CoreForm::Switch,
            "cf.br" => CoreForm::Branch,
            "cf.cond_br" => CoreForm::CondBranch,
            _ => return None,
        });
    };
    Some(match name {
        "constant" => CoreForm::Constant,
        "cmpi" => CoreForm::CompareInts,
        "cmpf" => CoreForm::CompareFloats,
        "select" => CoreForm::Select,
        "addui_extended" => CoreForm::ExtendedAdd,
        "mulsi_extended" | "mului_extended" => CoreForm::ExtendedMultiply,
        "addi" | "subi" | "muli" | "shli" => CoreForm::Binary(FlagSyntax::Overflow),
        "divsi" | "divui" | "shrsi" | "shrui" => CoreForm::Binary(FlagSyntax::Exact),
        "ceildivsi" | "ceildivui" | "floordivsi" | "remsi" | "remui" | "andi" | "ori" | "xori" | "maxsi"
        | "maxui" | "minsi" | "minui" => CoreForm::Binary(FlagSyntax::None),
        "addf" | "subf" | "mulf" | "divf" | "remf" | "maximumf" | "maxnumf" | "minimumf" | "minnumf" => {
            CoreForm::Binary(FlagSyntax::FastMath)
        }
        "negf" => CoreForm::Unary(FlagSyntax::FastMath),
        "extf" => CoreForm::Cast(FlagSyntax::OptionalFastMath),
        "truncf" => CoreForm::Cast(FlagSyntax::Rounding),
        "trunci" => CoreForm::Cast(FlagSyntax::Overflow),
        "extsi" | "extui" | "sitofp" | "uitofp" | "fptosi" | "fptoui" | "index_cast" | "index_castui"
        | "bitcast" => CoreForm::Cast(FlagSyntax::None),
        _ => return None,
    })
}

/// The predicates of `arith.cmpi`, by number.
pub(super) const INT_PREDICATES: &[&str] =
    &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// The predicates of `arith.cmpf`, by number.
pub(super) const FLOAT_PREDICATES: &[&str] = &[
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno", "true",
];

/// The rounding modes of `arith.truncf`, by number.
pub(super) const ROUNDING_MODES: &[&str] =
    &["to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"];

/// The flags of `overflow<…>`, in their order.
pub(super) const OVERFLOW_FLAGS: &[&str] = &["nsw", "nuw"];

/// The flags of `fastmath<…>`, in their order; all together are `fast`.
pub(super) const FAST_MATH_FLAGS: &[&str] = &["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"];

/// The property with a default value, and the text of the default without its sigil.
pub(super) fn default_property(name: &str) -> Option<(&'static str, &'static str)> {
    let flags = match of(name)? {
        CoreForm::Binary(flags) | CoreForm::Unary(flags) | CoreForm::Cast(flags) => flags,
        CoreForm::CompareFloats => FlagSyntax::FastMath,
        _ => return None,
    };
    match flags {
        FlagSyntax::Overflow => Some(("overflowFlags", "arith.overflow<none>")),
        FlagSyntax::FastMath => Some(("fastmath", "arith.fastmath<none>")),
        FlagSyntax::None | FlagSyntax::Exact | FlagSyntax::OptionalFastMath | FlagSyntax::Rounding => None,
    }
}

/// The inherent attributes of an operation.
pub(super) fn inherent(name: &str) -> &'static [&'static str] {
    match of(name) {
        Some(CoreForm::Module) => &["sym_name", "sym_visibility"],
        Some(CoreForm::Func) => {
            &["arg_attrs", "function_type", "no_inline", "res_attrs", "sym_name", "sym_visibility"]
        }
        Some(CoreForm::Call) => &["arg_attrs", "callee", "no_inline", "res_attrs"],
        Some(CoreForm::CondBranch) => &["branch_weights", "operandSegmentSizes"],
        Some(CoreForm::Constant | CoreForm::FunctionConstant) => &["value"],
        Some(CoreForm::CallIndirect) => &["arg_attrs", "res_attrs"],
        Some(CoreForm::ConversionCast) => &[],
        Some(CoreForm::Assert) => &["msg"],
        Some(CoreForm::Switch) => &["case_operand_segments", "case_values", "operandSegmentSizes"],
        Some(CoreForm::CompareInts) => &["predicate"],
        Some(CoreForm::CompareFloats) => &["fastmath", "predicate"],
        Some(CoreForm::Binary(flags) | CoreForm::Unary(flags) | CoreForm::Cast(flags)) => match flags {
            FlagSyntax::None => &[],
            FlagSyntax::Overflow => &["overflowFlags"],
            FlagSyntax::Exact => &["isExact"],
            FlagSyntax::FastMath | FlagSyntax::OptionalFastMath => &["fastmath"],
            FlagSyntax::Rounding => &["fastmath", "roundingmode"],
        },
        Some(
            CoreForm::Return
            | CoreForm::Branch
            | CoreForm::Select
            | CoreForm::ExtendedAdd
            | CoreForm::ExtendedMultiply,
        )
        | None => &[],
    }
}

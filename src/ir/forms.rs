//! The table of operations with a custom form.

/// The custom form of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CustomForm {
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

/// The custom form of an operation, if it has one here.
pub(super) fn of(name: &str) -> Option<CustomForm> {
    let Some(name) = name.strip_prefix("arith.") else {
        return Some(match name {
            "builtin.module" => CustomForm::Module,
            "builtin.unrealized_conversion_cast" => CustomForm::ConversionCast,
            "func.func" => CustomForm::Func,
            "func.return" => CustomForm::Return,
            "func.call" => CustomForm::Call,
            "func.call_indirect" => CustomForm::CallIndirect,
            "func.constant" => CustomForm::FunctionConstant,
            "cf.assert" => CustomForm::Assert,
            "cf.switch" => CustomForm::Switch,
            "cf.br" => CustomForm::Branch,
            "cf.cond_br" => CustomForm::CondBranch,
            _ => return None,
        });
    };
    Some(match name {
        "constant" => CustomForm::Constant,
        "cmpi" => CustomForm::CompareInts,
        "cmpf" => CustomForm::CompareFloats,
        "select" => CustomForm::Select,
        "addui_extended" => CustomForm::ExtendedAdd,
        "mulsi_extended" | "mului_extended" => CustomForm::ExtendedMultiply,
        "addi" | "subi" | "muli" | "shli" => CustomForm::Binary(FlagSyntax::Overflow),
        "divsi" | "divui" | "shrsi" | "shrui" => CustomForm::Binary(FlagSyntax::Exact),
        "ceildivsi" | "ceildivui" | "floordivsi" | "remsi" | "remui" | "andi" | "ori" | "xori" | "maxsi"
        | "maxui" | "minsi" | "minui" => CustomForm::Binary(FlagSyntax::None),
        "addf" | "subf" | "mulf" | "divf" | "remf" | "maximumf" | "maxnumf" | "minimumf" | "minnumf" => {
            CustomForm::Binary(FlagSyntax::FastMath)
        }
        "negf" => CustomForm::Unary(FlagSyntax::FastMath),
        "extf" => CustomForm::Cast(FlagSyntax::OptionalFastMath),
        "truncf" => CustomForm::Cast(FlagSyntax::Rounding),
        "trunci" => CustomForm::Cast(FlagSyntax::Overflow),
        "extsi" | "extui" | "sitofp" | "uitofp" | "fptosi" | "fptoui" | "index_cast" | "index_castui"
        | "bitcast" => CustomForm::Cast(FlagSyntax::None),
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
        CustomForm::Binary(flags) | CustomForm::Unary(flags) | CustomForm::Cast(flags) => flags,
        CustomForm::CompareFloats => FlagSyntax::FastMath,
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
        Some(CustomForm::Module) => &["sym_name", "sym_visibility"],
        Some(CustomForm::Func) => {
            &["arg_attrs", "function_type", "no_inline", "res_attrs", "sym_name", "sym_visibility"]
        }
        Some(CustomForm::Call) => &["arg_attrs", "callee", "no_inline", "res_attrs"],
        Some(CustomForm::CondBranch) => &["branch_weights", "operandSegmentSizes"],
        Some(CustomForm::Constant | CustomForm::FunctionConstant) => &["value"],
        Some(CustomForm::CallIndirect) => &["arg_attrs", "res_attrs"],
        Some(CustomForm::ConversionCast) => &[],
        Some(CustomForm::Assert) => &["msg"],
        Some(CustomForm::Switch) => &["case_operand_segments", "case_values", "operandSegmentSizes"],
        Some(CustomForm::CompareInts) => &["predicate"],
        Some(CustomForm::CompareFloats) => &["fastmath", "predicate"],
        Some(CustomForm::Binary(flags) | CustomForm::Unary(flags) | CustomForm::Cast(flags)) => match flags {
            FlagSyntax::None => &[],
            FlagSyntax::Overflow => &["overflowFlags"],
            FlagSyntax::Exact => &["isExact"],
            FlagSyntax::FastMath | FlagSyntax::OptionalFastMath => &["fastmath"],
            FlagSyntax::Rounding => &["fastmath", "roundingmode"],
        },
        Some(
            CustomForm::Return
            | CustomForm::Branch
            | CustomForm::Select
            | CustomForm::ExtendedAdd
            | CustomForm::ExtendedMultiply,
        )
        | None => &[],
    }
}

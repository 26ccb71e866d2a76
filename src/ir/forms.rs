//! The custom forms that are read and written: which operation has which, as a table.

/// How an operation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
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
    Binary(Flags),
    /// `name %a flags : t`
    Unary(Flags),
    /// `name %a flags : t to u`
    Cast(Flags),
}

/// What stands between operands and attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flags {
    /// Nothing.
    None,
    /// `overflow<…>`, none by default.
    Overflow,
    /// `exact`
    Exact,
    /// `fastmath<…>`, none by default.
    FastMath,
    /// `fastmath<…>`, absent by default.
    OptionalFastMath,
    /// A rounding mode and `fastmath<…>`, both absent by default.
    Rounding,
}

/// The custom form of an operation, if it is one of those read and written.
pub(super) fn of(name: &str) -> Option<Form> {
    let Some(name) = name.strip_prefix("arith.") else {
        return Some(match name {
            "builtin.module" => Form::Module,
            "func.func" => Form::Func,
            "func.return" => Form::Return,
            "func.call" => Form::Call,
            "func.call_indirect" => Form::CallIndirect,
            "func.constant" => Form::FunctionConstant,
            "cf.assert" => Form::Assert,
            "cf.switch" => Form::Switch,
            "cf.br" => Form::Branch,
            "cf.cond_br" => Form::CondBranch,
            _ => return None,
        });
    };
    Some(match name {
        "constant" => Form::Constant,
        "cmpi" => Form::CompareInts,
        "cmpf" => Form::CompareFloats,
        "select" => Form::Select,
        "addui_extended" => Form::ExtendedAdd,
        "mulsi_extended" | "mului_extended" => Form::ExtendedMultiply,
        "addi" | "subi" | "muli" | "shli" => Form::Binary(Flags::Overflow),
        "divsi" | "divui" | "shrsi" | "shrui" => Form::Binary(Flags::Exact),
        "ceildivsi" | "ceildivui" | "floordivsi" | "remsi" | "remui" | "andi" | "ori" | "xori" | "maxsi"
        | "maxui" | "minsi" | "minui" => Form::Binary(Flags::None),
        "addf" | "subf" | "mulf" | "divf" | "remf" | "maximumf" | "maxnumf" | "minimumf" | "minnumf" => {
            Form::Binary(Flags::FastMath)
        }
        "negf" => Form::Unary(Flags::FastMath),
        "extf" => Form::Cast(Flags::OptionalFastMath),
        "truncf" => Form::Cast(Flags::Rounding),
        "trunci" => Form::Cast(Flags::Overflow),
        "extsi" | "extui" | "sitofp" | "uitofp" | "fptosi" | "fptoui" | "index_cast" | "index_castui"
        | "bitcast" => Form::Cast(Flags::None),
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

/// The property that an operation has without being given one, and its text: a dialect's attribute without sigil.
pub(super) fn default_property(name: &str) -> Option<(&'static str, &'static str)> {
    let flags = match of(name)? {
        Form::Binary(flags) | Form::Unary(flags) | Form::Cast(flags) => flags,
        Form::CompareFloats => Flags::FastMath,
        _ => return None,
    };
    match flags {
        Flags::Overflow => Some(("overflowFlags", "arith.overflow<none>")),
        Flags::FastMath => Some(("fastmath", "arith.fastmath<none>")),
        Flags::None | Flags::Exact | Flags::OptionalFastMath | Flags::Rounding => None,
    }
}

/// The attributes that an operation keeps among its properties.
pub(super) fn inherent(name: &str) -> &'static [&'static str] {
    match of(name) {
        Some(Form::Module) => &["sym_name", "sym_visibility"],
        Some(Form::Func) => {
            &["arg_attrs", "function_type", "no_inline", "res_attrs", "sym_name", "sym_visibility"]
        }
        Some(Form::Call) => &["arg_attrs", "callee", "no_inline", "res_attrs"],
        Some(Form::CondBranch) => &["branch_weights", "operandSegmentSizes"],
        Some(Form::Constant | Form::FunctionConstant) => &["value"],
        Some(Form::CallIndirect) => &["arg_attrs", "res_attrs"],
        Some(Form::Assert) => &["msg"],
        Some(Form::Switch) => &["case_operand_segments", "case_values", "operandSegmentSizes"],
        Some(Form::CompareInts) => &["predicate"],
        Some(Form::CompareFloats) => &["fastmath", "predicate"],
        Some(Form::Binary(flags) | Form::Unary(flags) | Form::Cast(flags)) => match flags {
            Flags::None => &[],
            Flags::Overflow => &["overflowFlags"],
            Flags::Exact => &["isExact"],
            Flags::FastMath | Flags::OptionalFastMath => &["fastmath"],
            Flags::Rounding => &["fastmath", "roundingmode"],
        },
        Some(Form::Return | Form::Branch | Form::Select | Form::ExtendedAdd | Form::ExtendedMultiply)
        | None => &[],
    }
}

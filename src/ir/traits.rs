//! What the IR itself has to know of an operation by its name.

/// A set of traits that parsing, verification and drivers ask for.
///
/// ```
/// use drrvm::ir::{Context, OpTraits};
/// let mut context = Context::new();
/// let ret = context.op_name("func.return");
/// assert!(context.traits(ret).has(OpTraits::TERMINATOR));
/// let mine = context.op_name("my.constant");
/// assert!(!context.traits(mine).has(OpTraits::KNOWN));
/// context.set_traits(mine, OpTraits::KNOWN | OpTraits::CONSTANT_LIKE);
/// assert!(context.traits(mine).has(OpTraits::CONSTANT_LIKE));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OpTraits(u16);

impl OpTraits {
    /// Somebody said what the operation is; without this, the other traits are only unknown.
    pub const KNOWN: Self = Self(1);
    /// Ends its block.
    pub const TERMINATOR: Self = Self(1 << 1);
    /// Its regions see no value from outside.
    pub const ISOLATED_FROM_ABOVE: Self = Self(1 << 2);
    /// Holds symbols.
    pub const SYMBOL_TABLE: Self = Self(1 << 3);
    /// Is a symbol.
    pub const SYMBOL: Self = Self(1 << 4);
    /// Its blocks need no terminator.
    pub const NO_TERMINATOR: Self = Self(1 << 5);
    /// Its regions have one block at most.
    pub const SINGLE_BLOCK: Self = Self(1 << 6);
    /// Order within its regions does not matter.
    pub const GRAPH_REGION: Self = Self(1 << 7);
    /// A constant.
    pub const CONSTANT_LIKE: Self = Self(1 << 8);
    /// No effects: dead when unused.
    pub const PURE: Self = Self(1 << 9);
    /// All operands and results have one type.
    pub const SAME_OPERANDS_AND_RESULT_TYPE: Self = Self(1 << 10);

    /// Whether all of `other` are in this set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitOr for OpTraits {
    type Output = Self;
    fn bitor(self, rhs: Self) -> Self {
        self.with(rhs)
    }
}

const MODULE: OpTraits = OpTraits::KNOWN
    .with(OpTraits::ISOLATED_FROM_ABOVE)
    .with(OpTraits::SYMBOL_TABLE)
    .with(OpTraits::SYMBOL)
    .with(OpTraits::NO_TERMINATOR)
    .with(OpTraits::SINGLE_BLOCK)
    .with(OpTraits::GRAPH_REGION);
const FUNC: OpTraits = OpTraits::KNOWN.with(OpTraits::ISOLATED_FROM_ABOVE).with(OpTraits::SYMBOL);
const TERMINATOR: OpTraits = OpTraits::KNOWN.with(OpTraits::TERMINATOR);
const PURE: OpTraits = OpTraits::KNOWN.with(OpTraits::PURE);
const SAME: OpTraits = PURE.with(OpTraits::SAME_OPERANDS_AND_RESULT_TYPE);

/// The operations whose custom assembly is read, in the order of their names.
pub(super) const BUILTIN: &[(&str, OpTraits)] = &[
    ("arith.addf", SAME),
    ("arith.addi", SAME),
    ("arith.addui_extended", PURE),
    ("arith.andi", SAME),
    ("arith.bitcast", PURE),
    ("arith.ceildivsi", SAME),
    ("arith.ceildivui", SAME),
    ("arith.cmpf", PURE),
    ("arith.cmpi", PURE),
    ("arith.constant", PURE.with(OpTraits::CONSTANT_LIKE)),
    ("arith.divf", SAME),
    ("arith.divsi", SAME),
    ("arith.divui", SAME),
    ("arith.extf", PURE),
    ("arith.extsi", PURE),
    ("arith.extui", PURE),
    ("arith.floordivsi", SAME),
    ("arith.fptosi", PURE),
    ("arith.fptoui", PURE),
    ("arith.index_cast", PURE),
    ("arith.index_castui", PURE),
    ("arith.maximumf", SAME),
    ("arith.maxnumf", SAME),
    ("arith.maxsi", SAME),
    ("arith.maxui", SAME),
    ("arith.minimumf", SAME),
    ("arith.minnumf", SAME),
    ("arith.minsi", SAME),
    ("arith.minui", SAME),
    ("arith.mulf", SAME),
    ("arith.muli", SAME),
    ("arith.mulsi_extended", PURE),
    ("arith.mului_extended", PURE),
    ("arith.negf", SAME),
    ("arith.ori", SAME),
    ("arith.remf", SAME),
    ("arith.remsi", SAME),
    ("arith.remui", SAME),
    ("arith.scaling_extf", PURE),
    ("arith.scaling_truncf", PURE),
    ("arith.select", PURE),
    ("arith.shli", SAME),
    ("arith.shrsi", SAME),
    ("arith.shrui", SAME),
    ("arith.sitofp", PURE),
    ("arith.subf", SAME),
    ("arith.subi", SAME),
    ("arith.truncf", PURE),
    ("arith.trunci", PURE),
    ("arith.uitofp", PURE),
    ("arith.xori", SAME),
    ("builtin.module", MODULE),
    ("builtin.unrealized_conversion_cast", PURE),
    ("cf.assert", OpTraits::KNOWN),
    ("cf.br", TERMINATOR),
    ("cf.cond_br", TERMINATOR),
    ("cf.switch", TERMINATOR),
    ("func.call", OpTraits::KNOWN),
    ("func.call_indirect", OpTraits::KNOWN),
    ("func.constant", PURE.with(OpTraits::CONSTANT_LIKE)),
    ("func.func", FUNC),
    ("func.return", TERMINATOR),
];

//! The traits of operations that the IR itself uses.

use bitflags::bitflags;

bitflags! {
    /// A set of traits of an operation.
    ///
    /// ```
    /// use drrvm::ir::{Context, OpTraits};
    /// let mut context = Context::new();
    /// let ret = context.op_name("func.return");
    /// assert!(context.traits(ret).contains(OpTraits::TERMINATOR));
    /// let mine = context.op_name("my.constant");
    /// assert!(!context.traits(mine).contains(OpTraits::KNOWN));
    /// context.set_traits(mine, OpTraits::KNOWN | OpTraits::CONSTANT_LIKE);
    /// assert!(context.traits(mine).contains(OpTraits::CONSTANT_LIKE));
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct OpTraits: u16 {
        /// The operation is defined. Without this trait, the other traits are unknown.
        const KNOWN = 1;
        /// The operation ends its block.
        const TERMINATOR = 1 << 1;
        /// Its regions use no value from outside.
        const ISOLATED_FROM_ABOVE = 1 << 2;
        /// The operation is a symbol table.
        const SYMBOL_TABLE = 1 << 3;
        /// The operation is a symbol.
        const SYMBOL = 1 << 4;
        /// Its blocks need no terminator.
        const NO_TERMINATOR = 1 << 5;
        /// Its regions have at most one block.
        const SINGLE_BLOCK = 1 << 6;
        /// The order of the operations in its regions does not matter.
        const GRAPH_REGION = 1 << 7;
        /// The operation is a constant.
        const CONSTANT_LIKE = 1 << 8;
        /// The operation has no effects, so it is dead if it is unused.
        const PURE = 1 << 9;
        /// All operands and results have the same type.
        const SAME_OPERANDS_AND_RESULT_TYPE = 1 << 10;
    }
}

const MODULE: OpTraits = OpTraits::KNOWN
    .union(OpTraits::ISOLATED_FROM_ABOVE)
    .union(OpTraits::SYMBOL_TABLE)
    .union(OpTraits::SYMBOL)
    .union(OpTraits::NO_TERMINATOR)
    .union(OpTraits::SINGLE_BLOCK)
    .union(OpTraits::GRAPH_REGION);
const FUNC: OpTraits = OpTraits::KNOWN.union(OpTraits::ISOLATED_FROM_ABOVE).union(OpTraits::SYMBOL);
const TERMINATOR: OpTraits = OpTraits::KNOWN.union(OpTraits::TERMINATOR);
const PURE: OpTraits = OpTraits::KNOWN.union(OpTraits::PURE);
const SAME: OpTraits = PURE.union(OpTraits::SAME_OPERANDS_AND_RESULT_TYPE);

/// The operations that are defined without a dialect file, sorted by name.
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
    ("arith.constant", PURE.union(OpTraits::CONSTANT_LIKE)),
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
    ("func.constant", PURE.union(OpTraits::CONSTANT_LIKE)),
    ("func.func", FUNC),
    ("func.return", TERMINATOR),
];

//! The operation traits that the IR itself uses.

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
        /// The traits of the operation are known. Without this trait, the other traits have no meaning.
        const KNOWN = 1;
        /// The operation ends its block.
        const TERMINATOR = 1 << 1;
        /// The regions of the operation use no value from outside.
        const ISOLATED_FROM_ABOVE = 1 << 2;
        /// The operation is a symbol table.
        const SYMBOL_TABLE = 1 << 3;
        /// The operation is a symbol.
        const SYMBOL = 1 << 4;
        /// The blocks of the operation need no terminator.
        const NO_TERMINATOR = 1 << 5;
        /// Each region of the operation has at most one block.
        const SINGLE_BLOCK = 1 << 6;
        /// The order of the operations in the regions of the operation does not matter.
        const GRAPH_REGION = 1 << 7;
        /// The operation is a constant.
        const CONSTANT_LIKE = 1 << 8;
        /// The operation has no effects, so it is dead if it is unused.
        const PURE = 1 << 9;
        /// All operands and results have the same type.
        const SAME_OPERANDS_AND_RESULT_TYPE = 1 << 10;
        /// The operation at most reads memory and allocates its results, so it is dead if it is unused.
        const READS_MEMORY = 1 << 11;
        /// The operation has the effects of the operations in its regions. The operation itself at most reads memory
        /// and allocates its results.
        const NESTED_EFFECTS = 1 << 12;
        /// The operands may be exchanged.
        const COMMUTATIVE = 1 << 13;
        /// `f(f(x)) = f(x)`, or `f(x, x) = x`.
        const IDEMPOTENT = 1 << 14;
        /// `f(f(x)) = x`.
        const INVOLUTION = 1 << 15;
    }
}

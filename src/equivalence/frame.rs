//! The operations that every random module contains around the operations of the rules.

/// An operation without a definition that holds a region, so that random IR is nested.
pub(super) const REGION: &str = "drrvm.region";
/// The terminator of blocks in regions.
pub(super) const YIELD: &str = "drrvm.yield";
/// The operations of modules, functions and control flow. The generator does not use them as operations of the rules.
pub(super) const FRAME: &[&str] =
    &["builtin.module", "func.func", "func.return", "cf.br", "cf.cond_br", "cf.switch", "func.call"];

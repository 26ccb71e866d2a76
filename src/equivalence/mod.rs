//! Random IR for rules, and whether two rule sets or two engines do the same with it.
//!
//! Specification of [`IrGenerator`]: every module it makes verifies; the module of a case depends on the
//! rules, the seed and the number of the case, and on nothing else.
//!
//! Rule sets go in. Out come modules in which the rules have something to do: the generator plants
//! instances of the rules and near-misses, in which one thing is otherwise than the rule asks.
//!
//! Invariants: nothing depends on time, on threads or on the order of a hash map. Deliberately absent:
//! rules over the frame itself (`builtin.module`, `func.func`, branches), which random IR always has.

mod generate;
mod operation;
mod plan;
mod pool;
mod random;

pub use generate::{Config, IrGenerator};
pub use random::Random;

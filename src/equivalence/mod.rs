//! Random IR for rules, and whether two rule sets or two engines do the same with it.
//!
//! Specification of [`IrGenerator`]: every module it makes verifies; the module of a case depends on the
//! rules, the seed and the number of the case, and on nothing else.
//!
//! Specification of [`compare`]: it finds a difference only where there is one, and shows it on a module that is
//! as small as it could make it. Finding none is no proof: the report says what had its say.
//!
//! Rule sets go in. Out come modules in which the rules have something to do: the generator plants
//! instances of the rules and near-misses, in which one thing is otherwise than the rule asks.
//!
//! Invariants: nothing depends on time, on threads or on the order of a hash map. Deliberately absent:
//! rules over the frame itself (`builtin.module`, `func.func`, branches), which random IR always has.

mod arith;
mod attempt;
mod canonical;
mod compare;
#[cfg(feature = "frontend")]
mod engines;
mod form;
mod generate;
mod instance;
mod plan;
mod pool;
mod raise;
mod random;
mod semantics;
mod shrink;
mod side;
mod vocabulary;

pub use compare::{Comparison, Difference, Mode, Options, What, compare};
#[cfg(feature = "frontend")]
pub(crate) use engines::{agree_on, engines_agree};
pub use generate::{Config, IrGenerator};
pub use raise::raise;
pub use random::Random;
pub use semantics::Meaning;
pub use side::Side;

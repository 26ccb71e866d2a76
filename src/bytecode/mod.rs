//! Decision DAG and rewrites as code.
//!
//! Specification: running a program finds and does what the tree and the rules it was compiled from
//! say.
//!
//! A tree and its rules go in, a [`Program`] comes out: code, and the tables the code refers to.
//! A program is immutable and `Send + Sync`, knows no host, and has no pointers, so it can be stored.
//! Invariants: every target is the address of an instruction; a register is written on every path to
//! where it is read; the match part never jumps back except to an alternative it opened. The
//! instruction set is defined once, in `instruction.rs`. Deliberately absent: any IR, and the front
//! ends.

mod assemble;
mod bottom_up;
mod compact;
mod debug;
mod describe;
mod disassemble;
mod error;
mod file;
mod instruction;
mod lower;
mod program;
mod validate;

pub use crate::wire::Section;
pub use debug::PatternDebug;
pub use disassemble::disassemble;
pub use error::LoadError;
pub use file::section_sizes;
#[cfg(any(test, feature = "frontend"))]
pub(crate) use file::{HEADER, seal};
pub use instruction::{Decoded, INSTRUCTIONS, Layout, Opcode, Operand, OperandKind, Tail, decode};
pub use lower::compile;
pub use program::{
    Decision, Location, LocationId, PatternCall, PatternInfo, Program, RewriteCall, RewriteCallId, SourceRef,
    SourceWord,
};

#[cfg(feature = "cli")]
pub(crate) use disassemble::disassemble_one;
pub(crate) use instruction::{WIDE, byte};
#[cfg(feature = "cli")]
pub(crate) use lower::{NodeMap, compile_mapped};

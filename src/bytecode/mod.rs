//! Lowers a decision DAG and the rewrites of its rules to code.
//!
//! Specification: a program finds the matches of the tree from which it was compiled, and rewrites as its rules state.
//!
//! The input is a tree and its rules. The output is a [`Program`]: code, and the tables that the code refers to. A
//! program is immutable and `Send + Sync`. It depends on no host, and refers to entities by number, so it can be stored
//! in a file.
//!
//! Invariants: every target is the address of an instruction; a register is written on every path to an instruction
//! that reads it; match code jumps only forward, or to the first instruction, `fail`. `instruction.rs` defines the
//! instruction set once. Deliberately absent: any IR, and the front ends.

mod assemble;
mod compact;
mod debug;
mod describe;
mod disassemble;
mod error;
mod file;
mod ids;
mod instruction;
mod items;
mod lower;
mod program;
mod validate;

#[cfg(any(feature = "cli", feature = "fuzzing"))]
pub use crate::wire::Section;
pub(crate) use debug::PatternDebug;
pub use disassemble::disassemble;
pub use error::LoadError;
#[cfg(any(test, all(feature = "frontend", feature = "fuzzing")))]
pub(crate) use file::HEADER;
#[cfg(any(feature = "cli", feature = "fuzzing"))]
pub use file::section_sizes;
pub(crate) use ids::{Address, LocationId, OpNumber, RewriteCallId, SourceRef, SourceWord};
pub(crate) use instruction::{Opcode, decode};
pub(crate) use lower::compile;
pub use program::Program;
pub(crate) use program::{Location, PatternCall};

#[cfg(feature = "report")]
pub(crate) use disassemble::disassemble_one;
pub(crate) use instruction::{Head, Instruction, Read, byte, find_case, read};
#[cfg(feature = "report")]
pub(crate) use lower::{NodeMap, compile_mapped};

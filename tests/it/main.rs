//! All integration tests, in one program, so that linking is paid once. A folder is a stage of the code map.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]
#![allow(clippy::print_stdout, reason = "a test says what it compared, or why it is skipped")]

mod architecture;
mod bytecode;
mod cli;
mod common;
mod equivalence;
mod frontend;
mod fuzz_regressions;
mod host;
mod ir;
#[path = "../../examples/mlir_test_opt.rs"]
#[allow(dead_code, reason = "the tests call its natives, not its `main`")]
mod mlir_test_opt;
mod pdl;
mod rewrite;
mod small_stack;
mod vm;

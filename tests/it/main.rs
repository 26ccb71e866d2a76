//! All integration tests except those in `tests/memory` are one program, so that it is linked only once. The folders
//! except `common` are named after folders of `src`.

#![allow(clippy::unwrap_used, reason = "a failing setup fails the test")]
#![allow(clippy::print_stdout, reason = "tests print what they compared, or why they are skipped")]

mod architecture;
mod bytecode;
mod cli;
mod common;
mod equivalence;
mod frontend;
mod fuzz_regressions;
mod host;
mod ir;
#[path = "../../examples/mlir_test_conversions.rs"]
#[allow(dead_code, reason = "only its conversions are used")]
mod mlir_test_conversions;
#[path = "../../examples/mlir_test_forms.rs"]
#[allow(dead_code, reason = "only its figures are used")]
mod mlir_test_forms;
#[path = "../../examples/mlir_test_legalize.rs"]
#[allow(dead_code, reason = "only its conversion is used")]
mod mlir_test_legalize;
mod pdl;
mod prove;
mod rewrite;
mod seeds;
mod small_stack;
mod vm;

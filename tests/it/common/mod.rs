//! Code that several tests share.

pub(crate) mod command;
pub(crate) mod damage;
mod llvm;
pub(crate) mod pdl_pass;
pub(crate) mod rules;
#[path = "../../../src/test_seed.rs"]
pub(crate) mod seed;
#[path = "../../../benches/workload/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "the benchmark uses more of it")]
pub(crate) mod workload;

pub(crate) use llvm::{feed, files_below, llvm_sources, llvm_tool, pipe, pipe_text};

/// Returns the start of a sample of every `count`-th item: a number below `count` that the seed determines.
pub(crate) fn sample_start(count: u64) -> usize {
    usize::try_from(seed::seed() % count).unwrap()
}

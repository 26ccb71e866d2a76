//! Counts requests for memory, and measures the largest amount of held memory, with a counting allocator.

#![allow(clippy::unwrap_used, reason = "a failing setup fails the test")]
#![allow(unreachable_pub, reason = "shared with the benches")]

#[path = "../../benches/workload/allocations.rs"]
mod allocations;
mod no_allocation;
mod script_memory;
mod table_memory;

#[global_allocator]
static MEMORY: allocations::Counting = allocations::Counting::new();

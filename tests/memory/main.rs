//! How much memory is requested and held, measured by an allocator of this program's own.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]
#![allow(unreachable_pub, reason = "shared with the benches")]

#[path = "../../benches/workload/allocations.rs"]
mod allocations;
mod no_allocation;
mod script_memory;
mod table_memory;

#[global_allocator]
static MEMORY: allocations::Counting = allocations::Counting::new();

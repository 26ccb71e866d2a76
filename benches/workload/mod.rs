//! The matching workload: the rules and the IR that `definition.rs` generates, in `target/bench`, or in
//! `target/bench-seed-N` for another seed.

pub mod allocations;
pub mod definition;
pub mod flat;
pub mod rules;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The seed, once it is selected or first used.
static SEED: OnceLock<u64> = OnceLock::new();

/// The option that selects the seed.
pub const SEED_OPTION: &str = "--seed";

/// The default seed, for which the true numbers of matches are known.
const DEFAULT_SEED: u64 = 0;

/// Selects the seed of rules and IR, before the workload is used.
///
/// # Panics
/// Panics if the workload was already used with another seed.
pub fn use_seed(seed: u64) {
    assert_eq!(*SEED.get_or_init(|| seed), seed, "the workload has another seed");
}

/// The seed of rules and IR.
pub fn seed() -> u64 {
    *SEED.get_or_init(|| DEFAULT_SEED)
}

/// Returns the folder of the workload, and generates the workload first if necessary; `None` if it cannot be written.
pub fn folder() -> Option<PathBuf> {
    folder_of(seed())
}

/// Returns the folder of the workload with another seed; see [`folder`].
pub fn folder_of(seed: u64) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("target/bench{}", suffix(seed)));
    if !folder.join("ir_1m.mlir").exists() {
        definition::write(&folder, seed).ok()?;
    }
    Some(folder)
}

/// The suffix of the names of folders whose contents depend on the seed; empty for the default seed.
pub fn suffix(seed: u64) -> String {
    if seed == DEFAULT_SEED { String::new() } else { format!("-seed-{seed}") }
}

/// Returns a file with `count` rules, which may be more than the workload has by default.
pub fn many_rules(count: usize) -> Option<PathBuf> {
    let file = folder()?.join(format!("patterns_m_{count}.txt"));
    if !file.exists() {
        std::fs::write(&file, definition::compact(&definition::matched(count, seed()))).ok()?;
    }
    Some(file)
}

/// The true number of matches of each rule, if the numbers are known for this size, number of rules and seed.
/// `$DRRVM_WORKLOAD` is the folder with these numbers, by default a folder next to the repository.
pub fn expected(size: &str, rules: usize) -> Option<Vec<u64>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/bench");
    let folder = std::env::var_os("DRRVM_WORKLOAD").map_or_else(beside, PathBuf::from);
    let known = (seed() == DEFAULT_SEED).then(|| folder.join(format!("expected/counts_{size}_P{rules}.txt")));
    let text = std::fs::read_to_string(known?).ok()?;
    text.lines().map(|line| line.split_once(' ')?.1.parse().ok()).collect()
}

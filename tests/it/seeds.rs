//! Random tests are repeatable: they take their randomness from the seed of `src/test_seed.rs`. Tests of the generators
//! themselves state a fixed seed.

use std::path::Path;

use crate::common::files_below;

/// Sources of randomness that the seed does not control.
const UNSEEDED: [&str; 8] = [
    "TestRunner::default(",
    "TestRunner::deterministic(",
    "ProptestConfig::default(",
    "ProptestConfig::with_cases(",
    "thread_rng(",
    "from_os_rng(",
    "from_entropy(",
    "getrandom",
];

/// The files with tests of a generator itself: they check its random numbers, or require that many of its texts are
/// valid.
const FIXED: [&str; 3] = ["src/equivalence/random.rs", "src/fuzzing/drr.rs", "src/fuzzing/snippet.rs"];

#[test]
fn random_tests_take_the_printed_seed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "tests", "hosts", "examples", "benches"];
    let files = folders.iter().flat_map(|folder| files_below(&root.join(folder), "rs"));
    let mut seeded = 0;
    for file in files.filter(|file| !file.ends_with("seeds.rs") && !file.iter().any(|part| part == "target"))
    {
        let text = std::fs::read_to_string(&file).unwrap();
        for source in UNSEEDED {
            assert!(!text.contains(source), "{} uses {source}", file.display());
        }
        let is_fixed = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        assert!(
            FIXED.iter().any(|path| file.ends_with(path))
                || !text.split("Random::new(").skip(1).any(is_fixed),
            "{} states a fixed seed",
            file.display()
        );
        for block in text.split("proptest! {").skip(1) {
            let config = block.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            assert!(config.contains("seed::config()"), "{}: {config}", file.display());
            seeded += 1;
        }
    }
    assert!(seeded > 10, "{seeded}");
}

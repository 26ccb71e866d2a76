//! The seed of random tests.
//!
//! Tests are repeatable: the same seed gives the same cases. The seed is [`DEFAULT`] unless `DRRVM_SEED` states another
//! seed. Each function prints a line with the seed. The test harness shows the line if the test fails.

use proptest::test_runner::{Config, RngSeed, TestRunner};

const DEFAULT: u64 = 1;

/// Returns the seed: `DRRVM_SEED` in hexadecimal, or [`DEFAULT`].
pub(crate) fn seed() -> u64 {
    let seed = match std::env::var("DRRVM_SEED") {
        Ok(text) => u64::from_str_radix(&text, 16)
            .unwrap_or_else(|_| panic!("DRRVM_SEED must be a hexadecimal number, not '{text}'")),
        Err(_) => DEFAULT,
    };
    let thread = std::thread::current();
    println!("repeat with: DRRVM_SEED={seed:x} cargo test {}", thread.name().unwrap_or_default());
    seed
}

/// Returns the configuration of a property test: the seed, and the default number of cases.
pub(crate) fn config() -> Config {
    Config { rng_seed: RngSeed::Fixed(seed()), failure_persistence: None, ..Config::default() }
}

/// Returns a runner that draws values from the seed.
pub(crate) fn runner() -> TestRunner {
    TestRunner::new(config())
}

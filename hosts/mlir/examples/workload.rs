//! Writes the workload of the benchmarks.
//!
//!     cargo run --release --example workload -- FOLDER [SEED]

#![allow(
    dead_code,
    reason = "the definition is shared with the benchmarks of the library, which use more of it"
)]
#![allow(clippy::print_stderr, reason = "the program reports errors")]

use std::path::Path;
use std::process::ExitCode;

#[path = "../../../benches/workload/definition.rs"]
mod definition;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (folder, seed) = match &args[..] {
        [folder] => (folder, Ok(0)),
        [folder, seed] => (folder, seed.parse()),
        _ => {
            eprintln!("usage: workload FOLDER [SEED]");
            return ExitCode::from(2);
        }
    };
    let Ok(seed) = seed else {
        eprintln!("'{}' is not a number", args[1]);
        return ExitCode::from(2);
    };
    match definition::write(Path::new(folder), seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write the workload to '{folder}': {error}");
            ExitCode::FAILURE
        }
    }
}

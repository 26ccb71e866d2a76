//! The `drrvm` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    drrvm::cli::run(std::env::args_os(), drrvm::natives::all())
}

//! The `drrvm` command: options in, files and exit status out.
//!
//! Standard output carries the result alone, standard error what is said about it. Exit status: 0
//! done, 1 bad input or not converged, 2 wrong usage; `equiv` as diff(1) has it: 0 the same, 1 different, 2
//! trouble. A file is written whole or not at all.

mod advice;
mod check;
mod compile;
mod constants;
mod diff;
mod dump;
mod equiv;
mod error;
mod explain;
mod greedy_log;
mod manual;
mod ods;
mod opt;
mod options;
mod output;
mod page;
mod profile;
mod progress;
mod session;
mod side_by_side;
mod split;
mod stubs;
mod summary;
mod tablegen;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::host::Natives;
use crate::ir::IrHost;

use options::{Cli, Command, normalise};

/// Why a command stops; everything there is to say has been said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failed {
    /// What it was given to work on is wrong.
    BadInput,
    /// What it was asked to do makes no sense.
    WrongUsage,
}

/// Runs the command that these arguments, the program's name first, ask for; `natives` are there for
/// the rules to call.
pub fn run(args: impl IntoIterator<Item = OsString>, natives: Natives<IrHost>) -> ExitCode {
    let cli = match Cli::try_parse_from(normalise(args)) {
        Ok(cli) => cli,
        // Help and version go to standard output; a reader that has gone away is no error.
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { 2 } else { 0 });
        }
    };
    let done = match cli.command {
        Command::Opt(args) => opt::run(&args, &natives),
        Command::Explain(args) => explain::run(&args, &natives),
        Command::Check(args) => check::run(&args, &natives),
        Command::Compile(args) => compile::run(&args),
        Command::Profile(args) => profile::run(&args, &natives),
        Command::Equiv(args) => return equiv::run(&args, &natives),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
        Command::Dump(args) => dump::run(&args),
        Command::Ods(args) => ods::run(&args),
        Command::Tablegen(args) => tablegen::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed::BadInput) => ExitCode::from(1),
        Err(Failed::WrongUsage) => ExitCode::from(2),
    }
}

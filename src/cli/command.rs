//! The command line: the subcommands, and the function that runs the selected subcommand.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory, Parser, Subcommand};

use super::bench::BenchArgs;
use super::check::CheckArgs;
use super::compile::CompileArgs;
use super::dump::DumpArgs;
use super::equiv::EquivArgs;
use super::exit::Failed;
use super::explain::ExplainArgs;
use super::gen_rewriters::GenRewritersArgs;
use super::manual::{CompletionsArgs, ManArgs};
use super::ods::OdsArgs;
use super::opt::OptArgs;
use super::profile::ProfileArgs;
use super::prove::ProveArgs;
use super::tablegen::TablegenArgs;
use super::{
    bench, check, compile, dump, equiv, explain, gen_rewriters, manual, ods, opt, output, profile, prove,
    session, tablegen,
};
use crate::host::Natives;
use crate::ir::IrHost;
use crate::rewrite;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold());

/// The version of the command, of the format of compiled programs, and of MLIR.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (.drrbc format 17, MLIR 22.1)");

/// Rewrite MLIR with declarative rules, without a C++ compiler
///
/// Rules are DRR (`.td`, with MLIR's headers or the embedded ones) or `pdl` patterns (`.mlir`). All rules are
/// compiled into one matcher, which then runs over the operations of the input.
#[derive(Debug, Parser)]
#[command(name = "drrvm", version = VERSION, styles = STYLES, max_term_width = 110)]
#[command(
    after_help = "Exit status: 0 success, 1 invalid input or rules that do not converge, 2 wrong usage. \
                  The help of equiv and prove lists their exit statuses."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Opt(OptArgs),
    Explain(ExplainArgs),
    Check(CheckArgs),
    Compile(CompileArgs),
    GenRewriters(GenRewritersArgs),
    Equiv(EquivArgs),
    Prove(ProveArgs),
    Profile(ProfileArgs),
    Bench(BenchArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    Dump(DumpArgs),
    Tablegen(TablegenArgs),
    Ods(OdsArgs),
}

/// Runs the command line `args`, which starts with the name of the program. Rules can call `natives`.
pub fn run(args: impl IntoIterator<Item = OsString>, natives: Natives<IrHost>) -> ExitCode {
    let cli = match Cli::try_parse_from(normalise(args)) {
        Ok(cli) => cli,
        Err(e) if e.use_stderr() => {
            let _ = e.print();
            return Failed::WrongUsage.into();
        }
        Err(help_or_version) => {
            return exit_code(print_help(&help_or_version));
        }
    };
    let natives = natives.with(rewrite::created_folds());
    exit_code(match cli.command {
        Command::Opt(args) => opt::run(&args, &natives),
        Command::Explain(args) => explain::run(&args, &natives),
        Command::Check(args) => check::run(&args, &natives),
        Command::Compile(args) => compile::run(&args),
        Command::GenRewriters(args) => gen_rewriters::run(&args, &natives),
        Command::Profile(args) => profile::run(&args, &natives),
        Command::Bench(args) => bench::run(&args, &natives),
        Command::Equiv(args) => return equiv::run(&args, &natives),
        Command::Prove(args) => return prove::run(&args),
        Command::Completions(args) => manual::completions(&args, Cli::command()),
        Command::Man(args) => manual::man(&args, Cli::command()),
        Command::Dump(args) => dump::run(&args),
        Command::Ods(args) => ods::run(&args),
        Command::Tablegen(args) => tablegen::run(&args),
    })
}

fn exit_code(result: Result<(), Failed>) -> ExitCode {
    result.map_or_else(ExitCode::from, |()| ExitCode::SUCCESS)
}

fn print_help(help: &clap::Error) -> Result<(), Failed> {
    let printed = output::allow_broken_pipe(help.print().and_then(|()| io::stdout().flush()));
    printed.map_err(|e| session::fail_without_sources(&output::cannot_write("-".as_ref(), &e)))
}

/// Long options that LLVM's tools accept with one dash.
const SINGLE_DASH: &[&str] = &[
    "dump-json",
    "mlir-elide-elementsattrs-if-larger",
    "mlir-print-assume-verified",
    "mlir-print-debuginfo",
    "mlir-print-local-scope",
    "mlir-print-op-generic",
    "mlir-print-unique-ssa-ids",
    "mlir-use-nameloc-as-prefix",
    "no-warn-on-unused-template-args",
    "null-backend",
    "output-split-marker",
    "print-records",
    "split-input-file",
];

/// Adds the second dash to long options that LLVM's tools accept with one dash. Removes `--help` and `-h` after the
/// command `help`, because this command prints the help anyway.
fn normalise(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut ended = false;
    let mut args: Vec<OsString> = args.into_iter().collect();
    if args.get(1).is_some_and(|command| command == "help") {
        args.retain(|arg| arg != "--help" && arg != "-h");
    }
    args.into_iter()
        .map(|arg| {
            ended |= arg == "--";
            let long = arg.to_str().filter(|_| !ended).and_then(|arg| arg.strip_prefix('-'));
            match long {
                Some(long) if SINGLE_DASH.contains(&long.split('=').next().unwrap_or(long)) => {
                    format!("--{long}").into()
                }
                _ => arg,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_takes_help_options() {
        let normal = |args: &[&str]| normalise(args.iter().map(OsString::from));
        assert_eq!(normal(&["drrvm", "help", "--help"]), ["drrvm", "help"]);
        assert_eq!(normal(&["drrvm", "help", "opt", "-h"]), ["drrvm", "help", "opt"]);
        assert_eq!(normal(&["drrvm", "opt", "--help"]), ["drrvm", "opt", "--help"]);
    }

    #[test]
    fn version_names_the_format() {
        let format = format!(".drrbc format {},", crate::bytecode::Program::FORMAT_VERSION);
        assert!(VERSION.contains(&format), "{VERSION}");
    }

    #[test]
    fn known_single_dash_options_get_a_second_dash() {
        let args = ["drrvm", "-dump-json", "-Idir", "-split-input-file=//", "-q", "--", "-dump-json"];
        let normal = normalise(args.into_iter().map(OsString::from));
        assert_eq!(
            normal,
            ["drrvm", "--dump-json", "-Idir", "--split-input-file=//", "-q", "--", "-dump-json"]
        );
    }
}

//! `drrvm compile`: rules to a program in a file.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::options::{MessageArgs, SelectArgs, TableGenArgs};
use super::session::Session;
use super::summary::{count, sizes};
use super::{Failed, error, output};
use crate::compile;

/// Compile rules to a program
///
/// Reads the rule FILES, in this order, and writes one program that needs none of them: `--rules` of the
/// other commands takes it, and `Program::from_bytes` of the library. The natives that the rules call are
/// looked up where the program runs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm compile rules.td -o rules.drrbc
      The program of one rule file.
  drrvm compile a.td b.mlir --disable AddZero -o all.drrbc
      Of two, without a rule.
  drrvm opt input.mlir --rules all.drrbc
      What it is for.")]
pub(super) struct CompileArgs {
    /// Rule files: DRR (.td) or pdl (.mlir)
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Write the program to FILE, whole or not at all; `-` is standard output, unless it is a terminal
    #[arg(short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

pub(super) fn run(args: &CompileArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    if args.output == Path::new("-") && std::io::stdout().is_terminal() {
        return Err(session.misused(error::program_on_terminal()));
    }
    let started = Instant::now();
    let options = args.select.options(&args.tablegen);
    let (rules, warnings) =
        compile::rules(&mut session.sources, &args.files, &options).map_err(|e| session.fail(e))?;
    session.report(warnings)?;
    let program = compile::program(&rules).map_err(|e| session.fail(e))?;
    let bytes = compile::file(&program, &session.sources).map_err(|e| session.fail(e))?;
    output::write(&args.output, |out| out.write_all(&bytes)).map_err(|e| session.fail(e))?;
    let number = program.patterns().len();
    session.remark(&format!(
        "{}, {}; compiled in {:.1} ms\n",
        count(number as u64, "rule"),
        sizes(&bytes, number),
        started.elapsed().as_secs_f64() * 1e3
    ));
    Ok(())
}

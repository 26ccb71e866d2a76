//! `drrvm compile`: compiles rules to a program file.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::exit::Failed;
use super::options::{MessageArgs, SelectArgs, TableGenArgs};
use super::session::Session;
use super::summary::sizes;
use super::{error, output};
use crate::compile;
use crate::plural::count;

/// Compile rules to a program file
///
/// Reads the rule FILES in the given order and writes one program, which runs without these files. The option `--rules`
/// of other commands and `Program::from_bytes` of the library load it. Natives are linked when the program is loaded.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm compile rules.td -o rules.drrbc
      Compile one rule file.
  drrvm compile a.td b.mlir --disable AddZero -o all.drrbc
      Compile two files without one of their rules.
  drrvm opt input.mlir --rules all.drrbc
      Run the program.")]
pub(super) struct CompileArgs {
    /// Rule files: DRR (.td) or pdl (.mlir)
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Write the program to FILE; `-` is standard output, which must not be a terminal
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
        count(number, "rule"),
        sizes(&bytes, number),
        started.elapsed().as_secs_f64() * 1e3
    ));
    Ok(())
}

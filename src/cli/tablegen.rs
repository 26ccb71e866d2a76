//! `drrvm tablegen`: prints the records of a TableGen file.

use std::path::PathBuf;

use clap::Args;

use super::exit::Failed;
use super::options::{MessageArgs, TableGenArgs};
use super::output::OutputArgs;
use super::session::Session;
use crate::compile;

/// Print the records of a TableGen file like llvm-tblgen
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm tablegen rules.td
      Classes and records, with all templates and loops expanded.
  drrvm tablegen Ops.td -I llvm-project/mlir/include
      With MLIR's own headers.")]
pub(super) struct TablegenArgs {
    /// TableGen file; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    input: PathBuf,
    /// Print the records (the default)
    #[arg(long, conflicts_with_all = ["dump_json", "null_backend"])]
    print_records: bool,
    /// Print the records as JSON, in the format of llvm-tblgen
    #[arg(long, conflicts_with = "null_backend")]
    dump_json: bool,
    /// Print nothing; check the input only
    #[arg(long)]
    null_backend: bool,
    /// Do not warn about unused template arguments
    #[arg(long)]
    no_warn_on_unused_template_args: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

pub(super) fn run(args: &TablegenArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    let mut options = args.tablegen.options();
    options.warn_unused_template_args = !args.no_warn_on_unused_template_args;
    let parsed =
        compile::records(&mut session.sources, &args.input, &options).map_err(|e| session.fail(e))?;
    session.report(parsed.warnings)?;
    let records = parsed.records;
    let written = args.output.print(|out| {
        if args.null_backend {
            Ok(())
        } else if args.dump_json {
            records.write_json(&session.sources, out)
        } else {
            records.write_records(out)
        }
    });
    // The process exits after this command returns, so the records need not be freed.
    std::mem::forget(records);
    written.map_err(|e| session.fail(e))
}

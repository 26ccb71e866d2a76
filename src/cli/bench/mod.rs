//! `drrvm bench`: times the engines with a user's rules on a user's IR.
//!
//! Specification: a figure is a time per operation: the minimum of at least [`measure::MIN_SAMPLES`] samples, each of
//! which times one or more passes over all operations of the input. The figure of `mlir-opt` is the minimum of three
//! runs, minus the minimum of three runs without the input. There is no figure if the input has no operations, if no
//! rule matches, if there are fewer samples than [`measure::MIN_SAMPLES`], or if a pass is too short for the clock.

mod measure;
mod mlir;
mod plot;
mod report;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use super::exit::Failed;
use super::options::{DialectArgs, MessageArgs, NativesArgs, ReportFormat, RuleArgs, TableGenArgs};
use super::output::OutputArgs;
use super::session::{Session, new_host};
use super::{error, output};
use crate::compile::Compiled;
use crate::host::Natives;
use crate::ir::{self, IrHost};
use crate::vm::LinkOptions;

use measure::{Measurements, NothingToTime};
use report::BenchReport;

/// Time the engines with your rules on your input
///
/// Finds the first rule that matches at each operation of INPUT, with each engine except `reference`, and prints
/// nanoseconds per operation: with empty caches (`from nothing`), with the automaton's tables (`tables kept`), and with
/// the labels of operations as well (`labels kept`). Also times rewriting. If `mlir-opt` is on the PATH and `pdl` can
/// express the rules without natives, rewriting by `mlir-opt` is timed as well. Each figure of drrvm is the minimum of
/// at least five samples, each of which times one or more passes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm bench input.mlir --rules rules.td
      A table of nanoseconds per operation.
  drrvm bench input.mlir --rules rules.td --plot bench.svg --seconds 5
      Measure each engine for five seconds, and draw the figures as bars.")]
pub(in crate::cli) struct BenchArgs {
    /// An MLIR file; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    input: PathBuf,
    /// Measure each engine for N seconds
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = parse_seconds)]
    seconds: f64,
    /// Draw the figures as an SVG picture in FILE
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// The `mlir-opt` to compare with [default: `mlir-opt-22` or `mlir-opt` on the PATH]
    #[arg(long, value_name = "PROGRAM")]
    mlir_opt: Option<PathBuf>,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// Drop rules that call natives that are not registered, with a warning for each
    #[arg(long)]
    allow_missing_natives: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    natives: NativesArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    dialects: DialectArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds),
        _ => Err("expected a number of seconds above 0 and up to 3600".to_owned()),
    }
}

pub(in crate::cli) fn run(args: &BenchArgs, natives: &Natives<IrHost>) -> Result<(), Failed> {
    let mut session = Session::with_rules(&args.messages, &args.rules.files)?;
    let (natives, _scripts) = session.natives(&args.natives, natives)?;
    let started = Instant::now();
    let Compiled { program, rules, left_out } = session.program(&args.rules, &args.tablegen)?;
    let loading = started.elapsed();
    let file = session.load(&args.input)?;
    let mut host = new_host();
    let dialects = args.dialects.source(&args.tablegen, &args.rules.files);
    host.context.set_dialects(dialects.map_err(|error| session.fail(error))?);
    let source = session.sources.file(file);
    session.phase("reading");
    host.module = ir::parse_module(&mut host.context, source).map_err(|errors| session.fail(errors))?;
    session.report(ir::verify(&host.context, &host.module))?;
    let options = LinkOptions { allow_missing: args.allow_missing_natives, left_out };
    let started = Instant::now();
    let matcher = Arc::new(session.link(Arc::new(program), &mut host, &natives, &options)?);
    let linking = started.elapsed();

    session.phase("measuring");
    let budget = Duration::from_secs_f64(args.seconds);
    let measured = Measurements::take(&mut host, &matcher, budget).map_err(|nothing| {
        session.fail(match nothing {
            NothingToTime::Empty => error::nothing_to_time(),
            NothingToTime::NoMatch(operations) => error::no_match_to_time(operations),
        })
    })?;
    session.phase("measuring mlir-opt");
    let mlir = mlir::measure(args.mlir_opt.as_deref(), rules.as_ref(), &host, measured.ops);
    let report = BenchReport { loading, linking, measured: &measured, mlir: &mlir };
    if measured.figures.iter().any(|figure| figure.nanoseconds.is_none()) {
        session.report(error::too_short_to_time(args.seconds).into())?;
    }
    if let Some(path) = &args.plot {
        let picture = plot::picture(&report.bars());
        output::write(path, |out| out.write_all(picture.as_bytes())).map_err(|e| session.fail(e))?;
    }
    args.output.write(
        &session,
        match args.format {
            ReportFormat::Text => report.text(),
            ReportFormat::Json => report.json(),
        },
    )
}

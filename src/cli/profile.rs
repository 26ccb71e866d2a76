//! `drrvm profile`: reports the cost and the effect of rules on real input.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::drive::{check_driver, drive};
use super::exit::Failed;
use super::options::{
    DialectArgs, DriverArgs, MessageArgs, NativesArgs, ReportFormat, RuleArgs, TableGenArgs,
};
use super::output::OutputArgs;
use super::session::{Session, new_host};
use super::split::SplitArgs;
use super::{error, output};
use crate::compile;
use crate::host::{Natives, NoListener};
use crate::ir::{self, IrHost};
use crate::report::{DriverTotals, MappedProgram, ProfileReport};
use crate::vm::{LinkOptions, Profiler};

/// Show the cost and the effect of rules on real input
///
/// Rewrites each INPUT as `opt` does, discards the result, and reports: the number of visited operations; how often
/// each rule was tried, matched, fired and was rolled back; the predicates that most often reject rules that never
/// fire; and the time spent on matching and rewriting.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm profile input.mlir --rules rules.td
      A table of the rules, ordered by how often they fire.
  drrvm profile a.mlir b.mlir --rules rules.td --html profile.html
      Also an HTML page with the decision tree, the rules, and the places where they fired.")]
pub(super) struct ProfileArgs {
    /// MLIR files; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Write a self-contained HTML page to FILE; `-` replaces the table on standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// List at most N rules and N tree nodes [default: 20]
    #[arg(long, value_name = "N", default_value_t = 20, hide_default_value = true)]
    top: usize,
    #[command(flatten)]
    split: SplitArgs,
    /// Drop rules that call natives that are not registered, with a warning for each
    #[arg(long)]
    allow_missing_natives: bool,
    /// Print the report even if a helper, or a native of a script, fails with an error
    #[arg(long)]
    keep_going: bool,
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
    driver: DriverArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

pub(super) fn run(args: &ProfileArgs, natives: &Natives<IrHost>) -> Result<(), Failed> {
    let mut session = Session::with_rules(&args.messages, &args.rules.files)?;
    check_driver(&session, &args.driver)?;
    let (natives, scripts) = session.natives(&args.natives, natives)?;
    let (program, mapped, left_out) = if args.rules.files.iter().any(|file| compile::is_program(file)) {
        if args.html.is_some() {
            return Err(session.fail(error::no_tree_to_show()));
        }
        let compiled = session.program(&args.rules, &args.tablegen)?;
        (Arc::new(compiled.program), None, compiled.left_out)
    } else {
        let rules = session.rules(&args.rules, &args.tablegen)?;
        let mapped = MappedProgram::compile(rules).map_err(|e| session.fail(e))?;
        (Arc::clone(mapped.program()), Some(mapped), Vec::new())
    };
    let files = args.inputs.iter().map(|input| session.load(input)).collect::<Result<Vec<_>, _>>()?;
    let mut host = new_host();
    let dialects = args.dialects.source(&args.tablegen, &args.rules.files);
    host.context.set_dialects(dialects.map_err(|error| session.fail(error))?);
    let options = LinkOptions { allow_missing: args.allow_missing_natives, left_out };
    let matcher = session.link(program.clone(), &mut host, &natives, &options)?;

    let profiler = Profiler::new(&matcher);
    let mut totals = DriverTotals::default();
    for &file in &files {
        let source = session.sources.file(file);
        for part in args.split.parts(source.text()) {
            host.module =
                ir::parse_part(&mut host.context, source, part).map_err(|errors| session.fail(errors))?;
            session.report(ir::verify(&host.context, &host.module))?;
            session.phase("rewriting and counting");
            let operations = host.module.op_count() as u64;
            let report = drive(&args.driver, &profiler, &mut host, &mut NoListener);
            totals.add(operations, &report);
            if let Some(stopped) = &report.not_converged {
                // The counts up to the limit are still useful.
                session.report(error::not_converged(stopped, &program, "--max-iterations N", true).into())?;
            }
        }
    }
    session.report_failures(&scripts, [&matcher], args.keep_going)?;
    let profile = profiler.into_profile();
    let mut report =
        ProfileReport::new(&session.sources, |loc| host.context.loc_span(loc), &program, &profile, totals);
    if let Some(mapped) = &mapped {
        report = report.with_tree(mapped);
    }
    if let Some((path, page)) = args.html.as_ref().and_then(|path| Some((path, report.html(&files)?))) {
        output::write(path, |out| out.write_all(page.as_bytes())).map_err(|e| session.fail(e))?;
        if path == Path::new("-") && args.output.is_stdout() {
            return Ok(());
        }
    }
    let text = match args.format {
        ReportFormat::Text => report.text(args.top),
        ReportFormat::Json => report.json(args.top),
    };
    args.output.write(&session, text)
}

//! `drrvm explain`: reports why rules match or do not match.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::convert::{self, ConvertArgs};
use super::error;
use super::exit::Failed;
use super::options::{DialectArgs, MessageArgs, NativesArgs, ReportFormat, RuleArgs, TableGenArgs};
use super::output::OutputArgs;
use super::session::{Session, color, new_host};
use crate::host::{Natives, NoListener};
use crate::ir::{self, IrHost, OpId, PrintOptions, StatedLocs};
use crate::plural::count;
use crate::report::{Explainer, OpSelector};
use crate::rewrite;
use crate::source::{Diagnostics, FileId, Severity, name_of};
use crate::vm::{LinkOptions, Matcher};

/// Show why rules match or do not match
///
/// Prints, for each selected operation, the rules whose root can match it. For each of these rules, prints the
/// predicates in source order, with the values found in the input, up to the first predicate that does not hold. Also
/// prints the rule that would be applied, and its effect. The rules are applied only with `--after` or `--convert`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm explain input.mlir --rules rules.td --at 12
      All rules whose root can match an operation on line 12.
  drrvm explain input.mlir --rules rules.td --at %sum --rule AddZero
      One rule at the operation that defines %sum.
  drrvm explain input.mlir --rules rules.td --nearest 5
      The 5 pairs of a rule and an operation that come closest to a match, for rules that match no operation.
  drrvm explain input.mlir --rules lower.td --convert=full --legal arith --illegal toy
      The operations that the conversion cannot legalize, and why the rules for them do not match.
  drrvm explain input.mlir --rules rules.td --after
      Explain the module after all rewrites. With --after=2: after 2 rewrites. The lines of --at are then those of the
      rewritten module. `drrvm opt` prints this module, with `--max-rewrites 2 --allow-nonconvergence` for --after=2.")]
pub(super) struct ExplainArgs {
    /// MLIR file; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    input: PathBuf,
    /// Explain the operations on this line of the text, the operations with this name, or the operation that defines
    /// this value. Can be repeated
    #[arg(long, value_name = "LINE|%value|op.name", conflicts_with_all = ["nearest", "convert"], value_parser = OpSelector::parse)]
    at: Vec<OpSelector>,
    /// For rules that match no operation, explain the N pairs of a rule and an operation that come closest to a match
    /// [default without --at and --convert: 3]
    #[arg(long, value_name = "N", conflicts_with = "convert")]
    nearest: Option<usize>,
    /// Explain only rules with this name or label. The rule that would be applied is chosen among all rules
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    rule: Vec<String>,
    /// Rewrite the input first, by N rewrites or until nothing changes, and explain the result
    #[allow(clippy::option_option, reason = "the number is optional")]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    after: Option<Option<u64>>,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    convert: ConvertArgs,
    #[command(flatten)]
    natives: NativesArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    dialects: DialectArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

/// The default of `--nearest`.
const NEAREST: usize = 3;

pub(super) fn run(args: &ExplainArgs, natives: &Natives<IrHost>) -> Result<(), Failed> {
    let mut session = Session::with_rules(&args.messages, &args.rules.files)?;
    let (natives, _) = session.natives(&args.natives, natives)?;
    let compiled = session.program(&args.rules, &args.tablegen)?;
    let mut file = session.load(&args.input)?;
    let program = Arc::new(compiled.program);
    let mut host = new_host();
    let dialects = args.dialects.source(&args.tablegen, &args.rules.files);
    host.context.set_dialects(dialects.map_err(|error| session.fail(error))?);
    let mut stated = read(&session, &mut host, file)?;
    session.report(ir::verify(&host.context, &host.module))?;
    // Rules that call unregistered natives are also explained.
    let options = LinkOptions { allow_missing: true, left_out: compiled.left_out };
    let matcher = Matcher::link(program, &mut host, &natives, &options).map_err(|e| session.fail(e))?;

    if let Some(rewrites) = args.after {
        file = rewrite_first(&mut session, &mut host, &matcher, &name_of(&args.input), rewrites)?;
        stated = read(&session, &mut host, file)?;
    }

    let conversion = args.convert.conversion(&mut session, &mut host, &natives, true, None)?;
    let failed = match conversion {
        Some(conversion) => Some(not_converted(&session, &mut host, &matcher, &conversion)?),
        None => None,
    };
    let explainer = Explainer::new(&session.sources, &matcher, &args.rule).map_err(|e| session.fail(e))?;
    let explainer = explainer.stated(&stated).after_rewrites(args.after.is_some());
    let report = if let Some(ops) = failed {
        explainer.at(&mut host, &ops)
    } else if args.at.is_empty() {
        explainer.nearest(&mut host, args.nearest.unwrap_or(NEAREST))
    } else {
        let mut ops = Vec::new();
        for at in &args.at {
            let found = at.find(&session.sources, &host, file);
            if found.is_empty() {
                return Err(session.fail(error::nothing_at(at, &name_of(&args.input), &host)));
            }
            ops.extend(found);
        }
        explainer.at(&mut host, &ops)
    };
    let text = match args.format {
        ReportFormat::Json => report.json(),
        ReportFormat::Text => {
            let terminal = args.output.is_terminal();
            report.text(color(&args.messages, terminal))
        }
    };
    args.output.write(&session, text)
}

/// Converts the module. Reports the operations that cannot be converted, and returns them.
fn not_converted(
    session: &Session,
    host: &mut IrHost,
    matcher: &Matcher<IrHost>,
    conversion: &rewrite::Conversion<IrHost>,
) -> Result<Vec<OpId>, Failed> {
    let top = host.module.top();
    let Err(error) = rewrite::convert(host, top, Some(matcher), conversion, &mut NoListener) else {
        session.remark("the conversion succeeds\n");
        return Ok(Vec::new());
    };
    let mut warnings = Diagnostics::default();
    for mut failure in convert::failures(&error, &host.context, Some(matcher.program())) {
        failure.severity = Severity::Warning;
        warnings.push(failure);
    }
    session.report(warnings)?;
    Ok(error.failures.iter().filter_map(|failure| failure.op).collect())
}

/// Reads the module of a file into a host. Returns the locations that the file states.
fn read(session: &Session, host: &mut IrHost, file: FileId) -> Result<StatedLocs, Failed> {
    let parsed = ir::parse_with_positions(&mut host.context, session.sources.file(file));
    let (module, stated) = parsed.map_err(|e| session.fail(e))?;
    host.module = module;
    Ok(stated)
}

/// Rewrites the host's module, and adds its text to the sources.
fn rewrite_first(
    session: &mut Session,
    host: &mut IrHost,
    matcher: &Matcher<IrHost>,
    name: &str,
    rewrites: Option<u64>,
) -> Result<FileId, Failed> {
    let config = rewrite::Config::default().max_rewrites(rewrites);
    let top = host.module.top();
    let report = rewrite::apply_greedily(host, top, matcher, &config, &mut NoListener);
    // Locations are printed in place, because lines that define their aliases would shift the line numbers relative to
    // the output of `drrvm opt`.
    let options = PrintOptions::new().debug_info(true).local_locations(true);
    let text = host.module.print(&host.context, options);
    let name = format!("{name} after {}", count(report.rewrites, "rewrite"));
    session.sources.add(&name, text).map_err(|e| session.fail(e))
}

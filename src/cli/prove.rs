//! `drrvm prove`: proves or refutes rules over integers.

use std::fmt::Write;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::exit::Failed;
use super::options::{MessageArgs, SelectArgs, TableGenArgs};
use super::proof::{ProofArgs, described_operations};
use super::prove_cache::Cache;
use super::session::Session;
use super::{error, output};
use crate::compile;
use crate::pdl::{PatternId, RuleSet};
use crate::plural::count;
use crate::prove::{self, After, Counterexample, Options, Report, Verdict};

/// Prove rules over integers, or refute them with values
///
/// For each rule and each combination of types that it matches, decides if the rewritten operations compute the same
/// results as the matched operations, for all operands and attributes. The effect of flags such as `nsw` is included;
/// poison and undefined behaviour may become any result. The operations of `arith` on integers and `index` are known,
/// and rule files can describe other operations. Rules with other operations are reported as unknown, with the reason.
/// Each counterexample is run through the matcher and an interpreter before it is reported.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 no rule was refuted, 1 a rule was refuted (or is unknown, with --strict), 2 an error.

Examples:
  drrvm prove rules.td
      Prove all rules, for integers of 1, 8, 16, 32 and 64 bits and for index.
  drrvm prove rules.td --rule AddZero --widths 4,7,128
      Prove one rule for other widths.
  drrvm prove rules.td --solver z3 --timeout 60
      Use z3, which must be on PATH, for products and quotients of many bits.
  drrvm prove rules.td --format json --strict
      For scripts: one JSON object, and a failure unless all rules are proved.
  drrvm prove rules.td --format markdown
      For documentation: a table of rules, verdicts, types and times."
)]
pub(super) struct ProveArgs {
    /// Rule files, DRR (.td) or pdl (.mlir)
    #[arg(value_name = "RULES", required = true)]
    files: Vec<PathBuf>,
    /// Prove only rules with this name or label; the same as --enable
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    rule: Vec<String>,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Exit with status 1 if the verdict of a rule is unknown
    #[arg(long)]
    strict: bool,
    /// Prove N rules at the same time [default: the number of processors]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Store verdicts in DIR [default: drrvm/prove in the user's cache directory]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Neither read nor store verdicts
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    proof: ProofArgs,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A report for people
    Text,
    /// One JSON object
    Json,
    /// A table for documentation
    Markdown,
}

pub(super) fn run(args: &ProveArgs) -> ExitCode {
    let mut session = Session::new(&args.messages);
    match prove_all(args, &mut session) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(_) => ExitCode::from(2),
    }
}

/// Proves the selected rules and prints the report. Returns false if a rule is refuted or, with `--strict`, unknown.
fn prove_all(args: &ProveArgs, session: &mut Session) -> Result<bool, Failed> {
    if let Some(program) = args.files.iter().find(|path| compile::is_program(path)) {
        return Err(session.fail(error::program_is_not_proved(program)));
    }
    session.phase("reading rules");
    let mut load = args.select.options(&args.tablegen);
    load.enable.extend(args.rule.iter().cloned());
    let rules = compile::rules(&mut session.sources, &args.files, &load);
    let rules = session.settle(rules)?;
    let files = args.files.iter().map(PathBuf::as_path);
    let operations = described_operations(files, &args.tablegen, session)?;
    let options = args.proof.options().operations(operations);
    session.phase("proving");
    let reports = prove_in_parallel(args, &rules, &options)
        .map_err(|threads| session.fail(error::cannot_start_threads(&threads)))?;
    let text = match args.format {
        Format::Text => text_report(&reports, &options, session.is_verbose()),
        Format::Json => json_report(&reports, &options),
        Format::Markdown => table(&reports, &options),
    };
    output::write(Path::new("-"), |out| out.write_all(text.as_bytes())).map_err(|e| session.fail(e))?;
    Ok(reports.iter().all(|report| match report.verdict {
        Verdict::Proved => true,
        Verdict::Refuted(_) => false,
        Verdict::Unknown(_) => !args.strict,
    }))
}

fn prove_in_parallel(args: &ProveArgs, rules: &RuleSet, options: &Options) -> Result<Vec<Report>, String> {
    let cache = if args.no_cache { None } else { Cache::open(args.cache.as_deref()) };
    let ids: Vec<PatternId> = rules.patterns().ids().collect();
    let shown = !args.messages.quiet && std::io::stderr().is_terminal();
    let bar = match shown {
        false => ProgressBar::hidden(),
        true => ProgressBar::new(ids.len() as u64).with_style(
            ProgressStyle::with_template("{bar:40} {pos} of {len} rules, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        ),
    };
    let threads = args.jobs.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(8 << 20).build();
    let reports = pool.map_err(|e| e.to_string())?.install(|| {
        ids.par_iter()
            .map(|&rule| {
                let report = match cache.as_ref().and_then(|cache| cache.find(rules, rule, options)) {
                    Some(report) => report,
                    None => {
                        let report = prove::prove(rules, rule, options);
                        if let Some(cache) = &cache {
                            cache.store(rules, rule, options, &report);
                        }
                        report
                    }
                };
                bar.inc(1);
                report
            })
            .collect()
    });
    bar.finish_and_clear();
    Ok(reports)
}

/// The types for which a rule is proved: all of them, or at most [`MAX_TYPES`].
fn shown_types(report: &Report, all: bool) -> String {
    let max = if all { usize::MAX } else { MAX_TYPES };
    let list = proved_types(report);
    let shown = list.iter().take(max).copied().collect::<Vec<_>>().join("; ");
    match list.len().saturating_sub(max) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

/// The types for which a rule is proved. If the proof holds for all widths, a single entry stands for all integers.
fn proved_types(report: &Report) -> Vec<&str> {
    let proved = report.proved.iter().map(String::as_str);
    match report.all_widths {
        false => proved.collect(),
        true => std::iter::once("integers of all widths")
            .chain(proved.filter(|types| types.contains("index")))
            .collect(),
    }
}

/// The largest number of types in a line of the report, unless `--verbose` is given.
const MAX_TYPES: usize = 7;

/// The report for people. If `all` is true, the report contains the times and all proved types.
fn text_report(reports: &[Report], options: &Options, all: bool) -> String {
    let mut out = String::new();
    for report in reports {
        let word = report.verdict.word();
        let _ = write!(out, "{}: {word}", report.rule);
        if report.verdict == Verdict::Proved {
            let _ = write!(out, " for {}", shown_types(report, all));
        }
        if all {
            let _ = write!(out, " ({:.2} s)", report.time.as_secs_f64());
        }
        out.push('\n');
        match &report.verdict {
            Verdict::Proved => {}
            Verdict::Refuted(counterexample) => refutation(&mut out, counterexample),
            Verdict::Unknown(reasons) => {
                for reason in reasons {
                    let _ = writeln!(out, "  {reason}");
                }
                if !report.proved.is_empty() {
                    let _ = writeln!(out, "  proved for {}", shown_types(report, all));
                }
            }
        }
    }
    let number = |word| reports.iter().filter(|report| report.verdict.word() == word).count();
    let _ = writeln!(
        out,
        "{}: {} proved, {} refuted, {} unknown (solver {})",
        count(reports.len(), "rule"),
        number("proved"),
        number("refuted"),
        number("unknown"),
        options.solver.name()
    );
    out
}

/// The report as a table.
fn table(reports: &[Report], options: &Options) -> String {
    let mut out = String::from("| rule | verdict | types | seconds | solver |\n|---|---|---|---|---|\n");
    for report in reports {
        let types = match &report.verdict {
            Verdict::Proved if report.all_widths => {
                match report.proved.iter().any(|types| types.contains("index")) {
                    true => "all widths, index".to_owned(),
                    false => "all widths".to_owned(),
                }
            }
            Verdict::Proved => {
                let mut single: Vec<&str> = Vec::new();
                for types in &report.proved {
                    let types = types.split(" (").next().unwrap_or(types);
                    if !single.contains(&types) {
                        single.push(types);
                    }
                }
                match single.iter().any(|types| types.contains(' ')) {
                    true => count(report.proved.len(), "combination"),
                    false => single.join(", "),
                }
            }
            Verdict::Refuted(found) => format!("`{}`", found.types),
            Verdict::Unknown(reasons) => {
                reasons.first().map(|reason| reason.replace('|', "\\|")).unwrap_or_default()
            }
        };
        let (rule, word) = (&report.rule, report.verdict.word());
        let (seconds, solver) = (report.time.as_secs_f64(), options.solver.name());
        let _ = writeln!(out, "| `{rule}` | {word} | {types} | {seconds:.2} | {solver} |");
    }
    out
}

fn refutation(out: &mut String, found: &Counterexample) {
    let _ = writeln!(out, "  types:    {}", found.types);
    for (name, value) in &found.attributes {
        let _ = writeln!(out, "  {name} = {value}");
    }
    for (name, value) in &found.operands {
        let _ = writeln!(out, "  {name} = {value}");
    }
    let _ = writeln!(out, "  before:   {}", found.before.join(", "));
    let _ = match &found.after {
        After::Results(results) => writeln!(out, "  after:    {}", results.join(", ")),
        After::Undefined => writeln!(out, "  after:    undefined behaviour"),
        After::Invalid(reason) => writeln!(out, "  after:    invalid IR: {reason}"),
    };
    for line in found.module.lines() {
        let _ = writeln!(out, "    {line}");
    }
}

fn json_report(reports: &[Report], options: &Options) -> String {
    let rules: Vec<serde_json::Value> = reports.iter().map(super::prove_cache::to_json).collect();
    let report = serde_json::json!({
        "solver": options.solver.name(),
        "widths": options.widths,
        "rules": rules,
    });
    format!("{report:#}\n")
}

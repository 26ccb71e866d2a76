//! `drrvm prove`: proves or refutes rules over integers.

use std::fmt::Write;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::exit::Failed;
use super::options::{MessageArgs, SelectArgs, TableGenArgs};
use super::prove_cache::Cache;
use super::session::Session;
use super::{error, output};
use crate::compile;
use crate::pdl::{PatternId, RuleSet};
use crate::prove::{self, After, Counterexample, Operations, Options, Report, Solver, Verdict, WIDTHS};
use crate::report::text::count;
use crate::source::Diagnostics;

/// Prove rules over integers, or refute them with values
///
/// For each rule and each combination of types that it matches, decides if the rewritten operations compute what the
/// matched ones compute, for all operands and attributes, with poison, undefined behaviour and flags. The operations of
/// `arith` on integers and `index` have a meaning; rules with other operations are reported as unknown, with the reason.
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
      For scripts: one JSON object, and a failure unless all rules are proved."
)]
pub(super) struct ProveArgs {
    /// Rule files, DRR (.td) or pdl (.mlir)
    #[arg(value_name = "RULES", required = true)]
    files: Vec<PathBuf>,
    /// Prove only rules with this name or label; as --enable
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    rule: Vec<String>,
    /// The widths of integers
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = WIDTHS, value_parser = clap::value_parser!(u32).range(1..=MAX_WIDTH))]
    widths: Vec<u32>,
    /// The time for one question to the solver, in seconds
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = parse_seconds)]
    timeout: f64,
    /// The solver
    #[arg(long, value_name = "SOLVER", default_value = "embedded")]
    solver: SolverChoice,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Fail if a rule is unknown
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
    select: SelectArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

/// The largest width that the command takes. Formulas for wider integers rarely fit in memory.
const MAX_WIDTH: i64 = 1024;

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(seconds),
        _ => Err("expected a number of seconds between 0 and 1000000".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SolverChoice {
    /// The SAT solver of this program
    Embedded,
    /// The program `z3`
    Z3,
    /// The program `bitwuzla`
    Bitwuzla,
    /// The program `cvc5`
    Cvc5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A report for people
    Text,
    /// One JSON object
    Json,
}

pub(super) fn run(args: &ProveArgs) -> ExitCode {
    let mut session = Session::new(&args.messages);
    match prove_all(args, &mut session) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(_) => ExitCode::from(2),
    }
}

/// Proves the selected rules and prints the report. Returns true for success.
fn prove_all(args: &ProveArgs, session: &mut Session) -> Result<bool, Failed> {
    if let Some(program) = args.files.iter().find(|path| compile::is_program(path)) {
        return Err(session.fail(error::program_is_not_proved(program)));
    }
    session.phase("reading rules");
    let mut load = args.select.options(&args.tablegen);
    load.enable.extend(args.rule.iter().cloned());
    let rules = compile::rules(&mut session.sources, &args.files, &load);
    let rules = session.settle(rules)?;
    let operations = described_operations(args, session)?;
    let mut widths = args.widths.clone();
    widths.sort_unstable();
    widths.dedup();
    let solver = match args.solver {
        SolverChoice::Embedded => Solver::Embedded,
        SolverChoice::Z3 => Solver::Z3,
        SolverChoice::Bitwuzla => Solver::Bitwuzla,
        SolverChoice::Cvc5 => Solver::Cvc5,
    };
    let options = Options::default()
        .widths(widths)
        .timeout(Duration::from_secs_f64(args.timeout))
        .solver(solver)
        .operations(operations);
    session.phase("proving");
    let reports = prove_in_parallel(args, &rules, &options)
        .map_err(|threads| session.fail(error::cannot_start_threads(&threads)))?;
    let text = match args.format {
        Format::Text => text_report(&reports, &options, session.is_verbose()),
        Format::Json => json_report(&reports, &options),
    };
    output::write(Path::new("-"), |out| out.write_all(text.as_bytes())).map_err(|e| session.fail(e))?;
    Ok(reports.iter().all(|report| match report.verdict {
        Verdict::Proved => true,
        Verdict::Refuted(_) => false,
        Verdict::Unknown(_) => !args.strict,
    }))
}

/// The class of the records that describe operations, and the field that holds the description.
const MEANING_CLASS: &str = "OperationMeaning";
const MEANING_FIELD: &str = "meaning";

/// The operations that records of the rule files describe.
fn described_operations(args: &ProveArgs, session: &mut Session) -> Result<Operations, Failed> {
    let mut operations = Operations::default();
    let mut errors = Diagnostics::default();
    for path in args.files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "td")) {
        let options = args.tablegen.options();
        let parsed = compile::records(&mut session.sources, path, &options).map_err(|e| session.fail(e))?;
        for id in parsed.records.derived_definitions(MEANING_CLASS) {
            let record = parsed.records.record(id);
            let defined = match record.string_field(MEANING_FIELD) {
                Ok(text) => operations.define(text),
                Err(_) => Err(format!("the record has no string '{MEANING_FIELD}'")),
            };
            if let Err(reason) = defined {
                errors.push(error::bad_meaning(record.span(), &reason));
            }
        }
    }
    session.report(errors)?;
    Ok(operations)
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

/// The types for which a rule is proved: all, or the first ones.
fn types(report: &Report, all: bool) -> String {
    let max = if all { usize::MAX } else { MAX_TYPES };
    let shown: Vec<&str> = report.proved.iter().take(max).map(String::as_str).collect();
    match report.proved.len() - shown.len() {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}

/// The largest number of types in a line of the report.
const MAX_TYPES: usize = 7;

/// The report for people, with times and with the types of all proofs if `all` is set.
fn text_report(reports: &[Report], options: &Options, all: bool) -> String {
    let mut out = String::new();
    for report in reports {
        let word = report.verdict.word();
        let _ = write!(out, "{}: {word}", report.rule);
        if report.verdict == Verdict::Proved {
            let _ = write!(out, " for {}", types(report, all));
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
                    let _ = writeln!(out, "  proved for {}", types(report, all));
                }
            }
        }
    }
    let number = |word| reports.iter().filter(|report| report.verdict.word() == word).count();
    let _ = writeln!(
        out,
        "{}: {} proved, {} refuted, {} unknown (solver {})",
        count(reports.len() as u64, "rule"),
        number("proved"),
        number("refuted"),
        number("unknown"),
        options.solver.name()
    );
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

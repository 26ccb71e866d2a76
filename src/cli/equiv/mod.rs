//! `drrvm equiv`: whether two rule sets, or two engines, do the same.

mod given;
mod report;

use std::borrow::Cow;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::options::{EngineChoice, MessageArgs, SelectArgs, TableGenArgs};
use super::session::Session;
use super::{Failed, error, output};
use crate::equivalence::{self, Comparison, Config, Difference, IrGenerator, Mode, Options, Side};
use crate::host::Natives;
use crate::ir::{Context, IrHost, Module};
use crate::pdl::RuleSet;
use crate::vm::{Automaton, Matcher, Reference};
use given::{Given, load, select, share_traits, without_natives};
use report::Report;

/// Compare two rule sets, or two engines, on random IR
///
/// Makes modules of the operations that both rule sets mention, in which instances of the rules and
/// near-misses are planted, runs both sides, and compares what comes out, up to the names of values, dead code
/// and the order of operations without effects. The first difference is made as small as possible and shown.
/// No difference says something of the rules that fired, and nothing of those listed as never fired.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 no difference, 1 a difference, 2 trouble: nothing or not everything could be compared.

Examples:
  drrvm equiv old.td new.td
      Do both files make the same of 10,000 random modules?
  drrvm equiv rules.td rules.mlir --seconds 60 --jobs 4
      As many modules as a minute allows, on four threads.
  drrvm equiv rules.td --engine automaton,reference --mode match
      Do two engines find the same matches with the same bindings?
  drrvm equiv rules.td --mode semantics
      Do the rules keep what arith operations mean, poison and overflow flags included?"
)]
pub(super) struct EquivArgs {
    /// Rules of the first side, DRR (.td), pdl (.mlir) or compiled (.drrbc)
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Rules of the second side; without it, A is compared with itself: two engines, or what it means
    #[arg(value_name = "B")]
    b: Option<PathBuf>,
    /// What to compare
    #[arg(long, value_name = "MODE", default_value = "rewrite")]
    mode: EquivMode,
    /// How to find the rules that match: one engine for both sides, or one for each
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', num_args = 1, default_value = "tree")]
    engine: Vec<EngineChoice>,
    /// Drop rules whose natives are not registered, on both sides, with a warning each
    #[arg(long)]
    allow_missing_natives: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    effort: EffortArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

/// How much is compared.
#[derive(Debug, Args)]
#[command(next_help_heading = "Effort")]
struct EffortArgs {
    /// Try N modules [default: 10000, or what --seconds allows]
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// Stop after N seconds
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// The seed that all modules follow from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Use N threads [default: one for each processor]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// After N rewrites of one module, say that the rules do not come to an end
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    max_rewrites: u64,
    /// Write a counterexample and what both sides make of it to DIR
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EquivMode {
    /// The modules both sides arrive at
    Rewrite,
    /// What matches at each operation
    Match,
    /// As rewrite, and whether functions of arith operations mean what they meant
    Semantics,
}

pub(super) fn run(args: &EquivArgs, natives: &Natives<IrHost>) -> ExitCode {
    let mut session = Session::new(&args.messages);
    let code = match compare(args, natives, &mut session) {
        Ok(Verdict::Same) => 0,
        Ok(Verdict::Different) => 1,
        Ok(Verdict::Trouble) | Err(_) => 2,
    };
    ExitCode::from(code)
}

enum Verdict {
    Same,
    Different,
    Trouble,
}

fn compare(args: &EquivArgs, natives: &Natives<IrHost>, session: &mut Session) -> Result<Verdict, Failed> {
    let (first, second) = match args.engine[..] {
        [engine] => (engine, engine),
        [first, second] => (first, second),
        _ => return Err(session.fail(error::too_many_engines(args.engine.len()))),
    };
    if args.b.is_none() && first == second && args.mode != EquivMode::Semantics {
        return Err(session.fail(error::nothing_to_compare()));
    }
    let mut host = new_host();
    let mut trouble = false;
    let mut given = Vec::new();
    for path in std::iter::once(&args.a).chain(&args.b) {
        given.push(load(session, path, args)?);
    }
    select(session, args, &mut given)?;
    if let [a, b] = &mut given[..] {
        share_traits(a.known_ops(), b.known_ops());
    }
    trouble |= without_natives(session, args, natives, &mut host, &mut given)?;
    let forms: Vec<Cow<'_, RuleSet>> = given.iter().map(Given::form).collect();
    let sets: Vec<&RuleSet> = forms.iter().map(|form| &**form).collect();
    let config = Config::default().seed(args.effort.seed).common(given.len() > 1);
    let generator = IrGenerator::new(&sets, &mut host, natives, &config).map_err(|e| session.fail(e))?;
    let apart = matches!(sets[..], [a, b] if !have_common_ops(a, b));
    if generator.is_empty() || apart {
        let paths = std::iter::once(&args.a).chain(&args.b);
        let empty = paths.zip(&sets).filter(|(_, set)| set.patterns.is_empty()).map(|(path, _)| path);
        return Err(session.fail(error::nothing_in_common(&args.a, args.b.as_deref(), empty)));
    }

    let matchers = given.iter().map(|given| given.link(session, &mut host, natives));
    let matchers: Vec<Arc<Matcher<IrHost>>> = matchers.collect::<Result<_, Failed>>()?;
    let automata: Vec<Automaton<IrHost>> = matchers.iter().cloned().map(Automaton::new).collect();
    let mut references = Vec::new();
    for (given, matcher) in given.iter().zip(&matchers) {
        let reference =
            given.rules().map(|rules| Reference::link(rules, matcher, &mut host, natives)).transpose();
        references.push(reference.map_err(|e| session.fail(e))?);
    }
    let side = |engine: EngineChoice, at: usize| {
        Ok(match engine {
            EngineChoice::Auto | EngineChoice::Tree => Side::new(&*matchers[at]),
            EngineChoice::Automaton => Side::new(&automata[at]),
            EngineChoice::Reference => {
                let reference = references[at].as_ref();
                Side::new(reference.ok_or_else(|| session.fail(error::no_reference()))?)
            }
        })
    };
    let sides = [side(first, 0)?, side(second, given.len() - 1)?];

    let compared = run_cases(args, [&sides[0], &sides[1]], &generator, &host, natives);
    let titles = titles(args, first, second);
    let unplanned = given.iter().enumerate().map(|(set, given)| given.ids_of(&generator.unplanned(set)));
    let report = Report {
        args,
        sides: [&sides[0], &sides[1]],
        titles,
        compared: &compared,
        unplanned: unplanned.collect(),
    };
    let text = report.text();
    output::write(Path::new("-"), |out| out.write_all(text.as_bytes())).map_err(|e| session.fail(e))?;
    if let (Some(found), Some(dir)) = (&compared.difference, &args.effort.save) {
        save(session, dir, args.effort.seed, found)?;
    }
    for (at, side) in sides.iter().enumerate() {
        if let Some((case, stopped)) = &compared.endless_example[at] {
            let times = compared.endless[at];
            let warning = error::does_not_end(&report.titles[at], *case, times, stopped, side.program());
            session.report(warning.into())?;
            trouble = true;
        }
    }
    if args.mode == EquivMode::Semantics && compared.cases > 0 && compared.uninterpreted == compared.cases {
        session.report(error::nothing_interpreted(compared.cases).into())?;
        trouble = true;
    }
    if compared.difference.is_none() && compared.fired.iter().flatten().all(|&count| count == 0) {
        session.report(error::nothing_fired(compared.cases).into())?;
        trouble = true;
    }
    Ok(match compared.difference {
        Some(_) => Verdict::Different,
        None if trouble => Verdict::Trouble,
        None => Verdict::Same,
    })
}

fn new_host() -> IrHost {
    let mut context = Context::new();
    let module = Module::new(&mut context);
    IrHost::new(context, module)
}

/// Whether both sets mention some operation, or one has a rule that starts with any.
fn have_common_ops(a: &RuleSet, b: &RuleSet) -> bool {
    let mut nodes =
        [a, b].into_iter().flat_map(|set| set.patterns.iter()).flat_map(|rule| rule.matcher.iter());
    if nodes.any(|node| node.as_operation().is_some_and(|op| op.name.is_none())) {
        return true;
    }
    let names: Vec<&str> = a.mentioned_ops().into_iter().map(|name| &a.strings[name]).collect();
    b.mentioned_ops().into_iter().any(|name| names.contains(&&b.strings[name]))
}

fn run_cases(
    args: &EquivArgs,
    sides: [&Side<'_>; 2],
    generator: &IrGenerator,
    host: &IrHost,
    natives: &Natives<IrHost>,
) -> Comparison {
    let effort = &args.effort;
    let cases = effort.cases.unwrap_or(if effort.seconds.is_some() { u64::MAX } else { 10_000 });
    let until = effort.seconds.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
    let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = effort.jobs.unwrap_or_else(processors).get();
    let options = Options::default()
        .mode(match args.mode {
            EquivMode::Rewrite => Mode::Rewrite,
            EquivMode::Match => Mode::Match,
            EquivMode::Semantics => Mode::Semantics,
        })
        .cases(cases)
        .until(until)
        .jobs(jobs)
        .max_rewrites(effort.max_rewrites)
        .seed(effort.seed);
    let shown = !args.messages.quiet && std::io::stderr().is_terminal();
    let bar = match (shown, effort.seconds) {
        (false, _) => ProgressBar::hidden(),
        (true, Some(_)) => ProgressBar::new_spinner().with_style(
            ProgressStyle::with_template("{spinner} {pos} cases, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        ),
        (true, None) => ProgressBar::new(cases).with_style(
            ProgressStyle::with_template("{bar:40} {pos} of {len} cases, {eta} left")
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        ),
    };
    let compared = equivalence::compare(sides, generator, host, natives, &options, &|more| bar.inc(more));
    bar.finish_and_clear();
    compared
}

/// What the sides are called.
fn titles(args: &EquivArgs, first: EngineChoice, second: EngineChoice) -> [String; 2] {
    let file = |path: &Path| path.display().to_string();
    let b = args.b.as_deref().unwrap_or(&args.a);
    match first == second {
        true => [file(&args.a), file(b)],
        false => {
            [format!("{} ({})", file(&args.a), first.name()), format!("{} ({})", file(b), second.name())]
        }
    }
}

/// Writes the counterexample and what becomes of it.
fn save(session: &Session, dir: &Path, seed: u64, found: &Difference) -> Result<(), Failed> {
    std::fs::create_dir_all(dir).map_err(|e| session.fail(error::cannot_make_dir(dir, &e)))?;
    let stem = format!("seed{seed}-case{}", found.case);
    for (name, text) in [("input", &found.input), ("a", &found.outputs[0]), ("b", &found.outputs[1])] {
        let path = dir.join(format!("{stem}.{name}.mlir"));
        output::write(&path, |out| out.write_all(text.as_bytes())).map_err(|e| session.fail(e))?;
    }
    Ok(())
}

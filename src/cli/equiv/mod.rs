//! `drrvm equiv`: compares two rule sets or two engines.

mod args;
mod prove;
mod report;
mod rules;

use std::borrow::Cow;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashbrown::HashMap;
use indicatif::{ProgressBar, ProgressStyle};

use super::exit::Failed;
use super::options::EngineChoice;
use super::session::{Session, new_host};
use super::{error, output};
use crate::equivalence::{
    self, Comparison, Config, Difference, IrGenerator, Mode, NoInstance, Options, Side,
};
use crate::host::Natives;
use crate::id::Id;
use crate::ir::IrHost;
use crate::pdl::{PatternId, RuleSet};
use crate::vm::{Automaton, Matcher, Reference};
pub(super) use args::EquivArgs;
use args::EquivMode;
use report::{Doubt, Report};
use rules::{SideRules, leave_out_missing_natives, load};

pub(super) fn run(args: &EquivArgs, natives: &Natives<IrHost>) -> ExitCode {
    let mut session = Session::new(&args.messages);
    if let (true, Some(b)) = (args.prove, &args.b) {
        return prove::run(args, [&args.a, b], &mut session);
    }
    if let (false, Some(option)) = (args.prove, args.proof.first_used()) {
        let _ = session.fail(error::only_with_prove(option));
        return ExitCode::from(2);
    }
    let code = match load_natives_and_compare(args, natives, &mut session) {
        Ok(Verdict::Same) => 0,
        Ok(Verdict::Different) => 1,
        Ok(Verdict::Incomplete) | Err(_) => 2,
    };
    ExitCode::from(code)
}

enum Verdict {
    Same,
    Different,
    Incomplete,
}

/// Adds the natives of scripts, compares the rule sets, and prints the errors of the scripts.
fn load_natives_and_compare(
    args: &EquivArgs,
    natives: &Natives<IrHost>,
    session: &mut Session,
) -> Result<Verdict, Failed> {
    let (natives, scripts) = session.natives(&args.natives, natives)?;
    let verdict = compare(args, &natives, session)?;
    session.report_failures(&scripts, [], false)?;
    Ok(verdict)
}

fn compare(args: &EquivArgs, natives: &Natives<IrHost>, session: &mut Session) -> Result<Verdict, Failed> {
    let (first, second) = match args.engine[..] {
        [engine] => (engine, engine),
        [first, second] => (first, second),
        _ => return Err(session.fail(error::too_many_engines(args.engine.len()))),
    };
    let mut host = new_host();
    let mut side_rules = load(session, args)?;
    if args.b.is_none() && first == second && args.mode != EquivMode::Semantics {
        return Err(session.fail(error::nothing_to_compare()));
    }
    if let [a, b] = &mut side_rules[..] {
        equivalence::share_traits(a.op_tables(), b.op_tables());
    }
    let natives_missing = leave_out_missing_natives(session, args, natives, &mut host, &mut side_rules)?;
    let rule_sets: Vec<Cow<'_, RuleSet>> = side_rules.iter().map(SideRules::rule_set).collect();
    let sets: Vec<&RuleSet> = rule_sets.iter().map(|set| &**set).collect();
    let config = Config::default().seed(args.effort.seed);
    let generator = IrGenerator::new(&sets, &mut host, natives, &config).map_err(|e| session.fail(e))?;
    if generator.is_empty() {
        let paths = std::iter::once(&args.a).chain(&args.b);
        let empty = paths.zip(&sets).filter(|(_, set)| set.patterns.is_empty()).map(|(path, _)| path);
        return Err(session.fail(error::no_operations(&args.a, args.b.as_deref(), empty)));
    }

    let matchers = side_rules.iter().map(|side_rules| side_rules.link(session, &mut host, natives));
    let matchers: Vec<Arc<Matcher<IrHost>>> = matchers.collect::<Result<_, Failed>>()?;
    let automata: Vec<Automaton<IrHost>> = matchers.iter().cloned().map(Automaton::new).collect();
    let automatic: Vec<Automaton<IrHost>> =
        matchers.iter().cloned().map(|matcher| Automaton::new(matcher).automatic()).collect();
    let mut references = Vec::new();
    for (side_rules, matcher) in side_rules.iter().zip(&matchers) {
        let reference =
            side_rules.rules().map(|rules| Reference::link(rules, matcher, &mut host, natives)).transpose();
        references.push(reference.map_err(|e| session.fail(e))?);
    }
    let side = |engine: EngineChoice, at: usize| {
        Ok(match engine {
            EngineChoice::Auto => Side::new(&automatic[at]),
            EngineChoice::Tree => Side::new(&*matchers[at]),
            EngineChoice::Automaton => Side::new(&automata[at]),
            EngineChoice::Reference => {
                let reference = references[at].as_ref();
                Side::new(reference.ok_or_else(|| session.fail(error::no_reference()))?)
            }
        })
    };
    let sides = [side(first, 0)?, side(second, side_rules.len() - 1)?];

    let compared = run_cases(args, [&sides[0], &sides[1]], &generator, &host, natives);
    let titles = titles(args, first, second);
    let unfired = [0, side_rules.len() - 1].map(|set| (set, side_rules[set].ids()));
    let unfired = [&compared.fired[0], &compared.fired[1]]
        .into_iter()
        .zip(&unfired)
        .map(|(fired, (set, ids))| unfired_rules(fired, ids, &generator, *set));
    let report = Report {
        args,
        sides: [&sides[0], &sides[1]],
        titles,
        compared: &compared,
        unfired: unfired.collect(),
        natives_missing,
    };
    let text = report.text();
    output::write(Path::new("-"), |out| out.write_all(text.as_bytes())).map_err(|e| session.fail(e))?;
    if let (Some(found), Some(dir)) = (&compared.difference, &args.effort.save) {
        save(session, dir, args.effort.seed, found)?;
    }
    session.report_failures(&[], matchers.iter().map(|matcher| &**matcher), false)?;
    for (at, side) in sides.iter().enumerate() {
        if let Some((case, stopped)) = &compared.endless_example[at] {
            let times = compared.endless[at];
            let warning = error::does_not_end(&report.titles[at], *case, times, stopped, side.program());
            session.report(warning.into())?;
        }
    }
    let doubts = report.doubts();
    let (cases, fired) = (compared.cases, args.mode.fired());
    for doubt in &doubts {
        let warning = match doubt {
            Doubt::NothingInterpreted => error::nothing_interpreted(cases),
            _ if compared.difference.is_some() => continue,
            Doubt::Undecided => error::differences_not_interpreted(compared.undecided),
            Doubt::NothingFired => error::nothing_fired(cases, fired),
            Doubt::SomeUnfired => error::rules_never_fired(&report.unfired_names(), cases, fired),
            // Reported above.
            Doubt::Endless | Doubt::NativesMissing => continue,
        };
        session.report(warning.into())?;
    }
    Ok(match compared.difference {
        Some(_) => Verdict::Different,
        None if doubts.is_empty() => Verdict::Same,
        None => Verdict::Incomplete,
    })
}

/// The rules among `ids` that never fired on one side or, with `--mode match`, never matched. If no instance of a rule
/// was found, the reason is listed with the rule.
fn unfired_rules(
    fired: &[u64],
    ids: &[PatternId],
    generator: &IrGenerator,
    set: usize,
) -> Vec<(PatternId, Option<NoInstance>)> {
    let reasons: HashMap<PatternId, &NoInstance> = generator.without_instances(set).collect();
    let number = (0..).map(PatternId::from_raw);
    let all = ids.iter().zip(number).filter(|(id, _)| fired[id.index()] == 0);
    all.map(|(&id, number)| (id, reasons.get(&number).copied().cloned())).collect()
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

/// The names of the sides in the report.
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

/// Writes the counterexample and the results of both sides.
fn save(session: &Session, dir: &Path, seed: u64, found: &Difference) -> Result<(), Failed> {
    std::fs::create_dir_all(dir).map_err(|e| session.fail(error::cannot_make_dir(dir, &e)))?;
    let stem = format!("seed{seed}-case{}", found.case);
    for (name, text) in [("input", &found.input), ("a", &found.outputs[0]), ("b", &found.outputs[1])] {
        let path = dir.join(format!("{stem}.{name}.mlir"));
        output::write(&path, |out| out.write_all(text.as_bytes())).map_err(|e| session.fail(e))?;
    }
    Ok(())
}

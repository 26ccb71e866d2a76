//! `drrvm equiv`: whether two rule sets, or two engines, do the same.

use std::borrow::Cow;
use std::fmt::Write;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::options::{ColorChoice, EngineChoice, MessageArgs, SelectArgs, TableGenArgs};
use super::session::Session;
use super::summary::count;
use super::{Failed, error, output, side_by_side};
use crate::bytecode::Program;
use crate::compile::{self, Compiled};
use crate::equivalence::{
    self, Comparison, Config, Difference, IrGenerator, KnownOps, Mode, Options, Side, What, drop_unlinked,
    share_traits,
};
use crate::host::Natives;
use crate::id::Id;
use crate::ir::{Context, IrHost, Module};
use crate::pdl::{MissingNative, PatternId, RuleSet};
use crate::source::Diagnostics;
use crate::vm::{Automaton, LinkOptions, Matcher, Reference};

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

/// Width of the terminal that outputs beside each other are made for.
const WIDTH: usize = 160;

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

/// Whether both sets mention some operation, or one has a rule that starts with any.
fn have_common_ops(a: &RuleSet, b: &RuleSet) -> bool {
    let mut nodes =
        [a, b].into_iter().flat_map(|set| set.patterns.iter()).flat_map(|rule| rule.matcher.nodes.iter());
    if nodes.any(|node| node.as_operation().is_some_and(|op| op.name.is_none())) {
        return true;
    }
    let names: Vec<&str> = a.mentioned_ops().into_iter().map(|name| &a.strings[name]).collect();
    b.mentioned_ops().into_iter().any(|name| names.contains(&&b.strings[name]))
}

fn new_host() -> IrHost {
    let mut context = Context::new();
    let module = Module::new(&mut context);
    IrHost::new(context, module)
}

/// What a side is given as.
enum Given {
    Rules(Box<RuleSet>),
    /// A compiled program, less some of its rules.
    Program {
        program: Arc<Program>,
        left_out: Vec<PatternId>,
    },
}

impl Given {
    /// The rules, if their form is known.
    fn rules(&self) -> Option<&RuleSet> {
        match self {
            Given::Rules(rules) => Some(rules),
            Given::Program { .. } => None,
        }
    }

    /// The rules in the form that IR is made for.
    fn form(&self) -> Cow<'_, RuleSet> {
        match self {
            Given::Rules(rules) => Cow::Borrowed(rules),
            Given::Program { program, left_out } => Cow::Owned(equivalence::raise(program, left_out)),
        }
    }

    /// What rules of [`Self::form`] are in what runs: rules that are left out have no form.
    fn ids_of(&self, rules: &[PatternId]) -> Vec<PatternId> {
        match self {
            Given::Rules(_) => rules.to_vec(),
            Given::Program { program, left_out } => {
                let kept: Vec<PatternId> =
                    program.patterns().ids().filter(|rule| !left_out.contains(rule)).collect();
                rules.iter().filter_map(|rule| kept.get(rule.index()).copied()).collect()
            }
        }
    }

    fn known_ops(&mut self) -> KnownOps<'_> {
        match self {
            Given::Rules(rules) => (&mut **rules).into(),
            Given::Program { program, .. } => Arc::make_mut(program).into(),
        }
    }

    /// Whether a name or label is one of a rule's.
    fn knows(&self, name: &String) -> bool {
        let name = std::slice::from_ref(name);
        match self {
            Given::Rules(rules) => rules.unselected(name, &[]).is_ok(),
            Given::Program { program, .. } => program.unselected(name, &[]).is_ok(),
        }
    }

    /// Keeps the rules that are asked for by names that are known.
    fn select(&mut self, enable: &[String], disable: &[String]) -> Result<(), Diagnostics> {
        match self {
            Given::Rules(rules) => rules.select(enable, disable),
            Given::Program { program, left_out } => {
                *left_out = program.unselected(enable, disable)?;
                Ok(())
            }
        }
    }

    /// Keeps the rules whose names are not among these.
    fn leave_out(&mut self, names: &[String]) {
        match self {
            Given::Rules(rules) => {
                let strings = &rules.strings;
                let kept = rules.patterns.iter();
                let kept = kept.filter(|rule| names.iter().all(|name| *name != strings[rule.name]));
                rules.patterns = kept.cloned().collect();
            }
            Given::Program { program, left_out } => {
                let rules = program.patterns().ids();
                left_out.extend(
                    rules.filter(|&rule| names.iter().any(|name| *name == program.pattern_name(rule))),
                );
            }
        }
    }

    /// Leaves out the rules that call natives nobody registered; their names, and what is missing.
    fn without_missing(
        &mut self,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
    ) -> Result<(Vec<String>, Vec<MissingNative>), Diagnostics> {
        match self {
            Given::Rules(rules) => drop_unlinked(rules, host, natives),
            Given::Program { program, left_out } => {
                let options = LinkOptions { allow_missing: true, left_out: left_out.clone() };
                let matcher = Matcher::link(program.clone(), host, natives, &options)?;
                let dropped: Vec<PatternId> =
                    matcher.dropped().filter(|rule| !left_out.contains(rule)).collect();
                let names = dropped.iter().map(|&rule| program.pattern_name(rule).to_owned()).collect();
                left_out.extend(dropped);
                Ok((names, matcher.missing().to_vec()))
            }
        }
    }

    fn link(
        &self,
        session: &Session,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
    ) -> Result<Arc<Matcher<IrHost>>, Failed> {
        let (program, left_out) = match self {
            Given::Rules(rules) => {
                (Arc::new(compile::program(rules).map_err(|e| session.fail(e))?), Vec::new())
            }
            Given::Program { program, left_out } => (program.clone(), left_out.clone()),
        };
        Matcher::link(program, host, natives, &LinkOptions { left_out, ..LinkOptions::default() })
            .map(Arc::new)
            .map_err(|e| session.fail(e.diagnostics()))
    }
}

/// What one side is.
fn load(session: &mut Session, path: &Path, args: &EquivArgs) -> Result<Given, Failed> {
    let options = args.tablegen.options();
    let files = [path.to_owned()];
    if compile::is_program(path) {
        let compiled = compile::compiled(&mut session.sources, &files, &options);
        let Compiled { program, left_out, .. } = session.settle(compiled)?;
        return Ok(Given::Program { program: Arc::new(program), left_out });
    }
    let rules = compile::rules(&mut session.sources, &files, &options);
    session.settle(rules).map(|rules| Given::Rules(Box::new(rules)))
}

/// Applies `--enable` and `--disable`; a name has to be known on one side at least.
fn select(session: &Session, args: &EquivArgs, given: &mut [Given]) -> Result<(), Failed> {
    let select = &args.select;
    let mut unknown = Diagnostics::default();
    for name in select.enable.iter().chain(&select.disable) {
        if !given.iter().any(|given| given.knows(name)) {
            unknown.push(error::unknown_on_both(name));
        }
    }
    session.report(unknown)?;
    for given in given {
        let known =
            |names: &[String]| names.iter().filter(|name| given.knows(name)).cloned().collect::<Vec<_>>();
        let (enable, disable) = (known(&select.enable), known(&select.disable));
        if enable.is_empty() && !select.enable.is_empty() {
            match given {
                Given::Rules(rules) => rules.patterns = [].into_iter().collect(),
                Given::Program { program, left_out } => *left_out = program.patterns().ids().collect(),
            }
        } else if let Err(errors) = given.select(&enable, &disable) {
            return Err(session.fail(errors));
        }
    }
    Ok(())
}

/// Leaves out rules whose natives are missing on one side, and rules of the same names on the other; whether
/// that was not allowed.
fn without_natives(
    session: &Session,
    args: &EquivArgs,
    natives: &Natives<IrHost>,
    host: &mut IrHost,
    given: &mut [Given],
) -> Result<bool, Failed> {
    let mut dropped = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for given in &mut *given {
        let (names, missing) = given.without_missing(host, natives).map_err(|e| session.fail(e))?;
        missing.iter().for_each(|native| diagnostics.push(native.diagnostic()));
        dropped.extend(names);
    }
    dropped.sort();
    dropped.dedup();
    if dropped.is_empty() {
        return Ok(false);
    }
    given.iter_mut().for_each(|given| given.leave_out(&dropped));
    if !args.allow_missing_natives {
        let _ = session.report(diagnostics);
    }
    session.report(error::left_out_on_both(&dropped).into())?;
    Ok(!args.allow_missing_natives)
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

/// What is said on standard output.
struct Report<'a> {
    args: &'a EquivArgs,
    sides: [&'a Side<'a>; 2],
    titles: [String; 2],
    compared: &'a Comparison,
    /// The rules of each file that no instance was found of.
    unplanned: Vec<Vec<PatternId>>,
}

impl Report<'_> {
    fn text(&self) -> String {
        let mut out = String::new();
        let Comparison { cases, difference, .. } = self.compared;
        let tried = format!("{}, seed {}", count(*cases, "case"), self.args.effort.seed);
        match difference {
            Some(found) => self.difference(&mut out, found),
            None => {
                let _ = writeln!(out, "no difference ({tried})");
            }
        }
        if self.compared.uninterpreted > 0 {
            let skipped = count(self.compared.uninterpreted, "module");
            let _ = writeln!(out, "{skipped} could not be interpreted");
        }
        if difference.is_none() {
            self.coverage(&mut out);
        }
        out
    }

    /// Which rules had their say, on each side.
    fn coverage(&self, out: &mut String) {
        let fired = if self.args.mode == EquivMode::Match { "matched" } else { "fired" };
        for side in 0..2 {
            if side == 1 && self.args.b.is_none() && self.compared.fired[0] == self.compared.fired[1] {
                continue;
            }
            let counts = &self.compared.fired[side];
            let silent: Vec<PatternId> = self.sides[side]
                .program()
                .patterns()
                .ids()
                .zip(counts)
                .filter(|(_, n)| **n == 0)
                .map(|(id, _)| id)
                .collect();
            let _ = writeln!(
                out,
                "{}: {}, {} {fired}",
                self.titles[side],
                count(counts.len() as u64, "rule"),
                counts.len() - silent.len()
            );
            if silent.is_empty() {
                continue;
            }
            let _ = writeln!(out, "  never {fired}, so nothing is said of:");
            let unplanned = &self.unplanned[side.min(self.unplanned.len() - 1)];
            for rule in silent {
                let why = if unplanned.contains(&rule) { " (no instance of it was found)" } else { "" };
                let _ = writeln!(out, "    {}{why}", self.sides[side].rule_name(rule));
            }
        }
    }

    fn difference(&self, out: &mut String, found: &Difference) {
        let (before, after) = found.ops;
        let _ = writeln!(
            out,
            "a difference: case {} of seed {}, shrunk from {before} operations to {after}\n",
            found.case, self.args.effort.seed
        );
        let _ = writeln!(out, "{}", found.input);
        match &found.what {
            What::Modules => {}
            What::Matches { op, rules } => {
                let _ = writeln!(out, "At {op} there match");
                for ((side, title), rules) in self.sides.iter().zip(&self.titles).zip(rules) {
                    let names: Vec<&str> = rules.iter().map(|&rule| side.rule_name(rule)).collect();
                    let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
                    let _ = writeln!(out, "  {title}: {names}");
                }
                return;
            }
            What::Meaning { side, shown } => {
                let list = |texts: &[String]| texts.join(", ");
                let _ =
                    writeln!(out, "{} changes what function {} means:", self.titles[*side], shown.function);
                let _ = writeln!(out, "  inputs: {}", list(&shown.inputs));
                let _ = writeln!(out, "  before: {}", list(&shown.before));
                let after = shown.after.as_deref().map_or("undefined behaviour".to_owned(), list);
                let _ = writeln!(out, "  after:  {after}\n");
            }
        }
        let color = match self.args.messages.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                std::io::stdout().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        };
        let [a, b] = &found.outputs;
        // One side alone, or modules that are the same, need no two columns.
        if a == b {
            let _ = writeln!(out, "{a}");
        } else {
            let widest = a.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            let width = widest.max(self.titles[0].chars().count()).min(WIDTH / 2);
            let shown = side_by_side::columns([&self.titles[0], &self.titles[1]], [a, b], width, color);
            let _ = writeln!(out, "{shown}");
        }
        for side in 0..2 {
            if side == 1 && self.args.b.is_none() && found.fired[0] == found.fired[1] {
                continue;
            }
            let fired: Vec<String> = found.fired[side]
                .iter()
                .map(|&(rule, times)| format!("{} {times}", self.sides[side].rule_name(rule)))
                .collect();
            let fired = if fired.is_empty() { "nothing".to_owned() } else { fired.join(", ") };
            let _ = writeln!(out, "{} fired: {fired}", self.titles[side]);
        }
    }
}

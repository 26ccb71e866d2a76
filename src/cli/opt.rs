//! `drrvm opt`: rules over MLIR.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::greedy_log::{GreedyLog, Shared};
use super::options::{
    DriverArgs, DriverChoice, EngineChoice, MessageArgs, NativesArgs, RuleArgs, Strictness, TableGenArgs,
    Traversal,
};
use super::output::OutputArgs;
use super::session::{Session, color};
use super::split::SplitArgs;
use super::summary::Totals;
use super::{Failed, diff, error};
use crate::compile::Compiled;
use crate::host::{Hooks, Listener, Natives, NoListener};
use crate::ir::{self, Context, IrHost, Module, OpId, PrintOptions};
use crate::ods_verify::Definitions;
use crate::pdl::{Pattern, RuleSet, Step};
use crate::rewrite::{self, Report};
use crate::script::Script;
use crate::source::{Color, Diagnostic, Diagnostics, SourceFile};
use crate::vm::{Automaton, Engine, LinkOptions, LoggingEngine, Matcher, Reference};

/// Rewrite MLIR with rules
///
/// Reads INPUT, applies the rules until nothing matches any more, and prints the result. A summary goes
/// to standard error. Without rules, the input is parsed, verified and printed. Operations need not be
/// registered anywhere.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm opt input.mlir --rules rules.td
      Apply rules.td, print the result.
  drrvm opt input.mlir --rules a.td --rules b.mlir -o output.mlir
      Two rule files; output.mlir is written only if all went well.
  mlir-opt --mlir-print-op-generic in.mlir | drrvm opt - --rules rules.td | mlir-opt
      In a pipe, on IR that has custom syntax.
  drrvm opt input.mlir --rules rules.td -I llvm-project/mlir/include
      With MLIR's own headers in place of the embedded ones.
  drrvm opt input.mlir --rules rules.td --disable AddZero --driver walk
      All rules but AddZero, each operation visited once.")]
pub(super) struct OptArgs {
    /// MLIR file; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    input: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    driver: DriverArgs,
    /// Say on standard error what a part does, step by step
    #[arg(long, value_name = "PART", conflicts_with = "engine")]
    debug: Option<DebugChoice>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

/// How rules run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
struct RunArgs {
    /// Drop rules whose natives are not registered, with a warning each
    #[arg(long)]
    allow_missing_natives: bool,
    #[command(flatten)]
    natives: NativesArgs,
    /// How to find the rules that match; all find the same
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: EngineChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DebugChoice {
    /// The driver: operations, the rules tried at each, why they failed, and what they changed
    Greedy,
}

/// How MLIR is read and printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Text")]
struct TextArgs {
    /// Print what changed instead of the result, operation by operation
    #[arg(long)]
    diff: bool,
    /// Print every operation in generic form
    #[arg(long, alias = "mlir-print-op-generic")]
    generic: bool,
    /// Print locations
    #[arg(long)]
    mlir_print_debuginfo: bool,
    /// Print attributes, types and locations in place, without aliases
    #[arg(long)]
    mlir_print_local_scope: bool,
    #[command(flatten)]
    split: SplitArgs,
    /// Print this line between the results of the parts
    #[arg(long, value_name = "MARKER", default_value = "// -----")]
    output_split_marker: String,
}

pub(super) fn run(args: &OptArgs, natives: &Natives<IrHost>) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    let started = Instant::now();
    let (natives, scripts) = session.natives(&args.run.natives, natives)?;
    let natives = &natives;
    let rules =
        if args.rules.is_empty() { None } else { Some(session.program(&args.rules, &args.tablegen)?) };
    let file = session.sources.load(&args.input).map_err(|e| session.fail(e))?;

    let mut context = Context::new();
    let module = Module::new(&mut context);
    let mut host = IrHost::new(context, module);
    let linked = rules.map(|rules| link(&session, args, natives, rules, &mut host)).transpose()?;
    let hooks = natives.hooks(&mut host);
    let compiled = started.elapsed();

    let mut run = Run { session: &session, args, natives, linked, hooks, host, totals: Totals::default() };
    let text = run.over(session.sources.file(file));
    // Said even if the run failed: it may be why.
    let faults = scripts.iter().map(Script::diagnostics).try_for_each(|faults| session.report(faults));
    let text = text?;
    faults?;
    args.output.write(&session, text)?;
    if let Some(linked) = &run.linked {
        let rules = linked.matcher.program().patterns().len() - linked.left_out;
        session.remark(&run.totals.line(linked.matcher.program(), rules, compiled));
    }
    Ok(())
}

/// Rules, bound to the context that all parts of the input share.
struct Linked {
    matcher: Arc<Matcher<IrHost>>,
    definitions: Definitions,
    /// The rules it was compiled from, unless it was loaded.
    rules: Option<RuleSet>,
    /// How many rules are not wanted.
    left_out: usize,
}

fn link(
    session: &Session,
    args: &OptArgs,
    natives: &Natives<IrHost>,
    compiled: Compiled,
    host: &mut IrHost,
) -> Result<Linked, Failed> {
    let Compiled { program, rules, left_out } = compiled;
    if rules.is_none() && args.run.engine == EngineChoice::Reference {
        return Err(session.fail(error::no_reference()));
    }
    let options = LinkOptions { allow_missing: args.run.allow_missing_natives, left_out };
    let matcher = Matcher::link(Arc::new(program), host, natives, &options)
        .map_err(|e| session.fail(e.diagnostics()))?;
    let mut warnings = Diagnostics::default();
    for rule in matcher.dropped().filter(|rule| !options.left_out.contains(rule)) {
        warnings.push(error::left_out(rule, matcher.program(), matcher.missing()));
    }
    session.report(warnings)?;
    let known = matcher.program();
    let definitions = Definitions::link(known.ops(), known.strings(), known.snippets(), host, natives);
    let matcher = Arc::new(matcher);
    Ok(Linked { matcher, definitions, rules, left_out: options.left_out.len() })
}

/// How many rules that may have made something are named.
const MAKERS: usize = 4;

/// One run over all parts of the input.
struct Run<'a> {
    session: &'a Session,
    args: &'a OptArgs,
    natives: &'a Natives<IrHost>,
    linked: Option<Linked>,
    hooks: Hooks<IrHost>,
    host: IrHost,
    totals: Totals,
}

impl Run<'_> {
    /// The text of all results. Every part is looked at before giving up, so that one run reports
    /// everything.
    fn over(&mut self, source: &SourceFile) -> Result<String, Failed> {
        let text = &self.args.text;
        let parts = text.split.parts(source.text());
        let results: Vec<_> = parts.into_iter().map(|part| self.over_part(source, part)).collect();
        let results: Vec<String> = results.into_iter().collect::<Result<_, Failed>>()?;
        Ok(results.join(&format!("{}\n", text.output_split_marker)))
    }

    fn over_part(&mut self, source: &SourceFile, part: Range<usize>) -> Result<String, Failed> {
        self.session.phase("reading");
        self.host.module = ir::parse_part(&mut self.host.context, source, part)
            .map_err(|errors| self.session.fail(errors))?;
        self.verify(None)?;
        let before = self.args.text.diff.then(|| self.print());
        if let Some(linked) = &self.linked {
            self.session.phase("rewriting");
            let started = Instant::now();
            let (args, host) = (self.args, &mut self.host);
            let report = match args.run.engine {
                _ if args.debug == Some(DebugChoice::Greedy) => {
                    let log = GreedyLog::new(&self.session.sources, linked.matcher.program());
                    let log = Mutex::new(log);
                    let engine = LoggingEngine::new(&linked.matcher, &log);
                    drive_heard(&args.driver, &engine, host, &mut Shared(&log))
                }
                EngineChoice::Auto => {
                    drive(&args.driver, &Automaton::new(linked.matcher.clone()).automatic(), host)
                }
                EngineChoice::Tree => drive(&args.driver, &*linked.matcher, host),
                EngineChoice::Automaton => drive(&args.driver, &Automaton::new(linked.matcher.clone()), host),
                EngineChoice::Reference => {
                    let rules =
                        linked.rules.as_ref().ok_or_else(|| self.session.fail(error::no_reference()))?;
                    let reference = Reference::link(rules, &linked.matcher, host, self.natives)
                        .map_err(|e| self.session.fail(e))?;
                    drive(&args.driver, &reference, host)
                }
            };
            self.totals.add(&report, started.elapsed());
            if let Some(stopped) = &report.not_converged {
                let allowed = self.args.driver.allow_nonconvergence;
                self.session
                    .report(error::not_converged(stopped, linked.matcher.program(), allowed).into())?;
            }
            // What the rules made must stand as what was read did.
            self.verify(Some(&report.applied))?;
        }
        self.session.phase("printing");
        let after = self.print();
        Ok(match before {
            Some(before) => diff::unified(source.name(), &before, &after, self.color()),
            None => after,
        })
    }

    /// How what is printed is coloured.
    fn color(&self) -> Color {
        let terminal = self.args.output.is_terminal();
        color(&self.args.messages, terminal)
    }

    fn print(&self) -> String {
        let text = &self.args.text;
        let options = PrintOptions::new()
            .generic(text.generic)
            .debug_info(text.mlir_print_debuginfo)
            .local_scope(text.mlir_print_local_scope);
        self.host.module.print(&self.host.context, options)
    }

    /// `applied`: how often each rule has been applied to what was read.
    fn verify(&self, applied: Option<&[u64]>) -> Result<(), Failed> {
        let IrHost { context, module } = &self.host;
        let definitions = self.linked.as_ref().map(|linked| &linked.definitions);
        let mut found = ir::verify_with(context, module, |op, errors| {
            let wrong = definitions.and_then(|all| all.check(&self.host, op)).or_else(|| {
                // What a native asks may rely on the definition.
                let refusal = self.hooks.verify(&self.host, op).err()?;
                Some(error::not_verified(&self.host, op, &refusal))
            });
            if let Some(wrong) = wrong {
                errors.push(match applied {
                    Some(applied) => self.with_makers(wrong, op, applied),
                    None => wrong,
                });
            }
        });
        if applied.is_some() {
            let all = std::mem::take(&mut found).into_iter();
            all.for_each(|wrong| found.push(error::after_rewriting(wrong)));
        }
        self.session.report(found)
    }

    /// Adds the rules that have been applied and make operations of this one's name.
    fn with_makers(&self, wrong: Diagnostic, op: OpId, applied: &[u64]) -> Diagnostic {
        let Some(rules) = self.linked.as_ref().and_then(|linked| linked.rules.as_ref()) else { return wrong };
        let name = self.host.context.op_name_text(self.host.module.name(op));
        let makes = |pattern: &Pattern| {
            let mut steps = pattern.rewrite.steps.iter();
            steps.any(|step| matches!(step, Step::Create(create) if &rules.strings[create.name] == name))
        };
        let applied = rules.patterns.iter().zip(applied).filter(|&(_, &times)| times > 0);
        let makers = applied.map(|(pattern, _)| pattern).filter(|pattern| makes(pattern)).take(MAKERS);
        makers.fold(wrong, |wrong, maker| error::made_by(wrong, maker, rules))
    }
}

/// Runs the driver that is asked for.
pub(super) fn drive<E: Engine<IrHost>>(driver: &DriverArgs, engine: &E, host: &mut IrHost) -> Report {
    drive_heard(driver, engine, host, &mut NoListener)
}

/// As [`drive`], telling a listener of each change.
fn drive_heard<E: Engine<IrHost>>(
    driver: &DriverArgs,
    engine: &E,
    host: &mut IrHost,
    listener: &mut dyn Listener<IrHost>,
) -> Report {
    let root = host.module.top();
    match driver.kind {
        DriverChoice::Walk => rewrite::apply_in_walk(host, root, engine, listener),
        DriverChoice::Greedy => {
            let traversal = match driver.traversal {
                Traversal::TopDown => rewrite::Traversal::TopDown,
                Traversal::BottomUp => rewrite::Traversal::BottomUp,
            };
            let config = rewrite::Config::default()
                .traversal(traversal)
                .max_sweeps(driver.max_iterations)
                .max_rewrites(driver.max_rewrites)
                .max_rewrites_per_sweep(driver.max_rewrites_per_sweep)
                .strictness(match driver.strictness {
                    Strictness::AnyOp => rewrite::Strictness::AnyOp,
                    Strictness::ExistingAndNewOps => rewrite::Strictness::ExistingAndNewOps,
                    Strictness::ExistingOps => rewrite::Strictness::ExistingOps,
                })
                .fold(!driver.no_fold)
                .unique_constants(!driver.keep_constants);
            rewrite::apply_greedily(host, root, engine, &config, listener)
        }
    }
}

//! `drrvm opt`: rewrites MLIR with rules.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::canonicalize::{CanonicalizeArgs, Chosen, files_beside};
use super::conversion_log::ConversionLog;
use super::convert::{self, ConvertArgs};
use super::drive::{canonicalize_or_drive, check_driver, drive};
use super::error;
use super::exit::Failed;
use super::greedy_log::{GreedyLog, Shared};
use super::options::{
    DialectArgs, DriverArgs, EngineChoice, MessageArgs, NativesArgs, RuleArgs, TableGenArgs,
};
use super::output::OutputArgs;
use super::session::{Input, Session, color, new_host};
use super::split::SplitArgs;
use super::summary::Totals;
use crate::compile::{self, Compiled};
use crate::host::{Hooks, Natives, NoListener, OpNameId};
use crate::id::Id;
use crate::ir::{self, Context, IrHost, Module, OpId, PrintOptions, mlirbc};
use crate::ods_verify::{Definitions, LoadedDefinitions};
use crate::pdl::{Pattern, RuleSet, Step};
use crate::report::unified_diff;
use crate::rewrite::{self, Conversion, Limit};
use crate::source::{Color, Diagnostic, Diagnostics};
use crate::vm::{Automaton, LinkOptions, LoggingEngine, Matcher, Reference};

/// Rewrite MLIR with rules
///
/// Reads INPUT, applies the rules until none matches, and prints the result. A summary goes to standard error.
/// Without rules, the input is parsed, verified and printed. Operations of any dialect are accepted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm opt input.mlir --rules rules.td
      Apply the rules of rules.td, and print the result.
  drrvm opt input.mlir --rules a.td --rules b.mlir -o output.mlir
      Use two rule files. If the command fails, output.mlir stays unchanged.
  drrvm opt input.mlirbc --rules rules.td --emit-bytecode -o output.mlirbc
      Read and write MLIR byte code, which mlir-opt reads and writes too.
  drrvm opt input.mlir --dialects /usr/lib/llvm-22/include
      Read the custom forms of all dialects that MLIR's headers define.
  mlir-opt --mlir-print-op-generic in.mlir | drrvm opt - --rules rules.td | mlir-opt
      Read the generic form, for operations whose custom form only C++ code can read.
  drrvm opt input.mlir --rules rules.td -I llvm-project/mlir/include
      Use MLIR's own headers instead of the embedded ones.
  drrvm opt input.mlir --rules rules.td --disable AddZero --driver walk
      Use all rules but AddZero, and visit each operation once.
  drrvm opt input.mlir --rules rules.td --canonicalize=region-simplify=aggressive
      Canonicalize like mlir-opt, with the built-in folds and rules and with the rules of rules.td.
  drrvm opt input.mlir --rules lower.td --convert --legal arith --illegal toy --types types.txt
      Lower the dialect toy to arith, and convert types as types.txt states.")]
pub(super) struct OptArgs {
    /// MLIR file, as text or MLIR byte code; `-` is standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    input: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    dialects: DialectArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    driver: DriverArgs,
    #[command(flatten)]
    canonicalize: CanonicalizeArgs,
    #[command(flatten)]
    convert: ConvertArgs,
    /// Log each step of this part to standard error
    #[arg(long, value_name = "PART", conflicts_with = "engine")]
    debug: Option<DebugChoice>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

/// Options that control the application of rules.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
struct RunArgs {
    /// Drop rules that call natives that are not registered, with a warning for each
    #[arg(long)]
    allow_missing_natives: bool,
    #[command(flatten)]
    natives: NativesArgs,
    /// Print the result even if a helper, or a native of a script, fails with an error
    #[arg(long)]
    keep_going: bool,
    /// The matching engine; all engines find the same matches
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: EngineChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DebugChoice {
    /// The greedy driver: visited operations, tried rules, reasons for failure, changes
    Greedy,
    /// Dialect conversion: visited operations, tried rules, reasons for failure
    Conversion,
}

/// Options for reading and printing MLIR.
#[derive(Debug, Args)]
#[command(next_help_heading = "Text")]
struct TextArgs {
    /// Print a diff instead of the result
    #[arg(long)]
    diff: bool,
    /// Print every operation in generic form
    #[arg(long, alias = "mlir-print-op-generic")]
    generic: bool,
    /// Write MLIR byte code instead of text
    #[arg(long, conflicts_with = "diff")]
    emit_bytecode: bool,
    /// The version of the byte code, from 0 to 6
    #[arg(long, value_name = "N", default_value_t = mlirbc::VERSION, requires = "emit_bytecode")]
    #[arg(value_parser = clap::value_parser!(u64).range(..=mlirbc::VERSION))]
    emit_bytecode_version: u64,
    /// Write byte code even to a terminal
    #[arg(short, requires = "emit_bytecode")]
    force: bool,
    /// Print locations
    #[arg(long)]
    mlir_print_debuginfo: bool,
    /// Print attributes, types and locations without aliases
    #[arg(long)]
    mlir_print_local_scope: bool,
    /// Print `dense_resource<__elided__>` in place of more than N elements, unless all elements are equal
    #[arg(long, value_name = "N")]
    mlir_elide_elementsattrs_if_larger: Option<u64>,
    /// Give all values of a module different names
    #[arg(long)]
    mlir_print_unique_ssa_ids: bool,
    /// Name values by the names in their locations, `loc("name")`
    #[arg(long)]
    mlir_use_nameloc_as_prefix: bool,
    /// Has no effect, because the printer never verifies operations
    #[arg(long, hide = true)]
    mlir_print_assume_verified: bool,
    /// Has no effect, because operations without a definition are always accepted
    #[arg(long, hide = true)]
    allow_unregistered_dialect: bool,
    /// Do not verify the operations of the input by the definitions of `--dialects`
    #[arg(long)]
    mlir_very_unsafe_disable_verifier_on_parsing: bool,
    #[command(flatten)]
    split: SplitArgs,
    /// Print this line between the results of split parts
    #[arg(long, value_name = "MARKER", default_value = "// -----")]
    output_split_marker: String,
}

pub(super) fn run(args: &OptArgs, natives: &Natives<IrHost>) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    if args.text.emit_bytecode && !args.text.force && args.output.is_terminal() {
        return Err(session.misused(error::binary_to_terminal()));
    }
    let started = Instant::now();
    let (natives, scripts) = session.natives(&args.run.natives, natives)?;
    let debug = ("--debug greedy", args.debug == Some(DebugChoice::Greedy));
    let engine = ("--engine", !matches!(args.run.engine, EngineChoice::Auto | EngineChoice::Tree));
    args.convert.check_options(&session, &args.driver, [debug, engine])?;
    check_driver(&session, &args.driver)?;
    let canonicalization = args.canonicalize.chosen(&session, args.driver.max_rewrites)?;
    // A compiled program cannot be combined with other rule files.
    let beside = match &canonicalization {
        Some(_) if !args.rules.files.iter().any(|path| compile::is_program(path)) => {
            files_beside(&args.dialects.paths, &args.rules.files)
        }
        _ => Vec::new(),
    };
    let mut rules = if args.rules.is_empty() && beside.is_empty() {
        None
    } else {
        let files = [&args.rules.files[..], &beside].concat();
        Some(session.program_of(&files, &args.rules, &args.tablegen)?)
    };
    if let Some(chosen) = &canonicalization {
        let rules = match &mut rules {
            Some(rules) => rules,
            None => rules.insert(no_rules().map_err(|errors| session.fail(errors))?),
        };
        session.report(chosen.unknown_names(&rules.program, &natives))?;
        chosen.select(rules);
    }
    let input = session.load_mlir(&args.input)?;

    let mut host = new_host();
    let dialects = args.dialects.source(&args.tablegen, &args.rules.files);
    host.context.set_dialects(dialects.map_err(|error| session.fail(error))?);
    let linked = rules.map(|rules| link(&session, args, &natives, rules, &mut host)).transpose()?;
    let hooks = natives.hooks(&mut host);
    let (fold, max_rewrites) = (!args.driver.no_fold, args.driver.max_rewrites);
    let mut conversion = args.convert.conversion(&mut session, &mut host, &natives, fold, max_rewrites)?;
    if args.debug == Some(DebugChoice::Conversion) {
        let Some(silent) = conversion else { return Err(session.misused(error::no_conversion_to_log())) };
        let log = ConversionLog::to_stderr();
        conversion = Some(silent.log(move |host, event| log.event(host, &event)));
    }
    let compiled = started.elapsed();

    let totals = Totals::default();
    let (session, natives) = (&session, &natives);
    let loaded = LoadedDefinitions::default();
    let mut run =
        Run { session, args, natives, linked, loaded, canonicalization, conversion, hooks, host, totals };
    let (text, result) = run.rewrite_all(&input);
    // An error in a script or helper can be the reason why the run failed, so it is reported in any case.
    let matcher = run.linked.as_ref().map(|linked| &*linked.matcher);
    let failures = session.report_failures(&scripts, matcher, args.run.keep_going);
    // As with mlir-opt, the results of the parts without errors are written to standard output.
    let may_be_partial = args.text.split.is_split() && args.output.is_stdout();
    if failures.is_ok() && (result.is_ok() || may_be_partial) {
        args.output.write(session, text)?;
    }
    result?;
    failures?;
    if let Some(linked) = &run.linked {
        let rules = linked.matcher.program().patterns().len() - linked.left_out;
        session.remark(&run.totals.line(linked.matcher.program(), rules, compiled));
    }
    Ok(())
}

/// A program without rules.
fn no_rules() -> Result<Compiled, crate::source::Diagnostics> {
    let rules = RuleSet::default();
    Ok(Compiled { program: compile::program(&rules)?, rules: Some(rules), left_out: Vec::new() })
}

/// The rules, linked to the context that all parts of the input share.
struct Linked {
    matcher: Arc<Matcher<IrHost>>,
    definitions: Definitions,
    /// The source rules, unless a compiled program was loaded.
    rules: Option<RuleSet>,
    /// The number of the program's rules that the command line deselects.
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
    let matcher = session.link(Arc::new(program), host, natives, &options)?;
    let program = matcher.program();
    let definitions = Definitions::link(program.ops(), program.strings(), program.snippets(), host, natives);
    let matcher = Arc::new(matcher);
    Ok(Linked { matcher, definitions, rules, left_out: options.left_out.len() })
}

/// The maximum number of rules that are named in an error about the result.
const MAX_CREATORS: usize = 4;

/// One run over all parts of the input.
struct Run<'a> {
    session: &'a Session,
    args: &'a OptArgs,
    natives: &'a Natives<IrHost>,
    linked: Option<Linked>,
    /// The definitions of the dialects that the input uses.
    loaded: LoadedDefinitions,
    canonicalization: Option<Chosen>,
    conversion: Option<Conversion<IrHost>>,
    hooks: Hooks<IrHost>,
    host: IrHost,
    totals: Totals,
}

impl Run<'_> {
    /// Rewrites all parts of the input and returns their results. Reports the errors of all parts; the result of a part
    /// with errors is empty.
    fn rewrite_all(&mut self, input: &Input) -> (Vec<u8>, Result<(), Failed>) {
        let text = &self.args.text;
        let file = match input {
            Input::Text(file) => *file,
            Input::Bytecode { name, bytes } => {
                let part = self.rewrite_part(name, |context| mlirbc::read(context, name, bytes));
                return part.map_or_else(|failed| (Vec::new(), Err(failed)), |text| (text, Ok(())));
            }
        };
        let source = self.session.sources.file(file);
        let (mut results, mut result) = (Vec::new(), Ok(()));
        for part in text.split.parts(source.text()) {
            let part = self.rewrite_part(source.name(), |context| ir::parse_part(context, source, part));
            results.push(part.unwrap_or_else(|failed| {
                result = Err(failed);
                Vec::new()
            }));
        }
        (results.join(format!("{}\n", text.output_split_marker).as_bytes()), result)
    }

    fn rewrite_part(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Context) -> Result<Module, Diagnostics>,
    ) -> Result<Vec<u8>, Failed> {
        self.session.phase("reading");
        self.host.module = read(&mut self.host.context).map_err(|errors| self.session.fail(errors))?;
        self.verify(None)?;
        let before = self.args.text.diff.then(|| self.print());
        if self.canonicalization.is_some() {
            // Canonicalisation reads effects from the definitions, also for operations that only rules create.
            self.define_dialects()?;
        }
        if self.conversion.is_some() {
            self.convert()?;
        } else if let Some(linked) = &self.linked {
            self.session.phase("rewriting");
            let started = Instant::now();
            let (args, host) = (self.args, &mut self.host);
            let config = self.canonicalization.as_ref().map(|chosen| &chosen.config);
            let report = match args.run.engine {
                _ if args.debug == Some(DebugChoice::Greedy) => {
                    let log = GreedyLog::new(&self.session.sources, linked.matcher.program());
                    let log = Mutex::new(log);
                    let engine = LoggingEngine::new(&linked.matcher, &log);
                    drive(&args.driver, &engine, host, &mut Shared(&log))
                }
                EngineChoice::Auto => {
                    let engine = Automaton::new(linked.matcher.clone()).automatic();
                    canonicalize_or_drive(config, &args.driver, &engine, host, &mut NoListener)
                }
                EngineChoice::Tree => {
                    canonicalize_or_drive(config, &args.driver, &*linked.matcher, host, &mut NoListener)
                }
                EngineChoice::Automaton => {
                    let engine = Automaton::new(linked.matcher.clone());
                    canonicalize_or_drive(config, &args.driver, &engine, host, &mut NoListener)
                }
                EngineChoice::Reference => {
                    let rules =
                        linked.rules.as_ref().ok_or_else(|| self.session.fail(error::no_reference()))?;
                    let reference = Reference::link(rules, &linked.matcher, host, self.natives)
                        .map_err(|e| self.session.fail(e))?;
                    canonicalize_or_drive(config, &args.driver, &reference, host, &mut NoListener)
                }
            };
            self.totals.add(&report, started.elapsed());
            // MLIR's pass `-canonicalize` succeeds when it reaches the limit on sweeps. The pass has no limit on the
            // total number of rewrites, so a stop at that limit is not accepted.
            let accepts_sweeps =
                self.canonicalization.as_ref().is_some_and(|chosen| !chosen.test_convergence);
            let is_accepted = |limit| accepts_sweeps && matches!(limit, Limit::Sweeps(_));
            if let Some(stopped) = report.not_converged.as_ref().filter(|stopped| !is_accepted(stopped.limit))
            {
                let allowed = self.args.driver.allow_nonconvergence;
                let sweeps = match config {
                    Some(_) => "--canonicalize=max-iterations=N",
                    None => "--max-iterations N",
                };
                let program = linked.matcher.program();
                self.session.report(error::not_converged(stopped, program, sweeps, allowed).into())?;
            }
            self.verify(Some(&report.applied))?;
        }
        self.session.phase("printing");
        if self.args.text.emit_bytecode {
            let IrHost { context, module, .. } = &mut self.host;
            let bytes = mlirbc::write(context, module, self.args.text.emit_bytecode_version);
            return bytes.map_err(|errors| self.session.fail(errors));
        }
        if !self.args.text.generic {
            self.define_dialects()?;
        }
        let after = self.print();
        let shown = match before {
            Some(before) => unified_diff(name, &before, &after, self.color()),
            None => after,
        };
        Ok(shown.into_bytes())
    }

    /// Converts the module.
    fn convert(&mut self) -> Result<(), Failed> {
        let Some(conversion) = &self.conversion else { return Ok(()) };
        self.session.phase("converting");
        let rules = self.linked.as_ref().map(|linked| linked.matcher.program());
        let started = Instant::now();
        let (host, matcher) = (&mut self.host, self.linked.as_ref().map(|linked| &*linked.matcher));
        let top = host.module.top();
        let report = rewrite::convert(host, top, matcher, conversion, &mut NoListener)
            .map_err(|error| self.session.fail(convert::failures(&error, &self.host.context, rules)))?;
        if self.args.convert.convert == Some(convert::ModeChoice::Analysis) {
            self.totals.add_analysis(&report, started.elapsed());
            self.session.report(convert::remarks(&report.ops, &self.host))?;
        } else {
            self.totals.add_conversion(&report, started.elapsed());
        }
        self.verify(Some(&[]))
    }

    /// Loads the definitions of the dialects of all operation names in the context, if the command line or the
    /// environment names definitions.
    fn define_dialects(&mut self) -> Result<(), Failed> {
        if !self.args.dialects.is_given() {
            return Ok(());
        }
        let context = &self.host.context;
        let names = (0..context.op_name_count()).filter_map(OpNameId::try_from_index);
        let mut dialects: Vec<String> = names
            .filter_map(|name| context.op_name_text(name).split_once('.'))
            .map(|(dialect, _)| dialect.to_owned())
            .collect();
        dialects.sort();
        dialects.dedup();
        for dialect in dialects {
            let found = self.host.context.load_dialect(&dialect);
            found.map_err(|error| self.session.fail(error))?;
        }
        Ok(())
    }

    fn color(&self) -> Color {
        let terminal = self.args.output.is_terminal();
        color(&self.args.messages, terminal)
    }

    fn print(&self) -> String {
        let text = &self.args.text;
        let options = PrintOptions::new()
            .generic(text.generic)
            .debug_info(text.mlir_print_debuginfo)
            .local_scope(text.mlir_print_local_scope)
            .elide_elements(text.mlir_elide_elementsattrs_if_larger)
            .unique_ssa_ids(text.mlir_print_unique_ssa_ids)
            .location_names(text.mlir_use_nameloc_as_prefix);
        self.host.module.print(&self.host.context, options)
    }

    /// Verifies the module. `applied` is `None` before rewriting. Afterwards it has the number of times that each rule
    /// was applied, or is empty if the module was converted.
    fn verify(&mut self, applied: Option<&[u64]>) -> Result<(), Failed> {
        let unverified = applied.is_none() && self.args.text.mlir_very_unsafe_disable_verifier_on_parsing;
        if !unverified {
            let updated = self.loaded.update(&mut self.host, self.natives);
            updated.map_err(|error| self.session.fail(error))?;
        }
        let IrHost { context, module } = &self.host;
        let definitions = self.linked.as_ref().map(|linked| &linked.definitions);
        // Linked rules know the traits of operations, so their hooks include the hooks of traits.
        let hooks = self.linked.as_ref().map_or(&self.hooks, |linked| linked.matcher.hooks());
        let mut found = ir::verify_with(context, module, |op, errors| {
            let wrong = definitions.and_then(|all| all.check(&self.host, op));
            let wrong = wrong.or_else(|| if unverified { None } else { self.loaded.check(&self.host, op) });
            let wrong = wrong.or_else(|| {
                // Verifiers that are natives run last, so they can rely on the checks by the definition.
                let refusal = hooks.verify(&self.host, op).err()?;
                Some(error::not_verified(&self.host, op, &refusal))
            });
            if let Some(wrong) = wrong {
                errors.push(match applied {
                    Some(applied) => self.with_creators(wrong, op, applied),
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

    /// Adds notes about the applied rules that create operations with the name of `op`.
    fn with_creators(&self, wrong: Diagnostic, op: OpId, applied: &[u64]) -> Diagnostic {
        let Some(rules) = self.linked.as_ref().and_then(|linked| linked.rules.as_ref()) else { return wrong };
        let name = self.host.context.op_name_text(self.host.module.name(op));
        let creates = |pattern: &Pattern| {
            let mut steps = pattern.rewrite.steps.iter();
            steps.any(|step| matches!(step, Step::Create(create) if &rules.strings[create.name] == name))
        };
        let applied = rules.patterns.iter().zip(applied).filter(|&(_, &times)| times > 0);
        let creators =
            applied.map(|(pattern, _)| pattern).filter(|pattern| creates(pattern)).take(MAX_CREATORS);
        creators.fold(wrong, |wrong, rule| error::created_by(wrong, rule, rules))
    }
}

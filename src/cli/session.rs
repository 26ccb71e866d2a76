//! One run of a command: the files that it reads, and the messages that it prints.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error;
use super::exit::Failed;
use super::options::{ColorChoice, MessageArgs, MessageFormat, NativesArgs, RuleArgs, TableGenArgs};
use super::progress::Progress;
use crate::bytecode::Program;
use crate::compile::{self, Compiled};
use crate::host::Natives;
use crate::ir::{Context, IrHost, Module, mlirbc};
use crate::pdl::{MissingNative, RuleSet, rank_missing};
use crate::script::Script;
use crate::source::{
    Color, Diagnostic, Diagnostics, FileId, Severity, SourceMap, render, render_all, render_classic,
};
use crate::vm::{LinkError, LinkOptions, Matcher};

/// One run of a command.
pub(super) struct Session {
    pub(super) sources: SourceMap,
    color: Color,
    format: MessageFormat,
    quiet: bool,
    verbose: bool,
    progress: Progress,
}

impl Session {
    pub(super) fn new(args: &MessageArgs) -> Self {
        let color = color(args, io::stderr().is_terminal());
        let logs = start_log(args, color);
        let shown = io::stderr().is_terminal() && !args.quiet && !matches!(logs, Ok(true));
        let progress = Progress::new(shown);
        let format = args.message_format;
        let (sources, &MessageArgs { quiet, verbose, .. }) = (SourceMap::default(), args);
        let session = Self { sources, color, format, quiet, verbose, progress };
        if let Err(why) = logs {
            let _ = session.report(error::bad_log_filter(&why).into());
        }
        session
    }

    /// Starts a command that needs rules.
    pub(super) fn with_rules(args: &MessageArgs, files: &[PathBuf]) -> Result<Self, Failed> {
        let session = Self::new(args);
        if files.is_empty() { Err(session.misused(error::no_rules())) } else { Ok(session) }
    }

    /// Names the current phase, which is displayed if the command takes a long time.
    pub(super) fn phase(&self, name: &'static str) {
        self.progress.phase(name);
    }

    /// Prints the diagnostics of a stage.
    ///
    /// # Errors
    /// Fails if at least one of the diagnostics is an error.
    pub(super) fn report(&self, diagnostics: Diagnostics) -> Result<(), Failed> {
        let failed = diagnostics.has_errors();
        let mut shown = Diagnostics::default();
        for diagnostic in diagnostics {
            if !self.quiet || diagnostic.severity == Severity::Error {
                shown.push(diagnostic);
            }
        }
        let text = match self.format {
            MessageFormat::Rich => render_all(&shown, &self.sources, self.color),
            MessageFormat::Llvm => render_classic(&shown, &self.sources),
        };
        self.progress.suspend(|| print_message(&text));
        if failed { Err(Failed::BadInput) } else { Ok(()) }
    }

    /// Prints the warnings or errors of a stage, and returns its result.
    pub(super) fn settle<T>(&self, result: Result<(T, Diagnostics), Diagnostics>) -> Result<T, Failed> {
        match result {
            Ok((result, warnings)) => self.report(warnings).map(|()| result),
            Err(errors) => Err(self.fail(errors)),
        }
    }

    /// Prints the errors that end this run.
    pub(super) fn fail(&self, errors: impl Into<Diagnostics>) -> Failed {
        let _ = self.report(errors.into());
        Failed::BadInput
    }

    /// Prints the reasons why a program cannot be linked.
    pub(super) fn fail_to_link(&self, error: &LinkError) -> Failed {
        let mut errors = if self.verbose { error.diagnostics_with_places() } else { error.diagnostics() };
        if !self.verbose && !error.missing().is_empty() {
            errors.push(error::no_places_of_natives());
        }
        self.fail(errors)
    }

    /// One error for each missing native. With `-v`, the errors have the places of the calls. Without `-v`, a note
    /// names this option.
    pub(super) fn missing_natives(&self, missing: &[MissingNative]) -> Diagnostics {
        let mut errors = Diagnostics::default();
        for native in rank_missing(missing) {
            errors.push(if self.verbose { native.diagnostic_with_places() } else { native.diagnostic() });
        }
        if !self.verbose && !missing.is_empty() {
            errors.push(error::no_places_of_natives());
        }
        errors
    }

    /// True if the command line has `-v`, which shows details.
    pub(super) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Prints an error about the command line.
    pub(super) fn misused(&self, error: Diagnostic) -> Failed {
        let _ = self.report(error.into());
        Failed::WrongUsage
    }

    /// Prints a text for people, unless `--quiet` is given.
    pub(super) fn remark(&self, text: &str) {
        if !self.quiet {
            self.progress.suspend(|| print_message(text));
        }
    }

    /// Loads an input file.
    pub(super) fn load(&mut self, path: &Path) -> Result<FileId, Failed> {
        self.sources.load(path).map_err(|e| self.fail(e))
    }

    /// Loads an input file, which is MLIR text or MLIR byte code.
    pub(super) fn load_mlir(&mut self, path: &Path) -> Result<Input, Failed> {
        let (name, bytes) = self.sources.read(path).map_err(|e| self.fail(e))?;
        if mlirbc::is_bytecode(&bytes) {
            return Ok(Input::Bytecode { name, bytes });
        }
        self.sources.add_bytes(name, bytes).map(Input::Text).map_err(|e| self.fail(e))
    }

    /// Loads the rules that the command line selects.
    pub(super) fn rules(&mut self, rules: &RuleArgs, tablegen: &TableGenArgs) -> Result<RuleSet, Failed> {
        self.phase("reading rules");
        let options = rules.options(tablegen);
        let loaded = compile::rules(&mut self.sources, &rules.files, &options);
        let warned = loaded.map(|(set, warnings)| {
            let warnings = with_empty_files(warnings, set.patterns().is_empty(), &rules.files, &options);
            (set, warnings)
        });
        self.settle(warned)
    }

    /// Loads and compiles the rules that the command line selects.
    pub(super) fn program(&mut self, rules: &RuleArgs, tablegen: &TableGenArgs) -> Result<Compiled, Failed> {
        self.program_of(&rules.files, rules, tablegen)
    }

    /// Loads and compiles the rules of `files` that the command line selects.
    pub(super) fn program_of(
        &mut self,
        files: &[PathBuf],
        rules: &RuleArgs,
        tablegen: &TableGenArgs,
    ) -> Result<Compiled, Failed> {
        self.phase("reading rules");
        let options = rules.options(tablegen);
        let compiled = compile::compiled(&mut self.sources, files, &options);
        let warned = compiled.map(|(compiled, warnings)| {
            let is_empty = compiled.program.patterns().is_empty();
            (compiled, with_empty_files(warnings, is_empty, files, &options))
        });
        self.settle(warned)
    }

    /// Adds the natives of scripts to the built-in natives. Also returns the scripts.
    pub(super) fn natives(
        &mut self,
        args: &NativesArgs,
        built_in: &Natives<IrHost>,
    ) -> Result<(Natives<IrHost>, Vec<Script<IrHost>>), Failed> {
        let mut natives = built_in.clone();
        let mut scripts = Vec::new();
        let mut errors = Diagnostics::default();
        for path in &args.scripts {
            let file = self.sources.load(path).map_err(Diagnostics::from);
            match file.and_then(|file| Script::load(self.sources.file(file))) {
                Ok(script) => {
                    natives = natives.with(script.natives());
                    scripts.push(script);
                }
                Err(found) => errors.extend(found),
            }
        }
        self.report(errors)?;
        Ok((natives, scripts))
    }

    /// Prints the failures of natives in scripts, and the [failures](Matcher::failures) of expressions and helpers.
    /// With `keep_going`, these are warnings instead of errors.
    pub(super) fn report_failures<'m>(
        &self,
        scripts: &[Script<IrHost>],
        matchers: impl IntoIterator<Item = &'m Matcher<IrHost>>,
        keep_going: bool,
    ) -> Result<(), Failed> {
        let mut failures = Diagnostics::default();
        let helpers = matchers.into_iter().flat_map(Matcher::failures);
        for mut failure in scripts.iter().flat_map(Script::diagnostics).chain(helpers) {
            if keep_going {
                failure.severity = Severity::Warning;
            }
            failures.push(failure);
        }
        self.report(failures)
    }

    /// Links a program, and warns of each rule that is dropped because a native is missing.
    pub(super) fn link(
        &self,
        program: Arc<Program>,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
        options: &LinkOptions,
    ) -> Result<Matcher<IrHost>, Failed> {
        let matcher =
            Matcher::link(program, host, natives, options).map_err(|error| self.fail_to_link(&error))?;
        let mut warnings = Diagnostics::default();
        for rule in matcher.dropped().filter(|rule| !options.left_out.contains(rule)) {
            warnings.push(error::dropped_rule(rule, matcher.program(), matcher.missing()));
        }
        self.report(warnings)?;
        Ok(matcher)
    }
}

/// Adds a warning if rule files contain no rules, no option selects rules, and there is no other warning.
pub(super) fn with_empty_files(
    mut warnings: Diagnostics,
    is_empty: bool,
    files: &[PathBuf],
    options: &compile::Options,
) -> Diagnostics {
    let selects = !options.enable.is_empty() || !options.disable.is_empty();
    if is_empty && !selects && warnings.is_empty() {
        warnings.push(error::no_rules_in(files));
    }
    warnings
}

/// An input file.
pub(super) enum Input {
    /// MLIR text.
    Text(FileId),
    /// MLIR byte code.
    Bytecode {
        /// The name in messages.
        name: String,
        /// The contents.
        bytes: Vec<u8>,
    },
}

/// A host with an empty module.
pub(super) fn new_host() -> IrHost {
    let mut context = Context::new();
    let module = Module::new(&mut context);
    IrHost::new(context, module)
}

/// Starts to log to standard error with the filter of `--log` or RUST_LOG. Returns true if one of them has a filter.
fn start_log(args: &MessageArgs, color: Color) -> Result<bool, String> {
    let filter = match &args.log {
        Some(filter) => filter.clone(),
        None => match std::env::var("RUST_LOG") {
            Ok(filter) if !filter.is_empty() => filter,
            _ => return Ok(false),
        },
    };
    use tracing_subscriber::{filter::Targets, fmt, prelude::*};
    let filter: Targets = filter.parse().map_err(|error| format!("{error}"))?;
    let format = fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(color == Color::Always)
        .with_span_events(fmt::format::FmtSpan::CLOSE);
    // A process that embeds the command may already have a subscriber, which stays.
    let _ = tracing_subscriber::registry().with(format.with_filter(filter)).try_init();
    Ok(true)
}

/// Decides if output is coloured. `terminal` is true if the output goes to a terminal.
pub(super) fn color(args: &MessageArgs, terminal: bool) -> Color {
    match args.color {
        ColorChoice::Always => Color::Always,
        ColorChoice::Never => Color::Never,
        ColorChoice::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
            if terminal && !refused && !dumb { Color::Always } else { Color::Never }
        }
    }
}

/// Prints an error that refers to no file, for commands without a [`Session`].
pub(super) fn fail_without_sources(error: &Diagnostic) -> Failed {
    print_message(&render(error, &SourceMap::default(), Color::Never));
    Failed::BadInput
}

/// Writes to standard error. Write errors are ignored.
fn print_message(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
